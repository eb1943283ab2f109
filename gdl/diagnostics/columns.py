"""How text lies on a terminal: the columns that characters take, and signs for those that have no shape."""

from __future__ import annotations

from unicodedata import category, east_asian_width

TAB = 4


def width(text: str) -> int:
    """How many columns the text takes; wide characters take two, combining ones none."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_columns(char) for char in text)


def printable(text: str, *, keep: str = "") -> str:
    """The text with tabs as spaces and a visible sign for every control character outside `keep`.

    A game file may hold anything; none of it may reach the terminal as a command.
    """
    if text.isprintable():
        return text
    return "".join(char if char in keep else _shown(char) for char in text)


def _columns(char: str) -> int:
    if category(char) in ("Mn", "Me"):
        return 0
    if char == "\t":
        return TAB
    return 2 if east_asian_width(char) in "WF" else 1


def _shown(char: str) -> str:
    if char == "\t":
        return " " * TAB
    if char.isprintable() or category(char) in ("Mn", "Me"):
        return char
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of a control character
    return "\u2421" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
