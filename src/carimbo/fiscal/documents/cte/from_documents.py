"""Fills a request for a CT-e from other documents of the company.

The NF-e of the cargo fill parties, municipalities, value and weight; the CT-e that is complemented or
replaced fills the parties, the route, the mode and the cargo.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.documents.cte.document import NAME
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.rules.original import RULES
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, read_invoice
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress, Issuer, Recipient
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.own_documents import OwnDocument, ReferenceFilling
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.hints import hinted_problem
from carimbo.fiscal.transport.originals import Originals, given_fields
from carimbo.fiscal.transport.places import ABROAD
from carimbo.fiscal.transport.request import ServicePurpose, TransportMode
from carimbo.fiscal.transport.rules.rule import manual

Body = Mapping[str, Any]

INVOICE_UNKNOWN = "INVOICE_UNKNOWN"
"""The code of an NF-e that the company does not have, or that can't be read."""
_INVOICE = "nfe"
_PAID_BY_RECIPIENT, _PAID_BY_OTHERS = "1", "2"
_FROM_INVOICES = "documents.fromInvoices:"
_BY_HAND = "Retire fromInvoices e informe partes, municípios e carga no pedido."
_ORIGINALS = Originals(NAME, "CT-e", CteRequest, RULES)
_WARNINGS = (_ORIGINALS.beginning, _FROM_INVOICES)
_ROUTE = (
    "shipper",
    "recipient",
    "dispatcher",
    "receiver",
    "taker",
    "takerParty",
    "takerContribution",
    "serviceType",
    "cfop",
    "municipalityStartIbge",
    "municipalityEndIbge",
)
_OF_TAKER = ("taker", "takerParty")
_CARGO = ("cargo", "documents", "previousDocuments", "rntrc", "modal", "globalized", "multimodalAccessKeys")


def _keys(request: CteRequest) -> tuple[str, ...]:
    """Returns the keys of the NF-e to fill from, and of the corrected CT-e."""
    return (*_invoice_keys(request), *request.corrected_keys)


def _invoice_keys(request: CteRequest) -> tuple[str, ...]:
    documents = request.documents
    return tuple(nfe.access_key for nfe in documents.nfes) if documents and documents.from_invoices else ()


def _fill(body: Body, request: CteRequest, own: Mapping[str, OwnDocument]) -> tuple[Body, FillingReview]:
    """Returns the body filled from the corrected CT-e first, and then from the NF-e of the cargo."""
    problems = (*_ORIGINALS.problems(request, own), *_unusable_invoices(request, own))
    if problems:
        return body, FillingReview(problems=tuple(dict.fromkeys(problems)))
    invoices, unread = _invoices(request, own)
    if unread:
        return body, FillingReview(problems=tuple(unread))
    filled, from_waybill = _from_waybill(body, request, own)
    if not invoices:
        return filled, from_waybill
    filled, from_invoices = _from_invoices(filled, invoices)
    return filled, FillingReview(warnings=(*from_waybill.warnings, *from_invoices.warnings))


def _unusable_invoices(request: CteRequest, own: Mapping[str, OwnDocument]) -> Iterator[Problem]:
    for position, key in enumerate(_invoice_keys(request)):
        path = f"documents.nfes[{position}].accessKey"
        if key in own and own[key].is_canceled:
            yield hinted_problem("652", path, "A NF-e foi cancelada.", manual("documentos da carga"))
        elif key not in own or own[key].type != _INVOICE:
            yield Problem(
                INVOICE_UNKNOWN,
                path,
                "A empresa não tem esta NF-e autorizada, e o CT-e não pode ser preenchido a partir dela.",
                _BY_HAND,
            )


def _invoices(request: CteRequest, own: Mapping[str, OwnDocument]) -> tuple[list[Invoice], list[Problem]]:
    """Reads the NF-e, those of other issuers too; their programs may write what our layout can't read."""
    invoices, problems = [], []
    for position, key in enumerate(_invoice_keys(request)):
        try:
            invoices.append(read_invoice(own[key].signed))
        except UnreadableDocument as error:
            path = f"documents.nfes[{position}].accessKey"
            problems.append(Problem(INVOICE_UNKNOWN, path, f"A NF-e não pôde ser lida. {error}", _BY_HAND))
    return invoices, problems


def _from_waybill(
    body: Body, request: CteRequest, own: Mapping[str, OwnDocument]
) -> tuple[Body, FillingReview]:
    """Returns the body with the parties and the route of the CT-e that it complements or replaces."""
    original = _ORIGINALS.first(request, own)
    if original is None:
        return body, NOTHING_FILLED
    is_complement = request.purpose is ServicePurpose.COMPLEMENT
    names: tuple[str, ...] = _ROUTE if is_complement else (*_ROUTE, *_CARGO)
    if not given_fields(body).keys().isdisjoint(_OF_TAKER):
        # Another taker has its own tax status and CFOP.
        names = tuple(name for name in names if name not in (*_OF_TAKER, "takerContribution", "cfop"))
    if request.modal.kind is not TransportMode.ROAD:
        names = tuple(name for name in names if name != "rntrc")
    fields = {name: original[name] for name in names if name in original}
    if is_complement:
        fields |= _kind_of_mode(original)
    return _ORIGINALS.repeated(body, request, fields)


def _kind_of_mode(original: Body) -> dict[str, Any]:
    """Returns the mode of the corrected CT-e without its data; nothing for road, which is usual."""
    kind = CteRequest.model_validate(original, context=STORED).modal.kind
    return {} if kind is TransportMode.ROAD else {"modal": {"kind": kind.value}}


def _from_invoices(body: Body, invoices: Sequence[Invoice]) -> tuple[Body, FillingReview]:
    """Returns the body with the parties, places and cargo of its NF-e."""
    taken, given = _parties_and_route(invoices), given_fields(body)
    filled = {name: value for name, value in taken.items() if name not in given}
    cargo, given_cargo = _cargo(invoices), given_fields(given.get("cargo") or {})
    from_cargo = {name: value for name, value in cargo.items() if name not in given_cargo}
    if from_cargo:
        filled["cargo"] = {**given_cargo, **from_cargo}
    names = [name for name in filled if name != "cargo"] + [f"cargo.{name}" for name in from_cargo]
    warnings = [f"{_FROM_INVOICES} Das NF-e da carga vieram: {', '.join(names)}."] if names else []
    modes = {invoice.transport.freight_mode for invoice in invoices}
    if "taker" not in given and _PAID_BY_OTHERS in modes:
        warnings.append(f"{_FROM_INVOICES} O frete de uma NF-e é por conta de terceiros: informe taker.")
    return {**given, **filled}, FillingReview(warnings=tuple(warnings))


def _parties_and_route(invoices: Sequence[Invoice]) -> dict[str, Any]:
    """Returns sender, recipient, places and taker, as far as all NF-e have the same."""
    taken: dict[str, Any] = {}
    first = invoices[0]
    recipient = first.recipient
    if len({invoice.issuer.cnpj or invoice.issuer.cpf for invoice in invoices}) == 1:
        taken["shipper"] = _party(first.issuer, first.issuer.address)
        starts = {(invoice.pickup or invoice.issuer.address).city_code for invoice in invoices}
        if len(starts) == 1:
            taken["municipalityStartIbge"] = starts.pop()
    buyers = [invoice.recipient for invoice in invoices]
    if len({buyer and (_tax_id(buyer), buyer.name) for buyer in buyers}) == 1 and recipient:
        if recipient.address:
            taken["recipient"] = _party(recipient, recipient.address)
        ends = {_place_of_delivery(invoice) for invoice in invoices}
        if len(ends) == 1 and None not in ends:
            taken["municipalityEndIbge"] = ends.pop()
    if all(invoice.transport.freight_mode == _PAID_BY_RECIPIENT for invoice in invoices):
        taken["taker"] = "recipient"
    return taken


def _place_of_delivery(invoice: Invoice) -> str | None:
    address = invoice.delivery or (invoice.recipient and invoice.recipient.address)
    return address.city_code if address else None


def _cargo(invoices: Sequence[Invoice]) -> dict[str, Any]:
    """Returns value, main product, weight and number of volumes of the goods."""
    items = [item.product for invoice in invoices for item in invoice.items]
    volumes = [volume for invoice in invoices for volume in invoice.transport.volumes]
    weight = sum((volume.gross_weight or volume.net_weight or Decimal(0) for volume in volumes), Decimal(0))
    count = sum(volume.quantity or 0 for volume in volumes)
    quantities: list[dict[str, Any]] = []
    if weight:
        quantities.append({"unit": "KG", "quantity": weight})
    if count:
        quantities.append({"unit": "UNIT", "quantity": count})
    return {
        "amount": sum((invoice.totals.invoice.amount for invoice in invoices), Decimal(0)),
        "predominantProduct": max(items, key=lambda product: product.amount).description[:60].rstrip(),
        **({"quantities": quantities} if quantities else {}),
    }


def _tax_id(party: Issuer | Recipient) -> str | None:
    return party.cnpj or party.cpf


def _party(party: Issuer | Recipient, address: InvoiceAddress) -> dict[str, Any]:
    values = {
        "taxId": _tax_id(party),
        "name": party.name,
        "stateRegistration": party.state_registration,
        "phone": address.phone,
        "email": party.email if isinstance(party, Recipient) else None,
        "address": _address(address),
    }
    return {name: value for name, value in values.items() if value}


def _address(address: InvoiceAddress) -> dict[str, Any]:
    is_abroad = address.state == ABROAD
    values = {
        "street": address.street,
        "number": address.number,
        "complement": address.complement,
        "district": address.district,
        "cityCode": None if is_abroad else address.city_code,
        "zipcode": address.zipcode,
        "countryCode": address.country_code if is_abroad else None,
        "country": address.country if is_abroad else None,
    }
    return {name: value for name, value in values.items() if value}


FILLING = ReferenceFilling(_keys, _fill, lambda warning: warning.startswith(_WARNINGS))
