"""Rules of the operation: intermediary, presence of the buyer, and destination of the goods."""

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.rules.cfops import consumption_state
from carimbo.fiscal.goods.rules.rule import (
    CONTRIBUTOR,
    NFE,
    NON_CONTRIBUTOR,
    NORMAL,
    OUTBOUND,
    DocumentCheck,
    GoodsRuleBook,
    RuleInput,
)
from carimbo.fiscal.identity.tax_ids import is_cnpj
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
EXTERNAL_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)

_IN_PERSON, _NO_FREIGHT = "1", "9"
_PRINTED_AS_A_RECEIPT = "6"
_AT_A_DISTANCE = frozenset({"2", "3", "4", "9"})
_MAY_BE_INTERMEDIATED = _AT_A_DISTANCE | {_IN_PERSON}
# Annulments, energy and communication have no intermediary (NT 2020.006).
_NEVER_INTERMEDIATED = frozenset(map(str, (*range(5205, 5208), *range(5251, 5259), *range(5301, 5308))))


@EXTERNAL_RULES.rule(
    "434",
    "NT 2020.006, B25c-10",
    "A venda à distância precisa dizer se há um intermediador, como um marketplace.",
)
def intermediation_is_declared(document: RuleInput) -> At | None:
    """Refuses distance sales that do not declare whether there is an intermediary."""
    if (
        document.presence in _AT_A_DISTANCE
        and document.invoice.identification.intermediation is None
        and document.direction == OUTBOUND
        and document.purpose == NORMAL
        and not any(item.product.cfop in _NEVER_INTERMEDIATED for item in document.invoice.items)
    ):
        return At("intermediary")
    return None


@RULES.rule(
    "435",
    "NT 2020.006, B25c-20",
    "Com esta forma de atendimento a venda não pode ter intermediador.",
)
def intermediation_is_possible(document: RuleInput) -> At | None:
    """Refuses an intermediary where there is no sale, or where it is made outside the shop."""
    if (
        document.invoice.identification.intermediation == "1"
        and document.presence not in _MAY_BE_INTERMEDIATED
    ):
        return At("presence")
    return None


@RULES.rule(
    "440",
    "NT 2020.006, YB02-10",
    "O CNPJ do intermediador é inválido: os dígitos não conferem.",
    models=(NFE,),
)
def intermediary_exists(document: RuleInput) -> At | None:
    """Refuses an intermediary with an invalid CNPJ."""
    intermediary = document.invoice.intermediary
    return At("intermediary.taxId") if intermediary and not is_cnpj(intermediary.cnpj) else None


# An NF-e printed as a receipt may also document a sale outside, without references (NT 2026.002).
@RULES.rule(
    "864",
    "MOC 7.0, B25b-40",
    "A venda presencial fora do estabelecimento precisa referenciar a nota com que a mercadoria saiu.",
    models=(NFE,),
)
def sale_outside_has_a_reference(document: RuleInput) -> At | None:
    """Refuses a sale outside the shop without a reference to the document that sent the goods there."""
    identification = document.invoice.identification
    if (
        document.presence == Presence.OUTSIDE.code
        and not identification.references
        and identification.print_format != _PRINTED_AS_A_RECEIPT
        and not any(item.referenced_item for item in document.invoice.items)
    ):
        return At("references")
    return None


@RULES.rule(
    "521",
    "MOC 7.0, I08-70",
    "A operação foi dita interna, e o contribuinte do ICMS é de outro estado.",
    models=(NFE,),
)
def contributor_of_the_state(document: RuleInput) -> At | None:
    """Refuses sales within the state to contributors of another state, unless they take the goods along."""
    if (
        document.destination == WITHIN_THE_STATE
        and document.contribution == CONTRIBUTOR
        and document.buyer_state not in (None, document.seller_state)
        and not (document.presence == _IN_PERSON and document.invoice.transport.freight_mode == _NO_FREIGHT)
        # The manual has this exception only in the stricter rule 773.
        and document.invoice.pickup is None
        and document.invoice.delivery is None
        and not any(consumption_state(item) == document.seller_state for item in document.invoice.items)
    ):
        return At("destination")
    return None


@RULES.rule(
    "696",
    "MOC 7.0, E16a-40",
    "A venda a quem não é contribuinte do ICMS é sempre a consumidor final.",
    models=(NFE,),
)
def sold_to_a_consumer(document: RuleInput) -> At | None:
    """Refuses sales to non-contributors that are not declared as sales to final consumers."""
    if (
        document.contribution == NON_CONTRIBUTOR
        and not document.is_final
        and document.direction == OUTBOUND
        and document.destination != ABROAD
    ):
        return At("finalConsumer")
    return None


@RULES.rule(
    "772",
    "MOC 7.0, E12-30 e E12-50",
    "A operação foi dita interestadual, e a mercadoria não sai do estado.",
    models=(NFE,),
)
def leaves_the_state(document: RuleInput) -> At | None:
    """Refuses interstate operations whose parties and places are in one state."""
    if (
        document.destination == TO_ANOTHER_STATE
        and document.recipient is not None
        and document.buyer_state == document.seller_state
        and document.recipient.cnpj != document.invoice.issuer.cnpj
        and not _goods_leave(document)
        and not any(
            consumption_state(item) not in (None, document.seller_state) for item in document.invoice.items
        )
    ):
        return At("destination")
    return None


@RULES.rule(
    "773",
    "MOC 7.0, E12-40 e E12-60",
    "A operação foi dita interna, e o destinatário, que não é consumidor final, é de outro estado.",
    models=(NFE,),
)
def stays_in_the_state(document: RuleInput) -> At | None:
    """Refuses operations within the state with a party of another state, unless the goods stay."""
    if (
        document.destination == WITHIN_THE_STATE
        and not document.is_final
        and document.buyer_state not in (None, document.seller_state)
        and _goods_leave(document)
        and not any(consumption_state(item) == document.seller_state for item in document.invoice.items)
    ):
        return At("destination")
    return None


def _goods_leave(document: RuleInput) -> bool:
    """Returns whether goods change states between pick-up (or sender) and delivery (or receiver)."""
    parties = (document.seller_state, document.buyer_state)
    sender, receiver = parties if document.direction == OUTBOUND else reversed(parties)
    pickup, delivery = document.invoice.pickup, document.invoice.delivery
    return (pickup.state if pickup else sender) != (delivery.state if delivery else receiver)
