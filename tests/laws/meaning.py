"""What a Model means, apart from where in the text it is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.model.nodes import Model


def meaning(model: Model) -> Any:
    """Equal for two Models that differ only in layout and in the order of their items.

    The order of moves, of variables and of the values of a type is part of the meaning.
    """
    unordered = ("parameters", "expectations", "warnings", "obligations")
    return {
        name: sorted(map(repr, part)) if name in unordered else part
        for name, part in _plain(model).items()
        if name != "doc"
    }


def _plain(part: Any) -> Any:
    match part:
        case Span() | Source():
            return None
        case Diagnostic():  # texts of the file are quoted in it
            return part.code
        case str():
            return re.sub(r"\(line \d+\)", "", part)
        case Mapping():
            return {key: _plain(value) for key, value in sorted(part.items())}
        case tuple() | list():
            return [_plain(item) for item in part]
        case _ if is_dataclass(part):
            named = {
                f.name: _plain(getattr(part, f.name)) for f in fields(part) if f.name not in ("span", "text")
            }
            return {"": type(part).__name__, **named}
        case _:
            return part
