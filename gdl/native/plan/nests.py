"""Loop nests: names bound one inside another, and conditions tested as early as their names are known.

A comprehension, or the parameters of a move with their guards, is a nest: levels, outermost first, each
binding names, and conjuncts that must hold. `and` and calls are taken apart into conjuncts; each is put
at the level where the last name it uses is bound, and where a plan allows, becomes part of that level's
mask, so that the loop visits only the values that pass.

Moving a test must not change what the rules mean. What can fault stays where it was, and nothing moves
across it. What makes sense only where an earlier conjunct holds stays behind that conjunct, unless it
becomes bits of a mask, which are combined with those of the others anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gdl.model import nodes
from gdl.model.nodes import Expr
from gdl.model.types import BOOL, Type
from gdl.model.walk import walk
from gdl.native.layout.layout import index_size
from gdl.native.plan.planner import Planner
from gdl.native.plan.plans import Every, Plan


@dataclass(frozen=True, slots=True)
class Bind:
    """What a level binds: names in a domain, or a computed parameter; and the conjuncts given with it."""

    slots: tuple[int, ...]
    unpack: bool
    domain: nodes.Domain | None
    parameter: nodes.MoveParameter | None
    conjuncts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a nest: what is bound, the mask of the values to visit, and the tests then made."""

    bind: Bind
    element: Type | None  # of the mask's bits
    mask: Plan | None
    masked: tuple[Expr, ...]  # the conjuncts that the mask stands for
    tests: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    tests: tuple[Expr, ...]  # before anything is bound
    levels: tuple[Level, ...]


def masks_of(nest: Nest) -> Iterable[Plan]:
    return (level.mask for level in nest.levels if level.mask is not None)


def arrange(
    planner: Planner, binds: Sequence[Bind], root: Sequence[Expr], ordered: bool, flatten: bool
) -> Nest:
    """The nest of some levels. `root` are conjuncts given before the first level.

    `ordered`: values must be visited in their order, repeated ones repeatedly. `flatten`: a last
    conjunct that is itself an `any` may become further levels.
    """
    return _Arrangement(planner, binds, root, ordered, flatten).nest()


class _Arrangement:
    def __init__(
        self, planner: Planner, binds: Sequence[Bind], root: Sequence[Expr], ordered: bool, flatten: bool
    ):
        self._planner = planner
        self._facts = planner.facts
        self._binds = list(binds)
        self._root = root
        self._ordered = ordered
        self._flatten = flatten
        self._level_of: dict[int, int] = {}
        self._quiet = True  # nothing so far can fault
        self._floor = 0  # the level of the latest conjunct
        # Per level: the conjunct, whether it may become a mask, whether nothing before it can fault.
        self._placed: list[list[tuple[Expr, bool, bool]]] = [[]]

    def nest(self) -> Nest:
        self._place(self._root, 0)
        number = 0
        while number < len(self._binds):
            bind = self._binds[number]
            number += 1
            self._placed.append([])
            for slot in bind.slots:
                self._level_of[slot] = number
            source = bind.domain if bind.domain is not None else bind.parameter and bind.parameter.value
            if source is not None and self._facts.can_fault(source):
                self._quiet = False
            last = number == len(self._binds)
            self._place(bind.conjuncts, number, last and self._flatten)
        levels = tuple(self._level(bind, self._placed[k]) for k, bind in enumerate(self._binds, start=1))
        return Nest(tuple(conjunct for conjunct, _, _ in self._placed[0]), levels)

    def _place(self, conjuncts: Sequence[Expr], level: int, flatten: bool = False) -> None:
        parts = [part for conjunct in conjuncts for part in self._taken_apart(conjunct)]
        for number, part in enumerate(parts):
            if flatten and number == len(parts) - 1 and self._extend(part):
                return
            uses = self._deepest(part)
            quiet = self._quiet
            if self._facts.can_fault(part):
                self._quiet = False
                target, movable = level, False
            elif not quiet:
                target, movable = level, False
            else:
                movable = True
                free = self._planner.is_safe(part) or self._plan(part, uses) is not None
                target = uses if free else max(uses, self._floor)
            self._floor = max(self._floor, target)
            self._placed[target].append((part, movable, quiet))

    def _deepest(self, part: Expr) -> int:
        """The level at which the last name that a conjunct uses is bound."""
        return max(
            (self._level_of.get(p.slot, 0) for p in walk(part) if isinstance(p, nodes.Local)), default=0
        )

    def _taken_apart(self, conjunct: Expr) -> list[Expr]:
        """The conjuncts of a conjunct, in order."""
        match conjunct:
            case nodes.And():
                return [part for item in conjunct.items for part in self._taken_apart(item)]
            case nodes.Not(operand=nodes.Or() as inner):
                items = [nodes.Not(item, BOOL, item.span) for item in inner.items]
                return [part for item in items for part in self._taken_apart(item)]
            case nodes.Not(operand=nodes.Not() as inner):
                return self._taken_apart(inner.operand)
            case nodes.Not(operand=nodes.Call() as inner):
                body = self._written_out(inner)
                if isinstance(body, nodes.Or | nodes.Not):
                    return self._taken_apart(nodes.Not(body, BOOL, conjunct.span))
            case nodes.Call():
                body = self._written_out(conjunct)
                if isinstance(body, nodes.And | nodes.Not):
                    return self._taken_apart(body)
            case _:
                pass
        return [conjunct]

    def _written_out(self, call: nodes.Call) -> Expr | None:
        """The body of a call, if its arguments and `let`s cannot fault: only then is it the same."""
        body = self._planner.model.functions[call.function].body
        if self._facts.can_fault(call.arguments):
            return None
        if isinstance(body, tuple) and any(
            self._facts.can_fault(s.value) for s in body if isinstance(s, nodes.Let)
        ):
            return None
        return self._planner.inliner.call(call)

    def _extend(self, part: Expr) -> bool:
        """Makes a conjunct that is an `any` into further levels."""
        inner: Expr | None = part
        while isinstance(inner, nodes.Call):
            inner = self._written_out(inner)
        if not isinstance(inner, nodes.Aggregate) or inner.kind != "any":
            return False
        if self._planner.is_lines(inner):
            return False
        self._binds += binds_of(inner, conjuncts_of(inner))
        return True

    # ---------------------------------------------------------------------- masks

    def _plan(self, part: Expr, level: int) -> Plan | None:
        """The bits of a conjunct over the names of a level, if there is a plan for them."""
        if level == 0:
            return None
        bind = self._binds[level - 1]
        element = self._element(bind)
        if element is None or not _uses(part, bind.slots[0]):
            return None
        return self._planner.plan(part, bind.slots[0], element)

    def _element(self, bind: Bind) -> Type | None:
        if bind.domain is None or bind.unpack:
            return None
        if self._ordered and isinstance(bind.domain, nodes.ListDomain):
            return None
        found = self._planner.domain(bind.domain)
        return None if found is None else found[0]

    def _level(self, bind: Bind, placed: list[tuple[Expr, bool, bool]]) -> Level:
        """The level with its conjuncts: exact masks, masks that only bound, and tests."""
        element = self._element(bind)
        if element is None:
            return Level(bind, None, None, (), tuple(part for part, _, _ in placed))
        assert bind.domain is not None
        found = self._planner.domain(bind.domain)
        bits: list[Plan] = [] if found is None or found[1] is None else [found[1]]
        masked: list[Expr] = []
        tests: list[Expr] = []
        slot = bind.slots[0]
        for part, movable, quiet in placed:
            plan = self._planner.plan(part, slot, element) if movable and _uses(part, slot) else None
            if plan is not None:
                masked.append(part)
            else:
                tests.append(part)
                if quiet and index_size(element) >= _WORTH_BOUNDING:
                    plan = self._planner.bound(part, slot, element)
            if plan is not None:
                bits.append(plan)
        if not bits:
            return Level(bind, None, None, (), tuple(tests))
        mask = bits[0] if len(bits) == 1 else Every(tuple(bits))
        return Level(bind, element, mask, tuple(masked), tuple(tests))


_WORTH_BOUNDING = 8
"""Loops over fewer values than this are not shortened by masks that only bound."""


def _uses(part: Expr, slot: int) -> bool:
    return any(isinstance(p, nodes.Local) and p.slot == slot for p in walk(part))


def conjuncts_of(node: nodes.Aggregate) -> tuple[Expr, ...]:
    """What must hold of a combination for it to count, as conjuncts (for `all`: to decide)."""
    condition = () if node.condition is None else (node.condition,)
    match node.kind:
        case "any" | "count":
            return (*condition, node.body)
        case "all":
            return (*condition, nodes.Not(node.body, BOOL, node.span))
        case _:
            return condition


def binds_of(node: nodes.Aggregate, conjuncts: tuple[Expr, ...]) -> list[Bind]:
    """The levels of a comprehension; all conjuncts are given with the last."""
    last = len(node.binders) - 1
    return [
        Bind(binder.slots, binder.unpack, binder.domain, None, conjuncts if k == last else ())
        for k, binder in enumerate(node.binders)
    ]


def binds_of_move(move: nodes.Move) -> list[Bind]:
    return [
        Bind((parameter.slot,), False, parameter.domain, parameter, parameter.guards)
        for parameter in move.parameters
    ]
