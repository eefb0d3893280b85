"""Bad options and evaluations of a trainer are errors that say what was received and what was expected."""

from types import SimpleNamespace

import numpy as np
import pytest

from segscores.integrations.training import compute_metrics as training
from segscores.integrations.training.compute_metrics import as_compute_metrics
from segscores.options.errors import UtteranceError

from ...optional import torch
from .evaluations import BI, IDS, TEXT, TOKENIZER

NEEDS_TEXT = (
    "^vocabulary: it needs the text of the words: pass tokens, from the evaluated dataset, or processing_class, "
)

BAD_VALUES = [
    ({}, "the meaning of class ids is unknown: pass id2label, such as model.config"),
    ({"label_scheme": "BI"}, 'label_scheme="BI" does not define which class id has which tag'),
    ({"label_scheme": "BIX"}, "label_scheme: expected .*received 'BIX'"),
    ({"id2label": {0: "LABEL_0", 1: "LABEL_1"}}, 'LABEL_0 and the like.*id2label=."B", "I"..*label_scheme="start"'),
    ({"id2label": {0: "0", 1: "1"}}, "say what 1 marks"),
    ({"id2label": ["B", "I", "O"]}, "id2label has B, I and O: expected the tags B and I; B, M .or I., E and S"),
    ({"id2label": {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}}, 'LABEL_0 and the like.*id2label=."B", "I".'),
    ({"id2label": BI, "label_scheme": "BMES", "scores": "type"}, "takes B, M, E and S; id2label has B and I.$"),
    ({"id2label": BI, "label_scheme": "start"}, "takes 0 and 1; id2label has B and I. Without id2label"),
    ({"id2label": ["0", "1"], "label_scheme": "BI"}, "takes B and I; id2label has 0 and 1.$"),
    ({"id2label": {}}, "id2label: .* It is empty"),
    ({"id2label": {-1: "B", 0: "I"}}, "id2label: .*received -1. Class ids are numbers from 0"),
    ({"id2label": {"B": 0, "I": 1}}, "id2label: .*received 'B'. Class ids are numbers from 0"),
    ({"id2label": {0: "B", "0": "I"}}, "id2label: .*has the class id 0 twice"),
    ({"id2label": BI, "ignore_index": 1}, "ignore_index=1 is a class id"),
    ({"id2label": BI, "units": "words"}, '^units: expected "labels", "input_ids" or "text", received .words.'),
    ({"id2label": BI, "scores": "tokens"}, "unknown score group 'tokens'"),
    ({"id2label": BI, "scores": "type"}, 'scores="type" needs the words'),
    ({"id2label": BI, "scores": "dictionary"}, 'scores="dictionary" needs dictionary, which only compute has: leave it out'),
    ({**IDS, "scores": ["token", "oov"]}, '^vocabulary: scores="oov" needs it'),
    *(({"id2label": BI, "units": units, "vocabulary": ["a"]}, NEEDS_TEXT) for units in ("labels", "input_ids")),
    ({"id2label": BI, "tokens": [["a", ""]]}, "^tokens: a token is an empty string"),
    ({**IDS, "tokens": [["a"]]}, '^tokens names the units of units="labels"'),
    *(({"id2label": BI, "scores": name}, f'^scores="{name}" needs window_size, which only compute has')
      for name in ("windows", "pk", "window_diff_weighted", "all")),
    ({**TEXT, "scores": "rates"}, "whose units differ: .* the groups are boundary_all, "),
    *(({**TEXT, "scores": name}, f'^scores="{name}" are not defined for generated text whose units differ')
      for name in ("rates", "word_error_rate", "utterance_accuracy", "adjusted_rand_index", "boundary_similarity")),
    ({"id2label": BI, "text_format": "units"}, '^text_format is for units="text"; received units="labels"'),
    ({**IDS, "ignored_tokens": [";"]}, 'ignored_tokens is for units="text"'),
    ({"id2label": BI, "processing_class": TOKENIZER}, 'leave it out for units="labels"'),
    ({"units": "text"}, "needs processing_class, the tokenizer that decodes"),
    ({"units": "text", "processing_class": SimpleNamespace(batch_decode=list, pad_token_id=None)}, "has no pad token"),
    ({**TEXT, "id2label": BI}, "id2label is for class labels"),
]  # fmt: skip

BAD_TYPES = [
    ({"label_scheme": 1}, "label_scheme: expected .start."),
    (
        {"id2label": "BI"},
        "id2label: expected a dict from class ids to tags, a list of tags, or a model's config, received",
    ),
    ({"id2label": BI, "tokens": ["ab"]}, "^tokens: expected a list of strings for each example, received str"),
    ({"id2label": {0: None, 1: "B"}}, "id2label: .*received None. The class id 0 has no tag"),
    ({"id2label": BI, "ignore_index": None}, "ignore_index: expected an integer .*received None"),
    ({**IDS, "processing_class": 3}, "expected a tokenizer, which has conv"),
    ({"units": "text", "processing_class": 3}, "expected a tokenizer, which has batch_decode, received int"),
    ({"schema": "BI"}, "unknown option 'schema'.* The options are .*, id2label, .*, units,"),
]


@pytest.mark.parametrize(
    ("error", "options", "message"),
    [(error, *row) for error, rows in ((ValueError, BAD_VALUES), (TypeError, BAD_TYPES)) for row in rows],
)
def test_a_bad_option_is_refused_when_the_callable_is_made(error, options, message):
    with pytest.raises(error, match=message):
        as_compute_metrics(**options)


ROWS = np.zeros((2, 3), np.int64)

LOGITS = np.zeros((2, 3, 2))

FLOATS = "floats of shape"

BAD_EVALUATIONS = [
    *(({"id2label": BI}, arrays, message) for arrays, message in (
        ((LOGITS[:, :2], ROWS), rf"{FLOATS} \(2, 2, 2\), label_ids have shape \(2, 3\): expected label_ids"),
        ((np.zeros((2, 3, 4)), ROWS), r"\(2, 3, 4\), .* logits \(N, L, 2\), a class for each of 2 tags"),
        ((np.zeros((2, 3, 0)), ROWS), rf"{FLOATS} \(2, 3, 0\)"),
        ((ROWS[:, :2], ROWS), r"integers of shape \(2, 2\), label_ids have shape \(2, 3\)"),
        ((ROWS.astype(float), ROWS), "with class ids .* Class ids are integers"),
        ((LOGITS[0], ROWS[0]), rf"{FLOATS} \(3, 2\), label_ids have shape \(3,\)"),
        ((LOGITS.astype(int), ROWS), r"integers of shape \(2, 3, 2\)"),
        ((LOGITS, ROWS.astype(float)), r"label_ids are of type float64 and shape \(2, 3\): expected ids"),
        ((LOGITS, [[0, 1], [0]]), "label_ids: the rows have different lengths"),
        ((LOGITS.astype(str), ROWS), "predictions are of type <U32: expected an array of numbers"),
        ((LOGITS, ROWS + 2), "^references, utterance 0: position 0 has the class id 2; expected 0 and 1, or -100"),
        ((LOGITS, ROWS - [[0], [5]]), "^references, utterance 1: position 0 has the class id -5"),
        ((ROWS + np.array([0, 0, 9]), ROWS), "^predictions, utterance 0: position 2 has the class id 9; expected 0 and 1."),
        ((ROWS - [[0], [1]], ROWS), "^predictions, utterance 1: position 0 has the class id -1"),
        ((LOGITS, (ROWS, ROWS)), "label_ids are a tuple of 2 arrays: expected one"),
        (([LOGITS], [ROWS, ROWS]), "2 batches of label_ids and 1 of predictions"))),
    *(pytest.param({"id2label": BI}, arrays, message, id=f"torch: {message}") for arrays, message in (
        ((torch.zeros((2, 3, 0)), ROWS), rf"{FLOATS} \(2, 3, 0\)"),
        ((torch.zeros((2, 3, 5)), ROWS), rf"{FLOATS} \(2, 3, 5\)"),
        ((LOGITS, torch.zeros((2, 3), dtype=torch.bfloat16)), "label_ids are of type torch.bfloat16"))),
    ({"id2label": {0: "B", 2: "I"}}, (ROWS + np.array([0, 1, 0]), ROWS),
     "^predictions, utterance 0: position 1 has the class id 1; expected 0 and 2"),
    *((IDS, (LOGITS, ROWS, inputs), message) for inputs, message in (
        (None, 'units="input_ids" needs the inputs: pass include_for_metrics='),
        ({"pixel_values": ROWS}, "inputs have pixel_values: expected input_ids among them"),
        (ROWS[:, :2],
         r"inputs have shape \(2, 2\), label_ids have shape \(2, 3\): expected a label for every input id.$"),
        (ROWS[:1], "does not gather the inputs of other processes"),
        (LOGITS, "inputs are of type float64 and shape"),
        (ROWS - [0, 0, 100], "utterance 0: position 2 has a label, and the input id -100; expected an id from 0"))),
    ({**IDS, "processing_class": TOKENIZER}, (LOGITS, ROWS, ROWS + 9),
     "has no token for the input id 9: is it the tokenizer of these inputs"),
    *(({"id2label": BI, "tokens": tokens, "scores": "token"}, (ROWS, ROWS - [[0, 0, 0], [0, 0, 100]]), message)
      for tokens, message in (
        ([["a"] * 3], "^tokens: received 1 lists, and the evaluation has more"),
        ([["a"] * 3, ["a"] * 2, ["b"]], "^tokens: 3 lists for an evaluation of 2 examples"),
        ([["a"] * 3] * 2, "^utterance 1: received 2 labels that are not masked, and 3 tokens; .*Truncated examples"))),
    *((TEXT, arrays, message) for arrays, message in (
        ((LOGITS, ROWS), "predictions are of type float64 .* set predict_with_generate=True"),
        ((ROWS[:1], ROWS), r"predictions have shape \(1, 3\), label_ids have shape \(2, 3\)"),
        ((ROWS, ROWS[0]), r"label_ids have shape \(3,\): expected generated ids"))),
]  # fmt: skip


@pytest.mark.parametrize(("options", "arrays", "message"), BAD_EVALUATIONS)
def test_a_bad_evaluation_is_refused(options, arrays, message):
    with pytest.raises(ValueError, match=message):
        as_compute_metrics(**options)(arrays)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((None, ROWS), "predictions: expected an array, received None"),
        ((LOGITS, None), "label_ids: expected an array, received None"),
        *((value, f"expected an EvalPrediction or a tuple .* received {type(value).__name__}")
          for value in (3, {"predictions": ROWS}, "BI")),
    ],
)  # fmt: skip
def test_a_value_that_is_not_an_evaluation_is_rejected(arrays, message):
    with pytest.raises(TypeError, match=message):
        as_compute_metrics(id2label=BI)(arrays)


def test_the_error_names_the_utterance_in_the_whole(monkeypatch):
    monkeypatch.setattr(training, "PIECE_BYTES", 48)
    logits, labels = np.zeros((50, 6, 2)), np.full((50, 6), -100)
    labels[:, 2:4] = 0
    labels[41, 3] = 6
    for arrays in ((logits, labels), ([logits[:25], logits[25:]], [labels[:25], labels[25:]])):
        with pytest.raises(UtteranceError, match="references, utterance 41: position 3 has the class id 6"):
            as_compute_metrics(id2label=BI)(arrays)


def test_swapped_predictions_and_labels_are_asked_about():
    label_ids = np.array([[1, 0, -100], [1, 1, 0]])
    logits = np.eye(2)[np.array([[1, 0, 0], [1, 0, 0]])]
    compute_metrics = as_compute_metrics(label_scheme="start")
    with pytest.raises(ValueError, match=r"label_ids are of type float64.*Are predictions and labels swapped\?"):
        compute_metrics((label_ids, logits))
    with pytest.warns(RuntimeWarning, match=r"the id -100.*Are predictions and labels swapped\?"):
        compute_metrics((label_ids, logits.argmax(-1)))
    label_ids[label_ids == -100] = 7
    compute_metrics = as_compute_metrics(label_scheme="start", ignore_index=7)
    with pytest.raises(UtteranceError, match=r"class id 7; expected 0 and 1\. Are predictions and labels swapped\?"):
        compute_metrics((label_ids, logits.argmax(-1)))
