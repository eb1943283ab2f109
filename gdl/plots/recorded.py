"""One recorded play as a diagram: what every position on the way was worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gdl.answers import params_of
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import nothing_to_plot
from gdl.draw.plots.plot import Chart, Panel, Series
from gdl.draw.plots.text import number
from gdl.game import TERMINAL, Game
from gdl.playing.records import RecordedPlay, Recording, load_recording
from solvers.core.refusal import bad_option

SIMULATIONS = 3_000
"""For each position, where the game is too large to be solved."""

SWINGS = 3
"""Moves that are named because they changed most."""


def recorded_plot(
    record: str | Path | Recording,
    game: Game[Any, Any] | None = None,
    *,
    play: int = 1,
    simulations: int = SIMULATIONS,
    seed: int = 1,
) -> Chart:
    """The chance to win, or the value, over the moves of a recorded play; `play` counts from 1.

    Values are solved where the game can be; else every position is searched by simulations, and they are
    estimates.
    """
    if not isinstance(record, str | Path | Recording):
        raise bad_option(
            f"{record!r} is no recording", "Give the file of one: `gdl run --record FILE` writes it."
        )
    recording = record if isinstance(record, Recording) else load_recording(Path(record))
    game = game or _game_of(recording)
    if not 1 <= play <= len(recording.plays):
        raise GameError(
            [
                nothing_to_plot(
                    f"there is no play {play} in the recording", f"it has plays 1 to {len(recording.plays)}"
                )
            ]
        )
    told = recording.plays[play - 1]
    positions = [game.parse_position(text) for text in (told.start, *(step.position for step in told.moves))]
    worths, how = _worths(game, positions, simulations, seed)
    chances = _pays_a_win(game)
    scaled = [tuple((v + 1) / 2 if chances else v for v in worth) for worth in worths]
    x = tuple(float(k) for k in range(len(positions)))
    y = tuple(worth[0] for worth in scaled)
    line = Series(
        f"{game.players[0]}", x, y, tuple(worth[1] for worth in scaled), tuple(worth[2] for worth in scaled)
    )
    series = [line, *_by_mover(told, x, y)]
    if chances:
        series.append(Series("even", (x[0], x[-1]), (0.5, 0.5), look="level"))
    what = "chance to win, a draw counted half" if chances else "value"
    panel = Panel(
        "", "moves made", f"{what}: {game.players[0]}", tuple(series),
        between=(-0.03, 1.03) if chances else None,
    )  # fmt: skip
    settings = "".join(f", {name}={value}" for name, value in params_of(game))
    players = ", ".join(f"{name}: {agent}" for name, agent in recording.agents.items())
    notes = [how, *([players] if players else []), *_swings(told, y)]
    return Chart(f"{game.name}{settings}: play {play}", (panel,), tuple(notes))


def _game_of(recording: Recording) -> Game[Any, Any]:
    from gdl.loading import fastest, find_game, load_model, read_source

    known = find_game(recording.file)
    source = read_source(recording.file if known.exists() else recording.game)
    game: Game[Any, Any] = fastest(load_model(source, recording.params))[0]
    return game


def _worths(
    game: Any, positions: list[Any], simulations: int, seed: int
) -> tuple[list[tuple[float, float, float]], str]:
    """Of every position: the first player's value and the ends of what is known of it; and how."""
    from gdl.solving import solve
    from solvers.core.refusal import Refusal

    if not game.traits.hidden:
        try:
            result = solve(game, at=positions[0])
        except Refusal:
            result = None
        if result is not None and result.policy is not None:
            return [_ends(result.policy.value(p)[0]) for p in positions], f"solved: {result.how}"
    return [_searched(game, p, simulations, seed) for p in positions], (
        f"estimated by {simulations:,} simulations in each position, seed {seed}; bands are 95 % intervals"
    )


def _searched(game: Any, position: Any, simulations: int, seed: int) -> tuple[float, float, float]:
    from gdl.searching import search

    if game.to_move(position) == TERMINAL:
        return (float(game.utility(position)[0]),) * 3
    solver = "flat_monte_carlo" if game.traits.hidden else "mcts"
    value = search(game, solver, at=position, simulations=simulations, seed=seed).values[0]
    assert value is not None, f"{solver} values every player"
    return _ends(value)


def _ends(value: Any) -> tuple[float, float, float]:
    middle = float(value.number)
    low, high = (middle if end is None else float(end) for end in (value.low, value.high))
    return middle, low, high


def _pays_a_win(game: Game[Any, Any]) -> bool:
    """Whether a value says how often the first player wins: 1 for a win, -1 for a loss, nothing else."""
    traits = game.traits
    ends = [tuple(map(float, bounds)) for bounds in traits.utility_bounds[:1]]
    return traits.zero_sum and not traits.rewards and traits.discount == 1 and ends == [(-1.0, 1.0)]


def _by_mover(told: RecordedPlay, x: tuple[float, ...], y: tuple[float, ...]) -> list[Series]:
    """The positions after each player's moves, as points of their own."""
    movers = dict.fromkeys(step.player for step in told.moves)
    found = []
    for name in movers:
        after = [k + 1 for k, step in enumerate(told.moves) if step.player == name]
        found.append(
            Series(f"after {name}", tuple(x[k] for k in after), tuple(y[k] for k in after), look="points")
        )
    return found if len(told.moves) <= 200 else []


def _swings(told: RecordedPlay, y: tuple[float, ...]) -> list[str]:
    changes = sorted(range(len(told.moves)), key=lambda k: -abs(y[k + 1] - y[k]))[:SWINGS]
    return [
        f"move {k + 1}, {step.player}: {step.move}"
        + (f" [{step.chance}]" if step.chance else "")
        + f": {number(round(y[k], 4))} → {number(round(y[k + 1], 4))}"
        for k in sorted(changes)
        if abs(y[k + 1] - y[k]) > 1e-9
        for step in [told.moves[k]]
    ]
