"""All that is known of one version of a text: tree, diagnostics, types, and what each name means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gdl.borrowing import read_whole
from gdl.check import Checker, check_closely
from gdl.diagnostics import Diagnostic, Severity, Source, Span, sort_diagnostics
from gdl.loading import with_mistakes
from gdl.lsp.names import KINDS, Names, Occurrence, Symbol, names_of
from gdl.lsp.positions import Positions
from gdl.model.nodes import Model
from gdl.syntax import tree
from gdl.syntax.parse import Memory
from gdl.syntax.tokens import Tokens, tokenize


@dataclass
class Analysis:
    """Everything about a text, worked out when it is asked for; the text itself never changes."""

    source: Source
    file: tree.File
    checker: Checker | None  # None where nothing could be read
    model: Model | None
    diagnostics: tuple[Diagnostic, ...]
    encoding: str = "utf-16"
    readable: bool = field(default=True)  # whether every item could be read
    borrowed: Mapping[Source, Span] = field(default_factory=dict)  # texts, and the names they are read by

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.source.text, self.encoding)

    @cached_property
    def tokens(self) -> Tokens:
        return tokenize(self.source)

    @cached_property
    def names(self) -> Names:
        return names_of(self.file, self.checker)

    @property
    def mistaken(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.diagnostics)

    def at(self, offset: int) -> Occurrence | None:
        """The name at, or just before, a place."""
        return self.names.at(offset)

    def declaration(self, symbol: Symbol) -> Span | None:
        """Where something is declared, in this text or in one that it borrows from; of a name of such a text
        its beginning."""
        if symbol.kind == "file":
            read = (text for text, name in self.borrowed.items() if name.text == symbol.name)
            return next((Span(text, 0, 0) for text in read), None)
        name = getattr(symbol.node, "name", None)
        return symbol.span or (
            name.span if isinstance(name, tree.Name) and symbol.kind in KINDS.values() else None
        )

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)


def analyse(text: str, name: str, memory: Memory | None = None, encoding: str = "utf-16") -> Analysis:
    """What there is to know of a text. `memory` saves parsing what an earlier version had too.

    What the text borrows from other files is read from the folder of `name`, if that is a path.
    """
    path = Path(name)
    source = Source(name, text, path if path.is_absolute() else None)
    whole = read_whole(source, memory)
    mistakes = tuple(map(whole.brought_home, whole.mistakes))
    if mistakes and not whole.file.items:
        return Analysis(source, whole.own, None, None, sort_diagnostics(mistakes), encoding, False)
    model, found, checker = check_closely(whole.file)
    diagnostics = with_mistakes(mistakes, tuple(map(whole.brought_home, found)))
    return Analysis(
        source,
        whole.own,
        checker,
        None if mistakes else model,
        diagnostics,
        encoding,
        not mistakes,
        whole.named,
    )
