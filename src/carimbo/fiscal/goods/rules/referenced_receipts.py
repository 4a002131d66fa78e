"""Receipts of consumers, which other documents may no longer refer to (NT 2026.002)."""

from collections.abc import Iterator

from carimbo.fiscal.access_key import KEY_LENGTH
from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.references import may_refer
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.rules import At


def _refers_under_the_rules(case: Case) -> bool:
    return DatedRule.RECEIPTS_ARE_NOT_REFERENCED in case.rules_in_force and may_refer(case)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_refers_under_the_rules)

_OUTBOUND = "1"
_COMPLEMENT, _RETURN = "2", "4"
_CFE = "59"
_MODEL_IN_KEY = slice(20, 22)
_RECEIPTS = frozenset({NFCE, _CFE})
# Entries in the books about a sale that a receipt documents.
_CFOPS_OF_RECEIPTS = frozenset({"5929", "6929"})
# Debits of documents that were not processed, fines and interest.
_DEBITS_OF_RECEIPTS = frozenset({"03", "04"})


@RULES.rule(
    "375",
    "NT 2026.002, I08-180",
    "O item com CFOP de lançamento relativo a cupom fiscal não pode referenciar uma NFC-e.",
    models=(NFE,),
)
def entry_about_a_receipt_is_of_no_nfce(case: Case) -> Iterator[At]:
    """Refuses items of CFOP 5929 or 6929 while the document, or the item itself, refers to an NFC-e."""
    of_the_document = any(_model(key) == NFCE for _, key in _document_keys(case))
    for position, item in enumerate(case.invoice.items):
        own = item.referenced_item
        refers = of_the_document or (own is not None and _model(own.access_key) == NFCE)
        if refers and item.product.cfop in _CFOPS_OF_RECEIPTS:
            yield At(f"items[{position}].cfop")


# The rule names NF-e printed as receipts (tpImp 6) too, but a key does not show how a document was printed.
@RULES.rule(
    "679",
    "NT 2026.002, BA02-35 e VC02-40",
    "A NF-e de saída não pode referenciar uma NFC-e ou um CF-e, salvo se é complementar ou de devolução.",
    models=(NFE,),
)
def outbound_note_refers_to_no_receipt(case: Case) -> Iterator[At]:
    """Refuses receipts among the references of an outbound note, unless it completes or returns a sale."""
    if case.direction != _OUTBOUND or case.purpose in (_COMPLEMENT, _RETURN):
        return
    for path, key in _document_keys(case):
        if _model(key) in _RECEIPTS:
            yield At(path)
    if case.invoice.identification.debit_type in _DEBITS_OF_RECEIPTS:
        return
    for position, item in enumerate(case.invoice.items):
        if item.referenced_item and _model(item.referenced_item.access_key) in _RECEIPTS:
            yield At(f"items[{position}].referencedItem.accessKey")


def _document_keys(case: Case) -> Iterator[tuple[str, str]]:
    for position, reference in enumerate(case.invoice.identification.references):
        if reference.access_key:
            yield f"references[{position}].accessKey", reference.access_key


def _model(key: str) -> str | None:
    return key[_MODEL_IN_KEY] if len(key) == KEY_LENGTH else None
