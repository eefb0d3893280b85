"""A task for Inspect: a language model puts spaces between the words of Chinese sentences.

From the root of the repository:

    inspect eval examples/language_models/inspect_task.py --model MODEL
"""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.solver import generate, prompt_template

from segscores.integrations.inspect_ai import segmentation

EXAMPLE = "句子：研究人员喜欢音乐。\n分词：研究 人员 喜欢 音乐 。\n"


@task
def chinese_segmentation() -> Task:
    """The sentences, the prompt, and the scores."""
    return Task(
        dataset=json_dataset(
            str(Path(__file__).parent / "sentences.jsonl"),
            lambda row: Sample(input=row["text"], target=row["segmented"]),
        ),
        solver=[prompt_template(f"{EXAMPLE}句子：{{prompt}}\n分词："), generate(max_tokens=64)],
        # An answer may have other characters than the sentence: "align" counts those that were left out or added.
        scorer=segmentation(text_format="words", scores=["token", "boundary_noedge"], on_mismatch="align"),
    )
