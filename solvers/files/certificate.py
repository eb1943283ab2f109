"""Writes certificates: what `gdl verify` needs to check the value of a solved game without a solver.

    solved = solve_whole(game, "value_iteration")
    write(certificate_of(solved), "pig.gz")

A certificate is made from the numbers that a solver found, whatever it was: they are put to the very
inequalities that the verifier checks, ranks are computed for them, and where floats fail an inequality by
their rounding they are moved outwards. docs/certificates.md tells what is in it and why it is a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from gdl.certificates.file import DUEL, EVERYBODY, Certificate, written
from gdl.certificates.inequalities import MOST, Column, Edges, Worths, best_choices, signs, worths
from gdl.game import TERMINAL, Game, Number
from solvers.core.graph import Graph
from solvers.core.refusal import Refusal, cannot_go_on
from solvers.core.result import Result
from solvers.core.starts import starts_of
from solvers.files.container import write_atomically
from solvers.whole.graph import LIMIT, graph_components, reachable_graph
from solvers.whole.kernels.certificate_ranks import least_ranks

if TYPE_CHECKING:
    from solvers.whole.kernels.position_graph import PositionGraph
    from solvers.whole.kernels.solve import Solved

SMALL = 20_000
"""Up to so many positions values are proven in rationals where floats do not make a certificate."""


def write(certificate: Certificate, path: Path | str) -> None:
    """Writes a file that `gdl verify` reads. Raises GameError where it cannot be written."""
    data = written(certificate)

    def put(file: IO[bytes]) -> None:
        file.write(data)

    write_atomically(Path(path), put)


def certificate_of(solved: Solved, at: Any = None, facts: Mapping[str, Any] | None = None) -> Certificate:
    """The certificate of a compiled game that has been solved whole, from position `at` if one is given.

    Raises Refusal where there is none: edges that were not kept, bounds that were not finished.
    """
    game = solved.reached.space.game
    about = {**_about(game, at, solved.result), **(facts or {})}
    if not _is_duel(game):
        return _everybody(game.compiled.exact, at, about)  # type: ignore[attr-defined]
    if solved.result.partial or solved.graph is None:
        raise _no_certificate(game, "it was not solved to the end with all its positions and edges kept")
    graph, values = solved.graph, solved.values
    low, high = values.low[:, 0], values.high[:, 0]  # type: ignore[attr-defined]
    proven: Any = None
    if values.proven is not None:  # type: ignore[attr-defined]
        proven = [row[0] for row in values.proven]  # type: ignore[attr-defined]
    if graph.order is None and graph.space.size > 1:
        from solvers.whole.kernels.position_graph import as_discovered

        graph = as_discovered(graph, solved.reached.starts)
        low, high = low[graph.order], high[graph.order]
        proven = None if proven is None else [proven[v] for v in graph.order]
    edges = _edges_of_graph(graph)

    def exactly() -> Sequence[Number]:
        from solvers.whole.kernels.policy_iteration import exact_values

        return exact_values(game, graph, (low + high) / 2)

    if proven is not None:
        return _exact(game, edges, proven, about)
    return _duel(game, edges, low, high, exactly, about)


def certificate_of_result(
    game: Game[Any, Any], result: Result, at: Any = None, facts: Mapping[str, Any] | None = None
) -> Certificate:
    """The certificate of a game of the protocol, with exact numbers, from the answer of a textbook solver."""
    about = {**_about(game, at, result), **(facts or {})}
    if not _is_duel(game):
        return _everybody(game, at, about)
    graph = reachable_graph(game, starts_of(game, at))
    policy = result.policy
    if result.partial or policy is None or not graph.rational:
        raise _no_certificate(game, "it was not solved to the end in exact numbers")
    edges = _edges_of_textbook(game, graph)
    values = [policy.value(position)[0] for position in graph.positions]
    if all(value.kind == "exact" and isinstance(value.number, int | Fraction) for value in values):
        return _exact(game, edges, [value.number for value in values], about)

    def exactly() -> Sequence[Number]:
        from solvers.whole.policy_iteration import strategy_values

        return list(strategy_values(game, graph))

    low, high = (np.array([float(getattr(v, side)) for v in values]) for side in ("low", "high"))
    return _duel(game, edges, low, high, exactly, about)


def _about(game: Game[Any, Any], at: Any, result: Result) -> dict[str, Any]:
    return {
        "game": game.name,
        "digest": getattr(game, "digest", None),
        "form": DUEL if _is_duel(game) else EVERYBODY,
        "from": None if at is None else game.format_position(at),
        "solver": result.solver,
        "how": result.how,
    }


def _is_duel(game: Game[Any, Any]) -> bool:
    return game.traits.players == 1 or (game.traits.players == 2 and game.traits.zero_sum)


# ------------------------------------------------------------------------------- one player, or two


def _duel(
    game: Game[Any, Any],
    edges: Edges,
    low: Any,
    high: Any,
    exactly: Callable[[], Sequence[Number]],
    about: Mapping[str, Any],
) -> Certificate:
    """From bounds in floats: as they are, moved outwards, or replaced by exact values, whichever succeeds
    first.
    """
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise _infinite(game)
    small = len(edges.mover) <= SMALL
    if np.array_equal(low, high) and (small or (edges.odds is None and edges.rewards is None)):
        made = _made(game, edges, low, low, about)
        if made is not None:
            return made
    else:
        made = _made(game, edges, low, high, about)
        if made is not None:
            return made
    if small:
        return _exact(game, edges, exactly(), about)
    margin = _margins(edges, low, high)
    made = _made(game, edges, low - margin, high + margin, about)
    if made is None:
        raise _no_certificate(game, "its bounds could not be confirmed")
    return made


def _exact(
    game: Game[Any, Any], edges: Edges, found: Sequence[Number], about: Mapping[str, Any]
) -> Certificate:
    if any(value in (inf, -inf) for value in found):
        raise _infinite(game)
    values = [Fraction(value) for value in found]
    floats = _as_floats(values)
    numbers = values if floats is None else floats
    made = _made(game, edges, numbers, numbers, about)
    if made is None:
        raise _no_certificate(game, "its values could not be confirmed")
    return made


def _as_floats(values: Sequence[Fraction]) -> Any | None:
    """The values as floats, if each of them is one."""
    if any(v.denominator & (v.denominator - 1) or abs(v.numerator) >> 53 for v in values):
        return None
    floats = np.array([float(v) for v in values])
    return floats if all(Fraction(f) == v for f, v in zip(floats.tolist(), values, strict=True)) else None


def _made(
    game: Game[Any, Any], edges: Edges, low: Any, high: Any, about: Mapping[str, Any]
) -> Certificate | None:
    """The certificate with these bounds; None where they do not satisfy its inequalities."""
    if max(len(edges.mover), len(edges.first) - 1) > MOST:
        raise _no_certificate(game, f"it has more than {MOST:,} positions or moves, too many to be ranked")
    exact = low is high
    known = worths(edges, Column(low))
    above = known if exact else worths(edges, Column(high))
    compared = signs(known)
    low_ranks = _ranks(game, known, compared, 1, exact)
    if low_ranks is None:
        return None
    high_ranks = _ranks(game, above, -(compared if exact else signs(above)), -1, exact)
    if high_ranks is None:
        return None
    listed, _ = best_choices(known, above, compared if exact else None)
    counts = np.bincount(edges.owner[listed], minlength=len(edges.mover))
    return Certificate(
        about,
        {"value": low} if exact else {"low": low, "high": high},
        {"rank_low": low_ranks, "rank_high": high_ranks},
        np.concatenate([[0], np.cumsum(counts)]),
        np.flatnonzero(listed) - edges.row[edges.owner[listed]],
    )


def _ranks(game: Game[Any, Any], known: Worths, compared: Any, sign: int, exact: bool) -> Any | None:
    """The ranks of one bound, which choices compare with so; None where it does not hold everywhere."""
    edges, column = known.edges, known.column
    chooser = 0 if sign > 0 else 1
    if not len(compared):
        return np.zeros(len(edges.mover), np.int64)
    mine = edges.mover[edges.open] == chooser
    least, most = (edges.per_position(reduction, compared) for reduction in (np.minimum, np.maximum))
    kept = np.where(mine, most, least)
    if (kept != 0).any() if exact else (kept < 0).any():
        return None
    endless = Fraction(game.traits.endless[0]) if game.traits.endless else Fraction(0)
    ranks = least_ranks(edges, compared, column.at_most(endless, sign), chooser)
    return None if (ranks < 0).any() else ranks


def _margins(edges: Edges, low: Any, high: Any) -> Any:
    """How far to move bounds outwards so that the rounding of floats is covered: more, the farther from the
    end.

    An edge leads to the same component or to a lower level, whose margin is no larger, or smaller by more
    than a step was rounded.
    """
    from solvers.whole.kernels.position_graph import offsets
    from solvers.whole.kernels.strong_components import condense

    parts = condense(offsets(edges.row), offsets(edges.first), edges.target.astype(np.uint32, copy=False))
    level_of_part = np.empty(len(parts), np.int64)
    level_of_part[parts.which] = np.repeat(np.arange(len(parts.level_start) - 1), np.diff(parts.level_start))
    level = np.empty(len(edges.mover), np.int64)
    level[parts.order] = np.repeat(level_of_part, np.diff(parts.start.astype(np.int64)))
    size = max(np.abs(low).max(initial=0.0), np.abs(high).max(initial=0.0))
    if edges.paid is not None:
        size += np.abs(edges.paid).max(initial=0.0)
    step = 4 * (np.diff(edges.first).max(initial=1) + 16) * 2.0**-53 * size
    return np.where(edges.mover == TERMINAL, 0.0, level * step)


def _edges_of_graph(graph: PositionGraph) -> Edges:
    discount = Fraction(graph.space.game.traits.discount)
    row = graph.row.astype(np.int64)
    target = graph.target
    if graph.simple:
        return Edges(graph.mover, row, np.arange(len(target) + 1), target, None, None, discount)
    first = graph.first.astype(np.int64)
    traits = graph.space.game.traits
    table = graph.exact_laws.reshape(-1, 2 + 2 * traits.players * traits.rewards)
    sizes = np.diff(first)
    at = np.repeat(graph.law_start[graph.law] - first[:-1], sizes) + np.arange(len(target))
    rewards = table[at, 2:4] if traits.rewards else None
    return Edges(graph.mover, row, first, target, table[at, :2], rewards, discount)


def _edges_of_textbook(game: Game[Any, Any], graph: Graph) -> Edges:
    choices = [choice for choices in graph.choices for choice in choices]
    edges = [edge for choice in choices for edge in choice.edges]

    def pairs(numbers: list[Fraction]) -> Any:
        made = [(x.numerator, x.denominator) for x in numbers]
        small = all(max(abs(p), q) < 1 << 62 for p, q in made)
        return np.array(made, np.int64 if small else object).reshape(-1, 2)

    return Edges(
        np.array(graph.players, np.int8),
        np.concatenate([[0], np.cumsum([len(c) for c in graph.choices], dtype=np.int64)]),
        np.concatenate([[0], np.cumsum([len(c.edges) for c in choices], dtype=np.int64)]),
        np.array([edge.target for edge in edges], np.int64),
        pairs([Fraction(edge.probability) for edge in edges]),
        pairs([Fraction(edge.rewards[0]) if edge.rewards else Fraction(0) for edge in edges]),
        Fraction(game.traits.discount),
    )


# ---------------------------------------------------------------------------------- many players


def _everybody(game: Game[Any, Any], at: Any, about: Mapping[str, Any]) -> Certificate:
    """Values from the ends backwards, in rationals; refuses where a play can come back."""
    from solvers.whole.backward_induction import induce

    graph = reachable_graph(game, starts_of(game, at), LIMIT)
    values = [tuple(Fraction(x) for x in row) for row in induce(game, graph)]
    discount = Fraction(game.traits.discount)
    ranks = np.zeros(len(graph), np.int64)
    for (node,) in graph_components(graph):
        ranks[node] = 1 + max((ranks[t] for t in graph.successors(node)), default=-1)
    best: list[list[int]] = []
    for node, player in enumerate(graph.players):
        paid = [
            [
                e.probability
                * ((e.rewards[player] if e.rewards else 0) + discount * values[e.target][player])
                for e in choice.edges
            ]
            for choice in (graph.choices[node] if player >= 0 else ())
        ]
        worths_here = [sum(terms) for terms in paid]
        best.append([k for k, worth in enumerate(worths_here) if worth == max(worths_here)])
    columns = {f"value_{i}": [row[i - 1] for row in values] for i in range(1, game.traits.players + 1)}
    flat = [k for listed in best for k in listed]
    return Certificate(
        about,
        columns,
        {"rank": ranks},
        np.concatenate([[0], np.cumsum([len(listed) for listed in best], dtype=np.int64)]),
        np.array(flat, np.int64),
    )


def _infinite(game: Game[Any, Any]) -> Refusal:
    return _no_certificate(game, "the value of some position is infinite, or has no bound")


def _no_certificate(game: Game[Any, Any], reason: str) -> Refusal:
    return cannot_go_on(
        f"{game.name} gets no certificate: {reason}.", "Solve it with --exact, or a smaller one."
    )
