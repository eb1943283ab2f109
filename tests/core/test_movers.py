"""The codes that stand for who moves where it is no player: one meaning each, in every file."""

from __future__ import annotations

import re
from pathlib import Path

from gdl import movers

ROOT = Path(__file__).parents[2]

CODES = {name: code for name, code in vars(movers).items() if name.isupper()}


def test_codes_of_movers_are_distinct_and_no_players() -> None:
    assert len(set(CODES.values())) == len(CODES) == 4 and max(CODES.values()) < 0


def test_the_codes_are_written_once() -> None:
    """The kernel of the verifier copies them: numba, which keeps it, looks at its own file alone."""
    written = re.compile(r"^([A-Z_]+(?:, [A-Z_]+)*) = (-\d+(?:, -\d+)*)\b", re.MULTILINE)
    found = set()
    for path in (path for folder in ("gdl", "solvers") for path in (ROOT / folder).rglob("*.py")):
        for names, values in written.findall(path.read_text(encoding="utf-8")):
            for name, value in zip(names.split(", "), values.split(", "), strict=True):
                if name in CODES:
                    assert CODES[name] == int(value), f"{name} in {path}"
                    found.add(path.relative_to(ROOT).as_posix())
    assert found == {"gdl/movers.py", "gdl/certificates/position_graph.py"}
