r"""Bibliography: the works that define scores, as entries of BibTeX in `works.bib`.

Conventions
-----------
- Entries stand between blank lines, and each field on a line. Accents are commands of TeX, which every style can sort.
- The source of a group names a work as papers do: `Fournier (2013)`, `Pevzner & Hearst (2002)`, `Kreuk et al. (2020)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from ... import __version__
from ...kernel.record import record
from ...options.tasks import CODE

#: The entry for the package itself.
CITATION = f"""@software{{segscores,
  title = {{segscores: reference implementation of word-segmentation evaluation}},
  author = {{{{The authors of segscores}}}},
  year = {{2026}},
  version = {{{__version__}}},
  url = {{{CODE}}}
}}"""

# An accent of TeX with its letter, such as {\'c} or {\v{c}}.
_ACCENT = re.compile(r"\{\\\W?\w??\{?(\w)\}?\}")


@record
class Work:
    """A paper or a page that defines a score."""

    key: str  #: the key of its entry, to cite it in LaTeX
    citation: str  #: authors and year as the source of a group has them, without accents; empty without authors
    bibtex: str  #: the entry

    @classmethod
    def of(cls, bibtex: str) -> Work:
        """Read an entry."""
        # An entry begins with `@article{brent1999efficient,`, and a field is a line such as `  year = {1999},`.
        (key,) = re.findall(r"^@\w+\{(\w+),", bibtex)
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", bibtex, re.MULTILINE))
        citation = ""
        if "author" in fields:
            citation = f"{_short_names(fields['author'])} ({fields['year']})"
        return cls(key, citation, bibtex)


def works_of(source: str) -> list[Work]:
    """Return the works that the source of a group names, in its order.

    >>> [work.key for work in works_of("speech segmentation; Räsänen et al. (2009)")]
    ['rasanen2009improved']
    """
    plain = _without_accents(source)
    # A work without authors has an empty citation, which is in every text.
    with_authors = [work for work in _works() if work.citation]
    named = [work for work in with_authors if work.citation in plain]
    return sorted(named, key=lambda work: plain.index(work.citation))


def entries_of(keys: Iterable[str]) -> str:
    """Return the entries of works by their keys."""
    by_key = {work.key: work.bibtex for work in _works()}
    return "\n\n".join(by_key[key] for key in keys)


@cache
def _works() -> list[Work]:
    """Read the works of the file, whose entries have blank lines between them."""
    text = files(__package__).joinpath("works.bib").read_text(encoding="utf-8")
    return [Work.of(entry) for entry in text.strip().split("\n\n")]


def _short_names(authors: str) -> str:
    r"""Return the names of authors as a citation has them.

    >>> _short_names("Vuli{\\'c}, Ivan and Laine, Unto K."), _short_names("A, B and C, D and E, F")
    ('Vulic & Laine', 'A et al.')
    """
    plain = _ACCENT.sub(r"\1", authors)
    # "Vulic, Ivan": the family name is before the comma.
    family_names = [author.partition(",")[0] for author in plain.split(" and ")]
    if len(family_names) > 2:
        first_name, *_ = family_names
        return f"{first_name} et al."
    return " & ".join(family_names)


def _without_accents(text: str) -> str:
    """Return a text with the plain letters in place of letters with accents, such as `Rasanen` for `Räsänen`."""
    # Decomposed, `ä` is `a` and a combining mark.
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
