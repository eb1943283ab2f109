"""Pieces on engines: their order, lost workers, strangers, and what cannot be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

import gdl
from gdl.crew import engine as engines
from gdl.crew import places, work
from gdl.crew.crew import results
from gdl.crew.engine import Engine
from gdl.crew.places import Place, opened, read_place
from gdl.diagnostics import GameError
from tests.crew import pieces

SQUARES = [(number, number * number) for number in range(20)]


def test_pieces_come_in_order(engine: Engine) -> None:
    job = pieces.job(pieces.square)
    assert list(results(engine, ((job, k) for k in range(20)))) == SQUARES


def test_pieces_come_as_they_are_done(engine: Engine) -> None:
    job = pieces.job(pieces.square)
    assert sorted(results(engine, ((job, k) for k in range(20)), ordered=False)) == SQUARES


@pytest.mark.parametrize("ordered", [True, False])
def test_pieces_of_a_killed_worker_are_done_again(engine: Engine, ordered: bool, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    job = pieces.job(pieces.square_after_a_death, str(mark))
    found = list(results(engine, ((job, k) for k in range(20)), ordered=ordered))
    assert mark.exists()
    assert (found if ordered else sorted(found)) == SQUARES  # type: ignore[type-var]


def test_an_error_of_a_worker_arrives_as_it_was(engine: Engine) -> None:
    with pytest.raises(GameError) as raised:
        list(results(engine, [(pieces.job(pieces.refused, "x.gdl"), 1)]))
    assert raised.value.diagnostics == gdl.GameError([pieces.file_exists("x.gdl")]).diagnostics


def test_a_worker_with_other_sources_is_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "identity", lambda: "gdl 9.9, sources 0123456789abcdef")
    with pytest.raises(GameError) as raised:
        list(results(engine, [(pieces.job(pieces.square), 1)]))
    (diagnostic,) = raised.value.diagnostics
    said = dict(diagnostic.context)
    assert diagnostic.code == "C019"
    assert said["holds"] == work.identity() and said["here"].startswith("gdl 9.9")
    assert "process" in said["worker"]


def test_a_worker_that_reads_other_texts_is_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "texts", lambda source: "0123456789abcdef")
    with pytest.raises(GameError) as raised:
        list(results(engine, [(pieces.job(pieces.square), 1)]))
    assert raised.value.diagnostics[0].code == "C019"
    assert "short.gdl" in raised.value.diagnostics[0].message


def test_what_a_text_borrows_counts(tmp_path: Path) -> None:
    from gdl.loading import read_source

    (tmp_path / "base.gdl").write_text(pieces.TEXT.text.replace("short", "base"), encoding="utf-8")
    variant = tmp_path / "variant.gdl"
    variant.write_text("game variant from base\nutility: 0\n", encoding="utf-8")
    before = work.texts(read_source(variant))
    assert work.texts(read_source(variant)) == before
    text = pieces.TEXT.text.replace("short", "base").replace("n == 1", "n > 0")
    (tmp_path / "base.gdl").write_text(text, encoding="utf-8")
    assert work.texts(read_source(variant)) != before


def test_who_takes_no_more_answers_gives_up_the_rest(engine: Engine) -> None:
    begun: list[int] = []

    def tasks() -> Iterator[tuple[work.Job[str, str, int, object], int]]:
        for k in range(1000):
            begun.append(k)
            yield pieces.job(pieces.square), k

    if isinstance(engine, _processes()):
        pytest.skip("a pool is closed then; that of a match is tested by its interrupt")
    with closing(results(engine, tasks())) as found:
        assert next(found) == (0, 0)
    assert len(begun) <= 8
    assert list(results(engine, [(pieces.job(pieces.square), 3)])) == [(3, 9)]


def _processes() -> type[Engine]:
    from gdl.crew.processes import Processes

    return Processes


def test_a_piece_that_kills_every_worker_is_given_up() -> None:
    with opened("processes:2") as two, pytest.raises(GameError) as raised:
        list(results(two, [(pieces.job(pieces.deadly), 1)]))
    assert raised.value.diagnostics[0].code == "C020"


def test_pieces_of_one_process_are_done_there() -> None:
    import os

    with opened("processes:1") as here:
        ((_, (_, process)),) = results(here, [(pieces.job(pieces.place), 1)])  # type: ignore[misc]
    assert process == os.getpid()


@pytest.mark.parametrize(
    "executor", [lambda: ThreadPoolExecutor(2), lambda: ProcessPoolExecutor(2, get_context("spawn"))]
)
def test_an_executor_that_is_handed_in_is_used_and_left_open(executor: type[Executor]) -> None:
    game = gdl.load("nim")
    here = gdl.match(game, "random", "greedy", games=6, seed=3)
    with executor() as given:
        assert gdl.match(game, "random", "greedy", games=6, seed=3, on=given).as_data() == here.as_data()
        assert given.submit(int, "3").result() == 3


def test_a_broken_executor_is_named() -> None:
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as given,
        pytest.raises(GameError) as raised,
        opened(given) as engine,
    ):
        list(results(engine, [(pieces.job(pieces.deadly), 1)]))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "C020" and "ProcessPoolExecutor" in diagnostic.message


def test_a_closed_executor_is_named() -> None:
    given = ThreadPoolExecutor(1)
    given.shutdown()
    with pytest.raises(GameError) as raised:
        gdl.match(gdl.load("nim"), "random", "greedy", games=2, seed=3, on=given)
    assert raised.value.diagnostics[0].code == "C020"


def test_a_worker_without_gdl_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(Executor):
        def submit(self, *_: object) -> Future[object]:  # type: ignore[override]
            future: Future[object] = Future()
            future.set_exception(ModuleNotFoundError("No module named 'gdl'", name="gdl"))
            return future

    with pytest.raises(GameError) as raised:
        gdl.match(gdl.load("nim"), "random", "greedy", games=2, seed=3, on=Elsewhere())
    assert raised.value.diagnostics[0].code == "C019"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("processes", Place("processes", "processes")),
        ("processes:4", Place("processes:4", "processes", 4)),
        ("dask", Place("dask", "dask")),
        ("dask://host-1.net:8786", Place("dask://host-1.net:8786", "dask", address="tcp://host-1.net:8786")),
        ("dask://[::1]:8786", Place("dask://[::1]:8786", "dask", address="tcp://[::1]:8786")),
        ("dask:/shared/s.json", Place("dask:/shared/s.json", "dask", address="/shared/s.json")),
        ("ray:2", Place("ray:2", "ray", 2)),
        ("ray://head:10001", Place("ray://head:10001", "ray", address="ray://head:10001")),
        ("mpi", Place("mpi", "mpi")),
    ],
)
def test_places_are_read(said: str, place: Place) -> None:
    assert read_place(said) == place


@pytest.mark.parametrize(
    "said",
    ["", "cluster", "processes:0", "processes:-1", "processes:99999999", "processes:two", "dask://", "dask://host",
     "dask://host:port", "tcp://host:1", "ray://host", "mpi:4", "dask:x.txt"],
)  # fmt: skip
def test_what_is_no_place_is_refused(said: str) -> None:
    with pytest.raises(GameError) as raised, opened(said):
        pass
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "C016" and "dask://HOST:PORT" in str(diagnostic.hint)


def test_something_else_than_a_place_is_refused() -> None:
    with pytest.raises(GameError) as raised:
        gdl.match(gdl.load("nim"), "random", "greedy", on=3)  # type: ignore[arg-type]
    assert raised.value.diagnostics[0].code == "C016"


def test_two_ways_to_say_how_many_are_refused() -> None:
    with pytest.raises(gdl.Refusal, match="both say who works"):
        gdl.match(gdl.load("nim"), "random", "greedy", jobs=2, on="processes:2")
    with pytest.raises(gdl.Refusal, match="both say who works"):
        gdl.sweep("nim", jobs=2, on="processes:2", heap1="1..2")


def test_what_only_this_program_has_stays_here() -> None:
    game = gdl.load("nim")
    with pytest.raises(gdl.Refusal, match="are played with here"):
        gdl.match(game, "random", gdl.agent("greedy", game), on="processes:2")


@pytest.mark.parametrize(("said", "module"), [("dask", "distributed"), ("ray", "ray"), ("mpi", "mpi4py")])
def test_a_missing_extra_is_told(said: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"gdl.crew.on_{said}", raising=False)
    with pytest.raises(GameError) as raised, opened(said):
        pass
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "C011"
    assert module in diagnostic.message and "gdl-games[cluster]" in str(diagnostic.hint)


def test_mpi_without_ranks_is_refused() -> None:
    pytest.importorskip("mpi4py", reason="the extra `cluster` is not installed")
    with pytest.raises(GameError) as raised:
        places.enlist("mpi")
    assert raised.value.diagnostics[0].code == "C016" and "mpiexec" in str(raised.value.diagnostics[0].hint)
