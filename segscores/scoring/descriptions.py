"""Descriptions of scores for programs: the range, the better values, the source, and the BibTeX to cite it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .measures.bibliography import CITATION, works_of
from .measures.registry import GROUPS, check_score_names, group_of, heading_of, keys_named


@dataclass(frozen=True)
class ScoreDescription:
    """Facts about a score: its heading, its range, and its sources."""

    group: str  #: the name of its group in the option `scores`
    key: str  #: its name in results
    heading: str  #: its name in words
    low: float  #: the smallest value; -inf without one
    high: float  #: the largest value; inf without one
    #: the values that are better: "higher", "lower", "near 0", or "of the text" if it depends on no prediction
    better: str
    definition: str  #: the things that the group counts
    formula: str  #: the formulas of the group
    options: tuple[str, ...]  #: the options that change it
    source: str  #: who defined it
    equal_to: str  #: the tools that compute the same values; may be empty
    bibtex: str  #: the entries of the works that the source names; may be empty


def groups(scores: str | Sequence[str] | None = None) -> list[ScoreDescription]:
    """Describe scores, for programs that list or cite them.

    Args:
        scores: names of groups, selections and single scores, as in `segscores.score`; None and `"all"` for every score.

    Returns:
        A description of each score once, in the order of the names.

    Raises:
        TypeError, ValueError: `scores` is no name or list of names, or a name is unknown.

    >>> (pk,) = groups("pk")
    >>> pk.group, pk.heading, (pk.low, pk.high), pk.better
    ('windows', 'Pk', (0.0, 1.0), 'lower')
    >>> print(pk.bibtex.partition("{")[2].partition(",")[0])
    beeferman1999statistical
    """
    return [_describe(key) for key in _keys_of(scores)]


def cite(scores: str | Sequence[str]) -> str:
    """Return BibTeX entries for segscores and for the works that define scores.

    Args:
        scores: names of groups, selections and single scores, as in `segscores.score`.

    Returns:
        The entries, each work once; the first is that of segscores.

    Raises:
        TypeError, ValueError: `scores` is no name or list of names, or a name is unknown.

    >>> [line for line in cite(["token_fscore", "tnr"]).splitlines() if line.startswith("@")]  # doctest: +NORMALIZE_WHITESPACE
    ['@software{segscores,', '@article{brent1999efficient,', '@article{goldwater2009bayesian,',
     '@inproceedings{shao2017recall,']
    """
    entries = [CITATION]
    for key in _keys_of(scores):
        entries += [work.bibtex for work in works_of(group_of(key).source)]
    return "\n\n".join(dict.fromkeys(entries))


def keys_of_works(scores: str | Sequence[str]) -> list[str]:
    """Return the keys of the works that define scores, with which LaTeX cites them, each once."""
    works: list[str] = []
    for key in _keys_of(scores):
        works += [work.key for work in works_of(group_of(key).source)]
    return list(dict.fromkeys(works))


def _keys_of(scores: str | Sequence[str] | None) -> list[str]:
    """Return the scores that names select, each once; None and `"all"` select every score, also those that an option adds."""
    keys: list[str] = []
    for name in check_score_names("all" if scores is None else scores):
        if name == "all":
            for group in GROUPS.values():
                keys += group.keys
        else:
            keys += keys_named(name)
    return list(dict.fromkeys(keys))


def _describe(key: str) -> ScoreDescription:
    """Return the facts about a score, from its group and its `Key` there."""
    group = group_of(key)
    low, high = group.keys[key].range
    return ScoreDescription(
        group=group.name,
        key=key,
        heading=heading_of(key),
        low=low,
        high=high,
        better=group.keys[key].better,
        definition=group.definition,
        formula=group.formula,
        options=group.option_names,
        source=group.source,
        equal_to=group.equal_to,
        bibtex="\n\n".join(work.bibtex for work in works_of(group.source)),
    )
