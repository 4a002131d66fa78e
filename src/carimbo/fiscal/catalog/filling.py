"""Filling of requests from the company's catalog, for documents that are created directly."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from carimbo.fiscal.catalog.sale import FiscalItem, ItemType
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.problems import Problem, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogReferences:
    """The references of a request to the catalog."""

    tax_id: str | None = None
    """CPF or CNPJ of the customer; None if the request lacks nothing that a customer record has."""
    skus: tuple[str, ...] = ()
    city_service_code: str | None = None
    """Municipal code of the service; None if the request identifies its service."""

    @property
    def is_empty(self) -> bool:
        """Whether the request needs nothing from the catalog."""
        return self == _NO_REFERENCES


_NO_REFERENCES = CatalogReferences()


@dataclass(frozen=True, slots=True)
class CatalogService:
    """A service in the company's catalog."""

    sku: str
    fiscal: Mapping[str, Any]
    """Its codes and rates, by their names in the catalog."""


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """The records of the catalog that a request refers to."""

    customer: CustomerFacts | None = None
    items: Mapping[str, FiscalItem] = field(default_factory=dict)
    """By SKU."""
    services: tuple[CatalogService, ...] = ()
    """The services with the municipal code, oldest first."""
    day: date | None = None
    """The day of the request in the company's time zone; None if it does not matter."""

    @property
    def is_empty(self) -> bool:
        """Whether the catalog has nothing for the request."""
        return self.customer is None and not self.items and not self.services


@dataclass(frozen=True, slots=True)
class FillingReview:
    """Problems and warnings of filling a request."""

    problems: tuple[Problem, ...] = ()
    """All reasons why the request can't be filled."""
    warnings: tuple[str, ...] = ()
    """The values that were filled, as sentences in Portuguese."""


NOTHING_FILLED = FillingReview()


@dataclass(frozen=True, slots=True)
class CatalogFilling:
    """How requests of a type are filled from the catalog."""

    item_type: ItemType
    """The type of the items that its lines may be."""
    references: Callable[[Any], CatalogReferences]
    """Returns the references of a validated request."""
    fill: Callable[[Mapping[str, Any], Any, Company, CatalogFacts], Mapping[str, Any]]
    """Returns the body with its missing fields filled; takes the body, its validated request and the issuer.

    Existing fields of the body are kept.
    """
    missing: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the required fields that neither the body nor the catalog has."""
    review: Callable[[Any, Any, CatalogFacts], FillingReview] | None = None
    """Reviews a validated request before it is filled; also takes the settings of its type."""
    is_own_warning: Callable[[str], bool] | None = None
    """Returns whether a stored warning of a document comes from `review`."""
    fills_sales: bool = False
    """Whether changed documents of a sale are filled again; else the sale has filled them."""
    customer_field: str = "recipient"
    """The field of the body that customers fill; items of the catalog fill all others."""


@dataclass(frozen=True, slots=True)
class CatalogOrigins:
    """The fields of a request that were filled from the catalog."""

    by_path: Mapping[str, str]
    """The record of the catalog that a field comes from, in Portuguese, by the path of the field."""

    def explain(self, path: str, message: str) -> str:
        """Returns a message about a field, with the origin of the field if it comes from the catalog."""
        while path and path not in self.by_path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return f"{message} O valor de {path} vem {self.by_path[path]}." if path else message


def catalog_origins(posted: Any, filled: Any, customer_field: str) -> CatalogOrigins:
    """Returns the fields in which a filled body differs from the posted one.

    Customers fill `customer_field`, and items of the catalog all other fields.
    """
    origins: dict[str, str] = {}
    for path, sku in _filled_paths(posted, filled, "", None):
        is_of_customer = path == customer_field or path.startswith(f"{customer_field}.")
        item = "do catálogo" if sku is None else f"do item {quoted(sku)} do catálogo"
        origins[path] = "do cadastro do cliente" if is_of_customer else item
    return CatalogOrigins(origins)


def _filled_paths(posted: Any, filled: Any, path: str, sku: object) -> Iterator[tuple[str, object]]:
    """Yields the paths of filled fields, each with the SKU of the object around it."""
    if isinstance(posted, dict) and isinstance(filled, dict):
        # The SKU of the whole body is that of the document itself, and not the origin of its fields.
        own_sku = filled.get("sku", sku) if path else None
        for name, value in filled.items():
            yield from _filled_paths(posted.get(name), value, f"{path}.{name}" if path else name, own_sku)
    elif isinstance(posted, list) and isinstance(filled, list) and len(posted) == len(filled):
        for position, (before, after) in enumerate(zip(posted, filled, strict=True)):
            yield from _filled_paths(before, after, f"{path}[{position}]", sku)
    elif posted != filled:
        yield path, sku
