"""How long an editor waits for the mistakes of a text after a key: edits of a game through `gdl lsp`.

    python benchmarks/editing.py                         300 edits of chess
    python benchmarks/editing.py --game tak --edits 1000

Goal: under 100 ms of the server's CPU time from each change to its diagnostics, for chess. Each edit breaks
the text or mends it: a character less, one more, a comment, anywhere, and where everything depends on it
(`position:`, types, defs). The time that the server waits for a next key before it checks is no CPU time.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from gdl.loading import games
from tests.lsp.client import Client


def edits(text: str, count: int, seed: int) -> Iterator[tuple[int, str]]:
    """Versions of a text, each with one line changed, and which."""
    rng = random.Random(seed)
    lines = text.split("\n")
    heads = [n for n, line in enumerate(lines) if line.startswith(("def ", "type ", "position", "effect "))]
    for number in range(count):
        line = rng.choice(heads) if rng.random() < 0.3 else rng.randrange(len(lines))
        at = rng.randrange(len(lines[line]) + 1)
        old = lines[line]
        new = rng.choice((old[:at] + old[at + 1 :], old[:at] + "x" + old[at:], f"{old}  # {number}"))
        yield line + 1, "\n".join([*lines[:line], new, *lines[line + 1 :]])


def spent(pid: int) -> float:
    """The CPU time of a process, in milliseconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--game", default="chess")
    options.add_argument("--edits", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    text = games()[chosen.game].read_text(encoding="utf-8")
    times = []
    with Client() as client:
        pid = client.process.pid
        client.open(text)
        for line, version in edits(text, chosen.edits, chosen.seed):
            client.at("hover", 0, 0)  # what the last answer left behind is gone
            before = spent(pid)
            client.write(version)
            times.append((spent(pid) - before, line))
    times.sort()
    middle, late, (most, line) = times[len(times) // 2][0], times[len(times) * 99 // 100][0], times[-1]
    print(
        f"{chosen.edits} edits of {chosen.game}, seed {chosen.seed}: CPU ms from a change to its diagnostics"
    )
    print(f"median {middle:.0f}, 99 of 100 within {late:.0f}, longest {most:.0f} (line {line}); goal 100")


if __name__ == "__main__":
    main()
