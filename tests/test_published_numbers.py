"""Numbers that others printed: the published module's card, a paper's table, and wordseg's scores of real corpora."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from segscores import score
from segscores.command.main import main
from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan

from .naive import FORMS
from .tallies import tally_columns

# The metric card of transformersegmentation/segmentation_scores; "boundary" are those without edges, five in the reference.
CARD_REFERENCE, CARD_PREDICTION = ["the dog is on the boat"], ["thedog is on the boat"]
CARD_SCORES = {
    "boundary_noedge_precision": 1.0,
    "boundary_noedge_recall": 0.8,
    "boundary_noedge_fscore": 0.89,
    "token_precision": 0.8,
    "token_recall": 0.67,
    "token_fscore": 0.73,
    "type_precision": 0.8,
    "type_recall": 0.8,
    "type_fscore": 0.8,
}
# What its text counts: "5 word boundaries (7 if you include the edge boundaries), 6 word tokens and 5 word types".
CARD_COUNTS = {"boundary_noedge": 5, "boundary_all": 7, "token": 6, "type": 5}

CARD_USAGE = ["w ɛ ɹ WORD_BOUNDARY ɪ z WORD_BOUNDARY ð ɪ s WORD_BOUNDARY", "l ɪ ɾ əl WORD_BOUNDARY aɪ z WORD_BOUNDARY"]

# Shao et al. (2017), Table 1. For each language the reference, and for each segmenter its output, TP, and P, R, F, TNR.
TABLE_1 = {
    "Chinese": (
        "约翰 喜欢 玛丽",
        {
            "T1": ("约 翰 喜 欢 玛 丽", 0, (0, 0, 0, 0.67)),
            "T2": ("约翰喜欢玛丽", 0, (0, 0, 0, 0.94)),
            "S1": ("约翰 喜欢玛丽", 1, (0.5, 0.33, 0.40, 0.94)),
            "S2": ("约翰 喜 欢 玛 丽", 1, (0.2, 0.33, 0.25, 0.77)),
            "S3": ("约翰 喜欢 玛 丽", 2, (0.5, 0.67, 0.57, 0.89)),
        },
    ),
    "English": (
        "John likes Mary",
        {
            "T1": ("J o h n l i k e s M a r y", 0, (0, 0, 0, 0.85)),
            "T2": ("JohnlikesMary", 0, (0, 0, 0, 0.99)),
            "S1": ("John likesMary", 1, (0.5, 0.33, 0.40, 0.99)),
            "S2": ("John l i k e s M a r y", 1, (0.1, 0.33, 0.15, 0.90)),
            "S3": ("John likes M a r y", 2, (0.33, 0.67, 0.44, 0.95)),
        },
    ),
}
# The one cell whose printed value is not what its own formula gives: printed, and by the formula that stands in the cell.
TABLE_1_CONTRADICTIONS = {("Chinese", "S2", "token_tnr"): (0.77, 1 - 4 / 18)}
# A cell whose two decimals hide the third, by the counts that stand in its column: P 1/10 and R 1/3.
TABLE_1_ROUNDED = {("English", "S2", "token_fscore"): (0.15, 2 / 13)}
TABLE_1_KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")

CORPORA = {
    "brent-puddle": ("brent/reference.txt", "brent/predicted_puddle.txt", "brent/official_scores_puddle.json"),
    "brent-tp": ("brent/reference.txt", "brent/predicted_tp.txt", "brent/official_scores_tp.json"),
    "zh_gsd-jieba": (
        "ud/zh_gsd_test_reference.txt",
        "ud/zh_gsd_test_jieba.txt",
        "ud/official_scores_zh_gsd_test_jieba.json",
    ),
}


@pytest.mark.parametrize("key", CARD_SCORES)
def test_the_example_of_the_card_has_the_scores_that_the_card_prints(key: str) -> None:
    scores = score(CARD_REFERENCE, CARD_PREDICTION, text_format="words")
    assert round(scores[key], 2) == CARD_SCORES[key]


@pytest.mark.parametrize("group", CARD_COUNTS)
def test_the_reference_of_the_card_has_as_many_boundaries_words_and_types_as_its_text_counts(group: str) -> None:
    options = Plan.of(text_format="words")
    totals = tally_columns(*read_pair(CARD_REFERENCE, CARD_PREDICTION), options).totals()
    assert totals[f"{group}_reference"] == CARD_COUNTS[group]


def test_the_usage_of_the_card_prints_twelve_ones() -> None:
    groups = ["boundary_all", "boundary_noedge", "token", "type"]
    keys = [f"{group}_{kind}" for group in groups for kind in ("precision", "recall", "fscore")]
    assert score(CARD_USAGE, CARD_USAGE, scores=groups) == dict.fromkeys(keys, 1.0)


def table_1_cells() -> list[object]:
    return [
        pytest.param(language, segmenter, key, printed, id=f"Shao2017-{language}-{segmenter}-{key}")
        for language, (_, segmenters) in TABLE_1.items()
        for segmenter, (_, _, cells) in segmenters.items()
        for key, printed in zip(TABLE_1_KEYS, cells, strict=True)
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("language", "segmenter", "key", "printed"), table_1_cells())
def test_table_1_of_shao_et_al(form: str, language: str, segmenter: str, key: str, printed: float) -> None:
    reference, segmenters = TABLE_1[language]
    write, options = FORMS[form].write, FORMS[form].options
    value = score(
        write([reference.split()]), write([segmenters[segmenter][0].split()]), scores=["token", "tnr"], **options
    )[key]
    cell = (language, segmenter, key)
    if cell in TABLE_1_CONTRADICTIONS:
        assert printed == TABLE_1_CONTRADICTIONS[cell][0]
        assert value == pytest.approx(TABLE_1_CONTRADICTIONS[cell][1], abs=1e-15)
        assert round(value, 2) != printed, "no contradiction: the printed value is the rounded one"
    else:
        assert round(value, 2) == printed
    if cell in TABLE_1_ROUNDED:
        assert (printed, value) == TABLE_1_ROUNDED[cell]


@pytest.mark.parametrize("language", TABLE_1)
@pytest.mark.parametrize("segmenter", ["T1", "T2", "S1", "S2", "S3"])
def test_true_positives_of_table_1_of_shao_et_al(language: str, segmenter: str) -> None:
    reference, segmenters = TABLE_1[language]
    output, true_positives, _ = segmenters[segmenter]
    totals = tally_columns(*read_pair([reference], [output]), Plan.of(text_format="words")).totals()
    assert totals["token_matched"] == true_positives
    assert totals["token_spans"] - totals["token_reference"] == {"Chinese": 18, "English": 88}[language]


def read_corpus(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("corpus", CORPORA)
def test_real_corpora_have_the_twelve_scores_of_wordseg_and_the_given_tnr(
    shared_data: Path, corpus: str, form: str
) -> None:
    reference, prediction, official = (shared_data / name for name in CORPORA[corpus])
    expected = json.loads(official.read_text(encoding="utf-8"))
    twelve = expected["wordseg"]
    assert len(twelve) == 12
    expected_scores = {**twelve, "token_tnr": expected["token_tnr"]}
    if not FORMS[form].has_words:
        expected_scores = {key: value for key, value in expected_scores.items() if not key.startswith("type_")}
    write = FORMS[form].write
    scores = score(write(read_corpus(reference)), write(read_corpus(prediction)), **FORMS[form].options)
    assert scores == pytest.approx(expected_scores, rel=0, abs=1e-12)


@pytest.mark.parametrize("corpus", CORPORA)
def test_real_corpora_have_the_given_counts(shared_data: Path, corpus: str) -> None:
    reference, prediction, official = (shared_data / name for name in CORPORA[corpus])
    expected = json.loads(official.read_text(encoding="utf-8"))
    write, options = FORMS["words_text"].write, Plan.of(text_format="words")
    totals = tally_columns(*read_pair(write(read_corpus(reference)), write(read_corpus(prediction))), options).totals()
    counts = expected.get("counts", {}) | {
        "utterances": expected["utterances"],
        "rp": expected["reference_words"],
        "pp": expected["predicted_words"],
    }
    columns = {"tp": "token_matched", "pp": "token_predicted", "rp": "token_reference", "tw": "token_spans"}
    assert {name: totals[columns.get(name, name)] for name in counts} == counts


@pytest.fixture(params=CORPORA)
def official(request: pytest.FixtureRequest, shared_data: Path) -> tuple[list[Path], dict[str, Any]]:
    """The files of a real pair, and what the official scorers print for it."""
    *sides, numbers = (shared_data / name for name in CORPORA[request.param])
    return sides, json.loads(numbers.read_text(encoding="utf-8"))


def by_score(sides: list[Path], options: dict[str, Any], **inputs: Any) -> dict[str, float]:
    return score(
        *(side.read_text(encoding="utf-8").splitlines() for side in sides), text_format="words", **options, **inputs
    )


def by_command(sides: list[Path], options: dict[str, Any], **files: Path) -> dict[str, float]:
    """What the command prints, with the same options."""
    values = {**options, **files}
    names = values.pop("scores")
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
    scores = names if isinstance(names, str) else ",".join(names)
    with redirect_stdout(io.StringIO()) as output:
        assert main(["score", *map(str, sides), "--format", "json", "--scores", scores, *arguments]) == 0
    return json.loads(output.getvalue())["predictions"][0]["scores"]


@pytest.mark.parametrize("way", [by_score, by_command])
def test_rand_and_utterance_accuracy_are_the_official_ones(
    official: tuple[list[Path], dict[str, Any]], way: Callable[..., dict[str, float]]
) -> None:
    sides, expected = official
    keys = ("adjusted_rand_index", "utterance_accuracy")
    assert way(sides, {"scores": ["rand", "exact"]}) == pytest.approx(
        {key: expected[key] for key in keys}, rel=0, abs=1e-9
    )


@pytest.mark.parametrize("way", [by_score, by_command])
def test_shares_of_wrong_words_are_those_of_the_summary_of_wordseg(
    official: tuple[list[Path], dict[str, Any]], way: Callable[..., dict[str, float]]
) -> None:
    sides, expected = official
    scores, totals = way(sides, {"scores": "rates"}), expected["wordseg_summary_totals"]
    for name in ("over", "under", "mis"):
        assert scores[f"{name}_segmented"] == pytest.approx(totals[name] / expected["reference_words"], rel=0, abs=1e-9)


@pytest.mark.parametrize("way", [by_score, by_command])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_means_over_utterances_are_those_of_nltk(
    official: tuple[list[Path], dict[str, Any]], size: int, way: Callable[..., dict[str, float]]
) -> None:
    sides, expected = official
    options = {"window_size": size, "window_convention": "nltk", "average": "macro", "zero_division": math.nan}
    scores = way(sides, {"scores": "windows", **options})
    for ours, theirs in (("pk", "pk"), ("window_diff", "windowdiff")):
        assert scores[ours] == pytest.approx(expected[f"nltk_{theirs}_k{size}_mean"], rel=0, abs=1e-9)


@pytest.mark.parametrize("way", [by_score, by_command])
def test_means_over_utterances_are_those_of_segeval(
    official: tuple[list[Path], dict[str, Any]], way: Callable[..., dict[str, float]], tmp_path: Path
) -> None:
    sides, expected = official
    expected = expected["segeval_first300"]
    pairs = zip(*map(read_corpus, sides), strict=True)
    chosen = [pair for pair in pairs if min(map(len, pair)) > 1][:300]
    assert len(chosen) == expected["pairs"]
    files = [tmp_path / name for name in ("reference.txt", "prediction.txt")]
    for file, corpus in zip(files, zip(*chosen, strict=True), strict=True):
        file.write_text("".join(f"{' '.join(words)}\n" for words in corpus), encoding="utf-8")
    options = {"window_size": "utterance", "average": "macro", "zero_division": math.nan}
    scores = way(files, {"scores": "windows", **options})
    assert scores["pk"] == pytest.approx(expected["pk_mean"], rel=0, abs=1e-9)
    assert scores["window_diff"] == pytest.approx(expected["window_diff_mean"], rel=0, abs=1e-9)
    if way is by_score:
        # Of the similarities segeval's are a mean over utterances; ours are of the corpus.
        keys = ("boundary_similarity", "segmentation_similarity")
        each = [
            score(*([" ".join(words)] for words in pair), text_format="words", scores="similarity") for pair in chosen
        ]
        for key in keys:
            assert fmean(scores[key] for scores in each) == pytest.approx(expected[f"{key}_mean"], rel=0, abs=1e-9)
        first = [scores["boundary_similarity"] for scores in each[: len(expected["boundary_similarity_each"])]]
        assert first == pytest.approx(expected["boundary_similarity_each"], rel=0, abs=1e-9)


#: What the script of the SIGHAN bakeoff prints, and the scores that it is. Where `diff` takes an equal word elsewhere for the
#: same one, in utterances 67 and 276, it counts 4 errors more and one right word less.
SIGHAN = {
    "TOTAL TRUE WORDS RECALL": "token_recall",
    "TOTAL TEST WORDS PRECISION": "token_precision",
    "F MEASURE": "token_fscore",
    "OOV Rate": "oov_rate",
    "OOV Recall Rate": "oov_recall",
    "IV Recall Rate": "iv_recall",
}
SIGHAN_EXCEPTIONS = {
    "TOTAL INSERTIONS": ("word_insertions", 373, 370),
    "TOTAL DELETIONS": ("word_deletions", 1249, 1246),
    "TOTAL SUBSTITUTIONS": ("word_substitutions", 2177, 2179),
}


@pytest.mark.parametrize("way", [by_score, by_command])
@pytest.mark.parametrize("vocabulary", ["zh_gsd_dev_words.txt", "zh_gsd_dev_reference.txt"], ids=["list", "corpus"])
def test_the_scores_of_the_sighan_bakeoff_are_those_of_its_script(
    shared_data: Path, vocabulary: str, way: Callable[..., dict[str, float]]
) -> None:
    *sides, numbers = (shared_data / name for name in CORPORA["zh_gsd-jieba"])
    expected = json.loads(numbers.read_text(encoding="utf-8"))
    known = shared_data / "ud" / vocabulary
    given = known if way is by_command else known.read_text(encoding="utf-8").splitlines()
    scores = way(sides, {"scores": ["token", "oov", "word_error"]}, vocabulary=given)
    assert {name: f"{scores[key]:.3f}" for name, key in SIGHAN.items()} == {
        name: expected["sighan"][name] for name in SIGHAN
    }
    assert {key: scores[key] for key in expected["oov"]} == pytest.approx(expected["oov"], rel=0, abs=1e-9)
    for name, (key, printed, by_spans) in SIGHAN_EXCEPTIONS.items():
        assert (int(expected["sighan"][name]), scores[key]) == (printed, by_spans)
