"""Rules of the product of an item: GTIN, price, NCM, CEST, batches and export details."""

from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.goods.rules.common import is_payment_by_government
from carimbo.fiscal.goods.rules.rule import (
    ADJUSTMENT,
    MEI,
    NFCE,
    NFE,
    NORMAL,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.identity.gtin import check_digit, is_gtin, is_internal_gtin
from carimbo.fiscal.layouts.nfe_v4.icms import Icms10, Icms30, Icms60, Icms70, Icms90, IcmsSt
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import cents
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.goods_codes import NCMS
from carimbo.fiscal.taxes.checks import amount_mismatch

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
GTIN_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
EXTERNAL_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(external=True)
CODE_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

_NO_CODE = frozenset({NO_GTIN, ""})
_NO_GOOD = "00"
_UNCLASSIFIED = "00000000"
_SPECIAL_FOR_EXPORT = "99"
# Credit and debit notes have only IBS and CBS.
_NOTES_OF_THE_REFORM = frozenset("56")
_RETAINED_EARLIER = "60"


@GTIN_RULES.rule("611", "NT 2021.003, I03-10", "O dígito verificador do GTIN está errado.")
def gtin(item: Item, document: RuleInput) -> At | None:
    """Refuses an invalid GTIN of the unit sold."""
    code = item.product.gtin
    if code in _NO_CODE or is_gtin(code):
        return None
    return At("gtin", _expected_digit(code))


@GTIN_RULES.rule(
    "612", "NT 2021.003, I12-10", "O dígito verificador do GTIN da unidade tributável está errado."
)
def taxable_gtin(item: Item, document: RuleInput) -> At | None:
    """Refuses an invalid GTIN of the taxable unit; if both are equal, rule 611 reports it."""
    code = item.product.taxable_gtin
    if code in _NO_CODE or code == item.product.gtin or is_gtin(code):
        return None
    return At("taxableGtin", _expected_digit(code))


def _expected_digit(code: str) -> str:
    return f"Esperado: {check_digit(code[:-1])} no fim." if code.isdecimal() else ""


@GTIN_RULES.rule(
    "882",
    "NT 2021.003, I03-20",
    "O GTIN tem prefixo 2, de códigos internos da loja, que a autoridade costuma recusar.",
    severity=Severity.WARNS,
)
def gtin_is_registered(item: Item, document: RuleInput) -> At | None:
    """Warns of internal codes of a shop, which are not in the registry of GS1."""
    code = item.product.gtin
    return At("gtin") if code not in _NO_CODE and is_internal_gtin(code) else None


@EXTERNAL_RULES.rule("883", "NT 2021.003, I03-30", "O GTIN está vazio; sem código de barras diz-se SEM GTIN.")
def gtin_is_not_empty(item: Item, document: RuleInput) -> At | None:
    """Refuses an empty GTIN instead of SEM GTIN, except for the MEI (NT 2024.001)."""
    return At("gtin") if not item.product.gtin and document.regime != MEI else None


@GTIN_RULES.rule("886", "NT 2021.003, I12-40", "A unidade tributável tem GTIN e o produto não tem.")
def gtin_of_both_units(item: Item, document: RuleInput) -> At | None:
    """Refuses a GTIN of the taxable unit without one of the unit sold."""
    product = item.product
    if product.gtin == NO_GTIN and product.taxable_gtin not in _NO_CODE:
        return At("gtin")
    return None


@GTIN_RULES.rule("885", "NT 2021.003, I12-30", "O produto tem GTIN e a unidade tributável não tem.")
def taxable_gtin_is_present(item: Item, document: RuleInput) -> At | None:
    """Refuses a GTIN of the unit sold without one of the taxable unit."""
    product = item.product
    if product.taxable_gtin == NO_GTIN and product.gtin not in _NO_CODE:
        return At("taxableGtin")
    return None


@EXTERNAL_RULES.rule("629", "MOC 7.0, I11-10", "O valor do produto não é quantidade vezes valor unitário.")
def price(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount that is not quantity times unit value."""
    product = item.product
    if document.purpose != NORMAL:
        return None
    return amount_mismatch("unitValue", product.amount, product.unit_value * product.quantity)


@RULES.rule(
    "630",
    "MOC 7.0, I11-20",
    "Quantidade tributável vezes valor unitário tributável não dá o valor do produto.",
)
def taxable_price(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount that is not taxable quantity times value; if units are equal, 629 reports it."""
    product = item.product
    value, quantity = product.taxable_unit_value, product.taxable_quantity
    if (value == product.unit_value and quantity == product.quantity) or document.purpose != NORMAL:
        return None
    return amount_mismatch("taxableUnitValue", cents(value * quantity), product.amount)


@CODE_RULES.rule("777", "MOC 7.0, I05-10", "O NCM precisa ter os 8 dígitos.")
def whole_ncm(item: Item, document: RuleInput) -> At | None:
    """Refuses an NCM that does not have eight digits."""
    ncm = item.product.ncm
    return At("ncm") if len(ncm) != len(_UNCLASSIFIED) and ncm != _NO_GOOD else None


@CODE_RULES.rule("778", "MOC 7.0, I05-20", "O NCM não existe na tabela em vigor.")
def known_ncm(item: Item, document: RuleInput) -> At | None:
    """Refuses an NCM that is not in force, except the special codes of the customs for exports."""
    ncm = item.product.ncm
    if ncm in NCMS.rows or len(ncm) != len(_UNCLASSIFIED) or ncm == _UNCLASSIFIED:
        return None
    is_special = (
        ncm.startswith(_SPECIAL_FOR_EXPORT) and document.destination == ABROAD and document.model == NFE
    )
    return None if is_special else At("ncm")


@CODE_RULES.rule(
    "471",
    "MOC 7.0, I05-24",
    "O NCM 00 serve só a notas de ajuste, a não ser que o estado aceite outros usos.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def ncm_of_goods(item: Item, document: RuleInput) -> At | None:
    """Warns of NCM 00 in an NF-e that is not an adjustment."""
    return At("ncm") if item.product.ncm == _NO_GOOD and document.purpose != ADJUSTMENT else None


# Only NF-e have other uses; for a MEI the authority may not demand a code at all.
@CODE_RULES.rule(
    "471", "MOC 7.0, I05-24", "O NCM 00 não serve à NFC-e, que só vende mercadorias.", models=(NFCE,)
)
def ncm_of_a_receipt(item: Item, document: RuleInput) -> At | None:
    """Refuses NCM 00 in an NFC-e."""
    return At("ncm") if item.product.ncm == _NO_GOOD and document.regime != MEI else None


@CODE_RULES.rule(
    "806",
    "MOC 7.0, N23-10",
    "Produto com substituição tributária do ICMS precisa do CEST.",
    models=(NFE,),
    on=(Icms10, Icms30, Icms60, Icms70, Icms90, IcmsSt, IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
)
def cest(item: Item, document: RuleInput) -> At | None:
    """Refuses goods with tax substitution without a CEST; CST 90 and CSOSN 900 may have none."""
    icms = item.taxes.icms
    if item.product.cest is not None:
        return None
    if isinstance(icms, Icms90 | IcmsSn900) and not icms.st_amount:
        return None
    if isinstance(icms, IcmsSt) and icms.cst != _RETAINED_EARLIER:
        return None
    return At("cest")


@EXTERNAL_RULES.rule("745", "NT 2025.002, Q01-20", "Falta o PIS do item.", models=(NFE,))
def pis(item: Item, document: RuleInput) -> At | None:
    """Refuses items without a PIS group, which is required even if nothing is due."""
    return At("pis") if item.taxes.pis is None and _needs_contributions(document) else None


@EXTERNAL_RULES.rule("748", "NT 2025.002, S01-20", "Falta a COFINS do item.", models=(NFE,))
def cofins(item: Item, document: RuleInput) -> At | None:
    """Refuses items without a COFINS group, which is required even if nothing is due."""
    return At("cofins") if item.taxes.cofins is None and _needs_contributions(document) else None


def _needs_contributions(document: RuleInput) -> bool:
    return document.purpose not in _NOTES_OF_THE_REFORM and not is_payment_by_government(document)


def _has_details(document: RuleInput) -> bool:
    return any(
        item.product.batches or item.product.export_details or item.returned_ipi
        for item in document.invoice.items
    )


DETAIL_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_has_details)

# Returns, and the credit notes of goods that come back.
_GIVING_BACK = frozenset("45")


@DETAIL_RULES.rule("336", "MOC 7.0, I50-10", "Só a exportação tem drawback ou exportação indireta no item.")
def exported_goods(item: Item, document: RuleInput) -> At | None:
    """Refuses drawback and indirect export in items that stay in the country."""
    return At("exportDetails") if item.product.export_details and document.destination != ABROAD else None


@DETAIL_RULES.rule(
    "354",
    "MOC 7.0, UA01-10",
    "Só a devolução de mercadoria devolve IPI.",
    models=(NFE,),
)
def returned_goods(item: Item, document: RuleInput) -> At | None:
    """Refuses refunded IPI in documents that are not returns."""
    return At("returnedIpi") if item.returned_ipi and document.purpose not in _GIVING_BACK else None


@DETAIL_RULES.rule("877", "MOC 7.0, I83-10", "A fabricação do lote está no futuro.")
def batch_is_made(item: Item, document: RuleInput) -> At | None:
    """Refuses a manufacture date in the future, in the time zone of the document."""
    today = document.now.astimezone(document.invoice.identification.issued_at.tzinfo).date()
    for position, batch in enumerate(item.product.batches):
        if batch.manufacture_date > today:
            return At(f"batches[{position}].manufactureDate")
    return None


@DETAIL_RULES.rule("870", "MOC 7.0, I84-10", "A validade do lote é anterior à fabricação.")
def batch_expires_later(item: Item, document: RuleInput) -> At | None:
    """Refuses an expiry date before the manufacture date."""
    for position, batch in enumerate(item.product.batches):
        if batch.expiry_date < batch.manufacture_date:
            return At(f"batches[{position}].expiryDate")
    return None
