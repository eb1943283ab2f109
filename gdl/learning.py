"""Learning an evaluation from self-play: what `gdl learn` does, for Python and the command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, check_game, params_of
from gdl.asking import asked
from gdl.diagnostics.facts import facts_lines, plain, table_lines
from gdl.diagnostics.render import Styled

if TYPE_CHECKING:
    from solvers.learning.evaluation import Evaluation
    from solvers.learning.kernels.training import Training

SECONDS = 60.0
"""CPU seconds of a run without a limit."""


@dataclass(frozen=True)
class Learned:
    """What was learned. `print` shows what `gdl learn` shows; `save` writes what `learned:FILE` reads."""

    game: AnyGame
    evaluation: Evaluation
    made: Mapping[str, Any]
    curve: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    file: Path | None = None
    matches: Mapping[str, tuple[float, float, int]] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        from solvers.files.evaluation_file import save

        save(path, self.game, self.evaluation, self.made, self.curve, dict(params_of(self.game)))

    @property
    def line(self) -> str | None:
        """The `evaluate:` line of weights of features, for the file of the game; None for other kinds."""
        return evaluate_line(self.evaluation) if self.evaluation.kind == "linear" else None

    def facts(self) -> Iterator[tuple[str, str]]:
        last = self.curve[-1] if self.curve else None
        yield "learned", f"{self.evaluation.kind}: {self.evaluation.summary()}"
        yield (
            "method",
            (
                f"TD({self.made['lambda']:g}), rate {self.made['rate']:g}, "
                f"explores {100 * self.made['explore']:g} %, "
                f"seed {self.made['seed']}"
            ),
        )
        if last is not None:
            speed = last["positions"] / max(last["seconds"], 1e-9)
            yield (
                "from",
                (
                    f"{last['games']:,} games, {last['positions']:,} positions in {last['seconds']:.1f} CPU s"
                    f" ({speed:,.0f} a second)"
                ),
            )
        for name, (mean, error, games) in self.matches.items():
            yield f"against {name}", f"{mean:+.3f} ± {error:.3f} ({games} games)"
        if self.file is not None:
            yield "file", str(self.file)
        if self.line is not None:
            yield "as text", self.line
        for note in self.notes:
            yield "note", note

    def report(self) -> Iterator[Styled]:
        yield [(self.game.name, "bold")]
        yield []
        yield from curve_lines(self.curve, self.game.traits.players == 1)
        yield []
        yield from facts_lines(list(self.facts()))

    def __str__(self) -> str:
        return plain(self.report())

    def as_data(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "kind": self.evaluation.kind,
            "made": dict(self.made),
            "curve": self.curve,
            "notes": list(self.notes),
            "evaluate": self.line,
            "file": None if self.file is None else str(self.file),
            "matches": {name: list(found) for name, found in self.matches.items()},
        }


@asked
def learn(
    game: AnyGame,
    kind: str | None = None,
    *,
    games: int | None = None,
    time: float | None = None,
    seed: int = 0,
    save: str | Path | None = None,
    resume: bool = False,
    threads: int = 1,
    units: int | None = None,
    rate: float | None = None,
    lambda_: float | None = None,
    explore: float | None = None,
    against: tuple[str, ...] = (),
    command: str = "",
    report: Callable[[Training], None] | None = None,
) -> Learned:
    """Learns an evaluation of positions from self-play: what `gdl learn` does.

    kind       linear (weights of the declared features), tuples (tables over groups of elements of the
               position) or network (one hidden layer); chosen if not given
    games      stop after so many games; time: after so many CPU seconds (60 if neither is given)
    save       the file to write; beside it, with `.part`, lies what `resume` takes up after a kill
    threads    who play; what is learned does not depend on how many
    against    agents to play against at the end, 100 games each

    Everything follows from the seed and the number of games.
    """
    from solvers.files.checkpoint import CheckpointFile
    from solvers.learning.kernels.learner import Learner
    from solvers.learning.kernels.training import Training
    from solvers.learning.making import chosen_kind, method_for, new_evaluation, refuse_uncompiled

    check_game(game)
    refuse_uncompiled(game)
    chosen = chosen_kind(game, kind)
    evaluation = new_evaluation(game, chosen, seed=seed, **({} if units is None else {"units": units}))
    method = method_for(game, evaluation, rate, lambda_, explore)
    checkpoint = None
    if save is not None:
        from solvers.files.container import check_writable

        check_writable(Path(save))
        checkpoint = CheckpointFile(Path(f"{save}.part"), resume=resume)
    training = Training(Learner(game, evaluation, seed, threads), method, checkpoint)
    if games is None and time is None:
        time = SECONDS
    training.run(games, time, report)
    made = {
        "command": command,
        "seed": seed,
        "kind": chosen,
        "rate": method.rate,
        "lambda": method.lambda_,
        "explore": method.explore,
        "decay": method.decay,
        "games": training.learner.games,
        "positions": training.learner.positions,
        "seconds": round(training.seconds, 1),
    }
    found = Learned(
        game,
        training.found,
        made,
        [measure.as_data() for measure in training.curve],
        tuple(training.notes),
        None if save is None else Path(save),
        {},
    )
    if save is not None:
        found.save(save)
        assert checkpoint is not None
        checkpoint.remove()
    if against:
        from dataclasses import replace

        found = replace(found, matches={name: _met(found, name, seed) for name in against})
    return found


def _met(found: Learned, name: str, seed: int, games: int = 100) -> tuple[float, float, int]:
    """What the evaluation, a move ahead, is paid against an agent, seats in turn: mean and standard error."""
    from random import Random
    from statistics import fmean, stdev

    from gdl.playing.play import Play
    from solvers.agents.seated import Seated, agent
    from solvers.learning.leaf import LearnedAgent

    game = found.game
    players = game.traits.players
    own = Seated(LearnedAgent(game, found.evaluation), Random(seed))
    paid = []
    for number in range(games):
        seat = number % players
        others = [own if player == seat else agent(name, game, seed=number) for player in range(players)]
        play = Play(game, seed=seed + number // players)
        while not play.finished:
            if play.to_move < 0:
                play.draw()
            else:
                play.make(others[play.to_move].choose(play))
        paid.append(float(play.returns[seat]))
    return fmean(paid), stdev(paid) / len(paid) ** 0.5, games


def curve_lines(curve: list[dict[str, Any]], alone: bool) -> Iterator[Styled]:
    """The learning curve as a table."""
    rows = []
    for point in curve:
        mean, error = point["random"]
        best = point["best"]
        rows.append(
            [
                f"{point['games']:,}",
                f"{point['positions']:,}",
                f"{point['seconds']:.1f}",
                f"{point['error']:.2g}",
                f"{mean:.3g} ± {error:.2g}",
                *([] if alone else ["" if best is None else f"{best[0]:+.3g} ± {best[1]:.2g}"]),
                "*" if point["kept"] else "",
            ]
        )
    strengths = ["gets"] if alone else ["against random", "against best"]
    heads = ["games", "positions", "CPU s", "error", *strengths, "kept"]
    yield from table_lines(heads, rows, heads[:-1])


def evaluate_line(evaluation: Evaluation) -> str:
    """Weights of features as the section of a game file.

    What is squashed is written with `abs`: x / (1 + |x|) goes from -1 to 1.
    """
    weights = evaluation.weights["features"][:, 0].tolist()
    bias = float(evaluation.weights["bias"][:, 0].mean())
    terms = [f"{_number(w)} * {name}" for name, w in zip(evaluation.features, weights, strict=True) if w]
    if abs(bias) > 1e-6:
        terms.append(_number(bias))
    total = " + ".join(terms).replace("+ -", "- ") or "0"
    if evaluation.squash == "none":
        return f"evaluate: {total}"
    low, high = Fraction(evaluation.low[0]), Fraction(evaluation.high[0])
    half, middle = (high - low) / 2, (high + low) / 2
    squashed = "x / (1 + abs(x))" if half == 1 else f"{half} * x / (1 + abs(x))"
    end = "" if middle == 0 else f" + {middle}" if middle > 0 else f" - {-middle}"
    return f"evaluate:\n    let x = {total}\n    return {squashed}{end}"


def _number(x: float) -> str:
    """Three digits, as a decimal without exponent."""
    return format(Fraction(f"{x:.3g}").__float__(), "f").rstrip("0").rstrip(".") or "0"
