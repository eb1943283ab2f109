"""What may come of each move of a position, and how probably: T(s, a, s') as a table, in exact numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from gdl.asking import asked, position_meant
from gdl.diagnostics import GameError
from gdl.diagnostics import commands as wording
from gdl.diagnostics.wording.phrases import counted
from gdl.game import CHANCE, TERMINAL, Game, Number, Outcome
from gdl.reference.notation import parse_moves
from solvers.core.lines import Explains, one_of
from solvers.core.refusal import bad_option
from solvers.core.rounding import exact_twin

AnyGame = Game[Any, Any]

CHANCE_NAME = "chance"
START = "start"
"""In the place of a move: what is drawn before the first one."""


@dataclass(frozen=True)
class Transition:
    """One outcome of a move."""

    probability: Number  # T(s, a, s')
    chance: str  # what chance did, in words
    changes: str  # what is different afterwards: `name=value …`; at the start, what is drawn
    pays: tuple[Number, ...] | None  # the rewards, and the utility where the game is over; None if neither
    over: bool


@dataclass(frozen=True)
class Way:
    """A move, or the moves that make up a turn, with all that may come of it."""

    move: str
    transitions: tuple[Transition, ...]
    span: tuple[Number, Number] | None = None  # what the first player can still get, if asked for

    @property
    def expected(self) -> tuple[Number, ...] | None:
        """What it pays on average, where the game is over whatever chance does."""
        paid = [
            [one.probability * part for part in one.pays]
            for one in self.transitions
            if one.over and one.pays is not None
        ]
        if len(paid) < len(self.transitions):
            return None
        return tuple(sum(column) for column in zip(*paid, strict=True))

    @property
    def summary(self) -> str:
        """`21 outcomes: 6 of 1/36, 15 of 1/18`."""
        shares = Counter(one.probability for one in self.transitions)
        return f"{counted(len(self.transitions), 'outcome')}: " + ", ".join(
            f"{count} of {share}" for share, count in sorted(shares.items())
        )


@dataclass(frozen=True)
class Transitions:
    """All ways to go on from a position: those of its mover, or what is drawn at the start of the game."""

    mover: str | None  # None where the game is over; CHANCE_NAME also for the start
    ways: tuple[Way, ...]
    turns: bool = False  # ways are whole turns

    @property
    def decisions(self) -> tuple[Way, ...]:
        """The ways between which a player chooses; where chance is to move, all of its moves are one."""
        if self.mover != CHANCE_NAME:
            return self.ways
        return (Way(CHANCE_NAME, tuple(one for way in self.ways for one in way.transitions)),)


@asked
def transitions(
    game: AnyGame, position: Any = None, *, turns: bool = False, ranges: bool = False
) -> Transitions:
    """T(s, a, s') for all moves of a position; of a start that is drawn, its probabilities.

    With `turns` a way is what the mover does until chance or somebody else decides, and ways that lead to the
    same are one. With `ranges` every way has its `span`.
    """
    position = position_meant(game, position)
    exact = exact_twin(game)
    if position is None:
        starts = _explained(exact, None, None)
        if len(starts) > 1:
            drawn = _drawn(exact, [outcome.position for outcome, _ in starts])
            found = [_made(exact, None, way) for way in starts]
            settled = [replace(one, changes=text) for one, text in zip(found, drawn, strict=True)]
            return Transitions(CHANCE_NAME, (Way(START, tuple(settled)),))
        position = starts[0][0].position
    mover = exact.to_move(position)
    if mover == TERMINAL:
        return Transitions(None, ())
    if mover == CHANCE:
        odds = dict(exact.chance(position))
        drawn_by = tuple(_way(exact, position, [move], position, odds[move]) for move in odds)
        return Transitions(CHANCE_NAME, drawn_by)
    if turns:
        made = list(whole_turns(exact, position))
    else:
        made = [(position, [move]) for move in exact.moves(position)]
    ways = [_way(exact, at, moves, position) for at, moves in made]
    if ranges:
        ways = [
            replace(
                way, span=payment_range(exact, [after.position for after in exact.outcomes(at, moves[-1])])
            )
            for way, (at, moves) in zip(ways, made, strict=True)
        ]
    return Transitions(exact.players[mover], tuple(ways), turns)


MOST_REACHED = 200_000
"""Positions that are looked at for what a move may still lead to."""


def payment_range(game: AnyGame, starts: Iterable[Any]) -> tuple[Number, Number]:
    """The least and the most that the first player can get from here, whatever everybody and chance do: the
    bounds of branch and bound. Refuses games that pay on the way, and very many positions."""
    if game.traits.rewards:
        raise bad_option("there are payments on the way, so the ends say little", "Leave out --range.")
    exact = exact_twin(game)
    open_ = list(dict.fromkeys(starts))
    met = set(open_)
    least: list[Number] = []
    most: list[Number] = []
    while open_:
        position = open_.pop()
        if exact.to_move(position) == TERMINAL:
            paid = exact.utility(position)[0]
            least, most = [min([*least, paid])], [max([*most, paid])]
            continue
        for move in exact.moves(position):
            for outcome in exact.outcomes(position, move):
                if outcome.position not in met:
                    met.add(outcome.position)
                    open_.append(outcome.position)
        if len(met) > MOST_REACHED:
            raise bad_option(
                f"more than {MOST_REACHED:,} positions can be reached",
                "Begin nearer to the end, with --at or --moves.",
            )
    if not least:
        raise bad_option("no play ends from here on")
    return least[0], most[0]


def whole_turns(game: AnyGame, position: Any) -> Iterator[tuple[Any, list[Any]]]:
    """The turns that the player to move may make: the position before the last move of each, and its moves.

    A turn goes on while the same player decides and chance does not. Of turns that end in the same way, the
    first is given.
    """
    mover = game.to_move(position)
    met = {position}
    ends = set()
    open_: list[tuple[Any, list[Any]]] = [(position, [])]
    while open_:
        at, made = open_.pop()
        further = []
        for move in game.moves(at):
            outcomes = game.outcomes(at, move)
            only = outcomes[0].position
            if len(outcomes) == 1 and game.to_move(only) == mover:
                if only not in met:
                    met.add(only)
                    further.append((only, [*made, move]))
            elif (end := frozenset(outcomes)) not in ends:
                ends.add(end)
                yield at, [*made, move]
        open_ += reversed(further)


def _way(game: AnyGame, at: Any, moves: Sequence[Any], since: Any, probability: Number = Fraction(1)) -> Way:
    """What may come of the last of `moves`, made at `at`, told as changes since an earlier position."""
    text = " ".join(game.format_move(move) for move in moves)
    ways = _explained(game, at, moves[-1])
    return Way(text, tuple(_made(game, since, way, probability) for way in ways))


def _explained(game: AnyGame, at: Any, move: Any) -> list[tuple[Outcome, str]]:
    """The outcomes of a move, or of the start, with what chance did."""
    if isinstance(game, Explains):
        ways = game.explain_initial() if at is None else game.explain_outcomes(at, move)
        return [(Outcome(way.position, way.probability, way.rewards), one_of(way.labels)) for way in ways]
    return [(outcome, "") for outcome in (game.initial() if at is None else game.outcomes(at, move))]


def _made(
    game: AnyGame, since: Any, way: tuple[Outcome, str], probability: Number = Fraction(1)
) -> Transition:
    outcome, label = way
    over = game.to_move(outcome.position) == TERMINAL
    pays = tuple(outcome.rewards)
    if over:
        ends = game.utility(outcome.position)
        pays = tuple(reward + end for reward, end in zip(pays, ends, strict=True))
    changed = _changes(game, since, outcome.position)
    return Transition(
        probability * outcome.probability, label, changed, pays if over or any(pays) else None, over
    )


def _changes(game: AnyGame, before: Any, after: Any) -> str:
    """The variables, and elements of maps, that differ; else the whole position."""
    layout = getattr(game, "layout", None)
    if layout is None or before is None:
        return str(game.format_position(after))
    return " ".join(f"{name}={value}" for name, value in layout.differences(before.values, after.values))


def _drawn(game: AnyGame, starts: Sequence[Any]) -> list[str]:
    """Of each start, the variables that are not the same in all of them."""
    layout = getattr(game, "layout", None)
    if layout is None:
        return [str(game.format_position(start)) for start in starts]
    names = {
        name
        for name, place in layout.places.items()
        if any(start.values[place] != starts[0].values[place] for start in starts)
    }
    return [layout.format(start.values, names) for start in starts]


# ------------------------------------------------------------------------ moves as text


def typed_moves(text: str) -> Iterator[tuple[str, str | None]]:
    """The moves that a user typed, such as `roll [face=3] hold`, each with what chance is said to do."""
    before, *rest = re.split(r"\[([^\[\]]*)\]", text)
    for part, label in zip([before, *rest[1::2]], [*rest[::2], None], strict=True):
        moves = parse_moves(part)
        if label is not None and not moves:
            raise GameError([wording.chance_without_move(label)])
        for number, move in enumerate(moves, 1):
            yield move, label if number == len(moves) else None


def said_outcome(game: AnyGame, position: Any, move: Any, label: str) -> Any:
    """What comes of a move if chance does what is said; raises GameError that names what it can do."""
    labels = []
    for outcome in game.explain_outcomes(position, move) if isinstance(game, Explains) else ():
        if _bare(label) in map(_bare, outcome.labels):
            return outcome
        labels += outcome.labels
    raise GameError([wording.no_such_outcome(game.format_move(move), label.strip(), labels)])


def _bare(label: str) -> str:
    return "".join(label.split())


def reached(game: AnyGame, position: Any, moves: str) -> dict[Any, Fraction]:
    """Where moves lead from a position (None: the start of the game), with the probabilities of all that
    chance may do on the way. Raises GameError where a move is illegal after something that it may do."""
    exact = exact_twin(game)
    starts = exact.initial() if position is None else [Outcome(position, 1, ())]
    places = _merged((start.position, Fraction(start.probability)) for start in starts)
    for text, said in typed_moves(moves):
        further = []
        for at, share in places.items():
            move = exact.parse_move(at, text)
            if said is not None:
                further.append((said_outcome(exact, at, move, said).position, share))
                continue
            for outcome in exact.outcomes(at, move):
                further.append((outcome.position, share * Fraction(outcome.probability)))
        places = _merged(further)
    return places


def _merged(found: Iterable[tuple[Any, Fraction]]) -> dict[Any, Fraction]:
    shares: dict[Any, Fraction] = {}
    for position, share in found:
        shares[position] = shares.get(position, Fraction(0)) + share
    return shares
