"""What players have seen, as numbers: two 64-bit hashes per player, made longer with every move.

Together they have 128 bits; that two histories of a game of 10^9 get the same ones by chance has a
probability below 10^-20, and both are compared. A part of a position that a player does not see is cut out
of its key, and a bit says so, for hidden is not the same as 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gdl.game import Compiled, Game
from solvers.machine.kernels import inlined, kernel, step
from solvers.machine.pointers import Function


class Sight(NamedTuple):
    """How observations are made, and room to make one.

    hideable    i64[.., 3]: element, first bit of the key, how many
    secret      i64[.., 2]: numbers of the moves whose parameters are hidden, from and to
    elements    u8[elements of a position]
    key         u64[key_words]
    words       u64[key_words + one bit per hideable range]
    """

    visible: Any
    pack: Any
    hideable: Any
    secret: Any
    elements: Any
    key: Any
    words: Any


def sight(game: Game[Any, Any]) -> Sight:
    code: Compiled = game.compiled  # type: ignore[attr-defined]
    hideable = np.array(list(code.hideable), np.int64).reshape(-1, 3)
    elements = len(game.layout.defaults)  # type: ignore[attr-defined]
    return Sight(
        Function("visible", code.address("visible")),
        Function("pack", code.address("pack")),
        hideable,
        np.array(list(code.concealing), np.int64).reshape(-1, 2),
        np.zeros(elements, np.uint8),
        np.zeros(code.key_words, np.uint64),
        np.zeros(code.key_words + (len(hideable) + 63) // 64, np.uint64),
    )


@step
def see(sight: Any, form: Any, player: Any) -> Any:
    """Leaves in `words` what the player sees of a position at an address, whose key was packed; the
    status."""
    words, bits = sight.key.shape[0], sight.words
    for k in range(words):
        bits[k] = sight.key[k]
    for k in range(words, bits.shape[0]):
        bits[k] = np.uint64(0)
    if sight.hideable.shape[0] == 0:
        return 0
    status = sight.visible(form, player, sight.elements)
    if status != 0:
        return status
    for k in range(sight.hideable.shape[0]):
        if sight.elements[sight.hideable[k, 0]] == 0:
            _cut(bits, sight.hideable[k, 1], sight.hideable[k, 2])
            bits[words + (k >> 6)] |= np.uint64(1) << np.uint64(k & 63)
    return 0


@step
def _cut(bits: Any, first: Any, count: Any) -> None:
    """Clears bits of the key."""
    while count > 0:
        inside = first & 63
        here = min(count, 64 - inside)
        ones = ~np.uint64(0) if here == 64 else (np.uint64(1) << np.uint64(here)) - np.uint64(1)
        bits[first >> 6] &= ~(ones << np.uint64(inside))
        first += here
        count -= here


@inlined
def pack(sight: Any, form: Any) -> None:
    sight.pack(form, sight.key)


@inlined
def shown(sight: Any, move: Any, own: Any) -> Any:
    """The number of a move as it is seen: of a secret one only which move was declared, unless it is one's
    own."""
    if not own:
        for k in range(sight.secret.shape[0]):
            if sight.secret[k, 0] <= move < sight.secret[k, 1]:
                return sight.secret[k, 0]
    return move


@inlined
def mix(h: Any, word: Any) -> Any:
    """The first of the two hashes, one word longer."""
    h = (h ^ word) * np.uint64(0xD6E8FEB86659FD93)
    h ^= h >> np.uint64(32)
    h *= np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@inlined
def mix_too(h: Any, word: Any) -> Any:
    """The second, which mixes in another way."""
    h = (h + word + np.uint64(0x632BE59BD9B4E019)) * np.uint64(0xE7037ED1A0B428DB)
    h ^= h >> np.uint64(30)
    h *= np.uint64(0x8EBC6AF09C88C6E3)
    return h ^ (h >> np.uint64(31))


@step
def lengthen(sight: Any, mover: Any, move: Any, form: Any, player: Any, h: Any, g: Any) -> Any:
    """The hashes of what a player has seen, a move and the position that it led to longer; and the status.

    `move` -1: the play begins here. The key of the position was packed.
    """
    status = see(sight, form, player)
    if move >= 0:
        word = np.uint64((shown(sight, move, mover == player) << 8) + mover + 2)
        h, g = mix(h, word), mix_too(g, word)
    for k in range(sight.words.shape[0]):
        h, g = mix(h, sight.words[k]), mix_too(g, sight.words[k])
    return h, g, status


@step
def hashes_of(player: Any, observed: Any, told: Any) -> Any:
    """The hashes of what a player has seen, from its numbers: what `lengthen` comes to step by step."""
    h, g = np.uint64(player + 1), np.uint64(player + 1)
    for k in range(observed.shape[0]):
        if k > 0:
            h, g = mix(h, told[k - 1]), mix_too(g, told[k - 1])
        for w in range(observed.shape[1]):
            h, g = mix(h, observed[k, w]), mix_too(g, observed[k, w])
    return h, g


def numbers_of(game: Game[Any, Any], seen: tuple[Any, ...]) -> tuple[Any, Any]:
    """What was seen as machine code knows it: u64[.., words] of what was observed, u64[..] of the moves."""
    code: Any = game.compiled  # type: ignore[attr-defined]
    words = b"".join(code.seen(observation) for observation in seen[::2])
    told = [(code.number(move) << 8) + mover + 2 for mover, move in seen[1::2]]
    observed = np.frombuffer(words, np.uint64).reshape(len(told) + 1, -1)
    return observed, np.array(told, np.uint64)


# ------------------------------------------------------------------- tables of information sets


@step
def slot_of(table: Any, keys: Any, h: Any, g: Any) -> Any:
    """The slot of an information set in a table of numbers (-1: free), or the free slot where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    at = np.int64(h & mask)
    while table[at] >= 0 and not (keys[table[at], 0] == h and keys[table[at], 1] == g):
        at = np.int64(np.uint64(at + 1) & mask)
    return at


@kernel
def fill(table: Any, keys: Any, count: Any) -> None:
    """Enters all information sets into an empty table."""
    for number in range(count):
        table[slot_of(table, keys, keys[number, 0], keys[number, 1])] = number
