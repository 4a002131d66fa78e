"""Answers of the national environment about notes (Sefin Nacional), each read into an `Outcome`."""

import re

from carimbo.fiscal.layouts.dps_v1.json_answers import JsonPart, find_part
from carimbo.fiscal.layouts.dps_v1.refused_answers import read_failure, read_refusal, read_refused_question
from carimbo.fiscal.layouts.dps_v1.xml_answers import AuthorityXml, XmlPart, open_xml
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

_DONE = frozenset({200, 201})
# What HEAD answers of a DPS: that there is a note, that its identifier is none, that there is no note.
_AT_WORK = frozenset({200, 400, 404})
_KEY = re.compile(r"[0-9]{9}[0-9A-Z]{12}[0-9]{29}")
_NUMBER = re.compile(r"[0-9]{1,15}")
_STATUS = re.compile(r"[0-9]{3}")


def read_issued(status: int, body: bytes, dps_id: str) -> Outcome:
    """Read the answer to a DPS (POST /nfse); the note of another judges nothing."""
    answer = find_part(body)
    if status not in _DONE:
        return _refused(status, body, answer, dps_id)
    return answer if isinstance(answer, NotJudged) else _issued(answer, dps_id)


def read_key(status: int, body: bytes) -> str | Unknown | Unavailable | Throttled | NotJudged:
    """Read which note was made of a DPS (GET /dps); its other names in the answer are not to be trusted."""
    if status not in _DONE:
        return read_refused_question(status, body)
    answer = find_part(body)
    if isinstance(answer, NotJudged):
        return answer
    return answer.matching("chaveAcesso", _KEY) or unexpected("consulta de DPS sem chave de acesso legível")


def read_note(status: int, body: bytes, dps_id: str) -> Authorized | Unavailable | Throttled | NotJudged:
    """Read a note that the authority says there is (GET /nfse), of which our own DPS is a part, signed."""
    if status not in _DONE:
        return read_failure(status, body)
    answer = find_part(body)
    note = answer if isinstance(answer, NotJudged) else _issued(answer, dps_id)
    if isinstance(note, Authorized) and note.digest is None:
        return unexpected("NFS-e sem a assinatura da DPS")
    return note


def read_presence(status: int, body: bytes) -> Available | Unavailable | Throttled | NotJudged:
    """Read whether the service is at work from what it says of any DPS (HEAD /dps)."""
    if status in _AT_WORK:
        return Available(code="", message="A Sefin Nacional responde")
    return read_failure(status, body)


def _refused(status: int, body: bytes, answer: JsonPart | NotJudged, dps_id: str) -> Outcome:
    told = "" if isinstance(answer, NotJudged) else answer.text("idDPS")
    if told.startswith("DPS") and told != dps_id:
        return unexpected(f"HTTP {status} de outra DPS")
    return read_refusal(status, body)


def _issued(answer: JsonPart, dps_id: str) -> Authorized | NotJudged:
    document = open_xml(answer.packed("nfseXmlGZipB64"), "NFSe")
    if isinstance(document, NotJudged):
        return document
    note, declaration = document.root.part("infNFSe"), document.root.part("infNFSe", "DPS")
    information = declaration and declaration.part("infDPS")
    if note is None or declaration is None or information is None:
        return unexpected("NFSe incompleta")
    if information.id != dps_id:
        return unexpected("NFSe de outra DPS")
    return _authorized(document, note, declaration, _alerts(answer))


def _authorized(
    document: AuthorityXml, note: XmlPart, declaration: XmlPart, alerts: tuple[Alert, ...]
) -> Authorized | NotJudged:
    key, code, moment = note.id.removeprefix("NFS"), note.matching("cStat", _STATUS), note.moment("dhProc")
    protocol, number = note.matching("nDFSe", _NUMBER), note.matching("nNFSe", _NUMBER)
    if not _KEY.fullmatch(key) or code is None or moment is None or protocol is None or number is None:
        return unexpected("NFSe sem chave, cStat, dhProc, nDFSe ou nNFSe legível")
    return Authorized(
        code=code,
        message=_words_of(code),
        protocol=protocol,
        authorized_at=moment,
        protocol_xml=document.xml,
        access_key=key,
        number=int(number),
        digest=declaration.digest,
        alerts=alerts,
    )


def _words_of(code: str) -> str:
    """The official words for a status, of which the note has only the code."""
    status = NFSE_STATUSES.rows.get(code)
    return status.text if status else "NFS-e Gerada"


def _alerts(answer: JsonPart) -> tuple[Alert, ...]:
    found = answer.parts("alertas")
    return tuple(Alert(one.text("codigo"), one.text("descricao") or one.text("mensagem")) for one in found)
