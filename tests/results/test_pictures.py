"""Pictures: what is drawn are the numbers, and a person can tell what is what."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.colors
import matplotlib.image
import numpy as np
import pytest

import segscores
from segscores.results.pictures import draw_lines, write_picture

LABELS = [f"{tenth}" for tenth in range(10)]
TENTHS = range(10)
SYSTEMS = {
    "_one$x_1$.txt": [1.0, 1.0, math.nan, 0.6, 0.5, math.nan, 0.25, 0.2, 0.1, 0.0],
    "two|&<b>.txt": [0.5, 0.5, math.nan, 0.6, 0.5, math.nan, 0.5, 1.0, 1.0, 1.0],
    "three.txt": [0.0] * 10,
}


def named(axes: Any) -> list[str]:
    """The names beside the lines."""
    return [text.get_text() for text in axes.texts]


def test_a_line_a_system_has_the_shares_that_are_defined() -> None:
    (axes,) = draw_lines(TENTHS, SYSTEMS, "x", labels=LABELS, limits=(0, 1)).axes
    for line, shares in zip(axes.lines, SYSTEMS.values(), strict=True):
        # Points of one class stand beside each other, nearer to it than to the next.
        places = np.asarray(line.get_xdata())
        classes = np.round(places).astype(int)
        assert np.abs(places - classes).max() < 0.2
        assert dict(zip(classes.tolist(), line.get_ydata(), strict=True)) == {
            place: share for place, share in enumerate(shares) if not math.isnan(share)
        }
    assert [label.get_text() for label in axes.get_xticklabels()] == LABELS
    assert axes.get_ylim() == (0, 1)


@pytest.mark.parametrize("numbers", [[0.3, 0.1, 0.2], [0.5], [300, 100, 200]])
def test_points_of_several_systems_stand_nearer_to_their_number_than_to_the_next(numbers: list[float]) -> None:
    systems = {name: [0.5] * len(numbers) for name in SYSTEMS}
    labels = [f"{number:g}" for number in numbers]
    (axes,) = draw_lines(numbers, systems, "x", labels=labels).axes
    step = 0.1 if max(numbers) < 1 else 100
    for line, place in zip(axes.lines, (-1, 0, 1), strict=True):
        shifts = (np.asarray(line.get_xdata()) - sorted(numbers)) / (step if len(numbers) > 1 else 1)
        # In their order, and none in the place of another.
        assert np.sign(np.round(shifts, 6)).tolist() == [place] * len(numbers)
        assert np.abs(shifts).max() < 0.2
        assert place == 0 or np.abs(shifts).min() > 0.05


@pytest.mark.parametrize("top", [1, 20])
def test_systems_are_told_apart_without_colours(top: float) -> None:
    systems = {f"system {number}": SYSTEMS["three.txt"] for number in range(9)}
    (axes,) = draw_lines(TENTHS, systems, "x", labels=LABELS, limits=(0, top)).axes
    assert len({line.get_marker() for line in axes.lines}) == len(systems)
    heights = [text.xy[1] for text in axes.texts]
    # Names of lines with the same end stand apart, within the picture.
    assert np.diff(sorted(heights)).min() > 0.05 * top
    assert -1e-9 <= min(heights) <= max(heights) <= top


def test_names_are_shown_as_they_are_and_there_is_no_title(tmp_path: Path) -> None:
    figure = draw_lines(TENTHS, SYSTEMS, "$age$", labels=LABELS)
    assert named(figure.axes[0]) == list(SYSTEMS)
    assert not any(text.get_parse_math() for text in [*figure.axes[0].texts, figure.axes[0].xaxis.label])
    assert figure.axes[0].get_title() == ""
    write_picture(figure, str(tmp_path / "p.svg"))
    assert "_one$x_1$.txt" in (tmp_path / "p.svg").read_text("utf-8")


@pytest.mark.parametrize(("sizes", "scale"), [([400, 100, 1600], "log"), ([0, 100, 1000], "symlog")])
def test_sizes_have_a_logarithmic_axis_with_a_tick_each(sizes: list[int], scale: str) -> None:
    (axes,) = draw_lines(sizes, {"F": np.array([0.5, 0.25, 0.75])}, "size", is_logarithmic=True).axes
    assert axes.get_xscale() == scale
    assert {label.get_text() for label in axes.get_xticklabels()} == set(map(str, sizes))
    assert len(axes.get_xticks(minor=True)) == 0
    (line,) = axes.lines
    assert not axes.collections
    assert dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) == dict(
        zip(sizes, [0.5, 0.25, 0.75], strict=True)
    )


@pytest.mark.parametrize(
    ("numbers", "labels", "places"),
    [
        ([30, 1.5, 2.5], ["12+", "1-2", "2-3"], [0, 1, 2]),  # at their means the first two would overlap
        ([30, 1.5, 2.5], ["30.0", "1.50", "2.5"], [1.5, 2.5, 30]),
    ],
)
def test_bands_are_in_order_and_apart_and_numbers_at_their_places(
    numbers: list[float], labels: list[str], places: list[float]
) -> None:
    (axes,) = draw_lines(numbers, {"F": [0.3, 0.1, 0.2]}, "age", labels=labels).axes
    assert axes.get_xticks().tolist() == places
    assert [label.get_text() for label in axes.get_xticklabels()] == [labels[1], labels[2], labels[0]]
    assert axes.lines[0].get_xdata().tolist() == places
    assert axes.lines[0].get_ydata().tolist() == [0.1, 0.2, 0.3]


def test_a_learning_curve_has_intervals_in_the_colour_of_the_line() -> None:
    lines = {"P": np.array([0.5, 0.75]), "R": np.array([0.25, 0.5])}
    ends = {"P": [(0.4, 0.6), (0.7, 0.8)], "R": [(0.2, 0.3), (0.4, 0.6)]}
    (axes,) = draw_lines([100, 1000], lines, "size", intervals=ends, is_logarithmic=True).axes
    for bars, line, name in zip(axes.collections, axes.lines, lines, strict=True):
        assert [(each[0, 0], *each[:, 1]) for each in bars.get_segments()] == [
            (size, *interval) for size, interval in zip((100, 1000), ends[name], strict=True)
        ]
        assert matplotlib.colors.to_hex(bars.get_color()[0]) == line.get_color()


def test_a_comparison_draws_scores_and_intervals_in_the_colours_of_the_systems() -> None:
    reference = ["the dog", "is on", "a boat"] * 20
    systems = {"_a": ["thedog", "is on", "a boat"] * 20, "b": ["the dog", "ison", "a boat"] * 20}
    scores = ["token_recall", "exact", "word_error"]
    comparison = segscores.compare(reference, systems, text_format="words", scores=scores)
    figure = comparison.plot()
    (axes,) = figure.axes
    # The numbers of insertions and the like have another scale.
    assert named(axes) == ["Word recall", "Utterance accuracy", "Word error rate"]
    keys = ["token_recall", "utterance_accuracy", "word_error_rate"]
    points = [comparison.scores[name][key] for key in keys for name in systems]
    assert [line.get_xdata()[0] for line in axes.lines[1::2]] == pytest.approx(points)
    ends = [comparison.intervals[name][key] for key in keys for name in systems]
    assert [tuple(line.get_xdata()) for line in axes.lines[::2]] == ends
    labels = axes.get_yticklabels()
    assert [label.get_text() for label in labels] == ["_a", "b"] * 3
    (other,) = draw_lines(TENTHS, SYSTEMS, "x", labels=LABELS).axes
    assert [label.get_color() for label in labels[:2]] == [line.get_color() for line in other.lines[:2]]
    # Each point and interval is in the row of its system, in its colour; the marker is the system's too.
    rows = axes.get_yticks().tolist()
    assert [line.get_ydata()[0] for line in axes.lines[1::2]] == rows
    assert [tuple(line.get_ydata()) for line in axes.lines[::2]] == [(row, row) for row in rows]
    for each in (axes.lines[::2], axes.lines[1::2]):
        assert [line.get_color() for line in each] == [label.get_color() for label in labels]
    assert [line.get_marker() for line in axes.lines[1::2]] == [line.get_marker() for line in other.lines[:2]] * 3
    assert not any(text.get_parse_math() for text in (*labels, *axes.texts))
    assert {text.get_weight() for text in axes.texts} == {"bold"}
    assert axes.get_xlabel() == "score"
    assert (axes.yaxis.get_tick_params()["length"], "length" in axes.xaxis.get_tick_params()) == (0, False)
    # Names and headings stand below each other, and none covers another.
    figure.draw_without_rendering()
    inside = axes.get_window_extent()
    assert {round(text.get_window_extent().x0 - inside.x0) for text in axes.texts} == {0}
    # The first heading and the last name have the same place above and below them, and a row is about as high as its text.
    above, below = (abs(end - row) for end, row in zip(sorted(axes.get_ylim()), (0, rows[-1]), strict=True))
    assert above == pytest.approx(below)
    assert 0.5 <= above < 1
    heights = [text.get_window_extent().height for text in axes.texts]
    assert 1 <= inside.height / (rows[-1] + 1 + 2 * above - 1) / max(heights) < 2
    boxes = sorted((text.get_window_extent() for text in (*labels, *axes.texts)), key=lambda box: -box.y0)
    assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))


def test_a_comparison_draws_no_point_for_a_score_that_is_undefined() -> None:
    """As the picture of the page: the first system has no boundary, so that its precision is 0/0."""
    systems = {"a": ["ab", "cd"] * 9, "b": ["a b", "cd"] * 9}
    comparison = segscores.compare(["a b", "cd"] * 9, systems, text_format="words", scores="boundary_noedge_precision")
    (axes,) = comparison.plot().axes
    assert [line.get_xdata()[0] for line in axes.lines[1::2]] == [1.0]


def test_counts_alone_have_no_picture() -> None:
    systems = {"a": ["ab"] * 3, "b": ["a b"] * 3}
    counts = segscores.compare(["a b"] * 3, systems, text_format="words", scores="word_insertions")
    with pytest.raises(ValueError, match="word_insertions: expected a score that is a share"):
        counts.plot()


@pytest.mark.parametrize(
    ("name", "count", "length", "size", "rotation"),
    [
        ("F", 4, 7, 10, 0), ("F", 5, 6, 7, 0), ("F", 10, 7, 7, 0), ("F", 12, 7, 7, 40), ("F", 16, 5, 7, 40), ("F", 2, 80, 7, 40),
        ("prediction.txt", 5, 12, 7, 0), ("prediction.txt", 10, 7, 7, 40),
        ("a longer name of a prediction", 4, 7, 10, 0), ("a longer name of a prediction", 5, 12, 7, 40),
    ],
)  # fmt: skip
def test_labels_that_fill_the_line_are_small_and_longer_ones_askew(
    name: str, count: int, length: int, size: float, rotation: float
) -> None:
    labels = [f"${number}$".ljust(length, "w") for number in range(count)]
    figure = draw_lines(None, {name: [0.5] * count}, "subset", labels=labels)
    shown = figure.axes[0].get_xticklabels()
    assert [(label.get_text(), label.get_fontsize(), label.get_rotation()) for label in shown] == [
        (label, size, rotation) for label in labels
    ]
    # The end of a label that is askew is at its tick.
    assert {label.get_horizontalalignment() for label in shown} == {"right" if rotation else "center"}
    # A dollar sign begins no formula.
    assert not any(label.get_parse_math() for label in shown)
    if not rotation:
        figure.draw_without_rendering()
        assert all(left.get_window_extent().x1 < right.get_window_extent().x0 for left, right in pairwise(shown))


@pytest.mark.parametrize(("count", "labelled"), [(12, True), (13, False)])
def test_many_numbers_have_ticks_of_the_axis(count: int, labelled: bool) -> None:
    places = [number / 10 for number in range(count)]
    (axes,) = draw_lines(places, {"F": [0.5] * count}, "age", labels=[f"{place}" for place in places]).axes
    assert (axes.get_xticks().tolist() == places) is labelled


@pytest.mark.parametrize(("count", "marked"), [(40, True), (41, False)])
def test_a_line_of_many_points_has_no_markers(count: int, marked: bool) -> None:
    (axes,) = draw_lines(np.arange(count), {"F": [0.5] * count}, "threshold").axes
    assert (axes.lines[0].get_marker() not in ("", "None", None)) is marked
    assert axes.lines[0].get_linestyle() == "-"


def test_what_belongs_to_a_line_has_its_colour_and_is_thinner() -> None:
    lines = {"P": np.array([0.5, 0.75]), "R": np.array([0.25, 0.5])}
    ends = {"P": [(0.4, 0.6), (0.7, 0.8)], "R": [(0.2, 0.3), (0.4, 0.6)]}
    wholes = {"P": 0.7, "R": 0.4}
    (axes,) = draw_lines([1, 2], lines, "size", intervals=ends, wholes=wholes).axes
    for number, name in enumerate(lines):
        whole, line = axes.lines[2 * number : 2 * number + 2]
        assert (whole.get_ydata()[0], whole.get_linestyle(), whole.get_color()) == (wholes[name], ":", line.get_color())
        assert whole.get_linewidth() < axes.collections[number].get_linewidth()[0] < line.get_linewidth()
        assert axes.texts[number].get_color() == line.get_color()
        # A point at the edge of the axes is whole, and above all else.
        assert not line.get_clip_on()
        assert line.get_zorder() > max(whole.get_zorder(), axes.collections[number].get_zorder())
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("size", "score")
    # Lines of the grid are below the data, and lighter.
    assert axes.get_axisbelow() is True
    grid = axes.get_xgridlines()[0]
    assert grid.get_visible()
    assert min(matplotlib.colors.to_rgb(grid.get_color())) > 0.8
    assert [axes.spines[side].get_visible() for side in ("left", "bottom", "top", "right")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_best_point_of_a_line_has_a_ring() -> None:
    # The best one is not the first, and a score that is undefined is none.
    systems = {"a": [0.2, 0.6, math.nan], "b": [math.nan, 0.3, 0.9]}
    (axes,) = draw_lines([1, 2, 3], systems, "ratio", marks_best=True).axes
    for line, ring, best in zip(axes.lines[::2], axes.lines[1::2], [(2, 0.6), (3, 0.9)], strict=True):
        assert (ring.get_xdata()[0], ring.get_ydata()[0]) == best
        assert ring.get_color() == line.get_color()
        assert ring.get_markerfacecolor() == "none"
        assert ring.get_markersize() > line.get_markersize()


@pytest.mark.parametrize(
    ("limits", "heights"), [((0, 1), [0.94, 1, 0.5, 0]), ((-1, 1), [0.88, 1, 0.5, -1]), ((5, 9), [8.76, 9, 5, 5.24])]
)
def test_names_stand_beside_the_ends_within_the_picture(limits: tuple[float, float], heights: list[float]) -> None:
    low, high = limits
    # Two lines end at the top, a line without a point has its name in the middle of the shares, and the last ends at the bottom.
    systems = {"a long name": [low, high], "another long name": [low, high], "x": [math.nan] * 2, "y": [high, low]}
    figure = draw_lines([1, 2], systems, "size", limits=limits)
    (axes,) = figure.axes
    # Names are at least 6 % of the height apart.
    assert [text.xy[1] for text in axes.texts] == pytest.approx(heights)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert all(box.x0 > axes.get_window_extent().x1 for box in boxes)
    assert all(figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1 for box in boxes)
    for box, height in zip(boxes, heights, strict=True):
        assert abs((box.y0 + box.y1) / 2 - axes.transData.transform((1, height))[1]) < 3


def test_a_notebook_shows_the_picture() -> None:
    figure = draw_lines([1, 2], {"a": [0.5, 0.6]}, "size")
    assert figure._repr_svg_().startswith("<?xml")
    assert "<svg" in figure._repr_svg_()


def test_a_sweep_draws_its_curve_and_the_best_points() -> None:
    found = segscores.sweep(["ab c", "d ef"], [[0.1, 0.8], [0.6, 0.2]], text_format="words")
    (axes,) = found.plot().axes
    assert named(axes) == ["Word precision", "Word recall", "Word F-score", "True negative rate"]
    assert axes.lines[4].get_ydata().tolist() == found["token_fscore"].tolist()
    best = found["best"]["token_fscore"]
    assert (axes.lines[5].get_xdata()[0], axes.lines[5].get_ydata()[0]) == (best["ratio"], best["score"])


def test_the_picture_is_not_blank_and_the_same_numbers_give_the_same_file(tmp_path: Path) -> None:
    pictures = []
    for number, count in enumerate((1, 3)):
        path = tmp_path / f"{number}.png"
        write_picture(draw_lines(TENTHS, dict(list(SYSTEMS.items())[:count]), "x", labels=LABELS), str(path))
        pictures.append(matplotlib.image.imread(path)[..., :3])
    for picture in pictures:
        # 200 points for each inch of 5.8, the width of a text.
        assert picture.shape[1] == 1160
        assert picture.shape[0] == 680
        assert (picture.min(axis=2) < 0.5).mean() > 0.005
    # Blue, and with more systems red too.
    has_red = [bool(((picture[..., 0] > 0.7) & (picture[..., 2] < 0.2)).any()) for picture in pictures]
    assert has_red == [False, True]
    for form in ("svg", "pdf"):
        for name in ("a", "b"):
            write_picture(draw_lines(TENTHS, SYSTEMS, "x", labels=LABELS), str(tmp_path / f"{name}.{form}"))
        assert (tmp_path / f"a.{form}").read_bytes() == (tmp_path / f"b.{form}").read_bytes()
    # Publishers reject fonts of type 3.
    assert b"/TrueType" in (tmp_path / "a.pdf").read_bytes() or b"/CIDFontType2" in (tmp_path / "a.pdf").read_bytes()
    assert b"/Type3" not in (tmp_path / "a.pdf").read_bytes()
