"""Comparing the native engine with the reference engine, position by position."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from random import Random
from typing import Any

from gdl.diagnostics import GameError, Source
from gdl.game import TERMINAL
from gdl.loading import load_model
from gdl.model.nodes import Model
from gdl.model.types import from_ordinal
from gdl.native.engine import NativeGame
from gdl.native.stepping import Stepper, Stopped
from gdl.reference.engine import ReferenceGame
from gdl.reference.policies import DeclaredPolicy
from gdl.reference.positions import Position
from tests.native.random_plays import playouts_agree

MOST_MOVES = 12
"""Of more legal moves than this, so many are made, spread evenly."""


SMALL = 200
"""So many positions of a generated game are compared; most have fewer."""


class Pair:
    """One game on both engines; `compare` checks everything that can be asked of a position, its policies in
    the first few positions only."""

    def __init__(self, model: Model, decided: int):
        self.decided = decided
        self.reference = ReferenceGame(model)
        self.native = NativeGame(model)
        self.players = range(len(self.reference.players))

    def initial(self) -> list[Any]:
        """The initial positions, after checking that both engines agree on them; none after a fault."""
        return self._positions(self._both("initial"))

    def compare(self, position: Any) -> list[tuple[Any, list[Any]]]:
        """Checks one position; gives its moves with the positions that each may lead to."""
        values = position.values
        mover = self._both("to_move", values)
        if mover is None:
            return []
        self._check_packing(values)
        for player in self.players:
            self._both("observation", values, player)
        self._both("features", values)
        self._both("evaluate", values)
        if mover == TERMINAL:
            self._both("utility", values)
            assert self.native.moves(self._native(values)) == []
            return []
        if mover < 0:
            self._both("chance", values)
        moves = self._both("moves", values)
        if mover >= 0 and moves and self.decided > 0:
            self.decided -= 1
            self._check_policies(values, mover)
        found = []
        for move in _spread(moves or [], MOST_MOVES):
            outcomes = self._both("outcomes", values, move)
            found.append((move, self._positions(outcomes)))
            if outcomes is not None:
                self._check_sample(values, move)
        return found

    def _native(self, values: tuple[Any, ...]) -> Any:
        return self.native.position(self.native.form(_position(values, self.native)))

    def _check_packing(self, values: tuple[Any, ...]) -> None:
        position = _position(values, self.native)
        assert self.native.position(self.native.form(position)).values == values
        assert self.native.unpack(self.native.key(position)).values == values
        form = self.native.form(position)
        assert self.native.form(self.native.unpack(self.native.key(position))) == form

    def _check_sample(self, values: tuple[Any, ...], move: Any) -> None:
        """The same random bits lead to the same outcome."""
        bits = Random(f"{values} {move}").getrandbits(64)
        steps = Stepper(self.native)
        steps.put(_position(values, self.native))
        try:
            steps.make(self.native.move_number(move), bits)
        except Stopped:  # numbers beyond the registers: the outcomes agree, so it is no fault
            return
        sampled = self.reference.sample(_position(values, self.reference), move, _Fixed(bits))
        assert steps.position().values == sampled.position.values, f"sample {bits} of {move} in {values}"
        assert steps.rewards() == [float(reward) for reward in sampled.rewards]

    def _check_policies(self, values: tuple[Any, ...], mover: int) -> None:
        """Declared policies give the same moves the same exact probabilities, with extreme arguments too."""
        for declared in self.reference.model.policies.values():
            if declared.player not in (None, mover):
                continue
            sizes = [formal.type.size for formal in declared.formals]  # type: ignore[union-attr]
            for ordinals in dict.fromkeys([(0,) * len(sizes), tuple(size - 1 for size in sizes)]):
                given = zip(declared.formals, ordinals, strict=True)
                arguments = tuple(from_ordinal(formal.type, number) for formal, number in given)
                answers: list[Any] = []
                for game in (self.reference, self.native):
                    try:
                        shares = DeclaredPolicy(game, declared, arguments)(_position(values, game))
                        answers.append([(str(move), share) for move, share in shares.items()])
                        assert sum(shares.values()) == 1
                    except GameError as error:
                        answers.append(error.diagnostics)
                question = f"{declared.name}{arguments} in {self.reference.layout.format(values)}"
                assert answers[0] == answers[1], f"{question}: {answers[1]} instead of {answers[0]}"

    def _both(self, name: str, values: tuple[Any, ...] | None = None, *rest: Any) -> Any:
        """The answer of both engines to one question, None where both fault alike."""
        answers = []
        for game in (self.reference, self.native):
            arguments = () if values is None else (_position(values, game), *rest)
            try:
                answers.append(_plain(getattr(game, name)(*arguments)))
            except GameError as error:
                answers.append(error.diagnostics)
        expected, actual = answers
        question = f"{name} of {values and self.reference.layout.format(values)} {rest}"
        assert actual == _rounded(expected), f"{question}: {actual} instead of {expected}"
        if isinstance(expected, tuple) and expected and type(expected[0]).__name__ == "Diagnostic":
            return None
        if name == "moves":
            return self.reference.moves(_position(values, self.reference))
        return expected

    def _positions(self, outcomes: Any) -> list[Any]:
        return [] if outcomes is None else [_position(values, self.reference) for values, _, _ in outcomes]


class _Fixed(Random):
    """A generator that gives known bits."""

    def __init__(self, bits: int):
        super().__init__(0)
        self.bits = bits

    def getrandbits(self, k: int, /) -> int:
        return self.bits


def enumerate_agreement(model: Model, limit: int, decided: int = 1_000_000) -> int:
    """Compares the engines on up to `limit` positions, breadth first, and policies in `decided` of them.
    Gives how many there were."""
    pair = Pair(model, decided)
    seen: dict[Any, None] = {}
    pending = deque(pair.initial())
    while pending and len(seen) < limit:
        position = pending.popleft()
        if position.values in seen:
            continue
        seen[position.values] = None
        for _, following in pair.compare(position):
            pending.extend(following)
    return len(seen)


def walk_agreement(model: Model, seed: int, walks: int, length: int, decided: int = 1_000_000) -> int:
    """The same along random walks; gives the number of positions visited."""
    pair = Pair(model, decided)
    rng = Random(seed)
    starts = pair.initial()
    visited = 0
    for _ in range(walks if starts else 0):
        position = rng.choice(starts)
        for _ in range(length):
            visited += 1
            following = [after for _, positions in pair.compare(position) for after in positions]
            if not following:
                break
            position = rng.choice(following)
    return visited


def agree(text: str) -> None:
    """All comparisons of one small game: its positions, walks beyond them, and random playouts."""
    model = load_model(Source("generated.gdl", text))
    if enumerate_agreement(model, SMALL) >= SMALL:
        walk_agreement(model, seed=1, walks=2, length=25)
    playouts_agree(model, SMALL)


def _spread(items: list[Any], most: int) -> list[Any]:
    if len(items) <= most:
        return items
    return [items[k * len(items) // most] for k in range(most)]


def _position(values: Any, game: ReferenceGame) -> Any:
    return Position(values, game)


def _plain(answer: Any) -> Any:
    """An answer as data that both engines share."""
    if hasattr(answer, "values") and hasattr(answer, "player"):
        return (answer.values, answer.player)
    if isinstance(answer, list):
        return [_plain(item) for item in answer]
    if type(answer).__name__ == "Outcome":
        return (answer.position.values, answer.probability, tuple(answer.rewards))
    if type(answer).__name__ == "Move":
        return (answer.family.index, answer.values)
    if isinstance(answer, tuple):
        return tuple(_plain(item) for item in answer)
    if isinstance(answer, dict):
        return {name: _plain(value) for name, value in answer.items()}
    return answer


def _rounded(answer: Any) -> Any:
    """Fractions as the nearest doubles."""
    if isinstance(answer, Fraction):
        return float(answer)
    if isinstance(answer, list):
        return [_rounded(item) for item in answer]
    if isinstance(answer, tuple):
        return tuple(_rounded(item) for item in answer)
    if isinstance(answer, dict):
        return {name: _rounded(value) for name, value in answer.items()}
    return answer
