"""The extension of Visual Studio Code: its files fit together, and its answers are those of the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gdl.lsp.library import LIBRARY
from gdl.syntax.tokens import ITEM_WORDS
from tests.texts import STONES

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
STAND_IN = Path(__file__).with_name("stand_in.js")


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_files_that_the_package_names_are_there() -> None:
    package = read("package.json")
    parts = package["contributes"]
    for name in (package["main"], parts["languages"][0]["configuration"], parts["grammars"][0]["path"]):
        assert (FOLDER / name).is_file(), name
    assert "dependencies" not in package  # nothing to download


def test_colours_know_the_words_of_the_language() -> None:
    patterns = read("syntaxes/gdl.tmLanguage.json")["patterns"]
    by_name = {pattern["name"]: pattern for pattern in patterns if "name" in pattern and "match" in pattern}
    for word in ITEM_WORDS:
        assert re.match(by_name["keyword.declaration.gdl"]["match"], word), word
    for function in LIBRARY:
        assert re.search(by_name["support.function.gdl"]["match"], f"{function}("), function


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the extension")
def test_the_extension_shows_what_the_server_says() -> None:
    command = json.dumps([sys.executable, "-m", "gdl", "lsp"])
    ran = subprocess.run(
        ["node", STAND_IN, FOLDER / "extension.js", command, json.dumps(STONES)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["first"] == said["mended"] == []
    assert "turn: player" in said["hover"]["contents"]["value"]
    assert said["definition"]["range"]["start"] == {"line": 4, "character": 4}
    assert len(said["references"]) == len(said["highlights"]) == STONES.count("turn")
    assert said["prepared"]["placeholder"] == "turn"
    assert {edit["newText"] for edit in said["renamed"]["edits"]} == {"mover_now"}
    assert {"turn", "n"} <= {item["label"] for item in said["completion"]}
    assert said["signature"]["signatures"][0]["parameters"] == [{"label": "value"}]
    assert [symbol["name"] for symbol in said["symbols"]][:3] == ["stones", "players", "position"]
    assert len(said["formatting"]) == 1  # blank lines between the parts
    assert len(said["tokens"]) % 5 == 0
    assert [d["code"] for d in said["broken"]] == ["E603"]
    assert said["actions"][0]["edit"]["edits"][0]["newText"] == "turn"
    assert said["tested"]["verdict"]["status"] == "passed"
    assert any("passed" in message for message in said["shown"])
