"""The laws that every game obeys on every engine: each file in games/ x each engine, on random plays.

A new game or engine is found by itself; nothing here knows a particular game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL, Game, Number
from gdl.loading import game_of, load_model, read_source
from gdl.model.nodes import Model
from gdl.playing.play import Play

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.gdl"))
ENGINES = ("reference", "native")

WALKS = 3
WALK_LENGTH = 25
LONGEST_PLAY = 20_000
PLAYS_OF_HIDDEN_GAMES = 100
MOST_MOVES = 12
"""Of more legal moves than this, so many are made, spread evenly."""


@dataclass(frozen=True)
class Played:
    """A game on an engine, and positions met in random plays of it, in order."""

    game: Game[Any, Any]
    model: Model
    exact: bool
    positions: tuple[Any, ...]
    made: dict[Any, tuple[tuple[Any, ...], ...]]
    """The outcomes of each move made in a position."""

    def sums_to_one(self, probabilities: list[Number]) -> bool:
        total = sum(probabilities)
        return total == 1 if self.exact else isclose(total, 1, abs_tol=1e-9)


@cache
def play_out(path: Path, engine: str) -> Played:
    model = load_model(read_source(path))
    game = game_of(model, engine)
    positions = dict.fromkeys(
        position for seed in range(WALKS) for position in islice(walk(game, Random(seed)), WALK_LENGTH)
    )
    made = {position: tuple(outcomes(game, position)) for position in positions}
    return Played(game, model, engine == "reference", tuple(positions), made)


def outcomes(game: Game[Any, Any], position: Any) -> Iterator[tuple[Any, ...]]:
    moves = game.moves(position)
    for move in moves[:: -(-len(moves) // MOST_MOVES) or 1]:
        yield tuple(game.outcomes(position, move))


def walk(game: Game[Any, Any], rng: Random) -> Iterator[Any]:
    """The positions of a random play."""
    play = Play(game, rng=rng)
    yield play.position
    while not play.finished:
        if play.to_move == CHANCE:
            play.draw()
        else:
            play.make(rng.choice(play.moves()))
        yield play.position


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=GAMES, ids=lambda path: path.stem)
def played(request: pytest.FixtureRequest, engine: str) -> Played:
    return play_out(request.param, engine)


def test_it_is_a_game(played: Played) -> None:
    game = played.game
    assert isinstance(game, Game)
    assert game.name == played.model.name
    assert len(game.players) == game.traits.players == played.model.players.size
    assert len(game.traits.utility_bounds) == len(game.traits.endless) == game.traits.players


def test_someone_is_to_move_or_the_game_is_over(played: Played) -> None:
    game = played.game
    for position in played.positions:
        mover = game.to_move(position)
        assert mover in (CHANCE, TERMINAL) or 0 <= mover < game.traits.players
        assert (len(game.moves(position)) == 0) == (mover == TERMINAL)


def test_legal_moves_are_distinct_and_always_the_same(played: Played) -> None:
    game = played.game
    for position in played.positions:
        moves = game.moves(position)
        assert len(set(moves)) == len(moves)
        assert list(game.moves(game.parse_position(game.format_position(position)))) == list(moves)


def test_outcomes_are_distinct_and_their_probabilities_sum_to_one(played: Played) -> None:
    game = played.game
    for position in played.positions:
        for found in played.made[position]:
            assert len({(o.position, o.rewards) for o in found}) == len(found)
            assert all(o.probability > 0 for o in found)
            assert played.sums_to_one([o.probability for o in found])
            assert all(len(o.rewards) == game.traits.players for o in found)


def test_moves_of_chance_have_probabilities_that_sum_to_one(played: Played) -> None:
    game = played.game
    for position in played.positions:
        if game.to_move(position) == CHANCE:
            chances = game.chance(position)
            assert [move for move, _ in chances] == list(game.moves(position))
            assert all(probability > 0 for _, probability in chances)
            assert played.sums_to_one([probability for _, probability in chances])


def test_samples_are_outcomes(played: Played) -> None:
    game, rng = played.game, Random(0)
    sample = getattr(game, "sample", None)
    if sample is None:
        pytest.skip("this engine does not sample")
    for position in played.positions:
        for move in game.moves(position)[:3]:
            places = {o.position: o.rewards for o in game.outcomes(position, move)}
            assert sample(position, move, rng)[0] in places


def test_positions_are_values_that_read_back_as_printed(played: Played) -> None:
    game = played.game
    for position in played.positions:
        text = game.format_position(position)
        again = game.parse_position(text)
        assert again == position and hash(again) == hash(position)
        assert game.format_position(again) == text
        assert "\n" not in text
        assert game.show(position) == game.show(again)
    texts = {game.format_position(position) for position in played.positions}
    assert len(texts) == len(played.positions)
    shuffled = Random(0).sample(played.positions, len(played.positions))
    assert sorted(played.positions) == sorted(shuffled)


def test_moves_read_back_as_printed(played: Played) -> None:
    game, rng = played.game, Random(0)
    for position in played.positions:
        moves = list(game.moves(position))
        for move in rng.sample(moves, min(len(moves), 3)):  # reading one lists them all
            assert game.parse_move(position, game.format_move(move)) == move


def test_what_a_player_sees_depends_on_the_position_alone(played: Played) -> None:
    """However a position was reached, and whatever outcomes were merged into it, it looks the same."""
    game = played.game
    for position in played.positions:
        again = game.parse_position(game.format_position(position))
        for player in range(game.traits.players):
            seen = game.observation(position, player)
            assert seen == game.observation(again, player)
            assert hash(seen) == hash(game.observation(again, player))


def test_everything_is_seen_unless_something_is_hidden(played: Played) -> None:
    game = played.game
    if game.traits.hidden:
        pytest.skip("hides something")
    for player in range(game.traits.players):
        seen = {game.observation(position, player) for position in played.positions}
        assert len(seen) == len(played.positions)


def test_players_know_their_own_legal_moves(played: Played) -> None:
    """Where a player cannot tell two plays apart the same moves are legal, or legality would leak."""
    game = played.game
    if not game.traits.hidden:
        pytest.skip("hides nothing")
    known: dict[Any, list[Any]] = {}
    for seed in range(PLAYS_OF_HIDDEN_GAMES):
        rng = Random(seed)
        play = Play(game, rng=rng)
        while not play.finished and len(play.history) < WALK_LENGTH:
            mover, moves = play.to_move, list(play.moves())
            if mover == CHANCE:
                play.draw()
            else:
                assert known.setdefault((mover, play.information(mover)), moves) == moves
                play.make(rng.choice(moves))


def test_utilities_keep_their_bounds(played: Played) -> None:
    game = played.game
    for position in played.positions:
        if game.to_move(position) == TERMINAL:
            utility = game.utility(position)
            assert len(utility) == game.traits.players
            for value, (least, most) in zip(utility, game.traits.utility_bounds, strict=True):
                assert least <= value <= most


def test_traits_are_true(played: Played) -> None:
    game, traits = played.game, played.game.traits
    assert traits.random_start or len(game.initial()) == 1
    for position in played.positions:
        made = played.made[position]
        found = [o for outcomes in made for o in outcomes]
        assert traits.chance or (len(found) == len(made) and game.to_move(position) != CHANCE)
        assert traits.rewards or not any(any(o.rewards) for o in found)
        if traits.zero_sum:
            assert all(sum(o.rewards) == 0 for o in found)
            assert game.to_move(position) != TERMINAL or sum(game.utility(position)) == 0


def test_features_and_evaluation_are_numbers(played: Played) -> None:
    game = played.game
    for position in played.positions:
        assert set(game.features(position)) == set(played.model.features)
        estimate = game.evaluate(position)
        assert (estimate is None) == (played.model.evaluate is None)
        assert estimate is None or len(estimate) == game.traits.players


def test_passing_hands_the_turn_on_and_nothing_else(played: Played) -> None:
    for position in played.positions:
        passed = played.game.passed(position)
        if passed is not None:
            changed = [a != b for a, b in zip(position.values, passed.values, strict=True)]
            assert sum(changed) == (len(played.game.players) > 1)


def test_initial_positions_sum_to_one(played: Played) -> None:
    try:
        start = played.game.initial()
    except Fault as fault:
        if fault.code != "F007":
            raise
        pytest.skip("more starts than can be listed")
    assert played.sums_to_one([o.probability for o in start])
    assert len({o.position for o in start}) == len(start)


def test_random_plays_end_or_repeat(played: Played) -> None:
    seen = set()
    for position in islice(walk(played.game, Random(1)), LONGEST_PLAY):
        if position in seen:
            assert not played.game.traits.acyclic
            return
        seen.add(position)
    assert len(seen) < LONGEST_PLAY
