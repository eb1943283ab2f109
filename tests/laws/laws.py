"""The laws of the Game protocol and of the language, each as a function of the text of a game.

A law raises AssertionError where it is broken. A game may break its own rules while it is played (a value
out of range, nothing to draw from, ..): then the engine must say so with a Fault, and the checker must have
said that it cannot exclude it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any, TypeVar

from gdl.diagnostics import Source
from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL, Outcome
from gdl.loading import load_model
from gdl.model.nodes import Model
from gdl.reference.engine import ReferenceGame
from gdl.reference.positions import HIDDEN, Position
from gdl.syntax.format import format_text
from tests.laws.audit import audited, holds
from tests.laws.meaning import meaning

MOST_POSITIONS = 120
MOST_MOVES = 12

T = TypeVar("T")

# What the checker lists as undecided, for each fault that may then happen.
OBLIGATION = {
    "F001": "O101",
    "F002": "O102",
    "F003": "O106",
    "F004": "O103",
    "F005": "O104",
    "F006": "O105",
    "F011": "O107",
    "F012": "O108",
    "F013": "O109",
    "F014": "O110",
    "F015": "O110",
}


def loads(text: str) -> Model:
    """A generated game is well formed: the checker finds no mistake in it."""
    return load_model(Source("generated.gdl", text))


# ------------------------------------------------------------------------- the text


def order_does_not_matter(text: str, random: Random) -> None:
    """Items may stand in any order; only that of the moves among each other means something."""
    items = text.rstrip("\n").split("\n\n")
    moves = [item for item in items if item.startswith(("move ", "secret "))]
    shuffled = list(items)
    random.shuffle(shuffled)
    waiting = iter(moves)
    shuffled = [next(waiting) if item in moves else item for item in shuffled]
    assert meaning(loads("\n\n".join(shuffled) + "\n")) == meaning(loads(text))


def formatting_keeps_the_meaning(text: str) -> None:
    formatted = format_text(Source("generated.gdl", text))
    assert format_text(Source("generated.gdl", formatted)) == formatted
    assert meaning(loads(formatted)) == meaning(loads(text))


# -------------------------------------------------------------------------- the game


@dataclass
class Explorer:
    """Walks through the positions of a game, keeping the faults it meets."""

    model: Model
    game: ReferenceGame
    faults: list[Fault]

    def attempt(self, what: Callable[[], T]) -> T | None:
        """The value, None after a fault; asking twice gives the same."""
        try:
            value = what()
        except Fault as fault:
            self.faults.append(fault)
            try:
                again = what()
            except Fault as second:
                assert second.diagnostic == fault.diagnostic
                return None
            raise AssertionError(f"{fault} the first time, {again} the second") from None
        assert what() == value
        return value

    def positions(self) -> Iterator[tuple[Position, list[tuple[Any, list[Outcome]]]]]:
        """Positions breadth first, each with its moves and what they lead to."""
        initial = self.attempt(self.game.initial) or []
        _is_distribution(initial)
        assert len(initial) <= 1 or self.game.traits.random_start
        seen = dict.fromkeys(outcome.position for outcome in initial)
        queue = list(seen)
        for position in queue:  # which grows while it is read
            made = []
            for move in (self.attempt(lambda p=position: self.game.moves(p)) or [])[:MOST_MOVES]:  # type: ignore[misc]
                outcomes = self.attempt(lambda p=position, m=move: self.game.outcomes(p, m))  # type: ignore[misc]
                if outcomes is not None:
                    made.append((move, outcomes))
                    for outcome in outcomes:
                        if outcome.position not in seen and len(seen) < MOST_POSITIONS:
                            seen[outcome.position] = None
                            queue.append(outcome.position)
            yield position, made


def obeys_the_protocol(model: Model) -> list[Fault]:
    """Everything that can be asked of a position, in all positions up to a limit. Gives the faults."""
    explorer = Explorer(model, audited(model), [])
    game, edges = explorer.game, {}
    for position, made in explorer.positions():
        mover = explorer.attempt(lambda p=position: game.to_move(p))  # type: ignore[misc]
        edges[position] = [outcome.position for _, outcomes in made for outcome in outcomes]
        _check_values(model, position)
        _check_text(game, position)
        _check_observations(explorer, position)
        _check_moves(explorer, position, mover)
        for move, outcomes in made:
            _check_outcomes(explorer, position, move, outcomes)
        if mover == TERMINAL:
            _check_utility(explorer, position)
        explorer.attempt(lambda p=position: game.features(p))  # type: ignore[misc]
        explorer.attempt(lambda p=position: game.evaluate(p))  # type: ignore[misc]
        explorer.attempt(lambda p=position: game.show(p))  # type: ignore[misc]
        explorer.attempt(lambda p=position: game.svg(p))  # type: ignore[misc]
    assert not (game.traits.acyclic and _cycle_in(edges)), "proven acyclic, yet a position repeats"
    for fault in explorer.faults:
        _check_fault(model, fault)
    return explorer.faults


def _check_values(model: Model, position: Position) -> None:
    types = [variable.type for variable in model.variables for _ in range(variable.count)]
    assert all(map(holds, types, position.values))


def _check_text(game: ReferenceGame, position: Position) -> None:
    assert game.parse_position(game.format_position(position)) == position


def _check_observations(explorer: Explorer, position: Position) -> None:
    """What is seen is as it is, and without hidden information everything is."""
    game = explorer.game
    for player in range(len(game.players)):
        seen = explorer.attempt(lambda n=player: game.observation(position, n))  # type: ignore[misc]
        if seen is None:
            continue
        again = game.observation(game.parse_position(str(position)), player)
        assert seen == again and hash(seen) == hash(again)
        shown = list(zip(seen.values, position.values, strict=True))
        assert all(value is HIDDEN or value == actual for value, actual in shown)
        assert game.traits.hidden or not any(value is HIDDEN for value, _ in shown)


def _check_moves(explorer: Explorer, position: Position, mover: int | None) -> None:
    game = explorer.game
    moves = explorer.attempt(lambda: game.moves(position))
    if mover is None or moves is None:
        return
    assert mover in (CHANCE, TERMINAL) or 0 <= mover < game.traits.players
    assert bool(moves) == (mover != TERMINAL)
    assert len(set(moves)) == len(moves)
    for move in moves[:MOST_MOVES]:
        assert game.parse_move(position, game.format_move(move)) == move
    if mover == CHANCE:
        assert game.traits.chance
        chances = explorer.attempt(lambda: game.chance(position)) or []
        assert [move for move, _ in chances] == moves
        assert all(probability > 0 for _, probability in chances)
        assert sum(probability for _, probability in chances) == 1


def _check_outcomes(explorer: Explorer, position: Position, move: Any, outcomes: list[Outcome]) -> None:
    game, traits = explorer.game, explorer.game.traits
    _is_distribution(outcomes)
    assert len(outcomes) == 1 or traits.chance
    assert traits.rewards or not any(any(outcome.rewards) for outcome in outcomes)
    assert not traits.zero_sum or all(sum(outcome.rewards) == 0 for outcome in outcomes)
    explained = game.explain_outcomes(position, move)
    assert [Outcome(*outcome[:3]) for outcome in explained] == outcomes
    sampled = game.sample(position, move, Random(0))
    assert any(o.position == sampled.position and o.rewards == sampled.rewards for o in outcomes)


def _is_distribution(outcomes: list[Outcome]) -> None:
    assert not outcomes or sum(Fraction(outcome.probability) for outcome in outcomes) == 1
    assert all(outcome.probability > 0 for outcome in outcomes)
    assert len({(outcome.position, outcome.rewards) for outcome in outcomes}) == len(outcomes)


def _check_utility(explorer: Explorer, position: Position) -> None:
    game = explorer.game
    utilities = explorer.attempt(lambda: game.utility(position))
    if utilities is None:
        return
    assert len(utilities) == game.traits.players
    for utility, (lo, hi) in zip(utilities, explorer.model.utility_bounds, strict=True):
        assert lo <= utility <= hi
    assert not game.traits.zero_sum or sum(utilities) == 0


def _cycle_in(edges: dict[Position, list[Position]]) -> bool:
    """Whether some position can come again (depth first, without recursion)."""
    done: set[Position] = set()
    for root in edges:
        path, pending = [root], [iter(edges[root])]
        on_path = {root}
        while pending:
            for following in pending[-1]:
                if following in on_path:
                    return True
                if following not in done and following in edges:
                    path.append(following)
                    on_path.add(following)
                    pending.append(iter(edges[following]))
                    break
            else:
                pending.pop()
                done.add(path[-1])
                on_path.remove(path.pop())
    return False


def _check_fault(model: Model, fault: Fault) -> None:
    """A fault says where it arose, and the checker had listed it among what it could not decide."""
    assert fault.code in OBLIGATION, fault
    assert fault.span is not None and fault.span.text
    assert fault.position is not None
    assert {name for name, _ in fault.diagnostic.context} >= {"position"}
    listed = [d.span for d in model.obligations if d.code == OBLIGATION[fault.code] and d.span is not None]
    if fault.code == "F003" or fault.span == model.player.span:  # of all moves together
        assert listed, f"{fault}: not among the obligations"
    else:
        near = [s for s in listed if s.start <= fault.span.end and fault.span.start <= s.end]
        assert near, f"{fault}: not among the obligations"


# ---------------------------------------------------------------------------- plays


def plays_end_or_repeat(model: Model, random: Random) -> None:
    """A play visits a position again, ends, or breaks a rule before there are no new positions left."""
    game = ReferenceGame(model)
    bound = 1
    for variable in model.variables:
        bound *= variable.type.size**variable.count  # type: ignore[union-attr]
    try:
        path = [game.sample_initial(random).position]
        while game.to_move(path[-1]) != TERMINAL and len(set(path)) == len(path):
            move = random.choice(game.moves(path[-1]))
            path.append(game.sample(path[-1], move, random).position)
        assert len(path) <= bound + 1
        assert not game.traits.acyclic or len(set(path)) == len(path)
        assert game.traits.chance or all(_leads(game, a, b) for a, b in pairwise(path))
    except Fault as fault:
        _check_fault(model, fault)


def _leads(game: ReferenceGame, position: Position, following: Position) -> bool:
    return any(
        following in [o.position for o in game.outcomes(position, move)] for move in game.moves(position)
    )


def all_laws(text: str) -> list[Fault]:
    """Every law for one game. Gives the faults it has."""
    random = Random(text)
    model = loads(text)
    order_does_not_matter(text, random)
    formatting_keeps_the_meaning(text)
    faults = obeys_the_protocol(model)
    plays_end_or_repeat(model, random)
    return faults


def no_fault(text: str) -> None:
    """Every law for a game that the generator wrote to have no faults."""
    faults = all_laws(text)
    assert not faults, faults
