"""Boards, tuples, sets and lists as closures."""

from __future__ import annotations

from typing import Any

from gdl.model import nodes
from gdl.model.types import NONE, Cells, SetOf, Type
from gdl.reference.closures import Closure, Frame, Scope, State
from gdl.reference.conversion import convert
from gdl.reference.domains import values_of
from gdl.reference.expressions import compile_expression, ordinal_of

# -------------------------------------------------------------------------- boards


@compile_expression.register
def _step(node: nodes.Step, scope: Scope) -> Closure:
    cells, none = node.cells, convert(NONE, node.type, 0)
    rows, cols = scope.expression(node.rows), scope.expression(node.cols)
    places = [cells.place(k) for k in range(cells.size)]
    numbers = {place: k for k, place in enumerate(places)}
    if node.cell is None:
        return lambda state, frame: numbers.get((rows(state, frame), cols(state, frame)), none)

    cell = scope.expression(node.cell)

    def step(state: State, frame: Frame) -> Any:
        row, col = places[cell(state, frame)]
        return numbers.get((row + rows(state, frame), col + cols(state, frame)), none)

    return step


@compile_expression.register
def _flood(node: nodes.Flood, scope: Scope) -> Closure:
    starts, within = scope.expression(node.starts), scope.expression(node.within)
    around = neighbour_masks(node.cells)

    def flood(state: State, frame: Frame) -> int:
        reached = starts(state, frame)
        allowed = within(state, frame)
        reached &= allowed
        frontier = reached
        while frontier:
            lowest = frontier & -frontier
            frontier ^= lowest
            new = around[lowest.bit_length() - 1] & allowed & ~reached
            reached |= new
            frontier |= new
        return int(reached)

    return flood


@compile_expression.register
def _reach(node: nodes.Reach, scope: Scope) -> Closure:
    starts, within = scope.expression(node.starts), scope.expression(node.within)
    around, (slot,) = scope.expression(node.around), node.binder.slots
    elements = tuple(values_of(node.binder.domain.element))

    def reach(state: State, frame: Frame) -> int:
        reached = starts(state, frame)
        allowed = within(state, frame)
        reached &= allowed
        frontier = reached
        while frontier:
            lowest = frontier & -frontier
            frontier ^= lowest
            frame[slot] = elements[lowest.bit_length() - 1]
            new = around(state, frame) & allowed & ~reached
            reached |= new
            frontier |= new
        return int(reached)

    return reach


def neighbour_masks(cells: Cells) -> tuple[int, ...]:
    """For each cell the set of its side neighbours."""
    if cells.kind == "graph":
        return tuple(sum(1 << k for k in set(near)) for near in cells.adjacent)
    masks = []
    for cell in range(cells.size):
        row, col = cells.place(cell)
        near = {cells.at(row + r, col + c) for r, c in cells.offsets}
        masks.append(sum(1 << k for k in near if k is not None))
    return tuple(masks)


# ----------------------------------------------------------- tuples, sets and lists


@compile_expression.register
def _tuple_of(node: nodes.TupleOf, scope: Scope) -> Closure:
    items = tuple(scope.expression(item) for item in node.items)
    return lambda state, frame: tuple([item(state, frame) for item in items])


@compile_expression.register
def _field(node: nodes.Field, scope: Scope) -> Closure:
    operand, index = scope.expression(node.operand), node.index
    return lambda state, frame: operand(state, frame)[index]


@compile_expression.register
def _set_literal(node: nodes.SetLiteral, scope: Scope) -> Closure:
    element = _element_type(node.type)
    ordinals = tuple(ordinal_of(element, scope.expression(item)) for item in node.elements)

    def collect(state: State, frame: Frame) -> int:
        mask = 0
        for item in ordinals:
            mask |= 1 << item(state, frame)
        return mask

    return collect


def _element_type(type_: Type) -> Type:
    assert isinstance(type_, SetOf)
    element: Type = type_.element
    return element


@compile_expression.register
def _set_operation(node: nodes.SetOperation, scope: Scope) -> Closure:
    left, right = scope.expression(node.left), scope.expression(node.right)
    match node.op:
        case "|":
            return lambda state, frame: left(state, frame) | right(state, frame)
        case "&":
            return lambda state, frame: left(state, frame) & right(state, frame)
        case "-":
            return lambda state, frame: left(state, frame) & ~right(state, frame)
        case _:
            raise TypeError(f"no operation on sets: {node.op}")


@compile_expression.register
def _set_size(node: nodes.SetSize, scope: Scope) -> Closure:
    operand = scope.expression(node.operand)
    return lambda state, frame: operand(state, frame).bit_count()


@compile_expression.register
def _contains(node: nodes.Contains, scope: Scope) -> Closure:
    item, members = scope.expression(node.item), scope.expression(node.set)
    element = _element_type(node.set.type)
    position = ordinal_of(element, item)

    def contains(state: State, frame: Frame) -> bool:
        k = position(state, frame)  # of a number outside the element type: negative, or beyond every bit
        mask = members(state, frame)
        return bool(k >= 0 and mask >> k & 1)

    return contains


@compile_expression.register
def _element(node: nodes.Element, scope: Scope) -> Closure:
    sequence, index = scope.expression(node.sequence), scope.expression(node.index)
    return lambda state, frame: sequence(state, frame)[index(state, frame)]


@compile_expression.register
def _length(node: nodes.Length, scope: Scope) -> Closure:
    sequence = scope.expression(node.sequence)
    return lambda state, frame: len(sequence(state, frame))
