"""What given policies are worth against each other: exactly on the position graph, or by simulated plays.

With a policy for every player the game is a Markov chain, and its value the solution of linear equations,
solved here one strong component after another in rationals. Monte Carlo needs no graph: the mean of many
plays, with a 95 % confidence interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from gdl.diagnostics.wording.phrases import all_of, counted
from gdl.game import TERMINAL, Game, Number
from solvers.core.budget import Budget
from solvers.core.chance import sample
from solvers.core.combine import expected
from solvers.core.graph import Graph
from solvers.core.linear import solve_linear
from solvers.core.policies import ByPlayer, PolicyFunction, by_number, checked, uniform
from solvers.core.refusal import bad_option, cannot_go_on
from solvers.core.result import Result, Value, Work
from solvers.core.rollout import Patience, rollout
from solvers.core.rounding import exact_twin
from solvers.core.samples import Sample
from solvers.core.simulations import of_cut_plays
from solvers.core.starts import starts_of
from solvers.registry import refuse
from solvers.whole.graph import graph_components, is_cyclic, rationalised, reachable_graph


def policy_evaluation(
    game: Game[Any, Any],
    at: Any = None,
    *,
    policies: PolicyFunction | ByPlayer | None = None,
    simulations: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Result:
    """Each player's value when all follow their policies; with `simulations`, estimated from so many plays.

    Policies are one for all, or one for each player by number or by name. A policy maps a position to the
    probabilities of its moves. In a game with hidden information it is up
    to the caller that a policy uses only what its player sees. Without policies everybody plays at random.
    """
    refuse("policy_evaluation", game)
    policy_of = _policies(game, policies)
    if simulations is None:
        return _on_the_graph(exact_twin(game), at, policy_of, limit)
    if simulations < 2:
        raise bad_option(f"{simulations} simulations say nothing about their spread", "Use 2 or more.")
    return _by_simulation(game, at, policy_of, simulations, seed)


def _policies(
    game: Game[Any, Any], policies: PolicyFunction | ByPlayer | None
) -> Mapping[int, PolicyFunction]:
    players = range(game.traits.players)
    if policies is None:
        policies = uniform(game)
    if not isinstance(policies, Mapping):
        return dict.fromkeys(players, checked(game, policies))
    policies = by_number(game, policies)
    missing = [game.players[i] for i in players if i not in policies]
    if missing:
        raise bad_option(f"no policy is given for {' and '.join(missing)}", "Give one for every player.")
    return {player: checked(game, policy) for player, policy in policies.items()}


# ---------------------------------------------------------------- exactly


def _on_the_graph(
    game: Game[Any, Any], at: Any, policy_of: Mapping[int, PolicyFunction], limit: int | None
) -> Result:
    budget = Budget()
    starts = starts_of(game, at)
    graph = rationalised(
        reachable_graph(
            game, starts, limit, choices_of=lambda position, player: list(policy_of[player](position).items())
        )
    )
    values = chain_values(game, graph)
    nodes = [graph.index[start.position] for start in starts]
    players = range(game.traits.players)
    totals = [
        expected(
            [
                (start.probability, start.rewards[i] if start.rewards else 0, Value.exact(values[node][i]))
                for start, node in zip(starts, nodes, strict=True)
            ],
            1,
        )
        for i in players
    ]
    how = f"the equations of the Markov chain over {all_of(len(graph), 'position')} that the policies reach"
    return _result(game, tuple(totals), how, budget.work(positions=len(graph)), None)


def chain_values(game: Game[Any, Any], graph: Graph) -> list[tuple[Number, ...]]:
    """One number per position and player, in a graph whose positions have one choice at most."""
    players = range(game.traits.players)
    endless = game.traits.endless or (0,) * len(players)
    values: list[tuple[Number, ...]] = [()] * len(graph)
    for nodes in graph_components(graph):
        utility = graph.utilities[nodes[0]]
        if graph.players[nodes[0]] == TERMINAL:
            assert utility is not None
            values[nodes[0]] = tuple(utility)
            continue
        leaves = any(target not in set(nodes) for node in nodes for target in graph.successors(node))
        if game.traits.discount == 1 and is_cyclic(graph, nodes) and not leaves:
            if any(any(edge.rewards) for node in nodes for edge in graph.choices[node][0].edges):
                raise cannot_go_on(
                    f"the policies go round for ever in {game.name} and are paid for it, at "
                    f"{game.format_position(graph.positions[nodes[0]])}.",
                    "Give the game a discount below 1.",
                )
            for node in nodes:
                values[node] = tuple(endless)
            continue
        for node, value in zip(nodes, _solve_chain(game, graph, nodes, values), strict=True):
            values[node] = value
    return values


def _solve_chain(
    game: Game[Any, Any], graph: Graph, nodes: Sequence[int], values: Sequence[tuple[Number, ...]]
) -> list[tuple[Number, ...]]:
    """The values of a component that is surely left, or in which a discount counts."""
    inside = {node: i for i, node in enumerate(nodes)}
    discount = game.traits.discount
    players = range(game.traits.players)
    rows: list[dict[int, Number]] = []
    sides: list[list[Number]] = [[] for _ in players]
    for i, node in enumerate(nodes):
        row: dict[int, Number] = {i: 1}
        pay: list[Number] = [0 for _ in players]
        for target, probability, rewards in graph.choices[node][0].edges:
            if target in inside:
                row[inside[target]] = row.get(inside[target], 0) - probability * discount
            for player in players:
                reward = rewards[player] if rewards else 0
                after = 0 if target in inside else discount * values[target][player]
                pay[player] += probability * (reward + after)
        rows.append(row)
        for player in players:
            sides[player].append(pay[player])
    solved = solve_linear(rows, *sides)
    assert solved is not None, "a chain that is surely left has one solution"
    return list(zip(*solved, strict=True))


# ---------------------------------------------------------------- by simulation


def _by_simulation(
    game: Game[Any, Any], at: Any, policy_of: Mapping[int, PolicyFunction], simulations: int, seed: int
) -> Result:
    budget = Budget()
    rng = Random(seed)
    starts = starts_of(game, at)

    def choose(position: Any, player: int, rng: Random) -> Any:
        moves, weights = zip(*policy_of[player](position).items(), strict=True)
        return rng.choices(moves, [float(weight) for weight in weights])[0]

    plays = Sample(game.traits.players)
    patience = Patience(game.traits)
    for _ in range(simulations):
        start = sample(starts, rng)
        paid, rest = rollout(game, start.position, rng, choose, patience=patience)
        plays.add_play([p + (start.rewards[i] if start.rewards else 0) for i, p in enumerate(paid)], rest)
    values = tuple(plays.value(i, game.traits) for i in range(game.traits.players))
    how = f"the mean of {counted(simulations, 'simulated play')}" + of_cut_plays(plays.cut)
    return _result(game, values, how, budget.work(rounds=simulations), seed)


def _result(
    game: Game[Any, Any], values: tuple[Value, ...], how: str, work: Work, seed: int | None
) -> Result:
    return Result(
        game=game.name,
        solver="policy_evaluation",
        values=values,
        players=game.players,
        how=how,
        work=work,
        seed=seed,
    )
