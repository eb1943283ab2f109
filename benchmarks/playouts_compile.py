"""Compile latency: from the text of a game to its first native playout, uncached, in a warm process.

    python benchmarks/playouts_compile.py [--json results.json]

Each game is compiled a few times; the least time counts (the machine may be busy with other things). Then hex
boards from 5x5 to 19x19: code size and compile time must grow no faster than the board.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from gdl.loading import game_of, load_model, read_source

GAMES = Path(__file__).parent.parent / "games"
GOALS = {
    "tictactoe": 0.25,
    "connect_four": 0.25,
    "pig": 0.25,
    "backgammon": 1.0,
    "othello": 1.0,
    "breakthrough": 1.0,
    "chess": 2.5,
}
REPEATS = 5
HEX_SIZES = (5, 7, 9, 11, 13, 15, 17, 19)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    first_playout(GAMES / "pig.gdl", {})  # warms the process
    report: dict[str, Any] = {"games": [], "hex": []}
    print(f"{'game':16} {'seconds':>8} {'goal':>6}")
    for name, goal in GOALS.items():
        path = GAMES / f"{name}.gdl"
        if not path.exists():
            print(f"{name:16} there is no {path.name}")
            continue
        best = min(first_playout(path, {})[0] for _ in range(REPEATS))
        report["games"].append({"game": name, "seconds": best, "goal": goal})
        print(f"{name:16} {best:8.3f} {goal:6.2f}  {'' if best <= goal else f'{best / goal:.2f}x too slow'}")
    print(f"\n{'hex':>7} {'cells':>6} {'seconds':>8} {'IR bytes':>9} {'ms/cell':>8} {'bytes/cell':>10}")
    for size in HEX_SIZES if (GAMES / "hex.gdl").exists() else ():
        tries = [first_playout(GAMES / "hex.gdl", {"rows": size, "cols": size}) for _ in range(3)]
        seconds, text = min(tries)
        cells = size * size
        report["hex"].append({"size": size, "seconds": seconds, "ir_bytes": text})
        print(
            f"{size:>4}x{size:<2} {cells:>6} {seconds:8.3f} {text:>9,}"
            f" {1000 * seconds / cells:8.2f} {text / cells:10.0f}"
        )
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def first_playout(path: Path, params: dict[str, Any]) -> tuple[float, int]:
    """CPU seconds from text to the end of one playout, and the size of the module's text."""
    start = time.process_time()
    game = game_of(load_model(read_source(path), params), "native")
    game.playouts(1, seed=1)
    return time.process_time() - start, len(game.functions.text("playouts"))


if __name__ == "__main__":
    main()
