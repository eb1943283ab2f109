"""E5: the parts of a game; E7: hidden information; E8: show and expect."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import did_you_mean, error, guesses, listing, near

# ------------------------------------------------------------------ E5: the parts of a game


def missing_section(span: Span, keyword: str, example: str) -> Diagnostic:
    return error("E501", span, f"the game has no `{keyword}`", f"add for instance `{example}`")


def utility_needs_player(span: Span, players: int) -> Diagnostic:
    return error(
        "E502",
        span,
        f"one utility does not say what each of {players} players gets",
        "write `utility(p): …` for the utility of player p",
    )


def stuck_chance(span: Span) -> Diagnostic:
    return error(
        "E510",
        span,
        "where no move is legal chance may be to move, and it is paid nothing",
        "write `stuck(p): …` for what player p gets",
    )


def bad_limit(span: Span, most: int) -> Diagnostic:
    return error(
        "E517",
        span,
        f"a limit is a number of moves from 1 to {most:,}, or none",
        "write for instance `limit 100 moves: 0`",
    )


def utility_and_costs(span: Span, other: Span) -> Diagnostic:
    return error(
        "E518",
        span,
        "a game says what is to be great or what is to be small, not both",
        "write `utility:` with the costs as negative numbers, or `minimise:` alone",
        Label(other, "the other one"),
    )


def no_initial_value(span: Span, name: str, example: str) -> Diagnostic:
    return error(
        "E503",
        span,
        f"`{name}` has no value at the start",
        f"write `= {example}`, or give it one in `initial:`",
    )


def read_before_value(span: Span, name: str, declared: Span) -> Diagnostic:
    return error(
        "E509",
        span,
        f"`{name}` may have no value yet",
        "give it one above, or a default in `position:`",
        Label(declared, "declared without a default"),
    )


def left_without_value(span: Span, name: str, declared: Span) -> Diagnostic:
    return error(
        "E509",
        span,
        f"`initial:` may leave `{name}` without a value",
        "give it one on every way through `initial:`, or a default here",
    )


def player_repeated(span: Span, name: str) -> Diagnostic:
    return error("E504", span, f"the player `{name}` is named twice")


def bad_discount(span: Span) -> Diagnostic:
    return error("E505", span, "the discount is a number from 0 to 1", "write for instance `discount: 9/10`")


def not_a_player(span: Span, found: object) -> Diagnostic:
    return error("E506", span, f"`player:` says who moves: a player or `chance`, not a value of type {found}")


def position_too_large(span: Span, bits: int, limit: int) -> Diagnostic:
    return error("E507", span, f"a position would take {bits:,} bits; at most {limit:,} are possible")


def too_many_players(span: Span) -> Diagnostic:
    return error("E508", span, "a game has at most 64 players")


# ------------------------------------------------------------------ E5: what is taken from other files


def nothing_to_borrow(span: Span, name: str, kind: str, known: Sequence[str], beside: bool) -> Diagnostic:
    """`beside`: the text comes from a file, in whose folder others were looked for."""
    elsewhere = f"nor is there a file `{name}.gdl` in this folder" if beside else "and a text has no folder"
    return error(
        "E511",
        span,
        f"no {kind} that comes with the program is called `{name}`, {elsewhere}",
        did_you_mean(name, known),
        fixes=guesses(span, name, known),
    )


def leads_out(span: Span, file: str) -> Diagnostic:
    return error(
        "E511",
        span,
        f"`{file}` is not a file of its folder: it leads elsewhere",
        "put the file itself there: only this folder and what comes with the program are read",
    )


def cannot_borrow(span: Span, file: str, reason: str) -> Diagnostic:
    return error("E511", span, f"cannot read `{file}`: {reason}")


def circle_of_games(span: Span, names: Sequence[str]) -> Diagnostic:
    return error(
        "E512",
        span,
        f"a game cannot be made from itself: {' from '.join(f'`{name}`' for name in names)}",
        "one of them has to be written in full",
    )


def not_a_game(span: Span, name: str) -> Diagnostic:
    return error("E513", span, f"`{name}` is no game: its file has no `game` line", f"write `use {name}`")


def not_a_library(span: Span, name: str) -> Diagnostic:
    return error(
        "E513",
        span,
        f"`{name}` is a game; a library has no `game` line",
        f"write `game my_game from {name}` for a variant of it",
    )


def not_of_a_library(span: Span, library: str) -> Diagnostic:
    return error(
        "E514",
        span,
        f"this belongs to a game; the library `{library}` holds only `type`, `const`, `def` and `effect`",
    )


def library_alone(span: Span, name: str) -> Diagnostic:
    return error(
        "E516",
        span,
        "this is a library, not a game: it only declares what games can use",
        f"write `use {name}` in a game" if name.isidentifier() else None,
    )


def expects_of_another(span: Span, name: str, base: str | None) -> Diagnostic:
    hint = f"write `expect all from {base}`" if base else f"`game my_game from {name}` makes it one"
    return error("E515", span, f"this game is not made from `{name}`", hint)


# ------------------------------------------------------------------ E7: hidden information


def bad_visibility(span: Span, found: object) -> Diagnostic:
    return error(
        "E701",
        span,
        f"`visible to` is followed by a player, a set of players, `everyone` or `nobody`, not {found}",
    )


def visibility_index(span: Span, name: str) -> Diagnostic:
    return error(
        "E702", span, f"`{name}` names no index of this variable", f"name the index: `[{name}: player]`"
    )


# ------------------------------------------------------------------ E8: show and expect


def unknown_quantity(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    hint = did_you_mean(name, known)
    return error(
        "E801",
        span,
        f"nothing is known of the quantity `{name}`",
        hint,
        fixes=guesses(span, name, known),
    )


def bad_expectation(span: Span, message: str) -> Diagnostic:
    return error("E802", span, message)


def unknown_setting(span: Span, name: str, players: Sequence[str], params: Sequence[str]) -> Diagnostic:
    """`value(d=grab)` without a player or a parameter `d`."""
    known = [*players, *params]
    match = near(name, known)
    every = f"its players: {listing(players)}" + (f"; its parameters: {listing(params)}" if params else "")
    return error(
        "E802",
        span,
        f"the game has no player and no parameter `{name}`",
        f"did you mean `{match}`?" if match else every,
    )


def no_expected_move(span: Span, message: str, quoted: bool) -> Diagnostic:
    hint = f'what is written in a notation stands in quotes: `"{span.text}"`' if quoted else None
    return error("E802", span, message, hint)


def cannot_show(span: Span, found: object) -> Diagnostic:
    return error("E803", span, f"a value of type {found} cannot be shown")


_A_BOARD = "a board is a map over its cells (`board[Cell]: Piece`), or a `def` of a cell"


def picture_without_board(span: Span, name: str) -> Diagnostic:
    return error("E803", span, f"`{name}(…)` of what is not a board", _A_BOARD)


def picture_of_few(span: Span, name: str) -> Diagnostic:
    return error("E803", span, f"`{name}(…)` draws two boards in one, or more", f"name both; {_A_BOARD}")


def pictures_of_boards(span: Span, one: object, other: object) -> Diagnostic:
    return error(
        "E803", span, f"squares of {one} and of {other} cannot be drawn in one board",
        f"show them one after another, or write a `def` of a cell of {one} that looks up what it shows",
    )  # fmt: skip


def picture_elsewhere(span: Span, name: str) -> Diagnostic:
    return error("E803", span, f"`{name}(…)` is a picture, and pictures stand in `show:` only")
