"""The judge's quick count, and the judge itself judged. `python -m tests.judge` runs the full count."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from fractions import Fraction
from math import inf
from pathlib import Path
from random import Random

import pytest

import gdl
import solvers
from gdl.diagnostics import GameError
from gdl.playing.counting import counter
from gdl.playing.play import Play
from gdl.playing.results import PlayResult, generators, play_out
from solvers.agents.kinds import agent
from solvers.agents.seated import Seated
from tests.judge import crew, intervals, oracle, proofs
from tests.judge.__main__ import told
from tests.judge.asking import Question
from tests.judge.generate import Drawn, draw_explicit
from tests.judge.graph import read_graph
from tests.judge.hold import Court, Said, judge
from tests.judge.oracle import NoValue, Truth, stake_of
from tests.judge.reading import Claim, Unreadable, claim_of, strict_json
from tests.judge.rules import draw_rules
from tests.texts import WAITING, spin, work

SEED = int(os.environ.get("GDL_JUDGE_SEED") or Random().randrange(10**6))

GAMES = 6


def test_every_answer_is_held_to_its_label() -> None:
    """Fresh games each time; what fails is shown with its seed, its text, and how to judge it again."""
    failures = [found for found in crew.judged(SEED, iter(range(GAMES)), jobs=1) if found.verdict.complaints]
    assert not failures, f"GDL_JUDGE_SEED={SEED}\n" + "\n".join(told(SEED, found) for found in failures)


def test_what_the_checker_proves_holds_in_every_play() -> None:
    for number in range(30):
        try:
            text, verdict = proofs.judge_generated(Random(f"{SEED} {number} rules"))
        except GameError:
            continue  # a fault of the game's own
        assert not verdict.complaints, f"GDL_JUDGE_SEED={SEED}, number {number}\n{verdict.complaints}\n{text}"
    for number in range(60):
        drawn = draw_rules(Random(f"{SEED} {number} structured"))
        verdict = proofs.judge(drawn, lambda _: nullcontext(), "reference")
        assert not verdict.complaints, (
            f"GDL_JUDGE_SEED={SEED}, number {number}\n{verdict.complaints}\n{drawn.text}"
        )


def test_intervals_cover_as_often_as_they_say() -> None:
    for name, share in intervals.covered(0, [intervals.DICE]):
        assert share is not None, f"{name} prints no interval"
        assert intervals.within(share), f"{name} covers {share:.1%} of {intervals.SEEDS} seeds"


# ------------------------------------------------------------------------- the judge itself

KNOWN = {
    "spin for ever": (
        spin(),
        Fraction(1),
    ),
    "wait for a hundred": (
        WAITING,
        Fraction(100),
    ),
    "work until it breaks": (  # 1 + 9/10 + 81/100 + ..
        work(),
        Fraction(10),
    ),
    "rewards that cancel": (  # v = 1/6 + v/2
        """game g
players: a
position:
    x: 0..1 = 0
move go:
    chance:
        1/2: reward 1000000001/3
        else:
            reward -1000000000/3
            x = 1
terminal: x == 1
utility: 0
""",
        Fraction(1, 3),
    ),
    "paid for ever": (
        """game g
players: a
position:
    over: bool
move take: reward 1
move leave: over = true
terminal: over
utility: 0
""",
        inf,
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_oracle_knows_by_hand(name: str) -> None:
    text, value = KNOWN[name]
    truth = Truth(read_graph(gdl.loads(text, engine="reference")))
    assert truth.values is not None
    assert truth.at_start([values[0] for values in truth.values]) == value


def test_oracle_agrees_with_all_pairs_of_strategies() -> None:
    """Policy iteration over drawn-together end components, against trying every pair of strategies."""
    compared = 0
    for number in range(150):
        graph = draw_explicit(Random(f"{SEED} {number}")).graph
        if not graph.opposed or graph.discount != 1:
            continue
        stake = stake_of(graph, "duel", 0)
        try:
            tried = oracle._by_enumeration(stake)
        except NoValue:
            continue
        compared += 1
        assert oracle.solve(stake) == tried, f"GDL_JUDGE_SEED={SEED}, number {number}"
    assert compared > 20


def test_text_and_graph_are_one_game() -> None:
    """What is written is what was drawn: the reference engine reads the same graph from the text."""
    for number in range(20):
        drawn = draw_explicit(Random(f"{SEED} {number}"))
        read = read_graph(gdl.loads(drawn.text, engine="reference"))
        assert set(read.names) == set(drawn.graph.names)
        ours, theirs = Truth(drawn.graph).values, Truth(read).values
        if ours is not None and theirs is not None:
            assert dict(zip(drawn.graph.names, ours, strict=True)) == dict(
                zip(read.names, theirs, strict=True)
            )


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("3", Claim(Fraction(3), Fraction(3), True, Fraction(3))),
        ("3/8 = 0.375", Claim(Fraction(3, 8), Fraction(3, 8))),
        ("1/3 = 0.3333…", Claim(Fraction(1, 3), Fraction(1, 3))),
        ("0.33…", Claim(Fraction(33, 100), Fraction(34, 100))),
        ("-6.7…e+02", Claim(Fraction(-680), Fraction(-670))),
        ("0.5 ± 0.25", Claim(Fraction(1, 4), Fraction(3, 4), True, Fraction(1, 2))),
        ("at least 1", Claim(Fraction(1), inf)),
        ("at most -2.5", Claim(-inf, Fraction(-5, 2))),
        ("-infinite", Claim(-inf, -inf)),
    ],
)
def test_printed_values_are_read_back(text: str, claim: Claim) -> None:
    assert claim_of(text) == claim


@pytest.mark.parametrize("text", ["inf", "about -inf", "nan", "inf ± inf", "1/3 = 0.34", "soon"])
def test_what_is_no_number_is_no_value(text: str) -> None:
    with pytest.raises(Unreadable):
        claim_of(text)


def test_estimates_claim_nothing() -> None:
    assert not claim_of("about 0.47 after 500 simulations").proven
    assert not claim_of("0.47 ± 0.1 (95 %)").proven


def test_json_has_no_infinity() -> None:
    assert strict_json('{"low": null}') == {"low": None}
    with pytest.raises(Unreadable):
        strict_json('{"low": -Infinity}')


TRAPPED = """game trapped
players: a
position:
    x: 0..2 = 0
move leave when x == 0: x = 2
move fall when x == 0: x = 1
move pay when x == 1: reward -1
terminal: x == 2
utility: -3
"""


def test_a_place_may_be_worth_less_than_any_number(tmp_path: Path) -> None:
    """Who falls pays for ever: exactly that is said of the place and of the move there, in every form, and
    nothing else is taken for the truth; the start itself is worth a number, or refused."""
    graph = read_graph(gdl.loads(TRAPPED, engine="reference"))
    drawn = Drawn(TRAPPED, graph, ())
    for number in range(3):
        verdict = judge(drawn, Random(number))
        assert not verdict.complaints, verdict.complaints
    for solver in ("value_iteration", "policy_iteration"):
        for engine in ("reference", "native"):
            game = gdl.loads(TRAPPED, engine=engine)
            found = solvers.solve(game, solver)
            worth = {move.text: move.value for move in found.moves}["fall"]
            assert str(worth) == "-infinite" and worth.as_data()["exact"] == "-infinite"
            assert strict_json(json.dumps(found.as_data()))["moves"][1]["value"]["value"] is None
            with pytest.raises(GameError) as refusal:
                solvers.solve(game, solver, game.parse_position("x=1"))
            assert refusal.value.diagnostics[0].code == "R002"
    question = Question("value_iteration", "reference", (), at=None)
    court = Court(drawn, tmp_path, lambda _: nullcontext())
    for said, start in ((inf, False), (-inf, True)):
        court.judge_value(question, "a", Said("exact", said, said, said), -inf, start=start)
        assert court.verdict.complaints.pop().kind == "not finite"
        court._said.clear()


def test_counted_and_recorded_plays_pay_the_same_to_the_last_digit() -> None:
    """Thirds of a large number, which cancel: sums of fractions and sums of floats are not the same."""
    text = """game thirds
players: a
position:
    n: 0..3 = 0
move win: reward 1000000000000001/3
    n += 1
move lose: reward -1000000000000000/3
    n += 1
terminal: n == 3
utility: n / 7
discount: 9/10
"""
    game = gdl.loads(text.replace(": reward", ":\n    reward"), engine="native")
    agents = [agent("random", game)]
    for number in range(20):
        chance, own = generators(1, game.players, number)
        count = counter(game, agents, 10)
        assert count is not None
        counted = count.play(None, chance, own)
        chance, own = generators(1, game.players, number)
        play = Play(game, rng=chance)
        play_out(play, [Seated(agents[0], own[0])])
        assert PlayResult.of(play) == counted


DRAWN = """game drawn
players: a, b
position:
    x: 0..3 = 0
player: a
initial: x ~ 0..1
move go when x < 2: {go}
terminal: x >= 2
utility{each}
"""


@pytest.mark.parametrize(
    ("go", "each", "lacking"),
    [
        ("x = 2", ": x", set()),
        ("x ~ 2..3", ": x", {"alphabeta", "retrograde"}),
        ("\n    chance:\n        1: x = 2", ": x", {"alphabeta", "retrograde"}),  # so the text says
        ("\n    x = 2\n    reward 1", ": x", {"star2", "retrograde"}),
        ("x = 2", "(p): x if p == a else -x", {"alphabeta", "star2", "retrograde", "value_iteration"}),
        ("x = 2", "(p): x", {"alphabeta", "star2", "retrograde", "value_iteration"}),
    ],
)
def test_a_need_is_an_excuse_only_where_the_game_does_not_meet_it(
    go: str, each: str, lacking: set[str], tmp_path: Path
) -> None:
    """Whatever the program's own table and proofs say of the game: the judge looks at its graph and text."""
    text = DRAWN.format(go=go, each=each)
    drawn = Drawn(text, read_graph(gdl.loads(text, engine="reference")), ())
    court = Court(drawn, tmp_path, lambda _: nullcontext())
    for solver in ("alphabeta", "star2", "retrograde", "value_iteration", "backward_induction", "mcts"):
        reason = court.wrongly_refused(Question(solver, "reference"), "R001")
        assert (reason is None) == (solver in lacking), (solver, reason)
