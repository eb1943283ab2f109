"""Policies as functions: from a position to the probabilities of its moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import Game, Number
from solvers.core.graph import rational
from solvers.core.refusal import Refusal, bad_option
from solvers.core.result import Distribution

PolicyFunction = Callable[[Any], Distribution]
"""From a position to the probabilities of its moves."""


ByPlayer = Mapping[int, PolicyFunction] | Mapping[str, PolicyFunction]
"""Policies of players, by their numbers or by their names."""


Policies = PolicyFunction | ByPlayer
"""One policy for all other players, or one for each by number or by name."""


def by_number(game: Game[Any, Any], policies: ByPlayer) -> dict[int, PolicyFunction]:
    """The same policies by the numbers of their players; refuses a name that is no player's."""
    found = {}
    for player, policy in policies.items():
        if isinstance(player, str) and player not in game.players:
            names = listing(game.players, most=len(game.players))
            raise bad_option(f"{game.name} has no player `{player}`", f"Its players: {names}.")
        found[game.players.index(player) if isinstance(player, str) else player] = policy
    return found


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


def exact_odds(odds: Distribution) -> dict[Any, Fraction]:
    """The same probabilities in rationals, which sum to 1: what policies, chance and numbers that are paid
    make of them is then as exact as the game.

    A float is read once, as the shortest decimal that is read as this float: 0.1 is a tenth. Where these
    decimals do not sum to 1 (of 1/3 and 2/3, say) each is divided by their sum.
    """
    read = {move: rational(probability) for move, probability in odds.items()}
    whole = sum(read.values(), Fraction(0))
    return read if whole == 1 else {move: probability / whole for move, probability in read.items()}


_A_POLICY = 'Give a function of the position; `gdl.evaluate(game, first="random")` takes descriptions.'


def checked(game: Game[Any, Any], policy: PolicyFunction) -> PolicyFunction:
    """The policy in rationals (`exact_odds`), which refuses with the position where it does not give
    probabilities of legal moves."""
    if isinstance(policy, Uniform | _Checked):
        return policy
    if not callable(policy):
        raise bad_option(f"{policy!r} is no policy", _A_POLICY)
    return _Checked(game, policy)


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
                raise self._no_move(position, move, legal)
            if not isinstance(probability, int | float | Fraction) or not 0 <= probability <= 1:
                raise self._wrong(position, f"{probability!r} is no probability", "Use numbers from 0 to 1.")
        total: Number = sum(found.values())
        if abs(float(total) - 1) > 1e-9 if isinstance(total, float) else total != 1:
            raise self._wrong(position, f"its probabilities sum to {total}", "Make them sum to 1.")
        return exact_odds(found)

    def _no_move(self, position: Any, move: Any, legal: Sequence[Any]) -> Refusal:
        names = [self.game.format_move(each) for each in legal]
        if isinstance(move, str) and move in names:
            hint = (
                "Give moves as `game.moves(position)` has them; `game.parse_move(position, text)` reads one."
            )
            return self._wrong(position, f"{move!r} is the text of a move, not the move", hint)
        return self._wrong(position, f"{move!r} is no legal move", f"Legal moves: {listing(names)}.")

    def _wrong(self, position: Any, what: str, hint: str) -> Refusal:
        player = self.game.players[self.game.to_move(position)]
        where = self.game.format_position(position)
        return bad_option(f"the policy of {player} is none in {where}: {what}.", hint)


def policies_of_others(
    solver: str, game: Game[Any, Any], player: int, against: Policies | None
) -> Mapping[int, PolicyFunction]:
    """One policy for each other player; refuses where one is missing."""
    others = [i for i in range(game.traits.players) if i != player]
    policies: Mapping[int, PolicyFunction]
    if isinstance(against, Mapping):
        policies = by_number(game, against)
    else:
        policies = {} if against is None else dict.fromkeys(others, against)
    missing = [game.players[i] for i in others if i not in policies]
    if missing:
        raise Refusal(
            f"{solver} needs to know what the other players do; {game.name} is also played by "
            f"{' and '.join(missing)}.",
            "Give their policies with against=.., or use expectiminimax or maxn."
            if game.traits.zero_sum else "Give their policies with against=.., or use maxn.",
        )  # fmt: skip
    return {player: checked(game, policy) for player, policy in policies.items()}
