"""The operation: whom it is with, and where the goods go."""

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.cfops import consumed_in
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.rules import At
from carimbo.fiscal.taxpayer import is_cnpj

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
ELSEWHERE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)

_OUTBOUND = "1"
_NORMAL = "1"
_CONTRIBUTOR, _NO_CONTRIBUTOR = "1", "9"
_IN_PERSON, _NO_FREIGHT = "1", "9"
_PRINTED_AS_A_RECEIPT = "6"
_AT_A_DISTANCE = frozenset({"2", "3", "4", "9"})
_MAY_BE_INTERMEDIATED = _AT_A_DISTANCE | {_IN_PERSON}
# Annulments, energy and communication have no marketplace (NT 2020.006).
_NEVER_INTERMEDIATED = frozenset(map(str, (*range(5205, 5208), *range(5251, 5259), *range(5301, 5308))))


@ELSEWHERE_RULES.rule(
    "434",
    "NT 2020.006, B25c-10",
    "A venda à distância precisa dizer se há um intermediador, como um marketplace.",
)
def intermediation_is_told(case: Case) -> At | None:
    """Sales at a distance tell whether someone stands between."""
    if (
        case.presence in _AT_A_DISTANCE
        and case.invoice.identification.intermediation is None
        and case.direction == _OUTBOUND
        and case.purpose == _NORMAL
        and not any(item.product.cfop in _NEVER_INTERMEDIATED for item in case.invoice.items)
    ):
        return At("intermediary")
    return None


@RULES.rule(
    "435",
    "NT 2020.006, B25c-20",
    "Com esta forma de atendimento a venda não pode ter intermediador.",
)
def intermediation_is_possible(case: Case) -> At | None:
    """Nobody stands between where there is no sale, or where it is made outside the shop."""
    if case.invoice.identification.intermediation == "1" and case.presence not in _MAY_BE_INTERMEDIATED:
        return At("presence")
    return None


@RULES.rule(
    "440",
    "NT 2020.006, YB02-10",
    "O CNPJ do intermediador é inválido: os dígitos não conferem.",
    models=(NFE,),
)
def intermediary_exists(case: Case) -> At | None:
    """A marketplace is a company."""
    intermediary = case.invoice.intermediary
    return At("intermediary.taxId") if intermediary and not is_cnpj(intermediary.cnpj) else None


# Printed like a receipt, an NF-e may be of a sale outside too, and refers to nothing (NT 2026.002).
@RULES.rule(
    "864",
    "MOC 7.0, B25b-40",
    "A venda presencial fora do estabelecimento precisa referenciar a nota com que a mercadoria saiu.",
    models=(NFE,),
)
def goods_sold_outside_left(case: Case) -> At | None:
    """What is sold outside was sent there by an earlier document."""
    identification = case.invoice.identification
    if (
        case.presence == Presence.OUTSIDE.code
        and not identification.references
        and identification.print_format != _PRINTED_AS_A_RECEIPT
        and not any(item.referenced_item for item in case.invoice.items)
    ):
        return At("references")
    return None


@RULES.rule(
    "521",
    "MOC 7.0, I08-70",
    "A operação foi dita interna, e o contribuinte do ICMS é de outro estado.",
    models=(NFE,),
)
def contributor_of_the_state(case: Case) -> At | None:
    """A contributor of elsewhere buys within the state only what it takes along."""
    if (
        case.destination == WITHIN_THE_STATE
        and case.contribution == _CONTRIBUTOR
        and case.buyer_state not in (None, case.seller_state)
        and not (case.presence == _IN_PERSON and case.invoice.transport.freight_mode == _NO_FREIGHT)
        # The manual has no such exception here, but its stricter sibling 773 has.
        and case.invoice.pickup is None
        and case.invoice.delivery is None
        and not any(consumed_in(item) == case.seller_state for item in case.invoice.items)
    ):
        return At("destination")
    return None


@RULES.rule(
    "696",
    "MOC 7.0, E16a-40",
    "A venda a quem não é contribuinte do ICMS é sempre a consumidor final.",
    models=(NFE,),
)
def sold_to_a_consumer(case: Case) -> At | None:
    """Whoever has no registration can't sell the goods again."""
    if (
        case.contribution == _NO_CONTRIBUTOR
        and not case.is_final
        and case.direction == _OUTBOUND
        and case.destination != ABROAD
    ):
        return At("finalConsumer")
    return None


@RULES.rule(
    "772",
    "MOC 7.0, E12-30 e E12-50",
    "A operação foi dita interestadual, e a mercadoria não sai do estado.",
    models=(NFE,),
)
def leaves_the_state(case: Case) -> At | None:
    """Between states there are two of them, of the parties or of the places."""
    if (
        case.destination == TO_ANOTHER_STATE
        and case.recipient is not None
        and case.buyer_state == case.seller_state
        and case.recipient.cnpj != case.invoice.issuer.cnpj
        and not _goods_leave(case)
        and not any(consumed_in(item) not in (None, case.seller_state) for item in case.invoice.items)
    ):
        return At("destination")
    return None


@RULES.rule(
    "773",
    "MOC 7.0, E12-40 e E12-60",
    "A operação foi dita interna, e o destinatário, que não é consumidor final, é de outro estado.",
    models=(NFE,),
)
def stays_in_the_state(case: Case) -> At | None:
    """Only consumers of elsewhere buy within the state, unless the goods stay there."""
    if (
        case.destination == WITHIN_THE_STATE
        and not case.is_final
        and case.buyer_state not in (None, case.seller_state)
        and _goods_leave(case)
        and not any(consumed_in(item) == case.seller_state for item in case.invoice.items)
    ):
        return At("destination")
    return None


def _goods_leave(case: Case) -> bool:
    """Whether goods go to another state, from the pick-up or the sender to the delivery or the receiver."""
    parties = (case.seller_state, case.buyer_state)
    sender, receiver = parties if case.direction == _OUTBOUND else reversed(parties)
    pickup, delivery = case.invoice.pickup, case.invoice.delivery
    return (pickup.state if pickup else sender) != (delivery.state if delivery else receiver)
