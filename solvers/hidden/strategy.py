"""What players do by what they know: an answer for games with hidden information, for people, programs and
files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from gdl.diagnostics.wording.phrases import counted
from gdl.game import Number
from solvers.core.numbers import as_float, show_rough, show_short
from solvers.core.result import Value
from solvers.hidden.records import Judgement
from solvers.hidden.sequences import Known, SequenceForm
from solvers.hidden.words import Words

SHOWN = 24
"""Information sets of each player that are shown."""

LABELLED = 3_000
"""Information sets that are looked at to find words for those that are shown."""

SMALL = 0.0005
"""What has a smaller probability is not shown."""


@dataclass(frozen=True)
class Row:
    """An information set: who, what is known in words, and the probabilities of the moves."""

    player: str
    knows: str
    moves: Mapping[str, Number]
    reach: Number  # how probably the player's own moves lead there; 0 where others never let it come to that

    def as_data(self) -> dict[str, Any]:
        moves = {move: as_float(chance) for move, chance in self.moves.items()}
        reached = self.reach > 0
        return {"player": self.player, "knows": self.knows, "moves": moves, "reached": reached}


@dataclass(frozen=True)
class Strategy:
    """A policy over information sets, how good it is, and how it was found.

    probabilities    of every sequence of the form, given its information set
    judgement        what it gives, and what best responses to it would; None where that was not measured
    rounds           iterations or samples that found it
    within           exploitability with its interval, where that is not known up to rounding alone
    responder        who responds best to the others: where those never lead, any move is as good, and what
                     stands there says nothing
    """

    form: SequenceForm
    probabilities: Sequence[Number]
    judgement: Judgement | None
    rounds: int | None = None
    within: Value | None = None
    responder: int | None = None

    def __len__(self) -> int:
        return self.form.information_sets

    def moves_of(self, information: int) -> Sequence[Number]:
        """The probabilities of the moves of an information set."""
        first = int(self.form.first[information])
        return self.probabilities[first : first + int(self.form.moves[information])]

    def entries(self) -> Iterator[tuple[Known, Sequence[Number]]]:
        """All information sets with the probabilities of their moves."""
        return ((self.form.known(number), self.moves_of(number)) for number in range(len(self)))

    def lookup(self) -> Callable[[Known], Sequence[Number] | None]:
        """From what is known to the probabilities of the moves; None for what no play leads to."""
        table = {(known.player, known.seen): odds for known, odds in self.entries()}
        return lambda known: table.get((known.player, known.seen))

    @cached_property
    def _along(self) -> list[Number]:
        """How probably its player makes all moves of each sequence, where the others let it come to that."""
        sequences: list[Number] = [1] * self.form.sequences
        for number in range(len(self)):
            above = sequences[int(self.form.parent[number])]
            first = int(self.form.first[number])
            for place, probability in enumerate(self.moves_of(number), first):
                sequences[place] = above * probability
        return sequences

    @cached_property
    def _reach(self) -> list[Number]:
        """How probably the own moves of its player lead to each information set; 0 for those of a responder
        to which the others never lead."""
        reach = [self._along[above] for above in self.form.parent.tolist()]
        if self.responder is not None:
            for number, let in enumerate(self._let(self.responder), int(self.form.sets[self.responder])):
                if not let:
                    reach[number] = 0
        return reach

    def _let(self, player: int) -> list[bool]:
        """Whether the others may lead to each information set of a player: to some end below it they make all
        of their moves."""
        form = self.form
        made = np.array([share > 0 for share in self._along])
        start, stop = int(form.start[player]), int(form.start[player + 1])
        ends = slice(int(form.row[start]), int(form.row[stop]))
        possible = made[form.others[ends]].all(axis=1)
        own = np.repeat(np.arange(stop - start), np.diff(form.row[start : stop + 1]))
        below = np.bincount(own[possible], minlength=stop - start) > 0
        numbers = range(int(form.sets[player]), int(form.sets[player + 1]))
        let = [False] * len(numbers)
        for number in reversed(numbers):
            first = int(form.first[number]) - start
            let[number - numbers.start] = bool(below[first : first + int(form.moves[number])].any())
            below[int(form.parent[number]) - start] |= let[number - numbers.start]
        return let

    def rows(self, most: int | None = None) -> Iterator[Row]:
        """The information sets, player by player, those with fewer own decisions before first; at most so
        many of each player. What a player never gets to by own play comes last."""
        game, depth = self.form.game, self._depths
        for player in range(self.form.players):
            numbers = range(int(self.form.sets[player]), int(self.form.sets[player + 1]))
            ordered = sorted(numbers, key=lambda n: (self._reach[n] == 0, depth[n], n))
            known = {n: self.form.known(n) for n in ordered[: most and max(most, LABELLED)]}
            words = Words(game, [(one.player, one.seen) for one in known.values()])
            for number in ordered[:most]:
                yield self._row(number, known[number], words)

    def _row(self, number: int, known: Known, words: Words) -> Row:
        texts = [self.form.game.format_move(move) for move in known.moves]
        chances = dict(zip(texts, self.moves_of(number), strict=True))
        name = self.form.game.players[known.player]
        return Row(name, words.text(known.player, known.seen), chances, self._reach[number])

    @cached_property
    def _depths(self) -> Any:
        """How many own decisions come before each information set."""
        after = np.zeros(self.form.sequences, np.int64)
        depths = np.zeros(len(self), np.int64)
        for number in range(len(self)):
            depths[number] = after[self.form.parent[number]]
            first = int(self.form.first[number])
            after[first : first + int(self.form.moves[number])] = depths[number] + 1
        return depths

    # ------------------------------------------------------------------ for people

    def facts(self) -> list[tuple[str, str]]:
        """How good the policy is."""
        found = []
        if self.judgement is not None:
            players = len(self.judgement.values)
            named = "what best responses gain, on average" if players > 1 else "what better play gains"
            number = shown(self.judgement.exploitability) if self.within is None else str(self.within)
            found.append(("exploitability", f"{number}: {named}"))
            if players != 2:
                gains = zip(self.form.game.players, self.judgement.gains, strict=True)
                found += [(f"  {name} gains", shown(gain)) for name, gain in gains]
        return found

    def tables(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """For each player a title, and what is done by what is known."""
        return tables_of(self.form.game.players, self.rows(SHOWN), self.form.counts)

    def as_data(self) -> dict[str, Any]:
        judged = self.judgement
        return {
            "information_sets": dict(zip(self.form.game.players, self.form.counts, strict=True)),
            "histories": self.form.histories,
            "iterations": self.rounds,
            "exploitability": None if judged is None else as_float(judged.exploitability),
            "exploitability_within": None if self.within is None else self.within.as_data(),
            "nash_conv": None if judged is None else as_float(judged.nash_conv),
            "policy": [row.as_data() for row in self.rows(None if len(self) <= LABELLED else SHOWN)],
        }


def tables_of(
    players: Sequence[str], rows: Iterable[Row], counts: Sequence[int]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Rows as tables with titles, one for each player, who has so many information sets in all."""
    by_player: dict[str, list[Row]] = {name: [] for name in players}
    for row in rows:
        by_player[row.player].append(row)
    for (name, own), count in zip(by_player.items(), counts, strict=True):
        lines = [(row.knows, _chances(row.moves)) for row in own if row.reach > SMALL]
        left = count - len(lines)
        more = "" if not left else f", {counted(left, 'more information set')} not shown"
        if lines:
            yield f"{name} plays, by what {name} knows{more}", lines


def shown(gain: Number) -> str:
    """A gain: what rounding alone makes of 0 is 0."""
    if isinstance(gain, Fraction | int):
        return show_short(gain)
    return "0, up to rounding" if abs(gain) < 1e-14 else show_rough(gain)


def _chances(moves: Mapping[str, Number]) -> str:
    told = [(move, chance) for move, chance in moves.items() if chance >= SMALL]
    return ", ".join(f"{move} {_chance(chance)}" for move, chance in told)


def _chance(chance: Number) -> str:
    if isinstance(chance, Fraction | int):
        return show_short(chance)
    return f"{chance:.3f}".rstrip("0").rstrip(".")
