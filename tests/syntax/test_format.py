"""The formatter: canonical, idempotent, and unable to change what a file means."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.diagnostics import GameError, Source, Span
from gdl.syntax import parse
from gdl.syntax.format import format_text
from gdl.syntax.tokens import tokenize

ROOT = Path(__file__).parents[2]
GAMES = sorted((ROOT / "games").glob("*.gdl"))


def formatted(text: str) -> str:
    return format_text(Source("test.gdl", text))


def tree_of(text: str) -> Any:
    """The syntax tree without its places."""
    file, diagnostics = parse(Source("test.gdl", text))
    assert not diagnostics
    return _without_spans(file.items)


def _without_spans(node: Any) -> Any:
    if isinstance(node, Span):
        return None
    if isinstance(node, tuple):
        return tuple(_without_spans(item) for item in node)
    if is_dataclass(node):
        return type(node).__name__, [_without_spans(getattr(node, field.name)) for field in fields(node)]
    return node


# ------------------------------------------------------------------------- style

STYLE = {
    "operators": (
        "utility:1+x*2-3 if a==b and not c!=d else x  div 2",
        "utility: 1 + x * 2 - 3 if a == b and not c != d else x div 2",
    ),
    "ranges are tight": ("type T = 0 .. n - 1", "type T = 0..n-1"),
    "words in a range keep their spaces": ("type T = 0 .. n-1 div 2", "type T = 0..n - 1 div 2"),
    "brackets in a range": ("type T = 0 .. f( n-1 ) * 2", "type T = 0..f(n - 1)*2"),
    "fractions": ("param p = 1 / 2", "param p = 1/2"),
    "fractions of names": ("utility: x/10", "utility: x / 10"),
    "fractions in products": ("utility: x*1/2", "utility: x * 1 / 2"),
    "what one player sees": ("show ( p ):\n    board", "show(p):\n    board"),
    "signs": ("utility: - 1 if x == - y else 2 - - 3", "utility: -1 if x == -y else 2 - -3"),
    "a name that is a keyword elsewhere": (
        "utility: reward -1 - weight(- 1)",
        "utility: reward - 1 - weight(-1)",
    ),
    "calls": ("utility: f (x , y) + g [ a,b ] . row", "utility: f(x, y) + g[a, b].row"),
    "keywords before brackets": (
        "terminal: not(a)and(b)or c in{1,2}",
        "terminal: not (a) and (b) or c in {1, 2}",
    ),
    "keyword arguments": ("expect value( goal = 20 ) == 0", "expect value(goal=20) == 0"),
    "mixtures of agents": (
        "expect value(a=mixture (1/2 :b,1/2: c)) == 0",
        "expect value(a=mixture(1/2: b, 1/2: c)) == 0",
    ),
    "computed parameters": ("move m(a:T,b=a+1): x=b", "move m(a: T, b = a + 1): x = b"),
    "sections with an argument": ("utility (p) : x", "utility(p): x"),
    "optional types": ("type T = A ? | {bar}", "type T = A? | {bar}"),
    "optional and more": ("const c: T ?=none", "const c: T? = none"),
    "glyphs": ('players : x"X",o "O"', 'players: x "X", o "O"'),
    "trailing commas": ("const c = [1,2,]", "const c = [1, 2,]"),
    "draws": ("initial: x~T where it!=3 weighted w[it]", "initial: x ~ T where it != 3 weighted w[it]"),
    "conversion": ("utility: (x - 1)as T?", "utility: (x - 1) as T?"),
    "powers": ("utility: x**2", "utility: x ** 2"),
    "comments": ("param n = 1# one", "param n = 1  # one"),
    "comments at the end": ("param n = 1\n\n\n#   end", "param n = 1\n\n#   end"),
    "blank lines at the ends": ("\n\n\nparam n = 1\n\n\n", "param n = 1"),
    "different items": ("param n = 1\ntype T = 0..n", "param n = 1\n\ntype T = 0..n"),
    "like items": ("param n = 1\n\n\nparam m = 2\nparam k = 3", "param n = 1\n\nparam m = 2\nparam k = 3"),
    "description and name": ('"""A game."""\n\ngame g', '"""A game."""\ngame g'),
    "comment before an item": (
        "param n = 1\n# about T\ntype T = 0..n",
        "param n = 1\n\n# about T\ntype T = 0..n",
    ),
    "comment after an item": (
        "param n = 1\n# about n\n\ntype T = 0..n",
        "param n = 1\n# about n\n\ntype T = 0..n",
    ),
    "long strings": ('"""A\n   game .. 1+1  \n"""', '"""A\n   game .. 1+1  \n"""'),
}


@pytest.mark.parametrize(("given_", "wanted"), STYLE.values(), ids=STYLE)
def test_style(given_: str, wanted: str) -> None:
    assert formatted(given_) == wanted + "\n"
    assert formatted(wanted) == wanted + "\n"


BLOCKS = [
    (
        "move m:\n  if a:\n   x = 1\n\n\n   y = 2\n  else:\n     chance:\n"
        "       1/2: x=1\n       x/10+1: x=2\n       else: x=3\n",
        """\
move m:
    if a:
        x = 1

        y = 2
    else:
        chance:
            1/2:        x = 1
            x / 10 + 1: x = 2
            else:       x = 3
""",
    ),
    (
        "position:\n  # first\n\n  a: bool = x  # one\n  bbb: bool = y # two\n"
        "  # last\n# outside\nplayer: a\n",
        """\
position:
    # first

    a: bool = x  # one
    bbb: bool = y  # two
    # last

# outside
player: a
""",
    ),
    (
        "position:\n  a: bool=x     # one\n  bbb: bool = y # two\n  c: T # three\n",
        """\
position:
    a: bool = x    # one
    bbb: bool = y  # two
    c: T  # three
""",
    ),
    (
        "move m(a: T) when (\n x ==  1 and f(\n y,\n\n # why\n z)\n  ) :\n  x = [\n   1, {\n 2}, # two\n ]\n",
        """\
move m(a: T) when (
        x == 1 and f(
            y,

            # why
            z)
):
    x = [
        1, {
            2},  # two
    ]
""",
    ),
    (
        "type G = graph:\n  a-b  -  c\n  c->a\n\nmove m:\n\n  x = 1\n",
        "type G = graph:\n    a - b - c\n    c -> a\n\nmove m:\n    x = 1\n",
    ),
]


@pytest.mark.parametrize(("given_", "wanted"), BLOCKS)
def test_blocks(given_: str, wanted: str) -> None:
    assert formatted(given_) == wanted
    assert formatted(wanted) == wanted


def test_shared_column_moves_as_one() -> None:
    text = "param a=1+1+1+1 # one\nparam b = 2     # two\n"
    assert formatted(text) == "param a = 1 + 1 + 1 + 1  # one\nparam b = 2              # two\n"


def test_tabs_become_spaces() -> None:
    assert formatted("move m:\n\tif a:\n\t\tx = 1\n") == "move m:\n    if a:\n        x = 1\n"


def test_tabs_of_unclear_width_are_refused() -> None:
    with pytest.raises(GameError) as error:
        formatted("move m:\n    if a:\n        x = 1\n\ty = 1\n")
    assert {d.code for d in error.value.diagnostics} == {"S007"}
    assert not any("gdl fmt" in str(d.hint) for d in error.value.diagnostics)


def test_a_file_that_does_not_parse_is_refused() -> None:
    with pytest.raises(GameError):
        formatted("move m\n  x = 1\n")


def test_a_line_that_would_become_too_long_is_refused() -> None:
    with pytest.raises(GameError) as error:
        formatted("utility: 1" + "+1" * 9_990)
    assert {d.code for d in error.value.diagnostics} == {"S005"}


def test_long_sums_do_not_recurse() -> None:
    assert formatted("utility: (1\n" + "+1\n" * 20_000 + ")").count("+ 1") == 20_000


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_games_are_in_canonical_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(Source(path.name, text)) == text


# ------------------------------------------------------------- white space at random


@st.composite
def respaced(draw: st.DrawFn, texts: list[str]) -> tuple[str, str]:
    """A game without comments, and the same with other white space wherever that means nothing."""
    text = draw(st.sampled_from(texts))
    tokens = tokenize(Source("original", text)).tokens
    unit = draw(st.integers(1, 9))
    random = draw(st.randoms(use_true_random=False))
    out: list[str] = []
    depth = 0
    fresh = True
    before = 0
    for token in tokens:
        if token.kind == "_INDENT":
            depth += 1
        elif token.kind == "_DEDENT":
            depth -= 1
        elif token.kind == "_NEWLINE":
            out.append(" " * random.randrange(3) + "\n")
            fresh = True
        else:
            gap = text[before : token.start]
            if fresh:
                blank = gap.count("\n") > (1 if before else 0)
                out.append("\n" * (random.randint(1, 3) if blank else 0) + " " * (unit * depth))
            elif "\n" in gap:
                out.append("\n" + " " * random.randint(1, 12))
            else:
                least = 1 if gap else 0
                out.append(" " * random.randint(least, 3))
            out.append(token.text)
            fresh = False
            before = token.end
    return text, "".join(out)


def _without_comments(path: Path) -> str:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    text = source.text
    for comment in reversed(tokenize(source).comments):
        text = text[: comment.start].rstrip(" ") + text[comment.end :]
    return format_text(Source(path.name, text))


BARE = [_without_comments(path) for path in GAMES]


@pytest.mark.skipif(not BARE, reason="needs games")
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_white_space_means_nothing(data: st.DataObject) -> None:
    canonical, other = data.draw(respaced(BARE))
    assert formatted(other) == canonical


@pytest.mark.skipif(not GAMES, reason="needs games")
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_comments_anywhere_are_kept(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GAMES)).read_text(encoding="utf-8")
    lines = text.split("\n")
    ends = [text[: _offset(lines, n)].count('"""') % 2 for n in range(len(lines) + 1)]
    strings = {n for n in range(len(lines)) if ends[n] or ends[n + 1]}  # lines of the description
    for number in data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=8)):
        comment = data.draw(st.sampled_from(["# why", "#", "#  indented", "# ünïcode 漢字"]))
        if number in strings:
            continue
        if data.draw(st.booleans()):
            lines[number] += " " * data.draw(st.integers(0, 5)) + comment
        else:
            lines[number] = " " * data.draw(st.integers(0, 9)) + comment + "\n" + lines[number]
    commented = "\n".join(lines)
    once = formatted(commented)
    assert formatted(once) == once
    assert tree_of(once) == tree_of(text)
    assert [c.text for c in tokenize(Source("", once)).comments] == [
        c.text for c in tokenize(Source("", commented)).comments
    ]


def _offset(lines: list[str], number: int) -> int:
    return sum(len(line) + 1 for line in lines[:number])
