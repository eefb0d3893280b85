r"""Methods: the paragraph of a paper that says how scores were computed, from their names and their signature.

The paragraph is LaTeX with `\citep` of natbib. It says in words what readers need, and has the whole signature for
the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..options.functions import with_inputs
from ..options.quoting import shortened
from ..scoring.descriptions import groups, keys_of_works
from ..scoring.measures.registry import heading_within_sentence
from .rendering import LATEX

#: The averages of scores in words, by the field `avg` of a signature.
_AVERAGES = {
    "micro": "computed over the whole corpus",
    "macro": "means over utterances",
    "cluster": "means over clusters",
}

#: The forms of the fields that the paragraph reads, such as `95-jackknife` and `95-percentile-1000-0` of `ci`.
_FORMS = {"v": ".+", "ci": "[^-]+-(jackknife|[^-]+-.+)", "clusters": ".+", "trials": r"exact|\d+-\d+"}


@with_inputs
def methods(scores: str | Sequence[str], signature: str) -> str:
    """Return the paragraph on methods for scores and their signature, in LaTeX; `cite` has the entries that it cites.

    Args:
        scores: names of groups, selections and single scores, as in `segscores.score`.
        signature: the signature of the scores, or of a comparison; it may be the line that the command prints.

    Raises:
        TypeError, ValueError: `scores` is no name or list of names, or a name is unknown; or `signature` is no signature.

    >>> text = methods("token_fscore", "segscores|text:words|avg:micro|zero:0|ci:95-jackknife|ref:db2e0635|n:40|v:0.4.0")
    >>> print("\\n".join(text.split(". ")[:3]))
    We report the word F-score \\citep{brent1999efficient,goldwater2009bayesian}, computed with segscores 0.4.0 \\citep{segscores}
    Scores are computed over the whole corpus
    Intervals are at 95\\,\\%, by the jackknife over utterances
    """
    if isinstance(signature, str):
        # The command prints it with this prefix.
        signature = signature.strip().removeprefix("signature: ")
    fields = _fields_of(signature)
    headings = [heading_within_sentence(description.key) for description in groups(scores)]
    # The keys of entries in BibTeX; none for scores that no work defines.
    works = keys_of_works(scores)
    cited = f" \\citep{{{','.join(works)}}}" if works else ""
    # "word precision, the word recall and the word F-score", after "We report the".
    *others, last = headings
    names = last
    if others:
        names = f"{', the '.join(others)} and the {last}"
    sentences = [
        f"We report the {_escaped(names)}{cited}, computed with segscores {_escaped(fields['v'])} \\citep{{segscores}}."
    ]
    if fields.get("avg") in _AVERAGES:
        sentences.append(f"Scores are {_AVERAGES[fields['avg']]}.")
    if "ci" in fields:
        sentences.append(_about_intervals(fields))
    if "trials" in fields:
        sentences.append(_about_tests(fields["trials"]))
    sentences.append(f"The signature is \\texttt{{{_escaped(signature)}}}.")
    return " ".join(sentences)


def _fields_of(signature: str) -> dict[str, str]:
    """Return the fields of a signature by name: of `segscores|text:words|v:0.4.0` `{"text": "words", "v": "0.4.0"}`."""
    if not isinstance(signature, str):
        raise TypeError(f"signature: expected a string, received {shortened(signature)}.")
    name, *parts = signature.split("|")
    fields: dict[str, str] = {}
    for part in parts:
        field, _, value = part.partition(":")
        fields[field] = value
    # A field that lacks its value, as of a line that was cut off, has another form.
    are_whole = all(re.fullmatch(form, fields[field]) for field, form in _FORMS.items() if field in fields)
    if name != "segscores" or "v" not in fields or not are_whole:
        expected = "expected a signature as segscores prints it, such as segscores|text:words|…|v:0.4.0"
        raise ValueError(f"signature: received {shortened(signature)}; {expected}.")
    return fields


def _about_intervals(fields: dict[str, str]) -> str:
    """Return the sentence on intervals; `ci` is `95-jackknife`, or `95-percentile-1000-0` with resamples and seed."""
    level, method, *resamples_and_seed = fields["ci"].split("-")
    resampled = f"{fields['clusters']} clusters of utterances" if "clusters" in fields else "utterances"
    if method == "jackknife":
        return f"Intervals are at {level}\\,\\%, by the jackknife over {resampled}."
    resamples, *_ = resamples_and_seed
    return f"Intervals are at {level}\\,\\%, percentiles of {resamples} bootstrap resamples of {resampled}."


def _about_tests(trials: str) -> str:
    """Return the sentence on tests; `trials` is `exact`, or `10000-0` with the seed."""
    trial_count, _, _ = trials.partition("-")
    trials_in_words = "all exchanges" if trials == "exact" else f"{trial_count} trials"
    return f"Differences are tested by paired randomisation with {trials_in_words}, and corrected for several systems (Holm)."


def _escaped(text: str) -> str:
    """Return a text as LaTeX prints it."""
    return "".join(LATEX.get(letter, letter) for letter in text)
