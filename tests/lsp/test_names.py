"""What names mean, for every game: no name without a meaning, and other names leave the game the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.check.library import AGGREGATES, FUNCTIONS
from gdl.check.lists import CHANGES
from gdl.diagnostics import Fix
from gdl.diagnostics.fixes import apply
from gdl.loading import games
from gdl.lsp.analysis import analyse
from gdl.lsp.library import LIBRARY
from gdl.lsp.names import walk
from gdl.lsp.positions import Positions
from gdl.lsp.rename import rename
from gdl.syntax import tree

GAMES = games()


@pytest.mark.parametrize("name", GAMES)
def test_every_name_of_every_game_has_a_meaning(name: str) -> None:
    """But in `expect` lines, which may be about other parameters and so about other squares."""
    found = analyse(GAMES[name].read_text(encoding="utf-8"), name)
    known = {(o.span.start, o.span.end) for o in found.names.all}
    nodes = [n for item in found.file.items if not isinstance(item, tree.Expect) for n in walk(item)]
    named = [node for node in nodes if isinstance(node, tree.Name)]
    assert [n.id for n in named if (n.span.start, n.span.end) not in known] == []


@pytest.mark.parametrize("name", ["pig", "kuhn_poker", "connect_four", "bins", "leduc_poker"])
def test_renaming_everything_keeps_the_game(name: str) -> None:
    """Every name but those of sections is changed in turn; what is checked stays without a mistake."""
    text = GAMES[name].read_text(encoding="utf-8")
    before = analyse(text, name)
    assert before.model is not None
    symbols = {o.symbol.key: o.symbol for o in before.names.all if o.symbol.renamable}
    for number, key in enumerate(symbols):
        found = analyse(text, name)
        symbol = next((o.symbol for o in found.names.all if o.symbol.name == symbols[key].name), None)
        if symbol is None or not symbol.renamable or symbol.span is None:
            continue
        edits = rename(found, symbol.span.start, f"renamed{number}")
        text, made = apply(text, [Fix("rename", tuple(edits))])
        assert made == 1
        after = analyse(text, name)
        assert [d for d in after.diagnostics if d.severity == "error"] == [], (symbol, text)
    assert after.model is not None
    assert after.model.traits.players == before.model.traits.players
    assert len(after.model.expectations) == len(before.model.expectations)


def test_the_library_is_described_in_full() -> None:
    assert set(LIBRARY) == {*FUNCTIONS, *AGGREGATES, *CHANGES}


@pytest.mark.parametrize(
    ("encoding", "units"),
    [("utf-8", [0, 1, 3, 7, 8]), ("utf-16", [0, 1, 2, 4, 5]), ("utf-32", [0, 1, 2, 3, 4])],
)
def test_positions_and_offsets_are_inverse(encoding: str, units: list[int]) -> None:
    """By the sizes of a, ä, 🎲 and b in each encoding; a form feed and U+2028 end no line for editors."""
    positions = Positions("x\r\naä🎲b\ny\x0c\u2028z\r", encoding)
    assert [positions.position(3 + k) for k in range(5)] == [(1, unit) for unit in units]
    for offset in (0, 1, *range(3, 14)):
        assert positions.offset(*positions.position(offset)) == offset
    assert positions.offset(99, 0) == len(positions.text)
    assert positions.offset(1, 99) == 7


def test_what_is_wrong_in_a_borrowed_file_is_shown_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "base.gdl").write_text(GAMES["tictactoe"].read_text(encoding="utf-8"), encoding="utf-8")
    name = str(tmp_path / "variant.gdl")
    text = "game variant from base\n\nutility: 1 if won(x) else 0\n"
    assert analyse(text, name).diagnostics == ()
    (found,) = {
        (d.code, d.span.text if d.span else "", d.fixes)
        for d in analyse(text + "players: x\n", name).diagnostics
    }
    assert found == ("E101", "base", ())
    assert analyse(text.replace("base", "bse"), name).diagnostics[0].code == "E511"
    assert all(o.span.source.text == text for o in analyse(text, name).names.all)


NAMED_LIKE_FUNCTIONS = """\
game g

type Mark = {count, sum} | player

players: first, second

position:
    seen: set of Mark
    turn: player = first
    step[player]: 0..4 = 0

player: turn

move step(k: 1..2) when count(seen) < 2 and first(p for p in player) == first:
    step[turn] += k
    seen += {count} if sum(step) > 2 else {first}
    turn = next(turn)

terminal: any(step[p] > 1 for p in player) or sum(step) > 4 or count(m in seen for m in Mark) > 2

utility: 1 if turn == first else -1

policy first_of_all:
    first(step(k) for k in 1..2)
"""


@pytest.mark.parametrize(
    ("name", "kind", "places"),
    [("first", "player", 5), ("count", "value", 2), ("sum", "value", 1), ("step", "move", 2)],
)
def test_calls_of_the_library_are_no_uses_of_what_has_its_name(name: str, kind: str, places: int) -> None:
    """Places counted by hand: `first(…)`, `count(…)` and `sum(…)` are not among them, nor `step[…]`."""
    found = analyse(NAMED_LIKE_FUNCTIONS, "g")
    assert found.model is not None, found.diagnostics
    symbol = next(o.symbol for o in found.names.all if o.symbol.name == name and o.symbol.kind == kind)
    assert symbol.span is not None
    edits = rename(found, symbol.span.start, "blue")
    assert len(edits) == places
    text, _ = apply(NAMED_LIKE_FUNCTIONS, [Fix("rename", tuple(edits))])
    after = analyse(text, "g")
    assert after.model is not None, (text, after.diagnostics)
