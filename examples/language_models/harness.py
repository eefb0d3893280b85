"""The functions of `segmentation.yaml`, the task for lm-evaluation-harness."""

from __future__ import annotations

from segscores.integrations.lm_eval import SegmentationTask

# An answer may have other characters than the sentence: "align" counts those that were left out or added.
task = SegmentationTask("segmented", text_format="words", scores=["token", "boundary_noedge"], on_mismatch="align")
process_results = task.process_results
token_fscore = task.aggregation("token_fscore")
boundary_noedge_fscore = task.aggregation("boundary_noedge_fscore")
unit_error_rate = task.aggregation("unit_error_rate")
