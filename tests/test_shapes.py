"""Shapes of code that a reader has to read twice: none in the package, except conditional expressions, which are few."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from .modules import MODULES, nodes_of

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: What to write instead.
REMEDIES = {
    "conditional in conditional": "write an if statement",
    "several assignments": "write a line for each value",
    "comprehension of two loops": "write a loop, or name the condition in a function",
    "condition of four terms": "name the terms",
}


def is_several_assignments(node: ast.AST) -> bool:
    """Return whether a statement binds several names to values of their own, and is no exchange of names."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
        return False
    target = node.targets[0]
    if not isinstance(target, ast.Tuple):
        return False
    names, values = ({ast.unparse(each) for each in side.elts} for side in (target, node.value))
    return names != values


def is_of_two_loops(node: ast.AST) -> bool:
    if not isinstance(node, COMPREHENSIONS):
        return False
    tests = [test for loop in node.generators for test in loop.ifs]
    return len(node.generators) > 1 or len(tests) > 1 or any(isinstance(test, ast.BoolOp) for test in tests)


def has_four_terms(node: ast.AST) -> bool:
    if not isinstance(node, ast.BoolOp):
        return False
    return sum(len(value.values) if isinstance(value, ast.BoolOp) else 1 for value in node.values) > 3


def is_conditional_in_conditional(node: ast.AST) -> bool:
    if not isinstance(node, ast.IfExp):
        return False
    return sum(isinstance(each, ast.IfExp) for each in ast.walk(node)) > 1


SHAPES = {
    "conditional in conditional": is_conditional_in_conditional,
    "several assignments": is_several_assignments,
    "comprehension of two loops": is_of_two_loops,
    "condition of four terms": has_four_terms,
}


def shapes_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The shapes of code, and the line of each."""
    for node in nodes:
        for name, has_shape in SHAPES.items():
            if has_shape(node):
                yield name, node.lineno


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("a if b else c if d else e", "conditional in conditional"),
        ("f(a if b else c) if d else e", "conditional in conditional"),
        ("a, b = c, d", "several assignments"),
        ("self.a, self.b = 0, []", "several assignments"),
        ("[x for y in z for x in y]", "comprehension of two loops"),
        ("{x for x in y if x and z}", "comprehension of two loops"),
        ("any(x for x in y if x if z)", "comprehension of two loops"),
        ("a or b or c or d", "condition of four terms"),
        ("(a and b) or (c and d)", "condition of four terms"),
    ],
)
def test_a_dense_shape_is_found(code: str, shape: str) -> None:
    assert list(shapes_of(ast.walk(ast.parse(code)))) == [(shape, 1)]


@pytest.mark.parametrize(
    "code", ["a if b else c", "a, b = b, a", "a, b = f()", "[x for x in y if x > z]", "a and b and c", "a = b, c"]
)
def test_plain_code_is_no_shape(code: str) -> None:
    assert list(shapes_of(ast.walk(ast.parse(code)))) == []


def test_no_module_has_a_dense_shape() -> None:
    found = []
    for module, path in MODULES.items():
        found += [f"{path}:{line}: {name}: {REMEDIES[name]}" for name, line in shapes_of(nodes_of(module))]
    assert found == []


def test_conditional_expressions_are_few() -> None:
    """At most 12 in 1,000 lines; sacreBLEU has 5.1 and jiwer 1.2."""
    found: Counter[str] = Counter()
    lines = 0
    for module, path in MODULES.items():
        lines += path.read_text(encoding="utf-8").count("\n")
        found[module] += sum(isinstance(node, ast.IfExp) for node in nodes_of(module))
    assert found.total() <= 0.012 * lines, found.most_common(10)
