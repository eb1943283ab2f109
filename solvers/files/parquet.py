"""Strategies as tables in Parquet, which any tool reads: with checksums, and what they are about in the
metadata under `gdl`. A file is written whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from solvers.files.container import bad_file, write_atomically

_ROWS = 65_536


def write_table(path: Path | str, schema: Any, columns: Sequence[Any], about: dict[str, Any]) -> None:
    """Writes columns of the types of a schema. Raises GameError where the file cannot be written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)],
        schema=schema.with_metadata({"gdl": json.dumps(about, ensure_ascii=False)}),
    )

    def write(file: IO[bytes]) -> None:
        pq.write_table(table, file, row_group_size=_ROWS, write_page_checksum=True)

    write_atomically(Path(path), write)


def read_table(path: Path) -> tuple[Any, dict[bytes, bytes]]:
    """A policy's table and what is said about it. Raises GameError if it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        return file.read(), file.schema_arrow.metadata or {}
    except FileNotFoundError:
        raise bad_file(path, "it is not there") from None
    except (OSError, pa.ArrowException) as error:
        first = str(error).strip().split("\n")[0][:120]
        raise bad_file(path, f"it is damaged, or no strategy file ({first})") from None
