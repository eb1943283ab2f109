"""What each place of the text means: noted while checking, read by tools that show it to people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gdl.diagnostics import Source, Span
from gdl.model.types import Cells, Enum, Type
from gdl.syntax import tree

if TYPE_CHECKING:
    from gdl.check.context import LocalName

Place = tuple[int, int]
"""Where a span starts and ends."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """`empty`, `first`, `a1`: a value that is known by its name, and its place among those of its type."""

    type: Enum | Cells
    number: int


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Less is possible here than was declared: the type without the facts, and the place they come from."""

    declared: Type
    origin: Span | None


@dataclass(frozen=True, slots=True)
class Gap:
    """A name that nobody knows; what could stand there is a "value", "type", "statement" or "choice"."""

    kind: str
    locals: tuple[LocalName, ...] = ()
    expected: Type | None = None


@dataclass(slots=True)
class Meanings:
    """Names that only their surroundings give a meaning, and the types of expressions.

    What is checked several times, as `utility(p):` is for each player, keeps what was found last, for any
    player. Of a part with a mistake, what stands behind it may be missing. Global names are not noted: they
    mean the same everywhere that no local hides them. Nor is anything noted of texts from which the game
    borrows: places are offsets into its own.
    """

    source: Source
    names: dict[Place, LocalName | NamedValue] = field(default_factory=dict)
    library: set[Place] = field(default_factory=set)  # names that call a function of the library
    types: dict[Place, Type] = field(default_factory=dict)
    narrowings: dict[Place, Narrowing] = field(default_factory=dict)
    gaps: dict[Place, Gap] = field(default_factory=dict)
    inside_texts: list[tree.Expr] = field(default_factory=list)  # the expressions of `"pot {pot}"`

    def note(self, span: Span, meaning: LocalName | NamedValue) -> None:
        if span.source is self.source:
            self.names[span.start, span.end] = meaning

    def note_library(self, span: Span) -> None:
        if span.source is self.source:
            self.library.add((span.start, span.end))

    def note_type(self, span: Span, type_: Type) -> None:
        if span.source is self.source:
            self.types[span.start, span.end] = type_

    def note_narrowing(self, span: Span, declared: Type, origin: Span | None) -> None:
        if span.source is self.source:
            here = origin is not None and origin.source is self.source
            self.narrowings[span.start, span.end] = Narrowing(declared, origin if here else None)

    def note_gap(self, span: Span, gap: Gap) -> None:
        if span.source is self.source:
            self.gaps[span.start, span.end] = gap

    def note_inside(self, inside: tree.Expr) -> None:
        if inside.span.source is self.source:
            self.inside_texts.append(inside)
