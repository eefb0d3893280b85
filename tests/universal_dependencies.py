"""Universal Dependencies: CoNLL-U of sentences, systems that differ from a reference, and the official evaluation (udtools)."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from udtools import udeval

#: A token, or a multiword token with its words.
Token: TypeAlias = "str | tuple[str, list[str]]"
Sentence: TypeAlias = "list[Token]"

#: The metrics of the evaluation, by the groups that have the same values.
METRICS = {"token": "Tokens", "sentence": "Sentences", "syntactic_word": "Words"}


def official_counts(reference: str, prediction: str) -> dict[str, tuple[int, int, int]]:
    """The matched, predicted and reference counts of the evaluation."""
    scores = _evaluate(reference, prediction)
    found = {group: scores[metric] for group, metric in METRICS.items()}
    return {group: (score.correct, score.system_total, score.gold_total) for group, score in found.items()}


def official_counts_of_tags(reference: str, prediction: str) -> dict[str, tuple[int, int, int]]:
    """The counts of the columns UPOS and XPOS."""
    scores = _evaluate(reference, prediction)
    return {
        name: (scores[name.upper()].correct, scores[name.upper()].system_total, scores[name.upper()].gold_total)
        for name in ("upos", "xpos")
    }


def official_scores(reference: str, prediction: str) -> dict[str, float]:
    """The scores of the evaluation, by the keys of the selection "ud"."""
    scores = _evaluate(reference, prediction)
    return {
        f"{group}_{ours}": getattr(scores[metric], theirs)
        for group, metric in METRICS.items()
        for ours, theirs in (("precision", "precision"), ("recall", "recall"), ("fscore", "f1"))
    }


def _evaluate(reference: str, prediction: str) -> dict[str, udeval.UDScore]:
    sides = [udeval.load_conllu(io.StringIO(text), "test", {}) for text in (reference, prediction)]
    return udeval.evaluate(*sides)


def conllu(sentences: Sequence[Sentence]) -> str:
    """CoNLL-U, in which the first word of each sentence is the head of all others, as the evaluation needs."""
    lines = []
    for sentence in sentences:
        number = 0
        for token in sentence:
            form, words = token if isinstance(token, tuple) else (token, [token])
            if isinstance(token, tuple):
                lines.append(f"{number + 1}-{number + len(words)}\t{form}" + "\t_" * 8)
            for word in words:
                number += 1
                head = "0\troot" if number == 1 else "1\tdep"
                lines.append(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t_")
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def read_conllu(text: str) -> list[Sentence]:
    """The sentences of CoNLL-U."""
    sentences: list[Sentence] = []
    for block in text.split("\n\n"):
        rows = [line.split("\t")[:2] for line in block.splitlines() if line[:1].isdigit()]
        forms = {number: form for number, form in rows if number.isdigit()}
        sentence: Sentence = []
        last = 0
        for number, form in rows:
            first, _, end = number.partition("-")
            if end:
                last = int(end)
                sentence.append((form, [forms[str(at)] for at in range(int(first), last + 1)]))
            elif number.isdigit() and int(number) > last:
                sentence.append(form)
        if sentence:
            sentences.append(sentence)
    return sentences


def perturbed(sentences: Sequence[Sentence], source: random.Random, share: float) -> list[Sentence]:
    """A system that splits and joins tokens and sentences, and loses, invents and changes the words of multiword tokens."""
    found: list[Sentence] = [[]]
    for sentence in sentences:
        for token in sentence:
            form, words = token if isinstance(token, tuple) else (token, [])
            draw = source.random() / share if share else 9.0
            length = len(form.replace(" ", ""))
            if draw < 0.2 and length > 1:
                at = source.randrange(1, length)
                found[-1] += [form.replace(" ", "")[:at], form.replace(" ", "")[at:]]
            elif draw < 0.4 and found[-1] and isinstance(found[-1][-1], str):
                found[-1][-1] += form
            elif draw < 0.6 and words:
                found[-1] += words if "".join(words) == form else [form]
            elif draw < 0.7 and words:
                found[-1].append(
                    (form, source.choice([words[:-1] or words, [*words, form], [words[0].upper(), *words[1:]]]))
                )
            elif draw < 0.8 and length > 1:
                found[-1].append((form, [form[:1], form[1:]]))
            else:
                found[-1].append(token)
            if draw > 0.95 and draw < 1:
                found.append([])
        if source.random() > share / 2:
            found.append([])
    return [sentence for sentence in found if sentence]


def random_pair(source: random.Random) -> tuple[list[Sentence], list[Sentence]]:
    """Two independent analyses of a short text of few letters, in which multiword tokens overlap each other in every way; some of
    their words have a space.
    """
    text = source.choices("abAé", k=source.randrange(1, 24))
    shares = source.random(), source.random() * 0.5, source.random()
    return _random_analysis(text, source, *shares), _random_analysis(text, source, *shares)


def _random_analysis(text: Sequence[str], source: random.Random, *shares: float) -> list[Sentence]:
    is_end = [source.random() < shares[0] for _ in text[:-1]]
    cuts = [0, *(at for at, ends in enumerate(is_end, 1) if ends), len(text)]
    sentences: list[Sentence] = [[]]
    for start, stop in pairwise(cuts):
        form = "".join(text[start:stop])
        words = [
            source.choice(("", "", " ")).join(source.choices(text, k=source.choice((1, 1, 2)))).lower()
            for _ in range(source.randrange(1, 4))
        ]
        sentences[-1].append((form, words) if source.random() < shares[2] else form)
        if source.random() < shares[1]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]
