"""`gdl solvers`: which solvers, agents and leaves there are, and which of them suit a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import Json, Params, load_game, print_facts, print_json, print_styled

if TYPE_CHECKING:
    from gdl.game import Game
    from solvers.registry import Kind, Row, Solver


def solvers(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game, to say which suit it; all without.")
    ] = None,
    params: Params = None,
    as_json: Json = False,
) -> None:
    """List the solvers, agents and leaves there are, with their options.

    Those that installed packages offer are among them. With a game, say of every solver whether it suits the
    game, and why not.
    """
    from solvers.registering import broken, names
    from solvers.registry import AGENTS, LEAVES, SOLVERS

    loaded = None if game is None else load_game(game, params)
    data: dict[str, Any] = {
        "solvers": [_solver(SOLVERS[name], loaded) for name in names("solver")],
        "agents": [_kind(AGENTS[name], loaded) for name in names("agent")],
        "leaves": [_kind(LEAVES[name], None) for name in names("leaf")],
        "broken": broken(),
    }
    if as_json:
        print_json(data)
        return
    if loaded is not None:
        print_styled((f"for {loaded.name}", "bold"))
    for title in ("solvers", "agents", "leaves"):
        print_facts([(row["name"], _said(row)) for row in data[title]], title)
    if data["broken"]:
        print_facts(list(broken().items()), "cannot be loaded")


def _solver(row: Solver, game: Game[Any, Any] | None) -> dict[str, Any]:
    from solvers.registry import applies

    refusal = None if game is None else applies(row, game)
    return {
        **_facts(row, row.name),
        "family": row.family,
        "summary": row.summary,
        "answer": row.answer,
        "agent": row.agent,
        "machine_code": row.kernel is not None,
        "unsuited": None if refusal is None else refusal.reason,
    }


def _kind(row: Kind, game: Game[Any, Any] | None) -> dict[str, Any]:
    blind = game is not None and game.traits.hidden and not row.hidden
    reason = f"{row.name} needs players who see the whole position." if blind else None
    return {**_facts(row, row.form), "summary": row.summary, "unsuited": reason}


def _facts(row: Row, written: str) -> dict[str, Any]:
    return {
        "name": row.name,
        "written": written,
        "ours": row.ours,
        "options": {option: row.option(option).meaning for option in row.options},
    }


def _said(row: Mapping[str, Any]) -> str:
    """What stands behind the name."""
    if row["unsuited"] is not None:
        return f"no: {row['unsuited']}"
    lines = [row["summary"] or "-"]
    if "answer" in row:
        lines.append(f"answer: {row['answer']}")
    if row["options"]:
        lines.append(f"options: {', '.join(row['options'])}")
    elif row["written"] != row["name"]:
        lines.append(row["written"])
    return "\n".join(lines)
