"""A position as somebody may see it, the moves there, and what pointing at the boards means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl.draw.pictures import Picture
from gdl.game import CHANCE, TERMINAL
from gdl.serve import NOBODY
from gdl.serve.lines import Data, history, last_text, play_of
from gdl.serve.loaded import Ready
from gdl.serve.pictures import picture_data
from gdl.table.pointing import Pointing, boards
from gdl.table.reading import labels
from solvers.core.numbers import show_short

MOST_MOVES = 3000
"""Moves that a page lists."""


def view(ready: Ready, line: Data, at: int | None, viewer: int | None) -> Data:
    """The position after so many steps as the viewer sees it: None sees everything."""
    engine = ready.exact
    game = engine.game
    count = len(line["steps"]) if at is None else at
    position = engine.position(last_text(line, count))
    mover = game.to_move(position)
    over = mover == TERMINAL
    if over:
        viewer = None  # nothing is hidden once it is over
    draw = _drawn(game, viewer)
    may_choose = mover >= 0 and viewer in (None, mover)
    data: Data = {
        "at": count,
        "mover": mover,
        "picture": [] if draw is None else picture_data(draw(position), ready.model),
        "moves": moves(ready, position, viewer, draw) if may_choose and draw is not None else [],
        "changed": _changed(ready, line, count, draw),
        "history": history(ready, line, viewer),
        "viewer": viewer,
    }
    if over:
        returns = play_of(engine, line, count).returns
        data["returns"] = [show_short(paid) for paid in returns]
        data["scores"] = [float(paid) for paid in returns]
    if draw is not None:
        data["position"] = last_text(line, count) if viewer is None else ""
    return data


def _drawn(game: Any, viewer: int | None) -> Callable[[Any], Picture] | None:
    """How the viewer is shown positions."""
    if viewer is None:
        draw: Callable[[Any], Picture] = game.picture
        return draw
    if viewer == NOBODY:
        return None
    return lambda position: game.observed_picture(position, viewer)


def moves(
    ready: Ready, position: Any, viewer: int | None, draw: Callable[[Any], Picture] | None
) -> list[Data]:
    """The legal moves, each with its short name and the spots that it means, one after another."""
    game = ready.exact.game
    legal = list(game.moves(position))
    pointing = Pointing(game, position, None if viewer is None else draw)
    return [
        {
            "text": game.format_move(move),
            "label": label,
            "spots": [list(spot) for spot in pointing.spots[move]],
        }
        for move, label in zip(legal[:MOST_MOVES], labels(game, legal), strict=False)
    ]


def _changed(ready: Ready, line: Data, count: int, draw: Callable[[Any], Picture] | None) -> list[list[int]]:
    """The spots that look different since the last step, by board and cell."""
    if draw is None or count == 0:
        return []
    engine = ready.exact
    before = boards(draw(engine.position(last_text(line, count - 1))))
    after = boards(draw(engine.position(last_text(line, count))))
    if len(before) != len(after):
        return []
    return [
        [number, cell]
        for number, (old, new) in enumerate(zip(before, after, strict=True))
        if old.cells == new.cells
        for cell, (was, now) in enumerate(zip(old.stones, new.stones, strict=True))
        if was != now
    ]


# ---------------------------------------------------------------------------------- about a game


def about(ready: Ready) -> Data:
    """What the page says of a game: its class, its players, its parameters, who can play and solve it."""
    from gdl.model.types import Bool, Enum, Int, show_value

    model = ready.model
    title, _, text = model.doc.partition("\n")
    game = ready.exact.game

    def field(parameter: Any) -> Data:
        type_ = parameter.type
        data: Data = {
            "name": parameter.name,
            "value": show_value(type_, parameter.value),
            "default": show_value(type_, parameter.default),
        }
        if isinstance(type_, Bool):
            data["choices"] = ["false", "true"]
        elif isinstance(type_, Enum):
            data["choices"] = [member.name for member in type_.members]
        elif isinstance(type_, Int) and parameter.bounded:
            data["low"], data["high"] = type_.lo, type_.hi
        return data

    return {
        "name": model.name,
        "title": title.strip(),
        "text": text.strip(),
        "players": [member.name for member in model.players.members],
        "class": model.traits.class_of_game,
        "hidden": model.traits.hidden,
        "chance": model.traits.chance or model.traits.random_start,
        "zero_sum": model.traits.zero_sum,
        "minimise": model.traits.minimise,
        "bounds": [[_finite(low), _finite(high)] for low, high in model.traits.value_bounds],
        "params": [field(parameter) for parameter in model.parameters],
        "agents": agents(game),
        "solvers": solvers(game),
    }


def _finite(number: Any) -> float | None:
    value = float(number)
    return value if abs(value) != float("inf") else None


def agents(game: Any) -> list[Data]:
    """Who can play: the one that suits, the policies of the file, then all others that apply."""
    from solvers.registry import AGENTS, SOLVERS, applies

    found = [{"agent": "best", "about": AGENTS["best"].summary}]
    declared = getattr(game, "policies", {})
    found += [
        {"agent": name, "about": f"a policy of the file: {form}"}
        for name, form in declared.items()
        if "(" not in form
    ]
    for name in _PLAYING:
        if name in SOLVERS and applies(name, game) is None:
            found.append({"agent": _timed(name), "about": SOLVERS[name].summary})
    if not game.traits.hidden:
        found.append({"agent": "greedy", "about": AGENTS["greedy"].summary})
    found.append({"agent": "random", "about": AGENTS["random"].summary})
    return found


_PLAYING = ("alphabeta", "star2", "expectiminimax", "mcts", "flat_monte_carlo", "maxn", "ismcts", "pimc")
"""Solvers that are offered as opponents; any other may be typed."""

_ANALYSING = (*_PLAYING, "minimax", "star1", "expectimax", "paranoid")


def _timed(name: str) -> str:
    from solvers.registry import SOLVERS

    return f"{name}(time=1)" if "time" in SOLVERS[name].options else name


def solvers(game: Any) -> list[Data]:
    """Who can analyse one position of the game, beside the plan that is followed without a choice."""
    from solvers.registry import SOLVERS, applies

    return [
        {"solver": name, "about": SOLVERS[name].summary}
        for name in _ANALYSING
        if name in SOLVERS and SOLVERS[name].looks_ahead and applies(name, game) is None
    ]


def thumbnail(ready: Ready) -> Data:
    """A picture for the start page: a little way into a play, by moves that are the same every time."""
    from random import Random

    from gdl.playing.play import Play

    game = ready.exact.game
    rng = Random(5)
    play: Any = Play(game, rng=rng)
    best = play.position
    for _ in range(THUMBNAIL):
        if play.finished:
            break
        best = play.position
        if play.to_move == CHANCE:
            play.draw()
        else:
            play.make(rng.choice(play.moves()))
    else:
        best = best if play.finished else play.position
    draw = _drawn(game, 0 if game.traits.hidden else None)
    assert draw is not None
    traits = ready.model.traits
    return {
        "picture": picture_data(draw(best), ready.model),
        "players": len(game.players),
        "names": list(game.players),
        "class": traits.class_of_game,
        "chance": traits.chance or traits.random_start,
        "hidden": traits.hidden,
    }


THUMBNAIL = 14
"""Moves that are made for a picture."""
