"""The tables of solvers, leaves and agents: columns that fit each other, options, and the documentation."""

from __future__ import annotations

import inspect
from importlib import import_module
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

import gdl
import solvers
from gdl.diagnostics import GameError
from solvers.agents.kinds import agent, known_agents, search_described
from solvers.core.leaves import Described
from solvers.core.policies import uniform
from solvers.options import OPTIONS, Option
from solvers.registry import AGENTS, LEAVES, SOLVERS, Kind, Row, Solver, markdown
from tests.solvers.games import TicTacToe

ROOT = Path(__file__).parents[2]

KINDS = [*LEAVES.values(), *AGENTS.values()]


def keywords(function: Any) -> set[str]:
    return {
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


# ---------------------------------------------------------------- columns against each other


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=lambda row: row.name)
def test_a_solver_has_the_options_of_its_functions(solver: Solver) -> None:
    """The options of the row are the keyword arguments of textbook and kernel: no more, no fewer. What only
    the textbook has the kernel is never asked for."""
    every = {*solver.options, *solver.arguments}
    parameters = inspect.signature(solver.textbook).parameters
    assert list(parameters)[:2] == ["game", "at"]
    assert keywords(solver.textbook) == every - {*solver.compiled_options}
    if solver.twin is not None:
        assert list(inspect.signature(solver.twin).parameters)[:2] == ["game", "at"]
        assert keywords(solver.twin) == every - {*solver.textbook_options, "observer"}


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=lambda row: row.name)
def test_the_columns_of_a_solver_fit_each_other(solver: Solver) -> None:
    assert set(solver.compiled_options) <= set(solver.options)
    assert set(solver.textbook_options) <= set(solver.options) - set(solver.compiled_options)
    assert solver.kernel is not None or not solver.compiled_options
    assert solver.agent == (solver.family != "policy")
    fewest, most = solver.players
    assert not solver.zero_sum or most == 2, "interests are opposed between two"
    assert most is None or fewest <= most
    for option, others in solver.beside.items():
        assert {option, *(other.partition("=")[0] for other in others)} <= set(solver.options)
    limits = {"depth", "nodes", "time", "simulations", "limit"}
    assert solver.repeats == "never" or limits & set(solver.options), "it could go on for ever"


@pytest.mark.parametrize("row", [*SOLVERS.values(), *KINDS], ids=lambda row: row.name)
def test_every_option_has_a_meaning(row: Row) -> None:
    assert all(row.option(option).meaning for option in row.options)
    assert set(row.own_options) <= set(row.options)


@pytest.mark.parametrize("kind", KINDS, ids=lambda row: row.name)
def test_a_leaf_or_an_agent_has_the_options_of_what_makes_it(kind: Kind) -> None:
    module, _, name = kind.make.partition(":")
    parameters = inspect.signature(getattr(import_module(module), name)).parameters
    taken = [option for option in parameters if option not in ("game", "first")]
    written = {"options": list(kind.options), "features": ["weights"], "parts": ["parts"], "file": ["file"]}
    assert taken == written[kind.written]
    if kind.written == "options":
        assert all(parameters[option].default is not inspect.Parameter.empty for option in taken)
    assert kind.bare is None or kind.bare in kind.options


@pytest.mark.parametrize("name", [name for name, row in LEAVES.items() if row.written == "options"])
def test_kernels_know_the_leaves_that_say_so(name: str) -> None:
    assert isinstance(LEAVES[name](TicTacToe()), Described) == LEAVES[name].compiled


def test_names_are_given_once() -> None:
    assert not set(SOLVERS) & set(AGENTS)
    assert set(known_agents()) == {*AGENTS, *(name for name, row in SOLVERS.items() if row.agent)}


def test_every_option_is_somebodys() -> None:
    used = {option for row in (*SOLVERS.values(), *KINDS) for option in row.options}
    assert set(OPTIONS) <= used


# ---------------------------------------------------------------- values that options cannot have

WRONG: dict[str, list[Any]] = {
    "count": ["x", 1.5, -1, True, nan, [], 2**63],
    "number": ["x", -1, True, nan, [], -inf],
    "size": ["x", "2 apples", "-1GB", -1, True, nan, []],
    "flag": ["x", 1, 0],
    "word": ["x", 1, [], True],
    "leaf": ["evaluate", 1, []],
    "agent": ["random", 1, []],
}

WRITTEN_WRONG = {
    "count": ["x", "1.5", "-1", "true", "10000000000000000000"],
    "number": ["x", "-1", "true"],
    "size": ["x", "-1", "true", "1.5"],
    "flag": ["maybe", "1"],
    "word": ["other", "1"],
    "leaf": ["nonsense", "1"],
    "agent": ["nonsense", "1"],
}

EVERY = [(row, option) for row in (*SOLVERS.values(), *AGENTS.values()) for option in row.options]


@pytest.fixture(scope="module", params=["native", "reference"])
def halving(request: Any) -> Any:
    return gdl.load("halving", engine=request.param)


@pytest.mark.parametrize(
    ("solver", "option"),
    [(row, option) for row, option in EVERY if isinstance(row, Solver)],
    ids=lambda part: getattr(part, "name", part),
)
def test_programs_cannot_give_wrong_values(halving: Any, solver: Solver, option: str) -> None:
    for value in WRONG[solver.option(option).kind]:
        needed = {"policies": uniform(halving)} if "policies" in solver.arguments else {}
        with pytest.raises(solvers.Refusal, match=f"`{option}` of {solver.name} cannot be"):
            solvers.solve(halving, solver.name, **{option: value}, **needed)
        if solver.family in ("search", "simulation"):
            with pytest.raises(solvers.Refusal, match=f"`{option}` of {solver.name} cannot be"):
                against = {"against": uniform(halving)} if "against" in solver.options else {}
                gdl.search(halving, solver.name + ("(against=random)" if against else ""), **{option: value})


@pytest.mark.parametrize(("row", "option"), EVERY, ids=lambda part: getattr(part, "name", part))
def test_texts_cannot_give_wrong_values(halving: Any, row: Row, option: str) -> None:
    for value in WRITTEN_WRONG[row.option(option).kind]:
        text = f"{row.name}({option}={value})"
        if row.name in known_agents():
            with pytest.raises(GameError) as raised:
                agent(text, halving)
            assert {d.code for d in raised.value.diagnostics} <= {"A002", "A004"}
        if isinstance(row, Solver) and row.family in ("search", "simulation"):
            with pytest.raises(GameError) as raised:
                search_described(text, halving)
            assert {d.code for d in raised.value.diagnostics} <= {"A002", "A004"}


@pytest.mark.parametrize(("row", "option"), EVERY, ids=lambda part: getattr(part, "name", part))
def test_an_option_of_another_is_refused(halving: Any, row: Row, option: str) -> None:
    if isinstance(row, Solver):
        foreign = next(iter(set(OPTIONS) - {*row.options, *row.arguments}))
        with pytest.raises(solvers.Refusal, match=f"{row.name} has no option `{foreign}`"):
            solvers.solve(halving, row.name, **{foreign: 1})
    if row.name in known_agents():
        with pytest.raises(GameError, match=f"{row.name} has no option `{option}x`"):
            agent(f"{row.name}({option}x=1)", halving)


IGNORED = {
    "mcts": [
        ({"epsilon": 0.5}, "without `rollout=greedy`"),
        ({"leaf": lambda position: (0, 0)}, "`rollout=greedy` or `rollout_depth`"),
        ({"parallel": "tree"}, "without `threads`"),
        ({"reuse": True}, "nothing to reuse"),
        ({"widening": 1.0}, "halving has none"),
    ],
    "flat_monte_carlo": [({"epsilon": 0.5, "rollout": "uniform"}, "without `rollout=greedy`")],
    "alphabeta": [
        ({"beam": 2, "leaf": lambda position: (0, 0)}, "does not go with this leaf"),
        ({"null_move": 2, "leaf": lambda position: (0, 0)}, "does not go with this leaf"),
    ],
}


@pytest.mark.parametrize("name", IGNORED)
def test_options_that_would_be_ignored_are_refused(name: str) -> None:
    game = gdl.load("halving")
    for options, words in IGNORED[name]:
        with pytest.raises(solvers.Refusal, match=words):
            solvers.solve(game, name, **options)


def test_agents_reuse_from_move_to_move() -> None:
    game = gdl.load("halving")
    play: Any = gdl.Play(game)
    player = gdl.agent("mcts(simulations=50, reuse=true)", game, seed=1)
    for _ in range(2):
        play.make(player.choose(play))


@pytest.mark.parametrize("wrong", [3, (1,), (1, 2, 3), (nan, 0), "ab", None])
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_leaf_that_gives_no_estimates_is_refused_with_the_position(engine: str, wrong: Any) -> None:
    game = gdl.load("halving", engine=engine)
    with pytest.raises(solvers.Refusal, match=r"the leaf gives .* a number for each player: first, second"):
        solvers.solve(game, "alphabeta", depth=2, leaf=lambda position: wrong)


def test_kinds_of_options_say_what_they_expect() -> None:
    assert Option("count", "", least=2).expected == "a whole number from 2 up, below 2^63"
    assert OPTIONS["threads"].expected == "a whole number from 1 up, at most 1,024"
    assert Option("number", "").takes(-0.5) and not OPTIONS["time"].takes(-0.5)


# ---------------------------------------------------------------- the documentation


def test_the_documentation_is_fresh() -> None:
    """Between the two marks, `docs/solvers.md` holds exactly what the tables say."""
    text = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
    begin, end = "<!-- table: begin -->\n", "<!-- table: end -->"
    assert text[text.index(begin) + len(begin) : text.index(end)] == markdown()


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_described(name: str) -> None:
    """Beside its row of the table, in a sentence of its own."""
    text = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
    assert f"`{name}`" in text[text.index("## The algorithms") :]
