"""Composes an NFC-e from request, company and emission."""

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.cfop import WITHIN_THE_STATE, usual_cfop
from carimbo.fiscal.goods.parties import issuer_group, recipient_group
from carimbo.fiscal.goods.payments import NO_PAYMENT
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.request import (
    compose_items,
    compose_notes,
    compose_payments,
    identification_group,
    presence_fields,
    shared_parts,
)
from carimbo.fiscal.goods.totals import totals_of
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.layouts.filling import HOMOLOGATION_ITEM
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Recipient
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.taxes.trade import TaxDay, Trade

MODEL = "65"
NAME = "nfce"
_RECEIPT = "4"
_OUTBOUND = "1"
_NORMAL_PURPOSE = "1"
_FINAL_CONSUMER = "1"
# The rule that requires the address of a delivery (MOC 7.0, E05-20).
_ADDRESS_RULE = "788"
# Fields of `ide` that are the same in every receipt.
_OPERATION = {
    "direction": _OUTBOUND,
    "destination": WITHIN_THE_STATE,
    "print_format": _RECEIPT,
    "purpose": _NORMAL_PURPOSE,
    "final_consumer": _FINAL_CONSUMER,
}


def compose(
    request: NfceRequest, company: Company, emission: Emission, software: Software
) -> Composition[Invoice]:
    """Returns the receipt, with a problem for everything that the request lacks."""
    findings = Findings()
    trade = _trade(company, emission)
    cfop = request.cfop or usual_cfop(WITHIN_THE_STATE, trade, inbound=False)
    # In homologation the first item says that the receipt has no value (rule 373).
    is_test = emission.environment is Environment.HOMOLOGATION
    items = compose_items(request, trade, cfop, findings, HOMOLOGATION_ITEM if is_test else None)
    notes = compose_notes(request, items, trade, findings)
    buyer = findings.attempt(_buyer, request, emission, findings)
    totals = totals_of(items, None)
    key = emission.access_key(MODEL, company)
    invoice = Invoice(
        **shared_parts(request, software, key, notes),
        identification=identification_group(
            request,
            company,
            emission,
            software,
            key,
            **_OPERATION,
            **presence_fields(request, request.presence),
        ),
        issuer=issuer_group(company, company.address.state),
        recipient=buyer,
        items=items,
        totals=totals,
        payment=compose_payments(
            request, totals.invoice.amount, request.payment_method or NO_PAYMENT, findings
        ),
    )
    return Composition(invoice, findings.problems, findings.warnings, has_gaps=bool(findings.problems))


def _trade(company: Company, emission: Emission) -> Trade:
    issue_day = TaxDay.of(emission.issued_at.date(), NAME)
    return Trade(
        company=company,
        destination_state=company.address.state,
        is_interstate=False,
        is_abroad=False,
        is_sale=True,
        buyer_is_contributor=False,
        buyer_is_final=True,
        issue_day=issue_day,
        tax_day=issue_day,
        is_printed=emission.type is EmissionType.OFFLINE,
    )


def _buyer(request: NfceRequest, emission: Emission, findings: Findings) -> Recipient | None:
    if request.recipient is None:
        return None
    address_rule = _ADDRESS_RULE if request.presence is Presence.DELIVERY else None
    return recipient_group(request.recipient, emission.environment, findings, address_rule)
