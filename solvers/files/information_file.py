"""Strategy files of games with hidden information: what to play by what is known, in Parquet.

One row per information set:

    player           who moves
    knows            what distinguishes it, in the words of the game (`solvers/hidden/words.py`)
    seen             all that the player has seen, which names it
    moves, odds      the legal moves and their probabilities

Any tool that reads Parquet reads them; the metadata under `gdl` say to which game and rules they belong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gdl.game import Game
from solvers.core.result import Distribution
from solvers.files.container import bad_file, foreign
from solvers.files.parquet import read_table, write_table
from solvers.hidden.sampled_strategy import SampledStrategy
from solvers.hidden.strategy import Strategy
from solvers.hidden.words import Words, seen_text

KIND = "policy by information"
VERSION = 1


def save(
    game: Game[Any, Any],
    strategy: Strategy | SampledStrategy,
    path: Path | str,
    solver: str,
    facts: dict[str, Any] | None = None,
) -> int:
    """Writes what a strategy does in every information set that can be listed; gives their number."""
    import pyarrow as pa

    entries = list(strategy.entries())
    known = [one for one, _ in entries]
    words = Words(game, [(one.player, one.seen) for one in known])
    schema = pa.schema(
        [
            ("player", pa.dictionary(pa.int8(), pa.string())),
            ("knows", pa.string()),
            ("seen", pa.string()),
            ("moves", pa.list_(pa.string())),
            ("odds", pa.list_(pa.float64())),
        ]
    )
    judged = strategy.judgement
    about = {
        "kind": KIND,
        "version": VERSION,
        "game": game.name,
        "digest": getattr(game, "digest", None),
        "solver": solver,
        "exploitability": None if judged is None else float(judged.exploitability),
        "rows": len(known),
        **(facts or {}),
    }
    columns = [
        [game.players[one.player] for one in known],
        [words.text(one.player, one.seen) for one in known],
        [seen_text(game, one.seen) for one in known],
        [[game.format_move(move) for move in one.moves] for one in known],
        [[float(chance) for chance in odds] for _, odds in entries],
    ]
    write_table(path, schema, columns, about)
    return len(known)


class InformationFile:
    """A policy from a file, by what a player has seen."""

    def __init__(
        self, game: Game[Any, Any], facts: dict[str, Any], rows: dict[tuple[str, str], dict[str, float]]
    ):
        self.game = game
        self.facts = facts
        self._rows = rows

    @staticmethod
    def open(path: Path | str, game: Game[Any, Any]) -> InformationFile:
        """A policy for a game. Raises GameError if the file is damaged or about other rules."""
        path = Path(path)
        table, metadata = read_table(path)
        facts: dict[str, Any] = json.loads(metadata.get(b"gdl", b"{}"))
        if facts.get("kind") != KIND:
            raise bad_file(
                path,
                "it does not say what to play by what is known",
                "`gdl solve GAME --policy FILE` writes such a file for a game with hidden information",
            )
        if facts.get("version") != VERSION:
            raise bad_file(path, f"it has version {facts.get('version')}, and this program reads {VERSION}")
        digest = getattr(game, "digest", None)
        if facts.get("game") != game.name or (digest is not None and facts.get("digest") != digest):
            raise foreign(path, facts, game.name)
        if table.num_rows != facts["rows"]:
            raise bad_file(path, f"it is cut short: {table.num_rows:,} of {facts['rows']:,} rows are there")
        columns = [table[name].to_pylist() for name in ("player", "seen", "moves", "odds")]
        rows = {
            (player, seen): _distribution(path, moves, odds)
            for player, seen, moves, odds in zip(*columns, strict=True)
        }
        return InformationFile(game, facts, rows)

    def __len__(self) -> int:
        return len(self._rows)

    def at(self, player: int, seen: tuple[Any, ...], moves: tuple[Any, ...]) -> Distribution | None:
        """The probabilities of legal moves; None where the file does not know what was seen."""
        row = self._rows.get((self.game.players[player], seen_text(self.game, seen)))
        if row is None:
            return None
        found = {move: row.get(self.game.format_move(move), 0.0) for move in moves}
        return found if any(found.values()) else None


def _distribution(path: Path, moves: list[str], odds: list[float]) -> dict[str, float]:
    if len(moves) != len(odds) or not all(0 <= p <= 1 for p in odds) or abs(sum(odds) - 1) > 1e-6:
        raise bad_file(path, "a row holds no probabilities that sum to 1")
    return dict(zip(moves, odds, strict=True))
