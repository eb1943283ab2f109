"""Draws that have more outcomes than are listed: those that fit what was seen, and what searches make of
them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

import gdl
import solvers
from gdl.game import Game
from gdl.playing.play import Play
from solvers.hidden.large_draws import LargeDraw
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief, Worlds, known_at

HANDS = """game hands

players: alice, bob

type Suit = {{clubs, diamonds, hearts, spades}}
type Card = (suit: Suit, rank: 1..13)

position:
    hand[p: player]: set of Card visible to p
    dealt: bool = {dealt}
    shown: bool = false

{deal}:
    for k in 1..3:
        for p in player:
            c ~ Card where not any(it in hand[q] for q in player)
            hand[p] += {{c}}
    dealt = true

player: alice

def total(p: player): sum(c.rank for c in hand[p])

move call(n in 0..1) when dealt and not shown:
    shown = true

terminal: shown

utility: 1 if total(alice) > total(bob) else 0
"""

AT_THE_START = HANDS.format(dealt="true", deal="initial")
IN_A_MOVE = HANDS.format(dealt="false", deal="move deal when not dealt")


def known_after_the_deal(game: Game[Any, Any], seed: int) -> Known:
    play = Play(game, seed=seed)
    if len(game.moves(play.position)) == 1:
        play.make(game.moves(play.position)[0])
    return Known(0, play.information(0), tuple(game.moves(play.position)))


def chance_to_win(hand: set[tuple[int, int]]) -> float:
    """How often three cards of those that are left have a lower total: by counting all."""
    left = [(suit, rank) for suit in range(4) for rank in range(1, 14) if (suit, rank) not in hand]
    mine = sum(rank for _, rank in hand)
    lower = sum(sum(rank for _, rank in three) < mine for three in combinations(left, 3))
    return lower / (49 * 48 * 47 / 6)


def hand_of(known: Known) -> set[tuple[int, int]]:
    bits = known.seen[-1].values[0]
    return {(k // 13, k % 13 + 1) for k in range(52) if bits >> k & 1}


@pytest.mark.parametrize("text", [AT_THE_START, IN_A_MOVE], ids=["start", "move"])
def test_every_card_that_is_left_is_as_likely_in_a_hand_that_is_not_seen(text: str) -> None:
    game = gdl.loads(text)
    known = known_after_the_deal(game, 3)
    worlds: Worlds = Belief(game).worlds(known, Random(1))
    assert not worlds.exact
    held: Counter[int] = Counter()
    for position, share in zip(worlds.positions, worlds.weights, strict=True):
        assert game.observation(position, 0) == known.seen[-1]
        held.update({k: float(share) for k in range(52) if position.values[1] >> k & 1})
    assert set(held) == {k for k in range(52) if not known.seen[-1].values[0] >> k & 1}
    assert all(abs(share - 3 / 49) < 5 * (3 / 49 / 400) ** 0.5 for share in held.values())


@pytest.mark.parametrize("text", [AT_THE_START, IN_A_MOVE], ids=["start", "move"])
def test_searches_look_at_deals_that_are_drawn(text: str) -> None:
    """What they find is how often the hand wins, counted over all hands of the other."""
    game = gdl.loads(text)
    known = known_after_the_deal(game, 5)
    true = chance_to_win(hand_of(known))
    for solver, options in (("ismcts", {"simulations": 4000}), ("pimc", {"worlds": 300})):
        result = solvers.solve(game, solver, known, **options)
        assert "sample of" in result.how
        assert abs(float(result.values[0].number) - true) < 5 * 0.5 / 300**0.5  # type: ignore[union-attr]


def test_a_search_from_the_start_lists_no_deals() -> None:
    """Also in Python, and where chance deals what is not known before the search."""
    game = gdl.loads(AT_THE_START, engine="reference")
    known = known_at(game, None, Random(2))
    assert len(hand_of(known)) == 3
    assert solvers.solve(game, "ismcts", simulations=50).work.rounds == 50


SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("three_player_kuhn", {}),
    ("liars_dice", {"sides": 3}),
    ("liars_dice", {"dice": 2, "sides": 2}),
]


@pytest.mark.parametrize(("name", "params"), SMALL, ids=str)
def test_what_is_drawn_is_distributed_as_what_can_be_listed(name: str, params: dict[str, Any]) -> None:
    """Ways that keep what was seen, and steps from one to another, beside all starts with their weights."""
    game = gdl.load(name, engine="reference", **params)
    starts = game.initial()
    for player in range(2):
        seen = game.observation(starts[0].position, player)
        fitting = {
            one.position: one.probability for one in starts if game.observation(one.position, player) == seen
        }
        total = sum(fitting.values())
        true = {position: Fraction(share) / Fraction(total) for position, share in fitting.items()}
        draw = LargeDraw(game, player, seen)
        rng = Random(4)
        ways = draw.ways(None, None, 1500, rng)
        weighed: Counter[Any] = Counter()
        for way in ways:
            weighed[way.position] += way.weight / sum(one.weight for one in ways)
        alike(weighed, true)
        walked: Counter[Any] = Counter()
        way = ways[0]
        for _ in range(3000):
            way = draw.varied(way, None, None, rng)
            walked[way.position] += 1 / 3000
        alike(walked, true)


def alike(found: Counter[Any], true: dict[Any, Fraction]) -> None:
    assert set(found) == set(true)
    assert all(abs(found[position] - share) < 0.08 for position, share in true.items())
