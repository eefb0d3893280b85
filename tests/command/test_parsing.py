"""Arguments: every value is read or rejected in one line, whatever it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from segscores.command.cli import subcommand_parsers

FILES = {
    "r.txt": "the dog\nis on\n", "p.txt": "thedog\nis on\n", "s.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n",
    "t.csv": "name,x,token_fscore\na,1,1\nb,2,2\nc,3,1\n",
}  # fmt: skip

#: The options that take a value, of every subcommand.
OPTIONS = [
    (command, action.option_strings[-1])
    for command, subparser in subcommand_parsers().items()
    for action in subparser._actions
    if action.option_strings and action.nargs != 0
]
OTHERS = {
    "correlate": "t.csv --criterion x", "difficulty": "r.txt --committee p.txt", "curve": "r.txt 1=p.txt",
    "sweep": "r.txt s.jsonl", "report": "r.txt p.txt -o page.html", "groups": "",
}  # fmt: skip


@pytest.mark.parametrize(("command", "option"), OPTIONS, ids=[" ".join(option) for option in OPTIONS])
def test_two_dashes_are_a_value_and_a_bad_one(run, command, option):
    value = f"{option}=--" if option.startswith("--") else f"{option}--"
    status, output, messages = run(f"{command} {OTHERS.get(command, 'r.txt p.txt')} {value}")
    if status == 0:
        # What names things may be called so: a token, or a file that is written.
        assert Path("--").exists() or option in ("--word-boundary", "--ignored-tokens"), output
    else:
        assert (status, messages.count("\n"), messages[:19]) == (2, 1, "segmentation-scores")


def test_a_file_may_be_called_two_dashes(printed):
    Path("--").write_text("thedog\nthe dog\n", encoding="utf-8")
    assert "dictionary_tpr" in printed("score r.txt p.txt --scores=dictionary --dictionary=--")
