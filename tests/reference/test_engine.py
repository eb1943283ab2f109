"""The reference engine as a game of the protocol, on Models put together by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from gdl.game import CHANCE, TERMINAL, Game
from gdl.model import nodes as n
from gdl.model.types import BOOL, Enum, Int, ListOf, Member, SetOf, Tuple, Union
from gdl.model.types import CHANCE as CHANCE_UNIT
from gdl.reference.engine import ReferenceGame
from gdl.reference.faults import Fault
from gdl.reference.positions import HIDDEN, Position
from tests.reference.models import (
    ANY_INT,
    SPAN,
    arithmetic,
    assign,
    check,
    compare,
    const,
    counter,
    either,
    function,
    grid,
    local,
    model,
    move,
    optional,
    other,
    parameter,
    players,
    read,
    section,
    tictactoe,
    variable,
    zero_sum,
)

X = read("x", type_=Int(0, 3))


def start_of(game: ReferenceGame) -> Position:
    (start,) = game.initial()
    return start.position  # type: ignore[return-value]


def step(game: ReferenceGame, position: Position, text: str) -> Position:
    (outcome,) = game.outcomes(position, game.parse_move(position, text))
    return outcome.position  # type: ignore[return-value]


def test_it_is_a_game_of_the_protocol() -> None:
    assert isinstance(ReferenceGame(tictactoe()), Game)


def test_a_game_of_tictactoe() -> None:
    game = ReferenceGame(tictactoe())
    position = start_of(game)
    assert [str(m) for m in game.moves(position)] == [f"place({c}{r})" for r in "123" for c in "abc"]
    for text, mover in [
        ("place(a1)", 0),
        ("place(a2)", 1),
        ("place(b1)", 0),
        ("place(b2)", 1),
        ("place(c1)", 0),
    ]:
        assert game.to_move(position) == mover
        position = step(game, position, text)
    assert game.to_move(position) == TERMINAL
    assert game.moves(position) == []
    assert game.utility(position) == (1, -1)


# ---------------------------------------------------------------------------- positions


def test_positions_are_values() -> None:
    game = ReferenceGame(tictactoe())
    start = start_of(game)
    one = step(game, step(game, start, "place(a1)"), "place(b2)")
    same = game.parse_position("turn=x board=[x empty empty empty o empty empty empty empty]")
    assert one == same and hash(one) == hash(same) and one is not same
    assert len({one, same, start}) == 2
    assert start < one and one > start and one <= same and one >= same and not one < same
    assert one != "board" and one != one.values
    assert one["turn"] == "x"
    assert one["board"]["a1"] == "x" and one["board"]["b2"] == "o" and one["board"]["c3"] == "empty"
    with pytest.raises(KeyError):
        one["bord"]


def test_outcomes_do_not_change_the_position() -> None:
    game = ReferenceGame(tictactoe())
    start = start_of(game)
    before = str(start)
    for m in game.moves(start):
        game.outcomes(start, m)
    assert str(start) == before


def test_values_in_plain_python() -> None:
    suits = Enum("Suit", (Member("clubs"), Member("hearts")))
    cells = grid(1, 2)
    game = ReferenceGame(
        counter(
            move("wait"),
            variables=(
                variable("held", optional(suits), 2),
                variable("seen", SetOf(suits), 0b10),
                variable("pair", Tuple((Int(1, 3), suits)), (2, 1)),
                variable("flag", BOOL, True),
                variable("score", Int(0, 9), 4, suits, cells),
            ),
        )
    )
    position = start_of(game)
    assert position["held"] is None
    assert position["seen"] == frozenset({"hearts"})
    assert position["pair"] == (2, "hearts")
    assert position["flag"] is True
    assert position["score"] == {(s, c): 4 for s in ("clubs", "hearts") for c in ("a1", "b1")}
    assert str(position) == "x=0 held=none seen={hearts} pair=(2, hearts) flag=true score=[4 4 4 4]"
    assert game.parse_position(str(position)) == position


# -------------------------------------------------------------------------------- moves


def test_parameters_vary_the_last_fastest_and_guards_cut_early() -> None:
    first = parameter("a", 0, Int(1, 3), compare(local(0), "!=", const(2)))
    second = parameter(
        "b",
        1,
        Int(1, 3),
        compare(local(1), "<=", local(0)),
        domain=n.RangeDomain(const(1), const(3), Int(1, 3)),
    )
    game = ReferenceGame(counter(move("pick", parameters=(first, second))))
    assert [str(m) for m in game.moves(start_of(game))] == [
        "pick(1, 1)",
        "pick(3, 1)",
        "pick(3, 2)",
        "pick(3, 3)",
    ]


def test_a_value_listed_twice_is_one_move() -> None:
    listed = n.ListDomain(const((3, 1, 3), ListOf(Int(0, 3), 3)), Int(0, 3))
    game = ReferenceGame(counter(move("pick", parameters=(parameter("k", 0, Int(0, 3), domain=listed),))))
    assert [str(m) for m in game.moves(start_of(game))] == ["pick(3)", "pick(1)"]


def test_a_later_guard_is_not_tested_when_an_earlier_one_fails() -> None:
    divides = compare(arithmetic(const(6), "mod", local(0)), "==", const(0))
    number = parameter("k", 0, Int(0, 6), compare(local(0), ">", const(0)), divides)
    game = ReferenceGame(counter(move("pick", parameters=(number,))))
    assert [m.values for m in game.moves(start_of(game))] == [(1,), (2,), (3,), (6,)]


def test_a_computed_parameter_off_the_board_makes_the_move_illegal() -> None:
    cells = grid(2, 2)
    up = n.Step(cells, local(0, cells), const(1), const(0), optional(cells), SPAN)
    start = parameter("from", 0, cells)
    to = n.MoveParameter("to", 1, cells, None, up, ())
    game = ReferenceGame(counter(move("climb", parameters=(start, to))))
    assert [str(m) for m in game.moves(start_of(game))] == ["climb(a1, a2)", "climb(b1, b2)"]


def test_otherwise_moves_are_legal_only_when_no_other_is() -> None:
    go = move(
        "go",
        assign("x", check(arithmetic(X, "+", const(1)), Int(0, 3), "`x`")),
        guards=(compare(X, "<", const(1)),),
    )
    rest = move("rest", assign("x", const(3)), otherwise=True)
    game = ReferenceGame(counter(rest, go))
    position = start_of(game)
    assert [str(m) for m in game.moves(position)] == ["go"]
    assert [str(m) for m in game.moves(step(game, position, "go"))] == ["rest"]


def test_moves_are_ordered_and_hashable() -> None:
    game = ReferenceGame(tictactoe())
    legal = game.moves(start_of(game))
    assert sorted(legal, reverse=True)[::-1] == legal
    assert legal[0] == game.moves(start_of(game))[0] and legal[0] != legal[1] and legal[0] != "place(a1)"
    assert len(set(legal) | set(game.moves(start_of(game)))) == 9


def test_statements_change_the_position_in_order() -> None:
    three = Int(0, 3)
    row = variable("row", three, 0, three)
    body = (
        assign("row", const(2), const(0)),
        n.Let(0, "was", read("row", const(0), type_=three), SPAN),
        assign("row", const(1), local(0)),  # row[2], since row[0] is 2 by now
        n.For(
            (n.Binder((1,), ("k",), n.TypeDomain(three)),),
            compare(local(1), ">", const(0)),
            (
                n.If(((compare(local(1), "==", const(3)), (n.Break(SPAN),)),), (), SPAN),
                assign("x", local(1)),
            ),
            SPAN,
        ),
        n.If(
            (
                (compare(X, "==", const(1)), ()),
                (compare(X, "==", const(2)), (assign("row", const(3), const(3)),)),
            ),
            (assign("x", const(0)),),
            SPAN,
        ),
    )
    game = ReferenceGame(counter(move("go", *body), variables=(row,)))
    assert str(step(game, start_of(game), "go")) == "x=2 row=[2 0 1 3]"


def test_effects_and_hypothetical_positions() -> None:
    """`raise_by(k)` adds to x; a move is legal if x would stay below 3 after it."""
    raise_by = n.Effect(
        "raise_by",
        (n.Formal("k", 0, Int(1, 2)),),
        1,
        (
            assign("x", check(arithmetic(X, "+", local(0)), Int(0, 4), "`x`")),
            n.Reward(const(0), const(5), SPAN),
        ),
        False,
        SPAN,
    )
    below = n.After("raise_by", (local(0),), compare(X, "<", const(3)), BOOL, SPAN)
    game = ReferenceGame(
        counter(
            move(
                "add",
                n.Perform("raise_by", (local(0),), SPAN),
                parameters=(parameter("k", 0, Int(1, 2), below),),
            ),
            move("stop", assign("x", const(4))),
            effects=(raise_by,),
            top=4,
        )
    )
    position = start_of(game)
    assert [str(m) for m in game.moves(position)] == ["add(1)", "add(2)", "stop"]
    (outcome,) = game.outcomes(position, game.moves(position)[0])
    assert outcome.rewards == (5,)
    assert [str(m) for m in game.moves(outcome.position)] == ["add(1)", "stop"]  # type: ignore[arg-type]
    assert str(position) == "x=0"


# ------------------------------------------------------------------- chance as a player


def chance_game(weight: n.Expr | None) -> ReferenceGame:
    """Solo moves on even x, chance on odd x, adding 1 or 2."""
    solo = players("solo")
    turn_type = Union((solo, CHANCE_UNIT))
    odd = compare(arithmetic(X, "mod", const(2)), "==", const(1))
    who = either(odd, const(1, turn_type), const(0, turn_type))
    added = check(arithmetic(arithmetic(X, "+", local(0)), "min", const(3)), Int(0, 3), "`x`")
    add = move("add", assign("x", added), parameters=(parameter("k", 0, Int(1, 2)),), weight=weight)
    return ReferenceGame(counter(add, player=section(who)))


def test_chance_moves_with_weights() -> None:
    game = chance_game(local(0))
    position = step(game, start_of(game), "add(1)")
    assert game.to_move(start_of(game)) == 0
    assert game.to_move(position) == CHANCE
    assert [(str(m), p) for m, p in game.chance(position)] == [
        ("add(1)", Fraction(1, 3)),
        ("add(2)", Fraction(2, 3)),
    ]
    assert game.moves(position) == [m for m, _ in game.chance(position)]


def test_chance_moves_uniformly_without_weights_and_never_at_weight_zero() -> None:
    game = chance_game(None)
    position = step(game, start_of(game), "add(1)")
    assert [p for _, p in game.chance(position)] == [Fraction(1, 2)] * 2
    picky = chance_game(arithmetic(local(0), "-", const(1)))
    position = step(picky, start_of(picky), "add(1)")
    assert [(str(m), p) for m, p in picky.chance(position)] == [("add(2)", 1)]
    assert [str(m) for m in picky.moves(position)] == ["add(2)"]


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (const(0), "every move has weight 0"),
        (arithmetic(const(1), "-", local(0)), "is -1, which is negative"),
    ],
)
def test_impossible_weights_are_faults(weight: n.Expr, words: str) -> None:
    game = chance_game(weight)
    with pytest.raises(Fault, match=words) as caught:
        game.moves(step(game, start_of(game), "add(1)"))
    assert caught.value.code == "F004"


# ------------------------------------------------------------------------------- faults


def test_a_fault_knows_the_position_the_move_and_the_place() -> None:
    add = check(arithmetic(X, "+", local(0)), Int(0, 3), "`x`")
    game = ReferenceGame(counter(move("add", assign("x", add), parameters=(parameter("k", 0, Int(1, 2)),))))
    position = step(game, start_of(game), "add(2)")
    bad = game.parse_move(position, "add(2)")
    with pytest.raises(Fault) as caught:
        game.outcomes(position, bad)
    fault = caught.value
    assert (fault.code, fault.position, fault.move, fault.span) == ("F001", position, bad, SPAN)
    assert fault.diagnostic.message == "4 is outside 0..3, the range of `x`"
    assert dict(fault.diagnostic.context) == {"position": "x=2", "move": "add(2)"}
    with pytest.raises(Fault):
        game.sample(position, bad, Random(0))
    with pytest.raises(Fault):
        game.explain_outcomes(position, bad)


def test_no_legal_move_is_a_fault() -> None:
    game = ReferenceGame(counter(move("never", guards=(const(False, BOOL),))))
    with pytest.raises(Fault, match="no move is legal here") as caught:
        game.moves(start_of(game))
    assert caught.value.code == "F003"
    assert caught.value.position == start_of(game)


def bad_number() -> n.Expr:
    return arithmetic(const(1), "div", X)


@pytest.mark.parametrize(
    "act",
    [
        lambda game, position: game.to_move(position),
        lambda game, position: game.utility(position),
        lambda game, position: game.features(position),
        lambda game, position: game.evaluate(position),
        lambda game, position: game.show(position),
        lambda game, position: game.svg(position),
    ],
)
def test_faults_in_sections_know_the_position(act) -> None:  # type: ignore[no-untyped-def]
    solo = players("solo")
    wrong = function("wrong", bad_number(), solo, type_=ANY_INT)
    game = ReferenceGame(
        counter(
            move("wait"),
            terminal=section(compare(bad_number(), "==", const(1))),
            utility=wrong,
            evaluate=wrong,
            features={"f": section(bad_number())},
            show=n.Show(0, (n.ShowLine(("x: ", bad_number())),)),
        )
    )
    position = game.parse_position("x=0")
    with pytest.raises(Fault) as caught:
        act(game, position)
    assert (caught.value.code, caught.value.position, caught.value.move) == ("F005", position, None)


def test_a_fault_in_the_initial_position() -> None:
    begin = n.Effect("initial", (), 0, (assign("x", check(const(9), Int(0, 3), "`x`")),), False, SPAN)
    game = ReferenceGame(counter(move("wait"), initial=begin))
    with pytest.raises(Fault) as caught:
        game.initial()
    assert caught.value.code == "F001"
    assert caught.value.move is None


# ------------------------------------------------------------------ search and secrets


def test_features_and_evaluation() -> None:
    solo = players("solo")
    game = ReferenceGame(
        counter(
            move("wait"),
            features={"twice": section(arithmetic(X, "*", const(2)))},
            evaluate=function("evaluate", arithmetic(X, "/", const(3)), solo, type_=ANY_INT),
        )
    )
    position = game.parse_position("x=2")
    assert game.features(position) == {"twice": 4}
    assert game.evaluate(position) == (Fraction(2, 3),)
    assert ReferenceGame(counter(move("wait"))).evaluate(position) is None


def card_game() -> ReferenceGame:
    """Two players with a card each, seen by its owner only; a secret bid and an open one."""
    ab = players("alice", "bob")
    cards = Enum("Card", (Member("jack"), Member("queen"), Member("king")))
    own = n.Visibility(2, (0,), 1, compare(local(0, ab), "==", local(1, ab)))
    nobody = n.Visibility(1, (), 0, const(False, BOOL))
    turn = read("turn", type_=ab)
    amount = parameter("k", 0, Int(1, 2))
    return ReferenceGame(
        model(
            ab,
            (
                variable("card", cards, 0, ab, visible=own),
                variable("top", cards, 2, visible=nobody),
                variable("turn", ab, 0),
            ),
            section(turn),
            section(const(False, BOOL)),
            zero_sum(ab, const(0)),
            (
                move("bid", assign("turn", other(turn, ab)), parameters=(amount,), secret=True),
                move("call", assign("turn", other(turn, ab)), parameters=(amount,)),
            ),
            hidden=True,
        )
    )


def test_observations_hide_what_is_not_shown() -> None:
    game = card_game()
    position = game.parse_position("card=[queen king]")
    alice, bob = game.observation(position, 0), game.observation(position, 1)
    assert str(alice) == "card=[queen ?] top=? turn=alice"
    assert str(bob) == "card=[? king] top=? turn=alice"
    assert alice["card"] == {"alice": "queen", "bob": HIDDEN}
    other_deal = game.parse_position("card=[queen jack] top=jack")
    assert game.observation(other_deal, 0) == alice
    assert hash(game.observation(other_deal, 0)) == hash(alice)
    assert game.observation(other_deal, 1) != bob
    assert alice < bob and sorted([bob, alice]) == [alice, bob]
    assert "?" in game.show_observation(position, 0) and "king" not in game.show_observation(position, 0)


def test_hidden_values_sort_before_all_others() -> None:
    assert sorted([3, HIDDEN, 0]) == [HIDDEN, 0, 3]
    assert HIDDEN <= HIDDEN and not HIDDEN < HIDDEN and HIDDEN < (1, 2)


def test_secret_moves_hide_their_parameters_from_others() -> None:
    game = card_game()
    bid, call = game.parse_move(start_of(game), "bid(2)"), game.parse_move(start_of(game), "call(2)")
    assert str(game.observed_move(bid, 0, mover=0)) == "bid(2)"
    assert str(game.observed_move(bid, 1, mover=0)) == "bid(?)"
    assert str(game.observed_move(call, 1, mover=0)) == "call(2)"
    weaker = game.parse_move(start_of(game), "bid(1)")
    assert game.observed_move(bid, 1, 0) == game.observed_move(weaker, 1, 0)
