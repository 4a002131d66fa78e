"""What a document that is created directly takes from the catalog of its company."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from carimbo.fiscal.catalog_sale import FiscalItem, ItemType
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogReferences:
    """What a request may take from the catalog."""

    tax_id: str | None = None
    """CPF or CNPJ of the customer; None if the request lacks nothing that a customer has."""
    skus: tuple[str, ...] = ()
    city_service_code: str | None = None
    """Municipal code of the service; None if the request says itself which service it is of."""

    @property
    def is_empty(self) -> bool:
        """Whether the catalog need not be asked."""
        return self == _NO_REFERENCES


_NO_REFERENCES = CatalogReferences()


@dataclass(frozen=True, slots=True)
class CatalogService:
    """A service of the company's catalog."""

    sku: str
    fiscal: Mapping[str, Any]
    """Its codes and rates, by their names in the catalog."""


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What the catalog has of the references of a request."""

    customer: CustomerFacts | None = None
    items: Mapping[str, FiscalItem] = field(default_factory=dict)
    """By SKU."""
    services: tuple[CatalogService, ...] = ()
    """Those with the municipal code, oldest first."""
    day: date | None = None
    """The day of the request, by the company's clock; None if that does not matter."""

    @property
    def is_empty(self) -> bool:
        """Whether the catalog has nothing that the request could take."""
        return self.customer is None and not self.items and not self.services


@dataclass(frozen=True, slots=True)
class FillingReview:
    """What is to be said of taking facts of the catalog into a request."""

    problems: tuple[Problem, ...] = ()
    """Everything that keeps the request from being filled."""
    warnings: tuple[str, ...] = ()
    """What was taken; sentences in Portuguese."""


NOTHING_FILLED = FillingReview()


@dataclass(frozen=True, slots=True)
class CatalogFilling:
    """How requests of a type are filled from the catalog."""

    item_type: ItemType
    """The items that its lines may be."""
    references: Callable[[Any], CatalogReferences]
    """Returns what a validated request may take."""
    fill: Callable[[Mapping[str, Any], Any, Company, CatalogFacts], Mapping[str, Any]]
    """Returns a body with its missing fields filled; takes the body, its validated request and the issuer.

    Fields that the body has are kept.
    """
    missing: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the required fields that neither the body nor the catalog has."""
    review: Callable[[Any, Any, CatalogFacts], FillingReview] | None = None
    """Reviews a validated request before it is filled; takes also the settings of its type."""
    is_own_warning: Callable[[str], bool] | None = None
    """Returns whether a stored warning of a document is one of `review`."""
    fills_sales: bool = False
    """Whether a document that a sale made is filled when it is changed; else the sale has filled it."""
    customer_field: str = "recipient"
    """The field of the body that customers fill; items of the catalog fill all others."""
