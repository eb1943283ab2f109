"""Following the plan of a search: one solver after another until the value is proven or the budget is spent.

What one step has proven counts beside what the last one estimates: a proven move keeps its value, and one
that is proven to be worse than the best is not played, however well its plays went.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Game
from solvers.agents.kinds import leaf_described
from solvers.core.interrupts import interrupts_passed_on
from solvers.core.refusal import Refusal
from solvers.core.result import MoveValue, Result, Value
from solvers.plan import Plan, Step
from solvers.registry import find

LAST_LOOK = 0.5
"""Seconds for an answer to who interrupts a search before there is one."""

FEW = 10
"""With fewer plays than this for a move on average, an answer says so."""

AnyGame = Game[Any, Any]


def follow(plan: Plan, game: AnyGame, at: Any = None, options: Mapping[str, Any] | None = None) -> Result:
    """The answer of the first step that proves the value, else that of the last one.

    `options` go to every solver that has them. A step before the last one that refuses is passed over. Ctrl-C
    ends the search with an answer.
    """
    *tried, last = plan.steps
    before: list[Result] = []
    spare: dict[str, float] = {}
    for step in tried:
        try:
            with interrupts_passed_on():
                found = _asked(step, game, at, options)
        except Refusal:
            spare = _left(step, None)
            continue
        except KeyboardInterrupt:
            hurried = replace(last, limits={"time": LAST_LOOK})
            return replace(_asked(hurried, game, at, options), partial=True)
        if is_proven(found):
            return found
        spare = _left(step, found)
        before.append(found)
    found = _asked(replace(last, limits=_together(last.limits, spare)), game, at, options)
    for earlier in before:
        found = joined(earlier, found)
    return replace(found, how=found.how + _doubts(found))


def is_proven(result: Result) -> bool:
    """Whether a search saw all that matters: only rounding may be left open."""
    return result.kind == "exact" or result.complete or (result.policy is not None and not result.partial)


def _asked(step: Step, game: AnyGame, at: Any, options: Mapping[str, Any] | None) -> Result:
    entry = find(step.solver)
    given: dict[str, Any] = {**(options or {}), **step.limits}
    if step.leaf and given.get("leaf") is None:
        given["leaf"] = leaf_described(step.leaf, game)
    result: Result = entry.load()(game, at, **{name: given[name] for name in given if name in entry.options})
    return result


def _doubts(result: Result) -> str:
    """What simulated plays leave open that their numbers do not show."""
    if is_proven(result) or result.work.rounds is None or len(result.moves) < 2:
        return ""
    if result.work.rounds < FEW * len(result.moves):
        plays = max(1, result.work.rounds // len(result.moves))
        return f"; hardly more than {counted(plays, 'play')} for each move"
    numbers = {None if move.value is None else move.value.number for move in result.moves}
    return "; all plays paid the same, which tells nothing about the moves" if len(numbers) == 1 else ""


def _left(step: Step, found: Result | None) -> dict[str, float]:
    """What a step did not use of its limits."""
    used = {} if found is None else {"time": found.work.seconds, "nodes": found.work.nodes or 0}
    return {name: max(0.0, limit - used.get(name, 0)) for name, limit in step.limits.items()}


def _together(limits: Mapping[str, float], spare: Mapping[str, float]) -> dict[str, float]:
    added = {name: limit + spare.get(name, 0) for name, limit in limits.items()}
    return {name: limit if name == "time" else int(limit) for name, limit in added.items()}


# ------------------------------------------------------------------------------- two answers


def joined(proof: Result, estimate: Result) -> Result:
    """An estimate that knows what a search before it has proven; the work of both."""
    how = f"{estimate.how}; before that {proof.solver} looked for a proof and found "
    if is_proven(estimate):
        return replace(estimate, how=f"{how}none")
    values = tuple(map(_within, estimate.values, proof.values))
    bounds = [f"{p}: {v}" for p, v in zip(proof.players, proof.values, strict=True) if _says_more(v)]
    known = {move.move: move.value for move in proof.moves if move.value and move.value.kind == "exact"}
    moves = _chosen(tuple(replace(m, value=known.get(m.move, m.value)) for m in estimate.moves), known)
    first = next((move for move in moves if move.best), None)
    line = estimate.line
    if first is not None and line and line[0].move != first.text:
        line = ()
    work = replace(
        estimate.work,
        seconds=proof.work.seconds + estimate.work.seconds,
        nodes=None if estimate.work.nodes is None else estimate.work.nodes + (proof.work.nodes or 0),
    )
    found = ", ".join(bounds) or (f"the value of {len(known)} of {len(moves)} moves" if known else "none")
    return replace(estimate, values=values, moves=moves, line=line, work=work, how=how + found)


def _says_more(value: Value | None) -> bool:
    return value is not None and value.kind == "bounded"


def _within(value: Value | None, proven: Value | None) -> Value | None:
    """An estimate kept between proven bounds."""
    if value is None or proven is None or proven.kind != "bounded":
        return value
    low, high = -inf if proven.low is None else proven.low, inf if proven.high is None else proven.high
    return replace(value, number=min(max(value.number, low), high))


def _chosen(moves: tuple[MoveValue, ...], known: Mapping[Any, Value | None]) -> tuple[MoveValue, ...]:
    """The moves with the best of them marked anew where a proof speaks against the one that was."""
    marked = [move for move in moves if move.best and move.value is not None]
    others = [move for move in moves if move.move not in known and move.value is not None]
    wrong = any(
        move.move in known and any(other.value.number > move.value.number for other in others)  # type: ignore[union-attr]
        for move in marked
    )
    if not wrong:
        return moves
    best = max(others, key=lambda move: (move.visits or 0, move.value.number))  # type: ignore[union-attr]
    return tuple(replace(move, best=move.move == best.move) for move in moves)


__all__ = ["follow", "is_proven", "joined"]
