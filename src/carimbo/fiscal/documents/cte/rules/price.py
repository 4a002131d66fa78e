"""Rules about the price of the service and its ICMS."""

from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.documents.cte.rules.rule import SCHEMA_CODE, WaybillCheck, WaybillInput, manual
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms45, ServiceIcmsOfSimples
from carimbo.fiscal.money import total
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.taxes.checks import percent_mismatch

RULES: RuleBook[WaybillCheck] = RuleBook()

COMPONENTS_SUM = "COMPONENTS_SUM"
_MAX_PRICE = Decimal("9999999.99")
_PRICE = manual("valor da prestação")


@RULES.rule("650", _PRICE, "O valor da prestação passa de R$ 9.999.999,99.")
def price_above_the_limit(document: WaybillInput) -> At | None:
    """Refuses a price above the limit of the authorities."""
    return At("serviceAmount") if document.waybill.price.amount > _MAX_PRICE else None


@RULES.rule("531", _PRICE, "O valor a receber é maior que o valor da prestação.")
def more_to_receive_than_the_price(document: WaybillInput) -> At | None:
    """Refuses an amount to receive above the price."""
    price = document.waybill.price
    return At("receivableAmount") if price.receivable_amount > price.amount else None


@RULES.rule(
    COMPONENTS_SUM,
    manual("componentes do valor"),
    "Os componentes do valor não somam o valor da prestação.",
    hint="Ajuste os componentes para que somem serviceAmount, ou retire components.",
)
def sum_of_the_components(document: WaybillInput) -> At | None:
    """Refuses components that are not the whole price; no authority checks them, but readers do."""
    price = document.waybill.price
    parts = total(component.amount for component in price.components)
    if not price.components or parts == price.amount:
        return None
    return At("components", f"A soma é {parts}, e serviceAmount é {price.amount}.")


@RULES.rule(
    SCHEMA_CODE,
    "NT CT-e 2026.004, bloco A",
    "O campo ainda não existe no CT-e na data de emissão.",
    hint="Retire netServiceAmount, ou use uma data de emissão em que o CT-e já o leva.",
)
def net_price_too_early(document: WaybillInput) -> At | None:
    """Refuses the price without taxes before the layout has it."""
    is_early = DatedRule.CTE_NET_AMOUNT_FIELDS not in document.rules_in_force
    return At("netServiceAmount") if is_early and document.request.net_service_amount is not None else None


@RULES.rule("675", manual("ICMS"), "O valor do ICMS não é a base vezes a alíquota.")
def icms_amount(document: WaybillInput) -> At | None:
    """Refuses an ICMS that differs by more than a cent from base times rate."""
    icms = document.waybill.taxes.icms
    if isinstance(icms, ServiceIcms45 | ServiceIcmsOfSimples):
        return None
    return percent_mismatch("icms.amount", icms.amount, icms.base, icms.rate)
