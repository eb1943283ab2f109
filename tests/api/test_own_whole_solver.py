"""A solver of whole games that somebody registers runs as it is written, on compiled games too."""

from __future__ import annotations

from typing import Any

import gdl
from solvers.core.result import Result, Value, Work
from tests.api.own import forgotten


def test_it_is_asked_whatever_the_engine_is() -> None:
    asked: list[str] = []

    with forgotten():

        @gdl.register("solver", family="graph", repeats="any")
        def seven_for_everybody(game: Any, at: Any = None) -> Result:
            asked.append(game.name)
            values = tuple(Value.exact(7) for _ in game.players)
            return Result(game.name, "seven_for_everybody", values, game.players, "said so", Work(0.0))

        for engine in ("native", "reference"):
            found = gdl.solve(gdl.load("tictactoe", engine=engine), "seven_for_everybody")
            assert (found.solver, found.value) == ("seven_for_everybody", 7)
    assert asked == ["tictactoe", "tictactoe"]
