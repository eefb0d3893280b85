"""Mutation testing: whether the tests notice a change of the code that computes scores.

    python benchmarks/mutation.py results.jsonl --count 300 --seed 0

A mutant is the package with one place changed: a comparison, an operator, a number, a negated condition, a statement left out.
Mutants are drawn at random from the modules that compute scores (`SUBJECTS`). Each meets up to three tiers of tests: those of its
module, then `COMMON`, then `LAST`. A test that fails, or does not end, kills it. The program prints each survivor: no test can
tell it from the code, or a test is missing. Results are added to the file, which a run continues; delete the lines of survivors
to try them again.

The process imports the libraries once and forks for each mutant. It needs Linux, and the extra `test`.
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
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: The modules that mutants are drawn from.
SUBJECTS = [
    "reading/arrays",
    "scoring/comparison",
    "scoring/edits",
    "scoring/formulas",
    "scoring/lexicon",
    "scoring/mismatch",
    "reading/segmentation",
    "scoring/measures/agreement",
    "scoring/measures/basic",
    "scoring/measures/constituent",
    "scoring/measures/dictionary",
    "scoring/measures/exact",
    "scoring/measures/generalized_hamming",
    "scoring/measures/group",
    "scoring/measures/oov",
    "scoring/measures/rand",
    "scoring/measures/rates",
    "scoring/measures/registry",
    "scoring/measures/similarity",
    "scoring/measures/tolerance",
    "scoring/measures/unit_error",
    "scoring/measures/windows",
    "scoring/measures/word_error",
    "reading/boundary_scores",
    "reading/conllu",
    "reading/inputs",
    "reading/normalization",
    "reading/labels",
    "reading/readers",
    "reading/texts",
    "scoring/corpus_tally",
    "scoring/diagnosis",
    "scoring/plan",
    "scoring/streams",
    "scoring/tally",
    "reading/doubts",
    "scoring/skipping",
    "scoring/utterance_tally",
    "reading/sources/files",
    "scoring/map_pieces",
    "scoring/piece",
    "scoring/piece_errors",
    "scoring/observations",
    "reading/sources/memory",
    "scoring/passes",
    "reading/sources/source",
    "scoring/tallies",
    "analysis/statistics/clusters",
    "analysis/statistics/correlation",
    "analysis/statistics/halves",
    "analysis/statistics/jackknife",
    "analysis/statistics/randomisation",
    "analysis/statistics/resampling",
    "analysis/statistics/significance",
    "analysis/statistics/utterance_scores",
]
#: The tests of a module, relative to tests/, where they are not those of its name.
TESTS = {
    "reading/arrays": ["scoring/measures/test_windows.py", "reading/test_readers.py"],
    "scoring/comparison": ["scoring/test_comparison.py", "scoring/test_tally.py", "test_published_numbers.py"],
    "scoring/mismatch": ["scoring/test_aligned.py"],
    "scoring/edits": ["scoring/test_aligned.py"],
    "scoring/formulas": ["scoring/test_formulas.py", "test_published_numbers.py"],
    "reading/segmentation": ["reading/test_segmentation.py", "scoring/test_comparison.py", "reading/test_readers.py"],
    "scoring/measures/basic": ["scoring/test_tally.py", "scoring/measures/test_registry.py"],
    "scoring/measures/group": ["scoring/measures/test_registry.py"],
    "scoring/measures/registry": ["scoring/measures/test_registry.py"],
    "scoring/measures/exact": ["scoring/measures/test_invariance.py"],
    "scoring/measures/generalized_hamming": ["scoring/measures/test_windows.py"],
    "scoring/measures/unit_error": ["scoring/test_aligned.py"],
    "reading/boundary_scores": ["analysis/test_thresholds.py"],
    "reading/inputs": ["reading/test_inputs.py", "reading/test_readers.py"],
    "reading/labels": ["reading/test_readers.py", "reading/test_inputs.py", "scoring/test_plan.py"],
    "reading/readers": ["reading/test_readers.py", "reading/test_inputs.py", "scoring/test_forms.py"],
    "scoring/plan": ["scoring/test_plan.py", "scoring/test_tally.py"],
    "scoring/tally": ["scoring/test_plan.py", "scoring/test_tally.py"],
    "scoring/streams": ["scoring/test_map_pieces.py", "reading/sources/test_table.py"],
    "scoring/diagnosis": ["scoring/test_comparison.py", "test_bad_inputs.py"],
    "reading/doubts": ["scoring/test_forms.py", "reading/test_readers.py"],
    "scoring/utterance_tally": ["scoring/test_utterance_tally.py", "analysis/statistics/test_utterance_scores.py"],
    "reading/sources/files": [
        "reading/sources/test_paths.py",
        "reading/sources/test_opening.py",
        "scoring/test_map_pieces.py",
    ],
    **{
        module: ["scoring/test_map_pieces.py", "reading/sources/test_paths.py"]
        for module in ("scoring/piece", "scoring/piece_errors", "scoring/observations")
    },
    "scoring/map_pieces": [
        "scoring/test_map_pieces.py",
        "reading/sources/test_paths.py",
        "reading/sources/test_sides.py",
    ],
    "reading/sources/memory": ["scoring/test_map_pieces.py", "reading/sources/test_table.py"],
    "reading/sources/source": [
        "scoring/test_map_pieces.py",
        "reading/sources/test_table.py",
        "reading/sources/test_paths.py",
    ],
    "scoring/passes": ["scoring/test_map_pieces.py", "reading/sources/test_table.py"],
    "analysis/statistics/halves": ["apps/command/test_halves.py"],
    "scoring/tallies": ["reading/sources/test_table.py", "scoring/test_corpus_tally.py", "test_warnings.py"],
    "analysis/statistics/randomisation": [
        "analysis/statistics/test_randomisation.py",
        "analysis/statistics/test_significance.py",
    ],
    "analysis/statistics/jackknife": [
        "analysis/statistics/test_jackknife.py",
        "analysis/statistics/test_system_comparison.py",
    ],
    "analysis/statistics/significance": [
        "analysis/statistics/test_significance.py",
        "analysis/statistics/test_system_comparison.py",
    ],
    "analysis/statistics/resampling": [
        "analysis/statistics/test_resampling.py",
        "analysis/statistics/test_system_comparison.py",
    ],
}
#: Tried on every mutant that its module's own tests leave alive.
COMMON = [
    "test_bad_inputs.py",
    "scoring/measures/test_invariance.py",
    "scoring/measures/test_registry.py",
    "test_official_scores.py",
]
#: Tried on the few that are alive then: the tests of what reads these modules.
LAST = [
    *("reading", "scoring", "analysis/statistics", "integrations/metric/test_metrics.py"),
    *("analysis/test_thresholds.py", "analysis/test_error_analysis.py"),
]
#: Libraries that the tests import: once, before the first fork.
PRELOADED = [
    "pytest", "hypothesis", "numpy", "pyarrow", "pyarrow.compute", "pyarrow.dataset", "pandas", "datasets", "evaluate",
    "scipy.stats", "scipy.sparse.csgraph", "sklearn.metrics", "nltk.metrics", "segeval", "mir_eval", "jinja2", "tqdm",
]  # fmt: skip
#: A mutant that allocates without end fails.
MOST_MEMORY = 8 << 30

# Numbers by which a step is divided into parts, or chosen among steps with the same result, by their names.
_SIZE_OF_WORK = re.compile(r"^_?[A-Z_]*(AT_ONCE|BATCH|SHORT|FEW|WORTH|LOOK|PIECE_BYTES|SHOWN)[A-Z_]*$")
# Arguments that save time or memory, protect an object, or say what always holds.
_NO_RESULT = {"copy", "frozen", "maxsize", "repr", "slots", "strict", "zero_copy_only"}

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
    """A module with one change; `difference` has the lines that differ."""

    module: str
    line: int
    kind: str
    source: str
    difference: str


def changed_nodes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a node could be instead, with the kind of the change."""
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
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)) and not any(map(_is_size_of_work, ast.walk(node.test))):
        other = deepcopy(node)
        other.test = ast.UnaryOp(ast.Not(), other.test)
        yield "condition", other
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "return", ast.Return(ast.Constant(None))
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(node, ast.AugAssign):
        yield "statement", ast.Pass()


def _holds_no_scores(node: ast.AST, parent: ast.AST) -> bool:
    """Tell whether a node cannot change a result.

    Such are annotations, code for type checkers, names that are exported, assertions, the words of messages, arguments that
    save time or memory, and sizes of work together with the comparisons that read them.
    """
    if isinstance(node, (ast.Assert, ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(parent, (ast.AnnAssign, ast.arg)) and node is parent.annotation:
        return True
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and node is parent.returns:
        return True
    if isinstance(node, ast.keyword) and node.arg in _NO_RESULT:
        return True
    if isinstance(node, ast.Compare) and any(map(_is_size_of_work, ast.walk(node))):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        return all(_is_size_of_work(name) or (isinstance(name, ast.Name) and name.id == "__all__") for name in names)
    return False


def _is_size_of_work(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and _SIZE_OF_WORK.match(node.id) is not None


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Yield every node that may change, as its parent, the parent's field, and the index in it."""
    for field, value in ast.iter_fields(tree):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not _holds_no_scores(child, tree):
                yield tree, field, index
                yield from _places(child)


def path_of(module: str) -> Path:
    """The file of a module."""
    return Path("segscores", f"{module}.py")


@cache
def mutants_of(module: str) -> tuple[Mutant, ...]:
    """Every mutant of a module."""
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    before = ast.unparse(tree).splitlines()
    found = []
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
                found.append(Mutant(module, getattr(node, "lineno", 0), kind, source, difference))
    return tuple(found)


class _Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import one module from another source."""

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


def outcome(mutant: Mutant, tests: Sequence[str], seconds: float) -> str:
    """Run tests in a child process: `"passed"`, `"failed"`, or `"endless"` if they take longer than that."""
    # A child of a process with threads may wait forever for a lock that another thread held.
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a library has started a thread: import it later, or limit its threads")
    child = os.fork()
    if not child:
        os.setsid()
        status = 1
        try:
            status = _run(mutant, tests)
        finally:
            os._exit(status != 0)
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "failed" if status else "passed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "endless"


def _run(mutant: Mutant, tests: Sequence[str]) -> int:
    """Run tests with a mutant in this process."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    name = "segscores." + mutant.module.replace("/", ".")
    sys.meta_path.insert(0, _Replaced(name, mutant.source, path_of(mutant.module).resolve()))
    sys.dont_write_bytecode = True
    import pytest

    options = ["-x", "-q", "-n0", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    return int(pytest.main([*options, *(f"tests/{test}" for test in tests)]))


def tiers_of(module: str) -> dict[str, tuple[list[str], int]]:
    """The tests of each tier, and how many times the limit of the first tier they may take."""
    examples = f"test_doctests.py::test_the_examples_of_the_docstrings_hold[segscores.{module.replace('/', '.')}]"
    folder, _, name = module.rpartition("/")
    own = [f"{folder}/test_{name}.py"]
    return {"own": ([examples, *TESTS.get(module, own)], 1), "common": (COMMON, 4), "last": (LAST, 10)}


class Results:
    """What is known of each mutant, in a file of JSON lines. A later line for a tier replaces an earlier one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcomes: dict[tuple[str, str], dict[str, str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            row = json.loads(line)
            self._outcomes.setdefault((row["module"], row["difference"]), {})[row["tier"]] = row["outcome"]

    def of(self, mutant: Mutant) -> dict[str, str]:
        """The outcome of each tier that was tried."""
        return self._outcomes.setdefault((mutant.module, mutant.difference), {})

    def add(self, mutant: Mutant, tier: str, found: str, seconds: float) -> None:
        """Add an outcome to the file."""
        self.of(mutant)[tier] = found
        row = {"module": mutant.module, "line": mutant.line, "kind": mutant.kind, "tier": tier, "outcome": found}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"seconds": round(seconds, 1), "difference": mutant.difference}) + "\n")

    def is_killed(self, mutant: Mutant) -> bool:
        """Whether a tier failed, or did not end."""
        return not {"failed", "endless"}.isdisjoint(self.of(mutant).values())


def draw(count: int, seed: int, only: str | None = None) -> list[Mutant]:
    """So many mutants of all modules, or of one, without repetition."""
    modules = [module for module in SUBJECTS if only in (None, module)]
    every = {(mutant.module, mutant.difference): mutant for module in modules for mutant in mutants_of(module)}
    print(f"{len(every)} mutants of {len(modules)} modules", flush=True)
    return random.Random(seed).sample(list(every.values()), min(count, len(every)))


def try_tier(tier: str, mutants: Sequence[Mutant], results: Results, seconds: float) -> None:
    """Try a tier on those mutants that are alive and that it was not tried on."""
    checked: set[tuple[str, ...]] = set()
    for number, mutant in enumerate(mutants, 1):
        if results.is_killed(mutant) or tier in results.of(mutant):
            continue
        tests, times = tiers_of(mutant.module)[tier]
        if tuple(tests) not in checked:
            source = path_of(mutant.module).read_text(encoding="utf-8")
            if outcome(Mutant(mutant.module, 0, "none", source, ""), tests, 10 * times * seconds) != "passed":
                raise SystemExit(f"without a mutant, these tests fail: {' '.join(tests)}")
            checked.add(tuple(tests))
        start = time.monotonic()
        found = outcome(mutant, tests, times * seconds)
        results.add(mutant, tier, found, time.monotonic() - start)
        alive = "  alive" if found == "passed" else ""
        print(
            f"{tier} {number}/{len(mutants)} segscores/{mutant.module}.py, line {mutant.line}: {found}{alive}",
            flush=True,
        )


def main() -> None:
    """Draw mutants, try the tests on them, and print how many they kill and what survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="a file to which results are added, and from which a run continues")
    parser.add_argument("--count", type=int, default=300, help="mutants that are drawn (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default: %(default)s)")
    parser.add_argument(
        "--only", choices=SUBJECTS, metavar="MODULE", help="draw from one module, such as kernel/formulas"
    )
    parser.add_argument(
        "--seconds", type=float, default=120, help="for the first tier of a mutant (default: %(default)s)"
    )
    arguments = parser.parse_args()

    # One thread, so that it is safe to fork; and as in the tests, before anything imports evaluate.
    os.environ |= {"CI": "", "HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
    results = Results(arguments.results.resolve())
    os.chdir(Path(__file__).resolve().parents[1])
    sys.path.insert(0, os.getcwd())
    mutants = draw(arguments.count, arguments.seed, arguments.only)
    for name in PRELOADED:
        importlib.import_module(name)
    for tier in ("own", "common", "last"):
        try_tier(tier, mutants, results, arguments.seconds)
    alive = [mutant for mutant in mutants if not results.is_killed(mutant)]
    for mutant in alive:
        print(f"\nsurvives: segscores/{mutant.module}.py, line {mutant.line}, {mutant.kind}\n{mutant.difference}")
    killed = len(mutants) - len(alive)
    print(f"\n{killed} of {len(mutants)} killed: {killed / max(len(mutants), 1):.1%}")


if __name__ == "__main__":
    main()
