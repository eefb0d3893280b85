"""Records of runs: what they hold, `verify`, and the formats for the Hub and for badges."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub.repocard_data import model_index_to_eval_results

from segscores import __version__, score
from segscores.apps.command.main import main
from segscores.results.rendering import JSON_SCHEMA

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

REFERENCES, PREDICTIONS = ["the dog", "is on"], ["thedog", "is on"]


FILES = {"r 1.txt": REFERENCES, "p.txt": PREDICTIONS, "q.txt": REFERENCES}


@pytest.mark.parametrize(
    "line",
    [
        "score 'r 1.txt' p.txt --format json",
        "score 'r 1.txt' a=p.txt q.txt --scores token,pk --confidence 0.9 --per-utterance rows.csv --format json",
        "score 'r 1.txt' p.txt --scores token --min token_recall=0.1 --baselines --average macro --format json",
        "compare 'r 1.txt' p.txt q.txt --scores token_fscore --format json",
    ],
)
def test_a_record_names_the_run_and_its_files_and_is_verified(
    line: str, monkeypatch: pytest.MonkeyPatch, printed
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    found = json.loads(printed(line))
    record = found["record"]
    assert (found["schema"], record["date"], record["version"]) == (
        JSON_SCHEMA,
        "1970-01-02T00:00:00+00:00",
        __version__,
    )
    assert shlex.split(record["command"])[:3] == ["segscores", line.split(maxsplit=1)[0], "r 1.txt"]
    digests = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in record["digests"]}
    assert record["digests"] == {path: f"sha256:{digest}" for path, digest in digests.items()}
    assert {"r 1.txt", "p.txt"} <= digests.keys()
    Path("record.json").write_text(json.dumps(found), encoding="utf-8")
    Path("rows.csv").unlink(missing_ok=True)
    assert "as recorded" in printed("verify record.json")
    assert not Path("rows.csv").exists()


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


def change_score(found: Any) -> None:
    found["predictions"][0]["scores"]["token_recall"] += 1e-6


def change_file(_: Any) -> None:
    Path("p.txt").write_text("the dog\nis on\n", encoding="utf-8")


def change_blanks(_: Any) -> None:
    """The words are the same."""
    Path("p.txt").write_text("thedog\nis  on\n", encoding="utf-8")


def change_signature(found: Any) -> None:
    found["signature"] = found["signature"].replace("avg:micro", "avg:macro")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_score, r"predictions\[0\].scores.token_recall: 0.50000\d* in the record, 0.5 now"),
        (change_file, r"p.txt: the file has changed"),
        (change_blanks, r"p.txt: the file has changed"),
        (change_signature, r"signature: .*macro.* in the record"),
    ],
)
def test_what_differs_from_the_record(change: Any, message: str, printed, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed("score 'r 1.txt' p.txt --scores token --format json"))
    change(found)
    Path("record.json").write_text(json.dumps(found), encoding="utf-8")
    assert main(["verify", "record.json"]) == 1
    assert re.search(message, capsys.readouterr().err)


def test_another_version_alone_is_no_difference(printed, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed("score 'r 1.txt' p.txt --format json")
    Path("record.json").write_text(text.replace(__version__, "9.9.9"), encoding="utf-8")
    assert main(["verify", "record.json"]) == 0
    assert "9.9.9" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no record"),
        ("[]", "no record"),
        ("[" * 100_000, "no record"),
        ('{"record": {}}', "no record"),
        ('{"record": {"command": "segscores", "digests": {}}}', "expected score or compare"),
        ('{"record": {"command": "segscores report r p -o page.html", "digests": {}}}', "expected score or compare"),
    ],
)
def test_what_is_no_record(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("record.json").write_text(text, encoding="utf-8")
    assert main(["verify", "record.json"]) == 2
    error = capsys.readouterr().err
    assert "record.json" in error
    assert message in error


def test_the_hub_reads_its_format(printed) -> None:
    card = yaml.safe_load(printed("score 'r 1.txt' 'a: b=p.txt' --scores token,exact --format hub"))
    name, results = model_index_to_eval_results(card["model-index"])
    expected = score(REFERENCES, PREDICTIONS, text_format="words", scores=["token", "exact"])
    assert name == "a: b"
    assert {result.metric_type: result.metric_value for result in results} == expected
    assert {result.metric_args["signature"].partition("|")[0] for result in results} == {"segscores"}
    assert {result.dataset_name for result in results} == {"r 1.txt"}


@pytest.mark.parametrize(
    ("prediction", "flags", "expected"),
    [
        ("q.txt", "", ("Word F-score", "1.0000", "brightgreen")),
        ("p.txt", "", ("Word F-score", "0.5714", "orange")),
        ("q.txt", "--scores word_error_rate", ("Word error rate", "0.0000", "blue")),
    ],
)
def test_a_badge_is_an_endpoint_of_shields(prediction: str, flags: str, expected: tuple[str, ...], printed) -> None:
    """Its schema: https://shields.io/badges/endpoint-badge."""
    found = json.loads(printed(f"score 'r 1.txt' {prediction} {flags} --format badge"))
    assert found == {"schemaVersion": 1, **dict(zip(("label", "message", "color"), expected, strict=True))}
