"""The worlds that fit what was seen, and how probable they are: as counted over all histories."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import gdl
from gdl.game import Game
from solvers.hidden.game_tree import GameTree, InformationSet, game_tree
from solvers.hidden.kernels.worlds import CompiledBelief, positions_of
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief
from tests.hidden.drawn_games import hidden_game

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("liars_dice", {"sides": 3}),
    ("two_handed_whist", {"suits": 2, "ranks": 3}),
    ("whist", {"ranks": 2, "cards": 1, "trumps": False}),
    ("battleships", {"rows": 2, "cols": 2, "shortest": 1, "longest": 1}),
    ("goofspiel", {"cards": 3}),
]


def by_histories(tree: GameTree, information: InformationSet) -> dict[Any, Fraction]:
    """The probabilities of the positions of an information set where others move at random, from the tree."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    waiting = [(tree.root, Fraction(1))]
    while waiting:
        node, reach = waiting.pop()
        if node.information is information:
            found[node.position] += reach
            continue
        moves = Fraction(1, len(node.after) or 1)
        if node.information is not None and node.information.player == information.player:
            moves = Fraction(1)
        for number, after in enumerate(node.after):
            waiting.append((after, reach * (Fraction(node.odds[number]) if node.odds else moves)))
    total = sum(found.values())
    return {position: reach / total for position, reach in found.items()}


def some_sets(tree: GameTree, rng: Random, count: int) -> list[InformationSet]:
    every = [one for found in tree.information_sets for one in found if one.histories > 1]
    return rng.sample(every, min(count, len(every)))


def known_in(information: InformationSet) -> Known:
    return Known(information.player, information.seen, information.moves)


def small(name: str, params: dict[str, Any]) -> Game[Any, Any]:
    return gdl.load(name, engine="reference", **params)


@pytest.mark.parametrize(("name", "params"), SMALL, ids=str)
def test_all_worlds_have_their_probabilities(name: str, params: dict[str, Any]) -> None:
    game = small(name, params)
    tree = game_tree(game)
    belief = Belief(game)
    for one in some_sets(tree, Random(1), 8):
        worlds = belief.worlds(known_in(one), Random(0))
        assert worlds.exact
        assert dict(zip(worlds.positions, worlds.weights, strict=True)) == by_histories(tree, one)


@pytest.mark.parametrize(("name", "params"), SMALL, ids=str)
def test_machine_code_finds_the_same_worlds(name: str, params: dict[str, Any]) -> None:
    """All of them with their probabilities, and samples that are distributed alike."""
    compare_compiled(gdl.load(name, **params), 3)


@pytest.mark.parametrize("seed", range(6))
def test_machine_code_finds_the_same_worlds_in_generated_games(seed: int) -> None:
    compare_compiled(gdl.loads(hidden_game(seed)), 3)


def compare_compiled(game: Game[Any, Any], count: int) -> None:
    tree = game_tree(game)
    for seed, one in enumerate(some_sets(tree, Random(1), count)):
        true = {position: float(share) for position, share in by_histories(tree, one).items()}
        question = one.player, one.seen, one.moves, seed
        positions, odds, exact = positions_of(game, CompiledBelief(game).worlds(*question), 0)
        assert exact and set(positions) == set(true)
        assert all(
            abs(share - true[position]) < 1e-12 for position, share in zip(positions, odds, strict=True)
        )
        sample = CompiledBelief(game, most=0, particles=2000).worlds(*question)
        positions, odds, exact = positions_of(game, sample, 0)
        assert not exact
        alike(dict(zip(positions, odds, strict=True)), true, 2000)


def alike(drawn: dict[Any, float], true: dict[Any, float], count: int) -> None:
    """Half the sum of differences, as it comes out for so many draws that are resampled on their way."""
    assert set(drawn) <= set(true)
    apart = sum(abs(drawn.get(position, 0) - share) for position, share in true.items()) / 2
    assert apart < 0.06 + 1.2 * (len(true) / count) ** 0.5


@pytest.mark.parametrize(("name", "params"), SMALL, ids=str)
def test_samples_of_worlds_are_distributed_alike(name: str, params: dict[str, Any]) -> None:
    """Also where the sample was resampled and varied on its way."""
    game = small(name, params)
    tree = game_tree(game)
    for seed, one in enumerate(some_sets(tree, Random(2), 1)):
        worlds = Belief(game, most=0, particles=400).worlds(known_in(one), Random(seed))
        assert not worlds.exact
        drawn = dict(zip(worlds.positions, map(float, worlds.weights), strict=True))
        alike(drawn, {position: float(share) for position, share in by_histories(tree, one).items()}, 400)
