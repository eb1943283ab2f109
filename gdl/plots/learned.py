"""How an evaluation got stronger while it learned: the curve that its file keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Chart, Panel, Series
from gdl.learning import Learned
from solvers.core.refusal import bad_option

DEVIATIONS = 1.96
"""Standard errors of a band: 95 %."""


def learning_curve(what: Any) -> Chart:
    """The curve of a file of `gdl learn --save`, or of what `gdl.learn` gives: strength and error over CPU
    time."""
    if isinstance(what, str | Path):
        from solvers.files.evaluation_file import read_facts

        facts = read_facts(what)
        game, made, curve = facts["game"], facts["made"], facts["curve"]
    elif not isinstance(what, Learned):
        raise bad_option(f"{what!r} is nothing that was learned", "Give a file, or what `gdl.learn` gives.")
    else:
        game, made, curve = what.game.name, what.made, what.curve
    if not curve:
        raise GameError([nothing_to_plot("nothing was measured while it learned", "learn from more games")])
    x = tuple(float(point["seconds"]) for point in curve)
    alone = all(point["best"] is None for point in curve)
    panels = (
        Panel(
            "strength" if alone else "strength against random moves",
            "CPU seconds of learning",
            "what it gets" if alone else "points a game",
            (_means("one move ahead", x, [point["random"] for point in curve]),),
            log_x=True,
        ),
        Panel(
            "error",
            "CPU seconds of learning",
            "mean squared error",
            (Series("of the last games", x, tuple(float(point["error"]) for point in curve)),),
            log_x=True,
            log_y=True,
        ),
    )
    said = f"{made.get('kind', '')}, {made.get('games', 0):,} games, seed {made.get('seed')}"
    notes = (f"{said}; bands: 95 % of the mean",)
    return Chart(f"{game}: learning from self-play", panels, notes)


def _means(name: str, x: tuple[float, ...], found: list[Any]) -> Series:
    return Series(
        name,
        x,
        tuple(float(mean) for mean, _ in found),
        tuple(mean - DEVIATIONS * error for mean, error in found),
        tuple(mean + DEVIATIONS * error for mean, error in found),
    )
