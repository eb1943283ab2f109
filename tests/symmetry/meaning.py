"""What terms mean in a position, and what permutations make of one: written for the tests alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from gdl.game import CHANCE, TERMINAL
from gdl.model.types import SetOf, Tuple, Type, from_ordinal, ordinal
from gdl.reference.engine import ReferenceGame
from gdl.symmetry.grounding import Ground, Rules
from gdl.symmetry.permutation import Permutation


def atoms_in(game: ReferenceGame, position: Any) -> list[Any]:
    """The values of the atoms of a position, in order."""
    types = [v.type for v in game.model.variables for _ in range(v.count)]
    return [
        part for type_, value in zip(types, position.values, strict=True) for part in _split(type_, value)
    ]


def _split(type_: Type, value: Any) -> list[Any]:
    if isinstance(type_, Tuple):
        return [part for t, v in zip(type_.fields, value, strict=True) for part in _split(t, v)]
    if isinstance(type_, SetOf):
        return [bool(value >> k & 1) for k in range(type_.element.size)]
    return [value]


def moved(ground: Ground, permutation: Permutation, atoms: list[Any]) -> list[Any]:
    """What a permutation makes of a position."""
    result = list(atoms)
    for a, value in enumerate(atoms):
        by, type_ = permutation.by[a], ground.atoms[a].type
        if by is not None:
            value = from_ordinal(type_, by[ordinal(type_, value)])
        result[permutation.to[a]] = value
    return result


def position_of(game: ReferenceGame, atoms: list[Any]) -> Any:
    """The position that has these atoms."""
    left = iter(atoms)

    def joined(type_: Type) -> Any:
        if isinstance(type_, Tuple):
            return tuple(joined(part) for part in type_.fields)
        if isinstance(type_, SetOf):
            return sum(1 << k for k in range(type_.element.size) if next(left))
        return next(left)

    values = tuple(joined(v.type) for v in game.model.variables for _ in range(v.count))
    start = game.initial()[0].position
    return type(start)(values, game)


def meaning(ground: Ground, term: int, atoms: list[Any]) -> Any:
    """The value of a term in a position."""
    key = ground.terms.keys[term]

    def value(part: int) -> Any:
        return meaning(ground, part, atoms)

    match key[0]:
        case "const":
            return key[2]
        case "atom":
            return atoms[key[1]]
        case "case":
            return value(dict(key[2])[value(key[1])])
        case "pair":
            return dict(dict(key[3])[value(key[1])])[value(key[2])]
        case "and":
            return all(value(part) for part in key[1])
        case "or":
            return any(value(part) for part in key[1])
        case "not":
            return not value(key[1])
        case "ite":
            return value(key[2]) if value(key[1]) is True else value(key[3])
        case "+":
            return sum(factor * value(part) for part, factor in key[1]) + key[2]
        case "*":
            return value(key[1][0]) * value(key[1][1])
        case "==":
            return value(key[1][0]) == value(key[1][1])
        case "<":
            return value(key[1][0]) < value(key[1][1])
        case "min" | "max":
            return (min if key[0] == "min" else max)(value(part) for part in key[1])
        case "min of" | "max of":
            default, *rest = key[1]
            found = [value(body) for where, body in zip(rest[::2], rest[1::2], strict=True) if value(where)]
            return (min if key[0] == "min of" else max)(found) if found else value(default)
        case "/":
            return Fraction(value(key[1][0])) / value(key[1][1])
        case "div":
            return value(key[1][0]) // value(key[1][1])
        case "mod":
            return value(key[1][0]) % value(key[1][1])
        case "**":
            return Fraction(value(key[1][0])) ** value(key[1][1])
        case "reach":
            return key[2] in _walked(ground, key[1], atoms)
        case _:
            raise TypeError(key)


def _walked(ground: Ground, graph: int, atoms: list[Any]) -> set[Any]:
    edges = ground.terms.keys[graph][1]
    ends = {end for a, b, _ in edges for end in (a, b)}
    open_ = {end for end in ends if meaning(ground, end[1], atoms)}
    reached = {end for end in open_ if meaning(ground, end[0], atoms)}
    while True:
        more = {
            b
            for a, b, where in edges
            if a in reached and b in open_ and b not in reached and meaning(ground, where, atoms)
        }
        if not more:
            return reached
        reached |= more


def rules_in(ground: Ground, atoms: list[Any]) -> Rules:
    if ground.turn is None:
        return ground.rules[None]
    return ground.rules[ordinal(ground.atoms[ground.turn].type, atoms[ground.turn])]


def told(ground: Ground, atoms: list[Any]) -> Any:
    """What the rules, written out, say of a position: who moves, what is paid, what may follow."""
    rules = rules_in(ground, atoms)
    if meaning(ground, rules.terminal, atoms):
        return TERMINAL, tuple(Fraction(meaning(ground, pays, atoms)) for pays in rules.utility)
    mover = meaning(ground, rules.mover, atoms)
    chance = mover == len(rules.utility)
    found: Counter[Any] = Counter()
    for move in rules.moves:
        if not meaning(ground, move.legal, atoms):
            continue
        weight = Fraction(meaning(ground, move.weight, atoms)) if chance else None
        outcomes: Counter[Any] = Counter()
        for outcome in move.outcomes:
            if not meaning(ground, outcome.condition, atoms):
                continue
            after = list(atoms)
            for atom, term in outcome.changed.items():
                after[atom] = meaning(ground, term, atoms)
            paid = tuple(Fraction(meaning(ground, part, atoms)) for part in outcome.rewards)
            probability = Fraction(meaning(ground, outcome.probability, atoms))
            if probability:
                outcomes[tuple(after), paid] += probability
        if not chance or weight:
            found[weight, frozenset(outcomes.items())] += 1
    if not chance:
        return mover, found
    total = sum(weight * count for (weight, _), count in found.items())
    shares: Counter[Any] = Counter()
    for (weight, outcomes), count in found.items():
        shares[weight / total, outcomes] += count
    return CHANCE, shares


def played(game: ReferenceGame, position: Any) -> Any:
    """What the reference engine says of a position, in the same form."""
    mover = game.to_move(position)
    if mover == TERMINAL:
        return TERMINAL, tuple(Fraction(pays) for pays in game.utility(position))
    found: Counter[Any] = Counter()
    weights = dict(game.chance(position)) if mover == CHANCE else {}
    for move in game.moves(position):
        outcomes: Counter[Any] = Counter()
        for outcome in game.outcomes(position, move):
            paid = tuple(Fraction(part) for part in outcome.rewards) or (Fraction(0),) * len(game.players)
            outcomes[tuple(atoms_in(game, outcome.position)), paid] += Fraction(outcome.probability)
        if mover != CHANCE or weights.get(move):
            found[Fraction(weights[move]) if mover == CHANCE else None, frozenset(outcomes.items())] += 1
    return mover, found
