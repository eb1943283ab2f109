"""Every solver, leaf and agent once: what it needs of a game, what it answers, its options, what runs.

`applies` and `choose` read these tables; so do the reader of descriptions, `gdl solvers`, the generated part
of `docs/solvers.md` and the tests. Adding a solver is one file and one row here; those of other people become
rows too (`solvers.registering`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import Any, Literal

from gdl.diagnostics.wording.phrases import listing, near
from gdl.game import Game, Traits
from solvers.core.leaves import checked_leaf
from solvers.core.refusal import Refusal, Repeats
from solvers.options import OPTIONS, Option

Family = Literal["search", "graph", "simulation", "policy", "hidden", "belief"]


ROOMS: Mapping[Family, str] = {
    "search": "solvers.search",
    "graph": "solvers.whole",
    "simulation": "solvers.simulation",
    "policy": "solvers.policies",
    "hidden": "solvers.hidden",
    "belief": "solvers.hidden",
}
"""Where the solvers of a family stand."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known by its name and may be given options: a solver, a leaf or an agent."""

    name: str
    options: tuple[str, ...] = field(default=(), kw_only=True)  # those that can be written as text
    own_options: Mapping[str, Option] = field(default_factory=dict, kw_only=True)  # not as in OPTIONS
    arguments: tuple[str, ...] = field(default=(), kw_only=True)  # those that only a program can give
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)
    """Options that say nothing without one of these others (`name`, or `name=value`)."""
    function: Callable[..., Any] | None = field(default=None, kw_only=True)  # of what somebody registered

    @property
    def ours(self) -> bool:
        return self.function is None

    def option(self, name: str) -> Option:
        return self.own_options.get(name) or OPTIONS[name]

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Refuses an option that there is not, naming those that there are; a value that the option cannot
        have, naming what it can; and an option that would be ignored, naming what it goes with.
        """
        for option, value in options.items():
            if option in self.arguments:
                continue
            if option not in self.options:
                match = near(option, self.options)
                known = listing(self.options, most=len(self.options))
                every = f"Its options: {known}." if known else "It has none."
                hint = f"Did you mean `{match}`?" if match else every
                raise Refusal(f"{self.name} has no option `{option}`", hint, "R003")
            kind = self.option(option)
            if value is not None and not kind.takes(value):
                raise Refusal(
                    f"`{option}` of {self.name} cannot be {value!r}",
                    f"It is {kind.expected}: {kind.meaning}.",
                    "R003",
                )
        for option, others in self.beside.items():
            if options.get(option) is not None and not any(_given(options, other) for other in others):
                goes_with = listing(others, "or")
                raise Refusal(
                    f"`{option}` of {self.name} says nothing without {goes_with}",
                    f"Give {goes_with} too, or leave `{option}` out.",
                    "R003",
                )


def _given(options: Mapping[str, Any], wanted: str) -> bool:
    name, _, value = wanted.partition("=")
    given = options.get(name)
    return given == value if value else given is not None


@dataclass(frozen=True, slots=True)
class Solver(Row):
    """What a solver needs. `repeats`: whether plays may come back to a position.

    "never": only games without repeats (found out while solving where the rules do not prove it);
    "limited": games with repeats under a limit of depth, nodes or time; "any": no matter.
    """

    family: Family
    summary: str
    answer: str
    players: tuple[int, int | None] = (1, 2)  # from, to; None: any number
    zero_sum: bool = True  # with two players
    chance: bool = True
    repeats: Literal["never", "limited", "any"] = "limited"
    rewards: bool = True
    discount: bool = True
    bounds: bool = False  # needs finite utility bounds
    hidden: bool = False
    agent: bool = True  # whether it serves as one: it gives moves, and needs nothing but a game
    kernel: str | None = None  # the file in `kernels/` with its twin over machine code
    compiled_options: tuple[str, ...] = ()  # those options that only the twin has
    textbook_options: tuple[str, ...] = ()  # those with which the textbook runs on every engine

    @property
    def room(self) -> str:
        """The package in which the solver stands, its kernels beside it."""
        return ROOMS[self.family]

    @property
    def looks_ahead(self) -> bool:
        """Whether it answers about one position, from there on: `gdl search` runs it."""
        return self.family in ("search", "simulation", "belief")

    @property
    def proves(self) -> bool:
        """Whether it may find the value itself, not only an estimate; of somebody's own, who knows."""
        return not self.ours or self.answer not in (_PLAYS, _GUESSED)

    @property
    def textbook(self) -> Callable[..., Any]:
        """The function that solves any game of the protocol."""
        return self.function or _loaded(f"{self.room}.{self.name}:{self.name}")

    @property
    def twin(self) -> Callable[..., Any] | None:
        """The same over machine code, for compiled games; None where there is none."""
        return None if self.kernel is None else _loaded(f"{self.room}.kernels.{self.kernel}:{self.name}")

    def load(self) -> Callable[..., Any]:
        """The function of the solver; its module is imported only now.

        For a compiled game (`gdl.game.Compiled`) a solver with a twin over machine code runs as that twin.
        """
        textbook = self.textbook
        if self.family == "policy" or not self.ours:
            return textbook

        def either(game: Game[Any, Any], at: Any = None, **options: Any) -> Any:
            if options.get("leaf") is not None:
                options["leaf"] = checked_leaf(game, options["leaf"])
            if getattr(game, "compiled", None) is None:
                self._refuse_compiled_options(options)
                return textbook(game, at, **options)
            whole = self.family in ("graph", "hidden", "belief")
            twin = self.twin if whole else import_module("solvers.twins").TWINS[self.name]
            return (twin or textbook)(game, at, **options)

        return either

    def _refuse_compiled_options(self, options: Iterable[str]) -> None:
        for option in options:
            if option in self.compiled_options:
                raise Refusal(
                    f"`{option}` of {self.name} is for compiled games only", "Use the native engine.", "R003"
                )


@dataclass(frozen=True, slots=True)
class Kind(Row):
    """A leaf or an agent: what makes it for a game, and how its description is written.

    "options": `name(option=value, ..)`; "features": `name(feature=number, ..)`; "parts":
    `name(weight: agent, ..)`; "file": `name:FILE`.
    """

    summary: str
    make: str = ""  # "module:function", imported when it is asked for
    written: Literal["options", "features", "parts", "file"] = "options"
    bare: str | None = None  # the option whose name may be left out
    hidden: bool = True  # whether it plays where something is hidden
    compiled: bool = False  # whether kernels judge positions in the same way

    def __call__(self, game: Game[Any, Any], **options: Any) -> Any:
        """What it makes for a game: a leaf or an agent, or what somebody's function makes of it."""
        return (self.function or _loaded(self.make))(game, **options)

    @property
    def form(self) -> str:
        """How its description looks."""
        match self.written:
            case "file":
                return f"{self.name}:FILE"
            case "features":
                return f"{self.name}(feature=number, ..)"
            case "parts":
                return f"{self.name}(weight: agent, ..)"
        options = [f"{option}=.." if option != self.bare else option for option in self.options]
        return f"{self.name}({', '.join(options)})" if options else self.name


def _loaded(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


_TREE = "exact when the tree is exhausted, else an estimate"
_PLAYS = "an estimate with confidence"
_GUESSED = "an estimate"
_BUDGET = ("depth", "nodes", "time", "leaf")
_SIMULATION = ("simulations", "nodes", "time", "rollout", "epsilon", "rollout_depth", "leaf", "seed")

_BESIDE: Mapping[str, tuple[str, ...]] = {
    "epsilon": ("rollout=greedy",), "leaf": ("rollout=greedy", "rollout_depth"),
}  # fmt: skip
_TREES = ("threads", "parallel", "transpositions", "widening", "memory", "reuse")

_BY_ROUNDS: dict[str, Any] = {"textbook_options": ("rounds",)}
_ORDERED: dict[str, Any] = {
    "textbook_options": ("rounds", "order", "seed"), "beside": {"seed": ("order=random",)},
    "arguments": ("observer",),
}  # fmt: skip

_MANY: dict[str, Any] = {"players": (1, None), "zero_sum": False}

_SEARCHES = (
    Solver("alphabeta", "search", "minimax with pruning, iterative deepening, a table, move ordering", _TREE,
           chance=False, options=(*_BUDGET, "table", "every", "beam", "null_move", "rounds", "order", "seed"),
           compiled_options=("beam", "null_move"), **_ORDERED, kernel="alphabeta"),
    Solver("star2", "search", "expectiminimax that prunes at chance by probing (Ballard)", _TREE,
           rewards=False, bounds=True, options=(*_BUDGET, "table", "every", "rounds", "order", "seed"),
           **_ORDERED, kernel="star"),
    Solver("star1", "search", "expectiminimax that prunes at chance by bounds (Ballard)", _TREE,
           rewards=False, bounds=True, options=(*_BUDGET, "table", "every", "rounds", "order", "seed"),
           **_ORDERED, kernel="star"),
    Solver("expectiminimax", "search", "max, min and expectation over the tree", _TREE,
           options=(*_BUDGET, "rounds"), **_BY_ROUNDS, arguments=("observer",), kernel="star"),
    Solver("minimax", "search", "max and min over the whole tree", _TREE, chance=False,
           options=(*_BUDGET, "rounds"), **_BY_ROUNDS, arguments=("observer",), kernel="star"),
    Solver("expectimax", "search", "one player's best play against chance and given policies", _TREE,
           **_MANY, options=(*_BUDGET, "against", "rounds"), **_BY_ROUNDS,
           arguments=("player", "observer"), kernel="star"),
    Solver("maxn", "search", "every player maximises their own utility", _TREE, **_MANY,
           options=(*_BUDGET, "rounds"), **_BY_ROUNDS, arguments=("observer",)),
    Solver("paranoid", "search", "the mover against all others together",
           "a guarantee when the tree is exhausted, else an estimate",
           **_MANY, options=_BUDGET, arguments=("player", "observer")),
)  # fmt: skip

_GRAPHS = (
    Solver("backward_induction", "graph", "values of all positions, from the ends backwards", "exact",
           **_MANY, repeats="never", options=("limit",), kernel="twins"),
    Solver("retrograde", "graph", "win, draw or loss with distance, backwards from the ends", "exact",
           chance=False, repeats="any", rewards=False, discount=False, options=("limit",),
           kernel="twins"),
    Solver("value_iteration", "graph", "sound bounds, one strong component after another", "proven bounds",
           repeats="any", options=("limit", "precision", "time"), kernel="twins"),
    Solver("policy_iteration", "graph", "strategy iteration, verified in rational arithmetic", "exact",
           repeats="any", options=("limit", "exact"), kernel="twins"),
)  # fmt: skip

_SIMULATIONS = (
    Solver("mcts", "simulation", "UCT with explicit chance nodes, proving what it can",
           "an estimate, or exact",
           **_MANY, repeats="any", options=(*_SIMULATION, "c", *_TREES), compiled_options=_TREES,
           beside={**_BESIDE, "parallel": ("threads",)}, arguments=("observer",), kernel="mcts"),
    Solver("flat_monte_carlo", "simulation", "the mean of random plays after each move", _PLAYS,
           **_MANY, repeats="any", options=_SIMULATION, beside=_BESIDE, kernel="flat_monte_carlo"),
)  # fmt: skip

_POLICIES = (
    Solver("best_response", "policy", "one player's best play against fixed policies, on the graph", "exact",
           **_MANY, repeats="any", options=("against", "limit"), arguments=("player",), agent=False),
    Solver("policy_evaluation", "policy", "what given policies are worth against each other",
           "exact, or " + _PLAYS, **_MANY, repeats="any", hidden=True,
           options=("simulations", "limit", "seed"), arguments=("policies",), agent=False),
)  # fmt: skip

_ROUNDS = ("iterations", "precision", "time", "limit", "updates")
_AVERAGE = "proven bounds; with other than two opposed players what it pays, and what leaving it gains"
_TREES_OF_PLAYS: dict[str, Any] = {
    "repeats": "never", "hidden": True, "arguments": ("report",), "kernel": "twins",
}  # fmt: skip
_REGRETS: dict[str, Any] = {**_MANY, **_TREES_OF_PLAYS, "arguments": ("report", "checkpoint")}

_EQUILIBRIA = (
    Solver("sequence_form", "hidden", "a linear program over what players do (Koller, Megiddo, von Stengel)",
           "proven bounds, or exact", **_TREES_OF_PLAYS, options=("exact", "limit")),
    Solver("support_enumeration", "hidden", "equilibria of two by the plans they mix (Dickhaut, Kaplan)",
           "exact", players=(2, 2), zero_sum=False, repeats="never", hidden=True, arguments=("report",),
           options=("limit",)),
    Solver("cfr_plus", "hidden", "regrets that forget what is negative (Tammelin)", _AVERAGE,
           **_REGRETS, options=_ROUNDS),
    Solver("discounted_cfr", "hidden", "regrets that fade (Brown, Sandholm)", _AVERAGE,
           **_REGRETS, options=_ROUNDS),
    Solver("pcfr_plus", "hidden", "regrets that expect the last round again (Farina, Kroer, Sandholm)",
           _AVERAGE, **_REGRETS, options=_ROUNDS),
    Solver("linear_cfr", "hidden", "regrets in which later rounds count more (Brown, Sandholm)", _AVERAGE,
           **_REGRETS, options=_ROUNDS),
    Solver("cfr", "hidden", "counterfactual regret minimisation (Zinkevich et al.)", _AVERAGE,
           **_REGRETS, options=_ROUNDS),
    Solver("mccfr", "hidden", "regrets from sampled plays, without the tree (Lanctot et al.)",
           "as cfr where the tree can be walked afterwards, else an estimate",
           **_REGRETS, options=("iterations", "time", "sampling", "seed", "limit")),
)  # fmt: skip

_GUESSES: dict[str, Any] = {
    **_MANY, "repeats": "any", "hidden": True, "arguments": ("kept",), "own_options": {
        "against": Option("agent", "what the other players are thought to have done so far"),
    },
}  # fmt: skip

_BELIEFS = (
    Solver("ismcts", "belief", "simulated plays of what may be hidden, in trees of what players know",
           _GUESSED, **_GUESSES,
           options=("simulations", "time", "observers", "selection", "c", "against", "seed"),
           kernel="twins"),
    Solver("pimc", "belief", "deals that fit what was seen, each as if everybody saw it, on average",
           _GUESSED, **_GUESSES,
           options=("worlds", "depth", "leaf", "simulations", "time", "against", "seed"),
           beside={"leaf": ("depth",)}, kernel="twins"),
)  # fmt: skip

SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (*_SEARCHES, *_GRAPHS, *_SIMULATIONS, *_POLICIES, *_EQUILIBRIA, *_BELIEFS)
}

LEAVES: dict[str, Kind] = {
    leaf.name: leaf
    for leaf in (
        Kind("evaluate", "the game's own `evaluate`; the middle of the utilities where it has none",
             "solvers.core.leaves:own_evaluation", compiled=True),
        Kind("middle", "the middle of the utilities: nothing is known",
             "solvers.core.leaves:middle_of_utilities", compiled=True),
        Kind("weights", "a weighted sum of the game's features, for the first player",
             "solvers.core.leaves:weighted_features", written="features", compiled=True),
        Kind("rollouts", "the mean of so many random plays, 10 if not said",
             "solvers.core.leaves:rollout_mean", options=("count", "depth", "seed"), bare="count",
             own_options={"count": Option("count", "how many plays", least=1),
                          "depth": Option("count", "cut them after so many moves", least=0)},
             compiled=True),
        Kind("tablebase", "the true value where the file has it (`gdl solve --save`), else `evaluate`",
             "solvers.files.tablebase:judged_by_file", written="file"),
        Kind("learned", "an evaluation that was learned from play (`gdl learn --save`)",
             "solvers.learning.leaf:learned", written="file", compiled=True),
    )
}  # fmt: skip

AGENTS: dict[str, Kind] = {
    agent.name: agent
    for agent in (
        Kind("random", "any legal move, all equally likely", "solvers.agents.simple:RandomAgent"),
        Kind("greedy", "the best move by the leaf, one move ahead", "solvers.agents.simple:greedy",
             options=("leaf",), hidden=False),
        Kind("best", "whoever suits the game: one of these, or a solver", "solvers.agents.kinds:best"),
        Kind("mixture", "one of several agents, drawn anew for every move",
             "solvers.agents.simple:MixtureAgent", written="parts"),
        Kind("policy", "what a strategy file says (`gdl solve --policy`), elsewhere anything",
             "solvers.agents.given:policy", written="file"),
        Kind("learned", "the best by a learned evaluation (`gdl learn --save`), a move or a turn ahead",
             "solvers.learning.leaf:learned_agent", written="file", hidden=False),
    )
}  # fmt: skip
"""Agents that are no solvers; every solver whose row says `agent` is one as well."""


def applies(solver: str | Solver, game: Game[Any, Any]) -> Refusal | None:
    """None if the traits of the game allow the solver; otherwise the refusal, not raised."""
    entry = find(solver)
    reason = _obstacle(entry, game)
    return None if reason is None else Refusal(reason, _suggestion(entry, game))


def refuse(solver: str | Solver, game: Game[Any, Any]) -> None:
    """Raises the refusal if the solver does not apply. Every solver starts with this."""
    refusal = applies(solver, game)
    if refusal is not None:
        raise refusal


def applicable(game: Game[Any, Any]) -> tuple[Solver, ...]:
    """All solvers whose needs the traits of the game meet, in the order of the table."""
    return tuple(solver for solver in SOLVERS.values() if applies(solver, game) is None)


def choose(game: Game[Any, Any], purpose: Literal["solve", "search"] = "solve") -> tuple[str, str]:
    """The solver that suits the traits of the game and the reason, in one sentence.

    To solve is to find the value of the whole game; to search, to find what one position is worth without
    visiting all others. Raises Refusal if there is none. What is done in the end is a matter of size and
    budget as well: `solvers.plan`.
    """
    return _choose_to_solve(game) if purpose == "solve" else _choose_to_search(game)


def ways_to_solve(game: Game[Any, Any]) -> list[tuple[str, str]]:
    """The solvers of whole games for it, each with the reason, best first: one that needs a game without
    repeats may find some, and then the next has its turn.
    """
    ways = [choose(game)]
    if ways[0][0] == "backward_induction":
        for name in ("retrograde", "value_iteration"):
            if _obstacle(SOLVERS[name], game) is None:
                ways.append((name, "plays turned out to repeat positions"))
                break
    return ways


def search_instead(game: Game[Any, Any]) -> str:
    """What to do with a game that is too large to be solved whole."""
    if game.traits.hidden:
        return (
            f"Sample plays of it (`gdl solve {game.name} --solver mccfr`), or search what a player knows "
            f"(`gdl search {game.name}`)."
        )
    return (
        f"Search it, which need not visit all positions: `gdl search {game.name} --time 10`, in Python "
        "`gdl.search(game, time=10)`."
    )


def may_be_solved_whole(game: Game[Any, Any]) -> bool:
    """Whether a solver of whole games is worth naming: not where the types allow far too many positions."""
    compiled = getattr(game, "compiled", None)
    return compiled is None or compiled.log2_positions <= LOG2_HOPELESS


LOG2_HOPELESS = 48
"""Where the types of a game allow more positions than this power of two, nobody is sent to solve it whole."""


def what_is_hidden(game: Game[Any, Any]) -> str:
    """What to do with a game in which something is hidden."""
    agents = " ".join(f"--agent {name}=…" for name in game.players)
    return (
        f"Solve it (`gdl solve {game.name}`), search what may be hidden (`gdl search {game.name} --solver "
        "ismcts`, or pimc), play it with these as agents, or evaluate policies: "
        f"`gdl solve {game.name} {agents}`."
    )


def find(name: str | Solver) -> Solver:
    """The entry of the table; raises Refusal naming the known solvers."""
    if isinstance(name, Solver):
        return name
    if not isinstance(name, str):
        raise Refusal(f"{name!r} names no solver", 'Give a name as text, such as "alphabeta".', "R003")
    from solvers.registering import known, names

    row = known("solver", name)
    if row is not None:
        return row
    every = names("solver")
    match = near(name, every)
    hint = f"Did you mean `{match}`?" if match else f"Known: {listing(every, most=len(every))}."
    raise Refusal(f"there is no solver `{name}`", hint, "R003")


def _obstacle(solver: Solver, game: Game[Any, Any]) -> str | None:
    traits, name = game.traits, game.name
    fewest, most = solver.players
    if traits.players < fewest or (most is not None and traits.players > most):
        wanted = "one or two players" if (fewest, most) == (1, 2) else f"{fewest} to {most} players"
        return f"{solver.name} needs {wanted}; {name} has {traits.players}."
    if solver.zero_sum and traits.players == 2 and not traits.zero_sum:
        return (f"{solver.name} needs a game in which one player's gain is the other's loss; "
                f"the utilities of {name} are not known to sum to zero.")  # fmt: skip
    if traits.hidden and not solver.hidden:
        return (f"{solver.name} needs players who see the whole position; "
                f"in {name} something is hidden from some player.")  # fmt: skip
    if solver.family in ("hidden", "belief") and not traits.hidden:
        return f"{solver.name} is for games in which something is hidden; in {name} everyone sees everything."
    if traits.chance and not solver.chance:
        return f"{solver.name} needs a game without chance; {name} {_draws(traits)}."
    if traits.rewards and not solver.rewards:
        return f"{solver.name} needs utilities at the end only; {name} pays rewards on the way."
    if traits.discount != 1 and not solver.discount:
        return f"{solver.name} needs a game without discount; {name} discounts by {traits.discount} a move."
    if solver.bounds and not traits.utility_bounds:
        return f"{solver.name} needs bounds of the utilities; none are known for {name}."
    return None


def _draws(traits: Traits) -> str:
    if not traits.chance_moves:
        return "has chance in it"
    return "draws in " + " and ".join(traits.chance_moves)


def _suggestion(refused: Solver, game: Game[Any, Any]) -> str | None:
    """The best of the same family, and the best way to solve the game where it is not far too large."""
    if game.traits.hidden:
        return what_is_hidden(game)
    allowed = [solver for solver in SOLVERS.values() if _obstacle(solver, game) is None]
    names = [solver.name for solver in allowed if solver.family == refused.family][:1]
    if may_be_solved_whole(game):
        names = [name for name in names if name != _choose_to_solve(game)[0]] + [settled_by(game)]
    return f"Use {' or '.join(names)}." if names else None


def settled_by(game: Game[Any, Any]) -> str:
    """What to use for the value of the whole game, with the condition where the traits leave one open."""
    name, _ = _choose_to_solve(game)
    if SOLVERS[name].repeats == "never" and not game.traits.acyclic:
        name += f" if no play of it can come back to a position. {_IF_PLAYS_COME_BACK}"
    return name


def _choose_to_solve(game: Game[Any, Any]) -> tuple[str, str]:
    traits = game.traits
    if traits.hidden:
        return _choose_for_hidden(traits)
    duel = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
    if traits.acyclic:
        return (
            "backward_induction",
            "no position comes back, so values follow backwards from the ends",
        )
    if not duel:
        return (
            "backward_induction",
            "interests differ, which asks for values from the ends backwards",
        )
    if _obstacle(SOLVERS["retrograde"], game) is None:
        return (
            "retrograde",
            "positions are not proven never to repeat; without chance wins spread backwards from the ends",
        )
    return (
        "value_iteration",
        "positions are not proven never to repeat, and there is chance or reward, so bounds are iterated",
    )


def _choose_for_hidden(traits: Traits) -> tuple[str, str]:
    """By the traits alone; how large the game is decides as well once it is walked (`gdl.equilibria`)."""
    if traits.players > 2 or not (traits.zero_sum or traits.players == 1):
        return "cfr_plus", "something is hidden, and interests differ: play without regret is looked for"
    if find_spec("highspy") is None:
        return "cfr_plus", "something is hidden from some player, and no linear programs can be solved here"
    return "sequence_form", "something is hidden from some player, and interests are opposed"


def _choose_to_search(game: Game[Any, Any]) -> tuple[str, str]:
    if game.traits.hidden:
        return "ismcts", "something is hidden from some player, so plays of what may be are simulated"
    for name in ("alphabeta", "star2", "expectiminimax"):
        if _obstacle(SOLVERS[name], game) is None:
            alone = game.traits.players == 1
            reason = "one player, whose best play is looked for" if alone else "interests are opposed"
            return name, reason + (", and there is chance" if game.traits.chance else "")
    if (obstacle := _obstacle(SOLVERS["mcts"], game)) is not None:
        raise Refusal(obstacle, _suggestion(SOLVERS["mcts"], game))
    return "mcts", "simulated plays work for any number of players"


def without_end(name: str, game: Game[Any, Any], position: Any, depth: float) -> Refusal:
    """A search's refusal to follow a play that has come back to where it was."""
    from solvers.views.delegate import Delegate

    # A solver of whole games is worth naming only if it takes plays that come back, of the game itself,
    # not of one seen through a player's eyes.
    asked = game.base if isinstance(game, Delegate) else game
    whole = ("retrograde", "value_iteration") if may_be_solved_whole(asked) else ()
    ways = [way for way in whole if applies(way, asked) is None]
    other = f"solve the whole game (`gdl solve`, in Python {ways[0]})" if ways else "use mcts"
    what, instead = "chance can move for ever", f"{other[0].upper()}{other[1:]}."
    if depth == inf:
        what = "a play can come back to a position"
        instead = f"Give a depth, nodes or time, or {other}."
    text = game.format_position(position)
    return Repeats(
        f"{name} follows plays to their end, but in {game.name} {what}, here or later: {text}.",
        instead,
        "R002",
    )


def repeats(game: Game[Any, Any], position: Any, how: str = "to") -> Exception:
    """The refusal where a play can come back to a position."""
    others = [name for name in ("retrograde", "value_iteration") if applies(name, game) is None]
    return Repeats(
        f"backward_induction needs a game without repeats; in {game.name} a play can come back {how} "
        f"{game.format_position(position)}.",
        f"Use {others[0]}." if others else _LOOK_AHEAD,
        "R002",
    )


def never_settled(game: Game[Any, Any], position: Any) -> Exception:
    """The refusal to look for the value of a game in which interests differ and a play can come back."""
    return Repeats(
        f"a play of {game.name} can come back to {game.format_position(position)}, and where interests "
        "differ such plays have no value that a solver could prove.",
        _LOOK_AHEAD,
        "R002",
    )


_LOOK_AHEAD = "No solver settles such a game; `gdl search` looks ahead in it: maxn with a depth, or mcts."
"""What is left for cycles of players whose interests differ."""

_IF_PLAYS_COME_BACK = (
    "If one can, no solver settles the game; `gdl search` looks ahead in it: maxn with a depth, or mcts"
)
"""The same, where the rules do not tell whether there are cycles."""


SMALL = 2_000
"""Games with at most this many positions are solved whole before the first move, on any engine."""


def markdown() -> str:
    """The tables of our solvers, leaves and agents for `docs/solvers.md`."""
    return "\n".join(
        "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)) + "\n"
        for head, rows in (
            (_SOLVER_COLUMNS, [_cells(solver) for solver in SOLVERS.values() if solver.ours]),
            (("leaf", "judges by", "on machine code"),
             [(f"`{leaf.form}`", leaf.summary, _yes(leaf.compiled)) for leaf in LEAVES.values()
              if leaf.ours]),
            (("agent", "plays", "hidden"),
             [(f"`{agent.form}`", agent.summary, _yes(agent.hidden)) for agent in AGENTS.values()
              if agent.ours]),
        )
    )  # fmt: skip


_SOLVER_COLUMNS = (
    "solver", "players", "zero-sum", "chance", "repeats", "rewards", "discount", "hidden", "on machine code",
    "agent", "answer", "options",
)  # fmt: skip


def _cells(solver: Solver) -> tuple[str, ...]:
    fewest, most = solver.players
    return (
        f"`{solver.name}`",
        f"{fewest}+" if most is None else str(most) if fewest == most else f"{fewest}–{most}",
        "needed" if solver.zero_sum else "not needed",
        _yes(solver.chance),
        {"never": "no", "limited": "with a limit", "any": "yes"}[solver.repeats],
        _yes(solver.rewards),
        _yes(solver.discount),
        _yes(solver.hidden),
        _yes(solver.kernel is not None),
        _yes(solver.agent),
        solver.answer,
        ", ".join(solver.options),
    )


def _yes(allowed: bool) -> str:
    return "yes" if allowed else "no"
