"""The tab Score in a browser: its boxes and its headline."""

from ...optional import Page, expect


def headline(page: Page) -> object:
    return expect(page.locator("#score .headline"))


def type_pair(page: Page, reference: str, prediction: str) -> None:
    page.locator("#score-reference").fill(reference)
    page.locator("#score-prediction").fill(prediction)
