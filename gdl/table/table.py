"""People and agents at one table: a play that can be taken back, asked about, put away and taken up again.

A front end shows a Table and calls it; the table itself never prints, asks or waits. What it does is one
step at a time:

    while (turn := table.turn) is not Turn.OVER:
        if turn is Turn.PERSON: table.make(what the person says)
        elif turn is Turn.CHANCE: table.happen(which of table.ways, a person says with real dice)
        else: table.advance()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.answers import params_of
from gdl.diagnostics import GameError
from gdl.diagnostics import commands as wording
from gdl.draw.pictures import Picture
from gdl.game import CHANCE, TERMINAL, Game
from gdl.playing.play import Play, Step
from gdl.playing.records import Recording, load_recording, record, verify
from gdl.playing.results import Chooses, generators
from gdl.playing.seats import Seat
from gdl.table.dice import Way, ways_of_chance, ways_of_move

if TYPE_CHECKING:
    from gdl.table.mixing import Odds
    from solvers.core.result import Result

HINT_SECONDS = 2.0
"""How long a hint may think."""


class Turn(Enum):
    """Who is to do something."""

    PERSON = "person"
    AGENT = "agent"  # or chance, which draws by itself
    CHANCE = "chance"  # a person says what the dice show
    OVER = "over"


class Table:
    """One play with those who play it."""

    def __init__(
        self,
        game: Game[Any, Any],
        seats: list[Seat],
        *,
        seed: int,
        start: Any = None,
        real_dice: bool = False,
    ):
        """Starts in `start`, or at the beginning. With `real_dice` people say what chance does.

        The same seed gives the plays that `gdl run` makes with it, as long as nothing is taken back.
        """
        self.game = game
        self.seats = seats
        self.seed = seed
        self.real_dice = real_dice
        chance, own = generators(seed, game.players, 1)
        self.play: Play[Any, Any] = Play(game, start, rng=chance)
        self._choosers: list[Chooses | None] = [
            None if seat.is_human else seat.sit_down(rng) for seat, rng in zip(seats, own, strict=True)
        ]
        self._waiting: tuple[Way, ...] = ()  # a move is made, and what chance adds is still to be said
        self._looking: int | None = None  # the person who has the screen, where something is hidden
        self._odds: dict[Any, Odds | None] = {}  # what an equilibrium does, by the start of the play

    # ------------------------------------------------------------------ where it stands

    @property
    def turn(self) -> Turn:
        mover = self.play.to_move
        if mover == TERMINAL:
            return Turn.OVER
        if self.ways:
            return Turn.CHANCE
        if mover != CHANCE and self.seats[mover].is_human:
            return Turn.PERSON
        return Turn.AGENT

    @property
    def ways(self) -> tuple[Way, ...]:
        """What chance may do now, where people say what it does; none where it draws by itself."""
        if self._waiting or not self.real_dice or self.play.to_move != CHANCE:
            return self._waiting
        return ways_of_chance(self.game, self.play.position)

    @property
    def people(self) -> list[int]:
        return [player for player, seat in enumerate(self.seats) if seat.is_human]

    @property
    def viewer(self) -> int | None:
        """The player through whose eyes the play is shown; None where everything may be seen.

        With hidden information that is the person to move, or the one who moved last; who only watches
        agents sees everything, and so does everyone once the game is over.
        """
        if not self.game.traits.hidden or not self.people or self.play.finished:
            return None
        mover = self.play.to_move
        if mover in self.people:
            return mover
        return self.people[0] if self._looking is None else self._looking

    @property
    def must_hand_over(self) -> bool:
        """Whether somebody else has the screen who must not see what comes next: see `hand_over`."""
        viewer = self.viewer
        return viewer is not None and len(self.people) > 1 and viewer != self._looking

    def hand_over(self) -> None:
        """The person to move has the screen now."""
        self._looking = self.viewer

    def picture(self) -> Picture:
        """The position as the viewer sees it."""
        game: Any = self.game
        if self.viewer is None:
            picture: Picture = game.picture(self.play.position)
            return picture
        seen: Picture = game.observed_picture(self.play.position, self.viewer)
        return seen

    def shown_move(self, step: Step[Any, Any]) -> str:
        """The move of a step as the viewer may see it."""
        game: Any = self.game
        move = step.move
        if self.viewer is not None and hasattr(game, "observed_move"):
            move = game.observed_move(move, self.viewer, step.mover)
        return str(game.format_move(move))

    # ---------------------------------------------------------------------- what happens

    def make(self, move: Any) -> Step[Any, Any] | None:
        """A person's move, given as itself or as text. None where it is still to be said what chance adds.

        Raises GameError that names the legal moves if this is none of them.
        """
        if isinstance(move, str):
            move = self.game.parse_move(self.play.position, move)
        self._looking = self.viewer
        return self.take(move)

    def happen(self, number: int) -> Step[Any, Any]:
        """What a person says of the dice: the number of one of `ways`."""
        way = self.ways[number]
        self._waiting = ()
        return self.play.make(way.move, way.position)

    def advance(self) -> Step[Any, Any] | None:
        """The next step of an agent or of chance. None where it is to be said what chance adds."""
        if self.play.to_move == CHANCE:
            return self.play.draw()
        return self.take(self.chooser.choose(self.play))

    @property
    def chooser(self) -> Chooses:
        """The agent that is to move."""
        found = self._choosers[self.play.to_move]
        assert found is not None, "a person is to move"
        return found

    def take(self, move: Any) -> Step[Any, Any] | None:
        """A legal move is made. None where it is to be said what chance adds."""
        if self.real_dice and len(ways := ways_of_move(self.game, self.play.position, move)) > 1:
            self._waiting = ways
            return None
        return self.play.make(move)

    def undo(self) -> int:
        """Takes back to where a person last chose, and everything where nobody did; how many moves."""
        waited, self._waiting = self._waiting, ()
        if waited and self.play.to_move in self.people:
            return 1
        taken = 0
        while len(self.play):
            self.play.undo()
            taken += 1
            if self.play.to_move in self.people:
                break
        return taken

    def redo(self) -> int:
        """Makes again what was taken back, until a person is to choose; how many moves."""
        self._waiting = ()
        made = 0
        while self.play.can_redo:
            self.play.redo()
            made += 1
            if self.play.to_move in self.people:
                break
        return made

    def swap(self) -> None:
        """Everyone gets up and sits down one seat further on: a person takes over what an agent played."""
        self.seats = [
            replace(seat, name=name)
            for name, seat in zip(self.game.players, [self.seats[-1], *self.seats[:-1]], strict=True)
        ]
        self._choosers = [self._choosers[-1], *self._choosers[:-1]]
        self._looking = None

    # ------------------------------------------------------------------------ advice

    @property
    def may_advise(self) -> bool:
        """Whether advice is of use and gives nothing away: what an agent may do about what it alone knows
        would."""
        return not self.play.finished and (self.viewer is None or self.play.to_move == self.viewer)

    def hint(self, seconds: float = HINT_SECONDS) -> Result:
        """What the position is worth to those who know what the player to move knows, and its best moves;
        in a small game where something is hidden, how often an equilibrium plays them.

        Only where `may_advise`."""
        from gdl.searching import advised
        from gdl.table.mixing import equilibrium, mixed
        from solvers.hidden.sequences import Known

        play = self.play.copy()  # it may go on meanwhile, in another thread
        if not self.game.traits.hidden or play.to_move < 0:
            return advised(self.game, play.position, None, seconds, every=True)
        known = Known(play.to_move, play.information(play.to_move), tuple(play.moves()))
        result = advised(self.game, known, None, seconds, every=True)
        start = play.start.position
        if start not in self._odds:
            self._odds[start] = equilibrium(self.game, start)
        odds = self._odds[start]
        return result if odds is None else mixed(self.game, odds, known, result)

    def reason(self, player: int) -> str:
        """Why an agent made its last move, in a few words; empty for people, where none was given and where
        it would tell what the agent knows and the viewer does not."""
        return "" if self.viewer is not None else str(getattr(self._choosers[player], "why", ""))

    # -------------------------------------------------------------------------- on file

    def recording(self) -> Recording:
        return Recording(
            game=self.game.name,
            file=model.source.name if (model := getattr(self.game, "model", None)) else self.game.name,
            params=dict(params_of(self.game)),
            agents={seat.name: seat.description for seat in self.seats},
            seed=self.seed,
            plays=(record(self.play),),
        )

    def save(self, path: Path) -> None:
        """Writes the play so far; raises GameError where that cannot be done."""
        try:
            self.recording().save(path)
        except OSError as error:
            raise GameError([wording.cannot_write(str(path), error.strerror or str(error))]) from None

    def load(self, path: Path) -> None:
        """Goes on with a play that was saved; raises GameError where it is none of this game."""
        recording = load_recording(path)
        here: Mapping[str, str] = dict(params_of(self.game))
        if recording.game != self.game.name or dict(recording.params) != here or len(recording.plays) != 1:
            raise GameError([wording.other_recording(str(path), recording.game, self.game.name)])
        verify(self.game, recording, str(path))
        (play,) = recording.plays
        again: Play[Any, Any] = Play(self.game, self.game.parse_position(play.start), rng=self.play.rng)
        for step in play.moves:
            again.make(step.move, self.game.parse_position(step.position))
        self.play = again
        self._waiting = ()
