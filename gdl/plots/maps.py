"""Maps of a solved game: the best move, or the value, over variables of the position."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, Literal

from gdl.answers import params_of, position_of
from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import cells_are_no_axes, nothing_to_plot
from gdl.draw.pictures import Board
from gdl.draw.plots.plot import Axis, Cell, Label, Map
from gdl.draw.text import column_labels, hex_lean, named_places
from gdl.game import TERMINAL, DeclaresPolicies, Game
from gdl.model.types import Cells
from gdl.plots.axes import View, Wishes, check_names, choose
from gdl.plots.solved import Column, Solved, element_names, solved_positions

MOST_ROWS = 150_000
"""Positions that are looked at for a picture; of cells with many, then, only a few."""


def policy_map(
    game: Game[Any, Any],
    *,
    x: str | None = None,
    y: str | None = None,
    slices: str | None = None,
    z: str | None = None,
    at: str | None = None,
    start: Any = None,
    policies: Sequence[str] = (),
    limit: int | None = None,
) -> Map:
    """The best move over variables of the position. `policies` of the file are drawn over it, where they may
    play otherwise; `z` makes a surface: from which value of z on another move is best."""
    drawn = _Drawn(game, "policy", Wishes(x, y, slices, z, at), start, policies, limit)
    return drawn.surface() if z is not None else drawn.map()


def value_map(
    game: Game[Any, Any],
    *,
    x: str | None = None,
    y: str | None = None,
    slices: str | None = None,
    at: str | None = None,
    start: Any = None,
    limit: int | None = None,
) -> Map:
    """What positions are worth to the player to move, over variables of the position."""
    return _Drawn(game, "value", Wishes(x, y, slices, None, at), start, (), limit).map()


BY_LENGTH = "of moves that are worth the same, those that win soonest or lose latest"


class _Drawn:
    """One map in the making."""

    def __init__(
        self,
        game: Game[Any, Any],
        shows: Literal["policy", "value"],
        wishes: Wishes,
        start: Any,
        policies: Sequence[str],
        limit: int | None,
    ):
        self.shows = shows
        self.texts = tuple(policies)
        self.policies = [_declared(game, text) for text in policies]  # mistakes before a long computation
        model = getattr(game, "model", None)
        if model is not None:
            check_names([name for variable in model.variables for name in element_names(variable)], wishes)
        self.solved: Solved = solved_positions(game, position_of(game, start), limit=limit)
        self.game: Any = self.solved.game
        self.start = self.solved.position(self.solved.start)
        self.memory: dict[int, tuple[str, ...]] = {}
        self.wishes = wishes
        self.view: View = choose(self.solved, self._key, wishes, strip=shows == "policy")

    def _best(self, row: int) -> tuple[str, ...]:
        if row not in self.memory:
            self.memory[row] = self.solved.best(row)
        return self.memory[row]

    def _key(self, row: int) -> Hashable:
        return self._best(row) if self.shows == "policy" else round(float(self.solved.worth[row]), 9)

    # ---------------------------------------------------------------------------- maps

    def map(self) -> Map:
        view = self.view
        board = view.y is None and view.x.is_place
        if board:
            return self._board(view.x)
        if self._axes_are_cells():
            shown = self._shown_board()
            if shown is None or not (moves := self._moves_on(shown)):
                raise GameError([cells_are_no_axes(self.game.name, view.x.name, (view.y or view.x).name)])
            return self._moves_on_board(shown, moves)
        y = None if view.y is None else self._axis(view.y)
        slices = None if view.slices is None else self._axis(view.slices)
        cells = tuple(self._cells())
        return Map(
            self._title(), self.shows, self._axis(view.x), y, slices, cells, self._notes(),
            policies=self.texts,
        )  # fmt: skip

    def _title(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in params_of(self.game))
        what = "best moves" if self.shows == "policy" else "values"
        return f"{self.game.name}{settings}: {what}"

    def _notes(self) -> tuple[str, ...]:
        notes = [self.solved.how]
        if self.solved.by_length and self.shows == "policy":
            notes.append(BY_LENGTH)
        if self.view.fixed:
            notes.append(f"at {', '.join(self.view.fixed)}")
        notes += self.view.shortened
        if self.shows == "value" and self.game.traits.players > 1:
            notes.append("values are those of the player to move")
        return tuple(notes)

    def _axis(self, column: Column) -> Axis:
        return Axis(column.name, tuple(column.label(n) for n in self.view.chosen[column.name]))

    def _groups(self) -> dict[tuple[int, int, int], list[int]]:
        """The positions of every cell, by the numbers of its values on the axes."""
        view = self.view
        places = []
        for column in (view.x, view.y, view.slices):
            if column is None:
                places.append([0] * len(view.rows))
                continue
            index = {number: k for k, number in enumerate(view.chosen[column.name])}
            places.append([index[number] for number in column.numbers[view.rows].tolist()])
        groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for x, y, part, row in zip(*places, view.rows.tolist(), strict=True):
            groups[x, y, part].append(row)
        if len(view.rows) > MOST_ROWS:
            return {place: [rows[0], rows[len(rows) // 2], rows[-1]] for place, rows in groups.items()}
        return groups

    def _cells(self) -> Any:
        for (x, y, part), rows in sorted(self._groups().items()):
            mixed = len({self._key(row) for row in rows}) > 1
            yield self._cell(x, y, part, rows[0], mixed)

    def _cell(self, x: int, y: int, part: int, row: int, mixed: bool) -> Cell:
        value = None if mixed and self.shows == "value" else float(self.solved.worth[row])
        moves = self._best(row) if self.shows == "policy" else ()
        others = tuple(self._played(policy, row) for policy in self.policies)
        return Cell(x, y, part, value, moves, others, mixed)

    def _played(self, policy: Any, row: int) -> tuple[str, ...]:
        odds = policy(self.solved.position(row))
        return tuple(self.game.format_move(move) for move, chance in odds.items() if chance > 0)

    # -------------------------------------------------------------------------- boards

    def _board(self, column: Column) -> Map:
        """Squares of a board, the ends of plays among them, with the way that each best move goes."""
        import numpy as np

        solved, board = self.solved, column.type
        inside = set(self.view.chosen[column.name])
        over = np.flatnonzero(solved.mover == TERMINAL)
        for held, number in self.view.held:
            if not held.is_player:  # who would move next says nothing of an end
                over = over[held.numbers[over] == number]
        ends = [int(row) for row in over if int(column.numbers[row]) not in inside]
        rows = dict.fromkeys(int(column.numbers[row]) for row in [*self.view.rows, *ends])
        first: dict[int, list[int]] = {number: [] for number in rows}
        for row in [*self.view.rows.tolist(), *ends]:
            first[int(column.numbers[row])].append(row)
        usual = self._usual_steps(column, self.view.rows.tolist())
        cells = []
        for number in sorted(first):
            found = first[number]
            mixed = len({self._key(row) for row in found}) > 1
            y, x = board.place(number)
            cell = self._cell(x, y, 0, found[0], mixed)
            steps = tuple(usual.get(move) for move in cell.moves)
            cells.append(Cell(cell.x, cell.y, 0, cell.value, cell.moves, cell.others, cell.mixed, steps))
        letters: tuple[Label, ...] = tuple(column_labels(board))
        numbers: tuple[Label, ...] = tuple(range(1, board.rows + 1))
        return Map(
            self._title(), self.shows, Axis(f"{column.name}: column", letters),
            Axis(f"{column.name}: row", numbers), None, tuple(cells), self._notes(), policies=self.texts,
            board=True,
        )  # fmt: skip

    def _axes_are_cells(self) -> bool:
        """Whether nobody asked for axes and cells of a board became one: what stands on two of nine cells
        tells little."""
        wishes = self.wishes
        asked = any((wishes.x, wishes.y, wishes.slices, wishes.at))
        return not asked and self._cells_of(self.view.x) is not None

    def _cells_of(self, column: Column) -> Cells | None:
        """The board of which this variable is one cell."""
        name = column.name.partition("[")[0]
        (variable,) = (v for v in self.game.model.variables if v.name == name)
        indices = variable.indices
        return indices[0] if len(indices) == 1 and isinstance(indices[0], Cells) else None

    def _shown_board(self) -> Board | None:
        """The one board of the position, whose cells became axes."""
        boards = self._boards(self.start)
        return boards[0] if len(boards) == 1 and _drawable(boards[0].cells) else None

    def _boards(self, position: Any) -> list[Board]:
        shown = [part for row in self.game.picture(position) for part in row]
        cells = self._cells_of(self.view.x)
        return [part for part in shown if isinstance(part, Board) and part.cells == cells]

    def _moves_on(self, board: Board) -> dict[int, Any]:
        """The legal moves by the one cell of the board that each names, or else changes: a disc that is
        dropped into a column. Nothing where they are not so."""
        moves = list(self.game.moves(self.start))
        for cell_of in (self._named, self._changed):
            found = {cell: move for move in moves if (cell := cell_of(board, move)) is not None}
            if len(found) == len(moves):
                return found
        return {}

    def _named(self, board: Board, move: Any) -> int | None:
        named = zip(move.family.parameters, move.values, strict=True)
        places = [value for parameter, value in named if parameter.type == board.cells]
        return places[0] if len(places) == 1 else None

    def _changed(self, board: Board, move: Any) -> int | None:
        outcomes = self.game.outcomes(self.start, move)
        after = self._boards(outcomes[0].position)
        if len(outcomes) > 1 or len(after) != 1:
            return None
        pairs = enumerate(zip(board.stones, after[0].stones, strict=True))
        places = [cell for cell, (before, now) in pairs if before != now]
        return places[0] if len(places) == 1 else None

    def _moves_on_board(self, board: Board, moves: dict[int, Any]) -> Map:
        """The board of the position, with what each move to one of its cells is worth."""
        from gdl.solving import solve

        known = {each.move: each for each in solve(self.game, at=self.start).moves}
        places, columns, rows = _places(board)
        cells = []
        for number, stone in enumerate(board.stones):
            x, up = places[number]
            there = known.get(moves.get(number))
            value = None if there is None or there.value is None else float(there.value.number) + 0.0  # no -0
            best = (there.text,) if there is not None and there.best else ()
            unnamed: tuple[tuple[str, ...], ...] = tuple(() for _ in self.texts)
            cells.append(Cell(x, up, 0, value, best, unnamed, stone=stone.in_one_line))
        shifts: tuple[float, ...] = ()
        if board.cells.kind == "hex":
            leaning = [row / 2 for row in range(board.cells.rows)][:: hex_lean(board.cells)]
            shifts = tuple(leaning if board.flip else leaning[::-1])
        mover = self.game.players[self.game.to_move(self.start)]
        ties = (BY_LENGTH,) if self.solved.by_length else ()
        notes = (self.solved.how, *ties, f"what each move is worth to {mover}, who is to move")
        return Map(
            self._title(), self.shows, Axis("column", columns), Axis("row", rows), None, tuple(cells), notes,
            policies=self.texts, board=True, shifts=shifts,
        )  # fmt: skip

    def _usual_steps(self, column: Column, rows: Sequence[int]) -> dict[str, tuple[float, float]]:
        """Where each move goes on the board, by its likeliest outcome, in most positions: against a wall
        it may stay, and still it is known where it would go."""
        found: dict[str, Counter[tuple[float, float]]] = defaultdict(Counter)
        element = [c.name for c in self.solved.columns].index(column.name)
        for row in rows:
            position = self.solved.position(row)
            for move in self.game.moves(position):
                likeliest = max(self.game.outcomes(position, move), key=lambda outcome: outcome.probability)
                here, there = int(column.numbers[row]), int(likeliest.position.values[element])
                (y, x), (down, across) = column.type.place(here), column.type.place(there)
                step = (float(across - x), float(down - y))
                if step != (0.0, 0.0):
                    found[self.game.format_move(move)][step] += 1
        return {move: steps.most_common(1)[0][0] for move, steps in found.items()}

    # ------------------------------------------------------------------------ surfaces

    def surface(self) -> Map:
        """Over two variables, the least value of a third from which on another move is best."""
        view = self.view
        x, y, z = view.x, view.y, view.z
        if y is None or z is None or not all(column.is_number for column in (x, y, z)):
            raise GameError(
                [nothing_to_plot("a surface needs three variables that are numbers", "Name x, y and z.")]
            )
        heights: dict[str, list[int]] = defaultdict(list)
        for row in view.rows.tolist():
            best = self._best(row)
            if len(best) == 1:
                heights[best[0]].append(int(z.numbers[row]))
        if len(heights) != 2:
            raise GameError(
                [
                    nothing_to_plot(
                        f"a surface lies between two moves, and {len(heights)} are best somewhere",
                        "draw slices instead: `--slices NAME` in place of `--z NAME`",
                    )
                ]
            )
        later = max(heights, key=lambda move: sum(heights[move]) / len(heights[move]))
        least: dict[tuple[int, int], int | None] = {}
        xs, ys = ({n: k for k, n in enumerate(view.chosen[c.name])} for c in (x, y))
        for row in view.rows.tolist():
            place = xs[int(x.numbers[row])], ys[int(y.numbers[row])]
            height = int(z.label(int(z.numbers[row]))) if later in self._best(row) else None
            known = least.get(place)
            least[place] = height if known is None else known if height is None else min(known, height)
        cells = tuple(
            Cell(i, j, 0, None if height is None else float(height))
            for (i, j), height in sorted(least.items())
        )
        return Map(
            f"{self._title()}, as a surface", "surface", self._axis(x), self._axis(y), None, cells,
            (*self._notes(), f"on the surface and above it `{later}` is best"), worth=z.name, threshold=later,
        )  # fmt: skip


def _drawable(cells: Cells) -> bool:
    """Whether each cell has a column and a row, or a name that says both."""
    return cells.rows > 0 or named_places(cells) is not None


def _places(board: Board) -> tuple[list[tuple[int, int]], tuple[Label, ...], tuple[Label, ...]]:
    """The column and the row of each cell, from the left and from below, and what these are called."""
    cells = board.cells
    if cells.rows > 0:
        places = [cells.place(number)[::-1] for number in range(cells.size)]
        numbers: list[Label] = list(range(1, cells.rows + 1))
        if board.flip:
            return places, tuple(column_labels(cells)), tuple(numbers)
        upside_down = [(x, cells.rows - 1 - y) for x, y in places]
        return upside_down, tuple(column_labels(cells)), tuple(numbers[::-1])
    places = named_places(cells) or []
    letters = [chr(ord("a") + x) for x in range(1 + max(x for x, _ in places))]
    return places, tuple(letters), tuple(range(1, 2 + max(y for _, y in places)))


def _declared(game: Game[Any, Any], text: str) -> Any:
    if not isinstance(game, DeclaresPolicies):
        raise GameError([nothing_to_plot(f"{game.name} declares no policies", "Leave --policy out.")])
    return game.policy(text)
