"""Conformity: which scores another program prints, by its output for small cases.

Conventions
-----------
- The program runs once for each case, on two files. A pattern finds the numbers in its output: the first number of each case is
  one column, the second another; a group `name` of the pattern names the column.
- A column agrees with a definition (`identification`) if it does in every case in which the program prints a number. Where none
  does, the definition that agrees most often is named, of equals the nearest, with the smallest case in which it differs.
- Cases are tiny, and each separates definitions: edges, averages, types and tokens, 0/0, punctuation, bytes of characters.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..options.option import check_options
from ..options.table import OPTIONS
from ..results.result import Column, Note, Result, Table, Values
from .identification import Definition, Number, definitions_of, describe

#: References and predictions by name, the smallest first.
CASES: dict[str, tuple[list[str], list[str]]] = {
    "a boundary missed": (["a b"], ["ab"]),
    "a boundary too many": (["ab c"], ["a b c"]),
    "a boundary off by one": (["ab c d"], ["a bc d"]),
    "one word": (["ab", "c d"], ["ab", "c d"]),
    "repeated words": (["a b a b a b"], ["a b ab a b"]),
    "characters of several bytes": (["狗 叫 了 吗"], ["狗 叫了 吗"]),
    "punctuation": (["ab c , d ."], ["ab c, d ."]),
    "lines of different length": (["a b c d e f g", "h i"], ["a b cd e f g", "hi"]),
    "a long line": (["ab cde f gh i jk l", "mn op q r"], ["ab cd e fgh i j kl", "mnop q r"]),
}
_TIMEOUT = 60


@dataclass(frozen=True, eq=False)
class Conformity(Values):
    """A column of numbers that a program prints, and the definition that is nearest."""

    number: str  #: the name of the column, or its place from 1
    score: str  #: the key of the definition; empty if the program never printed a number
    options: Mapping[str, Any]  #: of the definition, beside the defaults
    agrees: int  #: the number of cases in which the program and the definition agree
    cases: int  #: the number of cases in which the program printed the number
    case: str  #: the smallest case in which they differ; empty if there is none
    printed: str  #: the number there
    expected: float | None  #: the value of the definition there
    note: str = ""  #: what else differs, as of a `Definition`


def conform(command: str, *, pattern: str = r"\d*\.\d+", write: str = "words") -> list[Conformity]:
    """Run another scorer over small cases, and find the definitions of the numbers that it prints.

    Args:
        command: its command line, where `{reference}` and `{prediction}` stand for the two files; no shell reads it.
        pattern: a regular expression that finds a number; a group `value` is the number, a group `name` its name.
        write: the format of the files: `"words"`, `"separated"` by `|`, `"units"` with `WORD_BOUNDARY`, or `"conllu"`.

    Returns:
        A row for each column of numbers.

    Raises:
        ValueError: the command names no file, the pattern is no regular expression, or the program prints no number in any case.
        OSError: there is no such program.

    >>> import sys
    >>> program = "import sys; left, right = map(open, sys.argv[1:]); print(float(left.read() == right.read()))"
    >>> (row,) = conform(f"{sys.executable} -c '{program}' {{reference}} {{prediction}}")
    >>> row.score, row.agrees, row.cases
    ('utterance_accuracy', 9, 9)
    """
    check_options({"pattern": pattern, "write": write}, OPTIONS)
    words = shlex.split(command)
    for name in ("{reference}", "{prediction}"):
        if not any(name in word for word in words):
            raise ValueError(
                f"command: received {command!r}; expected {name} in it, where the name of the file belongs."
            )
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"pattern: received {pattern!r}, which is no regular expression ({error}).") from None
    columns: dict[str, dict[str, str]] = {}
    problem = ""
    for case, sides in CASES.items():
        output, problem_here = _run(words, sides, write)
        problem = problem or problem_here
        for at, match in enumerate(compiled.finditer(output), 1):
            groups = {"value": match[0], **match.groupdict()}
            columns.setdefault(str(groups.get("name") or at), {}).setdefault(case, str(groups["value"]))
    if not columns:
        raise ValueError(f"{words[0]}: the pattern {pattern!r} finds no number in what it printed.{problem}")
    defined = {case: _values(case) for case in CASES}
    return [_conformity(name, numbers, defined) for name, numbers in columns.items()]


def result_of_rows(rows: Sequence[Conformity]) -> Result:
    """The rows as a table."""
    names = ["score", "definition", "agrees", "differs in", "printed", "expected"]
    cells = []
    for row in rows:
        texts = describe(row.options, row.note), f"{row.agrees} of {row.cases}"
        cells.append([row.number, row.score, *texts, row.case, row.printed, row.expected])
    columns = [Column("number"), *(Column(name, is_text=name != "expected") for name in names)]
    lines = [
        f"{case}: {' / '.join(CASES[case][0])} against {' / '.join(CASES[case][1])}"
        for case in dict.fromkeys(row.case for row in rows if row.case)
    ]
    return Result([Table(columns, cells)], [Note(line.replace("{", "{{").replace("}", "}}")) for line in lines])


def _run(words: Sequence[str], sides: tuple[list[str], list[str]], write: str) -> tuple[str, str]:
    """Return the output of the program for a case, and what it said about an error."""
    with TemporaryDirectory() as folder:
        paths = {}
        for name, lines in zip(("reference", "prediction"), sides, strict=True):
            path = Path(folder) / f"{name}.{'conllu' if write == 'conllu' else 'txt'}"
            path.write_text("".join(_written(line, write) for line in lines), encoding="utf-8")
            paths[f"{{{name}}}"] = str(path)
        arguments = [re.sub(r"\{(reference|prediction)\}", lambda match: paths[match[0]], word) for word in words]
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return "", f" It took more than {_TIMEOUT} seconds."
        lines = done.stderr.strip().splitlines() if done.returncode else []
        return done.stdout, f" It ended with status {done.returncode}: {lines[-1]}" if lines else ""


def _written(line: str, write: str) -> str:
    words = line.split()
    if write == "conllu":
        rows = [
            f"{at}\t{word}\t_\tX\t_\t_\t{at - 1}\t{'dep' if at > 1 else 'root'}\t_\t_\n"
            for at, word in enumerate(words, 1)
        ]
        return "".join([*rows, "\n"])
    if write == "units":
        return " WORD_BOUNDARY ".join(map(" ".join, words)) + "\n"
    return ("|" if write == "separated" else " ").join(words) + "\n"


@cache
def _values(case: str) -> dict[tuple[str, str], Definition]:
    """Return every definition of a case by its score, and its options as text; the simplest first."""
    rows = definitions_of(*CASES[case], {"text_format": "words"})
    return {(row.score, describe(row.options, row.note)): row for row in rows}


def _conformity(
    name: str, numbers: Mapping[str, str], defined: Mapping[str, Mapping[tuple[str, str], Definition]]
) -> Conformity:
    """Return the definition that agrees with a column most often; of equals the nearest, or the simplest."""
    compared = {
        key: {case: Number.of(number).compare(defined[case][key]) for case, number in numbers.items()}
        for key in dict.fromkeys(key for case in numbers for key in defined[case])
        if all(key in defined[case] for case in numbers)
    }

    def rank(key: tuple[str, str]) -> tuple[int, float, int]:
        rows = compared[key].values()
        count = sum(row.agrees for row in rows)
        # Definitions that always agree are equally near, but for the decimals that are not printed.
        return -count, sum(abs(row.difference) for row in rows) if count < len(rows) else 0.0, len(key[1])

    best = min(compared, key=rank)
    rows = compared[best]
    case = next((case for case in CASES if case in rows and not rows[case].agrees), "")
    row = next(iter(rows.values()))
    expected = rows[case].value if case else None
    agreeing = sum(row.agrees for row in rows.values())
    return Conformity(name, row.score, row.options, agreeing, len(rows), case, numbers.get(case, ""), expected)
