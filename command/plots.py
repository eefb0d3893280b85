"""Pictures of curves: scores over a share of boundaries, or over a training size."""

from __future__ import annotations

__all__ = ["PICTURE_FORMATS", "check_picture", "plot_scores"]

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

#: Endings of the names of pictures.
PICTURE_FORMATS = (".png", ".svg")

#: More points than this on a line can't be told apart, and make an SVG of megabytes.
_MOST_POINTS = 2000

# Okabe and Ito's colours, which are told apart by the colour-blind too; the dashes do it in black and white.
_STYLES = (("#0072b2", "-"), ("#d55e00", (0, (6, 2))), ("#009e73", (0, (3, 1.5))), ("#555555", (0, (1, 1.5))))
_MARKERS = "osD^"


def check_picture(path: str) -> None:
    """Check that a picture can be made, before the work is done.

    Raises:
        ValueError: the name ends in none of PICTURE_FORMATS, or matplotlib is missing.
    """
    if Path(path).suffix.lower() not in PICTURE_FORMATS:
        raise ValueError(f"--plot {path}: expected a name that ends in {' or '.join(PICTURE_FORMATS)}.")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise ValueError(
            '--plot needs matplotlib, which is not installed: pip install "segmentation-scores[plot]"'
        ) from None


def plot_scores(
    path: str,
    x: Sequence[float] | npt.NDArray[np.float64],
    lines: Mapping[str, npt.NDArray[np.float64]],
    title: str,
    x_label: str,
) -> None:
    """Draw scores over x, with each line's best point marked, and write the picture.

    Args:
        path: a name that `check_picture` takes.
        x: where the points are; a line for each score joins them from left to right.
        lines: scores by label, each with as many values as `x`. Of equal best points the first is marked.
        title, x_label: captions.

    Raises:
        OSError: the file can't be written.
    """
    import matplotlib
    from matplotlib.figure import Figure

    places = np.asarray(x, np.float64)
    # Few points are measurements, to be seen as such.
    few = len(places) <= 40
    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for index, (label, values) in enumerate(lines.items()):
        color, dashes = _STYLES[index % len(_STYLES)]
        marker = _MARKERS[index % len(_MARKERS)]
        best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
        shown = _thin(places, best)
        caption = f"{label}: best {values[best]:.4f} at {places[best]:.4g}"
        axes.plot(places[shown], values[shown], color=color, linestyle=dashes, linewidth=1.6, label=caption)
        if few:
            axes.plot(places, values, marker, color=color, markersize=3.5)
        axes.axvline(places[best], color=color, linestyle=dashes, linewidth=0.6, alpha=0.5)
        # Hollow, so that none hides another where several scores are best at one point.
        axes.plot(places[best], values[best], marker, color=color, markersize=11, markerfacecolor="none", zorder=5)
    axes.set(xlabel=x_label, ylabel="score", title=title, ylim=(-0.02, 1.02))
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    is_svg = Path(path).suffix.lower() == ".svg"
    # Without the date, and with fixed names within, the same scores give the same file.
    with matplotlib.rc_context({"svg.hashsalt": "segmentation-scores"}):
        figure.savefig(path, dpi=160, metadata={"Date": None} if is_svg else None)


def _thin(places: npt.NDArray[np.float64], best: int) -> npt.NDArray[np.int64]:
    """Which points to draw, from left to right: all, or so many that they are evenly spread, and the best."""
    order = np.argsort(places, kind="stable")
    if len(order) <= _MOST_POINTS:
        return order
    wanted = np.linspace(places[order[0]], places[order[-1]], _MOST_POINTS)
    shown = np.searchsorted(places[order], wanted)
    kept: npt.NDArray[np.int64] = np.union1d(shown, np.flatnonzero(order == best))
    return order[np.minimum(kept, len(order) - 1)]
