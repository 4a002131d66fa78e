"""Rules of references to earlier documents: of the whole document, of items, and to receipts."""

from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.rule import (
    COMPLEMENT,
    NFCE,
    NFE,
    NORMAL,
    OUTBOUND,
    RETURN,
    DocumentCheck,
    GoodsRuleBook,
    RuleInput,
)
from carimbo.fiscal.identity.access_key import KEY_LENGTH, check_digit
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.geography import state_of_ibge


def _may_have_references(document: RuleInput) -> bool:
    """Returns whether a document has references, or a purpose that may demand them."""
    if document.purpose != NORMAL or document.invoice.identification.references:
        return True
    return any(item.referenced_item for item in document.invoice.items)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_may_have_references)

# Fines and interest, refused deliveries, reductions of the amount.
_CREDITS_OF_ONE_DOCUMENT = frozenset({"01", "03", "04"})
_FIRST_YEAR = "06"
_OWNER_IN_KEY, _SERIES_IN_KEY = slice(6, 20), slice(22, 25)
# Series that an authority issues for others, with its own CNPJ in the keys (MOC 7.0, A03-10).
_SERIES_OF_THE_AUTHORITY = frozenset(map(str, range(890, 900)))
_MONTHS = frozenset(f"{month:02d}" for month in range(1, 13))


@RULES.rule(
    "708",
    "MOC 7.0, BA01-10; NT 2025.002, VC02-04",
    "A NFC-e não pode referenciar outro documento.",
    models=(NFCE,),
)
def receipt_has_no_references(document: RuleInput) -> Iterator[At]:
    """Refuses references in an NFC-e."""
    if document.invoice.identification.references:
        yield At("references")
    for position, item in enumerate(document.invoice.items):
        if item.referenced_item:
            yield At(f"items[{position}].referencedItem")


@RULES.rule(
    "547",
    "MOC 7.0, BA02-10 e BA19-10",
    "O dígito verificador da chave de acesso referenciada não confere.",
    models=(NFE,),
)
def key_has_a_valid_check_digit(document: RuleInput) -> Iterator[At]:
    """Refuses keys with another length or with a wrong check digit."""
    for path, key in _keys(document):
        if len(key) != KEY_LENGTH:
            yield At(path, f"A chave tem {KEY_LENGTH} caracteres, e esta tem {len(key)}.")
        elif check_digit(key[:-1]) != key[-1:]:
            yield At(path)


@RULES.rule(
    "522",
    "MOC 7.0, BA02-14 e BA19-14",
    "A chave de acesso referenciada não começa com o código de um estado.",
    models=(NFE,),
)
def key_has_a_state(document: RuleInput) -> Iterator[At]:
    """Refuses keys that do not begin with the code of a state."""
    for path, key in _whole_keys(document):
        if state_of_ibge(key[:2]) is None:
            yield At(path)


@RULES.rule(
    "524",
    "MOC 7.0, BA02-20, BA02-24, BA19-20 e BA19-24",
    "O ano e o mês da chave de acesso referenciada não existem ou ainda não chegaram.",
    models=(NFE,),
)
def key_has_a_month(document: RuleInput) -> Iterator[At]:
    """Refuses keys of a year before 2006 or in the future, or of a month that does not exist."""
    for path, key in _whole_keys(document):
        if not _FIRST_YEAR <= key[2:4] <= f"{document.now:%y}" or key[4:6] not in _MONTHS:
            yield At(path)


def _keys(document: RuleInput) -> Iterator[tuple[str, str]]:
    for position, reference in enumerate(document.invoice.identification.references):
        if reference.access_key:
            yield f"references[{position}].accessKey", reference.access_key
        if reference.cte_access_key:
            yield f"references[{position}].cteAccessKey", reference.cte_access_key


def _whole_keys(document: RuleInput) -> Iterator[tuple[str, str]]:
    return ((path, key) for path, key in _keys(document) if len(key) == KEY_LENGTH)


@RULES.rule(
    "254",
    "NT 2025.002, B25-30",
    "A nota complementar, ou de crédito deste tipo, precisa referenciar o documento original.",
    models=(NFE,),
)
def original_is_referenced(document: RuleInput) -> At | None:
    """Refuses complements, and credits of one document, without a reference."""
    if _has_one_original(document) and not document.invoice.identification.references:
        return At("references")
    return None


@RULES.rule(
    "255",
    "NT 2025.002, B25-40",
    "A nota complementar, ou de crédito deste tipo, só pode referenciar um documento.",
    models=(NFE,),
)
def original_is_a_single_document(document: RuleInput) -> At | None:
    """Refuses complements, and credits of one document, with several references."""
    if _has_one_original(document) and len(document.invoice.identification.references) > 1:
        return At("references")
    return None


@RULES.rule(
    "269",
    "MOC 7.0, B25-50",
    "A nota complementar só pode referenciar um documento da própria empresa.",
    models=(NFE,),
)
def original_is_of_the_issuer(document: RuleInput) -> Iterator[At]:
    """Refuses complements of documents of another issuer."""
    if document.purpose != COMPLEMENT:
        return
    own = document.key_without_digit[_OWNER_IN_KEY]
    for position, reference in enumerate(document.invoice.identification.references):
        paper = reference.paper_invoice
        if _issuer_in_key(reference.access_key or "") not in (None, own):
            yield At(f"references[{position}].accessKey", f"Emitente esperado na chave: {own}.")
        if paper and paper.cnpj != own:
            yield At(f"references[{position}].paperInvoice.taxId", f"Esperado: {own}.")


def _issuer_in_key(key: str) -> str | None:
    """Returns the CNPJ of the issuer in a key, or its CPF with leading zeros.

    None if the key is incomplete, or has the CNPJ of an authority that issued for somebody else.
    """
    if len(key) != KEY_LENGTH or key[_SERIES_IN_KEY] in _SERIES_OF_THE_AUTHORITY:
        return None
    return key[_OWNER_IN_KEY]


def _has_one_original(document: RuleInput) -> bool:
    return (
        document.purpose == COMPLEMENT
        or document.invoice.identification.credit_type in _CREDITS_OF_ONE_DOCUMENT
    )


ITEM_REFERENCE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_may_have_references)

_UNPROCESSED_DOCUMENTS = "03"
# Returns without a document of the buyer (MOC 7.0, B25-70); NT 2025.002 does not mention them.
_RETURNS_WITHOUT_DOCUMENT = frozenset({"1201", "1202", "1410", "1411", "5921", "6921"})
_OWNER_LENGTH = 14


@ITEM_REFERENCE_RULES.rule(
    "321",
    "NT 2025.002, VC02-14",
    "A devolução precisa referenciar, em cada item, o item do documento original.",
    models=(NFE,),
)
def returned_item_has_a_reference(document: RuleInput) -> Iterator[At]:
    """Refuses returned items without a reference; at first one of the whole document was enough."""
    if document.purpose != RETURN:
        return
    items_must_refer = DatedRule.RETURNED_ITEM_REFERENCES in document.rules_in_force
    if document.invoice.identification.references and not items_must_refer:
        return
    for position, item in enumerate(document.invoice.items):
        if item.referenced_item is None and item.product.cfop not in _RETURNS_WITHOUT_DOCUMENT:
            yield At(f"items[{position}].referencedItem")


@ITEM_REFERENCE_RULES.rule(
    "1010",
    "NT 2025.002, VC02-05",
    "Os documentos são referenciados na nota ou em seus itens, e não em ambos.",
    models=(NFE,),
)
def references_are_in_one_place(document: RuleInput) -> At | None:
    """Refuses references of the document together with references of its items."""
    if document.invoice.identification.references and any(
        item.referenced_item for item in document.invoice.items
    ):
        return At("references")
    return None


@ITEM_REFERENCE_RULES.rule(
    "1048",
    "NT 2025.002, VC03-20",
    "Falta o número do item no documento referenciado.",
    models=(NFE,),
)
def referenced_item_has_a_position(document: RuleInput) -> Iterator[At]:
    """Refuses an item reference without position, except in debits of documents that were not processed."""
    if document.invoice.identification.debit_type == _UNPROCESSED_DOCUMENTS:
        return
    for position, reference in _item_references(document):
        if reference.position is None:
            yield At(f"items[{position}].referencedItem.position")


@ITEM_REFERENCE_RULES.rule(
    "1072",
    "NT 2025.002, VC02-20",
    "O mesmo item do mesmo documento é referenciado mais de uma vez.",
    models=(NFE,),
)
def referenced_item_is_not_repeated(document: RuleInput) -> Iterator[At]:
    """Refuses a second reference to the same item, or to the same document without an item."""
    seen: set[tuple[str, int | None]] = set()
    for position, reference in _item_references(document):
        referenced = (reference.access_key, reference.position)
        if referenced in seen:
            yield At(f"items[{position}].referencedItem")
        seen.add(referenced)


@ITEM_REFERENCE_RULES.rule(
    "1193",
    "NT 2025.002, VC02-40",
    "A devolução só pode referenciar documentos de um mesmo emitente.",
    models=(NFE,),
)
def returned_items_have_one_issuer(document: RuleInput) -> Iterator[At]:
    """Refuses item references of a return whose issuer is not that of the first one."""
    if document.purpose != RETURN:
        return
    first: str | None = None
    for position, reference in _item_references(document):
        issuer = _issuer_in_key(reference.access_key)
        first = first or issuer
        if issuer not in (None, first):
            path = f"items[{position}].referencedItem.accessKey"
            yield At(path, f"Emitente do primeiro documento: {first}.")


# The rule is for returned outbound documents, but a key does not show the direction: a document of the
# company itself may be an inbound one. NT 2026.002 removed another rule with the same name (708).
@ITEM_REFERENCE_RULES.rule(
    "1194",
    "NT 2025.002, VC02-50",
    "O destinatário da devolução não é quem emitiu a nota devolvida; se ela é de saída, a SEFAZ recusa.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def return_goes_to_the_issuer(document: RuleInput) -> At | None:
    """Warns of an outbound return to a recipient that did not issue the returned document."""
    buyer = document.recipient
    if document.purpose != RETURN or document.direction != OUTBOUND or buyer is None:
        return None
    if DatedRule.RETURNED_ITEM_REFERENCES not in document.rules_in_force:
        return None
    company = document.invoice.issuer
    parties = {(party.cnpj or party.cpf or "").zfill(_OWNER_LENGTH) for party in (buyer, company)}
    issuers = {_issuer_in_key(reference.access_key) for _, reference in _item_references(document)}
    return At("recipient.taxId") if issuers - parties - {None} else None


def _item_references(document: RuleInput) -> Iterator[tuple[int, ReferencedItem]]:
    """Yields the reference of each item that has one, with the position of the item."""
    for position, item in enumerate(document.invoice.items):
        if item.referenced_item:
            yield position, item.referenced_item


def _may_reference_receipts(document: RuleInput) -> bool:
    return DatedRule.RECEIPTS_ARE_NOT_REFERENCED in document.rules_in_force and _may_have_references(document)


RECEIPT_REFERENCE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_may_reference_receipts)

_CFE = "59"
_MODEL_IN_KEY = slice(20, 22)
_RECEIPTS = frozenset({NFCE, _CFE})
# Bookkeeping entries about a sale that a receipt documents.
_CFOPS_OF_RECEIPTS = frozenset({"5929", "6929"})
# Debits of documents that were not processed, fines and interest.
_DEBITS_OF_RECEIPTS = frozenset({"03", "04"})


@RECEIPT_REFERENCE_RULES.rule(
    "375",
    "NT 2026.002, I08-180",
    "O item com CFOP de lançamento relativo a cupom fiscal não pode referenciar uma NFC-e.",
    models=(NFE,),
)
def bookkeeping_entry_references_no_nfce(document: RuleInput) -> Iterator[At]:
    """Refuses items of CFOP 5929 or 6929 if the document or the item refers to an NFC-e."""
    document_refers = any(_model_in_key(key) == NFCE for _, key in _document_keys(document))
    for position, item in enumerate(document.invoice.items):
        own = item.referenced_item
        refers = document_refers or (own is not None and _model_in_key(own.access_key) == NFCE)
        if refers and item.product.cfop in _CFOPS_OF_RECEIPTS:
            yield At(f"items[{position}].cfop")


# The rule also names NF-e printed as receipts (tpImp 6), but a key does not show the print format.
@RECEIPT_REFERENCE_RULES.rule(
    "679",
    "NT 2026.002, BA02-35 e VC02-40",
    "A NF-e de saída não pode referenciar uma NFC-e ou um CF-e, salvo se é complementar ou de devolução.",
    models=(NFE,),
)
def outbound_document_references_no_receipt(document: RuleInput) -> Iterator[At]:
    """Refuses references to receipts in outbound documents, except complements and returns."""
    if document.direction != OUTBOUND or document.purpose in (COMPLEMENT, RETURN):
        return
    for path, key in _document_keys(document):
        if _model_in_key(key) in _RECEIPTS:
            yield At(path)
    if document.invoice.identification.debit_type in _DEBITS_OF_RECEIPTS:
        return
    for position, item in enumerate(document.invoice.items):
        if item.referenced_item and _model_in_key(item.referenced_item.access_key) in _RECEIPTS:
            yield At(f"items[{position}].referencedItem.accessKey")


def _document_keys(document: RuleInput) -> Iterator[tuple[str, str]]:
    for position, reference in enumerate(document.invoice.identification.references):
        if reference.access_key:
            yield f"references[{position}].accessKey", reference.access_key


def _model_in_key(key: str) -> str | None:
    return key[_MODEL_IN_KEY] if len(key) == KEY_LENGTH else None
