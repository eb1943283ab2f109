"""A server of our own on a free port, and people who talk to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
websockets = pytest.importorskip("websockets")

from gdl.loading import games  # noqa: E402
from gdl.serve.app import Settings, listening  # noqa: E402
from gdl.serve.offered import Offer  # noqa: E402

GAMES = ("tictactoe", "connect_four", "kuhn_poker", "pig", "misere_tictactoe", "breakthrough", "tictactoe_3d")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where a few games are served, `http://localhost:PORT/`, as long as the tests of this room run."""
    offer = Offer.of([games()[name] for name in GAMES])
    server, listener, address = listening(
        offer, "127.0.0.1", 0, Settings(quick=2, thinking=1, warm=False, memory=2**30)
    )
    running = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    running.start()
    yield address
    server.should_exit = True
    running.join(15)


class Person:
    """One browser, as its socket sees it: `news` is the last of each kind."""

    def __init__(self, address: str, token: str):
        self.address = address
        self.token = token.ljust(20, "-")
        self.news: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []
        self._number = 0

    async def __aenter__(self) -> Person:
        place = self.address.removeprefix("http://").rstrip("/")
        self.socket = await websockets.connect(f"ws://{place}/live", origin=f"http://{place}", max_size=None)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def ask(self, what: str, **details: Any) -> Any:
        """The answer to a request; raises Refused."""
        self._number += 1
        said = {"n": self._number, "do": what, "token": self.token, **details}
        await self.socket.send(json.dumps(said))
        while True:
            message = await self._next()
            if message.get("re") == self._number:
                if "failed" in message:
                    raise Refused(message["failed"]["message"])
                return message["ok"]

    async def until(self, holds: Any, seconds: float = 60) -> Any:
        """Waits until something holds of the play that is shown."""
        async with asyncio.timeout(seconds):
            while "play" not in self.news or not holds(self.news["play"]):
                await self._next()
        return self.news["play"]

    async def hear(self, kind: str, seconds: float = 60) -> dict[str, Any]:
        """The next news of a kind."""
        async with asyncio.timeout(seconds):
            while True:
                message = await self._next()
                if message.get("push") == kind:
                    return message

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.socket.recv())
        if "push" in message:
            self.news[message["push"]] = message
            self.heard.append(message)
        return message


class Refused(Exception):
    pass
