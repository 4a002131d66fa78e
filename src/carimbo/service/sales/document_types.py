"""The types of documents that invoice the items of a sale, and what each needs of the customer."""

from collections.abc import Iterable, Iterator, Mapping

from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES

_BY_ITEM: Mapping[ItemType, tuple[DocumentType, ...]] = {
    item: tuple(kind for kind in DOCUMENT_TYPES if kind.catalog_sale and kind.catalog_sale.item_type is item)
    for item in ItemType
}


def document_type_for(item: ItemType, asked: str) -> DocumentType:
    """Returns the type that invoices a kind of item; where several do, the one that is asked for."""
    kinds = _BY_ITEM[item]
    return next((kind for kind in kinds if kind.name == asked), kinds[0])


def catalog_sale_of(kind: DocumentType) -> CatalogSale:
    """Returns how a type takes part in sales."""
    catalog_sale = kind.catalog_sale
    if catalog_sale is None:
        raise LookupError(f"{kind.name} takes no part in sales")
    return catalog_sale


def customer_gaps(
    kinds: Iterable[DocumentType], customer: CustomerFacts | None
) -> Iterator[tuple[str, DocumentType]]:
    """Yields each field that a customer lacks, with the first of the document types that need it."""
    gaps: dict[str, DocumentType] = {}
    for kind in kinds:
        for path in catalog_sale_of(kind).customer_gaps(customer):
            gaps.setdefault(path, kind)
    yield from gaps.items()
