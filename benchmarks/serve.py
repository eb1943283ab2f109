"""A hundred people at `gdl serve` at once: how long answers take, and whether memory grows.

    python benchmarks/serve.py                       100 connections for one minute
    python benchmarks/serve.py --people 100 --minutes 60

Goal: nobody is refused or left without an answer, and the server with its processes holds no more memory at
the end than after the first quarter, but for a tenth. Everything stays on loopback. Most people play, every
fifth writes, every tenth analyses.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import websockets

GAMES = ("tictactoe", "connect_four", "nim", "pig", "kuhn_poker", "chomp")


async def main(people: int, seconds: float) -> int:
    command = [sys.executable, "-m", "gdl", "serve", *GAMES, "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    lines = []
    while not lines or lines[-1].strip() != "}":
        lines.append(server.stdout.readline())
    address = json.loads("".join(lines))["address"]
    took: dict[str, list[float]] = {}
    troubles: list[str] = []
    end = time.monotonic() + seconds
    try:
        tasks = [asyncio.ensure_future(_person(n, address, end, took, troubles)) for n in range(people)]
        held: list[int] = []
        while time.monotonic() < end:
            await asyncio.sleep(seconds / 40)
            held.append(_memory(server.pid))
        await asyncio.gather(*tasks)
    finally:
        server.terminate()
        server.wait(20)
    for what, times in sorted(took.items()):
        times.sort()
        middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
        print(
            f"{what:<9} {len(times):>7,} times, median {1000 * middle:7.1f} ms, "
            f"99 % below {1000 * late:8.1f} ms"
        )
    quarter, last = max(held[: len(held) // 4 + 1]), max(held[-len(held) // 4 :])
    print(
        f"memory of the server and its processes: {quarter / 2**20:,.0f} MiB after a quarter, "
        f"{last / 2**20:,.0f} MiB at the end"
    )
    for trouble in sorted(set(troubles)):
        print(f"{troubles.count(trouble)} times: {trouble}")
    return 0 if not troubles and last <= 1.1 * quarter else 1


async def _person(
    number: int, address: str, end: float, took: dict[str, list[float]], troubles: list[str]
) -> None:
    rng = random.Random(number)
    place = address.removeprefix("http://").rstrip("/")
    name = GAMES[number % len(GAMES)]
    async with websockets.connect(f"ws://{place}/live", origin=f"http://{place}", max_size=None) as socket:
        play: dict[str, Any] = {}
        text = ""
        asked = 0

        async def hear(limit: float) -> dict[str, Any] | None:
            nonlocal play, text
            try:
                message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), limit))
            except TimeoutError:
                return None
            if message.get("push") == "play":
                play = message
            if message.get("push") == "game" and message["text"]:
                text = message["text"]
            if message.get("push") in ("play", "analysis") and (
                message.get("trouble") or message.get("failed")
            ):
                troubles.append(
                    f"{message['push']}: {(message.get('trouble') or message['failed'])['message']}"
                )
            return message

        async def ask(what: str, **details: Any) -> None:
            nonlocal asked
            asked += 1
            begun = time.perf_counter()
            await socket.send(
                json.dumps({"n": asked, "do": what, "token": f"person {number:015}", **details})
            )
            while (message := await hear(60)) is not None:
                if message.get("re") == asked:
                    took.setdefault(what, []).append(time.perf_counter() - begun)
                    if "failed" in message:
                        troubles.append(f"{what}: {message['failed']['message']}")
                    return
            troubles.append(f"{what}: no answer within a minute")

        await asyncio.sleep(rng.random() * min(10, (end - time.monotonic()) / 4))
        await ask("open", name=name, seats=["me", "random"])
        while time.monotonic() < end:
            view = play["view"]
            if number % 5 == 1:
                await ask("check", name=name, text=f"{text}\n# {rng.random()}\n")
            elif number % 10 == 2 and play["ask"] and view["at"] % 3 == 0:
                await ask("analyse", at=view["at"])
            view = play["view"]
            if "returns" in view or view["at"] > 60:
                await ask("restart")
            elif play["turn"] and view["moves"]:
                await ask("move", text=rng.choice(view["moves"])["text"], at=view["at"])
            looking = time.monotonic() + 2 + 4 * rng.random()  # a person looks at the board
            while (left := looking - time.monotonic()) > 0:
                await hear(left)


def _memory(pid: int) -> int:
    """Bytes that a process and those that it started hold."""
    own = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return own + sum(_memory(int(child)) for child in children if Path(f"/proc/{child}/statm").exists())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1.0)
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.people, 60 * given.minutes)))
