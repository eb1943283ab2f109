"""Agents' moves, and what a position is worth: each answer says how it is known.

An analysis is a series of answers, each with more time than the one before, until the value is proven or
nobody wants to know any more. It ends early with `KeyboardInterrupt`, which the process is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from random import Random
from time import monotonic
from typing import Any

from gdl.diagnostics import GameError
from gdl.game import CHANCE, TERMINAL
from gdl.playing.play import Play
from gdl.searching import advised, planned_search, searched
from gdl.serve.interrupts import interruptible, stop_if_asked
from gdl.serve.lines import Data, last_text, play_of
from gdl.serve.loaded import Engine, Ready
from gdl.table.mixing import equilibrium, mixed
from gdl.table.pointing import listed
from solvers.agents.kinds import agent as agent_described
from solvers.agents.seated import Seated
from solvers.agents.seen import View
from solvers.agents.syntax import Argument, Description, parse_description
from solvers.core.refusal import Refusal, bad_option
from solvers.core.result import MoveValue, Result, Value
from solvers.hidden.sequences import Known
from solvers.portfolio import is_proven

THINKING = 1.0
"""Seconds that an agent thinks about a move unless its description says otherwise."""

SLICES = (0.25, 0.75, 2.0, 4.0, 8.0, 16.0)
"""Seconds of the answers of an analysis, one after another."""

LONG = 2.0
"""An answer that takes so long may be interrupted: what it needs was loaded for the first ones."""

LOOK = 0.15
"""Seconds for each position of a curve."""

GLANCE = 0.03
"""Seconds at least for a move that the search of all of them left open ..."""

MOST_LOOKED_AT = 30
"""... and of how many such moves."""


# ----------------------------------------------------------------------------------------- agents


def chosen(ready: Ready, line: Data, description: str, seed: int) -> Data:
    """The move of an agent for the player to move, why, and what the agent is called."""
    engine = ready.fast
    made = _seated(engine, description)
    play = play_of(engine, line) if engine.game.traits.hidden else _here(engine, line)
    move, why = made.agent.choose(View.of_play(play), Random(f"{seed}/{len(line['steps'])}/{description}"))
    return {"move": engine.game.format_move(move), "why": why, "agent": made.agent.description}


def _here(engine: Engine, line: Data) -> Play[Any, Any]:
    return Play(engine.game, engine.position(last_text(line)))


def _seated(engine: Engine, description: str) -> Seated:
    if (found := engine.agents.get(description)) is None:
        refuse_files(description)
        text = _best(engine.game) if description == "best" else description
        found = engine.agents.keep(description, Seated(agent_described(text, engine.game), Random(0)))
    made: Seated = found
    return made


def _best(game: Any, seconds: float = THINKING) -> str:
    """The agent that suits the game, with time to think where it is one that thinks."""
    from solvers.plan import plan_play
    from solvers.registry import find

    step = plan_play(game).steps[0]
    solver = step.solver
    if find(solver).family == "graph" or "time" not in find(solver).options:
        return step.agent
    return f"{solver}(time={seconds:g}{f', leaf={step.leaf}' if step.leaf else ''})"


def refuse_files(description: str) -> None:
    """Raises Refusal where a description names a file: what comes from a browser reads none."""
    if _names_file(parse_description(description)):
        raise bad_option(
            f"`{description}` names a file, and this page reads none", "Use gdl on the command line for that."
        )


def _names_file(part: Description | Argument | Fraction | str) -> bool:
    match part:
        case Description():
            return bool(part.file) or any(_names_file(argument) for argument in part.arguments)
        case Argument():
            return _names_file(part.value)
    return False


def checked_agent(ready: Ready, description: str) -> Data:
    """What an agent is called; raises GameError or Refusal where it cannot play this game."""
    return {"agent": str(_seated(ready.fast, description))}


# -------------------------------------------------------------------------------------- one position


def analysed(ready: Ready, line: Data, at: int, solver: str | None, seconds: float) -> Iterator[Data]:
    """Answers about the position after so many steps, each better than the one before, for `seconds` in
    all."""
    engine = ready.fast
    situation = _situation(engine, line, at)
    if situation is None:
        yield {"over": True}
        return
    if solver:
        refuse_files(solver)
    begun = monotonic()
    result: Result | None = None
    for number, budget in enumerate(SLICES):
        if number and monotonic() - begun + budget > seconds:
            return
        if result is None or not is_proven(result):
            with interruptible() if budget >= LONG else nullcontext():
                result = advised(engine.game, situation, solver or None, budget, every=True)
            yield answer(engine.game, result)
        if engine.game.traits.hidden and not solver:
            if (found := _by_equilibrium(engine, line["start"], situation, result)) is not None:
                yield answer(engine.game, found)
                return
            continue
        left = _left_open(result)
        if left:
            result = _completed(engine, situation, result, left, max(GLANCE, budget / len(left)))
            yield answer(engine.game, result)
            left = _left_open(result)
        if is_proven(result) and not left:
            return


def _by_equilibrium(engine: Engine, start: str, known: Any, result: Result) -> Result | None:
    """The answer with the probabilities of an equilibrium, where one is to be had."""
    key = "equilibrium", start
    if key not in engine.agents:
        engine.agents.keep(key, equilibrium(engine.game, engine.position(start)))
    odds = engine.agents[key]
    return None if odds is None else mixed(engine.game, odds, known, result)


def _left_open(result: Result) -> list[MoveValue]:
    """Moves that a search left open, for it looked for the best one; of many those that it tried most."""
    proven = is_proven(result)
    found = [
        move for move in result.moves if move.value is None or (proven and move.value.kind == "estimate")
    ]
    return sorted(found, key=lambda move: -(move.visits or 0))[:MOST_LOOKED_AT]


def _situation(engine: Engine, line: Data, at: int) -> Any | None:
    """What is asked about: the position, or what the player to move knows of it; None where the play is over
    or chance is to move and something is hidden."""
    position = engine.position(last_text(line, at))
    mover = engine.game.to_move(position)
    if mover == TERMINAL:
        return None
    if not engine.game.traits.hidden:
        return position
    if mover == CHANCE:
        return None
    play = play_of(engine, line, at)
    return Known(mover, play.information(mover), tuple(play.moves()))


def _completed(
    engine: Engine, position: Any, result: Result, left: Sequence[MoveValue], seconds: float
) -> Result:
    """The answer with values of the moves that were left open: each is looked at by itself."""
    game = engine.game
    mover = game.to_move(position)
    if mover < 0:
        return result
    found = {move.move: _worth_of_move(game, position, move, mover, seconds) for move in left}
    moves = (replace(move, value=found.get(move.move) or move.value) for move in result.moves)
    return replace(result, moves=tuple(moves))


def _worth_of_move(game: Any, position: Any, move: MoveValue, mover: int, seconds: float) -> Value | None:
    """What a move is worth to the mover, from what it leads to; None where that is not found out."""
    stop_if_asked()
    outcomes = listed(game, position, move.move)
    if len(outcomes) != 1 or game.traits.discount != 1:
        return None
    ((after, _, rewards),) = [outcome[:3] for outcome in outcomes]
    paid = rewards[mover]
    if game.to_move(after) == TERMINAL:
        return Value.exact(game.utility(after)[mover] + paid)
    try:
        plan, options = planned_search(game, None, {"time": seconds})
        worth = searched(game, after, plan, options).values[mover]
    except (Refusal, GameError):
        return None
    if worth is None or not paid:
        return worth
    ends = [None if end is None else end + paid for end in (worth.low, worth.high)]
    return Value(worth.number + paid, worth.kind, *ends)


def answer(game: Any, result: Result) -> Data:
    """A result as the page shows it: what is not known is not there."""
    mover = game.players.index(result.to_move) if result.to_move in game.players else None
    return {
        "solver": result.solver,
        "how": result.how,
        "reason": result.reason,
        "kind": result.kind,
        "proven": is_proven(result),
        "values": [_worth(value) for value in result.values],
        "mover": mover,
        "moves": [
            {
                "text": move.text,
                "worth": _worth(move.value),
                "best": move.best,
                "visits": move.visits,
                "odds": move.probability,
            }
            for move in result.moves
        ],
        "line": [{"player": step.player, "text": str(step)} for step in result.line[:40]],
        "seconds": round(result.work.seconds, 2),
        "nodes": result.work.nodes,
        "rounds": result.work.rounds,
        "costs": result.costs,
    }


def _worth(value: Value | None) -> Data | None:
    if value is None:
        return None
    number = float(value.number)
    return {
        "text": str(value),
        "number": number if isfinite(number) else None,
        "kind": value.kind,
        "low": _end(value.low),
        "high": _end(value.high),
    }


def _end(bound: Any) -> float | None:
    return float(bound) if bound is not None and isfinite(bound) else None


# ------------------------------------------------------------------------------------ a whole play


def curve(ready: Ready, line: Data, known: Sequence[int]) -> Iterator[Data]:
    """What every position of a play was worth to each player, with what was paid on the way there, one after
    another; `known` ones are left out."""
    engine = ready.fast
    game = engine.game
    paid = [0.0] * len(game.players)
    for at in range(len(line["steps"]) + 1):
        rewards = line["steps"][at - 1]["rewards"] if at else []
        if rewards:
            paid = [before + float(Fraction(reward)) for before, reward in zip(paid, rewards, strict=True)]
        if at in known:
            continue
        position = engine.position(last_text(line, at))
        if game.to_move(position) == TERMINAL:
            final = [_worth(Value.exact(utility)) for utility in game.utility(position)]
            yield {"at": at, "values": final, "best": [], "paid": paid}
            continue
        situation = _situation(engine, line, at)
        if situation is None:
            continue
        plan, options = planned_search(game, None, {"time": LOOK})
        result = searched(game, situation, plan, options)
        yield {
            "at": at,
            "values": [_worth(value) for value in result.values],
            "best": [move.text for move in result.moves if move.best],
            "paid": paid,
        }


# ------------------------------------------------------------------------------- the first time


def prepared(ready: Ready) -> None:
    """Compiles what opponents and the analysis of a game need, while people still look at the page."""
    engine = ready.fast
    play: Play[Any, Any] = Play(engine.game, rng=Random(0))
    while play.to_move == CHANCE:
        play.draw()
    text = engine.text(play.position)
    next(analysed(ready, {"start": text, "steps": []}, 0, None, SLICES[0]), None)


def warmed() -> Iterator[str]:
    """Compiles what agents and analyses need, once per machine: a small game is searched in every way."""
    from gdl.loading import fastest, games, load_model, read_source

    for name, solvers in (
        ("tictactoe", ("alphabeta", "mcts")),
        ("pig", ("mcts", "star2")),
        ("piglet", ("best",)),  # all of whose positions are solved
        ("2048", ("best",)),
        ("kuhn_poker", ("ismcts", "pimc")),
    ):
        game, _ = fastest(load_model(read_source(games()[name])))
        for solver in solvers:
            play: Play[Any, Any] = Play(game, rng=Random(0))
            described = _best(game, 0.1) if solver == "best" else f"{solver}(time=0.1)"
            seat = Seated(agent_described(described, game), Random(0))
            while play.to_move == CHANCE:
                play.draw()
            seat.choose(play)
            yield solver
