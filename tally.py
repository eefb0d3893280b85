"""Tally: the counts of a comparison, that add up over parts of a corpus.

Counts of utterances are sums and add; the two lexicons are sets and merge. Whatever part of a corpus they come from, a
chunk of a file, a batch or a process, the tally of the whole is the sum of the tallies of the parts.
"""

from __future__ import annotations

__all__ = ["Tally", "tally_comparison"]

from dataclasses import dataclass, field

from .comparison import Comparison
from .dictionary import Dictionary
from .lexicon import Lexicon
from .scores import ScoreGroup


@dataclass
class Tally:
    """The counts of a part of a corpus.

    Attributes:
        counts: column name → sum over the utterances; `utterances` and `units` among them.
        reference_lexicon, prediction_lexicon: the word types of each side, None where no group reads them.
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
                # A new one: the lexicon of a reference is shared by the tallies of all its predictions.
                merged = Lexicon() if getattr(self, side) is None else getattr(self, side).copy()
                merged.update(theirs)
                setattr(self, side, merged)

    def totals(self) -> dict[str, int]:
        """Every count that the formulas read: the sums, and the sizes of the lexicons and of their intersection."""
        totals = dict(self.counts)
        if self.reference_lexicon is not None and self.prediction_lexicon is not None:
            totals["type_matched"] = self.reference_lexicon.count_shared(self.prediction_lexicon)
            totals["type_predicted"] = len(self.prediction_lexicon)
            totals["type_reference"] = len(self.reference_lexicon)
        return totals


def tally_comparison(
    comparison: Comparison,
    groups: list[ScoreGroup],
    *,
    dictionary: Dictionary | None = None,
    reference_lexicon: Lexicon | None = None,
) -> Tally:
    """Count what `groups` need, summed over the utterances of a comparison.

    Args:
        comparison: of a part of a corpus.
        groups: what will be scored.
        dictionary: the segments, where a group needs them.
        reference_lexicon: that of the reference, where it was gathered already (for another prediction).
    """
    reference = comparison.reference
    counts = {"utterances": len(reference.utterance_ends), "units": int(reference.utterance_units.sum())}
    for group in groups:
        columns = group.tally(comparison, dictionary) if group.needs_dictionary else group.tally(comparison)
        for column, values in columns.items():
            if column not in counts:
                counts[column] = int(values.sum())
    if not any(group.needs_words for group in groups):
        return Tally(counts)
    return Tally(
        counts,
        reference_lexicon=Lexicon(reference.words()) if reference_lexicon is None else reference_lexicon,
        prediction_lexicon=Lexicon(comparison.prediction.words()),
    )
