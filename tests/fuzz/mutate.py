"""Damaged game files: texts with bytes, words and lines changed, and soups of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_SOUP = (
    "game param players type const position initial player terminal utility def effect move when "
    "otherwise secret if elif else for in not and or is let return chance show expect feature visible to "
    "weighted where reward none true false x y n turn board Cell ( ) [ ] { } : , . .. = == != < > + - * / "
    "div mod ** ~ | & ? -> += -= 0 1 7 1/2 9999999999999999999999 1e400 0.5 "
    '"text" "{" # \\ $ ! && \t é'
).split(" ")


def damaged(texts: Sequence[str], rng: Random) -> str:
    """One input: a text with a few mutations, or a soup."""
    if rng.random() < 0.1:
        return _soup(rng)
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        text = rng.choice((_characters, _words, _lines, _nesting))(text, texts, rng)
    return text


def _soup(rng: Random) -> str:
    lines = []
    for _ in range(rng.randrange(1, 20)):
        words = [rng.choice(_SOUP) for _ in range(rng.randrange(1, 12))]
        lines.append("    " * rng.randrange(0, 3) + " ".join(words))
    return "\n".join(lines)


def _characters(text: str, texts: Sequence[str], rng: Random) -> str:
    """A few characters dropped, doubled or replaced by any."""
    at = rng.randrange(len(text) + 1)
    length = rng.choice((0, 1, 1, 2, 5))
    codes = [rng.choice((rng.randrange(32, 127), rng.randrange(0x2FF))) for _ in range(rng.randrange(3))]
    new = "".join(map(chr, codes))
    return text[:at] + new + text[at + length :]


def _words(text: str, texts: Sequence[str], rng: Random) -> str:
    """A word dropped, doubled, or replaced by another of the same file or by a keyword."""
    words = _WORD.findall(text)
    if not words:
        return text
    at = rng.randrange(len(words))
    words[at] = rng.choice(("", words[at] * 2, rng.choice(words), f" {rng.choice(_SOUP)} "))
    return "".join(words)


def _lines(text: str, texts: Sequence[str], rng: Random) -> str:
    """A line dropped, doubled, moved, indented, or taken from another file."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
        case 3:
            lines[at] = " " * rng.randrange(6) + lines[at].lstrip()
        case 4:
            lines.insert(at, rng.choice(rng.choice(texts).split("\n")))
    return "\n".join(lines)


def _nesting(text: str, texts: Sequence[str], rng: Random) -> str:
    """Brackets, operators or numbers repeated many times in one place."""
    at = rng.randrange(len(text) + 1)
    piece = rng.choice(("(", "[", "{", "not ", "-", "1 + ", "(1, ", "9", "if x: ", "    ", "a.", "f("))
    return text[:at] + piece * rng.choice((2, 50, 1000)) + text[at:]
