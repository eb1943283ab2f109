"""Trees for Graphviz, which lays them out itself: `dot -Tpdf tree.dot`."""

from __future__ import annotations

from itertools import pairwise

from gdl.draw.tree import labels
from gdl.draw.tree.styles import LIGHT, PLAYERS
from gdl.draw.tree.tree import Edge, Node, Tree

SHAPES = {"max": "triangle", "min": "invtriangle", "player": "hexagon", "chance": "ellipse", "end": "box"}


def tree_dot(tree: Tree) -> str:
    lines = [
        "digraph tree {",
        f"  label={_quoted([tree.title, tree.how, *tree.notes, *labels.legend(tree)])};",
        '  labelloc=t; ordering=out; node [fontname="DejaVu Sans", style=filled, margin="0.05,0.02"];',
        '  edge [fontname="DejaVu Sans", fontsize=10, arrowhead=none];',
    ]
    for node in tree.nodes():
        lines.append(f"  n{node.ident} [{_node(node)}];")
        for edge in node.edges:
            to = edge.joins if edge.node is None else edge.node.ident
            if to is not None:
                lines.append(f"  n{node.ident} -> n{to} [{_edge(edge)}];")
        if node.left_out is not None:
            said = _quoted(labels.left_out(node.left_out, bool(node.edges)))
            lines.append(f"  m{node.ident} [shape=plaintext, style=solid, fontcolor=gray40, label={said}];")
            lines.append(f"  n{node.ident} -> m{node.ident} [style=dotted];")
    for group in tree.groups:
        lines += [f"  n{a} -> n{b} [style=dashed, constraint=false];" for a, b in pairwise(group)]
    return "\n".join([*lines, "}", ""])


def _node(node: Node) -> str:
    said = [labels.worth(node.worth), *labels.notes(node, mover=node.kind != "end")]
    role = PLAYERS[(node.player or 0) % len(PLAYERS)] if node.kind == "player" else node.kind
    look = "filled,dashed" if node.cut_off else "filled"
    ink = ", color=gray60, fontcolor=gray60" if node.faint else ""
    fill = LIGHT["paper" if node.faint else role]
    return f'shape={SHAPES[node.kind]}, label={_quoted(said)}, style="{look}", fillcolor="{fill}"{ink}'


def _edge(edge: Edge) -> str:
    said = labels.edge_lines(edge)
    if edge.interval is not None:
        said.append(f"→ {labels.interval(edge.interval)}")
    if edge.cut:
        said.append("✕ cut")
    look = (
        ", style=dashed, color=gray60, fontcolor=gray60" if edge.cut else ", penwidth=3" if edge.best else ""
    )
    return f"label={_quoted(said)}{look}"


def _quoted(lines: list[str]) -> str:
    text = "\n".join(line for line in lines if line)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
