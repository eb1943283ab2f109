"""What is asked of a game: every solver on both engines, with a leaf, a budget and a place drawn for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.judge.graph import CHANCE, OVER, Graph
from tests.judge.oracle import random_length

ENGINES = ("reference", "native")

LIMITS = ("depth", "nodes", "time", "simulations")

MOST_VISITED = 1_000
"""A textbook search is given no budget that makes it visit more positions than this."""


MOST_PLAYED = 3_000
"""Simulations that are made in Python make no more moves than this, about."""

MOST_GREEDY = 20
"""Simulations of greedy play where it may go on for ever."""

LONGEST = 10_000
"""Where the program takes a play for one that never ends."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call. `by` is "python", or a command: "solve" or "search", with "--json" or without.

    The option `cold` is none of the program's: the command answers as where no kernel has been compiled yet.
    """

    solver: str  # "chosen": the one that the program takes
    engine: str
    options: tuple[tuple[str, Any], ...] = ()  # as they would be written
    leaf: str | None = None
    at: int | None = None  # a place, None for the start
    by: str = "python"
    as_json: bool = False

    @property
    def name(self) -> str:
        """What answers: a solver, or a command."""
        return self.solver if self.by == "python" else f"gdl {self.by}"

    @property
    def budget(self) -> str:
        return " and ".join(name for name, _ in self.options if name in LIMITS) or "none"

    @property
    def limited(self) -> bool:
        return self.budget != "none"

    @property
    def description(self) -> str:
        """The solver with its options as an agent is written."""
        options = [f"{name}={value}" for name, value in self.options]
        options += [f"leaf={self.leaf}"] if self.leaf else []
        return f"{self.solver}({', '.join(options)})" if options else self.solver

    def __str__(self) -> str:
        where = "" if self.at is None else f" at place {self.at}"
        how = "" if self.by == "python" else f" by gdl {self.by}{' --json' if self.as_json else ''}"
        return f"{self.description} on {self.engine}{where}{how}"


def questions(graph: Graph, random: Random) -> Iterator[Question]:
    """All that is asked of one game: each solver on each engine, and some commands."""
    trees = Trees(graph)
    for engine in ENGINES:
        for solver in ("backward_induction", "retrograde", "value_iteration", "policy_iteration"):
            options: list[tuple[str, Any]] = []
            if solver == "value_iteration" and random.random() < 0.3:
                options = [("precision", random.choice(["0.001", "0.000001", "0.000000000001"]))]
            if solver == "policy_iteration" and random.random() < 0.1:
                options = [("exact", "false")]
            yield Question(solver, engine, tuple(options), at=_place(graph, random))
        for solver in (
            "alphabeta", "star2", "star1", "expectiminimax", "minimax", "expectimax", "maxn", "paranoid",
        ):  # fmt: skip
            at = _place(graph, random)
            options = [*trees.budget(at, random)]
            if solver in ("alphabeta", "star1", "star2") and random.random() < 0.2:
                options.append(("table", random.choice([0, 16])))
            if solver == "alphabeta" and engine == "native" and random.random() < 0.1:
                options.append(random.choice([("beam", 1), ("null_move", 1)]))
            if solver == "expectimax":
                options.append(("against", "random"))
            leaf = trees.affordable(trees.leaf(random), options, at, engine)
            yield Question(solver, engine, tuple(options), leaf, at)
        for solver in ("mcts", "flat_monte_carlo"):
            leaf = trees.leaf(random)
            count = trees.simulations(engine, random, leaf)
            options = [("simulations", count), ("seed", random.randrange(100))]
            if random.random() < 0.2 and trees.length < 20:  # greedy judges every move of every step
                options.append(("rollout", random.choice(["greedy", "uniform"])))
                if (
                    options[-1] == ("rollout", "greedy") and trees.cyclic
                ):  # it may go on for ever, if that pays
                    options[0] = ("simulations", min(count, MOST_GREEDY))
                    if engine == "reference" and leaf is not None and leaf.startswith("rollouts"):
                        leaf = "evaluate"  # random plays for every way of every move of plays without end
            if random.random() < 0.2:
                options.append(("rollout_depth", random.choice([1, 3])))
            if solver == "mcts" and engine == "native" and random.random() < 0.3:
                more = random.choice([("transpositions", "true"), ("widening", 1), ("threads", 2)])
                if more[0] != "widening" or graph.chance:
                    options.append(more)
            judges = ("rollout", "greedy") in options or "rollout_depth" in dict(options)
            yield Question(solver, engine, tuple(options), leaf if judges else None, _place(graph, random))
        yield Question("best_response", engine, at=_place(graph, random))
        yield Question("policy_evaluation", engine, at=_place(graph, random))
        yield from _commands(graph, engine, random, trees)


def _commands(graph: Graph, engine: str, random: Random, trees: Trees) -> Iterator[Question]:
    options: list[tuple[str, Any]] = []
    if random.random() < 0.3:
        options = [("exact", "true")]
    elif random.random() < 0.2:
        options = [("precision", random.choice(["1e-3", "1e-12"]))]
    elif engine == "native" and random.random() < 0.2:
        everybody = 2 ** len(graph.players) - 1
        missing = random.choice([0, *(2**p for p in range(len(graph.players)))]) if everybody > 1 else 0
        options = [("agents", everybody - missing)]
    if engine == "native" and random.random() < 0.3:
        options.append(("cold", "true"))
    yield Question(
        "chosen", engine, tuple(options), at=_place(graph, random), by="solve", as_json=random.random() < 0.5
    )
    at = _place(graph, random)
    options = list(trees.budget(at, random))
    if not graph.opposed and "depth" not in dict(options):  # mcts is chosen
        options = [("simulations", trees.simulations(engine, random))]
    yield Question("chosen", engine, tuple(options), at=at, by="search", as_json=random.random() < 0.5)
    if random.random() < 0.5:
        solver = random.choice(["alphabeta", "star1", "star2", "expectiminimax", "maxn", "paranoid", "mcts"])
        options, leaf = list(trees.budget(at, random)), trees.leaf(random)
        leaf = trees.affordable(leaf, options, at, engine)
        if solver == "mcts":
            options, leaf = [("simulations", trees.simulations(engine, random, leaf))], None
        yield Question(solver, engine, tuple(options), leaf, at, by="search", as_json=random.random() < 0.5)


def _place(graph: Graph, random: Random) -> int | None:
    """Mostly the start; else a place where the game goes on, or, rarely, where it is over."""
    if random.random() < 0.8:
        return None
    live = [i for i, place in enumerate(graph.places) if place.owner != OVER]
    return random.choice(live) if random.random() < 0.95 else random.randrange(len(graph.places))


class Trees:
    """How large trees of a graph are: what a search without pruning would visit."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.length = min(random_length(graph), LONGEST)
        self.cyclic = graph.cyclic([place for _, place in graph.starts])
        self._sizes: dict[tuple[int, int], float] = {}

    def simulations(self, engine: str, random: Random, leaf: str | None = None) -> int:
        """How many plays: few where they are long and made in Python."""
        count = random.choice([1, 2, 3, 10, 50, 200])
        quick = 10 if engine == "native" and leaf is None else 1
        return min(count, max(1, int(quick * MOST_PLAYED / max(self.length, 1))))

    def leaf(self, random: Random) -> str | None:
        """How to judge positions; random plays are cut where they would take long."""
        if random.random() < 0.4:
            return None
        leaf = random.choice(["evaluate", "middle", "rollouts(1)", "rollouts(7)", "rollouts(5, depth=2)"])
        return "rollouts(5, depth=2)" if leaf.startswith("rollouts") and self.length > 20 else leaf

    def affordable(
        self, leaf: str | None, options: list[tuple[str, Any]], at: int | None, engine: str
    ) -> str | None:
        """The leaf, with fewer or shorter plays where a search in Python would judge very often: there a move
        with much chance in it takes a millisecond, for all its ways are listed to draw one."""
        if leaf is None or not leaf.startswith("rollouts") or engine == "native":
            return leaf
        limits = dict(options)
        roots = [at] if at is not None else [place for _, place in self.graph.starts]
        judged = limits.get("nodes", MOST_VISITED)
        if "depth" in limits or not self.graph.cyclic(roots):
            judged = min(judged, self.size(roots, limits.get("depth", 1000)))
        for plays, length, cheaper in ((7, self.length, "rollouts(1)"), (1, self.length, "evaluate")):
            if leaf == f"rollouts({plays})" and judged * plays * length > MOST_PLAYED:
                leaf = cheaper
        return "evaluate" if leaf == "rollouts(5, depth=2)" and judged * 10 > MOST_PLAYED else leaf

    def budget(self, at: int | None, random: Random) -> list[tuple[str, Any]]:
        """A limit that keeps the work small; none where plays end soon, now and then where they do not."""
        roots = [at] if at is not None else [place for _, place in self.graph.starts]
        kind = random.choice(["none", "none", "depth", "depth", "depth", "nodes", "time", "both"])
        if kind == "none":
            ends = not self.graph.cyclic(roots)
            if (ends and self.size(roots, 1000) <= MOST_VISITED) or (not ends and random.random() < 0.3):
                return []
            kind = "depth"
        options: list[tuple[str, Any]] = []
        if kind in ("depth", "both"):
            deepest = random.choice([1, 2, 3, 4, 6, 9, 20])
            while deepest > 1 and self.size(roots, deepest) > MOST_VISITED:
                deepest -= 1
            options.append(("depth", deepest))
        if kind in ("nodes", "both"):
            options.append(("nodes", random.choice([1, 5, 30, 200, 1000])))
        if kind == "time":
            options.append(("time", random.choice(["0.001", "0.01"])))
        return options

    def size(self, roots: list[int], depth: int) -> float:
        """How many positions a tree has that looks so many moves of players ahead; capped."""
        return sum(self._size(root, depth, 0) for root in roots)

    def _size(self, place: int, depth: int, chance: int) -> float:
        here = self.graph.places[place]
        if here.owner == OVER or (depth <= 0 and here.owner != CHANCE):
            return 1
        if chance > 60:
            return float("inf")
        key = (place, depth)
        if key not in self._sizes:
            self._sizes[key] = float("inf")  # where chance comes back without a player's move
            below = depth if here.owner == CHANCE else depth - 1
            total = 1.0
            for choice in here.choices:
                for edge in choice.edges:
                    total += self._size(edge.target, below, chance + 1 if here.owner == CHANCE else 0)
                    if total > 1e6:
                        break
            self._sizes[key] = total
        return self._sizes[key]
