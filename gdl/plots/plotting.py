"""Diagrams of a game: what `gdl plot` does, for Python and for the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from gdl.asking import asked
from gdl.draw.plots.plot import Plot

Kind = Literal["policy", "value", "sweep", "convergence", "shape", "match", "game", "learning"]


def plot(kind: Kind, what: Any, *arguments: Any, **options: Any) -> Plot:
    """A diagram of a game, as public data that draws itself: what `gdl plot` draws.

    policy        the best move over variables of the position: x, y, slices, z, at, policies
    value         values over variables of the position: x, y, slices, at
    sweep         the value over parameters: what `sweep` takes; score=True for the share of wins
    convergence   how a solver comes nearer to the truth: solver, simulations, iterations, runs, seed
    shape         moves, lengths, outcomes and positions: plays, seed
    match         what `match` takes, or a match that was played
    game          a recording, and its game if it cannot be found: play, simulations, seed
    learning      a file of `gdl learn --save`, or what `learn` gives

    `save` writes .png .svg .pdf .csv .json .txt, `rows` and `as_data` are what is drawn, `figure` is the
    drawing of matplotlib, and notebooks show it.

    >>> import gdl
    >>> drawn = gdl.plot("policy", gdl.load("halving"))
    >>> [cell.moves for cell in drawn.cells][2]
    ('halve',)
    """
    from solvers.core.refusal import bad_option

    makers: dict[str, Callable[..., Plot]] = {
        "policy": _policy, "value": _value, "sweep": _sweep, "convergence": _convergence, "shape": _shape,
        "match": _match, "game": _game, "learning": _learning,
    }  # fmt: skip
    if kind not in makers:
        raise bad_option(f"there is no plot of kind {kind!r}", f"Choose among {', '.join(makers)}.")
    return makers[kind](what, *arguments, **options)


def _policy(*arguments: Any, **options: Any) -> Plot:
    from gdl.plots.maps import policy_map

    return asked(policy_map, "plot")(*arguments, **options)


def _value(*arguments: Any, **options: Any) -> Plot:
    from gdl.plots.maps import value_map

    return asked(value_map, "plot")(*arguments, **options)


def _sweep(*arguments: Any, score: bool = False, **options: Any) -> Plot:
    from gdl.plots.sweeps import sweep_plot
    from gdl.sweeps.sweep import sweep
    from gdl.sweeps.table import Sweep

    found = arguments[0] if isinstance(arguments[0], Sweep) else sweep(*arguments, **options)
    return sweep_plot(found, score=score)


def _convergence(*arguments: Any, **options: Any) -> Plot:
    from gdl.plots.convergence import convergence

    return asked(convergence, "plot")(*arguments, **options)


def _shape(*arguments: Any, **options: Any) -> Plot:
    from gdl.plots.shape import shape

    return asked(shape, "plot")(*arguments, **options)


def _match(*arguments: Any, **options: Any) -> Plot:
    from gdl.playing.tournament import Match, match
    from gdl.plots.matches import match_plot

    return match_plot(arguments[0] if isinstance(arguments[0], Match) else match(*arguments, **options))


def _game(*arguments: Any, **options: Any) -> Plot:
    from gdl.plots.recorded import recorded_plot

    return asked(recorded_plot, "plot")(*arguments, **options)


def _learning(*arguments: Any) -> Plot:
    from gdl.plots.learned import learning_curve

    return learning_curve(*arguments)
