"""`--on-mismatch skip`: a line of standard error and the signature say how much was left out."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscores import load, per_utterance, score, score_dataset, score_levels, signature, tally
from segscores.command.main import main
from segscores.statistics.signing import sign_comparison
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
OPTIONS: dict[str, Any] = {"text_format": "words", "scores": "token", "on_mismatch": "skip"}
FLAGS = ("--text-format", "words", "--scores", "token", "--on-mismatch", "skip", "--format", "json")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("gold", REFERENCE), ("shifted", SHIFTED), ("same", REFERENCE)):
        Path(name).write_text("\n".join(lines) + "\n")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], list[str]]:
    """The JSON, and the warnings on skipped utterances."""
    assert main([*arguments, *FLAGS]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), [line for line in said.err.splitlines() if "skipped" in line]


def fields_of(line: str) -> dict[str, str]:
    return dict(field.split(":", 1) for field in line.split("|")[1:])


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_score_warns_once(average: str) -> None:
    with pytest.warns(UserWarning, match="were skipped") as warned:
        found = score(REFERENCE, SHIFTED, average=average, **OPTIONS)
    assert [str(one.message) for one in warned] == [WARNING]
    assert warned[0].filename == __file__
    assert found["skipped_utterances"] == SKIPPED


@pytest.mark.parametrize("method", ["percentile", "jackknife"])
@pytest.mark.filterwarnings("ignore:.*were skipped:UserWarning")
def test_the_number_of_skipped_utterances_is_no_mean(method: str) -> None:
    options = {**OPTIONS, "confidence": 0.9, "interval_method": method}
    of_corpus, of_means = (score(REFERENCE, SHIFTED, average=average, **options) for average in ("micro", "macro"))
    keys = [f"skipped_utterances{end}" for end in ("", "_low", "_high")]
    assert [of_means[key] for key in keys] == [of_corpus[key] for key in keys]
    assert of_means["skipped_utterances_low"] < SKIPPED < of_means["skipped_utterances_high"]


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("method", ["percentile", "jackknife"])
@pytest.mark.filterwarnings("ignore:.*were skipped:UserWarning")
def test_intervals_are_those_of_the_corpus_without_what_is_skipped(method: str, average: str) -> None:
    options = {**OPTIONS, "confidence": 0.9, "interval_method": method, "average": average}
    # A third has other units, and of the others every second one is wrong.
    predictions = [
        "c" if at % 3 == 0 else line.replace(" ", "") if at % 2 else line for at, line in enumerate(REFERENCE)
    ]
    kept, ids = [at for at in range(100) if at % 3], [at // 4 for at in range(100)]
    for clusters in (None, ids):
        found = score(REFERENCE, predictions, **options, clusters=clusters)
        expected = score(
            *([side[at] for at in kept] for side in (REFERENCE, predictions)),
            **options,
            clusters=clusters and [clusters[at] for at in kept],
        )
        of_all = {key: found[key] for key in found if key.startswith("skipped_utterances")}
        assert found == expected | of_all


def test_a_tally_warns_and_signs_what_it_skipped() -> None:
    with pytest.warns(UserWarning, match="were skipped") as warned:
        found = tally(REFERENCE, SHIFTED, **OPTIONS)
    assert [str(one.message) for one in warned] == [WARNING]
    assert (fields_of(found.signature())["skipped"], fields_of(found.signature())["n"]) == (str(SKIPPED), "100")


def test_nothing_is_said_where_nothing_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert score(REFERENCE, REFERENCE, **OPTIONS)["skipped_utterances"] == 0
    assert tally(REFERENCE, REFERENCE, **OPTIONS).signature() == signature(REFERENCE, **OPTIONS)
    found, said = run(capsys, "score", "gold", "same")
    assert (said, "skipped" in fields_of(found["signature"])) == ([], False)


@pytest.mark.parametrize(
    "line",
    [
        *(f"score gold same shifted {options}" for options in ("", "--average macro", "--confidence 0.9")),
        "compare gold same shifted --trials 100",
        "curve gold 10=same 20=shifted",
        "report gold same shifted --output page.html",
    ],
)
def test_the_command_names_the_prediction(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    is_page = line.startswith("report")
    assert main([*line.split(), *FLAGS[: -2 if is_page else None]]) == 0
    printed = capsys.readouterr()
    said = [line for line in printed.err.splitlines() if "were skipped" in line]
    assert said == [f"segmentation-scores: warning: shifted: {WARNING}"]
    assert f"|skipped:0+{SKIPPED}|" in (Path("page.html").read_text() if is_page else printed.out)
    assert "|n:100|" in (Path("page.html").read_text() if is_page else printed.out)


def test_bad_utterances_and_skipped_ones_are_both_signed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad").write_bytes("\n".join(["\0", *SHIFTED[1:]]).encode() + b"\n")
    found, said = run(capsys, "score", "gold", "bad", "--on-error", "skip")
    # The first line, which differs too, is bad.
    assert f"bad: {SKIPPED - 1} of 99 utterances" in said[-1]
    fields = fields_of(found["signature"])
    assert (fields["left_out"], fields["skipped"], fields["n"]) == ("1", str(SKIPPED - 1), "100")


def test_a_comparison_names_the_systems() -> None:
    with pytest.warns(UserWarning, match="were skipped") as warned:
        found = compare(REFERENCE, {"same": REFERENCE, "shifted": SHIFTED}, n_trials=100, **OPTIONS)
    assert [str(one.message) for one in warned if "skipped" in str(one.message)] == [f"shifted: {WARNING}"]
    assert fields_of(sign_comparison(REFERENCE, found, **OPTIONS))["skipped"] == f"0+{SKIPPED}"


#: Each has a line in common with the reference, both together none.
ALL, FIRST, LAST = ["x", "y"], ["ab", "y"], ["x", "c"]
NONE = "none of the 2 utterances can be scored: each has different units on the two sides"
COMPARED: dict[str, Any] = {**OPTIONS, "n_trials": 100}
SURFACES: dict[str, Callable[[list[str]], object]] = {
    "score": lambda other: score(["a b", "c"], other, **OPTIONS),
    "macro": lambda other: score(["a b", "c"], other, average="macro", **OPTIONS),
    "intervals": lambda other: score(["a b", "c"], other, confidence=0.9, **OPTIONS),
    "compute": lambda other: load().compute(references=["a b", "c"], predictions=other, **OPTIONS),
    "per_utterance": lambda other: per_utterance(["a b", "c"], other, **OPTIONS),
    "tally": lambda other: tally(["a b", "c"], other, **OPTIONS).scores(),
    "compare": lambda other: compare(["a b", "c"], {"p": other, "q": ["ab", "c"]}, **COMPARED),
    "score_dataset": lambda other: score_dataset(
        pa.table({"r": ["a b", "c"], "p": other}), reference_column="r", prediction_column="p", **OPTIONS
    ),
    "score_levels": lambda other: score_levels(["a b", "c"], other, scores="token", on_mismatch="skip"),
}


@pytest.mark.filterwarnings("ignore:.*were skipped")
@pytest.mark.parametrize("surface", SURFACES)
def test_where_all_are_skipped_it_is_an_error(surface: str) -> None:
    with pytest.raises(ValueError, match=NONE):
        SURFACES[surface](ALL)


@pytest.mark.filterwarnings("ignore:.*were skipped")
def test_systems_that_share_no_utterance_are_not_compared() -> None:
    with pytest.raises(ValueError, match=f"the systems together: {NONE}"):
        compare(["a b", "c"], {"first": FIRST, "last": LAST}, **COMPARED)


@pytest.mark.filterwarnings("ignore:.*were skipped")
def test_a_part_of_which_all_is_skipped_adds_up() -> None:
    parts = [tally(["a b", "c"], ALL, **OPTIONS), tally(["a b"], ["a b"], **OPTIONS)]
    assert (sum(parts).scores()["token_recall"], sum(parts).counts()["skipped_utterances"]) == (1.0, 2)


@pytest.mark.parametrize(
    "command", ["score r q p", "score r p --per-utterance u.csv", "score r p --on-error skip", "compare r q p",
                "curve r 1=q 2=p", "report r q p -o page.html"],
)  # fmt: skip
def test_the_command_fails_where_all_are_skipped(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in (("r", ["a b", "c"]), ("q", ["ab", "c"]), ("p", ALL)):
        Path(name).write_text("\n".join(texts) + "\n")
    assert main([*command.split(), *FLAGS[:-2]]) == 2
    said = capsys.readouterr()
    assert (said.out, f"error: p: {NONE}" in said.err) == ("", True)
    assert not Path("page.html").exists()
