"""No agent knows more than its player: what it cannot see never changes what it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
from gdl.diagnostics import GameError
from gdl.game import DeclaresPolicies, Game
from gdl.playing.play import Play
from solvers.agents.kinds import known_agents
from solvers.core.refusal import TooLarge
from solvers.hidden.game_tree import GameTree, InformationSet, Node, game_tree
from solvers.hidden.sequences import Known
from solvers.hidden.worlds import Belief
from solvers.registry import SOLVERS
from tests.hidden.drawn_games import hidden_game

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("liars_dice", {"sides": 3}),
    ("two_handed_whist", {"suits": 1, "ranks": 4}),
    ("battleships", {"rows": 1, "cols": 3, "shortest": 1, "longest": 1}),
    ("goofspiel", {"cards": 3}),
    ("dark_hex", {"size": 2}),
    ("three_player_kuhn", {}),
    ("prisoners_dilemma", {}),
    ("rock_paper_scissors", {}),
    ("non_locality", {}),
    ("strategy_fusion", {}),
]

SETTINGS = {
    "ismcts": [
        "ismcts(simulations=40)",
        "ismcts(simulations=40, observers=single, selection=regret)",
        "ismcts(simulations=40, selection=regret, against=random)",
    ],
    "pimc": ["pimc(worlds=2)", "pimc(depth=2)", "pimc(simulations=30, worlds=2, against=random)"],
    "mixture": ["mixture(1/2: pimc(worlds=1), 1/2: random)"],
}
"""How agents are asked for that have options worth trying."""


def agents_of(game: Game[Any, Any], files: Path) -> list[str]:
    """Every agent there is that plays the game, those of its own file and a file of a policy among them;
    where it is not compiled without those that first solve it all, which takes long in Python."""
    solved = hasattr(game, "compiled") or game.name == "kuhn_poker"
    found = [*game.policies] if isinstance(game, DeclaresPolicies) else []
    if solved:
        gdl.solve(game, "cfr_plus(iterations=3)", policy=files / "policy.parquet")
        found.append(f"policy:{files / 'policy.parquet'}")
    for name in known_agents():
        row = SOLVERS.get(name)
        if row is not None and row.hidden and not (solved or row.looks_ahead):
            continue
        iterates = row is not None and "iterations" in row.options
        for text in SETTINGS.get(name, [f"{name}(iterations=5)" if iterates else name]):
            try:
                gdl.agent(text, game)
            except GameError:
                continue  # it does not suit the game, or wants a file, and says so
            assert row is None or row.hidden, f"{name} looks at positions, and plays {game.name}"
            found.append(text)
    return found


def play_to(game: Game[Any, Any], node: Node) -> Play[Any, Any]:
    """The play that is a history."""
    way = []
    above: Node | None = node
    while above is not None:
        if above.position is not None:
            way.append(above)
        above = above.parent
    way.reverse()
    play: Play[Any, Any] = Play(game, way[0].position)
    for one in way[1:]:
        assert one.parent is not None
        play.make(one.parent.by if one.by is None else one.by, one.position)
    return play


def histories(tree: GameTree, rng: Random, sets: int) -> list[list[Node]]:
    """Of some information sets, two histories each that look the same to the player to move."""
    found: dict[InformationSet, list[Node]] = defaultdict(list)
    for node in tree.nodes():
        if node.information is not None and len(node.information.moves) > 1:
            found[node.information].append(node)
    several = [nodes for nodes in found.values() if len(nodes) > 1]
    return [rng.sample(nodes, 2) for nodes in rng.sample(several, min(sets, len(several)))]


def no_leaks(game: Game[Any, Any], sets: int, files: Path) -> int:
    pairs = histories(game_tree(game, limit=20_000), Random(1), sets)
    for text in agents_of(game, files) if pairs else ():
        for number, pair in enumerate(pairs):
            choose_alike(game, text, [play_to(game, node) for node in pair], number)
    return len(pairs)


def choose_alike(game: Game[Any, Any], text: str, plays: list[Play[Any, Any]], seed: int) -> None:
    player = plays[0].to_move
    assert plays[0].history != plays[1].history or plays[0].start != plays[1].start
    assert plays[0].information(player) == plays[1].information(player)
    chosen = set()
    for play in plays:
        agent = gdl.agent(text, game, seed=seed)
        try:
            chosen.add(tuple(agent.choose(before) for before in decisions(play, player)))
        except TooLarge:  # the game as a whole, whatever is hidden in the play
            assert text == "support_enumeration"
            chosen.add(())
    assert len(chosen) == 1, f"{text} knows what is hidden: {plays[0]} and {plays[1]}"


def decisions(play: Play[Any, Any], player: int) -> Iterator[Play[Any, Any]]:
    """The play as it stood whenever the player was to move, and as it stands: agents remember."""
    again: Play[Any, Any] = Play(play.game, play.start.position)
    for step in play.history:
        if again.to_move == player:
            yield again
        again.take_up(step.move, step.position, step.rewards)
    yield again


@pytest.mark.parametrize(("name", "params"), SMALL, ids=str)
def test_what_is_hidden_changes_nothing(name: str, params: dict[str, Any], tmp_path: Path) -> None:
    assert no_leaks(gdl.load(name, **params), 2, tmp_path)


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel", "three_player_kuhn"])
def test_what_is_hidden_changes_nothing_in_python(name: str, tmp_path: Path) -> None:
    game = gdl.load(name, engine="reference", **({"cards": 3} if name == "goofspiel" else {}))
    assert no_leaks(game, 2, tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_hidden_changes_nothing_in_generated_games(seed: int, tmp_path: Path) -> None:
    game = gdl.loads(hidden_game(seed), engine="reference" if seed % 8 == 0 else "native")
    assert no_leaks(game, 1, tmp_path) or "everyone" in hidden_game(seed)


def test_all_games_with_something_hidden_are_asked_about() -> None:
    hidden = {name for name in gdl.games() if gdl.load(name, engine="reference").traits.hidden}
    assert hidden == {name for name, _ in SMALL} | {name for name, *_ in LARGE}


LARGE: list[tuple[str, dict[str, Any], int]] = [
    ("whist", {"suits": 2, "ranks": 8, "cards": 3}, 14),
    ("battleships", {}, 14),
    ("phantom_tictactoe", {}, 5),
    ("goofspiel", {"cards": 8}, 7),
    ("dark_hex", {}, 6),
    ("german_whist", {"ranks": 6}, 14),
]


@pytest.mark.parametrize(("name", "params", "length"), LARGE, ids=str)
def test_what_is_hidden_changes_nothing_in_large_games(
    name: str, params: dict[str, Any], length: int
) -> None:
    """The other play comes from a sample of worlds, whose plays are made again by the rules."""
    game = gdl.load(name, **params)
    play: Play[Any, Any] = Play(game, rng=Random(2))
    while len(play) < length or play.to_move < 0:
        play.make(play.rng.choice(play.moves()))  # type: ignore[union-attr]
    known = Known(play.to_move, play.information(play.to_move), tuple(play.moves()))
    belief = Belief(game, most=0, particles=8)
    assert len(belief.worlds(known, Random(4)))
    (_, sample) = belief._last[known.player]
    for ways in sample.plays[:2]:
        other: Play[Any, Any] = Play(game, ways[0].world.position)
        for way in ways[1:]:
            other.make(way.move, way.world.position)
        if other.history != play.history:
            break
    for text in (
        "ismcts(simulations=200)",
        "ismcts(simulations=200, observers=single)",
        "pimc(simulations=200)",
        *(game.policies if isinstance(game, DeclaresPolicies) else ()),
    ):
        choose_alike(game, text, [play, other], 7)
