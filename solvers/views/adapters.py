"""A game seen differently: other players as chance, all others as one opponent, nothing hidden.

Each adapter is itself a Game, so that every solver works on it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome, Traits
from solvers.core.refusal import Refusal, bad_option
from solvers.core.result import Distribution
from solvers.core.rounding import exact_twin

PolicyFunction = Callable[[Any], Distribution]
"""From a position to the probabilities of its moves."""


class Uniform:
    """The policy by which every legal move is equally likely."""

    def __init__(self, game: Game[Any, Any]):
        self.game = game

    def __call__(self, position: Any) -> Distribution:
        moves = self.game.moves(position)
        return {move: Fraction(1, len(moves)) for move in moves}


def uniform(game: Game[Any, Any]) -> PolicyFunction:
    """Every legal move is equally likely."""
    return Uniform(game)


def checked(game: Game[Any, Any], policy: PolicyFunction) -> PolicyFunction:
    """The policy, which refuses with the position where it does not give probabilities of legal moves."""
    return policy if isinstance(policy, Uniform | _Checked) else _Checked(game, policy)


class _Checked:
    def __init__(self, game: Game[Any, Any], policy: PolicyFunction):
        self.game = game
        self.policy = policy

    def __call__(self, position: Any) -> Distribution:
        found = self.policy(position)
        if not isinstance(found, Mapping):
            raise self._wrong(position, f"it gives {found!r}", "Give a mapping of moves to probabilities.")
        legal = self.game.moves(position)
        for move, probability in found.items():
            if move not in legal:
                names = listing([self.game.format_move(each) for each in legal])
                raise self._wrong(position, f"{move!r} is no legal move", f"Legal moves: {names}.")
            if not isinstance(probability, int | float | Fraction) or not 0 <= probability <= 1:
                raise self._wrong(position, f"{probability!r} is no probability", "Use numbers from 0 to 1.")
        total: Number = sum(found.values())
        if abs(float(total) - 1) > 1e-9 if isinstance(total, float) else total != 1:
            raise self._wrong(position, f"its probabilities sum to {total}", "Make them sum to 1.")
        return found

    def _wrong(self, position: Any, what: str, hint: str) -> Refusal:
        player = self.game.players[self.game.to_move(position)]
        where = self.game.format_position(position)
        return bad_option(f"the policy of {player} is none in {where}: {what}.", hint)


class Delegate:
    """A game that answers like another one; subclasses change some of the answers."""

    def __init__(self, base: Game[Any, Any]):
        self.base = base

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def players(self) -> tuple[str, ...]:
        return self.base.players

    @property
    def traits(self) -> Traits:
        return self.base.traits

    def initial(self) -> Sequence[Outcome]:
        return self.base.initial()

    def to_move(self, position: Any) -> int:
        return self.base.to_move(position)

    def moves(self, position: Any) -> Sequence[Any]:
        return self.base.moves(position)

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        return self.base.chance(position)

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return self.base.outcomes(position, move)

    def utility(self, position: Any) -> tuple[Number, ...]:
        return self.base.utility(position)

    def features(self, position: Any) -> Mapping[str, Number]:
        return self.base.features(position)

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        return self.base.evaluate(position)

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, player)

    def show(self, position: Any) -> str:
        return self.base.show(position)

    def format_position(self, position: Any) -> str:
        return self.base.format_position(position)

    def parse_position(self, text: str) -> Any:
        return self.base.parse_position(text)

    def format_move(self, move: Any) -> str:
        return self.base.format_move(move)

    def parse_move(self, position: Any, text: str) -> Any:
        return self.base.parse_move(position, text)


class Determinised(Delegate):
    """The same game with nothing hidden: for a position whose hidden part has been guessed."""

    def __init__(self, base: Game[Any, Any]):
        super().__init__(base)
        # Machine code has nothing to hide: kernels may run it.
        self.compiled = getattr(base, "compiled", None)

    def exact_twin(self) -> Determinised:
        return Determinised(exact_twin(self.base))

    @property
    def traits(self) -> Traits:
        return replace(self.base.traits, hidden=False)


class OnePlayer(Delegate):
    """What the game pays one player; subclasses say what becomes of the others."""

    def __init__(self, base: Game[Any, Any], player: int):
        super().__init__(base)
        self.player = player

    def pays(self, amounts: tuple[Number, ...]) -> tuple[Number, ...]:
        """The amounts of this game's players from those of all players (none when nothing is paid)."""
        return amounts[self.player : self.player + 1]

    def initial(self) -> Sequence[Outcome]:
        return [self._projected(outcome) for outcome in self.base.initial()]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return [self._projected(outcome) for outcome in self.base.outcomes(position, move)]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return self.pays(self.base.utility(position))

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        estimates = self.base.evaluate(position)
        return None if estimates is None else self.pays(estimates)

    def features(self, position: Any) -> Mapping[str, Number]:
        """Features speak for the first player; for the second of two opposed players they change sign."""
        features = self.base.features(position)
        opposed = self.player == 1 and self.base.traits.zero_sum
        return {name: -value for name, value in features.items()} if opposed else features

    def _projected(self, outcome: Outcome) -> Outcome:
        return Outcome(outcome.position, outcome.probability, self.pays(outcome.rewards))


class AgainstPolicies(OnePlayer):
    """The one-player game that remains when all other players follow policies: they become chance."""

    def __init__(self, base: Game[Any, Any], player: int, policies: Mapping[int, PolicyFunction]):
        super().__init__(base, player)
        self.policies = policies

    @property
    def players(self) -> tuple[str, ...]:
        return (self.base.players[self.player],)

    @property
    def traits(self) -> Traits:
        traits = self.base.traits
        one = slice(self.player, self.player + 1)
        return replace(
            traits,
            players=1,
            zero_sum=False,
            chance=True,
            utility_bounds=traits.utility_bounds[one],
            endless=traits.endless[one],
            chance_moves=(),
        )

    def to_move(self, position: Any) -> int:
        player = self.base.to_move(position)
        return player if player == TERMINAL else 0 if player == self.player else CHANCE

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        player = self.base.to_move(position)
        if player == CHANCE:
            return self.base.chance(position)
        moves = self.policies[player](position)
        return [(move, probability) for move, probability in moves.items() if probability > 0]

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, self.player)


class Coalition(OnePlayer):
    """The duel between one player and all others, who have agreed to hurt that player."""

    @property
    def players(self) -> tuple[str, ...]:
        return (self.base.players[self.player], "the others")

    @property
    def traits(self) -> Traits:
        traits = self.base.traits
        low, high = traits.utility_bounds[self.player] if traits.utility_bounds else (None, None)
        endless = traits.endless[self.player] if traits.endless else Fraction(0)
        bounds = () if low is None or high is None else ((low, high), (-high, -low))
        return replace(traits, players=2, zero_sum=True, utility_bounds=bounds, endless=(endless, -endless))

    def pays(self, amounts: tuple[Number, ...]) -> tuple[Number, ...]:
        return (amounts[self.player], -amounts[self.player]) if amounts else ()

    def to_move(self, position: Any) -> int:
        player = self.base.to_move(position)
        return player if player < 0 else 0 if player == self.player else 1

    def observation(self, position: Any, player: int) -> Hashable:
        return self.base.observation(position, self.player)
