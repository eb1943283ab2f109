"""From Lark's parse tree to our syntax tree: one method per rule of grammar/gdl.lark."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from lark import Token as LarkToken
from lark import v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from gdl.diagnostics import Source, Span
from gdl.syntax import tree


@v_args(meta=True, inline=True)
class Build(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Absent optional parts arrive as None."""

    def __init__(self, source: Source):
        super().__init__(visit_tokens=False)
        self.source = source
        # Binding a wrapped method anew for every node costs more than the method itself.
        for rule in _RULES:
            setattr(self, rule, getattr(self, rule))

    def span(self, meta: Meta) -> Span:
        """Where a rule stands, without the line end that closes it."""
        end = meta.end_pos
        text = self.source.text
        while end > meta.start_pos and text[end - 1 : end].isspace():
            end -= 1
        return Span(self.source, meta.start_pos, end)

    def token_span(self, token: LarkToken) -> Span:
        assert token.start_pos is not None and token.end_pos is not None
        return Span(self.source, token.start_pos, token.end_pos)

    def named(self, token: LarkToken) -> tree.Name:
        return tree.Name(str(token), self.token_span(token))

    def maybe_named(self, token: LarkToken | None) -> tree.Name | None:
        return None if token is None else self.named(token)

    def text(self, token: LarkToken) -> tree.String:
        quotes = 3 if token.type == "LONG_STRING" else 1
        return tree.String(str(token)[quotes:-quotes], self.token_span(token))

    # ------------------------------------------------------------------ items

    def doc(self, meta: Meta, token: LarkToken) -> tree.Doc:
        return tree.Doc(self.text(token).value.strip(), self.span(meta))

    def game(self, meta: Meta, name: LarkToken, base: LarkToken | None) -> tree.GameName:
        return tree.GameName(self.named(name), self.maybe_named(base), self.span(meta))

    def use(self, meta: Meta, *names: LarkToken) -> tree.Use:
        return tree.Use(tuple(self.named(name) for name in names), self.span(meta))

    def param(self, meta: Meta, name: LarkToken, type_: Any, default: Any) -> tree.Param:
        return tree.Param(self.named(name), type_, default, self.span(meta))

    def players(self, meta: Meta, *names: Any) -> tree.Players:
        return tree.Players(names, self.span(meta))

    def player_name(self, meta: Meta, name: LarkToken, glyph: LarkToken | None) -> Any:
        return self.named(name), None if glyph is None else self.text(glyph)

    def type_item(self, meta: Meta, name: LarkToken, type_: Any) -> tree.TypeItem:
        return tree.TypeItem(self.named(name), type_, self.span(meta))

    def graph(self, meta: Meta, *chains: Any) -> tree.GraphType:
        return tree.GraphType(chains, self.span(meta))

    def chain(self, meta: Meta, *parts: Any) -> Any:
        return tuple(self.named(p) for p in parts[::2]), tuple(parts[1::2])

    def edge(self, meta: Meta, token: LarkToken) -> str:
        return str(token)

    def union_type(self, meta: Meta, *items: Any) -> tree.UnionType:
        return tree.UnionType(items, self.span(meta))

    def optional_type(self, meta: Meta, inner: Any) -> tree.OptionalType:
        return tree.OptionalType(inner, self.span(meta))

    def set_type(self, meta: Meta, element: Any) -> tree.SetType:
        return tree.SetType(element, self.span(meta))

    def bag_type(self, meta: Meta, longest: Any, element: Any) -> tree.BagType:
        return tree.BagType(longest, element, self.span(meta))

    def list_type(self, meta: Meta, longest: Any, element: Any) -> tree.ListType:
        return tree.ListType(longest, element, self.span(meta))

    def record_type(self, meta: Meta, *fields: Any) -> tree.RecordType:
        return tree.RecordType(tuple(f for f in fields if f is not None), self.span(meta))

    def type_field(self, meta: Meta, name: LarkToken, type_: Any) -> Any:
        return self.named(name), type_

    def const(self, meta: Meta, name: LarkToken, *rest: Any) -> tree.Const:
        *indices, type_, value = rest
        return tree.Const(self.named(name), _present(indices), type_, value, self.span(meta))

    def named_index(self, meta: Meta, name: LarkToken, type_: Any) -> tree.Index:
        return tree.Index(self.named(name), type_, self.span(meta))

    def plain_index(self, meta: Meta, type_: Any) -> tree.Index:
        return tree.Index(None, type_, self.span(meta))

    def position(self, meta: Meta, *variables: Any) -> tree.PositionItem:
        return tree.PositionItem(variables, self.span(meta))

    def variable(self, meta: Meta, name: LarkToken, *rest: Any) -> tree.Variable:
        *indices, type_, default, visible = rest
        return tree.Variable(self.named(name), _present(indices), type_, default, visible, self.span(meta))

    def initial(self, meta: Meta, body: tree.Block) -> tree.Initial:
        return tree.Initial(body, self.span(meta))

    def player(self, meta: Meta, body: Any) -> tree.Section:
        return tree.Section("player", None, body, self.span(meta))

    def terminal(self, meta: Meta, body: Any) -> tree.Section:
        return tree.Section("terminal", None, body, self.span(meta))

    def utility(self, meta: Meta, argument: LarkToken | None, body: Any) -> tree.Section:
        return tree.Section("utility", self.maybe_named(argument), body, self.span(meta))

    def minimise(self, meta: Meta, argument: LarkToken | None, body: Any) -> tree.Section:
        return tree.Section("minimise", self.maybe_named(argument), body, self.span(meta))

    def limit(self, meta: Meta, moves: Any, argument: LarkToken | None, body: Any) -> tree.Section:
        return tree.Section("limit", self.maybe_named(argument), body, self.span(meta), moves)

    def stuck(self, meta: Meta, argument: LarkToken | None, body: Any) -> tree.Section:
        return tree.Section("stuck", self.maybe_named(argument), body, self.span(meta))

    def evaluate(self, meta: Meta, argument: LarkToken | None, body: Any) -> tree.Section:
        return tree.Section("evaluate", self.maybe_named(argument), body, self.span(meta))

    def discount(self, meta: Meta, value: Any) -> tree.Section:
        return tree.Section("discount", None, value, self.span(meta))

    def endless(self, meta: Meta, argument: LarkToken | None, value: Any) -> tree.Section:
        return tree.Section("endless", self.maybe_named(argument), value, self.span(meta))

    def def_item(self, meta: Meta, name: LarkToken, formals: Any, body: Any) -> tree.Def:
        return tree.Def(self.named(name), formals or (), body, self.span(meta))

    def effect(self, meta: Meta, name: LarkToken, formals: Any, body: Any) -> tree.Effect:
        return tree.Effect(self.named(name), formals or (), body, self.span(meta))

    def formals(self, meta: Meta, *formals: Any) -> Any:
        return _present(formals)

    def formal(self, meta: Meta, name: LarkToken, type_: Any) -> tree.Formal:
        return tree.Formal(self.named(name), type_, self.span(meta))

    def move(self, meta: Meta, secret: LarkToken | None, name: LarkToken, *rest: Any) -> tree.Move:
        *parts, body = rest
        return tree.Move(
            self.named(name),
            secret is not None,
            tuple(p for p in parts if isinstance(p, tree.MoveParameter)),
            next((self.text(p) for p in parts if isinstance(p, LarkToken)), None),
            tuple(p for p in parts if isinstance(p, tree.Clause)),
            body,
            self.span(meta),
        )

    def typed_parameter(self, meta: Meta, name: LarkToken, type_: Any) -> tree.MoveParameter:
        return tree.MoveParameter(self.named(name), "typed", type_, self.span(meta))

    def dependent_parameter(self, meta: Meta, name: LarkToken, domain: Any) -> tree.MoveParameter:
        return tree.MoveParameter(self.named(name), "dependent", domain, self.span(meta))

    def computed_parameter(self, meta: Meta, name: LarkToken, value: Any) -> tree.MoveParameter:
        return tree.MoveParameter(self.named(name), "computed", value, self.span(meta))

    def when(self, meta: Meta, condition: Any) -> tree.Clause:
        return tree.Clause("when", condition, self.span(meta))

    def weight(self, meta: Meta, value: Any) -> tree.Clause:
        return tree.Clause("weight", value, self.span(meta))

    def otherwise(self, meta: Meta) -> tree.Clause:
        return tree.Clause("otherwise", None, self.span(meta))

    def policy(
        self, meta: Meta, name: LarkToken, formals: Any, player: LarkToken | None, body: Any
    ) -> tree.Policy:
        return tree.Policy(self.named(name), formals or (), self.maybe_named(player), body, self.span(meta))

    def feature(self, meta: Meta, name: LarkToken, body: Any) -> tree.Feature:
        return tree.Feature(self.named(name), body, self.span(meta))

    def show(self, meta: Meta, argument: LarkToken | None, *lines: Any) -> tree.Show:
        return tree.Show(self.maybe_named(argument), lines, self.span(meta))

    def expect(
        self, meta: Meta, slow: Any, quantity: LarkToken, arguments: Any, start: Any, *rest: Any
    ) -> tree.Expect:
        *moves, compared = rest
        relation, tolerance, value = compared or ("", None, None)
        return tree.Expect(
            slow is not None,
            self.named(quantity),
            arguments or (),
            start,
            _present(moves),
            relation,
            tolerance,
            value,
            self.span(meta),
        )

    def expect_all(self, meta: Meta, base: LarkToken) -> tree.ExpectAll:
        return tree.ExpectAll(self.named(base), self.span(meta))

    def start_at(self, meta: Meta, text: LarkToken) -> tree.String:
        return self.text(text)

    def known(self, meta: Meta, op: str, value: Any) -> Any:
        return op, None, value

    def known_op(self, meta: Meta, op: LarkToken) -> str:
        return str(op)

    def within(self, meta: Meta, tolerance: Any, value: Any) -> Any:
        return "within", tolerance, value

    def expression_body(self, meta: Meta, expression: Any) -> Any:
        return expression

    # ------------------------------------------------------------- statements

    def block(self, meta: Meta, *statements: Any) -> tree.Block:
        return tree.Block(statements, self.span(meta))

    def perform(self, meta: Meta, call: Any) -> tree.Perform:
        return tree.Perform(call, self.span(meta))

    def assign(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(target, "=", value, self.span(meta))

    def increase(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(target, "+=", value, self.span(meta))

    def decrease(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(target, "-=", value, self.span(meta))

    def multiply(self, meta: Meta, target: Any, value: Any) -> tree.Assign:
        return tree.Assign(target, "*=", value, self.span(meta))

    def draw(self, meta: Meta, target: Any, domain: Any, where: Any, weighted: Any) -> tree.Draw:
        return tree.Draw(target, domain, where, weighted, self.span(meta))

    def let(self, meta: Meta, binding: tree.Binding, type_: Any, value: Any) -> tree.Let:
        return tree.Let(binding, type_, value, self.span(meta))

    def let_blank(self, meta: Meta, binding: tree.Binding, type_: Any) -> tree.Let:
        return tree.Let(binding, type_, None, self.span(meta))

    def let_map(self, meta: Meta, name: LarkToken, *rest: Any) -> tree.LetMap:
        *indices, type_, value = rest
        return tree.LetMap(self.named(name), tuple(indices), type_, value, self.span(meta))

    def return_statement(self, meta: Meta, value: Any) -> tree.Return:
        return tree.Return(value, self.span(meta))

    def break_statement(self, meta: Meta) -> tree.Break:
        return tree.Break(self.span(meta))

    def continue_statement(self, meta: Meta) -> tree.Continue:
        return tree.Continue(self.span(meta))

    def reward(self, meta: Meta, first: Any, second: Any) -> tree.Reward:
        player, amount = (None, first) if second is None else (first, second)
        return tree.Reward(player, amount, self.span(meta))

    def cost(self, meta: Meta, first: Any, second: Any) -> tree.Reward:
        return replace(self.reward(meta, first, second), cost=True)

    def if_statement(self, meta: Meta, condition: Any, body: Any, *rest: Any) -> tree.If:
        *elifs, otherwise = rest
        return tree.If(((condition, body), *elifs), otherwise, self.span(meta))

    def elif_clause(self, meta: Meta, condition: Any, body: Any) -> Any:
        return condition, body

    def for_statement(self, meta: Meta, *parts: Any) -> tree.For:
        *binders, condition, body = parts
        return tree.For(tuple(binders), condition, body, self.span(meta))

    def while_statement(self, meta: Meta, condition: Any, limit: Any, body: Any) -> tree.While:
        return tree.While(condition, limit, body, self.span(meta))

    def chance(self, meta: Meta, *branches: Any) -> tree.Chance:
        return tree.Chance(branches, self.span(meta))

    def branch(self, meta: Meta, probability: Any, body: Any) -> tree.Branch:
        return tree.Branch(probability, body, self.span(meta))

    def else_branch(self, meta: Meta, body: Any) -> tree.Branch:
        return tree.Branch(None, body, self.span(meta))

    def binding(self, meta: Meta, *names: Any) -> tree.Binding:
        named = tuple(self.named(n) for n in names if n is not None)
        return tree.Binding(named, len(named) > 1, self.span(meta))

    # ------------------------------------------------------------ expressions

    def conditional(self, meta: Meta, then: Any, condition: Any, otherwise: Any) -> tree.Conditional:
        return tree.Conditional(then, condition, otherwise, self.span(meta))

    def or_(self, meta: Meta, *items: Any) -> tree.Logical:
        return tree.Logical("or", items, self.span(meta))

    def and_(self, meta: Meta, *items: Any) -> tree.Logical:
        return tree.Logical("and", items, self.span(meta))

    def not_(self, meta: Meta, operand: Any) -> tree.Not:
        return tree.Not(operand, self.span(meta))

    def after(self, meta: Meta, body: Any, effect: Any) -> tree.After:
        return tree.After(body, effect, self.span(meta))

    def comparison(self, meta: Meta, first: Any, *tail: Any) -> tree.Comparison:
        return tree.Comparison(first, tail, self.span(meta))

    def compare_with(self, meta: Meta, op: str, operand: Any) -> Any:
        return op, operand, self.span(meta)

    def compare_op(self, meta: Meta, *tokens: LarkToken) -> str:
        return " ".join(tokens)

    def is_(self, meta: Meta, type_: Any) -> Any:
        return "is", type_, self.span(meta)

    def is_not(self, meta: Meta, type_: Any) -> Any:
        return "is not", type_, self.span(meta)

    def as_type(self, meta: Meta, operand: Any, type_: Any) -> tree.AsType:
        return tree.AsType(operand, type_, self.span(meta))

    def set_or(self, meta: Meta, left: Any, right: Any) -> tree.Operation:
        return tree.Operation("|", left, right, self.span(meta))

    def set_and(self, meta: Meta, left: Any, right: Any) -> tree.Operation:
        return tree.Operation("&", left, right, self.span(meta))

    def range_(self, meta: Meta, lo: Any, hi: Any) -> tree.Range:
        return tree.Range(lo, hi, self.span(meta))

    def operation(self, meta: Meta, left: Any, op: LarkToken, right: Any) -> tree.Operation:
        return tree.Operation(str(op), left, right, self.span(meta))

    def minus(self, meta: Meta, _sign: LarkToken, operand: Any) -> tree.Minus | tree.Number:
        if isinstance(operand, tree.Number) and operand.value > 0:
            return tree.Number(-operand.value, self.span(meta))
        return tree.Minus(operand, self.span(meta))

    def call(self, meta: Meta, function: Any, arguments: Any) -> tree.Call | tree.GeneratorCall:
        if isinstance(arguments, _GeneratorArguments):
            return tree.GeneratorCall(function, arguments.generator, arguments.keyword, self.span(meta))
        return tree.Call(function, arguments, self.span(meta))

    def arguments(self, meta: Meta, *arguments: Any) -> tuple[tree.Argument, ...]:
        return tuple(
            a if isinstance(a, tree.Argument) else tree.Argument(None, a, a.span)
            for a in arguments
            if a is not None
        )

    def generator_arguments(self, meta: Meta, generator: Any) -> _GeneratorArguments:
        return _GeneratorArguments(*generator)

    def keyword(self, meta: Meta, name: LarkToken, value: Any) -> tree.Argument:
        return tree.Argument(str(name), value, self.span(meta))

    def generator(self, meta: Meta, body: Any, *rest: Any) -> tuple[tree.Generator, tree.Argument | None]:
        *binders, condition, keyword = rest
        return tree.Generator(body, tuple(binders), condition, self.span(meta)), keyword

    def generator_binder(self, meta: Meta, binding: Any, domain: Any) -> Any:
        return binding, domain

    def subscript(self, meta: Meta, base: Any, *indices: Any) -> tree.Subscript:
        return tree.Subscript(base, _present(indices), self.span(meta))

    def attribute(self, meta: Meta, base: Any, name: LarkToken) -> tree.Attribute:
        return tree.Attribute(base, self.named(name), self.span(meta))

    def name(self, meta: Meta, token: LarkToken) -> tree.Name:
        return self.named(token)

    def number(self, meta: Meta, token: LarkToken) -> tree.Number:
        text = str(token).replace("_", "")
        value = int(text) if text.isdigit() else _fraction(text)
        return tree.Number(value, self.token_span(token))

    def string(self, meta: Meta, token: LarkToken) -> tree.String:
        return self.text(token)

    def tuple(self, meta: Meta, *items: Any) -> tree.TupleExpr:
        return tree.TupleExpr(_present(items), self.span(meta))

    def list(self, meta: Meta, *items: Any) -> tree.ListExpr:
        return tree.ListExpr(_present(items), self.span(meta))

    def set(self, meta: Meta, *items: Any) -> tree.SetExpr:
        return tree.SetExpr(_present(items), self.span(meta))

    def dict(self, meta: Meta, *entries: Any) -> tree.DictExpr:
        return tree.DictExpr(_present(entries), self.span(meta))

    def entry(self, meta: Meta, key: Any, value: Any) -> Any:
        return key, value

    def mixture(self, meta: Meta, *entries: Any) -> tree.Mixture:
        return tree.Mixture(_present(entries), self.span(meta))

    def glyph(self, meta: Meta, name: LarkToken, glyph: LarkToken) -> tree.Glyph:
        return tree.Glyph(self.named(name), self.text(glyph), self.span(meta))

    def list_comprehension(self, meta: Meta, generator: Any) -> tree.ListComprehension:
        return tree.ListComprehension(generator[0], self.span(meta))

    def set_comprehension(self, meta: Meta, generator: Any) -> tree.SetComprehension:
        return tree.SetComprehension(generator[0], self.span(meta))

    def subset(self, meta: Meta, members: Any, condition: Any) -> tree.Subset:
        return tree.Subset(members, condition, self.span(meta))


_RULES = tuple(
    name
    for name in vars(Build)
    if not name.startswith("_") and name not in ("span", "token_span", "named", "maybe_named", "text")
)


class _GeneratorArguments:
    def __init__(self, generator: tree.Generator, keyword: tree.Argument | None):
        self.generator = generator
        self.keyword = keyword


def _present(items: Any) -> Any:
    return tuple(item for item in items if item is not None)


def _fraction(text: str) -> int | Fraction:
    """The exact value of `0.25` or `1e-6`; exponents are kept small enough to write out."""
    mantissa, _, exponent = text.lower().partition("e")
    scale = max(-400, min(400, int(exponent or 0)))
    value = Fraction(mantissa) * Fraction(10) ** scale
    return int(value) if value.denominator == 1 else value
