"""A small editor: speaks JSON-RPC with `gdl lsp` over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from queue import Empty, Queue
from typing import Any

URI = "file:///games/test.gdl"
PATIENCE = 60.0


class Refused(Exception):
    """The server answered with an error."""


class Client(AbstractContextManager["Client"]):
    """A server of one's own, and the answers it gives. Texts are kept here too, as an editor keeps them."""

    def __init__(self, encodings: Iterable[str] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gdl", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.messages: Queue[dict[str, Any] | None] = Queue()
        self.notified: list[dict[str, Any]] = []
        self.version = 0
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()
        general = {"positionEncodings": list(encodings)} if encodings else {}
        capabilities = {"general": general, "workspace": {"codeLens": {"refreshSupport": True}}}
        self.capabilities = self.ask(
            "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities}
        )["capabilities"]
        self.tell("initialized", {})

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.ask("shutdown", None)
            self.tell("exit", None)
        self.process.wait(PATIENCE)

    # ------------------------------------------------------------------ messages

    def ask(self, method: str, params: Any, until: float = PATIENCE) -> Any:
        """The answer to a request. Raises Refused."""
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._next(until)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise Refused(message["error"]["message"])
                return message.get("result")

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        out = self.process.stdout
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                self.messages.put(None)
                return
            self.messages.put(json.loads(out.read(length)))

    def _next(self, until: float) -> dict[str, Any]:
        try:
            message = self.messages.get(timeout=until)
        except Empty:
            raise TimeoutError("the server says nothing") from None
        if message is None:
            raise EOFError(f"the server ended with {self.process.wait(PATIENCE)}")
        if "method" in message:
            if "id" in message:  # a request of the server
                self._send({"id": message["id"], "result": None})
            self.notified.append(message)
        return message

    # --------------------------------------------------------------------- texts

    def open(self, text: str, uri: str = URI) -> list[dict[str, Any]]:
        """Opens a text; its diagnostics."""
        self.version += 1
        document = {"uri": uri, "languageId": "gdl", "version": self.version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.diagnostics()

    def change(self, *changes: dict[str, Any], uri: str = URI) -> None:
        self.version += 1
        document = {"uri": uri, "version": self.version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def write(self, text: str) -> list[dict[str, Any]]:
        """The whole text anew; its diagnostics."""
        self.change({"text": text})
        return self.diagnostics()

    def diagnostics(self) -> list[dict[str, Any]]:
        """Those of the latest version, waited for."""
        while True:
            for message in self.notified:
                if (
                    message["method"] == "textDocument/publishDiagnostics"
                    and message["params"].get("version") == self.version
                ):
                    self.notified.remove(message)
                    found: list[dict[str, Any]] = message["params"]["diagnostics"]
                    return found
            self._next(PATIENCE)

    def at(self, method: str, line: int, character: int, **more: Any) -> Any:
        """A request about a place, counted from 0."""
        params = {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}, **more}
        return self.ask(f"textDocument/{method}", params)

    def about(self, method: str, **more: Any) -> Any:
        """A request about the whole text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": URI}, **more})
