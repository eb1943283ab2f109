"""Games in which something once failed, each as short as it gets: `found/*.gdl`.

Every suite that checks generated games checks these too, so a mistake that was found stays a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb

from gdl.diagnostics import GameError
from tests.generate.reduce import reduced

FOUND = Path(__file__).parent / "found"

Check = Callable[[str], object]
"""Takes the text of a game and raises where something is wrong."""


def hold(text: str, check: Check) -> None:
    """Checks a game; where that fails, keeps the shortest game found that fails in the same way, and says so.

    A text that is no game fails without being kept: then the generator is wrong, not what it tests.
    """
    try:
        check(text)
    except GameError:
        raise
    except Exception as error:
        failure = _kind(error)
        path = _keep(reduced(text, lambda shorter: _fails_with(check, shorter) == failure), failure)
        raise AssertionError(f"{path.relative_to(Path.cwd())} fails: {error}") from error


def _fails_with(check: Check, text: str) -> tuple[str, str] | None:
    try:
        check(text)
    except GameError:
        return None
    except Exception as error:
        return _kind(error)
    return None


def _kind(error: Exception) -> tuple[str, str]:
    """What tells failures apart while the text shrinks: the exception and the function that raised it."""
    return type(error).__name__, extract_tb(error.__traceback__)[-1].name


def _keep(text: str, failure: tuple[str, str]) -> Path:
    FOUND.mkdir(exist_ok=True)
    name = re.sub(r"\W+", "", failure[1]).strip("_") or "failure"
    path = FOUND / f"{name}_{sha256(text.encode()).hexdigest()[:8]}.gdl"
    path.write_text(text, encoding="utf-8")
    return path
