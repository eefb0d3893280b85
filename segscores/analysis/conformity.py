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
from typing import Any, NamedTuple

from ..kernel.record import record
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


class _Key(NamedTuple):
    """The definition of a number: a score, and the options with which it is computed in every case."""

    score: str  #: the key of its score
    options: str  #: its options as text


#: The time that the program may take for one case.
_TIMEOUT_SECONDS = 60
#: The size of standard output for one case; more is an error.
_MOST_BYTES = 1 << 20
#: The numbers in the standard output of one case; more are an error.
_MOST_NUMBERS = 200
#: The size of the end of standard error that is kept.
_KEPT_BYTES = 1 << 14

#: The note of a column that agrees with no definition.
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
    words = _words_of_command(command)
    program, *_ = words
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"pattern: received {pattern!r}, which is no regular expression ({error}).") from None
    # The numbers by the names of their columns, and by cases: `{"F": {"one word": "1.0", …}}`.
    columns: dict[str, dict[str, str]] = {}
    first_problem = ""
    for case in CASES:
        output, problem = _run(words, case, write)
        first_problem = first_problem or problem
        for name, number in _numbers_in(output, compiled, program).items():
            columns.setdefault(name, {})[case] = number
    if not columns:
        raise ValueError(f"{program}: the pattern {pattern!r} finds no number in what it printed.{first_problem}")
    defined = {case: _values(case) for case in CASES}
    return [_conformity(name, numbers, defined) for name, numbers in columns.items()]


def _words_of_command(command: object) -> list[str]:
    """Return the words of a command line; raise an error if it does not name both files."""
    if not isinstance(command, str):
        raise TypeError(f"command: received {described(command)}; expected one string, as shlex.join makes of a list.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        # Such as "No closing quotation".
        raise ValueError(f"command: received {command!r}; expected words as in a shell ({error}).") from None
    for name in ("{reference}", "{prediction}"):
        if not any(name in word for word in words):
            raise ValueError(
                f"command: received {command!r}; expected {name} in it, where the name of the file belongs."
            )
    return words


def _numbers_in(output: str, pattern: re.Pattern[str], program: str) -> dict[str, str]:
    """Return the numbers in the output for a case, as text, by the names of their columns: `{"1": "0.5", "2": "1e-3"}`."""
    numbers: dict[str, str] = {}
    for place, match in enumerate(pattern.finditer(output), 1):
        if place > _MOST_NUMBERS:
            remedy = "find those of interest by a pattern with more of the text around them."
            raise ValueError(f"pattern: it finds more than {_MOST_NUMBERS} numbers in what {program} printed; {remedy}")
        groups = match.groupdict()
        # Group 0 is all that the pattern finds.
        start, end = match.span("value" if "value" in groups else 0)
        number = _whole_number(output, start, end)
        if not is_number(number.removesuffix("%")):
            raise ValueError(f"pattern: it finds {shortened(number)} in what {program} printed; expected a number.")
        name = groups.get("name") or str(place)
        numbers[name] = number
    return numbers


def _whole_number(output: str, start: int, end: int) -> str:
    """Return a part of the output, with the sign before it and the exponent after it.

    >>> _whole_number("pk -5.2e-05", 4, 7), _whole_number("0.1-0.5", 4, 7)
    ('-5.2e-05', '0.5')
    """
    # output:       p k   - 5 . 2 e - 0 5
    # start, end:           4     7
    two_before = output[max(0, start - 2) : start]  # " -" in the example
    # After a digit or a word, as in `0.1-0.5`, a hyphen is no sign.
    has_sign = two_before.endswith("-") and not re.match(r"[\w.)-]-", two_before)
    if has_sign:
        start -= 1
    exponent = re.compile(r"[eE][-+]?\d+").match(output, end)
    if exponent:
        end = exponent.end()
    return output[start:end]


def result_of_rows(rows: Sequence[Conformity]) -> Result:
    """Return the rows as a table, with a note for each case in which a definition differs."""
    columns = [
        Column("number"),
        Column("score", is_text=True),
        Column("definition", is_text=True),
        Column("agrees", is_text=True),
        Column("differs in", is_text=True),
        Column("printed", is_text=True),
        Column("expected"),
    ]
    cells = []
    for row in rows:
        definition = describe(row.options, row.note)
        agrees = f"{row.agrees} of {row.cases}"
        cells.append([row.number, row.score, definition, agrees, row.case, row.printed, row.expected])
    notes = []
    for case in dict.fromkeys(row.case for row in rows if row.case):
        references, predictions = CASES[case]
        line = f"{case}: {' / '.join(references)} against {' / '.join(predictions)}"
        # Braces in a note stand for values, doubled ones for themselves.
        notes.append(Note(line.replace("{", "{{").replace("}", "}}")))
    return Result([Table(columns, cells)], notes)


def _run(command: Sequence[str], case: str, write: str) -> tuple[str, str]:
    """Return the output of the program for a case, and a sentence on how it failed; empty if it did not.

    `command` are the words of the command line, and `write` is the format of the files.
    """
    with TemporaryDirectory() as folder:
        ending = "conllu" if write == "conllu" else "txt"
        paths = {}
        for name, lines in zip(("reference", "prediction"), CASES[case], strict=True):
            path = Path(folder) / f"{name}.{ending}"
            path.write_text("".join(_written(line, write) for line in lines), encoding="utf-8")
            paths[name] = str(path)
        # The program "scorer {reference} {prediction}" gets the paths in place of the names in braces.
        arguments = [re.sub(r"\{(reference|prediction)\}", lambda match: paths[match[1]], word) for word in command]
        program, *_ = command
        printed, errors, status = _run_bounded(arguments, f"{program}, with the case {case!r}")
    error_lines = _decoded(errors).strip().splitlines()
    failed = ""
    if status != 0 and error_lines:
        # The last line of a traceback names the error.
        failed = f" It ended with status {status}: {error_lines[-1]}"
    return _decoded(printed), failed


def _run_bounded(arguments: Sequence[str], where: str) -> tuple[bytes, bytes, int]:
    """Return what a program prints, the end of its errors, and its status; end it if it takes or prints too much.

    It has a group of processes of its own, so that programs that it has started end too, and no standard input to wait for.
    `where` begins an error: the program and the case.
    """
    is_posix = os.name == "posix"
    # Without a buffer, a stream can be closed while a thread reads it.
    with Popen(arguments, bufsize=0, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=is_posix) as process:
        output_reader = _Reader(process.stdout, most=_MOST_BYTES, keeps_end=False)
        error_reader = _Reader(process.stderr, most=_KEPT_BYTES, keeps_end=True)
        try:
            deadline = monotonic() + _TIMEOUT_SECONDS
            # Wait for the end of the output, of the errors and of the program, all within the time.
            output_reader.join(_TIMEOUT_SECONDS)
            if output_reader.is_full:
                raise ValueError(f"{where}: it printed more than {_MOST_BYTES:,} bytes; expected a few numbers.")
            error_reader.join(max(0.0, deadline - monotonic()))
            status = process.wait(max(0.0, deadline - monotonic()))
            # The program has ended, and a reader still reads: a program that it started holds its output.
            if output_reader.is_alive() or error_reader.is_alive():
                raise TimeoutExpired(arguments, _TIMEOUT_SECONDS)
        except TimeoutExpired:
            problem = f"it took more than {_TIMEOUT_SECONDS} seconds; expected a program that ends."
            raise ValueError(f"{where}: {problem}") from None
        finally:
            # Programs that it started may still run, also after its normal end.
            if is_posix:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    return bytes(output_reader.kept), bytes(error_reader.kept), status


class _Reader(Thread):
    """A thread that reads what a program prints, and keeps at most `most` bytes of it.

    With `keeps_end` the thread reads all, and keeps the last bytes. Otherwise it keeps the first bytes; if there are more, it is
    full, and reads no further.
    """

    def __init__(self, file: Any, *, most: int, keeps_end: bool) -> None:
        # Python, when it ends, does not wait for a daemon.
        super().__init__(daemon=True)
        self.kept = bytearray()
        self.is_full = False
        self._file = file
        self._most = most
        self._keeps_end = keeps_end
        self.start()

    def run(self) -> None:
        """Read until the program ends, or the thread is full."""
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
    """Return a line of words in the format that is asked for, one of the choices of the option.

    >>> _written("ab c", "units"), _written("ab c", "separated")
    ('a b WORD_BOUNDARY c\\n', 'ab|c\\n')
    """
    words = line.split()
    if write == "conllu":
        rows = []
        for number, word in enumerate(words, 1):
            # Each word depends on the one before it.
            relation = "root" if number == 1 else "dep"
            rows.append(f"{number}\t{word}\t_\tX\t_\t_\t{number - 1}\t{relation}\t_\t_\n")
        return "".join([*rows, "\n"])
    if write == "units":
        # The units of a word are its characters.
        return " WORD_BOUNDARY ".join(map(" ".join, words)) + "\n"
    separator = "|" if write == "separated" else " "
    return separator.join(words) + "\n"


@cache
def _values(case: str) -> dict[_Key, Definition]:
    """Return every definition of a case by its score and its options as text; the simplest are first, as in `definitions_of`."""
    references, predictions = CASES[case]
    definitions = definitions_of(references, predictions, {"text_format": "words"})
    return {_Key(row.score, describe(row.options, row.note)): row for row in definitions}


@cache
def _parse(number: str) -> Number:
    """Return a printed number, which is compared with many definitions."""
    return Number.of(number)


def _compare(number: str, definition: Definition) -> Definition:
    """Return the definition with its distance from a printed number, which may be nan or infinite, and whether it agrees."""
    value = float(number.removesuffix("%"))
    if math.isfinite(value):
        return _parse(number).compare(definition)
    agrees = definition.value == value or (math.isnan(definition.value) and math.isnan(value))
    return replace(definition, difference=0.0 if agrees else math.inf, agrees=agrees)


@record
class _Compared:
    """A definition that is compared with the numbers of a column: of each case, the definition with its distance."""

    key: _Key
    by_case: Mapping[str, Definition]

    @property
    def agreeing(self) -> int:
        """The number of cases in which the definition agrees."""
        return sum(definition.agrees for definition in self.by_case.values())

    def rank(self) -> tuple[int, float, int]:
        """Return the rank among the definitions of a column, the best one first: the number of cases, nearness, simplicity."""
        distance = 0.0
        # Definitions that always agree are equally near: they differ from the numbers only in decimals that are not printed.
        if self.agreeing < len(self.by_case):
            distance = sum(abs(definition.difference) for definition in self.by_case.values())
        # The options are text, which is shorter for fewer options.
        return -self.agreeing, distance, len(self.key.options)


def _best_definition(numbers: Mapping[str, str], defined: Mapping[str, Mapping[_Key, Definition]]) -> _Compared:
    """Return the definition with the first rank for the numbers of a column; arguments are as in `_conformity`."""
    # Compare the definitions that exist in every case with a number, in the order of the first case.
    first_case = next(iter(numbers))
    keys = [key for key in defined[first_case] if all(key in defined[case] for case in numbers)]

    def agrees_always(key: _Key) -> bool:
        """Return whether a definition agrees in every case; the first case in which it does not decides."""
        return all(_compare(number, defined[case][key]).agrees for case, number in numbers.items())

    # If definitions agree always, the best one is among them. This is quick: most others disagree in one of the first cases.
    candidates = [key for key in keys if agrees_always(key)]
    if not candidates:
        # Each disagrees somewhere: all are ranked, by comparison in every case.
        candidates = keys
    compared = []
    for key in candidates:
        by_case = {case: _compare(number, defined[case][key]) for case, number in numbers.items()}
        compared.append(_Compared(key, by_case))
    return min(compared, key=_Compared.rank)


def _conformity(name: str, numbers: Mapping[str, str], defined: Mapping[str, Mapping[_Key, Definition]]) -> Conformity:
    """Return the definition that agrees with a column most often; of equals the nearest, or the simplest.

    `numbers` are those of the column by case, and `defined` all definitions by case.
    """
    first_case, first_number = next(iter(numbers.items()))
    # A number that is the same in every case has no definition: the program need not compute it. Values are compared as text,
    # because nan is not equal to nan.
    distinct = {str(float(number.removesuffix("%"))) for number in numbers.values()}
    if len(numbers) > 1 and len(distinct) == 1:
        return Conformity(
            number=name,
            score="",
            options={},
            agrees=0,
            cases=len(numbers),
            case=first_case,
            printed=first_number,
            expected=None,
            note=_CONSTANT,
        )
    best = _best_definition(numbers, defined)
    # CASES has the smallest one first, so that the first case in which the definition differs is the smallest.
    cases_with_number = [case for case in CASES if case in best.by_case]
    differing = [case for case in cases_with_number if not best.by_case[case].agrees]
    # Empty if the definition agrees in every case.
    smallest = next(iter(differing), "")
    return Conformity(
        number=name,
        score=best.key.score,
        # A definition has the same options in every case.
        options=best.by_case[first_case].options,
        agrees=best.agreeing,
        cases=len(best.by_case),
        case=smallest,
        printed=numbers[smallest] if smallest else "",
        expected=best.by_case[smallest].value if smallest else None,
    )
