"""What commands print, read back, contains the truth: here worked out by hand beside each game."""

from __future__ import annotations

import json
import re
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from tests.solvers.reading import read_back

ROUNDS = """
game rounds
players: a
position:
    over: bool
move go:
    reward 100000/7
    chance:
        1/3: over = true
        else: pass
terminal: over
utility: 0
"""

CHAIN = """
game chain
players: walker
position:
    at: 0..{n} = 0
    lost: bool
move step:
    chance:
        1/2: at = at + 1
        1/4: at = 0
        else: lost = true
terminal: lost or at == {n}
utility: 1 if at == {n} else 0
"""

RARE = """
game rare
players: a
position:
    x: 0..2 = 0
move go:
    chance:
        1/2: x = 0
        1/(10**13): x = 2
        else: x = 1
terminal: x > 0
utility: 1 if x == 1 else 0
"""

LARGE = """
game large
players: a, b
position:
    x: 0..2 = 0
player: a
move toss: x ~ 1..2
terminal: x > 0
utility(p): 12344 + x
"""

PAYS_ON = """
game pays_on
players: a
position:
    n: 0..100 = 0
    over: bool
move go when n < 100:
    reward 1
    n += 1
move stop: over = true
terminal: over
utility: 0
"""


def _chain(n: int) -> F:
    """v = sum_i (1/2)^i (1/4) v + (1/2)^n, over the steps i < n."""
    return F(1, 2**n) / (1 - F(1, 2) * (1 - F(1, 2**n)))


def _value(out: str, player: str) -> str:
    """The printed value of a player."""
    found = re.search(rf"\nvalue.*?\n  {player} +(.*?)\n", out, re.DOTALL)
    assert found, out
    return found[1]


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("text", "player", "truth"),
    [
        (ROUNDS, "a", F(300000, 7)),  # three rounds on average
        (CHAIN.format(n=30), "walker", _chain(30)),
        (CHAIN.format(n=40), "walker", _chain(40)),
        (RARE, "a", 1 - 2 * F(1, 10**13)),
    ],
    ids=["rounds", "chain30", "chain40", "rare"],
)
def test_a_solved_value_read_back_contains_the_truth(  # type: ignore[no-untyped-def]
    gdl, tmp_path: Path, text: str, player: str, truth: F, engine: str
) -> None:
    file = tmp_path / "game.gdl"
    file.write_text(text)
    ran = gdl("solve", file, "--engine", engine)
    assert ran.code == 0
    said = read_back(_value(ran.out, player))
    assert said is not None and said[0] <= truth <= said[1], ran.out
    data = _json(gdl("solve", file, "--engine", engine, "--json").out)["values"][player]
    assert F(data["low"]) <= truth <= F(data["high"])
    if data["kind"] == "bounded":
        assert data["value"] == pytest.approx(float(F(data["low"]) + F(data["high"])) / 2, rel=1e-15)
    else:
        assert F(data["exact"]) == truth


def test_an_exact_fraction_that_is_too_long_says_so(gdl, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "rare.gdl"
    file.write_text(RARE)
    shown = _value(gdl("solve", file, "--exact").out, "a")
    assert shown == "0.999999999999… (a fraction, its denominator has 13 digits)"
    data = _json(gdl("solve", file, "--exact", "--json").out)["values"]["a"]
    assert data["exact"] == "4999999999999/5000000000000"


def test_means_show_the_digits_that_their_error_justifies(gdl, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Half the games pay 12345 and half 12346: `1.235e+04 ± 0.031` was 4.5 away."""
    file = tmp_path / "large.gdl"
    file.write_text(LARGE)
    ran = gdl("run", file, "-n", "400", "--seed", "1", "-a", "random")
    (mean,) = re.findall(r"  a +mean utility (\S+ ± \S+)", ran.out)
    said = read_back(mean)
    assert said is not None and said[0] <= F(24691, 2) <= said[1] and said[1] - said[0] < 1
    ran = gdl("match", file, "-a", "a=random", "-a", "b=random", "-n", "400", "--seed", "1", "-j", "1")
    (mean,) = re.findall(r"(\d\S+ ± \S+)\n", ran.out)
    said = read_back(mean)
    assert said is not None and said[0] <= F(24691, 2) <= said[1] and said[1] - said[0] < 1


def test_half_a_bound_is_said_in_words(gdl, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Stopping after one more payment is worth 1; what comes later is beyond the search."""
    file = tmp_path / "pays_on.gdl"
    file.write_text(PAYS_ON)
    for arguments in (("--depth", "2"), ("--depth", "2", "--engine", "reference")):
        ran = gdl("search", file, *arguments)
        assert ran.code == 0
        said = read_back(_value(ran.out, "a"))
        assert said is None or said[0] <= 100 <= said[1]
        assert not re.search(r"\b(inf|nan)\b", ran.out)
        values = _json(gdl("search", file, *arguments, "--json").out)["values"]["a"]
        assert all(values[bound] is None or abs(values[bound]) < 1000 for bound in ("value", "low", "high"))


def test_the_line_says_what_chance_did(gdl) -> None:  # type: ignore[no-untyped-def]
    ran = gdl("solve", "bins")
    assert "agent: choose(C) [bin = B] (1/2)" in ran.out
    assert "0.166666" not in gdl("solve", "pig", "-p", "goal=3").out


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_parameters_are_named(gdl, engine: str) -> None:  # type: ignore[no-untyped-def]
    explored = gdl("explore", "pig", "-p", "goal=3", "--engine", engine)
    assert explored.out.startswith("pig, goal=3\n")
    assert _json(gdl("explore", "pig", "-p", "goal=3", "--engine", engine, "--json").out)["params"] == {
        "goal": "3"
    }
    arguments = (
        "match",
        "pig",
        "-p",
        "goal=3",
        "-a",
        "random",
        "-a",
        "random",
        "-n",
        "2",
        "--seed",
        "1",
        "-j",
        "1",
    )
    assert gdl(*arguments, "--engine", engine).out.startswith("pig, goal=3, 2 games, seed 1\n")
    assert _json(gdl(*arguments, "--engine", engine, "--json").out)["params"] == {"goal": "3"}


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=pytest.fail)
