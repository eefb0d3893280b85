"""A signature changes exactly with options that change a score, and can be parsed."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import segscores
from segscores import __version__
from segscores.options.keywords import ComputeOptions, ScoringOptions
from segscores.options.table import GROUP_OPTIONS, options_in
from segscores.scoring import signature as module
from segscores.scoring.measures.registry import GROUPS
from segscores.scoring.signature import shorten_digest, sign_plainly
from segscores.scoring.tallies import tally

from ..case import Case
from ..cases import CASES
from ..recordings import textgrid

REFERENCES = ["the dog", "a cat", ""]
BASE: dict[str, Any] = {"text_format": "words"}
PLAIN = f"segscores|text:words|avg:micro|zero:0|ref:93ad0e34|n:3|v:{__version__}"


def sign(references: Any = REFERENCES, **options: Any) -> str:
    return segscores.signature(references, **BASE | options)


def parts_of(signature: str) -> dict[str, str]:
    """The fields, their values as they are."""
    name, *written = signature.split("|")
    assert name == "segscores"
    return {field: unquote(value) for field, value in (part.split(":", 1) for part in written)}


def test_a_signature_without_options_has_the_common_fields() -> None:
    assert sign() == PLAIN
    assert list(parts_of(PLAIN)) == ["text", "avg", "zero", "ref", "n", "v"]


PERCENTILES: dict[str, Any] = {"confidence": 0.95, "interval_method": "percentile"}
LABELS: dict[str, Any] = {"references": [[1, 0, 1]], "text_format": "units", "label_scheme": "start"}
TIMES: dict[str, Any] = {"references": [[(0, 1, "a"), (1, 3, "b")]], "text_format": "times"}

#: Two sets of options, that give other scores.
DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "text_format": ({}, {"text_format": "units"}),
    "word_boundary": ({"text_format": "units"}, {"text_format": "units", "word_boundary": "|"}),
    "ignored_tokens": ({"text_format": "units"}, {"text_format": "units", "ignored_tokens": ["the"]}),
    "several ignored_tokens": ({"text_format": "units", "ignored_tokens": ["a,b"]},
                               {"text_format": "units", "ignored_tokens": ["a", "b"]}),
    "zero_division": ({}, {"zero_division": 1.0}),
    "zero_division of nan": ({}, {"zero_division": float("nan")}),
    "the seventh digit of zero_division": ({"zero_division": 0.1234567}, {"zero_division": 0.1234568}),
    "normalize": ({}, {"normalize": "NFC"}),
    "subword_marks": ({}, {"subword_marks": "strip"}),
    "the subword mark": ({"subword_marks": "##"}, {"subword_marks": "@@"}),
    "documents": ({}, {"documents": True, "scores": "token"}),
    "whole_files": ({"documents": True}, {"documents": True, "whole_files": True}),
    "the form of normalize": ({"normalize": "NFC"}, {"normalize": "NFKC"}),
    "on_mismatch": ({}, {"on_mismatch": "align"}),
    "average": ({}, {"average": "macro"}),
    "confidence": ({}, {"confidence": 0.95}),
    "the seventh digit of confidence": ({"confidence": 0.9999999}, {"confidence": 0.9999998}),
    "the confidence": ({"confidence": 0.95}, {"confidence": 0.995}),
    "n_resamples": (PERCENTILES, {**PERCENTILES, "n_resamples": 10}),
    "seed": (PERCENTILES, {**PERCENTILES, "seed": 10}),
    "interval_method": ({"confidence": 0.95}, PERCENTILES),
    "clusters": ({"confidence": 0.95}, {"confidence": 0.95, "clusters": ["x", "y", "y"]}),
    "the number of clusters": ({"average": "cluster", "clusters": ["x"] * 3}, {"average": "cluster", "clusters": list("xyy")}),
    "dictionary": ({}, {"dictionary": ["dog"]}),
    "the dictionary": ({"dictionary": ["dog"]}, {"dictionary": ["dog", "cat"]}),
    "acceptable": ({"dictionary": ["dog"]}, {"dictionary": ["dog"], "acceptable": ["dog"]}),
    "vocabulary": ({}, {"vocabulary": ["dog"]}),
    "the vocabulary": ({"vocabulary": ["dog"]}, {"vocabulary": ["dog", "cat"]}),
    "window_size": ({"scores": "windows"}, {"scores": "windows", "window_size": 3}),
    "windows of each utterance": ({"scores": "windows"}, {"scores": "windows", "window_size": "utterance"}),
    "window_convention": ({"scores": "windows"}, {"scores": "windows", "window_convention": "nltk"}),
    "tolerance": ({"scores": "tolerance"}, {"scores": "tolerance", "tolerance": 2}),
    "rates_tolerance": ({"scores": "rates"}, {"scores": "rates", "rates_tolerance": 1}),
    "rates_tolerance of labels": ({"scores": "rates", **LABELS}, {"scores": "rates", **LABELS, "rates_tolerance": 1}),
    "tolerance of times": (TIMES, {**TIMES, "tolerance": 0.05}),
    "silence": (TIMES, {**TIMES, "silence": ["_"]}),
    "time_unit": (TIMES, {**TIMES, "time_unit": "ms"}),
    "sample_rate": ({**TIMES, "time_unit": "samples"}, {**TIMES, "time_unit": "samples", "sample_rate": 8000}),
    "times": (TIMES, {**TIMES, "references": [[(0, 2, "a"), (2, 3, "b")]]}),
    "labels of times": (TIMES, {**TIMES, "references": [[(0, 1, "a"), (1, 3, "c")]]}),
    "transposition_span": ({"scores": "similarity"}, {"scores": "similarity", "transposition_span": 3}),
    "the span of agreement": ({"scores": "agreement"}, {"scores": "agreement", "transposition_span": 3}),
    "windows of another reference": ({"scores": "windows"},
                                     {"scores": "windows", "references": ["thedogthecat", "another", "one"]}),
    "separator": ({"text_format": "separated"}, {"text_format": "separated", "separator": "/"}),
    "joiner": ({"text_format": "syllables"}, {"text_format": "syllables", "joiner": "-"}),
    "joiner of words": ({}, {"joiner": "_"}),
    "spaces": ({"text_format": "separated"}, {"text_format": "separated", "spaces": "drop"}),
    "markup": ({"text_format": "separated"}, {"text_format": "separated", "markup": "drop"}),
    "reference_format": ({"text_format": "units"}, {"text_format": "units", "reference_format": "words"}),
    "prediction_format": ({"text_format": "units"}, {"text_format": "units", "prediction_format": "words"}),
    "the number of utterances": ({}, {"references": [*REFERENCES, "a"]}),
    "lists": ({}, {"references": [["the", "dog"], ["a"], ["b"]]}),
}  # fmt: skip


#: The same utterances as words text, as labels, and as recordings with words of a tenth of a second for each unit.
SIDES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "words": (["abc abc ab", "ab a"], ["ab cabc ab", "a ba"], {"text_format": "words"}),
    "labels": ([[1, 0, 0, 1, 0, 0, 1, 0], [1, 0, 1]], [[1, 0, 1, 0, 0, 0, 1, 0], [1, 1, 0]], {"label_scheme": "start"}),
    "times": ([[(0, 0.3, "abc"), (0.3, 0.6, "abc")]], [[(0, 0.2, "ab"), (0.2, 0.6, "cabc")]], {"text_format": "times"}),
}
#: Values of the options of groups, that count otherwise on one of SIDES.
VALUES: dict[str, list[Any]] = {
    "dictionary": [["abc"], ["ab"]],
    "acceptable": [["abc abc ab"]],
    "vocabulary": [["abc"], ["ab", "a"]],
    "tolerance": [0, 1, 2, 0.02, 0.15],
    "rates_tolerance": [1, 2],
    "window_size": [1, 2, "utterance"],
    "window_convention": ["nltk", "nltk_units"],
    "transposition_span": [1, 3],
    "renyi_order": [1, 2],
    "vocabulary_size": [10, 100],
    "tags": ["xpos"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", SIDES)
def test_requests_that_differ_in_a_number_differ_in_the_signature(form: str) -> None:
    """Every group alone, and all together, are tried with every value of an option of groups."""
    assert VALUES.keys() == GROUP_OPTIONS.keys(), "give each option of groups values that change a score"
    references, predictions, reading = SIDES[form]
    scores_of: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
    values = [{name: value} for name, several in VALUES.items() for value in several]
    for options in ({"scores": scores, **value} for scores in [*GROUPS, "all"] for value in [{}, *values]):
        try:
            scores = segscores.score(references, predictions, **reading, **options)
        except ValueError:  # the option is not for these groups, or the group is not for this form
            continue
        signed = segscores.signature(references, **reading, **options)
        for key, number in scores.items():
            first, others = scores_of.setdefault((signed, key), (number, options))
            assert number == pytest.approx(first, nan_ok=True), f"{key} of {options} and of {others}: {signed}"


@pytest.mark.parametrize(("left", "right"), DIFFERENT.values(), ids=DIFFERENT)
def test_options_that_change_a_score_change_the_signature(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert sign(**left) != sign(**right)


def test_a_tier_of_a_file_changes_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(textgrid({"words": [(0, 1, "a")], "2": [(0, 1, "a")]}, 1), "utf-8")
    tiers: list[dict[str, Any]] = [{}, {"tier": "words"}, {"tier": "2"}, {"tier": ("words", "2")}]
    assert len({segscores.signature(path, text_format="times", **tier) for tier in tiers}) == len(tiers)


#: Two sets of options, that give the same scores.
SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "scores": ({}, {"scores": "token"}),
    "an integer for zero_division": ({"zero_division": 1.0}, {"zero_division": 1}),
    "a zero below 0": ({}, {"zero_division": -0.0}),
    "the order of ignored_tokens": ({"text_format": "units", "ignored_tokens": ["a", "b"]},
                                    {"text_format": "units", "ignored_tokens": ("b", "a", "b")}),
    "the order of the dictionary": ({"dictionary": ["dog", "cat"]}, {"dictionary": {"cat", "dog"}}),
    "the order of the vocabulary": ({"vocabulary": ["dog", "cat"]}, {"vocabulary": ["cat", "dog"]}),
    "the size of windows that is found": ({"scores": "windows"}, {"scores": "windows", "window_size": 2}),
    "the usual separator": ({"text_format": "separated"}, {"text_format": "separated", "separator": "|"}),
    "the usual joiner": ({"text_format": "syllables"}, {"text_format": "syllables", "joiner": "_"}),
    "an iterator": ({}, {"references": iter(REFERENCES)}),
}  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME.values(), ids=SAME)
def test_options_that_change_no_score_do_not_change_the_signature(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert sign(**left) == sign(**right)


def is_signed(name: str, case: Case) -> bool:
    """Return whether the option of a case changes the signature of its references; not if they cannot be read without it."""
    others = {option: value for option, value in case.options.items() if option not in (name, "on_error")}
    try:
        signatures = [
            segscores.signature(case.references, **others, **more) for more in ({}, {name: case.options[name]})
        ]
    except (TypeError, ValueError):
        return False
    # An option of reading may change the units, and so the digest of the references, too.
    fields = [[field for field in each.split("|") if not field.startswith("ref:")] for each in signatures]
    return fields[0] != fields[1]


def test_every_option_is_tried() -> None:
    tried = {name for pair in DIFFERENT.values() for side in pair for name in side}
    tried |= {name for case in CASES.values() for name in case.options.keys() - tried if is_signed(name, case)}
    # Labels cannot be read without three of these, and the field of the fourth is of predictions. Only files have tiers.
    tried |= {"label_scheme", "id2label", "ignore_index", "on_error", "tier"}
    missing = set(ComputeOptions.__annotations__) - tried
    assert not missing, (
        f"No case of tests/cases.py has another signature with {', '.join(missing)} than without. Add a case in which the "
        f"option is not the default, or a row to DIFFERENT. The field's name is Option.field; signature_of writes it."
    )


@pytest.mark.parametrize(
    ("references", "options", "text"),
    [
        (REFERENCES, {"text_format": "words"}, "words"), (REFERENCES, {}, "units"), ([["the", "dog"]], {}, "lists"),
        ([["the", "dog"]], {"text_format": "words"}, "lists"), ([[1, 0]], {"label_scheme": "start"}, "start"),
        ([[1, 0]], {"label_scheme": "end"}, "end"), ([["B", "I"]], {"label_scheme": "BI"}, "BI"),
        ([["B", "E"]], {"label_scheme": "BMES"}, "BMES"), ([], {"text_format": "words"}, "words"),
    ],
)  # fmt: skip
def test_the_form_of_the_input(references: Any, options: dict[str, Any], text: str) -> None:
    found = parts_of(segscores.signature(references, **options))
    assert (found["text"], found["n"]) == (text, str(len(references)))
    assert ("wb" in found) == (text == "units")


@pytest.mark.parametrize("token", ["|", ":", ",", "%", "a|b:c", "\x1b[2J", "\u200b", "\u2060", "狗", "`", "▁"])
def test_a_signature_is_one_line_without_whitespace_whatever_the_tokens(token: str) -> None:
    signature = segscores.signature([], word_boundary=token, ignored_tokens=["x"])
    assert signature.split() == [signature]
    assert signature.isprintable()
    assert len(signature.split("|")) == len(segscores.signature([], ignored_tokens=["x"]).split("|"))
    assert parts_of(signature)["wb"] == token


def test_a_digest_is_shortened_whether_it_names_its_kind_or_not() -> None:
    digits = hashlib.sha256(b"dog").hexdigest()
    assert shorten_digest(f"sha256:{digits}") == shorten_digest(digits) == digits[:8]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scores": "windows", "window_size": 2},
        {"dictionary": ["dog"], "zero_division": 0.5},
        {"on_mismatch": "align", "normalize": "NFC"},
    ],
    ids=str,
)
def test_a_tally_has_the_signature_of_its_scoring(options: dict[str, Any]) -> None:
    parts = [tally([reference], [reference], **BASE | options) for reference in REFERENCES]
    assert sum(parts).signature() == sign(**options)


def test_skipped_utterances_are_counted() -> None:
    options = {"text_format": "words", "on_error": "skip"}
    with pytest.warns(UserWarning, match=r"^1 of 2 utterances could not be scored"):
        part = tally(["the dog", "a cat"], ["the dog", "x"], **options)
    other = tally(["the dog", "a cat"], ["the dog", "acat"], **options)
    assert "skipped" not in parts_of(other.signature())
    found = parts_of((part + other).signature())
    assert (found["n"], found["skipped"]) == ("4", "1")


def test_intervals_are_signed_with_all_that_draws_them() -> None:
    found = parts_of(sign(confidence=0.9, interval_method="percentile", n_resamples=50, seed=3, average="macro"))
    assert (found["ci"], found["avg"]) == ("90-percentile-50-3", "macro")


@pytest.mark.filterwarnings(
    "ignore:(3|2) (utterances|clusters). intervals", "ignore:no difference can be", "ignore:no interval"
)
@pytest.mark.filterwarnings("ignore:.* has .* of the text", "ignore:the mean over clusters leaves out")
@pytest.mark.parametrize(
    ("options", "copies"),
    [
        ({}, 10),
        ({}, 1),
        ({"n_trials": 99, "seed": 5, "confidence": 0.9}, 10),
        ({"scores": "type"}, 10),
        ({"scores": "type", "average": "macro"}, 10),
        ({"scores": ["token", "windows"], "clusters": ["x", "y", "x"] * 10, "average": "cluster", "n_trials": 3}, 10),
    ],
)
def test_a_comparison_has_the_signature_of_its_options(options: dict[str, Any], copies: int) -> None:
    references = REFERENCES[:2] * copies + [REFERENCES[2]] * copies
    systems = {"a": references, "b": ["thedog", "a cat"] * copies + [""] * copies}
    compared = segscores.compare(references, systems, **BASE | options)
    asked = {"n_trials": 10_000, "confidence": 0.95} | options
    assert sign(references, **asked) == compared.signature
    by_value = segscores.score_by(references, references, by=["x"] * 3 * copies, **BASE)
    assert by_value.signature == sign(references)
    for result in (compared, by_value, segscores.analyse_errors(references, systems["b"], **BASE)):
        assert result.signature
        assert f"signature: {result.signature}" in str(result)
        assert result.signature in result.render("csv")
        assert json.loads(result.to_json())["signature"] == result.signature


def test_a_plain_signature_has_the_fields_that_were_given() -> None:
    assert sign_plainly(text="alignment", zero=0.5, n=2) == f"segscores|text:alignment|zero:0.5|n:2|v:{__version__}"


def test_every_field_is_described() -> None:
    """The fields of options are described in the reference of options."""
    described = re.findall(r"^\| (`.*?`) \|", module.__doc__ or "", re.MULTILINE)
    names = {name.strip(" `") for row in described for name in row.split(",")}
    every = {
        "text_format": "units", "ignored_tokens": ["x"], "normalize": "NFC", "on_mismatch": "align", "dictionary": ["dog"],
        "acceptable": ["do"], "vocabulary": ["cat"], "confidence": 0.9, "interval_method": "percentile", "clusters": ["x"],
        "scores": ["type", "dictionary", "oov", "windows", "tolerance", "similarity"],
    }  # fmt: skip
    with pytest.warns(UserWarning, match="1 of 1 utterances"):
        of_skipped = tally(["a"], ["b"], on_error="skip").signature()
    of_labels = segscores.signature([[1, -100]], label_scheme="start", ignore_index=-100)
    of_documents = segscores.signature(["a"], documents=True)
    signatures = segscores.signature(["a b"], **every), of_labels, of_skipped, of_documents
    found = {name for signature in signatures for name in parts_of(signature)}
    of_tasks = {"space", "trials", "runs", "compared", "splits", "seed", "label", "thresholds", "ratios"}
    of_tasks |= {"difficulties"}
    assert names - of_tasks <= found <= names | {option.field for option in options_in(ScoringOptions).values()}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"score": "token"}, TypeError, "unknown option 'score'.* The options are scores, .*interval_method"),
        ({"references": None}, TypeError, "references: received None"),
        ({"references": [[1, 0]]}, TypeError, "received lists of integers without id2label"),
        ({"label_scheme": "start"}, TypeError, 'label_scheme="start" is for lists of labels'),
        (
            {"confidence": 0.9, "seed": 5},
            ValueError,
            'seed: it is for percentile intervals: add interval_method="percentile"',
        ),
        ({"n_trials": 10}, ValueError, r"n_trials: a comparison has intervals: add confidence=0\.95"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sign(**arguments)


COMPARED: tuple[Any, ...] = (["the dog", "is on"], {"a": ["thedog", "is on"], "b": ["the dog", "ison"]})
RESULTS = {
    "compare": lambda: segscores.compare(*COMPARED, text_format="words"),
    "score_by": lambda: segscores.score_by(*COMPARED, ["x", "y"], text_format="words"),
    "analyse_errors": lambda: segscores.analyse_errors(["the dog", "is on"], ["thedog", "is on"], text_format="words"),
    "compare_errors": lambda: segscores.compare_errors(*COMPARED, text_format="words"),
    "baselines": lambda: segscores.baselines(*COMPARED, text_format="words"),
}


@pytest.mark.parametrize("function", RESULTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_form_of_a_result_has_its_signature(function: str) -> None:
    result: Any = RESULTS[function]()
    # The parts from |ref: on, the reference and the number of utterances, are those of segscores.signature.
    expected = segscores.signature(["the dog", "is on"], text_format="words")
    assert result.signature.split("|ref:")[1] == expected.split("|ref:")[1]
    assert repr(result).endswith(f"signature: {result.signature}")
    assert json.loads(result.to_json())["signature"] == result.signature
    for form in ("table", "json", "markdown", "latex", "html"):
        assert result.signature in result.render(form), form
