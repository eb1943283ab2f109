"""`gdl bench`: how fast a game runs natively on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import GameName, Json, Params, print_facts, print_json, read_game, read_params

if TYPE_CHECKING:
    from gdl.native.engine import NativeGame


def bench(
    game: GameName,
    params: Params = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=0.05, help="CPU time for each measurement.")
    ] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Which random games are played.")] = 1,
    longest: Annotated[
        int, typer.Option("--longest", metavar="N", min=1, help="Give up a playout after so many moves.")
    ] = 100_000,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, help="Also measure playouts in so many threads.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Measure how fast a game compiles and runs.

    One thread, per CPU-second: random playouts and the moves made in them, legal moves listed, and outcomes
    of moves enumerated, in positions from random play. Compiling is timed from text to first playout. With
    several threads, how many times as many playouts are done in the same time by the clock, which needs as
    many idle cores, and what each costs in CPU time, which does not.
    """
    result = measure(game, params, seconds, seed, longest, threads)
    if as_json:
        print_json(result)
        return
    from solvers.core.numbers import show_rate

    settings = "".join(f", {name}={value}" for name, value in result["params"].items())
    print_facts(
        [
            ("playouts/s", show_rate(result["playouts_per_second"])),
            ("moves made/s", show_rate(result["moves_made_per_second"])),
            ("moves listed/s", show_rate(result["moves_listed_per_second"])),
            ("outcomes/s", show_rate(result["outcomes_per_second"])),
            (
                f"{threads} threads",
                f"{result['speedup']:.2f} times the playouts of one in the same time, "
                f"each for {result['cpu_per_playout']:.2f} times the CPU time",
            ),
            ("moves per game", show_rate(result["moves_per_game"])),
            ("unfinished", f"{show_rate(100 * result['unfinished'])} %"),
            ("check", f"{result['check_seconds']:.3f} s"),
            ("compile", f"{result['compile_seconds']:.3f} s to the first playout"),
            ("position", f"{result['position_bytes']} bytes, key {result['key_bits']} bits"),
        ],
        f"{result['game']}{settings}, seed {seed}",
    )


def measure(
    game: str, params: list[str] | None, seconds: float, seed: int, longest: int, threads: int
) -> dict[str, Any]:
    """The measurements as plain data."""
    source, given = read_game(game), read_params(params)
    from gdl.loading import load_model
    from gdl.model.parameters import parameters
    from gdl.native.engine import NativeGame

    begin = time.perf_counter()
    model = load_model(source, given)
    checked = time.perf_counter()
    native = NativeGame(model)
    native.playouts(1, seed=seed, limit=longest)
    compiled = time.perf_counter()
    played = finished = plies = 0
    spent, batch = 0.0, 1
    while spent < seconds:
        start = time.process_time()
        result = native.playouts(batch, seed=seed + played, limit=longest)
        took = time.process_time() - start
        played, finished, plies = played + batch, finished + result.finished, plies + result.plies
        spent += took
        batch = max(1, min(4 * batch, int(batch * seconds / 4 / took) if took > 0 else 4 * batch))
    listed, enumerated = _step_rates(native, seconds, seed)
    faster, dearer = compare_threads(native, threads, int(played / spent * seconds / _TURNS), seed, longest)
    return {
        "game": model.name,
        "params": parameters(model),
        "seed": seed,
        "playouts_per_second": played / spent,
        "moves_made_per_second": plies / spent,
        "moves_listed_per_second": listed,
        "outcomes_per_second": enumerated,
        "threads": threads,
        "speedup": faster,
        "cpu_per_playout": dearer,
        "moves_per_game": plies / played,
        "unfinished": 1 - finished / played,
        "check_seconds": checked - begin,
        "compile_seconds": compiled - checked,
        "position_bytes": native.functions.program.layout.size,
        "key_bits": native.functions.program.layout.key_bits,
    }


_TURNS = 5


def compare_threads(
    native: NativeGame, threads: int, games: int, seed: int, longest: int
) -> tuple[float, float]:
    """How many times as many playouts several threads do in the same time as one, and for how many times the
    CPU time each.

    One thread and all of them take turns, so that other programs disturb both alike.
    """
    from concurrent.futures import ThreadPoolExecutor

    def turn(pool: ThreadPoolExecutor, count: int) -> tuple[float, float]:
        begin, used = time.perf_counter(), time.process_time()
        list(pool.map(lambda k: native.playouts(max(1, games), seed + k, limit=longest), range(count)))
        return time.perf_counter() - begin, time.process_time() - used

    with ThreadPoolExecutor(threads) as pool:
        turns = [(turn(pool, 1), turn(pool, threads)) for _ in range(_TURNS)]
    clock, cpu = (sum(one[k] for one, _ in turns) / sum(all_[k] for _, all_ in turns) for k in (0, 1))
    return threads * clock, 1 / (threads * cpu)


_SAMPLE = 200
_MOVES = 8  # of which the outcomes are enumerated, in each position
_CAPACITY = 4096


def _step_rates(native: NativeGame, seconds: float, seed: int) -> tuple[float, float]:
    """Legal moves listed and outcomes enumerated per CPU-second, in positions from random play."""
    import ctypes

    from gdl.native.emit.outcomes import record_of, script_size

    program, functions = native.functions.program, native.functions
    steps = _random_steps(native, Random(seed))
    listed = (ctypes.c_int64 * _CAPACITY)()
    records = ctypes.create_string_buffer(_CAPACITY * record_of(program).size)
    table = (ctypes.c_uint32 * (4 * _CAPACITY))()
    script = ctypes.create_string_buffer(script_size(program))

    def list_moves() -> int:
        return sum(functions["moves"](form, listed, _CAPACITY) for form, _ in steps)

    def enumerate_outcomes() -> int:
        return sum(
            max(0, functions["outcomes"](form, number, records, _CAPACITY, table, script))
            for form, numbers in steps
            for number in numbers[:_MOVES]
        )

    return _rate(list_moves, seconds / 2), _rate(enumerate_outcomes, seconds / 2)


def _random_steps(native: NativeGame, rng: Random) -> list[tuple[bytes, list[int]]]:
    """Positions of random play (working forms), each with the numbers of its legal moves."""
    steps: list[tuple[bytes, list[int]]] = []
    position: Any = None
    while len(steps) < _SAMPLE:
        if position is None:
            position = rng.choice(native.initial()).position
        moves = native.moves(position)
        if moves:
            steps.append((native.form(position), [native.move_number(move) for move in moves]))
            position = rng.choice(native.outcomes(position, rng.choice(moves))).position
        else:
            position = None
            if not steps:
                break  # the game is over before it begins
    return steps


def _rate(work: Callable[[], int], seconds: float) -> float:
    work()  # compiles
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent
