"""Agents are judged by what they do in every information set; intervals cover what is known exactly."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
from gdl import equilibria
from gdl.diagnostics import GameError
from solvers.agents.agent import Agent, Choice
from solvers.agents.seen import View
from solvers.hidden.game_tree import GameTree, game_tree
from solvers.hidden.judge import judge
from solvers.hidden.sizing import histories

EXPLOITABILITY_OF_UNIFORM = 11 / 24  # OpenSpiel: 0.458333 in Kuhn poker


class Anything(Agent):
    """As `random`, but it does not say so."""

    description = "anything"

    def choose(self, view: View, rng: Random) -> Choice:
        assert view.seen[-1] is not None
        return Choice(rng.choice(view.moves), "")


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return game_tree(gdl.load("kuhn_poker", engine="reference"))


def test_pimc_in_kuhn_poker(kuhn: GameTree) -> None:
    """With cards open a jack is folded, a king bet or called, a queen called in half of the deals: pimc never
    bluffs, and cannot choose how often to call."""
    half = Fraction(1, 2)
    done = {
        ("jack", 0): {"check": 1}, ("queen", 0): {"check": 1}, ("king", 0): {"check": half, "bet": half},
        ("jack", 2): {"fold": 1}, ("queen", 2): {"call": 1}, ("king", 2): {"call": 1},
    }  # fmt: skip
    policy: Any = {}
    for one in kuhn.information_sets[0]:
        card = next(name for name in ("jack", "queen", "king") if name in str(one.seen[0]))
        wanted: Any = done[card, (len(one.seen) - 1) // 2]
        policy[one] = [wanted.get(kuhn.game.format_move(move), 0) for move in one.moves]
    for one in kuhn.information_sets[1]:
        policy[one] = [half, half]
    best = judge(kuhn, policy).best[1]
    found = gdl.evaluate(gdl.load("kuhn_poker"), alice="pimc")
    assert float(found.values[1].number) == pytest.approx(float(best), abs=1e-12)  # type: ignore[union-attr]
    assert found.kind == "bounded" and found.seed is None and best > Fraction(1, 18)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_exploitability_of_agents(engine: str) -> None:
    game = gdl.load("kuhn_poker", engine=engine)
    told = gdl.evaluate(game, alice="random", bob="mixture(0.5: random, 0.5: random)")
    strategy: Any = told.strategy
    assert told.value == Fraction(1, 8)  # counted by hand: all moves equally likely
    assert strategy.judgement.exploitability == pytest.approx(EXPLOITABILITY_OF_UNIFORM, abs=1e-12)
    assert "exploitability" in str(told)


def test_a_best_response_does_not_tell_of_what_never_happens() -> None:
    """An alice who never bets, whatever she holds: bob is never asked to fold or call, and the table of his
    best response begins after her check. One who bets with a king only does ask him."""
    game = gdl.loads(
        Path("games/kuhn_poker.gdl").read_text(encoding="utf-8")
        + "\npolicy passive:\n    check\n    fold\n"
        + "\npolicy honest:\n    if card[mover] == king: bet\n    check\n    fold\n"
    )
    for name, asked in (("passive", 0), ("honest", 2)):
        strategy: Any = gdl.evaluate(game, alice=name).strategy
        (title, lines) = list(strategy.tables())[1]
        assert title.startswith("bob plays")
        assert sum("; bet" in knows for knows, _ in lines) == asked
        assert sum("; check" in knows for knows, _ in lines) == 3
        never = [row for row in strategy.rows() if row.player == "bob" and not row.reach]
        assert len(never) == 3 - asked and all("; bet" in row.knows for row in never)
        assert [row.as_data()["reached"] for row in never] == [False] * len(never)


def test_intervals_of_agents_that_draw_cover(kuhn: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibria, "MOST", 40)
    game = gdl.load("kuhn_poker")
    uniform: Any = {one: [Fraction(1, len(one.moves))] * len(one.moves)
                    for found in kuhn.information_sets for one in found}  # fmt: skip
    truth = judge(kuhn, uniform)
    missed = 0
    for seed in range(25):
        told = gdl.evaluate(game, alice=Anything(game), bob=Anything(game), seed=seed)
        within = told.strategy.within  # type: ignore[union-attr]
        missed += not within.low <= truth.exploitability <= within.high
        answered = gdl.evaluate(game, alice=Anything(game), seed=seed).values[1]
        assert answered is not None and answered.kind == "estimate"
        missed += not answered.low <= truth.best[1] <= answered.high  # type: ignore[operator]
        assert answered.high - answered.low < 1.0  # type: ignore[operator]
    assert missed <= 4  # of 50; 2.5 on average if they cover 95 % and no more


def test_a_response_is_learnt_from_plays(kuhn: GameTree) -> None:
    game = gdl.load("kuhn_poker")
    told = gdl.evaluate(game, alice="random", simulations=3000, seed=1)
    best = 5 / 12  # OpenSpiel's best response to uniform play, of the second player
    own = told.values[1]
    assert told.solver == "sampled_response" and own is not None and own.low is not None
    assert 0.2 < own.low <= best <= own.high  # type: ignore[operator]
    with pytest.raises(GameError, match="teach nothing"):
        gdl.evaluate(game, alice="random", simulations=4)


def test_large_games_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.load("leduc_poker")
    assert 1890 / 1.5 < histories(game) < 1890 * 1.5  # OpenSpiel's Leduc poker, suits joined
    monkeypatch.setattr(equilibria, "WALKED", 100)
    monkeypatch.setattr(equilibria, "PLAYS", 40)
    assert gdl.evaluate(game, alice="random").solver == "sampled_response"
    with pytest.raises(GameError, match="too many histories"):
        gdl.evaluate(game, alice="pimc", bob="random")


def test_the_best_agent_of_a_small_game_cannot_be_exploited() -> None:
    """Kuhn: -1/18 is what the first player can make sure of."""
    found = gdl.evaluate(gdl.load("kuhn_poker"), alice="best", bob="best")
    assert float(found.value) == pytest.approx(-1 / 18, abs=1e-9)  # type: ignore[arg-type]
    assert gdl.plan(gdl.load("kuhn_poker"), "play").solver == "sequence_form"
    assert gdl.plan(gdl.load("battleships"), "play").solver == "pimc"
