"""Trees in every format: nothing overlaps, nothing is cut off, files are what their endings say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.draw.tree.as_tree import sole_movers
from gdl.draw.tree.blocks import draw_block, node_block
from gdl.draw.tree.canvas import SIZE, Scene, Words, text_width
from gdl.draw.tree.layout import Box, Placed, place
from gdl.draw.tree.scene import scene_of
from gdl.draw.tree.tree import Edge, Node, Tree, Worth

LONG = Tree(
    "a game with a title that is longer than its tree is wide",
    Node(
        1,
        "player",
        "somebody with a long name",
        0,
        Worth((1, 2, 3, 4, 5)),
        edges=tuple(
            Edge(
                f"a_move_with_quite_a_name(argument_{i})",
                Node(i, "end", worth=Worth((100, -200, 300, -400, 500))),
            )
            for i in range(2, 6)
        ),
    ),
)


@pytest.fixture(scope="module")
def trees() -> dict[str, Tree]:
    return {
        "bins": gdl.tree(gdl.load("bins"), "star2"),
        "cuts": gdl.tree(gdl.load("bins", coin=0), "alphabeta"),
        "kuhn": gdl.tree(gdl.load("kuhn_poker")),
        "three": gdl.tree(gdl.load("three_players")),
        "boards": gdl.tree(gdl.load("tictactoe"), depth=2),
        "grown": gdl.tree(gdl.load("tictactoe"), "mcts", step=20),
        "joined": gdl.tree(gdl.load("tictactoe"), depth=3, graph=True, nodes=40),
        "chained": gdl.tree(gdl.load("halving", start=11), graph=True),
        "circles": gdl.tree(gdl.load("gridworld"), depth=2, graph=True),
        "dice": gdl.tree(gdl.load("pig", goal=5), depth=2),
        "letters": gdl.tree(gdl.load("quoridor"), depth=1, nodes=4, show=True),
        "long": LONG,
    }


NAMES = (
    "bins",
    "cuts",
    "kuhn",
    "three",
    "boards",
    "grown",
    "joined",
    "chained",
    "circles",
    "dice",
    "letters",
    "long",
)


def corners(words: Words) -> tuple[float, float, float, float]:
    width = text_width(words.text, words.size, words.mono)
    left = words.x - {"start": 0.0, "middle": width / 2, "end": width}[words.anchor]
    return left, words.y - words.size * 0.45, left + width, words.y + words.size * 0.45


@pytest.mark.parametrize("name", NAMES)
def test_no_words_overlap_and_none_are_cut_off(trees: dict[str, Tree], name: str) -> None:
    scene = scene_of(trees[name])
    boxes = [(words, corners(words)) for words in scene.words if words.text]
    for words, (left, top, right, bottom) in boxes:
        assert left >= 0 and top >= 0 and right <= scene.width + 1 and bottom <= scene.height, words
    for (one, a), (other, b) in combinations(boxes, 2):
        apart = a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5 or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5
        assert apart, (one, other)


@pytest.mark.parametrize("name", NAMES)
def test_no_line_runs_through_words(trees: dict[str, Tree], name: str) -> None:
    """But information sets, whose dashed lines leave from the middle of their nodes."""
    scene = scene_of(trees[name])
    boxes = [(words, corners(words)) for words in scene.words if words.text and words.ink != "note"]
    for line in scene.lines:
        if line.style in ("group", "cross"):
            continue
        for (x1, y1), (x2, y2) in pairwise(line.points):
            steps = [k / 50 for k in range(51)]
            points = [(x1 + (x2 - x1) * step, y1 + (y2 - y1) * step) for step in steps]
            for words, (left, top, right, bottom) in boxes:
                inside = [x for x, y in points if left + 1 < x < right - 1 and top + 1 < y < bottom - 1]
                assert not inside, (line, words)


def test_every_move_of_a_graph_leads_to_its_position(trees: dict[str, Tree]) -> None:
    """From the words of each move a line leads to above a node, as many to each as moves lead there."""
    scene = scene_of(trees["chained"])
    below = [(words.x, words.y + words.size / 2) for words in scene.words if words.ink == "move"]
    ends = Counter()
    for x, y in below:
        (line,) = [line for line in scene.lines if line.points[0][0] == x and -1 < line.points[0][1] - y < 6]
        ends[round(line.points[-1][0], 3)] += 1
    nodes = list(trees["chained"].nodes())
    reached = Counter(e.joins or e.node.ident for node in nodes for e in node.edges if e.joins or e.node)
    assert sum(reached.values()) > len(nodes)
    assert sorted(ends.values()) == sorted(reached.values())


@pytest.mark.parametrize("value", ["0", "-12", "-0.000769"])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_a_value_keeps_clear_of_the_sides_of_its_triangle(kind: Any, value: str) -> None:
    """Capitals are about 0.72 of a letter's size high; the side is nearest at their narrower end."""
    scene = Scene()
    block = node_block(Node(1, kind, worth=Worth((float(value),), judged=True)), None, named=True)
    draw_block(scene, block, 0.0, 0.0)
    (words,) = scene.words
    assert words.text == value
    width, height = block.shape
    apex = -height / 2 if kind == "max" else height / 2
    reach = abs(words.y - apex) - 0.72 * SIZE / 2  # from the apex to the letters
    assert width * reach / height - text_width(value) > 2 * 3


def test_a_row_is_named_after_all_who_move_in_it() -> None:
    thief, guard, chance = Node(1, "max", "thief"), Node(2, "min", "guard"), Node(3, "chance", "chance")
    assert sole_movers([[thief, thief], [thief, chance], [chance], [thief, guard], [Node(4, "end")]]) == {
        0: "thief", 1: "thief, chance", 2: "chance",
    }  # fmt: skip


def test_circles_of_a_graph_have_arrows(trees: dict[str, Tree]) -> None:
    """A move back has an arrow: the number of joins of which the node is above."""
    above: dict[int, set[int]] = {}

    def walk(node: Node, over: set[int]) -> None:
        above[node.ident] = over | {node.ident}
        for edge in node.edges:
            if edge.node is not None:
                walk(edge.node, above[node.ident])

    walk(trees["circles"].root, set())
    back = [e for n in trees["circles"].nodes() for e in n.edges if e.joins in above[n.ident]]
    arrows = [shape for shape in scene_of(trees["circles"]).shapes if shape.style == "arrow"]
    assert len(arrows) >= len(back) > 0
    assert not [shape for shape in scene_of(trees["chained"]).shapes if shape.style == "arrow"]


@pytest.mark.parametrize("name", NAMES)
def test_no_shapes_overlap(trees: dict[str, Tree], name: str) -> None:
    boxes = []
    for shape in scene_of(trees[name]).shapes:
        if shape.style == "cell":
            continue
        if shape.round:
            (x, y), (right, bottom) = shape.points
            boxes.append((2 * x - right, 2 * y - bottom, right, bottom))
        else:
            xs, ys = zip(*shape.points, strict=True)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_parents_stand_over_the_middle_and_equal_trees_look_equal() -> None:
    pair = Box(5, 5, (Box(5, 5), Box(5, 5)))
    root = place(Box(5, 5, (pair, Box(5, 5), pair)), 10)

    def check(placed: Placed) -> None:
        if placed.below:
            assert placed.x == pytest.approx((placed.below[0].x + placed.below[-1].x) / 2)
        for child in placed.below:
            check(child)

    check(root)
    left, middle, right = root.below
    assert [c.x - left.x for c in left.below] == pytest.approx([c.x - right.x for c in right.below])
    assert middle.x == pytest.approx((left.x + right.x) / 2)  # not pushed to one side


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_xml_that_needs_nothing_else(trees: dict[str, Tree], name: str) -> None:
    text = trees[name].svg()
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"href|url\(|@import", text)
    assert "var(" not in text, "many viewers know no variables and draw all of it black"
    used = {name for each in re.findall(r"class='([^']*)'", text) for name in each.split()}
    ruled = set(re.findall(r"\.([\w-]+)\{", text))
    assert used <= ruled | {"gdl-tree"}


@pytest.mark.parametrize("name", NAMES)
def test_tikz_is_closed_and_knows_its_styles(trees: dict[str, Tree], name: str) -> None:
    text = trees[name].tikz()
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    assert text.isascii()
    used = set(re.findall(r"\\path\[([\w-]+)\]", text)) | set(re.findall(r"\\node\[(gdl-t-\w+)", text))
    assert all(style.startswith("gdl-") for style in used)  # others could be keys of TikZ
    assert used <= set(re.findall(r"^  ([\w-]+)/\.style", text, re.MULTILINE))
    colours = set(re.findall(r"=(gdl\w+)", text))
    assert colours <= set(re.findall(r"definecolor\{(\w+)\}", text))
    for line in text.splitlines():
        if line.startswith(r"\node"):
            (words,) = re.findall(r"at \([^)]*\) \{(.*)\};$", line)
            words = re.sub(r"\$[^$]*\$", "", words.lstrip("~"))
            if r"\ttfamily" in line:  # every space counts
                words = words.replace("~", "")
            assert not re.search(r"(?<!\\)[&#%_^~]", words), words


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here: `apt install texlive-pictures`")
def test_tikz_compiles(trees: dict[str, Tree], tmp_path: Path) -> None:
    """All trees as pages of one document: every one has its own preamble, of which the first part is the
    same."""
    packages, _, _ = trees["bins"].tikz().partition(r"\definecolor")
    pages = [packages, r"\begin{document}"]
    for name in NAMES:
        preamble, _, page = trees[name].tikz().partition(r"\begin{document}")
        styles = preamble[preamble.index(r"\definecolor") :]
        pages += [styles, page.replace(r"\end{document}", r"\newpage")]
    (tmp_path / "trees.tex").write_text("\n".join([*pages, r"\end{document}"]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60)
    assert run.returncode == 0, run.stdout[-2000:]
    assert "Missing character" not in run.stdout


@pytest.mark.parametrize("name", NAMES)
def test_dot_names_every_node_once(trees: dict[str, Tree], name: str) -> None:
    text = trees[name].dot()
    declared = re.findall(r"^  (n\d+) \[", text, re.MULTILINE)
    assert len(declared) == len(set(declared)) == sum(1 for _ in trees[name].nodes())
    assert set(re.findall(r"-> (n\d+)", text)) <= set(declared)


def test_files_are_what_they_are_called(trees: dict[str, Tree], tmp_path: Path) -> None:
    for ending in ("txt", "svg", "png", "pdf", "tex", "dot", "json"):
        trees["bins"].save(tmp_path / f"tree.{ending}")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tree.pdf").read_bytes().startswith(b"%PDF")
    data = json.loads((tmp_path / "tree.json").read_text(encoding="utf-8"))
    assert data["root"]["worth"]["numbers"] == [-2]
    cuts = json.loads(json.dumps(trees["cuts"].as_data(), allow_nan=False))
    assert cuts["root"]["window"] == {"low": "-inf", "high": "inf"}
    assert (tmp_path / "tree.txt").read_text(encoding="utf-8").rstrip() == trees["bins"].text()


def test_without_matplotlib_the_extra_is_named(
    trees: dict[str, Tree], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(gdl.GameError, match="pip install matplotlib") as raised:
        trees["bins"].save(tmp_path / "tree.png")
    assert raised.value.diagnostics[0].code == "D002"
    assert not (tmp_path / "tree.png").exists()


def test_text_without_utf8(trees: dict[str, Tree]) -> None:
    for name in NAMES:
        plain = trees[name].text(ascii_only=True)
        assert plain.isascii() and "?" not in plain, name


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (("bins", "--out", "tree.gif"), "D001", "known are"),
        (("bins", "--out", "no/where/tree.svg"), "C008", "no such folder"),
        (("connect_four", "--depth", "12"), "D003", "--depth"),
        (("bins", "--step", "3"), "R003", "mcts"),
        (("bins", "--solver", "flat_monte_carlo"), "R003", "alphabeta"),
        (("bins", "--at", "bn=A"), "P001", "did you mean"),
        (("tictactoe", "--solver", "mcts", "--depth", "3"), "R003", "--simulations"),
        (("kuhn_poker", "--solver", "minimax"), "R001", "hidden"),
    ],
)
def test_bad_input_is_told(
    gdl_command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, code: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    status, said = gdl_command("tree", *arguments)
    assert status == 1 and code in said and hint in said


@pytest.fixture
def gdl_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    from gdl.cli import main

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["gdl", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capfd.readouterr()
        assert "This is a bug" not in err, err
        assert isinstance(left.value.code, int)
        return left.value.code, out + err

    return run


def test_a_picture_that_nobody_can_read_is_refused(trees: dict[str, Tree], tmp_path: Path) -> None:
    wide = Tree(
        "wide", Node(1, "max", edges=tuple(Edge(f"move({i})", Node(i, "end")) for i in range(2, 400)))
    )
    for ending in ("png", "pdf", "tex"):
        with pytest.raises(gdl.GameError, match=r"points|pixels") as raised:
            wide.save(tmp_path / f"tree.{ending}")
        assert raised.value.diagnostics[0].code == "D007"
    wide.save(tmp_path / "tree.svg")


def test_a_dot_is_an_empty_cell_unless_others_are_blank() -> None:
    """Pacman's food beside floor that is blank; tic-tac-toe's empty cells."""
    food = scene_of(gdl.tree(gdl.load("pacman"), depth=1))
    assert sum(words.text == "." for words in food.words) == 3 * 3  # three pieces in three positions
    assert all(words.text != "." for words in scene_of(gdl.tree(gdl.load("tictactoe"), depth=1)).words)


def test_a_scene_is_as_large_as_what_is_in_it(trees: dict[str, Tree]) -> None:
    for tree in trees.values():
        scene: Scene = scene_of(tree)
        for part in (*scene.lines, *scene.shapes):
            assert all(-1 <= x <= scene.width + 1 and -1 <= y <= scene.height + 60 for x, y in part.points)
