"""The release script: one command writes the version wherever it stands, and makes the commit and the tag."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from segscores import __version__

ROOT = Path(__file__).resolve().parent.parent
#: A version that is no release's: what holds with it holds with any.
NEXT = "99.1.0"
#: Everything but the tests and the tools, which ask for earlier versions.
PAGES = (".", ":!tests", ":!benchmarks")
#: What tells of earlier versions, and keeps their numbers.
KEPT = {
    *("CHANGELOG.md", "CONTRIBUTING.md", ".ci/release", "docs/llms.txt"),
    *("docs/reference/history.md", "docs/reference/specification.md", "docs/reference/stability.md"),
    "docs/explanation/speed.md",
}
AUTHOR = {
    f"GIT_{role}_{field}": "segscores@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
}


def git(*arguments: str, cwd: Path) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=cwd, env=os.environ | AUTHOR, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of its own, with the files of this one."""
    folder = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, folder, ignore=ignored)
    text = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    if "\n## Unreleased\n" not in text:  # as after a release
        text = text.replace("\n## ", "\n## Unreleased\n\n- A change.\n\n## ", 1)
        (folder / "CHANGELOG.md").write_text(text, encoding="utf-8")
    git("init", "--quiet", cwd=folder)
    git("add", "--all", cwd=folder)
    git("commit", "--quiet", "--message", "All", cwd=folder)
    return folder


def release(folder: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [folder / ".ci" / "release", version, "--prepare"]
    return subprocess.run(command, env=os.environ | AUTHOR, capture_output=True, text=True, check=False)


def test_a_release_writes_its_version_everywhere(checkout: Path) -> None:
    notes = (checkout / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].partition("\n")[2].strip()
    ran = release(checkout, NEXT)
    assert ran.returncode == 0, ran.stderr
    assert git("status", "--porcelain", cwd=checkout) == ""
    assert (
        git("tag", "--list", "--format=%(contents)", f"v{NEXT}", cwd=checkout).strip() == f"segscores {NEXT}\n\n{notes}"
    )
    citation = yaml.safe_load((checkout / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == NEXT
    assert f"## {NEXT} ({citation['date-released']})\n" in (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version = {{{NEXT}}}" in (checkout / "README.md").read_text(encoding="utf-8")
    # No page but those that tell what holds from a version on, and what was measured, has the last version. Another package may
    # have a release of this number, as evaluate>=0.4.0.
    own_version = rf"(^|[^=0-9.]){re.escape(__version__)}"
    ran = subprocess.run(
        ["git", "grep", "--extended-regexp", "--files-with-matches", "-e", own_version, "--", *PAGES],
        cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert set(ran.stdout.split()) <= KEPT


@pytest.mark.slow
def test_a_release_needs_a_greater_version_and_notes(checkout: Path) -> None:
    for version in (__version__, "0.1.9", "next"):
        ran = release(checkout, version)
        assert (ran.returncode, git("tag", cwd=checkout)) == (1, "")
        assert f"greater than {__version__}" in ran.stderr
    text = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    (checkout / "CHANGELOG.md").write_text(text.replace("## Unreleased\n", "## Next\n"), encoding="utf-8")
    assert "Unreleased" in release(checkout, NEXT).stderr
