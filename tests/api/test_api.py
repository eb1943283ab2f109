"""`import gdl` is enough: what Python users call, and that it is what the commands do."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gdl
import solvers
from solvers import registering
from solvers.core import frames
from solvers.core.memory import bytes_of
from tests.api.own import forgotten
from tests.commands.conftest import Gdl
from tests.commands.conftest import gdl as commands  # noqa: F401 (a fixture)
from tests.console import print_of


class Nim(gdl.BaseGame):
    """The last stone wins. Multiples of four lose (Bouton 1901, for one heap and at most three stones)."""

    zero_sum = True
    utility_bounds = (-1, 1)

    def __init__(self, stones: int = 7) -> None:
        self.stones = stones

    def initial(self) -> Any:
        return self.stones, 0

    def player(self, position: Any) -> int | str:
        return int(position[1])

    def moves(self, position: Any) -> list[int]:
        return [take for take in (1, 2, 3) if take <= position[0]]

    def outcomes(self, position: Any, move: Any) -> Any:
        return position[0] - move, 1 - position[1]

    def utility(self, position: Any) -> Any:
        return 1 if position[1] == 1 else -1


class Coin(gdl.BaseGame):
    players = ("tosser",)
    has_chance = True

    def initial(self) -> Any:
        return "toss"

    def moves(self, position: Any) -> list[str]:
        return ["toss"] if position == "toss" else []

    def outcomes(self, position: Any, move: Any) -> Any:
        return [("heads", Fraction(1, 2)), ("tails", Fraction(1, 2))]

    def utility(self, position: Any) -> Any:
        return 1 if position == "heads" else 0


# ------------------------------------------------------------------------------ loading


def test_importing_is_light() -> None:
    listed = "import gdl, sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    assert not {"numba", "numpy", "lark", "rich", "solvers"} & set(found.stdout.split())


def test_every_name_is_there() -> None:
    for name in gdl.__all__:
        assert getattr(gdl, name) is not None
        assert name in dir(gdl)
    with pytest.raises(AttributeError):
        _ = gdl.nothing


def test_games_can_be_loaded_by_name_and_by_path() -> None:
    assert {"pig", "chess", "tictactoe"} < set(gdl.games())
    by_name, by_path = gdl.load("nim"), gdl.load(gdl.games()["nim"])
    assert by_name.digest == by_path.digest
    assert by_name.compiled is not None
    assert not hasattr(gdl.load("nim", engine="reference"), "compiled")
    with pytest.raises(gdl.GameError, match="did you mean `tictactoe`"):
        gdl.load("tictacto")


# ------------------------------------------------------------------------------ solving


def test_a_result_prints_what_the_command_prints(commands: Gdl) -> None:  # noqa: F811
    def steady(text: str) -> str:
        """Without what differs from run to run: speeds and times, and kernels that are compiled."""
        return re.sub(
            r"(?m)(, [\d,]+ per second|^  time .*|^  memory .*|^   +.* for edges.*|^compiling .*)", "", text
        ).strip()

    pairs = [
        ("gdl solve nim", lambda: gdl.solve(gdl.load("nim"))),
        ("gdl search tictactoe --depth 2", lambda: gdl.search(gdl.load("tictactoe"), depth=2)),
        (
            "gdl match nim -a random -a greedy --games 4 --seed 3",
            lambda: gdl.match(gdl.load("nim"), "random", "greedy", games=4, seed=3),
        ),
    ]
    for command, call in pairs:
        printed = print_of(commands, command)
        assert printed.code == 0
        assert steady(printed.text) == steady(str(call()))


def test_solving_by_what_proves_the_value() -> None:
    board = gdl.load("tictactoe")
    assert gdl.solve(board, "alphabeta").kind == "exact"
    chomp = gdl.load("chomp", rows=2, cols=3)  # not proven never to repeat; the first player wins (Gale 1974)
    assert gdl.solve(chomp, "alphabeta(table=1000)").value == 1
    with pytest.raises(gdl.Refusal, match="did not prove the value"):
        gdl.solve(gdl.load("pig", goal=5), "star2", time=0.1)
    with pytest.raises(gdl.Refusal, match="never proves"):
        gdl.solve(board, "flat_monte_carlo")
    with pytest.raises(gdl.Refusal, match="needs policies"):
        gdl.solve(board, "best_response")
    with pytest.raises(gdl.Refusal, match="is no game"):
        gdl.solve("tictactoe")  # type: ignore[arg-type]


def test_files_are_written_and_verified(tmp_path: Path) -> None:
    game = gdl.load("nim")
    result = gdl.solve(
        game, save=tmp_path / "t", certificate=tmp_path / "c.gz", checkpoint=tmp_path / "k", progress=True
    )
    assert [file.kind for file in result.written] == ["tablebase", "certificate"]
    assert not (tmp_path / "k").exists()  # done
    verdict = gdl.verify(gdl.load("nim", engine="reference"), tmp_path / "c.gz")
    assert verdict.exact and verdict.low[0] == result.value
    assert "proved" in str(verdict)
    with pytest.raises(gdl.Refusal, match="not compiled"):
        gdl.solve(Nim(), save=tmp_path / "n")


def test_memory_is_read() -> None:
    assert bytes_of("2GB") == 2 * 10**9 and bytes_of("1 KiB") == 1024 and bytes_of("5k") == 5000
    for text in ("much", "-1GB", "0", "1..2GB", ""):
        with pytest.raises(gdl.Refusal, match="no size of memory"):
            bytes_of(text)
    with pytest.raises(gdl.Refusal, match="by sampling"):
        gdl.solve(gdl.load("connect_four"), memory="1MB")


def test_results_become_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    result = gdl.solve(Nim())
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    rows = result.to_frame()
    assert [row["move"] for row in rows if row["best"]] == ["3"]
    assert gdl.match(Nim(), "random", "greedy", games=2, seed=1).to_frame()[0]["games"] == 2
    monkeypatch.setattr(frames, "find_spec", lambda name: name == "polars" or None)
    monkeypatch.setattr(
        frames, "import_module", lambda name: SimpleNamespace(DataFrame=lambda rows: (name, rows))
    )
    assert result.to_frame() == ("polars", rows)


# ---------------------------------------------------------------------------- evaluating


@pytest.mark.parametrize("game", [gdl.load("tictactoe"), gdl.load("tictactoe", engine="reference")])
def test_policies_are_evaluated_exactly(game: Any) -> None:
    # 737/1260 of random plays are won by who begins, 363/1260 by the other.
    assert gdl.evaluate(game, x="random", o="random").value == Fraction(374, 1260)
    best = gdl.evaluate(game, {"x": "random"}, o="best")
    assert best.kind == "exact" and best.value < -Fraction(9, 10)


def test_policies_are_evaluated_where_they_reach_little_of_a_game_that_is_too_large() -> None:
    pig = gdl.load("pig", goal=20)
    found = gdl.evaluate(pig, first="hold_at(8)", second="hold_at(5)", memory="1kB")
    assert found.value == pytest.approx(2 * 0.7837950699188937 - 1, abs=1e-12)  # tests/games/pig_policies.py
    with pytest.raises(gdl.Refusal, match="does not fit"):
        gdl.evaluate(pig, first="random", second="random", memory="1kB")
    with pytest.raises(gdl.Refusal, match="does not fit"):
        gdl.evaluate(pig, first="hold_at(8)", memory="1kB")


def test_best_play_by_everybody_is_the_value() -> None:
    assert gdl.evaluate(Nim(), first="best", second="best").value == 1
    assert gdl.evaluate(Nim(8)).value == -1


def test_choosers_are_evaluated_by_plays() -> None:
    found = gdl.evaluate(Nim(), first="mcts(simulations=20)", second="random", simulations=20, seed=1)
    assert found.kind == "estimate" and found.work.rounds == 20
    with pytest.raises(gdl.Refusal, match="no policy to compute with"):
        gdl.evaluate(Nim(), first="mcts", second="best")
    with pytest.raises(gdl.GameError, match="no player `third`"):
        gdl.evaluate(Nim(), third="random")


# ------------------------------------------------------------------- playing and matches


def test_agents_are_asked_with_a_play() -> None:
    for game in (gdl.load("pig", goal=5), Nim(), Coin()):
        for text in ("random", "mcts(simulations=10)", "best"):
            play: Any = gdl.Play(game, seed=1)
            assert gdl.agent(text, game, seed=1).choose(play) in play.moves()
    over = gdl.Play(Nim(), (0, 0))
    with pytest.raises(gdl.Refusal, match="the game is over"):
        gdl.agent("random", Nim()).choose(over)


def test_the_same_seed_gives_the_same_match_however_many_play_it() -> None:
    game = gdl.load("nim")
    one, two = (gdl.match(game, "random", "greedy", games=4, seed=5, jobs=jobs) for jobs in (1, 2))
    assert str(one) == str(two)


def test_agents_for_named_players() -> None:
    found = gdl.match(Nim(), first="best", second=["random", "greedy"], games=3, seed=1)
    assert [row["won"] for row in found.payments()] == [3, 3]
    assert "mean of first" in str(found)
    with pytest.raises(gdl.Refusal, match="nobody plays for `second`"):
        gdl.match(Nim(), first="random")
    with pytest.raises(gdl.Refusal, match="two agents"):
        gdl.match(Nim(), "random")


# ------------------------------------------------------------------- games of one's own


@pytest.mark.parametrize("stones", range(1, 10))
def test_an_own_game_is_solved(stones: int) -> None:
    value = -1 if stones % 4 == 0 else 1
    for solver in (None, "alphabeta", "minimax", "value_iteration", "policy_iteration", "maxn"):
        limits = {"depth": stones} if solver in ("alphabeta", "minimax", "maxn") else {}
        ask: Any = gdl.search if limits else gdl.solve
        assert ask(Nim(stones), solver, **limits).value == value


def test_an_own_game_has_texts() -> None:
    game = Nim()
    play = gdl.Play(game)
    play.make("3")
    assert play.position == (4, 1) == game.parse_position(game.format_position(play.position))
    with pytest.raises(gdl.GameError, match="not legal"):
        play.make("4")
    with pytest.raises(gdl.GameError, match="cannot be read as a position"):
        gdl.solve(game, at="nonsense")
    assert gdl.solve(game, at="(4, 0)").start == "(4, 0)"
    assert isinstance(game, gdl.Game)


def test_an_own_game_keeps_its_word() -> None:
    class Certain(Coin):
        has_chance = False

    class Unequal(Nim):
        def utility(self, position: Any) -> Any:
            return (1, 1)

    class Vast(Nim):
        def utility(self, position: Any) -> Any:
            return 5

    class Paid(Nim):
        def outcomes(self, position: Any, move: Any) -> Any:
            return [((position[0] - move, 1 - position[1]), 1, (1, -1))]

    class Leaky(Coin):
        def outcomes(self, position: Any, move: Any) -> Any:
            return [("heads", Fraction(1, 2))]

    class Strange(Nim):
        def player(self, position: Any) -> int | str:
            return "nobody"

    broken = {
        Certain: "declare has_chance", Unequal: "sum to 2", Vast: "outside utility_bounds",
        Paid: "declare has_rewards", Leaky: "sum to 1/2", Strange: "is no player",
    }  # fmt: skip
    for kind, words in broken.items():
        with pytest.raises(gdl.GameError, match=words):
            gdl.solve(kind())
    with pytest.raises(gdl.GameError, match="has no `initial`"):
        gdl.BaseGame().initial()


def test_what_an_own_game_gives_is_checked_before_it_is_used() -> None:
    class Worded(Nim):
        def utility(self, position: Any) -> Any:
            return "won"

    class Named(Nim):
        def utility(self, position: Any) -> Any:
            return {"first": 1}

    class Untold(Nim):
        def outcomes(self, position: Any, move: Any) -> Any:
            return [position[0] - move]

    class Movable(gdl.BaseGame):
        def initial(self) -> Any:
            return 1

    broken = {
        Worded: "'won', which is no number", Named: "its utility names first",
        Untold: "is no outcome", Movable: "has no `moves`",
    }  # fmt: skip
    for kind, words in broken.items():
        with pytest.raises(gdl.GameError, match=words):
            gdl.solve(kind())


def test_an_own_game_that_goes_round_is_refused_whatever_it_says() -> None:
    class Round(gdl.BaseGame):
        acyclic = True

        def initial(self) -> Any:
            return 0

        def player(self, position: Any) -> int:
            return 0

        def moves(self, position: Any) -> list[str]:
            return [] if position == 2 else ["on", "out"]

        def outcomes(self, position: Any, move: Any) -> Any:
            return 2 if move == "out" else 1 - position

        def utility(self, position: Any) -> Any:
            return (1, -1)

        def observation(self, position: Any, player: int) -> Any:
            return None

    with pytest.raises(gdl.Refusal, match="no end of histories"):
        gdl.solve(Round())


def test_sizes_are_printed_as_facts() -> None:
    said = str(gdl.size(Nim()))
    assert said.startswith("b") and "moves in a play" in said


def test_hidden_information_of_an_own_game() -> None:
    class Blind(Nim):
        def observation(self, position: Any, player: int) -> Any:
            return None

    found = gdl.solve(Blind())  # the moves are seen, which is enough: 7 is no multiple of four
    assert float(found.value) == pytest.approx(1) and found.strategy is not None
    searched = gdl.search(Blind(), simulations=500, seed=1)  # of plays that may be: 3 of 7 leave four
    assert searched.solver == "ismcts" and searched.kind == "estimate" and searched.best == (3,)
    with pytest.raises(gdl.Refusal, match="hidden"):
        gdl.search(Blind(), "alphabeta")


# -------------------------------------------------------------- solvers of one's own


def first_move(game: Any, which: int = 0) -> Any:
    return lambda position: {game.moves(position)[which]: 1}


class Chooser:
    def choose(self, view: Any, rng: Any) -> Any:
        return view.moves[-1]


def test_what_is_registered_is_known_by_its_name() -> None:
    game = gdl.load("tictactoe")
    with forgotten():
        gdl.register("agent", first_move)
        gdl.register("agent", lambda game: Chooser(), name="last_move")
        gdl.register("leaf", lambda game, weight=1.0: lambda position: (weight, -weight), name="happy")

        @gdl.register("solver", chance=False)
        def ahead(game: Any, at: Any = None, *, far: int = 1) -> Any:
            """Looks a little ahead."""
            return gdl.search(game, "alphabeta", at=at, depth=far)

        play: Any = gdl.Play(game)
        assert str(gdl.agent("first_move(which=4)", game).choose(play)) == "place(b2)"
        assert str(gdl.agent("last_move", game).choose(play)) == "place(c3)"
        assert gdl.evaluate(game, x="first_move", o="random").kind == "exact"
        assert gdl.search(game, "alphabeta(depth=1, leaf=happy(weight=1/2))").value == Fraction(1, 2)
        assert "2 moves ahead" in gdl.search(game, "ahead(far=2)").how
        assert "3 moves ahead" in gdl.search(game, "ahead", far=3).how
        assert gdl.match(game, "ahead", "first_move", "last_move", games=2, seed=1, jobs=2).games == 6
        with pytest.raises(gdl.Refusal, match="needs a game without chance"):
            gdl.search(gdl.load("pig", goal=5), "ahead")
        with pytest.raises(gdl.GameError, match="no option `wide`"):
            gdl.search(game, "ahead(wide=2)")
    with pytest.raises(gdl.GameError, match="no agent `first_move`"):
        gdl.agent("first_move", game)


def no_default(game: Any, far: Any) -> Any:
    return first_move(game, far)


def by_place_only(game: Any, far: int = 1, /) -> Any:
    return first_move(game, far)


def with_a_list(game: Any, weights: Any = ()) -> Any:
    return first_move(game, len(weights))


def test_what_cannot_be_registered() -> None:
    with forgotten():
        for call, words in (
            (lambda: gdl.register("game", first_move), "no kind of thing"),
            (lambda: gdl.register("agent", first_move, name="a b"), "cannot be the name"),
            (lambda: gdl.register("agent", first_move, chance=False), "an agent has no `chance`"),
            (lambda: gdl.register("agent", first_move, name="random"), "an agent of ours"),
            (lambda: gdl.register("agent", first_move, name="mcts"), "a solver of ours"),
            (lambda: gdl.register("agent", no_default), "`far` of no_default has no default"),
            (lambda: gdl.register("agent", 3, name="three"), "makes no agent"),
            (lambda: gdl.register("leaf", first_move, name="weights"), "a leaf of ours"),
            (lambda: gdl.register("leaf", first_move, hidden=True), "a leaf has no `hidden`"),
            (lambda: gdl.register("solver", first_move, wings=2), "no `wings`"),
            (lambda: gdl.register("solver", first_move, family="magic"), "cannot be 'magic'"),
            (lambda: gdl.register("solver", first_move, family="simulation"), "without a seed"),
            (lambda: gdl.register("solver", first_move, repeats="often"), "cannot be 'often'"),
            (lambda: gdl.register("solver", first_move, name="mcts"), "a solver of ours"),
            (lambda: gdl.register("solver", first_move, name="greedy"), "an agent of ours"),
            (lambda: gdl.register("agent", first_move, name=3), "`3` cannot be the name of an agent"),
            (lambda: gdl.register("agent", first_move, name=""), "`` cannot be the name of an agent"),
            (lambda: gdl.register("agent", "random"), "'random' makes no agent"),
            (lambda: gdl.register("agent", partial(first_move)), "has no name. Give it one"),
            (
                lambda: gdl.register("agent", first_move, hidden="no"),
                "`hidden` .* 'no'. Use `True` or `False`",
            ),
            (lambda: gdl.register("leaf", first_move, summary=3), "`summary` of first_move cannot be 3"),
            (lambda: gdl.register("leaf", lambda: 0, name="none"), r"cannot be called with \(game\)"),
            (lambda: gdl.register("solver", lambda game: 0, name="one"), "Let it take `game` and `at` first"),
            (lambda: gdl.register("leaf", max), "Register a function .game. that calls it"),
            (lambda: gdl.register("agent", by_place_only), r"`game, /, far=1`"),
            (lambda: gdl.register("agent", with_a_list), r"`weights` of with_a_list cannot be \(\)"),
        ):
            with pytest.raises(gdl.Refusal, match=words):
                call()


@pytest.mark.parametrize(
    "players", ["any", 2, None, (2,), (1, 2, 3), (3, 1), (0, 2), (None, 2), ("1", 2), (True, 2), (1.0, 2)]
)
def test_how_many_players_is_a_pair(players: Any) -> None:
    with forgotten(), pytest.raises(gdl.Refusal, match=r"`players` of ahead .* `\(1, None\)` for any number"):
        gdl.register("solver", ahead, players=players)


@pytest.mark.parametrize("column", ["zero_sum", "chance", "rewards", "discount", "bounds", "hidden", "agent"])
def test_what_a_solver_needs_is_true_or_false(column: str) -> None:
    for value in ("no", 1, None):
        with forgotten(), pytest.raises(gdl.Refusal, match=f"`{column}` of ahead .* Use `True` or `False`"):
            gdl.register("solver", ahead, **{column: value})


def test_an_agent_may_refuse_where_something_is_hidden() -> None:
    with forgotten():
        gdl.register("agent", first_move, hidden=False)
        with pytest.raises(gdl.Refusal, match="first_move needs players who see the whole position"):
            gdl.agent("first_move", gdl.load("kuhn_poker"))


def happy(game: Any, weight: float = 1.0) -> Any:
    return lambda position: (weight, -weight)


def ahead(game: Any, at: Any = None, *, far: int = 1) -> Any:
    """Looks a little ahead."""
    return gdl.search(game, "alphabeta", at=at, depth=far)


OFFERED = {
    "gdl.agents": (
        EntryPoint("front", f"{__name__}:first_move", "gdl.agents"),
        EntryPoint("lost", "no_such_package:agent", "gdl.agents"),
    ),
    "gdl.leaves": (EntryPoint("happy", f"{__name__}:happy", "gdl.leaves"),),
    "gdl.solvers": (EntryPoint("ahead", f"{__name__}:ahead", "gdl.solvers"),),
}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Any:
    """A package with a solver, a leaf and an agent is installed; gives what runs commands."""
    from gdl.cli import main

    monkeypatch.setattr(registering, "_entries", lambda group: OFFERED.get(group, ()))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gdl", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code or 0
        return (code if isinstance(code, int) else 1, *capfd.readouterr())

    with forgotten():
        yield run


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("match tictactoe -a front -a ahead(far=2) -n 2 --seed 1 -j 1", "ahead(far=2)"),
        ("run tictactoe --agent front --seed 1", "front"),
        ("solve tictactoe --agent x=front --agent o=random", "front"),
        ("search tictactoe --solver ahead(far=2)", "2 moves ahead"),
        ("search tictactoe --solver alphabeta(depth=1,leaf=happy(weight=1/2))", "0.5"),
        ("solvers", "Looks a little ahead."),
        ("solvers tictactoe --json", '"front"'),
    ],
)
def test_entry_points_are_known_to_commands(installed: Any, words: str, shown: str) -> None:
    code, out, err = installed(*words.split())
    assert code == 0, err
    assert shown in out


def test_an_entry_point_that_cannot_be_loaded_is_named(installed: Any) -> None:
    code, _, err = installed("run", "tictactoe", "--agent", "lost")
    assert code == 1 and "`lost`" in err and "no_such_package" in err and "Traceback" not in err
    code, out, _ = installed("solvers")
    assert code == 0 and "no_such_package" in out
    code, _, err = installed("run", "tictactoe", "--agent", "frontt")
    assert code == 1 and "did you mean `front`" in err


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda game: gdl.solve(game, 5), "`solver` of gdl.solve cannot be 5"),
    (lambda game: gdl.search(game, solver=5), "`solver` of gdl.search cannot be 5"),
    (lambda game: solvers.solve(game, 5), "5 names no solver"),
    (lambda game: gdl.search(game, time="a"), "`time` cannot be 'a'"),
    (lambda game: gdl.search(game, depth="x"), "`depth` cannot be 'x'"),
    (lambda game: gdl.search(game, "alphabeta", depth="x"), "`depth` of alphabeta cannot be 'x'"),
    (lambda game: gdl.solve(game, limit="many"), "`limit` of gdl.solve cannot be 'many'"),
    (lambda game: gdl.solve(game, precision="fine"), "`precision` of gdl.solve cannot be 'fine'"),
    (lambda game: gdl.solve(game, at=5), "5 is no position of halving"),
    (lambda game: gdl.solve(5), "5 is no game"),
    (lambda game: gdl.tree(game, at=5), "5 is no position of halving"),
    (lambda game: gdl.evaluate(game, 5), "`agents` of gdl.evaluate cannot be 5"),
    (lambda game: gdl.evaluate(game, first=5), "5 describes no agent"),
    (lambda game: gdl.match(game, "random", 5), "5 describes no agent"),
    (lambda game: gdl.match(game, first=5, second="random"), "5 describes no agent"),
    (lambda game: gdl.match(game, "random", "random", games="ten"), "`games` of gdl.match cannot be 'ten'"),
    (lambda game: gdl.learn(game, games="ten"), "`games` of gdl.learn cannot be 'ten'"),
    (lambda game: gdl.policy_table(game, 5), "`players` of gdl.policy_table cannot be 5"),
    (lambda game: gdl.sweep(5, {}), "5 has no parameters to sweep"),
    (lambda game: gdl.sweep(game, 5), "`ranges` of gdl.sweep cannot be 5"),
    (lambda game: gdl.agent(5, game), "5 describes no agent"),
    (lambda game: gdl.agent("random", 5), "5 is no game"),
    (lambda game: gdl.Play(5), "5 is no game"),
    (lambda game: gdl.load(5), "cannot read 5: it is neither the name of a game nor a path"),
    (lambda game: gdl.load(game), "cannot read <game halving"),
    (lambda game: gdl.load("halving", start=[]), "`\\[\\]` is no value for the parameter `start`"),
    (lambda game: gdl.loads(5), "cannot read 5: it is no text"),
    (lambda game: gdl.plot("policy", "halving"), "'halving' is no game"),
    (lambda game: gdl.plot("value", "halving"), "'halving' is no game"),
    (lambda game: gdl.plot("convergence", "halving"), "'halving' is no game"),
    (lambda game: gdl.plot("shape", "halving"), "'halving' is no game"),
    (lambda game: gdl.plot("policy", game, x=5), "`x` of gdl.plot cannot be 5. It is text"),
    (lambda game: gdl.plot("match", "halving"), "'halving' is no game"),
    (lambda game: gdl.plot("sweep", 5), "5 has no parameters to sweep"),
    (lambda game: gdl.plot("game", 5), "5 is no recording"),
    (lambda game: gdl.plot("learning", 5), "5 is nothing that was learned"),
    (lambda game: gdl.tree("halving"), "'halving' is no game"),
    (lambda game: gdl.match("halving", "random", "random"), "'halving' is no game"),
    (lambda game: gdl.match(game, "random", "random", games=0), "a match of 0 games"),
    (lambda game: gdl.match(game, "random", "random", sprt=(1,)), "`sprt` of gdl.match cannot be"),
    (lambda game: gdl.size("halving"), "'halving' is no game"),
    (lambda game: gdl.plan("halving"), "'halving' is no game"),
    (lambda game: gdl.search("halving"), "'halving' is no game"),
    (lambda game: gdl.learn("halving"), "'halving' is no game"),
    (lambda game: gdl.transitions("halving"), "'halving' is no game"),
    (lambda game: gdl.transitions(game, 5), "5 is no position of halving"),
    (lambda game: gdl.verify("halving", "a.gz"), "'halving' has no certificate: it is no game"),
    (lambda game: gdl.verify(game, 5), "5 cannot be used: it is no path"),
    (lambda game: solvers.solve(game, "policy_evaluation", policies="random"), "'random' is no policy"),
    (lambda game: solvers.solve(game, "best_response", against={"second": 5}, player=0), "5 is no policy"),
    (
        lambda game: solvers.solve(game, "policy_evaluation", policies=lambda at: {"halve": 1}),
        "'halve' is the text of a move, not the move.*as `game.moves\\(position\\)` has them",
    ),
]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_no_argument_is_refused_by_name(engine: str, number: int) -> None:
    ask, said = WRONG[number]
    with pytest.raises(gdl.GameError, match=said):
        ask(gdl.load("halving", engine=engine))


def test_no_module_shares_the_name_of_a_function() -> None:
    """A module that is imported would take the function's place in the package."""
    modules = {module.name for module in pkgutil.iter_modules(gdl.__path__)}
    assert not modules & set(gdl.__all__)
