"""E4: chance; E6: moves, effects and statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error, guesses, near

if TYPE_CHECKING:
    from fractions import Fraction

# ------------------------------------------------------------------ E4: chance


def wrong_sum(span: Span, total: Fraction, listed: bool) -> Diagnostic:
    """`listed`: the outcomes stand in the `{ }` of a draw, where no `else:` can."""
    if total < 1:
        rest = f"{1 - total} is missing"
        other = "give one of them that much more" if listed else "`else:`"
        hint = f"add an outcome of {1 - total}, or {other}"
    else:
        rest = f"{total - 1} too much"
        hint = f"probabilities of one {'draw' if listed else '`chance:`'} sum to 1"
    return error("E401", span, f"the outcomes sum to {total}; {rest}", hint)


def negative_probability(span: Span, value: object) -> Diagnostic:
    return error("E402", span, f"a probability is never negative, but this is {value}")


def probability_above_one(span: Span, value: object) -> Diagnostic:
    return error("E403", span, f"a probability is never above 1, but this is {value}")


def else_not_last(span: Span) -> Diagnostic:
    return error(
        "E404", span, "`else:` takes the rest of the probability: it stands once, as the last outcome"
    )


def draw_here(span: Span, where: str) -> Diagnostic:
    return error(
        "E405",
        span,
        f"{where} cannot draw",
        "draw in a move, in an effect that moves perform, or in `initial:`",
    )


def draws_under_after(span: Span, name: str, declared: Span) -> Diagnostic:
    return error(
        "E406",
        span,
        f"`{name}` draws, so the position after it is not one position",
        "split the part without draws into an effect of its own",
        Label(declared, f"`{name}` is declared here"),
    )


def bad_draw_target(span: Span) -> Diagnostic:
    return error(
        "E407", span, "a draw gives its value to a name or to a position variable", "write `x ~ 1..6`"
    )


def weights_negative(span: Span, value: object) -> Diagnostic:
    return error("E408", span, f"a weight is never negative, but this is {value}")


# ------------------------------------------------------------------ E6: moves, effects, statements


def assign_to(span: Span, name: str, why: str) -> Diagnostic:
    return error("E601", span, f"`{name}` cannot be assigned to: {why}")


def assign_here(span: Span, where: str) -> Diagnostic:
    if where == "a policy":
        hint = "name a move that does it; `let` names a value"
        return error("E602", span, "a policy chooses a move and changes nothing itself", hint)
    return error(
        "E602",
        span,
        f"{where} computes a value and changes nothing",
        "change the position in a move or an effect",
    )


def assign_unknown(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = (
        f"did you mean `{match}`?"
        if match
        else f"`let {name} = …` makes a new name, `position:` declares variables"
    )
    return error(
        "E603", span, f"there is no position variable `{name}`", hint, fixes=guesses(span, name, known)
    )


def break_outside(span: Span) -> Diagnostic:
    return error("E604", span, f"`{span.text}` belongs to a loop, and none is open here")


def return_outside(span: Span) -> Diagnostic:
    return error("E605", span, "only a `def` returns a value")


def no_return(span: Span, name: str) -> Diagnostic:
    return error(
        "E606", span, f"`{name}` may end without `return`", "end every way through it with `return …`"
    )


def otherwise_with_when(span: Span) -> Diagnostic:
    return error("E607", span, "a clause stands twice on this move")


def reward_here(span: Span, where: str) -> Diagnostic:
    return error("E608", span, f"{where} cannot pay a reward")


def reward_needs_player(span: Span, players: int) -> Diagnostic:
    return error("E609", span, f"say which of the {players} players is paid", "write `reward p: amount`")


def weight_without_chance(span: Span) -> Diagnostic:
    return error("E610", span, "`weight` counts where `player:` is `chance`, and here it never is")


def statement_expected(span: Span) -> Diagnostic:
    return error(
        "E611",
        span,
        "this computes a value and does nothing with it",
        "a statement assigns (`x = 1`), draws (`x ~ 1..6`) or performs an effect",
    )


def no_moves(span: Span) -> Diagnostic:
    return error("E612", span, "the game has no moves", "add for instance `move pass:`")


def function_as_effect(span: Span, name: str) -> Diagnostic:
    return error(
        "E613", span, f"`{name}` is a `def` and changes nothing", "make it an `effect`, or use its value"
    )


def effect_as_function(span: Span, name: str) -> Diagnostic:
    return error(
        "E614", span, f"`{name}` is an effect and has no value", "use it as a statement or behind `after`"
    )


def after_needs_effect(span: Span) -> Diagnostic:
    return error(
        "E615", span, "`after` is followed by an effect", "write `condition after effect(arguments)`"
    )


def two_candidates(span: Span, name: str) -> Diagnostic:
    return error(
        "E616",
        span,
        f"`{name}` is being drawn, so here it is the candidate, and so is `it`",
        f"write `let before = {name}` above for the value that it has now, or draw a new name first",
    )


def bad_notation(span: Span, why: str) -> Diagnostic:
    return error(
        "E619", span, f"moves cannot be written like this: {why}", 'write for instance "{from}-{to}"'
    )


def ambiguous_notation(span: Span, text: str, first: str, second: str) -> Diagnostic:
    return error(
        "E620",
        span,
        f"`{text}` would be both {first} and {second}",
        "put what tells them apart into the text, or words that differ",
    )


def stuck_here(span: Span, where: str) -> Diagnostic:
    return error(
        "E618",
        span,
        f"{where} cannot ask `stuck`: which moves are legal follows from it",
        "ask it in `terminal:`, in `utility:`, or in a `def` that only they use",
    )


def too_many_choices(span: Span, name: str, count: int, limit: int) -> Diagnostic:
    return error(
        "E617",
        span,
        f"the move `{name}` has {count:,} choices of its parameters; at most {limit:,} can be looked at",
        "let one parameter depend on another (`b in near(a)`), or choose in several moves",
    )


def too_many_numbers(span: Span, name: str) -> Diagnostic:
    return error(
        "E621",
        span,
        f"the parameters of `{name}` have more than 2^62 combinations of values together",
        "give it fewer or smaller ones (`subsets` of a smaller set or bag), or choose in several moves",
    )
