"""`gdl explore`: everything that can happen in a game, up to a limit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Engine,
    EngineName,
    GameName,
    Json,
    Params,
    console,
    load_game,
    number,
    print_facts,
    print_json,
    print_styled,
)
from gdl.commands.solutions import branching_shown, information_sets_shown
from gdl.diagnostics.wording.phrases import counted
from gdl.model.parameters import parameters, parameters_shown

if TYPE_CHECKING:
    from gdl.diagnostics import Diagnostic, GameError
    from gdl.exploration import Exploration, InformationSets, Violation
    from gdl.game import Game


def explore(
    game: GameName,
    params: Params = None,
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", min=1, help="Stop after about so many positions.")
    ] = 100_000,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", min=0, help="Do not look further than so many moves."),
    ] = None,
    engine: EngineName = Engine.REFERENCE,
    as_json: Json = False,
) -> None:
    """Visit all reachable positions and look for broken rules.

    Counts positions and plays by depth, and final positions by utility. A rule that breaks is shown with the
    shortest play that leads to it, and makes the exit code 1. With --engine native positions are counted in
    machine code, a million a second and more, and time and memory are shown instead of plays.
    """
    from gdl.diagnostics import GameError
    from gdl.diagnostics.render import print_diagnostics

    described = load_game(game, params, engine)
    if engine is Engine.NATIVE:
        from gdl.commands.native_counts import show_native_counts

        try:
            show_native_counts(described, positions, depth, as_json)
            return
        except GameError as error:
            if any(d.code.startswith("R") for d in error.diagnostics):
                raise  # it does not fit; no rule is broken
            # A rule is broken: below, the shortest play that leads there is found.
    found = _with_progress(described, positions, depth)
    known, broken = _information(described, positions) if found.complete else (None, None)
    if as_json:
        print_json({**_as_data(described, found), **_information_data(described, known, broken)})
    else:
        _show(described, found, known, broken)
        if broken is not None:
            sys.stdout.flush()
            print_diagnostics(broken.diagnostics, sys.stderr)
        for violation in found.violations:
            sys.stdout.flush()
            print_diagnostics(
                [_with_trace(described, violation, d) for d in violation.diagnostics], sys.stderr
            )
    if found.violations or broken is not None:
        raise typer.Exit(1)


def _information(game: Game[Any, Any], limit: int) -> tuple[InformationSets | None, GameError | None]:
    """The information sets of a game in which something is hidden, or what is wrong with them."""
    from gdl.exploration import information_sets
    from solvers.hidden.consistency import Inconsistent

    if not game.traits.hidden:
        return None, None
    try:
        return information_sets(game, limit=10 * limit), None
    except Inconsistent as broken:
        return None, broken


def _information_data(
    game: Game[Any, Any], known: InformationSets | None, broken: GameError | None
) -> dict[str, Any]:
    return {
        "information_sets": None if known is None else dict(zip(game.players, known.counts, strict=True)),
        "histories": None if known is None else known.histories,
        "information_broken": [] if broken is None else [d.as_data() for d in broken.diagnostics],
    }


def _with_progress(game: Game[Any, Any], positions: int, depth: int | None) -> Exploration[Any, Any]:
    from gdl.exploration import explore as explore_game

    if not sys.stderr.isatty():
        return explore_game(game, max_positions=positions, max_depth=depth)
    with console(stderr=True).status("exploring …") as status:

        def watch(found: int, waiting: int, deep: int) -> None:
            status.update(f"exploring: {found:,} positions, {waiting:,} to go, depth {deep}")

        return explore_game(game, max_positions=positions, max_depth=depth, watch=watch)


def _with_trace(game: Game[Any, Any], violation: Violation[Any, Any], diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with the play that leads to it."""
    if violation.start is None:
        return diagnostic
    lines = [game.format_position(violation.start)]
    lines += [
        f"{game.format_move(move)}  ->  {game.format_position(after)}" for move, after in violation.path
    ]
    if violation.move is not None:
        lines.append(f"{game.format_move(violation.move)}  ->  fails")
    return replace(diagnostic, context=(*diagnostic.context, ("shortest play", "\n".join(lines))))


def _show(
    game: Game[Any, Any],
    found: Exploration[Any, Any],
    known: InformationSets | None,
    broken: GameError | None,
) -> None:
    print_styled((game.name, "bold"), (parameters_shown(game.model), ""))  # type: ignore[attr-defined]
    rows = [("moves", "plays", "positions", "new positions")]
    for depth in range(max(len(found.perft), len(found.first_met))):
        plays, distinct, new = (
            _at(counts, depth) for counts in (found.perft, found.distinct, found.first_met)
        )
        rows.append((str(depth), plays, distinct, new))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number_, row in enumerate(rows):
        cells = (f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        print_styled(("  " + "   ".join(cells), "" if number_ else "bold"))
    facts = [*_facts(game, found, broken), *_information_facts(game, known, broken, found.repeats)]
    print_facts(facts, "found")


def _information_facts(
    game: Game[Any, Any], known: InformationSets | None, broken: GameError | None, repeats: bool | None
) -> Iterator[tuple[str, str]]:
    if known is not None:
        yield "information sets", information_sets_shown(game.players, known)
        who = "moves follow from what players know" + (
            ", and so does whose turn it is" if known.turns else ""
        )
        yield "what is hidden", who
    elif broken is not None:
        yield "information sets", "broken: two plays that a player cannot tell apart show it"
    elif game.traits.hidden and repeats:
        yield "information sets", "no end of them, since a play can come back to a position"


def _at(counts: tuple[int, ...], depth: int) -> str:
    return f"{counts[depth]:,}" if depth < len(counts) else ""


def _facts(
    game: Game[Any, Any], found: Exploration[Any, Any], information: GameError | None
) -> Iterator[tuple[str, str]]:
    """What was found, in words."""
    seen = "" if found.complete else " seen; there are more" if not found.violations else " seen"
    yield "positions", f"{found.positions:,}{seen}"
    for utility, count in sorted(found.terminal.items(), reverse=True):
        shares = ", ".join(f"{player} {number(u)}" for player, u in zip(game.players, utility, strict=True))
        yield "final positions", f"{count:,} with {shares}"
    if found.branching:
        least, mean, most = found.branching.least, found.branching.mean, found.branching.most
        yield "legal moves", branching_shown(least, mean, most)
    repeats = {True: "a play can come back to a position", False: "no play comes back to a position"}
    yield "repetition", repeats.get(found.repeats, "none seen so far")  # type: ignore[arg-type]
    if found.longest is not None:
        yield "longest play", counted(found.longest, "move")
    if found.plays is not None:
        yield "complete plays", f"{found.plays:,}"
    broken = len(found.violations) + (information is not None)
    yield "broken rules", f"{broken}" if broken else "none" if found.complete else "none so far"


def _as_data(game: Game[Any, Any], found: Exploration[Any, Any]) -> dict[str, Any]:
    return {
        "game": game.name,
        "params": parameters(game.model),  # type: ignore[attr-defined]
        "complete": found.complete,
        "positions": found.positions,
        "perft": found.perft,
        "distinct": found.distinct,
        "first_met": found.first_met,
        "terminal": [
            {"utility": [str(u) for u in utility], "positions": count}
            for utility, count in sorted(found.terminal.items(), reverse=True)
        ],
        "branching": found.branching
        and {"least": found.branching.least, "mean": found.branching.mean, "most": found.branching.most},
        "repeats": found.repeats,
        "longest": found.longest,
        "plays": found.plays,
        "violations": [
            {
                "diagnostics": [d.as_data() for d in violation.diagnostics],
                "start": None if violation.start is None else game.format_position(violation.start),
                "play": [
                    {"move": game.format_move(move), "position": game.format_position(position)}
                    for move, position in violation.path
                ],
                "move": None if violation.move is None else game.format_move(violation.move),
            }
            for violation in found.violations
        ],
    }
