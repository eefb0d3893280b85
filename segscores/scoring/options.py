"""The options of a scoring, and the plan into which they are checked and compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernel.errors import OptionError
from ..kernel.formulas import check_zero_division
from ..kernel.mismatch import check_on_mismatch
from ..kernel.names import check_choice, check_names
from ..measures.dictionary import Dictionary
from ..measures.group import ScoreGroup
from ..measures.oov import Vocabulary
from ..measures.registry import (
    DEFAULT_SCORES,
    GROUPS,
    OPTIONS,
    GroupOptions,
    check_score_names,
    groups_of,
    select_scores,
)
from ..reading.options import READING_OPTION_NAMES, Reading, ReadingOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ScoringOptions(ReadingOptions, GroupOptions, total=False):
    """The options of a scoring; `option_docs.HELP` describes them."""

    scores: str | Sequence[str]
    zero_division: float
    on_mismatch: str


OPTION_NAMES = ("scores", *READING_OPTION_NAMES, "zero_division", *OPTIONS, "on_mismatch")
_GROUP_OPTIONS = [(group, option) for group in GROUPS.values() for option in group.options]


def repeatable(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that can be read several times: iterators, which can be read once, as lists.

    >>> repeatable({"ignored_tokens": iter([";esyll"]), "scores": "token"})
    {'ignored_tokens': [';esyll'], 'scores': 'token'}
    """
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}


@dataclass(frozen=True)
class Plan:
    """A checked and compiled set of options.

    Attributes:
        keys: the scores to return, in order.
        reading: how to read utterances.
        warns_of_undefined: whether to warn of scores that are 0/0, because the user did not set `zero_division`.
        on_mismatch: what happens to utterances whose units differ.
        values: the options of groups by name, as given; a list as its digest, or None if it is missing.
        settings: for each scored group, the keyword arguments of its `tally`.

    >>> Plan.of(text_format="words", scores="token").keys
    ('token_precision', 'token_recall', 'token_fscore')
    """

    scores: tuple[str, ...]
    keys: tuple[str, ...]
    reading: Reading
    zero_division: float
    warns_of_undefined: bool
    on_mismatch: str
    values: Mapping[str, Any]
    settings: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, **options: Unpack[ScoringOptions]) -> Plan:
        """Check options, and compile them.

        >>> Plan.of(textformat="words")
        Traceback (most recent call last):
        ...
        TypeError: unknown option 'textformat'. Did you mean 'text_format' or 'prediction_format'? The options are \
scores, text_format, reference_format, prediction_format, word_boundary, ignored_tokens, label_scheme, normalize, \
ignore_index, zero_division, dictionary, acceptable, vocabulary, tolerance, window_size, window_convention, \
transposition_span, on_mismatch.
        """
        # JSON has no numbers of numpy.
        given: dict[str, Any] = {
            name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()
        }
        check_names(given, OPTION_NAMES)
        values = {name: given.get(name, option.default) for name, option in OPTIONS.items()}
        names = check_score_names(given.get("scores", DEFAULT_SCORES))
        on_mismatch = given.get("on_mismatch", "error")
        zero_division = given.get("zero_division", 0.0)
        reading = Reading.of(**{name: given[name] for name in READING_OPTION_NAMES if name in given})
        check_on_mismatch(on_mismatch, reading.words_known)
        check_zero_division(zero_division)
        for option in OPTIONS.values():
            if option.choices:
                check_choice(option.name, values[option.name], option.choices)
            elif option.check is not None and option.name in given:
                option.check(given[option.name])
        scores = _chosen_scores(names, values, reading, on_mismatch)
        keys = select_scores(scores, reading.words_known)
        groups = groups_of(keys)
        _check_lists(groups, scores, values, reading)
        settings = {group.name: group.prepare(_values_of(group, values), reading) for group in groups}
        return cls(
            scores=scores,
            keys=keys,
            reading=reading,
            zero_division=float(zero_division),
            warns_of_undefined="zero_division" not in given,
            on_mismatch=on_mismatch,
            values=_with_digests(values, settings),
            settings=settings,
        )

    @property
    def groups(self) -> list[ScoreGroup]:
        """The groups that compute the scores."""
        return groups_of(self.keys)

    @property
    def needs_lexicons(self) -> bool:
        """Whether a score needs word types."""
        return any(group.needs_words for group in self.groups)

    @property
    def known_words(self) -> Vocabulary | None:
        """The vocabulary, if there is one."""
        return self.settings.get("oov", {}).get("vocabulary")

    @property
    def needs_window_size(self) -> bool:
        """Whether the whole reference must be read for the window size before anything is counted."""
        return any(group.needs_corpus and self.values[group.needs_corpus] is None for group in self.groups)

    def with_window_size(self, window_size: int) -> Plan:
        """The same plan with a window size, computed from the reference."""
        values = {**self.values, "window_size": window_size}
        windows = GROUPS["windows"]
        prepared = windows.prepare(_values_of(windows, values), self.reading)
        return replace(self, values=values, settings={**self.settings, windows.name: prepared})

    def plain(self) -> dict[str, Any]:
        """Every option as a plain value; equal for options with the same meaning."""
        plain = {
            "scores": list(self.scores),
            **{name: getattr(self.reading, name) for name in READING_OPTION_NAMES},
            "zero_division": "nan" if math.isnan(self.zero_division) else self.zero_division,
            **self.values,
            "on_mismatch": self.on_mismatch,
        }
        # The order of a set differs between processes.
        return plain | {"ignored_tokens": sorted(set(self.reading.ignored_tokens))}


def _chosen_scores(
    names: tuple[str, ...], values: Mapping[str, Any], reading: Reading, on_mismatch: str
) -> tuple[str, ...]:
    """The names to score, with `"all"` expanded, and the groups that their options add."""
    given = [group.name for group, option in _GROUP_OPTIONS if option.needed and values[option.name] is not None]
    if "all" in names:
        every = [
            group.name
            for group in GROUPS.values()
            if (not group.needs_option or group.name in given)
            and (reading.words_known or not group.needs_words)
            and group.name != "unit_error"
        ]
        names = tuple(dict.fromkeys(part for name in names for part in (every if name == "all" else [name])))
    elif names == DEFAULT_SCORES:
        known = [name for name in names if reading.words_known or not GROUPS[name].needs_words]
        names = (*known, *given)
    if on_mismatch != "error" and {"unit_error", *GROUPS["unit_error"].keys}.isdisjoint(names):
        names += ("unit_error",)
    return names


def _check_lists(
    groups: Sequence[ScoreGroup], scores: tuple[str, ...], values: Mapping[str, Any], reading: Reading
) -> None:
    """Check that groups have the lists that they need, and that every given list is used."""
    for group, option in _GROUP_OPTIONS:
        value = values[option.name]
        if option.needed and value is None and group in groups:
            asked = next(name for name in scores if name == group.name or name in group.keys)
            raise OptionError(option.name, f'scores="{asked}" needs it, {option.help}.')
        if option.needed and value is not None and not reading.words_known:
            problem = "it needs the text, which labels do not contain: pass strings or lists of words."
            raise OptionError(option.name, problem)
        if option.needed and value is not None and group not in groups:
            raise OptionError(option.name, f'it needs scores="{group.name}", received scores={list(scores)!r}.')
        is_empty = value is None or (hasattr(value, "__len__") and not len(value))
        if option.goes_with and values[option.goes_with] is None and not is_empty:
            needed = OPTIONS[option.goes_with]
            raise OptionError(option.name, f"it goes with {needed.name}=…, {needed.help}.")


def _values_of(group: ScoreGroup, values: Mapping[str, Any]) -> dict[str, Any]:
    return {option.name: values[option.name] for option in group.options}


def _with_digests(values: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The options with a digest in place of each list, which may be large or an exhausted iterator."""
    digests: dict[str, Any] = {}
    for arguments in settings.values():
        for argument in arguments.values():
            digests |= argument.digests if isinstance(argument, (Dictionary, Vocabulary)) else {}
    return {name: digests.get(name) if OPTIONS[name].is_list else value for name, value in values.items()}
