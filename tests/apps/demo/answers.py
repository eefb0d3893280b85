"""Texts for the tabs of the demo, and what an answer shows, as tests read it."""

from __future__ import annotations

import html
import re

from segscores.apps.demo.answers import Answer, answer

from ...corpora import Corpus

ROW = "{}\t{}" + "\t_" * 8 + "\n"
CONLLU = ROW.format(1, "the") + ROW.format(2, "dog") + "\n"
SCORE = {
    "reference": "the dog is on the boat\nlook at the little dog",
    "prediction": "thedog is on the boat\nlook at the lit tle dog",
}
#: 20 gaps in all, with a score of their own each, so that λ = k / 20 takes the best k.
BOUNDARY_SCORES = [
    [0.11, 0.32, 0.83, 0.04, 0.25, 0.91, 0.16, 0.97, 0.28, 0.39, 0.40],
    [0.51, 0.02, 0.13, 0.74, 0.85, 0.66, 0.07, 0.18],
    [0.99],
]
THRESHOLD = {
    "reference": "the dog is here\nlook at her\nhi",
    "scores": "\n".join(" ".join(map(str, line)) for line in BOUNDARY_SCORES),
}
COMMITTEE = ["the dog is here\nhiher", "thedog is here\nhi her", "thedog is he re\nhi her", "the dog ishere\nhi her"]
DIFFICULTY = {
    "reference": "the dog is here\nhi her",
    "prediction": "thedog is here\nhi h er",
    "committee": "\n---\n".join(COMMITTEE),
}
ALIGNMENT = {"reference": "[0]:[0]\n[1]:[1,2]\n[2,3]:[3]", "prediction": "[0]:[0]\n[1]:[1]\n[2]:[2,3]\n[3]:[]"}
SENTENCES = {
    "sources": "One two.\nThree four five six.\nSeven.\nEight nine.",
    "targets": "Eins zwei.\nDrei vier.\nFünf sechs.\nSieben acht neun.",
}
COMPARED = "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧"
#: The second is right everywhere, the third nearly so.
SYSTEMS = {
    "old": "约翰喜欢 玛丽\n他笑了\n<b> 我们走 吧",
    "new": COMPARED,
    "<i>other</i>": "约翰 喜欢 玛 丽\n他 笑 了\n<b> 我们 走 吧",
}


def compare_values(reference: str = COMPARED, systems: dict[str, str] = SYSTEMS, **options: str) -> dict[str, str]:
    """The fields of the tab Compare."""
    values = {"reference": reference, **options}
    for box, (name, text) in zip(("prediction", "prediction_b", "prediction_c"), systems.items(), strict=False):
        values |= {box: text, f"{box}.name": name}
    return values


def words(text: str) -> Corpus:
    """A text as the naive scorers read it."""
    return [[tuple(word) for word in line.split()] for line in text.split("\n")]


def shown(tab: str, values: dict[str, str]) -> str:
    """The text of the results, with the keys of scores in one piece."""
    found = answer(tab, values)
    assert found.html is not None, found.problem
    plain = re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", found.html, flags=re.S))
    return " ".join(html.unescape(plain).split()).replace("_ ", "_")


def board(tab: str, values: dict[str, str]) -> dict[str, str]:
    """The numbers of the board by score, each of which stands there once and says what it counts."""
    found = answer(tab, values)
    figures = re.findall(
        r'data-explain="(\w+)" data-told="[^"]+".*?<strong>([^<]*)</strong>', found.html or found.problem, re.S
    )
    assert len({key for key, _ in figures}) == len(figures)
    return dict(figures)


def copied(found: Answer) -> list[str]:
    """The texts to copy: the command, the Python code and the citation; not what is folded away for a paper."""
    shown = re.sub(r'<details class="copyable">.*?</details>', "", found.html or "", flags=re.S)
    return [html.unescape(text) for text in re.findall(r"<pre[^>]*>(.*?)</pre>", shown, re.S)]
