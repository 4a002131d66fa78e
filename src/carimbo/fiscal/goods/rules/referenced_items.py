"""Items of earlier documents that the items of this one refer to."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.references import issuer_in_key, may_refer
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from carimbo.fiscal.rules import At, Severity

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=may_refer)

_OUTBOUND, _RETURN = "1", "4"
_UNPROCESSED_DOCUMENTS = "03"
# Returns that the buyer has no document of (MOC 7.0, B25-70); NT 2025.002 does not speak of them.
_RETURNS_WITHOUT_DOCUMENT = frozenset({"1201", "1202", "1410", "1411", "5921", "6921"})
_OWNER_LENGTH = 14


@RULES.rule(
    "321",
    "NT 2025.002, VC02-14",
    "A devolução precisa referenciar, em cada item, o item do documento original.",
    models=(NFE,),
)
def returned_item_has_a_reference(case: Case) -> Iterator[At]:
    """Refuses returned items without an origin; at first a reference of the whole document was enough."""
    if case.purpose != _RETURN:
        return
    items_must_refer = DatedRule.RETURNED_ITEM_REFERENCES in case.rules_in_force
    if case.invoice.identification.references and not items_must_refer:
        return
    for position, item in enumerate(case.invoice.items):
        if item.referenced_item is None and item.product.cfop not in _RETURNS_WITHOUT_DOCUMENT:
            yield At(f"items[{position}].referencedItem")


@RULES.rule(
    "1010",
    "NT 2025.002, VC02-05",
    "Os documentos são referenciados na nota ou em seus itens, e não em ambos.",
    models=(NFE,),
)
def references_are_in_one_place(case: Case) -> At | None:
    """Refuses references of the document beside those of its items."""
    if case.invoice.identification.references and any(item.referenced_item for item in case.invoice.items):
        return At("references")
    return None


@RULES.rule(
    "1048",
    "NT 2025.002, VC03-20",
    "Falta o número do item no documento referenciado.",
    models=(NFE,),
)
def referenced_item_has_a_position(case: Case) -> Iterator[At]:
    """Refuses an item reference without position, except in debits of documents that were not processed."""
    if case.invoice.identification.debit_type == _UNPROCESSED_DOCUMENTS:
        return
    for position, reference in _item_references(case):
        if reference.position is None:
            yield At(f"items[{position}].referencedItem.position")


@RULES.rule(
    "1072",
    "NT 2025.002, VC02-20",
    "O mesmo item do mesmo documento é referenciado mais de uma vez.",
    models=(NFE,),
)
def referenced_item_is_not_repeated(case: Case) -> Iterator[At]:
    """Refuses a second reference to an item, or to a document where no item is named."""
    seen: set[tuple[str, int | None]] = set()
    for position, reference in _item_references(case):
        referenced = (reference.access_key, reference.position)
        if referenced in seen:
            yield At(f"items[{position}].referencedItem")
        seen.add(referenced)


@RULES.rule(
    "1193",
    "NT 2025.002, VC02-40",
    "A devolução só pode referenciar documentos de um mesmo emitente.",
    models=(NFE,),
)
def returned_items_have_one_issuer(case: Case) -> Iterator[At]:
    """Refuses item references of a return whose issuer is not that of the first one."""
    if case.purpose != _RETURN:
        return
    first: str | None = None
    for position, reference in _item_references(case):
        issuer = issuer_in_key(reference.access_key)
        first = first or issuer
        if issuer not in (None, first):
            path = f"items[{position}].referencedItem.accessKey"
            yield At(path, f"Emitente do primeiro documento: {first}.")


# The rule is for outbound notes that are returned, and a key does not show the direction of its note. A note
# of the company itself may be an inbound one. NT 2026.002 withdrew another rule of the same name (708).
@RULES.rule(
    "1194",
    "NT 2025.002, VC02-50",
    "O destinatário da devolução não é quem emitiu a nota devolvida; se ela é de saída, a SEFAZ recusa.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def return_goes_to_the_issuer(case: Case) -> At | None:
    """Warns of an outbound return to somebody who did not issue the returned note."""
    buyer = case.recipient
    if case.purpose != _RETURN or case.direction != _OUTBOUND or buyer is None:
        return None
    if DatedRule.RETURNED_ITEM_REFERENCES not in case.rules_in_force:
        return None
    company = case.invoice.issuer
    parties = {(party.cnpj or party.cpf or "").zfill(_OWNER_LENGTH) for party in (buyer, company)}
    issuers = {issuer_in_key(reference.access_key) for _, reference in _item_references(case)}
    return At("recipient.taxId") if issuers - parties - {None} else None


def _item_references(case: Case) -> Iterator[tuple[int, ReferencedItem]]:
    """Yields the reference of each item that has one, with the place of the item in the body."""
    for position, item in enumerate(case.invoice.items):
        if item.referenced_item:
            yield position, item.referenced_item
