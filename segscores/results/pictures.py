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
from typing import Any

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
_BESIDE = 0.28
#: The least distance of two names, as a share of the height.
_LEAST = 0.06
#: Above these limits points have no markers, labels below the axis stand askew, and not every number has a tick.
_POINTS, _LONG, _FEW = 40, 90, 12


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
    """Draw scores over x, or of classes with labels, with lines between them if the classes have numbers x. nan has no point.

    `lines`, `intervals` and `wholes` have by name a score for each `x` or class, its interval, and the score of the whole corpus.
    """
    figure, axes = _axes(3.4)
    places = np.asarray(range(len(labels)) if x is None else x, np.float64)
    order = np.argsort(places, kind="stable")
    places, labels = places[order], [labels[at] for at in order] if labels else []
    # Points of a class are side by side, so that none hides another.
    width = _BESIDE * (np.diff(np.unique(places)).min() if len(places) > 1 else 1) if labels else 0
    drawn = {name: np.asarray(scores, np.float64)[order] for name, scores in lines.items()}
    for index, (name, values) in enumerate(drawn.items()):
        style, at, shown = _style(index), places + width * ((index + 0.5) / len(lines) - 0.5), ~np.isnan(values)
        if intervals and intervals[name]:
            axes.vlines(at, *np.transpose(intervals[name])[:, order], color=style["color"], linewidth=1.2)
        if wholes:
            axes.axhline(wholes[name], color=style["color"], linewidth=0.8, linestyle=":")
        style |= {"linestyle": "none"} if x is None else {"marker": ""} if len(places) > _POINTS else {}
        edge = {"markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.6}
        # Show points on the edges whole.
        axes.plot(at[shown], values[shown], clip_on=False, zorder=3, linewidth=1.5, **style, **edge)
        if marks_best:
            best = np.argmax(np.where(shown, values, -np.inf))
            axes.plot(at[best], values[best], "o", color=style["color"], markersize=9, markerfacecolor="none")
    numbers = [f"{place:g}" for place in places]
    if is_logarithmic:
        # A size of 0 has no logarithm.
        axes.set_xscale("log" if places.min(initial=1) > 0 else "symlog")
        axes.set_xticks(places, numbers)
        axes.set_xticks([], minor=True)
    elif labels and (len(labels) <= _FEW or labels != numbers):
        length = sum(max(map(len, label.split("\n"))) for label in labels)
        askew: dict[str, Any] = {"rotation": 40, "ha": "right"} if length > _LONG else {}
        axes.set_xticks(places, labels, fontsize=7 if length > _LONG / 3 else 10, parse_math=False, **askew)
    axes.margins(y=0.08)
    axes.set(xlabel=x_label, ylabel=y_label, ylim=limits)
    _name_ends(axes, drawn)
    return figure


def draw_intervals(scored: Sequence[Scored], headings: Mapping[str, str]) -> Any:
    """Draw the same as `analysis.drawing.draw_dots`: a block for each score with a heading, a row for each system."""
    rows = len(headings) * (len(scored) + 1)
    figure, axes = _axes(0.7 + 0.21 * rows)
    for top, (key, name) in zip(range(0, rows, len(scored) + 1), headings.items(), strict=True):
        axes.text(0, top, name, transform=axes.get_yaxis_transform(), va="center", weight="bold", parse_math=False)
        for index, system in enumerate(scored):
            style, at = _style(index), top + 1 + index
            if key not in system.undefined:
                axes.plot(system.intervals[key], (at, at), color=style["color"], linewidth=1.5)
                axes.plot(system.scores[key], at, style["marker"], color=style["color"], markersize=5)
    places = [row for row in range(rows) if row % (len(scored) + 1)]
    axes.set_yticks(places, [system.prediction for system in scored] * len(headings), parse_math=False)
    for row, label in enumerate(axes.get_yticklabels()):
        label.set_color(_style(row % len(scored))["color"])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="score", ylim=(rows - 0.4, -0.6))
    return figure


def write_picture(figure: Any, path: str) -> None:
    """Write a figure as PNG, SVG or PDF, by the ending of the name."""
    with open_whole(path) as file:
        _save(figure, file, Path(path).suffix.lower()[1:])


def _save(figure: Any, file: Any, form: str) -> None:
    import matplotlib

    # Leave the date out, and fix internal names, so that the same picture gives the same file. Publishers reject fonts of type 3.
    with matplotlib.rc_context({"svg.hashsalt": "segmentation-scores", "pdf.fonttype": 42}):
        date = {"svg": "Date", "pdf": "CreationDate"}.get(form)
        figure.savefig(file, format=form, dpi=200, metadata={date: None} if date else None)


def _svg_of(figure: Any) -> str:
    file = io.StringIO()
    _save(figure, file, "svg")
    return file.getvalue()


def _axes(height: float) -> tuple[Any, Any]:
    """Return a figure of the width of a page's text, and its axes."""
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
    looks: dict[str, Sequence[Any]] = {"color": COLOURS, "linestyle": _DASHES, "marker": _MARKERS}
    return {name: values[index % len(values)] for name, values in looks.items()}


def _name_ends(axes: Any, lines: Mapping[str, npt.NDArray[np.float64]]) -> None:
    """Write the name of each line beside its end, apart from the others."""
    ends = [next((float(value) for value in values[::-1] if not np.isnan(value)), 0.5) for values in lines.values()]
    low, high = axes.get_ylim()
    least = _LEAST * (high - low)
    order = np.argsort(ends, kind="stable").tolist()
    places: list[float] = []
    for at in order:
        places.append(max(ends[at], places[-1] + least if places else low))
    for rank in reversed(range(len(places))):
        places[rank] = min(places[rank], high)
        high = places[rank] - least
    height_of = dict(zip(order, places, strict=True))
    options = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "annotation_clip": False}
    for index, name in enumerate(lines):
        text = axes.annotate(name, (1, height_of[index]), (6, 0), va="center", parse_math=False, **options)
        text.set_color(_style(index)["color"])
