"""Which requests a process answers: from plain data to plain data, in one answer or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gdl.serve.loaded import ready

Data = dict[str, Any]
Answer = Any | Iterator[Any]


def check(game: Data) -> Answer:
    from gdl.serve import editing

    return editing.check(game)


def complete(game: Data, at: int) -> Answer:
    from gdl.serve import editing

    return editing.proposals(game, at)


def explain(game: Data, at: int) -> Answer:
    from gdl.serve import editing

    return editing.explained(game, at)


def format(game: Data) -> Answer:
    from gdl.serve import editing

    return editing.formatted(game)


def thumbnail(game: Data) -> Answer:
    from gdl.serve import views

    return views.thumbnail(ready(game))


def about(game: Data) -> Answer:
    from gdl.serve import views

    return views.about(ready(game))


def begin(game: Data, seed: int, start: str | None = None, moves: list[Data] | None = None) -> Answer:
    """The line of a play, begun or taken up, and what is to be said of its game."""
    from gdl.serve import lines, views

    game_ready = ready(game)
    if start is None and not moves:
        line = lines.begin(game_ready, seed)
    else:
        line = lines.replay(game_ready, start, moves or [], seed)
    return {"line": line, "mover": lines.mover(game_ready, line), "about": views.about(game_ready)}


def adapt(game: Data, before: Data, line: Data, seed: int) -> Answer:
    """A play of the rules `before` taken over by others."""
    from gdl.serve import lines, views

    game_ready = ready(game)
    adapted = lines.adapted(ready(before), game_ready, line, seed)
    kept = adapted.pop("kept")
    mover = lines.mover(game_ready, adapted)
    return {"kept": kept, "line": adapted, "mover": mover, "about": views.about(game_ready)}


def ways(game: Data, line: Data, move: str | None) -> Answer:
    """What chance may do, for people who have real dice."""
    from gdl.serve import lines

    return lines.ways(ready(game), line, move)


def make(
    game: Data,
    line: Data,
    move: str | None,
    seed: int,
    viewers: list[int | None],
    way: Data | None = None,
) -> Answer:
    """The step that a move makes, and how everybody sees what came of it."""
    from gdl.serve import lines, views

    game_ready = ready(game)
    step = lines.make(game_ready, line, move, seed, way)
    after = {"start": line["start"], "steps": [*line["steps"], step]}
    seen = [views.view(game_ready, after, None, viewer) for viewer in viewers]
    return {"step": step, "mover": lines.mover(game_ready, after), "views": seen}


def view(game: Data, line: Data, at: int | None, viewers: list[int | None]) -> Answer:
    from gdl.serve import views

    game_ready = ready(game)
    return {"views": [views.view(game_ready, line, at, viewer) for viewer in viewers]}


def mover(game: Data, line: Data) -> Answer:
    from gdl.serve import lines

    return lines.mover(ready(game), line)


def record(game: Data, line: Data, agents: dict[str, str], seed: int) -> Answer:
    from gdl.serve import lines

    return lines.recording(ready(game), line, agents, seed)


def agent(game: Data, agent: str) -> Answer:
    """What an agent is called, where it can play the game."""
    from gdl.serve import thinking

    return thinking.checked_agent(ready(game), agent)


def choose(game: Data, line: Data, agent: str, seed: int) -> Answer:
    from gdl.serve import thinking

    return thinking.chosen(ready(game), line, agent, seed)


def analyse(game: Data, line: Data, at: int, solver: str | None, seconds: float) -> Answer:
    from gdl.serve import thinking

    return thinking.analysed(ready(game), line, at, solver, seconds)


def curve(game: Data, line: Data, known: list[int]) -> Answer:
    from gdl.serve import thinking

    return thinking.curve(ready(game), line, known)


def tree(game: Data, line: Data, at: int, position: str | None, solver: str | None) -> Answer:
    from gdl.serve import looking

    return looking.trees(ready(game), line, at, position, solver)


def policy(game: Data, dark: bool, limit: int) -> Answer:
    from gdl.serve import looking

    return looking.policy(ready(game), dark, limit)


def prepare(game: Data) -> Answer:
    """Compiles a game before somebody asks for a move or a value."""
    from gdl.serve import thinking

    thinking.prepared(ready(game))
    return None


def warm() -> Answer:
    """Makes ready what takes long the first time on a machine."""
    from gdl.serve import thinking

    return thinking.warmed()


def warm_quick() -> Answer:
    """Reads the grammar and the rules of a small game, so that the first person does not wait for that."""
    from gdl.loading import games
    from gdl.serve import editing, views

    game = {"name": "tictactoe", "text": games()["tictactoe"].read_text(encoding="utf-8")}
    editing.check(game)
    return bool(views.thumbnail(ready(game)))


JOBS: dict[str, Callable[..., Answer]] = {
    job.__name__: job
    for job in (
        check, complete, explain, format, thumbnail, about, begin, adapt, ways, make, view, mover, record,
        agent, choose, analyse, curve, tree, policy, prepare, warm, warm_quick,
    )
}  # fmt: skip
