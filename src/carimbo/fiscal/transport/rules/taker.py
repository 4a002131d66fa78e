"""Rules about the taker of a service, and about who may download the XML."""

from collections.abc import Iterator

from carimbo.fiscal.parties.recipient import EXEMPT
from carimbo.fiscal.parties.registration import registration_mismatch
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.journey import STATES_WITHOUT_EXEMPT_TAKERS
from carimbo.fiscal.transport.parties import is_registered
from carimbo.fiscal.transport.places import ABROAD
from carimbo.fiscal.transport.rules.rule import (
    CONTRIBUTOR,
    EXEMPT_CONTRIBUTOR,
    TransportCheck,
    TransportInput,
    manual,
    tax_id_of,
)

RULES: RuleBook[TransportCheck] = RuleBook()
READER_RULES: RuleBook[TransportCheck] = RuleBook(
    when=lambda document: bool(document.waybill.authorized_readers)
)

_TAKER, _READERS = manual("tomador"), manual("autorizados ao XML")


def wrong_registration(document: TransportInput, path: str) -> At | None:
    """Returns the place of a state registration that is not valid in the state of its party."""
    party = document.parties.get(path)
    if party is None:
        return None
    if party.address.state == ABROAD:
        is_given = party.state_registration is not None
        return At(f"{path}.stateRegistration", "No exterior não há inscrição.") if is_given else None
    return registration_mismatch(party.state_registration, party.address.state, f"{path}.stateRegistration")


@RULES.rule("448", _TAKER, "A inscrição estadual do tomador não é válida na UF dele.")
def registration_of_the_taker(document: TransportInput) -> At | None:
    """Refuses a state registration of `takerParty` with wrong digits."""
    return wrong_registration(document, "takerParty")


@RULES.rule("481", _TAKER, "O tomador contribuinte do ICMS precisa de inscrição estadual.")
def contributor_without_registration(document: TransportInput) -> At | None:
    """Refuses a contributor without a number, or exempt from having one."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != CONTRIBUTOR:
        return None
    return None if is_registered(taker.state_registration) else At("takerContribution")


@RULES.rule("482", _TAKER, "O tomador isento de inscrição estadual tem ISENTO no lugar dela.")
def exempt_without_the_word(document: TransportInput) -> At | None:
    """Refuses an exempt taker whose registration does not say so, where exempt takers exist (617)."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != EXEMPT_CONTRIBUTOR:
        return None
    if taker.state_registration == EXEMPT or taker.address.state in STATES_WITHOUT_EXEMPT_TAKERS:
        return None
    return At("takerContribution")


@RULES.rule("617", _TAKER, "A UF do tomador não tem contribuintes isentos de inscrição estadual.")
def exempt_where_nobody_is(document: TransportInput) -> At | None:
    """Refuses an exempt taker in a state without them."""
    taker = document.taker
    if taker is None or document.identification.taker_contribution != EXEMPT_CONTRIBUTOR:
        return None
    state = taker.address.state
    return At("takerContribution", f"UF: {state}.") if state in STATES_WITHOUT_EXEMPT_TAKERS else None


@READER_RULES.rule("715", _READERS, "O mesmo CNPJ ou CPF está duas vezes entre os que podem baixar o XML.")
def repeated_reader(document: TransportInput) -> Iterator[At]:
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
def reader_that_is_a_party(document: TransportInput) -> Iterator[At]:
    """Refuses readers that are issuer or another party."""
    parties = {document.issuer.cnpj, *map(tax_id_of, document.parties.values())}
    for position, reader in enumerate(document.waybill.authorized_readers):
        if (reader.cnpj or reader.cpf) in parties:
            yield _reader(position)


def _reader(position: int) -> At:
    return At(f"authorizedReaders[{position}].taxId")
