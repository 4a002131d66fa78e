"""Who carries the goods, and in what."""

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer, Recipient
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier
from carimbo.fiscal.rules import At
from carimbo.fiscal.taxpayer import cnpj_base


def _is_told(case: Case) -> bool:
    transport = case.invoice.transport
    return bool(transport.carrier or transport.vehicle or transport.trailers)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_is_told)

_OUTBOUND = "1"


@RULES.rule("845", "NT 2021.004, X03-30", "Sem frete não há transportador.", models=(NFE,))
def nobody_carries_nothing(case: Case) -> At | None:
    """A carrier is hired by someone."""
    transport = case.invoice.transport
    if transport.carrier is not None and transport.freight_mode == FreightMode.NONE.code:
        return At("freight.carrier")
    return None


@RULES.rule("559", "MOC 7.0, X07-10", "A inscrição estadual do transportador precisa da UF dele.")
def carrier_has_a_state(case: Case) -> At | None:
    """A registration is one of some state."""
    carrier = case.invoice.transport.carrier
    if carrier and carrier.state_registration and carrier.state is None:
        return At("freight.carrier.state")
    return None


@RULES.rule(
    "846",
    "NT 2021.004, X04-30 e X04-40",
    "No transporte próprio do remetente, o transportador é o remetente.",
    models=(NFE,),
)
def sender_carries(case: Case) -> At | None:
    """Any place of the same company may carry."""
    sender = case.invoice.issuer if case.direction == _OUTBOUND else case.recipient
    return _carried_by_another(case, FreightMode.OWN_BY_SENDER, sender)


@RULES.rule(
    "848",
    "NT 2021.004, X04-70 e X04-80",
    "No transporte próprio do destinatário, o transportador é o destinatário.",
    models=(NFE,),
)
def receiver_carries(case: Case) -> At | None:
    """The same of who receives the goods."""
    receiver = case.recipient if case.direction == _OUTBOUND else case.invoice.issuer
    return _carried_by_another(case, FreightMode.OWN_BY_RECIPIENT, receiver)


def _carried_by_another(case: Case, mode: FreightMode, owner: Issuer | Recipient | None) -> At | None:
    transport = case.invoice.transport
    if transport.freight_mode != mode.code or transport.carrier is None or owner is None:
        return None
    carrier, expected = _taxpayer(transport.carrier), _taxpayer(owner)
    return At("freight.carrier.taxId") if carrier and expected and carrier != expected else None


def _taxpayer(party: Carrier | Issuer | Recipient) -> str | None:
    """A person, or a company whatever its place."""
    return cnpj_base(party.cnpj) if party.cnpj else party.cpf


@RULES.rule(
    "868",
    "MOC 7.0, X02-20",
    "A nota para outro estado não leva veículo nem reboque, que vão no MDF-e.",
    models=(NFE,),
)
def vehicle_is_in_the_manifest(case: Case) -> At | None:
    """Between states a manifest goes along."""
    transport = case.invoice.transport
    if case.destination != TO_ANOTHER_STATE or not (transport.vehicle or transport.trailers):
        return None
    return At("freight.vehicle" if transport.vehicle else "freight.trailers")
