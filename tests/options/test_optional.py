"""Optional packages: the message that one is missing has a command that installs it."""

import sys
from pathlib import Path

import pytest

import segscores
from segscores.apps.command.main import main
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


#: A use of a package, and what the message says needs it.
USES = {
    "tokenizers": (lambda: segscores.score(["a"], segscores.tokenized("t.json")), "t.json: a tokenizer"),
    "sentencepiece": (lambda: segscores.score(["a"], segscores.tokenized("t.model")), "t.model: a tokenizer"),
    "matplotlib": (lambda: segscores.sweep(["ab"], [[0.5]], text_format="words").plot(), "plot"),
    "pandas": (lambda: segscores.analyse_errors(["ab"], ["a b"], text_format="words").to_frame(), "to_frame"),
    "shtab": (lambda: main(["completion", "bash"]), "segscores completion"),
    "pycrfsuite": (lambda: main(["difficulty", "r", "--train", "r"]), "training a committee"),
}


@pytest.mark.parametrize("package", USES)
def test_what_needs_a_missing_package_says_so(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r").write_text("a b\n")
    Path("t.json").write_text('{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}')
    Path("t.model").write_bytes(b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\2")
    monkeypatch.setitem(sys.modules, package, None)
    use, user = USES[package]
    said = ""
    try:
        use()
    except ValueError as error:
        said = str(error)
    said += capsys.readouterr().err
    assert f"{user} needs {REQUIREMENTS[package].partition('>')[0]}, which is not installed: pip install" in said
