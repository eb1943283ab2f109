"""Games as text with every feature: solved by the native engine, certified, and checked by either engine.

Values are computed by hand.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.certificates.file import read
from gdl.certificates.verify import verify
from gdl.diagnostics import GameError
from solvers.files.certificate import certificate_of, write
from solvers.registry import choose
from solvers.whole.kernels.solve import Settings, solve_whole
from tests.certificates.forging import changed_moves, changed_numbers, changed_ranks, refusal
from tests.texts import WAITING, loaded, spin, work

DISCOUNTED = """
game discounted
players: a, b
position:
    x: 0..2 = 0
    turn: player = a
player: turn
move go:
    reward (1 if turn == a else -1) / 3
    turn = next(turn)
    chance:
        1/4: x = 1
        else: pass
move stop: x = 2
terminal: x > 0
utility: x / 4
discount: 1/2
"""

DEALT = """
game dealt
players: a, b
position:
    x: 0..5
    tossing: bool = true
    turn: player = a
initial: x ~ {1: 1/4, 2: 3/4}
player: chance if tossing else turn
move toss(k: 1..3) when tossing:
    x = x if k == 3 else 0
    tossing = false
move again when not tossing and x > 0:
    tossing = true
    turn = next(turn)
move stop when not tossing:
    x = x + 3 if x > 0 else 3
terminal: x > 2
utility: x - 3
"""

# `discounted`: whoever stops pays a half of 1/2. Where both go on, a's turn is worth v = 1/3 + 1/2 (1/16 +
# 3/4 w) and b's w = -1/3 + 1/2 (1/16 + 3/4 v): v = 193/660 is more than 1/4, and w is less, so both do.
GAMES: dict[str, tuple[str, F]] = {
    "endless above": (spin(), F(1)),
    "endless inside": (spin(endless="-1/2"), F(0)),
    "endless below": (spin(endless="-5"), F(0)),
    "rewards": (work(endless="-1"), F(10)),
    "discount": (DISCOUNTED, F(193, 660)),
    "staying": (WAITING, F(100)),
}


@pytest.mark.parametrize("name", GAMES)
def test_both_engines_confirm_the_value(name: str, tmp_path: Path) -> None:
    text, value = GAMES[name]
    native, reference = loaded(text, "native"), loaded(text, "reference")
    for exact in (True, False):
        solved = solve_whole(native, choose(native)[0], settings=Settings(exact=exact))
        write(certificate_of(solved), tmp_path / "proof.gz")
        known = verify(reference, tmp_path / "proof.gz")
        assert known.low[0] <= value <= known.high[0]
        assert known.high[0] - known.low[0] <= F(1, 10**8)
        assert known.exact or not exact
        assert known == replace(verify(native, tmp_path / "proof.gz"), engine="reference")


@pytest.mark.parametrize("name", ["endless inside", "rewards", "discount"])
def test_both_engines_refuse_the_same(name: str, tmp_path: Path) -> None:
    """Each single number changed; which of several wrong positions is named first may differ."""
    native, reference = loaded(GAMES[name][0], "native"), loaded(GAMES[name][0], "reference")
    solved = solve_whole(native, choose(native)[0], settings=Settings(exact=True))
    write(certificate_of(solved), tmp_path / "proof.gz")
    certificate = read(tmp_path / "proof.gz", reference)
    amounts = (F(1, 1000), F(-1, 1000), F(3), F(-3))
    forged = [
        *changed_numbers(certificate, amounts),
        *changed_ranks(certificate),
        *changed_moves(certificate),
    ]
    for wrong in forged:
        for game in (reference, native):
            refusal(game, wrong, tmp_path)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_positions_that_are_missing_or_too_many(engine: str, tmp_path: Path) -> None:
    game = loaded(GAMES["rewards"][0], engine)
    native = loaded(GAMES["rewards"][0], "native")
    whole = certificate_of(solve_whole(native, choose(native)[0], settings=Settings(exact=True)))
    assert len(whole) == 2
    for rows, said in ((1, "another one"), (3, "2 only")):
        columns: dict[str, Any] = {
            kind: {name: np.append(column, 0)[:rows] for name, column in getattr(whole, kind).items()}
            for kind in ("numbers", "ranks")
        }
        columns["best_start"] = np.append(whole.best_start, whole.best_start[-1])[: rows + 1]
        write(replace(whole, **columns, best=whole.best[: columns["best_start"][-1]]), tmp_path / "cut.gz")
        with pytest.raises(GameError, match=said) as refused:
            verify(game, tmp_path / "cut.gz")
        assert refused.value.diagnostics[0].code == "V004"


def test_chance_as_a_player_and_a_drawn_start(tmp_path: Path) -> None:
    """A toss keeps x with probability 1/3; then a stops for x, since b would gladly toss again."""
    native, reference = loaded(DEALT, "native"), loaded(DEALT, "reference")
    solved = solve_whole(native, choose(native)[0])
    write(certificate_of(solved), tmp_path / "proof.gz")
    for game in (reference, native):
        verdict = verify(game, tmp_path / "proof.gz")
        assert verdict.low[0] <= F(7, 12) <= verdict.high[0]  # (1/4 * 1 + 3/4 * 2) / 3
        assert verdict.best is None  # nobody moves before the start is drawn


def test_from_a_position(tmp_path: Path) -> None:
    game = gdl.load("pig", engine="native", goal=10)
    at = game.parse_position("banked=[0 9]")
    solved = solve_whole(game, "value_iteration", at=at)
    write(certificate_of(solved, at), tmp_path / "proof.gz")
    for other in (gdl.load("pig", engine="reference", goal=10), game):
        verdict = verify(other, tmp_path / "proof.gz")
        assert verdict.start == game.format_position(at)
        assert verdict.low[0] < F(solved.result.values[0].number) < verdict.high[0]  # type: ignore[union-attr]
        # Said is which position was checked, not what the file calls it.
        certificate = read(tmp_path / "proof.gz", other)
        facts = {**certificate.facts, "from": "banked=[0\n\n\t9]  "}
        write(replace(certificate, facts=facts), tmp_path / "renamed.gz")
        assert verify(other, tmp_path / "renamed.gz").start == game.format_position(at)


def test_large_partitions_are_numbered_as_one(tmp_path: Path) -> None:
    """Layers that several partitions found together are put into the order of the rules."""
    game = gdl.load("connect_four", engine="native", width=4, height=3)
    for partitions in (1, 4):
        settings = Settings(partitions=partitions)
        solved = solve_whole(game, "backward_induction", settings=settings)
        write(certificate_of(solved), tmp_path / f"{partitions}.gz")
    assert (tmp_path / "1.gz").read_bytes() == (tmp_path / "4.gz").read_bytes()
    assert verify(game, tmp_path / "4.gz").low[0] == 0


FINE = """
game fine
players: a
position:
    x: 0..9 = 0
move often when x == 0:
    chance:
        1/2954312706550833698643: x = 8
        else: pass
move rarely when x == 0:
    chance:
        1/1341068619663964900807: x = 9
        else: pass
terminal: x > 0
utility: 1 if x == 8 else 2
"""
"""Exits of 1/3^45 and 1/7^25, which do not fit machine words: `rarely` pays 2 in the end, `often` 1."""


def test_a_game_that_is_solved_in_rationals_is_certified(tmp_path: Path) -> None:
    game = gdl.loads(FINE, engine="native")
    result = gdl.solve(game, certificate=tmp_path / "fine.gz")
    assert result.value == 2 and result.written
    proved = verify(gdl.loads(FINE, engine="reference"), tmp_path / "fine.gz")
    assert (proved.low, proved.high) == ((2,), (2,))
