"""The CFOP of every item: that it exists, and that it fits the operation."""

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR


def consumed_in(item: Item) -> str | None:
    """The state where a fuel is consumed (`UFCons`), `EX` abroad."""
    fuel = item.product.fuel
    return fuel.consumption_state if fuel else None


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

_INBOUND, _OUTBOUND = "0", "1"
_COMPLEMENT, _ADJUSTMENT, _RETURN, _CREDIT = "2", "3", "4", "5"
# Exports to someone who is still in Brazil, as to ships and planes that leave it (NT 2022.002).
_EXPORT_WITHIN_BRAZIL = frozenset({"7501", "7552", "7667"})
# Not taxed or immune; and the single-phase fuels, of which the rule of exports does not speak.
_NOT_TAXED_EXPORTS = frozenset({"41", "300", "02", "15", "53", "61"})
_GIVEN_BACK_CREDITS = frozenset({"03", "06"})
_CREDITS_WITH_RETURN_CFOP = _GIVEN_BACK_CREDITS | {"04"}
_OTHER_ENTRIES = frozenset({"1949", "2949"})
_OTHER_EXITS, _NATURAL_GAS = frozenset({"5949", "6949"}), "27112100"
_TRANSPORT_ANNULMENT = "6206"


@RULES.rule("770", "MOC 7.0, I08-04", "O CFOP não existe, ou não é de nota fiscal de mercadorias.")
def cfop_exists(item: Item, case: Case) -> At | None:
    """The table has the code, and allows it here."""
    cfop = CFOPS.rows.get(item.product.cfop)
    return None if cfop and cfop.is_for_nfe else At("cfop")


@RULES.rule("518", "MOC 7.0, I08-10", "O CFOP é de entrada, e a nota é de saída.", models=(NFE,))
def cfop_goes_out(item: Item, case: Case) -> At | None:
    """CFOP 1xxx, 2xxx and 3xxx come in."""
    return At("cfop") if item.product.cfop[0] in "123" and case.direction == _OUTBOUND else None


@RULES.rule("519", "MOC 7.0, I08-20", "O CFOP é de saída, e a nota é de entrada.", models=(NFE,))
def cfop_comes_in(item: Item, case: Case) -> At | None:
    """CFOP 5xxx, 6xxx and 7xxx go out."""
    return At("cfop") if item.product.cfop[0] in "567" and case.direction == _INBOUND else None


@RULES.rule(
    "731",
    "MOC 7.0, I08-30",
    "O CFOP é de operação com o exterior, e a mercadoria não vai para lá nem vem de lá.",
    models=(NFE,),
)
def cfop_abroad(item: Item, case: Case) -> At | None:
    """CFOP 3xxx and 7xxx cross the border."""
    cfop = item.product.cfop
    if cfop[0] not in "37" or case.destination == ABROAD:
        return None
    return None if cfop[0] == "7" and consumed_in(item) == EXTERIOR else At("cfop")


@RULES.rule(
    "732",
    "MOC 7.0, I08-40",
    "O CFOP é de operação entre estados, e a mercadoria não vai para outro estado.",
    models=(NFE,),
)
def cfop_between_states(item: Item, case: Case) -> At | None:
    """CFOP 2xxx and 6xxx cross the border of a state."""
    return At("cfop") if item.product.cfop[0] in "26" and case.destination != TO_ANOTHER_STATE else None


@RULES.rule(
    "733",
    "MOC 7.0, I08-50",
    "O CFOP é de operação dentro do estado, e a mercadoria não vai para dentro dele.",
    models=(NFE,),
)
def cfop_within_the_state(item: Item, case: Case) -> At | None:
    """CFOP 1xxx and 5xxx stay within the state."""
    return At("cfop") if item.product.cfop[0] in "15" and case.destination != WITHIN_THE_STATE else None


@RULES.rule(
    "520",
    "MOC 7.0, I08-60",
    "O CFOP é de operação com o exterior, e o endereço do destinatário é no Brasil.",
    models=(NFE,),
)
def cfop_of_a_foreigner(item: Item, case: Case) -> At | None:
    """Goods cross the border from or to someone beyond it."""
    cfop = item.product.cfop
    if cfop[0] not in "37" or case.buyer_state in (None, EXTERIOR) or cfop in _EXPORT_WITHIN_BRAZIL:
        return None
    return None if consumed_in(item) == EXTERIOR else At("cfop")


@RULES.rule(
    "523",
    "NT 2020.006, I08-90",
    "O CFOP é de operação entre estados, e as partes são do mesmo estado.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def cfop_of_another_state(item: Item, case: Case) -> At | None:
    """Each state decides whether it looks at this besides 772."""
    cfop, buyer, state = item.product.cfop, case.recipient, case.seller_state
    if cfop[0] not in "26" or buyer is None or case.buyer_state != state:
        return None
    issuer, pickup, delivery = case.invoice.issuer, case.invoice.pickup, case.invoice.delivery
    is_excused = (
        (buyer.cnpj or buyer.cpf) == (issuer.cnpj or issuer.cpf)
        or consumed_in(item) not in (None, state)
        or (cfop == _TRANSPORT_ANNULMENT and case.purpose == _ADJUSTMENT)
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
def export_is_not_taxed(item: Item, case: Case) -> At | None:
    """Neither exempt nor suspended: the constitution leaves exports out of ICMS."""
    if item.product.cfop[0] != "7" or case.purpose == _RETURN or item.product.cfop in _EXPORT_WITHIN_BRAZIL:
        return None
    icms = item.taxes.icms
    if icms is None:
        return None
    name = "cst" if hasattr(icms, "cst") else "csosn"
    return None if getattr(icms, name) in _NOT_TAXED_EXPORTS else At(f"icms.{name}")


def gives_back(case: Case) -> bool:
    """Whether goods return to who sold them, or never reached the buyer."""
    if case.purpose == _RETURN:
        return True
    return case.purpose == _CREDIT and case.invoice.identification.credit_type in _GIVEN_BACK_CREDITS


@RULES.rule(
    "327",
    "NT 2025.002, I08-140; NT 2026.009",
    "O CFOP não é de devolução, e a nota é de devolução ou de retorno de mercadoria.",
    models=(NFE,),
)
def cfop_of_a_return(item: Item, case: Case) -> At | None:
    """Returns have codes of their own; what the table lacks is told by 770."""
    if not gives_back(case):
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
def cfop_of_no_return(item: Item, case: Case) -> At | None:
    """Only returns, and the notes that complement or reduce them, have the codes of returns."""
    cfop = CFOPS.rows.get(item.product.cfop)
    if cfop is None or not cfop.is_return or case.purpose in (_COMPLEMENT, _RETURN):
        return None
    # Only credit notes have a type of credit.
    credit_type = case.invoice.identification.credit_type
    return None if credit_type in _CREDITS_WITH_RETURN_CFOP else At("cfop")
