"""The emission of an NFC-e that the point of sale issued offline: read from what its paper says."""

from collections.abc import Iterator
from datetime import datetime

from pydantic.alias_generators import to_camel

from carimbo.fiscal.access_key import AccessKey, InvalidAccessKey, is_allowed_numeric_code
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfce.document import MODEL
from carimbo.fiscal.documents.nfce.offline_term import transmission_deadline
from carimbo.fiscal.documents.nfce.request import IssueMode, NfceRequest
from carimbo.fiscal.emission import Contingency, Emission, EmissionType, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.local_time import beginning_of
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.tables.states import STATES

_PRINTED = ("access_key", "number", "series", "issued_at", "contingency")
_DIFFERENT_KEY = "502"
_REBUILT = (
    "signedXml: O XML transmitido será montado de novo, e o QR Code impresso pode não conferir com ele:"
    " prefira enviar o XML que o ponto de venda assinou."
)


def printed_emission(
    request: NfceRequest, company: Company, environment: Environment
) -> Emission | tuple[Problem, ...] | None:
    """What the paper says, if there is one; a receipt in the buyer's hands can't get another number."""
    if request.issue_mode is not IssueMode.OFFLINE_CONTINGENCY:
        told = [name for name in (*_PRINTED, "signed_xml") if getattr(request, name) is not None]
        return tuple(_only_offline(name) for name in told) or None
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
    """The moment by the clock of the paper: nobody prints UTC, which programs write on the way."""
    return moment.replace(microsecond=0) if moment.utcoffset() else local_moment(moment, state)


def offline_warnings(request: NfceRequest, issuance: Issuance) -> tuple[str, ...]:
    """What may be held against a receipt that is handed over after it was printed."""
    if issuance.emission.type is not EmissionType.OFFLINE:
        return ()
    rebuilt = () if request.signed_xml is not None else (_REBUILT,)
    return (*rebuilt, *_lateness(issuance))


def _lateness(issuance: Issuance) -> Iterator[str]:
    """Each state decides what becomes of a receipt that comes late (NT 2026.002, B09-40)."""
    deadline = transmission_deadline(issuance.emission.issued_at, issuance.company.address.state)
    if issuance.now > deadline:
        yield (
            f"issuedAt: O prazo de transmissão terminou em {deadline:%d/%m/%Y}, e a autoridade pode"
            " autorizar a nota com atraso (150) ou recusá-la (704)."
        )


def _unwritable(path: str, moment: datetime) -> Iterator[Problem]:
    try:
        canonical.moment(moment)
    except Unwritable as reason:
        yield Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")


def _differences(
    key: AccessKey, request: NfceRequest, printed_at: datetime, company: Company
) -> Iterator[Problem]:
    """Where the printed key contradicts the other fields of the body or the company."""
    said = (
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
    for path, in_key, expected, what in said:
        if in_key != expected:
            message = f"A chave de acesso não confere com {what}: {in_key} na chave, {expected} aqui."
            yield Problem(_DIFFERENT_KEY, path, message)


def _only_offline(name: str) -> Problem:
    """What is on paper already can't be told of a receipt that is still to be numbered."""
    message = "Só se usa quando issueMode é offlineContingency."
    return Problem(SCHEMA_PROBLEM, to_camel(name), message)
