"""Mutation testing finds a known hole of a small package, and reports no change that a test notices."""

import json
import os
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .docs.pages import ROOT, module_of

PROGRAM = ROOT / "benchmarks" / "mutate.py"

#: Tests run the first and the last case of `grade`, and miss that 50 is still a pass; `start` runs at import, `unused` nowhere.
TOY = {
    ".gitignore": "build/\n__pycache__/\n",
    "toy/__init__.py": "",
    "toy/marks/__init__.py": "",
    "toy/marks/grade.py": '"""Marks."""\n\nPASS = 50\n\n\ndef grade(points):\n    return "pass" if points >= PASS else "fail"\n',
    "toy/sums/__init__.py": "",
    "toy/sums/total.py": """
def start():
    return 0
START = start()
def total(numbers):
    return sum(numbers) + START
def unused(a):
    return a < 1
""",
    "tests/test_toy.py": """
import pytest
from toy.marks.grade import grade
from toy.sums.total import total

@pytest.mark.parametrize("points, expected", [(0, "fail"), (100, "pass")])
def test_grade(points, expected):
    assert grade(points) == expected

def test_total():
    assert total([1, 2]) == 3
    assert total([]) == 0
""",
}

#: Functions of all kinds, and what each returns.
FUNCTIONS = """
import functools
def plain(): return 1
def outer(): return (lambda: 1)()
def maker(n): return lambda: n + 1
inner = maker(0)
TABLE = {"a": lambda: 1}
@functools.cache
def cached(): return 1
class Kinds:
    @property
    def property(self): return 1
    @functools.cached_property
    def cached(self): return 1
    @staticmethod
    def static(): return 1
    @classmethod
    def of_class(cls): return len([cls])
def values():
    kinds = Kinds()
    return [plain(), outer(), inner(), TABLE["a"](), cached(), kinds.property, kinds.cached, kinds.static(), kinds.of_class()]
"""


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    return module_of(PROGRAM)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = (a) < b", {"x = (a) <= b"}),
        ("x = a not in b is not c", {"x = a in b is not c", "x = a not in b is c"}),
        ("if a and not(b): c", {"if not (a and not(b)): c", "if a or not(b): c", "if a and (b): c"}),
        ("def f(a: int | None = 2, *, b=True): 'text'", {"def f(a: int | None = 3, *, b=True): 'text'"}
         | {"def f(a: int | None = 2, *, b=False): 'text'"}),
        ("x = f((a), é, key=(b), **c)", {"x = f((é), a, key=(b), **c)", "x = f((a), é, **c)"}),
        ("x = f(a=b, c=d)", {"x = f(c=d)", "x = f(a=b)"}),
        ("f(a)", {"pass"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if not (c)]"}),
        ("x -= -a // ~b", {"x += -a // ~b", "x -= a // ~b", "x -= -a / ~b", "x -= -a // b"}),
        ("def f():\n    return g", {"def f():\n    return None"}),
        ("x = zip(*a, strict=True)", set()),
        ("x = lambda a=1: a < b", {"x = lambda a=1: a <= b"}),
        ("import typing\nif typing.TYPE_CHECKING:\n    x = 1", set()),
    ],
)  # fmt: skip
def test_changes(code: str, expected: set[str], mutate: ModuleType) -> None:
    source = code.encode()
    found = [each for each in mutate.changes_of("x.py", source) if each.is_real(source)]
    assert {each.apply(source).decode() for each in found} == expected


def test_functions_in_memory_get_the_changed_code(tmp_path: Path) -> None:
    path = tmp_path / "functions.py"
    path.write_text(FUNCTIONS, encoding="utf-8")
    values = module_of(path).values
    live_code = module_of(PROGRAM.parent / "mutation" / "live_code.py")
    functions = live_code.functions_of(str(tmp_path))[str(path)]
    changed = FUNCTIONS.replace("1", "2").replace("[cls]", "[cls, 2]")
    assert live_code.replace_code(functions, FUNCTIONS, changed) == 10
    assert values() == [2] * 9
    # A function that uses a variable of the function around it cannot have code without it.
    with pytest.raises(ValueError, match="free vars"):
        live_code.replace_code(functions, changed, changed.replace("n + 2", "2"))


def test_a_sample_has_every_room_and_is_the_same_for_a_seed(mutate: ModuleType) -> None:
    checkout = mutate.Checkout.at(ROOT, "segscores")
    # The shortest file of some length in each room.
    modules = checkout.modules()
    long = sorted((path for path in modules if len(modules[path]) > 1500), key=lambda path: -len(modules[path]))
    paths = {checkout.room_of(path): path for path in long}
    found = mutate.changes(checkout, list(paths.values()), None)
    drawn = mutate.draw(checkout, found, 28, 5)
    assert drawn == mutate.draw(checkout, found, 28, 5) != mutate.draw(checkout, found, 28, 6)
    assert drawn[:8] == mutate.draw(checkout, found, 8, 5)
    rooms = Counter(checkout.room_of(change.path) for change in drawn)
    assert max(rooms.values()) - min(rooms.values()) <= 1
    package = ROOT / "segscores"
    folders = [path.parent for path in (*package.glob("*/__init__.py"), *package.glob("apps/*/__init__.py"))]
    assert set(rooms) == {folder.relative_to(package).as_posix() for folder in folders} | {"segscores"}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    for name, text in TOY.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path / "toy", check=True)
    return tmp_path / "toy"


def run_mutate(toy: Path, *arguments: str) -> tuple[str, Any]:
    command = [sys.executable, PROGRAM, "--checkout", toy, "--package", "toy", "--json", toy.parent / "out.json"]
    done = subprocess.run([*command, *arguments], cwd=toy, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((toy.parent / "out.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the program ends processes in the way of POSIX")
@pytest.mark.skipif(not find_spec("pytest_cov"), reason="needs the extra mutation")
def test_a_hole_is_reported_and_a_noticed_change_is_not(toy: Path) -> None:
    printed, record = run_mutate(toy, "--sample", "99", "--jobs", "2")
    outcomes = {(row["line"], row["diff"][1].strip("+ ")): row["outcome"] for row in record["changes"]}
    assert outcomes == {
        (7, 'return "pass" if points > PASS else "fail"'): "unnoticed",
        (3, "PASS = 51"): "unnoticed",
        (7, 'return "pass" if not (points >= PASS) else "fail"'): "noticed",
        (7, "return None"): "noticed",
        (3, "return None"): "noticed",
        (3, "return 1"): "noticed",
        (6, "return None"): "noticed",
        (6, "return sum(numbers) - START"): "unnoticed",
        (8, "return None"): "no tests",
        (8, "return a <= 1"): "no tests",
        (8, "return a < 2"): "no tests",
    }
    assert record["rooms"]["marks"] == {"changes": 4, "unnoticed": 2, "rate": 0.5}
    assert record["rooms"]["sums"] == {"changes": 7, "unnoticed": 4, "rate": 4 / 7}
    hole = "toy/marks/grade.py:7: comparison (tests: 2)\n"
    assert (
        f'{hole}    -    return "pass" if points >= PASS else "fail"\n    +    return "pass" if points > PASS'
        in printed
    )
    assert "not (points >= PASS)" not in printed
    assert {name: (toy / name).read_text(encoding="utf-8") for name in TOY} == TOY
    printed, record = run_mutate(toy, "--sample", "99", "--jobs", "1", "--near")
    near = {(row["line"], row["diff"][1].strip("+ ")) for row in record["changes"] if row["outcome"] == "unnoticed"}
    assert near == {change for change, outcome in outcomes.items() if outcome in ("unnoticed", "no tests")}
    # With a test of the hole, and of lines since a revision alone.
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["add", "."], ["commit", "-qm", "Begin"]):
        subprocess.run([*git, *command], cwd=toy, check=True)
    test, code = toy / "tests/test_toy.py", toy / "toy/marks/grade.py"
    test.write_text(test.read_text().replace('[(0, "fail")', '[(0, "fail"), (50, "pass")'))
    code.write_text(code.read_text().replace("if points >= PASS", "if points  >= PASS"))
    printed, record = run_mutate(toy, "--since", "HEAD", "--jobs", "1", "--tests", "tests/test_toy.py")
    assert {(row["line"], row["outcome"]) for row in record["changes"]} == {(7, "noticed")}
    assert "grade.py" not in printed
