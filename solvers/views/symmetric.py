"""Positions that differ only by a symmetry of the rules are one position.

The symmetries are proven (`gdl/symmetry/`) and leave every player's part as it is, so such positions are worth the
same. A compiled game tells positions apart by their keys: here the key of a position is the least of all positions
that are the same but for a symmetry, and whatever is kept by keys, as whole games and tablebases are, keeps one
position of each class. Every position still finds its value; moves are judged by what they lead to, so none has to be
mapped back.
"""

from __future__ import annotations

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
        return packing_of_classes(self._code)

    def address(self, function: str) -> int:
        return self._code.address("canonical" if function == "pack" else function)

    def key(self, position: Any) -> bytes:
        return self._code.canonical_key(position)


def packing_of_classes(code: Compiled) -> str:
    """How the keys of classes are made, for files that hold them."""
    return f"{code.packing}/{code.symmetries}"


def may_be_reduced(game: Game[Any, Any]) -> bool:
    """Whether the values of symmetric positions are the same: where interests differ, the order of moves decides ties,
    and symmetries change it."""
    traits = game.traits
    alone_or_opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
    return alone_or_opposed and not traits.hidden and getattr(game, "compiled", None) is not None
