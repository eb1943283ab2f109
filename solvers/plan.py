"""How a question about a game will be answered, decided before anything runs.

Commands, Python and agents follow the same plan, and meet the same refusal:

    plan_whole    every position: which solver, whether all positions fit memory or only those between turns
    plan_search   one position within a budget: prove what can be proven, else simulate or judge
    plan_play     move after move: solved at once where that is small, else what plays best within a budget

How large a game is, is found out in two stages, and `known_by` says which told: what the types of its
variables allow, which costs nothing; and where that does not settle it counting or sampling, which takes
seconds (`solvers/whole/estimate/`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from gdl.diagnostics import GameError
from gdl.diagnostics.html import card, facts, printed
from gdl.diagnostics.wording.phrases import amount_of_memory, counted
from gdl.game import Game
from solvers.core.numbers import show_rough
from solvers.core.refusal import Refusal, Repeats, TooLarge
from solvers.learning.shipped import Shipped, shipped
from solvers.registry import SMALL, applies, choose, find, refuse, ways_to_solve

if TYPE_CHECKING:
    from solvers.core.result import Result
    from solvers.whole.kernels.solve import Settings

AnyGame = Game[Any, Any]
KnownBy = Literal["limit", "types", "counting", "sampling", "nothing"]

SECONDS = 3.0
"""The budget of a search that is given none."""

PROVING = 1 / 3
"""The share of a budget in which a search tries to prove the value before plays are simulated."""

PROVERS = ("alphabeta", "star2", "expectiminimax")
"""Searches that prove values and judge by an evaluation, best first."""

LIMITS = ("depth", "nodes", "time", "simulations")


@dataclass(frozen=True, slots=True)
class Step:
    """A solver, why it, and within which limits; a later one has its turn where those before it fail."""

    solver: str
    reason: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    leaf: str = ""  # how it judges, where that is not its usual leaf: the description
    plays: str = ""  # the description of the agent that plays by the plan, where it is not the solver

    @property
    def agent(self) -> str:
        """The description of the agent that plays by it."""
        return self.plays or self.solver

    @property
    def way(self) -> str:
        """What kind of work it is."""
        return _WAYS.get(self.solver) or _FAMILIES[find(self.solver).family]

    def as_data(self) -> dict[str, Any]:
        return {"solver": self.solver, "way": self.way, "reason": self.reason, "limits": dict(self.limits)}


_FAMILIES = {
    "graph": "all positions",
    "search": "looking ahead from the position",
    "simulation": "simulated plays",
    "policy": "all positions, policies given",
    "hidden": "all histories, by what players know",
    "belief": "what may be hidden, guessed again and again",
}
_WAYS = {
    "backward_induction": "all positions, from the ends of plays backwards",
    "retrograde": "all positions, backwards from won and lost ends",
    "value_iteration": "all positions, bounds iterated until they meet",
    "policy_iteration": "all positions, strategies improved until nothing is better",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done: `print(plan)` shows it, and `refusal` is why it will not be done, if so."""

    game: str
    question: Literal["solve", "search", "play"]
    steps: tuple[Step, ...]
    compiled: bool  # runs over machine code, else in Python
    known_by: KnownBy = "nothing"  # what told the size
    positions: float | None = None  # about; by the types or a limit: at most
    or_more: bool = False
    memory: float | None = None  # bytes, likewise
    allowed: int | None = None  # bytes
    seconds: float | None = None  # likewise; of a search: its budget
    usual: bool = False  # nobody gave the search a limit: this is the usual one
    turns: str = ""  # why only positions between turns are kept, if so
    refusal: Refusal | None = None
    settings: Settings | None = field(default=None, repr=False, compare=False)  # of kernels

    @property
    def solver(self) -> str:
        return self.steps[0].solver

    @property
    def reason(self) -> str:
        return "; ".join(filter(None, (self.steps[0].reason, self.turns)))

    @property
    def engine(self) -> str:
        return "machine code" if self.compiled else "Python"

    def kept(self) -> Plan:
        """Itself, to be followed; raises its refusal."""
        if self.refusal is not None:
            raise self.refusal
        return self

    def as_data(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "question": self.question,
            "solver": self.solver,
            "steps": [step.as_data() for step in self.steps],
            "engine": self.engine,
            "known_by": self.known_by,
            "positions": self.positions,
            "or_more": self.or_more,
            "memory_bytes": self.memory,
            "memory_allowed_bytes": self.allowed,
            "seconds": self.seconds,
            "by_turns": bool(self.turns),
            "reason": self.reason,
            "refusal": None if self.refusal is None else str(self.refusal),
        }

    def facts(self) -> list[tuple[str, str]]:
        """For people: names, and what is to be said of each."""
        return list(_facts(self))

    def __str__(self) -> str:
        from gdl.diagnostics.facts import facts_lines, plain

        return plain(facts_lines(self.facts(), self.game))

    _repr_pretty_ = printed

    def _repr_html_(self) -> str:
        return card(self.game, facts(self.facts()))


def _facts(plan: Plan) -> Iterator[tuple[str, str]]:
    for place, step in enumerate(plan.steps):
        limits = ", ".join(_limit(name, value) for name, value in step.limits.items())
        words = f"{step.solver}{f' ({limits})' if limits else ''}: {step.reason or 'as asked'}"
        yield ("solver" if place == 0 else "else"), words
        yield "", step.way
    if plan.turns:
        yield "by turns", plan.turns
    yield "engine", plan.engine
    yield "positions", f"{_size(plan)}{_KNOWN_BY[plan.known_by]}"
    at_most = "at most " if plan.known_by == "types" else ""
    if plan.memory is not None:
        room = "" if plan.allowed is None else f", {amount_of_memory(plan.allowed)} allowed"
        yield "memory", f"{at_most}about {amount_of_memory(plan.memory)}{room}"
    if plan.seconds is not None and plan.question == "search":
        yield "time", f"{show_rough(plan.seconds)} s"
    elif plan.seconds is not None:
        more = ", more where play goes round in long circles" if plan.solver == "value_iteration" else ""
        yield "time", f"{at_most}about {_duration(plan.seconds)}{more}"
    if plan.refusal is not None:
        yield "refused", str(plan.refusal)


_KNOWN_BY = {
    "limit": ", the limit given",
    "types": ", by the types of the variables",
    "counting": ", counted",
    "sampling": " by sampling",
    "nothing": "",
}


def _size(plan: Plan) -> str:
    if plan.positions is None:
        return "not looked at"
    if plan.known_by == "counting":
        return f"{plan.positions:,.0f}"
    bound = "at most" if plan.known_by in ("limit", "types") else "about"
    number = f"{plan.positions:,.0f}" if plan.positions < 1e7 else f"{plan.positions:.2g}"
    return f"{bound} {number}{' or more' if plan.or_more else ''}"


def _limit(name: str, value: float) -> str:
    return f"{show_rough(value)} s" if name == "time" else f"{name} {value:,.0f}"


def _duration(seconds: float) -> str:
    for unit, size in (("years", 365 * 86400.0), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}" if seconds < 1e6 * size else f"{seconds / size:.0e} {unit}"
    return f"{show_rough(max(seconds, 0.001), 2)} s"


# ------------------------------------------------------------------------------ whole games


def plan_whole(
    game: AnyGame,
    solver: str | Sequence[Step] | None = None,
    at: Any = None,
    settings: Settings | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    turns: bool | None = None,
    look: bool = True,
    report: Callable[[str, float], None] | None = None,
) -> Plan:
    """How all positions are solved that can be reached from one, by default from the start.

    solver             by its name, or steps that are left of another plan
    settings, turns    of the kernels of compiled games, and whether to keep positions between turns only
    options            of the solver, in place of settings: limit, precision, exact, time
    look               where the game is not compiled: find out its size, though solvers do so on their way
    report             is told how far sampling is

    Raises Refusal where no solver applies; one that applies may yet not fit (`Plan.refusal`).
    """
    if solver is None:
        exact = bool((options or {}).get("exact")) or (settings is not None and settings.exact)
        steps = tuple(Step(*_in_rationals(game, *way, exact)) for way in ways_to_solve(game))
    else:
        steps = (Step(solver),) if isinstance(solver, str) else tuple(solver)
    refuse(steps[0].solver, game)
    if find(steps[0].solver).family == "hidden":  # what counts is histories, which are walked once
        return Plan(game.name, "solve", steps, getattr(game, "compiled", None) is not None)
    if getattr(game, "compiled", None) is None:
        return _in_python(game, steps, at) if look else Plan(game.name, "solve", steps, False)
    from solvers.whole.estimate.sizing import sized
    from solvers.whole.kernels.solve import Settings

    if settings is None:
        settings = Settings(**(options or {}))
    found = sized(game, steps[0].solver, at, settings, turns, report)
    return Plan(
        game.name,
        "solve",
        steps,
        compiled=True,
        known_by=found.known_by,
        positions=found.positions,
        or_more=found.or_more,
        memory=found.memory,
        allowed=found.settings.max_memory,
        seconds=found.seconds,
        turns=found.why,
        refusal=found.refusal,
        settings=found.settings,
    )


def follow_whole(plan_for: Callable[[Sequence[Step] | None], Plan], run: Callable[[Plan], Result]) -> Result:
    """The answer of a plan; where positions turn out to repeat, that of the plan for the steps left.

    Raises the plan's refusal before anything runs.
    """
    plan = plan_for(None)
    while True:
        try:
            return run(plan.kept())
        except Repeats:
            if len(plan.steps) == 1:
                raise
            plan = plan_for(plan.steps[1:])


def _in_rationals(game: AnyGame, solver: str, reason: str, exact: bool) -> tuple[str, str]:
    """Who answers with a fraction, if that is asked for: kernels do by themselves, of textbooks one."""
    if not exact or solver != "value_iteration" or getattr(game, "compiled", None) is not None:
        return solver, reason
    return "policy_iteration", "positions are not proven never to repeat, and a fraction was asked for"


def _in_python(game: AnyGame, steps: tuple[Step, ...], at: Any) -> Plan:
    """The plan for a game that is not compiled: counted if it is small, else sampled."""
    from solvers.core.starts import starts_of
    from solvers.whole.graph import far_too_large, reachable_graph, sampled_size

    starts = starts_of(game, at)
    try:
        count = len(reachable_graph(game, starts, limit=SMALL))
        return Plan(game.name, "solve", steps, False, "counting", float(count))
    except TooLarge:
        size = sampled_size(game, starts)
        refusal = far_too_large(game, size)
        return Plan(game.name, "solve", steps, False, "sampling", size, or_more=True, refusal=refusal)


# ----------------------------------------------------------------------------------- searches


def plan_search(
    game: AnyGame,
    solver: str | None = None,
    limits: Mapping[str, Any] | None = None,
    seconds: float | None = SECONDS,
) -> Plan:
    """How one position is searched within limits; in so many seconds where none are given.

    Without a solver: a search tries to prove the value, a small game is solved whole, and what is left is
    simulated, or judged where the game declares an evaluation. Raises Refusal where nothing applies.
    """
    given = dict(limits or {})
    usual = not given and seconds is not None and (solver is None or "time" in find(solver).options)
    if usual:
        given = {"time": seconds}
    compiled: Any = getattr(game, "compiled", None)
    return Plan(
        game.name,
        "search",
        _steps(game, given) if solver is None else (Step(solver, "", given),),
        compiled is not None,
        known_by="nothing" if compiled is None else "types",
        positions=None if compiled is None else 2.0 ** min(compiled.log2_positions, 1000),
        seconds=given.get("time"),
        usual=usual,
    )


def _steps(game: AnyGame, limits: Mapping[str, Any]) -> tuple[Step, ...]:
    name, reason = choose(game, "search")
    if game.traits.hidden:
        if "depth" in limits:
            name, reason = "pimc", "a depth is given, and something is hidden"
        return (Step(name, reason, limits),)
    if "simulations" in limits:
        return (Step("mcts", "simulated plays are asked for", limits),)
    if "depth" in limits:
        if name == "mcts":
            name, reason = "maxn", "a depth is given, and interests differ"
        return (Step(name, reason, limits),)
    known = shipped(game)
    playing = _judged_by(known.search, known) if known is not None and known.search else _plays_best(game)
    if name == "mcts" or playing.solver == name or playing.leaf:
        return (replace(playing, limits=limits),)
    whole = _whole_at_once(game, limits)
    steps = []
    if whole is None or game.traits.acyclic or not game.traits.chance:
        steps.append(Step(name, f"{reason}; it may prove the value", _part(limits, PROVING)))
    if whole is not None:
        steps.append(whole)
    return (*steps, replace(playing, limits=_part(limits, 1 - PROVING)))


def _part(limits: Mapping[str, Any], share: float) -> dict[str, Any]:
    """A share of a budget."""
    return {
        name: value * share if name == "time" else max(1, round(value * share))
        for name, value in limits.items()
    }


def _whole_at_once(game: AnyGame, limits: Mapping[str, Any]) -> Step | None:
    """The solver of the whole game, where the types say that it stays within the limits."""
    small = _solved_at_once(game)
    if small is None:
        return None
    plan = plan_whole(game, small.solver, look=False)
    if (plan.seconds or 0) > limits.get("time", SECONDS):
        return None
    return small if (plan.positions or 0) <= limits.get("nodes", plan.positions or 0) else None


# -------------------------------------------------------------------------------------- play


def plan_play(game: AnyGame) -> Plan:
    """Who plays a game well, move after move."""
    compiled = getattr(game, "compiled", None) is not None
    if game.traits.hidden:
        step = _equilibrium_at_once(game) or Step(
            "pimc", "something is hidden, so moves are judged over deals that fit what was seen"
        )
    else:
        step = _solved_at_once(game) or _learned(game) or _plays_best(game)
    return Plan(game.name, "play", (step,), compiled)


HISTORIES = 20_000
"""About how many histories a game may have whose equilibrium is found before its first move."""


def _equilibrium_at_once(game: AnyGame) -> Step | None:
    """What finds an equilibrium that nobody can do better against, where that takes no time."""
    from solvers.hidden.sizing import histories

    name, reason = choose(game, "solve")
    if name not in ("sequence_form", "cfr_plus") or applies("sequence_form", game) is not None:
        return None
    try:
        small = histories(game) <= HISTORIES
    except GameError:  # no end of histories, or of ways to begin
        return None
    return Step(name, f"{reason}, and there are few histories") if small else None


def _plays_best(game: AnyGame) -> Step:
    """What chooses moves best where nothing can be proven, and why."""
    judged = game.evaluate(game.initial()[0].position) is not None
    for name in PROVERS:
        if judged and game.traits.players == 2 and applies(name, game) is None:
            return Step(name, "two opposed players, and the game can evaluate positions")
    return Step("mcts", "simulated plays need no evaluation of positions and any number of players")


def _learned(game: AnyGame) -> Step | None:
    """Who plays by the evaluation that comes with the program, where one does."""
    known = shipped(game)
    return None if known is None else _judged_by(known.search or known.agent, known)


def _judged_by(solver: str, known: Shipped) -> Step:
    why = "an evaluation that was learned from play comes with the program, and was measured to be better"
    return Step(solver, why, leaf=known.leaf, plays=known.plays)


def _solved_at_once(game: AnyGame) -> Step | None:
    """The solver of the whole game where that takes no longer than a thought, or seconds once per machine."""
    from solvers.files.best_moves import log2_positions
    from solvers.whole.graph import graph_components, is_cyclic, reachable_graph

    name, _ = choose(game)
    known_to_work = game.traits.acyclic or name != "backward_induction"
    size = log2_positions(game)
    if known_to_work and size is not None:
        most = counted(round(2**size), "position")
        return Step(name, f"at most {most}: solved once, and then every move is known")
    try:
        graph = reachable_graph(game, game.initial(), limit=SMALL)
    except Refusal:
        return None
    if not known_to_work and any(is_cyclic(graph, part) for part in graph_components(graph)):
        return None
    return Step(name, f"{counted(len(graph), 'position')}: solved once, and then every move is known")


__all__ = ["LIMITS", "Plan", "Step", "follow_whole", "plan_play", "plan_search", "plan_whole"]
