"""Trees of games and searches: what is in them, against figures of books and counts by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, log, sqrt
from typing import Any

import pytest

import gdl
from gdl.draw.tree.labels import worth
from gdl.draw.tree.tree import Edge, Node, Span, Tree, Worth
from gdl.trees.plain import deepest_within
from gdl.trees.selection import Selection
from gdl.trees.twigs import Twig
from solvers.core.rounding import exact_twin
from solvers.registry import SOLVERS
from solvers.search.watching import Record
from solvers.simulation.mcts import mcts
from solvers.simulation.watching import Record as Simulated

TEXTBOOK = """\
game textbook
players: big, small
type I = 1..3
const leaf[I, I] = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
position:
    first: I?
    second: I?
player: big if first is none else small
move a(i: I) when first is none:
    first = i
move b(i: I) when first is I:
    second = i
terminal: first is I and second is I
utility: leaf[first, second]
"""
"""Russell & Norvig, Artificial Intelligence, figures 6.2 and 6.5."""


def edges(tree: Tree) -> Iterator[Edge]:
    return (edge for node in tree.nodes() for edge in node.edges)


def at(tree: Tree, *labels: str) -> Node:
    """The node that these moves and outcomes lead to."""
    node = tree.root
    for label in labels:
        (found,) = (edge.node for edge in node.edges if edge.label == label)
        assert found is not None
        node = found
    return node


@pytest.fixture(scope="module")
def textbook() -> Any:
    return gdl.loads(TEXTBOOK)


def test_alpha_beta_walks_the_tree_of_the_textbook_as_its_figure_says(textbook: Any) -> None:
    tree = gdl.tree(textbook, "alphabeta")
    cut = [(node.position, edge.label) for node in tree.nodes() for edge in node.edges if edge.cut]
    assert [label for _, label in cut] == ["b(2)", "b(3)"]
    assert all("first=2" in position for position, _ in cut)  # the leaves 4 and 6 of node C
    second = at(tree, "a(2)")
    assert second.worth is not None and (second.worth.numbers, second.worth.relation) == ((2,), "<=")
    assert second.window == Span(3, inf)
    # Figure 6.5 (f): D is [2, 2], for all its leaves were looked at, though its window opens at 3.
    third = at(tree, "a(3)")
    assert (third.worth, third.window) == (Worth((2,)), Span(3, inf))
    # Node D: beta falls to 14, then to 5; its last leaf ends it.
    assert [at(tree, "a(3)", f"b({i})").window for i in (1, 2, 3)] == [Span(3, inf), Span(3, 14), Span(3, 5)]
    assert [edge.label for edge in edges(tree) if edge.best] == ["a(1)", "b(1)"]
    assert [node.order for node in tree.nodes() if node.order] == list(range(1, 12))


def test_the_order_of_moves_decides_what_is_cut(textbook: Any) -> None:
    """Best first: leaves 3 12 8, then one of 2 4 6, and, 2 first, one of 14 5 2. Worst first: all nine."""
    leaves = {}
    for order in ("given", "best", "worst"):
        tree = gdl.tree(textbook, "alphabeta", order=order)
        assert tree.root.worth is not None and tree.root.worth.numbers == (3,)
        leaves[order] = sum(node.kind == "end" and not node.faint for node in tree.nodes())
    assert leaves == {"given": 7, "best": 5, "worst": 9}
    worst = gdl.tree(textbook, "alphabeta", order="worst")  # nothing is cut, so every minimum is known
    minima = [node.worth for node in worst.nodes() if node.kind == "min"]
    assert sorted(minima, key=str) == [Worth((2,)), Worth((2,)), Worth((3,))]


def uniform(branching: int, depth: int) -> Any:
    """A tree whose leaves are all different, in an order that is no order."""
    size = branching**depth
    kind = ", ".join(f"0..{branching - 1}" for _ in range(depth))
    values = iter((7 * i + 3) % size for i in range(size))
    leaves = {path: next(values) for path in product(range(branching), repeat=depth)}

    def table(path: tuple[int, ...]) -> str:
        if len(path) == depth:
            return str(leaves[path])
        return f"[{', '.join(table((*path, i)) for i in range(branching))}]"

    steps = "\n".join(f"    s{i}: 0..{branching - 1}?" for i in range(depth))
    moves = "\n".join(
        f"move m{i}(k: 0..{branching - 1}) when s{i} is none"
        + "".join(f" and s{j} is not none" for j in range(i))
        + f":\n    s{i} = k\n    turn = next(turn)"
        for i in range(depth)
    )
    known = " and ".join(f"s{i} is 0..{branching - 1}" for i in range(depth))
    index = ", ".join(f"s{i}" for i in range(depth))
    return gdl.loads(
        f"game uniform\nplayers: big, small\nconst leaf[{kind}] = {table(())}\nposition:\n{steps}\n"
        f"    turn: player = big\nplayer: turn\n{moves}\nterminal: {known}\nutility: leaf[{index}]\n"
    )


def test_best_first_looks_at_as_few_leaves_as_is_possible() -> None:
    """Knuth & Moore 1975: b^ceil(d/2) + b^floor(d/2) - 1 leaves, if values differ."""
    tree = gdl.tree(uniform(3, 3), "alphabeta(order=best)", nodes=1000)
    assert sum(node.kind == "end" and not node.faint for node in tree.nodes()) == 3**2 + 3 - 1


def test_values_of_the_lectures_stand_at_the_nodes() -> None:
    """Investing: 6/5, 7/10, 9/10; three players: (5, 2, 5), and (1, 6, 6) on the left (CS 188)."""
    investing = gdl.tree(gdl.load("investing"))
    worths = [edge.node.worth.numbers for edge in investing.root.edges if edge.node and edge.node.worth]
    assert [float(value) for (value,) in worths] == [1.2, 0.7, 0.9]
    assert {node.kind for node in investing.nodes()} == {"max", "chance", "end"}
    three = gdl.tree(gdl.load("three_players"))
    assert three.root.worth is not None and three.root.worth.numbers == (5, 2, 5)
    left = at(three, "go(left)").worth
    assert left is not None and left.numbers == (1, 6, 6)


def test_star1_says_where_the_expectation_must_lie() -> None:
    """bins with a fair coin: after C's first outcome, worth 1, it lies from (1 - 50)/2 to (1 + 50)/2, for
    utilities lie between -50 and 50; at the end it is -2."""
    tree = gdl.tree(gdl.load("bins"), "star1")
    chance = at(tree, "choose(C)")
    assert [edge.interval for edge in chance.edges] == [Span(-49 / 2, 51 / 2), Span(-2, -2)]
    assert sum(edge.cut for edge in edges(tree)) == 2  # the leaves 50 of A, twice
    assert tree.root.worth is not None and tree.root.worth.numbers == (-2,)


def test_what_nobody_knows_narrows_no_interval() -> None:
    """Pig has no `evaluate:`, so rolls that lead beyond the depth leave their expectation open."""
    pig = gdl.tree(gdl.load("pig", goal=10), "star2", depth=2)
    assert all(edge.interval is None for edge in edges(pig))
    assert all(node.interval is None for node in pig.nodes())
    assert any("rest on the middle" in note for note in pig.notes)


def test_ends_say_what_was_paid_on_the_way() -> None:
    """Pacman's two steps cost 1 each, and food in the corner pays 10."""
    tree = gdl.tree(gdl.load("pacman", time=2))
    ends = [node for node in tree.nodes() if node.kind == "end"]
    assert {node.in_all for node in ends} == {(8,), (-2,)}
    assert {node.worth.numbers for node in ends if node.worth} == {(0,)}
    assert "in all 8" in tree.text() and "what is still to come" in tree.text()
    assert not any(node.in_all for node in gdl.tree(gdl.load("bins")).nodes())  # nothing is paid on the way


def test_a_mean_of_simulations_says_what_its_move_pays() -> None:
    grown = gdl.tree(gdl.load("pacman", time=3), "mcts", simulations=40, seed=1)
    assert [edge.paid for edge in grown.root.edges] == [(-1,), (-1,)]
    assert "part of its number" in grown.text()


def test_chance_is_named_by_what_it_does() -> None:
    """Gridworld's step north goes west and east once in ten times each (Russell & Norvig, figure 17.1)."""
    north = at(gdl.tree(gdl.load("gridworld"), depth=1), "go(north)")
    assert [(edge.label, edge.probability) for edge in north.edges] == [
        ("walk(north)", Fraction(4, 5)), ("walk(west)", Fraction(1, 10)), ("walk(east)", Fraction(1, 10)),
    ]  # fmt: skip


def test_information_sets_of_kuhn_poker() -> None:
    """Six deals of nine nodes each below chance, and twelve information sets of two nodes (Kuhn 1950)."""
    tree = gdl.tree(gdl.load("kuhn_poker"))
    assert sum(1 for _ in tree.nodes()) == 1 + 6 * 9
    assert sorted(map(len, tree.groups)) == [2] * 12
    assert all(node.worth is None for node in tree.nodes() if node.kind != "end")


def test_what_was_judged_is_no_exact_fraction() -> None:
    assert worth(Worth((Fraction(-11, 1300),), judged=True)) == "-0.00846"
    assert worth(Worth((Fraction(-11, 1300),))) == "-11/1300"
    assert worth(Worth((Fraction(249, 50), -inf), judged=True)) == "(249/50, -∞)"


def test_what_is_left_out_is_counted() -> None:
    """Chess: 20 first moves, each with 20 answers, none of which takes anything."""
    tree = gdl.tree(gdl.load("chess"), depth=2, nodes=12)
    rest = tree.root.left_out
    assert rest is not None
    assert len(tree.root.edges) + rest.count == 20
    assert rest.positions == rest.count * 21
    assert rest.known == "none better"
    for edge in tree.root.edges:
        assert edge.node is not None
        hidden = edge.node.left_out.count if edge.node.left_out else 0
        assert len(edge.node.edges) + hidden == 20


def test_the_move_that_a_value_comes_from_is_drawn_first() -> None:
    """So what is said of the rest is seen to be true."""
    tree = gdl.tree(gdl.load("chess"), depth=2, nodes=8)
    parents = [node for node in tree.nodes() if node.edges and node.left_out]
    assert len(parents) > 2
    for node in parents:
        assert node.worth in [edge.node.worth for edge in node.edges if edge.node]


def test_what_is_left_out_is_compared_with_what_it_pays() -> None:
    """A move to a position of 1 that pays 4 is worth more than one to a position of 3 that pays 1."""

    def move(label: str, after: int, pays: int, leads: bool = False) -> Twig:
        return Twig(
            "end",
            label=label,
            worth=Worth((after,)),
            paid=(pays,),
            leads=leads,
            brings=Worth((after + pays,)),
        )

    moves = [move("far", 3, 1), move("near", 1, 4, True), move("none", 0, 0)]
    root = Twig("max", player=0, worth=Worth((5,)), grow=lambda: moves)
    node, _ = Selection(2, str, lambda position: None).drawn(root)
    assert [edge.label for edge in node.edges] == ["near"]
    assert node.left_out is not None and node.left_out.known == "all worse"


def test_without_a_depth_the_tree_is_as_deep_as_is_readable() -> None:
    """Tic-tac-toe has 1, 9, 72, 504, 3,024 positions in its first levels, counted as a tree."""
    game = exact_twin(gdl.load("tictactoe"))
    assert deepest_within(game, None, 1 + 9 + 72) == 2
    assert deepest_within(game, None, 1 + 9 + 72 + 503) == 2
    assert deepest_within(game, None, 1 + 9 + 72 + 504) == 3
    assert deepest_within(exact_twin(gdl.load("bins")), None, 2000) == inf


def test_what_is_too_large_to_be_searched_is_drawn_without_values() -> None:
    tree = gdl.tree(gdl.load("blackjack"), limit=100, nodes=10)
    assert all(node.worth is None for node in tree.nodes() if node.kind != "end")
    assert "more than 100 positions" in tree.notes[0]
    with pytest.raises(gdl.GameError, match="--solver none"):
        gdl.tree(gdl.load("blackjack"), depth=1, limit=100)


def test_equal_positions_are_drawn_once() -> None:
    """After one, two and three moves there are 9, 9 * 8 and 9 * 8 * 7 / 2 positions: x's two stones may come
    in either order."""
    tree = gdl.tree(gdl.load("tictactoe"), depth=3, graph=True, nodes=2000)
    positions = [node.position for node in tree.nodes()]
    assert len(positions) == len(set(positions)) == 1 + 9 + 72 + 252


def test_a_tree_of_simulations_counts_its_visits() -> None:
    tree = gdl.tree(gdl.load("tictactoe"), "mcts", simulations=40, seed=3)
    assert tree.root.visits == 40
    below = [edge.node.visits or 0 for edge in tree.root.edges if edge.node]
    assert sum(below) == 40 and len(below) == 9
    assert sum(edge.best for edge in tree.root.edges) == 1


def test_the_mean_of_a_move_is_that_of_what_chance_did() -> None:
    """Every play through a roll is one through one of its outcomes, also the play that added it."""
    tree = gdl.tree(gdl.load("pig", goal=40), "mcts", simulations=60, seed=2, nodes=1000)
    rolls = [node for node in tree.nodes() if node.kind == "chance" and node.edges]
    assert len(rolls) > 3
    for roll in rolls:
        seen = [edge.node for edge in roll.edges if edge.node and edge.node.visits]
        assert roll.visits == sum(node.visits or 0 for node in seen)
        assert roll.worth is not None and all(node.worth is not None for node in seen)
        total = sum((node.visits or 0) * float(node.worth.numbers[0]) for node in seen if node.worth)
        assert float(roll.worth.numbers[0]) == pytest.approx(total / (roll.visits or 1))


def test_a_step_is_selected_by_the_largest_ucb1() -> None:
    """The numbers that are told are those of the formula, and the chosen move has the largest."""
    record = Simulated(30)
    mcts(gdl.load("tictactoe"), simulations=30, seed=1, observer=record)
    step = record.iteration
    assert step is not None and step.number == 30
    first = step.selections[0]
    assert first.visits == 29
    totals = {}
    for candidate in first.candidates:
        assert candidate.bound is not None
        spread = 1.0 * 2 * sqrt(log(29) / candidate.visits)
        assert candidate.bound.exploration == pytest.approx(spread)
        totals[candidate.move] = candidate.bound.mean + spread
    assert totals[first.chosen] == pytest.approx(max(totals.values()))
    assert [credit.move for credit in reversed(step.credits)] == [s.chosen for s in step.selections]
    tree = gdl.tree(gdl.load("tictactoe"), "mcts", step=30, seed=1)
    assert "x chooses, N = 29, c = 1, range = 2" in "\n".join(tree.steps)
    assert any("c = 1: as it stood before this simulation" in note for note in tree.notes)
    assert "selection" in "\n".join(tree.steps) and tree.thick == "the way of this simulation"


@pytest.mark.parametrize(
    "name", ["minimax", "alphabeta", "expectiminimax", "star1", "star2", "maxn", "paranoid"]
)
def test_watching_changes_nothing(name: str) -> None:
    game = exact_twin(gdl.load("halving" if name in ("minimax", "alphabeta") else "bins"))
    solve = SOLVERS[name].textbook
    record = Record()
    alone, watched = solve(game, depth=4), solve(game, depth=4, observer=record)
    still = replace(alone.work, seconds=0.0)
    assert replace(watched, work=replace(watched.work, seconds=0.0)) == replace(alone, work=still)
    assert record.entered > 1


def test_the_plain_search_runs_on_every_engine_and_finds_the_same(textbook: Any) -> None:
    found = gdl.search(textbook, "alphabeta(order=worst)")
    assert (found.value, found.work.nodes) == (3, 1 + 3 + 9)
    assert "0 cuts" in found.how
    with pytest.raises(gdl.Refusal, match="does not go with"):
        gdl.search(textbook, "alphabeta(order=worst, beam=2)")
    with pytest.raises(gdl.Refusal, match="seed"):
        gdl.search(textbook, "alphabeta(seed=2)")


@pytest.mark.parametrize("name", ["minimax", "alphabeta(order=worst)"])
def test_a_round_ends_when_the_last_player_has_moved(name: str) -> None:
    """CS 221: depth falls at the last player's turn. 9 moves of x, then 8 of o; of o's own round only 8."""
    game = gdl.load("tictactoe")
    assert gdl.tree(game, "minimax", rounds=1).how.endswith("82 positions visited")
    late = gdl.search(game, name, rounds=1, moves="place(a1)")
    assert late.work.nodes == 1 + 8 and "one round" in late.how
    three = gdl.search(gdl.load("three_players"), "maxn", rounds=1)
    assert [value.number for value in three.values if value] == [5, 2, 5]
    with pytest.raises(gdl.Refusal, match="rounds"):
        gdl.search(game, name, rounds=1, depth=2)


def test_opponents_with_a_policy_are_drawn_as_chance() -> None:
    """bins against chance: C is worth 5 (CS 221)."""
    tree = gdl.tree(gdl.load("bins", coin=0), "expectimax(against=random)")
    below = at(tree, "choose(C)")
    assert below.kind == "chance" and [float(edge.probability or 0) for edge in below.edges] == [0.5, 0.5]
    assert tree.root.worth is not None and tree.root.worth.numbers == (5,)


def test_the_solution_judges_where_the_depth_ends() -> None:
    """Every first move of tic-tac-toe draws; after a corner only the centre does."""
    tree = gdl.tree(gdl.load("tictactoe"), depth=2, solved=True)
    corner = at(tree, "place(a1)")
    drawn = [e.label for e in corner.edges if e.node and e.node.worth and e.node.worth.numbers == (0,)]
    assert drawn == ["place(b2)"]
