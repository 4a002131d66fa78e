"""The XML of the examples of the repository."""

from decimal import Decimal
from functools import cache

from golden import FOLDER, Example, examples
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE

ALL = examples()
DOCUMENTS = [example for example in ALL if example.is_document]
INVOICES = [example for example in DOCUMENTS if example.request.parent.name in ("nfe", "nfce")]


@cache
def stored(example_file: str) -> bytes:
    """The XML in the repository."""
    return (FOLDER / example_file).with_suffix(".xml").read_bytes()


def tree(example: Example) -> etree._Element:
    return etree.fromstring(stored(example.file))


def amounts(root: etree._Element, tag: str) -> list[Decimal]:
    return [Decimal(element.text or "0") for element in root.iter(f"{{{NAMESPACE}}}{tag}")]
