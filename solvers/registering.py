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
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from numbers import Real
from typing import Any, Literal, TypeVar, get_args, overload

from gdl.diagnostics.wording.phrases import listing
from solvers.core.refusal import Refusal, bad_option
from solvers.options import OPTIONS, Option
from solvers.registry import AGENTS, LEAVES, SOLVERS, Kind, Row, Solver

What = Literal["solver", "leaf", "agent"]
GROUPS: Mapping[str, str] = {"solver": "gdl.solvers", "leaf": "gdl.leaves", "agent": "gdl.agents"}

F = TypeVar("F", bound=Callable[..., Any])


_by_call: set[str] = set()


def register(kind: What, function: F | None = None, /, *, name: str | None = None, **needs: Any) -> Any:
    """Makes a solver, a leaf or an agent known by its name, that of the function unless another is given.

    A leaf is made by `function(game, **options)` and maps a position to an estimate for each player. An
    agent is made likewise: a policy that maps a position to the probabilities of its moves, or an object
    with `choose(view, rng)` that gives a move; `hidden=False` refuses it where something is hidden. A solver
    is `function(game, at=None, **options) -> Result`; its `needs` are columns of `solvers.registry.Solver`:
    family ("search", "graph" or "simulation"), summary, answer, players, zero_sum, chance, repeats, rewards,
    discount, bounds, hidden, agent. It is refused where a game does not meet them. Raises Refusal where one
    of these cannot be, with what it can be.

    Gives the function back, so that it can stand before a definition:

    >>> import gdl
    >>> @gdl.register("agent")
    ... def first_move(game):
    ...     return lambda position: {game.moves(position)[0]: 1}
    >>> game = gdl.load("tictactoe")
    >>> str(gdl.agent("first_move", game).choose(gdl.Play(game)))
    'place(a1)'
    """
    if kind not in get_args(What):
        raise bad_option(f"`{kind}` is no kind of thing to register", f"Use {listing(get_args(What), 'or')}.")

    def known(function: F) -> F:
        called: Any = getattr(function, "__name__", None) if name is None else name
        _enter(kind, called, function, needs)
        _by_call.add(called)
        return function

    return known if function is None else known(function)


def known_elsewhere() -> bool:
    """Whether other processes know all that is known here: not what was registered by a call."""
    return not _by_call


@overload
def known(kind: Literal["solver"], name: str) -> Solver | None: ...
@overload
def known(kind: Literal["leaf", "agent"], name: str) -> Kind | None: ...
def known(kind: What, name: str) -> Row | None:
    """The row of that name, of ours, of what was registered, or of what an installed package offers."""
    table = _table(kind)
    if name not in table:
        for entry in _entries(GROUPS[kind]):
            if entry.name == name:
                _enter(kind, name, _loaded(entry), {})
    return table.get(name)


def names(kind: What) -> tuple[str, ...]:
    """All that are known of a kind, with what installed packages offer; what cannot be loaded is left out."""
    for entry in _entries(GROUPS[kind]):
        with suppress(Refusal):
            known(kind, entry.name)
    return tuple(_table(kind))


def broken() -> dict[str, str]:
    """What installed packages offer and cannot be used, with the reason."""
    found = {}
    for kind in get_args(What):
        for entry in _entries(GROUPS[kind]):
            try:
                known(kind, entry.name)
            except Refusal as refusal:
                found[entry.name] = refusal.reason
    return found


@cache
def _entries(group: str) -> tuple[Any, ...]:
    return tuple(entry_points(group=group))


def _loaded(entry: Any) -> Any:
    try:
        return entry.load()
    except Exception as error:  # whatever the code of a package does when it is imported
        raise bad_option(
            f"`{entry.name}`, which an installed package offers as {entry.value}, cannot be loaded: {error}",
            "Mend the package, or remove it.",
        ) from error


def _table(kind: What) -> dict[str, Any]:
    return {"solver": SOLVERS, "leaf": LEAVES, "agent": AGENTS}[kind]  # type: ignore[return-value]


def _enter(kind: What, name: Any, function: Any, needs: Mapping[str, Any]) -> None:
    """Adds a row. What is not said of it follows from the function: its options, and what it is about."""
    if not isinstance(function, Row) and not callable(function):
        raise bad_option(f"{function!r} makes no {kind}", "Register a function.")
    if name is None:
        raise bad_option(f"{function!r} has no name", 'Give it one: `name="my_own"`.')
    if not isinstance(name, str) or not name.isidentifier():
        raise bad_option(f"`{name}` cannot be the name of {_a(kind)}", "Use letters, digits and _.")
    rivals: tuple[What, ...] = ("leaf",) if kind == "leaf" else ("solver", "agent")
    for other in rivals:
        if name in (table := _table(other)) and table[name].ours:
            raise bad_option(f"`{name}` is {_a(other)} of ours", "Choose another name.")
    if isinstance(function, Row):  # an entry point may be a whole row
        if not isinstance(function, Solver if kind == "solver" else Kind):
            raise bad_option(f"`{name}` is {function!r}, which is no row of {_a(kind)}")
        _table(kind)[name] = function
        return
    options = _options(kind, name, function)
    about = (inspect.getdoc(function) or "").split("\n")[0]
    columns: dict[str, Any] = {"summary": about} | (
        {"family": "search", "answer": "what it says"} if kind == "solver" else {}
    )
    columns |= needs
    _check_columns(kind, name, columns, options)
    row = Solver if kind == "solver" else Kind
    _table(kind)[name] = row(name, function=function, options=tuple(options), own_options=options, **columns)


_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "solver": (
        "family", "summary", "answer", "players", "zero_sum", "chance", "repeats", "rewards", "discount",
        "bounds", "hidden", "agent",
    ),
    "leaf": ("summary",),
    "agent": ("summary", "hidden"),
}  # fmt: skip
"""What may be said of them."""


_EITHER = (True, False)
_ALLOWED: Mapping[str, tuple[Any, ...]] = {
    "family": ("search", "graph", "simulation"),
    "repeats": ("never", "limited", "any"),
    "zero_sum": _EITHER, "chance": _EITHER, "rewards": _EITHER, "discount": _EITHER, "bounds": _EITHER,
    "hidden": _EITHER, "agent": _EITHER,
}  # fmt: skip
"""What a column can be, where that is one of a few things."""


def _check_columns(kind: What, name: str, columns: Mapping[str, Any], options: Iterable[str]) -> None:
    for column, value in columns.items():
        if column not in _COLUMNS[kind]:
            raise bad_option(f"{_a(kind)} has no `{column}`", f"It may say: {', '.join(_COLUMNS[kind])}.")
        if column == "players":
            if not _is_range(value):
                raise bad_option(
                    f"`players` of {name} cannot be {value!r}",
                    "Use a pair, the fewest and the most: `(1, 2)`, or `(1, None)` for any number.",
                )
        elif column in _ALLOWED:
            allowed = _ALLOWED[column]
            if not any(type(value) is type(one) and value == one for one in allowed):
                ways = listing(map(str, allowed), "or")
                raise bad_option(f"`{column}` of {name} cannot be {value!r}", f"Use {ways}.")
        elif not isinstance(value, str):
            raise bad_option(f"`{column}` of {name} cannot be {value!r}", "Use a text.")
    if columns.get("family") == "simulation" and "seed" not in options:
        raise bad_option(f"{name} simulates plays without a seed", "Give it the option `seed`.")


def _is_range(value: Any) -> bool:
    """Whether it says how many players there may be: from, to; the latter may be left open."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    fewest, most = value
    whole = all(type(number) is int for number in (fewest, most) if number is not None)
    return whole and fewest is not None and fewest >= 1 and (most is None or fewest <= most)


def _a(kind: str) -> str:
    return f"{'an' if kind == 'agent' else 'a'} {kind}"


def _options(kind: What, name: str, function: Callable[..., Any]) -> dict[str, Option]:
    """The options of a function: ours where the name is one, else by the kind of the default."""
    given = ("game", "at") if kind == "solver" else ("game",)
    found = {}
    for place, parameter in enumerate(_parameters(kind, name, function, given)):
        if place < len(given) or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is parameter.empty:
            raise bad_option(
                f"the option `{parameter.name}` of {name} has no default",
                f"Give it one, which also says of what kind it is: `{parameter.name}=1`.",
            )
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise bad_option(
                f"the option `{parameter.name}` of {name} cannot be given by its name",
                f"Let `/` stand before it: `{', '.join(given)}, /, {parameter.name}={parameter.default!r}`.",
            )
        found[parameter.name] = OPTIONS.get(parameter.name) or _of_default(name, parameter)
    return found


def _parameters(
    kind: What, name: str, function: Callable[..., Any], given: tuple[str, ...]
) -> list[inspect.Parameter]:
    """Those of a function that can be called with what it is given."""
    called_with = f"({', '.join(given)})"
    try:
        signature = inspect.signature(function)
    except ValueError as error:  # built into Python
        raise bad_option(
            f"what {name} takes is not known to Python", f"Register a function {called_with} that calls it."
        ) from error
    try:
        signature.bind_partial(*given)
    except TypeError as error:
        raise bad_option(
            f"{name}{signature} cannot be called with {called_with}, as {_a(kind)} is",
            f"Let it take {listing(given)} first.",
        ) from error
    return list(signature.parameters.values())


def _of_default(name: str, parameter: inspect.Parameter) -> Option:
    """An option that nobody else has, by the kind of its default."""
    option, default = parameter.name, parameter.default
    match default:
        case bool():
            return Option("flag", option)
        case int():
            return Option("count", option)
        case str():
            return Option("name", option)
        case Real() | None:
            return Option("number", option)
    raise bad_option(
        f"the default of `{option}` of {name} cannot be {default!r}",
        "Use a number, a text, True or False, which says of what kind the option is.",
    )
