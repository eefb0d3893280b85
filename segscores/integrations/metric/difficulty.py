"""The configuration "difficulty": scores that are balanced by the difficulty of the reference words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import evaluate
import pyarrow as pa

from ...analysis.difficulty import check_rated_counts, read_difficulties, score_difficulty
from ...options.keywords import DifficultyOptions, Unpack
from ...options.option import check_options
from ...reading.form import read_pair
from ...reading.inputs import Column
from ...reading.reading import Reading
from ...scoring.functions import options_of, with_options
from .cards import DIFFICULTY_DESCRIPTION, card
from .storing import PairStoringMetric, features_of_pairs


class DifficultyScores(PairStoringMetric):
    """Scores of a segmentation balanced by the difficulty of the reference words: the configuration "difficulty"."""

    stored_columns: ClassVar[tuple[str, ...]] = ("references", "predictions", "difficulties")

    def _info(self) -> evaluate.MetricInfo:
        """Return the card of the metric."""
        features = features_of_pairs(difficulties=pa.list_(pa.float64()))
        return card(DIFFICULTY_DESCRIPTION, type(self).compute, *features)

    def _check_options(self, options: Mapping[str, Any]) -> Reading:
        """Return how text is read; raise an error for bad options, also of loading."""
        check_options(options, options_of(score_difficulty))
        # All other options say how text is read.
        return Reading.of(**{name: value for name, value in options.items() if name != "zero_division"})

    def add_batch(self, *, predictions: Any = None, references: Any = None, difficulties: Any = None) -> None:
        """Add predictions, their references and the difficulties of the reference words.

        Args:
            predictions, references: utterances, in any form that `compute` takes.
            difficulties: a list per utterance, with a number in [0, 1] for each word of the reference.

        Raises:
            TypeError: an utterance has no known form, or another form than the utterances before.
            ValueError: different numbers of predictions, references and difficulties, or a difficulty outside [0, 1]. Nothing
                is added after an error.
        """
        self._store_pair(*_read(references, predictions, difficulties))

    @with_options
    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        difficulties: Any = None,
        **options: Unpack[DifficultyOptions],
    ) -> dict[str, float] | None:
        """Score predictions against references: the arguments, and the examples added before.

        In a distributed run (`num_process` > 1) the first process returns the scores of all, and the others return
        None. After an error all added examples remain: call `compute` again, or `reset`.

        Args:
            predictions: segmented utterances: strings, lists of words, or lists of labels (one per unit).
            references: the same, in the same form, with the same units.
            difficulties: for each utterance a list of numbers in [0, 1], one for each word of the reference: the share of a
                committee of segmenters that misses it.
            **options: those of `ReadingOptions`, and `zero_division`.

        Returns:
            `{reward,punishment,balanced}_{precision,recall}` and `balanced_fscore`, plain floats in [0, 1], higher is better.
            The words recovered in each tenth of the range of difficulty: `segscores.recovered_by_decile`.

        Raises:
            TypeError: an input is missing or has no known form; mixed forms; an unknown option.
            ValueError: different numbers of predictions, references and difficulties, different units in a pair, or a bad value
                of an option. The message names the utterance.

        Examples:
            >>> metric = evaluate.load("segmentation_scores.py", "difficulty")
            >>> scores = metric.compute(
            ...     references=["the dog barks"],
            ...     predictions=["the dogbarks"],
            ...     difficulties=[[0.5, 0.5, 0.0]],
            ...     text_format="words",
            ... )
            >>> scores["reward_recall"], scores["punishment_recall"], scores["balanced_recall"]
            (0.5, 0.25, 0.3333333333333333)
        """
        merged: dict[str, Any] = {**self.defaults, **options}
        reading = self._check_options(merged)
        has_inputs = any(values is not None for values in (predictions, references, difficulties))
        columns = _read(references, predictions, difficulties) if has_inputs else None
        return self._score_pair(columns, reading, partial(score_difficulty, **merged))


def _read(references: Any, predictions: Any, difficulties: Any) -> tuple[Column, Column, Column]:
    """Return the columns of a batch, in the order of `stored_columns`."""
    reference_column, prediction_column = read_pair(references, predictions)
    rated = read_difficulties(difficulties)
    check_rated_counts(rated, len(reference_column))
    return reference_column, prediction_column, rated.to_arrow()
