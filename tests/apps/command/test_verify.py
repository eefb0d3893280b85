"""Records of runs: what they hold, `verify`, and the format for the Hub."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from huggingface_hub.repocard_data import model_index_to_eval_results

from segscores import __version__, score
from segscores.results.rendering import JSON_SCHEMA

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

REFERENCES, PREDICTIONS = ["the dog", "is on"], ["thedog", "is on"]


FILES = {
    "r 1.txt": REFERENCES, "p.txt": PREDICTIONS, "q.txt": REFERENCES, "v.txt": ["the", "dog"], "ids.txt": ["a", "b"],
    "gold/a.lab": "0 1 the\n1 2 dog\n", "gold/in/b.lab": "0 2 is\n", "system/a.lab": "0 2 thedog\n", "system/b.lab": "0 2 is\n",
}  # fmt: skip
#: The files that a reference of two words on the command line, or a folder, stands for, and its prediction.
_READ = {
    "'r": ["r 1.txt", "p.txt"], "gold": ["gold/a.lab", "gold/in/b.lab", "system/a.lab", "system/b.lab"],
}  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "score 'r 1.txt' p.txt --format json",
        "score 'r 1.txt' a=p.txt q.txt --scores token,pk --confidence 0.9 --per-utterance rows.csv --format json",
        "score 'r 1.txt' p.txt --scores token --min token_recall=0.1 --baselines --average macro --format json",
        "compare 'r 1.txt' p.txt q.txt --scores token_fscore --format json",
        "score 'r 1.txt' p.txt --scores token,oov --vocabulary v.txt --confidence 0.9 --clusters ids.txt --format json",
        "score 'r 1.txt' p.txt --scores token --baselines --second-reference q.txt --format json",
        "score gold system --scores token --per-utterance rows.csv --worst token_fscore --format json",
    ],
)
def test_a_record_names_the_run_and_its_files_and_is_verified(
    line: str, monkeypatch: pytest.MonkeyPatch, printed
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = json.loads(printed(line))
    record = found["record"]
    assert (found["schema"], record["version"]) == (JSON_SCHEMA, __version__)
    assert record["date"] == "1970-01-02T00:00:00+00:00"
    assert shlex.split(record["command"])[:3] == ["segscores", *shlex.split(line)[:2]]
    digests = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in record["digests"]}
    assert record["digests"] == {path: f"sha256:{digest}" for path, digest in digests.items()}
    assert {*digests} == set(_READ[line.split()[1]]) | {word for word in line.split() if word in FILES}
    Path("record.json").write_text(json.dumps(found), encoding="utf-8")
    Path("rows.csv").unlink(missing_ok=True)
    assert "as recorded" in printed("verify record.json")
    assert not Path("rows.csv").exists()


@pytest.mark.parametrize("epoch", ["", "x", "1.5", "253402300800", "1" + "0" * 20])
def test_a_date_that_is_none_is_refused_by_the_name_of_its_variable(
    epoch: str, monkeypatch: pytest.MonkeyPatch, message
) -> None:
    """The two large numbers are in the year 10000, and beyond what a clock counts."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    expected = f"SOURCE_DATE_EPOCH: expected the seconds since 1970, such as 1700000000, received '{epoch}'."
    assert expected in message("score 'r 1.txt' p.txt --format json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_record_is_of_the_files_that_were_scored(folder: Path) -> None:
    """The reference is gone when the prediction, a pipe, is read."""
    Path("r.txt").write_text("the dog\n", encoding="utf-8")
    os.mkfifo("p")
    command = [sys.executable, "-m", "segscores.apps.command.main", "score", "r.txt", "p", "--format", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open("p", "w", encoding="utf-8") as pipe:
        # The reference is open before the prediction is.
        Path("r.txt").unlink()
        pipe.write("thedog\n")
    output, message = process.communicate(timeout=60)
    assert (process.returncode, output) == (2, b"")
    assert b"r.txt: the file changed while it was read" in message


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("record.json", '"token_recall": 0.5,', '"token_recall": 0.500001,',
         r"predictions\[0\].scores.token_recall: 0.500001 in the record, 0.5 now"),
        ("record.json", "avg:micro", "avg:macro", r"signature: .*macro.* in the record"),
        # The version of the format.
        ("record.json", '"schema": 1', '"schema": 2', "schema: 2 in the record, 1 now"),
        ("p.txt", "thedog", "the dog", r"p.txt: the file has changed"),
        # The words are the same.
        ("p.txt", "is on", "is  on", r"p.txt: the file has changed"),
        # An option reads it, and no score tells the difference.
        ("v.txt", "dog", "dog\ncat", r"v.txt: the file has changed"),
    ],
)  # fmt: skip
def test_what_differs_from_the_record(run, name: str, old: str, new: str, message: str) -> None:
    Path("record.json").write_text(
        run("score 'r 1.txt' p.txt --scores token,oov --vocabulary v.txt --format json")[1], encoding="utf-8"
    )
    text = Path(name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    Path(name).write_text(text.replace(old, new), encoding="utf-8")
    status, printed, told = run("verify record.json")
    assert (status, bool(re.search(message, told))) == (1, True)
    assert name != "record.json" or printed.endswith(", 1 value differs.\n")


def test_a_file_that_is_gone_is_named(run) -> None:
    Path("record.json").write_text(run("score 'r 1.txt' p.txt --format json")[1], encoding="utf-8")
    Path("p.txt").unlink()
    status, _, told = run("verify record.json")
    assert (status, "p.txt: the file is gone" in told, "p.txt: there is no such file" in told) == (2, True, True)


def test_a_file_without_a_digest_is_named(run) -> None:
    """Records of versions up to 0.3.0 have none of the files of options."""
    record = json.loads(run("score 'r 1.txt' p.txt --scores oov --vocabulary v.txt --format json")[1])
    del record["record"]["digests"]["v.txt"]
    Path("record.json").write_text(json.dumps(record), encoding="utf-8")
    status, _, told = run("verify record.json")
    assert (status, "v.txt: the record has no digest of this file" in told) == (0, True)


def test_another_version_alone_is_no_difference(run) -> None:
    text = run("score 'r 1.txt' p.txt --format json")[1]
    Path("record.json").write_text(text.replace(__version__, "9.9.9"), encoding="utf-8")
    status, _, told = run("verify record.json")
    assert (status, "9.9.9" in told) == (0, True)


def test_the_hub_reads_evaluation_results(printed) -> None:
    line = "score 'r 1.txt' 'a: b=p.txt' --scores token,exact"
    entries = parse_eval_result_entries(yaml.safe_load(printed(f"{line} --format hub")))
    expected = score(REFERENCES, PREDICTIONS, text_format="words", scores=["token", "exact"])
    assert {entry.task_id: entry.value for entry in entries} == expected
    signature = json.loads(printed(f"{line} --format json"))["signature"]
    assert {(entry.dataset_id, entry.notes) for entry in entries} == {("r 1.txt", signature)}
    assert {entry.source_name for entry in entries} == {f"segscores {__version__}"}


def test_the_hub_reads_a_model_card(printed) -> None:
    card = yaml.safe_load(printed("score 'r 1.txt' 'a: b=p.txt' --scores token,exact --format hub-card"))
    name, results = model_index_to_eval_results(card["model-index"])
    expected = score(REFERENCES, PREDICTIONS, text_format="words", scores=["token", "exact"])
    assert name == "a: b"
    assert {result.metric_type: result.metric_value for result in results} == expected
    assert {result.metric_args["signature"].partition("|")[0] for result in results} == {"segscores"}
    assert {result.dataset_name for result in results} == {"r 1.txt"}


def test_small_numbers_and_no_numbers_in_the_format_of_the_hub(printed) -> None:
    """One word of 20,000 is inserted; and no score of a blank line is defined. PyYAML reads YAML 1.1."""
    Path("long.txt").write_text("a b\n" * 10_000, encoding="utf-8")
    Path("more.txt").write_text("a b\n" * 9_999 + "a b c\n", encoding="utf-8")
    Path("none.txt").write_text("\n", encoding="utf-8")
    lines = {
        "long.txt more.txt --scores word_error_rate --on-mismatch align": 5e-05,
        "none.txt none.txt --scores token": None,
    }
    for line, expected in lines.items():
        (model,) = yaml.safe_load(printed(f"score {line} --format hub-card"))["model-index"]
        metrics = model["results"][0]["metrics"]
        results = yaml.safe_load(printed(f"score {line} --format hub"))
        for found in (metrics, results):
            assert [one["value"] for one in found][:1] == ([] if expected is None else [expected])
