"""The public surface, a line for each thing that others build on; docs/reference/stability.md says what is promised of it.

`python -m tests.surface` writes it to tests/public_surface.txt. A line that goes or changes breaks somebody's code.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import segscores
from segscores.scoring.measures.registry import GROUPS

from .docs.pages import ROOT, generator

FILE = ROOT / "tests" / "public_surface.txt"
#: The names of the public functions.
FUNCTIONS = [name for name in segscores.__all__ if inspect.isfunction(getattr(segscores, name))]
#: Members that the package alone uses, and that may change.
INNER = {
    "CorpusTally.of", "CorpusTally.of_nothing", "CorpusTally.tally", "ErrorAnalysis.altered", "ErrorAnalysis.check_words",
    "ErrorAnalysis.settled", "ErrorAnalysis.tables", "ErrorAnalysis.vocabulary", "ErrorComparison.outcomes",
    "SystemComparison.result_of_files", "SystemComparison.scored", "SystemComparison.signed", "UtteranceError.at",
    "UtteranceError.but", "UtteranceError.detail", "UtteranceError.in_file", "UtteranceError.message", "result",
}  # fmt: skip
SIDES: tuple[Any, ...] = (["the dog"], ["the dog"])
WORDS: dict[str, Any] = {"text_format": "words"}


def surface() -> str:
    """Return all lines, in sections."""
    sections = {
        "Python": python(),
        "Fields and methods of results": members(),
        "Integrations": integrations(),
        "Scores": scores(),
        "Options of score, with default, flag, and field of signatures": cells("options"),
        "The command": command(),
        "JSON": cells("json_schema", 2),
        "Stored tallies": stored_tally(),
        "Signatures": cells("signature_fields", 1),
    }
    return "\n\n".join("\n".join([f"# {title}", "", *lines]) for title, lines in sections.items()) + "\n"


def python() -> Iterator[str]:
    """Return a line for each parameter of a function and for its result, and for each other name."""
    for name in segscores.__all__:
        value = getattr(segscores, name)
        if inspect.isfunction(value):
            yield from (f"{name}{_written([parameter])}" for parameter in _parameters(value))
            yield f"{name} -> {inspect.signature(value).return_annotation}"
        else:
            yield name


def _parameters(function: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function, without types."""
    parameters = inspect.signature(function).parameters.values()
    return [
        parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters if parameter.name != "self"
    ]


def _written(parameters: list[inspect.Parameter]) -> str:
    """Return parameters as in a call; `*` precedes those that are passed by name."""
    return str(inspect.Signature(parameters))


def members() -> Iterator[str]:
    """Return a line for each field, property and method of a class, with parameters; of an error also its own attributes."""
    for name in segscores.__all__:
        cls = getattr(segscores, name)
        if inspect.isclass(cls):
            for member in sorted(_members(cls)):
                if not {member, f"{name}.{member}"} & INNER:
                    value = getattr(cls, member, None)
                    yield f"{name}.{member}{_written(_parameters(value)) if callable(value) else ''}"


def _members(cls: type) -> set[str]:
    names = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    for base in cls.__mro__:
        if base.__module__.startswith("segscores"):
            names |= {*vars(base), *getattr(base, "__annotations__", {}), *getattr(base, "_fields", ())}
    if issubclass(cls, Exception):
        names |= {parameter.name for parameter in _parameters(cls)}
    return {name for name in names if name == "__call__" or not name.startswith("_")}


def integrations() -> Iterator[str]:
    """Return a line for each public function and method, from the source: their frameworks may be missing."""
    for name in ("inspect_ai", "lm_eval", "torchmetrics"):
        tree = ast.parse((ROOT / "segscores" / "integrations" / f"{name}.py").read_text(encoding="utf-8"))
        for owner in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_")]:
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or node.name[0] != "_"):
                    yield f"{name}: {getattr(owner, 'name', 'module')}.{node.name}({ast.unparse(node.args)})"


def scores() -> Iterator[str]:
    """Return a line for each group and for each result of another function, with its keys."""
    yield from (f"{name}: {' '.join(group.keys)}" for name, group in GROUPS.items())
    others = {
        "score_agreement": segscores.score_agreement(SIDES, **WORDS),
        "score_alignment": segscores.score_alignment([[([0], [0])]], [[([0], [0])]]),
        "score_constituents": segscores.score_constituents(SIDES[0], *SIDES, **WORDS),
        "score_difficulty": segscores.score_difficulty(*SIDES, [[0.5, 1.0]], **WORDS),
        "sweep": segscores.sweep(["the dog"], [[0.0, 0.0, 1.0, 0.0, 0.0]], types=True, thresholds=[0.5], **WORDS),
    }
    yield from (f"{name}: {' '.join(values)}" for name, values in others.items())


def command() -> Iterator[str]:
    """Return a line for each argument of a subcommand."""
    for section in re.split(r"^## ", generator().command_reference(), flags=re.M)[1:]:
        name = section.partition("\n")[0]
        yield name
        yield from (f"{name} {argument}" for argument in re.findall(r"^\| (`.*?`) \| ", section, flags=re.M))


def stored_tally() -> Iterator[str]:
    """Return a line for each key, and for each group with its counts."""
    stored = segscores.tally(*SIDES, **WORDS).to_dict()
    yield f"format {stored['format']}: {' '.join(stored)}"
    yield from (f"{name}: {' '.join(group.columns)}" for name, group in GROUPS.items())


def cells(part: str, first: int = 5) -> Iterator[str]:
    """Return the first cells of each row of a generated part, without the meaning of options."""
    for line in getattr(generator(), part)().splitlines()[2:]:
        row = re.split(r" ?(?<!\\)\| ?", line)[1:]
        yield " | ".join([row[0], *row[2:first]] if first > 2 else row[:first])


if __name__ == "__main__":
    FILE.write_text(surface(), encoding="utf-8")
