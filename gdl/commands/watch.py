"""`gdl watch`: checks and tests a game whenever its file is saved, and says what changed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    STANDARD_INPUT,
    GameName,
    Json,
    Params,
    load_checked,
    print_styled,
)
from gdl.commands.info import bits, position_bound, shown_bound

if TYPE_CHECKING:
    from gdl.diagnostics import Diagnostic
    from gdl.expectations import Verdict
    from gdl.model.nodes import Model

EVERY = 0.2
"""Seconds between two looks at the file."""

SMALL = 12
"""Games with hidden information of 2 to this many positions at most are solved for their value."""


def watch(
    game: GameName,
    params: Params = None,
    seconds: Annotated[
        float,
        typer.Option("--time", metavar="S", min=0.01, help="Search so long for the value after a save."),
    ] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Look once, and leave.")] = False,
    as_json: Json = False,
) -> None:
    """Check and test a game on every save, and say what changed.

    Shows the mistakes, tests the `expect` lines that are not slow, and compares class, size and value with
    those before the save. The value is exact where the game is small, else what is known after so many
    seconds. With --json every save is a line of JSON. Ctrl-C ends it.
    """
    from gdl.loading import find_game

    if game == STANDARD_INPUT:
        raise typer.BadParameter("standard input cannot be watched: name a file", param_hint="GAME")
    before: _Look | None = None
    for _ in _saves(find_game(game), once):
        now = _look(game, params, seconds)
        changes = [] if before is None else _changes(before, now)
        if as_json:
            _print_line(now, changes)
        else:
            _show(now, changes, first=before is None)
        before = now if now.facts or before is None else _broken(before, now)
    if once and before is not None and not before.ok:
        raise typer.Exit(1)


def _saves(path: Path, once: bool) -> Iterator[None]:
    """Once at the beginning, then whenever the file is another one. That it is gone for a moment, as with
    editors that write a new file and rename it, is no save."""
    known = _stamp(path)
    yield
    while not once:
        time.sleep(EVERY)
        stamp = _stamp(path)
        if stamp is not None and stamp != known:
            known = stamp
            yield


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


# ------------------------------------------------------------------------ one look


@dataclass(frozen=True)
class _Look:
    """What is to be said of one version of the file; no facts where it has mistakes."""

    diagnostics: tuple[Diagnostic, ...]
    facts: dict[str, str] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.facts) and all(verdict.status != "failed" for verdict in self.verdicts)


def _look(game: str, params: list[str] | None, seconds: float) -> _Look:
    from gdl.diagnostics import GameError

    try:
        model = load_checked(game, params)
    except GameError as error:
        return _Look(error.diagnostics)
    from gdl.expectations import examine_all

    facts = {
        "class": model.traits.class_of_game,
        "size": f"{bits(model)} bits, {shown_bound(position_bound(model))} positions",
        "cost" if model.traits.minimise else "value": _worth(model, seconds),
    }
    return _Look(model.warnings, facts, tuple(examine_all(model, slow=False)))


def _worth(model: Model, seconds: float) -> str:
    """What the game is worth to each player, or costs, as far as it is known in a moment."""
    from gdl.diagnostics import GameError
    from gdl.loading import fastest
    from gdl.searching import search
    from gdl.solving import solve
    from solvers.core.numbers import show_rough

    try:
        described, _ = fastest(model)
        small = position_bound(model) < SMALL
        result = solve(described) if model.traits.hidden and small else search(described, time=seconds)
    except GameError as error:
        return f"not known: {error.diagnostics[0].message}"
    shown = []
    sign = -1 if model.traits.minimise else 1
    for player, value in zip(described.players, result.values, strict=False):
        if value is None:
            continue
        text = show_rough(sign * value.number, 6)
        if value.kind == "bounded":
            low, high = sorted(sign * end for end in (value.low, value.high) if end is not None)
            text = f"{show_rough(low, 6)} to {show_rough(high, 6)}"
        elif value.kind == "estimate":
            text = f"about {show_rough(sign * value.number, 2)}"
        shown.append(f"{player} {text}")
    return ", ".join(shown)


def _broken(before: _Look, now: _Look) -> _Look:
    """The version before with the mistakes of now: what changes is told once they are mended."""
    return _Look(now.diagnostics, before.facts, before.verdicts)


def _changes(before: _Look, now: _Look) -> list[str]:
    if not now.facts:
        return []
    found = [
        f"{name}: {before.facts[name]} → {text}"
        for name, text in now.facts.items()
        if before.facts and before.facts[name] != text
    ]
    earlier = {verdict.expectation.text: verdict.status.value for verdict in before.verdicts}
    for verdict in now.verdicts:
        was, text = earlier.get(verdict.expectation.text), verdict.expectation.text
        if was is not None and was != verdict.status.value:
            found.append(f"{text}: {was} → {verdict.status.value}")
    return found


# --------------------------------------------------------------------------- words


def _show(now: _Look, changes: list[str], first: bool) -> None:
    from gdl.diagnostics.render import print_diagnostics

    print_styled((time.strftime("%H:%M:%S"), "dim"))
    if now.diagnostics:
        sys.stdout.flush()
        print_diagnostics(now.diagnostics, sys.stderr)
    if not now.facts:
        return
    if first:
        for name, text in now.facts.items():
            print_styled((f"  {name:<7}", "cyan"), (text, ""))
    for change in changes:
        print_styled(("  changed ", "bold yellow"), (change, ""))
    if not first and not changes:
        print_styled(("  class, size and value are as before", "dim"))
    failed = [verdict for verdict in now.verdicts if verdict.status == "failed"]
    for verdict in failed:
        sys.stdout.flush()
        print_diagnostics(verdict.diagnostics, sys.stderr)
    passed = sum(verdict.status == "passed" for verdict in now.verdicts)
    said = f"  {passed} of {len(now.verdicts)} expectations hold" if now.verdicts else "  nothing is expected"
    print_styled((said, "bold red" if failed else "green"))
    sys.stdout.flush()


def _print_line(now: _Look, changes: list[str]) -> None:
    from solvers.core.numbers import to_json

    data: dict[str, Any] = {
        "ok": now.ok,
        "diagnostics": [diagnostic.as_data() for diagnostic in now.diagnostics],
        **now.facts,
        "verdicts": [verdict.as_data() for verdict in now.verdicts],
        "changes": changes,
    }
    typer.echo(to_json(data))
    sys.stdout.flush()
