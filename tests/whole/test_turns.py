"""Solving by turns: the same values as over all positions, whichever variables tell where turns end."""

from __future__ import annotations

from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.paths import data_directory
from solvers.core.refusal import Refusal
from solvers.files import tablebase
from solvers.registry import choose
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.solve import Settings, Solved, solve_whole
from solvers.whole.kernels.turns.finding_rests import find_rests, why_not
from solvers.whole.kernels.turns.rests import Rests, rests_of
from tests.generate import game_of_seed

MOST_POSITIONS = 10_000

SMALLER: dict[str, dict[str, Any]] = {
    "pig": {"goal": 6},
    "royal_game_of_ur": {"pieces": 1},
    "yahtzee": {"from_box": 12, "to_box": 12},
}
"""Parameters that bring games within reach."""


GAMES = sorted(data_directory("games").glob("*.gdl"))


def solved_by(game: Any, rests: Rests, **settings: Any) -> Solved:
    return solve_whole(game, choose(game)[0], settings=Settings(rests=rests, **settings))


def ways_to_tell(game: Any, whole: Solved) -> list[Rests]:
    """One and two variables, as they are at the start and half way through."""
    compiled = game.compiled
    names = [name for name, _, bits in compiled.fields if bits]
    positions = [
        game.initial()[0].position,
        next(islice(whole.values.positions(), len(whole.values) // 2, None)),
    ]
    return [
        rests_of(compiled, chosen, np.frombuffer(compiled.key(position), np.uint64))
        for size in (1, 2)
        for chosen in combinations(names[:5], size)
        for position in positions
    ]


def compare(game: Any) -> int:
    """Solves a game by turns in every way that works; how many those are."""
    try:
        solver = choose(game)[0]
        if solver not in ("backward_induction", "value_iteration") or why_not(game) is not None:
            return 0
        whole = solve_whole(game, solver, settings=Settings(limit=MOST_POSITIONS))
    except (Refusal, GameError):  # too large, or its rules break
        return 0
    compared = 0
    for rests in ways_to_tell(game, whole):
        try:
            solved = solved_by(game, rests)
        except Refusal as refusal:
            assert "turn" in refusal.reason
            continue
        compared += 1
        assert len(solved.values) <= len(whole.values)
        for position in islice(whole.values.positions(), 0, None, 1 + len(whole.values) // 300):
            here, there = solved.values.value(position), whole.values.value(position)
            assert here is not None and there is not None
            for ours, theirs in zip(here, there, strict=True):
                assert ours.low is not None and ours.high is not None
                assert theirs.low is not None and theirs.high is not None
                assert ours.low <= theirs.high + 1e-12, (rests, game.format_position(position))
                assert theirs.low <= ours.high + 1e-12, (rests, game.format_position(position))
                assert ours.high - ours.low <= 2e-9
    return compared


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_same_values_as_over_all_positions(path: Path) -> None:
    ways = compare(gdl.load(path, engine="native", **SMALLER.get(path.stem, {})))
    if path.stem in ("royal_game_of_ur", "yahtzee"):
        assert ways >= 3
    elif not ways:
        pytest.skip("not solved by turns")


def test_the_same_values_in_generated_games() -> None:
    compared = 0
    for seed in range(400):
        compared += compare(gdl.loads(game_of_seed(seed), engine="native"))
        if compared >= 100:
            return
    pytest.fail(f"only {compared} ways compared: the generator draws too few games that are solved by turns")


# ------------------------------------------------------------------------------- where turns end


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("hypergammon", {"left"}),
        ("yahtzee", {"dice", "rolls"}),
        ("royal_game_of_ur", {"roll"}),
        ("pig", None),  # one may go on rolling with a full pot
        ("tictactoe", None),
    ],
)
def test_what_is_put_away_tells(name: str, variables: set[str] | None) -> None:
    found = find_rests(gdl.load(name, engine="native"))
    assert (None if found is None else set(found.rests.variables)) == variables


def test_a_turn_that_does_not_end_is_refused() -> None:
    game = gdl.load("pig", engine="native", goal=6)
    start = np.frombuffer(game.compiled.key(game.initial()[0].position), np.uint64)  # type: ignore[attr-defined]
    with pytest.raises(Refusal, match=r"come back .* within a turn, with `pot` telling"):
        solved_by(game, rests_of(game.compiled, ["pot"], start))  # type: ignore[attr-defined]


def test_more_than_two_players_are_refused() -> None:
    text = (
        "game three\nplayers: a, b, c\nposition:\n    x: 0..3 = 0\n    turn: player = a\nplayer: turn\n"
        "move add:\n    x += 1\n    turn = next(turn)\nterminal: x == 3\nutility(p): x if p == a else 0\n"
    )
    game = gdl.loads(text, engine="native")
    start = np.zeros(game.compiled.key_words, np.uint64)  # type: ignore[attr-defined]
    with pytest.raises(Refusal, match="neither for one player nor for two"):
        solved_by(game, rests_of(game.compiled, ["turn"], start))  # type: ignore[attr-defined]


TWO_THROWS = """
game two_throws
players: one
position:
    x: 0..{most} = 0
    y: 0..{most} = 0
    done: bool
player: chance
move throw when x == 0:
    x ~ 1..{most}
move again when x > 0:
    y ~ 1..{most}
    done = true
terminal: done
utility: {most} * x + y
"""


@pytest.mark.parametrize("most", [3, 90])
def test_turns_outgrow_the_room_for_them(most: int) -> None:
    """8,190 positions in one turn, all 8,100 ends of different value: the mean is exact by hand."""
    game = gdl.loads(TWO_THROWS.format(most=most), engine="native")
    start = np.zeros(game.compiled.key_words, np.uint64)  # type: ignore[attr-defined]
    solved = solved_by(game, rests_of(game.compiled, ["done", "x"], start))  # type: ignore[attr-defined]
    assert len(solved.values) == 1
    assert solved.statistics.inside == 1 + most + most**2
    assert solved.result.values[0] is not None
    assert solved.result.values[0].number == pytest.approx((most + 1) * (most + 1) / 2, abs=1e-9)


# ------------------------------------------------------------------------------------ known values


def by_turns(name: str, **params: Any) -> float:
    game = gdl.load(name, engine="native", **params)
    found = find_rests(game)
    assert found is not None
    value = solved_by(game, found.rests).result.values[0]
    assert value is not None
    return float(value.number)


@pytest.mark.parametrize(
    ("name", "params", "value"),
    [
        ("hypergammon", {"men": 1}, 0.3142563394573575),  # the independent program of tests/games
        (
            "royal_game_of_ur",
            {"pieces": 1},
            2 * 0.530049839525 - 1,
        ),  # an independent program: header of the game
        ("royal_game_of_ur", {"pieces": 2}, 2 * 0.518572907496 - 1),
        ("yahtzee", {"from_box": 12, "to_box": 12}, 50 * 347897 / 7558272),
        ("yahtzee", {"from_box": 12, "to_box": 13}, 27.33755844197793),  # the independent program
    ],
)
def test_known_values(name: str, params: dict[str, Any], value: float) -> None:
    assert by_turns(name, **params) == pytest.approx(value, abs=2e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "params", "value"),
    [
        ("hypergammon", {"men": 2}, 0.1133299672859209),
        ("yahtzee", {"from_box": 6, "to_box": 12}, 130.84492076902572),
    ],
)
def test_known_values_of_larger_games(name: str, params: dict[str, Any], value: float) -> None:
    assert by_turns(name, **params) == pytest.approx(value, abs=2e-9)


# ------------------------------------------------------------------------------- threads and files


@pytest.mark.parametrize("partitions", [2, 4])
def test_partitions_do_not_matter(partitions: int) -> None:
    game = gdl.load("hypergammon", engine="native", men=1)
    found = find_rests(game)
    assert found is not None
    one, many = (solved_by(game, found.rests, partitions=count) for count in (1, partitions))
    assert one.statistics.positions == many.statistics.positions
    assert one.statistics.inside == many.statistics.inside
    for position in islice(one.values.positions(), 0, None, 7):
        here, there = one.lookup.values(position)[0], many.lookup.values(position)[0]
        assert float(here.number) == pytest.approx(float(there.number), abs=1e-9)


@pytest.mark.parametrize(("name", "params"), [("hypergammon", {"men": 1}), ("yahtzee", {"from_box": 12})])
def test_a_tablebase_of_rests_values_what_lies_between(
    name: str, params: dict[str, Any], tmp_path: Path
) -> None:
    game = gdl.load(name, engine="native", **params)
    found = find_rests(game)
    assert found is not None
    solved = solved_by(game, found.rests)
    path = tmp_path / "game.table"
    tablebase.save(solved, path)
    table = tablebase.Tablebase.open(path, game)
    assert len(table) == len(solved.values)
    start: Any = game.initial()[0].position
    for position in [start, *_following(game, start)]:
        assert table.value(position) == solved.values.value(position)


def _following(game: Any, position: Any) -> list[Any]:
    return [outcome.position for move in game.moves(position) for outcome in game.outcomes(position, move)]


def test_going_on_from_a_checkpoint_gives_the_same(tmp_path: Path) -> None:
    game = gdl.load("royal_game_of_ur", engine="native", pieces=1)
    found = find_rests(game)
    assert found is not None
    straight = solved_by(game, found.rests)
    path = tmp_path / "ur.checkpoint"

    class Stop(Exception):
        pass

    def stop(what: str, share: float) -> None:
        if "sweep 10" in what:
            raise Stop

    with pytest.raises(Stop):
        solved_by(game, found.rests, checkpoint=Checkpoint(path, every=0.0), solving=stop)
    resumed = solved_by(game, found.rests, checkpoint=Checkpoint(path, resume=True))
    assert resumed.result.values == straight.result.values
    assert resumed.statistics.updates <= straight.statistics.updates


def test_a_checkpoint_of_rests_is_none_of_all_positions(tmp_path: Path) -> None:
    game = gdl.load("royal_game_of_ur", engine="native", pieces=1)
    found = find_rests(game)
    assert found is not None
    path = tmp_path / "ur.checkpoint"
    solved_by(game, found.rests, checkpoint=Checkpoint(path, every=0.0))
    with pytest.raises(GameError, match="holds other positions"):
        solve_whole(game, "value_iteration", settings=Settings(checkpoint=Checkpoint(path, resume=True)))
    solve_whole(game, "value_iteration", settings=Settings(checkpoint=Checkpoint(path, every=0.0)))
    with pytest.raises(GameError, match="holds other positions") as refused:
        solved_by(game, found.rests, checkpoint=Checkpoint(path, resume=True))
    assert refused.value.diagnostics[0].hint == "go on with --no-turns"
