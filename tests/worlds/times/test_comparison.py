"""Times: comparisons within a tolerance, against official figures, naive scorers, scipy and mir_eval."""

import random
import tracemalloc
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest

import segscores
from segscores import Intervals
from segscores.kernel.nearest import match_nearest
from segscores.worlds.times.intervals import from_recordings, recordings_columns
from tests.recordings import Rows, assign, naive_counts, random_rows, textgrid, tiles

# Random words may be as short as those of times in minutes.
pytestmark = pytest.mark.filterwarnings("ignore:.*half of the segments last less:UserWarning")

# The figures that programs of the field printed for hand-made inputs, in frames with a tolerance of 2. Boundaries one to one:
# vqwordseg (d062717e), prom-seg-clus (92f65679) and self-supervised-phone-segmentation, harsh (8092c577). Tokens: vqwordseg and
# prom-seg-clus. Lenient: self-supervised-phone-segmentation and UnsupSeg (70501469). Precision, recall, R-value; of tokens
# precision, recall.
OFFICIAL: dict[str, Any] = {
    "a tie": ([10, 12, 20], [8, 11, 20], (1, 1, 1), (1, 1), (1, 1, 1)),
    "the nearest first loses one": ([10, 13, 30], [9, 11, 30], (1, 1, 1), (1, 1), (1, 1, 1)),
    "two predicted for one": ([10, 30], [9, 11, 30], (0.5, 1, 0.14644660940672627), (2 / 3, 1), (1, 1, 1)),
    "one predicted for two": ([9, 11, 30], [10, 30], (1, 0.5, 0.6464466094067263), (1, 2 / 3), (1, 1, 1)),
    "first fit": ([8, 10, 30], [9, 11, 12, 30], (2 / 3, 1, 0.5732233047033631), (0.75, 1), (1, 1, 1)),
    # Unequal ends, on which the programs disagree: the figures of prom-seg-clus.
    "a shorter prediction": ([10, 20, 33], [10, 20, 30], (2 / 3, 2 / 3, 0.7154822031355754), (2 / 3, 2 / 3), None),
    "a longer prediction": ([10, 20, 30], [10, 20, 33], (2 / 3, 2 / 3, 0.7154822031355754), (2 / 3, 2 / 3), None),
}
SILENT = {"text_format": "times", "silence": ["_"]}


@pytest.mark.parametrize("case", OFFICIAL.values(), ids=OFFICIAL)
def test_official_figures(case: Any) -> None:
    reference, prediction, boundaries, tokens, lenient = case
    scores = segscores.score([tiles(reference)], [tiles(prediction)], text_format="times", tolerance=0.02)
    keys = ["boundary_noedge_precision", "boundary_noedge_recall", "r_value", "token_precision", "token_recall"]
    assert [scores[key] for key in keys] == pytest.approx([*boundaries, *tokens])
    if lenient:
        assert [scores[f"lenient_{key}"] for key in ("precision", "recall", "r_value")] == pytest.approx(lenient)


def test_pairs_are_as_many_and_as_near_as_in_an_assignment() -> None:
    source = random.Random(1)
    for _ in range(1000):
        last = source.choice([20, 60, 1000])
        left, right = (np.array(sorted(source.sample(range(last), source.randint(0, 20))), np.int64) for _ in range(2))
        tolerance = source.choice([0, 1, 2, 3, 4, 5, 6, 20, 200, 5000])
        partners = match_nearest(left, right, tolerance)
        taken = partners[partners >= 0]
        distances = np.abs(left[partners >= 0] - right[taken])
        assert (np.diff(taken) > 0).all()
        assert (distances <= tolerance).all()
        assert (len(taken), distances.sum()) == assign(left.tolist(), right.tolist(), tolerance)


def test_the_earlier_of_two_equally_near_boundaries_is_matched() -> None:
    assert match_nearest(np.array([10]), np.array([8, 12]), 2).tolist() == [0]


@pytest.mark.filterwarnings("ignore:tolerance:UserWarning")
def test_memory_is_linear_in_the_boundaries_whatever_the_tolerance() -> None:
    sides = [[[(at * step, (at + 1) * step) for at in range(4000)]] for step in (0.01, 0.0097)]
    tracemalloc.start()
    scores = segscores.score(*sides, text_format="times", scores="boundary_noedge", tolerance=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores["boundary_noedge_fscore"] == 1.0
    assert peak < 10_000_000


@pytest.mark.filterwarnings("ignore:tolerance:UserWarning")
def test_a_tolerance_beyond_every_recording_reaches_all_of_it() -> None:
    # So many recordings, each with a gap of twice the tolerance, would leave the range of integers.
    count = 5000
    sides: Any = [[[(0.0, 0.3), (0.3, 1.0)]], [[(0.0, 0.9), (0.9, 1.0)]]]
    options: Any = {"text_format": "times", "scores": ["boundary_noedge", "token", "labelled_token"]}
    one = segscores.tally(*sides, tolerance=1, **options).counts()
    huge = segscores.tally(*(side * count for side in sides), tolerance=1_000_000_000, **options).counts()
    assert huge == {column: number * count for column, number in one.items()}
    assert huge["boundary_noedge_matched"] == count


@pytest.mark.parametrize("tolerance", [0, 1, 2, 5, 20])
def test_counts_equal_a_naive_scorer(tolerance: int) -> None:
    source = random.Random(tolerance)
    totals: dict[str, int] = {}
    sides: tuple[list[Intervals], list[Intervals]] = ([], [])
    for _ in range(25):
        rows = random_rows(source), random_rows(source)
        durations = tuple(source.choice([None, 60, 62, 64]) for _ in rows)
        for side, intervals, duration in zip(sides, rows, durations, strict=True):
            columns = [[row[at] for row in intervals] for at in range(3)]
            side.append(Intervals(*columns, duration=None if duration is None else duration / 100))
        one = segscores.tally(sides[0][-1:], sides[1][-1:], scores=["boundary_noedge", "token", "lenient"],
                              tolerance=tolerance / 100, **SILENT).counts()  # fmt: skip
        expected = naive_counts(*rows, durations, tolerance)  # type: ignore[arg-type]
        assert {key: one[key] for key in expected} == expected, (rows, durations)
        for key, count in expected.items():
            totals[key] = totals.get(key, 0) + count
    named = ({f"{number:04}": recording for number, recording in enumerate(side)} for side in sides)
    whole = segscores.tally(
        *named, scores=["boundary_noedge", "token", "lenient"], tolerance=tolerance / 100, **SILENT
    ).counts()
    assert {key: whole[key] for key in totals} == totals


def test_timing_equals_mir_eval_on_random_recordings() -> None:
    source = random.Random(5)
    for _ in range(25):
        starts = sorted(source.sample(range(0, 9000, 60), source.randint(2, 40)))
        reference_times = np.array(starts) / 1000
        predicted_times = np.array([max(0, start + source.randint(-25, 25)) for start in starts]) / 1000
        sides = [[(time, time + 0.005, "w") for time in times.tolist()] for times in (reference_times, predicted_times)]
        median, mean = mir_eval.alignment.absolute_error(reference_times, predicted_times)
        scores = segscores.score([sides[0]], [sides[1]], text_format="times", scores="timing")
        # Starts and ends are equally far.
        assert scores["timing_mean"] == pytest.approx(mean, abs=2e-6)
        assert scores["timing_median"] == pytest.approx(median, abs=1e-9)
        # mir_eval compares floats: 20 ms may be 0.020000000000000018, and 0.0202 lies between 20 and 21 ms.
        within = mir_eval.alignment.percentage_correct(reference_times, predicted_times, window=0.0202)
        assert scores["timing_within_20ms"] == within


# Multiples of the resolution, which is 1 ms up to 0.2 s, 10 ms up to 1 s, and 100 ms up to 10 s.
@pytest.mark.parametrize("distance", [0, 0.001, 0.199, 0.2, 0.21, 0.55, 1, 1.1, 5.5, 10])
def test_the_median_of_equal_distances_is_that_distance(distance: float) -> None:
    scores = segscores.score([[(0, 1, "a")]], [[(distance, 1 + distance, "a")]], text_format="times", scores="timing")
    assert scores["timing_median"] == pytest.approx(distance, abs=1e-9)


def test_timing_pairs_words_by_labels_and_counts_a_common_boundary_once() -> None:
    reference = [[(0.5, 0.7, "the"), (0.7, 1.0, "dog"), (1.2, 1.5, "is")]]
    prediction = [[(0.51, 0.73, "the"), (0.73, 1.0, "dog"), (1.0, 1.1, "uh"), (1.2, 1.5, "was")]]
    scores = segscores.score(reference, prediction, text_format="times", scores="timing")
    assert [scores[f"timing_{key}"] for key in ("mean", "bias", "median")] == pytest.approx([0.04 / 3, 0.04 / 3, 0.01])
    keys = ("within_10ms", "within_25ms", "within_50ms", "midpoint", "words")
    assert [scores[f"timing_{key}"] for key in keys] == pytest.approx([2 / 3, 2 / 3, 1, 1, 2 / 3])


@pytest.mark.filterwarnings("ignore:.*labels differ in case")
def test_a_labelled_token_has_the_same_label() -> None:
    reference = [[(0.0, 0.3, "the"), (0.3, 0.7, "dog"), (0.7, 0.9, "the")]]
    prediction = [[(0.0, 0.31, "the"), (0.31, 0.69, "Dog"), (0.69, 0.9, "the")]]
    counts = segscores.tally(reference, prediction, text_format="times", scores=["labelled_token", "token"]).counts()
    assert (counts["labelled_token_matched"], counts["token_matched"]) == (2, 3)


def test_the_r_value_of_frame_labels_has_a_tolerance() -> None:
    # vqwordseg, prom-seg-clus: "first fit" above, as labels of frames.
    labels = [[[int(frame in ends) for frame in range(30)]] for ends in ([0, 8, 10], [0, 9, 11, 12])]
    scores = segscores.score(*labels, label_scheme="start", scores="rates", rates_tolerance=2)
    assert (scores["r_value"], scores["over_segmentation"]) == pytest.approx((0.5732233047033631, 0.5))
    exact = segscores.score(*labels, label_scheme="start", scores="rates")
    assert exact["r_value"] < 0.2


# By what is hard, both sides, and the counts of matched, predicted and reference boundaries, and of tokens.
HARD: dict[str, tuple[Any, Any, dict[str, Any], tuple[int, ...]]] = {
    "an overlap of 1 ms is rounding": ([(0, 0.501), (0.5, 1)], [(0, 0.501), (0.501, 1)], {"tolerance": 0}, (1, 1, 1, 2, 2, 2)),
    "an interval without duration": ([(0, 0.5), (0.5, 0.5), (0.5, 1)], [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "unsorted intervals": ([(0.5, 1), (0, 0.5)], [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "gaps are silence": ([(0.2, 0.5, "a"), (0.8, 1, "b")], [(0.2, 1, "a")], {}, (1, 1, 3, 0, 1, 2)),
    "an empty interval beside a gap": ([(0, 0.2, ""), (0.5, 1, "a")], [(0.5, 1, "a")], {}, (1, 1, 1, 1, 1, 1)),
    "ends that agree": ([(0, 0.5), (0.5, 1)], [(0, 0.5), (0.5, 1.015)], {}, (1, 1, 1, 2, 2, 2)),
    "ends that differ": ([(0, 0.5), (0.5, 1)], [(0, 0.5), (0.5, 1.5)], {}, (1, 2, 2, 1, 2, 2)),
    "the known end of one side": (Intervals([0, 0.5], [0.5, 1], duration=1.5), [(0, 0.5), (0.5, 1)], {}, (2, 2, 2, 2, 2, 2)),
    "a tail of 1 ms": (Intervals([0, 0.5], [0.5, 1], duration=1.001), [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "nothing predicted": ([(0, 0.5), (0.5, 1)], [], {}, (0, 0, 2, 0, 0, 2)),
    "nothing in the reference": ([], [(0, 0.5), (0.5, 1)], {}, (0, 2, 0, 0, 2, 0)),
    "nothing on both sides": ([], [], {}, (0, 0, 0, 0, 0, 0)),
    "words predicted in silence": ([(0.5, 1, "a")], [(0, 0.3, "x"), (0.3, 0.5, "x"), (0.5, 1, "a")], {}, (1, 2, 1, 1, 3, 1)),
    "a boundary at 0": ([(0, 1)], [(0.0, 1)], {}, (0, 0, 0, 1, 1, 1)),
    "exactly at the tolerance": ([(0, 0.3), (0.3, 1)], [(0, 0.32), (0.32, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "just beyond the tolerance": ([(0, 0.3), (0.3, 1)], [(0, 0.320001), (0.320001, 1)], {}, (0, 1, 1, 0, 2, 2)),
    "two predicted for one": ([(0, 0.3), (0.3, 1)], [(0, 0.29), (0.29, 0.31), (0.31, 1)], {}, (1, 2, 1, 2, 3, 2)),
    "tolerance 0": ([(0, 0.3), (0.3, 1)], [(0, 0.3), (0.3, 1)], {"tolerance": 0}, (1, 1, 1, 2, 2, 2)),
    "a tolerance above a segment": (tiles([1, 2, 3, 100]), tiles([2, 4, 100]), {"tolerance": 0.05}, (2, 2, 3, 3, 3, 4)),
    "labels of silence": ([(0, 0.5, "a"), (0.5, 1, "sil")], [(0, 0.5, "a"), (0.5, 1, "pau")], {}, (1, 1, 1, 1, 2, 1)),
    "a named silence": ([(0, 0.5, "a"), (0.5, 1, "_")], [(0, 0.5, "a"), (0.5, 1, "x")], {"silence": ["_"]}, (1, 1, 1, 1, 2, 1)),
    "blank beside a named silence": ([(0, 0.5, "a"), (0.5, 1, "_")], [(0, 0.5, "a"), (0.5, 1, " ")], {"silence": ["_"]},
                                     (1, 1, 1, 1, 1, 1)),
    "no label at all": ([(0, 0.5, ""), (0.5, 1, "")], [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "silence in capitals": ([(0, 0.5, "a"), (0.5, 1, "<SIL>")], [(0, 0.5, "a"), (0.5, 1, "SP")], {}, (1, 1, 1, 1, 1, 1)),
    "an array": (np.array([[0, 0.5], [0.5, 1]]), [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
    "samples": (Intervals([0, 8000], [8000, 16000], per_second=16000), [(0, 0.5), (0.5, 1)], {}, (1, 1, 1, 2, 2, 2)),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "options", "expected"), HARD.values(), ids=HARD)
def test_hard_cases(reference: Any, prediction: Any, options: dict[str, Any], expected: tuple[int, ...]) -> None:
    scored: dict[str, Any] = {"text_format": "times", "scores": ["boundary_noedge", "token"]}
    counts = segscores.tally([reference], [prediction], **scored, **options).counts()
    keys = [
        f"{group}_{kind}" for group in ("boundary_noedge", "token") for kind in ("matched", "predicted", "reference")
    ]
    assert tuple(counts[key] for key in keys) == expected


def test_every_segment_that_is_kept_has_a_duration() -> None:
    source, refused = random.Random(7), 0
    for _ in range(150):
        # In steps of 0.1 ms, of which 10 are an overlap by rounding.
        rows = [(start, start + source.randint(0, 30)) for start in source.choices(range(60), k=source.randint(1, 4))]
        times = np.array(rows) / 10_000
        (column,), names = recordings_columns([[Intervals(times[:, 0], times[:, 1])]])
        try:
            recording = from_recordings(column, names)
        except ValueError as error:
            assert "follow each other" in str(error)  # noqa: PT017 - both outcomes are right
            refused += 1
        else:
            assert (np.diff(recording.word_ends, prepend=0) > 0).all(), rows
            assert (recording.of_words["labels"].codes >= 0).sum() == sum(start < end for start, end in rows)
    assert 15 < refused < 135


def _random_sides(seed: int, count: int = 20) -> tuple[list[Rows], list[Rows]]:
    source = random.Random(seed)
    return tuple([random_rows(source, last=200, most=30) for _ in range(count)] for _ in range(2))  # type: ignore[return-value]


def test_all_scores_of_utterances_add_up_and_have_intervals() -> None:
    sides = _random_sides(8, 15)
    scores = segscores.score(*sides, scores="all", confidence=0.95, **SILENT)
    parts = [segscores.tally([left], [right], scores="all", **SILENT) for left, right in zip(*sides, strict=True)]
    assert sum(parts).scores() == {key: scores[key] for key in parts[0].scores()}  # type: ignore[union-attr]
    assert scores["token_fscore_low"] < scores["token_fscore"] < scores["token_fscore_high"]
    assert segscores.CorpusTally.from_json(parts[0].to_json()) == parts[0]


def test_a_signature_names_the_tolerance_the_tier_and_silence(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(textgrid({"words": [(0, 1, "a")]}, 1), "utf-8")
    signature = segscores.tally(
        path, path, text_format="times", scores="token", tier=("words", "1"), silence=["_"]
    ).signature()
    assert signature.startswith("segscores|text:times|tol:0.02s|tier:words%2C1|silence:_|avg:micro|zero:0|")


def test_an_empty_recording_leaves_the_end_of_the_one_before_it() -> None:
    """The first recording ends with silence, which is made as long as that of the reference; the second has no words."""
    references = [segscores.Intervals([0], [1], ["a"], 3), segscores.Intervals([0], [1], ["b"], 2)]
    predictions = [segscores.Intervals([0, 1], [1, 2], ["a", ""]), segscores.Intervals([], [], [])]
    found = segscores.tally(references, predictions, text_format="times", scores="boundary_noedge").counts()
    assert (found["boundary_noedge_matched"], found["boundary_noedge_predicted"]) == (1, 1)


RECORDINGS = [[(0.0, 1.0, "a"), (1.0, 1.5, "b")]]
OF_UNITS: dict[str, Any] = {
    "sweep": lambda: segscores.sweep(RECORDINGS, [[0.5]], text_format="times"),
    "segment_at": lambda: segscores.segment_at(RECORDINGS, [[0.5]], threshold=0.5, text_format="times"),
    "score_agreement": lambda: segscores.score_agreement([RECORDINGS, RECORDINGS], text_format="times"),
    "score_constituents": lambda: segscores.score_constituents(*[RECORDINGS] * 3, text_format="times"),
    "differences": lambda: segscores.differences(RECORDINGS, RECORDINGS, text_format="times"),
    "rate_difficulty": lambda: segscores.rate_difficulty(RECORDINGS, [RECORDINGS], text_format="times"),
}


@pytest.mark.parametrize("call", OF_UNITS.values(), ids=OF_UNITS)
def test_what_counts_units_is_of_no_recordings(call: Any) -> None:
    with pytest.raises(ValueError, match='text_format="times": this counts units, which recordings do not have'):
        call()


def test_recordings_have_no_alternatives() -> None:
    with pytest.raises(ValueError, match='text_format="times": recordings have no alternatives'):
        segscores.score_alternatives([RECORDINGS], RECORDINGS, text_format="times", primary="token_fscore")


def test_a_number_of_recordings_is_identified() -> None:
    sides = [[(0.0, 1.0, "a")], [(0.0, 0.5, "a")]], [[(0.0, 1.0, "a")], [(0.0, 0.5, "")]]
    (found,) = segscores.identify(*sides, "0.5", text_format="times", scores="token_recall", silence=[""], top=1)
    assert (found.score, found.value, found.agrees) == ("token_recall", 0.5, True)
