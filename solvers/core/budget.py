"""How much work a solver may do, and how much it has done."""

from __future__ import annotations

from time import perf_counter

from solvers.core.refusal import bad_option
from solvers.core.result import Work

GRACE_NODES, GRACE_SECONDS = 20_000, 0.1
LEAST_GRACE, GRACE_FACTOR = 1_000, 100

AGAIN_NODES, AGAIN_SECONDS = 5_000, 0.1
"""So much is allowed again where hardly anything was spent."""

MOST_WAYS = 20_000
"""So many ways for chance to go are listed for a move under any limit of nodes: they may come to the same."""


class Spent(Exception):
    """The budget is used up. Solvers catch it and answer with what they have, marked as partial."""


class Budget:
    """Counts nodes and seconds; `spend` raises Spent once either limit is passed.

    While `grace` is True a little more is allowed, GRACE_SECONDS more and GRACE_FACTOR times the nodes, but
    from LEAST_GRACE to GRACE_NODES in all: a search first makes sure that it has an answer at all.
    """

    def __init__(self, nodes: int | None = None, time: float | None = None):
        if nodes is not None and nodes < 1:
            raise bad_option(f"a budget of {nodes} nodes allows nothing", "Use nodes=1 or more.")
        if time is not None and not time > 0:
            raise bad_option(f"a budget of {time} seconds allows nothing", "Use a time above 0.")
        self.limit = nodes
        self.nodes = 0
        self.started = perf_counter()
        self.deadline = None if time is None else self.started + time
        self.grace = False

    def begin(self) -> None:
        """Time counts from now on: what was done so far is not the solver's work, such as compiling it."""
        now = perf_counter()
        if self.deadline is not None:
            self.deadline += now - self.started
        self.started = now

    @property
    def limited(self) -> bool:
        return self.limit is not None or self.deadline is not None

    @property
    def seconds(self) -> float:
        return perf_counter() - self.started

    @property
    def left(self) -> int | None:
        """How many nodes may still be visited, where that is limited."""
        if self.limit is None:
            return None
        grace = min(GRACE_NODES, max(LEAST_GRACE, GRACE_FACTOR * self.limit)) if self.grace else 0
        return max(self.limit, grace) - self.nodes

    def look(self, ways: int) -> None:
        """Raises Spent where listing so many ways for chance to go takes too long, or more than the nodes."""
        if self.left is not None and ways > max(self.left, MOST_WAYS):
            raise Spent
        self.spend(0)

    def spend(self, nodes: int = 1) -> None:
        self.nodes += nodes
        if self.left is not None and self.left < 0:
            raise Spent
        later = GRACE_SECONDS if self.grace else 0.0
        if self.deadline is not None and perf_counter() > self.deadline + later:
            raise Spent

    def as_much_again(self) -> None:
        """Allows from now on about as much as was spent so far, and no more than before. Nothing is
        limited in time that was not: what counts nodes alone comes to the same each time."""
        more = self.nodes + max(AGAIN_NODES, self.nodes)
        self.limit = more if self.limit is None else min(self.limit, more)
        if self.deadline is not None:
            self.deadline = min(self.deadline, perf_counter() + max(AGAIN_SECONDS, self.seconds))

    def work(self, positions: int | None = None, rounds: int | None = None) -> Work:
        return Work(self.seconds, nodes=self.nodes or None, positions=positions, rounds=rounds)
