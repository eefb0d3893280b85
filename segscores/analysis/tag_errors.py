"""Tag errors: words that are right as segments and have another tag, in text whose format has a tag for each word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from ..kernel import arrow_functions as pc
from ..kernel.arrays import bools_of, int64_array
from ..kernel.comparison import Comparison
from ..options.table import OPTIONS
from ..reading.formats.registry import FORMATS
from ..results.result import Cell, Note
from ..scoring.plan import Plan

#: The most pairs of tags that a note lists.
_LISTED = 5


@dataclass
class TagErrors:
    """The tags of the words that are the same span on both sides.

    Attributes:
        words: the number of these words.
        counts: the words with different tags, by the tag of the reference and the tag of the prediction.
    """

    words: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, other: TagErrors) -> TagErrors:
        return TagErrors(self.words + other.words, self.counts + other.counts)

    @property
    def note(self) -> Note:
        """The number of words with another tag, and the most frequent pairs of tags, in a sentence."""
        wrong = self.counts.total()
        if not wrong:
            return Note("Tags: all {} correct words have the tag of the reference", [Cell(self.words)])
        # Each `{}` of the sentence stands for the next value: `… another tag: NOUN as VERB 3, DET as PRON 1`.
        values: list[str | Cell] = [Cell(wrong), Cell(self.words)]
        pairs = []
        for (reference, prediction), count in self.ordered()[:_LISTED]:
            pairs.append("{} as {} {}")
            values += [reference, prediction, Cell(count)]
        more = ", and others" if len(self.counts) > _LISTED else ""
        return Note(f"Tags: {{}} of {{}} correct words have another tag: {', '.join(pairs)}{more}", values)

    def ordered(self) -> list[tuple[tuple[str, str], int]]:
        """Return the pairs of tags with their numbers of words, the most frequent first, equal ones in the order of the tags."""
        by_tags = sorted(self.counts.items())
        # A stable sort keeps the order of the tags among equal counts, also in reverse.
        return sorted(by_tags, key=lambda pair_and_count: pair_and_count[1], reverse=True)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a row for each pair of tags, for JSON."""
        return [
            {"reference": reference, "prediction": prediction, "count": count}
            for (reference, prediction), count in self.ordered()
        ]


def with_tags(plan: Plan) -> Plan:
    """Return the plan that also reads tags, if the formats of both sides have a tag for each word; else the plan itself."""
    if plan.reading.words_known and all(FORMATS[name].tags_each_word for name in plan.reading.formats):
        return replace(plan, reading=replace(plan.reading, tags=OPTIONS["tags"].default))
    return plan


def count_tags(comparison: Comparison) -> TagErrors | None:
    """Count the tags of the words that are the same span on both sides; None if a side has no tags."""
    reference_tags = comparison.reference.of_words.get("tags")
    predicted_tags = comparison.prediction.of_words.get("tags")
    if reference_tags is None or predicted_tags is None:
        return None
    # At each shared boundary a word ends on each side. `matched` marks the boundaries where the two words have the same span.
    matched = comparison.matched
    of_reference = pc.take(reference_tags, int64_array(comparison.shared_reference[matched]))
    of_prediction = pc.take(predicted_tags, int64_array(comparison.shared_prediction[matched]))
    differing = int64_array(np.flatnonzero(~bools_of(pc.equal(of_reference, of_prediction))))
    wrong = zip(
        pc.take(of_reference, differing).to_pylist(), pc.take(of_prediction, differing).to_pylist(), strict=True
    )
    return TagErrors(int(np.count_nonzero(matched)), Counter(wrong))


def added(left: TagErrors | None, right: TagErrors | None) -> TagErrors | None:
    """Return the sum of the tag errors of two parts of a corpus; a part without tags has None, and adds nothing."""
    if left is None:
        return right
    if right is None:
        return left
    return left + right
