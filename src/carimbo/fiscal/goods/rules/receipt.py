"""What only receipts (NFC-e) may or must say."""

from decimal import Decimal

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.homologation import HOMOLOGATION_ITEM
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, At, DocumentCheck, ItemCheck, RuleBook
from carimbo.fiscal.goods.sale import Presence
from carimbo.fiscal.layouts.nfe_v4.icms import Icms00, Icms20, Icms40, Icms60, Icms90
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item

RULES: RuleBook[DocumentCheck] = RuleBook()
ELSEWHERE_RULES: RuleBook[DocumentCheck] = RuleBook(elsewhere=True)
ITEM_RULES: RuleBook[ItemCheck] = RuleBook()


_PRINTED_AS_RECEIPTS = frozenset({"4", "5"})
_NORMAL_PURPOSE = "1"
_NO_CONTRIBUTOR = "9"
_PRESENCES = frozenset({Presence.IN_PERSON.code, Presence.DELIVERY.code, Presence.OUTSIDE.code})
# A state may set another limit; none above this one is known (NT 2026.002, W16-40).
_HIGHEST_ANONYMOUS = Decimal("10000.00")
_CFOPS = frozenset({"5101", "5102", "5103", "5104", "5115", "5405", "5656", "5667", "5910", "5933"})
# Where the authority may let other outbound goods through (I08-150).
_OTHER_OUTBOUND, _STATES_OF_OTHER_OUTBOUND = "5949", frozenset({"RS", "SP"})


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


@ITEM_RULES.rule(
    "725", "NT 2026.002, I08-150", "O CFOP não é de operação que a NFC-e possa documentar.", models=(NFCE,)
)
def cfop_of_a_receipt(item: Item, case: Case) -> At | None:
    """Sales within the state, and gifts."""
    cfop = item.product.cfop
    if cfop in _CFOPS or (cfop == _OTHER_OUTBOUND and case.seller_state in _STATES_OF_OTHER_OUTBOUND):
        return None
    return At("cfop", f"Esperado: {', '.join(sorted(_CFOPS))}.")


_TAXED_NOW = frozenset({"5101", "5102", "5103", "5104", "5115", "5910", "5949"})
_TAXED_EARLIER = frozenset({"5405", "5656", "5667", "5910", "5949"})
_BY_SITUATION = {
    **dict.fromkeys(("00", "20", "40", "41", "102", "103", "300", "400"), _TAXED_NOW),
    **dict.fromkeys(("60", "500"), _TAXED_EARLIER),
}
# Ceará lets other taxations have the code of what was retained.
_OTHERS, _STATE_OF_OTHERS = frozenset({"90", "900"}), "CE"


@ITEM_RULES.rule(
    "382",
    "NT 2026.002, I08-160",
    "O CFOP não combina com o CST do ICMS em uma NFC-e.",
    models=(NFCE,),
    on=(Icms00, Icms20, Icms40, Icms60, Icms90),
)
def cfop_of_the_cst(item: Item, case: Case) -> At | None:
    """What was retained earlier has codes of its own."""
    return _unlike_the_situation(item, case, getattr(item.taxes.icms, "cst", ""))


@ITEM_RULES.rule(
    "386",
    "NT 2026.002, I08-170",
    "O CFOP não combina com o CSOSN em uma NFC-e.",
    models=(NFCE,),
    on=(IcmsSn102, IcmsSn500, IcmsSn900),
)
def cfop_of_the_csosn(item: Item, case: Case) -> At | None:
    """The same under the Simples Nacional."""
    return _unlike_the_situation(item, case, getattr(item.taxes.icms, "csosn", ""))


def _unlike_the_situation(item: Item, case: Case, situation: str) -> At | None:
    cfop = item.product.cfop
    if cfop not in _CFOPS:
        return None
    allowed = _BY_SITUATION.get(situation)
    if situation in _OTHERS:
        allowed = _TAXED_NOW if case.seller_state != _STATE_OF_OTHERS else None
    return At("cfop") if allowed is not None and cfop not in allowed else None


@ITEM_RULES.rule(
    "383",
    "NT 2026.002, N12a-20",
    "Este CSOSN não serve à NFC-e, que é sempre a consumidor.",
    models=(NFCE,),
    on=(IcmsSn101, IcmsSn201, IcmsSn202),
)
def csosn_of_a_receipt(item: Item, case: Case) -> At | None:
    """A consumer can use neither a credit nor a substitution."""
    return At("icms.csosn")
