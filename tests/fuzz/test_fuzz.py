"""A few hundred damaged files; `python -m tests.fuzz` runs many thousand."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.diagnostics import Source
from gdl.loading import diagnose
from tests.fuzz.mutate import damaged
from tests.fuzz.texts import game_texts


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return game_texts()


@pytest.mark.parametrize("block", range(10))
def test_damaged_files_give_diagnostics_or_a_model(texts: list[str], block: int) -> None:
    for number in range(30):
        model, diagnostics = diagnose(Source("<fuzz>", damaged(texts, Random(f"default {block} {number}"))))
        assert model is not None or diagnostics


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_diagnostics(text: str) -> None:
    model, diagnostics = diagnose(Source("<fuzz>", text))
    assert model is None and diagnostics
