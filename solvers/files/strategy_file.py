"""Strategy files: what to play in every position of a solved game, in Parquet, for people and programs alike.

One row per position in which a player moves, in the order of the texts of the positions:

    position    text that the game reads back       low, high    proven bounds of the value, for the player,
                                                                 as floats: equal only where it is one
    player      who moves                           distance     moves to the end, where that is known
    best        the moves that tie for best

Any tool that reads Parquet reads them; the metadata under `gdl` say to which game and rules they belong.
Pages have checksums, which are verified on reading.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.game import TERMINAL, Game
from solvers.core.numbers import as_float
from solvers.core.result import Distribution, Value
from solvers.files.container import bad_file, foreign
from solvers.files.parquet import read_table, write_table

if TYPE_CHECKING:
    from solvers.whole.kernels.solve import Solved

KIND = "policy"
VERSION = 2

Report = Callable[[str, float], None]


def save(
    solved: Solved,
    path: Path | str,
    digest: str,
    facts: dict[str, Any] | None = None,
    report: Report | None = None,
) -> int:
    """Writes the policy of a solved game; gives the number of rows. Raises GameError where it cannot be
    written.
    """
    import pyarrow as pa

    game = solved.lookup.game
    rows = sorted(_rows(solved, report))
    schema = pa.schema(
        [
            ("position", pa.string()),
            ("player", pa.dictionary(pa.int8(), pa.string())),
            ("best", pa.list_(pa.string())),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("distance", pa.int32()),
        ]
    )
    about = {
        "kind": KIND,
        "version": VERSION,
        "game": game.name,
        "digest": digest,
        "solver": solved.result.solver,
        "how": solved.result.how,
        "rows": len(rows),
        **(facts or {}),
    }
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    write_table(path, schema, columns, about)
    return len(rows)


def _rows(solved: Solved, report: Report | None) -> Iterator[tuple[Any, ...]]:
    """Position, player, best moves, low, high, distance."""
    game, lookup = solved.lookup.game, solved.lookup
    values: Any = solved.values
    marked = None
    if solved.graph is not None and hasattr(values, "low"):
        from solvers.whole.kernels.best_choices import best_choices

        proven = getattr(values, "proven", None)
        marked = best_choices(solved.graph, values.low, values.high, game.traits.discount, proven)
    for node, position in enumerate(values.positions()):
        player = game.to_move(position)
        if player >= 0:
            value = lookup.values(position)[player]
            distance = values.distance(position)
            if marked is None or distance is not None:
                best = lookup.best(position)
            else:
                moves = game.moves(position)
                assert solved.graph is not None
                start = int(solved.graph.row[node])
                best = tuple(move for k, move in enumerate(moves) if marked[start + k])
            yield (
                game.format_position(position),
                game.players[player],
                [game.format_move(move) for move in best],
                as_float(value.low, -inf),
                as_float(value.high, inf),
                distance,
            )
        if report is not None and node % 10_000 == 0:
            report("writing the policy", node / len(values))


class StrategyFile:
    """A policy from a file: the moves that tie for best are equally likely."""

    def __init__(self, game: Game[Any, Any], path: Path, facts: dict[str, Any], table: Any):
        self.game = game
        self.path = path
        self.facts = facts
        self._table = table
        self._positions: Sequence[str] = _Column(table["position"].combine_chunks())

    @staticmethod
    def open(path: Path | str, game: Game[Any, Any]) -> StrategyFile:
        """A policy for a game. Raises GameError if the file is damaged or about other rules."""
        path = Path(path)
        table, metadata = read_table(path)
        if b"gdl" not in metadata:
            raise bad_file(
                path, "it is a Parquet file, but no strategy", "`gdl solve GAME --policy FILE` writes one"
            )
        facts: dict[str, Any] = json.loads(metadata[b"gdl"])
        if facts.get("kind") != KIND:
            raise bad_file(
                path,
                "it says what to play by what is known, not by positions",
                f"play by it: --agent policy:{path}",
            )
        if facts.get("version") != VERSION:
            raise bad_file(path, f"it has version {facts.get('version')}, and this program reads {VERSION}")
        digest = getattr(game, "digest", None)
        if facts.get("game") != game.name or (digest is not None and facts.get("digest") != digest):
            raise foreign(path, facts, game.name)
        if table.num_rows != facts["rows"]:
            raise bad_file(path, f"it is cut short: {table.num_rows:,} of {facts['rows']:,} rows are there")
        return StrategyFile(game, path, facts, table)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def row(self, position: Any) -> dict[str, Any] | None:
        """What the file says about a position."""
        text = self.game.format_position(position)
        at = bisect_left(self._positions, text)
        if at == len(self._positions) or self._positions[at] != text:
            return None
        found: dict[str, Any] = self._table.slice(at, 1).to_pylist()[0]
        return found

    def best(self, position: Any) -> tuple[Any, ...]:
        """The moves that tie for best; all legal moves where the file does not know the position."""
        if self.game.to_move(position) == TERMINAL:
            return ()
        row = self.row(position)
        if row is None:
            return tuple(self.game.moves(position))
        return tuple(self.game.parse_move(position, text) for text in row["best"])

    def value(self, position: Any) -> Value | None:
        """The value for the player to move."""
        row = self.row(position)
        if row is None or row["low"] is None or row["high"] is None:
            return None
        return Value.bounded(row["low"], row["high"])

    def __call__(self, position: Any) -> Distribution:
        moves = self.best(position)
        return {move: Fraction(1, len(moves)) for move in moves}


class _Column(Sequence[str]):
    """A column of texts, for bisection."""

    def __init__(self, array: Any):
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Any:
        return self._array[index].as_py()
