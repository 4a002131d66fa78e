"""Rules about series, date, issuer, readers and technical responsible of a manifest."""

from collections.abc import Iterator
from datetime import timedelta

from carimbo.fiscal.documents.mdfe.rules.rule import ManifestCheck, ManifestInput, manual
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.issuance import STATES_DEMANDING_RESPONSIBLE
from carimbo.fiscal.parties.registration import registration_mismatch
from carimbo.fiscal.rules import At, RuleBook, Severity

RULES: RuleBook[ManifestCheck] = RuleBook()

TRIP_BEFORE_ISSUE = "TRIP_BEFORE_ISSUE"
_CLOCK_TOLERANCE = timedelta(minutes=5)
_LATEST_ACCEPTED, _LATEST_IN_CONTINGENCY = timedelta(hours=24), timedelta(hours=168)
_SERIES_OF_PERSONS = range(920, 970)
_REGISTRATION = "company.stateRegistrations"
_OF_DATE, _OF_ISSUER = manual("data de emissão"), manual("emitente")
_OF_RESPONSIBLE = manual("responsável técnico")


@RULES.rule("232", manual("série"), "A série de 920 a 969 é de emitente com CPF.")
def series_of_persons(document: ManifestInput) -> At | None:
    """Refuses the series of issuers without a CNPJ."""
    is_reserved = document.identification.series in _SERIES_OF_PERSONS and document.issuer.cnpj is not None
    return At("company.settings.mdfe.series") if is_reserved else None


@RULES.rule("212", _OF_DATE, "A data de emissão está no futuro.")
def issued_in_the_future(document: ManifestInput) -> At | None:
    """Refuses a date of issue in the future; clocks may differ by five minutes."""
    is_future = document.identification.issued_at - document.now > _CLOCK_TOLERANCE
    return At("issueDate") if is_future else None


@RULES.rule(
    "228",
    _OF_DATE,
    "A data de emissão tem mais de {} horas.",
    hint="Emita o MDF-e com a hora atual, sem issueDate.",
)
def issued_long_ago(document: ManifestInput) -> At | None:
    """Refuses a date of issue more than a day ago, or more than a week in contingency."""
    is_offline = document.identification.emission_type != EmissionType.NORMAL
    latest = _LATEST_IN_CONTINGENCY if is_offline else _LATEST_ACCEPTED
    is_late = document.now - document.identification.issued_at > latest
    return At("issueDate", values=(f"{latest // timedelta(hours=1)}",)) if is_late else None


@RULES.rule("229", _OF_ISSUER, "Falta a inscrição estadual do emitente na UF dele.")
def issuer_without_registration(document: ManifestInput) -> At | None:
    """Refuses an issuer without a registration in its state."""
    return None if document.issuer.state_registration else At(_REGISTRATION)


@RULES.rule("209", _OF_ISSUER, "A inscrição estadual do emitente não é válida na UF dele.")
def registration_of_the_issuer(document: ManifestInput) -> At | None:
    """Refuses a registration with wrong digits."""
    issuer = document.issuer
    return registration_mismatch(issuer.state_registration, issuer.address.state, _REGISTRATION)


@RULES.rule("459", manual("quem pode baixar o XML"), "O mesmo CPF ou CNPJ está mais de uma vez em autXml.")
def repeated_reader(document: ManifestInput) -> Iterator[At]:
    """Refuses a reader that is listed twice."""
    seen: set[str] = set()
    for position, reader in enumerate(document.request.aut_xml):
        if reader.tax_id in seen:
            yield At(f"autXml[{position}].taxId")
        seen.add(reader.tax_id)


# Each authority decides whether it requires the responsible; NF-e has the only list of states.
@RULES.rule(
    "720",
    _OF_RESPONSIBLE,
    "Faltam os dados do responsável técnico, que a SEFAZ da UF pode exigir.",
    severity=Severity.WARNS,
)
def responsible_missing(document: ManifestInput) -> At | None:
    """Warns of a missing technical responsible in states that require it in NF-e."""
    is_demanded = document.issuer.address.state in STATES_DEMANDING_RESPONSIBLE
    is_missing = document.manifest.technical_responsible is None
    return At("techResponsible") if is_demanded and is_missing else None


@RULES.rule("721", _OF_RESPONSIBLE, "O CSRT e o identificador dele devem ir juntos.")
def whole_csrt(document: ManifestInput) -> At | None:
    """Refuses a security code without its id, and an id without its code."""
    body = document.request.tech_responsible
    if body is None or (body.csrt is None) is (body.csrt_id is None):
        return None
    return At("techResponsible.csrt" if body.csrt is None else "techResponsible.csrtId")


@RULES.rule(
    TRIP_BEFORE_ISSUE,
    _OF_DATE,
    "A viagem começa antes da emissão do MDF-e, que a fiscalização exige desde o início.",
    severity=Severity.WARNS,
)
def trip_before_the_manifest(document: ManifestInput) -> At | None:
    """Warns of a trip that starts before the manifest is issued."""
    starts_at, issued_at = document.identification.trip_starts_at, document.identification.issued_at
    return At("tripStartsAt") if starts_at and starts_at < issued_at else None
