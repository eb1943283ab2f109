"""Another name for a symbol, wherever it occurs."""

from __future__ import annotations

import re

from gdl.diagnostics import Edit
from gdl.lsp.analysis import Analysis
from gdl.lsp.library import LIBRARY
from gdl.lsp.names import BUILT_IN, Occurrence
from gdl.syntax.parse import RESERVED


class CannotRename(Exception):
    """Why a name stays as it is, in words for the author."""


def renamable(analysis: Analysis, offset: int) -> Occurrence:
    """The name at a place, if it can be changed. Raises CannotRename."""
    found = analysis.at(offset)
    if found is None:
        raise CannotRename("there is no name here")
    if not found.symbol.renamable:
        raise CannotRename(f"`{found.symbol.name}` is not declared in this file as a name of its own")
    if analysis.mistaken:
        raise CannotRename("mend the mistakes of the file first: only then it is known what each name means")
    return found


def rename(analysis: Analysis, offset: int, name: str) -> list[Edit]:
    """The edits that give the symbol at a place another name. Raises CannotRename."""
    found = renamable(analysis, offset)
    if not re.fullmatch(r"[^\W\d]\w*", name) or name in RESERVED:
        raise CannotRename(f"`{name}` cannot be a name")
    if name in BUILT_IN or name in LIBRARY:
        raise CannotRename(f"`{name}` already means something in every game")
    if name != found.symbol.name and any(o.symbol.name == name for o in analysis.names.all):
        raise CannotRename(f"the file has another `{name}`")
    return [Edit(o.span, name) for o in analysis.names.of(found.symbol)]
