"""The operation: how it is issued, with whom it is and where the goods go."""

from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.rules.facts import (
    ABROAD,
    CONTRIBUTOR,
    EXTERIOR,
    NO_CONTRIBUTOR,
    NORMAL,
    TO_ANOTHER_STATE,
    WITHIN_THE_STATE,
    buyer_state,
    contribution,
    destination,
    has_foreign_id,
    is_for_consumption,
    is_outbound,
    purpose,
    references,
    refers_to_a_document,
    seller_state,
    stays_in_the_country,
    taxpayer,
)
from carimbo.simulator.nfe.rules.scope import PRINTED_AS_A_RECEIPT, document_rule, in_nfe, item_rule

_OFFLINE = "9"
_FORMATS_OF_NFCE = frozenset("45")
_IN_PERSON, _OUTSIDE = "1", "5"
_AT_A_DISTANCE = frozenset("2349")
_MAY_BE_INTERMEDIATED = _AT_A_DISTANCE | {_IN_PERSON}
# Annulments, energy and communication have no marketplace (NT 2020.006, B25c-10).
_NEVER_INTERMEDIATED = frozenset(map(str, (*range(5205, 5208), *range(5251, 5259), *range(5301, 5308))))
_NO_FREIGHT = "9"
_FUEL_CONSUMED_ELSEWHERE = "6667"


def printed_like_an_nfce(case: Case) -> bool:
    """MOC 7.0, B21-20."""
    return case.text("ide/tpImp") in _FORMATS_OF_NFCE


def issued_offline(case: Case) -> bool:
    """NT 2026.002, B22-10: only what is printed like a receipt is issued offline."""
    return case.text("ide/tpEmis") == _OFFLINE and case.text("ide/tpImp") != PRINTED_AS_A_RECEIPT


def sold_outside_without_document(case: Case) -> bool:
    """MOC 7.0, B25b-40: what is sold outside was sent there before."""
    if case.text("ide/indPres") != _OUTSIDE or case.text("ide/tpImp") == PRINTED_AS_A_RECEIPT:
        return False
    return not references(case) and not any(map(refers_to_a_document, case.lines))


def intermediation_untold(case: Case) -> bool:
    """NT 2020.006, B25c-10."""
    return (
        case.text("ide/indPres") in _AT_A_DISTANCE
        and not case.text("ide/indIntermed")
        and is_outbound(case)
        and purpose(case) == NORMAL
        and not any(line.cfop in _NEVER_INTERMEDIATED for line in case.lines)
    )


def intermediation_out_of_place(case: Case) -> bool:
    """NT 2020.006, B25c-20."""
    return _is_intermediated(case) and case.text("ide/indPres") not in _MAY_BE_INTERMEDIATED


def intermediary_unnamed(case: Case) -> bool:
    """NT 2020.006, YB01-10."""
    return _is_intermediated(case) and "infIntermed" not in case.content.groups


def intermediary_of_nothing(case: Case) -> bool:
    """NT 2020.006, YB01-20."""
    return not _is_intermediated(case) and "infIntermed" in case.content.groups


def _is_intermediated(case: Case) -> bool:
    return case.text("ide/indIntermed") == "1"


def buyer_abroad_without_foreign_id(case: Case) -> bool:
    """MOC 7.0, E03a-10; NT 2022.002: the place of the document must be there, be it empty."""
    return _goes_abroad(case) and "dest" in case.content.groups and not has_foreign_id(case)


def foreigner_who_resells(case: Case) -> bool:
    """MOC 7.0, E03a-20."""
    if destination(case) == ABROAD or is_for_consumption(case):
        return False
    return bool(case.text("dest/idEstrangeiro"))


def address_in_the_country(case: Case) -> bool:
    """MOC 7.0, E12-10; NT 2022.002: who buys abroad lives there."""
    return _goes_abroad(case) and buyer_state(case) not in ("", EXTERIOR)


def states_are_the_same(case: Case) -> bool:
    """MOC 7.0, E12-30 and E12-50."""
    if destination(case) != TO_ANOTHER_STATE or buyer_state(case) != seller_state(case):
        return False
    if taxpayer(case, "emit") == taxpayer(case, "dest") or _leaves_a_state(case):
        return False
    return not any(line.consumed_in not in ("", seller_state(case)) for line in case.lines)


def states_are_different(case: Case) -> bool:
    """MOC 7.0, E12-40 and E12-60."""
    if destination(case) != WITHIN_THE_STATE or is_for_consumption(case):
        return False
    if buyer_state(case) in ("", seller_state(case)) or not _leaves_a_state(case):
        return False
    return not any(line.consumed_in == seller_state(case) for line in case.lines)


def _leaves_a_state(case: Case) -> bool:
    """Tell whether goods change states between pick-up and delivery, which are at the parties if not told."""
    sender, receiver = seller_state(case), buyer_state(case)
    if not is_outbound(case):
        sender, receiver = receiver, sender
    return (case.text("retirada/UF") or sender) != (case.text("entrega/UF") or receiver)


def contributor_abroad(case: Case) -> bool:
    """MOC 7.0, E16a-20; NT 2022.002."""
    return _goes_abroad(case) and contribution(case) not in ("", NO_CONTRIBUTOR)


def no_contributor_who_resells(case: Case) -> bool:
    """MOC 7.0, E16a-40."""
    return (
        contribution(case) == NO_CONTRIBUTOR
        and not is_for_consumption(case)
        and is_outbound(case)
        and destination(case) != ABROAD
    )


def contributor_of_another_state(case: Case) -> bool:
    """MOC 7.0, I08-70: within the state such a buyer only takes goods along, unless other places are told."""
    if destination(case) != WITHIN_THE_STATE or contribution(case) != CONTRIBUTOR:
        return False
    if buyer_state(case) in ("", seller_state(case)) or not _leaves_a_state(case):
        return False
    if case.text("ide/indPres") == _IN_PERSON and case.text("transp/modFrete") == _NO_FREIGHT:
        return False
    return not any(line.consumed_in == seller_state(case) for line in case.lines)


def foreigner_of_another_state(line: Line, case: Case) -> bool:
    """MOC 7.0, I08-94."""
    if destination(case) != TO_ANOTHER_STATE or line.cfop == _FUEL_CONSUMED_ELSEWHERE:
        return False
    return has_foreign_id(case)


def export_without_exit(case: Case) -> bool:
    """MOC 7.0, ZA01-10."""
    return is_outbound(case) and _goes_abroad(case) and "exporta" not in case.content.groups


def exit_without_export(case: Case) -> bool:
    """MOC 7.0, ZA01-20."""
    is_export = is_outbound(case) and destination(case) == ABROAD
    return "exporta" in case.content.groups and not is_export


def _goes_abroad(case: Case) -> bool:
    return destination(case) == ABROAD and not stays_in_the_country(case)


OPERATION_RULES = (
    document_rule("710", printed_like_an_nfce, in_nfe),
    document_rule("711", issued_offline, in_nfe),
    document_rule("864", sold_outside_without_document, in_nfe),
    document_rule("434", intermediation_untold),
    document_rule("435", intermediation_out_of_place),
    document_rule("438", intermediary_unnamed, in_nfe),
    document_rule("439", intermediary_of_nothing, in_nfe),
    document_rule("720", buyer_abroad_without_foreign_id, in_nfe),
    document_rule("721", foreigner_who_resells, in_nfe),
    document_rule("727", address_in_the_country, in_nfe),
    document_rule("772", states_are_the_same, in_nfe),
    document_rule("773", states_are_different, in_nfe),
    document_rule("790", contributor_abroad, in_nfe),
    document_rule("696", no_contributor_who_resells, in_nfe),
    document_rule("521", contributor_of_another_state, in_nfe),
    item_rule("771", foreigner_of_another_state, in_nfe),
    document_rule("355", export_without_exit, in_nfe),
    document_rule("356", exit_without_export, in_nfe),
)
