"""The `expect` lines of small games, certified: a proof that no solver takes part in says the same as the
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import solvers
from gdl.certificates.verify import verify
from gdl.exploration import explore
from gdl.loading import game_of, games, load_model, read_source
from gdl.model.nodes import Expectation
from solvers.files.certificate import certificate_of_result, write
from solvers.views.starting_at import StartingAt

SMALL = 1_000
"""Positions; more are certified by hand (docs/certificates.md)."""

GAMES = sorted(games().items())


def lines(path: Path) -> Iterator[tuple[Expectation, Any, Any]]:
    """The lines about values and best moves when all play best, with their game and position, of small games
    without secrets."""
    source = read_source(path)
    model = load_model(source)
    for expectation in model.expectations:
        if expectation.slow or expectation.quantity not in ("value", "best"):
            continue
        if expectation.setting.agents or expectation.relation not in ("==", "within"):
            continue
        game = game_of(load_model(source, expectation.params))
        if game.traits.hidden:
            continue
        position = None if expectation.start is None else game.parse_position(expectation.start)
        for text in expectation.moves:
            before = game.initial()[0].position if position is None else position
            ((position, _, _),) = game.outcomes(before, game.parse_move(before, text))
        if explore(StartingAt(game, position) if position else game, max_positions=SMALL).complete:
            yield expectation, game, position


CERTIFIED = {
    "2048", "bins", "blackjack", "breakthrough", "chance_tree", "chomp", "connect6", "domineering",
    "dots_and_boxes", "gamblers_problem", "gridworld", "haddad_monmege", "inc_and_square", "kalah", "kayles",
    "nim", "pig", "piglet", "three_players", "tictactoe",
}  # fmt: skip
"""Games that have such lines, so that the test below tests something."""


@pytest.mark.parametrize("path", [path for _, path in GAMES], ids=[name for name, _ in GAMES])
def test_expected_values_are_certified(path: Path, tmp_path: Path) -> None:
    count = 0
    for count, (expectation, game, position) in enumerate(lines(path), 1):  # noqa: B007
        solver, _ = solvers.choose(game)
        result = solvers.solve(game, solver, at=position)
        write(certificate_of_result(game, result, position), tmp_path / "proof.gz")
        verdict = verify(game, tmp_path / "proof.gz")
        if expectation.quantity == "best":
            assert verdict.best is not None
            where = position if position is not None else game.initial()[0].position
            wanted = {game.parse_move(where, text) for text in expectation.value}
            assert {game.parse_move(where, text) for text in verdict.best} == wanted, expectation.text
            continue
        expected = expectation.value if isinstance(expectation.value, tuple) else (expectation.value,)
        reach = expectation.tolerance or Fraction(1, 10**9)
        for number, low, high in zip(expected, verdict.low, verdict.high, strict=False):
            assert low - reach <= number <= high + reach, expectation.text
            assert high - low <= 2 * reach, expectation.text
    assert count or path.stem not in CERTIFIED
