"""Sales of the catalog and the documents that they create."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormSection
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts

# A path, or a name of several words: a name of a single word may be a normal word of the sentence.
_STEP = r"[a-z][A-Za-z]*(?:\[[0-9]*\])?"
_PATH = re.compile(rf"{_STEP}(?:\.{_STEP})+|\b[a-z]+(?:[A-Z][a-z]+)+\b")


class ItemType(StrEnum):
    """The types of items that documents invoice; a split item consists of both."""

    SERVICE = "service"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalItem:
    """An item of the catalog with the facts that documents need."""

    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """The item's own codes and rates, values by names of our JSON."""
    follows_company_defaults: bool = True
    """Whether missing codes and rates come from the company's settings."""


AnyItem = TypeVar("AnyItem", bound=FiscalItem)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoldLine(FiscalItem):
    """A line of a document: an item of the catalog, with its share of shipping and discount."""

    position: int
    """The line of the sale that it comes from, counted from 0."""
    sku: str
    name: str
    category: str | None
    quantity: Decimal
    price: Decimal
    """Per unit."""
    total: Decimal
    """For all units, before discount and shipping."""
    discount: Decimal
    shipping: Decimal
    guarantee: int | None = None
    """Days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceNoteFacts:
    """Facts of a sale for its NFS-e (`nfse` in the body of the sale)."""

    discrimination: str | None = None
    competence_date: date | None = None
    service_location: str | None = None
    city_ibge: str | None = None
    property: Mapping[str, Any] | None = None
    """The real estate that the services concern, as in the body of the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SalePart:
    """The part of a sale for one document: lines of one item type, for one customer."""

    seller: Company
    customer: CustomerFacts | None
    """None for an unidentified consumer."""
    lines: tuple[SoldLine, ...]
    payment_method: str | None
    external_id: str | None
    note: ServiceNoteFacts = ServiceNoteFacts()
    payments: tuple[Mapping[str, Any], ...] = ()
    """Payments of this part, values by names of our JSON; they have priority over the method."""
    notes: str | None = None
    day: date | None = None
    """The issue date of the document in the company's time zone; None if it is unknown."""

    @property
    def buyer(self) -> CustomerFacts:
        """The customer, for a document that requires an identified one."""
        if self.customer is None:
            raise LookupError("the document needs a customer")
        return self.customer


@dataclass(frozen=True, slots=True)
class SaleDocumentBody:
    """The request body of a document of a sale."""

    json: Mapping[str, Any]
    """As a caller would send it to create the document directly, without its external id."""
    paths: Mapping[str, str]
    """Prefixes of paths in that body with the prefix in the body of the sale: `items[0]` is `products[2]`."""

    def path_in_sale(self, path: str) -> str:
        """Returns the path in the sale for a path in the document; the same path if there is none."""
        prefixes = [prefix for prefix in self.paths if _begins_with(path, prefix)]
        longest = max(prefixes, key=len, default=None)
        return path if longest is None else self.paths[longest] + path.removeprefix(longest)

    def text_in_sale(self, text: str) -> str:
        """Returns a sentence about the document with its paths replaced by those of the sale."""
        return _PATH.sub(lambda match: self.path_in_sale(match[0]), text)


def _begins_with(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))


def without_absent(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a body that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CatalogSale:
    """How a document type takes part in sales of the catalog."""

    item_type: ItemType
    fiscal: type[Body]
    """The fiscal fields of a catalog item for this type."""
    needed_alone: Callable[[Any], tuple[str, ...]]
    """Returns the fields that an item lacks if it takes none from the company, by names of our JSON."""
    body: Callable[[SalePart, Any], SaleDocumentBody]
    """Returns the body of the document for a part of a sale and the company's settings of the type."""
    customer_gaps: Callable[[CustomerFacts | None], tuple[str, ...]] = lambda _: ()
    """Returns the facts that the document needs and the customer lacks, by paths of the sale."""
    sections: Callable[[], tuple[FormSection, ...]] = lambda: ()
    """Returns the form of the fiscal fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoldItem:
    """The item of a sale, as in a catalog."""

    sku: str
    name: str
    type: str
    """`service` or `product`."""
    category: str
    guarantee: int | None = None
    """Days."""
    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """The item's own codes and rates, values by names of our JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectSale:
    """The sale of a document that is created directly: one item, once."""

    customer: CustomerFacts
    item: SoldItem
    price: Decimal
    discount: Decimal = Decimal(0)
    sold_on: date | None = None
    """None if the document has no date: then it is the day on which it is created."""
