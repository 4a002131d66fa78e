"""Data that an item of the catalog takes from its company, and data that it lacks for its documents."""

from dataclasses import dataclass

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.catalog.products import ProductRecord
from carimbo.service.companies.company_settings import stored_settings
from carimbo.storage.companies import CompanyRow

_NCM = "ncm"


@dataclass(frozen=True)
class ProductReadiness:
    """The data that an item lacks for documents of one type."""

    document_type: DocumentType
    missing: tuple[str, ...]
    """The fields that neither the item nor the company has, by names of our JSON."""
    from_company: tuple[str, ...]
    """The fields that come from the company's settings or the common rules."""


def product_readiness(product: ProductRecord, company: CompanyRow) -> list[ProductReadiness]:
    """Returns what an item lacks for each document type that invoices it; nothing for a split item."""
    item = product.root
    has_ncm = stored_settings(company).model.defaults.ncm is not None
    lines = []
    for document_type in DOCUMENT_TYPES:
        sale = document_type.catalog_sale
        if sale is None or sale.item_type.value != item.type.value:
            continue
        lacking = sale.needed_alone(item)
        # Every other field has a common rule, or a setting without which the type can't be issued at all.
        missing = [name for name in lacking if name == _NCM and not has_ncm]
        if not item.fiscal_follows_company_defaults:
            missing = list(lacking)
        from_company = [name for name in lacking if name not in missing]
        lines.append(ProductReadiness(document_type, tuple(missing), tuple(from_company)))
    return lines
