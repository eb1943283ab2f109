"""Paranoid: the player to move against all others, who are expected to join in hurting that player.

With three players or more the others have interests of their own, so the value is what the player can be
sure of, not what will happen. It makes two sides of many, so alpha-beta prunes as in a duel.

Sturtevant & Korf 2000, 'On pruning techniques for multi-player games'.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gdl.game import Game
from solvers.core.budget import Budget
from solvers.core.leaves import Leaf
from solvers.core.result import Result
from solvers.core.root_search import Observer
from solvers.core.starts import player_to_move, starts_of
from solvers.registry import refuse
from solvers.search.alphabeta import AlphaBeta
from solvers.search.expectiminimax import Expectiminimax
from solvers.views.coalition import Coalition


def paranoid(
    game: Game[Any, Any],
    at: Any = None,
    *,
    player: int | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    time: float | None = None,
    leaf: Leaf | None = None,
    observer: Observer | None = None,
) -> Result:
    """What a player (the one to move, unless given) can be sure of; nothing is said about the others.

    Alpha-beta where there is no chance, expectiminimax where there is.
    """
    refuse("paranoid", game)
    me = player_to_move(game, at) if player is None else player
    duel = Coalition(game, me)
    judge = None if leaf is None else lambda position: duel.pays(leaf(position))
    search_of = Expectiminimax if game.traits.chance else AlphaBeta
    search = search_of(duel, Budget(nodes, time), judge)
    name = game.players[me]
    found = search.solve(
        at, depth, f"{name} against all others together ({search.name})", deepen=True, observer=observer
    )
    mine = found.values[0]
    assert mine is not None
    # In a duel the one other player gets the opposite; among several nothing is known of each.
    other = -mine if game.traits.players == 2 and game.traits.zero_sum else None
    values = tuple(mine if i == me else other for i in range(game.traits.players))
    mover = game.to_move(starts_of(game, at)[0].position)
    to_move = None if found.to_move is None else game.players[mover]
    return replace(found, solver="paranoid", values=values, players=game.players, to_move=to_move)
