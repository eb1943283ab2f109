"""Whether the rules commute with a permutation: proven on the rules written out, or the line that breaks
it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from gdl.diagnostics import Span
from gdl.model import nodes as m
from gdl.model.types import from_ordinal, ordinal
from gdl.symmetry.grounding import Ground, Outcome, Rules
from gdl.symmetry.permutation import Permutation
from gdl.symmetry.terms import Term


@dataclass(frozen=True, slots=True)
class Broken:
    """The part of the rules that a permutation changes."""

    part: str
    span: Span


def broken(model: m.Model, ground: Ground, permutation: Permutation) -> Broken | None:
    """What of the rules a permutation is not proven to leave as it is; None where it leaves all of them.

    Let g be the permutation, as a function of positions. It is proven that for every position s

        terminal(g s) = terminal(s),  player(g s) = g player(s),  utility(g s, g p) = utility(s, p)

    and that there is a one-to-one relation of moves under which a move is legal in s exactly where its
    partner is in g s, and leads with the same probabilities and, player by player, the same rewards to what
    g makes of its outcomes.
    """
    return _Proof(model, ground, permutation).broken()


class _Proof:
    def __init__(self, model: m.Model, ground: Ground, permutation: Permutation):
        self.model = model
        self.ground = ground
        self.permutation = permutation
        self.terms = ground.terms
        # The atom at place to[a] of g s is by[a] of the atom a of s.
        self._atoms = {place: self._moved(a, self.terms.atom(a)) for a, place in enumerate(permutation.to)}
        self._known: dict[Term, Term] = {}

    def broken(self) -> Broken | None:
        model, ground = self.model, self.ground
        players = self.permutation.players
        if any(model.endless[players[p]] != pays for p, pays in enumerate(model.endless)):
            return Broken("endless", model.utility.span)
        if ground.turn is not None and self.permutation.to[ground.turn] != ground.turn:
            return Broken("player", model.player.span)
        for turn, rules in ground.rules.items():
            by = None if ground.turn is None else self.permutation.by[ground.turn]
            found = self._compare(rules, ground.rules[turn if by is None else by[turn]])
            if found is not None:
                return found
        return None

    def _compare(self, here: Rules, there: Rules) -> Broken | None:
        """The rules in s with those in g s."""
        model, players = self.model, self.permutation.players
        if self._there(there.terminal) != here.terminal:
            return Broken("terminal", model.terminal.span)
        if self._there(there.mover) != self._player(here.mover):
            return Broken("player", model.player.span)
        for player, pays in enumerate(here.utility):
            if self._there(there.utility[players[player]]) != pays:
                return Broken("utility", model.utility.span)
        return self._moves(here, there)

    def _moves(self, here: Rules, there: Rules) -> Broken | None:
        """Moves are partners where, written out, they are the same."""
        left = Counter(
            (
                move.legal,
                move.weight,
                frozenset(Counter(self._from_here(o) for o in move.outcomes).items()),
            )
            for move in here.moves
        )
        for move in there.moves:
            partner = (
                self._there(move.legal),
                self._there(move.weight),
                frozenset(Counter(self._from_there(o) for o in move.outcomes).items()),
            )
            if left[partner] == 0:
                declaration = self.model.moves[move.declaration]
                return Broken(f"move {declaration.name}", declaration.span)
            left[partner] -= 1
        missing = +left
        if missing:
            return Broken("moves", self.model.moves[0].span)
        return None

    def _there(self, term: Term) -> Term:
        """A term about g s as one about s."""
        return self.terms.renamed(self._atoms, self._known, term)

    def _from_there(self, outcome: Outcome) -> Any:
        """An outcome of a move in g s."""
        return (
            self._there(outcome.condition),
            self._there(outcome.probability),
            tuple(self._there(outcome.rewards[p]) for p in self.permutation.players),
            frozenset((a, self._there(term)) for a, term in outcome.changed.items()),
        )

    def _from_here(self, outcome: Outcome) -> Any:
        """What g makes of an outcome of a move in s."""
        return (
            outcome.condition,
            outcome.probability,
            outcome.rewards,
            frozenset((self.permutation.to[a], self._moved(a, term)) for a, term in outcome.changed.items()),
        )

    def _moved(self, atom: int, term: Term) -> Term:
        """What becomes of the value of an atom."""
        by = self.permutation.by[atom]
        if by is None:
            return term
        type_ = self.ground.atoms[atom].type
        return self.terms.mapped(
            term,
            lambda value: from_ordinal(type_, by[ordinal(type_, value)]),
            [from_ordinal(type_, k) for k in range(len(by))],
        )

    def _player(self, term: Term) -> Term:
        players = self.permutation.players
        if not self.permutation.swaps:
            return term
        chance = len(players)
        return self.terms.mapped(term, lambda p: p if p == chance else players[p], range(chance + 1))
