"""A play as data: where it started, and each step with the position it led to.

The server keeps it as `{start, steps}` and hands it to whichever process is free, so that none of them holds
anything that would be lost with it. Chance draws by the seed of the play and the number of the step: a move
that is taken back and made again leads to the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from gdl.answers import params_of
from gdl.diagnostics import Diagnostic, GameError
from gdl.diagnostics.commands import recording_differs
from gdl.game import CHANCE
from gdl.playing.play import Play, Step
from gdl.playing.records import RecordedMove, RecordedPlay, Recording, probability
from gdl.serve.loaded import Engine, Ready
from gdl.table.dice import ways_of_chance, ways_of_move
from gdl.table.pointing import listed
from solvers.core.numbers import show_short

Data = dict[str, Any]

MOST_WAYS = 500
"""Ways for chance to go that a page lists."""


def begin(ready: Ready, seed: int) -> Data:
    """The start of a play."""
    engine = ready.exact
    play: Play[Any, Any] = Play(engine.game, rng=Random(f"{seed}/0"))
    return {"start": engine.text(play.position), "steps": []}


def ways(ready: Ready, line: Data, move: str | None) -> list[Data]:
    """What chance may add to a move, or do without one where it is to move: in words, with the odds, and
    where it leads; nothing where that is too much to list."""
    engine = ready.exact
    before = last_text(line)
    position = engine.position(before)
    if move is None:
        found = ways_of_chance(engine.game, position)
    else:
        found = ways_of_move(engine.game, position, engine.move(before, move))
    return [
        {
            "label": way.label,
            "odds": show_short(Fraction(way.probability)),
            "move": engine.game.format_move(way.move),
            "position": engine.text(way.position),
        }
        for way in found[:MOST_WAYS]
    ]


def make(ready: Ready, line: Data, move: str | None, seed: int, way: Data | None = None) -> Data:
    """The step that a move makes; without one, what chance does where it is to move. With one of `ways`
    chance does that, else it draws."""
    engine = ready.exact
    before = last_text(line)
    rng = Random(f"{seed}/{len(line['steps']) + 1}")
    play: Play[Any, Any] = Play(engine.game, engine.position(before), rng=rng)
    if way is not None:
        step = play.make(engine.move(before, way["move"]), engine.position(way["position"]))
        return _step_data(engine, play.before, step) | {"chance": "" if move is None else way["label"]}
    step = play.draw() if move is None else play.make(engine.move(before, move))
    return _step_data(engine, play.before, step)


def _step_data(engine: Engine, before: Any, step: Step[Any, Any]) -> Data:
    game = engine.game
    assert step.mover is not None
    odds = probability(game, before, step.mover, step.move, step.position)
    return {
        "mover": step.mover,
        "move": game.format_move(step.move),
        "position": engine.text(step.position),
        "chance": step.label,
        "probability": str(odds),
        "rewards": [str(paid) for paid in step.rewards] if any(step.rewards) else [],
    }


def mover(ready: Ready, line: Data) -> int:
    """Who is to move."""
    return int(ready.exact.game.to_move(ready.exact.position(last_text(line))))


def last_text(line: Data, at: int | None = None) -> str:
    """The text of the position after so many steps, or after all."""
    steps = line["steps"]
    count = len(steps) if at is None else at
    return str(steps[count - 1]["position"] if count else line["start"])


def play_of(engine: Engine, line: Data, at: int | None = None) -> Play[Any, Any]:
    """The play after so many steps, with all that happened before: what those know who were there."""
    game = engine.game
    steps = line["steps"] if at is None else line["steps"][:at]
    play: Play[Any, Any] = Play(game, engine.position(line["start"]))
    before = line["start"]
    for step in steps:
        rewards = [Fraction(paid) for paid in step["rewards"]]
        play.take_up(
            engine.move(before, step["move"]), engine.position(step["position"]), rewards, step["chance"]
        )
        before = step["position"]
    return play


# ------------------------------------------------------------------------------- plays from elsewhere


def recording(ready: Ready, line: Data, agents: Mapping[str, str], seed: int) -> Data:
    """The play as `gdl play` and `gdl run` write and read it."""
    game = ready.exact.game
    play = play_of(ready.exact, line)
    names = [*game.players]
    moves = tuple(
        RecordedMove(
            player="chance" if step["mover"] == CHANCE else names[step["mover"]],
            move=step["move"],
            chance=step["chance"],
            probability=step["probability"],
            position=step["position"],
            rewards=tuple(step["rewards"]),
        )
        for step in line["steps"]
    )
    returns = tuple(map(str, play.returns)) if play.finished else None
    recorded = RecordedPlay(start=line["start"], moves=moves, finished=play.finished, returns=returns)
    return Recording(
        game=game.name, file=game.name, params=dict(params_of(game)), agents=dict(agents), seed=seed,
        plays=(recorded,),
    ).model_dump(mode="json")  # fmt: skip


def replay(ready: Ready, start: str | None, moves: Sequence[Mapping[str, Any]], seed: int) -> Data:
    """A play that somebody brings, as `{move, position}`, made again move by move; raises GameError at the
    first that the game does not allow. A position may be left out where chance has no say."""
    engine = ready.exact
    line: Data = begin(ready, seed)
    if start is not None:
        line["start"] = engine.text(engine.game.parse_position(start))
    for given in moves:
        before = last_text(line)
        position = engine.position(before)
        move = engine.move(before, str(given["move"]))
        play: Play[Any, Any] = Play(engine.game, position, rng=Random(f"{seed}/{len(line['steps']) + 1}"))
        if given.get("position"):
            to = engine.game.parse_position(str(given["position"]))
            try:
                step = play.make(move, to)
            except ValueError as error:
                raise GameError([_impossible(str(given["move"]), str(error))]) from None
            found = ways_of_move(engine.game, position, move)
            label = next((way.label for way in found if way.position == to and len(found) > 1), "")
            line["steps"].append(_step_data(engine, position, step) | {"chance": label})
        else:
            line["steps"].append(_step_data(engine, position, play.make(move)))
    return line


def _impossible(move: str, reason: str) -> Diagnostic:
    return recording_differs("this play", 1, 1, f"what follows {move}", "another position", reason)


def adapted(before: Ready, ready: Ready, line: Data, seed: int) -> Data:
    """A play of the rules of `before` taken over by others: all of it where they allow it, else the position
    alone, else from the start. `kept` says which: "play", "position" or "nothing"."""
    try:
        return {**_made_again(before, ready, line, seed), "kept": "play"}
    except GameError:
        pass  # tried again with less of it
    engine = ready.exact
    try:
        position = engine.game.parse_position(last_text(line))
        engine.game.to_move(position)
        return {"start": engine.text(position), "steps": [], "kept": "position"}
    except GameError:
        return {**begin(ready, seed), "kept": "nothing"}


def _made_again(before: Ready, ready: Ready, line: Data, seed: int) -> Data:
    """The moves of a play that was made by the rules of `before`, and what chance did then, made again by
    their names: on a larger board no text of a position means what it meant. Raises GameError at the first
    that cannot be."""
    engine = ready.exact
    game = engine.game
    again: Data = {"start": _start_again(before, ready, line["start"], seed), "steps": []}
    for step in line["steps"]:
        text = last_text(again)
        position = engine.position(text)
        move = engine.move(text, step["move"])
        if game.to_move(position) != step["mover"]:
            raise GameError([_impossible(step["move"], "another player is to move")])
        outcomes = listed(game, position, move)
        fitting = [each for each in outcomes if len(outcomes) == 1 or _says(each.labels, step["chance"])]
        if len(fitting) != 1:
            raise GameError([_impossible(step["move"], "chance cannot do the same")])
        play: Play[Any, Any] = Play(game, position)
        made = _step_data(engine, position, play.make(move, fitting[0].position))
        again["steps"].append(made | {"chance": step["chance"] if len(outcomes) > 1 else ""})
    return again


def _start_again(before: Ready, ready: Ready, start: str, seed: int) -> str:
    """Where a play begins by other rules: where these begin if it began as its own say, else where it did."""
    if start == _only_start(before.exact):
        return str(_only_start(ready.exact) or begin(ready, seed)["start"])
    return ready.exact.text(ready.exact.game.parse_position(start))


def _only_start(engine: Engine) -> str | None:
    """Where every play begins; None where chance has a say in that."""
    drawn = engine.game.sample_initial(Random(0))
    return engine.text(drawn[0]) if drawn[1] == 1 else None


def _says(labels: Sequence[str], told: str) -> bool:
    """Whether this is what was told of chance: it is told by the first of the ways to the same position when
    it is drawn, by all of them where people choose."""
    return told in (labels[0] if labels else "", " or ".join(labels))


# ------------------------------------------------------------------------------------ as people read it


def history(ready: Ready, line: Data, viewer: int | None, at: int | None = None) -> list[Data]:
    """Every step as the viewer may see it: who, what, what chance did and how probable that was."""
    engine = ready.exact
    game = engine.game
    told = []
    before = line["start"]
    for step in line["steps"] if at is None else line["steps"][:at]:
        mover, text = step["mover"], step["move"]
        if viewer is not None:
            move = engine.move(before, text)
            text = str(game.format_move(game.observed_move(move, viewer, mover)))
        entry: Data = {"mover": mover, "move": text}
        if viewer is None and (step["chance"] or mover == CHANCE) and step["probability"] != "1":
            entry["chance"] = step["chance"]
            entry["odds"] = show_short(Fraction(step["probability"]))
        if viewer is None and step["rewards"]:
            entry["paid"] = [show_short(Fraction(paid)) for paid in step["rewards"]]
        told.append(entry)
        before = step["position"]
    return told
