"""Where the files that come with the program are, and where it may keep what it computed."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path


def data_directory(name: str) -> Path:
    """The folder `grammar`, `games` or `library`: beside the package in a checkout, inside when installed."""
    package = Path(__file__).parent
    checkout = package.parent / name
    return checkout if checkout.is_dir() else package / "data" / name


def why_unwritable(path: Path) -> str | None:
    """Why a file cannot be written there, as far as can be told beforehand; the file is left as it is."""
    try:
        if path.is_dir():
            return "it is a folder"
        if not path.parent.is_dir():
            return "there is no such folder"
        existed = path.exists()
        if existed and not path.is_file():
            return None  # a device or a pipe: only writing tells
        path.open("ab").close()
        if not existed:
            path.unlink(missing_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return None


@cache
def cache_directory() -> Path | None:
    """This user's cache folder, made if need be; None where none can be written."""
    if explicit := os.environ.get("GDL_CACHE"):
        base = Path(explicit)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "gdl"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "gdl"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdl"
    try:
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return base if os.access(base, os.W_OK) else None
