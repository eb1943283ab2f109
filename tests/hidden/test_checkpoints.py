"""Regret minimisation that is cut off and taken up again comes to the same numbers, whenever that was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.diagnostics import GameError
from solvers.core.report import work_facts
from solvers.files.checkpoint import CheckpointFile
from solvers.files.strategy_file import StrategyFile
from solvers.registry import find

SOLVERS: list[tuple[str, dict[str, Any]]] = [
    ("pcfr_plus", {"precision": 1e-2}),
    ("cfr", {"iterations": 150, "updates": "simultaneous"}),
    ("mccfr", {"iterations": 900, "seed": 5}),
    ("mccfr", {"iterations": 900, "seed": 5, "sampling": "outcome"}),
]


class Killed(Exception):
    """As if the process had ended there."""


class Deadly(CheckpointFile):
    """Leaves a checkpoint whenever it may, and kills the computation after so many."""

    def __init__(self, path: Path, times: int):
        super().__init__(path, every=0)
        self.times = times

    def save(self, *what: Any) -> None:
        super().save(*what)
        self.times -= 1
        if self.times == 0:
            raise Killed


@pytest.mark.parametrize(("name", "options"), SOLVERS, ids=str)
def test_a_killed_run_goes_on_to_the_same_result(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    game = gdl.load("leduc_poker")
    solve = find(name).load()
    whole = solve(game, **options)
    for times in (1, 3):
        file = tmp_path / f"{times}"
        with pytest.raises(Killed):
            solve(game, **options, checkpoint=Deadly(file, times))
        assert file.exists()
        again = solve(game, **options, checkpoint=CheckpointFile(file, resume=True))
        assert again.work.rounds == whole.work.rounds and again.values == whole.values
        assert list(again.strategy.probabilities) == list(whole.strategy.probabilities)


def test_files_of_gdl_solve(tmp_path: Path) -> None:
    game, file = gdl.load("leduc_poker"), tmp_path / "c"
    cut = gdl.solve(game, "cfr_plus(iterations=100000000)", time=0.05, checkpoint=file)
    assert cut.partial and file.exists()
    with pytest.raises(GameError, match="its solver was cfr_plus, and now it is cfr"):
        gdl.solve(game, "cfr", checkpoint=file, resume=True)
    with pytest.raises(GameError, match="leduc_poker"):
        gdl.solve(gdl.load("kuhn_poker"), "cfr_plus", checkpoint=file, resume=True)
    rounds = cut.work.rounds
    assert rounds is not None
    done = gdl.solve(game, f"cfr_plus(iterations={rounds + 10})", checkpoint=file, resume=True)
    assert done.work.rounds == rounds + 10 and not done.partial and not file.exists()
    assert done.work.earlier == rounds and f"{rounds:,} of them before this run" in str(done)
    with pytest.raises(GameError, match="one step"):
        gdl.solve(game, "sequence_form", checkpoint=file)
    with pytest.raises(GameError, match="not compiled"):
        gdl.solve(gdl.load("kuhn_poker", engine="reference"), "cfr", checkpoint=file)


def test_samples_that_ran_out_of_time_can_be_gone_on_with(tmp_path: Path) -> None:
    game, file = gdl.load("leduc_poker"), tmp_path / "samples"
    first = gdl.solve(game, "mccfr", time=0.05, checkpoint=file)
    assert file.exists() and first.work.rounds is not None
    rounds = first.work.rounds + 100
    done = gdl.solve(game, f"mccfr(iterations={rounds})", checkpoint=file, resume=True)
    assert done.work.rounds == rounds and done.work.earlier == rounds - 100 and not file.exists()


def test_the_speed_is_that_of_the_run_itself() -> None:
    """A second in which 50,000 rounds were played, after a run that had played a million."""
    found = gdl.solve(gdl.load("kuhn_poker"), "cfr_plus(iterations=1)")
    again = replace(found, work=replace(found.work, seconds=1.0, rounds=1_050_000, earlier=1_000_000))
    assert dict(work_facts(again))["iterations"].endswith("before this run, 50,000 per second")


def test_a_policy_of_what_is_known_is_no_table_of_positions(tmp_path: Path) -> None:
    game, file = gdl.load("kuhn_poker"), tmp_path / "kuhn.parquet"
    gdl.solve(game, policy=file)
    with pytest.raises(GameError, match="what is known, not by positions"):
        StrategyFile.open(file, game)
