"""A name for the rules of a game: equal exactly where two Models play alike, whatever the text looked like.

Files that speak of positions (tablebases, policies) carry it, so that they are not used with other rules.
Places in the text, comments, pictures, features, policies and expectations do not change it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from gdl.model.nodes import Model

_RULES = (
    "name",
    "parameters",
    "players",
    "variables",
    "initial",
    "player",
    "terminal",
    "utility",
    "discount",
    "endless",
    "moves",
)
_NAMED = {"function": "functions", "effect": "effects", "table": "tables"}
"""Fields that name a part of the Model, and where it is: what the rules do not use does not count."""

_BESIDE_THE_POINT = frozenset(["span", "spans", "doc", "source", "text", "default"])


def digest(model: Model) -> str:
    """64 hexadecimal digits that name the rules and the values of their parameters."""
    return _digest(_Identity(model))


class _Identity:
    """A Model as a key of the cache: Models are not hashable."""

    def __init__(self, model: Model):
        self.model = model

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.model is other.model

    def __hash__(self) -> int:
        return id(self.model)


@lru_cache(maxsize=16)
def _digest(identity: _Identity) -> str:
    model = identity.model
    known: dict[int, str] = {}
    keep: list[Any] = []  # so that no id is used twice
    used: dict[tuple[str, str], None] = {}  # functions, effects, tables, in the order they are met

    def name_of(part: Any) -> str:
        """A short text for any part: its own text for plain values, else the digest of its pieces."""
        if part is None or isinstance(part, bool | int | float | str) or type(part).__name__ == "Fraction":
            return f"{type(part).__name__}:{part!r}"
        if isinstance(part, Enum):
            return f"{type(part).__name__}.{part.name}"
        if id(part) in known:
            return known[id(part)]
        if isinstance(part, Mapping):
            pieces = [f"{name_of(key)}={name_of(value)}" for key, value in part.items()]
        elif isinstance(part, tuple | list):
            pieces = [name_of(item) for item in part]
        elif isinstance(part, frozenset | set):
            pieces = sorted(name_of(item) for item in part)
        elif is_dataclass(part):
            for field, home in _NAMED.items():
                if isinstance(getattr(part, field, None), str):
                    used.setdefault((home, getattr(part, field)))
            pieces = [
                f"{f.name}={name_of(getattr(part, f.name))}"
                for f in fields(part)
                if f.name not in _BESIDE_THE_POINT
            ]
        else:
            pieces = [repr(part)]
        kind = type(part).__name__
        result = hashlib.sha256(f"{kind}({';'.join(pieces)})".encode()).hexdigest()
        known[id(part)] = result
        keep.append(part)
        return result

    rules = [f"{field}={name_of(getattr(model, field))}" for field in _RULES]
    done = 0
    while done < len(used):  # parts that are used may use others
        home, name = list(used)[done]
        rules.append(f"{home}.{name}={name_of(getattr(model, home)[name])}")
        done += 1
    return hashlib.sha256("\n".join(rules).encode()).hexdigest()
