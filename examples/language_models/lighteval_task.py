"""A task for LightEval: a language model puts spaces between the words of Chinese sentences.

From the root of the repository:

    lighteval accelerate model_name=MODEL chinese_segmentation --custom-tasks examples/language_models/lighteval_task.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from segscores.integrations.lighteval import segmentation_metric

EXAMPLE = "句子：研究人员喜欢音乐。\n分词：研究 人员 喜欢 音乐 。\n"


def prompt(row: dict[str, Any], task_name: str) -> Doc:
    """The request for one sentence."""
    query = f"{EXAMPLE}句子：{row['text']}\n分词："
    return Doc(task_name=task_name, query=query, choices=[row["segmented"]], gold_index=0)


TASKS_TABLE = [
    LightevalTaskConfig(
        name="chinese_segmentation",
        prompt_function=prompt,
        hf_repo=str(Path(__file__).parent),
        hf_subset="default",
        hf_avail_splits=["train"],
        evaluation_splits=["train"],
        generation_size=64,
        stop_sequence=["\n"],
        # An answer may have other characters than the sentence: "align" counts those that were left out or added.
        metrics=[segmentation_metric(text_format="words", scores=["token", "boundary_noedge"], on_mismatch="align")],
    )
]
