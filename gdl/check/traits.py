"""The class of a game, inferred from its rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gdl.check.cycles import proven_acyclic
from gdl.diagnostics import Diagnostic, Severity, sort_diagnostics
from gdl.game import Traits
from gdl.model import nodes as m
from gdl.model.types import Bool, Int, Union
from gdl.model.walk import walk


def inferred(model: m.Model, zero_sum: bool, diagnostics: Iterable[Diagnostic]) -> m.Model:
    """The Model with its traits and warnings filled in."""
    drawing = [move for move in model.moves if _draws(model, move.body)]
    chance_player = isinstance(model.player.type, Union)
    names = [f"`{move.name}` (line {move.span.line})" for move in drawing]
    if chance_player:
        names.append(f"`player:` (line {model.player.span.line})")
    found = Traits(
        players=model.players.size,
        zero_sum=zero_sum,
        chance=bool(drawing) or chance_player,
        random_start=_draws(model, model.initial.body),
        hidden=any(v.visible is not None for v in model.variables)
        or any(move.secret for move in model.moves),
        acyclic=proven_acyclic(model),
        rewards=any(isinstance(part, m.Reward) for part in _everything(model)),
        discount=model.discount,
        utility_bounds=model.utility_bounds,
        endless=model.endless,
        chance_moves=tuple(names),
        minimise=model.minimise,
        whole=isinstance(model.utility.type, Int | Bool)
        and all(
            isinstance(part.amount.type, Int | Bool)
            for part in _everything(model)
            if isinstance(part, m.Reward)
        ),
    )
    warnings = tuple(d for d in sort_diagnostics(diagnostics) if d.severity is not Severity.ERROR)
    return replace(model, traits=found, warnings=warnings)


def _everything(model: m.Model) -> Iterable[Any]:
    for move in model.moves:
        yield from walk(move.body)
    for effect in model.effects.values():
        yield from walk(effect.body)


def _draws(model: m.Model, block: m.Block) -> bool:
    """Whether a block can draw, itself or through the effects it performs."""
    for part in walk(block):
        if isinstance(part, m.Draw | m.Chance):
            return True
        if isinstance(part, m.Perform) and model.effects[part.effect].draws:
            return True
    return False
