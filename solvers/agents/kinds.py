"""Agents and leaves from lines of text: whatever chooses moves for a player.

    random                                  any legal move
    alphabeta(depth=4), mcts(simulations=500), ..   every solver that gives moves
    expectimax(against=random, depth=2)     best play against a model of the others
    mixture(0.8: minimax(depth=2), 0.2: random)
    best                                    the solver that suits the game
    hold_at(25)                             a policy that the file of the game declares

Which names and options there are say the rows of `solvers.registry`; here they are read and made.

An agent chooses from a View, so that it knows no more than its player. Between equally good moves it chooses
at random.

Some agents are a *policy*: what they do depends on the position alone, as probabilities that can be computed
with. The others are *choosers* with random numbers of their own: mcts, flat_monte_carlo and pimc, and a
search or greedy whose leaf draws (`rollouts(10)`, not `rollouts(10, seed=3)`). What those are worth is found
out by playing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from gdl.diagnostics.wording.phrases import listing
from gdl.game import DeclaresPolicies, Game
from solvers.agents.agent import Agent
from solvers.agents.given import DeclaredAgent, agent_of
from solvers.agents.solving import solver_agent
from solvers.agents.syntax import Argument, Description, complaint, parse_description, unknown
from solvers.core.leaves import Leaf, checked_leaf
from solvers.core.memory import bytes_of, is_size
from solvers.core.policies import PolicyFunction, policies_of_others
from solvers.core.refusal import Refusal, bad_option
from solvers.options import Option
from solvers.plan import plan_play
from solvers.registering import known, names
from solvers.registry import LEAVES, SOLVERS, Kind, Row, Solver, refuse


def agent(text: str, game: Game[Any, Any]) -> Agent:
    """The agent that the text describes, for a game.

    Raises GameError (codes A0..) where the text is wrong, naming what is known, and Refusal where the agent
    does not suit the game.
    """
    if not isinstance(text, str):
        raise no_agent(text)
    if not isinstance(game, Game):
        raise bad_option(f"{game!r} is no game", 'Load one: `gdl.load("tictactoe")`.')
    return build(parse_description(text), game)


def no_agent(given: object) -> Refusal:
    """The refusal of what neither is an agent nor describes one."""
    return bad_option(
        f"{given!r} describes no agent", 'Give text, such as "mcts(simulations=100)", or an agent.'
    )


def search_described(text: str, game: Game[Any, Any]) -> tuple[Solver, dict[str, Any]]:
    """The search or simulation that the text describes, with its options; no limit is added.

    Raises as `agent` does.
    """
    return solver_described(text, game, lambda solver: solver.looks_ahead, "search")


def solver_described(
    text: str, game: Game[Any, Any], suits: Callable[[Solver], bool], called: str = "solver"
) -> tuple[Solver, dict[str, Any]]:
    """The solver that the text describes, one of those that suit, with its options. Raises as `agent`
    does."""
    description = parse_description(text)
    solver = known("solver", description.name)
    if solver is None or not suits(solver):
        others = [name for name in names("solver") if suits(SOLVERS[name])]
        raise unknown("A002", f"there is no {called}", description.name, others, description.span)
    return solver, _solver_options(description, solver, game)


def build(description: Description, game: Game[Any, Any]) -> Agent:
    """The agent of a description that was read. Raises as `agent` does."""
    text = str(description)
    solver = known("solver", description.name)
    declared = game.policies if isinstance(game, DeclaresPolicies) else ()
    if description.name in declared:
        made: Agent = DeclaredAgent(game, game.policy(text))  # type: ignore[attr-defined]
    elif solver is not None and solver.agent:
        made, limit = solver_agent(solver, game, _solver_options(description, solver, game))
        if limit is not None:
            said = Argument("nodes", None, Fraction(limit), description.span)
            text = str(replace(description, arguments=(*description.arguments, said)))
    else:
        kind = known("agent", description.name)
        if kind is None:
            all_known = (*declared, *known_agents())
            raise unknown("A002", "there is no agent", description.name, all_known, description.span)
        options = _options(description, kind, game)
        if game.traits.hidden and not kind.hidden:
            raise Refusal(
                f"{kind.name} needs players who see the whole position; in {game.name} something is hidden "
                "from some player.", "Use ismcts or pimc.")  # fmt: skip
        made = agent_of(kind(game, **options), game, kind.name)
    made.description = made.description or text
    return made


def best(game: Game[Any, Any]) -> Agent:
    """The agent that suits the game; it is called by its own name."""
    return agent(plan_play(game).steps[0].agent, game)


def known_agents() -> tuple[str, ...]:
    """The names of all agents: those that are no solvers, and the solvers that serve as one."""
    return (*names("agent"), *(name for name in names("solver") if SOLVERS[name].agent))


# ---------------------------------------------------------------- options


def _solver_options(description: Description, solver: Solver, game: Game[Any, Any]) -> dict[str, Any]:
    """The options of a solver as they are described; refuses where it does not suit the game."""
    options = _options(description, solver, game)
    refuse(solver, game)
    if solver.name == "expectimax":
        against = options.get("against")
        options["against"] = _everyone(game, None if against is None else against.policy())
    elif solver.family == "belief" and "against" in options:
        options["against"] = _models(game, options["against"])
    solver.check_options(options)
    return options


def _everyone(game: Game[Any, Any], policy: PolicyFunction | None) -> Mapping[int, PolicyFunction]:
    """The policy for every player, whoever the others will be; refuses where they need one and have none."""
    policies_of_others("expectimax", game, 0, policy)
    return {} if policy is None else dict.fromkeys(range(game.traits.players), policy)


def _models(game: Game[Any, Any], agent: Agent) -> Mapping[int, Any]:
    """What every other player is thought to do by what that player knows; refuses an agent of which that
    cannot be said."""
    from solvers.agents.informed import informed_policy

    policy = informed_policy(agent)
    if policy is None:
        raise Refusal(
            f"{agent} is no model of what others do: its moves do not follow from what was seen as "
            "probabilities.",
            "Use random, a policy of the file, policy:FILE, or a mixture of these.",
        )
    return dict.fromkeys(range(game.traits.players), policy)


def _options(description: Description, row: Row, game: Game[Any, Any]) -> dict[str, Any]:
    """What stands behind the name, read as the row says."""
    match row.written if isinstance(row, Kind) else "options":
        case "file":
            return {"file": _file(description)}
        case "features":
            return {"weights": _weights(description)}
        case "parts":
            return {"parts": _parts(description, game)}
    found: dict[str, Any] = {}
    for argument in description.arguments:
        key = argument.key
        if key is None and argument.weight is None and isinstance(row, Kind):
            key = row.bare
        if key is None:
            hint = f"options of {row.name}: {', '.join(row.options)}" if row.options else None
            raise complaint("A004", argument.span, "an option is written `name=value`", hint)
        if key not in row.options:
            raise unknown("A003", f"{row.name} has no option", key, row.options, argument.span)
        if key in found:
            raise complaint("A007", argument.span, f"`{key}` is given twice")
        found[key] = _value(key, row.option(key), argument, game)
    return found


def _file(description: Description) -> str:
    if not description.file:
        name = description.name
        raise complaint("A004", description.span, f"a {name} comes from a file", f"write `{name}:FILE`")
    return description.file


def _weights(description: Description) -> dict[str, Fraction]:
    weights = {}
    for argument in description.arguments:
        if argument.key is None or not isinstance(argument.value, Fraction):
            raise complaint("A004", argument.span, "a weight is written `feature=number`")
        if argument.key in weights:
            raise complaint("A007", argument.span, f"`{argument.key}` is given twice")
        weights[argument.key] = argument.value
    return weights


def _parts(description: Description, game: Game[Any, Any]) -> list[tuple[Fraction, Agent]]:
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
    return parts


def _value(key: str, option: Option, argument: Argument, game: Game[Any, Any]) -> Any:
    value = argument.value
    word = value.name if isinstance(value, Description) and not value.arguments else None
    match option.kind:
        case "count" if isinstance(value, Fraction) and value.denominator == 1 and option.takes(int(value)):
            return int(value)
        case "number" if isinstance(value, Fraction) and option.takes(value):
            return float(value)
        case "size" if is_size(value):
            return bytes_of(value)
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
        "flag": "`true` or `false`",
        "leaf": listing([leaf.form for leaf in LEAVES.values()], "or", most=len(LEAVES)),
        "agent": "an agent",
    }.get(option.kind, option.expected)
    raise complaint("A004", argument.span, f"`{key}` is {wanted}, not `{value}`", option.meaning)


def leaf_described(text: str, game: Game[Any, Any]) -> Leaf:
    """The leaf that the text describes. Raises as `agent` does."""
    return _leaf(parse_description(text), game)


def _leaf(description: Description, game: Game[Any, Any]) -> Leaf:
    kind = known("leaf", description.name)
    if kind is None:
        raise unknown("A004", "there is no leaf", description.name, names("leaf"), description.span)
    return checked_leaf(game, kind(game, **_options(description, kind, game)))
