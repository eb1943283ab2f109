"""Checks certificates of duels with the native engine as the source of what follows each position.

The rules run as machine code, called by a kernel that numbers positions as it meets them; probabilities and
rewards come as exact fractions, utilities from the exact engine. The inequalities of `verify.py` are then
checked on whole arrays (`inequalities.py`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from gdl.abi import CAPACITY
from gdl.certificates.file import Certificate
from gdl.certificates.inequalities import (
    MOST,
    NEVER,
    Column,
    Edges,
    Worths,
    best_choices,
    needs,
    signs,
    worths,
)
from gdl.certificates.verify import Verdict, check_starts, shown
from gdl.diagnostics import Diagnostic, GameError
from gdl.diagnostics.certificates import (
    bound_fails,
    moves_fail,
    not_certifiable,
    positions_differ,
    rank_fails,
)
from gdl.game import TERMINAL, Compiled, Game, Outcome


def check(game: Game[Any, Any], certificate: Certificate, start: Any = None) -> Verdict:
    """What the certificate of a duel proves about a compiled game; raises GameError if nothing."""
    return _Check(game, certificate, start).verdict()


class _Check:
    def __init__(self, game: Game[Any, Any], certificate: Certificate, start: Any):
        self.game = game
        self.exact: Game[Any, Any] = game.compiled.exact  # type: ignore[attr-defined]
        self.certificate = certificate
        self.start_text: str | None = certificate.facts.get("from")
        self.starts = self.exact.initial() if start is None else [Outcome(start, 1, ())]

    def verdict(self) -> Verdict:
        certificate = self.certificate
        check_starts(self.game, self.starts)
        self.found = _explored(self.game, [start.position for start in self.starts], len(certificate))
        self.edges = self.found.edges
        numbers, ranks = certificate.numbers, certificate.ranks
        low = Column(numbers["value" if certificate.exact else "low"])
        high = low if certificate.exact else Column(numbers["high"])
        self.check_utilities(low, high)
        low_worths = worths(self.edges, low)
        high_worths = low_worths if certificate.exact else worths(self.edges, high)
        compared = signs(low_worths)
        above = -(compared if certificate.exact else signs(high_worths))
        self.check_bounds(low_worths, compared, 1)
        self.check_bounds(high_worths, above, -1)
        self.check_ranks(low_worths, compared, ranks["rank_low"], 1)
        self.check_ranks(high_worths, above, ranks["rank_high"], -1)
        listed, decided = best_choices(low_worths, high_worths, compared if certificate.exact else None)
        self.check_moves(listed)
        return self.result(low, high, int(decided.sum()))

    def check_utilities(self, low: Column, high: Column) -> None:
        """Where the game is over the bounds enclose the utility, by the exact engine."""
        for v in np.flatnonzero(self.edges.mover == TERMINAL).tolist():
            position = self.found.position(v)
            utility = [Fraction(x) for x in self.exact.utility(position)]
            if len(utility) == 2 and utility[0] + utility[1]:
                self.unequal(v)
            if low[v] > utility[0]:
                self.refuse_bound(v, 1, low[v], utility[0])
            if high[v] < utility[0]:
                self.refuse_bound(v, -1, high[v], utility[0])
        if self.found.unequal is not None:
            self.unequal(self.found.unequal)

    def check_bounds(self, known: Worths, compared: Any, sign: int) -> None:
        """The inequalities of one side; `compared` says how choices compare with their positions."""
        edges, chooser = self.edges, 0 if sign > 0 else 1
        mine = edges.mover[edges.owner] == chooser
        for c in np.flatnonzero(~mine & (compared < 0))[:1].tolist():
            self.refuse_choice(known, int(edges.owner[c]), [c], sign)
        kept = np.zeros(len(edges.mover), np.int8)
        kept[edges.open] = edges.per_position(np.maximum, compared)
        for v in np.flatnonzero((kept < 0) & (edges.mover == chooser))[:1].tolist():
            self.refuse_choice(known, v, list(range(int(edges.row[v]), int(edges.row[v + 1]))), sign)

    def check_ranks(self, known: Worths, compared: Any, ranks: Any, sign: int) -> None:
        traits, edges = self.game.traits, self.edges
        endless = Fraction(traits.endless[0]) if traits.endless else Fraction(0)
        resting = known.column.at_most(endless, sign)
        needed = needs(edges, compared, np.clip(ranks, -1, NEVER), resting, 0 if sign > 0 else 1)
        for v in np.flatnonzero((needed != ranks) | (needed >= NEVER))[:1].tolist():
            what = f"of the bound from {'below' if sign > 0 else 'above'}"
            why = f"bound {shown(known.column[v])}, endless play pays {endless}"
            least = None if needed[v] >= NEVER else int(needed[v])
            self.refuse(rank_fails(self.text(v), what, int(ranks[v]), least, why))

    def check_moves(self, listed: Any) -> None:
        edges, certificate = self.edges, self.certificate
        counts = np.zeros(len(edges.mover), np.int64)
        counts[edges.open] = edges.per_position(np.add, listed.astype(np.int64))
        proven = np.flatnonzero(listed) - edges.row[edges.owner[listed]]
        claimed = np.diff(certificate.best_start)
        wrong = np.flatnonzero(claimed != counts)
        if not len(wrong):
            wrong = np.repeat(np.arange(len(counts)), counts)[proven != certificate.best]
        for v in wrong[:1].tolist():
            position = self.found.position(v)
            known = [self.game.format_move(move) for move in self.game.moves(position)]
            choices = np.flatnonzero(listed[edges.row[v] : edges.row[v + 1]]).tolist()
            names = [
                [known[k] if 0 <= k < len(known) else f"number {k}" for k in ks]
                for ks in (certificate.listed(v), choices)
            ]
            self.refuse(moves_fail(self.text(v), *names))

    # ---------------------------------------------------------------------------- what is said

    def result(self, low: Column, high: Column, decided: int) -> Verdict:
        players = len(self.game.players)
        least, most = self.total(low), self.total(high)
        best = None
        first = self.found.position(0)
        if len(self.starts) == 1 and self.game.to_move(first) >= 0:
            moves = self.game.moves(first)
            best = tuple(self.game.format_move(moves[k]) for k in self.certificate.listed(0))
        return Verdict(
            self.game.name,
            tuple(self.game.players),
            self.start_text,
            (least, -most)[:players],
            (most, -least)[:players],
            len(self.certificate),
            len(self.edges.target),
            int((self.edges.mover >= 0).sum()),
            decided,
            best,
            False,
            "native",
        )

    def total(self, numbers: Column) -> Fraction:
        total = Fraction(0)
        for start, v in zip(self.starts, self.found.starts, strict=True):
            paid = Fraction(start.rewards[0]) if start.rewards else Fraction(0)
            total += Fraction(start.probability) * (paid + numbers[v])
        return total

    def text(self, v: int) -> str:
        return str(self.game.format_position(self.found.position(v)))

    def refuse_choice(self, known: Worths, v: int, choices: list[int], sign: int) -> NoReturn:
        worth = max(sign * known.exact(c) for c in choices) * sign
        move = None
        if len(choices) == 1 and self.edges.mover[v] >= 0:
            moves = self.game.moves(self.found.position(v))
            move = self.game.format_move(moves[choices[0] - int(self.edges.row[v])])
        self.refuse_bound(v, sign, known.column[v], worth, move)

    def refuse_bound(
        self, v: int, sign: int, claim: Fraction, found: Fraction, move: str | None = None
    ) -> NoReturn:
        relation, other = (">=", "<=") if sign > 0 else ("<=", ">=")
        self.refuse(
            bound_fails(
                self.text(v),
                f"value {relation} {shown(claim)}",
                f"{shown(claim)} {other} {shown(found)}",
                move,
            )
        )

    def unequal(self, v: int) -> NoReturn:
        reason = f"one player's gain is not the other's loss at {self.text(v)}"
        self.refuse(not_certifiable(self.game.name, reason))

    def refuse(self, diagnostic: Diagnostic) -> NoReturn:
        raise GameError([diagnostic])


# ------------------------------------------------------------------------------- the position graph

_DONE, _FULL, _MORE_MOVES, _MORE_OUTCOMES, _TOO_MANY, _FAULT, _OVERFLOW = range(7)
_POSITIONS, _CHOICES, _EDGES, _NEEDED, _UNEQUAL = range(5)
_BATCH = 200_000  # positions between two looks at the keyboard


class _Found:
    """The positions that can be reached, in the order in which they were met, and their edges."""

    def __init__(self, compiled: Compiled, keys: Any, starts: list[int], edges: Edges, unequal: int | None):
        self._compiled = compiled
        self._keys = keys
        self.starts = starts
        self.edges = edges
        self.unequal = unequal  # a position from which rewards do not sum to zero

    def position(self, number: int) -> Any:
        return self._compiled.position(self._keys[number].tobytes())


def _explored(game: Game[Any, Any], starts: list[Any], claimed: int) -> _Found:
    """Visits everything; raises GameError where there are more or fewer positions than claimed."""
    compiled: Compiled = game.compiled  # type: ignore[attr-defined]
    traits = game.traits
    if claimed > MOST:
        raise _too_many(game)
    words, players = compiled.key_words, len(game.players)
    expand = _KERNELS.get(compiled)
    if expand is None:
        expand = _KERNELS[compiled] = _Kernel(compiled, traits.chance, words, players, traits.rewards)
    keys = np.zeros((claimed + 1, words), np.uint64)
    table = np.zeros(1 << max(4, (2 * claimed + 4).bit_length()), np.int32)
    counts = np.zeros(5, np.int64)
    counts[_UNEQUAL] = -1
    first = np.frombuffer(b"".join(compiled.key(start) for start in starts), np.uint64).reshape(-1, words)
    numbers = np.zeros(len(starts), np.int64)
    drawing = np.array([*compiled.drawing, *compiled.paying], np.int64).reshape(-1, 2)
    mover, row = np.zeros(claimed, np.int8), np.zeros(claimed + 1, np.int64)
    room = max(1024, 4 * claimed)
    spread = np.zeros(room, np.int64)
    edges: tuple[Any, ...] = _rooms(room, traits.chance, traits.rewards)
    moves, outcomes = 256, 64
    expand.number(first, keys, table, counts, numbers)
    done = 0
    while counts[_POSITIONS] <= claimed and done < counts[_POSITIONS]:
        records = np.zeros(outcomes * compiled.record_size // 8, np.int64)
        scratch = (
            np.zeros(moves, np.int64),
            np.zeros(2 * moves + 2, np.int64),
            records,
            np.zeros(4 * outcomes, np.uint32),
        )
        done, status = expand.expand(done, keys, table, drawing, scratch, mover, row, spread, edges, counts)
        if counts[_CHOICES] > MOST:
            raise _too_many(game)
        if status == _FULL:
            size = 2 * max(len(spread), int(counts[_NEEDED]))
            spread = np.resize(spread, size)
            edges = tuple(np.resize(part, (size, *part.shape[1:])) if len(part) else part for part in edges)
        elif status == _MORE_MOVES:
            moves = 2 * int(counts[_NEEDED])
        elif status == _MORE_OUTCOMES:
            outcomes *= 4
        elif status in (_FAULT, _OVERFLOW):
            _explain(compiled.exact, compiled.position(keys[done].tobytes()))
            raise GameError(
                [not_certifiable(game.name, "its numbers do not fit machine words: use --engine reference")]
            )
    met = int(counts[_POSITIONS])
    if met > claimed:
        another = game.format_position(compiled.position(keys[claimed].tobytes()))
        raise GameError([positions_differ(claimed, "and the rules lead to another one", another)])
    if met < claimed:
        raise GameError([positions_differ(claimed, f"and the rules lead to {met:,} only")])
    target, odds, rewards = edges
    made, led = int(counts[_CHOICES]), int(counts[_EDGES])
    starts_of_choices = np.concatenate([[0], np.cumsum(spread[:made])])
    found = Edges(
        mover,
        row,
        starts_of_choices,
        target[:led],
        odds[:led] if len(odds) else None,
        rewards[:led] if len(rewards) else None,
        Fraction(traits.discount),
    )
    unequal = int(counts[_UNEQUAL])
    return _Found(compiled, keys, numbers.tolist(), found, None if unequal < 0 else unequal)


def _too_many(game: Game[Any, Any]) -> GameError:
    reason = f"more than {MOST:,} positions or moves cannot be checked at once: use --engine reference"
    return GameError([not_certifiable(game.name, reason)])


def _rooms(size: int, chance: bool, rewards: bool) -> tuple[Any, Any, Any]:
    """Per outcome: where it leads; numerator and denominator of its odds, and of the first's reward."""
    return (
        np.zeros(size, np.int64),
        np.zeros((size if chance else 0, 2), np.int64),
        np.zeros((size if rewards else 0, 2), np.int64),
    )


def _explain(exact: Game[Any, Any], position: Any) -> None:
    """Repeats a step with the exact engine, which says what is wrong with the rules, if anything is."""
    mover = exact.to_move(position)
    if mover == TERMINAL:
        exact.utility(position)
        return
    for move in exact.moves(position):
        exact.outcomes(position, move)


class _Kernel:
    """Machine code that expands positions, made for one game: its functions are called directly."""

    def __init__(self, compiled: Compiled, chance: bool, words: int, players: int, with_rewards: bool):
        from numba import njit

        def function(name: str, result: Any, arguments: int) -> Callable[..., int]:
            """Pointers and numbers are all passed as 64-bit integers; the ABI passes both alike."""
            if name == "weights" and not chance:
                name = "to_move"  # never called
            kind = ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * arguments)
            made: Callable[..., int] = kind(compiled.address(name))
            return made

        i32, i64 = ctypes.c_int32, ctypes.c_int64
        unpack, pack = function("unpack", None, 2), function("pack", None, 2)
        to_move, legal = function("to_move", i32, 1), function("moves", i64, 3)
        weigh, play = function("weights", i32, 4), function("sample", i32, 4)
        drawn = bool(compiled.drawing or compiled.paying)
        enumerate_ = function("outcomes" if drawn else "sample", i64, 6 if drawn else 4)
        form_size, record = compiled.form_size, compiled.record_size
        at_odds, at_rewards, at_form = compiled.at_odds // 8, compiled.at_rewards // 8, compiled.at_form
        script_size = compiled.script_size

        @njit
        def number_of(key: Any, keys: Any, table: Any, counts: Any) -> Any:
            """The number of a position, a new one if it has not been met; one too many is met as well."""
            h = np.uint64(0x9E3779B97F4A7C15)
            for i in range(words):
                h = (h ^ key[i]) * np.uint64(0xD6E8FEB86659FD93)
                h ^= h >> np.uint64(32)
            mask = np.uint64(len(table) - 1)
            at = h & mask
            while table[at]:
                found = table[at] - 1
                same = True
                for i in range(words):
                    same = same and keys[found, i] == key[i]
                if same:
                    return found
                at = (at + np.uint64(1)) & mask
            new = counts[_POSITIONS]
            if new < len(keys):
                table[at] = new + 1
                for i in range(words):
                    keys[new, i] = key[i]
            counts[_POSITIONS] = new + 1
            return new

        @njit
        def number(first: Any, keys: Any, table: Any, counts: Any, numbers: Any) -> None:
            for k in range(len(first)):
                numbers[k] = number_of(first[k], keys, table, counts)

        @njit
        def reduced(a: int, b: int, c: int, d: int) -> Any:
            """(a / b) * (c / d) in lowest terms, and whether it fits."""
            for _ in range(2):
                x, y = a, d
                while y:
                    x, y = y, x % y
                if x > 1:
                    a, d = a // x, d // x
                a, b, c, d = c, d, a, b
            return a * c, b * d, float(a) * float(c) < 9e18 and float(b) * float(d) < 9e18

        @njit
        def expand(
            begin: int,
            keys: Any,
            table: Any,
            drawing: Any,
            scratch: Any,
            mover: Any,
            row: Any,
            spread: Any,
            edges: Any,
            counts: Any,
        ) -> Any:
            """Expands positions from `begin` on while there are any; how far it came, and why it stopped."""
            moves, weights, records, slots = scratch
            target, odds, rewards = edges
            form = np.zeros(form_size // 8 + 1, np.int64)
            after = np.zeros(form_size // 8 + 1, np.int64)
            key = np.zeros(words, np.uint64)
            script = np.zeros(script_size // 8 + 2, np.int64)
            random = np.ones(4, np.int64)
            paid = np.zeros(players + 1, np.float64)
            capacity = 8 * len(records) // record
            here = begin
            while here < counts[_POSITIONS] and here < len(mover) and here < begin + _BATCH:
                choices, outcomes = counts[_CHOICES], counts[_EDGES]
                status = _DONE
                unpack(keys.ctypes.data + here * words * 8, form.ctypes.data)
                who = to_move(form.ctypes.data)
                count = 0
                if who < -2:
                    status = _FAULT
                elif who != -2:
                    count = legal(form.ctypes.data, moves.ctypes.data, len(moves))
                    if count <= 0:
                        status = _FAULT
                    elif count > len(moves):
                        status = _MORE_MOVES
                        counts[_NEEDED] = count
                        count = 0
                    elif who == -1 and weigh(form.ctypes.data, moves.ctypes.data, count, weights.ctypes.data):
                        status = _FAULT
                first_outcome = outcomes
                for m in range(count if status == _DONE else 0):
                    if who == -1 and weights[2 + 2 * m] == 0:
                        continue
                    draws = False
                    for d in range(drawing.shape[0]):
                        draws = draws or drawing[d, 0] <= moves[m] < drawing[d, 1]
                    k = 1
                    if draws:
                        k = enumerated(form, moves[m], records, capacity, slots, script)
                    else:
                        after[:] = form
                        if play(after.ctypes.data, moves[m], random.ctypes.data, paid.ctypes.data):
                            k = -1
                    if k < 0:
                        status = _MORE_OUTCOMES if k == -CAPACITY else _FAULT
                        break
                    if outcomes + k > len(target) or choices >= len(spread):
                        status = _FULL
                        counts[_NEEDED] = outcomes + k
                        break
                    if who != -1:
                        first_outcome = outcomes
                    for j in range(k):
                        at = j * record // 8
                        num, den = np.int64(1), np.int64(1)
                        if draws:
                            num, den = records[at + at_odds], records[at + at_odds + 1]
                        if who == -1:
                            num, den, fits = reduced(num, den, weights[2 + 2 * m], weights[3 + 2 * m])
                            if fits:
                                num, den, fits = reduced(num, den, weights[1], weights[0])
                            if not fits:
                                status = _OVERFLOW
                                break
                        if num == 0:
                            continue
                        if draws:
                            pack(records.ctypes.data + j * record + at_form, key.ctypes.data)
                        else:
                            pack(after.ctypes.data, key.ctypes.data)
                        found = number_of(key, keys, table, counts)
                        if found >= len(mover):
                            return here, _TOO_MANY
                        target[outcomes] = found
                        if len(odds):
                            odds[outcomes, 0] = num
                            odds[outcomes, 1] = den
                        if with_rewards:
                            rewards[outcomes, 0] = records[at + at_rewards] if draws else 0
                            rewards[outcomes, 1] = records[at + at_rewards + 1] if draws else 1
                            if players == 2 and draws:
                                other = records[at + at_rewards + 2] + records[at + at_rewards]
                                if other or records[at + at_rewards + 3] != records[at + at_rewards + 1]:
                                    counts[_UNEQUAL] = here
                        outcomes += 1
                    if status != _DONE:
                        break
                    if who != -1:
                        spread[choices] = outcomes - first_outcome
                        choices += 1
                if status == _DONE and who == -1:
                    if choices >= len(spread):
                        status = _FULL
                        counts[_NEEDED] = choices
                    else:
                        spread[choices] = outcomes - first_outcome
                        choices += 1
                if status != _DONE:
                    return here, status
                mover[here] = who
                row[here + 1] = choices
                counts[_CHOICES], counts[_EDGES] = choices, outcomes
                here += 1
            return here, _DONE

        if drawn:

            @njit
            def enumerated(form: Any, move: int, records: Any, capacity: int, slots: Any, script: Any) -> int:
                return enumerate_(
                    form.ctypes.data,
                    move,
                    records.ctypes.data,
                    capacity,
                    slots.ctypes.data,
                    script.ctypes.data,
                )
        else:

            @njit
            def enumerated(form: Any, move: int, records: Any, capacity: int, slots: Any, script: Any) -> int:
                return -1

        self.number, self.expand = number, expand


_KERNELS: WeakKeyDictionary[Any, _Kernel] = WeakKeyDictionary()
"""By the machine code that they call, for as long as that lives."""
