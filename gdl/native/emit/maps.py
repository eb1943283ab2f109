"""Maps that a `let` makes: arrays on the stack, one after another for each register of an entry.

    let seen[Cell]: (bool, 0..9)      ptr ──> | bool of each cell | number of each cell |

The register of such a let is the address. A let in a loop fills the same memory again.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.model import nodes
from gdl.model.types import MapOf, Type
from gdl.native.emit.domains import count
from gdl.native.emit.scope import Scope, emits
from gdl.native.ir.builder import Value, i64, width
from gdl.native.layout.memory import flat_index
from gdl.native.layout.values import Operand, flatten, registers, unflatten


@emits(nodes.Fill)
def _fill(scope: Scope, node: nodes.Fill) -> Operand:
    assert isinstance(node.type, MapOf)
    value, of = scope.coerce(scope.value(node.value), node.type.element), node.type
    memory = scope.b.alloca("i64", sum(_words(of, unit) for _, _, unit in _arrays(of)), align=8)
    count(scope, i64(of.count), lambda index: _store(scope, of, memory, index, value))
    return memory


@emits(nodes.Entry)
def _entry(scope: Scope, node: nodes.Entry) -> Operand:
    of, b = _map(node.map.type), scope.b
    memory = scope.scalar(node.map)
    index = flat_index(scope, of.indices, [scope.value(e) for e in node.indices])
    values = [
        b.resize(b.load(f"i{8 * unit}", b.offset(b.offset(memory, start), index, unit), min(unit, 8)), ir)
        for start, ir, unit in _arrays(of)
    ]
    return scope.coerce(unflatten(of.element, iter(values)), node.type)


@emits(nodes.LetEntry)
def _let_entry(scope: Scope, node: nodes.LetEntry) -> None:
    index = flat_index(scope, node.of.indices, [scope.value(e) for e in node.indices])
    value = scope.coerce(scope.value(node.value), node.of.element)
    memory = scope.local(node.slot)
    assert isinstance(memory, Value)
    _store(scope, node.of, memory, index, value)


def _store(scope: Scope, of: MapOf, memory: Value, index: Value, value: Operand) -> None:
    b = scope.b
    for (start, _, unit), item in zip(_arrays(of), flatten(value), strict=True):
        b.store(b.zext(item, f"i{8 * unit}"), b.offset(b.offset(memory, start), index, unit), min(unit, 8))


def _arrays(of: MapOf) -> Iterator[tuple[int, str, int]]:
    """Of each register of an entry: where its array starts, its type, and how many bytes one takes."""
    start = 0
    for ir in registers(of.element):
        unit = max(1, width(ir) // 8)
        yield start, ir, unit
        start += 8 * _words(of, unit)


def _words(of: MapOf, unit: int) -> int:
    """How many words of 8 bytes an array takes."""
    return -(-of.count * unit // 8)


def _map(type_: Type) -> MapOf:
    assert isinstance(type_, MapOf)
    return type_
