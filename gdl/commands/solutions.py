"""Words that commands about positions and their values share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl.exploration import InformationSets
    from solvers.core.result import Result
    from solvers.plan import Plan


def show_result(result: Result) -> None:
    """All that is to be said of a result, in colour where that is a terminal."""
    from gdl.diagnostics.render import write_styled
    from solvers.core.report import report

    for line in report(result):
        write_styled(list(line), sys.stdout)


def show_plan(plan: Plan, as_json: bool) -> None:
    """What would be done, and why."""
    from gdl.commands.arguments import print_facts, print_json

    if as_json:
        print_json(plan.as_data())
    else:
        print_facts(plan.facts(), plan.game)


def information_sets_shown(players: Sequence[str], known: InformationSets) -> str:
    """`alice 6, bob 6; 54 histories`."""
    counts = ", ".join(f"{name} {count:,}" for name, count in zip(players, known.counts, strict=True))
    return f"{counts}; {known.histories:,} histories"


def branching_shown(least: int, mean: float, most: int) -> str:
    """`1 to 9, 4.986 on average`."""
    from solvers.core.numbers import show_rough

    return f"{least:,}" if least == most else f"{least:,} to {most:,}, {show_rough(mean)} on average"
