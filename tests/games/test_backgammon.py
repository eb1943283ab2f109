"""Backgammon and hypergammon against an independent program that plays whole turns.

The program knows a side as the pips that each of its men has to go (25 on the bar, 0 off), and finds the
legal plays of a roll by trying everything: the longest are legal, and of single dice the larger.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gdl.game import CHANCE, TERMINAL
from gdl.loading import load, load_model, read_source

GAMES = Path(__file__).parents[2] / "games"
ROLLS = list(combinations_with_replacement(range(1, 7), 2))

Side = tuple[int, ...]  # pips to go, rising
Sides = tuple[Side, Side]  # of the player on roll, and of the other


# ------------------------------------------------------------ the independent program


def whole_turns(me: Side, you: Side, roll: tuple[int, int]) -> set[Sides]:
    """Both sides after each legal way to play a roll."""
    a, b = roll
    if a == b:
        return _longest([_layers(me, you, (a, a, a, a))])
    ways = [_layers(me, you, order) for order in ((a, b), (b, a))]
    if max(map(len, ways)) == 2:  # only one die can be played: the larger if there is a choice
        ways = [layers for layers in reversed(ways) if len(layers) == 2][:1]
        assert len(ways) == 1
    return _longest(ways)


def _longest(ways: list[list[set[Sides]]]) -> set[Sides]:
    most = max(map(len, ways))
    longest = {sides for layers in ways if len(layers) == most for sides in layers[-1]}
    won = {sides for layers in ways for layer in layers for sides in layer if max(sides[0]) == 0}
    return longest | won


def _layers(me: Side, you: Side, dice: tuple[int, ...]) -> list[set[Sides]]:
    """What is reached with none, one, .. of the dice played in this order, as far as they can be played."""
    layers = [{(me, you)}]
    for die in dice:
        following = {after for sides in layers[-1] for after in _single(*sides, die)}
        if not following:
            break
        layers.append(following)
    return layers


def _single(me: Side, you: Side, die: int) -> Iterator[Sides]:
    hindmost = max(me)
    for pips in set(me) - {0}:
        if hindmost == 25 and pips != 25:
            continue
        to = pips - die
        if to > 0:
            if you.count(25 - to) < 2:
                yield _moved(me, pips, to), _moved(you, 25 - to, 25)
        elif hindmost <= 6 and (to == 0 or pips == hindmost):
            yield _moved(me, pips, 0), you


def _moved(side: Side, pips: int, to: int) -> Side:
    if pips not in side:
        return side
    men = list(side)
    men[men.index(pips)] = to
    return tuple(sorted(men))


# ------------------------------------------------------------------ the games


class Described:
    """A game file, on the native engine, with its positions as pips."""

    def __init__(self, name: str, **params: Any):
        self.game: Any = load(GAMES / f"{name}.gdl", engine="native", **params)

    def text(self, position: Any) -> dict[str, str]:
        return dict(re.findall(r"(\w+)=(\[.*?\]|\S+)", self.game.format_position(position)))

    def sides(self, position: Any, mover: str) -> Sides:
        text = self.text(position)
        both = self.white_and_black({name: _numbers(value) for name, value in text.items()})
        return both if mover == "white" else (both[1], both[0])

    def white_and_black(self, values: dict[str, list[int]]) -> Sides:
        raise NotImplementedError

    def passes(self, position: Any, roll: tuple[int, int], mover: str) -> bool:
        """Whether the turn goes to the other player when this is rolled."""
        raise NotImplementedError

    def with_roll(self, position: Any, roll: tuple[int, int], mover: str) -> Any:
        a, b = roll
        left = [4 if a == b == die else int(die in roll) for die in range(1, 7)]
        text = self.text(position) | {"left": f"[{' '.join(map(str, left))}]", "turn": mover}
        return self.game.parse_position(" ".join(f"{name}={value}" for name, value in text.items()))

    def turns(self, position: Any, mover: str) -> set[Sides]:
        """Both sides after each way to play the turn, as the described game has it."""
        found = set()
        seen = {position}
        waiting = [position]
        while waiting:
            here = waiting.pop()
            for move in self.game.moves(here):
                after = self.game.outcomes(here, move)[0].position
                if self.text(after)["turn"] != mover or self.game.to_move(after) in (TERMINAL, CHANCE):
                    found.add(self.sides(after, mover))
                elif after not in seen:
                    seen.add(after)
                    waiting.append(after)
        return found


class Backgammon(Described):
    def white_and_black(self, values: dict[str, list[int]]) -> Sides:
        white, black = (
            (25,) * values["hit"][p] + (0,) * values["off"][p]
            + tuple(pips for point in range(1, 25) for pips in [point if p == 0 else 25 - point]
                    for _ in range(values["men"][24 * p + point - 1]))
            for p in (0, 1)
        )  # fmt: skip
        return tuple(sorted(white)), tuple(sorted(black))

    def passes(self, position: Any, roll: tuple[int, int], mover: str) -> bool:
        moves = self.game.moves(self.with_roll(position, roll, mover))
        return [self.game.format_move(move) for move in moves] == ["pass"]


class Hypergammon(Described):
    def white_and_black(self, values: dict[str, list[int]]) -> Sides:
        pips = values["pips"]
        half = len(pips) // 2
        return tuple(sorted(pips[:half])), tuple(sorted(pips[half:]))

    def passes(self, position: Any, roll: tuple[int, int], mover: str) -> bool:
        move = self.game.parse_move(position, f"roll({roll[0]}, {roll[1]})")
        (outcome,) = self.game.outcomes(position, move)
        return self.text(outcome.position)["turn"] != mover and self.game.to_move(outcome.position) == CHANCE


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


@cache
def backgammon() -> Backgammon:
    return Backgammon("backgammon")


@cache
def hypergammon() -> Hypergammon:
    return Hypergammon("hypergammon")


def random_positions(described: Described, plays: int, every: int) -> Iterator[tuple[Any, str]]:
    """Positions at the start of turns of random plays, with the player to move."""
    game = described.game
    for seed in range(plays):
        rng = Random(seed)
        position = _drawn(game.initial(), rng)
        turns = 0
        while game.to_move(position) != TERMINAL:
            before = described.text(position)["turn"]
            position = _drawn(game.outcomes(position, rng.choice(game.moves(position))), rng)
            if described.text(position)["turn"] != before and game.to_move(position) != TERMINAL:
                turns += 1
                if turns % every == 0:
                    yield position, described.text(position)["turn"]


def _drawn(outcomes: Iterable[Any], rng: Random) -> Any:
    outcomes = list(outcomes)
    return rng.choices(outcomes, [float(o.probability) for o in outcomes])[0].position


# -------------------------------------------------------------------- the tests

OPENING_PLAYS = {
    "11": 42, "21": 15, "22": 75, "31": 16, "32": 17, "33": 73, "41": 14, "42": 18, "43": 17, "44": 52,
    "51": 8, "52": 8, "53": 9, "54": 9, "55": 4, "61": 10, "62": 14, "63": 14, "64": 14, "65": 7, "66": 11,
}  # fmt: skip
"""Different positions after each roll from the opening position, found alike by several programs."""


@pytest.mark.parametrize("roll", ROLLS)
def test_opening_plays(roll: tuple[int, int]) -> None:
    known = OPENING_PLAYS[f"{roll[1]}{roll[0]}"]
    start = backgammon().game.initial()[0].position
    for mover in ("white", "black"):
        position = backgammon().with_roll(start, roll, mover)
        assert len(backgammon().turns(position, mover)) == known
        assert len(whole_turns(*backgammon().sides(position, mover), roll)) == known


@pytest.mark.parametrize(("described", "every"), [(backgammon, 7), (hypergammon, 1)])
def test_turns_are_those_of_the_independent_program(described: Any, every: int) -> None:
    game = described()
    compared = 0
    for position, mover in random_positions(game, plays=2, every=every):
        for roll in ROLLS:
            rolled = game.with_roll(position, roll, mover)
            me, you = game.sides(rolled, mover)
            expected = whole_turns(me, you, roll)
            if expected == {(me, you)}:  # nothing can be played
                assert game.passes(position, roll, mover)
            else:
                assert game.turns(rolled, mover) == expected, game.game.format_position(rolled)
            compared += 1
    assert compared > 150


KNOWN = {
    int(dict(e.params)["men"]): e
    for e in load_model(read_source(GAMES / "hypergammon.gdl")).expectations
    if e.quantity == "value"
}


@pytest.mark.slow
@pytest.mark.parametrize("men", KNOWN)
def test_hypergammon_with_few_men_is_worth_what_the_program_finds(men: int) -> None:
    assert equity_of_opener(men) == pytest.approx(float(KNOWN[men].value), abs=1e-9)


def equity_of_opener(men: int) -> float:
    """By value iteration over all positions with a side on roll, until nothing changes."""
    import numpy as np

    positions = on_roll(men)
    number = {position: i for i, position in enumerate(positions)}
    won = [len(positions) + points for points in (1, 2, 3)]  # stand for games that end

    def end(me: Side, you: Side) -> int:
        return won[_won(you) - 1] if max(me) == 0 else number[you, me]

    ends, starts = array("i"), array("q")
    for position in positions:
        for roll in ROLLS:
            starts.append(len(ends))
            ends.extend(end(*after) for after in whole_turns(*position, roll))
    after, first = np.array(ends), np.array(starts)
    weights = np.array([1 if a == b else 2 for a, b in ROLLS]) / 36
    value = np.zeros(len(positions) + 4)
    value[won] = -1, -2, -3  # to the other, who would be on roll
    change = 1.0
    while change > 1e-13:
        best = np.maximum.reduceat(-value[after], first).reshape(-1, len(ROLLS))
        new = best @ weights
        change = np.abs(new - value[: len(positions)]).max()
        value[: len(positions)] = new
    start = tuple(sorted(24 - man for man in range(men)))
    opening = [a != b for a, b in ROLLS]  # never a double
    return float(best[number[start, start]][opening].mean())


def on_roll(men: int) -> list[Sides]:
    """All positions with a side on roll where nobody is done."""
    sides, taken, mirrored = _sides(men)
    return [
        (me, you)
        for i, me in enumerate(sides)
        for j, you in enumerate(sides)
        if max(me) > 0 and max(you) > 0 and not taken[i] & mirrored[j]
    ]


def _sides(men: int) -> tuple[list[Side], list[int], list[int]]:
    """All sides, with the points that each holds as bits: seen by the side itself, and by the other."""
    sides = list(combinations_with_replacement(range(26), men))
    points = [{pips for pips in side if 0 < pips < 25} for side in sides]
    return (
        sides,
        [sum(1 << p for p in held) for held in points],
        [sum(1 << 25 - p for p in held) for held in points],
    )


def test_hypergammon_has_the_published_number_of_positions() -> None:
    """7,959,904 with a given side on roll, those where a side is done included."""
    import numpy as np

    _, taken, mirrored = _sides(3)
    others = np.array(mirrored)
    assert sum(int(np.count_nonzero(own & others == 0)) for own in taken) == 7_959_904


def _won(loser: Side) -> int:
    return 1 if 0 in loser else 3 if max(loser) > 18 else 2
