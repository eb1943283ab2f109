"""Equilibria and their values, known from elsewhere; kernels against textbooks; the judge against both."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
import solvers
from solvers.core.refusal import Refusal
from solvers.hidden import judge as textbook_judge
from solvers.hidden.game_tree import GameTree, game_tree
from solvers.hidden.kernels.histories import sequence_form
from solvers.hidden.kernels.regret_matching import FlatRegretMatching
from solvers.hidden.kernels.sweeps import best_response, judge
from solvers.hidden.records import Rule
from solvers.hidden.regret_matching import RegretMatching
from solvers.registry import SOLVERS

REGRETS = ("cfr", "cfr_plus", "discounted_cfr", "linear_cfr", "pcfr_plus")
RULES = {
    "cfr": Rule(),
    "cfr_plus": Rule(plus=True, gamma=1),
    "linear_cfr": Rule(alpha=1, beta=1, gamma=1),
    "discounted_cfr": Rule(alpha=1.5, beta=0, gamma=2),
    "pcfr_plus": Rule(plus=True, predictive=True, gamma=2),
}


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return game_tree(gdl.load("kuhn_poker", engine="reference"))


@pytest.fixture(scope="module")
def trees() -> list[GameTree]:
    """Those with `plus` are compared only where no regret is 0: what rounding makes of 0 is a policy too."""
    return [game_tree(gdl.load(name, engine="reference")) for name in ("leduc_poker", "three_player_kuhn")]


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("name", REGRETS)
def test_kernels_do_what_the_textbook_does(trees: list[GameTree], name: str, alternating: bool) -> None:
    for tree in trees if not RULES[name].plus else trees[:1]:
        taught = RegretMatching(tree, RULES[name], alternating=alternating)
        form = sequence_form(gdl.load(tree.game.name))
        flat = FlatRegretMatching(form, RULES[name], alternating=alternating)
        taught.run(5)
        flat.run(2)
        flat.run(3)
        average = taught.average()
        told: list[Any] = []
        for found in tree.information_sets:
            told += [1.0, *(p for one in found for p in average[one])]
        assert np.allclose(told, flat.average(), rtol=0, atol=1e-9)
        one, other = textbook_judge.judge(tree, average), judge(form, flat.average())
        assert np.allclose([float(p) for p in one.best], other.best, rtol=0, atol=1e-9)
        assert np.allclose([float(p) for p in one.values], other.values, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", REGRETS)
def test_rules_are_those_of_the_solvers(name: str) -> None:
    from importlib import import_module

    assert RULES[name] == import_module(f"solvers.hidden.{name}").RULE


def kuhn_family(alpha: Fraction) -> dict[str, dict[str, Fraction]]:
    """Kuhn's equilibria (1950): alice bluffs with alpha, 0 to 1/3; bob's play is always the same."""
    third = Fraction(1, 3)
    return {
        "card jack": {"bet": alpha},
        "card queen": {"bet": Fraction(0)},
        "card king": {"bet": 3 * alpha},
        "card jack; check, bet": {"call": Fraction(0)},
        "card queen; check, bet": {"call": alpha + third},
        "card king; check, bet": {"call": Fraction(1)},
        "card jack; check": {"bet": third},
        "card queen; check": {"bet": Fraction(0)},
        "card king; check": {"bet": Fraction(1)},
        "card jack; bet": {"call": Fraction(0)},
        "card queen; bet": {"call": third},
        "card king; bet": {"call": Fraction(1)},
    }


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)], ids=str)
def test_the_judge_knows_kuhns_equilibria(kuhn: GameTree, alpha: Fraction) -> None:
    from solvers.hidden.words import Words

    sets = [one for found in kuhn.information_sets for one in found]
    words = Words(kuhn.game, [(one.player, one.seen) for one in sets])
    family = kuhn_family(alpha)
    policy = {}
    for one in sets:
        ((move, chance),) = family[words.text(one.player, one.seen)].items()
        names = [kuhn.game.format_move(legal) for legal in one.moves]
        policy[one] = [chance if name == move else 1 - chance for name in names]
    judged = textbook_judge.judge(kuhn, policy)
    assert judged.values == (Fraction(-1, 18), Fraction(1, 18))
    assert judged.nash_conv == 0
    policy[sets[0]] = list(reversed(policy[sets[0]]))
    assert textbook_judge.judge(kuhn, policy).nash_conv > 0


def test_exploitability_of_uniform_play() -> None:
    """OpenSpiel: exploitability of the uniform policy is 0.458333 in Kuhn poker, NashConv 0.916667."""
    form = sequence_form(gdl.load("kuhn_poker"))
    assert judge(form, form.uniform()).nash_conv == pytest.approx(11 / 12, abs=1e-12)
    answered = best_response(form, form.uniform(), 1)
    assert judge(form, answered).values[1] == pytest.approx(judge(form, form.uniform()).best[1], abs=1e-12)


VALUES: list[tuple[str, dict[str, Any], float]] = [
    ("kuhn_poker", {}, -1 / 18),
    ("leduc_poker", {}, -0.085606424078),  # OpenSpiel and others
    ("liars_dice", {"sides": 3}, 1 / 9),
    ("goofspiel", {}, 0),  # alike for both
]


@pytest.mark.parametrize(("name", "params", "value"), VALUES, ids=lambda part: str(part))
def test_linear_program_and_regrets_agree(name: str, params: dict[str, Any], value: float) -> None:
    game = gdl.load(name, **params)
    by_program = solvers.solve(game, "sequence_form")
    assert by_program.value == pytest.approx(value, abs=1e-9)
    assert by_program.kind == "bounded"
    low, high = by_program.values[0].low, by_program.values[0].high  # type: ignore[union-attr]
    assert low is not None and high is not None and high - low < 1e-9
    by_regret = solvers.solve(game, "cfr_plus", precision=1e-3)
    bounds = by_regret.values[0]
    assert bounds is not None and bounds.low is not None and bounds.high is not None
    assert bounds.low <= value <= bounds.high and bounds.high - bounds.low < 1.1e-3


def test_exact_values() -> None:
    kuhn = solvers.solve(gdl.load("kuhn_poker"), "sequence_form", exact=True)
    assert kuhn.value == Fraction(-1, 18) and kuhn.kind == "exact"
    five = solvers.solve(gdl.load("liars_dice", sides=3, wild="nothing"), "sequence_form", exact=True)
    assert five.value == Fraction(-1, 9)  # T. Ahle's snyd
    played = solvers.solve(gdl.load("rock_paper_scissors", engine="reference"), "sequence_form", exact=True)
    strategy: Any = played.strategy
    assert all(chance == Fraction(1, 3) for row in strategy.rows() for chance in row.moves.values())


def test_textbooks_find_the_value_too() -> None:
    game = gdl.load("kuhn_poker", engine="reference")
    assert solvers.solve(game, "sequence_form").value == pytest.approx(-1 / 18, abs=1e-9)
    found = solvers.solve(game, "pcfr_plus", iterations=60).values[0]
    assert found is not None and found.low is not None and found.high is not None
    assert found.low <= Fraction(-1, 18) <= found.high and found.high - found.low < 0.02


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_sampled_regrets(sampling: str) -> None:
    native = solvers.solve(gdl.load("kuhn_poker"), "mccfr", iterations=60_000, sampling=sampling, seed=1)
    strategy: Any = native.strategy
    assert strategy.judgement.exploitability < 0.03
    taught = solvers.solve(
        gdl.load("kuhn_poker", engine="reference"), "mccfr", iterations=1500, sampling=sampling, seed=1
    )
    strategy = taught.strategy
    assert strategy.judgement.exploitability < 0.15  # of 0.458 for uniform play


def test_sampling_needs_no_tree() -> None:
    found = solvers.solve(gdl.load("leduc_poker"), "mccfr", iterations=50, limit=100, seed=2)
    assert found.kind == "estimate" and "too many histories" in found.how


def test_three_player_kuhn() -> None:
    """Szafron, Gibson & Sturtevant (2013): in the family of equilibria the second player loses 1/48."""
    found = solvers.solve(gdl.load("three_player_kuhn"), "cfr_plus", precision=1e-4)
    assert found.kind == "estimate" and "no equilibrium" in found.how
    strategy: Any = found.strategy
    assert strategy.judgement.nash_conv < 2e-4
    first, second, third = (float(value.number) for value in found.values if value is not None)
    assert second == pytest.approx(-1 / 48, abs=1e-3)
    assert first + second + third == pytest.approx(0, abs=1e-9)
    assert -1 / 32 - 1e-3 <= first <= -1 / 48 + 1e-3


def test_a_policy_file_is_played_and_judged(tmp_path: Path) -> None:
    game = gdl.load("kuhn_poker")
    file = tmp_path / "kuhn.parquet"
    solved = gdl.solve(game, policy=file)
    assert solved.written[0].rows == 12
    text = f"policy:{file}"
    for engine in ("native", "reference"):
        played = gdl.load("kuhn_poker", engine=engine)
        against = gdl.evaluate(played, alice=text)
        assert float(against.value) == pytest.approx(-1 / 18, abs=1e-9)
        assert float(gdl.evaluate(played, alice=text, bob=text).value) == pytest.approx(-1 / 18, abs=1e-9)
    play = gdl.Play(game, seed=3)
    while not play.finished:
        play.make(gdl.agent(text, game, seed=4).choose(play))
    with pytest.raises(gdl.GameError, match="leduc_poker"):
        gdl.agent(text, gdl.load("leduc_poker"))
    with pytest.raises(gdl.GameError, match="not there"):
        gdl.agent(f"policy:{tmp_path / 'none'}", game)


def test_what_people_see() -> None:
    text = str(gdl.solve(gdl.load("kuhn_poker")))
    for part in ("-0.0555555555556", "exploitability", "card jack; bet ", "fold 1", "alice plays"):
        assert part in text


def test_an_interrupt_gives_the_average_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = 0
    run = FlatRegretMatching.run

    def interrupted(self: FlatRegretMatching, count: int) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 5:
            raise KeyboardInterrupt
        run(self, count)

    monkeypatch.setattr(FlatRegretMatching, "run", interrupted)
    found = solvers.solve(gdl.load("kuhn_poker"), "cfr", precision=1e-9)
    strategy: Any = found.strategy
    assert found.partial and found.kind == "bounded" and strategy.judgement.exploitability > 0


def test_progress_is_the_share_of_what_ends_it() -> None:
    """Exploitability falls by factors: it is halfway when it has lost half of them, not half of itself."""
    game, told = gdl.load("kuhn_poker"), []

    def report(_: str, share: float) -> None:
        told.append(share)

    solvers.solve(game, "cfr", precision=1e-3, report=report)
    assert told[0] < 0.5 and told[-1] == 1.0 and 0.5 < told[len(told) // 2] < 1.0
    told.clear()
    solvers.solve(game, "cfr", iterations=1000, report=report)
    assert told[0] <= 0.1 and told[-1] == 1.0


def test_games_without_secrets_are_refused() -> None:
    for solver in SOLVERS.values():
        if solver.family == "hidden":
            with pytest.raises(Refusal, match="everyone sees everything"):
                solvers.solve(gdl.load("tictactoe"), solver.name)
    with pytest.raises(Refusal, match="sum to zero"):
        solvers.solve(gdl.load("prisoners_dilemma"), "sequence_form")
