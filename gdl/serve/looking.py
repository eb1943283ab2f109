"""Search trees to unfold, and pictures of what is best in a solved game."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from gdl.draw.tree.tree import Edge, Node, Tree, Worth
from gdl.serve.lines import Data, last_text
from gdl.serve.loaded import Ready
from gdl.serve.thinking import refuse_files
from solvers.core.numbers import show_short

GROWING = (30, 120, 480, 1500)
"""Simulations after which a tree of simulations is shown again."""

UNFOLDED = 60
"""Nodes that are sent at once; what lies below is asked for when it is unfolded."""


def trees(ready: Ready, line: Data, at: int, position: str | None, solver: str | None) -> Iterator[Data]:
    """The tree of a search from a position: one that grows where the search simulates plays."""
    from gdl.trees.drawing import tree

    engine = ready.fast
    root = engine.position(position or last_text(line, at))
    name = (solver or "mcts").partition("(")[0]
    if solver:
        refuse_files(solver)
    if solver in (None, "", "mcts") and not engine.game.traits.hidden:
        for simulations in GROWING:
            found = tree(
                engine.game, "mcts", at=root, nodes=UNFOLDED, show=False, simulations=simulations, seed=1
            )
            yield tree_data(found, name)
    else:
        chosen = "none" if engine.game.traits.hidden else solver
        yield tree_data(tree(engine.game, chosen, at=root, nodes=UNFOLDED, show=False), name)


def tree_data(tree: Tree, solver: str) -> Data:
    return {"how": tree.how, "notes": list(tree.notes), "solver": solver, "root": _node(tree.root)}


def _node(node: Node) -> Data:
    left_out = node.left_out
    return {
        "kind": node.kind,
        "mover": node.mover,
        "worth": _worth(node.worth),
        "visits": node.visits,
        "notes": list(node.notes),
        "position": node.position,
        "faint": node.faint or node.cut_off,
        "edges": [_edge(edge) for edge in node.edges],
        "more": None
        if left_out is None
        else f"{left_out.count} more {left_out.things} {left_out.known}".strip(),
    }


def _edge(edge: Edge) -> Data:
    return {
        "label": edge.label,
        "odds": None if edge.probability is None else show_short(edge.probability),
        "best": edge.best,
        "cut": edge.cut,
        "node": None if edge.node is None else _node(edge.node),
    }


def _worth(worth: Worth | None) -> str:
    if worth is None:
        return ""
    relation = {"=": "", "<=": "≤ ", ">=": "≥ "}[worth.relation]
    about = "≈ " if worth.judged or worth.mean else ""
    return f"{relation}{about}{', '.join(_short(number) for number in worth.numbers)}"


def _short(number: Any) -> str:
    return f"{number:.3g}" if isinstance(number, float) else show_short(number)


# ---------------------------------------------------------------------------------------- policies


def policy(ready: Ready, dark: bool, limit: int) -> Data:
    """The picture of what is best over variables of the position, of a game with at most so many positions:
    SVG where matplotlib is installed, else text."""
    from gdl.plots.maps import policy_map

    drawn = policy_map(ready.fast.game, limit=limit)
    notes = list(drawn.notes)
    if find_spec("matplotlib") is None:
        return {"text": drawn.text(), "notes": notes}
    from gdl.draw.plots.drawing import plot_bytes

    return {"svg": plot_bytes(drawn, "svg", dark).decode(), "notes": notes}
