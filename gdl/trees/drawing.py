"""Drawing the tree of a game, or of a search: what `gdl tree` does, for Python and for the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from gdl.answers import params_of, position_of
from gdl.asking import asked
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import tree_too_large
from gdl.diagnostics.wording.phrases import counted
from gdl.draw.pictures import Board, Picture
from gdl.draw.tree.labels import number
from gdl.draw.tree.tree import Tree
from gdl.game import Game
from gdl.trees.plain import PlainTree, deepest_within
from gdl.trees.selection import Selection
from gdl.trees.twigs import Twig, Words
from solvers.core.result import plain

NODES = 20
"""Nodes that are drawn unless the caller says how many ..."""

NODES_OF_WHOLE = 80
"""... or these are all."""

WHOLE = 2_000
"""Positions of a tree that is walked to its end where no depth is given."""

LIMIT = 20_000
"""Positions that a search may look at for a picture."""

SIMULATIONS = 50
"""Of mcts, unless given: a tree that can be looked at."""

EVERYTHING = ("minimax", "expectiminimax", "maxn")
"""Searches that look at every position of the tree, the first that applies where none is named."""

SMALL_BOARD = 16
"""Cells of a board that is drawn inside nodes without being asked for."""


@asked
def tree(
    game: Game[Any, Any],
    solver: str | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    graph: bool = False,
    show: bool | None = None,
    solved: bool = False,
    step: int | None = None,
    limit: int = LIMIT,
    **options: Any,
) -> Tree:
    """The tree of a game as lectures draw it, with the values that a search finds: what `gdl tree` draws.

    solver    the search that walks the tree, with its options: "alphabeta(order=worst)", "star2",
              "mcts(c=0.7)"; without, one that looks at everything; "none" for the rules alone
    at, moves   the position at the root, or its text; moves to make first
    depth     how many moves deep; without, the whole tree if it is small, else as deep as is readable
    nodes     draw so many nodes at most and count the rest; without, 80 if these are all, else 20
    graph     draw equal positions once
    show      draw positions inside nodes; without, where they are small boards
    solved    judge positions at the depth by the solution of the whole game
    step      of mcts: show this simulation step by step (its tree is drawn as it was after it)
    options   those of the search, such as simulations, seed, order

    The search that is drawn really runs. `str` of the tree is text, notebooks show it, `save` writes a file.

    >>> import gdl
    >>> drawn = gdl.tree(gdl.load("bins", coin=0), "alphabeta")
    >>> drawn.root.worth.numbers, sum(edge.cut for node in drawn.nodes() for edge in node.edges)
    ((1,), 1)
    """
    position = position_of(game, at, moves)
    drawing = _Drawing(game, position, depth, limit, solved, step, options)
    root, how, notes, steps = drawing.by(solver)
    discount = plain(game.traits.discount)

    def selected(most: int) -> Selection:
        return Selection(most, game.format_position, _pictures(game, show), graph, discount == 1)

    selection = selected(nodes or NODES_OF_WHOLE)
    top, groups = selection.drawn(root)
    if nodes is None and selection.left_out:
        selection = selected(NODES)
        top, groups = selection.drawn(root)
    settings = "".join(f", {name}={value}" for name, value in params_of(game))
    title = f"{game.name}{settings}"
    return Tree(title, top, how, notes, groups, steps, game.players, drawing.thick, discount)


Drawn = tuple[Twig, str, tuple[str, ...], tuple[str, ...]]
"""The root of a tree, how it came about, notes, and the steps of a simulation."""


class _TooLarge(GameError):
    """A search that looks at more than a picture is worth."""


class _Drawing:
    """One question: which tree, from where, how deep."""

    def __init__(
        self,
        game: Game[Any, Any],
        position: Any,
        depth: int | None,
        limit: int,
        solved: bool,
        step: int | None,
        options: Mapping[str, Any],
    ):
        from solvers.core.rounding import exact_twin

        self.game = game
        self.exact = exact_twin(game)
        self.position = position
        self.depth = depth
        self.limit = limit
        self.solved = solved
        self.step = step
        self.options = {name: value for name, value in options.items() if value is not None}
        self.notes: list[str] = []
        self.thick = "the best line"

    def by(self, solver: str | None) -> Drawn:
        """The root of the tree, how it came about, and what is to be said about it."""
        from solvers.agents.kinds import search_described
        from solvers.core.refusal import bad_option

        if solver is None and self.game.traits.hidden:
            self.notes.append(
                "without values: what is best follows from what players see, not from one position"
            )
            solver = "none"
        if solver == "none":
            if self.options or self.step or self.solved:
                raise bad_option("the rules alone have no search to set", "Name a search with --solver.")
            return self._of_rules()
        entry, written = search_described(solver or self._default(), self.exact)
        given = {**self.options, **written}
        entry.check_options(given)
        if "observer" not in entry.arguments:
            raise bad_option(f"{entry.name} walks no tree", "Draw alphabeta, star2, maxn, mcts …")
        if entry.family == "simulation":
            return self._grown(entry, given)
        if self.step is not None:
            raise bad_option(
                f"{entry.name} makes no simulations to step through", "Use --solver mcts with --step."
            )
        try:
            return self._walked(entry, given)
        except _TooLarge as large:
            if solver is not None or self.depth is not None:
                raise
            self.notes = [f"without values: {large.diagnostics[0].message}"]
            return self._of_rules()

    def _of_rules(self) -> Drawn:
        root = PlainTree(Words(self.exact)).root(self.position, self._depth())
        return root, "the tree of the rules, without a search", tuple(self.notes), ()

    def _default(self) -> str:
        """A search that looks at everything."""
        from solvers.registry import applies

        for name in EVERYTHING:
            if applies(name, self.exact) is None:
                return name
        return "maxn"

    def _walked(self, entry: Any, given: dict[str, Any]) -> Drawn:
        from gdl.trees.walked import WalkedTree
        from solvers.search.watching import Record

        if "order" in entry.options and "order" not in given and "table" not in given:
            given["order"] = "given"
        if "depth" not in given and "rounds" not in given and (depth := self._depth()) < inf:
            given["depth"] = int(depth)
        if self.solved:
            given["leaf"] = self._solution()
        if entry.name in EVERYTHING and "depth" in given:
            self._fits(given["depth"])
        judges = "leaf" in given or self._has_evaluation()
        record = Record(self._enough)
        result = entry.textbook(self.exact, self.position, observer=record, **given)
        walk = WalkedTree(self.exact, record, judges)
        root = walk.root(self.position, result)
        if not judges and not result.complete:
            windows = ", and windows rest on the middle of all utilities" if walk.ordered else ""
            self.notes.append(
                f"where the depth ends nothing is known without `evaluate:`{windows}; "
                "--solved asks the whole game"
            )
        if self.solved:
            self.notes.append("positions at the depth have their values from the solution of the whole game")
        how = (
            f"{entry.name}: {result.how}; {counted(result.work.nodes or record.entered, 'position')} visited"
        )
        return root, how, tuple(self.notes), ()

    def _grown(self, entry: Any, given: dict[str, Any]) -> Drawn:
        from gdl.trees.grown import GrownTree, told
        from solvers.core.refusal import bad_option
        from solvers.simulation.watching import Record

        if self.depth is not None or self.solved:
            raise bad_option(
                "a tree of simulations has no depth", "Give --simulations, and --nodes for what is drawn."
            )
        if self.step is not None:
            given["simulations"] = self.step
        elif not {"simulations", "nodes", "time"} & set(given):
            given["simulations"] = SIMULATIONS
        record = Record(self.step)
        result = entry.textbook(self.game, self.position, observer=record, **given)
        grown = GrownTree(self.exact, record)
        steps: tuple[str, ...] = ()
        if record.iteration is not None:
            steps = tuple(told(self.exact, grown.tree, record.iteration))
            self.thick = "the way of this simulation"
            self.notes.append(
                f"UCB1, with c = {number(grown.tree.c)}: as it stood before this simulation; "
                "n and means: after it"
            )
        return grown.root(), f"{entry.name}: {result.how}", tuple(self.notes), steps

    # ------------------------------------------------------------ depth, limits, leaves

    def _depth(self) -> float:
        """The depth that was asked for, or one at which the tree is small."""
        if self.depth is not None:
            return self.depth
        depth = deepest_within(self.exact, self.position, WHOLE)
        if depth < inf:
            self.notes.append(
                f"{counted(int(depth), 'move')} deep; the whole tree is larger: --depth N for more of it"
            )
        return depth

    def _fits(self, depth: float) -> None:
        """Refuses at once what a search that looks at everything would find to be too large."""
        if deepest_within(self.exact, self.position, self.limit) < depth:
            self._enough(self.limit + 1)

    def _enough(self, entered: int) -> None:
        if entered > self.limit:
            asked = f"the tree of {self.game.name}" + (f" to a depth of {self.depth}" if self.depth else "")
            readable = deepest_within(self.exact, self.position, WHOLE)
            hint = "begin later, --moves or --at, or draw the rules alone: --solver none"
            if readable < (self.depth or inf):
                hint = f"use --depth {readable}, or a little more, or begin later: --moves, --at"
            raise _TooLarge([tree_too_large(self.limit, asked, hint)])

    def _has_evaluation(self) -> bool:
        start = self.position if self.position is not None else self.exact.initial()[0].position
        return self.exact.evaluate(start) is not None

    def _solution(self) -> Callable[[Any], tuple[Any, ...]]:
        from gdl.solving import solve

        policy = solve(self.game, at=self.position).policy
        assert policy is not None, "whole games are solved with a policy"
        return lambda position: tuple(value.number for value in policy.value(position))


def _pictures(game: Game[Any, Any], show: bool | None) -> Callable[[Any], Picture | None]:
    """How positions are drawn inside nodes, if they are."""
    draw: Callable[[Any], Picture] | None = getattr(game, "picture", None)
    if draw is None or show is False:
        return lambda position: None

    def picture(position: Any) -> Picture | None:
        drawn = draw(position)
        return drawn if show or _small(drawn) else None

    return picture


def _small(picture: Picture) -> bool:
    boards = [part for row in picture for part in row if isinstance(part, Board)]
    return len(boards) == 1 and boards[0].cells.kind == "grid" and boards[0].cells.size <= SMALL_BOARD
