"""Rules about references to other documents: of complements and returns, and forbidden ones of sales."""

from lxml import etree

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.identifiers import KEY_ISSUER, KEY_MODEL, KEY_SERIES
from carimbo.simulator.nfe.dialect import NFCE, NFE
from carimbo.simulator.nfe.judged import JudgedInvoice, JudgedLine
from carimbo.simulator.nfe.rules.facts import (
    COMPLEMENT,
    PRINTED_AS_A_RECEIPT,
    RETURN,
    document_rule,
    in_nfe,
    is_outbound,
    item_rule,
    purpose,
    references,
    referred_key,
    referred_keys,
    refers_to_a_document,
    taxpayer,
)
from carimbo.simulator.rules import Finding

# Returns without a document of the buyer (MOC 7.0, B25-70).
_RETURNS_WITHOUT_DOCUMENT = frozenset({"1201", "1202", "1410", "1411", "5921", "6921"})
_OWNER_LENGTH = 14
# Issued by an authority for others: the key has the authority's CNPJ (MOC 7.0, A03-10).
_SERIES_OF_AUTHORITIES = frozenset(map(str, range(890, 900)))
_CFE = "59"
_RECEIPT_MODELS = frozenset({NFCE, _CFE})
_OF_A_RECEIPT = frozenset({"5929", "6929"})
"""CFOP of sales that were recorded by a receipt before."""
_MAY_REFER_TO_RECEIPTS = frozenset({COMPLEMENT, RETURN})
# Notes that were not processed, and fines (NT 2026.002, VC02-40).
_DEBITS_OF_ANY_MODEL = frozenset({"03", "04"})


def complements_nothing(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B25-30."""
    refers = references(invoice) or any(map(refers_to_a_document, invoice.lines))
    return purpose(invoice) == COMPLEMENT and not refers


def complements_several(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B25-40."""
    return purpose(invoice) == COMPLEMENT and len(references(invoice)) > 1


def complements_anothers_document(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, B25-50."""
    if purpose(invoice) != COMPLEMENT:
        return False
    issuer = taxpayer(invoice, "emit").zfill(_OWNER_LENGTH)
    return any(_issuer_in(key) not in ("", issuer) for key in referred_keys(invoice))


def receipt_referred_to(invoice: JudgedInvoice) -> Finding:
    """NT 2026.002, BA02-35: a sale cannot refer to a receipt."""
    if not _is_sale_without_receipts(invoice):
        return False
    for position, key in enumerate(referred_keys(invoice), start=1):
        if _is_receipt(key, invoice):
            return f"[nOcor:{position}]"
    return False


def receipt_referred_to_by_item(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, VC02-40; two types of debit notes can refer to any model."""
    if not _is_sale_without_receipts(invoice) or invoice.text("ide/tpNFDebito") in _DEBITS_OF_ANY_MODEL:
        return False
    return _is_receipt(referred_key(line), invoice)


def _is_sale_without_receipts(invoice: JudgedInvoice) -> bool:
    is_correction = purpose(invoice) in _MAY_REFER_TO_RECEIPTS
    return is_outbound(invoice) and not is_correction and invoice.follows(Milestone.RECEIPTS_NOT_REFERENCED)


def _is_receipt(key: str, invoice: JudgedInvoice) -> bool:
    """Whether a key is of an NFC-e, a CF-e, or a stored NF-e that is printed like a receipt."""
    if key[KEY_MODEL] != NFE:
        return key[KEY_MODEL] in _RECEIPT_MODELS
    stored = invoice.ledger.document(invoice.service_path.environment, key)
    if stored is None:
        return False
    referred = JudgedInvoice(etree.fromstring(stored.xml), invoice.service_path, invoice.context)
    return referred.text("ide/tpImp") == PRINTED_AS_A_RECEIPT


def recorded_receipt_referred_to(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2026.002, I08-180: the CFOP is for coupons, not for NFC-e."""
    if line.cfop not in _OF_A_RECEIPT or not invoice.follows(Milestone.RECEIPTS_NOT_REFERENCED):
        return False
    return any(key[KEY_MODEL] == NFCE for key in referred_keys(invoice))


def returned_item_without_document(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, VC02-14: returned goods refer to the item that was sold."""
    if purpose(invoice) != RETURN or line.cfop in _RETURNS_WITHOUT_DOCUMENT or refers_to_a_document(line):
        return False
    return not references(invoice) or invoice.follows(Milestone.RETURNED_ITEM_REFERENCES)


def returned_to_several_issuers(line: JudgedLine, invoice: JudgedInvoice) -> bool:
    """NT 2025.002, VC02-40: all items were sold by the same issuer."""
    if purpose(invoice) != RETURN or not invoice.follows(Milestone.ONE_ISSUER_PER_RETURN):
        return False
    first = next(filter(None, (_issuer_in(referred_key(each)) for each in invoice.lines)), "")
    return _issuer_in(referred_key(line)) not in ("", first)


def _issuer_in(key: str) -> str:
    """The issuer in a key; empty if an authority issued it for a taxpayer that is not in the key."""
    return "" if key[KEY_SERIES] in _SERIES_OF_AUTHORITIES else key[KEY_ISSUER]


def refers_twice(invoice: JudgedInvoice) -> bool:
    """NT 2025.002, VC02-05: either the document or its items have references."""
    return bool(references(invoice)) and any(map(refers_to_a_document, invoice.lines))


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
