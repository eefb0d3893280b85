"""The metric classes of `evaluate.load`, their cards, and their storage of added examples."""

from ...options.optional import require

require(
    "evaluate", "the metric of segscores.load and evaluate.load", "; segscores.score gives the same scores without it."
)

from .alignment import AlignmentScores
from .difficulty import DifficultyScores
from .metrics import SegmentationScores

__all__ = ["AlignmentScores", "DifficultyScores", "SegmentationScores"]
