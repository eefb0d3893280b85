"""Files of corpora for tests: text, CoNLL-U and tables, packed or not."""

import bz2
import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import feather, parquet

from .corpora import Corpus, word_lists, words_text


def lines(texts: Iterable[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def text(corpus: Corpus) -> bytes:
    """Words text."""
    return lines(words_text(corpus))


def conllu(corpus: Corpus) -> bytes:
    """Sentences of ten columns; there are none without words."""
    rows = ([f"{at}\t{''.join(word)}" + "\t_" * 8 for at, word in enumerate(words, 1)] for words in corpus if words)
    return lines("\n".join([*sentence, ""]) for sentence in rows)


def json_lines(columns: Mapping[str, Iterable[Any]]) -> bytes:
    rows = zip(*columns.values(), strict=True)
    return lines(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)


def both_sides(references: Corpus, predictions: Corpus) -> bytes:
    """JSON lines of both sides, as lists of words."""
    return json_lines({"reference": word_lists(references), "prediction": word_lists(predictions)})


def zstd(data: bytes) -> bytes:
    """As a stream, whose frames do not say their size."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACK: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd, "bz2": bz2.compress}
ENDINGS = {"gzip": ".gz", "zstd": ".zst", "bz2": ".bz2"}


# Tables, in pieces of 20 rows.


def write_parquet(path: str, table: pa.Table) -> None:
    parquet.write_table(table, path, row_group_size=20)


def write_arrow_file(path: str, table: pa.Table) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=20)


def write_arrow_stream(path: str, table: pa.Table) -> None:
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=20)


def write_feather(path: str, table: pa.Table) -> None:
    feather.write_feather(table, path, compression="zstd", chunksize=20)


def write_json_lines(path: str, table: pa.Table) -> None:
    Path(path).write_bytes(json_lines(table.to_pydict()))


def write_text(path: str, table: pa.Table) -> None:
    """The first column."""
    Path(path).write_bytes(lines(table.column(0).to_pylist()))


WRITERS = {".txt": write_text, ".parquet": write_parquet, ".arrow": write_arrow_file, ".jsonl": write_json_lines}
