"""The server: pages and files, pictures of games, and the socket. It computes nothing itself."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket as sockets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gdl.serve.offered import Offer
from gdl.serve.origins import Application, FromHere
from gdl.serve.rooms import QUICK, Rooms
from gdl.serve.talking import Conversation
from gdl.serve.workers import Failed, Pool

STATIC = Path(__file__).parent / "static"

MOST_CONNECTIONS = 400
LARGEST_MESSAGE = 2**20
MOST_UNHEARD = 500
"""Messages that may wait for a browser; one that does not listen is left."""

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is allowed."""

    quick: int = 2  # processes for what people do
    thinking: int = 2  # processes for agents and analyses
    memory: int = 2 * 2**30  # bytes for each of them
    warm: bool = True  # whether kernels are compiled before somebody asks


@dataclass(frozen=True, slots=True)
class _File:
    """A file for browsers, compressed once."""

    kind: str
    plain: bytes
    packed: bytes
    tag: str

    @staticmethod
    def read(path: Path) -> _File:
        plain = path.read_bytes()
        kind = f"{_TYPES[path.suffix]}; charset=utf-8"
        return _File(kind, plain, gzip.compress(plain, 9, mtime=0), f'"{sha256(plain).hexdigest()[:16]}"')

    def response(self, request: Request) -> Response:
        headers = {"etag": self.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(
                self.packed, media_type=self.kind, headers={**headers, "content-encoding": "gzip"}
            )
        return Response(self.plain, media_type=self.kind, headers=headers)


class Server:
    """What is served, and those who are connected."""

    def __init__(self, offer: Offer, settings: Settings):
        self.offer = offer
        self.settings = settings
        self.quick = Pool(settings.quick, settings.memory, "warm_quick" if settings.warm else None)
        self.thinking = Pool(settings.thinking, settings.memory, "warm" if settings.warm else None)
        self.rooms = Rooms(self.quick, self.thinking)
        self.files = {
            path.name: _File.read(path) for path in sorted(STATIC.iterdir()) if path.suffix in _TYPES
        }
        self.connections = 0
        self._pictures: dict[str, asyncio.Task[Any]] = {}
        self._one_at_a_time = asyncio.Semaphore(1)
        self._warming: asyncio.Task[None] | None = None

    def application(self, host: str, port: int) -> Application:
        routes = [
            Route("/", self.page),
            Route("/game/{name}", self.page),
            Route("/play/{room}", self.page),
            Route("/shared", self.page),
            Route("/static/{file}", self.file),
            Route("/api/games", self.games),
            Route("/api/picture/{name}", self.picture),
            WebSocketRoute("/live", self.live),
        ]
        return FromHere(Starlette(routes=routes, lifespan=self._lifespan), host, port)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self._warming = asyncio.ensure_future(self._warm()) if self.settings.warm else None
        yield
        if self._warming is not None:
            self._warming.cancel()
        self.rooms.stop()
        await self.quick.close()
        await self.thinking.close()

    async def _warm(self) -> None:
        await self.quick.get_ready()
        await self.thinking.get_ready()

    # ------------------------------------------------------------------------------ pages and files

    async def page(self, request: Request) -> Response:
        return self.files["page.html"].response(request)

    async def file(self, request: Request) -> Response:
        found = self.files.get(request.path_params["file"])
        return Response(status_code=404) if found is None else found.response(request)

    async def games(self, request: Request) -> Response:
        return _json(request, self.offer.listed())

    async def picture(self, request: Request) -> Response:
        """A picture of a game for the start page, made once, and one at a time: people who play go first."""
        name = request.path_params["name"]
        if name not in self.offer.games:
            return Response(status_code=404)
        if name not in self._pictures:
            self._pictures[name] = asyncio.ensure_future(self._draw(name))
        found = await asyncio.shield(self._pictures[name])
        return _json(request, found)

    async def _draw(self, name: str) -> Any:
        async with self._one_at_a_time:
            try:
                return await self.quick.run(
                    "thumbnail", {"game": self.offer.game(name, None, None)}, seconds=QUICK, like=name
                )
            except Failed as failed:
                return {"failed": failed.data}

    # ---------------------------------------------------------------------------------- the socket

    async def live(self, socket: WebSocket) -> None:
        if self.connections >= MOST_CONNECTIONS:
            await socket.close(4429)
            return
        await socket.accept()
        self.connections += 1
        waiting: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MOST_UNHEARD)
        talking = asyncio.current_task()

        def tell(data: dict[str, Any]) -> None:
            try:
                waiting.put_nowait(data)
            except asyncio.QueueFull:
                assert talking is not None
                talking.cancel()

        conversation = Conversation(self.offer, self.rooms, tell)
        writing = asyncio.ensure_future(_write(socket, waiting))
        try:
            while True:
                text = await socket.receive_text()
                try:
                    said = json.loads(text)
                except (ValueError, RecursionError):  # the second where it is nested without end
                    tell({"failed": {"message": "this is not JSON"}})
                else:
                    conversation.hear(said)
        except WebSocketDisconnect:
            pass
        except KeyError:  # bytes in the place of text
            with suppress(RuntimeError):  # it is gone already
                await socket.close(1003)
        finally:
            self.connections -= 1
            writing.cancel()
            conversation.gone()


async def _write(socket: WebSocket, waiting: asyncio.Queue[dict[str, Any]]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError, ConnectionError):
        while True:
            data = await waiting.get()
            await socket.send_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def _json(request: Request, data: Any) -> Response:
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return JSONResponse(data)
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 6, mtime=0)
    headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
    return Response(packed, media_type="application/json", headers=headers)


def listening(
    offer: Offer, host: str, port: int, settings: Settings
) -> tuple[uvicorn.Server, sockets.socket, str]:
    """A server that is ready to run, what it listens at, and the address for browsers. Raises OSError."""
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    listener = sockets.create_server((host, port), family=family)
    bound = listener.getsockname()[1]
    config = uvicorn.Config(
        Server(offer, settings).application(host, bound),
        log_level="error", access_log=False, lifespan="on", timeout_graceful_shutdown=2,
        ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE,
    )  # fmt: skip
    name = "localhost" if host in ("127.0.0.1", "::1") else host
    return uvicorn.Server(config), listener, f"http://{name}:{bound}/"


def serve(offer: Offer, host: str, port: int, settings: Settings, started: Callable[[str], None]) -> None:
    """Serves until it is interrupted; `started` is called with the address once it listens."""
    server, listener, address = listening(offer, host, port, settings)
    started(address)
    server.run(sockets=[listener])
