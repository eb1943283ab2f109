"""Tables that lectures give by hand: outcomes, sizes, UCB1, policies, searches side by side."""

from __future__ import annotations

import math
import re

import pytest

from tests.commands.conftest import Gdl

LAST_OF_THE_TURN = "left=[1 0 0 0 0 0] turn=white"


def test_two_dice_have_21_rolls(gdl: Gdl) -> None:
    way = gdl("moves", "backgammon", "play(24, 1)", "--at", LAST_OF_THE_TURN, "--json").data["ways"][0]
    odds = [one["probability"] for one in way["outcomes"]]
    assert sorted(odds) == ["1/18"] * 15 + ["1/36"] * 6
    for one in way["outcomes"]:
        a, b = re.findall(r"= (\d)", one["chance"])
        assert (one["probability"] == "1/36") == (a == b)


@pytest.mark.parametrize(("roll", "ways"), [("1 1 0 0 0 0", 15), ("0 1 1 0 0 0", 17), ("0 0 0 0 0 4", 11)])
def test_whole_turns_are_those_that_other_programs_count(gdl: Gdl, roll: str, ways: int) -> None:
    """The counts are those of the header of backgammon.gdl."""
    ran = gdl("moves", "backgammon", "--turns", "--at", f"left=[{roll}] turn=white")
    assert f"{ways} ways to play the turn" in ran.out


def test_a_start_that_is_drawn_is_listed(gdl: Gdl) -> None:
    (way,) = gdl("moves", "kuhn_poker", "--json").data["ways"]
    assert [one["probability"] for one in way["outcomes"]] == ["1/6"] * 6
    assert way["outcomes"][0]["changes"] == "card=[jack queen]"


def test_changes_name_elements_and_ends_pay(gdl: Gdl) -> None:
    ran = gdl("moves", "tictactoe", "place(c1)", "--at", "board=[x x empty o o empty empty empty empty]")
    assert re.search(r"place\(c1\)  1  board\[c1\]=x turn=o  1$", ran.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("moves", "bins", "--moves", "choose(A)"), "C015"),
        (("search", "backgammon", "--moves", "play(24, 1)"), "C015"),
        (("moves", "bins", "take(0)"), "P007"),
        (("moves", "backgammon", "pass"), "drawn at random"),
        (("moves", "bins", "choose(A)", "--turns"), "no single move"),
        (("ucb1", "3/0"), "60/79"),
        (("ucb1", "3"), "60/79"),
        (("ucb1", "x/2"), "60/79"),
        (("size", "tictactoe", "-b", "0"), "--branching"),
        (("size", "tictactoe", "-a", "nobody"), "nobody"),
    ],
)
def test_bad_input_is_told(gdl: Gdl, arguments: tuple[str, ...], complaint: str) -> None:
    ran = gdl(*arguments)
    assert ran.code in (1, 2)
    assert complaint in ran.err


def test_an_expression_is_a_random_variable_where_chance_decides(gdl: Gdl) -> None:
    ran = gdl("eval", "pig", "pot", "--moves", "roll [face=3] roll", "--json")
    assert {row["value"]: row["probability"] for row in ran.data["values"]} == {
        str(pot): "1/6" for pot in (0, 5, 6, 7, 8, 9)
    }
    assert "= 35/6" in gdl("eval", "pig", "pot", "--moves", "roll [face=3] roll").out


def test_sizes_are_powers(gdl: Gdl) -> None:
    found = gdl("size", "chess", "-b", "35", "-m", "100", "--nodes", "1e9", "--json").data
    assert found["log10_tree"] == pytest.approx(100 * math.log10(35))
    assert found["minimax_plies"] == pytest.approx(9 / math.log10(35))
    assert found["alphabeta_plies"] == pytest.approx(18 / math.log10(35))
    assert found["simulated_plays"] == 1e7
    found = gdl("size", "backgammon", "-b", "20", "-o", "21", "-m", "4", "--json").data
    assert 10 ** found["log10_tree"] == pytest.approx(20 * (21 * 20) ** 3)


def test_sizes_are_measured_in_plays(gdl: Gdl) -> None:
    """Every play of nim from 1, 1 has two moves, between 2 and 1 heaps."""
    found = gdl(
        "size", "nim", "-p", "heap1=1", "-p", "heap2=1", "-p", "heap3=0", "--plays", "3", "--json"
    ).data
    assert (found["branching"], found["plies"], found["outcomes"]) == (1.5, 2, 1)


def test_ucb1_is_the_formula(gdl: Gdl) -> None:
    found = gdl("ucb1", "60/79", "2/11", "--visits", "100", "-c", "1.4", "--json").data["ucb1"][0]
    by_hand = [u / n + 1.4 * math.sqrt(math.log(100) / n) for u, n in ((60, 79), (2, 11))]
    assert found["values"] == pytest.approx(by_hand)
    assert found["selected"] == "60/79"


def test_a_run_tells_how_probable_all_of_it_was(gdl: Gdl) -> None:
    ran = gdl("run", "piglet", "-p", "goal=2", "--seed", "1", "-a", "random")
    flips = ran.out.count("(1/2)")
    assert flips >= 2
    assert f"1/{2**flips}\n" in ran.out


def test_policies_are_compared_exactly(gdl: Gdl) -> None:
    """The four numbers of the lectures: -5 <= 1 <= 2 <= 5."""
    agents = ("agent=trusting", "agent=cautious", "opponent=best", "opponent=random")
    wishes = [word for one in agents for word in ("-a", one)]
    table = gdl("match", "bins", "-p", "coin=0", "--exact", *wishes)
    assert re.search(r"^trusting +-5 +5$", table.out, re.MULTILINE)
    assert re.search(r"^cautious +1 +2$", table.out, re.MULTILINE)
    rows = gdl("match", "bins", "-p", "coin=0", "--exact", *wishes, "--json").data["rows"]
    assert [row["values"]["agent"]["exact"] for row in rows] == ["-5", "5", "1", "2"]
    assert "R001" in gdl("match", "bins", "--exact", "-a", "agent=mcts", "-a", "opponent=best").err
    assert "C007" in gdl("match", "bins", "--exact", "-a", "nobody=best", "-a", "random").err


def test_searches_stand_side_by_side(gdl: Gdl) -> None:
    """Ten positions by hand: the best order leaves two of them out, the worst none."""
    orders = [word for order in ("best", "worst") for word in ("--solver", f"alphabeta(order={order})")]
    table = gdl("search", "bins", "-p", "coin=0", "--depth", "2", "--solver", "minimax", *orders)
    assert re.search(r"^nodes +10 +8 +10$", table.out, re.MULTILINE)
    assert re.search(r"^cuts +2 +0$", table.out, re.MULTILINE)
    assert gdl("search", "bins", "--plan", *orders).code == 2


def test_moves_know_what_may_still_be_paid(gdl: Gdl) -> None:
    """The intervals of the lectures: [3, 5] and [5, 100]."""
    ran = gdl("moves", "small_trees", "-p", "tree=intervals", "--range")
    assert re.search(r"go\(left\) +\[3, 5\]", ran.out) and re.search(r"go\(right\) +\[5, 100\]", ran.out)
    assert "payments on the way" in gdl("moves", "pacman", "--range").err
