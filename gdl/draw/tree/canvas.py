"""What a picture of a tree is made of, in every format: lines, shapes, words; coordinates, y downwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gdl.draw.text import display_width

SIZE, SMALL = 13.0, 10.5  # of letters
LINE, SMALL_LINE = 16.0, 13.0
GAP = 12.0  # between blocks
SLOPE, STEEPEST = 34.0, 110.0  # of height for the slanted part of edges: the more, the wider they spread
MARGIN = 14.0
NOTE = 5.0  # between a node and what stands beside it


@dataclass(frozen=True, slots=True)
class Line:
    points: tuple[tuple[float, float], ...]
    style: str
    bent: bool = False  # three points: a curve from the first to the last, drawn towards the second


@dataclass(frozen=True, slots=True)
class Shape:
    """A closed outline, or an ellipse around the first point with the second as its corner."""

    points: tuple[tuple[float, float], ...]
    style: str
    round: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    x: float
    y: float  # of the middle of the line
    text: str
    ink: str = "text"
    size: float = SIZE
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False
    mono: bool = False  # every letter as wide as any other: pictures made of letters


@dataclass(slots=True)
class Scene:
    """What is drawn, from back to front."""

    width: float = 0.0
    height: float = 0.0
    title: str = ""
    lines: list[Line] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)


_WIDTHS = {
    0.3: "ijlI .,'|!", 0.4: "ft:;/()[]-r\\", 0.56: "cszxyvk", 0.64: "abdeghnopqu0123456789*_?$",
    0.72: "ABCDEFGHJKLNPRSTUVXYZ#&", 0.86: "wOQM=+<>≤≥→~−", 1.0: "mW@…%∞√",
}  # fmt: skip
"""Letters of DejaVu Sans, the widest of the fonts that are asked for, by what they take of their size."""

MONO = 0.61
"""The same of all letters of DejaVu Sans Mono."""

_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


def text_width(text: str, size: float = SIZE, mono: bool = False) -> float:
    """How wide words are, in the fonts that are asked for, at most."""
    if mono:
        return size * MONO * display_width(text)
    return size * sum(_WIDTH.get(letter, 0.72 * display_width(letter)) for letter in text)
