"""Intervals judged as intervals: over 200 seeds a "95 %" interval covers the truth 90 to 99 % of the time.

The games are chosen so that such a share means something: payments of several sizes or a coin of 3 to 7,
samples of sixty, so that means are spread over many values. What is read is what is printed. The truth
is the value of random play, from the oracle. (A growing tree has no interval at all: `hold` sees to it
that none is printed.)
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.judge.graph import read_graph
from tests.judge.hold import games_of, run_gdl
from tests.judge.oracle import Truth
from tests.judge.reading import NUMBER

SEEDS = 200

SAMPLES = 60

DICE = """game dice
players: a
position:
    x: 0..6 = 0
move roll: x ~ 1..6
move bold: x ~ {1: 1/2, 6: 1/2}
terminal: x > 0
utility: x
"""

FEES = """game fees
players: a, b
position:
    over: bool
    turn: player = a
player: turn
move ask:
    n ~ 1..4
    reward n if turn == a else -n
    chance:
        1/4: over = true
        else: turn = next(turn)
terminal: over
utility: 0
"""

COINS = """game coins
players: a, b
position:
    x: 0..3 = 0
player: a
move toss: x ~ {1: 3/10, 2: 1/2, 3: 1/5}
terminal: x > 0
utility: 1 if x == 1 else -1 if x == 2 else 0
"""

MATCHING = """game matching
players: a, b
position:
    x: 0..3 = 0
    y: 0..3 = 0
player: a if x == 0 else b
move hide(k: 1..3) when x == 0: x = k
move seek(k: 1..3) when x > 0: y = k
terminal: y > 0
utility: -2 if x == y else 1
"""

GAMES = (DICE, FEES, COINS, MATCHING)

MOST = 0.95
"""Of the seeds so many have to give an interval."""

Interval = tuple[Fraction, Fraction]


def covered(first: int, games: Sequence[str] = GAMES) -> Iterator[tuple[str, float | None]]:
    """Per thing that prints an interval, how often it covers; None where it prints none.

    `first` is the first of the seeds. A share that is out of bounds is counted again over four times as many
    others: among some dozens one is out by chance.
    """
    with tempfile.TemporaryDirectory() as folder:
        for text in games:
            file = Path(folder) / "game.gdl"
            file.write_text(text, encoding="utf-8")
            for name, share in _of_game(text, str(file)):
                found = share(range(first, first + SEEDS))
                if found is not None and not within(found):
                    found = share(range(first + SEEDS, first + 5 * SEEDS))
                yield name, found


def within(share: float) -> bool:
    return 0.90 <= share <= 0.99


Share = Callable[[range], float | None]
"""How often the intervals of these seeds cover the truth."""


def _of_game(text: str, file: str) -> Iterator[tuple[str, Share]]:
    graph = read_graph(games_of(text)["reference"])
    truth = Truth(graph)
    values = truth.stake("chain", 0)
    assert values is not None
    value = truth.at_start(values)
    name = text.split()[1]
    start = graph.starts[0][1]
    worths = truth.of_choices(start, values, 0)

    def share(read: Callable[[int], Interval | None], true: Fraction) -> Share:
        def counted(seeds: range) -> float | None:
            given = [interval for seed in seeds if (interval := read(seed)) is not None]
            if len(given) < MOST * len(seeds):
                return None  # one that shows now and then is chosen by what it shows
            return sum(low <= true <= high for low, high in given) / len(given)

        return counted

    for engine in ("reference", "native"):
        for k in range(len(worths)):
            yield (
                f"{name}: move {k} of flat_monte_carlo, {engine}",
                share(lambda seed, k=k, engine=engine: _flat(text, engine, seed, k), worths[k]),
            )
        yield (
            f"{name}: simulated plays of policies, {engine}",
            share(lambda seed, engine=engine: _policies(text, engine, seed), value),
        )
    run = ["run", file, "-a", "random", "-n", str(SAMPLES)]
    yield f"{name}: gdl run", share(_printing(run, text, r"^  a .*mean utility (.*)$"), value)
    everybody = [word for player in graph.players for word in ("--agent", f"{player}=random")]
    solve = ["solve", file, *everybody, "--simulations", str(SAMPLES)]
    yield f"{name}: gdl solve", share(_printing(solve, text, r"^  a  +(.*)$"), value)
    seats = [word for player in graph.players for word in ("-a", f"{player}=random")]
    by_seat = ["match", file, *seats, "-n", str(SAMPLES), "--jobs", "1"]
    yield f"{name}: gdl match, seats", share(_printing(by_seat, text, r"(\S+ ± .*|\S+ \(.*)$"), value)
    if name == "matching":  # in the others the same chance with swapped seats pays the opposite
        match = ["match", file, "-a", "random", "-a", "random", "-n", str(2 * SAMPLES), "--jobs", "1"]
        scores = _printing(match, text, r"random .*?(\S+% ± \S+%|\S+% \([^)]*\))")
        yield f"{name}: gdl match, score", share(scores, Fraction(50))
        paid = _printing(match, text, r"random .* (\S+ ± [^\s%]+|\S+ \([^)%]*\))\s*$")
        yield f"{name}: gdl match, payoff", share(paid, Fraction(0))


def interval_of(text: str) -> Interval | None:
    """The interval in a printed estimate: `0.37 ± 0.06`, `1 (95 %: 0.83 .. 1)`."""
    text = text.replace("95 %", "").replace("%", "")
    if match := re.search(rf"({NUMBER}) ± ({NUMBER})", text):
        middle, error = Fraction(match[1].replace(",", "")), Fraction(match[2].replace(",", ""))
        return middle - error, middle + error
    if match := re.search(rf"({NUMBER}) \.\. ({NUMBER})\)", text):
        return Fraction(match[1].replace(",", "")), Fraction(match[2].replace(",", ""))
    return None


def _flat(text: str, engine: str, seed: int, move: int) -> Interval | None:
    import solvers

    game = games_of(text)[engine]
    moves = len(game.moves(game.initial()[0].position))
    result: Any = solvers.solve(game, "flat_monte_carlo", simulations=SAMPLES * moves, seed=seed)
    return interval_of(str(result.moves[move].value))


def _policies(text: str, engine: str, seed: int) -> Interval | None:
    import solvers

    result: Any = solvers.solve(games_of(text)[engine], "policy_evaluation", simulations=SAMPLES, seed=seed)
    return interval_of(str(result.values[0]))


def _printing(command: list[str], text: str, where: str) -> Callable[[int], Interval | None]:
    """The interval that a command prints with a seed, in the first line that fits."""

    def read(seed: int) -> Interval | None:
        code, out, err = run_gdl([*command, "--seed", str(seed)], text)
        assert code == 0, err
        found = (match for line in out.splitlines() if (match := re.search(where, line)))
        match = next(found, None)
        return None if match is None else interval_of(match[1])

    return read
