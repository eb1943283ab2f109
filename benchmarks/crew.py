"""What it costs to have work done elsewhere:

    export PYTHONPATH=.    # where workers find this file
    python benchmarks/crew.py processes:2 dask:2 ray:2
    mpiexec -n 3 python benchmarks/crew.py mpi

For every place: seconds until it answers; milliseconds for a piece that does nothing, by the clock and of
this process's CPU; and for the games of a match, beside one process in the same run, turn about: how many
times as fast by the clock, and the ratio of the CPU times that the games themselves took.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter, process_time

from gdl.crew.crew import results
from gdl.crew.engine import Engine
from gdl.crew.places import enlist, opened
from gdl.crew.work import Job
from gdl.loading import load_model, read_source
from gdl.playing.matches import Setting, play_round, round_robin

GAME, AGENTS = "connect_four", ("mcts(simulations=2000)", "random")
PIECES, ROUNDS, TURNS = 300, 40, 5

Ready = tuple[object, Setting]


def prepare(setting: Setting) -> Ready:
    from gdl.loading import game_of

    assert setting.source is not None
    return game_of(load_model(setting.source, {}), "native"), setting


def nothing(_: object, number: int) -> int:
    return number


def played(ready: Ready, number: int) -> float:
    """The CPU seconds of one round."""
    game, setting = ready
    (pairing,) = round_robin(2, 2)
    began = process_time()
    play_round(game, setting, pairing, 0, number)  # type: ignore[arg-type]
    return process_time() - began


def timed(engine: Engine, job: Job[Setting, Ready, int, float]) -> tuple[float, float]:
    """Seconds by the clock, and CPU seconds of the games."""
    began = perf_counter()
    taken = sum(cpu for _, cpu in results(engine, ((job, k) for k in range(ROUNDS)), ordered=False))
    return perf_counter() - began, taken


def main(places: list[str]) -> None:
    for place in places:
        enlist(place)  # ranks that work never come back from here
    source = read_source(GAME)
    setting = Setting(source, {}, "native", AGENTS, 1, 0, None)
    own = prepare(setting)
    idle = Job(prepare, nothing, setting, source, own=own)
    busy = Job(prepare, played, setting, source, own=own)
    played(own, 0)  # kernels are compiled
    print(f"{'place':<12} {'ready s':>8} {'piece ms':>9} {'own CPU ms':>11} {'speed':>6} {'CPU':>5}")
    for place in places:
        began = perf_counter()
        with opened(place) as engine, opened("processes:1") as here:
            warm = list(results(engine, ((busy, k) for k in range(8 * engine.size)), ordered=False))
            ready = perf_counter() - began
            assert len(warm) == 8 * engine.size
            began, cpu = perf_counter(), process_time()
            assert sum(1 for _ in results(engine, ((idle, k) for k in range(PIECES)))) == PIECES
            piece, own_cpu = perf_counter() - began, process_time() - cpu
            pairs = [(timed(here, busy), timed(engine, busy)) for _ in range(TURNS)]
        speed = median(alone[0] / there[0] for alone, there in pairs)
        more = median(there[1] / alone[1] for alone, there in pairs)
        piece, own_cpu = 1000 * piece / PIECES, 1000 * own_cpu / PIECES
        row = f"{place:<12} {ready:>8.1f} {piece:>9.2f} {own_cpu:>11.2f} {speed:>6.2f} {more:>5.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    from benchmarks import crew  # by the name under which workers have it

    crew.main(sys.argv[1:] or ["processes:2", "dask:2", "ray:2"])
