"""Trees as PNG and PDF, by matplotlib (the extra `plot`), whose fonts and files need nothing of the
system."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from gdl.diagnostics import GameError
from gdl.diagnostics.drawing import missing_matplotlib
from gdl.draw.tree.canvas import Line, Shape, Words
from gdl.draw.tree.files import WITHOUT_MATPLOTLIB
from gdl.draw.tree.scene import MOST_POINTS, check_size, scene_of
from gdl.draw.tree.styles import DARK, INKS, LIGHT, style_of
from gdl.draw.tree.tree import Tree

POINTS = 0.75  # of print for a unit of the scene
SHARP = 2.0  # pixels for a unit of the scene, down to one where that is needed: letters can still be read
MOST_PIXELS = 8_000  # on a side of a PNG


def tree_plotted(tree: Tree, kind: str, dark: bool = False) -> bytes:
    """The tree as a file of that kind ("png" or "pdf"); raises GameError where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise GameError([missing_matplotlib(f"a .{kind} file", WITHOUT_MATPLOTLIB)]) from None
    scene = scene_of(tree)
    if kind == "png":
        check_size(scene, ".png", 1.0, "pixels", MOST_PIXELS)
    else:
        check_size(scene, ".pdf", POINTS, "points", MOST_POINTS)
    palette = DARK if dark else LIGHT
    figure = Figure(
        figsize=(scene.width * POINTS / 72, scene.height * POINTS / 72), facecolor=palette["paper"]
    )
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    axes.axis("off")
    parts: list[Line | Shape] = [*scene.lines, *scene.shapes]
    for depth, part in enumerate(parts):
        axes.add_patch(_patch(part, palette, depth / 1e6))
    for words in scene.words:
        _write(axes, words, palette)
    file = BytesIO()
    sharp = min(SHARP, MOST_PIXELS / max(scene.width, scene.height))
    with _fonts():
        figure.savefig(
            file, format=kind, dpi=72 / POINTS * sharp, facecolor=palette["paper"], metadata=_unsigned(kind)
        )
    return file.getvalue()


def _unsigned(kind: str) -> dict[str, Any]:
    """No time of writing: the same tree gives the same file."""
    return {"CreationDate": None} if kind == "pdf" else {"Software": None}


def _fonts() -> Any:
    from matplotlib import rc_context

    return rc_context({"font.family": "DejaVu Sans", "pdf.fonttype": 42})


def _patch(part: Line | Shape, palette: dict[str, str], above: float) -> Any:
    from matplotlib.patches import Ellipse, PathPatch, Polygon
    from matplotlib.path import Path

    style = style_of(part.style)
    look: dict[str, Any] = {
        "facecolor": palette[style.fill] if style.fill else "none",
        "edgecolor": palette[style.line] if style.line else "none",
        "linewidth": style.width * POINTS,
        "linestyle": (0, (4, 3)) if style.dashed else "solid",
        "joinstyle": "round",
        "capstyle": "butt",
        "zorder": 1 + above,
    }
    if isinstance(part, Shape):
        if part.round:
            (x, y), (right, bottom) = part.points
            return Ellipse((x, y), 2 * (right - x), 2 * (bottom - y), **look)
        return Polygon(part.points, closed=True, **look)
    codes = [Path.MOVETO, *([Path.CURVE3] * 2 if part.bent else [Path.LINETO] * (len(part.points) - 1))]
    return PathPatch(Path(part.points, codes), **look)


def _write(axes: Any, words: Words, palette: dict[str, str]) -> None:
    from matplotlib.patheffects import withStroke

    text = axes.text(
        words.x, words.y, words.text.replace("$", r"\$"),
        color=palette[INKS[words.ink]], fontsize=words.size * POINTS, zorder=3,
        ha={"start": "left", "middle": "center", "end": "right"}[words.anchor], va="center_baseline",
        fontweight="bold" if words.bold else "normal",
        fontfamily="DejaVu Sans Mono" if words.mono else "DejaVu Sans",
    )  # fmt: skip
    if words.ink in ("move", "note"):
        text.set_path_effects([withStroke(linewidth=2.5, foreground=palette["paper"])])
