"""The parameters of a game as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl.model.nodes import Model


def parameters(model: Model) -> dict[str, str]:
    """The parameters of a game with their values."""
    from gdl.model.types import show_value

    return {p.name: show_value(p.type, p.value) for p in model.parameters}


def parameters_shown(model: Model) -> str:
    """`, goal=20, faces=6`, to follow the name of a game; nothing where it has no parameters."""
    return "".join(f", {name}={value}" for name, value in parameters(model).items())
