"""Storing: how a metric keeps what is added to it, batch by batch, until `compute`.

Conventions
-----------
`evaluate` keeps what `add` and `add_batch` bring in an Arrow file of its cache (or in memory), one row an example, that other
processes of a distributed run can read. The base class would turn the stored columns into Python lists before it scores
them; here they stay in Arrow. What is added is checked at once, by the metric, before it comes here.

`StoringMetric` knows rows and columns. `PairStoringMetric` knows the forms of utterances: it stores each of them in a column
of its own, null where an utterance has another form or is a blank list, and so of none. Then the files of all processes fit
together, whatever each of them was given.

Both are abstract, and so not what `evaluate.load` takes for the metric.
"""

from __future__ import annotations

__all__ = ["FORMS", "PairStoringMetric", "StoringMetric", "features_of_pairs"]

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate
import pyarrow as pa

from .. import __version__
from ..reading.inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name

#: The forms of an utterance, by the names of the columns in which they are stored.
FORMS = {"text": TEXT, "words": WORDS, "labels": LABELS}
_SIDES = ("references", "predictions")


def features_of_pairs(**extra: pa.DataType) -> list[datasets.Features]:
    """The features of predictions and references in each form, and of further columns beside them."""
    schemas = (pa.schema({"predictions": form, "references": form, **extra}) for form in FORMS.values())
    return [datasets.Features.from_arrow_schema(schema) for schema in schemas]


class StoringMetric(evaluate.Metric, ABC):
    """A metric that keeps what is added as columns of Arrow, and scores them as they are.

    Attributes:
        stored_columns: the name and the type of each column.
    """

    # The base class's own, which it leaves untyped.
    writer: Any
    buf_writer: Any
    data: Any
    selected_feature_format: Any
    cache_file_name: Any
    file_paths: Any
    filelock: Any
    filelocks: Any

    stored_columns: ClassVar[dict[str, pa.DataType]]

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """What `evaluate` asks every module for."""

    @property
    def version(self) -> str:
        """The version of the scorer, to be reported with the scores."""
        return __version__

    @property
    def _scores_at_once(self) -> bool:
        """Whether nothing was added, here or by other processes, so that inputs can be scored where they are."""
        return self.writer is None and self.num_process == 1

    def _check_something_given(self, *inputs: object) -> bool:
        """Whether one of the inputs of `compute` is given.

        Raises:
            ValueError: none is, and none was added.
        """
        given = any(values is not None for values in inputs)
        if not given and self._scores_at_once:
            raise ValueError("there is nothing to score: pass predictions and references, or add some before.")
        return given

    def _store_rows(self, columns: Mapping[str, Column], *, one_by_one: bool = False) -> None:
        """Hand rows to `evaluate`'s writer; one by one, it gathers them to batches first."""
        count = len(next(iter(columns.values())))
        if self.writer is None:
            if not count and self.num_process == 1:
                return
            self.selected_feature_format = datasets.Features.from_arrow_schema(pa.schema(self.stored_columns))
            self._init_writer()
        if one_by_one:
            self.writer.write({name: column[0].as_py() for name, column in columns.items()})
        elif count:
            self.writer.write_examples_on_file()
            self.writer.write_table(pa.table(dict(columns)))

    def _score_stored(self, score: Callable[[], dict[str, float]]) -> dict[str, float] | None:
        """Score what was added, here and in the other processes, and forget it; None in all processes but the first."""
        try:
            self._finalize()
            return score() if self.process_id == 0 else None
        finally:
            self._forget()

    def _stored_column(self, name: str) -> Column:
        """A column of what was added by all processes."""
        return self.data.data.column(name)

    def _forget(self) -> None:
        """Drop what was stored, with its cache files, and let go of their locks."""
        self.data = self.writer = self.buf_writer = None
        self.selected_feature_format = None
        if self.process_id == 0:
            locks = self.filelocks or ([self.filelock] if self.filelock else [])
            paths = self.file_paths or ([self.cache_file_name] if self.cache_file_name else [])
            for path in paths:
                Path(path).unlink(missing_ok=True)
            for lock in reversed(locks):
                lock.release()
        self.cache_file_name = self.filelock = self.filelocks = self.file_paths = None


class PairStoringMetric(StoringMetric):
    """A metric of predictions and references in one of the forms of an utterance."""

    stored_columns: ClassVar[dict[str, pa.DataType]] = {
        f"{side}_{name}": form for side in _SIDES for name, form in FORMS.items()
    }

    #: The form of what was added, null where nothing was.
    _stored_form: pa.DataType = pa.null()

    def _store_pair(
        self, references: Column, predictions: Column, *, one_by_one: bool = False, **extra: Column
    ) -> None:
        """Store both sides, and further columns of the same length.

        Raises:
            TypeError: they have another form than what was added before. Nothing is added then.
        """
        form = references.type
        if len(references):
            self._check_stored_form(form)
        columns = {
            f"{side}_{name}": column if kind == form else pa.chunked_array([pa.nulls(len(column), kind)])
            for side, column in zip(_SIDES, (references, predictions), strict=True)
            for name, kind in FORMS.items()
        }
        self._store_rows({**columns, **extra}, one_by_one=one_by_one)

    def _check_stored_form(self, form: pa.DataType) -> None:
        """Check a batch's form against those before, and note it."""
        kept = self._stored_form
        if kept == pa.null() or (kept == BLANKS and form != TEXT):
            self._stored_form = form
        elif form != kept and (form != BLANKS or kept == TEXT):
            raise TypeError(
                f"mixed forms: this batch has {form_name(form)} and the ones before have {form_name(kept)}; expected the "
                f"same form in every batch."
            )

    def _stored_pair(self) -> tuple[Column, Column]:
        """References and predictions of all processes, in their one form.

        Raises:
            TypeError: the processes have mixed forms.
        """
        references, predictions = map(self._stored_side, _SIDES)
        return references, predictions

    def _stored_side(self, side: str) -> Column:
        columns = {name: self._stored_column(f"{side}_{name}") for name in FORMS}
        used = [name for name, column in columns.items() if column.null_count < len(column)]
        if not used:
            return pa.chunked_array([pa.array([[]] * len(self.data), BLANKS)])
        if len(used) > 1 or (used == ["text"] and columns["text"].null_count):
            kinds = " and ".join(form_name(form) for form in [*(FORMS[name] for name in used), BLANKS][:2])
            raise TypeError(f"mixed forms: the processes have {kinds}; expected the same form in all.")
        column = columns[used[0]]
        if used == ["text"]:
            return column
        # A null is a blank utterance: its list is empty already, only the mark goes.
        return pa.chunked_array(
            [pa.LargeListArray.from_arrays(chunk.offsets, chunk.values) for chunk in column.chunks], column.type
        )

    def _forget(self) -> None:
        super()._forget()
        self._stored_form = pa.null()
