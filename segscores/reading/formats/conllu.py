"""The row of CoNLL-U, which `reading.conllu` reads."""

from __future__ import annotations

from ..conllu import from_conllu, parse_conllu
from .format import Format, Patterns, Sentences

_SIGNS = Patterns(r"^[0-9]+(-[0-9]+|\.[0-9]+)?(\t[^\t\n]*){9}$", "", "lines of ten columns")

FORMAT = Format(
    "conllu",
    title="CoNLL-U",
    sentences=Sentences(b"\n\n", parse_conllu, read_as="words", read_documents=from_conllu, checks_utf8=True),
    evidence=_SIGNS.find,
    endings=(".conllu",),
)
