"""Checks certificates of duels with the native engine as the source of what follows each position.

The rules run as machine code, called by a kernel that numbers positions as it meets them
(`position_graph.py`); probabilities and rewards come as exact fractions, utilities from the exact engine.
The inequalities of `verify.py` are then checked on whole arrays (`inequalities.py`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gdl.abi import CAPACITY
from gdl.certificates.file import Certificate
from gdl.certificates.inequalities import (
    MOST,
    NEVER,
    Column,
    Edges,
    Worths,
    best_choices,
    needs,
    signs,
    worths,
)
from gdl.certificates.verify import Verdict, check_starts, shown
from gdl.diagnostics import Diagnostic, GameError
from gdl.diagnostics.certificates import (
    bound_fails,
    moves_fail,
    not_certifiable,
    positions_differ,
    rank_fails,
)
from gdl.game import TERMINAL, Compiled, Game, Outcome

if TYPE_CHECKING:
    from gdl.certificates.position_graph import Found, Rules, Sizes


def check(game: Game[Any, Any], certificate: Certificate, start: Any = None) -> Verdict:
    """What the certificate of a duel proves about a compiled game; raises GameError if nothing."""
    return _Check(game, certificate, start).verdict()


class _Check:
    def __init__(self, game: Game[Any, Any], certificate: Certificate, start: Any):
        self.game = game
        self.exact: Game[Any, Any] = game.compiled.exact  # type: ignore[attr-defined]
        self.certificate = certificate
        self.start_text = None if start is None else self.exact.format_position(start)
        self.starts = self.exact.initial() if start is None else [Outcome(start, 1, ())]

    def verdict(self) -> Verdict:
        certificate = self.certificate
        check_starts(self.game, self.starts)
        self.found = _explored(self.game, [start.position for start in self.starts], len(certificate))
        self.edges = self.found.edges
        numbers, ranks = certificate.numbers, certificate.ranks
        low = Column(numbers["value" if certificate.exact else "low"])
        high = low if certificate.exact else Column(numbers["high"])
        self.check_utilities(low, high)
        low_worths = worths(self.edges, low)
        high_worths = low_worths if certificate.exact else worths(self.edges, high)
        compared = signs(low_worths)
        above = -(compared if certificate.exact else signs(high_worths))
        self.check_bounds(low_worths, compared, 1)
        self.check_bounds(high_worths, above, -1)
        self.check_ranks(low_worths, compared, ranks["rank_low"], 1)
        self.check_ranks(high_worths, above, ranks["rank_high"], -1)
        listed, decided = best_choices(low_worths, high_worths, compared if certificate.exact else None)
        self.check_moves(listed)
        return self.result(low, high, int(decided.sum()))

    def check_utilities(self, low: Column, high: Column) -> None:
        """Where the game is over the bounds enclose the utility, by the exact engine."""
        for v in np.flatnonzero(self.edges.mover == TERMINAL).tolist():
            position = self.found.position(v)
            utility = [Fraction(x) for x in self.exact.utility(position)]
            if len(utility) == 2 and utility[0] + utility[1]:
                self.unequal(v)
            if low[v] > utility[0]:
                self.refuse_bound(v, 1, low[v], utility[0])
            if high[v] < utility[0]:
                self.refuse_bound(v, -1, high[v], utility[0])
        if self.found.unequal is not None:
            self.unequal(self.found.unequal)

    def check_bounds(self, known: Worths, compared: Any, sign: int) -> None:
        """The inequalities of one side; `compared` says how choices compare with their positions."""
        edges, chooser = self.edges, 0 if sign > 0 else 1
        mine = edges.mover[edges.owner] == chooser
        for c in np.flatnonzero(~mine & (compared < 0))[:1].tolist():
            self.refuse_choice(known, int(edges.owner[c]), [c], sign)
        kept = np.zeros(len(edges.mover), np.int8)
        kept[edges.open] = edges.per_position(np.maximum, compared)
        for v in np.flatnonzero((kept < 0) & (edges.mover == chooser))[:1].tolist():
            self.refuse_choice(known, v, list(range(int(edges.row[v]), int(edges.row[v + 1]))), sign)

    def check_ranks(self, known: Worths, compared: Any, ranks: Any, sign: int) -> None:
        traits, edges = self.game.traits, self.edges
        endless = Fraction(traits.endless[0]) if traits.endless else Fraction(0)
        resting = known.column.at_most(endless, sign)
        needed = needs(edges, compared, np.clip(ranks, -1, NEVER), resting, 0 if sign > 0 else 1)
        for v in np.flatnonzero((needed != ranks) | (needed >= NEVER))[:1].tolist():
            what = f"of the bound from {'below' if sign > 0 else 'above'}"
            why = f"bound {shown(known.column[v])}, endless play pays {endless}"
            least = None if needed[v] >= NEVER else int(needed[v])
            self.refuse(rank_fails(self.text(v), what, int(ranks[v]), least, why))

    def check_moves(self, listed: Any) -> None:
        edges, certificate = self.edges, self.certificate
        counts = np.zeros(len(edges.mover), np.int64)
        counts[edges.open] = edges.per_position(np.add, listed.astype(np.int64))
        proven = np.flatnonzero(listed) - edges.row[edges.owner[listed]]
        claimed = np.diff(certificate.best_start)
        wrong = np.flatnonzero(claimed != counts)
        if not len(wrong):
            wrong = np.repeat(np.arange(len(counts)), counts)[proven != certificate.best]
        for v in wrong[:1].tolist():
            position = self.found.position(v)
            known = [self.game.format_move(move) for move in self.game.moves(position)]
            choices = np.flatnonzero(listed[edges.row[v] : edges.row[v + 1]]).tolist()
            names = [
                [known[k] if 0 <= k < len(known) else f"number {k}" for k in ks]
                for ks in (certificate.listed(v), choices)
            ]
            self.refuse(moves_fail(self.text(v), *names))

    # ---------------------------------------------------------------------------- what is said

    def result(self, low: Column, high: Column, decided: int) -> Verdict:
        players = len(self.game.players)
        least, most = self.total(low), self.total(high)
        best = None
        first = self.found.position(0)
        if len(self.starts) == 1 and self.game.to_move(first) >= 0:
            moves = self.game.moves(first)
            best = tuple(self.game.format_move(moves[k]) for k in self.certificate.listed(0))
        return Verdict(
            self.game.name,
            tuple(self.game.players),
            self.start_text,
            (least, -most)[:players],
            (most, -least)[:players],
            len(self.certificate),
            len(self.edges.target),
            int((self.edges.mover >= 0).sum()),
            decided,
            best,
            False,
            "native",
        )

    def total(self, numbers: Column) -> Fraction:
        total = Fraction(0)
        for start, v in zip(self.starts, self.found.starts, strict=True):
            paid = Fraction(start.rewards[0]) if start.rewards else Fraction(0)
            total += Fraction(start.probability) * (paid + numbers[v])
        return total

    def text(self, v: int) -> str:
        return str(self.game.format_position(self.found.position(v)))

    def refuse_choice(self, known: Worths, v: int, choices: list[int], sign: int) -> NoReturn:
        worth = max(sign * known.exact(c) for c in choices) * sign
        move = None
        if len(choices) == 1 and self.edges.mover[v] >= 0:
            moves = self.game.moves(self.found.position(v))
            move = self.game.format_move(moves[choices[0] - int(self.edges.row[v])])
        self.refuse_bound(v, sign, known.column[v], worth, move)

    def refuse_bound(
        self, v: int, sign: int, claim: Fraction, found: Fraction, move: str | None = None
    ) -> NoReturn:
        relation, other = (">=", "<=") if sign > 0 else ("<=", ">=")
        self.refuse(
            bound_fails(
                self.text(v),
                f"value {relation} {shown(claim)}",
                f"{shown(claim)} {other} {shown(found)}",
                move,
            )
        )

    def unequal(self, v: int) -> NoReturn:
        reason = f"one player's gain is not the other's loss at {self.text(v)}"
        self.refuse(not_certifiable(self.game.name, reason))

    def refuse(self, diagnostic: Diagnostic) -> NoReturn:
        raise GameError([diagnostic])


# ------------------------------------------------------------------------------- the position graph


class _Found:
    """The positions that can be reached, in the order in which they were met, and their edges."""

    def __init__(self, compiled: Compiled, keys: Any, starts: list[int], edges: Edges, unequal: int | None):
        self._compiled = compiled
        self._keys = keys
        self.starts = starts
        self.edges = edges
        self.unequal = unequal  # a position from which rewards do not sum to zero

    def position(self, number: int) -> Any:
        return self._compiled.position(self._keys[number].tobytes())


def _explored(game: Game[Any, Any], starts: list[Any], claimed: int) -> _Found:
    """Visits everything; raises GameError where there are more or fewer positions than claimed."""
    compiled: Compiled = game.compiled  # type: ignore[attr-defined]
    traits = game.traits
    if claimed > MOST:
        raise _too_many(game)
    from gdl.certificates import position_graph as graph  # numba takes its time

    rules, sizes = _rules(compiled, traits.chance), _sizes(compiled, len(game.players))
    found = graph.Found(
        keys=np.zeros((claimed + 1, sizes.words), np.uint64),
        table=np.zeros(1 << max(4, (2 * claimed + 4).bit_length()), np.int32),
        counts=np.array([0, 0, 0, 0, -1], np.int64),
        mover=np.zeros(claimed, np.int8),
        row=np.zeros(claimed + 1, np.int64),
        **_rooms(max(1024, 4 * claimed), traits.chance, traits.rewards),
    )
    counts = found.counts
    first = np.frombuffer(b"".join(compiled.key(start) for start in starts), np.uint64).copy()
    numbers = np.zeros(len(starts), np.int64)
    graph.number(first.reshape(-1, sizes.words), found, numbers)
    drawing = np.array([*compiled.drawing, *compiled.paying], np.int64).reshape(-1, 2)
    moves, outcomes, done = 256, 64, 0
    while counts[graph.POSITIONS] <= claimed and done < counts[graph.POSITIONS]:
        room = graph.scratch(sizes, moves, outcomes)
        done, status = graph.expand(done, rules, sizes, drawing, room, found)
        if counts[graph.CHOICES] > MOST:
            raise _too_many(game)
        if status == graph.FULL:
            found = _larger(found, 2 * max(len(found.spread), int(counts[graph.NEEDED])))
        elif status == graph.MORE_MOVES:
            moves = 2 * int(counts[graph.NEEDED])
        elif status == graph.MORE_OUTCOMES:
            outcomes *= 4
        elif status in (graph.FAULT, graph.OVERFLOW):
            _explain(compiled.exact, compiled.position(found.keys[done].tobytes()))
            raise GameError(
                [not_certifiable(game.name, "its numbers do not fit machine words: use --engine reference")]
            )
    met = int(counts[graph.POSITIONS])
    if met > claimed:
        another = game.format_position(compiled.position(found.keys[claimed].tobytes()))
        raise GameError([positions_differ(claimed, "and the rules lead to another one", another)])
    if met < claimed:
        raise GameError([positions_differ(claimed, f"and the rules lead to {met:,} only")])
    made, led = int(counts[graph.CHOICES]), int(counts[graph.EDGES])
    edges = Edges(
        found.mover,
        found.row,
        np.concatenate([[0], np.cumsum(found.spread[:made])]),
        found.target[:led],
        found.odds[:led] if len(found.odds) else None,
        found.rewards[:led] if len(found.rewards) else None,
        Fraction(traits.discount),
    )
    unequal = int(counts[graph.UNEQUAL])
    return _Found(compiled, found.keys, numbers.tolist(), edges, None if unequal < 0 else unequal)


def _too_many(game: Game[Any, Any]) -> GameError:
    reason = f"more than {MOST:,} positions or moves cannot be checked at once: use --engine reference"
    return GameError([not_certifiable(game.name, reason)])


def _rules(compiled: Compiled, chance: bool) -> Rules:
    from gdl.certificates.position_graph import Rules

    drawn = bool(compiled.drawing or compiled.paying)
    has = {"weights": chance, "outcomes": drawn}
    return Rules(*[compiled.address(name) if has.get(name, True) else 0 for name in Rules._fields])


def _sizes(compiled: Compiled, players: int) -> Sizes:
    from gdl.certificates.position_graph import Sizes

    return Sizes(
        words=compiled.key_words,
        players=players,
        form=compiled.form_size,
        record=compiled.record_size,
        script=compiled.script_size,
        at_odds=compiled.at_odds,
        at_rewards=compiled.at_rewards,
        at_form=compiled.at_form,
        capacity=CAPACITY,
    )


def _rooms(size: int, chance: bool, rewards: bool) -> dict[str, Any]:
    """Per choice and per outcome, as `Found` has them."""
    return {
        "spread": np.zeros(size, np.int64),
        "target": np.zeros(size, np.int64),
        "odds": np.zeros((size if chance else 0, 2), np.int64),
        "rewards": np.zeros((size if rewards else 0, 2), np.int64),
    }


def _larger(found: Found, size: int) -> Found:
    """The same with room for more choices and outcomes."""
    parts = {name: getattr(found, name) for name in ("spread", "target", "odds", "rewards")}
    return found._replace(
        **{name: np.resize(part, (size, *part.shape[1:])) for name, part in parts.items() if len(part)}
    )


def _explain(exact: Game[Any, Any], position: Any) -> None:
    """Repeats a step with the exact engine, which says what is wrong with the rules, if anything is."""
    mover = exact.to_move(position)
    if mover == TERMINAL:
        exact.utility(position)
        return
    for move in exact.moves(position):
        exact.outcomes(position, move)
