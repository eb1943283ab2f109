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
