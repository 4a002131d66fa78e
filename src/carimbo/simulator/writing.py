"""How authorities write XML, whatever the family: elements, texts, tax ids, and their own name."""

from collections.abc import Mapping
from xml.sax.saxutils import escape

from carimbo.simulator.tax_ids import is_person

APPLICATION = "CARIMBO_SIM_1.0"
"""`verAplic`."""


def element(tag: str, content: str) -> str:
    """An element with others inside."""
    return f"<{tag}>{content}</{tag}>"


def texts(values: Mapping[str, str]) -> str:
    """Elements with a text, in their order; those without one are left out."""
    return "".join(element(tag, escape(text)) for tag, text in values.items() if text)


def tax_id(number: str, suffix: str = "") -> dict[str, str]:
    """`CNPJ` or `CPF`, by its length."""
    return {f"CPF{suffix}" if is_person(number) else f"CNPJ{suffix}": number}
