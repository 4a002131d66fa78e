"""Earlier documents that this one refers to as a whole."""

from collections.abc import Iterator

from carimbo.fiscal.access_key import KEY_LENGTH, check_digit
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.rules import At
from carimbo.fiscal.tables.states import state_of_ibge

_NORMAL = "1"


def may_refer(case: Case) -> bool:
    """Returns whether a document refers to others, or has a purpose that may ask for it."""
    if case.purpose != _NORMAL or case.invoice.identification.references:
        return True
    return any(item.referenced_item for item in case.invoice.items)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=may_refer)

_COMPLEMENT = "2"
# Fines and interest, refusals of the whole delivery, reductions of the amount.
_CREDITS_OF_ONE_DOCUMENT = frozenset({"01", "03", "04"})
_FIRST_YEAR = "06"
_OWNER_IN_KEY, _SERIES_IN_KEY = slice(6, 20), slice(22, 25)
# Whose keys have the CNPJ of the authority that issues for someone (MOC 7.0, A03-10).
_SERIES_OF_THE_AUTHORITY = frozenset(map(str, range(890, 900)))
_MONTHS = frozenset(f"{month:02d}" for month in range(1, 13))


@RULES.rule(
    "708",
    "MOC 7.0, BA01-10; NT 2025.002, VC02-04",
    "A NFC-e não pode referenciar outro documento.",
    models=(NFCE,),
)
def receipt_refers_to_nothing(case: Case) -> Iterator[At]:
    """A receipt stands by itself."""
    if case.invoice.identification.references:
        yield At("references")
    for position, item in enumerate(case.invoice.items):
        if item.referenced_item:
            yield At(f"items[{position}].referencedItem")


@RULES.rule(
    "547",
    "MOC 7.0, BA02-10 e BA19-10",
    "O dígito verificador da chave de acesso referenciada não confere.",
    models=(NFE,),
)
def key_has_its_digit(case: Case) -> Iterator[At]:
    """The last digit of a key proves the others; a key of another length has none."""
    for path, key in _keys(case):
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
def key_has_a_state(case: Case) -> Iterator[At]:
    """A key begins with the state of its issuer."""
    for path, key in _whole_keys(case):
        if state_of_ibge(key[:2]) is None:
            yield At(path)


@RULES.rule(
    "524",
    "MOC 7.0, BA02-20, BA02-24, BA19-20 e BA19-24",
    "O ano e o mês da chave de acesso referenciada não existem ou ainda não chegaram.",
    models=(NFE,),
)
def key_has_a_month(case: Case) -> Iterator[At]:
    """Documents have keys since 2006; of the month the authority asks only that it exists."""
    for path, key in _whole_keys(case):
        if not _FIRST_YEAR <= key[2:4] <= f"{case.now:%y}" or key[4:6] not in _MONTHS:
            yield At(path)


def _keys(case: Case) -> Iterator[tuple[str, str]]:
    for position, reference in enumerate(case.invoice.identification.references):
        if reference.access_key:
            yield f"references[{position}].accessKey", reference.access_key
        if reference.cte_access_key:
            yield f"references[{position}].cteAccessKey", reference.cte_access_key


def _whole_keys(case: Case) -> Iterator[tuple[str, str]]:
    return ((path, key) for path, key in _keys(case) if len(key) == KEY_LENGTH)


@RULES.rule(
    "254",
    "NT 2025.002, B25-30",
    "A nota complementar, ou de crédito deste tipo, precisa referenciar o documento original.",
    models=(NFE,),
)
def original_is_told(case: Case) -> At | None:
    """What is complemented or reduced has to be known."""
    if _has_one_original(case) and not case.invoice.identification.references:
        return At("references")
    return None


@RULES.rule(
    "255",
    "NT 2025.002, B25-40",
    "A nota complementar, ou de crédito deste tipo, só pode referenciar um documento.",
    models=(NFE,),
)
def original_is_one(case: Case) -> At | None:
    """One document is complemented or reduced at a time."""
    if _has_one_original(case) and len(case.invoice.identification.references) > 1:
        return At("references")
    return None


@RULES.rule(
    "269",
    "MOC 7.0, B25-50",
    "A nota complementar só pode referenciar um documento da própria empresa.",
    models=(NFE,),
)
def original_is_of_the_issuer(case: Case) -> Iterator[At]:
    """Nobody complements what others issued."""
    if case.purpose != _COMPLEMENT:
        return
    own = case.key_without_digit[_OWNER_IN_KEY]
    for position, reference in enumerate(case.invoice.identification.references):
        paper = reference.paper_invoice
        if issuer_in_key(reference.access_key or "") not in (None, own):
            yield At(f"references[{position}].accessKey", f"Emitente esperado na chave: {own}.")
        if paper and paper.cnpj != own:
            yield At(f"references[{position}].paperInvoice.taxId", f"Esperado: {own}.")


def issuer_in_key(key: str) -> str | None:
    """Returns the CNPJ, or the CPF with zeros before it, of a document's issuer.

    None if the key is not whole, or has the CNPJ of the authority that issued for someone.
    """
    if len(key) != KEY_LENGTH or key[_SERIES_IN_KEY] in _SERIES_OF_THE_AUTHORITY:
        return None
    return key[_OWNER_IN_KEY]


def _has_one_original(case: Case) -> bool:
    return case.purpose == _COMPLEMENT or case.invoice.identification.credit_type in _CREDITS_OF_ONE_DOCUMENT
