"""What the checker proves of a text, held against everything that can be reached.

`Traits` err on the safe side: what they claim must hold in every play. Here the game is explored, and
each claim compared: no repeats, opposed interests, bounds of utilities and of values, no chance, one
start, no rewards.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log2
from random import Random
from typing import Any

from tests.judge.generate import Drawn
from tests.judge.graph import OVER, Graph, TooLarge, read_graph
from tests.judge.hold import Complaint, Verdict, Watch, games_of
from tests.judge.oracle import Truth

MOST_POSITIONS = 300


def judge(drawn: Drawn, watch: Watch, engine: str = "native") -> Verdict:
    """The traits of a game of the judge."""
    verdict = Verdict()
    with watch("the checker's proofs"):
        hold(games_of(drawn.text)[engine], drawn.graph, verdict)
    return verdict


def judge_generated(random: Random) -> tuple[str, Verdict]:
    """A text of the generator that compares engines, which knows all of the language; only its traits."""
    import gdl
    from gdl.diagnostics import GameError
    from tests.generate.game import write_game

    text = write_game(random, faults=False)
    verdict = Verdict()
    game = gdl.loads(text, engine="reference")
    try:
        graph = read_graph(game, MOST_POSITIONS)
    except (TooLarge, GameError):
        return text, verdict
    hold(game, graph, verdict)
    return text, verdict


def hold(game: Any, graph: Graph, verdict: Verdict) -> None:
    """Counts what is claimed, and complains of what is not so."""
    traits = game.traits
    for name in ("acyclic", "zero_sum"):
        if getattr(traits, name):
            verdict.seen["proof", name] += 1
    verdict.seen["proof", "texts"] += 1
    if any(bounds != (-inf, inf) for bounds in traits.value_bounds):
        verdict.seen["proof", "bounds of values"] += 1
    for kind, message in _broken(game, graph):
        verdict.complaints.append(Complaint("the checker's proofs", "proofs", "-", kind, message))


def _broken(game: Any, graph: Graph) -> Iterator[tuple[str, str]]:
    traits = game.traits
    starts = [place for _, place in graph.starts]
    if traits.acyclic and graph.cyclic(starts):
        yield "acyclic", "a play visits a position twice"
    if traits.zero_sum and len(graph.players) == 2 and not graph.opposed:
        yield "zero-sum", "utilities, rewards or endless do not sum to zero"
    if not traits.chance and graph.chance:
        yield "chance", "something is drawn"
    if not traits.random_start and len(starts) > 1:
        yield "random start", f"{len(starts)} starts"
    if not traits.rewards and graph.pays:
        yield "rewards", "something is paid on the way"
    if traits.players != len(graph.players):
        yield "players", str(traits.players)
    for place in graph.places:
        for utility, (low, high) in zip(place.utility, traits.utility_bounds, strict=False):
            if place.owner == OVER and not low <= utility <= high:
                yield "utility bounds", f"{utility} is outside {low} to {high}"
    compiled = getattr(game, "compiled", None)
    if compiled is not None and log2(len(graph.places)) > compiled.log2_positions + 1e-9:
        yield "positions", f"{len(graph.places)} positions, at most 2**{compiled.log2_positions}"
    truth = Truth(graph)
    for player, (low, high) in enumerate(traits.value_bounds):
        if (low, high) == (-inf, inf):
            continue
        found = [*(truth.stake("most", player) or []), *(truth.stake("least", player) or [])]
        wrong = [value for value in found if not low <= value <= high]
        if wrong:
            yield "value bounds", f"{wrong[0]} can be had, outside {low} to {high}"
