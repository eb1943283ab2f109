"""What is written out of habit, from other languages or from rules on paper, and how it is written here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic
from gdl.diagnostics.fixes import Edit, Fix, insert, replace
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error

# ------------------------------------------------------------------ S1: shapes of a line


def missing_type(span: Span, name: str, type_: str | None, value: str) -> Diagnostic:
    """`over = false` in `position:`; `type_` if the value tells it."""
    return error(
        "S121",
        span,
        f"`{name}` needs a type: the position is a finite set of values",
        f"write `{name}: {type_ or 'T'} = {value}`"
        + ("" if type_ else " with a type T, such as `bool`, `0..9`, `player` or one that `type` declares"),
        fixes=(insert(span, f": {type_}"),) if type_ else (),
    )


def open_range(span: Span, end: str | None) -> Diagnostic:
    """`0..` without an end; `end` if the line suggests one."""
    return error(
        "S122",
        span,
        "this range has no end: every type is finite",
        f"write its largest value too, as in `{span.text}{end or 100}`",
        fixes=(insert(span, end or "100"),),
    )


def start_behind_visible(span: Span, start: str, visible: str) -> Diagnostic:
    """`card: 0..3 visible to bob = 0`."""
    ordered = f"{start} {visible}"
    return error(
        "S126",
        span,
        "what a variable starts with stands before who sees it",
        f"write `{ordered}`",
        fixes=(replace(span, ordered, safe=True),),
    )


def conditional_order(span: Span, test: str, yes: str, no: str | None) -> Diagnostic:
    """`c ? a : b`, `if c then a else b`, `if c: a else: b` where a value is wanted."""
    written = f"{yes} if {test} else {no or '…'}"
    return error(
        "S123",
        span,
        "a value that depends on a condition is written `a if condition else b`",
        f"write `{written}`",
        fixes=(replace(span, written, safe=True),) if no else (),
    )


def players_for_player(span: Span, keyword: Span, declared: bool) -> Diagnostic:
    """`player: first, second`."""
    return error(
        "S124",
        span,
        "`player:` says whose turn it is, and that is one player; `players:` names them all",
        "write `player: turn` with a variable `turn: player = …`" if declared else "write `players:`",
        fixes=() if declared else (replace(keyword, "players", safe=True),),
    )


def then_for_colon(span: Span) -> Diagnostic:
    return error(
        "S104",
        span,
        "`then` is not part of the language",
        "write `:`",
        fixes=(replace(span, ":", safe=True),),
    )


def else_behind(span: Span, gap: Span, indent: str) -> Diagnostic:
    return error(
        "S104",
        span,
        "`else:` stands on a line of its own",
        "write it below the `if`",
        fixes=(replace(gap, f"\n{indent}", safe=True),),
    )


def unequal_sign(span: Span) -> Diagnostic:
    return error(
        "S110",
        span,
        f"`{span.text}` is not part of the language; what differs is tested by `!=`",
        "write `!=`",
        fixes=(replace(span, "!=", safe=True),),
    )


def filter_word(span: Span) -> Diagnostic:
    return error(
        "S104",
        span,
        f"what `for` goes through is filtered by `if`, not by `{span.text}`",
        "write `if`",
        fixes=(replace(span, "if", safe=True),),
    )


def text_prefix(span: Span) -> Diagnostic:
    return error(
        "S104",
        span,
        f"`{span.text}` before a text is not part of the language: what stands in {{ }} is always computed",
        f'write `"…"` without `{span.text}`',
        fixes=(replace(span, "", safe=True),),
    )


def no_moves_as_words(span: Span) -> Diagnostic:
    return error(
        "S104",
        span,
        "whether no move is legal is asked by `stuck`",
        "write `stuck`; or say what the end without moves pays, as in `stuck: -1`",
        fixes=(replace(span, "stuck", safe=True),),
    )


def range_sign(span: Span) -> Diagnostic:
    """`1 to 3`, `1...3`."""
    sign = span.text.strip()
    return error(
        "S110",
        span,
        f"a range is written with `..`, not `{sign}`",
        "write `..`",
        fixes=(replace(span, ".."),),
    )


def draw_sign(span: Span) -> Diagnostic:
    return error(
        "S110",
        span,
        f"`{span.text}` is not part of the language; a draw is written `~`",
        "write `~`",
        fixes=(replace(span, "~", safe=True),),
    )


def bad_name(span: Span, name: str) -> Diagnostic:
    """A name of several words, or with signs in it."""
    return error(
        "S116",
        span,
        f"`{span.text}` is no name: names consist of letters, digits and `_`",
        f"write `{name}`",
        fixes=(replace(span, name, safe=True),),
    )


def players_by_number(span: Span) -> Diagnostic:
    count = int(span.text) if span.text.isdigit() and 1 <= int(span.text) <= 64 else 2
    names = ", ".join(["first", "second"][:count] if count <= 2 else [f"p{i}" for i in range(1, count + 1)])
    return error(
        "S116",
        span,
        "players are given by their names, not by their number",
        f"write `players: {names}`",
        fixes=(replace(span, names),),
    )


def players_in_quotes(span: Span, names: Sequence[str]) -> Diagnostic:
    written = ", ".join(names)
    return error(
        "S116",
        span,
        "names of players stand without quotes",
        f"write `players: {written}`",
        fixes=(replace(span, written, safe=True),),
    )


def players_below(span: Span, behind: Span, names: Sequence[str]) -> Diagnostic:
    """`players:` and a block of names; `behind` begins with the colon."""
    written = ", ".join(names)
    return error(
        "S116",
        span,
        "the players are named in one line",
        f"write `players: {written}`",
        fixes=(replace(behind, f": {written}"),),
    )


def values_in_braces(span: Span) -> Diagnostic:
    """`type C = red, blue`."""
    return error(
        "S114",
        span,
        "the values of a type stand in braces",
        f"write `{{{span.text}}}`",
        fixes=(replace(span, f"{{{span.text}}}", safe=True),),
    )


def colon_of_type(span: Span) -> Diagnostic:
    return error(
        "S101",
        span,
        "what a type is follows a `=`, not a `:`",
        "write `=`",
        fixes=(replace(span, " =", safe=True),),
    )


def guard_word(span: Span) -> Diagnostic:
    return error(
        "S104",
        span,
        f"when a move is legal is said by `when`, not by `{span.text}`",
        "write `when`",
        fixes=(replace(span, "when", safe=True),),
    )


def return_without_value(span: Span) -> Diagnostic:
    return error(
        "S107",
        span,
        "a move or an effect is not left by `return`: it ends with its last statement",
        "write what shall not happen then into the `else:` of an `if`",
    )


def part_by_number(span: Span, base: str) -> Diagnostic:
    """`d.0`."""
    return error(
        "S116",
        span,
        "parts have names, not numbers",
        f"`let (a, b) = {base}` gives the parts of a pair; those of a record are `.name`",
    )


def list_as_type(span: Span, kind: str, element: str) -> Diagnostic:
    other = f"set of {element}" if kind == "bag" else f"bag(10) of {element}"
    unlike = "where none is there twice it is a" if kind == "bag" else "without an order it is a"
    return error(
        "S125",
        span,
        f"the position is finite: it holds no {kind} of any size",
        f"say how much it may hold, as in `{kind}(10) of {element}`; {unlike} `{other}`",
        fixes=(replace(span, f"{kind}(10) of"),),
    )


def argument_by_colon(span: Span, called: str, parts: Sequence[tuple[str, str]]) -> Diagnostic:
    """`Bid(count: m, face: f)`; `span` is what stands in the brackets."""
    written = _by_name(parts)
    return error(
        "S127",
        span,
        "an argument is named with `=`, not with `:`",
        f"write `{called}({written})`",
        fixes=(replace(span, written, safe=True),),
    )


def record_by_colon(span: Span, parts: Sequence[tuple[str, str]]) -> Diagnostic:
    """`(owner: turn, kind: k)` where a value is wanted; `span` does without the closing bracket."""
    values = ", ".join(value for _, value in parts) + ("," if len(parts) == 1 else "")
    return error(
        "S127",
        span,
        "`(name: T)` is a type; a record of that type is written with the values alone",
        f"write `({values})`, or `T({_by_name(parts)})` with the name T of its type",
        fixes=(replace(span, f"({values}"),),
    )


def record_in_braces(span: Span, parts: Sequence[tuple[str, str]], type_: str | None) -> Diagnostic:
    """`{count: m, face: f}`; `type_` is the record's, if it has a name."""
    values = ", ".join(value for _, value in parts) + ("," if len(parts) == 1 else "")
    written = f"{type_}({_by_name(parts)})" if type_ else f"({values})"
    return error(
        "S127",
        span,
        "`{key: value}` is a table; a record stands in ( )",
        f"write `{written}`",
        fixes=(replace(span, written),),
    )


def _by_name(parts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parts)


# ------------------------------------------------------------------ S0: characters

_CHARACTERS = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "→": "->",
    "∈": "in",
    "∉": "not in",
    "∪": "|",
    "∩": "&",
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "∞": "1000",
    "…": "..",
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": '"',
    "’": '"',
    "«": '"',
    "»": '"',
    "＝": "=",
    "\u00a0": " ",
}

QUOTES = frozenset(sign for sign, meant in _CHARACTERS.items() if meant == '"')
"""Quotation marks as word processors set them."""


def meant_by(character: str) -> str | None:
    """What a character that typographers use is written as here."""
    return _CHARACTERS.get(character)


def typographic(span: Span, meant: str) -> Diagnostic:
    called = "this space" if meant == " " else f"`{span.text}`"
    return error(
        "S015",
        span,
        f"{called} is written `{meant}`",
        f"write `{meant}`",
        fixes=(replace(span, meant, safe=meant != "1000"),),
    )


def percent(span: Span, fraction: str) -> Diagnostic:
    """`50%`."""
    return error(
        "S014",
        span,
        f"a probability is a fraction: `{span.text}` is {fraction}",
        f"write `{fraction}`",
        fixes=(replace(span, fraction, safe=True),),
    )


# ------------------------------------------------------------------ E: values and names


def draw_for_value(span: Span, target: str, domain: str, sign: Span | None = None) -> Diagnostic:
    """`face = random(1, 6)`, `face = 1..6`: chance is written `~`. `span` covers the whole statement."""
    written = f"{target} ~ {domain}"
    return error(
        "E102",
        sign or span,
        "a random value is drawn with `~`",
        f"write `{written}`",
        fixes=(replace(span, written, title=f"write `{written}`"),),
    )


def method(span: Span, written: str | None, statement: bool = False) -> Diagnostic:
    """`gone.add(n)`, `turn.next()`: values have no methods."""
    return error(
        "E222",
        span,
        "only functions can be called; values have no methods",
        f"write `{written}`"
        if written
        else "a statement assigns (`x = 1`, `s += {a}`) or performs an effect"
        if statement
        else "write `f(x)` for a function f",
        fixes=(replace(span, written),) if written else (),
    )


def method_of_map(span: Span, element: str) -> Diagnostic:
    """`v.append(2)` of a map: it has its elements from the start."""
    return error(
        "E222",
        span,
        "only functions can be called; values have no methods",
        f"a map has one element for each index: write `{element}`; what grows is a `list(10) of T`",
    )


def comparison_as_statement(span: Span, sign: Span) -> Diagnostic:
    return error(
        "E611",
        span,
        "`==` compares and changes nothing; `=` gives a value",
        "write `=`",
        fixes=(replace(sign, "=", safe=True),),
    )


def text_for_name(span: Span, name: str) -> Diagnostic:
    return error(
        "E219",
        span,
        "names of values stand without quotes",
        f"write `{name}`",
        fixes=(replace(span, name, safe=True),),
    )


def text_joined(span: Span, written: str) -> Diagnostic:
    return error(
        "E219",
        span,
        "texts are not added: what stands in { } inside a text is computed",
        f"write `{written}`",
        fixes=(replace(span, written),),
    )


def value_behind_is(span: Span, test: Span, value: str, negated: bool) -> Diagnostic:
    sign = "!=" if negated else "=="
    left = test.text
    return error(
        "E107",
        span,
        f"`is` asks for a type, and `{value}` is a value",
        f"write `{left} {sign} {value}`",
        fixes=(
            replace(
                Span(test.source, test.end, span.end), f" {sign} {value}", safe=True, title=f"write `{sign}`"
            ),
        ),
    )


def element_for_set(span: Span, name: str) -> Diagnostic:
    return error(
        "E201",
        span,
        f"`{name}` is a set: what is added or taken away is a set too",
        f"write `{{{span.text}}}`",
        fixes=(replace(span, f"{{{span.text}}}", safe=True),),
    )


def utilities_listed(span: Span, section: Span | None, keyword: str, written: str | None) -> Diagnostic:
    """`utility: {first: 1, second: -1}`; `section` covers `utility:` and its body."""
    fixes = (replace(section, f"{keyword}(p): {written}"),) if section and written else ()
    return error(
        "E216",
        span,
        f"`{keyword}:` is one number; what each player gets is written `{keyword}(p):`",
        f"write `{keyword}(p): {written or '…'}` for the number of player p",
        fixes=fixes,
    )


def condition_for_number(span: Span, what: str, no: int) -> Diagnostic:
    test = f"({span.text})" if " if " in span.text else span.text
    written = f"1 if {test} else {no}"
    return error(
        "E207",
        span,
        f"{what} must be a number, not true or false",
        f"write `{written}`",
        fixes=(replace(span, written),),
    )


def player_for_utility(span: Span) -> Diagnostic:
    """`utility: second`."""
    return error(
        "E207",
        span,
        "`utility:` must be a number, not a player",
        f"write `utility(p): 1 if p == {span.text} else -1`: what each player p gets",
    )


def part_of_the_position(span: Span, name: str) -> Diagnostic:
    """`self.stones -= 1`."""
    return error(
        "E102",
        span,
        "variables of the position stand by themselves",
        f"write `{name}`",
        fixes=(replace(span, name, safe=True),),
    )


def range_in_brackets(span: Span, inside: str) -> Diagnostic:
    """`stones in [0..5]`."""
    return error(
        "E201",
        span,
        "a range is the set of its numbers by itself; in [ ] it is a list of one set",
        f"write `{inside}`",
        fixes=(replace(span, inside, safe=True),),
    )


def empty_set(span: Span, tested: str, negated: bool) -> Diagnostic:
    """`gone == 0`, `gone is empty`."""
    written = f"{tested} {'!=' if negated else '=='} {{}}"
    return error(
        "E204",
        span,
        f"`{tested}` is a set, and the empty one is `{{}}`",
        f"write `{written}`",
        fixes=(replace(span, written),),
    )


def player_for_condition(span: Span) -> Diagnostic:
    return error(
        "E206",
        span,
        "a condition is true or false; this is a player",
        f"the other player is `next({span.text})`; a test is written `{span.text} == …`",
    )


def range_for_parameter(span: Span, declared: Span, name: str, low: str) -> Diagnostic:
    return error(
        "E201",
        span,
        f"the parameter `{name}` must have one value; what it may be stands before the `=`",
        f"write `param {name}: {span.text} = {low}`",
        fixes=(
            Fix(
                f"write `{name}: {span.text} = {low}`",
                (Edit(Span(span.source, declared.end, declared.end), f": {span.text}"), Edit(span, low)),
            ),
        ),
    )


def colon_for_choice(span: Span, gap: Span, name: str) -> Diagnostic:
    """`k: 0..n` with a position's or a parameter's n."""
    return error(
        "E214",
        span,
        f"`{span.text}` is no type but a choice, which the position or other parameters may decide",
        f"write `{name} in {span.text}`",
        fixes=(replace(gap, " in ", safe=True),),
    )


def range_as_type(span: Span, found: str, written: str) -> Diagnostic:
    """`1-3`, `[0..3]`, `range(1, 4)` where a type is wanted."""
    return error(
        "E214",
        span,
        f"{found} is not a type; a range is written `lo..hi`",
        f"write `{written}`",
        fixes=(replace(span, written),),
    )


def percentages(span: Span, value: object, others: Sequence[Span], total: object) -> Diagnostic:
    """Probabilities such as `50`; `others` are all of them, which sum to `total`."""
    edits = tuple(Edit(other, f"{_operand(other.text)}/{total}") for other in others)
    return error(
        "E403",
        span,
        f"a probability is never above 1, but this is {value}",
        f"write fractions of 1, here `{_operand(span.text)}/{total}`",
        fixes=(Fix(f"divide each by {total}", edits),),
    )


def _operand(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else f"({text})"
