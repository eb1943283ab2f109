"""From the syntax tree to the Model: all parts of the game checked, all mistakes collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from gdl.check import endings, limits, move_names, starting, traits, unused, zero_sum
from gdl.check.arithmetic import negate
from gdl.check.coerce import coerce
from gdl.check.constants import constant, evaluate
from gdl.check.context import Body, Checker, Failed, FunctionInfo
from gdl.check.declarations import body_of, declare_all, judge_effects, parameter_of
from gdl.check.expectations import expectation, misread
from gdl.check.expressions import expect_number, number
from gdl.check.habits import utilities_text
from gdl.check.leaks import leaks
from gdl.check.moves import move
from gdl.check.peeking import peeks
from gdl.check.policies import declare_policies
from gdl.check.relations import contains, is_numeric, union_of
from gdl.check.shows import show
from gdl.check.statements import assigned_names, block, with_returns
from gdl.check.types import needs_start
from gdl.diagnostics import Diagnostic, Severity, Span, sort_diagnostics
from gdl.diagnostics import wording as say
from gdl.game import Traits
from gdl.model import nodes as m
from gdl.model.types import BOOL, CHANCE, Int, Player, Rational, Type, Union, bits, from_ordinal, show_value
from gdl.syntax import tree

Bounds = tuple[tuple[Fraction, Fraction], ...]
"""The least and the greatest value, for each player."""

MAX_BITS = 1 << 20


def check(
    file: tree.File, params: Mapping[str, Any] | None = None
) -> tuple[m.Model | None, tuple[Diagnostic, ...]]:
    """The Model of a game (None where there are errors), and every diagnostic in the order of the file."""
    model, found, _ = check_closely(file, params)
    return model, found


def check_closely(
    file: tree.File, params: Mapping[str, Any] | None = None
) -> tuple[m.Model | None, tuple[Diagnostic, ...], Checker]:
    """As `check`, with all that the checker knows of the text at the end."""
    checker = Checker(file, dict(params or {}))
    try:
        model = _Game(checker).model()
    except Failed:
        model = None
    except RecursionError:
        checker.report(say.nested_too_deeply(Span(file.source, 0, 0)))
        model = None
    found = sort_diagnostics(checker.diagnostics)
    if any(d.severity is Severity.ERROR for d in found):
        return None, found, checker
    return model, found, checker


class _Game:
    """Collects the sections and puts the Model together."""

    def __init__(self, checker: Checker):
        self.checker = checker
        self.items = checker.file.items
        self.sections: dict[str, tree.Item] = {}
        self.start = Span(checker.source, 0, 0)

    def model(self) -> m.Model:
        checker = self.checker
        self._collect_sections()
        if "game" in self.sections:
            self.start = self.sections["game"].span
        self._unknown_params()
        declare_all(checker)
        name = self._name()
        self._require()
        parameters = self._parameters()
        variables = self._variables()
        self._declared()
        initial = self._initial(variables)
        terminal = self._terminal()
        if (
            terminal is not None
            and not isinstance(terminal.body, tuple)
            and not isinstance(terminal.body, m.Const)
        ):
            checker.terminal = terminal.body
        player = self._player()
        moves, bodies = self._moves(isinstance(player.type, Union) if player else True)
        utility, bounds, cancels, moves = self._utility(moves)
        if terminal is not None and player is not None and utility is not None and "stuck" in self.sections:
            with checker.attempt():
                payoff, paid, even = self._as_gains(*self._stuck(player))
                terminal, utility = endings.or_stuck(checker, terminal, utility, payoff)
                bounds = tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(bounds, paid, strict=True))
                cancels = cancels and even
        counted: tuple[m.Variable, ...] = ()
        if terminal is not None and utility is not None and "limit" in self.sections:
            with checker.attempt():
                terminal, utility, moves, paid, even, counted = self._limit(terminal, utility, moves)
                bounds = tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(bounds, paid, strict=True))
                cancels = cancels and even
        endless = self._endless(bounds)
        discount = self._discount()
        features = self._features()
        policies = self._policies(moves)
        evaluate = self._evaluate()
        shown, seen = self._show("show"), self._show("show(p)")
        expectations = self._expectations()
        self._never_called()
        judge_effects(checker)
        if player is not None and terminal is not None:
            unused.warn(checker, self.sections, variables, bodies, player, terminal)
        errors = any(d.severity is Severity.ERROR for d in checker.diagnostics)
        if errors or player is None or terminal is None or utility is None:
            raise Failed
        if not any(_always_legal(move) for move in moves) and not endings.holds_if_stuck(terminal):
            checker.obligations.append(say.moves_left_open(moves[0].span))
        draft = m.Model(
            name=name,
            doc="\n\n".join(item.text for item in self.items if isinstance(item, tree.Doc)),
            source=checker.source,
            parameters=parameters,
            players=checker.players,
            types=MappingProxyType({n: d.result for n, d in sorted(checker.types.items())}),
            tables=MappingProxyType(dict(sorted(checker.tables.items()))),
            variables=(*variables, *counted),
            functions=MappingProxyType(dict(sorted(checker.functions.items()))),
            effects=MappingProxyType(dict(sorted(checker.model_effects.items()))),
            initial=initial,
            player=player,
            terminal=terminal,
            utility=utility,
            discount=discount,
            endless=endless,
            moves=moves,
            policies=MappingProxyType(policies),
            features=MappingProxyType(features),
            evaluate=evaluate,
            show=shown,
            seen=seen,
            expectations=expectations,
            utility_bounds=bounds,
            minimise="minimise" in self.sections,
            traits=_NO_TRAITS,
            warnings=(),
            obligations=sort_diagnostics(checker.obligations),
        )
        if not checker.overrides:  # the lines are about the parameters of the file
            checker.diagnostics.extend(misread(draft))
        if any(d.severity is Severity.ERROR for d in checker.diagnostics):
            raise Failed
        checker.diagnostics.extend(leaks(draft))
        checker.diagnostics.extend(peeks(draft))
        is_zero_sum = cancels and checker.zero_sum_rewards and not sum(endless)
        return traits.inferred(draft, is_zero_sum, checker.diagnostics)

    # -------------------------------------------------------------- sections

    def _collect_sections(self) -> None:
        """Each section once: the second of a kind is a mistake."""
        for item in self.items:
            keyword = _keyword(item)
            if keyword is None:
                continue
            if keyword in self.sections:
                self.checker.report(say.section_twice(item.span, keyword, self.sections[keyword].span))
            else:
                self.sections[keyword] = item

    def _unknown_params(self) -> None:
        known = [item.name.id for item in self.items if isinstance(item, tree.Param)]
        for name in self.checker.overrides:
            if name not in known:
                self.checker.report(say.unknown_param(name, known))

    def _require(self) -> None:
        has_reward = any(word in item.span.text for item in self.items for word in ("reward", "cost"))
        discounted = "discount" in self.sections
        wanted = {
            "game": "game my_game",
            "players": "players: first, second",
            "position:": "position:\n    n: 0..10 = 0",
            "player:": "player: turn",
            "terminal:": "terminal: n == 0",
            "utility:": "utility: 1",
        }
        for keyword, example in wanted.items():
            name = keyword.rstrip(":")
            if name in self.sections:
                continue
            if name == "player" and self.checker.players.size <= 1:
                continue
            if name == "utility" and (has_reward or "minimise" in self.sections):
                continue
            if name == "terminal" and discounted:
                continue
            other_ends = {"stuck", "limit"} & self.sections.keys()
            pays_anyway = name == "utility" and "terminal" not in self.sections
            if other_ends and (name == "terminal" or pays_anyway):
                continue
            self.checker.report(say.missing_section(self.start, keyword, example))
        if not any(isinstance(item, tree.Move) for item in self.items):
            self.checker.report(say.no_moves(self.start))

    def _name(self) -> str:
        item = self.sections.get("game")
        return item.name.id if isinstance(item, tree.GameName) else "game"

    def _parameters(self) -> tuple[m.Parameter, ...]:
        found = []
        for item in self.items:
            if isinstance(item, tree.Param):
                declaration = self.checker.values[item.name.id]
                with self.checker.attempt():
                    used = declaration.used
                    self.checker.resolve(declaration, item.span)
                    declaration.used = used
                    found.append(parameter_of(self.checker, item))
        return tuple(found)

    def _variables(self) -> tuple[m.Variable, ...]:
        found: list[m.Variable] = []
        item = self.sections.get("position")
        if not isinstance(item, tree.PositionItem):
            return ()
        for node in item.variables:
            with self.checker.attempt():
                declaration = self.checker.values[node.name.id]
                if declaration.kind == "variable":
                    used = declaration.used
                    self.checker.resolve(declaration, node.span)
                    declaration.used = used
                    variable = self.checker.variables[node.name.id]
                    found.append(variable)
                    if variable.length is not None:
                        found.append(self.checker.variables[variable.length])
        total = sum(bits(v.type) * v.count for v in found)
        if total > MAX_BITS:
            self.checker.report(say.position_too_large(item.span, total, MAX_BITS))
        return tuple(found)

    def _declared(self) -> None:
        """Works out every remaining declaration, used or not, so that its mistakes are reported."""
        for declaration in (*self.checker.values.values(), *self.checker.effects.values()):
            used = declaration.used
            with self.checker.attempt():
                self.checker.resolve(declaration, declaration.span)
            declaration.used = used

    def _never_called(self) -> None:
        """What is wrong with a def is said where it is called; here of those that nothing calls, and of
        features, which are computed everywhere."""
        for declaration in self.checker.values.values():
            if isinstance(declaration.result, FunctionInfo) and (
                not declaration.used or declaration.kind == "feature"
            ):
                for diagnostic in declaration.result.wrong:
                    self.checker.report(diagnostic)

    def _initial(self, variables: tuple[m.Variable, ...]) -> m.Effect:
        item = self.sections.get("initial")
        body = Body(self.checker, "`initial:`")
        made: m.Block = ()
        given: set[str] = set()
        if isinstance(item, tree.Initial):
            made = block(body, item.body)
            given = body.assigns | assigned_names(self.checker, item.body)
        found = m.Effect("initial", (), body.frame, made, body.draws, item.span if item else self.start)
        open_ = self._without_default(variables)
        for variable in open_:
            if variable.name not in given:
                example = show_value(variable.type, from_ordinal(variable.type, 0))
                self.checker.report(say.no_initial_value(variable.span, variable.name, example))
        if open_ and not any(d.severity is Severity.ERROR for d in self.checker.diagnostics):
            for diagnostic in starting.mistakes(self.checker, found, open_):
                self.checker.report(diagnostic)
        return found

    def _without_default(self, variables: tuple[m.Variable, ...]) -> list[m.Variable]:
        """The variables that have no value until they are given one."""
        position = self.sections.get("position")
        if not isinstance(position, tree.PositionItem):
            return []
        without = {node.name.id for node in position.variables if node.default is None}
        return [v for v in variables if v.name in without and v.length is None and needs_start(v.type)]

    def _section(self, keyword: str, expected: Type | None) -> tuple[Body, m.Expr | m.Block, Type] | None:
        item = self.sections.get(keyword)
        if not isinstance(item, tree.Section):
            return None
        body = Body(self.checker, f"`{keyword}:`")
        if keyword == "player":
            body.assume_terminal(False)
        try:
            made, type_ = body_of(body, item.body, expected, tree.Name(keyword, item.span))
        except Failed:
            return None
        return body, made, type_

    def _player(self) -> m.Section | None:
        players = self.checker.players
        if "player" not in self.sections and players.size == 1:
            return m.Section(0, m.Const(0, players, self.start), players, self.start)
        with_chance = union_of([players, CHANCE])
        found = self._section("player", players)
        if found is None:
            return None
        body, made, type_ = found
        span = self.sections["player"].span
        target = players if type_ == players else with_chance
        if not contains(target, type_):
            self.checker.report(say.not_a_player(span, type_))
            return None
        return m.Section(body.frame, _converted(body, made, target), target, span)

    def _terminal(self) -> m.Section | None:
        if "terminal" not in self.sections:
            return m.Section(0, m.Const(False, BOOL, self.start), BOOL, self.start)
        found = self._section("terminal", BOOL)
        if found is None:
            return None
        body, made, type_ = found
        span = self.sections["terminal"].span
        if type_ != BOOL:
            self.checker.report(say.not_a_condition(span, type_))
            return None
        return m.Section(body.frame, made, BOOL, span)

    def _moves(self, chance_moves: bool) -> tuple[tuple[m.Move, ...], list[Body]]:
        moves: list[m.Move] = []
        bodies: list[Body] = []
        seen: dict[str, Span] = {}
        for item in self.items:
            if not isinstance(item, tree.Move):
                continue
            if item.name.id in seen:
                self.checker.report(say.declared_twice(item.name.span, item.name.id, seen[item.name.id]))
                continue
            seen[item.name.id] = item.name.span
            with self.checker.attempt():
                made, body = move(self.checker, item, chance_moves)
                moves.append(made)
                bodies.append(body)
        for diagnostic in move_names.ambiguous(self.checker, moves):
            self.checker.report(diagnostic)
        return tuple(moves), bodies

    # ------------------------------------------------------------- utilities

    def _utility(
        self, moves: tuple[m.Move, ...]
    ) -> tuple[m.Function | None, Bounds, bool, tuple[m.Move, ...]]:
        """The utility of each player, its bounds, whether the two of a duel cancel, and the moves, which may
        cost something."""
        try:
            if "minimise" in self.sections:
                return self._minimised(moves)
            if "utility" in self.sections:
                return *self._per_player("utility"), moves
        except Failed:
            return None, (), False, moves
        return *self._nothing(), moves

    def _nothing(self) -> tuple[m.Function, Bounds, bool]:
        """A utility of 0 for everybody."""
        players = self.checker.players
        zero = m.Const(0, Int(0, 0), self.start)
        bounds = ((Fraction(0), Fraction(0)),) * players.size
        formal = m.Formal("p", 0, players)
        return m.Function("utility", (formal,), 1, zero, zero.type, self.start), bounds, players.size == 2

    def _minimised(self, moves: tuple[m.Move, ...]) -> tuple[m.Function, Bounds, bool, tuple[m.Move, ...]]:
        """`minimise: e`, the opposite of a utility; `moves` in it is what every move costs."""
        checker, item = self.checker, self.sections["minimise"]
        assert isinstance(item, tree.Section)
        if "utility" in self.sections:
            checker.fail(say.utility_and_costs(item.span, self.sections["utility"].span))
        own_name = "moves" in checker.values
        rest, by_moves = (item.body, False) if own_name else limits.without_moves(item.body)
        if by_moves:
            moves = limits.costing(checker, moves, item.argument is not None, item.span)
            if item.argument is not None:
                checker.zero_sum_rewards = False
        if rest is None:
            if item.argument is None and checker.players.size > 2:
                checker.fail(say.utility_needs_player(item.span, checker.players.size))
            return *self._nothing(), moves
        self.sections["minimise"] = replace(item, body=rest)
        return *self._as_gains(*self._per_player("minimise")), moves

    def _as_gains(self, cost: m.Function, bounds: Bounds, cancels: bool) -> tuple[m.Function, Bounds, bool]:
        """What a section says of each player: in a game that minimises a cost, the opposite of a gain."""
        if "minimise" not in self.sections:
            return cost, bounds, cancels
        name, span = f"cost by {cost.name}", cost.span
        self.checker.functions[name] = replace(cost, name=name)
        (formal,) = cost.formals
        asked = m.Local(0, formal.name, formal.type, span)
        own = negate(Body(self.checker, "`minimise:`"), m.Call(name, (asked,), cost.type, span), span)
        utility = m.Function("utility", (replace(formal, slot=0),), 1, own, own.type, span)
        return utility, tuple((-high, -low) for low, high in bounds), cancels

    def _limit(
        self, terminal: m.Section, utility: m.Function, moves: tuple[m.Move, ...]
    ) -> tuple[m.Section, m.Function, tuple[m.Move, ...], Bounds, bool, tuple[m.Variable, ...]]:
        """The game with an end after so many moves, what that pays, and the variable that counts them."""
        item = self.sections["limit"]
        assert isinstance(item, tree.Section) and item.moves is not None
        payoff, paid, even = self._as_gains(*self._per_player("limit"))
        most = limits.count_of(self.checker, item.moves)
        if most is None:
            return terminal, utility, moves, paid, even, ()
        counter = limits.counter(self.checker, most, item.moves.span)
        terminal, utility = limits.or_limit(self.checker, counter, terminal, utility, payoff)
        return terminal, utility, limits.counting(counter, moves), paid, even, (counter,)

    def _per_player(self, keyword: str) -> tuple[m.Function, Bounds, bool]:
        """`keyword: e` (the first player's, the second's negative) or `keyword(p): e` as a function of p.

        With its bounds for each player, and whether it is known to sum to 0 over two players.
        """
        checker, players = self.checker, self.checker.players
        item = self.sections[keyword]
        assert isinstance(item, tree.Section)
        name = tree.Name(keyword, item.span)
        self._refuse_list(item)
        if item.argument is None and players.size > 2:
            checker.fail(say.utility_needs_player(item.span, players.size))
        if item.argument is not None:
            return self._general(item, name, players)
        body = self._player_body(keyword)
        formal = m.Formal("p", body.slot(), players)
        made, type_ = body_of(body, item.body, None, name)
        _expect_number(checker, item, type_)
        bounds = [_bounds(type_)]
        if players.size == 1:
            return m.Function(keyword, (formal,), body.frame, made, type_, item.span), tuple(bounds), False
        bounds.append((-bounds[0][1], -bounds[0][0]))
        inner = m.Function(f"{keyword} of {players.members[0].name}", (), body.frame, made, type_, item.span)
        checker.functions[inner.name] = inner
        own = m.Call(inner.name, (), type_, item.span)
        other = negate(body, own, item.span)
        common = _hull(bounds, isinstance(type_, Int))
        is_first = m.Compare(
            "==",
            m.Local(formal.slot, "p", players, item.span),
            m.Const(0, players, item.span),
            BOOL,
            item.span,
        )
        both = m.Conditional(is_first, own, other, common, item.span)
        return m.Function(keyword, (formal,), 1, both, common, item.span), tuple(bounds), True

    def _refuse_list(self, item: tree.Section) -> None:
        """`utility: {first: 1, second: -1}`: what each player gets is written with the player as argument."""
        written = utilities_text(item.body, self.checker.players)
        if written is not None and item.argument is None and not isinstance(item.body, tree.Block):
            whole = Span(item.span.source, item.span.start, item.body.span.end)
            self.checker.fail(say.utilities_listed(item.body.span, whole, item.keyword, written or None))

    def _general(
        self, item: tree.Section, name: tree.Name, players: Player
    ) -> tuple[m.Function, Bounds, bool]:
        """Checked once for any player, and once for each, which gives tighter bounds."""
        checker = self.checker
        assert item.argument is not None
        bounds, values = [], []
        before = len(checker.diagnostics), len(checker.obligations)
        for index in range(players.size):
            body = self._player_body(name.id)
            local = body.declare(item.argument, players, "parameter")
            local.constant = m.Const(index, players, item.argument.span)
            value, type_ = body_of(body, item.body, None, name)
            _expect_number(checker, item, type_)
            values.append(value)
            bounds.append(_bounds(type_))
        del checker.diagnostics[before[0] :], checker.obligations[before[1] :]
        body = self._player_body(name.id)
        local = body.declare(item.argument, players, "parameter")
        made, type_ = body_of(body, item.body, None, name)
        formal = m.Formal(item.argument.id, local.slot, players)
        cancels = players.size == 2 and zero_sum.cancel(*values)
        return m.Function(name.id, (formal,), body.frame, made, type_, item.span), tuple(bounds), cancels

    def _player_body(self, keyword: str) -> Body:
        body = Body(self.checker, f"`{keyword}:`")
        if keyword in ("utility", "minimise"):
            body.assume_terminal(True)
        return body

    def _stuck(self, player: m.Section) -> tuple[m.Function, Bounds, bool]:
        """What each player gets where nobody can move; `stuck: e` is what the player to move gets."""
        checker, players = self.checker, self.checker.players
        item = self.sections["stuck"]
        assert isinstance(item, tree.Section)
        name = tree.Name("stuck", item.span)
        if item.argument is not None:
            return self._general(item, name, players)
        if players.size > 2:
            checker.fail(say.utility_needs_player(item.span, players.size))
        if isinstance(player.type, Union):
            checker.fail(say.stuck_chance(item.span))
        body = self._player_body("stuck")
        made, type_ = body_of(body, item.body, None, name)
        _expect_number(checker, item, type_)
        lo, hi = _bounds(type_)
        if players.size == 2:
            lo, hi = min(lo, -hi), max(hi, -lo)
        own = m.Section(body.frame, made, type_, item.span)
        payoff = endings.of_the_mover(checker, own, player, _hull([(lo, hi)], isinstance(type_, Int)))
        return payoff, ((lo, hi),) * players.size, players.size == 2

    def _endless(self, bounds: Bounds) -> tuple[Fraction, ...]:
        """What a play that never ends is worth: what the file says; if nothing 0, and where costs are to be
        small as much as the dearest end."""
        minimise = "minimise" in self.sections
        found = self._endless_given()
        if found is None:
            if not minimise or not bounds:
                return (Fraction(0),) * self.checker.players.size
            dearest = tuple(low for low, _ in bounds)
            return (dearest[0], -dearest[0]) if len(bounds) == 2 else dearest
        return tuple(-value for value in found) if minimise else found

    def _endless_given(self) -> tuple[Fraction, ...] | None:
        players = self.checker.players
        item = self.sections.get("endless")
        if not isinstance(item, tree.Section):
            return None
        try:
            if item.argument is None:
                if players.size > 2:
                    self.checker.fail(say.utility_needs_player(item.span, players.size))
                value = self._constant_number(item.body)
                return (value, -value)[: players.size]
            found = []
            for index in range(players.size):
                body = Body(self.checker, "`endless:`", position=False)
                local = body.declare(item.argument, players, "parameter")
                local.constant = m.Const(index, players, item.argument.span)
                expr = number(body, item.body, "`endless:`")  # type: ignore[arg-type]
                found.append(Fraction(evaluate(self.checker, expr, "`endless:`").value))
            return tuple(found)
        except Failed:
            return (Fraction(0),) * players.size

    def _constant_number(self, node: Any) -> Fraction:
        value = constant(self.checker, node, "this number")
        if not is_numeric(value.type):
            self.checker.fail(say.not_a_number(node.span, "this", value.type))
        return Fraction(value.value)

    def _discount(self) -> Fraction:
        item = self.sections.get("discount")
        if not isinstance(item, tree.Section):
            return Fraction(1)
        try:
            value = self._constant_number(item.body)
        except Failed:
            return Fraction(1)
        if not 0 <= value <= 1:
            self.checker.report(say.bad_discount(item.span))
        return value

    # ---------------------------------- policies, features, show, expectations

    def _policies(self, moves: tuple[m.Move, ...]) -> dict[str, m.Policy]:
        self.checker.moves = {made.name: (place, made) for place, made in enumerate(moves)}
        declare_policies(self.checker)
        found = {}
        for declaration in self.checker.policies.values():
            with self.checker.attempt():
                found[declaration.name] = self.checker.resolve(declaration, declaration.span)
        return found

    def _features(self) -> dict[str, m.Section]:
        found = {}
        for item in self.items:
            if isinstance(item, tree.Feature):
                with self.checker.attempt():
                    info = self.checker.resolve(self.checker.values[item.name.id], item.span)
                    function: m.Function = info.function
                    found[item.name.id] = m.Section(
                        function.frame, function.body, function.type, item.name.span
                    )
        return found

    def _evaluate(self) -> m.Function | None:
        if "evaluate" not in self.sections:
            return None
        try:
            return self._as_gains(*self._per_player("evaluate"))[0]
        except Failed:
            return None

    def _show(self, keyword: str) -> m.Show | None:
        item = self.sections.get(keyword)
        if not isinstance(item, tree.Show):
            return None
        try:
            return show(self.checker, item)
        except Failed:
            return None

    def _expectations(self) -> tuple[m.Expectation, ...]:
        found = []
        for item in self.items:
            if isinstance(item, tree.Expect):
                with self.checker.attempt():
                    found.append(expectation(self.checker, item))
        return tuple(found)


_NO_TRAITS = Traits(0, False, True, True, True, False, True)


def _keyword(item: tree.Item) -> str | None:
    match item:
        case tree.GameName():
            return "game"
        case tree.Players():
            return "players"
        case tree.PositionItem():
            return "position"
        case tree.Initial():
            return "initial"
        case tree.Section():
            return item.keyword
        case tree.Show():
            return "show" if item.argument is None else "show(p)"
    return None


def _converted(body: Body, made: m.Expr | m.Block, target: Type) -> m.Expr | m.Block:
    if isinstance(made, tuple):
        return with_returns(made, lambda value: coerce(body, value, target, "`player:`"))
    return coerce(body, made, target, "`player:`")


def _expect_number(checker: Checker, item: tree.Section, type_: Type) -> None:
    what = f"`{item.keyword}:`"
    if not isinstance(item.body, tree.Block):
        expect_number(checker, type_, item.body.span, what)
    elif not is_numeric(type_):  # what one of its `return`s may be
        checker.fail(say.not_a_number(item.body.span, what, type_))


def _bounds(type_: Type) -> tuple[Fraction, Fraction]:
    assert isinstance(type_, Int | Rational)
    return Fraction(type_.lo), Fraction(type_.hi)


def _hull(bounds: list[tuple[Fraction, Fraction]], whole: bool) -> Type:
    lo, hi = min(b[0] for b in bounds), max(b[1] for b in bounds)
    return Int(int(lo), int(hi)) if whole else Rational(lo, hi)


def _always_legal(move: m.Move) -> bool:
    """Whether a move is plainly legal in every position: nothing is asked of it or of its parameters."""
    return (
        not move.guards
        and move.weight is None
        and all(isinstance(p.domain, m.TypeDomain) and not p.guards for p in move.parameters)
    )
