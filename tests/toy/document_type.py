"""Two document types that exist only in these tests: one that we number, one that its authority numbers.

They have everything that document types share, and nothing else: tests with them hold for any type.
"""

import re
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.catalog.sale import CatalogSale, ItemType, SaleDocumentBody, SalePart
from carimbo.fiscal.document_type import (
    DocumentType,
    Issuing,
    NumberingRules,
    OwnFields,
    Requirements,
    StoredFacts,
)
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import CancellationDeadline
from carimbo.fiscal.issuance import signed_identity
from carimbo.fiscal.lifecycle import CLOSED_AT
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.rules import Hint
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import rejection_file
from toy.codes import REFUSAL_CODE, TAKEN_CODE
from toy.events import (
    ALTERNATIVE,
    CORRECTION,
    INUTILIZATION,
    LATE_CODES,
    LENT_AT,
    LOAN,
    LOAN_RETURN,
    SEALING,
    TOY_CANCELLATION,
    TOY_CLOSING,
)
from toy.request import ToyRequest, ToySettings, Transmit
from toy.xml import access_key, issue, joined, request_id, review

_ID = re.compile(rb'<infToy [^>]*?Id="Toy([0-9A-Z]+)"')


def _missing_settings(settings: ToySettings, _environment: Environment) -> tuple[str, ...]:
    return () if settings.active else ("toy.active",)


def _addressee(request: ToyRequest) -> Addressee:
    recipient = request.recipient
    return Addressee(recipient.name, recipient.email, recipient.tax_id)


def _hint(code: str, _message: str) -> Hint | None:
    return Hint("notes", "Retire a observação que pede a recusa.") if code == REFUSAL_CODE else None


def _waits(request: ToyRequest) -> bool:
    return request.transmit is Transmit.LATER


class _ToyFields(Record):
    """Fields that only the record of a toy has."""

    closed_at: datetime | None
    lent_at: datetime | None


def _own_fields(stored: StoredFacts) -> dict[str, Any]:
    return {"closed_at": stored.events.get(CLOSED_AT), "lent_at": stored.events.get(LENT_AT)}


class _RequestNumber(Record):
    """Our number of a document that its authority numbers."""

    series: int
    number: int


class _NoteFields(Record):
    """Fields that only the record of a note has."""

    dps: _RequestNumber | None


def _own_fields_of_note(stored: StoredFacts) -> dict[str, Any]:
    return {"dps": _RequestNumber(series=stored.series, number=stored.number)}


class _NoFiscalFields(Body):
    """The catalog needs a type for each kind of item; items of the toys have no fiscal fields."""


def _body_of_sale(_part: SalePart, _settings: ToySettings) -> SaleDocumentBody:
    raise LookupError("the toys take no part in sales")


def _catalog_sale(item_type: ItemType) -> CatalogSale:
    return CatalogSale(item_type, _NoFiscalFields, lambda _: (), _body_of_sale)


_ISSUING = Issuing(
    request=ToyRequest,
    external_id=lambda request: request.external_id,
    issue_date=lambda request: request.issue_date,
    review=partial(review, access_key),
    issue=partial(issue, access_key),
    hint=_hint,
    identity=partial(signed_identity, _ID),
    addressee=_addressee,
    archived=joined,
    refused=rejection_file,
    # The toys have no XSD; the service compiles that of every type when it starts.
    schema=Schema.NFE_SERVICE_QUERY,
    papers=(PaperSize.A4,),
    print_name="TOY",
    waits=_waits,
)

TOY = DocumentType(
    name="toy",
    title="Toy",
    is_masculine=True,
    model="99",
    settings=ToySettings,
    collection="toy",
    namespace="invoices",
    event_prefix="toy",
    event_group="toy",
    feature="toyEmission",
    requirements=Requirements(settings=_missing_settings),
    numbering=NumberingRules(taken_code=TAKEN_CODE, inutilization=INUTILIZATION),
    issuing=_ISSUING,
    catalog_sale=_catalog_sale(ItemType.PRODUCT),
    events=(TOY_CANCELLATION, CORRECTION, TOY_CLOSING, LOAN, LOAN_RETURN),
    own_fields=OwnFields(_ToyFields, _own_fields),
)

NOTE = replace(
    TOY,
    name="toynote",
    title="Toy Note",
    model="",
    collection="toynote",
    event_prefix="toynote",
    event_group="toynote",
    feature=None,
    requirements=Requirements(state_registration=False),
    numbering=NumberingRules(is_by_authority=True, taken_code=TAKEN_CODE),
    issuing=replace(
        _ISSUING,
        review=partial(review, request_id),
        issue=partial(issue, request_id),
    ),
    catalog_sale=_catalog_sale(ItemType.SERVICE),
    events=(replace(TOY_CANCELLATION, deadline=CancellationDeadline(ALTERNATIVE, LATE_CODES)),),
    own_fields=OwnFields(_NoteFields, _own_fields_of_note),
)

CHARTER = replace(
    TOY,
    name="toycharter",
    title="Toy Charter",
    collection="toy-charter",
    shared_collection=TOY.collection,
    own_fields=None,
    events=(TOY_CANCELLATION, SEALING),
)
"""A type that is created in its own collection, and read in that of the toys."""
