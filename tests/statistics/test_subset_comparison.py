"""Systems on data sets, and on the mean over them: two data sets and three systems by hand."""

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import segscores

from .helpers import naive_holm

pytestmark = pytest.mark.filterwarnings("ignore:no difference can be significant", "ignore:subsets of fewer than")

#: By data set and system, the words of each utterance that are found.
WORDS = {"x": 2, "y": 3}
FOUND = {
    "x": {"old": [2, 2, 0], "mid": [2, 0, 0], "new": [2, 2, 2]},
    "y": {"old": [0, 0, 3, 3], "mid": [0, 3, 0, 3], "new": [3, 0, 3, 3]},
}
REFERENCES: list[str] = []
SYSTEMS: dict[str, list[str]] = {"old": [], "mid": [], "new": []}
BY: list[str] = []
for name, size in WORDS.items():
    for at in range(len(FOUND[name]["old"])):
        words = [f"{name}{at}{letter}" for letter in "abc"[:size]]
        REFERENCES.append(" ".join(words))
        BY.append(name)
        for system, found in FOUND[name].items():
            SYSTEMS[system].append((" " if found[at] else "").join(words))


def compared(by: Any = BY, **options: Any) -> segscores.SubsetComparison:
    return segscores.compare_by(REFERENCES, SYSTEMS, by, text_format="words", scores="token_recall", **options)


def error_by_hand(found: list[float], size: int) -> tuple[float, float]:
    """The squared error of the jackknife, and its degrees of freedom."""
    n = len(found)
    without = np.array([(sum(found) - one) / (size * (n - 1)) for one in found])
    squares = (without - without.mean()) ** 2
    spread = (squares**2).sum() - squares.sum() ** 2 / n
    freedom = 2 * squares.sum() ** 2 / spread if spread > 1e-15 else n - 1
    return (n - 1) / n * squares.sum(), min(n - 1, freedom)


def p_of_exchanges(system: str) -> float:
    """The share of all exchanges of utterances, within each data set, with as large a mean difference."""
    pairs = [(name, at) for name in WORDS for at in range(len(FOUND[name]["old"]))]
    differences = []
    for signs in product([1, -1], repeat=len(pairs)):
        total = 0.0
        for sign, (name, at) in zip(signs, pairs, strict=True):
            words = WORDS[name] * len(FOUND[name]["old"])
            total += sign * (FOUND[name][system][at] - FOUND[name]["old"][at]) / words / len(WORDS)
        differences.append(abs(total))
    return float(np.mean([difference >= differences[0] - 1e-12 for difference in differences]))


def test_means_give_each_data_set_the_same_weight() -> None:
    with pytest.warns(
        UserWarning, match=r"^subsets of fewer than 12 utterances: x, y\. Their intervals contain the true"
    ):
        means = compared().means
    assert {system: mean.value for system, mean in means.items()} == pytest.approx(
        {"old": (4 / 6 + 6 / 12) / 2, "mid": (2 / 6 + 6 / 12) / 2, "new": (1 + 9 / 12) / 2}
    )
    # In y the old and the mid system are equal, behind the new one.
    assert {system: mean.rank for system, mean in means.items()} == {"old": 2.25, "mid": 2.75, "new": 1.0}
    assert math.isnan(means["old"].difference)
    assert means["mid"].difference == pytest.approx(-1 / 6)


@pytest.mark.parametrize("system", ["mid", "new"])
def test_intervals_and_p_values_of_mean_differences_add_the_variances_of_data_sets(system: str) -> None:
    parts = []
    for name, size in WORDS.items():
        gains = [after - before for after, before in zip(FOUND[name][system], FOUND[name]["old"], strict=True)]
        parts.append(error_by_hand(gains, size))
    variances = np.array([variance for variance, _ in parts])
    error = math.sqrt(variances.sum()) / len(parts)
    freedom = variances.sum() ** 2 / sum(variance**2 / freedom for variance, freedom in parts)
    # Runs, and scores of types, have no exchanges. Here two runs are the same, and each word is another type.
    pairs = {name: segscores.runs(texts, texts) for name, texts in SYSTEMS.items()}
    of_runs = segscores.compare_by(REFERENCES, pairs, BY, text_format="words", scores="token_recall")
    of_types = segscores.compare_by(REFERENCES, SYSTEMS, BY, text_format="words", scores="type_recall")
    mean = compared(confidence=0.9).means[system]
    reach = stats.t.ppf(0.95, freedom) * error
    assert (mean.difference_low, mean.difference_high) == pytest.approx(
        (mean.difference - reach, mean.difference + reach)
    )
    of_student = 2 * stats.t.sf(abs(mean.difference) / error, freedom)
    assert mean.p_value == pytest.approx(max(of_student, p_of_exchanges(system)))
    assert mean.p_value > of_student
    assert [each.means[system].p_value for each in (of_runs, of_types)] == pytest.approx([of_student] * 2)


def test_each_data_set_is_compared_as_by_itself_with_p_values_corrected_over_all() -> None:
    result = compared()
    raw = {}
    for name in WORDS:
        chosen = [at for at, value in enumerate(BY) if value == name]
        alone = segscores.compare(
            [REFERENCES[at] for at in chosen],
            {system: [texts[at] for at in chosen] for system, texts in SYSTEMS.items()},
            text_format="words", scores="token_recall",
        )  # fmt: skip
        assert alone.scores == result.subsets[name].scores
        assert alone.intervals == result.subsets[name].intervals
        for system in ("mid", "new"):
            raw[name, system] = alone.differences[system]["token_recall"].p_value
    assert result.p_values == pytest.approx(naive_holm(raw))
    whole = segscores.compare(REFERENCES, SYSTEMS, text_format="words", scores="token_recall")
    assert result.whole.scores == whole.scores
    assert result.signature == whole.signature
    assert [*compared([12 if value == "x" else 15 for value in BY], bands=[12, 15]).subsets] == ["12-14", "15+"]
    assert "|clusters:" in compared(clusters=[0, 0, 1, 1, 2, 2, 3]).signature


@pytest.mark.parametrize(("name", "column"), [(None, "subset"), ("system", "subset"), ("corpus", "corpus")])
def test_programs_read_each_column_by_its_name(name: str | None, column: str) -> None:
    by = pd.Series(BY, name=name)
    frame = segscores.compare_by(REFERENCES, SYSTEMS, by, text_format="words", scores="token_recall").to_frame()
    assert frame.columns.is_unique
    row = frame[(frame["system"] == "mid") & (frame[column] == "y")]
    assert row["value"].tolist() == [6 / 12]
    differences = frame[frame["of"] == "mean"].set_index("system")["difference"]
    assert differences.isna().to_dict() == {"old": True, "mid": False, "new": False}


def test_an_undefined_score_of_a_data_set_leaves_the_mean_undefined() -> None:
    """No utterance of one word has an inner boundary."""
    result = segscores.compare_by(
        ["a b", "c d", "e", "f"], {"old": ["a b", "cd", "e", "f"], "new": ["a b", "c d", "e", "f"]}, ["x", "x", "y", "y"],
        text_format="words", scores="boundary_noedge_recall",
    )  # fmt: skip
    assert math.isnan(result.means["new"].value)
    assert math.isnan(result.means["new"].rank)
    assert math.isnan(result.means["new"].difference)
    mean = json.loads(result.to_json())["means"]["new"]
    assert (mean["value"], mean["rank"]) == (None, None)
    assert "mean rank" not in repr(result)


def test_a_comparison_of_subsets_draws_the_primary_score_of_each() -> None:
    references = ["the dog", "a cat", "is it", "look at"] * 24
    systems = {"_a": ["thedog", "a cat", "is it", "look at"] * 24, "b": references}
    bands = ["10-11", "2-3", "2-3", "10-11"] * 24
    compared = segscores.compare_by(
        references, systems, bands, text_format="words", scores="token", primary="token_recall"
    )
    (axes,) = compared.plot().axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2-3", "10-11"] == list(compared.subsets)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("value", "Word recall")
    assert [text.get_text() for text in axes.texts] == list(systems)
    for line, bars, system in zip(axes.lines[1::2], axes.collections, systems, strict=True):
        of_subsets = list(compared.subsets.values())
        assert line.get_ydata().tolist() == [each.scores[system]["token_recall"] for each in of_subsets]
        ends = [list(each.intervals[system]["token_recall"]) for each in of_subsets]
        assert [segment[:, 1].tolist() for segment in bars.get_segments()] == ends
