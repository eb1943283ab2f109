"""The tree of all histories of a game, and its information sets.

An information set is what a player to move knows: everything seen so far (perfect recall), as in
`solvers/agents/seen.py`,

    (observation, (mover, shown move), observation, .., observation)

It is never written by hand. Histories that lead to the same position are different nodes: players may have
seen different things on the way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.agents.seen import ConcealsMoves
from solvers.core.starts import starts_of
from solvers.hidden.consistency import Inconsistent, history_of
from solvers.hidden.endless import EVERY, Endless
from solvers.hidden.records import too_many_histories

LIMIT = 1_000_000
"""Histories that are listed in Python at most, unless more are asked for."""

Seen = tuple[Any, ...]


@dataclass(eq=False, slots=True)
class InformationSet:
    """Positions that their mover cannot tell apart, which have the same legal moves."""

    player: int
    seen: Seen
    moves: tuple[Any, ...]
    number: int  # among those of the player, in the order of discovery: what comes before has a lower one
    before: tuple[InformationSet, int] | None  # the player's last decision before it, and the move made there
    histories: int = 0
    example: Node | None = field(default=None, repr=False)


@dataclass(eq=False, slots=True)
class Node:
    """A history. `after` has a node for each move of a player, or each thing that chance may do.

    information    of a player's decision; None where chance moves and where the play is over
    odds           of what chance may do
    payoff         where the play is over: everything that each player was paid, discounted
    """

    parent: Node | None
    by: Any  # the move that led here; None at the start, and below a move whose outcome chance decides
    position: Any = None  # None between a move and what chance makes of it
    information: InformationSet | None = None
    after: list[Node] = field(default_factory=list)
    odds: list[Number] = field(default_factory=list)
    payoff: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class GameTree:
    """All histories of a game from a position on."""

    game: Game[Any, Any]
    root: Node
    information_sets: tuple[list[InformationSet], ...]  # per player
    histories: int  # positions with what came before; a move and its outcome are one step

    def nodes(self) -> Iterator[Node]:
        """Every node, before all that come after it."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.after)


def game_tree(
    game: Game[Any, Any], at: Any = None, *, limit: int | None = None, turns: bool = False
) -> GameTree:
    """Lists all histories. Refuses more than `limit` of them, information sets with different legal moves
    (`solvers/hidden/consistency.py`), and plays that come back to a position. With `turns` also those after
    which it is not always the same player's turn: a player who is asked to move would learn something from
    that.
    """
    return _Builder(game, LIMIT if limit is None else limit, turns).build(at)


@dataclass(frozen=True, slots=True)
class _Task:
    """A history that is still to be expanded: what everybody saw of it, decided and was paid."""

    node: Node
    position: Any
    seen: tuple[Seen, ...]
    last: tuple[tuple[InformationSet, int] | None, ...]
    paid: tuple[Number, ...]
    factor: Number
    depth: int


class _Builder:
    def __init__(self, game: Game[Any, Any], limit: int, turns: bool):
        self.game = game
        self.limit = limit
        self.players = range(len(game.players))
        self.known: dict[tuple[int, Seen], InformationSet] = {}
        self.found: tuple[list[InformationSet], ...] = tuple([] for _ in self.players)
        self.turns: dict[tuple[int, Seen], tuple[int, Node]] | None = {} if turns else None
        self.histories = 0

    def build(self, at: Any) -> GameTree:
        game = self.game
        starts = starts_of(game, at)
        root = Node(None, None)
        waiting = []
        for start in starts:
            node = root if len(starts) == 1 else Node(root, None)
            node.position = start.position
            if node is not root:
                root.after.append(node)
                root.odds.append(start.probability)
            seen = tuple((game.observation(start.position, player),) for player in self.players)
            paid = tuple(start.rewards) or (0,) * len(self.players)
            nothing: tuple[None, ...] = (None,) * len(self.players)
            waiting.append(_Task(node, start.position, seen, nothing, paid, 1, 0))
        waiting.reverse()
        while waiting:
            waiting.extend(reversed(list(self.expand(waiting.pop()))))
        return GameTree(game, root, self.found, self.histories)

    def expand(self, task: _Task) -> Iterator[_Task]:
        self.histories += 1
        if self.histories > self.limit:
            raise too_many_histories(self.game, self.limit)
        game, position, node = self.game, task.position, task.node
        mover = game.to_move(position)
        if mover == TERMINAL:
            final = game.utility(position)
            node.payoff = tuple(
                paid + task.factor * utility for paid, utility in zip(task.paid, final, strict=True)
            )
            return
        if task.depth and task.depth % EVERY == 0:  # whatever a game says of itself
            history = history_of(node)
            if any(before == position for _, before in history[:-1]):
                raise Endless.shown_by(game, history)
        if self.turns is not None:
            self.check_turns(task, mover)
        if mover == CHANCE:
            for move, probability in game.chance(position):
                node.odds.append(probability)
                yield from self.happen(task, mover, move, task.last)
            return
        information = node.information = self.information_set(task, mover)
        for number, move in enumerate(information.moves):
            own = (information, number)
            last = tuple(own if player == mover else one for player, one in enumerate(task.last))
            yield from self.happen(task, mover, move, last)

    def happen(self, task: _Task, mover: int, move: Any, last: Any) -> Iterator[_Task]:
        game = self.game
        outcomes = game.outcomes(task.position, move)
        above = Node(task.node, move)
        task.node.after.append(above)
        for outcome in outcomes:
            node = above if len(outcomes) == 1 else Node(above, None)
            node.position = outcome.position
            if node is not above:
                above.after.append(node)
                above.odds.append(outcome.probability)
            seen = tuple(
                (
                    *task.seen[player],
                    (mover, self.shown(move, player, mover)),
                    game.observation(outcome.position, player),
                )
                for player in self.players
            )
            rewards = outcome.rewards or (0,) * len(self.players)
            paid = tuple(a + task.factor * b for a, b in zip(task.paid, rewards, strict=True))
            factor = task.factor * game.traits.discount
            yield _Task(node, outcome.position, seen, last, paid, factor, task.depth + 1)

    def shown(self, move: Any, player: int, mover: int) -> Hashable:
        if isinstance(self.game, ConcealsMoves):
            return self.game.observed_move(move, player, mover)
        unconcealed: Hashable = move
        return unconcealed

    def information_set(self, task: _Task, mover: int) -> InformationSet:
        moves = tuple(self.game.moves(task.position))
        seen = task.seen[mover]
        found = self.known.get((mover, seen))
        if found is None:
            number = len(self.found[mover])
            found = InformationSet(mover, seen, moves, number, task.last[mover], example=task.node)
            self.known[mover, seen] = found
            self.found[mover].append(found)
        elif found.moves != moves:
            first = history_of(found.example)
            raise Inconsistent.moves(self.game, mover, (first, found.moves), (history_of(task.node), moves))
        found.histories += 1
        return found

    def check_turns(self, task: _Task, mover: int) -> None:
        assert self.turns is not None
        for player in self.players:
            before, node = self.turns.setdefault((player, task.seen[player]), (mover, task.node))
            if before != mover and player in (before, mover):
                plays = (history_of(node), before), (history_of(task.node), mover)
                raise Inconsistent.turns(self.game, player, *plays)
