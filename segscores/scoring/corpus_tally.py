"""Corpus tally: the counts of a part of a corpus, as a small object that can be stored, sent and summed.

A part, or shard, is any share of the pairs of utterances. Its tally holds counts and, if type scores are selected, the word types
of both sides, but no utterances. Tallies of the same options add up in any order and grouping, so each holds its options; lists,
such as the segments of a dictionary, as digests.

In JSON
-------
| field | value |
|---|---|
| `format` | 2 |
| `form` | the form of utterances, one of `_FORMS`; `"spaced"` is text before which a tokenizer read a space; null if unknown |
| `options` | the options that differ from their defaults |
| `counts` | the sum of each column |
| `reference_digest` | the digest of the references (`digest.digest_of`), in hexadecimal digits; null if unknown |
| `reference_lexicon`, `prediction_lexicon` | the types of each side, in order of their code points; null if no score reads them |
| `token_counts` | the `size` of the tokenizer's vocabulary, 0 if unknown, and the `counts` of tokens, by id or word; or null |

A type of units text has a space after every unit, as in `Segmentation`. Nan is the string `"nan"`, because JSON has no such
number.

A new option needs no new format: an option that a tally lacks has its default. A new default needs one. Format 1, of versions up
to 0.2.0, has every option of its version, and is read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..options.keywords import ScoringOptions, Unpack
from ..options.option import check_needs
from ..options.quoting import described, shortened
from ..reading.form import NOTHING, Form
from ..reading.formats.registry import FORMS
from ..reading.json_values import json_value
from ..reading.trouble import LeftOut
from .digest import NO_UTTERANCES, add_digests
from .measures.deprecated import from_format_1, with_new_names, with_on_error
from .measures.group import SKIPPED
from .measures.registry import GROUPS, groups_of, keys_of, plain_scores, scores_out_of_range, undefined_keys
from .plan import SCORING, Plan
from .signature import signature_of, signed_skipped
from .stored import check_keys, read_counts
from .tally import UNITS, UTTERANCES, Tally

_FORMAT = 2
_READ_FORMATS = (1, 2)
#: The characters of a list that a message shows in full: a list of scores has fewer, one of many words has more.
_SHOWN_OF_LIST = 200
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
#: By the name of a group, the class of its statistic: what the group counts that is no sum, such as a lexicon. And the fields of
#: statistics in a stored tally, which are null where their group is not scored.
_STATISTICS = {name: group.statistic for name, group in GROUPS.items() if group.statistic is not None}
_FIELDS = [*chain.from_iterable(statistic.fields for statistic in _STATISTICS.values())]
#: The keys of a stored tally.
_KEYS = ("format", "form", "options", "counts", "reference_digest", *_FIELDS)


@dataclass(frozen=True, eq=False, repr=False)
class CorpusTally:
    """The tally of a part of a corpus, with its options.

    Tallies add up with `+` and `sum`, which do not change their arguments. Two are equal if they have the same counts, the same
    types, the same options and, if they are known, the same references. `segscores.tally` makes them, and `CorpusTally.empty`
    makes an empty one. Later versions can read their JSON; pickles are only for processes of the same version.

    Attributes:
        tally: the counts and the lexicons.
        options: every option by name, as plain values; `dictionary` and `acceptable` are digests.
        form: the form of utterances, `"text"`, `"spaced"`, `"words"`, `"labels"` or `"conllu"`; None if unknown.
        digest: the digest of the references, for the signature; None if unknown.

    >>> from segscores import tally
    >>> parts = [
    ...     tally(["the dog", "is on"], ["thedog", "is on"], text_format="words", scores="token"),
    ...     tally(["the boat"], ["the boat"], text_format="words", scores="token"),
    ... ]
    >>> {key: round(value, 2) for key, value in sum(parts).scores().items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    >>> CorpusTally.from_json(sum(parts).to_json()) == parts[1] + parts[0]
    True
    """

    tally: Tally
    options: dict[str, Any]
    form: str | None = None
    digest: int | None = None

    @classmethod
    def of(cls, tally: Tally, plan: Plan, form: Form = NOTHING, digest: int | None = None) -> CorpusTally:
        """Wrap a tally that was made with `plan`; the digest of the reference is None if it is unknown."""
        return cls(tally, plan.plain(), form.name, digest)

    @classmethod
    def empty(cls, **options: Unpack[ScoringOptions]) -> CorpusTally:
        """Return an empty tally, which changes no sum; each of its scores is 0/0, and so `zero_division`.

        Args:
            **options: those of `ScoringOptions`; an unknown one is a TypeError.

        Raises:
            TypeError, ValueError: a bad option.

        >>> CorpusTally.empty(scores="token", zero_division=1.0).scores()
        {'token_precision': 1.0, 'token_recall': 1.0, 'token_fscore': 1.0}
        """
        return cls.of_nothing(Plan.of(**options))

    @classmethod
    def of_nothing(cls, plan: Plan) -> CorpusTally:
        """Return the empty tally of a plan: every count is there, and is 0."""
        counts = dict.fromkeys(_columns(plan.plain()), 0)
        statistics = {}
        for name, statistic_class in _STATISTICS.items():
            is_scored = name in plan.settings
            if is_scored:
                statistics[name] = statistic_class.empty(**plan.settings[name])
        return cls.of(Tally(counts, statistics), plan, digest=NO_UTTERANCES)

    def scores(self) -> dict[str, float]:
        """Return the scores as plain floats; raise ValueError if all utterances were left out."""
        LeftOut(utterances=self.tally.skipped, total=self.tally.counts[UTTERANCES] + self.tally.skipped).check()
        return plain_scores(self.tally.totals(), keys_of(self.options), float(self.options["zero_division"]))

    def undefined(self) -> list[str]:
        """Return the scores that are 0/0, and so `zero_division`.

        >>> from segscores import tally
        >>> tally([["a"]], [["a"]], scores=["token", "boundary_noedge"]).undefined()
        ['boundary_noedge_precision', 'boundary_noedge_recall', 'boundary_noedge_fscore']
        """
        return undefined_keys(self.tally.totals(), keys_of(self.options))

    def counts(self) -> dict[str, int]:
        """Return every count that the formulas read, and the numbers of utterances and units."""
        return self.tally.totals()

    def signature(self) -> str:
        """Return the signature of the scores, in one line: see `signature.signature_of`."""
        skipped = self.tally.skipped
        utterances = self.tally.counts[UTTERANCES] + skipped
        further = signed_skipped([skipped])  # of one prediction
        # The form None is the one of no utterances: `FORMS` has it too.
        form = FORMS[self.form]
        return signature_of(self.options, form, utterances, digest=self.digest, further=further)

    def __add__(self, other: object) -> CorpusTally:
        """Return the tally of both parts together.

        Raises:
            ValueError: they have different options.
            TypeError: they have different forms, and so perhaps different units.
        """
        if not isinstance(other, CorpusTally):
            return NotImplemented
        for option, value in self.options.items():
            other_value = other.options[option]
            if other_value != value:
                in_one = _shown_beside(value, other_value)
                received = f"{option} is {in_one} in one and {_shown_beside(other_value, value)} in the other"
                expected = "expected the same options for every part of a corpus."
                raise ValueError(f"tallies with different options do not add up: {received}; {expected}")
        if self.form and other.form and self.form != other.form:
            received = f"one tally is of {self.form} and the other of {other.form}"
            raise TypeError(f"mixed forms: {received}; expected the same form for every part of a corpus.")
        # Copy this tally: adding both to an empty one would merge the lexicon at every term of a sum.
        both = self.tally.copy()
        both.update(other.tally)
        return CorpusTally(both, self.options, self.form or other.form, add_digests(self.digest, other.digest))

    def __radd__(self, other: object) -> CorpusTally:
        # `sum` starts from 0, and so adds this tally to it.
        if type(other) is int and other == 0:
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CorpusTally):
            return NotImplemented
        if (self.options, self.form, self.tally) != (other.options, other.form, other.tally):
            return False
        # References that one tally does not know may be the same.
        is_unknown = self.digest is None or other.digest is None
        return is_unknown or self.digest == other.digest

    # A lexicon is mutable, as a set is.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = self.tally.counts
        scores = ", ".join(self.options["scores"])
        return f"<CorpusTally: {counts[UTTERANCES]} utterances, {counts[UNITS]} units, scores {scores}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain values for JSON. Equal tallies whose references are known give equal dicts."""
        defaults = Plan.of().plain()
        options: dict[str, Any] = {}
        for name, value in self.options.items():
            if value != defaults[name]:
                # A caller may change the dict: its lists are copies.
                options[name] = list(value) if isinstance(value, list) else value
        # The fields of statistics are null where a group is not scored.
        fields: dict[str, Any] = dict.fromkeys(_FIELDS)
        for statistic in self.tally.statistics.values():
            fields |= statistic.stored()
        return {
            "format": _FORMAT,
            "form": self.form,
            "options": options,
            "counts": {column: self.tally.counts[column] for column in _columns(self.options)},
            "reference_digest": None if self.digest is None else f"{self.digest:016x}",
            **fields,
        }

    def to_json(self) -> str:
        """Return the tally as one line of JSON in ASCII, which every file encoding keeps."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> CorpusTally:
        """Return the tally that `to_dict` made `values` from.

        Raises:
            ValueError: `values` is not such a dict; the message says why.
        """
        if isinstance(values, Mapping) and values.get("format") == 1:
            # The function returns the columns that format 2 has for stored options.
            values = from_format_1(values, lambda options: _columns(_read_options(options)))
        if isinstance(values, Mapping):
            # A version without a statistic wrote no field for it.
            values = {**dict.fromkeys(_FIELDS), **values}
        check_keys("the tally", values, _KEYS)  # also an error if `values` is no dict
        if type(values["format"]) is not int or values["format"] not in _READ_FORMATS:
            reads = f"this version reads {' and '.join(map(str, _READ_FORMATS))}: was it written by a newer one?"
            raise ValueError(f"the tally has the format {shortened(values['format'])}; {reads}")
        form = values["form"]
        if not isinstance(form, (str, type(None))) or form not in FORMS:
            expected = ", ".join(map(repr, FORMS))
            raise ValueError(f"form: received {described(form)}; expected one of {expected}.")
        options = _read_options(values["options"])
        tally = _read_tally(values, options)
        return cls(tally, options, form, _read_digest(values["reference_digest"]))

    @classmethod
    def from_json(cls, text: str) -> CorpusTally:
        """Return the tally that `to_json` wrote.

        Raises:
            ValueError: `text` is not JSON, or is not a tally; the message says why.
        """
        try:
            values = json_value(text)
        except ValueError as error:
            raise ValueError(f"not the output of to_json: {error}.") from None
        return cls.from_dict(values)


def _shown_beside(value: Any, other: Any) -> str:
    """Return the value of an option as a message shows it beside another; of a long list the items that the other lacks.

    >>> _shown_beside(["the"], None), _shown_beside([*"a" * 100, "the"], [*"a" * 100])
    ("['the']", "a list with ['the']")
    """
    if not isinstance(value, list) or len(repr(value)) <= _SHOWN_OF_LIST:
        return shortened(value, _SHOWN_OF_LIST)
    items_of_other = set(other or ())
    own_items = [item for item in value if item not in items_of_other]
    if not own_items:
        return "a list without further items"
    return f"a list with {shortened(own_items)}"


def _read_tally(values: Mapping[str, Any], options: Mapping[str, Any]) -> Tally:
    """Return the counts and the statistics of a stored tally; raise an error if they cannot be those of a text.

    A statistic is what a group stores beside counts, in fields of its own, such as the lexicons or the counts of tokens.
    """
    keys = keys_of(options)
    # The classes of the statistics that are scored: each knows its fields, and reads them.
    scored = {group.name: group.statistic for group in groups_of(keys) if group.statistic is not None}
    needed = [*chain.from_iterable(statistic.fields for statistic in scored.values())]
    for field in _FIELDS:
        if field not in needed and values[field] is not None:
            raise ValueError(f"{field}: received {described(values[field])}; expected null, as no score reads it.")
    statistics = {name: statistic.read(values, options) for name, statistic in scored.items()}
    tally = Tally(read_counts(values["counts"], _columns(options)), statistics)
    for key, (low, high) in scores_out_of_range(tally.totals(), keys).items():
        # The first of them is enough to say that the counts are of no text.
        raise ValueError(f"counts: they give a {key} outside [{low:g}, {high:g}]; expected counts of a text.")
    return tally


def _columns(options: Mapping[str, Any]) -> list[str]:
    """Return the counts that a tally with these options holds, in order, without the columns of statistics."""
    columns: dict[str, None] = {UTTERANCES: None, UNITS: None}
    for group in groups_of(keys_of(options)):
        if group.statistic is None:
            columns |= dict.fromkeys(group.columns)
    if options["on_error"] == "skip":
        columns[SKIPPED] = None
    return list(columns)


def _read_options(values: Any) -> dict[str, Any]:
    """Return every option, as a plain value, from the options of a stored tally; one that is missing has its default.

    The result is what `Plan.plain` returns for the same options, so that stored tallies add up with new ones.
    """
    defaults = Plan.of().plain()
    check_keys("options", values, defaults, may_lack=True)
    try:
        # Old versions stored `on_mismatch="skip"`, which is `on_error="skip"`.
        explicit = with_on_error({name: _read_option(name, value) for name, value in values.items()})
        options = defaults | explicit
        check_needs(explicit, SCORING, values=options)
        # Old versions stored `rates_tolerance` as `tolerance`, which is an option of its own. Which of them a stored `tolerance`
        # means depends on other options: on the scores, and on the label scheme.
        options = with_new_names(options, groups_of(keys_of(options)), options["label_scheme"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"options: {error}") from None
    # `Plan.plain` sorts the tokens; a tally may have them in any order.
    options["ignored_tokens"] = sorted(set(options["ignored_tokens"]))
    return options


def _read_option(name: str, value: Any) -> Any:
    """Return an option of a stored tally, checked, as a plain value: a list for a tuple, and a digest for a word list."""
    option = SCORING[name]
    if option.kind.is_word_list:
        # The digest stands for a list, such as a vocabulary; None if there is none.
        is_digest = isinstance(value, str) and _DIGEST.fullmatch(value) is not None
        if value is not None and not is_digest:
            expected = "expected the digest of a list, sha256: and 64 digits"
            raise ValueError(f"{name}: {expected}, received {described(value)}.")
        return value
    if name == "zero_division":
        # A dict that is not from JSON may have the number nan, which alone is unequal to itself.
        is_nan = value == "nan" or value != value  # noqa: PLR0124
        if is_nan:
            return "nan"
    checked = option.check(value)
    if isinstance(checked, tuple):
        return list(checked)
    return checked


def _read_digest(value: Any) -> int | None:
    """Return the digest that a stored tally has as 16 hexadecimal digits; None if it is unknown."""
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch("[0-9a-f]{16}", value):
        raise ValueError(f"reference_digest: received {described(value)}; expected 16 hexadecimal digits, or null.")
    return int(value, 16)
