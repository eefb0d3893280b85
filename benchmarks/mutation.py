"""Mutation testing: whether the tests detect changes of the code that computes scores.

    python benchmarks/mutation.py --count 300 --seed 0

A mutant is the package with one place changed: another comparison or operator, a number one greater, a condition negated, a
statement left out. The places are drawn at random, the same for a seed, from the modules that compute scores (`SUBJECTS`). Each
mutant is tried on the tests of its module, quick ones first; it is killed if one fails, or if they do not end. What survives is
printed as a difference: it is equivalent, or a test is missing.

The process imports the libraries once and forks for each mutant, so that a mutant takes little more than its tests. It needs a
system that forks, and the extra `test`.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: What is drawn from, relative to the package, and the tests that are tried first, relative to tests/.
SUBJECTS = {
    "kernel/comparison": ["kernel/test_comparison.py", "scoring/test_tally.py", "test_published_numbers.py"],
    "kernel/formulas": ["kernel/test_formulas.py", "test_published_numbers.py"],
    "kernel/lexicon": ["kernel/test_lexicon.py"],
    "kernel/edits": ["kernel/test_mismatch.py"],
    "kernel/mismatch": ["kernel/test_mismatch.py"],
    "reading/readers": ["reading/test_readers.py", "reading/test_inputs.py"],
    "scoring/tally": ["scoring/test_tally.py", "scoring/test_pipeline.py"],
    "scoring/utterance_tally": ["scoring/test_utterance_tally.py", "statistics/test_utterance_scores.py"],
    "scoring/corpus_tally": ["scoring/test_corpus_tally.py"],
    "statistics/resampling": ["statistics/test_resampling.py", "statistics/test_utterance_scores.py"],
    "measures/agreement": ["measures/test_agreement.py"],
    "measures/basic": ["scoring/test_tally.py", "measures/test_registry.py"],
    "measures/constituent": ["measures/test_constituent.py"],
    "measures/dictionary": ["measures/test_dictionary.py"],
    "measures/exact": ["measures/test_exact.py"],
    "measures/generalized_hamming": ["measures/test_windows.py"],
    "measures/oov": ["measures/test_oov.py"],
    "measures/rand": ["measures/test_rand.py"],
    "measures/rates": ["measures/test_rates.py"],
    "measures/runs": ["measures/test_tolerance.py", "measures/test_windows.py"],
    "measures/similarity": ["measures/test_similarity.py"],
    "measures/tolerance": ["measures/test_tolerance.py"],
    "measures/unit_error": ["kernel/test_mismatch.py"],
    "measures/windows": ["measures/test_windows.py"],
    "measures/word_error": ["measures/test_word_error.py"],
}
#: Tried on every mutant that its module's own tests leave alive.
COMMON = ["measures/test_invariance.py", "measures/test_registry.py", "test_official_scores.py"]
#: Tried on the few that are alive then: the tests of what reads these modules.
LAST = [
    "kernel",
    "reading",
    "scoring",
    "test_bad_inputs.py",
    "statistics",
    "corpora/test_opening.py",
    "metric/test_metrics.py",
]
#: Libraries that the tests import: once, before the first fork.
PRELOADED = (
    *(
        "pytest",
        "hypothesis",
        "numpy",
        "pyarrow",
        "pyarrow.compute",
        "pyarrow.dataset",
        "pandas",
        "datasets",
        "evaluate",
    ),
    *(
        "scipy.stats",
        "scipy.sparse.csgraph",
        "sklearn.metrics",
        "nltk.metrics",
        "segeval",
        "mir_eval",
        "jinja2",
        "tqdm",
    ),
)

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one module.

    Attributes:
        module: as in SUBJECTS.
        line: where it is.
        kind: what was changed.
        source: the module with the change.
        difference: the lines that differ.
    """

    module: str
    line: int
    kind: str
    source: str
    difference: str


def changed_nodes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node could be instead, with the kind of the change."""
    if isinstance(node, ast.Compare):
        for place, sign in enumerate(node.ops):
            if type(sign) in _COMPARISONS:
                other = deepcopy(node)
                other.ops[place] = _COMPARISONS[type(sign)]()
                yield "comparison", other
    elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in _OPERATORS:
        other = deepcopy(node)
        other.op = _OPERATORS[type(node.op)]()
        yield "operator", other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not, ast.Invert)):
        yield "sign", deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "constant", ast.Constant(node.value + 1)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        other = deepcopy(node)
        other.test = ast.UnaryOp(ast.Not(), other.test)
        yield "condition", other
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return", ast.Return(ast.Constant(None))
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(node, ast.AugAssign):
        yield "statement", ast.Pass()


def _holds_no_scores(node: ast.AST, parent: ast.AST) -> bool:
    """Annotations, what is only for type checkers, names that are exported, and the words of messages."""
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(parent, (ast.AnnAssign, ast.arg)) and node is parent.annotation:
        return True
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is parent.returns:
        return True
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every node that may change, as its parent, the parent's field, and its index in it."""
    for field, value in ast.iter_fields(tree):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not _holds_no_scores(child, tree):
                yield tree, field, index
                yield from _places(child)


def mutants_of(module: str) -> Iterator[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse((ROOT / "segscores" / f"{module}.py").read_text(encoding="utf-8"))
    before = ast.unparse(tree).splitlines()
    for parent, field, index in _places(tree):
        held = getattr(parent, field)
        node = held if index is None else held[index]
        for kind, other in changed_nodes(node):
            if index is None:
                setattr(parent, field, other)
            else:
                held[index] = other
            source = ast.unparse(ast.fix_missing_locations(tree))
            if index is None:
                setattr(parent, field, node)
            else:
                held[index] = node
            lines = difflib.unified_diff(before, source.splitlines(), lineterm="", n=0)
            difference = "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))
            if difference:
                yield Mutant(module, getattr(node, "lineno", 0), kind, source, difference)


class _Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another source."""

    def __init__(self, name: str, source: str, path: Path) -> None:
        self._name, self._source, self._path = name, source, path

    def find_spec(self, name: str, *_: Any) -> Any:
        if name != self._name:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self._path))

    def create_module(self, spec: Any) -> None:
        """As usual."""

    def exec_module(self, module: Any) -> None:
        exec(compile(self._source, str(self._path), "exec"), module.__dict__)


def survives(mutant: Mutant, tests: Sequence[str], seconds: float) -> bool:
    """Whether a mutant passes the tests in a process of its own, which has so long for them."""
    child = os.fork()
    if not child:
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        path = ROOT / "segscores" / f"{mutant.module}.py"
        name = "segscores." + mutant.module.replace("/", ".")
        sys.meta_path.insert(0, _Replaced(name, mutant.source, path))
        sys.dont_write_bytecode = True
        status = 1
        try:
            import pytest

            paths = [str(ROOT / "tests" / test) for test in tests]
            status = int(
                pytest.main(
                    ["-x", "-q", "-n0", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:faulthandler", *paths]
                )
            )
        finally:
            os._exit(status != 0)
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main() -> None:
    """Draw mutants, try the tests on them, and print how many they kill and what survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="mutants that are drawn (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: %(default)s)")
    parser.add_argument(
        "--slice", default="0/1", metavar="PLACE/STEP", help="every STEP-th of them only, from PLACE on"
    )
    parser.add_argument("--only", help="a module of SUBJECTS")
    parser.add_argument("--seconds", type=float, default=120, help="for the tests of a mutant (default: %(default)s)")
    parser.add_argument("--write", type=Path, help="a file to which each result is added as a line of JSON")
    arguments = parser.parse_args()

    os.environ["CI"] = ""
    os.chdir(ROOT)
    for name in PRELOADED:
        importlib.import_module(name)
    every = [mutant for module in SUBJECTS for mutant in mutants_of(module) if arguments.only in (None, module)]
    random.Random(arguments.seed).shuffle(every)
    place, step = map(int, arguments.slice.split("/"))
    drawn = every[: arguments.count][place::step]
    print(f"{len(every)} mutants of {len(SUBJECTS)} modules; {len(drawn)} are tried", flush=True)
    whole = [Mutant(module, 0, "none", (ROOT / "segscores" / f"{module}.py").read_text(), "") for module in SUBJECTS]
    for same in [one for one in whole if any(mutant.module == one.module for mutant in drawn)]:
        if not survives(same, SUBJECTS[same.module], 10 * arguments.seconds):
            raise SystemExit(f"the tests of {same.module} fail without a mutant")
    alive = 0
    for number, mutant in enumerate(drawn, 1):
        lives = survives(mutant, SUBJECTS[mutant.module], arguments.seconds)
        lives = lives and survives(mutant, COMMON, 4 * arguments.seconds)
        lives = lives and survives(mutant, LAST, 20 * arguments.seconds)
        alive += lives
        if arguments.write:
            with arguments.write.open("a", encoding="utf-8") as file:
                row = {"module": mutant.module, "line": mutant.line, "kind": mutant.kind, "lives": lives}
                file.write(json.dumps({**row, "difference": mutant.difference}) + "\n")
        if lives:
            print(
                f"\nsurvives: segscores/{mutant.module}.py, line {mutant.line}, {mutant.kind}\n{mutant.difference}",
                flush=True,
            )
        elif not number % 20:
            print(f"{number - alive} of {number} killed", flush=True)
    print(f"\n{len(drawn) - alive} of {len(drawn)} killed: {(len(drawn) - alive) / max(len(drawn), 1):.1%}")


if __name__ == "__main__":
    main()
