"""The functions of every game, as editors show them. (A test holds the names against the checker's.)"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    parameters: tuple[str, ...]
    result: str
    about: str


LIBRARY: dict[str, Function] = {
    "next": Function(
        ("value",), "value", "The next player, value, cell or number; after the last the first."
    ),
    "previous": Function(("value",), "value", "The one before; the last before the first."),
    "min": Function(("a", "b", "…"), "number", "The least of several numbers, or of `… for x in …`."),
    "max": Function(("a", "b", "…"), "number", "The greatest of several numbers, or of `… for x in …`."),
    "abs": Function(("x",), "number", "The number without its sign."),
    "sign": Function(("x",), "-1..1", "1, 0 or -1."),
    "rank": Function(("value",), "number", "How many values of its type come before it."),
    "value": Function(("Type", "rank"), "value", "The value of a type that has this rank."),
    "count": Function(("what",), "number", "How many: of a set, bag, list or type, or of `… for x in …`."),
    "distinct": Function(("bag",), "set", "The set of what is in a bag."),
    "subsets": Function(
        ("set or bag",), "domain", "Behind `in`: all sets, or bags, within this one, each once."
    ),
    "top": Function(("list",), "element", "The last element of a list that a variable or a `let` holds."),
    "sum": Function(("what",), "number", "The total of a list, a whole map, or of `… for x in …`."),
    "any": Function(("condition for x in domain",), "bool", "Whether it holds for at least one."),
    "all": Function(("condition for x in domain",), "bool", "Whether it holds for all."),
    "first": Function(
        ("value for x in domain if condition",), "value?", "The first one; none if there is none."
    ),
    "lines": Function(
        ("Board", "length", "cell"), "list of lines", "All lines of so many cells, or those through a cell."
    ),
    "ray": Function(
        ("cell", "direction"), "list of cells", "The cells from this one, itself left out, to the edge."
    ),
    "step": Function(("cell", "direction"), "cell?", "The cell one step away; none outside of the board."),
    "neighbours": Function(
        ("cell",), "list of cells", "The cells that share a side, or an edge of the graph."
    ),
    "surrounding": Function(("cell",), "list of cells", "The cells that share a side or a corner."),
    "directions": Function(("Board",), "list of steps", "All steps to cells that touch."),
    "orthogonal": Function(("Board",), "list of steps", "The steps along rows and columns."),
    "diagonal": Function(("Board",), "list of steps", "The steps to corners."),
    "reachable": Function(
        ("starts", "within"),
        "set of cells",
        "The cells of `within` connected to one of the starts inside it; or `reachable(s, free)`.",
    ),
    "connected": Function(
        ("a", "b", "within"), "bool", "Whether a way inside `within` leads from a cell of a to one of b."
    ),
    "push": Function(
        ("list", "element", "place"), "statement", "An element comes behind the others, or before a place."
    ),
    "pop": Function(("list", "place"), "statement", "The last element goes, or the one at a place."),
    "flip": Function(("board",), "picture", "In `show:`, the board with row 1 at the bottom."),
    "above": Function(
        ("board", "other"), "picture", "In `show:`, squares of two lines, the one above the other."
    ),
}
