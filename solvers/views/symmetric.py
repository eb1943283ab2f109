"""Positions that differ only by a symmetry of the rules are one position.

The symmetries are proven (`gdl/symmetry/`) and leave every player's part as it is, so such positions are
worth the same. A compiled game tells positions apart by their keys: here the key of a position is the least
of all positions that are the same but for a symmetry, and whatever is kept by keys, as whole games and
tablebases are, keeps one position of each class. Every position still finds its value; moves are judged by
what they lead to, so none has to be mapped back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl.game import Compiled, Game
from solvers.views.delegate import Delegate


class Symmetric(Delegate):
    """A compiled game with symmetries."""

    def __init__(self, base: Game[Any, Any]):
        super().__init__(base)
        self.compiled = SymmetricCode(base.compiled)  # type: ignore[attr-defined]


class SymmetricCode:
    """The machine code of a game (gdl.game.Compiled) whose keys are those of classes of positions."""

    def __init__(self, code: Compiled):
        self._code = code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._code, name)

    @property
    def packing(self) -> str:
        return f"{self._code.packing}{_CLASSES}{self._code.symmetries()}"

    def address(self, function: str) -> int:
        return self._code.address("canonical" if function == "pack" else function)

    def key(self, position: Any) -> bytes:
        return self._code.canonical_key(position)


_CLASSES = " by classes of "
"""In the name of a packing: whose keys are those of classes."""


def by_classes(header: Mapping[str, Any]) -> bool:
    """Whether a file says that it keeps one position of each class."""
    return _CLASSES in str(header.get("packing"))


def classes_of(game: Game[Any, Any]) -> int:
    """By how many symmetries positions are taken together; 1 where each stands for itself."""
    return game.compiled.symmetries() if isinstance(game, Symmetric) else 1


def may_be_reduced(game: Game[Any, Any]) -> bool:
    """Whether the values of symmetric positions are the same: where interests differ, the order of moves
    decides ties, and symmetries change it."""
    traits = game.traits
    alone_or_opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
    return alone_or_opposed and not traits.hidden and getattr(game, "compiled", None) is not None
