"""What notebooks show: every answer as HTML or SVG that is closed and escaped, and as text elsewhere."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from typing import Any

import pytest

import gdl

HOSTILE = "<script>&\"'"


class Hostile(gdl.BaseGame):
    """<b>A game</b> whose words are not to be trusted."""

    players = (HOSTILE, "other")
    zero_sum = acyclic = True

    def initial(self) -> Any:
        return HOSTILE, 0

    def player(self, position: Any) -> int:
        return int(position[1])

    def moves(self, position: Any) -> list[str]:
        return [HOSTILE, "plain"] if position[1] == 0 else []

    def outcomes(self, position: Any, move: str) -> Any:
        return move, 1

    def utility(self, position: Any) -> int:
        return 1 if position[0] == "plain" else -1


def shown() -> dict[str, Any]:
    board, own = gdl.load("tictactoe"), Hostile()
    solved = gdl.solve(board, moves="place(a1)")
    play = gdl.Play(board, seed=1)
    return {
        "game": board,
        "position": play.position,
        "play": play,
        "solution": solved,
        "policy": solved.policy,
        "search": gdl.search(board, "mcts", simulations=20, seed=1),
        "tree": gdl.tree(gdl.load("bins")),
        "plot": gdl.plot("policy", gdl.load("halving")),
        "match": gdl.match(board, "random", "greedy", games=4, seed=1),
        "three agents": gdl.match(board, "random", "greedy", "random", games=2, seed=1),
        "sweep": gdl.sweep("halving", start="1..3"),
        "plan": gdl.plan(board),
        "strategy": gdl.solve(gdl.load("kuhn_poker")),
        "own game": own,
        "own solution": gdl.solve(own),
        "own policy": gdl.solve(own).policy,
        "own match": gdl.match(own, "random", "random", games=2, seed=1),
        "own tree": gdl.tree(own),
    }


class Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_everything_displays_itself() -> None:
    for name, thing in shown().items():
        drawn = getattr(thing, "_repr_svg_", None)
        if drawn is not None:
            ElementTree.fromstring(drawn())
            assert "<script" not in drawn(), name
            continue
        text = thing._repr_html_()
        balance = Balance()
        balance.feed(text)
        balance.close()
        assert not balance.open and "script" not in balance.seen, name
        assert not {"link", "img", "iframe"} & balance.seen, name  # nothing is fetched
        assert "color:#" not in text.partition("<svg")[0], f"{name} has colours that a dark page does not"


def test_the_words_are_those_of_print() -> None:
    """After a corner only the centre draws."""
    found = gdl.solve(gdl.load("tictactoe"), moves="place(a1)")
    text = found._repr_html_()
    assert "* place(b2)" in text and text.count("* place") == 1 and "-1" in text
    assert "&lt;script&gt;" in gdl.solve(Hostile())._repr_html_()


def test_ipython_prints_where_there_is_no_html() -> None:
    pretty = pytest.importorskip("IPython.lib.pretty").pretty
    tree = gdl.tree(gdl.load("bins", coin=0), "alphabeta")
    assert pretty(tree) == str(tree)
    solved = gdl.solve(gdl.load("nim"))
    assert pretty(solved) == str(solved)


def test_displaying_costs_no_import_of_matplotlib() -> None:
    program = "import gdl, sys; gdl.load('nim')._repr_html_(); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
