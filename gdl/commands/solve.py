"""`gdl solve`: the value of a whole game, proven, with all best moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from gdl.commands.arguments import (
    FastEngine,
    GameName,
    Json,
    MovesFirst,
    Params,
    StartsAt,
    load_checked,
    play_by,
    print_facts,
    print_json,
)
from gdl.commands.solutions import show_plan, show_result
from gdl.diagnostics.wording.phrases import amount_of_memory

if TYPE_CHECKING:
    from gdl.model.nodes import Model
    from solvers.agents.agent import Agent
    from solvers.core.result import Result

AnyGame = Any


def solve(
    game: GameName,
    params: Params = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            metavar="NAME",
            help="backward_induction, retrograde, value_iteration, policy_iteration, or a search that proves "
            "the value, such as `alphabeta`; where something is hidden sequence_form, or with options "
            "cfr_plus, discounted_cfr, pcfr_plus, linear_cfr, cfr, mccfr(sampling=outcome); chosen if not "
            "given.",
        ),
    ] = None,
    at: StartsAt = None,
    moves: MovesFirst = None,
    precision: Annotated[
        float | None,
        typer.Option(
            "--precision",
            metavar="E",
            help="How far apart proven bounds may be, 1e-9 without; in games with hidden information what a "
            "policy may lose, 1/10000 of the most that is paid without.",
        ),
    ] = None,
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
            "--simulations",
            metavar="N",
            min=2,
            help="With --agent for all: estimate from so many plays. Where something is hidden, with --agent "
            "for all but one: learn a response from them.",
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
        typer.Option("--load", metavar="FILE", help="Look up in a tablebase or a policy instead of solving."),
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
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Use no more memory than this: `2GB`, `500MB`."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Refuse more positions, or histories, than this."),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(
            "--time",
            metavar="S",
            min=0.001,
            help="Seconds for value_iteration, for regrets to be minimised, or for a search to prove.",
        ),
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
    symmetry: Annotated[
        bool | None,
        typer.Option(
            "--symmetry/--no-symmetry",
            help="Take positions that differ by a proven symmetry for one; if not given, in large games.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, max=64, help="Partitions that work at once."),
    ] = None,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Only say how it would be solved: solver, memory, time, and why.")
    ] = False,
    estimate_only: Annotated[
        bool, typer.Option("--estimate", help="Only say about how large the game is.")
    ] = False,
    engine: FastEngine = None,
    as_json: Json = False,
) -> None:
    """Solve a whole game: its true value and every best move.

    Visits all reachable positions and finds their values, also where play can go round in circles. Says which
    solver it took and why, and how the value is known: exactly, or between proven bounds. A game that is too
    large is refused before memory fills, with an estimate of its size.
    """
    from gdl import solving
    from gdl.answers import position_of
    from solvers.core.memory import bytes_of

    if precision is not None and not precision > 0:
        raise typer.BadParameter(
            f"bounds can never be {precision} apart: use a number above 0", param_hint="--precision"
        )
    if memory is not None:
        bytes_of(memory)  # refuses what is no size, whatever is asked
    model = load_checked(game, params)
    described = play_by(model, engine)
    position = position_of(described, at, moves)
    if certificate is not None and (agent or turns or drop_edges or source is not None or estimate_only):
        raise typer.BadParameter(
            "a certificate is about best play for everybody, and needs all positions with their edges: it "
            "goes without --agent, --turns, --drop-edges, --load and --estimate",
            param_hint="--certificate",
        )
    if source is not None:
        _look_up(model, described, source, position, as_json)
        return
    if estimate_only:
        _estimate_only(_compiled(model, described), position, as_json)
        return
    common: dict[str, Any] = {
        "at": position,
        "exact": exact,
        "precision": precision,
        "memory": memory,
        "limit": limit,
        "progress": None,
        "threads": threads,
    }
    agents = _agents(described, agent or [])
    how = {"turns": turns, "symmetry": symmetry, "drop_edges": drop_edges, "time": time, **common}
    if agents or simulations is not None:
        if turns:
            raise typer.BadParameter("--agent needs all positions", param_hint="--turns")
        if plan_only:
            raise typer.BadParameter("a plan is about best play for everybody", param_hint="--plan")
        _evaluate(described, agents, simulations, seed, common, as_json)
    elif plan_only:
        listed = policy is not None or certificate is not None
        show_plan(solving.plan(described, "solve", solver, listed=listed, **how), as_json)
    else:
        _solve(described, solver, how, _Files(save, policy, certificate, checkpoint, resume), as_json)


class _Files(NamedTuple):
    """What is kept of the answer and of the work."""

    save: Path | None
    policy: Path | None
    certificate: Path | None
    checkpoint: Path | None
    resume: bool

    def check(self, game: AnyGame, turns: bool | None) -> None:
        """Refuses what cannot be kept."""
        if turns and self.policy is not None:
            raise typer.BadParameter(
                "--policy lists all positions; --save keeps those between turns, which is enough to play by",
                param_hint="--turns",
            )
        if self.resume and self.where is None:
            raise typer.BadParameter("--resume needs --save or --checkpoint", param_hint="--resume")
        wanted = self.save is not None or self.policy is not None or self.checkpoint is not None
        if wanted and not hasattr(game, "compiled"):
            raise typer.BadParameter(
                "--save, --policy and --checkpoint need --engine native", param_hint="--engine"
            )

    @property
    def where(self) -> Path | None:
        """Where checkpoints are left."""
        beside = None if self.save is None else self.save.with_name(self.save.name + ".checkpoint")
        return self.checkpoint or beside


def _evaluate(
    game: AnyGame,
    agents: dict[str, Agent],
    simulations: int | None,
    seed: int | None,
    common: dict[str, Any],
    as_json: bool,
) -> None:
    """What the game is worth where players follow given agents."""
    from gdl.evaluating import evaluate

    _check_agents(game, agents, simulations)
    _print(evaluate(game, agents, simulations=simulations, seed=seed, **common), as_json)


def _solve(game: AnyGame, solver: str | None, how: dict[str, Any], files: _Files, as_json: bool) -> None:
    """What it is worth where everybody plays best."""
    from gdl import solving

    files.check(game, how["turns"])
    if files.resume and files.where is not None and not files.where.exists():
        typer.echo(f"there is no {files.where} to go on from: begins anew", err=True)
    try:
        result = solving.solve(
            game,
            solver,
            checkpoint=files.where,
            resume=files.resume,
            save=files.save,
            policy=files.policy,
            certificate=files.certificate,
            **how,
        )
    except KeyboardInterrupt:
        _tell(files.where)
        raise
    _print(result, as_json)
    if result.partial:
        _tell(files.where)


def _tell(checkpoint: Path | None) -> None:
    """Of what is left of work that is not done."""
    if checkpoint is not None and checkpoint.exists():
        typer.echo(f"--resume goes on from {checkpoint}", err=True)


def _print(result: Result, as_json: bool) -> None:
    if not as_json:
        show_result(result)
        return
    files: dict[str, Any] = dict.fromkeys(("tablebase", "policy", "certificate"))
    for kind, file, _, rows in result.written:
        files[kind] = {"file": file, "rows": rows} if kind == "policy" else file
    print_json({**result.as_data(), **files})


def _compiled(model: Model, game: AnyGame) -> AnyGame:
    from gdl.loading import game_of

    return game if hasattr(game, "compiled") else game_of(model, "native")


def _agents(game: AnyGame, wishes: list[str]) -> dict[str, Agent]:
    """The agents of the players that were given one."""
    from gdl.diagnostics import GameError
    from gdl.diagnostics.commands import no_such_player
    from solvers.agents.kinds import agent

    given: dict[str, Agent] = {}
    for wish in wishes:
        name, equals, text = wish.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"`{wish}` is not of the form PLAYER=AGENT", param_hint="--agent")
        if name not in game.players:
            raise GameError([no_such_player(name, game.players)])
        if name in given:
            raise typer.BadParameter(f"`{name}` is given two agents", param_hint="--agent")
        given[name] = agent(text.strip(), game)
    return given


def _check_agents(game: AnyGame, agents: dict[str, Agent], simulations: int | None) -> None:
    missing = [name for name in game.players if name not in agents]
    if simulations is not None and missing and not (game.traits.hidden and len(missing) == 1):
        raise typer.BadParameter(
            f"plays need an agent for everybody, and `{missing[0]}` has none", param_hint="--agent"
        )
    if len(missing) > 1:
        raise typer.BadParameter(
            "give an --agent to every player but one, or to all of them", param_hint="--agent"
        )
    if simulations is None and not game.traits.hidden:
        for one in agents.values():
            one.policy()  # refuses, with a hint at --simulations, what is none


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

        from gdl.answers import described
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
        _print(described(game, position, result), as_json)
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
    from gdl.progress import progress_shown
    from solvers.whole.estimate.estimate import estimate
    from solvers.whole.estimate.sizing import about as roughly
    from solvers.whole.estimate.sizing import memory_needed

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
            ("memory", f"about {amount_of_memory(memory_needed(game, size, not game.traits.acyclic))}"),
        ],
        game.name,
    )
