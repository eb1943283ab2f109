"""A game as a Python class of one's own: write its parts, and solve, search, play and match it.

    class Nim(gdl.BaseGame):
        players = ("first", "second")
        zero_sum = True

        def initial(self):
            return 7, 0                                     # stones, whose turn it is

        def player(self, position):
            return position[1]

        def moves(self, position):
            return [take for take in (1, 2, 3) if take <= position[0]]

        def outcomes(self, position, move):
            return position[0] - move, 1 - position[1]

        def utility(self, position):
            return 1 if position[1] == 1 else -1            # of the first player

`BaseGame` completes what these say to the Game protocol, and checks what can be checked of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from numbers import Real
from typing import Any, ClassVar

from gdl.diagnostics import GameError
from gdl.diagnostics import notation as wording
from gdl.diagnostics.faults import own_game
from gdl.diagnostics.html import card, facts, words
from gdl.game import CHANCE, TERMINAL, Number, Outcome, Traits


class BaseGame:
    """A game by its seven parts: positions, `initial`, `player`, `moves`, `outcomes`, `terminal`, `utility`.

    Positions and moves are any hashable values. What the methods of a subclass give is completed:

    initial, outcomes    one position, or a list of outcomes: `Outcome`, or tuples of a position, its
                         probability and, where there are rewards, what each player is paid
    player               whose turn it is: the number or the name of a player, or `CHANCE`
    utility              what each player gets: a tuple, a mapping of names, or the first player's number

    Facts that no program can read off methods are declared. They err on the safe side unless you say more,
    and are held against what the methods give: a game that breaks its word is refused (F009). Only `acyclic`
    is taken at its word, which no single answer of a method can break. A class that writes `observation`
    hides something from its players, and is solved as such games are.
    """

    players: tuple[str, ...] = ("first", "second")
    zero_sum: ClassVar[bool] = False  # what one of two players gets, the other loses
    acyclic: ClassVar[bool] = False  # no play visits a position twice (not checked)
    has_chance: ClassVar[bool] = False  # some move has several outcomes, or chance is to move somewhere
    has_rewards: ClassVar[bool] = False  # some outcome pays
    discount: ClassVar[Fraction | int] = 1
    utility_bounds: ClassVar[tuple[Number, Number] | None] = None  # of every player's utility
    endless: ClassVar[Number] = 0  # what a play that never ends is worth to the first player

    # ------------------------------------------------------------------- the seven parts

    def initial(self) -> Any:
        """Where the game begins."""
        raise self._lacks("initial")

    def player(self, position: Any) -> int | str:
        """Whose turn it is where the game is not over; a game for one player needs no answer."""
        if len(self.players) == 1:
            return 0
        raise self._lacks("player")

    def moves(self, position: Any) -> Sequence[Any]:
        """The legal moves, distinct, in a fixed order."""
        raise self._lacks("moves")

    def outcomes(self, position: Any, move: Any) -> Any:
        """Where a legal move leads."""
        raise self._lacks("outcomes")

    def terminal(self, position: Any) -> bool:
        """Whether the game is over: where there is no move, unless you say otherwise."""
        return not self._written_moves(position)

    def utility(self, position: Any) -> Any:
        """What the players get where the game is over."""
        raise self._lacks("utility")

    # ------------------------------------------------------ what else the protocol asks for

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    @property
    def traits(self) -> Traits:
        """What is declared, and what is not on the safe side."""
        count = len(self.players)
        bounds = self.utility_bounds
        low_high = () if bounds is None else (Fraction(bounds[0]), Fraction(bounds[1]))
        lost = -self.endless if self.zero_sum else self.endless
        return Traits(
            players=count,
            zero_sum=self.zero_sum,
            chance=self.has_chance,
            random_start=len(self.initial()) > 1,
            hidden=type(self).observation is not BaseGame.observation,
            acyclic=self.acyclic,
            rewards=self.has_rewards,
            discount=Fraction(self.discount),
            utility_bounds=() if bounds is None else (low_high,) * count,  # type: ignore[arg-type]
            endless=tuple(Fraction(self.endless if i == 0 else lost) for i in range(count)),
        )

    def to_move(self, position: Any) -> int:
        if self.terminal(position):
            return TERMINAL
        found = self.player(position)
        if isinstance(found, str):
            if found not in self.players:
                raise own_game(self.name, f"`{found}` is to move, but is no player", self._where(position))
            return self.players.index(found)
        if found == CHANCE and not self.has_chance:
            raise own_game(self.name, "chance is to move", self._where(position), "declare has_chance = True")
        if found != CHANCE and found not in range(len(self.players)):
            raise own_game(self.name, f"{found!r} is to move, but is no player", self._where(position))
        return int(found)

    def chance(self, position: Any) -> Sequence[tuple[Any, Number]]:
        """Where chance is to move: its moves, equally likely unless you say otherwise."""
        moves = self.moves(position)
        return [(move, Fraction(1, len(moves))) for move in moves]

    def features(self, position: Any) -> Mapping[str, Number]:
        return {}

    def evaluate(self, position: Any) -> tuple[Number, ...] | None:
        return None

    def observation(self, position: Any, player: int) -> Hashable:
        """What the player sees: everything. Whoever writes this method has hidden something."""
        seen: Hashable = position
        return seen

    def show(self, position: Any) -> str:
        return str(position)

    def format_position(self, position: Any) -> str:
        return repr(position)

    def parse_position(self, text: str) -> Any:
        """The position that `format_position` wrote, where that is made of numbers, texts and tuples."""
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise own_game(self.name, f"`{text}` cannot be read as a position", "") from None

    def format_move(self, move: Any) -> str:
        return str(move)

    def parse_move(self, position: Any, text: str) -> Any:
        legal = {self.format_move(move): move for move in self.moves(position)}
        if text.strip() not in legal:
            if not legal:
                raise GameError([wording.game_over(text, None)])
            raise GameError([wording.illegal_move(text, list(legal), None)])
        return legal[text.strip()]

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    def _repr_html_(self) -> str:
        about = (type(self).__doc__ or "").strip().partition("\n\n")[0]
        known = [("players", ", ".join(self.players)), ("class", self.traits.class_of_game)]
        return card(self.name, words(about), facts(known))

    # ----------------------------------------------------------------------- completing

    def __init_subclass__(cls) -> None:
        """What a subclass writes in its own way is given in that of the protocol."""
        super().__init_subclass__()
        for name, completed in _COMPLETED.items():
            if name in cls.__dict__:
                written = cls.__dict__[name]
                if name == "moves":
                    cls._written_moves = written  # type: ignore[method-assign]
                setattr(cls, name, completed(written))

    def _lacks(self, part: str) -> GameError:
        return own_game(self.name, f"the class has no `{part}`", "", f"write `def {part}(self, …)`")

    def _written_moves(self, position: Any) -> Sequence[Any]:
        return self.moves(position)

    def _where(self, position: Any) -> str:
        return self.format_position(position)

    def _outcomes(self, given: Any, where: Callable[[], str]) -> list[Outcome]:
        """Outcomes as the protocol has them, from one position or a list."""
        listed = given if isinstance(given, list) else [Outcome(given, Fraction(1), ())]
        nothing = (0,) * len(self.players)
        found = []
        for each in listed:
            if not isinstance(each, tuple) or len(each) not in (2, 3) or not isinstance(each[1], Real):
                raise own_game(
                    self.name, f"{each!r} is no outcome", where(), "write (position, probability) in lists"
                )
            position, probability, *paid = each
            rewards = tuple(paid[0]) if paid and paid[0] else nothing
            self._numbers(rewards, "an outcome pays", where)
            if any(rewards) and not self.has_rewards:
                raise own_game(self.name, "an outcome pays", where(), "declare has_rewards = True")
            if len(rewards) != len(self.players):
                raise own_game(self.name, f"an outcome pays {rewards}, not one number each", where())
            found.append(Outcome(position, probability, rewards))
        total: Number = sum(outcome.probability for outcome in found)
        if abs(float(total) - 1) > 1e-9 if isinstance(total, float) else total != 1:
            raise own_game(self.name, f"probabilities sum to {total}", where(), "make them sum to 1")
        return found

    def _utility(self, given: Any, where: Callable[[], str]) -> tuple[Number, ...]:
        count = len(self.players)
        if isinstance(given, Mapping):
            if set(given) != set(self.players):
                raise own_game(self.name, f"its utility names {', '.join(map(str, given))}", where())
            given = tuple(given[name] for name in self.players)
        if not isinstance(given, tuple | list):
            self._numbers((given,), "its utility is", where)
            given = (given,) if count == 1 else (given, -given) if self.zero_sum and count == 2 else given
        if not isinstance(given, tuple | list) or len(given) != count:
            raise own_game(self.name, f"its utility is {given!r}, not one number for each player", where())
        self._numbers(given, "its utility is", where)
        if self.zero_sum and abs(float(sum(given))) > 1e-9:
            raise own_game(self.name, f"utilities sum to {sum(given)}", where(), "do not declare zero_sum")
        if self.utility_bounds is not None:
            low, high = self.utility_bounds
            if not all(low <= each <= high for each in given):
                raise own_game(self.name, f"{given} is outside utility_bounds", where(), "widen them")
        return tuple(given)


    def _numbers(self, given: Sequence[Any], what: str, where: Callable[[], str]) -> None:
        for each in given:
            if not isinstance(each, Real) or each != each:
                raise own_game(self.name, f"{what} {each!r}, which is no number", where())


def _initial(written: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(written)
    def initial(self: BaseGame) -> list[Outcome]:
        return self._outcomes(written(self), lambda: "at the start")

    return initial


def _moves(written: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(written)
    def moves(self: BaseGame, position: Any) -> list[Any]:
        own_end = type(self).terminal is not BaseGame.terminal
        return [] if own_end and self.terminal(position) else list(written(self, position))

    return moves


def _outcomes(written: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(written)
    def outcomes(self: BaseGame, position: Any, move: Any) -> list[Outcome]:
        def where() -> str:
            return f"{self._where(position)}, {self.format_move(move)}"

        found = self._outcomes(written(self, position, move), where)
        if len(found) > 1 and not self.has_chance:
            raise own_game(self.name, "a move has several outcomes", where(), "declare has_chance = True")
        return found

    return outcomes


def _utility(written: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(written)
    def utility(self: BaseGame, position: Any) -> tuple[Number, ...]:
        return self._utility(written(self, position), lambda: self._where(position))

    return utility


_COMPLETED: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "initial": _initial,
    "moves": _moves,
    "outcomes": _outcomes,
    "utility": _utility,
}
