"""What is written out of habit and parses, but means nothing here: how it is written, as text for a hint.

The habits that do not even parse are in gdl/syntax/habits.py.
"""

from __future__ import annotations

from collections.abc import Callable

from gdl.check.context import Checker
from gdl.check.relations import members_of
from gdl.model.types import Player, Tuple, Type, whole_of
from gdl.syntax import tree

_RANDOM = frozenset("random randint rand randrange choice".split())


def range_text(node: tree.TypeExpr) -> str | None:
    """`range(1, 4)` as `1..3`, `range(n)` as `0..n - 1`."""
    if not (isinstance(node, tree.Call) and isinstance(node.function, tree.Name)):
        return None
    arguments = [argument.value for argument in node.arguments]
    if node.function.id not in ("range", "randrange") or len(arguments) not in (1, 2):
        return None
    low = arguments[0].span.text if len(arguments) == 2 else "0"
    return f"{low}..{_before(arguments[-1])}"


def _before(node: tree.Expr) -> str:
    """The number before this one."""
    if isinstance(node, tree.Number) and node.value == int(node.value):
        return str(int(node.value) - 1)
    return f"{node.span.text} - 1"


def type_text(node: tree.TypeExpr) -> str | None:
    """`1-3`, `[0..3]`, `[0, 3]` or `range(1, 4)` as a range."""
    match node:
        case tree.Operation(op="-"):
            return f"{node.left.span.text}..{node.right.span.text}"
        case tree.ListExpr(items=(tree.Range() as inside,)):
            return inside.span.text
        case tree.ListExpr(items=(tree.Number() as low, tree.Number() as high)):
            return f"{low.span.text}..{high.span.text}"
    return range_text(node)


def drawn_from(checker: Checker, node: tree.TypeExpr) -> str | None:
    """What `random(1, 6)`, `choice(cards)` and the like draw from."""
    if not isinstance(node, tree.Call):
        return None
    called = node.function
    if isinstance(called, tree.Attribute) and called.base.span.text == "random":
        called = called.name
    if not isinstance(called, tree.Name) or called.id not in _RANDOM or called.id in checker.values:
        return None
    name = called.id
    arguments = [argument.value for argument in node.arguments]
    if name == "randrange":
        return range_text(node)
    if name == "choice" and len(arguments) == 1:
        listed = arguments[0].span.text
        return f"{{{listed[1:-1]}}}" if isinstance(arguments[0], tree.ListExpr) else listed
    if len(arguments) > 2:
        return None
    low, high = ("1", "6") if not arguments else ("1", arguments[-1].span.text)
    return f"{arguments[0].span.text if len(arguments) == 2 else low}..{high}"


_IDEAS = {
    word: idea
    for idea, words in {
        "add": "add append insert push put",
        "remove": "remove discard delete subtract",
        "pop": "pop",
        "clear": "clear",
        "next": "next opponent other",
        "previous": "previous prev",
        "count": "count size length len",
        "contains": "contains has includes",
        "empty": "is_empty isEmpty empty",
        "neighbours": "neighbors neighbours",
        "rank": "index ord rank ordinal",
        "sum": "sum total",
    }.items()
    for word in words.split()
}
"""What methods of other languages do, by their names."""

_Written = Callable[[str, str], str]
_OF_SETS: dict[str, _Written] = {
    "add": lambda it, what: f"{it} += {{{what}}}",
    "remove": lambda it, what: f"{it} -= {{{what}}}",
    "clear": lambda it, _: f"{it} = {{}}",
    "count": lambda it, _: f"count({it})",
    "contains": lambda it, what: f"{what} in {it}",
    "empty": lambda it, _: f"{it} == {{}}",
    "sum": lambda it, _: f"sum({it})",
}
_OF_VALUES: dict[str, _Written] = {
    "next": lambda it, _: f"next({it})",
    "previous": lambda it, _: f"previous({it})",
    "rank": lambda it, _: f"rank({it})",
}
_METHODS: dict[str, dict[str, _Written]] = {
    "set": _OF_SETS,
    "bag": {**_OF_SETS, "count": lambda it, what: f"{it}[{what}]" if what else f"count({it})"},
    "list": {
        "add": lambda it, what: f"push({it}, {what})",
        "pop": lambda it, what: f"pop({', '.join(filter(None, (it, what)))})",
        "clear": lambda it, _: f"{it} = []",
        "count": lambda it, what: f"count(x == {what} for x in {it})" if what else f"count({it})",
        "contains": lambda it, what: f"{what} in {it}",
        "empty": lambda it, _: f"count({it}) == 0",
        "sum": lambda it, _: f"sum({it})",
    },
    "number": {
        "add": lambda it, what: f"{it} += {what}",
        "remove": lambda it, what: f"{it} -= {what}",
        "next": lambda it, _: f"{it} + 1",
        "previous": lambda it, _: f"{it} - 1",
    },
    "map": {"sum": lambda it, _: f"sum({it})"},
    "cell": {**_OF_VALUES, "neighbours": lambda it, _: f"neighbours({it})"},
    "value": _OF_VALUES,
}


def method_text(node: tree.Call, kind: str, statement: bool) -> str | None:
    """`gone.add(n)` of a set as `gone += {n}`, of a list as `push(gone, n)`, of a number as `gone += n`."""
    assert isinstance(node.function, tree.Attribute)
    idea, it = _IDEAS.get(node.function.name.id, ""), node.function.base.span.text
    if idea not in _METHODS.get(kind, {}):
        return None
    if idea == "pop" and not statement:
        return f"top({it})"
    written = _METHODS[kind][idea](it, ", ".join(argument.value.span.text for argument in node.arguments))
    return f"{it} = {written}" if statement and idea in ("next", "previous") else written


def elements_text(node: tree.Call, example: str) -> str | None:
    """`v.append(2)` of a map as `v[0] = 2`, an element of it."""
    assert isinstance(node.function, tree.Attribute)
    if _IDEAS.get(node.function.name.id) != "add" or not node.arguments:
        return None
    return f"{node.function.base.span.text}[{example}] = {node.arguments[-1].value.span.text}"


def record_parts(
    checker: Checker, node: tree.DictExpr, expected: Type | None
) -> tuple[list[tuple[str, str]], str | None] | None:
    """`{count: m, face: f}` as the parts of a record in their order, and its type if that has a name."""
    written = {key.span.text: value.span.text for key, value in node.entries}
    records: list[tuple[tuple[str, ...], str | None]] = [
        (tuple(name.id for name, _ in item.type.fields), item.name.id)
        for item in checker.file.items
        if isinstance(item, tree.TypeItem) and isinstance(item.type, tree.RecordType)
    ]
    for wanted in map(whole_of, members_of(expected) if expected is not None else ()):
        if isinstance(wanted, Tuple) and wanted.names:
            records.append((wanted.names, None))
    for names, type_ in records:
        if {*names} == {*written} and len(written) == len(node.entries):
            return [(name, written[name]) for name in names], type_
    return None


def utilities_text(node: object, players: Player) -> str | None:
    """`{first: 1, second: -1}` or `(1, -1)` as what player p gets.

    None if it is no list, "" if it lists something else.
    """
    names = [member.name for member in players.members]
    if isinstance(node, tree.DictExpr):
        listed = [(key.span.text, value.span.text) for key, value in node.entries]
    elif isinstance(node, tree.TupleExpr | tree.ListExpr):
        listed = list(zip(names, (item.span.text for item in node.items), strict=False))
    else:
        return None
    if [name for name, _ in listed] != names or len(names) < 2:
        return ""
    *tested, (_, last) = listed
    return " else ".join([*(f"{value} if p == {name}" for name, value in tested), last])


def joined_text(node: tree.Operation) -> str | None:
    """`"stones " + n` as `"stones {n}"`."""
    parts: list[tree.Expr] = []
    rest: tree.Expr = node
    while isinstance(rest, tree.Operation) and rest.op == "+":
        parts.append(rest.right)
        rest = rest.left
    parts = [rest, *reversed(parts)]
    if not any(isinstance(part, tree.String) for part in parts):
        return None
    inside = (part.value if isinstance(part, tree.String) else f"{{{part.span.text}}}" for part in parts)
    return f'"{"".join(inside)}"'
