"""What of a large tree is drawn: what is near the root and near the best line, and of the rest only its
count.

Every node has a price: that of its parent, LEVEL for the step down, and one for each sibling that comes
before it. First comes the one on the best line, then the one that its parent has its value from. The
cheapest are drawn until there are enough. What simulations never tried is only counted: nothing is known of
it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from gdl.draw.pictures import Picture
from gdl.draw.tree.tree import Edge, LeftOut, Node
from gdl.game import CHANCE, Number
from gdl.trees.twigs import Twig

LEVEL = 2
FAINT = 6  # what was never visited costs so much more
DEEPEST = 60
"""Levels that are drawn at most."""


@dataclass(slots=True, eq=False)
class _Chosen:
    """A twig that is drawn."""

    twig: Twig
    level: int
    ident: int = 0
    grown: list[Twig] = field(default_factory=list)
    drawn: dict[int, _Chosen] = field(default_factory=dict)  # by place among what has grown
    joins: dict[int, int] = field(default_factory=dict)  # likewise: the number of an equal position


class Selection:
    """Chooses nodes, and makes them. `picture` draws a position, or does not; `name` writes it; `adds_up`:
    what moves pay is simply added, without a discount."""

    def __init__(
        self,
        most: int,
        name: Callable[[Any], str],
        picture: Callable[[Any], Picture | None],
        join: bool = False,
        adds_up: bool = True,
    ):
        self.most = most
        self.name = name
        self.picture = picture
        self.join = join
        self.adds_up = adds_up and not join  # whether every end has one sum of what was paid on the way to it
        self.numbers = count(1)
        self.known: dict[Hashable, int] = {}  # the numbers of nodes that others may join
        self.sets: defaultdict[Hashable, list[int]] = defaultdict(list)
        self.left_out = False  # whether something is that could be drawn

    def drawn(self, root: Twig) -> tuple[Node, tuple[tuple[int, ...], ...]]:
        """The tree that is drawn, and its information sets of more than one node."""
        node = self._node(self._choose(root), ())
        groups = sorted(sorted(group) for group in self.sets.values() if len(group) > 1)
        return node, tuple(tuple(group) for group in groups)

    def _choose(self, root: Twig) -> _Chosen:
        top = _Chosen(root, 0, next(self.numbers))
        self.known = {} if root.same is None else {root.same: top.ident}
        ticket = count()
        heap: list[tuple[float, int, _Chosen, int]] = []
        left = self.most - 1
        self._offer(heap, ticket, top, 0.0)
        while heap and left > 0:
            price, _, parent, place = heappop(heap)
            if (chosen := self._take(parent, place)) is not None:
                left -= 1
                self._offer(heap, ticket, chosen, price)
        self._complete(top)
        return top

    def _take(self, parent: _Chosen, place: int) -> _Chosen | None:
        """What has grown there, as a node; nothing where it joins an equal one."""
        twig = parent.grown[place]
        if self.join and twig.same in self.known:
            parent.joins[place] = self.known[twig.same]
            return None
        chosen = _Chosen(twig, parent.level + 1, next(self.numbers))
        if twig.same is not None:
            self.known.setdefault(twig.same, chosen.ident)
        parent.drawn[place] = chosen
        return chosen

    def _offer(
        self, heap: list[tuple[float, int, _Chosen, int]], ticket: count[int], chosen: _Chosen, price: float
    ) -> None:
        """What grows on a node, to be chosen in turn."""
        chosen.grown = chosen.twig.grow()
        if chosen.level >= DEEPEST:
            return
        order = sorted(
            (i for i, twig in enumerate(chosen.grown) if twig.visits != 0),
            key=lambda i: _rank(chosen.grown[i], i),
        )
        for rank, place in enumerate(order):
            twig = chosen.grown[place]
            more = LEVEL + rank + (FAINT if twig.faint else 0)
            # Where equal nodes are joined the best line comes first, or it might join one that is not on it.
            more = 0 if self.join and twig.best else more
            heappush(heap, (price + more, next(ticket), chosen, place))

    def _complete(self, top: _Chosen) -> None:
        """One branch that would be left out alone is drawn after all: to say so takes as much room."""
        waiting = [top]
        while waiting:
            chosen = waiting.pop()
            missing = [i for i in range(len(chosen.grown)) if i not in chosen.drawn and i not in chosen.joins]
            if len(missing) == 1 and chosen.level < DEEPEST and chosen.grown[missing[0]].visits != 0:
                (place,) = missing
                if (only := self._take(chosen, place)) is not None:
                    only.grown = only.twig.grow()
            waiting.extend(chosen.drawn.values())

    # ------------------------------------------------------------ from what was chosen to nodes

    def _node(self, chosen: _Chosen, before: tuple[Number, ...]) -> Node:
        twig = chosen.twig
        paid = _sum(before, twig.paid)
        edges = []
        for place, grown in enumerate(chosen.grown):
            if place in chosen.drawn:
                edges.append(_edge(grown, self._node(chosen.drawn[place], paid), None))
            elif place in chosen.joins:
                edges.append(_edge(grown, None, chosen.joins[place]))
        rest = [
            grown for i, grown in enumerate(chosen.grown) if i not in chosen.drawn and i not in chosen.joins
        ]
        self.left_out = self.left_out or any(grown.visits != 0 for grown in rest)
        if twig.information is not None:
            self.sets[twig.information].append(chosen.ident)
        in_all: tuple[Number, ...] = ()
        ended = twig.kind == "end" and twig.visits is None  # those of simulations have means
        if self.adds_up and ended and twig.worth is not None and any(paid):
            in_all = _sum(paid, twig.worth.numbers)
        return Node(
            chosen.ident, twig.kind, twig.mover, twig.player, twig.worth, twig.order, twig.window,
            twig.interval, twig.visits, twig.notes, "" if twig.position is None else
            self.name(twig.position), None if twig.position is None else self.picture(twig.position),
            twig.cut_off, twig.faint, in_all, tuple(edges), _left_out(twig, chosen.grown, rest),
        )  # fmt: skip


def _rank(twig: Twig, place: int) -> tuple[bool, bool, bool, int]:
    return not twig.best, not twig.leads, twig.faint, place


def _sum(some: tuple[Number, ...], more: tuple[Number, ...]) -> tuple[Number, ...]:
    """Both, number by number; nothing counts as zeros."""
    return tuple(a + b for a, b in zip(some, more, strict=True)) if some and more else some or more


def _edge(twig: Twig, node: Node | None, joins: int | None) -> Edge:
    return Edge(twig.label, node, joins, twig.probability, twig.paid, twig.best, twig.cut, twig.step)


def _left_out(parent: Twig, grown: Sequence[Twig], rest: Sequence[Twig]) -> LeftOut | None:
    if not rest:
        return None
    chance = all(twig.probability is not None for twig in rest)
    positions = sum(twig.size for twig in rest)
    probability = sum(twig.probability or 0 for twig in rest) if chance and len(rest) < len(grown) else None
    return LeftOut(
        len(rest), "outcomes" if chance else "moves", positions, _known(parent, grown, rest), probability
    )


def _known(parent: Twig, grown: Sequence[Twig], rest: Sequence[Twig]) -> str:
    """What can be said of all branches that are left out, beside the drawn one that the value of their parent
    comes from."""
    if all(twig.cut for twig in rest):
        return "all cut"
    if all(twig.visits == 0 for twig in rest):
        return "never tried"
    if (
        parent.kind == "chance"
        or parent.worth is None
        or any(twig.leads for twig in rest)
        or len(rest) == len(grown)
        or parent.player in (None, CHANCE)
    ):
        return ""
    looked = [twig for twig in rest if not twig.cut]
    mine = parent.player if parent.kind == "player" else 0
    sign = -1 if parent.kind == "min" else 1
    open_ = "<=" if parent.kind == "min" else ">="  # it may be better than the number says
    if any(twig.brings is None or twig.brings.mean or twig.brings.relation == open_ for twig in looked):
        return ""
    assert mine is not None
    best = sign * parent.worth.numbers[mine]
    worths = [sign * twig.brings.numbers[mine] for twig in looked if twig.brings is not None]
    cut = f", {len(rest) - len(looked):,} cut" if len(looked) < len(rest) else ""
    # A value that is only bounded by the best one may be equal to it.
    if all(value < best for value in worths):
        return f"all worse{cut}"
    return f"none better{cut}" if all(value <= best for value in worths) else ""
