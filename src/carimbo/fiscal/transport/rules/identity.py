"""Rules about series, date, issuer and technical responsible of a CT-e or CT-e OS."""

from datetime import timedelta

from carimbo.fiscal.issuance import STATES_DEMANDING_RESPONSIBLE
from carimbo.fiscal.parties.registration import registration_mismatch
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.rules.rule import TransportCheck, TransportInput, manual

RULES: RuleBook[TransportCheck] = RuleBook()

_CLOCK_TOLERANCE = timedelta(minutes=5)
_LATEST_ACCEPTED = timedelta(hours=168)
_SERIES_OF_AUTHORITIES = range(890, 900)
_REGISTRATION = "company.stateRegistrations"
_OF_DATE, _OF_ISSUER = manual("data de emissão"), manual("emitente")
_OF_RESPONSIBLE = manual("responsável técnico")


@RULES.rule("670", manual("série"), "A série é reservada à SEFAZ.")
def series_of_authorities(document: TransportInput) -> At | None:
    """Refuses the series that sites of the authorities use."""
    is_reserved = document.identification.series in _SERIES_OF_AUTHORITIES
    return At(f"company.settings.{document.document_type}.series") if is_reserved else None


@RULES.rule("212", _OF_DATE, "A data de emissão está no futuro.")
def issued_in_the_future(document: TransportInput) -> At | None:
    """Refuses a date of issue in the future; clocks may differ by five minutes."""
    is_future = document.identification.issued_at - document.now > _CLOCK_TOLERANCE
    return At("issueDate") if is_future else None


@RULES.rule("228", _OF_DATE, "A data de emissão tem mais de 168 horas.")
def issued_long_ago(document: TransportInput) -> At | None:
    """Refuses a date of issue more than a week ago."""
    is_late = document.now - document.identification.issued_at > _LATEST_ACCEPTED
    return At("issueDate") if is_late else None


@RULES.rule("229", _OF_ISSUER, "Falta a inscrição estadual do emitente na UF dele.")
def issuer_without_registration(document: TransportInput) -> At | None:
    """Refuses an issuer without a registration in its state."""
    return None if document.issuer.state_registration else At(_REGISTRATION)


@RULES.rule("209", _OF_ISSUER, "A inscrição estadual do emitente não é válida na UF dele.")
def registration_of_the_issuer(document: TransportInput) -> At | None:
    """Refuses a registration with wrong digits."""
    registration = document.issuer.state_registration or None
    return registration_mismatch(registration, document.issuer_state, _REGISTRATION)


@RULES.rule(
    "614", _OF_ISSUER, "A inscrição do emitente como substituto tributário não é válida na UF do tomador."
)
def registration_as_a_substitute(document: TransportInput) -> At | None:
    """Refuses a registration in the taker's state with wrong digits."""
    taker = document.taker
    if taker is None:
        return None
    return registration_mismatch(document.issuer.st_state_registration, taker.address.state, _REGISTRATION)


# Each authority decides whether it requires the responsible; NF-e has the only list of states.
@RULES.rule(
    "867",
    _OF_RESPONSIBLE,
    "Faltam os dados do responsável técnico, que a SEFAZ da UF pode exigir.",
    severity=Severity.WARNS,
)
def responsible_missing(document: TransportInput) -> At | None:
    """Warns of a missing technical responsible in states that require it in NF-e."""
    is_demanded = document.issuer_state in STATES_DEMANDING_RESPONSIBLE
    is_missing = document.waybill.technical_responsible is None
    return At("techResponsible") if is_demanded and is_missing else None


@RULES.rule("868", _OF_RESPONSIBLE, "O CSRT e o identificador dele vão juntos.")
def whole_csrt(document: TransportInput) -> At | None:
    """Refuses a security code without its id, and an id without its code."""
    body = document.request.tech_responsible
    if body is None or (body.csrt is None) is (body.csrt_id is None):
        return None
    return At("techResponsible.csrt" if body.csrt is None else "techResponsible.csrtId")
