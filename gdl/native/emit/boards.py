"""Steps on a board, and flooding: connected cells found by moving whole sets of cells at once."""

from __future__ import annotations

from collections.abc import Callable

from gdl.model import nodes
from gdl.model.types import Cells, Int, Type, Union
from gdl.native.emit.conversion import none_of
from gdl.native.emit.domains import bind
from gdl.native.emit.lists import load_constant
from gdl.native.emit.scope import Scope, emits
from gdl.native.emit.sets import each_bit
from gdl.native.ir.builder import Value, const
from gdl.native.layout.memory import from_ordinal
from gdl.native.layout.values import Operand, scalar_ir
from gdl.reference.structures import neighbour_masks

_LARGEST_STEP_TABLE = 1 << 15


@emits(nodes.Step)
def _step(scope: Scope, node: nodes.Step) -> Operand:
    b = scope.b
    cells = node.cells
    assert isinstance(node.type, Union)
    ir, none = scalar_ir(node.type), none_of(node.type)
    cell = None if node.cell is None else scope.scalar(node.cell)
    rows, cols = scope.scalar(node.rows), scope.scalar(node.cols)
    table = _step_table(node, none) if cell is not None else None
    if table is not None:
        assert cell is not None
        index = cell
        for amount, type_ in ((rows, node.rows.type), (cols, node.cols.type)):
            lo, hi = _interval(type_)
            moved = b.resize(b.sub(amount, const(amount.type, lo)), "i32")
            index = b.add(b.mul(index, const("i32", hi - lo + 1)), moved)
        return load_constant(scope, table, index, ir)
    wide = "i64"
    rows, cols = b.resize(rows, wide), b.resize(cols, wide)
    if cell is not None:
        cell = (
            load_constant(scope, cells.places, cell, wide) if cells.whole is not None else b.zext(cell, wide)
        )
        rows = b.add(rows, b.op("udiv", cell, const(wide, cells.cols)))
        cols = b.add(cols, b.op("urem", cell, const(wide, cells.cols)))
    inside = b.and_(
        b.compare("ult", rows, const(wide, cells.rows)), b.compare("ult", cols, const(wide, cells.cols))
    )
    there = b.add(b.mul(rows, const(wide, cells.cols)), cols)
    if cells.whole is not None:
        numbers = {place: cell for cell, place in enumerate(cells.places)}
        table = [numbers.get(place, none) for place in range(cells.rows * cells.cols)]
        there = load_constant(scope, table, b.select(inside, there, const(wide, 0)), ir)
    return b.select(inside, b.resize(there, ir), const(ir, none))


def _interval(type_: Type) -> tuple[int, int]:
    assert isinstance(type_, Int)
    return type_.lo, type_.hi


def _step_table(node: nodes.Step, none: int) -> list[int] | None:
    """Where each step from each cell leads, for steps of few kinds: cell, then rows, then cols."""
    (low_row, high_row), (low_col, high_col) = _interval(node.rows.type), _interval(node.cols.type)
    cells = node.cells
    size = cells.size * (high_row - low_row + 1) * (high_col - low_col + 1)
    if size > _LARGEST_STEP_TABLE:
        return None
    table = []
    for cell in range(cells.size):
        row, col = cells.place(cell)
        for r in range(low_row, high_row + 1):
            for c in range(low_col, high_col + 1):
                there = cells.at(row + r, col + c)
                table.append(none if there is None else there)
    return table


# ------------------------------------------------------------------------ flooding


@emits(nodes.Flood)
def _flood(scope: Scope, node: nodes.Flood) -> Operand:
    starts, within = scope.scalar(node.starts), scope.scalar(node.within)
    return flood(scope, node.cells, starts, within)


def flood(scope: Scope, cells: Cells, starts: Value, within: Value, enough: Value | None = None) -> Value:
    """The cells of `within` connected to `starts`; may stop early once a cell of `enough` is reached."""
    b = scope.b
    ir = within.type
    grow = grower(scope, cells)
    reached = b.alloca(ir)
    first = b.and_(starts, within)
    b.store(first, reached)
    head, again, done = b.label("flood"), b.label("flood"), b.label("flooded")
    if enough is not None:
        possible = b.compare("ne", b.and_(within, enough), const(ir, 0))
        b.branch(possible, head, done)
    b.start(head)
    before = b.load(ir, reached)
    once = b.and_(b.or_(before, grow(before)), within)
    after = b.and_(b.or_(once, grow(once)), within)
    b.store(after, reached)
    if enough is not None:
        going = b.label("flood")
        b.branch(b.compare("ne", b.and_(after, enough), const(ir, 0)), done, going)
        b.start(going)
    b.branch(b.compare("eq", after, before), done, again)
    b.start(again)
    b.br(head)
    b.start(done)
    return b.load(ir, reached)


@emits(nodes.Reach)
def _reach(scope: Scope, node: nodes.Reach) -> Operand:
    """One element after another; what is around it is a set, and so mostly a few operations on words."""
    b = scope.b
    starts, within = scope.scalar(node.starts), scope.scalar(node.within)
    ir, element = within.type, node.binder.domain.element
    reached, frontier = b.alloca(ir), b.alloca(ir)
    first = b.and_(starts, within)
    b.store(first, reached)
    b.store(first, frontier)
    head, inner, done = b.label("reach"), b.label("reach"), b.label("reached")
    b.start(head)
    waiting = b.load(ir, frontier)
    b.branch(b.compare("eq", waiting, const(ir, 0)), done, inner)
    b.start(inner)
    bind(scope, node.binder, from_ordinal(scope, element, b.trailing_zeros(waiting)))
    around = b.and_(scope.scalar(node.around), within)
    known = b.load(ir, reached)
    new = b.and_(around, b.not_(known))
    b.store(b.or_(known, new), reached)
    b.store(b.or_(b.and_(waiting, b.sub(waiting, const(ir, 1))), new), frontier)
    b.br(head)
    b.start(done)
    return b.load(ir, reached)


_MANY_DIRECTIONS = 16


def grower(scope: Scope, cells: Cells) -> Callable[[Value], Value]:
    """Code that gives the neighbours of the cells of a set (perhaps with bits beyond the board).

    Neighbours that lie equally far away in the order of the cells move together: on a grid one shift per
    direction, after dropping the cells at the edge that it would carry round to the next row.
    """
    masks = neighbour_masks(cells)
    sources: dict[int, int] = {}
    for cell, near in enumerate(masks):
        for other in range(cells.size):
            if near >> other & 1:
                sources[other - cell] = sources.get(other - cell, 0) | 1 << cell
    if len(sources) > _MANY_DIRECTIONS:
        return lambda reached: _grow_by_cell(scope, masks, reached)

    def grow(reached: Value) -> Value:
        b = scope.b
        ir = reached.type
        result = const(ir, 0)
        for shift, mask in sources.items():
            strays = any(
                not mask >> cell & 1 and 0 <= cell + shift < cells.size for cell in range(cells.size)
            )
            part = b.and_(reached, const(ir, mask)) if strays else reached
            result = b.or_(result, b.shl(part, shift) if shift > 0 else b.lshr(part, -shift))
        return result

    return grow


def _grow_by_cell(scope: Scope, masks: tuple[int, ...], reached: Value) -> Value:
    b = scope.b
    ir = reached.type
    memory = b.alloca(ir)
    b.store(const(ir, 0), memory)
    done = b.label("grown")
    table = list(masks)

    def add(cell: Value) -> None:
        b.store(b.or_(b.load(ir, memory), load_constant(scope, table, cell, ir)), memory)

    each_bit(scope, reached, add, done)
    b.start(done)
    return b.load(ir, memory)
