"""Signature: one line that documents how scores were computed, to report with them.

Conventions
-----------
A signature is `segscores` and fields `name:value`, separated by `|`. It has the options that change scores; those of a
group only if a score of the group is selected. Two scores of the same text with the same signature can be compared. In a
value, separators, whitespace and characters that are not printable are escaped as in a URL, such as `%7C` for `|`.

| field | value |
|---|---|
| `text` | the text format of all sides; of several `words`; `lists` for lists of words; for labels their scheme |
| `sep`, `join`, `spaces`, `markup` | the options separator, joiner, spaces and markup, if they are not the default |
| `wb`, `ign` | the word boundary and the ignored tokens of units text |
| `norm`, `marks`, `mismatch` | the options normalize, subword_marks and on_mismatch, if they are not the default |
| `ignore` | ignore_index |
| `avg` | `micro` or `macro` |
| `zero` | zero_division |
| `dict`, `acc`, `vocab` | the first eight digits of the SHA-256 of the dictionary, the acceptable segments and the vocabulary |
| `win`, `tol`, `span` | window_size and its convention, tolerance, transposition_span |
| `ci` | confidence in per cent and method of the intervals; of percentiles the resamples and their seed |
| `ci_types` | the method for intervals of type scores where it is another: `jackknife` |
| `clusters` | the number of clusters of utterances that were resampled as wholes |
| `skipped` | how many utterances have different units and were left out, if any; of several predictions `1+0+2` |
| `n` | the number of utterances, with those that were skipped |
| `v` | the version |

Source
------
Post (2018), A Call for Clarity in Reporting BLEU Scores, WMT, 186-191: sacreBLEU's signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..options.table import SENTENCE_FORMATS
from .measures.registry import groups_of, select_scores

#: The value of `ci_types`.
TYPE_INTERVALS = "jackknife"

#: For each field of an option on a text format the option, and its usual values by text format, or of all.
_READ_WITH: dict[str, tuple[str, dict[object, str]]] = {
    "sep": ("separator", {"separated": "|", "tagged": "/"}),
    "join": ("joiner", {"syllables": "_"}),
    "spaces": ("spaces", {"": "units"}),
    "markup": ("markup", {"": "units"}),
}

_DIGEST_PREFIX, _DIGITS = "sha256:", 8


def signature_of(
    options: Mapping[str, Any],
    form: str | None,
    utterances: int,
    *,
    average: str = "micro",
    intervals: str = "",
    clusters: int | None = None,
    further: Mapping[str, object] | None = None,
) -> str:
    """The signature of a scoring.

    Args:
        options: every option by name, as in `CorpusTally.options`; the window size that was used.
        form: the form of utterances, `"text"`, `"words"`, `"labels"` or a format of files such as `"conllu"`, or None if all were
            empty lists.
        clusters: the number of resampled clusters; None if utterances were resampled.
        further: more fields by name, for other things that change the scores.

    >>> from segscores import tally
    >>> tally(["the dog"], ["thedog"], text_format="words").signature()
    'segscores|text:words|avg:micro|zero:0|n:1|v:0.2.0'
    """
    keys = select_scores(options["scores"], words_known=options["label_scheme"] is None)
    groups = groups_of(keys)
    fields: dict[str, object] = {"text": _form(options, form)}
    if fields["text"] == "units":
        fields["wb"] = options["word_boundary"]
        if options["ignored_tokens"]:
            fields["ign"] = ",".join(map(_escape, options["ignored_tokens"]))
    for name, (option_name, usual) in _READ_WITH.items():
        value = options[option_name]
        if value not in (None, usual.get(""), usual.get(fields["text"])):
            fields[name] = value
    if options["documents"]:
        fields["docs"] = "files" if options["whole_files"] else "marked"
    if options["ignore_index"] is not None:
        fields["ignore"] = options["ignore_index"]
    if options["normalize"] is not None:
        fields["norm"] = options["normalize"]
    if options["subword_marks"] is not None:
        fields["marks"] = options["subword_marks"]
    if options["on_mismatch"] != "error":
        fields["mismatch"] = options["on_mismatch"]
    fields |= {"avg": average, "zero": float(options["zero_division"])}
    of_groups: dict[str, list[str]] = {}
    for option in {option.name: option for group in groups for option in group.options}.values():
        value = options[option.name]
        if option.signature and not (option.kind.is_list and value is None):
            of_groups.setdefault(option.signature, []).append(
                shorten_digest(value) if option.kind.is_list else str(value)
            )
    fields |= {name: "-".join(values) for name, values in of_groups.items()}
    if intervals:
        fields["ci"] = intervals
        if "percentile" in intervals and average == "micro" and any(group.needs_words for group in groups):
            fields["ci_types"] = TYPE_INTERVALS
    if clusters is not None:
        fields["clusters"] = clusters
    fields |= {**(further or {}), "n": utterances, "v": __version__}
    return _written(fields)


def signed_skipped(skipped: Iterable[int]) -> dict[str, object]:
    """The field for utterances that `on_mismatch="skip"` left out; empty if there are none.

    >>> signed_skipped([1, 0]), signed_skipped([0])
    ({'skipped': '1+0'}, {})
    """
    counts = list(skipped)
    return {"skipped": "+".join(map(str, counts))} if any(counts) else {}


def shorten_digest(digest: str) -> str:
    """The first eight digits of a digest, as in signatures."""
    return digest.removeprefix(_DIGEST_PREFIX)[:_DIGITS]


def sign_plainly(**fields: object) -> str:
    """A signature of given fields and the version, for results without scoring options.

    >>> sign_plainly(text="alignment", zero=0.0)
    'segscores|text:alignment|zero:0|v:0.2.0'
    """
    return _written(fields | {"v": __version__})


def _written(fields: Mapping[str, object]) -> str:
    written = (f"{name}:{value if name == 'ign' else _escape(_plain(value))}" for name, value in fields.items())
    return "|".join(("segscores", *written))


def _plain(value: object) -> str:
    """A value with all digits, without a negative zero."""
    return repr(value + 0.0).removesuffix(".0") if isinstance(value, float) else str(value)


def _form(options: Mapping[str, Any], form: str | None) -> str:
    if options["label_scheme"] is not None:
        return str(options["label_scheme"])
    if form in SENTENCE_FORMATS:
        return str(form)
    formats = {str(options[side] or options["text_format"]) for side in ("reference_format", "prediction_format")}
    # Units text is joined into words text.
    return "lists" if form == "words" else formats.pop() if len(formats) == 1 else "words"


def _escape(value: str) -> str:
    """A value without separators; letters of any script stay as they are."""
    return "".join(
        character if character.isprintable() and character not in "|:,% " else quote(character) for character in value
    )
