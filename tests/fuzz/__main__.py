"""Fuzzes the front end at full count: `python -m tests.fuzz --count 20000 --seed 1`.

Every input must give a Model or diagnostics, within 2 s of processor time, and the process must not grow.
Prints what breaks this, with the seed that makes the input again.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import traceback
from random import Random

from gdl.diagnostics import Source
from gdl.loading import diagnose
from tests.fuzz.mutate import damaged
from tests.fuzz.texts import game_texts

SLOW = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    texts = game_texts()
    broken, models, slowest, start_memory = 0, 0, 0.0, 0
    for number in range(options.count):
        text = damaged(texts, Random(f"{options.seed} {number}"))
        before = time.process_time()
        try:
            model, _ = diagnose(Source("<fuzz>", text))
            models += model is not None
        except Exception:
            broken += 1
            print(f"input {options.seed} {number}:\n{traceback.format_exc(limit=-4)}")
        spent = time.process_time() - before
        slowest = max(slowest, spent)
        if spent > SLOW:
            broken += 1
            print(f"input {options.seed} {number} took {spent:.1f} s")
        if number == options.count // 10:
            start_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start_memory
    print(
        f"{options.count:,} inputs, {models:,} still games, {broken} broken, slowest {slowest:.2f} s, "
        f"memory grew by {grown / 1024:.1f} MB after the first tenth"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
