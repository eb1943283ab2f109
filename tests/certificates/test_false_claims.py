"""Certificates made by hand for values that are not those of the game: both engines refuse them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from gdl.certificates.verify import verify
from gdl.diagnostics import GameError
from gdl.game import Outcome
from tests.solvers.games import Node, TableGame, end, to
from tests.texts import loaded

ENGINES = ["reference", "native"]
DUEL = "value,rank_low,rank_high,best"

ROUND = """
game round
players: a, b
position:
    x: 0..2 = 0
player: b
move spin when x == 0: x = 1
move back when x == 1: x = 0
move stop when x == 0: x = 2
terminal: x == 2
utility: 0
{rest}
"""

WAIT = """
game waiting
players: a, b
position:
    x: 0..1 = 0
player: a
move wait: pass
move stop: x = 1
terminal: x == 1
utility: 1
endless: {endless}
"""

PAID = """
game paid
players: a, b
position:
    x: 0..2 = 0
player: {player}
move toss(k: 1..2) when x == 0:
    reward a: k
    x = 2
terminal: x == 2
utility: 0
"""


def handmade(game: Any, path: Path, columns: str, *rows: str, **facts: Any) -> Path:
    """A file with these lines."""
    about = {"kind": "certificate", "version": 1, "game": game.name, "digest": getattr(game, "digest", None)}
    about |= {"params": {}, "form": "duel", "from": None, "positions": len(rows), **facts}
    path.write_bytes(gzip.compress("\n".join([json.dumps(about), columns, *rows, ""]).encode()))
    return path


def refused(game: Any, path: Path) -> str:
    """The code and the message."""
    with pytest.raises(GameError) as caught:
        verify(game, path)
    (diagnostic,) = caught.value.diagnostics
    return f"{diagnostic.code}: {diagnostic.message}"


# ------------------------------------------------- gains that are not the other's losses


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rest", ["endless(p): 5 if p == a else 3", "endless(p): 5"])
def test_endless_play_that_pays_both(rest: str, engine: str, tmp_path: Path) -> None:
    """b goes round for ever and gets what endless play pays b: the value of 0 is none."""
    game = loaded(ROUND.format(rest=rest), engine)
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,0,1,0 1", "0,0,2,0", "0,0,0,")
    said = refused(game, path)
    assert said.startswith("V005") and "endless play, which pays a 5 and b" in said


@pytest.mark.parametrize("engine", ENGINES)
def test_endless_play_counts_for_nothing_with_a_discount(engine: str, tmp_path: Path) -> None:
    game = loaded(ROUND.format(rest="endless(p): 5\ndiscount: 1/2"), engine)
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,0,0,0 1", "0,0,0,0", "0,0,0,")
    assert verify(game, path).low == (0, 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("player", ["a", "chance if x == 0 else a"])
def test_rewards_that_only_one_gets(player: str, engine: str, tmp_path: Path) -> None:
    game = loaded(PAID.format(player=player), engine)
    value, best = ("2", "1") if player == "a" else ("3/2", "")
    path = handmade(game, tmp_path / "proof.gz", DUEL, f"{value},1,1,{best}", "0,0,0,")
    said = refused(game, path)
    assert said.startswith("V005") and "gain is not the other's loss at x=0" in said


def test_a_start_that_pays_both(tmp_path: Path) -> None:
    class Paid(TableGame):
        def initial(self) -> list[Outcome]:
            return [Outcome(0, 1, (F(1), F(1)))]

    game = Paid((Node(0, (to(1),)), end(0)))
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,0,0,0", "0,0,0,")
    said = refused(game, path)
    assert said.startswith("V005") and "as the start is drawn" in said
    assert verify(TableGame(game.nodes), path).low == (0, 0)


@pytest.mark.parametrize("discount", [F(-1), F(2)])
def test_a_discount_that_is_none(discount: F, tmp_path: Path) -> None:
    """What comes late must count for less and less: that is why no ranks are asked for."""
    game = replace(TableGame((Node(0, (to(0), to(1))), end(1)), acyclic=False), discount=discount)
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,0,0,0", "1,0,0,")
    said = refused(game, path)
    assert said.startswith("V005") and "discount" in said


@pytest.mark.parametrize("engine", ENGINES)
def test_many_players_who_go_round(engine: str, tmp_path: Path) -> None:
    """Where plays need not end there are no ranks, whatever they are."""
    game = loaded(ROUND.format(rest="endless(p): 5"), engine)
    for first, second in ((1, 2), (2, 1), (1 << 60, 1 << 60), ((1 << 63) - 1, (1 << 63) - 2)):
        rows = (f"0,0,{first},0 1", f"0,0,{second},0", "0,0,0,")
        columns = "value_1,value_2,rank,best"
        path = handmade(game, tmp_path / "proof.gz", columns, *rows, form="everybody")
        assert refused(game, path).startswith("V002")


# --------------------------------------------------------------------------- ranks that are none


@pytest.mark.parametrize("engine", ENGINES)
def test_no_rank_makes_waiting_a_gain(engine: str, tmp_path: Path) -> None:
    """a would have 5 by waiting for ever, which pays 0."""
    game = loaded(WAIT.format(endless=0), engine)
    for rank in (-1, 0, 1, (1 << 60) - 1, 1 << 60, (1 << 60) + 1, (1 << 63) - 1, -1 << 63):
        path = handmade(game, tmp_path / "proof.gz", DUEL, f"5,{rank},0,0", "1,0,0,")
        assert refused(game, path).startswith("V002")


@pytest.mark.parametrize("engine", ENGINES)
def test_ranks_below_0(engine: str, tmp_path: Path) -> None:
    """Where play rests for ever ranks could be any numbers that are equal, but they start at 0."""
    game = loaded(ROUND.replace("move stop when x == 0: x = 2\n", "").format(rest=""), engine)
    for rank in (-1, -2):
        rows = (f"0,{rank},0,0", f"0,{rank},0,0")
        assert refused(game, handmade(game, tmp_path / "proof.gz", DUEL, *rows)).startswith("V002")
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,0,0,0", "0,0,0,0")
    assert verify(game, path).low == (0, 0)


# -------------------------------------------------------------------- numbers that no float can be


@pytest.mark.parametrize(
    ("size", "engine"), [(10**400, "reference"), (10**305, "reference"), (10**140, "native")]
)
def test_numbers_beyond_floats(size: int, engine: str, tmp_path: Path) -> None:
    """Who waits for ever gets what endless play pays, to the last digit; native code counts up to 10^150."""
    game = loaded(WAIT.format(endless=size), engine)
    path = handmade(game, tmp_path / "proof.gz", DUEL, f"{size},0,0,0", "1,0,0,")
    assert verify(game, path).low == (size, -size)
    for wrong in (size + 1, size - 1, 2 * size, 10 * size):
        path = handmade(game, tmp_path / "proof.gz", DUEL, f"{wrong},0,0,0", "1,0,0,")
        assert refused(game, path).startswith("V002")


@pytest.mark.parametrize("engine", ENGINES)
def test_ranks_that_rest_on_each_other(engine: str, tmp_path: Path) -> None:
    """Each is fixed by the others, not all of them: 7 is as good as 0 where both positions have it."""
    game = loaded(ROUND.replace("move stop when x == 0: x = 2\n", "").format(rest=""), engine)
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,7,0,0", "0,7,0,0")
    assert verify(game, path).low == (0, 0)
    path = handmade(game, tmp_path / "proof.gz", DUEL, "0,7,0,0", "0,6,0,0")
    assert refused(game, path).startswith("V002")
