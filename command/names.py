"""What a file is, by its name; a name may end as that of a packed file does."""

from __future__ import annotations

__all__ = ["ARROW", "PARQUET", "is_conllu", "is_json", "is_table", "unpacked_name"]

PARQUET, ARROW, _JSON = (".parquet", ".pq"), (".arrow", ".feather", ".ipc"), (".jsonl", ".ndjson", ".json")

_PACKED = (".gz", ".gzip", ".zst", ".zstd", ".bz2")


def unpacked_name(path: str) -> str:
    """The name of a file in small letters, without the ending of a packing.

    >>> unpacked_name("Test.conllu.GZ")
    'test.conllu'
    """
    lower = path.lower()
    return next((lower.removesuffix(ending) for ending in _PACKED if lower.endswith(ending)), lower)


def is_conllu(path: str, text_format: str) -> bool:
    """Whether a file is read as CoNLL-U, by its name or because text is."""
    return text_format == "conllu" or unpacked_name(path).endswith(".conllu")


def is_json(path: str) -> bool:
    """Whether a file is JSON lines; it may be packed."""
    return unpacked_name(path).endswith(_JSON)


def is_table(path: str) -> bool:
    """Whether a file is a table: JSON lines, Parquet or Arrow."""
    return path.lower().endswith((*PARQUET, *ARROW)) or is_json(path)
