"""What only receipts (NFC-e) may or must say."""

from decimal import Decimal

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.homologation import HOMOLOGATION_ITEM
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
ELSEWHERE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)


_PRINTED_AS_RECEIPTS = frozenset({"4", "5"})
_NORMAL_PURPOSE = "1"
_NO_CONTRIBUTOR = "9"
_PRESENCES = frozenset({Presence.IN_PERSON.code, Presence.DELIVERY.code, Presence.OUTSIDE.code})
# A state may set another limit; none above this one is known (NT 2026.002, W16-40).
_HIGHEST_ANONYMOUS = Decimal("10000.00")


@ELSEWHERE_RULES.rule(
    "373",
    "MOC 7.0, I04-10",
    "Em homologação, a descrição do primeiro item é sempre o texto fixo que diz que a nota não tem valor.",
    models=(NFCE,),
)
def worthless_in_homologation(case: Case) -> At | None:
    """A test shows on paper that it is one."""
    if case.environment is not Environment.HOMOLOGATION:
        return None
    if case.invoice.items[0].product.description != HOMOLOGATION_ITEM:
        return At("items[0].description", f"Esperado: {HOMOLOGATION_ITEM}.")
    return None


@ELSEWHERE_RULES.rule(
    "709", "MOC 7.0, B21-10", "O formato de impressão não é o de uma NFC-e (tpImp 4 ou 5).", models=(NFCE,)
)
def printed_as_a_receipt(case: Case) -> At | None:
    """On a receipt's paper, or in a message."""
    if case.invoice.identification.print_format not in _PRINTED_AS_RECEIPTS:
        return At("printFormat")
    return None


@ELSEWHERE_RULES.rule(
    "715",
    "NT 2026.002, B25-20",
    "A NFC-e é sempre de finalidade normal: complementos, ajustes e devoluções são feitos por NF-e.",
    models=(NFCE,),
)
def normal_purpose(case: Case) -> At | None:
    """A receipt only sells."""
    if case.purpose != _NORMAL_PURPOSE:
        return At("purpose")
    return None


@ELSEWHERE_RULES.rule("716", "NT 2026.002, B25a-10", "A NFC-e é sempre a consumidor final.", models=(NFCE,))
def sold_to_a_final_consumer(case: Case) -> At | None:
    """Whoever sells the goods again needs an NF-e."""
    if not case.is_final:
        return At("finalConsumer")
    return None


@RULES.rule(
    "717",
    "NT 2026.002, B25b-20",
    "A NFC-e é de venda presencial, com entrega em domicílio ou fora do estabelecimento.",
    models=(NFCE,),
)
def sold_in_presence(case: Case) -> At | None:
    """Sales at a distance need an NF-e."""
    if case.presence not in _PRESENCES:
        return At("presence", "Esperado: inPerson, delivery ou outside.")
    return None


@RULES.rule(
    "1005",
    "NT 2025.002, B12a-20",
    "A venda fora do estabelecimento precisa do município onde incidem o IBS e a CBS.",
    models=(NFCE,),
)
def place_of_a_sale_outside(case: Case) -> At | None:
    """Where the seller goes to the buyer, the taxes of the reform go along."""
    if case.presence == Presence.OUTSIDE.code and not case.invoice.identification.ibs_taxable_city_code:
        return At("ibsTaxableCityCode")
    return None


@RULES.rule(
    "1000",
    "NT 2025.002, B12a-10",
    "O município do IBS e da CBS só se informa na venda fora do estabelecimento.",
    models=(NFCE,),
)
def place_of_a_sale_inside(case: Case) -> At | None:
    """At the counter it is that of the issuer."""
    if case.presence != Presence.OUTSIDE.code and case.invoice.identification.ibs_taxable_city_code:
        return At("ibsTaxableCityCode")
    return None


@RULES.rule("753", "NT 2026.002, X02-10", "A NFC-e só tem frete na entrega em domicílio.", models=(NFCE,))
def freight_of_a_delivery(case: Case) -> At | None:
    """Goods leave the shop in the buyer's hands."""
    if not _is_delivery(case) and case.invoice.transport.freight_mode != FreightMode.NONE.code:
        return At("freight.mode")
    return None


@RULES.rule("754", "MOC 7.0, X03-10", "A NFC-e só tem transportador na entrega em domicílio.", models=(NFCE,))
def carrier_of_a_delivery(case: Case) -> At | None:
    """Nobody carries what the buyer takes along."""
    if not _is_delivery(case) and case.invoice.transport.carrier is not None:
        return At("freight.carrier")
    return None


@RULES.rule(
    "787", "NT 2026.002, E01-20", "A NFC-e com entrega em domicílio precisa de destinatário.", models=(NFCE,)
)
def delivered_to_someone(case: Case) -> At | None:
    """A delivery is to someone."""
    if _is_delivery(case) and case.recipient is None:
        return At("recipient")
    return None


@RULES.rule(
    "788",
    "MOC 7.0, E05-20",
    "A NFC-e com entrega em domicílio precisa do endereço do destinatário.",
    models=(NFCE,),
)
def delivered_somewhere(case: Case) -> At | None:
    """A delivery is to somewhere."""
    if _is_delivery(case) and case.recipient and case.recipient.address is None:
        return At("recipient.address")
    return None


def _is_delivery(case: Case) -> bool:
    return case.presence == Presence.DELIVERY.code


@RULES.rule(
    "789",
    "MOC 7.0, E16a-10",
    "O destinatário de uma NFC-e é sempre não contribuinte do ICMS.",
    models=(NFCE,),
)
def sold_to_no_contributor(case: Case) -> At | None:
    """Contributors need an NF-e, for their credit."""
    if case.contribution not in (None, _NO_CONTRIBUTOR):
        return At("recipient.stateRegistration")
    return None


@RULES.rule("729", "MOC 7.0, E17-10", "A NFC-e não leva a inscrição estadual do comprador.", models=(NFCE,))
def buyer_without_registration(case: Case) -> At | None:
    """Not even that of who says to be no contributor; of contributors rule 789 tells."""
    if case.recipient and case.recipient.state_registration and case.contribution == _NO_CONTRIBUTOR:
        return At("recipient.stateRegistration")
    return None


@RULES.rule("730", "MOC 7.0, E18-10", "A NFC-e não leva a inscrição do comprador na SUFRAMA.", models=(NFCE,))
def buyer_outside_the_free_zone(case: Case) -> At | None:
    """Benefits of the Zona Franca are for companies, which need an NF-e."""
    if case.recipient and case.recipient.suframa_registration:
        return At("recipient.suframaRegistration")
    return None


@RULES.rule(
    "220", "MOC 7.0, E02-20", "O comprador de uma NFC-e não pode ser a própria empresa.", models=(NFCE,)
)
def sold_to_someone_else(case: Case) -> At | None:
    """Nobody sells to itself at its own counter."""
    if case.recipient and case.recipient.cnpj and case.recipient.cnpj == case.invoice.issuer.cnpj:
        return At("recipient.taxId")
    return None


@RULES.rule(
    "750",
    "NT 2026.002, W16-40",
    "A NFC-e acima de R$ 10.000,00 precisa do CPF, CNPJ ou documento estrangeiro do comprador.",
    models=(NFCE,),
)
def buyer_of_much_is_known(case: Case) -> At | None:
    """Nobody buys for much without a name."""
    if case.invoice.totals.invoice.amount > _HIGHEST_ANONYMOUS and not _is_buyer_known(case):
        return At("recipient")
    return None


def _is_buyer_known(case: Case) -> bool:
    buyer = case.recipient
    return buyer is not None and any(one is not None for one in (buyer.cnpj, buyer.cpf, buyer.foreign_id))
