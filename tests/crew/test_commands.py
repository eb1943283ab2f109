"""Commands give the same answers wherever pieces are done: on clusters that are started for the tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crew.conftest import ROOT, needs

HERE = Path(sys.executable).parent
QUESTIONS = {
    "match": ["match", "tictactoe", "-a", "random", "-a", "alphabeta(depth=2)", "-n", "12", "--seed", "4"],
    "sweep": ["sweep", "halving", "start=1..8"],
    "test": ["test", "games/halving.gdl", "games/small_trees.gdl"],
}


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "GDL_COMPILE": "always"}


def answer(question: list[str], *more: str, before: tuple[str, ...] = ()) -> Any:
    """What a command prints as data, but for the seconds it took."""
    command = [*before, sys.executable, "-m", "gdl", *question, "--json", *more]
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment(), check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    return without_seconds(json.loads(ran.stdout))


def without_seconds(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: without_seconds(part) for name, part in data.items() if name != "seconds"}
    return [without_seconds(part) for part in data] if isinstance(data, list) else data


@pytest.fixture(scope="module", params=list(QUESTIONS))
def asked(request: pytest.FixtureRequest) -> tuple[list[str], Any]:
    """A question with the answer of one process."""
    question = QUESTIONS[request.param]
    return question, answer(question, "--on", "processes:1")


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Dask scheduler with two workers, each a program of its own, as on a cluster."""
    needs("dask")
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    programs = [
        subprocess.Popen([*dask, "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet)
    ]
    options = ["--nthreads", "1", "--no-dashboard", "--scheduler-file", str(file)]
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        for _ in range(2):
            programs.append(subprocess.Popen([*worker, *options], env=environment(), **quiet))
        yield file
    finally:
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait(30)


@pytest.mark.parametrize("place", ["processes:2", "dask:2", "ray:2"])
def test_answers_are_the_same_on_engines_of_this_computer(asked: tuple[list[str], Any], place: str) -> None:
    needs(place)
    question, expected = asked
    assert answer(question, "--on", place) == expected


def test_answers_are_the_same_on_a_cluster_that_runs(asked: tuple[list[str], Any], scheduler: Path) -> None:
    question, expected = asked
    assert answer(question, "--on", f"dask:{scheduler}") == expected
    address = json.loads(scheduler.read_text(encoding="utf-8"))["address"].removeprefix("tcp://")
    assert answer(question, "--on", f"dask://{address}") == expected


@pytest.mark.parametrize("ranks", [2, 3])
def test_answers_are_the_same_on_ranks(asked: tuple[list[str], Any], ranks: int) -> None:
    needs("mpi")
    question, expected = asked
    assert answer(question, "--on", "mpi", before=mpiexec(ranks)) == expected


def mpiexec(ranks: int) -> tuple[str, ...]:
    program = HERE / "mpiexec"
    if not program.exists():
        pytest.skip("the wheel `mpich` is not installed")
    return str(program), "-n", str(ranks)


def test_a_mistake_is_told_once_by_all_ranks() -> None:
    needs("mpi")
    question = ["match", "no_such_game", "-a", "random", "--on", "mpi"]
    command = [*mpiexec(3), sys.executable, "-m", "gdl", *question]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False, timeout=120)
    assert ran.returncode == 1
    assert ran.stderr.count("C001") == 1


def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("dask")
    from gdl.crew import on_dask
    from gdl.crew.places import opened
    from gdl.diagnostics import GameError

    monkeypatch.setattr(on_dask, "SECONDS", 1)
    with pytest.raises(GameError) as raised, opened("dask://127.0.0.1:1"):
        pass
    assert raised.value.diagnostics[0].code == "C017"


def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("dask")
    from distributed import LocalCluster

    from gdl.crew import on_dask
    from gdl.crew.places import opened
    from gdl.diagnostics import GameError

    monkeypatch.setattr(on_dask, "SECONDS", 2)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(GameError) as raised,
        opened(empty.scheduler_address.replace("tcp:", "dask:")),
    ):
        pass
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "C017" and "dask worker" in str(diagnostic.hint)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("place", ["dask:2", "ray:2"])
def test_an_interrupted_match_ends_with_all_that_it_started(place: str) -> None:
    needs(place)
    agents = ["-a", "random", "-a", "mcts(simulations=100000000)"]
    command = [sys.executable, "-m", "gdl", "match", "connect_four", *agents, "--on", place]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
        start_new_session=True,
    ) as process:  # fmt: skip
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=20)
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert errors.strip().splitlines()[-1] == "interrupted"
        assert "Traceback" not in errors
        assert not out  # no game was played to its end
        deadline = time.monotonic() + 20
        while (left := of_group(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not left


def of_group(group: int) -> list[str]:
    """The processes of a session."""
    listed = ["ps", "-o", "pid=,args=", "-s", str(group)]
    ran = subprocess.run(listed, capture_output=True, text=True, check=False)
    return [line for line in ran.stdout.splitlines() if line.strip()]
