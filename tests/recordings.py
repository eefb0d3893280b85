"""Recordings for tests: random intervals, a naive scorer of them, and files."""

import itertools
import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

Rows = list[tuple[float, float, str]]
NOTHING = 10**9


def tiles(ends: list[int]) -> list[tuple[float, float]]:
    """Segments without gaps, from their ends in frames of 10 ms."""
    return [(start / 100, end / 100) for start, end in itertools.pairwise([0, *ends])]


def random_rows(source: random.Random, *, most: int = 9, last: int = 60, labels: str = "abc_") -> Rows:
    """Intervals in 10 ms; `_` is silence, and some times are gaps."""
    times = sorted(source.sample(range(last), min(last, source.randint(0, most))))
    rows = [(start / 100, end / 100, source.choice(labels)) for start, end in itertools.pairwise(times)]
    return [row for row in rows if source.random() > 0.2]


def segments(rows: Rows, duration: int | None) -> list[tuple[int, int, str]]:
    """The segments of a recording in frames, with one silent segment "" for silence and gaps that touch."""
    frames = [(round(100 * start), round(100 * end), "" if label == "_" else label) for start, end, label in rows]
    if duration is not None:
        # The gap before this empty interval reaches to the end.
        frames.append((duration, duration, ""))
    whole = []
    before = 0
    for start, end, label in frames:
        if start > before:
            whole.append((before, start, ""))
        if end > start:
            whole.append((start, end, label))
        before = max(before, end)
    merged: list[tuple[int, int, str]] = []
    for start, end, label in whole:
        if merged and not label and not merged[-1][2]:
            merged[-1] = (merged[-1][0], end, label)
        else:
            merged.append((start, end, label))
    return merged


def assign(left: list[int], right: list[int], tolerance: int) -> tuple[int, int]:
    """The number of pairs of the largest one-to-one matching within a tolerance, and the smallest sum of distances."""
    if not left or not right:
        return 0, 0
    distance = np.abs(np.subtract.outer(left, right))
    costs = np.where(distance <= tolerance, distance, NOTHING)
    chosen = costs[linear_sum_assignment(costs)]
    return int((chosen < NOTHING).sum()), int(chosen[chosen < NOTHING].sum())


def naive_counts(
    reference: Rows, prediction: Rows, durations: tuple[int | None, int | None], tolerance: int
) -> dict[str, int]:
    """Counts of one recording, by sets and scipy's assignment."""
    sides = [segments(rows, duration) for rows, duration in zip((reference, prediction), durations, strict=True)]
    ends = [side[-1][1] if side else 0 for side in sides]
    inner = [[end for _, end, _ in side] for side in sides]
    known = [duration is not None for duration in durations]
    if abs(ends[0] - ends[1]) <= tolerance:
        inner = [side[:-1] for side in inner]
    elif known[0] != known[1] and ends[known[1]] > ends[known[0]]:
        # The side of unknown duration is silent up to the end of the other, which is an edge.
        short = int(known[0])
        inner[1 - short].pop()
        if sides[short] and not sides[short][-1][2]:
            inner[short].pop()
    else:
        # Two ends of words count; silence goes on.
        inner = [ends[:-1] if side and not side[-1][2] else ends for ends, side in zip(inner, sides, strict=True)]
    words = [[(start, end) for start, end, label in side if label] for side in sides]
    near = [[any(abs(end - other) <= tolerance for other in inner[1 - at]) for end in inner[at]] for at in (0, 1)]
    reach = np.array(
        [[abs(a - c) <= tolerance and abs(b - d) <= tolerance for c, d in words[1]] for a, b in words[0]], bool
    ).reshape(len(words[0]), len(words[1]))
    return {
        "boundary_noedge_matched": assign(inner[0], inner[1], tolerance)[0],
        "boundary_noedge_predicted": len(inner[1]),
        "boundary_noedge_reference": len(inner[0]),
        "token_matched": int(reach[linear_sum_assignment(~reach)].sum()),
        "token_predicted": len(words[1]),
        "token_reference": len(words[0]),
        "lenient_predicted_matched": sum(near[1]),
        "lenient_reference_matched": sum(near[0]),
    }


def textgrid(tiers: dict[str, Rows], duration: float, *, is_long: bool = True) -> str:
    """A TextGrid of tiers of intervals, which have every moment up to the duration."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', ""]
    lines += [f"xmin = 0 \nxmax = {duration} \ntiers? <exists> \nsize = {len(tiers)} \nitem []: "]
    for number, (name, rows) in enumerate(tiers.items(), 1):
        lines += [f'    item [{number}]:\n        class = "IntervalTier" \n        name = {quoted(name)} ']
        lines += [f"        xmin = 0 \n        xmax = {duration} \n        intervals: size = {len(rows)} "]
        for index, (start, end, label) in enumerate(rows, 1):
            lines += [f"        intervals [{index}]:", f"            xmin = {start} ", f"            xmax = {end} "]
            lines += [f"            text = {quoted(label)} "]
    text = "\n".join(lines) + "\n"
    if is_long:
        return text
    flat = [f'"IntervalTier"\n{quoted(name)}\n0\n{duration}\n{len(rows)}' for name, rows in tiers.items()]
    data = [[f"{start}\n{end}\n{quoted(label)}" for start, end, label in rows] for rows in tiers.values()]
    body = "\n".join("\n".join([head, *intervals]) for head, intervals in zip(flat, data, strict=True))
    return f'File type = "ooTextFile"\n"TextGrid"\n\n0\n{duration}\n<exists>\n{len(tiers)}\n{body}\n'


def write_texts(folder: Path, texts: Mapping[str, str]) -> Path:
    """A folder with files of these texts, also in folders of their own."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def write_folder(folder: Path, recordings: dict[str, Rows], tier: str = "words") -> Path:
    """A folder with a TextGrid for each recording."""
    return write_texts(
        folder, {f"{name}.TextGrid": textgrid({tier: rows}, rows[-1][1]) for name, rows in recordings.items()}
    )
