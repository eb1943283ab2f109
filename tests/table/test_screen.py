"""The table on a screen, used as people would."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any

import pytest

import gdl
from gdl.playing.seats import take_seats
from gdl.table.table import Table, Turn


class Waiting:
    """An agent that chooses the first move once it is told to."""

    def __init__(self) -> None:
        self.asked, self.told = Event(), Event()

    def choose(self, play: gdl.Play[Any, Any]) -> Any:
        self.asked.set()
        self.told.wait(30)
        return play.moves()[0]


async def settled(app: Any, pilot: Any) -> None:
    """Waits until agents and chance have moved."""
    async with asyncio.timeout(30):
        await pilot.pause()
        while app.thinking or app.table.turn is Turn.AGENT:
            await pilot.pause(0.01)
    await pilot.pause()


def test_a_square_of_two_lines_is_pointed_at_on_either() -> None:
    pytest.importorskip("textual", reason="the extra `play` is not installed")
    from gdl.table.screen import TableApp
    from tests.table.test_table import TWO_LINES

    game = gdl.loads(TWO_LINES, engine="reference")

    async def use() -> None:
        for line, cell in ((0, "a2"), (1, "a2"), (2, "a1"), (3, "a1")):
            table = Table(game, take_seats(game, {"a": "human", None: "random"}), seed=1)
            app = TableApp(table)
            async with app.run_test(size=(100, 30)) as pilot:
                await pilot.click("#board", offset=(2 + 2, 1 + line))
                await settled(app, pilot)
                assert game.format_move(table.play.history[0].move) == f"look({cell})"

    asyncio.run(use())


def test_clicks_and_keys_on_a_screen() -> None:
    pytest.importorskip("textual", reason="the extra `play` is not installed")
    from gdl.table.screen import TableApp

    game = gdl.load("tictactoe", engine="reference")
    table = Table(game, take_seats(game, {"x": "human", None: "random"}), seed=1)

    async def use() -> None:
        app = TableApp(table)
        async with app.run_test(size=(100, 30)) as pilot:
            assert app.focused is app.line
            await pilot.click("#board", offset=(2 + 4, 1 + 2))  # padding, then the middle of the board
            await settled(app, pilot)
            assert [game.format_move(step.move) for step in table.play.history][:1] == ["place(b2)"]
            assert len(table.play) == 2
            await pilot.press("f4")  # undo
            assert len(table.play) == 0
            assert app.focused is app.board
            await pilot.press(*"a1", "enter")  # typed where one has clicked: it goes to the line
            await settled(app, pilot)
            assert game.format_move(table.play.history[0].move) == "place(a1)"
            await pilot.press(*"zz", "enter")
            await pilot.pause()
            assert "C013" in str(app.advice.render())
            await pilot.press("f4")
            app.board.focus()
            await pilot.press("right", "down", "enter")
            await settled(app, pilot)
            assert len(table.play) >= 1

    asyncio.run(use())


@pytest.mark.parametrize("focus", ["line", "board"])
def test_keys_that_come_at_once_keep_their_order(focus: str) -> None:
    events = pytest.importorskip("textual.events", reason="the extra `play` is not installed")
    from gdl.table.screen import TableApp

    game = gdl.load("tictactoe", engine="reference")
    table = Table(game, take_seats(game, {None: "human"}), seed=1)
    named = {"<": ("backspace", "\x7f"), "!": ("enter", "\r")}

    async def use() -> None:
        app = TableApp(table)
        async with app.run_test(size=(100, 30)) as pilot:
            (app.line if focus == "line" else app.board).focus()
            await pilot.pause()
            for letter in "0<a1!c9<3!b":
                app.post_message(events.Key(*named.get(letter, (letter, letter))))
            await pilot.pause()
            assert [game.format_move(step.move) for step in table.play.history] == ["place(a1)", "place(c3)"]
            assert app.line.value == "b" and app.line.has_focus

    asyncio.run(use())


def test_the_play_can_be_left_while_the_screen_is_handed_over() -> None:
    pytest.importorskip("textual", reason="the extra `play` is not installed")
    from gdl.table.screen import HandOver, TableApp

    game = gdl.load("kuhn_poker", engine="reference")
    table = Table(game, take_seats(game, {None: "human"}), seed=1)

    async def use() -> None:
        app = TableApp(table)
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            assert isinstance(app.screen, HandOver)
            await pilot.press("ctrl+q")
            await pilot.pause()
            assert not app.is_running

    asyncio.run(use())


def test_a_move_taken_back_while_the_agent_thinks_is_not_answered() -> None:
    pytest.importorskip("textual", reason="the extra `play` is not installed")
    from gdl.table.screen import TableApp

    game = gdl.load("tictactoe", engine="reference")
    table = Table(game, take_seats(game, {"x": "human", None: "random"}), seed=1)
    agent = Waiting()
    table._choosers[1] = agent

    async def use() -> None:
        app = TableApp(table)
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.press(*"b2", "enter")
            await asyncio.to_thread(agent.asked.wait, 30)
            await pilot.press(*"c3", "enter")
            await pilot.pause()
            assert "C013" in str(app.advice.render())  # it is not this person's turn
            await pilot.press("f4")
            assert len(table.play) == 0
            await pilot.press(*"a1", "enter")
            assert app.thinking
            agent.told.set()
            await settled(app, pilot)
            assert [game.format_move(step.move) for step in table.play.history] == ["place(a1)", "place(b1)"]

    asyncio.run(use())


def test_the_play_can_be_left_while_an_agent_thinks() -> None:
    pytest.importorskip("textual", reason="the extra `play` is not installed")
    from gdl.table.screen import TableApp

    game = gdl.load("tictactoe", engine="reference")
    table = Table(game, take_seats(game, {"x": "random", "o": "human"}), seed=1)
    agent = Waiting()
    table._choosers[0] = agent

    async def use() -> None:
        app = TableApp(table)
        async with app.run_test(size=(100, 30)) as pilot:
            await asyncio.to_thread(agent.asked.wait, 30)
            await pilot.press("ctrl+q")
            await pilot.pause()
            assert not app.is_running

    asyncio.run(use())
    assert not agent.told.is_set()  # nobody has waited for it
    agent.told.set()


def test_no_advice_tells_what_an_agent_knows() -> None:
    game = gdl.load("kuhn_poker", engine="reference")
    table = Table(game, take_seats(game, {game.players[0]: "human", None: "random"}), seed=1)
    while table.turn is not Turn.PERSON:
        table.advance()
    assert table.may_advise
    table.make(table.play.moves()[0])
    assert table.turn is Turn.AGENT
    assert not table.may_advise
    table.advance()
    assert table.play.finished or table.reason(1) == ""
