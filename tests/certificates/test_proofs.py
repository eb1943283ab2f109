"""What certificates prove, held against brute force; what is wrong is refused, however plausible."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import solvers
from gdl.certificates.file import Certificate
from gdl.certificates.inequalities import Column, signs, worths
from gdl.certificates.verify import verify
from gdl.diagnostics import GameError
from gdl.game import TERMINAL
from solvers.files.certificate import _edges_of_textbook, _ranks, write
from solvers.whole.graph import reachable_graph
from tests.certificates.forging import certified, changed_moves, changed_numbers, changed_ranks, refusal
from tests.solvers.games import HaddadMonmege, Node, TableGame, end, to
from tests.solvers.strategies import acyclic_games, cyclic_games
from tests.whole.test_cycles import HOSTAGE, MUST_WALK, STAY_OR_PAY, brute_force

few = settings(max_examples=40, deadline=None)


def holds(game: TableGame, truth: F) -> None:
    with TemporaryDirectory() as folder:
        for solver in ("policy_iteration", "value_iteration"):
            _, verdict = certified(game, Path(folder), solver)
            assert verdict.low[0] <= truth <= verdict.high[0]
            assert verdict.high[0] - verdict.low[0] <= F(1, 10**8)
            assert verdict.exact or solver == "value_iteration"


# ------------------------------------------------------------ every solved game gets a certificate


@few
@given(cyclic_games())
@example(STAY_OR_PAY)
@example(MUST_WALK)
@example(HOSTAGE)
def test_cycles_and_endless_play(game: TableGame) -> None:
    holds(game, brute_force(game))


@few
@given(cyclic_games(players=1))
def test_one_player(game: TableGame) -> None:
    holds(game, brute_force(game))


@few
@given(cyclic_games(discount=True, rewards=True))
def test_discount_and_rewards(game: TableGame) -> None:
    holds(game, brute_force(game))


@few
@given(cyclic_games(rewards=True))
def test_rewards_without_discount(game: TableGame) -> None:
    """Where rewards for ever make no value infinite: such games have no certificate."""
    try:
        result = solvers.solve(game, "policy_iteration")
        holds(game, F(result.value) if isfinite(result.value) else F(0))
    except solvers.Refusal as refusal:
        assert "for ever" in refusal.reason or "infinite" in refusal.reason


@few
@given(acyclic_games(players=3, rewards=False, discount=True))
def test_many_players(game: TableGame) -> None:
    with TemporaryDirectory() as folder:
        _, verdict = certified(game, Path(folder), "backward_induction")
    assert verdict.finite and verdict.exact
    assert verdict.low == tuple(first_best(game, 0))


def first_best(game: TableGame, position: int) -> list[F]:
    """Everybody's value by recursion, ties going to the first move."""
    node = game.nodes[position]
    if node.player == TERMINAL:
        return [F(x) for x in node.utility]
    worths = []
    for move in node.moves:
        parts = [(p, first_best(game, target)) for p, target, _ in move]
        worths.append([game.discount * sum(p * v[i] for p, v in parts) for i in range(3)])
    if node.player < 0:
        return [sum((p * w[i] for p, w in zip(node.odds, worths, strict=True)), F(0)) for i in range(3)]
    return max(worths, key=lambda worth: worth[node.player])


# ------------------------------------------------------------------ what is accepted is the truth


@st.composite
def claims(draw: Any) -> tuple[TableGame, list[F]]:
    """A game, and for each position a number that could be its value."""
    game = draw(cyclic_games())
    paid = {F(node.utility[0]) for node in game.nodes if node.player == TERMINAL}
    number = st.sampled_from(sorted(paid | {game.endless[0], F(5), F(-5)}))
    return game, [draw(number) for _ in game.nodes]


@settings(max_examples=300, deadline=None)
@given(claims())
def test_bounds_that_can_be_ranked_are_bounds(claim: tuple[TableGame, list[F]]) -> None:
    """Whatever numbers are claimed: if any ranks satisfy the conditions, the numbers are bounds."""
    game, numbers = claim
    graph = reachable_graph(game, game.initial())
    edges = _edges_of_textbook(game, graph)
    claimed = np.array(
        [float(u[0] if u else numbers[p]) for p, u in zip(graph.positions, graph.utilities, strict=True)]  # type: ignore[call-overload]
    )
    for sign in (1, -1):
        known = worths(edges, Column(claimed))
        if _ranks(game, known, sign * signs(known), sign, exact=False) is not None:
            assert sign * F(claimed[0]) <= sign * brute_force(game)


# -------------------------------------------------------------------- each single number changed


def costly() -> TableGame:
    """Every stay costs 1, leaving -5: the value -5 is above what waiting pays, and below endless play."""
    stay, leave = ((F(1), 0, F(-1)),), ((F(1), 1, F(0)),)
    return TableGame((Node(0, (stay, leave)), Node(TERMINAL, utility=(F(-5),))), count=1, acyclic=False)


TOSS = TableGame(  # chance, a way round, and two players who both have to choose
    (
        Node(0, (to((F(1, 3), 1), (F(2, 3), 0)), to(2))),
        Node(1, (to((F(1, 2), 0), (F(1, 2), 3)), to(4))),
        Node(-1, (to(0), to(3)), odds=(F(1, 4), F(3, 4))),
        end(-2),
        end(F(1, 3)),
    ),
    endless=(F(0), F(0)),
    acyclic=False,
)
ABOVE = replace(HOSTAGE, endless=(F(7), F(-7)))  # endless play pays more than any end
BELOW = replace(MUST_WALK, endless=(F(-7), F(7)))
DISCOUNTED = replace(TOSS, discount=F(9, 10))
THREE = TableGame(
    (Node(0, (to(1), to((F(1, 2), 2), (F(1, 2), 3)))), Node(2, (to(2), to(3))), end(1, 2, 3), end(1, 5, 3)),
    count=3,
)
GAMES = {
    "stay or pay": STAY_OR_PAY,
    "must walk": MUST_WALK,
    "hostage": HOSTAGE,
    "endless above": ABOVE,
    "endless below": BELOW,
    "costly": costly(),
    "toss": TOSS,
    "discounted": DISCOUNTED,
    "three players": THREE,
    "haddad monmege": HaddadMonmege(3, F(7, 10)),
}
AMOUNTS = (F(1, 1000), F(-1, 1000), F(1), F(-1), F(12), F(-12))


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_each_single_number_changed_is_refused(game: Any, tmp_path: Path) -> None:
    solver = "policy_iteration" if game.traits.players < 3 else "backward_induction"
    certificate, verdict = certified(game, tmp_path, solver)
    assert verdict.exact and verdict.decided == verdict.choosing
    forged = [
        *changed_numbers(certificate, AMOUNTS),
        *changed_ranks(certificate),
        *changed_moves(certificate),
    ]
    assert len(forged) >= 8 * len(certificate)
    for wrong in forged:
        refusal(game, wrong, tmp_path)


@pytest.mark.parametrize("game", [TOSS, MUST_WALK, HaddadMonmege(3, F(7, 10))], ids=["toss", "walk", "chain"])
def test_changed_bounds_are_refused_or_still_bounds(game: Any, tmp_path: Path) -> None:
    """A bound from which nothing else follows may be weakened: it is one still, and no more is claimed."""
    certificate, _ = certified(game, tmp_path, "policy_iteration")
    (values,) = certificate.numbers.values()
    truth = [F(x) for x in values]
    wide = replace(certificate, numbers={"low": values, "high": values})
    write(wide, tmp_path / "proof.gz")
    assert verify(game, tmp_path / "proof.gz").exact
    accepted = 0
    for i, forged in enumerate(changed_numbers(wide, AMOUNTS)):
        write(forged, tmp_path / "forged.gz")
        inwards = (AMOUNTS[i % len(AMOUNTS)] > 0) == (i < len(truth) * len(AMOUNTS))
        try:
            verdict = verify(game, tmp_path / "forged.gz")
        except GameError:
            continue
        accepted += 1
        assert not inwards
        assert verdict.low[0] <= truth[0] <= verdict.high[0]
    assert accepted < len(truth) * len(AMOUNTS)


# ----------------------------------------------------------------------------- plausible, and wrong


def every_rank(certificate: Certificate, most: int) -> Any:
    """The certificate with all ranks from 0 to `most`, in all combinations."""
    size = len(certificate)
    for low, high in product(product(range(most + 1), repeat=size), repeat=2):
        ranks = {"rank_low": np.array(low), "rank_high": np.array(high)}
        yield replace(certificate, ranks=ranks)


def test_a_number_that_only_confirms_itself_is_refused(tmp_path: Path) -> None:
    """Who can wait at 5 for ever does not get 5: the end pays 1, and endless play 0."""
    game = TableGame((Node(0, (to(0), to(1))), end(1)), endless=(F(0), F(0)), acyclic=False)
    certificate, verdict = certified(game, tmp_path, "policy_iteration")
    assert verdict.low[0] == 1
    waiting = {"best_start": np.array([0, 1, 1]), "best": np.array([0])}
    wrong = replace(certificate, numbers={"value": [F(5), F(1)]}, **waiting)
    for forged in every_rank(wrong, 3):
        assert refusal(game, forged, tmp_path).code == "V002"


def test_waiting_together_is_no_proof(tmp_path: Path) -> None:
    """Round the end component of `hostage` any number from -1 to 1 is a fixed point; only 0 is the value."""
    certificate, _ = certified(HOSTAGE, tmp_path, "policy_iteration")
    ranked = [(0, 0, 0, 0), (1, 1, 0, 0), (2, 1, 0, 0), (1, 2, 0, 0), (0, 1, 0, 0)]
    for number in (F(1, 2), F(-1, 2)):
        wrong = replace(certificate, numbers={"value": [number, number, F(-1), F(1)]})
        for low, high in product(ranked, repeat=2):
            ranks = {"rank_low": np.array(low), "rank_high": np.array(high)}
            assert refusal(HOSTAGE, replace(wrong, ranks=ranks), tmp_path).code == "V002"


def test_where_plain_iteration_stops_is_refused(tmp_path: Path) -> None:
    """On the chain of Haddad & Monmege values that have nearly stopped changing are far from the truth."""
    game = HaddadMonmege(20, F(7, 10))
    certificate, verdict = certified(game, tmp_path, "policy_iteration")
    assert verdict.low[0] == F(7, 10)
    graph = reachable_graph(game, game.initial())
    values = [F(u[0]) if u else F(0) for u in graph.utilities]
    for _ in range(400):
        values = [
            F(u[0]) if u else F(float(sum(F(e.probability) * values[e.target] for e in c[0].edges)))
            for u, c in zip(graph.utilities, graph.choices, strict=True)
        ]
    assert values[0] < F(1, 10)
    assert refusal(game, replace(certificate, numbers={"value": values}), tmp_path).code in ("V001", "V002")


def test_rewards_that_cancel_have_no_value(tmp_path: Path) -> None:
    """1 and -1 in turn for ever: what is gained after n moves has no limit, and bounds do not meet."""
    there, back = ((F(1), 1, F(1)),), ((F(1), 0, F(-1)),)
    game = TableGame((Node(0, (there,)), Node(0, (back,))), count=1, endless=(F(0),), acyclic=False)
    about = {"game": game.name, "digest": None, "form": "duel", "from": None}
    best = {"best_start": np.array([0, 1, 2]), "best": np.array([0, 0])}
    ranks = {"rank_low": np.zeros(2, np.int64), "rank_high": np.zeros(2, np.int64)}
    honest = Certificate(about, {"low": [F(0), F(-1)], "high": [F(1), F(0)]}, ranks, **best)
    write(honest, tmp_path / "proof.gz")
    verdict = verify(game, tmp_path / "proof.gz")
    assert (verdict.low, verdict.high) == ((F(0),), (F(1),))
    for number in (F(0), F(1, 2), F(1)):
        wrong = replace(honest, numbers={"value": [number, number - 1]})
        assert refusal(game, wrong, tmp_path).code == "V002"
