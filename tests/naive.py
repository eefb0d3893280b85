"""Naive implementations of the scores, in plain Python with sets of spans.

This module does not import the package, so that its results are independent.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .corpora import Corpus, Word

DEFAULT_KEYS = (
    *("boundary_all_precision", "boundary_all_recall", "boundary_all_fscore"),
    *("boundary_noedge_precision", "boundary_noedge_recall", "boundary_noedge_fscore"),
    *("token_precision", "token_recall", "token_fscore"),
    *("type_precision", "type_recall", "type_fscore"),
    "token_tnr",
)


def spans(words: Sequence[Word]) -> set[tuple[int, int]]:
    """The span of every word, in units."""
    found, start = set(), 0
    for word in words:
        found.add((start, start + len(word)))
        start += len(word)
    return found


def boundaries(words: Sequence[Word], edges: bool) -> set[int]:
    """The positions at which words begin or end; without edges, those of the utterance are left out."""
    all_boundaries = {position for span in spans(words) for position in span}
    return all_boundaries if edges else all_boundaries - {0, sum(map(len, words))}


def naive_utterance_counts(reference: Sequence[Word], prediction: Sequence[Word]) -> dict[str, int]:
    """Return what one utterance adds to every count that adds up."""
    sets = {
        "boundary_all": (boundaries(reference, edges=True), boundaries(prediction, edges=True)),
        "boundary_noedge": (boundaries(reference, edges=False), boundaries(prediction, edges=False)),
        "token": (spans(reference), spans(prediction)),
    }
    counts = {}
    for group, (left, right) in sets.items():
        counts[f"{group}_matched"] = len(left & right)
        counts[f"{group}_predicted"] = len(right)
        counts[f"{group}_reference"] = len(left)
    units = sum(map(len, reference))
    counts["token_spans"] = len([(start, end) for end in range(1, units + 1) for start in range(end)])
    return counts | {"utterances": 1, "units": units}


def naive_counts(references: Corpus, predictions: Corpus) -> dict[str, int]:
    """Every count of a corpus."""
    counts = dict.fromkeys(naive_utterance_counts([], []), 0)
    for reference, prediction in zip(references, predictions, strict=True):
        for column, count in naive_utterance_counts(reference, prediction).items():
            counts[column] += count
    types = [{tuple(word) for utterance in corpus for word in utterance} for corpus in (references, predictions)]
    counts["type_matched"] = len(types[0] & types[1])
    counts["type_predicted"] = len(types[1])
    counts["type_reference"] = len(types[0])
    return counts


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The thirteen scores of the default set."""
    return scores_of_counts(naive_counts(references, predictions), zero_division)


def ratio(numerator: float, denominator: float, zero_division: float) -> float:
    return numerator / denominator if denominator else float(zero_division)


def scores_of_counts(counts: dict[str, int], zero_division: float = 0.0) -> dict[str, float]:
    """The thirteen scores of the default set, from counts."""
    scores = {}
    for group in ("boundary_all", "boundary_noedge", "token", "type"):
        scores |= prf(
            group, *(counts[f"{group}_{kind}"] for kind in ("matched", "predicted", "reference")), zero_division
        )
    negatives = counts["token_spans"] - counts["token_reference"]
    false_positives = counts["token_predicted"] - counts["token_matched"]
    scores["token_tnr"] = ratio(negatives - false_positives, negatives, zero_division)
    return scores


def prf(group: str, matched: int, predicted: int, reference: int, zero_division: float) -> dict[str, float]:
    """Precision, recall and F-score."""
    return {
        f"{group}_precision": ratio(matched, predicted, zero_division),
        f"{group}_recall": ratio(matched, reference, zero_division),
        f"{group}_fscore": ratio(2 * matched, predicted + reference, zero_division),
    }


def counted_spans(
    reference: Sequence[Word], prediction: Sequence[Word], characters: str
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The spans of the words that are not in the text of reference words of these characters alone."""
    text = "".join("".join(word) for word in reference)
    ignored = {span for span in spans(reference) if not set(text[slice(*span)]).difference(characters)}
    units = {unit for span in ignored for unit in range(*span)}
    return spans(reference) - ignored, {span for span in spans(prediction) if not units.issuperset(range(*span))}


def naive_scores_without(characters: str, references: Corpus, predictions: Corpus) -> dict[str, float]:
    """The default scores, but for the true negative rate, and those of one edge, without words of these characters alone."""
    names = ("boundary_all", "boundary_noedge", "boundary_start", "boundary_end", "token")
    sets: dict[str, tuple[set[Any], set[Any]]] = {name: (set(), set()) for name in (*names, "type")}
    for index, sides in enumerate(zip(references, predictions, strict=True)):
        text = "".join("".join(word) for word in sides[0])
        for side, counted in enumerate(counted_spans(*sides, characters)):
            ends = {position for span in counted for position in span}
            edges = {0, len(text)}
            kinds = (ends, ends - edges, {start for start, _ in counted}, {end for _, end in counted}, counted)
            for name, values in zip(names, kinds, strict=True):
                sets[name][side].update((index, value) for value in values)
            sets["type"][side].update(text[slice(*span)] for span in counted)
    scores: dict[str, float] = {}
    for name, (left, right) in sets.items():
        scores |= prf(name, len(left & right), len(right), len(left), 0.0)
    return scores


def naive_one_edge_scores(
    edge: str, references: Corpus, predictions: Corpus, zero_division: float = 0.0
) -> dict[str, float]:
    """Precision, recall and F-score of the positions at which words start, or end."""
    sides = [
        {(index, span[edge == "end"]) for index, words in enumerate(corpus) for span in spans(words)}
        for corpus in (references, predictions)
    ]
    return prf(f"boundary_{edge}", len(sides[0] & sides[1]), len(sides[1]), len(sides[0]), zero_division)


def naive_accuracy_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The share of gaps between units that are boundaries on both sides or on neither."""
    right = []
    for reference, prediction in zip(references, predictions, strict=True):
        inner = [boundaries(words, edges=False) for words in (reference, prediction)]
        right += [(gap in inner[0]) == (gap in inner[1]) for gap in range(1, sum(map(len, reference)))]
    return {"boundary_accuracy": ratio(sum(right), len(right), zero_division)}


def naive_dictionary_counts(
    references: Corpus, predictions: Corpus, dictionary: Sequence[Word], acceptable: Sequence[Word] = ()
) -> dict[str, list[int]]:
    """The counts of every utterance over a dictionary's segments, which are sequences of units, as words are."""
    known = {tuple(segment) for segment in dictionary}
    allowed = {tuple(segment) for segment in acceptable}
    columns: dict[str, list[int]] = {}

    def add(kind: str, reference: set[tuple[int, int]], prediction: set[tuple[int, int]]) -> None:
        columns.setdefault(f"dictionary_{kind}_matched", []).append(len(reference & prediction))
        columns.setdefault(f"dictionary_{kind}_predicted", []).append(len(prediction))
        columns.setdefault(f"dictionary_{kind}_reference", []).append(len(reference))

    for reference, prediction in zip(references, predictions, strict=True):
        units = tuple(unit for word in reference for unit in word)
        every = [(start, end) for end in range(1, len(units) + 1) for start in range(end)]
        candidates = {(start, end) for start, end in every if units[start:end] in known}
        # Segments that are words of the side, and other occurrences, of which the acceptable ones do not count.
        must_be_words = {(start, end) for start, end in candidates if units[start:end] not in allowed}
        add("positive", candidates & spans(reference), candidates & spans(prediction))
        add("negative", must_be_words - spans(reference), must_be_words - spans(prediction))
    return columns


def naive_dictionary_scores(
    references: Corpus,
    predictions: Corpus,
    dictionary: Sequence[Word],
    acceptable: Sequence[Word] = (),
    zero_division: float = 0.0,
) -> dict[str, float]:
    """The scores over a dictionary's segments (Jiang et al. 2011)."""
    counts = naive_dictionary_counts(references, predictions, dictionary, acceptable)
    sums = {column: sum(values) for column, values in counts.items()}

    def share(kind: str, side: str) -> float:
        matched = sums.get(f"dictionary_{kind}_matched", 0)
        return ratio(matched, sums.get(f"dictionary_{kind}_{side}", 0), zero_division)

    return {
        "dictionary_tpr": share("positive", "reference"),
        "dictionary_ppv": share("positive", "predicted"),
        "dictionary_tnr": share("negative", "reference"),
        "dictionary_npv": share("negative", "predicted"),
    }


def naive_oov_counts(references: Corpus, predictions: Corpus, vocabulary: Sequence[Word]) -> dict[str, list[int]]:
    """The counts of every utterance, of all words and of those out of a vocabulary, whose words are sequences of units."""
    known = {tuple(word) for word in vocabulary}
    columns: dict[str, list[int]] = {}

    def add(column: str, words: Sequence[Word]) -> None:
        columns.setdefault(f"oov_{column}", []).append(sum(tuple(word) not in known for word in words))
        columns.setdefault(f"token_{column}", []).append(len(words))

    for reference, prediction in zip(references, predictions, strict=True):
        right_spans = spans(prediction)
        add(
            "matched", [word for span, word in zip(span_list(reference), reference, strict=True) if span in right_spans]
        )
        add("predicted", prediction)
        add("reference", reference)
    return columns


def naive_oov_scores(
    references: Corpus, predictions: Corpus, vocabulary: Sequence[Word], zero_division: float = 0.0
) -> dict[str, float]:
    """The scores of words out of a vocabulary, whose words are sequences of units."""
    counts: Counter[str] = Counter()
    for column, values in naive_oov_counts(references, predictions, vocabulary).items():
        counts[column] = sum(values)
    oov = prf("oov", counts["oov_matched"], counts["oov_predicted"], counts["oov_reference"], zero_division)
    known_matched = counts["token_matched"] - counts["oov_matched"]
    known_words = counts["token_reference"] - counts["oov_reference"]
    return {
        "oov_recall": oov["oov_recall"],
        "iv_recall": ratio(known_matched, known_words, zero_division),
        "oov_rate": ratio(counts["oov_reference"], counts["token_reference"], zero_division),
        "oov_precision": oov["oov_precision"],
        "oov_fscore": oov["oov_fscore"],
    }


def naive_exact_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The share of utterances, blank ones apart, whose words are all right."""
    right = [spans(left) == spans(right) for left, right in zip(references, predictions, strict=True) if left]
    return {"utterance_accuracy": ratio(sum(right), len(right), zero_division)}


def span_list(words: Sequence[Word]) -> list[tuple[int, int]]:
    """The spans of the words, in order."""
    return sorted(spans(words))


def levenshtein(left: Sequence[Any], right: Sequence[Any]) -> int:
    """The edit distance of two sequences."""
    row = list(range(len(right) + 1))
    for index, item in enumerate(left, 1):
        above, row = row, [index]
        for column, other in enumerate(right, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (item != other)))
    return row[-1]


def naive_word_errors(reference: Sequence[Word], prediction: Sequence[Word]) -> tuple[int, int, int]:
    """Insertions, deletions and substitutions of words, run by run between right words."""
    insertions = 0
    deletions = 0
    substitutions = 0
    # The last run ends before this span, which no word has.
    end = (math.inf, math.inf)
    left: list[Any] = [*span_list(reference), end]
    right: list[Any] = [*span_list(prediction), end]
    for span in [span for span in left if span in right]:
        # The numbers of wrong words before the right word.
        wrong_left = left.index(span)
        wrong_right = right.index(span)
        substitutions += min(wrong_left, wrong_right)
        insertions += max(wrong_right - wrong_left, 0)
        deletions += max(wrong_left - wrong_right, 0)
        left = left[wrong_left + 1 :]
        right = right[wrong_right + 1 :]
    return insertions, deletions, substitutions


def naive_word_error_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    errors = [sum(kind) for kind in zip((0, 0, 0), *map(naive_word_errors, references, predictions), strict=True)]
    return {
        "word_error_rate": ratio(sum(errors), sum(map(len, references)), zero_division),
        "word_insertions": errors[0],
        "word_deletions": errors[1],
        "word_substitutions": errors[2],
    }


def pairs_of(count: int) -> int:
    """Return how many pairs there are of so many."""
    return count * (count - 1) // 2


def naive_pairs(reference: Sequence[Word], prediction: Sequence[Word]) -> tuple[int, int, int]:
    """Pairs of units in one word: on both sides, of the prediction and of the reference."""
    both = 0
    for start, end in spans(reference):
        for other_start, other_end in spans(prediction):
            both += pairs_of(max(0, min(end, other_end) - max(start, other_start)))
    predicted = sum(pairs_of(len(word)) for word in prediction)
    referred = sum(pairs_of(len(word)) for word in reference)
    return both, predicted, referred


def naive_rand_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The adjusted Rand index as Hubert & Arabie (1985) write it, in fractions."""
    counts = list(map(naive_pairs, references, predictions))
    both = sum(in_both for in_both, _, _ in counts)
    predicted = sum(in_prediction for _, in_prediction, _ in counts)
    reference = sum(in_reference for _, _, in_reference in counts)
    total = pairs_of(sum(len(word) for words in references for word in words))
    expected = Fraction(predicted * reference, total) if total else Fraction(0)
    at_most = Fraction(predicted + reference, 2)
    index = float((both - expected) / (at_most - expected)) if at_most != expected else zero_division
    return {"adjusted_rand_index": index}


def naive_r_value(hit_rate: float, over: float) -> float:
    """R1, R2 and R of Räsänen et al. (2009), with rates for percentages."""
    r1 = math.sqrt((1 - hit_rate) ** 2 + over**2)
    r2 = (-over + hit_rate - 1) / math.sqrt(2)
    return 1 - (abs(r1) + abs(r2)) / 2


def naive_classes(reference: Sequence[Word], prediction: Sequence[Word]) -> dict[str, int]:
    """The wrong reference words by the chunk that they are in."""
    shared = boundaries(reference, edges=True) & boundaries(prediction, edges=True)
    counts = {"over_segmented": 0, "under_segmented": 0, "mis_segmented": 0}
    for start, end in pairwise(sorted(shared)):
        left, right = (sum(start <= a and b <= end for a, b in spans(side)) for side in (reference, prediction))
        if left > 1 and right > 1:
            counts["mis_segmented"] += left
        elif left > 1:
            counts["under_segmented"] += left
        elif right > 1:
            counts["over_segmented"] += left
    return counts


def naive_r_value_within(references: Corpus, predictions: Corpus, tolerance: int) -> float:
    """The R-value in which a boundary may be off; every corpus has some boundary."""
    sides = [[sorted(boundaries(words, edges=False)) for words in corpus] for corpus in (references, predictions)]
    matched = sum(greedy_matching(left, right, tolerance) for left, right in zip(*sides, strict=True))
    reference, predicted = (sum(map(len, side)) for side in sides)
    return naive_r_value(matched / reference, predicted / reference - 1)


def naive_rates_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    counts = naive_counts(references, predictions)
    matched, predicted, reference = (
        counts[f"boundary_noedge_{kind}"] for kind in ("matched", "predicted", "reference")
    )
    classes = [naive_classes(*sides) for sides in zip(references, predictions, strict=True)]
    over = predicted / reference - 1 if reference else zero_division
    return {
        "over_segmentation": over,
        "r_value": naive_r_value(matched / reference, over) if reference else zero_division,
        **{
            name: ratio(sum(counts[name] for counts in classes), sum(map(len, references)), zero_division)
            for name in naive_classes([], [])
        },
    }


def greedy_matching(reference: Sequence[int], prediction: Sequence[int], tolerance: int) -> int:
    """Return how many positions match one to one within a tolerance: each takes the first that is free."""
    matched = index = 0
    for position in reference:
        while index < len(prediction) and prediction[index] < position - tolerance:
            index += 1
        if index < len(prediction) and prediction[index] <= position + tolerance:
            matched, index = matched + 1, index + 1
    return matched


def naive_tolerance_scores(
    references: Corpus, predictions: Corpus, tolerance: int = 1, zero_division: float = 0.0
) -> dict[str, float]:
    sides = [[sorted(boundaries(words, edges=False)) for words in corpus] for corpus in (references, predictions)]
    matched = sum(greedy_matching(left, right, tolerance) for left, right in zip(*sides, strict=True))
    reference, predicted = (sum(map(len, side)) for side in sides)
    return prf("tolerance", matched, predicted, reference, zero_division)


def naive_generalized_hamming(reference: Sequence[int], prediction: Sequence[int]) -> int:
    """The least cost of turning one list of positions into the other: 2 to insert or delete one, its way to shift it."""
    row = [2 * count for count in range(len(reference) + 1)]
    for position in prediction:
        above, row = row, [row[0] + 2]
        for column, other in enumerate(reference, 1):
            row.append(min(above[column] + 2, row[-1] + 2, above[column - 1] + abs(position - other)))
    return row[-1]


def naive_windows_scores(
    references: Corpus, predictions: Corpus, window_size: int | str = 2, zero_division: float = 0.0
) -> dict[str, float]:
    """Pk, WindowDiff and the generalized Hamming distance, in windows as segeval has them."""
    utterances, distances = [], []
    for words in zip(references, predictions, strict=True):
        if not words[0]:
            continue
        units = sum(map(len, words[0]))
        positions = [sorted(boundaries(side, edges=False)) for side in words]
        gaps = [[int(gap in side) for gap in range(1, units)] for side in positions]
        size = max(2, round(units / (2 * len(words[0])))) if isinstance(window_size, str) else window_size
        windows = [
            [sum(side[start : start + size]) for side in gaps] for start in range(units - size) if size <= len(gaps[0])
        ]
        utterances.append(
            (
                len(windows),
                sum((left > 0) != (right > 0) for left, right in windows),
                sum(left != right for left, right in windows),
                sum(abs(left - right) for left, right in windows),
            )
        )
        distances.append(naive_generalized_hamming(*positions))
    total, pk, different, weighted = (sum(column) for column in zip((0, 0, 0, 0), *utterances, strict=True))
    return {
        "pk": ratio(pk, total, zero_division),
        "window_diff": ratio(different, total, zero_division),
        "window_diff_weighted": ratio(weighted, total, zero_division),
        "generalized_hamming": ratio(sum(distances), len(distances), zero_division),
    }


def naive_boundary_edits(
    reference: Sequence[Word], prediction: Sequence[Word], span: int
) -> tuple[int, int, int, int, int, int]:
    """Matches, insertions, deletions, transpositions, the sum of their distances, and gaps of one utterance."""
    units = sum(map(len, reference))
    left_side, right_side = boundaries(reference, edges=False), boundaries(prediction, edges=False)
    missed, distances = left_side ^ right_side, []
    for distance in range(1, span):
        for left in range(1, units - distance):
            pair = {left, left + distance}
            if pair <= missed and len(pair & left_side) == 1:
                missed -= pair
                distances.append(distance)
    return (
        len(left_side & right_side),
        len(missed & right_side),
        len(missed & left_side),
        len(distances),
        sum(distances),
        max(units - 1, 0),
    )


def _edits_of(references: Corpus, predictions: Corpus, span: int) -> list[int]:
    edits = [naive_boundary_edits(*sides, span) for sides in zip(references, predictions, strict=True)]
    return [sum(column) for column in zip((0,) * 6, *edits, strict=True)]


def naive_similarity_scores(
    references: Corpus, predictions: Corpus, transposition_span: int = 2, zero_division: float = 0.0
) -> dict[str, float]:
    """S and B of Fournier, and their counts."""
    matches, insertions, deletions, transpositions, distance, gaps = _edits_of(
        references, predictions, transposition_span
    )
    cost = insertions + deletions + Fraction(distance, transposition_span)
    boundaries_of_either = matches + insertions + deletions + transpositions
    return {
        "segmentation_similarity": ratio(float(gaps - cost), gaps, zero_division),
        "boundary_similarity": ratio(float(boundaries_of_either - cost), boundaries_of_either, zero_division),
        "boundary_edit_distance": float(cost),
        "boundary_matches": matches,
        "boundary_insertions": insertions,
        "boundary_deletions": deletions,
        "boundary_transpositions": transpositions,
    }


def naive_agreement_scores(
    references: Corpus, predictions: Corpus, transposition_span: int = 2, zero_division: float = 0.0
) -> dict[str, float]:
    """Agreement of the two sides as annotators, with B for what they agree upon, in fractions."""
    matches, insertions, deletions, transpositions, distance, gaps = _edits_of(
        references, predictions, transposition_span
    )
    union = matches + insertions + deletions + transpositions
    actual = 1 - (insertions + deletions + Fraction(distance, transposition_span)) / union if union else None
    placed = [sum(len(boundaries(words, edges=False)) for words in side) for side in (references, predictions)]
    shares = [Fraction(count, gaps) if gaps else Fraction(0) for count in placed]
    expected = {"agreement_pi": (sum(shares) / 2) ** 2, "agreement_kappa": shares[0] * shares[1]}
    scores = {"agreement_actual": zero_division if actual is None else float(actual)}
    for key, chance in expected.items():
        scores[key] = zero_division if actual is None or chance == 1 else float((actual - chance) / (1 - chance))
    bias = float(expected["agreement_pi"] - expected["agreement_kappa"]) if gaps else zero_division
    return {**scores, "agreement_bias": bias}


def naive_balanced(
    references: Corpus, predictions: Corpus, difficulties: Sequence[Sequence[float]], zero_division: float = 0.0
) -> dict[str, float]:
    """The scores balanced by difficulty: rewards weigh a word by its difficulty, punishments by what it lacks to 1."""
    whole, matched, predicted = [], [], []
    for reference, prediction, rated in zip(references, predictions, difficulties, strict=True):
        rated_spans = [*zip(span_list(reference), rated, strict=True)]
        whole += rated
        matched += [value for span, value in rated_spans if span in spans(prediction)]
        predicted += [
            value for _, end in span_list(prediction) for (first, last), value in rated_spans if first < end <= last
        ]
    scores = {}
    for kind, weigh in (("reward", lambda value: value), ("punishment", lambda value: 1 - value)):
        right = math.fsum(map(weigh, matched))
        scores[f"{kind}_precision"] = ratio(right, math.fsum(map(weigh, predicted)), zero_division)
        scores[f"{kind}_recall"] = ratio(right, math.fsum(map(weigh, whole)), zero_division)

    def mean(left: float, right: float) -> float:
        return 2 * left * right / (left + right) if left + right else 0.0

    for name in ("precision", "recall"):
        scores[f"balanced_{name}"] = mean(scores[f"reward_{name}"], scores[f"punishment_{name}"])
    return {**scores, "balanced_fscore": mean(scores["balanced_precision"], scores["balanced_recall"])}


def naive_sentence_scores(
    group: str, references: Corpus, predictions: Corpus, documents: bool = True, zero_division: float = 0.0
) -> dict[str, float]:
    """Return the scores of documents of one sentence each, whose only boundary is the end."""
    assert documents
    count = 0 if group.endswith("noedge") else sum(map(bool, references))
    return prf(group, count, count, count, zero_division)


def naive_unit_error_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """Return the scores of sides with the same units: no edit, and nothing skipped."""
    units = sum(len(word) for words in references for word in words)
    return {"unit_error_rate": ratio(0, units, zero_division), "skipped_utterances": 0}
