"""Segmentation scores as a metric of TorchMetrics, for training loops and Lightning.

Conventions
-----------
- The state is the tally: one tensor of counts, which processes add up, and the word types of each side as JSON in tensors of
  bytes, which processes join. So the scores are of the whole corpus, whatever the batches and the processes are.
- TorchMetrics lets metrics of a `MetricCollection` that have equal states share them. The names of the states have a digest of
  the options, so that only metrics with the same options do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torchmetrics import Metric

from ..options.keywords import ScoringOptions, Unpack
from ..options.quoting import described
from ..scoring.corpus_tally import CorpusTally
from ..scoring.tallies import tally

#: The forms of a tally, in the order of their counts in the state.
_FORMS = ("text", "words", "labels")
_SIDES = ("reference", "prediction")


class MetricOptions(ScoringOptions, total=False):
    """Options of scoring, and the keyword arguments that every metric of TorchMetrics takes."""

    compute_on_cpu: bool
    compute_with_cache: bool
    dist_sync_fn: Callable[..., Any] | None
    dist_sync_on_step: bool
    distributed_available_fn: Callable[[], bool] | None
    process_group: Any
    sync_on_compute: bool


#: The names of the keyword arguments of TorchMetrics.
_OPTIONS_OF_TORCHMETRICS = MetricOptions.__annotations__.keys() - ScoringOptions.__annotations__.keys()


class SegmentationScores(Metric):
    """The scores of all batches together.

    Args:
        **options: those of `segscores.tally`, such as `text_format`, `scores`, `label_scheme` and `ignore_index`; and those of
            `torchmetrics.Metric`, such as `sync_on_compute` and `dist_sync_on_step`.

    Raises:
        TypeError, ValueError: a bad option.

    >>> metric = SegmentationScores(text_format="words", scores="token")
    >>> metric.update(["thedog barks"], ["the dog barks"])
    >>> metric.update(["the dog"], ["the dog"])
    >>> {key: round(value, 2) for key, value in metric.compute().items()}
    {'token_precision': 0.75, 'token_recall': 0.6, 'token_fscore': 0.67}
    """

    is_differentiable = False
    # Some scores of a result may be better if higher, others if lower.
    higher_is_better = None
    full_state_update = False

    def __init__(self, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**{name: value for name, value in options.items() if name in _OPTIONS_OF_TORCHMETRICS})
        self.options: Any = {name: value for name, value in options.items() if name not in _OPTIONS_OF_TORCHMETRICS}
        empty = CorpusTally.empty(**self.options).to_dict()
        # Only `token_use` has counts of tokens: one for each distinct token, for which a state of one size has no place.
        if empty["token_counts"] is not None:
            raise ValueError("scores: token_use has no state here: sum tallies of segscores.tally, or leave it out.")
        # The digest of the options is in the names of the states: metrics of other options have other states.
        digest = hashlib.sha256(json.dumps(empty["options"], sort_keys=True).encode()).hexdigest()[:16]
        #: the name of the state with the counts, one tensor
        self._counts = f"counts_{digest}"
        # The tensor has the counts, the digest of the references, and for each form the number of its batches. The digest of
        # the references is a sum modulo 2⁶⁴, as sums of int64 are.
        size = len(empty["counts"]) + 1 + len(_FORMS)
        self.add_state(self._counts, torch.zeros(size, dtype=torch.int64), dist_reduce_fx="sum")
        #: the names of the states with the word types of each side; none if no score reads types
        self._types = {side: f"{side}_types_{digest}" for side in _SIDES if empty[f"{side}_lexicon"] is not None}
        for name in self._types.values():
            # A list of tensors, one for each batch.
            self.add_state(name, [], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch.

        Args:
            preds, target: predictions and references: strings, lists of words or of labels, or integer tensors of labels (N, L).
                Positions whose target is `ignore_index` are left out on both sides.

        Raises:
            TypeError, ValueError: as `segscores.tally`, and for tensors that are not labels; the metric stays as it was.
        """
        batch = tally(_plain(target, "target"), _plain(preds, "preds"), **self.options).to_dict()
        # 1 for the form of this batch, and 0 for the others: added up, these are the numbers of batches.
        batches_of_forms = [int(batch["form"] == form) for form in _FORMS]
        # The digest has 64 bits without a sign, int64 has a sign: 2⁶⁴ − 1 becomes −1.
        digest = (int(batch["reference_digest"], 16) + 2**63) % 2**64 - 2**63
        added = torch.tensor([*batch["counts"].values(), digest, *batches_of_forms], device=self.device)
        counts = getattr(self, self._counts) + added
        # Raise the error about mixed forms, if there are several, before the state changes.
        _forms_in(counts)
        setattr(self, self._counts, counts)
        for side, name in self._types.items():
            getattr(self, name).append(self._encoded(batch[f"{side}_lexicon"]))

    def compute(self) -> dict[str, float]:
        """Compute the scores, plain floats by key; every score is 0/0, and so `zero_division`, before the first batch."""
        return self.tally().scores()

    def tally(self) -> CorpusTally:
        """Return the tally of this process, or while the processes are synchronised, of all."""
        counts = getattr(self, self._counts)
        # Fill the record of an empty tally with the state: the counts, the digest, and the numbers of batches of each form.
        values = CorpusTally.empty(**self.options).to_dict()
        columns = list(values["counts"])
        digest = int(counts[len(columns)])
        values["counts"] = dict(zip(columns, counts[: len(columns)].tolist(), strict=True))
        # From a sign to none: −1 becomes 2⁶⁴ − 1.
        values["reference_digest"] = f"{digest % 2**64:016x}"
        # There is one form, because `update` refuses a second one; none before the first batch.
        values["form"] = next(iter(_forms_in(counts)), None)
        for side, name in self._types.items():
            values[f"{side}_lexicon"] = self._decoded(name)
        return CorpusTally.from_dict(values)

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """Gather the states of all processes. Every process sends its distinct types once, also a process without a batch."""
        for name in self._types.values():
            setattr(self, name, [self._encoded(self._decoded(name))])
        super().sync(*args, **kwargs)

    def set_dtype(self, dst_type: Any) -> SegmentationScores:  # noqa: ARG002
        """Leave the states as they are: numbers of another type would not hold large counts, nor the bytes of words."""
        return self

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the scores, or the results of several steps, as other metrics of TorchMetrics do."""
        if val is None:
            val = self.compute()
        if isinstance(val, Sequence):
            return self._plot([_tensors(step) for step in val], ax)
        return self._plot(_tensors(val), ax)

    def _encoded(self, types: Iterable[str]) -> torch.Tensor:
        """Return types as the bytes of JSON strings, each with a comma after it, so that tensors of processes concatenate."""
        text = "".join(f"{json.dumps(word)}," for word in types)
        # A tensor needs a byte: a space, which is no type.
        return torch.frombuffer(bytearray(text.encode() or b" "), dtype=torch.uint8).to(self.device)

    def _decoded(self, name: str) -> list[str]:
        """Return the distinct types of a state: of its batches, or of all processes in one tensor."""
        state = getattr(self, name)
        tensors = [state] if isinstance(state, torch.Tensor) else state
        text = b"".join(tensor.cpu().numpy().tobytes() for tensor in tensors).decode()
        # A comma follows the last type too, and spaces stand for batches without types.
        return sorted(set(json.loads(f"[{text.strip().rstrip(',')}]")))


def _plain(batch: Any, name: str) -> Any:
    """Return a tensor of labels as an array of numpy, and other batches as they are; `name` is that of the argument."""
    if not isinstance(batch, torch.Tensor):
        return batch
    if batch.ndim != 2 or batch.is_floating_point() or batch.is_complex():
        may_be_logits = batch.ndim == 3 and batch.is_floating_point()
        logits = f" Are they logits? Pass {name}.argmax(-1)." if may_be_logits else ""
        raise TypeError(
            f"{name}: expected integer labels of shape (N, L), received {batch.dtype} of shape {(*batch.shape,)}.{logits}"
        )
    return batch.cpu().numpy()


def _forms_in(counts: torch.Tensor) -> list[str]:
    """Return the forms of the batches: one, or none before the first batch; raise an error if there are several."""
    # The last numbers of the state.
    batch_counts = counts[-len(_FORMS) :].tolist()
    forms = [form for form, batch_count in zip(_FORMS, batch_counts, strict=True) if batch_count]
    if len(forms) > 1:
        raise TypeError(f"mixed forms: batches of {' and of '.join(forms)}; expected the same form in every batch.")
    return forms


def _tensors(scores: Any) -> Any:
    """Return the scores of a step as tensors, by key; they are the argument `val` of `plot`, or an item of it."""
    if not isinstance(scores, dict):
        raise TypeError(f"val: expected the scores of a step, or a list of them, received {described(scores)}.")
    return {key: torch.tensor(value) for key, value in scores.items()}
