"""Descriptions of the options, and their display by functions that unpack a `TypedDict` of options.

`**options: Unpack[ScoringOptions]` lets type checkers and editors know every option by name. `with_options` does the same for
`help()` and `inspect.signature`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import fields
from inspect import Parameter, cleandoc, signature
from typing import Any, TypeVar

from ..measures.group import GroupOption
from ..measures.registry import DEFAULT_SCORES, GROUPS, OPTIONS, SELECTIONS
from ..reading.options import Reading

Function = TypeVar("Function", bound=Callable[..., Any])


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _group_help(option: GroupOption) -> str:
    groups = [name for name, group in GROUPS.items() if option in group.options]
    text = option.help + (f": {' or '.join(map(_quoted, option.choices))}" if option.choices else "")
    text += f". For the scores {' and '.join(map(_quoted, groups))}"
    if option.needed:
        text += ", which are among the default scores if it is given"
    if option.goes_with:
        text += f"; needs `{option.goes_with}`"
    return text + ("." if option.default in (None, ()) else f". Default {_quoted(option.default)}.")


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


#: The description of each option, in the order in which functions show them.
HELP = {
    "scores": f'score groups ({_names(GROUPS)}), selections of scores ({_names(SELECTIONS)}; "all" for every group whose options '
    f"are given) or single scores, by name. Default: {_names(DEFAULT_SCORES)}.",
    "text_format": 'the format of strings. "units" (default): units separated by spaces, with a `word_boundary` token '
    'between words. "words": words separated by whitespace; every character is a unit. For files also "conllu".',
    **{
        f"{side}_format": f"the format of the {side}s, if the sides differ: the units of a word are joined if the other side "
        "is not units text. Default None: `text_format`."
        for side in ("reference", "prediction")
    },
    "word_boundary": 'the token between words in "units" text. Default "WORD_BOUNDARY".',
    "ignored_tokens": 'tokens of "units" text to drop, also from the lists of words or segments, such as ";esyll".',
    "label_scheme": 'the meaning of labels: "start" (1 starts a word), "end" (1 ends one), or tags: "BI", '
    '"BMES", "BIES" or "BIOES", in upper or lower case, and with types (`B-NOUN`). Default None: the input has no labels.',
    "ignore_index": "the label that marks positions of the references to ignore, such as -100; they are dropped on "
    "both sides. Default None.",
    "normalize": 'a Unicode normalisation form for both sides and the lists of words or segments: "NFC", '
    '"NFD", "NFKC" or "NFKD". Default None.',
    "zero_division": "the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0, and a warning names "
    "such scores.",
    **{option.name: _group_help(option) for option in OPTIONS.values()},
    "on_mismatch": 'what to do with utterances whose units differ: "error" (default) raises an error, "skip" leaves them '
    'out with a warning, "align" aligns their units.',
    "average": '"micro" (default): the scores of the corpus. "macro": the mean of the scores of its utterances.',
    "confidence": "the confidence level of intervals, such as 0.95; adds `<key>_low` and `<key>_high`. Default None: no "
    "intervals.",
    "n_resamples": "the number of resamples for intervals. Default 1000.",
    "seed": "the seed of the resamples. Default 0.",
    "interval_method": '"percentile" (default), "bca" or "jackknife".',
    "clusters": "the id of the document, speaker or session of each utterance; utterances with the same id are resampled "
    "together. Default None: each utterance separately.",
}

DEFAULTS: dict[str, Any] = {
    "scores": DEFAULT_SCORES,
    **{option.name: option.default for option in fields(Reading)},
    "zero_division": 0.0,
    **{name: option.default for name, option in OPTIONS.items()},
    "on_mismatch": "error",
    "average": "micro",
    "confidence": None,
    "n_resamples": 1000,
    "seed": 0,
    "interval_method": "percentile",
    "clusters": None,
}


def with_options(function: Function) -> Function:
    """Show the options that a function unpacks: in its signature, and in its docstring in place of the entry `**options`.

    >>> from segscores import tally
    >>> list(signature(tally).parameters)[:5]
    ['references', 'predictions', 'scores', 'text_format', 'reference_format']
    """
    shown = signature(function)
    *others, unpacked = shown.parameters.values()
    kinds = _typed_dict(function, unpacked.annotation)
    names = [name for name in HELP if name in kinds]
    options = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=DEFAULTS[name],
            annotation=getattr(kinds[name], "__forward_arg__", kinds[name]),
        )
        for name in names
    ]
    function.__signature__ = shown.replace(parameters=[*others, *options])  # type: ignore[attr-defined]
    entries = "\n".join(
        textwrap.fill(f"{name}: {HELP[name]}", 120, initial_indent=" " * 4, subsequent_indent=" " * 8) for name in names
    )
    text, count = re.subn(
        r"^    \*\*options: .*(\n {8}.*)*", lambda _: entries, cleandoc(function.__doc__ or ""), flags=re.M
    )
    assert count == 1, f"{function.__qualname__} has no entry for **options"
    function.__doc__ = text
    return function


def options_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's options.

    >>> from segscores.analysis.thresholds import segment_at
    >>> options_of(segment_at)
    ('threshold', 'ratio', 'label_scheme', 'text_format', 'word_boundary', 'ignored_tokens')
    """
    names: list[str] = []
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            names.append(parameter.name)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            names += _typed_dict(function, parameter.annotation)
    return tuple(names)


def _typed_dict(function: Callable[..., Any], annotation: str) -> dict[str, Any]:
    """The types of the options in `"Unpack[ScoringOptions]"`, by name; annotations are text in this package."""
    kind = annotation.removeprefix("Unpack[").removesuffix("]")
    types: dict[str, Any] = vars(sys.modules[function.__module__])[kind].__annotations__
    return types
