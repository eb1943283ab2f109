"""Expanding positions: all that can follow each of them, as keys addressed to the partitions that own them.

A batch of positions of one partition becomes

    mover[b]                         who moves in position b of the batch (CHANCE, TERMINAL)
    worth[b]                         utilities where the game is over
    choices[b]                       how many choices it has: moves, or one for all that chance does
    spread[c], law[c]                per choice: how many outcomes, their odds and rewards (distributions.py)
    owner[e]                         per outcome: the partition that owns the position it leads to
    mail[p, k] = key words, hash     the keys for partition p, in the order of the outcomes

In a game without chance and rewards every choice is one outcome, and `spread` and `law` are not written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import (
    address_of,
    call_i32_p,
    call_i32_pipp,
    call_i32_pp,
    call_i32_ppip,
    call_i64_pipipp,
    call_i64_ppi,
    call_void_pp,
    copy_bytes,
    hash_key,
)
from solvers.machine.types import i64
from solvers.whole.kernels.distributions import law_of

# Functions of a game, by their place in the array of addresses.
TO_MOVE, MOVES, WEIGHTS, OUTCOMES, SAMPLE, UTILITY, PACK, UNPACK = range(8)
FUNCTIONS = ("to_move", "moves", "weights", "outcomes", "sample", "utility", "pack", "unpack")

# Sizes of a game, by their place in the array of sizes.
FORM, WORDS, RECORD, AT_ODDS, AT_REWARDS, AT_FORM, PLAYERS, SIMPLE, REWARDS = range(9)

# Why a batch ended.
DONE, MAIL_FULL, MORE_MOVES, MORE_OUTCOMES, MORE_LAWS, FAULT, ODDS_OVERFLOW = range(7)

# What a batch came to, by place in the array of counts.
POSITIONS, CHOICES, EDGES, STATUS, NEEDED = range(5)

CHANCE, TERMINAL = -1, -2

_NO_ROOM = -0x7FFF0002
"""What `outcomes` of the ABI gives where the buffer is too small."""


class Scratch:
    """Memory in which one thread works on one position at a time."""

    def __init__(self, form_size: int, words: int, record_size: int, script_size: int, players: int):
        self._record_size = record_size
        self.form = np.zeros(form_size, np.uint8)
        self.after = np.zeros(form_size, np.uint8)
        self.key = np.zeros(words, np.uint64)
        self.script = np.zeros(script_size + 16, np.uint8)
        self.random = np.ones(4, np.uint64)
        self.rewards = np.zeros(players + 1, np.float64)
        self.grow_moves(256)
        self.grow_outcomes(64)

    @property
    def outcomes(self) -> int:
        """How many outcomes of a move there is room for."""
        return len(self.table) // 4

    def grow_moves(self, needed: int) -> None:
        self.moves = np.zeros(needed, np.int64)
        self.weights = np.zeros(2 * needed + 2, np.int64)

    def grow_outcomes(self, needed: int) -> None:
        self.records = np.zeros(needed * self._record_size // 8, np.int64)
        self.table = np.zeros(4 * needed, np.uint32)

    def arrays(self) -> tuple[Any, ...]:
        return (
            self.form,
            self.after,
            self.key,
            self.script,
            self.random,
            self.rewards,
            self.moves,
            self.weights,
            self.records,
            self.table,
        )


@njit(cache=True, nogil=True)
def _greatest_common_divisor(a: int, b: int) -> int:
    if a == 1 or b == 1:  # nearly always, and divisions are slow
        return 1
    while b:
        a, b = b, a % b
    return a


@njit(cache=True, nogil=True)
def _product(a: int, b: int, c: int, d: int) -> Any:
    """(a / b) * (c / d) for non-negative numbers in lowest terms, and whether it fits in 64 bits."""
    g = _greatest_common_divisor(a, d)
    if g > 1:
        a, d = a // g, d // g
    g = _greatest_common_divisor(c, b)
    if g > 1:
        c, b = c // g, b // g
    fits = float(a) * float(c) < 9.0e18 and float(b) * float(d) < 9.0e18
    return a * c, b * d, fits


@njit(cache=True, nogil=True)
def expand(
    functions: Any,
    sizes: Any,
    drawing: Any,
    keys: Any,
    first: int,
    last: int,
    scratch: Any,
    row: Any,
    laws: Any,
    mover: Any,
    worth: Any,
    choices: Any,
    spread: Any,
    law: Any,
    owner: Any,
    mail: Any,
    mailed: Any,
    counts: Any,
) -> None:
    """Expands positions first .. last - 1 of a partition, as far as there is room; `counts` says how far.

    A position is expanded whole or not at all. `row` is scratch for the law of a choice; it must have room
    for all outcomes that a position can have (else MORE_OUTCOMES).
    """
    form, after, key, script, random, rewards, moves, weights, records, table = scratch
    law_start, law_data, law_slots, law_count = laws
    at_form, at_after, at_key = address_of(form), address_of(after), address_of(key)
    at_moves, at_records, at_table = address_of(moves), address_of(records), address_of(table)
    at_script, at_random, at_rewards = address_of(script), address_of(random), address_of(rewards)
    at_weights, at_keys = address_of(weights), address_of(keys)
    form_size, words, record, players = sizes[FORM], sizes[WORDS], sizes[RECORD], sizes[PLAYERS]
    simple, with_rewards = sizes[SIMPLE] != 0, sizes[REWARDS] != 0
    width = 2 + 2 * players * with_rewards
    capacity = 8 * len(records) // record
    partitions = mail.shape[0]
    pack, play, enumerate_ = functions[PACK], functions[SAMPLE], functions[OUTCOMES]
    post = np.uint64(partitions - 1)
    before = np.zeros(partitions, np.int64)
    counts[POSITIONS] = counts[CHOICES] = counts[EDGES] = 0
    counts[STATUS] = DONE
    n_choices = n_edges = 0
    certain = i64(-1)  # the law of a choice with one outcome and no reward, once it has come up
    for here in range(first, last):
        b = here - first
        for p in range(partitions):
            before[p] = mailed[p]
        status = DONE
        start_choices, start_edges = n_choices, n_edges
        call_void_pp(functions[UNPACK], at_keys + here * words * 8, at_form)
        who = call_i32_p(functions[TO_MOVE], at_form)
        if who == TERMINAL:
            if call_i32_pp(functions[UTILITY], at_form, at_rewards):
                status = FAULT
            for i in range(worth.shape[1]):
                worth[b, i] = rewards[i]
        elif who < TERMINAL:
            status = FAULT
        else:
            n = call_i64_ppi(functions[MOVES], at_form, at_moves, len(moves))
            if n < 0:
                status = FAULT
            elif n > len(moves):
                status = MORE_MOVES
                counts[NEEDED] = n
            elif n_choices + n > len(spread):
                status = MAIL_FULL
                counts[NEEDED] = n
            elif who == CHANCE and call_i32_ppip(functions[WEIGHTS], at_form, at_moves, n, at_weights):
                status = FAULT
            if status == DONE:
                filled = 0
                outcomes_of_choice = 0
                for m in range(n):
                    if who == CHANCE and weights[2 + 2 * m] == 0:
                        continue
                    draws = False
                    for d in range(drawing.shape[0]):
                        if drawing[d, 0] <= moves[m] < drawing[d, 1]:
                            draws = True
                    k = i64(1)
                    if draws:
                        k = call_i64_pipipp(
                            enumerate_, at_form, moves[m], at_records, capacity, at_table, at_script
                        )
                    else:
                        copy_bytes(at_after, at_form, form_size)
                        if call_i32_pipp(play, at_after, moves[m], at_random, at_rewards):
                            k = -1
                    if k < 0:
                        status = MORE_OUTCOMES if k == _NO_ROOM else FAULT
                        break
                    if n_edges + k > len(owner):
                        status = MAIL_FULL
                        break
                    if who != CHANCE:
                        filled = 0
                        outcomes_of_choice = 0
                    if not simple and filled + k * width > len(row):
                        status = MORE_LAWS
                        counts[NEEDED] = filled + k * width
                        break
                    for j in range(k):
                        if not simple:
                            num, den = i64(1), i64(1)
                            if draws:
                                num = records[(j * record + sizes[AT_ODDS]) // 8]
                                den = records[(j * record + sizes[AT_ODDS]) // 8 + 1]
                            if who == CHANCE:
                                num, den, fits = _product(num, den, weights[2 + 2 * m], weights[3 + 2 * m])
                                if fits and weights[1] != weights[0]:
                                    num, den, fits = _product(num, den, weights[1], weights[0])
                                if not fits:
                                    status = ODDS_OVERFLOW
                                    break
                            row[filled] = num
                            row[filled + 1] = den
                            if with_rewards:
                                at = (j * record + sizes[AT_REWARDS]) // 8
                                for i in range(2 * players):  # 0 / 1 for each where nothing is paid
                                    row[filled + 2 + i] = records[at + i] if draws else i & 1
                            filled += width
                        if draws:
                            call_void_pp(pack, at_records + j * record + sizes[AT_FORM], at_key)
                        else:
                            call_void_pp(pack, at_after, at_key)
                        h = hash_key(key)
                        p = i64(h & post)
                        at = mailed[p]
                        for i in range(words):
                            mail[p, at, i] = key[i]
                        mail[p, at, words] = h
                        mailed[p] = at + 1
                        owner[n_edges] = p
                        n_edges += 1
                        outcomes_of_choice += 1
                    if status != DONE:
                        break
                    if simple:
                        n_choices += 1
                    elif who != CHANCE:
                        sure = filled == width
                        for i in range(2, filled, 2):
                            sure = sure and row[i] == 0
                        number = certain
                        if not sure or certain < 0:
                            number = law_of(row, filled, law_start, law_data, law_slots, law_count)
                        if sure:
                            certain = number
                        if number < 0:
                            status = MORE_LAWS
                            counts[NEEDED] = 0
                            break
                        spread[n_choices] = outcomes_of_choice
                        law[n_choices] = number
                        n_choices += 1
                if who == CHANCE and status == DONE:
                    number = law_of(row, filled, law_start, law_data, law_slots, law_count)
                    if number < 0:
                        status = MORE_LAWS
                        counts[NEEDED] = 0
                    else:
                        spread[n_choices] = outcomes_of_choice
                        law[n_choices] = number
                        n_choices += 1
        if status != DONE:
            for p in range(partitions):
                mailed[p] = before[p]
            counts[STATUS] = status
            n_choices, n_edges = start_choices, start_edges
            break
        mover[b] = who
        choices[b] = n_choices - start_choices
        counts[POSITIONS] = b + 1
        counts[CHOICES] = n_choices
        counts[EDGES] = n_edges
