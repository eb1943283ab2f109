"""Solvers as agents: asked in every position, or once about the whole game.

A search without a limit follows a small game to its end. Elsewhere it is given a limit, and its description
says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import Any

from gdl.game import Game
from solvers.agents.agent import Agent, Choice, PositionAgent, evenly
from solvers.agents.seen import View
from solvers.agents.simple import DrawingAgent
from solvers.core.interrupts import interrupts_passed_on
from solvers.core.leaves import drawn_anew
from solvers.core.numbers import show_rough
from solvers.core.policies import Uniform
from solvers.core.refusal import TooLarge
from solvers.core.result import Distribution, Result
from solvers.core.simulations import Kept
from solvers.files.best_moves import BestMoves
from solvers.registry import SMALL, Solver

NODES = 5000
"""How much a search does for a move when its description sets no limit and the whole tree is not small:
counted, so that it is repeatable. The name of the agent then says so."""

FINISHED, LOG2_SMALL = 3_000_000, 30
"""Nodes of a tree that is searched to its end without being asked to stop, and of how many positions, as a
power of two, a game may be that this is tried."""


def solver_agent(
    solver: Solver, game: Game[Any, Any], options: Mapping[str, Any]
) -> tuple[Agent, int | None]:
    """The solver as an agent, and the limit of nodes that it was given because it had none."""
    options, added = dict(options), None
    limited = bool({"depth", "nodes", "time"} & set(options)) or not solver.ours
    if solver.family == "search" and not limited:
        if not _small_tree(game, solver, options):
            options["nodes"] = added = NODES
        elif not game.traits.acyclic:
            # Deepening, which ends also where positions come back.
            options["nodes"] = FINISHED if hasattr(game, "compiled") else 10 * NODES
    question = Question(game, solver, options)
    match solver.family:
        case "graph" if solver.ours:
            return TableAgent(question), added
        case "simulation":
            return SamplingAgent(question), added
        case "belief":
            from solvers.agents.believing import BelievingAgent

            return BelievingAgent(question), added
        case "hidden":
            from solvers.agents.informed import by_solver

            return by_solver(game, lambda: question.ask(None)), added
    draw = drawn_anew(options.get("leaf"))
    if draw is None:
        return SolverAgent(question), added
    return DrawingAgent(
        game, lambda seed: SolverAgent(Question(game, solver, {**options, "leaf": draw(seed)}))
    ), added


class Question:
    """A solver with its options, to be asked about positions of a game.

    An interrupt ends more than the search of one move, so it comes out of `ask`.
    """

    def __init__(self, game: Game[Any, Any], solver: Solver, options: Mapping[str, Any]):
        self.game = game
        self.solver = solver
        self.solve = solver.load()
        self.options = dict(options)

    def ask(self, position: Any, **more: Any) -> Result:
        with interrupts_passed_on():
            result: Result = self.solve(self.game, position, **{**self.options, **more})
        return result


class SolverAgent(PositionAgent):
    """Asks a solver in every position."""

    def __init__(self, question: Question):
        super().__init__(question.game)
        self.question = question

    def decide(self, position: Any) -> tuple[Distribution, str]:
        result = self.question.ask(position)
        return evenly(result.best), worth(result)


class SamplingAgent(Agent):
    """Asks a solver that draws random numbers: with fresh ones each time, unless it is given a seed."""

    no_policy = "it draws random numbers for every move"

    def __init__(self, question: Question):
        super().__init__(question.game)
        self.question = question
        if question.options.get("reuse"):
            question.options["reuse"] = Kept()

    def choose(self, view: View, rng: Random) -> Choice:
        seed = self.question.options.get("seed", rng.getrandbits(32))
        draw = drawn_anew(self.question.options.get("leaf"))
        result = self.question.ask(view.position, seed=seed, **({"leaf": draw(seed)} if draw else {}))
        return Choice(rng.choice(result.best), worth(result))


class TableAgent(PositionAgent):
    """Solves the whole game once and looks moves up. Small games are solved once per machine."""

    def __init__(self, question: Question):
        super().__init__(question.game)
        self.question = question
        self.solver = question.solver
        self.solved: Result | None = None
        self.usual = not question.options  # so that what is kept on disk answers

    @cached_property
    def kept(self) -> BestMoves | None:
        return BestMoves.of(self.game, self.solver) if self.usual else None

    def decide(self, position: Any) -> tuple[Distribution, str]:
        found = None if self.kept is None else self.kept.at(position)
        if found is not None:
            moves, number = found
            return evenly(moves), f"{self.solver.name}: {show_rough(number)}"
        if self.solved is None:
            self.solved = self.question.ask(None)
        policy = self.solved.policy
        assert policy is not None, "solvers of whole graphs give a policy"
        if position not in policy:
            self.solved = self.question.ask(position)
            policy = self.solved.policy
            assert policy is not None
        value = policy.value(position)[self.game.to_move(position)]
        return policy(position), f"{self.solver.name}: {value}"


def worth(result: Result) -> str:
    """Why a solver's move: its value to the player to move."""
    values = [move.value for move in result.moves if move.best]
    return f"{result.solver}: {values[0]}" if values and values[0] is not None else result.solver


def _small_tree(game: Game[Any, Any], solver: Solver, options: Mapping[str, Any]) -> bool:
    """Whether the whole game can be searched to its end in a moment, from its start and so from anywhere."""
    compiled = getattr(game, "compiled", None)
    if compiled is None:
        return _few_positions(game) and _finished(game, solver, options, NODES)
    if compiled.log2_positions > LOG2_SMALL:
        return False
    models = (options.get("against") or {}).values()
    fast = solver.kernel is not None and all(isinstance(model, Uniform) for model in models)
    return _finished(game, solver, options, FINISHED if fast else NODES)


def _few_positions(game: Game[Any, Any]) -> bool:
    from solvers.whole.graph import reachable_graph

    try:
        return bool(reachable_graph(game, game.initial(), limit=SMALL))
    except TooLarge:
        return False


def _finished(game: Game[Any, Any], solver: Solver, options: Mapping[str, Any], nodes: int) -> bool:
    result: Result = solver.load()(game, None, **{**options, "nodes": nodes})
    return not result.partial and result.kind != "estimate"
