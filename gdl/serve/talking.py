"""What one browser says and is told: requests with a number and their answers, and news of the room.

    {"n": 3, "do": "move", "text": "drop(3)", "at": 4}      a request
    {"re": 3, "ok": ..}  or  {"re": 3, "failed": {..}}      its answer
    {"push": "play", ..}                                    news

Nothing that is said here is trusted: sizes, types and rights are checked where they matter.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from gdl.serve.offered import Offer
from gdl.serve.rooms import LONGEST_PLAY, QUICK, Member, Room, Rooms
from gdl.serve.workers import Failed, Pool

Data = dict[str, Any]

LARGEST_TEXT = 100_000
"""Characters of a game."""

MOST_AT_ONCE = 12
"""Requests of one browser that may be worked on at once."""

MOST_SEATS = 100
LONGEST_WISH = 300
"""Characters of the description of an agent."""

ANALYSING = 31.0
"""Seconds that the analysis of one position goes on improving ..."""

WHILE_OTHERS_WAIT = 3.0
"""... and if others wait for their turn."""

LARGEST_POLICY = 300_000
"""Positions of a game that is solved for the picture of its policy."""


class Conversation:
    """One browser, as long as it is connected."""

    def __init__(self, offer: Offer, rooms: Rooms, tell: Callable[[Data], None]):
        self.offer = offer
        self.rooms = rooms
        self.tell = tell
        self.name = secrets.token_hex(4)
        self.room: Room | None = None
        self.member: Member | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._streams: dict[str, asyncio.Task[None]] = {}

    # ------------------------------------------------------------------------- hearing and answering

    def hear(self, said: Any) -> None:
        """Begins to do what is asked."""
        if not isinstance(said, dict) or not isinstance(said.get("do"), str):
            self.tell({"failed": {"message": "this is not a request"}})
            return
        number = said.get("n")
        request = _REQUESTS.get(said["do"])
        if request is None:
            self.tell({"re": number, "failed": {"message": f"there is no request {said['do'][:40]!r}"}})
        elif len(self._tasks) >= MOST_AT_ONCE:
            self.tell({"re": number, "failed": {"message": "one thing after another, please"}})
        else:
            task = asyncio.ensure_future(self._answer(request, number, said))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, request: Request, number: Any, said: Data) -> None:
        try:
            self.tell({"re": number, "ok": await request(self, said)})
        except Failed as failed:
            self.tell({"re": number, "failed": failed.data})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self.tell({"re": number, "failed": {"message": f"this request is not understood: {error!r}"}})
        except Exception as error:  # a bug: who asked is not left without an answer
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            self.tell({"re": number, "failed": {"message": f"a bug in gdl: {error!r}"}})

    def gone(self) -> None:
        """The browser is not there any more."""
        for task in (*self._tasks, *self._streams.values()):
            task.cancel()
        if self.room is not None and self.member is not None:
            room = self.room
            room.leave(self.member)
            if room.members:
                telling = asyncio.ensure_future(_quietly(room.tell_all()))
                _TELLING.add(telling)
                telling.add_done_callback(_TELLING.discard)

    # -------------------------------------------------------------------------------- plays

    async def open(self, said: Data) -> Data:
        """A new room; the browser goes there."""
        game = self._game(said)
        seats = _seats(said.get("seats") or [])
        token = _token(said)
        room = await self.rooms.open(
            game, seats, token, start=_text(said.get("start")), moves=_moves(said.get("moves"))
        )
        entered = await self._enter(room, token)
        self.rooms.prepare(room)
        return entered

    async def join(self, said: Data) -> Data:
        room = self.rooms.all.get(str(said["room"]))
        if room is None:
            raise Failed("this play is not here any more", "plays are kept while the server runs", gone=True)
        return await self._enter(room, _token(said))

    async def _enter(self, room: Room, token: str) -> Data:
        if self.room is not None and self.member is not None:
            self.room.leave(self.member)
        self.room, self.member = room, Member(token, self.tell)
        room.join(self.member)
        self._tell_game(room, room.game["text"])
        await room.tell_all()
        room.go_on()
        return {"room": room.name}

    def _tell_game(self, room: Room, text: str | None) -> None:
        name = room.game["name"]
        self.tell({"push": "game", "about": room.about, "name": name, "text": text, "room": room.name})

    async def move(self, said: Data) -> None:
        room, member = self._here()
        await room.move(member, str(said["text"])[:1000], int(said["at"]))

    async def happen(self, said: Data) -> None:
        """What real dice show."""
        room, member = self._here()
        await room.happen(member, int(said["way"]))

    async def hand(self, said: Data) -> None:
        """Whether chance draws or people say what it does."""
        room, member = self._here()
        await room.throw_by(member, bool(said["hand"]))

    async def undo(self, said: Data) -> None:
        room, member = self._here()
        await room.undo(member)

    async def redo(self, said: Data) -> None:
        room, member = self._here()
        await room.redo(member)

    async def restart(self, said: Data) -> None:
        room, member = self._here()
        await room.start_again(member, _seats(said["seats"]) if said.get("seats") else None)

    async def seats(self, said: Data) -> None:
        room, member = self._here()
        await room.reseat(member, _seats(said["seats"]))

    async def pause(self, said: Data) -> None:
        room, member = self._here()
        await room.pause(member, bool(said["paused"]))

    async def reveal(self, said: Data) -> None:
        """The person to move has the screen now."""
        room, member = self._here()
        room.hand_over(member)
        await room.tell_all()

    async def look(self, said: Data) -> Data:
        """How the position after so many steps looked, to who may see it."""
        room, member = self._here()
        at = _step(room, said)
        found = await room.work("view", line=room.line, at=at, viewers=[room.viewer(member)])
        view: Data = found["views"][0]
        return view

    async def record(self, said: Data) -> Data:
        """The play as a file that gdl reads, where nothing in it is hidden any more."""
        room, member = self._here()
        if not room.may_record(member):
            raise Failed("what is hidden would be in it: wait until the play is over")
        agents = {seat.name: seat.agent or "human" for seat in room.seats}
        found: Data = await room.work("record", line=room.line, agents=agents, seed=room.seed)
        return found

    # --------------------------------------------------------------------------------- rules

    async def check(self, said: Data) -> Data:
        return await self._edit("check", said)

    async def complete(self, said: Data) -> Data:
        return await self._edit("complete", said, at=int(said["at"]))

    async def explain(self, said: Data) -> Data:
        return await self._edit("explain", said, at=int(said["at"]))

    async def format(self, said: Data) -> Data:
        return await self._edit("format", said)

    async def _edit(self, job: str, said: Data, **more: Any) -> Data:
        request = {"game": self._game(said), **more}
        found: Data = await self.rooms.quick.run(job, request, seconds=QUICK, like=f"edit {self.name}")
        return found

    async def change(self, said: Data) -> Data:
        """Rules or parameters as they are now, for the play at this table."""
        room, member = self._here()
        game = self._game(said)
        kept = await room.change(member, game)
        self._tell_game(room, None)  # the text is the browser's own
        return {"kept": kept}

    # ------------------------------------------------------------------------------- analysis

    async def analyse(self, said: Data) -> None:
        """Values of every move, better and better, until something else is asked."""
        room, member = self._here()
        at = _step(room, said)
        if not room.may_ask(member, at):
            raise Failed("there is no analysis while others play, nor of what you may not see")
        solver = _text(said.get("solver"))
        seconds = WHILE_OTHERS_WAIT if self.rooms.thinking.is_busy else ANALYSING
        request = {"line": room.line, "at": at, "solver": solver, "seconds": seconds}
        self._stream("analysis", room, "analyse", request, seconds + 15, {"at": at, "version": room.version})

    async def curve(self, said: Data) -> None:
        room, member = self._here()
        if not room.over and (room.about.get("hidden") or not room.alone(member.token)):
            raise Failed("the curve is drawn when the play is over")
        known = [int(at) for at in said.get("known") or []]
        self._stream("curve", room, "curve", {"line": room.line, "known": known}, 300, {})

    async def tree(self, said: Data) -> None:
        room, member = self._here()
        if not room.over and (room.about.get("hidden") or not room.alone(member.token)):
            raise Failed("the tree is shown when the play is over")
        at, position = _step(room, said), _text(said.get("position"))
        solver = _text(said.get("solver"))
        request = {"line": room.line, "at": at, "position": position, "solver": solver}
        kind = "branch" if position else "tree"  # what is unfolded does not end the tree that grows
        self._stream(kind, room, "tree", request, 40, {"at": at, "position": position})

    async def policy(self, said: Data) -> None:
        room, _ = self._here()
        request = {"dark": bool(said.get("dark")), "limit": LARGEST_POLICY}
        self._stream("policy", room, "policy", request, 60, {})

    async def quiet(self, said: Data) -> None:
        """Stops what is being computed."""
        for kind in said.get("kinds") or list(self._streams):
            if (task := self._streams.pop(str(kind), None)) is not None:
                task.cancel()

    def _stream(self, kind: str, room: Room, job: str, request: Data, seconds: float, about: Data) -> None:
        """Tells the answers of a long computation as they come; a newer one of its kind ends it."""
        if (before := self._streams.pop(kind, None)) is not None:
            before.cancel()
        pool = self.rooms.thinking
        begun = monotonic()

        def heard(part: Any) -> None:
            self.tell({"push": kind, **about, "answer": part})
            if pool.is_busy and monotonic() - begun > WHILE_OTHERS_WAIT:
                task.cancel()

        task = asyncio.ensure_future(self._follow(pool, kind, room.game, job, request, seconds, about, heard))
        self._streams[kind] = task

    async def _follow(
        self,
        pool: Pool,
        kind: str,
        game: Data,
        job: str,
        request: Data,
        seconds: float,
        about: Data,
        heard: Callable[[Any], None],
    ) -> None:
        try:
            last = await pool.run(
                job, {"game": game, **request}, seconds=seconds, tell=heard, like=game["name"]
            )
            self.tell({"push": kind, **about, "answer": last, "done": True})
        except Failed as failed:
            self.tell({"push": kind, **about, "failed": failed.data, "done": True})
        except asyncio.CancelledError:
            self.tell({"push": kind, **about, "stopped": True, "done": True})
            raise

    # -------------------------------------------------------------------------------- helpers

    def _here(self) -> tuple[Room, Member]:
        if self.room is None or self.member is None:
            raise Failed("open or join a play first")
        return self.room, self.member

    def _game(self, said: Data) -> Data:
        text, params = said.get("text"), said.get("params") or {}
        if text is not None and (not isinstance(text, str) or len(text) > LARGEST_TEXT):
            raise Failed(f"a game has at most {LARGEST_TEXT:,} characters here")
        if not isinstance(params, dict) or len(params) > 100:
            raise Failed("parameters are names with values")
        given = {str(name)[:100]: str(value)[:100] for name, value in params.items()}
        try:
            return self.offer.game(str(said["name"])[:100], text, given)
        except KeyError:
            raise Failed(f"there is no game {str(said['name'])[:100]!r} here") from None


def _step(room: Room, said: Data) -> int:
    """The number of a position of the play."""
    at = int(said["at"])
    if not 0 <= at <= len(room.line["steps"]):
        raise Failed("the play is not so long")
    return at


def _text(given: Any) -> str | None:
    """A position or a description of a solver; None for nothing."""
    return str(given)[:LARGEST_TEXT] if given else None


def _seats(given: Any) -> list[str]:
    """Who is to sit where: "me", "open" or the description of an agent."""
    if not isinstance(given, list) or not all(isinstance(wish, str) for wish in given[:MOST_SEATS]):
        raise Failed("seats are a list of words")
    return [wish[:LONGEST_WISH] for wish in given[:MOST_SEATS]]


def _moves(given: Any) -> list[Data] | None:
    """The moves of a play that somebody brings, each perhaps with where it led."""
    if given is None:
        return None
    if not isinstance(given, list) or len(given) > LONGEST_PLAY:
        raise Failed("this play is too long, or none")
    return [{"move": str(step["move"]), "position": _text(step.get("position"))} for step in given]


def _token(said: Data) -> str:
    """Who somebody is: a word that their browser made up and keeps."""
    token = said.get("token")
    if not isinstance(token, str) or not 16 <= len(token) <= 100:
        raise Failed("who are you? a browser says so with a token")
    return token


_TELLING: set[asyncio.Task[None]] = set()
"""What is told to those who stay after somebody left: kept until it is done."""


async def _quietly(told: Awaitable[None]) -> None:
    try:
        await told
    except Failed:
        return  # who left cannot be told


Request = Callable[[Conversation, Data], Awaitable[Any]]

_REQUESTS: dict[str, Request] = {
    request.__name__: request
    for request in (
        Conversation.open, Conversation.join, Conversation.move, Conversation.happen, Conversation.hand,
        Conversation.undo, Conversation.redo,
        Conversation.restart, Conversation.seats, Conversation.pause, Conversation.reveal, Conversation.look,
        Conversation.record, Conversation.check, Conversation.complete, Conversation.explain,
        Conversation.format, Conversation.change, Conversation.analyse, Conversation.curve,
        Conversation.tree, Conversation.policy, Conversation.quiet,
    )
}  # fmt: skip
