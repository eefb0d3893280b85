"""Storing: the examples that are added to a metric, batch by batch, until `compute`.

Rows are Arrow tables in memory, copied from the inputs. An error in `compute` loses nothing: rows stay until a `compute`
succeeds, or `reset` drops them. The metric checks examples before it stores them. One lock guards the rows, so that threads may
share a metric.

In a distributed run every process writes its rows to a file in `compute`, and the first process reads all files. The locks of
evaluate synchronise the processes.

The forms of utterances are the same in all batches; only empty lists fit every form that has lists. The classes are abstract, so
`evaluate.load` does not take them for the metric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar

import evaluate
import pyarrow as pa
from evaluate.module import FileLock, Timeout

from ... import __version__
from ...reading.form import EMPTY_LISTS, NOTHING, STRINGS, Form
from ...reading.formats.registry import check_form
from ...reading.inputs import Column
from ...reading.reading import Reading

#: The forms of an utterance for the card, without large lists, which older versions of `datasets` lack.
_CARD_FORMS = (pa.string(), pa.list_(pa.string()), pa.list_(pa.int64()))

#: The arguments of `evaluate.load` that concern the metric itself: without `self`, and without the keywords at the end.
LOADING = tuple(signature(evaluate.EvaluationModule.__init__).parameters)[1:-1]

#: For each argument of `add` the argument of `add_batch`.
_PLURALS = {name: f"{name}s" for name in ("prediction", "reference", "source", "target")}

#: This many recent tables are joined to one.
_MOST_TABLES = 1000


def features_of_pairs(**extra: pa.DataType) -> list[dict[str, pa.DataType]]:
    """Return the columns of predictions and references in each form, and additional columns, for the card."""
    return [{"predictions": form, "references": form, **extra} for form in _CARD_FORMS]


class StoringMetric(evaluate.Metric, ABC):
    """A metric that keeps added examples as Arrow columns, and scores these columns."""

    # Attributes of the base class, which is untyped.
    filelock: Any
    rendez_vous_lock: Any

    #: The names of the columns.
    stored_columns: ClassVar[tuple[str, ...]]
    #: The kind that all added examples have, such as the form of utterances. The class has the value before the first example.
    _stored_kind: Any = None

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        loading = {name: options.pop(name) for name in LOADING if name in options}
        super().__init__(config_name, **loading)
        # The base class gives the object copies of these methods, whose docstrings end with the card, which repeats the
        # docstrings. Without the copies, the methods of the class are used.
        del self.compute, self.add, self.add_batch
        # Read iterators into lists: every call uses these options.
        self.defaults = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
        self._check_options(self.defaults)
        #: The rows of this process: joined tables, and those that are joined next.
        self._rows: list[pa.Table] = []
        #: The tables of the last batches, which are joined to one of `_rows` when they are many.
        self._recent: list[pa.Table] = []
        #: The rows of all processes.
        self._gathered: list[pa.Table] = []
        self._lock = RLock()

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """Return the card, which `evaluate` requires of every module."""

    @abstractmethod
    def _check_options(self, options: Mapping[str, Any]) -> Any:
        """Check options, also the options at loading."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock, which belongs to this process, and reject a metric with stored rows."""
        if len(self):
            raise TypeError(f"{len(self)} examples are stored: call compute() or reset() before the metric is pickled.")
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def __len__(self) -> int:
        return sum(map(len, (*self._rows, *self._recent, *self._gathered)))

    @property
    def version(self) -> str:
        """The version of the scorer, to report with the scores."""
        return __version__

    def reset(self) -> None:
        """Drop all added examples, as a successful `compute` does."""
        with self._lock:
            self._rows = []
            self._recent = []
            self._gathered = []
            self._stored_kind = type(self)._stored_kind

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Add one example: an utterance, or with the configuration "alignment" a bitext.

        Args:
            prediction, reference: an item of the lists that `add_batch` takes.
            **inputs: items of its other lists, by their names (`difficulties`) or the singular (`source`, `target`). With
                `evaluate.combine` also `predictions` and `references`.

        Raises:
            TypeError, ValueError: as `add_batch`. Nothing is added after an error.
        """
        named = {"prediction": prediction, "reference": reference, **inputs}
        self.add_batch(**{_PLURALS.get(name, name): [item] for name, item in named.items() if item is not None})

    @property
    def _scores_at_once(self) -> bool:
        """Return True if no process has stored rows, so that inputs can be scored directly."""
        # With several processes, the others may have rows.
        return not len(self) and self.num_process == 1

    def _store(self, columns: Mapping[str, Column]) -> None:
        """Store the rows of a batch; many small tables become one."""
        table = pa.table(dict(columns))
        # Store copies, because the caller may change the buffers later.
        copies = [pa.ipc.read_record_batch(batch.serialize(), table.schema) for batch in table.to_batches()]
        self._recent.append(pa.Table.from_batches(copies, table.schema))
        if len(self._recent) >= _MOST_TABLES:
            self._rows.append(self._joined(self._recent).combine_chunks())
            self._recent = []

    def _joined(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Join the rows of at least one table. Tables without rows are left out, because their columns may have another type."""
        return pa.concat_tables(_with_rows(tables))

    def _score_stored(
        self, columns: Mapping[str, Column] | None, score: Callable[[pa.Table], dict[str, float]]
    ) -> dict[str, float] | None:
        """Score the rows of all processes and further columns, and then drop the rows. In other processes than the first: None.

        `columns` are the arguments of `compute` by their names; None if it received none.
        """
        if self.num_process > 1:
            self._gather(columns)
            tables = self._gathered
        else:
            tables = [*self._rows, *self._recent]
            if columns is not None:
                tables.append(pa.table(dict(columns)))
            elif not len(self):
                raise ValueError("there is nothing to score: pass predictions and references, or add some before.")
        if self.process_id != 0:
            # The first process scores the rows of all.
            self.reset()
            return None
        scores = score(self._joined(tables))
        self.reset()
        return scores

    def _gather(self, columns: Mapping[str, Column] | None) -> None:
        """Pass the rows of this process and the columns to the first process of a distributed run, which collects those of all.

        `columns` are the inputs of `compute`; None if it got none.

        Each process writes a file. The first process waits for those of all and reads them; the others wait until all have one.
        """
        if columns is not None:
            self._store(columns)
        rows = [*self._rows, *self._recent]
        if self._gathered and not rows:
            return  # this is another try after an error: the rows of all processes are gathered already
        if self.process_id == 0:
            self._begin_rendez_vous()
        path, self.filelock = self._create_cache_file()
        # A process without rows writes a table without rows.
        no_rows = pa.table({name: pa.nulls(0) for name in self.stored_columns})
        table = self._joined([*rows, no_rows])
        with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        if self.process_id == 0:
            # Wait until every process has its file, let the others go on, and read the files when they have released them.
            self._check_all_processes_locks()
            self.rendez_vous_lock.release()
            self._collect()
        else:
            # Wait until the first process has seen all files.
            self._check_rendez_vous()
            self.filelock.release()

    def _begin_rendez_vous(self) -> None:
        """Acquire, in the first process, the lock for which the others wait until every process has its file."""
        self.rendez_vous_lock = FileLock(f"{self.data_dir}/{self.experiment_id}-{self.num_process}-rdv.lock")
        try:
            self.rendez_vous_lock.acquire(timeout=1)
        except Timeout:
            raise ValueError(
                f"another metric uses the files of experiment_id {self.experiment_id!r}: load this one with another "
                f"experiment_id."
            ) from None

    def _collect(self) -> None:
        """Read the files of all processes in place of the rows of this one, and remove the files."""
        paths, locks = self._get_all_cache_files()
        self._gathered += [pa.ipc.open_stream(pa.memory_map(path)).read_all() for path in paths]
        self._rows = []
        self._recent = []
        # The file of this process is the first: its lock is released last, when all files are gone.
        for path, lock in reversed(list(zip(paths, locks, strict=True))):
            Path(path).unlink(missing_ok=True)
            lock.release()


def _with_rows(tables: Sequence[pa.Table]) -> Sequence[pa.Table]:
    """Return the tables that have rows; the first table if none has."""
    return [table for table in tables if len(table)] or tables[:1]


def _form_of_all(forms: Sequence[Form]) -> Form:
    """Return the form of all tables, from the distinct forms of each; raise a TypeError if there are several.

    Empty lists, whose form has no name, fit every form of lists, and no text.
    """
    named_forms = [form for form in forms if form.name]
    # If all tables have empty lists, no form has a name.
    form, *other_forms = named_forms or forms
    if form == STRINGS and EMPTY_LISTS in forms:
        other_forms.append(EMPTY_LISTS)
    if other_forms:
        other_form, *_ = other_forms
        received = f"{form.noun} and {other_form.noun}"
        raise TypeError(f"mixed forms: the processes have {received}; expected the same form in all.")
    return form


class PairStoringMetric(StoringMetric):
    """A metric of predictions and references in one of the forms of an utterance."""

    stored_columns: ClassVar[tuple[str, ...]] = ("references", "predictions")
    _stored_kind: Form = NOTHING  #: their form

    def _store_pair(self, *columns: Column) -> None:
        """Store references, predictions and other columns; raise a TypeError if their form is not that of the stored rows."""
        references, *_ = columns
        with self._lock:
            common = self._common_form(Form.of(references))
            self._store(dict(zip(self.stored_columns, columns, strict=True)))
            # A batch of no utterance has no form.
            if len(references):
                self._stored_kind = common

    def _score_pair(
        self, columns: Sequence[Column] | None, reading: Reading, score: Callable[..., dict[str, float]]
    ) -> dict[str, float] | None:
        """Score the columns together with the stored rows; `columns` are None if `compute` received none.

        The columns are the references, the predictions and what else `stored_columns` names, which `score` takes in this order.
        """
        with self._lock:
            # The options of `compute` are known only now: they have to fit the stored rows too.
            check_form(self._stored_kind, reading)
            named = None
            if columns is not None:
                references, *_ = columns
                form = Form.of(references)
                check_form(form, reading)
                self._common_form(form)  # raises an error if the stored rows have another form
                named = dict(zip(self.stored_columns, columns, strict=True))
            if columns is None or not self._scores_at_once:
                return self._score_stored(named, lambda rows: score(*map(rows.column, self.stored_columns)))
        # No rows are stored: score the columns themselves, without a copy, and without the lock, so that other threads may store
        # rows meanwhile.
        return score(*columns)

    def _joined(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Join the rows of tables, whose utterances have one form.

        Arrow gives empty lists a type of their own: their columns take the type of the others.
        """
        tables = _with_rows(tables)
        type_of_form = {Form.of(table.column("references")): table.column("references").type for table in tables}
        form_of_all = _form_of_all(list(type_of_form))
        # Both columns of utterances have the form; other columns, such as difficulties, keep their types.
        type_of_column = dict.fromkeys(PairStoringMetric.stored_columns, type_of_form[form_of_all])
        cast_tables = []
        for table in tables:
            schema = pa.schema({field.name: type_of_column.get(field.name, field.type) for field in table.schema})
            cast_tables.append(table.cast(schema))
        return pa.concat_tables(cast_tables)

    def _common_form(self, form: Form) -> Form:
        """Return the form that fits the stored batches and another batch, which has this form; raise a TypeError if none does."""
        common = self._stored_kind.common(form)
        if common is None:
            before = self._stored_kind.noun
            raise TypeError(
                f"mixed forms: this batch has {form.noun}, the batches before have {before}; expected the same "
                f"form in every batch. To start again, call reset()."
            )
        return common
