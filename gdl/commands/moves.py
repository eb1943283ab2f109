"""`gdl moves`: the legal moves of a position, with what may come of each and how probably."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    MovesFirst,
    Params,
    StartsAt,
    load_game,
    number,
    print_facts,
    print_json,
    print_styled,
)
from gdl.diagnostics.wording.phrases import counted

if TYPE_CHECKING:
    from gdl.transition_table import Transition, Transitions, Way

ROWS = 60
"""Of a table; with more, the outcomes of a move are only counted, unless it is asked for by name."""


def moves(
    game: GameName,
    move: Annotated[
        str | None, typer.Argument(metavar="MOVE", help="Only this move, with all its outcomes.")
    ] = None,
    params: Params = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    turns: Annotated[
        bool,
        typer.Option("--turns", help="Whole turns: all that the mover does until chance or another decides."),
    ] = False,
    ranges: Annotated[
        bool,
        typer.Option(
            "--range", help="How little and how much a move may still pay, whatever everybody does."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """List the legal moves of a position with their outcomes: T(s, a, s').

    Each outcome has its probability as a fraction, what chance did, what changes in the position, and what
    is paid. Of a start that is drawn, all starts are listed. Where all outcomes of a move end the game, what
    it pays on average is written out as the sum that it is. The reference engine computes it, exactly.
    """
    from gdl.answers import params_of, position_of
    from gdl.transition_table import transitions

    described: Any = load_game(game, params)
    position = position_of(described, at, moves)
    if move is not None:
        if turns:
            raise typer.BadParameter("a turn is no single move", param_hint="--turns")
        start = described.initial() if position is None else ()
        if len(start) > 1:
            raise typer.BadParameter("the start is drawn at random: choose one with --at", param_hint="MOVE")
        wanted = described.format_move(described.parse_move(start[0].position if start else position, move))
    found = transitions(described, position, turns=turns, ranges=ranges)
    ways = found.ways if move is None else [way for way in found.ways if way.move == wanted]
    if as_json:
        print_json(
            {
                "game": described.name,
                "params": dict(params_of(described)),
                "position": None if position is None else described.format_position(position),
                "mover": found.mover,
                "turns": turns,
                "ways": [_data(way) for way in ways],
            }
        )
        return
    given = "".join(f", {name}={value}" for name, value in params_of(described))
    print_styled((described.name, "bold"), (given, ""))
    print_styled((f"  {_headline(found, move is not None)}", ""))
    if ways:
        _show(described, ways, whole=move is not None)
        decisions = ways if move is not None else found.decisions
        uncertain = [way for way in decisions if len(way.transitions) > 1]
        if len(uncertain) == 1:
            typer.echo(f"\n{uncertain[0].summary}")
        opposed = described.traits.zero_sum or described.traits.players == 1
        print_facts(list(_sums(uncertain, opposed)), "pays on average")
        spans = [(way.move, way.span) for way in ways if way.span is not None]
        print_facts(
            [(text, f"[{number(low)}, {number(high)}]") for text, (low, high) in spans],
            f"what {described.players[0]} can still get, whatever everybody does",
        )


def _headline(found: Transitions, single: bool) -> str:
    if found.mover is None:
        return "the game is over here"
    if found.mover == "chance":
        return f"chance decides, {counted(sum(len(way.transitions) for way in found.ways), 'outcome')}"
    if single:
        return f"{found.mover} to move"
    if found.turns:
        return f"{found.mover} to move, {counted(len(found.ways), 'way')} to play the turn"
    return f"{found.mover} to move, {counted(len(found.ways), 'move')}"


def _data(way: Way) -> dict[str, Any]:
    expected = way.expected
    return {
        "move": way.move,
        "outcomes": [
            {
                "probability": str(one.probability),
                "chance": one.chance or None,
                "changes": one.changes,
                "pays": None if one.pays is None else [str(paid) for paid in one.pays],
                "over": one.over,
            }
            for one in way.transitions
        ],
        "expected": None if expected is None else [str(part) for part in expected],
        "range": None if way.span is None else [str(end) for end in way.span],
    }


def _show(game: Any, ways: Sequence[Way], whole: bool) -> None:
    from gdl.diagnostics.facts import table_lines

    many = sum(len(way.transitions) for way in ways) > ROWS and not whole and len(ways) > 1
    opposed = game.traits.zero_sum or game.traits.players == 1
    rows: list[list[str]] = []
    for way in ways:
        if many and len(way.transitions) > 1:
            rows.append([way.move, "", way.summary, "", ""])
            continue
        for k, one in enumerate(way.transitions):
            rows.append(["" if k else way.move, *_cells(one, opposed)])
    headings = ["move", "T", "chance", "changes", f"pays {game.players[0]}" if opposed else "pays"]
    shown = [k for k in range(len(headings)) if k < 2 or any(row[k] for row in rows)]
    typer.echo()
    for line in table_lines(
        [headings[k] for k in shown], [[row[k] for k in shown] for row in rows], numbers=("T",)
    ):
        print_styled(*line)


def _cells(one: Transition, opposed: bool) -> list[str]:
    return [str(one.probability), one.chance, one.changes, _paid(one.pays, opposed)]


def _paid(pays: Sequence[Any] | None, opposed: bool) -> str:
    if pays is None:
        return ""
    return number(pays[0]) if opposed else f"({', '.join(map(number, pays))})"


def _sums(ways: Sequence[Way], opposed: bool) -> Iterator[tuple[str, str]]:
    """Where all outcomes end the game: `1/2·8 + 1/3·24 + 1/6·(-12) = 10`."""
    from solvers.core.numbers import show

    for way in ways:
        if way.expected is None:
            continue
        if not opposed:
            yield way.move, _paid(way.expected, opposed)
            continue
        paid = [(one.probability, one.pays[0] if one.pays else 0) for one in way.transitions]
        terms = [f"{share}·{part if part >= 0 else f'({part})'}" for share, part in paid]
        yield way.move, f"{' + '.join(terms)} = {show(way.expected[0])}"
