"""Making a failing game smaller: parts of its graph are left out as long as the same promise stays broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from time import process_time

from tests.judge.generate import Drawn, only_reachable, traits_of, write
from tests.judge.graph import OVER, Choice, Graph, Place
from tests.judge.hold import Complaint, Watch, judge

PATIENCE = 3.0
"""Seconds of processor time for one game."""

TRIES = 2
"""What is asked is drawn: so many draws of questions must all miss before a cut counts as too much."""


def smaller(drawn: Drawn, complaint: Complaint, watch: Watch) -> str:
    """The text of a smaller game that breaks the same promise (solver, engine and kind), or of the same."""
    assert drawn.style is not None
    ends = process_time() + PATIENCE
    graph = drawn.graph
    found = True
    while found and process_time() < ends:
        found = False
        for candidate in _cuts(graph):
            if process_time() > ends:
                break
            tried = Drawn(write(candidate, drawn.style), candidate, traits_of(candidate), drawn.style)
            if _breaks(tried, complaint, watch):
                graph, found = candidate, True
                break
    return write(graph, drawn.style)


def _breaks(drawn: Drawn, complaint: Complaint, watch: Watch) -> bool:
    from gdl.diagnostics import GameError

    for attempt in range(TRIES):
        try:
            verdict = judge(drawn, Random(f"cutting {attempt}"), watch, complaint.solver, complaint.engine)
        except GameError:
            return False  # the text is no game any more
        if any(each.signature == complaint.signature for each in verdict.complaints):
            return True
    return False


def _cuts(graph: Graph) -> Iterator[Graph]:
    """Smaller graphs, the boldest cuts first."""
    yield from (_ended(graph, i) for i, p in enumerate(graph.places) if p.owner != OVER and i)
    if len(graph.starts) > 1:
        for _, place in graph.starts:
            if graph.places[place].owner != OVER:
                yield only_reachable(replace(graph, starts=((Fraction(1), place),)))
    for i, place in enumerate(graph.places):
        for k in range(len(place.choices)):
            if len(place.choices) > 1:
                rest = place.choices[:k] + place.choices[k + 1 :]
                whole = sum(choice.weight for choice in rest)
                if place.owner < 0:
                    rest = tuple(replace(choice, weight=choice.weight / whole) for choice in rest)
                yield _with(graph, i, replace(place, choices=rest))
            for e in range(len(place.choices[k].edges)):
                if len(place.choices[k].edges) > 1:
                    edges = place.choices[k].edges
                    left = edges[:e] + edges[e + 1 :]
                    sure = sum(edge.probability for edge in left)
                    left = tuple(replace(edge, probability=edge.probability / sure) for edge in left)
                    yield _with(graph, i, _with_choice(place, k, replace(place.choices[k], edges=left)))
    nothing = (Fraction(0),) * len(graph.players)
    for i, place in enumerate(graph.places):
        for k, choice in enumerate(place.choices):
            if any(any(edge.rewards) for edge in choice.edges):
                plain = tuple(replace(edge, rewards=nothing) for edge in choice.edges)
                if len({edge.target for edge in plain}) == len(plain):
                    yield _with(graph, i, _with_choice(place, k, replace(choice, edges=plain)))
    if graph.discount != 1:
        yield replace(graph, discount=Fraction(1))
    if any(graph.endless):
        yield replace(graph, endless=nothing)


def _ended(graph: Graph, place: int) -> Graph:
    """The game is over where it went on."""
    over = next((p.utility for p in graph.places if p.owner == OVER), (Fraction(0),) * len(graph.players))
    return _with(graph, place, Place(OVER, (), over))


def _with(graph: Graph, number: int, place: Place) -> Graph:
    places = [*graph.places[:number], place, *graph.places[number + 1 :]]
    return only_reachable(replace(graph, places=tuple(places)))


def _with_choice(place: Place, number: int, choice: Choice) -> Place:
    return replace(place, choices=(*place.choices[:number], choice, *place.choices[number + 1 :]))
