"""Colours, hatches and markers of diagrams. What matters is never told by colour alone: kinds differ in
lightness and hatch, or have a letter; series differ in marker and dashes."""

from __future__ import annotations

from typing import Any

LIGHT = {"paper": "#ffffff", "ink": "#1c1c1c", "soft": "#5a5a5a", "faint": "#c9c9c9", "other": "#b3261e"}
DARK = {"paper": "#16181d", "ink": "#ececec", "soft": "#b4b4b4", "faint": "#4a4d54", "other": "#ff8a80"}

FILLS = ("#f8e2a6", "#5fa3cf", "#d98a5b", "#8fbf87", "#b294c7", "#d7d7d7", "#e4a7b0", "#6d7f8c")
"""Of kinds. The first two, by far the most frequent, are furthest apart in lightness."""

HATCHES = ("", "////", "\\\\\\\\", "....", "----", "oo", "||||", "++")

LINES = ("#1f5a94", "#c2542d", "#2f7d4f", "#7b4ea3", "#8a6d1a", "#4a4a4a")
LINES_ON_DARK = ("#7db7ee", "#f29a73", "#7fd1a6", "#c6a2e6", "#dcc06a", "#cfcfcf")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)), (0, (1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")


def palette(dark: bool) -> dict[str, str]:
    return DARK if dark else LIGHT


def lines(dark: bool) -> tuple[str, ...]:
    return LINES_ON_DARK if dark else LINES
