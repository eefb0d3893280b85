"""Real runs of transformers' Trainer: it logs the scores of predictions that are decoded by hand and counted by
`naive`.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import evaluate
import pytest

from .. import naive
from ..optional import torch, transformers

pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[2]

PADDING, BEGIN, END = 0, 1, 2
#: The input id of every unit.
UNITS = {unit: index for index, unit in enumerate("abcdefgh", 3)}
#: In an order in which the class id of B is not that of 1 in the labels 0 and 1.
TAGS = {"BI": ["B", "I"], "BMES": ["S", "E", "M", "B"]}
TAGGERS = {"BI": naive.bi_tags, "BMES": naive.bmes_tags}
EPOCHS = 3


def make_corpus(count: int, seed: int) -> list[list[str]]:
    """Utterances of a few words out of a small lexicon."""
    source = random.Random(seed)
    lexicon = ["".join(source.choices(list(UNITS), k=source.randint(1, 4))) for _ in range(12)]
    return [source.choices(lexicon, k=source.randint(1, 6)) for _ in range(count)]


TRAIN, VALIDATION = make_corpus(48, 0), make_corpus(21, 1)


def encode(corpus: list[list[str]], scheme: str) -> list[dict[str, list[int]]]:
    """Ids between two special tokens, whose labels are masked."""
    return [
        {
            "input_ids": [BEGIN, *(UNITS[unit] for unit in "".join(words)), END],
            "labels": [-100, *map(TAGS[scheme].index, tags), -100],
        }
        for words, tags in zip(corpus, TAGGERS[scheme](corpus), strict=True)
    ]


def collate(rows: list[dict[str, list[int]]]) -> dict[str, Any]:
    width = max(len(row["labels"]) for row in rows)

    def padded(key: str, padding: int) -> Any:
        return torch.tensor([row[key] + [padding] * (width - len(row[key])) for row in rows])

    input_ids = padded("input_ids", PADDING)
    return {"input_ids": input_ids, "attention_mask": input_ids.ne(PADDING).long(), "labels": padded("labels", -100)}


def decode_by_hand(model: Any, scheme: str) -> list[list[str]]:
    """The words that a model predicts for the validation set, utterance by utterance and tag by tag."""
    model.eval()
    decoded = []
    for utterance in VALIDATION:
        text = "".join(utterance)
        ids = torch.tensor([[BEGIN, *(UNITS[unit] for unit in text), END]])
        with torch.no_grad():
            classes = model(input_ids=ids).logits[0, 1:-1].argmax(dim=-1).tolist()
        words, ended = [], True
        for unit, tag in zip(text, (TAGS[scheme][number] for number in classes), strict=True):
            if ended or tag in "BS":
                words.append("")
            words[-1] += unit
            ended = tag in "ES"
        decoded.append(words)
    return decoded


class DecodeEveryEpoch(transformers.TrainerCallback):
    """Keeps the naive scores of what the model predicts after every epoch."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme
        self.scores: list[dict[str, float]] = []

    def on_evaluate(self, args, state, control, model=None, **given):
        self.scores.append(naive.naive_scores(VALIDATION, decode_by_hand(model, self.scheme)))


@pytest.fixture(scope="module")
def metric() -> Any:
    return evaluate.load(str(ROOT / "segmentation_scores.py"))


def make_trainer(
    metric: Any,
    folder: Path,
    *,
    scheme: str = "BI",
    keep_ids: bool = False,
    arguments: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[Any, DecodeEveryEpoch]:
    """A trainer that evaluates every epoch, and what decodes along with it."""
    transformers.set_seed(3)
    model = transformers.BertForTokenClassification(
        transformers.BertConfig(
            vocab_size=len(UNITS) + 3,
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=32,
            pad_token_id=PADDING,
            id2label=dict(enumerate(TAGS[scheme])),
            label2id={tag: number for number, tag in enumerate(TAGS[scheme])},
        )
    )
    decoding = DecodeEveryEpoch(scheme)
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=8,
            per_device_eval_batch_size=8,
            learning_rate=0.02,
            eval_strategy="epoch",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            dataloader_pin_memory=False,
            **{"save_strategy": "no"} | (arguments or {}),
        ),
        data_collator=collate,
        train_dataset=encode(TRAIN, scheme),
        eval_dataset=encode(VALIDATION, scheme),
        compute_metrics=metric.as_compute_metrics(id2label=model.config, **options),
        preprocess_logits_for_metrics=metric.preprocess_logits_for_metrics if keep_ids else None,
        callbacks=[decoding],
    )
    return trainer, decoding


def logged_scores(trainer: Any) -> list[dict[str, float]]:
    """The metric's scores of every evaluation in the log, without the Trainer's prefix."""
    return [
        {
            key.removeprefix("eval_"): value
            for key, value in entry.items()
            if key.removeprefix("eval_") in naive.DEFAULT_KEYS
        }
        for entry in trainer.state.log_history
        if "eval_loss" in entry
    ]


def without_types(scores: dict[str, float]) -> dict[str, float]:
    return {key: value for key, value in scores.items() if not key.startswith("type_")}


@pytest.mark.parametrize("batch_eval_metrics", [False, True], ids=["whole", "by_batches"])
@pytest.mark.parametrize("keep_ids", [False, True], ids=["logits", "class_ids"])
@pytest.mark.parametrize("scheme", TAGS)
def test_what_the_trainer_logs_is_what_decoding_by_hand_gives(metric, tmp_path, scheme, keep_ids, batch_eval_metrics):
    trainer, decoding = make_trainer(
        metric, tmp_path, scheme=scheme, keep_ids=keep_ids, arguments={"batch_eval_metrics": batch_eval_metrics}
    )
    trainer.train()
    logged = logged_scores(trainer)
    assert len(logged) == len(decoding.scores) == EPOCHS
    for scores, expected in zip(logged, decoding.scores, strict=True):
        assert scores == pytest.approx(without_types(expected), abs=1e-12)
    assert len({scores["token_fscore"] for scores in logged}) > 1, "a model that does not change shows nothing"
    assert 0 < logged[-1]["token_fscore"] < 1


@pytest.mark.parametrize("batch_eval_metrics", [False, True], ids=["whole", "by_batches"])
def test_types_are_scored_where_inputs_are_included(metric, tmp_path, batch_eval_metrics):
    trainer, decoding = make_trainer(
        metric,
        tmp_path,
        units="input_ids",
        arguments={"include_for_metrics": ["inputs"], "batch_eval_metrics": batch_eval_metrics},
    )
    trainer.train()
    for scores, expected in zip(logged_scores(trainer), decoding.scores, strict=True):
        assert scores == pytest.approx(expected, abs=1e-12)
    assert 0 < decoding.scores[-1]["type_fscore"] < 1


def test_inputs_that_are_missing_are_asked_for(metric, tmp_path):
    trainer, _ = make_trainer(metric, tmp_path, units="input_ids")
    with pytest.raises(ValueError, match=r'include_for_metrics=\["inputs"\] to TrainingArguments'):
        trainer.evaluate()


@pytest.mark.parametrize("batch_eval_metrics", [False, True], ids=["whole", "by_batches"])
def test_the_best_model_is_that_of_the_greatest_recall(metric, tmp_path, batch_eval_metrics):
    trainer, decoding = make_trainer(
        metric,
        tmp_path,
        arguments={
            "save_strategy": "epoch",
            "load_best_model_at_end": True,
            "metric_for_best_model": "eval_token_recall",
            "batch_eval_metrics": batch_eval_metrics,
        },
    )
    trainer.train()
    recalls = [scores["token_recall"] for scores in decoding.scores]
    assert trainer.state.best_metric == pytest.approx(max(recalls), abs=1e-12)
    steps = [entry["step"] for entry in trainer.state.log_history if "eval_loss" in entry]
    assert trainer.state.best_global_step == steps[recalls.index(max(recalls))]
    best = naive.naive_scores(VALIDATION, decode_by_hand(trainer.model, "BI"))
    assert best["token_recall"] == pytest.approx(max(recalls), abs=1e-12)


def test_scores_are_saved_and_logged_as_plain_json(metric, tmp_path):
    trainer, _ = make_trainer(metric, tmp_path)
    scores = trainer.evaluate()
    assert {type(value) for key, value in scores.items() if key.startswith("eval_token")} == {float}
    trainer.save_metrics("eval", scores)
    assert json.loads((tmp_path / "eval_results.json").read_text(encoding="utf-8")) == scores
    assert json.loads(json.dumps(trainer.state.log_history))[-1]["eval_token_fscore"] == scores["eval_token_fscore"]


def test_predict_gives_the_scores_of_another_set(metric, tmp_path):
    trainer, _ = make_trainer(metric, tmp_path, keep_ids=True)
    result = trainer.predict(encode(VALIDATION, "BI"), metric_key_prefix="test")
    expected = naive.naive_scores(VALIDATION, decode_by_hand(trainer.model, "BI"))
    assert result.metrics["test_token_fscore"] == pytest.approx(expected["token_fscore"], abs=1e-12)


def test_generated_text_is_scored_by_its_words(metric, tmp_path):
    tokenizer = transformers.ByT5Tokenizer()
    transformers.set_seed(0)
    model = transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=len(tokenizer),
            d_model=16,
            d_kv=8,
            d_ff=16,
            num_layers=1,
            num_heads=2,
            decoder_start_token_id=tokenizer.pad_token_id,
        )
    )
    # One input, so one output: the model learns a text by heart, and a third of the references are of other units.
    texts = ["ab c"] * 6 + ["b ac"] * 3
    rows = [{"input_ids": tokenizer("abc").input_ids, "labels": tokenizer(text).input_ids} for text in texts]
    trainer = transformers.Seq2SeqTrainer(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(
            output_dir=str(tmp_path),
            num_train_epochs=30,
            per_device_train_batch_size=3,
            per_device_eval_batch_size=2,
            learning_rate=0.02,
            predict_with_generate=True,
            generation_max_length=8,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            dataloader_pin_memory=False,
        ),
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
        train_dataset=rows[:6],
        eval_dataset=rows,
        processing_class=tokenizer,
        compute_metrics=metric.as_compute_metrics(units="text", processing_class=tokenizer),
    )
    trainer.train()
    scores = trainer.evaluate()
    ids = model.generate(torch.tensor([tokenizer("abc").input_ids]), max_length=8)
    assert tokenizer.batch_decode(ids, skip_special_tokens=True) == ["ab c"]
    assert scores["eval_mismatched"] == pytest.approx(3 / 9)
    assert scores["eval_token_recall"] == pytest.approx(12 / 18)
    assert scores["eval_type_precision"] == 1
