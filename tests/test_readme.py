"""The README is true: its front matter, its code, its commands, its tables."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import evaluate
import pytest
import yaml
from packaging.version import Version

from segscores.command.groups import format_formulas, format_groups
from segscores.measures.registry import DEFAULT_SCORES, GROUPS, SELECTIONS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FRONT_MATTER, BODY = README.removeprefix("---\n").split("\n---\n", 1)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", BODY, flags=re.DOTALL | re.MULTILINE)


def test_front_matter_is_that_of_a_space() -> None:
    space = yaml.safe_load(FRONT_MATTER)
    assert space["sdk"] == "gradio"
    assert space["sdk_version"] == "6.31.0"
    assert space["app_file"] == "app.py"
    assert len(space["short_description"]) <= 60
    assert {"evaluate", "metric"} <= set(space["tags"])
    assert {space["colorFrom"], space["colorTo"]} <= {
        "red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray",
    }  # fmt: skip


def test_python_blocks_print_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = "".join(blocks("python"))
    examples = doctest.DocTestParser().get_doctest(code, {}, "README", "README.md", 0)
    assert len(examples.examples) >= 9
    output: list[str] = []
    results = doctest.DocTestRunner().run(examples, out=output.append)
    assert results.failed == 0, "".join(output)


@pytest.mark.parametrize("block", blocks("console"))
def test_console_blocks_print_what_they_say(block: str) -> None:
    command, expected = block.removeprefix("$ ").split("\n", 1)
    program, *arguments = shlex.split(command)
    run = subprocess.run(
        [Path(sys.executable).parent / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == expected


@pytest.mark.parametrize("table", [format_groups("markdown"), format_formulas()], ids=["scores", "formulas"])
def test_the_tables_of_scores_are_those_of_the_registry(table: str) -> None:
    section = BODY.split("\n## Scores\n")[1].split("\n## ")[0]
    assert f"\n\n{table}\n\n" in section


@pytest.mark.parametrize(
    "changed", [{"ranges": {"token_recall": (0.0, 2.0)}}, {"better": {"token_recall": "lower"}}, {}]
)
def test_a_group_that_is_new_or_has_another_range_would_be_missed_in_the_tables(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = replace(GROUPS["token"], **changed)
    monkeypatch.setitem(GROUPS, "token" if changed else "new", group if changed else replace(group, name="new"))
    assert format_groups("markdown") not in BODY


@pytest.mark.parametrize("name", GROUPS)
def test_every_score_has_a_range_and_a_direction(name: str) -> None:
    group = GROUPS[name]
    assert group.ranges.keys() | group.better.keys() <= set(group.keys), "of no key of the group"
    for key in group.keys:
        low, high = group.range_of(key)
        assert low < high
        assert group.better_of(key) in {"higher", "lower", "near 0", "of the text"}


@pytest.mark.parametrize("name", SELECTIONS)
def test_each_selection_lists_its_keys(name: str) -> None:
    paragraph = next(part for part in BODY.split("\n\n") if part.startswith(f'`scores="{name}"`'))
    for key in SELECTIONS[name]:
        assert f"`{key}`" in paragraph


def test_each_option_is_described_with_its_default() -> None:
    metric = evaluate.load(str(ROOT / "segmentation_scores.py"))
    parameters = inspect.signature(type(metric).compute).parameters
    options = {name: parameter.default for name, parameter in parameters.items()}
    for name in ("self", "predictions", "references", "unknown"):
        del options[name]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| `([^`]*)` \|$", BODY, flags=re.MULTILINE))
    assert options["scores"] == DEFAULT_SCORES
    assert {name: repr(default).replace("'", '"') for name, default in options.items()} == {
        name: rows.get(name) for name in options
    }


def test_the_oldest_versions_that_are_tested_are_those_that_are_required() -> None:
    """Of numpy the oldest depends on Python: 1.24.0 has no wheel for 3.12."""

    def read(path: str, sign: str) -> dict[str, list[str]]:
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        pairs = [line.split(";")[0].split(sign) for line in lines if line and not line.startswith("#")]
        return {name: [version for other, version in pairs if other == name] for name, _ in pairs}

    required, tested = read("requirements.txt", ">="), read("tests/oldest.txt", "==")
    assert tested.pop("numpy") == [f"{required.pop('numpy')[0]}.0", "1.26.0"]
    assert {name: [Version(v) for v in versions] for name, versions in tested.items()} == {
        name: [Version(v) for v in versions] for name, versions in required.items()
    }
