"""Processes that work for the server: limits on time and memory, queues, and how what runs away is stopped.

A process does one thing at a time and holds nothing that would be lost with it: what it knows it was told,
and keeps only to be quicker the next time. So one that takes too long, or too much memory, or breaks, is
ended and replaced, and nobody but who asked for it notices.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

RECYCLED = 700 * 2**20
"""Bytes that a process may hold between requests; one that holds more is replaced."""

MOST_REQUESTS = 5000
"""Requests after which a process is replaced."""

LONGEST_QUEUE = 300
"""Requests that may wait for a process; more are refused."""

GRACE = 4.0
"""Seconds for a process to end what nobody wants any more, before it is ended: if somebody waits ..."""

PATIENCE = 15.0
"""... and if nobody does: what it loads or compiles meanwhile the next one need not."""

STARTING = 30.0
"""Seconds for a process to begin."""

PREPARING = 600.0
"""Seconds for what a process makes ready before anybody asks it: a machine's first time compiles."""

WATCHED = 0.1
"""Seconds between two looks at the memory of a process that works."""

LARGEST_ANSWER = 64 * 2**20


class Failed(Exception):
    """A request without an answer: what is said of it."""

    def __init__(self, message: str, hint: str = "", **more: Any):
        super().__init__(message)
        self.data = {"message": message, "hint": hint, **more}


class Pool:
    """So many processes of one kind, started when they are needed. `prepare`: a request that new ones answer
    before people's, so that nobody waits for what is only loaded."""

    def __init__(self, size: int, memory: int, prepare: str | None = None):
        self.size = size
        self.memory = memory
        self.prepare = prepare
        self._all: set[_Process] = set()
        self._idle: list[_Process] = []
        self._waiting: deque[asyncio.Future[_Process]] = deque()
        self._settling: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(
        self,
        job: str,
        request: dict[str, Any],
        *,
        seconds: float,
        tell: Callable[[Any], Any] | None = None,
        like: str = "",
    ) -> Any:
        """The answer to a request; `tell` hears those before the last one. `like`: the same word goes to the
        same process where that is free, for it has ready what is needed. Raises Failed."""
        process = await self._take(like)
        watching = asyncio.ensure_future(self._watch(process))
        try:
            async with asyncio.timeout(seconds):
                answer = await process.ask(job, request, tell)
        except TimeoutError:
            self._lose(process)
            raise Failed(
                f"this took more than {seconds:g} s and was stopped", "make it smaller, or give it less to do"
            ) from None
        except asyncio.CancelledError:
            self._later(self._settle(process))
            raise
        except _Ended:
            self._lose(process)
            raise Failed(
                "this ended before there was an answer: it may need more memory than is allowed here",
                f"{self.memory // 2**20:,} MiB are allowed; `gdl serve --memory` sets another limit",
            ) from None
        except Failed:
            self._give_back(process)
            raise
        finally:
            watching.cancel()
        self._give_back(process)
        return answer

    async def get_ready(self) -> None:
        """Starts the processes before somebody asks, one after another: meanwhile there is one for whoever
        does not wait."""
        for _ in range(self.size):
            if not self._closed:
                await self._renew()

    async def _watch(self, process: _Process) -> None:
        """Ends a process that holds more memory than it may."""
        while True:
            await asyncio.sleep(WATCHED)
            if process.held() > self.memory:
                process.kill()

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for a process."""
        return bool(self._waiting)

    @property
    def is_free(self) -> bool:
        """Whether a process is ready and has nothing to do."""
        return bool(self._idle)

    async def close(self) -> None:
        self._closed = True
        for process in list(self._all):
            self._lose(process)
        await asyncio.gather(*self._settling, return_exceptions=True)

    # ------------------------------------------------------------------------------ who is free

    async def _take(self, like: str) -> _Process:
        if self._closed:
            raise Failed("the server is being closed")
        for process in [each for each in self._idle if each.is_gone]:  # somebody ended it
            self._idle.remove(process)
            self._lose(process)
        if self._idle:
            chosen = next((each for each in self._idle if each.like == like), self._idle[-1])
            self._idle.remove(chosen)
        elif len(self._all) < self.size:
            chosen = _Process()
            self._all.add(chosen)
            try:
                await chosen.start(self.memory)
            except BaseException:
                self._lose(chosen)
                raise
        else:
            if len(self._waiting) >= LONGEST_QUEUE:
                raise Failed("too many people ask at once", "try again in a moment")
            turn: asyncio.Future[_Process] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                chosen = await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled() and not turn.exception():
                    self._give_back(turn.result())
                elif turn in self._waiting:
                    self._waiting.remove(turn)
                raise
        chosen.like = like
        return chosen

    def _give_back(self, process: _Process) -> None:
        if process.is_worn():
            self._lose(process)
            return
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(process)
                return
        self._idle.append(process)

    def _lose(self, process: _Process) -> None:
        """Ends a process; another one takes its place where somebody waits, or it takes time to get ready."""
        process.kill()
        self._all.discard(process)
        self._later(process.gone())
        if (self._waiting or self.prepare) and not self._closed:
            self._later(self._renew())

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Sees to something that nobody waits for."""
        task = asyncio.ensure_future(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _renew(self) -> None:
        if len(self._all) >= self.size:
            return
        process = _Process()
        self._all.add(process)
        try:
            await process.start(self.memory)
        except Failed as failed:
            self._all.discard(process)
            while self._waiting:
                turn = self._waiting.popleft()
                if not turn.done():
                    turn.set_exception(failed)
            return
        if self.prepare and not self._waiting:
            try:
                async with asyncio.timeout(PREPARING):
                    await process.ask(self.prepare, {}, None)
            except (Failed, TimeoutError, _Ended):
                process.kill()
                self._all.discard(process)
                self._later(process.gone())
                return  # the next who asks starts one, and is told what is wrong
        self._give_back(process)

    async def _settle(self, process: _Process) -> None:
        """Stops what nobody wants any more: gently, then at once."""
        process.interrupt()
        finishing = asyncio.ensure_future(process.finish())
        end = monotonic() + PATIENCE
        await asyncio.wait([finishing], timeout=GRACE)
        while not finishing.done() and not self._waiting and monotonic() < end:
            await asyncio.wait([finishing], timeout=WATCHED)
        if not finishing.done():
            finishing.cancel()
            self._lose(process)
        elif finishing.exception() is not None:
            self._lose(process)
        else:
            self._give_back(process)


class _Ended(Exception):
    """The process is gone."""


class _Process:
    def __init__(self) -> None:
        self.like = ""
        self._process: asyncio.subprocess.Process | None = None
        self._requests = 0

    async def start(self, memory: int) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "gdl.serve.worker", str(memory),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            start_new_session=True, limit=LARGEST_ANSWER,
        )  # fmt: skip
        try:
            async with asyncio.timeout(STARTING):
                await self._line()
        except (TimeoutError, _Ended):
            raise Failed("no process could be started for this") from None

    async def ask(self, job: str, request: dict[str, Any], tell: Callable[[Any], Any] | None) -> Any:
        assert self._process is not None and self._process.stdin is not None
        self._requests += 1
        asked = {"id": self._requests, "job": job, "with": request}
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError:
            raise _Ended from None
        while True:
            answer = await self._line()
            if answer.get("id") != self._requests:
                continue
            if "part" in answer:
                if tell is not None:
                    tell(answer["part"])
            elif "failed" in answer:
                raise Failed(**answer["failed"])
            else:
                return answer["done"]

    async def finish(self) -> None:
        """Waits for the end of what is being done."""
        while True:
            answer = await self._line()
            if answer.get("id") == self._requests and "part" not in answer:
                return

    async def _line(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
            answer: dict[str, Any] = json.loads(line) if line else {}
        except ValueError:  # longer than anybody could show, or cut off by an interrupt
            raise _Ended from None
        if not line:
            raise _Ended
        return answer

    def interrupt(self) -> None:
        with suppress(ProcessLookupError):
            if self._process is not None:
                self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            if self._process is not None:
                self._process.kill()

    async def gone(self) -> None:
        """Waits until it is gone, and lets go of its pipes."""
        if self._process is not None:
            with suppress(RuntimeError):  # somebody still reads from it, until it is gone
                await self._process.communicate()
            await self._process.wait()

    @property
    def is_gone(self) -> bool:
        process = self._process
        assert process is not None and process.stdout is not None
        return process.returncode is not None or process.stdout.at_eof()

    def is_worn(self) -> bool:
        return self._requests >= MOST_REQUESTS or self.held() > RECYCLED

    def held(self) -> int:
        """Bytes of memory that the process holds; 0 where the system does not say."""
        assert self._process is not None
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return 0
        return pages * 4096
