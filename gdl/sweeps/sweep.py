"""Sweeping parameters: what `gdl sweep` does, for Python and for the command.

The points are shared among workers (`gdl/crew/`). With a file to write, every row is kept at once in a
journal beside it (`FILE.rows`), from which `resume` goes on; when all are done the file is written and the
journal goes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from gdl.asking import asked
from gdl.crew.crew import results
from gdl.crew.places import chosen, opened
from gdl.crew.processes import cores
from gdl.crew.work import Job
from gdl.diagnostics import GameError, Source
from gdl.diagnostics.commands import unfinished_sweep, unusable_solution
from gdl.game import Game
from gdl.sweeps.points import Question, Row, alone, numbered
from gdl.sweeps.ranges import points_of, read_values
from gdl.sweeps.table import Sweep, check_table_target

ALONE = 6
"""Up to so many points no other processes are started, unless they are asked for: that takes a second."""

FORMAT = "gdl sweep 1"


@asked
def sweep(
    game: str | Path | Source | Game[Any, Any],
    ranges: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    solver: str | None = None,
    agents: Mapping[str, str] | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    exact: bool = False,
    jobs: int | None = None,
    on: str | Executor | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    advance: Callable[[int, int], None] | None = None,
    **named: Any,
) -> Sweep:
    """What a game is worth for every combination of parameters: `gdl.sweep("pig", goal="5..20")`.

    game         its name, a file, or a game that was loaded
    ranges       of parameters, as a mapping or as arguments: "1..20", "0..1 step 1/10", "plain,beat", or a
                 sequence
    params       parameters that stay as they are
    solver       one of whole games, or a search with its options; without, as `solve` does it
    agents       what the players do, as for `evaluate`; with `simulations` by so many plays
    exact        answer with fractions
    jobs         processes; all cores unless given, one for a few points. A script that uses several needs
                 `if __name__ == "__main__":`
    on           where points are solved, in place of jobs: "dask://host:8786", "ray", "mpi" (docs/scale.md),
                 or an executor of `concurrent.futures`
    out          a file for the table: .csv .json .parquet .txt, which is replaced when all is done. Rows are
                 kept beside it while they come, and `resume` goes on from there; with none there all
                 points are new
    advance      called with the number of points that are done, and of all

    A point that is refused has no value, and says why. Interrupted by Ctrl-C the answer is `partial`.

    >>> import gdl
    >>> [row["value"] for row in gdl.sweep("halving", start="1..6")]
    [-1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
    """
    question = _question(game, params or {}, solver, agents or {}, simulations, seed, exact)
    read = {name: read_values(values) for name, values in {**(ranges or {}), **named}.items()}
    points = points_of(read)
    _check(question, points)
    target = None if out is None else Path(out)
    if target is not None:
        check_table_target(target)
    journal = None if target is None else _Journal(target, question, tuple(read))
    if journal is not None and not resume and (kept := journal.kept()):
        raise GameError([unfinished_sweep(str(journal.path), kept)])
    known = journal.rows() if journal is not None and resume else {}
    done: dict[int, Row] = {k: known[_key(p)] for k, p in enumerate(points) if _key(p) in known}
    left = [k for k in range(len(points)) if k not in done]
    place = chosen(on, jobs, 1 if len(left) <= ALONE else cores())
    partial = False
    try:
        with journal.going_on(done.values()) if journal is not None else _nothing() as keep:
            for k, row in _answers(question, points, left, place):
                done[k] = row
                keep(row)
                if advance is not None:
                    advance(len(done), len(points))
    except KeyboardInterrupt:
        partial = True
    rows = tuple(done[k] for k in sorted(done))
    found = Sweep(_name(question.source), tuple(read), rows, len(points), partial)
    if target is not None and not partial:
        found.save(target)
        assert journal is not None
        journal.path.unlink(missing_ok=True)
    return found


def journal_of(target: Path) -> Path:
    """Where the rows of a sweep to this file are kept while they come; `resume` goes on with them."""
    return target.with_name(f"{target.name}.rows")


def _question(
    game: Any,
    params: Mapping[str, Any],
    solver: str | None,
    agents: Mapping[str, str],
    simulations: int | None,
    seed: int | None,
    exact: bool,
) -> Question:
    from gdl.loading import read_source
    from solvers.core.refusal import bad_option

    model = getattr(game, "model", None)
    if model is not None:
        from gdl.model.parameters import parameters

        source, fixed = model.source, parameters(model)
    elif isinstance(game, Source):
        source, fixed = game, {}
    elif isinstance(game, str | Path):
        source, fixed = read_source(game), {}
    else:
        raise bad_option(f"{game!r} has no parameters to sweep", "Name a game, or a file of one.")
    fixed = {**fixed, **{name: str(value) for name, value in params.items()}}
    if simulations is not None and seed is None:
        from gdl.playing.results import fresh_seed

        seed = fresh_seed()
    return Question(source, fixed, solver, tuple(agents.items()), simulations, seed, exact)


def _check(question: Question, points: Sequence[Mapping[str, str]]) -> None:
    """Loads the first and the last game now: a wrong name or value is told at once, not once a point."""
    from gdl.loading import load_model

    fixed = {name: value for name, value in question.params.items() if name not in points[0]}
    for point in (points[0], points[-1]):
        load_model(question.source, {**fixed, **point})
    if question.solver is not None:
        from gdl.searching import is_search
        from solvers.registry import find

        if not is_search(question.solver):
            find(question.solver)


def _answers(
    question: Question, points: Sequence[dict[str, str]], left: Sequence[int], on: str | Executor
) -> Iterator[tuple[int, Row]]:
    """The rows as they come, with their numbers."""
    if not left:
        return
    job = Job(alone, numbered, question, question.source, own=question)
    tasks = ((job, (k, points[k])) for k in left)
    with opened(on, most=len(left)) as engine, closing(results(engine, tasks, ordered=False)) as rows:
        for (k, _), row in rows:
            yield k, row


# ------------------------------------------------------------------------------ the journal


class _Journal:
    """Rows as they come, one JSON text in each line below one that says what was asked."""

    def __init__(self, target: Path, question: Question, names: tuple[str, ...]):
        self.path = journal_of(target)
        asked = json.dumps([question.as_data(), names], sort_keys=True)
        self.about = {"format": FORMAT, "asked": hashlib.sha256(asked.encode()).hexdigest()}

    def rows(self) -> dict[str, Row]:
        """The rows of a sweep that was stopped, by their points; none where there is no journal."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise GameError([unusable_solution(str(self.path), str(error))]) from None
        found = {}
        for number, line in enumerate(lines):
            try:
                data = json.loads(line)
                point, row = (data["format"], data["asked"]) if number == 0 else (data["point"], data["row"])
            except (ValueError, TypeError, KeyError):
                if number == len(lines) - 1 and number:  # cut short as it was written
                    break
                raise GameError(
                    [unusable_solution(str(self.path), "it is no journal of a sweep", "remove it")]
                ) from None
            if number:
                found[point] = row
            elif data != self.about:
                reason = "it is of another sweep: the game, its parameters or the solver were others"
                hint = "remove it to begin anew, or name another file"
                raise GameError([unusable_solution(str(self.path), reason, hint)])
        return found

    def kept(self) -> int:
        """How many rows there are, of whichever sweep."""
        try:
            return max(0, self.path.read_bytes().count(b"\n") - 1)
        except OSError:
            return 0  # whether it can be written is seen when the first row is

    @contextmanager
    def going_on(self, known: Iterable[Row]) -> Iterator[Callable[[Row], None]]:
        """Keeps the rows that are known and those that it is given. The known ones replace what was there at
        once, so that being killed meanwhile loses nothing."""
        from solvers.files.container import write_atomically

        lines = [self.about, *map(self._entry, known)]
        text = [f"{json.dumps(line)}\n".encode() for line in lines]
        write_atomically(self.path, lambda file: file.writelines(text))
        with self.path.open("a", encoding="utf-8") as file:

            def keep(row: Row) -> None:
                file.write(json.dumps(self._entry(row)) + "\n")
                file.flush()

            yield keep

    def _entry(self, row: Row) -> dict[str, Any]:
        names = list(row)[: list(row).index("value")]
        return {"point": _key({name: row[name] for name in names}), "row": row}


@contextmanager
def _nothing() -> Iterator[Callable[[Row], None]]:
    """Keeps no rows."""
    yield lambda row: None


def _key(point: Mapping[str, str]) -> str:
    return json.dumps(dict(point))


def _name(source: Source) -> str:
    return Path(source.name).stem
