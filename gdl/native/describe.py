"""What was made of a game, in words: the Model in a notation like the language's own, and the layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gdl.model import nodes
from gdl.model.nodes import Block, Domain, Expr, Model, Section
from gdl.model.types import BagOf, ListOf, SetOf, Tuple, from_ordinal, show_value
from gdl.native.layout.layout import Layout
from gdl.native.layout.packing import fields

# ------------------------------------------------------------------------ the Model


def describe_model(model: Model) -> str:
    """The Model as text: every name bound, every conversion and check written out, types inferred."""
    return "\n".join(_model_lines(model)) + "\n"


def _model_lines(model: Model) -> Iterator[str]:
    yield f"game {model.name}"
    yield "players " + ", ".join(member.name for member in model.players.members)
    for parameter in model.parameters:
        yield f"param {parameter.name} = {show_value(parameter.type, parameter.value)}"
    for table in model.tables.values():
        indices = ", ".join(map(str, table.indices))
        yield f"table {table.name}[{indices}]: {table.type}    # {len(table.values)} entries"
    for variable in model.variables:
        indices = f"[{', '.join(map(str, variable.indices))}]" if variable.indices else ""
        yield f"variable {variable.name}{indices}: {variable.type}"
    yield "initial:"
    yield from _block(model.initial.body, 1)
    yield from _section("player", model.player)
    yield from _section("terminal", model.terminal)
    for function in (*model.functions.values(), model.utility, *([model.evaluate] if model.evaluate else [])):
        formals = ", ".join(f"{f.name}#{f.slot}: {f.type}" for f in function.formals)
        yield from _body(f"def {function.name}({formals}) -> {function.type}", function.body)
    for effect in model.effects.values():
        formals = ", ".join(f"{f.name}#{f.slot}: {f.type}" for f in effect.formals)
        yield from _body(f"effect {effect.name}({formals})", effect.body)
    for move in model.moves:
        yield from _move(move)
    for policy in model.policies.values():
        formals = ", ".join(f"{f.name}#{f.slot}: {f.type}" for f in policy.formals)
        yield from _body(f"policy {policy.name}({formals})", policy.body)
    for name, feature in model.features.items():
        yield from _section(f"feature {name}", feature)


def _section(name: str, section: Section) -> Iterator[str]:
    yield from _body(f"{name} -> {section.type}", section.body)


def _body(head: str, body: Expr | Block) -> Iterator[str]:
    if isinstance(body, tuple):
        yield head + ":"
        yield from _block(body, 1)
    else:
        yield f"{head}: {show(body)}"


def _move(move: nodes.Move) -> Iterator[str]:
    words = [word for word, holds in (("otherwise", move.otherwise), ("secret", move.secret)) if holds]
    yield " ".join(["move", move.name, *words])
    for guard in move.guards:
        yield f"    when {show(guard)}"
    for parameter in move.parameters:
        name = f"{parameter.name}#{parameter.slot}: {parameter.type}"
        if parameter.domain is not None:
            yield f"    for {name} in {show_domain(parameter.domain)}"
        elif parameter.value is not None:
            yield f"    let {name} = {show(parameter.value)}"
        for guard in parameter.guards:
            yield f"    when {show(guard)}"
    if move.weight is not None:
        yield f"    weight {show(move.weight)}"
    yield from _block(move.body, 1)


def _block(block: Block, depth: int) -> Iterator[str]:
    pad = "    " * depth
    if not block:
        yield pad + "pass"
    for statement in block:
        match statement:
            case nodes.Assign():
                yield f"{pad}{_element(statement.variable, statement.indices)} = {show(statement.value)}"
            case nodes.Let():
                yield f"{pad}let {statement.name}#{statement.slot} = {show(statement.value)}"
            case nodes.LetEntry():
                place = _element(f"{statement.name}#{statement.slot}", statement.indices)
                yield f"{pad}let {place} = {show(statement.value)}"
            case nodes.If():
                for number, (condition, body) in enumerate(statement.branches):
                    yield f"{pad}{'elif' if number else 'if'} {show(condition)}:"
                    yield from _block(body, depth + 1)
                if statement.otherwise:
                    yield pad + "else:"
                    yield from _block(statement.otherwise, depth + 1)
            case nodes.For():
                condition_text = "" if statement.condition is None else f" if {show(statement.condition)}"
                yield f"{pad}for {', '.join(map(_binder, statement.binders))}{condition_text}:"
                yield from _block(statement.body, depth + 1)
            case nodes.Break():
                yield pad + "break"
            case nodes.Continue():
                yield pad + "continue"
            case nodes.RunOut():
                yield f"{pad}fault: more than {statement.limit} rounds"
            case nodes.Return():
                yield f"{pad}return {show(statement.value)}"
            case nodes.Draw():
                text = f"{pad}{statement.name}#{statement.slot} ~ {show_domain(statement.domain)}"
                if statement.condition is not None:
                    text += f" where {show(statement.condition)}"
                if statement.weight is not None:
                    text += f" weighted {show(statement.weight)}"
                yield text
            case nodes.Chance():
                yield pad + "chance:"
                for branch in statement.branches:
                    probability = "else" if branch.probability is None else show(branch.probability)
                    yield f"{pad}    {probability}:"
                    yield from _block(branch.body, depth + 2)
            case nodes.Perform():
                yield f"{pad}{_call(statement.effect, statement.arguments)}"
            case nodes.Play():
                yield f"{pad}play {' or '.join(map(_pattern, statement.patterns)) or 'any move'}"
            case nodes.Follow():
                yield f"{pad}follow {_call(statement.policy, statement.arguments)}"
            case nodes.Reward():
                yield f"{pad}reward {show(statement.player)}: {show(statement.amount)}"


def _pattern(pattern: nodes.Pattern) -> str:
    slots = ", ".join(f"#{slot}" for slot in pattern.slots)
    return f"move {pattern.move}({slots})" + (f" if {show(pattern.test)}" if pattern.test else "")


def _element(name: str, indices: tuple[Expr, ...]) -> str:
    return f"{name}[{_list(indices)}]" if indices else name


def _list(items: tuple[Expr, ...]) -> str:
    return ", ".join(map(show, items))


def _call(name: str, arguments: tuple[Expr, ...]) -> str:
    return f"{name}({_list(arguments)})" if name.isidentifier() else f"`{name}`({_list(arguments)})"


def _binder(binder: nodes.Binder) -> str:
    names = ", ".join(f"{n}#{s}" for n, s in zip(binder.names, binder.slots, strict=True))
    return f"{f'({names})' if binder.unpack else names} in {show_domain(binder.domain)}"


def show_domain(domain: Domain) -> str:
    match domain:
        case nodes.RangeDomain():
            return f"{show(domain.lo)} .. {show(domain.hi)}"
        case nodes.TypeDomain():
            return str(domain.element)
        case nodes.SetDomain():
            return show(domain.set)
        case nodes.ListDomain():
            return show(domain.sequence)
        case nodes.SubsetsDomain():
            return f"subsets({show(domain.whole)})"


_LONGEST_CONSTANT = 60


def show(expr: Expr) -> str:
    """An expression, fully bracketed."""
    match expr:
        case nodes.Const():
            text = show_value(expr.type, expr.value)
            return text if len(text) <= _LONGEST_CONSTANT else f"{text[: _LONGEST_CONSTANT - 2]}…"
        case nodes.Local():
            return f"{expr.name}#{expr.slot}"
        case nodes.Read():
            return _element(expr.variable, expr.indices)
        case nodes.Lookup():
            return _element(f"`{expr.table}`", expr.indices)
        case nodes.Arithmetic() if expr.op in ("min", "max"):
            return f"{expr.op}({show(expr.left)}, {show(expr.right)})"
        case nodes.Arithmetic() | nodes.Compare() | nodes.SetOperation() | nodes.BagOperation():
            return f"({show(expr.left)} {expr.op} {show(expr.right)})"
        case nodes.Negate():
            return f"-{show(expr.operand)}"
        case nodes.Absolute():
            return f"abs({show(expr.operand)})"
        case nodes.And():
            return "(" + " and ".join(map(show, expr.items)) + ")"
        case nodes.Or():
            return "(" + " or ".join(map(show, expr.items)) + ")"
        case nodes.Not():
            return f"not {show(expr.operand)}"
        case nodes.Conditional():
            return f"({show(expr.then)} if {show(expr.condition)} else {show(expr.otherwise)})"
        case nodes.Call():
            return _call(expr.function, expr.arguments)
        case nodes.After():
            return f"({show(expr.body)} after {_call(expr.effect, expr.arguments)})"
        case nodes.Stuck():
            return "stuck"
        case nodes.Convert():
            return f"({show(expr.operand)} : {expr.type})"
        case nodes.Cast():
            return f"({show(expr.operand)} as {expr.type})"
        case nodes.Check():
            return f"({show(expr.operand)} !: {expr.type})"
        case nodes.Index():
            return f"({show(expr.operand)} !< {show(expr.limit)})"
        case nodes.Is():
            ranges = " | ".join(f"{a}..{b - 1}" for a, b in expr.ranges)
            return f"({show(expr.operand)} is {ranges})"
        case nodes.Cycle():
            return f"{'next' if expr.by == 1 else 'previous'}({show(expr.operand)})"
        case nodes.Rank():
            return f"rank({show(expr.operand)})"
        case nodes.Ranked():
            return f"value({expr.type}, {show(expr.operand)})"
        case nodes.Fill():
            return f"[{show(expr.value)}, …]"
        case nodes.Entry():
            return _element(show(expr.map), expr.indices)
        case nodes.Step():
            start = "" if expr.cell is None else f"{show(expr.cell)} + "
            return f"({start}({show(expr.rows)}, {show(expr.cols)}) as {expr.cells}?)"
        case nodes.TupleOf():
            return f"({_list(expr.items)})"
        case nodes.Field():
            return f"{show(expr.operand)}.{expr.index}"
        case nodes.SetLiteral() | nodes.BagLiteral():
            return f"{{{_list(expr.elements)}}}"
        case nodes.BagCount():
            return f"{show(expr.bag)}[{show(expr.item)}]"
        case nodes.BagChange():
            return f"({show(expr.bag)} with {show(expr.count)} of {show(expr.item)})"
        case nodes.BagWithin():
            return f"({show(expr.small)} <= {show(expr.large)})"
        case nodes.Distinct():
            return f"distinct({show(expr.operand)})"
        case nodes.SetSize() | nodes.BagSize():
            return f"count({show(expr.operand)})"
        case nodes.Contains():
            return f"({show(expr.item)} in {show(expr.set)})"
        case nodes.Flood():
            return f"reachable({show(expr.starts)}, {show(expr.within)})"
        case nodes.Reach():
            ends = f"{show(expr.starts)}, {show(expr.within)}"
            return f"reachable({ends}, {_binder(expr.binder)}: {show(expr.around)})"
        case nodes.Element():
            return f"{show(expr.sequence)}[{show(expr.index)}]"
        case nodes.Length():
            return f"count({show(expr.sequence)})"
        case nodes.Aggregate():
            binders = ", ".join(map(_binder, expr.binders))
            condition = "" if expr.condition is None else f" if {show(expr.condition)}"
            default = "" if expr.default is None else f", default={show(expr.default)}"
            return f"{expr.kind}({show(expr.body)} for {binders}{condition}{default})"


# ----------------------------------------------------------------------- the layout


def layout_data(layout: Layout) -> dict[str, Any]:
    """The layout of positions as plain data."""
    variables = [
        {
            "variable": field.variable,
            "elements": field.place.count,
            "type": str(field.leaf.type),
            "offset": field.leaf.offset,
            "bytes_each": field.leaf.unit,
            "key_bit": field.first,
            "key_bits_each": field.leaf.key_bits,
        }
        for field in fields(layout)
    ]
    planes = [
        {
            "variable": place.variable.name,
            "values": [_value(place.variable.type, number) for number in place.planes.values],
            "offset": place.planes.offset,
            "bytes": place.planes.size,
        }
        for place in layout.places.values()
        if place.planes
    ]
    return {
        "bytes": layout.size,
        "key_bits": layout.key_bits,
        "key_words": layout.key_words,
        "variables": variables,
        "planes": planes,
    }


def describe_layout(layout: Layout) -> str:
    """The layout of positions as a table."""
    data = layout_data(layout)
    lines = [f"position: {data['bytes']} bytes; key: {data['key_bits']} bits in {data['key_words']} words"]
    lines.append(f"  {'offset':>6} {'bytes':>6} {'key bit':>8} {'bits':>5}  variable")
    for plane in data["planes"]:
        values = ", ".join(plane["values"])
        size = f"{plane['offset']:>6} {plane['bytes']:>6}"
        lines.append(f"  {size} {'':>8} {'':>5}  planes of {plane['variable']}: {values}")
    for v in data["variables"]:
        size = f"{v['offset']:>6} {v['elements'] * v['bytes_each']:>6}"
        key = f"{v['key_bit']:>8} {v['elements'] * v['key_bits_each']:>5}"
        lines.append(f"  {size} {key}  {v['variable']}: {v['elements']} x {v['type']}")
    return "\n".join(lines) + "\n"


def _value(type_: Any, number: int) -> str:

    assert not isinstance(type_, Tuple | SetOf | BagOf | ListOf)
    return show_value(type_, from_ordinal(type_, number))
