"""Forms of binary files, which are no text, and packings: each by the bytes at its beginning, with the way out."""

from __future__ import annotations

import re
from typing import NamedTuple

#: The bytes at the beginning of a file that the signs need.
LONGEST_BEGINNING = 512
_SAVE_AS_TEXT = "save it as plain text in UTF-8"
_NOT_TEXT = "expected a file of text"
_RENAME = "give it a name that ends in"


class Binary(NamedTuple):
    """A form of binary files."""

    title: str
    magic: bytes  #: a regular expression for the first bytes
    remedy: str

    def message(self, name: str) -> str:
        """Return the error of a file that has the form."""
        return f"{name}: this is {self.title}, and no text: {self.remedy}."


def _zipped(entry: bytes) -> bytes:
    """Return the pattern of a ZIP archive whose first entry has a name that the pattern fits."""
    return rb"PK\x03\x04[\s\S]{26}" + entry


BINARIES = (
    Binary("a document of Office (docx, xlsx, pptx)", _zipped(rb"(\[Content_Types\]\.xml|_rels/|docProps/|word/|xl/)"),
           _SAVE_AS_TEXT),
    Binary("a document of LibreOffice (odt, ods) or an EPUB", _zipped(rb"mimetype"), _SAVE_AS_TEXT),
    Binary("an archive of numpy (npz)", _zipped(rb"[^/]{1,60}\.npy"), "load it in Python, and pass the lists or arrays"),
    Binary("a document of Office (doc, xls)", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _SAVE_AS_TEXT),
    Binary("a PDF", rb"%PDF-", "take out its text, for example with pdftotext"),
    Binary("a database of SQLite", rb"SQLite format 3\0", "export the text, for example with sqlite3 FILE 'SELECT … FROM …'"),
    Binary("a table of Parquet", rb"PAR1", f"{_RENAME} .parquet"),
    Binary("a table of Arrow", rb"ARROW1|\xff\xff\xff\xff[\s\S]{3}\0\x10\0\0\0", f"{_RENAME} .arrow"),
    Binary("an array of numpy (npy)", rb"\x93NUMPY", "load it in Python, and pass the array"),
    Binary(
        "a pickle of Python",
        rb"\x80[\x02-\x05][\x95c}\]\[(X\x8c]|\([ld]p0\n|[\]}]q\0",
        "load it in Python, and pass the lists or strings",
    ),
    Binary("HDF5", rb"\x89HDF\r\n\x1a\n", "load it in Python, and pass the lists or arrays"),
    Binary("tensors of safetensors", rb"[\s\S]{3}\0{5}\{\"", _NOT_TEXT),
    Binary("data of R", rb"RD[AX][23]\n|X\n\0\0\0[\2\3]", "write the text with writeLines() in R"),
    Binary("a file of Matlab", rb"MATLAB 5\.0 MAT", "load it in Python, and pass the lists or arrays"),
    Binary("a picture (PNG)", rb"\x89PNG\r\n\x1a\n", _NOT_TEXT),
    Binary("a picture (JPEG)", rb"\xff\xd8\xff", _NOT_TEXT),
    Binary("a picture (GIF)", rb"GIF8[79]a", _NOT_TEXT),
    Binary("sound (WAV)", rb"RIFF[\s\S]{4}WAVE", "name the annotation of the recording"),
    Binary("sound (FLAC, Ogg or MP3)", rb"fLaC|OggS|ID3[\2-\4]", "name the annotation of the recording"),
    Binary("a video (MP4, Matroska)", rb"\0\0\0[\s\S]ftyp|\x1a\x45\xdf\xa3", "name the annotation of the recording"),
    Binary("a program", rb"\x7fELF|MZ\x90\0|\xcf\xfa\xed\xfe", _NOT_TEXT),
    Binary("a binary object of Praat", rb"ooBinaryFile(?![\s\S]TextGrid)", "expected a TextGrid of Praat"),
    Binary("a property list of Apple", rb"bplist0", _NOT_TEXT),
    Binary("an archive (tar)", rb"[\s\S]{257}ustar", "unpack it with tar -xf FILE"),
    Binary("an archive (7z)", rb"7z\xbc\xaf\x27\x1c", "unpack it with 7z x FILE"),
    Binary("an archive (RAR)", rb"Rar!\x1a\x07", "unpack it with unrar x FILE"),
    Binary("packed with lz4", rb"\x04\x22\x4d\x18", "unpack it with lz4 -d FILE"),
    Binary("packed with compress", rb"\x1f\x9d", "unpack it with gzip -d FILE"),
)  # fmt: skip

#: Matches what any of them matches: most files are text, for which one pattern is tried instead of each.
_ANY_BINARY = re.compile(b"|".join(b"(?:" + row.magic + b")" for row in BINARIES))


def binary_form(beginning: bytes) -> Binary | None:
    """Return the form of a binary file, by its first bytes; None if they show none.

    >>> binary_form(b"%PDF-1.4").title, binary_form(b"the dog") is None
    ('a PDF', True)
    """
    if not _ANY_BINARY.match(beginning):
        return None
    return next(row for row in BINARIES if re.match(row.magic, beginning))
