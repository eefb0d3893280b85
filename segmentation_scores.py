"""What `evaluate.load` takes: the metric of the package `segscores`."""

from segscores.metric import (
    SegmentationScores,
)  # From: git+https://huggingface.co/spaces/transformersegmentation/segmentation_scores

__all__ = ["SegmentationScores"]
