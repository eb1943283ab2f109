"""E9: policies."""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Label
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import error, guesses, listing, near, warning


def not_a_choice(span: Span, text: str, moves: Sequence[str], policies: Sequence[str]) -> Diagnostic:
    """A statement of a policy that is neither a move nor a policy."""
    if text == "best":
        hint = "best play is found by solvers: say `best` where you choose agents, not inside of a policy"
    elif match := near(text, [*moves, *policies, "random"]):
        hint = f"did you mean `{match}`?"
    else:
        others = f"; its policies: {listing(policies)}" if policies else ""
        hint = f"the moves of the game: {listing(moves)}{others}; `random` is any legal move"
    fixes = guesses(span, text, [*moves, *policies, "random"])
    return error("E901", span, f"`{text}` is no move and no policy", hint, fixes=fixes)


def mixture_here(span: Span) -> Diagnostic:
    return error(
        "E802",
        span,
        "a mixture of agents is no value: it stands for a player in an `expect` line",
        "a policy that mixes is written `{a: 1/2, b: 1/2}`",
    )


def unknown_agent(span: Span, name: str, policies: Sequence[str], agents: Sequence[str]) -> Diagnostic:
    """Of an `expect` line. A program that uses the game may register agents of its own."""
    if match := near(name, [*policies, *agents]):
        hint = f"did you mean `{match}`?"
    else:
        own = f"its policies: {listing(policies)}; " if policies else ""
        hint = f"{own}`best` and `random` are agents of every game"
    return warning(
        "W112",
        span,
        f"`{name}` is no policy of the file and no agent that is always there",
        hint,
        fixes=guesses(span, name, [*policies, *agents]),
    )


def reserved_policy(span: Span, name: str) -> Diagnostic:
    return error(
        "E902",
        span,
        f"`{name}` is an agent of every game, and a policy needs a name of its own",
        f"call it `my_{name}`, for example",
    )


def policy_like_move(span: Span, name: str, declared: Span) -> Diagnostic:
    return error(
        "E903",
        span,
        f"`{name}` is a move: in a policy it could mean both",
        "give the policy a name of its own",
        Label(declared, f"the move `{name}`"),
    )


def policy_of_nobody(span: Span, name: str, players: Sequence[str]) -> Diagnostic:
    return error("E904", span, f"there is no player `{name}`", f"the players are {listing(players)}")


def policy_of_another(span: Span, name: str, owner: str, declared: Span) -> Diagnostic:
    return error(
        "E905",
        span,
        f"`{name}` is a policy for {owner} only",
        f"say `for {owner}` here too, or leave it out there",
        Label(declared, f"`{name}` is declared here"),
    )


def policy_parameter(span: Span, name: str, type_: object) -> Diagnostic:
    return error(
        "E906",
        span,
        f"`{name}` is of type {type_}: whoever names the policy cannot write that",
        "a parameter of a policy is a number, true or false, or a value with a name",
    )


def peeking(span: Span, variable: str, declared: Span, called: Sequence[Label]) -> Diagnostic:
    return error(
        "E907",
        span,
        f"the policy looks at `{variable}`, which its player may not see here",
        "read only what is `visible to` the player to move, whom a policy calls `mover`",
        Label(declared, f"`{variable}` is not visible to everyone"),
        *called,
    )


def argument_of_no_parameter(span: Span, move: str, parameters: str) -> Diagnostic:
    hint = f"its parameters, in order: {parameters}" if parameters else f"`{move}` takes no arguments"
    return error("E908", span, f"`{move}` has no parameter left for this", hint)


def move_as_value(span: Span, move: str) -> Diagnostic:
    return error(
        "E909",
        span,
        f"`{move}` is a move, and moves are no values",
        "write it as a statement of the policy; a draw of moves is `{a: 3/4, b: 1/4}`, or a `chance:` block",
    )
