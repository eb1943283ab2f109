"""Random play of many games at the same time, every outcome of every move being equally likely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from solvers.whole.estimate.stopwatch import Stopwatch
from solvers.whole.kernels.space import Space


def some_of(begin: Any, count: int, rng: Any) -> Any:
    """So many of the positions in which play begins."""
    return begin[rng.integers(len(begin), size=count)]


def random_steps(
    space: Space, now: Any, begin: Any, rng: Any, watch: Stopwatch
) -> Iterator[tuple[Any, Any, Any]]:
    """One step from each of the positions with the keys `now`, batch by batch while there is time: the mail
    (valid until the next batch), how many edges leave each position, and the keys of where it went. Where a
    game was over, another one begins.
    """
    for batch in watch.expansions(space, now):
        mail = batch.mail[0, : int(batch.mailed[0])]
        start, count = batch.edges_of_positions()
        over = count == 0
        chosen = start + (rng.random(len(start)) * count).astype(np.int64)
        after = np.empty((len(start), now.shape[1]), np.uint64)
        after[~over] = mail[chosen[~over], :-1]
        after[over] = some_of(begin, int(np.count_nonzero(over)), rng)
        yield mail, count, after
