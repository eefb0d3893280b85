"""The programs of the documentation that need the demo end well."""

from __future__ import annotations

from dataclasses import replace

from ..docs.pages import PAGES, blocks_of, run_program


def test_programs_that_call_the_demo_end_well(address: str) -> None:
    programs = [(page, block) for page in PAGES for block in blocks_of(page) if "demo" in block.needs]
    assert programs
    for page, block in programs:
        assert "http://127.0.0.1:7860" in block.code
        run_program(replace(block, code=block.code.replace("http://127.0.0.1:7860", address)), page)
