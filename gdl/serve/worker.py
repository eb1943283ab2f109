"""A process that works for the server: one request after another, each a line of JSON on standard input.

    {"id": 7, "job": "make", "with": {..}}     what is to be done
    {"id": 7, "part": ..}                      an answer before the last one
    {"id": 7, "done": ..}                      the last one
    {"id": 7, "failed": {"message": .., "hint": .., ..}}   why there is none

It ends when its input does. An interrupt ends what it is doing as soon as that is safe, not the process;
whatever libraries print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

from gdl.diagnostics import GameError
from gdl.serve import interrupts


def main(memory: int) -> None:
    """Works until nobody asks any more, within so many bytes of memory."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _limit(memory)
    requests: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    write = _Writer(answers)
    write({"ready": os.getpid()})
    while True:
        request = json.loads(requests.get())
        interrupts.forget()
        _work(request, write)


RESERVED = 12
"""Searches reserve tables that they may never fill, so a process may ask for so many times the memory that it
may hold; what it holds the server watches."""


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    resource.setrlimit(resource.RLIMIT_DATA, (RESERVED * memory, RESERVED * memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(stream: BinaryIO, requests: SimpleQueue[bytes]) -> None:
    """Hands requests on; with the end of the server this process ends, whatever it is doing."""
    for line in stream:
        requests.put(line)
    os._exit(0)


class _Writer:
    def __init__(self, stream: BinaryIO):
        self._stream = stream

    def __call__(self, data: Any) -> None:
        line = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._stream.write(line.encode("utf-8", "replace") + b"\n")
        self._stream.flush()


def _work(request: dict[str, Any], write: _Writer) -> None:
    from gdl.serve.jobs import JOBS

    ident = request["id"]
    try:
        answer = JOBS[request["job"]](**request["with"])
        if isinstance(answer, Iterator):
            for part in answer:
                write({"id": ident, "part": part})
                interrupts.stop_if_asked()
            answer = None
        write({"id": ident, "done": answer})
    except KeyboardInterrupt:
        write({"id": ident, "failed": {"message": "stopped", "stopped": True}})
    except GameError as error:
        write({"id": ident, "failed": refused(error)})
    except MemoryError:
        write({"id": ident, "failed": {"message": "this needs more memory than is allowed here"}})
        os._exit(1)  # what is left of the memory is of no use
    except RecursionError:
        write({"id": ident, "failed": {"message": "this is nested too deeply"}})
    except Exception as error:  # a bug: said, and what may be left of it goes with the process
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        write({"id": ident, "failed": {"message": f"a bug in gdl: {type(error).__name__}: {error}"}})
        os._exit(1)


def refused(error: GameError) -> dict[str, Any]:
    """What is wrong, for people: the first diagnostic and how many there are."""
    first = error.diagnostics[0]
    return {
        "message": first.message,
        "hint": first.hint or "",
        "code": first.code,
        "line": first.span.line if first.span else 0,
        "count": len(error.diagnostics),
    }


if __name__ == "__main__":
    interrupts.listen()
    main(int(sys.argv[1]))
