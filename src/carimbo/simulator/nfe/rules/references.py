"""References to other documents: what complements and returns refer to, and what no sale may refer to."""

from lxml import etree

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.line import Line
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.nfe.rules.facts import (
    COMPLEMENT,
    RETURN,
    is_outbound,
    purpose,
    references,
    referred_key,
    referred_keys,
    refers_to_a_document,
    taxpayer,
)
from carimbo.simulator.nfe.rules.scope import PRINTED_AS_A_RECEIPT, document_rule, in_nfe, item_rule
from carimbo.simulator.rule import Finding
from carimbo.simulator.sefaz.key_parts import ISSUER, MODEL, SERIES

# Of these returns the buyer has no document (MOC 7.0, B25-70).
_RETURNS_WITHOUT_DOCUMENT = frozenset({"1201", "1202", "1410", "1411", "5921", "6921"})
_OWNER_LENGTH = 14
# An authority issues these for others, and the key has its CNPJ (MOC 7.0, A03-10).
_SERIES_OF_AUTHORITIES = frozenset(map(str, range(890, 900)))
_CFE = "59"
_RECEIPT_MODELS = frozenset({NFCE, _CFE})
_OF_A_RECEIPT = frozenset({"5929", "6929"})
"""CFOP of sales that a receipt has recorded before."""
_MAY_REFER_TO_RECEIPTS = frozenset({COMPLEMENT, RETURN})
# Notes that were not processed, and fines (NT 2026.002, VC02-40).
_DEBITS_OF_ANY_MODEL = frozenset({"03", "04"})


def complements_nothing(case: Case) -> bool:
    """MOC 7.0, B25-30."""
    refers = references(case) or any(map(refers_to_a_document, case.lines))
    return purpose(case) == COMPLEMENT and not refers


def complements_several(case: Case) -> bool:
    """MOC 7.0, B25-40."""
    return purpose(case) == COMPLEMENT and len(references(case)) > 1


def complements_anothers_document(case: Case) -> bool:
    """MOC 7.0, B25-50."""
    if purpose(case) != COMPLEMENT:
        return False
    issuer = taxpayer(case, "emit").zfill(_OWNER_LENGTH)
    return any(_issuer_in(key) not in ("", issuer) for key in referred_keys(case))


def receipt_referred_to(case: Case) -> Finding:
    """NT 2026.002, BA02-35: a sale refers to no receipt."""
    if not _is_sale_without_receipts(case):
        return False
    for position, key in enumerate(referred_keys(case), start=1):
        if _is_receipt(key, case):
            return f"[nOcor:{position}]"
    return False


def receipt_referred_to_by_item(line: Line, case: Case) -> bool:
    """NT 2026.002, VC02-40; two kinds of debit notes may refer to any model."""
    if not _is_sale_without_receipts(case) or case.text("ide/tpNFDebito") in _DEBITS_OF_ANY_MODEL:
        return False
    return _is_receipt(referred_key(line), case)


def _is_sale_without_receipts(case: Case) -> bool:
    is_correction = purpose(case) in _MAY_REFER_TO_RECEIPTS
    return is_outbound(case) and not is_correction and case.follows(Milestone.RECEIPTS_NOT_REFERENCED)


def _is_receipt(key: str, case: Case) -> bool:
    """Returns whether a key is of an NFC-e, a CF-e, or a known NF-e that is printed like a receipt."""
    if key[MODEL] != NFE:
        return key[MODEL] in _RECEIPT_MODELS
    stored = case.ledger.document(case.place.environment, key)
    if stored is None:
        return False
    invoice = Case(etree.fromstring(stored.xml), case.place, case.world)
    return invoice.text("ide/tpImp") == PRINTED_AS_A_RECEIPT


def recorded_receipt_referred_to(line: Line, case: Case) -> bool:
    """NT 2026.002, I08-180: the CFOP is of coupons, and NFC-e are none."""
    if line.cfop not in _OF_A_RECEIPT or not case.follows(Milestone.RECEIPTS_NOT_REFERENCED):
        return False
    return any(key[MODEL] == NFCE for key in referred_keys(case))


def returned_item_without_document(line: Line, case: Case) -> bool:
    """NT 2025.002, VC02-14: what comes back refers to the item that was sold."""
    if purpose(case) != RETURN or line.cfop in _RETURNS_WITHOUT_DOCUMENT or refers_to_a_document(line):
        return False
    return not references(case) or case.follows(Milestone.RETURNED_ITEM_REFERENCES)


def returned_to_several_issuers(line: Line, case: Case) -> bool:
    """NT 2025.002, VC02-40: every item was sold by the same issuer."""
    if purpose(case) != RETURN or not case.follows(Milestone.ONE_ISSUER_PER_RETURN):
        return False
    first = next(filter(None, (_issuer_in(referred_key(one)) for one in case.lines)), "")
    return _issuer_in(referred_key(line)) not in ("", first)


def _issuer_in(key: str) -> str:
    """Returns the issuer in a key; empty if an authority issued for somebody whom the key does not name."""
    return "" if key[SERIES] in _SERIES_OF_AUTHORITIES else key[ISSUER]


def refers_twice(case: Case) -> bool:
    """NT 2025.002, VC02-05: the document refers, or its items do."""
    return bool(references(case)) and any(map(refers_to_a_document, case.lines))


REFERENCE_RULES = (
    document_rule("254", complements_nothing, in_nfe),
    document_rule("255", complements_several, in_nfe),
    document_rule("269", complements_anothers_document, in_nfe),
    document_rule("679", receipt_referred_to, in_nfe),
    item_rule("679", receipt_referred_to_by_item, in_nfe),
    item_rule("375", recorded_receipt_referred_to, in_nfe),
    item_rule("321", returned_item_without_document, in_nfe),
    item_rule("1193", returned_to_several_issuers, in_nfe),
    document_rule("1010", refers_twice, in_nfe),
)
