"""Trees as TikZ: a document that compiles alone (pdflatex), or whose picture is copied into another one.

Styles carry names (`gdl-edge-best`, `gdl-node-max` ..) and stand at the top, to be changed. Nothing is needed
beside LaTeX's base and TikZ.
"""

from __future__ import annotations

from math import ceil

from gdl.draw.tree.canvas import Line, Scene, Shape, Words
from gdl.draw.tree.scene import MOST_POINTS, check_size, scene_of
from gdl.draw.tree.styles import INKS, LIGHT, style_of
from gdl.draw.tree.tree import Tree

UNIT = 0.75
"""Points of TeX for a unit of the scene: letters of 13 become those of a text in 10 pt."""

SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$",
    "…": r"\dots{}", "α": r"$\alpha$", "β": r"$\beta$", "→": r"$\to$", "√": r"$\surd$", "·": r"$\cdot$",
    "▲": r"$\triangle$", "▼": r"$\nabla$", "○": r"$\circ$", "□": r"$\Box$", "✕": r"$\times$", "◇":
    r"$\Diamond$", "<": r"$<$", ">": r"$>$", "|": r"$|$", "–": "--", "—": "---", "≈": r"$\approx$", "±":
    r"$\pm$", "-": "{-}",
}  # fmt: skip
ANCHORS = {"start": "west", "middle": "center", "end": "east"}


def tree_tikz(tree: Tree) -> str:
    scene = scene_of(tree)
    check_size(scene, ".tex", UNIT, "points", MOST_POINTS)
    wide, high = (ceil(side * UNIT) + 1 for side in (scene.width, scene.height))
    names = {line.style for line in scene.lines} | {shape.style for shape in scene.shapes}
    lines = [
        r"\documentclass{article}",
        rf"\usepackage[paperwidth={wide}pt,paperheight={high}pt,margin=0pt]{{geometry}}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{amssymb,tikz}",
        *(rf"\definecolor{{gdl{role}}}{{HTML}}{{{colour[1:].upper()}}}" for role, colour in LIGHT.items()),
        r"\tikzset{",
        *(f"  gdl-{name}/.style={{{_style(name)}}}," for name in sorted(names)),
        *(f"  gdl-t-{name}/.style={{text=gdl{role}, inner sep=1pt}}," for name, role in INKS.items()),
        r"  gdl-rim/.style={fill=gdlpaper},",
        r"}",
        r"\pagestyle{empty}\parindent=0pt \topskip=0pt",
        r"\begin{document}",
        rf"\begin{{tikzpicture}}[x={UNIT}pt, y=-{UNIT}pt, font=\sffamily]",
        rf"\useasboundingbox (0,0) rectangle ({scene.width:.1f},{scene.height:.1f});",
        *(_line(line) for line in scene.lines),
        *(_shape(shape) for shape in scene.shapes),
        *_all_words(scene),
        r"\end{tikzpicture}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str, mono: bool = False) -> str:
    """Text as TeX reads it; of pictures made of letters with every space. What no font of TeX has becomes a
    question mark rather than an error."""
    indent = "~" * (len(text) - len(text.lstrip()))
    plain = indent + "".join(SIGNS.get(letter, letter) for letter in text.lstrip())
    if mono:
        plain = plain.replace(" ", "~")
    return "".join(letter if ord(letter) < 0x250 else "?" for letter in plain)


def _style(name: str) -> str:
    style = style_of(name)
    line = f"draw=gdl{style.line}, line width={style.width * UNIT:.2f}pt" if style.line else "draw=none"
    fill = f", fill=gdl{style.fill}" if style.fill else ""
    return f"{line}{fill}{', dashed' if style.dashed else ''}, line join=round"


def _point(point: tuple[float, float]) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def _line(line: Line) -> str:
    if line.bent:
        # A quadratic curve as the cubic one that TikZ draws.
        (x1, y1), (x2, y2), (x3, y3) = line.points
        first = (x1 + 2 * (x2 - x1) / 3, y1 + 2 * (y2 - y1) / 3)
        second = (x3 + 2 * (x2 - x3) / 3, y3 + 2 * (y2 - y3) / 3)
        return (
            rf"\path[gdl-{line.style}] {_point((x1, y1))} .. controls {_point(first)} and {_point(second)} "
            rf".. {_point((x3, y3))};"
        )
    return rf"\path[gdl-{line.style}] {' -- '.join(_point(point) for point in line.points)};"


def _shape(shape: Shape) -> str:
    if shape.round:
        (x, y), (right, bottom) = shape.points
        radii = f"x radius={right - x:.1f}, y radius={bottom - y:.1f}"
        return rf"\path[gdl-{shape.style}] {_point((x, y))} ellipse [{radii}];"
    return rf"\path[gdl-{shape.style}] {' -- '.join(_point(point) for point in shape.points)} -- cycle;"


def _all_words(scene: Scene) -> list[str]:
    return [_words(words) for words in scene.words if words.text]


def _words(words: Words) -> str:
    size = words.size * UNIT
    rim = ", gdl-rim" if words.ink == "move" else ""
    bold = r"\bfseries " if words.bold else ""
    family = r"\ttfamily" if words.mono else r"\sffamily"
    said = escaped(words.text, words.mono)
    font = rf"{family}\fontsize{{{size:.1f}}}{{{size * 1.2:.1f}}}\selectfont"
    return (
        rf"\node[gdl-t-{words.ink}{rim}, anchor={ANCHORS[words.anchor]}, font={font}] at"
        rf" {_point((words.x, words.y))} {{{bold}{said}}};"
    )
