"""Structured rules drawn at random: several variables, maps, effects with arguments, guards, parameters.

Here the checker has something to prove: that no play repeats, that interests are opposed, between which
numbers utilities lie. Arguments alias what effects assign, indices are computed, counters only grow, or
seem to.
"""

from __future__ import annotations

from random import Random

from tests.judge.generate import Drawn, traits_of
from tests.judge.graph import OVER, TooLarge, read_graph

MOST_POSITIONS = 80
"""Games with more are drawn again."""


def draw_rules(random: Random) -> Drawn:
    """A game by rules, small enough to be explored, with the graph that the reference engine's moves give."""
    import gdl
    from gdl.diagnostics import GameError

    while True:
        text = Rules(random).text()
        try:
            graph = read_graph(gdl.loads(text, engine="reference"), MOST_POSITIONS)
        except (GameError, TooLarge):
            continue  # a fault while playing, or too many positions
        if all(graph.places[place].owner == OVER for _, place in graph.starts):
            continue
        return Drawn(text, graph, (*traits_of(graph), "structured rules"))


class Rules:
    """One text. `most` is the largest value in `v`; statements keep every variable in its range."""

    def __init__(self, random: Random):
        self.random = random
        pick = random.choice
        self.players = pick([1, 1, 2, 2, 2, 2, 3])
        self.names = ["a", "b", "c"][: self.players]
        self.most = pick([1, 1, 2, 2, 3])
        self.clock = pick([0, 0, 2, 3, 4])  # ticks with every move, and ends the game
        self.counts = random.random() < 0.35  # every move adds to `v`, directly or in effects; or so it looks
        if self.counts:
            self.most, self.clock = pick([2, 3, 3]), 0
        self.chance = random.random() < 0.5
        self.rewards = random.random() < 0.25
        self.shares = self.players > 1 and random.random() < 0.6  # `w`, one number per player
        self.turns = pick(["fixed", "alternate", "alternate"]) if self.players > 1 else "fixed"
        self.effects: list[tuple[str, str]] = []  # name, domain of the argument
        self.lines: list[str] = []

    def text(self) -> str:
        random = self.random
        lines = ["game judged", f"players: {', '.join(self.names)}", "position:"]
        lines += [f"    v[0..1]: 0..{self.most} = 0", "    i: 0..1 = 0", "    u: 0..1 = 0"]
        if self.shares:
            lines.append(f"    w[player]: 0..{self.most} = 0")
        if self.clock:
            lines.append(f"    t: 0..{self.clock} = 0")
        if self.players > 1:
            lines.append("    turn: player = a")
        if random.random() < 0.15:
            lines += ["initial:", "    " + random.choice(["i ~ 0..1", "v[0] ~ {0: 1/3, 1: 2/3}", "u ~ 0..1"])]
        if self.players > 1:
            other = "chance if i == 1 and v[0] == 0 else turn"
            lines.append(f"player: {other if self.chance and random.random() < 0.3 else 'turn'}")
        for number in range(random.choice([0, 1, 1, 2])):
            domain = "0..1" if self.counts else random.choice(["0..1", f"0..{self.most}"])
            lines.append(f"effect e{number}(k: {domain}):")
            body = self.counting("k") if self.counts else self.block(random.choice([1, 2, 3]), domain)
            lines += ["    " + line for line in body]
            self.effects.append((f"e{number}", domain))
        for number in range(random.choice([1, 2, 2, 3])):
            domain = random.choice(["", "", "0..1"])
            guards = [self.condition(domain)] if random.random() < 0.4 else []
            when = f" when {' and '.join(guards)}" if guards else ""
            lines.append(f"move m{number}{f'(k: {domain})' if domain else ''}{when}:")
            body = self.counted(domain) if self.counts else self.block(random.choice([1, 2, 3]), domain)
            body += ["t += 1"] if self.clock else []
            body += ["turn = next(turn)"] if self.turns == "alternate" else []
            lines += ["    " + line for line in body]
        leave = ["    u += 1"] + (["    t += 1"] if self.clock else [])
        if random.random() < 0.6:
            when = f" when {self.condition('')}" if random.random() < 0.3 else ""
            lines += [f"move stop{when}:", *leave]
        lines += ["move rest otherwise:", *leave]
        ends = ["u == 1"] + ([f"t == {self.clock}"] if self.clock else [])
        if self.counts:
            ends.append(f"v[0] == {self.most} or v[1] == {self.most}")
        elif random.random() < 0.5:
            ends.append(random.choice([f"v[0] == {self.most}", "v[0] > v[1] and i == 1"]))
        lines.append(f"terminal: {' or '.join(ends)}")
        lines.append(self.utility())
        if random.random() < 0.15:
            lines.append(f"discount: {random.choice(['1/2', '9/10'])}")
        if random.random() < 0.4 and self.players <= 2 and not lines[-1].startswith("utility(p)"):
            lines.append(f"endless: {random.choice(['1', '-5', '1/2', '100'])}")
        return "\n".join(lines) + "\n"

    def utility(self) -> str:
        one = [
            "v[0] - v[1]",
            "1 if v[0] > v[1] else -1",
            "v[0] / 3",
            "v[i] - 1",
            "3",
            "v[0] * v[1] + i",
            "i / 10",
        ]
        if self.players == 1:
            return f"utility: {self.random.choice(one)}"
        if self.players == 2 and self.random.random() < 0.6:
            return f"utility: {self.random.choice(one)}"
        several = ["v[0] if p == a else v[1]", "i if p == turn else 1 - i", "1 if p == a and u == 1 else 0"]
        if self.shares:
            several += [
                "w[p] - w[next(p)]",
                "1 if w[p] > w[next(p)] else -1",
                "1 if w[p] > w[next(p)] else -1 if w[p] < w[next(p)] else 0",
                "w[p] / 3",
            ]
        return f"utility(p): {self.random.choice(several)}"

    # ------------------------------------------------------------------------------ statements

    def counting(self, index: str) -> list[str]:
        """Statements that add one to `v` somewhere, or look as if they did."""
        return list(
            self.random.choice(
                [
                    [f"v[{index}] += 1"],
                    [f"v[{index}] = v[{index}] + 1"],
                    ["i = 1 - i", f"v[{index}] = v[i] + 1", "i = 1 - i"],
                    [f"v[i] = v[{index}] + 1"],
                    [f"let n = v[{index}] + 1", f"v[{index}] = n"],
                    ["i = 1 - i", f"v[{index}] += 1"],
                ]
            )
        )

    def counted(self, domain: str) -> list[str]:
        """The body of a move that counts: directly, by an effect, by one of several ways of chance."""
        random = self.random
        ways = [self.counting(self.index(domain))]
        ways += [[f"{name}({self.index(domain)})"] for name, _ in self.effects] * 2
        if self.chance:
            one, other = self.counting(self.index(domain)), random.choice(ways)
            ways.append(
                ["chance:", "    1/3:", *("        " + line for line in one), "    else:"]
                + ["        " + line for line in other]
            )
        rest = random.choice([[], [], ["i = 1 - i"], ["if v[i] > 0: i = 1 - i"]])
        return [*random.choice(ways), *rest]

    def block(self, count: int, domain: str, deep: int = 0) -> list[str]:
        lines = []
        for _ in range(count):
            lines += self.statement(domain, deep)
        return lines

    def statement(self, domain: str, deep: int) -> list[str]:
        random = self.random
        index, other = self.index(domain), self.index(domain)
        up = [f"if v[{index}] < {self.most}: v[{index}] += 1"]
        kinds = [up, up]
        if self.shares and self.players > 1:
            kinds.append([f"if w[turn] < {self.most}: w[turn] += 1"])
        kinds += [
            ["i = 1 - i"],
            [f"v[{index}] = ({self.number(domain)}) mod {self.most + 1}"],
            [f"if v[{index}] > 0: v[{index}] -= 1"],
            [f"v[{index}] = v[{other}]"],
        ]
        if self.effects:
            name, of = random.choice(self.effects)
            argument = self.index(domain) if of == "0..1" else f"v[{self.index(domain)}]"
            kinds += [[f"{name}({argument})"]] * 2
        if deep < 1:
            body = self.statement(domain, deep + 1)
            kinds.append([f"if {self.condition(domain)}:", *("    " + line for line in body)])
            if self.chance:
                odds = random.choice(["1/2", "1/3", "1/10", "1/(10**9)"])
                rest = self.statement(domain, deep + 1)
                kinds += [
                    ["chance:", f"    {odds}:", *("        " + line for line in body), "    else:"]
                    + ["        " + line for line in rest]
                ] * 2
        if self.chance:
            kinds.append(["i ~ 0..1"])
        if self.rewards and self.players <= 2:
            kinds.append([f"reward {random.choice(['1', '-1', '1/3', 'v[0]', 'v[0] - v[1]'])}"])
        return list(random.choice(kinds))

    def index(self, domain: str) -> str:
        return self.random.choice(
            ["0", "1", "i", "i", "1 - i"] + (["k", "k", "1 - k"] if domain == "0..1" else [])
        )

    def number(self, domain: str) -> str:
        v, u = f"v[{self.index(domain)}]", f"v[{self.index(domain)}]"
        return self.random.choice(
            [f"{v} + 1", f"{v} + {u}", f"2 * {v} + 1", f"{v} + i", *([f"{v} + k"] if domain else [])]
        )

    def condition(self, domain: str) -> str:
        v = f"v[{self.index(domain)}]"
        return self.random.choice([f"{v} == 0", f"{v} < {self.most}", "i == 0", "v[0] >= v[1]", f"{v} > 0"])
