"""Files as references and predictions of the functions in Python: the results are those of the utterances in them."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import segscores
from segscores import rate_difficulty, score_difficulty, sweep
from segscores.analysis.alternatives import score_alternatives
from segscores.analysis.annotators import score_agreement, score_constituents

from ...corpora import random_corpus_pair, words_text
from ...files import json_lines
from ...files import lines as as_bytes

REFERENCES, PREDICTIONS = map(words_text, random_corpus_pair(60, seed=4))
#: A number for each inner gap, and for each word.
GAPS = [[0.5] * (len("".join(line.split())) - 1) for line in REFERENCES]
HALVES = [[0.5] * len(line.split()) for line in REFERENCES]
OPTIONS: dict[str, Any] = {"text_format": "words", "scores": ("token", "type", "windows")}


#: How a file of a name is written.
WRITERS: dict[str, Callable[[Path, list[str]], object]] = {
    "a.txt": lambda path, lines: path.write_bytes(as_bytes(lines)),
    "a.txt.gz": lambda path, lines: path.write_bytes(gzip.compress(as_bytes(lines))),
    # Both columns, because a path names none.
    "a.jsonl": lambda path, lines: path.write_bytes(json_lines({"reference": lines, "prediction": lines})),
    "a.parquet": lambda path, lines: parquet.write_table(
        pa.table({"reference": lines, "prediction": lines}), path, row_group_size=7
    ),
}
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "score": lambda *sides: segscores.score(*sides, **OPTIONS),
    "intervals": lambda *sides: segscores.score(*sides, confidence=0.9, **OPTIONS),
    "tally": lambda *sides: segscores.tally(*sides, window_size=2, **OPTIONS).scores(),
    "per_utterance": lambda *sides: repr(segscores.per_utterance(*sides, **OPTIONS)),
    "compare": lambda left, right: repr(segscores.compare(left, {"a": right, "b": REFERENCES}, **OPTIONS, n_trials=99)),
    "analyse_errors": lambda *sides: segscores.analyse_errors(*sides, text_format="words").to_dict(),
    "signature": lambda left, _: segscores.signature(left, **OPTIONS),
    "sweep": lambda left, _: sweep(left, GAPS, text_format="words")["token_fscore"].tolist(),
    "rate_difficulty": lambda left, right: list(map(list, rate_difficulty(left, [right], text_format="words"))),
    "score_difficulty": lambda *sides: score_difficulty(*sides, HALVES, text_format="words"),
    "alternatives": lambda left, right: score_alternatives([left, right], PREDICTIONS, **OPTIONS),
    "agreement": lambda *sides: score_agreement(sides, text_format="words"),
    "constituents": lambda left, right: score_constituents(left, left, right, text_format="words"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("left", [*WRITERS, "list"])
def test_files_give_what_their_utterances_give(tmp_path: Path, left: str, call: str) -> None:
    """Each kind of file beside another one, and files beside lists."""
    kinds = [*WRITERS, "list"]
    right = kinds[kinds.index(left) - 1]
    sides: list[Any] = [REFERENCES, PREDICTIONS]
    expected = CALLS[call](*sides)
    for at, name in enumerate((left, right)):
        if name in WRITERS:
            path = tmp_path / f"{at}{name}"
            WRITERS[name](path, sides[at])
            sides[at] = path
    assert CALLS[call](*sides) == expected


def test_a_collection_beside_several_files_misses_no_file(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"p{number}").write_text("a b\n")
    with pytest.raises(
        ValueError, match=r"p1, line 1: the units differ .*; expected the same units on both sides\. \(Lines"
    ):
        segscores.score(["ab", "ac"], segscores.open_source(str(tmp_path / "p?")), text_format="words")


def test_a_string_is_no_file() -> None:
    with pytest.raises(TypeError, match=r"To read a file, pass a pathlib.Path"):
        segscores.score("r.txt", "p.txt")
    with pytest.raises(
        TypeError, match=r"received the file r\.txt, which is not read here: pass it to a function of seg"
    ):
        segscores.load().compute(references=Path("r.txt"), predictions=["a"])


@pytest.mark.parametrize(
    ("reference", "prediction", "is_said"),
    [
        ("pred.txt", "gold.txt", True),
        ("gold.txt", "pred.txt", False),
        ("out/crf.txt", "reference/crf.txt", False),  # crf is no usual word of a side
        ("output/crf.txt", "reference/crf.txt", True),
    ],
)
def test_paths_that_are_swapped_by_their_names_are_said(
    reference: str, prediction: str, is_said: bool, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    paths = [tmp_path / name for name in (reference, prediction)]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("the dog\n", encoding="utf-8")
    segscores.score(*paths, text_format="words", scores="token")
    segscores.score(*map(segscores.open_source, paths), text_format="words", scores="token")
    said = ["by their names they are swapped" in str(warning.message) for warning in recwarn]
    assert said == [True] * (2 * is_said)


def test_the_name_of_a_file_is_told_from_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("a b\n")
    with pytest.raises(TypeError, match=r"the name of a file: to read the file, pass pathlib\.Path\('r\.txt'\)\.$"):
        segscores.score("r.txt", "p.txt")
