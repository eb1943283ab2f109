"""Facts about parts of the Model that code generation needs: what can fault, what is read, what it costs.

All are conservative: `can_fault` and `reads` may say too much, never too little.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Block, Effect, Expr, Model
from gdl.model.types import Int, ListOf, Rational, Type
from gdl.model.walk import children, walk


def model_roots(model: Model) -> Iterator[Any]:
    """Every body and expression that an engine runs, `show` apart."""
    for function in model.functions.values():
        yield function.body
    for effect in (*model.effects.values(), model.initial):
        yield effect.body
    yield model.player.body
    yield model.terminal.body
    yield model.utility.body
    if model.evaluate:
        yield model.evaluate.body
    for feature in model.features.values():
        yield feature.body
    for move in model.moves:
        yield move.guards
        for parameter in move.parameters:
            yield from (part for part in (parameter.domain, parameter.value) if part is not None)
            yield parameter.guards
        if move.weight is not None:
            yield move.weight
        yield move.body
    for policy in model.policies.values():
        yield policy.body
    for variable in model.variables:
        if variable.visible:
            yield variable.visible.condition


class Facts:
    """Facts about the functions, effects and expressions of one Model, computed once each."""

    def __init__(self, model: Model):
        self.model = model
        self._faults: dict[tuple[str, str], bool] = {}
        self._reads: dict[tuple[str, str], frozenset[str]] = {}
        self._costs: dict[tuple[str, str], int] = {}

    # -------------------------------------------------------------------- faults

    def can_fault(self, node: Any) -> bool:
        """Whether evaluating or executing the node can end in a fault (or in too large a fraction)."""
        for part in walk(node):
            match part:
                case (
                    nodes.Check()
                    | nodes.Index()
                    | nodes.RunOut()
                    | nodes.Draw()
                    | nodes.Chance()
                    | nodes.Reward()
                ):
                    return True
                case nodes.Arithmetic() if isinstance(part.type, Rational) or part.op == "/":
                    return True
                case nodes.Arithmetic(op="div" | "mod") if may_be_zero(part.right.type):
                    return True
                case nodes.Arithmetic(op="div" | "mod") if not isinstance(part.left.type, Int):
                    return True
                case nodes.Aggregate(kind="min" | "max", default=None):
                    return True
                case (
                    nodes.BagOperation(proven=False)
                    | nodes.BagChange(grows=True)
                    | nodes.Aggregate(kind="bag")
                ):
                    return True
                case nodes.Aggregate() if isinstance(part.type, Rational):
                    return True
                case nodes.Const() if isinstance(part.type, Rational) and not fits(part.value):
                    return True
                case nodes.Lookup() | nodes.Element() if isinstance(part.type, Rational):
                    return True
                case nodes.Convert() if isinstance(part.type, Rational):
                    return True
                case nodes.Call():
                    if self.function_faults(part.function):
                        return True
                case nodes.After() | nodes.Perform():
                    if self.effect_faults(part.effect):
                        return True
                case nodes.Stuck():
                    if self.listing_faults():
                        return True
                case _:
                    pass
        return False

    def listing_faults(self) -> bool:
        """Whether looking for legal moves can end in a fault."""
        key = ("listing", "")
        if key not in self._faults:
            self._faults[key] = self.can_fault(self._listing())
        return self._faults[key]

    def _listing(self) -> tuple[Any, ...]:
        """All that is computed to find the legal moves."""
        return tuple(
            (move.guards, *((p.domain, p.value, p.guards) for p in move.parameters))
            for move in self.model.moves
        )

    def function_faults(self, name: str) -> bool:
        return self._function_faults(("function", name), self.model.functions[name].body)

    def effect_faults(self, name: str) -> bool:
        return self._function_faults(("effect", name), self.model.effects[name].body)

    def _function_faults(self, key: tuple[str, str], body: Expr | Block) -> bool:
        if key not in self._faults:
            self._faults[key] = self.can_fault(body)
        return self._faults[key]

    # --------------------------------------------------------------------- reads

    def reads(self, node: Any) -> frozenset[str]:
        """The variables that the node reads, itself or through what it calls."""
        found: set[str] = set()
        for part in walk(node):
            match part:
                case nodes.Read():
                    found.add(part.variable)
                case nodes.Call():
                    found |= self.function_reads(part.function)
                case nodes.After() | nodes.Perform():
                    found |= self.effect_reads(part.effect)
                    found.add("")  # the position as a whole
                case nodes.Stuck():
                    found |= self.reads(self._listing())
                    found.add("")
                case _:
                    pass
        return frozenset(found)

    def function_reads(self, name: str) -> frozenset[str]:
        key = ("function", name)
        if key not in self._reads:
            self._reads[key] = self.reads(self.model.functions[name].body)
        return self._reads[key]

    def effect_reads(self, name: str) -> frozenset[str]:
        key = ("effect", name)
        if key not in self._reads:
            effect = self.model.effects[name]
            self._reads[key] = self.reads(effect.body) | self.writes(effect.body)
        return self._reads[key]

    def writes(self, node: Any) -> frozenset[str]:
        """The variables that the statements assign, themselves or through effects."""
        found: set[str] = set()
        for part in walk(node):
            if isinstance(part, nodes.Assign):
                found.add(part.variable)
            elif isinstance(part, nodes.Perform):
                found |= self.writes(self.model.effects[part.effect].body)
        return frozenset(found)

    # --------------------------------------------------------------------- other

    def pays(self, effect: Effect) -> bool:
        """Whether the effect can pay rewards, itself or through what it performs."""
        return self.body_pays(effect.body)

    def body_draws(self, body: Block) -> bool:
        """Whether the statements may draw, themselves or through effects."""
        return any(
            isinstance(part, nodes.Draw | nodes.Chance)
            or (isinstance(part, nodes.Perform) and self.model.effects[part.effect].draws)
            for part in walk(body)
        )

    def body_pays(self, body: Block) -> bool:
        for part in walk(body):
            if isinstance(part, nodes.Reward):
                return True
            if isinstance(part, nodes.Perform) and self.body_pays(self.model.effects[part.effect].body):
                return True
        return False

    def cost(self, node: Any) -> int:
        """A rough count of the operations that evaluating the node takes at most."""
        if isinstance(node, tuple):
            return sum(self.cost(child) for child in children(node))
        own = 1
        match node:
            case nodes.Call():
                key = ("function", node.function)
                if key not in self._costs:
                    self._costs[key] = self.cost(self.model.functions[node.function].body)
                own = self._costs[key]
            case nodes.After() | nodes.Perform():
                key = ("effect", node.effect)
                if key not in self._costs:
                    self._costs[key] = self.cost(self.model.effects[node.effect].body)
                own = self._costs[key] + 20
            case nodes.Aggregate():
                times = max(1, rounds(node.binders))
                inner = self.cost(node.body) + (self.cost(node.condition) if node.condition else 0)
                return min(1 << 40, times * (1 + inner))
            case nodes.For():
                times = max(1, rounds(node.binders))
                return min(1 << 40, times * (1 + self.cost(node.body)))
            case nodes.Flood():
                own = 200
            case nodes.Reach():
                times = max(1, rounds((node.binder,)))
                ends = self.cost(node.starts) + self.cost(node.within)
                return min(1 << 40, ends + times * (1 + self.cost(node.around)))
            case nodes.Stuck():
                own = 1000
            case _:
                pass
        return min(1 << 40, own + sum(self.cost(child) for child in children(node)))

    def depth_of_draws(self, node: Any) -> int:
        """At most how many draws one execution of the node makes."""
        if isinstance(node, tuple):
            return sum(self.depth_of_draws(child) for child in node if not isinstance(child, str))
        match node:
            case nodes.Draw():
                return 1
            case nodes.Chance():
                return 1 + max((self.depth_of_draws(branch.body) for branch in node.branches), default=0)
            case nodes.If():
                blocks = [*(block for _, block in node.branches), node.otherwise]
                return max(self.depth_of_draws(block) for block in blocks)
            case nodes.For():
                inner = self.depth_of_draws(node.body)
                return min(1 << 30, inner * rounds(node.binders)) if inner else 0
            case nodes.Perform():
                return self.depth_of_draws(self.model.effects[node.effect].body)
            case nodes.Follow():
                return self.depth_of_draws(self.model.policies[node.policy].body)
            case _:
                return 0


def rounds(binders: tuple[nodes.Binder, ...]) -> int:
    """At most how many combinations of values there are."""
    return prod(domain_size(binder.domain) for binder in binders)


def domain_size(domain: nodes.Domain) -> int:
    """At most how many values the domain has."""
    match domain:
        case nodes.ListDomain():
            type_ = domain.sequence.type
            return type_.longest if isinstance(type_, ListOf) else 1
        case nodes.RangeDomain():
            lo, hi = domain.lo.type, domain.hi.type
            if isinstance(lo, Int) and isinstance(hi, Int):
                return max(0, hi.hi - lo.lo + 1)
            return int(domain.element.size)  # type: ignore[union-attr]
        case _:
            return int(domain.element.size)  # type: ignore[union-attr]


def may_be_zero(type_: Type) -> bool:
    return not isinstance(type_, Int) or type_.lo <= 0 <= type_.hi


def fits(number: Any) -> bool:
    """Whether a number can be held as two 64-bit integers."""
    fraction = Fraction(number)
    return max(abs(fraction.numerator), fraction.denominator) < 1 << 63


def assigned_slots(body: Any) -> dict[int, list[Type]]:
    """For each slot that `let` sets, the types of the values it is set to, in the order of the text."""
    found: dict[int, list[Type]] = {}
    for part in walk(body):
        if isinstance(part, nodes.Let):
            found.setdefault(part.slot, []).append(part.value.type)
        elif isinstance(part, nodes.Draw):
            found.setdefault(part.slot, []).append(part.domain.element)
    return found
