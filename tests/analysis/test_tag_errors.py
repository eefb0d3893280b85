"""Errors of tags among words that are right, by hand, and against the group of tagged tokens."""

import random
from pathlib import Path

import pytest

import segscores
from segscores.apps.command.main import main


def test_tags_of_correct_words_are_counted_and_shown() -> None:
    """Four of five words are right, and two of these have another tag."""
    references = ["他/PN 爱/VV 小狗/NN", "好/JJ 的/DEC"]
    predictions = ["他/PN 爱/NN 小/JJ 狗/NN", "好/VA 的/DEC"]
    analysis = segscores.analyse_errors(references, predictions, text_format="tagged")
    assert analysis.words.tolist() == [4, 1, 0, 0]
    rows = [{"reference": "JJ", "prediction": "VA", "count": 1}, {"reference": "VV", "prediction": "NN", "count": 1}]
    assert analysis.to_dict()["tag_errors"] == rows
    assert "Tags: 2 of 4 correct words have another tag: JJ as VA 1, VV as NN 1." in str(analysis)
    same = segscores.analyse_errors(references, references, text_format="tagged")
    assert same.to_dict()["tag_errors"] == []
    assert "Tags: all 5 correct words have the tag of the reference." in str(same)


def test_text_without_tags_has_no_errors_of_tags() -> None:
    analysis = segscores.analyse_errors(["a b"], ["a b"], text_format="words")
    assert analysis.tag_errors is None
    assert "tag_errors" not in analysis.to_dict()
    assert "Tags" not in str(analysis)


def test_correct_words_without_the_errors_of_tags_are_the_tagged_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """In many utterances, which are read in parts, and one of which is left out."""
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 2000)
    source = random.Random(6)

    def line() -> str:
        words = source.choice(["ab c", "a bc", "a b c"]).split()
        return " ".join(f"{word}/{source.choice('XYZ')}" for word in words)

    references, predictions = ([line() for _ in range(1500)] for _ in range(2))
    predictions[5] = "d/X"
    with pytest.warns(UserWarning, match="left out"):
        analysis = segscores.analyse_errors(references, predictions, text_format="tagged", on_error="skip")
    scores = ["tagged_token", "token"]
    with pytest.warns(UserWarning, match="left out"):
        counted = segscores.tally(references, predictions, text_format="tagged", on_error="skip", scores=scores)
    counts = counted.counts()
    assert analysis.tag_errors is not None
    assert analysis.tag_errors.words == counts["token_matched"]
    assert analysis.tag_errors.words - analysis.tag_errors.counts.total() == counts["tagged_token_matched"]


def test_the_command_shows_errors_of_tags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r").write_text("Việt_Nam/Np là/V\n", encoding="utf-8")
    (tmp_path / "p").write_text("Việt_Nam/N là/V\n", encoding="utf-8")
    main(["errors", str(tmp_path / "r"), str(tmp_path / "p"), "--text-format", "vlsp"])
    assert "Tags: 1 of 2 correct words have another tag: Np as N 1." in capsys.readouterr().out
