"""Information sets follow from the text; both engines agree on them, and with OpenSpiel on how many there
are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.diagnostics import GameError
from solvers.core.refusal import TooLarge
from solvers.hidden.consistency import Inconsistent
from solvers.hidden.game_tree import game_tree
from solvers.hidden.kernels.histories import sequence_form
from solvers.hidden.sequences import SequenceForm, sequence_form_of
from solvers.hidden.words import Words, seen_text
from tests.generate import game_of_seed
from tests.texts import LEAK

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("rock_paper_scissors", {}),
    ("prisoners_dilemma", {"rounds": 2}),
    ("liars_dice", {"sides": 2}),
    ("battleships", {"rows": 1, "cols": 3, "shortest": 1, "longest": 1}),
    ("two_handed_whist", {"suits": 1, "ranks": 4}),
    ("whist", {"ranks": 2, "cards": 1, "trumps": False}),
    ("three_player_kuhn", {}),
    ("goofspiel", {"cards": 3}),
    ("dark_hex", {"size": 2}),
]


@pytest.mark.parametrize(("name", "params"), SMALL, ids=lambda part: str(part))
def test_engines_agree(name: str, params: dict[str, Any]) -> None:
    listed = sequence_form_of(game_tree(gdl.load(name, engine="reference", **params), turns=True))
    agree(listed, sequence_form(gdl.load(name, **params)))


def agree(listed: SequenceForm, walked: SequenceForm) -> None:
    assert listed.histories == walked.histories
    for array in ("start", "sets", "first", "moves", "parent", "row", "others"):
        assert np.array_equal(getattr(listed, array), getattr(walked, array)), array
    assert np.allclose(listed.pays, walked.pays, rtol=0, atol=1e-12)
    for number in range(listed.information_sets):
        one, other = listed.known(number), walked.known(number)
        assert (one.player, one.seen, one.moves) == (other.player, other.seen, other.moves)


@pytest.mark.parametrize("seed", range(12))
def test_engines_agree_on_generated_games(seed: int) -> None:
    """Whatever they hide: equal arrays, or the same refusal."""
    text = game_of_seed(seed, faults=False)
    try:
        reference = gdl.loads(text, engine="reference")
    except GameError:
        return  # the checker proves that it breaks
    native = gdl.loads(text)
    try:
        listed = sequence_form_of(game_tree(reference, limit=400))
    except GameError as error:
        with pytest.raises(GameError) as raised:
            sequence_form(native, limit=400)
        assert {d.code for d in raised.value.diagnostics} == {d.code for d in error.diagnostics}
        return
    agree(listed, sequence_form(native, limit=400))


# Counted with OpenSpiel 2.0.2: distinct information states at decisions, for each player.
COUNTS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("kuhn_poker", {}, (6, 6)),
    ("leduc_poker", {}, (144, 144)),  # suit_isomorphism=True
    ("liars_dice", {}, (12288, 12288)),
    ("liars_dice", {"sides": 3}, (96, 96)),
    ("goofspiel", {"cards": 3}, (8, 8)),  # imp_info=True, points_order=descending
    ("goofspiel", {"cards": 4}, (81, 81)),
    ("dark_hex", {"size": 2}, (33, 101)),
    ("dark_hex", {"size": 2, "abrupt": True}, (59, 35)),  # gameversion=adh
    ("three_player_kuhn", {}, (16, 16, 16)),
]


@pytest.mark.parametrize(("name", "params", "counts"), COUNTS, ids=lambda part: str(part))
def test_as_many_as_in_open_spiel(name: str, params: dict[str, Any], counts: tuple[int, ...]) -> None:
    assert sequence_form(gdl.load(name, **params)).counts == counts


@pytest.mark.parametrize(("abrupt", "counts"), [(False, [1, 1, 10, 91]), (True, [1, 1, 10, 10])], ids=str)
def test_phantom_tictactoe_move_by_move(abrupt: bool, counts: list[int]) -> None:
    """OpenSpiel's `phantom_ttt(obstype=reveal-numturns)`: information states of x after up to so many
    moves."""
    game = gdl.load("phantom_tictactoe", abrupt=abrupt)
    start = game.initial()[0].position
    layer: list[Any] = [(start, tuple((game.observation(start, player),) for player in range(2)))]
    met: set[Any] = set()
    for count in counts:
        following = []
        for position, seen in layer:
            mover = game.to_move(position)
            if mover == 0:
                met.add(seen[0])
            for move in game.moves(position):
                (outcome,) = game.outcomes(position, move)
                longer = tuple(
                    (
                        *before,
                        (mover, game.observed_move(move, player, mover)),
                        game.observation(outcome.position, player),
                    )
                    for player, before in enumerate(seen)
                )
                following.append((outcome.position, longer))
        assert len(met) == count
        layer = following


def test_words_tell_information_sets_apart() -> None:
    for name, params in (("leduc_poker", {}), *SMALL[2:4], *SMALL[5:7]):
        form = sequence_form(gdl.load(name, **params))
        known = [form.known(number) for number in range(form.information_sets)]
        words = Words(form.game, [(one.player, one.seen) for one in known])
        assert len({(one.player, words.text(one.player, one.seen)) for one in known}) == len(known)
        assert len({(one.player, seen_text(form.game, one.seen)) for one in known}) == len(known)


def test_words_of_kuhn_poker() -> None:
    form = sequence_form(gdl.load("kuhn_poker"))
    known = [form.known(number) for number in range(form.information_sets)]
    words = Words(form.game, [(one.player, one.seen) for one in known])
    told = {words.text(one.player, one.seen) for one in known if one.player == 0}
    assert told == {f"card {c}{then}" for c in ("jack", "queen", "king") for then in ("", "; check, bet")}


def test_the_example_of_the_language() -> None:
    """docs/language.md says what the two players of its example know, and how a guard gives it away."""
    page = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
    text = page[page.index("game coins") :].split("```")[0]
    tree = game_tree(gdl.loads(text, engine="reference"), turns=True)
    found = [(one.player, one.seen) for sets in tree.information_sets for one in sets]
    words = Words(tree.game, found)
    assert [words.text(*one) for one in found] == ["coin 1", "coin 2", "keep(?)"]
    leaking = text.replace("when kept is not none", "when kept is not none and side >= kept")
    with pytest.raises(Inconsistent) as raised:
        game_tree(gdl.loads(leaking, engine="reference"))
    shown = page.split("error[R004]: ")[1].split("```")[0].strip()
    assert shown in str(raised.value)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_moves_that_give_away_what_is_hidden(engine: str) -> None:
    game = gdl.loads(LEAK, engine=engine)
    with pytest.raises(Inconsistent) as raised:
        sequence_form(game)
    assert raised.value.code == "R004"
    for part in ("right cannot tell", "choose(0)", "choose(1)", "`say(1)`", "`say(3)`"):
        assert part in str(raised.value)


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("agent", ["pimc", "ismcts(simulations=50)"])
def test_searches_say_so_too(engine: str, agent: str) -> None:
    """Right, who may say 2 or 3, learns from it that 1 was chosen."""
    game = gdl.loads(LEAK, engine=engine)
    with pytest.raises(Inconsistent, match="tells right more than was seen") as raised:
        gdl.search(game, agent, moves="choose(1)")
    assert raised.value.code == "R004"
    with pytest.raises(Inconsistent):
        gdl.match(game, agent, "random", games=20, seed=1)


def test_turns_that_give_away_what_is_hidden() -> None:
    """Who is asked learns that k was 1."""
    game = gdl.loads(
        """
game hush
players: left, right
position:
    n: 0..1? visible to left
    over: bool
player: left if n is none or n == 0 else right
secret move choose(k: 0..1) when n is none:
    n = k
move stop when n is not none:
    over = true
terminal: over
utility: 0
""",
        engine="reference",
    )
    assert game_tree(game).histories == 5
    with pytest.raises(Inconsistent, match="right cannot tell"):
        game_tree(game, turns=True)


def test_a_limit_of_histories_is_kept() -> None:
    for engine in ("reference", "native"):
        with pytest.raises(TooLarge, match="more than 100 histories"):
            sequence_form(gdl.load("leduc_poker", engine=engine), limit=100)
