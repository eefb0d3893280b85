"""The JSON of the subcommands is as the schema says, which names every field."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import segscores
from segscores.analysis.error_analysis import analyse_errors
from segscores.command.main import main
from segscores.results.rendering import JSON_SCHEMA

SCHEMA = json.loads(files("segscores.command").joinpath("output.schema.json").read_text(encoding="utf-8"))

REFERENCE, PREDICTION = "the dog\n\nis on\na boat\n", "thedog\n\nis on\nabo at\n"

RUNS = {
    "score": ["score", "r.txt", "tp=p.txt", "r.txt"],
    "score with everything": [
        *("score", "r.txt", "p.txt", "--scores", "token,type,windows,oov", "--vocabulary", "r.txt", "--counts"),
        *("--confidence", "0.9", "--on-error", "skip", "--zero-division", "nan"),
    ],
    "score of a table": ["score", "t.jsonl"],
    "compare": ["compare", "r.txt", "tp=p.txt", "r.txt", "--zero-division", "nan"],
    "compare skips": ["compare", "r.txt", "p.txt", "q.txt", "--on-mismatch", "skip"],
    "errors": ["errors", "r.txt", "tp=p.txt"],
    "errors with a vocabulary": ["errors", "r.txt", "p.txt", "--vocabulary", "r.txt", "--zero-division", "nan"],
    "errors of a table": ["errors", "t.jsonl"],
    "curve": ["curve", "r.txt", "10=p.txt", "2.5=r.txt", "--confidence", "0.9"],
    "sweep": ["sweep", "r.txt", "s.jsonl", "--zero-division", "nan"],
    "difficulty": ["difficulty", "r.txt", "--committee", "p.txt", "r.txt", "--score", "tp=p.txt", "--counts"],
    "alignment": ["alignment", "a.txt", "a.txt", "--counts"],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text(REFERENCE, encoding="utf-8")
    Path("p.txt").write_text(PREDICTION, encoding="utf-8")
    Path("q.txt").write_text(PREDICTION.replace("is on", "is of"), encoding="utf-8")
    gaps = [[0.5] * max(0, len(line.replace(" ", "")) - 1) for line in REFERENCE.splitlines()]
    Path("s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in gaps))
    Path("a.txt").write_text("[0]:[0,1]\n")
    rows = zip(REFERENCE.splitlines(), PREDICTION.splitlines(), strict=True)
    Path("t.jsonl").write_text("".join(json.dumps({"reference": r, "prediction": p}) + "\n" for r, p in rows))


@pytest.mark.parametrize("arguments", RUNS.values(), ids=list(RUNS))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_output_is_as_the_schema_says(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["schema"] == JSON_SCHEMA
    # No field is there that the schema does not describe.
    assert set(found) <= set(SCHEMA["properties"])
    described = set(SCHEMA["properties"]["predictions"]["items"]["properties"])
    assert {key for entry in found.get("predictions", ()) for key in entry} <= described


def test_the_schema_is_a_schema_and_has_the_version() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"] == {"const": JSON_SCHEMA} | {
        "description": SCHEMA["properties"]["schema"]["description"]
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_comparisons_and_analyses_give_the_same_json(capsys: pytest.CaptureFixture[str]) -> None:
    reference, prediction = REFERENCE.splitlines(), PREDICTION.splitlines()
    main(["compare", "r.txt", "tp=p.txt", "same=r.txt", "--format", "json"])
    compared: dict[str, Any] = json.loads(capsys.readouterr().out)
    comparison = segscores.compare(reference, {"tp": prediction, "same": reference}, text_format="words")
    of_api = json.loads(comparison.to_json())
    assert of_api == {key: compared[key] for key in of_api}
    main(["errors", "r.txt", "p.txt", "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    analysis = json.loads(analyse_errors(reference, prediction, text_format="words", examples=1).to_json(10))
    for error in printed["errors"]:
        for example in error["examples"]:
            # Lines count from 1, utterances from 0.
            assert example.pop("place") == f"line {example['utterance'] + 1}"
    assert analysis == {key: printed[key] for key in analysis}


def test_nan_is_null() -> None:
    comparison = segscores.compare(
        ["a", "b"], {"x": ["a", "b"], "y": ["a", "b"]}, text_format="words", zero_division=float("nan")
    )
    assert json.loads(comparison.to_json())["systems"]["x"]["scores"]["token_tnr"] is None
