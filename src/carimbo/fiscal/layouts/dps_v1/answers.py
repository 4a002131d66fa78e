"""Answers of the national environment (Sefin Nacional) about notes, events and municipalities.

Each is read into an `Outcome` or into the facts that the query asked for."""

import re
from dataclasses import replace
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.answer_part import JsonPart, open_xml, read_object
from carimbo.fiscal.layouts.dps_v1.events import NoteEventIdentity
from carimbo.fiscal.layouts.dps_v1.refusals import read_failure, read_refusal, read_refused_question
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import (
    Alert,
    Authorized,
    Available,
    NotJudged,
    Outcome,
    Throttled,
    Unavailable,
    Unknown,
    unexpected,
)
from carimbo.fiscal.tables.statuses import NFSE_STATUSES

_OK = 200
_SUCCESSES = frozenset({200, 201})
# HEAD on a DPS answers: a note exists, the identifier is invalid, no note exists.
_SERVICE_RESPONDS = frozenset({200, 400, 404})
_KEY = re.compile(r"[0-9]{9}[0-9A-Z]{12}[0-9]{29}")
_NUMBER = re.compile(r"[0-9]{1,15}")
_STATUS = re.compile(r"[0-9]{3}")
_RATE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?")
_EVENT_MEMBERS = ("eventoXmlGZipB64", "arquivoXml")
_YES = "1"

ConsultedEvent = Authorized | Unknown | Unavailable | Throttled | NotJudged
"""The registration of an event, `Unknown` if there is none, or why the query has no result."""


def read_issued(status: int, body: bytes, dps_id: str) -> Outcome:
    """Reads the answer to a DPS (POST /nfse); the note of another DPS decides nothing."""
    answer = read_object(body)
    if status in _SUCCESSES:
        return answer if isinstance(answer, NotJudged) else _issued(answer, dps_id)
    answered_id = "" if isinstance(answer, NotJudged) else answer.text("idDPS")
    if answered_id.startswith("DPS") and answered_id != dps_id:
        return unexpected(f"HTTP {status} de outra DPS")
    return read_refusal(status, body)


def read_key(status: int, body: bytes) -> str | Unknown | Unavailable | Throttled | NotJudged:
    """Reads the key of the note of a DPS (GET /dps); other identifiers in the answer are unreliable."""
    if status not in _SUCCESSES:
        return read_refused_question(status, body)
    answer = read_object(body)
    if isinstance(answer, NotJudged):
        return answer
    return answer.matching("chaveAcesso", _KEY) or unexpected("consulta de DPS sem chave de acesso legível")


def read_note(status: int, body: bytes, dps_id: str) -> Authorized | Unavailable | Throttled | NotJudged:
    """Reads a note that the authority has (GET /nfse); it must contain our own signed DPS."""
    if status not in _SUCCESSES:
        return read_failure(status, body)
    answer = read_object(body)
    note = answer if isinstance(answer, NotJudged) else _issued(answer, dps_id)
    if isinstance(note, Authorized) and note.digest is None:
        return unexpected("NFS-e sem a assinatura da DPS")
    return note


def read_presence(status: int, body: bytes) -> Available | Unavailable | Throttled | NotJudged:
    """Reads whether the service is up from its answer about any DPS (HEAD /dps)."""
    if status in _SERVICE_RESPONDS:
        return Available(code="", message="A Sefin Nacional responde")
    return read_failure(status, body)


def read_event(status: int, body: bytes, event: NoteEventIdentity) -> Outcome:
    """Reads the answer to the request to register an event (POST /nfse/{chave}/eventos)."""
    return _registration(body, event) if status in _SUCCESSES else read_refusal(status, body)


def read_registered_event(status: int, body: bytes, event: NoteEventIdentity) -> ConsultedEvent:
    """Reads whether an event is registered (GET /nfse/{chave}/eventos/{tipo}/{seq})."""
    if status not in _SUCCESSES:
        return read_refused_question(status, body)
    registration = _registration(body, event)
    if not isinstance(registration, Authorized):
        return registration
    # Our events are signed: an unsigned one was registered on the authority's own pages.
    return replace(registration, digest=registration.digest or "")


def read_agreement(
    status: int, body: bytes, city_code: str
) -> Agreement | Unavailable | Throttled | NotJudged:
    """Reads the agreement of a municipality (GET /{cMun}/convenio); `Unknown` means no active agreement."""
    if status != _OK:
        refused = read_refused_question(status, body)
        return Agreement(city_code, False, False) if isinstance(refused, Unknown) else refused
    answer = read_object(body)
    if isinstance(answer, NotJudged):
        return answer
    parameters = answer.parts("parametrosConvenio")
    if len(parameters) != 1:
        return unexpected("convênio sem parâmetros")
    # No field says that the agreement is active: a successful answer does.
    return Agreement(city_code, True, parameters[0].text("aderenteEmissorNacional") == _YES)


def read_rate(
    status: int, body: bytes, city_code: str, service_code: str
) -> MunicipalRate | Unavailable | Throttled | NotJudged:
    """Reads the ISS rate of a service on a day (GET /{cMun}/{servico}/{competencia}/aliquota).

    Many municipalities publish no rate.
    """
    if status != _OK:
        refused = read_refused_question(status, body)
        return MunicipalRate(city_code, service_code, None) if isinstance(refused, Unknown) else refused
    answer = read_object(body)
    if isinstance(answer, NotJudged):
        return answer
    periods = [period for services in answer.parts("aliquotas") for period in services.parts(service_code)]
    if len(periods) != 1:
        return unexpected(f"{len(periods)} alíquotas na resposta")
    rate = periods[0].matching("Aliq", _RATE)
    return MunicipalRate(city_code, service_code, Decimal(rate) if rate else None)


def _issued(answer: JsonPart, dps_id: str) -> Authorized | NotJudged:
    """Returns the note in an answer as an authorization, if it is the note of this DPS."""
    document = open_xml(answer.packed("nfseXmlGZipB64"), "NFSe")
    if isinstance(document, NotJudged):
        return document
    note, declaration = document.root.part("infNFSe"), document.root.part("infNFSe", "DPS")
    information = declaration and declaration.part("infDPS")
    if note is None or declaration is None or information is None:
        return unexpected("NFSe incompleta")
    if information.id != dps_id:
        return unexpected("NFSe de outra DPS")

    key, code, moment = note.id.removeprefix("NFS"), note.matching("cStat", _STATUS), note.moment("dhProc")
    protocol, number = note.matching("nDFSe", _NUMBER), note.matching("nNFSe", _NUMBER)
    if not _KEY.fullmatch(key) or code is None or moment is None or protocol is None or number is None:
        return unexpected("NFSe sem chave, cStat, dhProc, nDFSe ou nNFSe legível")
    # The note has only the code of its status; the text is that of the official table.
    known_status = NFSE_STATUSES.rows.get(code)
    return Authorized(
        code=code,
        message=known_status.text if known_status else "NFS-e Gerada",
        protocol=protocol,
        authorized_at=moment,
        protocol_xml=document.xml,
        access_key=key,
        number=int(number),
        digest=declaration.digest,
        alerts=tuple(
            Alert(alert.text("codigo"), alert.text("descricao") or alert.text("mensagem"))
            for alert in answer.parts("alertas")
        ),
    )


def _registration(body: bytes, event: NoteEventIdentity) -> Authorized | NotJudged:
    """Returns the registered event in an answer, which holds it directly or as the only one of a list."""
    answer = read_object(body)
    if isinstance(answer, NotJudged):
        return answer
    packed = [part.packed(name) for part in (answer, *answer.parts("eventos")) for name in _EVENT_MEMBERS]
    events = [open_xml(text, "evento") for text in packed if text]
    if len(events) != 1:
        return unexpected(f"{len(events)} eventos na resposta")
    if isinstance(events[0], NotJudged):
        return events[0]

    information = events[0].root.part("infEvento")
    request = information and information.part("pedRegEvento")
    detail = request and request.part("infPedReg", f"e{event.type}")
    if information is None or request is None or detail is None:
        return unexpected("evento incompleto ou de outro tipo")
    # The identifier recognises it: the authority numbers all events of issuers with zero.
    moment, identifier = information.moment("dhProc"), f"EVT{event.access_key}{event.type}"
    if moment is None or not information.id.startswith(identifier):
        return unexpected("evento de outra NFS-e, ou sem data legível")
    return Authorized(
        code=event.type,
        message=detail.text("xDesc"),
        protocol=information.id,
        authorized_at=moment,
        protocol_xml=events[0].xml,
        access_key=event.access_key,
        digest=request.digest,
    )
