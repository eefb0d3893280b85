"""Baselines against scores of every way to cut, and what the command, its JSON and the report print of them."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segscores

from ..apps.command.running import run_command
from ..command_runs import write_files

WORDS: dict[str, Any] = {"text_format": "words"}
EXACT = ["boundary_all", "boundary_noedge", "boundary_start", "boundary_end", "token", "tnr"]
REFERENCES, PREDICTIONS = ["ab c def", "狗 bc", "x", ""], ["a bc def", "狗b c", "x", ""]


def cut(texts: list[str], cuts: set[tuple[int, int]]) -> list[str]:
    return [
        "".join(" " * ((at, place) in cuts) + unit for place, unit in enumerate(text)) for at, text in enumerate(texts)
    ]


TEXTS = [line.replace(" ", "") for line in REFERENCES]
#: The utterance and the offset of each gap.
GAPS = [(at, place) for at, text in enumerate(TEXTS) for place in range(1, len(text))]


def every_way(count: int, **options: Any) -> list[dict[str, float]]:
    """Score every choice of so many gaps."""
    options = {**WORDS, "scores": [*EXACT, "type", "rand"]} | options
    return [segscores.score(REFERENCES, cut(TEXTS, {*cuts}), **options) for cuts in combinations(GAPS, count)]


def assert_near_the_mean(found: float, values: list[float]) -> None:
    """Check that a value is within four standard errors of 100 draws."""
    assert abs(found - np.mean(values)) < 4 * np.std(values) / 10


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("count", range(8))
def test_random_cuts_have_the_mean_of_every_way_to_cut(count: int) -> None:
    prediction = cut(TEXTS, {*GAPS[:count]})
    ways = every_way(count)
    found = segscores.baselines(REFERENCES, prediction, scores=EXACT, **WORDS).scores["random"]
    assert found == {key: pytest.approx(np.mean([way[key] for way in ways]), abs=1e-12) for key in found}


def test_other_scores_are_the_mean_of_draws_with_the_interval_of_the_draws() -> None:
    ways = every_way(3)
    found = segscores.baselines(REFERENCES, PREDICTIONS, scores=["token_recall", "type", "rand"], **WORDS).scores[
        "random"
    ]
    assert {key for key in found if key.endswith("_low")} == {
        "type_precision_low", "type_recall_low", "type_fscore_low", "adjusted_rand_index_low"
    }  # fmt: skip
    for key in ("type_precision", "type_recall", "type_fscore", "adjusted_rand_index"):
        values = [way[key] for way in ways]
        assert_near_the_mean(found[key], values)
        assert min(values) <= found[f"{key}_low"] <= found[key] <= found[f"{key}_high"] <= max(values)


@pytest.mark.filterwarnings("ignore:undefined", "ignore:the mean over clusters leaves out")
@pytest.mark.parametrize(
    ("sides", "options", "every", "none"),
    [
        ((REFERENCES, PREDICTIONS), WORDS, ["a b c d e f", "狗 b c", "x", ""], ["abcdef", "狗bc", "x", ""]),
        ((["a b | c"], ["a | b c"]), {"word_boundary": "|"}, ["a | b | c"], ["a b c"]),
        (([[1, 0, 1]], [[1, 1, 0]]), {"label_scheme": "start"}, [[1, 1, 1]], [[1, 0, 0]]),
        (([["a ", "b"]], [["a", " b"]]), {}, [["a", " ", "b"]], [["a b"]]),
    ],
    ids=["words", "units", "labels", "lists"],
)
@pytest.mark.parametrize("average", ["micro", "macro", "cluster"])
def test_every_gap_and_no_gap_are_scored_as_predictions(
    sides: Any, options: Any, every: Any, none: Any, average: str
) -> None:
    options = {**options, "average": average}
    if average == "cluster":
        options["clusters"] = ["x", *["y"] * (len(sides[0]) - 1)]
    found = segscores.baselines(*sides, second_reference=sides[0], **options).scores
    for name, prediction in {
        "prediction": sides[1],
        "every gap": every,
        "no gap": none,
        "second reference": sides[0],
    }.items():
        assert found[name] == segscores.score(sides[0], prediction, **options)


CLUSTERS = ["x", "x", "y", "z"]


@pytest.mark.parametrize("average", ["macro", "cluster"])
def test_a_mean_of_random_gaps_is_over_the_averaged_units(average: str) -> None:
    options: dict[str, Any] = {**WORDS, "scores": "token_recall", "average": average}
    if average == "cluster":
        options["clusters"] = CLUSTERS
    found = segscores.baselines(REFERENCES, PREDICTIONS, **options).scores["random"]
    assert_near_the_mean(found["token_recall"], [way["token_recall"] for way in every_way(3, **options)])
    assert found["token_recall_low"] < found["token_recall_high"]


def test_systems_with_as_many_boundaries_share_a_column() -> None:
    systems = {"a": PREDICTIONS, "b": PREDICTIONS, "c": REFERENCES, "d": ["abcdef", "狗bc", "x", ""]}
    found = segscores.baselines(REFERENCES, systems, scores="token_recall", **WORDS)
    assert [*found.scores] == [*systems, "every gap", "no gap", "random, as a and b and c", "random, as d"]


@pytest.fixture
def files(in_folder: Path) -> None:
    write_files({"r.txt": REFERENCES, "p.txt": PREDICTIONS, "ids.txt": CLUSTERS})


#: The options of `baselines`, as the command has them.
COLUMNS: list[tuple[dict[str, Any], str]] = [
    ({"scores": "token"}, "--scores token"),
    ({"scores": "token_recall", "average": "cluster", "clusters": CLUSTERS},
     "--scores token_recall --average cluster --clusters ids.txt"),
]  # fmt: skip


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("options", "flags"), COLUMNS, ids=["micro", "cluster"])
def test_the_command_and_the_report_have_the_columns(
    options: dict[str, Any], flags: str, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = segscores.baselines(REFERENCES, PREDICTIONS, second_reference=REFERENCES, **options, **WORDS).scores
    del expected["prediction"]
    line = ["r.txt", "p.txt", "--baselines", "--second-reference", "r.txt", *flags.split()]
    run_command("score", *line, "--min", "token_recall=0", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert found["reference"] == "r.txt"
    assert [entry["prediction"] for entry in found["predictions"]] == ["p.txt"]
    assert {entry["prediction"]: entry["scores"] for entry in found["baselines"]} == expected
    run_command("report", *line, "--confidence", "none", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    ends = [f"{value:.4f}" for key, value in expected["random"].items() if key.endswith(("_low", "_high"))]
    assert len(ends) == 2 * ("average" in options)
    assert all(shown in page for shown in [*(f">{name}</th>" for name in expected), *ends])


@pytest.mark.usefixtures("files")
def test_csv_has_the_intervals_of_a_column_that_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    run_command("score", "r.txt", "p.txt", "--scores", "type_recall", "--baselines", "--format", "csv")
    rows = [line.split(",")[:5] for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["score", "type_recall", "type_recall_low", "type_recall_high"]
    assert [bool(cell) for cell in rows[2]] == [True, False, False, False, True]


@pytest.mark.parametrize("name", ["every gap", "no gap", "random", "second reference"])
def test_a_system_has_not_the_name_of_a_baseline(name: str) -> None:
    with pytest.raises(ValueError, match=f"predictions: '{name}' is the name of a baseline; give .* another name"):
        segscores.baselines(["a b"], {name: ["ab"]}, second_reference=["a b"], text_format="words")
    # Random segmentations of several systems have other names, and without a second reference there is none of its name.
    both = segscores.baselines(["a b"], {"random": ["ab"], "second reference": ["a b"]}, text_format="words").scores
    assert (both["random"]["token_recall"], both["second reference"]["token_recall"]) == (0, 1)


def test_a_baseline_of_morphemes_has_morphemes_of_its_own() -> None:
    # The morphs of "played" are "play" and "ed"; cut at every gap, they are six others, and uncut one other.
    sides = ["played play ed, played"], ["played play ed"]
    found = segscores.baselines(*sides, text_format="alternatives", scores="morpheme").scores
    assert {name: scores["morpheme_recall"] for name, scores in found.items()} == {
        "prediction": 1.0,
        "every gap": 0.0,
        "no gap": 0.0,
        "random": pytest.approx(1 / 5, abs=0.1),
    }


TAGGED: dict[str, Any] = {"text_format": "tagged", "scores": ["token", "tagged_token"]}
MORPHEMES: dict[str, Any] = {"text_format": "words", "scores": "morpheme"}
TIMES: dict[str, Any] = {"text_format": "times", "scores": "token"}


@pytest.mark.parametrize(
    ("reference", "prediction", "options", "message"),
    [
        ("a/X b/Y", "a/X b/Y", TAGGED, r'baselines: .* no tags, and scores=\["tagged_token"\] needs tags'),
        ([(0.0, 1.0, "a")], [(0.0, 1.0, "a")], TIMES, "baselines: recordings have no gaps: leave it out"),
        # A prediction has more morphemes than the reference has gaps.
        ("cat s", "c a t t e d", MORPHEMES, "baselines: .*prediction has 5 inner boundaries; expected 0 to 3"),
    ],
)
def test_what_has_no_baselines(reference: Any, prediction: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        segscores.baselines([reference], [prediction], **options)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--baselines --by length", "--baselines"),
        ("--baselines --on-mismatch align", "leave --on-mismatch align out"),
        ("--baselines --on-error skip", "leave --on-error skip out"),
        ("--baselines --documents", "leave --documents out"),
        ("--second-reference r.txt", "--second-reference.*--baselines"),
    ],
)
def test_what_baselines_do_not_go_with(flags: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run_command("score", "r.txt", "p.txt", *flags.split())
