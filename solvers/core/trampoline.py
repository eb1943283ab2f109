"""Recursion without Python's recursion limit, for textbook code.

A recursive function becomes a generator function that yields the calls it would make and receives their
results, so that it still reads like the pseudocode:

    def depth_of(tree):
        deepest = 0
        for child in tree:
            deepest = max(deepest, (yield depth_of(child)))
        return 1 + deepest

    run(depth_of(tree))

The frames wait on an explicit stack instead of Python's own: the depth is bounded by memory alone.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")

Call = Generator["Call[Any]", Any, T]
"""What a call of such a function gives: something that `run` can bring to its result of type T."""


def run(call: Call[T]) -> T:
    """The result of the call. An exception raised inside passes up through the waiting callers, as usual."""
    stack: list[Call[Any]] = [call]
    result: Any = None
    error: BaseException | None = None
    try:
        while stack:
            try:
                inner = stack[-1].send(result) if error is None else stack[-1].throw(error)
                stack.append(inner)
                result = error = None
            except StopIteration as stop:
                stack.pop()
                result, error = stop.value, None
            except BaseException as raised:
                stack.pop()
                result, error = None, raised
        if error is not None:
            raise error
    finally:
        while stack:
            stack.pop().close()
    return result  # type: ignore[no-any-return]
