"""Solvers, leaves and agents of one's own, by a call or by an entry point of an installed package.

    @gdl.register("leaf")
    def corners(game, weight=1):                # `alphabeta(depth=4, leaf=corners(weight=2))`
        return lambda position: (weight * .., -weight * ..)

    @gdl.register("agent")
    def cautious(game, risk=0.1):               # `gdl match GAME -a cautious -a random`
        return lambda position: {move: probability, ..}

    @gdl.register("solver", family="search", chance=False)
    def my_search(game, at=None, *, depth=3):   # `gdl search GAME --solver my_search`
        return Result(..)

Whatever stands after the game (of a solver: after the position) are options; their defaults say of what kind
they are. A package offers its own under the entry points `gdl.solvers`, `gdl.leaves` and `gdl.agents`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar, get_args

from gdl.game import Game
from solvers.core.refusal import bad_option
from solvers.registry import OPTIONS, SOLVERS, Option, Solver

Kind = Literal["solver", "leaf", "agent"]
GROUPS: Mapping[str, str] = {"solver": "gdl.solvers", "leaf": "gdl.leaves", "agent": "gdl.agents"}

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Own:
    """A leaf or an agent of somebody's own: what makes it for a game, and its options."""

    name: str
    make: Callable[..., Any]
    options: Mapping[str, Option]

    def __call__(self, game: Game[Any, Any], **options: Any) -> Any:
        return self.make(game, **options)


LEAVES: dict[str, Own] = {}
AGENTS: dict[str, Own] = {}

_by_call: set[str] = set()


def register(kind: Kind, function: F | None = None, /, *, name: str | None = None, **needs: Any) -> Any:
    """Makes a solver, a leaf or an agent known by its name, that of the function unless another is given.

    A leaf is made by `function(game, **options)` and maps a position to an estimate for each player. An
    agent is made likewise: a policy that maps a position to the probabilities of its moves, or an object
    with `choose(view, rng)` that gives a move. A solver is `function(game, at=None, **options) -> Result`;
    its `needs` are the columns of `solvers.registry.Solver`: family ("search", "graph" or "simulation"),
    summary, answer, players, zero_sum, chance, repeats, rewards, discount, bounds, hidden. It is refused
    where a game does not meet them.

    Gives the function back, so that it can stand before a definition:

    >>> import gdl
    >>> @gdl.register("agent")
    ... def first_move(game):
    ...     return lambda position: {game.moves(position)[0]: 1}
    >>> game = gdl.load("tictactoe")
    >>> str(gdl.agent("first_move", game).choose(gdl.Play(game)))
    'place(a1)'
    """
    if kind not in get_args(Kind):
        raise bad_option(f"`{kind}` is no kind of thing to register", f"Use {', '.join(get_args(Kind))}.")

    def known(function: F) -> F:
        called = name or function.__name__
        _enter(kind, called, function, needs)
        _by_call.add(called)
        return function

    return known if function is None else known(function)


def known_elsewhere() -> bool:
    """Whether other processes know all that is known here: not what was registered by a call."""
    return not _by_call


def offered(kind: Kind) -> tuple[str, ...]:
    """Makes known what installed packages offer, once; gives the names of all of a kind that are not ours."""
    for entry in _entries(GROUPS[kind]):
        if entry.name not in _table(kind):
            _enter(kind, entry.name, entry.load(), {})
    return tuple(_table(kind)) if kind != "solver" else tuple(n for n, s in SOLVERS.items() if s.function)


@cache
def _entries(group: str) -> tuple[Any, ...]:
    return tuple(entry_points(group=group))


def _table(kind: Kind) -> dict[str, Any]:
    return {"solver": SOLVERS, "leaf": LEAVES, "agent": AGENTS}[kind]  # type: ignore[return-value]


def _enter(kind: Kind, name: str, function: Callable[..., Any], needs: Mapping[str, Any]) -> None:
    if not name.isidentifier():
        raise bad_option(f"`{name}` cannot be the name of a {kind}", "Use letters, digits and _.")
    if kind == "solver":
        _enter_solver(name, function, needs)
        return
    if needs:
        raise bad_option(f"a {kind} has no `{next(iter(needs))}`", "Only solvers say what they need.")
    _table(kind)[name] = Own(name, function, _options(function, ("game",)))


def _enter_solver(name: str, function: Any, needs: Mapping[str, Any]) -> None:
    if isinstance(function, Solver):  # an entry point may be a whole row
        SOLVERS[name] = function
        return
    known = {column.name for column in fields(Solver)} - {"name", "function", "own_options", "options"}
    for need in needs:
        if need not in known:
            raise bad_option(f"solvers have no `{need}`", f"Their columns: {', '.join(sorted(known))}.")
    if name in SOLVERS and SOLVERS[name].function is None:
        raise bad_option(f"`{name}` is a solver of ours", "Choose another name.")
    options = _options(function, ("game", "at"))
    about = inspect.getdoc(function) or ""
    columns = {"family": "search", "summary": about.split("\n")[0], "answer": "what it says"} | dict(needs)
    SOLVERS[name] = Solver(
        name=name, function=function, options=tuple(options), own_options=options, **columns
    )


def _options(function: Callable[..., Any], without: Iterable[str]) -> dict[str, Option]:
    """The options of a function: ours where the name is one, else by the kind of the default."""
    found = {}
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        if place < len(tuple(without)) or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        found[parameter.name] = OPTIONS.get(parameter.name) or _of_default(parameter.name, parameter.default)
    return found


def _of_default(name: str, default: Any) -> Option:
    match default:
        case bool():
            return Option("flag", name)
        case int():
            return Option("count", name, least=0)
        case str():
            return Option("name", name)
    return Option("number", name)
