"""Pictures: what is drawn are the numbers, and a person can tell what is what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure

from segscores.analysis.difficulty import Decile
from segscores.command.plots import plot_deciles, plot_scores


def deciles(words: Sequence[int], recovered: Sequence[int]) -> list[Decile]:
    return [
        Decile(tenth / 10, (tenth + 1) / 10, of, found, found / of if of else 0.0)
        for tenth, (of, found) in enumerate(zip(words, recovered, strict=True))
    ]


WORDS = [1200, 4, 0, 5, 6, 0, 8, 9, 10, 11]
SYSTEMS = {
    "_one$x_1$.txt": deciles(WORDS, [1200, 4, 0, 3, 3, 0, 2, 2, 1, 0]),
    "two|&<b>.txt": deciles(WORDS, [600, 2, 0, 3, 3, 0, 4, 9, 10, 11]),
    "three.txt": deciles(WORDS, [0] * 10),
}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were written, in order."""
    written: list[Figure] = []
    save = Figure.savefig

    def savefig(figure: Figure, *arguments: Any, **options: Any) -> None:
        written.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", savefig)
    return written


def test_a_line_a_system_has_the_shares_of_the_tenths_with_words(figures: list[Figure], tmp_path: Path) -> None:
    plot_deciles(str(tmp_path / "p.svg"), SYSTEMS, "title")
    (axes,) = figures[0].axes
    assert len(axes.lines) == len(SYSTEMS)
    for line, shares in zip(axes.lines, SYSTEMS.values(), strict=True):
        # Points of one tenth stand beside each other, nearer to it than to the next.
        places = np.asarray(line.get_xdata())
        tenths = np.round(places).astype(int)
        assert np.abs(places - tenths).max() < 0.2
        assert dict(zip(tenths.tolist(), line.get_ydata(), strict=True)) == {
            tenth: decile.recovered / decile.words for tenth, decile in enumerate(shares) if decile.words
        }
    assert axes.get_ylim() == (0, 1)


def test_ticks_name_the_range_and_its_words(figures: list[Figure], tmp_path: Path) -> None:
    plot_deciles(str(tmp_path / "p.png"), SYSTEMS, "title")
    (axes,) = figures[0].axes
    assert axes.get_xticks().tolist() == list(range(10))
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels[0] == "0.0–0.1\n1,200"
    assert labels[2] == "0.2–0.3\n0"
    assert labels[9] == "0.9–1.0\n11"


def test_systems_are_told_apart_without_colours(figures: list[Figure], tmp_path: Path) -> None:
    systems = {f"system {number}": SYSTEMS["three.txt"] for number in range(9)}
    plot_deciles(str(tmp_path / "p.png"), systems, "title")
    (axes,) = figures[0].axes
    assert len({line.get_marker() for line in axes.lines}) == len(systems)


@pytest.mark.parametrize("name", ["p.png", "p.svg"])
def test_names_are_shown_as_they_are(figures: list[Figure], tmp_path: Path, name: str) -> None:
    plot_deciles(str(tmp_path / name), SYSTEMS, "_a$b_1$.txt")
    (legend,) = figures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == list(SYSTEMS)
    assert not any(text.get_parse_math() for text in [*legend.get_texts(), figures[0].axes[0].title])


def test_the_name_of_the_file_is_no_formula(figures: list[Figure], tmp_path: Path) -> None:
    plot_scores(str(tmp_path / "curve.svg"), [1, 2], {"F": np.array([0.1, 0.2])}, "a$_$.txt", "training size")
    assert figures[0].axes[0].get_title() == "a$_$.txt"
    assert "a$_$.txt" in (tmp_path / "curve.svg").read_text("utf-8")


def test_the_picture_is_not_blank(tmp_path: Path) -> None:
    pictures = []
    for number, count in enumerate((1, 3)):
        path = tmp_path / f"{number}.png"
        plot_deciles(str(path), dict(list(SYSTEMS.items())[:count]), "title")
        pictures.append(matplotlib.image.imread(path)[..., :3])
    for picture in pictures:
        assert min(picture.shape[:2]) > 500
        assert (picture.min(axis=2) < 0.5).mean() > 0.005
    # Blue, and with more systems red too.
    has_red = [bool(((picture[..., 0] > 0.7) & (picture[..., 2] < 0.2)).any()) for picture in pictures]
    assert has_red == [False, True]


def test_the_same_shares_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        plot_deciles(str(tmp_path / name), SYSTEMS, "title")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
