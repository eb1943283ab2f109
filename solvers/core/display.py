"""Results in notebooks: what `print(result)` says, as tables. The words are those of the report."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gdl.diagnostics.html import card, facts, folded, table, words
from gdl.diagnostics.wording.phrases import counted
from solvers.core.report import LINE_SHOWN, legend, line_title, shown, work_facts, worth

if TYPE_CHECKING:
    from solvers.core.result import Policy, Result

POSITIONS = 10
"""Of a policy, that are shown."""


def result_html(result: Result) -> str:
    """A result as HTML: values, moves with the best ones bold, and folded below how it was found."""
    given = ", ".join(f"{name}={value}" for name, value in result.params)
    stopped = " (stopped early)" if result.partial else ""
    known = [(player, shown(result, v)) for player, v in zip(result.players, result.values, strict=True) if v]
    moves = [[("* " if m.best else "") + m.text, worth(result, m).replace("   ", ", ")] for m in result.moves]
    best = [k for k, move in enumerate(result.moves) if move.best]
    parts = [facts(known)]
    if result.strategy is not None:
        parts.append(facts(result.strategy.facts()))
        parts += [words(title) + facts(rows) for title, rows in result.strategy.tables()]
    if moves:
        parts.append(table([f"moves of {result.to_move} ({legend(result)})", "value"], moves, (), best))
    steps = [f"{step.player}: {step}" for step in result.line[:LINE_SHOWN]]
    if more := len(result.line) - len(steps):
        steps.append(f"… and {more:,} more")
    parts.append(folded(line_title(result), facts((str(k), step) for k, step in enumerate(steps, 1))))
    why = f": {result.reason}" if result.reason else ""
    how = [("solver", result.solver + why), ("how", result.how)]
    how += [(f"{result.to_move} sees", result.known)] if result.known else []
    parts.append(folded("how it was found", facts([*how, *work_facts(result)])))
    return card(result.game, *parts, beside=f"{given}{' · ' if given else ''}{result.kind}{stopped}")


def policy_text(policy: Policy) -> str:
    return f"<policy for {counted(len(policy.positions), 'position')}>"


def policy_html(policy: Policy) -> str:
    """A policy as HTML: its first positions with their values and best moves."""
    rows = [
        [
            str(position),
            ", ".join(map(str, policy.best(position))),
            ", ".join(map(str, policy.value(position))),
        ]
        for position in islice(policy.positions, POSITIONS)
    ]
    left = len(policy.positions) - len(rows)
    more = words(f"… and {counted(left, 'position')} more") if left else ""
    return card("policy", table(["position", "best", "value"], rows), more)
