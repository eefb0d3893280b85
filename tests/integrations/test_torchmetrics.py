"""TorchMetrics: the scores of any batches, processes and steps are those of `segscores.score` on the whole."""

import copy
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import segscores

from ..corpora import random_corpus_pair, words_text
from ..optional import optional, torch

SegmentationScores = optional("segscores.integrations.torchmetrics").SegmentationScores

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.filterwarnings("ignore:The ``compute`` method of metric SegmentationScores was called before"),
    # Random units are control characters too.
    pytest.mark.filterwarnings("ignore:.* this looks like text with control characters"),
]

PAIR = random_corpus_pair(60, seed=11)
REFERENCES, PREDICTIONS = map(words_text, PAIR)
OPTIONS: dict[str, Any] = {"text_format": "words", "scores": ["token", "type", "boundary_noedge"]}
EXPECTED = segscores.score(REFERENCES, PREDICTIONS, **OPTIONS)
LABELS = [[1, 0, 1, 0], [1, 1, -100, -100], [1, 0, 0, -100]]
CLASSES = [[1, 1, 1, 0], [1, 0, 1, 0], [1, 0, 1, 1]]


def fed(*cuts: int, **options: Any) -> Any:
    metric = SegmentationScores(**OPTIONS | options)
    for first, last in zip((0, *cuts), (*cuts, len(REFERENCES)), strict=True):
        metric.update(PREDICTIONS[first:last], REFERENCES[first:last])
    return metric


@pytest.mark.parametrize("cuts", [(), (1, 2, 40)])
def test_batches_are_the_whole(cuts):
    assert fed(*cuts).compute() == EXPECTED


def test_words_and_labels_are_read_as_everywhere():
    words = SegmentationScores(scores="token")
    words.update([["thedog", "barks"]], [["the", "dog", "barks"]])
    assert words.compute() == {"token_precision": 0.5, "token_recall": 1 / 3, "token_fscore": 0.4}
    # Lengths of the reference words 2 2, 1 1, 3, without masked positions; of the predicted words 1 1 2, 2, 2 1.
    labels = SegmentationScores(scores="token", label_scheme="start", ignore_index=-100)
    labels.update(torch.tensor(CLASSES), torch.tensor(LABELS))
    assert labels.compute() == {"token_precision": 1 / 6, "token_recall": 1 / 5, "token_fscore": 2 / 11}


def test_forward_has_the_scores_of_the_batch_and_adds_it():
    metric = SegmentationScores(**OPTIONS)
    batches = [(PREDICTIONS[:7], REFERENCES[:7]), (PREDICTIONS[7:], REFERENCES[7:])]
    for preds, target in batches:
        assert metric(preds, target) == segscores.score(target, preds, **OPTIONS)
    assert metric.compute() == EXPECTED


#: What TorchMetrics' own tests (tests/unittests/_helpers/testers.py of 1.9) ask of every metric, each with a way to feed one.
WAYS: dict[str, Callable[[], Any]] = {
    "pickled": lambda: pickle.loads(pickle.dumps(fed(9))),
    "copied": lambda: copy.deepcopy(fed(9)),
    "cloned": lambda: fed(9).clone(),
    "moved to a device": lambda: fed(9).to("cpu"),
    "half": lambda: fed(9).half(),
    "of another type": lambda: fed(9).set_dtype(torch.float16),
    "stored": lambda: stored(fed(9)),
    "merged": lambda: merged(9),
    "with keywords of every metric": lambda: fed(
        9, compute_on_cpu=True, dist_sync_on_step=True, sync_on_compute=False, compute_with_cache=False,
        process_group=None, dist_sync_fn=None, distributed_available_fn=lambda: False,
    ),
}  # fmt: skip


def stored(metric: Any) -> Any:
    metric.persistent(True)
    new = SegmentationScores(**OPTIONS)
    new.persistent(True)
    new.load_state_dict(metric.state_dict())
    return new


def merged(cut: int) -> Any:
    metric, other = SegmentationScores(**OPTIONS), SegmentationScores(**OPTIONS)
    metric.update(PREDICTIONS[:cut], REFERENCES[:cut])
    other.update(PREDICTIONS[cut:], REFERENCES[cut:])
    metric.merge_state(other)
    return metric


@pytest.mark.parametrize("way", WAYS)
def test_a_metric_is_the_same_after(way: str):
    metric = WAYS[way]()
    assert metric.compute() == EXPECTED
    metric.update(["a b"], ["a b"])
    assert metric.compute() == segscores.score([*REFERENCES, "a b"], [*PREDICTIONS, "a b"], **OPTIONS)


def test_a_metric_has_the_properties_that_torchmetrics_asks_for():
    metric = fed()
    assert metric.state_dict() == {}
    assert hash(metric) != hash(metric.clone())
    for name in ("is_differentiable", "higher_is_better"):
        with pytest.raises(RuntimeError, match="Can't change const"):
            setattr(metric, name, True)
    with pytest.raises(ValueError, match="sync_on_compute"):
        SegmentationScores(**OPTIONS, sync_on_compute=1)


def test_reset():
    metric = fed(9)
    metric.reset()
    assert metric.compute() == dict.fromkeys(EXPECTED, 0.0)
    metric.update(PREDICTIONS, REFERENCES)
    assert metric.compute() == EXPECTED


def test_an_empty_epoch_has_zero_division():
    assert all(map(math.isnan, SegmentationScores(**OPTIONS, zero_division=math.nan).compute().values()))


def test_metrics_of_a_collection_share_nothing_but_what_is_the_same():
    # The first batch has the same counts for both.
    folded = SegmentationScores(**OPTIONS, normalize="NFKC")
    named = {"plain": SegmentationScores(**OPTIONS), "folded": folded, "again": fed()}
    metrics = optional("torchmetrics").MetricCollection(named)
    metrics["again"].reset()
    for batch in (["a b"], ["ａb c"]):
        metrics.update(batch, ["a b"] if batch == ["a b"] else ["ａ b c"])
    found = metrics.compute()
    plain = segscores.score(["a b", "ａ b c"], ["a b", "ａb c"], **OPTIONS)
    folded = segscores.score(["a b", "ａ b c"], ["a b", "ａb c"], **OPTIONS, normalize="NFKC")
    assert plain != folded
    for name, expected in {"plain": plain, "folded": folded, "again": plain}.items():
        assert {key: found[f"{name}_{key}"] for key in expected} == expected


def test_the_tally_and_the_figure():
    metric = fed(5)
    assert metric.tally() == segscores.tally(REFERENCES, PREDICTIONS, **OPTIONS)
    figure, axes = metric.plot()
    assert {text.get_text() for text in axes.get_legend().get_texts()} == set(EXPECTED)
    assert metric.plot([metric.compute(), EXPECTED])[0] is not figure


START = {"label_scheme": "start", "ignore_index": -100}


@pytest.mark.parametrize(
    ("options", "preds", "target", "error", "message"),
    [
        (START, torch.zeros(2, 3, 2), torch.tensor(LABELS), TypeError, r"preds: .*\(2, 3, 2\)\. Are they logits\? Pass preds"),
        (START, torch.tensor(CLASSES[0]), torch.tensor(LABELS[0]), TypeError,
         r"target: expected integer labels of shape \(N, L\)"),
        (START, torch.tensor(CLASSES[:2]), torch.tensor(LABELS[:1]), ValueError, "1 references and 2 predictions"),
        ({"text_format": "words"}, ["ab c"], ["ab d"], ValueError, "utterance 0"),
        ({"text_format": "words"}, [["ab", "c"]], ["ab c"], TypeError, "mixed forms"),
    ],
)  # fmt: skip
def test_bad_batches_are_named_and_add_nothing(options, preds, target, error, message):
    metric = SegmentationScores(**options, scores="token")
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    assert metric.compute() == {"token_precision": 0.0, "token_recall": 0.0, "token_fscore": 0.0}


def test_batches_of_two_forms_and_an_unknown_option_are_errors():
    metric = SegmentationScores(scores="token")
    metric.update([["a", "b"]], [["a", "b"]])
    message = "mixed forms: batches of text and of words; expected the same form in every batch"
    with pytest.raises(TypeError, match=message):
        metric.update(["a b"], ["a b"])
    assert metric.compute()["token_fscore"] == 1
    with pytest.raises(TypeError, match="text_format"):
        SegmentationScores(text_forma="words")


RANK = """
import json, sys
from pathlib import Path
import torch.distributed
from segscores.integrations.torchmetrics import SegmentationScores
from torchmetrics import MetricCollection

folder, rank = Path(sys.argv[1]), int(sys.argv[2])
torch.distributed.init_process_group("gloo", init_method=(folder / "store").as_uri(), rank=rank, world_size=2)
task = json.loads((folder / "task.json").read_text())
found = []
for shards in task["corpora"]:
    metrics = MetricCollection({"a": SegmentationScores(**task["options"])})
    for preds, target in shards[rank]:
        metrics.update(preds, target)
    found += [metrics.compute(), metrics.compute()]
    metrics.update(["a b"], ["a b"])
    found.append(metrics.compute())
(folder / f"{rank}.json").write_text(json.dumps(found))
torch.distributed.barrier()
torch.distributed.destroy_process_group()
"""


def test_two_processes_have_the_scores_of_one(tmp_path: Path):
    batches = [[PREDICTIONS[start:end], REFERENCES[start:end]] for start, end in [(0, 17), (17, 30), (30, None)]]
    # Uneven shards, and a rank without a batch.
    corpora = [[batches[:1], batches[1:]], [[], batches]]
    (tmp_path / "task.json").write_text(json.dumps({"options": OPTIONS, "corpora": corpora}))
    ranks = [subprocess.Popen([sys.executable, "-c", RANK, str(tmp_path), str(rank)]) for rank in range(2)]
    assert [rank.wait(120) for rank in ranks] == [0, 0]
    more = segscores.score([*REFERENCES, "a b", "a b"], [*PREDICTIONS, "a b", "a b"], **OPTIONS)
    for rank in range(2):
        assert json.loads((tmp_path / f"{rank}.json").read_text()) == [EXPECTED, EXPECTED, more] * 2
