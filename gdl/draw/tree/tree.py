"""A game tree as data, before it becomes text or a picture: what was visited, in which order, what was cut.

Whoever has a tree makes one (`gdl/trees/` makes those of games and searches). Values are one number, the
first player's (max's), where interests are opposed, and one for each player elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any, Literal

from gdl.diagnostics.html import printed
from gdl.draw.pictures import Picture
from gdl.game import Number

Kind = Literal["max", "min", "player", "chance", "end"]
Relation = Literal["=", "<=", ">="]


@dataclass(frozen=True, slots=True)
class Worth:
    """What is known of a node: its value, or that it is no more or no less; `judged` where it rests on leaves
    that were judged, not searched, and `mean` where it is the mean of simulated plays."""

    numbers: tuple[Number, ...]
    relation: Relation = "="
    judged: bool = False
    mean: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """Two ends, either of which may be infinite: a window (alpha, beta), or an interval of a value."""

    low: Number
    high: Number


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Branches that are not drawn: how many, of what, how many positions were visited below them, and what is
    known of them all."""

    count: int
    things: Literal["moves", "outcomes"]
    positions: int = 0
    known: str = ""  # "all worse", "all cut"
    probability: Number | None = None  # of outcomes, together


@dataclass(frozen=True, slots=True)
class Node:
    """A position, or what chance does to a move. `cut_off`: a position that the search judged, for its depth
    was used up; `faint`: one that it never looked at."""

    ident: int
    kind: Kind
    mover: str = ""  # the player to move
    player: int | None = None
    worth: Worth | None = None
    order: int | None = None  # the number of the visit, from 1
    window: Span | None = None
    interval: Span | None = None  # of an expectation, when its search ended
    visits: int | None = None
    notes: tuple[str, ...] = ()
    position: str = ""
    picture: Picture | None = None
    cut_off: bool = False
    faint: bool = False
    in_all: tuple[Number, ...] = ()  # of an end: with what was paid on the way from the root, if anything was
    edges: tuple[Edge, ...] = ()
    left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A move or an outcome. `joins`: it leads to the node with that number, drawn elsewhere, where equal
    positions are drawn once."""

    label: str
    node: Node | None = None
    joins: int | None = None
    probability: Number | None = None
    paid: tuple[Number, ...] = ()
    best: bool = False  # on the best line
    cut: bool = False
    interval: Span | None = None  # of an expectation, after this outcome


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree to be drawn: `groups` are the information sets, as the numbers of their nodes."""

    title: str
    root: Node
    how: str = ""
    notes: tuple[str, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    steps: tuple[str, ...] = ()  # what happened, line by line, where one step is shown
    players: tuple[str, ...] = ()
    thick: str = "the best line"  # what thick edges are
    discount: Number = 1  # of what follows a move, beside what the move pays

    def nodes(self) -> Iterator[Node]:
        """Every node once, each before those below it."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(edge.node for edge in reversed(node.edges) if edge.node is not None)

    def text(self, ascii_only: bool = False) -> str:
        """The tree for the terminal."""
        from gdl.draw.tree.text import tree_text

        return tree_text(self, ascii_only)

    def svg(self) -> str:
        """A complete `<svg>` element, light or dark as its viewer is."""
        from gdl.draw.tree.svg import tree_svg

        return tree_svg(self)

    def tikz(self) -> str:
        """A LaTeX document of its own (class standalone) with one picture."""
        from gdl.draw.tree.tikz import tree_tikz

        return tree_tikz(self)

    def dot(self) -> str:
        """The tree for Graphviz, which lays it out itself."""
        from gdl.draw.tree.dot import tree_dot

        return tree_dot(self)

    def save(self, path: str | Path, *, dark: bool = False) -> None:
        """Writes the tree; the ending of the name says how: .txt .svg .png .pdf .tex .dot .json.

        Raises GameError where that is none of them, where matplotlib is missing (.png, .pdf), or where the
        file cannot be written.
        """
        from gdl.draw.tree.files import save_tree

        save_tree(self, Path(path), dark)

    def as_data(self) -> dict[str, Any]:
        """The tree as plain data for JSON; fractions and infinite numbers become text."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def __str__(self) -> str:
        return self.text()

    _repr_pretty_ = printed

    def _repr_svg_(self) -> str:
        return self.svg()


def _plain(data: Any) -> Any:
    """Without what is nothing: a tree has many nodes, and few of them have everything."""
    if isinstance(data, dict):
        kept = {key: value for key, value in data.items() if key != "picture" and not _nothing(value)}
        return {key: _plain(value) for key, value in kept.items()}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    if isinstance(data, Fraction):
        return data.numerator if data.denominator == 1 else str(data)
    return str(data) if data in (inf, -inf) else data


def _nothing(value: Any) -> bool:
    return value is None or value is False or (isinstance(value, str | tuple) and not value)
