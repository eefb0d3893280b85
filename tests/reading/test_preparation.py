"""What happens to a side after it is read happens once: in every way in, and however many predictions share a pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from segscores import compare, rate_difficulty, recovered_by_decile, score, score_difficulty
from segscores.options.keywords import ReadingOptions
from segscores.options.table import options_in

from ..command_runs import Run

#: For each option of reading, flags that set it, and a reference and two predictions on which it matters.
CASES: dict[str, tuple[str, list[str]]] = {
    "text_format": ("--text-format words", ["the dog\n", "thedog\n", "the d og\n"]),
    "reference_format": (
        "--text-format units,words",
        ["dh ax WORD_BOUNDARY d\n", "dhax d\n", "dh axd\n"],
    ),
    "prediction_format": ("--text-format words,separated", ["the dog\n", "the|dog\n", "th|edog\n"]),
    "label_scheme": ("--label-scheme start", ['{"reference": [1, 0, 1], "a": [1, 1, 1], "b": [1, 0, 0]}\n']),
    "word_boundary": ("--text-format units --word-boundary |", ["a b | a\n", "a | b | a\n", "a b a |\n"]),
    "ignored_tokens": (
        "--text-format units --ignored-tokens -",
        ["a - WORD_BOUNDARY b\n", "a b -\n", "a - WORD_BOUNDARY - b\n"],
    ),
    "separator": ("--text-format separated --separator /", ["the/dog\n", "the/dog\n", "th/edog\n"]),
    "joiner": ("--text-format words --joiner _", ["the_old dog\n", "the old dog\n", "the_old_dog\n"]),
    "spaces": ("--text-format separated --spaces drop", ["the old|dog\n", "theold|dog\n", "the|old dog\n"]),
    "markup": (
        "--text-format separated --markup drop",
        ["<NE>the</NE>|dog\n", "the|dog\n", "thed|og\n"],
    ),
    "normalize": ("--text-format words --normalize NFC", ["e\u0301a e\n", "\u00e9a e\n", "e\u0301 ae\n"]),
    "subword_marks": (
        "--text-format words --subword-marks strip",
        ["\u2581 the dog\n", "the dog\n", "\u2581th edog\n"],
    ),
    "documents": ("--text-format words --documents", ["the dog\n\nis on\n", "the\ndog\n\nis on\n", "thedog\n\nison\n"]),
    "whole_files": (
        "--text-format words --documents --whole-files",
        ["the dog\n\nis on\n", "the\ndog is on\n", "thedog\n\nison\n"],
    ),
}
SCORES = ["--scores", "boundary_noedge,token,type,oov", "--vocabulary", "known"]


def test_every_option_of_reading_has_a_case() -> None:
    assert CASES.keys() | {"ignore_index"} == options_in(ReadingOptions).keys(), (
        "add a case to CASES for each new option of reading"
    )


@pytest.mark.parametrize("option", CASES)
def test_predictions_in_one_pass_score_as_in_passes_of_their_own(run: Run, in_folder: object, option: str) -> None:
    flags, contents = CASES[option]
    asked = SCORES if "label" not in flags else ["--scores", "boundary_noedge,token"]
    names = ["r", "a", "b"] if len(contents) > 1 else ["t.jsonl"]
    files = dict(zip(names, contents, strict=True)) | {"known": "the\n\u00e9a\n"}

    def scores_of(*predictions: str) -> Any:
        line = (
            ["t.jsonl", "--columns", ",".join(["reference", *predictions])] if len(names) == 1 else ["r", *predictions]
        )
        status, output, messages = run(files, *line, *flags.split(), *asked, "--format", "json")
        assert status == 0, messages
        return {entry["prediction"]: entry["scores"] for entry in json.loads(output)["predictions"]}

    both = scores_of("a", "b")
    assert both == scores_of("a") | scores_of("b")
    assert both["a"] != both["b"], "the predictions of a case differ in their scores"


def test_labels_that_are_ignored_are_so_for_every_prediction() -> None:
    """The command has no `ignore_index`."""
    references = [[1, -100, 0, 1], [1, 1]]
    systems: dict[str, Any] = {"a": [[1, 1, 1, 1], [1, 0]], "b": [[1, 0, 0, 0], [1, 1]]}
    options: dict[str, Any] = {"label_scheme": "start", "ignore_index": -100, "scores": "token"}
    together = compare(references, systems, **options, n_trials=10).scores
    assert together == {name: score(references, labels, **options) for name, labels in systems.items()}


def test_a_lexicon_that_predictions_share_is_normalised(scores: Callable[..., Any], in_folder: object) -> None:
    text = "e\u0301a e\n"
    both = scores({"r": text, "a": text, "b": text}, "r", "a", "b", "--normalize", "NFC", "--scores", "type_fscore")
    assert both == {"a": {"type_fscore": 1.0}, "b": {"type_fscore": 1.0}}


def test_difficulties_are_of_the_words_without_marks() -> None:
    references, committee = ["\u2581 the dog", "is on"], [["the dog", "is on"], ["thedog", "ison"]]
    options: dict[str, Any] = {"text_format": "words", "subword_marks": "strip"}
    difficulties = rate_difficulty(references, committee, **options)
    assert [row.tolist() for row in difficulties] == [[0.5, 0.5], [0.5, 0.5]]
    scored = score_difficulty(references, ["the dog", "ison"], difficulties=difficulties, **options)
    assert scored["balanced_recall"] == pytest.approx(0.5)
    deciles = recovered_by_decile(references, ["the dog", "ison"], difficulties=difficulties, **options)
    assert sum(decile.words for decile in deciles) == 4
