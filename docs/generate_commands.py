"""Writes docs/commands.md from the commands themselves: `python docs/generate_commands.py`.

A test compares the page with what this would write.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer

from gdl.cli import COMMANDS, application

PAGE = Path(__file__).parent / "commands.md"

HEADER = """\
# Commands

<!-- Written by docs/generate_commands.py; change the commands, then run it again. -->

`GAME` is a file, the name of a game in `games/`, or `-` for standard input. Results go to standard output,
diagnostics to standard error. Every command has `--json` for results as data; a game that cannot be read then
gives `{"diagnostics": […]}`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | a problem in the game |
| 2 | bad usage |
| 70 | a bug in gdl; `GDL_DEBUG=1` shows where |
| 130 | interrupted |

Colours appear on terminals only, and never with `NO_COLOR` set.
"""


def page() -> str:
    """The text of docs/commands.md."""
    group: Any = typer.main.get_command(application())
    context = group.make_context("gdl", [], resilient_parsing=True)
    found = [(group.get_command(context, name), name) for name in COMMANDS]
    return "\n".join([HEADER, *(part for command, name in found for part in _parts(command, name))])


def _parts(command: Any, name: str) -> list[str]:
    """A command, or those below it after what is said of all."""
    below = getattr(command, "commands", {})
    if not below:
        return [_command(command, name)]
    title = f"## gdl {name}\n\n{command.help.strip()}\n"
    return [
        title,
        *(_command(one, f"{name} {kind}").replace("## ", "### ", 1) for kind, one in below.items()),
    ]


def _command(command: Any, name: str) -> str:
    # From the declarations, not from the help that is printed: its layout changes between versions of Typer.
    parameters = [p for p in command.params if not getattr(p, "hidden", False)]
    arguments = " ".join(_argument(p) for p in parameters if p.param_type_name == "argument")
    about = re.sub(r"(?m)^ +", "", command.help.strip())
    lines = [f"## gdl {name}", "", about, "", "```", f"gdl {name} [OPTIONS] {arguments}".rstrip(), "```", ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| `{_flags(p)}` | {_meaning(p)} |" for p in parameters]
    return "\n".join([*lines, ""])


def _argument(parameter: Any) -> str:
    name = f"{parameter.metavar}…" if parameter.nargs == -1 else str(parameter.metavar)
    return name if parameter.required else f"[{name}]"


def _flags(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return _argument(parameter)
    flags = ", ".join(sorted(parameter.opts, key=len))
    return flags if parameter.is_flag else f"{flags} {parameter.metavar}"


def _meaning(parameter: Any) -> str:
    plain = parameter.default in (None, False, ()) or callable(parameter.default)
    default = "" if plain else f" Default: {getattr(parameter.default, 'value', parameter.default)}."
    return re.sub(r"\s+", " ", parameter.help) + default


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
