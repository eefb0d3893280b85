"""Type checkers know what the table of options says."""

from pathlib import Path
from typing import Any

import pytest

from segscores.options.option import Option
from segscores.options.table import OPTION_SETS, OPTIONS, options_of_set

from ..keywords import COMMAND, modules


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


def takes_none(option: Option) -> bool:
    try:
        return option.check(None) is None
    except TypeError:
        return False


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_type_has_none_where_none_is_a_value(name: str) -> None:
    for option in options_of_set(name).values():
        assert takes_none(option) == option.annotation.endswith("None") or option.annotation == "Any", option.name


@pytest.mark.parametrize("name", OPTION_SETS)
def test_a_default_and_its_checked_value_have_the_declared_types(name: str) -> None:
    """The types are evaluated as a type checker reads them, by the part before brackets."""
    types: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool, "tuple": tuple}
    for option in options_of_set(name).values():
        if option.default is not None and option.annotation != "Any":
            checked = option.checked.removesuffix(" | None").partition("[")[0]
            is_checked = checked.startswith("Iterable") or isinstance(option.check(option.default), types[checked])
            assert is_checked, option.name
