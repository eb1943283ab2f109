"""Sections in any order: a shuffled file means the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from gdl.diagnostics import Source
from gdl.loading import load_model
from gdl.model.digest import digest
from gdl.syntax.tokens import tokenize

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.gdl"))


def _items(text: str) -> list[str]:
    """The text cut before every line that starts in the first column and opens an item."""
    starts, depth = [0], 0
    tokens = tokenize(Source("<order>", text)).tokens
    for before, token in pairwise(tokens):
        depth += (token.kind == "_INDENT") - (token.kind == "_DEDENT")
        if depth == 0 and before.kind in ("_NEWLINE", "_DEDENT") and token.kind not in ("_INDENT", "_DEDENT"):
            starts.append(token.start)
    return [text[a:b].rstrip("\n") + "\n" for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_shuffled(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    items = _items(text)
    # Moves, parameters and features are listed in the order of the file: that is part of the meaning.
    moves = [item for item in items if item.startswith(("move ", "secret ", "param ", "feature "))]
    others = [item for item in items if item not in moves]
    Random(path.stem).shuffle(others)
    shuffled = load_model(Source("<shuffled>", "".join(others + moves)))
    assert digest(shuffled) == digest(load_model(Source("<file>", text)))
