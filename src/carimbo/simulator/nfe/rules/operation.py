"""Rules about the operation: how it is issued, with whom, and where the goods go."""

from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    CONTRIBUTOR,
    EXTERIOR,
    NO_CONTRIBUTOR,
    NORMAL,
    PRINTED_AS_A_RECEIPT,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    buyer_state,
    contribution,
    destination,
    document_rule,
    has_foreign_id,
    in_nfe,
    is_for_consumption,
    is_outbound,
    item_rule,
    purpose,
    references,
    refers_to_a_document,
    seller_state,
    stays_in_the_country,
    taxpayer,
)

_OFFLINE = "9"
_FORMATS_OF_NFCE = frozenset("45")
_IN_PERSON, _OUTSIDE = "1", "5"
_AT_A_DISTANCE = frozenset("2349")
_MAY_BE_INTERMEDIATED = _AT_A_DISTANCE | {_IN_PERSON}
# Annulments, energy and communication have no marketplace (NT 2020.006, B25c-10).
_NEVER_INTERMEDIATED = frozenset(map(str, (*range(5205, 5208), *range(5251, 5259), *range(5301, 5308))))
_NO_FREIGHT = "9"
_FUEL_CONSUMED_ELSEWHERE = "6667"


def printed_like_an_nfce(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B21-20."""
    return invoice.text("ide/tpImp") in _FORMATS_OF_NFCE


def issued_offline(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, B22-10: only documents printed like a receipt are issued offline."""
    return invoice.text("ide/tpEmis") == _OFFLINE and invoice.text("ide/tpImp") != PRINTED_AS_A_RECEIPT


def sold_outside_without_document(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B25b-40: goods sold outside were sent there with a document."""
    if invoice.text("ide/indPres") != _OUTSIDE or invoice.text("ide/tpImp") == PRINTED_AS_A_RECEIPT:
        return False
    return not references(invoice) and not any(map(refers_to_a_document, invoice.lines))


def intermediation_missing(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, B25c-10."""
    return (
        invoice.text("ide/indPres") in _AT_A_DISTANCE
        and not invoice.text("ide/indIntermed")
        and is_outbound(invoice)
        and purpose(invoice) == NORMAL
        and not any(line.cfop in _NEVER_INTERMEDIATED for line in invoice.lines)
    )


def intermediation_not_allowed(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, B25c-20."""
    return _is_intermediated(invoice) and invoice.text("ide/indPres") not in _MAY_BE_INTERMEDIATED


def intermediary_unnamed(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, YB01-10."""
    return _is_intermediated(invoice) and "infIntermed" not in invoice.content.groups


def intermediary_without_intermediation(invoice: JudgedInvoice) -> bool:
    """NT 2020.006, YB01-20."""
    return not _is_intermediated(invoice) and "infIntermed" in invoice.content.groups


def _is_intermediated(invoice: JudgedInvoice) -> bool:
    return invoice.text("ide/indIntermed") == "1"


def buyer_abroad_without_foreign_id(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E03a-10; NT 2022.002: the element is required, even if it is empty."""
    return _goes_abroad(invoice) and "dest" in invoice.content.groups and not has_foreign_id(invoice)


def foreigner_who_resells(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E03a-20."""
    if destination(invoice) == ABROAD or is_for_consumption(invoice):
        return False
    return bool(invoice.text("dest/idEstrangeiro"))


def address_in_the_country(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E12-10; NT 2022.002: a buyer abroad has an address abroad."""
    return _goes_abroad(invoice) and buyer_state(invoice) not in ("", EXTERIOR)


def states_are_the_same(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E12-30 and E12-50."""
    if destination(invoice) != TO_ANOTHER_STATE or buyer_state(invoice) != seller_state(invoice):
        return False
    if taxpayer(invoice, "emit") == taxpayer(invoice, "dest") or _leaves_a_state(invoice):
        return False
    return not any(line.consumed_in not in ("", seller_state(invoice)) for line in invoice.lines)


def states_are_different(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E12-40 and E12-60."""
    if destination(invoice) != WITHIN_THE_STATE or is_for_consumption(invoice):
        return False
    if buyer_state(invoice) in ("", seller_state(invoice)) or not _leaves_a_state(invoice):
        return False
    return not any(line.consumed_in == seller_state(invoice) for line in invoice.lines)


def _leaves_a_state(invoice: JudgedInvoice) -> bool:
    """Whether goods change states between pick-up and delivery; the defaults are the parties' states."""
    sender, receiver = seller_state(invoice), buyer_state(invoice)
    if not is_outbound(invoice):
        sender, receiver = receiver, sender
    return (invoice.text("retirada/UF") or sender) != (invoice.text("entrega/UF") or receiver)


def contributor_abroad(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E16a-20; NT 2022.002."""
    return _goes_abroad(invoice) and contribution(invoice) not in ("", NO_CONTRIBUTOR)


def no_contributor_who_resells(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, E16a-40."""
    return (
        contribution(invoice) == NO_CONTRIBUTOR
        and not is_for_consumption(invoice)
        and is_outbound(invoice)
        and destination(invoice) != ABROAD
    )


def contributor_of_another_state(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-70: allowed if the buyer takes the goods along, or other addresses are given."""
    if destination(invoice) != WITHIN_THE_STATE or contribution(invoice) != CONTRIBUTOR:
        return False
    if buyer_state(invoice) in ("", seller_state(invoice)) or not _leaves_a_state(invoice):
        return False
    if invoice.text("ide/indPres") == _IN_PERSON and invoice.text("transp/modFrete") == _NO_FREIGHT:
        return False
    return not any(line.consumed_in == seller_state(invoice) for line in invoice.lines)


def foreigner_of_another_state(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """MOC 7.0, I08-94."""
    if destination(invoice) != TO_ANOTHER_STATE or line.cfop == _FUEL_CONSUMED_ELSEWHERE:
        return False
    return has_foreign_id(invoice)


def export_place_missing(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZA01-10."""
    return is_outbound(invoice) and _goes_abroad(invoice) and "exporta" not in invoice.content.groups


def export_place_without_export(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZA01-20."""
    is_export = is_outbound(invoice) and destination(invoice) == ABROAD
    return "exporta" in invoice.content.groups and not is_export


def _goes_abroad(invoice: JudgedInvoice) -> bool:
    return destination(invoice) == ABROAD and not stays_in_the_country(invoice)


OPERATION_RULES = (
    document_rule("710", printed_like_an_nfce, in_nfe),
    document_rule("711", issued_offline, in_nfe),
    document_rule("864", sold_outside_without_document, in_nfe),
    document_rule("434", intermediation_missing),
    document_rule("435", intermediation_not_allowed),
    document_rule("438", intermediary_unnamed, in_nfe),
    document_rule("439", intermediary_without_intermediation, in_nfe),
    document_rule("720", buyer_abroad_without_foreign_id, in_nfe),
    document_rule("721", foreigner_who_resells, in_nfe),
    document_rule("727", address_in_the_country, in_nfe),
    document_rule("772", states_are_the_same, in_nfe),
    document_rule("773", states_are_different, in_nfe),
    document_rule("790", contributor_abroad, in_nfe),
    document_rule("696", no_contributor_who_resells, in_nfe),
    document_rule("521", contributor_of_another_state, in_nfe),
    item_rule("771", foreigner_of_another_state, in_nfe),
    document_rule("355", export_place_missing, in_nfe),
    document_rule("356", export_place_without_export, in_nfe),
)
