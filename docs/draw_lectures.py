"""Draws the pictures of docs/lectures.md by the commands that stand there: `python docs/draw_lectures.py`.

A test compares the words in the pictures with what these commands draw.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "lectures.md"


def pictures() -> dict[str, list[str]]:
    """The files, relative to docs/, with the arguments of the commands that draw them."""
    commands = re.findall(r"^`gdl (.* --out (\S+))`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {file: shlex.split(command) for command, file in commands}


if __name__ == "__main__":
    for file, arguments in pictures().items():
        print(file)
        subprocess.run([sys.executable, "-m", "gdl", *arguments], cwd=DOCS, check=True)
