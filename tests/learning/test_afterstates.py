"""What a move makes of a position before chance is asked, and the elements of positions, on both engines."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl.native.engine import NativeGame
from gdl.reference.engine import ReferenceGame

DRAWN = {
    "2048": "always",
    "backgammon": "at times",
    "pig": "at times",
    "cant_stop": "at times",
    "chess": "never",
    "yahtzee": "at times",
    "monopoly": "at times",
}


@pytest.mark.parametrize("name", DRAWN)
def test_engines_agree_on_afterstates_and_elements(name: str) -> None:
    native, reference = gdl.load(name), gdl.load(name, engine="reference")
    assert isinstance(native, NativeGame) and isinstance(reference, ReferenceGame)
    rng = Random(1)
    play = gdl.Play(native, seed=1)
    drew = []
    for _ in range(40):
        if play.finished:
            break
        position = reference.parse_position(str(play.position))
        for move in native.moves(play.position)[:4]:
            after, drawn, paid = native.afterstate(play.position, move)
            text = native.format_move(move)
            same = next(m for m in reference.moves(position) if reference.format_move(m) == text)
            wanted, wanted_drawn, wanted_paid = reference.afterstate(position, same)
            assert (after.values, drawn) == (wanted.values, wanted_drawn)
            assert paid == tuple(map(float, wanted_paid))
            drew.append(drawn)
            if not drawn:  # then nothing is left to happen
                (only,) = native.outcomes(play.position, move)
                assert only.position == after
            ordinals = native.ordinals(after)
            assert native.composed(ordinals) == after
            form = native.form(after)
            read = []
            for at, size, bit in native.compiled.places:
                number = int.from_bytes(form[at : at + size], "little")
                read.append(number if bit < 0 else number >> bit & 1)
            assert tuple(read) == ordinals == reference.ordinals(wanted)
            assert all(value < element.size for value, element in zip(ordinals, native.elements, strict=True))
        play.make(rng.choice(native.moves(play.position)))
    if name in ("2048", "chess"):
        assert set(drew) == {DRAWN[name] == "always"}
