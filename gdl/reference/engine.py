"""The reference engine: a game played exactly as its Model says.

Every other engine is judged against this one, so it follows the Model node by node, in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from gdl.diagnostics import GameError
from gdl.diagnostics import faults as wording
from gdl.diagnostics.faults import Fault
from gdl.diagnostics.html import card, facts, raw, words
from gdl.draw.pictures import Picture
from gdl.draw.svg import render_svg
from gdl.draw.text import render_text
from gdl.game import CHANCE, TERMINAL, Axis, Element, Number, Outcome, Traits
from gdl.model.digest import digest
from gdl.model.elements import axes_of, elements_of, ordinals_of, state_of
from gdl.model.nodes import Function, Model
from gdl.model.turn import passing
from gdl.model.types import show_value
from gdl.model.walk import assigned_variables
from gdl.reference import notation
from gdl.reference.chance import first_fault
from gdl.reference.choices import decide
from gdl.reference.closures import SUPPOSED, State
from gdl.reference.interpret import Interpreter
from gdl.reference.moves import Move, MoveFamily
from gdl.reference.observations import compile_view
from gdl.reference.policies import DeclaredPolicy, parse_policy
from gdl.reference.positions import HIDDEN, Layout, Observation, Position, element_indices, format_value
from gdl.reference.random_bits import RandomBits
from gdl.reference.showing import UNSEEN, Artist, compile_show, draw_variables
from gdl.reference.worlds import Asking, Chance, Drawn, EveryWay, NoWay, OneWay, World


class ExplainedOutcome(NamedTuple):
    """An outcome together with what chance did to bring it about, in words.

    `labels` has one entry for each way that leads here, such as `a = 3, b = 5`; none where nothing is drawn.
    """

    position: Position
    probability: Number
    rewards: tuple[Number, ...]
    labels: tuple[str, ...]


class ReferenceGame:
    """A game of the Game protocol, interpreted from its Model with exact numbers.

    Methods raise Fault where the rules of the game break (a value out of range, no legal move, ..).
    """

    def __init__(self, model: Model):
        self.model = model
        self.players = tuple(member.name for member in model.players.members)
        self.layout = Layout(model.variables)
        interpreter = Interpreter(
            model.variables, model.tables, model.functions, model.effects, model.policies
        )
        self._policies = interpreter
        self._terminal = interpreter.section(model.terminal)
        self._player = interpreter.section(model.player)
        self._families = tuple(MoveFamily(move, index, interpreter) for index, move in enumerate(model.moves))
        interpreter.stuck = self.is_stuck
        self._utility = self._per_player(model.utility, interpreter)
        self._evaluate = None if model.evaluate is None else self._per_player(model.evaluate, interpreter)
        self._features = {name: interpreter.section(section) for name, section in model.features.items()}
        handing_on = passing(model)
        self._pass = None if handing_on is None else interpreter.block((handing_on,))
        self._initial = interpreter.compile_happening(model.initial)
        self._view = compile_view(self.layout, interpreter)
        self._draw = None if model.show is None else compile_show(model.show, model, interpreter)
        self._draw_seen = self._draw if model.seen is None else compile_show(model.seen, model, interpreter)

    # ------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def traits(self) -> Traits:
        return self.model.traits

    @cached_property
    def digest(self) -> str:
        """Names the rules with their parameters, for files that belong to them."""
        return digest(self.model)

    # ---------------------------------------------------------------- the rules

    def initial(self) -> list[Outcome]:
        """The initial positions, equal ones merged, in the order in which chance is asked."""
        return self._merge(self._happen(self._start(), None, EveryWay()))

    def to_move(self, position: Position) -> int:
        """The index of the player to move, or CHANCE, or TERMINAL."""
        if position.mover is None:
            try:
                position.mover = self._compute_mover(position.values)
            except Fault as fault:
                raise _located(fault, position) from None
        return position.mover

    def moves(self, position: Position) -> list[Move]:
        """The legal moves by declaration and parameters; where chance is to move, those of positive weight.

        Raises Fault if there are none although the game is not over.
        """
        if self.to_move(position) == TERMINAL:
            return []
        if self.to_move(position) == CHANCE:
            return [move for move, _ in self.chance(position)]
        return self._legal(position)

    def chance(self, position: Position) -> list[tuple[Move, Fraction]]:
        """Where chance is to move: its moves with their probabilities, in proportion to their weights."""
        moves = self._legal(position)
        try:
            weights = [move.family.weight(position.values, move) for move in moves]
            total = sum(weights)
            if not total:
                raise Fault(wording.no_chance_move(self.model.player.span))
        except Fault as fault:
            raise _located(fault, position) from None
        return [(move, weight / total) for move, weight in zip(moves, weights, strict=True) if weight]

    def outcomes(self, position: Position, move: Move) -> list[Outcome]:
        """What a legal move may lead to, equal outcomes merged, in the order in which chance is asked."""
        return self._merge(self._happen(position, move, EveryWay()))

    def outcomes_watched(self, position: Position, move: Move, look: Callable[[int], None]) -> list[Outcome]:
        """As `outcomes`, where that may take long: `look` is told at every draw how many ways for chance to
        go there are so far, and may raise to end it."""
        return self._merge(self._happen(position, move, EveryWay(look)))

    def utility(self, position: Position) -> tuple[Number, ...]:
        try:
            return self._utility(position.values)
        except Fault as fault:
            raise _located(fault, position) from None

    # ------------------------------------------------------------- what positions are made of

    @cached_property
    def elements(self) -> Sequence[Element]:
        return elements_of(self.model)

    @cached_property
    def axes(self) -> Mapping[str, tuple[Axis, ...]]:
        return {variable.name: axes_of(variable) for variable in self.model.variables}

    def ordinals(self, position: Position) -> tuple[int, ...]:
        return tuple(ordinals_of(self.model, position.values))

    def composed(self, ordinals: Sequence[int]) -> Position:
        return Position(state_of(self.model, ordinals), self)

    def afterstate(self, position: Position, move: Move) -> tuple[Position, bool, tuple[Number, ...]]:
        """The position up to the first draw of a move, whether there is one, and what was paid until then."""
        body, frame = move.family.body, move.family.frame(move.values)
        world = World(list(position.values), frame, len(self.players), NoWay())
        try:
            (world,) = body(world)
        except Drawn:  # before any draw there is one world, and it is still this one
            return Position(tuple(world.state), self), True, tuple(world.paid)
        if isinstance(world.signal, Fault):
            raise _located(world.signal, position, move) from None
        return Position(tuple(world.state), self), False, tuple(world.paid)

    # --------------------------------------------------- what chance did, in words

    def explain_initial(self) -> list[ExplainedOutcome]:
        """The initial positions, each with what chance did to reach it."""
        return self._explain(self._happen(self._start(), None, EveryWay(), explain=True))

    def explain_outcomes(self, position: Position, move: Move) -> list[ExplainedOutcome]:
        """The outcomes of a legal move, each with what chance did to bring it about."""
        return self._explain(self._happen(position, move, EveryWay(), explain=True))

    def sample_initial(self, rng: Random) -> ExplainedOutcome:
        """An initial position at random; see `sample`."""
        (only,) = self._explain(self._happen(self._start(), None, _one_way(rng), explain=True))
        return only

    def sample(self, position: Position, move: Move, rng: Random) -> ExplainedOutcome:
        """One outcome of a legal move at random, without listing all.

        Takes 64 bits of the generator, whatever is drawn; see random_bits.py.
        Its probability is that of the draws that were made: that of the outcome, unless other draws lead
        to it as well.
        """
        (only,) = self._explain(self._happen(position, move, _one_way(rng), explain=True))
        return only

    def decided(
        self,
        position: Position | None,
        move: Move | None,
        decide: Callable[[Sequence[Any], Sequence[Fraction]], int],
    ) -> Outcome:
        """One outcome of a legal move, or (None, None) one start, where `decide` says what is drawn: of these
        candidates with these probabilities the number of one."""
        begun = self._start() if position is None else position
        (only,) = self._merge(self._happen(begun, move, Asking(decide)))
        return only

    # ------------------------------------------------------------------- policies

    @property
    def policies(self) -> Mapping[str, str]:
        """The policies of the file by name, each as it is declared: `hold_at(n: 1..100)`."""
        return {name: policy.signature for name, policy in self.model.policies.items()}

    def policy(self, text: str) -> DeclaredPolicy:
        """The policy that the text means, such as `hold_at(25)`; raises GameError where it means none."""
        return parse_policy(self, text)

    def decide(self, policy: DeclaredPolicy, position: Position, mover: int) -> dict[Move, Fraction]:
        """What a policy does: the moves that it may make, with their probabilities."""
        return self.decide_among(policy, position, mover, self.moves(position))

    def decide_among(
        self, policy: DeclaredPolicy, position: Position, mover: int, legal: Sequence[Move]
    ) -> dict[Move, Fraction]:
        """The same where the legal moves are known."""
        compiled = self._policies.policy(policy.declared.name)
        try:
            return decide(compiled, policy.arguments, position.values, mover, legal)
        except Fault as fault:
            raise _located(fault, position) from None

    # --------------------------------------------------------- knowledge for search

    def features(self, position: Position) -> Mapping[str, Number]:
        try:
            return {name: section(position.values, []) for name, section in self._features.items()}
        except Fault as fault:
            raise _located(fault, position) from None

    def evaluate(self, position: Position) -> tuple[Number, ...] | None:
        if self._evaluate is None:
            return None
        try:
            return self._evaluate(position.values)
        except Fault as fault:
            raise _located(fault, position) from None

    def is_stuck(self, state: State) -> bool:
        """Whether no move is legal in a position that is given by its values, over or not."""
        return not any(family.is_legal(state) for family in self._families)

    def passed(self, position: Position) -> Position | None:
        """The position if the mover passed: the turn handed on, nothing else changed (`gdl.game.Passing`)."""
        if self._pass is None:
            return None
        state = list(position.values)
        self._pass(state, [], SUPPOSED)
        return Position(tuple(state), self)

    # ---------------------------------------------------------- hidden information

    def observation(self, position: Position, player: int) -> Observation:
        """What the player sees of the position."""
        try:
            return Observation(self._view(position.values, player), player, self)
        except Fault as fault:
            raise _located(fault, position) from None

    def observed_move(self, move: Move, player: int, mover: int) -> Move:
        """The move as the player sees it made: the parameters of a secret move are the mover's alone."""
        return move.concealed() if move.family.secret and player != mover else move

    def observed_parts(self, observation: Observation) -> dict[tuple[str, tuple[str, ...]], str]:
        """What is seen, element by element: the variable and its indices, with the value; `?` what is
        hidden."""
        found = {}
        for name, place in self.layout.places.items():
            variable = self.layout.variables[name]
            values = observation.values[place]
            for combination, value in zip(element_indices(variable), values, strict=True):
                indices = zip(variable.indices, combination, strict=True)
                named = tuple(show_value(type_, index) for type_, index in indices)
                found[name, named] = format_value(variable.type, value)
        return found

    # -------------------------------------------------------------- text and pictures

    def format_position(self, position: Position) -> str:
        return str(position)

    def parse_position(self, text: str) -> Position:
        """The position described by `name=value ..`, all else as at the start; raises GameError."""
        return Position(notation.parse_position(self.layout, text, self._begin), self)

    def _begin(self) -> notation.Start:
        """Where play begins, and what is drawn: all that `initial` changes, where that cannot be listed."""
        try:
            starts = [outcome.position.values for outcome in self.initial()]  # type: ignore[attr-defined]
        except GameError:
            changed = assigned_variables(self.model, self.model.initial.body)
            return notation.Start(self.layout.defaults, frozenset(changed))
        drawn = {
            name
            for name, place in self.layout.places.items()
            if any(values[place] != starts[0][place] for values in starts)
        }
        return notation.Start(starts[0], frozenset(drawn))

    def format_move(self, move: Move) -> str:
        return str(move)

    def parse_move(self, position: Position, text: str) -> Move:
        """The legal move that the text means; raises GameError naming the legal or the matching ones."""
        return notation.parse_move(self._families, self.moves(position), text)

    def picture(self, position: Position) -> Picture:
        """The position drawn as `show` says, as data."""
        return self._drawn(self._draw, position, position.values, None)

    def observed_picture(self, position: Position, player: int) -> Picture:
        """What a player sees, drawn as `show(p)` says or else `show`, with `?` for what is hidden."""
        values = self.observation(position, player).values
        if self._draw_seen is not None:
            values = tuple(UNSEEN if value is HIDDEN else value for value in values)
        return self._drawn(self._draw_seen, position, values, player)

    def _drawn(
        self, draw: Artist | None, position: Position, values: tuple[Any, ...], viewer: int | None
    ) -> Picture:
        if draw is None:
            return draw_variables(self.layout, values)
        try:
            return draw(values, viewer)
        except Fault as fault:
            raise _located(fault, position) from None

    def show(self, position: Position) -> str:
        """The position drawn as text."""
        return render_text(self.picture(position))

    def show_observation(self, position: Position, player: int) -> str:
        """What the player sees, drawn as text, with `?` for what is hidden."""
        return render_text(self.observed_picture(position, player))

    def svg(self, position: Position) -> str:
        """The position drawn as an `<svg>` element."""
        return render_svg(self.picture(position))

    def __repr__(self) -> str:
        settings = "".join(f", {p.name}={p.value}" for p in self.model.parameters)
        return f"<game {self.name}{settings}>"

    def _repr_html_(self) -> str:
        settings = ", ".join(f"{p.name}={p.value}" for p in self.model.parameters)
        start = self.sample_initial(Random(0)).position
        known = [("players", ", ".join(self.players)), ("class", self.traits.class_of_game)]
        about = self.model.doc.strip().partition("\n\n")[0]
        return card(self.name, words(about), facts(known), raw(self.svg(start)), beside=settings)

    # --------------------------------------------------------------------- helpers

    def _start(self) -> Position:
        return Position(self.layout.defaults, self)

    def _compute_mover(self, state: State) -> int:
        if self._terminal(state, []):
            return TERMINAL
        mover: int = self._player(state, [])
        return CHANCE if mover == len(self.players) else mover

    def _legal(self, position: Position) -> list[Move]:
        found: list[Move] = []
        try:
            for otherwise in (False, True):
                for family in self._families:
                    if family.otherwise is otherwise:
                        family.find(position.values, found)
                if found:
                    return found
            raise Fault(wording.no_move(self.model.terminal.span))
        except Fault as fault:
            raise _located(fault, position) from None

    def _per_player(
        self, function: Function, interpreter: Interpreter
    ) -> Callable[[State], tuple[Number, ...]]:
        compiled = interpreter.compile_function(function)
        body, (slot,), size, count = compiled.body, compiled.slots, compiled.frame, len(self.players)

        def each(state: State) -> tuple[Number, ...]:
            result = []
            for player in range(count):
                frame = [None] * size
                frame[slot] = player  # type: ignore[call-overload]
                result.append(body(state, frame))
            return tuple(result)

        return each

    def _happen(
        self, position: Position, move: Move | None, chance: Chance, explain: bool = False
    ) -> Sequence[World]:
        """The worlds that come of making a move, or of `initial` where the move is None."""
        if move is None:
            body, frame = self._initial.body, [None] * self._initial.frame
        else:
            body, frame = move.family.body, move.family.frame(move.values)
        worlds = body(World(list(position.values), frame, len(self.players), chance, explain))
        if fault := first_fault(worlds):
            raise _located(fault, position, move) from None
        return worlds

    def _merge(self, worlds: Sequence[World]) -> list[Outcome]:
        """One outcome for all worlds with the same state and rewards, in the order of the first of each."""
        probabilities: dict[_Key, Fraction] = {}
        for world in worlds:
            key = (tuple(world.state), tuple(world.paid))
            before = probabilities.get(key)
            probabilities[key] = world.probability if before is None else before + world.probability
        return [
            Outcome(Position(values, self), probability, rewards)
            for (values, rewards), probability in probabilities.items()
        ]

    def _explain(self, worlds: Sequence[World]) -> list[ExplainedOutcome]:
        """The merged outcomes with the labels of all worlds that lead to them."""
        labels: dict[_Key, dict[str, None]] = {}
        for world in worlds:
            known = labels.setdefault((tuple(world.state), tuple(world.paid)), {})
            if world.trail:
                known[", ".join(world.trail)] = None
        return [
            ExplainedOutcome(outcome.position, outcome.probability, outcome.rewards, tuple(known))  # type: ignore[arg-type]
            for outcome, known in zip(self._merge(worlds), labels.values(), strict=True)
        ]


def _one_way(rng: Random) -> OneWay:
    return OneWay(RandomBits(rng.getrandbits(64)))


_Key = tuple[tuple[Any, ...], tuple[Number, ...]]
"""What makes outcomes the same: the values of the position and the rewards."""


def _located(fault: Fault, position: Position, move: Move | None = None) -> Fault:
    """The fault with the position and the move in which it arose."""
    return fault.at(position, str(position), move, None if move is None else str(move))
