"""`game x from y` and `use z`: what is taken over, what is replaced, and what can be read at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import gdl
from gdl.diagnostics import GameError, Source
from gdl.diagnostics.render import render
from gdl.loading import diagnose, load_model, mend, read_source
from gdl.model.digest import digest
from gdl.questions import question
from gdl.syntax import parse, tree
from gdl.syntax.format import format_text
from gdl.syntax.merge import of_a_library
from gdl.transition_table import reached
from tests.generate import game_of_seed

COUNTING = """\
\"\"\"Count to the end.\"\"\"
game counting

param end: 1..9 = 3

players: a, b

position:
    n: 0..end = 0
    turn: player = a

player: turn

def left: end - n

move add(k: 1..2) when k <= left:
    n += k
    turn = next(turn)

terminal: n == end

utility: 1 if turn == b else -1

expect value == -1
expect legal == 2
"""


def write(folder: Path, **texts: str) -> Path:
    """Writes files; the path of the last."""
    for name, text in texts.items():
        (folder / f"{name}.gdl").write_text(text, encoding="utf-8")
    return folder / f"{name}.gdl"


def codes(path: Path) -> list[str]:
    return [d.code for d in diagnose(read_source(path))[1]]


# ------------------------------------------------------------------ what a variant is


def test_a_variant_differs_only_in_what_it_says(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        counting=COUNTING,
        longer="game longer from counting\nparam end: 1..20 = 12\nposition:\n    passed: bool\n"
        "move skip when not passed:\n    passed = true\n    turn = next(turn)\n",
    )
    model = load_model(read_source(path))
    assert (model.name, model.doc) == ("longer", "Count to the end.")
    assert [v.name for v in model.variables] == ["n", "turn", "passed"]
    assert [m.name for m in model.moves] == ["add", "skip"]
    assert [(p.name, p.value) for p in model.parameters] == [("end", 12)]
    assert model.expectations == ()


def test_expectations_carry_over_where_it_is_said(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        counting=COUNTING,
        middle='game middle from counting\nshow: "{n}"\nexpect all from counting\nexpect perft(1) == 2\n',
        last="game last from middle\nexpect all from middle\n",
    )
    assert [e.text for e in load_model(read_source(path)).expectations] == [
        "expect value == -1",
        "expect legal == 2",
        "expect perft(1) == 2",
    ]


@pytest.mark.parametrize("name", ["tictactoe", "pig", "kuhn_poker", "chess", "seed 3", "seed 8", "seed 21"])
def test_a_game_cut_in_two_is_the_same_game(name: str, tmp_path: Path) -> None:
    """Every second item spoilt in the base and written in the variant: the rules are those of the whole."""
    text = game_of_seed(int(name[5:]), False) if " " in name else gdl.games()[name].read_text("utf-8")
    file, _ = parse(Source("whole", text))
    base, own = [], []
    for number, item in enumerate(file.items):
        if isinstance(item, tree.GameName):
            base.append("game base")
            own.append(f"game {item.name.id} from base")
        elif number % 2 and not isinstance(item, tree.Doc | tree.Expect):
            base.append(_spoilt(item))
            own.append(item.span.text)
        else:
            base.append(item.span.text)
    path = write(tmp_path, whole=text, base="\n".join(base) + "\n", variant="\n".join(own) + "\n")
    whole, found = (load_model(read_source(tmp_path / f"{n}.gdl")) for n in ("whole", path.stem))
    assert digest(found) == digest(whole)


def _spoilt(item: tree.Item) -> str:
    """An item that could stand in the same place and means something else."""
    match item:
        case tree.Param() | tree.Const() | tree.Def() | tree.Feature():
            return f"const {item.name.id} = true"
        case tree.TypeItem():
            return f"type {item.name.id} = {{spoilt}}"
        case tree.Effect() | tree.Move() | tree.Policy():
            return f"{type(item).__name__.lower()} {item.name.id}: nonsense"
        case tree.Players():
            return "players: nobody"
        case tree.PositionItem():
            return "position:\n" + "\n".join(f"    {v.name.id}: 0..99 = 7" for v in item.variables)
        case tree.Section(keyword="limit"):
            return "limit 99 moves: 99"
        case tree.Section():
            return f"{item.keyword}: 99"
    return re.sub(r"(?s):.*", ": nonsense", item.span.text, count=1)


def test_both_engines_tell_sections_of_two_files_apart(tmp_path: Path) -> None:
    """`player:` and `terminal:` begin at the same character, each of its file."""
    base = COUNTING.replace("player: turn\n\n", "")
    at = base.index("terminal:")
    variant = "game variant from counting\n"
    variant += "#" * (at - len(variant) - 1) + "\nplayer: turn\n"
    assert variant.index("player:") == at
    path = write(tmp_path, counting=base, variant=variant)
    for engine in ("reference", "native"):
        game = gdl.load(path, engine=engine)
        (start,) = game.initial()
        assert game.to_move(start.position) == 0 and len(game.moves(start.position)) == 2


# ------------------------------------------------------------------------- libraries


def test_what_a_library_declares_is_known_and_can_be_replaced(tmp_path: Path) -> None:
    write(
        tmp_path,
        ends="const end = 4\ndef left: end - n\n",
        more="use ends\ndef far: left > 1\n",
    )
    text = COUNTING.replace("param end: 1..9 = 3\n", "use ends, more\nfeature distance: 1 if far else 0\n")
    path = write(tmp_path, game=text.replace("def left: end - n\n", ""))
    assert load_model(read_source(path)).variables[0].type.size == 5
    path = write(tmp_path, game=text.replace("def left: end - n\n", "const end = 6\n"))
    assert load_model(read_source(path)).variables[0].type.size == 7


def test_two_libraries_must_not_declare_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, one="const c = 1\n", two="const c = 2\n", game="use one, two\n" + COUNTING)
    assert codes(path) == ["E104"]


def test_the_libraries_of_the_program_are_canonical_and_read_nothing_but_declarations() -> None:
    for path in (Path(gdl.__file__).parents[1] / "library").glob("*.gdl"):
        source = read_source(path)
        file, mistakes = parse(source)
        assert not mistakes and all(map(of_a_library, file.items)) and format_text(source) == source.text


def test_cards() -> None:
    game = gdl.loads(
        "game high_card\nuse cards\nplayers: a, b\nposition:\n    mine: Card?\n    theirs: Card?\n"
        "move draw:\n    let hand = of_suit(spades) | of_rank(ace)\n"
        "    mine ~ Card where it in hand\n    theirs ~ Card where it in hand and it != mine\n"
        "player: a\nterminal: mine is not none and theirs is not none\n"
        "utility:\n    if mine is none or theirs is none: return 0\n"
        "    return sign(pips(mine) - pips(theirs))\n",
        engine="reference",
    )
    (start,) = game.initial()
    (move,) = game.moves(start.position)
    chances = [o.probability for o in game.outcomes(start.position, move)]
    assert len(chances) == 16 * 15 and set(chances) == {chances[0]}
    assert gdl.solve(game).value == 0


# ----------------------------------------------------------------- what can be read


@pytest.mark.parametrize("line", ["use ../secret", "use /etc/hostname", 'use "secret"', "use a.secret"])
def test_a_path_is_no_name(line: str, tmp_path: Path) -> None:
    write(tmp_path, secret="type T = 1..2\n")
    (tmp_path / "inner").mkdir()
    assert codes(write(tmp_path / "inner", game=f"{line}\n{COUNTING}")) == ["S140"]


@pytest.mark.parametrize("line", ["use secret", "game variant from secret"])
def test_a_link_out_of_the_folder_is_not_followed(line: str, tmp_path: Path) -> None:
    write(tmp_path, secret="type Hidden = {treasure}\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "secret.gdl").symlink_to(tmp_path / "secret.gdl")
    path = write(
        inner, game=line + "\n" + COUNTING.replace("game counting\n", "" if "game" in line else "game c\n")
    )
    _, found = diagnose(read_source(path))
    assert [d.code for d in found] == ["E511"]
    assert not any("treasure" in render(d) for d in found)


def test_folders_pipes_and_circles_of_links_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "folder.gdl").mkdir()
    os.mkfifo(tmp_path / "pipe.gdl")
    (tmp_path / "loop.gdl").symlink_to(tmp_path / "loop.gdl")
    (tmp_path / "bytes.gdl").write_bytes(b"\xff\xfe")
    path = write(tmp_path, game="use folder, pipe, loop, bytes\n" + COUNTING)
    assert codes(path) == ["E511", "E511", "E511", "S002"]


def test_a_text_without_a_file_reads_what_comes_with_the_program_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, mine="type T = 1..2\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GameError, match="E511"):
        gdl.loads("use mine\n" + COUNTING, name=str(tmp_path / "game.gdl"))
    assert gdl.loads("game variant from nim\n").name == "variant"


def test_circles_end(tmp_path: Path) -> None:
    path = write(tmp_path, one="game one from two\n", two="game two from one\n")
    _, found = diagnose(read_source(path))
    assert found[0].code == "E512" and "`two` from `one` from `two`" in found[0].message
    path = write(tmp_path, a="use b\nconst x = 1\n", b="use a\nconst y = x\n", game="use a\n" + COUNTING)
    assert codes(path) == []


# ------------------------------------------------------------------------- mistakes


def test_mistakes_point_into_the_file_where_they_are(tmp_path: Path) -> None:
    path = write(tmp_path, counting=COUNTING, variant="game variant from counting\nconst end = false\n")
    _, found = diagnose(read_source(path))
    assert found and all(d.span and d.span.source.name.endswith("counting.gdl") for d in found)
    shown = render(found[0])
    assert "counting.gdl:" in shown and "variant.gdl:1" in shown and "game variant from counting" in shown


def test_warnings_about_borrowed_text_are_left_to_its_own_check(tmp_path: Path) -> None:
    base = COUNTING.replace("def left", "def spare: 1\ndef left")
    path = write(tmp_path, counting=base, variant="game variant from counting\ndef mine: 2\n")
    assert codes(tmp_path / "counting.gdl") == ["W101"]
    _, found = diagnose(read_source(path))
    assert [(d.code, d.span and d.span.text) for d in found] == [("W101", "mine")]


def test_fixes_change_no_borrowed_text(tmp_path: Path) -> None:
    variant = "game variant from counting\nutility: 1 if n == end else -1\n"
    path = write(tmp_path, counting=COUNTING.replace("n == end", "n = end"), variant=variant)
    assert mend(read_source(path)) == (variant, 0)


def test_questions_are_asked_of_the_whole_game(tmp_path: Path) -> None:
    path = write(tmp_path, counting=COUNTING, variant="game variant from counting\nparam end: 1..20 = 12\n")
    asked = question(read_source(path), "left - 2")
    assert asked.answers(reached(asked.game, None, "")) == {"10": 1}
