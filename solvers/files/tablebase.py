"""Tablebases: the values of all positions of a solved game in a file, to be looked up instead of searched.

    solved = solve_whole(game, "retrograde")
    save(solved, "morris.table")
    table = Tablebase.open("morris.table", game)
    table.value(position), table.distance(position)
    leaf = table.leaf()            # perfect estimates for a search: alphabeta(game, leaf=leaf)

The file (container.py) holds the packed keys, the bounds of the values and, after retrograde analysis, the
distances. Of a game solved by turns it holds the positions at rest, from which others are valued; of one with
symmetries, one position of each class.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.game import Game, Number
from solvers.core.combine import opposed
from solvers.core.leaves import Leaf, own_evaluation
from solvers.core.refusal import Refusal
from solvers.core.result import Value
from solvers.files.container import bad_file, identity, read_arrays, read_header, write_arrays
from solvers.views.symmetric import Symmetric, by_classes

if TYPE_CHECKING:
    from solvers.whole.kernels.solve import Solved
    from solvers.whole.kernels.turns.solve import TurnValues

KIND = "tablebase"


def save(solved: Solved, path: Path | str, facts: dict[str, Any] | None = None) -> None:
    """Writes the values of a solved game. Raises GameError where the file cannot be written."""
    import numpy as np

    from solvers.whole.kernels.solve import GraphValues
    from solvers.whole.kernels.turns.solve import TurnValues

    space = solved.reached.space
    arrays: dict[str, Any] = {
        "keys": np.concatenate([part.keys[: part.count] for part in space.parts]),
    }
    values = solved.values
    if isinstance(values, TurnValues):
        arrays["low"] = np.concatenate(values.low).reshape(-1, 1)
        if values.high is not values.low:
            arrays["high"] = np.concatenate(values.high).reshape(-1, 1)
        facts = {**(facts or {}), "rests": values.space.told_by}
    elif isinstance(values, GraphValues):
        arrays["keys"], arrays["low"] = values.graph.keys(), values.low
        if values.high is not values.low:
            arrays["high"] = values.high
        if values.distances is not None:
            arrays["distance"] = values.distances
    else:
        numbers = np.concatenate(values.numbers)  # type: ignore[attr-defined]
        arrays["low"] = numbers[:, : space.values]
        if numbers.shape[1] > space.values:
            arrays["high"] = numbers[:, space.values :]
    result = solved.result
    described = {
        **identity(space.game),
        "solver": result.solver,
        "how": result.how,
        "positions": len(values),
        "values": {
            player: None if value is None else value.as_data()
            for player, value in zip(result.players, result.values, strict=True)
        },
        **(facts or {}),
    }
    write_arrays(Path(path), KIND, described, arrays)


def judged_by_file(game: Game[Any, Any], file: str) -> Leaf:
    """The leaf `tablebase:FILE`."""
    return Tablebase.open(file, game).leaf()


class Tablebase:
    """The values of a game's positions from a file (solvers.core.lookup.Values)."""

    def __init__(self, game: Game[Any, Any], facts: dict[str, Any], arrays: dict[str, Any]):
        from solvers.whole.kernels.partition import Partition

        self.game = game
        self.facts = facts
        self._compiled = game.compiled  # type: ignore[attr-defined]
        self._part = Partition.of(arrays["keys"])
        self._low = arrays["low"]
        self._high = arrays.get("high", self._low)
        self._distance = arrays.get("distance")
        self._turns = self._turn_values() if "rests" in facts else None

    @staticmethod
    def open(path: Path | str, game: Game[Any, Any]) -> Tablebase:
        """A tablebase for a compiled game. Raises GameError if the file is damaged or about other rules."""
        compiled = getattr(game, "compiled", None)
        if compiled is None:
            raise Refusal(
                f"tablebases are looked up by the native engine; {game.name} runs on another one.",
                "Use --engine native.",
                "R003",
            )
        if by_classes(read_header(Path(path))[0]):
            game = Symmetric(game)
        facts, arrays = read_arrays(Path(path), KIND, game)
        rows = {len(array) for array in arrays.values()}
        if rows != {facts["positions"]} or arrays["keys"].shape[1:] != (compiled.key_words,):
            raise bad_file(path, "it is damaged: its arrays do not fit each other")
        told = facts.get("rests")
        names = {name for name, _, _ in compiled.fields}
        if told is not None and not (
            names.issuperset(told["variables"]) and len(told["want"]) == compiled.key_words
        ):
            raise bad_file(path, "it is damaged: what tells positions at rest does not fit the game")
        return Tablebase(game, facts, arrays)

    def __len__(self) -> int:
        return self._part.count

    def _turn_values(self) -> TurnValues:
        """Of a game solved by turns, only positions at rest are in the file."""
        import numpy as np

        from solvers.whole.kernels.turns.rests import rests_of
        from solvers.whole.kernels.turns.solve import TurnValues
        from solvers.whole.kernels.turns.space import TurnSpace

        told = self.facts["rests"]
        rests = rests_of(self._compiled, told["variables"], np.array(told["want"], np.uint64))
        space = TurnSpace(self.game, self._compiled, rests, 1)
        space.parts = [self._part]
        low = [self._low[:, 0]]
        return TurnValues(self.game, space, low, low if self._high is self._low else [self._high[:, 0]])

    def value(self, position: Any) -> tuple[Value, ...] | None:
        if self._turns is not None:
            return self._turns.value(position)
        node = self._index(position)
        if node is None:
            return None
        both = zip(self._low[node].tolist(), self._high[node].tolist(), strict=True)
        values = tuple(Value.bounded(low, high) for low, high in both)
        return values if len(values) > 1 else opposed(self.game, values[0])

    def distance(self, position: Any) -> int | None:
        if self._distance is None:
            return None
        node = self._index(position)
        return None if node is None or self._distance[node] < 0 else int(self._distance[node])

    def positions(self) -> Iterator[Any]:
        return (self._compiled.position(key.tobytes()) for key in self._part.keys)

    def leaf(self) -> Leaf:
        """Estimates for a search: the true value where it is known, else the game's own evaluation."""
        unknown = own_evaluation(self.game)

        def judge(position: Any) -> tuple[Number, ...]:
            values = self.value(position)
            return unknown(position) if values is None else tuple(value.number for value in values)

        return judge

    def _index(self, position: Any) -> int | None:
        import numpy as np

        from solvers.whole.kernels.partition import address_keys

        key = np.frombuffer(bytearray(self._compiled.key(position)), np.uint64).reshape(1, -1)
        mail = np.empty((1, key.shape[1] + 1), np.uint64)
        address_keys(key, mail)
        found = np.empty(1, np.uint32)
        self._part.find(mail, 1, found)
        return None if found[0] == 0xFFFFFFFF else int(found[0])
