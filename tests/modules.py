"""The modules of the package, for the tests that read their code."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "segscores"
#: By its name, the path of each module.
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}


@cache
def nodes_of(module: str) -> list[ast.AST]:
    """The parts of the code of a module."""
    return [*ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8")))]
