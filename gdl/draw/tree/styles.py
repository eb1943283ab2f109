"""Colours and lines of pictures of trees, by role. What matters is never told by colour alone: the best line
is thick, what was cut is crossed out, and players differ in shape."""

from __future__ import annotations

from dataclasses import dataclass

LIGHT = {
    "paper": "#ffffff", "ink": "#1c1c1c", "soft": "#5a5a5a", "faint": "#9a9a9a", "line": "#6f6f6f",
    "max": "#dbe7f8", "min": "#f9dfdb", "chance": "#e9e9e9", "end": "#ffffff",
    "one": "#dbe7f8", "two": "#f9dfdb", "three": "#dcefdc",
    "four": "#f7ebcf", "five": "#eadcf2", "six": "#d7eeee",
    "cut": "#b3261e", "group": "#2f6f4f", "cell": "#f6f2e8",
}  # fmt: skip
DARK = {
    "paper": "#16181d", "ink": "#ececec", "soft": "#b4b4b4", "faint": "#767676", "line": "#9a9a9a",
    "max": "#1f3a60", "min": "#5c2622", "chance": "#3a3d44", "end": "#16181d",
    "one": "#1f3a60", "two": "#5c2622", "three": "#22492a",
    "four": "#54421a", "five": "#43305a", "six": "#1c4a4a",
    "cut": "#ff8a80", "group": "#7fd1a6", "cell": "#2a2d34",
}  # fmt: skip
"""From a role to a colour."""

PLAYERS = ("one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class Style:
    """How something is drawn: roles of colours, the width of its line, whether that is dashed."""

    line: str | None = "ink"
    fill: str | None = None
    width: float = 1.2
    dashed: bool = False


STYLES = {
    "edge": Style("line"),
    "edge-best": Style("ink", width=3.2),
    "edge-cut": Style("faint", width=1.0, dashed=True),
    "arrow": Style("line", "line", 1.0),
    "cross": Style("cut", width=2.0),
    "group": Style("group", width=1.4, dashed=True),
    "node-max": Style(fill="max"),
    "node-min": Style(fill="min"),
    "node-chance": Style(fill="chance"),
    "node-end": Style(fill="end"),
    "node-faint": Style("faint", "paper", 1.0),
    "cell": Style("faint", "cell", 0.7),
    **{f"node-{name}": Style(fill=name) for name in PLAYERS},
}
"""By name; a name with `-judged` behind it is the same with a dashed line."""

INKS = {"text": "ink", "note": "soft", "faint": "faint", "move": "ink", "cut": "faint", "group": "group"}
"""The colours of words."""


def style_of(name: str) -> Style:
    if name.endswith("-judged"):
        base = STYLES[name.removesuffix("-judged")]
        return Style(base.line, base.fill, base.width, True)
    return STYLES[name]
