"""Conformity: which scores another program prints, by its output for small cases.

Conventions
-----------
- The program runs once for each case, on two files. A pattern finds the numbers in its output: the first number of each case is
  one column, the second another; a group `name` of the pattern names the column.
- A column agrees with a definition (`identification`) if it does in every case in which the program prints a number. Where none
  does, the definition that agrees most often is named, of equals the nearest, with the smallest case in which it differs.
- A sign and an exponent beside what the pattern finds belong to the number. nan and infinity agree with a definition that has the
  same value.
- A number that is the same in every case agrees with no definition: the program need not compute it.
- Cases are tiny, and each separates definitions: edges, averages, types and tokens, 0/0, punctuation, bytes of characters.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO, TextIOWrapper
from locale import getpreferredencoding
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from ..options.option import check_options
from ..options.quoting import described, is_number, shortened
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
#: A definition: the key of its score, and its options as text.
_Key: TypeAlias = "tuple[str, str]"
#: Of one case.
_TIMEOUT_SECONDS = 60
#: Of standard output, for one case; more are an error.
_MOST_BYTES = 1 << 20
#: In the standard output of one case; more are an error.
_MOST_NUMBERS = 200
#: Of standard error, whose end is kept.
_KEPT_BYTES = 1 << 14


_CONSTANT = "the same number in every case"


@dataclass(frozen=True, eq=False)
class Conformity(Values):
    """A column of numbers that a program prints, and the definition that is nearest."""

    number: str  #: the name of the column, or its place from 1
    score: str  #: the key of the definition; empty if the number is the same in every case
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
        TypeError: the command is no string.
        ValueError: the command names no file, the pattern is no regular expression or finds what is no number, or the program
            prints no number in any case, prints without end, or takes more than a minute for a case.
        OSError: there is no such program.

    >>> import sys
    >>> program = "import sys; left, right = map(open, sys.argv[1:]); print(float(left.read() == right.read()))"
    >>> (row,) = conform(f"{sys.executable} -c '{program}' {{reference}} {{prediction}}")
    >>> row.score, row.agrees, row.cases
    ('utterance_accuracy', 9, 9)
    """
    check_options({"pattern": pattern, "write": write}, OPTIONS)
    if not isinstance(command, str):
        raise TypeError(f"command: received {described(command)}; expected one string, as shlex.join makes of a list.")
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
    problems = []
    for case in CASES:
        output, problem = _run(words, case, write)
        problems += [problem] if problem else []
        for name, number in _numbers_in(output, compiled, words[0]).items():
            columns.setdefault(name, {})[case] = number
    if not columns:
        said = problems[0] if problems else ""
        raise ValueError(f"{words[0]}: the pattern {pattern!r} finds no number in what it printed.{said}")
    defined = {case: _values(case) for case in CASES}
    return [_conformity(name, numbers, defined) for name, numbers in columns.items()]


def _numbers_in(output: str, pattern: re.Pattern[str], program: str) -> dict[str, str]:
    """Return the numbers in the output for a case, by the names of their columns."""
    numbers: dict[str, str] = {}
    for at, match in enumerate(pattern.finditer(output), 1):
        if at > _MOST_NUMBERS:
            remedy = "find those of interest by a pattern with more of the text around them."
            raise ValueError(f"pattern: it finds more than {_MOST_NUMBERS} numbers in what {program} printed; {remedy}")
        groups = match.groupdict()
        number = _whole_number(output, *match.span("value" if "value" in groups else 0))
        if not is_number(number.removesuffix("%")):
            raise ValueError(f"pattern: it finds {shortened(number)} in what {program} printed; expected a number.")
        numbers[str(groups.get("name") or at)] = number
    return numbers


def _whole_number(output: str, start: int, end: int) -> str:
    """Return a part of the output, with the sign before it and the exponent after it.

    >>> _whole_number("pk -5.2e-05", 4, 7), _whole_number("0.1-0.5", 4, 7)
    ('-5.2e-05', '0.5')
    """
    # output:       p k   - 5 . 2 e - 0 5
    # start, end:           4     7
    before = output[max(0, start - 2) : start]
    has_sign = before.endswith("-") and not re.match(r"[\w.)-]-", before)
    exponent = re.compile(r"[eE][-+]?\d+").match(output, end)
    return output[start - has_sign : exponent.end() if exponent else end]


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


def _run(command: Sequence[str], case: str, write: str) -> tuple[str, str]:
    """Return the output of the program for a case, and a sentence on how it failed; empty if it did not."""
    with TemporaryDirectory() as folder:
        ending = "conllu" if write == "conllu" else "txt"
        paths = {}
        for name, lines in zip(("reference", "prediction"), CASES[case], strict=True):
            path = Path(folder) / f"{name}.{ending}"
            path.write_text("".join(_written(line, write) for line in lines), encoding="utf-8")
            paths[name] = str(path)
        # The program "scorer {reference} {prediction}" gets the paths in place of the names in braces.
        arguments = [re.sub(r"\{(reference|prediction)\}", lambda match: paths[match[1]], word) for word in command]
        printed, errors, status = _run_bounded(arguments, f"{command[0]}, with the case {case!r}")
    lines = _decoded(errors).strip().splitlines()
    failed = f" It ended with status {status}: {lines[-1]}" if status and lines else ""
    return _decoded(printed), failed


def _run_bounded(arguments: Sequence[str], where: str) -> tuple[bytes, bytes, int]:
    """Return what a program prints, the end of its errors, and its status; end it if it takes or prints too much.

    It has a group of processes of its own, so that programs that it has started end too, and no standard input to wait for.
    """
    is_posix = os.name == "posix"
    # Without a buffer, a stream can be closed while a thread reads it.
    with Popen(arguments, bufsize=0, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=is_posix) as process:
        printed = _Stream(process.stdout, most=_MOST_BYTES, keeps_end=False)
        errors = _Stream(process.stderr, most=_KEPT_BYTES, keeps_end=True)
        try:
            ends = monotonic() + _TIMEOUT_SECONDS
            printed.join(_TIMEOUT_SECONDS)
            if printed.is_full:
                raise ValueError(f"{where}: it printed more than {_MOST_BYTES:,} bytes; expected a few numbers.")
            errors.join(max(0.0, ends - monotonic()))
            status = process.wait(max(0.0, ends - monotonic()))
            if printed.is_alive() or errors.is_alive():
                raise TimeoutExpired(arguments, _TIMEOUT_SECONDS)
        except TimeoutExpired:
            problem = f"it took more than {_TIMEOUT_SECONDS} seconds; expected a program that ends."
            raise ValueError(f"{where}: {problem}") from None
        finally:
            if is_posix:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    return bytes(printed.kept), bytes(errors.kept), status


class _Stream(Thread):
    """Reads what a program prints, and keeps the beginning, and stops there, or keeps the end."""

    def __init__(self, file: Any, *, most: int, keeps_end: bool) -> None:
        super().__init__(daemon=True)
        self.kept = bytearray()
        self.is_full = False
        self._file = file
        self._most = most
        self._keeps_end = keeps_end
        self.start()

    def run(self) -> None:
        """Read until the program ends, or has printed too much."""
        while chunk := self._file.read(1 << 14):
            self.kept += chunk
            if len(self.kept) > self._most:
                if not self._keeps_end:
                    self.is_full = True
                    return
                del self.kept[: -self._most]


def _decoded(printed: bytes) -> str:
    """Return what a program printed, in the encoding of the terminal; a byte that has no meaning there becomes a mark."""
    return TextIOWrapper(BytesIO(printed), encoding=getpreferredencoding(False), errors="replace").read()


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
def _values(case: str) -> dict[_Key, Definition]:
    """Return every definition of a case by its score, and its options as text; the simplest first."""
    rows = definitions_of(*CASES[case], {"text_format": "words"})
    return {(row.score, describe(row.options, row.note)): row for row in rows}


def _compare(number: str, row: Definition) -> Definition:
    """Return the definition with its distance from a printed number, which may be nan or infinite."""
    value = float(number.removesuffix("%"))
    if math.isfinite(value):
        return Number.of(number).compare(row)
    agrees = row.value == value or (math.isnan(row.value) and math.isnan(value))
    return replace(row, difference=0.0 if agrees else math.inf, agrees=agrees)


def _conformity(name: str, numbers: Mapping[str, str], defined: Mapping[str, Mapping[_Key, Definition]]) -> Conformity:
    """Return the definition that agrees with a column most often; of equals the nearest, or the simplest."""
    # As text, because nan equals nothing.
    is_constant = len(numbers) > 1 and len({str(float(number.removesuffix("%"))) for number in numbers.values()}) == 1
    if is_constant:
        case, number = next(iter(numbers.items()))
        return Conformity(name, "", {}, 0, len(numbers), case, number, None, _CONSTANT)
    # Every case with a number has these definitions, in the order of the first case.
    cases = list(numbers)
    keys = [key for key in defined[cases[0]] if all(key in defined[case] for case in cases)]
    compared = {key: {case: _compare(number, defined[case][key]) for case, number in numbers.items()} for key in keys}

    def rank(key: _Key) -> tuple[int, float, int]:
        rows = compared[key].values()
        count = sum(row.agrees for row in rows)
        # Definitions that always agree are equally near, but for the decimals that are not printed.
        return -count, sum(abs(row.difference) for row in rows) if count < len(rows) else 0.0, len(key[1])

    best = min(compared, key=rank)
    rows = compared[best]
    wrong = {case for case, row in rows.items() if not row.agrees}
    in_order = [case for case in CASES if case in wrong]
    case = in_order[0] if in_order else ""
    row = next(iter(rows.values()))
    expected = rows[case].value if case else None
    agreeing = sum(row.agrees for row in rows.values())
    return Conformity(name, row.score, row.options, agreeing, len(rows), case, numbers.get(case, ""), expected)
