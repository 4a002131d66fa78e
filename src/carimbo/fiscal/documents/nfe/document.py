"""Composes an NF-e from request, company and emission."""

from carimbo.fiscal.documents.nfe.request import NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.documents.nfe.terms import (
    GoodsDestination,
    destination_of,
    payments_of,
    presence_of,
    warn_of_assumed_presence,
)
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.applicable_taxes import has_only_ibs_cbs
from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE, usual_cfop
from carimbo.fiscal.goods.parties import issuer_group, place_group, recipient_group
from carimbo.fiscal.goods.request import (
    compose_items,
    compose_notes,
    identification_group,
    presence_fields,
    shared_parts,
)
from carimbo.fiscal.goods.totals import totals_of
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.local_time import moment_of
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.recipient import Contribution, contribution_of
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Problem
from carimbo.fiscal.taxes.trade import TaxDay, Trade, corrected_day

MODEL = "55"
NAME = "nfe"
_PORTRAIT = "1"
_CORRECTIONS = frozenset({Purpose.COMPLEMENT, Purpose.ADJUSTMENT, Purpose.RETURN})
# Refused deliveries and reduced amounts repeat the taxes of the corrected invoice (NT 2025.002, UB18-10).
_CORRECTING_CREDITS = frozenset({"03", "04", "06"})
# The rule that requires the recipient's address (MOC 7.0, E05-10).
_ADDRESS_RULE = "726"


def compose(
    request: NfeRequest, company: Company, emission: Emission, software: Software
) -> Composition[Invoice]:
    """Returns the document, with a problem for everything that the request lacks."""
    findings = Findings()
    destination = destination_of(request, company)
    trade = _trade(request, company, emission, destination)
    cfop = request.cfop or usual_cfop(
        destination.code, trade, inbound=request.operation is OperationDirection.INBOUND
    )
    items = compose_items(request, trade, cfop, findings)
    notes = compose_notes(request, items, trade, findings)
    buyer = findings.attempt(
        recipient_group, request.recipient, emission.environment, findings, _ADDRESS_RULE
    )
    if request.recipient.name is None:
        findings.add_problem(Problem(MISSING_FIELD, "recipient.name", "Campo obrigatório."))
    totals = totals_of(items, request.withheld_taxes)
    warn_of_assumed_presence(request, company, findings)
    key = emission.access_key(MODEL, company)
    delivery_address = request.delivery_address
    invoice = Invoice(
        **shared_parts(request, software, key, notes),
        identification=_identification(request, company, emission, software, key, trade, destination.code),
        issuer=issuer_group(company, trade.destination_state),
        recipient=buyer,
        pickup=place_group(request.pickup_address, company.tax_id) if request.pickup_address else None,
        delivery=place_group(delivery_address, request.recipient.tax_id) if delivery_address else None,
        items=items,
        totals=totals,
        billing=request.billing,
        payment=payments_of(request, company, items, totals.invoice.amount, findings),
        export=request.export,
        purchase=request.purchase,
        sugar_cane=request.sugar_cane,
        farming=request.farming,
    )
    return Composition(invoice, findings.problems, findings.warnings, has_gaps=bool(findings.problems))


def _trade(request: NfeRequest, company: Company, emission: Emission, destination: GoodsDestination) -> Trade:
    public_buyer = request.government_purchase
    is_contributor = contribution_of(request.recipient) is not Contribution.NONE
    is_correction = request.purpose in _CORRECTIONS or request.credit_type in _CORRECTING_CREDITS
    references = (reference.access_key for reference in request.references if reference.access_key)
    issue_day = TaxDay.of(emission.issued_at.date(), NAME)
    return Trade(
        company=company,
        destination_state=destination.state,
        is_interstate=destination.code == TO_ANOTHER_STATE,
        is_abroad=destination.code == ABROAD,
        is_sale=request.operation is OperationDirection.OUTBOUND and request.purpose is Purpose.NORMAL,
        buyer_is_contributor=is_contributor,
        buyer_is_final=_is_final_consumer(request, is_contributor, destination.code),
        issue_day=issue_day,
        tax_day=corrected_day(issue_day, references) if is_correction else issue_day,
        is_correction=is_correction,
        repeats_rates=request.purpose is Purpose.RETURN or request.credit_type in _CORRECTING_CREDITS,
        may_lack_reform_taxes=request.purpose in (Purpose.COMPLEMENT, Purpose.RETURN),
        government_reduction=public_buyer.rate_reduction if public_buyer else None,
        has_only_ibs_cbs=has_only_ibs_cbs(
            request.purpose.code, request.debit_type, request.credit_type, public_buyer
        ),
    )


def _identification(
    request: NfeRequest,
    company: Company,
    emission: Emission,
    software: Software,
    key: AccessKey,
    trade: Trade,
    destination: str,
) -> Identification:
    return identification_group(
        request,
        company,
        emission,
        software,
        key,
        **presence_fields(request, presence_of(request, company)),
        departed_at=request.departed_at
        and moment_of(request.departed_at, company.address.state, emission.issued_at),
        expected_delivery_date=request.expected_delivery_date,
        direction=request.operation.code,
        destination=destination,
        print_format=_PORTRAIT,
        purpose=request.purpose.code,
        debit_type=request.debit_type,
        credit_type=request.credit_type,
        supply_place_code=request.supply_place_code,
        final_consumer="1" if trade.buyer_is_final else "0",
        references=request.references,
        government_purchase=request.government_purchase,
        advance_payment=request.advance_payment,
    )


def _is_final_consumer(request: NfeRequest, is_contributor: bool, destination: str) -> bool:
    """Returns whether the buyer consumes the goods: as given, else if it pays no ICMS (rule 696).

    A buyer from abroad is a final consumer only within the state (rule 721).
    """
    if request.final_consumer is not None:
        return request.final_consumer
    return not is_contributor and (destination == WITHIN_THE_STATE or not request.recipient.is_foreign)
