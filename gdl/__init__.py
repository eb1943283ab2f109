"""A language for games: write the rules as text, get exact and native engines and generic solvers.

>>> import gdl
>>> game = gdl.load("pig", goal=20)
>>> play = gdl.Play(game)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Light, and first: importing the module later would put it in the place of the function.
from gdl.loading import load, loads

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gdl.diagnostics import GameError
    from gdl.playing.play import Play

__all__ = ["GameError", "Play", "__version__", "load", "loads"]

_HOMES = {"Play": "gdl.playing.play", "GameError": "gdl.diagnostics"}


def __getattr__(name: str) -> Any:
    """Imports a part of the library when it is first used, so that `import gdl` stays cheap."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'gdl' has no attribute {name!r}")
