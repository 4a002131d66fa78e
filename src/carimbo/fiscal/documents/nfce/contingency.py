"""An NFC-e that the point of sale issued offline: its emission as printed, and its deadline."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic.alias_generators import to_camel

from carimbo.fiscal.documents.nfce.document import MODEL
from carimbo.fiscal.documents.nfce.request import IssueMode, NfceRequest
from carimbo.fiscal.emission import Contingency, Emission, EmissionType, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey, is_allowed_numeric_code
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.local_time import beginning_of
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.tables.geography import STATES

# Leis 662/1949, 6.802/1980, 10.607/2002 and 14.759/2023, as (month, day).
_NATIONAL_HOLIDAYS = frozenset(
    {(1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (11, 20), (12, 25)}
)
# The ecclesiastical full moons before Easter, in days after 21 March, by the year's position in the cycle of
# 19 years; valid from 1900 to 2199.
_FULL_MOONS = (24, 13, 2, 21, 10, 28, 18, 7, 26, 15, 4, 23, 12, 1, 20, 9, 27, 17, 6)
_ONE_DAY = timedelta(days=1)
_LAST_SECOND = time(23, 59, 59)
_SATURDAY = 5

_PRINTED = ("access_key", "number", "series", "issued_at", "contingency")
_DIFFERENT_KEY = "502"
_REBUILT = (
    "signedXml: O XML transmitido será montado de novo, e o QR Code impresso pode não conferir com ele:"
    " prefira enviar o XML que o ponto de venda assinou."
)


def transmission_deadline(issued_at: datetime, state: str) -> datetime:
    """Returns the end of the first business day after the day of issue (Ajuste SINIEF 19/2016, clause 11)."""
    zone = ZoneInfo(STATES[state].zone)
    day = issued_at.astimezone(zone).date() + _ONE_DAY
    while not _is_business_day(day):
        day += _ONE_DAY
    return datetime.combine(day, _LAST_SECOND, zone)


def _is_business_day(day: date) -> bool:
    """Ignores the holidays of states and cities: they would only extend the deadline."""
    is_holiday = (day.month, day.day) in _NATIONAL_HOLIDAYS or day == _good_friday(day.year)
    return day.weekday() < _SATURDAY and not is_holiday


def _good_friday(year: int) -> date:
    """Returns two days before Easter, which is the Sunday after the full moon."""
    full_moon = date(year, 3, 21) + timedelta(days=_FULL_MOONS[year % len(_FULL_MOONS)])
    easter = full_moon + timedelta(days=7 - full_moon.isoweekday() % 7)
    return easter - timedelta(days=2)


def printed_emission(
    request: NfceRequest, company: Company, environment: Environment
) -> Emission | tuple[Problem, ...] | None:
    """Returns the emission as printed, or None if the receipt is not printed yet.

    A receipt that the buyer already has can't get another number.
    """
    if request.issue_mode is not IssueMode.OFFLINE_CONTINGENCY:
        message = "Só se usa quando issueMode é offlineContingency."
        given = [name for name in (*_PRINTED, "signed_xml") if getattr(request, name) is not None]
        return tuple(Problem(SCHEMA_PROBLEM, to_camel(name), message) for name in given) or None

    number, series, issued_at = request.number, request.series, request.issued_at
    if not request.access_key or not number or series is None or not issued_at or not request.contingency:
        raise ValueError("a receipt in contingency is validated with the fields of its paper")
    try:
        key = AccessKey.parse(request.access_key)
    except InvalidAccessKey as invalid:
        return (Problem("253", "accessKey", str(invalid)),)
    state = company.address.state
    issued_at, began = beginning_of(issued_at, state), beginning_of(request.contingency.started_at, state)
    unwritable = (*_unwritable("issuedAt", issued_at), *_unwritable("contingency.startedAt", began))
    if unwritable:
        return unwritable

    printed_at = _as_printed(issued_at, state)
    return tuple(_differences(key, request, printed_at, company)) or Emission(
        environment=environment,
        series=series,
        number=number,
        numeric_code=key.numeric_code,
        issued_at=printed_at,
        type=EmissionType.OFFLINE,
        contingency=Contingency(_as_printed(began, state), request.contingency.reason),
    )


def _as_printed(moment: datetime, state: str) -> datetime:
    """Returns a moment in local time: programs send UTC, but receipts are printed in local time."""
    return moment.replace(microsecond=0) if moment.utcoffset() else local_moment(moment, state)


def _unwritable(path: str, moment: datetime) -> Iterator[Problem]:
    try:
        canonical.moment(moment)
    except Unwritable as reason:
        yield Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")


def _differences(
    key: AccessKey, request: NfceRequest, printed_at: datetime, company: Company
) -> Iterator[Problem]:
    """Yields the parts of the printed key that contradict the body or the company."""
    compared = (
        ("accessKey", key.model, MODEL, "o modelo"),
        ("accessKey", key.emission_type, EmissionType.OFFLINE, "o tipo de emissão"),
        ("accessKey", key.state_code, STATES[company.address.state].ibge, "a UF"),
        ("accessKey", key.tax_id, company.tax_id, "o CNPJ"),
        ("series", key.series, request.series, "a série"),
        ("number", key.number, request.number, "o número"),
        ("issuedAt", key.year_month, f"{printed_at:%y%m}", "o ano e o mês"),
    )
    if not is_allowed_numeric_code(key.numeric_code, key.number):
        yield Problem("897", "accessKey", "O código numérico da chave (cNF) é trivial ou repete o número.")
    for path, in_key, expected, label in compared:
        if in_key != expected:
            message = f"A chave de acesso não confere com {label}: {in_key} na chave, {expected} aqui."
            yield Problem(_DIFFERENT_KEY, path, message)


def offline_warnings(request: NfceRequest, issuance: Issuance) -> tuple[str, ...]:
    """Returns the warnings about a receipt that is transmitted after it was printed.

    Each state decides whether it accepts a late receipt (NT 2026.002, B09-40).
    """
    if issuance.emission.type is not EmissionType.OFFLINE:
        return ()
    warnings = [] if request.signed_xml is not None else [_REBUILT]
    deadline = transmission_deadline(issuance.emission.issued_at, issuance.company.address.state)
    if issuance.now > deadline:
        warnings.append(
            f"issuedAt: O prazo de transmissão terminou em {deadline:%d/%m/%Y}, e a autoridade pode"
            " autorizar a nota com atraso (150) ou recusá-la (704)."
        )
    return tuple(warnings)
