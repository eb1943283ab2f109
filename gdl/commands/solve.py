"""`gdl solve`: the value of a whole game, proven, with all best moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    Engine,
    EngineName,
    GameName,
    Json,
    Params,
    load_checked,
    print_facts,
    print_json,
)
from gdl.commands.solutions import in_words, parameters, progress_shown, show_result, work_done
from gdl.diagnostics.wording.phrases import amount_of_memory

if TYPE_CHECKING:
    from gdl.model.nodes import Model
    from solvers.agents.kinds import Agent
    from solvers.core.result import Result
    from solvers.whole.kernels.solve import Settings, Statistics

AnyGame = Any


def solve(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="NAME",
            help="backward_induction, retrograde, value_iteration or policy_iteration; chosen if not given.",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="POSITION", help="Solve from here: `name=value …`.")
    ] = None,
    epsilon: Annotated[
        float, typer.Option("--epsilon", metavar="E", help="How far apart proven bounds may be.")
    ] = 1e-9,
    exact: Annotated[
        bool, typer.Option("--exact", help="Prove the value in rational arithmetic; answer with a fraction.")
    ] = False,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            "-a",
            metavar="PLAYER=AGENT",
            help="This player follows a policy: the best response to it is found. May be repeated.",
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            "--simulations", metavar="N", min=2, help="With all --agent: estimate from so many plays."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="With --simulations: the same seed, the same plays."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE", help="Write what to play everywhere, as Parquet."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Keep all values as a tablebase.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Write a proof that `gdl verify` can check."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Look up in a tablebase or a policy instead of solving."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint", metavar="FILE", help="Where to leave checkpoints (beside --save if given)."
        ),
    ] = None,
    max_memory: Annotated[
        float | None,
        typer.Option("--max-memory", metavar="GB", min=0.001, help="Use no more than so much memory."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Refuse more positions than this.")
    ] = None,
    drop_edges: Annotated[
        bool, typer.Option("--drop-edges", help="Save memory: compute moves again instead of keeping edges.")
    ] = False,
    turns: Annotated[
        bool | None,
        typer.Option(
            "--turns/--no-turns",
            help="Keep only positions between turns (--no-turns: all); if not given, in large games.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, max=64, help="Partitions that work at once."),
    ] = None,
    estimate_only: Annotated[
        bool, typer.Option("--estimate", help="Only say about how large the game is.")
    ] = False,
    engine: EngineName = Engine.NATIVE,
    as_json: Json = False,
) -> None:
    """Solve a whole game: its true value and every best move.

    Visits all reachable positions and finds their values, also where play can go round in circles. Says which
    solver it took and why, and how the value is known: exactly, or between proven bounds. A game that is too
    large is refused before memory fills, with an estimate of its size.
    """
    from gdl.loading import game_of

    model = load_checked(game, params)
    described = game_of(model, engine.value)
    position = None if at is None else described.parse_position(at)
    if certificate is not None:
        elsewhere = bool(agent or turns or drop_edges or source is not None or estimate_only)
        _check_certifiable(certificate, elsewhere)
    if source is not None:
        _look_up(model, described, source, position, as_json)
        return
    if estimate_only:
        _estimate_only(_compiled(model, described), position, as_json)
        return
    agents = _agents(described, agent or [])
    if simulations is not None:
        _simulate(described, agents, position, simulations, seed, as_json)
        return
    given = _policies(agents)
    if given and described.traits.hidden:
        _evaluate(described, given, position, limit, as_json)
        return
    if engine is Engine.REFERENCE:
        if save is not None or policy is not None or checkpoint is not None or given:
            raise typer.BadParameter(
                "--save, --policy, --checkpoint and --agent need --engine native", param_hint="--engine"
            )
        _textbook(described, solver, position, epsilon, exact, limit, certificate, as_json)
        return
    run = _Run(model, described, position, solver, as_json)
    settings = run.settings(epsilon, exact, limit, max_memory, drop_edges, threads)
    if given:
        if turns:
            raise typer.BadParameter("--agent needs all positions", param_hint="--turns")
        run.against(given, [f"{described.players[i]}: {made}" for i, made in agents.items()], settings)
        return
    if turns and policy is not None:
        raise typer.BadParameter(
            "--policy lists all positions; --save keeps those between turns, which is enough to play by",
            param_hint="--turns",
        )
    where = checkpoint or (None if save is None else save.with_name(save.name + ".checkpoint"))
    if resume and where is None:
        raise typer.BadParameter("--resume needs --save or --checkpoint", param_hint="--resume")
    for path in (save, policy, where):
        if path is not None:
            from solvers.files.container import check_writable

            check_writable(path)
    all_positions = policy is not None or certificate is not None
    run.solve(settings, False if all_positions else turns, where, resume, policy, save, certificate)


def _check_certifiable(path: Path, elsewhere: bool) -> None:
    """Raises before the work what would stand in the way of a certificate after it."""
    from solvers.files.container import check_writable

    if elsewhere:
        raise typer.BadParameter(
            "a certificate is about best play for everybody, and needs all positions with their edges: it "
            "goes without --agent, --turns, --drop-edges, --from and --estimate",
            param_hint="--certificate",
        )
    check_writable(path)


class _Run:
    """One run of the native solvers."""

    def __init__(self, model: Model, game: AnyGame, position: Any, solver: str | None, as_json: bool):
        self.model = model
        self.game = game
        self.position = position
        self.as_json = as_json
        self.solver = solver
        self.reason = ""

    def settings(
        self,
        epsilon: float,
        exact: bool,
        limit: int | None,
        max_memory: float | None,
        drop_edges: bool,
        threads: int | None,
    ) -> Settings:
        from solvers.whole.kernels.breadth_first import DEFAULT_MEMORY, available_memory
        from solvers.whole.kernels.solve import Settings

        memory = int(max_memory * 1e9) if max_memory else int(DEFAULT_MEMORY * available_memory())
        return Settings(
            precision=epsilon,
            exact=exact,
            limit=limit,
            max_memory=memory,
            edges=not drop_edges,
            partitions=threads,
        )

    def solve(
        self,
        settings: Settings,
        turns: bool | None,
        where: Path | None,
        resume: bool,
        policy: Path | None,
        save: Path | None,
        certificate: Path | None,
    ) -> None:
        from solvers.core.refusal import Repeats, TooFine
        from solvers.registry import refuse

        ways = _ways(self.game, self.solver)
        for place, (solver, reason) in enumerate(ways, 1):
            self.reason = reason
            refuse(solver, self.game)
            try:
                self.by(solver, self.sized(solver, settings, turns), where, resume, policy, save, certificate)
                return
            except Repeats:
                if place == len(ways):
                    raise
            except TooFine:
                if save is not None or policy is not None or certificate is not None:
                    raise
                from solvers.whole.kernels.twins import in_rationals

                result = in_rationals(self.game, solver, self.position, settings.limit)
                self.show(result, None, None, None, None, None)
                return

    def by(
        self,
        solver: str,
        settings: Settings,
        where: Path | None,
        resume: bool,
        policy: Path | None,
        save: Path | None,
        certificate: Path | None,
    ) -> None:
        """Solves by one solver, shows the answer and writes what was asked for."""
        from dataclasses import replace

        from solvers.whole.kernels.checkpoint import Checkpoint
        from solvers.whole.kernels.solve import solve_whole

        checkpoint = None if where is None else Checkpoint(where, resume)
        rows = None
        try:
            with progress_shown() as (exploring, solving):
                settings = replace(settings, exploring=exploring, solving=solving, checkpoint=checkpoint)
                solved = solve_whole(self.game, solver, self.position, settings)
                facts = {"params": parameters(self.model), "from": self.start_text()}
                if save is not None:
                    from solvers.files import tablebase

                    tablebase.save(solved, save, facts)
                if policy is not None:
                    from solvers.files import strategy_file

                    rows = strategy_file.save(solved, policy, self.game.digest, facts, solving)
                if certificate is not None:
                    from solvers.files.certificate import certificate_of, write

                    write(certificate_of(solved, self.position, facts), certificate)
        except KeyboardInterrupt:
            if checkpoint is not None and checkpoint.path.exists():
                typer.echo(f"--resume goes on from {checkpoint.path}", err=True)
            raise
        if checkpoint is not None:
            checkpoint.remove()
        self.show(solved.result, solved.statistics, save, policy, rows, certificate)

    def against(self, given: dict[int, Any], names: list[str], settings: Settings) -> None:
        """Best response to policies, or what they are worth against each other."""
        from dataclasses import replace

        from solvers.core.refusal import TooFine
        from solvers.policies.kernels.against import in_rationals, solve_against
        from solvers.registry import refuse

        players = range(self.game.traits.players)
        free = [player for player in players if player not in given]
        if len(free) > 1:
            raise typer.BadParameter(
                "give an --agent to every player but one, or to all of them", param_hint="--agent"
            )
        self.reason = f"policies are given for {'all others' if free else 'everybody'} ({', '.join(names)})"
        refuse("best_response" if free else "policy_evaluation", self.game)
        player = free[0] if free else None
        try:
            settings = self.sized("value_iteration", settings, turns=False)
            with progress_shown() as (exploring, solving):
                settings = replace(settings, exploring=exploring, solving=solving)
                found = solve_against(self.game, given, player, self.position, settings)
        except TooFine:
            result = in_rationals(self.game, given, player, self.position, settings.limit)
            self.show(result, None, None, None, None, None)
            return
        self.show(found.result, found.statistics, None, None, None, None)

    def sized(self, solver: str, settings: Settings, turns: bool | None) -> Settings:
        """The settings; by turns where that was asked for, or where all positions might not fit memory.

        Refuses early what will not fit, with an estimate.
        """
        from solvers.whole.estimate.sizing import sized

        with progress_shown() as (_, solving):
            found = sized(self.game, solver, self.position, settings, turns, solving)
        if found.why:
            self.reason += f"; {found.why}"
        return found.settings

    def start_text(self) -> str | None:
        return None if self.position is None else str(self.game.format_position(self.position))

    # ------------------------------------------------------------------------------- results

    def show(
        self,
        result: Result,
        found: Statistics | None,
        save: Path | None,
        policy: Path | None,
        rows: int | None,
        certificate: Path | None,
    ) -> None:
        result = in_words(self.game, self.position, result)
        if self.as_json:
            print_json(
                {
                    **result.as_data(),
                    "reason": self.reason,
                    "from": self.start_text(),
                    "params": parameters(self.model),
                    "statistics": None if found is None else found.as_data(),
                    "tablebase": None if save is None else str(save),
                    "policy": None if policy is None else {"file": str(policy), "rows": rows},
                    "certificate": None if certificate is None else str(certificate),
                }
            )
            return
        show_result(self.model, self.game, result, self.reason)
        print_facts(_work(result) if found is None else list(work_done(result, found)), "work")
        files = []
        if save is not None and found is not None:
            files.append(("tablebase", f"{save}, {found.positions:,} positions"))
        if policy is not None:
            files.append(("policy", f"{policy}, {rows:,} positions with moves"))
        if certificate is not None:
            files.append(("certificate", f"{certificate}; `gdl verify` checks it"))
        print_facts(files, "written")


def _ways(game: AnyGame, solver: str | None) -> list[tuple[str, str]]:
    """Solvers of whole games with the reasons for them, to be tried one after another."""
    from solvers.registry import find, ways_to_solve

    if solver is None:
        return ways_to_solve(game)
    if find(solver).family != "graph":
        from solvers.core.refusal import Refusal

        raise Refusal(
            f"{solver} does not solve whole games.",
            "Use backward_induction, retrograde, value_iteration or policy_iteration.",
            "R003",
        )
    return [(solver, "")]


def _compiled(model: Model, game: AnyGame) -> AnyGame:
    from gdl.loading import game_of

    return game if hasattr(game, "compiled") else game_of(model, "native")


# ------------------------------------------------------------------------------ policies


def _agents(game: AnyGame, wishes: list[str]) -> dict[int, Agent]:
    """The agents of the players that were given one."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import no_such_player
    from solvers.agents.kinds import agent

    given: dict[int, Agent] = {}
    for wish in wishes:
        name, equals, text = wish.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"`{wish}` is not of the form PLAYER=AGENT", param_hint="--agent")
        if name not in game.players:
            raise GameError([no_such_player(name, game.players)])
        player = game.players.index(name)
        if player in given:
            raise typer.BadParameter(f"`{name}` is given two agents", param_hint="--agent")
        given[player] = agent(text.strip(), game)
    return given


def _policies(agents: dict[int, Agent]) -> dict[int, Any]:
    """The policies of agents, None for equally likely moves; refuses agents that are none."""
    from solvers.agents.kinds import RandomAgent

    return {
        player: None if isinstance(made, RandomAgent) else made.policy() for player, made in agents.items()
    }


def _simulate(
    game: AnyGame,
    agents: dict[int, Agent],
    position: Any,
    simulations: int,
    seed: int | None,
    as_json: bool,
) -> None:
    """What agents are worth against each other, by plays."""
    from gdl.playing.results import fresh_seed
    from gdl.playing.simulating import simulated

    missing = [name for player, name in enumerate(game.players) if player not in agents]
    if missing:
        raise typer.BadParameter(
            f"plays need an agent for everybody, and `{missing[0]}` has none", param_hint="--agent"
        )
    everyone = [agents[player] for player in range(len(game.players))]
    number = fresh_seed() if seed is None else seed
    _print(game, position, simulated(game, everyone, position, simulations, number), "", as_json)


def _evaluate(game: AnyGame, given: dict[int, Any], position: Any, limit: int | None, as_json: bool) -> None:
    """What policies are worth against each other where something is hidden: they need not see it."""
    from solvers.core.policies import uniform
    from solvers.policies.policy_evaluation import policy_evaluation
    from solvers.registry import refuse

    if len(given) < len(game.players):
        refuse("best_response", game)
    policies = {player: policy or uniform(game) for player, policy in given.items()}
    options = {} if limit is None else {"limit": limit}
    result = policy_evaluation(game, position, policies=policies, **options)
    _print(game, position, result, "policies are given for everybody", as_json)


# --------------------------------------------------------------------- other ways to answer


def _textbook(
    game: AnyGame,
    solver: str | None,
    position: Any,
    epsilon: float,
    exact: bool,
    limit: int | None,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """The textbook solvers, on the exact engine."""
    import solvers
    from solvers.core.refusal import Repeats
    from solvers.registry import find

    ways = _ways(game, solver)
    for place, (name, reason) in enumerate(ways, 1):
        if exact and solver is None and name == "value_iteration":
            name = "policy_iteration"
            reason = "a fraction was asked for, and positions are not proven never to repeat"
        options = {"limit": limit, "precision": epsilon}
        known = find(name).options
        used = {name: value for name, value in options.items() if name in known and value is not None}
        try:
            result = solvers.solve(game, name, position, **used)
        except Repeats:
            if place == len(ways):
                raise
            continue
        if certificate is not None:
            from solvers.files.certificate import certificate_of_result, write

            facts = {"params": parameters(game.model)}
            write(certificate_of_result(game, result, position, facts), certificate)
        _print(game, position, result, reason, as_json)
        if certificate is not None and not as_json:
            print_facts([("certificate", f"{certificate}; `gdl verify` checks it")], "written")
        return


def _print(game: AnyGame, position: Any, result: Result, reason: str, as_json: bool) -> None:
    result = in_words(game, position, result)
    if as_json:
        print_json({**result.as_data(), "reason": reason})
        return
    show_result(getattr(game, "model", None), game, result, reason)
    print_facts(_work(result), "work")


def _work(result: Result) -> list[tuple[str, str]]:
    positions = result.work.positions
    counted = [("positions", f"{positions:,}")] if positions else []
    return [*counted, ("time", f"{result.work.seconds:.3g} s")]


def _look_up(model: Model, game: AnyGame, source: Path, position: Any, as_json: bool) -> None:
    """What a tablebase or a strategy file says."""
    from solvers.files.container import MAGIC, bad_file

    try:
        with source.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise bad_file(source, error.strerror or str(error)) from None
    if start == MAGIC:
        from time import perf_counter

        from solvers.core.lookup import Lookup
        from solvers.core.result import Work
        from solvers.core.starts import starts_of
        from solvers.files.tablebase import Tablebase

        began = perf_counter()
        game = _compiled(model, game)
        table = Tablebase.open(source, game)
        work = Work(perf_counter() - began, positions=len(table))
        starts = starts_of(game, position)
        result = Lookup(game, table).result(
            str(table.facts["solver"]), starts, f"looked up in {source}", work
        )
        _print(game, position, result, "", as_json)
        return
    from solvers.files.strategy_file import StrategyFile

    strategy = StrategyFile.open(source, game)
    if position is None:
        position = game.initial()[0].position
    row = strategy.row(position)
    if row is None:
        raise bad_file(
            source, f"it says nothing about {game.format_position(position)}", "is the game over there?"
        )
    if as_json:
        print_json({"game": game.name, "file": str(source), **row})
        return
    facts = [
        ("position", row["position"]),
        ("to move", row["player"]),
        ("value", str(strategy.value(position))),
        ("best", "  ".join(row["best"])),
    ]
    if row["distance"] is not None:
        facts.append(("distance", f"{row['distance']} moves"))
    print_facts(facts, str(source))


def _estimate_only(game: AnyGame, position: Any, as_json: bool) -> None:
    from gdl.commands.info import shown_bound
    from solvers.whole.estimate.estimate import estimate
    from solvers.whole.estimate.sizing import about as roughly
    from solvers.whole.estimate.sizing import bytes_per_position

    with progress_shown() as (_, solving):
        size = estimate(game, position, report=solving)
    if as_json:
        print_json({"game": game.name, **size.as_data()})
        return
    about = "" if size.complete else "about "
    counted = f"{size.positions:,.0f}" if size.complete else f"{roughly(size)} by sampling"
    print_facts(
        [
            ("positions", counted),
            ("edges", f"{about}{size.edges:,.0f}" if size.complete else f"{about}{size.edges:.2g}"),
            ("in any case", f"{shown_bound(game.compiled.log2_positions)}: all combinations of values"),
            ("layers", f"{size.layers:,}"),
            (
                "memory",
                f"about {amount_of_memory(size.positions * bytes_per_position(game, 0) + 6 * size.edges)}",
            ),
        ],
        game.name,
    )
