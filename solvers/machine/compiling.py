"""Compiling kernels: where numba keeps their machine code, when it is out of date, and who is told.

A kernel has the kernels that it calls, and the constants that it names, compiled into it, but numba looks
only at the file in which it stands: after a change in another one it would go on with old code. Here it
also looks at the modules from which names inside compiled functions come, directly or not. What only the
Python side of a module uses does not count, so that textbook solvers can change without a kernel being
compiled again. The places are numba's own. Where the disk is full, kernels run without being kept.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numba import config
from numba.core import caching

OURS = ("solvers", "gdl")
"""The packages in which what is compiled into kernels may stand."""


def is_ours(path: Path) -> bool:
    """Whether a file belongs to the package with kernels. The verifier of certificates has one that must do
    without solvers, so it leans on no other file and is kept by numba's own rule."""
    return path.is_relative_to(_roots()["solvers"])


EVERYWHERE = "solvers.machine.pointers"
"""What gives meaning to the arguments of kernels, whether they name it or not."""


@cache
def stamp(path: Path) -> str:
    """Changes with a module and with all that is compiled into its kernels."""
    meaning = _file(EVERYWHERE)
    waiting = [path] if meaning is None else [path, meaning]
    needed = set(waiting)
    while waiting:
        for other in compiled_in(waiting.pop()) - needed:
            needed.add(other)
            waiting.append(other)
    return sha256(b"\0".join(file.read_bytes() for file in sorted(needed))).hexdigest()


@cache
def compiled_in(path: Path) -> frozenset[Path]:
    """The modules of ours from which names come that compiled functions, or constants, of a module use."""
    tree = ast.parse(path.read_bytes())
    used = {name.id for part in _compiled(tree) for name in ast.walk(part) if isinstance(name, ast.Name)}
    return frozenset(file for name, file in _imports(tree) if name in used)


def _compiled(tree: ast.Module) -> Iterator[ast.AST]:
    """The parts of a module that may be compiled: decorated functions, and what is computed at the top."""
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            if part.decorator_list:
                yield part
        elif not isinstance(part, ast.ClassDef | ast.Import | ast.ImportFrom):
            yield part


def _imports(tree: ast.Module) -> Iterator[tuple[str, Path]]:
    """The names that a module imports from ours, each with the file that it comes from."""
    for part in tree.body:
        if isinstance(part, ast.ImportFrom) and part.module is not None:
            for alias in part.names:
                file = _file(f"{part.module}.{alias.name}") or _file(part.module)
                if file is not None:
                    yield alias.asname or alias.name, file
        elif isinstance(part, ast.Import):
            for alias in part.names:
                if (file := _file(alias.name)) is not None:
                    yield alias.asname or alias.name.split(".")[0], file


def _file(module: str) -> Path | None:
    """The file of a module of ours; None for what is no module, or somebody else's."""
    package, *parts = module.split(".")
    root = _roots().get(package)
    if root is None:
        return None
    place = root.joinpath(*parts)
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


@cache
def _roots() -> dict[str, Path]:
    """The folders of our packages, found without importing them."""
    found = {}
    for package in OURS:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            found[package] = Path(spec.origin).parent
    return found


def _of_kernels(place: Any) -> Any:
    """A place of numba's, for kernels only."""

    class Locator(place):  # type: ignore[misc]
        @classmethod
        def from_function(cls, function: Any, path: str) -> Any:
            return super().from_function(function, path) if is_ours(Path(path)) else None

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


def _forget_what_is_gone() -> None:
    """Lets numba take what it cannot read for nothing: an earlier version had types that are no more."""
    numbas: Any = caching
    load = numbas.IndexDataCacheFile._load_index

    def load_index(self: Any) -> Any:
        try:
            return load(self)
        except (AttributeError, ImportError, TypeError):
            return {}

    numbas.IndexDataCacheFile._load_index = load_index


def _announce_and_wait() -> None:
    """Says what has to be compiled, and why: once for all kernels that stand together. Where another process
    is just compiling the same, its work is waited for and taken."""
    numbas: Any = caching
    load, save = numbas.FunctionCache.load_overload, numbas.FunctionCache.save_overload
    said: set[str] = set()
    waiting: list[tuple[Any, Any]] = []  # the kernel that is compiled, with the lock of its index

    def load_overload(self: Any, *code: Any) -> Any:
        found = load(self, *code)
        ours = isinstance(self._impl.locator, Chosen | Beside | OfUser)
        if found is not None or waiting or not ours:  # what a kernel calls is compiled with it
            return found
        lock = _lock(_index(self))
        found = load(self, *code)
        if found is not None:
            _unlock(lock)
            return found
        waiting.append((self, lock))
        room = self._py_func.__module__.rpartition(".")[0]
        if room not in said:
            said.add(room)
            sys.stderr.write(f"compiling {room}, {_why(self)} …\n")
            sys.stderr.flush()
        return None

    def save_overload(self: Any, *code: Any) -> None:
        try:
            save(self, *code)
        finally:
            if waiting and waiting[0][0] is self:
                _unlock(waiting.pop()[1])

    numbas.FunctionCache.load_overload = load_overload
    numbas.FunctionCache.save_overload = save_overload


def _why(cache: Any) -> str:
    index = _index(cache)
    if index is None or not index.exists():
        return "once per machine"
    kept = cache._cache_file._load_index()
    return "for arguments of other types" if kept else "whose source has changed"


def _lock(index: Path | None) -> Any:
    """Waits until no other process compiles the kernel of an index, where the system has locks for that."""
    try:
        import fcntl
    except ImportError:
        return None
    if index is None or not index.parent.is_dir():
        return None
    try:
        file = index.with_suffix(".lock").open("w")
    except OSError:
        return None
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def _unlock(file: Any) -> None:
    if file is not None:
        file.close()


def _index(cache: Any) -> Path | None:
    """The file in which numba lists what it has compiled of a kernel."""
    path = getattr(getattr(cache, "_cache_file", None), "_index_path", None)
    return None if path is None else Path(path)


def install() -> None:
    """Lets numba ask here first. Functions that are no kernels are kept as before."""
    _keep_if_possible()
    _forget_what_is_gone()
    _announce_and_wait()
    ours = [f"{__name__}.{name}" for name in ("Chosen", "Beside", "OfUser")]
    settings: Any = config  # numba makes its settings when it is imported, so that no type is known
    others = settings.CACHE_LOCATOR_CLASSES or ",".join(
        place.__name__ for place in caching.CacheImpl._locator_classes
    )
    settings.CACHE_LOCATOR_CLASSES = ",".join([*ours, others])


def compiled_already(*kernels: Any) -> bool:
    """Whether kernels can run at once: in this process, or from disk, where they are kept up to date."""
    return all(kernel.signatures or _kept(kernel) for kernel in kernels)


def _kept(kernel: Any) -> bool:
    """Whether the machine code of this kernel is on disk, and up to date by `stamp`."""
    files = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return files is not None and bool(files._load_index())
