"""The metric card as the tab About shows it."""

from __future__ import annotations

import re

from ..optional import optional

about = optional("segscores.demo.about")


def test_the_card_has_no_pictures_and_no_links_within_the_repository() -> None:
    card = about.read_card()
    assert "![" not in card
    assert "`python app.py` serve this page." in card
    assert [link for link in re.findall(r"\]\(([^)]*)\)", card) if not link.startswith(("https://", "http://"))] == []
    assert card.count("\n## Citation\n") == 1
