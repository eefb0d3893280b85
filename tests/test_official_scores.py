"""The scores equal those of official scorers: their printed figures (official.py), and the output of scorers from
pip.
"""

import random
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import segeval
from nltk.metrics.segmentation import pk, windowdiff
from pythainlp.benchmarks.word_tokenization import benchmark

import segscores
from segscores import score_difficulty, tally

from .corpora import random_corpus_pair
from .naive import naive_word_errors
from .official import RUNS, OfficialRun, peoples_daily, run_beside

#: Where the script of the bakeoff was run.
BAKEOFF = ("peoples_daily", "ud_jieba")
#: Utterances whose errors the bakeoff's `diff` counts otherwise than the definition.
MOVED = {"ud_jieba": [67, 276]}
SIGHAN_ERRORS = ("TOTAL INSERTIONS", "TOTAL DELETIONS", "TOTAL SUBSTITUTIONS")
ERRORS = ("word_insertions", "word_deletions", "word_substitutions")
#: What the scorer of Qian, Qiu and Huang calls the balanced scores.
BALANCED = {
    f"{kind}_{weight}": f"{weight}_{kind}" for kind in ("precision", "recall") for weight in ("reward", "punishment")
}


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest) -> OfficialRun:
    if request.param == "peoples_daily":
        return peoples_daily()
    return run_beside(request.param, request.getfixturevalue("shared_data"))


def on(*runs: str) -> pytest.MarkDecorator:
    """With these runs, of which there are the figures."""
    return pytest.mark.parametrize("run", runs, indirect=True)


def score(run: OfficialRun, **options: Any) -> dict[str, float]:
    return segscores.score(run.references, run.predictions, text_format="words", **options)


@on(*RUNS)
def test_counts_equal_the_figures(run: OfficialRun) -> None:
    counts = tally(run.references, run.predictions, text_format="words").counts()
    names = {"utterances": "utterances", "reference_words": "token_reference", "predicted_words": "token_predicted"}
    assert {name: counts[column] for name, column in names.items()} == {name: run.figures[name] for name in names}
    columns = {"tp": "token_matched", "pp": "token_predicted", "rp": "token_reference", "tw": "token_spans"}
    given = run.figures.get("counts", {})
    assert {name: counts[columns.get(name, name)] for name in given} == given


def test_the_vocabulary_equals_the_figures() -> None:
    run = peoples_daily()
    assert len({word for line in run.vocabulary or () for word in line.split()}) == run.figures["vocabulary_words"]


@on(*RUNS)
def test_scores_equal_wordseg_eval_and_the_authors_scorer(run: OfficialRun) -> None:
    scores = score(run, scores="wordseg")
    assert list(scores) == list(run.figures["wordseg"])
    source = random.Random(7)
    difficulties = [[round(source.random(), 3) for _ in line.split()] for line in run.references]
    scores |= score(run, scores="rand")
    scores |= score_difficulty(run.references, run.predictions, difficulties, text_format="words")
    expected = {**run.figures["wordseg"], "adjusted_rand_index": run.figures["adjusted_rand_index"]}
    expected |= {BALANCED.get(name, name): value for name, value in run.figures["nlpcc_balanced"].items()}
    assert scores == pytest.approx(expected, abs=1e-12, rel=0)


@on(*RUNS)
def test_classes_of_errors_equal_wordsegs_summary(run: OfficialRun) -> None:
    counts = tally(run.references, run.predictions, text_format="words", scores="rates").counts()
    found = {name: counts[f"{name}_segmented"] for name in ("over", "under", "mis")}
    found["correct"] = counts["token_reference"] - sum(found.values())
    assert found == run.figures["wordseg_summary_totals"]


@on(*BAKEOFF)
def test_scores_equal_the_output_of_the_bakeoff(run: OfficialRun) -> None:
    printed = run.figures["sighan"]
    counts = tally(run.references, run.predictions, text_format="words", scores="token").counts()
    assert int(printed["TOTAL TRUE WORD COUNT"]) == counts["token_reference"]
    assert int(printed["TOTAL TEST WORD COUNT"]) == counts["token_predicted"]
    scores = score(run, scores="sighan", vocabulary=run.vocabulary)
    ours = {
        "OOV Rate": "oov_rate",
        "OOV Recall Rate": "oov_recall",
        "IV Recall Rate": "iv_recall",
        "TOTAL TRUE WORDS RECALL": "token_recall",
        "TOTAL TEST WORDS PRECISION": "token_precision",
        "F MEASURE": "token_fscore",
    }
    exact = run.figures.get("oov", {})
    assert {key: scores[key] for key in exact} == pytest.approx(exact, abs=1e-12)
    assert printed["OOV Rate"] == f"{scores['oov_rate']:2.3f}"
    # It prints three digits, and counts what `diff` finds, which takes an equal word elsewhere for the same one.
    for theirs, key in ours.items():
        assert float(printed[theirs]) == pytest.approx(scores[key], abs=0.001), key


@pytest.mark.slow
@on(*BAKEOFF)
def test_word_errors_equal_the_bakeoff_unless_diff_moves_words(run: OfficialRun, tmp_path: Path) -> None:
    """The script counts the rows of `diff -y`, one word per line, for each utterance."""
    if shutil.which("diff") is None:
        pytest.skip("there is no `diff`, by which the bakeoff's script counts: install diffutils")
    printed = run.figures["sighan"]
    pairs = [(left.split(), right.split()) for left, right in zip(run.references, run.predictions, strict=True)]

    def diff(index: int) -> tuple[int, ...]:
        left, right = pairs[index]
        if left == right:
            return 0, 0, 0
        paths = [tmp_path / f"{index}.{side}" for side in ("reference", "prediction")]
        for path, words in zip(paths, (left, right), strict=True):
            path.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        rows = subprocess.run(["diff", "-y", *paths], capture_output=True, check=False).stdout.splitlines(keepends=True)
        marks = [re.search(rb"\s([|<>])\s", row) for row in rows]
        return tuple(sum(mark is not None and mark[1] == kind for mark in marks) for kind in (b">", b"<", b"|"))

    with ThreadPoolExecutor(4) as pool:
        theirs = list(pool.map(diff, range(len(pairs))))
    assert [sum(column) for column in zip(*theirs, strict=True)] == [int(printed[name]) for name in SIGHAN_ERRORS]
    parts = [
        tally([left], [right], text_format="words", scores="word_error").counts()
        for left, right in zip(run.references, run.predictions, strict=True)
    ]
    ours = [tuple(part[name] for name in ERRORS) for part in parts]
    moved = [index for index, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]]
    assert [ours[index] for index in moved] == [naive_word_errors(*pairs[index]) for index in moved]
    assert moved == MOVED.get(run.name, moved)
    assert len(moved) < len(pairs) / 50


@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_pythainlps_benchmark(seed: int) -> None:
    """Blank utterances are left out; the others are written with tags and spaces, which it drops."""
    pairs = [pair for pair in zip(*random_corpus_pair(400, seed, units="กขคงชซญฐดตถทนบปผ"), strict=True) if pair[0]]
    texts = [
        ["|".join(f"<NE>{word[0]} {''.join(word[1:])}</NE>" for word in pair[side]) for pair in pairs]
        for side in (0, 1)
    ]
    theirs = benchmark(*texts).sum(numeric_only=True)
    matched, missed, wrong = (int(theirs[f"char_level:{kind}"]) for kind in ("tp", "fn", "fp"))
    in_sample, in_reference = (int(theirs[f"word_level:total_words_in_{side}"]) for side in ("sample", "ref_sample"))
    correct = int(theirs["word_level:correctly_tokenized_words"])
    assert list(segscores.score(*texts, scores="pythainlp").values()) == [
        matched / (matched + wrong), matched / (matched + missed), correct / in_sample, correct / in_reference
    ]  # fmt: skip


# Words of random characters may look like anything.
@pytest.mark.filterwarnings("ignore:.* this looks like ")
@pytest.mark.parametrize("seed", range(20))
def test_one_text_has_the_scores_of_nltk_and_segeval(seed: int) -> None:
    text = [[word for utterance in corpus for word in utterance] for corpus in random_corpus_pair(30, seed)]
    references, predictions = ([" ".join(map("".join, words))] for words in text)
    ends = ["".join("0" * (len(word) - 1) + "1" for word in words) for words in text]
    size = {"window_size": 4, "text_format": "words"}
    by_nltk = {"window_diff": windowdiff(*ends, 4), "pk": pk(*ends, 4)}
    assert segscores.score(references, predictions, scores="nltk", **size) == pytest.approx(by_nltk, abs=1e-12)
    masses = [tuple(map(len, words)) for words in text[::-1]]
    by_segeval = {
        "boundary_similarity": segeval.boundary_similarity(*masses),
        "segmentation_similarity": segeval.segmentation_similarity(*masses),
        "boundary_edit_distance": segeval.boundary_statistics(*masses)["count_edits"],
        "pk": segeval.pk(*masses, window_size=4),
        "window_diff": segeval.window_diff(*masses, window_size=4),
    }
    found = segscores.score(references, predictions, scores="segeval", **size)
    assert list(found) == list(by_segeval)
    assert found == pytest.approx({key: float(value) for key, value in by_segeval.items()}, abs=1e-9)
