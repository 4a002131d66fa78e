"""How the Sefin writes amounts, names of cities, and texts of tables."""

from collections.abc import Mapping
from decimal import Decimal

from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.simulator.nfse.case import AT_SEA
from carimbo.simulator.writing import texts

ABROAD = "Exterior"
_NO_CITIES = {AT_SEA: "Águas marítimas"}
_LONGEST_TEXT = 600


def money(values: Mapping[str, Decimal | None]) -> str:
    """Elements with an amount, in their order; those without one are left out."""
    return texts({tag: f"{amount:.2f}" for tag, amount in values.items() if amount is not None})


def city_name(code: str) -> str:
    """The name of a city; of none a text that says so."""
    found = municipality_of_ibge(code)
    return found.name if found else _NO_CITIES.get(code, ABROAD)


def plain(text: str) -> str:
    """A text of a table in the letters that the XSD has."""
    known = text.replace("\u2013", "-").replace("\u201c", '"').replace("\u201d", '"').replace("\u2019", "'")
    return known.encode("latin-1", "ignore").decode("latin-1")[:_LONGEST_TEXT].strip()
