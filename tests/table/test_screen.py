"""The table on a screen, used as people would."""

from __future__ import annotations

import asyncio

import pytest

import gdl
from gdl.playing.seats import take_seats
from gdl.table.table import Table


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
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert [game.format_move(step.move) for step in table.play.history][:1] == ["place(b2)"]
            assert len(table.play) == 2
            await pilot.press("f4")  # undo
            assert len(table.play) == 0
            assert app.focused is app.board
            await pilot.press(*"a1", "enter")  # typed where one has clicked: it goes to the line
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert game.format_move(table.play.history[0].move) == "place(a1)"
            await pilot.press(*"zz", "enter")
            await pilot.pause()
            assert "C013" in str(app.advice.render())
            await pilot.press("f4")
            app.board.focus()
            await pilot.press("right", "down", "enter")
            await app.workers.wait_for_complete()
            assert len(table.play) >= 1

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
