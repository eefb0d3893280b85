"""Segmentation scores in tasks of lm-evaluation-harness.

A task is a YAML file, which names functions of a Python file beside it by `!function`. That file holds:

    from segscores.integrations.lm_eval import SegmentationTask

    task = SegmentationTask("segmented", text_format="words", scores="token", on_mismatch="align")
    process_results = task.process_results
    token_fscore = task.aggregation("token_fscore")

Each metric of the task's `metric_list` has the key of a score as `metric`, and its function as `aggregation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..options.keywords import ScoringOptions, Unpack
from ..options.table import OPTIONS
from ..scoring.corpus_tally import CorpusTally
from ..scoring.measures.registry import check_scored
from ..scoring.tallies import tally

Aggregation = Callable[[Iterable[str]], float]


class SegmentationTask:
    """The functions of a task whose model writes segmented text.

    A document's result is its tally, as one line of JSON, so that the harness can gather results from processes and log them. The
    scores are computed from the sum of all tallies: they are no means over documents.

    Args:
        reference: the column of the documents that has the reference.
        **options: those of `segscores.tally`. With `on_mismatch="align"` an answer may have other characters than the reference.

    Raises:
        TypeError, ValueError: a bad option.

    >>> task = SegmentationTask("segmented", text_format="words", scores="token", on_mismatch="align")
    >>> token_fscore = task.aggregation("token_fscore")
    >>> results = [task.process_results({"segmented": "the dog"}, [answer]) for answer in (" the dog", "thedog")]
    >>> round(token_fscore(result["token_fscore"] for result in results), 2)
    0.57
    """

    def __init__(self, reference: str, **options: Unpack[ScoringOptions]) -> None:
        self.reference = reference
        self.options = options
        self._empty = CorpusTally.empty(**options)
        #: the keys of the scores that have an aggregation
        self._keys: list[str] = []

    def process_results(self, doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, str]:
        """Tally a document, and return the tally under each key with an aggregation; the answer is stripped of whitespace.

        Raises:
            ValueError: the document has no such column, or the answer cannot be scored.
        """
        if self.reference not in doc:
            columns = ", ".join(map(str, doc))
            raise ValueError(f"reference: there is no column {self.reference!r}; the columns are {columns}.")
        # The harness passes the answers to all requests of the document, which has one.
        answer, *_ = results
        result = tally([doc[self.reference]], [answer.strip()], **self.options).to_json()
        return dict.fromkeys(self._keys, result)

    def aggregation(self, key: str) -> Aggregation:
        """Return the function that computes one score from the results of all documents.

        Raises:
            ValueError: the options do not compute this score.
        """
        check_scored(OPTIONS["scores"], key, list(self._empty.scores()))
        # `process_results` returns its result under each key that was asked for, as the harness expects.
        self._keys.append(key)

        def aggregate(results: Iterable[str]) -> float:
            """Return the score of the sum of all tallies."""
            total = sum(map(CorpusTally.from_json, results), start=self._empty)
            return total.scores()[key]

        return aggregate
