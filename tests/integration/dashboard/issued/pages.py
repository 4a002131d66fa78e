"""Reads tables, facts and links of a page."""

from typing import Any

from lxml import html

from integration.dashboard.panel import text_of


def page_of(answer: Any) -> Any:
    """Returns the page that answers a form."""
    return html.fromstring(answer.text)


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


def values_of(page: Any, action: str) -> dict[str, str]:
    """Returns what a browser would send with the form that goes to an address, by the names of its inputs."""
    (form,) = page.xpath("//form[@action=$action][.//input[@name='form_token']]", action=action)
    values = {each.get("name"): each.get("value") or "" for each in form.xpath(".//input[@name]")}
    values |= {each.get("name"): each.text_content().strip() for each in form.xpath(".//textarea[@name]")}
    for select in form.xpath(".//select[@name]"):
        chosen = select.xpath("option[@selected]") or select.xpath("option[1]")
        values[select.get("name")] = chosen[0].get("value")
    return values


def problems_of(page: Any) -> dict[str, str]:
    """Returns the problems that are shown beside inputs, by the names of the inputs."""
    marked = page.xpath("//*[@aria-invalid='true']")
    return {each.get("name"): text_of(page.get_element_by_id(f"{each.get('id')}-wrong")) for each in marked}
