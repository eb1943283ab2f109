"""Trees as text for the terminal: one line for every node, below its parent."""

from __future__ import annotations

from gdl.draw.tree import labels
from gdl.draw.tree.tree import Edge, Node, Tree

GLYPHS = {"max": "▲", "min": "▼", "player": "◇", "chance": "○", "end": "□"}

BRANCHES = {False: ("├─ ", "└─ ", "│  "), True: ("┝━ ", "┕━ ", "│  ")}
PLAIN_BRANCHES = {False: ("|-- ", "`-- ", "|   "), True: ("|== ", "`== ", "|   ")}
"""The sign before a child, before the last one, and below one that others follow; on the best line or not."""


def tree_text(tree: Tree, ascii_only: bool = False) -> str:
    """The whole tree; with `ascii_only` in signs that every terminal shows."""
    writer = _Writer(tree, PLAIN_BRANCHES if ascii_only else BRANCHES)
    writer.node(tree.root, "", "")
    best = any(edge.best for node in tree.nodes() for edge in node.edges)
    thick = "== " if ascii_only else "━ "
    about = [f"{thick}{tree.thick}"] if best else []
    lines = [tree.title, *([f"  {tree.how}"] if tree.how else []), "", *writer.lines]
    for part in (tree.steps, [*tree.notes, *labels.legend(tree, drawn=False), *about]):
        if part:
            lines += ["", *part]
    text = "\n".join(line.rstrip() for line in lines)
    return text.translate(labels.ASCII).encode("ascii", "replace").decode() if ascii_only else text


class _Writer:
    def __init__(self, tree: Tree, branches: dict[bool, tuple[str, str, str]]):
        self.branches = branches
        self.lines: list[str] = []
        self.groups = {ident: number for number, group in enumerate(tree.groups, 1) for ident in group}
        self.joined = {edge.joins for node in tree.nodes() for edge in node.edges if edge.joins is not None}

    def node(self, node: Node, first: str, rest: str) -> None:
        """A node and all below it; `first` stands before its own line, `rest` before those below."""
        self.lines.append(first + self._line(node))
        several = len(node.edges) + (node.left_out is not None)
        for i, edge in enumerate(node.edges, 1):
            on, last, down = self.branches[edge.best]
            begin = rest + (last if i == several else on)
            below = rest + (" " * len(down) if i == several else down)
            words = self._edge(edge)
            if edge.node is None:
                to = "" if edge.joins is None else f"  = @{edge.joins}"
                self.lines.append(begin + words + to)
            else:
                self.node(edge.node, f"{begin}{words}  ", below)
        if node.left_out is not None:
            said = labels.left_out(node.left_out, bool(node.edges))
            self.lines.append(f"{rest}{self.branches[False][1]}{', '.join(said)}")

    def _edge(self, edge: Edge) -> str:
        mark = "✕ " if edge.cut else ""
        after = f" → {labels.interval(edge.interval)}" if edge.interval is not None else ""
        name, *more = labels.edge_lines(edge) or [""]
        behind = f" ({', '.join(more)})" if more else ""
        return f"{mark}{name}{behind}{after}"

    def _line(self, node: Node) -> str:
        value = labels.worth(node.worth)
        if node.cut_off:
            value = f"{value} judged" if value else "not searched further"
        parts = [GLYPHS[node.kind], node.mover if node.kind != "end" else "", value, *labels.notes(node)]
        if node.ident in self.groups:
            parts.append(f"set {self.groups[node.ident]}")
        if node.ident in self.joined:
            parts.append(f"@{node.ident}")
        if node.faint:
            parts.append("never visited")
        return " ".join(part for part in parts if part)
