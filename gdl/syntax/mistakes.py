"""Why an item does not parse: the commonest mistakes, each with its own message and fix."""

from __future__ import annotations

from lark import UnexpectedInput, UnexpectedToken

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.diagnostics import wording as say
from gdl.syntax.habits import habit
from gdl.syntax.tokens import ITEM_WORDS, Token

_HEADERS = frozenset(
    "players position initial player terminal utility minimise stuck limit endless discount def effect move "
    "secret policy feature evaluate show if elif else for while chance".split()
)
_CONDITIONS = frozenset("if elif for while when weight".split())
_INSTEAD = {
    "elseif": "elif",
    "elsif": "elif",
    "foreach": "for",
    "def": "def",
    "lambda": "def",
    "var": "let",
    "xor": "!=",
    "import": "use",
    "class": "type",
    "enum": "type",
    "switch": "if",
    "return": "return",
    "del": "none",
}
_COMPOUND = frozenset(["/", "**", "|", "&", "div", "mod"])
"""Operators that have no form with `=`, as `+=` is one of `+`."""

FUNCTIONS = frozenset(
    "next previous min max abs sign rank value count distinct subsets top sum any all first lines ray step "
    "neighbours surrounding directions orthogonal diagonal reachable connected".split()
)
"""Functions of the library, which somebody might call without brackets."""

_BRACKETS = {")": "(", "]": "[", "}": "{"}


def explain(source: Source, tokens: list[Token], error: UnexpectedInput) -> Diagnostic:
    """The diagnostic for the first place at which the tokens of an item stop making sense."""
    at = _index(tokens, error)
    found = tokens[at] if at < len(tokens) else None
    before = tokens[at - 1] if at else None
    line = _line(tokens, at)
    accepted = set(error.accepts or error.expected) if isinstance(error, UnexpectedToken) else set()

    def span(token: Token) -> Span:
        return Span(source, token.start, max(token.end, token.start + 1))

    here = span(found) if found else Span(source, tokens[-1].end, tokens[-1].end + 1)
    if found is None:
        if "_INDENT" in accepted:
            return say.missing_body(_line_span(source, tokens, at - 1), f"`{_header(tokens, at - 1)}`")
        return say.unexpected_end(here, _names(accepted))

    if at == 0:
        if found.kind == "_INDENT":
            return say.unexpected_indent(span(tokens[1]))
        return say.unknown_item(here, found.text, sorted(ITEM_WORDS))

    if (known := habit(source, tokens, at, line)) is not None:
        return known
    first = line[0]
    if found.kind == "_INDENT":
        if before and before.kind == "_NEWLINE" and _needs_colon(tokens, at - 1):
            return say.missing_colon(span(tokens[at - 2]), _header(tokens, at - 1))
        return say.unexpected_indent(span(tokens[at + 1]))
    if first.text == "while" and "AT" in accepted and found.text in (":", "\n"):
        return say.while_without_bound(Span(source, first.start, tokens[at - 1].end))
    if found.text == ":" and at + 1 < len(tokens) and tokens[at + 1].text == "=":
        return say.colon_assign(here | span(tokens[at + 1]))
    if found.text == "=" and found.kind == "OP":
        if before and before.text in ("=", "!", "<", ">"):
            return say.unexpected(here, "`=`", _names(accepted))
        if "COLON" in accepted and _opens_body(line, found):
            return say.equals_for_colon(here, _header(tokens, at))
        if before and before.text in _COMPOUND and (target := _target(line[: line.index(before)])):
            whole = Span(source, target[0].start, target[-1].end)
            return say.compound_assignment(span(before) | here, whole.text)
        if (before and before.text in ("+", "-")) or "EQUAL" not in accepted:
            return say.equals_for_test(here)
    if found.kind == "_NEWLINE":
        if "COLON" in accepted and _needs_colon(tokens, at):
            return say.missing_colon(span(tokens[at - 1]), _header(tokens, at))
        if accepted <= {"ELSE"} or (accepted == {"ELSE"} and first.text != "else"):
            return say.missing_else(_conditional_if(source, line) or here)
        return say.unexpected_end(span(tokens[at - 1]), _names(accepted))
    if before and before.kind == "_NEWLINE" and "_INDENT" in accepted:
        return say.missing_body(_line_span(source, tokens, at - 1), f"`{_header(tokens, at - 1)}`")
    if found.kind == "_DEDENT" and before and before.kind == "_NEWLINE":
        return say.missing_body(_line_span(source, tokens, at - 1), f"`{_header(tokens, at - 1)}`")
    if found.text == "if" and before and before.text == "else":
        return say.else_if(span(before) | here)
    if before and found.text == before.text and found.text in ("+", "-"):
        return say.increment_operator(span(before) | here)
    if found.text == "for":
        if any(token.text == "for" for token in line[: line.index(found)]):
            return say.second_for(here)
        return say.missing_parenthesis_for(here)
    if found.text == "of" and before and before.text == "set":
        return say.type_in_expression(span(before) | here)
    if found.text == "in" and "COLON" in accepted and before and before.kind == "NAME":
        return say.in_for_colon(here, before.text)
    if found.kind == "NAME":
        if before and before.kind == "NAME" and before.text in _INSTEAD:
            return say.python_word(span(before), before.text, _INSTEAD[before.text])
        if found.text in _INSTEAD:
            return say.python_word(here, found.text, _INSTEAD[found.text])
        if (
            "COLON" in accepted
            and "NAME" not in accepted
            and first.text in _HEADERS
            and _is_statement(tokens, at)
        ):
            return say.missing_colon(span(tokens[at - 1]), first.text)
    if found.kind in ("NAME", "NUMBER") and before and before.text in FUNCTIONS and "LPAR" in accepted:
        return say.missing_brackets(span(before) | span(_operand(tokens, at)), before.text)
    if found.kind in ("NAME", "NUMBER", "STRING") and "COMMA" in accepted and _is_operand(before):
        return say.missing_comma(here)
    if first.text in ("use", "game") and _is_path(tokens):
        return say.path_for_name(_line_span(source, tokens, at), first.text)
    if accepted == {"NAME"} and found.kind != "NAME" and before:
        return say.missing_name(here, f"`{before.text}`")
    if accepted == {"ELSE"}:
        return say.missing_else(_conditional_if(source, line) or here)
    return say.unexpected(here, f"`{found.text}`", _names(accepted))


def _index(tokens: list[Token], error: UnexpectedInput) -> int:
    position = getattr(getattr(error, "token", None), "start_pos", None)
    kind = getattr(getattr(error, "token", None), "type", None)
    if position is None or kind == "$END":
        return len(tokens)
    # The token's line is its number among the tokens of the item (see ContextualWords).
    return int(error.token.line)  # type: ignore[attr-defined]


def _line(tokens: list[Token], at: int) -> list[Token]:
    """The tokens of the logical line around a token."""
    start = at
    while start > 0 and tokens[start - 1].kind not in ("_NEWLINE", "_INDENT", "_DEDENT"):
        start -= 1
    end = at
    while end < len(tokens) and tokens[end].kind not in ("_NEWLINE", "_INDENT", "_DEDENT"):
        end += 1
    return tokens[start : end + 1]


def _line_span(source: Source, tokens: list[Token], newline: int) -> Span:
    line = _line(tokens, newline)
    return Span(source, line[0].start, line[-1].start)


def _header(tokens: list[Token], newline: int) -> str:
    line = _line(tokens, newline)
    words = [t.text for t in line if t.kind == "NAME"]
    return " ".join(
        words[: 2 if words and words[0] in ("def", "effect", "move", "policy", "feature", "type") else 1]
    )


def _needs_colon(tokens: list[Token], newline: int) -> bool:
    line = _line(tokens, newline)
    return line[0].text in _HEADERS and not any(token.text == ":" for token in _outside_brackets(line))


def _opens_body(line: list[Token], equals: Token) -> bool:
    """Whether the `=` stands where the `:` of a declaration belongs, not in a condition."""
    head = line[: line.index(equals)]
    return head[0].text in _HEADERS and not any(token.text in _CONDITIONS for token in head)


def _target(head: list[Token]) -> list[Token]:
    """What stands before an assignment: all of the line, or what follows the `:` of its header."""
    colons = [head.index(token) for token in _outside_brackets(head) if token.text == ":"]
    return head[colons[-1] + 1 :] if colons else head


def _outside_brackets(line: list[Token]) -> list[Token]:
    found, depth = [], 0
    for token in line:
        depth += (token.text in "([{" and token.kind == "OP") - (token.text in _BRACKETS)
        if depth == 0:
            found.append(token)
    return found


def _is_statement(tokens: list[Token], at: int) -> bool:
    return any(t.text in ("=", "+=", "-=", "*=", "~") for t in _line(tokens, at)) or tokens[at].text in (
        "return",
        "let",
    )


def _is_operand(token: Token | None) -> bool:
    return token is not None and (token.kind in ("NAME", "NUMBER", "STRING") or token.text in _BRACKETS)


def _is_path(tokens: list[Token]) -> bool:
    """Whether what is borrowed is written as a path, or in quotes."""
    behind = tokens[1:] if tokens[0].text == "use" else tokens[3:]
    return any(token.text in (".", "..", "/") or token.kind == "STRING" for token in behind)


def _operand(tokens: list[Token], at: int) -> Token:
    """The last token of the operand that starts here: a name with the brackets that follow it."""
    depth = 0
    for token, following in zip(tokens[at:], tokens[at + 1 :], strict=False):
        depth += (token.kind == "OP" and token.text in "([{") - (token.text in _BRACKETS)
        if depth == 0 and following.text not in ("[", "("):
            return token
    return tokens[at]


def _conditional_if(source: Source, line: list[Token]) -> Span | None:
    for token in line:
        if token.text == "if":
            return Span(source, token.start, token.end)
    return None


_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "text",
    "_NEWLINE": "the end of the line",
    "_INDENT": "an indented block",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
}


def _names(accepted: set[str]) -> list[str]:
    """What could have stood here, in a few words."""
    if {"NAME", "NUMBER", "LPAR"} <= accepted:
        return ["an expression"]
    names = [_WORDS[a] for a in _WORDS if a in accepted]
    words = [
        f"`{a.lower()}`"
        for a in sorted(accepted)
        if a.isupper() and a not in _WORDS and a.lower() in _KEYWORDS
    ]
    result = names + words
    return result if len(result) <= 5 else []


_KEYWORDS = frozenset("else in of to if when weight otherwise after within from visible as is".split())
