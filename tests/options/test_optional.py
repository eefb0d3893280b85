"""Optional packages: the message that one is missing has a command that installs it."""

import sys
from pathlib import Path

import pytest

from segscores.options.optional import REQUIREMENTS, require

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_requirements_equal_the_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(REQUIREMENTS.values()) <= {requirement for extra in extras.values() for requirement in extra}


def test_a_space_installs_the_core_and_the_metric() -> None:
    """A Space installs requirements.txt alone."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    needed = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["evaluate"]
    assert sorted(line for line in lines if not line.startswith("#")) == sorted(needed)


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_a_missing_package_is_named_with_the_command(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    requirement = REQUIREMENTS[package]
    with pytest.raises(ValueError, match="which is not installed: pip install") as raised:
        require(package, "this", ", or that.")
    # The package itself: pip finds this project's extras neither for a checkout nor for an installation from a URL.
    assert str(raised.value) == (
        f'this needs {requirement.partition(">")[0]}, which is not installed: pip install "{requirement}", or that.'
    )
