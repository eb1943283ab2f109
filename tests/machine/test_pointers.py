"""Memory as kernels see it: what is read and written, and what does not compile."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from gdl import load
from solvers.machine.pointers import (
    Callback,
    Pointer,
    atomic_add,
    compare_and_swap,
    records,
    struct,
)
from solvers.machine.rules import Machine

edge_at = records(
    "edge of a test",
    np.dtype(
        {"names": ["plays", "odds", "total"], "formats": ["i4", "f8", ("f8", (0,))], "offsets": [0, 8, 16]}
    ),
    pointer="edges",
    size="bytes_each",
)


class Tree(NamedTuple):
    edges: Any
    bytes_each: int


class Frame(NamedTuple):
    mover: Any
    alpha: Any
    width: int


def frame() -> Frame:
    return Frame(np.array([-3, 100], np.int8), np.array([0.25, 0.5]), 7)


def test_items_are_widened_and_narrowed() -> None:
    @njit
    def kernel(stack: Any) -> Any:
        sum_ = stack.mover[0] + 2 * stack.mover[1] + stack.width  # more than 8 bits hold
        stack.mover[1] = -1
        later = stack.alpha + 1
        later[0] += stack.mover[0]
        return sum_

    arrays = frame()
    assert kernel(struct(arrays)) == -3 + 200 + 7
    assert arrays.mover.tolist() == [-3, -1] and arrays.alpha.tolist() == [0.25, -2.5]


def test_a_pointer_may_point_nowhere() -> None:
    @njit
    def kernel(pointer: Any) -> bool:
        return bool(pointer)

    assert kernel(Pointer(np.zeros(1))) and not kernel(Pointer.none(np.float64))


def test_records_have_fields_and_a_list() -> None:
    @njit
    def kernel(tree: Any) -> Any:
        edge = edge_at(tree, 1)
        edge.plays += 5
        edge.odds = 0.5
        edge.total[1] = 4.0
        before = atomic_add(edge, "plays", 2), compare_and_swap(edge, "plays", 7, -9)
        return before, edge.plays

    memory = np.zeros(8, np.uint64).view(np.uint8)
    assert kernel(struct(Tree(memory, 32))) == ((5, 7), -9)
    assert memory.view(np.float64)[5:].tolist() == [0.5, 0.0, 4.0] and not memory[:32].any()


class Nested(NamedTuple):
    inner: Any
    add: Any


def test_structs_hold_structs_and_kernels_that_are_called_by_address() -> None:
    @njit(no_cpython_wrapper=True)
    def plus(inner: Any, x: Any) -> Any:
        return inner.width + np.int64(2 * x)

    @njit
    def kernel(outer: Any) -> Any:
        return outer.add(outer.inner, 1) if outer.add else outer.inner.width

    inner = struct(frame())
    for needed, expected in ((True, 9), (False, 7)):
        add = Callback(plus, (inner, 0.5), needed)
        assert kernel(struct(Nested(inner, add))) == expected


def test_what_has_the_wrong_type_does_not_compile() -> None:
    @njit
    def stores(stack: Any) -> None:
        stack.mover[0] = stack.alpha[0]

    @njit
    def asks(function: Any, position: Any) -> Any:
        return function(position)

    with pytest.raises(TypingError):
        stores(struct(frame()))
    game = load("tictactoe", engine="native")
    machine = Machine(game)
    form = machine.form(game.initial()[0].position)
    assert asks(machine.rules.to_move, Pointer(form)) == 0
    with pytest.raises(TypingError):
        asks(machine.rules.to_move, Pointer(form.view(np.float64)))


def test_memory_that_is_not_in_one_piece_is_no_array_of_c() -> None:
    with pytest.raises(AssertionError):
        Pointer(np.zeros((4, 4))[:, 1])
