"""Checks certificates: does the value of a game follow from the numbers in a file, by its rules alone?

    verify(gdl.load("pig", goal=20), "pig.gz").describe()

Nothing of the solvers is used. Every position that the rules can reach is visited once; its numbers must
satisfy a few inequalities with those of the positions that follow, all in rational arithmetic.
docs/certificates.md says why that is a proof. A native game (`gdl.load(.., engine="native")`) supplies what
follows as machine code, with its probabilities and rewards as exact fractions: `verify_native.py` checks
the same inequalities on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor, inf, log10
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gdl.certificates.file import DUEL, Certificate, read, start_of, text_of
from gdl.diagnostics import Diagnostic, GameError
from gdl.diagnostics.certificates import (
    bound_fails,
    moves_fail,
    no_game_to_verify,
    not_certifiable,
    positions_differ,
    rank_fails,
)
from gdl.diagnostics.facts import facts_lines, plain
from gdl.diagnostics.render import Styled
from gdl.diagnostics.wording.phrases import all_of
from gdl.game import CHANCE, TERMINAL, Game, Outcome


@dataclass(frozen=True)
class Verdict:
    """What a certificate proves; `verify` raises GameError where it proves nothing."""

    game: str
    players: tuple[str, ...]
    start: str | None  # the position that it is about, None: the start of the game
    low: tuple[Fraction, ...]  # per player: value >= low
    high: tuple[Fraction, ...]  # and value <= high
    positions: int
    outcomes: int  # of all moves in all of them
    choosing: int  # positions in which a player moves
    decided: int  # those of them in which every listed move is best, and no other
    best: tuple[str, ...] | None  # the moves listed at the start, where somebody moves there
    finite: (
        bool  # it is shown that every play ends, and values are those of moves that are best for each mover
    )
    engine: str

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def as_data(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "from": self.start,
            "verified": True,
            "engine": self.engine,
            "exact": self.exact,
            "values": {
                player: {"at_least": text_of(low), "at_most": text_of(high)}
                for player, low, high in zip(self.players, self.low, self.high, strict=True)
            },
            "best": None if self.best is None else list(self.best),
            "positions": self.positions,
            "outcomes": self.outcomes,
            "positions_with_moves": self.choosing,
            "positions_with_best_moves_proven": self.decided,
        }

    def __str__(self) -> str:
        """What `gdl verify` prints."""
        return plain(self.report())

    def report(self, given: str = "") -> Iterator[Styled]:
        """All that is to be said, line by line; `given` are the parameters of the game."""
        where = f" from {self.start}" if self.start is not None else ""
        yield [(self.game, "bold"), (given, ""), (where, "")]
        yield from facts_lines(self.describe(), "proved")
        visited = f"{self.positions:,} positions and {self.outcomes:,} outcomes"
        yield from facts_lines([("checked", f"{visited}, rules by the {self.engine} engine")])

    def describe(self) -> list[tuple[str, str]]:
        """What was proved, as names and texts."""
        facts = []
        for player, low, high in zip(self.players, self.low, self.high, strict=True):
            if low == high:
                facts.append((player, f"value = {_shown(low)}"))
            else:
                facts.append((player, f"value >= {_decimal(low, -1)}, value <= {_decimal(high, 1)}"))
        if self.best is not None:
            facts.append(("best", "  ".join(self.best)))
        if self.finite:
            facts.append(
                ("plays", "every play ends; each mover takes the first of the moves that are best for them")
            )
        return [*facts, ("moves", self._about_moves())]

    def _about_moves(self) -> str:
        if self.choosing == 0:
            return "nobody has one"
        if self.decided == self.choosing:
            return (
                f"every listed move is best, and no other, in {all_of(self.choosing, 'position')} with moves"
            )
        return (
            f"every listed move is best, and no other, in {self.decided:,} of {self.choosing:,} positions "
            "with moves; in the others the best are among those listed"
        )


def verify(game: Game[Any, Any], file: Path | str) -> Verdict:
    """Checks the certificate in a file and says what it proves.

    Raises GameError: C010 where the file cannot be read or is about other rules, V001 to V005 with the
    position and the inequality where its numbers prove nothing.
    """
    if not isinstance(game, Game):
        raise GameError([no_game_to_verify(game)])
    if game.traits.hidden:
        raise GameError([not_certifiable(game.name, "something is hidden from some player")])
    certificate = read(file, game)
    if certificate.form == DUEL:
        _check_duel(game)
    exact = game.compiled.exact if hasattr(game, "compiled") else game
    start = start_of(certificate, file, exact)
    if certificate.form == DUEL and getattr(game, "compiled", None) is not None:
        from gdl.certificates.verify_native import check

        return check(game, certificate, start)
    return (_Duel if certificate.form == DUEL else _Everybody)(exact, certificate, start).verdict()


def _check_duel(game: Game[Any, Any]) -> None:
    """What a duel needs of the whole game; utilities and rewards are looked at where they are paid.

    Endless play, which counts where nothing is discounted, must be opposed as well. Whether plays can be
    endless is not asked: that would be taken on trust.
    """
    endless = game.traits.endless
    reason = None
    if len(game.players) > 2:
        reason = "it has more than two players"
    elif not 0 <= game.traits.discount <= 1:
        reason = f"its discount is {game.traits.discount}, which is not from 0 to 1"
    elif len(game.players) == 2 and game.traits.discount == 1 and sum(endless, Fraction(0)):
        paid = " and ".join(f"{name} {pay}" for name, pay in zip(game.players, endless, strict=True))
        reason = f"one player's gain is not the other's loss in endless play, which pays {paid}"
    if reason is not None:
        raise GameError([not_certifiable(game.name, reason)])


def check_starts(game: Game[Any, Any], starts: Sequence[Outcome]) -> None:
    """What is paid as the start of a duel is drawn must be opposed too, or V005 is raised."""
    if len(game.players) == 2 and any(sum(start.rewards) for start in starts):
        reason = "one player's gain is not the other's loss as the start is drawn"
        raise GameError([not_certifiable(game.name, reason)])


class _Way(NamedTuple):
    """One outcome of a choice: how probable, what it pays each player, and the number of the position."""

    probability: Fraction
    rewards: tuple[Fraction, ...]
    target: int


class _Choice(NamedTuple):
    """A move and what may follow; at a position of chance, the one choice of nobody."""

    move: Any
    ways: Sequence[_Way]


class _Check:
    """Visits the positions of a game from its start, or from the one given, in the order of the certificate;
    `look` judges each.
    """

    def __init__(self, game: Game[Any, Any], certificate: Certificate, start: Any):
        self.game = game
        self.certificate = certificate
        self.players = range(len(game.players))
        self.discount = Fraction(game.traits.discount)
        self.start_text = None if start is None else game.format_position(start)
        self.starts = game.initial() if start is None else [Outcome(start, 1, ())]
        self.outcomes = self.choosing = self.decided = 0

    def look(self, number: int, position: Any, mover: int, choices: Sequence[_Choice]) -> None:
        raise NotImplementedError

    def totals(self, weigh: Callable[[int], tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
        """Per player, what is expected before the start is drawn."""
        paid = [
            (Fraction(start.probability), _rewards(start, self.players), weigh(i))
            for i, start in zip(self.first, self.starts, strict=True)
        ]
        return tuple(sum((p * (r[k] + v[k]) for p, r, v in paid), Fraction(0)) for k in self.players)

    def run(self) -> None:
        game, claimed = self.game, len(self.certificate)
        index: dict[Any, int] = {}
        positions: list[Any] = []

        def number(position: Any) -> int:
            if position not in index:
                if len(positions) == claimed:
                    reason = "and the rules lead to another one"
                    self.refuse(positions_differ(claimed, reason, game.format_position(position)))
                index[position] = len(positions)
                positions.append(position)
            return index[position]

        self.first = [number(start.position) for start in self.starts]
        done = 0
        while done < len(positions):
            position = positions[done]
            mover = game.to_move(position)
            choices = list(self._choices(position, mover, number))
            if mover != TERMINAL and not (choices and all(choice.ways for choice in choices)):
                stuck = f"nobody can move at {game.format_position(position)}, and play is not over"
                self.refuse(not_certifiable(game.name, stuck))
            self.outcomes += sum(len(choice.ways) for choice in choices)
            self.choosing += mover >= 0
            self.look(done, position, mover, choices)
            done += 1
        if done < claimed:
            self.refuse(positions_differ(claimed, f"and the rules lead to {done:,} only"))

    def _choices(self, position: Any, mover: int, number: Callable[[Any], int]) -> Iterator[_Choice]:
        game = self.game
        if mover == TERMINAL:
            return
        ways = game.chance(position) if mover == CHANCE else [(move, 1) for move in game.moves(position)]
        drawn: list[_Way] = []
        for move, odds in ways:
            followed = [
                _Way(Fraction(odds) * Fraction(o.probability), _rewards(o, self.players), number(o.position))
                for o in game.outcomes(position, move)
                if odds and o.probability
            ]
            if mover != CHANCE:
                yield _Choice(move, followed)
            drawn += followed
        if mover == CHANCE:
            yield _Choice(None, drawn)

    def listed(self, number: int, position: Any, choices: Sequence[_Choice], proven: Sequence[int]) -> None:
        """The moves listed must be those whose numbers make them best."""
        listed = self.certificate.listed(number)
        if listed != tuple(proven):
            known = [self.game.format_move(choice.move) for choice in choices if choice.move is not None]
            names = [
                [known[k] if 0 <= k < len(known) else f"number {k}" for k in ks] for ks in (listed, proven)
            ]
            self.refuse(moves_fail(self.game.format_position(position), *names))

    def refuse(self, diagnostic: Diagnostic) -> NoReturn:
        raise GameError([diagnostic])

    def result(self, low: tuple[Fraction, ...], high: tuple[Fraction, ...], finite: bool) -> Verdict:
        first: Any = self.starts[0].position
        best = None
        if len(self.starts) == 1 and self.game.to_move(first) >= 0:
            moves = self.game.moves(first)
            best = tuple(self.game.format_move(moves[k]) for k in self.certificate.listed(0))
        return Verdict(
            self.game.name,
            tuple(self.game.players),
            self.start_text,
            low,
            high,
            len(self.certificate),
            self.outcomes,
            self.choosing,
            self.decided,
            best,
            finite,
            "reference",
        )


# -------------------------------------------------------------------- one player, or two opposed ones


class _Side:
    """One side of the bounds, turned so that it is a bound from below: numbers times `sign`.

    What the player who is helped by it (`chooser`) can guarantee is at least `bound`: some move of theirs,
    and every move of the others and of chance, leads on average to at least as much. With a discount that is
    enough. Without, plays that never end must be covered: see `need`.
    """

    def __init__(self, check: _Duel, sign: int, numbers: Sequence[Any], ranks: Any):
        game = check.game
        self.check = check
        self.sign = sign
        self.chooser = 0 if sign > 0 else 1
        self.name = "of the bound from below" if sign > 0 else "of the bound from above"
        self.relation = ">=" if sign > 0 else "<="
        self.bound = [sign * Fraction(x) for x in numbers]
        self.rank: list[int] = ranks.tolist()
        self.endless = sign * (Fraction(game.traits.endless[0]) if game.traits.endless else Fraction(0))

    def worths(
        self, number: int, position: Any, mover: int, choices: Sequence[_Choice], utility: Fraction
    ) -> list[Fraction]:
        """What each choice is worth by the bound (times `sign`), once the bound follows from them."""
        bound = self.bound[number]
        if mover == TERMINAL:
            if bound > self.sign * utility:
                self.refuse_bound(position, bound, self.sign * utility)
            return []
        worths = [self.worth(choice) for choice in choices]
        decisive = max(worths) if mover == self.chooser else min(worths)
        if decisive < bound:
            move = None if mover == self.chooser else choices[worths.index(decisive)].move
            self.refuse_bound(position, bound, decisive, move)
        return worths

    def check_rank(
        self, number: int, position: Any, mover: int, choices: Sequence[_Choice], worths: Sequence[Fraction]
    ) -> None:
        """The rank must be the least that the choices need: one of the chooser's, all of others'."""
        bound = self.bound[number]
        needs = [self.need(number, c, w) for c, w in zip(choices, worths, strict=True) if w >= bound]
        needed = 0 if mover == TERMINAL else min(needs) if mover == self.chooser else max(needs)
        if self.rank[number] != needed:
            game, sign = self.check.game, self.sign
            endless = f"bound {shown(sign * bound)}, endless play pays {sign * self.endless}"
            text = game.format_position(position)
            self.check.refuse(rank_fails(text, self.name, self.rank[number], _finite(needed), endless))

    def worth(self, choice: _Choice) -> Fraction:
        """The reward, and the discounted bound of what follows, on average."""
        total = Fraction(0)
        for probability, rewards, target in choice.ways:
            after = (
                self.check.discount * self.bound[target] if self.check.discount != 1 else self.bound[target]
            )
            total += probability * (self.sign * rewards[0] + after if rewards[0] else after)
        return total

    def need(self, number: int, choice: _Choice, worth: Fraction) -> int | float:
        """The rank that a position must have at least for a choice that keeps its bound.

        0 where the choice gains on the bound, or there is a discount. Else one more than the lowest rank that
        may follow, so that the play gets lower with some probability; or, where endless play is worth the
        bound, the highest that may follow, so that the play never gets higher. The position itself does not
        count. No rank is below 0.
        """
        if self.check.discount != 1 or worth > self.bound[number]:
            return 0
        others = [self.rank[way.target] for way in choice.ways if way.target != number]
        progress = min(others) + 1 if others else inf
        resting = max(others, default=0) if self.bound[number] <= self.endless else inf
        return max(min(progress, resting), 0)

    def refuse_bound(self, position: Any, bound: Fraction, worth: Fraction, move: Any = None) -> NoReturn:
        game = self.check.game
        claim, found = self.sign * bound, self.sign * worth
        self.check.refuse(
            bound_fails(
                game.format_position(position),
                f"value {self.relation} {shown(claim)}",
                f"{shown(claim)} {'<=' if self.sign > 0 else '>='} {shown(found)}",
                None if move is None else game.format_move(move),
            )
        )


class _Duel(_Check):
    """Bounds of the first player's value; the second player gets the opposite."""

    def __init__(self, game: Game[Any, Any], certificate: Certificate, start: Any):
        super().__init__(game, certificate, start)
        numbers, ranks = certificate.numbers, certificate.ranks
        low, high = (numbers["value"],) * 2 if certificate.exact else (numbers["low"], numbers["high"])
        self.low = _Side(self, 1, low, ranks["rank_low"])
        self.high = _Side(self, -1, high, ranks["rank_high"])

    def verdict(self) -> Verdict:
        self.run()
        check_starts(self.game, self.starts)
        low = self.totals(lambda i: self.opposed(self.low.bound[i]))[0]
        high = self.totals(lambda i: self.opposed(-self.high.bound[i]))[0]
        lows, highs = (low, -high), (high, -low)
        return self.result(lows[: len(self.players)], highs[: len(self.players)], finite=False)

    def opposed(self, number: Fraction) -> tuple[Fraction, ...]:
        return (number, -number)[: len(self.players)]

    def look(self, number: int, position: Any, mover: int, choices: Sequence[_Choice]) -> None:
        utilities: tuple[Any, ...] = (0, 0)
        if mover == TERMINAL:
            utilities = self.game.utility(position)
        paid = [utilities, *(way.rewards for choice in choices for way in choice.ways)]
        if len(self.players) == 2 and any(each[0] + each[1] for each in paid):
            reason = f"one player's gain is not the other's loss at {self.game.format_position(position)}"
            self.refuse(not_certifiable(self.game.name, reason))
        below = self.low.worths(number, position, mover, choices, Fraction(utilities[0]))
        above = self.high.worths(number, position, mover, choices, Fraction(utilities[0]))
        self.low.check_rank(number, position, mover, choices, below)
        self.high.check_rank(number, position, mover, choices, above)
        lows, highs = below, [-worth for worth in above]
        if mover == 1:  # the second player wants little: seen from there it is the same
            lows, highs = [-high for high in highs], [-low for low in lows]
        proven: list[int] = []
        if mover >= 0:
            proven = [k for k in range(len(choices)) if highs[k] >= max(lows)]
            self.decided += all(lows[k] >= max(highs) for k in proven) or len(proven) == 1
        self.listed(number, position, choices, proven)


# ---------------------------------------------------------- any number of players, plays that must end


class _Everybody(_Check):
    """Values for all players when each mover takes the first of the moves that are best for them.

    Ranks fall along every outcome of every move, so that all plays end; no mover gains by another move in any
    position, hence by no other strategy (the principle of one deviation).
    """

    def __init__(self, game: Game[Any, Any], certificate: Certificate, start: Any):
        super().__init__(game, certificate, start)
        columns = list(certificate.numbers.values())
        self.values = [tuple(map(Fraction, row)) for row in zip(*columns, strict=True)]
        self.rank: list[int] = certificate.ranks["rank"].tolist()

    def verdict(self) -> Verdict:
        self.run()
        values = self.totals(lambda i: self.values[i])
        return self.result(values, values, finite=True)

    def look(self, number: int, position: Any, mover: int, choices: Sequence[_Choice]) -> None:
        claimed = self.values[number]
        proven: list[int] = []
        if mover == TERMINAL:
            values = tuple(Fraction(x) for x in self.game.utility(position))
        else:
            worths = [self.worth(choice) for choice in choices]
            values = worths[0]
            if mover >= 0:
                most = max(worth[mover] for worth in worths)
                proven = [k for k, worth in enumerate(worths) if worth[mover] == most]
                values = worths[proven[0]]
        for k in self.players:
            if claimed[k] != values[k]:
                self.refuse(
                    bound_fails(
                        self.game.format_position(position),
                        f"value of {self.game.players[k]} = {shown(claimed[k])}",
                        f"{shown(claimed[k])} = {shown(values[k])}",
                    )
                )
        needed = 1 + max((self.rank[way.target] for c in choices for way in c.ways), default=-1)
        if self.rank[number] != needed:
            self.refuse(
                rank_fails(
                    self.game.format_position(position),
                    "that every play ends",
                    self.rank[number],
                    needed,
                    "ranks fall along every outcome",
                )
            )
        self.listed(number, position, choices, proven)
        self.decided += mover >= 0

    def worth(self, choice: _Choice) -> tuple[Fraction, ...]:
        return tuple(
            sum(
                (
                    p * (rewards[k] + self.discount * self.values[target][k])
                    for p, rewards, target in choice.ways
                ),
                Fraction(0),
            )
            for k in self.players
        )


# ------------------------------------------------------------------------------------------ numbers


def _rewards(outcome: Outcome, players: range) -> tuple[Fraction, ...]:
    return tuple(Fraction(x) for x in outcome.rewards) or (_NOTHING,) * len(players)


_NOTHING = Fraction(0)


def _finite(needed: int | float) -> int | None:
    return None if needed == inf else int(needed)


_DIGITS = 12
_HUGE = 10_000
"""Numbers that have more bits before or after their point are shown as powers of 2."""


def shown(number: Fraction) -> str:
    """A number for people: exact where that is short, else a decimal that is cut off."""
    exact = text_of(number) if number.numerator.bit_length() + number.denominator.bit_length() < 80 else ""
    return exact if 0 < len(exact) <= 24 else f"{_decimal(number, 0)}…"


def _shown(number: Fraction) -> str:
    exact = shown(number)
    if "/" not in exact:
        return exact
    decimal = _decimal(number, 0)
    return f"{exact} = {decimal}" + ("" if Fraction(decimal) == number else "…")


def _decimal(number: Fraction, side: int) -> str:
    """A decimal of about 12 significant digits, rounded up (1), down (-1) or towards 0."""
    if number == 0:
        return "0"
    bits = abs(number.numerator).bit_length() - number.denominator.bit_length()
    if abs(bits) > _HUGE:
        away = side * number > 0  # 2^(bits - 1) < number < 2^(bits + 1), but for the sign
        return f"{'-' if number < 0 else ''}2^{bits + 1 if away else bits - 1}"
    scale = _DIGITS - 1 - floor(bits * log10(2))
    scaled = number * Fraction(10) ** scale
    whole = -(-scaled // 1) if side > 0 or (side == 0 and number < 0) else scaled // 1
    return f"{Decimal(whole).scaleb(-scale).normalize():{'f' if -4 < _DIGITS - scale < 16 else 'e'}}"
