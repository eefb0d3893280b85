"""`on_mismatch="skip"`: a warning and the signature say how much was left out, and where all is, it is an error."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from segscores import per_utterance, score, signature, tally
from segscores.statistics.system_comparison import compare

SOURCE = random.Random(7)
REFERENCE = [" ".join(SOURCE.choices(["a", "b"], k=SOURCE.randrange(1, 4))) for _ in range(100)]
#: Shifted by one line, as by a heading.
SHIFTED = ["", *REFERENCE[:-1]]
SKIPPED = sum(left.replace(" ", "") != right.replace(" ", "") for left, right in zip(REFERENCE, SHIFTED, strict=True))
WARNING = (
    f"{SKIPPED} of 100 utterances have different units on the two sides and were skipped: does each line of the prediction "
    f"belong to the same line of the reference?"
)
#: Each of these has a line in common with the reference of two lines, both together none.
ALL, FIRST, LAST = ["x", "y"], ["ab", "y"], ["x", "c"]
FILES = {"gold": REFERENCE, "shifted": SHIFTED, "same": REFERENCE, "bad": ["\0", *SHIFTED[1:]]}
OPTIONS: dict[str, Any] = {"text_format": "words", "scores": "token", "on_mismatch": "skip"}
FLAGS = "--text-format words --scores token --on-mismatch skip"

ignored = pytest.mark.filterwarnings("ignore:.*were skipped:UserWarning")


def fields_of(line: str) -> dict[str, str]:
    return dict(field.split(":", 1) for field in line.split("|")[1:])


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_score_warns_once(average):
    with pytest.warns(UserWarning, match="were skipped") as warned:
        score(REFERENCE, SHIFTED, average=average, **OPTIONS)
    assert [str(one.message) for one in warned] == [WARNING]


@ignored
@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("method", ["percentile", "jackknife"])
def test_intervals_equal_a_corpus_without_the_skipped_utterances(method, average):
    options = {**OPTIONS, "confidence": 0.9, "interval_method": method, "average": average}
    # A third has other units, and of the others every second one is wrong.
    predictions = [
        "c" if at % 3 == 0 else line.replace(" ", "") if at % 2 else line for at, line in enumerate(REFERENCE)
    ]
    kept, ids = [at for at in range(100) if at % 3], [at // 4 for at in range(100)]
    for clusters in (None, ids):
        found = score(REFERENCE, predictions, **options, clusters=clusters)
        sides = ([side[at] for at in kept] for side in (REFERENCE, predictions))
        expected = score(*sides, **options, clusters=clusters and [clusters[at] for at in kept])
        # The number of skipped utterances is no mean.
        skipped = {key: found[key] for key in found if key.startswith("skipped_utterances")}
        assert found == expected | skipped
        low, number, high = (skipped[f"skipped_utterances{end}"] for end in ("_low", "", "_high"))
        assert low < number == 34 < high


def test_nothing_is_said_where_nothing_is_skipped(run):
    assert score(REFERENCE, REFERENCE, **OPTIONS)["skipped_utterances"] == 0
    assert tally(REFERENCE, REFERENCE, **OPTIONS).signature() == signature(REFERENCE, **OPTIONS)
    status, output, messages = run(f"score gold same {FLAGS}")
    assert (status, "skipped" in messages, "|skipped" in output) == (0, False, False)


@pytest.mark.parametrize(
    "line",
    [
        *(f"score gold same shifted {options}" for options in ("", "--average macro", "--confidence 0.9")),
        "compare gold same shifted --trials 100",
        "curve gold 10=same 20=shifted",
        "report gold same shifted --output page.html",
    ],
)
def test_the_command_names_the_prediction(run, line):
    status, output, messages = run(f"{line} {FLAGS}")
    said = [line for line in messages.splitlines() if "were skipped" in line]
    assert (status, said) == (0, [f"segscores: warning: shifted: {WARNING}"])
    shown = Path("page.html").read_text() if "page" in line else output
    assert f"|skipped:0+{SKIPPED}|" in shown
    assert "|n:100|" in shown


def test_bad_utterances_and_skipped_ones_are_both_signed(run):
    _, output, messages = run(f"score gold bad --on-error skip --format json {FLAGS}")
    # The first line, which differs too, is bad.
    assert f"bad: {SKIPPED - 1} of 99 utterances" in messages
    expected = {"left_out": "1", "skipped": str(SKIPPED - 1), "n": "100"}
    assert expected.items() <= fields_of(json.loads(output)["signature"]).items()


COMPARED: dict[str, Any] = {**OPTIONS, "n_trials": 100}
NONE = "none of the 2 utterances can be scored: each has different units on the two sides"
R = ["a b", "c"]
FUNCTIONS: dict[str, Callable[[], object]] = {
    "macro": lambda: score(R, ALL, average="macro", **OPTIONS),
    "intervals": lambda: score(R, ALL, confidence=0.9, **OPTIONS),
    "per_utterance": lambda: per_utterance(R, ALL, **OPTIONS),
    "compare": lambda: compare(R, {"p": ALL, "q": ["ab", "c"]}, **COMPARED),
    "the systems together": lambda: compare(R, {"first": FIRST, "last": LAST}, **COMPARED),
}


@ignored
@pytest.mark.parametrize("name", FUNCTIONS)
def test_skipping_every_utterance_is_an_error(name):
    with pytest.raises(ValueError, match=f"{name}: {NONE}" if "together" in name else NONE):
        FUNCTIONS[name]()


@ignored
def test_a_part_whose_utterances_are_all_skipped_adds_up():
    parts = [tally(R, ALL, **OPTIONS), tally(["a b"], ["a b"], **OPTIONS)]
    assert (sum(parts).scores()["token_recall"], sum(parts).counts()["skipped_utterances"]) == (1.0, 2)
