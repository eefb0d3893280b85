"""Tests that what happens to a side after it is read happens once: in every way in, and however many predictions share a pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from segscores import compare, score
from segscores.options.file_kinds import File
from segscores.options.keywords import ReadingOptions
from segscores.options.table import options_in
from segscores.options.tasks import COMMANDS

from ..cases import CASES
from ..conformance import SURFACES, command_options, run_command, write_lines

#: The first case with each option of reading, of those that a command reads from a table, which has no recordings.
FIRST = {
    option: next(
        (case for case in CASES.values() if option in case.options and not SURFACES["command on a table"].reason(case)),
        None,
    )
    for option, described in options_in(ReadingOptions).items()
    if option not in SURFACES["command on a table"].lacks and described.formats != ("times",)
}


@pytest.mark.usefixtures("in_folder")
@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("option", FIRST)
def test_predictions_in_one_pass_score_as_in_passes_of_their_own(option: str, is_swapped: bool) -> None:
    case = FIRST[option]
    assert case is not None, f"no case of tests/cases.py with {option} is read from a table by the command: add one"
    given = {name: value for name, value in command_options(case, Path()).items() if name in COMMANDS["errors"].options}
    given |= {"scores": ("boundary_noedge", "token"), "format": "json"}
    if case.kind != "labels":
        given |= {
            "scores": (*given["scores"], "type", "oov"),
            "vocabulary": File(write_lines("known", ["the", "ab", "caf\u00e9"])),
        }
    sides, formats = [case.references, case.predictions], given.get("text_format", ())
    if is_swapped:
        sides.reverse()
        given |= {"text_format": formats[::-1]} if formats else {}
    # The reference as a prediction, where it has the format of predictions.
    others = sides[1], sides[0] if len({*formats}) < 2 else sides[1]
    rows = [dict(zip(("reference", "a", "b"), row, strict=True)) for row in zip(sides[0], *others, strict=True)]
    path = write_lines("t.jsonl", map(json.dumps, rows))

    def scores_of(*predictions: str) -> dict[str, Any]:
        output, _ = run_command("score", [path], {**given, "columns": ("reference", *predictions)})
        return {entry["prediction"]: entry["scores"] for entry in json.loads(output)["predictions"]}

    assert scores_of("a", "b") == scores_of("a") | scores_of("b")


#: Cases whose words stand between spaces, so that a list of them is one of the vocabulary and of the dictionary.
OF_WORDS = {
    option: case
    for option, case in FIRST.items()
    if case and case.kind == "text" and case.options.get("text_format") == "words"
}


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("option", OF_WORDS)
def test_lists_of_words_are_prepared_as_the_text_is(option: str, is_swapped: bool) -> None:
    """Every word of the text is known by the lists that have it as it is written."""
    case = OF_WORDS[option]
    text = case.predictions if is_swapped else case.references
    options: dict[str, Any] = {name: case.options[name] for name in case.options.keys() & options_in(ReadingOptions)}
    written = [word for line in text for word in line.split()]
    for vocabulary in (text, [[word] for word in written]):
        assert score(text, text, **options, scores="oov_rate", vocabulary=vocabulary) == {"oov_rate": 0.0}
    if "joiner" not in options:
        known = score(text, text, **options, scores="dictionary_tpr", dictionary=written)
        assert known == {"dictionary_tpr": 1.0}


def test_labels_that_are_ignored_are_so_for_every_prediction() -> None:
    """The command has no `ignore_index`."""
    references = [[1, -100, 0, 1], [1, 1]]
    systems: dict[str, Any] = {"a": [[1, 1, 1, 1], [1, 0]], "b": [[1, 0, 0, 0], [1, 1]]}
    options: dict[str, Any] = {"label_scheme": "start", "ignore_index": -100, "scores": "token"}
    together = compare(references, systems, **options, n_trials=10).scores
    assert together == {name: score(references, labels, **options) for name, labels in systems.items()}
