"""The canonical text of a game file.

The formatter moves white space and nothing else: the tokens of the result are those of the source, every
comment is kept, and formatting twice changes nothing more. The style:

- four spaces a level; a line continued inside brackets is indented by one level more than its statement,
  by two where a block follows; a closing bracket that starts a line lines up with its opening line;
- spaces around operators, except in `0..n-1`, `1/2`, `-x` and `name=value`;
- one blank line between items of different kinds, at most one anywhere else, none between the
  description and `game`;
- comments behind code two spaces away, or in the column that several of them share;
- the outcomes of a `chance:` block that fit on their lines have their bodies in one column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import pairwise

from gdl.diagnostics import GameError, Source, Span
from gdl.diagnostics import wording as say
from gdl.diagnostics.columns import TAB, width
from gdl.syntax import tree
from gdl.syntax.parse import parse
from gdl.syntax.tokens import Comment, Token, Tokens, tokenize

INDENT = 4
WIDEST_PADDING = 16
"""Bodies of outcomes are put in one column unless that leaves a wider gap than this."""


def format_text(source: Source) -> str:
    """The file in canonical form; raises GameError with the diagnostics of a file that does not parse."""
    source = _without_tabs(source)
    file, diagnostics = parse(source)
    if diagnostics:
        raise GameError(diagnostics)
    tokens = tokenize(source)
    rows = _rows(source, _lines(tokens), _Spacing.of(file, tokens))
    _separate(rows)
    _align_outcomes(rows)
    text = "".join(_place_comments(rows))
    formatted = tokenize(Source(source.name, text))
    if formatted.diagnostics:  # a line that was just short enough to be read, and is too long with spaces
        raise GameError(formatted.diagnostics)
    assert _meaning(formatted) == _meaning(tokens), "the formatter changed a token"
    return text


def _meaning(tokens: Tokens) -> tuple[list[tuple[str, str]], list[str]]:
    """All that a parser can see of a file, and its comments."""
    return [(t.kind, t.text) for t in tokens.tokens], [c.text for c in tokens.comments]


def _without_tabs(source: Source) -> Source:
    """Tabs in the indentation become spaces; GameError where their width decides what is in which block."""
    tabs = [d.span for d in tokenize(source).diagnostics if d.code == "S007" and d.span]
    if not tabs:
        return source
    narrow, wide = (_expand(source, tabs, size) for size in (TAB, 2 * TAB))
    if _meaning(tokenize(narrow)) != _meaning(tokenize(wide)):
        raise GameError([say.tab_of_unclear_width(span) for span in tabs])
    return narrow


def _expand(source: Source, tabs: Sequence[Span], size: int) -> Source:
    pieces, at = [], 0
    for span in tabs:
        pieces += [source.text[at : span.start], span.text.expandtabs(size)]
        at = span.end
    return Source(source.name, "".join([*pieces, source.text[at:]]))


# ------------------------------------------------------------ from tokens to logical lines


@dataclass(slots=True)
class _Line:
    """A statement or the header of a block with the comments inside it; or a comment on its own."""

    depth: int
    parts: list[Token | Comment]
    outcome_of: int | None = None  # the `chance:` block of which this is an outcome, by its number
    opens: bool = False  # whether a block follows

    @property
    def item(self) -> str | None:
        """The kind of item that starts here."""
        first = self.parts[0]
        if self.depth or isinstance(first, Comment):
            return None
        if first.kind != "NAME":
            return "doc"
        return "move" if first.text == "secret" else first.text

    @property
    def is_chance(self) -> bool:
        return [part.text for part in self.parts if isinstance(part, Token)] == ["chance", ":"]


def _lines(tokens: Tokens) -> list[_Line]:
    text = tokens.source.text
    lines: list[_Line] = []
    parts: list[Token | Comment] = []
    waiting: list[tuple[Comment, int]] = []  # comments on their own, and the block that they stand under
    widths = [0]  # the indentation of the open blocks
    chances: list[int | None] = [None]  # which of them list outcomes
    events: list[Token | Comment] = [*tokens.tokens, *tokens.comments]
    events.sort(key=lambda event: event.start)

    def place_comments(depth: int) -> None:
        # Between two blocks a comment belongs to the one it is indented for.
        lines.extend(_Line(max(depth, under), [comment]) for comment, under in waiting)
        waiting.clear()

    for event in events:
        if isinstance(event, Comment):
            if parts:
                parts.append(event)
            elif not event.alone:
                lines[-1].parts.append(event)
            else:
                column = width(text[text.rfind("\n", 0, event.start) + 1 : event.start])
                waiting.append((event, max(i for i, w in enumerate(widths) if w <= column)))
        elif event.kind == "_INDENT":
            lines[-1].opens = True
            widths.append(event.end - event.start)
            chances.append(event.start if lines[-1].is_chance else None)
        elif event.kind == "_DEDENT":
            widths.pop()
            chances.pop()
        elif event.kind == "_NEWLINE":
            lines.append(_Line(len(widths) - 1, parts, chances[-1]))
            parts = []
        else:
            if not parts:
                place_comments(len(widths) - 1)
            parts.append(event)
    place_comments(0)
    return lines


# ------------------------------------------------------------- spaces between tokens

_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_PRODUCTS = frozenset(["*", "/", "**", "div", "mod"])
_ARITHMETIC = _PRODUCTS | {"+", "-"}
_WITH_ARGUMENT = frozenset(
    ["utility", "show", "minimise", "stuck", "moves", "endless", "evaluate", "list", "bag", "mixture"]
)


@dataclass(frozen=True, slots=True)
class _Spacing:
    """What the parser made of tokens that look alike, by the offset at which each starts."""

    names: frozenset[int]  # words that are names, not keywords
    signs: frozenset[int]  # minus signs before an operand
    tight: frozenset[int]  # operators without spaces

    @classmethod
    def of(cls, file: tree.File, tokens: Tokens) -> _Spacing:
        names: set[int] = set()
        signs: set[int] = set()
        keywords: set[int] = set()
        bounds: list[Span] = []
        for node in _nodes(file):
            match node:
                case tree.Name(span=span):
                    names.add(span.start)
                case tree.Minus(span=span):
                    signs.add(span.start)
                case tree.Number(value=value, span=span) if value < 0:
                    signs.add(span.start)
                case tree.Argument(name=str(), span=span):
                    keywords.add(span.start)
                case tree.Range(lo=lo, hi=hi):
                    bounds += [lo.span, hi.span]
        all_ = tokens.tokens
        tight = {b.start for a, b in pairwise(all_) if a.start in keywords}
        tight |= _literal_fractions(all_) | _bound_operators(all_, bounds)
        return cls(frozenset(names), frozenset(signs), frozenset(tight - signs))

    def join(self, tokens: Sequence[Token]) -> str:
        """The tokens of one row with the spaces that belong between them."""
        pieces = [token.text for token in tokens[:1]]
        for before, token in pairwise(tokens):
            pieces.append(" " + token.text if self.apart(before, token) else token.text)
        return "".join(pieces)

    def apart(self, before: Token, token: Token) -> bool:
        if token.kind == "OP" and token.text in (",", ":", "?", ".", "..", ")", "]", "}"):
            return False
        if before.kind == "OP" and before.text in (".", "..", "(", "[", "{"):
            return False
        if before.start in self.signs or {before.start, token.start} & self.tight:
            return False
        return not (token.kind == "OP" and token.text in ("(", "[") and self.takes_brackets(before))

    def takes_brackets(self, token: Token) -> bool:
        """Whether brackets behind the token are its arguments or indices."""
        if token.kind == "NAME":
            return token.start in self.names or token.text in _WITH_ARGUMENT
        return token.kind == "OP" and token.text in _CLOSING


def _nodes(file: tree.File) -> Iterator[object]:
    """Every node of the tree; without recursion, because sums may be long."""
    stack: list[object] = [*file.items]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node) and not isinstance(node, Span):
            yield node
            stack.extend(getattr(node, field.name) for field in fields(node))


def _literal_fractions(tokens: Sequence[Token]) -> set[int]:
    """The `/` of `1/2`, unless it belongs to a longer product, as in `x * 1 / 2`."""
    found = set()
    for i in range(1, len(tokens) - 1):
        left, slash, right = tokens[i - 1 : i + 2]
        if slash.text == "/" and left.kind == right.kind == "NUMBER":
            before = tokens[i - 2].text if i > 1 else ""
            after = tokens[i + 2].text if i + 2 < len(tokens) else ""
            if before not in _PRODUCTS and after != "**":
                found.add(slash.start)
    return found


def _bound_operators(tokens: Sequence[Token], bounds: Iterable[Span]) -> set[int]:
    """The operators that stand directly in a bound of a range such as `0..n-1`, not deeper in brackets.

    A bound with `div` or `mod`, which need their spaces, keeps all of its spaces.
    """
    index = {token.start: i for i, token in enumerate(tokens) if token.text}
    found: set[int] = set()
    for bound in bounds:
        depth = 0
        operators: list[Token] = []
        for i in range(index[bound.start], len(tokens)):
            token = tokens[i]
            if token.start >= bound.end:
                break
            if token.kind == "OP" and token.text in _OPENING:
                depth += 1
            elif token.kind == "OP" and token.text in _CLOSING:
                depth -= 1
            elif depth == 0 and token.text in _ARITHMETIC:
                operators.append(token)
        if all(token.kind == "OP" for token in operators):
            found |= {token.start for token in operators}
    return found


# ------------------------------------------------------------- from logical lines to rows


@dataclass(slots=True)
class _Row:
    """One line of the result."""

    line: _Line
    first: bool  # whether the logical line starts here
    indent: int
    code: str
    body: int | None  # where in the code of an outcome its body starts
    blank: bool  # whether a blank line stands before it
    comment: Comment | None
    column: int  # of the comment, in the source

    @property
    def end(self) -> int:
        """The column behind the code."""
        above, _, last = self.code.rpartition("\n")
        return width(last) if above else self.indent + width(last)


def _rows(source: Source, lines: Iterable[_Line], spacing: _Spacing) -> list[_Row]:
    text = source.text
    rows: list[_Row] = []
    end = 0
    for line in lines:
        indents: list[int] = []  # of the rows of this line
        opened: list[int] = []  # in which of them each open bracket was opened
        physical = _physical(text, line.parts)
        for number, parts in enumerate(physical):
            tokens = [part for part in parts if isinstance(part, Token)]
            comment = parts[-1] if isinstance(parts[-1], Comment) else None
            indents.append(_indent(line, indents, opened, tokens))
            _track_brackets(opened, tokens, number)
            head = _head(tokens) if line.outcome_of is not None and len(physical) == 1 else None
            rows.append(
                _Row(
                    line,
                    number == 0,
                    indents[-1],
                    spacing.join(tokens),
                    len(spacing.join(head)) + 1 if head else None,
                    bool(rows) and text.count("\n", end, parts[0].start) > 1,
                    comment,
                    width(text[text.rfind("\n", 0, comment.start) + 1 : comment.start]) if comment else 0,
                )
            )
            end = parts[-1].end
    return rows


def _physical(text: str, parts: Sequence[Token | Comment]) -> list[list[Token | Comment]]:
    """The parts of a logical line by the lines on which the author put them."""
    physical = [[parts[0]]]
    for before, part in pairwise(parts):
        if "\n" in text[before.end : part.start]:
            physical.append([])
        physical[-1].append(part)
    return physical


def _indent(line: _Line, indents: Sequence[int], opened: Sequence[int], tokens: Sequence[Token]) -> int:
    if not indents:
        return INDENT * line.depth
    if opened and tokens and tokens[0].text in _CLOSING:
        return indents[opened[-1]]
    return INDENT * (line.depth + len(set(opened)) + line.opens)


def _track_brackets(opened: list[int], tokens: Iterable[Token], row: int) -> None:
    for token in tokens:
        if token.kind == "OP" and token.text in _OPENING:
            opened.append(row)
        elif token.kind == "OP" and token.text in _CLOSING:
            opened.pop()


def _head(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """`1/2:` of the outcome `1/2: x = 1`; None where the body is not on the line."""
    opened: list[int] = []
    for i, token in enumerate(tokens):
        _track_brackets(opened, [token], 0)
        if token.text == ":" and not opened:
            return tokens[: i + 1] if i + 1 < len(tokens) else None
    return None


# -------------------------------------------------------- what rows have to do with each other


def _separate(rows: Sequence[_Row]) -> None:
    """Sets the blank lines."""
    for before, row in pairwise(rows):
        starts_block = row.first and row.line.depth > before.line.depth
        closes = not row.first and row.code[:1] in _CLOSING
        row.blank = row.blank and not starts_block and not closes
    kind: str | None = None
    since: list[_Row] = []  # the comments between two items
    for row in rows:
        if not row.first or row.line.depth:
            continue
        since.append(row)
        if row.line.item is None:
            continue
        if (kind, row.line.item) == ("doc", "game") and len(since) == 1:
            row.blank = False
        elif kind not in (None, row.line.item) and not any(between.blank for between in since):
            since[0].blank = True
        kind = row.line.item
        since = []


def _align_outcomes(rows: Iterable[_Row]) -> None:
    """Puts the bodies of the outcomes of each `chance:` block in one column."""
    blocks: defaultdict[int, list[tuple[_Row, int]]] = defaultdict(list)
    for row in rows:
        if row.line.outcome_of is not None and row.body is not None:
            blocks[row.line.outcome_of].append((row, row.body))
    for outcomes in blocks.values():
        heads = [width(row.code[:body]) for row, body in outcomes]
        if max(heads) - min(heads) <= WIDEST_PADDING:
            for (row, body), head in zip(outcomes, heads, strict=True):
                row.code = row.code[:body] + " " * (max(heads) - head) + row.code[body:]


def _place_comments(rows: Sequence[_Row]) -> Iterator[str]:
    """The rows as text, with their comments."""
    sharing: defaultdict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.comment and row.code:
            sharing[row.column].append(row)
    columns = {}
    for column, sharers in sharing.items():
        fits = max(row.end + 2 for row in sharers)
        columns[column] = max(fits, column) if len(sharers) > 1 else fits
    for row in rows:
        if row.blank:
            yield "\n"
        yield " " * row.indent + row.code
        if row.comment and row.code:
            yield " " * (columns[row.column] - row.end)
        yield (row.comment.text if row.comment else "") + "\n"
