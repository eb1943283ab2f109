"""Diagrams say what is known from elsewhere, and their files are what their endings say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from time import sleep

import pyarrow.parquet as pq
import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.draw.plots.plot import Axis, Cell, Map
from gdl.sweeps.ranges import read_values


@pytest.fixture(scope="module")
def blackjack() -> Map:
    drawn = gdl.plot("policy", gdl.load("blackjack", engine="native"))
    assert isinstance(drawn, Map)
    return drawn


def test_blackjack_has_the_axes_of_printed_tables_and_basic_strategy(blackjack: Map) -> None:
    """E. Thorp, 'Beat the Dealer': hard hands are hit below 17 against 7 and more, 12 stands against 4 to 6,
    13 to 16 against 2 to 6; soft hands are hit up to 17, and 18 against 9, 10 and an ace."""
    assert blackjack.y is not None and blackjack.slices is not None
    assert (blackjack.x.name, blackjack.y.name) == ("total[dealers]", "total[own]")
    assert blackjack.slices.name == "soft[own]"
    for row in blackjack.rows():
        dealer, own = row["total[dealers]"], row["total[own]"]
        if row["soft[own]"] == "true":
            stands = own >= 19 or (own == 18 and dealer <= 8)
        else:
            stands = own >= 17 or (own >= 13 and dealer <= 6) or (own == 12 and 4 <= dealer <= 6)
        assert row["best"] == ("stick" if stands else "hit"), row


def test_gridworld_arrows() -> None:
    """Russell & Norvig, figure 17.2 (a) and 17.3."""
    drawn = gdl.plot("policy", gdl.load("gridworld", engine="native"))
    assert isinstance(drawn, Map) and drawn.board
    arrows = {(cell.x, cell.y): cell.steps for cell in drawn.cells if cell.moves}
    up, right, left = (0, 1), (1, 0), (-1, 0)
    assert arrows == {
        (0, 2): (right,), (1, 2): (right,), (2, 2): (right,), (0, 1): (up,), (2, 1): (up,), (0, 0): (up,),
        (1, 0): (left,), (2, 0): (left,), (3, 0): (left,),
    }  # fmt: skip
    values = {(cell.x, cell.y): cell.value for cell in drawn.cells}
    assert values[0, 0] == pytest.approx(0.705, abs=5e-4) and values[2, 2] == pytest.approx(0.918, abs=5e-4)


def test_halving_strip_has_the_losses_of_the_lectures() -> None:
    drawn = gdl.plot("policy", gdl.load("halving", start=20), policies=["hasty"])
    lost = [row["number"] for row in drawn.rows() if row["value"] == -1]
    assert lost == [1, 4, 6, 10, 14, 16, 18]
    assert isinstance(drawn, Map)
    apart = {drawn.x.values[cell.x] for cell in drawn.cells if cell.differs(0)}
    assert 3 in apart and 4 not in apart  # at 3 only halving wins; at 4 all is lost


def test_bold_play_is_among_the_best_stakes() -> None:
    """Dubins & Savage: with a coin against you, stake all, or what is missing."""
    drawn = gdl.plot("policy", gdl.load("gamblers_problem", engine="native"))
    for row in drawn.rows():
        bold = min(row["capital"], 100 - row["capital"])
        assert f"stake({bold})" in row["best"].split(" or ")


def test_files(blackjack: Map, tmp_path: Path) -> None:
    starts = {
        ".png": b"\x89PNG",
        ".svg": b"<?xml",
        ".pdf": b"%PDF",
        ".csv": b"total[dealers],",
        ".json": b"{",
    }
    for ending, start in starts.items():
        blackjack.save(tmp_path / f"table{ending}")
        assert (tmp_path / f"table{ending}").read_bytes().startswith(start)


def test_wishes_that_fit_nothing() -> None:
    game = gdl.load("halving")
    for wish in ({"x": "size"}, {"at": "number=99"}, {"at": "nonsense"}):
        with pytest.raises(GameError) as error:
            gdl.plot("policy", game, **wish)
        assert error.value.diagnostics[0].code == "D004"
    with pytest.raises(GameError) as error:
        gdl.plot("policy", gdl.load("kuhn_poker"))
    assert error.value.diagnostics[0].code == "D005"


def test_an_unknown_variable_is_told_before_the_game_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    def solving(*_: object, **__: object) -> None:
        raise AssertionError("it was solved first")

    monkeypatch.setattr("gdl.plots.maps.solved_positions", solving)
    pig = gdl.load("pig")
    for wish in ({"x": "potty"}, {"slices": "banked"}, {"at": "pot=3 trun=first"}, {"at": "bank=[0 3]"}):
        with pytest.raises(GameError, match="no variable"):
            gdl.plot("policy", pig, **wish)
    for wish in ({"x": "pot=1..9"}, {"at": "banked=[0 3]"}, {"at": "banked[first]=3"}):
        with pytest.raises(AssertionError, match="solved first"):
            gdl.plot("policy", pig, **wish)


def test_sweep_of_the_lectures_and_its_journal(tmp_path: Path) -> None:
    """The player to move loses from 1, 4 and 6 (games/halving.gdl); what a stopped sweep knew is kept."""
    out = tmp_path / "table.csv"
    found = gdl.sweep("halving", start="1..6", out=out)
    assert [row["value"] for row in found] == [-1, 1, 1, -1, 1, -1]
    assert out.read_text().splitlines()[1].startswith("1,-1.0")
    assert not (tmp_path / "table.csv.rows").exists()


def test_a_sweep_that_was_killed_goes_on(tmp_path: Path) -> None:
    """What was known is not computed again: it has the time that it took before."""
    out, journal = tmp_path / "pig.parquet", tmp_path / "pig.parquet.rows"
    command = [sys.executable, "-m", "gdl", "sweep", "pig", "goal=5..900", "--jobs", "1", "--out", str(out)]
    sweeping = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        sleep(0.1)
        if journal.exists() and journal.read_bytes().count(b"\n") > 2:
            break
    sweeping.kill()
    sweeping.wait()
    known = [json.loads(line)["row"] for line in journal.read_text().splitlines()[1:3]]
    assert not out.exists()
    with journal.open("a") as file:
        file.write('{"point": "{\\"goal')  # killed as it wrote
    with pytest.raises(GameError) as error:
        gdl.sweep("pig", goal="5..8", out=out, resume=True, exact=True)
    assert "another sweep" in error.value.diagnostics[0].message
    with pytest.raises(GameError) as error:
        gdl.sweep("pig", goal="5..8", out=out)
    assert error.value.diagnostics[0].code == "C004"
    found = gdl.sweep("pig", goal="5..8", out=out, resume=True)
    assert [row["seconds"] for row in found][:2] == [row["seconds"] for row in known]
    assert [row["goal"] for row in found] == ["5", "6", "7", "8"] and not journal.exists()
    assert pq.read_table(out).column("goal").to_pylist() == ["5", "6", "7", "8"]


def test_several_parameters_make_a_grid_on_several_processes(tmp_path: Path) -> None:
    """Chomp: the first player wins unless there is one cell only (Gale 1974)."""
    seen: list[tuple[int, int]] = []
    out = tmp_path / "grid.json"
    found = gdl.sweep("chomp", rows="1..2", cols="1..2", jobs=2, out=out, advance=lambda *n: seen.append(n))
    assert [row["value"] for row in found] == [-1, 1, 1, 1]
    assert seen[-1] == (4, 4)
    assert json.loads(out.read_text())["rows"][0]["value"] == -1


def test_ranges() -> None:
    assert read_values("0..1 step 1/4") == ("0", "1/4", "1/2", "3/4", "1")
    for text in ("5..1", "0..1 step 0", "1/2..1", "1..x", "1,,2", "0..9 step -1"):
        with pytest.raises(GameError) as error:
            read_values(text)
        assert error.value.diagnostics[0].code == "D006"


def test_plain_value_iteration_closes_on_the_published_value() -> None:
    """Pig to 10 points: the first player wins with 0.709424 (games/pig.gdl)."""
    drawn = gdl.plot("convergence", gdl.load("pig", goal=10, engine="native"), "value_iteration")
    lines: dict[str, list[float]] = {}
    for row in drawn.rows():
        if row["panel"] == "value of the start":
            lines.setdefault(row["series"], []).append(row["y"])
    truth = 2 * 0.709424322598303 - 1
    assert all(low <= truth + 1e-9 for low in lines["from below"])
    assert all(high >= truth - 1e-9 for high in lines["from above"])
    assert lines["from above"][-1] - lines["from below"][-1] < 1e-3


def test_moves_of_one_name_are_drawn_as_won_and_lost() -> None:
    """C. Bouton, 'Nim, a game with a complete mathematical theory': lost where the heaps' nim-sum is 0."""
    from gdl.draw.plots.kinds import kinds_of

    drawn = gdl.plot("policy", gdl.load("nim", engine="reference", heap1=2, heap2=3, heap3=3))
    assert isinstance(drawn, Map) and drawn.y is not None and drawn.slices is not None
    kinds = kinds_of(drawn)
    for cell, kind in zip(drawn.cells, kinds.of, strict=True):
        heaps = (drawn.x.values[cell.x], drawn.y.values[cell.y], drawn.slices.values[cell.slice])
        lost = int(heaps[0]) ^ int(heaps[1]) ^ int(heaps[2]) == 0
        assert kinds.names[kind] == ("lost" if lost else "won by the player to move"), heaps


def test_a_game_without_a_move_has_no_shape() -> None:
    text = "game over\nplayers: solo\nposition:\n    x: 0..1 = 0\nplayer: solo\n"
    text += "move go:\n    x = 1\nterminal: true\nutility: x\n"
    with pytest.raises(GameError, match="D005"):
        gdl.plot("shape", gdl.loads(text, engine="reference"))


def test_moves_to_cells_are_drawn_on_the_board() -> None:
    """After a corner only the centre draws (any book on tic-tac-toe); row 1 is above, as `show` has it."""
    corner = "board=[x empty empty empty empty empty empty empty empty] turn=o"
    drawn = gdl.plot("policy", gdl.load("tictactoe", engine="reference"), start=corner)
    assert isinstance(drawn, Map) and drawn.board and drawn.y is not None
    assert drawn.y.values == (3, 2, 1)
    worth = {(cell.x, cell.y): (cell.value, cell.stone) for cell in drawn.cells}
    assert worth.pop((0, 2)) == (None, "X")
    assert worth.pop((1, 1)) == (0.0, ".")
    assert {value for value, _ in worth.values()} == {-1.0}
    assert [line.split() for line in drawn.text().splitlines()[-6:-2]] == [
        ["1", "X", "-1", "-1"], ["2", "-1", "0*", "-1"], ["3", "-1", "-1", "-1"], ["a", "b", "c"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["pacman", "pig", "halving", "tictactoe", "gridworld"])
def test_the_start_is_the_start_however_positions_are_numbered(name: str) -> None:
    from gdl.plots.solved import solved_positions

    solved = solved_positions(gdl.load(name, **({"goal": 5} if name == "pig" else {})))
    start = solved.game.initial()[0].position
    assert solved.game.format_position(solved.position(solved.start)) == solved.game.format_position(start)


def test_moves_on_a_board_are_those_of_whoever_begins() -> None:
    """Whose turn it is follows from the rest in pacman, whose board is chequered; moves of the ghost have no
    place where Pacman stands."""
    drawn = gdl.plot("policy", gdl.load("pacman"))
    assert any("turn=pacman" in note for note in drawn.notes)
    moves = [(cell, move) for cell in drawn.cells for move in cell.moves]
    assert len(moves) > 4
    for cell, move in moves:
        found = re.search(r"\((-?\d), (-?\d)\), (\w)(\d)", move)
        assert found is not None
        down, across = int(found[1]), int(found[2])
        assert drawn.x.values[cell.x + across] == found[3], move
        assert drawn.y is not None and drawn.y.values[cell.y + down] == int(found[4]), move
    assert all(None not in cell.steps for cell in drawn.cells)


def test_a_move_that_names_no_cell_is_drawn_where_it_puts_its_disc() -> None:
    """Discs fall to the lowest row; what they are worth is what the textbook finds in fractions."""
    drawn = gdl.plot("policy", gdl.load("connect_four", width=3, height=3, connect=3))
    assert drawn.board
    exact = gdl.solve(gdl.load("connect_four", width=3, height=3, connect=3, engine="reference"))
    worth = {cell.x: cell.value for cell in drawn.cells if cell.value is not None}
    assert worth == {k: float(move.value.number) for k, move in enumerate(exact.moves)}
    assert {cell.y for cell in drawn.cells if cell.value is not None} == {0}


def test_cells_of_a_board_are_no_axes_unless_asked_for() -> None:
    small = gdl.load("breakthrough", rows=4, cols=3)
    with pytest.raises(GameError, match="no two make axes") as error:
        gdl.plot("policy", small)
    asked = re.findall(r'--[xy] "([^"]+)"', error.value.diagnostics[0].hint or "")
    assert len(asked) == 2
    assert gdl.plot("policy", small, x=asked[0], y=asked[1]).cells


def test_moves_that_tie_are_told_apart_by_length_and_that_is_said() -> None:
    assert any("soonest" in note for note in gdl.plot("policy", gdl.load("halving")).notes)
    assert not any("soonest" in note for note in gdl.plot("policy", gdl.load("pig", goal=5)).notes)


def test_a_surface_is_seen_from_where_it_does_not_hide_itself() -> None:
    """A wall along one side is behind, not before, what lies at its foot."""
    import numpy as np

    from gdl.draw.plots.maps import _clearest_view

    wall = np.zeros((20, 20))
    for side, facing in (((0, slice(None)), (0, 180)), ((-1, slice(None)), (180, 360))):
        grid = wall.copy()
        grid[side] = 10  # at the least or the greatest y
        azim = _clearest_view(grid)[1]
        assert facing[0] < azim < facing[1]


def test_hexagons() -> None:
    """On unequal sides whoever has the shorter way wins, even as second (Gardner, 1957)."""
    from matplotlib.patches import RegularPolygon

    drawn = gdl.plot("policy", gdl.load("hex", rows=2, cols=3))
    assert drawn.shifts == (0.5, 0.0)  # the second row is below, half a cell to the right
    assert [cell.value for cell in drawn.cells] == [1.0] * 6
    assert all(cell.moves for cell in drawn.cells)
    tiles = [patch for patch in drawn.figure().axes[0].patches if isinstance(patch, RegularPolygon)]
    assert [tile.numvertices for tile in tiles] == [6] * 6


def test_long_names_do_not_run_out_of_the_picture() -> None:
    """Of the legend, where several moves tie whose names are long."""
    names = [f"{x}_{'very_' * 5}long(with, {x}) or another_{'quite_' * 9}long_one({x})" for x in "abcdef"]
    cells = tuple(Cell(k, 0, 0, 1.0, (name,)) for k, name in enumerate(names))
    drawn = Map("long names", "policy", Axis("x", tuple("abcdef")), Axis("y", (1,)), None, cells)
    figure = drawn.figure()
    figure.canvas.draw()
    (legend,) = [legend for part in figure.subfigs for legend in part.legends]
    box, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 and box.x1 <= whole.x1
    assert box.y0 >= figure.subfigs[0].bbox.y0 - 1 and box.y1 <= whole.y1


def test_points_that_are_named_like_squares_make_a_board() -> None:
    """The points of three men's morris: what a move is worth is the same at all corners, and at all sides."""
    drawn = gdl.plot("policy", gdl.load("three_mens_morris"))
    assert drawn.board and drawn.x.values == ("a", "b", "c") and drawn.y.values == (1, 2, 3)
    worth = {(cell.x, cell.y): cell.value for cell in drawn.cells}
    assert len(worth) == 9 and None not in worth.values()
    assert len({worth[x, y] for x in (0, 2) for y in (0, 2)}) == 1
    assert worth[0, 1] == worth[1, 0] == worth[2, 1] == worth[1, 2] != worth[1, 1]


def test_long_names_of_a_strip_stand_apart() -> None:
    drawn = gdl.plot("policy", gdl.load("kayles", pins=7))
    figure = drawn.figure()
    figure.canvas.draw()
    names = [text for text in figure.subfigs[1].axes[0].texts if text.get_text().startswith("{")]
    boxes = [text.get_window_extent() for text in names]
    assert len(boxes) > 20
    assert not [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]


def test_bands_stay_where_values_can_be() -> None:
    """Ten plays of tic-tac-toe by few simulations: nearly all are won, and no interval goes beyond a win."""
    drawn = gdl.plot("convergence", gdl.load("tictactoe"), solver="mcts", simulations=20, runs=6)
    band = drawn.panels[0].series[0]
    assert max(band.high) <= 1 and min(band.low) >= -1
    assert any(low < high for low, high in zip(band.low, band.high, strict=True))
