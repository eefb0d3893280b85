"""The files around the package: the action for GitHub, whose steps run here, the recipe for conda, and the forms of issues."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from packaging.requirements import Requirement

import segscores

from .docs.pages import ROOT, blocks_of

ACTION = yaml.safe_load((ROOT / "examples" / "github-action" / "action.yml").read_text(encoding="utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
EXAMPLES = ROOT / "examples"


def run_action(folder: Path, steps: list[dict[str, Any]], **inputs: str) -> list[subprocess.CompletedProcess[str]]:
    """Run steps of the action as GitHub does: an input may have a default, and a step that fails is the last."""
    values = {name: inputs.get(name, each.get("default")) for name, each in ACTION["inputs"].items()}
    assert None not in values.values()
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    runs: list[subprocess.CompletedProcess[str]] = []
    for step in steps:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "inputs reach a script by its environment alone"
        given = {}
        for name, text in step["env"].items():
            given[name] = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: values[match[1]], text)
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        runs.append(
            subprocess.run(command, cwd=folder, env=environment | given, capture_output=True, text=True, check=False)
        )
        if runs[-1].returncode:
            break
    return runs


@pytest.fixture
def inputs() -> dict[str, str]:
    """Inputs of the action; the package that it installs is one that is here."""
    return {
        "reference": str(EXAMPLES / "reference.txt"),
        "predictions": f"\n$(touch bad) 'x={EXAMPLES / 'prediction.txt'}\n",
        "options": "--scores=token\n",
        "package": "packaging",
    }


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the action needs bash")
def test_the_first_step_of_the_action_installs(inputs: dict[str, str], tmp_path: Path) -> None:
    (run,) = run_action(tmp_path, ACTION["runs"]["steps"][:1], **inputs)
    assert run.returncode == 0, run.stderr


@pytest.mark.skipif(os.name != "posix", reason="the action needs bash")
@pytest.mark.parametrize(
    ("bounds", "status", "said"),
    [
        pytest.param({}, 0, "", marks=pytest.mark.slow),
        (
            {"min": "token_fscore=0.64\ntoken_recall=0.9\n", "max": "token_precision=0.6\n"},
            1,
            """token_recall is 0.6111111111111112, expected at least 0.9
segscores: $(touch bad) 'x: token_precision is 0.6875, expected at most 0.6\n""",
        ),
        pytest.param({"min": "no_score=0.64"}, 2, "no_score", marks=pytest.mark.slow),
    ],
)
def test_the_action_scores_and_checks(
    bounds: dict[str, str], status: int, said: str, inputs: dict[str, str], tmp_path: Path
) -> None:
    steps = ACTION["runs"]["steps"][1:]
    *_, last = runs = run_action(tmp_path, steps, **inputs, **bounds)
    assert len(runs) == len(steps)
    assert (last.returncode, said in last.stderr) == (status, True), last.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["segscores.json", "summary.md"]
    (prediction,) = json.loads((tmp_path / "segscores.json").read_text(encoding="utf-8"))["predictions"]
    assert prediction["prediction"] == "$(touch bad) 'x"
    assert prediction["scores"]["token_fscore"] == pytest.approx(22 / 34)
    if status < 2:
        assert "| Word F-score | 0.6471 |" in re.sub(" +", " ", (tmp_path / "summary.md").read_text(encoding="utf-8"))


def test_the_guide_uses_inputs_of_the_action() -> None:
    blocks = [block.code for block in blocks_of(ROOT / "docs" / "how-to" / "ci.md") if block.language == "yaml"]
    steps: list[dict[str, Any]] = []
    for block in blocks:
        steps += yaml.safe_load(block)["jobs"]["scores"]["steps"]
    (used,) = [step["with"] for step in steps if step.get("uses") == "./.github/actions/segscores"]
    assert used.keys() <= ACTION["inputs"].keys()
    assert used.keys() >= {name for name, each in ACTION["inputs"].items() if each.get("required")}


def test_the_recipe_for_conda_has_the_metadata_of_the_package() -> None:
    text = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(jinja2.Template(text).render(PYTHON="python"))
    # Before Python 3.11 it is a package of its own, which pytest brings.
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    declared = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    assert recipe["package"] == {"name": project["name"], "version": segscores.__version__}
    assert recipe["source"]["url"].endswith(f"/{project['name']}-{segscores.__version__}.tar.gz")
    # One package is for every system: of several requirements of a name, the last is the strictest.
    needed = {"python": project["requires-python"]}
    for line in project["dependencies"]:
        requirement = Requirement(line)
        needed[requirement.name] = str(requirement.specifier)
    run = dict(line.split(" ", 1) for line in recipe["requirements"]["run"])
    assert run == needed
    (build,) = declared["build-system"]["requires"]
    assert recipe["requirements"]["host"] == [f"python {needed['python']}", "pip", build.replace(">=", " >=")]
    scripts = [f"{name} = {target}" for name, target in project["scripts"].items()]
    assert recipe["build"]["entry_points"] == scripts
    about = recipe["about"]
    assert (about["summary"], about["license"]) == (project["description"], project["license"])
    assert about["home"] == project["urls"]["Homepage"]
    assert (ROOT / about["license_file"]).is_file()
    for command in recipe["test"]["commands"]:
        program, *arguments = command.split()
        assert program in project["scripts"]
        subprocess.run([sys.executable, "-m", "segscores", *arguments], check=True, capture_output=True)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_of_issues_has_what_github_reads(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert all(link.keys() == {"name", "url", "about"} for link in form["contact_links"])
        return
    assert form.keys() == {"name", "description", "body"}
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input")
        assert field.keys() <= {"type", "id", "attributes", "validations"}
        assert field["attributes"].keys() <= {"label", "description", "placeholder", "render"}
        assert field["attributes"]["label"]
