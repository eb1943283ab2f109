"""Many plays whose result alone matters, made in machine code where that can be: what `gdl run --games N` and
`gdl solve --simulations N` do.

The plays are those that `gdl.play.Play` would make of the same generators, move by move: a seed gives the
same games whether they are watched, recorded or counted.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate
from random import Random
from typing import Any

from gdl.game import CHANCE, TERMINAL, Game, Number
from gdl.native.engine import NativeGame
from gdl.native.stepping import Stepper, Stopped
from gdl.playing.play import Play, weighted
from gdl.playing.results import PlayResult, generators, make_typed, play_out
from solvers.agents.agent import Agent, PositionAgent
from solvers.agents.seated import Seated
from solvers.agents.seen import View
from solvers.agents.simple import RandomAgent
from solvers.agents.solving import TableAgent


class Plays:
    """Plays by the same agents, each by its number and the seed: on machine code where that goes well, else
    move by move, to the same end. They begin with these moves, as text, from a position."""

    def __init__(
        self,
        game: Game[Any, Any],
        agents: Sequence[Agent],
        seed: int,
        longest: int,
        start: Any = None,
        moves: str = "",
    ):
        self._game, self._agents, self._seed, self._longest = game, agents, seed, longest
        self._start, self._moves = start, moves
        self._counter = counter(game, agents, longest)

    def result(self, number: int) -> PlayResult:
        if self._counter is not None:
            chance, own = generators(self._seed, self._game.players, number)
            elsewhere = self._start is not None or self._moves
            with suppress(Stopped):
                return self._counter.play(self._begun(chance) if elsewhere else None, chance, own)
        chance, own = generators(self._seed, self._game.players, number)
        play = self._begun(chance)
        seated = [Seated(agent, rng) for agent, rng in zip(self._agents, own, strict=True)]
        play_out(play, seated, None, self._longest)
        return PlayResult.of(play)

    def _begun(self, chance: Random) -> Play[Any, Any]:
        play: Play[Any, Any] = Play(self._game, self._start, rng=chance)
        make_typed(play, self._moves)
        return play


Choose = Callable[[Stepper, Random], int]
"""Chooses a move, by number, where the stepper stands."""

MOST_KNOWN = 1_000_000
"""So many decisions are remembered."""


def counter(game: Any, agents: Sequence[Agent], longest: int) -> Counter | None:
    """What makes these plays without a Play: on the native engine, where the agents need none. Where
    something is hidden, all but random agents need the history of the play."""
    if not isinstance(game, NativeGame):
        return None
    if game.traits.hidden and not all(isinstance(agent, RandomAgent) for agent in agents):
        return None
    return Counter(game, agents, longest)


class Counter:
    """Plays by the same agents, one after another."""

    def __init__(self, game: NativeGame, agents: Sequence[Agent], longest: int):
        self._game = game
        self._steps = Stepper(game)
        self._longest = longest
        self._choosers: list[Choose] = []
        makers: dict[Any, Choose] = {}
        for agent in agents:
            # Where policies are described alike, what one was asked need not be asked of the other.
            name = agent.description if isinstance(agent, PositionAgent) else agent
            if name not in makers:
                makers[name] = _chooser(game, agent)
            self._choosers.append(makers[name])
        self._draws: dict[bytes, tuple[list[int], list[Number]]] = {}

    def play(self, begun: Play[Any, Any] | None, chance: Random, generators: Sequence[Random]) -> PlayResult:
        """One play to its end, from the start or from where a play stands.

        Raises Stopped where it has to be made step by step, from generators in the same state.
        """
        steps, game, discount = self._steps, self._game, float(self._game.model.discount)
        paid, factor, made = [0.0] * len(game.players), 1.0, 0
        if begun is None:
            steps.start(chance.getrandbits(64))
        else:
            steps.put(begun.position)
            made = len(begun)
            paid, factor = begun.paid_in_doubles()
        pays = game.traits.rewards
        while (mover := steps.to_move()) != TERMINAL and made < self._longest:
            number = (
                self._draw(chance) if mover == CHANCE else self._choosers[mover](steps, generators[mover])
            )
            steps.make(number, chance.getrandbits(64))
            if pays:
                paid = [total + factor * reward for total, reward in zip(paid, steps.rewards(), strict=True)]
            factor *= discount
            made += 1
        if mover != TERMINAL:
            return PlayResult.stopped(paid, made, game.traits)
        return PlayResult.ended(paid, factor, steps.utility(), made)

    def _draw(self, chance: Random) -> int:
        """A move of chance, as `Play.draw` draws it."""
        form = self._steps.form
        if form not in self._draws:
            moves = self._game.chance(self._steps.position())
            known = ([self._game.move_number(move) for move, _ in moves], [odds for _, odds in moves])
            _remember(self._draws, form, known)
        numbers, odds = self._draws[form]
        return numbers[weighted(chance, odds)]


def _chooser(game: NativeGame, agent: Agent) -> Choose:
    if isinstance(agent, RandomAgent):
        return lambda steps, rng: rng.choice(steps.moves())
    if isinstance(agent, PositionAgent):
        return _policy_chooser(game, agent)

    def choose(steps: Stepper, rng: Random) -> int:
        return game.move_number(agent.choose(View.of(game, steps.position()), rng).move)

    return choose


def _policy_chooser(game: NativeGame, agent: PositionAgent) -> Choose:
    """What the agent does in a position is asked once."""
    known: dict[bytes, tuple[list[int], list[float]]] = {}  # moves, and the sums of their probabilities
    kept = agent.kept if isinstance(agent, TableAgent) else None

    def ask(steps: Stepper) -> tuple[list[int], list[float]]:
        best = None if kept is None else kept.among(steps.moves(), steps.key())
        if best is not None:
            return best, list(accumulate([1 / len(best)] * len(best)))
        distribution, _ = agent.decided(steps.position())
        numbers = [game.move_number(move) for move in distribution]
        return numbers, list(accumulate(float(probability) for probability in distribution.values()))

    def choose(steps: Stepper, rng: Random) -> int:
        form = steps.form
        found = known.get(form)
        if found is None:
            found = ask(steps)
            _remember(known, form, found)
        numbers, sums = found
        at = rng.random() * sums[-1]  # as `Random.choices` does it, once
        return numbers[0] if len(numbers) == 1 else numbers[bisect(sums, at, 0, len(sums) - 1)]

    return choose


def _remember(known: dict[Any, Any], key: Any, value: Any) -> None:
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = value
