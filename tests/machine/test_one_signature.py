"""Every kernel is compiled once: arguments have one type each, however it is called, now and in earlier runs.

Each further signature costs seconds of compiling on a new machine. They come from literals (0 is a type of
its own to numba) and from items of arrays that are narrower than a 64-bit integer.
"""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import json, sys
from contextlib import suppress
from numba.core.dispatcher import Dispatcher
import gdl
from solvers.core.refusal import Refusal

games = [gdl.load(name, engine="native", **params) for name, params in (
    ("tictactoe", {}), ("pig", {"goal": 6}), ("nim", {}), ("chance_tree", {}), ("gridworld", {}),
)]
for game in games:
    gdl.solve(game)
    for solver, options in (
        ("alphabeta", {"depth": 2}), ("star2", {"depth": 2}), ("mcts", {"simulations": 50}),
        ("flat_monte_carlo", {"simulations": 50}),
    ):
        with suppress(Refusal):
            gdl.search(game, solver, **options)
gdl.evaluate(games[0], x="random", o="random")
poker = gdl.load("kuhn_poker", engine="native")
for solver in ("cfr", "mccfr", "sequence_form"):
    gdl.solve(poker, solver)
for solver in ("ismcts", "ismcts(selection=regret, observers=single)", "pimc(worlds=1)"):
    gdl.search(poker, solver, simulations=20)
found = {}
for name, module in list(sys.modules.items()):
    if name.startswith("solvers."):
        for kernel in vars(module).values():
            if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == name:
                kept = [key[0] for key in kernel._cache._cache_file._load_index()]  # by all runs so far
                found[f"{name}.{kernel.py_func.__name__}"] = [
                    [str(argument) for argument in one] for one in {*kernel.signatures, *kept}
                ]
print(json.dumps(found))
"""


def test_every_kernel_has_one_signature() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    assert sum(map(bool, found.values())) > 10  # where all are compiled, what others call is not loaded
    several = {
        name: [sorted(set(argument)) for argument in zip(*kept, strict=True) if len(set(argument)) > 1]
        for name, kept in found.items()
        if len(kept) > 1
    }
    assert several == {}, "of callers that are gone? Then remove the folders __pycache__"
