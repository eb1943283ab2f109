"""E2: types that do not fit; E3: numbers out of range."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.fixes import replace
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error, listing

RULED_OUT_BY_TESTS = frozenset({"E202", "E203", "E207", "E305"})
"""Mistakes that a test of the value before it may rule out."""

RULED_OUT_IF_NEVER_REACHED = frozenset({"E301"})
"""Mistakes that no test of the value rules out, only one that never holds, as some parameters may cause."""

# ------------------------------------------------------------------ E2: types


def wrong_type(
    span: Span, what: str, found: object, wanted: object, value: str | None = None, hint: str | None = None
) -> Diagnostic:
    shown = f"`{value}` ({found})" if value else f"a value of type {found}"
    return error("E201", span, f"{what} must be of type {wanted}, not {shown}", hint)


def may_be_none(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    return error(
        "E202",
        span,
        f"{what} must be of type {wanted}, but this may be none",
        f"test it first: `if {span.text} is not none`, or `… is {wanted} and …`",
    )


def too_wide(span: Span, what: str, found: object, wanted: object) -> Diagnostic:
    named = str(wanted).isidentifier()  # only then it can be called
    return error(
        "E203",
        span,
        f"{what} must be of type {wanted}, but this may be any {found}",
        f"test it first with `is {wanted}`" + (f", or insist with `{wanted}({span.text})`" if named else ""),
        fixes=(replace(span, f"{wanted}({span.text})"),) if named else (),
    )


def never_equal(span: Span, left: object, right: object) -> Diagnostic:
    return error("E204", span, f"a value of type {left} never equals one of type {right}")


def no_common_type(span: Span, left: object, right: object, one: Span, other: Span) -> Diagnostic:
    return error(
        "E205",
        span,
        "these values are of types that do not go together",
        None,
        Label(one, f"this is of type {left}"),
        Label(other, f"this is of type {right}"),
    )


def not_a_condition(span: Span, found: object) -> Diagnostic:
    return error(
        "E206",
        span,
        f"a condition is true or false; this is of type {found}",
        "compare it with something, as in `… > 0`",
    )


def not_a_number(span: Span, what: str, found: object, hint: str | None = None) -> Diagnostic:
    return error("E207", span, f"{what} must be a number, not of type {found}", hint)


def wrong_count(span: Span, what: str, found: int, wanted: str, declared: Span | None = None) -> Diagnostic:
    labels = (Label(declared, "declared here"),) if declared else ()
    return error(
        "E208",
        span,
        f"{what} takes {wanted}, but {found} {'is' if found == 1 else 'are'} given",
        None,
        *labels,
    )


def not_indexed(span: Span, name: str) -> Diagnostic:
    return error("E209", span, f"`{name}` is a single value and takes no `[ ]`")


def part_by_index(span: Span, name: str, parts: Sequence[str] | None, count: int) -> Diagnostic:
    """`d[0]` of a tuple or a record."""
    letters = ", ".join("abcdefghijklmnopqrstuvwxyz"[:count])
    hint = (
        f"its parts are {listing(f'{name}.{part}' for part in parts)}"
        if parts
        else f"`let ({letters}) = {name}` gives its parts"
    )
    return error("E209", span, f"`{name}` is a single value and takes no `[ ]`", hint)


def needs_index(span: Span, name: str, example: str, everywhere: str = "") -> Diagnostic:
    """`example`: indices of one element; `everywhere`: a statement for all, where they may be meant."""
    called = span.text.startswith(name) and span.text.endswith(")")
    element = f"{name}[{example}]"
    return error(
        "E210",
        span,
        f"`{name}` is a map: say which element",
        f"write `{element}`"
        + ("" if called else " for one of them")
        + (f", `{everywhere}` for all" if everywhere else ""),
        fixes=(replace(span, element, safe=True),) if called else (),
    )


def not_iterable(span: Span, found: object) -> Diagnostic:
    return error(
        "E211",
        span,
        f"nothing to go through: this is of type {found}",
        "go through a type, a range `lo..hi`, a set or a list",
    )


def not_finite(span: Span, what: str, limit: int) -> Diagnostic:
    return error("E212", span, f"{what} is too large: at most {limit:,} values")


def table_too_large(span: Span, what: str, count: int, limit: int, formals: str) -> Diagnostic:
    return error(
        "E212",
        span,
        f"{what} would have {count:,} entries; at most {limit:,} are kept",
        "name its indices and give a formula, which is computed where it is asked for and has no limit: "
        f"`[{formals}] = …`",
    )


def empty_type(span: Span, what: str) -> Diagnostic:
    return error(
        "E213", span, f"{what} has no values", "its bounds may depend on a parameter: lo must not exceed hi"
    )


def empty_subset(span: Span, whole: object) -> Diagnostic:
    return error("E213", span, "this subset has no values", f"no {whole} satisfies its condition")


def not_a_type(span: Span, found: str) -> Diagnostic:
    return error(
        "E214",
        span,
        f"{found} is not a type",
        "a type is `bool`, `lo..hi`, `{a, b}`, `player`, `grid(rows, cols)`, `hex(rows, cols)`, "
        "`{c in T if …}`, `set of T`, `T?`, `A | B`, `(a: T, b: U)` or a declared name",
    )


def not_a_subset(span: Span) -> Diagnostic:
    return error(
        "E240",
        span,
        "a subset names its values and what they are taken from",
        "write `{c in Cell if c.row > 0}`; a choice between two values needs `else`",
    )


def no_subset_of(span: Span, found: object) -> Diagnostic:
    return error(
        "E241",
        span,
        f"there are no subset types of {found}",
        "a subset is taken of a board, of named values, of whole numbers or of a record",
    )


def list_elsewhere(span: Span) -> Diagnostic:
    return error(
        "E242",
        span,
        "only a variable of the position and a `let` hold a list",
        "pass its elements, or read it from the position where it is needed",
    )


def list_as_value(span: Span, name: str) -> Diagnostic:
    return error(
        "E243",
        span,
        f"`{name}` is a list, which is no value of its own",
        f"use what it holds: `count({name})`, `top({name})`, `{name}[0]`, `x in {name}`, `for x in {name}`",
    )


def list_as_domain(span: Span, name: str) -> Diagnostic:
    return error(
        "E243",
        span,
        f"`{name}` is a list: moves and draws choose its elements by their numbers",
        f"choose i from `0..count({name}) - 1` and take `{name}[i]`, or choose from `{{x for x in {name}}}`",
    )


def not_a_list(span: Span, found: str, what: str) -> Diagnostic:
    return error(
        "E244",
        span,
        f"{what} is for a list that a variable or a `let` holds, not for `{found}`",
        "declare it as in `pile: list(10) of Card`",
    )


def always_empty(span: Span, name: str, place: object, longest: int) -> Diagnostic:
    if longest == 0:
        return error("E245", span, f"`{name}` is always empty here")
    return error("E245", span, f"`{name}` never has an element {place}: it has at most {longest} here")


def always_full(span: Span, name: str, longest: int) -> Diagnostic:
    return error("E245", span, f"`{name}` is always full here: it has room for {longest}")


def list_changes(span: Span, name: str, loop: Span) -> Diagnostic:
    return error(
        "E246",
        span,
        f"`{name}` changes while this loop goes through it",
        "go through its numbers, as in `for i in 0..9 if i < count(…)`, or change it behind the loop",
        Label(loop, "the loop"),
    )


def list_too_long(span: Span, name: str, length: int, longest: int) -> Diagnostic:
    return error("E245", span, f"`{name}` has room for {longest}, not for {length}")


def list_only_assigned(span: Span, name: str, op: str, written: str) -> Diagnostic:
    return error("E244", span, f"a list has no `{op}`", f"write `{written}`")


def bag_elsewhere(span: Span, what: str) -> Diagnostic:
    return error(
        "E247",
        span,
        f"a bag is not {what}",
        "variables, `let`s, parameters and records hold bags; `x in bag` and `subsets(bag)` go through one",
    )


def bag_too_wide(span: Span, limit: int) -> Diagnostic:
    return error("E247", span, f"this bag is too large: its counts may take {limit:,} bits at most")


def bag_too_large(span: Span, size: int, longest: int) -> Diagnostic:
    return error("E248", span, f"these are {size}, and the bag has room for {longest}")


def bag_operation(span: Span, op: str) -> Diagnostic:
    return error(
        "E249",
        span,
        f"bags have no `{op}`",
        "`+` adds, `-` takes away; `distinct(bag)` is the set of what is in one",
    )


def subsets_as_value(span: Span) -> Diagnostic:
    return error(
        "E250",
        span,
        "`subsets(…)` stands behind `in`, and is no value",
        "`move keep(kept in subsets(dice))`, or `any(… for s in subsets(open))`",
    )


def subsets_drawn(span: Span) -> Diagnostic:
    return error(
        "E250",
        span,
        "subsets are not drawn",
        "draw their elements one after another, as in `c ~ deck`",
    )


def overlapping_union(span: Span, value: object) -> Diagnostic:
    return error("E215", span, f"the parts of this union overlap: {value} is in two of them")


def not_constant(span: Span, what: str) -> Diagnostic:
    return error(
        "E216",
        span,
        f"{what} must be known when the game is compiled",
        "use numbers, `param`s and `const`s only",
    )


def constant_fault(span: Span, message: str) -> Diagnostic:
    return error("E217", span, f"this constant cannot be computed: {message}")


def untyped_formal(span: Span, name: str) -> Diagnostic:
    return error("E218", span, f"say what `{name}` is", f"write `{name}: T`, for instance `{name}: player`")


def text_here(span: Span) -> Diagnostic:
    return error(
        "E219",
        span,
        "text can be shown, but not computed with",
        "text belongs in `show:` and behind names in `{ }`",
    )


def table_without_index(span: Span, name: str) -> Diagnostic:
    return error(
        "E216",
        span,
        f"a table says what it is indexed by, and `{name}` has no index",
        f"write `{name}[T]` with the type T of the keys, as in `const worth[Piece] = {{pawn: 1, knight: 3}}`",
    )


def list_here(span: Span) -> Diagnostic:
    return error(
        "E220",
        span,
        "a list must be known when the game is compiled; this one depends on the play",
        "use a set: `{…}` or `{… for …}`",
    )


def list_of_loop(span: Span) -> Diagnostic:
    return error(
        "E220",
        span,
        "a list within a list is the same in every round; this one depends on a name that goes round",
        "name the indices of the map and write one entry, `product[i: N, j: N] = i * j`; "
        "or fill it in `initial:`",
    )


def not_a_board(span: Span, what: str, found: object) -> Diagnostic:
    return error(
        "E221",
        span,
        f"{what} needs the cells of a board, not {found}",
        "declare one, such as `type Cell = grid(3, 3)`",
    )


def not_a_call(span: Span) -> Diagnostic:
    return error("E222", span, "only functions can be called")


def not_ordered(span: Span, found: object) -> Diagnostic:
    return error("E223", span, f"values of type {found} have no order", "compare them with `==` or `!=`")


def unknown_keyword(span: Span, name: str, function: str) -> Diagnostic:
    return error("E224", span, f"`{function}` takes no `{name}=`")


def grid_size(span: Span, what: str) -> Diagnostic:
    return error("E225", span, f"{what} needs a number of rows and a number of columns, each from 1 to 1000")


def duplicate_member(span: Span, name: str) -> Diagnostic:
    return error("E226", span, f"`{name}` stands twice among these values")


def duplicate_key(span: Span, name: str) -> Diagnostic:
    return error("E227", span, f"the entry for `{name}` stands twice")


def missing_entries(span: Span, missing: Sequence[str]) -> Diagnostic:
    return error(
        "E228",
        span,
        f"the table has no entry for {listing(missing)}",
        "every index needs one; `else` is not filled in",
    )


def too_much_work(span: Span, limit: int) -> Diagnostic:
    return error(
        "E229",
        span,
        f"the constants of this file take more than {limit:,} steps to compute",
        "make the loops or tables smaller, or make a `def` of it, which is computed where it is asked for",
    )


def not_a_relation(span: Span, name: str) -> Diagnostic:
    return error(
        "E230",
        span,
        f"the last argument of `{name}` must name a relation",
        "declare one, such as `def free(a: Cell, b: Cell): b in neighbours(a)`, and write `free`",
    )


def no_relation(span: Span, declared: Span, name: str) -> Diagnostic:
    return error(
        "E230",
        span,
        f"`{name}` does not say where a step leads",
        "a relation is true or false and takes the two ends of a step first, both of one type",
        Label(declared, "declared here"),
    )


# ------------------------------------------------------------------ E3: numbers and ranges


def never_in_range(span: Span, what: str, value: str, wanted: object) -> Diagnostic:
    return error("E301", span, f"{what} must be within {wanted}, and {value} never is")


def fraction_for_whole(span: Span, what: str, wanted: object) -> Diagnostic:
    return error(
        "E302",
        span,
        f"{what} must be a whole number within {wanted}; this may be a fraction",
        "`div` divides and rounds down",
    )


def zero_divisor(span: Span) -> Diagnostic:
    return error("E303", span, "this divides by zero")


def too_large_number(span: Span) -> Diagnostic:
    return error(
        "E304", span, "this number can grow beyond 63 bits", "bound it with `min`, or use smaller ranges"
    )


def bad_exponent(span: Span, most: int) -> Diagnostic:
    return error(
        "E305",
        span,
        f"an exponent must be a whole number from 0 to {most}",
        "narrow it by a test, or by `min` and `max`",
    )
