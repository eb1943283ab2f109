"""Processes that judge games, and can be stopped: native code that hangs or dies takes no judge with it.

A worker says what it is about to ask. Whoever leads the crew reads the processor time of each worker; a
question that takes too long, or kills its worker, is a failure of that game, and a new worker goes on
with the next.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from random import Random
from typing import Any

from tests.judge.cut import smaller
from tests.judge.generate import Drawn, draw_explicit
from tests.judge.hold import SECONDS, Complaint, Verdict, judge

MEMORY = 8 << 30
"""Bytes that a worker may take: a runaway ends there, and not with the machine."""

SMALLER = 1
"""So many failing games of a kind are made smaller, by each worker."""


@dataclass(slots=True)
class Judged:
    """One game of a run: its number, its text, and what is wrong with the answers."""

    number: int
    text: str
    verdict: Verdict
    cut: dict[tuple[str, str, str], str] = field(default_factory=dict)  # smaller texts by signature
    stopped: bool = False  # a question hung or killed its worker


def draw(seed: int | str, number: int) -> Drawn:
    """The game of a number in the run of a seed: two of three explicit, the rest structured."""
    from tests.judge.rules import draw_rules

    random = Random(f"{seed} {number}")
    return draw_explicit(random) if random.random() < 0.7 else draw_rules(random)


def judge_numbered(
    seed: int | str, number: int, watch: Callable[[str], Any], known: dict[tuple[str, str, str], int]
) -> Judged:
    """Draws, judges, and makes smaller what fails in a way that is not well known yet."""
    from tests.judge import expecting, plays, proofs

    with watch("drawing the game"):
        drawn = draw(seed, number)
    verdict = judge(drawn, Random(f"{seed} {number} asking"), watch)
    verdict += proofs.judge(drawn, watch)
    verdict += plays.judge(drawn, Random(f"{seed} {number} playing"), watch)
    verdict += expecting.judge(drawn, Random(f"{seed} {number} stating"), watch)
    found = Judged(number, drawn.text, verdict)
    for complaint in verdict.complaints:
        known[complaint.signature] = known.get(complaint.signature, 0) + 1
        if drawn.style is None or known[complaint.signature] > SMALLER or complaint.signature in found.cut:
            continue
        if complaint.kind == "time" or complaint.solver in ("proofs", "plays", "gdl test"):
            continue
        found.cut[complaint.signature] = smaller(drawn, complaint, watch)
    return found


# --------------------------------------------------------------------------------- the crew


class _Worker:
    """One process, and what it is doing."""

    def __init__(self, seed: int | str):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.asked = context.Array("c", 2000, lock=False)
        self.since = context.Value("d", -1.0, lock=False)  # processor time when the question began
        self.process = context.Process(target=_work, args=(other, self.asked, self.since, seed), daemon=True)
        self.process.start()
        other.close()
        self.number: int | None = None

    def give(self, number: int) -> None:
        self.number = number
        self.pipe.send(number)

    @property
    def overdue(self) -> bool:
        began = self.since.value
        return began >= 0 and _processor_time(self.process.pid or 0) - began > SECONDS + 2

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Any, asked: Any, since: Any, seed: int | str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who leads ends the crew
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    known: dict[tuple[str, str, str], int] = {}

    @contextmanager
    def watch(question: str) -> Iterator[None]:
        asked.value = question.encode()[:1900]
        since.value = time.process_time()
        try:
            yield
        finally:
            since.value = -1.0

    warm_up()
    while (number := pipe.recv()) is not None:
        try:
            pipe.send(judge_numbered(seed, number, watch, known))
        except BrokenPipeError:  # who leads is gone
            return
        except Exception as error:
            import traceback

            what = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
            broken = Complaint("judging", "judge", "-", "the judge itself", what)
            pipe.send(Judged(number, draw(seed, number).text, Verdict([broken])))


WARM = """game warm
players: {players}
position:
    x: 0..3 = 0
{mover}
move {first} when x < 2: x = {to}
move {second} when x == 1: {draw}
move {third} when x == 0: x = 1
terminal: x >= 2
{worth}
"""


def warm_up() -> None:
    """Compiles and loads all kernels, so that no question pays for it: games with and without chance, repeats
    and opposed interests."""
    from tests.judge.generate import traits_of
    from tests.judge.graph import read_graph
    from tests.judge.hold import games_of

    opposed = {"players": "a, b", "mover": "player: a if x == 0 else b", "worth": "utility: x - 2"}
    three = {
        "players": "a, b, c",
        "mover": "player: c if x == 0 else b",
        "worth": "utility(p): x if p == a else 1",
    }
    moves = {"first": "m0", "second": "m1", "third": "m2"}
    for kind in (opposed, three):
        for to in ("1 - x", "x + 1"):
            for draw_ in ("x ~ 2..3", "x = 3"):
                text = WARM.format(**kind, **moves, to=to, draw=draw_)
                graph = read_graph(games_of(text)["reference"])
                for attempt in range(2):
                    judge(Drawn(text, graph, traits_of(graph)), Random(f"warm {attempt}"))


def _processor_time(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def judged(
    seed: int | str, numbers: Iterator[int], jobs: int, until: Callable[[], bool] = lambda: False
) -> Iterator[Judged]:
    """Judges games in so many processes, as they finish; `until` says when to give out no more.

    The processes end with the generator, also when it is left early.
    """
    crew = [_Worker(seed) for _ in range(jobs)]
    try:
        busy = []
        for worker in crew:
            if (number := next(numbers, None)) is not None:
                worker.give(number)
                busy.append(worker)
        while busy:
            ready = wait([worker.pipe for worker in busy], timeout=0.5)
            for worker in list(busy):
                if worker.pipe in ready:
                    try:
                        yield worker.pipe.recv()
                    except (EOFError, OSError):
                        yield _lost(worker, seed, f"ended the process ({worker.process.exitcode})", "death")
                        busy.remove(worker)
                        worker = _replaced(crew, worker, seed)
                        busy.append(worker)
                elif worker.overdue:
                    worker.process.kill()  # before it says what it does next
                    yield _lost(worker, seed, f"took more than {SECONDS:.0f} seconds", "time")
                    busy.remove(worker)
                    worker = _replaced(crew, worker, seed)
                    busy.append(worker)
                else:
                    continue
                number = None if until() else next(numbers, None)
                if number is None:
                    busy.remove(worker)
                else:
                    worker.give(number)
    finally:
        for worker in crew:
            worker.end()


def _replaced(crew: list[_Worker], worker: _Worker, seed: int | str) -> _Worker:
    worker.end()
    crew[crew.index(worker)] = fresh = _Worker(seed)
    return fresh


def _lost(worker: _Worker, seed: int | str, message: str, kind: str) -> Judged:
    worker.process.join(1)
    question = bytes(worker.asked.value).decode(errors="replace")
    assert worker.number is not None
    solver = question.split("(")[0].split(" ")[0]
    engine = "native" if "on native" in question else "reference" if "on reference" in question else "-"
    complaint = Complaint(question, solver, engine, kind, f"{question}: {message}")
    return Judged(worker.number, draw(seed, worker.number).text, Verdict([complaint]), stopped=True)
