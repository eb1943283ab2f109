"""The table as plain lines: what is shown goes to standard output, what is asked to standard error.

Reads standard input to its end, so a play can be typed, piped or scripted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.render import print_diagnostics
from gdl.draw.text import render_text
from gdl.table import telling
from gdl.table.reading import Command, understood, understood_command
from gdl.table.table import Table, Turn

Write = Callable[[str], None]


class Left(Exception):
    """The person says that this is enough."""


class NoMoreInput(Exception):
    """There is nobody who could say anything."""


def play_in_lines(table: Table, write: Write = print) -> bool:
    """Plays until the game is over or the person leaves; False where input ended before that."""
    try:
        _show(table, write)
        while table.turn is not Turn.OVER:
            _take_turn(table, write)
    except Left:
        return True
    except NoMoreInput:
        return False
    write(telling.ended(table))
    return True


def _take_turn(table: Table, write: Write) -> None:
    if table.turn is Turn.PERSON:
        _ask_person(table, write)
    elif table.turn is Turn.CHANCE:
        _ask_chance(table, write)
    elif (step := table.advance()) is not None:
        write(telling.happened(table, step))
        _show(table, write)


def _ask_person(table: Table, write: Write) -> None:
    if table.must_hand_over:
        name = table.seats[table.play.to_move].name
        _read(f"\nhand over to {name}, who presses Enter: ")
        write("\n" * 40)  # what the other person saw is gone from the screen
        table.hand_over()
        for line in telling.so_far(table):
            write(line)
        _show(table, write)
    text = _read(f"{telling.prompt(table)} (? lists the moves, help the commands): ")
    if not text:
        return
    try:
        meant = understood(table.game, table.play.position, text)
        if isinstance(meant, Command):
            _obey(table, meant, write)
            return
        if (step := table.make(meant)) is not None:
            write(telling.happened(table, step))
            _show(table, write)
    except GameError as error:
        print_diagnostics(error.diagnostics, sys.stderr, of="your move")


def _ask_chance(table: Table, write: Write) -> None:
    ways = table.ways
    for line in telling.listed_ways(ways):
        write(line)
    text = _read(f"{telling.asked_of_chance(table)} (a number; help lists the commands): ")
    if not text:
        return
    if text.isdigit() and 1 <= int(text) <= len(ways):
        write(telling.happened(table, table.happen(int(text) - 1)))
        _show(table, write)
        return
    if text.isdigit():
        sys.stderr.write(f"a number from 1 to {len(ways)}\n")
        return
    try:
        _obey(table, understood_command(text), write)
    except GameError as error:
        print_diagnostics(error.diagnostics, sys.stderr, of="what you said")


def _obey(table: Table, command: Command, write: Write) -> None:
    match command.name:
        case "hint" | "why":
            _advise(table, command.name, write)
        case "moves":
            for line in telling.listed_moves(table):
                write(line)
        case "undo" | "redo":
            if not (table.undo() if command.name == "undo" else table.redo()):
                sys.stderr.write(f"there is nothing to {command.name}\n")
            _show(table, write)
        case "swap":
            table.swap()
            for seat in table.seats:
                write(f"{seat.name}: {seat.description}")
        case "save" | "load":
            _file(table, command, write)
        case "help":
            for line in telling.helped():
                write(line)
        case "quit":
            raise Left


def _advise(table: Table, what: str, write: Write) -> None:
    if not table.may_advise:
        write(telling.no_advice(table))
        return
    result = table.hint()
    for line in telling.hinted(result) if what == "hint" else telling.expected(result):
        write(line)
    if what == "why":
        for line in telling.reasons(table):
            write(line)


def _file(table: Table, command: Command, write: Write) -> None:
    if not command.argument:
        sys.stderr.write(f"say which file: {command.name} FILE\n")
        return
    path = Path(command.argument)
    if command.name == "save":
        table.save(path)
        write(f"saved to {path}")
    else:
        table.load(path)
        _show(table, write)


def _show(table: Table, write: Write) -> None:
    if not table.must_hand_over:
        for line in render_text(table.picture()).split("\n"):
            write(f"     {line}".rstrip())


def _read(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    line: Any = sys.stdin.readline()
    if not line:
        raise NoMoreInput
    return str(line).strip()
