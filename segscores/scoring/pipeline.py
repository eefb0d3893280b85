"""Pipeline: options and comparisons in, a flat dict of scores out. `Plan` checks and compiles options, and the rest is by a plan.

How texts become `token_fscore`, and where each step stands; all entry points take it:

1. `scoring.fold` cuts both sides into parts of about half a megabyte, which fit in the processor's cache and are processed on
   all cores. `compare_sides`, below, compares each part: `scoring.comparison` finds the shared boundaries and the matched words.
2. `tally_comparison`, below, counts in the comparison. Each group counts with its own function: the token scores with
   `scoring.measures.basic.tally_token`. The tally of the corpus is the sum of the parts' tallies.
3. `score_tally`, below, applies the formulas of each group to the sums, once: those of the token scores are
   `scoring.formulas.precision_recall_fscore`.

`**options: Unpack[ScoringOptions]` lets type checkers and editors know every option by name. `with_options` does the same for
`help()` and `inspect.signature`.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ..options import keywords
from ..options.errors import warn
from ..options.keywords import ScoringOptions
from ..options.messages import Message, OptionError, literal
from ..options.option import Choice, Option, check_needs, check_options
from ..options.table import GROUP_OPTIONS, OPTIONS, SELECTIONS, options_in, with_implied
from ..reading.normalization import normalize_units
from ..reading.readers import READING_OPTION_NAMES, Reading
from ..reading.segmentation import Segmentation
from ..reading.subwords import strip_marks
from .comparison import Comparison, compare_segmentations
from .edits import require_rapidfuzz
from .formulas import Tallied
from .lexicon import Lexicon
from .measures.dictionary import Dictionary
from .measures.group import ScoreGroup
from .measures.oov import Vocabulary, warn_of_implausible_rate
from .measures.registry import (
    DEFAULT_SCORES,
    GROUPS,
    check_score_names,
    groups_of,
    scores_and_undefined,
    select_scores,
    undefined_keys,
)
from .mismatch import compare_mismatched, project_boundaries

if TYPE_CHECKING:
    from typing_extensions import Unpack


Function = TypeVar("Function", bound=Callable[..., Any])

# The columns of fewer utterances than this are summed together, in a third of the time; of many, copying them takes longer.
_FEW = 1000

#: Which utterances of a part are in its comparison; None if all are.
Kept: TypeAlias = "npt.NDArray[np.bool_] | None"

SCORING = options_in(ScoringOptions)
#: What to try where one argument takes several predictions.
_SEVERAL = {
    "systems": ', and the predictions as one dict: systems={"NAME": …}',
    "annotators": ", and the annotators as one list",
    "committee": ", and the segmenters of the committee as one list",
}
_GROUP_OPTIONS = [(group, option) for group in GROUPS.values() for option in group.options]


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

        >>> Plan.of(textformat="words")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        segscores.options.messages.OptionTypeError: unknown option 'textformat'. Did you mean 'text_format'? The options are ...
        """
        return cls.of_checked(check_options(options, SCORING))

    @classmethod
    def of_checked(cls, given: Mapping[str, Any]) -> Plan:
        """The plan of options whose values are checked, with those that selections imply, after a check that they go together."""
        names = check_score_names(given["scores"]) if "scores" in given else DEFAULT_SCORES
        if not SELECTIONS.keys().isdisjoint(names):
            given = with_implied(given)
        values = {name: given.get(name, option.default) for name, option in GROUP_OPTIONS.items()}
        on_mismatch, zero_division = (
            given.get(name, OPTIONS[name].default) for name in ("on_mismatch", "zero_division")
        )
        implied = frozenset(option for name in names for option in SELECTIONS.get(name, ((), {}))[1])
        reading = Reading.of_checked({name: given[name] for name in READING_OPTION_NAMES if name in given})
        reading = replace(reading, implied=implied)
        if on_mismatch == "align":
            if not reading.words_known:
                problem = ": it needs text, which labels do not contain: use 'skip', or pass the words."
                raise OptionError(OPTIONS["on_mismatch"].set("align"), problem)
            require_rapidfuzz()
        scores = _chosen_scores(names, values, reading, on_mismatch)
        keys = select_scores(scores, reading.words_known)
        groups = groups_of(keys)
        check_needs({name: value for name, value in values.items() if name in given}, values, GROUP_OPTIONS)
        _check_lists(groups, scores, values, reading)
        settings = {group.name: _settings_of(group, values, reading) for group in groups}
        return cls(
            scores=scores,
            keys=keys,
            reading=reading,
            zero_division=zero_division,
            warns_of_undefined="zero_division" not in given,
            on_mismatch=on_mismatch,
            values=_with_digests(values, settings),
            settings=settings,
        )

    @property
    def zero_division_of_utterances(self) -> float:
        """The value of an undefined score of one utterance: nan, which no mean includes, if the user did not give one."""
        return math.nan if self.warns_of_undefined else self.zero_division

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
        prepared = _settings_of(windows, values, self.reading)
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
    given = [group.name for group, option in _GROUP_OPTIONS if option.adds and values[option.name] is not None]
    given += ["sentence"] if reading.documents else []
    if "all" in names:
        every = [
            group.name
            for group in GROUPS.values()
            if (not group.needs_option or group.name in given or (group.needs_documents and reading.documents))
            and (group.name != "syntactic_word" or on_mismatch != "align")
            and (reading.words_known or not group.needs_words)
            and group.name != "unit_error"
        ]
        names = tuple(dict.fromkeys(part for name in names for part in (every if name == "all" else [name])))
    elif names == DEFAULT_SCORES:
        known = [name for name in names if reading.words_known or not GROUPS[name].needs_words]
        names = (*known, *given)
    if on_mismatch == "align" and not {"ud", "syntactic_word", *GROUPS["syntactic_word"].keys}.isdisjoint(names):
        skip = OPTIONS["on_mismatch"].set("skip")
        raise OptionError(
            OPTIONS["on_mismatch"].set(on_mismatch), ": syntactic words have no alignment by edits: use ", skip, "."
        )
    if on_mismatch != "error" and {"unit_error", *GROUPS["unit_error"].keys}.isdisjoint(names):
        names += ("unit_error",)
    return names


def _check_lists(
    groups: Sequence[ScoreGroup], scores: tuple[str, ...], values: Mapping[str, Any], reading: Reading
) -> None:
    """Check that groups have the documents and lists that they need, and that every given list is used."""
    for group in groups:
        if group.needs_documents and not reading.documents:
            asked = next(
                name for name in scores if not set(select_scores(name, reading.words_known)).isdisjoint(group.keys)
            )
            raise OptionError(
                OPTIONS["scores"].set(asked), " needs documents: add ", OPTIONS["documents"].set(True), "."
            )
    for group, option in _GROUP_OPTIONS:
        value = values[option.name]
        if not option.adds or (value is None and group not in groups):
            continue
        if value is None:
            # By its name, one of its scores, or a selection that has some.
            named = {name: {name, *SELECTIONS.get(name, ((), {}))[0]} for name in scores}
            asked = next(name for name in scores if not named[name].isdisjoint({group.name, *group.keys}))
            raise OptionError(option, ": ", OPTIONS["scores"].set(asked), f" needs it, {option.help}.")
        if not reading.words_known:
            raise OptionError(
                option, ": it needs the text, which labels do not contain: pass strings or lists of words."
            )
        if group not in groups:
            add = OPTIONS["scores"].set(group.name)
            raise OptionError(option, ": it needs ", add, ", received ", OPTIONS["scores"].set(scores), ".")


def _settings_of(group: ScoreGroup, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:
    own = {option.name: values[option.name] for option in group.options}
    return own if group.prepare is None else group.prepare(own, reading)


def _with_digests(values: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The options with a digest in place of each list, which may be large or an exhausted iterator."""
    digests: dict[str, Any] = {}
    for arguments in settings.values():
        for argument in arguments.values():
            digests |= argument.digests if isinstance(argument, (Dictionary, Vocabulary)) else {}
    return {name: digests.get(name) if GROUP_OPTIONS[name].kind.is_list else value for name, value in values.items()}


@dataclass
class Tally:
    """The counts of a part of a corpus.

    Attributes:
        counts: column name → sum over the utterances, including `utterances` and `units`.
        reference_lexicon, prediction_lexicon: the word types of each side; None if no group reads them.
    """

    counts: dict[str, int] = field(default_factory=dict)
    reference_lexicon: Lexicon | None = None
    prediction_lexicon: Lexicon | None = None

    def update(self, other: Tally) -> None:
        """Add the counts of another part of the corpus."""
        for column, count in other.counts.items():
            self.counts[column] = self.counts.get(column, 0) + count
        for side in ("reference_lexicon", "prediction_lexicon"):
            theirs: Lexicon | None = getattr(other, side)
            if theirs is not None:
                if getattr(self, side) is None:
                    setattr(self, side, Lexicon())
                getattr(self, side).update(theirs)

    def copy(self) -> Tally:
        """An independent tally with the same counts and types."""
        lexicons = (self.reference_lexicon, self.prediction_lexicon)
        return Tally(dict(self.counts), *(None if lexicon is None else lexicon.copy() for lexicon in lexicons))

    @property
    def skipped(self) -> int:
        """How many utterances `on_mismatch="skip"` left out."""
        return self.counts.get("skipped_utterances", 0)

    def totals(self) -> dict[str, int]:
        """Every count that the formulas read: the sums, and the sizes of the lexicons and of their intersection."""
        totals = dict(self.counts)
        if self.reference_lexicon is not None and self.prediction_lexicon is not None:
            totals["type_matched"] = self.reference_lexicon.count_shared(self.prediction_lexicon)
            totals["type_predicted"] = len(self.prediction_lexicon)
            totals["type_reference"] = len(self.reference_lexicon)
        return totals


def tally_columns_of(
    comparison: Comparison, groups: list[ScoreGroup], settings: Mapping[str, Mapping[str, Any]]
) -> Tallied:
    """The counts of `groups` in a comparison, per utterance, including `utterances` (ones) and `units`."""
    units = comparison.reference.utterance_units
    columns: Tallied = {"utterances": np.ones(len(units), np.int64), "units": units}
    projected = comparison
    if any(group.reads_positions for group in groups):
        projected = project_boundaries(comparison)
    # Groups that read the original comparison come first: their columns are also correct where the units differ.
    for group in sorted(groups, key=lambda group: group.reads_positions):
        tallied = group.tally(projected if group.reads_positions else comparison, **settings.get(group.name, {}))
        columns |= {column: values for column, values in tallied.items() if column not in columns}
    return columns


def tally_comparison(
    comparison: Comparison, kept: Kept, plan: Plan, *, reference_lexicon: Lexicon | None = None
) -> Tally:
    """The counts for the scores of a plan, summed over the utterances of a comparison.

    Each group counts with its `tally`, the token scores with `scoring.measures.basic.tally_token`. The lexicon of the reference
    may be known from another prediction.
    """
    columns = tally_columns_of(comparison, plan.groups, plan.settings)
    if len(columns["utterances"]) < _FEW:
        counts = dict(zip(columns, np.add.reduce([*columns.values()], axis=1).tolist(), strict=True))
    else:
        counts = {column: int(values.sum()) for column, values in columns.items()}
    if kept is not None and "skipped_utterances" in counts:
        counts["skipped_utterances"] += int((~kept).sum())
    if not plan.needs_lexicons:
        return Tally(counts)
    if reference_lexicon is None:
        reference_lexicon = Lexicon(comparison.reference.words())
    return Tally(counts, reference_lexicon, Lexicon(comparison.prediction.words()))


def score_tally(tally: Tally, plan: Plan, *, prediction: str = "") -> dict[str, float]:
    """The scores of a tally, as plain floats."""
    totals = tally.totals()
    check_skipped(tally.skipped, totals["utterances"] + tally.skipped, prediction)
    scores, undefined = scores_and_undefined(totals, plan.keys, plan.zero_division)
    _warn_of_scores(totals, undefined, plan)
    warn_of_skipped(tally.skipped, totals["utterances"] + tally.skipped, prediction)
    return scores


def warn_of_scores(plan: Plan, *totals: Mapping[str, int]) -> None:
    """Warn of scores that are 0/0 if the user did not set `zero_division`, and of a vocabulary that lacks most words."""
    undefined = {key for each in totals for key in undefined_keys(each, plan.keys)}
    _warn_of_scores(totals[0], [key for key in plan.keys if key in undefined], plan)


def _warn_of_scores(totals: Mapping[str, int], undefined: Sequence[str], plan: Plan) -> None:
    if plan.known_words is not None:
        for unit in plan.known_words.units:
            warn_of_implausible_rate(totals, plan.known_words, unit)
    if undefined and plan.warns_of_undefined:
        warn(
            Message(
                f"undefined (0/0), and so {plan.zero_division}: {', '.join(undefined)}. There is nothing for them to count; ",
                "pass ",
                OPTIONS["zero_division"],
                ", a number in [0, 1] or nan, to choose their value.",
            )
        )


def check_skipped(skipped: int, utterances: int, prediction: str = "") -> None:
    """Check that `on_mismatch="skip"` did not leave out all utterances; arguments are those of `warn_of_skipped`."""
    if skipped and skipped == utterances:
        name = f"{prediction}: " if prediction else ""
        raise ValueError(
            f"{name}none of the {utterances} utterances can be scored: each has different units on the two sides. Does each line "
            f"of the prediction belong to the same line of the reference?"
        )


def warn_of_skipped(skipped: int, utterances: int, prediction: str = "") -> None:
    """Warn of utterances that `on_mismatch="skip"` left out: many of them suggest sides that do not pair.

    `utterances` counts the skipped ones too; `prediction` is a name, if there are several.
    """
    if skipped:
        name = f"{prediction}: " if prediction else ""
        warn(
            f"{name}{skipped} of {utterances} utterances have different units on the two sides and were "
            f"skipped: does each line of the prediction belong to the same line of the reference?"
        )


def compare_sides(reference: Segmentation, prediction: Segmentation, plan: Plan) -> tuple[Comparison, Kept]:
    """Compare a part of both sides, with the options `subword_marks`, `normalize` and `on_mismatch`."""
    sides = normalized(reference, plan.reading), normalized(prediction, plan.reading)
    if plan.on_mismatch == "error":
        return compare_segmentations(*sides), None
    return compare_mismatched(*sides, plan.on_mismatch)


def normalized(segmentation: Segmentation, reading: Reading) -> Segmentation:
    """A segmentation without subword marks, and with its units normalised, as the options of reading ask for."""
    if reading.subword_marks is not None:
        if segmentation.unit != "character":
            marks, text_format = OPTIONS["subword_marks"].set(reading.subword_marks), OPTIONS["text_format"]
            why = [" is for words, and not for ", text_format.set("units"), ", in which each token is a unit"]
            raise OptionError(marks, *why, ": did you mean ", text_format.set("words"), "?")
        segmentation = strip_marks(segmentation, reading.subword_marks)
    return segmentation if reading.normalize is None else normalize_units(segmentation, reading.normalize)[0]


def require_window_size(plan: Plan) -> None:
    """Reject a plan whose window size needs the whole reference, where only a part is available."""
    if plan.needs_window_size:
        raise OptionError(
            OPTIONS["scores"].set("windows"),
            " needs ",
            OPTIONS["window_size"],
            " here, as parts are counted before the whole reference is known: pass a number of gaps, or "
            '"utterance" for half the mean word length of each utterance.',
        )


def describe(option: Option) -> str:
    """The meaning of an option, as a docstring says it.

    >>> describe(OPTIONS["tolerance"])
    'how many units a matching boundary may be off. For the scores "tolerance". Default 1.'
    """
    text = option.help
    if option.name == "scores":
        text += f": {', '.join(map(literal, GROUPS))}; {', '.join(map(literal, [*SELECTIONS, 'all']))} select several"
    elif isinstance(option.kind, Choice) and not all(choice in text for choice in option.kind.choices):
        text += f": {option.kind.expected}"
    if option.groups:
        text += f". For the scores {' and '.join(map(literal, option.groups))}"
        text += ", which are among the default scores if it is given" if option.adds else ""
    if option.need is not None:
        text += f"; needs `{option.need.other}`"
    if option.default_help:
        return f"{text}. Default: {option.default_help}."
    return f"{text}." if option.default in (None, ()) else f"{text}. Default {literal(option.default)}."


def with_inputs(function: Function) -> Function:
    """The function with errors that name it and say what to do, where a call has too many inputs, lacks one, or has an unknown
    name; a function with `**options` checks names itself.
    """
    parameters = signature(function).parameters
    inputs = [each for each in parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    has_options = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())

    @wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        """Call the function."""
        names = [each.name for each in inputs]
        taken, count = ", ".join(name for name in names if name != "self"), len(positional) - names.count("self")
        if len(positional) > len(names):
            several = "".join(hint for name, hint in _SEVERAL.items() if name in names)
            raise TypeError(
                f"{function.__name__}({taken}) received {count} argument{'s' * (count > 1)} without names: pass "
                f"{'options' if taken else 'inputs and options'} by name{several}."
            )
        for each in inputs[len(positional) :]:
            if each.default is Parameter.empty and each.name not in named:
                raise TypeError(f"{function.__name__}({taken}) received no {each.name}: pass all of its inputs.")
        check_options(named, dict.fromkeys(named if has_options else parameters))
        return function(*positional, **named)

    return cast("Function", call)


def with_options(function: Function) -> Function:
    """Show the options that a function unpacks: in its signature, and in its docstring in place of the entry `**options`.

    >>> from segscores import tally
    >>> list(signature(tally).parameters)[:5]
    ['references', 'predictions', 'scores', 'text_format', 'reference_format']
    """
    shown = signature(function)
    *others, unpacked = shown.parameters.values()
    keywords_class = _unpacked(unpacked.annotation)
    options, types = options_in(keywords_class).values(), keywords_class.__annotations__
    parameters = [
        Parameter(
            option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=types[option.name].__forward_arg__
        )
        for option in options
    ]
    call: Any = with_inputs(function)
    call.__signature__ = shown.replace(parameters=[*others, *parameters])
    entries = "\n".join(
        textwrap.fill(f"{option.name}: {describe(option)}", 120, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for option in options
    )
    text, count = re.subn(
        r"^    \*\*options: .*(\n {8}.*)*", lambda _: entries, cleandoc(function.__doc__ or ""), flags=re.M
    )
    assert count == 1, f"{function.__qualname__} has no entry for **options"
    call.__doc__ = text
    return cast("Function", call)


def options_of(function: Callable[..., Any]) -> dict[str, Option | None]:
    """The options of a function by name; None for one that only this function has, which it checks itself.

    >>> from segscores.analysis.thresholds import segment_at
    >>> list(options_of(segment_at))
    ['threshold', 'ratio', 'label_scheme', 'text_format', 'word_boundary', 'ignored_tokens']
    """
    options: dict[str, Option | None] = {}
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            options[parameter.name] = OPTIONS.get(parameter.name)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            options |= options_in(_unpacked(parameter.annotation))
    return options


def _unpacked(annotation: str) -> type:
    """The class in `"Unpack[ScoringOptions]"`; annotations are text in this package."""
    kind: type = getattr(keywords, annotation.removeprefix("Unpack[").removesuffix("]"))
    return kind
