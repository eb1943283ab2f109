"""The tree that a search walked: what it looked at in its own order, with windows and bounds, and what it
cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

from gdl.draw.tree.tree import Kind, Relation, Span, Worth
from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from gdl.trees.plain import PlainTree
from gdl.trees.twigs import Twig, Words
from solvers.core.chance import ways_of_chance
from solvers.core.result import Result
from solvers.core.root_search import Backup
from solvers.core.trampoline import Call, run
from solvers.core.windows import Window
from solvers.search.alphabeta import AlphaBeta
from solvers.search.expectimax import Expectimax
from solvers.search.tree_search import Duel
from solvers.search.watching import Record, Visit


class WalkedTree:
    """Grows twigs from the record of a search. `judges`: whether what it says of positions that it did not
    search means anything; without, values that rest on such positions are left away."""

    def __init__(self, game: Game[Any, Any], record: Record, judges: bool):
        assert record.search is not None
        self.game = game
        self.search = record.search
        self.record = record
        self.judges = judges
        self.words = Words(game, vectors=record.search.vectors)
        self.ordered = isinstance(record.search, AlphaBeta)
        self.unvisited = PlainTree(self.words, faint=True)

    def root(self, at: Any, result: Result) -> Twig:
        starts = [("", Outcome(at, 1, ()))] if at is not None else self.words.starts()
        if len(starts) == 1:
            return self.position(self.record.roots[starts[0][1].position], line=True)
        values = [value.number if value is not None else 0 for value in result.values]
        known = self.judges or result.complete

        def grow() -> list[Twig]:
            return [self._start(said, outcome) for said, outcome in starts]

        worth = Worth(self.words.shown(values), judged=not result.complete) if known else None
        return Twig("chance", mover="chance", worth=worth, size=self.record.entered, grow=grow)

    def _start(self, said: str, outcome: Outcome) -> Twig:
        twig = self.position(self.record.roots[outcome.position], line=True)
        return replace(twig, label=said, probability=outcome.probability, paid=self.words.paid(outcome))

    # ------------------------------------------------------------ positions

    def position(self, visit: Visit, line: bool = False) -> Twig:
        """A position that was looked at; `line`: the best line leads here."""
        line = line and self._known(visit.backup)  # no line is best where no value is known
        position = visit.position
        player = self.game.to_move(position)
        twig = Twig(
            self._kind(position, player), position, self.words.name(player), max(player, 0),
            worth=self._worth(visit),
            order=visit.number if self.ordered else None, window=_span(visit.window),
            size=visit.size,
        )  # fmt: skip
        if player == TERMINAL:
            return twig
        if not visit.inner:
            if player != CHANCE and visit.depth <= 0:
                return replace(twig, cut_off=True)
            return replace(twig, notes=("from the table",)) if visit.backup is not None else twig
        steps = self._steps(visit)
        if player == CHANCE:
            twig.interval = _last(steps)
            twig.grow = lambda: self._chance(visit, line, steps)
        elif isinstance(self.search, Expectimax) and player != self.search.player:
            twig.grow = lambda: self._policy(visit, player, line)
        else:
            twig.grow = lambda: self._moves(visit, visit.inner, player, line)
        return twig

    def _kind(self, position: Any, player: int) -> Kind:
        if player < 0 or self.search.vectors:
            return self.words.kind(player)
        if isinstance(self.search, Duel):  # of a coalition, too
            return self.words.kind(self.search.game.to_move(position))
        return "max" if self.search.chooses(player) else "chance"

    def _known(self, backup: Backup | None) -> bool:
        """Whether its value means anything."""
        return backup is not None and (backup.complete or self.judges)

    def _worth(self, visit: Visit) -> Worth | None:
        backup = visit.backup
        if backup is None or not self._known(backup):
            return None
        if self.words.vectors:
            return Worth(tuple(backup.value), judged=not backup.complete)
        relation = self._relation(visit)
        if relation != "=" and run(self._exact(visit)):
            relation = "="
        return Worth((backup.value,), relation, judged=not backup.complete)

    def _relation(self, visit: Visit) -> Relation:
        """What the value is by the contract of searches with a window."""
        window = visit.window
        if window is None or not isinstance(self.search, AlphaBeta):
            return "="
        assert visit.backup is not None
        value = visit.backup.value
        if value <= window.alpha and value > self.search.floor:
            return "<="
        return ">=" if value >= window.beta and value < self.search.ceiling else "="

    def _exact(self, visit: Visit) -> Call[bool]:
        """Whether a value is exact, also one outside its window: where no move was cut, and the one that it
        comes from is exact. The others were shown to be no better."""
        if visit.backup is None or visit.probe:
            return False
        if self._relation(visit) == "=":
            return True
        position = visit.position
        player = self.game.to_move(position)
        if visit.of_move:
            after = [outcome.position for outcome in self.game.outcomes(position, visit.move)]
            settled: bool = yield self._exact_after(visit, after)
            return settled
        if player == CHANCE:
            after = [outcome.position for _, outcome in ways_of_chance(self.game, position)]
            settled = yield self._exact_after(visit, after)
            return settled
        if not visit.inner:  # its end, or one that was judged; not one from the table
            return player == TERMINAL or visit.depth <= 0
        if {look.move for look in visit.inner} < set(self.game.moves(position)):
            return False
        for look in visit.inner:
            if look.backup is not None and look.backup.value == visit.backup.value:
                settled = yield self._exact(look)
                if settled:
                    return True
        return False

    def _exact_after(self, look: Visit, positions: Sequence[Any]) -> Call[bool]:
        """Whether the values of all that chance may do are exact."""
        visited = {inner.position: inner for inner in look.inner}
        known = [p.outcome.position for p in look.possible if p.low == p.high]
        for position in positions:
            if position in visited:
                settled: bool = yield self._exact(visited[position])
                if not settled:
                    return False
            elif position not in known:
                return False
        return True

    # ------------------------------------------------------------ moves

    def _moves(self, visit: Visit, looks: Sequence[Visit], player: int, line: bool) -> list[Twig]:
        """The moves that were looked at, in that order, then those that were cut."""
        best = None
        if visit.backup is not None and visit.backup.line and self._known(visit.backup):
            best = visit.backup.line[0][1]
        found = [
            replace(self._move(look, line and look.move == best), leads=look.move == best) for look in looks
        ]
        tried = {look.move for look in looks}
        depth = looks[0].depth if looks else 0
        for move in self.game.moves(visit.position):
            if move not in tried:
                twig = self.unvisited.move(visit.position, move, player, depth)
                found.append(replace(twig, cut=True, size=0))
        return found

    def _move(self, look: Visit, best: bool) -> Twig:
        ways = self.words.outcomes(look.position, look.move)
        steps = self._steps(look)
        if len(ways) == 1:
            (twig,) = self._outcomes(ways, look, best, {})
            twig = replace(twig, probability=None)
        else:
            twig = Twig(
                "chance", mover="chance", worth=self._worth(look), size=look.size,
                window=_span(look.window), interval=_last(steps),
                grow=lambda: self._outcomes(ways, look, best, steps),
            )  # fmt: skip
        return replace(twig, label=self.game.format_move(look.move), best=best, brings=self._worth(look))

    def _policy(self, visit: Visit, player: int, line: bool) -> list[Twig]:
        """The moves of a player whose policy is known, with its probabilities."""
        assert isinstance(self.search, Expectimax)
        policy = self.search.policies[player](visit.position)
        return [replace(self._move(look, line), probability=policy[look.move]) for look in visit.inner]

    # ------------------------------------------------------------ chance

    def _chance(self, visit: Visit, line: bool, steps: dict[Any, Span]) -> list[Twig]:
        ways = self.words.chance_moves(visit.position)
        if visit.inner and visit.inner[0].of_move:
            inner = [each for look in visit.inner for each in look.inner]
            visit = replace(visit, inner=inner)
        return self._outcomes(ways, visit, line, steps)

    def _outcomes(
        self, ways: Sequence[tuple[str, Outcome]], look: Visit, line: bool, steps: dict[Any, Span]
    ) -> list[Twig]:
        """What chance may do, in the order in which it was looked at, then what was cut."""
        visited = {inner.position: inner for inner in look.inner if not inner.probe}
        probes = {inner.position: inner for inner in look.inner if inner.probe}
        known = {p.outcome.position: p.low for p in look.possible if p.low == p.high}
        place = {p.outcome.position: i for i, p in enumerate(look.possible)}
        found = []
        for said, outcome in sorted(ways, key=lambda way: place.get(way[1].position, 0)):
            position = outcome.position
            if position in visited:
                twig = self.position(visited[position], line)
                if position in probes:
                    twig.notes = (*twig.notes, "probed before")
            elif self.game.to_move(position) == TERMINAL:
                twig = replace(PlainTree(self.words).position(position, 0), size=1)
            elif position in probes:
                twig = self._probed(probes[position])
            elif position in known:
                twig = replace(self.unvisited.position(position, 0), faint=False, notes=("from the table",))
                twig.worth = Worth((known[position],))
            else:
                twig = replace(self.unvisited.position(position, look.depth), cut=True, size=0)
            best = line and not twig.cut
            found.append(
                replace(
                    twig,
                    label=said,
                    probability=outcome.probability,
                    paid=self.words.paid(outcome),
                    best=best,
                    step=steps.get(position),
                )
            )
        return [twig for twig in found if not twig.cut] + [twig for twig in found if twig.cut]

    def _probed(self, probe: Visit) -> Twig:
        """A position of which only one move was looked at: it gives a bound."""
        player = self.game.to_move(probe.position)
        (look,) = probe.inner
        worth = self._worth(look)
        if worth is not None:
            worth = replace(worth, relation=">=" if player == 0 else "<=")
        return Twig(
            self._kind(probe.position, player), probe.position, self.words.name(player), player, worth=worth,
            window=_span(look.window), notes=("probed",), size=probe.size,
            grow=lambda: self._moves(probe, probe.inner, player, False),
        )  # fmt: skip

    def _steps(self, look: Visit) -> dict[Any, Span]:
        """Where the expectation must lie after each outcome (Star1 and Star2), by its position."""
        visited = {inner.position: inner for inner in look.inner if not inner.probe}
        if len(look.possible) < 2:
            return {}
        low: Number = sum(p.weight * p.low for p in look.possible)
        high: Number = sum(p.weight * p.high for p in look.possible)
        steps = {}
        for p in look.possible:
            visit = visited.get(p.outcome.position)
            if visit is not None and visit.backup is not None and visit.window is not None:
                if not self._known(visit.backup):
                    break  # what nobody knows narrows nothing
                value = visit.backup.value
                if value > visit.window.alpha or value == p.low:
                    low += p.weight * (max(value, p.low) - p.low)
                if value < visit.window.beta or value == p.high:
                    high += p.weight * (min(value, p.high) - p.high)
            elif p.low != p.high:
                break
            steps[p.outcome.position] = Span(low, high)
        return steps


def _span(window: Window | None) -> Span | None:
    return None if window is None else Span(*window)


def _last(steps: dict[Any, Span]) -> Span | None:
    """The interval that is left at the end; none where the value is known."""
    last = next(reversed(steps.values()), None)
    return None if last is None or last.low == last.high or last.low == -inf else last
