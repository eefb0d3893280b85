"""The options that type checkers and editors know are those of the registry, and a misspelled one is an error in both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mypy import api

from segscores import compare, per_utterance, score, tally
from segscores.measures.registry import GROUPS, OPTIONS, GroupOptions
from segscores.scoring.options import OPTION_NAMES, Plan, ScoringOptions

ROOT = Path(__file__).resolve().parents[2]
SNIPPET = """
import segscores
segscores.score(["a"], ["a"], text_format="words")
segscores.score(["a"], ["a"], textformat="words")
segscores.tally(["a"], ["a"], tolerance="2")
"""


def test_typed_options_are_those_of_the_registry() -> None:
    assert set(GroupOptions.__annotations__) == set(OPTIONS)
    assert set(ScoringOptions.__annotations__) == set(OPTION_NAMES)
    assert {option.name for group in GROUPS.values() for option in group.options} == set(OPTIONS)
    assert all(option.help and option.signature_key for option in OPTIONS.values())


@pytest.mark.parametrize("entry", [score, tally, per_utterance], ids=lambda function: function.__name__)
def test_a_misspelled_option_suggests_the_nearest(entry: Any) -> None:
    with pytest.raises(TypeError, match=r"unknown option 'textformat'\. Did you mean 'text_format'"):
        entry(["a"], ["a"], textformat="words")
    with pytest.raises(TypeError, match="Did you mean 'text_format'"):
        compare(["a"], {"x": ["a"], "y": ["a"]}, textformat="words")


def test_mypy_reports_misspelled_and_wrongly_typed_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "snippet.py").write_text(SNIPPET)
    options = ["--config-file", "pyproject.toml", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    output, _, status = api.run([*options, str(tmp_path / "snippet.py")])
    lines = [line.rpartition("snippet.py:")[2].split(":")[0] for line in output.splitlines() if "error" in line]
    assert (status, lines[:2]) == (1, ["4", "5"]), output


def test_all_is_every_group_whose_options_are_given() -> None:
    needed = {group.name for group in GROUPS.values() if group.needs_option}
    assert set(Plan.of(scores="all").scores) == set(GROUPS) - needed - {"unit_error"}
    assert set(Plan.of(scores="all", vocabulary=["a"]).scores) == set(GROUPS) - needed - {"unit_error"} | {"oov"}
    assert "type" not in Plan.of(scores="all", label_scheme="start").scores


def test_the_key_of_a_score_is_scored_alone() -> None:
    assert list(score(["a b"], ["a b"], text_format="words", scores="token_fscore")) == ["token_fscore"]
    with pytest.raises(ValueError, match='vocabulary: scores="oov_recall" needs it'):
        Plan.of(scores="oov_recall")
