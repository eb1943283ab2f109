"""What is written at nodes and edges, the same in every format."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from gdl.diagnostics.wording.phrases import counted
from gdl.draw.tree.tree import Edge, LeftOut, Node, Span, Tree, Worth
from gdl.game import Number

LONGEST = 9
"""Characters of a number; a longer fraction becomes decimals."""

SIMPLE = 100
"""The largest denominator of a fraction that is written where a number was judged."""

RELATIONS = {"=": "", "<=": "≤ ", ">=": "≥ "}

ASCII = str.maketrans(
    {
        "≤": "<=", "≥": ">=", "∞": "inf", "…": "...", "α": "alpha", "β": "beta", "·": "*",
        "√": "sqrt", "→": "->",
        "▲": "/\\", "▼": "\\/", "○": "()", "□": "[]", "◇": "<>", "✕": "x", "–": "-", "≈": "~",
    }
)  # fmt: skip
"""What stands for signs that a plain terminal cannot show."""


def number(value: Number, digits: int = 4) -> str:
    """A number in few characters: a fraction if it is short, else a few digits."""
    if value in (inf, -inf):
        return "∞" if value > 0 else "-∞"
    if not isinstance(value, float):
        text = str(Fraction(value))
        if len(text) <= LONGEST:
            return text
    rounded = float(value)
    return (
        str(round(rounded)) if rounded == round(rounded) and abs(rounded) < 1e9 else f"{rounded:.{digits}g}"
    )


def numbers(values: tuple[Number, ...], digits: int = 4) -> str:
    """One number, or one for each player."""
    written = [number(value, digits) for value in values]
    return written[0] if len(written) == 1 else f"({', '.join(written)})"


def worth(known: Worth | None) -> str:
    """`3`, `<= 2`, `(1, 6, 6)`; nothing where nothing is known. What was judged is no exact fraction: only
    simple ones are written as such."""
    if known is None:
        return ""
    values = known.numbers
    if known.judged:
        values = tuple(v if abs(v) == inf or Fraction(v).denominator <= SIMPLE else float(v) for v in values)
    return RELATIONS[known.relation] + numbers(values, 3)


def window(span: Span) -> str:
    return f"({number(span.low)}, {number(span.high)})"


def interval(span: Span) -> str:
    """`[3, 5]`, or the number that both ends are."""
    return number(span.low) if span.low == span.high else f"[{number(span.low)}, {number(span.high)}]"


def notes(node: Node, mover: bool = False) -> list[str]:
    """What stands beside a node: the number of its visit, its window, its interval, its visits."""
    found = []
    if mover and node.mover and node.mover != "chance":
        found.append(node.mover)
    if node.order is not None:
        found.append(f"#{node.order}")
    if node.window is not None:
        found.append(window(node.window))
    if node.interval is not None:
        found.append(interval(node.interval))
    if node.visits is not None:
        found.append(f"n={node.visits}")
    if node.in_all:
        found.append(f"in all {numbers(node.in_all)}")
    return [*found, *node.notes]


def edge_lines(edge: Edge) -> list[str]:
    """What stands at an edge: the move or outcome, its probability, what it pays at once."""
    lines = [edge.label] if edge.label else []
    if edge.probability is not None:
        lines.append(number(edge.probability))
    if any(edge.paid):
        sign = "+" if len(edge.paid) == 1 and edge.paid[0] > 0 else ""
        lines.append(f"pays {sign}{numbers(edge.paid)}")
    return lines


def left_out(rest: LeftOut, beside: bool) -> list[str]:
    """`… 14 more moves`, `all worse`; `beside` others that are drawn."""
    thing = rest.things.removesuffix("s")
    more = f"more {thing}" if beside else thing
    lines = [f"… {counted(rest.count, more)}"]
    if rest.known:
        lines.append(rest.known)
    if rest.probability is not None:
        lines.append(f"{number(rest.probability)} together")
    if rest.positions > rest.count:
        lines.append(f"{rest.positions:,} positions")
    return lines


def legend(tree: Tree, drawn: bool = True) -> list[str]:
    """What the signs of this tree mean, only of those that occur; of one that is `drawn`, or written."""
    nodes = list(tree.nodes())
    said = []
    kinds = {node.kind for node in nodes}
    names = {
        kind: ", ".join(dict.fromkeys(node.mover for node in nodes if node.kind == kind and node.mover))
        for kind in kinds
    }
    shapes = {"max": "▲", "min": "▼", "chance": "○", "end": "□", "player": "◇"}
    for kind in ("max", "min", "chance", "end"):
        if kind in kinds:
            name = {"chance": "chance", "end": "the end of a play"}.get(kind) or names[kind] or kind
            said.append(
                f"{shapes[kind]} {name}" + (f" ({kind})" if kind in ("max", "min") and name != kind else "")
            )
    if said:
        said = [", ".join(said)]
    if any(node.worth is not None and len(node.worth.numbers) > 1 for node in nodes):
        said.append(f"({', '.join(tree.players)}): what each player gets, in this order")
    if any(node.window for node in nodes):
        said.append("#n: the n-th position that was visited; (α, β): its window; ≤, ≥: only so much is known")
    if any(node.interval for node in nodes):
        said.append("[low, high]: where the expectation must lie, when its search ended")
    if any(edge.cut for node in nodes for edge in node.edges):
        said.append("✕: cut, never visited")
    if drawn and any(node.cut_off for node in nodes):
        judged = any(node.worth for node in nodes if node.cut_off)
        said.append("dashed: judged, not searched" if judged else "dashed: not searched further")
    pays = any(any(edge.paid) for node in nodes for edge in node.edges)
    simulated = any(node.visits is not None for node in nodes)
    if simulated:
        with_it = "; what a move `pays` is part of its number, what an outcome pays is not" if pays else ""
        means = "means of simulated plays, also that which added a position"
        said.append(f"n: visits; the numbers are {means}{with_it}")
    if simulated and any("proven" in node.notes or (node.kind == "end" and node.visits) for node in nodes):
        said.append(
            "ends and what is proven count with their values, at chance with their probabilities; "
            "plays go on elsewhere"
        )
    if pays and not simulated:
        counts = "" if tree.discount == 1 else f", what follows it {number(tree.discount)} times"
        paid = f"numbers at nodes are what is still to come; what a move `pays` is added to them{counts}"
        said.append(paid + ("; in all: from the root to this end" if any(n.in_all for n in nodes) else ""))
    if any(edge.joins is not None for node in nodes for edge in node.edges):
        met = "where lines meet: the same position, reached in several ways"
        said.append(met if drawn else "= @n: the same position as at @n, drawn there")
    if tree.groups:
        joined = "dashed lines join the" if drawn else "set n: the"
        said.append(f"{joined} positions that their player cannot tell apart")
    return said
