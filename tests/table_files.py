"""Writers of table files, in pieces of 40 rows."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
from pyarrow import feather, parquet


def write_parquet(path: str, table: pa.Table) -> None:
    parquet.write_table(table, path, row_group_size=40)


def write_arrow_file(path: str, table: pa.Table) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=40)


def write_arrow_stream(path: str, table: pa.Table) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=40)


def write_feather(path: str, table: pa.Table) -> None:
    feather.write_feather(table, path, compression="zstd", chunksize=40)


def write_json_lines(path: str, table: pa.Table) -> None:
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()), encoding="utf-8")
