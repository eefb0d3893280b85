"""The configuration "alignment": scores of the alignment of two texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import evaluate
import pyarrow as pa

from ...analysis.bitext.alignment import score_alignment, select_levels
from ...analysis.bitext.bitexts import bitexts_to_arrow
from ...options.keywords import AlignmentOptions, Unpack
from ...options.option import check_options
from ...options.table import options_in
from ...reading.inputs import Column
from .cards import ALIGNMENT_DESCRIPTION, card
from .storing import StoringMetric

#: The forms of a list of bisegments and of a text, for the card.
_BISEGMENTS = pa.list_(pa.struct({side: pa.list_(pa.int64()) for side in ("source", "target")}))
_TEXTS = pa.list_(pa.string())


class AlignmentScores(StoringMetric):
    """Scores of the alignment of two texts: the configuration "alignment"."""

    stored_columns: ClassVar[tuple[str, ...]] = ("references", "predictions", "sources", "targets")
    #: True if the added bitexts have the texts of their segments; None before the first
    _stored_kind: bool | None = None

    def _info(self) -> evaluate.MetricInfo:
        """Return the card of the metric."""
        features = {"references": _BISEGMENTS, "predictions": _BISEGMENTS, "sources": _TEXTS, "targets": _TEXTS}
        return card(ALIGNMENT_DESCRIPTION, type(self).compute, features)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Raise an error for bad options, also of loading."""
        check_options(options, options_in(AlignmentOptions))
        select_levels(options.get("scores"), texts_known=True)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, targets: Any = None
    ) -> None:
        """Add the predicted alignments of bitexts and their references.

        Args:
            predictions, references: a list of bisegments per bitext.
            sources, targets: a list of strings per bitext, the texts of its segments.

        Raises:
            TypeError: an input has no known form.
            ValueError: different numbers of bitexts, a segment number that the bitext does not have, or only some
                batches have texts. Nothing is added after an error.
        """
        with self._lock:
            self._store(self._read(references, predictions, sources, targets))
            self._stored_kind = sources is not None

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        targets: Any = None,
        **options: Unpack[AlignmentOptions],
    ) -> dict[str, float] | None:
        """Score predicted alignments against references: the arguments, and the examples added before.

        In a distributed run (`num_process` > 1) the first process returns the scores of all, and the others return
        None. After an error all added examples remain: call `compute` again, or `reset`.

        Args:
            predictions: a list of bisegments per bitext: {"source": [0], "target": [0, 1]}, or pairs ([0], [0, 1]).
                Segments are counted from 0. A single bitext needs no outer list.
            references: the same.
            sources, targets: a list of strings per bitext, the texts of its segments. Without them there are no scores
                by words or characters.
            scores: the name of a level, or a list of names, of "alignment", "sentence", "word", "character", "strict"
                and "lax". Default: all.
            zero_division: the value of an undefined score, 0/0: a number in [0, 1] or nan. Default 0.0.
            confidence: the confidence level of intervals over bitexts, such as 0.95. Default: no intervals.

        Returns:
            `{alignment,sentence,word,character,strict,lax}_{precision,recall,fscore}`, plain floats in [0, 1], higher is better;
            with `confidence`, each followed by `<key>_low` and `<key>_high`.

        Raises:
            TypeError: an input is missing or has no known form; an unknown option.
            ValueError: different numbers of bitexts, a segment number that a bitext does not have, or a bad value of an option.
                The message names the bitext.

        Examples:
            >>> metric = evaluate.load("segmentation_scores.py", "alignment")
            >>> scores = metric.compute(
            ...     references=[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}],
            ...     predictions=[{"source": [0], "target": [0]}, {"source": [1], "target": [2]}],
            ... )
            >>> scores["alignment_fscore"], scores["sentence_recall"]
            (0.5, 0.6666666666666666)
        """
        merged: dict[str, Any] = {**self.defaults, **options}
        self._check_options(merged)
        has_inputs = any(values is not None for values in (predictions, references, sources, targets))
        with self._lock:
            scores_inputs_alone = has_inputs and self._scores_at_once
            if not scores_inputs_alone:
                # There are stored rows, or there may be some in other processes; without either, an error says so.
                columns = self._read(references, predictions, sources, targets) if has_inputs else None
                return self._score_stored(columns, lambda rows: score_alignment(**_bitexts_of(rows), **merged))
        # No rows are stored: score the arguments without the lock, so that other threads may store rows meanwhile.
        return score_alignment(references, predictions, sources=sources, targets=targets, **merged)

    def _read(self, references: Any, predictions: Any, sources: Any, targets: Any) -> dict[str, Column]:
        """Return the columns of a batch; raise an error if only it, or only the batches before, have texts."""
        columns = bitexts_to_arrow(references, predictions, sources, targets)
        has_texts = sources is not None
        if self._stored_kind is not None and self._stored_kind != has_texts:
            now = "with" if has_texts else "without"
            before = "without" if has_texts else "with"
            raise ValueError(
                f"this batch comes {now} sources and targets, the batches before came {before}: pass them always or never. To "
                f"start again, call reset()."
            )
        return columns


def _bitexts_of(rows: pa.Table) -> dict[str, Any]:
    """Return the arguments of `score_alignment` for stored rows: their columns, or None where they have no texts."""
    columns = {name: rows.column(name) for name in rows.column_names}
    # A row without sources has no targets either.
    rows_without_texts = columns["sources"].null_count
    if rows_without_texts == len(rows):
        return columns | {"sources": None, "targets": None}
    if rows_without_texts:
        raise ValueError("only some processes have sources and targets: pass them always or never.")
    return columns
