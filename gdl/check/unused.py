"""What a file declares though nothing depends on it, and what it asks for though it never comes: warnings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gdl.check.context import Body, Checker
from gdl.check.names import example_text
from gdl.check.statements import assigned_names
from gdl.diagnostics import Diagnostic, Severity
from gdl.diagnostics import wording as say
from gdl.model import nodes as m
from gdl.model.types import has_bag, show_value, values
from gdl.model.walk import walk
from gdl.syntax import tree


def warn(
    checker: Checker,
    sections: Mapping[str, tree.Item],
    variables: tuple[m.Variable, ...],
    moves: list[Body],
    player: m.Section,
    terminal: m.Section,
) -> None:
    """Reports declarations that nothing uses, variables that never change, and an end that never comes.

    Nothing in a file with errors: what was meant to use them may be what is wrong.
    """
    if any(d.severity is Severity.ERROR for d in checker.diagnostics):
        return
    initial = sections.get("initial")
    changed = assigned_names(checker, initial.body) if isinstance(initial, tree.Initial) else set()
    changed = changed.union(*(body.assigns for body in moves))
    observed = _observed(checker, variables)
    text = "\n".join(item.span.text for item in checker.file.items)
    for table in (checker.values, checker.effects, checker.types):
        for declaration in table.values():
            if declaration.used or declaration.name.startswith("_") or declaration.kind == "feature":
                continue
            if declaration.kind == "variable" and declaration.name in observed:
                continue
            # Types and constants are also used while others are worked out, which is not recorded.
            mentions = len(re.findall(rf"\b{re.escape(declaration.name)}\b", text))
            if declaration.kind in ("type", "param", "const") and mentions > 1:
                continue
            if declaration.kind == "variable" and declaration.name in changed:
                checker.report(say.assigned_only(declaration.span, declaration.name))
            else:
                checker.report(say.unused_global(declaration.span, declaration.kind, declaration.name))
    for variable in (v for v in variables if v.counts is None):
        if variable.name not in changed and checker.values[variable.name].used:
            checker.report(_unchanged(checker, variable, player, terminal))
    if "terminal" in sections and not {"discount", "endless", "stuck", "limit"} & sections.keys():
        told = any(
            d.span and terminal.span.start <= d.span.start < terminal.span.end for d in checker.diagnostics
        )
        if not told and not isinstance(terminal.body, tuple) and _is_false(terminal.body):
            checker.report(say.never_ends(terminal.span))


def _observed(checker: Checker, variables: tuple[m.Variable, ...]) -> set[str]:
    """The variables that tell a player something: where all is seen, what the rules do not read tells
    nothing."""
    secret = any(isinstance(item, tree.Move) and item.secret for item in checker.file.items)
    if not secret and all(variable.visible is None for variable in variables):
        return set()
    return {v.name for v in variables if v.visible is None or not _is_false(v.visible.condition)}


def _is_false(condition: m.Expr) -> bool:
    return isinstance(condition, m.Const) and not condition.value


def _unchanged(checker: Checker, variable: m.Variable, player: m.Section, terminal: m.Section) -> Diagnostic:
    """What is likely forgotten: to pass the turn, or to say that the game is over."""
    name, span, type_ = variable.name, variable.span, variable.type
    if variable.indices:
        return say.never_assigned(span, name, example_text(variable.indices))
    if _reads(player, name) and type_ == checker.players:
        return say.turn_never_changes(span, name, show_value(type_, variable.default[0]))
    listed = () if has_bag(type_) else values(type_)
    other = next((value for value in listed if value != variable.default[0]), None)
    if other is not None and _reads(terminal, name):
        return say.end_never_changes(span, name, show_value(type_, other), terminal.span)
    return say.never_assigned(span, name)


def _reads(section: m.Section, name: str) -> bool:
    return any(isinstance(part, m.Read) and part.variable == name for part in walk(section.body))
