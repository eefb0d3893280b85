"""`on_error="skip"`: a warning and the signature say how much was left out, and where all is, it is an error."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from segscores import CorpusTally, analyse_errors, per_utterance, score, signature, tally
from segscores.statistics.system_comparison import compare

SOURCE = random.Random(7)
REFERENCE = [" ".join(SOURCE.choices(["a", "b"], k=SOURCE.randrange(1, 4))) for _ in range(100)]
#: Shifted by one line, as by a heading.
SHIFTED = ["", *REFERENCE[:-1]]
SKIPPED = sum(left.replace(" ", "") != right.replace(" ", "") for left, right in zip(REFERENCE, SHIFTED, strict=True))
WARNING = f"{SKIPPED} of 100 utterances could not be scored and were left out. The first is "
#: Each of these has a line in common with the reference of two lines, both together none.
ALL, FIRST, LAST = ["x", "y"], ["ab", "y"], ["x", "c"]
FILES = {"gold": REFERENCE, "shifted": SHIFTED, "same": REFERENCE, "bad": ["\0", *SHIFTED[1:]]}
OPTIONS: dict[str, Any] = {"text_format": "words", "scores": ["token", "skipped_utterances"], "on_error": "skip"}
FLAGS = "--text-format words --scores token --on-error skip"
#: The old name, which adds the scores of unit_error.
OLD: dict[str, Any] = {"text_format": "words", "scores": "token", "on_mismatch": "skip"}
NEW: dict[str, Any] = {"text_format": "words", "scores": ["token", "unit_error"], "on_error": "skip"}

ignored = pytest.mark.filterwarnings("ignore:.*were left out:UserWarning")


def fields_of(line: str) -> dict[str, str]:
    return dict(field.split(":", 1) for field in line.split("|")[1:])


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_score_warns_once(average):
    with pytest.warns(UserWarning, match="were left out") as warned:
        score(REFERENCE, SHIFTED, average=average, **OPTIONS)
    (said,) = [str(one.message) for one in warned]
    assert said.startswith(f"{WARNING}utterance 0: the prediction is blank")


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
        "errors gold same shifted",
    ],
)
def test_the_command_names_the_prediction(run, line):
    flags = FLAGS.replace("--scores token ", "") if "errors" in line else FLAGS
    status, output, messages = run(f"{line} {flags}")
    (said,) = [line for line in messages.splitlines() if "were left out" in line]
    assert status == 0
    assert said.startswith(f"segscores: warning: {WARNING}gold and shifted, line 1: ")
    shown = Path("page.html").read_text() if "page" in line else output
    assert f"|skipped:0+{SKIPPED}|" in shown
    assert "|n:100|" in shown


def test_bad_utterances_and_those_of_other_units_are_one_number(run):
    _, output, messages = run(f"score gold bad --format json {FLAGS}")
    assert f"{SKIPPED} of 100 utterances could not be scored" in messages
    found = json.loads(output)
    assert {"skipped": str(SKIPPED), "n": "100"}.items() <= fields_of(found["signature"]).items()
    assert found["predictions"][0]["counts"] == {"skipped_utterances": SKIPPED, "left_out": SKIPPED}


@ignored
@pytest.mark.filterwarnings("default:.*is an old name:DeprecationWarning")
def test_the_old_name_does_the_same_and_says_the_new_one(run):
    old = r'on_mismatch="skip" is an old name: pass on_error="skip"\.$'
    sides = ["a b", "c", ""], ["a b", "x", "y"]
    with pytest.warns(DeprecationWarning, match=old):
        found = score(*sides, **OLD)
    assert found == score(*sides, **NEW)
    assert (found["token_recall"], found["skipped_utterances"]) == (1.0, 2.0)
    with pytest.warns(DeprecationWarning, match=old):
        part = tally(*sides, **OLD)
    assert part == tally(*sides, **NEW)
    with pytest.warns(DeprecationWarning, match=old):
        errors = analyse_errors(*sides, text_format="words", on_mismatch="skip")
    assert errors.to_dict() == analyse_errors(*sides, text_format="words", on_error="skip").to_dict()
    line = "score gold bad --text-format words --scores token"
    status, output, messages = run(f"{line} --on-mismatch skip")
    assert (status, output) == run(f"{line},unit_error --on-error skip")[:2]
    assert "--on-mismatch skip is an old name: pass --on-error skip." in messages


def test_a_tally_of_the_old_name_can_be_read_and_added():
    """As version 0.3.0 wrote it, of the utterances "a b" and "c" with the predictions "a b" and "x"."""
    counts = {
        "utterances": 1, "units": 2, "token_matched": 2, "token_predicted": 2, "token_reference": 2, "unit_insertions": 0,
        "unit_deletions": 0, "unit_substitutions": 0, "unit_reference": 2, "skipped_utterances": 1,
    }  # fmt: skip
    options = {"scores": ["token", "unit_error"], "text_format": "words", "on_mismatch": "skip"}
    stored = {"format": 2, "form": "text", "options": options, "counts": counts, "reference_digest": None}
    stored |= dict.fromkeys(("reference_lexicon", "prediction_lexicon", "token_counts"))
    read = CorpusTally.from_dict(stored)
    assert "|skipped:1|" in read.signature()
    assert (read + tally(["a b"], ["a b"], **NEW)).counts() == {name: 2 * count for name, count in counts.items()} | {
        "skipped_utterances": 1
    }


COMPARED: dict[str, Any] = {**OPTIONS, "n_trials": 100}
NONE = "none of the 2 utterances can be scored"
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
