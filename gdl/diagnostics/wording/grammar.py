"""S1: text that does not follow the grammar."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic
from gdl.diagnostics.fixes import insert, replace
from gdl.diagnostics.fixes import word as spaced
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error, guesses, listing, near

_STATEMENTS = {
    "reward": "`reward e`",
    "chance": "`chance:`",
    "if": "`if condition:`",
    "for": "`for x in …:`",
    "let": "`let x = e`",
}
"""How statements begin that are easily taken for parts of a game."""


def missing_colon(span: Span, header: str) -> Diagnostic:
    return error(
        "S101",
        span,
        f"`{header}` needs a `:` before its body",
        "add `:` at the end of the line",
        fixes=(insert(span, ":", safe=True),),
    )


def equals_for_colon(span: Span, header: str) -> Diagnostic:
    return error(
        "S101",
        span,
        f"the body of `{header}` follows a `:`, not a `=`",
        "write `:`",
        fixes=(replace(span, ":", safe=True),),
    )


def equals_for_test(span: Span) -> Diagnostic:
    return error(
        "S102", span, "`=` gives a value; a test is written `==`", "write `==`", fixes=(replace(span, "=="),)
    )


def missing_body(span: Span, what: str) -> Diagnostic:
    return error("S103", span, f"{what} has no body", "indent its statements below it; `pass` does nothing")


def python_word(span: Span, word: str, instead: str) -> Diagnostic:
    fixes = (replace(span, instead, safe=True),) if word in ("elseif", "elsif", "xor") else ()
    return error("S104", span, f"`{word}` is not part of the language", f"write `{instead}`", fixes=fixes)


def while_without_bound(span: Span) -> Diagnostic:
    return error(
        "S120",
        span,
        "a `while` says how often it goes round at most",
        f"write `{span.text} at most 10:`; if the condition still holds then, it is a fault",
        fixes=(insert(span, " at most 10"),),
    )


def unexpected_indent(span: Span) -> Diagnostic:
    return error(
        "S105",
        span,
        "this line is indented, but no block is open",
        "a block opens after a line that ends with `:`",
    )


_SECTIONS = {
    "state": "position",
    "states": "position",
    "variables": "position",
    "vars": "position",
    "var": "position",
    "action": "move",
    "actions": "move",
    "moves": "move",
    "rule": "move",
    "turn": "player",
    "start": "initial",
    "init": "initial",
    "setup": "initial",
    "end": "terminal",
    "ends": "terminal",
    "over": "terminal",
    "payoff": "utility",
    "payoffs": "utility",
    "result": "utility",
    "score": "utility",
    "win": "utility",
    "wins": "utility",
    "winner": "utility",
    "function": "def",
    "func": "def",
    "fn": "def",
    "procedure": "effect",
    "constant": "const",
    "parameter": "param",
    "import": "use",
    "include": "use",
    "enum": "type",
    "class": "type",
    "display": "show",
    "print": "show",
    "heuristic": "evaluate",
    "assert": "expect",
    "test": "expect",
    "strategy": "policy",
    "agent": "policy",
    "name": "game",
    "title": "game",
}
"""What the parts of a game are called elsewhere."""


def unknown_item(span: Span, word: str, known: Sequence[str]) -> Diagnostic:
    if word in _SECTIONS:
        instead = _SECTIONS[word]
        hint = f"write `{instead}`"
        return error(
            "S106", span, f"`{word}` starts no part of a game", hint, fixes=(replace(span, instead),)
        )
    match = near(word, known)
    hint = (
        f"{_STATEMENTS[word]} stands in a move or an effect, indented below it"
        if word in _STATEMENTS
        else f"did you mean `{match}`?"
        if match
        else f"a line without indentation starts with {listing(known, 'or', 30)}"
    )
    return error("S106", span, f"`{word}` starts no part of a game", hint, fixes=guesses(span, word, known))


def unexpected(span: Span, found: str, expected: Sequence[str]) -> Diagnostic:
    if not expected:
        wanted = ""
    elif len(expected) == 1:
        wanted = f"; expected {expected[0]}"
    else:
        wanted = f"; expected {', '.join(expected[:-1])} or {expected[-1]}"
    return error("S100", span, f"{found} cannot stand here{wanted}")


def unexpected_end(span: Span, expected: Sequence[str]) -> Diagnostic:
    wanted = f"; expected {' or '.join(expected)}" if expected else ""
    return error("S107", span, f"the line ends too early{wanted}")


def missing_else(span: Span) -> Diagnostic:
    return error("S108", span, "a conditional expression needs its `else`", "write `a if condition else b`")


def else_if(span: Span) -> Diagnostic:
    return error(
        "S109", span, "`else if` is written `elif`", "write `elif`", fixes=(replace(span, "elif", safe=True),)
    )


def increment_operator(span: Span) -> Diagnostic:
    return error(
        "S110",
        span,
        f"`{span.text}` is not part of the language",
        f"write `{span.text[0]}= 1`",
        fixes=(spaced(span, f"{span.text[0]}= 1", safe=True),),
    )


def compound_assignment(span: Span, target: str) -> Diagnostic:
    operator = span.text.removesuffix("=").strip()
    return error(
        "S110",
        span,
        f"`{span.text}` is not part of the language; `+=`, `-=` and `*=` are",
        f"write `{target} = {target} {operator} …`",
        fixes=(spaced(span, f"= {target} {operator}"),),
    )


def continued_line(span: Span, word: str) -> Diagnostic:
    return error(
        "S119",
        span,
        "a line goes on only inside brackets",
        f"write `{word} …` behind the line above, or put what is long into ( )"
        if word
        else "put what is long into ( )",
    )


def colon_assign(span: Span) -> Diagnostic:
    return error(
        "S111",
        span,
        "`:=` is not part of the language",
        "write `=`",
        fixes=(replace(span, "=", safe=True),),
    )


def missing_parenthesis_for(span: Span) -> Diagnostic:
    return error(
        "S112", span, "`for` inside an expression stands in `any( )`, `all( )`, `[ ]`, `{ }` or the like"
    )


def second_for(span: Span) -> Diagnostic:
    return error(
        "S112",
        span,
        "one `for` binds all names of a comprehension",
        "write `for x in A, y in B if condition`",
    )


def bad_interpolation(span: Span) -> Diagnostic:
    return error(
        "S113", span, "the braces in this text do not match", "write `{expression}`, and `{{` for a brace"
    )


def missing_comma(span: Span) -> Diagnostic:
    return error(
        "S114",
        span,
        f"`{span.text}` follows without a comma or an operator",
        "is a `,` missing before it?",
        fixes=(replace(span, f", {span.text}"),),
    )


def missing_brackets(span: Span, function: str) -> Diagnostic:
    """`next turn`: a function of the library without the brackets around its argument."""
    argument = span.text.removeprefix(function).strip()
    return error(
        "S114",
        span,
        f"`{function}` takes what it is about in brackets",
        f"write `{function}({argument})`",
        fixes=(replace(span, f"{function}({argument})", safe=True),),
    )


def in_for_colon(span: Span, name: str) -> Diagnostic:
    return error(
        "S117",
        span,
        "an index is named with `:`, not with `in`",
        f"write `{name}: T` with a type T, such as `0..3`, `player` or one that `type` declares",
    )


def type_in_expression(span: Span) -> Diagnostic:
    return error(
        "S118",
        span,
        "a type that is used in an expression needs a name",
        "declare it first, as in `type Hand = set of Card`, and write `Hand` here",
    )


def missing_name(span: Span, what: str) -> Diagnostic:
    return error("S116", span, f"{what} needs a name, and `{span.text}` is none")


def path_for_name(span: Span, word: str) -> Diagnostic:
    example = "use cards" if word == "use" else "game misere from tictactoe"
    return error(
        "S140",
        span,
        "what a game borrows is named by one word, without folder, ending or quotes",
        f"write for instance `{example}`; it is read from this folder, or comes with the program",
    )
