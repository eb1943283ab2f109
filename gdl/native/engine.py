"""The native engine as a game of the Game protocol.

Positions, moves and text are those of the reference engine; the rules run as machine code. Probabilities,
utilities and rewards are the doubles nearest to the exact values. Where native code reports a fault, the
reference engine repeats the step and says what is wrong.
"""

from __future__ import annotations

import ctypes
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, cast

from gdl.abi import CAPACITY, DREW, OVERFLOW, TOO_MANY, UNFINISHED
from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL, Outcome
from gdl.model.nodes import Model
from gdl.model.types import from_ordinal, ordinal
from gdl.native.compiled import CompiledGame
from gdl.native.doubles import as_doubles, check_payments
from gdl.native.emit.moves import chosen_parameters
from gdl.native.emit.outcomes import record_of, script_size
from gdl.native.emit.playouts import initial_form
from gdl.native.program import Functions
from gdl.reference.conversion import conversion
from gdl.reference.engine import ReferenceGame
from gdl.reference.interpret import Interpreter
from gdl.reference.moves import Move
from gdl.reference.policies import DeclaredPolicy
from gdl.reference.positions import HIDDEN, Observation, Position
from gdl.reference.worlds import MAX_WAYS, Counting

DEFAULT_LIMIT = 100_000
"""Moves after which a playout is given up."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """What random playouts came to: sums over the finished games, per player."""

    games: int
    finished: int
    plies: int
    means: tuple[float, ...]
    variances: tuple[float, ...]
    seed: int


class NativePosition(Position):
    """A position that keeps its working form, so that the next step need not make it again."""

    __slots__ = ("form",)

    def __init__(self, form: bytes, values: tuple[Any, ...], game: NativeGame):
        super().__init__(values, game)
        self.form = form


class NativeGame(ReferenceGame):
    """A game compiled to machine code. Methods may be called from several threads at once."""

    def __init__(self, model: Model):
        check_payments(model)
        super().__init__(model)
        self.functions = Functions(model)
        program = self.functions.program
        self._layout = program.layout
        self._record = record_of(program)
        self._script_size = script_size(program)
        self._interpreter = Interpreter(model.variables, model.tables, model.functions, model.effects)

    @cached_property
    def compiled(self) -> CompiledGame:
        """The machine code, for kernels that call it by address."""
        return CompiledGame(self)

    # ------------------------------------------------------------- working forms

    def form(self, position: Position) -> bytes:
        """The working form of a position (see layout.py)."""
        if isinstance(position, NativePosition):
            return position.form
        return self._layout.encode(position.values)

    def position(self, form: bytes) -> NativePosition:
        """The position of a working form."""
        return NativePosition(form, self._layout.decode(form), self)

    def key(self, position: Position) -> bytes:
        """The packed key of a position."""
        key = ctypes.create_string_buffer(8 * self._layout.key_words)
        self.functions["pack"](self.form(position), key)
        return key.raw

    def unpack(self, key: bytes) -> Position:
        """The position of a packed key."""
        form = ctypes.create_string_buffer(self._layout.size)
        self.functions["unpack"](key, form)
        return self.position(form.raw)

    def move_number(self, move: Move) -> int:
        """The number of a move in native code (see moves.py)."""
        declaration = self.model.moves[move.family.index]
        number = 0
        for parameter, value in zip(declaration.parameters, move.values, strict=True):
            if parameter.domain is not None:
                size: int = parameter.type.size  # type: ignore[union-attr]
                number = number * size + ordinal(parameter.type, value)
        return number + self.functions.numbering.bases[move.family.index]

    def move_of(self, position: Position, number: int) -> Move:
        """The move that a number means in a position."""
        bases = self.functions.numbering.bases
        index = max(k for k in range(len(bases)) if bases[k] <= number)
        declaration = self.model.moves[index]
        number -= bases[index]
        digits: dict[int, Any] = {}
        for parameter in reversed(chosen_parameters(declaration)):
            number, digit = divmod(number, parameter.type.size)  # type: ignore[union-attr]
            digits[parameter.slot] = from_ordinal(parameter.type, digit)
        if len(digits) == len(declaration.parameters):
            values = tuple(digits[parameter.slot] for parameter in declaration.parameters)
            return Move(self._families[index], values)
        frame: list[Any] = [None] * declaration.frame
        for parameter in declaration.parameters:
            if parameter.domain is not None:
                frame[parameter.slot] = digits[parameter.slot]
            else:
                assert parameter.value is not None
                made = self._interpreter.expression(parameter.value)(position.values, frame)
                frame[parameter.slot] = conversion(parameter.value.type, parameter.type)(made)
        return Move(self._families[index], tuple(frame[p.slot] for p in declaration.parameters))

    # ------------------------------------------------------------------ the rules

    def initial(self) -> list[Outcome]:
        if isinstance(self._starts, Fault):
            raise self._starts.with_traceback(None)
        return list(self._starts)

    @cached_property
    def _starts(self) -> list[Outcome] | Fault:
        """The start of every play, or why there is none: both are asked for again and again."""
        try:
            found = self._outcomes(self._start(), None)
            return _rounded(super().initial()) if found is None else found
        except Fault as fault:
            return fault

    def to_move(self, position: Position) -> int:
        if position.mover is None:
            answer = self.functions["to_move"](self.form(position))
            position.mover = answer if answer >= TERMINAL else super().to_move(position)
        return position.mover

    def moves(self, position: Position) -> list[Move]:
        mover = self.to_move(position)
        if mover == TERMINAL:
            return []
        if mover == CHANCE:
            return [move for move, _ in self.chance(position)]
        return self._legal(position)

    def chance(self, position: Position) -> list[tuple[Move, Any]]:
        numbers = self._legal_numbers(position)
        if numbers is None:
            return [(move, float(weight)) for move, weight in super().chance(position)]
        count = len(numbers)
        given = (ctypes.c_int64 * count)(*numbers)
        out = (ctypes.c_int64 * (2 * count + 2))()
        status = self.functions["weights"](self.form(position), given, count, out)
        total = Fraction(out[0], out[1] or 1)
        if status or not total:
            return [(move, float(weight)) for move, weight in super().chance(position)]
        weights = [Fraction(out[2 + 2 * k], out[3 + 2 * k]) for k in range(count)]
        return [
            (self.move_of(position, number), float(weight / total))
            for number, weight in zip(numbers, weights, strict=True)
            if weight
        ]

    def outcomes(self, position: Position, move: Move) -> list[Outcome]:
        found = self._outcomes(position, move)
        if found is None:
            return _rounded(super().outcomes(position, move))
        return found

    def afterstate(self, position: Position, move: Move) -> tuple[Position, bool, tuple[Any, ...]]:
        form = ctypes.create_string_buffer(self.form(position), self._layout.size)
        rewards = (ctypes.c_double * len(self.players))()
        status = self.functions["after"](form, self.move_number(move), rewards)
        if status not in (0, DREW):
            after, drawn, paid = super().afterstate(position, move)
            return after, drawn, as_doubles(paid)
        return self.position(form.raw), status == DREW, tuple(rewards)

    def utility(self, position: Position) -> tuple[float, ...]:
        return self._numbers("utility", position, len(self.players)) or as_doubles(super().utility(position))

    # -------------------------------------------------------- knowledge for search

    def features(self, position: Position) -> Mapping[str, float]:
        names = list(self.model.features)
        values = self._numbers("features", position, len(names))
        if values is None:
            return {name: float(value) for name, value in super().features(position).items()}
        return dict(zip(names, values, strict=True))

    def evaluate(self, position: Position) -> tuple[float, ...] | None:
        if self.model.evaluate is None:
            return None
        values = self._numbers("evaluate", position, len(self.players))
        return values or as_doubles(cast(tuple[Any, ...], super().evaluate(position)))

    # ------------------------------------------------------------------- policies

    def decide(self, policy: DeclaredPolicy, position: Position, mover: int) -> dict[Move, Fraction]:
        numbers = self._legal_numbers(position)
        if numbers is None:
            return super().decide(policy, position, mover)
        count = len(numbers)
        which, given = policy.code
        arguments = (ctypes.c_int64 * max(1, len(given)))(*given)
        moves, out = (ctypes.c_int64 * count)(*numbers), (ctypes.c_int64 * (2 * count))()
        script = ctypes.create_string_buffer(self._script_size)
        form = self.form(position)
        if self.functions["policy"](form, which, arguments, moves, count, out, script):
            return super().decide(policy, position, mover)
        shares = [Fraction(out[2 * k], out[2 * k + 1]) for k in range(count)]
        return {self.move_of(position, numbers[k]): share for k, share in enumerate(shares) if share}

    # --------------------------------------------------------- hidden information

    def observation(self, position: Position, player: int) -> Observation:
        seen = ctypes.create_string_buffer(len(position.values))
        if self.functions["visible"](self.form(position), player, seen):
            return super().observation(position, player)
        values = tuple(v if s else HIDDEN for v, s in zip(position.values, seen.raw, strict=True))
        return Observation(values, player, self)

    # ------------------------------------------------------------------- playouts

    def playouts(
        self, games: int, seed: int | None = None, start: Position | None = None, limit: int = DEFAULT_LIMIT
    ) -> Playouts:
        """Random playouts from the start of the game, or from a position.

        The same seed gives the same games. Raises Fault where the rules of the game break.
        """
        seed = secrets.randbits(63) if seed is None else seed
        random = ctypes.c_uint64(seed_state(seed))
        count = len(self.players)
        sums, counts = (ctypes.c_double * (2 * count))(), (ctypes.c_int64 * 2)()
        form = None if start is None else self.form(start)
        status = self.functions["playouts"](form, games, ctypes.byref(random), limit, sums, counts)
        if status:
            return self._one_by_one(games, seed, start, limit)
        return _summary(games, counts[0], counts[1], list(sums[::2]), list(sums[1::2]), seed)

    def playout(
        self, seed: int | None = None, start: Position | None = None, limit: int = DEFAULT_LIMIT
    ) -> tuple[tuple[float, ...], int]:
        """One random playout: each player's return and the number of moves. Raises Fault.

        A playout that reaches the limit is worth what was paid until then, and what `endless` says: nothing
        where later payments are discounted.
        """
        state = ctypes.c_uint64(seed_state(secrets.randbits(63) if seed is None else seed))
        returns, plies, finished = self._play(state, start, limit)
        if not finished and self.model.discount == 1:
            returns = tuple(a + float(b) for a, b in zip(returns, self.model.endless, strict=True))
        return returns, plies

    def _one_by_one(self, games: int, seed: int, start: Position | None, limit: int) -> Playouts:
        """The same games as `playouts`, each by itself: to say which went wrong, and how."""
        state = ctypes.c_uint64(seed_state(seed))
        count = len(self.players)
        sums, squares, finished, moves = [0.0] * count, [0.0] * count, 0, 0
        for _ in range(games):
            returns, plies, ended = self._play(state, start, limit)
            moves += plies
            if ended:
                finished += 1
                sums = [total + value for total, value in zip(sums, returns, strict=True)]
                squares = [total + value * value for total, value in zip(squares, returns, strict=True)]
        return _summary(games, finished, moves, sums, squares, seed)

    def _play(
        self, state: ctypes.c_uint64, start: Position | None, limit: int
    ) -> tuple[tuple[float, ...], int, bool]:
        """One playout: the returns, the number of moves, and whether it came to its end before the limit.

        Where native code stops, the reference engine says what is wrong; where it finds nothing wrong, only
        the numbers were too large for registers, and it plays the game.
        """
        begin = state.value
        returns, plies = (ctypes.c_double * len(self.players))(), ctypes.c_int64()
        form, status = self._start_form(state, start)
        if not status:
            status = self.functions["playout"](form, ctypes.byref(state), limit, returns, ctypes.byref(plies))
        if status in (0, UNFINISHED):
            return tuple(returns), plies.value, status == 0
        self._explain_stop(begin, start, plies.value)
        if status != OVERFLOW:
            raise AssertionError(f"native status {status}, which the reference engine does not confirm")
        return self._play_exactly(Random(begin), start, limit)

    def _start_form(self, state: ctypes.c_uint64, start: Position | None) -> tuple[Any, int]:
        """The working form to play from, and the status of setting it up."""
        if start is not None:
            return ctypes.create_string_buffer(self.form(start), self._layout.size), 0
        form = ctypes.create_string_buffer(initial_form(self._layout), self._layout.size)
        rewards = (ctypes.c_double * len(self.players))()
        number = self.functions.numbering.total
        return form, self.functions["sample"](form, number, ctypes.byref(state), rewards)

    def _explain_stop(self, begin: int, start: Position | None, plies: int) -> None:
        """Raises the fault that stopped a playout after some moves, by repeating those and asking on."""
        state = ctypes.c_uint64(begin)
        form, status = self._start_form(state, start)
        if status:
            super().initial()
            return
        returns, made, number = (ctypes.c_double * len(self.players))(), ctypes.c_int64(), ctypes.c_int64()
        self.functions["playout"](form, ctypes.byref(state), plies, returns, ctypes.byref(made))
        position = Position(self._layout.decode(form.raw), self)
        if super().to_move(position) == TERMINAL:
            super().utility(position)
            return
        moves = super().moves(position)
        if super().to_move(position) != CHANCE and not self.functions["pick"](
            form, ctypes.byref(state), ctypes.byref(number)
        ):
            super().outcomes(position, self.move_of(position, number.value))
        for move in moves:
            super().outcomes(position, move)

    def _play_exactly(
        self, rng: Random, start: Position | None, limit: int
    ) -> tuple[tuple[float, ...], int, bool]:
        """One playout on the reference engine."""
        position = self.sample_initial(rng).position if start is None else start
        returns, factor = [Fraction(0)] * len(self.players), Fraction(1)
        for plies in range(limit + 1):
            mover = super().to_move(position)
            if mover == TERMINAL:
                last = [value * factor for value in super().utility(position)]
                return tuple(float(a + b) for a, b in zip(returns, last, strict=True)), plies, True
            if plies == limit:
                break
            if mover == CHANCE:
                moves, weights = zip(*super().chance(position), strict=True)
                move = rng.choices(moves, [float(weight) for weight in weights])[0]
            else:
                move = rng.choice(super().moves(position))
            outcome = self.sample(position, move, rng)
            returns = [a + factor * Fraction(b) for a, b in zip(returns, outcome.rewards, strict=True)]
            factor *= self.model.discount
            position = outcome.position
        return tuple(float(amount) for amount in returns), limit, False

    # -------------------------------------------------------------------- helpers

    def _legal(self, position: Position) -> list[Move]:
        numbers = self._legal_numbers(position)
        if numbers is None:
            return super()._legal(position)
        return [self.move_of(position, number) for number in numbers]

    def _legal_numbers(self, position: Position) -> list[int] | None:
        """The numbers of the legal moves; None where the reference engine must say what is wrong."""
        form, capacity = self.form(position), 256
        while True:
            out = (ctypes.c_int64 * capacity)()
            count = self.functions["moves"](form, out, capacity)
            if count < 0:
                return None
            if count <= capacity:
                return list(out[:count])
            capacity = count

    def _outcomes(self, position: Position, move: Move | None) -> list[Outcome] | None:
        """The outcomes of a move, or without one of `initial`; None where the reference engine must see to
        it."""
        record, players = self._record, len(self.players)
        number = self.functions.numbering.total if move is None else self.move_number(move)
        form, capacity = self.form(position), 64
        while True:
            out = ctypes.create_string_buffer(capacity * record.size)
            table = (ctypes.c_uint32 * (4 * capacity))()
            script = ctypes.create_string_buffer(self._script_size)
            count = self.functions["outcomes"](form, number, out, capacity, table, script)
            if count == -CAPACITY and capacity < 4 * MAX_WAYS:
                capacity *= 4
                continue
            if count == -TOO_MANY:
                self._happen(position, move, Counting())  # says where they become too many
            if count < 0:
                return None
            break
        raw = out.raw
        found = []
        for k in range(count):
            at = k * record.size
            numbers = cast(Any, memoryview(raw)[at : at + 8 * (1 + players)]).cast("d").tolist()
            position_at = at + record.position
            after = self.position(raw[position_at : position_at + self._layout.size])
            found.append(Outcome(after, numbers[0], tuple(numbers[1:])))
        return found

    def _numbers(self, name: str, position: Position, count: int) -> tuple[float, ...] | None:
        out = (ctypes.c_double * max(1, count))()
        if self.functions[name](self.form(position), out):
            return None
        return tuple(out[:count])


def seed_state(seed: int, stream: int = 0) -> int:
    """The state of a generator for a seed and a stream: well mixed (SplitMix64), so streams do not meet."""
    state = (seed * 0x9E3779B97F4A7C15 + stream * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & (1 << 64) - 1
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
    state = (state ^ state >> 27) * 0x94D049BB133111EB & (1 << 64) - 1
    return state ^ state >> 31


def _rounded(outcomes: list[Outcome]) -> list[Outcome]:
    return [Outcome(o.position, float(o.probability), as_doubles(o.rewards)) for o in outcomes]


def _summary(
    games: int, finished: int, plies: int, sums: list[float], squares: list[float], seed: int
) -> Playouts:
    means = tuple(total / finished if finished else 0.0 for total in sums)
    variances = tuple(
        max(0.0, total / finished - mean**2) if finished else 0.0
        for total, mean in zip(squares, means, strict=True)
    )
    return Playouts(games, finished, plies, means, variances, seed)
