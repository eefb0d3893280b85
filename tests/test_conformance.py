"""Every surface gives the scores of a case (`cases`, `conformance`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .case import Case
from .cases import CASES
from .conformance import EVERY, SURFACES, Surface, pairs_of


@pytest.mark.usefixtures("session_of_spark")
@pytest.mark.parametrize(("surface", "case"), pairs_of(CASES))
def test_a_case_has_its_scores(surface: Surface, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores, messages = surface.run(case, Path())
    assert case.scores is not None
    assert list(scores) == list(case.scores)
    close = {"rel": 1e-9, "abs": 1e-12} if surface.digits is None else {"rel": 0, "abs": 0.6 * 10.0**-surface.digits}
    assert scores == pytest.approx(dict(case.scores), nan_ok=True, **close)
    for words in case.messages if surface.warns else ():
        assert any(words in message for message in messages), messages


def test_every_option_of_scoring_has_a_case() -> None:
    missing = EVERY - {name for case in CASES.values() for name in case.options}
    assert not missing, f"add a case with {', '.join(missing)} to tests/cases.py"


@pytest.mark.parametrize("where", SURFACES)
def test_a_surface_has_every_option_or_says_why_not(where: str) -> None:
    surface = SURFACES[where]
    missing = EVERY - surface.options - surface.lacks.keys()
    assert not missing, f"{where} has no option {', '.join(missing)}: {surface.add}."
    stale = surface.lacks.keys() & surface.options
    assert not stale, f"{where} has {', '.join(stale)}: take it out of what the surface lacks."


@pytest.mark.parametrize("name", ["segscores", "segmentation-scores"])
def test_the_console_script_gives_the_scores_of_a_case(name: str, tmp_path: Path) -> None:
    case = CASES["form words_text"]
    for file, lines in (("r.txt", case.references), ("p.txt", case.predictions)):
        (tmp_path / file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    script = Path(sys.executable).parent / name
    arguments = [script, "score", "r.txt", "p.txt", "--text-format", "words", "--format", "json"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=True, timeout=300)
    assert json.loads(done.stdout)["predictions"][0]["scores"] == case.scores
