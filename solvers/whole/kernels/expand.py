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

from typing import Any, NamedTuple

import numpy as np

from gdl.abi import CAPACITY
from gdl.game import Compiled, Traits
from gdl.movers import CHANCE, TERMINAL
from solvers.machine.bits import hash_key
from solvers.machine.kernels import inlined, kernel, step
from solvers.machine.pointers import Function, as_integers, copy_bytes
from solvers.machine.rules import may_draw
from solvers.machine.types import i64
from solvers.whole.kernels.distributions import law_of

# Why a batch ended; those of turns are counted from REASONS on.
REASONS = 7
DONE, MAIL_FULL, MORE_MOVES, MORE_OUTCOMES, MORE_LAWS, FAULT, ODDS_OVERFLOW = range(REASONS)

# What a batch came to, by place in `counts`; what turns add begins at COUNTS.
COUNTS = 5
POSITIONS, CHOICES, EDGES, STATUS, NEEDED = range(COUNTS)


class Expander(NamedTuple):
    """What expanding sees of a game: functions of the ABI, sizes in bytes, facts."""

    to_move: Any
    moves: Any
    weights: Any
    outcomes: Any
    sample: Any
    utility: Any
    pack: Any
    unpack: Any
    form: int
    words: int  # of a key
    record: int
    at_odds: int
    at_rewards: int
    at_form: int
    players: int
    simple: int  # whether there is neither chance nor reward
    pays: int
    drawing: (
        Any  # i64: the moves whose outcomes are enumerated (others are simply made): from, to, from, to, ..
    )
    drawings: int


class Expanded(NamedTuple):
    """Where what expanding finds is written; see above."""

    mover: Any  # i8
    worth: Any  # f64[positions, values]
    choices: Any  # u32
    spread: Any  # u32
    law: Any  # u32
    owner: Any  # u8
    mail: Any  # u64[partitions, edges, words + 1]
    mailed: Any  # i64[partitions]: letters in the mail for each
    before: Any  # i64[partitions]: letters before the position at hand
    counts: Any  # i64[COUNTS]
    values: int
    partitions: int
    choices_room: int
    edges_room: int


def expander(compiled: Compiled, traits: Traits) -> Expander:
    """A game to be expanded. Functions that it does not need are not compiled."""
    listed = [*compiled.drawing, *compiled.paying]

    def function(name: str, needed: Any = True) -> Function:
        return Function(name, compiled.address(name) if needed else 0)

    return Expander(
        to_move=function("to_move"),
        moves=function("moves"),
        weights=function("weights", traits.chance),
        outcomes=function("outcomes", listed),
        sample=function("sample"),
        utility=function("utility"),
        pack=function("pack"),
        unpack=function("unpack"),
        form=compiled.form_size,
        words=compiled.key_words,
        record=compiled.record_size,
        at_odds=compiled.at_odds,
        at_rewards=compiled.at_rewards,
        at_form=compiled.at_form,
        players=traits.players,
        simple=int(not traits.chance and not traits.rewards),
        pays=int(traits.rewards),
        drawing=np.array([end for part in [*listed, (0, 0)] for end in part], np.int64),
        drawings=2 * len(listed),
    )


@kernel
def expand(
    game: Any,
    keys: Any,
    first: int,
    last: int,
    room: Any,
    laws: Any,
    out: Any,
    position: int,
    choice: int,
    edge: int,
) -> None:
    """Expands positions first .. last - 1 of a partition, as far as there is room; `counts` says how far.

    They are written from the given place on: as position, choice and edge. A position is expanded whole or
    not at all. `room.row` must have room for all outcomes that a choice can have (else MORE_LAWS).
    """
    counts = out.counts
    counts[POSITIONS] = counts[CHOICES] = counts[EDGES] = 0
    counts[STATUS] = DONE
    for here in range(first, last):
        choices, edges = counts[CHOICES], counts[EDGES]
        for p in range(out.partitions):
            out.before[p] = out.mailed[p]
        at = position + counts[POSITIONS]
        game.unpack(keys + here * game.words, room.form)
        mover = game.to_move(room.form)
        if mover == TERMINAL:
            status = _write_worth(game, room, out, at)
        elif mover < TERMINAL:
            status = FAULT
        else:
            status = _expand_moves(game, mover, room, laws, out, choice, edge)
        if status != DONE:
            for p in range(out.partitions):
                out.mailed[p] = out.before[p]
            counts[STATUS], counts[CHOICES], counts[EDGES] = status, choices, edges
            break
        out.mover[at] = mover
        out.choices[at] = counts[CHOICES] - choices
        counts[POSITIONS] += 1


@inlined
def _write_worth(game: Any, room: Any, out: Any, at: Any) -> Any:
    """What a finished game pays."""
    if game.utility(room.form, room.rewards) != 0:
        return FAULT
    for i in range(out.values):
        out.worth[at * out.values + i] = room.rewards[i]
    return DONE


@inlined
def _expand_moves(game: Any, mover: Any, room: Any, laws: Any, out: Any, choice: Any, edge: Any) -> Any:
    """All that can follow the position in room.form: a choice for each move, or one for all of chance."""
    counts = out.counts
    n = game.moves(room.form, room.moves, room.moves_room)
    if n < 0:
        return FAULT
    counts[NEEDED] = n
    if n > room.moves_room:
        return MORE_MOVES
    if counts[CHOICES] + n > out.choices_room - choice:
        return MAIL_FULL
    if mover == CHANCE and game.weights(room.form, room.moves, n, room.weights) != 0:
        return FAULT
    width = 2 + 2 * game.players if game.pays else 2
    filled = outcomes = i64(0)
    for m in range(n):
        if mover == CHANCE and room.weights[2 + 2 * m] == 0:
            continue
        drawn = may_draw(game.drawing, game.drawings, room.moves[m])
        k = _make_move(game, room, room.moves[m], drawn)
        if k < 0:
            return MORE_OUTCOMES if k == -CAPACITY else FAULT
        if counts[EDGES] + k > out.edges_room - edge:
            return MAIL_FULL
        if mover != CHANCE:
            filled = outcomes = i64(0)
        if not game.simple and filled + k * width > room.row_room:
            counts[NEEDED] = filled + k * width
            return MORE_LAWS
        after = room.records + game.at_form if drawn else room.form + game.form
        for j in range(k):
            if not game.simple:
                if not _write_odds(game, mover == CHANCE, room, m, j, drawn, filled):
                    return ODDS_OVERFLOW
                filled += width
            _post(game, after + j * game.record, room, out, edge)
        outcomes += k
        if game.simple:
            counts[CHOICES] += 1
        elif mover != CHANCE and not _write_choice(room, laws, out, choice, filled, width, outcomes):
            return MORE_LAWS
    if mover == CHANCE and not _write_choice(room, laws, out, choice, filled, width, outcomes):
        return MORE_LAWS
    return DONE


@inlined
def _make_move(game: Any, room: Any, move: Any, drawn: Any) -> Any:
    """How many outcomes a move has, in room.records, or one, in the second form; negative where it fails."""
    if drawn:
        return game.outcomes(room.form, move, room.records, room.outcomes_room, room.table, room.script)
    after = room.form + game.form
    copy_bytes(after, room.form, game.form)
    return i64(1) if game.sample(after, move, room.random, room.rewards) == 0 else i64(-1)


@inlined
def _write_odds(game: Any, by_chance: Any, room: Any, m: Any, j: Any, drawn: Any, at: Any) -> Any:
    """Writes outcome j of move m to room.row: odds and rewards; gives whether its odds fit in 64 bits."""
    row, weights = room.row, room.weights
    num, den = i64(1), i64(1)
    if drawn:
        odds = as_integers(room.records + j * game.record + game.at_odds)
        num, den = odds[0], odds[1]
    if by_chance:
        num, den, fits = _product(num, den, weights[2 + 2 * m], weights[3 + 2 * m])
        if fits and weights[1] != weights[0]:
            num, den, fits = _product(num, den, weights[1], weights[0])
        if not fits:
            return False
    row[at], row[at + 1] = num, den
    if game.pays:
        rewards = as_integers(room.records + j * game.record + game.at_rewards)
        for i in range(2 * game.players):  # 0 / 1 for each where nothing is paid
            row[at + 2 + i] = rewards[i] if drawn else i & 1
    return True


@inlined
def _post(game: Any, form: Any, room: Any, out: Any, edge: Any) -> None:
    """Addresses an outcome to the partition that owns it."""
    game.pack(form, room.key)
    h = hash_key(room.key, game.words)
    p = i64(h & np.uint64(out.partitions - 1))
    letter = out.mail + (p * out.edges_room + out.mailed[p]) * (game.words + 1)
    for i in range(game.words):
        letter[i] = room.key[i]
    letter[game.words] = h
    out.mailed[p] += 1
    out.owner[edge + out.counts[EDGES]] = p
    out.counts[EDGES] += 1


@step
def _write_choice(room: Any, laws: Any, out: Any, choice: Any, filled: Any, width: Any, outcomes: Any) -> Any:
    """Writes a choice with the law in room.row; gives whether there is room for the law."""
    sure = filled == width  # one outcome, which pays nothing: by far the most frequent
    for i in range(2, filled, 2):
        sure = sure and room.row[i] == 0
    law = laws.certain[0]
    if not sure or law < 0:
        law = law_of(room.row, filled, laws)
    if law < 0:
        out.counts[NEEDED] = 0
        return False
    if sure:
        laws.certain[0] = law
    at = choice + out.counts[CHOICES]
    out.spread[at], out.law[at] = outcomes, law
    out.counts[CHOICES] += 1
    return True


@step
def _greatest_common_divisor(a: int, b: int) -> int:
    if a == 1 or b == 1:  # nearly always, and divisions are slow
        return 1
    while b:
        a, b = b, a % b
    return a


@step
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
