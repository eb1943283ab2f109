"""From tokens to the syntax tree, one item at a time, reporting every item's first mistake."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from lark import Lark, UnexpectedInput
from lark import Token as LarkToken
from lark import __version__ as lark_version
from lark.lexer import Lexer

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.diagnostics import wording as say
from gdl.paths import cache_directory, data_directory
from gdl.syntax import tree
from gdl.syntax.build import Build
from gdl.syntax.mistakes import explain
from gdl.syntax.moved import moved
from gdl.syntax.tokens import ITEM_WORDS, Token, Tokens, tokenize

Memory = dict[Hashable, tuple[int, tree.Item]]
"""The items of a text by their tokens, and where each started: what did not change is not parsed again."""


def parse(source: Source, memory: Memory | None = None) -> tuple[tree.File, tuple[Diagnostic, ...]]:
    """The syntax tree of a file, without the items that have mistakes, and the mistakes.

    A `memory` that is handed on from version to version of a text holds the items of this one afterwards.
    """
    tokens = tokenize(source)
    kept: Memory = {}
    diagnostics = list(tokens.diagnostics)
    items: list[tree.Item] = []
    build = Build(source)
    broken = {d.span.line for d in diagnostics if d.span}
    for chunk in _chunks(tokens):
        start = chunk[0].start
        key = memory is not None and tuple((t.kind, t.text, t.start - start, t.end - start) for t in chunk)
        if memory is not None and key in memory:
            before, item = memory[key]
            items.append(moved(item, source, start - before))
            kept[key] = start, items[-1]
            continue
        try:
            items.append(_parse_tokens(build, chunk, "item"))
            kept[key] = start, items[-1]
        except UnexpectedInput as error:
            # A token that could not be read already explains why its item does not parse.
            # (The end of a block stands in the line behind it.)
            if broken.isdisjoint(source.line_column(t.start)[0] for t in chunk if t.kind[0] != "_"):
                diagnostics.append(explain(source, chunk, error))
    if memory is not None:
        memory.clear()
        memory.update(kept)
    if not items and not diagnostics:
        diagnostics.append(say.empty_file(Span(source, 0, 0)))
    return tree.File(source, tuple(items)), tuple(diagnostics)


def parse_expression(source: Source, start: int, end: int) -> tree.Expr | Diagnostic:
    """The expression in source[start:end], as in a `{..}` of a text line."""
    inner = tokenize(Source(source.name, source.text[start:end]))
    if inner.diagnostics:
        return say.bad_interpolation(Span(source, start, end))
    moved = [Token(t.kind, t.text, t.start + start, t.end + start) for t in inner.tokens if t.kind[0] != "_"]
    if not moved:
        return say.bad_interpolation(Span(source, start - 1, end + 1))
    try:
        expression: tree.Expr = _parse_tokens(Build(source), moved, "expr")
    except UnexpectedInput as error:
        return explain(source, moved, error)
    return expression


def _chunks(tokens: Tokens) -> Iterator[list[Token]]:
    """The tokens of each top-level item: a line in the first column and the block below it."""
    chunk: list[Token] = []
    depth = 0
    for token in tokens.tokens:
        if token.kind == "_INDENT":
            depth += 1
        elif token.kind == "_DEDENT":
            depth -= 1
        elif depth == 0 and chunk and chunk[-1].kind in ("_NEWLINE", "_DEDENT"):
            yield chunk
            chunk = []
        chunk.append(token)
    if chunk:
        yield chunk


def _parse_tokens(build: Build, tokens: list[Token], start: str) -> Any:
    return build.transform(_parser().parse((build.source, tokens), start=start))


@cache
def _parser() -> Lark:
    grammar = (data_directory("grammar") / "gdl.lark").read_text(encoding="utf-8")
    options: dict[str, Any] = {
        "parser": "lalr",
        "lexer": ContextualWords,
        "start": ["item", "expr"],
        "propagate_positions": True,
        "maybe_placeholders": True,
    }
    # Building the tables takes half a second, reading them back a few hundredths.
    # Several versions of the program keep theirs side by side.
    directory: Path | None = cache_directory()
    if directory is not None:
        version = sha256(f"{lark_version} {grammar}".encode()).hexdigest()[:16]
        options["cache"] = str(directory / f"grammar-{version}")
    return Lark(grammar, **options)


RESERVED = frozenset(["if", "elif", "else", "for", "in", "not", "and", "or", "is", "let", "return"])
"""Words that are never names."""

_AS_NAME_BEFORE = frozenset(["=", "+=", "-=", "*=", "~", "[", ".", ",", ")", "]", "}", "=="])
"""A word that could be a keyword or a name is a name before these."""


class ContextualWords(Lexer):
    """Gives each token the terminal that the parser can use: a word is a keyword only where one fits."""

    __future_interface__ = True

    def __init__(self, conf: Any):
        self.fixed = {
            terminal.pattern.value: terminal.name
            for terminal in conf.terminals
            if terminal.pattern.type == "str"
        }

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[LarkToken]:
        _source, tokens = lexer_state.text
        table = parser_state.parse_conf.parse_table.states
        for i, token in enumerate(tokens):
            terminal = token.kind
            if terminal == "OP":
                terminal = self.fixed[token.text]
            elif terminal == "NAME" and token.text in self.fixed:
                accepted = table[parser_state.position]
                keyword = self.fixed[token.text]
                following = tokens[i + 1].text if i + 1 < len(tokens) else ""
                if (
                    keyword in accepted
                    and not (
                        "NAME" in accepted
                        and token.text not in RESERVED
                        and self._is_name(token.text, following)
                    )
                ) or token.text in RESERVED:
                    terminal = keyword
            yield LarkToken(
                terminal,
                token.text,
                start_pos=token.start,
                end_pos=token.end,
                line=i,
                column=0,
                end_line=i,
                end_column=0,
            )

    @staticmethod
    def _is_name(word: str, following: str) -> bool:
        if word in ("chance", "graph"):
            return following != ":"
        if word == "mixture":
            return following != "("
        if word == "set":
            return following != "of"
        return following in _AS_NAME_BEFORE or (following == "\n" and word not in ("break", "continue"))


__all__ = ["ITEM_WORDS", "parse", "parse_expression"]
