"""What could be written at a place.

A name that nobody has is put there, the text is checked, and the checker says what it looked for: a value of
an expected type, a type, an effect, a move of a policy, a part of a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdl.check.expectations import QUANTITIES
from gdl.check.meanings import Gap
from gdl.check.policies import RESERVED as AGENTS
from gdl.check.relations import members_of
from gdl.diagnostics import Source
from gdl.lsp.analysis import Analysis, analyse
from gdl.lsp.describe import shown, signature
from gdl.lsp.library import LIBRARY
from gdl.lsp.names import walk
from gdl.model.types import Cells, Enum, Tuple, Type
from gdl.syntax import tree
from gdl.syntax.parse import Memory
from gdl.syntax.tokens import ITEM_WORDS, tokenize

PLACEHOLDER = "gap__"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_STATEMENTS = ("if", "for", "while", "let", "chance", "reward", "cost", "return", "break", "continue", "pass")
_OPERATORS = ("and", "or", "not", "if", "else", "is", "in", "div", "mod", "after")
MOST_CELLS = 100


@dataclass(frozen=True, slots=True)
class Proposal:
    """kind is that of a symbol, or "keyword"; `first` ones are what most likely is meant."""

    name: str
    kind: str
    detail: str = ""
    first: bool = False


def complete(analysis: Analysis, offset: int, memory: Memory | None = None) -> list[Proposal]:
    """Everything that could be written at a place, each name once."""
    text = analysis.source.text
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    if _inside_comment(analysis, offset):
        return []
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if not line:
        return [Proposal(word, "keyword") for word in sorted(ITEM_WORDS)]
    if line.split() in (["expect"], ["expect", "slow"]):
        return [Proposal(quantity, "quantity") for quantity in QUANTITIES]
    if (expected := _of_an_expectation(analysis, line)) is not None:
        return _unique(expected)
    found = _probed(analysis, start, offset, dict(memory or {}))
    if found is None:
        return _unique(_values(analysis, Gap("value")))
    probed, gap = found
    if isinstance(gap, tuple):
        return [Proposal(name, "field", detail) for name, detail in gap]
    match gap.kind:
        case "type":
            return _unique(_types(probed))
        case "statement":
            return _unique(_statements(probed, gap))
        case "choice":
            return _unique(_choices(probed, gap))
    return _unique(_values(probed, gap))


def _of_an_expectation(analysis: Analysis, line: str) -> Iterator[Proposal] | None:
    """What an `expect` line goes on with; None in other lines, and where a value is wanted."""
    words = [token.text for token in tokenize(Source("", line)).tokens if token.kind[0] != "_"]
    if words[:1] != ["expect"] or analysis.checker is None:
        return None
    start = 2 if words[1:2] == ["slow"] else 1
    if words[start : start + 1] == ["all"]:
        return None
    quantity, rest = words[start], words[start + 1 :]
    players = [member.name for member in analysis.checker.players.members]
    opened = _opened(rest)
    if opened == [0]:
        if rest[-1] in ("(", ","):
            return _settings(analysis, players if quantity in ("value", "cost", "best") else [])
        return _agents(analysis) if rest[-1] == "=" and rest[-2] in players else None
    moves = quantity in ("best", "legal") and "==" in rest
    if not opened and (rest[-1:] == ["after"] or (rest[-1:] == [","] and "after" in rest)):
        return _global(analysis, "move")
    if moves and (rest[-1] == "==" or ([rest[i] for i in opened] == ["{"] and rest[-1] in ("{", ","))):
        return _global(analysis, "move")
    if not opened and rest[-1:] in ([], [")"]):
        return (Proposal(word, "keyword") for word in ("after", "at", "from", "within"))
    return None


def _opened(words: list[str]) -> list[int]:
    """Where the brackets stand that are open at the end."""
    opened: list[int] = []
    for place, word in enumerate(words):
        if word in _CLOSING:
            opened.append(place)
        elif word in _CLOSING.values() and opened:
            opened.pop()
    return opened


def _settings(analysis: Analysis, players: list[str]) -> Iterator[Proposal]:
    yield from (Proposal(name, "value", "who plays for this player", True) for name in players)
    yield from _global(analysis, "param")


def _agents(analysis: Analysis) -> Iterator[Proposal]:
    yield from _global(analysis, "policy")
    yield from (Proposal(word, "keyword", "an agent of every game") for word in AGENTS)


Fields = tuple[tuple[str, str], ...]


def _probed(
    analysis: Analysis, start: int, offset: int, memory: Memory
) -> tuple[Analysis, Gap | Fields] | None:
    """What the checker looked for in the place of a name that nobody has; None where nothing can be read."""
    text = analysis.source.text
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", offset)
    rest = text[offset : line_end if line_end >= 0 else len(text)]
    opened: list[str] = []
    for char in text[line_start:start] + rest:
        if char in _CLOSING:
            opened.append(_CLOSING[char])
        elif opened and char == opened[-1]:
            opened.pop()
    closing = "".join(reversed(opened))
    end = offset + len(rest)
    for ending in dict.fromkeys(("", closing, closing + ":", closing + ": pass", closing + " == 0")):
        tried = text[:start] + PLACEHOLDER + rest + ending + text[end:]
        probed = analyse(tried, analysis.source.name, memory)
        if probed.checker is None:
            continue
        place = start, start + len(PLACEHOLDER)
        gap = probed.checker.meanings.gaps.get(place)
        if gap is not None:
            return probed, gap
        fields = _fields(probed, place)
        if fields is not None:
            return probed, fields
    return None


def _fields(probed: Analysis, place: tuple[int, int]) -> Fields | None:
    """The parts of what stands before the dot."""
    assert probed.checker is not None
    for item in probed.file.items:
        if not item.span.start <= place[0] <= item.span.end:
            continue
        for node in walk(item):
            if isinstance(node, tree.Attribute) and (node.name.span.start, node.name.span.end) == place:
                type_ = probed.checker.meanings.types.get((node.base.span.start, node.base.span.end))
                return tuple(_parts(type_)) if type_ is not None else ()
    return None


def _parts(type_: Type) -> Iterator[tuple[str, str]]:
    for member in members_of(type_):
        if isinstance(member, Tuple) and member.names:
            yield from ((n, shown(t)) for n, t in zip(member.names, member.fields, strict=True))
        elif isinstance(member, Cells) and member.rows:
            yield "row", f"0..{member.rows - 1}"
            yield "col", f"0..{member.cols - 1}"


def _values(analysis: Analysis, gap: Gap) -> Iterator[Proposal]:
    for type_ in members_of(gap.expected) if gap.expected is not None else ():
        element = getattr(type_, "element", type_)
        if isinstance(element, Enum):
            yield from (Proposal(member.name, "value", str(element), True) for member in element.members)
        elif isinstance(element, Cells):
            yield from (Proposal(name, "cell", str(element)) for name in element.names[:MOST_CELLS])
    yield from (
        Proposal(local.name, "local", "" if local.type is None else shown(local.type), True)
        for local in reversed(gap.locals)
    )
    yield from _global(analysis, "variable", "const", "param", "def", "feature", "type")
    if analysis.checker is not None:
        for name, places in analysis.checker.enums.items():
            yield Proposal(name, "value", str(places[0][0]))
    yield from (Proposal(name, "function", known.about) for name, known in LIBRARY.items())
    yield from (Proposal(word, "keyword") for word in (*_OPERATORS, "true", "false", "none"))


def _types(analysis: Analysis) -> Iterator[Proposal]:
    yield from _global(analysis, "type")
    for word in ("bool", "player", "set", "grid", "hex", "graph"):
        yield Proposal(word, "keyword")


def _statements(analysis: Analysis, gap: Gap) -> Iterator[Proposal]:
    yield from (Proposal(local.name, "local", "", True) for local in gap.locals if local.mutable)
    yield from _global(analysis, "variable", "effect")
    yield from (Proposal(word, "keyword") for word in _STATEMENTS)


def _choices(analysis: Analysis, gap: Gap) -> Iterator[Proposal]:
    yield from _global(analysis, "move", "policy")
    yield Proposal("random", "keyword", "any legal move")
    yield from (Proposal(local.name, "local") for local in gap.locals)
    yield from (Proposal(word, "keyword") for word in ("if", "for", "chance", "let", "return"))


def _global(analysis: Analysis, *kinds: str) -> Iterator[Proposal]:
    for kind in kinds:
        for name, symbol in analysis.names.globals.items():
            if symbol.kind == kind:
                yield Proposal(
                    name, kind, signature(analysis, symbol), kind in ("variable", "move", "effect")
                )


def _inside_comment(analysis: Analysis, offset: int) -> bool:
    return any(comment.start < offset <= comment.end for comment in analysis.tokens.comments)


def _unique(proposals: Iterator[Proposal]) -> list[Proposal]:
    found: dict[str, Proposal] = {}
    for proposal in proposals:
        if proposal.name != PLACEHOLDER:
            found.setdefault(proposal.name, proposal)
    return list(found.values())
