"""Shapes of a line that do not parse but are written out of habit: what was meant, and how it is written.

Each function knows one habit: from the token at which the parser stopped to a diagnostic, or None.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gdl.diagnostics import Diagnostic, Source, Span
from gdl.diagnostics import wording as say
from gdl.syntax.tokens import Token

_LAYOUT = ("_NEWLINE", "_INDENT", "_DEDENT")
_NAMED = frozenset("game move def effect policy type param feature const".split())
_OF_A_PLAYER = frozenset("utility minimise moves stuck endless evaluate show".split())
"""Words behind which brackets hold no arguments but a name for the player."""
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the parser stopped: at tokens[at], which belongs to `line`."""

    source: Source
    tokens: list[Token]
    at: int
    line: list[Token]

    @property
    def found(self) -> Token:
        return self.tokens[self.at]

    def token(self, offset: int) -> Token | None:
        """A neighbour on the same line."""
        number = self.at + offset
        if not 0 <= number < len(self.tokens) or self.tokens[number].kind in _LAYOUT:
            return None
        return self.tokens[number]

    def text(self, offset: int) -> str:
        token = self.token(offset)
        return token.text if token else ""

    def span(self, first: Token, last: Token) -> Span:
        return Span(self.source, first.start, last.end)

    def before(self) -> list[Token]:
        """The tokens of the line that come before."""
        return self.line[: self.line.index(self.found)]


def habit(source: Source, tokens: list[Token], at: int, line: list[Token]) -> Diagnostic | None:
    """The diagnostic of the first habit that explains why the parser stopped here."""
    place = Place(source, tokens, at, line)
    return next((found for look in _HABITS if (found := look(place)) is not None), None)


# -------------------------------------------------------------- declarations


def _no_type(place: Place) -> Diagnostic | None:
    """`over = false` in `position:`."""
    head = place.before()
    if place.found.text != "=" or place.tokens[0].text != "position" or not head:
        return None
    if head[0].kind != "NAME" or any(token.text == ":" for token in head):
        return None
    if len(head) > 1 and (head[1].text != "[" or head[-1].text != "]"):
        return None
    value = _rest(place, 1)
    if value is None:
        return None
    declared = place.span(head[0], head[-1])
    return say.missing_type(declared, declared.text, _likely_type(place.source, value.text), value.text)


def _likely_type(source: Source, value: str) -> str | None:
    if value in ("true", "false", "True", "False"):
        return "bool"
    if value.isdigit():
        return f"0..{max(9, int(value))}"
    players = re.search(r"^players:(.*)$", source.text, re.MULTILINE)
    return "player" if players and value in re.findall(r"\w+", players[1]) else None


def _no_end(place: Place) -> Diagnostic | None:
    """`stones: 0.. = start`."""
    low, dots = place.token(-2), place.token(-1)
    if dots is None or dots.text != ".." or low is None or place.found.text == ".":
        return None
    if place.found.text not in ("=", ",", ")", "]", ":", "\n", "visible", "when", "|", "?"):
        return None
    default = _rest(place, 1) if place.found.text == "=" else None
    end = default.text if default and re.fullmatch(r"\w+", default.text) and default.text != "0" else None
    return say.open_range(place.span(low, dots), end)


def _start_last(place: Place) -> Diagnostic | None:
    """`card: 0..3 visible to bob = 0`."""
    words = [token.text for token in place.before()]
    start = _rest(place, 0)
    if place.found.text != "=" or "visible" not in words or ":" not in words or start is None:
        return None
    visible = place.line[words.index("visible")]
    seen = place.span(visible, place.tokens[place.at - 1])
    if words[words.index("visible") + 1 : words.index("visible") + 2] != ["to"] or place.text(1) in ("", "="):
        return None
    return say.start_behind_visible(Span(place.source, seen.start, start.end), start.text, seen.text)


def _bad_name(place: Place) -> Diagnostic | None:
    """`game take-away`, `move pick-up:`, `game Take Away`."""
    head = place.before()
    if len(head) < 2 or head[0].text not in _NAMED or place.at != 2 or head[1].kind != "NAME":
        return None
    words = [head[1]]
    for token in place.tokens[2:]:
        if token.kind not in ("NAME", "NUMBER") and token.text not in ("-", "+", "."):
            break
        if place.found.text != "-" and head[0].text != "game":
            break
        words.append(token)
    while words and words[-1].kind not in ("NAME", "NUMBER"):
        words.pop()
    if len(words) < 2:
        return None
    span = place.span(words[0], words[-1])
    return say.bad_name(span, re.sub(r"\W+", "_", span.text))


def _numbered_players(place: Place) -> Diagnostic | None:
    """`players: 2`."""
    if place.tokens[0].text != "players" or place.found.kind != "NUMBER" or place.at != 2:
        return None
    return say.players_by_number(place.span(place.found, place.found))


def _players(place: Place) -> Diagnostic | None:
    """`player: first, second`."""
    if place.tokens[0].text != "player" or place.found.text != "," or place.at < 3:
        return None
    last = place.line[-1] if place.line[-1].kind not in _LAYOUT else place.line[-2]
    declared = re.search(r"^players\s*:", place.source.text, re.MULTILINE) is not None
    keyword = place.tokens[0]
    return say.players_for_player(place.span(place.tokens[2], last), place.span(keyword, keyword), declared)


def _quoted_players(place: Place) -> Diagnostic | None:
    """`players: "first", "second"`."""
    if place.tokens[0].text != "players" or place.found.kind != "STRING" or place.text(-1) not in (":", ","):
        return None
    names = [re.sub(r"\W+", "_", t.text.strip('"')) for t in place.line[2:] if t.kind in ("STRING", "NAME")]
    last = place.line[-1] if place.line[-1].kind not in _LAYOUT else place.line[-2]
    return say.players_in_quotes(place.span(place.tokens[2], last), names)


def _players_below(place: Place) -> Diagnostic | None:
    """`players:` and a block of names."""
    if place.tokens[0].text != "players" or place.at != 2 or place.found.kind != "_NEWLINE":
        return None
    names = [token for token in place.tokens[3:] if token.kind == "NAME"]
    if not names:
        return None
    listed = place.span(names[0], names[-1])
    return say.players_below(listed, place.span(place.tokens[1], names[-1]), [name.text for name in names])


def _bare_values(place: Place) -> Diagnostic | None:
    """`type C = red, blue`."""
    head = place.before()
    if place.found.text != "," or head[0].text != "type" or [t.text for t in head[2:3]] != ["="]:
        return None
    values = _rest(place, 3 - len(head))
    return say.values_in_braces(values) if values is not None and not _opened(head) else None


def _colon_of_type(place: Place) -> Diagnostic | None:
    """`type C: {red, blue}`."""
    if place.tokens[0].text != "type" or place.at != 2 or place.found.text != ":" or place.token(1) is None:
        return None
    return say.colon_of_type(place.span(place.found, place.found))


def _guard_word(place: Place) -> Diagnostic | None:
    """`move odd if stones == 1:`."""
    head = place.before()
    if place.found.text not in ("if", "where") or not head or head[0].text not in ("move", "secret"):
        return None
    if _opened(head) or any(token.text in ("when", "weight") for token in head):
        return None
    return say.guard_word(place.span(place.found, place.found))


def _bare_return(place: Place) -> Diagnostic | None:
    """`return` in a move, to leave it."""
    before = place.token(-1)
    if place.found.kind != "_NEWLINE" or before is None or before.text != "return":
        return None
    if place.tokens[0].text not in ("move", "secret", "effect", "initial"):
        return None
    return say.return_without_value(place.span(before, before))


def _part_by_number(place: Place) -> Diagnostic | None:
    """`d.0`."""
    dot, base = place.token(-1), place.token(-2)
    if place.found.kind != "NUMBER" or dot is None or dot.text != "." or base is None:
        return None
    return say.part_by_number(place.span(base, place.found), base.text)


def _list(place: Place) -> Diagnostic | None:
    """`hand: list of Card`, `hand: bag of Card`."""
    before = place.token(-1)
    if place.found.text != "of" or before is None or before.text not in ("list", "bag"):
        return None
    element = _rest(place, 1)
    span = place.span(before, place.found)
    return say.list_as_type(span, before.text, element.text if element else "T")


# --------------------------------------------------------------- expressions


def _question(place: Place) -> Diagnostic | None:
    """`c ? a : b`."""
    if place.found.text != "?":
        return None
    test = _back(place.before())
    rest = _operand_tokens(place, 1)
    colons = [i for i, token in enumerate(rest) if token.text == ":"]
    if not test or not colons or not 0 < colons[0] < len(rest) - 1:
        return None
    yes, no = rest[: colons[0]], rest[colons[0] + 1 :]
    return say.conditional_order(
        place.span(test[0], no[-1]), *(place.span(part[0], part[-1]).text for part in (test, yes, no))
    )


def _if_first(place: Place) -> Diagnostic | None:
    """`if c then a else b` and `if c: a else: b` where a value is wanted."""
    if place.found.text != "if" or place.text(-1) == "else":
        return None
    rest = _operand_tokens(place, 1)
    then = next((i for i, token in enumerate(rest) if token.text in ("then", ":")), None)
    if not then or then == len(rest) - 1:
        return None
    other = next((i for i, token in enumerate(rest) if token.text == "else"), None)
    yes = rest[then + 1 : other]
    no = rest[other + 1 :] if other is not None else []
    if no and no[0].text == ":":
        no = no[1:]
    if not yes or (no and any(token.text in ("if", "then", ":") for token in no)):
        return None
    texts = [place.span(part[0], part[-1]).text if part else None for part in (rest[:then], yes, no)]
    return say.conditional_order(place.span(place.found, rest[-1]), texts[0] or "", texts[1] or "", texts[2])


def _then(place: Place) -> Diagnostic | None:
    """`if c then x = 1`, a statement."""
    before = place.token(-1)
    if place.found.text != "then" or before is None or place.line[0].text not in ("if", "elif"):
        return None
    return say.then_for_colon(Span(place.source, before.end, place.found.end))


def _else(place: Place) -> Diagnostic | None:
    """`if c: x = 1 else: x = 2`, a statement."""
    before = place.token(-1)
    if place.found.text != "else" or before is None or place.line[0].text not in ("if", "elif"):
        return None
    gap = Span(place.source, before.end, place.found.start)
    start = place.line[0].start
    indent = place.source.text[place.source.text.rfind("\n", 0, start) + 1 : start]
    return say.else_behind(place.span(place.found, place.found), gap, indent) if not indent.strip() else None


def _not_equal(place: Place) -> Diagnostic | None:
    """`n <> 0`."""
    before = place.token(-1)
    if place.found.text != ">" or before is None or before.text != "<" or before.end != place.found.start:
        return None
    return say.unequal_sign(place.span(before, place.found))


def _filter(place: Place) -> Diagnostic | None:
    """`for x in D where c`."""
    if place.found.text not in ("where", "when") or not any(t.text == "for" for t in place.before()):
        return None
    return say.filter_word(place.span(place.found, place.found))


def _prefix(place: Place) -> Diagnostic | None:
    """`f"stones {n}"`."""
    before = place.token(-1)
    if place.found.kind != "STRING" or before is None or before.end != place.found.start:
        return None
    return say.text_prefix(place.span(before, before)) if before.text in ("f", "F", "r") else None


def _no_moves(place: Place) -> Diagnostic | None:
    """`terminal: no moves`, `no legal moves left`."""
    words = place.line
    start = next((i for i, token in enumerate(words) if token.text == "no"), None)
    if start is None or place.found not in words[start + 1 : start + 3]:
        return None
    end = start + 1
    while end < len(words) and words[end].text in ("legal", "more", "move", "moves", "left", "possible"):
        end += 1
    span = place.span(words[start], words[end - 1])
    return say.no_moves_as_words(span) if "move" in span.text else None


def _range_sign(place: Place) -> Diagnostic | None:
    """`1 to 3`, `1...3`."""
    before, after = place.token(-1), place.token(1)
    if before is None or after is None or after.kind not in ("NAME", "NUMBER"):
        return None
    if place.found.text == "to" and before.kind in ("NAME", "NUMBER"):
        return say.range_sign(Span(place.source, before.end, after.start))
    if place.found.text == "." and before.text == "..":
        return say.range_sign(place.span(before, place.found))
    return None


def _draw_sign(place: Place) -> Diagnostic | None:
    """`face ~= 1..6`, `face =~ 1..6`."""
    before = place.token(-1)
    if before is None or {before.text, place.found.text} != {"~", "="}:
        return None
    return say.draw_sign(place.span(before, place.found))


def _increment(place: Place) -> Diagnostic | None:
    """`stones--` at the end of a line; the parser waits for what is subtracted."""
    first, second = place.token(-2), place.token(-1)
    if place.found.kind != "_NEWLINE" or first is None or second is None:
        return None
    if first.text != second.text or second.text not in ("+", "-"):
        return None
    return say.increment_operator(place.span(first, second))


def _part_by_colon(place: Place) -> Diagnostic | None:
    """`(owner: turn, kind: k)`, `Bid(count: m, face: f)`."""
    head = place.before()
    opened = _opened(head)
    if place.found.text != ":" or not opened or opened[0].text != "(" or opened[-1].kind != "NAME":
        return None
    start = len(head) - len(opened)
    called = head[start - 1] if start and head[start - 1].kind == "NAME" else None
    if opened[-2].text not in ("(", ",") or (called is not None and called.text in _OF_A_PLAYER):
        return None
    parts = _parts(place.line[start + 1 :])
    if parts is None:
        return None
    named = [(part[0].text, part[2:]) for part in parts if [t.text for t in part[1:2]] == [":"]]
    if len(named) < len(parts) or not all(value for _, value in named):
        return None
    written = [(name, place.span(value[0], value[-1]).text) for name, value in named]
    inside = place.span(parts[0][0], parts[-1][-1])
    if called is not None and called.end == opened[0].start:
        return say.argument_by_colon(inside, called.text, written)
    return say.record_by_colon(Span(place.source, opened[0].start, inside.end), written)


# --------------------------------------------------------------- what belongs together


def _rest(place: Place, offset: int) -> Span | None:
    """From a neighbour to the end of the line."""
    tokens = place.tokens[place.at + offset :]
    end = next((i for i, token in enumerate(tokens) if token.kind in _LAYOUT), len(tokens))
    return place.span(tokens[0], tokens[end - 1]) if end else None


def _operand_tokens(place: Place, offset: int) -> list[Token]:
    """From a neighbour to the end of the line, or of the brackets around it, or to a comma."""
    found: list[Token] = []
    depth = 0
    for token in place.tokens[place.at + offset :]:
        if token.kind in _LAYOUT or (depth == 0 and token.text in (*_CLOSING, ",")):
            break
        depth += (token.text in (*_OPENING,)) - (token.text in (*_CLOSING,))
        found.append(token)
    return found


def _opened(head: list[Token]) -> list[Token]:
    """From the innermost bracket that is open to the end; empty where none is."""
    depth = 0
    for i in range(len(head) - 1, -1, -1):
        depth += (head[i].text in (*_CLOSING,)) - (head[i].text in (*_OPENING,))
        if depth < 0:
            return head[i:]
    return []


def _parts(tokens: list[Token]) -> list[list[Token]] | None:
    """What stands between commas until the bracket closes; None if it does not, or nothing stands there."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in (*_OPENING,)) - (token.text in (*_CLOSING,))
        if depth < 0:
            return parts if all(parts) else None
        if depth == 0 and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return None


def _back(tokens: list[Token]) -> list[Token]:
    """The last of the tokens that can belong to one condition."""
    depth = 0
    for i in range(len(tokens) - 1, -1, -1):
        text = tokens[i].text
        depth += (text in (*_CLOSING,)) - (text in (*_OPENING,))
        if depth < 0 or (depth == 0 and text in (":", "=", "+=", "-=", "*=", ",", "return", "~", "reward")):
            return tokens[i + 1 :]
    return tokens


_HABITS: tuple[Callable[[Place], Diagnostic | None], ...] = (
    _no_type,
    _no_end,
    _start_last,
    _draw_sign,
    _increment,
    _bad_name,
    _numbered_players,
    _players,
    _quoted_players,
    _players_below,
    _bare_values,
    _colon_of_type,
    _guard_word,
    _bare_return,
    _part_by_number,
    _list,
    _question,
    _if_first,
    _then,
    _else,
    _not_equal,
    _filter,
    _prefix,
    _no_moves,
    _range_sign,
    _part_by_colon,
)
