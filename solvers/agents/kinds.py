"""Agents: whatever chooses moves for a player, described by a line of text.

    random                                  any legal move
    greedy                                  the best move by the game's own evaluation, one move ahead
    alphabeta(depth=4), mcts(simulations=500), ..   every solver that gives moves
    expectimax(against=random, depth=2)     best play against a model of the others
    pimc(worlds=20)                         averages over what may be hidden
    mixture(0.8: minimax(depth=2), 0.2: random)
    policy:FILE                             what a strategy file says (gdl solve GAME --policy FILE)
    best                                    the solver that suits the game

An agent chooses from a View, so that it knows no more than its player. Between equally good moves it chooses
at random.

Some agents are a *policy*: what they do depends on the position alone, as probabilities that can be computed
with. The others are *choosers* with random numbers of their own: mcts, flat_monte_carlo and pimc, and a
search or greedy whose leaf draws (`rollouts(10)`, not `rollouts(10, seed=3)`). What those are worth is found
out by playing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from gdl.game import Game, Number
from solvers.agents.seen import Belief, View
from solvers.agents.syntax import Argument, Description, complaint, parse_description, unknown
from solvers.core.interrupts import interrupts_passed_on
from solvers.core.leaves import (
    Leaf,
    drawn_anew,
    middle_of_utilities,
    own_evaluation,
    rollout_mean,
    weighted_features,
    within_bounds,
)
from solvers.core.numbers import show_rough
from solvers.core.policies import PolicyFunction, Uniform, checked, uniform
from solvers.core.refusal import Refusal, bad_option
from solvers.core.result import Distribution, Result, tie
from solvers.core.rollout import estimate_of_move
from solvers.files.best_moves import BestMoves
from solvers.registering import AGENTS, offered
from solvers.registering import LEAVES as OWN_LEAVES
from solvers.registry import OPTIONS, SMALL, SOLVERS, Option, Solver, applies, choose
from solvers.search.expectimax import policies_of_others
from solvers.simulation.playout import Kept
from solvers.views.determinised import Determinised

NODES = 5000
"""How much a search does for a move when its description sets no limit and the whole tree is not small:
counted, so that it is repeatable. The name of the agent then says so."""

FINISHED, LOG2_SMALL = 3_000_000, 30
"""Nodes of a tree that is searched to its end without being asked to stop, and of how many positions, as a
power of two, a game may be that this is tried."""

COMPILED = ("alphabeta", "minimax", "expectiminimax", "star1", "star2", "expectimax")
"""Searches that run as machine code."""


PLAYS = 200
"""How often pimc plays on after each move, all worlds together, where it cannot search to the end."""

FOLLOWED = 1_000
"""How many positions pimc follows at most to know what is possible."""


class Choice(NamedTuple):
    """A move and, in a few words, why."""

    move: Any
    why: str


class Agent(ABC):
    """Chooses moves in one game. `description` is the text that makes the same agent again."""

    def __init__(self, game: Game[Any, Any], description: str):
        self.game = game
        self.description = description

    @abstractmethod
    def choose(self, view: View, rng: Random) -> Choice:
        """One of the view's moves."""

    def policy(self) -> PolicyFunction:
        """The probabilities of its moves as a function of the position; refuses where there are none."""
        raise Refusal(
            f"{self.description} is no policy to compute with: {self.no_policy}.",
            f"Let it play (gdl run, gdl match, gdl solve --simulations N), {self.instead}.",
        )

    no_policy = "what it does does not follow from the position alone"
    """Why there is no policy, for agents that are none."""

    instead = (
        "or use an agent that is a policy: random, greedy, a search such as minimax(depth=2), policy:FILE"
    )
    """What else could be done about it."""

    def __str__(self) -> str:
        return self.description


class PositionAgent(Agent):
    """An agent that is a policy: what it does depends on the position alone."""

    def __init__(self, game: Game[Any, Any], description: str):
        super().__init__(game, description)
        self._known: dict[Any, tuple[Distribution, str]] = {}

    @abstractmethod
    def decide(self, position: Any) -> tuple[Distribution, str]:
        """The probabilities of the moves, and why."""

    def decided(self, position: Any) -> tuple[Distribution, str]:
        """What `decide` says, asked once; where there is one move there is nothing to ask."""
        if position not in self._known:
            moves = self.game.moves(position)
            only = ({moves[0]: 1}, "the only move") if len(moves) == 1 else None
            self._known[position] = only or self.decide(position)
        return self._known[position]

    def choose(self, view: View, rng: Random) -> Choice:
        distribution, why = self.decided(view.position)
        moves = list(distribution)
        return Choice(rng.choices(moves, [float(distribution[move]) for move in moves])[0], why)

    def policy(self) -> PolicyFunction:
        return lambda position: self.decided(position)[0]


class RandomAgent(Agent):
    """Needs to see nothing but its legal moves, so it also plays where something is hidden."""

    def choose(self, view: View, rng: Random) -> Choice:
        return Choice(rng.choice(view.moves), f"one of {len(view.moves)} at random")

    def policy(self) -> PolicyFunction:
        return uniform(self.game)


class GreedyAgent(PositionAgent):
    """Looks one move ahead and takes the best expected evaluation for itself."""

    def __init__(self, game: Game[Any, Any], description: str, leaf: Leaf):
        super().__init__(game, description)
        self.leaf = leaf

    def decide(self, position: Any) -> tuple[Distribution, str]:
        player = self.game.to_move(position)
        moves = self.game.moves(position)
        estimates = [estimate_of_move(self.game, position, move, self.leaf)[player] for move in moves]
        best = max(estimates)
        tied = [move for move, estimate in zip(moves, estimates, strict=True) if tie(estimate, best)]
        return evenly(tied), f"evaluated at {show_rough(best)}"


class PolicyAgent(PositionAgent):
    """Plays what a strategy file says, and anything legal in positions that it does not know."""

    def __init__(self, game: Game[Any, Any], description: str, file: str):
        from solvers.files.strategy_file import StrategyFile

        super().__init__(game, description)
        self.strategy = StrategyFile.open(file, game)

    def decide(self, position: Any) -> tuple[Distribution, str]:
        value = self.strategy.value(position)
        return self.strategy(position), "not in the file" if value is None else f"worth {value}"


class FunctionAgent(PositionAgent):
    """A policy that somebody wrote as a function of the position."""

    def __init__(self, game: Game[Any, Any], description: str, policy: PolicyFunction):
        super().__init__(game, description)
        self.function = checked(game, policy)

    def decide(self, position: Any) -> tuple[Distribution, str]:
        return self.function(position), "by its policy"


class ChoosingAgent(Agent):
    """What somebody wrote to choose moves in any way."""

    def __init__(self, game: Game[Any, Any], description: str, chooser: Any):
        super().__init__(game, description)
        self.chooser = chooser

    def choose(self, view: View, rng: Random) -> Choice:
        move = self.chooser.choose(view, rng)
        if isinstance(move, Choice):
            return move
        if move not in view.moves:
            raise bad_option(f"{self} chose {move!r}, which is no legal move.")
        return Choice(move, "")


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

    def __init__(self, description: str, question: Question):
        super().__init__(question.game, description)
        self.question = question

    def decide(self, position: Any) -> tuple[Distribution, str]:
        result = self.question.ask(position)
        return evenly(result.best), worth(result)


class SamplingAgent(Agent):
    """Asks a solver that draws random numbers: with fresh ones each time, unless it is given a seed."""

    no_policy = "it draws random numbers for every move"

    def __init__(self, description: str, question: Question):
        super().__init__(question.game, description)
        self.question = question
        if question.options.get("reuse"):
            question.options["reuse"] = Kept()

    def choose(self, view: View, rng: Random) -> Choice:
        seed = self.question.options.get("seed", rng.getrandbits(32))
        draw = drawn_anew(self.question.options.get("leaf"))
        result = self.question.ask(view.position, seed=seed, **({"leaf": draw(seed)} if draw else {}))
        return Choice(rng.choice(result.best), worth(result))


class DrawingAgent(Agent):
    """One that would be a policy if its leaf did not draw: for every move made anew, with fresh numbers."""

    no_policy = "its leaf draws random numbers for every move"
    instead = "or give the leaf a seed of its own: rollouts(10, seed=1) says the same of a position always"

    def __init__(self, game: Game[Any, Any], description: str, made_of: Callable[[int], PositionAgent]):
        super().__init__(game, description)
        self.made_of = made_of

    def choose(self, view: View, rng: Random) -> Choice:
        return self.made_of(rng.getrandbits(32)).choose(view, rng)


class TableAgent(PositionAgent):
    """Solves the whole game once and looks moves up. Small games are solved once per machine."""

    def __init__(self, description: str, question: Question):
        super().__init__(question.game, description)
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


class MixtureAgent(Agent):
    """One of several agents, drawn anew for every move."""

    def __init__(self, game: Game[Any, Any], description: str, parts: Sequence[tuple[Fraction, Agent]]):
        super().__init__(game, description)
        self.parts = parts

    def choose(self, view: View, rng: Random) -> Choice:
        (agent,) = rng.choices(
            [agent for _, agent in self.parts], [float(weight) for weight, _ in self.parts]
        )
        choice = agent.choose(view, rng)
        return Choice(choice.move, f"as {agent}: {choice.why}")

    def policy(self) -> PolicyFunction:
        policies = [(weight, agent.policy()) for weight, agent in self.parts]

        def mixed(position: Any) -> Distribution:
            total: dict[Any, Number] = {}
            for weight, policy in policies:
                for move, probability in policy(position).items():
                    total[move] = total.get(move, 0) + weight * probability
            return total

        return mixed


class PimcAgent(Agent):
    """Perfect-information Monte Carlo: solves deals that fit what was observed as if they were open.

    Where the end is too far away to search, deals are played on at random instead, unless a depth is given.
    Averaging over such worlds ignores that the player cannot tell them apart later, nor the others now
    ("strategy fusion": Frank & Basin 1998), but it never looks at what is hidden.
    """

    no_policy = "it chooses by what it has observed, not by the position"

    def __init__(self, game: Game[Any, Any], description: str, worlds: int, depth: int | None):
        super().__init__(game, description)
        self.worlds = worlds
        self.depth = depth
        self.open = Determinised(game)
        duel = applies("expectiminimax", self.open) is None
        self.search = SOLVERS["expectiminimax" if duel else "maxn"].load()
        self.plays = SOLVERS["flat_monte_carlo"].load()
        self.belief = Belief()

    def choose(self, view: View, rng: Random) -> Choice:
        if len(view.moves) == 1:
            return Choice(view.moves[0], "the only move")
        possible = view.possible(rng, FOLLOWED, self.belief) or view.possible(rng)
        worlds = self.sampled(possible, rng)
        if not worlds:
            return Choice(rng.choice(view.moves), "nothing fits what was observed: at random")
        with interrupts_passed_on():
            total, how = self.solved(worlds), "solved"
            if total is None:
                total, how = self.played(worlds, rng), "played on at random"
        best = max(total.values())
        tied = [move for move in view.moves if tie(total[move], best)]
        return Choice(
            rng.choice(tied), f"{show_rough(best)} on average over {len(worlds)} possible positions, {how}"
        )

    def solved(self, worlds: Mapping[Any, Number]) -> dict[Any, Number] | None:
        """What each move is worth on average where worlds are searched: to the depth, or else to the end.

        None where the end is too far away.
        """
        total: dict[Any, Number] = defaultdict(int)
        for position, weight in worlds.items():
            limits = {"nodes": NODES} if self.depth is None else {"depth": self.depth}
            result: Result = self.search(self.open, position, **limits)
            if self.depth is None and (result.partial or result.kind == "estimate"):
                return None
            for found in result.moves:
                assert found.value is not None, "plain searches value every move"
                total[found.move] += weight * found.value.number
        return total

    def played(self, worlds: Mapping[Any, Number], rng: Random) -> dict[Any, Number]:
        """What each move pays on average when worlds are played on at random after it."""
        total: dict[Any, Number] = defaultdict(int)
        for position, weight in worlds.items():
            simulations = max(1, PLAYS // len(worlds)) * len(self.open.moves(position))
            result: Result = self.plays(
                self.open, position, simulations=simulations, seed=rng.getrandbits(32)
            )
            for found in result.moves:
                assert found.value is not None, "every move was tried"
                total[found.move] += float(weight) * float(found.value.number)
        return total

    def sampled(self, possible: Mapping[Any, Number], rng: Random) -> Mapping[Any, Number]:
        """All possible positions if they are few, else a random sample of them."""
        if len(possible) <= self.worlds:
            return possible
        positions = list(possible)
        sample: dict[Any, Number] = {}
        for world in rng.choices(positions, [float(possible[p]) for p in positions], k=self.worlds):
            sample[world] = sample.get(world, 0) + Fraction(1, self.worlds)
        return sample


def evenly(moves: Sequence[Any]) -> Distribution:
    return {move: Fraction(1, len(moves)) for move in moves}


def worth(result: Result) -> str:
    """Why a solver's move: its value to the player to move."""
    values = [move.value for move in result.moves if move.best]
    return f"{result.solver}: {values[0]}" if values and values[0] is not None else result.solver


# ---------------------------------------------------------------- from text


def agent(text: str, game: Game[Any, Any]) -> Agent:
    """The agent that the text describes, for a game.

    Raises GameError (codes A0..) where the text is wrong, naming what is known, and Refusal where the agent
    does not suit the game.
    """
    return build(parse_description(text), game)


def build(description: Description, game: Game[Any, Any]) -> Agent:
    if description.name in SPECIAL:
        return SPECIAL[description.name](description, game)
    if description.name not in SOLVER_AGENTS:
        own = (*offered("agent"), *offered("solver"))
        if description.name in AGENTS:
            return _own(description, game)
        if description.name not in own:
            raise unknown("A002", "there is no agent", description.name, (*KNOWN, *own), description.span)
    solver, options = _described(description, game)
    text = str(description)
    limited = bool({"depth", "nodes", "time"} & set(options)) or solver.function is not None
    if solver.family == "search" and not limited:
        if not _small_tree(game, solver, options):
            options["nodes"] = NODES
            limit = Argument("nodes", None, Fraction(NODES), description.span)
            text = str(replace(description, arguments=(*description.arguments, limit)))
        elif not game.traits.acyclic:
            # Deepening, which ends also where positions come back.
            options["nodes"] = FINISHED if hasattr(game, "compiled") else 10 * NODES
    question = Question(game, solver, options)
    match solver.family:
        case "graph":
            return TableAgent(text, question)
        case "simulation":
            return SamplingAgent(text, question)
    draw = drawn_anew(options.get("leaf"))
    if draw is None:
        return SolverAgent(text, question)
    return DrawingAgent(
        game, text, lambda seed: SolverAgent(text, Question(game, solver, {**options, "leaf": draw(seed)}))
    )


def _small_tree(game: Game[Any, Any], solver: Solver, options: Mapping[str, Any]) -> bool:
    """Whether the whole game can be searched to its end in a moment, from its start and so from anywhere."""
    compiled = getattr(game, "compiled", None)
    if compiled is None:
        return _few_positions(game) and _finished(game, solver, options, NODES)
    if compiled.log2_positions > LOG2_SMALL:
        return False
    models = (options.get("against") or {}).values()
    fast = solver.name in COMPILED and all(isinstance(model, Uniform) for model in models)
    return _finished(game, solver, options, FINISHED if fast else NODES)


def _few_positions(game: Game[Any, Any]) -> bool:
    from solvers.core.refusal import TooLarge
    from solvers.whole.graph import reachable_graph

    try:
        return bool(reachable_graph(game, game.initial(), limit=SMALL))
    except TooLarge:
        return False


def _finished(game: Game[Any, Any], solver: Solver, options: Mapping[str, Any], nodes: int) -> bool:
    result: Result = solver.load()(game, None, **{**options, "nodes": nodes})
    return not result.partial and result.kind != "estimate"


def search_described(text: str, game: Game[Any, Any]) -> tuple[Solver, dict[str, Any]]:
    """The search or simulation that the text describes, with its options; no limit is added.

    Raises as `agent` does.
    """
    description = parse_description(text)
    if description.name not in SEARCHES:
        own = [name for name in offered("solver") if SOLVERS[name].family in ("search", "simulation")]
        if description.name not in own:
            raise unknown("A002", "there is no search", description.name, (*SEARCHES, *own), description.span)
    return _described(description, game)


def _described(description: Description, game: Game[Any, Any]) -> tuple[Solver, dict[str, Any]]:
    """A solver and its options as they are described; refuses where it does not suit the game."""
    solver = SOLVERS[description.name]
    options = _options(description, game, solver.options, solver.own_options)
    refusal = applies(solver, game)
    if refusal is not None:
        raise refusal
    if solver.name == "expectimax":
        against = options.get("against")
        options["against"] = _everyone(game, None if against is None else against.policy())
    return solver, options


def _everyone(game: Game[Any, Any], policy: PolicyFunction | None) -> Mapping[int, PolicyFunction]:
    """The policy for every player, whoever the others will be; refuses where they need one and have none."""
    policies_of_others("expectimax", game, 0, policy)
    return {} if policy is None else dict.fromkeys(range(game.traits.players), policy)


def _random(description: Description, game: Game[Any, Any]) -> Agent:
    _options(description, game, ())
    return RandomAgent(game, str(description))


def _greedy(description: Description, game: Game[Any, Any]) -> Agent:
    options = _options(description, game, ("leaf",))
    if game.traits.hidden:
        raise Refusal(
            f"greedy evaluates positions; in {game.name} something is hidden from some player.", "Use pimc."
        )
    text, leaf = str(description), options.get("leaf") or own_evaluation(game)
    draw = drawn_anew(leaf)
    if draw is None:
        return GreedyAgent(game, text, leaf)
    return DrawingAgent(game, text, lambda seed: GreedyAgent(game, text, draw(seed)))


def _pimc(description: Description, game: Game[Any, Any]) -> Agent:
    options = _options(description, game, ("worlds", "depth"))
    return PimcAgent(game, str(description), options.get("worlds", 20), options.get("depth"))


def _best(description: Description, game: Game[Any, Any]) -> Agent:
    _options(description, game, ())
    name, _ = choose(game, "play")
    return build(Description(name, (), description.span), game)


def _mixture(description: Description, game: Game[Any, Any]) -> Agent:
    parts = []
    for argument in description.arguments:
        if argument.weight is None or not isinstance(argument.value, Description):
            raise complaint(
                "A005", argument.span, "a mixture is made of weighted agents",
                "write `mixture(0.8: minimax(depth=2), 0.2: random)`",
            )  # fmt: skip
        if argument.weight < 0:
            raise complaint("A005", argument.span, f"a weight is a probability, not {argument.weight}")
        parts.append((argument.weight, build(argument.value, game)))
    total = sum(weight for weight, _ in parts)
    if total != 1:
        missing = f"{1 - total} is missing" if total < 1 else f"{total - 1} is too much"
        raise complaint("A005", description.span, f"the weights of the mixture sum to {total}; {missing}")
    return MixtureAgent(game, str(description), parts)


def _policy(description: Description, game: Game[Any, Any]) -> Agent:
    if not description.file:
        raise complaint("A004", description.span, "a policy comes from a file", "write `policy:FILE`")
    if game.traits.hidden:
        raise Refusal(
            f"a strategy file needs the whole position; in {game.name} something is hidden.", "Use pimc."
        )
    return PolicyAgent(game, str(description), description.file)


SPECIAL: Mapping[str, Callable[[Description, Game[Any, Any]], Agent]] = {
    "random": _random,
    "greedy": _greedy,
    "best": _best,
    "pimc": _pimc,
    "mixture": _mixture,
    "policy": _policy,
}
SOLVER_AGENTS = tuple(name for name, solver in SOLVERS.items() if solver.family != "policy")
KNOWN = (*SPECIAL, *SOLVER_AGENTS)
SEARCHES = tuple(name for name in SOLVER_AGENTS if SOLVERS[name].family != "graph")


def _own(description: Description, game: Game[Any, Any]) -> Agent:
    """An agent that somebody registered: a policy, or a chooser."""
    own = AGENTS[description.name]
    made = own(game, **_options(description, game, tuple(own.options), own.options))
    if isinstance(made, Agent):
        return made
    if hasattr(made, "choose"):
        return ChoosingAgent(game, str(description), made)
    if callable(made):
        return FunctionAgent(game, str(description), made)
    raise bad_option(
        f"{description.name} makes {made!r}, which is no agent",
        "Make a function from positions to probabilities of moves, or an object with choose(view, rng).",
    )


def _options(
    description: Description,
    game: Game[Any, Any],
    known: Sequence[str],
    own: Mapping[str, Option] | None = None,
) -> dict[str, Any]:
    """The options of a description, read as the table says, or as its own ones do."""
    found: dict[str, Any] = {}
    for argument in description.arguments:
        if argument.key is None:
            hint = f"options of {description.name}: {', '.join(known)}" if known else None
            raise complaint("A004", argument.span, "an option is written `name=value`", hint)
        if argument.key not in known:
            what = f"{description.name} has no option"
            raise unknown("A003", what, argument.key, known, argument.span)
        if argument.key in found:
            raise complaint("A007", argument.span, f"`{argument.key}` is given twice")
        option = (own or {}).get(argument.key) or OPTIONS[argument.key]
        found[argument.key] = _value(argument.key, option, argument, game)
    return found


def _value(key: str, option: Option, argument: Argument, game: Game[Any, Any]) -> Any:
    value = argument.value
    word = value.name if isinstance(value, Description) and not value.arguments else None
    match option.kind:
        case "count" if isinstance(value, Fraction) and value.denominator == 1 and value >= option.least:
            return int(value)
        case "number" if isinstance(value, Fraction) and value >= 0:
            return float(value)
        case "flag" if word in ("true", "false"):
            return word == "true"
        case "word" if word in option.words:
            return word
        case "name" if word is not None:
            return word
        case "leaf" if isinstance(value, Description):
            return _leaf(value, game)
        case "agent" if isinstance(value, Description):
            return build(value, game)
    wanted = {
        "count": f"a whole number from {option.least} up",
        "number": "a number from 0 up",
        "flag": "`true` or `false`",
        "word": " or ".join(f"`{word}`" for word in option.words),
        "name": "a name",
        "leaf": "`evaluate`, `middle`, `weights(..)`, `rollouts(..)` or `tablebase:FILE`",
        "agent": "an agent",
    }[option.kind]
    raise complaint("A004", argument.span, f"`{key}` is {wanted}, not `{value}`", option.meaning)


def _leaf(description: Description, game: Game[Any, Any]) -> Leaf:
    match description.name:
        case "evaluate" if not description.arguments:
            return own_evaluation(game)
        case "middle" if not description.arguments:
            return middle_of_utilities(game)
        case "weights":
            weights = {}
            for argument in description.arguments:
                if argument.key is None or not isinstance(argument.value, Fraction):
                    raise complaint("A004", argument.span, "a weight is written `feature=number`")
                weights[argument.key] = argument.value
            return weighted_features(game, weights)
        case "rollouts":
            return _rollouts(description, game)
        case "tablebase" if description.file:
            from solvers.files.tablebase import Tablebase

            return Tablebase.open(description.file, game).leaf()
    own = offered("leaf")
    if description.name not in own:
        raise unknown("A004", "there is no leaf", description.name, (*LEAVES, *own), description.span)
    made = OWN_LEAVES[description.name]
    judge: Leaf = made(game, **_options(description, game, tuple(made.options), made.options))
    return within_bounds(game, judge)


LEAVES = ("evaluate", "middle", "weights", "rollouts", "tablebase:FILE")


def _rollouts(description: Description, game: Game[Any, Any]) -> Leaf:
    numbers: dict[str, int | None] = {"count": 10, "depth": None, "seed": None}
    for argument in description.arguments:
        key = "count" if argument.key is None else argument.key
        if key not in numbers:
            raise unknown("A003", "rollouts has no option", key, numbers, argument.span)
        if not isinstance(argument.value, Fraction) or argument.value.denominator != 1 or argument.value < 0:
            raise complaint("A004", argument.span, f"`{key}` is a whole number, not `{argument.value}`")
        numbers[key] = int(argument.value)
    count = numbers["count"] or 1
    return rollout_mean(game, count, numbers["depth"], numbers["seed"])
