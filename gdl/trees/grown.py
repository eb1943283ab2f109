"""The tree that Monte Carlo tree search grew, with visits and means; and one of its simulations, step by
step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gdl.draw.tree.labels import number, numbers
from gdl.draw.tree.tree import Worth
from gdl.game import CHANCE, TERMINAL, Game, Outcome
from gdl.trees.twigs import Twig, Words
from solvers.core.chance import ways_of_chance
from solvers.simulation.mcts import Arm, Node, Tree
from solvers.simulation.watching import Iteration, Record

TOLD = 12
"""Moves of a choice that are told with their numbers, and of a simulated play."""


class GrownTree:
    """Grows twigs from a tree of simulations. Thick is the favourite line, or the way of the step that is
    shown."""

    def __init__(self, game: Game[Any, Any], record: Record):
        assert record.tree is not None
        self.game = game
        self.tree: Tree = record.tree
        self.words = Words(game)
        self.step = record.iteration if record.step is not None else None
        self.way = {s.position: s.chosen for s in self.step.selections} if self.step else {}
        self.bounds = {
            (s.position, c.move): c.bound
            for s in (self.step.selections if self.step else ())
            for c in s.candidates
        }

    def root(self) -> Twig:
        roots = self.tree.roots
        starts = self.words.starts()
        if len(roots) == 1:
            (node,) = roots.values()
            return self._node(node, node.visits, self._mean(node), True)

        def grow() -> list[Twig]:
            found = []
            for said, outcome in starts:
                node = roots[outcome.position]
                twig = self._node(node, node.visits, self._mean(node), True)
                found.append(
                    replace(twig, label=said, probability=outcome.probability, paid=self.words.paid(outcome))
                )
            return found

        visits = sum(node.visits for node in roots.values())
        return Twig("chance", mover="chance", visits=visits, size=self.tree.size, grow=grow)

    def _node(self, node: Node, visits: int, worth: Worth | None, line: bool) -> Twig:
        player = node.player
        if node.proven is not None and (worth is None or worth.mean):
            worth = Worth(self.words.shown(node.proven))
        twig = Twig(
            self.words.kind(player), node.position, self.words.name(player), max(player, 0), worth=worth,
            visits=visits, size=max(visits, 1),
        )  # fmt: skip
        if player != TERMINAL and node.visits:
            twig.grow = lambda: self._arms(node, line)
        if node.proven is not None and player != TERMINAL:
            twig.notes = ("proven",)
        return twig

    def _mean(self, node: Node) -> Worth | None:
        """The mean of all plays through a position: those of its moves, and the one by which it was added."""
        samples = [arm.sample for arm in node.arms.values()]
        count = sum(sample.count for sample in samples) + bool(node.first)
        if not count:
            return None
        first = node.first or (0,) * self.game.traits.players
        totals = [sum((sample.totals[i] for sample in samples), paid) for i, paid in enumerate(first)]
        return Worth(self.words.shown([total / count for total in totals]), mean=True)

    def _arms(self, node: Node, line: bool) -> list[Twig]:
        if node.player == CHANCE:
            (arm,) = node.arms.values()
            names = {
                way.position: self.game.format_move(move)
                for move, way in ways_of_chance(self.game, node.position)
            }
            return self._outcomes(arm, [(names.get(o.position, ""), o) for o in arm.outcomes], line)
        favourite = self.tree.favourite(node).move
        way = self.way.get(node.position) if self.step else favourite
        return [
            replace(self._arm(node, arm, line and move == way), leads=move == favourite)
            for move, arm in node.arms.items()
        ]  # in the game's order

    def _arm(self, node: Node, arm: Arm, best: bool) -> Twig:
        name = self.game.format_move(arm.move)
        if not arm.sample.count and arm.proven is None:
            after = self.tree.exact.outcomes(node.position, arm.move)
            player = self.game.to_move(after[0].position)
            kind = "chance" if len(after) > 1 else self.words.kind(player)
            return Twig(kind, label=name, faint=True, visits=0, size=0)
        if arm.proven is None:
            means = [arm.sample.of(i) for i in range(self.game.traits.players)]
            worth = Worth(self.words.shown(means), mean=True)
        else:
            worth = Worth(self.words.shown(arm.proven))
        outcomes = arm.outcomes
        if len(outcomes) == 1 and outcomes[0].position in arm.children:
            child = arm.children[outcomes[0].position]
            twig = self._node(child, arm.sample.count, worth, best)
        else:
            said = {o.position: text for text, o in self.words.outcomes(node.position, arm.move)}
            twig = Twig(
                "chance", mover="chance", worth=worth, visits=arm.sample.count, size=arm.sample.count,
                grow=lambda: self._outcomes(arm, [(said.get(o.position, ""), o) for o in outcomes], best),
            )  # fmt: skip
        bound = self.bounds.get((node.position, arm.move))
        notes = (f"UCB1 {number(bound.total)}",) if bound is not None else ()
        paid = self.words.paid(outcomes[0]) if len(outcomes) == 1 else ()
        return replace(twig, label=name, best=best, brings=worth, paid=paid, notes=(*twig.notes, *notes))

    def _outcomes(self, arm: Arm, ways: Sequence[tuple[str, Outcome]], line: bool) -> list[Twig]:
        found = []
        for said, outcome in ways:
            child = arm.children.get(outcome.position)
            if child is None:
                player = self.game.to_move(outcome.position)
                twig = Twig(self.words.kind(player), faint=True, visits=0, size=0)
            else:
                # Its first play was made when it was added, before it counted visits of its own.
                twig = self._node(child, child.visits + 1, self._mean(child), line)
            on = line and child is not None and (not self.step or self._walked(outcome.position))
            found.append(
                replace(
                    twig, label=said, probability=outcome.probability, paid=self.words.paid(outcome), best=on
                )
            )
        return found

    def _walked(self, position: Any) -> bool:
        assert self.step is not None
        return position in self.way or position == self.step.added


# ---------------------------------------------------------------- one simulation in words


def told(game: Game[Any, Any], tree: Tree, step: Iteration) -> list[str]:
    """Selection, expansion, simulation and back-propagation of one simulation, with the numbers that
    decided."""
    said = [f"simulation {step.number:,}, step by step"]
    said.append(
        "selection: the largest UCB1 = mean + c · range · √(ln N / n); what was never tried goes first"
    )
    for selection in step.selections:
        if selection.player == CHANCE:
            said.append(f"  chance draws in a position visited {selection.visits:,} times")
            continue
        mover = game.players[selection.player]
        compared = any(candidate.bound is not None for candidate in selection.candidates)
        weight = f", c = {number(tree.c)}, range = {number(selection.span)}" if compared else ""
        said.append(f"  {mover} chooses, N = {selection.visits:,}{weight}")
        ranked = sorted(
            selection.candidates,
            key=lambda c: (c.move != selection.chosen, -(c.bound.total if c.bound else 1e300)),
        )
        untried = [c for c in ranked if c.bound is None and c.move != selection.chosen]
        for c in [c for c in ranked if c not in untried][:TOLD]:
            mark = "→" if c.move == selection.chosen else " "
            name = game.format_move(c.move)
            if c.bound is None:
                said.append(f"    {mark} {name}: never tried")
            else:
                parts = f"{number(c.bound.mean)} + {number(c.bound.exploration)}"
                said.append(f"    {mark} {name}: n = {c.visits:,}, {parts} = {number(c.bound.total)}")
        if untried:
            said.append(f"      {len(untried):,} more never tried")
    if step.added is None:
        said.append("expansion: none, the way ended in a position whose value is proven")
    else:
        said.append(f"expansion: a new position: {game.format_position(step.added)}")
        moves = [f"{game.format_move(move)}" for _, move in step.moves]
        more = f" … {len(moves) - TOLD:,} more moves" if len(moves) > TOLD else ""
        said.append(
            f"simulation: {' '.join(moves[:TOLD])}{more}" if moves else "simulation: nothing is left to play"
        )
    if step.paid:
        said.append(f"  which pays {numbers(step.paid)}")
    said.append("back-propagation, from the last move to the first")
    for credit in step.credits:
        name = (
            "chance"
            if credit.player == CHANCE
            else f"{game.players[credit.player]}: {game.format_move(credit.move)}"
        )
        said.append(f"    {name}: n = {credit.visits:,}, mean {number(credit.mean)}")
    return said
