"""Scores of a data frame of Spark, against one process: a real local Spark, and a cluster of one worker."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from segscores import score, score_dataframe

from ..corpora import random_corpus_pair, words_text
from ..naive import naive_scores

# Random units are control characters too.
pytestmark = pytest.mark.filterwarnings("ignore:.* this looks like text with control characters")

ROOT = Path(__file__).resolve().parents[2]
CORPUS = random_corpus_pair(300, seed=64)
WORDS = words_text(CORPUS[0]), words_text(CORPUS[1])
WORDS_TEXT = {"text_format": "words"}


def frame_of(spark: Any, references: Any, predictions: Any) -> Any:
    return spark.createDataFrame([*zip(references, predictions, strict=True)], "reference string, prediction string")


@pytest.fixture(scope="module")
def corpus(spark: Any) -> Any:
    """The random corpus as words text."""
    return frame_of(spark, *WORDS).cache()


@pytest.mark.parametrize(
    ("partitions", "options"),
    [(1, {}), (2, {}), (7, {}), (3, {"scores": ["windows", "rand"], "on_mismatch": "align"}), (3, {"scores": "bpr"})],
)
def test_scores_over_any_number_of_partitions_equal_one_process(
    corpus: Any, partitions: int, options: dict[str, Any]
) -> None:
    found = score_dataframe(corpus.repartition(partitions), **WORDS_TEXT, **options)
    assert found == (score(*WORDS, **WORDS_TEXT, **options) if options else naive_scores(*CORPUS))


def test_names_of_columns_may_have_dots_and_backticks(corpus: Any) -> None:
    frame = corpus.toDF("the.reference", "a`b")
    columns = {"reference_column": "the.reference", "prediction_column": "a`b"}
    assert score_dataframe(frame, **columns, **WORDS_TEXT) == naive_scores(*CORPUS)


BAD = {40: "wrong", 7: "x\0", 100: None}


@pytest.fixture(scope="module")
def damaged(spark: Any) -> Any:
    """The corpus in one partition, with the predictions of BAD."""
    return frame_of(spark, WORDS[0], [BAD.get(row, line) for row, line in enumerate(WORDS[1])]).coalesce(1).cache()


@pytest.mark.parametrize("scores", ["token", "windows"])
def test_bad_rows_are_left_out_and_counted(damaged: Any, scores: str) -> None:
    good = [row for row in range(300) if row not in BAD]
    with pytest.warns(
        UserWarning, match=r"^3 of 300 utterances .* The first is in partition 0: predictions, utterance 7: "
    ):
        found = score_dataframe(damaged, on_error="skip", scores=scores, **WORDS_TEXT)
    assert found == score(*([side[row] for row in good] for side in WORDS), scores=scores, **WORDS_TEXT)


def test_the_error_names_the_partition_and_the_row_and_shows_the_utterances(spark: Any) -> None:
    frame = spark.range(40).repartition(4).selectExpr("'the dog' AS reference", "'thedog' AS prediction")
    frame = frame.union(frame_of(spark, ["a b", "the cat"], ["a b", "the rat"]).coalesce(1))
    message = (
        r"^row 1 of partition 4 \(from 0\): the units differ .* the reference 'the cat' and the prediction 'the rat'\.$"
    )
    with pytest.raises(ValueError, match=message):
        score_dataframe(frame, **WORDS_TEXT)


@pytest.mark.filterwarnings("default:.*:UserWarning")
def test_warnings_equal_one_process(spark: Any) -> None:
    text = frame_of(spark, *[["a ;eword b"] * 40] * 2).repartition(4)
    with pytest.warns(
        UserWarning, match=r"^the boundary token .* never occurs.*did you mean word_boundary=.;eword."
    ) as seen:
        score_dataframe(text, scores="token")
    assert len(seen) == 1
    with pytest.warns(UserWarning, match="of the words of the reference are out of the vocabulary|vocabulary"):
        score_dataframe(frame_of(spark, *[["the dog"] * 30] * 2), scores="oov", vocabulary=["x y"], **WORDS_TEXT)


def test_tags_are_refused_wherever_they_are(spark: Any) -> None:
    sides = ["array('B', 'I', 'B') AS reference", "array('B', 'I', if(id % 2 = 0, 'B', 'I')) AS prediction"]
    tags = spark.range(40).repartition(4).selectExpr(*sides)
    for on_error in ("error", "skip"):
        with pytest.raises(TypeError, match=r'^received lists of tags \(B, I\).*label_scheme="BI"'):
            score_dataframe(tags, on_error=on_error, scores="token")


TEXT = "SELECT 'a' AS reference, 'a' AS prediction"
BYTES = "SELECT 'a' AS reference, string(X'61FF') AS prediction"


@pytest.mark.parametrize(
    ("query", "arguments", "error", "message"),
    [
        (TEXT, {"reference_column": "gold"}, ValueError, "reference_column: there is no column 'gold'; the columns are "),
        (TEXT, {"prediction_column": 3}, TypeError, "prediction_column: expected the name of a column, received 3"),
        (TEXT, {"score": "token"}, TypeError, "unknown option 'score'"),
        (TEXT, {"label_scheme": "start"}, TypeError, 'label_scheme="start" is for lists of labels'),
        (f"{TEXT} WHERE false", {"scores": "windows"}, ValueError, "there is nothing to score: expected at least one row"),
        ("SELECT 1 AS reference, 2 AS prediction", {}, TypeError,
         "references: received an Arrow array of type int32; expected a string"),
        (BYTES, WORDS_TEXT, ValueError, r"predictions: the byte 0xff at offset 1 .* and the prediction b'a\\xff'\.$"),
        (BYTES, {**WORDS_TEXT, "on_error": "skip"}, ValueError,
         r"none of the 1 utterances can be scored\. The first problem: in partition 0: "),
    ],
)  # fmt: skip
def test_bad_arguments_and_frames_are_refused(
    spark: Any, query: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        score_dataframe(spark.sql(query), **arguments)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [(pd.DataFrame({"reference": ["a"], "prediction": ["a"]}), "pandas.DataFrame"), ([], "builtins.list")],
)
def test_other_objects_are_an_error_that_names_score_dataset(frame: Any, kind: str) -> None:
    with pytest.raises(
        TypeError, match=rf"^received a value of type {kind}; expected a DataFrame of Spark\. score_dataset"
    ):
        score_dataframe(frame)


EXAMPLE_SCORES = {"scores": ["token", "type"], **WORDS_TEXT}
EXAMPLE_OPTIONS = ["--scores", "token,type", "--text-format", "words"]


def test_the_example_scores_texts(
    spark: Any, example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / "r.txt", tmp_path / "p.txt"]
    for path, lines in zip(paths, WORDS, strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["score_on_spark.py", *map(str, paths), *EXAMPLE_OPTIONS])
    # Its session is that of the other tests.
    monkeypatch.setattr(spark, "stop", lambda: None)
    example("score_on_spark").main()
    assert json.loads(capsys.readouterr().out) == score(*WORDS, **EXAMPLE_SCORES)


@pytest.mark.usefixtures("java")
def test_the_example_scores_json_lines_on_a_cluster(tmp_path: Path) -> None:
    """A worker is a process of its own, which Spark starts on this machine."""
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    home = Path(spec.origin).parent
    environment = os.environ | {
        "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(tmp_path),
        "SPARK_WORKER_DIR": str(tmp_path), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore::FutureWarning",
    }  # fmt: skip
    settings = ("spark.ui.enabled=false", "spark.executor.memory=512m", "spark.sql.shuffle.partitions=2")
    rows = [json.dumps({"gold": left, "system": right}) for left, right in zip(*WORDS, strict=True)]
    (tmp_path / "both.jsonl").write_text("\n".join(rows), encoding="utf-8")
    command = [home / "bin/spark-submit", "--master", "local-cluster[1,1,1024]"]
    command += [word for setting in settings for word in ("--conf", setting)]
    columns = ["--reference-column", "gold", "--prediction-column", "system"]
    command += [ROOT / "examples/score_on_spark.py", "both.jsonl", *columns]
    done = subprocess.run(
        [*map(str, command), *EXAMPLE_OPTIONS], env=environment, cwd=tmp_path, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == score(*WORDS, **EXAMPLE_SCORES)
