"""Composing an NF-e: request, company and emission become the document that is written."""

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfe.request import NfeRequest, Operation, Purpose
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.filling import tried
from carimbo.fiscal.goods.freight import transport
from carimbo.fiscal.goods.parties import contribution_of, issuer, place, reader, recipient
from carimbo.fiscal.goods.payments import NO_PAYMENT
from carimbo.fiscal.goods.sale import (
    ABROAD,
    access_key,
    additional_information,
    compose_items,
    compose_payments,
    destination_code,
    destination_state,
    identification,
)
from carimbo.fiscal.goods.totals import totals_of
from carimbo.fiscal.ids import document_id
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.software import Software

MODEL = "55"
_PORTRAIT = "1"
_CASH = "01"
_NOT_PAID = (Purpose.ADJUSTMENT, Purpose.RETURN, Purpose.CREDIT, Purpose.DEBIT)
_NO_CONTRIBUTOR = "9"


def compose(
    request: NfeRequest, company: Company, emission: Emission, software: Software
) -> Invoice | tuple[Problem, ...]:
    """Make the document, or tell everything that is missing in the request."""
    state = destination_state(request.recipient, company)
    cfop = request.cfop or _usual_cfop(request, company, state)
    problems: list[Problem] = []
    items = tried(lambda: compose_items(request.items, company, cfop), problems)
    buyer = tried(lambda: recipient(request.recipient, emission.environment), problems)
    if items is None or buyer is None:
        return tuple(problems)
    totals = totals_of(items, request.withheld_taxes)
    usual_payment = NO_PAYMENT if request.purpose in _NOT_PAID else _CASH
    key = access_key(MODEL, company, emission)
    return Invoice(
        id=document_id(key),
        identification=_identification(request, company, emission, software, key),
        issuer=issuer(company, state),
        recipient=buyer,
        pickup=place(request.pickup_address) if request.pickup_address else None,
        delivery=place(request.delivery_address) if request.delivery_address else None,
        authorized_readers=tuple(reader(one) for one in request.authorized_readers),
        items=items,
        totals=totals,
        transport=transport(request.freight),
        billing=request.billing,
        payment=compose_payments(request, totals.invoice.amount, usual_payment),
        intermediary=request.intermediary,
        additional=additional_information(request),
        export=request.export,
        purchase=request.purchase,
        sugar_cane=request.sugar_cane,
        technical_responsible=software.responsible_for(key),
        farming=request.farming,
    )


def _identification(
    request: NfeRequest, company: Company, emission: Emission, software: Software, key: AccessKey
) -> Identification:
    return identification(
        request,
        company,
        emission,
        software,
        key,
        departed_at=request.departed_at,
        expected_delivery_date=request.expected_delivery_date,
        direction=request.operation.code,
        destination=destination_code(destination_state(request.recipient, company), company),
        print_format=_PORTRAIT,
        purpose=request.purpose.code,
        debit_type=request.debit_type,
        credit_type=request.credit_type,
        supply_place_code=request.supply_place_code,
        ibs_taxable_city_code=request.ibs_taxable_city_code,
        final_consumer="1" if _is_final_consumer(request) else "0",
        references=request.references,
        government_purchase=request.government_purchase,
        advance_payment=request.advance_payment,
    )


def _is_final_consumer(request: NfeRequest) -> bool:
    """As the caller says; else whoever pays no ICMS consumes what it buys (rule 696), except abroad."""
    if request.final_consumer is not None:
        return request.final_consumer
    return contribution_of(request.recipient) == _NO_CONTRIBUTOR and not request.recipient.is_foreign


def _usual_cfop(request: NfeRequest, company: Company, state: str) -> str:
    """The sale of goods bought from others, by where they go (Ajuste SINIEF 07/2001)."""
    inbound = request.operation is Operation.INBOUND
    if state == ABROAD:
        return "3102" if inbound else "7102"
    if state == company.address.state:
        return "1102" if inbound else "5102"
    if inbound:
        return "2102"
    return "6108" if contribution_of(request.recipient) == _NO_CONTRIBUTOR else "6102"
