"""What the page itself brings along: the game to start from, and commands that need no browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gdl.commands.serve import serve
from gdl.diagnostics.wording.phrases import counted
from gdl.loading import loads
from gdl.serve.editing import Units
from gdl.serve.offered import Offer
from gdl.serve.thinking import refuse_files
from solvers.core.refusal import Refusal

STATIC = Path(__file__).parents[2] / "gdl" / "serve" / "static"


def test_a_new_game_begins_with_one_that_can_be_played() -> None:
    text = re.search(r"const NEW = `(.*?)`;", (STATIC / "game.js").read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None
    game = loads(text[1], engine="reference")
    assert [game.format_move(move) for move in game.moves(game.initial()[0].position)] == [
        "take(1)",
        "take(2)",
    ]


def test_places_are_counted_as_the_page_counts() -> None:
    text = "a𝔸b"  # the letter in the middle is two units of UTF-16
    units = Units(text)
    assert [units.of(at) for at in range(4)] == [0, 1, 3, 4]
    assert [units.offset(at) for at in (0, 1, 3, 4)] == [0, 1, 2, 3]


def test_the_command_hands_out_solved_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    serve(["halving", "kuhn_poker"], export=tmp_path / "pages", as_json=True)
    out, told = capsys.readouterr()
    written = json.loads(out)
    assert [game["name"] for game in written["games"]] == ["halving"]
    (left,) = written["left_out"]
    done = [line for line in told.splitlines() if not line.startswith("compiling ")]  # once per machine
    assert done[0] == "halving: solving"
    assert done[1] == f"halving: drawing {counted(written['games'][0]['positions'], 'position')}"
    assert done[-2:] == ["kuhn_poker: solving", f"kuhn_poker: left out: {left['why']}"]
    assert (tmp_path / "pages" / "index.html").exists()


def test_changed_texts_borrow_only_where_all_beside_is_offered(tmp_path: Path) -> None:
    for name in ("one", "secret"):
        (tmp_path / f"{name}.gdl").write_text(
            f'"""{name.title()}: a game."""\ngame {name}\n', encoding="utf-8"
        )
    some = Offer.of([tmp_path / "one.gdl"])
    assert some.listed() == [{"name": "one", "title": "One: a game."}]
    assert some.game("one", None, None)["path"] == str(tmp_path / "one.gdl")
    assert some.game("one", "game one from secret\n", None)["path"] is None
    whole = Offer.of(sorted(tmp_path.glob("*.gdl")))
    assert whole.game("one", "game one from secret\n", None)["path"] == str(tmp_path / "one.gdl")


@pytest.mark.parametrize(
    "text", ["policy:x", "alphabeta(leaf=tablebase:x)", "mixture(1/2: policy:x, 1/2: random)"]
)
def test_descriptions_name_no_files(text: str) -> None:
    with pytest.raises(Refusal, match="names a file"):
        refuse_files(text)
    refuse_files("mixture(1/2: greedy, 1/2: mcts(simulations=10))")
