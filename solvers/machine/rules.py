"""What search kernels see of a game: its functions, its sizes, and how positions are judged.

`Machine(game)` prepares a game whose rules run as machine code (`gdl.game.Compiled`). The rest are steps
that kernels take with positions: what follows, and what it is worth. How a simulated play goes on: plays.py.

Values are kept in *columns*: one, the first player's, where one number says all (one player, or two opposed
ones: the second's is the negative); otherwise one per player.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY, UNFINISHED, c_function
from gdl.game import Compiled, Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.leaves import Described
from solvers.core.rollout import longest_rollout, worth_of_rest
from solvers.core.starts import drawn_start
from solvers.machine.fault import KernelFault
from solvers.machine.kernels import inlined, step
from solvers.machine.pointers import Function, as_words, copy_bytes, struct
from solvers.machine.scratch import Sizes, mixed

# How a position is judged where a search or a simulated play stops.
MIDDLE, EVALUATE, WEIGHTS, ROLLOUTS = range(4)


class Rules(NamedTuple):
    """Functions (pointers.Function; of no use where the game never needs one), sizes in bytes, and facts."""

    to_move: Any
    moves: Any
    weights: Any
    outcomes: Any
    sample: Any
    pick: Any
    utility: Any
    evaluate: Any
    features: Any
    playout: Any
    form: int
    record: int
    at_form: int
    players: int
    columns: int
    draws: int  # whether a move may have several outcomes
    chance_moves: int  # whether chance may be the player to move; 0 only where it surely is not
    pays: int  # whether rewards are paid on the way
    discounts: int
    judged_by: int
    weight_count: int
    rollouts: int
    rollout_depth: int
    rollouts_end: int  # whether rollouts have no depth and go on to the end
    rollouts_fixed: int  # whether the plays from a position are always the same ones
    rollouts_seed: int  # then they follow from this and the position
    longest: int  # moves after which a play is cut


class Numbers(NamedTuple):
    """The numbers of a game that kernels need: bounds and middles of utilities per player, and the like."""

    discount: float
    low: Any
    high: Any
    middle: Any
    endless: Any  # what a play that is cut counts for from there on
    weights: Any  # of the features, for the first player
    drawing: Any  # the numbers of the moves that may draw: from, to, from, to, ..
    drawings: int  # how many numbers `drawing` has
    bounded: int  # whether low and high bound every value, for nothing is paid on the way


class Machine:
    """A game prepared for search kernels, which take `rules_struct` and `numbers_struct`.

    Keeps the machine code alive."""

    def __init__(self, game: Game[Any, Any], leaf: Described | None = None, plays: bool = False):
        code: Any = game.compiled  # type: ignore[attr-defined]
        traits = game.traits
        self.game = game
        self.code: Compiled = code
        kind, weights, rollouts, rollout_depth = _judgement(game, leaf)
        self._learned: Any = None if leaf is None or leaf.code is None else leaf.code()
        drawing = [end for part in code.drawing for end in part] if traits.chance else []
        opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
        playing = plays or kind == ROLLOUTS

        def function(name: str, needed: bool = True) -> Function:
            return Function(name, int(code.address(name)) if needed else 0)

        self.rules = Rules(
            to_move=function("to_move"),
            moves=function("moves"),
            weights=function("weights", traits.chance),
            outcomes=function("outcomes", traits.chance),
            sample=function("sample"),
            pick=function("pick", playing),
            utility=function("utility"),
            evaluate=function("evaluate", kind == EVALUATE)
            if self._learned is None
            else Function("evaluate", self._learned.address),
            features=function("features", kind == WEIGHTS),
            playout=function("playout", playing),
            form=code.form_size,
            record=code.record_size,
            at_form=code.at_form,
            players=traits.players,
            columns=1 if opposed else traits.players,
            draws=int(bool(drawing)),
            chance_moves=int(traits.chance),
            pays=int(traits.rewards),
            discounts=int(traits.discount != 1),
            judged_by=kind,
            weight_count=len(weights),
            rollouts=rollouts,
            rollouts_end=int(rollout_depth is None),
            rollouts_fixed=int(kind == ROLLOUTS and leaf is not None and leaf.again is None),
            rollouts_seed=0 if leaf is None else mixed(leaf.seed) >> 1,
            rollout_depth=longest_rollout(traits) if rollout_depth is None else rollout_depth,
            longest=longest_rollout(traits),
        )
        self.sizes = Sizes(
            form=code.form_size,
            words=code.key_words,
            record=code.record_size,
            script=code.script_size,
            players=traits.players,
            features=len(weights),
            chance=traits.chance,
        )
        self._unpack = c_function("unpack", code.address("unpack"))
        bounds = [(float(low), float(high)) for low, high in traits.value_bounds]
        nothing = [0.0] * traits.players
        self.numbers = Numbers(
            discount=float(traits.discount),
            low=np.array([low for low, _ in bounds]),
            high=np.array([high for _, high in bounds]),
            middle=np.array([float(low + high) / 2 for low, high in traits.utility_bounds] or nothing),
            endless=np.array([float(part) for part in worth_of_rest(traits)]),
            weights=np.array([*weights, 0.0]),
            drawing=np.array([*drawing, 0, 0], np.int64),
            drawings=len(drawing),
            bounded=int(all(-np.inf < low and high < np.inf for low, high in bounds)),
        )

        self.rules_struct, self.numbers_struct = struct(self.rules), struct(self.numbers)

    def judge_as(self, value: float) -> None:
        """Judges every position from now on as worth that to the first player, who is alone or opposed."""
        self.rules = self.rules._replace(judged_by=MIDDLE)
        self.numbers.middle[:] = [value, -value][: len(self.numbers.middle)]
        self.rules_struct = struct(self.rules)

    def form(self, position: Any) -> Any:
        """The working form of a position."""
        key = np.frombuffer(self.code.key(position), np.uint8)
        form = np.zeros(self.rules.form, np.uint8)
        self._unpack(key.ctypes.data, form.ctypes.data)
        return form

    def utility(self, form: Any) -> Any:
        """What each player gets where the game is over."""
        paid = np.zeros(self.rules.players)
        if c_function("utility", self.code.address("utility"))(form.ctypes.data, paid.ctypes.data) != 0:
            raise KernelFault
        return paid


def _judgement(game: Game[Any, Any], leaf: Described | None) -> tuple[int, list[float], int, int | None]:
    start = drawn_start(game, Random(0))
    kind = "evaluate" if leaf is None else leaf.kind
    if kind == "evaluate":
        return (MIDDLE if game.evaluate(start) is None else EVALUATE), [], 0, None
    assert leaf is not None
    if kind == "weights":
        return WEIGHTS, [float(leaf.weights.get(name, 0)) for name in game.features(start)], 0, None
    if kind == "learned":
        return EVALUATE, [], 0, None
    if kind == "rollouts":
        return ROLLOUTS, [], leaf.count, leaf.depth
    assert kind == "middle", f"kernels do not know how to judge by {kind}"
    return MIDDLE, [], 0, None


# ------------------------------------------------------------------------- random numbers


@inlined
def random_bits(state: Any) -> Any:
    """64 random bits (SplitMix64, Steele, Lea & Flood 2014); `state` points to one word."""
    z = state[0] + np.uint64(0x9E3779B97F4A7C15)
    state[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def random_below(state: Any, stop: Any) -> Any:
    """A random number 0 .. stop - 1, for a stop below 2^31."""
    return np.int64(((random_bits(state) >> np.uint64(32)) * np.uint64(stop)) >> np.uint64(32))


@inlined
def random_fraction(state: Any) -> Any:
    """From 0 (included) to 1 (excluded), of 53 random bits."""
    return np.float64(random_bits(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# ------------------------------------------------------------------------------ positions


@step
def hash_form(at: Any, size: Any) -> Any:
    """64 well-mixed bits of a working form; forms are equal exactly where positions are.

    Every word goes through its own multiplications, so that they overlap; the sum is mixed at the end.
    """
    total = np.uint64(0x9E3779B97F4A7C15)
    salt = np.uint64(0xD1342543DE82EF95)
    words = as_words(at)
    for k in range(size // 8):
        word = (words[k] ^ salt) * np.uint64(0xD6E8FEB86659FD93)
        word = (word ^ (word >> np.uint64(32))) * np.uint64(0xA0761D6478BD642F)
        total += word ^ (word >> np.uint64(29))
        salt = salt * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(1)
    total = (total ^ (total >> np.uint64(32))) * np.uint64(0xE7037ED1A0B428DB)
    total = (total ^ (total >> np.uint64(29))) * np.uint64(0x8EBC6AF09C88C6E3)
    return total ^ (total >> np.uint64(32))


@inlined
def may_draw(drawing: Any, drawings: Any, move: Any) -> Any:
    """Whether a move, by its number, may have several outcomes: from, to, from, to, .. are those that may."""
    for k in range(0, drawings, 2):  # noqa: SIM110 (numba has no generators here)
        if drawing[k] <= move < drawing[k + 1]:
            return True
    return False


@step
def same_form(a: Any, b: Any, size: Any) -> Any:
    one, other = as_words(a), as_words(b)
    k = 0
    while k < size // 8 and one[k] == other[k]:
        k += 1
    return k >= size // 8


@step
def utility(rules: Any, at: Any, out: Any) -> Any:
    """Each player's utility where the game is over; gives the status."""
    return rules.utility(at, out)


@step
def judge(rules: Any, numbers: Any, at: Any, out: Any, room: Any) -> Any:
    """Each player's estimate of an unfinished position, within the bounds of values; gives the status."""
    status = 0
    if rules.judged_by == EVALUATE:
        status = rules.evaluate(at, out)
    elif rules.judged_by == WEIGHTS:
        status = rules.features(at, room.values)
        total = 0.0
        for k in range(rules.weight_count):
            total += numbers.weights[k] * room.values[k]
        out[0] = total
        if rules.players > 1:
            out[1] = -total
    elif rules.judged_by == ROLLOUTS:
        status = _judge_by_plays(rules, numbers, at, out, room)
    else:
        for player in range(rules.players):
            out[player] = numbers.middle[player]
    if numbers.bounded:
        for player in range(rules.players):
            low, high = numbers.low[player], numbers.high[player]
            out[player] = min(max(out[player], low), high)
    return status


@step
def worth(rules: Any, numbers: Any, at: Any, room: Any) -> Any:
    """Leaves the utilities, or estimates, of a position in room.paid."""
    mover = rules.to_move(at)
    if mover < TERMINAL:
        return mover
    if mover == TERMINAL:
        return utility(rules, at, room.paid)
    return judge(rules, numbers, at, room.paid, room)


@step
def _judge_by_plays(rules: Any, numbers: Any, at: Any, out: Any, room: Any) -> Any:
    """The mean of random plays, as core/rollout.py. `out` may be where plays leave what they
    paid, so the sum is formed elsewhere. Where the plays are fixed, whoever else draws goes on as before."""
    drawn = room.random[0]
    if rules.rollouts_fixed:
        room.random[0] = hash_form(at, rules.form) ^ np.uint64(rules.rollouts_seed)
    for player in range(rules.players):
        room.values[player] = 0.0
    place = room.form + 2 * rules.form
    for _ in range(rules.rollouts):
        copy_bytes(place, at, rules.form)
        status = _random_play(rules, numbers, place, room)
        if status != 0:
            return status
        for player in range(rules.players):
            room.values[player] += room.paid[player]
    for player in range(rules.players):
        out[player] = room.values[player] / rules.rollouts
    if rules.rollouts_fixed:
        room.random[0] = drawn
    return 0


@step
def _random_play(rules: Any, numbers: Any, at: Any, room: Any) -> Any:
    """Leaves in room.paid what a play of random moves pays: after the depth of rollouts nothing more, and
    without a depth a play that is cut counts as one without end."""
    if rules.rollouts_end or not rules.chance_moves:
        status = rules.playout(at, room.random, rules.rollout_depth, room.paid, room.plies)
        if status != UNFINISHED:
            return status
        if rules.rollouts_end and not rules.discounts:
            for player in range(rules.players):
                room.paid[player] += numbers.endless[player]
        return 0
    for player in range(rules.players):
        room.paid[player] = 0.0
    factor, left = 1.0, rules.rollout_depth
    for _ in range(10 * rules.longest):
        mover = rules.to_move(at)
        if mover < TERMINAL:
            return mover
        if mover == TERMINAL:
            status = utility(rules, at, room.rewards)
            for player in range(rules.players):
                paid = room.paid[player] + factor * room.rewards[player]
                room.paid[player] = paid
            return status
        if mover == CHANCE:  # does not count for the depth
            status = pick_for_chance(rules.moves, rules.weights, at, room)
        elif left == 0:
            return 0
        else:
            left -= 1
            status = rules.pick(at, room.random, room.plies)
        if status != 0:
            return status
        status = rules.sample(at, room.plies[0], room.random, room.rewards)
        if status != 0:
            return status
        if rules.pays:
            for player in range(rules.players):
                paid = room.paid[player] + factor * room.rewards[player]
                room.paid[player] = paid
        factor *= numbers.discount
    return 0


@step
def pick_for_chance(moves: Any, weights: Any, at: Any, room: Any) -> Any:
    """Leaves a move of chance, drawn by the weights, in room.plies[0]. Takes functions of the rules, which
    other records of them have as well."""
    count = moves(at, room.moves, room.moves_room)
    if count < 0 or count > room.moves_room:
        return CAPACITY
    status = weights(at, room.moves, count, room.weights)
    if status != 0:
        return status
    point = random_fraction(room.random) * (room.weights[0] / room.weights[1])
    for k in range(count):
        point -= room.weights[2 + 2 * k] / room.weights[3 + 2 * k]
        if point < 0 or k == count - 1:
            room.plies[0] = room.moves[k]
            break
    return 0
