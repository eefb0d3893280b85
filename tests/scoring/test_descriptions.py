"""Tests of what scores say about themselves to programs, and the entries of BibTeX that cite their sources."""

import re

import pytest

import segscores
from segscores.scoring.measures.registry import GROUPS

ENTRY = r"@(\w+)\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}"


def test_every_score_is_described_once_in_the_order_of_the_groups() -> None:
    described = segscores.groups()
    keys = {name: key for group in GROUPS.values() for name, key in group.keys.items()}
    assert [score.key for score in described] == list(keys)
    assert [(score.low, score.high, score.better) for score in described] == [
        (*key.range, key.better) for key in keys.values()
    ]
    assert segscores.groups("all") == described
    assert [score.key for score in segscores.groups(["token_recall", "token"])] == [
        "token_recall", "token_precision", "token_fscore",
    ]  # fmt: skip


def test_a_heading_is_in_words() -> None:
    assert [score.key for score in segscores.groups() if "_" in score.heading] == []


@pytest.mark.parametrize("name", GROUPS)
def test_every_work_that_a_source_names_has_an_entry(name: str) -> None:
    """A source names works as `Fournier (2013)`: each has its year among the entries."""
    (first, *_) = segscores.groups(name)
    years = re.findall(r"\((\d{4})\)", GROUPS[name].source)
    entries = re.findall(ENTRY, first.bibtex)
    assert [re.findall(r"year = \{(\d+)\}", fields)[0] for _, _, fields in entries] == years
    assert "\n\n".join(re.findall(f"({ENTRY})", first.bibtex)[at][0] for at in range(len(entries))) == first.bibtex
    for _, key, fields in entries:
        names = dict(re.findall(r"  (\w+) = \{(.*)\},", fields))
        assert {"author", "title", "year"} <= names.keys(), key
        assert all(value.count("{") == value.count("}") for value in names.values()), key


def test_works_are_cited_once_after_the_package() -> None:
    """Fournier & Inkpen (2012) stands in the sources of both groups."""
    keys = re.findall(r"^@\w+\{(\w+),$", segscores.cite(["similarity", "agreement_pi"]), re.MULTILINE)
    assert keys == [
        "segscores", "fournier2012segmentation", "fournier2013evaluating", "scott1955reliability", "cohen1960coefficient",
    ]  # fmt: skip
    package = segscores.cite("token").partition("\n\n")[0]
    assert f"version = {{{segscores.__version__}}}" in package


def test_unknown_names_are_errors_that_suggest_a_name() -> None:
    for function in (segscores.cite, segscores.groups):
        with pytest.raises(ValueError, match=r"unknown score group 'tokn'\. Did you mean 'token'"):
            function("tokn")
