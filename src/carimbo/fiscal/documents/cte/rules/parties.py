"""Rules about sender, dispatcher, receiver, recipient and a further taker."""

from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.identity.tax_ids import modulo_11
from carimbo.fiscal.layouts.cte_v4.parties import OtherTaker
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.rules.rule import manual, tax_id_of
from carimbo.fiscal.transport.rules.taker import wrong_registration

RULES: RuleBook[WaybillCheck] = RuleBook()

_TAKER, _RECIPIENT = manual("tomador"), manual("destinatário")
_SUFRAMA_LENGTH, _SUFRAMA_WEIGHTS = 9, 8
_SUFRAMA_STATES = frozenset({"AC", "AM", "RO", "RR"})
# Macapá and Santana.
_SUFRAMA_CITIES = frozenset({"1600303", "1600600"})


def _registration_rule(code: str, named: str, path: str) -> None:
    """Adds the rule that the registration of a party is valid in its state."""

    @RULES.rule(code, manual(named), f"A inscrição estadual do {named} não é válida na UF dele.")
    def valid_registration(document: WaybillInput) -> At | None:
        return wrong_registration(document, path)


_registration_rule("419", "remetente", "shipper")
_registration_rule("432", "expedidor", "dispatcher")
_registration_rule("440", "recebedor", "receiver")
_registration_rule("210", "destinatário", "recipient")


@RULES.rule("799", _TAKER, "O tomador já está no CT-e em outro papel.")
def taker_with_another_role(document: WaybillInput) -> At | None:
    """Refuses a further taker that is one of the other parties, with the same registration."""
    taker = document.waybill.identification.taker
    if not isinstance(taker, OtherTaker) or not tax_id_of(taker):
        return None
    own = (tax_id_of(taker), taker.state_registration)
    for path, party in document.parties.items():
        if party is not taker and (tax_id_of(party), party.state_registration) == own:
            return At("taker", f"Ele está em {path}.")
    return None


def _suframa_registration(document: WaybillInput) -> str | None:
    recipient = document.waybill.recipient
    return recipient.suframa_registration if recipient else None


@RULES.rule("235", _RECIPIENT, "A inscrição do destinatário na SUFRAMA é inválida: o dígito não confere.")
def suframa_digit(document: WaybillInput) -> At | None:
    """Refuses a SUFRAMA registration with a wrong check digit."""
    registration = _suframa_registration(document)
    if registration is None:
        return None
    digits = registration.zfill(_SUFRAMA_LENGTH)
    is_valid = int(digits) > 0 and modulo_11(digits[:-1], _SUFRAMA_WEIGHTS) == digits[-1]
    return None if is_valid else At("recipient.suframaRegistration")


@RULES.rule("251", _RECIPIENT, "O município do destinatário não é da área da SUFRAMA.")
def suframa_area(document: WaybillInput) -> At | None:
    """Refuses a SUFRAMA registration outside of the area of SUFRAMA."""
    recipient = document.waybill.recipient
    if recipient is None or recipient.suframa_registration is None:
        return None
    is_within = recipient.address.state in _SUFRAMA_STATES or recipient.address.city_code in _SUFRAMA_CITIES
    return None if is_within else At("recipient.suframaRegistration")
