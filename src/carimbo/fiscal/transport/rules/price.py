"""Rules about the price of the service."""

from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.money import total
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.rules.rule import (
    SCHEMA_CODE,
    TransportCheck,
    TransportInput,
    manual,
)

RULES: RuleBook[TransportCheck] = RuleBook()

COMPONENTS_SUM, NET_ABOVE_PRICE = "COMPONENTS_SUM", "NET_ABOVE_PRICE"
_MAX_PRICE = Decimal("9999999.99")
_PRICE = manual("valor da prestação")


@RULES.rule("650", _PRICE, "O valor da prestação passa de R$ 9.999.999,99.")
def price_above_the_limit(document: TransportInput) -> At | None:
    """Refuses a price above the limit of the authorities."""
    return At("serviceAmount") if document.waybill.price.amount > _MAX_PRICE else None


@RULES.rule("531", _PRICE, "O valor a receber é maior que o valor da prestação.")
def more_to_receive_than_the_price(document: TransportInput) -> At | None:
    """Refuses an amount to receive above the price."""
    price = document.waybill.price
    return At("receivableAmount") if price.receivable_amount > price.amount else None


@RULES.rule(
    COMPONENTS_SUM,
    manual("componentes do valor"),
    "Os componentes do valor não somam o valor da prestação.",
    hint="Ajuste os componentes para que somem serviceAmount, ou retire components.",
)
def sum_of_the_components(document: TransportInput) -> At | None:
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
def net_price_too_early(document: TransportInput) -> At | None:
    """Refuses the price without taxes before the layout has it."""
    if document.waybill.price.net_amount is None:
        return None
    is_early = DatedRule.CTE_NET_AMOUNT_FIELDS not in document.rules_in_force
    return At("netServiceAmount") if is_early else None


@RULES.rule(
    NET_ABOVE_PRICE,
    "NT CT-e 2026.004, bloco A",
    "O valor sem tributos é maior que o valor da prestação.",
    hint="Corrija ou retire netServiceAmount.",
)
def net_price_above_the_price(document: TransportInput) -> At | None:
    """Refuses a price without taxes above the price with them."""
    net, price = document.request.net_service_amount, document.waybill.price
    return At("netServiceAmount") if net is not None and net > price.amount else None
