"""Type checkers know what the table of options says."""

from pathlib import Path
from typing import Any

import pytest

from segscores.options.option import Option
from segscores.options.table import OPTION_SETS, OPTIONS, options_of_set

from ..keywords import COMMAND, modules

VARIANTS = [
    pytest.param(option, id=f"{name} {option.name}") for name in OPTION_SETS for option in options_of_set(name).values()
]


@pytest.mark.parametrize(("path", "code"), [pytest.param(*module, id=module[0].stem) for module in modules()])
def test_the_modules_for_type_checkers_are_those_of_the_table(path: Path, code: str) -> None:
    assert path.read_text(encoding="utf-8") == code, f"the table of options has changed: run {COMMAND}"


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_set_names_options_of_the_table(name: str) -> None:
    chosen = OPTION_SETS[name]
    of_topics = {option.name for option in OPTIONS.values() if option.topic in chosen.topics}
    assert {*chosen.names} <= OPTIONS.keys() - of_topics
    assert {*chosen.without} <= of_topics
    assert {*chosen.topics} <= {option.topic for option in OPTIONS.values()}
    assert chosen.changes.keys() <= options_of_set(name).keys()


@pytest.mark.parametrize("option", VARIANTS)
def test_a_type_has_none_where_none_is_a_value(option: Option) -> None:
    try:
        takes_none = option.check(None) is None
    except TypeError:
        takes_none = False
    assert takes_none == option.annotation.endswith("None") or option.annotation == "Any"


@pytest.mark.parametrize("option", VARIANTS)
def test_a_default_and_its_checked_value_have_the_declared_types(option: Option) -> None:
    """The types are evaluated as a type checker reads them, by the part before brackets."""
    if option.default is None or option.annotation == "Any":
        return
    types: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool, "tuple": tuple}
    checked = option.checked.removesuffix(" | None").partition("[")[0]
    assert checked.startswith("Iterable") or isinstance(option.check(option.default), types[checked])
