"""The options of solvers, leaves and agents: of what kind a value is, and what it means.

A text says `depth=4`, a program `depth=4` too: `solvers.agents.kinds` reads the first, `Option.takes` judges
the second, and both refuse the same values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from gdl.diagnostics.wording.phrases import listing
from solvers.core.memory import is_size


@dataclass(frozen=True, slots=True)
class Option:
    """An option: how its value is read, and what it means."""

    kind: Literal["count", "number", "size", "flag", "word", "name", "leaf", "agent"]
    meaning: str
    words: tuple[str, ...] = ()
    least: int | None = None  # of a count or a number; None: any
    most: int = 2**63 - 1  # of a count: what machine code can hold, unless it is less

    @property
    def expected(self) -> str:
        """What a program gives."""
        from_least = "" if self.least is None else f" from {self.least} up"
        match self.kind:
            case "count":
                below = "below 2^63" if self.most == 2**63 - 1 else f"at most {self.most:,}"
                return f"a whole number{from_least}, {below}"
            case "number":
                return "a number" + from_least
            case "size":
                return "a size of memory: bytes, or text such as `2GB`"
            case "flag":
                return "True or False"
            case "word":
                return listing(self.words, "or")
            case "name":
                return "a name"
            case "leaf":
                return "a function of the position (solvers.core.leaves)"
            case "agent":
                return 'a policy, a function of the position; `agent("random", game).policy()` makes one'

    def takes(self, value: Any) -> bool:
        """Whether a value that a program gives is one that this option can have."""
        match self.kind:
            case "count":
                whole = not isinstance(value, bool) and isinstance(value, Integral)
                return whole and self._enough(value) and int(value) <= self.most
            case "number":
                return not isinstance(value, bool) and isinstance(value, Real) and self._enough(value)
            case "size":
                return is_size(value)
            case "flag":
                return isinstance(value, bool)
            case "word":
                return isinstance(value, str) and value in self.words
            case "name":
                return isinstance(value, str)
            case "leaf":
                return callable(value)
            case "agent":
                return callable(value) or isinstance(value, Mapping)

    def _enough(self, value: Any) -> bool:
        """Not for what is no number, which is neither more nor less than anything."""
        return bool(value == value and (self.least is None or value >= self.least))


def _count(meaning: str, least: int = 1) -> Option:
    return Option("count", meaning, least=least)


def _number(meaning: str) -> Option:
    return Option("number", meaning, least=0)


OPTIONS: Mapping[str, Option] = {
    "depth": _count("look this many moves ahead; outcomes of chance do not count"),
    "rounds": _count("as depth, where only the moves of the last player count"),
    "nodes": _count("stop after visiting this many positions"),
    "time": _number("stop after this many seconds"),
    "leaf": Option("leaf", "how to judge positions that are not searched further"),
    "table": _count("entries of the transposition table, 0 for none", least=0),
    "simulations": _count("how many plays to simulate"),
    "c": _number("weight of exploration in UCT, in units of the range of utilities"),
    "rollout": Option("word", "how simulated plays choose moves", ("uniform", "greedy")),
    "epsilon": _number("probability of a random move in greedy rollouts"),
    "rollout_depth": _count("cut simulated plays after this many moves and judge the position"),
    "seed": _count("seed of the random numbers", least=0),
    "precision": _number("distance of the proven bounds at which to stop"),
    "limit": _count("refuse when there are more positions than this"),
    "exact": Option("flag", "verify in rational arithmetic and answer with fractions"),
    "against": Option("agent", "what the other players do"),
    "worlds": _count("how many deals of what is hidden to average over"),
    "beam": _count("search only the most promising moves of each position: heuristic", least=0),
    "null_move": _count(
        "where even passing is good enough, so many moves less deep, look no further: heuristic", least=0
    ),
    "every": Option("flag", "look for the value of every move, not only for the best ones"),
    "order": Option(
        "word",
        "plain alpha-beta with the moves in this order: no table, deepening or bounds of utilities",
        ("given", "best", "worst", "random", "evaluate"),
    ),
    "threads": Option("count", "how many threads simulate plays", least=1, most=1024),
    "parallel": Option("word", "whether threads have a tree each or share one", ("root", "tree")),
    "transpositions": Option("flag", "join equal positions in the tree"),
    "widening": _number("outcomes in play at a node of chance: this times the root of its visits"),
    "memory": Option("size", "how much memory trees may take"),
    "iterations": _count("how many rounds of regret minimisation"),
    "sampling": Option(
        "word", "whether all moves of the learning player are tried or one", ("external", "outcome")
    ),
    "updates": Option(
        "word", "whether players learn one after another or at once", ("alternating", "simultaneous")
    ),
    "observers": Option(
        "word",
        "whether every player's knowledge is told apart, or only that of the player who asks",
        ("multiple", "single"),
    ),
    "selection": Option(
        "word",
        "whether moves are tried by upper confidence bounds or by regret matching",
        ("ucb", "regret"),
    ),
    "reuse": Option("flag", "an agent keeps what it learnt below its move for the next one"),
}
"""Those that several have, or that are ours; a leaf, an agent or somebody's own solver may have others."""
