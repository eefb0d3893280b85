"""Real runs of transformers' Trainer: it logs the scores of predictions that are decoded by hand and counted by
`naive`.
"""

import json
import random
from itertools import pairwise
from typing import Any

import pytest

import segscores

from ... import corpora, naive
from ...optional import torch, transformers

pytestmark = pytest.mark.torch

PADDING, BEGIN, END = 0, 1, 2
#: The input id of every unit.
UNITS = {unit: index for index, unit in enumerate("abcdefgh", 3)}
#: In an order in which the class id of B is not that of 1 in the labels 0 and 1.
TAGS = {"BI": ["B", "I"], "BMES": ["S", "E", "M", "B"]}
TAGGERS = {"BI": corpora.bi_tags, "BMES": corpora.bmes_tags}
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
    input_ids, labels = (
        torch.tensor([row[key] + [padding] * (width - len(row[key])) for row in rows])
        for key, padding in (("input_ids", PADDING), ("labels", -100))
    )
    return {"input_ids": input_ids, "attention_mask": input_ids.ne(PADDING).long(), "labels": labels}


def decode_by_hand(model: Any, scheme: str) -> list[list[corpora.Word]]:
    """The words that a model predicts for the validation set, utterance by utterance and tag by tag."""
    model.eval()
    decoded = []
    for utterance in VALIDATION:
        text = "".join(utterance)
        ids = torch.tensor([[BEGIN, *(UNITS[unit] for unit in text), END]])
        with torch.no_grad():
            classes = model(input_ids=ids).logits[0, 1:-1].argmax(dim=-1).tolist()
        tags = [TAGS[scheme][number] for number in classes]
        decoded.append(corpora.cut(text, [tag in "ES" or after in "BS" for tag, after in pairwise(tags)]))
    return decoded


#: What every Trainer here is told: nothing is reported, shown or saved.
QUIET = {
    "report_to": "none", "disable_tqdm": True, "use_cpu": True, "dataloader_pin_memory": False, "save_strategy": "no",
}  # fmt: skip


@pytest.mark.parametrize(
    ("scheme", "keep_ids", "batch_eval_metrics", "units"),
    [("BI", True, True, "input_ids"), ("BMES", False, False, "labels")],
)
def test_the_trainer_logs_the_scores_of_decoding_by_hand(tmp_path, scheme, keep_ids, batch_eval_metrics, units):
    transformers.set_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(UNITS) + 3, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=32, pad_token_id=PADDING, id2label=dict(enumerate(TAGS[scheme])),
        label2id={tag: number for number, tag in enumerate(TAGS[scheme])},
    )  # fmt: skip
    trainer = transformers.Trainer(
        model=transformers.BertForTokenClassification(config),
        args=transformers.TrainingArguments(
            output_dir=str(tmp_path), num_train_epochs=EPOCHS, per_device_train_batch_size=8, per_device_eval_batch_size=8,
            learning_rate=0.02, eval_strategy="epoch", batch_eval_metrics=batch_eval_metrics,
            include_for_metrics=["inputs"] if units == "input_ids" else [], **QUIET,
        ),
        data_collator=collate,
        train_dataset=encode(TRAIN, scheme),
        eval_dataset=encode(VALIDATION, scheme),
        compute_metrics=segscores.as_compute_metrics(id2label=config, units=units),
        preprocess_logits_for_metrics=segscores.preprocess_logits_for_metrics if keep_ids else None,
    )  # fmt: skip
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_loss" in entry]
    assert len(logged) == EPOCHS
    assert len({entry["eval_token_fscore"] for entry in logged}) > 1, "a model that does not change shows nothing"
    # The scores of the last epoch, of the same set again, and of a set with another name are those of the trained model.
    evaluated = trainer.evaluate()
    predicted = trainer.predict(encode(VALIDATION, scheme), metric_key_prefix="test").metrics
    expected = naive.naive_scores(VALIDATION, decode_by_hand(trainer.model, scheme))
    assert 0 < expected["token_fscore"] < 1
    if units == "labels":
        expected = {key: score for key, score in expected.items() if "type_" not in key}
    for scores, prefix in ((logged[-1], "eval_"), (evaluated, "eval_"), (predicted, "test_")):
        own = {key: scores[prefix + key] for key in naive.DEFAULT_KEYS if prefix + key in scores}
        assert own == pytest.approx(expected, abs=1e-12)
        assert {type(score) for score in own.values()} == {float}
    trainer.save_metrics("eval", evaluated)
    assert json.loads((tmp_path / "eval_results.json").read_text(encoding="utf-8")) == evaluated
    assert json.loads(json.dumps(trainer.state.log_history)) == trainer.state.log_history


def test_generated_text_is_scored_by_its_words(tmp_path):
    tokenizer = transformers.ByT5Tokenizer()
    transformers.set_seed(0)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = transformers.T5Config(vocab_size=len(tokenizer), decoder_start_token_id=tokenizer.pad_token_id, **sizes)
    model = transformers.T5ForConditionalGeneration(config)
    # One input, so one output: the model learns a text by heart, and a third of the references are of other units.
    texts = ["ab c"] * 6 + ["b ac"] * 3
    rows = [{"input_ids": tokenizer("abc").input_ids, "labels": tokenizer(text).input_ids} for text in texts]
    trainer = transformers.Seq2SeqTrainer(
        model=model,
        args=transformers.Seq2SeqTrainingArguments(
            output_dir=str(tmp_path), num_train_epochs=30, per_device_train_batch_size=3, per_device_eval_batch_size=2,
            learning_rate=0.02, predict_with_generate=True, generation_max_length=8, **QUIET,
        ),
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
        train_dataset=rows[:6],
        eval_dataset=rows,
        processing_class=tokenizer,
        compute_metrics=segscores.as_compute_metrics(units="text", processing_class=tokenizer),
    )  # fmt: skip
    trainer.train()
    scores = trainer.evaluate()
    ids = model.generate(torch.tensor([tokenizer("abc").input_ids]), max_length=8)
    assert tokenizer.batch_decode(ids, skip_special_tokens=True) == ["ab c"]
    assert scores["eval_mismatched"] == pytest.approx(3 / 9)
    assert scores["eval_token_recall"] == pytest.approx(12 / 18)
    assert scores["eval_type_precision"] == 1
