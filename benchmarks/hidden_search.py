"""ISMCTS beside OpenSpiel's ISMCTSBot: simulations per second, and games against it at equal time.

    python benchmarks/hidden_search.py [rate] [match] [reach] [--game NAME] [--games N] [--seconds S]

`rate` counts simulations per CPU second at the first decision of Leduc poker, of phantom tic-tac-toe, and
after a raise. `match` plays games, every deal twice with the seats exchanged, in which both may simulate
for so many CPU seconds at a decision (how many simulations that is was measured just before); the two games
are played side by side, and every move is translated.

For Leduc poker it is the bot in C++ (`pyspiel.ISMCTSBot`). It cannot play phantom tic-tac-toe, for OpenSpiel
draws no worlds there; the bot in Python takes a function that does, so there it is that one, with 100 worlds
at a decision, found by `Resampler` among histories that give the player the same information state.

`reach` says what can be expected of that match in Leduc poker, and of whom: both bots are asked `--samples`
times in every information set, with as many simulations as they have in the match, and what one such policy
gets from another is summed over all plays. Beside ours stand the best responses to their bot, to what is
paid and to the score, an equilibrium, and ours in a game in which a play that is won pays 1, as the score
counts it (`WINS`), and ours with the bot as its model of the other player.

Goals: at least 10 times as many simulations per second; a score of at least 55 % over 400 games (a game that
is won counts 1, one that is drawn 1/2).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts as python_ismcts
from open_spiel.python.algorithms import mcts as python_mcts

import gdl
from gdl.playing.play import Play
from solvers.agents.behaviour import behaviour
from solvers.hidden.cfr_plus import RULE
from solvers.hidden.kernels.bench import FlatBench
from solvers.hidden.sequences import Known
from solvers.registry import find

WORLDS = 100
"""Worlds at a decision of the bot in Python, which are then drawn again."""

ismcts = find("ismcts").load()

records: list[dict[str, Any]] = []


def report(what: str, goal: str, **numbers: Any) -> None:
    records.append({"what": what, "goal": goal, **numbers})
    shown = "  ".join(f"{name} {_number(value)}" for name, value in numbers.items())
    print(f"{what:<34} {shown}   (goal: {goal})", flush=True)


def _number(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) and value < 1000 else f"{value:,.0f}"


# ------------------------------------------------------------------- the two games, side by side


class Leduc:
    """A deal of Leduc poker in both programs."""

    name, called = "leduc_poker", "leduc_poker"
    ranks = ("jack", "queen", "king")
    explores = 9.0  # the weight with which their bot did best, of 3, 9 and 26
    python = False

    def __init__(self, game: Any, theirs: Any, rng: Random):
        self.state = theirs.new_initial_state()
        while self.state.is_chance_node():
            self.state.apply_action(rng.choice(self.state.legal_actions()))  # cards are equally likely
        held = f"hand=[{' '.join(self.ranks[card // 2] for card in self.state.history())}]"
        (start,) = [one.position for one in game.initial() if held in game.format_position(one.position)]
        self.play: Play[Any, Any] = Play(game, start)
        self.rng = rng

    def make(self, move: str) -> None:
        self.state.apply_action(self.action(move))
        if not self.state.is_chance_node():
            self.play.make(move)
            return
        card = self.rng.choice(self.state.legal_actions())
        self.state.apply_action(card)
        (legal,) = [one for one in self.play.moves() if self.play.game.format_move(one) == move]
        wanted = f"open={self.ranks[card // 2]}"
        for outcome in self.play.game.outcomes(self.play.position, legal):
            if wanted in self.play.game.format_position(outcome.position):
                self.play.make(legal, outcome.position)

    @staticmethod
    def action(move: str) -> int:
        return {"fold": 0, "call": 1, "raise": 2}[move]

    @classmethod
    def state(cls, game: Any, theirs: Any, known: Known, rng: Random) -> Any:
        """A state of OpenSpiel in which the player to move knows that, with other cards drawn."""
        parts = game.observed_parts(known.seen[-1])
        held = cls.ranks.index(parts["hand", (game.players[known.player],)])
        deck = [card for card in range(6) if card != 2 * held]
        rng.shuffle(deck)
        opened = [card for card in deck if cls.ranks[card // 2] == parts["open", ()]][:1]
        other = next(card for card in deck if card not in opened)
        state = theirs.new_initial_state()
        for card in (2 * held, other)[:: -1 if known.player else 1]:
            state.apply_action(card)
        for _, move in known.seen[1::2]:
            state.apply_action(cls.action(game.format_move(move)))
            if state.is_chance_node():
                state.apply_action(opened[0])
        assert state.current_player() == known.player
        return state


class Phantom:
    """Phantom tic-tac-toe in both programs."""

    name, called = "phantom_tictactoe", "phantom_ttt(obstype=reveal-numturns)"
    explores = 1.4
    python = True

    def __init__(self, game: Any, theirs: Any, rng: Random):
        self.state = theirs.new_initial_state()
        self.play: Play[Any, Any] = Play(game)

    def make(self, move: str) -> None:
        self.state.apply_action(self.action(move))
        self.play.make(move)

    def action(self, move: str) -> int:
        column, row = move.removeprefix("place(").removesuffix(")")
        return 3 * (3 - int(row)) + "abc".index(column)


# ------------------------------------------------------------------------------ their bots


class Resampler:
    """Histories that give a player the same information states: its own actions made again, those of the
    other drawn, and drawn otherwise where that was seen to be impossible."""

    def __init__(self, game: Any, rng: Random):
        self.game, self.rng = game, rng

    def __call__(self, state: Any, player: int) -> Any:
        real = self.game.new_initial_state()
        told = []
        for action in state.history():
            told.append((real.current_player(), action))
            real.apply_action(action)
            told[-1] += (real.information_state_string(player),)
        if not told:
            return real
        waiting = [self._tries(self.game.new_initial_state(), told, player)]
        while True:
            if not waiting[-1]:
                waiting.pop()
                continue
            after = waiting[-1].pop()
            if len(waiting) == len(told):
                if after.current_player() == player:
                    return after
                continue
            waiting.append(self._tries(after, told[len(waiting) :], player))

    def _tries(self, state: Any, told: list[Any], player: int) -> list[Any]:
        mover, action, seen = told[0]
        if state.is_terminal() or state.current_player() != mover:
            return []
        actions = [action] if mover == player else state.legal_actions()
        self.rng.shuffle(actions)
        children = [state.child(one) for one in actions if one in state.legal_actions()]
        return [child for child in children if child.information_state_string(player) == seen]


def bot(pair: Any, theirs: Any, simulations: int, seed: int) -> Any:
    """OpenSpiel's bot: from a state to an action."""
    if not pair.python:
        return pyspiel.ISMCTSBot(
            seed, pyspiel.RandomRolloutEvaluator(1, seed), pair.explores, simulations, -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT, False, False,
        )  # fmt: skip
    random = np.random.RandomState(seed)
    evaluator = python_mcts.RandomRolloutEvaluator(1, random)
    made = python_ismcts.ISMCTSBot(theirs, evaluator, pair.explores, simulations, WORLDS, random)
    made.set_resampler(Resampler(theirs, Random(seed)))
    return made


# ---------------------------------------------------------------------------------- measuring


def spent(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def rates(pair: Any, moves: list[str], seconds: float) -> tuple[float, float]:
    """Simulations per second at a decision, ours and theirs, from searches that take about so long."""
    game, theirs = gdl.load(pair.name), pyspiel.load_game(pair.called)
    table = pair(game, theirs, Random(1))
    for move in moves:
        table.make(move)

    def ours(count: int) -> Callable[[], Any]:
        agent = gdl.agent(f"ismcts(simulations={count})", game, seed=1)
        return lambda: agent.choose(table.play)

    def other(count: int) -> Callable[[], Any]:
        made = bot(pair, theirs, count, 1)
        return lambda: made.step(table.state)

    found = []
    for search in (ours, other):
        search(10)()
        count, took = 64, 0.0
        while took < seconds:
            count *= 2
            took = min(spent(search(count)) for _ in range(3))
        found.append(count / took)
    return found[0], found[1]


def rate() -> None:
    for pair, moves in ((Leduc, []), (Leduc, ["raise"]), (Phantom, [])):
        ours, theirs = rates(pair, moves, 0.5)
        where = f"{pair.name}{', ' if moves else ''}{' '.join(moves)}"
        report(f"{where}: simulations/s", "10 times", ours=ours, openspiel=theirs, ratio=ours / theirs)


def match(games: int, seconds: float, only: str | None) -> None:
    for pair in (Leduc, Phantom):
        if only not in (None, pair.name):
            continue
        ours, other = (max(1, round(rate * seconds)) for rate in rates(pair, [], seconds))
        played = [one for deal in range((games + 1) // 2) for one in twice(pair, deal, ours, other)][:games]
        scores = [1.0 if paid > 0 else 0.5 if paid == 0 else 0.0 for paid, _, _ in played]
        paid = [one for one, _, _ in played]
        error = NormalDist().inv_cdf(0.975) / len(played) ** 0.5
        report(
            f"{pair.name}: games", "score 0.55", games=len(played), score=fmean(scores),
            score_95=error * stdev(scores), mean=fmean(paid), mean_95=error * stdev(paid),
            our_simulations=ours, their_simulations=other,
            our_seconds=sum(one for _, one, _ in played), their_seconds=sum(one for _, _, one in played),
        )  # fmt: skip


def twice(pair: Any, deal: int, ours: int, other: int) -> list[tuple[float, float, float]]:
    """What we get in both seats with the same cards, and how long both thought."""
    game, theirs = gdl.load(pair.name), pyspiel.load_game(pair.called)
    results = []
    for seat in range(2):
        table = pair(game, theirs, Random(deal))
        agent = gdl.agent(f"ismcts(simulations={ours})", game, seed=deal)
        opponent = bot(pair, theirs, other, deal)
        took = [0.0, 0.0]
        while not table.play.finished:
            began = time.process_time()
            if table.play.to_move == seat:
                move = game.format_move(agent.choose(table.play))
            else:
                action = opponent.step(table.state)
                moves = [game.format_move(one) for one in table.play.moves()]
                (move,) = [one for one in moves if table.action(one) == action]
            took[int(table.play.to_move != seat)] += time.process_time() - began
            table.make(move)
        paid = table.state.returns()
        assert list(map(float, table.play.returns)) == paid, "the two games pay alike"
        results.append((paid[seat], *took))
    return results


# ------------------------------------------------------------------------------- what to expect

WINS = """
game leduc_for_wins from leduc_poker

utility:
    if folded is player: return -1 if folded == alice else 1
    return sign(strength(alice) - strength(bob))
"""


def reach(seconds: float, samples: int) -> None:
    game, theirs = gdl.load(Leduc.name), pyspiel.load_game(Leduc.called)
    wins = gdl.loads(WINS)
    bench, scoring = FlatBench(game, None, None), FlatBench(wins, None, None)
    assert (bench.form.parent == scoring.form.parent).all(), "the same information sets"
    our_rate, their_rate = rates(Leduc, [], seconds)
    count = max(1, round(their_rate * seconds))
    theirs_plays = _asked(game, theirs, bench, count, samples)
    our_count = max(1, round(our_rate * seconds))
    ours = f"ismcts(simulations={our_count})"
    tables = bench.tables(RULE, True)
    tables.run(10_000)

    def policy(one: Any, of: FlatBench) -> Any:
        agent = gdl.agent(ours, one).agent
        return behaviour(of.form, {0: agent, 1: agent}, samples, 1).mean

    for who, plays in (
        (f"their bot, {count} simulations", theirs_plays),
        ("best response to it, to payments", _response(bench, theirs_plays)),
        ("best response to it, to the score", _response(scoring, theirs_plays)),
        ("an equilibrium", bench.judged(tables, False)[0]),
        (ours, policy(game, bench)),
        ("the same, asked to win plays", policy(wins, scoring)),
        ("the same, their bot as its model", _modelling(game, bench, theirs_plays, our_count, samples)),
    ):
        report(
            who, "score 0.55",
            score=(1 + _against(scoring, plays, theirs_plays)) / 2,
            mean=_against(bench, plays, theirs_plays),
            exploitability=float(bench.judge(plays).exploitability),
        )  # fmt: skip


def _asked(game: Any, theirs: Any, bench: FlatBench, count: int, samples: int) -> Any:
    """What OpenSpiel's bot does in every information set, as often as it did so."""
    rng = Random(1)
    policy = np.zeros(bench.form.sequences)
    policy[bench.form.start[:-1]] = 1.0
    for number in range(bench.form.information_sets):
        known = bench.form.known(number)
        actions = [Leduc.action(game.format_move(move)) for move in known.moves]
        for _ in range(samples):
            made = bot(Leduc, theirs, count, rng.getrandbits(30))
            action = made.step(Leduc.state(game, theirs, known, rng))
            policy[bench.form.first[number] + actions.index(action)] += 1 / samples
    return policy


def _modelling(game: Any, bench: FlatBench, theirs: Any, simulations: int, samples: int) -> Any:
    """What ours does where deals count by what their bot does with them (and at times, anything)."""
    form, rng = bench.form, Random(1)
    every = {(form.known(n).player, form.known(n).seen): n for n in range(form.information_sets)}

    def model(known: Known) -> dict[Any, float]:
        first = form.first[every[known.player, known.seen]]
        odds = theirs[first : first + len(known.moves)]
        return {m: 0.98 * p + 0.02 / len(odds) for m, p in zip(known.moves, odds, strict=True)}

    policy = form.uniform()
    for number in range(form.information_sets):
        known = form.known(number)
        share = np.zeros(len(known.moves))
        for _ in range(samples):
            found = ismcts(
                game, known, simulations=simulations, against={1 - known.player: model},
                seed=rng.getrandbits(32),
            )  # fmt: skip
            share += [move.best / len(found.best) for move in found.moves]
        policy[form.first[number] :][: len(share)] = share / samples
    return policy


def _response(bench: FlatBench, policy: Any) -> Any:
    """The best responses of both players."""
    return _seated(bench, bench.best_response(policy, 0), bench.best_response(policy, 1))


def _seated(bench: FlatBench, first: Any, second: Any) -> Any:
    return np.concatenate([first[: bench.form.start[1]], second[bench.form.start[1] :]])


def _against(bench: FlatBench, policy: Any, other: Any) -> float:
    """What a policy gets from another, as a mean over both seats."""
    seats = _seated(bench, policy, other), _seated(bench, other, policy)
    return fmean(float(bench.judge(plays).values[player]) for player, plays in enumerate(seats))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", choices=["rate", "match", "reach"], help="which parts; rate and match if none"
    )
    parser.add_argument("--game", choices=[Leduc.name, Phantom.name], help="play only this one")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=0.02, help="for a decision")
    parser.add_argument("--samples", type=int, default=8, help="how often bots are asked, in `reach`")
    parser.add_argument("--json", type=Path, help="write what was measured")
    given = parser.parse_args()
    if "rate" in (given.parts or ["rate"]):
        rate()
    if "match" in (given.parts or ["match"]):
        match(given.games, given.seconds, given.game)
    if "reach" in given.parts:
        reach(given.seconds, given.samples)
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
