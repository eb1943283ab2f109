"""What is said at the table: who moved and what chance did, what is best, what is expected."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE
from gdl.playing.play import Step
from gdl.playing.records import probability
from gdl.table.dice import Way
from gdl.table.pointing import listed
from gdl.table.reading import COMMANDS, labels
from gdl.table.table import Table
from solvers.core.lines import one_of
from solvers.core.numbers import show_short
from solvers.core.rounding import exact_twin

if TYPE_CHECKING:
    from solvers.core.result import MoveValue, Result


def happened(table: Table, step: Step[Any, Any]) -> str:
    """`first: roll [face = 3] (1/6)`: who did what, and how probable what chance added was."""
    game = table.game
    assert step.mover is not None
    who = "chance" if step.mover == CHANCE else game.players[step.mover]
    text = f"{who}: {table.shown_move(step)}"
    if table.viewer is not None:  # how probable it was may give away what it was
        return text
    if label := step.label or _chance_said(table, step):
        text += f" [{label}]"
    if label or step.mover == CHANCE:
        odds = probability(exact_twin(game), table.play.before, step.mover, step.move, step.position)
        text += f" ({show_short(odds)})" if odds != 1 else ""
    paid = [
        f"{name} {show_short(reward)}"
        for name, reward in zip(game.players, step.rewards, strict=True)
        if reward
    ]
    return f"{text}, pays {', '.join(paid)}" if paid else text


def _chance_said(table: Table, step: Step[Any, Any]) -> str:
    """What chance added to a move, where people said it by its number."""
    if step.mover == CHANCE or step.probability == 1:
        return ""
    ways = listed(exact_twin(table.game), table.play.before, step.move)
    return next((one_of(way.labels) for way in ways if way.position == step.position), "")


def so_far(table: Table) -> list[str]:
    """All that happened, as who looks at it now may see it."""
    return [happened(table, step) for step in table.play.history]


def prompt(table: Table) -> str:
    seats = table.seats[table.play.to_move]
    return f"{seats.name} to move"


def asked_of_chance(table: Table) -> str:
    """`second: roll; what does chance do?`: for people with real dice."""
    mover = table.play.to_move
    if mover == CHANCE:
        return "what does chance do?"
    return f"{table.game.players[mover]}: {table.game.format_move(table.ways[0].move)}; what does chance do?"


def listed_moves(table: Table) -> list[str]:
    """The legal moves, each with its label: `3  drop(3)`."""
    moves = list(table.play.moves())
    names = labels(table.game, moves)
    width = max(map(len, names), default=1)
    return [
        f"{name:>{width}}  {table.game.format_move(move)}" for name, move in zip(names, moves, strict=True)
    ]


def listed_ways(ways: tuple[Way, ...]) -> list[str]:
    """What chance may do, numbered: `2  face = 2 (1/6)`."""
    width = len(str(len(ways)))
    return [
        f"{number:>{width}}  {way.label or 'nothing more'} ({show_short(way.probability)})"
        for number, way in enumerate(ways, 1)
    ]


def hinted(result: Result) -> Iterator[str]:
    """How it is known, then the moves, the best first and marked: each with its value, and with what makes it
    best where that is not its value."""
    yield f"{result.solver}: {result.how}"
    width = max((len(move.text) for move in result.moves), default=0)
    plays = sum(move.visits or 0 for move in result.moves)
    ranked = sorted(result.moves, key=_rank)
    for move in ranked[:MOST_HINTED]:
        parts = [f"{move.text:<{width}}  {'no better' if move.value is None else move.value}"]
        if move.probability is not None:
            parts.append(f"played {_percent(move.probability)}")
        if move.visits is not None:
            parts.append(f"{counted(move.visits, 'play')} ({_percent(move.visits / max(plays, 1))})")
        yield f"{'*' if move.best else ' '} {'   '.join(parts)}"
    if len(ranked) > MOST_HINTED:
        yield f"  … {len(ranked) - MOST_HINTED} more"


def _percent(share: Any) -> str:
    return f"{100 * float(share):.0f} %"


def _rank(move: MoveValue) -> tuple[bool, float, int, float]:
    """Best moves first; others by what makes moves the best: how often they are to be played, were tried,
    or what they are worth."""
    worth = -inf if move.value is None else float(move.value.number)
    return not move.best, -float(move.probability or 0), -(move.visits or 0), -worth


MOST_HINTED = 12
"""Moves that a hint lists."""


def expected(result: Result) -> Iterator[str]:
    """The line that is expected, move by move."""
    if not result.line:
        yield "no line is known from here"
    for number, step in enumerate(result.line, 1):
        yield f"{number:>3}. {step.player}: {step}"


def reasons(table: Table) -> list[str]:
    """Why agents moved as they did, as far as they say and it may be known."""
    return [
        f"{seat.name} moved because: {reason}"
        for player, seat in enumerate(table.seats)
        if (reason := table.reason(player))
    ]


def no_advice(table: Table) -> str:
    """Why there is none now."""
    return (
        "the play is over"
        if table.play.finished
        else "there is no advice while others choose: it would tell what they know"
    )


def ended(table: Table) -> str:
    got = zip(table.game.players, table.play.returns, strict=True)
    return ", ".join(f"{name} gets {show_short(paid)}" for name, paid in got)


def helped() -> list[str]:
    return [
        "Type a move as it is listed, shortened, or by its number; or one of",
        *(f"  {name:<6} {about}" for name, about in COMMANDS.items()),
    ]
