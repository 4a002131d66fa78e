"""Document types by their name, by their collection and by the kind of item that they invoice."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from carimbo.fiscal.catalog.sale import CatalogSale, ItemType
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.receiving import ReceivedDetails, Receiving
from carimbo.fiscal.registry import DOCUMENT_TYPES

_BY_NAME: Mapping[str, DocumentType] = {document_type.name: document_type for document_type in DOCUMENT_TYPES}


def find_document_type(name: str) -> DocumentType | None:
    """Returns a document type by its name; None if there is no such type, as in a damaged row."""
    return _BY_NAME.get(name)


def title_of(name: str) -> str:
    """Returns the title of a document type, as `NF-e`; the name itself if there is no such type."""
    document_type = find_document_type(name)
    return document_type.title if document_type else name


def last_number_of(name: str) -> int:
    """Returns the last number of a series."""
    return _BY_NAME[name].numbering.last_number


def types_in(collection: str) -> tuple[str, ...]:
    """Returns the names of the types whose documents are read in a collection."""
    return tuple(
        document_type.name for document_type in DOCUMENT_TYPES if document_type.read_collection == collection
    )


def is_numbered_by_authority(name: str) -> bool:
    """Returns whether the authority numbers the documents of a type; False if the type is unknown."""
    document_type = find_document_type(name)
    return document_type is not None and document_type.numbering.is_by_authority


RECEIVED_TYPES = tuple(document_type for document_type in DOCUMENT_TYPES if document_type.receiving)
"""The types whose documents of other issuers are received."""


def receiving_of_type(document_type: DocumentType) -> Receiving:
    """Returns how documents of a type are received. Raises LookupError."""
    if document_type.receiving is None:
        raise LookupError(f"{document_type.name} is not received")
    return document_type.receiving


def received_type_like(document_type: DocumentType) -> DocumentType | None:
    """Returns the type as which documents of a type are received: CT-e OS are received as CT-e."""
    collection = document_type.read_collection
    return next((received for received in RECEIVED_TYPES if received.read_collection == collection), None)


def details_reader_of(document_type: DocumentType) -> Callable[[bytes], ReceivedDetails] | None:
    """Returns what reads parties, lines and totals of an authorized file; None if the type has none."""
    received = received_type_like(document_type)
    return received.receiving.details if received and received.receiving else None


def distributed_type(service: str) -> tuple[DocumentType, Receiving]:
    """Returns the document type that a distribution service belongs to, and how it is received."""
    for document_type in RECEIVED_TYPES:
        if document_type.receiving and document_type.receiving.service == service:
            return document_type, document_type.receiving
    raise LookupError(f"nothing is received from {service}")


def document_type_named(name: str) -> DocumentType:
    """Returns a document type by its name; raises KeyError if there is no such type."""
    return _BY_NAME[name]


_BY_ITEM: Mapping[ItemType, tuple[DocumentType, ...]] = {
    item: tuple(
        document_type
        for document_type in DOCUMENT_TYPES
        if document_type.catalog_sale and document_type.catalog_sale.item_type is item
    )
    for item in ItemType
}


def document_type_for(item: ItemType, requested: str) -> DocumentType:
    """Returns the type that invoices a kind of item; if several do, the requested one."""
    candidates = _BY_ITEM[item]
    return next((candidate for candidate in candidates if candidate.name == requested), candidates[0])


def catalog_sale_of(document_type: DocumentType) -> CatalogSale:
    """Returns how a type takes part in sales; raises LookupError if it does not."""
    catalog_sale = document_type.catalog_sale
    if catalog_sale is None:
        raise LookupError(f"{document_type.name} takes no part in sales")
    return catalog_sale


def customer_gaps(
    document_types: Iterable[DocumentType], customer: CustomerFacts | None
) -> Iterator[tuple[str, DocumentType]]:
    """Yields each field that a customer lacks, with the first of the document types that need it."""
    gaps: dict[str, DocumentType] = {}
    for document_type in document_types:
        for path in catalog_sale_of(document_type).customer_gaps(customer):
            gaps.setdefault(path, document_type)
    yield from gaps.items()
