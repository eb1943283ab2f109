"""`gdl ucb1`: the numbers by which Monte-Carlo tree search selects, from wins and visits."""

from __future__ import annotations

from typing import Annotated

import typer

from gdl.commands.arguments import Json, print_json, print_styled


def ucb1(
    nodes: Annotated[
        list[str],
        typer.Argument(
            metavar="U/N…", help="Of each move: what its simulations paid in all, and their number."
        ),
    ],
    c: Annotated[
        list[float] | None,
        typer.Option(
            "-c",
            "--exploration",
            metavar="C",
            min=0,
            help="The weight of exploring. May be repeated. [default: 1.4]",
        ),
    ] = None,
    visits: Annotated[
        int | None,
        typer.Option(
            "--visits", metavar="N", min=1, help="Of the parent; the sum of its moves' if not given."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute UCB1 = U/N + C * sqrt(ln N(parent) / N) for given wins and visits, and say what is selected.

    `gdl tree GAME --solver mcts --step N` shows the same numbers in a search of a game.
    """
    from gdl.diagnostics.facts import table_lines
    from solvers.simulation.mcts import ucb1 as bound

    counts = [_read(text) for text in nodes]
    total = sum(plays for _, plays in counts) if visits is None else visits
    weights = c or [1.4]
    columns = [
        [bound(paid / plays, plays, total, weight).total for paid, plays in counts] for weight in weights
    ]
    chosen = [max(range(len(counts)), key=column.__getitem__) for column in columns]
    if as_json:
        print_json(
            {
                "visits": total,
                "nodes": nodes,
                "ucb1": [
                    {"c": weight, "values": column, "selected": nodes[best]}
                    for weight, column, best in zip(weights, columns, chosen, strict=True)
                ],
            }
        )
        return
    headings = ["node", "mean", *(f"C = {weight:g}" for weight in weights)]
    rows = [
        [text, f"{paid / plays:.4f}"]
        + [
            f"{column[k]:.4f}{' *' if best == k else '  '}"
            for column, best in zip(columns, chosen, strict=True)
        ]
        for k, (text, (paid, plays)) in enumerate(zip(nodes, counts, strict=True))
    ]
    typer.echo(f"UCB1 = U/N + C * sqrt(ln {total:,} / N), * selected\n")
    for line in table_lines(headings, rows, numbers=headings[1:]):
        print_styled(*line)


def _read(text: str) -> tuple[float, int]:
    paid, slash, plays = text.partition("/")
    try:
        found = float(paid), int(plays)
    except ValueError:
        slash = ""
    if not slash or found[1] < 1:
        raise typer.BadParameter(f"`{text}` is not of the form U/N, such as 60/79", param_hint="U/N")
    return found
