"""The ABI is one table: what is written, what Python calls and what kernels call agree with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdl import abi, load
from gdl.native.emit.exports import EXPORTS
from gdl.native.engine import NativeGame

ROOT = Path(__file__).parent.parent.parent


def test_every_function_of_the_table_is_written_and_no_other() -> None:
    assert set(EXPORTS) == set(abi.FUNCTIONS)


@pytest.mark.parametrize("name", abi.FUNCTIONS)
def test_modules_define_functions_as_the_table_says(name: str) -> None:
    game = load(ROOT / "games" / "piglet.gdl", engine="native")
    assert isinstance(game, NativeGame)
    (defined,) = re.findall(rf"^define *(.*) @{name}\((.*)\) #0", game.functions.text(name), re.MULTILINE)
    function = abi.FUNCTIONS[name]
    kinds = ["ptr" if part.type.endswith("*") else part.type for part in function.parameters]
    assert defined[0] == function.result
    assert [part.split()[0] for part in defined[1].split(", ")] == kinds


def test_statuses_stand_nowhere_else() -> None:
    places = [*(ROOT / "gdl").rglob("*.py"), *(ROOT / "solvers").rglob("*.py")]
    assert [path.name for path in places if "0x7FFF00" in path.read_text(encoding="utf-8")] == ["abi.py"]
