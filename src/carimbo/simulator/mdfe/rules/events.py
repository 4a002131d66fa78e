"""Rules about events of MDF-e, in the order in which the authority checks them (MOC MDF-e, J and K)."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from carimbo.fiscal.tables.geography import MUNICIPALITIES
from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import is_cpf
from carimbo.simulator.mdfe.dialect import (
    AUTHORITY_EVENTS,
    CANCELLATION,
    CLOSING,
    DRIVER,
    EVENT_TYPES,
    INCLUSION,
    PASSAGES,
    PAYMENT,
    PAYMENT_CHANGE,
)
from carimbo.simulator.mdfe.judged import JudgedMdfe, JudgedMdfeEvent
from carimbo.simulator.mdfe.rules.listed import NFE
from carimbo.simulator.mdfe.rules.message import SIGNATURE_RULES
from carimbo.simulator.mdfe.rules.payments import payment_rules
from carimbo.simulator.mdfe.rules.places import city_outside, unknown_city
from carimbo.simulator.mdfe.rules.queries import impossible_key
from carimbo.simulator.mdfe.rules.vehicles import drivers_of
from carimbo.simulator.rules import Finding, RejectionRule, first_finding
from carimbo.simulator.sefaz.places import NO_CITY
from carimbo.simulator.sefaz.rules import events
from carimbo.simulator.sefaz.rules.documents import refused_too_often
from carimbo.simulator.sefaz.rules.events import event_rule, state_rules
from carimbo.simulator.sefaz.rules.keys import (
    canceled_reference,
    holder_with_another_key,
    impossible_references,
)

_ABROAD = "99"
"""`cUF` of a closing."""
_CANCELABLE = timedelta(hours=24)
_AGGREGATED = "0"
"""`tpProp`: an autonomous carrier that works for the issuer only."""
_SEQUENCE_DIGITS = (2, 3)


def unknown_type(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 629."""
    return event.type.code not in EVENT_TYPES.keys() | AUTHORITY_EVENTS


def misformed_detail(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 630: the element of the type against its own XSD."""
    return event.schema_fault


def id_differs_from_its_fields(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 628: the sequence has two or three digits."""
    about = f"ID{event.type.code}{event.access_key}"
    return event.id not in {f"{about}{event.sequence:0{digits}d}" for digits in _SEQUENCE_DIGITS}


def author_is_not_the_issuer(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 632: another carrier may close a trip (`indEncPorTerceiro`)."""
    is_issuers = event.type.code in EVENT_TYPES and not event.detail.text("indEncPorTerceiro")
    return is_issuers and events.author_is_not_the_issuer(event)


def author_is_no_authority(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 633."""
    return event.type.code in AUTHORITY_EVENTS


def document_has_another_key(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 600: the number of the document has another key."""
    finding = events.document_unknown(event)
    return finding if isinstance(finding, str) else None


FORM_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    RejectionRule("678", refused_too_often),
    *SIGNATURE_RULES,
    RejectionRule("252", events.other_environment),
    RejectionRule("627", events.wrong_company),
    RejectionRule("700", events.wrong_person),
    RejectionRule("628", id_differs_from_its_fields),
    RejectionRule("629", unknown_type),
    RejectionRule("630", misformed_detail),
    RejectionRule("236", impossible_key),
    RejectionRule("631", events.registered_already),
    RejectionRule("632", author_is_not_the_issuer),
    RejectionRule("633", author_is_no_authority),
    RejectionRule("600", document_has_another_key),
    RejectionRule("217", events.document_unknown),
    RejectionRule("634", events.before_the_issue),
    RejectionRule("637", events.before_the_authorization),
    RejectionRule("635", events.in_the_future),
    RejectionRule("636", events.sequence_too_high),
)


def _about_document(
    broken: Callable[[JudgedMdfeEvent, JudgedMdfe], Finding],
) -> Callable[[JudgedMdfeEvent], Finding]:
    """Returns a rule about an event and its document, if the document is known."""
    return lambda event: event.mdfe is not None and broken(event, event.mdfe)


def off_the_road(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 644, 722 and 749."""
    return not mdfe.is_by_road


def canceled_too_late(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 220: unless the cargo was to be loaded later, and was not."""
    waits_for_cargo = mdfe.loads_later and not event.earlier_details(INCLUSION)
    is_late = event.document is not None and event.context.now - event.document.received_at > _CANCELABLE
    return is_late and not waits_for_cargo


def has_circulated(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 219."""
    return any(earlier.type in PASSAGES for earlier in event.earlier)


def loaded_elsewhere(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 710: an inclusion has another city of loading than the document."""
    inclusions = event.earlier_details(INCLUSION)
    return any(inclusion.text("cMunCarrega") not in mdfe.loading_cities for inclusion in inclusions)


CANCELLATION_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    event_rule("220", _about_document(canceled_too_late), (CANCELLATION,)),
    event_rule("219", has_circulated, (CANCELLATION,)),
    event_rule("710", _about_document(loaded_elsewhere), (CANCELLATION,)),
)


def closed_in_unknown_city(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 714."""
    return not _closes_abroad(event) and event.detail.text("cMun") not in MUNICIPALITIES


def closed_in_a_city_of_another_state(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 614."""
    return not _closes_abroad(event) and not event.detail.text("cMun").startswith(event.detail.text("cUF"))


def closed_abroad_in_a_city(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 689."""
    return _closes_abroad(event) and event.detail.text("cMun") != NO_CITY


def _closes_abroad(event: JudgedMdfeEvent) -> bool:
    return event.detail.text("cUF") == _ABROAD


def closed_before_the_authorization(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 615: by the day of the issuer."""
    if event.document is None:
        return False
    authorized_on = event.document.received_at.astimezone(mdfe.issued_at.tzinfo).date()
    return event.detail.text("dtEnc") < authorized_on.isoformat()


def closed_without_cargo(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 715."""
    return mdfe.loads_later and not event.earlier_details(INCLUSION)


CLOSING_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    event_rule("714", closed_in_unknown_city, (CLOSING,)),
    event_rule("614", closed_in_a_city_of_another_state, (CLOSING,)),
    event_rule("689", closed_abroad_in_a_city, (CLOSING,)),
    event_rule("615", _about_document(closed_before_the_authorization), (CLOSING,)),
    event_rule("715", _about_document(closed_without_cargo), (CLOSING,)),
)


def wrong_driver(event: JudgedMdfeEvent) -> bool:
    """MOC MDF-e, 645."""
    return not is_cpf(event.detail.text("condutor/CPF"))


def repeated_driver(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 577: the driver is in the document, or in an earlier event."""
    added = [detail.text("condutor/CPF") for detail in event.earlier_details(DRIVER)]
    return event.detail.text("condutor/CPF") in (*drivers_of(mdfe), *added)


DRIVER_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    event_rule("644", _about_document(off_the_road), (DRIVER,)),
    event_rule("645", wrong_driver, (DRIVER,)),
    event_rule("577", _about_document(repeated_driver), (DRIVER,)),
)


def loads_at_once(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 708."""
    return not mdfe.loads_later


def _loading(
    check: Callable[[Sequence[str], str], Finding],
) -> Callable[[JudgedMdfeEvent, JudgedMdfe], Finding]:
    """MOC MDF-e, 456 and 405."""
    return lambda event, mdfe: check([event.detail.text("cMunCarrega")], mdfe.start)


def _unloading(
    check: Callable[[Sequence[str], str], Finding],
) -> Callable[[JudgedMdfeEvent, JudgedMdfe], Finding]:
    """MOC MDF-e, 612 and 406."""
    return lambda event, mdfe: check([item.text("cMunDescarga") for item in _included(event)], mdfe.end)


def impossible_invoice(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 709."""
    return impossible_references(event, _invoices(event), NFE)


def invoice_with_another_key(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 676."""
    return first_finding(holder_with_another_key(event, "chNFe", key) for key in _invoices(event))


def invoice_canceled(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 677."""
    return canceled_reference(event, "chNFe", _invoices(event))


def invoice_included_before(event: JudgedMdfeEvent) -> Finding:
    """MOC MDF-e, 711: the answer has the protocol of the earlier event."""
    included = set(_invoices(event))
    inclusions = (earlier for earlier in event.earlier if earlier.type == INCLUSION.code)
    for earlier, detail in zip(inclusions, event.earlier_details(INCLUSION), strict=True):
        if included & {item.text("chNFe") for item in detail.all("infDoc")}:
            return f"[nProt:{earlier.protocol}]"
    return None


def _invoices(event: JudgedMdfeEvent) -> list[str]:
    return [item.text("chNFe") for item in _included(event)]


def _included(event: JudgedMdfeEvent) -> Sequence[Group]:
    return event.detail.all("infDoc")


INCLUSION_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    event_rule("708", _about_document(loads_at_once), (INCLUSION,)),
    event_rule("456", _about_document(_loading(city_outside)), (INCLUSION,)),
    event_rule("405", _about_document(_loading(unknown_city)), (INCLUSION,)),
    event_rule("612", _about_document(_unloading(city_outside)), (INCLUSION,)),
    event_rule("406", _about_document(_unloading(unknown_city)), (INCLUSION,)),
    event_rule("709", impossible_invoice, (INCLUSION,)),
    event_rule("676", invoice_with_another_key, (INCLUSION,)),
    event_rule("677", invoice_canceled, (INCLUSION,)),
    event_rule("711", invoice_included_before, (INCLUSION,)),
)


def owner_works_for_others_too(event: JudgedMdfeEvent, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 723: the payment at the end of a period is for aggregated carriers only."""
    return mdfe.owner.text("tpProp") != _AGGREGATED


PAYMENT_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = payment_rules()

TYPE_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (
    *state_rules(EVENT_TYPES.values()),
    event_rule("222", events.other_protocol, (CANCELLATION, CLOSING, INCLUSION, PAYMENT, PAYMENT_CHANGE)),
    *CANCELLATION_RULES,
    *CLOSING_RULES,
    *DRIVER_RULES,
    *INCLUSION_RULES,
    event_rule("722", _about_document(off_the_road), (PAYMENT,)),
    event_rule("723", _about_document(owner_works_for_others_too), (PAYMENT,)),
    event_rule("749", _about_document(off_the_road), (PAYMENT_CHANGE,)),
    *PAYMENT_RULES,
)

EVENT_RULES: tuple[RejectionRule[JudgedMdfeEvent], ...] = (*FORM_RULES, *TYPE_RULES)
