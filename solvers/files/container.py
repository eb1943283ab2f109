"""Files of arrays that say what they are: tablebases and checkpoints.

    "gdl array" + newline, length of the header (8 bytes), header (JSON), its CRC-32 (4 bytes), arrays at
    multiples of 64

The header names the kind of file, the game with its parameters, the digest of its rules, the packing of its
positions, and for each array its type, shape, place and CRC-32. A file is written beside its name and renamed
when it is complete and on the disk: under the name there is never half a file. Whatever is wrong with a file
is said when it is opened.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import cannot_write, unusable_solution

MAGIC = b"gdl array\n"
VERSION = 3
_ALIGNMENT = 64
_PIECE = 1 << 24


def bad_file(path: Path | str, reason: str, hint: str | None = None) -> GameError:
    """C010: a file that is damaged, or belongs to something else."""
    return GameError([unusable_solution(str(path), reason, hint)])


def unwritable(path: Path | str, error: OSError) -> GameError:
    """C008: the disk is full, or the place is not ours."""
    return GameError([cannot_write(str(path), error.strerror or str(error))])


def write_atomically(path: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Writes a file beside its name and gives it the name when it is complete. Raises GameError."""
    try:
        with _beside(path) as beside:
            with beside.open("wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None


def check_writable(path: Path) -> None:
    """Raises GameError now if a file cannot be written there later: not after hours of work."""
    try:
        with _beside(path) as beside:
            beside.touch()
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A name for what is being written, gone afterwards; what killed processes have left goes as well."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no ordinary file")
    start, end = f".{path.name}.", ".part"
    for other in path.parent.iterdir():
        if other.name.startswith(start) and other.name.endswith(end):
            process = other.name[len(start) : -len(end)]
            if process.isdecimal() and not _is_running(int(process)):
                other.unlink(missing_ok=True)
    beside = path.with_name(f"{start}{os.getpid()}{end}")
    try:
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def write_arrays(path: Path, kind: str, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """A file of arrays with facts about them. Raises GameError where it cannot be written."""
    described: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array)
        described[name] = {
            "type": data.dtype.str,
            "shape": list(data.shape),
            "at": at,
            "bytes": data.nbytes,
            "crc32": _checksum(data),
        }
        at = _aligned(at + data.nbytes)
    header = json.dumps(
        {"kind": kind, "version": VERSION, **facts, "arrays": described, "size": at}, ensure_ascii=False
    ).encode()
    before = len(MAGIC) + 8 + len(header) + 4

    def write(file: IO[bytes]) -> None:
        file.write(MAGIC + struct.pack("<Q", len(header)) + header + struct.pack("<I", zlib.crc32(header)))
        file.write(bytes(_aligned(before) - before))
        for array in arrays.values():
            data: Any = np.ascontiguousarray(array)
            view = memoryview(data).cast("B") if data.nbytes else memoryview(b"")
            for start in range(0, data.nbytes, _PIECE):
                file.write(view[start : start + _PIECE])
            file.write(bytes(_aligned(data.nbytes) - data.nbytes))

    write_atomically(path, write)


def identity(game: Any) -> dict[str, Any]:
    """What a file says about the compiled game it belongs to: which rules, and how positions are packed."""
    compiled = game.compiled
    return {
        "game": game.name,
        "digest": compiled.digest,
        "key_bits": compiled.key_bits,
        "packing": compiled.packing,
    }


def read_arrays(path: Path, kind: str, game: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts and the arrays of a file about a compiled game, verified. Raises GameError with the reason
    if it is not what it should be: damaged, about other rules, or with positions packed in another way.
    """
    header, start = read_header(path)
    if header.get("kind") != kind:
        raise bad_file(path, f"it is a {header.get('kind')}, not a {kind}")
    if header.get("version") != VERSION:
        raise bad_file(
            path, f"it has version {header.get('version')}, and this program reads version {VERSION}"
        )
    wanted = identity(game)
    if header.get("digest") != wanted["digest"]:
        raise foreign(path, header, game.name)
    if header.get("packing") != wanted["packing"]:
        raise bad_file(
            path,
            f"its positions are packed in another way ({header.get('packing')}) than by this version of the "
            f"program ({wanted['packing']})",
            "make it again: `gdl solve`",
        )
    arrays = {}
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < start + header["size"]:
            raise bad_file(path, f"it is cut short: {size:,} of {start + header['size']:,} bytes are there")
        for name, description in header["arrays"].items():
            file.seek(start + description["at"])
            array: Any = np.empty(description["shape"], np.dtype(description["type"]))
            if array.nbytes != description["bytes"]:
                raise bad_file(path, f"it is damaged: the description of `{name}` contradicts itself")
            if array.nbytes:
                file.readinto(memoryview(array).cast("B"))
            if _checksum(array) != description["crc32"]:
                raise bad_file(path, f"it is damaged: the checksum of `{name}` is wrong")
            arrays[name] = array
    return header, arrays


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """The header of a file, and where its arrays begin."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise bad_file(
                    path, "it is not a file of this program", "`gdl solve GAME --save FILE` writes one"
                )
            lengths = file.read(8)
            length = struct.unpack("<Q", lengths)[0] if len(lengths) == 8 else 1 << 62
            raw = file.read(min(length, 1 << 28))
            check = file.read(4)
    except OSError as error:
        raise bad_file(path, error.strerror or str(error)) from None
    if len(raw) != length or len(check) != 4:
        raise bad_file(path, "it is cut short within its header")
    if zlib.crc32(raw) != struct.unpack("<I", check)[0]:
        raise bad_file(path, "it is damaged: the checksum of the header is wrong")
    header: dict[str, Any] = json.loads(raw)
    return header, _aligned(len(MAGIC) + 8 + length + 4)


def foreign(path: Path, header: Mapping[str, Any], game: str) -> GameError:
    """The file is about other rules than those that were asked for."""
    about = header.get("game", "another game")
    if about == game:
        reason = f"it was made with other parameters or another version of the rules of {game}"
    else:
        reason = f"it is about {about}, not about {game}"
    params = header.get("params")
    return bad_file(path, reason, f"its parameters: {params}" if params else None)


def _aligned(size: int) -> int:
    return (size + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT


def _checksum(array: Any) -> int:
    if not array.nbytes:
        return 0
    view = memoryview(array).cast("B")
    check = 0
    for start in range(0, array.nbytes, _PIECE):
        check = zlib.crc32(view[start : start + _PIECE], check)
    return check
