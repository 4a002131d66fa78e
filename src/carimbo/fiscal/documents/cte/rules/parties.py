"""Rules about sender, dispatcher, receiver, recipient and taker, and about who may download the XML."""

from collections.abc import Iterator

from carimbo.fiscal.documents.cte.rules.rule import (
    CONTRIBUTOR,
    EXEMPT_CONTRIBUTOR,
    WaybillCheck,
    WaybillInput,
    manual,
    tax_id_of,
)
from carimbo.fiscal.identity.tax_ids import modulo_11
from carimbo.fiscal.layouts.cte_v4.parties import OtherTaker
from carimbo.fiscal.parties.recipient import EXEMPT
from carimbo.fiscal.parties.registration import registration_mismatch
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.journey import STATES_WITHOUT_EXEMPT_TAKERS
from carimbo.fiscal.transport.parties import is_registered
from carimbo.fiscal.transport.places import ABROAD

RULES: RuleBook[WaybillCheck] = RuleBook()
READER_RULES: RuleBook[WaybillCheck] = RuleBook(
    when=lambda document: bool(document.waybill.authorized_readers)
)

_TAKER, _RECIPIENT, _READERS = manual("tomador"), manual("destinatário"), manual("autorizados ao XML")
_SUFRAMA_LENGTH, _SUFRAMA_WEIGHTS = 9, 8
_SUFRAMA_STATES = frozenset({"AC", "AM", "RO", "RR"})
# Macapá and Santana.
_SUFRAMA_CITIES = frozenset({"1600303", "1600600"})


def _registration_rule(code: str, named: str, path: str) -> None:
    """Adds the rule that the registration of a party is valid in its state."""

    @RULES.rule(code, manual(named), f"A inscrição estadual do {named} não é válida na UF dele.")
    def valid_registration(document: WaybillInput) -> At | None:
        party = document.parties.get(path)
        if party is None:
            return None
        if party.address.state == ABROAD:
            is_given = party.state_registration is not None
            return At(f"{path}.stateRegistration", "No exterior não há inscrição.") if is_given else None
        return registration_mismatch(
            party.state_registration, party.address.state, f"{path}.stateRegistration"
        )


_registration_rule("419", "remetente", "shipper")
_registration_rule("432", "expedidor", "dispatcher")
_registration_rule("440", "recebedor", "receiver")
_registration_rule("210", "destinatário", "recipient")
_registration_rule("448", "tomador", "takerParty")


@RULES.rule("481", _TAKER, "O tomador contribuinte do ICMS precisa de inscrição estadual.")
def contributor_without_registration(document: WaybillInput) -> At | None:
    """Refuses a contributor without a number, or exempt from having one."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != CONTRIBUTOR:
        return None
    return None if is_registered(taker.state_registration) else At("takerContribution")


@RULES.rule("482", _TAKER, "O tomador isento de inscrição estadual tem ISENTO no lugar dela.")
def exempt_without_the_word(document: WaybillInput) -> At | None:
    """Refuses an exempt taker whose registration does not say so, where exempt takers exist (617)."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != EXEMPT_CONTRIBUTOR:
        return None
    if taker.state_registration == EXEMPT or taker.address.state in STATES_WITHOUT_EXEMPT_TAKERS:
        return None
    return At("takerContribution")


@RULES.rule("617", _TAKER, "A UF do tomador não tem contribuintes isentos de inscrição estadual.")
def exempt_where_nobody_is(document: WaybillInput) -> At | None:
    """Refuses an exempt taker in a state without them."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != EXEMPT_CONTRIBUTOR:
        return None
    state = taker.address.state
    return At("takerContribution", f"UF: {state}.") if state in STATES_WITHOUT_EXEMPT_TAKERS else None


@RULES.rule("799", _TAKER, "O tomador já está no CT-e em outro papel.")
def taker_with_another_role(document: WaybillInput) -> At | None:
    """Refuses a further taker that is one of the other parties, with the same registration."""
    taker = document.identification.taker
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


@READER_RULES.rule("715", _READERS, "O mesmo CNPJ ou CPF está duas vezes entre os que podem baixar o XML.")
def repeated_reader(document: WaybillInput) -> Iterator[At]:
    """Refuses readers that an earlier one repeats."""
    seen: set[str | None] = set()
    for position, reader in enumerate(document.waybill.authorized_readers):
        tax_id = reader.cnpj or reader.cpf
        if tax_id in seen:
            yield _reader(position)
        seen.add(tax_id)


@READER_RULES.rule(
    "828", _READERS, "Quem participa do CT-e já pode baixar o XML: não vai entre os autorizados."
)
def reader_that_is_a_party(document: WaybillInput) -> Iterator[At]:
    """Refuses readers that are issuer or another party."""
    parties = {document.issuer.cnpj, *map(tax_id_of, document.parties.values())}
    for position, reader in enumerate(document.waybill.authorized_readers):
        if (reader.cnpj or reader.cpf) in parties:
            yield _reader(position)


def _reader(position: int) -> At:
    return At(f"authorizedReaders[{position}].taxId")
