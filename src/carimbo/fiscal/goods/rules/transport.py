"""Rules of the transport: carrier and vehicles."""

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.rules.rule import NFE, OUTBOUND, DocumentCheck, GoodsRuleBook, RuleInput
from carimbo.fiscal.identity.tax_ids import cnpj_base
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer, Recipient
from carimbo.fiscal.layouts.nfe_v4.transport import Carrier
from carimbo.fiscal.rules import At


def _has_carrier_or_vehicle(document: RuleInput) -> bool:
    transport = document.invoice.transport
    return bool(transport.carrier or transport.vehicle or transport.trailers)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_carrier_or_vehicle)


@RULES.rule("845", "NT 2021.004, X03-30", "Sem frete não há transportador.", models=(NFE,))
def carrier_needs_freight(document: RuleInput) -> At | None:
    """Refuses a carrier without freight."""
    transport = document.invoice.transport
    if transport.carrier is not None and transport.freight_mode == FreightMode.NONE.code:
        return At("freight.carrier")
    return None


@RULES.rule("559", "MOC 7.0, X07-10", "A inscrição estadual do transportador precisa da UF dele.")
def carrier_has_a_state(document: RuleInput) -> At | None:
    """Refuses a state registration of a carrier without its state."""
    carrier = document.invoice.transport.carrier
    if carrier and carrier.state_registration and carrier.state is None:
        return At("freight.carrier.state")
    return None


@RULES.rule(
    "846",
    "NT 2021.004, X04-30 e X04-40",
    "No transporte próprio do remetente, o transportador é o remetente.",
    models=(NFE,),
)
def sender_is_the_carrier(document: RuleInput) -> At | None:
    """Refuses another carrier in own transport of the sender; any branch of the company may carry."""
    sender = document.invoice.issuer if document.direction == OUTBOUND else document.recipient
    return _other_carrier(document, FreightMode.OWN_BY_SENDER, sender)


@RULES.rule(
    "848",
    "NT 2021.004, X04-70 e X04-80",
    "No transporte próprio do destinatário, o transportador é o destinatário.",
    models=(NFE,),
)
def receiver_is_the_carrier(document: RuleInput) -> At | None:
    """Refuses another carrier in own transport of the receiver; any branch of the company may carry."""
    receiver = document.recipient if document.direction == OUTBOUND else document.invoice.issuer
    return _other_carrier(document, FreightMode.OWN_BY_RECIPIENT, receiver)


def _other_carrier(document: RuleInput, mode: FreightMode, owner: Issuer | Recipient | None) -> At | None:
    transport = document.invoice.transport
    if transport.freight_mode != mode.code or transport.carrier is None or owner is None:
        return None
    carrier, expected = _taxpayer(transport.carrier), _taxpayer(owner)
    return At("freight.carrier.taxId") if carrier and expected and carrier != expected else None


def _taxpayer(party: Carrier | Issuer | Recipient) -> str | None:
    """Returns the CPF, or the part of the CNPJ that all branches share."""
    return cnpj_base(party.cnpj) if party.cnpj else party.cpf


@RULES.rule(
    "868",
    "MOC 7.0, X02-20",
    "A nota para outro estado não leva veículo nem reboque, que vão no MDF-e.",
    models=(NFE,),
)
def vehicle_is_in_the_manifest(document: RuleInput) -> At | None:
    """Refuses vehicles in interstate documents: they belong in the MDF-e."""
    transport = document.invoice.transport
    if document.destination != TO_ANOTHER_STATE or not (transport.vehicle or transport.trailers):
        return None
    return At("freight.vehicle" if transport.vehicle else "freight.trailers")
