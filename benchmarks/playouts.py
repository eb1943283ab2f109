"""Random playouts per CPU-second, side by side with OpenSpiel's C++ loop, in one process and one thread.

    python benchmarks/playouts.py [GAME ..] [--seconds 2] [--json results.json]

For each game the rules are first compared: both programs play some hundred random games, whose lengths and
results must have the same distribution as far as the means can tell. Then both run in turns of a fraction
of a second, so that a noisy machine disturbs both alike. The ratio ours / OpenSpiel is printed beside its
goal, of playouts and of the moves made in them: where the rules are known to differ, games may be longer in
one program than in the other. OpenSpiel (`pip install open_spiel`) runs its rollouts in C++ inside
`mcts_search`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pyspiel

from gdl import load
from gdl.native.engine import NativeGame

GAMES = Path(__file__).parent.parent / "games"


@dataclass(frozen=True)
class Contest:
    """A game in both programs. `goal` is the ratio to reach."""

    name: str  # OpenSpiel's
    file: str
    goal: float
    params: dict[str, Any] = field(default_factory=dict)
    differs: str = ""  # how their rules are known to differ; then the means need not agree
    alike: dict[str, Any] = field(default_factory=dict)  # parameters with which the rules are the same
    limit: int = 100_000


REPETITION = {"repetitions": 3}  # theirs counts them; ours without, as the goal for chess assumes no history
BOTH_DICE = "theirs plays both dice in one action, ours moves one man at a time"

CONTESTS = [
    Contest("tic_tac_toe", "tictactoe", 6),
    Contest("connect_four", "connect_four", 12),
    Contest("breakthrough", "breakthrough", 4),
    Contest("othello", "othello", 7),
    Contest("hex(board_size=9)", "hex", 5, {"rows": 9, "cols": 9}),
    Contest("hex(board_size=11)", "hex", 4, {"rows": 11, "cols": 11}),
    Contest("chess", "chess", 2.5, alike=REPETITION),
    Contest("mancala", "kalah", 3),
    Contest("pig", "pig", 5, differs="theirs may hold with nothing in the pot"),
    Contest("backgammon", "backgammon", 15, differs=BOTH_DICE),
    Contest("kuhn_poker", "kuhn_poker", 3),
    Contest("leduc_poker", "leduc_poker", 3),
    Contest("liars_dice", "liars_dice", 3),
]


@dataclass
class Result:
    game: str
    ours: float  # playouts per CPU-second
    theirs: float
    ratio: float
    move_ratio: float  # of moves per CPU-second
    goal: float
    length: tuple[float, float]  # mean moves per game: ours, theirs
    wins: tuple[float, float]  # share of games that the first player wins: ours, theirs
    agrees: bool | None  # None: the rules are known to differ, so only the speeds are compared
    compile_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", help="only these (names of files in games/)")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU time per game and program")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    print(
        f"{'game':20} {'ours/s':>12} {'OpenSpiel/s':>12} {'ratio':>7} {'per move':>8} {'goal':>5}"
        "  shortfall  rules"
    )
    for contest in CONTESTS:
        if options.games and contest.file not in options.games:
            continue
        path = GAMES / f"{contest.file}.gdl"
        if not path.exists():
            print(f"{contest.name:20} there is no {path.name}")
            continue
        result = measure(contest, path, options.seconds)
        results.append(result)
        missing = "" if result.ratio >= result.goal else f"{result.goal / result.ratio:.2f}x"
        print(
            f"{result.game:20} {result.ours:12,.0f} {result.theirs:12,.0f} {result.ratio:7.1f}"
            f" {result.move_ratio:8.1f} {result.goal:5.1f}  {missing:9}  {_rules(contest, result)}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    sys.exit(1 if any(result.agrees is False for result in results) else 0)


def _rules(contest: Contest, result: Result) -> str:
    """What the comparison of the rules came to, in words."""
    if result.agrees:
        return "agree"
    means = f"mean lengths {result.length[0]:.1f} and {result.length[1]:.1f}"
    means += f", first wins {result.wins[0]:.1%} and {result.wins[1]:.1%}"
    return f"{contest.differs} ({means})" if result.agrees is None else f"DISAGREE: {means}"


def measure(contest: Contest, path: Path, seconds: float) -> Result:
    start = time.process_time()
    ours = load(path, engine="native", **contest.params)
    assert isinstance(ours, NativeGame)
    ours.playouts(1, seed=0)
    compile_seconds = time.process_time() - start
    theirs = pyspiel.load_game(contest.name)
    same = load(path, engine="native", **contest.params, **contest.alike) if contest.alike else ours
    length, wins, agrees = compare(contest, same, theirs)
    mine, other = _Ours(ours, contest), _Theirs(theirs)
    while min(mine.spent, other.spent) < seconds:
        mine.turn()
        other.turn()
    ratio = mine.rate / other.rate
    return Result(
        game=contest.name,
        ours=mine.rate,
        theirs=other.rate,
        ratio=ratio,
        move_ratio=ratio * length[0] / length[1],
        goal=contest.goal,
        length=length,
        wins=wins,
        agrees=agrees,
        compile_seconds=compile_seconds,
    )


class _Timed:
    """Playouts in turns of about a fifth of a second of CPU time."""

    def __init__(self) -> None:
        self.played, self.spent, self.batch = 0, 0.0, 1

    @property
    def rate(self) -> float:
        return self.played / self.spent

    def turn(self) -> None:
        begin = time.process_time()
        self.play(self.batch)
        took = time.process_time() - begin
        if took < 0.05:  # too short to time, and to count
            self.batch *= 4
            return
        self.played += self.batch
        self.spent += took
        self.batch = max(1, int(self.batch * 0.2 / took))

    def play(self, games: int) -> None:
        raise NotImplementedError


class _Ours(_Timed):
    def __init__(self, game: NativeGame, contest: Contest):
        super().__init__()
        self._game, self._limit, self._seed = game, contest.limit, 1

    def play(self, games: int) -> None:
        self._seed += 1
        self._game.playouts(games, seed=self._seed, limit=self._limit)


class _Theirs(_Timed):
    def __init__(self, game: Any):
        super().__init__()
        self._game, self._rng = game, Random(1)

    def play(self, games: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(games, self._rng.randrange(1 << 30))
        bot = pyspiel.MCTSBot(self._game, evaluator, 2, 1, 1000, False, 1, False)
        bot.mcts_search(dealt(self._game, self._rng))


def dealt(game: Any, rng: Random) -> Any:
    """The first position in which somebody is to move."""
    state = game.new_initial_state()
    while state.is_chance_node():
        _chance(state, rng)
    return state


def _chance(state: Any, rng: Random) -> None:
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(rng.choices(actions, weights)[0])


# ------------------------------------------------------------------- the same rules?

_SAMPLE = 400
_SIGMAS = 5.0


def compare(
    contest: Contest, ours: NativeGame, theirs: Any
) -> tuple[tuple[float, float], tuple[float, float], bool | None]:
    """Mean length and share of wins in both programs, and whether they may be equal (None: rules differ)."""
    rng = Random(1)
    sample = _SAMPLE if contest.name not in ("chess", "backgammon") else _SAMPLE // 4
    mine = [ours.playout(seed=k, limit=contest.limit) for k in range(_SAMPLE)]
    my_lengths = [float(plies) for _, plies in mine]
    my_wins = [float(returns[0] > 0) for returns, _ in mine]
    lengths, wins = [], []
    for _ in range(sample):
        state, plies = theirs.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                _chance(state, rng)
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                plies += 1
        lengths.append(float(plies))
        wins.append(float(state.returns()[0] > 0))
    same = None if contest.differs else _alike(my_wins, wins) and _alike(my_lengths, lengths)
    return (_mean(my_lengths), _mean(lengths)), (_mean(my_wins), _mean(wins)), same


def _alike(a: list[float], b: list[float]) -> bool:
    """Whether two samples may have one mean: their difference is within a few standard errors."""
    error = sqrt(_variance(a) / len(a) + _variance(b) / len(b))
    return abs(_mean(a) - _mean(b)) <= _SIGMAS * error + 1e-9


def _mean(sample: list[float]) -> float:
    return sum(sample) / len(sample)


def _variance(sample: list[float]) -> float:
    mean = _mean(sample)
    return sum((x - mean) ** 2 for x in sample) / (len(sample) - 1)


if __name__ == "__main__":
    main()
