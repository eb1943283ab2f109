"""What is called unused: not what a player sees, nor what only other parameters need."""

from __future__ import annotations

import pytest

from gdl.diagnostics import Source
from gdl.loading import diagnose

OBSERVED = """
game seen
players: a, b
position:
    choice[p: player]: 0..1? visible to p
    last: 0..1 {visible}
    turn: player = a
player: turn
{secret}move choose(h: 0..1):
    choice[turn] = h
    last = 1
    turn = next(turn)
terminal: choice[b] is not none
utility: 1 if choice[a] == choice[b] else 0
"""


def unused(text: str, **params: object) -> list[str]:
    model, diagnostics = diagnose(Source("<text>", text), params)
    assert model is not None
    return [d.span.text for d in diagnostics if d.code == "W101" and d.span]


def test_a_variable_that_players_see_is_used() -> None:
    assert unused(OBSERVED.format(visible="= 0", secret="secret ")) == []
    assert unused(OBSERVED.format(visible="= 0 visible to b", secret="secret ")) == []


def test_a_variable_that_nobody_sees_is_not() -> None:
    assert unused(OBSERVED.format(visible="= 0 visible to nobody", secret="secret ")) == ["last"]


def test_where_all_is_seen_a_variable_that_is_never_read_is_not() -> None:
    text = OBSERVED.replace(" visible to p", "").format(visible="= 0", secret="")
    assert unused(text) == ["last"]


@pytest.mark.parametrize("big", [True, False])
def test_a_def_that_other_parameters_need_is_used(big: bool) -> None:
    text = """
game parts
param big: bool = true
players: a
position:
    n: 0..9 = 0
def more(x: 0..9): x + 1
def far:
    if big:
        return 1
    return min(more(2), 7)
move go: n = far
move on: n = 9
terminal: n == 9
utility: n
"""
    model, diagnostics = diagnose(Source("<text>", text), {"big": big})
    assert model is not None and diagnostics == ()
