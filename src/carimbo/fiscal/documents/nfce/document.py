"""Composing an NFC-e: request, company and emission become the receipt that is written."""

from carimbo.fiscal.company import Company, Environment
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.filling import tried
from carimbo.fiscal.goods.freight import transport
from carimbo.fiscal.goods.parties import issuer, reader, recipient
from carimbo.fiscal.goods.sale import (
    access_key,
    additional_information,
    compose_items,
    compose_payments,
    identification,
)
from carimbo.fiscal.goods.totals import totals_of
from carimbo.fiscal.ids import document_id
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.fiscal.layouts.nfe_v4.parties import Recipient
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.software import Software

MODEL = "65"
HOMOLOGATION_ITEM = "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
_RECEIPT = "4"
_OUTBOUND = "1"
_WITHIN_THE_STATE = "1"
_NORMAL_PURPOSE = "1"
_FINAL_CONSUMER = "1"
_USUAL_CFOP = "5102"


def compose(
    request: NfceRequest, company: Company, emission: Emission, software: Software
) -> Invoice | tuple[Problem, ...]:
    """Make the receipt, or tell everything that is missing in the request."""
    problems: list[Problem] = []
    items = tried(lambda: _items(request, company, emission), problems)
    buyer = tried(lambda: _buyer(request, emission), problems)
    if items is None or problems:
        return tuple(problems)
    totals = totals_of(items, None)
    key = access_key(MODEL, company, emission)
    return Invoice(
        id=document_id(key),
        identification=identification(
            request,
            company,
            emission,
            software,
            key,
            direction=_OUTBOUND,
            destination=_WITHIN_THE_STATE,
            print_format=_RECEIPT,
            purpose=_NORMAL_PURPOSE,
            final_consumer=_FINAL_CONSUMER,
        ),
        issuer=issuer(company, company.address.state),
        recipient=buyer,
        authorized_readers=tuple(reader(one) for one in request.authorized_readers),
        items=items,
        totals=totals,
        transport=transport(request.freight),
        payment=compose_payments(request, totals.invoice.amount, request.payment_method),
        intermediary=request.intermediary,
        additional=additional_information(request),
        technical_responsible=software.responsible_for(key),
    )


def _items(request: NfceRequest, company: Company, emission: Emission) -> tuple[Item, ...]:
    """The lines; in homologation the first one says that the receipt is worth nothing (rule 373)."""
    test = emission.environment is Environment.HOMOLOGATION
    return compose_items(
        request.items, company, request.cfop or _USUAL_CFOP, HOMOLOGATION_ITEM if test else None
    )


def _buyer(request: NfceRequest, emission: Emission) -> Recipient | None:
    return recipient(request.recipient, emission.environment) if request.recipient else None
