"""The desk in a browser: its boxes and its headline."""

from ...optional import Page, expect


def headline(page: Page) -> object:
    return expect(page.locator("#desk .headline"))


def type_pair(page: Page, reference: str, prediction: str) -> None:
    page.locator("#desk-reference").fill(reference)
    page.locator("#desk-prediction").fill(prediction)
