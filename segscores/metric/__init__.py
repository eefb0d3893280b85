"""The classes that `evaluate.load` gives, their cards, and how they store what is added.

It may import: everything but the command and the demo.
"""

from .alignment import AlignmentScores
from .difficulty import DifficultyScores
from .metrics import SegmentationScores

__all__ = ["AlignmentScores", "DifficultyScores", "SegmentationScores"]
