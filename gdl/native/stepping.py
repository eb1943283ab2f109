"""Making many moves in machine code, one at a time, without a Python object for every position.

    steps = Stepper(game)
    steps.start(bits)                       # the state of a generator: 64 random bits
    while (mover := steps.to_move()) != TERMINAL:
        steps.make(choose(steps.moves()), bits)
    steps.utility()

The draws are those of `game.sample` with the same bits, so a play is the same whichever way it is made.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from gdl.game import TERMINAL
from gdl.native.emit.playouts import initial_form

if TYPE_CHECKING:
    from gdl.native.engine import NativeGame
    from gdl.reference.positions import Position


class Stopped(Exception):
    """Machine code cannot go on: the rules break here, or numbers exceed its registers."""


class Stepper:
    """One position that moves are made in. Raises Stopped where the step has to be asked of the engine."""

    def __init__(self, game: NativeGame):
        functions, players = game.functions, len(game.players)
        self._game = game
        self._blank = initial_form(game.functions.program.layout)
        self._initial = functions.numbering.total
        self._form = ctypes.create_string_buffer(self._blank, len(self._blank))
        self._key = ctypes.create_string_buffer(8 * game.functions.program.layout.key_words)
        self._numbers = (ctypes.c_int64 * 256)()
        self._random = ctypes.c_uint64()
        self._at_random = ctypes.byref(self._random)
        self._rewards, self._utility = (ctypes.c_double * players)(), (ctypes.c_double * players)()
        self._to_move, self._moves = functions["to_move"], functions["moves"]
        self._sample, self._utilities = functions["sample"], functions["utility"]
        self._pack = functions["pack"]

    @property
    def form(self) -> bytes:
        """The working form: equal exactly where positions are."""
        return self._form.raw

    def key(self) -> bytes:
        """The packed key of the position."""
        self._pack(self._form, self._key)
        return self._key.raw

    def position(self) -> Position:
        return self._game.position(self._form.raw)

    def start(self, bits: int) -> None:
        """Goes to the start of the game, where chance may decide."""
        self._form.raw = self._blank
        self.make(self._initial, bits)

    def put(self, position: Position) -> None:
        """Goes to a position."""
        self._form.raw = self._game.form(position)

    def to_move(self) -> int:
        mover: int = self._to_move(self._form)
        if mover < TERMINAL:
            raise Stopped
        return mover

    def moves(self) -> list[int]:
        """The numbers of the legal moves."""
        count = self._moves(self._form, self._numbers, len(self._numbers))
        if count < 0:
            raise Stopped
        if count > len(self._numbers):
            self._numbers = (ctypes.c_int64 * count)()
            return self.moves()
        return self._numbers[:count]

    def make(self, number: int, bits: int) -> None:
        """Makes a legal move; chance is decided by the bits."""
        self._random.value = bits
        if self._sample(self._form, number, self._at_random, self._rewards):
            raise Stopped

    def rewards(self) -> list[float]:
        """What the last move paid to each player."""
        return self._rewards[:]

    def utility(self) -> list[float]:
        if self._utilities(self._form, self._utility):
            raise Stopped
        return self._utility[:]
