"""Pictures for papers: scores over a share of boundaries, a training size or subsets, intervals, and words by difficulty.

Conventions
-----------
- A picture has no title, and names lines beside their ends. The n-th system has the same colour in every picture.
- matplotlib is imported when a picture is drawn. The figures are its own: `figure.savefig("scores.pdf")`.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..options.optional import require
from .outputs import open_whole
from .scored import Scored

#: The scores of a curve, as in Figure 1 of Shao et al. (2017).
CURVE_KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")

# Okabe and Ito's colours, which colour-blind people can distinguish too; in black and white the dashes and markers differ.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555", "#e69f00", "#56b4e9")
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (3, 1.5)), (0, (1, 1.5)))
# More markers than colours, and not a multiple of their number, so that there are many distinct pairs.
_MARKERS = "os^DvP*X<"

#: The width of the range of the points of one class, where classes are 1 apart.
_WIDTH_OF_CLASS = 0.28
#: The least distance of two names, as a share of the height.
_LEAST_NAME_DISTANCE = 0.06
#: The most points of a line with a marker each.
_MOST_MARKED_POINTS = 40
#: The characters in small type for which the picture has room below the axis: of upright labels, and of the names at the right.
_CHARACTERS_IN_LINE = 84
#: The font size of names and of short labels, in points.
_FONT_SIZE = 10
#: The font size of longer labels, in points.
_SMALL_FONT_SIZE = 7
#: The most numbers with a tick each.
_MOST_NUMBER_TICKS = 12


def draw_lines(
    x: Sequence[float] | npt.NDArray[np.float64] | None,
    lines: Mapping[str, Sequence[float] | npt.NDArray[np.float64]],
    x_label: str,
    y_label: str = "score",
    *,
    labels: Sequence[str] = (),
    intervals: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    wholes: Mapping[str, float] | None = None,
    limits: tuple[float, float] | None = (-0.02, 1.02),
    is_logarithmic: bool = False,
    marks_best: bool = False,
) -> Any:
    """Draw the scores of systems as lines over numbers, or as points of classes, such as subsets; nan has no point.

    Args:
        x: the numbers, or None if classes have no numbers: then no line joins their points. Numbers of classes whose names are
            others, such as of bands, give the order alone, and the classes are at equal distances.
        lines: by the name of a system, a score for each number or class.
        labels: the names of the classes; empty if there are none.
        intervals: by system, the two ends of the interval of each score; an empty list for a system without intervals.
        wholes: by system, the score of the whole corpus, a dotted line.
        limits: the lowest and the highest score of the axis, by default a little beyond 0 and 1; None if the scores decide.
        is_logarithmic: True for a logarithmic axis of the numbers, such as sizes.
        marks_best: True to mark the highest score of each line.
    """
    figure, axes = _axes(height=3.4)
    order, places, labels = _arrange(x, labels)
    # Points over one number stand where they are; points of one class stand side by side.
    shifts = np.zeros(len(lines))
    if labels:
        shifts = _shifts_of(len(lines), places)
    drawn = {name: np.asarray(scores, np.float64)[order] for name, scores in lines.items()}
    for index, (name, values) in enumerate(drawn.items()):
        style = _style(index)
        if x is None:
            # Classes without numbers have no order, which a line would suggest.
            style["linestyle"] = "none"
        elif len(places) > _MOST_MARKED_POINTS:
            # The line alone shows so many points.
            style["marker"] = ""
        points = places + shifts[index]
        if intervals and intervals[name]:
            # Two rows, of the low ends and of the high ends, in the order of the places.
            lows, highs = np.transpose(intervals[name])[:, order]
            axes.vlines(points, lows, highs, color=style["color"], linewidth=1.2)
        if wholes:
            axes.axhline(wholes[name], color=style["color"], linewidth=0.8, linestyle=":")
        _draw_line(axes, points, values, style, marks_best=marks_best)
    if is_logarithmic:
        _set_logarithmic(axes, places)
    else:
        _set_labels(axes, places, labels, beside=max(map(len, lines), default=0))
    axes.margins(y=0.08)
    # A dollar sign in the name of the values begins no formula.
    axes.set_xlabel(x_label, parse_math=False)
    axes.set(ylabel=y_label, ylim=limits)
    _name_ends(axes, drawn)
    return figure


class _Arrangement(NamedTuple):
    """The order in which scores stand on the axis, and their places there."""

    order: npt.NDArray[np.intp]  #: the indices of the scores, from the left to the right
    places: npt.NDArray[np.float64]  #: the places, in this order
    labels: Sequence[str]  #: the names of classes, in this order; empty if there are none


def _arrange(x: Sequence[float] | npt.NDArray[np.float64] | None, labels: Sequence[str]) -> _Arrangement:
    """Arrange scores by their numbers, or as classes at equal distances: see `draw_lines`."""
    places = np.arange(len(labels), dtype=np.float64) if x is None else np.asarray(x, np.float64)
    # From the least number to the greatest: of 3, 1, 2 the order is 1 2 0.
    order = np.argsort(places, kind="stable")
    places = places[order]
    labels = [labels[index] for index in order] if labels else ()
    if labels and not _are_numbers(labels, places):
        # The numbers are not the labels, but the means of bands with names such as "2-3". They may be so near to each other that
        # the names would overlap, so the bands stand at 0 1 2.
        places = np.arange(len(labels), dtype=np.float64)
    return _Arrangement(order, places, labels)


def _draw_line(
    axes: Any,
    points: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    style: Mapping[str, Any],
    *,
    marks_best: bool,
) -> None:
    """Draw the values of a system over points, without those that are nan."""
    is_defined = ~np.isnan(values)
    edge = {"markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.6}
    # Show points on the edges whole.
    axes.plot(points[is_defined], values[is_defined], clip_on=False, zorder=3, linewidth=1.5, **style, **edge)
    if marks_best:
        best = np.argmax(np.where(is_defined, values, -np.inf))
        axes.plot(points[best], values[best], "o", color=style["color"], markersize=9, markerfacecolor="none")


def _shifts_of(count: int, places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return how far to shift the points of each line, so that the points of a class are side by side, and none hides another."""
    # The least distance of two classes; one class alone has as much room as classes that are 1 apart.
    distance = np.diff(np.unique(places)).min() if len(places) > 1 else 1
    # Two lines are shifted by −1/4 and 1/4 of the width.
    width = _WIDTH_OF_CLASS * distance
    return width * ((np.arange(count) + 0.5) / count - 0.5)


def _set_logarithmic(axes: Any, places: npt.NDArray[np.float64]) -> None:
    """Give the axis of numbers a logarithmic scale, with a tick at each number."""
    # A size of 0 has no logarithm. Without places, `initial` stands for their minimum.
    axes.set_xscale("log" if places.min(initial=1) > 0 else "symlog")
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_xticks([], minor=True)


def _are_numbers(labels: Sequence[str], places: npt.NDArray[np.float64]) -> bool:
    """Return whether the labels are the numbers themselves."""
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return False
    return bool(np.allclose(numbers, places))


def _set_labels(axes: Any, places: npt.NDArray[np.float64], labels: Sequence[str], *, beside: int) -> None:
    """Write labels below the axis, unless they are many numbers, for which the axis has ticks of its own.

    `beside` is the number of characters of the longest name beside the axes, which takes room from the labels.
    """
    if not labels or (_are_numbers(labels, places) and len(labels) > _MOST_NUMBER_TICKS):
        return
    # The characters side by side: a label may have several lines.
    length = sum(max(map(len, label.split("\n"))) for label in labels)
    # Labels that fill more than a third of a line are small.
    is_long = length > _CHARACTERS_IN_LINE / 3
    look: dict[str, Any] = {"fontsize": _SMALL_FONT_SIZE if is_long else _FONT_SIZE}
    spaces = len(labels) - 1
    room = _CHARACTERS_IN_LINE - beside * _FONT_SIZE / _SMALL_FONT_SIZE
    if length + spaces > room:
        # Askew, with the end of each label at its tick.
        look |= {"rotation": 40, "ha": "right"}
    # A dollar sign in a label begins no formula.
    axes.set_xticks(places, labels, parse_math=False, **look)


def draw_intervals(scored: Sequence[Scored], headings: Mapping[str, str]) -> Any:
    """Draw the scores that have headings, with their intervals: a block for each score, a row for each system.

    `analysis.drawing.draw_dots` draws the same as SVG, for pages.
    """
    # A block has a row for its heading, and one for each system. Rows are numbered from the top.
    block_size = len(scored) + 1
    row_count = len(headings) * block_size
    figure, axes = _axes(height=0.7 + 0.21 * row_count)
    for heading_row, (key, name) in zip(range(0, row_count, block_size), headings.items(), strict=True):
        # At the left edge of the axes, whatever the scores are.
        axes.text(
            0, heading_row, name, transform=axes.get_yaxis_transform(), va="center", weight="bold", parse_math=False
        )
        for index, system in enumerate(scored):
            style = _style(index)
            row = heading_row + 1 + index
            if key not in system.undefined:
                axes.plot(system.intervals[key], (row, row), color=style["color"], linewidth=1.5)
                axes.plot(system.scores[key], row, style["marker"], color=style["color"], markersize=5)
    rows_of_systems = [row for row in range(row_count) if row % block_size > 0]
    names_in_block = [_drawable(system.prediction) for system in scored]
    axes.set_yticks(rows_of_systems, names_in_block * len(headings), parse_math=False)
    for number, label in enumerate(axes.get_yticklabels()):
        # The same systems are in each block.
        label.set_color(_style(number % len(scored))["color"])
    axes.tick_params(axis="y", length=0)
    # The first row is at the top, with the same margin above it as below the last one.
    axes.set(xlabel="score", ylim=(row_count - 0.4, -0.6))
    return figure


def write_picture(figure: Any, path: str) -> None:
    """Write a figure as PNG, SVG or PDF, by the ending of the name."""
    picture_format = Path(path).suffix.lower().removeprefix(".")
    with open_whole(path) as file:
        _save(figure, file, picture_format)


def _save(figure: Any, file: Any, picture_format: str) -> None:
    """Write a figure to a file in a format: "png", "svg" or "pdf"."""
    import matplotlib

    # Leave the date out, and fix internal names, so that the same picture gives the same file. Publishers reject fonts of type 3.
    with matplotlib.rc_context({"svg.hashsalt": "segmentation-scores", "pdf.fonttype": 42}):
        without_date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # a PNG has none
        figure.savefig(file, format=picture_format, dpi=200, metadata=without_date.get(picture_format))


def _svg_of(figure: Any) -> str:
    """Return a figure as SVG."""
    file = io.StringIO()
    _save(figure, file, "svg")
    return file.getvalue()


def _axes(height: float) -> tuple[Any, Any]:
    """Return a figure of the width of a page's text, and its axes; `height` is in inches."""
    require("matplotlib", "plot")
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(5.8, height), layout="constrained")
    # Without this a notebook shows no figure that pyplot did not make.
    figure._repr_svg_ = partial(_svg_of, figure)
    axes = figure.add_subplot()
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _style(index: int) -> dict[str, Any]:
    """Return the colour, the dashes and the marker of the system with this index; after the last ones the first come again."""
    looks: dict[str, Sequence[Any]] = {"color": COLOURS, "linestyle": _DASHES, "marker": _MARKERS}
    return {name: values[index % len(values)] for name, values in looks.items()}


def _name_ends(axes: Any, lines: Mapping[str, npt.NDArray[np.float64]]) -> None:
    """Write the name of each line beside its end, apart from the others."""
    ends = [_last_defined(values) for values in lines.values()]
    low, high = axes.get_ylim()
    heights = _apart(ends, _LEAST_NAME_DISTANCE * (high - low), low, high)
    # The right end of the axes, at the height of a score; the text is 6 points further to the right.
    options = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
    for index, (name, height) in enumerate(zip(lines, heights, strict=True)):
        text = axes.annotate(_drawable(name), (1, height), (6, 0), va="center", parse_math=False, **options)
        text.set_color(_style(index)["color"])


def _drawable(name: str) -> str:
    """Return the name of a system with a question mark for what is no character, such as a byte of the name of a file."""
    return name.encode(errors="replace").decode()


def _apart(ends: Sequence[float], least_distance: float, low: float, high: float) -> list[float]:
    """Return a height near each of the `ends`, where names can stand: `least_distance` apart, and from `high` downwards.

    They are above `low` too, unless there are too many.

    >>> _apart([0.5, 0.5, 0.0], 0.25, 0.0, 1.0)
    [0.5, 0.75, 0.0]
    """
    # The indices of the ends, from the lowest to the highest.
    rising = np.argsort(ends, kind="stable").tolist()
    heights = list(ends)
    # From the lowest on, move each up as far as needed; then, from the highest on, back below the top.
    lowest_free = low
    for index in rising:
        heights[index] = max(ends[index], lowest_free)
        lowest_free = heights[index] + least_distance
    highest_free = high
    for index in reversed(rising):
        heights[index] = min(heights[index], highest_free)
        highest_free = heights[index] - least_distance
    return heights


def _last_defined(values: npt.NDArray[np.float64]) -> float:
    """Return the last value that is not nan; 0.5 if there is none, the middle of an axis of shares."""
    defined = values[~np.isnan(values)]
    return float(defined[-1]) if len(defined) else 0.5
