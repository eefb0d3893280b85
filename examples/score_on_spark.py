"""Score predictions with Apache Spark, from any path that Spark knows: a file, a folder, a pattern, HDFS, S3.

    spark-submit examples/score_on_spark.py scored.parquet --text-format words
    spark-submit --master spark://HOST:7077 --py-files segscores.zip examples/score_on_spark.py 's3a://corpus/*.jsonl' \
        --reference-column gold --prediction-column system --text-format words --scores token,boundary_noedge
    spark-submit examples/score_on_spark.py reference.txt prediction.txt --text-format words

One path is a table with a column for each side: JSON lines if its name ends in `.jsonl` or `.json`, also before the ending of a
packing, otherwise Parquet. Two paths are text with one utterance per line; lines pair by number.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings

from pyspark.sql import DataFrame, SparkSession

import segscores


def read_table(session: SparkSession, path: str) -> DataFrame:
    """The rows of a table."""
    is_json = re.search(r"\.jsonl?(\.(gz|bz2|zst))?$", path)
    return session.read.json(path) if is_json else session.read.parquet(path)


def read_texts(session: SparkSession, reference: str, prediction: str) -> DataFrame:
    """The lines of two texts, paired by number. A line without a partner has none, so that it cannot be scored."""
    sides = [
        session.sparkContext.textFile(path).zipWithIndex().toDF(f"{name} string, line bigint")
        for name, path in (("reference", reference), ("prediction", prediction))
    ]
    return sides[0].join(sides[1], "line", "full_outer")


def main() -> None:
    """Read the arguments and print the scores as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="a table, or the texts of the reference and a prediction"
    )
    parser.add_argument(
        "--reference-column", default="reference", help="column of the reference (default: %(default)s)"
    )
    parser.add_argument(
        "--prediction-column", default="prediction", help="column of the prediction (default: %(default)s)"
    )
    parser.add_argument("--scores", metavar="NAME[,NAME …]", help="(default: those of score)")
    parser.add_argument("--text-format", choices=("units", "words"), default="units", help="(default: %(default)s)")
    parser.add_argument("--on-error", choices=("error", "skip"), default="error", help="(default: %(default)s)")
    arguments = parser.parse_args()
    if len(arguments.paths) > 2:
        parser.error(f"expected one table or two texts, received {len(arguments.paths)} paths")
    with warnings.catch_warnings():
        # pyspark warns of newer versions of pandas.
        warnings.simplefilter("ignore", FutureWarning)
        session = SparkSession.builder.appName("segmentation scores").getOrCreate()
        read = read_table if len(arguments.paths) == 1 else read_texts
        frame = read(session, *arguments.paths)
    scores = segscores.score_dataframe(
        frame,
        reference_column=arguments.reference_column if read is read_table else "reference",
        prediction_column=arguments.prediction_column if read is read_table else "prediction",
        on_error=arguments.on_error,
        text_format=arguments.text_format,
        **{"scores": arguments.scores.split(",")} if arguments.scores else {},
    )
    print(json.dumps(scores, indent=2))
    session.stop()


if __name__ == "__main__":
    main()
