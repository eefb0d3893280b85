"""The files of `--per-utterance`: a row for each utterance of each prediction, with its place."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NamedTuple

from ...results.json_text import as_json
from ...results.outputs import csv_cell, open_whole

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...scoring.observations import Observations

#: The number of rows that are written at a time: Python's numbers take far more memory than columns of numbers.
_ROWS_AT_ONCE = 10_000


class UtteranceTable(NamedTuple):
    """The rows that are written of the utterances of one prediction."""

    prediction: str  #: its name
    utterances: npt.NDArray[np.int64]  #: the index of each utterance in the reference, in the order of the rows
    columns: Sequence[npt.NDArray[Any]]  #: for each heading the values of these utterances, in the same order


def write_utterances(
    path: str,
    observed: Observations,
    *,
    prediction_heading: str,
    headings: Sequence[str],
    tables: Iterable[UtteranceTable],
) -> None:
    """Write the rows of each prediction, such as `system,file,line,token_fscore` and `CRF,a.txt,7,0.5`.

    The first column is the name of the prediction, below its heading; then come the file if there are several, the place in it,
    and the columns of the tables with their `headings`. An utterance has the same place for every prediction.
    """
    places = _Places(observed)
    names = [prediction_heading, *places.headings, *headings]
    with open_whole(path) as whole, TextIOWrapper(whole, "utf-8", "backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        is_json = path.lower().endswith(".jsonl")
        if not is_json:
            writer.writerow(names)
        for table in tables:
            for start in range(0, len(table.utterances), _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                # The places of these rows, such as file and line, and then their values.
                columns_of_rows = places.columns(table.utterances[rows])
                columns_of_rows += [column[rows].tolist() for column in table.columns]
                for cells in zip(*columns_of_rows, strict=True):
                    row = [table.prediction, *cells]
                    if is_json:
                        file.write(as_json(dict(zip(names, row, strict=True)), indent=None) + "\n")
                    else:
                        writer.writerow(map(_shown_cell, row))


def headings_of_places(observed: Observations) -> list[str]:
    """Return the headings of the columns with the places of utterances: `["file", "line"]`, or `["line"]` of one file."""
    return _Places(observed).headings


class _Places:
    """The places of utterances in the files of the reference.

    Attributes:
        sources: the files.
        starts, ends: int (n_files,), the numbers of utterances before each file, and before the next one.
    """

    def __init__(self, observed: Observations) -> None:
        import numpy as np

        self.sources = [extent.source for extent in observed.extents]
        utterance_counts = np.array([extent.utterance_count for extent in observed.extents])
        # Files of 3 and 2 utterances: 0 and 3 utterances are before them, and 3 and 5 before the next file.
        self.ends = np.cumsum(utterance_counts)
        self.starts = self.ends - utterance_counts

    @property
    def headings(self) -> list[str]:
        """The headings of the columns: `["file", "line"]`, or `["line"]` of one file."""
        # Text has lines and a table rows: the column of both is called `line or row`.
        nouns = dict.fromkeys(source.noun for source in self.sources)
        heading = " or ".join(nouns)
        return ["file", heading] if len(self.sources) > 1 else [heading]

    def columns(self, utterances: npt.NDArray[np.int64]) -> list[list[Any]]:
        """Return the columns with the places of utterances, which are counted from 0 over all files.

        Of two files `a` of 3 lines and `b` of 2, the utterances 1 and 4 have the columns `[["a", "b"], [2, 2]]`.
        """
        import numpy as np

        # Files of 3 and 2 utterances: the utterance with the index 4 is in file 1, where it has the index 1.
        file_indices = np.searchsorted(self.ends, utterances, side="right")
        indices_in_file = utterances - self.starts[file_indices]
        sources = [self.sources[index] for index in file_indices.tolist()]
        # Lines are numbered from 1, rows from 0, and recordings have names: the source knows.
        names = [source.name_of(index) for source, index in zip(sources, indices_in_file.tolist(), strict=True)]
        if len(self.sources) == 1:
            return [names]
        return [[source.name for source in sources], names]


def _shown_cell(value: Any) -> Any:
    """Return the cell of a value in CSV; it is empty for nan."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    return csv_cell(value)
