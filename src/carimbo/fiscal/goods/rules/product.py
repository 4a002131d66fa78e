"""What an item says of its product."""

from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.goods.rules.amounts import compared
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import is_payment_by_government
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.gtin import check_digit, is_gtin, is_internal_gtin
from carimbo.fiscal.layouts.nfe_v4.icms import Icms10, Icms30, Icms60, Icms70, Icms90, IcmsSt
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import cents
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.ncm import NCMS

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
GTIN_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()
ELSEWHERE_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(elsewhere=True)
CODE_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

_NO_CODE = frozenset({NO_GTIN, ""})
_NO_GOOD = "00"
_UNCLASSIFIED = "00000000"
_SPECIAL_FOR_EXPORT = "99"
_NORMAL, _ADJUSTMENT = "1", "3"
# Credit and debit notes tell IBS and CBS alone.
_NOTES_OF_THE_REFORM = frozenset("56")
_MEI = "4"
_RETAINED_EARLIER = "60"


@GTIN_RULES.rule("611", "NT 2021.003, I03-10", "O dígito verificador do GTIN está errado.")
def gtin(item: Item, case: Case) -> At | None:
    """The bar code of the unit sold is a GTIN."""
    code = item.product.gtin
    if code in _NO_CODE or is_gtin(code):
        return None
    return At("gtin", _expected_digit(code))


@GTIN_RULES.rule(
    "612", "NT 2021.003, I12-10", "O dígito verificador do GTIN da unidade tributável está errado."
)
def taxable_gtin(item: Item, case: Case) -> At | None:
    """The bar code of the taxable unit is a GTIN; when it is that of the unit sold, 611 tells."""
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
def gtin_of_everybody(item: Item, case: Case) -> At | None:
    """Codes that a shop gives to its own goods are not in the registry of GS1."""
    code = item.product.gtin
    return At("gtin") if code not in _NO_CODE and is_internal_gtin(code) else None


@ELSEWHERE_RULES.rule(
    "883", "NT 2021.003, I03-30", "O GTIN está vazio; sem código de barras diz-se SEM GTIN."
)
def gtin_told(item: Item, case: Case) -> At | None:
    """A product without a bar code says so; the MEI needn't (NT 2024.001)."""
    return At("gtin") if not item.product.gtin and case.regime != _MEI else None


@GTIN_RULES.rule("886", "NT 2021.003, I12-40", "A unidade tributável tem GTIN e o produto não tem.")
def gtin_of_both_units(item: Item, case: Case) -> At | None:
    """Who tells the bar code of the taxable unit tells that of the unit sold too."""
    product = item.product
    if product.gtin == NO_GTIN and product.taxable_gtin not in _NO_CODE:
        return At("gtin")
    return None


@GTIN_RULES.rule("885", "NT 2021.003, I12-30", "O produto tem GTIN e a unidade tributável não tem.")
def taxable_gtin_told(item: Item, case: Case) -> At | None:
    """The other way round."""
    product = item.product
    if product.taxable_gtin == NO_GTIN and product.gtin not in _NO_CODE:
        return At("taxableGtin")
    return None


@ELSEWHERE_RULES.rule("629", "MOC 7.0, I11-10", "O valor do produto não é quantidade vezes valor unitário.")
def price(item: Item, case: Case) -> At | None:
    """The price is that of the units sold."""
    product = item.product
    if case.purpose != _NORMAL:
        return None
    return compared("unitValue", product.amount, product.unit_value * product.quantity)


@RULES.rule(
    "630",
    "MOC 7.0, I11-20",
    "Quantidade tributável vezes valor unitário tributável não dá o valor do produto.",
)
def taxable_price(item: Item, case: Case) -> At | None:
    """The price is that of the taxable units too; when these are the units sold, 629 tells."""
    product = item.product
    value, quantity = product.taxable_unit_value, product.taxable_quantity
    if (value == product.unit_value and quantity == product.quantity) or case.purpose != _NORMAL:
        return None
    return compared("taxableUnitValue", cents(value * quantity), product.amount)


@CODE_RULES.rule("777", "MOC 7.0, I05-10", "O NCM precisa ter os 8 dígitos.")
def whole_ncm(item: Item, case: Case) -> At | None:
    """Goods are told by their whole code."""
    ncm = item.product.ncm
    return At("ncm") if len(ncm) != len(_UNCLASSIFIED) and ncm != _NO_GOOD else None


@CODE_RULES.rule("778", "MOC 7.0, I05-20", "O NCM não existe na tabela em vigor.")
def known_ncm(item: Item, case: Case) -> At | None:
    """The code is in force, or one of those that the customs made for exports."""
    ncm = item.product.ncm
    if ncm in NCMS.rows or len(ncm) != len(_UNCLASSIFIED) or ncm == _UNCLASSIFIED:
        return None
    is_special = ncm.startswith(_SPECIAL_FOR_EXPORT) and case.destination == ABROAD and case.model == NFE
    return None if is_special else At("ncm")


@CODE_RULES.rule(
    "471",
    "MOC 7.0, I05-24",
    "O NCM 00 serve só a notas de ajuste, a não ser que o estado aceite outros usos.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def ncm_of_goods(item: Item, case: Case) -> At | None:
    """Whoever sells goods tells what they are."""
    return At("ncm") if item.product.ncm == _NO_GOOD and case.purpose != _ADJUSTMENT else None


# Other uses are only of NF-e; of a MEI it is not sure that the authority asks for a code at all.
@CODE_RULES.rule(
    "471", "MOC 7.0, I05-24", "O NCM 00 não serve à NFC-e, que só vende mercadorias.", models=(NFCE,)
)
def ncm_of_a_receipt(item: Item, case: Case) -> At | None:
    """At the counter goods are sold."""
    return At("ncm") if item.product.ncm == _NO_GOOD and case.regime != _MEI else None


@CODE_RULES.rule(
    "806",
    "MOC 7.0, N23-10",
    "Produto com substituição tributária do ICMS precisa do CEST.",
    models=(NFE,),
    on=(Icms10, Icms30, Icms60, Icms70, Icms90, IcmsSt, IcmsSn201, IcmsSn202, IcmsSn500, IcmsSn900),
)
def cest(item: Item, case: Case) -> At | None:
    """Goods under substitution have a code of their own; CST 90 and CSOSN 900 need not be such."""
    icms = item.taxes.icms
    if item.product.cest is not None:
        return None
    if isinstance(icms, Icms90 | IcmsSn900) and not icms.st_amount:
        return None
    if isinstance(icms, IcmsSt) and icms.cst != _RETAINED_EARLIER:
        return None
    return At("cest")


@ELSEWHERE_RULES.rule("745", "NT 2025.002, Q01-20", "Falta o PIS do item.", models=(NFE,))
def pis(item: Item, case: Case) -> At | None:
    """Every item tells its PIS, if only that there is none."""
    return At("pis") if item.taxes.pis is None and _tells_contributions(case) else None


@ELSEWHERE_RULES.rule("748", "NT 2025.002, S01-20", "Falta a COFINS do item.", models=(NFE,))
def cofins(item: Item, case: Case) -> At | None:
    """Every item tells its COFINS, if only that there is none."""
    return At("cofins") if item.taxes.cofins is None and _tells_contributions(case) else None


def _tells_contributions(case: Case) -> bool:
    return case.purpose not in _NOTES_OF_THE_REFORM and not is_payment_by_government(case)
