"""Processes that work for the server: what runs away is stopped, and nobody else is harmed."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from gdl.loading import games
from gdl.serve.workers import Failed, Pool


def game(name: str, text: str | None = None) -> dict[str, Any]:
    return {"name": name, "text": text or games()[name].read_text(encoding="utf-8"), "params": {}}


LONG = """game long
players: one
position:
    n: 0..1000000000 = 0
player: one
terminal: n == 1000000000
utility(p): 0
move count:
    for a in 0..20000:
        for b in 0..20000:
            n = min(n + 1, 1000000000)
"""


def test_limits() -> None:
    async def work() -> None:
        pool = Pool(2, 2**30)
        try:
            begun = await pool.run("begin", {"game": game("tictactoe"), "seed": 1}, seconds=60)
            assert begun["mover"] == 0
            line = {"start": "n=0", "steps": []}
            runaway = {"game": game("long", LONG), "line": line, "move": "count", "seed": 1, "viewers": []}
            beside = pool.run("begin", {"game": game("pig"), "seed": 1}, seconds=60)
            slow, other = await asyncio.gather(
                pool.run("make", runaway, seconds=1.5), beside, return_exceptions=True
            )
            assert isinstance(slow, Failed) and "was stopped" in str(slow)
            assert not isinstance(other, BaseException) and other["mover"] == 0
            again = await pool.run("begin", {"game": game("tictactoe"), "seed": 1}, seconds=60)
            assert again["line"] == begun["line"]  # with another process in its place
            with pytest.raises(Failed, match="no move `fly`"):
                await pool.run(
                    "make",
                    {
                        "game": game("tictactoe"), "line": begun["line"], "move": "fly", "seed": 1,
                        "viewers": [],
                    },
                    seconds=60,
                )  # fmt: skip
        finally:
            await pool.close()

    asyncio.run(work())


def test_what_nobody_wants_any_more_is_ended_and_the_process_goes_on() -> None:
    async def work() -> None:
        pool = Pool(1, 2**31)
        try:
            begun = await pool.run("begin", {"game": game("connect_four"), "seed": 1}, seconds=60)
            request = {"game": game("connect_four"), "line": begun["line"], "at": 0, "solver": "mcts"}
            answers: list[Any] = []
            task = asyncio.ensure_future(
                pool.run("analyse", request | {"seconds": 100}, seconds=200, tell=answers.append)
            )
            while len(answers) < 2:  # then the third takes two seconds, and may be interrupted
                await asyncio.sleep(0.05)
            (before,) = [process._process.pid for process in pool._all]  # type: ignore[union-attr]
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await pool.run("begin", {"game": game("tictactoe"), "seed": 1}, seconds=60)
            (after,) = [process._process.pid for process in pool._all]  # type: ignore[union-attr]
            assert before == after
            assert "best" in str(answers[0]["moves"])
        finally:
            await pool.close()
        with pytest.raises(ProcessLookupError):
            os.kill(after, 0)

    asyncio.run(work())


def test_who_gives_up_waiting_leaves_the_queue() -> None:
    async def work() -> None:
        pool = Pool(1, 2**30)
        try:
            line = {"start": "n=0", "steps": []}
            request = {"game": game("long", LONG), "line": line, "move": "count", "seed": 1, "viewers": []}
            first = asyncio.ensure_future(pool.run("make", request, seconds=3))
            await asyncio.sleep(0.1)
            others = [asyncio.ensure_future(pool.run("warm_quick", {}, seconds=60)) for _ in range(5)]
            await asyncio.sleep(0.1)
            assert pool.is_busy
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            assert not pool.is_busy
            with pytest.raises(Failed, match="was stopped"):
                await first
        finally:
            await pool.close()

    asyncio.run(work())


def test_a_process_that_holds_too_much_is_ended() -> None:
    async def work() -> None:
        pool = Pool(1, 2**30)
        try:
            await pool.run("warm_quick", {}, seconds=60)
            pool.memory = 2**20  # less than it holds by now
            line = {"start": "n=0", "steps": []}
            request = {"game": game("long", LONG), "line": line, "move": "count", "seed": 1, "viewers": []}
            with pytest.raises(Failed, match="memory"):
                await pool.run("make", request, seconds=60)
        finally:
            await pool.close()

    asyncio.run(work())


def test_a_process_that_somebody_ended_is_replaced_before_it_is_asked() -> None:
    async def work() -> None:
        pool = Pool(1, 2**30)
        try:
            request = {"game": game("tictactoe"), "seed": 1}
            begun = await pool.run("begin", request, seconds=60)
            (process,) = pool._all
            process.kill()
            await process.gone()
            assert await pool.run("begin", request, seconds=60) == begun
        finally:
            await pool.close()

    asyncio.run(work())


def test_what_was_prepared_is_not_compiled_again() -> None:
    from gdl.native.ir import jit
    from gdl.serve import jobs

    served = game("breakthrough")
    assert jobs.prepare(served) is None
    kept = set(jit._kept)
    assert kept
    line = jobs.begin(served, 1)["line"]
    assert next(iter(jobs.analyse(served, line, 0, None, 1.0)))["moves"]
    assert jobs.choose(served, line, "mcts(simulations=50)", 1)["move"]
    assert set(jit._kept) == kept


def test_moves_that_a_search_cannot_tell_apart_are_told_apart_by_plays() -> None:
    from gdl.serve import jobs

    flat = games()["breakthrough"].read_text(encoding="utf-8") + "\nevaluate: 0\n"
    served = game("flat", flat)
    line = jobs.begin(served, 1)["line"]
    told = next(iter(jobs.analyse(served, line, 0, None, 1.0)))
    assert told["solver"] == "mcts" and "alphabeta sees no difference between the moves" in told["how"]
    assert len({move["worth"]["text"] for move in told["moves"]}) > 1
    asked_for = next(iter(jobs.analyse(served, line, 0, "alphabeta", 1.0)))
    assert asked_for["solver"] == "alphabeta"  # who names a search gets that one
