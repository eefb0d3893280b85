"""Evaluations of a trainer for tests: logits, labels and inputs, and the corpora that they stand for."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from ... import corpora

ID2LABEL = {
    "start": {0: "LABEL_0", 1: "LABEL_1"},
    "end": {"0": "0", "1": "1"},
    "BI": {1: "B-X", 0: "I-X"},
    "BMES": {0: "S", 1: "B", 2: "E", 3: "M"},
}
#: What each tag says of its unit: whether a word begins there, and whether one ends.
TAGS = {
    "start": {"0": (False, False), "1": (True, False)},
    "end": {"0": (False, False), "1": (False, True)},
    "BI": {"B": (True, False), "I": (False, False)},
    "BMES": {"B": (True, False), "M": (False, False), "E": (False, True), "S": (True, True)},
}
IDS_TO_TAGS = {"start": ["0", "1"], "end": ["0", "1"], "BI": ["I", "B"], "BMES": ["S", "B", "E", "M"]}
BI = {0: "B", 1: "I"}


def decode(tags, units, scheme):
    """The words of a row, tag by tag; None is a position without a class."""
    marks = [TAGS[scheme][tag] if tag is not None else (False, False) for tag in tags]
    return corpora.cut(units, [ends or begins for (_, ends), (begins, _) in pairwise(marks)])


def naive_corpora(prediction_ids, label_ids, scheme, inputs=None):
    """References and predictions of padded rows."""
    references, predictions = [], []
    for row, labels in enumerate(label_ids):
        kept = [position for position, label in enumerate(labels) if label != -100]
        units = [str(inputs[row][position]) if inputs is not None else "x" for position in kept]
        tags = IDS_TO_TAGS[scheme]
        references.append(decode([tags[labels[position]] for position in kept], units, scheme))
        ids = [prediction_ids[row][position] for position in kept]
        predictions.append(decode([None if number == -100 else tags[number] for number in ids], units, scheme))
    return references, predictions


def without_types(scores):
    return {key: score for key, score in scores.items() if not key.startswith("type_")}


@st.composite
def padded_rows(draw):
    """A scheme, logits (N, L, C), label ids (N, L) and input ids (N, L), with masked positions anywhere and blank rows."""
    scheme = draw(st.sampled_from(list(TAGS)))
    classes = len(TAGS[scheme])
    rows, columns = draw(st.integers(0, 5)), draw(st.integers(0, 7))

    def array(elements, *shape):
        size = math.prod(shape)
        return np.array(draw(st.lists(elements, min_size=size, max_size=size))).reshape(shape)

    logits = array(st.sampled_from([-np.inf, -1.5, 0.0, 0.25, 2.0, np.inf]), rows, columns, classes).astype(np.float32)
    labels = array(st.sampled_from([-100, *range(classes)]), rows, columns).astype(np.int64)
    inputs = array(st.integers(0, 3), rows, columns).astype(np.int64)
    return scheme, logits, labels, inputs


def largest(logits):
    """The class of every position, in plain Python: the first of the largest."""
    return [[row.index(max(row)) for row in utterance] for utterance in logits.tolist()]


def evaluation(predictions, label_ids, inputs=None):
    return SimpleNamespace(predictions=predictions, label_ids=label_ids, inputs=inputs)


def options_of(scheme):
    """The least that says the scheme."""
    return {"id2label": ID2LABEL[scheme]} | ({"label_scheme": scheme} if scheme in ("start", "end") else {})


class CharacterTokenizer:
    """As much of a tokenizer as is used: a vocabulary by id, special tokens, and decoding."""

    cls_token_id, sep_token_id = 1, 2

    def __init__(self, tokens, unk_token_id=3):
        self.tokens = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *tokens]
        self.all_special_ids = [0, 1, 2, 3]
        self.pad_token_id, self.unk_token_id = 0, unk_token_id

    def convert_ids_to_tokens(self, ids):
        return [self.tokens[number] if number < len(self.tokens) else None for number in ids]

    def batch_decode(self, sequences, skip_special_tokens=False, clean_up_tokenization_spaces=True):
        assert skip_special_tokens
        assert not clean_up_tokenization_spaces
        return ["".join(self.tokens[n] for n in ids if n not in self.all_special_ids) for ids in sequences]

    def encode(self, text, width):
        ids = [self.tokens.index(character) for character in text]
        return [*ids, *[-100] * (width - len(ids))]


def random_rows(rows, columns, classes, seed=0):
    source = np.random.default_rng(seed)
    logits = source.normal(size=(rows, columns, classes)).astype(np.float32)
    labels = source.integers(0, classes, (rows, columns))
    labels[np.arange(columns) >= source.integers(0, columns + 1, (rows, 1))] = -100
    return logits, labels


TOKENIZER = CharacterTokenizer(["a"])
IDS, TEXT = {"id2label": BI, "units": "input_ids"}, {"units": "text", "processing_class": TOKENIZER}
