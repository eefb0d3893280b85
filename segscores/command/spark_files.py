"""Files that Spark reads: text, whose lines are numbered so that they pair, and tables that hold both sides.

Lines
-----
Lines of files pair by number, but Spark guarantees no order: it divides files into blocks, reads the longest first, and numbers
partitions, not lines. Within a block lines are in order, and each row has the file and the first byte of its block. So a first,
short job counts the lines of each block. Sorted by file name and byte, the blocks then give the number of the first line of each.
This is correct for any partitions, keeps only numbers on the driver, and does not pass lines through Python, unlike the RDD's
`zipWithIndex`. The two sides are joined by line number. As everywhere in the command, sides with the same number of files pair
file by file, others as if each side were one file.

Damaged files
-------------
A file that Spark can't read ends the job, and the error names the file. With `on_error="skip"` the job runs again without the
file, because Spark's `ignoreCorruptFiles` would silently keep the lines before the damage. For text, the first job finds the
damage, because it reads every line. The files that pair with a damaged file are left out with it, and so are files of unequal
length. If sides pair as one file each, the numbers of the lines after the damage are unknown, which is an error with `"skip"`
too. A table is scored again without the rows of the damaged file.
"""

from __future__ import annotations

__all__ = ["Pairs", "TableFiles", "TextFiles", "is_table"]

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ..corpora.names import unpacked_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..kernel.errors import UtteranceError
    from ..scale.spark_errors import UnreadableFileError

#: Spark's names for the formats of tables, by the endings of file names.
_TABLES = {".parquet": "parquet", ".pq": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


def is_table(path: str) -> bool:
    """Whether Spark reads files as a table, judged by their name."""
    return _table_format(path) != ""


def _table_format(path: str) -> str:
    """Spark's name for the format of a table; empty for other files. JSON lines may be compressed."""
    return _TABLES.get(Path(unpacked_name(path)).suffix, "")


@dataclass(frozen=True)
class Pairs:
    """A prediction beside the reference.

    Attributes:
        name: of the prediction.
        df: a DataFrame with a row for each pair of utterances.
        columns: the names of its columns, as `spark_scores.tally_dataframe` takes them.
        count: a lower bound for the number of rows.
        ids: a DataFrame with the number and the cluster of each row, in a column of the name of its file; None if there is none.
    """

    name: str
    df: DataFrame
    columns: dict[str, Any]
    count: int = 0
    ids: DataFrame | None = None


@dataclass
class TableFiles:
    """The files of a table with both sides.

    Attributes:
        spark: the session.
        path: a file, a folder, or a pattern.
        columns: the names of the index column and of the reference.
        predictions: the names of the columns of predictions.
        skips: whether damaged files are left out.
    """

    spark: SparkSession
    path: str
    columns: dict[str, Any]
    predictions: Sequence[str]
    skips: bool
    _files: list[str] = field(default_factory=list)
    _problems: dict[str, str] = field(default_factory=dict)

    @property
    def failures(self) -> list[str]:
        """What was left out beside bad utterances, and why."""
        return list(self._problems.values())

    def pairs(self) -> Iterator[Pairs]:
        """Each prediction beside the reference, without the files that were left out.

        Raises:
            SparkJobError: the table can't be read; an `UnreadableFileError` names the file.
        """
        table = self._read()
        for name in self.predictions:
            yield Pairs(name, table, {**self.columns, "prediction_column": name})

    def leave_out(self, error: UnreadableFileError) -> None:
        """Leave out a file, so that `pairs` can be asked again.

        Raises:
            SparkJobError: it may not be left out, or no other is there.
        """
        from ..scale.spark_errors import SparkJobError

        files = self._files or _list_files(self.spark, self.path)
        file = _find(error, files)
        if not self.skips or file is None or file in self._problems:
            raise error
        self._files = files
        self._problems[file] = str(error)
        if len(self._problems) == len(files):
            raise SparkJobError(_nothing_scored(self.failures))

    def place(self, error: UtteranceError, name: str) -> str:
        """The place of a bad utterance."""
        column = {"references": self.columns["reference_column"], "predictions": name}.get(error.side)
        row = f"{self.columns['index_column'] or 'row'} {error.utterance}"
        return f"{self.path}, {row}" + (f", column {column}" if column else "")

    def placed(self, scored: DataFrame, name: str) -> DataFrame:
        """The scores of the rows, unchanged: the columns of the table identify the rows."""
        del name
        return scored

    def _read(self) -> DataFrame:
        from ..scale.spark_errors import SparkJobError, UnreadableFileError, explained

        kind = _table_format(self.path)
        reader = self.spark.read.format(kind)
        kept = [file for file in self._files if file not in self._problems]
        if self._problems and not any(character in self.path for character in "*?[{"):
            # The names of folders may contain columns; Spark looks for them below this folder.
            reader = reader.option("basePath", self.path)
        try:
            with _reading(self.path):
                table = reader.load([_as_path(file) for file in kept] if self._problems else self.path)
        except UnreadableFileError:
            raise
        except SparkJobError:
            # Spark names most files in errors, but not when it reads the schema of an ORC file.
            for file in kept or _list_files(self.spark, self.path):
                try:
                    with explained():
                        self.spark.read.format(kind).load(_as_path(file))
                except SparkJobError as error:
                    raise UnreadableFileError(file, str(error)) from None
            raise
        self._files = self._files or table.inputFiles()
        if kind != "json":
            self._check_filled([file for file in self._files if file not in self._problems])
        return table

    def _check_filled(self, files: Sequence[str]) -> None:
        """Reject empty files, which failed writers leave: they are not tables, and Spark would ignore them.

        Raises:
            UnreadableFileError: there is one.
        """
        from ..scale.spark_errors import UnreadableFileError, explained

        context: Any = self.spark.sparkContext
        folders = {file.rpartition("/")[0] for file in files}
        with explained():
            for folder in sorted(folders):
                path = context._jvm.org.apache.hadoop.fs.Path(_decoded(folder))
                # One call per folder, because calls to remote storage are slow.
                for status in path.getFileSystem(context._jsc.hadoopConfiguration()).listStatus(path):
                    if status.getLen() == 0 and status.isFile():
                        file = _find_uri(status.getPath().toUri().toString(), files)
                        if file is not None:
                            raise UnreadableFileError(file, "it is empty, which no table is")


@dataclass
class _Text:
    """A side of text.

    Attributes:
        path: a file, a folder, or a pattern.
        rows: its lines, with their files, their blocks, and a number that grows along each block.
        files: in the order of their names.
        blocks: the blocks of each readable file, in order: the file as in its rows, the block, the number of its first row, and
            the number of rows.
        problems: of files that can't be read.
    """

    path: str
    rows: DataFrame
    files: list[str]
    blocks: dict[str, list[tuple[str, int, int, int]]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def count(self, file: str) -> int:
        """The number of lines of a file."""
        return sum(block[3] for block in self.blocks[file])

    def count_all(self) -> int:
        """The number of lines of all readable files."""
        return sum(map(self.count, self.blocks))

    def name(self, file: str) -> str:
        """The name of a file in messages: as the user gave it if it is the only one."""
        return self.path if len(self.files) == 1 else _shown(file)


class TextFiles:
    """The files of texts that pair line by line.

    Attributes:
        failures: what was left out beside bad utterances, and why.
    """

    def __init__(self, spark: SparkSession, paths: Sequence[str], *, skips: bool, clusters: str | None = None) -> None:
        """Begin with nothing read.

        Args:
            spark: the session.
            paths: of the reference and the predictions, each a file, a folder, or a pattern.
            skips: whether files that are damaged or do not pair are left out.
            clusters: the path of the ids of clusters, one per line; None without clusters.
        """
        self._spark = spark
        self._paths = paths if clusters is None else [*paths, clusters]
        self._clusters = clusters
        self._skips = skips
        self._sides: list[_Text] = []
        # The files of each side that are scored.
        self._kept: list[list[str]] = []
        self.failures: list[str] = []

    def pairs(self) -> Iterator[Pairs]:
        """Each prediction beside the reference, without the files that are left out.

        Raises:
            SparkJobError: a file can't be read.
            ValueError: the sides do not pair, or there is no line.
        """
        # The blocks must be the same in both jobs, but their size depends on the number of cores at the time.
        self._spark.conf.set("spark.sql.files.minPartitionNum", str(self._spark.sparkContext.defaultParallelism))
        columns = ["reference", *["prediction"] * (len(self._paths) - 1)]
        if self._clusters is not None:
            columns[-1] = "cluster"
        self._sides = [_open_text(self._spark, *side) for side in zip(self._paths, columns, strict=True)]
        pair_by_file = len({len(side.files) for side in self._sides}) == 1
        for side, column in zip(self._sides, columns, strict=True):
            self._count(side, column, pair_by_file)
        if not (self._sides[0].problems or self._sides[0].count_all()):
            raise ValueError(f"{self._paths[0]}: the file is empty; expected at least one line.")
        if pair_by_file:
            self._pair_files()
        else:
            self._pair_whole()
        count = sum(map(self._sides[0].count, self._kept[0]))
        if not count:
            raise ValueError(_nothing_scored(self.failures))
        reference, *predictions = [
            self._numbered(side, kept, column)
            for side, kept, column in zip(self._sides, self._kept, columns, strict=True)
        ]
        ids = None if self._clusters is None else _without_blanks(predictions.pop(), self._clusters)
        for side, prediction in zip(self._sides[1:], predictions, strict=False):
            yield Pairs(side.path, reference.join(prediction, "line"), {"index_column": "line"}, count, ids)

    def leave_out(self, error: UnreadableFileError) -> None:
        """Raise the error: the file was readable when lines were counted, so it changed since and is not merely damaged."""
        raise error

    def place(self, error: UtteranceError, name: str) -> str:
        """The place of a bad utterance, with line numbers from 1 as in editors."""
        sides = zip(self._sides, self._kept, strict=True)
        reference = _find_line(*next(sides), error.utterance)
        prediction = next(_find_line(side, kept, error.utterance) for side, kept in sides if side.path == name)
        places = [f"{file}, line {line}" for file, line in (reference, prediction)]
        if error.side:
            return places[0] if error.side == "references" else places[1]
        if reference[1] == prediction[1]:
            places[0] = reference[0]
        return " and ".join(places)

    def placed(self, scored: DataFrame, name: str) -> DataFrame:
        """The scores of lines, with their place in the prediction instead of the texts: `line`, and `file` if several."""
        from pyspark.sql import functions as F  # noqa: N812

        side, kept = next(pair for pair in zip(self._sides[1:], self._kept[1:], strict=True) if pair[0].path == name)
        starts, lines = [], 0
        for file in kept:
            starts.append((side.name(file), lines, lines + side.count(file)))
            lines += side.count(file)
        files = self._spark.createDataFrame(starts, "file string, start bigint, stop bigint")
        line = F.col("line")
        joined = scored.drop("reference", "prediction").join(
            F.broadcast(files), (line >= F.col("start")) & (line < F.col("stop"))
        )
        placed = joined.withColumn("line", line - F.col("start") + 1).drop("start", "stop")
        scores = [column for column in placed.columns if column not in ("file", "line")]
        return placed.select(*(["file"] if len(side.files) > 1 else []), "line", *scores)

    def _count(self, side: _Text, column: str, pair_by_file: bool) -> None:
        """Count the lines of each block.

        Raises:
            SparkJobError: a file can't be read; with `skips` only if the numbers of the lines after it are then unknown.
        """
        from pyspark.sql import functions as F  # noqa: N812

        from ..scale.spark_errors import SparkJobError, UnreadableFileError, explained

        by_block = {}
        while len(side.problems) < len(side.files):
            try:
                with explained():
                    counts = side.rows.groupBy("file", "block").agg(
                        F.min("row").alias("first"), F.count("*").alias("count")
                    )
                    by_block = {(row["file"], row["block"]): (row["first"], row["count"]) for row in counts.collect()}
                break
            except UnreadableFileError as error:
                kept = [file for file in side.files if file not in side.problems]
                file = _find(error, kept)
                if not self._skips or file is None:
                    raise
                if not pair_by_file:
                    hint = " Damaged files can be left out only if both sides have equally many files, which pair one by one."
                    raise SparkJobError(f"{error}{hint}{self._hint_of_numbers()}") from None
                side.problems[file] = str(error)
                kept.remove(file)
                if kept:
                    side.rows = _read_rows(self._spark, [_as_path(file) for file in kept], column)
        side.blocks = {file: [] for file in side.files if file not in side.problems}
        files = {_normal(file): file for file in side.blocks}
        for (file, block), (first, count) in sorted(by_block.items()):
            side.blocks[files[_normal(file)]].append((file, block, first, count))

    def _pair_files(self) -> None:
        """Find the files that pair with their partners.

        Raises:
            ValueError: some do not pair, and may not be left out.
        """
        kept = []
        for files in zip(*(side.files for side in self._sides), strict=True):
            problem = self._problem_of(files)
            if not problem:
                kept.append(files)
            elif not self._skips:
                raise ValueError(problem)
            else:
                self.failures.append(problem)
        self._kept = [[files[place] for files in kept] for place in range(len(self._sides))]

    def _problem_of(self, files: Sequence[str]) -> str:
        """The reason why files, one per side, do not pair; empty if they pair."""
        for side, file in zip(self._sides, files, strict=True):
            if file in side.problems:
                return side.problems[file]
        counts = [side.count(file) for side, file in zip(self._sides, files, strict=True)]
        names = [side.name(file) for side, file in zip(self._sides, files, strict=True)]
        for name, count in zip(names[1:], counts[1:], strict=True):
            if count != counts[0]:
                return _unequal((names[0], counts[0]), (name, count))
        return ""

    def _pair_whole(self) -> None:
        """Check that the sides have equal numbers of lines.

        Raises:
            ValueError: the numbers differ.
        """
        self._kept = [side.files for side in self._sides]
        counts = [(side.path, side.count_all()) for side in self._sides]
        for side in counts[1:]:
            if side[1] != counts[0][1]:
                raise ValueError(_unequal(counts[0], side) + self._hint_of_numbers())

    def _hint_of_numbers(self) -> str:
        """A hint if the sides have different numbers of files."""
        numbers = " and ".join(f"{side.path} {len(side.files)}" for side in self._sides)
        return (
            f" The sides have different numbers of files ({numbers}), so each was read as one text: is a file missing?"
        )

    def _numbered(self, side: _Text, kept: Sequence[str], column: str) -> DataFrame:
        """The lines of some files, numbered from 0 in `line`."""
        from pyspark.sql import functions as F  # noqa: N812

        from ..scale.spark_errors import explained

        starts, lines = [], 0
        for file in kept:
            for name, block, first, count in side.blocks[file]:
                starts.append((name, block, lines - first))
                lines += count
        with explained():
            offsets = self._spark.createDataFrame(starts, "file string, block bigint, offset bigint")
            numbered = side.rows.join(F.broadcast(offsets), ["file", "block"])
            return numbered.select((F.col("row") + F.col("offset")).alias("line"), column)


def _without_blanks(ids: DataFrame, path: str) -> DataFrame:
    """Numbered ids under the name of their file, with spaces around them removed; null if nothing is left."""
    from pyspark.sql import functions as F  # noqa: N812

    trimmed = F.regexp_replace("cluster", r"^\s+|\s+$", "")
    return ids.select("line", F.when(trimmed != "", trimmed).alias(path))


def _open_text(spark: SparkSession, path: str, column: str) -> _Text:
    """A side of text, with the names of its files; no line is read yet.

    Raises:
        SparkJobError: there is no such file.
    """
    with _reading(path):
        rows = _read_rows(spark, path, column)
        return _Text(path, rows, sorted(rows.inputFiles(), key=_shown))


def _read_rows(spark: SparkSession, paths: str | list[str], column: str) -> DataFrame:
    """The lines of text files as a column, with their files, their blocks, and numbers that increase along each block."""
    from pyspark.sql import functions as F  # noqa: N812

    # Only LF ends a line, as everywhere in the command; Spark drops a byte-order mark.
    text = spark.read.option("lineSep", "\n").text(paths)
    return text.select(
        F.col("value").alias(column),
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block"),
        F.monotonically_increasing_id().alias("row"),
    )


def _find_line(side: _Text, kept: Sequence[str], number: int) -> tuple[str, int]:
    """The file of a line, and the number of the line in the file, from 1."""
    for file in kept:
        count = side.count(file)
        if number < count:
            return side.name(file), number + 1
        number -= count
    raise AssertionError("there is no such line")


def _unequal(first: tuple[str, int], second: tuple[str, int]) -> str:
    lines = [f"{path} has {count} line{'' if count == 1 else 's'}" for path, count in (first, second)]
    return f"{' and '.join(lines)}: expected equal numbers. Blank lines count too, at the end as well."


def _nothing_scored(failures: Sequence[str]) -> str:
    return f"nothing could be scored. The first problem: {failures[0]}"


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Add the path that the user gave to errors that name no file.

    Raises:
        SparkJobError: in place of any error of Spark.
    """
    from ..scale.spark_errors import SparkJobError, UnreadableFileError, explained

    try:
        with explained():
            yield
    except UnreadableFileError:
        raise
    except SparkJobError as error:
        if "[PATH_NOT_FOUND]" in str(error):
            raise SparkJobError(
                f"{path}: there is no such file or folder, and no file matches it as a pattern."
            ) from None
        raise SparkJobError(f"{path}: {error}") from None


def _list_files(spark: SparkSession, path: str) -> list[str]:
    """The files that match a path, as URIs, without opening them.

    Raises:
        SparkJobError: no file matches.
    """
    with _reading(path):
        files: list[str] = spark.read.text(path).inputFiles()
    return files


def _find(error: UnreadableFileError, files: Sequence[str]) -> str | None:
    """The file that an error names, out of some files."""
    return _find_uri(error.file, files)


def _find_uri(uri: str, files: Sequence[str]) -> str | None:
    """The file with a URI, out of some files; Spark does not encode all names."""
    by_name = {_normal(file): file for file in files}
    by_name |= {_normal(_decoded(file)): file for file in files if _normal(_decoded(file)) not in by_name}
    return by_name.get(_normal(uri))


def _normal(uri: str) -> str:
    """A URI with one slash where no host is named: Spark writes one or three."""
    scheme, _, path = uri.partition(":")
    return f"{scheme}:/{path.lstrip('/')}" if path.startswith("///") else uri


def _decoded(uri: str) -> str:
    return unquote(uri, errors="surrogateescape")


def _shown(uri: str) -> str:
    """The name of a file in messages."""
    from ..scale.spark_errors import shown_file

    return shown_file(uri)


def _as_path(uri: str) -> str:
    """The name of a file for Spark's readers, which look for patterns in names."""
    return "".join(f"\\{character}" if character in "\\{}[]*?" else character for character in _decoded(uri))
