"""Hidden information: equilibria beside OpenSpiel and LiteEFG, and how cost grows with the histories.

    python benchmarks/hidden_information.py [exploitability] [regrets] [program] [growth] [--json FILE]

`exploitability` writes a policy of ours to a file and has OpenSpiel's best responses judge it: the two
numbers must be equal to 1e-9 (some minutes, as both trees are walked in Python). `regrets` counts rounds of
CFR+ per second, and the seconds until exploitability
(NashConv / 2) is 1e-3. `program` solves the linear program of the sequence form, with the walk over all
histories. `growth` gives nanoseconds and bytes per history and per information set, from Kuhn poker to 13
million histories (about a minute; run only when asked for, like `large` elsewhere).

Times are CPU seconds of one thread; kernels are compiled beforehand. The peers come with
`pip install "gdl-games[bench]"`; who is not installed is left out.

Goals: Leduc poker at least 10,000 rounds per second and 1e-3 within 0.1 s; liar's dice (one die of six faces
each) at least 100 rounds per second and 1e-3 within 10 s; linear programs of Kuhn poker within 0.05 s, Leduc
poker 0.3 s, liar's dice 7 s; cost per history that does not grow.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gdl
from solvers.files.information_file import InformationFile
from solvers.hidden.cfr_plus import RULE
from solvers.hidden.kernels.bench import FlatBench
from solvers.hidden.kernels.histories import sequence_form
from solvers.registry import find

GAMES: dict[str, tuple[str, float]] = {  # what OpenSpiel calls it, and the value of the first player
    "kuhn_poker": ("kuhn_poker", -1 / 18),
    "leduc_poker": ("leduc_poker(suit_isomorphism=True)", -0.085606424078),
    "liars_dice": ("liars_dice", -7 / 258),
}
RANKS = ["jack", "queen", "king"]
TARGET = 1e-3
PATIENCE = 10.0
"""CPU seconds that a peer gets to come to the target."""

GOALS = {
    "leduc_poker": ("10,000 rounds/s, 0.1 s", "0.3 s"),
    "liars_dice": ("100 rounds/s, 10 s", "7 s"),
    "kuhn_poker": ("", "0.05 s"),
}

records: list[dict[str, Any]] = []


def report(what: str, goal: str = "", **numbers: Any) -> None:
    records.append({"what": what, "goal": goal, **numbers})
    shown = "  ".join(f"{name} {_number(value)}" for name, value in numbers.items())
    print(f"{what:<34} {shown}" + (f"   (goal: {goal})" if goal else ""), flush=True)


def _number(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


# -------------------------------------------------------------------------- exploitability


def exploitability() -> None:
    """Our policy, from its file, judged by OpenSpiel."""
    if not installed("pyspiel"):
        print("OpenSpiel is not installed: pip install open_spiel")
        return
    import pyspiel

    for name, (called, _) in GAMES.items():
        game = gdl.load(name)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "policy.parquet"
            result = gdl.solve(game, "cfr_plus(iterations=100)", policy=file)
            policy = InformationFile.open(file, game)
        ours: Any = result.strategy.judgement  # type: ignore[union-attr]
        theirs = pyspiel.load_game(called)
        table: dict[str, list[tuple[int, float]]] = {}
        for state, player, seen, moves in both(name, game, theirs):
            odds = policy.at(player, seen, moves)
            assert odds is not None, "every information set is in the file"
            by_action = {action_of(name, game.format_move(move)): p for move, p in odds.items()}
            told = [(action, float(by_action[action])) for action in state.legal_actions()]
            known = state.information_state_string()
            assert table.setdefault(known, told) == told, "information sets differ"
        judged = pyspiel.nash_conv(theirs, pyspiel.TabularPolicy(table)) / 2
        difference = abs(judged - ours.exploitability)
        assert difference < 1e-9, f"{name}: {judged} by OpenSpiel, {ours.exploitability} by us"
        report(f"{name}: exploitability", "equal to 1e-9", ours=float(ours.exploitability), openspiel=judged,
               difference=difference, information_sets=len(table))  # fmt: skip


def action_of(name: str, move: str) -> int:
    """What OpenSpiel calls a move."""
    if name == "kuhn_poker":
        return int(move in ("bet", "call"))
    if name == "leduc_poker":
        return {"fold": 0, "call": 1, "raise": 2}[move]
    if move == "call":
        return 12
    number, face = move.removeprefix("bid(").removesuffix(")").split(", ")
    return 6 * (int(number) - 1) + int(face) - 1


def both(name: str, game: Any, theirs: Any) -> Iterator[tuple[Any, int, tuple[Any, ...], tuple[Any, ...]]]:
    """All decisions of OpenSpiel's game with what our player to move has seen then; the two games are walked
    side by side, and what they pay is compared."""

    def walk(state: Any, dealt: tuple[int, ...], position: Any, seen: Any) -> Iterator[Any]:
        if state.is_chance_node():
            for action, _ in state.chance_outcomes():
                after = (*dealt, action)
                if len(after) == 2:
                    start = starts[after]
                    sights = tuple((game.observation(start, player),) for player in range(2))
                    yield from walk(state.child(action), after, start, sights)
                elif len(after) < 2:
                    yield from walk(state.child(action), after, None, None)
                else:  # the open card of Leduc poker, which comes with the move before
                    (before, move, mover), sights = position, seen
                    (outcome,) = [one for one in game.outcomes(before, move) if opens(one.position, action)]
                    yield from walk(
                        state.child(action), after, outcome.position,
                        longer(sights, mover, move, outcome.position),
                    )  # fmt: skip
            return
        if state.is_terminal():
            assert list(map(float, game.utility(position))) == state.returns(), "the two games pay alike"
            return
        player = state.current_player()
        moves = tuple(game.moves(position))
        assert game.to_move(position) == player
        yield state, player, seen[player], moves
        for move in moves:
            child = state.child(action_of(name, game.format_move(move)))
            outcomes = game.outcomes(position, move)
            if child.is_chance_node():
                yield from walk(child, dealt, (position, move, player), seen)
            else:
                (outcome,) = outcomes
                yield from walk(child, dealt, outcome.position, longer(seen, player, move, outcome.position))

    def longer(seen: Any, mover: int, move: Any, position: Any) -> Any:
        return tuple(
            (*one, (mover, game.observed_move(move, player, mover)), game.observation(position, player))
            for player, one in enumerate(seen)
        )

    def opens(position: Any, rank: int) -> bool:  # with suits joined OpenSpiel deals ranks
        return bool(game.observed_parts(game.observation(position, 0))["open", ()] == RANKS[rank])

    hidden = {"kuhn_poker": "card", "leduc_poker": "hand", "liars_dice": "rolled"}[name]
    starts = {}
    for start in game.initial():
        held = []
        for player, who in enumerate(game.players):
            parts = game.observed_parts(game.observation(start.position, player))
            if hidden == "rolled":
                held.append(next(face - 1 for face in range(1, 7) if parts[hidden, (who, str(face))] == "1"))
            else:
                held.append(RANKS.index(parts[hidden, (who,)]))
        starts[tuple(held)] = start.position
    yield from walk(theirs.new_initial_state(), (), None, None)


# --------------------------------------------------------------------------------- regrets


def regrets() -> None:
    """CFR+ to the target: ours, OpenSpiel's in C++, LiteEFG's."""
    for name in GAMES:
        game = gdl.load(name)
        find("cfr_plus").load()(gdl.load("kuhn_poker"), iterations=2)  # kernels
        bench = FlatBench(game, None, None)
        tables = bench.tables(RULE, True)
        run(f"{name}: ours", tables.run, partial(_exploited, bench, tables), GOALS[name][0])
        for peer, module in (("OpenSpiel", "pyspiel"), ("LiteEFG", "LiteEFG")):
            if not installed(module):
                print(f"{peer} is not installed")
                continue
            step, judge = (_open_spiel if peer == "OpenSpiel" else _lite_efg)(GAMES[name][0])
            run(f"{name}: {peer}", step, judge, "")


def _exploited(bench: FlatBench, tables: Any) -> float:
    return float(bench.judged(tables, False)[1].exploitability)


def run(what: str, step: Callable[[int], None], judge: Callable[[], float], goal: str) -> None:
    """Rounds per second, and the CPU seconds of rounds, without judging, until the target or patience."""
    rounds, spent, exploited = 0, 0.0, float("inf")
    while exploited > TARGET and spent < PATIENCE:
        more = max(1, rounds // 4)
        if spent > 0:
            more = max(1, min(more, int((PATIENCE - spent) * rounds / spent)))
        began = time.process_time()
        step(more)
        spent += time.process_time() - began
        rounds += more
        exploited = judge()
    reached = spent if exploited <= TARGET else f"not within {PATIENCE:g} s ({exploited:.2g})"
    began, more = time.process_time(), 0
    portion = max(1, int(rounds / max(spent, 1e-3) / 20))
    while time.process_time() - began < 0.5:
        step(portion)
        more += portion
    report(what, goal, rounds_per_s=more / (time.process_time() - began), seconds_to_1e_3=reached)


def _open_spiel(called: str) -> tuple[Callable[[int], None], Callable[[], float]]:
    import pyspiel

    game = pyspiel.load_game(called)
    solver = pyspiel.CFRPlusSolver(game)

    def step(rounds: int) -> None:
        for _ in range(rounds):
            solver.evaluate_and_update_policy()

    return step, lambda: float(pyspiel.nash_conv(game, solver.average_policy())) / 2


def _lite_efg(called: str) -> tuple[Callable[[int], None], Callable[[], float]]:
    import LiteEFG
    import pyspiel
    from LiteEFG.baselines import CFRplus

    with contextlib.redirect_stdout(io.StringIO()):
        graph = CFRplus.graph()
        environment = LiteEFG.OpenSpielEnv(pyspiel.load_game(called))
        environment.set_graph(graph)

    def step(rounds: int) -> None:
        for _ in range(rounds):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy(), update_best=False)

    def judge() -> float:
        return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return step, judge


# --------------------------------------------------------------------------------- program


def program() -> None:
    """Linear programs with the walk, and their values."""
    solve = find("sequence_form").load()
    solve(gdl.load("kuhn_poker"))
    for name, (_, value) in GAMES.items():
        game = gdl.load(name)
        best = float("inf")
        for _ in range(1 if name == "liars_dice" else 5):
            began = time.process_time()
            found = solve(game)
            best = min(best, time.process_time() - began)
        assert abs(float(found.value) - value) < 1e-9, found.value
        report(f"{name}: linear program", GOALS[name][1], seconds=best, value=float(found.value))


# ---------------------------------------------------------------------------------- growth


def growth() -> None:
    """Cost per history and per information set, of the walk and of a round of CFR+."""
    sequence_form(gdl.load("kuhn_poker"))
    for name, params in (
        ("kuhn_poker", {}),
        ("leduc_poker", {}),
        ("liars_dice", {"sides": 4}),
        ("liars_dice", {"sides": 5}),
        ("liars_dice", {"sides": 6}),
        ("liars_dice", {"dice": 2, "sides": 3}),
        ("liars_dice", {"dice": 2, "sides": 4}),
    ):
        game = gdl.load(name, **params)
        many, spent = 0, 0.0
        while spent < 0.2:
            began = time.process_time()
            bench = FlatBench(game, None, None)
            spent += time.process_time() - began
            many += 1
        form = bench.form
        tables = bench.tables(RULE, True)
        tables.run(1)
        rounds, took = 0, 0.0
        while took < 0.3:
            began = time.process_time()
            tables.run(max(1, rounds))
            took += time.process_time() - began
            rounds += max(1, rounds)
        kept = form.bytes + sum(array.nbytes for array in (tables.policy, tables.regret, tables.sums))
        report(
            " ".join([name, *(f"{key}={value}" for key, value in params.items())]),
            histories=form.histories,
            information_sets=form.information_sets,
            walk_ns_per_history=1e9 * spent / many / form.histories,
            round_ns_per_history=1e9 * took / rounds / form.histories,
            bytes_per_history=kept / form.histories,
            walk_ns_per_set=1e9 * spent / many / form.information_sets,
            bytes_per_set=kept / form.information_sets,
        )


def main() -> None:
    parts: dict[str, Callable[[], None]] = {
        "exploitability": exploitability, "regrets": regrets, "program": program, "growth": growth,
    }  # fmt: skip
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*parts], help="which parts; all but growth if none")
    parser.add_argument("--json", type=Path, help="write what was measured")
    given = parser.parse_args()
    for part in given.parts or ("exploitability", "regrets", "program"):
        parts[part]()
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
