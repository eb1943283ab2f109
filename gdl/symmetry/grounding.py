"""The rules written out: each part of a game as terms over the atoms of a position, one move at a time.

Loops and quantifiers are unrolled, calls are followed, conditions become choices between terms, and what a
move does becomes the term of every atom that it changes. What is drawn is followed once for each value that
may come.
Operations on values that are known are left to the reference engine's interpreter, so that they mean here
what they mean there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from gdl.model import nodes as m
from gdl.model.types import (
    BagOf,
    Bool,
    SetOf,
    Tuple,
    Type,
    from_ordinal,
    values,
)
from gdl.reference.conversion import convert
from gdl.symmetry.expressions import Expressions, Frame, Items, MayBreak
from gdl.symmetry.terms import SMALL, Term, Terms, TooLarge

MOST_MOVES = 4_000
"""Games with more moves, each with its parameters, are not written out."""

MOST_OUTCOMES = 2_000
"""Nor are those with a move of which more may come."""

MOST_TERMS = 200_000
"""Nor rules that take more terms than this."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One number of a position: of the element of a variable, perhaps a field of it, or a bit of it."""

    variable: int
    element: int
    field: int  # which of the scalars of the element; of a set, which bit
    type: Type  # Bool for a bit


@dataclass(frozen=True, slots=True)
class Outcome:
    """What may come of a move, where `condition` holds: how probable, what is paid, what is changed."""

    condition: Term
    probability: Term
    rewards: tuple[Term, ...]
    changed: Mapping[int, Term]  # by atom


@dataclass(frozen=True, slots=True)
class GroundMove:
    """A move with its parameters."""

    declaration: int
    legal: Term
    weight: Term
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The parts of a game, written out."""

    terminal: Term
    mover: Term  # the player's ordinal, or the one after the last for chance
    utility: tuple[Term, ...]
    moves: tuple[GroundMove, ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """A game written out; for each value of the atom `turn`, if there is one that alone says who moves."""

    terms: Terms
    atoms: tuple[Atom, ...]
    turn: int | None
    rules: Mapping[Any, Rules]  # by the ordinal of the turn; by None where there is no such atom


def ground(model: m.Model, most_terms: int = MOST_TERMS) -> Ground:
    """The rules of a game, written out. Raises TooLarge, or MayBreak where a rule is not proven to be
    safe.
    """
    if any(isinstance(part, BagOf) for variable in model.variables for part in _parts(variable.type)):
        raise TooLarge  # nothing goes through all bags
    atoms = atoms_of(model)
    domains: list[Sequence[Any] | None] = []
    for atom in atoms:
        few = getattr(atom.type, "size", SMALL + 1) <= SMALL
        domains.append(tuple(values(atom.type)) if few else None)
    terms = Terms(domains, most_terms)
    turn = _turn(model, atoms)
    if turn is None:
        return Ground(terms, atoms, None, {None: _Grounding(model, terms).rules()})
    type_ = atoms[turn].type
    size: int = type_.size  # type: ignore[union-attr]
    return Ground(
        terms,
        atoms,
        turn,
        {k: _Grounding(model, terms, {turn: from_ordinal(type_, k)}).rules() for k in range(size)},
    )


def _parts(type_: Type) -> Iterator[Type]:
    yield type_
    for part in getattr(type_, "fields", ()):
        yield from _parts(part)


def _turn(model: m.Model, atoms: tuple[Atom, ...]) -> int | None:
    """The atom that says who moves, where it is one of the position."""
    body = model.player.body
    while isinstance(body, m.Convert):
        body = body.operand
    if not isinstance(body, m.Read) or body.indices:
        return None
    number = next(k for k, variable in enumerate(model.variables) if variable.name == body.variable)
    found = [k for k, atom in enumerate(atoms) if atom.variable == number]
    return found[0] if len(found) == 1 else None


def atoms_of(model: m.Model) -> tuple[Atom, ...]:
    """The numbers of which a position is made, in order."""
    found = []
    for number, variable in enumerate(model.variables):
        for element in range(variable.count):
            for field, type_ in enumerate(_scalars(variable.type)):
                found.append(Atom(number, element, field, type_))
    return tuple(found)


def _scalars(type_: Type) -> Iterator[Type]:
    if isinstance(type_, Tuple):
        for part in type_.fields:
            yield from _scalars(part)
    elif isinstance(type_, SetOf):
        for _ in range(type_.element.size):
            yield Bool()
    else:
        yield type_


def _draws(model: m.Model, block: m.Block) -> bool:
    for statement in block:
        match statement:
            case m.Draw() | m.Chance():
                return True
            case m.If():
                if _draws(model, statement.otherwise) or any(_draws(model, b) for _, b in statement.branches):
                    return True
            case m.For():
                if _draws(model, statement.body):
                    return True
            case m.Perform():
                if model.effects[statement.effect].draws:
                    return True
    return False


class _Run:
    """A block being followed: the position so far, what was paid, and where it goes on.

    `active` is the condition under which the next statement is reached. `script` says which way each choice
    of chance goes; a choice beyond its end goes the first way and is added.
    """

    def __init__(self, state: list[Any], rewards: list[Term], script: list[list[int]]):
        self.state = state
        self.rewards = rewards
        self.script = script
        self.asked = 0
        self.condition: list[Term] = []
        self.probability: Term | None = None


class _Grounding(Expressions):
    """Sections, moves and statements."""

    # ------------------------------------------------------------------------------ the parts

    def rules(self) -> Rules:
        model, terms = self.model, self.terms
        players = range(len(model.players.members))
        terminal = self.section(model.terminal)
        mover = self.section(model.player)
        (formal,) = model.utility.formals
        utility = tuple(
            self.body(model.utility.body, {formal.slot: terms.const(player)}) for player in players
        )
        return Rules(terminal, mover, utility, tuple(self.moves))

    def section(self, section: m.Section) -> Any:
        return self.body(section.body, {})

    @cached_property
    def moves(self) -> list[GroundMove]:
        found: list[GroundMove] = []
        usual = []
        for declared, declaration in enumerate(self.model.moves):
            for frame, legal in self.instances(declaration):
                if len(found) >= MOST_MOVES:
                    raise TooLarge
                if legal == self.terms.false:
                    continue
                self.path.append(legal)
                weight = self.terms.one
                if declaration.weight is not None:
                    weight = self.value(declaration.weight, dict(frame))
                outcomes = tuple(self.outcomes(declaration.body, frame))
                self.path.pop()
                found.append(GroundMove(declared, legal, weight, outcomes))
                if not declaration.otherwise:
                    usual.append(legal)
        none = self.terms.not_(self.terms.any(usual))
        return [
            replace(move, legal=self.terms.all([move.legal, none]))
            if self.model.moves[move.declaration].otherwise
            else move
            for move in found
        ]

    def instances(self, declaration: m.Move) -> Iterator[tuple[Frame, Term]]:
        """Every choice of a move's parameters, and where it is legal."""

        def tested(guards: Sequence[m.Expr], frame: Frame, legal: list[Term]) -> list[Term] | None:
            for guard in guards:
                self.path.extend(legal)
                holds = self.value(guard, frame)
                del self.path[len(self.path) - len(legal) :]
                if holds == self.terms.false:
                    return None
                legal = [*legal, holds]
            return legal

        def chosen(k: int, frame: Frame, legal: list[Term]) -> Iterator[tuple[Frame, Term]]:
            if k == len(declaration.parameters):
                yield dict(frame), self.terms.all(legal)
                return
            parameter = declaration.parameters[k]
            self.path.extend(legal)
            ways: list[tuple[Any, Term]]
            if parameter.domain is not None:
                ways = list(self.domain(parameter.domain, frame))
                if isinstance(parameter.domain, m.ListDomain):
                    ways = list({value: (value, where) for value, where in ways}.values())
            else:
                assert parameter.value is not None
                ways = [self._computed(parameter, frame)]
            del self.path[len(self.path) - len(legal) :]
            for value, where in ways:
                inner = {**frame, parameter.slot: value}
                if where == self.terms.false:
                    continue
                found = tested(parameter.guards, inner, [*legal, where])
                if found is not None:
                    yield from chosen(k + 1, inner, found)

        start = tested(declaration.guards, {}, [])
        if start is not None:
            yield from chosen(0, {}, start)

    def _computed(self, parameter: m.MoveParameter, frame: Frame) -> tuple[Any, Term]:
        """A parameter's value, and where it has one."""
        assert parameter.value is not None
        source, target = parameter.value.type, parameter.type
        value = self.value(parameter.value, frame)
        if source == target:
            return value, self.terms.true
        there = self.unary(source, value, lambda v: convert(source, target, v) is not None)
        return self.moved(source, target, value), there

    def outcomes(self, block: m.Block, frame: Frame) -> Iterator[Outcome]:
        """What may come of a block that is reached."""
        script: list[list[int]] = []
        for _ in range(MOST_OUTCOMES):
            players = len(self.model.players.members)
            run = _Run(list(self.state), [self.terms.zero] * players, script)
            kept, self.state = self.state, run.state
            depth = len(self.path)
            self.block(block, dict(frame), run, self.terms.true)
            del self.path[depth:]
            self.state = kept
            yield Outcome(
                self.terms.all(run.condition),
                self.terms.one if run.probability is None else run.probability,
                tuple(run.rewards),
                dict(self._changes(kept, run.state)),
            )
            while script and script[-1][0] + 1 >= script[-1][1]:
                script.pop()
            if not script:
                return
            script[-1][0] += 1
        raise TooLarge

    def _changes(self, before: list[Any], after: list[Any]) -> Iterator[tuple[int, Term]]:
        number = 0
        for old, new in zip(before, after, strict=True):
            for one, other in zip(_flat(old), _flat(new), strict=True):
                if one != other:
                    yield number, other
                number += 1

    # ----------------------------------------------------------------------------- statements

    def body(self, body: m.Expr | m.Block, frame: Frame) -> Any:
        """The value of a section or function."""
        if not isinstance(body, tuple):
            return self.value(body, frame)
        run = _Run(self.state, [], [])
        signals = self.block(body, frame, run, self.terms.true)
        result = None
        for condition, value in reversed(signals["return"]):
            result = value if result is None else self.choice(condition, value, result)
        assert result is not None, "a function always returns"
        return result

    def block(self, block: m.Block, frame: Frame, run: _Run, active: Term) -> dict[str, list[Any]]:
        """Follows statements that are reached where `active` holds; gives where, and with what, it is left
        early.
        """
        signals: dict[str, list[Any]] = {"break": [], "continue": [], "return": []}
        for statement in block:
            if active == self.terms.false:
                break
            left = self.statement(statement, frame, run, active)
            gone = []
            for kind in ("break", "continue", "return"):
                signals[kind] += left[kind]
                gone += [part[0] if kind == "return" else part for part in left[kind]]
            if gone:
                active = self.terms.all([active, *(self.terms.not_(part) for part in gone)])
        return signals

    def statement(self, node: m.Statement, frame: Frame, run: _Run, active: Term) -> dict[str, list[Any]]:
        left: dict[str, list[Any]] = {"break": [], "continue": [], "return": []}
        self.path.append(active)
        try:
            match node:
                case m.Assign():
                    self.assign(node, frame, active)
                case m.Let():
                    value = self.value(node.value, frame)
                    old = frame.get(node.slot)
                    frame[node.slot] = value if old is None else self.choice(active, value, old, lenient=True)
                case m.LetEntry():
                    self.let_entry(node, frame, active)
                case m.If():
                    return self.if_(node, frame, run, active)
                case m.For():
                    return self.for_(node, frame, run, active)
                case m.Break():
                    left["break"].append(active)
                case m.Continue():
                    left["continue"].append(active)
                case m.Return():
                    left["return"].append((active, self.value(node.value, frame)))
                case m.RunOut():
                    self.fault(active, node.span)
                case m.Draw():
                    self.draw(node, frame, run, active)
                case m.Chance():
                    return self.chance(node, frame, run, active)
                case m.Perform():
                    effect = self.model.effects[node.effect]
                    arguments = [self.value(argument, frame) for argument in node.arguments]
                    inner = {f.slot: value for f, value in zip(effect.formals, arguments, strict=True)}
                    self.block(effect.body, inner, run, active)
                case m.Reward():
                    player, amount = self.value(node.player, frame), self.value(node.amount, frame)
                    for who in range(len(run.rewards)):
                        paid = self.terms.all([active, self.terms.equal(player, self.terms.const(who))])
                        more = self.terms.ite(paid, amount, self.terms.zero)
                        run.rewards[who] = self.terms.sum([(run.rewards[who], 1), (more, 1)])
                case _:
                    raise TooLarge
            return left
        finally:
            self.path.pop()

    def assign(self, node: m.Assign, frame: Frame, active: Term) -> None:
        value = self.value(node.value, frame)
        for place, where in self.places(node.variable, node.indices, frame):
            here = self.terms.all([active, where])
            self.state[place] = self.choice(here, value, self.state[place])

    def let_entry(self, node: m.LetEntry, frame: Frame, active: Term) -> None:
        value = self.value(node.value, frame)
        entries = list(frame[node.slot])
        for place, where in self.entries(node.of.indices, node.indices, frame):
            entries[place] = self.choice(self.terms.all([active, where]), value, entries[place])
        frame[node.slot] = Items(entries)

    def if_(self, node: m.If, frame: Frame, run: _Run, active: Term) -> dict[str, list[Any]]:
        left: dict[str, list[Any]] = {"break": [], "continue": [], "return": []}
        branches = [*node.branches, (None, node.otherwise)]
        parts = any(_draws(self.model, block) for _, block in branches)
        rest = active
        for condition, block in branches:
            if rest == self.terms.false:
                break
            holds = self.terms.true
            if condition is not None:
                self.path.append(rest)
                holds = self.value(condition, frame)
                self.path.pop()
            here = self.terms.all([rest, holds])
            rest = self.terms.all([rest, self.terms.not_(holds)])
            if parts and here not in (self.terms.false, active) and not self.terms.is_const(holds):
                # Chance is asked in some branch: the ways in which it is taken are outcomes of their own.
                if self.asked(run, 2) == 0:
                    run.condition.append(self.terms.any([self.terms.not_(active), holds]))
                    rest = self.terms.false
                    here = active
                else:
                    run.condition.append(self.terms.any([self.terms.not_(active), self.terms.not_(holds)]))
                    rest = active
                    continue
            if here == self.terms.false:
                continue
            self.path.append(holds)
            found = self.block(block, frame, run, here)
            self.path.pop()
            for kind, signals in found.items():
                left[kind] += signals
        return left

    def for_(self, node: m.For, frame: Frame, run: _Run, active: Term) -> dict[str, list[Any]]:
        left: dict[str, list[Any]] = {"break": [], "continue": [], "return": []}
        depth = len(self.path)
        for where in self.rounds(node.binders, node.condition, frame):
            here = self.terms.all([active, where])
            if here == self.terms.false:
                continue
            found = self.block(node.body, frame, run, here)
            left["return"] += found["return"]
            gone = [*found["break"], *(part[0] for part in found["return"])]
            if gone:
                active = self.terms.all([active, *(self.terms.not_(part) for part in gone)])
                if active == self.terms.false:
                    break
        del self.path[depth:]  # of rounds that were not begun
        return left

    # --------------------------------------------------------------------------------- chance

    def asked(self, run: _Run, ways: int) -> int:
        """Which way a choice goes this time."""
        if run.asked == len(run.script):
            run.script.append([0, ways])
        way = run.script[run.asked][0]
        run.asked += 1
        return way

    def likely(self, run: _Run, probability: Term) -> None:
        run.probability = (
            probability if run.probability is None else self.terms.product(run.probability, probability)
        )

    def draw(self, node: m.Draw, frame: Frame, run: _Run, active: Term) -> None:
        if active != self.terms.true:
            raise TooLarge  # a draw that may not be reached, inside a loop that may have been left
        weights = []
        candidates = list(self.domain(node.domain, frame))
        for value, where in candidates:
            inner = {**frame, node.slot: value}
            parts = [where]
            if node.condition is not None:
                parts.append(self.value(node.condition, inner))
            weight = self.terms.one if node.weight is None else self.value(node.weight, inner)
            weights.append(self.terms.ite(self.terms.all(parts), weight, self.terms.zero))
        possible = [k for k, weight in enumerate(weights) if weight != self.terms.zero]
        if not possible:
            raise MayBreak(node.span)
        way = possible[self.asked(run, len(possible))]
        frame[node.slot] = candidates[way][0]
        self.likely(run, self.share(weights[way], weights))

    def share(self, weight: Term, weights: Sequence[Term]) -> Term:
        total = self.terms.sum((part, 1) for part in weights)
        if self.terms.is_const(total):
            return self.terms.sum([(weight, Fraction(1) / self.terms.value(total))])
        return self.terms.ordered("/", weight, total)

    def chance(self, node: m.Chance, frame: Frame, run: _Run, active: Term) -> dict[str, list[Any]]:
        if active != self.terms.true:
            raise TooLarge
        given = [
            None if branch.probability is None else self.value(branch.probability, frame)
            for branch in node.branches
        ]
        rest = self.terms.sum([(self.terms.one, 1), *((part, -1) for part in given if part is not None)])
        probabilities = [rest if part is None else part for part in given]
        possible = [k for k, part in enumerate(probabilities) if part != self.terms.zero]
        way = possible[self.asked(run, len(possible))]
        self.likely(run, probabilities[way])
        return self.block(node.branches[way].body, frame, run, active)

    def after(self, node: m.After, frame: Frame) -> Any:
        effect = self.model.effects[node.effect]
        if effect.draws:
            raise TooLarge
        arguments = [self.value(argument, frame) for argument in node.arguments]
        inner = {f.slot: value for f, value in zip(effect.formals, arguments, strict=True)}
        kept, self.state = self.state, list(self.state)
        run = _Run(self.state, [self.terms.zero] * len(self.model.players.members), [])
        self.block(effect.body, inner, run, self.terms.true)
        result = self.value(node.body, frame)
        self.state = kept
        return result

    @cached_property
    def legal(self) -> list[Term]:
        """Where each move is legal in the position as it is."""
        found = []
        for declaration in self.model.moves:
            found += [legal for _, legal in self.instances(declaration)]
        return found


def _flat(value: Any) -> Iterator[Term]:
    if isinstance(value, int):
        yield value
    else:
        for part in value:
            yield from _flat(part)


__all__ = ["Atom", "Ground", "GroundMove", "MayBreak", "Outcome", "Rules", "TooLarge", "atoms_of", "ground"]
