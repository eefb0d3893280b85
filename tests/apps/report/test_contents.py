"""The numbers of the report; that the command writes the same page is in demo/test_takeaway.py."""

import re
from typing import Any

import pytest

import segscores
from segscores.analysis.error_analysis import analyse_errors
from segscores.apps.report.contents import Findings, Names, analyse_texts, worst_key
from segscores.apps.report.page import Compared, Report, build_page
from segscores.options.table import OPTIONS
from segscores.scoring.plan import Plan
from segscores.statistics.resampling import split_options

from ...corpora import random_corpus_pair, words_text
from ...naive import naive_scores

#: The number of utterances that are shown.
MOST = OPTIONS["utterances"].default


def findings(reference: Any, systems: dict[str, Any], **options: Any) -> Findings:
    """The findings of the report on predictions of words text."""
    plan, resampling, _ = split_options({"text_format": "words", **options})
    return analyse_texts(reference, systems, plan, resampling)


@pytest.mark.parametrize("piece_bytes", [1 << 10, 1 << 19])
def test_scores_errors_and_utterances_equal_the_text(piece_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
    reference, prediction = random_corpus_pair(MOST + 100, seed=4, units="abc")
    texts = words_text(reference), words_text(prediction)
    found = findings(texts[0], {"p": texts[1]})
    (made,) = found.analysed.values()
    assert found.scored()[0].scores == pytest.approx(naive_scores(reference, prediction), abs=1e-12)
    errors = analyse_errors(*texts, text_format="words")
    assert made.errors.errors() == errors.errors()
    assert made.errors.word_types() == errors.word_types()

    def fscore(index: int) -> float:
        one = slice(index, index + 1)
        return naive_scores(reference[one], prediction[one], zero_division=2.0)["token_fscore"]

    lengths = [len(line.replace(" ", "")) for line in texts[0]]
    order = sorted(range(MOST + 100), key=lambda index: (fscore(index), -lengths[index], index))[:MOST]
    differences = segscores.differences(*texts, text_format="words")
    assert [(shown.utterance, shown.difference) for shown in made.shown] == [
        (index, differences[index]) for index in order
    ]


def test_recordings_are_drawn_without_those_that_are_left_out() -> None:
    """Times of the first recording of the prediction go back. In the last one, a boundary is at .25 instead of .5 s."""
    halves = [(0.0, 0.5), (0.5, 1.0)]
    references = [halves, halves, halves]
    predictions = [[(0.0, 0.5), (0.4, 0.2)], halves, [(0.0, 0.25), (0.25, 1.0)]]
    with pytest.warns(UserWarning, match="left out"):
        (made,) = findings(references, {"p": predictions}, text_format="times", on_error="skip").analysed.values()
    shown = [(one.utterance, one.difference.missed, one.difference.wrong) for one in made.shown]
    assert shown == [(2, 1, 1), (1, 0, 0)]


def test_morphemes_alone_have_scores_and_a_sentence_in_place_of_errors() -> None:
    texts = ["play ed", "dog s"], ["play ed", "dogs"], ["playe d", "dog sss"]
    found = findings(texts[0], {"p": texts[1], "q": texts[2]}, scores="morpheme")
    assert [one.scores["morpheme_fscore"] for one in found.scored()] == [4 / 7, 2 / 8]
    page = build_page(Report(found, Names("r", "r", {"p": "p", "q": "q"}), "s"))
    assert page.count("morphemes are compared by themselves") == 2
    assert "over-segmented" not in page
    assert 'href="#errors-1"' not in page


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("count", "trials"), [(1, None), (2, 4), (20, 10_000)])
def test_a_comparison_needs_two_utterances_and_has_the_default_number_of_trials(count: int, trials: int | None) -> None:
    """There are 2 ** 20 ways to exchange 20 utterances, which are more than 10,000."""
    found = findings(["a b c"] * count, {"p": ["ab c"] * count, "q": ["a b c"] * count}, confidence=0.95)
    assert (found.comparison and found.comparison.trials) == trials


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_systems_stand_in_the_order_of_the_primary_score() -> None:
    """The boundary of z is right, and one of the two of y; w and x have none."""
    texts = {"w": "abcd", "x": "abcd", "y": "a b cd", "z": "a bcd", "v": "ab cd"}
    systems = {name: [text] * 12 for name, text in texts.items()}
    compared = segscores.compare(["a bc d"] * 12, systems, text_format="words", scores="boundary_noedge_precision")
    table = Compared(compared)
    assert table.names == ["z", "y", "v", "w", "x"]
    assert [table.standing(name) for name in table.names] == ["best", "worse", "worse", "undefined", "undefined"]


def test_words_that_are_aligned_with_others_are_not_correct() -> None:
    # "cat" and "cut" have the same boundaries, "on" and "o n" the same units; "sad" is aligned with "s ab".
    texts = ["the cat is on", "a cat sad"], ["the cut is o n", "a cat s ab"]
    found = findings(texts[0], {"p": texts[1]}, on_mismatch="align", scores="token")
    errors = found.analysed["p"].errors
    assert (errors.words.tolist(), errors.chunks.tolist(), errors.altered) == ([4, 2, 0, 0], [4, 2, 0, 0], 1)
    assert found.scored()[0].scores["token_recall"] == 4 / 7
    assert {row.name: (row.words, row.correct) for row in errors.word_types()}["cat"] == (1, 1)
    page = build_page(Report(found, Names("r", "r", {"p": "p"}), "s"))
    # Shares have bars; the unit error rate, which may be above 1, and counts have none.
    shares = [score for key, score in found.scored()[0].scores.items() if key.startswith("token_")]
    assert re.findall('class="full" style="width:(.*?)"', page) == [f"{100 * share:.2f}%" for share in shares]
    assert "2 lines, 7 words" in page
    assert "onto the units of the reference" in page
    assert "1 words of the reference have the same boundaries in the prediction and other units" in page


@pytest.mark.parametrize(
    ("scores", "key"),
    [
        ("token", "token_fscore"),
        (["type", "token"], "token_fscore"),
        ("boundary_all", "boundary_all_fscore"),
        ("word_error", "word_error_rate"),
    ],
)
def test_the_score_that_ranks_the_utterances(scores: Any, key: str) -> None:
    assert worst_key(Plan.of(text_format="words", scores=scores)) == key
