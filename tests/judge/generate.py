"""Games drawn at random, as data and as text.

Most are *explicit*: a random position graph, known here as it is, and written down move by move; text
and graph are two renderings of one random object. The others are structured rules (`tests.judge.rules`),
whose graph is read off the reference engine's successors.

What is drawn, each with a probability that makes combinations common: one to three players; opposed interests
or not; chance within moves (`~`, `chance:`) and as a player, with weights; drawn starts, some of them over;
rewards, large ones that cancel among them; a discount; `endless` inside and outside the range of utilities;
constant utilities; probabilities of 1e-9 and 1e-16; ties that floats break; self-loops and end components.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from tests.judge.graph import CHANCE, OVER, Choice, Edge, Graph, Place
from tests.judge.oracle import end_components

ZERO, ONE = Fraction(0), Fraction(1)

NAMES = ("a", "b", "c")


@dataclass(frozen=True, slots=True)
class Style:
    """How a graph is written down."""

    opposed: bool  # one `utility:` for the first player, one `reward` for both
    draws: bool  # outcomes that pay alike by `~`, else by `chance:`
    table: bool  # utilities from a table of constants, else by cases


@dataclass(frozen=True, slots=True)
class Drawn:
    """A game of the judge: its text, its graph, and what was drawn into it."""

    text: str
    graph: Graph
    traits: tuple[str, ...]
    style: Style | None = None  # None for structured rules


def draw_explicit(random: Random) -> Drawn:
    """A random position graph with its text."""
    sketch = _Sketch(random)
    graph = sketch.graph()
    style = Style(opposed=sketch.opposed, draws=random.random() < 0.5, table=random.random() < 0.5)
    return Drawn(write(graph, style), graph, traits_of(graph), style)


# --------------------------------------------------------------------------------- the graph


class _Sketch:
    """One random graph: decisions about the whole first, then place by place."""

    def __init__(self, random: Random):
        self.random = random
        pick = random.choice
        self.players = pick([1, 1, 1, 1, 2, 2, 2, 2, 2, 3])
        self.opposed = self.players == 1 or (self.players == 2 and random.random() < 0.85)
        self.shape = pick(["dag", "dag", "wild", "wild", "ladder", "rooms", "rooms", "single"])
        if not self.opposed and random.random() < 0.7:
            self.shape = "dag"
        self.live = (
            1 if self.shape == "single" else pick([1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 20, 30])
        )
        self.over = pick([1, 2, 2, 3, 3, 4])
        self.size = self.live + self.over
        self.chance = pick(["none", "none", "moves", "moves", "moves", "player", "both", "both"])
        self.odds = pick(["halves", "thirds", "tenths", "tiny", "ugly", "mixed"])
        self.worths = pick(
            ["signs", "small", "tenths", "constant", "near", "tiny", "huge", "thirds", "small"]
        )
        self.rewards = pick(["none", "none", "none", "small", "fractions", "cancel", "large"])
        self.paid = pick([0.2, 0.5, 1.0])
        self.discount = pick([ONE] * 18 + [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)] * 2 + [ZERO])

    def graph(self) -> Graph:
        random = self.random
        places = [self.place(i) for i in range(self.live)]
        constant = tuple(self.worth() for _ in range(self.players))
        for _ in range(self.over):
            own = constant if self.worths == "constant" else tuple(self.worth() for _ in range(self.players))
            if self.opposed and self.players == 2:
                own = (own[0], -own[0])
            places.append(Place(OVER, (), own))
        if self.shape == "dag" and self.over >= 2 and random.random() < 0.25:
            places = self.float_tie(places)
        starts: tuple[tuple[Fraction, int], ...] = ((ONE, 0),)
        if random.random() < 0.2:
            count = min(self.size, random.choice([2, 2, 3]))
            targets = [0, *random.sample(range(1, self.size), count - 1)]  # the first goes on
            starts = tuple(zip(self.distribution(count), targets, strict=True))
        drawn = Graph(
            NAMES[: self.players], tuple(f"x={i}" for i in range(len(places))), tuple(places), starts,
            self.discount, self.endless(places),
        )  # fmt: skip
        if self.rewards != "none" and self.discount == 1 and random.random() < 0.85:
            drawn = unpaid_inside(drawn)
        return only_reachable(drawn)

    def place(self, number: int) -> Place:
        random = self.random
        owner = random.randrange(self.players)
        if self.chance in ("player", "both") and random.random() < 0.25:
            owner = CHANCE
        count = random.choice([1, 2, 2, 2, 3])
        within = self.chance in ("moves", "both")
        choices = []
        for k in range(count):
            targets = self.targets(number, random.choice([1, 1, 2, 2, 3]) if within else 1)
            odds = self.distribution(len(targets))
            edges = [Edge(p, t, self.reward()) for p, t in zip(odds, targets, strict=True)]
            choices.append(Choice(f"m{number}_{k}", merged(edges)))
        if owner == CHANCE:
            odds = self.distribution(count)
            choices = [replace(c, weight=p) for c, p in zip(choices, odds, strict=True)]
        return Place(owner, tuple(choices))

    def targets(self, number: int, count: int) -> list[int]:
        random = self.random
        found = []
        for _ in range(count):
            if self.shape == "dag":
                near = random.random() < 0.7 and number + 1 < self.live
                found.append(
                    random.randrange(number + 1, min(self.live, number + 4))
                    if near
                    else random.randrange(number + 1, self.size)
                )
            elif self.shape == "ladder":
                way = [number, number + 1, number + 1, max(0, number - 1), 0, random.randrange(self.size)]
                found.append(random.choice(way))
            elif self.shape == "rooms":
                room = number - number % 3
                inside = range(room, min(room + 3, self.live))
                leaves = random.random() < 0.25
                found.append(random.randrange(self.size) if leaves else random.choice(inside))
            else:
                found.append(random.randrange(self.size))
        return list(dict.fromkeys(found))

    def distribution(self, count: int) -> list[Fraction]:
        """So many probabilities that sum to 1."""
        random = self.random
        if count == 1:
            return [ONE]
        odds = self.odds
        if odds == "mixed":
            odds = random.choice(["halves", "thirds", "tenths", "tiny", "ugly"])
        if odds == "tiny":
            small = [
                random.choice(
                    [Fraction(1, 10**9), Fraction(1, 10**16), Fraction(1, 3**20), Fraction(1, 1000)]
                )
                for _ in range(count - 1)
            ]
            found = [*small, 1 - sum(small)]
            random.shuffle(found)
            return found
        whole = {"halves": 4, "thirds": 6, "tenths": 10, "ugly": random.choice([7, 97, 9973])}[odds]
        cuts = sorted(random.sample(range(1, whole), count - 1))
        return [Fraction(high - low, whole) for low, high in zip([0, *cuts], [*cuts, whole], strict=True)]

    def worth(self) -> Fraction:
        random = self.random
        kinds = {
            "signs": [-1, 0, 1],
            "small": [-3, -2, -1, 0, 1, 2, 5],
            "tenths": [Fraction(k, 10) for k in range(-3, 11)],
            "constant": [-2, 0, Fraction(1, 3), 3, 10**9],
            "near": [10**9, 10**9 - Fraction(1, 2), 10**9 + 1, 0],
            "tiny": [0, Fraction(1, 2 * 10**9), Fraction(-1, 10**12), Fraction(1, 10**9)],
            "huge": [2**53 + 1, 2**53, -(2**53) - 1, 10**15, 0],
            "thirds": [Fraction(k, 3) for k in range(-3, 4)],
        }
        return Fraction(random.choice(kinds[self.worths]))

    def reward(self) -> tuple[Fraction, ...]:
        nothing = (ZERO,) * self.players
        if self.rewards == "none" or self.random.random() > self.paid:
            return nothing
        big = Fraction(10**9 + 1, 3)
        kinds: dict[str, Sequence[Fraction | int]] = {
            "small": [-2, -1, 1, 2],
            "fractions": [Fraction(1, 3), Fraction(-1, 7), Fraction(3, 10), Fraction(1, 10), Fraction(-2, 3)],
            "cancel": [big, -big + Fraction(1, 3), Fraction(10**15 + 1, 3), -Fraction(10**15, 3)],
            "large": [10**9, -(10**9), 10**12, Fraction(100000, 7), Fraction(10**7, 7)],
        }
        own = [Fraction(self.random.choice(kinds[self.rewards])) for _ in range(self.players)]
        return (own[0], -own[0]) if self.opposed and self.players == 2 else tuple(own)

    def endless(self, places: Sequence[Place]) -> tuple[Fraction, ...]:
        random = self.random
        utilities = [place.utility for place in places if place.owner == OVER]
        found = []
        for player in range(self.players):
            own = [utility[player] for utility in utilities]
            within = (min(own) + max(own)) / 2
            kinds = [ZERO, ZERO, within, max(own) + random.choice([1, 10, 100]), min(own) - 1]
            found.append(Fraction(random.choice(kinds)))
        return (found[0], -found[0]) if self.opposed and self.players == 2 else tuple(found)

    def float_tie(self, places: list[Place]) -> list[Place]:
        """A new first place: 3/10 for sure, or 1/10 and 2/10 of getting 1, which floats tell apart."""
        size = len(places)
        nothing = (ZERO,) * self.players
        owner = self.random.randrange(self.players)

        def pays(number: Fraction) -> tuple[Fraction, ...]:
            others = [Fraction(self.random.choice([0, 50, 100])) for _ in range(self.players)]
            if self.opposed and self.players == 2:
                return (number, -number) if owner == 0 else (-number, number)
            others[owner] = number
            return tuple(others)

        moved = [
            replace(
                place,
                choices=tuple(
                    replace(
                        c,
                        name=f"m{i}_{k}",
                        edges=tuple(replace(e, target=e.target + 1) for e in c.edges),
                    )
                    for k, c in enumerate(place.choices)
                ),
            )
            for i, place in enumerate(places, 1)
        ]
        sure, won, lost = size + 1, size + 2, size + 3
        ways = [
            (Edge(ONE, sure, nothing),),
            (
                Edge(Fraction(1, 10), won, nothing),
                Edge(Fraction(2, 10), won + 2, nothing),
                Edge(Fraction(7, 10), lost, nothing),
            ),
            (Edge(ONE, 1, nothing),),
        ]
        self.random.shuffle(ways)
        first = Place(owner, tuple(Choice(f"m0_{k}", edges) for k, edges in enumerate(ways)))
        ends = [pays(Fraction(3, 10)), pays(ONE), pays(ZERO), pays(ONE)]
        return [first, *moved, *(Place(OVER, (), utility) for utility in ends)]


def merged(edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """Outcomes that lead to the same place with the same reward are one."""
    found: dict[tuple[int, tuple[Fraction, ...]], Fraction] = {}
    for edge in edges:
        key = (edge.target, edge.rewards)
        found[key] = found.get(key, ZERO) + edge.probability
    return tuple(Edge(p, target, rewards) for (target, rewards), p in found.items())


def unpaid_inside(graph: Graph) -> Graph:
    """The graph without the rewards that could be collected for ever."""
    options = {
        i: [(k, {e.target for e in c.edges}) for k, c in enumerate(place.choices)]
        if place.owner != CHANCE
        else [(0, set(graph.successors(i)))]
        for i, place in enumerate(graph.places)
        if place.owner != OVER
    }
    inside = {(i, k) for part in end_components(options) for i, kept in part.items() for k in kept}
    nothing = (ZERO,) * len(graph.players)
    places = []
    for i, place in enumerate(graph.places):
        choices = [
            replace(c, edges=merged([replace(e, rewards=nothing) for e in c.edges]))
            if (i, 0 if place.owner == CHANCE else k) in inside
            else c
            for k, c in enumerate(place.choices)
        ]
        places.append(replace(place, choices=tuple(choices)))
    return replace(graph, places=tuple(places))


def only_reachable(graph: Graph) -> Graph:
    """The graph without what no play reaches, numbered anew: those that go on first."""
    kept = sorted(
        graph.reachable([place for _, place in graph.starts]),
        key=lambda i: (graph.places[i].owner == OVER, i),
    )
    number = {place: i for i, place in enumerate(kept)}
    places = []
    for i in kept:
        place = graph.places[i]
        choices = [
            Choice(
                f"m{number[i]}_{k}",
                tuple(replace(e, target=number[e.target]) for e in c.edges),
                c.weight,
            )
            for k, c in enumerate(place.choices)
        ]
        places.append(replace(place, choices=tuple(choices)))
    starts: dict[int, Fraction] = {}
    for probability, place in graph.starts:
        starts[number[place]] = starts.get(number[place], ZERO) + probability
    return replace(
        graph,
        names=tuple(f"x={i}" for i in range(len(kept))),
        places=tuple(places),
        starts=tuple((p, i) for i, p in starts.items()),
    )


# ---------------------------------------------------------------------------------- the text


def write(graph: Graph, style: Style) -> str:
    """The graph as a game; `only_reachable` has numbered its places."""
    size = len(graph.places)
    live = sum(place.owner != OVER for place in graph.places)
    single = len(graph.starts) == 1
    lines = ["game judged", f"players: {', '.join(graph.players)}", "position:"]
    lines.append(f"    x: 0..{max(size - 1, 1)} = {graph.starts[0][1] if single else 0}")
    if not single:
        drawn = ", ".join(f"{place}: {probability}" for probability, place in graph.starts)
        lines += ["initial:", f"    x ~ {{{drawn}}}"]
    if (mover := _mover(graph)) is not None:
        lines.append(f"player: {mover}")
    for number, place in enumerate(graph.places):
        for choice in place.choices:
            weight = "" if place.owner != CHANCE else f" weight {_weight(place, choice)}"
            lines.append(f"move {choice.name} when x == {number}{weight}:")
            lines += ["    " + line for line in _body(graph, choice, style)]
    lines.append(f"terminal: {'x == 1 - x' if live == size else f'x >= {live}'}")
    lines += _utility(graph, style, live)
    if graph.discount != 1:
        lines.append(f"discount: {graph.discount}")
    if any(graph.endless):
        if style.opposed:
            lines.append(f"endless: {graph.endless[0]}")
        else:
            cases = _by_player(graph, [str(number) for number in graph.endless])
            lines.append(f"endless(p): {cases}")
    return "\n".join(lines) + "\n"


def _mover(graph: Graph) -> str | None:
    """Who moves, by cases; the last of them takes the rest."""
    owners = [place.owner for place in graph.places if place.owner != OVER]
    movers = sorted(set(owners), reverse=True)
    if movers in ([0], []) and len(graph.players) == 1:
        return None
    words = {owner: "chance" if owner == CHANCE else graph.players[owner] for owner in movers}
    if not movers:
        return graph.players[0]
    *cases, last = movers
    text = ""
    for owner in cases:
        own = ", ".join(str(i) for i, place in enumerate(graph.places) if place.owner == owner)
        text += f"{words[owner]} if x in {{{own}}} else "
    if last == CHANCE and not cases:
        return f"chance if x <= {len(owners) - 1} else {graph.players[0]}"
    return text + words[last]


def _weight(place: Place, choice: Choice) -> str:
    """Weights count in proportion: whole numbers where they are small."""
    common = 1
    for each in place.choices:
        common = common * each.weight.denominator // _gcd(common, each.weight.denominator)
    whole = choice.weight * common
    return str(whole) if common <= 1000 else f"{choice.weight}"


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def _body(graph: Graph, choice: Choice, style: Style) -> list[str]:
    edges = choice.edges
    if len(edges) == 1:
        return _effect(graph, edges[0], style)
    if style.draws and len({edge.rewards for edge in edges}) == 1 and len({e.target for e in edges}) > 1:
        drawn = ", ".join(f"{edge.target}: {edge.probability}" for edge in edges)
        return [*_paid(graph, edges[0], style), f"x ~ {{{drawn}}}"]
    lines = ["chance:"]
    for k, edge in enumerate(edges):
        head = "else" if k == len(edges) - 1 else str(edge.probability)
        lines += [f"    {head}:", *("        " + line for line in _effect(graph, edge, style))]
    return lines


def _effect(graph: Graph, edge: Edge, style: Style) -> list[str]:
    return [*_paid(graph, edge, style), f"x = {edge.target}"]


def _paid(graph: Graph, edge: Edge, style: Style) -> list[str]:
    if style.opposed:
        return [f"reward {edge.rewards[0]}"] if edge.rewards[0] else []
    paid = zip(graph.players, edge.rewards, strict=True)
    return [f"reward {player}: {number}" for player, number in paid if number]


def _utility(graph: Graph, style: Style, live: int) -> list[str]:
    ends = [place.utility for place in graph.places[live:]]
    players = range(1 if style.opposed else len(graph.players))
    lines, words = [], []
    for player in players:
        own = [utility[player] for utility in ends] or [ZERO]
        name = f"worth_{graph.players[player]}"
        if len(set(own)) == 1:
            words.append(str(own[0]))
        elif style.table:
            row = ", ".join(map(str, [own[0]] * live + own))
            lines.append(f"const {name}[0..{len(graph.places) - 1}] = [{row}]")
            words.append(f"{name}[x]")
        else:
            cases = "".join(f"{number} if x == {live + k} else " for k, number in enumerate(own[:-1]))
            words.append(cases + str(own[-1]))
    if style.opposed:
        return [*lines, f"utility: {words[0]}"]
    return [*lines, f"utility(p): {_by_player(graph, words)}"]


def _by_player(graph: Graph, words: Sequence[str]) -> str:
    cases = "".join(
        f"({word}) if p == {player} else "
        for player, word in zip(graph.players[:-1], words[:-1], strict=True)
    )
    return f"{cases}({words[-1]})"


# ---------------------------------------------------------------------------- what is in it


def traits_of(graph: Graph) -> tuple[str, ...]:
    """The traits of the issue that a graph has, by name: the summary counts them."""
    starts = [place for _, place in graph.starts]
    utilities = [place.utility for place in graph.places if place.owner == OVER]
    edges = [edge for place in graph.places for choice in place.choices for edge in choice.edges]
    rewards = [edge.rewards[0] for edge in edges]
    mixed = [choice for place in graph.places for choice in place.choices if len(choice.edges) > 1]
    steps = [min([e.probability for e in c.edges] + [c.weight]) for p in graph.places for c in p.choices]
    own = [utility[0] for utility in utilities]
    cyclic = graph.cyclic(starts)
    checks = {
        f"{len(graph.players)} players": True,
        "opposed interests": graph.opposed,
        "interests differ": not graph.opposed,
        "no chance": not graph.chance,
        "chance in moves": bool(mixed),
        "chance as a player": any(place.owner == CHANCE for place in graph.places),
        "drawn start": len(starts) > 1,
        "start that is over": any(graph.places[place].owner == OVER for place in starts),
        "rewards": graph.pays,
        "large rewards that cancel": bool(rewards) and max(rewards) > 10**6 and min(rewards) < -(10**6),
        "discount": graph.discount != 1,
        "endless inside the utilities": cyclic and bool(own) and min(own) <= graph.endless[0] <= max(own),
        "endless outside the utilities": cyclic
        and bool(own)
        and not min(own) <= graph.endless[0] <= max(own),
        "constant utility": bool(own) and len(set(own)) == 1,
        "probability of 1e-9 or less": any(step <= Fraction(1, 10**9) for step in steps),
        "repeats": cyclic,
        "no repeats": not cyclic,
        "self-loop": any(i in graph.successors(i) for i in range(len(graph.places))),
        "end component": cyclic and _stays(graph),
        "tenths": any(step.denominator == 10 for step in steps),
        "more than 20 positions": len(graph.places) > 20,
    }
    return tuple(name for name, holds in checks.items() if holds)


def _stays(graph: Graph) -> bool:
    options = {
        i: [(k, {e.target for e in c.edges}) for k, c in enumerate(place.choices)]
        if place.owner != CHANCE
        else [(0, set(graph.successors(i)))]
        for i, place in enumerate(graph.places)
        if place.owner != OVER
    }
    return bool(end_components(options))
