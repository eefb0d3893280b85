"""Tests that what a message of the command advises works: patterns, folders, records of another folder."""

import json
import os
import re
import shlex

import pytest

from ...command_runs import write_files

FILES = {"r.txt": "the dog\n", "same.txt": "the dog\n", "p.txt": "thedog\n"}


def parts(*names: str) -> dict[str, str]:
    """Files of two folders, of one name each."""
    files = {f"ref/{name}": f"the dog {name}\n" for name in names}
    return files | {f"pred/{name}": f"thedog {name}\n" for name in names}


def test_a_pattern_has_what_the_names_share(run) -> None:
    files = parts("part-1.txt", "part-2.txt")
    others = parts("other.txt", "part-3.csv")
    write_files(files | others)
    _, _, problem = run(f"score {' '.join(files)} --scores token")
    assert "as 'ref/part-*.txt' 'pred/part-*.txt'." in problem


@pytest.mark.parametrize("names", [("a.txt", "b.txt"), ("part-1.txt", "part-2.txt", "part-3.txt")])
def test_patterns_that_the_shell_expanded_are_quoted(run, names) -> None:
    files = parts(*names)
    write_files(files)
    status, _, problem = run(f"score {' '.join(files)} --scores token")
    assert status == 2
    (quoted,) = re.findall(r"quote them, as ('ref/\*\S*' 'pred/\*\S*')\. \(Lines count from 1", problem)
    status, output, _ = run(f"score {quoted} --scores token --counts --format json")
    assert status == 0
    assert json.loads(output)["predictions"][0]["counts"]["utterances"] == len(names)


def test_the_files_of_a_folder_are_a_pattern(run) -> None:
    write_files(parts("a.txt", "b.txt") | {"ref/.hidden": "x\n", "ref/notes.md": "x\n"})
    status, _, problem = run("score ref pred")
    (pattern,) = re.findall(
        r"this is a folder.* Its files that end in \.txt, .*quoted pattern ('ref/\*\.txt')", problem
    )
    assert (status, run(f"score {pattern} {pattern.replace('ref', 'pred')} --scores token")[0]) == (2, 0)


def test_a_record_is_verified_in_the_folder_of_its_files(run, folder, monkeypatch) -> None:
    write_files({"run/gold": "the dog\n", "run/system": "thedog\n"})
    monkeypatch.chdir("run")
    write_files({"record.json": run("score gold system --format json")[1]})
    monkeypatch.chdir(folder)
    status, _, problem = run("verify run/record.json")
    (place, advised) = re.findall(r"cd (\S+) && segscores (verify \S+)", problem)[0]
    monkeypatch.chdir(folder / shlex.split(place)[0])
    assert (status, run(advised)[0]) == (2, 0)


def test_a_table_of_many_columns_names_some(run) -> None:
    names = [f"column{number}" for number in range(5000)]
    write_files({"wide.jsonl": json.dumps(dict.fromkeys(names, "a")) + "\n"})
    _, _, problem = run("score wide.jsonl --columns gold,column1")
    assert "column0, column1," in problem
    assert "and 4,980 more" in problem
    assert len(problem) < 1000


UNKNOWN = "r.txt p.txt --scores oov --vocabulary"
OF_REFERENCE = "same.txt is the vocabulary, and has the text of the reference"


@pytest.mark.parametrize(
    ("line", "status", "hint", "count"),
    [
        ("r.txt same.txt p.txt --scores token", 0, "r.txt and same.txt are identical", 1),
        ("r.txt p.txt same.txt --scores token", 0, "identical", 1),
        ("r.txt same.txt --scores token --min token_fscore=1", 0, "identical", 0),
        # One column of both tables, and a column of each.
        ("g.jsonl p.jsonl --columns a,a --scores token", 0, "g.jsonl and p.jsonl are identical", 1),
        ("g.jsonl p.jsonl --columns a,b --scores token", 0, "identical", 0),
        # Files of one size and time may differ.
        ("one.txt other.txt --scores token", 0, "identical", 0),
        (f"{UNKNOWN} same.txt", 0, OF_REFERENCE, 1),
        (f"{UNKNOWN} same.txt --min oov_rate=0 --zero-division 0", 0, OF_REFERENCE, 1),
        (f"{UNKNOWN} p.txt", 0, "the text of the reference", 0),
        (f"{UNKNOWN} p.txt --min oov_rate=0 --zero-division 0", 0, "the text of the reference", 0),
        # Several predictions are no pattern of one.
        ("r.txt a.txt b.txt c.txt", 2, "quote", 0),
    ],
)
def test_files_with_the_same_text_are_said(run, line, status, hint, count) -> None:
    write_files(dict.fromkeys(("g.jsonl", "p.jsonl"), '{"a": "the dog", "b": "the dog"}\n'))
    write_files(dict.fromkeys(("a.txt", "b.txt", "c.txt"), "the cat\n") | {"one.txt": "a b\n", "other.txt": "ab \n"})
    for name in ("one.txt", "other.txt"):
        os.utime(name, (0, 0))
    found, _, problem = run(f"score {line}")
    assert (found, problem.count(hint)) == (status, count)


#: Sides, and whether their names say that they are swapped.
SWAPPED = {
    "gold.txt pred.txt": False,
    "pred.txt gold.txt": True,
    "p.txt gold.txt": False,
    "crf-output.txt other.txt test_reference.txt": True,
    "system/a.txt ref/a.txt": True,
    "ref/a.txt system/a.txt": False,
    "gold/pred.txt pred/gold.txt": True,
    "gold_pred.txt gold.txt": False,
    "t.jsonl --columns pred,gold": True,
    "t.jsonl --columns gold,pred": False,
    "pred.jsonl gold.jsonl --columns gold,pred": False,
}


@pytest.mark.parametrize("line", SWAPPED)
@pytest.mark.parametrize("command", ["score", "errors"])
def test_sides_that_are_swapped_by_their_names_are_said(run, command, line) -> None:
    paths = line.partition(" --")[0].split()
    write_files({path: '{"gold": "the dog", "pred": "thedog"}\n' if "jsonl" in path else "the dog\n" for path in paths})
    status, _, problem = run(f"{command} {line}" + " --text-format words" * (command == "score"))
    assert (status, "by their names they are swapped" in problem) == (0, SWAPPED[line])
