"""Games with hidden information in which plays may go round for ever: they are refused."""

from __future__ import annotations

import pytest

import gdl
import solvers
from gdl.exploration import information_sets
from solvers.core.refusal import Refusal
from solvers.hidden.endless import Endless
from solvers.hidden.game_tree import game_tree
from solvers.hidden.kernels.histories import sequence_form
from solvers.hidden.sizing import histories

WAITING = """
game waiting
players: hider, seeker
type Side = {left, right}
position:
    coin: Side visible to hider
    called: Side?
    turn: player = hider
initial:
    coin ~ Side
player: turn
move wait:
    turn = next(turn)
move call(s: Side) when turn == seeker:
    called = s
terminal: called is not none
utility: -1 if called == coin else 1
"""

LATE = """
game late
players: hider, seeker
position:
    coin: bool visible to hider
    steps: 0..41 = 0
    turn: player = hider
initial:
    coin ~ bool
player: turn
move on when steps < 41:
    steps = steps + 1 if steps < 40 else 38 if coin else 41
    turn = next(turn)
terminal: steps == 41
utility: 1 if coin else -1
"""
"""Goes on to 40 in one line; there it goes back to 38 where the coin shows heads: the same player is to move
there again after two rounds."""


@pytest.mark.parametrize(
    "text, moves",
    [(WAITING, "the moves wait, wait lead"), (LATE, "the moves on, on, on, on, on, on lead")],
    ids=["waiting", "late"],
)
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_walks_refuse(text: str, moves: str, engine: str) -> None:
    game = gdl.loads(text, engine=engine)
    for walk in (game_tree, sequence_form, histories):
        with pytest.raises(Endless) as raised:
            walk(game)
        assert raised.value.code == "R002" and moves in str(raised.value)


@pytest.mark.parametrize("solver", [None, "cfr", "mccfr", "sequence_form"])
def test_solving_refuses(solver: str | None) -> None:
    with pytest.raises(Refusal, match="waiting"):
        gdl.solve(gdl.loads(WAITING), solver)


def test_the_textbook_of_samples_refuses() -> None:
    with pytest.raises(Endless):
        solvers.solve(gdl.loads(WAITING, engine="reference"), "mccfr")


def test_exploring_counts_no_information_sets() -> None:
    assert information_sets(gdl.loads(WAITING, engine="reference"), limit=10_000) is None


def test_agents_are_judged_by_plays() -> None:
    """The seeker gains nothing from waiting: the coin is as likely as before, and a call is worth 0."""
    result = gdl.evaluate(gdl.loads(WAITING), hider="random", simulations=400, seed=1)
    assert result.solver == "sampled_response"
    own = result.values[1]
    assert own is not None and own.low <= 0 <= own.high  # type: ignore[operator]
    with pytest.raises(Endless):
        gdl.evaluate(gdl.loads(WAITING), hider="random", seeker="random")


def test_a_limit_makes_it_end() -> None:
    """Two opposed who know nothing of use to each other: a call is worth 0 whenever it is made, and so is no
    call."""
    result = gdl.solve(gdl.loads(WAITING + "limit 6 moves: 0\n"))
    assert result.value == pytest.approx(0, abs=1e-9)
