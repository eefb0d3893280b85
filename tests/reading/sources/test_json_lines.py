"""JSON lines of every kind, in a process of their own: none ends the process, and none is misread."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

GOOD = '{"gold": "a b", "system": "ab"}'
DEEP = "[" * 100_000 + "]" * 100_000
OBJECTS = [
    GOOD,
    f" {GOOD}\t\r",
    '{"gold": "null a", "system": "nulla", "note": null}',
    '{"gold": "{} null a", "system": "{} nulla"}',
    '{"gold":"a","system":"a","note":[null,{"a":null}]}',
    '{"gold": null, "system": "a"}',
    '{"gold": "a"}',
    "{}",
    '{"gold": ["a"], "system": "a"}',
    '{"gold": 5, "system": 1e400}',
    '{"gold": {"gold": "a"}, "system": [null]}',
    f'{{"gold": "a", "system": "a", "note": {DEEP}}}',
    '{"gold": "a", "gold": "b", "system": "a"}',
    '{"gold": "a", "system": "a", "note": 1, "note": 2}',
]
OTHERS = [
    *("null", " \tnull", "null\r", "nullnull", "null null", "true", "-1.5", '"a b"', "[]", "[null]", f"[{GOOD}]", "NaN", ""),
    *(f"{GOOD} null", f"null {GOOD}", f"{GOOD}null{GOOD}", f"{GOOD} null {GOOD}", f"{GOOD}{GOOD}", f"{GOOD},null"),
    *(GOOD[:cut] for cut in (1, 8, 12, 17, len(GOOD) - 1)),
    *('{"gold": "a", "system": nul', "{null: 1}", DEEP, "\0", "no JSON"),
]  # fmt: skip

#: Reads texts, one a line in JSON, as references and predictions; prints the score or the error of each.
PROGRAM = """
import json, sys, warnings
from pathlib import Path
from segscores import open_source, score
warnings.simplefilter("ignore")
for number, line in enumerate(sys.stdin):
    Path("t.jsonl").write_text(json.loads(line))
    sides = (open_source("t.jsonl", column=column) for column in ("gold", "system"))
    try:
        told = score(*sides, scores="token", text_format="words")["token_recall"]
    except (ValueError, TypeError) as error:
        told = str(error)
    print(json.dumps(told), flush=True)
"""


def read_all(texts: list[str], folder: Path) -> list[Any]:
    """Return what a process of its own says of each text."""
    given = "".join(f"{json.dumps(text)}\n" for text in texts)
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, texts[len(told)][:200], done.stderr)
    return told


def is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except RecursionError:
        return line.startswith("{")
    except ValueError:
        return False


def test_a_line_that_is_no_object_is_named_before_and_behind_every_other(tmp_path: Path) -> None:
    pairs = [*product([GOOD, "null"], [*OBJECTS, *OTHERS]), *product([*OBJECTS[1:], *OTHERS[1:]], [GOOD, "null"])]
    texts = ["".join(f"{line}\n" for line in pair) for pair in pairs]
    for pair, told in zip(pairs, read_all(texts, tmp_path), strict=True):
        if all(map(is_object, pair)):
            assert isinstance(told, float) or "line" in told, (pair, told)
        else:
            assert isinstance(told, str), (pair, told)
            assert any(f"line {number}" in told for number in (1, 2)) or "no column" in told, (pair, told)
        if {*pair} <= {*OBJECTS[:2]}:
            assert told == 0, (pair, told)
        if pair[1] == "null" and pair[0] in OBJECTS[:5]:
            assert "line 2: expected one JSON object on the line" in told, (pair, told)


def test_a_null_in_the_middle_of_a_file_is_named(tmp_path: Path) -> None:
    lines = [GOOD] * 60_000
    lines[45_000] = "null"
    (told,) = read_all(["\n".join(lines)], tmp_path)
    assert "line 45001: expected one JSON object on the line" in told
