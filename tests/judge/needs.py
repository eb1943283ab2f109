"""What solvers say they need, written down for the judge alone, and whether a game meets it.

A refusal is due where a game, as it was explored, does not meet a need, or where its text shows why nobody
could know: it says `chance`, pays rewards, or pays each player by an expression of their own. Whether the
checker proves what a game meets is no excuse otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tests.judge.graph import Graph

Need = Callable[[Graph, str], bool]


def opposed(graph: Graph, text: str) -> bool:
    """One player, or two of whom the one gains what the other loses."""
    apart = re.search(r"^(utility|endless)\(|\breward \w+:", text, re.M) is not None
    return graph.opposed and (len(graph.players) == 1 or not apart)


def _without_chance(graph: Graph, text: str) -> bool:
    return not graph.chance and re.search(r"\bchance\b|~", _without_start(text)) is None


def _without_rewards(graph: Graph, text: str) -> bool:
    return not graph.pays and re.search(r"\breward\b", text) is None


def _without_discount(graph: Graph, text: str) -> bool:
    return graph.discount == 1


def _without_start(text: str) -> str:
    """The text without `initial:`, in which a start is drawn."""
    return re.sub(r"^initial:.*\n(?:[ \t]+.*\n)*", "", text, flags=re.M)


NEEDS: Mapping[str, tuple[Need, ...]] = {
    "alphabeta": (opposed, _without_chance),
    "minimax": (opposed, _without_chance),
    "star1": (opposed, _without_rewards),
    "star2": (opposed, _without_rewards),
    "expectiminimax": (opposed,),
    "retrograde": (opposed, _without_chance, _without_rewards, _without_discount),
    "value_iteration": (opposed,),
    "policy_iteration": (opposed,),
}
"""Of the solvers that are asked; the others take every game in which nothing is hidden."""

TO_THE_END = (
    "alphabeta", "minimax", "star1", "star2", "expectiminimax", "expectimax", "maxn", "paranoid",
)  # fmt: skip
"""Those that follow plays to their end, and need a limit where plays come back."""

WITHOUT_REPEATS = ("backward_induction",)


def meets(graph: Graph, text: str, solver: str) -> bool:
    """Whether a game meets all that a solver needs beside plays that end."""
    return all(need(graph, text) for need in NEEDS.get(solver, ()))
