"""Arguments: every value is read or rejected in one line, whatever it is."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from segscores.command.cli import subcommand_parsers
from segscores.command.main import main


def options_of_subcommands() -> Iterator[tuple[str, argparse.Action]]:
    """The options that take a value, of every subcommand."""
    for command, subparser in subcommand_parsers().items():
        for action in subparser._actions:
            if action.option_strings and action.nargs != 0:
                yield command, action


OPTIONS = [(command, action.option_strings[-1]) for command, action in options_of_subcommands()]

POSITIONALS = {
    "correlate": ["t.csv", "--criterion", "x"],
    "difficulty": ["r.txt", "--committee", "p.txt"],
    "curve": ["r.txt", "1=p.txt"],
    "sweep": ["r.txt", "s.jsonl"],
    "alignment": ["r.txt", "p.txt"],
    "halves": ["r.txt", "p.txt"],
    "report": ["r.txt", "p.txt", "-o", "page.html"],
    "groups": [],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("the dog\nis on\n", encoding="utf-8")
    Path("p.txt").write_text("thedog\nis on\n", encoding="utf-8")
    Path("s.jsonl").write_text("[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n", encoding="utf-8")
    Path("t.csv").write_text("name,x,token_fscore\na,1,1\nb,2,2\nc,3,1\n", encoding="utf-8")


@pytest.mark.parametrize(("command", "option"), OPTIONS, ids=[" ".join(option) for option in OPTIONS])
def test_two_dashes_are_a_value_and_a_bad_one(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = f"{option}=--" if option.startswith("--") else f"{option}--"
    arguments = [command, *POSITIONALS.get(command, ["r.txt", "p.txt"]), value]
    try:
        status = main(arguments)
    except SystemExit as exit_:
        status = int(exit_.code or 0)
    output, message = capsys.readouterr()
    if status == 0:
        # What names things may be called so: a token, or a file that is written.
        assert Path("--").exists() or option in ("--word-boundary", "--ignored-tokens"), output
    else:
        assert status == 2
        assert message.count("\n") == 1
        assert message.startswith("segmentation-scores")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "r.txt", "p.txt", "--tolerance"], "argument --tolerance: expected one argument."),
        (["score", "r.txt", "p.txt", "--textformat", "units"], "Did you mean --text-format?"),
        (["score", "r.txt", "p.txt", "--text", "units"], "unrecognized arguments: --text units."),
        (["scor", "r.txt", "p.txt"], "Did you mean score?"),
        (["score"], "the following arguments are required: REFERENCE."),
        ([], "COMMAND"),
        (["groups", "--counts"], "--counts"),
    ],
)
def test_a_bad_argument_takes_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    output, error = capsys.readouterr()
    assert output == ""
    assert error.count("\n") == 1
    assert message in error
    assert error.endswith("--help.\n")


def test_a_file_may_be_called_two_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("--").write_text("thedog\nthe dog\n", encoding="utf-8")
    assert main(["score", "r.txt", "p.txt", "--scores=dictionary", "--dictionary=--"]) == 0
    assert "dictionary_tpr" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "loop", "p.txt", "-o", "page.html"],
        ["report", "r.txt", "loop", "-o", "page.html"],
        ["report", "r.txt", "p.txt", "-o", "loop"],
        ["report", "r.txt", "p.txt", "-o", "loop/page.html"],
        ["score", "r.txt", "loop"],
        ["score", "r.txt", "p.txt", "--scores=dictionary", "--dictionary", "loop"],
        ["score", "r.txt", "p.txt", "--per-utterance", "loop.csv"],
        ["difficulty", "r.txt", "--committee", "p.txt", "-o", "loop"],
        ["score", "loop.parquet"],
        ["score", "loop.jsonl"],
        ["score", "loop*", "p.txt"],
    ],
    ids=" ".join,
)
def test_a_loop_of_links_is_named(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("loop", "loop.csv", "loop.parquet", "loop.jsonl"):
        Path(name).symlink_to("_" + name)
        Path("_" + name).symlink_to(name)
    before = sorted(Path().iterdir())
    assert main(arguments) == 2
    output, message = capsys.readouterr()
    assert output == ""
    assert message.startswith("segmentation-scores: error: loop")
    assert message.count("\n") == 1
    assert sorted(Path().iterdir()) == before
