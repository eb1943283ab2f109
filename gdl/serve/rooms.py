"""Plays that people sit at: who sits where, what each may see, and what happens next.

All of it is plain data in the memory of the server. A room is found by its name, which nobody can guess, and
a person in it by a token that the browser keeps: who loses the connection and comes back sits where they sat.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from gdl.game import CHANCE, TERMINAL
from gdl.serve import NOBODY
from gdl.serve.workers import Failed, Pool

Data = dict[str, Any]

MOST_ROOMS = 2000
FORGOTTEN = 6 * 3600.0
"""Seconds after which a room in which nobody is any more is given up."""

QUICK = 10.0
"""Seconds for what people do: making a move, drawing a position, checking a text."""

CHOOSING = 60.0
"""Seconds for a move of an agent."""

LONGEST_PLAY = 5000
PACE = 0.35
"""Seconds between moves where only agents play."""


@dataclass
class Seat:
    """A player of the game: an agent plays, or a person (`owner` is the token), or it is free for one."""

    name: str
    agent: str | None = None
    owner: str | None = None
    called: str = ""  # what the agent is called once it is known

    @property
    def is_person(self) -> bool:
        return self.agent is None


@dataclass(eq=False)
class Member:
    """A browser in a room."""

    token: str
    tell: Callable[[Data], None]
    looking: int | None = None  # the seat whose view is on the screen, of several


@dataclass
class Rooms:
    """All the rooms there are."""

    quick: Pool
    thinking: Pool
    all: dict[str, Room] = field(default_factory=dict)
    _preparing: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(
        self,
        game: Data,
        seats: list[str],
        host: str,
        *,
        start: str | None = None,
        moves: list[Data] | None = None,
    ) -> Room:
        """A room with a new play, or one that somebody brings. `seats`: "me", "open" or an agent, for each
        player; what is missing is the best agent, and "me" for the first. Raises Failed."""
        self._tidy()
        if len(self.all) >= MOST_ROOMS:
            raise Failed("there are too many plays here already", "try again later")
        room = Room(self.quick, self.thinking, game, host)
        begun = await room.work("begin", seed=room.seed, start=start, moves=moves)
        room.line, room.about, room.mover = begun["line"], begun["about"], begun["mover"]
        room.seat(seats)
        self.all[room.name] = room
        return room

    def prepare(self, room: Room) -> None:
        """Has the game compiled before anybody asks for a move or a value, where nobody else would wait."""
        if not self.thinking.is_free:
            return
        work = asyncio.ensure_future(self._prepare(room.game))
        self._preparing.add(work)
        work.add_done_callback(self._preparing.discard)

    async def _prepare(self, game: Data) -> None:
        with suppress(Failed):  # whoever asks is told what is wrong
            await self.thinking.run("prepare", {"game": game}, seconds=QUICK, like=game["name"])

    def _tidy(self) -> None:
        now = monotonic()
        empty = sorted((room.used, name) for name, room in self.all.items() if not room.members)
        for number, (used, name) in enumerate(empty):
            if now - used > FORGOTTEN or (len(self.all) >= MOST_ROOMS and number < MOST_ROOMS // 10):
                self.all.pop(name).stop()

    def stop(self) -> None:
        for room in self.all.values():
            room.stop()


class Room:
    """One play and those who are there."""

    def __init__(self, quick: Pool, thinking: Pool, game: Data, host: str):
        self.name = secrets.token_urlsafe(9)
        self.seed = secrets.randbelow(2**31)
        self.game = game
        self.host = host
        self.about: Data = {}
        self.line: Data = {"start": "", "steps": []}
        self.undone: list[Data] = []
        self.mover = TERMINAL
        self.seats: list[Seat] = []
        self.members: list[Member] = []
        self.version = 0
        self.paused = False
        self.by_hand = False  # people have real dice, and say what chance does
        self.waiting: Data | None = None  # a move, or None for chance's own, and the ways that it may go
        self.choosing = False
        self.trouble: Data | None = None
        self.used = monotonic()
        self._quick = quick
        self._thinking = thinking
        self._views: dict[tuple[int, int | None], Data] = {}
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def work(self, job: str, **request: Any) -> Any:
        return await self._quick.run(
            job, {"game": self.game, **request}, seconds=QUICK, like=self.game["name"]
        )

    # --------------------------------------------------------------------------- who sits where

    def seat(self, wishes: list[str]) -> None:
        """Seats everybody anew."""
        players = self.about["players"]
        wishes = [*wishes[: len(players)], *["me", *["best"] * len(players)][len(wishes) : len(players)]]
        self.seats = [
            Seat(name, owner=self.host if wish == "me" else None)
            if wish in ("me", "open")
            else Seat(name, agent=wish)
            for name, wish in zip(players, wishes, strict=True)
        ]

    def join(self, member: Member) -> None:
        """Lets somebody in; who is new takes the first free seat."""
        self.members.append(member)
        self.used = monotonic()
        if not self.owned(member.token):
            free = next((seat for seat in self.seats if seat.is_person and seat.owner is None), None)
            if free is not None:
                free.owner = member.token
                self.version += 1

    def leave(self, member: Member) -> None:
        if member in self.members:
            self.members.remove(member)
        self.used = monotonic()
        if not self.members:
            self.stop()
            self._views.clear()  # whoever comes back has it drawn again

    def owned(self, token: str) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if seat.is_person and seat.owner == token]

    def alone(self, token: str) -> bool:
        """Whether nobody else plays, and the play is theirs: then they may take back, change rules, ask."""
        return token == self.host and all(
            seat.owner in (token, None) for seat in self.seats if seat.is_person
        )

    def may_seat(self, token: str) -> bool:
        """Whether they may say who sits where: the play is theirs, and whoever else plays is away."""
        here = {member.token for member in self.members}
        return token == self.host and all(
            seat.owner == token or seat.owner not in here for seat in self.seats if seat.is_person
        )

    @property
    def over(self) -> bool:
        return self.mover == TERMINAL

    def viewer(self, member: Member) -> int | None:
        """Through whose eyes somebody sees the play; None sees everything."""
        if not self.about.get("hidden") or self.over:
            return None
        owned = self.owned(member.token)
        if not owned:
            watching = member.token == self.host and not any(seat.is_person for seat in self.seats)
            return None if watching else NOBODY
        if len(owned) == 1:
            return owned[0]
        return NOBODY if member.looking is None else member.looking

    def must_hand_over(self, member: Member) -> bool:
        """Whether the screen is to be handed over before the person to move may look."""
        owned = self.owned(member.token)
        hides = bool(self.about.get("hidden")) and not self.over
        return hides and len(owned) > 1 and self.mover in owned and member.looking != self.mover

    def hand_over(self, member: Member) -> None:
        if self.mover in self.owned(member.token):
            member.looking = self.mover

    def may_ask(self, member: Member, at: int) -> bool:
        """Whether an analysis of the position after so many steps gives nothing away, and no advantage."""
        if self.over or not self.about.get("hidden"):
            return self.over or self.alone(member.token)
        return (
            self.alone(member.token)
            and at == len(self.line["steps"])
            and self.viewer(member) in (None, self.mover)
            and not self.must_hand_over(member)
        )

    def may_record(self, member: Member) -> bool:
        return self.over or not self.about.get("hidden")

    # ----------------------------------------------------------------------------- what happens

    async def move(self, member: Member, text: str, at: int) -> None:
        """A person's move, in the position after so many steps. Raises Failed."""
        async with self._lock:
            steps = self.line["steps"]
            if at != len(steps):
                if not self.alone(member.token) or not 0 <= at < len(steps):
                    raise Failed("the play has gone on meanwhile")
                if steps[at]["mover"] not in self.owned(member.token):
                    raise Failed("this was not your turn")
            elif self.mover not in self.owned(member.token):
                raise Failed("it is not your turn")
            elif self.waiting is not None:
                raise Failed("a move is made already", "say what the dice show, or take it back")
            self._halt()
            line = {"start": self.line["start"], "steps": steps[:at]}
            await self._make_or_ask(line, text, steps[at]["mover"] if at < len(steps) else self.mover)
        self.go_on()

    async def _make_or_ask(self, line: Data, text: str | None, mover: int) -> None:
        """A move, or without one what chance does; people with real dice are asked what these show."""
        ways = await self.work("ways", line=line, move=text) if self.by_hand else []
        if len(ways) < 2:
            await self._make(line, text)
            return
        if line["steps"] != self.line["steps"]:
            self.undone = []
        self.line, self.mover = line, mover
        self._changed()
        self.waiting = {"move": text, "ways": ways}
        await self.tell_all()

    async def happen(self, member: Member, number: int) -> None:
        """What somebody who plays says of the dice: the number of one of the ways. Raises Failed."""
        async with self._lock:
            if self.waiting is None or not 0 <= number < len(self.waiting["ways"]):
                raise Failed("chance has nothing to do")
            if not self.owned(member.token) and member.token != self.host:
                raise Failed("this is for those who play")
            self._halt()
            await self._make(self.line, self.waiting["move"], self.waiting["ways"][number])
        self.go_on()

    async def throw_by(self, member: Member, hand: bool) -> None:
        """Whether people say what chance does. Raises Failed where others play, or hands must not be seen."""
        self._check_alone(member)
        if hand and (self.about["hidden"] or not self.about["chance"]):
            raise Failed(
                "what is hidden cannot be dealt by hand here"
                if self.about["hidden"]
                else "nothing is thrown in this game"
            )
        async with self._lock:
            self._halt()
            self.by_hand = hand
            self._changed()
            await self.tell_all()
        self.go_on()

    async def _make(self, line: Data, text: str | None, way: Data | None = None) -> None:
        if len(line["steps"]) >= LONGEST_PLAY:
            raise Failed(f"a play is at most {LONGEST_PLAY:,} moves long here")
        viewers = list(dict.fromkeys(self.viewer(member) for member in self.members))
        made = await self.work("make", line=line, move=text, seed=self.seed, viewers=viewers, way=way)
        self.line = {"start": line["start"], "steps": [*line["steps"], made["step"]]}
        self.mover = made["mover"]
        self.undone = []
        self._changed()
        for viewer, view in zip(viewers, made["views"], strict=True):
            self._views[self.version, viewer] = view
        await self.tell_all()

    def go_on(self) -> None:
        """Lets agents and chance move until a person is to choose."""
        self._halt()
        if self._agents_turn() and self.members:
            self._task = asyncio.ensure_future(self._run())

    def _agents_turn(self) -> bool:
        if self.over or self.paused or self.waiting is not None:
            return False
        return self.mover == CHANCE or not self.seats[self.mover].is_person

    async def _run(self) -> None:
        try:
            while self._agents_turn():
                if not any(seat.is_person for seat in self.seats) and self.line["steps"]:
                    await asyncio.sleep(PACE)
                await self._step_of_agent()
        except Failed as failed:
            self.trouble = failed.data
            self.choosing = False
            await self.tell_all()

    async def _step_of_agent(self) -> None:
        text = None
        if self.mover != CHANCE:
            seat = self.seats[self.mover]
            assert seat.agent is not None
            self.choosing = True
            await self.tell_all()
            request = {"game": self.game, "line": self.line, "agent": seat.agent, "seed": self.seed}
            found = await self._thinking.run("choose", request, seconds=CHOOSING, like=self.game["name"])
            self.choosing = False
            text, seat.called = found["move"], found["agent"]
        await self._make_or_ask(self.line, text, self.mover)

    async def undo(self, member: Member) -> None:
        """Takes back to where a person last chose. Raises Failed."""
        self._check_alone(member)
        async with self._lock:
            self._halt()
            steps = list(self.line["steps"])
            asked = self.waiting is not None and self.waiting["move"] is not None
            asked = asked and self.seats[self.mover].is_person  # an agent would throw again
            while steps and not asked:
                step = steps.pop()
                self.undone.append(step)
                self.mover = step["mover"]
                if self.mover >= 0 and self.seats[self.mover].is_person:
                    break
            self.line = {"start": self.line["start"], "steps": steps}
            self._changed()
            await self.tell_all()
        self.go_on()

    async def redo(self, member: Member) -> None:
        """Makes again what was taken back, until a person is to choose."""
        self._check_alone(member)
        async with self._lock:
            self._halt()
            steps = list(self.line["steps"])
            while self.undone:
                steps.append(self.undone.pop())
                following = self.undone[-1]["mover"] if self.undone else None
                if following is not None and following >= 0 and self.seats[following].is_person:
                    break
            self.line = {"start": self.line["start"], "steps": steps}
            self.mover = await self.work("mover", line=self.line)
            self._changed()
            await self.tell_all()
        self.go_on()

    async def start_again(self, member: Member, seats: list[str] | None = None) -> None:
        """A new play with the same rules, and others at the table if wished."""
        self._check_alone(member)
        async with self._lock:
            self._halt()
            self.seed = secrets.randbelow(2**31)
            begun = await self.work("begin", seed=self.seed)
            self.line, self.mover, self.undone = begun["line"], begun["mover"], []
            if seats is not None:
                self.seat(seats)
            for each in self.members:
                each.looking = None
            self._changed()
            await self.tell_all()
        self.go_on()

    async def reseat(self, member: Member, seats: list[str]) -> None:
        """Others at the table, in the middle of the play."""
        if not self.may_seat(member.token):
            raise Failed("others sit here too")
        async with self._lock:
            self._halt()
            self.seat(seats)
            self._changed()
            await self.tell_all()
        self.go_on()

    async def change(self, member: Member, game: Data) -> str:
        """Other rules, or other parameters; what of the play stands under them: "play", "position" or
        "nothing". Raises Failed where they have mistakes."""
        self._check_alone(member)
        async with self._lock:
            request = {"game": game, "before": self.game, "line": self.line, "seed": self.seed}
            found = await self._quick.run("adapt", request, seconds=QUICK, like=game["name"])
            self._halt()
            wishes = ["me" if seat.owner else seat.agent or "open" for seat in self.seats]
            self.game, self.about = game, found["about"]
            self.line, self.mover, self.undone = found["line"], found["mover"], []
            self.by_hand = self.by_hand and self.about["chance"] and not self.about["hidden"]
            self.seat(wishes)
            self._changed()
            await self.tell_all()
        self.go_on()
        return str(found["kept"])

    async def pause(self, member: Member, paused: bool) -> None:
        self._check_alone(member)
        self.paused = paused
        if paused:
            self._halt()
        self.version += 1
        await self.tell_all()
        self.go_on()

    def stop(self) -> None:
        self._halt()

    def _check_alone(self, member: Member) -> None:
        if not self.alone(member.token):
            raise Failed("others play here too, so this is left as it is")

    def _halt(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
            self._task = None
        self.choosing = False

    def _changed(self) -> None:
        self.version += 1
        self.used = monotonic()
        self.trouble = None
        self.waiting = None
        self._views.clear()

    # ------------------------------------------------------------------------------- what is told

    async def tell_all(self) -> None:
        """Tells everybody how it stands, each what they may see."""
        members = list(self.members)
        for member, view in zip(members, await self.views(members), strict=True):
            with suppress(ConnectionError):
                member.tell(self._state(member, view))

    async def views(self, members: list[Member]) -> list[Data]:
        wanted = [self.viewer(member) for member in members]
        version = self.version
        missing = [v for v in dict.fromkeys(wanted) if (version, v) not in self._views]
        if missing:
            found = await self.work("view", line=self.line, at=None, viewers=missing)
            if version == self.version:
                for viewer, view in zip(missing, found["views"], strict=True):
                    self._views[version, viewer] = view
            else:
                return await self.views(members)
        return [self._views[version, viewer] for viewer in wanted]

    def _state(self, member: Member, view: Data) -> Data:
        alone = self.alone(member.token)
        owned = self.owned(member.token)
        return {
            "push": "play",
            "room": self.name,
            "version": self.version,
            "game": {"name": self.game["name"], "params": self.game["params"]},
            "seats": [
                {
                    "name": seat.name,
                    "agent": seat.agent,
                    "called": seat.called,
                    "mine": number in owned,
                    "free": seat.is_person and seat.owner is None,
                    "here": any(each.token == seat.owner for each in self.members),
                }
                for number, seat in enumerate(self.seats)
            ],
            "view": view,
            "cover": self.seats[self.mover].name if self.must_hand_over(member) else None,
            "turn": self.mover in owned and self.waiting is None,
            "ways": None if self.waiting is None else [[w["label"], w["odds"]] for w in self.waiting["ways"]],
            "throws": bool(owned) or member.token == self.host,
            "hand": self.by_hand,
            "may_hand": alone and bool(self.about.get("chance")) and not self.about.get("hidden"),
            "choosing": self.choosing,
            "paused": self.paused,
            "alone": alone,
            "seating": self.may_seat(member.token),
            "host": member.token == self.host,
            "undo": alone and bool(self.line["steps"] or self.waiting),
            "redo": alone and bool(self.undone),
            "record": self.may_record(member),
            "ask": self.may_ask(member, len(self.line["steps"])),
            "people": len({each.token for each in self.members}),
            "trouble": self.trouble,
        }
