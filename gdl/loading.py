"""From a path or a text, with parameters, to a Model and to a game that can be played and solved."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from gdl.diagnostics import Diagnostic, GameError, Severity, Source, sort_diagnostics
from gdl.diagnostics import wording as say
from gdl.paths import data_directory
from gdl.texts import decoded

if TYPE_CHECKING:
    from gdl.model.nodes import Model
    from gdl.native.engine import NativeGame
    from gdl.reference.engine import ReferenceGame


@overload
def load(path: str | Path, *, engine: Literal["native"] = "native", **params: Any) -> NativeGame: ...
@overload
def load(path: str | Path, *, engine: str, **params: Any) -> ReferenceGame: ...
def load(path: str | Path, *, engine: str = "native", **params: Any) -> ReferenceGame:
    """The game in a file: `gdl.load("pig.gdl", goal=20)`. Raises GameError.

    `path` may be the bare name of a game that comes with the program (see `games`), or `-` for standard
    input. The engine "native" plays by machine code, in floats; "reference" plays in exact fractions.

    >>> import gdl
    >>> game = gdl.load("pig", goal=20)
    >>> game.name, game.players, game.traits.zero_sum
    ('pig', ('first', 'second'), True)
    """
    return game_of(load_model(read_source(path), params), engine)


@overload
def loads(
    text: str, *, engine: Literal["native"] = "native", name: str = "<text>", **params: Any
) -> NativeGame: ...
@overload
def loads(text: str, *, engine: str, name: str = "<text>", **params: Any) -> ReferenceGame: ...
def loads(text: str, *, engine: str = "native", name: str = "<text>", **params: Any) -> ReferenceGame:
    """The game that a text describes; `name` is what diagnostics call the text. Raises GameError."""
    if not isinstance(text, str):
        raise GameError([say.cannot_read(repr(text), "it is no text")])
    return game_of(load_model(Source(name, text), params), engine)


def games() -> dict[str, Path]:
    """The games that come with the program: their names and where they are.

    >>> import gdl
    >>> gdl.games()["pig"].name
    'pig.gdl'
    """
    return {path.stem: path for path in sorted(data_directory("games").glob("*.gdl"))}


def load_model(source: Source, params: Mapping[str, Any] | None = None) -> Model:
    """The checked Model; raises GameError with every diagnostic where there are errors."""
    model, diagnostics = diagnose(source, params)
    if model is None:
        raise GameError(diagnostics)
    return model


def diagnose(
    source: Source, params: Mapping[str, Any] | None = None
) -> tuple[Model | None, tuple[Diagnostic, ...]]:
    """The Model, None where there are errors, and all that is to be said of the text."""
    from gdl.borrowing import read_whole
    from gdl.check import check

    whole = read_whole(source)
    if whole.mistakes and not whole.file.items:
        return None, sort_diagnostics(map(whole.traced, whole.mistakes))
    model, found = check(whole.file, params)
    found = tuple(map(whole.traced, with_mistakes(whole.mistakes, found)))
    return None if whole.mistakes else model, found


def with_mistakes(mistakes: tuple[Diagnostic, ...], found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """What the checker found in the items that could be read, together with why others could not."""
    if not mistakes:
        return found
    # What is missing may stand in an item that could not be read: say nothing of it.
    certain = (d for d in found if d.code not in _CAUSED_BY_BROKEN_ITEMS and d.severity is Severity.ERROR)
    return sort_diagnostics((*mistakes, *certain))


def mend(source: Source, params: Mapping[str, Any] | None = None) -> tuple[str, int]:
    """The text with all safe fixes made, those among them that come to light by others, and how many."""
    from gdl.diagnostics.fixes import apply

    text, mended = source.text, 0
    for _ in range(MOST_ROUNDS):
        current = Source(source.name, text, source.path)
        _, found = diagnose(current, params)
        own = (d for d in found if d.span is None or d.span.source is current)
        after, made = apply(text, (fix for d in own for fix in d.fixes[:1] if fix.safe))
        if not made:
            break
        text, mended = after, mended + made
    return text, mended


MOST_ROUNDS = 20
"""How often a text is mended again: a mistake hides others at most as often as blocks are nested."""

_CAUSED_BY_BROKEN_ITEMS = frozenset(
    ["E101", "E103", "E107", "E108", "E109", "E112", "E501", "E503", "E603", "E612", "E802", "E901", "E904"]
)


def game_of(model: Model, engine: str = "reference") -> ReferenceGame:
    """A playable game of a Model, on the exact reference engine or the native one."""
    if engine == "reference":
        from gdl.reference.engine import ReferenceGame

        return ReferenceGame(model)
    if engine == "native":
        from gdl.native.engine import NativeGame

        return NativeGame(model)
    raise ValueError(f"no engine {engine!r}: choose 'reference' or 'native'")


def fastest(model: Model) -> tuple[ReferenceGame, Diagnostic | None]:
    """The game on the native engine; where that cannot hold its numbers, on the reference engine with the
    reason."""
    from gdl.native.doubles import BeyondDoubles

    try:
        return game_of(model, "native"), None
    except BeyondDoubles as refused:
        return game_of(model, "reference"), refused.diagnostics[0]


def read_source(path: str | Path) -> Source:
    """The text of a game that somebody named. Raises GameError where it cannot be read."""
    if not isinstance(path, str | Path):
        raise GameError([say.cannot_read(repr(path), "it is neither the name of a game nor a path")])
    if str(path) == "-":
        return Source("<stdin>", decoded("<stdin>", sys.stdin.buffer.read()))
    file = find_game(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise GameError([say.cannot_read(str(path), error.strerror or str(error))]) from None
    return Source(str(path) if file == Path(path) else str(file), decoded(str(path), data), file)


def find_game(game: str | Path) -> Path:
    """The file of a game: as named, or one of the games that come with the program.

    Raises GameError with the nearest name if it is a bare one that nobody knows.
    """
    path = Path(game)
    if path.suffix or path.name != str(game) or _exists(path):
        return path
    known = games()
    if str(game) not in known:
        from gdl.diagnostics.commands import no_such_game

        raise GameError([no_such_game(str(game), list(known))])
    return known[str(game)]


def _exists(path: Path) -> bool:
    """Whether there is such a file; no if the system refuses to look, as at overlong names."""
    try:
        return path.exists()
    except OSError:
        return False
