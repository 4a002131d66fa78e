"""Rules about proofs of delivery and failed deliveries, and undoing (MOC CT-e, 860 to 873)."""

from datetime import datetime

from carimbo.simulator.cte.dialect import DELIVERY, EVENT_TYPES, FAILED_DELIVERY, UNDONE_BY
from carimbo.simulator.cte.judged import COMPLEMENT, JudgedCteEvent, live_events
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.documents import TOLERANCE
from carimbo.simulator.sefaz.rules.events import event_rule
from carimbo.simulator.sefaz.rules.keys import impossible_references, repeated_key

DELIVERIES = (DELIVERY, FAILED_DELIVERY)
_NFE = "55"
_NORMAL_SERVICE = "0"
_UNDONE = {undoing: (EVENT_TYPES[code], tag) for code, (undoing, tag) in UNDONE_BY.items()}


def undoes_nothing(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 866: no event that is in force has the protocol."""
    if event.type.code not in _UNDONE:
        return False
    undone, tag = _UNDONE[event.type.code]
    in_force = {earlier.protocol for earlier in live_events(event.earlier, undone)}
    return event.detail.text(tag) not in in_force


def has_delivery(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 862."""
    return bool(live_events(event.earlier, DELIVERY))


def of_a_complement(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 869."""
    return event.cte is not None and event.cte.kind == COMPLEMENT


def _delivered(event: JudgedCteEvent) -> list[str]:
    return [invoice.text("chNFe") for invoice in event.detail.all("infEntrega")]


def _names_invoices(event: JudgedCteEvent) -> bool:
    """Returns whether the delivery of the document must name its NF-e."""
    cte = event.cte
    return cte is not None and cte.service_type == _NORMAL_SERVICE and bool(cte.invoice_keys)


def lacks_invoices(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 865."""
    return _names_invoices(event) and not _delivered(event)


def has_needless_invoices(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 871."""
    return event.cte is not None and not _names_invoices(event) and bool(_delivered(event))


def impossible_invoice(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 860."""
    return impossible_references(event, _delivered(event), _NFE)


def repeated_invoice(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 861."""
    return repeated_key("chNFe", _delivered(event))


def invoice_of_another(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 864."""
    if event.cte is None:
        return None
    carried = event.cte.invoice_keys
    return next((f"[chNFe:{key}]" for key in _delivered(event) if key not in carried), None)


def delivered_before(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 863, for globalized documents; others have a single proof."""
    proofs = event.earlier_details(DELIVERY)
    earlier = {invoice.text("chNFe") for proof in proofs for invoice in proof.all("infEntrega")}
    if not _is_globalized(event):
        return None
    return next((f"[chNFe:{key}]" for key in _delivered(event) if key in earlier), None)


def has_another_proof(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 870."""
    return has_delivery(event) and not _is_globalized(event)


def _is_globalized(event: JudgedCteEvent) -> bool:
    return event.cte is not None and event.cte.text("ide/indGlobalizado") == "1"


def _happened_at(event: JudgedCteEvent) -> datetime:
    detail = event.detail
    return datetime.fromisoformat(detail.text("dhEntrega") or detail.text("dhTentativaEntrega"))


def impossible_moment(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 872: before the issue, or in the future."""
    happened_at, document = _happened_at(event), event.document
    is_early = document is not None and happened_at < document.issued_at
    return is_early or happened_at > event.context.now + TOLERANCE


def impossible_moment_of_the_hash(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 873: before the delivery, or in the future."""
    text = event.detail.text("dhHashEntrega") or event.detail.text("dhHashTentativaEntrega")
    if not text:
        return False
    return not _happened_at(event) <= datetime.fromisoformat(text) <= event.context.now + TOLERANCE


DELIVERY_RULES: tuple[RejectionRule[JudgedCteEvent], ...] = (
    event_rule("869", of_a_complement, DELIVERIES),
    event_rule("865", lacks_invoices, DELIVERIES),
    event_rule("871", has_needless_invoices, DELIVERIES),
    event_rule("860", impossible_invoice, DELIVERIES),
    event_rule("861", repeated_invoice, DELIVERIES),
    event_rule("864", invoice_of_another, DELIVERIES),
    event_rule("863", delivered_before, (DELIVERY,)),
    event_rule("870", has_another_proof, (DELIVERY,)),
    event_rule("872", impossible_moment, DELIVERIES),
    event_rule("873", impossible_moment_of_the_hash, DELIVERIES),
)
