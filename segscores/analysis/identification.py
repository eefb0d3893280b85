"""Identification: the definitions of scores that give a number which a paper or another tool printed.

Conventions
-----------
- A definition is a score, and the options that differ from those of the call. Tried are every score that the input allows, each
  average and each value of 0/0; besides, one other option at a time, or two of the same scores: each value of an option that is a
  choice, some sizes (`_SIZES`), and what the selection of a tool implies. A format or a scheme of labels may have been misread:
  each is tried.
- Means over clusters are not tried: the sides do not say which utterances belong together.
- A number has as many decimals as it shows: 0.741 stands for 0.7405 to 0.7415. A number above 1 is also read as percent.
- A definition agrees if its value rounds to the number. If it does only when further digits are cut off, it stands after those
  that round. Definitions that agree stand in the order of the number of their options, others in the order of their distance.
- An option that changes no value is no definition of its own.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import chain, combinations
from typing import Any

from .. import DEFINITIONS_VERSION
from ..kernel.formulas import divide
from ..kernel.record import record
from ..options.errors import UtteranceError
from ..options.keywords import ScoringOptions, Unpack
from ..options.kinds import Choice, Switch
from ..options.messages import literal
from ..options.option import Option, check_options
from ..options.quoting import described
from ..options.table import OPTIONS, SELECTIONS
from ..reading.form import STRINGS, Form
from ..reading.inputs import read_column
from ..reading.sources.names import Files
from ..reading.sources.sides import open_inputs
from ..results.result import Column, Note, Result, Table, Values
from ..scoring.functions import with_options
from ..scoring.measures.registry import GROUPS, is_share, plain_scores
from ..scoring.passes import concatenate_tallies, with_reference
from ..scoring.plan import SCORING, Plan
from ..scoring.utterance_tally import UtteranceTally

#: The values that are tried of options that are no choices.
_SIZES: dict[str, Sequence[Any]] = {
    "tolerance": (0, 1, 2, 3, 4, 5),
    "rates_tolerance": (1, 2, 3, 4, 5),
    "window_size": ("utterance", *range(1, 11)),
    "transposition_span": (1, 2, 3, 4, 5),
    "joiner": ("_",),
    "ignore_words": (("punctuation",), ("digits", "punctuation")),
}
#: Options that are tried even if the call has them, as a tool may have misread the format.
_FORMATS = ("text_format", "reference_format", "prediction_format")
_SCHEMES = ("label_scheme",)
#: The averages and values of 0/0, in the order of their simplicity.
_AVERAGES: tuple[dict[str, Any], ...] = (
    {}, {"average": "macro"}, {"zero_division": 1.0}, {"zero_division": math.nan}, {"average": "macro", "zero_division": 0.0},
    {"average": "macro", "zero_division": 1.0},
)  # fmt: skip
#: The notes of a definition: how else it differs from the score of the package.
_OF_MEANS = "harmonic mean of the mean precision and recall"
_CUT = "further decimals cut off, not rounded"
#: Sums of floats differ by less.
_INEXACT = 1e-12


@dataclass(frozen=True, eq=False)
class Definition(Values):
    """A definition of a score, and how far its value is from the number."""

    score: str  #: its key
    value: float
    difference: float  #: the value minus the number, which is divided by 100 if it is in percent
    agrees: bool  #: whether the value, with as many decimals, is the number
    options: Mapping[str, Any]  #: that differ from those of the call
    tools: Sequence[str]  #: the selections of scores that print this score by this definition
    note: str = ""  #: what else differs from the score: empty, _OF_MEANS or _CUT


@record
class Number:
    """A printed number: its value, and the unit of its last decimal."""

    value: float
    step: float

    @classmethod
    def of(cls, number: float | str) -> Number:
        """Return the number of a text, or of a float with the decimals that Python shows."""
        text = str(number).strip()
        try:
            decimal = Decimal(text.removesuffix("%"))
        except InvalidOperation:
            # A text that is no number is refused below, as nan is.
            decimal = Decimal("nan")
        if not decimal.is_finite():
            raise ValueError(f"value: received {described(number)}; expected a number such as 0.741, .741 or 74.1%.")
        scale = 0.01 if text.endswith("%") else 1.0
        # 0.741 has the exponent -3, and its last decimal the unit 0.001.
        exponent = int(decimal.as_tuple().exponent)
        last_decimal = Decimal((0, (1,), exponent))
        value = float(decimal)
        step = float(last_decimal)
        # A float holds numbers from 5e-324 to 1.8e308; others become 0 or infinite.
        is_too_small = value == 0 and decimal != 0
        if is_too_small or math.isinf(value) or math.isinf(step):
            raise ValueError(f"value: received {described(number)}; expected a number that a float can hold.")
        return cls(value * scale, step * scale)

    def readings(self, key: str) -> list[Number]:
        """Return what the number may mean as a score: itself, or percent."""
        if not is_share(key) or abs(self.value) <= 1:
            return [self]
        return [self, Number(self.value / 100, self.step / 100)]

    def compare(self, definition: Definition) -> Definition:
        """Return the definition with its distance from the nearest meaning of the number, and whether it agrees.

        The definition is one of `definitions_of`, which is not compared yet.
        """
        nearest = min(self.readings(definition.score), key=lambda reading: abs(definition.value - reading.value))
        # nan is infinitely far from every number.
        difference = definition.value - nearest.value if math.isfinite(definition.value) else math.inf
        # Half a unit on either side, as tools round it up, down or to even; sums of floats are not exact.
        is_rounded = abs(difference) <= nearest.step / 2 + _INEXACT
        if is_rounded:
            return replace(definition, difference=difference, agrees=True)
        # Digits are cut off towards zero: of -1.7 remains -1, of -0.7 remains 0.
        has_other_sign = definition.value * nearest.value < 0
        cut_off = abs(definition.value) - abs(nearest.value)
        is_cut = not has_other_sign and 0 <= cut_off < nearest.step - _INEXACT
        # A definition with another note differs in something already: with both, it would agree too easily.
        if is_cut and not definition.note:
            return replace(definition, difference=difference, agrees=True, note=_CUT)
        return replace(definition, difference=difference, agrees=False)


@with_options
def identify(
    references: Any, predictions: Any, value: float | str, *, top: int = 10, **options: Unpack[ScoringOptions]
) -> list[Definition]:
    """Find the definitions of scores that give a number which a paper or another tool printed for these sides.

    Args:
        references, predictions: utterances, in any form of the README's Inputs, or files.
        value: the number. A string has the decimals that it shows, a float those that Python shows: 0.50 is `"0.50"`.
        top: the largest number of definitions to return.
        **options: those of `ScoringOptions`, which every definition has; formats and label schemes may have been misread, and
            others are tried. `scores` limits what is tried.

    Returns:
        Those that agree first, the fewest options first; then the others, the nearest first.

    Raises:
        TypeError, ValueError: as `segscores.score`, if the sides can be read in no way; or the value is no number.

    >>> references, predictions = ["the dog is on the boat", "look"], ["thedog is on the boat", "look"]
    >>> for row in identify(references, predictions, "0.833", text_format="words", scores=["token", "type"], top=2):
    ...     print(row.score, round(row.value, 4), dict(row.options), row.agrees)
    token_precision 0.8333 {} True
    type_precision 0.8333 {} True
    """
    check_options({"top": top}, OPTIONS)
    return ranked_definitions(references, predictions, value, options)[:top]


def ranked_definitions(
    references: Any, predictions: Any, value: float | str, options: Mapping[str, Any]
) -> list[Definition]:
    """Return all definitions that `identify` tries with the same arguments, in its order."""
    number = Number.of(value)
    explicit = check_options({name: _listed(option) for name, option in options.items()}, SCORING)
    definitions = _distinct(definitions_of(_listed(references), _listed(predictions), explicit))
    # Definitions that are equally good stand in the order of their scores in the registry.
    keys = chain.from_iterable(group.keys for group in GROUPS.values())
    places = {key: place for place, key in enumerate(keys)}
    compared = [number.compare(definition) for definition in definitions]
    compared.sort(key=lambda definition: _rank(definition, places[definition.score]))
    return compared


def _distinct(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the definitions, score by score. One with the value and all options of another, and more options, is left out."""
    kept_of_score: dict[str, list[Definition]] = {}
    for definition in definitions:
        kept = kept_of_score.setdefault(definition.score, [])
        # The one of two such definitions that has fewer options comes first.
        if not any(_covers(simpler, definition) for simpler in kept):
            kept.append(definition)
    return list(chain.from_iterable(kept_of_score.values()))


def _listed(value: Any) -> Any:
    """Return a list of what an iterator yields, which can be read again for each definition; other values as they are."""
    if isinstance(value, Iterator):
        return list(value)
    return value


def _rank(definition: Definition, place: int) -> tuple[int, float, int, int]:
    """Return the rank of a definition: those that agree first, then those that agree if digits are cut off, then the nearest.

    Among equal ones, a definition with fewer options comes first, then the one whose score has the lower `place`.
    """
    # A note, which says what else differs, counts as one more option.
    extras = len(definition.options) + bool(definition.note)
    if not definition.agrees:
        return 2, abs(definition.difference), extras, place
    if definition.note == _CUT:
        return 1, 0.0, extras, place
    return 0, 0.0, extras, place


def definitions_of(references: Any, predictions: Any, explicit: Mapping[str, Any]) -> Iterator[Definition]:
    """Yield every definition with its value, also if several are equal; a number is yet to be compared.

    `explicit` are the options of the call. If the sides can be read in no way, the error of the call is raised.
    """
    misread = _misread_options(references, explicit)
    error_of_call: Exception | None = None  # with the options of the call alone
    is_read = False
    for changes in _changes(explicit, misread):
        tolerates_differences = not changes.keys().isdisjoint({"on_error", "on_mismatch"})
        if tolerates_differences and not isinstance(error_of_call, UtteranceError):
            # A tool may have left out or aligned utterances whose units differ. As the call reads them, there are none.
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                if changes:
                    # The first attempt, without changes, has warned of old names among the options of the call.
                    warnings.simplefilter("ignore", DeprecationWarning)
                tally, plan = _tally(references, predictions, explicit, changes)
                rows = [*_defined(tally, plan, changes, explicit)]
        except (TypeError, ValueError) as error:
            if not changes:
                error_of_call = error
        else:
            is_read = True
            yield from rows
    if not is_read and error_of_call is not None:
        raise error_of_call


def _misread_options(references: Any, explicit: Mapping[str, Any]) -> Collection[str]:
    """Return the names of options by which a tool may have misread the references: the scheme of labels, or formats of text.

    Lists of words, which need neither, are not misread.
    """
    if explicit.get("label_scheme"):
        return _SCHEMES
    if isinstance(references, (os.PathLike, Files)):
        return _FORMATS
    try:
        form = Form.of(read_column(references, "references"))
    except (TypeError, ValueError):
        # Recordings are no text. What cannot be read at all is refused by the first attempt.
        return ()
    return _FORMATS if form == STRINGS else ()


def result_of(definitions: Sequence[Definition], top: int) -> Result:
    """Return the first definitions as a table, with a note if none agrees, or more than it shows.

    `definitions` are all, and `top` is the largest number of rows.
    """
    columns = [
        Column("score", has_keys=True),
        Column("value"),
        Column("difference"),
        Column("agrees", is_text=True),
        Column("definition", is_text=True),
        Column("as in", is_text=True),
    ]
    rows = []
    for row in definitions[:top]:
        agrees = "yes" if row.agrees else "no"
        definition = describe(row.options, row.note)
        rows.append([row.score, row.value, row.difference, agrees, definition, ", ".join(row.tools)])
    notes = [Note(f"definitions: version {DEFINITIONS_VERSION}")]
    agreeing = sum(row.agrees for row in definitions)
    if not agreeing:
        problem = "the data, the version or the segmentation differ, or the rule is not one of these"
        notes.insert(0, Note(f"no definition agrees: {problem}"))
    elif agreeing > len(rows):
        hint = "a number with more decimals agrees with fewer"
        notes.insert(0, Note(f"{agreeing} definitions agree, of which the table has {len(rows)}: {hint}"))
    return Result([Table(columns, rows)], notes)


def describe(options: Mapping[str, Any], note: str = "") -> str:
    """Return the options of a definition in one line, and what else differs.

    >>> describe({"average": "macro", "window_size": 3}, "cut off"), describe({})
    ('average="macro" window_size=3; cut off', 'as given')
    """
    parts = [" ".join(f"{name}={literal(value)}" for name, value in options.items()), note]
    return "; ".join(part for part in parts if part) or "as given"


def _changes(explicit: Mapping[str, Any], misread: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the options to try in place of those of the call, each combination once; the first combination is empty.

    `explicit` are the options of the call, and `misread` the names of options that a tool may have misread.
    """
    tried: list[dict[str, Any]] = [{}]
    for option in SCORING.values():
        tried += _changes_of(option, explicit, misread)
    # A pair has one option of each change. A switch with the option that it needs is a change of two.
    tried += _pairs_of([change for change in tried if len(change) == 1])
    # Try the options that a tool's selection of scores implies. The options of the call stay. Formats and values of 0/0 are tried
    # elsewhere: formats by themselves, and 0/0 with each average.
    left_out = (*explicit, *_FORMATS, "zero_division")
    for selection in SELECTIONS.values():
        changes = {name: value for name, value in selection.implied.items() if name not in left_out}
        # A separator needs its format, which is among the formats that are left out.
        if "separator" in changes:
            changes["text_format"] = "separated"
        if changes not in tried:
            tried.append(changes)
    yield from tried


def _changes_of(option: Option, explicit: Mapping[str, Any], misread: Collection[str]) -> list[dict[str, Any]]:
    """Return the values to try of one option, each as options of the call: `[{"window_size": 1}, {"window_size": 2}]`.

    Of formats and schemes, those that may be misread are tried; of other options, those that the call does not have.
    """
    is_tried = option.name not in explicit
    if option.name in (*_FORMATS, *_SCHEMES):
        is_tried = option.name in misread
    if not is_tried:
        return []
    needed: dict[str, Any] = {}
    if option.need and isinstance(option.kind, Switch):
        # A switch that works only with another option is tried together with it.
        needed = {option.need.other: option.need.add}
    values = [value for value in _alternatives(option) if value != explicit.get(option.name)]
    return [{**needed, option.name: value} for value in values]


def _pairs_of(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pairs of changes that go together, such as `{"window_size": 3, "window_convention": "nltk"}`.

    Each of `changes` has one option.
    """
    pairs = []
    for one, other in combinations(changes, 2):
        (name,) = one
        (other_name,) = other
        if _go_together(name, other_name):
            pairs.append({**one, **other})
    return pairs


def _alternatives(option: Option) -> Iterable[Any]:
    """Return the values of an option that are tried."""
    values: Iterable[Any] = _SIZES.get(option.name, ())
    if isinstance(option.kind, Choice):
        values = option.kind.choices
    elif isinstance(option.kind, Switch):
        values = (True,)
    # The default of most options is what the call without a change has. Two kinds differ. The call may have another format than
    # the default. And the default of `tags` is to read them, while the scores "all" read none.
    may_differ_from_call = option.name in (*_FORMATS, "tags")
    if may_differ_from_call:
        return values
    return [value for value in values if value != option.default]


def _tally(
    references: Any, predictions: Any, explicit: Mapping[str, Any], changes: Mapping[str, Any]
) -> tuple[UtteranceTally, Plan]:
    """Return the counts of every utterance for all scores that depend on the changes, and the plan of these scores.

    Arguments are as in `definitions_of`; `changes` are options in place of those of the call.
    """
    options = {"scores": "all", **explicit, **changes}
    if "text_format" in changes:
        # The format that is tried is that of both sides, in place of the formats of the call.
        options.pop("reference_format", None)
        options.pop("prediction_format", None)
    # An option of score groups changes only the scores of these groups; an option of no group, such as a format, may change all.
    groups_of_changes = [set(OPTIONS[name].groups) for name in changes]
    change_groups_alone = bool(groups_of_changes) and all(groups_of_changes)
    if "scores" not in explicit and change_groups_alone:
        # Sorted, because a set has no order of its own.
        options["scores"] = sorted(set.union(*groups_of_changes))
    plan = Plan.of(**options)
    reference, prediction = open_inputs(plan.reading, references, predictions)
    # Some options, such as the size of windows, have their defaults from the reference. The records of both passes are not used.
    plan, _observed_for_defaults = with_reference(reference, plan)
    (tally,), _observed = concatenate_tallies([reference, prediction], plan)
    return tally, plan


def _defined(
    tally: UtteranceTally, plan: Plan, changes: Mapping[str, Any], explicit: Mapping[str, Any]
) -> Iterator[Definition]:
    """Yield the definitions that have these counts, each average of each score; none is compared with the number yet."""
    totals = tally.totals()
    for average in _AVERAGES:
        # If the call has a value of 0/0, that value alone is tried.
        if "zero_division" in average and "zero_division" in explicit:
            continue
        is_mean = "average" in average
        # Without a value of 0/0, a mean leaves out the utterances whose score is 0/0, and a score of a corpus has the default.
        default = math.nan if is_mean else 0.0
        zero_division = average.get("zero_division", explicit.get("zero_division", default))
        if is_mean:
            # `empty` is the mean where no utterance remains.
            scores = tally.macro(plan.keys, zero_division, empty=plan.zero_division)
        else:
            scores = plain_scores(totals, plan.keys, zero_division)
        options = {**changes, **average}
        # A call with scores of its own asks for these, and not for the selection of a tool.
        keys_of_tools = {} if "scores" in explicit else _keys_of_tools(options)
        for key, score in scores.items():
            tools = [name for name, keys in keys_of_tools.items() if key in keys]
            yield Definition(key, score, difference=0.0, agrees=False, options=options, tools=tools)
            if is_mean and key.endswith("_fscore"):
                mean = _fscore_of_means(scores, key.removesuffix("_fscore"))
                if not math.isnan(mean):
                    yield Definition(key, mean, difference=0.0, agrees=False, options=options, tools=[], note=_OF_MEANS)


def _fscore_of_means(scores: Mapping[str, float], group: str) -> float:
    """Return the harmonic mean of the precision and the recall of a group; nan if there are none."""
    precision = scores.get(f"{group}_precision", math.nan)
    recall = scores.get(f"{group}_recall", math.nan)
    if math.isnan(precision + recall):
        return math.nan
    return float(divide(2 * precision * recall, precision + recall, 0.0))


def _go_together(name: str, other_name: str) -> bool:
    """Return whether two options are of the same scores."""
    groups = OPTIONS[name].groups
    return name != other_name and groups != () and groups == OPTIONS[other_name].groups


def _keys_of_tools(options: Mapping[str, Any]) -> dict[str, Collection[str]]:
    """Return the tools whose selection has these options, each with the keys of its scores: `{"nltk": ("window_diff", "pk")}`."""
    # These options have their defaults where a selection does not imply them.
    defaults: dict[str, Any] = {"zero_division": 0.0, "window_convention": "segeval", "transposition_span": 2}
    used = {**defaults, **_without_formats(options)}
    keys_of_tools: dict[str, Collection[str]] = {}
    for name, selection in SELECTIONS.items():
        # The selection `recall` has the name of no tool.
        is_tool = name != "recall"
        if is_tool and used == {**defaults, **_without_formats(selection.implied)}:
            keys_of_tools[name] = selection.keys
    return keys_of_tools


def _without_formats(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options but for formats, which change no definition."""
    return {name: value for name, value in options.items() if name not in _FORMATS}


def _covers(definition: Definition, other: Definition) -> bool:
    """Return whether a definition, with the same options or fewer, gives the same value as another."""
    # nan is not equal to nan.
    is_same = definition.value == other.value or (math.isnan(definition.value) and math.isnan(other.value))
    return is_same and definition.options.items() <= other.options.items()
