"""A play of a game: made move by move, taken back, and remembered.

    >>> import gdl
    >>> play = gdl.Play(gdl.load("pig"), seed=1)
    >>> step = play.make("roll")
    >>> len(play), play.undo(), len(play)
    (1, None, 0)

Works with every game of the protocol. Where chance decides, it uses the generator that the play was given,
or the outcome that the caller names.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, Generic, Protocol, TypeVar, cast, runtime_checkable

from gdl.answers import check_game
from gdl.diagnostics import GameError
from gdl.diagnostics import notation as wording
from gdl.game import TERMINAL, Game, Number, Outcome

P = TypeVar("P", bound=Hashable)
M = TypeVar("M", bound=Hashable)


@runtime_checkable
class Samples(Protocol):
    """A game that can follow one way for chance to go without listing all.

    What it returns starts like an Outcome; a fourth item, if any, holds what chance did, in words.
    """

    def sample(self, position: Any, move: Any, rng: Random) -> tuple[Any, ...]: ...

    def sample_initial(self, rng: Random) -> tuple[Any, ...]: ...


@runtime_checkable
class ConcealsMoves(Protocol):
    """A game in which the parameters of some moves are hidden from those who do not make them."""

    def observed_move(self, move: Any, player: int, mover: int) -> Hashable: ...


@dataclass(frozen=True, slots=True)
class Step(Generic[P, M]):
    """One thing that happened: who moved, what chance added, where it led and what it paid.

    The first step of a play that starts at the beginning is the initial draw: it has no move.
    """

    mover: int | None
    move: M | None
    position: P  # after it
    probability: Number  # of the outcome, given the move
    rewards: tuple[Number, ...]
    label: str = ""  # what chance did, in words


class Play(Generic[P, M]):
    """A play in progress."""

    def __init__(
        self,
        game: Game[P, M],
        position: P | None = None,
        *,
        rng: Random | None = None,
        seed: int | None = None,
        outcome: int | None = None,
    ):
        """Starts in `position`, or else in an initial position: the one with number `outcome`, the only
        one, or one that `rng` draws. A `seed` makes a generator."""
        check_game(game)
        self.game = game
        self.rng = Random(seed) if rng is None and seed is not None else rng
        self._samples = isinstance(game, Samples)
        if position is not None:
            start: Step[P, M] = Step(None, None, position, 1, self._nothing)
        else:
            start = self._begin(outcome)
        self._steps: list[Step[P, M]] = [start]
        self._undone: list[Step[P, M]] = []

    def copy(self) -> Play[P, M]:
        """The same play, to be gone on with apart from this one; both draw from one generator."""
        other = copy(self)
        other._steps, other._undone = list(self._steps), list(self._undone)
        return other

    # -------------------------------------------------------------- where it stands

    @property
    def position(self) -> P:
        return self._steps[-1].position

    @property
    def before(self) -> P:
        """The position before the last move; the start where none was made."""
        return self._steps[max(len(self._steps) - 2, 0)].position

    @property
    def to_move(self) -> int:
        """The player to move, or CHANCE, or TERMINAL."""
        return self.game.to_move(self.position)

    @property
    def finished(self) -> bool:
        return self.to_move == TERMINAL

    @property
    def start(self) -> Step[P, M]:
        return self._steps[0]

    @property
    def history(self) -> tuple[Step[P, M], ...]:
        """The moves so far, without the start."""
        return tuple(self._steps[1:])

    def __len__(self) -> int:
        """How many moves have been made."""
        return len(self._steps) - 1

    def moves(self) -> Sequence[M]:
        """The legal moves."""
        return self.game.moves(self.position)

    @property
    def rewards(self) -> tuple[Number, ...]:
        """What each player was paid on the way so far, later payments discounted."""
        total = list(self._steps[0].rewards)
        factor = Fraction(1)
        for step in self._steps[1:]:
            total = [paid + factor * reward for paid, reward in zip(total, step.rewards, strict=True)]
            factor *= self.game.traits.discount
        return tuple(total)

    def paid_in_doubles(self) -> tuple[list[float], float]:
        """`rewards`, and the discount of what follows, as machine code adds up move by move: every payment,
        factor and sum is rounded."""
        total = [float(paid) for paid in self._steps[0].rewards]
        factor, discount = 1.0, float(self.game.traits.discount)
        for step in self._steps[1:]:
            total = [paid + factor * float(reward) for paid, reward in zip(total, step.rewards, strict=True)]
            factor *= discount
        return total, factor

    @property
    def returns(self) -> tuple[Number, ...]:
        """What each player got in all from a finished play: the rewards and the utility, discounted."""
        factor = self.game.traits.discount ** len(self)
        utility = self.game.utility(self.position)
        return tuple(paid + factor * final for paid, final in zip(self.rewards, utility, strict=True))

    def information(self, player: int) -> tuple[Hashable, ...]:
        """All that the player has seen, in order (perfect recall): observations, and moves with who made
        them, as far as they were shown. Equal for two plays exactly if the player cannot tell them apart.
        """
        game = self.game
        conceals = isinstance(game, ConcealsMoves)
        seen: list[Hashable] = [game.observation(self._steps[0].position, player)]
        for step in self._steps[1:]:
            assert step.mover is not None
            move: Hashable = step.move
            if conceals:
                move = game.observed_move(step.move, player, step.mover)  # type: ignore[attr-defined]
            seen.extend([(step.mover, move), game.observation(step.position, player)])
        return tuple(seen)

    # ------------------------------------------------------------------ making moves

    def make(self, move: M | str, to: P | None = None, *, outcome: int | None = None) -> Step[P, M]:
        """Makes a legal move, given as itself or as text; forgets what was undone.

        What chance does is said by the position it leads `to` or the number of the outcome, or drawn.
        Raises GameError that names the legal moves if this is none of them, ValueError if chance cannot
        do what is said.
        """
        legal = self._legal(move)
        step = self._happen(legal, outcome, to)
        self._steps.append(step)
        self._undone.clear()
        return step

    def draw(self) -> Step[P, M]:
        """Makes a move for chance, where chance is the player to move."""
        moves = self.game.chance(self.position)
        chosen = weighted(self._generator(), [probability for _, probability in moves])
        return self.make(moves[chosen][0])

    def take_up(self, move: M, position: P, rewards: Sequence[Number] = (), label: str = "") -> None:
        """Adds a step that somebody remembers and nobody doubts: it is not made again."""
        paid = tuple(rewards) or self._nothing
        self._steps.append(Step(self.to_move, move, position, 1, paid, label))
        self._undone.clear()

    def undo(self, count: int = 1) -> None:
        """Takes back the last moves; raises IndexError if there are not so many."""
        if not 0 <= count < len(self._steps):
            raise IndexError(f"cannot take back {count} of {len(self._steps) - 1} moves")
        for _ in range(count):
            self._undone.append(self._steps.pop())

    @property
    def can_redo(self) -> bool:
        """Whether a move was taken back and none made since."""
        return bool(self._undone)

    def redo(self, count: int = 1) -> None:
        """Makes moves again that were taken back; raises IndexError if there are not so many."""
        if not 0 <= count <= len(self._undone):
            raise IndexError(f"cannot make {count} of {len(self._undone)} moves again")
        for _ in range(count):
            self._steps.append(self._undone.pop())

    def __str__(self) -> str:
        """The moves so far, each with what chance did."""
        shown = []
        for step in self._steps[1:]:
            assert step.move is not None
            text = self.game.format_move(step.move)
            shown.append(f"{text} [{step.label}]" if step.label else text)
        return " ".join(shown)

    def __repr__(self) -> str:
        return f"<play of {self.game.name}, {len(self)} moves: {self}>"

    def _repr_html_(self) -> str:
        from gdl.diagnostics import html

        draw = getattr(self.game, "svg", None)
        drawn = html.raw(draw(self.position)) if draw is not None else html.words(str(self.position))
        paid = [(name, str(paid)) for name, paid in zip(self.game.players, self.returns, strict=True)]
        whose = f"{self.game.players[self.to_move]} to move" if self.to_move >= 0 else ""
        beside = ", ".join(filter(None, [f"{len(self)} moves", "finished" if self.finished else whose]))
        return html.card(
            self.game.name, html.words(str(self)), drawn, html.facts(paid if self.finished else ()),
            beside=beside,
        )  # fmt: skip

    # ----------------------------------------------------------------------- helpers

    @property
    def _nothing(self) -> tuple[Number, ...]:
        return (0,) * len(self.game.players)

    def _begin(self, outcome: int | None) -> Step[P, M]:
        if outcome is None and self.rng is not None and self._samples:
            return _step(None, None, cast(Samples, self.game).sample_initial(self.rng))
        return _step(None, None, self._choose(self.game.initial(), outcome, None))

    def _happen(self, move: M, number: int | None, to: P | None) -> Step[P, M]:
        mover = self.to_move
        if number is None and to is None and self.rng is not None and self._samples:
            return _step(mover, move, cast(Samples, self.game).sample(self.position, move, self.rng))
        return _step(mover, move, self._choose(self.game.outcomes(self.position, move), number, to))

    def _choose(self, outcomes: Sequence[Outcome], number: int | None, to: P | None) -> Outcome:
        if number is not None:
            if not 0 <= number < len(outcomes):
                raise ValueError(f"there is no outcome {number}, only 0 to {len(outcomes) - 1}")
            return outcomes[number]
        if to is not None:
            for outcome in outcomes:
                if outcome.position == to:
                    return outcome
            raise ValueError(f"chance cannot lead to {to}")
        if len(outcomes) == 1:
            return outcomes[0]
        return outcomes[weighted(self._generator(), [outcome.probability for outcome in outcomes])]

    def _legal(self, move: M | str) -> M:
        position = self.position
        if isinstance(move, str):
            return self.game.parse_move(position, move)
        legal = self.game.moves(position)
        if move in legal:
            return move
        text = self.game.format_move(move)
        if self.finished:
            raise GameError([wording.game_over(text, None)])
        raise GameError([wording.illegal_move(text, [self.game.format_move(m) for m in legal], None)])

    def _generator(self) -> Random:
        if self.rng is None:
            raise ValueError("chance decides here: give the play a random generator, or name the outcome")
        return self.rng


def _step(mover: int | None, move: M | None, happened: tuple[Any, ...]) -> Step[Any, M]:
    position, probability, rewards, *labels = happened
    label = labels[0][0] if labels and labels[0] else ""
    return Step(mover, move, position, probability, rewards, label)


def weighted(rng: Random, probabilities: Sequence[Number]) -> int:
    """A number drawn with the given probabilities, to the precision of floats."""
    point = rng.random()
    for number, probability in enumerate(probabilities):
        point -= float(probability)
        if point < 0:
            return number
    return len(probabilities) - 1  # rounding of floats may leave a trace
