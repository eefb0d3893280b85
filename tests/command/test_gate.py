"""`compare --fail-if-worse`: the exit status, and a line for each system that fails; the same in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import segscores
from segscores.command.main import main

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

#: Forty utterances of two words, the predictions of which have so many without their boundary, or with a wrong one.
REFERENCE = ["ab cd"] * 40
SYSTEMS = {"none": 0, "one": 1, "twelve": 12, "thirty": 30}
PREDICTIONS = {name: ["abcd"] * wrong + REFERENCE[wrong:] for name, wrong in SYSTEMS.items()}
TOKENS = {"scores": "token_recall"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("systems", "options", "rejected"),
    [
        # The sign test over the utterances that differ: p = 2 / 2^12 and 2 / 2^18 are significant, 2 / 2 is not.
        (["none", "one"], TOKENS, {}),
        (["none", "twelve"], TOKENS, {"twelve": "token_recall, 0.7000 for the 1.0000 of none, is significantly worse"}),
        (["thirty", "twelve"], TOKENS, {}),
        (["twelve", "none", "one", "thirty"], TOKENS, {"thirty": "0.2500 for the 0.7000 of twelve"}),
        (["none", "twelve"], {"scores": "word_error_rate"}, {"twelve": "is significantly worse"}),
        # What decides is not what else gets worse.
        (
            ["none", "twelve"],
            {"scores": ["token_precision", "oov_rate"], "vocabulary": ["ab"]},
            {"twelve": "token_precision"},
        ),
        # A margin of 0.5 is beyond what 12 of 40 may be; one of 0.01 is more than one of 40 shows.
        (["none", "twelve"], TOKENS | {"margin": 0.6}, {}),
        (["none", "one"], TOKENS | {"margin": 0.01}, {"one": "is not shown to be less than 0.01 worse: inconclusive"}),
        (["none", "thirty"], TOKENS | {"margin": 0.01}, {"thirty": "worse: inferior"}),
        (["thirty", "none"], TOKENS | {"margin": 0.01}, {}),
        # No word is out of vocabulary: 0/0 is no proof.
        (["none", "one"], {"scores": "oov_recall", "vocabulary": ["ab", "cd"]}, {"one": "oov_recall, 0.0000 for the"}),
    ],
    ids=str,
)
def test_a_system_is_rejected_if_it_is_worse_than_the_baseline(
    systems: list[str],
    options: dict[str, object],
    rejected: dict[str, str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {name: PREDICTIONS[name] for name in systems}
    found = segscores.compare(REFERENCE, given, text_format="words", **options)  # type: ignore[arg-type]
    assert found.worse_than_baseline() == list(rejected)
    texts = {"r": REFERENCE, **given, "words": options.get("vocabulary", [])}
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))  # type: ignore[attr-defined]
    scores = options["scores"]
    flags = ["--scores", scores if isinstance(scores, str) else ",".join(scores)]  # type: ignore[arg-type]
    flags += ["--margin", str(options["margin"])] if "margin" in options else []
    flags += ["--vocabulary", "words"] if "vocabulary" in options else []
    line = ["compare", "r", *systems, *flags]
    assert main(line) == 0
    capsys.readouterr()
    assert main([*line, "--fail-if-worse"]) == bool(rejected)
    told = [each for each in capsys.readouterr().err.splitlines() if " warning: " not in each]
    for (name, text), each in zip(rejected.items(), told, strict=True):
        assert each.startswith(f"segmentation-scores: {name}: ")
        assert text in each


def test_a_score_without_worse_values_decides_nothing() -> None:
    found = segscores.compare(
        REFERENCE,
        {"a": PREDICTIONS["none"], "b": PREDICTIONS["one"]},
        text_format="words",
        scores="oov_rate",
        vocabulary=["ab"],
    )
    with pytest.raises(
        ValueError, match="no value of oov_rate is worse than another: expected another score that decides"
    ):
        found.worse_than_baseline()
