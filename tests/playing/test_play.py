"""Plays: made, taken back, remembered. On a hand-made game of the protocol and on the reference engine."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from gdl.diagnostics import GameError
from gdl.game import CHANCE, TERMINAL, Outcome, Traits
from gdl.playing.play import Play
from gdl.reference.engine import ReferenceGame
from tests.reference import models


class Climb:
    """A user's own game: climb from 0 to 3, a step of 1 or one that a coin makes 0 or 2; each costs 1."""

    name = "climb"
    players = ("climber",)
    traits = Traits(1, False, True, False, False, False, True, Fraction(1, 2))

    def initial(self) -> list[Outcome]:
        return [Outcome(0, 1, (0,))]

    def to_move(self, position: int) -> int:
        return TERMINAL if position >= 3 else 0

    def moves(self, position: int) -> list[str]:
        return ["step", "leap"] if position < 3 else []

    def chance(self, position: int) -> list[tuple[str, Fraction]]:
        raise NotImplementedError

    def outcomes(self, position: int, move: str) -> list[Outcome]:
        if move == "step":
            return [Outcome(position + 1, 1, (-1,))]
        return [Outcome(position, Fraction(1, 2), (-1,)), Outcome(position + 2, Fraction(1, 2), (-1,))]

    def utility(self, position: int) -> tuple[int]:
        return (8,)

    def features(self, position: int) -> dict[str, int]:
        return {}

    def evaluate(self, position: int) -> None:
        return None

    def observation(self, position: int, player: int) -> int:
        return position

    def show(self, position: int) -> str:
        return str(position)

    format_position = show

    def parse_position(self, text: str) -> int:
        return int(text)

    def format_move(self, move: str) -> str:
        return move

    def parse_move(self, position: int, text: str) -> str:
        if text not in self.moves(position):
            raise GameError([])
        return text


def test_a_play_of_a_users_own_game() -> None:
    play = Play(Climb())
    play.make("step")
    play.make("leap", outcome=1)
    assert play.finished and play.to_move == TERMINAL
    assert play.moves() == []
    assert [(s.mover, s.move, s.position, s.probability) for s in play.history] == [
        (0, "step", 1, 1),
        (0, "leap", 3, Fraction(1, 2)),
    ]
    assert play.rewards == (-1 - Fraction(1, 2),)
    assert play.returns == (Fraction(-3, 2) + Fraction(1, 4) * 8,)
    assert str(play) == "step leap"


def test_undo_and_redo() -> None:
    play = Play(Climb())
    play.make("step")
    play.make("step")
    play.undo()
    assert play.position == 1
    play.redo()
    assert play.position == 2
    play.undo(2)
    assert play.position == 0 and play.history == ()
    play.make("leap", to=2)
    with pytest.raises(IndexError):
        play.redo()
    with pytest.raises(IndexError):
        play.undo(2)


def test_chance_is_decided_by_the_generator_or_by_name() -> None:
    play = Play(Climb(), rng=Random(0))
    assert play.make("leap").position in (0, 2)
    undecided = Play(Climb())
    with pytest.raises(ValueError, match="random generator"):
        undecided.make("leap")
    with pytest.raises(ValueError, match="cannot lead to 1"):
        undecided.make("leap", to=1)
    with pytest.raises(ValueError, match="no outcome 2"):
        undecided.make("leap", outcome=2)
    assert undecided.history == ()


def test_plays_repeat_with_their_seed() -> None:
    def run(seed: int) -> list[Any]:
        play = Play(Climb(), rng=Random(seed))
        while not play.finished and len(play.history) < 20:
            play.make("leap")
        return [step.position for step in play.history]

    assert run(5) == run(5)
    assert len({tuple(run(seed)) for seed in range(20)}) > 1


def test_starting_elsewhere_and_illegal_moves() -> None:
    game = ReferenceGame(models.tictactoe())
    play = Play(game, game.parse_position("board=[x x . o o . . . .]"))
    with pytest.raises(GameError) as caught:
        play.make("place(a1)")
    assert caught.value.diagnostics[0].code == "P007"
    with pytest.raises(GameError) as caught:
        play.make(game.parse_move(play.position, "place(c1)").concealed())
    assert caught.value.diagnostics[0].code == "P007"
    play.make("place(c1)")
    assert play.finished and play.returns == (1, -1)
    for late in ("place(c3)", play.history[0].move):
        assert late is not None
        with pytest.raises(GameError) as caught:
            play.make(late)
        assert caught.value.diagnostics[0].code == "P010"


def test_information_is_what_was_seen_in_order() -> None:
    from tests.reference.test_engine import card_game

    game = card_game()

    def after(position: str, *moves: str) -> Play[Any, Any]:
        play = Play(game, game.parse_position(position))
        for move in moves:
            play.make(move)
        return play

    one = after("card=[queen king]", "bid(1)", "call(2)")
    other = after("card=[queen jack]", "bid(2)", "call(2)")
    assert one.information(1) != other.information(1)  # bob's own card differs
    same = after("card=[jack king]", "bid(2)", "call(2)")
    assert one.information(1) == same.information(1)
    assert one.information(0) != same.information(0)
    assert one.information(0) != other.information(0)  # alice remembers her own bid
    assert hash(one.information(1)) == hash(same.information(1))


def test_chance_as_a_player_is_drawn() -> None:
    from tests.reference.models import local
    from tests.reference.test_engine import chance_game

    play = Play(chance_game(local(0)), rng=Random(3))
    play.make("add(1)")
    assert play.to_move == CHANCE
    step = play.draw()
    assert step.mover == CHANCE and str(step.move) in ("add(1)", "add(2)")
