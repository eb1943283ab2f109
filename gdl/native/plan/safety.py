"""What may be computed although the rules would not ask for it.

Code that tests many elements at once, or tests early, computes expressions in positions where a condition
around them fails. That must do no harm: no fault, no read outside a table or a map.
"""

from __future__ import annotations

from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Model
from gdl.model.types import Tuple, Type
from gdl.model.walk import children, walk
from gdl.native.emit.conversion import is_total
from gdl.native.plan.analysis import Facts
from gdl.native.plan.inlining import Inliner


class Safety:
    """Judges the expressions of a Model, one frame after another."""

    def __init__(self, model: Model, facts: Facts, inliner: Inliner):
        self._model = model
        self._facts = facts
        self._inliner = inliner
        self._variables = {variable.name: variable for variable in model.variables}
        self._types: dict[int, Type | None] = {}
        self._safe_functions: dict[str, bool] = {}

    def enter(self, types: dict[int, Type | None]) -> None:
        """The declared types of the slots of the frame that follows; None where they differ."""
        self._types = types

    def is_safe(self, node: Any, exactly: bool = False) -> bool:
        """Whether an expression may be computed where the rules would not ask for it.

        It cannot fault, and whatever serves as an index, an argument or the end of a range has its declared
        type, not one narrowed by a condition that may fail here. The value may be meaningless: it is combined
        with that of the condition. With `exactly` the value itself must have its type.
        """
        return not self._facts.can_fault(node) and self._is_safe(node, exactly, self._types)

    def _is_safe(self, node: Any, exactly: bool, types: dict[int, Type | None]) -> bool:
        match node:
            case tuple():
                return all(self._is_safe(item, exactly, types) for item in node)
            case nodes.Local():
                declared = types.get(node.slot, self._inliner.types.get(node.slot))
                return not exactly or declared == node.type
            case nodes.Read():
                narrowed = node.type != self._variables[node.variable].type
                return not (exactly and narrowed) and self._is_safe(node.indices, True, types)
            case nodes.Convert():
                total = is_total(node.operand.type, node.type)
                return (total or not exactly) and self._is_safe(node.operand, exactly, types)
            case nodes.Call():
                return self._is_safe(node.arguments, True, types) and self._function_is_safe(node.function)
            case nodes.After() | nodes.Stuck():
                return False
            case nodes.Arithmetic(op="+" | "-" | "min" | "max"):
                return all(self._is_safe(child, exactly, types) for child in children(node))
            case _ if isinstance(node, _HARMLESS):
                return all(self._is_safe(child, exactly, types) for child in children(node))
            case _:
                return all(self._is_safe(child, True, types) for child in children(node))

    def _function_is_safe(self, name: str) -> bool:
        if name not in self._safe_functions:
            function = self._model.functions[name]
            types = slot_types(function.body)
            for formal in function.formals:
                types[formal.slot] = formal.type
            self._safe_functions[name] = self._is_safe(function.body, True, types)
        return self._safe_functions[name]


_HARMLESS = (
    nodes.Compare,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Is,
    nodes.Conditional,
    nodes.Field,
    nodes.TupleOf,
    nodes.Negate,
)
"""Computing these with operands outside their types gives some value and does nothing else."""


def slot_types(root: Any) -> dict[int, Type | None]:
    """The declared type of each slot that is bound in a body; None where a slot serves several types."""
    found: dict[int, Type | None] = {}

    def note(slot: int, type_: Type) -> None:
        found[slot] = type_ if found.get(slot, type_) == type_ else None

    for part in walk(root):
        match part:
            case nodes.Binder():
                element = part.domain.element
                types = element.fields if part.unpack and isinstance(element, Tuple) else (element,)
                for slot, type_ in zip(part.slots, types, strict=True):
                    note(slot, type_)
            case nodes.Let():
                note(part.slot, part.value.type)
            case nodes.Draw():
                note(part.slot, part.domain.element)
            case _:
                pass
    return found
