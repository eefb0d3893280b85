"""Rendering of Jinja2 templates with escaped text.

The templates escape all output. Visible symbols replace characters that are invisible or that reorder the text around
them, so that no text can hide itself or its neighbours.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

#: Visible symbols for control characters: the symbol of Unicode where there is one, otherwise the code point.
_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **{
        code: f"[U+{code:04X}]"
        for codes in (range(0x80, 0xA0), (0x061C, 0x200E, 0x200F, 0xFEFF), range(0x202A, 0x202F), range(0x2066, 0x206A))
        for code in codes
    },
}


def visible(text: str) -> str:
    """Return the text with a visible symbol for each control character and each mark of direction.

    >>> visible("a\\tb\\u202ec")
    'a␉b[U+202E]c'
    """
    return text.translate(_VISIBLE)


def standing(text: str) -> str:
    """Return the text, with a dotted circle under an initial combining character, whose base is outside the text.

    >>> standing("\u0301a")
    '◌́a'
    """
    return f"◌{text}" if unicodedata.category(text[0])[0] == "M" else text


def environment(*packages: str, **names: Any) -> Environment:
    """Return an environment of the templates of each package, searched in order, with these variables."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=StrictUndefined,
    )
    templates.filters |= {"breakable": lambda key: Markup("_<wbr>").join(visible(key).split("_")), "standing": standing}
    templates.globals |= names
    return templates
