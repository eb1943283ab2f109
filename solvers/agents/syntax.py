"""Reading agent descriptions: `mcts(simulations=500)`, `mixture(0.8: minimax(depth=2), 0.2: random)`.

    description  ->  name [ "(" [ argument { "," argument } ] ")" ]  |  kind ":" file
    kind         ->  "policy"  |  "tablebase"  |  "learned"
    argument     ->  name "=" value  |  weight ":" description  |  value
    value        ->  number  |  description
    number       ->  12  |  0.8  |  4/5  |  1.5e-3, with "-" before a negative one

Only the form is read here; `solvers.agents.kinds` says which names and options there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from gdl.diagnostics import Diagnostic, GameError, Severity, Source, Span
from gdl.diagnostics.wording.phrases import listing, near

DEEPEST = 20
"""Descriptions nested deeper than this are refused."""


@dataclass(frozen=True, slots=True)
class Description:
    """A name with arguments, or with a file, and where it stands in the text."""

    name: str
    arguments: tuple[Argument, ...]
    span: Span
    file: str = ""

    def __str__(self) -> str:
        if self.file:
            return f"{self.name}:{self.file}"
        return self.name + (f"({', '.join(map(str, self.arguments))})" if self.arguments else "")


@dataclass(frozen=True, slots=True)
class Argument:
    """An option (`key`), a part of a mixture (`weight`), or a bare value."""

    key: str | None
    weight: Fraction | None
    value: Description | Fraction | str  # text: a size of memory
    span: Span

    def __str__(self) -> str:
        before = (
            f"{self.key}=" if self.key is not None else f"{self.weight}: " if self.weight is not None else ""
        )
        return f"{before}{self.value}"


def parse_description(text: str) -> Description:
    """The description that the text means; raises GameError A001 where it means none."""
    return _Parser(text).whole()


def complaint(code: str, span: Span, message: str, hint: str | None = None) -> GameError:
    """The error for one place in a description.

    A001 malformed, A002 unknown agent, A003 unknown option, A004 wrong value of an option, A005 weights of a
    mixture, A006 nested too deeply, A007 option given twice.
    """
    return GameError([Diagnostic(code, Severity.ERROR, message, span, hint=hint)])


def unknown(code: str, what: str, name: str, known: Iterable[str], span: Span) -> GameError:
    """The error for a name that is not known, with the one that may have been meant and all there are."""
    names = list(known)
    match = near(name, names)
    every = f"known: {listing(names, most=len(names))}" if names else "there are none"
    return complaint(code, span, f"{what} `{name}`", f"did you mean `{match}`? {every}" if match else every)


class _Token(NamedTuple):
    kind: str  # "name", "number", "size", "file", a punctuation mark, or "end"
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_FILE = r"(?P<file>(?:policy|tablebase|learned):(?=\S)[^\s,()]+)"
_POWER = r"[eE][+-]?\d{1,3}(?!\w)"  # three digits are more than floats have, and few enough to be written out
_SIZE = r"(?P<size>\d+(?:\.\d+)?\s*[kKMGT]i?B?(?!\w))"
_TOKEN = re.compile(
    rf"\s*(?:{_FILE}|{_SIZE}|(?P<number>-?\s*\d+(?:\.\d+(?:{_POWER})?|{_POWER}|\s*/\s*\d+)?)|(?P<name>[^\W\d]\w*)|(?P<mark>[(),=:]))"
)


class _Parser:
    def __init__(self, text: str):
        self.source = Source("<agent>", text)
        self.text = text
        self.tokens = self.tokenised()
        self.next = 0
        self.depth = 0

    def tokenised(self) -> list[_Token]:
        tokens = []
        offset = 0
        while self.text[offset:].strip():
            match = _TOKEN.match(self.text, offset)
            if match is None:
                start = offset + len(self.text[offset:]) - len(self.text[offset:].lstrip())
                symbol = self.text[start]
                raise complaint("A001", self.span(start, start + 1), f"`{symbol}` means nothing in an agent")
            kind = match.lastgroup or ""
            word = match.group(kind)
            tokens.append(_Token(word if kind == "mark" else kind, word, match.start(kind)))
            offset = match.end()
        tokens.append(_Token("end", "", len(self.text)))
        return tokens

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def take(self, kind: str, wanted: str) -> _Token:
        token = self.token
        if token.kind != kind:
            found = f"`{token.text}`" if token.text else "the end"
            raise complaint("A001", self.span(token.start, token.end), f"expected {wanted}, found {found}")
        self.next += 1
        return token

    def whole(self) -> Description:
        description = self.description()
        self.take("end", "`(` or the end")
        return description

    def description(self) -> Description:
        if self.token.kind == "file":
            token = self.take("file", "a file")
            kind, _, file = token.text.partition(":")
            return Description(kind, (), self.span(token.start, token.end), file)
        name = self.take("name", "the name of an agent, such as `random` or `mcts(simulations=500)`")
        self.depth += 1
        if self.depth > DEEPEST:
            raise complaint("A006", self.span(name.start, name.end), "this is nested too deeply")
        arguments: list[Argument] = []
        end = name.end
        if self.token.kind == "(":
            self.next += 1
            while self.token.kind != ")":
                if arguments:
                    self.take(",", "`,` or `)`")
                arguments.append(self.argument())
            end = self.take(")", "`)`").end
        self.depth -= 1
        return Description(name.text, tuple(arguments), self.span(name.start, end))

    def argument(self) -> Argument:
        start = self.token.start
        key = weight = None
        after = self.tokens[min(self.next + 1, len(self.tokens) - 1)].kind
        if self.token.kind == "name" and after == "=":
            key = self.token.text
            self.next += 2
        elif self.token.kind == "number" and after == ":":
            weight = self.number()
            self.next += 1
        value: Description | Fraction | str
        if self.token.kind == "size":
            value = self.take("size", "a size").text
        else:
            value = self.number() if self.token.kind == "number" else self.description()
        return Argument(key, weight, value, self.span(start, self.tokens[self.next - 1].end))

    def number(self) -> Fraction:
        token = self.take("number", "a number")
        try:
            return Fraction("".join(token.text.split()))
        except ZeroDivisionError:
            raise complaint(
                "A001", self.span(token.start, token.end), f"`{token.text}` divides by 0"
            ) from None
