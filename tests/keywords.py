"""The modules that tell type checkers what the table of options says: `python -m tests.keywords` writes them."""

from collections.abc import Iterator
from pathlib import Path

from segscores.options.table import OPTION_SETS, options_of_set

FOLDER = Path(__file__).resolve().parent.parent / "segscores" / "options"
COMMAND = "python -m tests.keywords"
NOTE = f"""`{COMMAND}` writes this module from `table`; `tests/options/test_keywords.py` compares the two."""
KEYWORDS = f'''"""The keyword arguments of functions, for type checkers and editors: the option sets of `table` as classes.

`**options: Unpack[ScoringOptions]` makes a misspelt option an error of the type checker.

{NOTE}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414 - mypy reads this as exported
else:
    Unpack = None  # annotations are text in this package; Python 3.10 has no such name
'''
VALUES = f'''"""Checked values of options that stay together: option sets of `table` as dataclasses.

{NOTE}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
'''
#: The classes of `values`, each with its option set.
VALUE_CLASSES = {"ReadingValues": "ReadingOptions", "ResamplingValues": "ResamplingOptions"}


def annotations(name: str) -> dict[str, str]:
    """Return the types of the options of a set."""
    return {option.name: option.annotation for option in options_of_set(name).values()}


def typed_dict(name: str) -> str:
    """Return the code of a class of keyword arguments. It inherits what smaller classes before it have with the same types."""
    own = annotations(name)
    names = [*OPTION_SETS]
    before = names[: names.index(name)]
    bases: list[str] = []
    for other in sorted(before, key=lambda other: len(annotations(other)), reverse=True):
        inherited = annotations(other)
        if inherited.items() <= own.items():
            bases.append(other)
            own = {option: annotation for option, annotation in own.items() if option not in inherited}
    lines = [
        f"class {name}({', '.join(bases or ['TypedDict'])}, total=False):",
        f'    """{OPTION_SETS[name].meaning}"""',
    ]
    if own:
        lines += ["", *(f"    {option}: {annotation}" for option, annotation in own.items())]
    return "\n".join(lines) + "\n"


def value_class(name: str) -> str:
    """Return the code of a class of checked values. Values of any type may be arrays, which have no equality."""
    lines = [
        "@dataclass(frozen=True)",
        f"class {name}:",
        f'    """Values of the options of `{VALUE_CLASSES[name]}`."""',
        "",
    ]
    for option in options_of_set(VALUE_CLASSES[name]).values():
        default = f'"{option.default}"' if isinstance(option.default, str) else repr(option.default)
        if option.checked == "Any":
            default = f"field(default={default}, repr=False, compare=False)"
        lines.append(f"    {option.name}: {option.checked} = {default}")
    return "\n".join(lines) + "\n"


def modules() -> Iterator[tuple[Path, str]]:
    """Return the code of each module that is written."""
    yield FOLDER / "keywords.py", "\n\n".join([KEYWORDS, *map(typed_dict, OPTION_SETS)])
    yield FOLDER / "values.py", "\n\n".join([VALUES, *map(value_class, VALUE_CLASSES)])


if __name__ == "__main__":
    for path, code in modules():
        path.write_text(code, encoding="utf-8")
