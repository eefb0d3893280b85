"""Pictures: SVG files of drawings and of scores."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from ..analysis.drawing import STYLE
from ..measures.registry import heading_of
from ..results.scored import Scored
from .tab import templates


def standalone(drawn: str) -> str:
    """The picture of a drawing as a file with its style."""
    svg = drawn[drawn.index("<svg") : drawn.index("</svg>") + len("</svg>")]
    # In the file the element itself is what the rules speak of.
    style = STYLE.replace(".segscores svg", ".segscores").replace("<", "&lt;")
    svg = re.sub(r'^<svg(?: class="([^"]*)")?', r'<svg xmlns="http://www.w3.org/2000/svg" class="segscores \1"', svg)
    return svg.replace(">", f"><style>{style} svg {{ background: #fff; }}</style>", 1)


def scores_svg(scored: Sequence[Scored], keys: Sequence[str]) -> str:
    """Scores from 0 to 1 as dots, a block for each score."""
    none: Mapping[str, tuple[float, float]] = dict.fromkeys(keys, (math.nan, math.nan))
    by_name = {each.prediction: each for each in scored}
    found = SimpleNamespace(
        scores={name: each.scores for name, each in by_name.items()},
        intervals={name: {**none, **each.intervals} for name, each in by_name.items()},
        is_undefined=lambda key, name: key in by_name[name].undefined,
    )
    return templates().get_template("compare.svg").render(found=found, keys=keys, heading=heading_of)
