"""The NFC-e that takes the place of one whose fate was unknown (110112; MOC 7.0, P31-10 to 5P31-44)."""

from datetime import timedelta

from carimbo.simulator.group import Group
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.event_case import EventCase, invoice_of
from carimbo.simulator.nfe.event_types import SUBSTITUTION
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.key_parts import EMISSION, ISSUER, MODEL, STATE
from carimbo.simulator.sefaz.rules.event_identity import event_rule

_LONGEST_WAY = timedelta(hours=2)
_BY_THE_ISSUER = "1"
_NORMAL = "1"


def issued_in_contingency(case: EventCase) -> bool:
    """MOC 7.0, P12-48."""
    return case.access_key[EMISSION] != _NORMAL


def author_of_another_state(case: EventCase) -> bool:
    """MOC 7.0, P20-10."""
    return case.detail.text("cOrgaoAutor") != case.access_key[STATE]


def told_by_somebody_else(case: EventCase) -> bool:
    """MOC 7.0, P21-10."""
    return case.detail.text("tpAutor") != _BY_THE_ISSUER


def replacement_with_a_wrong_key(case: EventCase) -> bool:
    """MOC 7.0, P31-10."""
    return not has_right_digit(_replacing(case))


def replacement_of_something_else(case: EventCase) -> bool:
    """MOC 7.0, P31-38 to P31-52: itself, or of another state, issuer or model."""
    ours, other = case.access_key, _replacing(case)
    return ours == other or any(ours[part] != other[part] for part in (STATE, ISSUER, MODEL))


def replacement_not_in_contingency(case: EventCase) -> bool:
    """MOC 7.0, 5P31-44."""
    return _replacing(case)[EMISSION] == _NORMAL


def replacement_unknown(case: EventCase) -> bool:
    """MOC 7.0, 5P31-10."""
    return case.replacement is None


def replacement_canceled(case: EventCase) -> bool:
    """MOC 7.0, 5P31-14."""
    return case.replacement is not None and case.replacement.is_canceled


def replacement_issued_too_late(case: EventCase) -> bool:
    """MOC 7.0, 5P31-20."""
    document, other = case.document, case.replacement
    return document is not None and other is not None and other.issued_at - document.issued_at > _LONGEST_WAY


def replacement_of_another_value(case: EventCase) -> bool:
    """MOC 7.0, 5P31-24."""
    return _differs(case, "vNF")


def replacement_of_another_tax(case: EventCase) -> bool:
    """MOC 7.0, 5P31-28."""
    return _differs(case, "vICMS")


def replacement_with_other_items(case: EventCase) -> bool:
    """MOC 7.0, 5P31-36: their number."""
    document, other = case.document, case.replacement
    if document is None or other is None:
        return False
    return len(_invoice(document, case).all("det")) != len(_invoice(other, case).all("det"))


def _replacing(case: EventCase) -> str:
    return case.detail.text("chNFeRef")


def _differs(case: EventCase, tag: str) -> bool:
    document, other = case.document, case.replacement
    if document is None or other is None:
        return False
    path = f"total/ICMSTot/{tag}"
    return _invoice(document, case).amount(path) != _invoice(other, case).amount(path)


def _invoice(document: StoredDocument, case: EventCase) -> Group:
    return invoice_of(document, case).content


SUBSTITUTION_RULES: tuple[Rule[EventCase], ...] = tuple(
    event_rule(code, broken, (SUBSTITUTION,))
    for code, broken in (
        ("920", issued_in_contingency),
        ("455", author_of_another_state),
        ("466", told_by_somebody_else),
        ("910", replacement_with_a_wrong_key),
        ("911", replacement_of_something_else),
        ("921", replacement_not_in_contingency),
        ("912", replacement_unknown),
        ("913", replacement_canceled),
        ("914", replacement_issued_too_late),
        ("915", replacement_of_another_value),
        ("916", replacement_of_another_tax),
        ("918", replacement_with_other_items),
    )
)
