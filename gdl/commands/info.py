"""`gdl info`: the parts of a game as a 7-tuple, and the class of games it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2, log10, prod
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gdl.commands.arguments import (
    GameName,
    Json,
    Params,
    load_checked,
    number,
    print_facts,
    print_json,
    print_styled,
)
from gdl.commands.solutions import information_sets_shown

if TYPE_CHECKING:
    from gdl.diagnostics import Span
    from gdl.exploration import InformationSets
    from gdl.model.nodes import Model, Move, Parameter, Variable
    from gdl.symmetry import Symmetries


def info(
    game: GameName,
    params: Params = None,
    all_symmetries: Annotated[
        bool,
        typer.Option(
            "--symmetries", help="Take the time to look for symmetries, and say what breaks others."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the parts of a game, its class and its size.

    The seven parts (positions, moves, transitions, start, end, utility, player to move), the class of the
    game (players, sum, chance, information, cycles), bounds of its size, and its parameters.
    """
    model = load_checked(game, params)
    found = _symmetries(model, all_symmetries)
    known, words = _information(model)
    if as_json:
        data = {**_as_data(model), "symmetries": _symmetries_data(model, found)}
        print_json({**data, **_information_data(model, known)})
        return
    _show(model, found, words)
    if all_symmetries and found.refused:
        print_facts(list(_refused(model, found)), "not proven")


# ---------------------------------------------------------------------------- facts


def bits(model: Model) -> int:
    """How many bits hold a packed position."""
    from gdl.model.types import bits as bits_of

    return sum(variable.count * bits_of(variable.type) for variable in model.variables)


def position_bound(model: Model) -> float:
    """No more positions than combinations of values: the logarithm of their number to base 2."""
    return sum(variable.count * log2(_size(variable.type)) for variable in model.variables)


def move_bound(model: Model) -> int:
    """No more moves than combinations of parameters, over all declarations."""
    return sum(_combinations(move) for move in model.moves)


def _combinations(move: Move) -> int:
    return prod(_size(parameter.type) for parameter in move.parameters if parameter.domain is not None)


def _size(type_: Any) -> int:
    return int(type_.size)


def _as_data(model: Model) -> dict[str, Any]:
    from gdl.native.describe import layout_data
    from gdl.native.emit.masks import layout_of

    traits = model.traits
    return {
        "name": model.name,
        "about": model.doc,
        "class": model.traits.class_of_game,
        "players": [member.name for member in model.players.members],
        "zero_sum": traits.zero_sum,
        "chance": traits.chance,
        "chance_moves": list(traits.chance_moves),
        "random_start": traits.random_start,
        "hidden": traits.hidden,
        "acyclic": traits.acyclic,
        "rewards": traits.rewards,
        "discount": str(traits.discount),
        "endless": [str(value) for value in model.endless],
        "utility_bounds": [[str(low), str(high)] for low, high in model.utility_bounds],
        "bits": bits(model),
        "layout": layout_data(layout_of(model)),
        "log2_positions_at_most": position_bound(model),
        "moves_at_most": move_bound(model),
        "parameters": [_parameter_data(parameter) for parameter in model.parameters],
        "variables": [_variable_data(variable) for variable in model.variables],
        "moves": [_move_data(move) for move in model.moves],
        "functions": [name for name in model.functions if name.isidentifier()],
        "effects": list(model.effects),
        "tables": list(model.tables),
        "features": list(model.features),
        "policies": {name: policy.signature for name, policy in model.policies.items()},
        "expectations": len(model.expectations),
    }


def _parameter_data(parameter: Parameter) -> dict[str, Any]:
    from gdl.check.declarations import describe_parameter
    from gdl.model.types import show_value

    return {
        "name": parameter.name,
        "value": show_value(parameter.type, parameter.value),
        "default": show_value(parameter.type, parameter.default),
        "range": str(parameter.type) if parameter.bounded else None,
        "takes": describe_parameter(parameter.type, parameter.bounded),
    }


def _variable_data(variable: Variable) -> dict[str, Any]:
    from gdl.model.types import bits as bits_of

    return {
        "name": variable.name,
        "indices": [str(index) for index in variable.indices],
        "type": str(variable.type),
        "elements": variable.count,
        "bits": variable.count * bits_of(variable.type),
        "hidden": variable.visible is not None,
    }


def _move_data(move: Move) -> dict[str, Any]:
    return {
        "name": move.name,
        "parameters": [{"name": p.name, "type": str(p.type)} for p in move.parameters],
        "at_most": _combinations(move),
        "otherwise": move.otherwise,
        "secret": move.secret,
    }


QUICKLY = 20_000
"""Terms for symmetries that are found while somebody waits for something else."""


def _symmetries(model: Model, thoroughly: bool) -> Symmetries:
    from gdl.symmetry import symmetries
    from gdl.symmetry.grounding import MOST_TERMS

    return symmetries(model, MOST_TERMS if thoroughly else QUICKLY)


def _symmetries_data(model: Model, found: Symmetries) -> dict[str, Any]:
    return {
        "count": max(1, len(found.group)),
        "proven": [part.name for part in found.generators],
        "players_swapped": [part.name for part in found.swaps],
        "refused": [
            {"name": tried.name, "part": why.part, "line": _line(model, why.span)}
            for tried, why in found.refused
        ],
        "why_not": found.why_not,
    }


def _line(model: Model, span: Span) -> int:
    return span.source.line_column(span.start)[0]


LISTED = 2_000
"""Histories that are listed while somebody waits for something else."""


def _information(model: Model) -> tuple[InformationSets | None, str]:
    """The information sets of a game in which something is hidden, where histories are few, and words for
    them, or for why they are not counted."""
    from gdl.diagnostics import GameError
    from gdl.exploration import information_sets
    from gdl.loading import game_of

    if not model.traits.hidden:
        return None, ""
    try:
        known = information_sets(game_of(model), limit=LISTED)
    except GameError as broken:
        return None, f"a rule breaks ({broken.diagnostics[0].code}): `gdl explore` shows where"
    if known is None:
        return None, f"not counted here beyond {LISTED:,} histories: see `gdl explore`"
    return known, information_sets_shown([member.name for member in model.players.members], known)


def _information_data(model: Model, known: InformationSets | None) -> dict[str, Any]:
    names = [member.name for member in model.players.members]
    return {
        "information_sets": None if known is None else dict(zip(names, known.counts, strict=True)),
        "histories": None if known is None else known.histories,
    }


# ---------------------------------------------------------------------------- words


def _symmetries_shown(model: Model, found: Symmetries) -> str:
    if found.why_not is not None:
        where = f" (line {_line(model, found.where)})" if found.where is not None else ""
        return f"none found: {found.why_not}{where}"
    swaps = [f"{part.name}, values opposed" for part in found.swaps]
    if not found.generators:
        return "\n".join(["none proven", *swaps])
    lines = [part.name for part in found.generators] + swaps
    return "\n".join([f"{len(found.group)}, proven:", *lines])


def _refused(model: Model, found: Symmetries) -> Iterator[tuple[str, str]]:
    for tried, why in found.refused:
        yield tried.name, f"{why.part} (line {_line(model, why.span)})"


def _show(model: Model, found: Symmetries, information: str) -> None:
    print_styled((model.name, "bold"), (f": {model.traits.class_of_game}", ""))
    for line in model.doc.splitlines():
        print_styled((line, "dim"))
    parts = (("the game", _tuple), ("its class", _class), ("packed", _packed), ("parameters", _parameters))
    for title, rows in parts:
        facts = list(rows(model))
        if title == "its class":
            if information:
                facts.append(("information sets", information))
            facts.append(("symmetries", _symmetries_shown(model, found)))
        print_facts(facts, title)


def _tuple(model: Model) -> Iterator[tuple[str, str]]:
    """The seven parts."""
    variables = "\n".join(_variable(variable) for variable in model.variables if variable.counts is None)
    yield "S  positions", f"{variables}\n{shown_bound(position_bound(model))}, {bits(model)} bits each"
    yield "A  moves", "\n".join(_move(move) for move in model.moves) + f"\nat most {move_bound(model):,}"
    draws = model.traits.chance_moves
    yield (
        "T  transitions",
        f"random in {', '.join(draws)}" if draws else "random" if model.traits.chance else "certain",
    )
    yield "s_I  start", "drawn at random" if model.traits.random_start else "one position"
    stuck = _stuck(model)
    yield "S*  end", "\n".join(filter(None, (_text(model, "terminal"), stuck))) or "never"
    utility = "\n".join(filter(None, (_text(model, "utility"), stuck)))
    yield "utility", f"{utility}\n{_range(model)}" if utility else "nothing but what is paid on the way"
    yield "player", _text(model, "player") or f"always {model.players.members[0].name}"


def _class(model: Model) -> Iterator[tuple[str, str]]:
    traits = model.traits
    yield "players", ", ".join(member.name for member in model.players.members)
    if traits.players > 1:
        yield "sum", "zero" if traits.zero_sum else "not known to be zero"
    yield "chance", "yes" if traits.chance else "none"
    hidden = [variable.name for variable in model.variables if variable.visible is not None]
    hidden += [f"move {move.name}" for move in model.moves if move.secret]
    yield "information", f"hidden: {', '.join(hidden)}" if traits.hidden else "everyone sees everything"
    yield "cycles", "no play visits a position twice" if traits.acyclic else _endless(model)
    if traits.rewards:
        yield "rewards", "paid on the way"
    if traits.discount != 1:
        yield "discount", f"{traits.discount} a move"
    used = [name for name in (*model.functions, *model.effects, *model.tables) if name.isidentifier()]
    if used:
        yield "definitions", ", ".join(used)
    if model.features:
        yield "features", ", ".join(model.features)
    if model.policies:
        yield "policies", ", ".join(policy.signature for policy in model.policies.values())
    if model.expectations:
        yield "known values", f"{len(model.expectations)}, tested by `gdl test`"


def _packed(model: Model) -> Iterator[tuple[str, str]]:
    """How the native engine holds a position."""
    from gdl.native.describe import layout_data
    from gdl.native.emit.masks import layout_of

    layout = layout_data(layout_of(model))
    words = layout["key_words"]
    yield "key", f"{layout['key_bits']} bits, in {words} word{'s' if words > 1 else ''} of 64"
    yield "working form", f"{layout['bytes']} bytes"
    for part in layout["variables"]:
        bits_each = part["key_bits_each"]
        each = f"{part['elements']} x {bits_each}" if part["elements"] > 1 else f"{bits_each}"
        each += " bit" if each == "1" else " bits"
        yield part["variable"], f"{each} from bit {part['key_bit']}; at byte {part['offset']}"
    for part in layout["planes"]:
        yield f"{part['variable']}, planes", f"{', '.join(part['values'])}; at byte {part['offset']}"


def _parameters(model: Model) -> Iterator[tuple[str, str]]:
    for data in map(_parameter_data, model.parameters):
        default = "" if data["value"] == data["default"] else f"   (default {data['default']})"
        yield data["name"], f"{data['value']}{default}   {data['takes']}"


def _variable(variable: Variable) -> str:
    if variable.length is not None:
        *outer, places = variable.indices
        shown = f"[{', '.join(map(str, outer))}]" if outer else ""
        return f"{variable.name}{shown}: list({places.size}) of {variable.type}"  # type: ignore[union-attr]
    indices = f"[{', '.join(str(index) for index in variable.indices)}]" if variable.indices else ""
    return f"{variable.name}{indices}: {variable.type}"


def _move(move: Move) -> str:
    parameters = ", ".join(f"{p.name}: {p.type}" for p in move.parameters)
    suffix = " otherwise" if move.otherwise else ""
    prefix = "secret " if move.secret else ""
    return f"{prefix}{move.name}{f'({parameters})' if parameters else ''}{suffix}"


def shown_bound(exponent: float) -> str:
    """`at most 16,384`, `at most 10^23.9 (2^79.3)`: 2 to an exponent, never too low."""
    if exponent < 30:
        return f"at most {round(2**exponent):,}"
    tens, twos = (ceil(10 * power - 1e-9) / 10 for power in (exponent * log10(2), exponent))
    return f"at most 10^{tens:.1f} (2^{twos:.1f})"


def _range(model: Model) -> str:
    names = [member.name for member in model.players.members]
    ranges = [f"{number(low)} to {number(high)}" for low, high in model.utility_bounds]
    if len(set(ranges)) == 1:
        return f"from {ranges[0]}"
    return "\n".join(f"{name}: from {range_}" for name, range_ in zip(names, ranges, strict=True))


def _endless(model: Model) -> str:
    values = [number(value) for value in model.endless]
    worth = values[0] if len(set(values)) == 1 else f"({', '.join(values)})"
    return f"not ruled out, `gdl explore` looks for them; a play without end is worth {worth}"


def _text(model: Model, section: str) -> str:
    """The author's own words for a part, empty where the game does without it."""
    return _words(getattr(model, section).span, section)


def _stuck(model: Model) -> str:
    """The section `stuck:`, which the Model keeps as part of the end and of the utility."""
    spans = [model.terminal.span, *(function.span for function in model.functions.values())]
    return next(filter(None, (_words(span, "stuck") for span in spans)), "")


def _words(span: Span, section: str) -> str:
    text = span.text
    return "\n".join(line.strip() for line in text.splitlines()[:4]) if text.startswith(section) else ""
