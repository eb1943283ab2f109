"""Search side by side with OpenSpiel's C++ MCTSBot: simulations and nodes per CPU-second, and strength.

    python benchmarks/search.py [GAME ..] [--simulations 10000] [--seconds 3] [--json results.json]
    python benchmarks/search.py [GAME ..] --match [--games 200] [--move-time 0.1] [--json results.json]
    python benchmarks/search.py --connect-four [--positions 20] [--json results.json]
    python benchmarks/search.py --chance [--most 10000000] [--json results.json]

Without a flag: trees of so many simulations from the start of each game, both programs in turn in one
process and one thread; the ratio of the median rates is printed beside its goal, with the nodes per second
of alpha-beta to a fixed depth where it applies. OpenSpiel's UCT has c = 2 and one random rollout per
simulation.

--match: our mcts against OpenSpiel's MCTSBot at equal wall time per move on connect four and breakthrough,
colours swapped, from random openings of two moves. Both prove what they can, and play one after the other, so
a busy machine slows both.

--connect-four: boards solved from the empty position, and random positions of 12 moves on 7 x 6.

--chance: nodes that expectiminimax, Star1 and Star2 visit at depths 1 to 5, for the same value, in games with
dice; a game ends with the first depth at which expectiminimax needs more than `--most`.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pyspiel

import solvers
from gdl import load
from gdl.playing.play import Play
from solvers.core.budget import Budget
from solvers.core.refusal import Refusal
from solvers.search.kernels.alphabeta import KernelAlphaBeta
from solvers.simulation.kernels.mcts import Search

GAMES = Path(__file__).parent.parent / "games"


@dataclass(frozen=True)
class Contest:
    """A game in both programs; `goal` is the ratio of simulations per second to reach."""

    name: str  # OpenSpiel's
    file: str
    goal: float = 3
    depth: int | None = None  # of alpha-beta
    params: dict[str, Any] = field(default_factory=dict)


CONTESTS = [
    Contest("tic_tac_toe", "tictactoe", 2, 9),
    Contest("connect_four", "connect_four", 3, 12),
    Contest("breakthrough", "breakthrough", 3, 6),
    Contest("othello", "othello", 3, 8),
    Contest("pig", "pig"),
    Contest("backgammon", "backgammon"),
    Contest("mancala", "kalah", 3, 10),
    Contest("chess", "chess", 3, 4),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", help="only these (names of files in games/)")
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time per game and program")
    parser.add_argument("--match", action="store_true")
    parser.add_argument("--games", dest="count", type=int, default=200)
    parser.add_argument("--move-time", type=float, default=0.1)
    parser.add_argument("--connect-four", action="store_true")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--chance", action="store_true")
    parser.add_argument("--most", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.match:
        names = options.games or ["connect_four", "breakthrough"]
        found = [match(name, options.count, options.move_time) for name in names]
    elif options.chance:
        found = [row for name, params in DICE for row in pruned(name, params, options.most)]
    elif options.connect_four:
        found = [*solved_boards(), solved_positions(options.positions)]
    else:
        found = speeds(options.games, options.simulations, options.seconds)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


# --------------------------------------------------------------------------------- speed


def speeds(names: list[str], simulations: int, seconds: float) -> list[dict[str, Any]]:
    print(f"{'game':14} {'ours/s':>12} {'OpenSpiel/s':>12} {'ratio':>7} {'goal':>5}  shortfall  nodes/s")
    found = []
    for contest in CONTESTS:
        path = GAMES / f"{contest.file}.gdl"
        if names and contest.file not in names:
            continue
        if not path.exists():
            print(f"{contest.name:14} there is no {path.name}")
            continue
        row = _speed(contest, path, simulations, seconds)
        found.append(row)
        missing = "" if row["ratio"] >= contest.goal else f"{contest.goal / row['ratio']:.2f}x"
        nodes = "-" if row["nodes_per_second"] is None else f"{row['nodes_per_second']:,.0f}"
        print(
            f"{contest.name:14} {row['ours']:12,.0f} {row['theirs']:12,.0f} {row['ratio']:7.1f}"
            f" {contest.goal:5.1f}  {missing:9}  {nodes}",
            flush=True,
        )
    return found


def _speed(contest: Contest, path: Path, simulations: int, seconds: float) -> dict[str, Any]:
    ours = load(path, engine="native", **contest.params)
    theirs = pyspiel.load_game(contest.name)
    Search(ours).search(None, 10, Budget())  # compiles
    size = simulations
    rates: tuple[list[float], list[float]] = ([], [])
    spent, seed = [0.0, 0.0], 0
    while min(spent) < seconds and (seed < 3 or max(spent) < 10 * seconds):
        seed += 1
        search = Search(ours, seed=seed)
        begin = time.process_time()
        result = search.search(None, simulations, Budget())
        took = time.process_time() - begin
        spent[0] += took
        rates[0].append((result.work.rounds or 0) / took)
        bot = _bot(theirs, size, seed)
        state = theirs.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        begin = time.process_time()
        bot.mcts_search(state)
        took = time.process_time() - begin
        spent[1] += took
        rates[1].append(size / took)
        if took > seconds:
            size = max(100, size // 4)  # slow games: smaller trees for OpenSpiel, which is to its advantage
    mine, other = (median(each) for each in rates)
    return {
        "game": contest.name,
        "ours": mine,
        "theirs": other,
        "ratio": mine / other,
        "goal": contest.goal,
        "nodes_per_second": _nodes_per_second(ours, contest.depth),
    }


def _nodes_per_second(game: Any, depth: int | None) -> float | None:
    if depth is None:
        return None
    try:
        search = KernelAlphaBeta(game, Budget())
    except Refusal:
        return None
    begin = time.process_time()
    result = search.solve(None, depth, "", deepen=True)
    return (result.work.nodes or 0) / (time.process_time() - begin)


def _bot(game: Any, simulations: int, seed: int, solve: bool = False, seconds: float = -1.0) -> Any:
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(
        game, evaluator, 2.0, simulations, 1000, solve, seed, False, max_wall_clock_time=seconds
    )


# ------------------------------------------------------------------------------- strength


def match(name: str, games: int, move_time: float) -> dict[str, Any]:
    """Games at equal wall time; moves are translated by their names."""
    ours = load(GAMES / f"{name}.gdl", engine="native")
    theirs = pyspiel.load_game(name)
    Search(ours).search(None, 10, Budget())
    points = []
    for number in range(games):
        points.append(_game(ours, theirs, name, number, move_time))
        if (number + 1) % 20 == 0:
            print(f"{name}: {sum(points)} of {number + 1}", flush=True)
    mean = sum(points) / len(points)
    error = 1.96 * sqrt(sum((p - mean) ** 2 for p in points) / (len(points) - 1) / len(points))
    verdict = "" if mean >= 0.6 else f"   shortfall {0.6 - mean:.1%}"
    print(f"{name}: {mean:.1%} ± {error:.1%} in {games} games, {move_time} s a move, goal 60 %{verdict}")
    return {"game": name, "games": games, "move_time": move_time, "score": mean, "error": error, "goal": 0.6}


def _game(ours: Any, theirs: Any, name: str, number: int, move_time: float) -> float:
    rng = Random(number // 2)  # two games share an opening
    our_seat = number % 2
    play: Play[Any, Any] = Play(ours)
    state = theirs.new_initial_state()
    for _ in range(2):
        _make(play, state, name, rng.choice(list(play.moves())))
    search = Search(ours, seed=number)
    while not play.finished:
        if play.to_move == our_seat:
            result = search.search(play.position, float("inf"), Budget(time=move_time))
            move = result.best[0]
        else:
            bot = _bot(theirs, 1 << 30, number, solve=True, seconds=move_time)
            move = _translated(play, state, name, bot.step(state))
        _make(play, state, name, move)
    utility = play.returns[our_seat]
    return 1.0 if utility > 0 else 0.5 if utility == 0 else 0.0


def _translated(play: Play[Any, Any], state: Any, name: str, action: int) -> Any:
    text = state.action_to_string(state.current_player(), action)
    return next(move for move in play.moves() if _text(play, name, move) == text)


def _make(play: Play[Any, Any], state: Any, name: str, move: Any) -> None:
    text = _text(play, name, move)
    player = state.current_player()
    action = next(a for a in state.legal_actions() if state.action_to_string(player, a) == text)
    state.apply_action(action)
    play.make(move)


def _text(play: Play[Any, Any], name: str, move: Any) -> str:
    """A move as OpenSpiel writes it. Its black begins in breakthrough, and moves down; our white moves up."""
    if name == "connect_four":
        return f"{'xo'[play.to_move]}{move.values[0]}"
    start, to = (play.game.format_move(move).split("(")[1].rstrip(")").split(", ")[i] for i in (0, 2))
    flipped = [square[0] + str(9 - int(square[1])) for square in (start, to)]
    captures = _piece_at(play, to)
    return flipped[0] + flipped[1] + ("*" if captures else "")


def _piece_at(play: Play[Any, Any], square: str) -> bool:
    text = play.game.show(play.position)
    rows = [line for line in text.splitlines() if line.strip()]
    row = next(line for line in rows if line.split()[0] == square[1])
    return row.split()[1:]["abcdefgh".index(square[0])] != "."


# ----------------------------------------------------------------------------------- dice

DICE: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"goal": 20}),
    ("hypergammon", {}),
    ("backgammon", {}),
]


def pruned(name: str, params: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """How many nodes pruning at chance saves, from the start of a game."""
    game = load(GAMES / f"{name}.gdl", engine="native", **params)
    found: list[dict[str, Any]] = []
    for depth in range(1, 6):
        plain, *others = (
            solvers.solve(game, solver, depth=depth) for solver in ("expectiminimax", "star1", "star2")
        )
        assert all(abs(other.value - plain.value) < 1e-9 for other in others)
        nodes = [answer.work.nodes or 0 for answer in (plain, *others)]
        found.append({"game": name, "depth": depth, "nodes": nodes, "value": float(plain.value)})
        shares = ", ".join(f"{count:,} ({count / nodes[0]:.1%})" for count in nodes[1:])
        print(f"{name} depth {depth}: {nodes[0]:,} expectiminimax; Star1, Star2: {shares}", flush=True)
        if nodes[0] > most:
            break
    return found


# --------------------------------------------------------------------------- connect four


def solved_boards() -> list[dict[str, Any]]:
    found = []
    for width, height in ((4, 4), (5, 4), (4, 5), (5, 5), (6, 4), (6, 5)):
        game = load(GAMES / "connect_four.gdl", engine="native", width=width, height=height)
        search = KernelAlphaBeta(game, Budget(), table=1 << 24)
        begin, wall = time.process_time(), time.perf_counter()
        result = search.solve(None, None, "")
        took = time.process_time() - begin
        row: dict[str, Any] = {
            "board": f"{width}x{height}",
            "value": float(result.value),
            "kind": result.kind,
            "best": [move.text for move in result.moves if move.best],
            "nodes": result.work.nodes,
            "cpu_seconds": took,
            "seconds": time.perf_counter() - wall,
        }
        found.append(row)
        print(
            f"{row['board']}: {row['kind']} {row['value']:+.0f}, {row['nodes']:,} nodes, {took:.2f} CPU s,"
            f" best {', '.join(row['best'])}",
            flush=True,
        )
    return found


def solved_positions(count: int) -> dict[str, Any]:
    game = load(GAMES / "connect_four.gdl", engine="native")
    spent, nodes = [], []
    for seed in range(count):
        play = _position(game, Random(seed), 12)
        search = KernelAlphaBeta(game, Budget(), table=1 << 23)
        begin = time.process_time()
        result = search.solve(play.position, None, "")
        assert result.kind == "exact"
        spent.append(time.process_time() - begin)
        nodes.append(result.work.nodes or 0)
    print(
        f"7x6 after 12 random moves, {count} positions: {sum(spent) / count:.2f} CPU seconds and"
        f" {sum(nodes) / count:,.0f} nodes on average, {max(spent):.1f} at most"
    )
    return {"board": "7x6", "plies": 12, "positions": count, "cpu_seconds": spent, "nodes": nodes}


def _position(game: Any, rng: Random, moves: int) -> Play[Any, Any]:
    while True:
        play: Play[Any, Any] = Play(game, rng=rng)
        while len(play.history) < moves and not play.finished:
            play.make(rng.choice(list(play.moves())))
        if not play.finished:
            return play


if __name__ == "__main__":
    main()
