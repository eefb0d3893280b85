"""Scores of subsets: those of `score` on the utterances of each alone, for every kind of value and on every surface."""

import json
import math
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import segscores

from ..command_runs import Run
from ..corpora import random_corpus_pair, words_text
from ..files import json_lines, write_parquet

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

REFERENCES, PREDICTIONS = map(words_text, random_corpus_pair(60, seed=5, units="abc"))
OTHERS = ["".join(line.split()) for line in REFERENCES]
CHILDREN = [("Eve", "Adam")[number * number % 3] for number in range(60)]
RECORDINGS = [number // 4 for number in range(60)]
UNITS = [len("".join(line.split())) for line in REFERENCES]


def in_turn(*values: Any) -> list[Any]:
    """Return a value for each of the 60 utterances: the first, the second, and so on, from the first again."""
    return list(islice(cycle(values), 60))


OPTIONS: dict[str, Any] = {"text_format": "words", "scores": ["token", "type", "windows", "exact"], "window_size": 2}


def alone(chosen: Sequence[bool], predictions: Sequence[str] = PREDICTIONS, **options: Any) -> dict[str, float]:
    """The scores of the chosen utterances alone."""
    places = np.flatnonzero(chosen).tolist()
    if "clusters" in options:
        options["clusters"] = [options["clusters"][at] for at in places]
    return segscores.score([REFERENCES[at] for at in places], [predictions[at] for at in places], **options)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"confidence": 0.9},
        {"confidence": 0.9, "clusters": RECORDINGS},
        {"confidence": 0.9, "interval_method": "percentile", "n_resamples": 50},
        {"average": "macro", "confidence": 0.9, "scores": ["token", "windows"]},
        {"on_error": "skip", "scores": ["token", "windows", "skipped_utterances"], "confidence": 0.9},
    ],
    ids=str,
)
def test_a_subset_has_the_scores_of_its_utterances_alone(more: dict[str, Any]) -> None:
    options = OPTIONS | more
    predictions = list(PREDICTIONS)
    if "on_error" in more:
        predictions[7] = "x"
    found = segscores.score_by(REFERENCES, predictions, CHILDREN, **options)
    assert found.whole == {"prediction": segscores.score(REFERENCES, predictions, **options)}
    assert list(found.scores["prediction"]) == list(dict.fromkeys(CHILDREN))
    for child, scores in found.scores["prediction"].items():
        assert scores == pytest.approx(
            alone([each == child for each in CHILDREN], predictions, **options), nan_ok=True
        ), child


def test_the_window_size_is_computed_from_the_whole_reference() -> None:
    options = {"text_format": "words", "scores": "windows"}
    size = segscores.signature(REFERENCES, **options).split("|win:")[1].split("-")[0]
    found = segscores.score_by(REFERENCES, PREDICTIONS, CHILDREN, **options)
    is_eve = [child == "Eve" for child in CHILDREN]
    assert found.scores["prediction"]["Eve"] == alone(is_eve, window_size=int(size), **options)


FRACTIONS = [(number * 37 % 60) / 60 for number in range(60)]


#: Values of the utterances, and of each value which of every three utterances has it. Numbers are sorted, also those of a
#: file and those with which all labels begin. Ordered categories keep their order.
KINDS: dict[str, tuple[Any, dict[str, int]]] = {
    "integers": (in_turn(10, 9, 100), {"9": 1, "10": 0, "100": 2}),
    "texts of numbers": (np.array(in_turn("10", "9", "100")), {"9": 1, "10": 0, "100": 2}),
    "fractions": (pd.Series(in_turn(1.5, 0.5, 2.0), name="age"), {"0.5": 1, "1.5": 0, "2": 2}),
    "decimals": (in_turn(Decimal("1.5"), Decimal("0.5"), Decimal("2.0")), {"0.5": 1, "1.5": 0, "2": 2}),
    "names": (pa.array(in_turn("b", "a", "1")), {"b": 0, "a": 1, "1": 2}),
    # Python reads the first two as 112, and the others as the same number.
    "ids with underscores": (in_turn("1_12", "11_2", "9"), {"1_12": 0, "9": 2, "11_2": 1}),
    "large ids": (in_turn(2**60, 2**60 - 1, 2**60 - 2), {str(2**60 - 2): 2, str(2**60 - 1): 1, str(2**60): 0}),
    "bands": (in_turn("15-20", "9-14", "21-"), {"9-14": 1, "15-20": 0, "21-": 2}),
    "names with numbers": (in_turn("p10", "p9", "p1"), {"p10": 0, "p9": 1, "p1": 2}),
    "cut": (pd.cut(in_turn(30, 2, 15), [0, 9, 20, 40, 50]), {"(0, 9]": 1, "(9, 20]": 2, "(20, 40]": 0}),
    "ordered categories": (pd.Categorical(in_turn("b", "c", "a"), ["c", "b", "a"], ordered=True), {"c": 1, "b": 0, "a": 2}),
}  # fmt: skip


@pytest.mark.parametrize(("by", "members"), KINDS.values(), ids=KINDS)
def test_values_of_any_kind(by: Any, members: dict[str, int]) -> None:
    found = segscores.score_by(REFERENCES, PREDICTIONS, by, **OPTIONS)
    assert list(found.scores["prediction"]) == list(members)
    for value, place in members.items():
        chosen = [number == place for number in in_turn(0, 1, 2)]
        assert found.scores["prediction"][value] == alone(chosen, **OPTIONS)
    assert found.by == getattr(by, "name", "value")


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (in_turn("Ann", "bob", "ann"), "the values 'Ann' and 'ann' differ in case, spaces or forms of Unicode"),
        (in_turn("1;6", "1; 6", "2;0"), "the values '1;6' and '1; 6' differ"),
        (in_turn("\u00e9", "e\u0301", "bob"), "differ in case, spaces or forms of Unicode"),
        (in_turn("Ann", "Anne", "bob"), ""),
        (in_turn("3", "3.0", "4"), ""),
    ],
)
def test_values_that_differ_in_case_alone_are_said(by: Any, said: str, recwarn: pytest.WarningsRecorder) -> None:
    segscores.score_by(REFERENCES, PREDICTIONS, by, **OPTIONS)
    messages = [str(warning.message) for warning in recwarn]
    assert ["differ in case, spaces or" in message for message in messages] == [True] * bool(said)
    assert all(said in message for message in messages)


def test_the_number_of_a_subset_is_the_number_that_its_utterances_have() -> None:
    # A mean of twenty times 0.1 would be 0.10000000000000002.
    found = segscores.score_by(REFERENCES, PREDICTIONS, in_turn(0.1, 0.3, 0.7), **OPTIONS)
    (system,) = found.systems
    assert [subset.number for subset in system.subsets] == [0.1, 0.3, 0.7]


def test_many_fractions_are_cut_into_tenths() -> None:
    found = segscores.score_by(REFERENCES, PREDICTIONS, FRACTIONS, **OPTIONS).scores["prediction"]
    assert len(found) == 10
    for tenth, scores in enumerate(found.values()):
        assert scores == alone([tenth * 6 <= round(number * 60) < tenth * 6 + 6 for number in FRACTIONS], **OPTIONS)
    assert list(found)[1] == "0.1-0.183"
    # Equal numbers stay together, even if their tenth is larger for it.
    equal = [0.0 if number < 0.5 else number for number in FRACTIONS]
    found = segscores.score_by(REFERENCES, PREDICTIONS, equal, **OPTIONS).scores["prediction"]
    assert list(found)[:2] == ["0-0", "0.5-0.583"]
    # Of three digits the tenths have the same: each keeps its scores.
    near = [1000 + number for number in FRACTIONS]
    found = segscores.score_by(REFERENCES, PREDICTIONS, near, **OPTIONS).scores["prediction"]
    assert list(found) == [f"1e+03-1e+03 ({number})" for number in range(1, 11)]
    assert list(found.values())[1] == alone([6 <= round(number * 60) < 12 for number in FRACTIONS], **OPTIONS)


def test_lengths_in_bands() -> None:
    found = segscores.score_by(REFERENCES, PREDICTIONS, "length", **OPTIONS).scores["prediction"]
    bands = {"0": (0, 0), "1": (1, 1), "2-3": (2, 3), "4-7": (4, 7), "8-15": (8, 15)}
    used = {name: ends for name, ends in bands.items() if any(ends[0] <= units <= ends[1] for units in UNITS)}
    assert len(used) > 3
    assert list(found) == list(used)
    for name, (low, high) in used.items():
        assert found[name] == alone([low <= units <= high for units in UNITS], **OPTIONS)


def test_systems_have_rows_for_programs_and_points_with_intervals() -> None:
    systems = {"a": PREDICTIONS, "b": OTHERS}
    options: dict[str, Any] = {"text_format": "words", "scores": "token", "confidence": 0.9}
    ages = in_turn(24, 30, 48)
    found = segscores.score_by(REFERENCES, systems, ages, **options)
    frame = found.to_frame().set_index("subset")
    rows = {name: rows.loc[rows.pop("score") == "token_recall"] for name, rows in frame.groupby("prediction")}
    for age in (24, 30, 48):
        of_age = [other == age for other in ages]
        for name, predictions in systems.items():
            scores = alone(of_age, predictions, **options)
            row = rows[name].loc[str(age)]
            assert row.tolist() == [name, 20, *(scores[f"token_recall{end}"] for end in ("", "_low", "_high"))]
    figure = found.plot("token_recall")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("value", "Word recall")
    lines = axes.lines[1::2]
    assert [text.get_text() for text in axes.texts] == list(systems)
    for line, name in zip(lines, systems, strict=True):
        assert np.round(line.get_xdata()).tolist() == [24, 30, 48]
        assert line.get_ydata().tolist() == rows[name]["value"][1:].tolist()
    for bars, name in zip(axes.collections, systems, strict=True):
        ends = rows[name][["low", "high"]].to_numpy()[1:]
        assert np.array([segment[:, 1] for segment in bars.get_segments()]).tolist() == ends.tolist()
    # Names are in no order that a line would show.
    (axes,) = segscores.score_by(REFERENCES, systems, CHILDREN, **options).plot().axes
    assert axes.get_ylabel() == "Word F-score"
    assert {line.get_linestyle() for line in axes.lines[1::2]} == {"None"}


def test_a_subset_of_one_utterance_has_no_interval_and_small_ones_are_warned_of() -> None:
    by = ["one", *["few"] * 11, *["many"] * 48]
    none, few = (
        r"^subsets of fewer than 2 utterances: one\. They have no interval, which needs two utterances\.$",
        r"^subsets of fewer than 12 utterances: few\. Their",
    )
    with pytest.warns(UserWarning, match=none), pytest.warns(UserWarning, match=few):
        found = segscores.score_by(REFERENCES, PREDICTIONS, by, text_format="words", scores="token", confidence=0.9)
    scores = found.scores["prediction"]["one"]
    assert math.isnan(scores["token_recall_low"])
    assert scores["token_recall"] == alone([True, *[False] * 59], text_format="words", scores="token")["token_recall"]


@pytest.mark.parametrize(
    ("by", "kind", "message"),
    [
        ("lengths", TypeError, 'a number for each utterance, "length" or "category", received \'lengths\''),
        (3, TypeError, "received 3"),
        (set(range(60)), TypeError, r"received \{0, 1"),
        (np.ones((60, 2)), TypeError, "a number for each utterance, .* 1-dimensional"),
        (["a"], ValueError, "received 1 values for 60 utterances: expected one for each"),
        (["a", None, *["b"] * 58], ValueError, ".*utterance 1: there is no value"),
        (np.array([math.nan, *[1.0] * 59]), ValueError, ".*utterance 0: there is no value"),
        ([["a"]] * 60, TypeError, r"received \['a'\]"),
    ],
)
def test_bad_values(by: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^by[:,] .*{message}"):
        segscores.score_by(REFERENCES, PREDICTIONS, by, **OPTIONS)


@pytest.mark.parametrize("score", [segscores.baselines, partial(segscores.score_by, by=["a"])], ids=["baselines", "by"])
@pytest.mark.parametrize(
    ("systems", "kind", "message"),
    [
        ({}, ValueError, "at least one system in the dict, received none"),
        ({1: ["ab"], "b": ["ab"]}, TypeError, "names as strings, received 1"),
    ],
)
def test_systems_have_names(score: Any, systems: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^predictions: expected {message}"):
        score(["a b"], systems, text_format="words")


@pytest.mark.parametrize(
    "score", [segscores.baselines, partial(segscores.score_by, by=[1, 1])], ids=["baselines", "by"]
)
def test_an_iterator_of_clusters_is_read_once(score: Any) -> None:
    sides, options = (["a b", "c"], ["ab", "c"]), {"text_format": "words", "average": "cluster", "scores": "token"}
    assert score(*sides, clusters=iter("xy"), **options) == score(*sides, clusters=["x", "y"], **options)


def test_many_subsets_are_rows() -> None:
    """Their columns are wider than a terminal; programs read the same rows."""
    options: dict[str, Any] = {"text_format": "words", "scores": "token"}
    found = segscores.score_by(REFERENCES, PREDICTIONS, in_turn(0, 1, 2, 3, 4), **options)
    table, signature = found.render().split("\n\n")
    header, _, *rows = table.splitlines()
    assert header.split() == ["value", "token_precision", "token_recall", "token_fscore", "count_utterances"]
    assert [row.split()[0] for row in rows] == ["prediction", *"01234"]
    columns, _ = found.render(systems="columns").split("\n\n")
    transposed = zip(*map(str.split, columns.splitlines()[2:]), strict=True)
    assert [cells for _, *cells in map(str.split, rows)] == [[*cells] for cells in transposed][1:]
    few = segscores.score_by(REFERENCES, PREDICTIONS, in_turn(0, 1, 2, 3), **options)
    assert few.render().split()[:2] == ["score", "prediction"]
    expected = segscores.signature(REFERENCES, **options)
    assert signature == f"signature: {expected}"
    assert found.to_dict()["signature"] == json.loads(found.to_json())["signature"] == expected
    subsets = found.to_dict()["predictions"][0]["subsets"]
    assert [(subset["value"], [*subset["counts"]]) for subset in subsets] == [
        (value, ["utterances"]) for value in "01234"
    ]


def test_the_signature_has_the_intervals_and_the_number_of_clusters() -> None:
    options: dict[str, Any] = {**OPTIONS, "confidence": 0.9, "clusters": CHILDREN}
    with pytest.warns(UserWarning, match="clusters"):
        found = segscores.score_by(REFERENCES, PREDICTIONS, in_turn(0, 1), **options)
    assert found.signature == segscores.signature(REFERENCES, **options)
    assert f"|clusters:{len(set(CHILDREN))}|" in found.signature


#: Options of `score_by`, which the command has as `SHARED_FLAGS`.
SHARED: dict[str, Any] = {"text_format": "words", "scores": "token", "confidence": 0.9}
SHARED_FLAGS = ["--scores", "token", "--confidence", "0.9", "--format", "json"]


SIDES = {"reference": REFERENCES, "prediction": PREDICTIONS}
AGES = in_turn(30, 24.5)
#: How the values of a column are written, the inputs, the values, and further options.
COLUMNS: dict[str, tuple[Callable[[], object], str, list[Any], dict[str, Any]]] = {
    "a table with values and clusters": (
        lambda: write_parquet("t.parquet", pa.table({**SIDES, "child": CHILDREN, "recording": RECORDINGS})),
        "t.parquet --by column:child --clusters column:recording", CHILDREN, {"clusters": RECORDINGS}),
    "mixed numbers of JSON lines": (
        lambda: Path("t.jsonl").write_bytes(json_lines({**SIDES, "age": AGES})), "t.jsonl --by column:age", AGES, {}),
}  # fmt: skip


def subsets_in(output: str) -> dict[str, Any]:
    """Return the scores of each subset in the JSON that the command prints."""
    (entry,) = json.loads(output)["predictions"]
    return {subset["value"]: subset["scores"] for subset in entry["subsets"]}


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize("name", COLUMNS)
def test_columns_have_values(run: Run, name: str) -> None:
    write, line, by, options = COLUMNS[name]
    write()
    status, output, _ = run(*line.split(), *SHARED_FLAGS)
    assert status == 0
    expected = segscores.score_by(REFERENCES, PREDICTIONS, by, **options, **SHARED)
    assert subsets_in(output) == expected.scores["prediction"]


@pytest.mark.usefixtures("in_folder")
def test_an_utterance_that_is_skipped_has_a_value_too(run: Run) -> None:
    # The first prediction has other units than the reference.
    contents = {"r.txt": REFERENCES, "p.txt": ["x y", *PREDICTIONS[1:]], "child.txt": CHILDREN}
    line = "r.txt p.txt --by child.txt --on-error skip --plot p.pdf"
    status, output, _ = run(contents, *line.split(), *SHARED_FLAGS)
    assert status == 0
    expected = segscores.score_by(REFERENCES[1:], PREDICTIONS[1:], CHILDREN[1:], **SHARED).scores["prediction"]
    found = subsets_in(output)
    assert found == {child: expected[child] for child in found}
    assert Path("p.pdf").read_bytes().startswith(b"%PDF")


#: Command lines, their status, and what is said.
SAID = {
    "what is drawn": ("r p --by child --plot p.svg --scores exact,token,type", 0,
        "p.svg: shows token_fscore, one of 7 scores; --scores NAME draws another."),
    "nothing of the only score": ("r p --by child --plot p.svg --scores token_recall", 0, ""),
    "subsets of a cluster": ("r p --by child --clusters child --confidence 0.9 --scores token", 0,
        "no interval, which needs two clusters: leave --clusters out, or pass smaller"),
    "a line without a value": ("r p --by bad", 2, "bad, line 60: there is no value"),
    "a row without a value": ("t.jsonl --by column:age", 2, "--by column:age, line 2: there is no value"),
}  # fmt: skip


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize("name", SAID)
def test_the_command_says_what_is_drawn_and_where_a_value_is_missing(run: Run, name: str) -> None:
    line, expected, said = SAID[name]
    rows = [json.dumps({"reference": "a b", "prediction": "ab", "age": age}) for age in (1.5, math.nan)]
    files = {"r": REFERENCES, "p": PREDICTIONS, "child": CHILDREN, "bad": ["1"] * 59 + ["nan"], "t.jsonl": rows}
    status, _, message = run(files, *line.split())
    assert status == expected
    assert said in message
    assert ("p.svg" in message) == said.startswith("p.svg")


def test_nothing_warns_without_intervals() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score_by(REFERENCES, PREDICTIONS, CHILDREN, text_format="words", scores="token")


@pytest.mark.parametrize(
    ("by", "bands", "expected"),
    [
        ([9, 11, 12, 17, 18, 30], [12, 18, 24], {"<12": [0, 1], "12-17": [2, 3], "18-23": [4], "24+": [5]}),
        (["12", "13", "14", "12", "13", "14"], [13, 14], {"<13": [0, 3], "13": [1, 4], "14+": [2, 5]}),
        ([0.5, 1.0, 1.5, 2.0, 2.5, 0.0], [1, 2], {"<1": [0, 5], "1-<2": [1, 2], "2+": [3, 4]}),
        # Dates, and numbers that differ in the eighth digit alone.
        (
            [20251231, 20260101, 20260115, 20260131, 20260201, 20260301],
            [20260101, 20260201],
            {"<20260101": [0], "20260101-20260200": [1, 2, 3], "20260201+": [4, 5]},
        ),
        (
            [0.12345678, 0.12345679, 0.1234568, 0.12345681, 0.12345678, 0.12345679],
            [0.12345679, 0.1234568],
            {"<0.12345679": [0, 4], "0.12345679-<0.1234568": [1, 5], "0.1234568+": [2, 3]},
        ),
        # Of 2 to 7 units.
        ("length", [4], {"<4": [0, 1], "4+": [2, 3, 4, 5]}),
    ],
)
def test_bands_begin_at_their_lower_edge(by: Any, bands: list[float], expected: dict[str, list[int]]) -> None:
    references = [" ".join("a" * size) for size in range(2, 8)]
    predictions = [text.replace(" ", "", 1) for text in references]
    options: Any = {"text_format": "words", "scores": "token_recall"}
    found = segscores.score_by(references, predictions, by, bands=bands, **options).scores["prediction"]
    assert list(found) == list(expected)
    for name, members in expected.items():
        alone = segscores.score([references[at] for at in members], [predictions[at] for at in members], **options)
        assert found[name] == alone


def test_bands_are_of_numbers() -> None:
    for bands, expected in (
        ([], "rising order"),
        ([2, 1], "rising order"),
        ([2, 2], "rising order"),
        ([1], "received 'x'; bands are of numbers"),
        ([-math.inf], "expected a number such as 12, received -inf"),
        ([10**400], "expected a number such as 12, received an integer of 1329 bits"),
    ):
        with pytest.raises(ValueError, match=expected):
            segscores.score_by(["a", "b"], ["a", "b"], ["1", "x"], bands=bands, text_format="words")


@pytest.mark.parametrize(
    ("ages", "bands", "said"),
    [
        (["1.5", "2.25"], [12, 18], ["all numbers, such as 1.5, are below the first edge"]),
        (["365", "540"], [12, 18], ["all numbers, such as 365, are beyond the last edge"]),
        (["1.5", "12"], [12, 18], []),
        (["13", "14"], [12, 18], []),
        (["1.5", "2.25"], [12], []),
        (["1.5", "1.5"], [12, 18], []),
    ],
)
def test_numbers_that_all_lie_outside_of_the_edges_are_doubted(
    ages: list[str], bands: list[float], said: list[str]
) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        segscores.score_by(["a b", "b a"], ["a b", "ba"], ages, bands=bands, text_format="words", scores="token")
    assert [str(one.message).removeprefix("bands: ").partition(":")[0] for one in warned] == said
