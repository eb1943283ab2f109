"""What kernels see of a native game: addresses, sizes and offsets (`gdl.game.Compiled`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from ctypes import c_char, create_string_buffer
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING, Any, cast

from gdl.game import ElementSymmetry
from gdl.model.digest import digest
from gdl.model.nodes import Call, Move, Read
from gdl.model.types import SetOf, from_ordinal
from gdl.model.walk import walk
from gdl.native.emit.outcomes import record_of, script_size
from gdl.native.emit.playouts import initial_form
from gdl.native.layout.packing import fields, packing
from gdl.reference.engine import ReferenceGame
from gdl.reference.positions import HIDDEN
from gdl.symmetry import symmetries
from gdl.symmetry.elements import element_symmetries

if TYPE_CHECKING:
    from gdl.native.engine import NativeGame
    from gdl.reference.moves import Move as PlayedMove
    from gdl.reference.positions import Observation, Position


class CompiledGame:
    """The machine code of a game; keeps it alive."""

    def __init__(self, game: NativeGame):
        self._game = game
        program = game.functions.program
        self._layout = program.layout
        self._record = record_of(program)
        self.script_size = script_size(program)

    @cached_property
    def digest(self) -> str:
        return digest(self._game.model)

    @cached_property
    def packing(self) -> str:
        return packing(self._layout)

    @property
    def form_size(self) -> int:
        return self._layout.size

    @property
    def key_words(self) -> int:
        return self._layout.key_words

    @property
    def key_bits(self) -> int:
        return self._layout.key_bits

    @property
    def record_size(self) -> int:
        return self._record.size

    @property
    def at_odds(self) -> int:
        return self._record.probability

    @property
    def at_rewards(self) -> int:
        return self._record.rewards

    @property
    def at_form(self) -> int:
        return self._record.position

    @property
    def blank(self) -> bytes:
        return initial_form(self._layout)

    @property
    def move_numbers(self) -> int:
        return self._game.functions.numbering.total

    @cached_property
    def drawing(self) -> Sequence[tuple[int, int]]:
        return self._moves_that(self._game.functions.program.facts.body_draws)

    @cached_property
    def paying(self) -> Sequence[tuple[int, int]]:
        return self._moves_that(self._game.functions.program.facts.body_pays)

    @cached_property
    def concealing(self) -> Sequence[tuple[int, int]]:
        return self._declared_that(lambda move: move.secret)

    def _moves_that(self, test: Callable[[Any], bool]) -> Sequence[tuple[int, int]]:
        """The numbers of the moves whose body passes the test, as ranges."""
        return self._declared_that(lambda move: test(move.body))

    def _declared_that(self, test: Callable[[Move], bool]) -> Sequence[tuple[int, int]]:
        """The numbers of the moves whose declaration passes the test, a range for each declaration."""
        numbering = self._game.functions.numbering
        return [
            (base, base + size)
            for move, base, size in zip(self._game.model.moves, numbering.bases, numbering.sizes, strict=True)
            if test(move)
        ]

    @cached_property
    def hideable(self) -> Sequence[tuple[int, int, int]]:
        firsts: dict[str, int] = {}
        count = 0
        for name, place in self._layout.places.items():
            firsts[name] = count
            count += place.count
        return [
            (
                firsts[field.variable] + element,
                field.first + element * field.leaf.key_bits,
                field.leaf.key_bits,
            )
            for field in fields(self._layout)
            if field.place.variable.visible is not None and field.leaf.key_bits
            for element in range(field.place.count)
        ]

    @cached_property
    def moves_told(self) -> bool:
        hidden = {variable.name for variable in self._game.model.variables if variable.visible is not None}
        computed = [
            parameter.value
            for move in self._game.model.moves
            for parameter in move.parameters
            if parameter.value is not None
        ]
        # A function may read anything: looking into it is not worth the trouble.
        return not hidden or not any(
            isinstance(node, Call) or (isinstance(node, Read) and node.variable in hidden)
            for value in computed
            for node in walk(value)
        )

    @cached_property
    def fields(self) -> Sequence[tuple[str, int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for field in fields(self._layout):
            first, bits = found.get(field.variable, (field.first, 0))
            found[field.variable] = first, bits + field.bits
        return [(name, first, bits) for name, (first, bits) in found.items()]

    @cached_property
    def places(self) -> Sequence[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for place in self._layout.places.values():
            for leaf in place.leaves:
                for element in range(place.count):
                    start = leaf.offset + element * leaf.unit
                    if isinstance(leaf.type, SetOf):
                        found += [(start + k // 8, 1, k % 8) for k in range(leaf.type.element.size)]
                    else:
                        found.append((start, leaf.unit, -1))
        return found

    @cached_property
    def log2_positions(self) -> float:
        variables = self._game.model.variables
        sizes = [(variable.count, int(getattr(variable.type, "size", 1))) for variable in variables]
        return sum((count * log2(size) for count, size in sizes), 0.0)

    def address(self, function: str) -> int:
        return self._game.functions.address(function)

    def key(self, position: Hashable) -> bytes:
        return self._game.key(cast("Position", position))

    @cached_property
    def _symmetries(self) -> int:
        return max(1, len(symmetries(self._game.model).group))

    def symmetries(self) -> int:
        return self._symmetries

    def element_symmetries(self) -> tuple[Sequence[ElementSymmetry], bool]:
        return element_symmetries(self._game.model)

    def canonical_key(self, position: Hashable) -> bytes:
        key = create_string_buffer(8 * self._layout.key_words)
        self._game.functions["canonical"](self._game.form(cast("Position", position)), key)
        return key.raw

    def seen(self, observation: Hashable) -> bytes:
        values = cast("Observation", observation).values
        types = [v.type for v in self._game.model.variables for _ in range(v.count)]
        shown = [
            from_ordinal(type_, 0) if value is HIDDEN else value
            for type_, value in zip(types, values, strict=True)
        ]
        key = bytearray(8 * self._layout.key_words)
        self._game.functions["pack"](self._layout.encode(shown), (c_char * len(key)).from_buffer(key))
        bits = int.from_bytes(key, "little")
        flags = 0
        for k, (element, first, count) in enumerate(self.hideable):
            if values[element] is HIDDEN:
                bits &= ~(((1 << count) - 1) << first)
                flags |= 1 << k
        return bits.to_bytes(len(key), "little") + flags.to_bytes(
            8 * ((len(self.hideable) + 63) // 64), "little"
        )

    def number(self, move: Hashable) -> int:
        made = cast("PlayedMove", move)
        if HIDDEN in made.values:
            return self._game.functions.numbering.bases[made.family.index]
        return self._game.move_number(made)

    def position(self, key: bytes) -> Hashable:
        return self._game.unpack(key)

    @cached_property
    def exact(self) -> ReferenceGame:
        return ReferenceGame(self._game.model)
