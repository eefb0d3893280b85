"""Scores in a Trainer's `compute_metrics`, against decoding row by row in plain Python and the sets of `naive`."""

import json
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.integrations.training import compute_metrics as training
from segscores.integrations.training import generated_text
from segscores.integrations.training.compute_metrics import ComputeMetrics, as_compute_metrics
from segscores.integrations.training.evaluation_arrays import preprocess_logits_for_metrics
from segscores.options.errors import UtteranceError

from ... import naive
from ...optional import torch
from .evaluations import (
    BI,
    ID2LABEL,
    IDS,
    CharacterTokenizer,
    decode,
    evaluation,
    largest,
    naive_corpora,
    options_of,
    padded_rows,
    random_rows,
    without_types,
)

in_arrays_of_both = pytest.mark.parametrize("as_array", [np.asarray, torch.tensor], ids=["numpy", "torch"])


@pytest.mark.parametrize("piece_bytes", [1, 400, training.PIECE_BYTES])
@given(drawn=padded_rows(), has_units=st.booleans())
def test_scores_equal_rows_decoded_one_by_one(drawn, has_units, piece_bytes):
    scheme, logits, labels, inputs = drawn
    names = inputs.tolist() if has_units else None
    expected = naive.naive_scores(*naive_corpora(largest(logits), labels.tolist(), scheme, names))
    expected = expected if has_units else without_types(expected)
    compute_metrics = as_compute_metrics(**options_of(scheme), units="input_ids" if has_units else "labels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "PIECE_BYTES", piece_bytes)
        scores = compute_metrics(evaluation(logits, labels, inputs))
    assert list(scores) == list(expected)
    assert scores == pytest.approx(expected)
    assert all(type(score) is float for score in scores.values())
    ids = preprocess_logits_for_metrics(logits, labels)
    assert compute_metrics(evaluation(ids, labels, inputs)) == scores
    assert compute_metrics(evaluation((logits, np.zeros(3)), (labels,), inputs)) == scores
    assert has_units or compute_metrics((logits, labels)) == scores


@in_arrays_of_both
@given(drawn=padded_rows(), size=st.integers(1, 3), units=st.sampled_from(["labels", "input_ids"]))
def test_batches_give_the_scores_of_the_whole(drawn, size, units, as_array):
    scheme, logits, labels, inputs = drawn
    compute_metrics = as_compute_metrics(**options_of(scheme), units=units)
    expected = compute_metrics(evaluation(logits, labels, inputs))
    starts = range(0, max(1, len(labels)), size)
    for _ in range(2):  # the second time it has forgotten the first
        for start in starts:
            part = slice(start, start + size)
            batch = evaluation(as_array(logits[part]), as_array(labels[part]), {"input_ids": as_array(inputs[part])})
            scores = compute_metrics(batch, compute_result=start == starts[-1])
            assert scores == (expected if start == starts[-1] else {})


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_tensors_of_every_precision_are_taken(dtype):
    logits, labels = random_rows(20, 9, 4)
    tensor = torch.tensor(logits).to(getattr(torch, dtype))
    expected = without_types(
        naive.naive_scores(*naive_corpora(largest(tensor.to(torch.float64).numpy()), labels.tolist(), "BMES"))
    )
    compute_metrics = as_compute_metrics(id2label=ID2LABEL["BMES"])
    assert compute_metrics(evaluation(tensor, torch.tensor(labels))) == pytest.approx(expected)
    ids = preprocess_logits_for_metrics((tensor, None), torch.tensor(labels))
    assert isinstance(ids, torch.Tensor)
    assert compute_metrics(evaluation(ids, torch.tensor(labels))) == pytest.approx(expected)
    empty = evaluation(tensor[:0], torch.tensor(labels[:0]))
    assert set(compute_metrics(empty).values()) == {0.0}


@pytest.mark.parametrize(
    ("scheme", "id2label"),
    [
        (None, {0: "B", 1: "I"}),
        (None, {"0": "B-X", "1": "I-X"}),
        (None, SimpleNamespace(id2label={0: "B-NOUN", 1: "I-NOUN", 2: "B-VERB", 3: "I-VERB"})),
        (None, ["B", "I"]),
        (None, ["B", "M", "E", "S"]),
        (None, ["B-W", "M-W", "E-W", "S-W"]),
        ("BI", ["B", "I"]),
        ("BMES", ["B", "M", "E", "S"]),
        ("start", {0: 1, 1: 0}),
        ("start", {0: "LABEL_1", 1: "LABEL_0"}),
    ],
)
def test_every_way_of_naming_tags_is_read(scheme, id2label):
    # In each, the id 0 begins a word and the id 1 does not: words of 2 and 3 units, predicted as one of 5.
    label_ids = np.array([[0, 1, 0, 1, 1]])
    predictions = np.array([[0, 1, 1, 1, 1]])
    scores = as_compute_metrics(label_scheme=scheme, id2label=id2label, scores="recall")((predictions, label_ids))
    assert scores == {"boundary_all_recall": 2 / 3, "boundary_noedge_recall": 0.0, "token_recall": 0.0}


def test_many_tags_are_distinguished():
    # More than a byte holds: the ids of joint tags, as of segmentation and parts of speech.
    names = [f"{tag}-{number}" for number in range(100) for tag in "BMES"]
    source = np.random.default_rng(0)
    labels, predictions = source.integers(0, 400, (2, 30, 8))
    tags = [[[names[number][0] for number in row] for row in ids.tolist()] for ids in (labels, predictions)]
    corpora = [[decode(row, "x" * 8, "BMES") for row in side] for side in tags]
    compute_metrics = as_compute_metrics(id2label=names)
    expected = without_types(naive.naive_scores(*corpora))
    assert compute_metrics((predictions, labels)) == pytest.approx(expected)
    assert compute_metrics((np.eye(400, dtype=np.float32)[predictions], labels)) == pytest.approx(expected)


@in_arrays_of_both
@pytest.mark.parametrize("keep_ids", [False, True], ids=["logits", "ids"])
def test_nan_logits_mark_no_boundary_and_warn(as_array, keep_ids):
    logits = np.zeros((3, 3, 2), np.float32)  # B everywhere
    logits[0, 1] = np.nan
    logits[1, 2, 1] = np.nan
    logits[2, 2] = np.nan  # masked, so that it does not count
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, -100]])
    predictions = [["xx", "x"], ["x", "xx"], ["x", "x"]]
    expected = without_types(naive.naive_scores([["x"] * 3, ["x"] * 3, ["x"] * 2], predictions))
    given_logits = as_array(logits)
    given_predictions = preprocess_logits_for_metrics(given_logits, labels) if keep_ids else given_logits
    compute_metrics = as_compute_metrics(id2label=BI)
    with pytest.warns(RuntimeWarning, match="^2 of 3 utterances have positions without a class"):
        scores = compute_metrics((given_predictions, labels))
    assert scores == pytest.approx(expected)
    assert compute_metrics((given_predictions[2:], labels[2:]), compute_result=False) == {}
    assert compute_metrics((given_predictions[:2], labels[:2]), compute_result=False) == {}
    with pytest.warns(RuntimeWarning, match="^2 of 3 utterances"):
        assert compute_metrics((given_predictions[:0], labels[:0]), compute_result=True) == scores


@in_arrays_of_both
@given(
    dtype=st.sampled_from([np.float16, np.float32, np.float64]), classes=st.integers(1, 10), seed=st.integers(0, 2**32)
)
def test_the_class_is_the_first_of_the_largest_logits(dtype, classes, seed, as_array):
    values = np.array([-np.inf, -1.0, 0.0, 0.5, np.inf, np.nan], dtype)
    source = np.random.default_rng(seed)
    for known in (values, values[:-1]):
        logits = source.choice(known, (2, 4, classes))
        found = preprocess_logits_for_metrics(as_array(logits))
        rows = logits.reshape(-1, classes).tolist()
        expected = [-100 if any(map(math.isnan, row)) else row.index(max(row)) for row in rows]
        assert np.asarray(found).ravel().tolist() == expected
        # Ids are returned as they are.
        assert preprocess_logits_for_metrics(found) is preprocess_logits_for_metrics((found, "cache"), None) is found


def test_batches_are_kept_in_pickles_and_apart_from_whole_and_broken_evaluations():
    logits, labels = random_rows(20, 9, 2)
    compute_metrics = as_compute_metrics(id2label=BI)
    expected = compute_metrics((logits, labels))
    assert json.loads(json.dumps(expected)) == expected
    start, rest = (logits[:5], labels[:5]), (logits[5:], labels[5:])
    assert compute_metrics(start, compute_result=False) == {}
    restored = pickle.loads(pickle.dumps(compute_metrics))
    assert compute_metrics((logits, labels)) == expected
    for each in (compute_metrics, restored):
        assert each(rest, compute_result=True) == expected
        assert each(start, compute_result=False) == {}
        broken = (np.zeros((2, 3, 2)), np.array([[0, 0, 0], [0, 0, 7]]))
        message = "references, utterance 6: position 2 has the class id 7; expected 0 and"
        with pytest.raises(UtteranceError, match=message):
            each(broken, compute_result=False)
        assert each((logits, labels), compute_result=True) == expected
        assert each(start, compute_result=False) == {}
        each.reset()
        assert each((logits, labels), compute_result=True) == expected
    inputs = np.ones_like(labels)
    by_names = as_compute_metrics(id2label=BI, units="input_ids")
    apart = evaluation(*([(array[:7],), (array[7:],)] for array in (logits, labels, inputs)))
    assert by_names(apart) == by_names(evaluation(logits, labels, inputs))


def test_a_tokenizer_names_the_units_and_tells_the_special_tokens():
    tokenizer = CharacterTokenizer(["a", "##a", "▁a", "Ġa", "b", "▁", "##b"])
    ids = {token: number for number, token in enumerate(tokenizer.tokens)}
    tokens = [["[CLS]", "a", "b", "##a", "[UNK]", "[SEP]", "[PAD]"], ["[CLS]", "▁a", "##b", "Ġa", "▁", "b", "[SEP]"]]
    inputs = np.array([[ids[token] for token in row] for row in tokens])
    # The label of a special token does not matter. The first row's `##a` is a later piece of the unit `b`.
    label_ids = np.array([[0, 0, 1, -100, 0, 0, -100], [-100, 0, 1, 0, 0, 1, -100]])
    predictions = np.array([[0, 0, 0, 1, 1, 0, 0], [1, 0, 1, 0, 1, 1, 0]])
    references = [[("a", "ba"), ("[UNK]",)], [("a", "b"), ("a",), ("▁", "b")]]
    predicted = [[("a",), ("ba", "[UNK]")], [("a", "b"), ("a", "▁", "b")]]
    compute_metrics = as_compute_metrics(id2label=BI, units="input_ids", processing_class=tokenizer)
    expected = naive.naive_scores(references, predicted)
    assert compute_metrics(evaluation(predictions, label_ids, inputs)) == pytest.approx(expected)
    processor = SimpleNamespace(tokenizer=tokenizer)
    within = as_compute_metrics(id2label=BI, units="input_ids", processing_class=processor)
    assert within(evaluation(predictions, label_ids, inputs)) == pytest.approx(expected)


TEXT_TOKENIZER = CharacterTokenizer([*"abcdefgh 狗叫\0\u0301\u00e9"])


def text_arrays(references, predictions):
    return tuple(
        np.array([TEXT_TOKENIZER.encode(text, max(map(len, texts), default=0) + extra) for text in texts])
        for texts, extra in ((predictions, 2), (references, 1))
    )


def naive_generated(references, predictions):
    """Where the units differ, nothing is matched, and there are no true negatives."""
    pairs = [(left.split(), right.split()) for left, right in zip(references, predictions, strict=True)]
    differ = [pair for pair in pairs if "".join(pair[0]) != "".join(pair[1])]
    # Each side of a pair that differs is scored against a blank one.
    apart = [pair for pair in pairs if pair not in differ]
    apart += [both for left, right in differ for both in ((left, []), ([], right))]
    counts = naive.naive_counts([left for left, _ in apart], [right for _, right in apart])
    for left, right in differ:
        counts["token_spans"] += len(left) + len(right) - naive.naive_utterance_counts(left, [])["token_spans"]
    return naive.scores_of_counts(counts) | {"mismatched": naive.ratio(len(differ), len(pairs), 0.0)}


generated = st.text(st.sampled_from("ab "), max_size=6)


@in_arrays_of_both
@given(drawn=st.lists(st.tuples(generated, generated), max_size=6))
def test_text_that_differs_counts_as_missed_and_wrong(drawn, as_array):
    references, predictions = [left for left, _ in drawn], [right for _, right in drawn]
    compute_metrics = as_compute_metrics(units="text", processing_class=TEXT_TOKENIZER)
    predicted, label_ids = text_arrays(references, predictions)
    expected = naive_generated(references, predictions)
    assert compute_metrics((predicted, label_ids)) == pytest.approx(expected)
    assert compute_metrics((predicted[:2], label_ids[:2]), compute_result=False) == {}
    batch = (as_array(predicted[2:]), as_array(label_ids[2:]))
    assert compute_metrics(batch, compute_result=True) == pytest.approx(expected)


OOV = ("oov_recall", "iv_recall", "oov_rate", "oov_precision", "oov_fscore")


@pytest.mark.parametrize("of_dataset", [False, True], ids=["input_ids", "tokens"])
@pytest.mark.parametrize("options", [{}, {"confidence": 0.9, "n_resamples": 9}], ids=str)
def test_words_out_of_the_vocabulary_are_known_by_the_names_of_their_units(options, of_dataset):
    source = np.random.default_rng(3)
    inputs = source.integers(4, 7, (30, 8))
    label_ids, predictions = (source.integers(0, 2, (30, 8)) for _ in range(2))
    inputs[source.random((30, 8)) < 0.1] = TEXT_TOKENIZER.pad_token_id
    label_ids[inputs == TEXT_TOKENIZER.pad_token_id] = -100
    names = [[TEXT_TOKENIZER.tokens[number] for number in row] for row in inputs.tolist()]
    references, predicted = (
        [["".join(word) for word in utterance] for utterance in side]
        for side in naive_corpora(predictions.tolist(), label_ids.tolist(), "end", names)
    )
    vocabulary = ["a", "b", "ab", "ca", "abc"]
    named = {"units": "input_ids", "processing_class": TEXT_TOKENIZER}
    if of_dataset:
        named = {"tokens": [list("".join(words)) for words in references]}
    compute_metrics = as_compute_metrics(label_scheme="end", vocabulary=vocabulary, **named, **options)
    with pytest.warns(UserWarning, match="reference words are outside the vocabulary"):
        scores = compute_metrics(evaluation(predictions, label_ids, inputs))
    assert "token_fscore" in scores
    assert {key: scores[key] for key in OOV} == pytest.approx(naive.naive_oov_scores(references, predicted, vocabulary))
    # Batch by batch, each example has its own tokens.
    compute_metrics(evaluation(predictions[:11], label_ids[:11], inputs[:11]), compute_result=False)
    with pytest.warns(UserWarning, match="reference words are outside the vocabulary"):
        batches = compute_metrics(evaluation(predictions[11:], label_ids[11:], inputs[11:]), compute_result=True)
    assert batches == scores


THIRDS = (1 / 3, 1 / 3, 3 / 6, 1 / 3, 1 / 3)
#: Texts of the two sides, options, and scores.
GENERATED = {
    # Out of the vocabulary: de, fg, h of the reference; cde, fgh, h of the prediction; h is matched. In: ab, c, ab, and ab.
    "a vocabulary": (["ab c de", "ab fg", "h"], ["ab cde", "ab fgh c", "h"],
                     {"scores": "oov", "vocabulary": ["ab", "c"], "zero_division": 0.0},
                     dict(zip(OOV, THIRDS, strict=True)) | {"mismatched": 1 / 3}),
    "other code points": (["\u00e9 b"], ["e\u0301 b"], {"scores": "oov_rate", "vocabulary": ["\u00e9"]},
                          {"oov_rate": 1 / 2, "mismatched": 1.0}),
    "normalized with the vocabulary": (
        ["\u00e9 b"], ["e\u0301 b"], {"scores": ["oov_rate", "oov_recall"], "vocabulary": ["\u00e9"], "normalize": "NFC"},
        {"oov_rate": 1 / 2, "oov_recall": 1.0, "mismatched": 0.0}),
    "NUL": (["ab c", "a"], ["ab c", "\0"], {"scores": "token_fscore"}, {"token_fscore": 2 / 3, "mismatched": 1 / 2}),
    # The first utterance has 1, the second 0 or 0/0, and the third, blank on both sides, none.
    "the macro average, of which a text for a blank reference is wrong": (
        ["a b", "", ""], ["a b", "c d", ""], {"scores": ["token_precision", "token_recall", "type_fscore"], "average": "macro"},
        {"token_precision": 1 / 2, "token_recall": 1 / 2, "type_fscore": 1 / 2, "mismatched": 1 / 3}),
    "the macro average of nothing": ([""], [""], {"scores": "token_recall", "average": "macro"},
                                     {"token_recall": 0.0, "mismatched": 0.0}),
}  # fmt: skip


@pytest.mark.parametrize(("references", "predictions", "options", "expected"), GENERATED.values(), ids=GENERATED)
def test_scores_of_generated_text(references, predictions, options, expected):
    compute_metrics = as_compute_metrics(units="text", processing_class=TEXT_TOKENIZER, **options)
    texts = text_arrays(references, predictions)
    assert compute_metrics(texts) == pytest.approx(expected)
    assert compute_metrics(texts, compute_result=False) == {}
    assert compute_metrics(tuple(side[:0] for side in texts), compute_result=True) == pytest.approx(expected)


#: Options, predictions, label ids, input ids and scores.
BY_HAND = {
    "padding of the Trainer beside another ignore_index": (
        {"id2label": BI, "ignore_index": -1}, [[0, 1, 1, 0, 0]], [[0, 1, 0, -1, -100]], None,
        without_types(naive.naive_scores([["xx", "x"]], [["xxx"]]))),
    "wide input ids": (IDS, [[0, 1, 0, 0]], [[0, 1, 0, 1]], [[1 << 40, 3, 1 << 40, 3]],
                       naive.naive_scores([["ab", "ab"]], [["ab", "a", "b"]])),
    # Without a first special token, as GPT has none, the second position is a later piece of the first unit. The types are ab, c
    # and a, and abc and a.
    "a later piece of the first position": (
        {**IDS, "processing_class": CharacterTokenizer(["a", "##b", "c"])}, [[0, 1, 1], [0, 0, 0]],
        [[0, -100, 0], [0, -100, -100]], [[4, 5, 6], [4, 0, 0]],
        naive.naive_scores([[("ab",), ("c",)], [("a",)]], [[("ab", "c")], [("a",)]])),
    "nothing": ({"id2label": BI, "zero_division": 1.0, "scores": "token_recall"}, [], [], None, {"token_recall": 1.0}),
    "masked positions alone": ({"id2label": BI, "zero_division": 1.0, "scores": "token_recall"}, [[0] * 4] * 3,
                               [[-100] * 4] * 3, None, {"token_recall": 1.0}),
    "a gap in id2label": ({"id2label": {0: "B", 2: "I"}, "scores": "token_recall"}, [[[0.0] * 3] * 2], [[0, 2]], None,
                          {"token_recall": 0.0}),
    "an unknown token that is also special is no unit": (
        {**IDS, "processing_class": CharacterTokenizer("ab", unk_token_id=2)},
        [[0] * 5], [[0, 0, 1, 0, -100]], [[1, 4, 5, 2, 0]], naive.naive_scores([[("a", "b")]], [[("a",), ("b",)]])),
    # Types are sequences of units: (ba, c d), (dab) and (bac, t, dab) of the reference, (bac, t) of the prediction alone.
    "tokens without a vocabulary": (
        {"id2label": BI, "tokens": [["ba", "c d", "dab"], ["bac", "t", "dab"]], "scores": "type"},
        [[0, 1, 0], [0, 1, 0]], [[0, 1, 0], [0, 1, 1]], None, dict.fromkeys(naive.DEFAULT_KEYS[9:12], 2 / 3)),
}  # fmt: skip


@pytest.mark.parametrize(("options", "predictions", "label_ids", "inputs", "expected"), BY_HAND.values(), ids=BY_HAND)
def test_scores_by_hand(options, predictions, label_ids, inputs, expected):
    arrays = [None if array is None else np.array(array) for array in (predictions, label_ids, inputs)]
    assert as_compute_metrics(**options)(evaluation(*arrays)) == pytest.approx(expected)


def test_batches_hold_no_arrays():
    compute_metrics = as_compute_metrics(id2label=BI)
    sizes = set()
    for seed in range(50):
        compute_metrics(random_rows(10, 9, 2, seed), compute_result=False)
        sizes.add(len(pickle.dumps(compute_metrics)) // 100)
    assert len(sizes) <= 2


def test_the_callable_shows_its_options():
    assert repr(ComputeMetrics(id2label=BI)) == "ComputeMetrics(id2label=('B', 'I'))"


INTERVALS = {"confidence": 0.9, "interval_method": "percentile", "n_resamples": 200, "seed": 3}


@pytest.mark.parametrize("batch_rows", [1, 2, 1024])
def test_intervals_of_text_do_not_depend_on_the_rows_decoded_at_once(batch_rows, monkeypatch):
    references = ["ab c", "a b", "h", "a", "b c d", "ab", "a b c", "e"] * 3
    predictions = ["a b c", "c", "h", "ab", "b cd", "ab", "ab", "e f"] * 3
    compute_metrics = as_compute_metrics(units="text", processing_class=TEXT_TOKENIZER, **INTERVALS)
    expected = compute_metrics(text_arrays(references, predictions))
    monkeypatch.setattr(generated_text, "BATCH_ROWS", batch_rows)
    np.testing.assert_equal(compute_metrics(text_arrays(references, predictions)), expected)  # some bounds are nan
    predicted, label_ids = text_arrays(references, predictions)
    for at in range(0, 24, 4):
        found = compute_metrics((predicted[at : at + 4], label_ids[at : at + 4]), compute_result=at == 20)
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("units", ["input_ids", "labels"])
def test_several_processes_with_inputs_are_warned_of_when_the_callable_is_made(units, monkeypatch, recwarn):
    monkeypatch.setenv("WORLD_SIZE", "2")
    as_compute_metrics(label_scheme="start", units=units)
    monkeypatch.setenv("WORLD_SIZE", "1")
    as_compute_metrics(label_scheme="start", units=units)
    messages = [str(warning.message) for warning in recwarn if "batch_eval_metrics=True" in str(warning.message)]
    assert len(messages) == (units == "input_ids")
