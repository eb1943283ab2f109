"""The wording of mistakes in the text: one function per code. Checking code decides, this file says.

Codes are permanent: S syntax, E errors found by the checker, W warnings, O what is left to the engines.
The essay for each code (`gdl explain CODE`) is in `gdl/diagnostics/essays/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fractions import Fraction

from gdl.diagnostics.core import Diagnostic, Label, Severity
from gdl.diagnostics.source import Span


def _error(code: str, span: Span | None, message: str, hint: str | None = None, *labels: Label) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, labels, hint)


def _warning(code: str, span: Span, message: str, hint: str | None = None, *labels: Label) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, message, span, labels, hint)


def _left_open(code: str, span: Span, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.NOTE, message, span, (), hint)


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that the author may have meant."""
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
    return _error("S002", None, f"{name} is not a text file: byte {offset} is not UTF-8", "save the file as UTF-8")


def empty_file(span: Span) -> Diagnostic:
    return _error("S003", span, "the file describes no game", "`gdl new NAME` writes a file to start from")


def file_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return _error("S004", span, f"the file has {length:,} characters; at most {limit:,} are read")


def line_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return _error("S005", span, f"this line has {length:,} characters; at most {limit:,} are read",
                  "lines continue inside brackets: break it up")


def nested_too_deeply(span: Span) -> Diagnostic:
    return _error("S006", span, "this is nested too deeply", "name the inner parts with `def` or `let`")


def tab_in_indentation(span: Span) -> Diagnostic:
    return _error("S007", span, "the indentation contains a tab", "indent with spaces, four a level; `gdl fmt` does it")


def uneven_indentation(span: Span, width: int, levels: Sequence[int]) -> Diagnostic:
    known = ", ".join(str(level) for level in levels)
    return _error("S008", span, f"this line is indented by {width}, but the open blocks are indented by {known}",
                  "line it up with the block it belongs to")


def never_closed(span: Span, closing: str) -> Diagnostic:
    return _error("S009", span, f"this `{span.text}` is never closed", f"add the missing `{closing}`")


def never_opened(span: Span, opening: str) -> Diagnostic:
    return _error("S010", span, f"this `{span.text}` closes nothing: no `{opening}` is open")


def wrong_bracket(span: Span, opened: Span, closing: str) -> Diagnostic:
    return _error("S011", span, f"`{span.text}` does not close `{opened.text}`", f"write `{closing}` here",
                  Label(opened, "opened here"))


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


def equals_for_test(span: Span) -> Diagnostic:
    return _error("S102", span, "`=` gives a value; a test is written `==`", "write `==`")


def missing_body(span: Span, what: str) -> Diagnostic:
    return _error("S103", span, f"{what} has no body", "indent its statements below it; `pass` does nothing")


def python_word(span: Span, word: str, instead: str) -> Diagnostic:
    return _error("S104", span, f"`{word}` is not part of the language", f"write `{instead}`")


def unexpected_indent(span: Span) -> Diagnostic:
    return _error("S105", span, "this line is indented, but no block is open",
                  "a block opens after a line that ends with `:`")


def unknown_item(span: Span, word: str, known: Sequence[str]) -> Diagnostic:
    match = near(word, known)
    hint = f"did you mean `{match}`?" if match else f"a line without indentation starts with {listing(known, 'or', 30)}"
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
    return _error("S112", span, "`for` inside an expression stands in `any( )`, `all( )`, `[ ]`, `{ }` or the like")


def bad_interpolation(span: Span) -> Diagnostic:
    return _error("S113", span, "the braces in this text do not match", "write `{expression}`, and `{{` for a brace")


def missing_comma(span: Span) -> Diagnostic:
    return _error("S114", span, f"`{span.text}` follows without a comma or an operator", "is a `,` missing before it?")


def square_for_call(span: Span) -> Diagnostic:
    return _error("S115", span, "two operators stand next to each other")


def missing_name(span: Span, what: str) -> Diagnostic:
    return _error("S116", span, f"{what} needs a name, and `{span.text}` is none")
