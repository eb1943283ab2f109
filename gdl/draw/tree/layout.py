"""A tidy tree: nobody overlaps, parents stand over the middle of their children, equal subtrees look equal.

Reingold & Tilford, 'Tidier drawings of trees', 1981, in the way of Kennedy, 'Drawing trees', 1996: subtrees
are pushed together from the left and from the right, and stand in the middle between both. Nodes have any
width to either side. No light library of Python does this with widths; this one costs n times the depth,
which is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Outline = list[tuple[float, float]]
"""The left and right end of a subtree on every level, from the x of its root."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node to be placed: how far it reaches to both sides of its middle, and what stands below it."""

    left: float
    right: float
    below: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the middle of a node is."""

    x: float
    below: tuple[Placed, ...]


def place(root: Box, gap: float) -> Placed:
    """The tree, its leftmost end at 0, with `gap` between neighbours."""
    offsets, outline = _design(root, gap)
    return _absolute(offsets, -min(left for left, _ in outline))


def _design(box: Box, gap: float) -> tuple[Placed, Outline]:
    """The subtree around its own root at 0: every x is from that of the parent."""
    designs = [_design(child, gap) for child in box.below]
    outlines = [outline for _, outline in designs]
    from_left = _pushed(outlines, gap)
    mirrored = [[(-right, -left) for left, right in outline] for outline in reversed(outlines)]
    from_right = [-x for x in reversed(_pushed(mirrored, gap))]
    xs = [(a + b) / 2 for a, b in zip(from_left, from_right, strict=True)]
    middle = (xs[0] + xs[-1]) / 2 if xs else 0.0
    xs = [x - middle for x in xs]
    below = tuple(Placed(x, design.below) for x, (design, _) in zip(xs, designs, strict=True))
    joined: Outline = []
    for x, outline in zip(xs, outlines, strict=True):
        joined = _joined(joined, outline, x)
    return Placed(0.0, below), [(-box.left, box.right), *joined]


def _pushed(outlines: Sequence[Outline], gap: float) -> list[float]:
    """How far each subtree stands from the first when all are pushed to the left."""
    xs: list[float] = []
    so_far: Outline = []
    for outline in outlines:
        levels = zip(so_far, outline, strict=False)
        x = max((right + gap - left for (_, right), (left, _) in levels), default=0.0)
        xs.append(x)
        so_far = _joined(so_far, outline, x)
    return xs


def _joined(left: Outline, right: Outline, x: float) -> Outline:
    """Both outlines as one, the second moved by x."""
    moved = [(a + x, b + x) for a, b in right]
    both = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(left, moved, strict=False)]
    return [*both, *left[len(moved) :], *moved[len(left) :]]


def _absolute(placed: Placed, x: float) -> Placed:
    here = x + placed.x
    return Placed(here, tuple(_absolute(child, here) for child in placed.below))
