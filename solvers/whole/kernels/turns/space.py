"""The rests of a game, spread over hash partitions, and the programs of the turns between them.

The same rounds as for all positions (space.py), with turns in place of moves: expanding a rest gives the
rests to which its turn can lead, and the program that makes its value from theirs (turn_programs.py).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gdl.game import Compiled, Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.refusal import cannot_go_on
from solvers.machine.kernels import kernel
from solvers.machine.pointers import Pointer, struct
from solvers.whole.kernels.distributions import expected_reward
from solvers.whole.kernels.partition import MISSING
from solvers.whole.kernels.space import BATCH, Batch, Space, bases
from solvers.whole.kernels.turns import turn_programs
from solvers.whole.kernels.turns.rests import Rests

LONGEST_TURN = 1 << 21
"""A turn with more positions is refused."""

WORDS = 1 << 20
"""Words of programs in a batch, at first."""

BLOCK = 1 << 24
"""Words of programs that are kept side by side."""


class TurnBatch(Batch):
    """What expanding some rests gives: their programs, and mail for the rests that these refer to."""

    def __init__(self, partitions: int, words: int):
        super().__init__(partitions, words, 1, False)
        self.counts = np.zeros(turn_programs.COUNTS, np.int64)
        self.starts = np.zeros(BATCH + 1, np.int64)
        self.words = np.empty(WORDS, np.uint32)

    @property
    def inside(self) -> int:
        """How many positions the turns had."""
        return int(self.counts[turn_programs.INSIDE])

    @property
    def programs(self) -> Any:
        """The programs, one after another."""
        return self.words[: self.starts[self.positions]]


class TurnSpace(Space):
    """The rests of a game for one player or two opposed ones. Use as a context."""

    few = 64  # a rest takes as long as all positions of the turns that begin there

    def __init__(
        self,
        game: Game[Any, Any],
        compiled: Compiled,
        rests: Rests,
        partitions: int | None = None,
        longest: int = LONGEST_TURN,
    ):
        self.rests = rests
        self._longest = longest
        self._rest = (rests.mask, rests.want)
        self.inside: list[int] = []  # per partition: positions of turn_programs, expanded so far
        super().__init__(game, compiled, partitions)

    def __enter__(self) -> TurnSpace:
        return self

    @property
    def told_by(self) -> dict[str, Any] | None:
        return self.rests.as_data()

    def _new_batch(self) -> TurnBatch:
        return TurnBatch(self.size, self.compiled.key_words)

    def _load_kernels(self) -> None:
        words = self.compiled.key_words
        self.turns = [turn_programs.Room(words) for _ in range(self.size)]
        self.constants = [turn_programs.Constants() for _ in range(self.size)]
        self._odds: list[Any] = [None] * self.size
        self.inside = [0] * self.size
        super()._load_kernels()

    def _run_expand(self, p: int, first: int, last: int, keys: Any) -> None:
        batch, constants = self.batches[p], self.constants[p]
        assert isinstance(batch, TurnBatch)
        turn_programs.expand_turns(
            self._expander,
            self._rest,
            Pointer(keys[first:]),
            min(last - first, BATCH),
            self.rooms[p],
            self.laws[p].struct,
            (constants.data, constants.slots, constants.count),
            self.turns[p].arrays,
            self.turns[p].struct,
            turn_programs.Programs(
                batch.words, batch.starts, batch.owner, batch.mail, batch.mailed, batch.counts
            ),
        )
        self.inside[p] += batch.inside

    def _make_room(self, p: int, status: int, needed: int) -> None:
        batch, room = self.batches[p], self.turns[p]
        assert isinstance(batch, TurnBatch)
        if status == turn_programs.TURN_FULL:
            if room.positions >= self._longest:
                raise cannot_go_on(
                    f"a turn of {self.game.name} has more than {room.positions:,} positions, with "
                    f"{self.rests.describe()} telling where turns end.",
                    "Solve it without --turns.",
                )
            room.allocate(4 * room.positions, 4 * room.edges)
        elif status == turn_programs.ROUND_TRIP:
            raise cannot_go_on(
                f"in {self.game.name} a play can come back to a position within a turn, with "
                f"{self.rests.describe()} telling where turns end.",
                "Solve it without --turns.",
            )
        elif status == turn_programs.NO_ROOM:
            if not batch.positions:
                batch.words = np.empty(4 * len(batch.words), np.uint32)
                batch.allocate(2 * len(batch.owner))
        elif status == turn_programs.MORE_CONSTANTS:
            self.constants[p].grow()
        else:
            super()._make_room(p, status, needed)

    def _explain(self, position: Any) -> None:
        """Goes through the turn on the protocol, which says what is wrong with the rules."""
        seen, waiting = {position}, deque([position])
        while waiting:
            at = waiting.popleft()
            mover = self.game.to_move(at)
            if mover == TERMINAL:
                self.game.utility(at)
                continue
            if mover == CHANCE:
                self.game.chance(at)
            for move in self.game.moves(at):
                for outcome in self.game.outcomes(at, move):
                    onward: Any = outcome.position
                    key = np.frombuffer(self.compiled.key(onward), np.uint64)
                    if onward not in seen and not self.rests.hold(key):
                        seen.add(onward)
                        waiting.append(onward)
        super()._explain(position)

    def reading(self, p: int, nodes: Any, side: float) -> turn_programs.Reading:
        """What the programs of a partition are read with; `nodes` has room for those of the longest."""
        law_start, odds, reward = self._law_numbers(p)
        constants = self.constants[p].rounded(side, self.game.traits.whole)
        return turn_programs.Reading(constants, law_start, odds, reward, nodes)

    def _law_numbers(self, p: int) -> Any:
        """The laws of a partition as programs read them: where each begins, its odds, its expected reward."""
        laws, known = self.laws[p], self._odds[p]
        count = int(laws.count[0])
        if known is None or len(known[2]) != count:
            width = 2 + (2 * self.game.traits.players if self.game.traits.rewards else 0)
            start = laws.start[: count + 1] // width
            table = laws.data[: laws.start[count]].reshape(-1, width)
            chances = table[:, 0] / table[:, 1] if count else np.empty(0)
            reward = np.zeros(count)
            if width > 2 and count:
                reward = expected_reward(table, start, 0)[0]
            known = self._odds[p] = (start, chances, reward)
        return known

    # ------------------------------------------------------------------------------- values

    def combine(self, p: int, numbers: Any, values: Any) -> None:
        """The values of a batch of rests from the answers to its mail."""
        batch = self.batches[p]
        assert isinstance(batch, TurnBatch)
        answers = np.empty(batch.edges)
        sides = (0.0,) if values.shape[1] == 1 else (-1.0, 1.0)
        for column, side in enumerate(sides):
            _collect_answers(batch.owner, batch.edges, batch.answers, column, answers)
            values[numbers[: batch.positions], column] = self._values_of(p, answers, side)

    def _values_of(self, p: int, answers: Any, side: float) -> Any:
        """The values of the programs of a batch by the values of the rests in its mail."""
        batch = self.batches[p]
        assert isinstance(batch, TurnBatch)
        n = batch.positions
        starts = batch.starts[: n + 1]
        reading = self.reading(p, np.empty(int(np.diff(starts).max(initial=1))), side)
        out = np.empty(n)
        turn_programs.values_of(batch.words, starts, answers, struct(reading), side, out)
        return out

    def bounds_at(self, position: Any, low: list[Any], high: list[Any]) -> tuple[float, float] | None:
        """The bounds of a position, from those of all rests; None where a rest is not known.

        Within a turn they are computed from the rests to which it leads.
        """
        place = self.find(position)
        if place is not None:
            p, number = place
            return float(low[p][number]), float(high[p][number])
        keys = np.frombuffer(self.compiled.key(position), np.uint64).reshape(1, -1)
        self.expand(0, 0, 1, keys)
        return self._bounds_of_turn(low, high)

    def _bounds_of_turn(self, low: list[Any], high: list[Any]) -> tuple[float, float] | None:
        batch = self.batches[0]
        lows, highs = np.empty(batch.edges), np.empty(batch.edges)
        owner = batch.owner[: batch.edges]
        for p, part in enumerate(self.parts):
            count = int(batch.mailed[p])
            part.find(batch.mail[p], count, batch.found[p])
            numbers = batch.found[p, :count]
            if (numbers == MISSING).any():
                return None
            lows[owner == p], highs[owner == p] = low[p][numbers], high[p][numbers]
        exact = low is high
        return (
            float(self._values_of(0, lows, 0.0 if exact else -1.0)[0]),
            float(self._values_of(0, highs, 0.0 if exact else 1.0)[0]),
        )


class Programs:
    """The programs of the rests of one partition, in order, in blocks that are never copied (Store)."""

    def __init__(self) -> None:
        self.positions = self.edges = 0
        self.words: list[Any] = []  # per block
        self._used = 0  # words of the last block
        self._lengths: list[list[Any]] = []  # per block: of its programs, batch by batch
        self.longest = 1

    def append(self, batch: Batch) -> None:
        assert isinstance(batch, TurnBatch)
        programs = batch.programs
        numbers = np.empty(batch.edges, np.uint32)
        batch.collect(numbers)
        if numbers.max(initial=0) > turn_programs.NUMBER:
            raise cannot_go_on(
                "there are more positions at rest than programs can refer to, 2^30.", "Use mcts."
            )
        turn_programs.readdress(0, len(programs), programs, numbers)
        if not self.words or self._used + len(programs) > len(self.words[-1]):
            self._close()
            self.words.append(np.empty(max(BLOCK, len(programs)), np.uint32))
            self._lengths.append([])
            self._used = 0
        self.words[-1][self._used : self._used + len(programs)] = programs
        self._used += len(programs)
        lengths = np.diff(batch.starts[: batch.positions + 1]).astype(np.uint32)
        self._lengths[-1].append(lengths)
        self.longest = max(self.longest, int(lengths.max(initial=1)))
        self.positions += batch.positions
        self.edges += batch.edges

    def _close(self) -> None:
        """Cuts the last block where it ends; memory behind that has not been touched."""
        if self.words:
            self.words[-1] = self.words[-1][: self._used]

    @property
    def bytes(self) -> int:
        return 4 * (sum(len(block) for block in self.words[:-1]) + self._used + self.positions)

    def finish(self, address: Any) -> list[tuple[Any, Any]]:
        """The blocks with the starts of their programs, rests referred to by address[number]."""
        self._close()
        blocks = []
        for words, lengths in zip(self.words, self._lengths, strict=True):
            turn_programs.readdress(0, len(words), words, address)
            starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths), dtype=np.int64)])
            blocks.append((words, starts.astype(np.uint32)))
        return blocks


def addresses(space: Space) -> Any:
    """For number * partitions + partition the number in which all partitions follow one another."""
    base = bases(space.parts)
    most = max(part.count for part in space.parts)
    address = np.zeros(most * space.size, np.uint32)
    for p, part in enumerate(space.parts):
        address[p : part.count * space.size : space.size] = base[p] + np.arange(part.count)
    return address


@kernel
def _collect_answers(owner: Any, count: int, answers: Any, column: int, out: Any) -> None:
    """Puts a column of the answers of all partitions into the order of the mail."""
    at = np.zeros(answers.shape[0], np.int64)
    for e in range(count):
        p = owner[e]
        out[e] = answers[p, at[p], column]
        at[p] += 1
