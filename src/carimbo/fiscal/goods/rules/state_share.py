"""Rules of the share of the buyer's state in the ICMS of an item (DIFAL)."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.common import (
    is_coming_back,
    is_payment_by_government,
    is_petroleum,
    moves_between_other_states,
    situation_of,
)
from carimbo.fiscal.goods.rules.rule import (
    NFE,
    NON_CONTRIBUTOR,
    NORMAL,
    OUTBOUND,
    RETURN,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.layouts.nfe_v4.icms import IcmsPart
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.fiscal.taxes.checks import percent_mismatch
from carimbo.fiscal.taxes.icms import FOREIGN_ORIGINS, interstate_rate


def _may_have_a_share(document: RuleInput) -> bool:
    if document.destination == TO_ANOTHER_STATE:
        return True
    return any(item.taxes.state_share for item in document.invoice.items)


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_may_have_a_share)

_WITHOUT_SHARE = frozenset("14")
"""Regimes (CRT) that owe no share."""
_SHARED_PURPOSES = frozenset({NORMAL, RETURN})
# Assets moved between places of one owner, sales invoiced before delivery, and sales of a receipt.
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
def share_is_present(item: Item, document: RuleInput) -> At | None:
    """Refuses sales to consumers of another state without the share of that state."""
    if document.destination != TO_ANOTHER_STATE or item.taxes.state_share is not None:
        return None
    is_consumer = document.is_final and document.contribution == NON_CONTRIBUTOR
    is_sale = document.direction == OUTBOUND and document.purpose in _SHARED_PURPOSES
    if not (is_consumer and is_sale) or _owes_none(document) or _is_free_of_share(item):
        return None
    return At("stateShare")


def _owes_none(document: RuleInput) -> bool:
    issuer, delivery = document.invoice.issuer, document.invoice.delivery
    if (
        document.regime in _WITHOUT_SHARE
        or issuer.state_registration is None
        or is_payment_by_government(document)
    ):
        return True
    if delivery and delivery.state == document.seller_state:
        return True
    # Returns of goods that were sold before the share existed.
    keys = (reference.access_key for reference in document.invoice.identification.references)
    return document.purpose == RETURN and any(key and key[2:4] < _FIRST_YEAR for key in keys)


def _is_free_of_share(item: Item) -> bool:
    icms, cfop = item.taxes.icms, item.product.cfop
    if isinstance(icms, IcmsPart) or is_coming_back(cfop) or cfop in _NO_SALES or is_petroleum(item):
        return True
    row = CFOPS.rows.get(cfop)
    if row and row.is_shipment:
        return True
    return situation_of(icms) in _NOT_TAXED


@RULES.rule(
    "695",
    "MOC 7.0, NA01-30",
    "O ICMS da UF de destino é só de vendas a consumidor não contribuinte de outro estado.",
    models=(NFE,),
    on=(StateShare,),
)
def share_of_consumers_alone(item: Item, document: RuleInput) -> At | None:
    """Refuses the share in all other operations."""
    is_consumer = document.is_final and document.contribution == NON_CONTRIBUTOR
    if is_consumer and document.destination == TO_ANOTHER_STATE and not is_petroleum(item):
        return None
    delivery = document.invoice.delivery
    return None if delivery and delivery.state != document.seller_state else At("stateShare")


@RULES.rule(
    "697",
    "MOC 7.0, NA09-10 e NA09-20",
    "A alíquota interestadual não combina com a origem da mercadoria.",
    models=(NFE,),
    on=(StateShare,),
)
def rate_of_the_origin(item: Item, document: RuleInput) -> At | None:
    """Refuses interstate rates other than 4 % for foreign goods, and 7 or 12 % for national ones."""
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
def rate_of_the_states(item: Item, document: RuleInput) -> At | None:
    """Refuses the wrong one of 7 and 12 %, which depends on the two states."""
    rate = _share(item).interstate_rate
    if rate not in _OF_NATIONAL_GOODS or document.direction != OUTBOUND or document.purpose != NORMAL:
        return None
    if document.buyer_state not in STATES.rows or is_coming_back(item.product.cfop):
        return None
    expected = interstate_rate(document.seller_state, document.buyer_state or "", "0")
    if rate == expected or moves_between_other_states(document):
        return None
    return At("stateShare.interstateRate", f"Esperado: {expected}.")


@RULES.rule(
    "699",
    "MOC 7.0, NA11-10",
    "Toda a diferença de alíquotas é da UF de destino desde 2019.",
    models=(NFE,),
    on=(StateShare,),
)
def whole_share(item: Item, document: RuleInput) -> At | None:
    """Refuses a destination share below 100 %; returned goods may have been sold before 2019."""
    if _share(item).destination_share == _WHOLE or document.purpose != NORMAL:
        return None
    return None if is_coming_back(item.product.cfop) else At("stateShare.destinationShare", "Esperado: 100.")


@RULES.rule(
    "793",
    "MOC 7.0, NA13-10",
    "O valor do FCP da UF de destino não é base de cálculo vezes percentual.",
    models=(NFE,),
    on=(StateShare,),
)
def share_of_the_fund(item: Item, document: RuleInput) -> At | None:
    """Refuses an amount of the poverty fund that is not base times rate."""
    share = _share(item)
    if share.fcp_amount is None or share.fcp_base is None or share.fcp_rate is None:
        return None
    return percent_mismatch("stateShare.fcpAmount", share.fcp_amount, share.fcp_base, share.fcp_rate)


# Announced but not in force: in some states the tax is part of its own base, and the amount differs.
@RULES.rule(
    "815",
    "MOC 7.0, NA15-10",
    "O ICMS da UF de destino não é base de cálculo vezes a diferença das alíquotas.",
    models=(NFE,),
    severity=Severity.WARNS,
    on=(StateShare,),
)
def destination_amount(item: Item, document: RuleInput) -> At | None:
    """Warns of an amount that is not base times the difference of the rates, or zero if negative."""
    share = _share(item)
    rate = max(ZERO, share.internal_rate - share.interstate_rate) * share.destination_share / _WHOLE
    return percent_mismatch("stateShare.destinationAmount", share.destination_amount, share.base, rate)
