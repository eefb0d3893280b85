"""Scores of a DataFrame of Spark, against one process: a real local Spark, which needs a Java runtime."""

from __future__ import annotations

import gzip
import math
import os
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash

from segscores.kernel.errors import UtteranceError
from segscores.measures.registry import GROUPS, compute_scores
from segscores.reading.inputs import read_pair
from segscores.scale.poisson_bootstrap import poisson_weights
from segscores.scale.spark_errors import SparkJobError, UnreadableFileError, explained
from segscores.scale.spark_scores import per_utterance_dataframe, score_dataframe, tally_dataframe
from segscores.scoring.options import Plan
from segscores.scoring.pipeline import score_tally, tally_columns
from segscores.statistics.utterance_scores import per_utterance

from ..naive import naive_counts, random_corpus_pair, units_text, word_lists, words_text

CORPUS = random_corpus_pair(300, seed=64)
WORDS = words_text(CORPUS[0]), words_text(CORPUS[1])
#: Every group, and options other than the default ones.
EVERYTHING: dict[str, Any] = {
    "text_format": "words",
    "scores": tuple(GROUPS),
    "dictionary": ["a", "ab", "ba", "狗"],
    "acceptable": ["ab"],
    "vocabulary": WORDS[0][:200],
    "on_mismatch": "align",
    "tolerance": 2,
    "window_convention": "nltk",
}


def labels(words: Any) -> list[int]:
    return [int(place == 0) for word in words for place in range(len(word))]


@pytest.fixture(scope="session")
def corpus(spark: Any) -> Any:
    """The random corpus as words text, with the number of each row."""
    rows = [(index, *sides) for index, sides in enumerate(zip(*WORDS, strict=True))]
    return spark.createDataFrame(rows, "line bigint, reference string, prediction string").repartition(2).cache()


def totals(references: Any, predictions: Any, **options: Any) -> dict[str, int]:
    return tally_columns(*read_pair(references, predictions), Plan.of(**options)).totals()


@pytest.mark.parametrize("partitions", [1, 2, 7, 64])
def test_counts_are_those_of_one_process_over_any_number_of_partitions(corpus: Any, partitions: int) -> None:
    found = tally_dataframe(corpus.repartition(partitions), text_format="words")
    assert found.counts == naive_counts(*CORPUS)
    assert found.scores() == score_tally(
        tally_columns(*read_pair(*WORDS), Plan.of(text_format="words")), Plan.of(text_format="words")
    )


@pytest.mark.parametrize("partitions", [1, 7])
def test_every_group_counts_what_one_process_counts(corpus: Any, partitions: int) -> None:
    found = tally_dataframe(corpus.repartition(partitions), **EVERYTHING)
    options = Plan.of(**EVERYTHING)
    expected = tally_columns(*read_pair(*WORDS), options)
    assert [*found.counts.items()] == [*expected.totals().items()]
    assert found.scores() == score_tally(expected, options)


@pytest.mark.parametrize(
    ("kind", "write", "options"),
    [
        ("string", units_text, {"text_format": "units"}),
        ("array<string>", word_lists, {}),
        ("array<int>", lambda corpus: [*map(labels, corpus)], {"label_scheme": "start"}),
    ],
    ids=["units", "lists", "labels"],
)  # fmt: skip
def test_every_form_is_read_as_in_one_process(spark: Any, kind: str, write: Any, options: dict[str, Any]) -> None:
    sides = [write(side) for side in CORPUS]
    df = spark.createDataFrame([*zip(*sides, strict=True)], f"`the.reference` {kind}, p {kind}")
    found = tally_dataframe(df, reference_column="the.reference", prediction_column="p", **options)
    assert found.counts == totals(*sides, **options)


def test_batches_smaller_than_a_partition_add_up(spark: Any, corpus: Any) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        assert tally_dataframe(corpus, text_format="words").counts == naive_counts(*CORPUS)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
def test_mismatches_are_skipped_as_in_one_process(spark: Any) -> None:
    sides = ["the dog", "is on", "", "a cat"], ["thedog", "isnt on", "", "acat"]
    options = {"text_format": "words", "scores": ("token", "type", "windows"), "on_mismatch": "skip"}
    df = spark.createDataFrame([*zip(*sides, strict=True)], "reference string, prediction string")
    assert tally_dataframe(df, **options).counts == totals(*sides, **options)


BAD_LINES = {40: "wrong", 7: "x\0", 200: "other"}


@pytest.fixture(scope="session")
def damaged(spark: Any) -> Any:
    """The corpus with bad predictions in BAD_LINES, and no prediction in line 100."""
    rows = [(index, *sides) for index, sides in enumerate(zip(*WORDS, strict=True))]
    rows = [(index, left, BAD_LINES.get(index, right)) for index, left, right in rows]
    rows[100] = (100, WORDS[0][100], None)
    return spark.createDataFrame(rows, "line bigint, reference string, prediction string").coalesce(1).cache()


@pytest.mark.parametrize("partitions", [1, 7])
def test_the_error_is_that_of_the_bad_row_with_the_smallest_number(damaged: Any, partitions: int) -> None:
    with pytest.raises(UtteranceError, match=r"^predictions, utterance 7: there is a NUL character") as raised:
        score_dataframe(damaged.repartition(partitions), index_column="line", text_format="words")
    assert raised.value.utterance == 7
    assert "\n" not in str(raised.value)


def test_without_numbers_an_error_names_the_place_among_all_rows(damaged: Any) -> None:
    shuffled = damaged.filter("line <> 7").repartition(5).cache()
    lines = [row["line"] for row in shuffled.collect()]
    expected = min(lines.index(line) for line in (40, 100, 200))
    with pytest.raises(UtteranceError, match=f"utterance {expected}: "):
        score_dataframe(shuffled, text_format="words")
    shuffled.unpersist()


@pytest.mark.parametrize("scores", ["token", ("token", "type", "windows")], ids=["token", "windows"])
@pytest.mark.parametrize("partitions", [1, 7])
def test_bad_rows_are_left_out_and_counted(damaged: Any, partitions: int, scores: Any) -> None:
    options = {"text_format": "words", "scores": scores}
    found = tally_dataframe(damaged.repartition(partitions), index_column="line", on_error="skip", **options)
    kept = [index for index in range(300) if index not in BAD_LINES and index != 100]
    assert found.left_out == 4
    assert found.rows == 300
    assert str(found.first_left_out).startswith("predictions, utterance 7: there is a NUL character")
    assert found.counts == totals(*([side[index] for index in kept] for side in WORDS), **options)


def test_a_warning_says_how_many_rows_were_left_out(damaged: Any) -> None:
    with pytest.warns(
        UserWarning, match=r"^4 of 300 utterances could not be scored.*predictions, utterance 7: there is a"
    ):
        score_dataframe(damaged, index_column="line", on_error="skip", text_format="words", scores="token")


def test_a_row_with_bytes_that_are_not_text_is_bad(spark: Any) -> None:
    df = spark.sql("SELECT 0 AS line, 'a' AS reference, string(X'61FF') AS prediction")
    with pytest.raises(UtteranceError, match=r"predictions, utterance 0: the byte 0xff at offset 1 is not valid UTF-8"):
        score_dataframe(df, index_column="line", text_format="words")
    with pytest.raises(
        ValueError, match=r"utterance 0: none of the 1 utterances can be scored\. The first problem: the byte"
    ):
        score_dataframe(df, index_column="line", on_error="skip", text_format="words")


def test_a_missing_word_in_a_list_is_a_bad_row(spark: Any) -> None:
    df = spark.createDataFrame([(["a"], ["a"]), (["b"], [None])], "reference array<string>, prediction array<string>")
    with pytest.raises(UtteranceError, match=r"predictions, utterance 1: received a list with None in it"):
        score_dataframe(df)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"reference_column": "gold"}, ValueError, "reference_column: there is no column 'gold'; the columns are line"),
        ({"prediction_column": "line"}, TypeError, "the column 'line' is of bigint; expected string, array<string>"),
        ({"index_column": "prediction"}, TypeError, "index_column: 'prediction' is of string; expected integers"),
        ({"index_column": "number"}, ValueError, "index_column: there is no column 'number'"),
        ({"on_error": "ignore"}, ValueError, "unknown on_error 'ignore': expected 'raise' or 'skip'"),
        ({"score": "token"}, TypeError, "unknown option 'score'"),
        ({"label_scheme": "start"}, TypeError, "label_scheme='start' is for lists of labels"),
        ({"confidence": 0.95}, ValueError, "name the column that has it with index_column"),
        ({"clusters": "line"}, ValueError, "clusters: it is for intervals: add confidence=0.95"),
        ({"clusters": "doc", "confidence": 0.9}, ValueError, "there is no column 'doc' with clusters; the columns are"),
        ({"clusters": 7, "confidence": 0.9}, TypeError, "clusters: expected the name of a column, received 7"),
        ({"confidence": 95}, ValueError, "Did you mean 0.95?"),
    ],
)
def test_bad_arguments_are_refused_before_any_job(
    corpus: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message.replace("?", r"\?")):
        score_dataframe(corpus, **arguments)


def test_an_empty_dataframe_is_refused(corpus: Any) -> None:
    with pytest.raises(ValueError, match="there is nothing to score: expected at least one row"):
        score_dataframe(corpus.limit(0), text_format="words")


@pytest.mark.parametrize("partitions", [1, 7])
def test_rows_have_the_scores_that_one_process_gives_them(damaged: Any, partitions: int) -> None:
    options = {"text_format": "words", "scores": ("token", "type", "windows")}
    good = [index for index in range(300) if index not in BAD_LINES and index != 100]
    expected = per_utterance(*([side[index] for index in good] for side in WORDS), **options)
    scored = per_utterance_dataframe(damaged.repartition(partitions), index_column="line", on_error="skip", **options)
    found = {row["line"]: row.asDict() for row in scored.collect()}
    keys = Plan.of(**options).keys
    for index, row in zip(good, expected, strict=True):
        assert {key: found[index][key] for key in keys} == {key: row[key] for key in keys}
        assert found[index]["error"] is None
        assert found[index]["reference"] == WORDS[0][index]
    assert found[7]["error"].startswith("predictions: there is a NUL character")
    assert found[7]["token_recall"] is None


def test_rows_that_are_skipped_have_no_scores(spark: Any) -> None:
    df = spark.createDataFrame([("a b", "ab"), ("a", "b")], "reference string, prediction string")
    scored = per_utterance_dataframe(df, text_format="words", scores="token", on_mismatch="skip").collect()
    assert scored[0]["token_recall"] == 0.0
    assert math.isnan(scored[1]["token_recall"])


def test_a_bad_row_fails_the_job_that_reads_the_scores(damaged: Any) -> None:
    scored = per_utterance_dataframe(damaged, index_column="line", text_format="words", scores="token")
    with (
        pytest.raises(
            SparkJobError, match=r"a worker failed with ValueError: predictions, utterance 7: there is a NUL"
        ),
        explained(),
    ):
        scored.collect()


def test_columns_named_as_scores_are_refused(corpus: Any) -> None:
    with pytest.raises(ValueError, match="has a column 'token_recall' already"):
        per_utterance_dataframe(corpus.withColumnRenamed("line", "token_recall"), text_format="words")


def test_resamples_do_not_depend_on_the_partitions_and_are_the_weighted_sums(corpus: Any) -> None:
    options = {"text_format": "words", "scores": ("token", "rand")}
    found = [
        tally_dataframe(corpus.repartition(partitions), index_column="line", n_resamples=25, seed=3, **options)
        for partitions in (1, 7)
    ]
    weights = poisson_weights(3, np.arange(300), 25)
    lists = [*zip(*WORDS, strict=True)]
    for resample in range(25):
        repeated = [
            pair for pair, times in zip(lists, weights[:, resample].tolist(), strict=True) for _ in range(times)
        ]
        expected = totals(*zip(*repeated, strict=True), **options)
        for tally in found:
            assert {column: sums[resample] for column, sums in tally.resampled.items()} == expected


def test_intervals_are_quantiles_of_the_resampled_scores(corpus: Any) -> None:
    with pytest.warns(UserWarning, match="type scores have no interval on Spark"):
        found = score_dataframe(
            corpus, index_column="line", text_format="words", scores=("token", "type"), confidence=0.9, n_resamples=200
        )
    tally = tally_dataframe(corpus, index_column="line", text_format="words", scores="token", n_resamples=200)
    replicates = compute_scores(tally.resampled, ["token_recall"])["token_recall"]
    low, high = np.quantile(replicates, [0.05, 0.95])
    assert found["token_recall_low"] == pytest.approx(low)
    assert found["token_recall_high"] == pytest.approx(high)
    assert found["token_recall_low"] < found["token_recall"] < found["token_recall_high"]
    assert "type_recall_low" not in found


def naive_clusters(ids: list[str]) -> Any:
    """The number of each id's cluster: XXH64 with Spark's seed, as a signed integer."""
    return np.array([xxhash.xxh64_intdigest(each.encode(), seed=42) for each in ids], np.uint64).view(np.int64)


def test_clusters_are_resampled_whole_wherever_their_rows_are(corpus: Any) -> None:
    options = {"text_format": "words", "scores": ("token", "rand")}
    ids = [f"document {line * 7 % 40}" for line in range(300)]
    documents = corpus.selectExpr("*", "concat('document ', line * 7 % 40) AS `the.document`")
    found = [
        tally_dataframe(documents.repartition(partitions), clusters="the.document", n_resamples=12, seed=3, **options)
        for partitions in (1, 7)
    ]
    weights = poisson_weights(3, naive_clusters(ids), 12)
    lists = [*zip(*WORDS, strict=True)]
    for resample in range(12):
        repeated = [
            pair for pair, times in zip(lists, weights[:, resample].tolist(), strict=True) for _ in range(times)
        ]
        expected = totals(*zip(*repeated, strict=True), **options)
        for tally in found:
            assert {column: sums[resample] for column, sums in tally.resampled.items()} == expected
    assert [(tally.clusters, tally.scored_clusters) for tally in found] == [(40, 40)] * 2


def test_clusters_of_single_rows_are_rows_and_repeated_rows_add_no_information(spark: Any, corpus: Any) -> None:
    options = {"text_format": "words", "scores": "token", "confidence": 0.95, "n_resamples": 100}
    by_row = score_dataframe(corpus, index_column="line", **options)
    assert score_dataframe(corpus, clusters="line", **options) == by_row
    thrice = corpus.crossJoin(spark.range(3)).selectExpr("*", "3 * line + id AS row")
    assert score_dataframe(thrice, clusters="line", **options) == by_row
    apart = score_dataframe(thrice, index_column="row", **options)
    widths = [found["token_recall_high"] - found["token_recall_low"] for found in (by_row, apart)]
    # Three times as many independent rows have intervals that are narrower by √3; quantiles of 100 resamples vary by a tenth.
    assert widths[0] / widths[1] == pytest.approx(math.sqrt(3), rel=0.3)


def test_clusters_without_scored_rows_count_only_in_the_signature(damaged: Any) -> None:
    options = {"text_format": "words", "scores": "token", "on_error": "skip", "n_resamples": 10}
    found = tally_dataframe(damaged, clusters="line", **options)
    assert (found.clusters, found.scored_clusters) == (300, 296)


def test_a_row_without_a_cluster_is_named(corpus: Any) -> None:
    documents = corpus.selectExpr("*", "if(line IN (31, 17), NULL, string(line div 5)) AS document")
    with pytest.raises(UtteranceError, match=r"^utterance 17: there is no id in the column 'document'.* a unique id\."):
        score_dataframe(
            documents, clusters="document", index_column="line", text_format="words", on_error="skip", confidence=0.9
        )


@pytest.mark.filterwarnings("default:.*intervals from fewer than:UserWarning")
def test_few_clusters_are_warned_of_and_one_is_an_error(corpus: Any) -> None:
    options = {"text_format": "words", "scores": "token", "confidence": 0.95, "n_resamples": 20}
    with pytest.warns(UserWarning, match=r"^12 clusters: intervals from fewer than 30 contain"):
        score_dataframe(corpus.selectExpr("*", "line div 25 AS part"), clusters="part", **options)
    with pytest.raises(ValueError, match=r"at least two clusters, received 1: .* its utterances count as independent"):
        score_dataframe(corpus.selectExpr("*", "'a' AS part"), clusters="part", **options)


@pytest.mark.filterwarnings("default:.*:UserWarning")
def test_undefined_scores_are_warned_of(spark: Any) -> None:
    df = spark.sql("SELECT 'a' AS reference, 'a' AS prediction")
    undefined = "boundary_noedge_precision, boundary_noedge_recall, boundary_noedge_fscore"
    with pytest.warns(UserWarning, match=rf"^undefined \(0/0\), and so 0\.0: {undefined}\."):
        score_dataframe(df, text_format="words", scores=["token", "boundary_noedge"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_dataframe(df, text_format="words", scores="boundary_noedge", zero_division=0.0)


@pytest.mark.filterwarnings("default:.*:UserWarning")
def test_tags_and_missing_boundaries_are_found_as_in_one_process(spark: Any) -> None:
    sides = ["array('B', 'I', 'B') AS reference", "array('B', 'I', if(id % 2 = 0, 'B', 'I')) AS prediction"]
    tags = spark.range(40).repartition(4).selectExpr(*sides)
    for on_error in ("raise", "skip"):
        for scores in ("token", "windows"):
            with pytest.raises(TypeError, match=r'^received lists of tags \(B, I\).*label_scheme="BI"'):
                score_dataframe(tags, on_error=on_error, scores=scores)
    assert score_dataframe(tags, label_scheme="BI", scores="token_recall") == {"token_recall": 0.5}
    with_a_word = tags.union(spark.sql("SELECT array('the', 'B'), array('the', 'B')"))
    with pytest.warns(UserWarning, match="^20 of 41 utterances could not be scored"):
        assert score_dataframe(with_a_word, on_error="skip", scores="token_recall") == {"token_recall": 1.0}

    text = spark.range(40).repartition(4).selectExpr("'a ;eword b' AS reference", "'a ;eword b' AS prediction")
    with pytest.warns(
        UserWarning, match=r"^the boundary token 'WORD_BOUNDARY' never occurs.*did you mean word_boundary=.;eword."
    ) as seen:
        score_dataframe(text, scores="token")
    assert len(seen) == 1


def test_names_of_columns_may_have_dots_and_backticks(spark: Any) -> None:
    df = spark.sql("SELECT 7 AS `a.b`, 'a b' AS `gold``s`, 'ab' AS `x.y`")
    options = {"index_column": "a.b", "reference_column": "gold`s", "prediction_column": "x.y", "text_format": "words"}
    assert score_dataframe(df, scores="token_recall", **options) == {"token_recall": 0.0}


@pytest.mark.filterwarnings("default:.*:UserWarning")
def test_a_score_that_does_not_vary_has_no_interval(spark: Any) -> None:
    df = spark.range(40).selectExpr("id AS line", "'a b cd' AS reference", "'a bcd' AS prediction")
    with pytest.warns(UserWarning, match="no interval for token_recall.*which utterances are drawn"):
        found = score_dataframe(
            df, index_column="line", text_format="words", scores="token_recall", confidence=0.9, n_resamples=20
        )
    assert math.isnan(found["token_recall_low"])


def test_the_death_of_a_worker_is_reported_in_one_line(spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    def die(batches: Any) -> Any:
        os._exit(1)
        yield from batches

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        dying = spark.range(4).mapInArrow(die, "id bigint")
    df = dying.select(F.lit("a").alias("reference"), F.lit("a").alias("prediction"))
    with pytest.raises(SparkJobError, match=r"^a Python worker of Spark died, and was not tried again: [^\n]*$"):
        score_dataframe(df, text_format="words")


def test_an_error_of_the_engine_is_reported_in_one_line(spark: Any) -> None:
    df = spark.range(1).selectExpr("raise_error('the disk is gone') AS reference", "'a' AS prediction")
    df = df.selectExpr("string(reference) AS reference", "prediction")
    with pytest.raises(SparkJobError, match=r"^Spark failed: \[USER_RAISED_EXCEPTION\] the disk is gone$"):
        score_dataframe(df, text_format="words")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            "Job aborted: Lost task 0.0 (TID 1): java.io.IOException: Broken pipe\n\tat java.base/sun.nio.ch.write0\n"
            "\tat org.apache.spark.api.python.BasePythonRunner$ReaderInputStream.read",
            "a Python worker of Spark died, and was not tried again: was it killed, or out of memory?",
        ),
        (
            "Job aborted: Lost task 0.0 (TID 1): java.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt\n"
            "\tat org.apache.spark.sql.execution.python.PythonArrowOutput$$anon$1.read",
            "a Python worker of Spark died, and was not tried again: was it killed, or out of memory?",
        ),
        (
            "Job aborted due to stage failure: Task 0 in stage 2.0 failed 4 times, most recent failure: Lost task 0.3 (TID 9): "
            "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
            "a Python worker of Spark died 4 times over the same rows: was it killed, or out of memory?",
        ),
        (
            "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: Lost task 0.0 (TID 1): "
            "java.lang.IllegalStateException: Python daemon failed to launch worker.",
            "a Python worker of Spark died, and was not tried again: was it killed, or out of memory?",
        ),
        (
            "Job aborted: java.io.IOException: Broken pipe\n\tat org.apache.hadoop.hdfs.DFSOutputStream",
            "Spark failed: Job aborted: java.io.IOException: Broken pipe",
        ),
        (
            ConnectionRefusedError(111, "Connection refused"),
            "the connection to Spark's Java process was lost: was it killed, or out of memory?",
        ),
    ],
)
def test_the_loss_of_a_process_of_the_engine_is_reported_in_one_line(
    java: None, error: str | Exception, reason: str
) -> None:
    from py4j.protocol import Py4JError

    with pytest.raises(SparkJobError, match=f"^{re.escape(reason)}$"), explained():
        raise error if isinstance(error, Exception) else Py4JError(error)


#: What Spark 4.3 says, cut short: of a page, from a cluster, of the end of a Parquet file, and of a file that has gone.
UNREADABLE = {
    "page": (
        "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] "
        "Encountered error while reading file file:///data/a%20b.%20c.parquet.  SQLSTATE: KD001\n\tat org.apache.spark.sql\n"
        "Caused by: java.lang.RuntimeException: java.io.IOException: could not read page\n\tat org.apache\n"
        "Caused by: java.io.IOException: FAILED_TO_UNCOMPRESS(5)\n",
        ("file:///data/a%20b.%20c.parquet", "/data/a b. c.parquet: Spark cannot read the file: could not read page."),
    ),
    "cluster": (
        "An error occurred while calling o1.collectToPython.\n: org.apache.spark.SparkException: Job aborted due to stage "
        "failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3 in stage 0.0 (TID 3): "
        "org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file "
        "hdfs://host:1/a.gz.  SQLSTATE: KD001\n\tat org.apache.spark.sql\nCaused by: java.io.EOFException: Unexpected end\n"
        "\tat org\n\nDriver stacktrace:\nCaused by: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered "
        "error while reading file hdfs://host:1/a.gz.  SQLSTATE: KD001\n\tat org\nCaused by: java.io.EOFException: Unexpected "
        "end\n",
        ("hdfs://host:1/a.gz", "hdfs://host:1/a.gz: Spark cannot read the file: Unexpected end."),
    ),
    "footer": (
        "An error occurred while calling o1.load.\n: org.apache.spark.SparkException: [FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER] "
        "Encountered error while reading file file:/data/a.parquet. Could not read footer. Please ensure that the file is in "
        "either ORC or Parquet format.\nIf not, please convert it. SQLSTATE: KD001\n\tat org.apache\n"
        "Caused by: java.lang.RuntimeException: file:/data/a.parquet is not a Parquet file. Expected magic number\n",
        (
            "file:/data/a.parquet",
            "/data/a.parquet: Spark cannot read the file: file:/data/a.parquet is not a Parquet file. Expected magic number.",
        ),
    ),
    "gone": (
        "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:///data/a.gz. File does not exist. It is "
        "possible the underlying files have been updated. SQLSTATE: KD001",
        (
            "file:///data/a.gz",
            "/data/a.gz: Spark cannot read the file: File does not exist. It is possible the underlying files have been updated.",
        ),
    ),
}


@pytest.mark.parametrize(("error", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_the_engine_cannot_read_is_named_in_one_line(
    java: None, error: str, expected: tuple[str, str]
) -> None:
    from py4j.protocol import Py4JError

    file, message = expected
    with pytest.raises(UnreadableFileError, match=f"^{re.escape(message)}$") as raised, explained():
        raise Py4JError(error)
    assert raised.value.file == file


def test_a_damaged_file_below_a_dataframe_is_named(spark: Any, tmp_path: Path) -> None:
    damaged = tmp_path / "a b.gz"
    damaged.write_bytes(gzip.compress(b"the dog\n" * 1000)[:40])
    df = spark.read.text(str(damaged)).selectExpr("value AS reference", "value AS prediction")
    message = f"{damaged}: Spark cannot read the file: Unexpected end of input stream."
    with pytest.raises(UnreadableFileError, match=f"^{re.escape(message)}$"):
        score_dataframe(df, text_format="words")
