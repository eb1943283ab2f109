"""Solving whole games: what `gdl solve` does, for Python and for the command. `solvers.plan` decides how.

Compiled games are solved by machine code, within memory, with checkpoints and files of what was found; games
of any other engine, and classes of one's own, by the textbook solvers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gdl.answers import AnyGame, check_game, described, params_of, position_of
from gdl.asking import asked
from gdl.searching import is_search, planned_search

if TYPE_CHECKING:
    from solvers.core.refusal import Refusal
    from solvers.core.result import Result, Written
    from solvers.plan import Plan, Step
    from solvers.whole.kernels.solve import Settings

PRECISION = 1e-9
"""How far apart proven bounds may be; regret minimisation has its own measure (`solvers.hidden`)."""

PATIENCE = 10.0
"""Seconds for a search to prove the value of a game in which plays may never end, unless told otherwise."""

OF_EVERYBODY = ("maxn", "mcts")
"""Searches for what every player gets by play in their own interest."""

FEW_POSITIONS = 20
"""Binary digits: with fewer positions, as far as their types tell, symmetries are not worth looking for."""

TAKEN_BY_SEARCHES = ("time",)
TAKEN_BY_EQUILIBRIA = ("exact", "precision", "limit", "time", "resume")
TAKEN_BY_TEXTBOOKS = ("exact", "precision", "limit", "time")
"""What of the arguments of `solve` counts for whom, beside files; kernels take all of them."""


@dataclass(frozen=True, slots=True)
class Files:
    """What is written once a game is solved."""

    save: Path | None = None  # a tablebase
    policy: Path | None = None  # a strategy file, as Parquet
    certificate: Path | None = None

    def __bool__(self) -> bool:
        return any(path is not None for path in (self.save, self.policy, self.certificate))


@asked
def solve(
    game: AnyGame,
    solver: str | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    exact: bool = False,
    precision: float | None = None,
    memory: str | float | None = None,
    limit: int | None = None,
    time: float | None = None,
    progress: bool | None = False,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    save: str | Path | None = None,
    policy: str | Path | None = None,
    certificate: str | Path | None = None,
    turns: bool | None = None,
    symmetry: bool | None = None,
    drop_edges: bool = False,
    threads: int | None = None,
) -> Result:
    """The value of a whole game, proven, with all best moves: what `gdl solve` prints.

    solver       one of `solvers.registry`, or a search with its options; without, as `plan` says
    at           a position, or its text, to solve from
    moves        moves to make first, as text: "place(a1) place(b2)"
    exact        prove the value in rational arithmetic, and answer with a fraction
    precision    how far apart proven bounds may be, 1e-9 unless told otherwise
    memory       use no more than so much: "2GB", or bytes
    limit        refuse more positions than this, without an estimate beforehand
    time         seconds for value_iteration, or for a search to prove the value
    progress     say on standard error how far it is (None: where that is a terminal)
    checkpoint   a file to leave what is known so far, and `resume` goes on from it
    save, policy, certificate    files to write: a tablebase, a strategy file, a proof for `verify`
    symmetry     keep one of the positions that differ only by a symmetry of the rules (None: in large games)
    turns, drop_edges, threads   see `gdl solve --help`

    Raises Refusal for what does not apply to the game or does not fit, before memory fills.

    >>> import gdl
    >>> result = gdl.solve(gdl.load("tictactoe"))
    >>> result.value, result.kind, result.to_move, len(result.best)
    (0.0, 'exact', 'x', 9)
    >>> gdl.solve(gdl.load("pig", goal=5), exact=True).arithmetic
    'rational'
    >>> gdl.solve(gdl.load("tictactoe"), "alphabeta").value
    0
    """
    from solvers.core.refusal import bad_option
    from solvers.files.container import check_writable

    check_game(game)
    position = position_of(game, at, moves)
    files = Files(*(None if path is None else Path(path) for path in (save, policy, certificate)))
    where = None if checkpoint is None else Path(checkpoint)
    listed = files.policy is not None or files.certificate is not None
    asked = {
        "exact": exact, "precision": precision, "memory": memory, "limit": limit, "time": time,
        "resume": resume, "turns": turns, "symmetry": symmetry, "drop_edges": drop_edges, "threads": threads,
    }  # fmt: skip
    for path in (files.save, files.policy, files.certificate, where):
        if path is not None:
            check_writable(path)
    if solver is not None and is_search(solver):
        if files or where:
            raise bad_option(
                f"{solver} does not visit all positions: no file of them can be written",
                "Use a solver of whole games.",
            )
        _refuse_ignored(asked, TAKEN_BY_SEARCHES, f"{_name(solver)}, a search,")
        return _proven(game, solver, position, time)
    _check_solver(game, solver, time)
    if game.traits.hidden:
        _refuse_ignored(asked, TAKEN_BY_EQUILIBRIA, "a solution of a game with hidden information")
        from gdl.equilibria import equilibrium
        from solvers.files.checkpoint import CheckpointFile

        if files.save or files.certificate:
            raise bad_option(
                f"{game.name} has hidden information: no tablebase and no certificate is written",
                "`policy` writes what to play by what is known.",
            )
        if where is not None and getattr(game, "compiled", None) is None:
            raise _not_compiled(game)
        return equilibrium(
            game, solver, position, exact=exact, precision=precision, limit=limit,
            time=time, progress=progress, policy=files.policy,
            checkpoint=None if where is None else CheckpointFile(where, resume),
        )  # fmt: skip
    if getattr(game, "compiled", None) is None or not _has_twin(solver):
        if files.save or files.policy or where:
            raise _not_compiled(game)
        _refuse_ignored(asked, TAKEN_BY_TEXTBOOKS, "a textbook solver, which answers here,")
        options = {"limit": limit, "precision": precision or PRECISION, "time": time}
        return _Textbook(game, position, solver, exact, options, files.certificate).solve()
    turns = _turns(turns, listed)
    settings = settings_of(precision, exact, limit, memory, drop_edges, threads, time)
    reduced = _reduced(game, symmetry, turns, listed)
    return _Native(
        game, reduced, position, solver, settings, turns=turns, files=files, where=where, resume=resume,
        progress=progress,
    ).solve()  # fmt: skip


@asked
def plan(
    game: AnyGame,
    question: Literal["solve", "search", "play"] = "solve",
    solver: str | None = None,
    *,
    at: Any = None,
    moves: str | None = None,
    exact: bool = False,
    precision: float | None = None,
    memory: str | float | None = None,
    limit: int | None = None,
    turns: bool | None = None,
    symmetry: bool | None = None,
    drop_edges: bool = False,
    threads: int | None = None,
    listed: bool = False,
    progress: bool | None = False,
    **limits: Any,
) -> Plan:
    """What `solve`, `search` or an agent would do with a game, and why; nothing is solved.

    Arguments are those of `solve` and `search`; `listed`: a strategy file or a certificate is wanted, which
    list all positions. `refusal` of a plan that will not be followed says why.

    >>> import gdl
    >>> plan = gdl.plan(gdl.load("tictactoe"))
    >>> plan.solver, plan.known_by, plan.positions < 1e6
    ('backward_induction', 'types', True)
    >>> [step.solver for step in gdl.plan(gdl.load("connect_four"), "search", time=3).steps]
    ['alphabeta', 'mcts']
    >>> gdl.plan(gdl.load("kuhn_poker"), "play").solver, gdl.plan(gdl.load("battleships"), "play").solver
    ('sequence_form', 'pimc')
    """
    from gdl.progress import progress_shown
    from solvers.core.refusal import bad_option
    from solvers.plan import plan_play, plan_whole

    check_game(game)
    if question not in ("solve", "search", "play"):
        raise bad_option(f"there is no plan to `{question}` a game", "Ask for solve, search or play.")
    if question == "play":
        return plan_play(game)
    if question == "search":
        return planned_search(game, solver, limits)[0]
    time = limits.get("time")
    if solver is not None and is_search(solver):
        return planned_search(game, solver, _limits_to_prove(game, solver, time), endless=True)[0]
    _check_solver(game, solver, time)
    if solver is not None:
        solver = _name(solver)
    where = position_of(game, at, moves)
    if getattr(game, "compiled", None) is None:
        return plan_whole(game, solver, where, options={"exact": exact})
    settings = settings_of(precision, exact, limit, memory, drop_edges, threads, time)
    turns = _turns(turns, listed)
    game = _reduced(game, symmetry, turns, listed)
    with progress_shown(progress) as (_, solving):
        return plan_whole(game, solver, where, settings, turns=turns, report=solving)


# -------------------------------------------------------------------------- whole games


@dataclass(frozen=True, slots=True)
class _Textbook:
    """A question to the solvers of any game."""

    game: AnyGame
    position: Any
    solver: str | None
    exact: bool
    options: dict[str, Any]
    certificate: Path | None

    def solve(self) -> Result:
        from solvers.plan import follow_whole, plan_whole

        def plan_for(steps: Sequence[Step] | None) -> Plan:
            options = {"exact": self.exact}
            return plan_whole(self.game, steps or self.solver, self.position, options=options, look=False)

        return follow_whole(plan_for, self.by)

    def by(self, plan: Plan) -> Result:
        from solvers.registry import find

        entry = find(plan.solver)
        used = {
            name: value for name, value in self.options.items() if name in entry.options and value is not None
        }
        result: Result = entry.textbook(self.game, self.position, **used)
        written: list[Written] = []
        if self.certificate is not None:
            from solvers.files.certificate import certificate_of_result, write

            facts = {"params": dict(params_of(self.game))}
            write(certificate_of_result(self.game, result, self.position, facts), self.certificate)
            written.append(_certified(self.certificate))
        reason = _reason(plan, result, self.exact)
        return replace(described(self.game, self.position, result, reason), written=tuple(written))


@dataclass(frozen=True, slots=True)
class _Native:
    """A question to the solvers of compiled games."""

    game: AnyGame
    reduced: AnyGame  # the same, with symmetric positions taken for one where that pays
    position: Any
    solver: str | None
    settings: Settings
    turns: bool | None
    files: Files
    where: Path | None  # checkpoints
    resume: bool
    progress: bool | None

    def solve(self) -> Result:
        from gdl.progress import progress_shown
        from solvers.plan import follow_whole, plan_whole

        if (soon := self._without_compiling()) is not None:
            return soon
        with progress_shown(self.progress) as (exploring, solving):
            settings = replace(self.settings, exploring=exploring, solving=solving)

            def plan_for(steps: Sequence[Step] | None) -> Plan:
                return plan_whole(
                    self.reduced,
                    steps or self.solver,
                    self.position,
                    settings,
                    turns=self.turns,
                    report=solving,
                )

            return follow_whole(plan_for, self.by)

    def by(self, plan: Plan) -> Result:
        """Follows a plan and writes what was asked for."""
        from solvers.core.refusal import TooFine
        from solvers.whole.kernels.checkpoint import Checkpoint
        from solvers.whole.kernels.solve import solve_whole
        from solvers.whole.kernels.twins import in_rationals

        checkpoint = None if self.where is None else Checkpoint(self.where, self.resume)
        assert plan.settings is not None and plan.settings.solving is not None
        try:
            settings = replace(plan.settings, checkpoint=checkpoint)
            solved = solve_whole(self.reduced, plan.solver, self.position, settings)
            written = self._write(solved, plan.settings.solving)
        except TooFine:
            if self.files.save or self.files.policy:
                raise
            result = in_rationals(self.game, plan.solver, self.position, self.settings.limit)
            reason = _reason(plan, result, self.settings.exact)
            written = self._certify(result)
            return replace(described(self.game, self.position, result, reason), written=tuple(written))
        if checkpoint is not None:
            checkpoint.remove()
        reason = _reason(plan, solved.result, self.settings.exact)
        return replace(described(self.game, self.position, solved.result, reason), written=tuple(written))

    def _without_compiling(self) -> Result | None:
        """The textbook's answer where that comes sooner than kernels could be compiled; None where not.

        A fraction comes from the game in exact numbers.
        """
        from solvers.core.refusal import TooLarge
        from solvers.core.rounding import exact_twin
        from solvers.whole.kernels.cold_start import FEW, repays_compiling

        asked = self.settings
        if self.files or self.where is not None or self.turns or asked.time is not None:
            return None
        if asked.exact and self.solver is not None:
            return None  # to kernels any solver of whole games and `exact` mean a fraction
        if repays_compiling(self.game.compiled):  # type: ignore[attr-defined]
            return None
        few = FEW if asked.limit is None else min(FEW, asked.limit)
        options = {"limit": few, "precision": asked.precision}
        game = exact_twin(self.game) if asked.exact else self.game
        try:
            return _Textbook(game, self.position, self.solver, asked.exact, options, None).solve()
        except TooLarge:
            return None

    def _certify(self, result: Result) -> list[Written]:
        """Writes the certificate of an answer in rationals, if one is asked for."""
        if self.files.certificate is None:
            return []
        from solvers.core.rounding import exact_twin
        from solvers.files.certificate import certificate_of_result, write

        certificate = certificate_of_result(exact_twin(self.game), result, self.position, self._facts())
        write(certificate, self.files.certificate)
        return [_certified(self.files.certificate)]

    def _facts(self) -> dict[str, Any]:
        """What files say of the question."""
        start = None if self.position is None else self.game.format_position(self.position)
        return {"params": dict(params_of(self.game)), "from": start}

    def _write(self, solved: Any, report: Callable[[str, float], None]) -> list[Written]:
        from solvers.core.result import Written

        facts = self._facts()
        files, written = self.files, []
        if files.save is not None:
            from solvers.files import tablebase

            tablebase.save(solved, files.save, facts)
            count = solved.statistics.positions
            written.append(Written("tablebase", str(files.save), f", {count:,} positions", count))
        if files.policy is not None:
            from solvers.files import strategy_file

            digest = self.game.digest  # type: ignore[attr-defined]
            rows = strategy_file.save(solved, files.policy, digest, facts, report)
            written.append(Written("policy", str(files.policy), f", {rows:,} positions with moves", rows))
        if files.certificate is not None:
            from solvers.files.certificate import certificate_of, write

            write(certificate_of(solved, self.position, facts), files.certificate)
            written.append(_certified(files.certificate))
        return written


def _refuse_ignored(asked: Mapping[str, Any], taken: Sequence[str], who: str) -> None:
    """Refuses arguments that whoever answers has no use for."""
    from gdl.diagnostics.wording.phrases import listing
    from solvers.core.refusal import bad_option

    given = [name for name, value in asked.items() if value is not None and value is not False]
    if ignored := [name for name in given if name not in taken]:
        raise bad_option(f"{who} has no use for {listing(ignored, 'or')}", "Leave it out.")


def _turns(turns: bool | None, listed: bool) -> bool | None:
    """Whether to solve by turns; not where files list all positions."""
    from solvers.core.refusal import bad_option

    if turns and listed:
        raise bad_option(
            "a strategy file and a certificate list all positions, a solution by turns those between turns",
            "Leave `turns` out, or save a tablebase.",
        )
    return False if listed else turns


def _reduced(game: AnyGame, symmetry: bool | None, turns: bool | None, listed: bool) -> AnyGame:
    """The game with positions that differ only by a symmetry taken for one, where that is asked for or pays.

    Files that list all positions need them all, and positions between turns are told by variables of their
    own.
    """
    from solvers.core.refusal import bad_option
    from solvers.views.symmetric import Symmetric, may_be_reduced

    if symmetry and (listed or turns):
        raise bad_option(
            "a policy, a certificate and a solution by turns need positions as they are",
            "Leave --symmetry out.",
        )
    if symmetry is False or listed or turns or not may_be_reduced(game):
        if symmetry:
            raise bad_option(
                f"interests in {game.name} differ, and symmetries would change who wins a tie",
                "Leave --symmetry out.",
            )
        return game
    code = game.compiled  # type: ignore[attr-defined]
    if symmetry is None and code.log2_positions < FEW_POSITIONS:
        return game
    if code.symmetries() > 1:
        return Symmetric(game)
    if symmetry:
        raise bad_option(
            f"no symmetry of {game.name} is proven", "`gdl info --symmetries` says what was tried."
        )
    return game


def _certified(path: Path) -> Written:
    from solvers.core.result import Written

    return Written("certificate", str(path), "; `gdl verify` checks it")


def _reason(plan: Plan, result: Result, exact: bool) -> str:
    """Why the solver answered that did: with fractions asked for, or needed, another than was planned."""
    asked = "a fraction was asked for" if exact else ""
    if result.solver == plan.solver:
        return plan.reason if asked in plan.reason else "; ".join(filter(None, (plan.reason, asked)))
    reason = "positions are not proven never to repeat" if plan.reason else f"in place of {plan.solver}"
    return f"{reason}, and {asked or 'rationals settle it'}"


def _not_compiled(game: AnyGame) -> Refusal:
    from solvers.core.refusal import bad_option

    return bad_option(
        f"{game.name} is not compiled: no tablebase, no policy and no checkpoint is written",
        'Load it with engine="native".',
    )


def _check_solver(game: AnyGame, solver: str | None, time: float | None) -> None:
    """Refuses what is no solver of whole games, and a limit of time for one that does not have it."""
    from solvers.core.refusal import bad_option
    from solvers.registry import find, refuse, ways_to_solve

    if solver is None and game.traits.hidden:
        return  # what is chosen takes time as it is given (`gdl.equilibria`)
    entry = find(ways_to_solve(game)[0][0] if solver is None else _name(solver))
    if entry.family == "hidden":
        refuse(entry, game)
        return  # its options are read in `gdl.equilibria`
    if entry.family == "policy":
        raise bad_option(f"{solver} needs policies.", "Use `gdl.evaluate`, or `gdl solve --agent`.")
    if time is not None:
        entry.check_options({"time": time})


def _has_twin(solver: str | None) -> bool:
    """Whether machine code solves whole games as this solver does; one of a user's own runs as written."""
    from solvers.registry import find

    return solver is None or find(_name(solver)).kernel is not None


def _name(solver: str) -> str:
    """The name in a description of a solver with its options."""
    return solver.partition("(")[0].strip()


def settings_of(
    precision: float | None,
    exact: bool,
    limit: int | None,
    memory: str | float | None,
    drop_edges: bool,
    threads: int | None,
    time: float | None = None,
) -> Settings:
    """What is asked of the kernels, before a plan says what fits."""
    from solvers.core.memory import bytes_of
    from solvers.whole.kernels.solve import Settings

    most = None if memory is None else bytes_of(memory)
    return Settings(float(precision or PRECISION), exact, limit, most, not drop_edges, threads, time)


# ----------------------------------------------------------------------- by a search


def _proven(game: AnyGame, solver: str, position: Any, time: float | None) -> Result:
    """The answer of a search that goes on until the value is proven; refuses what only estimates."""
    from gdl.searching import searched
    from solvers.core.refusal import cannot_go_on
    from solvers.portfolio import is_proven
    from solvers.registry import find, may_be_solved_whole, settled_by

    limits = _limits_to_prove(game, solver, time)
    if find(_name(solver)).name in OF_EVERYBODY:
        _refuse_what_comes_back(game, position)
    plan, options = planned_search(game, solver, limits, endless=True)
    result = searched(game, position, plan, options)
    if not limits or is_proven(result):
        return result
    known = ", ".join(f"{name}: {value}" for name, value in zip(game.players, result.values, strict=True))
    other = f" Or use {settled_by(game)}." if may_be_solved_whole(game) else ""
    raise cannot_go_on(
        f"{result.solver} did not prove the value of {game.name} in {limits['time']:g} s; it knows {known}.",
        f"Allow more time (`--time`, in Python `time=`), or be content with `gdl search`.{other}",
    )


def _refuse_what_comes_back(game: AnyGame, position: Any) -> None:
    """Refuses a game of players whose interests differ in which a play can come back to a position, as far
    as a short look tells: no search that goes on proves its value. Where all plays pay the same, one does."""
    from solvers.core.starts import starts_of
    from solvers.registry import SMALL, never_settled
    from solvers.whole.graph import position_that_comes_back

    traits = game.traits
    opposed = traits.players == 1 or (traits.players == 2 and traits.zero_sum)
    if traits.acyclic or opposed or traits.hidden or all(low == high for low, high in traits.value_bounds):
        return
    found = position_that_comes_back(game, starts_of(game, position), SMALL)
    if found is not None:
        raise never_settled(game, found)


def _limits_to_prove(game: AnyGame, solver: str, time: float | None) -> dict[str, Any]:
    """How long a search may take to prove the value: to the end of the game, if there is one."""
    from solvers.agents.kinds import search_described
    from solvers.core.refusal import bad_option

    entry, written = search_described(solver, game)
    if not entry.proves:
        raise bad_option(
            f"{entry.name} estimates, and never proves a value", f"Use `gdl search --solver {solver}`."
        )
    if time is not None:
        return {"time": time}
    ends = entry.family == "search" and game.traits.acyclic
    return {} if ends or entry.function is not None or "time" in written else {"time": PATIENCE}
