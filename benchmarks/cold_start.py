"""What the first answers on a new machine cost: `python benchmarks/cold_start.py [PYTHON [FOLDER]]`.

Each command runs where nothing was compiled or kept, in CPU seconds over the start of Python alone, and
once more where it has run. PYTHON and FOLDER are another interpreter and checkout, to compare with how it
was. Goal: the first three below 5 s.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

COMMANDS = (
    "solve tictactoe",
    "solve pig -p goal=20",
    "run connect_four",
    "solve kuhn_poker",
    "search connect_four --time 1",
    "run pig",
    "solve pig",
    "search backgammon --time 1",
    "run backgammon -a random",
    "match tictactoe -a mcts(simulations=100) -a random -n 2 -j 1",
)


def cpu_seconds(command: list[str], environment: dict[str, str], folder: Path) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    given = sys.argv[1:]
    python = str(Path(given[0]).absolute()) if given else sys.executable
    folder = Path(given[1]) if len(given) > 1 else Path(__file__).parent.parent
    for words in COMMANDS:
        with tempfile.TemporaryDirectory() as empty:
            environment = {
                **os.environ,
                "PYTHONPATH": str(folder),
                "NUMBA_CACHE_DIR": f"{empty}/kernels",
                "GDL_CACHE": f"{empty}/kept",
            }
            start = cpu_seconds([python, "-c", "pass"], environment, folder)
            command = [python, "-m", "gdl", *words.split(" ")]
            first, again = (cpu_seconds(command, environment, folder) - start for _ in range(2))
        print(f"{first:6.1f} {again:6.1f}   gdl {words}", flush=True)


if __name__ == "__main__":
    main()
