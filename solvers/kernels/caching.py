"""Where numba keeps the machine code of kernels, and when it is out of date.

A kernel has the kernels that it calls compiled into it, but numba looks only at the file in which it stands:
after a change in another one it would go on with old code. Here it also looks at the modules of this package
that the file imports, directly or not. The places are numba's own. Where the disk is full, kernels run
without being kept.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import config
from numba.core import caching

HERE = Path(__file__).parent

_IMPORTS = re.compile(r"^\s*from solvers\.kernels(?:\.(\w+))? import ((?:\([^)]*\))|.*)", re.MULTILINE)


@cache
def imported(path: Path) -> frozenset[Path]:
    """The modules of this package that one of them imports itself."""
    found = set()
    for module, names in _IMPORTS.findall(path.read_text(encoding="utf-8")):
        for name in [module] if module else re.findall(r"(\w+)(?: as \w+)?", names):
            found.add(HERE / f"{name}.py")
    return frozenset(file for file in found if file.exists())


@cache
def stamp(path: Path) -> str:
    """Changes with a module of this package and with all that it imports."""
    needed, waiting = {path}, [path]
    while waiting:
        for other in imported(waiting.pop()) - needed:
            needed.add(other)
            waiting.append(other)
    return sha256(b"\0".join(file.read_bytes() for file in sorted(needed))).hexdigest()


def _of_kernels(place: Any) -> Any:
    """A place of numba's, for kernels only."""

    class Locator(place):  # type: ignore[misc]
        @classmethod
        def from_function(cls, function: Any, path: str) -> Any:
            return super().from_function(function, path) if Path(path).parent == HERE else None

        def get_source_stamp(self) -> Any:
            return super().get_source_stamp(), stamp(Path(self._py_file))

    return Locator


Chosen = _of_kernels(caching.UserProvidedCacheLocator)
Beside = _of_kernels(caching.InTreeCacheLocator)
OfUser = _of_kernels(caching.UserWideCacheLocator)


def _keep_if_possible() -> None:
    """Lets numba go on where a kernel's machine code cannot be written: it is compiled again next time."""
    numbas: Any = caching
    keep = numbas.FunctionCache.save_overload

    def save_overload(self: Any, *code: Any) -> None:
        try:
            keep(self, *code)
        except OSError:
            if not isinstance(self._impl.locator, Chosen | Beside | OfUser):
                raise

    numbas.FunctionCache.save_overload = save_overload


def install() -> None:
    """Lets numba ask here first. Functions that are no kernels are kept as before."""
    _keep_if_possible()
    ours = [f"{__name__}.{name}" for name in ("Chosen", "Beside", "OfUser")]
    settings: Any = config  # numba makes its settings when it is imported, so that no type is known
    others = settings.CACHE_LOCATOR_CLASSES or ",".join(
        place.__name__ for place in caching.CacheImpl._locator_classes
    )
    settings.CACHE_LOCATOR_CLASSES = ",".join([*ours, others])
