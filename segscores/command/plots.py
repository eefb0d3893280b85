"""Pictures: scores over a share of boundaries or over a training size, and words recovered by difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..sources.outputs import open_whole
from ..support.optional import require

if TYPE_CHECKING:
    from ..analysis.difficulty import Decile

#: Endings of the names of pictures.
PICTURE_FORMATS = (".png", ".svg")

#: The largest number of points on a line; more can't be distinguished, and would make an SVG of megabytes.
_MOST_POINTS = 2000

# Okabe and Ito's colours, which colour-blind people can distinguish too; in black and white the dashes differ.
_STYLES = (("#0072b2", "-"), ("#d55e00", (0, (6, 2))), ("#009e73", (0, (3, 1.5))), ("#555555", (0, (1, 1.5))))
_MARKERS = "osD^"

# Their number is greater than that of the styles and not a multiple of it, so that there are many distinct pairs.
_SYSTEM_MARKERS = "os^DvP*X<"

#: The width of the range of the points of one tenth, where tenths are 1 apart.
_BESIDE = 0.28


def check_picture(path: str) -> None:
    """Check that a picture can be made, before any work is done."""
    if Path(path).suffix.lower() not in PICTURE_FORMATS:
        raise ValueError(f"--plot {path}: expected a name that ends in {' or '.join(PICTURE_FORMATS)}.")
    require("matplotlib", "--plot")


def plot_scores(
    path: str,
    x: Sequence[float] | npt.NDArray[np.float64],
    lines: Mapping[str, npt.NDArray[np.float64]],
    title: str,
    x_label: str,
) -> None:
    """Draw scores over x, with each line's best point marked, and write the picture.

    Args:
        lines: scores by label, each with a value for each `x`. Of several best points the first is marked.
    """
    from matplotlib.figure import Figure

    places = np.asarray(x, np.float64)
    # Few points are measurements, and shown as points.
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
        # Hollow marks, so that none hides another if several scores are best at the same point.
        axes.plot(places[best], values[best], marker, color=color, markersize=11, markerfacecolor="none", zorder=5)
    axes.set(xlabel=x_label, ylabel="score", ylim=(-0.02, 1.02))
    axes.set_title(title, parse_math=False)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    _save(figure, path)


def plot_deciles(path: str, systems: Mapping[str, Sequence[Decile]], title: str) -> None:
    """Draw the share of words recovered per tenth of difficulty, a line per system, and write the picture.

    A tenth without words has no points; lines join its neighbours.
    """
    from matplotlib.figure import Figure

    tenths = next(iter(systems.values()))
    figure = Figure(figsize=(7.6, 4.9), layout="constrained")
    axes = figure.add_subplot()
    lines = []
    for index, deciles in enumerate(systems.values()):
        color, dashes = _STYLES[index % len(_STYLES)]
        shares = {place: decile.share for place, decile in enumerate(deciles) if decile.words}
        lines += axes.plot(
            # Points are side by side, so that none hides another with the same share.
            [place + _BESIDE * (index - (len(systems) - 1) / 2) / len(systems) for place in shares],
            list(shares.values()),
            marker=_SYSTEM_MARKERS[index % len(_SYSTEM_MARKERS)],
            color=color,
            linestyle=dashes,
            linewidth=1.4,
            markersize=6.5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            # Do not clip points on the edges.
            clip_on=False,
            zorder=3,
        )
    labels = [f"{decile.lower:.1f}–{decile.upper:.1f}\n{decile.words:,}" for decile in tenths]
    axes.set_xticks(range(len(tenths)), labels, fontsize=9)
    axes.set(
        xlabel="difficulty: share of the committee that misses the word\n(below each range: how many words it has)",
        ylabel="share of words recovered",
        xlim=(-0.4, len(tenths) - 0.6),
        ylim=(0, 1),
    )
    axes.set_yticks(np.arange(11) / 10)
    axes.set_title(title, parse_math=False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    legend = figure.legend(
        lines, [str(index) for index in range(len(lines))], loc="outside lower center", ncols=2, frameon=False
    )
    # Set labels afterwards, because matplotlib leaves out labels that begin with an underscore.
    for text, name in zip(legend.get_texts(), systems, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
    _save(figure, path)


def _save(figure: Any, path: str) -> None:
    import matplotlib

    is_svg = Path(path).suffix.lower() == ".svg"
    # Without the date, and with fixed internal names, the same picture gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "segmentation-scores"}), open_whole(path) as file:
        figure.savefig(file, format="svg" if is_svg else "png", dpi=160, metadata={"Date": None} if is_svg else None)


def _thin(places: npt.NDArray[np.float64], best: int) -> npt.NDArray[np.int64]:
    """The points to draw, from left to right: all, or an evenly spread selection, and the best."""
    order = np.argsort(places, kind="stable")
    if len(order) <= _MOST_POINTS:
        return order
    wanted = np.linspace(places[order[0]], places[order[-1]], _MOST_POINTS)
    shown = np.searchsorted(places[order], wanted)
    kept: npt.NDArray[np.int64] = np.union1d(shown, np.flatnonzero(order == best))
    return order[np.minimum(kept, len(order) - 1)]
