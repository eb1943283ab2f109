"""What play by given agents is worth: what `gdl solve --agent` does, for Python and for the command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, check_game, described, params_of, position_of
from gdl.asking import asked
from gdl.diagnostics.facts import plain, table_lines
from gdl.diagnostics.render import Styled
from gdl.solving import settings_of, solve
from solvers.core.numbers import show_short

if TYPE_CHECKING:
    from solvers.agents.agent import Agent
    from solvers.core.result import Result

PLAYS = 1_000
"""How many plays say what agents are worth that are no policies to compute with."""

REACHED = 3_000
"""How many positions policies may reach in a game that is too large as a whole: a few seconds of looking."""

BEST = "best"
"""In the place of an agent: the best response to the others."""


@asked
def evaluate(
    game: AnyGame,
    agents: Mapping[str, str | Agent] | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    exact: bool = False,
    precision: float | None = None,
    memory: str | float | None = None,
    limit: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    progress: bool | None = False,
    threads: int | None = None,
    **players: str | Agent,
) -> Result:
    """What play by given agents is worth to each player: `gdl.evaluate(game, first="random", second="best")`.

    Agents are described as for `agent`, by the names of their players, as arguments or in a mapping. "best",
    or no agent, is a best response to the others: one player at most, unless all play best. Where all others
    are policies the answer is exact or between proven bounds, over all positions. With `simulations`, and
    where an agent is no policy (mcts), it is an estimate from so many plays, 1,000 if not said. Where
    something is hidden agents are asked by what they know, and the answer says how exploitable they are.

    >>> import gdl
    >>> gdl.evaluate(gdl.load("tictactoe"), x="random", o="random").value  # 737/1260 won, 363/1260 lost
    Fraction(187, 630)
    """
    from gdl.playing.results import fresh_seed
    from solvers.core.refusal import Refusal, TooLarge, bad_option

    check_game(game)
    position = position_of(game, at, moves)
    made = seated(game, {**(agents or {}), **players})
    free = [player for player in range(len(game.players)) if made.get(player, BEST) is BEST]
    if simulations is None and len(free) == len(game.players):
        return solve(game, at=position, exact=exact, precision=precision, memory=memory, limit=limit,
                     progress=progress, threads=threads)  # fmt: skip
    given = {player: one for player, one in made.items() if one is not BEST}
    names = ", ".join(f"{game.players[player]}: {one}" for player, one in given.items())
    reason = f"policies are given for {'all others' if free else 'everybody'} ({names})"
    number = fresh_seed() if seed is None else seed
    try:
        policies = None if simulations is not None else _policies(given)
    except Refusal:
        if free and not game.traits.hidden:
            raise
        policies = None
    if len(free) <= 1 and (simulations is None or free) and _by_what_is_known(game, given):
        from gdl.equilibria import against

        known = None if free or policies is None else _by_textbook(game, policies, free, position, limit)
        try:
            result = against(game, given, position, limit=limit, simulations=simulations, seed=number,
                             progress=progress, reason=reason)  # fmt: skip
        except TooLarge:
            if known is None:
                raise
            return described(game, position, known, reason)
        return result if known is None else replace(result, values=known.values, how=known.how)
    if policies is None:
        return _simulated(game, made, position, simulations or PLAYS, number)
    if len(free) > 1:
        raise bad_option(
            f"{' and '.join(game.players[player] for player in free)} cannot both respond best",
            "Give an agent to every player but one, or to all of them.",
        )
    if getattr(game, "compiled", None) is None or (game.traits.hidden and not free):
        return described(game, position, _by_textbook(game, policies, free, position, limit), reason)
    from gdl.progress import progress_shown
    from solvers.core.refusal import TooFine
    from solvers.plan import plan_whole
    from solvers.policies.kernels.against import in_rationals, solve_against

    settings = settings_of(precision, exact, limit, memory, False, threads)
    player = free[0] if free else None
    solver = "best_response" if free else "policy_evaluation"
    try:
        with progress_shown(progress) as (exploring, solving):
            settings = replace(settings, exploring=exploring, solving=solving)
            plan = plan_whole(game, solver, position, settings, turns=False, report=solving).kept()
            result = solve_against(game, policies, player, position, plan.settings).result
    except TooFine:
        result = in_rationals(game, policies, player, position, limit)
    except TooLarge as refusal:
        if free:
            raise
        try:  # what the policies themselves reach may be little of it
            result = _by_textbook(game, policies, free, position, limit or REACHED)
        except TooLarge:
            raise refusal from None
    return described(game, position, result, reason)


@dataclass(frozen=True)
class PolicyTable:
    """What every combination of policies is worth. `print` shows what `gdl match --exact` shows."""

    game: AnyGame
    rows: tuple[tuple[tuple[str, ...], Result], ...]  # the agents by seat, and what they are worth

    def report(self) -> Iterator[Styled]:
        """With two players a table of one against the other, else a row for each combination."""
        players = self.game.players
        given = "".join(f", {name}={value}" for name, value in params_of(self.game))
        opposed = self.game.traits.zero_sum or len(players) == 1
        whom = players[0] if opposed else "each player"
        yield [
            (self.game.name, "bold"),
            (given, ""),
            (f": what {whom} gets, computed over all positions", ""),
        ]
        yield []
        if len(players) == 2:
            columns = list(dict.fromkeys(agents[1] for agents, _ in self.rows))
            values = {agents: self._worth(result, opposed) for agents, result in self.rows}
            headings = [f"{players[0]} \\ {players[1]}", *columns]
            firsts = dict.fromkeys(agents[0] for agents, _ in self.rows)
            body = [[first, *(values[first, column] for column in columns)] for first in firsts]
            yield from table_lines(headings, body, columns)
        else:
            rows = [[*agents, self._worth(result, opposed)] for agents, result in self.rows]
            yield from table_lines([*players, "value"], rows, ["value"])

    def _worth(self, result: Result, opposed: bool) -> str:
        shown = [
            show_short(each.number) if each is not None and each.low == each.high else str(each)
            for each in result.values
        ]
        return shown[0] if opposed else f"({', '.join(shown)})"

    def __str__(self) -> str:
        return plain(self.report())

    def as_data(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "params": dict(params_of(self.game)),
            "rows": [
                dict(zip(self.game.players, agents, strict=True)) | {"values": result.as_data()["values"]}
                for agents, result in self.rows
            ],
        }


@asked
def policy_table(game: AnyGame, players: Mapping[str, Sequence[str]], **options: Any) -> PolicyTable:
    """What each combination of agents for named players is worth, as `evaluate` computes it: exactly or
    between proven bounds. "best" is a best response to the others.

    >>> import gdl
    >>> bins = gdl.load("bins", coin=0)
    >>> print(gdl.policy_table(bins, {"agent": ["cautious"], "opponent": ["best", "random"]}))
    bins, coin=0, friendly=false: what agent gets, computed over all positions
    <BLANKLINE>
    agent \\ opponent  best  random
    cautious             1       2
    """
    check_game(game)
    combinations = product(*(players.get(name) or [BEST] for name in game.players))
    rows = []
    for agents in combinations:
        seats = dict(zip(game.players, agents, strict=True))
        rows.append((agents, evaluate(game, seats, **options)))
    return PolicyTable(game, tuple(rows))


def _by_what_is_known(game: AnyGame, given: Mapping[int, Agent]) -> bool:
    """Whether something is hidden, and agents look at what their players have seen: a policy that somebody
    wrote as a function of the position does not."""
    from solvers.agents.agent import PositionAgent
    from solvers.agents.informed import informed_policy

    return game.traits.hidden and all(
        not isinstance(one, PositionAgent) or informed_policy(one) is not None for one in given.values()
    )


def seated(game: AnyGame, agents: Mapping[str, Any]) -> dict[int, Any]:
    """The agents by the number of their player, made from their descriptions; BEST stays as it is."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import no_such_player
    from solvers.agents.agent import Agent
    from solvers.agents.kinds import agent, no_agent
    from solvers.agents.seated import Seated

    made: dict[int, Any] = {}
    for name, one in agents.items():
        if name not in game.players:
            raise GameError([no_such_player(name, game.players)])
        if isinstance(one, str):
            one = BEST if one == BEST else agent(one, game)
        elif isinstance(one, Seated):
            one = one.agent
        elif not isinstance(one, Agent):
            raise no_agent(one)
        made[game.players.index(name)] = one
    return made


def _policies(agents: Mapping[int, Agent]) -> dict[int, Any]:
    """The policies of agents, None for equally likely moves; refuses agents that are none."""
    from solvers.agents.simple import RandomAgent

    return {
        player: None if isinstance(made, RandomAgent) else made.policy() for player, made in agents.items()
    }


def _simulated(game: AnyGame, agents: Mapping[int, Any], at: Any, simulations: int, seed: int) -> Result:
    """What agents are worth against each other, by plays."""
    from gdl.playing.simulating import simulated
    from solvers.agents.kinds import agent
    from solvers.core.refusal import bad_option

    missing = [name for player, name in enumerate(game.players) if player not in agents]
    if missing:
        raise bad_option(f"plays need an agent for everybody, and `{missing[0]}` has none")
    everyone = [agent(BEST, game) if agents[p] is BEST else agents[p] for p in range(len(game.players))]
    return described(game, at, simulated(game, everyone, at, simulations, seed))


def _by_textbook(
    game: AnyGame, policies: Mapping[int, Any], free: Sequence[int], at: Any, limit: int | None
) -> Result:
    """Over the graph of any game; where something is hidden, policies need not see it."""
    from solvers.core.policies import uniform
    from solvers.registry import find, refuse

    functions = {player: one or uniform(game) for player, one in policies.items()}
    limits = {} if limit is None else {"limit": limit}
    if not free:
        return find("policy_evaluation").textbook(game, at, policies=functions, **limits)  # type: ignore[no-any-return]
    refuse("best_response", game)
    best = find("best_response").textbook
    return best(game, at, against=functions, player=free[0], **limits)  # type: ignore[no-any-return]
