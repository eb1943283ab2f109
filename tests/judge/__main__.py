"""The full count: `python -m tests.judge --count 10000 [--seed N] [--jobs 2] [--minutes M]`.

Says how far it has come, ends on Ctrl-C with what was judged so far, writes every failure to a file with
the game and the command that judges it again, and ends with a table of what was covered. Exit status 1
on failures.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.judge.crew import Judged, draw, judge_numbered, judged
from tests.judge.hold import Verdict

AXES = ("trait", "solver", "engine", "leaf", "budget", "answer", "proof", "plays")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.judge")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="how many games")
    parser.add_argument("--seed", type=int, metavar="N", help="the run again; fresh if not given")
    parser.add_argument(
        "--from", type=int, default=0, metavar="K", dest="first", help="the first game's number"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--minutes", type=float, metavar="M", help="stop after so many")
    parser.add_argument("--out", type=Path, default=Path("judge-failures.txt"), metavar="FILE")
    parser.add_argument("--only", type=int, metavar="K", help="judge one game of the run, here, and show it")
    parser.add_argument("--file", type=Path, metavar="GAME", help="judge a game of your own")
    parser.add_argument(
        "--intervals", action="store_true", help="judge the intervals of estimates, over 200 seeds"
    )
    options = parser.parse_args()
    seed = Random().randrange(10**6) if options.seed is None else options.seed
    if options.file is not None:
        return _file(options.file, options.count)
    if options.only is not None:
        return _only(seed, options.only)
    if options.intervals:
        return _intervals(seed)
    return _many(seed, options)


def _many(seed: int, options: argparse.Namespace) -> int:
    print(f"seed {seed}, {options.count:,} games, failures to {options.out}", flush=True)
    began = time.monotonic()
    whole, games, failing = Verdict(), 0, 0
    signatures: Counter[tuple[str, str, str]] = Counter()
    shown = 0.0

    def late() -> bool:
        return options.minutes is not None and time.monotonic() - began > 60 * options.minutes

    with options.out.open("w", encoding="utf-8") as file:
        numbers = iter(range(options.first, options.first + options.count))
        try:
            for found in judged(seed, numbers, options.jobs, late):
                games += 1
                whole += found.verdict
                failing += bool(found.verdict.complaints)
                for complaint in found.verdict.complaints:
                    signatures[complaint.signature] += 1
                if found.verdict.complaints:
                    file.write(told(seed, found) + "\n")
                    file.flush()
                if time.monotonic() - shown > 10:
                    shown = time.monotonic()
                    minutes = (shown - began) / 60
                    print(f"{games:,} games, {failing:,} fail, {minutes:.1f} minutes", flush=True)
        except KeyboardInterrupt:
            print("stopped", flush=True)
    print(summary(seed, games, failing, signatures, whole, time.monotonic() - began))
    return 1 if failing else 0


def told(seed: int | str, found: Judged) -> str:
    """A failing game for people."""
    lines = [
        f"=== game {found.number}: python -m tests.judge --seed {seed} --only {found.number}",
        found.text,
    ]
    for complaint in found.verdict.complaints:
        lines.append(f"--- {complaint.kind}: {complaint.question}: {complaint.message}")
        if (cut := found.cut.get(complaint.signature)) is not None and cut != found.text:
            lines += ["    smaller:", *("    " + line for line in cut.splitlines())]
    return "\n".join(lines) + "\n"


def summary(
    seed: int | str,
    games: int,
    failing: int,
    signatures: Counter[tuple[str, str, str]],
    whole: Verdict,
    seconds: float,
) -> str:
    """What was covered, axis by axis, and what failed."""
    lines = [f"seed {seed}: {games:,} games, {failing:,} fail, {seconds / 60:.1f} minutes"]
    for axis in AXES:
        rows = sorted(((n, what) for (a, what), n in whole.seen.items() if a == axis), reverse=True)
        total = games if axis == "trait" else sum(n for n, _ in rows)
        unit = (
            "games"
            if axis == "trait"
            else "texts"
            if axis == "proof"
            else "plays"
            if axis == "plays"
            else "answers"
        )
        if rows:
            lines.append(f"{axis} ({unit})")
            lines += [f"  {what:<32} {n:>9,}  {100 * n / max(total, 1):5.1f} %" for n, what in rows]
    if signatures:
        lines.append("failures (games)")
        lines += [f"  {n:>7,}  {' / '.join(signature)}" for signature, n in signatures.most_common()]
    return "\n".join(lines)


def _only(seed: int, number: int) -> int:
    from contextlib import nullcontext

    print(draw(seed, number).text)
    found = judge_numbered(seed, number, lambda question: nullcontext(), {})
    print(told(seed, found) if found.verdict.complaints else "nothing is wrong")
    return 1 if found.verdict.complaints else 0


def _file(path: Path, count: int) -> int:
    """Judges a game by its own text, with so many draws of questions."""
    import gdl
    from tests.judge.generate import Drawn, traits_of
    from tests.judge.graph import read_graph
    from tests.judge.hold import judge

    text = path.read_text(encoding="utf-8")
    graph = read_graph(gdl.loads(text, engine="reference"), 5000)
    drawn = Drawn(text, graph, traits_of(graph))
    failures = {}
    for attempt in range(min(count, 20)):
        for complaint in judge(drawn, Random(attempt)).complaints:
            failures.setdefault(complaint.signature, complaint)
    for complaint in failures.values():
        print(f"{complaint.kind}: {complaint.question}: {complaint.message}")
    print(f"{len(graph.places)} positions, {len(failures)} failures")
    return 1 if failures else 0


def _intervals(seed: int) -> int:
    from tests.judge.intervals import covered, within

    failed = False
    for name, share in covered(seed):
        good = share is not None and within(share)
        failed |= not good
        print(
            f"{name:<50} {'-' if share is None else f'{share:.1%}'}{'' if good else '   FAILS'}", flush=True
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
