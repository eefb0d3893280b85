"""Scores for a Trainer's `compute_metrics`.

Conventions
-----------
- A row of `label_ids` is an utterance, and its positions whose label is not masked are its units. Positions labelled
  `ignore_index` are masked, and always those labelled -100, with which the Trainer pads. A row without unmasked
  positions is a blank utterance, which adds nothing to the counts.
- A class id is read as its tag, for references and for predictions (see `reading.class_tags`). The rule applies to inconsistent
  sequences too: `B S` is two words, an initial `I`, `M` or `E` begins the first word, and a final `B` or `M` ends the last.
- A position without a class (a NaN among its logits, or the id -100 in place of one) marks no boundary: a model that
  has diverged loses boundaries and gains none. A warning gives the number of utterances with such positions.
- Options are checked when the callable is made.

The module imports neither torch nor transformers: it recognises tensors and tokenizers by their methods.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Bytes, Mask, Positions
from ...kernel.formulas import divide
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError, warn
from ...options.keywords import ComputeOptions, TrainerOptions, Unpack
from ...options.messages import Message, OptionError, OptionTypeError
from ...options.option import check_options
from ...options.table import OPTIONS, options_in
from ...reading.class_tags import UNKNOWN, ClassTags, listed
from ...reading.labels import word_ends
from ...reading.sources.source import Side, collection_source
from ...scoring.functions import with_options
from ...scoring.measures.oov import vocabulary_of
from ...scoring.measures.registry import DEFAULT_SCORES, check_score_names, groups_of, select_scores
from ...scoring.piece import Piece
from ...statistics.resampling import split_options
from .evaluation_arrays import (
    PADDING,
    SWAPPED,
    Ids,
    as_ids,
    batches_of,
    preprocess_logits_for_metrics,
    read_inputs,
    read_predictions,
    rows_of,
    split_evaluation,
)
from .evaluation_tally import Counted, EvaluationTally
from .generated_text import generated_sides
from .token_units import ExampleTokens, TokenUnits, place_of

#: About the number of bytes of labels in a piece; labels take more bytes than the units of a text.
PIECE_BYTES = 1 << 20

_UNITS = OPTIONS["units"]
_TOKENIZER = OPTIONS["processing_class"]
_TOKENS = OPTIONS["tokens"]
_TEXT = _UNITS.set("text")
#: The options that are for generated text alone.
_OF_TEXT = ("text_format", "word_boundary", "ignored_tokens", "normalize")


@record
class _Units:
    """The units of some rows of labels.

    Attributes:
        is_unit: of shape (N, L), True where there is a unit.
        unit: the kind of the units, as in `Segmentation`.
        text: the names of the units, one after the other; None if they have no names.
        ends: the number of units up to the end of each row.
        positions: how many bytes of the text the first k units have, for each k: 0 3 5 for `ab c `. None without text.
    """

    is_unit: Mask
    unit: Literal["character", "token", "label"] = "label"
    text: Bytes | None = None
    positions: Positions | None = None

    @cached_property
    def counts(self) -> Positions:
        """The number of units of each row."""
        counts: Positions = np.count_nonzero(self.is_unit, axis=1).astype(np.int64)
        return counts

    @cached_property
    def ends(self) -> Positions:
        """The number of units up to the end of each row."""
        return np.cumsum(self.counts)

    def segmentation(self, marks: npt.NDArray[np.uint8]) -> Segmentation:
        """Return the side whose units have these marks: of each unit STARTS, ENDS, both or neither, as `word_ends` takes them."""
        ends_of_words = word_ends(marks, self.ends)
        ends_of_utterances = self.ends
        if self.positions is not None:
            # Where there is text, a segmentation counts its bytes.
            ends_of_words = self.positions[ends_of_words]
            ends_of_utterances = self.positions[ends_of_utterances]
        return Segmentation(self.text, ends_of_words, ends_of_utterances, self.counts, self.unit)


class ComputeMetrics:
    """The callable of `as_compute_metrics`: it scores the predictions of a Trainer. It can be pickled.

    It is called with an `EvalPrediction`, or with a tuple of predictions, label ids and, if needed, inputs. Arrays may
    be of numpy or torch, on any device, or lists of arrays, one per batch (`eval_do_concat_batches=False`).

    Attributes:
        options: the options that were passed to `as_compute_metrics`, after their check.
    """

    def __init__(self, **options: Unpack[TrainerOptions]) -> None:
        table = options_in(TrainerOptions)
        self.options = check_options(options, table)
        values = {name: self.options.get(name, option.default) for name, option in table.items()}
        self.units: str = values["units"]
        self.ignore_index: int = values["ignore_index"]
        self.processing_class = values["processing_class"]
        #: the tags of class ids; None for generated text, which has no labels
        self._tags = self._read_tags(values)
        self._check_processing_class()
        self._check_text_of_units(values)
        self._check_scores(values["scores"])
        self._plan, self._resampling, _values = split_options(self._options_of_compute(values))
        self._token_units = self._name_units(values["tokens"])
        self.reset()

    def _options_of_compute(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that `compute` has too, for segmentations that this callable makes of labels or of text."""
        shared = {name: value for name, value in values.items() if name in ComputeOptions.__annotations__}
        # This callable has read the labels by these options already.
        shared |= {"label_scheme": None, "id2label": None, "ignore_index": None}
        units_have_names = self.units == "input_ids" or values["tokens"] is not None
        if self._tags is not None and not units_have_names:
            # Units without names are labels alone. With a label scheme, the check of the options rejects scores that need text.
            shared["label_scheme"] = self._tags.scheme
        return shared

    def _name_units(self, tokens: Any) -> TokenUnits | ExampleTokens | None:
        """Return what names the units of labels: the tokens of the dataset, or the input ids; None if nothing does."""
        # A vocabulary lists words without spaces between their units.
        joined = vocabulary_of(self._plan.settings) is not None
        if self.units == "input_ids":
            # An evaluation in several processes may lack input ids.
            _warn_of_processes()
            return TokenUnits(self._tokenizer, joined=joined)
        if tokens is not None:
            return ExampleTokens(tokens, joined=joined)
        return None

    def _check_text_of_units(self, values: Mapping[str, Any]) -> None:
        """Raise an error if tokens would name units that are no labels, or if a vocabulary has no text to look up."""
        has_tokens = values["tokens"] is not None
        if has_tokens and self.units != "labels":
            raise OptionError(
                _TOKENS, " names the units of ", _UNITS.set("labels"), "; received ", _UNITS.set(self.units), "."
            )
        has_text = self.processing_class is not None or has_tokens
        if values["vocabulary"] is not None and not has_text:
            raise OptionError(
                OPTIONS["vocabulary"],
                ": it needs the text of the words: pass ",
                _TOKENS,
                ", from the evaluated dataset, or ",
                _TOKENIZER,
                ", the tokenizer, with ",
                _UNITS.set("input_ids"),
                " or ",
                _TEXT,
                ".",
            )

    def _read_tags(self, values: Mapping[str, Any]) -> ClassTags | None:
        """Return the tags of classes; None for generated text, which has none.

        Options of class labels are rejected for generated text, and options of generated text for class labels.
        """
        table = options_in(TrainerOptions)
        if self.units == "text":
            for name in ("label_scheme", "id2label"):
                if values[name] is not None:
                    raise OptionError(table[name], " is for class labels; ", _TEXT, " has none.")
            return None
        tags = ClassTags.of(values["label_scheme"], values["id2label"])
        if self.ignore_index in tags.ids:
            expected = " is a class id: expected a number that is not a class id."
            raise OptionError(OPTIONS["ignore_index"].set(self.ignore_index), expected)
        for name in _OF_TEXT:
            if values[name] != table[name].default:
                raise OptionError(table[name], " is for ", _TEXT, "; received ", _UNITS.set(self.units), ".")
        return tags

    def __repr__(self) -> str:
        return f"ComputeMetrics({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"

    def _check_scores(self, scores: Any) -> None:
        """Raise an error for scores that need another option than this callable has, or that generated text does not have."""
        for name in check_score_names(scores):
            groups = groups_of(select_scores(name))
            for group in groups:
                # Both are the name of an option, or "" if the group needs none.
                needed = group.needs_option or group.needs_corpus
                # A Trainer's callable has the vocabulary alone of these options.
                if needed and needed != "vocabulary":
                    only = ", which only compute has: leave it out."
                    raise OptionError(OPTIONS["scores"].set(name), " needs ", OPTIONS[needed], only)
            # In generated text whose units differ, nothing can match. What then counts is ruled for the default groups and oov
            # alone: see `EvaluationTally.count_text`.
            have_rule_for_text = {group.name for group in groups} <= {*DEFAULT_SCORES, "oov"}
            if self.units == "text" and not have_rule_for_text:
                why = " are not defined for generated text whose units differ: with "
                allowed = f" the groups are {', '.join(DEFAULT_SCORES)}, and oov with a "
                raise OptionError(OPTIONS["scores"].set(name), why, _TEXT, allowed, OPTIONS["vocabulary"], ".")

    def __call__(self, eval_prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Score an evaluation, or a batch of one.

        Args:
            eval_prediction: has `predictions`, logits (N, L, n_classes) or class ids (N, L), or a tuple with these first;
                `label_ids` (N, L), and, with `units="input_ids"`, `inputs` (N, L) or a mapping with `input_ids`.
                With `units="text"`, generated ids (N, L) and labels (N, M).
            compute_result: None for a whole evaluation. With `batch_eval_metrics=True` the Trainer passes False for a batch,
                whose counts are added up, and True for the last batch, which returns the scores of all batches and resets.

        Returns:
            Plain floats by score key, to which the Trainer adds `eval_`; an empty dict where `compute_result` is False.
            With `units="text"` also `mismatched`: the share of utterances whose generated text has other units than the
            reference. No span can match in such an utterance: its predicted words count as wrong and its reference
            words as missed, and it adds no true negatives. Its words are still added to the types. If all positions are
            masked, or there are no rows, every score is `zero_division`.

        Raises:
            TypeError: the argument is not an evaluation prediction.
            ValueError: arrays do not fit together, or an id has no tag; the message names the utterance and the
                position. The batches so far are then dropped.
        """
        if compute_result is None:
            return self._score(self._add(eval_prediction, EvaluationTally(self._plan, self._resampling)))
        try:
            total = self._add(eval_prediction, self._sum)
        except BaseException:
            self.reset()
            raise
        if not compute_result:
            return {}
        self.reset()
        return self._score(total)

    def reset(self) -> None:
        """Drop the batches so far, after an evaluation that was interrupted between two batches."""
        self._sum = EvaluationTally(self._plan, self._resampling)

    @property
    def _tokenizer(self) -> Any:
        """Return the tokenizer, or the tokenizer of a processor."""
        return getattr(self.processing_class, "tokenizer", self.processing_class)

    def _check_processing_class(self) -> None:
        """Raise an error if there is no tokenizer and the units need one, or one that the units do not need or cannot use."""
        needed_attributes = {"input_ids": ("convert_ids_to_tokens", "all_special_ids"), "text": ("batch_decode",)}
        if self.processing_class is None:
            # Input ids without a tokenizer are units whose names are their numbers.
            if self.units == "text":
                raise OptionError(_TEXT, " needs ", _TOKENIZER, ", the tokenizer that decodes the generated ids.")
            return
        if self.units == "labels":
            leave_out = ("; leave it out for ", _UNITS.set("labels"), ".")
            raise OptionError(_TOKENIZER, " is for ", _UNITS.set("input_ids"), " and ", _TEXT, *leave_out)
        for name in needed_attributes[self.units]:
            if not hasattr(self._tokenizer, name):
                received = type(self.processing_class).__name__
                raise OptionTypeError(_TOKENIZER, f": expected a tokenizer, which has {name}, received {received}.")
        if self.units == "text" and getattr(self._tokenizer, "pad_token_id", None) is None:
            set_one = " has no pad token, which replaces masked labels: set one, as by "
            raise OptionError(_TOKENIZER, set_one, _TOKENIZER, ".pad_token = ", _TOKENIZER, ".eos_token.")

    def _score(self, tally: EvaluationTally) -> dict[str, float]:
        """Return the scores of an evaluation; warn of positions without a class."""
        # Faulty are, of labels, utterances with such positions; of generated text, utterances whose units differ.
        if self.units != "text" and tally.faulty:
            warn(
                f"{tally.faulty} of {tally.utterances} utterances have positions without a class (a NaN among the "
                f"logits, or the id {PADDING}), which mark no boundary. Has the model diverged? {SWAPPED}",
                RuntimeWarning,
            )
        if isinstance(self._token_units, ExampleTokens) and len(self._token_units) != tally.utterances:
            evaluated = f": {len(self._token_units)} lists for an evaluation of {tally.utterances} examples"
            raise OptionError(_TOKENS, evaluated, ": expected the tokens of the evaluated dataset.")
        scores = tally.scores()
        if self.units == "text":
            scores["mismatched"] = float(divide(tally.faulty, tally.utterances, self._plan.zero_division))
        return scores

    def _add(self, eval_prediction: Any, total: EvaluationTally) -> EvaluationTally:
        """Add the batches of an evaluation to a tally, and return the tally."""
        for batch in batches_of(split_evaluation(eval_prediction)):
            labels = as_ids(batch.label_ids, "label_ids")
            if self.units == "text":
                generated = as_ids(batch.predictions, "predictions")
                sides = generated_sides(generated, labels, self._tokenizer, self.ignore_index, self._plan.reading)
                # The predictions are side 1.
                total.add(sides, lambda piece: total.count_text(*piece.read_both(1)))
            else:
                self._add_labelled(batch.predictions, labels, batch.inputs, total)
        return total

    def _add_labelled(self, predictions: Any, labels: Ids, inputs: Any, total: EvaluationTally) -> None:
        """Add a batch of class labels to a tally.

        The rows of labels go through `map_pieces` as the utterances of one side. Each piece of them says which rows to count.
        """
        received = read_predictions(predictions)
        predicted = received.array
        is_blank = not labels.size and not predicted.size and len(labels) == len(predicted)
        if not is_blank:
            self._check_shapes(received.shape, labels.shape, are_ids=received.are_ids)
        # Names of the units: their input ids (N, L), or the numbers of their examples (N, 1). For units without names, the
        # labels take this place, and are not read as names.
        named_by = read_inputs(inputs, labels.shape) if self.units == "input_ids" else labels
        if is_blank:
            # Give every row one masked position. Arrays without positions may have one dimension alone, and their rows no bytes.
            labels = np.full((len(labels), 1), PADDING)
            predicted = labels
            named_by = labels
        if isinstance(self._token_units, ExampleTokens):
            # Examples are numbered over all batches; the rows of this batch come after those so far.
            named_by = total.utterances + np.arange(len(labels))[:, None]

        def count(piece: Piece) -> Counted:
            """Count the rows of a piece, which begins after `piece.utterances_before` rows of the batch."""
            rows = slice(piece.utterances_before, piece.utterances_before + len(piece))
            return self._count(predicted[rows], labels[rows], named_by[rows], total)

        side = Side("references", (collection_source(rows_of(labels), "references"),), self._plan.reading)
        total.add([side], count, piece_bytes=PIECE_BYTES)

    def _check_shapes(self, predictions: tuple[int, ...], labels: tuple[int, ...], *, are_ids: bool) -> None:
        """Raise an error if predictions of this shape, class ids or logits, do not fit labels of that shape."""
        assert self._tags is not None  # generated text alone has none
        classes = len(self._tags)
        expected = labels if are_ids else (*labels, classes)
        if len(labels) == 2 and predictions == expected:
            return
        kind = "integers" if are_ids else "floats"
        problem = (
            f"predictions are {kind} of shape {predictions}, label_ids have shape {labels}: expected label_ids (N, L) with "
            f"logits (N, L, {classes}), a class for each of {classes} tags, or with class ids (N, L)."
        )
        if not are_ids and predictions == labels:
            problem += " Class ids are integers."
        raise ValueError(problem)

    def _count(self, predictions: Any, labels: Ids, named_by: Ids, total: EvaluationTally) -> Counted:
        """Return the counts of some rows, and the number of utterances with positions without a class.

        `named_by` are the input ids of the units, or the numbers of the examples, which name the units.
        """
        # Logits become class ids; class ids stay.
        ids = preprocess_logits_for_metrics(predictions)
        units = self._units_of(labels, named_by)
        reference_marks, _none_without_class = self._read_marks(labels, units.is_unit, "references")
        prediction_marks, without_class = self._read_marks(ids, units.is_unit, "predictions")
        counts = total.count(units.segmentation(reference_marks), units.segmentation(prediction_marks))
        # Utterances of 3 and 2 units end at 3 and 5, so the unit 3 of all is in the utterance 1.
        faulty_utterances = np.searchsorted(units.ends, without_class, side="right")
        return counts, len(np.unique(faulty_utterances))

    def _units_of(self, labels: Ids, named_by: Ids) -> _Units:
        """Return the units of some rows of labels; `named_by` is as in `_count`."""
        is_unit = labels != self.ignore_index
        if self.ignore_index != PADDING:
            is_unit &= labels != PADDING
        names = self._token_units
        if names is None:
            return _Units(is_unit)
        if len(names.special):
            # Special tokens, such as [CLS], are no units.
            is_unit &= ~np.isin(named_by, names.special)
        text, positions = names.text_of(named_by, is_unit)
        return _Units(is_unit, unit=names.unit, text=text, positions=positions)

    def _read_marks(self, ids: Ids, is_unit: Mask, side: str) -> tuple[npt.NDArray[np.uint8], Positions]:
        """Return the mark of every unit, and the numbers, among all units, of the units without a class.

        `ids` are class ids (N, L), and `is_unit` marks the units among them. In predictions, PADDING, which is -100, stands for
        no class; labels with it are masked, so that no unit of the references has it. Any other id that is no class is an error.
        """
        assert self._tags is not None  # generated text alone has none
        # Where no position is masked, flattening gives the same ids without a copy.
        class_ids = ids.ravel() if is_unit.all() else ids[is_unit]
        marks = self._tags.marks_of(class_ids)
        without_class = np.zeros(0, np.int64)
        # An id that is no class has the mark UNKNOWN, which is the largest.
        if len(marks) and side == "predictions" and marks.max() == UNKNOWN:
            # A prediction without a class marks no boundary.
            without_class = np.flatnonzero(class_ids == PADDING)
            marks[without_class] = 0
        # Any mark UNKNOWN that is left is an error.
        if len(marks) and marks.max() == UNKNOWN:
            # `argmax` gives the first of the largest marks.
            first_bad = int(np.argmax(marks))
            row, position = place_of(is_unit, first_bad)
            expected = listed(self._tags.ids)
            hint = ""
            if side == "references":
                expected += f", or {self.ignore_index} where masked"
            elif class_ids[first_bad] == self.ignore_index:
                # Predictions have the id of masked labels, another one than PADDING here: they may be the labels.
                hint = SWAPPED
            problem = f"position {position} has the class id {class_ids[first_bad]}; expected {expected}."
            raise UtteranceError(row, problem, hint=hint, side=side)
        return marks, without_class


@with_options
def as_compute_metrics(**options: Unpack[TrainerOptions]) -> ComputeMetrics:
    """Make a callable for `Trainer(compute_metrics=…)`.

    Args:
        **options: those of `TrainerOptions`.

    Returns:
        A callable that takes an `EvalPrediction` and returns plain floats by score key, to which the Trainer adds `eval_`. It
        can be pickled.

    Raises:
        TypeError: an unknown option, or one of the wrong type.
        ValueError: an unknown value, or options that do not go together.

    >>> compute_metrics = as_compute_metrics(id2label={0: "B", 1: "I"}, scores="token")
    >>> label_ids = np.array([[0, 1, 1, 0, 1, -100], [0, 0, -100, -100, -100, -100]])
    >>> logits = np.eye(2)[[[0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]]]
    >>> compute_metrics((logits, label_ids))
    {'token_precision': 0.6666666666666666, 'token_recall': 0.5, 'token_fscore': 0.5714285714285714}
    """
    return ComputeMetrics(**options)


def _warn_of_processes() -> None:
    """Warn where an evaluation with inputs may fail later: in several processes, batch by batch."""
    # A process that has not imported torch is in no group.
    torch_distributed = sys.modules.get("torch.distributed")
    if torch_distributed is not None and torch_distributed.is_available() and torch_distributed.is_initialized():
        processes = torch_distributed.get_world_size()
    else:
        # The callable may be made before the Trainer starts the group: torchrun sets this variable.
        set_by_launcher = os.environ.get("WORLD_SIZE", "")
        processes = int(set_by_launcher) if set_by_launcher.isdecimal() else 1
    if processes > 1:
        fails = (
            f" in {processes} processes: with batch_eval_metrics=True the Trainer does not gather the inputs of other processes, "
            f"and the first evaluation fails. Leave batch_eval_metrics out, or pass "
        )
        warn(Message(_UNITS.set("input_ids"), fails, _UNITS.set("labels"), "."))
