"""Evaluations on machine code: what evaluation.py says of a position, and how weights learn from an error.

A position is read into a row: the levels of its elements as the mover sees them. Rows are what episodes keep.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np

from solvers.learning.evaluation import Evaluation, input_bases
from solvers.machine.kernels import inlined, step
from solvers.machine.pointers import Function

LINEAR, TUPLES, NETWORK = range(3)
NONE, LOGISTIC, SOFTSIGN = range(3)

_KINDS = {"linear": LINEAR, "tuples": TUPLES, "network": NETWORK}
_SQUASHES = {"none": NONE, "logistic": LOGISTIC, "softsign": SOFTSIGN}


class Net(NamedTuple):
    """An evaluation as kernels take it."""

    kind: int
    squash: int
    columns: int
    width: int  # of a row: elements, or features
    sides: int
    draws: int
    exchange: int
    turns: int
    by_moves: int
    expects: int
    # elements
    at: Any  # i64: where they lie in a form
    bytes: Any  # i64
    bit: Any  # i64
    size: Any  # i64
    level: Any  # i64: how many levels
    source: Any  # i64: as the second player sees them
    map_at: Any  # i64: where its map of values begins, -1 for none
    maps: Any  # i64
    features: Any  # the function of the game
    # tables: one lookup for each image
    lookups: int
    first: Any  # i64: where the elements of a lookup begin in `members`
    members: Any  # i64
    strides: Any  # i64
    start: Any  # i64: where its table begins
    entries: Any  # i64: the size of its table
    # networks
    units: int
    base: Any  # i64: the first input of an element
    ordered: Any  # i64
    # weights
    bias: Any  # f32: linear [contexts, columns]; networks [units]
    weights: Any  # f32: features, tables, or hidden
    out: Any  # f32 [units, columns]
    out_bias: Any  # f32
    errors: Any  # f32, as weights: coherence
    sizes_of_errors: Any  # f32
    low: Any  # f64
    high: Any  # f64


class Desk(NamedTuple):
    """Where one thread works out values."""

    row: Any  # i32[width]
    numbers: Any  # f64[width]: features
    active: Any  # i64: entries, or inputs
    count: Any  # i64[1]
    hidden: Any  # f32[units]
    slope: Any  # f32[units]
    sums: Any  # f64[columns]
    values: Any  # f64[columns]


def net_of(game: Any, evaluation: Evaluation, coherence: dict[str, Any] | None = None) -> Net:
    """The arrays are those of the evaluation: what kernels learn changes it."""
    view = evaluation.view
    code = game.compiled
    elements = list(zip(code.places, view.sizes, strict=True))
    linear = evaluation.kind == "linear"
    map_at, maps = [-1] * len(elements), [0]
    for element, mapped in view.maps.items():
        map_at[element] = len(maps)
        maps += mapped
    images = [
        (image, table.sizes, start, table.size)
        for table, start in zip(evaluation.tables, evaluation.starts, strict=False)
        for image in table.images
    ]
    first, members, strides = [0], [0][:0], [0][:0]
    for image, sizes, _, _ in images:
        members += image
        strides += [int(np.prod(sizes[k + 1 :], dtype=np.int64)) for k in range(len(sizes))]
        first.append(len(members))
    weights = evaluation.weights
    main = {"linear": "features", "tuples": "tables", "network": "hidden"}[evaluation.kind]
    nothing = np.zeros(1, np.float32)
    kept = coherence or {}
    bias = {"linear": "bias", "network": "hidden_bias"}.get(evaluation.kind)
    return Net(
        kind=_KINDS[evaluation.kind],
        squash=_SQUASHES[evaluation.squash],
        columns=evaluation.columns,
        width=len(evaluation.features) if linear else len(elements),
        sides=view.sides,
        draws=int(view.draws),
        exchange=int(view.exchange),
        turns=int(evaluation.turns),
        by_moves=int(evaluation.by_moves),
        expects=int(evaluation.expects),
        at=_whole([at for (at, _, _), _ in elements]),
        bytes=_whole([unit for (_, unit, _), _ in elements]),
        bit=_whole([bit for (_, _, bit), _ in elements]),
        size=_whole([size for _, size in elements]),
        level=_whole(view.levels),
        source=_whole(view.source or range(len(elements))),
        map_at=_whole(map_at),
        maps=_whole(maps),
        features=Function("features", code.address("features") if linear else 0),
        lookups=len(images),
        first=_whole(first),
        members=_whole(members),
        strides=_whole(strides),
        start=_whole([start for _, _, start, _ in images]),
        entries=_whole([size for _, _, _, size in images]),
        units=evaluation.units,
        base=_whole(input_bases(view)),
        ordered=_whole([int(o) for o in view.ordered]),
        bias=nothing if bias is None else weights[bias],
        weights=weights[main],
        out=weights.get("out", nothing),
        out_bias=weights.get("out_bias", nothing),
        errors=kept.get("errors", nothing),
        sizes_of_errors=kept.get("sizes", nothing),
        low=np.array(evaluation.low),
        high=np.array(evaluation.high),
    )


def _whole(numbers: Any) -> Any:
    return np.array([*numbers, 0], np.int64)


def desk(evaluation: Evaluation) -> Desk:
    view = evaluation.view
    inputs = sum(levels if ordered else 1 for levels, ordered in zip(view.levels, view.ordered, strict=True))
    return Desk(
        row=np.zeros(len(view.levels) + 1, np.int32),
        numbers=np.zeros(len(evaluation.features) + 1),
        active=np.zeros(max(inputs, evaluation.lookups) + 2, np.int64),
        count=np.zeros(1, np.int64),
        hidden=np.zeros(evaluation.units + 1, np.float32),
        slope=np.zeros(evaluation.units + 1, np.float32),
        sums=np.zeros(evaluation.columns),
        values=np.zeros(evaluation.columns),
    )


# ------------------------------------------------------------------------------------ reading


@inlined
def context_of(net: Any, mover: Any, drawn: Any) -> Any:
    side = mover if mover >= 0 and net.sides > 1 else 0
    return side * 2 + drawn if net.draws else side


@step
def read_row(net: Any, form: Any, mover: Any, desk: Any) -> Any:
    """The levels of the elements of a form, or the values of its features; gives the status."""
    if net.kind == LINEAR:
        return net.features(form, desk.numbers)
    turned = net.exchange != 0 and mover == 1
    for e in range(net.width):
        k = net.source[e] if turned else e
        at = net.at[k]
        value = form[at]
        if net.bit[k] >= 0:
            value = (value >> net.bit[k]) & 1
        elif net.bytes[k] > 1:
            shift = 8
            for j in range(1, min(net.bytes[k], 7)):
                value |= form[at + j] << shift
                shift += 8
        if turned and net.map_at[e] >= 0:
            value = net.maps[net.map_at[e] + value]
        if net.level[e] != net.size[e]:
            value = value * net.level[e] // net.size[e]
        desk.row[e] = value
    return 0


# ------------------------------------------------------------------------------------ judging


@step
def value_of_row(net: Any, context: Any, turned: Any, desk: Any) -> Any:
    """Leaves in desk.values what the evaluation says of the row, per column; and what is active."""
    if net.kind == TUPLES:
        _sum_tables(net, context, desk)
    elif net.kind == NETWORK:
        _run_network(net, context, desk)
    else:
        for c in range(net.columns):
            total = np.float64(net.bias[context * net.columns + c])
            for k in range(net.width):
                total += net.weights[k * net.columns + c] * desk.numbers[k]
            desk.sums[c] = total
    for c in range(net.columns):
        value = squashed(net, desk.sums[c], c)
        desk.values[c] = -value if turned else value
    return 0


@step
def _sum_tables(net: Any, context: Any, desk: Any) -> Any:
    for c in range(net.columns):
        desk.sums[c] = 0.0
    for i in range(net.lookups):
        index = net.start[i] + context * net.entries[i]
        for j in range(net.first[i], net.first[i + 1]):
            index += np.int64(desk.row[net.members[j]]) * net.strides[j]
        desk.active[i] = index
        for c in range(net.columns):
            desk.sums[c] += net.weights[index * net.columns + c]
    return 0


@step
def _run_network(net: Any, context: Any, desk: Any) -> Any:
    units = net.units
    for h in range(units):
        desk.hidden[h] = net.bias[h]
    desk.active[0] = net.base[net.width] + context
    count = 1
    for e in range(net.width):
        level = np.int64(desk.row[e])
        if net.ordered[e]:
            for k in range(level):
                desk.active[count] = net.base[e] + k
                count += 1
        else:
            desk.active[count] = net.base[e] + level
            count += 1
    desk.count[0] = count
    for i in range(count):
        add_row(desk.hidden, net.weights + desk.active[i] * units, units)
    for c in range(net.columns):
        total = np.float64(net.out_bias[c])
        for h in range(units):
            if desk.hidden[h] > 0:
                total += desk.hidden[h] * net.out[h * net.columns + c]
        desk.sums[c] = total
    return 0


@inlined
def add_row(target: Any, source: Any, count: Any) -> Any:
    for h in range(count):
        target[h] += source[h]


@inlined
def squashed(net: Any, x: Any, c: Any) -> Any:
    if net.squash == LOGISTIC:
        return net.low[c] + (net.high[c] - net.low[c]) / (1.0 + exp(-min(max(x, -60.0), 60.0)))
    if net.squash == SOFTSIGN:
        return (net.low[c] + net.high[c]) / 2 + (net.high[c] - net.low[c]) / 2 * x / (1.0 + abs(x))
    return x


# ------------------------------------------------------------------------------------ learning


@step
def learn_row(net: Any, context: Any, turned: Any, targets: Any, rate: Any, desk: Any) -> Any:
    """Moves the value of the row towards the targets; gives the square of the error, in units of the range.

    Tables and linear sums: each weight has a rate of its own, the sum of its errors by the sum of their sizes
    (temporal coherence, Beal & Smith 1999): large as long as errors agree, small when they come and go.
    """
    value_of_row(net, context, turned, desk)
    total = 0.0
    for c in range(net.columns):
        target = -targets[c] if turned else targets[c]
        value = -desk.values[c] if turned else desk.values[c]
        scale = 1.0
        if net.squash != NONE:
            scale = net.high[c] - net.low[c]
        error = (target - value) / scale
        total += error * error
        if net.kind == TUPLES:
            _learn_tables(net, c, error * rate / net.lookups, error, desk)
        elif net.kind == NETWORK:
            _learn_network(net, c, error * rate, desk)
        else:
            _learn_sum(net, context, c, error, rate, desk)
    return total


@step
def _learn_tables(net: Any, c: Any, change: Any, error: Any, desk: Any) -> Any:
    size = abs(error)
    for i in range(net.lookups):
        w = desk.active[i] * net.columns + c
        among = net.sizes_of_errors[w]
        own = 1.0
        if among > 0:
            own = abs(net.errors[w]) / among
        net.weights[w] += change * own
        net.errors[w] += error
        net.sizes_of_errors[w] = among + size


@step
def _learn_network(net: Any, c: Any, change: Any, desk: Any) -> Any:
    units = net.units
    for h in range(units):
        slope = np.float32(0.0)
        if desk.hidden[h] > 0:
            slope = np.float32(change * net.out[h * net.columns + c])
            net.out[h * net.columns + c] += change * desk.hidden[h]
        desk.slope[h] = slope
        net.bias[h] += slope
    net.out_bias[c] += change
    for i in range(desk.count[0]):
        add_row(net.weights + desk.active[i] * units, desk.slope, units)


@step
def _learn_sum(net: Any, context: Any, c: Any, error: Any, rate: Any, desk: Any) -> Any:
    """Least mean squares, by the length of the row, so that the scale of features does not matter."""
    length = 1.0
    for k in range(net.width):
        length += desk.numbers[k] * desk.numbers[k]
    slope = 1.0
    if net.squash == SOFTSIGN:
        slope = 0.5 / ((1.0 + abs(desk.sums[c])) * (1.0 + abs(desk.sums[c])))
    step_size = rate * error * slope / length
    net.bias[context * net.columns + c] += step_size
    for k in range(net.width):
        net.weights[k * net.columns + c] += step_size * desk.numbers[k]
