"""The fast twins of searches and simulations by the names of the textbook solvers, with the same arguments.

A twin runs where the leaf is one that kernels know (`Described`). Where native code gives up, the textbook
version takes over: it says what is wrong with the rules, or goes on with numbers of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from importlib import import_module
from typing import Any

from gdl.game import Game
from solvers.evaluation import Described
from solvers.kernels.fault import KernelFault
from solvers.result import Result


def _twin(module: str, name: str, own: tuple[str, ...] = ()) -> Callable[..., Result]:
    """The twin; `own` are the options that the textbook version does not have."""
    textbook: Callable[..., Result] = getattr(import_module(f"solvers.{name}"), name)

    @wraps(textbook)
    def run(game: Game[Any, Any], at: Any = None, **options: Any) -> Result:
        twin: Callable[..., Result] = getattr(import_module(f"solvers.kernels.{module}"), name)
        leaf = options.get("leaf")
        if leaf is None or isinstance(leaf, Described):
            with suppress(KernelFault):
                if name not in _rehearsed:
                    needed = {key: options[key] for key in ("against", "player") if key in options}
                    twin(game, at, nodes=1, **needed)
                    _rehearsed.add(name)
                return twin(game, at, **options)
        return textbook(game, at, **{key: value for key, value in options.items() if key not in own})

    return run


_rehearsed: set[str] = set()
"""Twins that have run in this process. The first run loads machine code, which is not to count as thinking:
so it is a very short one, before the one that was asked for."""

TWINS: Mapping[str, Callable[..., Result]] = {
    "alphabeta": _twin("alphabeta", "alphabeta", ("beam",)),
    "star2": _twin("star", "star2"),
    "star1": _twin("star", "star1"),
    "expectiminimax": _twin("star", "expectiminimax"),
    "minimax": _twin("star", "minimax"),
    "expectimax": _twin("star", "expectimax"),
    "mcts": _twin("mcts", "mcts", ("threads", "parallel", "transpositions", "widening", "memory", "reuse")),
    "flat_monte_carlo": _twin("flat", "flat_monte_carlo"),
}
