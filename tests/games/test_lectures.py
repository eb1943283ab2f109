"""What the games lectures say of policies against policies; and Pacman by an independent program."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import solvers
from gdl.loading import load, load_model, read_source
from solvers.agents.kinds import agent

GAMES = Path(__file__).parents[2] / "games"


def worth(game: Any, *agents: str) -> Any:
    """The first player's value when everybody follows the policy of an agent."""
    policies = {player: agent(text, game).policy() for player, text in enumerate(agents)}
    (value, *_) = solvers.solve(game, "policy_evaluation", policies=policies).values
    assert value is not None
    return value.number


@pytest.mark.parametrize(
    ("own", "opponent", "value"),
    [
        ("minimax", "minimax", 1),
        ("minimax", "random", 2),
        ("expectimax(against=random)", "minimax", -5),
        ("expectimax(against=random)", "random", 5),
    ],
)
def test_bins_by_policies_against_policies(own: str, opponent: str, value: int) -> None:
    assert worth(load(GAMES / "bins.gdl", coin=0, engine="reference"), own, opponent) == value


# ------------------------------------------------------------ Pacman, an independent program

Cell = tuple[int, int]
State = tuple[Cell, Cell, frozenset[Cell], int, bool]  # Pacman, ghost, food, steps left, Pacman to move

WIDTH, HEIGHT = 5, 3
CORNERS = frozenset({(0, WIDTH - 1), (HEIGHT - 1, 0), (HEIGHT - 1, WIDTH - 1)})


def start(time: int) -> State:
    return (0, 0), (HEIGHT - 1, WIDTH // 2), CORNERS, time, True


def beside(cell: Cell) -> list[Cell]:
    row, col = cell
    near = [(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)]
    return [(r, c) for r, c in near if 0 <= r < HEIGHT and 0 <= c < WIDTH and not (r % 2 and c % 2)]


def final(state: State) -> int | None:
    """What the end pays, None before it."""
    pacman, ghost, food, left, _ = state
    if pacman == ghost:
        return -500
    if not food:
        return 500
    return 0 if left == 0 else None


def following(state: State) -> list[tuple[State, int]]:
    """The states after each move, and what it pays."""
    pacman, ghost, food, left, pacmans_turn = state
    if not pacmans_turn:
        return [((pacman, to, food, left, True), 0) for to in beside(ghost)]
    return [((to, ghost, food - {to}, left - 1, False), 10 * (to in food) - 1) for to in beside(pacman)]


@cache
def value(state: State, random_ghost: bool) -> Fraction:
    """With best play of Pacman, against a ghost that plays best or at random."""
    end = final(state)
    if end is not None:
        return Fraction(end)
    values = [value(after, random_ghost) + pay for after, pay in following(state)]
    if state[-1]:
        return max(values)
    return sum(values, Fraction(0)) / len(values) if random_ghost else min(values)


def evaluated(state: State, trusting: bool, random_ghost: bool) -> Fraction:
    """When Pacman thinks that the ghost is random (if trusting) or adversarial, and it is random or not.

    Between equally good moves both choose at random.
    """

    @cache
    def of(state: State) -> Fraction:
        end = final(state)
        if end is not None:
            return Fraction(end)
        options = following(state)
        if state[-1] or not random_ghost:
            model = trusting if state[-1] else False
            thought = [value(after, model) + pay for after, pay in options]
            best = max(thought) if state[-1] else min(thought)
            options = [option for option, t in zip(options, thought, strict=True) if t == best]
        return sum((of(after) + pay for after, pay in options), Fraction(0)) / len(options)

    return of(state)


PACMAN = GAMES / "pacman.gdl"
EXPECTATIONS = [e for e in load_model(read_source(PACMAN)).expectations if e.quantity == "value"]


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda e: e.text)
def test_values_of_pacman(expectation: Any) -> None:
    given = dict(expectation.params)
    found = value(start(int(given.get("time", 20))), given.get("ghost_is") == "random")
    tolerance = expectation.tolerance or 0
    assert abs(found - expectation.value) <= tolerance


@pytest.mark.parametrize("random_ghost", [False, True])
@pytest.mark.parametrize("trusting", [False, True])
def test_assumptions_against_reality(trusting: bool, random_ghost: bool) -> None:
    """The lectures' table: a Pacman who trusts in chance, or does not, and a ghost that is random, or not."""
    game = load(PACMAN, engine="native", time=4)
    pacman = "expectimax(against=random, depth=8)" if trusting else "minimax(depth=8)"
    ghost = "random" if random_ghost else "minimax(depth=8)"
    known = evaluated(start(4), trusting, random_ghost)
    assert worth(game, pacman, ghost) == pytest.approx(float(known), abs=1e-9)


def test_trust_pays_only_where_it_is_deserved() -> None:
    table = {(t, r): evaluated(start(20), t, r) for t in (False, True) for r in (False, True)}
    assert table[True, False] < table[False, False] < table[False, True] < table[True, True]


# ---------------------------------------------------- halving by policies, an independent program

SHARES = {
    "halver": (Fraction(1), Fraction(0)),
    "decrementer": (Fraction(0), Fraction(1)),
    "hasty": (Fraction(3, 4), Fraction(1, 4)),
    "random": (Fraction(1, 2), Fraction(1, 2)),
}
"""How probably a policy halves, and decrements."""


def halved(number: int, mover: int, policies: tuple[str, str]) -> Fraction:
    if number == 0:
        return Fraction(1 if mover == 0 else -1)
    values = [halved(after, 1 - mover, policies) for after in (number // 2, number - 1)]
    if policies[mover] == "best":
        return max(values) if mover == 0 else min(values)
    return sum((share * v for share, v in zip(SHARES[policies[mover]], values, strict=True)), Fraction(0))


HALVING = [
    e for e in load_model(read_source(GAMES / "halving.gdl")).expectations if e.setting.agents and not e.start
]


@pytest.mark.parametrize("expectation", HALVING, ids=lambda e: e.text)
def test_policies_of_halving(expectation: Any) -> None:
    agents = expectation.setting.agents
    policies = agents.get("first", "best"), agents.get("second", "best")
    assert halved(15, 0, policies) == expectation.value
