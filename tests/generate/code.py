"""Pieces of game text that know how tightly they bind, so that brackets stand only where they must.

The levels are those of the grammar, from the loosest to the tightest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CONDITIONAL, OR, AND, NOT, AFTER, COMPARISON, CAST = range(7)
UNION, INTERSECTION, RANGE, SUM, PRODUCT, MINUS, POWER, ATOM = range(7, 15)


@dataclass(frozen=True, slots=True)
class Code:
    """The text of an expression, and the level of its outermost operator."""

    text: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The text where an operand of at least this level is expected."""
        return self.text if self.level >= level else f"({self.text})"

    def __str__(self) -> str:
        return self.text


def infix(left: Code, op: str, right: Code, level: int, right_level: int | None = None) -> Code:
    """`left op right`; operators nest to the left unless `right_level` says otherwise."""
    inner = level + 1 if right_level is None else right_level
    return Code(f"{left.at(level)} {op} {right.at(inner)}", level)


def conditional(then: Code, test: Code, otherwise: Code) -> Code:
    return Code(f"{then.at(OR)} if {test.at(OR)} else {otherwise}", CONDITIONAL)


def listed(items: list[Code]) -> str:
    return ", ".join(str(item) for item in items)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def names_in(text: str) -> frozenset[str]:
    """Every word of a text."""
    return frozenset(re.findall(r"[^\W\d]\w*", text))
