"""Games with few positions are solved before they are played, and what was found is kept for the next time.

In the user's cache folder, one file of arrays for the rules of a game with their parameters:

    key     of each position in which a player moves, as the compiled game packs it, ascending
    best    the moves that tie for best: bit k for the k-th legal one
    value   what the position is worth to the player who moves

Up to 40,000 combinations of values the textbook solver does it: that takes seconds, while the kernels
have to be compiled on a new machine. Above that they are worth it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.diagnostics import GameError
from gdl.game import Compiled, Game
from gdl.paths import cache_directory

if TYPE_CHECKING:
    from solvers.registry import Solver

LOG2_MOST = log2(4_000_000)
LOG2_TEXTBOOK = log2(40_000)
KIND = "best moves"
MOST_FILES = 24
"""So many games are kept, those used last."""


def log2_positions(game: Game[Any, Any]) -> float | None:
    """How many combinations of values there are, for a compiled game that is solved before it is played."""
    compiled = getattr(game, "compiled", None)
    if not isinstance(compiled, Compiled) or compiled.key_words != 1 or compiled.log2_positions > LOG2_MOST:
        return None
    return compiled.log2_positions


class BestMoves:
    """The best moves of every position of a solved game in which a player moves."""

    def __init__(self, game: Any, arrays: Mapping[str, Any]):
        self._game = game
        self.arrays = arrays
        self._keys, self._best, self._values = (arrays[name] for name in ("key", "best", "value"))

    @staticmethod
    def of(game: Game[Any, Any], solver: Solver) -> BestMoves | None:
        """From the cache, or by solving the game now; None for a game that is too large, or has positions
        with more moves than are kept. Raises Refusal where the solver cannot do it."""
        size = log2_positions(game)
        if size is None:
            return None
        known = _read(game, solver)
        if known is None:
            known = _by_textbook(game, solver) if size <= LOG2_TEXTBOOK else _by_kernels(game, solver)
            if known is None:
                return None
            order = known["key"].argsort()
            known = {name: array[order] for name, array in known.items()}
            _write(game, solver, known)
        return BestMoves(game, known)

    def at(self, position: Any) -> tuple[list[Any], float] | None:
        """The best moves and the value to the player to move; None if the position was not reached."""
        number = self._find(self._game.compiled.key(position))
        if number is None:
            return None
        return self._marked(number, self._game.moves(position)), float(self._values[number])

    def among(self, moves: Sequence[int], key: bytes) -> list[int] | None:
        """The best of the legal moves, given in order, by whatever numbers; None as above."""
        number = self._find(key)
        return None if number is None else self._marked(number, moves)

    def _find(self, key: bytes) -> int | None:
        wanted = int.from_bytes(key, "little")
        number = int(self._keys.searchsorted(self._keys.dtype.type(wanted)))  # of its type: else all are cast
        return number if number < len(self._keys) and self._keys[number] == wanted else None

    def _marked(self, number: int, moves: Sequence[Any]) -> list[Any]:
        best = int(self._best[number])
        return [move for k, move in enumerate(moves) if best >> k & 1]


def _by_textbook(game: Any, solver: Solver) -> dict[str, Any] | None:
    import numpy as np

    policy = solver.textbook(game).policy
    rows = []
    for position in policy.positions:
        player, moves = game.to_move(position), game.moves(position)
        if len(moves) > 64:
            return None
        if player >= 0:
            best = set(policy.best(position))
            bits = sum(1 << k for k, move in enumerate(moves) if move in best)
            value = float(policy.value(position)[player].number)
            rows.append((int.from_bytes(game.compiled.key(position), "little"), bits, value))
    keys, chosen, values = zip(*rows, strict=True) if rows else ((), (), ())
    return {
        "key": np.array(keys, np.uint64),
        "best": np.array(chosen, np.uint64),
        "value": np.array(values, np.float64),
    }


def _by_kernels(game: Any, solver: Solver) -> dict[str, Any] | None:
    """As above from the arrays of the solved graph; None where distances decide between equal values."""
    import numpy as np

    from solvers.core.refusal import TooFine
    from solvers.whole.kernels.best_choices import best_choices
    from solvers.whole.kernels.solve import GraphValues, solve_whole

    try:
        solved = solve_whole(game, solver.name)
    except TooFine:
        return _by_textbook(game, solver)
    graph, values = solved.graph, solved.values
    if graph is None or not isinstance(values, GraphValues) or values.distances is not None:
        return None
    starts = graph.row.astype(np.int64)
    degree = np.diff(starts)
    if len(degree) == 0 or degree.max() > 64:
        return None
    marked = best_choices(graph, values.low, values.high, game.traits.discount, values.proven)
    place = np.arange(len(marked)) - np.repeat(starts[:-1], degree)
    bits = np.where(marked, np.uint64(1) << place.astype(np.uint64), np.uint64(0))
    players = np.flatnonzero(graph.mover >= 0)
    mover = graph.mover[players].astype(np.int64)
    middle = (values.low[players] + values.high[players]) / 2
    one = middle.shape[1] == 1  # then it is the first player's, and the second gets the opposite
    worth = middle[:, 0] * np.where(mover == 1, -1.0, 1.0) if one else middle[np.arange(len(mover)), mover]
    moving = np.flatnonzero(degree)  # where there are choices, which are chance's or a player's
    of_row = np.zeros(len(degree), np.uint64)
    of_row[moving] = np.bitwise_or.reduceat(bits, starts[moving])
    return {"key": graph.keys()[players, 0], "best": of_row[players], "value": worth}


# ------------------------------------------------------------------------------ the cache


def _file(game: Any, solver: Solver) -> Path | None:
    folder = cache_directory()
    return None if folder is None else folder / f"{game.compiled.digest[:24]}.{solver.name}.moves"


def _read(game: Any, solver: Solver) -> dict[str, Any] | None:
    from solvers.files.container import read_arrays

    path = _file(game, solver)
    if path is None or not path.exists():
        return None
    try:
        _, arrays = read_arrays(path, KIND, game)
        path.touch()
    except (GameError, OSError):  # damaged, or of another version: it is made again
        return None
    return arrays if _is_whole(arrays) else None


def _is_whole(arrays: Mapping[str, Any]) -> bool:
    """Whether positions can be found: looking for them in another order would miss most."""
    if set(arrays) != {"key", "best", "value"} or len({len(array) for array in arrays.values()}) > 1:
        return False
    keys = arrays["key"]
    return bool((keys[1:] > keys[:-1]).all())


def _write(game: Any, solver: Solver, arrays: dict[str, Any]) -> None:
    from solvers.files.container import identity, write_arrays

    path = _file(game, solver)
    if path is None:
        return
    try:
        write_arrays(path, KIND, identity(game), arrays)
        kept = sorted(path.parent.glob("*.moves"), key=lambda file: file.stat().st_mtime)
        for old in kept[:-MOST_FILES]:
            old.unlink(missing_ok=True)
    except (GameError, OSError):  # a full disk costs time, not the game
        return
