"""S0: the text itself, before any grammar."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.fixes import Fix, insert, replace, word
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error


def cannot_read(name: str, reason: str) -> Diagnostic:
    return error("S001", None, f"cannot read {name}: {reason}")


def not_text(name: str, offset: int) -> Diagnostic:
    return error(
        "S002", None, f"{name} is not a text file: byte {offset} is not UTF-8", "save the file as UTF-8"
    )


def empty_file(span: Span) -> Diagnostic:
    return error("S003", span, "the file describes no game", "`gdl new NAME` writes a file to start from")


def file_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return error("S004", span, f"the file has {length:,} characters; at most {limit:,} are read")


def line_too_long(span: Span, length: int, limit: int) -> Diagnostic:
    return error(
        "S005",
        span,
        f"this line has {length:,} characters; at most {limit:,} are read",
        "lines continue inside brackets: break it up",
    )


def nested_too_deeply(span: Span) -> Diagnostic:
    return error("S006", span, "this is nested too deeply", "name the inner parts with `def` or `let`")


def tab_in_indentation(span: Span) -> Diagnostic:
    return error(
        "S007",
        span,
        "the indentation contains a tab",
        "indent with spaces, four a level; `gdl fmt` does it where the width of the tabs does not matter",
        fixes=(replace(span, span.text.expandtabs(4), title="indent with spaces"),),
    )


def tab_of_unclear_width(span: Span) -> Diagnostic:
    return error(
        "S007",
        span,
        "what belongs to which block depends on how wide this tab is",
        "indent this block with spaces yourself, four a level",
    )


def uneven_indentation(span: Span, width: int, levels: Sequence[int]) -> Diagnostic:
    """`levels` are those of the blocks that were open above, the innermost last."""
    known = ", ".join(str(level) for level in levels)
    inside, outside = (next(level for level in levels if level > width), max(x for x in levels if x < width))
    blank = Span(span.source, span.start, span.start + width)
    return error(
        "S008",
        span,
        f"this line is indented by {width}, but the blocks above are indented by {known}",
        f"indent it by {inside} if it goes on with that block, or by {outside}",
        fixes=tuple(
            replace(blank, " " * level, title=f"indent it by {level}") for level in (inside, outside)
        ),
    )


def never_closed(span: Span, closing: str) -> Diagnostic:
    return error("S009", span, f"this `{span.text}` is never closed", f"add the missing `{closing}`")


def never_opened(span: Span, opening: str) -> Diagnostic:
    return error(
        "S010",
        span,
        f"this `{span.text}` closes nothing: no `{opening}` is open",
        fixes=(replace(span, ""),),
    )


def wrong_bracket(span: Span, opened: Span, closing: str) -> Diagnostic:
    return error(
        "S011",
        span,
        f"`{span.text}` does not close `{opened.text}`",
        f"write `{closing}` here",
        Label(opened, "opened here"),
        fixes=(replace(span, closing),),
    )


def unfinished_string(span: Span, quote: str) -> Diagnostic:
    return error("S012", span, f"this text is not closed with {quote}", fixes=(insert(span, quote),))


def bad_number(span: Span) -> Diagnostic:
    return error("S013", span, f"`{span.text}` is neither a number nor a name", "names start with a letter")


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
    return error("S014", span, message, hint, fixes=_foreign_fixes(span, symbol))


_WORDS = {"&&": "and", "||": "or", "!": "not", "%": "mod", "^": "**"}


def _foreign_fixes(span: Span, symbol: str) -> tuple[Fix, ...]:
    line_ends = not span.source.text[span.end :].partition("\n")[0].strip()
    if symbol in _WORDS:
        return (word(span, _WORDS[symbol], safe=True),)
    if symbol == "'" and len(span.text) > 1 and '"' not in span.text:
        return (replace(span, f'"{span.text[1:-1]}"', safe=True),)
    if symbol == ";" and line_ends:
        return (replace(span, "", safe=True),)
    if symbol == "//":
        return (word(span, "div"), replace(span, "#"))
    return ()


def unknown_character(span: Span) -> Diagnostic:
    character = span.text[0] if span.text else ""
    name = f"U+{ord(character):04X}" if not character.isprintable() else f"`{character}`"
    return error("S015", span, f"the character {name} means nothing here")
