"""Train a character segmenter with Lightning, scored after every epoch by the metric for TorchMetrics.

- Text: the clauses of `train_segmenter`: eight tenths for training, two for validation. Nothing is downloaded.
- Model: character embeddings, a bidirectional LSTM, and for each character whether it begins a word (1) or not (0).
- Each epoch prints the scores of the whole validation part, whatever the batches and the processes.

With the defaults the program takes about a minute on two cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import lightning
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from train_segmenter import read_text, split_clauses

from segscores.integrations.torchmetrics import SegmentationScores

MASKED = -100
Pair = tuple[Tensor, Tensor]


class Segmenter(lightning.LightningModule):
    """It predicts for each character whether it begins a word."""

    def __init__(self, characters: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters, 64)
        self.lstm = nn.LSTM(64, 64, bidirectional=True, batch_first=True)
        self.output = nn.Linear(128, 2)
        self.scores = SegmentationScores(scores=["token", "boundary_noedge"], label_scheme="start", ignore_index=MASKED)

    def forward(self, ids: Tensor) -> Tensor:
        """The logits (N, L, 2) of characters (N, L)."""
        logits: Tensor = self.output(self.lstm(self.embedding(ids))[0])
        return logits

    def training_step(self, batch: Pair, _: int) -> Tensor:
        """The loss of a batch."""
        ids, labels = batch
        return nn.functional.cross_entropy(self(ids).flatten(0, 1), labels.flatten(), ignore_index=MASKED)

    def validation_step(self, batch: Pair, _: int) -> None:
        """Add a batch to the tally."""
        ids, labels = batch
        self.scores.update(self(ids).argmax(-1), labels)

    def on_validation_epoch_end(self) -> None:
        """Log the scores of all batches, and begin again."""
        self.log_dict(self.scores.compute())
        self.scores.reset()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam."""
        return torch.optim.Adam(self.parameters(), 0.003)


def batched(pairs: list[Pair]) -> Pair:
    """Clauses of different lengths as tensors (N, L)."""
    ids, labels = zip(*pairs, strict=True)
    pad = nn.utils.rnn.pad_sequence
    return pad(ids, batch_first=True), pad(labels, batch_first=True, padding_value=MASKED)


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """Train, and return the scores of the last epoch."""
    parser = argparse.ArgumentParser(description="Train a character segmenter with Lightning.")
    parser.add_argument("--clauses", type=int, default=8000)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args(arguments)
    lightning.seed_everything(0)
    clauses = split_clauses(read_text(options.clauses))[: options.clauses]
    characters = {
        character: index
        for index, character in enumerate(sorted({c for clause in clauses for c in "".join(clause)}), 1)
    }
    pairs = [
        (
            torch.tensor([characters[character] for character in "".join(clause)]),
            torch.tensor([int(at == 0) for word in clause for at in range(len(word))]),
        )
        for clause in clauses
    ]
    cut = len(pairs) * 8 // 10
    loaders = [
        DataLoader(part, batch_size=32, shuffle=shuffle, collate_fn=batched)  # type: ignore[arg-type]
        for part, shuffle in ((pairs[:cut], True), (pairs[cut:], False))
    ]
    trainer = lightning.Trainer(
        max_epochs=options.epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(Segmenter(len(characters) + 1), *loaders)
    scores = {key: value.item() for key, value in trainer.logged_metrics.items()}
    print({key: round(value, 4) for key, value in scores.items()})
    return scores


if __name__ == "__main__":
    main()
