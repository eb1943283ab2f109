"""Which positions are possible, by what a player has seen, and how probable each is.

A *world* is a position that fits everything seen. Only what was seen is read, never the position itself:

    (observation, (mover, shown move), observation, .., observation)

is followed step by step. Chance counts with its probabilities, the other players' moves with those of their
models, and without a model all alike.

While the worlds are few, all of them are kept, with exact weights. Where they are many, a sample of plays is
followed instead: a particle filter, resampled when few of its plays count, and then rejuvenated (Gilks &
Berzuini 2001): plays are varied by Metropolis-Hastings steps that change one hidden choice, or exchange two,
and keep the rest, as far as that still fits everything seen. So the sample does not wear out: where one ship
cannot lie where it was guessed, others take its place, one at a time. Why it is done so:
`docs/decisions/worlds.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from gdl.diagnostics.faults import Fault
from gdl.game import CHANCE, TERMINAL, Game, Number
from solvers.agents.seen import ConcealsMoves
from solvers.core.chance import sample, too_many_ways
from solvers.core.refusal import Refusal, bad_option, cannot_go_on
from solvers.core.result import Distribution
from solvers.core.simulations import Kept
from solvers.core.starts import drawn_start
from solvers.hidden.consistency import Inconsistent
from solvers.hidden.game_tree import Seen
from solvers.hidden.large_draws import Drawing, LargeDraw
from solvers.hidden.sequences import Known

MOST = 5_000
"""While no more worlds than this are possible, all are kept."""

PARTICLES = 400
"""How many plays a sample follows."""

RESCUES = 20
"""How often a sample of which nothing fits any more is varied before a fitting play is searched for."""

SEARCHED = 100_000
"""Positions that the search for one fitting play visits at most."""

Model = Callable[[Known], Distribution]
"""What a player does by what is known."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """Possible positions with their probabilities, which sum to 1; `exact`: these are all, with their true
    weights, else a sample. Empty where nothing fits: the play did not begin at the start of the game."""

    positions: tuple[Any, ...]
    weights: tuple[Number, ...]
    exact: bool

    def __len__(self) -> int:
        return len(self.positions)

    def draw(self, rng: Random, count: int) -> list[Any]:
        """Positions drawn by their probabilities."""
        return rng.choices(self.positions, [float(weight) for weight in self.weights], k=count)


class Belief:
    """What players think possible, followed through what they have seen; asked again in the same play, it
    goes on from where it was.

    models    what other players are thought to do, by player; those without one are taken to do anything
    most      so many worlds are kept at most before a sample of `particles` plays is followed
    """

    def __init__(
        self,
        game: Game[Any, Any],
        models: Mapping[int, Model] | None = None,
        *,
        most: int = MOST,
        particles: int = PARTICLES,
    ):
        self.game = game
        self.models = models or {}
        self.most = most
        self.particles = particles
        self._last: dict[int, tuple[Seen, _Every | _Sample]] = {}

    def worlds(self, known: Known, rng: Random) -> Worlds:
        """The worlds that fit what is known."""
        seen, player = known.seen, known.player
        before, filter_ = self._last.get(player, ((), None))
        if filter_ is None or seen[: len(before)] != before:
            before, filter_ = (), None
        steps = _steps(seen)
        if filter_ is None:
            filter_ = _Every(_Rules(self.game, player, self.models), seen[0], self.most, rng)
            before = seen[:1]
        rest = steps[len(before) // 2 :]
        while isinstance(filter_, _Every) and not filter_.large and rest:
            filter_.follow(rest.pop(0), rng)
        if isinstance(filter_, _Every) and filter_.large:
            filter_ = _Sample(filter_.rules, seen[0], self.particles, rng)
            rest = steps
        for step in rest:
            filter_.follow(step, rng)
        self._last[player] = seen, filter_
        return filter_.worlds(known)


def belief_of(game: Game[Any, Any], models: Mapping[int, Model] | None, kept: Kept | None) -> Belief:
    """A belief to begin with, or the one that was kept from an earlier question."""
    if kept is None:
        return Belief(game, models)
    if kept.belief is None:
        kept.belief = Belief(game, models)
    found: Belief = kept.belief
    return found


def known_at(game: Game[Any, Any], at: Any, rng: Random) -> Known:
    """What the player to move knows in a play that begins at a position (None: the start of the game), which
    chance may go on with: then as it is drawn here. What is known already is left as it is."""
    if isinstance(at, Known):
        return at
    position = drawn_start(game, rng) if at is None else at
    passed = [position]
    shown = []
    while game.to_move(position) == CHANCE:
        moves, odds = zip(*game.chance(position), strict=True)
        (move,) = rng.choices(moves, [float(p) for p in odds])
        position = sample(game.outcomes(position, move), rng).position
        shown.append(move)
        passed.append(position)
    player = game.to_move(position)
    if player == TERMINAL:
        raise bad_option("the game is over", "Ask about a position in which somebody is to move.")
    seen: list[Any] = [game.observation(passed[0], player)]
    for move, after in zip(shown, passed[1:], strict=True):
        looked = game.observed_move(move, player, CHANCE) if isinstance(game, ConcealsMoves) else move
        seen += [(CHANCE, looked), game.observation(after, player)]
    return Known(player, tuple(seen), tuple(game.moves(position)))


def nothing_fits(game: Game[Any, Any], known: Known) -> Refusal:
    """Where no play from the start of the game shows a player what was seen."""
    return cannot_go_on(
        f"no play of {game.name} was found that shows {game.players[known.player]} what was seen.",
        "Begin at the start of the game and give the moves made since (`--moves`, in Python a play).",
    )


class _Step(NamedTuple):
    """Something that was seen to happen: who moved, what was shown of the move, what was observed then."""

    number: int
    mover: int
    shown: Any
    observation: Any


def _steps(seen: Seen) -> list[_Step]:
    moved = zip(seen[1::2], seen[2::2], strict=True)
    return [_Step(k, mover, shown, after) for k, ((mover, shown), after) in enumerate(moved, 1)]


class World(NamedTuple):
    """A position and, for players with a model, what they have seen on the way there."""

    position: Any
    seen: tuple[Seen, ...] = ()


class _Way(NamedTuple):
    """How a world may go on: the move, which of its `of` outcomes, where that leads and how probably. Of more
    outcomes than are listed `number` says what was drawn.

    `weight` is how much it counts among the others that were found: of listed outcomes the probability. How
    probable it is that one of too many looks as what was seen is not known, and taken to be alike in all
    worlds in which it may.
    """

    move: Any
    number: int | Drawing
    of: int
    world: World
    probability: Number
    weight: float


class _Rules:
    """How worlds go on, seen by one player."""

    def __init__(self, game: Game[Any, Any], player: int, models: Mapping[int, Model]):
        self.game = game
        self.player = player
        self.models = {other: model for other, model in models.items() if other != player}
        self.conceals = isinstance(game, ConcealsMoves)
        self.large: dict[int, LargeDraw] = {}  # the steps that have too many outcomes, 0 for the start

    def starts(self, observation: Any, rng: Random, count: int = 1) -> list[_Way]:
        """How the game may have begun; of too many ways so many."""
        game = self.game
        if 0 not in self.large and too_many_ways(game, None, None):
            self.large[0] = LargeDraw(game, self.player, observation)
        if 0 in self.large:
            return self._drawn(0, None, None, self._begun, 1, count, rng)
        found = game.initial()
        return [
            _Way(
                None, number, len(found), self._begun(start.position), start.probability,
                float(start.probability),
            )
            for number, start in enumerate(found)
            if game.observation(start.position, self.player) == observation
        ]  # fmt: skip

    def ways(self, world: World, step: _Step, rng: Random) -> list[_Way]:
        """All that may have happened in a world, by what was seen of it."""
        odds = self._odds(world, step.mover)
        return [
            way
            for move, probability in odds.items()
            if probability and self.shown(move, step.mover) == step.shown
            for way in self._made(world, step, move, probability, rng)
        ]

    def again(self, world: World, step: _Step, way: _Way, rng: Random) -> _Way | None:
        """The same move with the same outcome in another world; None where that does not fit."""
        probability = self._odds(world, step.mover).get(way.move, 0)
        if not probability or self.shown(way.move, step.mover) != step.shown:
            return None
        if isinstance(way.number, Drawing):
            same = self.large[step.number].again(way.number, world.position, way.move)
            if same is None:
                return None
            after = self._gone_on(world, step.mover, way.move, same.position)
            odds = probability * same.probability
            return _Way(way.move, same, 1, after, odds, float(odds))
        made = self._made(world, step, way.move, probability, rng)
        return next((one for one in made if (one.number, one.of) == (way.number, way.of)), None)

    def shown(self, move: Any, mover: int) -> Any:
        return self.game.observed_move(move, self.player, mover) if self.conceals else move  # type: ignore[attr-defined]

    def fits(self, position: Any, known: Known) -> bool:
        """Whether a position may be the one in which a player is to choose; raises Inconsistent where it
        looks like that, but has other moves."""
        if self.game.to_move(position) != known.player:
            return False
        moves = tuple(self.game.moves(position))
        if moves != known.moves:
            raise Inconsistent.worlds(self.game, known.player, known.moves, position, moves)
        return True

    def _odds(self, world: World, mover: int) -> Mapping[Any, Number]:
        """The moves of a world with their probabilities; none where it is somebody else's turn."""
        game, position = self.game, world.position
        if game.to_move(position) != mover:
            return {}
        if mover == CHANCE:
            return dict(game.chance(position))
        legal = tuple(game.moves(position))
        if mover in self.models:
            return self.models[mover](Known(mover, world.seen[list(self.models).index(mover)], legal))
        return dict.fromkeys(legal, Fraction(1, 1 if mover == self.player else len(legal)))

    def _made(self, world: World, step: _Step, move: Any, probability: Number, rng: Random) -> list[_Way]:
        game, position = self.game, world.position
        if step.number not in self.large:
            try:
                found = game.outcomes(position, move)
            except Fault as fault:
                if fault.code != "F007":
                    raise
                self.large[step.number] = LargeDraw(game, self.player, step.observation)

        def gone_on(after: Any) -> World:
            return self._gone_on(world, step.mover, move, after)

        if step.number in self.large:
            return self._drawn(step.number, position, move, gone_on, probability, 1, rng)
        ways = []
        for number, outcome in enumerate(found):
            if game.observation(outcome.position, self.player) == step.observation:
                odds = probability * outcome.probability
                ways.append(_Way(move, number, len(found), gone_on(outcome.position), odds, float(odds)))
        return ways

    def varied(self, before: World | None, step: _Step | None, way: _Way, rng: Random) -> _Way:
        """A way of too many that were drawn, with one draw made anew."""
        assert isinstance(way.number, Drawing)
        position = None if before is None else before.position
        other = self.large[0 if step is None else step.number].varied(way.number, position, way.move, rng)
        if before is None or step is None:
            world = self._begun(other.position)
        else:
            world = self._gone_on(before, step.mover, way.move, other.position)
        odds = way.probability / way.number.probability * other.probability
        return _Way(way.move, other, way.of, world, odds, float(odds))

    def _drawn(
        self,
        step: int,
        position: Any,
        move: Any,
        gone_on: Callable[[Any], World],
        probability: Number,
        count: int,
        rng: Random,
    ) -> list[_Way]:
        """Some outcomes of too many, drawn."""
        found = self.large[step].ways(position, move, count, rng)
        total = sum(one.weight for one in found)
        return [
            _Way(
                move, one, 1, gone_on(one.position), probability * one.probability,
                float(probability) * one.weight / total,
            )
            for one in found
        ]  # fmt: skip

    def _begun(self, position: Any) -> World:
        return World(position, tuple((self.game.observation(position, other),) for other in self.models))

    def _gone_on(self, world: World, mover: int, move: Any, position: Any) -> World:
        if not self.models:
            return World(position)
        game = self.game
        seen = []
        for other, before in zip(self.models, world.seen, strict=True):
            shown = game.observed_move(move, other, mover) if self.conceals else move  # type: ignore[attr-defined]
            seen.append((*before, (mover, shown), game.observation(position, other)))
        return World(position, tuple(seen))


class _Every:
    """All worlds, with their weights."""

    def __init__(self, rules: _Rules, observation: Any, most: int, rng: Random):
        self.rules = rules
        self.most = most
        self.belief: dict[World, Number] = defaultdict(int)
        for way in rules.starts(observation, rng):
            self.belief[way.world] += way.probability

    @property
    def large(self) -> bool:
        """Whether these are too many to keep all, or were found in a draw that has too many outcomes."""
        return len(self.belief) > self.most or bool(self.rules.large)

    def follow(self, step: _Step, rng: Random) -> None:
        after: dict[World, Number] = defaultdict(int)
        for world, weight in self.belief.items():
            for way in self.rules.ways(world, step, rng):
                after[way.world] += weight * way.probability
            if len(after) > self.most or self.rules.large:
                break
        self.belief = after

    def worlds(self, known: Known) -> Worlds:
        shares = {world: weight for world, weight in self.belief.items() if weight}
        return _merged(self.rules, shares.items(), known, True)


class _Sample:
    """Plays that fit, each with the ways that it went: the worlds and their weights are those of the last."""

    def __init__(self, rules: _Rules, observation: Any, count: int, rng: Random):
        self.rules = rules
        self.count = count
        self.observation = observation
        self.steps: list[_Step] = []
        self.open: list[int] = []  # steps in which more than one thing may have happened
        starts = rules.starts(observation, rng, count)
        if len(starts) > 1:
            self.open.append(0)
        chosen = _resampled([way.weight for way in starts], count, rng) if starts else []
        self.plays: list[list[_Way]] = [[starts[k]] for k in chosen]
        self.weights = [1.0] * len(self.plays)

    def follow(self, step: _Step, rng: Random) -> None:
        self.steps.append(step)
        for _ in range(RESCUES):
            if self._extended(step, rng):
                return
            for play in self.plays:
                self._vary(play, self.steps[:-1], rng)
        found = self._found(rng)
        self.plays = [list(found) for _ in range(self.count)] if found else []
        self.weights = [1.0] * len(self.plays)
        for play in self.plays:
            self._vary(play, self.steps, rng)

    def _extended(self, step: _Step, rng: Random) -> bool:
        """Makes all plays one step longer; False, and nothing happens, where none can be."""
        plays, weights = [], []
        several = False
        for play, weight in zip(self.plays, self.weights, strict=True):
            ways = self.rules.ways(play[-1].world, step, rng)
            odds = [way.weight for way in ways]
            if ways and weight > 0:
                several |= len(ways) > 1 or isinstance(ways[0].number, Drawing)
                plays.append([*play, *rng.choices(ways, odds)])
                weights.append(weight * sum(odds))
        if not plays:
            return False
        if several:
            self.open.append(step.number)
        total = sum(weights)
        effective = total**2 / sum(weight**2 for weight in weights)
        if effective < self.count / 2:
            plays = [list(plays[k]) for k in _resampled(weights, self.count, rng)]
            weights = [1.0] * self.count
            for play in plays:
                self._vary(play, self.steps, rng)
        self.plays, self.weights = plays, weights
        return True

    def _vary(self, play: list[_Way], steps: Sequence[_Step], rng: Random) -> None:
        """Changes a play by Metropolis-Hastings steps, as many as there are open choices."""
        for _ in range(len(self.open)):
            first = rng.choice(self.open)
            second = rng.choice(self.open) if rng.random() < 0.5 else first
            first, second = min(first, second), max(first, second)
            if first == second:
                changed = self._changed(play, first, steps, rng)
            else:
                changed = self._exchanged(play, first, second, steps, rng)
            if changed is not None:
                play[:] = changed

    def _changed(self, play: list[_Way], at: int, steps: Sequence[_Step], rng: Random) -> list[_Way] | None:
        """The play with something else drawn at one step, or None where it stays as it is."""
        before, step = (None, None) if at == 0 else (play[at - 1].world, steps[at - 1])
        if isinstance(play[at].number, Drawing):
            way = self.rules.varied(before, step, play[at], rng)
        else:
            if before is None or step is None:
                ways = self.rules.starts(self.observation, rng)
            else:
                ways = self.rules.ways(before, step, rng)
            (way,) = rng.choices(ways, [one.weight for one in ways])
        if way.world == play[at].world:
            return None
        return self._replayed(play, [*play[:at], way], 1.0, {}, steps, rng)

    def _exchanged(
        self, play: list[_Way], first: int, second: int, steps: Sequence[_Step], rng: Random
    ) -> list[_Way] | None:
        """The play with the moves of two steps exchanged."""
        if first == 0 or play[first][:3] == play[second][:3]:
            return None
        swapped = {first: play[second], second: play[first]}
        return self._replayed(play, play[:first], 1.0, swapped, steps, rng)

    def _replayed(
        self,
        play: list[_Way],
        begun: list[_Way],
        ratio: float,
        instead: Mapping[int, _Way],
        steps: Sequence[_Step],
        rng: Random,
    ) -> list[_Way] | None:
        """A play gone on with as another one did, but for some steps; None where that does not fit what was
        seen, or is rejected for being less probable."""
        after = list(begun)
        last = max(instead, default=0)
        while len(after) < len(play):
            k = len(after)
            if k > last and after[-1].world == play[k - 1].world:
                after += play[k:]  # from here on nothing differs
                break
            way = self.rules.again(after[-1].world, steps[k - 1], instead.get(k, play[k]), rng)
            if way is None:
                return None
            ratio *= float(way.probability / play[k].probability)
            after.append(way)
        return after if rng.random() < ratio else None

    def _found(self, rng: Random) -> list[_Way] | None:
        """Some play that fits everything, by depth-first search; None where none was found."""
        starts = self.rules.starts(self.observation, rng)
        waiting = [_shuffled(starts, rng)]
        play: list[_Way] = []
        for _ in range(SEARCHED):
            while waiting and not waiting[-1]:
                waiting.pop()
                if play:
                    play.pop()
            if not waiting:
                return None
            play.append(waiting[-1].pop())
            if len(play) == len(self.steps) + 1:
                return play
            ways = self.rules.ways(play[-1].world, self.steps[len(play) - 1], rng)
            waiting.append(_shuffled(ways, rng))
        return None

    def worlds(self, known: Known) -> Worlds:
        last = [(play[-1].world, weight) for play, weight in zip(self.plays, self.weights, strict=True)]
        return _merged(self.rules, last, known, False)


def _merged(rules: _Rules, weighted: Any, known: Known, exact: bool) -> Worlds:
    """The positions in which the player may be to choose, each once."""
    sums: dict[Any, Number] = defaultdict(int)
    for world, weight in weighted:
        sums[world.position] += weight
    fitting = {position: weight for position, weight in sums.items() if rules.fits(position, known)}
    total = sum(fitting.values())
    return Worlds(tuple(fitting), tuple(weight / total for weight in fitting.values()), exact)


def _resampled(weights: Sequence[float], count: int, rng: Random) -> list[int]:
    """Systematic resampling: each number about as often as its weight says."""
    step = sum(weights) / count
    point = rng.random() * step
    chosen: list[int] = []
    for number, weight in enumerate(weights):
        while point < weight and len(chosen) < count:
            chosen.append(number)
            point += step
        point -= weight
    return chosen + [len(weights) - 1] * (count - len(chosen))


def _shuffled(ways: list[_Way], rng: Random) -> list[_Way]:
    rng.shuffle(ways)
    return ways
