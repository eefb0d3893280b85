"""Compare what two checkouts of the package answer to random requests: a change of the code alone changes no answer.

    python benchmarks/same.py --old main --requests 10000
    python benchmarks/same.py --old v0.3.0 --case 17

Requests use public names, the command and files alone (`same_requests.py`), so modules may move and internal names may change
between the two. A process for each checkout answers them (`same_worker.py`): scores to the last digit, signatures, stored
tallies, fields of results, warnings, errors, what the command prints, its status, and the files that it writes.

The program prints each kind of difference with the number of a request that shows it, and how often each function, option,
score, format, flag and subcommand was in a request that was answered without an error. It exits with status 1 if there is a
difference that `--expect` does not name: a file with a regular expression on each line, which is searched for in lines such as
`score result.token_fscore: 'float 0.5' → 'float 0.6'`. Lines that begin with # are comments.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from same_forms import FORMS, LISTS, SELECTIONS
from same_inputs import RECORDINGS, Request
from same_requests import KINDS, draw_request

ROOT = Path(__file__).resolve().parent.parent
#: A name is printed as rare if fewer of 10,000 requests reach it.
LEAST = 20
#: The functions and flags that requests cannot reach, each with the reason.
UNREACHED = {
    "function conform": "it runs another program hundreds of times",
    "function conformance_vectors": "a test compares them with their file",
    "function gather_tally": "it needs several processes of torch",
    "function score_dataframe": "it needs Spark",
    "flag --train": "training takes seconds",
    "flag --members": "training takes seconds",
    "flag --processes": "training takes seconds",
    "flag --plot": "pictures take a second each, and their bytes depend on matplotlib",
    "flag --pattern": "it is for conform",
    "flag --write": "it is for conform",
    "flag --export": "it is for conform",
}


class Checkout:
    """The process that answers by the package of a checkout.

    Attributes:
        folder: the checkout.
    """

    def __init__(self, folder: Path, surface: Path) -> None:
        self.folder = folder
        # The entry point of the command, `module:function`.
        found = re.search(r'^segscores = "(.+)"', (folder / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
        if found is None:
            raise SystemExit(f"{folder}/pyproject.toml: expected the script segscores.")
        environment = os.environ | {
            "PYTHONPATH": str(folder),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "100",
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_OFFLINE": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, ROOT / "benchmarks" / "same_worker.py", folder, found[1], surface],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd="/",
            encoding="utf-8",
        )

    def ask(self, request: Request) -> None:
        """Send a request."""
        assert self._process.stdin is not None
        self._process.stdin.write(request.to_json() + "\n")
        self._process.stdin.flush()

    def receive(self) -> str:
        """Wait for the answer to the oldest request."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of {self.folder} ended with status {self._process.wait()}")
        return line

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@dataclass
class Findings:
    """The differences that a run finds.

    Attributes:
        requests: the number of requests of each kind.
        errors: the number of requests of each kind in which a call or command fails.
        reached: by name, the number of requests that reach it without an error.
        differing: the numbers of the requests whose answers differ unexpectedly.
        differences: each difference with its count, and the number of the first request that shows it.
        expected: the number of differences that each regular expression names.
    """

    requests: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    differing: list[int] = field(default_factory=list)
    differences: dict[str, Difference] = field(default_factory=dict)
    expected: Counter[str] = field(default_factory=Counter)

    def note(self, number: int, request: Request, answers: Sequence[str], expected: Sequence[str]) -> None:
        """Count a request with this number, and the differences of its answers, the old one and the new one.

        `expected` are regular expressions, which name the differences that are wanted.
        """
        old_answer, new_answer = answers
        old = json.loads(old_answer)
        self.requests[request.kind] += 1
        if any(is_failed(answer) for answer in old):
            self.errors[request.kind] += 1
        else:
            self.reached.update(request.reached)
        if old_answer == new_answer:
            return
        is_unexpected = False
        for line in differences_of(old, json.loads(new_answer)):
            difference = f"{request.kind} {line}"
            naming = [pattern for pattern in expected if re.search(pattern, difference)]
            self.expected.update(naming)
            if naming:
                continue
            is_unexpected = True
            # Differences at one place are of one shape, whatever the numbers: `score result[0].utterances`.
            place, _, _ = difference.partition(": ")
            shape = re.sub(r"\d+", "0", place)
            self.differences.setdefault(shape, Difference(difference, number)).count += 1
        if is_unexpected:
            self.differing.append(number)


@dataclass
class Difference:
    """A difference: a line that says it, the number of a request that shows it, and how often its like occurs."""

    line: str
    request: int
    count: int = 0


def is_failed(answer: Mapping[str, Any]) -> bool:
    """Return whether a call raises an error, or a command ends with the status of an error."""
    return "error" in answer or answer.get("status") not in (None, 0, 1)


def differences_of(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield a line for each difference of two answers, or of their parts at a place; of texts, a line for each block of lines.

    `differences_of({"a": [1]}, {"a": [2]})` yields `a[0]: 1 → 2`.
    """
    if type(old) is type(new) and old == new and list_keys(old) == list_keys(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from differences_of_dicts(old, new, place)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            # The answers of a request are a list themselves, whose places are not named.
            yield from differences_of(left, right, f"{place}[{index}]" if place else "")
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from differences_of_texts(old.split("\n"), new.split("\n"), place)
    else:
        yield f"{place}: {old!r} → {new!r}"


def list_keys(value: Any) -> list[str]:
    """Return the keys of a dict in their order, because their order is a part of an answer."""
    return list(value) if isinstance(value, dict) else []


def differences_of_dicts(old: dict[str, Any], new: dict[str, Any], place: str) -> Iterator[str]:
    """Yield the differences of two dicts, of their keys, values and order."""
    start = f"{place}." if place else ""
    new_keys = [key for key in new if key not in old]
    for key in [*old, *new_keys]:
        if key not in new:
            yield f"{start}{key}: {old[key]!r} → nothing"
        elif key not in old:
            yield f"{start}{key}: nothing → {new[key]!r}"
        else:
            yield from differences_of(old[key], new[key], start + key)
    if old.keys() == new.keys() and list(old) != list(new):
        yield f"{place} order: {list(old)} → {list(new)}"


def differences_of_texts(old: list[str], new: list[str], place: str) -> Iterator[str]:
    """Yield the differences of two texts."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            yield f"{place}: {old[start:end]} → {new[new_start:new_end]}"


def checkout_folder(name: str, parent: Path) -> Path:
    """Return the folder of this name, or a new one below `parent` with the files of the revision of this name."""
    if Path(name).is_dir():
        return Path(name).resolve()
    archive = parent / "archive.tar"
    with archive.open("wb") as file:
        done = subprocess.run(["git", "archive", name], cwd=ROOT, stdout=file, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: expected a folder, or a revision of {ROOT}.")
    folder = parent / "checkout"
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    return folder.resolve()


def names_to_reach(surface: str, kinds: Sequence[str]) -> list[str]:
    """List the public functions, options, scores, flags and subcommands, and the forms of input.

    `surface` is the text of tests/public_surface.txt. A run of some kinds of requests alone need not reach any name.
    """
    if set(kinds) != set(KINDS):
        return []
    python, _, _ = surface.partition("\n# Fields")
    commands = section_of(surface, "The command")
    scores = section_of(surface, "Scores")
    names = [f"function {name}" for name in re.findall(r"^([a-z]\w*)[ (]", python, re.MULTILINE)]
    names += [f"option {name}" for name in re.findall(r"^(?:score|score_dataset)\(\*, (\w+)=", python, re.MULTILINE)]
    names += [
        f"scores {name}"
        for name in re.findall(r"^(\w+):", scores, re.MULTILINE)
        if not name.startswith(("score_", "sweep"))
    ]
    names += [f"scores {name}" for name in ("all", *SELECTIONS)]
    names += [f"flag {name}" for name in re.findall(r"`(--[\w-]+)", commands)]
    names += [f"subcommand {name}" for name in re.findall(r"^(\w+)$", commands, re.MULTILINE)]
    names += [f"form {name}" for name in (*FORMS, *LISTS, "times")]
    names += [f"recording {suffix}" for suffix in RECORDINGS]
    return [name for name in dict.fromkeys(names) if name not in UNREACHED]


def section_of(surface: str, title: str) -> str:
    """Return the lines below the title of a section."""
    _, _, after = surface.partition(f"\n# {title}\n")
    section, _, _ = after.partition("\n# ")
    return section


def read_expected(path: Path | None) -> list[str]:
    """Read the regular expressions of differences that are wanted."""
    if path is None:
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def compare(checkouts: Sequence[Checkout], options: argparse.Namespace, expected: Sequence[str]) -> Findings:
    """Send requests to both checkouts, and compare their answers."""
    findings = Findings()
    numbers = range(options.requests) if options.case is None else [options.case]
    for number in numbers:
        request = draw_request(options.seed, number, options.kinds)
        # Both work at the same time.
        for checkout in checkouts:
            checkout.ask(request)
        answers = [checkout.receive() for checkout in checkouts]
        if options.case is not None:
            print(request.to_json())
            print(*answers, sep="\n")
        findings.note(number, request, answers, expected)
    return findings


def report(findings: Findings, names: Sequence[str], expected: Sequence[str], seconds: float, shown: int) -> None:
    """Print what a run found.

    `names` should be reached, `expected` are the regular expressions of wanted differences, and `shown` kinds of others are
    shown.
    """
    total = findings.requests.total()
    failed = findings.errors.total()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = usage.ru_utime + usage.ru_stime
    print(f"{total} requests in {seconds:.0f} s ({processor:.0f} s of processors); {failed / total:.0%} are errors.")
    for kind, count in findings.requests.items():
        print(f"  {kind:16} {count:6}, {findings.errors[kind] / count:4.0%} errors")
    least = LEAST * total / 10_000
    rare = [f"{name} ({findings.reached[name]})" for name in names if findings.reached[name] < least]
    if names:
        print(f"{len(names) - len(rare)} of {len(names)} public names are in {least:g} answers or more.")
    if rare:
        print(f"In fewer: {', '.join(rare)}")
    for pattern in expected:
        print(f"expected: {findings.expected[pattern]:6} {pattern}")
    print(f"{len(findings.differing)} requests differ{' unexpectedly' if expected else ''}.")
    by_count = sorted(findings.differences.values(), key=lambda difference: -difference.count)
    for difference in by_count[:shown]:
        print(f"  {difference.count:6} × as of request {difference.request}: {difference.line[:500]}")
    if len(by_count) > shown:
        print(f"  and {len(by_count) - shown} other kinds of differences")


def main() -> int:
    """Compare two checkouts; return 1 if they differ unexpectedly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, metavar="REV|PATH", help="a revision, or the folder of a checkout")
    parser.add_argument("--new", default=str(ROOT), metavar="PATH", help="by default this checkout")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument(
        "--case", type=int, metavar="NUMBER", help="send only this request, and print it and its answers"
    )
    parser.add_argument(
        "--expect", type=Path, metavar="FILE", help="regular expressions of differences that are wanted"
    )
    parser.add_argument("--show", type=int, default=40, help="the number of kinds of differences to print")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    options = parser.parse_args()
    expected = read_expected(options.expect)
    with tempfile.TemporaryDirectory() as parent:
        old = checkout_folder(options.old, Path(parent))
        new = Path(options.new).resolve()
        # Each public name of before must be there still.
        surface = old / "tests" / "public_surface.txt"
        checkouts = [Checkout(folder, surface) for folder in (old, new)]
        began = time.monotonic()
        findings = compare(checkouts, options, expected)
        seconds = time.monotonic() - began
        for checkout in checkouts:
            checkout.close()
        names = names_to_reach(surface.read_text(encoding="utf-8"), options.kinds)
    if options.json:
        print(json.dumps(vars(findings) | {"seconds": seconds}, default=vars, indent=1, ensure_ascii=False))
    else:
        report(findings, names, expected, seconds, options.show)
    return 1 if findings.differing else 0


if __name__ == "__main__":
    sys.exit(main())
