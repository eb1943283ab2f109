"""Games with more histories than can be walked: sampled where that can teach something, else refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
import solvers
from gdl.diagnostics import GameError
from solvers.core.refusal import TooLarge
from solvers.files.information_file import InformationFile
from solvers.hidden import sampled_strategy
from solvers.hidden.kernels.histories import sequence_form
from solvers.hidden.kernels.observing import numbers_of
from solvers.hidden.sizing import external_sample, histories


def test_what_was_learnt_is_found_by_what_is_known() -> None:
    """With a limit that is too small Leduc poker is not walked; the same samples then say the same in every
    information set, whether it is found by the walk or by what its player has seen."""
    game = gdl.load("leduc_poker")
    options = {"iterations": 300, "seed": 3}
    walked: Any = solvers.solve(game, "mccfr", **options).strategy
    sampled: Any = solvers.solve(game, "mccfr", limit=100, **options).strategy
    assert sampled.judgement is None and sum(sampled.counts) <= len(walked)
    met = 0
    for known, odds in walked.entries():
        found = sampled.odds(known)
        if found is not None:
            met += 1
            assert np.allclose(found, odds, rtol=0, atol=1e-12)
    assert met == sum(sampled.counts)


def test_a_game_that_is_too_large_is_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled_strategy, "LONG", (100, 5.0))
    game = gdl.load("goofspiel", cards=7)
    file = tmp_path / "goofspiel.parquet"
    result = gdl.solve(game, time=0.2, limit=10_000, policy=file)
    assert result.solver == "mccfr" and result.kind == "estimate" and "too many histories" in result.how
    text = str(result)
    assert "not measured" in text and "plays, by what" in text and "iterations" in text
    policy = InformationFile.open(file, game)
    assert len(policy) == result.written[0].rows
    assert "policy:" in str(gdl.match(game, f"policy:{file}", "random", games=2, seed=1))


def test_a_game_that_teaches_nothing_is_refused_at_once() -> None:
    with pytest.raises(TooLarge, match=r"about \d+e\+\d+ histories"):
        gdl.solve(gdl.load("battleships"))
    with pytest.raises(TooLarge):
        gdl.solve(gdl.load("goofspiel", cards=7), exact=True, limit=10_000)


def test_samples_end_when_the_time_is_over() -> None:
    """One sample may take long: the clock is looked at after each until it is known how long they take."""
    assert solvers.solve(gdl.load("leduc_poker"), "mccfr", time=1e-4).work.rounds < 64


def test_a_sample_that_never_ends_is_not_begun() -> None:
    game = gdl.load("battleships")
    with pytest.raises(GameError, match=r"one external sample of battleships .*sampling=outcome"):
        solvers.solve(game, "mccfr", time=1e-9)
    assert solvers.solve(game, "mccfr", sampling="outcome", time=1e-4).work.rounds < 64


def test_estimates_of_sizes() -> None:
    """Right on average: where all plays are alike in their choices, right at once."""
    game = gdl.load("goofspiel", cards=4)
    assert histories(game) == pytest.approx(sequence_form(game).histories, rel=0.05)
    assert external_sample(gdl.load("rock_paper_scissors")) == 3 + 3  # all moves, then a drawn answer to each


def test_numbers_of_what_was_seen_tell_moves_apart() -> None:
    form = sequence_form(gdl.load("kuhn_poker"))
    told = {tuple(numbers_of(form.game, form.known(k).seen)[1].tolist()) for k in range(12)}
    assert len(told) == 4  # nothing, check, bet, check and bet
