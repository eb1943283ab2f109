"""Playthroughs on file: what happened in plays of a game, and whether the game still says the same.

A recording is JSON. It names the game and its parameters, and for every play each move with the player,
what chance did, how probable that was and where it led, so that any change of the rules that matters to
these plays shows at the first move it touches.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from gdl.diagnostics import Diagnostic, GameError
from gdl.diagnostics import commands as wording
from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL, Game, Number
from gdl.playing.play import Play

ROUNDING = Fraction(1, 10**9)
"""Engines that compute with floats may differ by so much in a probability, reward or utility."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecordedMove(_Record):
    player: str
    move: str
    chance: str = ""  # what chance did, in words
    probability: str = "1"  # that chance led there, given the move of a player
    position: str  # after it
    rewards: tuple[str, ...] = ()


class RecordedPlay(_Record):
    start: str
    moves: tuple[RecordedMove, ...]
    finished: bool
    returns: tuple[str, ...] | None  # rewards and utility of each player; None while it is not finished


class Recording(_Record):
    format: Literal["gdl playthrough 1"] = "gdl playthrough 1"
    game: str
    file: str
    params: dict[str, str] = {}
    agents: dict[str, str] = {}
    seed: int | None = None
    plays: tuple[RecordedPlay, ...]

    def save(self, path: Path) -> None:
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def record(play: Play[Any, Any]) -> RecordedPlay:
    """What happened so far in a play."""
    game = play.game
    moves = []
    before = play.start.position
    for step in play.history:
        assert step.mover is not None
        moves.append(
            RecordedMove(
                player=_name(game, step.mover),
                move=game.format_move(step.move),
                chance=step.label,
                probability=str(probability(game, before, step.mover, step.move, step.position)),
                position=game.format_position(step.position),
                rewards=_texts(step.rewards) if any(step.rewards) else (),
            )
        )
        before = step.position
    return RecordedPlay(
        start=game.format_position(play.start.position),
        moves=tuple(moves),
        finished=play.finished,
        returns=_texts(play.returns) if play.finished else None,
    )


def load_recording(path: Path) -> Recording:
    """Reads a recording; raises GameError if the file is none."""
    try:
        return Recording.model_validate_json(path.read_bytes())
    except OSError as error:
        raise GameError([wording.bad_recording(str(path), error.strerror or str(error))]) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"{where}: {first['msg']}" if where else first["msg"]
        raise GameError([wording.bad_recording(str(path), reason)]) from None


def verify(game: Game[Any, Any], recording: Recording, name: str) -> None:
    """Plays a recording again; raises GameError at the first move where the game says otherwise."""
    for number, play in enumerate(recording.plays, 1):
        _Verification(game, name, number).run(play)


def probability(game: Game[Any, Any], before: Any, mover: int, move: Any, after: Any) -> Number:
    """How probable it was that a move of a player led there, or that chance chose the move and led there.

    Where the outcomes are too many to be listed it is taken as 1.
    """
    chosen: Number = dict(game.chance(before))[move] if mover == CHANCE else 1
    try:
        return (
            sum((o.probability for o in game.outcomes(before, move) if o.position == after), Fraction(0))
            * chosen
        )
    except Fault as fault:
        if fault.code != "F007":
            raise
        return chosen


class _Verification:
    def __init__(self, game: Game[Any, Any], name: str, play: int):
        self.game = game
        self.name = name
        self.play = play

    def run(self, play: RecordedPlay) -> None:
        game = self.game
        before = self.position(0, play.start)
        for number, step in enumerate(play.moves, 1):
            mover = game.to_move(before)
            self.same(number, "the player to move", step.player, _name(game, mover))
            move = self.move(number, before, step.move)
            after = self.position(number, step.position)
            self.outcome(number, before, mover, move, after, step)
            before = after
        finished = game.to_move(before) == TERMINAL
        self.same(len(play.moves), "whether the game is over", _yes(play.finished), _yes(finished))
        if play.returns is not None:
            self.returns(play)

    def position(self, number: int, text: str) -> Any:
        try:
            return self.game.parse_position(text)
        except GameError as error:
            raise self.differs(number, "the position", text, _reason(error)) from None

    def move(self, number: int, position: Any, text: str) -> Any:
        try:
            return self.game.parse_move(position, text)
        except GameError as error:
            raise self.differs(number, "the move", text, _reason(error), error.diagnostics[0].hint) from None

    def outcome(
        self, number: int, before: Any, mover: int, move: Any, after: Any, step: RecordedMove
    ) -> None:
        game = self.game
        outcomes = [o for o in game.outcomes(before, move) if o.position == after]
        if not outcomes:
            places = [game.format_position(o.position) for o in game.outcomes(before, move)]
            found = places[0] if len(places) == 1 else f"one of {len(places)} others, such as {places[0]}"
            raise self.differs(number, "where the move leads", step.position, found)
        now = probability(game, before, mover, move, after)
        self.same_number(number, "the probability", step.probability, now)
        zero = ("0",) * len(game.players)
        recorded = step.rewards or zero
        options = [_texts(o.rewards) or zero for o in outcomes]
        if not any(_equal_all(recorded, option) for option in options):
            raise self.differs(number, "what it pays", ", ".join(recorded), ", ".join(options[0]))

    def returns(self, play: RecordedPlay) -> None:
        assert play.returns is not None
        game = self.game
        again = Play(game, game.parse_position(play.start))
        for step in play.moves:
            again.make(step.move, game.parse_position(step.position))
        found = _texts(again.returns)
        if not _equal_all(play.returns, found):
            raise self.differs(
                len(play.moves), "what the players get", ", ".join(play.returns), ", ".join(found)
            )

    def same(self, number: int, what: str, recorded: str, found: str) -> None:
        if recorded != found:
            raise self.differs(number, what, recorded, found)

    def same_number(self, number: int, what: str, recorded: str, found: Number) -> None:
        if not _equal(recorded, str(found)):
            raise self.differs(number, what, recorded, str(found))

    def differs(
        self, number: int, what: str, recorded: str, found: str, hint: str | None = None
    ) -> GameError:
        return GameError([self._diagnostic(number, what, recorded, found, hint)])

    def _diagnostic(self, number: int, what: str, recorded: str, found: str, hint: str | None) -> Diagnostic:
        return wording.recording_differs(self.name, self.play, number, what, recorded, found, hint)


def _equal(left: str, right: str) -> bool:
    try:
        return abs(Fraction(left) - Fraction(right)) <= ROUNDING
    except ValueError:
        return left == right


def _equal_all(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    return len(left) == len(right) and all(map(_equal, left, right))


def _texts(numbers: tuple[Number, ...]) -> tuple[str, ...]:
    return tuple(str(number) for number in numbers)


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def _name(game: Game[Any, Any], player: int) -> str:
    return {CHANCE: "chance", TERMINAL: "nobody"}.get(player) or game.players[player]


def _reason(error: GameError) -> str:
    return error.diagnostics[0].message


__all__ = ["RecordedMove", "RecordedPlay", "Recording", "load_recording", "probability", "record", "verify"]
