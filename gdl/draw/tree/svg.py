"""Trees as SVG: one element that needs nothing else, light or dark as its viewer is."""

from __future__ import annotations

from html import escape

from gdl.draw.tree.canvas import Line, Scene, Shape, Words
from gdl.draw.tree.scene import scene_of
from gdl.draw.tree.styles import DARK, INKS, LIGHT, Style, style_of
from gdl.draw.tree.tree import Tree

FONT = "'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif"
MONOSPACED = "'DejaVu Sans Mono', Menlo, Consolas, monospace"


def tree_svg(tree: Tree) -> str:
    """A complete `<svg>` element. Its styles are its own: they do not touch a page that it stands in."""
    scene = scene_of(tree)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' class='gdl-tree' role='img' width='{scene.width:.0f}' "
        f"height='{scene.height:.0f}' viewBox='0 0 {scene.width:.0f} {scene.height:.0f}'>",
        f"<title>{escape(scene.title)}</title>",
        f"<style>{_css(scene)}</style>",
        "<rect class='paper' width='100%' height='100%'/>",
        *(_line(line) for line in scene.lines),
        *(_shape(shape) for shape in scene.shapes),
        *(_words(words) for words in scene.words),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _css(scene: Scene) -> str:
    """Rules for what occurs, and under them its colours for a dark viewer: no variables, which not every
    viewer of pictures knows (those draw all of it black)."""
    used = {line.style for line in scene.lines} | {shape.style for shape in scene.shapes}
    styles = {name: style_of(name) for name in sorted(used)}
    inks = {words.ink for words in scene.words}
    return "".join(
        [
            f".gdl-tree{{font-family:{FONT}}}",
            ".gdl-tree text{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}",
            *(f".gdl-tree .{name}{{{_pen(style)}}}" for name, style in styles.items()),
            *_colours(LIGHT, styles, inks),
            "@media (prefers-color-scheme:dark){",
            *_colours(DARK, styles, inks),
            "}.gdl-tree .in{stroke:none}",
        ]
    )


def _pen(style: Style) -> str:
    width = f"stroke-width:{style.width}" if style.line else "stroke:none"
    return f"{width}{';stroke-dasharray:5 4' if style.dashed else ''}{'' if style.fill else ';fill:none'}"


def _colours(palette: dict[str, str], styles: dict[str, Style], inks: set[str]) -> list[str]:
    rules = [f".gdl-tree .paper{{fill:{palette['paper']}}}", f".gdl-tree text{{stroke:{palette['paper']}}}"]
    for name, style in styles.items():
        roles = {"fill": style.fill, "stroke": style.line}
        colours = ";".join(f"{what}:{palette[role]}" for what, role in roles.items() if role)
        rules.append(f".gdl-tree .{name}{{{colours}}}")
    rules += [f".gdl-tree .t-{ink}{{fill:{palette[INKS[ink]]}}}" for ink in sorted(inks)]
    return rules


def _line(line: Line) -> str:
    if line.bent:
        (x1, y1), (x2, y2), (x3, y3) = line.points
        return f"<path class='{line.style}' d='M{x1:.1f} {y1:.1f}Q{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f}'/>"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)
    return f"<polyline class='{line.style}' points='{points}'/>"


def _shape(shape: Shape) -> str:
    if shape.round:
        (x, y), (right, bottom) = shape.points
        radii = f"rx='{right - x:.1f}' ry='{bottom - y:.1f}'"
        return f"<ellipse class='{shape.style}' cx='{x:.1f}' cy='{y:.1f}' {radii}/>"
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
    return f"<polygon class='{shape.style}' points='{points}'/>"


def _words(words: Words) -> str:
    # Words in a shape have no rim in the colour of the paper: the shape has another one.
    rim = " in" if words.ink in ("text", "faint") and words.anchor == "middle" else ""
    bold = " font-weight='bold'" if words.bold else ""
    mono = f' font-family="{MONOSPACED}"' if words.mono else ""
    return (
        f"<text class='t-{words.ink}{rim}' x='{words.x:.1f}' y='{words.y:.1f}' dy='.35em' "
        f"font-size='{words.size:g}' "
        f"text-anchor='{words.anchor}'{bold}{mono} xml:space='preserve'>{escape(words.text)}</text>"
    )
