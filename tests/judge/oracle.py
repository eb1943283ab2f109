"""The truth about a graph, in fractions and by a theory of its own.

One number is at stake: some places maximise it, some minimise it, the rest is chance (`Stake`). A play
pays its rewards and its utility; one that never ends pays `endless` on top of its rewards, and with a
discount nothing.

Strong components are solved one after another, from the ends backwards.

* **One side alone chooses.** Inside a maximal end component whoever chooses can go anywhere for nothing
  and stay for ever. So each is drawn together into one place with an additional choice, "stay", worth
  `endless`. What is left has no end component (de Alfaro 1997), every policy comes to an end, and
  Howard's policy iteration over exact linear equations finds the best one.
* **Two sides.** Strategies are sought where every move ends the play with a tiny probability (and pays
  `endless`), which makes them improvable one by one (Hoffman & Karp 1966); then each is held against
  *all* answers in the real game, by the method above. Where what the one guarantees equals what the
  other concedes, that is the value, however the strategies were found.
* **Rewards for ever.** Where an end component pays, sums of rewards need not converge. If there are few
  enough pairs of positional strategies each is valued, minus and plus infinity included, and the value
  is accepted where maximin equals minimax; where some sum does not exist at all there is no value.

Several players with interests of their own: backward induction, ties to the first move, where no play
repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf, prod
from typing import Any

from tests.judge.graph import CHANCE, OVER, Graph, components

MAX, MIN, NATURE = 0, 1, 2

Real = Any
"""A Fraction, or plus or minus infinity."""

MOST_PAIRS = 300
"""So many pairs of strategies are tried where rewards can go on for ever."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice where one number is at stake: what it pays on average, whether it may pay, where it leads."""

    pay: Fraction
    pays: bool
    to: dict[int, Fraction]


@dataclass(slots=True)
class Stake:
    """A game with one number at stake. Where it is over, `final` has it; `kind` says who chooses."""

    kind: list[int]
    options: list[list[Option]]
    final: list[Fraction | None]
    discount: Fraction
    endless: Fraction
    values: list[Real] | None = field(default=None, init=False)

    @property
    def size(self) -> int:
        return len(self.kind)

    def worth(self, option: Option, values: Sequence[Real]) -> Real:
        infinite = [values[t] for t, p in option.to.items() if values[t] in (inf, -inf)]
        if infinite:
            return infinite[0]
        return option.pay + self.discount * sum((p * values[t] for t, p in option.to.items()), Fraction(0))


class NoValue(Exception):
    """The value does not exist, or is beyond what the judge computes."""


class Truth:
    """All that is true of a graph, found when it is asked for. `None`: there is no such number."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self._stakes: dict[Any, list[Real] | None] = {}

    @cached_property
    def values(self) -> list[tuple[Real, ...]] | None:
        """Per place and player with best play by all."""
        graph = self.graph
        if graph.opposed:
            first = self.stake("duel", 0)
            if first is None:
                return None
            return [(v, -v)[: len(graph.players)] for v in first]
        if graph.cyclic(range(len(graph.places))):
            return None
        return backward_induction(graph)

    def stake(self, question: str, player: int) -> list[Real] | None:
        """Per place what a player gets: in a "duel" with all others, against "uniform" others, by "chain"
        where everybody plays uniformly; the "most" and the "least" that all together can bring about.
        """
        if (question, player) not in self._stakes:
            try:
                found: list[Real] | None = solve(stake_of(self.graph, question, player))
            except NoValue:
                found = None
            self._stakes[question, player] = found
        return self._stakes[question, player]

    def pays_for_ever(self, question: str) -> bool:
        """Whether rewards can be collected again and again, without a discount (see `stake`)."""
        if self.graph.discount != 1 or not self.graph.pays:
            return False
        return any(pays_for_ever(stake_of(self.graph, question, p)) for p in range(len(self.graph.players)))

    def at_start(self, values: Sequence[Real]) -> Real:
        total: Real = Fraction(0)
        for probability, place in self.graph.starts:
            total += probability * values[place]
        return total

    def of_choices(self, place: int, values: Sequence[Real], player: int) -> list[Real]:
        """Per choice of a place what it is worth to the player, when places are worth `values` to them."""
        found = []
        for choice in self.graph.places[place].choices:
            total: Real = Fraction(0)
            for edge in choice.edges:
                total += edge.probability * (edge.rewards[player] + self.graph.discount * values[edge.target])
            found.append(total)
        return found


def backward_induction(graph: Graph) -> list[tuple[Fraction, ...]]:
    """Everybody for themselves, in a graph without cycles; the first of the best choices is taken."""
    players = range(len(graph.players))
    values: list[tuple[Fraction, ...]] = [()] * len(graph.places)
    for (place,) in components({i: list(graph.successors(i)) for i in range(len(graph.places))}):
        here = graph.places[place]
        if here.owner == OVER:
            values[place] = here.utility
            continue
        worths = [
            tuple(
                sum(
                    (e.probability * (e.rewards[p] + graph.discount * values[e.target][p]) for e in c.edges),
                    Fraction(0),
                )
                for p in players
            )
            for c in here.choices
        ]
        if here.owner == CHANCE:
            values[place] = tuple(
                sum((c.weight * w[p] for c, w in zip(here.choices, worths, strict=True)), Fraction(0))
                for p in players
            )
        else:
            best = max(worth[here.owner] for worth in worths)
            values[place] = next(worth for worth in worths if worth[here.owner] == best)
    return values


def stake_of(graph: Graph, question: str, player: int) -> Stake:
    kind, options, final = [], [], []
    for place in graph.places:
        chooses = {
            "duel": MAX if place.owner == player else MIN,
            "uniform": MAX if place.owner == player else NATURE,
            "chain": NATURE,
            "most": MAX,
            "least": MIN,
        }[question]
        kind.append(NATURE if place.owner < 0 else chooses)
        final.append(place.utility[player] if place.owner == OVER else None)
        weights = [choice.weight for choice in place.choices]
        if place.owner >= 0:
            weights = [Fraction(1, len(weights))] * len(weights)
        found = []
        for choice in place.choices:
            to: dict[int, Fraction] = {}
            for edge in choice.edges:
                to[edge.target] = to.get(edge.target, Fraction(0)) + edge.probability
            pay = sum((edge.probability * edge.rewards[player] for edge in choice.edges), Fraction(0))
            found.append(Option(pay, any(edge.rewards[player] for edge in choice.edges), to))
        options.append(found if kind[-1] != NATURE or not found else [_mixed(found, weights)])
    return Stake(kind, options, final, graph.discount, graph.endless[player])


def random_length(graph: Graph) -> float:
    """How many moves a play takes on average when everybody plays at random, from the worst place."""
    stake = stake_of(graph, "chain", 0)
    for place, options in enumerate(stake.options):
        stake.options[place] = [Option(Fraction(1), True, option.to) for option in options]
        stake.final[place] = Fraction(0) if stake.final[place] is not None else None
    stake.discount = Fraction(1)
    return float(max(solve(stake)))


def _mixed(options: Sequence[Option], weights: Sequence[Fraction]) -> Option:
    to: dict[int, Fraction] = {}
    for option, weight in zip(options, weights, strict=True):
        for target, probability in option.to.items():
            to[target] = to.get(target, Fraction(0)) + weight * probability
    pay = sum((weight * option.pay for option, weight in zip(options, weights, strict=True)), Fraction(0))
    return Option(pay, any(option.pays for option in options), to)


# ------------------------------------------------------------------------------ one number at stake


def solve(stake: Stake) -> list[Real]:
    """The value of every place. Raises NoValue."""
    if stake.discount == 1 and pays_for_ever(stake):
        return _by_enumeration(stake)
    values: list[Real] = [Fraction(0)] * stake.size
    for part in components({i: [t for o in stake.options[i] for t in o.to] for i in range(stake.size)}):
        first = part[0]
        if stake.final[first] is not None:
            values[first] = stake.final[first]
        elif len(part) == 1 and not any(first in option.to for option in stake.options[first]):
            worths = [stake.worth(option, values) for option in stake.options[first]]
            values[first] = min(worths) if stake.kind[first] == MIN else max(worths)
        else:
            inner = Part(stake, part, values)
            for place, value in zip(part, inner.solved(), strict=True):
                values[place] = value
    return values


def pays_for_ever(stake: Stake) -> bool:
    """Whether a play can go on for ever, all sides willing, and be paid again and again."""
    live = [i for i in range(stake.size) if stake.final[i] is None]
    options = {i: list(enumerate(stake.options[i])) for i in live}
    return any(
        stake.options[place][k].pays
        for inside in end_components({i: [(k, set(o.to)) for k, o in options[i]] for i in live})
        for place, kept in inside.items()
        for k in kept
    )


def end_components(options: dict[int, list[tuple[int, set[int]]]]) -> list[dict[int, list[int]]]:
    """Maximal end components: per place of each the numbers of the options that do not leave it.

    Options that leave the places given count as leaving."""
    waiting = [set(options)]
    found = []
    while waiting:
        places = waiting.pop()
        kept = {i: [(k, to) for k, to in options[i] if to <= places] for i in places}
        parts = components({i: [t for _, to in kept[i] for t in to] for i in kept})
        if len(parts) == 1:
            if all(kept.values()):
                found.append({i: [k for k, _ in kept[i]] for i in kept})
            elif dropped := {i for i in kept if kept[i]}:
                waiting.append(dropped)
            continue
        waiting += [set(part) for part in parts]
    return found


@dataclass(frozen=True, slots=True)
class Inner:
    """An option inside a component: what it pays with what lies outside, and where inside it leads."""

    pay: Fraction
    to: dict[int, Fraction]
    leaves: bool


class Part:
    """A strong component with cycles; everything that it leads to is known. Places are numbered within."""

    def __init__(self, stake: Stake, places: Sequence[int], values: Sequence[Real]):
        self.endless = stake.endless
        self.stays = stake.discount == 1
        number = {place: i for i, place in enumerate(places)}
        self.kind = [stake.kind[place] for place in places]
        self.options: list[list[Inner]] = []
        for place in places:
            found = []
            for option in stake.options[place]:
                pay = option.pay
                to: dict[int, Fraction] = {}
                for target, probability in option.to.items():
                    if target in number:
                        to[number[target]] = stake.discount * probability
                    else:
                        pay += stake.discount * probability * values[target]
                found.append(Inner(pay, to, len(to) < len(option.to)))
            self.options.append(found)

    def solved(self) -> list[Fraction]:
        sides = set(self.kind) - {NATURE}
        if len(sides) < 2:
            return self.one_sided(self.options, MIN if MIN in sides else MAX)
        for bits in (40, 120, 400, 1600):
            pair = self.search(Fraction(1, 2**bits))
            guaranteed, conceded = (
                self.one_sided(
                    [
                        [options[chosen]] if kind == side else options
                        for options, chosen, kind in zip(self.options, pair, self.kind, strict=True)
                    ],
                    MIN if side == MAX else MAX,
                )
                for side in (MAX, MIN)
            )
            if guaranteed == conceded:
                return guaranteed
        raise NoValue("no pair of strategies could be proven")

    # ---------------------------------------------------------------------- one side alone

    def one_sided(self, options: list[list[Inner]], side: int) -> list[Fraction]:
        """The value where only one side has a choice."""
        size = len(options)
        groups: list[dict[int, list[int]]] = []
        if self.stays:
            groups = end_components(
                {i: [(k, set(o.to)) for k, o in enumerate(options[i]) if not o.leaves] for i in range(size)}
            )
        home = list(range(size))  # the place that stands for each
        for group in groups:
            for place in group:
                home[place] = min(group)
        merged: dict[int, list[tuple[Fraction, dict[int, Fraction]]]] = {i: [] for i in set(home)}
        inside = {(place, k) for group in groups for place, kept in group.items() for k in kept}
        for group in groups:
            merged[min(group)].append((self.endless, {}))
        for place in range(size):
            for k, option in enumerate(options[place]):
                if (place, k) in inside:
                    continue
                to: dict[int, Fraction] = {}
                for target, probability in option.to.items():
                    to[home[target]] = to.get(home[target], Fraction(0)) + probability
                merged[home[place]].append((option.pay, to))
        values = _howard(merged, min if side == MIN else max)
        return [values[home[place]] for place in range(size)]

    # ------------------------------------------------------------------------- two sides

    def search(self, stop: Fraction) -> list[int]:
        """Optimal choices where every move ends the play with probability `stop` and pays `endless`."""
        if not self.stays:
            stop = Fraction(0)
        halting = [
            [
                (
                    option.pay * (1 - stop) + stop * self.endless,
                    {t: p * (1 - stop) for t, p in option.to.items()},
                )
                for option in options
            ]
            for options in self.options
        ]
        chosen = [0] * len(halting)
        while True:
            answers = {
                i: [options[chosen[i]]] if self.kind[i] == MAX else options
                for i, options in enumerate(halting)
            }
            values = _howard(answers, min)
            better = False
            for i, options in enumerate(halting):
                worths = [
                    pay + sum((p * values[t] for t, p in to.items()), Fraction(0)) for pay, to in options
                ]
                if self.kind[i] == MAX:
                    if max(worths) > worths[chosen[i]]:
                        chosen[i] = worths.index(max(worths))
                        better = True
                else:
                    chosen[i] = worths.index(min(worths))
            if not better:
                return chosen


def _howard(
    options: dict[int, list[tuple[Fraction, dict[int, Fraction]]]], best: Callable[..., Any]
) -> dict[int, Fraction]:
    """Policy iteration where every policy comes to an end: per place the best value."""
    policy = dict.fromkeys(options, 0)
    while True:
        values = _linear({i: options[i][policy[i]] for i in options})
        changed = False
        for i, found in options.items():
            if len(found) == 1:
                continue
            worths = [pay + sum((p * values[t] for t, p in to.items()), Fraction(0)) for pay, to in found]
            most = best(worths)
            if most != worths[policy[i]]:
                policy[i] = worths.index(most)
                changed = True
        if not changed:
            return values


def _linear(chain: dict[int, tuple[Fraction, dict[int, Fraction]]]) -> dict[int, Fraction]:
    """Solves v = pay + sum of p * v, by eliminating one place after another, the least entangled first."""
    pays = {i: pay for i, (pay, _) in chain.items()}
    rows = {i: dict(to) for i, (_, to) in chain.items()}
    into: dict[int, set[int]] = {i: set() for i in rows}
    for i, row in rows.items():
        for t in row:
            into[t].add(i)
    order = []
    left = set(rows)
    while left:
        i = min(left, key=lambda i: (len(rows[i]) * len(into[i]), i))
        left.remove(i)
        order.append(i)
        row = rows[i]
        if i in row:
            rest = 1 - row.pop(i)
            into[i].discard(i)
            if rest == 0:
                raise NoValue("a chain that never ends")
            for t in row:
                row[t] /= rest
            pays[i] /= rest
        for source in into[i]:
            weight = rows[source].pop(i)
            for t, p in row.items():
                rows[source][t] = rows[source].get(t, 0) + weight * p
                into[t].add(source)
            pays[source] += weight * pays[i]
        for t in row:
            into[t].discard(i)
    values: dict[int, Fraction] = {}
    for i in reversed(order):
        values[i] = pays[i] + sum((p * values[t] for t, p in rows[i].items()), Fraction(0))
    return values


# ------------------------------------------------------------------------ rewards that go on for ever


def _by_enumeration(stake: Stake) -> list[Real]:
    sizes = [len(o) if kind != NATURE else 1 for o, kind in zip(stake.options, stake.kind, strict=True)]
    if prod(max(1, size) for size in sizes) > MOST_PAIRS:
        raise NoValue("too many strategies to try")
    sides = {
        side: [i for i in range(stake.size) if stake.kind[i] == side and sizes[i] > 1] for side in (MAX, MIN)
    }
    table: dict[tuple[Any, Any], list[Real]] = {}
    for own in product(*(range(sizes[i]) for i in sides[MAX])):
        for other in product(*(range(sizes[i]) for i in sides[MIN])):
            chosen = dict(zip(sides[MAX], own, strict=True)) | dict(zip(sides[MIN], other, strict=True))
            chain = [o[chosen.get(i, 0)] if o else None for i, o in enumerate(stake.options)]
            table[own, other] = _chain(stake, chain)
    owns, others = {own for own, _ in table}, {other for _, other in table}
    values = []
    for i in range(stake.size):
        maximin = max(min(table[own, other][i] for other in others) for own in owns)
        minimax = min(max(table[own, other][i] for own in owns) for other in others)
        if maximin != minimax:
            raise NoValue("positional strategies do not settle it")
        values.append(maximin)
    return values


def _chain(stake: Stake, chain: Sequence[Option | None]) -> list[Real]:
    """What a chain pays from each place; infinite where it is paid for ever. Raises NoValue where sums of
    rewards come to nothing definite."""
    values: list[Real] = [Fraction(0)] * stake.size
    for part in components({i: list(o.to) if o else [] for i, o in enumerate(chain)}):
        first = part[0]
        if stake.final[first] is not None:
            values[first] = stake.final[first]
            continue
        inside = set(part)
        outside = [values[t] for i in part for t in _option(chain, i).to if t not in inside]
        if not outside:
            pays = any(_option(chain, i).pays for i in part)
            value: Real = _sign_of_gain([_option(chain, i) for i in part], part) if pays else stake.endless
            for i in part:
                values[i] = value
            continue
        endless = {value for value in outside if value in (inf, -inf)}
        if len(endless) == 2:
            raise NoValue("infinite gains and infinite losses")
        if endless:
            for i in part:
                values[i] = next(iter(endless))
            continue
        equations = {}
        for i in part:
            option = _option(chain, i)
            pay = option.pay + sum(
                (p * values[t] for t, p in option.to.items() if t not in inside), Fraction(0)
            )
            equations[i] = (pay, {t: p for t, p in option.to.items() if t in inside})
        for i, value in _linear(equations).items():
            values[i] = value
    return values


def _option(chain: Sequence[Option | None], place: int) -> Option:
    option = chain[place]
    assert option is not None
    return option


def _sign_of_gain(options: Sequence[Option], part: Sequence[int]) -> Real:
    """Plus or minus infinity as a recurrent class gains or loses in the long run."""
    # Per cycle through the first place: gain = expected pay until it is back.
    root = part[0]
    own = dict(zip(part, options, strict=True))
    equations = {i: (o.pay, {t: p for t, p in o.to.items() if t != root}) for i, o in own.items()}
    gain = _linear(equations)[root]
    if gain == 0:
        raise NoValue("gains and losses that cancel for ever")
    return inf if gain > 0 else -inf
