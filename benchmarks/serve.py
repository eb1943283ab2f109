"""A hundred people at `gdl serve` at once: how long answers take, and whether memory grows.

    python benchmarks/serve.py                       100 connections for one minute
    python benchmarks/serve.py --minutes 60 --pace 60    the same for an hour, each person once in a minute

Goal: nobody is refused or left without an answer, and the server with its processes holds no more memory at
the end than after the first quarter, but for a tenth. Everything stays on loopback. Most people play, every
fifth writes, every tenth analyses, and all lose the connection now and then and come back. Every minute says
what the server and each of its processes hold.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import websockets

GAMES = ("tictactoe", "connect_four", "nim", "pig", "kuhn_poker", "chomp")


LOST = 0.03
"""How often, of what they do, people lose the connection."""


async def main(people: int, seconds: float, pace: float) -> int:
    command = [sys.executable, "-m", "gdl", "serve", *GAMES, "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    lines = []
    while not lines or lines[-1].strip() != "}":
        lines.append(server.stdout.readline())
    address = json.loads("".join(lines))["address"]
    took: dict[str, list[float]] = {}
    troubles: list[str] = []
    begun = time.monotonic()
    end = begun + seconds
    told = begun
    try:
        tasks = [asyncio.ensure_future(_person(n, address, end, pace, took, troubles)) for n in range(people)]
        held: list[int] = []
        while time.monotonic() < end:
            await asyncio.sleep(min(60, seconds / 40))
            each = _memory(server.pid)
            held.append(sum(each))
            if time.monotonic() - told >= 60 or not held[1:]:
                told = time.monotonic()
                print(
                    f"{(told - begun) / 60:5.1f} min  {_cpu(server.pid):7.1f} CPU s  MiB:",
                    *_mib(each),
                    flush=True,
                )
        used = _cpu(server.pid)
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
    print(f"{used:.1f} CPU s of the server and its processes, {used / seconds:.2f} of a core")
    quarter, last = max(held[: len(held) // 4 + 1]), max(held[-len(held) // 4 :])
    print(
        f"memory of the server and its processes: {quarter / 2**20:,.0f} MiB after a quarter, "
        f"{last / 2**20:,.0f} MiB at the end"
    )
    for trouble in sorted(set(troubles)):
        print(f"{troubles.count(trouble)} times: {trouble}")
    return 0 if not troubles and last <= 1.1 * quarter else 1


async def _person(
    number: int,
    address: str,
    end: float,
    pace: float,
    took: dict[str, list[float]],
    troubles: list[str],
) -> None:
    """Somebody who does something every `pace` seconds, and connects anew where the connection is lost."""
    rng = random.Random(number)
    await asyncio.sleep(rng.random() * min(max(10, pace), (end - time.monotonic()) / 4))
    room = ""
    while time.monotonic() < end:
        room = await _connected(number, rng, room, address, end, pace, took, troubles)


async def _connected(
    number: int,
    rng: random.Random,
    room: str,
    address: str,
    end: float,
    pace: float,
    took: dict[str, list[float]],
    troubles: list[str],
) -> str:
    """What a person does until the connection is lost; the room to come back to, if any."""
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

        if room:
            await ask("join", room=room)
        else:
            await ask("open", name=name, seats=["me", "random"])
        while time.monotonic() < end:
            view = play["view"]
            if number % 5 == 1:
                await ask("check", name=name, text=f"{text}\n# {rng.random()}\n")
            elif number % 10 == 2 and play["ask"] and view["at"] % 3 == 0:
                await ask("analyse", at=view["at"])
                await hear(5)
                await ask("quiet")
            view = play["view"]
            if "returns" in view or view["at"] > 60:
                await ask("restart")
            elif play["turn"] and view["moves"]:
                await ask("move", text=rng.choice(view["moves"])["text"], at=view["at"])
            if rng.random() < LOST:
                return str(play["room"]) if rng.random() < 0.5 else ""  # the same play again, or another
            looking = time.monotonic() + pace * (0.5 + rng.random())  # a person looks at the board
            while (left := min(looking, end) - time.monotonic()) > 0:
                await hear(left)
        return ""


def _memory(pid: int) -> list[int]:
    """Bytes that a process holds, and each of those that it started."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * 4096
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except FileNotFoundError:  # it has ended meanwhile
        return []
    return [own, *(held for child in children for held in _memory(int(child)))]


def _mib(each: list[int]) -> list[str]:
    return [f"{held / 2**20:.0f}" for held in each]


def _cpu(pid: int) -> float:
    """CPU seconds of a process, those that it started, and those of them that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except FileNotFoundError:
        return 0.0
    own = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu(int(child)) for child in children)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument(
        "--pace", type=float, default=4.0, help="seconds between two things that somebody does"
    )
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.people, 60 * given.minutes, given.pace)))
