"""Signature: one line that documents how scores were computed, to report with them.

Conventions
-----------
A signature is `segscores` and fields `name:value`, separated by `|`. It has the options that change scores; those of a
group only if a score of the group is selected. Two scores with the same signature are of the same references, and can be
compared. In a value, separators, whitespace and characters that are not printable are escaped as in a URL, such as `%7C` for `|`.

| field | value |
|---|---|
| `text` | the text format of all sides; of several `words`; `lists` for lists of words; for labels their scheme |
| `tol` | of times the tolerance in seconds, as `0.02s` |
| `wb`, `ign` | the word boundary and the ignored tokens of units text |
| `docs` | `marked` for documents that the files mark, `files` if each file is one |
| of an option on reading (`norm`) | its value, if it is not the default |
| `avg` | `micro`, `macro` or `cluster` |
| `zero` | zero_division; `omit` if the mean over utterances leaves out those whose score is undefined |
| of an option of a group (`tol`) | its value, if a score of the group is selected; of a list eight digits of its SHA-256 |
| `ci` | confidence in per cent and method of the intervals; of percentiles the resamples and their seed |
| `ci_types` | the method for intervals of type scores where it is another: `jackknife` |
| `clusters` | the number of clusters of utterances that were resampled as wholes |
| `trials` | of the tests of a comparison: their number and their seed, or `exact` if all exchanges were tried |
| `runs` | the number of runs of each system in a comparison |
| `label`, `thresholds`, `ratios` | of a sweep: the label scheme of the boundary scores, and the points |
| `difficulties` | eight digits of the digest of the difficulties of words |
| `skipped` | how many utterances were left out because they cannot be scored, if any; of several predictions `1+0+2` |
| `compared` | the number of utterances that a comparison is of, if some were left out |
| `space` | `yes` if a space came before each text that a tokenizer read |
| `ref` | eight digits of the digest of the references: of their units and word ends as they were read, in any order |
| `n` | the number of utterances, with those that were left out |
| `v` | the version |

The table of options names the fields of options (`Option.field`).

Source
------
Post (2018), A Call for Clarity in Reporting BLEU Scores, WMT, 186-191: sacreBLEU's signatures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..options.keywords import ScoringOptions
from ..options.option import Option
from ..options.table import options_in
from ..reading.form import SPACED, Form
from ..reading.formats.registry import FORMATS, PLAIN
from ..reading.world import worlds_in
from .measures.group import ScoreGroup
from .measures.registry import groups_of, keys_of

#: The fields that `signature_of` writes by rules of their own.
_BY_RULES = {"text", "wb", "ign", "docs", "zero", "skipped"}
#: The other options of reading, and of what is scored; `scores` is left out, as the names of the scores show it.
_WITHOUT_GROUPS = [option for option in options_in(ScoringOptions).values() if not option.groups]
_OPTIONS = {option.name: option for option in _WITHOUT_GROUPS if option.field not in {*_BY_RULES, "scores"}}

_DIGEST_PREFIX = "sha256:"
#: The number of digits of a digest in a signature.
_DIGITS = 8


def signature_of(
    options: Mapping[str, Any],
    form: Form,
    utterances: int,
    *,
    average: str = "micro",
    intervals: str = "",
    clusters: int | None = None,
    digest: int | None = None,
    further: Mapping[str, object] | None = None,
) -> str:
    """Return the signature of a scoring: `options`, `form` and `digest` as in `CorpusTally`, with the window size that was used.

    `intervals` is the value of the field `ci`, empty without intervals. `clusters` is the number of resampled clusters, None if
    utterances were resampled; `further` are more fields by name.

    >>> from segscores import tally
    >>> tally(["the dog"], ["thedog"], text_format="words").signature()
    'segscores|text:words|avg:micro|zero:0|ref:db2e0635|n:1|v:0.4.0'
    """
    groups = groups_of(keys_of(options))  # of the scores that the options select
    fields = _fields_of_reading(options, form)
    zero = options["zero_division"]  # a number, or "omit"
    fields |= {"avg": average, "zero": zero if zero == "omit" else float(zero)}
    # A world may have signed an option of groups in its own way, such as the tolerance in seconds.
    for name, value in _fields_of_groups(options, groups).items():
        if name not in fields:
            fields[name] = value
    if intervals:
        fields["ci"] = intervals
        # Types of a corpus are no sums of utterances, so percentiles of resamples are not computed of them.
        has_types = any(group.statistic is not None for group in groups)
        if "percentile" in intervals and average == "micro" and has_types:
            fields["ci_types"] = "jackknife"
    if clusters is not None:
        fields["clusters"] = clusters
    if form == SPACED:
        fields["space"] = "yes"
    fields |= dict(further or {})
    if digest is not None:
        fields["ref"] = show_digest(digest)
    fields |= {"n": utterances, "v": __version__}
    return _written(fields)


def _fields_of_reading(options: Mapping[str, Any], form: Form) -> dict[str, object]:
    """Return the fields that say how text is read, such as `{"text": "units", "wb": "WORD_BOUNDARY"}`."""
    text = _text_of(options, form)
    fields: dict[str, object] = {"text": text}
    text_format = FORMATS.get(text)  # None for lists and labels
    if text_format is not None and text_format.has_boundary_token:
        fields["wb"] = options["word_boundary"]
        if options["ignored_tokens"]:
            fields["ign"] = options["ignored_tokens"]
    # A world, such as "times", is signed in the field `text` too, and has further fields. Ordinary text is of no world.
    for world in worlds_in([text]):
        fields |= world.sign(options)
    if options["documents"]:
        fields["docs"] = "files" if options["whole_files"] else "marked"
    for name, option in _OPTIONS.items():
        # The mark that is usual in a format goes without saying.
        usual = None if text_format is None else text_format.usual.get(name)
        if options[name] not in (option.default, usual):
            fields[option.field] = _shown(option, options[name])
    return fields


def _fields_of_groups(options: Mapping[str, Any], groups: Sequence[ScoreGroup]) -> dict[str, str]:
    """Return the fields of the options of groups, such as `{"win": "2-segeval"}` of window_size and window_convention."""
    # Groups may share an option, which is shown once, and options may share a field, which then has the values of both.
    values: dict[Option, Any] = {}
    for group in groups:
        values |= {option: option.used(options[option.name]) for option in group.options}
    shown: dict[str, list[str]] = defaultdict(list)
    for option, value in values.items():
        if value is not None:
            shown[option.field] += _shown(option, value)
    return {field: "-".join(values_of_field) for field, values_of_field in shown.items()}


def show_digest(digest: int) -> str:
    """Return the digest of references as signatures show it.

    >>> show_digest(1 << 60)
    '10000000'
    """
    return f"{digest:016x}"[:_DIGITS]


def signed_skipped(skipped: Iterable[int]) -> dict[str, object]:
    """Return the field for utterances that were left out; empty if there are none.

    >>> signed_skipped([1, 0]), signed_skipped([0])
    ({'skipped': '1+0'}, {})
    """
    counts = list(skipped)
    if not any(counts):
        return {}
    return {"skipped": "+".join(map(str, counts))}


def shorten_digest(digest: str) -> str:
    """Return the first eight digits of a digest, as in signatures."""
    return digest.removeprefix(_DIGEST_PREFIX)[:_DIGITS]


def sign_plainly(**fields: object) -> str:
    """Return a signature of these fields and the version, for results without scoring options.

    >>> sign_plainly(text="alignment", zero=0.0)
    'segscores|text:alignment|zero:0|v:0.4.0'
    """
    return _written(fields | {"v": __version__})


def _written(fields: Mapping[str, object]) -> str:
    """Return the signature of fields; the values of a list have commas between them.

    >>> _written({"text": "units", "ign": ["#", ";"]})
    'segscores|text:units|ign:#,;'
    """
    parts = ["segscores"]
    for name, value in fields.items():
        values = value if isinstance(value, list) else [value]
        parts.append(f"{name}:{','.join(map(_escape, values))}")
    return "|".join(parts)


def _shown(option: Option, value: Any) -> list[str]:
    """Return the parts of the value of an option, as the signature shows them."""
    if option.kind.is_word_list:
        # The value is the digest of the list.
        return [shorten_digest(value)]
    return option.kind.sign(value)


def _text_of(options: Mapping[str, Any], form: Form) -> str:
    """Return the value of the field `text`, such as "words", "lists" or, of labels, their scheme."""
    if options["label_scheme"] is not None:
        return str(options["label_scheme"])
    if form.signed:
        # Values without a format have a name for signatures, such as "lists".
        return form.signed
    # The format that was given or recognised: a side has its own format, or else the one of both sides.
    formats = {str(options[side] or options["text_format"]) for side in ("reference_format", "prediction_format")}
    if len(formats) > 1:
        # All sides are read as words text, into which units text is joined.
        return PLAIN.name
    return formats.pop()


def _escape(value: object) -> str:
    """Return a value without separators; letters of any script stay as they are, and numbers have all digits.

    >>> _escape("a|b"), _escape(1.0), _escape(0.5)
    ('a%7Cb', '1', '0.5')
    """
    if isinstance(value, float):
        # Adding 0.0 turns -0.0 into 0.0.
        text = repr(value + 0.0).removesuffix(".0")
    else:
        text = str(value)
    separators = set("|:,% ")
    plain = {character for character in text if character.isprintable()} - separators
    escaped = [character if character in plain else quote(character, errors="backslashreplace") for character in text]
    return "".join(escaped)
