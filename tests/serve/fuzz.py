"""Whatever is said to the server, it answers and goes on.

    python -m tests.serve.fuzz --count 3000 --seed 1

Sends random messages to a server of its own on loopback: JSON of any shape, every request with fields that
are missing, of other types, too large or nested, texts of games cut and mixed, bytes that are no text. What
is asked has to be answered within a minute, the refusals have to be words and no bug of ours, and in between
somebody else plays on and is not disturbed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from threading import Thread
from typing import Any

import websockets

from gdl.loading import games
from gdl.serve.app import Settings, listening
from gdl.serve.offered import Offer
from gdl.serve.talking import _REQUESTS
from tests.serve.conftest import Person

NAMES = ("tictactoe", "pig", "kuhn_poker")
FIELDS = (
    "name", "text", "params", "seats", "start", "moves", "room", "at", "paused", "solver", "position",
    "known", "kinds", "dark", "way", "hand", "token",
)  # fmt: skip
TEXTS = [games()[name].read_text(encoding="utf-8") for name in NAMES]


class Fuzzer:
    """Messages made from one seed."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.room = ""

    def value(self, depth: int = 0) -> Any:
        """Any JSON value, now and then one that means something."""
        rng = self.rng
        makers = [
            lambda: None, lambda: rng.choice([True, False]), lambda: rng.randint(-3, 12),
            lambda: rng.choice([10**30, -(10**18), 1.5, 1e300, 2**63]), lambda: rng.choice(NAMES),
            lambda: rng.choice(["me", "open", "random", "best", "mcts(simulations=20)", "policy:/etc/passwd",
                                "alphabeta(depth=2)", "mcts(simulations=", "((((", "\u0000", "🎲" * 50]),
            lambda: rng.choice(["place(a1)", "roll", "hold", "drop(3)", "check", "bet", "place(", "a1 b1"]),
            lambda: self.text(), lambda: self.room, lambda: "x" * rng.choice([0, 1, 400, 120_000]),
        ]  # fmt: skip
        if depth < 3:
            makers += [
                lambda: [self.value(depth + 1) for _ in range(rng.randint(0, 4))],
                lambda: {rng.choice(FIELDS): self.value(depth + 1) for _ in range(rng.randint(0, 3))},
                lambda: [{"move": self.value(3), "position": self.value(3)}],
            ]
        return rng.choice(makers)()

    def text(self) -> str:
        """A game with something cut out, doubled or put elsewhere."""
        text = self.rng.choice(TEXTS)
        for _ in range(self.rng.randint(0, 3)):
            start, end = sorted(self.rng.randrange(len(text) + 1) for _ in range(2))
            end = min(end, start + 40)
            part = self.rng.choice(["", text[start:end] * 2, "(" * 60, "9" * 30, "\t", "é", text[:30]])
            text = text[:start] + part + text[end:]
        return text

    def request(self) -> dict[str, Any]:
        """A request with some of its fields, right or wrong."""
        said: dict[str, Any] = {
            "do": self.rng.choice(list(_REQUESTS)),
            "token": "f" * 20,
            "name": "tictactoe",
        }
        for _ in range(self.rng.randint(0, 4)):
            said[self.rng.choice(FIELDS)] = self.value()
        if self.rng.random() < 0.5:
            said["at"] = self.rng.randint(0, 2)
        return said


async def attack(address: str, count: int, seed: int) -> list[str]:
    """Sends so many messages and returns what went wrong."""
    fuzzer = Fuzzer(seed)
    wrong: list[str] = []
    heard: Counter[str] = Counter()
    place = address.removeprefix("http://").rstrip("/")
    slowest = 0.0
    async with Person(address, "bystander") as other:
        await other.ask("open", name="pig", seats=["me", "me"])
        fuzzer.room = other.news["play"]["room"]
        socket = await _connected(place)
        for number in range(count):
            if fuzzer.rng.random() < 0.05:  # not even a request, to which nobody waits for an answer
                try:
                    await socket.send(
                        fuzzer.rng.choice([b"\xff\x00", "{", json.dumps(fuzzer.value()), "[" * 5000])
                    )
                    await asyncio.wait_for(socket.recv(), 60)
                except (websockets.ConnectionClosed, TimeoutError):
                    socket = await _connected(place)
                continue
            said = fuzzer.request()
            begun = time.monotonic()
            try:
                await socket.send(json.dumps({"n": number, **said}))
                answer = await _answer(socket, number)
            except TimeoutError:
                wrong.append(f"no answer within a minute: {str(said)[:300]}")
                continue
            except websockets.ConnectionClosed as closed:
                heard[f"closed {closed.code}"] += 1
                if closed.code not in (1003, 1009):  # bytes, or too large a message
                    wrong.append(f"closed ({closed}): {str(said)[:300]}")
                socket = await _connected(place)
                continue
            slowest = max(slowest, time.monotonic() - begun)
            message = answer.get("failed", {}).get("message", "ok")
            heard["ok" if message == "ok" else "refused"] += 1
            if "bug in gdl" in message or not message:
                wrong.append(f"{message}: {str(said)[:600]}")
            if number % 100 == 0:  # the other one is not disturbed
                async with asyncio.timeout(60):
                    await other.ask("restart")
        await socket.close()
        assert other.news["play"]["view"]["at"] == 0
    print(f"{dict(heard)}, the slowest answer after {slowest:.1f} s")
    return wrong


async def _connected(place: str) -> Any:
    return await websockets.connect(f"ws://{place}/live", origin=f"http://{place}", max_size=None)


async def _answer(socket: Any, number: int) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            if message.get("re") == number:
                return message


def main(count: int, seed: int) -> int:
    """1 where something went wrong."""
    offer = Offer.of([games()[name] for name in NAMES])
    server, listener, address = listening(offer, "127.0.0.1", 0, Settings(2, 1, 2**30, warm=False))
    running = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    running.start()
    wrong = asyncio.run(attack(address, count, seed))
    server.should_exit = True
    running.join(15)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(main(given.count, given.seed))
