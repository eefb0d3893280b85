"""Changes of Python code, one thing each: what `mutate.py` tries.

Conventions
-----------
- A change replaces some bytes of a file. All else stays as it is written, so that a change shows as a difference of few lines.
- Kinds: `comparison` (`<` for `<=`, `in` for `not in`), `branch` (a condition negated), `constant` and `default` (a number
  plus one, `True` for `False`), `argument` (a keyword left out, two positions exchanged), `call` (a statement that is a call,
  deleted), `operator` (`and` for `or`, `+` for `-`, a sign left out) and `return` (None in place of the value).
- Annotations, docstrings, strings, `strict=True` and what is for type checkers alone stay as they are: strings are mostly
  messages.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

#: By the class of a node, how its operator is written, and the operator that takes its place.
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Not: ("not", ""),
    ast.USub: ("-", ""),
    ast.Invert: ("~", ""),
}


@dataclass(frozen=True)
class Place:
    """Where code is: which lines run if it runs, and how to find what uses it if it runs at import."""

    lines: range  #: from 1; of a default, the lines of its function
    names: tuple[str, ...] = ()  #: the names that code outside functions gives a value
    in_function: bool = False
    is_default: bool = False


@dataclass(frozen=True)
class Change:
    """A change of one thing."""

    path: str  #: from the folder of the checkout
    line: int  #: from 1
    kind: str
    start: int  #: `start`, `end`: the bytes that are replaced
    end: int
    text: str  #: what takes their place
    place: Place

    def apply(self, source: bytes) -> bytes:
        """Return the changed file."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def diff(self, source: bytes) -> list[str]:
        """Return the lines that differ, each with its sign: `-x = a < 1` and `+x = a <= 1`."""
        sides = (text.decode().splitlines() for text in (source, self.apply(source)))
        # Without the names of the files and the numbers of the lines.
        return [line for line in difflib.unified_diff(*sides, n=0, lineterm="") if line[:2] not in ("--", "++", "@@")]

    def is_real(self, source: bytes) -> bool:
        """Return whether the changed file is another program."""
        try:
            changed = ast.parse(self.apply(source))
        except SyntaxError:
            return False
        return ast.dump(changed) != ast.dump(ast.parse(source))


def changes_of(path: str, source: bytes) -> list[Change]:
    """Return all changes of a file, in the order of its lines. Some may be none: see `Change.is_real`.

    >>> [(each.kind, each.diff(b"x = a < 1")[1]) for each in changes_of("x.py", b"x = a < 1")]
    [('comparison', '+x = a <= 1'), ('constant', '+x = a < 2')]
    """
    text = _Text(source)
    found = []
    for node, place in _running(ast.parse(source), Place(range(0))):
        for kind, start, end, replacement in _RULES.get(type(node), _no_edits)(node, text):
            kind_here = "default" if kind == "constant" and place.is_default else kind
            found.append(Change(path, text.line_of(start), kind_here, start, end, replacement, place))
    return sorted(found, key=lambda change: (change.start, change.end, change.text))


class _Text:
    """A file, in which nodes have places in bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.line_starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the first byte of a node, and the one after its last."""
        start = self.line_starts[node.lineno - 1] + node.col_offset
        return start, self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, left: ast.AST, right: ast.AST) -> tuple[int, int]:
        """Return the bytes between two nodes, from the end of one to the beginning of the other."""
        _, end_of_left = self.span(left)
        start_of_right, _ = self.span(right)
        return end_of_left, start_of_right

    def __getitem__(self, span: tuple[int, int]) -> str:
        """Return the text of some bytes."""
        return self.source[slice(*span)].decode()

    def line_of(self, byte: int) -> int:
        """Return the number of the line of a byte, from 1."""
        return self.source.count(b"\n", 0, byte) + 1


def _running(node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Place]]:
    """Yield the nodes that run within a node, which is at a place, each with its own place."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        body = range(node.body[0].lineno, node.end_lineno + 1)
        # None stands for an argument without a default.
        defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]
        for default in defaults:
            yield from _running(default, Place(body, (node.name,), place.in_function, is_default=True))
        for child in node.body:
            yield from _running(child, Place(body, (), in_function=True))
        return
    if isinstance(node, ast.Lambda):
        lines = range(node.lineno, node.end_lineno + 1)
        yield from _running(node.body, Place(lines, in_function=True))
        return
    if isinstance(node, ast.JoinedStr) or _is_for_type_checkers(node) or _is_strict(node):
        return  # before Python 3.12, nodes within f-strings have no places of their own
    if isinstance(node, ast.stmt):
        place = _place_of(node, place)
    yield node, place
    # Annotations and decorators stay as they are.
    skipped = {id(getattr(node, "annotation", None)), *map(id, getattr(node, "decorator_list", ()))}
    for child in ast.iter_child_nodes(node):
        if id(child) not in skipped:
            yield from _running(child, place)


def _is_strict(node: ast.AST) -> bool:
    """Return whether a node is the `strict=True` of `zip`, which guards against what no input can cause."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _place_of(statement: ast.stmt, around: Place) -> Place:
    """Return the place of a statement, or of the head of one that holds others: of an `if`, the lines of its condition.

    `around` is the place of what holds the statement.
    """
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    first_within = body[0] if body else None
    if isinstance(first_within, ast.match_case):
        # A case has no line of its own; its pattern has one.
        first_within = first_within.pattern
    stop = statement.end_lineno + 1 if first_within is None else first_within.lineno
    # The body may be on the line of the head: `if a: b`.
    lines = range(statement.lineno, max(stop, statement.lineno + 1))
    if around.in_function:
        return Place(lines, in_function=True)
    # `a = b = 1` has several targets, `a: int = 1` one, and other statements none.
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    names = [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]
    return Place(lines, tuple(names) or around.names)


#: The kind of each change, the first byte that it replaces, the one after the last, and what takes their place.
_Edits = Iterator[tuple[str, int, int, str]]


def _no_edits(_node: ast.AST, _text: _Text) -> _Edits:
    return iter(())


def _exchange(text: _Text, kind: str, span: tuple[int, int], symbols: tuple[str, str] | None) -> _Edits:
    """Yield the change of an operator within a span, the text between its operands, which may have brackets too.

    `symbols` are the operator and the one that takes its place; None for an operator that stays.
    """
    if symbols:
        old, new = symbols
        # There may be several spaces, or a new line, in `not in`.
        pattern = r"\s+".join(map(re.escape, old.split()))
        yield (kind, *span, re.sub(pattern, new, text[span], count=1))


def _compare(node: ast.Compare, text: _Text) -> _Edits:
    """Yield a change for each comparison of a chain, such as the two of `0 <= a < 1`."""
    for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
        yield from _exchange(text, "comparison", text.between(left, right), _COMPARISONS[type(operator)])


def _binary(node: ast.BinOp, text: _Text) -> _Edits:
    yield from _exchange(text, "operator", text.between(node.left, node.right), _OPERATORS.get(type(node.op)))


def _augmented(node: ast.AugAssign, text: _Text) -> _Edits:
    yield from _exchange(text, "operator", text.between(node.target, node.value), _OPERATORS.get(type(node.op)))


def _boolean(node: ast.BoolOp, text: _Text) -> _Edits:
    for left, right in pairwise(node.values):
        yield from _exchange(text, "operator", text.between(left, right), _OPERATORS[type(node.op)])


def _unary(node: ast.UnaryOp, text: _Text) -> _Edits:
    start, _ = text.span(node)
    start_of_operand, _ = text.span(node.operand)
    yield from _exchange(text, "operator", (start, start_of_operand), _OPERATORS.get(type(node.op)))


def _branch(node: ast.If | ast.While | ast.IfExp, text: _Text) -> _Edits:
    span = text.span(node.test)
    yield ("branch", *span, f"not ({text[span]})")


def _filter(node: ast.comprehension, text: _Text) -> _Edits:
    for condition in node.ifs:
        span = text.span(condition)
        yield ("branch", *span, f"not ({text[span]})")


def _constant(node: ast.Constant, text: _Text) -> _Edits:
    if isinstance(node.value, bool):
        yield ("constant", *text.span(node), str(not node.value))
    elif isinstance(node.value, int | float):
        yield ("constant", *text.span(node), str(node.value + 1))


def _call(node: ast.Call, text: _Text) -> _Edits:
    """Yield the exchange of each two neighbouring positions, and the call without each of its keywords."""
    for left, right in pairwise(node.args):
        if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
            swapped = text[text.span(right)] + text[text.between(left, right)] + text[text.span(left)]
            start, _ = text.span(left)
            _, end = text.span(right)
            yield "argument", start, end, swapped
    # Each keyword goes with a comma: the one before it, or the one after it if it is the first argument.
    arguments = sorted(chain(node.args, node.keywords), key=text.span)
    for before, keyword in zip([None, *arguments], arguments, strict=False):
        if isinstance(keyword, ast.keyword) and keyword.arg is not None and not _is_strict(keyword):
            start, end = text.span(keyword)
            if before is not None:
                gap_start, gap_end = text.between(before, keyword)
                start = gap_start + text.source[gap_start:gap_end].rindex(b",")
            elif comma := re.compile(rb"\s*,\s*").match(text.source, end):
                end = comma.end()
            yield "argument", start, end, ""


def _statement(node: ast.Expr, text: _Text) -> _Edits:
    if isinstance(node.value, ast.Call):
        yield ("call", *text.span(node), "pass")


def _return(node: ast.Return, text: _Text) -> _Edits:
    if node.value is not None and ast.unparse(node.value) != "None":
        yield ("return", *text.span(node), "return None")


_RULES: dict[type[ast.AST], Callable[..., _Edits]] = {
    ast.Compare: _compare,
    ast.BinOp: _binary,
    ast.AugAssign: _augmented,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.If: _branch,
    ast.While: _branch,
    ast.IfExp: _branch,
    ast.comprehension: _filter,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.Expr: _statement,
    ast.Return: _return,
}
