"""Requests that come from elsewhere are refused: pages of other sites, and names that only lead here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_HERE = ("localhost", "127.0.0.1", "::1")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class FromHere:
    """Lets through what was asked of this server by its own pages.

    A browser says in `Host` what name it asked for: another one means that a site pretends to be here. What
    it says in `Origin` is the page that asks: a socket is opened for our own alone.
    """

    def __init__(self, app: Application, host: str, port: int):
        self.app = app
        self.host = host
        self.port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        if not self._is_here(headers.get("host", "")) or not self._own(scope["type"], headers):
            await _refuse(scope["type"], send)
            return

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _own(self, kind: str, headers: dict[str, str]) -> bool:
        origin = headers.get("origin")
        if origin is None:
            followed = headers.get("sec-fetch-mode") == "navigate"  # a link, which may stand anywhere
            here = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            return kind != "websocket" and (followed or here)
        there = urlsplit(origin)
        return there.scheme == "http" and there.netloc == headers.get("host")

    def _is_here(self, host: str) -> bool:
        """Whether this is a name of ours: of loopback, or the address that was asked to be listened at."""
        try:
            named = urlsplit(f"//{host}")
            name, port = named.hostname or "", named.port or 80
        except ValueError:
            return False
        if port != self.port:
            return False
        if name in _HERE or name == self.host:
            return True
        return self.host in ("0.0.0.0", "::") and _is_address(name)


def _is_address(name: str) -> bool:
    """Numbers cannot be made to lead elsewhere, as names can."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


async def _refuse(kind: str, send: Send) -> None:
    if kind == "websocket":
        await send({"type": "websocket.close", "code": 4403})
        return
    text = b"this page is for those who opened it here\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": text})
