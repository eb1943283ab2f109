"""What a person types at the table: a move by name, by number or shortened, or a command.

A move may be written as it is listed, `go(b1, c3)`; by the parts that tell it from all others, in their order
and each as short as it stays clear, `b1 c3` or `b1c3`; or by its label in the list. Labels are 1, 2, 3 .., or
where whole numbers alone tell all moves apart, as in `drop(3)`, these: a `3` is never two different things.
A move goes before a command of the same name; `/swap` is always the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics import commands as wording
from gdl.game import Game

COMMANDS = {
    "hint": "the best moves with their values, and how sure they are",
    "why": "what is expected to follow, and why an agent moved as it did",
    "moves": "the legal moves (also ?)",
    "undo": "take back to your last choice",
    "redo": "make again what was taken back",
    "swap": "take the other side: everyone sits down one seat further on",
    "save": "save FILE: write the play so far",
    "load": "load FILE: go on with a play that was saved",
    "help": "this list",
    "quit": "leave",
}


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    argument: str = ""


def understood(game: Game[Any, Any], position: Any, text: str) -> Any:
    """The Command or the legal move that a text means; raises GameError that says what could be meant."""
    text = text.strip()
    moves = list(game.moves(position))
    if text == "?":
        return Command("moves")
    if not text.startswith("/") and (move := read_move(game, moves, text)) is not None:
        return move
    if (meant := _command(text)) is not None:
        return meant
    word = text.removeprefix("/").partition(" ")[0]
    if re.fullmatch(r"\w+\s*\(.*", text) or word in {_words(game.format_move(move))[0] for move in moves}:
        game.parse_move(position, text)  # its own words say what is wrong with it, and what is legal
    raise _unknown(text, [game.format_move(move) for move in moves])


def understood_command(text: str) -> Command:
    """The Command that a text means where no move is to be made; raises GameError that names them all."""
    text = text.strip()
    if (meant := Command("moves") if text == "?" else _command(text)) is None:
        raise _unknown(text, [])
    return meant


def _command(text: str) -> Command | None:
    word, _, argument = text.removeprefix("/").partition(" ")
    fitting = [name for name in COMMANDS if name == word] or [
        name for name in COMMANDS if word and name.startswith(word.lower())
    ]
    return Command(fitting[0], argument.strip()) if len(fitting) == 1 else None


def _unknown(text: str, moves: list[str]) -> GameError:
    word = text.removeprefix("/").partition(" ")[0]
    near = get_close_matches(word, [*COMMANDS, *moves], 2)
    return GameError([wording.no_such_command(text, list(COMMANDS), near)])


def read_move(game: Game[Any, Any], moves: Sequence[Any], text: str) -> Any | None:
    """The one move that the text means, None where it means none; raises GameError where it means several."""
    by_label = dict(zip(labels(game, moves), moves, strict=True))
    if text in by_label:
        return by_label[text]
    typed = _words(text)
    squeezed = "".join(typed)
    if not typed:
        return None
    parts = {move: _words(game.format_move(move)) for move in moves}
    for fits in (
        lambda words: words == typed,
        lambda words: words[1:] == typed,
        lambda words: squeezed in ("".join(words), "".join(words[1:])),
        lambda words: _shortens(typed, words),
        lambda words: _numbered(squeezed, words),
        lambda words: _joined(squeezed, words[1:]),
    ):
        found = [move for move in moves if fits(parts[move])]
        if len(found) == 1:
            return found[0]
        if found:
            raise GameError([wording.several_moves(text, [game.format_move(move) for move in found])])
    return None


def labels(game: Game[Any, Any], moves: Sequence[Any]) -> list[str]:
    """A short name of each move for lists: its number, or the whole numbers in it where these tell."""
    inside = [_words(game.format_move(move))[1:] for move in moves]
    if all(len(words) == 1 and words[0].isdigit() for words in inside):
        own = [words[0] for words in inside]
        if len(set(own)) == len(own):
            return own
    return [str(number) for number in range(1, len(moves) + 1)]


def completions(game: Game[Any, Any], position: Any, text: str) -> list[str]:
    """All that a text could become: moves first, then commands."""
    typed = _words(text)
    texts = [game.format_move(move) for move in game.moves(position)]
    squeezed = "".join(typed)
    found = [
        move
        for move in texts
        if "".join(words := _words(move)).startswith(squeezed)
        or "".join(words[1:]).startswith(squeezed)
        or _shortens(typed, words)
    ]
    return found + [name for name in COMMANDS if text and name.startswith(text.removeprefix("/"))]


def _words(text: str) -> list[str]:
    """The words and numbers of a text, in small letters: `Go(b1, -2)` gives go, b1, -2."""
    return re.findall(r"-?\d+|\w+", text.lower())


def _shortens(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether every typed word begins one of the words, in their order."""
    rest = iter(words)
    return all(any(word.startswith(short) for word in rest) for short in typed)


def _numbered(squeezed: str, words: Sequence[str]) -> bool:
    """Whether a text is a move's name, perhaps shortened, with its number behind it: `d3` for `drop(3)`."""
    found = re.fullmatch(r"([^\W\d]+)(-?\d+)", squeezed)
    return found is not None and words[0].startswith(found[1]) and "".join(words[1:]) == found[2]


def _joined(squeezed: str, words: Sequence[str]) -> bool:
    """Whether a text is made of several of the words, whole and in their order: `a2a3` of a2, 0, a3."""
    made = {"": 0}  # beginnings of the text, with how many words at most they are made of
    for word in words:
        longer = {
            begun + word: count + 1 for begun, count in made.items() if squeezed.startswith(begun + word)
        }
        made |= {begun: max(count, made.get(begun, 0)) for begun, count in longer.items()}
    return made.get(squeezed, 0) > 1
