"""Tallies of shards add up to that of the whole, and are kept and sent without loss."""

import json
import math
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from segscores.scoring.corpus_tally import CorpusTally
from segscores.scoring.measures.registry import group_of
from segscores.scoring.tallies import tally
from segscores.scoring.tally import Tally

from ..corpora import FORMS, random_corpus_pair, units_text
from ..naive import naive_scores
from ..naive_groups import GROUP_OPTIONS, SEGMENTS, TEXT_GROUPS, naive_group_scores

#: What a group is scored with, on units text.
OPTIONS: dict[str, dict[str, Any]] = {name: {"scores": name, **GROUP_OPTIONS.get(name, {})} for name in TEXT_GROUPS}


def words_tally(references: list[str], predictions: list[str] | None = None, **options: Any) -> CorpusTally:
    return tally(references, references if predictions is None else predictions, text_format="words", **options)


def test_adding_does_not_change_its_arguments() -> None:
    left, right = words_tally(["a b"]), words_tally(["b c"], ["bc"])
    before = left.to_json(), right.to_json()
    total = left + right
    kept = total
    total += right
    assert (left.to_json(), right.to_json()) == before
    assert kept == left + right
    assert total.scores() == naive_scores([["a", "b"], ["b", "c"], ["b", "c"]], [["a", "b"], ["bc"], ["bc"]])


def test_a_sum_starts_from_0_and_from_nothing_else() -> None:
    part = words_tally(["a b"])
    assert sum([part]) == part
    for other in (1, None, 0.5, {}):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + part
        with pytest.raises(TypeError, match="unsupported operand"):
            part + other


@pytest.mark.parametrize("group", TEXT_GROUPS)
@pytest.mark.parametrize("zero_division", [0.0, 0.5, math.nan])
def test_a_tally_of_nothing_changes_no_sum_and_its_scores_are_undefined(group: str, zero_division: float) -> None:
    options = {**OPTIONS[group], "zero_division": zero_division}
    empty, part = CorpusTally.empty(**options), tally(["a WORD_BOUNDARY b"], ["a b"], **options)
    assert empty + part == part + empty == part
    assert empty == tally([], [], **options)
    assert set(empty.counts().values()) == {0}
    assert empty.scores() == pytest.approx(naive_group_scores(group, [], [], zero_division), nan_ok=True)


def test_a_shard_of_empty_lists_fits_labels_and_words() -> None:
    blank = [[]]
    for shard, options in (([["a", "b"]], {}), ([[1, 0]], {"label_scheme": "start"})):
        total = tally(blank, blank, **options) + tally(shard, shard, **options)
        assert total == tally(blank + shard, blank + shard, **options)
        assert total.counts()["utterances"] == 2


def test_tallies_that_differ_are_not_equal() -> None:
    part = words_tally(["a b"], ["ab"])
    others = [
        words_tally(["ab"], ["a b"]),
        words_tally(["a c"], ["ac"]),
        words_tally(["c b"], ["cb"]),
        words_tally(["a b"], ["ab"], zero_division=1.0),
        words_tally(["a b"], ["ab"], scores="token"),
        tally([["a", "b"]], [["ab"]], text_format="words"),
        part.counts(),
        # The same counts without the types.
        replace(part, tally=Tally(part.tally.counts)),
    ]
    assert all(part != other and other != part for other in others)
    assert part == words_tally(["a b"], ["ab"])


def test_the_same_types_in_another_order_are_equal_and_give_the_same_json() -> None:
    left, right = words_tally(["a b", "b c"]), words_tally(["b c", "a b"])
    assert left == right
    assert left.to_json() == right.to_json()
    assert json.loads(left.to_json())["reference_lexicon"] == ["a", "b", "c"]


#: Options that are numbers, as Python's and as numpy's.
NUMBERED = {"scores": ["windows", "tolerance", "similarity", "token"]}
NUMBERS = {"window_size": 2, "tolerance": 2, "transposition_span": 3, "zero_division": 0.5}
NUMPY_NUMBERS = {
    name: kind(NUMBERS[name]) for name, kind in zip(NUMBERS, (np.int64, np.int8, np.uint64, np.float32), strict=True)
}
SHA = "'sha256:[0-9a-f]{64}'"
#: A list that is too long for a message.
WORDS = [f"a{number}" for number in range(1000)]


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        *((NUMBERED | {option: left}, NUMBERED | {option: right},
           f"{option} is {re.escape(f'{left!r} in one and {right!r} in the other')}")
          for option, left, right in (
              ("scores", ["token"], ["type"]), ("text_format", "units", "words"), ("normalize", None, "NFC"),
              ("word_boundary", "WORD_BOUNDARY", "</w>"), ("ignored_tokens", [], ["-"]), ("label_scheme", "end", "start"),
              ("zero_division", 0.0, 1.0), ("window_size", 2, 3), ("window_convention", "segeval", "nltk"),
              ("tolerance", 1, 2), ("transposition_span", 2, 3), ("on_error", "skip", "error"))),
        ({"scores": "unit_error"}, {"scores": "unit_error", "on_mismatch": "align"}, "on_mismatch is 'error' in one and 'align'"),
        ({"zero_division": math.nan}, {}, r"zero_division is 'nan' in one and 0\.0 in the other"),
        ({"dictionary": ["a"]}, {"dictionary": ["b"]}, f"dictionary is {SHA} in one and {SHA} in the other"),
        ({"vocabulary": ["a"]}, {"vocabulary": ["b"]}, f"vocabulary is {SHA} in one and {SHA} in the other"),
        ({"dictionary": ["a"]}, {"dictionary": ["a"], "acceptable": ["b"]}, f"acceptable is None in one and {SHA} in the"),
        ({"ignore_words": [*WORDS, "b"], "scores": "token"}, {"ignore_words": WORDS, "scores": "token"},
         r"ignore_words is a list with \['b'\] in one and a list without further items in the other"),
    ],
)  # fmt: skip
def test_tallies_with_different_options_do_not_add_up(
    left: dict[str, Any], right: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        CorpusTally.empty(**left) + CorpusTally.empty(**right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"scores": "token"}, {"scores": ["token"]}),
        ({"ignored_tokens": ["-", "+"]}, {"ignored_tokens": {"+", "-"}}),
        ({"ignored_tokens": "-"}, {"ignored_tokens": ["-", "-"]}),
        (NUMBERED | NUMBERS, NUMBERED | NUMPY_NUMBERS),
        ({"zero_division": math.nan}, {"zero_division": np.float64("nan")}),
        ({"dictionary": ["a", "b"]}, {"dictionary": ("b", "a", "b"), "acceptable": []}),
        ({"dictionary": SEGMENTS}, {"dictionary": iter(SEGMENTS)}),
    ],
)
def test_options_that_mean_the_same_add_up(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert CorpusTally.empty(**left) + CorpusTally.empty(**right) == CorpusTally.empty(**left)


def test_tallies_of_different_forms_do_not_add_up() -> None:
    with pytest.raises(TypeError, match="mixed forms: one tally is of text and the other of words"):
        tally(["a b"], ["a b"]) + tally([["ab"]], [["ab"]])


def every_form() -> list[Any]:
    pair = random_corpus_pair(40, seed=4)
    made = [pytest.param(tally(*map(form.write, pair), **form.options), id=name) for name, form in FORMS.items()]
    texts = [units_text(corpus) for corpus in random_corpus_pair(40, seed=5, units="ab狗")]
    made += [pytest.param(tally(*texts, **options), id=f"group {name}") for name, options in OPTIONS.items()]
    ignored = {"ignored_tokens": ["word", "wordword"], "dictionary": ["a b"], "vocabulary": ["a b"]}
    numbered = ["windows", "tolerance", "similarity", "token"]
    return [
        *made,
        pytest.param(CorpusTally.empty(zero_division=math.nan), id="nothing"),
        pytest.param(tally([[]], [[]]), id="empty lists"),
        pytest.param(tally(*[["a b WORD_BOUNDARY word"]] * 2, **ignored), id="ignored tokens"),
        pytest.param(words_tally(["ab cd e"], ["a bcd e"], scores=numbered, **NUMPY_NUMBERS), id="numbers of numpy"),
        pytest.param(sum(words_tally([f"{word} x"], [f"{word}x"]) for word in "ba狗"), id="sum"),
    ]


@pytest.mark.parametrize("part", every_form())
@pytest.mark.parametrize(
    "sent",
    [
        lambda part: pickle.loads(pickle.dumps(part)),
        lambda part: pickle.loads(pickle.dumps(part, protocol=2)),
        lambda part: CorpusTally.from_json(part.to_json()),
        lambda part: CorpusTally.from_dict(part.to_dict()),
    ],
    ids=["pickle", "old pickle", "json", "dict"],
)
def test_a_tally_is_sent_and_kept_without_loss(part: CorpusTally, sent: Callable[[CorpusTally], CorpusTally]) -> None:
    received = sent(part)
    assert received == part
    assert list(received.scores()) == list(part.scores())
    assert received.scores() == pytest.approx(part.scores(), rel=0, abs=0, nan_ok=True)
    assert (received + part).to_json() == (part + part).to_json()
    values = received.to_dict()
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    # Entropies are no whole numbers.
    kinds = {type(count) for column, count in received.counts().items() if not column.startswith("token_")}
    assert kinds == {int}
    assert {type(value) for value in received.scores().values()} == {float}
    assert received.to_json().isascii()
    assert len(received.to_json().splitlines()) == 1


def test_a_tally_is_small_whatever_the_corpus() -> None:
    text = ["the dog is on the boat"] * 10_000
    part = words_tally(text)
    assert len(pickle.dumps(part)) < 4000
    assert len(part.to_json()) < 2000


def test_changing_the_dict_leaves_the_tally() -> None:
    part = words_tally(["a b"], scores=["token", "type"])
    values = part.to_dict()
    values["options"]["scores"].append("tnr")
    values["counts"]["token_matched"] = 0
    values["reference_lexicon"].clear()
    assert part == words_tally(["a b"], scores=["token", "type"])


def test_the_repr_of_a_tally_describes_it() -> None:
    shown = repr(words_tally(["a b", "c"], scores=["token", "tnr"]))
    assert shown == "<CorpusTally: 2 utterances, 3 units, scores token, tnr>"


PLAIN = words_tally(["the dog"], ["thedog"]).to_dict()


def changed(*path: str, **given: Any) -> dict[str, Any]:
    """A good tally's dict without the value at a path, or with the one that is given as `value`."""
    values = json.loads(json.dumps(PLAIN))
    inner = values if len(path) == 1 else values[path[0]]
    inner.pop(path[-1], None)
    if given:
        inner[path[-1]] = given["value"]
    return values


#: Tallies as earlier versions wrote them, with what they were made of; 0.1.0 had fewer options.
STORED: dict[str, tuple[str, Any, Any, dict[str, Any]]] = {
    "0.1.0": (
        """{"format": 1, "form": "text", "options": {"scores": ["token"], "text_format": "words", "word_boundary":
        "WORD_BOUNDARY", "ignored_tokens": [], "label_scheme": null, "zero_division": 0.0, "window_size": null,
        "window_convention": "segeval", "tolerance": 1, "transposition_span": 2, "normalize": null, "on_mismatch": "error",
        "dictionary": null, "acceptable": null, "vocabulary": null}, "counts": {"utterances": 1, "units": 6, "token_matched": 0,
        "token_predicted": 1, "token_reference": 2}, "reference_lexicon": null, "prediction_lexicon": null}""",
        ["the dog"], ["thedog"], {"text_format": "words", "scores": "token"},
    ),
    "0.2.0": (
        """{"format": 1, "form": "text", "options": {"scores": ["token", "type", "oov", "windows", "rand"], "text_format":
        "separated", "reference_format": null, "prediction_format": null, "word_boundary": "WORD_BOUNDARY", "ignored_tokens": [],
        "separator": null, "joiner": null, "spaces": "drop", "markup": "units", "label_scheme": null, "normalize": null,
        "subword_marks": null, "ignore_index": null, "documents": false, "whole_files": false, "zero_division": "nan",
        "dictionary": null, "acceptable": null, "vocabulary":
        "sha256:ff41abc46a74959220ec81b667af4978ffb9716cd35922a236c88eb34d1f4e5c", "tolerance": 1, "window_size": 2,
        "window_convention": "segeval", "transposition_span": 2, "on_mismatch": "error"}, "counts": {"utterances": 2, "units": 5,
        "token_matched": 1, "token_predicted": 4, "token_reference": 3, "oov_matched": 0, "oov_predicted": 3, "oov_reference": 1,
        "rand_matched": 0, "rand_predicted": 1, "rand_reference": 2, "windows": 2, "pk_errors": 0, "window_diff_errors": 0,
        "window_diff_weighted_errors": 0, "generalized_hamming_cost": 3, "generalized_hamming_utterances": 2},
        "reference_lexicon": ["ab", "cd", "e"], "prediction_lexicon": ["a", "bc", "d", "e"]}""",
        ["ab|c d", "e|"], ["a|bc|d", "e"],
        {"text_format": "separated", "spaces": "drop", "scores": ["token", "type", "oov", "windows", "rand"],
         "vocabulary": ["ab", "e"], "window_size": 2, "zero_division": math.nan},
    ),
    # What is left out has its default. If a default changes, `format` must too.
    "0.3.0": (
        """{"format": 2, "form": "text", "options": {"scores": ["token"]}, "counts": {"utterances": 1, "units": 2,
        "token_matched": 0, "token_predicted": 1, "token_reference": 2}, "reference_digest": "3635f4ee084c6385",
        "reference_lexicon": null, "prediction_lexicon": null}""",
        ["a WORD_BOUNDARY b"], ["a b"],
        {"scores": ["token"], "text_format": "units", "word_boundary": "WORD_BOUNDARY", "ignored_tokens": [], "spaces": "units",
         "markup": "units", "documents": False, "whole_files": False, "zero_division": 0.0,
         "window_convention": "segeval", "transposition_span": 2, "on_mismatch": "error"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("version", STORED)
def test_a_stored_tally_is_read(version: str) -> None:
    text, references, predictions, options = STORED[version]
    read = CorpusTally.from_json(text)
    assert read == tally(references, predictions, **options)
    signature = tally(references, predictions, **options).signature()
    assert read.signature() == (signature if read.digest else re.sub(r"\|ref:\w+", "", signature))


@pytest.mark.parametrize("option", tally([], []).options)
def test_a_tally_without_an_option_has_its_default(option: str) -> None:
    """As one of a version that has not yet the option."""
    values = json.loads(STORED["0.2.0"][0])
    default = tally([], []).options[option]
    # In format 1 a tolerance of 1 stands for none.
    has_default = values["options"].pop(option, default) == (1 if option == "tolerance" else default)
    if option == "scores":
        values["counts"] = dict.fromkeys(tally([], []).to_dict()["counts"], 0)
    read = CorpusTally.from_dict(values)
    assert read.options[option] == default
    assert (read == CorpusTally.from_json(STORED["0.2.0"][0])) == has_default


@pytest.mark.parametrize("option", ["scores", "ignored_tokens"])
def test_a_list_of_options_is_of_one_tally_alone(option: str) -> None:
    options: dict[str, Any] = {"scores": ["token"], "ignored_tokens": ["x"]}
    text = ["a b WORD_BOUNDARY x c"]
    first, second = (tally(text, text, **options) for _ in range(2))
    first.options[option].append("other")
    assert second.options[option] == options[option]


def test_only_options_that_are_not_the_default_are_written() -> None:
    assert tally([], []).to_dict()["options"] == {}
    assert tally([], [], scores="token", transposition_span=2).to_dict()["options"] == {"scores": ["token"]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], r"the tally: expected a dict, received \[\] \(list\)"),
        (None, r"the tally: expected a dict, received None"),
        ({}, "the tally lacks 'format', 'form', 'options', 'counts', 'reference_digest'; expected format, form, "),
        (changed("form"), "the tally lacks 'form'; expected format, form, "),
        (changed("more", value=1), "the tally has unknown 'more'; expected format, form, "),
        (changed("format", value=3), "the tally has the format 3; this version reads 1 and 2: was it written by a newer"),
        (changed("format", value=True), "the tally has the format True; this version reads 1 and 2"),
        (changed("form", value="texts"), r"form: received 'texts' \(str\); expected one of None, 'text', "),
        (changed("options", value=None), r"options: expected a dict, received None"),
        (changed("options", "divide", value=0), "options has unknown 'divide'; expected scores, .* Did a newer version write"),
        (changed("options", "text_format", value="word"), "options: text_format: expected .*Did you mean 'words'"),
        (changed("options", "vocabulary", value="sha256:1"), "options: vocabulary: expected the digest of a list"),
        (changed("options", "whole_files", value=True), "options: whole_files: it is for documents: add documents=True"),
        (changed("options", "scores", value=["tokens"]), "unknown score group 'tokens'"),
        (changed("counts", value=[1]), r"counts: expected a dict, received \[1\]"),
        (changed("counts", "token_matched"), "counts lacks 'token_matched'; expected utterances, units, "),
        (changed("counts", "tokens", value=1), "counts has unknown 'tokens'; expected utterances, units, "),
        *((changed("counts", "units", value=value), rf"counts: units is {value}( \({type(value).__name__}\))?; expected a whole")
          for value in (-1, 1.0, True, None)),
        (changed("counts", "token_matched", value=10**6), r"counts: they give a token_precision outside \[0, 1\]"),
        # Quotients of negative differences, which are in the range by themselves.
        (changed("counts", "token_spans", value=0), r"counts: they give a token_tnr outside \[0, 1\]"),
        (changed("reference_lexicon", value=[1]), r"reference_lexicon: received \[1\] \(list\); expected a list of words"),
        (changed("prediction_lexicon", value=["\ud800"]), "prediction_lexicon: a word is no Unicode text"),
        ({**tally([], [], scores="token_use").to_dict(), "token_counts": {"size": 0, "counts": {1: 1, "b": 1}}},
         "counts lacks '1'; expected 1, b"),
    ],
)  # fmt: skip
def test_a_dict_that_is_not_a_tally_is_rejected(values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CorpusTally.from_dict(values)


#: What a tally holds by mistake, or a hostile one by intent.
HOSTILE = [None, True, -1, 0, 1, 2, 10**6, 1 << 128, 10**400, 0.5, math.nan, math.inf, "", "a", "nan", "token", "\ud800",
           [], [1], [None], ["a"], ["type", "oov"], [["a"]], {}, {"a": 1}]  # fmt: skip


def hostile() -> list[Any]:
    """Tallies of groups and of labels; two of them have every option, which all check alike."""
    texts, labels = (["a WORD_BOUNDARY b b", "a"], ["a b WORD_BOUNDARY b", "a"]), ([[1, 0, 1]], [[1, 1, 0]])
    made = [tally(*labels, label_scheme="start", ignore_index=-100, scores="token"), tally(*texts, on_error="skip")]
    whole = [each.to_dict() | {"options": each.options} for each in made]
    return [*(tally(*texts, **options).to_dict() for options in OPTIONS.values()), *whole]


def mutated(values: Any) -> Iterator[Any]:
    """The values with each of them replaced by every hostile one, and without it."""
    keys = range(len(values)) if isinstance(values, list) else values if isinstance(values, dict) else ()
    for key in keys:
        others = list(enumerate(values)) if isinstance(values, list) else list(values.items())
        kept = [(name, value) for name, value in others if name != key]
        for changes in ([], *([(key, value)] for value in [*HOSTILE, *mutated(values[key])])):
            pairs = [*kept, *changes]
            yield (
                dict(pairs)
                if isinstance(values, dict)
                else [value for _, value in sorted(pairs, key=lambda pair: pair[0])]
            )


@pytest.mark.parametrize("values", hostile(), ids=[*OPTIONS, "labels", "skipped"])
def test_a_changed_tally_is_rejected_or_has_scores_in_their_ranges(values: dict[str, Any]) -> None:
    for changed_values in mutated(values):
        text = json.dumps(changed_values)
        try:
            read = CorpusTally.from_json(text)
        except ValueError:
            continue
        assert CorpusTally.from_json(read.to_json()) == read
        assert read.signature()
        if read.counts()["utterances"] or not read.tally.skipped:
            zero = float(read.options["zero_division"])
            for key, value in [*read.scores().items(), *(read + read).scores().items()]:
                low, high = group_of(key).keys[key].range
                is_undefined = value == zero or (math.isnan(value) and math.isnan(zero))
                assert is_undefined or low - 1e-9 <= value <= high + 1e-9, (key, value, text)


@pytest.mark.parametrize("text", ["", "{", "the dog", '{"format": 1,}'])
def test_text_that_is_not_json_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not the output of to_json: "):
        CorpusTally.from_json(text)


def test_counts_of_any_size_are_read_back() -> None:
    part = words_tally(["a b c d"], ["abcd"], scores=["token", "windows"], window_size=2)
    for _ in range(70):
        part += part
    assert part.counts()["utterances"] == 2**70
    assert CorpusTally.from_json(part.to_json()) == part


def test_types_of_units_text_are_kept_apart_from_types_of_characters() -> None:
    kept = tally(["a b WORD_BOUNDARY ab"], ["a b ab"]).to_dict()
    assert kept["reference_lexicon"] == ["a b ", "ab "]
    assert kept["prediction_lexicon"] == ["a b ab "]
