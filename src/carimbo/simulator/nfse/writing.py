"""How the authority writes XML: elements, amounts, and names of cities."""

from collections.abc import Mapping
from decimal import Decimal
from xml.sax.saxutils import escape

from carimbo.fiscal.tables.municipalities import municipality_of_ibge

ABROAD = "Exterior"
_LONGEST_TEXT = 600


def element(tag: str, content: str) -> str:
    """An element with others inside."""
    return f"<{tag}>{content}</{tag}>"


def texts(values: Mapping[str, str]) -> str:
    """Elements with a text, in their order; those without one are left out."""
    return "".join(element(tag, escape(text)) for tag, text in values.items() if text)


def money(values: Mapping[str, Decimal | None]) -> str:
    """Elements with an amount, in their order; those without one are left out."""
    return texts({tag: f"{amount:.2f}" for tag, amount in values.items() if amount is not None})


def city_name(code: str) -> str:
    """The name of a city; of none a text that says so."""
    found = municipality_of_ibge(code)
    return found.name if found else ABROAD


def plain(text: str) -> str:
    """A text of a table in the letters that the XSD has."""
    known = text.replace("\u2013", "-").replace("\u201c", '"').replace("\u201d", '"').replace("\u2019", "'")
    return known.encode("latin-1", "ignore").decode("latin-1")[:_LONGEST_TEXT].strip()
