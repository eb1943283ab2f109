"""What a player knows, in the words of the game: `card king; check, bet`.

The text is what distinguishes an information set from the others of its player: at each step the move, as
far as it was shown, and of what was observed then only the parts in which it could have been different.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from gdl.game import CHANCE, Game
from solvers.hidden.game_tree import Seen

_NOTHING = frozenset(["0", "none", "false", "{}"])


@runtime_checkable
class TellsParts(Protocol):
    """A game that can take an observation apart: names of what is seen, as (variable, indices), with
    values."""

    def observed_parts(self, observation: Any) -> Mapping[tuple[str, tuple[str, ...]], str]: ...


class Words:
    """Texts for information sets, all of which are known beforehand."""

    def __init__(self, game: Game[Any, Any], information: Iterable[tuple[int, Seen]]):
        self.game = game
        self._roots: list[_Step] = [_Step() for _ in game.players]
        for player, seen in information:
            step = self._roots[player].next(None, seen[0])
            for shown, observation in zip(seen[1::2], seen[2::2], strict=True):
                step = step.next(shown, observation)

    def text(self, player: int, seen: Seen) -> str:
        """What the player knows; `nothing yet` where nothing happened that could be told apart."""
        step = self._roots[player]
        start = self._differences(player, step, None, seen[0])
        step = step.after[None][seen[0]]
        moves = []
        for shown, observation in zip(seen[1::2], seen[2::2], strict=True):
            mover, move = shown
            differs = self._differences(player, step, shown, observation)
            chances = [other for other in step.after if other is not None and other[0] == CHANCE]
            if mover != CHANCE or len(chances) > 1:
                moves.append(self.game.format_move(move) + (f" [{differs}]" if differs else ""))
            elif differs:
                moves.append(differs)
            step = step.after[shown][observation]
        return "; ".join(filter(None, (start, ", ".join(moves)))) or "nothing yet"

    def _differences(self, player: int, step: _Step, shown: Any, observation: Hashable) -> str:
        """What was seen of a step and could have been different."""
        siblings = step.after[shown]
        if len(siblings) == 1:
            return ""
        if not isinstance(self.game, TellsParts):
            return str(observation)
        if shown not in step.parts:
            tables = [self.game.observed_parts(one) for one in siblings]
            step.parts[shown] = [name for name in tables[0] if len({table[name] for table in tables}) > 1]
        here = self.game.observed_parts(observation)
        told = [(name, here[name]) for name in step.parts[shown]]
        told = [(name, value) for name, value in told if value not in _NOTHING] or told[:1]
        return ", ".join(f"{self._name(player, *name)} {value}" for name, value in told)

    def _name(self, player: int, variable: str, indices: tuple[str, ...]) -> str:
        """A part of what is seen; that it is the player's own goes without saying."""
        if indices and indices[0] == self.game.players[player]:
            indices = indices[1:]
        return variable + (f"[{', '.join(indices)}]" if indices else "")


class _Step:
    """A point of what a player may have seen: by the move shown next, and what was then observed."""

    __slots__ = ("after", "parts")

    def __init__(self) -> None:
        self.after: dict[Any, dict[Hashable, _Step]] = {}
        self.parts: dict[Any, list[Any]] = {}

    def next(self, shown: Any, observation: Hashable) -> _Step:
        observations = self.after.setdefault(shown, {})
        if observation not in observations:
            observations[observation] = _Step()
        return observations[observation]


def seen_text(game: Game[Any, Any], seen: Seen) -> str:
    """All that a player has seen as one line, equal exactly where that is: the first observation, then each
    move with what changed. It needs no other information sets to compare with."""
    before = seen[0]
    told = [str(before)]
    for (mover, move), observation in zip(seen[1::2], seen[2::2], strict=True):
        name = "chance" if mover == CHANCE else game.players[mover]
        told.append(f"{name} {game.format_move(move)}: {_changes(game, before, observation)}")
        before = observation
    return "; ".join(told)


def _changes(game: Game[Any, Any], before: Any, after: Any) -> str:
    if not isinstance(game, TellsParts):
        return str(after)
    old, new = game.observed_parts(before), game.observed_parts(after)
    return " ".join(
        f"{variable}{list(indices) if indices else ''}={value}".replace("'", "")
        for (variable, indices), value in new.items()
        if old[variable, indices] != value
    )
