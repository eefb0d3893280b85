"""The demo: paste a reference and a prediction, read the scores. All that it computes comes from the loaded metric."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import evaluate
import gradio as gr

HERE = Path(__file__).parent
#: Longest text of one side, in characters: a page is for looking, the command for corpora.
MAX_LENGTH = 2_000_000

metric = evaluate.load(str(HERE / "segmentation_scores.py"))
#: The groups that need nothing but the two texts.
default_names = inspect.signature(metric.compute).parameters["scores"].default
groups = {name: metric.score_groups()[name] for name in default_names}

TITLE = """# Segmentation scores
How well do the words of a predicted segmentation agree with those of a reference? Both sides have the same text, one utterance
a line; only the spaces between words differ."""

EXAMPLES = [
    ["the dog is on the boat", "thedog is on the boat", "words"],
    ["约翰 喜欢 玛丽", "约翰 喜欢 玛 丽", "words"],
    ["明日 は 雨 が 降る らしい", "明日は 雨 が 降る らし い", "words"],
    ["แมว นอน อยู่ บน เตียง", "แมว นอน อยู่บน เตียง", "words"],
    ["ð ə WORD_BOUNDARY d ɔ g WORD_BOUNDARY b ɑ r k s", "ð ə d ɔ g WORD_BOUNDARY b ɑ r k s", "units"],
]


def score(
    references: str,
    predictions: str,
    text_format: Literal["words", "units"] = "words",
    scores: Sequence[str] = tuple(groups),
) -> list[list[str]]:
    """Score a predicted segmentation against a reference.

    Args:
        references: the reference, one utterance a line.
        predictions: the prediction, the same text with other word boundaries.
        text_format: "words" (words separated by spaces) or "units" (units separated by spaces, WORD_BOUNDARY between words).
        scores: names of score groups.

    Returns:
        Rows of a score's key, its value to four decimals and its definition.
    """
    for name, text in (("reference", references), ("prediction", predictions)):
        if len(text) > MAX_LENGTH:
            raise gr.Error(f"The {name} has {len(text):,} characters; this page takes {MAX_LENGTH:,}. Use the command.")
    try:
        results = metric.compute(
            references=_utterances(references),
            predictions=_utterances(predictions),
            text_format=text_format,
            scores=list(scores),
        )
    except (TypeError, ValueError) as error:
        raise gr.Error(f"Nothing was scored: {error}", print_exception=False) from error
    definitions = {key: group["definition"] for group in groups.values() for key in group["keys"]}
    return [[key, f"{value:.4f}", definitions[key]] for key, value in results.items()]


def _utterances(text: str) -> list[str]:
    """The lines of a text box; its last newline begins no utterance."""
    return text.removesuffix("\n").split("\n") if text.strip() else []


with gr.Blocks(title="Segmentation scores", analytics_enabled=False) as demo:
    gr.Markdown(TITLE)
    with gr.Row():
        reference_box = gr.Textbox(EXAMPLES[0][0], label="Reference", lines=6, max_lines=12)
        prediction_box = gr.Textbox(EXAMPLES[0][1], label="Prediction", lines=6, max_lines=12)
    with gr.Row():
        format_choice = gr.Radio(["words", "units"], value="words", label="Text format")
        group_choice = gr.CheckboxGroup(list(groups), value=list(groups), label="Scores")
    button = gr.Button("Score", variant="primary")
    table = gr.Dataframe(headers=["score", "value", "of what"], label="Scores", interactive=False, wrap=True)
    inputs = [reference_box, prediction_box, format_choice, group_choice]
    # The table is cleared first: an old one would look current under an error.
    button.click(lambda: None, outputs=table, api_visibility="private").then(score, inputs, table, api_name="score")
    gr.Examples(EXAMPLES, inputs[:3], label="Examples")

if __name__ == "__main__":
    demo.queue(max_size=32).launch(
        theme=gr.themes.Default(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    )
