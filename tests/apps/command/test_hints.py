"""What a message of the command advises is done, and works: patterns, folders, records of another folder."""

import json
import re
import shlex

import pytest


def write_parts(folder, names=("a.txt", "b.txt")) -> None:
    for side, words in (("ref", "the dog"), ("pred", "thedog")):
        (folder / side).mkdir()
        for name in names:
            (folder / side / name).write_text(f"{words} {name}\n", encoding="utf-8")


@pytest.mark.parametrize("names", [("a.txt", "b.txt"), ("part-1.txt", "part-2.txt", "part-3.txt")])
def test_patterns_that_the_shell_expanded_are_quoted(run, folder, names) -> None:
    write_parts(folder, names)
    paths = [f"{side}/{name}" for side in ("ref", "pred") for name in names]
    status, _, problem = run(f"score {' '.join(paths)} --scores token")
    assert status == 2
    (quoted,) = re.findall(r"quote them, as ('ref/\*\S*' 'pred/\*\S*')\.", problem)
    status, output, _ = run(f"score {quoted} --scores token --counts --format json")
    assert status == 0
    assert json.loads(output)["predictions"][0]["counts"]["utterances"] == len(names)


def test_several_predictions_are_no_pattern(run, folder) -> None:
    (folder / "ref.txt").write_text("the dog\n", encoding="utf-8")
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text("the cat\n", encoding="utf-8")
    assert "quote" not in run("score ref.txt a.txt b.txt c.txt")[2]


def test_the_files_of_a_folder_are_a_pattern(run, folder) -> None:
    write_parts(folder)
    (folder / "ref" / ".hidden").write_text("x\n", encoding="utf-8")
    status, _, problem = run("score ref pred")
    (pattern,) = re.findall(r"this is a folder.*quoted pattern ('ref/\*\.txt')", problem)
    assert (status, run(f"score {pattern} {pattern.replace('ref', 'pred')} --scores token")[0]) == (2, 0)


def test_a_record_is_verified_in_the_folder_of_its_files(run, folder, monkeypatch) -> None:
    (folder / "run").mkdir()
    monkeypatch.chdir(folder / "run")
    for name, text in (("r.txt", "the dog\n"), ("p.txt", "thedog\n")):
        (folder / "run" / name).write_text(text, encoding="utf-8")
    (folder / "run" / "record.json").write_text(run("score r.txt p.txt --format json")[1], encoding="utf-8")
    monkeypatch.chdir(folder)
    status, _, problem = run("verify run/record.json")
    (place, advised) = re.findall(r"cd (\S+) && segscores (verify \S+)", problem)[0]
    monkeypatch.chdir(folder / shlex.split(place)[0])
    assert (status, run(advised)[0]) == (2, 0)


def test_a_changed_file_is_not_looked_for_elsewhere(run, folder) -> None:
    for name, text in (("r.txt", "the dog\n"), ("p.txt", "thedog\n")):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "record.json").write_text(run("score r.txt p.txt --format json")[1], encoding="utf-8")
    (folder / "p.txt").write_text("the dog\n", encoding="utf-8")
    status, _, problem = run("verify record.json")
    assert status == 1
    assert "p.txt: the file has changed" in problem


def test_a_table_of_many_columns_names_some(run, folder) -> None:
    names = [f"column{number}" for number in range(5000)]
    (folder / "wide.jsonl").write_text(json.dumps(dict.fromkeys(names, "a")) + "\n", encoding="utf-8")
    _, _, problem = run("score wide.jsonl --columns gold,column1")
    assert "column0, column1," in problem
    assert "and 4,980 more" in problem
    assert len(problem) < 1000


def test_identical_files_are_said_to_be(run, folder) -> None:
    for name, text in (("r.txt", "the dog\n"), ("same.txt", "the dog\n"), ("p.txt", "thedog\n")):
        (folder / name).write_text(text, encoding="utf-8")
    status, _, problem = run("score r.txt same.txt p.txt --scores token")
    assert status == 0
    assert re.findall(r"(\S+) and (\S+) are identical", problem) == [("r.txt", "same.txt")]
    assert "identical" not in run("score r.txt same.txt --scores token --min token_fscore=1")[2]
