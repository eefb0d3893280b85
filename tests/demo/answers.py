"""What an answer of the demo shows, as its tests read it."""

from __future__ import annotations

import html
import re

from segscores.demo.answers import Answer

ROW = "{}\t{}" + "\t_" * 8 + "\n"
CONLLU = ROW.format(1, "the") + ROW.format(2, "dog") + "\n"


def shown(found: Answer) -> str:
    """The text of the results."""
    assert found.html is not None, found.problem
    return " ".join(
        html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", found.html, flags=re.S))).split()
    )


def copied(found: Answer) -> list[str]:
    """The texts to copy: the command, the Python code and the citation."""
    return [html.unescape(text) for text in re.findall(r"<pre[^>]*>(.*?)</pre>", found.html or "", re.S)]


def check_problem(found: Answer, problem: str, box: str = "") -> None:
    """Check that there are no results, and that the problem is said, at a box if it is of one."""
    assert found.html is None
    assert re.search(problem, html.unescape(found.problem)), found.problem
    assert (f'data-at="{box}"' in found.problem) == bool(box)
