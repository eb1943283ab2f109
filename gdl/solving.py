"""Solving whole games and evaluating policies: what `gdl solve` does, for Python and for the command.

Compiled games are solved by machine code, within memory, with checkpoints and files of what was found; games
of any other engine, and classes of one's own, by the textbook solvers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.answers import AnyGame, described, params_of, position_of
from gdl.game import Game

if TYPE_CHECKING:
    from solvers.agents.agent import Agent
    from solvers.core.result import Result, Written
    from solvers.whole.kernels.solve import Settings

PLAYS = 1_000
"""How many plays say what agents are worth that are no policies to compute with."""


@dataclass(frozen=True, slots=True)
class Files:
    """What is written once a game is solved."""

    save: Path | None = None  # a tablebase
    policy: Path | None = None  # a strategy file, as Parquet
    certificate: Path | None = None

    def __bool__(self) -> bool:
        return any(path is not None for path in (self.save, self.policy, self.certificate))


def solve(
    game: AnyGame,
    solver: str | None = None,
    *,
    at: Any = None,
    exact: bool = False,
    precision: float = 1e-9,
    memory: str | float | None = None,
    limit: int | None = None,
    progress: bool | None = False,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    save: str | Path | None = None,
    policy: str | Path | None = None,
    certificate: str | Path | None = None,
    turns: bool | None = None,
    edges: bool = True,
    threads: int | None = None,
) -> Result:
    """The value of a whole game, proven, with all best moves: what `gdl solve` prints.

    solver       one of `solvers.registry`; without, the one that suits the game, and `reason` says why
    at           a position, or its text, to solve from
    exact        prove the value in rational arithmetic, and answer with a fraction
    precision    how far apart proven bounds may be
    memory       use no more than so much: "2GB", or bytes
    limit        refuse more positions than this, without an estimate beforehand
    progress     say on standard error how far it is (None: where that is a terminal)
    checkpoint   a file to leave what is known so far, and `resume` goes on from it
    save, policy, certificate    files to write: a tablebase, a strategy file, a proof for `verify`
    turns, edges, threads        see `gdl solve --help`: --turns, --drop-edges, --threads

    Raises Refusal for what does not apply to the game or does not fit, before memory fills.

    >>> import gdl
    >>> result = gdl.solve(gdl.load("tictactoe"))
    >>> result.value, result.kind, result.to_move, len(result.best)
    (0.0, 'exact', 'x', 9)
    >>> gdl.solve(gdl.load("pig", goal=5), exact=True).arithmetic
    'rational'
    """
    from solvers.core.refusal import Repeats, bad_option
    from solvers.files.container import check_writable
    from solvers.registry import find, refuse

    _check_game(game)
    position = position_of(game, at)
    files = Files(*(None if path is None else Path(path) for path in (save, policy, certificate)))
    where = None if checkpoint is None else Path(checkpoint)
    for path in (files.save, files.policy, files.certificate, where):
        if path is not None:
            check_writable(path)
    if solver is not None and find(solver).family in ("search", "simulation"):
        return _searched(game, solver, position)
    ways = _ways(game, solver)
    if getattr(game, "compiled", None) is None:
        if files.save or files.policy or where:
            raise bad_option(
                f"{game.name} is not compiled: no tablebase, no policy and no checkpoint is written",
                'Load it with engine="native".',
            )
        run: _Textbook | _Native = _Textbook(game, position, precision, exact and solver is None, limit)
    else:
        settings = _settings(precision, exact, limit, memory, edges, threads)
        if files.policy is not None or files.certificate is not None:
            turns = False  # both list all positions
        run = _Native(game, position, settings, turns, where, resume, progress)
    for place, (name, reason) in enumerate(ways, 1):
        refuse(name, game)
        try:
            return run.by(name, reason, files)
        except Repeats:
            if place == len(ways):
                raise
    raise AssertionError("there is always a way, or a refusal")


def evaluate(
    game: AnyGame,
    agents: Mapping[str, str | Agent] | None = None,
    *,
    at: Any = None,
    exact: bool = False,
    precision: float = 1e-9,
    memory: str | float | None = None,
    limit: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    progress: bool | None = False,
    threads: int | None = None,
    **players: str | Agent,
) -> Result:
    """What play by given agents is worth to each player: `gdl.evaluate(game, first="random", second="best")`.

    Agents are described as for `agent`, by the names of their players, as arguments or in a mapping. "best",
    or no agent, is a best response to the others: one player at most, unless all play best. Where all others
    are policies the answer is exact or between proven bounds, over all positions. With `simulations`, and
    where an agent is no policy (mcts, pimc), it is an estimate from so many plays, 1,000 if not said.

    >>> import gdl
    >>> gdl.evaluate(gdl.load("tictactoe"), x="random", o="random").value  # 737/1260 won, 363/1260 lost
    Fraction(187, 630)
    """
    from solvers.core.refusal import Refusal, bad_option

    _check_game(game)
    position = position_of(game, at)
    made = seated(game, {**(agents or {}), **players})
    free = [player for player in range(len(game.players)) if made.get(player, BEST) is BEST]
    if simulations is None and len(free) == len(game.players):
        return solve(game, at=position, exact=exact, precision=precision, memory=memory, limit=limit,
                     progress=progress, threads=threads)  # fmt: skip
    given = {player: one for player, one in made.items() if one is not BEST}
    try:
        policies = None if simulations is not None else _policies(given)
    except Refusal:
        if free:
            raise
        policies = None
    if policies is None:
        return _simulated(game, made, position, simulations or PLAYS, seed)
    if len(free) > 1:
        raise bad_option(
            f"{' and '.join(game.players[player] for player in free)} cannot both respond best",
            "Give an agent to every player but one, or to all of them.",
        )
    names = ", ".join(f"{game.players[player]}: {one}" for player, one in given.items())
    reason = f"policies are given for {'all others' if free else 'everybody'} ({names})"
    if getattr(game, "compiled", None) is None or (game.traits.hidden and not free):
        return described(game, position, _by_textbook(game, policies, free, position, limit), reason)
    from gdl.progress import progress_shown
    from solvers.core.refusal import TooFine
    from solvers.policies.kernels.against import in_rationals, solve_against
    from solvers.registry import refuse
    from solvers.whole.estimate.sizing import sized

    refuse("best_response" if free else "policy_evaluation", game)
    settings = _settings(precision, exact, limit, memory, True, threads)
    player = free[0] if free else None
    try:
        with progress_shown(progress) as (exploring, solving):
            settings = sized(game, "value_iteration", position, settings, False, solving).settings
            settings = replace(settings, exploring=exploring, solving=solving)
            result = solve_against(game, policies, player, position, settings).result
    except TooFine:
        result = in_rationals(game, policies, player, position, limit)
    return described(game, position, result, reason)


# -------------------------------------------------------------------------- whole games


@dataclass(frozen=True, slots=True)
class _Textbook:
    """One run of the solvers of any game."""

    game: AnyGame
    position: Any
    precision: float
    exactly: bool  # take a solver that answers with a fraction
    limit: int | None

    def by(self, solver: str, reason: str, files: Files) -> Result:
        from solvers.registry import find

        tried = solver
        if self.exactly and solver == "value_iteration":
            solver = "policy_iteration"
        options = {"limit": self.limit, "precision": self.precision}
        entry = find(solver)
        used = {name: value for name, value in options.items() if name in entry.options and value is not None}
        result: Result = entry.load()(self.game, self.position, **used)
        reason = _reason(tried, reason, result, self.exactly)
        written: list[Written] = []
        if files.certificate is not None:
            from solvers.files.certificate import certificate_of_result, write

            facts = {"params": dict(params_of(self.game))}
            write(certificate_of_result(self.game, result, self.position, facts), files.certificate)
            written.append(_certified(files.certificate))
        return replace(described(self.game, self.position, result, reason), written=tuple(written))


@dataclass(frozen=True, slots=True)
class _Native:
    """One run of the solvers of compiled games."""

    game: AnyGame
    position: Any
    settings: Settings
    turns: bool | None
    where: Path | None  # checkpoints
    resume: bool
    progress: bool | None

    def by(self, solver: str, reason: str, files: Files) -> Result:
        """Solves by one solver and writes what was asked for."""
        from gdl.progress import progress_shown
        from solvers.core.refusal import TooFine
        from solvers.whole.estimate.sizing import sized
        from solvers.whole.kernels.checkpoint import Checkpoint
        from solvers.whole.kernels.solve import solve_whole
        from solvers.whole.kernels.twins import in_rationals

        checkpoint = None if self.where is None else Checkpoint(self.where, self.resume)
        try:
            with progress_shown(self.progress) as (exploring, solving):
                found = sized(self.game, solver, self.position, self.settings, self.turns, solving)
                if found.why:
                    reason += f"; {found.why}"
                settings = replace(
                    found.settings, exploring=exploring, solving=solving, checkpoint=checkpoint
                )
                solved = solve_whole(self.game, solver, self.position, settings)
                written = self._write(solved, files, solving)
        except TooFine:
            if files:
                raise
            result = in_rationals(self.game, solver, self.position, self.settings.limit)
            reason = _reason(solver, reason, result, self.settings.exact)
            return described(self.game, self.position, result, reason)
        if checkpoint is not None:
            checkpoint.remove()
        reason = _reason(solver, reason, solved.result, self.settings.exact)
        return replace(described(self.game, self.position, solved.result, reason), written=tuple(written))

    def _write(self, solved: Any, files: Files, report: Callable[[str, float], None]) -> list[Written]:
        from solvers.core.result import Written

        start = None if self.position is None else self.game.format_position(self.position)
        facts = {"params": dict(params_of(self.game)), "from": start}
        written = []
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


def _searched(game: AnyGame, solver: str, position: Any) -> Result:
    """The answer of a search that goes on to the end of the game."""
    from gdl.searching import search
    from solvers.core.refusal import bad_option
    from solvers.registry import choose, find, refuse

    refuse(solver, game)
    if find(solver).repeats == "limited" and not game.traits.acyclic:
        raise bad_option(
            f"positions of {game.name} may come back, and {solver} would look ahead for ever.",
            f"Use {choose(game)[0]}, or give the search a limit (gdl search).",
        )
    return search(game, solver, at=position)


def _certified(path: Path) -> Written:
    from solvers.core.result import Written

    return Written("certificate", str(path), "; `gdl verify` checks it")


def _reason(tried: str, reason: str, result: Result, exact: bool) -> str:
    """Why the solver answered that did: with fractions asked for, or needed, another than was tried."""
    asked = "a fraction was asked for" if exact else ""
    if result.solver == tried:
        return "; ".join(filter(None, (reason, asked)))
    if reason:
        reason = "positions are not proven never to repeat"
    return f"{reason or f'in place of {tried}'}, and {asked or 'rationals settle it'}"


def _ways(game: AnyGame, solver: str | None) -> list[tuple[str, str]]:
    """Solvers of whole games with the reasons for them, to be tried one after another."""
    from solvers.core.refusal import bad_option
    from solvers.registry import find, ways_to_solve

    if solver is None:
        return ways_to_solve(game)
    if find(solver).family == "policy":
        raise bad_option(f"{solver} needs policies.", "Use `gdl.evaluate`, or `gdl solve --agent`.")
    return [(solver, "")]


def _settings(
    precision: float,
    exact: bool,
    limit: int | None,
    memory: str | float | None,
    edges: bool,
    threads: int | None,
) -> Settings:
    from solvers.whole.kernels.solve import Settings

    most = None if memory is None else bytes_of(memory)
    return Settings(float(precision), exact, limit, most, edges, threads)


# ------------------------------------------------------------------------------ policies

BEST = "best"
"""In the place of an agent: the best response to the others."""


def seated(game: AnyGame, agents: Mapping[str, Any]) -> dict[int, Any]:
    """The agents by the number of their player, made from their descriptions; BEST stays as it is."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import no_such_player
    from solvers.agents.kinds import agent
    from solvers.agents.seated import Seated

    made: dict[int, Any] = {}
    for name, one in agents.items():
        if name not in game.players:
            raise GameError([no_such_player(name, game.players)])
        if isinstance(one, str):
            one = BEST if one == BEST else agent(one, game)
        made[game.players.index(name)] = one.agent if isinstance(one, Seated) else one
    return made


def _policies(agents: Mapping[int, Agent]) -> dict[int, Any]:
    """The policies of agents, None for equally likely moves; refuses agents that are none."""
    from solvers.agents.simple import RandomAgent

    return {
        player: None if isinstance(made, RandomAgent) else made.policy() for player, made in agents.items()
    }


def _simulated(
    game: AnyGame, agents: Mapping[int, Any], at: Any, simulations: int, seed: int | None
) -> Result:
    """What agents are worth against each other, by plays."""
    from gdl.playing.results import fresh_seed
    from gdl.playing.simulating import simulated
    from solvers.agents.kinds import agent
    from solvers.core.refusal import bad_option

    missing = [name for player, name in enumerate(game.players) if player not in agents]
    if missing:
        raise bad_option(f"plays need an agent for everybody, and `{missing[0]}` has none")
    everyone = [agent(BEST, game) if agents[p] is BEST else agents[p] for p in range(len(game.players))]
    number = fresh_seed() if seed is None else seed
    return described(game, at, simulated(game, everyone, at, simulations, number))


def _by_textbook(
    game: AnyGame, policies: Mapping[int, Any], free: Sequence[int], at: Any, limit: int | None
) -> Result:
    """Over the graph of any game; where something is hidden, policies need not see it."""
    from solvers.core.policies import uniform
    from solvers.registry import find, refuse

    functions = {player: one or uniform(game) for player, one in policies.items()}
    limits = {} if limit is None else {"limit": limit}
    if not free:
        return find("policy_evaluation").textbook(game, at, policies=functions, **limits)  # type: ignore[no-any-return]
    refuse("best_response", game)
    best = find("best_response").textbook
    return best(game, at, against=functions, player=free[0], **limits)  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------ arguments


def bytes_of(memory: str | float) -> int:
    """A size of memory: bytes, or text such as "2GB" or "500 MB".

    >>> bytes_of("2GB"), bytes_of("1.5 MiB"), bytes_of(10_000)
    (2000000000, 1572864, 10000)
    """
    from solvers.core.refusal import bad_option

    found = re.fullmatch(r"\s*([\d.]+(?:[eE]\d+)?)\s*([kKMGT]?)(i?)B?\s*", str(memory))
    try:
        number = float(found[1]) if found else 0.0
    except ValueError:
        number = 0.0
    if found is None or number <= 0:
        raise bad_option(f"{memory!r} is no size of memory", 'Give bytes, or a text such as "2GB".')
    return int(number * (1024 if found[3] else 1000) ** " KMGT".index(found[2].upper() or " "))


def _check_game(game: object) -> None:
    from solvers.core.refusal import bad_option

    if not isinstance(game, Game):
        raise bad_option(f"{game!r} is no game", 'Load one: `gdl.load("tictactoe")`.')
