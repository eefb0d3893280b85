"""Training: the scores as a Trainer's `compute_metrics`.

Conventions
-----------
- A row of `label_ids` is an utterance, and its positions whose label is not masked are its units. Masked are the
  positions labelled `ignore_index`, and those labelled -100 in any case, with which the Trainer itself pads. A row with
  none left is a blank utterance: it pairs and counts nothing.
- A class id is read as its tag, and a tag as what it marks: a word begins at a unit labelled `B` or `S`, or 1 (`"start"`);
  a word ends at one labelled `E` or `S`, or 1 (`"end"`). An utterance's two ends are word edges whatever its labels say.
  That is the whole rule, the one of `segmentation.from_labels`, for references and predictions alike, so it decides
  impossible sequences too: `B S` is two words, a first `I`, `M` or `E` begins the first word, a last `B` or `M` ends the last.
- A position without a class (a NaN among its logits, or the id -100 that stands for that) marks nothing: a model that has
  diverged loses boundaries, it gains none. A warning says how many utterances have such positions.
- What can be checked is checked when the callable is made.

Neither torch nor transformers is imported: tensors are known by their methods, a tokenizer by its own.
"""

from __future__ import annotations

__all__ = ["UNITS", "ComputeMetrics", "as_compute_metrics", "preprocess_logits_for_metrics"]

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..kernel.comparison import compare
from ..kernel.errors import UtteranceError
from ..kernel.formulas import divide
from ..kernel.lexicon import Lexicon
from ..kernel.names import check_names
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Bytes, Positions, Segmentation
from ..measures.registry import DEFAULT_SCORES, GROUPS, check_score_names
from ..reading.options import check_label_scheme
from ..reading.readers import DEFAULT_WORD_BOUNDARY, LABEL_SCHEMES, from_units_text, from_words_text, lines
from ..scoring.options import Plan
from ..scoring.pipeline import score_tally
from ..scoring.tally import Tally

#: What a unit is: a labelled position, the input id at a labelled position, or a unit of generated text.
UNITS = ("labels", "input_ids", "text")

#: Positions that a part holds, about, so that a part stays in the processor's cache; and rows decoded at once.
PART_POSITIONS = 1 << 16
PART_ROWS = 1 << 10

#: The Trainer's padding of labels; among predictions, what stands for a position without a class.
PADDING = -100

#: What a class id marks, as bits.
_STARTS, _ENDS, _UNKNOWN = 1, 2, 4
_MARKS: dict[str, dict[str, int]] = {
    "start": {"0": 0, "1": _STARTS},
    "end": {"0": 0, "1": _ENDS},
    "BI": {"B": _STARTS, "I": 0},
    "BMES": {"B": _STARTS, "M": 0, "E": _ENDS, "S": _STARTS | _ENDS},
}

#: Marks of word pieces, which are no part of a word: WordPiece's, SentencePiece's, and byte-level BPE's.
_PIECE_MARKS = ("##", "▁", "Ġ")

#: As many classes are compared one by one.
_FEW_CLASSES = 8

#: An input id from which on a table by id would take too much memory.
_WIDE_ID = 1 << 24

#: Counts that are kept beside those of the score groups.
_NO_CLASS, _MISMATCHED = "no_class", "mismatched"

Ids: TypeAlias = npt.NDArray[np.integer[Any]]
Mask: TypeAlias = npt.NDArray[np.bool_]


def preprocess_logits_for_metrics(logits: Any, labels: Any = None) -> Any:  # noqa: ARG001 (the Trainer passes labels)
    """Keep class ids alone, so that a large evaluation set fits in memory: for the Trainer's argument of this name.

    Args:
        logits: float (…, n_classes), a torch tensor or a numpy array; or integers, class ids already, which are returned
            as they are; or a tuple of a model's outputs, of which the first counts.
        labels: not read.

    Returns:
        int64 (…): the class with the largest logit, the first of equal ones; -100 where a logit is NaN. A tensor stays one,
        on its device.

    >>> preprocess_logits_for_metrics(np.array([[[0.5, 2.0], [1.0, 0.0], [np.nan, 0.0]]]))
    array([[   1,    0, -100]])
    """
    if isinstance(logits, tuple):
        logits = logits[0]
    if hasattr(logits, "detach"):
        if not logits.is_floating_point():
            return logits
        largest, classes = logits.max(dim=-1)  # the largest is NaN where any is
        return classes.masked_fill(largest.isnan(), PADDING)
    logits = np.asarray(logits)
    if logits.dtype.kind != "f":
        return logits
    classes = logits.argmax(axis=-1)
    with np.errstate(invalid="ignore"):
        any_nan = logits.size and np.isnan(logits.max())  # one pass over all tells that there is none
    if any_nan:
        classes[np.isnan(logits).any(axis=-1)] = PADDING
    return classes


def as_compute_metrics(**options: Any) -> ComputeMetrics:
    """Make a callable for `Trainer(compute_metrics=…)`.

    Args:
        **options: those of `ComputeMetrics`, all of which have defaults.

    Raises:
        TypeError: an unknown option, or one of the wrong type.
        ValueError: an unknown value, or options that do not go together.

    >>> compute_metrics = as_compute_metrics(id2label={0: "B", 1: "I"}, scores="token")
    >>> label_ids = np.array([[0, 1, 1, 0, 1, -100], [0, 0, -100, -100, -100, -100]])
    >>> logits = np.eye(2)[[[0, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]]]
    >>> compute_metrics((logits, label_ids))
    {'token_precision': 0.6666666666666666, 'token_recall': 0.5, 'token_fscore': 0.5714285714285714}
    """
    known = [option.name for option in fields(ComputeMetrics) if option.init]
    check_names(options, known)
    return ComputeMetrics(**options)


@dataclass(kw_only=True, eq=False)
class ComputeMetrics:
    """Scores of a Trainer's predictions, checked when made, and picklable.

    Called with an `EvalPrediction`, or with a tuple of predictions, label ids and, if need be, inputs. Arrays may be numpy's or
    torch's, on any device, or lists of them, one a batch (`eval_do_concat_batches=False`).

    Attributes:
        label_scheme: how class ids are read, a name from LABEL_SCHEMES. It may be left out where `id2label` has tags. Without
            `id2label`, `"start"` and `"end"` read the ids 0 and 1.
        id2label: the tag of every class id: a dict, a list, or a model's config. Tags are `B` and `I`; `B`, `M`, `E` and `S`; or
            0 and 1 (also `LABEL_0` and `LABEL_1`), which need a `label_scheme`. What follows a hyphen, as in `B-X`, is dropped.
        ignore_index: the label of positions that are no units: special tokens, padding, later pieces of a unit.
        units: `"labels"` (default): units have no names, and there are no type scores. `"input_ids"`: a unit is an input id, and
            there are type scores; the Trainer needs `include_for_metrics=["inputs"]`. `"text"`: predictions and labels are ids of
            text (`predict_with_generate=True`), that is decoded and read by `text_format`.
        processing_class: the tokenizer. For `"text"` it is needed. For `"input_ids"` a unit's name is then that of the token
            without the mark `##`, `▁` or `Ġ`, followed by the masked pieces after it, up to the next special token. Special
            tokens are no units, whatever their label, but an unknown token is one.
        scores, zero_division: as for `compute`.
        text_format, word_boundary, ignored_tokens: as for `compute`, for `"text"` alone; `text_format` is `"words"` by default.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: an unknown value, or options that do not go together.
    """

    label_scheme: str | None = None
    id2label: Any = None
    ignore_index: int = PADDING
    units: str = "labels"
    processing_class: Any = None
    scores: str | Sequence[str] = DEFAULT_SCORES
    zero_division: float = 0.0
    text_format: str = "words"
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: Sequence[str] = ()
    _plan: Plan = field(init=False, repr=False)
    _marks: npt.NDArray[np.uint8] = field(init=False, repr=False)
    _special: Positions = field(init=False, repr=False)
    _sum: Tally = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.units, str) or self.units not in UNITS:
            raise ValueError(f"unknown units {self.units!r}: expected {', '.join(map(repr, UNITS))}.")
        if isinstance(self.ignore_index, bool) or not isinstance(self.ignore_index, (int, np.integer)):
            raise TypeError(f"ignore_index: expected an integer, received {self.ignore_index!r}.")
        scheme = None
        if self.units == "text":
            self._marks = np.zeros(0, np.uint8)
            if self.label_scheme is not None or self.id2label is not None:
                raise ValueError('label_scheme and id2label are for class labels; units="text" has none.')
        else:
            tags = _read_id2label(self.id2label)
            scheme = _find_scheme(self.label_scheme, tags)
            self._marks = _marks_by_id(scheme, tags)
            if 0 <= self.ignore_index < len(self._marks) and self._marks[self.ignore_index] != _UNKNOWN:
                raise ValueError(f"ignore_index={self.ignore_index} is a class id too: expected one that is none.")
            if (self.text_format, self.word_boundary) != ("words", DEFAULT_WORD_BOUNDARY) or self.ignored_tokens:
                raise ValueError(
                    f'text_format, word_boundary and ignored_tokens are for units="text"; received units={self.units!r}.'
                )
        for name in check_score_names(self.scores):
            needed = name in GROUPS and (GROUPS[name].needs_option or GROUPS[name].needs_corpus)
            if needed:
                raise ValueError(f"scores={name!r} needs {needed}, which is an option of compute alone: leave it out.")
            if self.units == "text" and name in GROUPS and name not in DEFAULT_SCORES:
                raise ValueError(
                    f'scores={name!r} do not say what a text is worth whose units differ: with units="text" the groups are '
                    f"{', '.join(DEFAULT_SCORES)}."
                )
        self._plan = Plan.of(
            scores=self.scores,
            text_format=self.text_format,
            word_boundary=self.word_boundary,
            ignored_tokens=self.ignored_tokens,
            label_scheme=scheme if self.units == "labels" else None,
            zero_division=self.zero_division,
        )
        self._check_processing_class()
        self._special = _special_ids(self._tokenizer) if self.units == "input_ids" else np.zeros(0, np.int64)
        self.reset()

    def __call__(self, eval_prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Score an evaluation, or a batch of one.

        Args:
            eval_prediction: has `predictions`, logits (N, L, n_classes) or class ids (N, L), or a tuple with these first;
                `label_ids` (N, L), and, with `units="input_ids"`, `inputs` (N, L) or a mapping with `input_ids`.
                With `units="text"`, generated ids (N, L) and labels (N, M).
            compute_result: None for a whole evaluation. False for a batch, whose counts are added up; True for the last one,
                which gives the scores of all batches and starts anew: what the Trainer passes with `batch_eval_metrics=True`.

        Returns:
            Plain floats by score key, to which the Trainer adds `eval_`; an empty dict where `compute_result` is False.
            With `units="text"` also `mismatched`: the share of utterances whose generated text has other units than the
            reference. No span can match there: its words count as predicted, its reference's as missed, and it adds no true
            negatives; its words still join the types. With nothing to score, all masked or no rows, every score is
            `zero_division`.

        Raises:
            TypeError: no evaluation prediction.
            ValueError: arrays that do not fit together, ids without a tag; it names the utterance and the position.
                Batches added up before are dropped then.
        """
        if compute_result is None:
            return self._score(self._tally(eval_prediction))
        before = self._sum.counts["utterances"]
        try:
            self._sum.update(self._tally(eval_prediction))
        except UtteranceError as error:
            self.reset()
            raise error.at(before) from None
        except BaseException:
            self.reset()
            raise
        if not compute_result:
            return {}
        total = self._sum
        self.reset()
        return self._score(total)

    def reset(self) -> None:
        """Drop the batches added up: after an evaluation that was broken off between two of them."""
        self._sum = self._nothing()

    @property
    def _tokenizer(self) -> Any:
        """The tokenizer, within a processor too."""
        return getattr(self.processing_class, "tokenizer", self.processing_class)

    def _check_processing_class(self) -> None:
        needed = {"labels": (), "input_ids": ("convert_ids_to_tokens", "all_special_ids"), "text": ("batch_decode",)}
        if self.processing_class is None:
            if self.units == "text":
                raise ValueError('units="text" needs processing_class, the tokenizer that decodes the generated ids.')
            return
        if self.units == "labels":
            raise ValueError(
                'processing_class is for units="input_ids" and units="text"; leave it out for units="labels".'
            )
        for name in needed[self.units]:
            if not hasattr(self._tokenizer, name):
                raise TypeError(
                    f"processing_class: expected a tokenizer, which has {name}, received {type(self.processing_class).__name__}."
                )
        if self.units == "text" and getattr(self._tokenizer, "pad_token_id", None) is None:
            raise ValueError(
                "processing_class has no pad token, which masked labels are replaced by: set one, as by "
                "processing_class.pad_token = processing_class.eos_token."
            )

    def _nothing(self) -> Tally:
        """The tally of no utterance, which has every count."""
        none = from_words_text(b"")
        tally = self._plan.tally(compare(none, none))
        tally.counts |= {_NO_CLASS: 0, _MISMATCHED: 0}
        return tally

    def _score(self, tally: Tally) -> dict[str, float]:
        """The scores of a tally, and the warning on positions without a class."""
        utterances = tally.counts["utterances"]
        if tally.counts[_NO_CLASS]:
            warnings.warn(
                f"{tally.counts[_NO_CLASS]} of {utterances} utterances have positions without a class (a NaN among the logits, "
                f"or the id {PADDING}), which count as marking no boundary. Has the model diverged?",
                RuntimeWarning,
                stacklevel=3,
            )
        scores = score_tally(tally, self._plan)
        if self.units == "text":
            scores["mismatched"] = float(divide(tally.counts[_MISMATCHED], utterances, self.zero_division))
        return scores

    def _tally(self, eval_prediction: Any) -> Tally:
        """The counts of an evaluation or a batch."""
        total = self._nothing()
        for predictions, label_ids, inputs in _batches(*_parts_of(eval_prediction)):
            try:
                if self.units == "text":
                    total.update(self._tally_generated(predictions, label_ids))
                else:
                    total.update(self._tally_labelled(predictions, label_ids, inputs))
            except UtteranceError as error:
                raise error.at(total.counts["utterances"]) from None
        return total

    def _tally_labelled(self, predictions: Any, label_ids: Any, inputs: Any) -> Tally:
        """The counts of rows of labels."""
        labels = _as_ids(label_ids, "label_ids")
        predicted, shape, is_ids = _read_predictions(predictions)
        total = self._nothing()
        if not labels.size and not predicted.size and len(labels) == len(predicted):
            labels = np.zeros((len(labels), 0), np.int64)
            predicted = labels
        else:
            self._check_shapes(shape, labels.shape, is_ids=is_ids)
        inputs = _read_inputs(inputs, labels.shape) if self.units == "input_ids" else None
        rows = max(1, PART_POSITIONS // max(1, labels.shape[1]))

        def tally_part(start: int) -> Tally:
            part = slice(start, start + rows)
            try:
                return self._tally_part(predicted[part], labels[part], None if inputs is None else inputs[part])
            except UtteranceError as error:
                raise error.at(start) from None

        for tally in map_in_order(tally_part, range(0, len(labels), rows)):
            total.update(tally)
        return total

    def _check_shapes(self, predictions: tuple[int, ...], labels: tuple[int, ...], *, is_ids: bool) -> None:
        """Check that predictions and labels fit together, and the classes with the tags.

        Raises:
            ValueError: they do not.
        """
        classes = len(self._marks)
        if len(labels) != 2 or predictions != (labels if is_ids else (*labels, classes)):
            kind = "integers" if is_ids else "floats"
            raise ValueError(
                f"predictions are {kind} of shape {predictions}, label_ids have shape {labels}: expected label_ids (N, L) with "
                f"logits (N, L, {classes}), a class for each of {classes} tags, or with class ids (N, L)."
                + (" Class ids are integers." if not is_ids and predictions == labels else "")
            )

    def _tally_part(self, predictions: Any, labels: Ids, inputs: Ids | None) -> Tally:
        """The counts of some rows, small enough to be read at once."""
        labels, ids = _narrow(labels), _narrow(_classes(predictions))
        kept = labels != self.ignore_index
        if self.ignore_index != PADDING:
            kept &= labels != PADDING
        if inputs is not None and len(self._special):
            kept &= ~np.isin(inputs, self._special)
        utterance_units = np.count_nonzero(kept, axis=1).astype(np.int64)
        utterance_ends = np.cumsum(utterance_units)
        text, positions = (None, None) if inputs is None else self._unit_text(inputs, kept)
        reference_marks, _ = self._read_marks(labels, kept, "references")
        prediction_marks, without_class = self._read_marks(ids, kept, "predictions")

        def segmentation(marks: npt.NDArray[np.uint8]) -> Segmentation:
            word_ends = _word_ends(marks, utterance_ends)
            return Segmentation(
                text=text,
                word_ends=word_ends if positions is None else positions[word_ends],
                utterance_ends=utterance_ends if positions is None else positions[utterance_ends],
                utterance_units=utterance_units,
                unit="label" if text is None else "token",
            )

        tally = self._plan.tally(compare(segmentation(reference_marks), segmentation(prediction_marks)))
        utterances = np.searchsorted(utterance_ends, without_class, side="right")
        tally.counts[_NO_CLASS] = len(np.unique(utterances))
        return tally

    def _read_marks(self, ids: Ids, kept: Mask, side: str) -> tuple[npt.NDArray[np.uint8], Positions]:
        """What the unit at every kept position marks, and which units have no class.

        Raises:
            UtteranceError: an id without a tag.
        """
        chosen = ids.ravel() if kept.all() else ids[kept]
        without_class = np.zeros(0, np.int64)
        if not len(chosen):
            return np.zeros(0, np.uint8), without_class
        if chosen.min() >= 0 and chosen.max() < len(self._marks):
            marks = self._marks[chosen]
        else:
            outside = (chosen < 0) | (chosen >= len(self._marks))
            marks = self._marks[np.where(outside, 0, chosen).astype(np.int64)]
            marks[outside] = _UNKNOWN
            if side == "predictions":
                without_class = np.flatnonzero(chosen == PADDING)
                marks[without_class] = 0
        if marks.max() == _UNKNOWN:
            at = int(np.argmax(marks))
            row, position = _place(kept, at)
            known = _listed(np.flatnonzero(self._marks != _UNKNOWN))
            masked = f", or {self.ignore_index} where masked" if side == "references" else ""
            raise UtteranceError(
                row, f"position {position} has the class id {chosen[at]}; expected {known}{masked}.", side=side
            )
        return marks, without_class

    def _unit_text(self, inputs: Ids, kept: Mask) -> tuple[Bytes, Positions]:
        """The units' names end to end, as `Segmentation.text` holds them, and the byte at which each begins; the last ends."""
        pieces = kept
        if self.processing_class is not None:
            pieces = _with_later_pieces(kept, (inputs >= 0) & ~np.isin(inputs, self._special))
        chosen = inputs[pieces]
        if len(chosen) and chosen.min() < 0:
            at = int(np.argmax(inputs[kept] < 0))
            row, position = _place(kept, at)
            raise UtteranceError(
                row,
                f"position {position} has a label, and the input id {inputs[row, position]}; expected an id from 0 on.",
                hint="Are inputs and labels padded alike?",
            )
        distinct, index = _index_distinct(chosen)
        names = self._names(distinct.tolist())
        ends_unit = np.append(kept[pieces][1:], True)[: len(chosen)]
        # Every name twice: as it is, and with the space that ends a unit.
        table = pa.array([*names, *(name + b" " for name in names)], pa.large_binary())
        taken = table.take(pa.array(index + len(names) * ends_unit))
        _, offsets, data = taken.buffers()
        ends = np.frombuffer(offsets, np.int64, len(chosen) + 1) if len(chosen) else np.zeros(1, np.int64)
        positions = np.concatenate(([0], ends[1:][ends_unit]))
        return np.frombuffer(data or b"", np.uint8, int(positions[-1])), positions

    def _names(self, ids: list[int]) -> list[bytes]:
        """The name of every input id in a unit."""
        if self.processing_class is None:
            return [str(number).encode() for number in ids]
        tokens = self._tokenizer.convert_ids_to_tokens(ids)
        for number, token in zip(ids, tokens, strict=True):
            if not isinstance(token, str):
                raise ValueError(
                    f"processing_class has no token for the input id {number}: is it the tokenizer of these inputs?"
                )
        # The space separates units.
        return [_without_mark(token).replace(" ", "▁").encode(errors="backslashreplace") for token in tokens]

    def _tally_generated(self, predictions: Any, label_ids: Any) -> Tally:
        """The counts of generated text."""
        sides = [_as_ids(label_ids, "label_ids"), _as_ids(predictions, "predictions")]
        if [side.ndim for side in sides] != [2, 2] or len(sides[0]) != len(sides[1]):
            if sides[0].size or sides[1].size:
                raise ValueError(
                    f"predictions have shape {sides[1].shape}, label_ids have shape {sides[0].shape}: expected generated ids "
                    f"(N, L) and labels (N, M)."
                )
            return self._nothing()
        total = self._nothing()
        for start in range(0, len(sides[0]), PART_ROWS):
            references, generated = (self._decode(ids[start : start + PART_ROWS]) for ids in sides)
            total.update(self._tally_texts(references, generated))
        return total

    def _decode(self, ids: Ids) -> pa.LargeStringArray:
        """The text of every row, without special tokens; a NUL, which no text has, is replaced."""
        masked = (ids < 0) | (ids == self.ignore_index)
        filled = np.where(masked, self._tokenizer.pad_token_id, ids)
        # Spaces separate words here, so none may be cleaned up.
        texts = self._tokenizer.batch_decode(
            filled.tolist(), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        strings = [text.encode(errors="replace").decode().replace("\0", "\ufffd") for text in texts]
        return pa.array(strings, pa.large_string())

    def _tally_texts(self, references: pa.LargeStringArray, predictions: pa.LargeStringArray) -> Tally:
        """The counts of texts; those whose units differ are counted with nothing matched."""
        read = self._read_text
        same = _same_units(read(references), read(predictions))
        tally = self._plan.tally(compare(*(read(side.filter(pa.array(same))) for side in (references, predictions))))
        if not same.all():
            others = [read(side.filter(pa.array(~same))) for side in (references, predictions)]
            tally.update(_tally_mismatched(others[0], others[1], self._plan))
        return tally

    def _read_text(self, strings: pa.LargeStringArray) -> Segmentation:
        if self.text_format == "words":
            return from_words_text(lines(strings))
        return from_units_text(lines(strings), self.word_boundary, self._plan.reading.ignored_tokens)


def _read_id2label(id2label: Any) -> dict[int, str] | None:
    """The tag of every class id, without what follows a hyphen.

    Raises:
        TypeError, ValueError: it is no such mapping.
    """
    if id2label is None:
        return None
    given = getattr(id2label, "id2label", id2label)
    if isinstance(given, (list, tuple)):
        given = dict(enumerate(given))
    if not isinstance(given, Mapping):
        raise TypeError(
            f"id2label: expected a dict from class ids to tags, or a model's config, received {type(id2label).__name__}."
        )
    tags: dict[int, str] = {}
    for key, name in given.items():
        if isinstance(key, bool) or not re.fullmatch("[0-9]{1,6}", str(key)):
            raise ValueError(f"id2label: expected class ids from 0 on, received {key!r}.")
        if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
            raise TypeError(f"id2label: expected tags, received {name!r} for the class id {key}.")
        if int(key) in tags:
            raise ValueError(f"id2label has the class id {int(key)} twice.")
        tags[int(key)] = re.sub(r"^LABEL_(?=\d+$)|-.*$", "", str(name))
    if not tags:
        raise ValueError("id2label is empty: expected a tag for every class id.")
    return tags


def _find_scheme(label_scheme: str | None, tags: dict[int, str] | None) -> str:
    """The label scheme asked for, or the one that the tags show.

    Raises:
        TypeError, ValueError: it is unknown, neither says it, or they disagree.
    """
    if label_scheme is not None:
        check_label_scheme(label_scheme)
    forms = "B and I; B, M, E and S (what follows a hyphen, as in B-X, is dropped); or 0 and 1"
    if tags is None:
        if label_scheme is None:
            raise ValueError(
                f"how class ids mark words is not known: pass id2label, such as model.config, with the tags {forms}, or "
                f'label_scheme="start" if the id 1 starts a word, "end" if it ends one.'
            )
        if not isinstance(LABEL_SCHEMES[label_scheme][0], int):
            raise ValueError(
                f"label_scheme={label_scheme!r} does not say which class id stands for which tag: pass id2label, such as "
                f"model.config."
            )
        return label_scheme
    received = set(tags.values())
    if label_scheme is not None:
        if not received <= _MARKS[label_scheme].keys():
            raise ValueError(
                f"label_scheme={label_scheme!r} takes {_listed(_MARKS[label_scheme])}; id2label has {_listed(sorted(received))}."
                + (" Without id2label, the class ids 0 and 1 are read." if label_scheme in ("start", "end") else "")
            )
        return label_scheme
    if received == {"0", "1"}:
        raise ValueError(
            'id2label has 0 and 1: say what 1 marks, by label_scheme="start" if it starts a word, "end" if it ends one.'
        )
    for scheme in ("BI", "BMES"):
        if received == _MARKS[scheme].keys():
            return scheme
    raise ValueError(f"id2label has {_listed(sorted(received))}: expected the tags {forms}.")


def _marks_by_id(scheme: str, tags: dict[int, str] | None) -> npt.NDArray[np.uint8]:
    """What every class id marks."""
    if tags is None:
        tags = dict(enumerate(_MARKS[scheme]))
    marks = np.full(max(tags) + 1, _UNKNOWN, np.uint8)
    for number, tag in tags.items():
        marks[number] = _MARKS[scheme][tag]
    return marks


def _special_ids(tokenizer: Any) -> Positions:
    """The ids of tokens that are no units. The unknown token stands for a unit, unless it has another office as well."""
    special = set(getattr(tokenizer, "all_special_ids", ()))
    other_offices = [
        getattr(tokenizer, f"{name}_token_id", None) for name in ("bos", "eos", "sep", "cls", "pad", "mask")
    ]
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown not in other_offices:
        special.discard(unknown)
    return np.array(sorted(special), np.int64)


def _parts_of(eval_prediction: Any) -> tuple[Any, Any, Any]:
    """Predictions, label ids and inputs.

    Raises:
        TypeError: there are none.
    """
    if isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) in (2, 3):
        predictions, label_ids, inputs = (*eval_prediction, None)[:3]
    elif hasattr(eval_prediction, "predictions") and hasattr(eval_prediction, "label_ids"):
        predictions, label_ids = eval_prediction.predictions, eval_prediction.label_ids
        inputs = getattr(eval_prediction, "inputs", None)
    else:
        raise TypeError(
            f"expected an EvalPrediction or a tuple (predictions, label_ids), received {type(eval_prediction).__name__}."
        )
    for name, value in (("predictions", predictions), ("label_ids", label_ids)):
        if value is None:
            raise TypeError(f"{name}: expected an array, received None.")
    return predictions, label_ids, inputs


def _batches(predictions: Any, label_ids: Any, inputs: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The batches that were kept apart, or the whole; of a model's outputs, the first.

    Raises:
        ValueError: different numbers of batches, or several arrays of labels.
    """
    if isinstance(label_ids, list) and label_ids and getattr(_first(label_ids[0]), "ndim", 0) == 2:
        counts = {
            name: len(value) for name, value in (("predictions", predictions), ("inputs", inputs)) if value is not None
        }
        if set(counts.values()) != {len(label_ids)}:
            raise ValueError(f"{len(label_ids)} batches of label_ids and {counts} of the others: expected as many.")
        for number, labels in enumerate(label_ids):
            yield from _batches(predictions[number], labels, None if inputs is None else inputs[number])
        return
    if isinstance(label_ids, tuple) and len(label_ids) != 1:
        raise ValueError(
            f"label_ids are a tuple of {len(label_ids)} arrays: expected one; name it in TrainingArguments(label_names=…)."
        )
    yield _first(predictions), _first(label_ids), _first(inputs)


def _first(outputs: Any) -> Any:
    """The first of a model's outputs, or the only one."""
    while isinstance(outputs, tuple) and outputs:
        outputs = outputs[0]
    return outputs


def _read_inputs(inputs: Any, shape: tuple[int, ...]) -> Ids:
    """The input ids.

    Raises:
        ValueError: there are none, or they have not the labels' shape.
    """
    if inputs is None:
        raise ValueError(
            'units="input_ids" needs the inputs: pass include_for_metrics=["inputs"] to TrainingArguments, or units="labels" '
            "to as_compute_metrics."
        )
    if isinstance(inputs, Mapping) or hasattr(inputs, "keys"):
        if "input_ids" not in inputs:
            raise ValueError(f"inputs have {_listed(list(inputs))}: expected input_ids among them.")
        inputs = inputs["input_ids"]
    ids = _as_ids(inputs, "inputs")
    if not ids.size and 0 in shape:
        return ids.reshape(shape)
    if ids.shape != shape:
        raise ValueError(
            f"inputs have shape {ids.shape}, label_ids have shape {shape}: expected a label for every input id."
            + (
                " With batch_eval_metrics the Trainer does not gather the inputs of other processes: leave it out."
                if len(ids) < shape[0]
                else ""
            )
        )
    return ids


def _is_tensor(array: Any) -> bool:
    return hasattr(array, "detach")


def _read_predictions(predictions: Any) -> tuple[npt.NDArray[Any], tuple[int, ...], bool]:
    """Logits or class ids, the shape in which they came, and whether they came as ids."""
    if not _is_tensor(predictions):
        array = _as_numpy(predictions, "predictions")
        return array, array.shape, array.dtype.kind != "f"
    shape = tuple(predictions.shape)
    is_ids = not predictions.is_floating_point()
    if not is_ids and shape[-1:] == (0,):
        return np.zeros(shape), shape, False
    # Logits become ids where they are: numpy has no bfloat16, and ids are smaller to move.
    return _as_numpy(preprocess_logits_for_metrics(predictions), "predictions"), shape, is_ids


def _as_numpy(array: Any, name: str) -> npt.NDArray[Any]:
    """An array of numbers, from any device.

    Raises:
        ValueError: it has others, or rows of different lengths.
    """
    try:
        values = np.asarray(array.detach().cpu().numpy() if _is_tensor(array) else array)
    except ValueError:
        raise ValueError(
            f"{name}: the rows have different lengths; expected an array, padded with {PADDING}."
        ) from None
    if values.dtype.kind not in "iubf":
        raise ValueError(f"{name} are of type {values.dtype}: expected an array of numbers.")
    return values.view(np.uint8) if values.dtype == bool else values


def _as_ids(array: Any, name: str) -> Ids:
    """An array of integers.

    Raises:
        ValueError: it has others.
    """
    # A tensor of floats stays where it is: not all of them have a counterpart in numpy.
    ids = array if _is_tensor(array) and array.is_floating_point() else _as_numpy(array, name)
    shape = tuple(ids.shape)
    if 0 in shape:
        return np.zeros(shape, np.int64)
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        return ids
    raise ValueError(
        f"{name} are of type {ids.dtype} and shape {shape}: expected ids, integers."
        + (" To generate text, set predict_with_generate=True." if name == "predictions" else "")
    )


def _classes(predictions: npt.NDArray[Any]) -> Ids:
    """Class ids, by comparing one class with the largest before it: faster than an argmax where classes are few.

    The naive equivalent is `preprocess_logits_for_metrics`.
    """
    if predictions.dtype.kind != "f":
        return predictions
    classes = predictions.shape[-1]
    with np.errstate(invalid="ignore"):
        if not predictions.size or classes > _FEW_CLASSES or np.isnan(predictions.max()):
            return preprocess_logits_for_metrics(predictions)  # type: ignore[no-any-return]
    ids = np.zeros(predictions.shape[:-1], np.int8)
    largest = predictions[..., 0]
    for number in range(1, classes):
        np.putmask(ids, predictions[..., number] > largest, number)
        if number + 1 < classes:
            largest = np.maximum(largest, predictions[..., number])
    return ids


def _narrow(ids: Ids) -> Ids:
    """The same integers in one byte each, where all fit: they are few classes, as a rule, and what follows is faster."""
    if ids.dtype.itemsize > 1 and ids.size and ids.min() >= -128 and ids.max() <= 127:
        return ids.astype(np.int8)
    return ids


def _word_ends(marks: npt.NDArray[np.uint8], utterance_ends: Positions) -> Positions:
    """The units after which a word ends, by the rule of `segmentation.from_labels`."""
    is_end = np.zeros(len(marks) + 1, bool)
    is_end[:-1] = marks & _STARTS
    is_end[1:] |= marks >= _ENDS
    is_end[utterance_ends] = True
    is_end[0] = False
    return np.flatnonzero(is_end)


def _with_later_pieces(kept: Mask, is_piece: Mask) -> Mask:
    """The positions that name units: those kept, and the pieces that follow one without a gap.

    Args:
        kept: (N, L), where a unit begins.
        is_piece: (N, L), where an input id is no padding and no special token.
    """
    later = is_piece & ~kept
    if not later.any():
        return kept
    # For every position the last one, itself included, that is no later piece: -1 where there is none.
    anchor = np.maximum.accumulate(np.where(later, -1, np.arange(kept.shape[1])), axis=1)
    follows = np.take_along_axis(kept, np.maximum(anchor, 0), axis=1) & (anchor >= 0)
    return kept | (later & follows)


def _index_distinct(ids: Ids) -> tuple[Positions, Positions]:
    """The distinct ids in order, and which of them each is: `np.unique` with `return_inverse`, without sorting."""
    if len(ids) and ids.max() >= _WIDE_ID:
        distinct, index = np.unique(ids, return_inverse=True)
        return distinct.astype(np.int64), index
    occurs = np.zeros(int(ids.max(initial=0)) + 1, bool)
    occurs[ids] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[ids]


def _without_mark(token: str) -> str:
    """A token without the mark of word pieces; a mark alone is the token itself."""
    for mark in _PIECE_MARKS:
        if token.startswith(mark) and token != mark:
            return token[len(mark) :]
    return token


def _same_units(reference: Segmentation, prediction: Segmentation) -> Mask:
    """Which utterances have the same units on both sides."""
    sides = []
    for side in (reference, prediction):
        offsets = np.concatenate(([0], side.utterance_ends))
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(side.text)]
        sides.append(pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(side.utterance_ends), buffers))
    return np.asarray(pc.equal(*sides))


def _tally_mismatched(reference: Segmentation, prediction: Segmentation, plan: Plan) -> Tally:
    """The counts of utterances that have no unit in common: nothing is matched, and there are no true negatives."""
    right, wrong = (
        np.diff(np.searchsorted(side.word_ends, side.utterance_ends, side="right"), prepend=0)
        for side in (reference, prediction)
    )
    counts = {"utterances": len(right), "units": int(reference.utterance_units.sum()), _MISMATCHED: len(right)}
    # Spans are the words of both sides, so that every one that is no reference word is a wrong prediction.
    counts |= {"token_matched": 0, "token_spans": int(right.sum() + wrong.sum())}
    for side, words in (("reference", right), ("predicted", wrong)):
        edges = int(np.count_nonzero(words))
        counts[f"token_{side}"] = int(words.sum())
        counts[f"boundary_all_{side}"] = counts[f"token_{side}"] + edges
        counts[f"boundary_noedge_{side}"] = counts[f"token_{side}"] - edges
    groups = plan.groups
    columns = {column for group in groups for column in group.columns if not group.needs_words}
    tally = Tally(
        {column: count for column, count in counts.items() if column in {*columns, "utterances", "units", _MISMATCHED}}
    )
    if any(group.needs_words for group in groups):
        tally.reference_lexicon, tally.prediction_lexicon = Lexicon(reference.words()), Lexicon(prediction.words())
    return tally


def _place(kept: Mask, unit: int) -> tuple[int, int]:
    """The row and the position of a unit."""
    row, position = divmod(int(np.flatnonzero(kept)[unit]), kept.shape[1])
    return row, position


def _listed(values: Any) -> str:
    shown = [str(value) for value in values]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
