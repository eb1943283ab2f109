"""Alpha-beta: minimax's value without looking at moves that cannot matter.

The contract of every search with a window (alpha, beta), fail-soft:

    result <= alpha          the value is at most the result
    alpha < result < beta    the value is the result
    result >= beta           the value is at least the result

Knuth & Moore 1975; fail-soft: Fishburn 1983. Around it: iterative deepening, a transposition table, and the
order table move, killer moves, history. All this changes the work, never the value.

With an `order` nothing stands around it: the plain search of the lectures, in which the order of moves alone
decides what is cut. No table, no deepening, no bounds of the utilities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from solvers.core.budget import Budget, Spent
from solvers.core.chance import ways_of_chance
from solvers.core.leaves import Leaf
from solvers.core.lookup import LONGEST_LINE
from solvers.core.refusal import cannot_go_on
from solvers.core.result import Result, plain
from solvers.core.root_search import Backup, Line, Observer, RootAnswer, RootMove, with_table
from solvers.core.trampoline import Call, run
from solvers.core.windows import TIES, Window, seen_from
from solvers.registry import SOLVERS
from solvers.search.plain_order import PlainOrder
from solvers.search.transposition_table import Entry, Table
from solvers.search.tree_search import Duel

TABLE_SIZE = 1 << 18


def alphabeta(
    game: Game[Any, Any],
    at: Any = None,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Leaf | None = None,
    table: int = TABLE_SIZE,
    every: bool = False,
    order: str | None = None,
    seed: int = 0,
    rounds: int | None = None,
    observer: Observer | None = None,
) -> Result:
    """The value of a game without chance and all its best moves; moves that are worse stay unsettled, unless
    `every` one is asked for."""
    search = AlphaBeta(game, Budget(nodes, time), leaf, table, order, seed)
    search.every = every
    return search.answer(at, depth, f"alpha-beta {with_table(table)}", observer, rounds)


class AlphaBeta(Duel):
    """`floor` and `ceiling` bound every value where the utilities are all that is paid."""

    name = "alphabeta"
    every = False  # whether every move of the root has its value looked for

    def __init__(
        self,
        game: Game[Any, Any],
        budget: Budget,
        leaf: Leaf | None = None,
        table: int = TABLE_SIZE,
        order: str | None = None,
        seed: int = 0,
    ):
        super().__init__(game, budget, leaf)
        self.plain = None if order is None else PlainOrder(game, order, self.judge, seed)
        self.cuts = 0
        self.table = Table(0 if self.plain else table)
        self.killers: defaultdict[int, list[Any]] = defaultdict(list)  # by distance from the root
        self.history: defaultdict[tuple[int, Any], float] = defaultdict(float)
        self.floor, self.ceiling = (plain(bound) for bound in game.traits.value_bounds[0])
        if self.plain and not SOLVERS[self.name].bounds:
            self.floor, self.ceiling = -inf, inf
        self.everything = Window(self.floor, self.ceiling)

    def answer(
        self, at: Any, depth: int | None, how: str, observer: Observer | None, rounds: int | None
    ) -> Result:
        """The answer of the search, deepening unless it is a plain one; that one counts its cuts."""
        if not self.plain:
            return self.solve(at, depth, how, True, observer, rounds)
        try:
            found = self.solve(at, depth, self.plain.how(self.name), False, observer, rounds)
        except Spent:
            raise cannot_go_on(
                f"a plain search looks to its depth at once, and {self.name} was not done within its limit.",
                "Give a smaller depth, more nodes or time, or leave the order to the search.",
            ) from None
        counts = replace(found.work, cuts=self.cuts)
        return replace(found, how=f"{found.how}; {counted(self.cuts, 'cut')}", work=counts)

    def value(self, position: Any, depth: float) -> Call[Backup]:
        found: Backup = yield self.search(position, depth, self.everything, 0)
        return found

    def search(self, position: Any, depth: float, window: Window, ply: int) -> Call[Backup]:
        """The value of a position within a window; the contract is above."""
        if (end := self.end(position, depth)) is not None:
            return end
        entry = self.table.get(position)
        if entry is not None and entry.answers(depth):
            complete = entry.complete
            line: Line = None if entry.move is None else ((self.game.to_move(position), entry.move, 1), None)
            if entry.low >= window.beta or entry.low == entry.high:
                return Backup(entry.low, line, complete)
            if entry.high <= window.alpha:
                return Backup(entry.high, line, complete)
        player = self.game.to_move(position)
        with self.visiting(position, depth):
            if player == CHANCE:
                inner: Backup = yield self.chance_search(position, depth, window, ply)
                return inner
            found: Backup
            found, move = yield self.best_move(position, player, depth, window, ply)
        low = found.value if found.value > window.alpha else self.floor
        high = found.value if found.value < window.beta else self.ceiling
        self.table.put(Entry(position, depth, low, high, move, found.complete))
        return found

    def best_move(
        self, position: Any, player: int, depth: float, window: Window, ply: int
    ) -> Call[tuple[Backup, Any]]:
        """Max raises alpha, min lowers beta; when they meet, the opponent has something better elsewhere."""
        alpha, beta = window
        best: Backup | None = None
        best_move = None
        complete = True
        moves = self.ordered(position, player, depth, ply)
        for number, move in enumerate(moves, 1):
            child: Backup = yield self.move_search(
                position, move, self.less(depth, position), Window(alpha, beta), ply + 1
            )
            complete = complete and child.complete
            if best is None or self.better(player, child.value, best.value):
                best, best_move = child, move
            if player == 0:
                alpha = max(alpha, best.value)
            else:
                beta = min(beta, best.value)
            if alpha >= beta:
                self.cuts += number < len(moves)
                self.remember_cut(player, move, depth, ply)
                return best, best_move
        assert best is not None, "the game goes on, so there is a move"
        return best._replace(complete=complete), best_move

    def move_search(self, position: Any, move: Any, depth: float, window: Window, ply: int) -> Call[Backup]:
        """The value of a move within a window."""
        outcomes = self.outcomes(position, move)
        after: Backup = yield self.outcomes_value(outcomes, depth, window, ply)
        likeliest = max(outcome.probability for outcome in outcomes)
        return after._replace(line=((self.game.to_move(position), move, likeliest), after.line))

    def outcomes_value(
        self, outcomes: Sequence[Outcome], depth: float, window: Window, ply: int
    ) -> Call[Backup]:
        """The value of what may happen, within a window: here one thing only. Star1 and Star2 know chance."""
        (outcome,) = outcomes
        after: Backup = yield self.search(
            outcome.position, depth, seen_from(outcome, window, self.discount), ply
        )
        return after._replace(value=self.backed_up(outcome, after.value))

    def chance_search(self, position: Any, depth: float, window: Window, ply: int) -> Call[Backup]:
        """The value of a position in which chance moves: everything that its moves may lead to."""
        ways = ways_of_chance(self.game, position)
        after: Backup = yield self.outcomes_value([outcome for _, outcome in ways], depth, window, ply + 1)
        move, likeliest = max(ways, key=lambda way: way[1].probability)
        return after._replace(line=((CHANCE, move, likeliest.probability), after.line))

    # ------------------------------------------------------------ the order of moves

    def ordered(self, position: Any, player: int, depth: float, ply: int) -> Sequence[Any]:
        """The table's move, then moves that cut at this distance from the root, then by history; in a plain
        search the order that was asked for."""
        if self.plain:
            self.plain.oracle.by_rounds = self.by_rounds
            return self.plain.ordered(position, player, self.less(depth, position))
        entry = self.table.get(position)
        first = None if entry is None else entry.move
        killers = self.killers[ply]

        def merit(move: Any) -> tuple[bool, bool, float]:
            return move == first, move in killers, self.history[player, move]

        return sorted(self.game.moves(position), key=merit, reverse=True)

    def remember_cut(self, player: int, move: Any, depth: float, ply: int) -> None:
        killers = self.killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]
        self.history[player, move] += depth * depth if depth < inf else 1

    # ------------------------------------------------------------ the root

    def root(self, position: Any, depth: float) -> RootAnswer:
        """All best moves with their values. A move that is shown to be worse than another stays unsettled."""
        if (end := self.end(position, depth)) is not None:
            return RootAnswer(end)
        player = self.game.to_move(position)
        if player == CHANCE:
            return RootAnswer(run(self.value(position, depth)))
        found: dict[Any, RootMove] = {}
        best: Number | None = None
        for move in self.ordered(position, player, depth, 0):
            window = self.window_for_ties(player, None if self.every else best)
            backup = run(self.move_search(position, move, self.less(depth, position), window, 1))
            backup = backup._replace(value=min(max(backup.value, self.floor), self.ceiling))  # if rounded
            settled = window.alpha < backup.value < window.beta or backup.value in (self.floor, self.ceiling)
            found[move] = RootMove(move, backup, settled)
            if best is None or self.better(player, backup.value, best):
                best = backup.value
        moves = tuple(found[move] for move in self.game.moves(position))
        chosen = self.best_of(player, moves)
        complete = all(move.backup.complete for move in moves)
        most = self.ceiling if player == 0 else self.floor
        proven = complete or (chosen.backup.complete and chosen.backup.value == most)
        self.table.put(Entry(position, 0, self.floor, self.ceiling, chosen.move))
        line = self.continued(position, chosen.backup.line, depth)
        return RootAnswer(Backup(chosen.backup.value, line, proven), moves, open_=proven and not complete)

    def distrust_leaves(self, player: int) -> None:
        super().distrust_leaves(player)
        self.table = Table(self.table.size)  # what is in the old one was judged otherwise

    def window_for_ties(self, player: int, best: Number | None) -> Window:
        """Wide enough to see a move as good as the best so far: any margin does, a narrow one prunes more.
        The plain search has none."""
        if best is None:
            return Window(self.floor, self.ceiling)
        margin: Number = TIES * max(1.0, abs(best)) if isinstance(best, float) else Fraction(1, 10**9)
        floor, ceiling = self.everything
        if self.plain:
            margin = 0
            if best in self.everything:  # nothing is found within an empty window
                floor, ceiling = -inf, inf
        if player == 0:
            return Window(max(best - margin, self.floor), ceiling)
        return Window(floor, min(best + margin, self.ceiling))

    def continued(self, position: Any, line: Line, depth: float) -> Line:
        """The line, continued by what the table knows exactly, for a search may end in the table.

        Where every play pays the same nothing need be searched, and any move goes on as well as another.
        """
        steps: list[tuple[int, Any, Number]] = []
        seen = {position}
        while True:
            if self.game.to_move(position) == TERMINAL:
                break
            if line is not None:
                step, line = line
            else:
                entry = self.table.get(position)
                if entry is not None and entry.move is not None and entry.low == entry.high:
                    odds = [outcome.probability for outcome in self.game.outcomes(position, entry.move)]
                    step = (self.game.to_move(position), entry.move, max(odds))
                elif self.floor == self.ceiling and len(steps) < min(depth, LONGEST_LINE):
                    step = self.any_step(position)
                else:
                    break
            if step[1] not in self.game.moves(position):
                break
            outcomes = self.game.outcomes(position, step[1])
            position = max(outcomes, key=lambda outcome: outcome.probability).position
            steps.append(step)
            if position in seen:
                break
            seen.add(position)
        for step in reversed(steps):
            line = (step, line)
        return line

    def any_step(self, position: Any) -> tuple[int, Any, Number]:
        """The first move of a player with the likeliest outcome, or what chance does most likely."""
        player = self.game.to_move(position)
        if player == CHANCE:
            ways = ways_of_chance(self.game, position)
        else:
            move = self.game.moves(position)[0]
            ways = [(move, outcome) for outcome in self.game.outcomes(position, move)]
        move, outcome = max(ways, key=lambda way: way[1].probability)
        return player, move, outcome.probability
