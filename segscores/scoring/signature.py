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

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..options.keywords import ScoringOptions
from ..options.option import Option
from ..options.table import options_in
from ..reading.form import SPACED, Form
from ..reading.formats.registry import FORMATS, PLAIN
from ..reading.world import worlds_in
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

    `clusters` is the number of resampled clusters, None if utterances were resampled; `further` are more fields by name.

    >>> from segscores import tally
    >>> tally(["the dog"], ["thedog"], text_format="words").signature()
    'segscores|text:words|avg:micro|zero:0|ref:db2e0635|n:1|v:0.3.0'
    """
    groups = groups_of(keys_of(options))
    text = _text_of(options, form)
    fields: dict[str, object] = {"text": text}
    row = FORMATS.get(text)
    if row is not None and row.has_boundary_token:
        fields["wb"] = options["word_boundary"]
        if options["ignored_tokens"]:
            fields["ign"] = options["ignored_tokens"]
    for world in worlds_in([text]):
        fields |= world.sign(options)
    if options["documents"]:
        fields["docs"] = "files" if options["whole_files"] else "marked"
    for name, option in _OPTIONS.items():
        usual = None if row is None else row.usual.get(name)
        if options[name] not in (option.default, usual):
            fields[option.field] = _shown(option, options[name])
    zero = options["zero_division"]
    fields |= {"avg": average, "zero": zero if zero == "omit" else float(zero)}
    values: dict[Option, Any] = {}
    for group in groups:
        values |= {option: option.used(options[option.name]) for option in group.options}
    # Options may share a field, as window_size and window_convention do: `win:2-segeval`.
    of_groups: dict[str, list[str]] = {}
    for option, value in values.items():
        if value is not None:
            of_groups.setdefault(option.field, []).extend(_shown(option, value))
    fields |= {name: "-".join(values) for name, values in of_groups.items() if name not in fields}
    if intervals:
        fields["ci"] = intervals
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
    'segscores|text:alignment|zero:0|v:0.3.0'
    """
    return _written(fields | {"v": __version__})


def _written(fields: Mapping[str, object]) -> str:
    """Return the signature; the values of a list have commas between them."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in fields.items()}
    return "|".join(("segscores", *(f"{name}:{','.join(map(_escape, values))}" for name, values in lists.items())))


def _shown(option: Option, value: Any) -> list[str]:
    if option.kind.is_list:
        return [shorten_digest(value)]
    return option.kind.sign(value)


def _text_of(options: Mapping[str, Any], form: Form) -> str:
    """Return the value of the field `text`."""
    if options["label_scheme"] is not None:
        return str(options["label_scheme"])
    if form.signed:
        return form.signed
    formats = {str(options[side] or options["text_format"]) for side in ("reference_format", "prediction_format")}
    if len(formats) > 1:
        # All sides are read as words text, into which units text is joined.
        return PLAIN.name
    return formats.pop()


def _escape(value: object) -> str:
    """Return a value without separators; letters of any script stay as they are, and numbers have all digits."""
    # Adding 0.0 turns -0.0 into 0.0.
    text = repr(value + 0.0).removesuffix(".0") if isinstance(value, float) else str(value)
    plain = {character for character in text if character.isprintable()} - {*"|:,% "}
    return "".join(sign if sign in plain else quote(sign, errors="backslashreplace") for sign in text)
