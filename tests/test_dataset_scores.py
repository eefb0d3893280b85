"""Datasets of every kind have the scores of plain Python lists, and are not changed."""

import re
import sys
import threading
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datasets import ClassLabel, Dataset, DatasetDict, Features, IterableDataset, Sequence, Value
from pyarrow import parquet

from segscores import score
from segscores.options.errors import UtteranceError
from segscores.scores import score_dataset
from segscores.scoring import parallel
from segscores.scoring.parallel import map_in_order

from .corpora import FORMS, Form, expected_scores, random_corpus_pair, words_text
from .naive import naive_scores

#: Older versions of datasets have none.
LARGE_LISTS = [datasets.LargeList] if hasattr(datasets, "LargeList") else []

WORDS_TEXT = {"text_format": "words"}
READERS = ("words_text", "word_lists", "start")
Columns = dict[str, list[Any]]


def columns_of(references: list[Any], predictions: list[Any]) -> Columns:
    return {"reference": references, "prediction": predictions}


def rows_of(columns: Columns) -> Iterator[dict[str, Any]]:
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def generated(columns: Columns) -> IterableDataset:
    return IterableDataset.from_generator(lambda: rows_of(columns))


def stream(columns: Columns, **options: Any) -> IterableDataset:
    return Dataset.from_dict(columns).to_iterable_dataset(**options)


def parquet_stream(columns: Columns, folder: Path) -> IterableDataset:
    """Two files, read as they are streamed from the Hub."""
    table = pa.table(columns)
    half = len(table) // 2
    paths = [str(folder / name) for name in ("a.parquet", "b.parquet")]
    for path, part in zip(paths, (table[:half], table[half:]), strict=True):
        parquet.write_table(part, path)
    return datasets.load_dataset("parquet", data_files=paths, split="train", streaming=True)


def selected(columns: Columns) -> Dataset:
    """Every second row, of a dataset whose others would be errors."""
    size = len(columns["reference"])
    mixed = {name: [value for given in values for value in (None, given)] for name, values in columns.items()}
    return Dataset.from_dict(mixed).select(range(1, 2 * size, 2))


#: By name, what makes a dataset of two columns; all have the rows, in some order.
KINDS: dict[str, Callable[[Columns, Path], Any]] = {
    "dataset": lambda columns, _: Dataset.from_dict(columns),
    "selected": lambda columns, _: selected(columns),
    "shuffled": lambda columns, _: Dataset.from_dict(columns).shuffle(seed=1),
    "concatenated": lambda columns, _: datasets.concatenate_datasets(
        [Dataset.from_dict(columns).select(range(50)), Dataset.from_dict(columns).select(range(50, 150))]
    ),
    "numpy": lambda columns, _: Dataset.from_dict(columns).with_format("numpy"),
    "one column formatted": lambda columns, _: Dataset.from_dict(columns).with_format("numpy", columns=["reference"]),
    "transformed": lambda columns, _: Dataset.from_dict(columns).with_transform(lambda batch: {}),
    "stream": lambda columns, _: stream(columns),
    "stream of shards": lambda columns, _: stream(columns, num_shards=7),
    "stream of files": parquet_stream,
    "shuffled stream": lambda columns, _: stream(columns, num_shards=3).shuffle(seed=1, buffer_size=20),
    "formatted stream": lambda columns, _: stream(columns).with_format("numpy"),
    "arrow stream": lambda columns, _: stream(columns).with_format("arrow"),
    "stream mapped as arrow": lambda columns, _: (
        stream(columns).with_format("arrow").map(lambda table: table, batched=True)
    ),
    "renamed stream": lambda columns, _: (
        stream(columns).rename_column("reference", "gold").rename_column("gold", "reference")
    ),
    "generator": lambda columns, _: generated(columns),
    "mapped generator": lambda columns, _: generated(columns).map(lambda row: {**row, "size": 1}),
    "generator with features": lambda columns, _: IterableDataset.from_generator(
        lambda: rows_of(columns), features=Dataset.from_dict(columns).features
    ),
    "table": lambda columns, _: pa.table(columns),
    "reader": lambda columns, _: pa.table(columns).to_reader(max_chunksize=17),
}


@pytest.fixture(params=[1, 3], ids=["1 core", "3 cores"])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(parallel, "usable_cores", lambda: request.param)
    return int(request.param)


def set_part_bytes(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", size)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    set_part_bytes(monkeypatch, 60)


PAIR = random_corpus_pair(150, seed=8)
EXPECTED = naive_scores(*PAIR)


def state_of(dataset: Any) -> list[str]:
    """Return what a dataset shows and holds, but for the place that an iterable keeps in itself."""
    held = re.sub(r"'_state_dict': .*?, '_", "'_", str(getattr(dataset, "__dict__", "")))
    return [held, str(dataset)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", [FORMS[name] for name in READERS], ids=READERS)
def test_every_kind_of_dataset_gives_the_scores_of_plain_python(
    form: Form, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_part_bytes(monkeypatch, 1000)
    monkeypatch.setattr(parallel, "usable_cores", lambda: 2)
    dataset = KINDS[kind](columns_of(*map(form.write, PAIR)), tmp_path)
    before = state_of(dataset)
    assert score_dataset(dataset, batch_size=40, **form.options) == expected_scores(form, EXPECTED)
    assert state_of(dataset) == before


FEATURES: list[tuple[str, Any]] = [
    *(("start", Sequence(value)) for value in (Value("bool"), Value("uint8"), ClassLabel(names=["inside", "start"]))),
    ("words_text", Value("large_string")),
    *(("word_lists", large(Value("large_string"))) for large in LARGE_LISTS),
]


@pytest.mark.parametrize(("form", "feature"), FEATURES, ids=str)
def test_values_of_any_feature_are_read(form: str, feature: Any) -> None:
    pair = random_corpus_pair(50, seed=2)
    columns = columns_of(*map(FORMS[form].write, pair))
    dataset = Dataset.from_dict(columns, features=Features(dict.fromkeys(columns, feature)))
    for some in (dataset, dataset.to_iterable_dataset()):
        assert score_dataset(some, **FORMS[form].options) == expected_scores(FORMS[form], naive_scores(*pair))


def bad_columns(bad: dict[int, tuple[Any, Any]], fine: Any = "a b", size: int = 50) -> Columns:
    """Two columns of `size` rows, all fine but those of some numbers."""
    rows = [bad.get(row, (fine, fine)) for row in range(size)]
    return columns_of([reference for reference, _ in rows], [prediction for _, prediction in rows])


def shrinking() -> IterableDataset:
    """A dataset that has a row less each time it is read."""
    left = list(rows_of(columns_of(["a b c"] * 6, ["ab c"] * 6)))

    def take() -> Iterator[dict[str, Any]]:
        left.pop()
        yield from left

    return IterableDataset.from_generator(take)


def damaged() -> Dataset:
    """A dataset whose second reference ends outside of its buffer."""
    offsets = pa.array([0, 1, 900, 3], pa.int32()).buffers()[1]
    broken = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"abc"))
    return Dataset(pa.table(columns_of(broken, pa.array(["a", "b", "c"]))))


ROW, NUMBERS, NOTHING = Dataset.from_dict(columns_of(["a"], ["a"])), columns_of([1.5], [1.5]), columns_of([], [])
WINDOWS = {"scores": "windows", **WORDS_TEXT}
#: Rows of three forms, the last two of which mix.
MIXED = [[]] * 3 + [["a"]] * 4 + ["a"] * 4
#: Read as words, only rows without an error could be scored, so that every score was 1.
TAGS = columns_of([["B", "I", "B"]] * 30, [["B", "I", "B"], ["B", "I", "I"]] * 15)
WITHOUT_ID = columns_of(["a b"] * 50, ["ab"] * 50) | {"document": ["a"] * 37 + [None] * 13}
NO_COLUMN = "there is no column 'gold': the dataset has 'reference', 'prediction'"
TWICE = {side: pa.table([["a"], ["a"], ["b"]], names=["reference", "prediction", side])
         for side in ("reference", "prediction")}  # fmt: skip


@pytest.mark.parametrize(
    ("dataset", "options", "error", "message"),
    [
        *((value, {}, TypeError, f"received a value of type {type(value).__name__}; expected a datasets.Dataset")
          for value in (None, "squad", [{"reference": "a", "prediction": "a"}], 3)),
        *((kind(train=ROW, test=ROW), {}, TypeError, f"received a {kind.__name__}; expected a datasets.Dataset, a "
           "datasets.IterableDataset or an Arrow table: pass one of its splits: train, test.")
          for kind in (DatasetDict, datasets.IterableDatasetDict)),
        *((dataset, {}, ValueError, f"there are 2 columns '{side}'; expected one.")
          for side, table in TWICE.items() for dataset in (table, table.to_reader())),
        *((make(NUMBERS), {}, TypeError, "references: received an Arrow array of type double; expected a string, a list")
          for make in (Dataset.from_dict, stream, pa.table)),
        (generated(NUMBERS), {}, TypeError, "references, utterance 0: received 1.5 (float); expected a string, a list"),
        *((make(NOTHING), options, ValueError, "there is nothing to score: expected at least one row, received none.")
          for make in (Dataset.from_dict, selected, generated, pa.table)
          for options in ({}, {"label_scheme": "BI"}, {"scores": "windows"})),
        *((make(columns_of(["a"], ["a"])), {side: "gold"}, ValueError, NO_COLUMN)
          for make in (Dataset.from_dict, stream, generated, pa.table, lambda columns: pa.table(columns).to_reader())
          for side in ("reference_column", "prediction_column")),
        (generated({"reference": ["a b"] * 9, "prediction": ["ab"] * 9, "doc": [*range(8), "8"]}),
         {"clusters": "doc", "confidence": 0.9, "batch_size": 5, **WORDS_TEXT}, TypeError,
         "clusters: expected ids that are all strings or all integers"),
        (ROW, {"on_error": "ignore"}, ValueError, 'on_error: expected "error" or "skip", received \'ignore\'.'),
        (ROW, {"batch_size": 0}, ValueError, "batch_size: expected a number of rows from 1 to 1000000000, received 0."),
        (ROW, {"reference_column": 0}, TypeError, "reference_column: expected the name of a column, received 0 (int)."),
        (ROW, {"clusters": 3, "confidence": 0.9}, TypeError, "clusters: expected the name of a column, received 3"),
        (ROW, {"clusters": "doc", "confidence": 0.9}, ValueError, "there is no column 'doc': the dataset has"),
        *((make({}), {}, ValueError, "there is no column 'reference': the dataset has no columns.")
          for make in (Dataset.from_dict, pa.table, lambda row: IterableDataset.from_generator(lambda: iter([row] * 2)))),
        (generated(columns_of([[np.array([1, 0])]], [[np.array([1, 0])]])), {}, TypeError,
         "references, utterance 0: item 0 is array([1, 0]) (ndarray); expected words (strings), tags"),
        (pd.DataFrame(columns_of(["a", 3], ["a", "b"])), {}, TypeError,
         "the table can't be read through Arrow (Expected bytes, got a 'int' object, Conversion failed for column reference"),
        (generated(bad_columns({37: ("a\ud800", "a")})), {"batch_size": 7, **WORDS_TEXT}, UtteranceError,
         "references, utterance 37: the character at offset 1 is a lone surrogate"),
        *((generated(bad_columns({37: (value, "a")})), {"batch_size": 7, "on_error": "skip", **WORDS_TEXT}, TypeError,
           "references, utterance 37: received ") for value in (3, 3.5, b"a")),
        (generated(columns_of(MIXED, MIXED)), {"batch_size": 7, "on_error": "skip"}, TypeError,
         "mixed forms: the references from row 7 are strings, earlier ones are lists of strings; expected the same form for"),
        (damaged(), WORDS_TEXT, ValueError, "the dataset, row 1: the data are damaged from here on: "),
        *((make(WITHOUT_ID), {"on_error": "skip", "clusters": "document", "confidence": 0.9, **WORDS_TEXT}, ValueError,
           "clusters: utterance 37 has no id: expected one for each; give") for make in (pa.table, Dataset.from_dict)),
        *((make(TAGS), {"batch_size": 7, **options}, TypeError,
           'received lists of tags (B, I) without label_scheme: did you mean label_scheme="BI"')
          for make in (pa.table, Dataset.from_dict, generated)
          for options in ({}, {"on_error": "skip"}, {"average": "macro"})),
        *((shrinking(), {**WINDOWS, **interval}, ValueError, "the dataset gave 5 rows when it was read for the default of")
          for interval in ({}, {"confidence": 0.95})),
        (pa.table(columns_of(["a b c"], ["ab c"])).to_reader(), WINDOWS, ValueError,
         'scores="windows" needs window_size here, as parts are counted before'),
        (pd.DataFrame(columns_of(["\ud800"], ["a"]), dtype=object), {}, TypeError, "the table can't be read through Arrow ("),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("small_parts")
def test_a_bad_dataset_or_option_is_refused(
    dataset: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        score_dataset(dataset, **options)


@pytest.mark.usefixtures("cores", "small_parts")
@pytest.mark.parametrize("kind", ["dataset", "shuffled stream", "stream", "generator", "table", "reader"])
@pytest.mark.parametrize(
    ("fine", "bad", "message"),
    [
        ("a b", ("a b", "a c"), "utterance {}: the units differ at offset 1"),
        ("a b", (None, None), "references, utterance {}: received None; expected a string, a list of words, or"),
        (["a"], (["a"], ["a", None]), "predictions, utterance {}: received a list with None in it; expected"),
    ],
)
def test_a_row_that_cannot_be_scored_is_named(kind: str, fine: Any, bad: Any, message: str, tmp_path: Path) -> None:
    dataset = KINDS[kind](bad_columns({37: bad}, fine), tmp_path)
    number = r"\d+" if kind == "shuffled stream" else "37"
    with pytest.raises(UtteranceError, match=r"^" + message.format(number)):
        score_dataset(dataset, batch_size=7, **(WORDS_TEXT if fine == "a b" else {}))


@pytest.mark.parametrize("size", [1, 60, 1 << 20])
def test_labels_that_are_left_out_part_by_part(size: int, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    # Of some parts nothing is left.
    set_part_bytes(monkeypatch, size)
    pair = random_corpus_pair(60, seed=9)
    columns = columns_of(*map(FORMS["start"].write, pair))
    bad = range(20, 40)
    for row in bad:
        columns["prediction"][row] = [7] if row % 2 else columns["prediction"][row] + [1]
    with pytest.warns(UserWarning, match=r"^20 of 60 utterances could not be scored"):
        found = score_dataset(pa.table(columns), on_error="skip", label_scheme="start")
    good = ([words for row, words in enumerate(side) if row not in bad] for side in pair)
    assert found == expected_scores(FORMS["start"], naive_scores(*good))


class ReadError(RuntimeError):
    """The error that a dataset of a test raises."""


@pytest.mark.parametrize("kind", [ReadError, KeyboardInterrupt])
def test_an_error_of_the_dataset_comes_through_and_ends_the_workers(kind: type[BaseException], cores: int) -> None:
    def rows_until_it_fails() -> Iterator[dict[str, Any]]:
        yield from rows_of(bad_columns({}))
        raise kind("the disk is gone")

    threads = threading.active_count()
    with pytest.raises(kind, match=r"^the disk is gone") as caught:
        score_dataset(IterableDataset.from_generator(rows_until_it_fails), batch_size=7, **WORDS_TEXT)
    if sys.version_info >= (3, 11) and kind is ReadError:
        assert caught.value.__notes__ == ["49 rows of the dataset were read before."]
    assert threading.active_count() == threads


def test_a_stream_is_read_only_a_few_items_ahead(cores: int) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in count():
            taken += 1
            yield item

    results = map_in_order(str, items())
    for item in range(100):
        assert next(results) == str(item)
        assert taken <= item + 2 + 2 * cores
    results.close()


@pytest.mark.slow
def test_memory_is_flat_and_nothing_is_written(tmp_path: Path) -> None:
    # Few types, as these alone are held.
    words = ["the", "dog", "barks", "at", "a", "boat"]
    references = [" ".join(words[i * j % 6] for j in range(3 + i % 20)) for i in range(1000)]
    batch = pa.record_batch(columns_of(references, [text.replace("e d", "ed") for text in references]))
    cache, pool = Path(datasets.config.HF_DATASETS_CACHE), pa.default_memory_pool()
    before, peaks = sorted(cache.rglob("*")), []
    for batches in (30, 300):
        path = tmp_path / f"{batches}.arrow"
        with pa.ipc.new_stream(str(path), batch.schema) as writer:
            for _ in range(batches):
                writer.write_batch(batch)
        dataset = Dataset.from_file(str(path))
        for some in (dataset, dataset.to_iterable_dataset()):
            own = pa.proxy_memory_pool(pool)
            pa.set_memory_pool(own)
            tracemalloc.start()
            try:
                found = score_dataset(some, scores=["token", "type"], **WORDS_TEXT)
                peaks.append(own.max_memory() + tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
                pa.set_memory_pool(pool)
            assert 0 < found["token_precision"] < 1
    assert sorted(cache.rglob("*")) == before
    assert max(peaks[2:]) < max(peaks[:2]) + 5_000_000, peaks


DOCUMENTS = [f"document {row * 7 % 40}" for row in range(150)]
#: The kinds of datasets that keep the order of the rows, on which resamples depend.
ORDERED = ("selected", "concatenated", "numpy", "stream of files", "arrow stream", "generator", "reader")


@pytest.mark.parametrize("kind", ORDERED)
def test_intervals_over_clusters_equal_lists(kind: str, tmp_path: Path, cores: int) -> None:
    sides = [words_text(side) for side in random_corpus_pair(150, seed=5)]
    options = {**WORDS_TEXT, "confidence": 0.9, "interval_method": "percentile", "n_resamples": 200, "seed": 3}
    expected = score(*sides, clusters=DOCUMENTS, **options)
    numbers = [int(name.split()[1]) for name in DOCUMENTS]
    for ids in (DOCUMENTS, numbers):
        dataset = KINDS[kind](columns_of(*sides) | {"document": ids}, tmp_path)
        assert score_dataset(dataset, clusters="document", batch_size=41, **options) == expected
    assert expected != score(*sides, **options)


def test_intervals_and_averages_of_rows_without_the_bad_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    set_part_bytes(monkeypatch, 600)
    sides = [words_text(side) for side in random_corpus_pair(150, seed=6)]
    good = [row for row in range(150) if row not in {0, 50, 51, 149}]
    kept = [[side[row] for row in good] for side in sides]
    columns = columns_of(*sides) | {"document": DOCUMENTS}
    for row, wrong in ((0, "other"), (50, None), (51, "\0"), (149, "units that differ")):
        columns["prediction"][row] = wrong
    options = {**WORDS_TEXT, "average": "macro", "confidence": 0.95}
    for dataset in (pa.table(columns), Dataset.from_dict(columns), generated(columns)):
        with pytest.warns(UserWarning, match="^4 of 150 utterances could not be scored"):
            found = score_dataset(dataset, clusters="document", on_error="skip", batch_size=70, **options)
        expected = score(*kept, clusters=[DOCUMENTS[row] for row in good], **options)
        # A row that is left out has counts of 0, so that sums are rounded in another order.
        assert found == pytest.approx(expected, rel=1e-12)
    # The window size comes from the whole reference, in a pass before.
    options = {**WORDS_TEXT, "scores": "windows", "average": "macro"}
    assert score_dataset(pa.table(columns_of(*kept)), **options) == score(*kept, **options)


LINES = ["the dog", "a cat is", "so it is"] * 10
CONFLICT = "<<<<<<< HEAD"


@pytest.mark.parametrize(
    ("values", "sign"),
    [
        (["text", *LINES], "a column under its name"),
        ([["[CLS]", "a", "[SEP]"], *[["the", "dog"]] * 30], "the special tokens of a model"),
        ([*LINES, "(2 rows)"], "a message of a program"),
        *(([*LINES[:row], CONFLICT, *LINES[row:]], "a conflict of Git") for row in (1, 29)),
    ],
)
@pytest.mark.usefixtures("small_parts")
def test_a_doubt_about_any_part_is_said_once(values: list[Any], sign: str) -> None:
    for make in (pa.table, generated):
        with pytest.warns(UserWarning, match=sign) as warned:
            score_dataset(make(columns_of(values, values)), batch_size=7, scores="token", text_format="words")
        assert len(warned) == 1


# The first lists are said to look like labels, and are words all the same.
@pytest.mark.filterwarnings("ignore:.* this looks like lines of labels")
@pytest.mark.usefixtures("small_parts")
def test_words_that_could_be_tags_are_words_beside_others() -> None:
    rows = [["the", "B"], *[["B", "I"]] * 20]
    for references in (rows, rows[::-1]):
        table = pa.table(columns_of(references, references))
        assert score_dataset(table, batch_size=1, scores="token_recall") == {"token_recall": 1.0}


@pytest.mark.filterwarnings("default::UserWarning")
@pytest.mark.usefixtures("small_parts")
def test_units_text_without_boundaries_is_warned_of() -> None:
    texts = ["t h e ;eword d o g"] * 30
    message = r"^the boundary token 'WORD_BOUNDARY' never occurs.*did you mean word_boundary=.;eword."
    for dataset in (pa.table(columns_of(texts, texts)), generated(columns_of(texts, texts))):
        with pytest.warns(UserWarning, match=message) as seen:
            score_dataset(dataset, batch_size=7, scores=["token", "windows"])
        assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "the boundary token")
        score_dataset(
            pa.table(columns_of([*texts, "a WORD_BOUNDARY b"], [*texts, "a b"])), batch_size=7, scores="token"
        )


@pytest.mark.filterwarnings("ignore:2 of 4 utterances could not be scored")
def test_a_part_that_cannot_be_read_does_not_warn_of_the_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the second part has words, and these are units text."""
    set_part_bytes(monkeypatch, 1)
    texts = [None, None, "b a WORD_BOUNDARY d o", "g o"]
    table = pa.table(columns_of(texts, texts))
    message = "outside the vocabulary.*a word list of 1 distinct words, such as 'x y'"
    with pytest.warns(UserWarning, match=message) as warned:
        assert score_dataset(table, on_error="skip", vocabulary=["x y"], scores="oov_rate") == {"oov_rate": 1.0}
    assert sum("outside the vocabulary" in str(each.message) for each in warned) == 1
