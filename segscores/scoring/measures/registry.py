"""Registry: the list of score groups, and look-ups by group, key and option.

The options of all entry points, the signature, the flags of the command, the tables of the documentation and the invariance
tests come from this list. Scores are in [0, 1] and higher is better, unless the group says otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.formulas import AS_FRACTION, Count, Fraction, Score
from ...options.messages import OptionError
from ...options.option import Option
from ...options.quoting import shortened
from ...options.suggestions import nearest, suggestion
from ...options.table import GROUP_OPTIONS, OPTIONS, SELECTIONS
from ...reading.world import worlds_in
from .group import ScoreGroup
from .needs import GIVEN_BY_TEXT, NAMED, OPTION_THAT_GIVES, Needs, error_of, gives_of

#: The groups that are scored if `scores` is not given.
DEFAULT_SCORES: tuple[str, ...] = OPTIONS["scores"].default

#: The modules of the groups, with the names of their groups, in the order of listings. Measures of a world stand in its folder.
MODULES: dict[str, tuple[str, ...]] = {
    "scoring.measures.basic": ("boundary_all", "boundary_noedge", "token", "type", "tnr"),
    "scoring.measures.boundaries": ("boundary_start", "boundary_end", "boundary_accuracy"),
    "scoring.measures.dictionary": ("dictionary",),
    "scoring.measures.oov": ("oov",),
    "scoring.measures.exact": ("exact",),
    "worlds.documents.sentence": ("sentence", "sentence_boundary_end", "sentence_boundary_noedge"),
    "worlds.documents.syntactic_word": ("syntactic_word",),
    "worlds.tags.tagged_token": ("tagged_token",),
    "scoring.measures.word_error": ("word_error",),
    "scoring.measures.rand": ("rand",),
    "scoring.measures.rates": ("rates",),
    "scoring.measures.tolerance": ("tolerance",),
    "worlds.times.measures": ("lenient", "labelled_token", "timing"),
    "worlds.times.labelled_time": ("labelled_time",),
    "scoring.measures.windows": ("windows",),
    "scoring.measures.similarity": ("similarity",),
    "scoring.measures.agreement": ("agreement",),
    "worlds.tokenizers.subword": ("subword",),
    "scoring.measures.token_use": ("token_use",),
    "worlds.morphs.morpheme": ("morpheme",),
    "worlds.morphs.bpr": ("bpr",),
    "scoring.measures.unit_error": ("unit_error",),
}
#: The modules of groups that functions of their own score.
MODULES_OF_OTHER_FUNCTIONS = {"scoring.measures.bisegments": ("alignment", "word", "character", "strict", "lax")}


class _Groups(Mapping[str, ScoreGroup]):
    """The groups by name, in the order of listings. The module of a group is imported where the group is first needed."""

    def __init__(self, modules: Mapping[str, Sequence[str]]) -> None:
        self._module_of: dict[str, str] = {}
        for module, names in modules.items():
            self._module_of |= dict.fromkeys(names, module)
        self._imported: dict[str, ScoreGroup] = {}
        self._by_key: dict[str, ScoreGroup] = {}

    def __getitem__(self, name: str) -> ScoreGroup:
        if name not in self._imported:
            self._import(self._module_of[name])
        return self._imported[name]

    def __contains__(self, name: object) -> bool:
        return name in self._module_of  # without the import that the Mapping's own method makes

    def __iter__(self) -> Iterator[str]:
        return iter(self._module_of)

    def __len__(self) -> int:
        return len(self._module_of)

    def with_score(self, key: str) -> ScoreGroup | None:
        """Return the group that has a score; None if there is no such score."""
        if key not in self._by_key:
            self.scores()  # which imports the groups that are missing
        return self._by_key.get(key)

    def scores(self) -> list[str]:
        """Return every score, in the order of listings, which imports all modules."""
        return list(chain.from_iterable(group.keys for group in self.values()))

    def _import(self, module: str) -> None:
        """Import a module, and keep its groups, which are in `GROUPS` or, if it has one, in `GROUP`."""
        measure = import_module(f"segscores.{module}")
        groups = measure.GROUPS if hasattr(measure, "GROUPS") else (measure.GROUP,)
        for group in groups:
            if group.name in self:  # not the group that another module has under the same name
                self._imported[group.name] = group
                self._by_key |= dict.fromkeys(group.keys, group)


GROUPS = _Groups(MODULES)
#: The groups that functions of their own score, and that the option `scores` of segmentations does not name. The module has one
#: more, `sentence`, with the same keys, counts and formulas as that of documents.
_OTHER_GROUPS = _Groups(MODULES_OF_OTHER_FUNCTIONS)

#: The score that stands for all where it is computed.
_MAIN = "token_fscore"
#: The prefix of the names of counts, which no score has.
_COUNT = "count_"


def select_scores(scores: str | Sequence[str], gives: Needs = GIVEN_BY_TEXT) -> tuple[str, ...]:
    """Return the keys of the scores that the option `scores` selects, in order, without repetition.

    Selections leave out the scores that need words or units if utterances, which have `gives`, have none.

    >>> select_scores("token")
    ('token_precision', 'token_recall', 'token_fscore')
    >>> select_scores(["token_fscore", "exact"])
    ('token_fscore', 'utterance_accuracy')
    """
    return _select_scores(check_score_names(scores), gives)


def keys_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of the scores that the option `scores` selects, by the values of all options.

    The other options say what utterances have, without which some scores are left out.
    """
    worlds = worlds_in((options["text_format"], options["reference_format"]))
    world = next(iter(worlds), None)  # None: text or labels
    has_text = options["label_scheme"] is None
    gives = gives_of(world, has_text=has_text, has_documents=options["documents"])
    return select_scores(options["scores"], gives)


@lru_cache(maxsize=64)
def _select_scores(names: tuple[str, ...], gives: Needs) -> tuple[str, ...]:
    """Return the keys of the scores that checked names select; `gives` is what utterances have: see `select_scores`."""
    # A dict in place of a set, because it keeps the order.
    keys: dict[str, None] = {}
    for name in names:
        # By score, what it needs of units and words and utterances do not have: labels have no words. Other needs, such as tags,
        # are checked when the groups are known.
        lacking = {key: (group_of(key).needs & GIVEN_BY_TEXT) - gives for key in keys_named(name)}
        selected = [key for key, lacking_of_key in lacking.items() if not lacking_of_key]
        if not selected:
            # Name what no score of the name can do without.
            raise lacks_error(name, frozenset.intersection(*lacking.values()), gives)
        keys |= dict.fromkeys(selected)
    return tuple(keys)


def lacks_error(name: str, lacking: Needs, gives: Needs) -> OptionError:
    """Return the error for a score, by its name, that needs what utterances lack; they have `gives`."""
    return error_of(name, lacking, gives, [group.name for group in GROUPS.values() if group.needs <= gives])


def keys_named(name: str) -> tuple[str, ...]:
    """Return the scores that a group, a selection, a score or `"all"` stands for.

    `"all"` stands for the scores of text here. A `Plan`, which knows what the utterances have, expands it before.
    """
    if name == "all":
        return tuple(chain.from_iterable(group.keys for group in groups_of_all(GIVEN_BY_TEXT)))
    if name in GROUPS:
        return tuple(GROUPS[name].keys)
    if name in SELECTIONS:
        return SELECTIONS[name].keys
    return (name,)


def groups_of_all(gives: Needs, added: Collection[ScoreGroup] = ()) -> list[ScoreGroup]:
    """Return the groups that `"all"` stands for, for utterances that have `gives`; `added` are those that options add."""
    groups = []
    for group in GROUPS.values():
        is_meant = group in added or not group.added_by
        # A group that needs what few forms give (NAMED) is scored only by its name.
        if is_meant and group.needs <= gives - NAMED:
            groups.append(group)
    return groups


def added_groups(asked: Mapping[str, Any]) -> list[ScoreGroup]:
    """Return the groups that options add; `asked` has the values of options, None for an option that is not given.

    An option that gives what groups need adds the first of them.
    """
    given = {name for name, value in asked.items() if value is not None}
    needed = {need for need, name in OPTION_THAT_GIVES.items() if name in given}
    if not any(map(_may_add, given)):
        return []  # without a look at the groups, which imports them
    added = []
    for group in GROUPS.values():
        if group.added_by in given or not needed.isdisjoint(group.needs):
            added.append(group)
            needed -= group.needs  # other groups with this need are not added
    return added


def _may_add(name: str) -> bool:
    """Return whether an option may add groups to the scores.

    An option of groups adds one only if it says so. Any other option, such as `documents`, may give what a group needs.
    """
    option = GROUP_OPTIONS.get(name)
    return option is None or option.adds


def check_score_names(scores: object) -> tuple[str, ...]:
    """Return the names in the option `scores`: of groups, selections and single scores.

    >>> check_score_names("boundary")
    Traceback (most recent call last):
    ...
    ValueError: unknown score group 'boundary'. Did you mean 'boundary_all' (boundaries with edges) or 'boundary_noedge' \
(boundaries without edges) or 'boundary_start' (boundaries with the start edge)? The command segscores groups lists all names.
    """
    if isinstance(scores, str):
        names: tuple[str, ...] = (scores,)
    elif isinstance(scores, Sequence) and all(isinstance(name, str) for name in scores):
        names = tuple(scores)
    else:
        raise TypeError(f"scores: expected the name of a group or a list of names, received {shortened(scores)}.")
    all_names = "The command segscores groups lists all names."
    if not names:
        example = "name at least one group, such as 'token', or score, such as 'token_fscore'."
        raise ValueError(f"scores is empty: {example} {all_names}")
    for name in names:
        if not _is_known(name):
            raise ValueError(f"unknown score group {shortened(name)}.{_meant(name)} {all_names}")
    return names


def _is_known(name: str) -> bool:
    """Return whether a name stands for scores: `"all"`, a group, a selection or a score."""
    if name in ("all", *GROUPS, *SELECTIONS):
        return True
    return GROUPS.with_score(name) is not None


def _meant(name: str) -> str:
    """Return a hint at the names that an unknown name probably means.

    An example is " Did you mean 'token'?" The name may be several names that no comma separates, such as "token; type". If no
    name is near, the hint is at the two kinds.
    """
    meant: dict[str, None] = {}  # each name once
    for part in re.split(r"[^\w-]+", name):
        meant |= dict.fromkeys(_nearest_names(part))
    if not meant:
        return " Expected a group, such as 'token', or a score, such as 'token_fscore'."
    shown = [repr(near) for near in meant]
    # The titles tell several groups apart.
    if len(meant) > 1 and GROUPS.keys() >= meant.keys():
        shown = [f"{near!r} ({GROUPS[near].title})" for near in meant]
    return f" Did you mean {' or '.join(shown)}?"


def _nearest_names(name: str) -> list[str]:
    """Return the names that an unknown name may stand for, such as `boundary_all` for `boundry_all`; empty if none is near."""
    # `token_f1` begins the name `token_fscore`, without the 1.
    wanted = name.lower().replace("-", "_").rstrip("1")
    scores = GROUPS.scores()
    also_called = _scores_also_called(wanted)
    if also_called:
        return also_called
    scores_begun = []
    if wanted:
        scores_begun = [key for key in scores if key.startswith(wanted)]
    begins_group = any(group_name.startswith(wanted) for group_name in GROUPS)
    group = _group_also_called(name.lower().replace("-", "").replace("_", ""))
    if scores_begun and not group and not begins_group:
        # The name begins the names of scores, and of no group. A hint has room for three.
        return scores_begun[:3]
    if not group:
        # A score that is nearer than every group is meant alone.
        closest = nearest(name, [*GROUPS, *SELECTIONS, *scores])[:1]
        if any(near in scores for near in closest):
            return closest
    names = nearest(name, [*GROUPS, *SELECTIONS])
    if group:
        names = [group, *names]
    return list(dict.fromkeys(names))


def _group_also_called(name: str) -> str:
    """Return the group that has another common name, such as `"r"`; an empty string if none has it."""
    return next((group.name for group in GROUPS.values() if name in group.also_called), "")


def _scores_also_called(name: str) -> list[str]:
    """Return the scores of a name that begins with another common name of their group; none if it does not.

    >>> _scores_also_called("word_recall"), _scores_also_called("word_f")
    (['token_recall'], ['token_fscore'])
    """
    group_name, _, measure = name.rpartition("_")
    group = _group_also_called(group_name.replace("_", ""))
    if not group:
        return []
    return [key for key in GROUPS.scores() if key.startswith(f"{group}_{measure}")]


@lru_cache(maxsize=64)
def groups_of(keys: tuple[str, ...]) -> tuple[ScoreGroup, ...]:
    """Return the groups that compute these keys, in the order of the registry."""
    groups = {group_of(key).name: group_of(key) for key in keys}
    return tuple(groups[name] for name in (*GROUPS, *_OTHER_GROUPS) if name in groups)


def group_of(key: str) -> ScoreGroup:
    """Return the group of a score."""
    group = GROUPS.with_score(key) or _OTHER_GROUPS.with_score(key)
    if group is None:
        meant = suggestion(key, GROUPS.scores()) or " Expected one such as 'token_fscore'."
        raise ValueError(f"there is no score {shortened(key)}.{meant}")
    return group


def check_scored(option: Option, key: str, keys: Sequence[str]) -> None:
    """Check that the score that an option names is among the computed scores, `keys`."""
    if key in keys:
        return
    group = GROUPS.with_score(key)
    if group is None:
        meant = suggestion(key, keys) or suggestion(key, GROUPS.scores()) or f" The scores are {', '.join(keys)}."
        raise OptionError(option, f": there is no score {shortened(key)}.{meant}")
    with_option: list[object] = []
    if group.needs_option:
        with_option = [" with ", OPTIONS[group.needs_option]]
    add = f": {key} is of the group {group.name}, which is not scored: add {group.name} to "
    raise OptionError(option, add, OPTIONS["scores"], *with_option, ".")


def count_name(column: str) -> str:
    """Return the name of a count in a list of scores and counts: a prefix marks it, as some scores have the names of columns.

    >>> count_name("word_insertions")
    'count_word_insertions'
    """
    return _COUNT + column


def main_score(keys: Sequence[str]) -> str:
    """Return the score that stands for all: the F-score of words, or the F-score of the first group, or the first score.

    >>> main_score(["boundary_all_recall", "boundary_all_fscore", "pk"])
    'boundary_all_fscore'
    """
    first, *_ = keys
    fscores_of_first_group = [key for key in group_of(first).keys if key.endswith("_fscore")]
    return next((key for key in (_MAIN, *fscores_of_first_group) if key in keys), first)


def heading_of(key: str) -> str:
    """Return the name of a score or a count in tables for people.

    >>> heading_of("boundary_noedge_fscore"), heading_of("word_error_rate"), heading_of("count_word_insertions")
    ('Boundary F-score (without edges)', 'Word error rate', 'Word insertions (count)')
    """
    if key.startswith(_COUNT):
        return f"{heading_of(key.removeprefix(_COUNT))} (count)"
    group = GROUPS.with_score(key)
    if group is not None and group.keys[key].heading:
        return group.keys[key].heading
    plain = key.replace("_fscore", " F-score").replace("_", " ")
    return plain[:1].upper() + plain[1:]  # `capitalize` would make the F of F-score small


def heading_within_sentence(key: str) -> str:
    """Return the heading of a score with a small letter, unless it begins with a name, a symbol or an abbreviation.

    >>> [heading_within_sentence(key) for key in ("token_fscore", "oov_recall", "agreement_kappa")]
    ['word F-score', 'OOV recall', "Cohen's kappa"]
    """
    heading = heading_of(key)
    # An ordinary word is a capital and at least two small letters. This leaves "OOV", "Pk", "R-value" and "WindowDiff" as they
    # are, "Rényi" for its accent, and "Cohen's" for its apostrophe.
    begins_with_word = re.match(r"[A-Z][a-z]{2,}\b(?!')", heading)
    if not begins_with_word:
        return heading
    return heading[0].lower() + heading[1:]


def is_share(key: str) -> bool:
    """Return whether percent can stand for a score."""
    group = GROUPS.with_score(key)
    return group is None or group.keys[key].is_share


def goodness(key: str, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """Return values of a score, transformed so that higher is better; None where no value is better than another.

    >>> goodness("over_segmentation", np.array([-0.5, 0.25]))
    array([-0.5 , -0.25])
    """
    better = group_of(key).keys[key].better
    if better == "higher":
        return values
    if better == "lower":
        return -values
    if better == "near 0":
        return -np.abs(values)
    return None


def compute_scores(counts: Mapping[str, Count], keys: Sequence[str], zero_division: float = 0.0) -> dict[str, Score]:
    """Return the scores `keys` from counts, in their order.

    >>> counts = {"token_matched": 4, "token_predicted": 5, "token_reference": 6}
    >>> {key: round(float(value), 3) for key, value in compute_scores(counts, ["token_recall"]).items()}
    {'token_recall': 0.667}
    """
    scores: dict[str, Score] = {}
    for group in groups_of(tuple(keys)):
        scores |= group.formulas(counts, zero_division)
    return dict(zip(keys, map(scores.__getitem__, keys), strict=True))


def plain_scores(counts: Mapping[str, int], keys: Sequence[str], zero_division: float) -> dict[str, float]:
    """Compute scores from sums, as plain floats."""
    scores = compute_scores(counts, keys, zero_division)
    return dict(zip(scores, map(float, scores.values()), strict=True))


def scores_out_of_range(counts: Mapping[str, int], keys: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the scores of the groups of `keys` that are out of range, with their ranges; counts of a text give none.

    A quotient is in its range if its denominator is not negative, and its numerator lies within the range times the denominator.
    If this holds for some counts, it holds for their sums.

    >>> scores_out_of_range({"token_matched": 5, "token_predicted": 4, "token_reference": 6}, ["token_recall"])
    {'token_precision': (0.0, 1.0)}
    """
    outside = {}
    for group in groups_of(tuple(keys)):
        for key, score in group.formulas(counts, AS_FRACTION).items():
            low, high = group.keys[key].range
            # A score that is no quotient, such as a count, is one of itself and 1.
            top, bottom = score.terms if isinstance(score, Fraction) else (float(score), 1.0)
            rounding = 1e-9 * abs(bottom)
            # nan, which is an undefined score or infinity times 0, must pass: all comparisons with it are false.
            if bottom < 0 or top < low * bottom - rounding or top > high * bottom + rounding:
                outside[key] = low, high
    return outside


def fractions(counts: Mapping[str, int], keys: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the numerators and denominators of the scores that are one quotient of whole numbers.

    >>> fractions({"token_matched": 3, "token_predicted": 4, "token_reference": 6}, ["token_precision", "token_fscore"])
    {'token_precision': (3, 4), 'token_fscore': (6, 10)}
    """
    scores = compute_scores(counts, keys, AS_FRACTION)
    terms = {key: score.terms for key, score in scores.items() if isinstance(score, Fraction)}
    # A numerator or denominator may be no whole number, and is nan where a part of it is undefined.
    whole = {key: both for key, both in terms.items() if all(float(term).is_integer() for term in both)}
    return {key: (int(top), int(bottom)) for key, (top, bottom) in whole.items()}


def undefined_keys(counts: Mapping[str, int], keys: Sequence[str]) -> list[str]:
    """Return the scores whose denominator is 0, and whose value is therefore `zero_division`.

    >>> undefined_keys({"token_matched": 0, "token_predicted": 0, "token_reference": 6}, ["token_precision", "token_recall"])
    ['token_precision']
    """
    return [key for key, score in plain_scores(counts, keys, math.nan).items() if math.isnan(score)]
