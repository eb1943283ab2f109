"""What policies mean: which moves they make, and what they may look at."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import gdl
from gdl.check.policies import RESERVED
from gdl.diagnostics import GameError
from gdl.model.digest import digest
from solvers.agents.kinds import known_agents

GAME = """\
game lattice

players: a, b

type Cell = grid(2, 2)
type Way = {up, right}

position:
    at: Cell = a1
    marks[Cell]: 0..2 = 0
    turn: player = a

player: turn

def free(c: Cell): marks[c] == 0

feature empty: count(free(c) for c in Cell)

move mark(c: Cell, n: 1..2) when free(c):
    marks[c] = n
    turn = next(turn)

move go(w: Way, to = at + ((1, 0) if w == up else (0, 1))) when free(to):
    at = to
    turn = next(turn)

move rest otherwise:
    turn = next(turn)

terminal: all(marks[c] > 0 for c in Cell)

utility: 1 if turn == a else -1

"""

START = ""
FULL = "marks=[1 1 1 0] at=b2"  # only b2 can be marked


def moves(policy: str, position: str = START, engine: str = "reference") -> dict[str, Fraction]:
    """What the policy `p` does, by the text of the moves."""
    game: Any = gdl.loads(GAME + policy, engine=engine)
    found = game.policy("p(2)" if "policy p(" in policy else "p")(game.parse_position(position))
    return {str(move): share for move, share in found.items()}


def evenly(*names: str) -> dict[str, Fraction]:
    return {name: Fraction(1, len(names)) for name in names}


MARKS = [f"mark({c}, {n})" for c in ("a1", "b1", "a2", "b2") for n in (1, 2)]
ALL = [*MARKS, "go(up, a2)", "go(right, b1)"]

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

MEANINGS: list[tuple[str, str, dict[str, Fraction]]] = [
    ("policy p: random", START, evenly(*ALL)),
    ("policy p: mark(b2, 1)", START, evenly("mark(b2, 1)")),
    # What is not legal is passed over; at the end anything is as good.
    ("policy p:\n    mark(a1, 1)\n    mark(b2, 2)", FULL, evenly("mark(b2, 2)")),
    ("policy p: mark(a1, 1)", FULL, evenly("mark(b2, 1)", "mark(b2, 2)")),
    ("policy p: rest", START, evenly(*ALL)),
    # Arguments left out, by name, and by the type that they fit.
    ("policy p: go", START, evenly("go(up, a2)", "go(right, b1)")),
    ("policy p: mark(n=2)", START, evenly(*(m for m in MARKS if m.endswith("2)")))),
    ("policy p: mark(2)", START, evenly(*(m for m in MARKS if m.endswith("2)")))),
    ("policy p: go(b1)", START, evenly("go(right, b1)")),
    ("policy p: mark(at)", START, evenly("mark(a1, 1)", "mark(a1, 2)")),
    # Sets, comprehensions, the first of several.
    ("policy p: {mark(a1, 1), go(up), mark(a1)}", START, evenly("mark(a1, 1)", "mark(a1, 2)", "go(up, a2)")),
    ("policy p: {mark(c, 1) for c in Cell if c.row == 1}", START, evenly("mark(a2, 1)", "mark(b2, 1)")),
    ("policy p: first(mark(c, n) for c in Cell, n in 1..2 if n == 2)", START, evenly("mark(a1, 2)")),
    ("policy p: first(mark(c, 1) for c in Cell)", FULL, evenly("mark(b2, 1)")),
    ("policy p:\n    for c in Cell if c.col == 1:\n        mark(c, 1)", START, evenly("mark(b1, 1)")),
    # Choices and chance; a way of chance that is not legal goes on by itself.
    ("policy p: go(up) if empty == 4 else random", START, evenly("go(up, a2)")),
    ("policy p: {go(up): 3/4, go(right): 1/4}", START, {"go(up, a2)": 3 * QUARTER, "go(right, b1)": QUARTER}),
    (
        "policy p:\n    {mark(a1, 1): 1/2, mark(b2, 1): 1/2}\n    mark(b2, 2)",
        FULL,
        {"mark(b2, 1)": HALF, "mark(b2, 2)": HALF},
    ),
    (
        "policy p:\n    chance:\n        1/2: go(up)\n        else: rest\n    mark(a1, 1)",
        START,
        {"go(up, a2)": HALF, "mark(a1, 1)": HALF},
    ),
    (
        "policy p:\n    c ~ Cell where it.row == 0\n    mark(c, 1)",
        START,
        evenly("mark(a1, 1)", "mark(b1, 1)"),
    ),
    (
        "policy p:\n    n ~ 1..2 weighted n\n    mark(a1, n)",
        START,
        {"mark(a1, 1)": Fraction(1, 3), "mark(a1, 2)": Fraction(2, 3)},
    ),
    ("policy p:\n    if free(a1):\n        return mark(a1, 1)\n    return go", START, evenly("mark(a1, 1)")),
    # Others, parameters, who moves.
    ("policy p(n: 1..2): mark(a1, n)", START, evenly("mark(a1, 2)")),
    ("policy q(n: 1..2): mark(a1, n)\n\npolicy p: rest if false else q(n=1)", START, evenly("mark(a1, 1)")),
    ("policy q: rest\n\npolicy p:\n    q\n", START, evenly(*ALL)),
    ("policy p: go(up) if mover == a else go(right)", START, evenly("go(up, a2)")),
    ("policy p for a: go(up) if mover == a else go(right)", START, evenly("go(up, a2)")),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "position", "expected"), MEANINGS, ids=[m[0] for m in MEANINGS])
def test_what_a_policy_does(policy: str, position: str, expected: dict[str, Fraction]) -> None:
    assert moves(policy, position) == expected


def test_machine_code_means_the_same() -> None:
    """All of them in one file, so that it is compiled once."""
    text, asked = GAME, []
    for number, (policy, position, expected) in enumerate(MEANINGS):
        own = policy.replace("policy p", f"policy p{number}").replace("policy q", f"policy q{number}")
        own = own.replace("else q(", f"else q{number}(").replace("    q\n", f"    q{number}\n")
        text += own + "\n\n"
        asked.append((f"p{number}(2)" if f"p{number}(" in own else f"p{number}", position, expected))
    game = gdl.loads(text)
    for name, position, expected in asked:
        found = game.policy(name)(game.parse_position(position))
        assert {str(move): share for move, share in found.items()} == expected, name


def test_policies_do_not_change_the_rules() -> None:
    plain, more = (
        gdl.loads(GAME),
        gdl.loads(GAME + "def twice: 2 * empty\n\npolicy p: go if twice > 4 else rest"),
    )
    assert digest(plain.model) == digest(more.model)
    assert plain.key(plain.initial()[0].position) == more.key(more.initial()[0].position)  # type: ignore[arg-type]


def test_names_of_agents_are_reserved() -> None:
    assert set(known_agents()) <= set(RESERVED)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("q", "P014"), ("p", "P012"), ("p(1, 2)", "P012"), ("p(1, n=1)", "P012"), ("p(m=1)", "P009"),
        ("p(3)", "P003"), ("p(", "P004"),
    ],
)  # fmt: skip
def test_a_policy_named_wrongly(text: str, code: str) -> None:
    game = gdl.loads(GAME + "policy p(n: 1..2): mark(n=n)", engine="reference")
    with pytest.raises(GameError) as error:
        game.policy(text)
    assert [d.code for d in error.value.diagnostics] == [code]


def test_a_fault_names_the_position_and_the_line() -> None:
    policy = "policy p:\n    n ~ 1..2 where it > count(Cell) - empty + 1\n    mark(a1, n)"
    for engine in ("reference", "native"):
        with pytest.raises(GameError, match="F004"):
            moves(policy, "marks=[1 1 0 0] at=b2", engine)


CARDS = """\
game cards

players: alice, bob

position:
    card[p: player]: 1..3 visible to p
    said[player]: bool? = none
    turn: player = alice

initial:
    card[alice] ~ 1..3
    card[bob] ~ 1..3 where it != card[alice]

player: turn

move say(high: bool):
    said[turn] = high
    turn = next(turn)

terminal: said[bob] is not none

utility: (1 if card[alice] > card[bob] else -1) if said[alice] == true else 0

policy honest: say(card[mover] == 3)
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_policy_plays_where_something_is_hidden(engine: str) -> None:
    """Alice bets with a 3 only, which wins whatever Bob has: 1/3 of the deals."""
    game: Any = gdl.loads(CARDS, engine=engine)
    found = [gdl.evaluate(game, alice="honest", bob=bob).values[0] for bob in ("random", "best")]
    assert all(value.low <= Fraction(1, 3) <= value.high for value in found)  # type: ignore[union-attr, operator]
    agents = [gdl.agent("honest", game, seed=1), gdl.agent("random", game, seed=2)]
    for seed in range(20):
        play = gdl.Play(game, seed=seed)
        held = play.position.values[0]
        assert str(agents[0].choose(play)) == f"say({'true' if held == 3 else 'false'})"
