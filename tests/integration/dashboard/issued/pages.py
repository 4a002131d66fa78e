"""Reads tables, facts and links of a page."""

from typing import Any

from integration.dashboard.panel import text_of


def rows_of(page: Any, caption: str) -> list[list[str]]:
    """Returns the cells of the table whose caption begins with these words, if there is such a table."""
    rows = page.xpath("//table[starts-with(normalize-space(caption), $caption)]/tbody/tr", caption=caption)
    return [[_words_of(cell) for cell in row.xpath("td|th")] for row in rows]


def facts_of(page: Any) -> dict[str, str]:
    """Returns the terms of all lists of facts, with what they say."""
    return {text_of(term): _words_of(term.getnext()) for term in page.xpath("//dl/dt")}


def links_of(page: Any, part: str) -> list[str]:
    """Returns the addresses of the links in the main part of a page that contain a text."""
    return [address for address in page.xpath("//main//a/@href") if part in address]


def _words_of(cell: Any) -> str:
    """Returns the text of a cell; the lines in it have a blank between them."""
    return " ".join(" ".join(cell.itertext()).split())
