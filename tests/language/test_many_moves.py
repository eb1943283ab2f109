"""More legal moves than can be listed are a fault of the game, on both engines and in every process."""

from __future__ import annotations

import pickle

import pytest

from gdl.diagnostics.faults import Fault
from gdl.loading import loads

GAME = """
game many
players: a
position:
    n: 0..1 = 0
move go(i: 0..1999, j: 0..{last}) when i != 3: n = 1
terminal: n == 1
utility: n
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_too_many_legal_moves(engine: str) -> None:
    game = loads(GAME.format(last=999), engine=engine)  # 1999 * 1000
    (start,) = game.initial()
    with pytest.raises(Fault) as caught:
        game.moves(start.position)
    assert caught.value.code == "F008"
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert ("position", "n=0") in again.diagnostic.context


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_many_legal_moves_are_listed(engine: str) -> None:
    game = loads(GAME.format(last=9), engine=engine)
    (start,) = game.initial()
    assert len(game.moves(start.position)) == 1999 * 10
