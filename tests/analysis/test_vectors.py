"""The test vectors of the definitions: their file in the documentation, their rules, and an independent scorer in JavaScript."""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import segscores
from segscores.apps.command.main import main
from segscores.scoring.measures.registry import GROUPS

from ..conformance import ROOT

REFERENCE = ROOT / "docs" / "reference"
SCORER = ROOT / "examples" / "conformance" / "scorer.mjs"
SPECIFICATION = (REFERENCE / "specification.md").read_text(encoding="utf-8")
RECORD = json.loads((REFERENCE / "vectors.json").read_text(encoding="utf-8"))
VECTORS = RECORD["vectors"]
#: The rules that describe what is around the values: ranges that no vector has, the signature, and the file of the vectors.
WITHOUT_VECTORS = {"I6", "R2", "V1", "V2", "V3", "V4", "T1", "T2"}


def without_values(record: dict[str, Any]) -> dict[str, Any]:
    vectors = [{name: value for name, value in vector.items() if name != "scores"} for vector in record["vectors"]]
    return {**record, "vectors": vectors}


def scores_of(record: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The values by the names of the vectors; nan for null."""
    found = {}
    for vector in record["vectors"]:
        scores = vector.get("scores", {})
        found[vector["name"]] = {key: math.nan if value is None else value for key, value in scores.items()}
    return found


def options_of(vector: dict[str, Any]) -> dict[str, Any]:
    options = dict(vector["options"])
    if options.get("zero_division") == "nan":
        options["zero_division"] = math.nan
    return options


def test_the_file_of_the_documentation_is_current(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    assert main(["conform", "--export", str(path)]) == 0
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written == segscores.conformance_vectors()
    remedy = "a value changed, which makes a new version of the definitions; or write new vectors: segscores conform --export"
    assert without_values(written) == without_values(RECORD), remedy
    expected = scores_of(RECORD)
    for name, scores in scores_of(written).items():
        assert scores == pytest.approx(expected[name], rel=1e-10, abs=1e-11, nan_ok=True), f"{name}: {remedy}"


def test_the_vectors_have_their_schema() -> None:
    schema = json.loads((REFERENCE / "vectors.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(RECORD)
    assert (RECORD["definitions"], schema["properties"]["definitions"]["const"]) == (segscores.DEFINITIONS_VERSION,) * 2
    names = [vector["name"] for vector in VECTORS]
    assert len(set(names)) == len(names)


def test_the_specification_names_the_version_of_the_definitions() -> None:
    assert re.findall(r"\*segscores definitions, version (\d+)\*", SPECIFICATION) == [
        str(segscores.DEFINITIONS_VERSION)
    ]


def test_every_rule_has_a_vector() -> None:
    rules = set(re.findall(r"^\*\*([A-Z]\d+)(?:\.| `)", SPECIFICATION, flags=re.M))
    named = {rule for vector in VECTORS for rule in vector["rules"]}
    assert rules - named == WITHOUT_VECTORS
    assert named <= rules


def test_every_group_has_a_number() -> None:
    numbered = re.findall(r"\*\*(S\d+) `(\w+)`", SPECIFICATION)
    numbers = [f"S{number}" for number in range(1, len(GROUPS) + 1)]
    assert sorted(number for number, _ in numbered) == sorted(numbers)
    assert {group for _, group in numbered} == GROUPS.keys(), "give a new group the next number in the specification"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_front_door_gives_the_values() -> None:
    """As lists, which are counted at once, the sums take another way than those of the vectors."""
    for vector in VECTORS:
        sides = vector["references"], vector["predictions"]
        if "error" in vector:
            with pytest.raises(ValueError, match=r"[a-z]") as raised:
                segscores.score(*sides, **options_of(vector))
            assert getattr(raised.value, "utterance", None) == vector["error"]["utterance"], vector["name"]
        else:
            scores = segscores.score(*sides, **options_of(vector))
            expected = scores_of({"vectors": [vector]})[vector["name"]]
            assert list(scores) == list(expected)
            assert scores == pytest.approx(expected, rel=0, abs=RECORD["tolerance"], nan_ok=True), vector["name"]
            ref = segscores.signature(sides[0], **{**options_of(vector), "on_error": "skip"}).split("ref:")[1][:8]
            assert ref == vector["ref"], vector["name"]


def run_javascript(path: Path) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    return subprocess.run([node, str(SCORER), str(path)], capture_output=True, text=True, check=False)


def test_a_scorer_in_javascript_gives_every_value() -> None:
    run = run_javascript(REFERENCE / "vectors.json")
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{len(VECTORS)} vectors, 0 with differences\n", "")


def test_the_scorer_in_javascript_reports_what_differs(tmp_path: Path) -> None:
    by_name = {vector["name"]: vector for vector in json.loads(json.dumps(VECTORS))}
    by_name["one word"]["scores"]["token_recall"] += 1e-6
    by_name["0/0 is nan"]["scores"]["boundary_noedge_recall"] = 0.0
    ref = by_name["lists of words"]["ref"]
    by_name["lists of words"]["ref"] = "00000000"
    by_name["other units"]["error"]["utterance"] = 2
    by_name["fewer units"] |= {"predictions": ["a b c"]}
    by_name["labels left out"]["options"].pop("on_error")
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({**RECORD, "vectors": list(by_name.values())}), encoding="utf-8")
    run = run_javascript(path)
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert [re.sub(r" \(.*?\): ", ": ", line) for line in lines[:-1]] == [
        "one word: token_recall 1, expected 1.000001",
        f"lists of words: ref {ref}, expected 00000000",
        "other units: P3 of pair 1, expected P3 of 2",
        "fewer units: no error, expected P3",
        "labels left out: P3: the units differ, expected scores",
        "0/0 is nan: boundary_noedge_recall NaN, expected 0",
    ]
    assert lines[-1] == f"{len(VECTORS)} vectors, 6 with differences"


def test_the_guide_says_what_the_scorer_prints() -> None:
    guide = (ROOT / "docs" / "how-to" / "other-scorers.md").read_text(encoding="utf-8")
    assert f"$ node examples/conformance/scorer.mjs vectors.json\n{len(VECTORS)} vectors, 0 with differences\n" in guide


def test_identify_names_the_definitions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, line in (("r.txt", "a b c"), ("p.txt", "ab c")):
        (tmp_path / name).write_text(line, encoding="utf-8")
    for value in ("0.4", "0.123"):
        main(["identify", str(tmp_path / "r.txt"), str(tmp_path / "p.txt"), value, "--scores", "token"])
        assert capsys.readouterr().out.endswith(f"definitions: version {segscores.DEFINITIONS_VERSION}.\n")
