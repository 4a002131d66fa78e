"""Rules about the price of the service and its ICMS."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.documents.cte.rules.rule import (
    CONTRIBUTOR,
    SCHEMA_CODE,
    WaybillCheck,
    WaybillInput,
    manual,
)
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms45, ServiceIcmsOfSimples
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.taxes.checks import percent_mismatch
from carimbo.fiscal.transport.icms import icms_amount, share_amounts

RULES: RuleBook[WaybillCheck] = RuleBook()

COMPONENTS_SUM = "COMPONENTS_SUM"
NET_ABOVE_PRICE, TAXES_ABOVE_PRICE = "NET_ABOVE_PRICE", "TAXES_ABOVE_PRICE"
STATE_SHARE, STATE_SHARE_AMOUNT = "STATE_SHARE", "STATE_SHARE_AMOUNT"
_MAX_PRICE = Decimal("9999999.99")
_PRICE = manual("valor da prestação")
_SHARE = "Convênio ICMS 236/2021"


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
def net_price_above_the_price(document: WaybillInput) -> At | None:
    """Refuses a price without taxes above the price with them."""
    net, price = document.request.net_service_amount, document.waybill.price
    return At("netServiceAmount") if net is not None and net > price.amount else None


@RULES.rule("675", manual("ICMS"), "O valor do ICMS não é a base vezes a alíquota.")
def amount_of_icms(document: WaybillInput) -> At | None:
    """Refuses an ICMS that differs by more than a cent from base times rate."""
    icms = document.waybill.taxes.icms
    if isinstance(icms, ServiceIcms45 | ServiceIcmsOfSimples):
        return None
    return percent_mismatch("icms.amount", icms.amount, icms.base, icms.rate)


@RULES.rule(
    STATE_SHARE,
    _SHARE,
    "Só a prestação entre estados, por empresa que não recolhe o ICMS no Simples, tem ICMS da UF de término.",
    hint="Retire stateShare.",
)
def share_out_of_place(document: WaybillInput) -> At | None:
    """Refuses a share of the end state within one state, to another country, and in Simples Nacional."""
    taxes = document.waybill.taxes
    is_due = document.is_interstate and not isinstance(taxes.icms, ServiceIcmsOfSimples)
    return At("stateShare") if taxes.state_share and not is_due else None


@RULES.rule(
    STATE_SHARE,
    _SHARE,
    "O tomador é contribuinte, e o ICMS da UF de término só é devido com tomador não contribuinte.",
    hint="Retire stateShare.",
    severity=Severity.WARNS,
)
def share_of_a_contributor(document: WaybillInput) -> At | None:
    """Warns of a share of the end state if the taker contributes ICMS."""
    is_contributor = document.identification.taker_contribution == CONTRIBUTOR
    return At("stateShare") if document.waybill.taxes.state_share and is_contributor else None


@RULES.rule(
    STATE_SHARE_AMOUNT,
    _SHARE,
    "O valor não é a base vezes a alíquota da UF de término.",
    hint="Retire o valor para que seja calculado, ou ajuste a base e as alíquotas de stateShare.",
)
def amounts_of_the_share(document: WaybillInput) -> Iterator[At]:
    """Refuses amounts that differ by more than a cent from base times rate."""
    share = document.waybill.taxes.state_share
    if share is None:
        return
    difference = max(ZERO, share.internal_rate - share.interstate_rate)
    for at in (
        percent_mismatch("stateShare.fcpAmount", share.fcp_amount, share.base, share.fcp_rate),
        percent_mismatch("stateShare.destinationAmount", share.destination_amount, share.base, difference),
    ):
        if at:
            yield at


@RULES.rule(
    TAXES_ABOVE_PRICE,
    _PRICE,
    "O ICMS é maior que o valor da prestação.",
    hint="Confira a base e o valor do ICMS e de stateShare.",
)
def taxes_above_the_price(document: WaybillInput) -> At | None:
    """Refuses ICMS above the price that includes it; IBS and CBS would have no base."""
    taxes, price = document.waybill.taxes, document.waybill.price
    if icms_amount(taxes.icms) > price.amount:
        return At("icms")
    is_above = icms_amount(taxes.icms) + share_amounts(taxes.state_share) > price.amount
    return At("stateShare") if is_above else None
