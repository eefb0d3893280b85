"""Plan: the options of one request, checked and compiled; a task makes its plan before it reads anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..kernel.comparison import Comparison, compare_nothing
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.errors import warn
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import Message, OptionError
from ..options.option import Option, check_needs, check_options, is_asked
from ..options.table import GROUP_OPTIONS, OPTIONS, SELECTIONS, options_in, with_implied
from ..reading.reading import READING_OPTION_NAMES, Reading
from ..reading.world import World, world_of
from .measures.deprecated import old_names, with_new_names, with_on_error
from .measures.group import CorpusSize, ScoreGroup
from .measures.needs import EQUAL_UNITS, UNITS, given_by
from .measures.registry import (
    DEFAULT_SCORES,
    GROUPS,
    added_groups,
    check_score_names,
    groups_of,
    groups_of_all,
    keys_named,
    lacks_error,
    select_scores,
)
from .measures.tolerance import check_tolerance
from .mismatch import align_segmentations, compare_segmentations

if TYPE_CHECKING:
    from .ignored_words import IgnoredWords

SCORING = options_in(ScoringOptions)
#: The options with lists of words, such as a vocabulary.
_LISTS = frozenset(name for name, option in SCORING.items() if option.kind.is_word_list)


@record
class Plan:
    """A checked and compiled set of options.

    >>> Plan.of(text_format="words", scores="token").keys
    ('token_precision', 'token_recall', 'token_fscore')
    """

    scores: tuple[str, ...]
    keys: tuple[str, ...]  #: the scores to return, in order
    reading: Reading  #: how to read utterances
    zero_division: float
    warns_of_undefined: bool  #: whether to warn of scores that are 0/0, because the user did not set `zero_division`
    aligns: bool  #: whether units that differ are aligned
    values: Mapping[str, Any]  #: the options of groups by name; for a list its digest, or None if there is no list
    settings: Mapping[str, Mapping[str, Any]]  #: for each scored group, the keyword arguments of its `tally`
    ignored_words: IgnoredWords | None = None  #: the words of the reference that are left out; None if all are counted
    old_names: tuple[Message, ...] = ()  #: a warning for each option that the user gave by its old name

    @classmethod
    def of(cls, **options: Unpack[ScoringOptions]) -> Plan:
        """Check options, and compile them.

        >>> Plan.of(textformat="words")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        segscores.options.messages.OptionTypeError: unknown option 'textformat'. Did you mean 'text_format'? The options are ...
        """
        return cls.of_checked(check_options(options, SCORING))

    @classmethod
    def of_checked(cls, options: Mapping[str, Any]) -> Plan:
        """Return the plan of checked values; selections of scores may imply others. Raise an error if they do not go together."""
        # A plan counts with its own vocabulary, and lists may be long: only plans without them are kept in the cache.
        compile_plan: Callable[..., Plan] = cls._compile
        if not _LISTS.isdisjoint(options):
            compile_plan = cls._compile.__wrapped__  # the function without its cache
        plan = compile_plan(**options)
        # Warn here, because the function does not run where its result comes from the cache.
        for old_name in plan.old_names:
            warn(old_name, DeprecationWarning)
        if plan.ignored_words is not None:
            plan.ignored_words.warn()
        if plan.world is not None:
            plan.world.warn(plan.values)
        return plan

    @staticmethod
    @lru_cache(maxsize=16, typed=True)
    def _compile(**given: Any) -> Plan:
        """Return the plan of checked values; `given` are the options of the user, by name."""
        # The meaning of the options: with the options that selections of scores imply, and with new names for old ones.
        names = check_score_names(given.get("scores", DEFAULT_SCORES))
        options = given
        if not SELECTIONS.keys().isdisjoint(names):
            options = with_implied(given)
        # "align", and "skip", the old name of `on_error="skip"`, both add scores of units that differ: look before the old name
        # is replaced.
        adds_edits = options.get("on_mismatch", "error") != "error"
        options = with_on_error(options)
        aligns = options.get("on_mismatch") == "align"
        reading = _reading_of(names, options)
        values = _values_of(options, reading, aligns=aligns)
        ignored = _ignored_words_of(options, reading)

        # The chosen scores, which options may add to, and the groups that compute them. None stands for an option that adds
        # nothing.
        asked = {**values, "documents": reading.documents or None, "on_mismatch": adds_edits or None}
        scores = _chosen_scores(names, asked, reading, aligns=aligns, of_words=ignored is not None)
        _check_text(values, reading)
        keys = select_scores(scores, given_by(reading))
        groups = groups_of(keys)
        # The option that an old name means depends on the groups, which are known only here.
        values = with_new_names(values, groups, reading.label_scheme)

        # A plan checks that all this goes together, and says how it is read and counted.
        explicit_values = {name: value for name, value in values.items() if name in options}
        check_needs(explicit_values, GROUP_OPTIONS, values=values)
        _check_groups(groups, scores, values, reading)
        _check_options_are_used(groups, scores, values, reading)
        reading = _with_layers(reading, groups, scores, values, aligns=aligns)
        if ignored is not None:
            _check_ignored(ignored, groups, reading, aligns=aligns)
        settings = {group.name: _settings_of(group, values, reading) for group in groups}
        return Plan(
            scores=scores,
            keys=keys,
            reading=reading,
            zero_division=options.get("zero_division", OPTIONS["zero_division"].default),
            warns_of_undefined="zero_division" not in options,
            aligns=aligns,
            values=_with_digests(values, settings),
            settings=settings,
            ignored_words=ignored,
            old_names=tuple(old_names(given, values)),  # only `given` still has the old names
        )

    @property
    def zero_division_of_utterances(self) -> float:
        """The value of an undefined score of one utterance: nan, which no mean includes, if the user did not give one."""
        if self.warns_of_undefined:
            return math.nan
        return self.zero_division

    @cached_property
    def groups(self) -> tuple[ScoreGroup, ...]:
        """The groups that compute the scores."""
        return groups_of(self.keys)

    @cached_property
    def world(self) -> World | None:
        """The world of the utterances; None for text and labels."""
        return world_of(self.reading)

    @cached_property
    def option_needing_reference(self) -> Option | None:
        """The first option whose default comes from the whole reference; None if all have values."""
        for group in self.groups:
            name = group.needs_corpus  # "" for a group without such an option
            if name and self.values[name] is None:
                return OPTIONS[name]
        return None

    def with_reference(self, size: CorpusSize) -> Plan:
        """Return the same plan with the defaults that come from the size of the whole reference; given values stay."""
        values = self.values
        settings = dict(self.settings)
        for group in self.groups:
            if group.needs_corpus:
                values = group.with_corpus(values, size)
                settings[group.name] = _settings_of(group, values, self.reading)
        return replace(self, values=values, settings=settings)

    def shown_counts(self, totals: Mapping[str, int]) -> dict[str, int]:
        """Return the counts that people are shown: without the columns that groups read and no group shows."""
        columns: set[str] = set()
        shown: set[str] = set()
        for group in self.groups:
            columns.update(group.columns)
            shown.update(group.shown_columns)
        hidden = columns - shown
        return {column: count for column, count in totals.items() if column not in hidden}

    @property
    def compares_words(self) -> bool:
        """True if words are compared; False if all measures are of morphemes, which they compare by themselves.

        With the analyses `"any"` the morphemes of a word need not spell it, so that the two sides may have no units in common.
        """
        return self.reading.analyses != "any"

    @cached_property
    def compare(self) -> Callable[[Segmentation, Segmentation], Comparison]:
        """The function that compares a reference with a prediction."""
        world = self.world
        if not self.compares_words:
            return compare_nothing
        if world is not None:
            return lambda reference, prediction: world.compare(reference, prediction, self.values)
        if self.aligns:
            return align_segmentations
        return compare_segmentations

    def plain(self) -> dict[str, Any]:
        """Return every option as a value that JSON has, such as a list for a tuple; equal for options with the same meaning."""
        # A plan is for many tallies, and a caller may change the dict of one, and its lists.
        return {name: list(value) if isinstance(value, list) else value for name, value in self._plain.items()}

    @cached_property
    def _plain(self) -> Mapping[str, Any]:
        """Return what `plain` copies."""
        reading = {name: getattr(self.reading, name) for name in READING_OPTION_NAMES}
        plain = {
            "scores": list(self.scores),
            **{name: list(value) if isinstance(value, tuple) else value for name, value in reading.items()},
            # The number nan is not in JSON, and is unequal to itself.
            "zero_division": "nan" if math.isnan(self.zero_division) else self.zero_division,
            **self.values,
            "on_mismatch": "align" if self.aligns else "error",
            "on_error": "skip" if self.reading.skips else "error",
            "ignore_words": None if self.ignored_words is None else list(self.ignored_words.names),
        }
        # The tokens are a set, whose order differs between processes.
        return plain | {"ignored_tokens": sorted(set(self.reading.ignored_tokens))}


def _reading_of(names: Sequence[str], options: Mapping[str, Any]) -> Reading:
    """Return how utterances are read; selections among the names of scores may imply some options."""
    # The names of options, such as `window_convention`, which "nltk" implies.
    implied: set[str] = set()
    for name in names:
        if name in SELECTIONS:
            implied.update(SELECTIONS[name].implied)
    reading = Reading.of_checked({name: options[name] for name in READING_OPTION_NAMES if name in options})
    skips = options.get("on_error") == "skip"
    return replace(reading, implied=frozenset(implied), skips=skips, scores=tuple(names))


def _ignored_words_of(options: Mapping[str, Any], reading: Reading) -> IgnoredWords | None:
    """Return the words that are not counted, by the option `ignore_words`; None if all are counted."""
    names = options.get("ignore_words")
    if names is None:
        return None
    from .ignored_words import IgnoredWords

    return IgnoredWords.of(names, reading)


def _values_of(options: Mapping[str, Any], reading: Reading, *, aligns: bool) -> dict[str, Any]:
    """Return the options of groups with their defaults, after a check that they fit what utterances are: text or of a world."""
    values = {name: options.get(name, option.default) for name, option in GROUP_OPTIONS.items()}
    world = world_of(reading)
    if world is not None:
        return world.check(values, aligns)
    check_tolerance(values)
    _check_mismatch(reading, aligns=aligns)
    return values


def _with_layers(
    reading: Reading, groups: Sequence[ScoreGroup], scores: tuple[str, ...], values: Mapping[str, Any], *, aligns: bool
) -> Reading:
    """Return the reading, which also reads what groups need beside words: the analyses, the tag or the label of a word."""
    needs = frozenset().union(*(group.needs for group in groups))
    if "morphs" in needs:
        reading = replace(reading, analyses=_analyses_of(groups, scores, aligns=aligns))
    if "tags" in needs:
        reading = replace(reading, tags=values["tags"])
    if "word_labels" in needs:
        reading = replace(reading, word_labels=True)
    world = world_of(reading)
    if world is not None:
        reading = replace(reading, reach=world.reach(values))
    return reading


def _chosen_scores(
    names: tuple[str, ...], asked: Mapping[str, Any], reading: Reading, *, aligns: bool, of_words: bool
) -> tuple[str, ...]:
    """Return the names to score, with `"all"` expanded, and the groups that options add.

    `names` are those of the user, or the default ones. `asked` has the values of options; an option that is None adds no group.
    An added group joins the default scores; one with `joins_any_scores` also joins scores that the user named. `of_words` says
    that words may be left out, which only scores of words and their ends allow.
    """
    gives = given_by(reading, aligns=aligns)
    world = world_of(reading)
    added = added_groups(asked)
    added_to_defaults = [group.name for group in added if not group.joins_any_scores]  # the others follow below
    if "all" in names:
        fitting = groups_of_all(gives, added)
        if of_words:
            fitting = [group for group in fitting if group.is_of_words]
        # The names that "all" stands for, in its place; each name once.
        chosen: dict[str, None] = {}
        for name in names:
            if name == "all":
                chosen |= dict.fromkeys(group.name for group in fitting)
            else:
                chosen[name] = None
        names = tuple(chosen)
    elif names == DEFAULT_SCORES and world is not None:
        names = (*world.default_scores, *added_to_defaults)
    elif names == DEFAULT_SCORES:
        # Only the default scores that can be computed from these utterances.
        defaults = [name for name in names if GROUPS[name].needs <= gives]
        if of_words:
            defaults = [name for name in defaults if GROUPS[name].is_of_words]
        names = (*defaults, *added_to_defaults)
    if aligns:
        _check_alignable(names)
    for group in added:
        # Is the group among the names, or one of its scores?
        is_named = not {group.name, *group.keys}.isdisjoint(names)
        if group.joins_any_scores and not is_named:
            names = (*names, group.name)
    return names


def _check_mismatch(reading: Reading, *, aligns: bool) -> None:
    """Check that there is text if units that differ are to be aligned."""
    if aligns and not reading.words_known:
        raise OptionError(
            OPTIONS["on_mismatch"].set("align"),
            ": it needs text, which labels do not contain: pass the words, or use ",
            OPTIONS["on_error"].set("skip"),
            ".",
        )


def _check_alignable(names: tuple[str, ...]) -> None:
    """Check that no chosen score needs the same units on both sides."""
    chosen = set(chain.from_iterable(keys_named(name) for name in names))
    for group in GROUPS.values():
        if EQUAL_UNITS in group.needs and not chosen.isdisjoint(group.keys):
            problem = f": {group.title} have no alignment by edits: use ", OPTIONS["on_error"].set("skip"), "."
            raise OptionError(OPTIONS["on_mismatch"].set("align"), *problem)


def _check_groups(
    groups: Sequence[ScoreGroup], scores: tuple[str, ...], values: Mapping[str, Any], reading: Reading
) -> None:
    """Check that groups have what they need of utterances, and the options without which they cannot be scored."""
    gives = given_by(reading)
    for group in groups:
        lacking = group.needs - gives
        if lacking:
            raise lacks_error(_asking(group, scores), lacking, gives)
        # A need of the reading, such as a text format, is no option of groups: it was checked above.
        needs_value = group.needs_option in values
        if needs_value and values[group.needs_option] is None:
            option = OPTIONS[group.needs_option]
            asking = OPTIONS["scores"].set(_asking(group, scores))
            raise OptionError(option, ": ", asking, f" needs it, {option.help}.")


def _check_options_are_used(
    groups: Sequence[ScoreGroup], scores: tuple[str, ...], values: Mapping[str, Any], reading: Reading
) -> None:
    """Check that each option of groups that was given is an option of a scored group.

    An example is "tolerance: it needs scores="tolerance", received scores=["token"]."
    """
    for option in GROUP_OPTIONS.values():
        value = values[option.name]
        # A world may use the option whatever is scored, as times are compared with a tolerance.
        if value is option.default or reading.world in option.of_worlds:
            continue
        has_group = any(group.name in option.groups for group in groups)
        # A value that asks for nothing, such as an empty list, may be without a group, unless the option would add the group.
        if not has_group and (option.adds or is_asked(option, value)):
            needed: list[object] = []
            for name in option.groups:
                needed += [" or " if needed else "", OPTIONS["scores"].set(name)]
            raise OptionError(option, ": it needs ", *needed, ", received ", OPTIONS["scores"].set(scores), ".")


def _check_text(values: Mapping[str, Any], reading: Reading) -> None:
    """Check that there is text for the options that add scores of text."""
    for option in GROUP_OPTIONS.values():
        if option.adds and values[option.name] is not None and not reading.words_known:
            raise _needs_text(option, reading)


def _asking(group: ScoreGroup, scores: tuple[str, ...]) -> str:
    """Return the first name in `scores` that asks for a group: its own, that of one of its scores, or of a selection of one."""
    return next(name for name in scores if not set(keys_named(name)).isdisjoint(group.keys))


def _analyses_of(groups: Sequence[ScoreGroup], scores: tuple[str, ...], *, aligns: bool) -> str:
    """Return which analyses are read of an utterance, which is a word here: `"spelt"`, `"any"` or an empty string.

    With `"spelt"` all are read, and each must spell the word; with `"any"` the first, even if it does not. Without analyses, an
    empty string, the words of the segmentation are the only analysis: some group needs no morphemes, and reads these words.
    """
    # A group that joins any scores reads what the others read, and has no say.
    counting = [group for group in groups if not group.joins_any_scores]
    if not all("morphs" in group.needs for group in counting):
        return ""
    if any(UNITS in group.needs for group in counting):
        # The units of a word are those that its morphemes spell.
        return "spelt"
    if aligns:
        problem = ": morphemes need not spell the word, so that nothing differs: leave it out, or add other scores to "
        first_score, *_ = scores
        raise OptionError(OPTIONS["on_mismatch"].set("align"), problem, OPTIONS["scores"].set(first_score), ".")
    return "any"


def _check_ignored(ignored: IgnoredWords, groups: Sequence[ScoreGroup], reading: Reading, *, aligns: bool) -> None:
    """Check that all scores are of words, and that both sides have the same text."""
    setting = OPTIONS["ignore_words"].set(ignored.names)
    if not reading.words_known:
        raise _needs_text(setting, reading)
    if aligns:
        other = OPTIONS["on_mismatch"].set("align")
        raise OptionError(setting, " does not go with ", other, ": use ", OPTIONS["on_error"].set("skip"), ".")
    of_more_than_words = [group.name for group in groups if not group.is_of_words]
    if of_more_than_words:
        of_words = [group for group in GROUPS.values() if group.is_of_words]
        names = ", ".join(group.name for group in of_words if not group.joins_any_scores)
        problem = ": it counts more than words and their ends: the scores that can leave out words are "
        first, *_ = of_more_than_words
        raise OptionError(setting, " does not go with ", OPTIONS["scores"].set(first), problem, f"{names}.")


def _needs_text(option: object, reading: Reading) -> OptionError:
    """Return the error for an option, or a setting, that needs text."""
    problem = f": it needs the text, which {reading.wordless} do not contain: pass strings or lists of words."
    return OptionError(option, problem)


def _settings_of(group: ScoreGroup, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
    """Return the keyword arguments of the group's `tally`, from the values of its options."""
    return group.arguments({option.name: option.used(values[option.name]) for option in group.options}, reading)


def _with_digests(values: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the options with a digest in place of each list, which may be large or an exhausted iterator."""
    digests: dict[str, Any] = {}
    for arguments in settings.values():
        for argument in arguments.values():
            # Only what was read from lists has digests: a `Dictionary` and a `Vocabulary`.
            digests |= getattr(argument, "digests", {})
    lists = {name: digests.get(name) for name in values if GROUP_OPTIONS[name].kind.is_word_list}
    return {**values, **lists}


def useful_defaults(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of a call, such as those from loading a metric, without the options that its scores do not have.

    `options` are those of the call itself; they have the scores, or else `defaults` have them.

    >>> useful_defaults({"text_format": "words", "tolerance": 2}, {"scores": "token"})
    {'text_format': 'words'}
    """
    # An option is dropped if the scores do not have it, but for two kinds. One that adds scores is kept: to give it is to ask for
    # them. One that needs another option is kept too: the check of the plan says what it needs.
    droppable_names = []
    for name in defaults:
        option = GROUP_OPTIONS.get(name)
        if option is not None and not option.adds and not option.need:
            droppable_names.append(name)
    if not droppable_names:
        return dict(defaults)
    # A bad value is an error, even if the scores do not have the option.
    check_options({name: defaults[name] for name in droppable_names}, GROUP_OPTIONS)
    scores = options.get("scores", defaults.get("scores", DEFAULT_SCORES))
    names_of_scores = set(chain.from_iterable(group.option_names for group in groups_of(select_scores(scores))))
    useless_names = {*droppable_names} - names_of_scores
    return {name: value for name, value in defaults.items() if name not in useless_names}


def require_values(plan: Plan) -> None:
    """Reject a plan with a default that needs the whole reference, where only a part is available."""
    option = plan.option_needing_reference
    if option is not None:
        groups = OPTIONS["scores"].set(next(group.name for group in plan.groups if group.needs_corpus == option.name))
        why = f" here, as parts are counted before the whole reference is known: pass {option.from_reference}."
        raise OptionError(groups, " needs ", option, why)
