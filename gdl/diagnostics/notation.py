"""The wording of mistakes in positions and moves that people type: one function per code.

P001  a variable the game does not have      P006  a move the game does not have
P002  a map with too few or many elements    P007  a move that is not legal
P003  a value that the type does not hold    P008  a move that could be several
P004  text that cannot be read               P009  a parameter the move does not have
P005  a variable given twice                 P010  a move after the end of the game
                                             P011  a variable left open that the start draws
P012  a policy with too few or many arguments, or one given twice
P013  a policy followed by a player whose policy it is not
P014  a policy that the game does not have
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Severity
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import listing, near

_MOST = 20  # moves named in one message


def unknown_variable(name: str, known: Sequence[str], span: Span) -> Diagnostic:
    return _error("P001", f"the game has no variable `{name}`", span, _suggestion(name, known))


def wrong_count(name: str, expected: int, given: int, span: Span) -> Diagnostic:
    elements = "element" if expected == 1 else "elements"
    return _error("P002", f"`{name}` has {expected} {elements}, but {given} are given", span)


def list_too_long(name: str, longest: int, given: int, span: Span) -> Diagnostic:
    return _error("P002", f"`{name}` has room for {longest}, but {given} are given", span)


def not_a_list(name: str, expected: int, span: Span) -> Diagnostic:
    hint = f"write `{name}=[..]` with its {expected} elements in order"
    return _error("P002", f"`{name}` has an element for each of its indices", span, hint)


def not_a_value(text: str, name: str, type_: str, known: Sequence[str], span: Span) -> Diagnostic:
    """`known` are the names that would do."""
    return _error("P003", f"`{text}` is not a value of `{name}: {type_}`", span, _suggestion(text, known))


def not_an_argument(text: str, move: str, known: Sequence[str], span: Span) -> Diagnostic:
    return _error("P003", f"`{text}` fits no parameter of `{move}`", span, _suggestion(text, known))


def unreadable(expected: str, found: str, span: Span) -> Diagnostic:
    return _error("P004", f"expected {expected}, but found {found}", span)


def element_alone(name: str, span: Span) -> Diagnostic:
    """`board[a1]=x` in a position."""
    hint = f"write `{name}=[..]` with all its elements in order"
    return _error("P004", f"expected `=` behind `{name}`: its elements are not given one by one", span, hint)


def given_twice(name: str, span: Span) -> Diagnostic:
    return _error("P005", f"`{name}` is given twice", span)


def left_to_chance(names: Sequence[str], span: Span) -> Diagnostic:
    """Variables that are not mentioned, and that differ between the positions in which play may begin."""
    one = len(names) == 1
    hint = f"say what {'it is' if one else 'they are'}, such as `{names[0]}=..`; all else is as at the start"
    return _error(
        "P011", f"the start draws {listing(names)}, so the position does not say enough", span, hint
    )


def unknown_move(name: str, known: Sequence[str], legal: Sequence[str] | None, span: Span) -> Diagnostic:
    """`legal`: the moves of the position, if there is one."""
    match = near(name, known)
    others = f"its moves: {listing(known)}" if legal is None else f"legal here: {_moves(legal)}"
    hint = f"did you mean `{match}`?" if match else others
    return _error("P006", f"the game has no move `{name}`", span, hint)


def illegal_move(text: str, legal: Sequence[str], span: Span | None) -> Diagnostic:
    return _error("P007", f"`{text}` is not legal here", span, f"legal here: {_moves(legal)}")


def ambiguous_move(text: str, matching: Sequence[str], span: Span) -> Diagnostic:
    return _error(
        "P008", f"`{text}` could be any of {len(matching)} moves", span, f"say which: {_moves(matching)}"
    )


def unknown_argument(name: str, move: str, known: Sequence[str], span: Span) -> Diagnostic:
    return _error("P009", f"`{move}` has no parameter `{name}`", span, _suggestion(name, known))


def no_arguments(move: str, span: Span) -> Diagnostic:
    return _error("P009", f"`{move}` takes no arguments", span)


def unknown_policy(name: str, known: Sequence[str], span: Span) -> Diagnostic:
    return _error("P014", f"the game has no policy `{name}`", span, _suggestion(name, known))


def arguments_of_policy(policy: str, span: Span) -> Diagnostic:
    hint = "give each of its parameters one value, in order or by name"
    return _error("P012", f"the policy is `{policy}`", span, hint)


def policy_of_another(name: str, owner: str, follower: str) -> Diagnostic:
    return _error("P013", f"`{name}` is a policy for {owner} only, and {follower} is to move", None)


def game_over(text: str, span: Span | None) -> Diagnostic:
    return _error("P010", f"`{text}` cannot be made: the game is over", span)


def _suggestion(name: str, known: Sequence[str]) -> str | None:
    if match := near(name, known):
        return f"did you mean `{match}`?"
    return f"known here: {listing(known)}" if known else None


def _moves(moves: Sequence[str]) -> str:
    return listing(moves, most=_MOST)


def _error(code: str, message: str, span: Span | None, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, hint=hint)
