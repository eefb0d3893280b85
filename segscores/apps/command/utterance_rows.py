"""The files of `--per-utterance`: a row for each utterance of each prediction, with its place."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from ...results.json_text import as_json
from ...results.outputs import csv_cell, open_whole

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...scoring.observations import Observations

# The number of rows that are written at a time: Python's numbers take far more memory than columns of numbers.
_ROWS_AT_ONCE = 10_000


def write_utterances(
    path: str,
    observed: Observations,
    noun: str,
    keys: Sequence[str],
    tables: Iterable[tuple[str, npt.NDArray[np.int64], Sequence[npt.NDArray[Any]]]],
) -> None:
    """Write the rows of each prediction: `noun`, the file if there are several, the place in it, and `keys`.

    A table has the name of a prediction, the index of each utterance in the reference, and a column for each key. So an utterance
    has the same place for every prediction.
    """
    import numpy as np

    source, _ = observed.extents[0]
    has_files = len(observed.extents) > 1
    place_names = ["file", source.noun] if has_files else [source.noun]
    names = [noun, *place_names, *keys]
    counts = np.array([count for _, count in observed.extents])
    ends = np.cumsum(counts)
    with open_whole(path) as whole, TextIOWrapper(whole, "utf-8", "backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        is_json = path.lower().endswith(".jsonl")
        if not is_json:
            writer.writerow(names)
        for name, places, columns in tables:
            for start in range(0, len(places), _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                file_indices = np.searchsorted(ends, places[rows], side="right")
                numbers = (places[rows] - (ends - counts)[file_indices]).tolist()
                written: list[Iterable[Any]] = []
                if has_files:
                    written.append([observed.extents[at][0].name for at in file_indices.tolist()])
                written.append(map(source.name_of, numbers))
                written += [column[rows].tolist() for column in columns]
                for cells in zip(*written, strict=True):
                    row = [name, *cells]
                    if is_json:
                        file.write(as_json(dict(zip(names, row, strict=True)), indent=None) + "\n")
                    else:
                        writer.writerow(map(_shown_cell, row))


def _shown_cell(value: Any) -> Any:
    """Return the cell of a value in CSV; it is empty for nan."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    return csv_cell(value)
