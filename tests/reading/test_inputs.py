"""Every form of utterances is read into the same column, with the same scores by the naive scorer."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from segscores import score, score_by
from segscores.options.errors import UtteranceError
from segscores.reading.inputs import read_column

from ..corpora import Form as WrittenForm
from ..corpora import expected_scores, start_labels, word_lists, words_text
from ..naive import naive_scores
from ..optional import torch

# Utterances of several lengths, with characters of two to four bytes of UTF-8; two are blank.
REFERENCE = [["the", "dog"], [], ["狗", "叫"], ["a"], ["é𠮷", "x", "yz"], []]
PREDICTION = [["thedog"], [], ["狗叫"], ["a"], ["é", "𠮷x", "yz"], []]
# As many units in every utterance, and as many words on every side: what fits into two dimensions.
REFERENCE_2D = [["ab", "c"], ["a", "bc"], ["狗", "é𠮷"]]
PREDICTION_2D = [["ab", "c"], ["ab", "c"], ["狗é", "𠮷"]]

INTEGER_TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

Wrap = Callable[[list[Any]], Any]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of utterance: how it is written from lists of words, and how it is read."""

    name: str
    write: Callable[..., list[Any]]
    options: dict[str, Any]


TEXTS = Kind("text", words_text, {"text_format": "words"})
WORD_LISTS = Kind("words", word_lists, {})
LABEL_LISTS = Kind("labels", start_labels, {"label_scheme": "start"})


def objects(values: list[Any], row: Callable[[Any], Any] = lambda row: row) -> np.ndarray:
    """A 1-D array of objects, whatever these are; `np.array` would make 2 dimensions of rows of one length."""
    array = np.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = row(value)
    return array


def arrow(arrow_type: pa.DataType) -> Wrap:
    return lambda values: pa.array(values, arrow_type)


def cast(from_type: pa.DataType, to_type: pa.DataType) -> Wrap:
    """Through another type, as Arrow makes no booleans of integers by itself."""
    return lambda values: pa.array(values, from_type).cast(to_type)


def dictionary(index_type: pa.DataType, value_type: pa.DataType) -> Wrap:
    return lambda values: pa.array(values, value_type).dictionary_encode().cast(pa.dictionary(index_type, value_type))


def sliced(wrap: Wrap, around: list[Any]) -> Wrap:
    """A slice out of the middle of an array: its buffers hold more than it shows."""
    return lambda values: wrap([*around, *values, *around]).slice(len(around), len(values))


def chunked(wrap: Wrap, around: list[Any]) -> Wrap:
    """Several chunks, of which one is empty and each is a slice of an array of its own."""

    def wrapped(values: list[Any]) -> pa.ChunkedArray:
        parts = [values[:1], [], values[1:3], values[3:]]
        return pa.chunked_array([sliced(wrap, around)(part) for part in parts], wrap(around).type)

    return wrapped


def fixed_size(value_type: pa.DataType) -> Wrap:
    def wrapped(rows: list[Any]) -> pa.FixedSizeListArray:
        values = pa.array([value for row in rows for value in row]).cast(value_type)
        return pa.FixedSizeListArray.from_arrays(values, len(rows[0]))

    return wrapped


def column_of(form: str | None, column: Callable[[datasets.Dataset], Any] = lambda dataset: dataset["x"]) -> Wrap:
    return lambda values: column(datasets.Dataset.from_dict({"x": values}).with_format(form))


def selected(values: list[Any]) -> Any:
    """Rows picked out of more, so that the column reads through a table of indices."""
    doubled = datasets.Dataset.from_dict({"x": [value for value in values for _ in range(2)]})
    return doubled.select(range(0, len(doubled), 2))["x"]


def filtered_series(values: list[Any]) -> pd.Series:
    """A series with gaps in its index."""
    return pd.Series([value for value in values for _ in range(2)], dtype=object)[[True, False] * len(values)]


class Row(list):
    """A list by another name, as libraries have them."""


class Text(str):
    """A string by another name, as libraries have them."""

    __slots__ = ()


ANY_KIND: dict[str, Wrap] = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "deque": deque,
    "dict_values": lambda values: dict(enumerate(values)).values(),
    "numpy_objects": objects,
    "pandas": pd.Series,
    "pandas_filtered": filtered_series,
    "dataset": column_of(None),
    "dataset_rows": column_of(None, lambda dataset: dataset[:]["x"]),
    "dataset_select": selected,
    "dataset_numpy": column_of("numpy"),
    "dataset_numpy_slice": column_of("numpy", lambda dataset: dataset["x"][:]),
    "dataset_torch": column_of("torch"),
    "dataset_arrow_rows": column_of("arrow", lambda dataset: dataset[:]["x"]),
    "dataset_pandas": column_of("pandas"),
}

TEXT_ARROW: dict[str, Wrap] = {
    "string": arrow(pa.string()),
    "large_string": arrow(pa.large_string()),
    "string_view": arrow(pa.string_view()),
    "dictionary": dictionary(pa.int32(), pa.string()),
}
WORDS_ARROW: dict[str, Wrap] = {
    "list": arrow(pa.list_(pa.string())),
    "list_of_views": arrow(pa.list_(pa.string_view())),
    "large_list": arrow(pa.large_list(pa.large_string())),
    "list_of_dictionary": arrow(pa.list_(pa.dictionary(pa.int32(), pa.string()))),
}
LABELS_ARROW: dict[str, Wrap] = {
    f"{name}_{inner}": cast(outer(pa.int64()), outer(getattr(pa, "bool_" if inner == "bool" else inner)()))
    for name, outer in (("list", pa.list_), ("large_list", pa.large_list))
    for inner in INTEGER_TYPES
}


def with_parts(wraps: dict[str, Wrap], around: list[Any]) -> dict[str, Wrap]:
    """Arrow arrays whole, sliced and in chunks."""
    return {
        f"arrow_{name}{suffix}": wrap
        for name, whole in wraps.items()
        for suffix, wrap in (("", whole), ("_sliced", sliced(whole, around)), ("_chunks", chunked(whole, around)))
    }


def of_types(name: str, wrap: Callable[[str, list[Any]], Any]) -> dict[str, Wrap]:
    """Return a form for each type of integers."""
    return {f"{name}_{kind}": partial(wrap, kind) for kind in INTEGER_TYPES}


def torch_tensor(kind: str, values: list[Any]) -> Any:
    return torch.tensor(values, dtype=getattr(torch, kind))


FORMS: dict[Kind, dict[str, Wrap]] = {
    TEXTS: {
        **ANY_KIND,
        "numpy_unicode": np.array,
        "numpy_str_scalars": lambda values: list(np.array(values)),
        "str_subclass": lambda values: [Text(value) for value in values],
        "pandas_categorical": lambda values: pd.Series(values).astype("category"),
        "pandas_arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
        "pandas_index": pd.Index,
        **with_parts(TEXT_ARROW, ["around", "it"]),
    },
    WORD_LISTS: {
        **ANY_KIND,
        "tuples": lambda values: [tuple(row) for row in values],
        "list_subclass": lambda values: [Row(row) for row in values],
        "numpy_rows": lambda values: [np.array(row, str) for row in values],
        "numpy_object_rows": lambda values: [np.array(row, object) for row in values],
        "numpy_objects_of_tuples": lambda values: objects(values, tuple),
        "series_rows": lambda values: [pd.Series(row, dtype=object) for row in values],
        "pandas_of_arrays": lambda values: pd.Series([np.array(row, object) for row in values]),
        "pandas_arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
        **with_parts(WORDS_ARROW, [["around"], ["it", "all"]]),
    },
    LABEL_LISTS: {
        **ANY_KIND,
        "tuples": lambda values: [tuple(row) for row in values],
        "bools": lambda values: [[bool(label) for label in row] for row in values],
        "numpy_scalars": lambda values: [[np.int8(label) for label in row] for row in values],
        "bool_scalars": lambda values: [[np.bool_(label) for label in row] for row in values],
        "numpy_rows_blank_ones_of_floats": lambda values: [np.array(row) for row in values],
        "pandas_of_arrays_blank_ones_of_floats": lambda values: pd.Series([np.array(row) for row in values]),
        "torch_rows_blank_ones_of_floats": lambda values: [torch.tensor(row) for row in values],
        "rows_of_lists_numpy_and_torch": lambda values: [
            wrap(row) for wrap, row in zip([list, np.array, torch.tensor] * 2, values, strict=True)
        ],
        **of_types("numpy_rows", lambda kind, values: [np.array(row, kind) for row in values]),
        **of_types("torch_rows", lambda kind, values: [torch_tensor(kind, row) for row in values]),
        **with_parts(LABELS_ARROW, [[1, 1], [0]]),
    },
}

FORMS_2D: dict[Kind, dict[str, Wrap]] = {
    WORD_LISTS: {
        "numpy_unicode": np.array,
        "numpy_objects": lambda values: np.array(values, object),
        "numpy_fortran": np.asfortranarray,
        "dataset_numpy": column_of("numpy", lambda dataset: dataset["x"][:]),
        **with_parts(
            {
                f"fixed_size_{value_type}": fixed_size(value_type)
                for value_type in (pa.string(), pa.large_string(), pa.string_view())
            },
            [["around", "it"]],
        ),
    },
    LABEL_LISTS: {
        "numpy_objects": lambda values: np.array(values, object),
        "numpy_fortran": np.asfortranarray,
        "numpy_big_endian": lambda values: np.array(values, ">i4"),
        "numpy_strided": lambda values: np.repeat(values, 2, axis=1)[:, ::2],
        "torch_transposed": lambda values: torch.tensor(values).T.contiguous().T,
        "dataset_numpy": column_of("numpy", lambda dataset: dataset["x"][:]),
        "dataset_torch": column_of("torch", lambda dataset: dataset["x"][:]),
        **of_types("numpy", lambda kind, values: np.array(values, kind)),
        **of_types("torch", torch_tensor),
        **with_parts(
            {f"fixed_size_{kind}": fixed_size(kind) for kind in (pa.bool_(), pa.uint8(), pa.int64(), pa.uint64())},
            [[1, 1, 1]],
        ),
    },
}

CASES = [
    pytest.param(kind, wrap, sides, id=f"{kind.name}-{name}{suffix}")
    for forms, sides, suffix in ((FORMS, (REFERENCE, PREDICTION), ""), (FORMS_2D, (REFERENCE_2D, PREDICTION_2D), "_2d"))
    for kind, wraps in forms.items()
    for name, wrap in wraps.items()
]


def expected(kind: Kind, reference: list[Any], prediction: list[Any]) -> dict[str, float]:
    form = WrittenForm(kind.write, has_words=kind is not LABEL_LISTS)
    return expected_scores(form, naive_scores(reference, prediction))


@pytest.mark.parametrize(("kind", "wrap", "sides"), CASES)
def test_every_form_gives_the_scores_of_the_naive_scorer(kind: Kind, wrap: Wrap, sides: tuple[Any, Any]) -> None:
    reference, prediction = map(kind.write, sides)
    scores = expected(kind, *sides)
    assert score(wrap(reference), wrap(prediction), **kind.options) == scores
    assert score(reference, wrap(prediction), **kind.options) == scores, "a plain list beside another container"


@pytest.mark.skipif(
    not hasattr(getattr(np, "dtypes", None), "StringDType"), reason="numpy 1 has no strings of variable length"
)
def test_numpy_strings_of_variable_length_are_strings() -> None:
    values = np.array(words_text(REFERENCE), np.dtypes.StringDType())
    assert read_column(values, "references").to_pylist() == words_text(REFERENCE)


def test_values_outside_a_slice_are_not_counted() -> None:
    whole = pa.array([None, ["a", None], ["the", "dog"], ["x"]], pa.list_(pa.string()))
    assert read_column(whole.slice(2), "references").to_pylist() == [["the", "dog"], ["x"]]


@pytest.mark.parametrize(("kind", "wrap"), [(TEXTS, wrap) for wrap in (list, tuple, objects, pd.Series, pa.array)])
def test_reading_leaves_the_input_as_it_was(kind: Kind, wrap: Wrap) -> None:
    values = kind.write(REFERENCE)
    wrapped = wrap(values)
    score(wrapped, wrapped, **kind.options)
    assert list(map(str, wrapped)) == values


BLANK_SIDES = {
    "whitespace": ([" ", "\t\r\n", "\u3000 \u2028"], {"text_format": "words"}),
    "boundaries_alone": (["WORD_BOUNDARY", " WORD_BOUNDARY WORD_BOUNDARY ", ""], {}),
    "ignored_tokens_alone": ([";esyll", ";eword ;esyll", ""], {"word_boundary": ";eword", "ignored_tokens": ";esyll"}),
    "empty_lists_as_labels": ([[], [], []], {"label_scheme": "start"}),
    "empty_lists_as_tags": ([[], [], []], {"label_scheme": "BMES"}),
    "empty_words": ([[""], ["", ""], []], {}),
    "tuples": (((), (), ()), {}),
    "numpy_rows": ([np.array([]), np.array([], int), []], {"label_scheme": "end"}),
    "numpy_2d_floats": (np.zeros((3, 0)), {"label_scheme": "start"}),
    "torch_2d": (torch.zeros((3, 0), dtype=torch.int64), {"label_scheme": "start"}),
    "torch_rows": ([torch.tensor([])] * 3, {"label_scheme": "start"}),
    "pandas_text": (pd.Series(["", " ", ""]), {}),
    "arrow_null_lists": (pa.array([[], [], []]), {}),
    "arrow_fixed_size": (pa.array([[], [], []], pa.list_(pa.int64(), 0)), {"label_scheme": "start"}),
    "dataset": (datasets.Dataset.from_dict({"x": [[], [], []]})["x"], {}),
}


@pytest.mark.parametrize(("side", "options"), BLANK_SIDES.values(), ids=BLANK_SIDES)
def test_sides_of_blank_utterances_alone_have_no_defined_score(side: Any, options: dict[str, Any]) -> None:
    form = WrittenForm(list, has_words="label_scheme" not in options)
    blank = [[], [], []]
    assert score(side, side, zero_division=0.5, **options) == expected_scores(form, naive_scores(blank, blank, 0.5))


NOTHING = {
    "iterator": lambda: iter(()),
    "numpy": lambda: np.array([]),
    "numpy_2d": lambda: np.zeros((0, 3), int),
    "torch": lambda: torch.tensor([]),
    "pandas": lambda: pd.Series([]),
    "arrow": lambda: pa.array([]),
    "arrow_no_chunks": lambda: pa.chunked_array([], pa.string()),
    "dataset": lambda: datasets.Dataset.from_dict({"x": []})["x"],
}


@pytest.mark.parametrize("name", NOTHING)
def test_no_utterance_at_all_is_nothing_to_score(name: str) -> None:
    with pytest.raises(ValueError, match="there is nothing to score: expected at least one utterance"):
        score(NOTHING[name](), NOTHING[name]())


CONTAINERS: dict[str, Wrap] = {
    "list": list,
    "generator": lambda values: (value for value in values),
    "numpy_objects": objects,
    "pandas": lambda values: pd.Series(values, dtype=object),
}
SURROGATE = r".*offset 1 is a lone surrogate \(U\+D800\)"
MASKED = "received a masked array; expected plain arrays"
#: An utterance that cannot be read, one that can, and what is said.
UNREADABLE: dict[str, tuple[Any, Any, str]] = {
    "a surrogate": ("a\ud800", "a", SURROGATE),
    "a surrogate in a list": (["a\ud800"], ["a"], SURROGATE),
    # What pandas 3 and what pandas 2 take NaN for among strings.
    "NaN": (float("nan"), "a", r"received (None|nan).*; expected a string, a list of"),
    **{
        shown: (odd, "a", f"received {shown}.*; expected a string, a list of")
        for odd, shown in ((None, "None"), (3, r"3 \(int\)"), ({"a": 1}, "{'a': 1}"), (b"a", "b'a'"))
    },
    "masked labels": (np.ma.array([1, 0, 0], mask=[0, 0, 1]), [0], MASKED),
    "masked words": (np.ma.array(["a", "b"], mask=[0, 1]), ["a"], MASKED),
    "a masked array without a mask": (np.ma.array([1, 0], mask=False), [0], MASKED),
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("wrap", CONTAINERS.values(), ids=CONTAINERS)
def test_an_utterance_that_cannot_be_read_is_named_in_every_container(wrap: Wrap, name: str) -> None:
    odd, good, message = UNREADABLE[name]
    options = {"label_scheme": "end"} if good == [0] else {"text_format": "words"}
    with pytest.raises((TypeError, UtteranceError), match=f"^references, utterance 1: {message}"):
        score(wrap([good, odd]), [good, good], **options)
    with pytest.raises((TypeError, UtteranceError), match=f"^predictions, utterance 1: {message}"):
        score([good, good], wrap([good, odd]), **options)


def test_a_masked_array_of_all_utterances_is_rejected() -> None:
    masked = np.ma.array([[1, 0], [1, 0]], mask=[[0, 0], [0, 1]])
    with pytest.raises(TypeError, match=f"^references: {MASKED}"):
        score(masked, [[1, 0], [1]], label_scheme="start")


def test_the_first_integer_of_more_than_63_bits_is_a_label_outside_the_scheme() -> None:
    with pytest.raises(ValueError, match=rf"utterance 1: .*{2**63}"):
        score([[1], [1]], [[-(2**63)], [2**63]], label_scheme="start")


@pytest.mark.parametrize(("number", "hint"), [(-100, r" Is -100 padding\? Drop .*"), (5, "")])
def test_a_number_among_tags_is_padding_if_it_is_minus_100(number: int, hint: str) -> None:
    # The first item is not of utterance 0, which is empty, nor of the named utterance.
    first = r"item 0 of utterance 1 is 'B' \(str\)"
    received = rf"^mixed forms: references, utterance 2: item 0 is {number} \(int\), and {first}"
    with pytest.raises(TypeError, match=f"{received}; expected only words, only tags or only labels.{hint}$"):
        score([[], ["B"], [number]], [[], ["B"], ["B"]], label_scheme="BI")


@pytest.mark.parametrize(
    "wrap", [list, np.array, torch.tensor, pd.Series, pa.array], ids=["list", "numpy", "torch", "pandas", "arrow"]
)
def test_a_label_outside_the_scheme_is_named_in_every_container(wrap: Wrap) -> None:
    with pytest.raises(
        UtteranceError,
        match=r"^predictions, utterance 1: unit 2 has the label -100; .*are predictions and references swapped",
    ):
        score([[1, 0, 1], [1, 0, 1]], wrap([[1, 0, 1], [1, 0, -100]]), label_scheme="start")


#: The indices of two Series, and whether they are said to differ in order.
INDICES = {
    "another order": (["a", "b", "c"], ["b", "a", "c"], True),
    "numbers in another order": ([5, 6, 7], [6, 5, 7], True),
    "one order": (["a", "b", "c"], ["a", "b", "c"], False),
    "other labels": (["a", "b", "c"], ["b", "a", "d"], False),
    "a label twice, which loc takes twice": (["a", "a", "c"], ["c", "a", "a"], False),
    "a list of a model, of shuffled rows": ([2, 0, 1], range(3), False),
}


@pytest.mark.parametrize(("first", "other", "is_said"), INDICES.values(), ids=INDICES)
def test_series_of_one_index_in_two_orders_are_doubted(
    first: Any, other: Any, is_said: bool, recwarn: pytest.WarningsRecorder
) -> None:
    sides = [pd.Series(["a b", "a b", "c d"], index=index) for index in (first, other)]
    said = "the Series have the same index in different orders"
    words: dict[str, Any] = {"text_format": "words", "scores": "token"}
    reference, other_series = sides
    for call in (
        lambda: score(*sides, **words),
        lambda: score_by(reference, [*reference], by=other_series, **words),
        lambda: score(reference, [*reference], clusters=other_series, confidence=0.9, **words),
    ):
        call()
        assert sum(said in str(warning.message) for warning in recwarn.list) == is_said
        recwarn.clear()
