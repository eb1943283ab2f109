"""The wording of mistakes in the text: one function per code. Checking code decides, this file says.

Codes are permanent: S syntax, E errors found by the checker, W warnings, O what is left to the engines.
The essay for each code (`gdl explain CODE`) is in `gdl/diagnostics/essays/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gdl.diagnostics.core import Diagnostic, Label, Severity
from gdl.diagnostics.source import Span

if TYPE_CHECKING:
    from fractions import Fraction


def _error(code: str, span: Span | None, message: str, hint: str | None = None, *labels: Label) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, labels, hint)


def _warning(code: str, span: Span, message: str, hint: str | None = None, *labels: Label) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, span, labels, hint)


def _left_open(code: str, span: Span, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.NOTE, message, span, (), hint)


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that the author may have meant."""
    from difflib import get_close_matches

    matches = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def listing(names: Iterable[str], last: str = "and", most: int = 12) -> str:
    """`a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most:
        quoted = [*quoted[:most], f"{len(quoted) - most} more"]
    if len(quoted) <= 1:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + f" {last} {quoted[-1]}"


def _did_you_mean(name: str, known: Sequence[str]) -> str | None:
    if match := near(name, known):
        return f"did you mean `{match}`?"
    return f"known here: {listing(known)}" if known and len(known) <= 12 else None


# ------------------------------------------------------------------ S0: the text itself


def cannot_read(name: str, reason: str) -> Diagnostic:
    return _error("S001", None, f"cannot read {name}: {reason}")


def not_text(name: str, offset: int) -> Diagnostic:
    return _error(
        "S002", None, f"{name} is not a text file: byte {offset} is not UTF-8", "save the file as UTF-8"
    )


def empty_file(span: Span) -> Diagnostic:
    return _error("S003", span, "the file describes no game", "`gdl new NAME` writes a file to start from")


def file_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return _error("S004", span, f"the file has {length:,} characters; at most {limit:,} are read")


def line_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return _error(
        "S005",
        span,
        f"this line has {length:,} characters; at most {limit:,} are read",
        "lines continue inside brackets: break it up",
    )


def nested_too_deeply(span: Span) -> Diagnostic:
    return _error("S006", span, "this is nested too deeply", "name the inner parts with `def` or `let`")


def tab_in_indentation(span: Span) -> Diagnostic:
    return _error(
        "S007", span, "the indentation contains a tab", "indent with spaces, four a level; `gdl fmt` does it"
    )


def uneven_indentation(span: Span, width: int, levels: Sequence[int]) -> Diagnostic:
    known = ", ".join(str(level) for level in levels)
    return _error(
        "S008",
        span,
        f"this line is indented by {width}, but the open blocks are indented by {known}",
        "line it up with the block it belongs to",
    )


def never_closed(span: Span, closing: str) -> Diagnostic:
    return _error("S009", span, f"this `{span.text}` is never closed", f"add the missing `{closing}`")


def never_opened(span: Span, opening: str) -> Diagnostic:
    return _error("S010", span, f"this `{span.text}` closes nothing: no `{opening}` is open")


def wrong_bracket(span: Span, opened: Span, closing: str) -> Diagnostic:
    return _error(
        "S011",
        span,
        f"`{span.text}` does not close `{opened.text}`",
        f"write `{closing}` here",
        Label(opened, "opened here"),
    )


def unfinished_string(span: Span, quote: str) -> Diagnostic:
    return _error("S012", span, f"this text is not closed with {quote}")


def bad_number(span: Span) -> Diagnostic:
    return _error("S013", span, f"`{span.text}` is neither a number nor a name", "names start with a letter")


_FOREIGN = {
    "&&": ("`&&` is written `and`", "write `and`"),
    "||": ("`||` is written `or`", "write `or`"),
    "!": ("`!` is written `not`", "write `not`"),
    "%": ("`%` is written `mod`", "write `a mod b`"),
    "//": ("`//` is written `div`; a comment starts with `#`", "write `a div b`, or `#` for a comment"),
    "'": ("text stands in double quotes", 'write `"…"`'),
    ";": ("statements are not ended by `;`", "put each on a line of its own"),
    "^": ("`^` is written `**`", "write `a ** b`"),
    "\\": ("lines are not continued by `\\`", "lines continue inside brackets: put the expression in ( )"),
}


def foreign_symbol(span: Span, symbol: str) -> Diagnostic:
    message, hint = _FOREIGN.get(symbol, (f"`{symbol}` means nothing here", None))
    return _error("S014", span, message, hint)


def unknown_character(span: Span) -> Diagnostic:
    character = span.text[0] if span.text else ""
    name = f"U+{ord(character):04X}" if not character.isprintable() else f"`{character}`"
    return _error("S015", span, f"the character {name} means nothing here")


# ------------------------------------------------------------------ S1: grammar


def missing_colon(span: Span, header: str) -> Diagnostic:
    return _error("S101", span, f"`{header}` needs a `:` before its body", "add `:` at the end of the line")


def equals_for_colon(span: Span, header: str) -> Diagnostic:
    return _error("S101", span, f"the body of `{header}` follows a `:`, not a `=`", "write `:`")


def equals_for_test(span: Span) -> Diagnostic:
    return _error("S102", span, "`=` gives a value; a test is written `==`", "write `==`")


def missing_body(span: Span, what: str) -> Diagnostic:
    return _error("S103", span, f"{what} has no body", "indent its statements below it; `pass` does nothing")


def python_word(span: Span, word: str, instead: str) -> Diagnostic:
    return _error("S104", span, f"`{word}` is not part of the language", f"write `{instead}`")


def unexpected_indent(span: Span) -> Diagnostic:
    return _error(
        "S105",
        span,
        "this line is indented, but no block is open",
        "a block opens after a line that ends with `:`",
    )


def unknown_item(span: Span, word: str, known: Sequence[str]) -> Diagnostic:
    match = near(word, known)
    hint = (
        f"did you mean `{match}`?"
        if match
        else f"a line without indentation starts with {listing(known, 'or', 30)}"
    )
    return _error("S106", span, f"`{word}` starts no part of a game", hint)


def unexpected(span: Span, found: str, expected: Sequence[str]) -> Diagnostic:
    if not expected:
        wanted = ""
    elif len(expected) == 1:
        wanted = f"; expected {expected[0]}"
    else:
        wanted = f"; expected {', '.join(expected[:-1])} or {expected[-1]}"
    return _error("S100", span, f"{found} cannot stand here{wanted}")


def unexpected_end(span: Span, expected: Sequence[str]) -> Diagnostic:
    wanted = f"; expected {' or '.join(expected)}" if expected else ""
    return _error("S107", span, f"the line ends too early{wanted}")


def missing_else(span: Span) -> Diagnostic:
    return _error("S108", span, "a conditional expression needs its `else`", "write `a if condition else b`")


def else_if(span: Span) -> Diagnostic:
    return _error("S109", span, "`else if` is written `elif`", "write `elif`")


def increment_operator(span: Span) -> Diagnostic:
    return _error("S110", span, f"`{span.text}` is not part of the language", "write `+= 1` or `-= 1`")


def colon_assign(span: Span) -> Diagnostic:
    return _error("S111", span, "`:=` is not part of the language", "write `=`")


def missing_parenthesis_for(span: Span) -> Diagnostic:
    return _error(
        "S112", span, "`for` inside an expression stands in `any( )`, `all( )`, `[ ]`, `{ }` or the like"
    )


def second_for(span: Span) -> Diagnostic:
    return _error(
        "S112",
        span,
        "one `for` binds all names of a comprehension",
        "write `for x in A, y in B if condition`",
    )


def bad_interpolation(span: Span) -> Diagnostic:
    return _error(
        "S113", span, "the braces in this text do not match", "write `{expression}`, and `{{` for a brace"
    )


def missing_comma(span: Span) -> Diagnostic:
    return _error(
        "S114", span, f"`{span.text}` follows without a comma or an operator", "is a `,` missing before it?"
    )


def in_for_colon(span: Span, name: str) -> Diagnostic:
    return _error("S117", span, "an index is named with `:`, not with `in`", f"write `{name}:`")


def type_in_expression(span: Span) -> Diagnostic:
    return _error(
        "S118",
        span,
        "a type that is used in an expression needs a name",
        "declare it first, as in `type Hand = set of Card`, and write `Hand` here",
    )


def missing_name(span: Span, what: str) -> Diagnostic:
    return _error("S116", span, f"{what} needs a name, and `{span.text}` is none")


# ------------------------------------------------------------------ E1: names


def unknown_name(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return _error("E101", span, f"`{name}` is not known here", _did_you_mean(name, known))


_FOREIGN_NAMES = {
    "True": "true",
    "False": "false",
    "None": "none",
    "null": "none",
    "nil": "none",
    "self": "the position variable itself",
    "random": "x ~ 1..6",
    "randint": "x ~ 1..6",
    "choice": "x ~ domain",
    "print": "show:",
    "range": "0..n-1",
    "len": "count",
    "floor": "div",
    "int": "0..9",
    "float": "a fraction such as 1/2",
    "string": "{a, b, c}",
    "boolean": "bool",
}


def foreign_name(span: Span, name: str) -> Diagnostic | None:
    """The advice for a name that means something in other languages."""
    if name not in _FOREIGN_NAMES:
        return None
    return _error("E102", span, f"`{name}` is not part of the language", f"write `{_FOREIGN_NAMES[name]}`")


def ambiguous_name(span: Span, name: str, types: Sequence[str]) -> Diagnostic:
    return _error(
        "E103",
        span,
        f"`{name}` may be a {' or a '.join(types)}; nothing here decides which",
        f"write {' or '.join(f'`{t}({name})`' for t in types)}",
    )


def declared_twice(span: Span, name: str, earlier: Span) -> Diagnostic:
    return _error(
        "E104",
        span,
        f"`{name}` is declared twice",
        "rename one of them",
        Label(earlier, "first declared here"),
    )


def section_twice(span: Span, keyword: str, earlier: Span) -> Diagnostic:
    return _error(
        "E105", span, f"`{keyword}` is given twice", "keep one of them", Label(earlier, "first given here")
    )


def recursion(span: Span, kind: str, name: str, declared: Span) -> Diagnostic:
    return _error(
        "E106",
        span,
        f"`{name}` is defined by itself: every {kind} must end",
        "use a bounded `for` instead",
        Label(declared, f"`{name}` is declared here"),
    )


def unknown_type(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return _error("E107", span, f"there is no type `{name}`", _did_you_mean(name, known))


def unknown_function(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    return _error("E108", span, f"there is no function `{name}`", _did_you_mean(name, known))


def unknown_effect(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = (
        f"did you mean `{match}`?"
        if match
        else "a statement assigns (`x = 1`), draws (`x ~ 1..6`) or performs an effect"
    )
    return _error("E109", span, f"there is no effect `{name}`", hint)


def unknown_field(span: Span, name: str, type_: object, known: Sequence[str]) -> Diagnostic:
    hint = f"it has {listing(known)}" if known else None
    return _error("E110", span, f"a value of type {type_} has no `.{name}`", hint)


def not_here(span: Span, name: str, where: str) -> Diagnostic:
    return _error(
        "E111", span, f"`{name}` reads the position, but {where} is fixed before any position exists"
    )


def unknown_param(name: str, known: Sequence[str]) -> Diagnostic:
    hint = _did_you_mean(name, known) if known else "this game has no parameters"
    if known and hint and "known here" not in hint:
        hint += f" The parameters are {listing(known)}."
    return _error("E112", None, f"the game has no parameter `{name}`", hint)


def bad_param(name: str, value: str, wanted: str, span: Span | None = None) -> Diagnostic:
    return _error("E113", span, f"`{value}` is no value for the parameter `{name}`", f"give {wanted}")


# ------------------------------------------------------------------ E2: types


def wrong_type(
    span: Span, what: str, found: object, wanted: object, value: str | None = None, hint: str | None = None
) -> Diagnostic:
    shown = f"`{value}` ({found})" if value else f"a value of type {found}"
    return _error("E201", span, f"{what} must be of type {wanted}, not {shown}", hint)


def may_be_none(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    return _error(
        "E202",
        span,
        f"{what} must be of type {wanted}, but this may be none",
        f"test it first: `if {span.text} is not none`, or `… is {wanted} and …`",
    )


def too_wide(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    return _error(
        "E203",
        span,
        f"{what} must be of type {wanted}, but this may be any {found}",
        f"test it first with `is {wanted}`, or insist with `{wanted}({span.text})`",
    )


def never_equal(span: Span, left: object, right: object) -> Diagnostic:
    return _error("E204", span, f"a value of type {left} never equals one of type {right}")


def no_common_type(span: Span, left: object, right: object, one: Span, other: Span) -> Diagnostic:
    return _error(
        "E205",
        span,
        "these values are of types that do not go together",
        None,
        Label(one, f"this is of type {left}"),
        Label(other, f"this is of type {right}"),
    )


def not_a_condition(span: Span, found: object) -> Diagnostic:
    return _error(
        "E206",
        span,
        f"a condition is true or false; this is of type {found}",
        "compare it with something, as in `… > 0`",
    )


def not_a_number(span: Span, what: str, found: object) -> Diagnostic:
    return _error("E207", span, f"{what} must be a number, not of type {found}")


def wrong_count(span: Span, what: str, found: int, wanted: str, declared: Span | None = None) -> Diagnostic:
    labels = (Label(declared, "declared here"),) if declared else ()
    return _error(
        "E208",
        span,
        f"{what} takes {wanted}, but {found} {'is' if found == 1 else 'are'} given",
        None,
        *labels,
    )


def not_indexed(span: Span, name: str) -> Diagnostic:
    return _error("E209", span, f"`{name}` is a single value and takes no `[ ]`")


def needs_index(span: Span, name: str, indices: str) -> Diagnostic:
    return _error("E210", span, f"`{name}` is a map: say which element", f"write `{name}[{indices}]`")


def not_iterable(span: Span, found: object) -> Diagnostic:
    return _error(
        "E211",
        span,
        f"nothing to go through: this is of type {found}",
        "go through a type, a range `lo..hi`, a set or a list",
    )


def not_finite(span: Span, what: str, limit: int) -> Diagnostic:
    return _error("E212", span, f"{what} is too large: at most {limit:,} values")


def empty_type(span: Span, what: str) -> Diagnostic:
    return _error(
        "E213", span, f"{what} has no values", "its bounds may depend on a parameter: lo must not exceed hi"
    )


def not_a_type(span: Span, found: str) -> Diagnostic:
    return _error(
        "E214",
        span,
        f"{found} is not a type",
        "a type is `bool`, `lo..hi`, `{a, b}`, `player`, `grid(rows, cols)`, `hex(rows, cols)`, "
        "`set of T`, `T?`, `A | B`, `(a: T, b: U)` or a declared name",
    )


def overlapping_union(span: Span, value: object) -> Diagnostic:
    return _error("E215", span, f"the parts of this union overlap: {value} is in two of them")


def not_constant(span: Span, what: str) -> Diagnostic:
    return _error(
        "E216",
        span,
        f"{what} must be known when the game is compiled",
        "use numbers, `param`s and `const`s only",
    )


def constant_fault(span: Span, message: str) -> Diagnostic:
    return _error("E217", span, f"this constant cannot be computed: {message}")


def untyped_formal(span: Span, name: str) -> Diagnostic:
    return _error("E218", span, f"say what `{name}` is", f"write `{name}: T`, for instance `{name}: player`")


def text_here(span: Span) -> Diagnostic:
    return _error(
        "E219",
        span,
        "text can be shown, but not computed with",
        "text belongs in `show:` and behind names in `{ }`",
    )


def list_here(span: Span) -> Diagnostic:
    return _error(
        "E220",
        span,
        "a list must be known when the game is compiled; this one depends on the play",
        "use a set: `{…}` or `{… for …}`",
    )


def not_a_board(span: Span, what: str, found: object) -> Diagnostic:
    return _error(
        "E221",
        span,
        f"{what} needs the cells of a board, not {found}",
        "declare one, such as `type Cell = grid(3, 3)`",
    )


def not_a_call(span: Span) -> Diagnostic:
    return _error("E222", span, "only functions can be called")


def not_ordered(span: Span, found: object) -> Diagnostic:
    return _error("E223", span, f"values of type {found} have no order", "compare them with `==` or `!=`")


def unknown_keyword(span: Span, name: str, function: str) -> Diagnostic:
    return _error("E224", span, f"`{function}` takes no `{name}=`")


def grid_size(span: Span, what: str) -> Diagnostic:
    return _error("E225", span, f"{what} needs a number of rows and a number of columns, each from 1 to 1000")


def duplicate_member(span: Span, name: str) -> Diagnostic:
    return _error("E226", span, f"`{name}` stands twice among these values")


def duplicate_key(span: Span, name: str) -> Diagnostic:
    return _error("E227", span, f"the entry for `{name}` stands twice")


def missing_entries(span: Span, missing: Sequence[str]) -> Diagnostic:
    return _error(
        "E228",
        span,
        f"the table has no entry for {listing(missing)}",
        "every index needs one; `else` is not filled in",
    )


def too_much_work(span: Span, limit: int) -> Diagnostic:
    return _error(
        "E229",
        span,
        f"the constants of this file take more than {limit:,} steps to compute",
        "make the loops or tables smaller, or compute during play what depends on few values",
    )


# ------------------------------------------------------------------ E3: numbers and ranges


def never_in_range(span: Span, what: str, value: str, wanted: object) -> Diagnostic:
    return _error("E301", span, f"{what} must be within {wanted}, and {value} never is")


def fraction_for_whole(span: Span, what: str, wanted: object) -> Diagnostic:
    return _error(
        "E302",
        span,
        f"{what} must be a whole number within {wanted}; this may be a fraction",
        "`div` divides and rounds down",
    )


def zero_divisor(span: Span) -> Diagnostic:
    return _error("E303", span, "this divides by zero")


def too_large_number(span: Span) -> Diagnostic:
    return _error(
        "E304", span, "this number can grow beyond 63 bits", "bound it with `min`, or use smaller ranges"
    )


def negative_exponent(span: Span) -> Diagnostic:
    return _error(
        "E305", span, "the exponent must be a whole number from 0 to 1000 known when the game is compiled"
    )


# ------------------------------------------------------------------ E4: chance


def wrong_sum(span: Span, total: Fraction) -> Diagnostic:
    if total < 1:
        rest = f"{1 - total} is missing"
        hint = f"add an outcome of {1 - total}, or `else:`"
    else:
        rest = f"{total - 1} too much"
        hint = "probabilities of one `chance:` sum to 1"
    return _error("E401", span, f"the outcomes sum to {total}; {rest}", hint)


def negative_probability(span: Span, value: object) -> Diagnostic:
    return _error("E402", span, f"a probability is never negative, but this is {value}")


def probability_above_one(span: Span, value: object) -> Diagnostic:
    return _error("E403", span, f"a probability is never above 1, but this is {value}")


def else_not_last(span: Span) -> Diagnostic:
    return _error(
        "E404", span, "`else:` takes the rest of the probability: it stands once, as the last outcome"
    )


def draw_here(span: Span, where: str) -> Diagnostic:
    return _error(
        "E405",
        span,
        f"{where} cannot draw",
        "draw in a move, in an effect that moves perform, or in `initial:`",
    )


def draws_under_after(span: Span, name: str, declared: Span) -> Diagnostic:
    return _error(
        "E406",
        span,
        f"`{name}` draws, so the position after it is not one position",
        "split the part without draws into an effect of its own",
        Label(declared, f"`{name}` is declared here"),
    )


def bad_draw_target(span: Span) -> Diagnostic:
    return _error(
        "E407", span, "a draw gives its value to a name or to a position variable", "write `x ~ 1..6`"
    )


def weights_negative(span: Span, value: object) -> Diagnostic:
    return _error("E408", span, f"a weight is never negative, but this is {value}")


# ------------------------------------------------------------------ E5: the parts of a game


def missing_section(span: Span, keyword: str, example: str) -> Diagnostic:
    return _error("E501", span, f"the game has no `{keyword}`", f"add for instance `{example}`")


def utility_needs_player(span: Span, players: int) -> Diagnostic:
    return _error(
        "E502",
        span,
        f"one utility does not say what each of {players} players gets",
        "write `utility(p): …` for the utility of player p",
    )


def no_initial_value(span: Span, name: str, example: str) -> Diagnostic:
    return _error(
        "E503",
        span,
        f"`{name}` has no value at the start",
        f"write `= {example}`, or give it one in `initial:`",
    )


def player_repeated(span: Span, name: str) -> Diagnostic:
    return _error("E504", span, f"the player `{name}` is named twice")


def bad_discount(span: Span) -> Diagnostic:
    return _error("E505", span, "the discount is a number from 0 to 1", "write for instance `discount: 9/10`")


def not_a_player(span: Span, found: object) -> Diagnostic:
    return _error(
        "E506", span, f"`player:` says who moves: a player or `chance`, not a value of type {found}"
    )


def position_too_large(span: Span, bits: int, limit: int) -> Diagnostic:
    return _error("E507", span, f"a position would take {bits:,} bits; at most {limit:,} are possible")


def too_many_players(span: Span) -> Diagnostic:
    return _error("E508", span, "a game has at most 64 players")


# ------------------------------------------------------------------ E6: moves, effects, statements


def assign_to(span: Span, name: str, why: str) -> Diagnostic:
    return _error("E601", span, f"`{name}` cannot be assigned to: {why}")


def assign_here(span: Span, where: str) -> Diagnostic:
    return _error(
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
    return _error("E603", span, f"there is no position variable `{name}`", hint)


def break_outside(span: Span) -> Diagnostic:
    return _error("E604", span, "`break` leaves a `for`, and none is open here")


def return_outside(span: Span) -> Diagnostic:
    return _error("E605", span, "only a `def` returns a value")


def no_return(span: Span, name: str) -> Diagnostic:
    return _error(
        "E606", span, f"`{name}` may end without `return`", "end every way through it with `return …`"
    )


def otherwise_with_when(span: Span) -> Diagnostic:
    return _error("E607", span, "a clause stands twice on this move")


def reward_here(span: Span, where: str) -> Diagnostic:
    return _error("E608", span, f"{where} cannot pay a reward")


def reward_needs_player(span: Span, players: int) -> Diagnostic:
    return _error("E609", span, f"say which of the {players} players is paid", "write `reward p: amount`")


def weight_without_chance(span: Span) -> Diagnostic:
    return _error("E610", span, "`weight` counts where `player:` is `chance`, and here it never is")


def statement_expected(span: Span) -> Diagnostic:
    return _error(
        "E611",
        span,
        "this computes a value and does nothing with it",
        "a statement assigns (`x = 1`), draws (`x ~ 1..6`) or performs an effect",
    )


def no_moves(span: Span) -> Diagnostic:
    return _error("E612", span, "the game has no moves", "add for instance `move pass:`")


def function_as_effect(span: Span, name: str) -> Diagnostic:
    return _error(
        "E613", span, f"`{name}` is a `def` and changes nothing", "make it an `effect`, or use its value"
    )


def effect_as_function(span: Span, name: str) -> Diagnostic:
    return _error(
        "E614", span, f"`{name}` is an effect and has no value", "use it as a statement or behind `after`"
    )


def after_needs_effect(span: Span) -> Diagnostic:
    return _error(
        "E615", span, "`after` is followed by an effect", "write `condition after effect(arguments)`"
    )


# ------------------------------------------------------------------ E7: hidden information


def bad_visibility(span: Span, found: object) -> Diagnostic:
    return _error(
        "E701",
        span,
        f"`visible to` is followed by a player, a set of players, `everyone` or `nobody`, not {found}",
    )


def visibility_index(span: Span, name: str) -> Diagnostic:
    return _error(
        "E702", span, f"`{name}` names no index of this variable", f"name the index: `[{name}: player]`"
    )


# ------------------------------------------------------------------ E8: show and expect


def unknown_quantity(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    hint = _did_you_mean(name, known)
    return _error("E801", span, f"nothing is known of the quantity `{name}`", hint)


def bad_expectation(span: Span, message: str) -> Diagnostic:
    return _error("E802", span, message)


def cannot_show(span: Span, found: object) -> Diagnostic:
    return _error("E803", span, f"a value of type {found} cannot be shown")


# ------------------------------------------------------------------ W: warnings


def unused_global(span: Span, kind: str, name: str) -> Diagnostic:
    return _warning("W101", span, f"the {kind} `{name}` is never used", "remove it, or use it")


def unused_local(span: Span, kind: str, name: str) -> Diagnostic:
    return _warning("W102", span, f"`{name}` is never used", f"remove it, or call it `_{name}`")


def shadowed_local(span: Span, name: str, earlier: Span) -> Diagnostic:
    return _warning(
        "W103",
        span,
        f"`{name}` hides another `{name}`",
        "rename one of them",
        Label(earlier, "the other one"),
    )


def shadowed_global(span: Span, name: str, kind: str, earlier: Span) -> Diagnostic:
    return _warning(
        "W104",
        span,
        f"`{name}` hides the {kind} `{name}`",
        "rename one of them",
        Label(earlier, "declared here"),
    )


def always(span: Span, truth: bool) -> Diagnostic:
    return _warning("W105", span, f"this is always {'true' if truth else 'false'}")


def unreachable(span: Span) -> Diagnostic:
    return _warning("W106", span, "this is never reached")


def never_legal(span: Span, name: str) -> Diagnostic:
    return _warning("W107", span, f"the move `{name}` is never legal")


def never_assigned(span: Span, name: str) -> Diagnostic:
    return _warning("W108", span, f"`{name}` never changes", "make it a `const`")


# ------------------------------------------------------------------ O: left to the engines


def range_left_open(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    return _left_open("O101", span, f"{what} must be within {wanted}; the checker only knows {found}")


def sum_left_open(span: Span) -> Diagnostic:
    return _left_open("O102", span, "the probabilities must sum to 1; that depends on the position")


def draw_left_open(span: Span) -> Diagnostic:
    return _left_open("O103", span, "there must be something to draw; that depends on the position")


def divisor_left_open(span: Span) -> Diagnostic:
    return _left_open("O104", span, "the divisor must not be 0; that depends on the position")


def choice_left_open(span: Span, kind: str) -> Diagnostic:
    return _left_open(
        "O105",
        span,
        f"`{kind}` needs at least one value; that depends on the position",
        f"`{kind}(…, default=0)` gives a value for none",
    )


def moves_left_open(span: Span) -> Diagnostic:
    return _left_open("O106", span, "every position that is not terminal must have a legal move")
