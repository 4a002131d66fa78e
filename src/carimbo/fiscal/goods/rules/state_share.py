"""The share of the buyer's state in the ICMS of an item."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.amounts import compared_percent
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import (
    is_coming_back,
    is_payment_by_government,
    is_petroleum,
    moves_between_other_states,
    situation_of,
)
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.layouts.nfe_v4.icms import IcmsPart
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.states import STATES
from carimbo.fiscal.taxes.icms import FOREIGN_ORIGINS, interstate_rate


def _may_have_a_share(case: Case) -> bool:
    if case.destination == TO_ANOTHER_STATE:
        return True
    return any(item.taxes.state_share for item in case.invoice.items)


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_may_have_a_share)

_OUTBOUND = "1"
_NORMAL, _RETURN = "1", "4"
_NO_CONTRIBUTOR = "9"
_WITHOUT_SHARE = frozenset("14")
"""Regimes (CRT) that owe none."""
_SHARED_PURPOSES = frozenset({_NORMAL, _RETURN})
# Assets moved between places of one owner, sales invoiced before delivery, and those of a receipt.
_NO_SALES = frozenset({"6552", "6922", "6929"})
_NOT_TAXED = frozenset({"40", "41", "103", "300", "400"})
_FIRST_YEAR = "16"
_OF_FOREIGN_GOODS = Decimal(4)
_OF_NATIONAL_GOODS = (Decimal(7), Decimal(12))
_WHOLE = Decimal(100)


@RULES.rule(
    "694",
    "NT 2025.002, NA01-20",
    "A venda a consumidor não contribuinte de outro estado precisa do ICMS da UF de destino.",
    models=(NFE,),
)
def share_told(item: Item, case: Case) -> At | None:
    """Whoever sells to a consumer in another state owes that state its share."""
    if case.destination != TO_ANOTHER_STATE or item.taxes.state_share is not None:
        return None
    if not _is_sold_to_a_consumer(case) or _owes_none(case) or _is_free_of_share(item):
        return None
    return At("stateShare")


def _is_sold_to_a_consumer(case: Case) -> bool:
    is_consumer = case.is_final and case.contribution == _NO_CONTRIBUTOR
    return is_consumer and case.direction == _OUTBOUND and case.purpose in _SHARED_PURPOSES


def _owes_none(case: Case) -> bool:
    issuer, delivery = case.invoice.issuer, case.invoice.delivery
    if case.regime in _WITHOUT_SHARE or issuer.state_registration is None or is_payment_by_government(case):
        return True
    if delivery and delivery.state == case.seller_state:
        return True
    return case.purpose == _RETURN and _was_sold_before_the_share(case)


def _was_sold_before_the_share(case: Case) -> bool:
    keys = (reference.access_key for reference in case.invoice.identification.references)
    return any(key and key[2:4] < _FIRST_YEAR for key in keys)


def _is_free_of_share(item: Item) -> bool:
    icms, cfop = item.taxes.icms, item.product.cfop
    if isinstance(icms, IcmsPart) or is_coming_back(cfop) or cfop in _NO_SALES or is_petroleum(item):
        return True
    known = CFOPS.rows.get(cfop)
    if known and known.is_shipment:
        return True
    return situation_of(icms) in _NOT_TAXED


@RULES.rule(
    "695",
    "MOC 7.0, NA01-30",
    "O ICMS da UF de destino é só de vendas a consumidor não contribuinte de outro estado.",
    models=(NFE,),
    on=(StateShare,),
)
def share_of_consumers_alone(item: Item, case: Case) -> At | None:
    """No other sale has a share of the buyer's state."""
    is_consumer = case.is_final and case.contribution == _NO_CONTRIBUTOR
    if is_consumer and case.destination == TO_ANOTHER_STATE and not is_petroleum(item):
        return None
    delivery = case.invoice.delivery
    return None if delivery and delivery.state != case.seller_state else At("stateShare")


@RULES.rule(
    "697",
    "MOC 7.0, NA09-10 e NA09-20",
    "A alíquota interestadual não combina com a origem da mercadoria.",
    models=(NFE,),
    on=(StateShare,),
)
def rate_of_the_origin(item: Item, case: Case) -> At | None:
    """Foreign goods pay 4 % between states, others 7 or 12 %."""
    origin, rate = getattr(item.taxes.icms, "origin", None), _share(item).interstate_rate
    if origin is None:
        return None
    if origin in FOREIGN_ORIGINS:
        return At("stateShare.interstateRate", "Esperado: 4.") if rate in _OF_NATIONAL_GOODS else None
    return At("stateShare.interstateRate", "Esperado: 7 ou 12.") if rate == _OF_FOREIGN_GOODS else None


def _share(item: Item) -> Any:
    return item.taxes.state_share


@RULES.rule(
    "698",
    "MOC 7.0, NA09-30",
    "A alíquota interestadual não é a que vale entre os dois estados.",
    models=(NFE,),
    on=(StateShare,),
)
def rate_of_the_states(item: Item, case: Case) -> At | None:
    """Between which states goods go decides on 7 or 12 %."""
    rate = _share(item).interstate_rate
    if rate not in _OF_NATIONAL_GOODS or case.direction != _OUTBOUND or case.purpose != _NORMAL:
        return None
    if case.buyer_state not in STATES.rows or is_coming_back(item.product.cfop):
        return None
    expected = interstate_rate(case.seller_state, case.buyer_state or "", "0")
    if rate == expected or moves_between_other_states(case):
        return None
    return At("stateShare.interstateRate", f"Esperado: {expected}.")


@RULES.rule(
    "699",
    "MOC 7.0, NA11-10",
    "Toda a diferença de alíquotas é da UF de destino desde 2019.",
    models=(NFE,),
    on=(StateShare,),
)
def whole_share(item: Item, case: Case) -> At | None:
    """What comes back may have been sold when the states still shared."""
    if _share(item).destination_share == _WHOLE or case.purpose != _NORMAL:
        return None
    return None if is_coming_back(item.product.cfop) else At("stateShare.destinationShare", "Esperado: 100.")


@RULES.rule(
    "793",
    "MOC 7.0, NA13-10",
    "O valor do FCP da UF de destino não é base de cálculo vezes percentual.",
    models=(NFE,),
    on=(StateShare,),
)
def share_of_the_fund(item: Item, case: Case) -> At | None:
    """The part of the poverty fund is its rate of its base."""
    share = _share(item)
    if share.fcp_amount is None or share.fcp_base is None or share.fcp_rate is None:
        return None
    return compared_percent("stateShare.fcpAmount", share.fcp_amount, share.fcp_base, share.fcp_rate)


# Announced, and not in force: states where the tax is part of its own base compute otherwise.
@RULES.rule(
    "815",
    "MOC 7.0, NA15-10",
    "O ICMS da UF de destino não é base de cálculo vezes a diferença das alíquotas.",
    models=(NFE,),
    severity=Severity.WARNS,
    on=(StateShare,),
)
def destination_amount(item: Item, case: Case) -> At | None:
    """The share is the difference of the rates on the base, never less than nothing."""
    share = _share(item)
    rate = max(ZERO, share.internal_rate - share.interstate_rate) * share.destination_share / _WHOLE
    return compared_percent("stateShare.destinationAmount", share.destination_amount, share.base, rate)
