"""Small games as Python classes that satisfy the Game protocol: the way a user's own class would look."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from gdl.game import CHANCE, TERMINAL, Number, Outcome, Traits

F = Fraction
ONE, STEP, TWO_FIFTHS = F(1), F(-4, 100), F(2, 5)


class PythonGame:
    """Everything of the protocol that small games have in common; positions print as Python values."""

    name = "game"
    players: tuple[str, ...] = ("first", "second")
    traits: Traits

    def initial(self) -> Sequence[Outcome]:
        return [Outcome(self.start(), 1, ())]

    def start(self) -> Any:
        raise NotImplementedError

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        raise NotImplementedError(f"chance never moves in {self.name}")

    def features(self, position: Any) -> Mapping[str, Number]:
        return {}

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        return None

    def observation(self, position: Any, player: int) -> Hashable:
        return position

    def show(self, position: Any) -> str:
        return str(position)

    def format_position(self, position: Any) -> str:
        return repr(position)

    def parse_position(self, text: str) -> Any:
        raise NotImplementedError

    def format_move(self, move: Any) -> str:
        return str(move)

    def parse_move(self, position: Any, text: str) -> Any:
        return next(move for move in self.moves(position) if str(move) == text)

    def moves(self, position: Any) -> Sequence[Any]:
        raise NotImplementedError


def duel(**changes: Any) -> Traits:
    """The traits of a plain two-player zero-sum game with utilities from -1 to 1."""
    plain = Traits(
        players=2,
        zero_sum=True,
        chance=False,
        random_start=False,
        hidden=False,
        acyclic=True,
        rewards=False,
        utility_bounds=((F(-1), F(1)), (F(-1), F(1))),
        endless=(F(0), F(0)),
    )
    return replace(plain, **changes)


def sure(position: Any, reward: Number | None = None) -> list[Outcome]:
    return [Outcome(position, 1, () if reward is None else (reward,))]


# ------------------------------------------------------------------ games without chance


class Nim(PythonGame):
    """Take any number from one heap; who takes the last wins. Bouton: the mover loses iff the xor is 0."""

    name = "nim"
    traits = duel()

    def __init__(self, *heaps: int):
        self.heaps = heaps

    def start(self) -> Any:
        return self.heaps, 0

    def to_move(self, position: Any) -> int:
        heaps, player = position
        return player if any(heaps) else TERMINAL

    def moves(self, position: Any) -> Sequence[Any]:
        heaps, _ = position
        return [(i, n) for i, heap in enumerate(heaps) for n in range(1, heap + 1)]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        heaps, player = position
        i, n = move
        return sure(((*heaps[:i], heaps[i] - n, *heaps[i + 1 :]), 1 - player))

    def utility(self, position: Any) -> tuple[Number, ...]:
        winner = 1 - position[1]
        return (1, -1) if winner == 0 else (-1, 1)


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(PythonGame):
    """Positions are strings of nine characters; x begins."""

    name = "tictactoe"
    players = ("x", "o")
    traits = duel()

    def start(self) -> Any:
        return "." * 9

    def to_move(self, position: Any) -> int:
        if self.won(position, "x") or self.won(position, "o") or "." not in position:
            return TERMINAL
        return (9 - position.count(".")) % 2

    def won(self, position: str, mark: str) -> bool:
        return any(position[a] == position[b] == position[c] == mark for a, b, c in LINES)

    def moves(self, position: Any) -> Sequence[Any]:
        return [i for i in range(9) if position[i] == "."]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        mark = "xo"[self.to_move(position)]
        return sure(position[:move] + mark + position[move + 1 :])

    def utility(self, position: Any) -> tuple[Number, ...]:
        value = 1 if self.won(position, "x") else -1 if self.won(position, "o") else 0
        return value, -value

    def features(self, position: Any) -> Mapping[str, Number]:
        return {"centre": (position[4] == "x") - (position[4] == "o")}


class CountUp(PythonGame):
    """Count to n, one move after another: a play of any length, to try recursion limits."""

    name = "count_up"
    players = ("only",)
    traits = duel(players=1, zero_sum=False, utility_bounds=((F(0), F(1)),), endless=(F(0),))

    def __init__(self, n: int):
        self.n = n

    def start(self) -> Any:
        return 0

    def to_move(self, position: Any) -> int:
        return TERMINAL if position == self.n else 0

    def moves(self, position: Any) -> Sequence[Any]:
        return ["up"]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return sure(position + 1)

    def utility(self, position: Any) -> tuple[Number, ...]:
        return (1,)


# ------------------------------------------------------------------ games with chance


class Bins(PythonGame):
    """Choose a bin; a coin may shift you one to the left; the opponent takes a number from it."""

    name = "bins"
    numbers = ((-50, 50), (1, 3), (-5, 15))

    def __init__(self, coin: Fraction):
        self.coin = coin
        self.traits = duel(chance=coin not in (0, 1), utility_bounds=((F(-50), F(50)), (F(-50), F(50))),
                           chance_moves=("`choose` (line 24)",) if coin not in (0, 1) else ())  # fmt: skip

    def start(self) -> Any:
        return ()

    def to_move(self, position: Any) -> int:
        return TERMINAL if len(position) == 2 else len(position)

    def moves(self, position: Any) -> Sequence[Any]:
        return ["A", "B", "C"] if not position else [0, 1]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        if position:
            return sure((*position, move))
        chosen = "ABC".index(move)
        both = [Outcome(((chosen - 1) % 3,), self.coin, ()), Outcome((chosen,), 1 - self.coin, ())]
        return [outcome for outcome in both if outcome.probability]

    def utility(self, position: Any) -> tuple[Number, ...]:
        value = self.numbers[position[0]][position[1]]
        return value, -value


class IncAndSquare(PythonGame):
    """Increment a number, or try to square it; the rules are those of inc_and_square.gdl."""

    name = "inc_and_square"

    def __init__(self, n: int, chance: bool = True):
        self.n, self.with_chance = n, chance
        bounds = ((F(0), F(9)), (F(-9), F(0)))
        self.traits = duel(chance=chance, utility_bounds=bounds, chance_moves=("`sqr` (line 27)",))

    def start(self) -> Any:
        return 1, 0

    def to_move(self, position: Any) -> int:
        x, k = position
        return TERMINAL if x in (6, 7) or k == self.n else k % 2

    def moves(self, position: Any) -> Sequence[Any]:
        return ["inc", "sqr"]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        x, k = position
        if move == "inc":
            return sure(((x + 1) % 10, k + 1))
        square, double = (x * x % 10, k + 1), (2 * x % 10, k + 1)
        if not self.with_chance:
            return sure(square)
        if square == double:
            return sure(square)
        both = [Outcome(square, F(x, 10), ()), Outcome(double, 1 - F(x, 10), ())]
        return [outcome for outcome in both if outcome.probability]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return position[0], -position[0]


class Pig(PythonGame):
    """Roll and add to the pot, or hold and bank it; a 1 loses the pot. `faces` 2 is Piglet, with a coin.

    The utility is 1 for a win of the first player and 0 otherwise (the second gets the negative), so that
    the value is a probability.
    """

    name = "pig"

    def __init__(self, goal: int, faces: int = 6):
        self.goal, self.faces = goal, faces
        bounds = ((F(0), F(1)), (F(-1), F(0)))
        self.traits = duel(
            chance=True, acyclic=False, utility_bounds=bounds, chance_moves=("`roll` (line 22)",)
        )

    def start(self) -> Any:
        return 0, 0, 0, 0  # banked by the first and the second, pot, player

    def to_move(self, position: Any) -> int:
        first, second, _, player = position
        return TERMINAL if max(first, second) >= self.goal else player

    def moves(self, position: Any) -> Sequence[Any]:
        return ["roll", "hold"] if position[2] else ["roll"]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        first, second, pot, player = position
        if move == "hold":
            banked = [first, second]
            banked[player] = min(banked[player] + pot, self.goal)
            return sure((banked[0], banked[1], 0, 1 - player))
        lost = [Outcome((first, second, 0, 1 - player), F(1, self.faces), ())]
        gains = range(2, self.faces + 1) if self.faces > 2 else [1]
        won: dict[Any, Fraction] = {}
        for gain in gains:
            after = (first, second, min(pot + gain, self.goal), player)
            won[after] = won.get(after, F(0)) + F(1, self.faces)
        return lost + [Outcome(after, probability, ()) for after, probability in won.items()]

    def utility(self, position: Any) -> tuple[Number, ...]:
        value = int(position[0] >= self.goal)
        return value, -value


class GridWorld(PythonGame):
    """The 4x3 world of Russell & Norvig: 0.8 ahead, 0.1 to each side, -0.04 a move, exits +1 and -1."""

    name = "gridworld"
    players = ("robot",)
    exits: Mapping[Any, int] = {(4, 3): 1, (4, 2): -1}
    directions: Mapping[str, Any] = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}

    def __init__(self, start: Any = (1, 1), discount: Fraction = ONE, reward: Fraction = STEP):
        self.square, self.reward = start, reward
        self.traits = duel(players=1, zero_sum=False, chance=True, acyclic=False, rewards=True,
                           discount=discount, utility_bounds=((F(-1), F(1)),), endless=(F(0),))  # fmt: skip

    def start(self) -> Any:
        return self.square

    def to_move(self, position: Any) -> int:
        return TERMINAL if position in self.exits else 0

    def moves(self, position: Any) -> Sequence[Any]:
        return list(self.directions)

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        dx, dy = self.directions[move]
        chances: dict[Any, Fraction] = {}
        for step, probability in (((dx, dy), F(8, 10)), ((dy, dx), F(1, 10)), ((-dy, -dx), F(1, 10))):
            x, y = position[0] + step[0], position[1] + step[1]
            after = (x, y) if 1 <= x <= 4 and 1 <= y <= 3 and (x, y) != (2, 2) else position
            chances[after] = chances.get(after, F(0)) + probability
        return [Outcome(after, probability, (self.reward,)) for after, probability in chances.items()]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return (self.exits[position],)


class Gambler(PythonGame):
    """Stake up to what you have, or need, on a coin; reach the goal. Sutton & Barto, example 4.3."""

    name = "gambler"
    players = ("gambler",)

    def __init__(self, start: int = 50, goal: int = 100, p: Fraction = TWO_FIFTHS):
        self.capital, self.goal, self.p = start, goal, p
        self.traits = duel(players=1, zero_sum=False, chance=True, acyclic=False,
                           utility_bounds=((F(0), F(1)),), endless=(F(0),))  # fmt: skip

    def start(self) -> Any:
        return self.capital

    def to_move(self, position: Any) -> int:
        return TERMINAL if position in (0, self.goal) else 0

    def moves(self, position: Any) -> Sequence[Any]:
        return list(range(1, min(position, self.goal - position) + 1))

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        return [Outcome(position + move, self.p, ()), Outcome(position - move, 1 - self.p, ())]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return (int(position == self.goal),)


class HaddadMonmege(PythonGame):
    """The chain on which 'the values stopped changing' proves nothing (Haddad & Monmege 2018).

    From the middle one goes to the right arm with probability p, else to the left; along an arm of length n
    each step goes on with probability 1/2 or back to the middle. Only the end of the right arm pays 1, so
    the value is p, but the probability of leaving is tiny.
    """

    name = "haddad_monmege"
    players = ("nobody",)
    traits = duel(players=1, zero_sum=False, chance=True, acyclic=False,
                  utility_bounds=((F(0), F(1)),), endless=(F(0),))  # fmt: skip

    def __init__(self, n: int, p: Fraction):
        self.n, self.p = n, p

    def start(self) -> Any:
        return 0

    def to_move(self, position: Any) -> int:
        return TERMINAL if abs(position) == self.n else 0

    def moves(self, position: Any) -> Sequence[Any]:
        return ["on"]

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        if position == 0:
            return [Outcome(1, self.p, ()), Outcome(-1, 1 - self.p, ())]
        further = position + 1 if position > 0 else position - 1
        return [Outcome(further, F(1, 2), ()), Outcome(0, F(1, 2), ())]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return (int(position == self.n),)


# ------------------------------------------------------------------ games given as tables


@dataclass(frozen=True)
class Node:
    """A position of a table: who moves, and for each move its outcomes (probability, next, reward).

    A terminal node has a utility for each player; a chance node the probabilities of its moves.
    """

    player: int
    moves: tuple[tuple[tuple[Fraction, int, Fraction], ...], ...] = ()
    utility: tuple[Number, ...] = ()
    odds: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class TableGame(PythonGame):
    """A game written out as a list of nodes; play begins at node 0. Moves are called a, b, c, .."""

    nodes: tuple[Node, ...]
    count: int = 2  # players
    discount: Fraction = ONE
    endless: tuple[Fraction, ...] = ()
    acyclic: bool = True
    estimates: tuple[Number, ...] | None = None  # `evaluate` by node, for the first player
    name: str = field(default="table")

    @property
    def players(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("first", "second", "third", "fourth")[: self.count]

    @cached_property
    def traits(self) -> Traits:  # type: ignore[override]
        utilities = [node.utility for node in self.nodes if node.player == TERMINAL] or [(F(0),) * self.count]
        columns = list(zip(*utilities, strict=True))
        chance = any(node.player == CHANCE for node in self.nodes) or any(
            len(move) > 1 for node in self.nodes for move in node.moves
        )
        return Traits(
            players=self.count,
            zero_sum=self.count == 2 and all(sum(u) == 0 for u in utilities),
            chance=chance,
            random_start=False,
            hidden=False,
            acyclic=self.acyclic,
            rewards=any(reward for node in self.nodes for move in node.moves for _, _, reward in move),
            discount=self.discount,
            utility_bounds=tuple((F(min(column)), F(max(column))) for column in columns),
            endless=self.endless or (F(0),) * self.count,
        )

    def start(self) -> Any:
        return 0

    def to_move(self, position: Any) -> int:
        return self.nodes[position].player

    def moves(self, position: Any) -> Sequence[Any]:
        return "abcdefgh"[: len(self.nodes[position].moves)]

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        return list(zip(self.moves(position), self.nodes[position].odds, strict=True))

    def outcomes(self, position: Any, move: Any) -> Sequence[Outcome]:
        table = self.nodes[position].moves["abcdefgh".index(move)]
        if not self.traits.rewards:
            return [Outcome(after, probability, ()) for probability, after, _ in table]
        return [
            Outcome(after, probability, (reward, -reward)[: self.count])
            for probability, after, reward in table
        ]

    def utility(self, position: Any) -> tuple[Number, ...]:
        return self.nodes[position].utility

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        if self.estimates is None:
            return None
        return (self.estimates[position], -self.estimates[position])[: self.count]


def end(*utility: Number) -> Node:
    return Node(TERMINAL, utility=utility if len(utility) > 1 else (utility[0], -utility[0]))


def to(*outcomes: tuple[Number, int] | int) -> tuple[tuple[Fraction, int, Fraction], ...]:
    """A move without reward: `to(3)` goes to node 3, `to((F(1, 2), 3), (F(1, 2), 4))` to either."""
    return tuple((F(1), way, F(0)) if isinstance(way, int) else (F(way[0]), way[1], F(0)) for way in outcomes)
