"""The format that scores want, or that the other side has, where the lines of a side show none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_runs import Run, write_files

GOLD = "the dogs\tthe dog @@s\nno\tno\n"
#: A reference, a prediction, the scores, and the precision and recall of morphemes, counted by hand.
SIGMORPHON = {
    "an empty prediction is no morpheme": (GOLD, "the dogs\tthe dog @@s\nno\t\n", 3 / 4, 3 / 4),
    "nothing is cut": (GOLD, "the dogs\tthe dogs\nno\tno\n", 2 / 3, 2 / 4),
    "nothing is cut, with CRLF": (GOLD, "the dogs\tthe dogs\r\nno\tno\r\n", 2 / 3, 2 / 4),
    "neither side is cut": ("dog\tdog\nno\tno\n", "dog\tdog\nno\tyes\n", 1 / 2, 1 / 2),
}


@pytest.mark.parametrize("case", SIGMORPHON)
def test_sigmorphon_is_read_where_no_morph_shows_it(case: str, in_folder: Path, run: Run) -> None:
    gold, guess, precision, recall = SIGMORPHON[case]
    write_files({"gold.tsv": gold, "guess.tsv": guess})
    status, out, err = run("gold.tsv", "guess.tsv", "--scores", "sigmorphon", "--format", "json")
    assert status == 0, err
    scores = json.loads(out)["predictions"][0]["scores"]
    assert (scores["morpheme_precision"], scores["morpheme_recall"]) == pytest.approx((precision, recall))
    assert "guess.tsv: read as a text, a tab, and its morphs" in err


def test_lines_of_another_form_than_the_reference_are_an_error(in_folder: Path, run: Run) -> None:
    write_files({"gold.tsv": GOLD, "guess.txt": "the dogs\tthe dog s\nno\n"})
    status, _, err = run("gold.tsv", "guess.txt", "--scores", "morpheme")
    assert status == 2
    for part in ("guess.txt, line 2", "gold.tsv", "--text-format sigmorphon,words"):
        assert part in err


def test_words_text_beside_sigmorphon_is_read_by_option(in_folder: Path, run: Run) -> None:
    write_files({"gold.tsv": GOLD, "guess.txt": "the dog s\nno\n"})
    options = "--scores", "token_fscore", "--text-format", "sigmorphon,words", "--format", "json"
    status, out, err = run("gold.tsv", "guess.txt", *options)
    assert status == 0, err
    assert json.loads(out)["predictions"][0]["scores"] == {"token_fscore": 1}


# dog s: precision 0/0 = 1 of `dogs` uncut; undoable: the best pairs have 1 of 1 and 1 of 2 boundaries.
def test_bpr_reads_words_with_analyses_that_spell_them(in_folder: Path, run: Run) -> None:
    write_files({"gold.txt": "undoable un do able\ndogs dog s\n", "guess.txt": "undoable un doable\ndogs dogs\n"})
    status, out, err = run("gold.txt", "guess.txt", "--scores", "bpr", "--format", "json")
    assert status == 0, err
    scores = json.loads(out)["predictions"][0]["scores"]
    assert scores["bpr_precision"] == pytest.approx(1)
    assert scores["bpr_recall"] == pytest.approx((1 / 2 + 0) / 2)
    assert "gold.txt: read as a word and its analyses" in err


def test_words_text_with_bpr_stays_words_text(in_folder: Path, run: Run) -> None:
    write_files({"gold.txt": "un do able\ndog s\n", "guess.txt": "un doable\ndogs\n"})
    status, out, _ = run("gold.txt", "guess.txt", "--scores", "bpr", "--format", "json")
    assert status == 0
    assert "text:words" in json.loads(out)["signature"]
