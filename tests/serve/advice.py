"""What the page says of every game within two seconds: who plays, what moves are worth, how that is known.

    python -m tests.serve.advice                  all games
    python -m tests.serve.advice 2048 chess --seconds 2
    python -m tests.serve.advice --cpu            the same on a machine that does other work too

Asks a server of its own about the start of a play and about a position a little way into it. A line for each:
how long the opponent took, how long the first answer, and what was said when the time was over. `useless`
where that does not help to choose: nothing of the moves, or the same estimate of them all without saying
so. It ends with 1 where something was useless, late or missing.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from gdl.loading import games
from gdl.serve.app import Settings, listening
from gdl.serve.offered import Offer
from tests.serve.conftest import Person, Refused

INTO = 8
"""Moves that are made before the second position is asked about."""

SAID = "sees no difference between the moves"
"""What is said where all moves are alike, as they may be by symmetry."""

LATE = 2.0
"""Seconds beyond the time allowed that count as late."""


@dataclass
class Said:
    """What was said of one position."""

    first: float | None = None  # seconds until the first answer
    answer: dict[str, Any] = field(default_factory=dict)
    trouble: str = ""

    @property
    def verdict(self) -> str:
        """What is wrong with it; "" for nothing."""
        if self.trouble:
            return self.trouble
        if not self.answer:
            return "no answer"
        moves = self.answer["moves"]
        worths = [move["worth"] for move in moves if move["worth"] is not None]
        mixed = [move["odds"] for move in moves if move["odds"] is not None]
        if len(moves) > 1 and not self.answer["proven"]:
            if not worths and not mixed:
                return "useless: nothing is said of the moves"
            known = {worth["kind"] for worth in worths} == {"exact"} and len(worths) == len(moves)
            if not known and not mixed and len({_place(worth) for worth in worths}) == 1 < len(worths):
                return "" if SAID in self.answer["how"] else "useless: the same of all moves"
        if moves and not any(move["best"] for move in moves):
            return "no move is called best"
        return ""

    def __str__(self) -> str:
        if not self.answer:
            return self.trouble or "-"
        moves = self.answer["moves"]
        worths = [move["worth"] for move in moves if move["worth"] is not None]
        told = [worth["text"] for worth in worths]
        best = ", ".join(move["text"] for move in moves if move["best"])[:40]
        first = "-" if self.first is None else f"{self.first:.2f} s"
        return (
            f"{first:>7} {self.answer['solver']:<14.14} {self.answer['kind']:<9} {len(worths):>3} of "
            f"{len(moves):>3} moves, {len(set(told)):>3} values {told[0] if told else '':>12.12} | {best}"
        )


def _place(worth: dict[str, Any]) -> float | str:
    """Where a value stands among the others; what floats add up in another order is the same."""
    return str(worth["text"]) if worth["number"] is None else round(worth["number"], 9)


Clock = Callable[[], Callable[[], float]]
"""Begins to count, and gives what tells how many seconds it has been since."""

PATIENCE = 60.0
"""Times that somebody waits longer by the clock than the processes may work, where these are measured."""


def by_the_clock() -> Callable[[], float]:
    begun = time.monotonic()
    return lambda: time.monotonic() - begun


def by_work() -> Callable[[], float]:
    """CPU seconds of the process that works most, of those that this one has started."""
    before = _worked()
    return lambda: max((seconds - before.get(name, 0.0) for name, seconds in _worked().items()), default=0.0)


def _worked() -> dict[str, float]:
    found = {}
    for process in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            after_name = process.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(after_name[1]) == os.getpid():
                ticks = int(after_name[11]) + int(after_name[12])
                found[process.parent.name] = ticks / os.sysconf("SC_CLK_TCK")
    return found


async def asked(person: Person, at: int, seconds: float, clock: Clock) -> Said:
    """The last answer within so many seconds."""
    said = Said()
    since = clock()
    try:
        await person.ask("analyse", at=at)
        while True:
            left = seconds - since()
            message = await person.hear(
                "analysis", left if clock is by_the_clock else PATIENCE * max(left, 0)
            )
            if since() > seconds and said.first:
                break  # the time was over before it
            if message["at"] != at:
                continue
            if message.get("failed"):
                said.trouble = message["failed"]["message"]
                break
            if message.get("answer"):
                said.first = said.first or since()
                said.answer = message["answer"]
            if message.get("done"):
                break
    except TimeoutError:
        pass  # the time is over
    except Refused as refused:
        said.trouble = str(refused)
    await person.ask("quiet")
    return said


async def opponent(person: Person, seats: int, clock: Clock) -> tuple[float, str]:
    """Seconds that the best agent takes for the move that is due, and what it is called."""
    play = person.news["play"]
    mover, at = play["view"]["mover"], play["view"]["at"]
    since = clock()
    await person.ask("seats", seats=["best" if seat == mover else "me" for seat in range(seats)])
    play = await person.until(
        lambda play: play["view"]["at"] > at or "returns" in play["view"] or play["trouble"]
    )
    took = since()
    if play["trouble"]:
        return took, play["trouble"]["message"]
    return took, str(play["seats"][mover]["called"])


async def of_game(person: Person, name: str, seconds: float, clock: Clock) -> list[str]:
    """Asks about one game, prints what was said, and returns what is wrong with it."""
    wrong = []
    rng = random.Random(name)
    for into in (0, INTO):
        await person.ask("open", name=name, seats=["me"] * 20)
        play = await _choosing(person)
        while "returns" not in play["view"] and play["view"]["at"] < into:
            await person.ask("move", text=rng.choice(play["view"]["moves"])["text"], at=play["view"]["at"])
            play = await _choosing(person)
        if "returns" in play["view"]:
            continue
        at = play["view"]["at"]
        said = await asked(person, at, seconds, clock)
        took, called = await opponent(person, len(play["seats"]), clock)
        verdict = said.verdict
        if not verdict and (said.first or 0) > seconds:
            verdict = "the first answer is late"
        if took > seconds + LATE:
            verdict = f"{verdict}; the opponent is late".lstrip("; ")
        print(f"{name:<20.20} {at:>3} {took:6.2f} s {called:<24.24} {said}  {verdict}", flush=True)
        if verdict:
            wrong.append(f"{name} after {at} moves: {verdict}")
    return wrong


async def _choosing(person: Person) -> dict[str, Any]:
    """The play once a person is to choose, with the screen in their hands, or once it is over."""
    play: dict[str, Any] = await person.until(
        lambda play: play["turn"] or "returns" in play["view"] or play["trouble"]
    )
    if play["cover"]:
        await person.ask("reveal")
        play = await person.until(lambda play: not play["cover"])
    return play


def main(names: list[str], seconds: float, clock: Clock) -> int:
    """Asks about all games; 1 where something is wrong."""
    offer = Offer.of([games()[name] for name in names or sorted(games())])
    settings = Settings(quick=2, thinking=2)
    server, listener, address = listening(offer, "127.0.0.1", 0, settings)
    running = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    running.start()

    async def ask() -> list[str]:
        wrong = []
        async with Person(address, "adviser") as person:
            for _ in range(2 * settings.thinking):  # both processes have loaded what is loaded once
                with suppress(Refused, TimeoutError):  # a busy machine may need longer
                    await person.ask("open", name=next(iter(offer.games)), seats=["me"] * 20)
                    await asked(person, 0, 30, by_the_clock)
            for name in offer.games:
                try:
                    wrong += await of_game(person, name, seconds, clock)
                except (Refused, TimeoutError) as trouble:
                    wrong.append(f"{name}: {trouble!r}")
        return wrong

    wrong = asyncio.run(ask())
    server.should_exit = True
    running.join(15)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--cpu", action="store_true", help="count what the processes work, not the clock")
    given = parser.parse_args()
    sys.exit(main(given.games, given.seconds, by_work if given.cpu else by_the_clock))
