"""Fills a request for a manifest from the NF-e or CT-e of the company that it lists.

They fill the municipalities of loading and unloading, value and weight of the cargo, and the contractors.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.fiscal.body.fields import QUANTITY_PLACES
from carimbo.fiscal.catalog.filling import NOTHING_FILLED, FillingReview
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.request import CargoWeightUnit, IssuerType, MdfeRequest
from carimbo.fiscal.documents.mdfe.road import owner_of_vehicle
from carimbo.fiscal.documents.mdfe.rules.rule import INVOICE_LIST, MANIFEST_LIST, WAYBILL_LIST, manual
from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.layouts.cte_v4.archived import read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.parties import CargoParty, OtherTaker
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, read_invoice
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.own_documents import OwnDocument, ReferenceFilling
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.originals import given_fields
from carimbo.fiscal.transport.parties import HOMOLOGATION_NAME

Body = Mapping[str, Any]

DOCUMENT_UNKNOWN = "DOCUMENT_UNKNOWN"
"""The code of an NF-e or CT-e that the company does not have."""
_INVOICE, _WAYBILL = "nfe", "cte"
_WARNING = "fromDocuments:"
_KILOGRAMS, _TONS = "01", "02"
_GROSS_WEIGHT = "BRUTO"
_KILOGRAMS_OF_TON = 1000


@dataclass(frozen=True, slots=True)
class _Cargo:
    """What a document says about its cargo."""

    start: str | None
    """IBGE code of the municipality of loading; None if the document does not say it."""
    end: str | None
    amount: Decimal
    kilograms: Decimal | None
    """None if the document has no weight."""
    contractor: tuple[str, str | None] | None
    """CPF or CNPJ and name of the taker of a CT-e; in homologation a CT-e does not have the name."""


def _keys(request: MdfeRequest) -> tuple[str, ...]:
    """Returns the keys of the documents to fill from."""
    if not request.from_documents:
        return ()
    return tuple(key for city in request.documents for key in (*city.cte_access_keys, *city.nfe_access_keys))


def _fill(body: Body, request: MdfeRequest, own: Mapping[str, OwnDocument]) -> tuple[Body, FillingReview]:
    if not request.from_documents:
        return body, NOTHING_FILLED
    if problems := tuple(_unusable(request, own)):
        return body, FillingReview(problems=problems)
    cargos = {key: _cargo_of(own[key]) for key in _keys(request)}
    if not cargos:
        return body, NOTHING_FILLED
    given = given_fields(body)
    taken = {
        **_places(request, list(cargos.values())),
        **_totals(request, list(cargos.values())),
        "documents": _by_city(given.get("documents", ()), cargos),
    }
    filled = {name: value for name, value in taken.items() if name == "documents" or name not in given}
    modal = _with_contractors(given, request, cargos.values())
    names = [name for name in filled if name != "documents" or filled[name] != given.get(name)]
    if modal:
        filled["modal"] = modal
        names.append("modal.contractors")
    warning = f"{_WARNING} Dos documentos vieram: {', '.join(names)}."
    return {**given, **filled}, FillingReview(warnings=(warning,) if names else ())


def _unusable(request: MdfeRequest, own: Mapping[str, OwnDocument]) -> Iterator[Problem]:
    """Yields the documents that the company does not have, or that were canceled."""
    kinds = ((WAYBILL_LIST, _WAYBILL, "CT-e", "601", "673"), (INVOICE_LIST, _INVOICE, "NF-e", "604", "677"))
    for position, city in enumerate(request.documents):
        for name, kind, title, invalid, code in kinds:
            keys = city.cte_access_keys if name == WAYBILL_LIST else city.nfe_access_keys
            for place, key in enumerate(keys):
                path, document = f"documents[{position}].{name}[{place}]", own.get(key)
                if (fault := _fault_of_key(key)) is not None:
                    message = f"A chave do documento ({title}) é inválida. {fault}"
                    yield Problem(invalid, path, message, hint_of(invalid), manual("documentos do MDF-e"))
                elif document is None or document.type != kind:
                    yield Problem(
                        DOCUMENT_UNKNOWN,
                        path,
                        f"A empresa não tem este documento ({title}) autorizado, e nada pode vir dele.",
                        "Retire fromDocuments e informe municípios, valor e peso no pedido.",
                    )
                elif document.is_canceled:
                    message = f"O documento ({title}) foi cancelado."
                    yield Problem(code, path, message, hint_of(code), manual("documentos do MDF-e"))


def _fault_of_key(key: str) -> str | None:
    try:
        AccessKey.parse(key)
    except InvalidAccessKey as fault:
        return str(fault)
    return None


def _cargo_of(document: OwnDocument) -> _Cargo:
    if document.type == _INVOICE:
        return _of_invoice(read_invoice(document.signed))
    return _of_waybill(read_archived_waybill(document.signed).waybill)


def _of_invoice(invoice: Invoice) -> _Cargo:
    delivery = invoice.delivery or (invoice.recipient and invoice.recipient.address)
    weights = [volume.gross_weight for volume in invoice.transport.volumes]
    return _Cargo(
        start=(invoice.pickup or invoice.issuer.address).city_code,
        end=delivery.city_code if delivery else None,
        amount=invoice.totals.invoice.amount,
        # A sum without the weight of a volume would be too low.
        kilograms=sum(filter(None, weights), ZERO) if weights and all(weights) else None,
        contractor=None,
    )


def _of_waybill(waybill: Waybill) -> _Cargo:
    identification, service = waybill.identification, waybill.service
    cargo = service.cargo if service else None
    weights = [
        quantity.quantity * (_KILOGRAMS_OF_TON if quantity.unit == _TONS else 1)
        for quantity in (cargo.quantities if cargo else ())
        if quantity.unit in (_KILOGRAMS, _TONS) and _GROSS_WEIGHT in quantity.measure_type.upper()
    ]
    taker = _taker_of(waybill)
    tax_id = taker and (taker.cnpj or taker.cpf)
    return _Cargo(
        start=identification.start_city_code,
        end=identification.end_city_code,
        amount=(cargo.amount if cargo else None) or ZERO,
        kilograms=weights[0] if weights else None,
        contractor=(tax_id, None if taker.name == HOMOLOGATION_NAME else taker.name)
        if taker and tax_id
        else None,
    )


def _taker_of(waybill: Waybill) -> CargoParty | None:
    taker = waybill.identification.taker
    if isinstance(taker, OtherTaker):
        return taker
    parties = (waybill.sender, waybill.dispatcher, waybill.receiver, waybill.recipient)
    return parties[int(taker.role)]


def _places(request: MdfeRequest, cargos: Sequence[_Cargo]) -> dict[str, Any]:
    """Returns the municipalities of loading, unless the request has one."""
    if request.municipality_start_ibge is not None:
        return {}
    first, *others = dict.fromkeys(cargo.start for cargo in cargos if cargo.start) or (None,)
    places: dict[str, Any] = {} if first is None else {"municipalityStartIbge": first}
    return {**places, "loadingCityCodes": others} if others else places


def _totals(request: MdfeRequest, cargos: Sequence[_Cargo]) -> dict[str, Any]:
    """Returns value and weight; no weight if a document has none."""
    totals: dict[str, Any] = {"cargoTotalAmount": sum((cargo.amount for cargo in cargos), ZERO)}
    weights = [cargo.kilograms for cargo in cargos if cargo.kilograms is not None]
    if len(weights) == len(cargos):
        is_in_tons = request.cargo_unit is CargoWeightUnit.TON
        weight = sum(weights, ZERO) / (_KILOGRAMS_OF_TON if is_in_tons else 1)
        totals["cargoQuantity"] = round(weight, QUANTITY_PLACES)
    return totals


def _by_city(groups: Sequence[Body], cargos: Mapping[str, _Cargo]) -> list[dict[str, Any]]:
    """Returns the documents by municipality of unloading: those without one go to that of their document."""
    by_city: dict[str, dict[str, Any]] = {}
    for group in map(given_fields, groups):
        for name in (WAYBILL_LIST, INVOICE_LIST, MANIFEST_LIST, "details"):
            for item in group.get(name, ()):
                key = item["accessKey"] if isinstance(item, Mapping) else item
                cargo = cargos.get(normalize(key))
                city = group.get("cityCode") or (cargo.end if cargo else None) or ""
                listed = by_city.setdefault(city, {"cityCode": city} if city else {})
                listed.setdefault(name, []).append(item)
    return list(by_city.values())


def _with_contractors(given: Body, request: MdfeRequest, cargos: Iterable[_Cargo]) -> dict[str, Any] | None:
    """Returns the mode with the takers of the CT-e as contractors, for a carrier on its own vehicle."""
    road = request.road
    is_carrier = request.effective_issuer_type is IssuerType.CARRIER
    takers = dict(cargo.contractor for cargo in cargos if cargo.contractor)
    if not road or not takers or not is_carrier or road.contractors or owner_of_vehicle(request):
        return None
    contractors = [{"taxId": tax_id, **({"name": name} if name else {})} for tax_id, name in takers.items()]
    return {**given_fields(given["modal"]), "contractors": contractors}


FILLING = ReferenceFilling(
    _keys, _fill, lambda warning: warning.startswith(_WARNING), query_flag="fromDocuments"
)
