"""The options of the further score groups on the command line: the same scores as from Python, and errors that help."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from segscores import score
from segscores.command.main import main

from ..naive import naive_group_scores, random_corpus_pair, words_text

PAIR = random_corpus_pair(80, seed=78, units="ab狗")
TEXTS = [words_text(side) for side in PAIR]
KNOWN = ["a", "b", "狗", "aa", "ab", "ba", "狗a", "b狗"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in zip(("r.txt", "p.txt"), TEXTS, strict=True):
        write(name, lines)
    write("known.txt", KNOWN)


def write(name: str, lines: Sequence[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, float]]:
    """The scores of each prediction; nothing is on standard error."""
    assert main(["score", *arguments, "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    return [entry["scores"] for entry in json.loads(output)["predictions"]]


def test_several_predictions_have_the_same_size_of_windows(capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(capsys, "r.txt", "p.txt", "r.txt", "--scores", "windows,oov", "--vocabulary", "known.txt")
    for scores, prediction in zip(found, (TEXTS[1], TEXTS[0]), strict=True):
        assert scores == score(TEXTS[0], prediction, text_format="words", scores=["windows", "oov"], vocabulary=KNOWN)


def test_the_size_of_windows_comes_from_a_conllu_reference_too(capsys: pytest.CaptureFixture[str]) -> None:
    sentences = [[f"{index}\t{word}" + "\t_" * 8 for index, word in enumerate(["abcdef", "ghi"], 1)]] * 3
    Path("r.conllu").write_text("".join("\n".join([*lines, "", ""]) for lines in sentences), encoding="utf-8")
    write("c.txt", ["abc defghi"] * 3)
    found = scored(capsys, "r.conllu", "c.txt", "--scores", "windows")
    expected = naive_group_scores("windows", [["abcdef", "ghi"]] * 3, [["abc", "defghi"]] * 3, window_size=2)
    assert found == [pytest.approx(expected, rel=1e-12, abs=1e-10)]


def standard_input(monkeypatch: pytest.MonkeyPatch, lines: Sequence[str]) -> None:
    stdin = io.TextIOWrapper(io.BytesIO("".join(f"{line}\n" for line in lines).encode()), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)


def test_a_reference_on_standard_input_asks_for_the_size_of_windows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["score", "-", "p.txt", "--scores", "windows"]) == 2
    output, errors = capsys.readouterr()
    assert (output, errors.count("\n")) == ("", 1)
    assert 'standard input can be read only once: pass --window-size with a number of gaps, or "utterance".' in errors
    standard_input(monkeypatch, TEXTS[0])
    expected = score(*TEXTS, text_format="words", scores="windows", window_size=3)
    assert scored(capsys, "-", "p.txt", "--scores", "windows", "--window-size", "3") == [expected]
    standard_input(monkeypatch, TEXTS[1])
    expected = score(*TEXTS, text_format="words", scores="windows")
    assert scored(capsys, "r.txt", "-", "--scores", "windows") == [expected]


def test_an_implausible_vocabulary_is_warned_of_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    write("other.txt", ["the dog", "barks"])
    asked = ["--scores", "oov", "--vocabulary", "other.txt", "--zero-division", "0"]
    assert main(["score", "r.txt", "p.txt", "r.txt", *asked]) == 0
    output, errors = capsys.readouterr()
    assert "oov_rate" in output
    (line,) = errors.splitlines()
    assert line.startswith("segmentation-scores: warning: 100.0% of the reference words are outside the vocabulary")
    assert "segmented corpus of 3 distinct words, such as 'the', 'dog', 'barks'" in line


REFERENCE = [["the", "dog"], ["is", "on"], [], ["a", "b"]]
OTHERS = {
    "skipped.txt": [["the", "dog"], ["isnt", "on"], [], ["ab"]],
    "kept.txt": [["thedog"], ["is", "on"], [], ["a", "b"]],
}


def test_every_prediction_is_aligned_separately(capsys: pytest.CaptureFixture[str]) -> None:
    write("reference.txt", words_text(REFERENCE))
    for name, corpus in OTHERS.items():
        write(name, words_text(corpus))
    found = scored(capsys, "reference.txt", *OTHERS, "--on-mismatch", "align", "--scores", "token")
    # the, dog, on; two units inserted for the twelve of the reference.
    assert [scores["token_recall"] for scores in found] == [3 / 6, 4 / 6]
    assert [scores["unit_error_rate"] for scores in found] == [2 / 12, 0.0]
