"""Exact solving: exploration, memory and solving, beside a loop written by hand for Pig and beside OpenSpiel.

    python benchmarks/exact_solving.py [pig] [openspiel] [explore] [tictactoe] [threads] [growth] [large]
                                       [--json FILE]

Values are compared with what is known before anything is timed. Times are CPU seconds of one thread (one
partition), so that a busy machine disturbs them little; kernels are compiled, or read from numba's cache,
beforehand. `threads` compares one partition and two by the CPU seconds of the busiest thread, which is what
the clock shows on a quiet machine, and gives the clock beside it. `growth` goes up to 10^8 positions; `large`
solves the largest games that fit. Both take many minutes and gigabytes, and run only when asked for.

Goals: Pig within 5 x the hand-written loop and 50 x faster than OpenSpiel's value iteration; 1 million
positions per second and core on Connect Four 5x4 and Pig; at most 16 bytes + key per position without
edges; a speed that does not fall from 10^4 to 10^8 positions, exploring or solving; tic-tac-toe in 50 ms;
with two partitions no small game is slower, and large ones are faster.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
from numba import njit

from gdl import load
from solvers.registry import choose
from solvers.whole.kernels.breadth_first import Progress, reach
from solvers.whole.kernels.induction_without_edges import induce_regenerating
from solvers.whole.kernels.solve import Settings, Solved, solve_whole
from solvers.whole.kernels.space import Space, cores

PIG_100 = 0.530592725273746  # Neller & Presser 2004; more digits by an independent program
PIG_20 = 0.615558549805043

records: list[dict[str, Any]] = []


def report(what: str, goal: str = "", **numbers: Any) -> None:
    records.append({"what": what, "goal": goal, **numbers})
    shown = "  ".join(f"{name} {_number(value)}" for name, value in numbers.items())
    print(f"{what:<34} {shown}" + (f"   (goal: {goal})" if goal else ""), flush=True)


def _number(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def solved(name: str, solver: str | None = None, repeat: int = 1, **params: Any) -> tuple[Solved, float]:
    """The solution and the fewest CPU seconds on one partition, machine code and kernels being ready."""
    game = load(name, engine="native", **params)
    solver = solver or choose(game)[0]
    small = load(name, engine="native", **{**params, **({"goal": 5} if name == "pig" else {})})
    if name in ("pig", "tictactoe"):
        solve_whole(small, solver, settings=Settings(partitions=1))  # loads kernels
    Space(game, game.compiled, 1)
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        answer = solve_whole(game, solver, settings=Settings(partitions=1))
        best = min(best, time.process_time() - start)
    return answer, best


# ---------------------------------------------------------------------------------------- pig


@njit(cache=True)
def pig_by_hand(goal: int, precision: float) -> float:
    """The probability that the player to move wins Pig: Jacobi iteration until nothing changes by more."""
    value = np.zeros((goal, goal, goal))
    after = np.zeros((goal, goal, goal))
    while True:
        change = 0.0
        for mine in range(goal):
            for theirs in range(goal):
                for pot in range(goal - mine):
                    roll = 1.0 - value[theirs, mine, 0]
                    for face in range(2, 7):
                        roll += 1.0 if mine + pot + face >= goal else value[mine, theirs, pot + face]
                    roll /= 6.0
                    hold = 1.0 - value[theirs, mine + pot, 0]
                    best = max(roll, hold)
                    change = max(change, abs(best - value[mine, theirs, pot]))
                    after[mine, theirs, pot] = best
        value, after = after, value
        if change < precision:
            return value[0, 0, 0]


def pig() -> None:
    pig_by_hand(5, 1e-9)
    start = time.process_time()
    by_hand = pig_by_hand(100, 1e-9)
    hand = time.process_time() - start
    answer, ours = solved("pig", repeat=2)
    value = answer.result.values[0]
    assert value is not None and value.low is not None and value.high is not None
    assert abs(by_hand - PIG_100) < 1e-6
    assert value.low <= 2 * PIG_100 - 1 <= value.high and value.high - value.low <= 1e-9
    found = answer.statistics
    report(
        "pig 100, bounds to 1e-9",
        "ratio at most 5",
        positions=found.positions,
        edges=found.edges,
        by_hand=hand,
        ours=ours,
        ratio=ours / hand,
        explore=found.explore_seconds,
        solve=found.solve_seconds,
        width=found.widest,
    )


_OPENSPIEL = """
import resource, sys, time, types
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
# Its module imports a solver of linear programs, which it needs only where players move at the same time.
sys.modules["open_spiel.python.algorithms.lp_solver"] = types.ModuleType("lp_solver")
sys.setrecursionlimit(10_000)  # it visits states by recursion, as deep as the horizon of the game
import pyspiel
from open_spiel.python.algorithms import value_iteration
game = pyspiel.load_game("pig(players=2,winscore=20)")
start = time.process_time()
values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-9, cyclic_game=True)
print(time.process_time() - start, values[str(game.new_initial_state())])
"""


def openspiel() -> None:
    """In a process of its own, with 4 GB and 300 CPU seconds: it may need more than there is."""
    answer, ours = solved("pig", goal=20, repeat=5)
    assert abs(answer.result.value - (2 * PIG_20 - 1)) < 1e-9
    ran = subprocess.run([sys.executable, "-c", _OPENSPIEL], capture_output=True, text=True, check=False)
    goal = "OpenSpiel takes 50 x"
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or [f"signal {-ran.returncode}"])[-1]
        report("pig 20", goal, ours=ours, openspiel=f"gave up: {reason}")
    else:
        theirs, value = map(float, ran.stdout.split())
        report("pig 20", goal, ours=ours, openspiel=theirs, ratio=theirs / ours, their_value=value)


# -------------------------------------------------------------------------------- exploration


def speed(name: str, goal: str = "", **params: Any) -> None:
    game = load(name, engine="native", **params)
    warm = load("connect_four", engine="native", width=3, height=3)
    with Space(warm, warm.compiled, 1) as space:
        reach(space, warm.initial(), edges=False)  # loads what the preparation of a space does not
    with Space(game, game.compiled, 1) as space:
        start = time.process_time()
        found = reach(space, game.initial(), edges=False)
        seconds = time.process_time() - start
        table = space.parts[0].bytes / found.positions
    label = " ".join([name, *(f"{key}={value}" for key, value in params.items())])
    report(
        label,
        goal,
        positions=found.positions,
        edges=found.edges,
        cpu_seconds=seconds,
        million_per_second=found.positions / seconds / 1e6,
        million_edges_per_second=found.edges / seconds / 1e6,
        bytes_with_value=table + 8,
        key_bytes=8 * game.compiled.key_words,
    )


def exploration() -> None:
    goal = "1 million/s, 16 bytes + key"
    speed("connect_four", goal, width=5, height=4)
    speed("pig", goal)
    speed("othello", size=4)


def growth() -> None:
    """Exploring, and backward induction that generates successors again instead of keeping edges."""
    for width, height, known, repeat in (
        (4, 3, 0, 20),
        (4, 4, 0, 10),
        (5, 4, 0, 3),
        (5, 5, 0, 1),
        (6, 4, -1, 1),
    ):
        game = load("connect_four", engine="native", width=width, height=height)
        exploring = solving = float("inf")
        for _ in range(repeat):
            with Space(game, game.compiled, 1) as space:
                start = time.process_time()
                found = reach(space, game.initial(), edges=False)
                middle = time.process_time()
                values = induce_regenerating(found)
                exploring = min(exploring, middle - start)
                solving = min(solving, time.process_time() - middle)
            value = values.value(game.initial()[0].position)
            assert value is not None and value[0].number == known  # Tromp
        report(
            f"connect_four {width}x{height}",
            "flat",
            positions=found.positions,
            edges=found.edges,
            explored_million_per_second=found.positions / exploring / 1e6,
            explored_million_edges_per_second=found.edges / exploring / 1e6,
            solved_million_per_second=found.positions / solving / 1e6,
            solved_million_edges_per_second=found.edges / solving / 1e6,
            key_bytes=8 * game.compiled.key_words,
            bytes_with_key_and_value=(space.bytes + 8 * found.positions) / found.positions,
            gigabytes_at_most=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        )


class BusiestThread:
    """The CPU seconds of the busiest thread: the clock of a machine that does nothing else.

    The calling thread's, and of the work that is shared out that of the thread which has most of it. Where
    both cores are taken it can happen that one thread does it all; a share is then counted as if it had been
    taken by whichever thread is free.
    """

    def __init__(self) -> None:
        self._shared = 0.0
        self._each = Space.each

    @property
    def seconds(self) -> float:
        return time.thread_time() + self._shared

    def __enter__(self) -> BusiestThread:
        def each(space: Space, work: Callable[[int], None], *given: Any, **named: Any) -> None:
            spent: list[float] = []
            caller = get_ident()

            def timed(p: int) -> None:
                start = time.thread_time()
                work(p)
                if get_ident() != caller:  # whose clock counts it
                    spent.append(time.thread_time() - start)

            self._each(space, timed, *given, **named)
            loads = [0.0] * min(space.size, cores())
            for share in sorted(spent, reverse=True):
                loads[loads.index(min(loads))] += share
            self._shared += max(loads)

        Space.each = each  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: object) -> None:
        Space.each = self._each  # type: ignore[method-assign]


def threads() -> None:
    """The busiest thread with one partition and with two, the best of three runs each; and the clock."""
    for name, solver, params, edges in (
        ("tictactoe", "backward_induction", {}, True),
        ("pig", "value_iteration", {"goal": 20}, True),
        ("othello", "backward_induction", {"size": 4}, True),
        ("pig", "value_iteration", {}, True),
        ("pig", "value_iteration", {"goal": 200}, True),
        ("connect_four", "backward_induction", {"width": 5, "height": 4}, True),
        ("connect_four", "backward_induction", {"width": 5, "height": 4}, False),
        ("connect_four", "retrograde", {"width": 5, "height": 4}, True),
        ("royal_game_of_ur", "value_iteration", {"pieces": 3}, True),
    ):
        game = load(name, engine="native", **params)
        best: dict[int, tuple[float, ...]] = {}
        for partitions in (1, 2) * 3:
            with BusiestThread() as busiest:
                explored = [busiest.seconds]

                def exploring(
                    _: Progress, busiest: BusiestThread = busiest, explored: list[float] = explored
                ) -> None:
                    explored[1:] = [busiest.seconds]

                settings = Settings(partitions=partitions, edges=edges, exploring=exploring)
                found = solve_whole(game, solver, settings=settings).statistics
                start, middle = explored
                now = middle - start, busiest.seconds - middle, found.explore_seconds, found.solve_seconds
            best[partitions] = tuple(map(min, best.get(partitions, now), now))
        one, two = best[1], best[2]
        report(
            " ".join([name, solver, *(f"{key}={value}" for key, value in params.items())])
            + ("" if edges else " without edges"),
            positions=found.positions,
            explore_1=one[0],
            explore_2=two[0],
            explore_gain=one[0] / two[0],
            solve_1=one[1],
            solve_2=two[1],
            solve_gain=one[1] / two[1],
            both=sum(one[:2]) / sum(two[:2]),
            clock=f"explore {one[2]:.3g} {two[2]:.3g}, solve {one[3]:.3g} {two[3]:.3g}",
        )


def tictactoe() -> None:
    answer, seconds = solved("tictactoe", repeat=10)
    assert answer.result.value == 0
    report("tic-tac-toe", "0.05", cpu_seconds=seconds, positions=answer.statistics.positions)


def large() -> None:
    for name, known, tolerance, params in (
        ("othello", -8, 0, {"size": 4}),
        ("royal_game_of_ur", 2 * 0.530049839525 - 1, 1e-9, {"pieces": 1}),
        ("royal_game_of_ur", 2 * 0.518572907496 - 1, 1e-9, {"pieces": 2}),
        ("connect_four", 0, 0, {"width": 5, "height": 5}),
        ("connect_four", -1, 0, {"width": 6, "height": 4}),
        ("royal_game_of_ur", None, 0, {"pieces": 3}),
        ("royal_game_of_ur", None, 0, {"pieces": 4}),
    ):
        answer, seconds = solved(name, **params)
        assert known is None or abs(float(answer.result.value) - known) <= tolerance
        found = answer.statistics
        report(
            " ".join([name, *(f"{key}={value}" for key, value in params.items())]),
            value=float(answer.result.value),
            width=found.widest,
            positions=found.positions,
            edges=found.edges,
            cpu_seconds=seconds,
            bytes_per_position=found.position_bytes / found.positions,
            bytes_per_edge=found.edge_bytes / max(1, found.edges),
            gigabytes_at_most=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        )


PARTS = {
    "pig": pig,
    "openspiel": openspiel,
    "explore": exploration,
    "tictactoe": tictactoe,
    "threads": threads,
    "growth": growth,
    "large": large,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts; the quick ones if none")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    given = parser.parse_args()
    for part in given.parts or [name for name in PARTS if name not in ("growth", "large")]:
        PARTS[part]()
    if given.json:
        given.json.write_text(json.dumps(records, indent=2) + "\n")


if __name__ == "__main__":
    main()
