"""What a document that is created directly takes from the catalog of its company."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from carimbo.fiscal.catalog_sale import FiscalItem, ItemType
from carimbo.fiscal.company import Company
from carimbo.fiscal.customer import CustomerFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogReferences:
    """What a request may take from the catalog."""

    tax_id: str | None = None
    """CPF or CNPJ of the customer; None if the request lacks nothing that a customer has."""
    skus: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the catalog need not be asked."""
        return self.tax_id is None and not self.skus


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What the catalog has of the references of a request."""

    customer: CustomerFacts | None = None
    items: Mapping[str, FiscalItem] = field(default_factory=dict)
    """By SKU."""


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
    missing: Callable[[Any], tuple[str, ...]]
    """Returns the required fields that neither the body nor the catalog has."""
    customer_field: str = "recipient"
    """The field of the body that customers fill; items of the catalog fill all others."""
