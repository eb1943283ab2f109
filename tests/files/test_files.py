"""Tablebases, strategy files, checkpoints: what comes back, what is refused, what faults leave behind."""

from __future__ import annotations

import errno
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.native.layout import packing
from solvers.agents.kinds import agent
from solvers.files import best_moves, strategy_file, tablebase
from solvers.files.strategy_file import StrategyFile
from solvers.files.tablebase import Tablebase
from solvers.registry import SOLVERS
from solvers.search.alphabeta import alphabeta
from solvers.whole.kernels import value_iteration as bounds_module
from solvers.whole.kernels.checkpoint import Checkpoint
from solvers.whole.kernels.solve import Settings, Solved, solve_whole

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture(scope="module")
def pig() -> Solved:
    return solve_whole(gdl.load("pig", engine="native", goal=10), "value_iteration")


def test_a_tablebase_gives_back_every_value(pig: Solved, tmp_path: Path) -> None:
    tablebase.save(pig, tmp_path / "pig.table")
    table = Tablebase.open(tmp_path / "pig.table", pig.lookup.game)
    assert len(table) == len(pig.values)
    for position in pig.values.positions():
        assert table.value(position) == pig.values.value(position)


def test_distances_are_kept(tmp_path: Path) -> None:
    game = gdl.load("tictactoe", engine="native")
    solved = solve_whole(game, "retrograde")
    tablebase.save(solved, tmp_path / "t")
    table = Tablebase.open(tmp_path / "t", game)
    for position in solved.values.positions():
        assert table.distance(position) == solved.values.distance(position)


def test_search_with_perfect_leaves_needs_one_ply(tmp_path: Path) -> None:
    game = gdl.load("connect_four", engine="native", width=4, height=3)
    solved = solve_whole(game, "backward_induction")
    tablebase.save(solved, tmp_path / "t")
    found = alphabeta(game, depth=1, leaf=Tablebase.open(tmp_path / "t", game).leaf())
    assert found.value == solved.result.value


def test_an_agent_with_perfect_leaves_plays_perfectly(tmp_path: Path) -> None:
    game = gdl.load("connect_four", engine="native", width=4, height=3)
    solved = solve_whole(game, "backward_induction")
    tablebase.save(solved, tmp_path / "t")
    player = agent(f"alphabeta(depth=1, leaf=tablebase:{tmp_path / 't'})", game)
    start = game.initial()[0].position
    for move in game.moves(start):
        after = game.outcomes(start, move)[0].position
        chosen = [reply for reply, odds in player.policy()(after).items() if odds]
        assert chosen and set(chosen) <= set(solved.lookup.best(after))


def test_a_value_that_is_no_float_comes_back_as_bounds_around_it(tmp_path: Path) -> None:
    """7/3: rounded to one float it would come back as an exact number, and another one."""
    text = """
game dice
players: a
position:
    x: 0..3 = 0
move go: x ~ 1..3
terminal: x > 0
utility: 3 if x == 3 else 2
"""
    game = gdl.loads(text, engine="native")
    strategy_file.save(solve_whole(game, "backward_induction"), tmp_path / "s", game.digest)
    value = StrategyFile.open(tmp_path / "s", game).value(game.initial()[0].position)
    assert value is not None and value.kind == "bounded"
    assert value.low < Fraction(7, 3) < value.high < value.low + 1e-14


def test_a_strategy_is_readable_and_playable(pig: Solved, tmp_path: Path) -> None:
    path = tmp_path / "pig.parquet"
    game = gdl.load("pig", goal=10, engine="reference")  # the reference engine reads it too
    rows = strategy_file.save(pig, path, game.digest)
    strategy = StrategyFile.open(path, game)
    assert len(strategy) == rows
    for position in pig.values.positions():
        if game.to_move(position) >= 0:
            assert set(strategy.best(position)) == set(pig.lookup.best(position))
    player = agent(f"policy:{path}", game)
    start = game.initial()[0].position
    assert player.policy()(start) == {game.parse_move(start, "roll"): 1}
    mixed = agent(f"mixture(0.5: policy:{path}, 0.5: random)", game)
    assert sum(mixed.policy()(start).values()) == 1


def damages(path: Path) -> dict[str, bytes]:
    whole = path.read_bytes()
    rng = Random(1)
    middle = rng.randrange(len(whole) // 3, len(whole) // 2)
    flipped = bytearray(whole)
    flipped[middle] ^= 0x10
    return {
        "empty": b"",
        "short": whole[: len(whole) // 2],
        "almost": whole[:-1],
        "flipped": bytes(flipped),
        "header": whole[:12] + b"\xff" + whole[13:],
        "foreign": b"game pig\n" * 100,
    }


@pytest.mark.parametrize("damage", ["empty", "short", "flipped", "header", "foreign"])
def test_damaged_tablebases_are_refused(pig: Solved, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t"
    tablebase.save(pig, path)
    path.write_bytes(damages(path)[damage])
    with pytest.raises(GameError, match="C010"):
        Tablebase.open(path, pig.lookup.game)


@pytest.mark.parametrize("damage", ["empty", "short", "almost", "flipped", "foreign"])
def test_damaged_strategies_are_refused(pig: Solved, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "s"
    strategy_file.save(pig, path, pig.lookup.game.digest)  # type: ignore[attr-defined]
    path.write_bytes(damages(path)[damage])
    with pytest.raises(GameError, match="C010"):
        StrategyFile.open(path, pig.lookup.game)


def test_files_of_other_rules_are_refused(pig: Solved, tmp_path: Path) -> None:
    tablebase.save(pig, tmp_path / "t", {"params": {"goal": "10"}})
    strategy_file.save(pig, tmp_path / "s", pig.lookup.game.digest)  # type: ignore[attr-defined]
    other = gdl.load("pig", engine="native", goal=11)
    with pytest.raises(GameError, match="other parameters"):
        Tablebase.open(tmp_path / "t", other)
    with pytest.raises(GameError, match="other parameters"):
        StrategyFile.open(tmp_path / "s", other)
    with pytest.raises(GameError, match="about pig, not about tictactoe"):
        Tablebase.open(tmp_path / "t", gdl.load("tictactoe", engine="native"))


@pytest.fixture
def packed_anew(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the program one that packs positions in another way."""
    return lambda: monkeypatch.setattr(packing, "VERSION", packing.VERSION + 1)


PACKED_ANEW = r"packed in another way \(\d+\.[0-9a-f]{16}\) than by this version.* \(\d+\.[0-9a-f]{16}\)"


def test_a_tablebase_packed_in_another_way_is_refused(pig: Solved, tmp_path: Path, packed_anew: Any) -> None:
    tablebase.save(pig, tmp_path / "pig.table")
    packed_anew()
    with pytest.raises(GameError, match=PACKED_ANEW):
        Tablebase.open(tmp_path / "pig.table", gdl.load("pig", engine="native", goal=10))


def test_a_checkpoint_packed_in_another_way_is_refused(tmp_path: Path, packed_anew: Any) -> None:
    def stop(progress: Any) -> None:
        if (tmp_path / "c").exists():
            raise Stop

    saving = Settings(exploring=stop, checkpoint=Checkpoint(tmp_path / "c", every=0))
    with pytest.raises(Stop):
        solve_whole(gdl.load("pig", engine="native", goal=10), "value_iteration", settings=saving)
    packed_anew()
    resuming = Settings(checkpoint=Checkpoint(tmp_path / "c", resume=True))
    with pytest.raises(GameError, match=PACKED_ANEW):
        solve_whole(gdl.load("pig", engine="native", goal=10), "value_iteration", settings=resuming)


def test_bounds_packed_in_another_way_are_refused(pig: Solved, tmp_path: Path, packed_anew: Any) -> None:
    Checkpoint(tmp_path / "c").save_bounds(pig.reached.space, "value_iteration", {}, {})
    packed_anew()
    other: Any = SimpleNamespace(game=gdl.load("pig", engine="native", goal=10))
    with pytest.raises(GameError, match=PACKED_ANEW):
        Checkpoint(tmp_path / "c", resume=True).load_bounds(other, "value_iteration")


def test_kept_moves_packed_in_another_way_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed_anew: Any
) -> None:
    monkeypatch.setattr(best_moves, "cache_directory", lambda: tmp_path)
    solver = SOLVERS["backward_induction"]
    game = gdl.load("halving")
    assert best_moves.BestMoves.of(game, solver) is not None
    assert best_moves._read(game, solver) is not None
    packed_anew()
    again = gdl.load("halving")
    assert best_moves._read(again, solver) is None
    assert best_moves.BestMoves.of(again, solver) is not None and best_moves._read(again, solver) is not None


def test_another_layout_is_another_packing() -> None:
    """The same rules with a variable before another."""
    text = (GAMES / "halving.gdl").read_text()
    number, turn = "    number: 0..start = start\n", "    turn: player = first\n"
    assert number + turn in text
    swapped = gdl.loads(text.replace(number + turn, turn + number))
    assert swapped.compiled.packing != gdl.load("halving").compiled.packing
    assert gdl.load("halving").compiled.packing == gdl.loads(text).compiled.packing


def test_the_digest_is_about_the_rules_alone() -> None:
    text = "game g\nplayers: one\nposition:\n    x: 0..3 = 0\nmove up:\n    x = x\nterminal: x == 3\n"
    text += "utility: x\n"
    same = '"""About."""\n# a comment\n' + text + '\nfeature f: x\n\nshow: "{x}"\n'
    other = text.replace("utility: x", "utility: x + 1")
    assert gdl.loads(text, engine="reference").digest == gdl.loads(same, engine="reference").digest
    assert gdl.loads(text, engine="reference").digest != gdl.loads(other, engine="reference").digest


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_half_written_is_left(
    pig: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"what was there before")

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(GameError if isinstance(error, OSError) else KeyboardInterrupt):
        tablebase.save(pig, path)
    assert path.read_bytes() == b"what was there before"
    assert list(tmp_path.iterdir()) == [path]


class Stop(Exception):
    pass


@pytest.mark.parametrize("rounds", [1, 3, 7])
@pytest.mark.parametrize(
    ("name", "solver"), [("pig", "value_iteration"), ("connect_four", "backward_induction")]
)
def test_an_interrupted_exploration_goes_on(name: str, solver: str, rounds: int, tmp_path: Path) -> None:
    game = gdl.load(name, engine="native", **({"goal": 30} if name == "pig" else {"width": 4, "height": 3}))
    whole = solve_whole(game, solver)
    count = 0

    def stop(progress: Any) -> None:
        nonlocal count
        count += 1
        if count > rounds:
            raise Stop

    with pytest.raises(Stop):
        saving = Settings(exploring=stop, checkpoint=Checkpoint(tmp_path / "c", every=0))
        solve_whole(game, solver, settings=saving)
    assert (tmp_path / "c").exists()
    resumed = solve_whole(game, solver, settings=Settings(checkpoint=Checkpoint(tmp_path / "c", resume=True)))
    assert resumed.result.values == whole.result.values
    assert resumed.statistics.positions == whole.statistics.positions
    assert resumed.statistics.edges == whole.statistics.edges


def test_interrupted_bounding_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.load("pig", engine="native", goal=20)
    whole = solve_whole(game, "value_iteration")
    monkeypatch.setattr(bounds_module, "QUOTA", 1000)

    def stop(what: str, share: float) -> None:
        if share > 0.5:
            raise Stop

    with pytest.raises(Stop):
        settings = Settings(solving=stop, checkpoint=Checkpoint(tmp_path / "c", every=0))
        solve_whole(game, "value_iteration", settings=settings)
    resumed = solve_whole(
        game, "value_iteration", settings=Settings(checkpoint=Checkpoint(tmp_path / "c", resume=True))
    )
    assert resumed.result.values == whole.result.values
    assert resumed.statistics.updates < whole.statistics.updates


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    def stop(progress: Any) -> None:
        if progress.layer > 2:
            raise Stop

    with pytest.raises(Stop):
        solve_whole(
            gdl.load("pig", engine="native", goal=10),
            "value_iteration",
            settings=Settings(exploring=stop, checkpoint=Checkpoint(tmp_path / "c", every=0)),
        )
    with pytest.raises(GameError, match="other parameters"):
        solve_whole(
            gdl.load("pig", engine="native", goal=11),
            "value_iteration",
            settings=Settings(checkpoint=Checkpoint(tmp_path / "c", resume=True)),
        )
