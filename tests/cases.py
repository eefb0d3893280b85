"""Cases with scores for every surface (`conformance`); expected values are those of `naive`, or by hand."""

import math
from typing import Any
from unicodedata import normalize

import numpy as np

from segscores.scoring.measures.registry import GROUPS

from .case import Case
from .corpora import FORMS, Corpus, expected_scores, random_corpus_pair, start_labels, units_text, words_text
from .naive import DEFAULT_KEYS, naive_r_value_within, naive_scores, naive_scores_without, naive_windows_scores
from .naive_groups import ACCEPTABLE, DOCUMENT_GROUPS, SEGMENTS, TEXT_GROUPS, VOCABULARY, naive_group_scores
from .statistics.helpers import naive_interval, weights_of, without_each

REFERENCES, PREDICTIONS = random_corpus_pair(12, seed=77, units="ab狗")
WORDS = {"text_format": "words"}
TOKEN = ("token_precision", "token_recall", "token_fscore")
TAGGED = tuple(f"tagged_{key}" for key in TOKEN)
CLUSTERS = ["x", "y", "z", "x", "y", "z", "x", "y", "z", "u", "u", "u"]
NO_MISMATCH = {"unit_error_rate": 0.0, "skipped_utterances": 0.0}


def of_words(
    expected: dict[str, float] | None,
    references: Corpus = REFERENCES,
    predictions: Corpus = PREDICTIONS,
    /,
    **options: Any,
) -> Case:
    """A case of words text, by default with the default scores of plain Python."""
    scores = naive_scores(references, predictions) if expected is None else expected
    return Case(words_text(references), words_text(predictions), {**WORDS, **options}, scores)


def of_units(expected: dict[str, float], /, **options: Any) -> Case:
    return Case(units_text(REFERENCES), units_text(PREDICTIONS), options, expected)


def of_groups(*names: str, **options: Any) -> dict[str, float]:
    """The scores of groups by their definitions; options only for those that have them."""
    found: dict[str, float] = {}
    for name in names:
        known = {option.name for option in GROUPS[name].options}
        chosen = {option: value for option, value in options.items() if option in known}
        found |= naive_group_scores(name, REFERENCES, PREDICTIONS, **chosen)
    return found


def of_utterances(zero_division: float) -> dict[str, float]:
    """The mean of the token scores over the utterances that are not blank."""
    alone = [
        naive_scores([left], [right], zero_division)
        for left, right in zip(REFERENCES, PREDICTIONS, strict=True)
        if left
    ]
    return {key: float(np.nanmean([scores[key] for scores in alone])) for key in TOKEN}


def jackknifed(confidence: float, clusters: list[str] | None = None) -> dict[str, float]:
    """Token scores with the jackknife's interval of the log odds."""
    left = without_each(REFERENCES, PREDICTIONS, clusters)
    whole, found = naive_scores(REFERENCES, PREDICTIONS), {}
    for key in TOKEN:
        low, high = naive_interval(whole[key], [scores[key] for scores in left], confidence)
        found |= {key: whole[key], f"{key}_low": low, f"{key}_high": high}
    return found


def of_clusters(confidence: float) -> dict[str, float]:
    """The mean of the token scores of clusters, with its interval from the means without each."""
    found: dict[str, float] = {}
    places = [[at for at, other in enumerate(CLUSTERS) if other == name] for name in dict.fromkeys(CLUSTERS)]
    alone = [naive_scores(*([side[at] for at in some] for side in (REFERENCES, PREDICTIONS))) for some in places]
    for key in TOKEN:
        values = [scores[key] for scores in alone]
        without = [float(np.mean([*values[:at], *values[at + 1 :]])) for at in range(len(values))]
        low, high = naive_interval(float(np.mean(values)), without, confidence)
        found |= {key: float(np.mean(values)), f"{key}_low": low, f"{key}_high": high}
    return found


def resampled(confidence: float, n_resamples: int, seed: int) -> dict[str, float]:
    """Token scores with quantiles of those of the utterances that are drawn."""
    drawn = [np.repeat(np.arange(12), weights) for weights in weights_of(12, n_resamples, seed)]
    scores = [naive_scores(*([side[at] for at in some] for side in (REFERENCES, PREDICTIONS))) for some in drawn]
    whole, found = naive_scores(REFERENCES, PREDICTIONS), {}
    for key in TOKEN:
        low, high = np.quantile([each[key] for each in scores], [0.5 - confidence / 2, 0.5 + confidence / 2])
        found |= {key: whole[key], f"{key}_low": float(low), f"{key}_high": float(high)}
    return found


def masked(corpus: Corpus, mask: int, after: int) -> list[list[int]]:
    """The labels of a corpus, with a position more at the start of each utterance and one in it."""
    return [[mask, *labels[:after], mask, *labels[after:]] for labels in start_labels(corpus)]


PERCENTILES = {"confidence": 0.8, "interval_method": "percentile", "n_resamples": 40, "seed": 5}
PLAIN_GROUPS = tuple(name for name in TEXT_GROUPS if name not in ("dictionary", "oov", "unit_error", *DOCUMENT_GROUPS))
#: Labels do not say how many bytes a unit has, and have no morphemes.
LABEL_GROUPS = tuple(
    name for name in PLAIN_GROUPS if "words" not in GROUPS[name].needs and name not in ("subword", "morpheme")
)
COMPOSED, DECOMPOSED = ["café x", "é"], [normalize("NFD", text) for text in ("caf éx", "é")]
#: Half of the mean length of a word of the reference, and at least 2.
MEAN_SIZE = max(2, round(sum(len(w) for u in REFERENCES for w in u) / (2 * sum(map(len, REFERENCES)))))
WITH_AB = [["a", "b"], ["ab"], ["ab"]], [["ab"], ["a", "b"], ["ab"]]
#: Of 5 reference and 6 predicted sentences one is the same, of 9 and 8 words 7.
DOCUMENTS = ["ab c\nd e", "x", "a b\nb a"], ["ab\nc d\ne", "x", "a bb\na"]
OF_DOCUMENTS = {
    **dict(zip(TOKEN, (7 / 8, 7 / 9, 14 / 17), strict=True)),
    **dict(zip(("sentence_precision", "sentence_recall", "sentence_fscore"), (1 / 6, 1 / 5, 2 / 11), strict=True)),
}
#: A sentence, whose words have UPOS and XPOS.
TREE = "1\t他\t他\tPRON\tPN\t_\t2\tnsubj\t_\t_\n2\t狗\t狗\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
#: Units of 9 characters in 3 words: half the mean length is 1.5, which segeval rounds to 2 (as Python does: to even).
NINE = [["abc", "def", "ghi"]], [["abcd", "ef", "ghi"]]

#: A mark that the prediction joins with another mark, or with a word, and ignored words alone.
PUNCTUATED = (
    [["狗", "。", "”", "跑", "3"], ["。", "33"], ["跑", "3狗", "。。"], []],
    [["狗", "。”", "跑3"], ["。3", "3"], ["跑3", "狗", "。", "。"], []],
)


def naive_default_without(characters: str, references: Corpus, predictions: Corpus) -> dict[str, float]:
    scores = naive_scores_without(characters, references, predictions)
    return {key: scores[key] for key in DEFAULT_KEYS if key in scores}


CASES: dict[str, Case] = {
    # Forms of input.
    **{f"form {name}": Case(form.write(REFERENCES), form.write(PREDICTIONS), form.options,
                            expected_scores(form, naive_scores(REFERENCES, PREDICTIONS)))
       for name, form in FORMS.items()},
    "formats that differ": Case(words_text(REFERENCES), units_text(PREDICTIONS),
                                {"reference_format": "words", "prediction_format": "units"},
                                naive_scores(REFERENCES, PREDICTIONS)),
    "separated by bars": Case(["a b|c|"], ["ab|c"], {"text_format": "separated", "separator": "|", "spaces": "drop"},
                               naive_scores([["ab", "c"]], [["ab", "c"]])),
    "markup dropped": Case(["<NE>ab</NE>|c"], ["a|bc"], {"text_format": "separated", "markup": "drop"},
                           naive_scores([["ab", "c"]], [["a", "bc"]])),
    "joined syllables": Case(["ab_c d"], ["ab c_d"], {"text_format": "syllables", "joiner": "_"},
                             naive_scores([[("ab", "c"), ("d",)]], [[("ab",), ("c", "d")]])),
    "ignored positions": Case(masked(REFERENCES, -100, 1), masked(PREDICTIONS, 0, 1),
                              {"label_scheme": "start", "ignore_index": -100, "scores": "token"},
                              {key: naive_scores(REFERENCES, PREDICTIONS)[key] for key in TOKEN}),
    # Words of 3 and 2, and of 1 and 2 units; predicted are 2, 1 and 2, and 3: one is right.
    "class ids of a scheme": Case([[2, 0, 1, 2]], [[2, 2, 0, 1]], {"id2label": ["B-X", "I-X", "O"], "label_scheme": "IOB2",
                                  "scores": "token"}, dict.fromkeys(TOKEN, 1 / 3)),
    "class ids": Case([[-100, 0, 1, 1, 0, 1, -100], [-100, 0, 0, 1, -100, -100, -100]],
                      [[0, 0, 1, 0, 0, 1, 0], [0, 0, 1, 1, 1, 1, 0]], {"id2label": {"0": "B", "1": "I"}, "scores": "token"},
                      dict.fromkeys(TOKEN, 1 / 4)),
    "tags of one unit outside": Case([["O", "B", "L", "U"]], [["U", "O", "B", "L"]], {"label_scheme": "BILUO", "scores": "token"},
                                     dict.fromkeys(TOKEN, 1 / 3)),
    "subword marks": Case(["play ing it"], ["▁play ing ▁ ▁it"], {**WORDS, "subword_marks": "strip"},
                          naive_scores([["play", "ing", "it"]], [["play", "ing", "it"]])),
    "normalised": Case(COMPOSED, DECOMPOSED, {**WORDS, "normalize": "NFC"},
                       naive_scores([["café", "x"], ["é"]], [["caf", "éx"], ["é"]])),
    "normalised by compatibility": Case(["ﬁn de"], ["fi nde"], {**WORDS, "normalize": "NFKC"},
                                        naive_scores([["fin", "de"]], [["fi", "nde"]])),
    # Scores.
    "every group": of_units(of_groups(*PLAIN_GROUPS, window_size=3, vocabulary_size=100), scores=PLAIN_GROUPS, window_size=3,
                            vocabulary_size=100),
    "every group of labels": Case(
        start_labels(REFERENCES), start_labels(PREDICTIONS), {"label_scheme": "start", "scores": LABEL_GROUPS, "window_size": 3},
        of_groups(*LABEL_GROUPS, window_size=3)),
    "a single score": of_words({"token_recall": naive_scores(REFERENCES, PREDICTIONS)["token_recall"]}, scores="token_recall"),
    "options of groups": of_units(
        of_groups("tolerance", "similarity", "agreement", tolerance=2, transposition_span=3),
        scores=["tolerance", "similarity", "agreement"], tolerance=2, transposition_span=3),
    "the tolerance of rates": of_units({"r_value": naive_r_value_within(REFERENCES, PREDICTIONS, 1)}, scores="r_value",
                                       rates_tolerance=1),
    "options of token use": of_units(of_groups("token_use", renyi_order=1, vocabulary_size=100), scores="token_use",
                                     renyi_order=1, vocabulary_size=100),
    "dictionary": of_units(of_groups("dictionary"), scores="dictionary", dictionary=SEGMENTS, acceptable=ACCEPTABLE),
    "vocabulary": of_units(of_groups("oov"), scores="oov", vocabulary=VOCABULARY, zero_division=0.0),
    # Out of the vocabulary is ab: twice on both sides, once at the same place.
    "vocabulary with the default scores": of_words(
        naive_scores(*WITH_AB)
        | {"oov_recall": 1 / 2, "iv_recall": 0.0, "oov_rate": 2 / 4, "oov_precision": 1 / 2, "oov_fscore": 1 / 2},
        *WITH_AB, vocabulary=["a", "b"]),
    # Windows of 2 gaps of 8: a boundary that is one gap off is in one of two windows that differ, at either end.
    "windows of the mean size": of_words({"pk": 2 / 7, "window_diff": 2 / 7}, *NINE, scores=["pk", "window_diff"]),
    # Half the mean length of a word is 3 in the reference, and 1 in the prediction.
    "windows of the mean size of the reference": of_words(
        naive_windows_scores([["abcdef", "ghijkl"]] * 2, [["ab", "cd", "ef", "gh", "ij", "kl"]] * 2, 3),
        [["abcdef", "ghijkl"]] * 2, [["ab", "cd", "ef", "gh", "ij", "kl"]] * 2, scores="windows"),
    "windows of the mean size of several utterances": of_units(
        of_groups("windows", window_size=MEAN_SIZE), scores="windows"),
    # The reference has 56 units in 7 words: half the mean length is 4, though an utterance is skipped.
    "windows of the mean size of skipped utterances too": of_words(
        naive_windows_scores(NINE[0] * 2, NINE[1] * 2, 4),
        [*NINE[0] * 2, ["ab" * 19]], [*NINE[1] * 2, ["x"]], scores="windows", on_error="skip"),
    "windows of the size of each utterance": of_units(of_groups("windows", window_size="utterance"),
                                                      scores="windows", window_size="utterance"),
    "windows of nltk": of_words({"pk": 2 / 7}, *NINE, scores="pk", window_convention="nltk", window_size=2),
    "0/0": of_words({**dict.fromkeys(TOKEN, 1.0), "token_tnr": math.nan}, [["a"]], [["a"]],
                    scores=["token", "tnr"], zero_division=math.nan),
    # Of one gap neither side has a boundary: nothing to agree on, and no share to differ in.
    "0/0 of agreement": Case(
        ["ab", "a"], ["ab", "a"], {**WORDS, "scores": "agreement", "zero_division": math.nan},
        {**dict.fromkeys(("agreement_actual", "agreement_pi", "agreement_kappa"), math.nan), "agreement_bias": 0.0},
        left_out={"Trainer": "generated text has no such scores"}),
    "0/0 is 0 with a warning": Case(["a"], ["a"], {**WORDS, "scores": "tnr"}, {"token_tnr": 0.0},
                                    messages=["undefined (0/0), and so 0.0: token_tnr"],
                                    left_out={"report": "it shows a dash for an undefined score"}),
    # Utterances that differ, or might.
    "skipping none": of_words(naive_scores(REFERENCES, PREDICTIONS), on_error="skip"),
    "aligning none": of_words({**naive_scores(REFERENCES, PREDICTIONS), **NO_MISMATCH}, on_mismatch="align"),
    "skipping labels": Case(
        [[1, 0], [1, 1], [1]], [[1, 0, 1], [1, 0], [1]], {"label_scheme": "start", "on_error": "skip", "zero_division": 0.0},
        {key: value for key, value in naive_scores([["a", "b"], ["c"]], [["ab"], ["c"]]).items() if not key.startswith("type_")},
        messages=["1 of 3 utterances could not be scored and were left out"],
        left_out={"Trainer": "it drops positions that a side has not"}),
    "skipping": Case(["ab c", "x", "d e", ""], ["a bc", "y", "de", ""], {**WORDS, "scores": "token", "on_error": "skip"},
                     dict.fromkeys(TOKEN, 0.0), messages=["1 of 4 utterances could not be scored and were left out"]),
    "aligning": Case(["the dog barks", "a b"], ["the dog bark", "a b"],
                     {**WORDS, "scores": ["token", "tnr", "oov", "exact", "rand", "boundary_similarity"], "on_mismatch": "align",
                      "vocabulary": ["a", "b", "the"]},
                     # The unit that is missing is at an end, so that all boundaries are where they should be. Out of the
                     # vocabulary are dog and barks, of which dog is matched. Of 64 spans that are no words bark is predicted.
                     {**dict.fromkeys(TOKEN, 4 / 5), "token_tnr": 63 / 64, "oov_recall": 1 / 2, "iv_recall": 1.0,
                      "oov_rate": 2 / 5, "oov_precision": 1 / 2, "oov_fscore": 1 / 2, "utterance_accuracy": 1 / 2,
                      "adjusted_rand_index": 1.0, "boundary_similarity": 1.0, "unit_error_rate": 1 / 13,
                      "skipped_utterances": 0.0}),
    # Of three utterances with words one is right; the last is blank on both sides.
    **{f"words invented for a blank reference, {average}": Case(
        ["", "a", "b", ""], ["x", "a", "", ""],
        {**WORDS, "scores": "exact", "on_mismatch": "align", "average": average, "zero_division": 1.0},
        {"utterance_accuracy": 1 / 3, "unit_error_rate": rate, "skipped_utterances": 0.0})
       for average, rate in (("micro", 1.0), ("macro", 2 / 3))},
    "documents": Case(*DOCUMENTS, {**WORDS, "documents": True, "scores": ["token", "sentence"]}, OF_DOCUMENTS),
    # The sums of one document and of three are the same.
    "whole files": Case(*DOCUMENTS, {**WORDS, "documents": True, "whole_files": True, "scores": ["token", "sentence"]},
                        OF_DOCUMENTS),
    # Of two reference and three predicted words one has both ends within 30 ms.
    "times": Case([[(0, 30, "a"), (50, 90, "b")], [(0, 100, "_")]],
                  [[(0, 30, "a"), (46, 70, "b"), (70, 90, "c")], []],
                  {"text_format": "times", "scores": "token", "tolerance": 0.03, "silence": ["_"],
                   "time_unit": "samples", "sample_rate": 100.0, "label_map": "lower", "missing": "empty",
                   "overlap": "cut"},
                  dict(zip(TOKEN, (1 / 3, 1 / 2, 2 / 5), strict=True))),
    # Of four and five words three are the same spans, and two of these have the same tag.
    "words with tags": Case(["ab/N c/V d/N", "x/P"], ["a/N b/N c/V d/V", "x/P"],
                            {"text_format": "tagged", "scores": "tagged_token"},
                            dict(zip(TAGGED, (2 / 5, 1 / 2, 4 / 9), strict=True)),
                            left_out={"Trainer": "generated text has no such scores"}),
    "words with tags of another column": Case(
        [TREE], [TREE.replace("NN", "NR").replace("NOUN", "X")],
        {"text_format": "conllu", "documents": True, "scores": "tagged_token", "tags": "xpos"}, dict.fromkeys(TAGGED, 1 / 2)),
    "without punctuation and digits": of_words(
        naive_default_without("。”3", *PUNCTUATED), *PUNCTUATED, ignore_words=["digits", "punctuation"]),
    "without words of a list": of_words(
        naive_default_without("。", *PUNCTUATED), *PUNCTUATED, ignore_words=["。", "。。", "x"]),
    # Averages and intervals.
    "macro average": of_words(of_utterances(math.nan), scores="token", average="macro"),
    "mean over clusters": of_words(of_clusters(0.9), scores="token", average="cluster", clusters=CLUSTERS, confidence=0.9),
    "intervals": of_words(jackknifed(0.9), scores="token", confidence=0.9),
    "intervals of clusters": of_words(jackknifed(0.95, CLUSTERS), scores="token", confidence=0.95, clusters=CLUSTERS),
    "percentiles": of_words(resampled(0.8, 40, 5), scores="token", **PERCENTILES),
    "bad rows left out": Case(["a b", "a", "x\0", "c"], ["a b", "b", "x", "c"], {**WORDS, "scores": "token", "on_error": "skip"},
                              dict.fromkeys(TOKEN, 1.0), messages=["2 of 4 "]),
}  # fmt: skip
