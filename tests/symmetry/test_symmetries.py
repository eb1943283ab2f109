"""Symmetries are proven, and whoever uses them gets the same values."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import TERMINAL, Compiled
from gdl.symmetry import symmetries
from gdl.symmetry.grounding import MayBreak, TooLarge, ground
from solvers.registry import ways_to_solve
from solvers.views.symmetric import Symmetric
from solvers.whole.kernels.solve import Settings, solve_whole
from tests.generate import game_of_seed
from tests.symmetry.meaning import atoms_in, moved, played, position_of, told

# How many positions there are, and how many are left. Counted by a trial outside this project.
KNOWN = {
    ("tictactoe", ()): (5_478, 765, 8),
    ("three_mens_morris", ()): (5_390, 744, 8),
    ("othello", (("size", 4),)): (62_789, 14_401, 8),
    ("nim", (("heap1", 9), ("heap2", 10), ("heap3", 11), ("heap4", 12))): (34_304, 3_392, 24),
}

SOME = [
    "tictactoe",
    "misere_tictactoe",
    "three_mens_morris",
    "nim",
    "sim",
    "chomp",
    "kayles",
    "wythoff",
    "pig",
    "gridworld",
    "bins",
    "inc_and_square",
    "halving",
    "three_players",
    "prisoners_dilemma",
]
SMALLER: list[tuple[str, dict[str, Any]]] = [
    ("connect_four", {"width": 4, "height": 4}),
    ("othello", {"size": 4}),
    ("hex", {"rows": 3, "cols": 3}),
    ("tictactoe_3d", {"size": 2}),
    ("domineering", {"rows": 3, "cols": 4}),
    ("breakthrough", {"rows": 4, "cols": 3, "pawn_rows": 1}),
    ("gomoku", {"rows": 3, "cols": 3}),
    ("quoridor", {}),
    ("dots_and_boxes", {}),
    ("royal_game_of_ur", {}),
]


def games() -> list[Any]:
    return [pytest.param(name, {}, id=name) for name in SOME] + [
        pytest.param(name, params, id=name) for name, params in SMALLER
    ]


def walk(game: Any, random: Random, plays: int, longest: int = 40) -> Any:
    """Positions of random plays."""
    for _ in range(plays):
        position = random.choice(game.initial()).position
        for _ in range(longest):
            yield position
            if game.to_move(position) == TERMINAL:
                break
            move = random.choice(list(game.moves(position)))
            position = random.choice(game.outcomes(position, move)).position


@pytest.mark.parametrize(("name", "params"), games())
def test_the_rules_written_out_mean_what_the_reference_engine_does(name: str, params: dict[str, Any]) -> None:
    game: Any = gdl.load(name, engine="reference", **params)
    _compare(game, Random(name), plays=3)


@pytest.mark.parametrize("seed", range(60))
def test_the_rules_of_generated_games_written_out(seed: int) -> None:
    game: Any = gdl.loads(game_of_seed(seed, faults=False), engine="reference")
    _compare(game, Random(seed), plays=4)


def _compare(game: Any, random: Random, plays: int) -> None:
    try:
        written = ground(game.model)
    except (TooLarge, MayBreak):
        pytest.skip("not written out")
    for position in walk(game, random, plays):
        assert told(written, atoms_in(game, position)) == played(game, position)


@pytest.mark.parametrize(("name", "params"), games())
def test_what_is_proven_holds_in_play(name: str, params: dict[str, Any]) -> None:
    game: Any = gdl.load(name, engine="reference", **params)
    _hold(game, Random(name))


@pytest.mark.parametrize("seed", range(60))
def test_what_is_proven_of_generated_games_holds_in_play(seed: int) -> None:
    game: Any = gdl.loads(game_of_seed(seed, faults=False), engine="reference")
    _hold(game, Random(seed))


def _hold(game: Any, random: Random) -> None:
    found = symmetries(game.model)
    if not found.generators and not found.swaps:
        pytest.skip("no symmetry")
    written = ground(game.model)
    positions = list(walk(game, random, plays=3))
    for permutation in [*found.group[1:], *found.swaps]:
        for position in random.sample(positions, min(len(positions), 12)):
            image = position_of(game, moved(written, permutation, atoms_in(game, position)))
            mover, what = played(game, position)
            image_mover, image_what = played(game, image)
            if mover == TERMINAL:
                assert image_mover == TERMINAL
                assert tuple(image_what[p] for p in permutation.players) == what
                continue
            assert image_mover == (mover if mover < 0 else permutation.players[mover])
            assert image_what == _image(written, permutation, what)


def _image(written: Any, permutation: Any, what: Any) -> Any:
    result = type(what)()
    for (weight, outcomes), count in what.items():
        there = frozenset(
            (
                (
                    tuple(moved(written, permutation, list(after))),
                    tuple(paid[permutation.players.index(p)] for p in range(len(paid))),
                ),
                probability,
            )
            for (after, paid), probability in outcomes
        )
        result[weight, there] += count
    return result


@pytest.mark.parametrize(("name", "params"), KNOWN)
def test_how_many_positions_are_left(name: str, params: tuple[tuple[str, int], ...]) -> None:
    game = gdl.load(name, **dict(params))
    positions, left, group = KNOWN[name, params]
    assert game.compiled.symmetries() == group  # type: ignore[attr-defined]
    for solver, _ in ways_to_solve(game):
        try:
            full = solve_whole(game, solver, settings=Settings(partitions=1))
            break
        except gdl.Refusal:
            continue
    reduced = solve_whole(Symmetric(game), full.result.solver, settings=Settings(partitions=1))
    assert (full.statistics.positions, reduced.statistics.positions) == (positions, left)
    for position in full.values.positions():
        assert reduced.values.value(position) == full.values.value(position)
        assert reduced.values.distance(position) == full.values.distance(position)


def test_what_only_looks_like_a_symmetry_is_refused() -> None:
    """On random positions both of these looked right to a trial outside this project."""
    hexed = symmetries(gdl.load("hex", engine="reference", rows=3, cols=3).model)
    assert not hexed.swaps
    assert "players swapped" in [tried.name for tried, _ in hexed.refused]
    layers = symmetries(gdl.load("tictactoe_3d", engine="reference", size=3).model)
    assert len(layers.group) == 48
    broken = {tried.name: why.part for tried, why in layers.refused}
    assert broken["0 for 1 of 0..2"] == "terminal"


def test_the_line_that_breaks_it_is_named() -> None:
    text = """
game corner
players: a, b
type Cell = grid(3, 3)
position:
    board[Cell]: {empty} | player = empty
    turn: player = a
player: turn
move place(c: Cell) when board[c] == empty:
    board[c] = turn
    turn = next(turn)
terminal: board[a1] != empty or all(board[c] != empty for c in Cell)
utility: 0 if board[a1] == empty else 1 if board[a1] == a else -1
"""
    found = symmetries(gdl.loads(text, engine="reference").model)
    assert [part.name for part in found.generators] == ["Cell: mirrored in the diagonal"]
    tried, why = found.refused[0]
    assert (tried.name, why.part) == ("Cell: columns mirrored", "terminal")
    assert text[why.span.start :].startswith("terminal") or "board[a1]" in text[why.span.start : why.span.end]


@pytest.mark.parametrize("seed", range(40))
def test_generated_games_have_the_same_values(seed: int) -> None:
    game: Any = gdl.loads(game_of_seed(seed, faults=False))
    traits = game.traits
    if traits.hidden or not (traits.players == 1 or traits.zero_sum) or game.compiled.symmetries() == 1:
        pytest.skip("nothing to compare")
    full = solve_whole(game, "value_iteration", settings=Settings(partitions=1, limit=20_000))
    reduced = solve_whole(Symmetric(game), "value_iteration", settings=Settings(partitions=1))
    assert reduced.statistics.positions <= full.statistics.positions
    for position in full.values.positions():
        one, other = full.values.value(position), reduced.values.value(position)
        assert one is not None and other is not None
        assert other[0].number == pytest.approx(one[0].number, abs=1e-8)


def test_the_canonical_key_is_the_least_of_all_keys() -> None:
    game: Any = gdl.load("othello", size=4)
    reference: Any = gdl.load("othello", engine="reference", size=4)
    written = ground(game.model)
    group = symmetries(game.model).group
    for position in walk(reference, Random(7), plays=4):
        atoms = atoms_in(reference, position)
        keys = [game.compiled.key(position_of(reference, moved(written, g, atoms))) for g in group]
        least = min(
            keys, key=lambda key: [int.from_bytes(key[k : k + 8], "little") for k in range(0, len(key), 8)]
        )
        assert game.compiled.canonical_key(position) == least


def test_asking_what_a_game_is_looks_for_no_symmetries(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may take seconds: a search that uses none does not wait for them."""

    def looked(model: object) -> None:
        raise AssertionError("nobody asked for symmetries")

    monkeypatch.setattr("gdl.native.compiled.symmetries", looked)
    game = gdl.load("connect_four", width=4, height=4)
    assert isinstance(game.compiled, Compiled)  # type: ignore[attr-defined]
    assert gdl.search(game, time=0.1).moves
    with pytest.raises(AssertionError):
        game.compiled.symmetries()  # type: ignore[attr-defined]
