"""People at the table: turns, taking back, advice, files, and what stays hidden."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl import searching
from gdl.diagnostics import GameError
from gdl.draw.text import render_text
from gdl.loading import games
from gdl.playing.seats import take_seats
from gdl.table import telling
from gdl.table.placing import beside, placed
from gdl.table.pointing import Pointing, Spot, boards
from gdl.table.reading import Command, completions, labels, read_move, understood
from gdl.table.table import Table, Turn
from solvers.core.result import MoveValue, Value


def table_of(name: str, *, real_dice: bool = False, seed: int = 1, params: Any = None, **seats: str) -> Table:
    game = gdl.load(name, engine="reference", **(params or {}))
    wishes: dict[str | None, str] = {None: "random", **seats}
    return Table(game, take_seats(game, wishes), seed=seed, real_dice=real_dice)


def test_a_person_and_an_agent_take_turns_and_take_back() -> None:
    table = table_of("tictactoe", x="human")
    assert table.turn is Turn.PERSON
    table.make("place(b2)")
    assert table.turn is Turn.AGENT
    answer = table.advance()
    assert answer is not None and len(table.play) == 2
    assert table.undo() == 2 and len(table.play) == 0  # to where the person chose, past the agent
    assert table.undo() == 0
    assert table.redo() == 2 and table.play.history[-1] == answer
    with pytest.raises(GameError, match=r"place"):
        table.make("place(b2)")


def test_swapping_seats_swaps_who_chooses() -> None:
    table = table_of("tictactoe", x="human")
    table.swap()
    assert [seat.is_human for seat in table.seats] == [False, True]
    assert [seat.name for seat in table.seats] == ["x", "o"]
    assert table.turn is Turn.AGENT
    table.advance()
    assert table.turn is Turn.PERSON


def test_people_with_real_dice_say_what_chance_does() -> None:
    table = table_of("pig", real_dice=True, first="human", params={"goal": 20})
    assert table.make("roll") is None and table.turn is Turn.CHANCE
    assert [way.probability for way in table.ways] == [Fraction(1, 6)] * 6
    six = next(number for number, way in enumerate(table.ways) if way.label == "face = 6")
    table.happen(six)
    assert "pot=6" in str(table.play.position)
    table.make("roll")
    assert table.undo() == 1 and table.turn is Turn.PERSON  # the move that waits for the dice is taken back


def test_taking_back_goes_past_the_throw_of_an_agent() -> None:
    table = table_of("pig", real_dice=True, first="human", second="hold_at(20)", params={"goal": 20})
    table.make("roll")
    table.happen(5)
    table.make("hold")
    assert table.advance() is None and table.turn is Turn.CHANCE  # the agent rolls: what does it throw?
    assert table.undo() == 1 and table.turn is Turn.PERSON
    assert "pot=6" in str(table.play.position)


def test_a_hint_is_the_truth_where_it_can_be_proven() -> None:
    table = table_of("tictactoe", x="human", o="human")
    for move in ("place(a1)", "place(b1)"):
        table.make(move)
    hint = table.hint(20.0)  # it ends with the proof
    best = {move.text for move in hint.moves if move.best}
    assert hint.kind == "exact" and hint.value == 1
    assert best and "place(c1)" not in best  # by hand: after c1 and b2 nothing is left to win


def test_a_play_is_saved_and_gone_on_with(tmp_path: Path) -> None:
    table = table_of("tictactoe", x="human", o="human")
    table.make("place(a1)")
    table.save(tmp_path / "play.json")
    again = table_of("tictactoe", x="human", o="human")
    again.load(tmp_path / "play.json")
    assert again.play.position == table.play.position and len(again.play) == 1
    with pytest.raises(GameError, match="another play"):
        table_of("pig").load(tmp_path / "play.json")
    with pytest.raises(GameError, match="directory"):
        table.save(tmp_path / "none" / "play.json")


def test_what_is_hidden_stays_hidden_between_people() -> None:
    table = table_of("kuhn_poker", alice="human", bob="human")
    while table.turn is Turn.AGENT:
        table.advance()
    assert table.must_hand_over
    table.hand_over()
    cards = render_text(table.picture())
    assert "?" in cards and not table.must_hand_over
    table.make(table.play.moves()[0])
    while table.turn is Turn.AGENT:
        table.advance()
    assert table.must_hand_over  # the other person is to move now
    assert render_text(table.picture()) != cards


# ------------------------------------------------------------------------------ what is typed


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("go(b1, c3)", "go(b1, c3)"),
        ("b1c3", "go(b1, c3)"),
        ("B1 c3", "go(b1, c3)"),
        ("g e2 e4", "go(e2, e4)"),
    ],
)
def test_moves_may_be_shortened(text: str, move: str) -> None:
    game = gdl.load("chess", engine="reference")
    start = game.initial()[0].position
    assert game.format_move(understood(game, start, text)) == move


def test_a_number_may_stand_right_behind_the_name() -> None:
    four = gdl.load("connect_four", engine="reference")
    assert four.format_move(understood(four, four.initial()[0].position, "d3")) == "drop(3)"
    breakthrough = gdl.load("breakthrough", engine="reference")
    start = breakthrough.initial()[0].position
    assert breakthrough.format_move(understood(breakthrough, start, "a2a3")) == "step(a2, 0, a3)"
    with pytest.raises(GameError):  # a cell without a move, not a short `step(c2, 1, d3)`
        understood(breakthrough, breakthrough.initial()[0].position, "c1")


def test_what_is_unclear_or_unknown_is_said() -> None:
    game = gdl.load("chess", engine="reference")
    start = game.initial()[0].position
    with pytest.raises(GameError) as several:
        understood(game, start, "b1")
    assert several.value.diagnostics[0].code == "C014"
    with pytest.raises(GameError) as unknown:
        understood(game, start, "undoo")
    assert unknown.value.diagnostics[0].hint == "did you mean `undo`?"
    assert understood(game, start, "save a b.json") == Command("save", "a b.json")
    assert "go(e2, e4)" in completions(game, start, "e2")


def test_a_number_means_one_thing() -> None:
    four = gdl.load("connect_four", engine="reference")
    moves = four.moves(four.initial()[0].position)
    assert labels(four, moves) == ["0", "1", "2", "3", "4", "5", "6"]
    assert four.format_move(read_move(four, moves, "3")) == "drop(3)"
    chess = gdl.load("chess", engine="reference")
    moves = chess.moves(chess.initial()[0].position)
    assert read_move(chess, moves, "3") == moves[2]


def test_a_move_goes_before_a_command_of_its_name() -> None:
    text = """
game names
players: a, b
position:
    n: 0..1 = 0
player: a
move undo: n = 1
terminal: n == 1
utility: 0
"""
    game = gdl.loads(text, engine="reference")
    start = game.initial()[0].position
    assert understood(game, start, "undo") == game.moves(start)[0]
    assert understood(game, start, "/undo") == Command("undo")


# ----------------------------------------------------------------------- what is pointed at


@pytest.mark.parametrize("name", ["tictactoe", "chess", "hex", "nine_mens_morris", "backgammon"])
def test_cells_are_found_where_they_are_drawn(name: str) -> None:
    game = gdl.load(name, engine="reference")
    picture = game.picture(game.initial()[0].position)
    lines = render_text(picture).split("\n")
    places = placed(picture)
    drawn = boards(picture)
    assert len(places) == sum(len(board.stones) for board in drawn)
    for spot, (line, column, width, _) in places.items():
        glyph = drawn[spot.board].stones[spot.cell].glyph
        assert lines[line].ljust(column + width)[column : column + width].startswith(glyph)


@pytest.mark.parametrize("name", ["tictactoe", "chess", "hex"])
def test_arrows_go_from_row_to_row_and_back(name: str) -> None:
    game = gdl.load(name, engine="reference")
    picture = game.picture(game.initial()[0].position)
    places = placed(picture)
    (board,) = boards(picture)
    for spot in places:
        row, col = board.cells.place(spot.cell)
        for right, down in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            to = board.cells.place(beside(places, spot, right, down).cell)
            step = -down if board.flip else down
            if 0 <= row + step < board.cells.rows and 0 <= col + right < board.cells.cols:
                assert to[0] == row + step, (spot, right, down)
                assert to[1] == col + right or down, (spot, right, down)


TWO_LINES = """
game g
players: a, b
type Cell = grid(2, 2)
position:
    left[Cell]: 0..20 = [10, 2, 3, 4]
    owner[Cell]: player? = [a, none, b, none]
player: a
move look(c: Cell): pass
show: flip(above(left, owner))
terminal: false
utility: 0
endless: 0
"""


def test_squares_of_two_lines_are_found_on_both() -> None:
    game = gdl.loads(TWO_LINES, engine="reference")
    picture = game.picture(game.initial()[0].position)
    assert render_text(picture).split("\n") == ["2 3  4", "  b", "1 10 2", "  a", "  a  b"]
    found = {spot.cell: place for spot, place in placed(picture).items()}
    assert (found[0].line, found[0].column, found[0].width, found[0].height) == (2, 2, 2, 2)
    assert [found[cell].height for cell in (1, 2, 3)] == [2, 2, 2]


def test_pointing_at_cells_makes_moves() -> None:
    chess = gdl.load("chess", engine="reference")
    start = chess.initial()[0].position
    pointing = Pointing(chess, start)
    cells = pointing.boards[0].cells.ordinals
    first, second = Spot(0, cells["g1"]), Spot(0, cells["f3"])
    assert first in pointing.targets() and second not in pointing.targets()
    assert pointing.settled([first]) is None and pointing.targets([first]) == {second, Spot(0, cells["h3"])}
    assert chess.format_move(pointing.settled([first, second])) == "go(g1, f3)"
    four = gdl.load("connect_four", engine="reference")
    column = Pointing(four, four.initial()[0].position)
    cells = column.boards[0].cells.ordinals
    for cell in ("d1", "d6"):  # where the stone comes to lie, or anywhere above
        assert four.format_move(column.settled([Spot(0, cells[cell])])) == "drop(3)"


def test_a_hint_tells_moves_apart_that_a_search_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.loads(games()["breakthrough"].read_text(encoding="utf-8") + "\nevaluate: 0\n")
    budgets: list[float] = []
    searched = searching.searched

    def noted(game: Any, position: Any, plan: Any, options: Any) -> Any:
        budgets.append(plan.seconds)
        return searched(game, position, plan, options)

    monkeypatch.setattr(searching, "searched", noted)
    hint = Table(game, take_seats(game, {None: "human"}), seed=1).hint(0.5)
    assert hint.solver == "mcts" and "alphabeta sees no difference between the moves" in hint.how
    how, first, second, *_ = telling.hinted(hint)
    assert how == f"mcts: {hint.how}"
    assert first.startswith("* ") and not second.startswith("* ")
    assert sum(budgets) <= 0.5  # one after the other, by one clock
    tried = [move.visits or 0 for move in hint.moves]
    assert first.endswith(f" {max(tried):,} plays ({100 * max(tried) / sum(tried):.0f} %)")


def test_moves_are_listed_by_what_makes_them_best() -> None:
    def tried(text: str, worth: float, plays: int, best: bool = False) -> MoveValue:
        return MoveValue(text, text, Value.estimate(worth), best=best, visits=plays)

    moves = (tried("a", 0.08, 10), tried("b", 0.06, 60, best=True), tried("c", 0.01, 30))
    result = replace(
        gdl.search(gdl.load("tictactoe", engine="reference"), "mcts", simulations=9), moves=moves
    )
    _, *lines = telling.hinted(result)
    assert [line[:3] for line in lines] == ["* b", "  c", "  a"]
    assert [line.rpartition("(")[2] for line in lines] == ["60 %)", "30 %)", "10 %)"]


def test_a_hint_mixes_as_an_equilibrium_does() -> None:
    # Kuhn, 1950: who moves first never bets with the queen; the second always calls with the king, and folds
    # the jack.
    game = gdl.load("kuhn_poker", engine="reference")
    table = Table(game, take_seats(game, {None: "human"}), seed=1)
    starts = [outcome.position for outcome in game.initial()]
    for cards, moves, best in (
        ("alice=queen", (), "check"),
        ("bob=king", ("bet",), "call"),
        ("bob=jack", ("bet",), "fold"),
    ):
        table.play = gdl.Play(
            game, next(start for start in starts if cards in render_text(game.picture(start)))
        )
        for move in moves:
            table.make(move)
        hint = table.hint(0.2)
        assert [move.text for move in hint.moves if move.best] == [best]
        how, first, *_ = telling.hinted(hint)
        assert "equilibrium" in how and first.startswith(f"* {best}") and "played 100 %" in first
