"""The rules written out: each part of a game as terms over the atoms of a position, one move at a time.

Loops and quantifiers are unrolled, calls are followed, conditions become choices between terms, and what a
move does becomes the term of every atom that it changes. What is drawn is followed once for each value that
may come.
Operations on values that are known are left to the reference engine's interpreter, so that they mean here
what they mean there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from gdl.diagnostics import Span
from gdl.diagnostics.faults import Fault
from gdl.model import nodes as m
from gdl.model.types import (
    NONE,
    BagOf,
    Bool,
    Int,
    ListOf,
    MapOf,
    Rational,
    SetOf,
    Tuple,
    Type,
    from_ordinal,
    ordinal,
    values,
)
from gdl.reference.conversion import convert
from gdl.reference.interpret import Interpreter
from gdl.reference.structures import neighbour_masks
from gdl.symmetry.terms import NOWHERE, SMALL, Term, Terms, TooLarge

MOST_MOVES = 4_000
"""Games with more moves, each with its parameters, are not written out."""

MOST_OUTCOMES = 2_000
"""Nor are those with a move of which more may come."""

MOST_TERMS = 200_000
"""Nor rules that take more terms than this."""


class MayBreak(Exception):
    """A rule that is not proven to hold in every position."""

    def __init__(self, span: Span):
        self.span = span


# A value is a term, or one of these where it has parts.


class Record(tuple[Any, ...]):
    """The fields of a tuple."""


class Members(tuple[Term, ...]):
    """A set: for each value of the element type whether it is in."""


class Items(tuple[Any, ...]):
    """A list, or the entries of a map."""


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


Frame = dict[int, Any]


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


class _Grounding:
    def __init__(self, model: m.Model, terms: Terms, known: Mapping[int, Any] | None = None):
        self.model = model
        self.terms = terms
        self._given = known or {}
        self.interpreter = Interpreter(model.variables, model.tables, model.functions, model.effects)
        self.path: list[Term] = []
        self._numbers = {variable.name: k for k, variable in enumerate(model.variables)}
        self._starts: list[int] = []
        start = 0
        for variable in model.variables:
            self._starts.append(start)
            start += variable.count
        self.start: list[Any] = self._initial_state()
        self.state = self.start

    def _initial_state(self) -> list[Any]:
        """The position as it is: every element made of its atoms."""
        parts: list[Any] = []
        number = 0

        def made(type_: Type) -> Any:
            nonlocal number
            if isinstance(type_, Tuple):
                return Record(made(part) for part in type_.fields)
            if isinstance(type_, SetOf):
                bits = Members(self.terms.atom(number + k) for k in range(type_.element.size))
                number += len(bits)
                return bits
            number += 1
            if number - 1 in self._given:
                return self.terms.const(self._given[number - 1])
            return self.terms.atom(number - 1)

        for variable in self.model.variables:
            parts += [made(variable.type) for _ in range(variable.count)]
        return parts

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

    # -------------------------------------------------------------------------------- domains

    def domain(self, domain: m.Domain, frame: Frame) -> Iterator[tuple[Any, Term]]:
        """What may be in a domain, and where it is."""
        terms = self.terms
        match domain:
            case m.TypeDomain():
                for value in self._listed(domain.element):
                    yield self.known(domain.element, value), terms.true
            case m.RangeDomain():
                lo, hi = self.value(domain.lo, frame), self.value(domain.hi, frame)
                if terms.nowhere in (lo, hi):
                    return
                if terms.is_const(lo) and terms.is_const(hi):
                    for number in range(terms.value(lo), terms.value(hi) + 1):
                        yield terms.const(number), terms.true
                    return
                for number in self._listed(domain.element):
                    here = terms.const(number)
                    above = terms.not_(terms.less(here, lo))
                    yield here, terms.all([above, terms.not_(terms.less(hi, here))])
            case m.SetDomain():
                members = self.value(domain.set, frame)
                for k, inside in enumerate(members):
                    yield self.known(domain.element, from_ordinal(domain.element, k)), inside
            case m.ListDomain():
                for item in self.value(domain.sequence, frame):
                    yield item, terms.true

    def _listed(self, type_: Type) -> Iterator[Any]:
        if getattr(type_, "size", MOST_TERMS) > MOST_MOVES:
            raise TooLarge
        return values(type_)

    def rounds(self, binders: tuple[m.Binder, ...], condition: m.Expr | None, frame: Frame) -> Iterator[Term]:
        """Binds each combination of values in turn, and gives where it is one."""
        if not binders:
            yield self.terms.true if condition is None else self.value(condition, frame)
            return
        first, *others = binders
        for value, where in list(self.domain(first.domain, frame)):
            if where == self.terms.false:
                continue
            if first.unpack:
                frame.update(zip(first.slots, value, strict=True))
            else:
                frame[first.slots[0]] = value
            self.path.append(where)
            for inner in self.rounds(tuple(others), condition, frame):
                yield self.terms.all([where, inner])
            self.path.pop()

    # ----------------------------------------------------------------------------- expressions

    def known(self, type_: Type, value: Any) -> Any:
        """A value that is known, in parts."""
        self.terms.work()
        if value is NOWHERE:
            return self.terms.nowhere
        if isinstance(type_, Tuple):
            return Record(self.known(part, item) for part, item in zip(type_.fields, value, strict=True))
        if isinstance(type_, SetOf):
            return Members(self.terms.const(bool(value >> k & 1)) for k in range(type_.element.size))
        if isinstance(type_, ListOf):
            return Items(self.known(type_.element, item) for item in value)
        return self.terms.const(value)

    def plain(self, type_: Type, value: Any) -> Any:
        """The value of something known; None where it is not."""
        if isinstance(value, Record):
            assert isinstance(type_, Tuple)
            parts = [self.plain(part, item) for part, item in zip(type_.fields, value, strict=True)]
            return None if None in parts else tuple(parts)
        if isinstance(value, Members):
            if not all(self.terms.is_const(bit) for bit in value):
                return None
            return sum(1 << k for k, bit in enumerate(value) if self.terms.value(bit))
        if isinstance(value, Items):
            element = getattr(type_, "element", None)
            items = [self.plain(element, item) for item in value]  # type: ignore[arg-type]
            return None if None in items else tuple(items)
        return self.terms.value(value) if self.terms.is_const(value) else None

    def choice(self, condition: Term, then: Any, otherwise: Any, lenient: bool = False) -> Any:
        """One of two values of the same shape; `lenient` where shapes may differ, for then only one is ever
        read.
        """
        if condition == self.terms.true or otherwise is None:
            return then
        if condition == self.terms.false:
            return otherwise
        if isinstance(then, int) and isinstance(otherwise, int):
            return self.terms.ite(condition, then, otherwise)
        if type(then) is not type(otherwise) or len(then) != len(otherwise):
            if lenient:
                return then
            raise TooLarge
        return type(then)(self.choice(condition, a, b) for a, b in zip(then, otherwise, strict=True))

    def fault(self, condition: Term, span: Span) -> None:
        if self.terms.all([*self.path, condition]) != self.terms.false:
            raise MayBreak(span)

    def unary(
        self, type_: Type, value: Any, function: Callable[[Any], Any], result: Type | None = None
    ) -> Any:
        """A function of a value of a finite type."""
        plain = self.plain(type_, value)
        if plain is NOWHERE:
            return self.terms.nowhere
        if plain is not None:
            return self.known(Bool() if result is None else result, function(plain))
        if isinstance(value, Record):
            return self._of_parts(type_, value, function, result)
        size = getattr(type_, "size", SMALL + 1)
        if not isinstance(value, int) or size > SMALL or isinstance(result, Tuple | SetOf):
            raise TooLarge
        return self.terms.mapped(value, function, values(type_))

    def _of_parts(
        self, type_: Type, value: Record, function: Callable[[Any], Any], result: Type | None
    ) -> Any:
        """A function of a tuple of which some fields are not known."""
        assert isinstance(type_, Tuple)
        if type_.size > SMALL:
            raise TooLarge
        found: Any = None
        for each in values(type_):
            parts = zip(type_.fields, value, each, strict=True)
            here = self.terms.all([self.same(kind, item, self.known(kind, v)) for kind, item, v in parts])
            if here == self.terms.false:
                continue
            answer = self.known(Bool() if result is None else result, function(each))
            found = answer if found is None else self.choice(here, answer, found)
        return found

    def same(self, type_: Type, one: Any, other: Any) -> Term:
        """Whether two values of a type are equal."""
        if isinstance(one, int):
            return self.terms.equal(one, other)
        return self.terms.all([self.same(type_, a, b) for a, b in zip(one, other, strict=True)])

    def value(self, node: m.Expr, frame: Frame) -> Any:
        """The value of an expression, in parts, as terms."""
        terms = self.terms
        terms.work()
        match node:
            case m.Const():
                return self.known(node.type, node.value)
            case m.Local():
                return frame[node.slot]
            case m.Read():
                number = self._numbers[node.variable]
                variable, start = self.model.variables[number], self._starts[number]
                indices = [self.value(index, frame) for index in node.indices]
                return self.selected(variable.indices, indices, self.state[start : start + variable.count])
            case m.Lookup():
                return self.lookup(node, frame)
            case m.Arithmetic():
                return self.arithmetic(node, self.value(node.left, frame), self.value(node.right, frame))
            case m.Negate():
                return terms.sum([(self.value(node.operand, frame), -1)])
            case m.Absolute():
                operand = self.value(node.operand, frame)
                return terms.unordered("max", [operand, terms.sum([(operand, -1)])])
            case m.Compare():
                return self.compare(node, self.value(node.left, frame), self.value(node.right, frame))
            case m.And() | m.Or():
                return self.connected(node, frame)
            case m.Not():
                return terms.not_(self.value(node.operand, frame))
            case m.Conditional():
                return self.conditional(node, frame)
            case m.Call():
                function = self.model.functions[node.function]
                arguments = [self.value(argument, frame) for argument in node.arguments]
                inner = {f.slot: value for f, value in zip(function.formals, arguments, strict=True)}
                return self.body(function.body, inner)
            case m.After():
                return self.after(node, frame)
            case m.Stuck():
                if self.state != self.start:
                    raise TooLarge  # asked of another position than the one at hand
                return terms.not_(terms.any(self._legal))
            case m.TupleOf():
                return Record(self.value(item, frame) for item in node.items)
            case m.Field():
                return self.value(node.operand, frame)[node.index]
            case m.Fill():
                assert isinstance(node.type, MapOf)
                return Items([self.value(node.value, frame)] * node.type.count)
            case m.Entry():
                assert isinstance(node.map.type, MapOf)
                indices = [self.value(index, frame) for index in node.indices]
                return self.selected(node.map.type.indices, indices, self.value(node.map, frame))
            case m.SetLiteral() | m.SetOperation() | m.SetSize() | m.Contains() | m.Flood() | m.Reach():
                return self.of_sets(node, frame)
            case m.Element():
                return self.element(node, frame)
            case m.Length():
                return terms.const(len(self.value(node.sequence, frame)))
            case m.Aggregate():
                return self.aggregate(node, frame)
            case m.Step():
                return self.step(node, frame)
            case m.Index():
                operand, limit = self.value(node.operand, frame), self.value(node.limit, frame)
                self.fault(terms.less(operand, terms.zero), node.span)
                self.fault(terms.not_(terms.less(operand, limit)), node.span)
                return operand
            case m.Convert() | m.Cast() | m.Check() | m.Is() | m.Cycle() | m.Rank() | m.Ranked():
                return self.translated(node, self.value(node.operand, frame))
            case _:
                raise TooLarge

    @cached_property
    def _legal(self) -> list[Term]:
        """Where each move is legal in the position as it is."""
        found = []
        for declaration in self.model.moves:
            found += [legal for _, legal in self.instances(declaration)]
        return found

    def translated(self, node: Any, value: Any) -> Any:
        """A value in another type, or asked of its type."""
        source, target = node.operand.type, node.type
        if isinstance(node, m.Convert | m.Check) and (source == target or isinstance(target, Rational)):
            return value
        if isinstance(source, Int) and isinstance(target, Int) and isinstance(node, m.Convert):
            return value  # the same number
        if isinstance(value, Record) and isinstance(node, m.Convert) and isinstance(target, Tuple):
            parts = zip(source.fields, target.fields, value, strict=True)
            return Record(self.moved(a, b, item) for a, b, item in parts)
        if isinstance(value, Members) and isinstance(node, m.Convert) and isinstance(target, SetOf):
            return self._set_moved(source.element, target.element, value)
        if isinstance(value, Items) and isinstance(node, m.Convert) and isinstance(target, ListOf):
            return Items(self.moved(source.element, target.element, item) for item in value)
        if isinstance(node, m.Check):
            self.fault(self.unary(source, value, lambda v: convert(source, target, v) is None), node.span)
            return self.moved(source, target, value)

        if isinstance(node, m.Convert):
            return self.moved(source, target, value)

        def computed(v: Any) -> Any:
            return self.interpreter.evaluate(replace(node, operand=m.Const(v, source, node.span)))

        return self.unary(source, value, computed, None if isinstance(node, m.Is) else target)

    def moved(self, source: Type, target: Type, value: Any) -> Any:
        if source == target or isinstance(target, Rational):
            return value

        def translated(v: Any) -> Any:
            found = convert(source, target, v)
            return NOWHERE if found is None else found

        return self.unary(source, value, translated, target)

    def _set_moved(self, source: Type, target: Type, members: Members) -> Members:
        bits = [self.terms.false] * target.size  # type: ignore[union-attr]
        for k, inside in enumerate(members):
            found = convert(source, target, from_ordinal(source, k))
            if found is not None:
                bits[ordinal(target, found)] = inside
        return Members(bits)

    def places(self, variable: str, indices: tuple[m.Expr, ...], frame: Frame) -> list[tuple[int, Term]]:
        """The elements of a variable that may be meant, and where each is."""
        number = self._numbers[variable]
        declared = self.model.variables[number]
        start = self._starts[number]
        return [(start + at, where) for at, where in self.entries(declared.indices, indices, frame)]

    def entries(
        self, types: tuple[Type, ...], indices: tuple[m.Expr, ...], frame: Frame
    ) -> list[tuple[int, Term]]:
        """The places of a map that may be meant, in row-major order, and where each is."""
        found = [(0, [self.terms.true])]
        for type_, index in zip(types, indices, strict=True):
            value = self.value(index, frame)
            size: int = type_.size  # type: ignore[union-attr]
            plain = self.plain(type_, value)
            if plain is not None and not _within(type_, plain):
                return []
            if plain is not None:
                at = ordinal(type_, plain)
                found = [(place * size + at, where) for place, where in found]
                continue
            if size > MOST_MOVES:
                raise TooLarge
            ways = [(k, self.same(type_, value, self.known(type_, v))) for k, v in enumerate(values(type_))]
            self.terms.work(len(found) * len(ways))
            found = [
                (place * size + k, [*where, here])
                for (place, where), (k, here) in product(found, ways)
                if here != self.terms.false
            ]
        return [
            (place, condition)
            for place, where in found
            if (condition := self.terms.all(where)) != self.terms.false
        ]

    def selected(self, types: Sequence[Type], indices: Sequence[Any], elements: Sequence[Any]) -> Any:
        """The element of a map, given in row-major order, that the indices mean."""
        if not types:
            (element,) = elements
            return element
        first: Any = types[0]
        width = len(elements) // first.size
        plain = self.plain(first, indices[0])
        if plain is not None and not _within(first, plain):
            return self._nothing_like(elements[0])
        if plain is not None:
            at = ordinal(first, plain) * width
            return self.selected(types[1:], indices[1:], elements[at : at + width])
        rows = {
            value: self.selected(types[1:], indices[1:], elements[k * width : (k + 1) * width])
            for k, value in enumerate(values(first))
        }
        if isinstance(indices[0], int):
            return self.by_case(indices[0], rows)
        result = None
        for value, row in rows.items():
            here = self.same(first, indices[0], self.known(first, value))
            if here != self.terms.false:
                result = row if result is None else self.choice(here, row, result)
        return result

    def _nothing_like(self, value: Any) -> Any:
        if isinstance(value, int):
            return self.terms.nowhere
        return type(value)(self._nothing_like(part) for part in value)

    def by_case(self, term: Term, rows: Mapping[Any, Any]) -> Any:
        """One of some values of the same shape, by the value of a term."""
        some = next(iter(rows.values()))
        if isinstance(some, int):
            return self.terms.case(term, rows)
        if any(type(row) is not type(some) or len(row) != len(some) for row in rows.values()):
            raise TooLarge
        return type(some)(
            self.by_case(term, {value: row[k] for value, row in rows.items()}) for k in range(len(some))
        )

    def lookup(self, node: m.Lookup, frame: Frame) -> Any:
        table = self.model.tables[node.table]
        indices = [self.value(index, frame) for index in node.indices]
        if all(self.plain(t, i) is not None for t, i in zip(table.indices, indices, strict=True)):
            at = 0
            for type_, index in zip(table.indices, indices, strict=True):
                at = at * type_.size + ordinal(type_, self.plain(type_, index))  # type: ignore[union-attr]
            return self.known(table.type, table.values[at])
        if len(table.values) > MOST_MOVES:
            raise TooLarge
        return self.selected(
            table.indices, indices, [self.known(table.type, value) for value in table.values]
        )

    def arithmetic(self, node: m.Arithmetic, left: Term, right: Term) -> Term:
        terms = self.terms
        match node.op:
            case "+":
                return terms.sum([(left, 1), (right, 1)])
            case "-":
                return terms.sum([(left, 1), (right, -1)])
            case "*":
                return terms.product(left, right)
        if node.op in ("div", "mod", "/"):
            self.fault(terms.equal(right, terms.zero), node.span)

        def computed(a: Any, b: Any) -> Any:
            if node.op in ("div", "mod", "/") and b == 0:
                return 0  # never reached
            operands = (m.Const(a, node.left.type, node.span), m.Const(b, node.right.type, node.span))
            try:
                return self.interpreter.evaluate(replace(node, left=operands[0], right=operands[1]))
            except Fault:
                raise MayBreak(node.span) from None

        found = terms.pair(left, right, computed)
        if found is not None:
            return found
        if node.op in ("min", "max"):
            return terms.unordered(node.op, [left, right])
        return terms.ordered(node.op, left, right)

    def compare(self, node: m.Compare, left: Any, right: Any) -> Term:
        terms = self.terms
        if node.op in ("==", "!="):
            equal = self.same(node.left.type, left, right)
            return equal if node.op == "==" else terms.not_(equal)
        if not isinstance(left, int):
            if isinstance(left, Members) and node.op in ("<=", ">="):
                small, large = (left, right) if node.op == "<=" else (right, left)
                return terms.all(terms.any([terms.not_(a), b]) for a, b in zip(small, large, strict=True))
            raise TooLarge
        if node.op in ("<", ">"):
            return terms.less(left, right) if node.op == "<" else terms.less(right, left)
        return terms.not_(terms.less(right, left) if node.op == "<=" else terms.less(left, right))

    def connected(self, node: m.And | m.Or, frame: Frame) -> Term:
        """`and`, `or`: later parts are asked only where the earlier ones leave it open."""
        both = isinstance(node, m.And)
        found: list[Term] = []
        depth = len(self.path)
        for item in node.items:
            part = self.value(item, frame)
            if part == (self.terms.false if both else self.terms.true):
                found = [part]
                break
            found.append(part)
            self.path.append(part if both else self.terms.not_(part))
        del self.path[depth:]
        return self.terms.all(found) if both else self.terms.any(found)

    def conditional(self, node: m.Conditional, frame: Frame) -> Any:
        condition = self.value(node.condition, frame)
        if self.terms.is_const(condition):
            return self.value(node.then if self.terms.value(condition) else node.otherwise, frame)
        self.path.append(condition)
        then = self.value(node.then, frame)
        self.path[-1] = self.terms.not_(condition)
        otherwise = self.value(node.otherwise, frame)
        self.path.pop()
        return self.choice(condition, then, otherwise)

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

    def of_sets(self, node: Any, frame: Frame) -> Any:
        terms = self.terms
        element: Any
        match node:
            case m.SetLiteral():
                element = node.type.element  # type: ignore[union-attr]
                bits = [terms.false] * element.size
                for item in node.elements:
                    value = self.value(item, frame)
                    plain = self.plain(element, value)
                    for k, v in enumerate(values(element)):
                        if plain is None or v == plain:
                            here = self.same(element, value, self.known(element, v))
                            bits[k] = terms.any([bits[k], here])
                return Members(bits)
            case m.SetOperation():
                left, right = self.value(node.left, frame), self.value(node.right, frame)
                return Members(
                    terms.any([a, b])
                    if node.op == "|"
                    else terms.all([a, b if node.op == "&" else terms.not_(b)])
                    for a, b in zip(left, right, strict=True)
                )
            case m.SetSize():
                return terms.count(self.value(node.operand, frame))
            case m.Contains():
                item, members = self.value(node.item, frame), self.value(node.set, frame)
                element = node.set.type.element  # type: ignore[union-attr]
                return terms.any(
                    terms.all(
                        [inside, self.same(element, item, self.known(element, from_ordinal(element, k)))]
                    )
                    for k, inside in enumerate(members)
                    if inside != terms.false
                )
            case m.Flood():
                around = neighbour_masks(node.cells)
                starts, within = self.value(node.starts, frame), self.value(node.within, frame)
                size = range(len(within))
                edges = [(j, k, terms.true) for j in size for k in size if around[j] >> k & 1]
                return Members(terms.reached(list(zip(starts, within, strict=True)), edges))
            case _:
                starts, within = self.value(node.starts, frame), self.value(node.within, frame)
                (slot,) = node.binder.slots
                element = node.binder.domain.element
                near = [
                    self.value(node.around, {**frame, slot: self.known(element, v)}) for v in values(element)
                ]
                edges = [(j, k, where) for j, row in enumerate(near) for k, where in enumerate(row)]
                return Members(terms.reached(list(zip(starts, within, strict=True)), edges))

    def element(self, node: m.Element, frame: Frame) -> Any:
        sequence, index = self.value(node.sequence, frame), self.value(node.index, frame)
        if self.terms.is_const(index):
            at = self.terms.value(index)
            if at is NOWHERE or not 0 <= at < len(sequence):
                raise TooLarge  # in a branch that is never taken
            return sequence[at]
        return self.by_case(index, dict(enumerate(sequence)))

    def step(self, node: m.Step, frame: Frame) -> Any:
        cells, terms = node.cells, self.terms
        none = convert(NONE, node.type, 0)
        cell = None if node.cell is None else self.value(node.cell, frame)
        rows, cols = self.value(node.rows, frame), self.value(node.cols, frame)
        if terms.nowhere in (cell, rows, cols):
            return terms.nowhere
        if all(part is None or terms.is_const(part) for part in (cell, rows, cols)):
            row, col = (0, 0) if cell is None else cells.place(terms.value(cell))
            found = cells.at(row + terms.value(rows), col + terms.value(cols))
            return terms.const(none if found is None else found)
        result = terms.const(none)
        starts = [(0, 0, terms.true)]
        if cell is not None:
            starts = [
                (*cells.place(k), here)
                for k in range(cells.size)
                if (here := terms.equal(cell, terms.const(k))) != terms.false
            ]
        for row, col, here in starts:
            for target in range(cells.size):
                to_row, to_col = cells.place(target)
                there = terms.all(
                    [
                        here,
                        terms.equal(rows, terms.const(to_row - row)),
                        terms.equal(cols, terms.const(to_col - col)),
                    ]
                )
                if there != terms.false:
                    result = terms.ite(there, terms.const(target), result)
        return result

    def aggregate(self, node: m.Aggregate, frame: Frame) -> Any:
        terms = self.terms
        inner = dict(frame)
        found: list[tuple[Term, Any]] = []
        for where in self.rounds(node.binders, node.condition, inner):
            if where == terms.false:
                continue
            self.path.append(where)
            body = self.value(node.body, inner)
            self.path.pop()
            found.append((where, body))
        match node.kind:
            case "any":
                return terms.any(terms.all([where, body]) for where, body in found)
            case "all":
                return terms.all(terms.any([terms.not_(where), body]) for where, body in found)
            case "count":
                return terms.count(terms.all([where, body]) for where, body in found)
            case "sum":
                return terms.sum((terms.ite(where, body, terms.zero), 1) for where, body in found)
            case "set":
                return self.collected(node, found)
            case "first":
                result: Any = self.known(node.type, convert(NONE, node.type, 0))
                for where, body in reversed(found):
                    result = self.choice(where, self.moved(node.body.type, node.type, body), result)
                return result
            case "min" | "max":
                return self.extreme(node, found, frame)
            case _:
                raise TooLarge

    def collected(self, node: m.Aggregate, found: Sequence[tuple[Term, Any]]) -> Members:
        assert isinstance(node.type, SetOf)
        element = node.type.element
        bits: list[list[Term]] = [[] for _ in range(element.size)]
        for where, body in found:
            plain = self.plain(element, body)
            for k, v in enumerate(values(element)):
                if plain is None or v == plain:
                    here = self.same(element, body, self.known(element, v))
                    bits[k].append(self.terms.all([where, here]))
        return Members(self.terms.any(parts) for parts in bits)

    def extreme(self, node: m.Aggregate, found: Sequence[tuple[Term, Any]], frame: Frame) -> Any:
        terms = self.terms
        there = terms.any(where for where, _ in found)
        if node.default is None:
            self.fault(terms.not_(there), node.span)
        if all(where == terms.true for where, _ in found) and found:
            return terms.unordered(node.kind, [body for _, body in found])
        default = terms.zero if node.default is None else self.value(node.default, frame)
        pairs = tuple(sorted((where, body) for where, body in found))
        return terms.ordered(node.kind + " of", default, *(part for pair in pairs for part in pair))


def _within(type_: Type, value: Any) -> bool:
    """Whether a value belongs to a type; in a branch that is never taken it may not."""
    return value is not NOWHERE and 0 <= ordinal(type_, value) < type_.size  # type: ignore[union-attr]


def _flat(value: Any) -> Iterator[Term]:
    if isinstance(value, int):
        yield value
    else:
        for part in value:
            yield from _flat(part)


__all__ = ["Atom", "Ground", "GroundMove", "MayBreak", "Outcome", "Rules", "TooLarge", "atoms_of", "ground"]
