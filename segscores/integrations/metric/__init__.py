"""The metric classes of `evaluate.load`, their cards, and their storage of added examples.

It may import what its room may.
"""

from .alignment import AlignmentScores
from .difficulty import DifficultyScores
from .metrics import SegmentationScores

__all__ = ["AlignmentScores", "DifficultyScores", "SegmentationScores"]
