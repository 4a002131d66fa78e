"""What a sale of the catalog asks of a document, and the body of a request that a type makes of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.fields import Body

# A path, or a name of several words: one of a single word may be a word of the sentence that it stands in.
_STEP = r"[a-z][A-Za-z]*(?:\[[0-9]*\])?"
_PATH = re.compile(rf"{_STEP}(?:\.{_STEP})+|\b[a-z]+(?:[A-Z][a-z]+)+\b")


class ItemType(StrEnum):
    """What a document can invoice; a split item is made of these."""

    SERVICE = "service"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalItem:
    """An item of the catalog, as far as documents need it."""

    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """Codes and rates of its own, plain values under the names of our JSON."""
    follows_company_defaults: bool = True
    """Whether what its own do not tell comes from the company's settings."""


AnyItem = TypeVar("AnyItem", bound=FiscalItem)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoldLine(FiscalItem):
    """A line of a document: an item of the catalog, and its part of what the sale charges and takes off."""

    position: int
    """Which of the sale's own lines it comes from, counted from 0."""
    sku: str
    name: str
    category: str | None
    quantity: Decimal
    price: Decimal
    """Of one unit."""
    total: Decimal
    """Of all units, before discount and shipping."""
    discount: Decimal
    shipping: Decimal
    guarantee: int | None = None
    """Days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceNote:
    """What a sale says of its note of services (`nfse` in its body)."""

    discrimination: str | None = None
    competence_date: date | None = None
    service_location: str | None = None
    city_ibge: str | None = None
    property: Mapping[str, Any] | None = None
    """The real estate that the services are about, as the body of the document has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SalePart:
    """What one document of a sale is about: lines of one kind, sold to one customer."""

    seller: Company
    customer: CustomerFacts | None
    """None for a sale to a consumer who is not identified."""
    lines: tuple[SoldLine, ...]
    payment_method: str | None
    external_id: str | None
    note: ServiceNote = ServiceNote()
    payments: tuple[Mapping[str, Any], ...] = ()
    """Payments of this part, plain values under the names of our JSON; they go before the method."""
    notes: str | None = None
    day: date | None = None
    """The day on which its document is to be issued, by the company's clock; None if nobody knows it."""

    @property
    def buyer(self) -> CustomerFacts:
        """Returns the customer of a document that is issued to identified customers alone."""
        if self.customer is None:
            raise LookupError("the document needs a customer")
        return self.customer


@dataclass(frozen=True, slots=True)
class SaleBody:
    """The body of the document that a sale needs."""

    json: Mapping[str, Any]
    """As a caller would send it to create the document directly, without its external id."""
    paths: Mapping[str, str]
    """By how a path in that body begins, how it begins in the sale's: `items[0]` is `products[2]`."""

    def path_in_sale(self, path: str) -> str:
        """Where in the sale's body stands what a path in the document's means; itself where nobody knows."""
        known = [one for one in self.paths if path == one or path.startswith((f"{one}.", f"{one}["))]
        longest = max(known, key=len, default=None)
        return path if longest is None else self.paths[longest] + path.removeprefix(longest)

    def text_in_sale(self, text: str) -> str:
        """A sentence about the document's body, with the paths in it as the sale has them."""
        return _PATH.sub(lambda found: self.path_in_sale(found[0]), text)


def without_absent(told: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of all that a body may tell."""
    return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CatalogSale:
    """How a type takes part in sales of the catalog."""

    item_type: ItemType
    fiscal: type[Body]
    """The fiscal fields that an item of the catalog may have for it."""
    needed_alone: Callable[[Any], tuple[str, ...]]
    """Tells, of such fields, what an item lacks that takes nothing from the company, by our JSON's names."""
    body: Callable[[SalePart, Any], SaleBody]
    """Makes the body of the document, of a part of a sale and the company's settings for the type."""
    customer_gaps: Callable[[CustomerFacts | None], tuple[str, ...]] = lambda _: ()
    """Returns what the document needs and a customer lacks, by the paths of the sale's body."""
