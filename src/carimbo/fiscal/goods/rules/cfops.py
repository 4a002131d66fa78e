"""Rules of the CFOP of an item: it exists, and it fits the operation."""

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.rules.rule import (
    ADJUSTMENT,
    COMPLEMENT,
    CREDIT,
    INBOUND,
    NFE,
    OUTBOUND,
    RETURN,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR


def consumption_state(item: Item) -> str | None:
    """Returns the state where a fuel is consumed (`UFCons`), `EX` abroad; None for other goods."""
    fuel = item.product.fuel
    return fuel.consumption_state if fuel else None


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

# Exports to a recipient in Brazil, such as ships and planes that leave the country (NT 2022.002).
_EXPORT_WITHIN_BRAZIL = frozenset({"7501", "7552", "7667"})
# Not taxed or immune, and the single-phase fuels, which the rule for exports does not mention.
_NOT_TAXED_EXPORTS = frozenset({"41", "300", "02", "15", "53", "61"})
_GIVEN_BACK_CREDITS = frozenset({"03", "06"})
_CREDITS_WITH_RETURN_CFOP = _GIVEN_BACK_CREDITS | {"04"}
_OTHER_ENTRIES = frozenset({"1949", "2949"})
_OTHER_EXITS, _NATURAL_GAS = frozenset({"5949", "6949"}), "27112100"
_TRANSPORT_ANNULMENT = "6206"


@RULES.rule("770", "MOC 7.0, I08-04", "O CFOP não existe, ou não é de nota fiscal de mercadorias.")
def cfop_exists(item: Item, document: RuleInput) -> At | None:
    """Refuses a CFOP that is not in the table, or not for goods."""
    cfop = CFOPS.rows.get(item.product.cfop)
    return None if cfop and cfop.is_for_nfe else At("cfop")


@RULES.rule("518", "MOC 7.0, I08-10", "O CFOP é de entrada, e a nota é de saída.", models=(NFE,))
def cfop_goes_out(item: Item, document: RuleInput) -> At | None:
    """Refuses inbound CFOP (1xxx, 2xxx and 3xxx) in an outbound document."""
    return At("cfop") if item.product.cfop[0] in "123" and document.direction == OUTBOUND else None


@RULES.rule("519", "MOC 7.0, I08-20", "O CFOP é de saída, e a nota é de entrada.", models=(NFE,))
def cfop_comes_in(item: Item, document: RuleInput) -> At | None:
    """Refuses outbound CFOP (5xxx, 6xxx and 7xxx) in an inbound document."""
    return At("cfop") if item.product.cfop[0] in "567" and document.direction == INBOUND else None


@RULES.rule(
    "731",
    "MOC 7.0, I08-30",
    "O CFOP é de operação com o exterior, e a mercadoria não vai para lá nem vem de lá.",
    models=(NFE,),
)
def cfop_abroad(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP of foreign trade (3xxx and 7xxx) if the goods do not cross the border."""
    cfop = item.product.cfop
    if cfop[0] not in "37" or document.destination == ABROAD:
        return None
    return None if cfop[0] == "7" and consumption_state(item) == EXTERIOR else At("cfop")


@RULES.rule(
    "732",
    "MOC 7.0, I08-40",
    "O CFOP é de operação entre estados, e a mercadoria não vai para outro estado.",
    models=(NFE,),
)
def cfop_between_states(item: Item, document: RuleInput) -> At | None:
    """Refuses interstate CFOP (2xxx and 6xxx) if the goods do not go to another state."""
    return At("cfop") if item.product.cfop[0] in "26" and document.destination != TO_ANOTHER_STATE else None


@RULES.rule(
    "733",
    "MOC 7.0, I08-50",
    "O CFOP é de operação dentro do estado, e a mercadoria não vai para dentro dele.",
    models=(NFE,),
)
def cfop_within_the_state(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP within the state (1xxx and 5xxx) if the goods go elsewhere."""
    return At("cfop") if item.product.cfop[0] in "15" and document.destination != WITHIN_THE_STATE else None


@RULES.rule(
    "520",
    "MOC 7.0, I08-60",
    "O CFOP é de operação com o exterior, e o endereço do destinatário é no Brasil.",
    models=(NFE,),
)
def cfop_of_a_foreigner(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP of foreign trade if the other party has an address in Brazil."""
    cfop = item.product.cfop
    if cfop[0] not in "37" or document.buyer_state in (None, EXTERIOR) or cfop in _EXPORT_WITHIN_BRAZIL:
        return None
    return None if consumption_state(item) == EXTERIOR else At("cfop")


@RULES.rule(
    "523",
    "NT 2020.006, I08-90",
    "O CFOP é de operação entre estados, e as partes são do mesmo estado.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def cfop_of_another_state(item: Item, document: RuleInput) -> At | None:
    """Warns of interstate CFOP between parties of one state; each state decides whether it checks this."""
    cfop, buyer, state = item.product.cfop, document.recipient, document.seller_state
    if cfop[0] not in "26" or buyer is None or document.buyer_state != state:
        return None
    issuer, pickup, delivery = document.invoice.issuer, document.invoice.pickup, document.invoice.delivery
    is_excused = (
        (buyer.cnpj or buyer.cpf) == (issuer.cnpj or issuer.cpf)
        or consumption_state(item) not in (None, state)
        or (cfop == _TRANSPORT_ANNULMENT and document.purpose == ADJUSTMENT)
        or (delivery is not None and delivery.state != state)
        or (pickup is not None and pickup.state != state)
    )
    return None if is_excused else At("cfop")


@RULES.rule(
    "527",
    "MOC 7.0, N12-10",
    "A exportação não é tributada pelo ICMS: o CST é 41, ou o CSOSN 300.",
    models=(NFE,),
)
def export_is_not_taxed(item: Item, document: RuleInput) -> At | None:
    """Refuses exports with a taxed, exempt or suspended ICMS: the constitution excludes exports from it."""
    if (
        item.product.cfop[0] != "7"
        or document.purpose == RETURN
        or item.product.cfop in _EXPORT_WITHIN_BRAZIL
    ):
        return None
    icms = item.taxes.icms
    if icms is None:
        return None
    name = "cst" if hasattr(icms, "cst") else "csosn"
    return None if getattr(icms, name) in _NOT_TAXED_EXPORTS else At(f"icms.{name}")


def returns_goods(document: RuleInput) -> bool:
    """Returns whether goods return to the seller, or never reached the buyer."""
    if document.purpose == RETURN:
        return True
    return document.purpose == CREDIT and document.invoice.identification.credit_type in _GIVEN_BACK_CREDITS


@RULES.rule(
    "327",
    "NT 2025.002, I08-140; NT 2026.009",
    "O CFOP não é de devolução, e a nota é de devolução ou de retorno de mercadoria.",
    models=(NFE,),
)
def cfop_of_a_return(item: Item, document: RuleInput) -> At | None:
    """Refuses other CFOP than those of returns in a return; rule 770 reports codes that do not exist."""
    if not returns_goods(document):
        return None
    code = item.product.cfop
    cfop = CFOPS.rows.get(code)
    if cfop is None or cfop.is_return or code in _OTHER_ENTRIES:
        return None
    return None if code in _OTHER_EXITS and item.product.ncm == _NATURAL_GAS else At("cfop")


@RULES.rule(
    "328",
    "NT 2025.002, I08-144",
    "O CFOP é de devolução, e a nota não é de devolução nem de retorno de mercadoria.",
    models=(NFE,),
)
def cfop_of_no_return(item: Item, document: RuleInput) -> At | None:
    """Refuses CFOP of returns in other documents, except those that complement or reduce a return."""
    cfop = CFOPS.rows.get(item.product.cfop)
    if cfop is None or not cfop.is_return or document.purpose in (COMPLEMENT, RETURN):
        return None
    # Only credit notes have a type of credit.
    credit_type = document.invoice.identification.credit_type
    return None if credit_type in _CREDITS_WITH_RETURN_CFOP else At("cfop")
