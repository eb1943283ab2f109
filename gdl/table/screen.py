"""The table on a full screen: a board to point at, moves that complete, advice beside it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

from rich.console import Group
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Footer, Input, OptionList, RichLog, Static

from gdl.diagnostics import GameError
from gdl.diagnostics.render import render
from gdl.diagnostics.wording.phrases import counted
from gdl.draw.text import render_text
from gdl.game import CHANCE
from gdl.table import telling
from gdl.table.placing import Place, beside, placed
from gdl.table.pointing import Pointing, Spot, boards
from gdl.table.reading import Command, completions, understood, understood_command
from gdl.table.table import Table, Turn

OWNERS = ("bright_blue", "bright_red", "bright_green", "bright_yellow", "bright_magenta", "bright_cyan")


def play_on_screen(table: Table) -> None:
    """Plays until the person leaves."""
    TableApp(table).run()


class BoardView(Static, can_focus=True):
    """The position, with the cells that may be pointed at marked, by mouse or by cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(0, -1)", "move the cursor", show=False),
        Binding("down", "step(0, 1)", show=False),
        Binding("left", "step(-1, 0)", show=False),
        Binding("right", "step(1, 0)", show=False),
        Binding("enter,space", "choose", "choose a cell"),
        Binding("escape", "clear", "start again", show=False),
    ]

    class Chosen(Message):
        """A move was pointed out, cell by cell."""

        def __init__(self, move: Any):
            super().__init__()
            self.move = move

    def __init__(self, table: Table) -> None:
        super().__init__(id="board")
        self.table = table
        self.pointing: Pointing | None = None
        self.places: dict[Spot, Place] = {}
        self.chosen: list[Spot] = []
        self.cursor: Spot | None = None

    def show(self) -> None:
        """Shows the position anew."""
        table = self.table
        self.chosen = []
        picture = table.picture()
        self.places = placed(picture)
        may_point = table.turn is Turn.PERSON and table.viewer is None and bool(boards(picture))
        self.pointing = Pointing(table.game, table.play.position) if may_point else None
        targets = sorted(self.pointing.targets()) if self.pointing else []
        if self.cursor not in self.places:
            self.cursor = targets[0] if targets else next(iter(self.places), None)
        self.draw_again()

    def draw_again(self) -> None:
        picture = self.table.picture()
        text = Text(render_text(picture))
        starts = [0]
        for line in text.plain.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        drawn = boards(picture)
        targets = self.pointing.targets(self.chosen) if self.pointing else set()
        for spot, place in self.places.items():
            marks = ""
            if spot in targets:
                marks += " underline"
            if spot in self.chosen:
                marks += " on dark_green"
            if spot == self.cursor and self.has_focus:
                marks += " reverse"
            for number, stone in enumerate(drawn[spot.board].stones[spot.cell].lines):
                first = starts[place.line + number] + place.column
                owned = "" if stone.owner is None else f"bold {OWNERS[stone.owner % len(OWNERS)]}"
                if owned or marks:
                    text.stylize((owned + marks).strip(), first, first + place.width)
        self.update(text)

    def on_focus(self) -> None:
        self.draw_again()

    def on_blur(self) -> None:
        self.draw_again()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for spot, place in self.places.items():
            beside = place.column <= offset.x <= place.column + place.width  # the gap belongs to the cell
            if place.line <= offset.y < place.line + place.height and beside:
                self.cursor = spot
                self.action_choose()
                return

    def action_step(self, right: int, down: int) -> None:
        """Moves the cursor to the nearest cell in a direction."""
        if self.cursor is not None:
            self.cursor = beside(self.places, self.cursor, right, down)
            self.draw_again()

    def action_choose(self) -> None:
        if self.pointing is None or self.cursor is None:
            return
        chosen = [*self.chosen, self.cursor]
        if not self.pointing.meant(chosen):
            chosen = [self.cursor]  # another beginning
        if not self.pointing.meant(chosen):
            self.chosen = []
        elif (move := self.pointing.settled(chosen)) is not None:
            self.chosen = []
            self.post_message(self.Chosen(move))
        else:
            self.chosen = chosen
        self.draw_again()

    def action_clear(self) -> None:
        self.chosen = []
        self.draw_again()


class Line(Input):
    """Where one types. Every key is done with before the next one: an Input inserts letters at once, but
    leaves what edits to bindings that are looked up later, and fast letters would slip past them."""

    async def on_key(self, event: events.Key) -> None:
        edits = self._bindings.key_to_bindings.get(event.key, ())
        if not event.is_printable and edits and await self.app.run_action(edits[0].action, self):
            event.stop()

    async def action_submit(self) -> None:
        await super().action_submit()
        self.clear()  # before the next letter


class HandOver(ModalScreen[None]):
    """Nothing is shown until the next person has the keyboard."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "go_on", "go on")]

    def __init__(self, name: str):
        super().__init__()
        self.who = name

    def compose(self) -> ComposeResult:
        yield Static(f"Hand over to {self.who}, who presses Enter.", id="handover")

    def action_go_on(self) -> None:
        self.dismiss()


class _Completing(Suggester):
    """Completes moves and commands while they are typed."""

    def __init__(self, app: TableApp):
        super().__init__(use_cache=False, case_sensitive=True)
        self.app = app

    async def get_suggestion(self, value: str) -> str | None:
        table = self.app.table
        if not value or table.turn is not Turn.PERSON:
            return None
        found = completions(table.game, table.play.position, value)
        return next((text for text in found if text.startswith(value)), None)


class TableApp(App[None]):
    """One table."""

    CSS = """
    #board { width: auto; min-width: 24; height: auto; padding: 1 2; }
    #left { width: 1fr; height: 1fr; }
    #right { width: 40%; min-width: 30; height: 1fr; border-left: solid $secondary; }
    #moves { height: 1fr; }
    #log { height: 1fr; padding: 0 1; }
    #advice { height: auto; max-height: 50%; padding: 0 1; color: $success; }
    #turn { height: 1; padding: 0 2; text-style: bold; }
    #handover { width: 1fr; height: 1fr; content-align: center middle; }
    HandOver { background: $background; }
    .-narrow Horizontal { layout: vertical; }
    .-narrow #left { height: 2fr; }
    .-narrow #right { width: 1fr; min-width: 0; border-left: none; }
    """
    # The list of moves stands below the board, or beside it.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide")]  # noqa: RUF012 (so textual declares it)
    TITLE = "gdl play"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#line"  # the board could have it before it knows what it shows
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "say('help')", "help"),
        Binding("f2", "say('hint')", "hint"),
        Binding("f3", "say('why')", "why"),
        Binding("f4", "say('undo')", "undo"),
        Binding("f5", "say('redo')", "redo"),
        Binding("f6", "say('swap')", "swap"),
        Binding("ctrl+q", "quit", "leave", priority=True),
    ]

    def __init__(self, table: Table):
        super().__init__()
        self.table = table
        self.thinking = False
        self.board = BoardView(table)
        self.turn = Static(id="turn")
        self.record = RichLog(id="log", wrap=True)
        self.advice = Static(id="advice")
        self.moves = OptionList(id="moves")
        self.line = Line(
            placeholder="a move, or hint, why, undo, save FILE, help …",
            suggester=_Completing(self),
            select_on_focus=False,
            id="line",
        )

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="left"):
                yield self.turn
                yield self.board
                yield self.record
                yield self.line
            with Vertical(id="right"):
                yield self.moves
                yield self.advice
        yield Footer()

    def on_mount(self) -> None:
        names = ", ".join(f"{seat.name}: {seat.description}" for seat in self.table.seats)
        self.record.write(f"{self.table.game.name}, seed {self.table.seed}; {names}")
        self.line.focus()
        self.go_on()

    # ------------------------------------------------------------------------ turns

    def go_on(self) -> None:
        """Shows where the play stands, and lets agents and chance do their part."""
        table = self.table
        if table.turn is Turn.PERSON and table.must_hand_over:
            self.push_screen(HandOver(table.seats[table.play.to_move].name), lambda _: self._handed_over())
            return
        self.board.show()
        self.moves.clear_options()
        match table.turn:
            case Turn.OVER:
                self.turn.update(f"over: {telling.ended(table)}")
                self.record.write(telling.ended(table))
            case Turn.PERSON:
                self.turn.update(telling.prompt(table))
                self.moves.add_options(telling.listed_moves(table))
            case Turn.CHANCE:
                self.turn.update(telling.asked_of_chance(table))
                self.moves.add_options(telling.listed_ways(table.ways))
            case Turn.AGENT:
                self.turn.update("thinking …")
                self.call_later(self.advance)

    def _handed_over(self) -> None:
        self.table.hand_over()
        self.record.clear()  # what stood there was for the other person
        for line in telling.so_far(self.table):
            self.record.write(line)
        self.go_on()

    def advance(self) -> None:
        """Lets chance draw, or the agent that is to move choose: one at a time thinks, in a thread of its
        own."""
        table = self.table
        if table.turn is not Turn.AGENT or self.thinking:
            return
        if table.play.to_move == CHANCE:
            self._happened(table.advance())
            return
        play, chooser = table.play.copy(), table.chooser
        asked = self._situation()

        def choose() -> None:
            try:
                move = chooser.choose(play)
            except GameError as error:
                self._tell(self._failed, error)
            else:
                self._tell(self._chosen, asked, move)

        self.thinking = True
        in_the_background(choose)

    def _chosen(self, asked: Any, move: Any) -> None:
        """What an agent chose is made if it still stands where it was asked."""
        self.thinking = False
        if self.table.turn is not Turn.AGENT:
            return  # it was taken back
        if asked == self._situation():
            self._happened(self.table.take(move))
        else:
            self.advance()

    def _failed(self, error: GameError) -> None:
        self.thinking = False
        self.turn.update("no move was found")
        self._complain(error)

    def _situation(self) -> Any:
        """What tells whether somebody has changed something meanwhile."""
        return self.table.play.history, self.table.seats

    def _tell(self, what: Any, *arguments: Any) -> None:
        """Has the screen do something, from another thread; nothing once the person has left."""
        if self.is_running:
            with suppress(RuntimeError):  # left at this very moment
                self.call_from_thread(what, *arguments)

    def _happened(self, step: Any) -> None:
        if step is not None:
            self.record.write(telling.happened(self.table, step))
        self.go_on()

    def make(self, move: Any) -> None:
        self.advice.update("")
        self._happened(self.table.make(move))

    # ------------------------------------------------------------------------ input

    def on_board_view_chosen(self, message: BoardView.Chosen) -> None:
        if self.table.turn is Turn.PERSON:
            self.make(message.move)

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        if self.table.turn is Turn.PERSON:
            self.make(list(self.table.play.moves())[message.option_index])
        elif self.table.turn is Turn.CHANCE:
            self._happened(self.table.happen(message.option_index))

    async def on_event(self, event: events.Event) -> None:
        """What is typed goes to the line, wherever one has clicked before: it is the line's before any key is
        handed on, so that all keep their order."""
        if isinstance(event, events.Key) and not event.is_forwarded and self._is_typed(event):
            self.screen.set_focus(self.line)
        await super().on_event(event)

    def _is_typed(self, event: events.Key) -> bool:
        if not event.is_printable or not self.line.is_attached:
            return False
        handing_over = len(self.screen_stack) > 1
        chooses = event.key == "space" and self.board.has_focus
        return not (handing_over or chooses)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        if text := message.value.strip():
            self.hear(text)

    def action_say(self, text: str) -> None:
        self.hear(f"/{text}")

    def hear(self, text: str) -> None:
        """Does what a person typed."""
        table = self.table
        try:
            if table.turn is Turn.CHANCE and text.isdigit() and 1 <= int(text) <= len(table.ways):
                self._happened(table.happen(int(text) - 1))
                return
            if table.turn is Turn.PERSON:
                meant = understood(table.game, table.play.position, text)
            else:
                meant = understood_command(text)
            if isinstance(meant, Command):
                self.obey(meant)
            else:
                self.make(meant)
        except GameError as error:
            self._complain(error)

    def _complain(self, error: GameError) -> None:
        self.advice.update(Text("\n".join(render(each) for each in error.diagnostics)))

    def obey(self, command: Command) -> None:
        table = self.table
        match command.name:
            case "hint" | "why" if table.may_advise:
                self.advice.update("thinking …")
                self.advise(command.name)
            case "hint" | "why":
                self.advice.update(telling.no_advice(table))
            case "undo" | "redo":
                count = table.undo() if command.name == "undo" else table.redo()
                done = "taken back" if command.name == "undo" else "made again"
                self.record.write(
                    f"{counted(count, 'move')} {done}" if count else f"there is nothing to {command.name}"
                )
                self.go_on()
            case "swap":
                table.swap()
                self.record.write(", ".join(f"{seat.name}: {seat.description}" for seat in table.seats))
                self.go_on()
            case "save" | "load" if command.argument:
                path = Path(command.argument)
                table.save(path) if command.name == "save" else table.load(path)
                self.record.write(f"{'saved to' if command.name == 'save' else 'loaded'} {path}")
                self.go_on()
            case "save" | "load":
                self.advice.update(f"say which file: {command.name} FILE")
            case "quit":
                self.exit()
            case "moves":
                self.moves.focus()
            case _:
                self.advice.update("\n".join(telling.helped()))

    def advise(self, what: str) -> None:
        """Shows advice once it is there, unless the play has gone on."""
        table, asked = self.table, self._situation()
        reasons = telling.reasons(table) if what == "why" else []

        def ask() -> None:
            try:
                result = table.hint()
            except GameError as error:
                self._tell(self._complain, error)
                return
            lines = [Text(line) for line in (telling.expected(result) if what == "why" else ())]
            if what == "hint":
                how, *moves = telling.hinted(result)
                lines = [Text(how), *(Text(move, no_wrap=True, overflow="ellipsis") for move in moves)]
            self._tell(advise, Group(*lines, *map(Text, reasons)))

        def advise(shown: Group) -> None:
            if asked == self._situation():
                self.advice.update(shown)

        in_the_background(ask)


def in_the_background(work: Callable[[], None]) -> None:
    """Does something in a thread that nobody waits for, not even who leaves."""
    Thread(target=work, daemon=True).start()
