"""Monte Carlo CFR on machine code: samples are played by the rules themselves, and only information sets
are kept.

As the textbook, `solvers/hidden/mccfr.py`, with other random numbers. Where a table is full while a sample
is being played, information sets that have no place are played at random and learn nothing; then it is made
larger.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from gdl.game import Game
from gdl.movers import CHANCE, TERMINAL
from solvers.core.interrupts import pass_on
from solvers.core.refusal import Refusal, TooLarge, cannot_go_on
from solvers.core.result import Result, Work
from solvers.core.starts import starts_of
from solvers.files.checkpoint import CheckpointFile
from solvers.hidden.equilibrium import Report, answer
from solvers.hidden.kernels.bench import FlatBench
from solvers.hidden.kernels.observing import fill, hashes_of, lengthen, numbers_of, pack, sight, slot_of
from solvers.hidden.records import EXPLORING, iterations_of
from solvers.hidden.sampled_strategy import SampledStrategy
from solvers.hidden.sequences import Known
from solvers.hidden.sizing import external_sample, histories
from solvers.machine.kernels import kernel, step
from solvers.machine.pointers import copy_bytes, pointer_to
from solvers.machine.rules import Machine, random_fraction
from solvers.machine.scratch import mixed
from solvers.machine.types import i64
from solvers.registry import refuse

ITERATIONS = 100_000
"""When nothing else ends it."""

DEEPEST = 1_000
"""Moves of the longest play that is sampled."""

MEASURED = 20_000_000
"""Histories up to which it is measured how good the answer is, unless more are asked for."""

LARGEST = 1 << 25
"""Moves that are made in one sample at most: no Ctrl-C is heard, and no clock looked at, meanwhile."""

# Why samples stopped.
DONE, SETS, MOVES, DEPTH, LONG, FAULT = range(6)

# What `counts` counts: why it stopped, entries of regrets and sums, then information sets of each player.
STATUS, ENTRIES, SET = range(3)

# What `Frames.at` and `Frames.odds` hold.
MOVER, COUNT, CHOSEN, FIRST = range(4)
OWN, DRAWN = range(2)


class Tables(NamedTuple):
    """What was learnt. An information set has `many` entries of regrets and sums from `first` on."""

    table: Any  # i32[players, slots]
    keys: Any  # u64[players, sets, 2]
    first: Any  # i64[players, sets]
    many: Any  # i32[players, sets]
    regret: Any  # f64[entries]
    sums: Any  # f64[entries]


class Starts(NamedTuple):
    """How plays begin."""

    forms: Any  # u8[starts, form]
    odds: Any  # f64[starts]: how probable it and those before it are together


class Frames(NamedTuple):
    """A line for each move of the play that is being sampled."""

    form: Any  # u8[deepest, form]
    hashes: Any  # u64[deepest, players, 2]
    moves: Any  # i64[deepest, most]
    policy: Any  # f64[deepest, most]
    worth: Any  # f64[deepest, most]
    weights: Any  # i64[2 + 2 * most]
    rewards: Any  # f64[deepest, players]
    at: Any  # i64[deepest, 4]: mover, how many moves, which is made, where its entries stand
    odds: Any  # f64[deepest, 2]: of the player's own moves so far, and with which the sample made them
    utility: Any  # f64[players]
    random: Any  # u64[1]


def mccfr(
    game: Game[Any, Any],
    at: Any = None,
    *,
    iterations: int | None = None,
    time: float | None = None,
    sampling: str = "external",
    seed: int = 0,
    limit: int | None = None,
    report: Report | None = None,
    checkpoint: CheckpointFile | None = None,
) -> Result:
    refuse("mccfr", game)
    rounds = iterations_of(iterations, time, ITERATIONS)
    if not game.compiled.moves_told:  # type: ignore[attr-defined]
        raise cannot_go_on(
            f"moves of {game.name} show what is hidden, which machine code does not follow.",
            'Load it with engine="reference".',
        )
    if sampling == "external" and external_sample(game, at) > LARGEST:
        raise _sample_too_long(game)
    samples = _Samples(game, at, sampling == "outcome", seed)
    start = None if at is None else game.format_position(at)
    task = {"solver": "mccfr", "sampling": sampling, "seed": seed, "start": start}
    if checkpoint is not None and (found := checkpoint.load(game, "samples", task)) is not None:
        samples.take_up(*found)
    earlier = samples.rounds
    samples.compile()
    began = perf_counter()
    stopped = False
    try:
        portion = 1
        while samples.rounds < rounds and (time is None or perf_counter() - began < time):
            now = perf_counter()
            samples.run(min(portion, rounds - samples.rounds))
            portion = portion * 2 if perf_counter() - now < 0.05 else max(1, portion // 2)
            if checkpoint is not None and checkpoint.due():
                checkpoint.save(game, "samples", task, samples.done, samples.kept())
            if report is not None:
                share = min(1.0, samples.rounds / rounds)
                report(f"mccfr: {samples.rounds:,} iterations, {samples.sets:,} information sets", share)
    except KeyboardInterrupt as interrupt:
        pass_on(interrupt)
        stopped = True
    if checkpoint is not None and samples.rounds < rounds:
        checkpoint.save(game, "samples", task, samples.done, samples.kept())
        checkpoint.unfinished = True
    how = f"average play of {sampling} sampling"
    work = Work(perf_counter() - began, rounds=samples.rounds, earlier=earlier)
    try:
        if histories(game, at) > (limit or MEASURED):
            return samples.unmeasured(at, how, work, stopped, seed)
        form = FlatBench(game, at, limit or MEASURED, report).form
    except TooLarge:
        return samples.unmeasured(at, how, work, stopped, seed)
    policy = samples.average(form)
    work = replace(work, positions=form.histories)
    from solvers.hidden.kernels.sweeps import judge

    return answer(form, "mccfr", policy, judge(form, policy), work, how=how, partial=stopped)


def _sample_too_long(game: Game[Any, Any]) -> Refusal:
    return cannot_go_on(
        f"one external sample of {game.name} has more than {LARGEST:,} moves.",
        'Use --solver "mccfr(sampling=outcome)", or give the game smaller parameters.',
    )


class _Samples:
    """The tables, which grow as they are needed."""

    def __init__(self, game: Game[Any, Any], at: Any, outcome: bool, seed: int):
        players = len(game.players)
        self.game = game
        self.machine = Machine(game)
        self.sight = sight(game)
        self.outcome = outcome
        self.rounds = 0
        starts = starts_of(game, at)
        self.starts = Starts(
            np.array([self.machine.form(start.position) for start in starts]),
            np.cumsum([float(start.probability) for start in starts]),
        )
        self.tables = Tables(
            np.full((players, 2048), -1, np.int32),
            np.zeros((players, 1024, 2), np.uint64),
            np.zeros((players, 1024), np.int64),
            np.zeros((players, 1024), np.int32),
            np.zeros(8192),
            np.zeros(8192),
        )
        self.counts = np.zeros(SET + players, np.int64)
        self.totals = np.zeros(players)  # what samples paid, one of each player's in a round
        self.random = np.array([mixed(seed)], np.uint64)
        self.frames = self._frames(64, 64)

    def _frames(self, deepest: int, most: int) -> Frames:
        players = len(self.game.players)
        return Frames(
            np.zeros((deepest, self.machine.rules.form), np.uint8),
            np.zeros((deepest, players, 2), np.uint64),
            np.zeros((deepest, most), np.int64),
            np.zeros((deepest, most)),
            np.zeros((deepest, most)),
            np.zeros(2 + 2 * most, np.int64),
            np.zeros((deepest, players)),
            np.zeros((deepest, 4), np.int64),
            np.zeros((deepest, 2)),
            np.zeros(players),
            self.random,
        )

    @property
    def sets(self) -> int:
        return int(self.counts[SET:].sum())

    def run(self, rounds: int) -> None:
        while rounds > 0:
            self.counts[STATUS] = DONE
            done = _sample(
                self.machine.rules_struct, self.machine.numbers.discount, self.sight, self.tables,
                self.counts, self.frames, self.starts, self.outcome, rounds, self.totals,
            )  # fmt: skip
            self.rounds += done
            rounds -= done
            status = int(self.counts[STATUS])
            deepest, most = self.frames.moves.shape
            if status == FAULT:
                raise cannot_go_on(
                    f"a rule of {self.game.name} broke in a sampled play.", "`gdl explore` finds out which."
                )
            if status == LONG:
                raise _sample_too_long(self.game)
            if status == DEPTH:
                if deepest >= DEEPEST:
                    raise cannot_go_on(f"plays of {self.game.name} are longer than {DEEPEST:,} moves.")
                self.frames = self._frames(min(2 * deepest, DEEPEST), most)
            elif status == MOVES:
                self.frames = self._frames(deepest, 4 * most)
            elif status == SETS:
                self._grow()

    def compile(self) -> None:
        """Has the kernel compiled, which takes no time that was given for samples."""
        _sample(
            self.machine.rules_struct, self.machine.numbers.discount, self.sight, self.tables, self.counts,
            self.frames, self.starts, self.outcome, 0, self.totals,
        )  # fmt: skip

    @property
    def done(self) -> list[int]:
        """Rounds, and the room for a play, on which it depends which samples are cut and played again."""
        return [self.rounds, *self.frames.moves.shape]

    def kept(self) -> dict[str, Any]:
        """Arrays from which `take_up` goes on, to the same numbers."""
        return {**self.tables._asdict(), "counts": self.counts, "totals": self.totals, "random": self.random}

    def take_up(self, done: list[int], kept: dict[str, Any]) -> None:
        self.rounds, deepest, most = done
        self.tables = Tables(*[kept[name] for name in Tables._fields])
        self.counts, self.totals, self.random = kept["counts"], kept["totals"], kept["random"]
        self.frames = self._frames(deepest, most)

    def _grow(self) -> None:
        old = self.tables
        wider = {
            name: np.concatenate([getattr(old, name), np.zeros_like(getattr(old, name))], axis=1)
            for name in ("keys", "first", "many")
        }
        players, slots = old.table.shape
        table = np.full((players, 2 * slots), -1, np.int32)
        for player in range(players):
            fill(table[player], wider["keys"][player], int(self.counts[SET + player]))
        longer = {
            name: np.concatenate([getattr(old, name), np.zeros_like(getattr(old, name))])
            for name in ("regret", "sums")
        }
        self.tables = Tables(table=table, **wider, **longer)

    def average(self, form: Any) -> Any:
        """What was played on average, by the sequences of the whole game."""
        policy = form.uniform()
        _averages(self.tables, form.keys, form.sets, form.first, form.moves, policy)
        return policy

    def odds_at(self, known: Known) -> list[float] | None:
        """What was played on average by what a player knows; None where no sample came."""
        observed, told = numbers_of(self.game, known.seen)
        odds = np.zeros(len(known.moves))
        found = _average_at(self.tables, known.player, observed, told, odds)
        return odds.tolist() if found else None

    def unmeasured(self, at: Any, how: str, work: Work, stopped: bool, seed: int) -> Result:
        """What is known where the whole game cannot be walked: what the average play pays in some plays."""
        game = self.game
        counts = tuple(int(count) for count in self.counts[SET:])
        strategy = SampledStrategy(game, at, self.odds_at, counts, self.rounds, seed)
        return Result(
            game=game.name,
            solver="mccfr",
            values=strategy.values(),
            players=tuple(game.players),
            how=f"{how}: what it pays in plays against itself; too many histories to measure how good it is",
            work=work,
            partial=stopped,
            seed=seed,
            strategy=strategy,
        )


@kernel
def _sample(
    rules: Any, discount: Any, sight: Any, tables: Any, counts: Any, frames: Any, starts: Any,
    outcome: Any, rounds: Any, totals: Any,
) -> Any:  # fmt: skip
    """Plays so many rounds, or until something is missing; gives how many."""
    forms, odds = starts
    players = frames.utility.shape[0]
    random = pointer_to(frames.random)
    for done in range(rounds):
        for player in range(players):
            point = random_fraction(random) * odds[-1]
            start = 0
            while start < odds.shape[0] - 1 and odds[start] <= point:
                start += 1
            at = pointer_to(frames.form)
            copy_bytes(at, pointer_to(forms) + start * rules.form, rules.form)
            pack(sight, at)
            for one in range(players):
                h, g, status = lengthen(
                    sight, i64(-1), i64(-1), at, one, np.uint64(one + 1), np.uint64(one + 1)
                )
                if status != 0:
                    counts[STATUS] = FAULT
                    return done
                frames.hashes[0, one, 0], frames.hashes[0, one, 1] = h, g
            value = _play(rules, discount, sight, tables, counts, frames, outcome, player)
            if counts[STATUS] != DONE and counts[STATUS] != SETS:
                return done
            totals[player] += value
        if counts[STATUS] != DONE:
            return done + 1
    return rounds


@step
def _play(
    rules: Any, discount: Any, sight: Any, tables: Any, counts: Any, frames: Any, outcome: Any, player: Any
) -> Any:
    """What the player gets from the first frame on, by a sample that is right on average.

    Goes down the frames, one for each move, and up again with what was got; where the player learns from all
    moves of a position it goes down once for each. (No recursion: numba cannot keep that on disk.)
    """
    depth, own, drawn, moves = i64(0), 1.0, 1.0, 0
    while True:
        moves += 1
        if moves > LARGEST:
            counts[STATUS] = LONG
            return 0.0
        value = 0.0
        going_down = _decide(rules, tables, counts, frames, outcome, player, depth, own, drawn)
        if counts[STATUS] > SETS:
            return 0.0
        if not going_down:
            value = frames.utility[player]
        while not going_down:
            if depth == 0:
                return value
            depth -= 1
            paid = frames.rewards[depth, player] if rules.pays else 0.0
            value = paid + discount * value
            if frames.at[depth, MOVER] == player:
                chosen = frames.at[depth, CHOSEN]
                frames.worth[depth, chosen] = value
                if not outcome and chosen + 1 < frames.at[depth, COUNT]:
                    frames.at[depth, CHOSEN] = chosen + 1
                    going_down = True
                else:
                    value = _learn(tables, frames, outcome, depth)
        own, drawn = _make(rules, sight, counts, frames, outcome, player, depth)
        if counts[STATUS] > SETS:
            return 0.0
        depth += 1


@step
def _decide(
    rules: Any, tables: Any, counts: Any, frames: Any, outcome: Any, player: Any, depth: Any, own: Any,
    drawn: Any,
) -> Any:  # fmt: skip
    """Who moves in a frame, and which move first; False where the play is over, its utilities then stand in
    `utility`."""
    form = pointer_to(frames.form) + depth * rules.form
    mover = rules.to_move(form)
    if mover == TERMINAL:
        if rules.utility(form, pointer_to(frames.utility)) != 0:
            counts[STATUS] = FAULT
        return False
    if mover < TERMINAL or depth + 1 >= frames.form.shape[0]:
        counts[STATUS] = FAULT if mover < TERMINAL else DEPTH
        return False
    most = frames.moves.shape[1]
    moves = pointer_to(frames.moves) + depth * most
    count = rules.moves(form, moves, most)
    if count <= 0 or count > most:
        counts[STATUS] = FAULT if count <= 0 else MOVES
        return False
    random = pointer_to(frames.random)
    frames.at[depth, MOVER], frames.at[depth, COUNT] = mover, count
    frames.odds[depth, OWN], frames.odds[depth, DRAWN] = own, drawn
    if mover == CHANCE:
        if rules.weights(form, moves, count, pointer_to(frames.weights)) != 0:
            counts[STATUS] = FAULT
            return False
        point = random_fraction(random) * (frames.weights[0] / frames.weights[1])
        chosen = i64(0)
        for k in range(count):
            chosen = i64(k)
            point -= frames.weights[2 + 2 * k] / frames.weights[3 + 2 * k]
            if point < 0:
                break
        frames.at[depth, CHOSEN] = chosen
        return True
    first = _entries(
        tables, counts, frames.hashes[depth, mover, 0], frames.hashes[depth, mover, 1], mover, count
    )
    frames.at[depth, FIRST] = first
    policy = frames.policy[depth]
    _match(tables.regret, first, count, policy)
    if mover != player:
        if not outcome and first >= 0 and mover == (player + 1) % frames.utility.shape[0]:
            for k in range(count):
                tables.sums[first + k] += policy[k]
        frames.at[depth, CHOSEN] = _drawn(policy, count, 0.0, random)
    elif not outcome:
        frames.at[depth, CHOSEN] = 0
    else:
        for k in range(count):
            frames.worth[depth, k] = 0.0
            if first >= 0:
                tables.sums[first + k] += own / drawn * policy[k]
        frames.at[depth, CHOSEN] = _drawn(policy, count, EXPLORING, random)
    return True


@step
def _make(rules: Any, sight: Any, counts: Any, frames: Any, outcome: Any, player: Any, depth: Any) -> Any:
    """Makes the move that is chosen in a frame: the next frame is where it leads, as chance decides. Gives
    the probabilities of the player's own moves so far, and of those with which the sample made them."""
    form = pointer_to(frames.form) + depth * rules.form
    after = form + rules.form
    copy_bytes(after, form, rules.form)
    mover, chosen = frames.at[depth, MOVER], frames.at[depth, CHOSEN]
    move = frames.moves[depth, chosen]
    rewards = pointer_to(frames.rewards) + depth * frames.rewards.shape[1]
    own, drawn = frames.odds[depth, OWN], frames.odds[depth, DRAWN]
    if rules.sample(after, move, pointer_to(frames.random), rewards) != 0:
        counts[STATUS] = FAULT
        return own, drawn
    if rules.to_move(after) != TERMINAL:
        pack(sight, after)
        for one in range(frames.utility.shape[0]):
            h, g, status = lengthen(
                sight, mover, move, after, one, frames.hashes[depth, one, 0], frames.hashes[depth, one, 1]
            )
            if status != 0:
                counts[STATUS] = FAULT
                return own, drawn
            frames.hashes[depth + 1, one, 0], frames.hashes[depth + 1, one, 1] = h, g
    if outcome and mover == player:
        drawn *= EXPLORING / frames.at[depth, COUNT] + (1.0 - EXPLORING) * frames.policy[depth, chosen]
        own *= frames.policy[depth, chosen]
    return own, drawn


@step
def _learn(tables: Any, frames: Any, outcome: Any, depth: Any) -> Any:
    """Adds to the regrets of a frame what its moves were worth; gives what the position was worth."""
    count, first, chosen = frames.at[depth, COUNT], frames.at[depth, FIRST], frames.at[depth, CHOSEN]
    policy, worth, weight = frames.policy[depth], frames.worth[depth], 1.0
    if outcome:
        worth[chosen] /= EXPLORING / count + (1.0 - EXPLORING) * policy[chosen]
        weight = 1.0 / frames.odds[depth, DRAWN]
    mean = 0.0
    for k in range(count):
        mean += policy[k] * worth[k]
    if first >= 0:
        for k in range(count):
            tables.regret[first + k] += weight * (worth[k] - mean)
    return mean


@step
def _entries(tables: Any, counts: Any, h: Any, g: Any, mover: Any, count: Any) -> Any:
    """Where the regrets of an information set stand; -1 where there is no room for a new one."""
    keys = tables.keys[mover]
    slot = slot_of(tables.table[mover], keys, h, g)
    number = i64(tables.table[mover, slot])
    if number < 0:
        number, entry = counts[SET + mover], counts[ENTRIES]
        if number == keys.shape[0] or entry + count > tables.regret.shape[0]:
            counts[STATUS] = SETS
            return i64(-1)
        keys[number, 0], keys[number, 1] = h, g
        tables.table[mover, slot] = number
        tables.first[mover, number], tables.many[mover, number] = entry, count
        counts[SET + mover] += 1
        counts[ENTRIES] += count
    return i64(tables.first[mover, number])


@step
def _match(regret: Any, first: Any, count: Any, policy: Any) -> None:
    total = 0.0
    for k in range(count):
        policy[k] = max(regret[first + k], 0.0) if first >= 0 else 0.0
        total += policy[k]
    for k in range(count):
        policy[k] = policy[k] / total if total > 0.0 else 1.0 / count


@step
def _drawn(policy: Any, count: Any, exploring: Any, random: Any) -> Any:
    """A move drawn by the policy, or with some probability any."""
    point = random_fraction(random)
    for k in range(count):
        point -= exploring / count + (1.0 - exploring) * policy[k]
        if point < 0:
            return i64(k)
    return i64(count - 1)


@kernel
def _averages(tables: Any, names: Any, sets: Any, first: Any, moves: Any, policy: Any) -> None:
    for player in range(sets.shape[0] - 1):
        for i in range(sets[player], sets[player + 1]):
            slot = slot_of(tables.table[player], tables.keys[player], names[i, 0], names[i, 1])
            number = i64(tables.table[player, slot])
            if number < 0:
                continue
            entry, total = tables.first[player, number], 0.0
            for k in range(moves[i]):
                total += tables.sums[entry + k]
            if total > 0.0:
                for k in range(moves[i]):
                    policy[first[i] + k] = tables.sums[entry + k] / total


@kernel
def _average_at(tables: Any, player: Any, observed: Any, told: Any, odds: Any) -> Any:
    """Writes what was played on average by what was seen; whether anything was."""
    h, g = hashes_of(player, observed, told)
    slot = slot_of(tables.table[player], tables.keys[player], h, g)
    number = i64(tables.table[player, slot])
    if number < 0 or tables.many[player, number] != odds.shape[0]:
        return False
    entry, total = tables.first[player, number], 0.0
    for k in range(odds.shape[0]):
        odds[k] = tables.sums[entry + k]
        total += odds[k]
    for k in range(odds.shape[0]):
        odds[k] = odds[k] / total if total > 0.0 else 1.0 / odds.shape[0]
    return True
