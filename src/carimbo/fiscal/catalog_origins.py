"""Says in refusals which fields were not in the body, but came from the catalog."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.problems import quoted


@dataclass(frozen=True, slots=True)
class CatalogOrigins:
    """The fields of a request that the catalog filled."""

    by_path: Mapping[str, str]
    """By the path of a filled field, the record of the catalog that it comes from, in Portuguese."""

    def explain(self, path: str, message: str) -> str:
        """Returns a message about a field, with where the field comes from if the catalog filled it."""
        while path and path not in self.by_path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return f"{message} O valor de {path} vem {self.by_path[path]}." if path else message


def catalog_origins(posted: Any, filled: Any, customer_field: str) -> CatalogOrigins:
    """Returns the fields in which a filled body differs from the posted one.

    Customers fill the field of the body that is named here, and items of the catalog fill all others.
    """
    origins: dict[str, str] = {}
    for path, sku in _filled_paths(posted, filled, "", None):
        is_of_customer = path == customer_field or path.startswith(f"{customer_field}.")
        item = "do catálogo" if sku is None else f"do item {quoted(sku)} do catálogo"
        origins[path] = "do cadastro do cliente" if is_of_customer else item
    return CatalogOrigins(origins)


def _filled_paths(posted: Any, filled: Any, path: str, sku: object) -> Iterator[tuple[str, object]]:
    """Returns the paths of filled fields, each with the SKU of the object around it."""
    if isinstance(posted, dict) and isinstance(filled, dict):
        # A SKU of the whole body is what the document itself is sold as, not where its fields come from.
        own_sku = filled.get("sku", sku) if path else None
        for name, value in filled.items():
            yield from _filled_paths(posted.get(name), value, f"{path}.{name}" if path else name, own_sku)
    elif isinstance(posted, list) and isinstance(filled, list) and len(posted) == len(filled):
        for position, (before, after) in enumerate(zip(posted, filled, strict=True)):
            yield from _filled_paths(before, after, f"{path}[{position}]", sku)
    elif posted != filled:
        yield path, sku
