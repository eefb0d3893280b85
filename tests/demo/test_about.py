"""The tab About: the metric card."""

from __future__ import annotations

import re

from segscores.demo.answers import answer

from .answers import copied


def test_the_card_has_no_pictures_and_no_links_within_the_repository() -> None:
    found = answer("about", {})
    card = found.html or ""
    assert "<img" not in card
    assert "sdk_version" not in card
    assert "<code>python app.py</code> serve this page." in card
    assert [link for link in re.findall(r'href="([^"]*)"', card) if not link.startswith(("https://", "http://"))] == []
    assert card.count("<h2>Citation</h2>") == 1
    assert copied(found)[-1].startswith("@software{segscores,")
