"""Answers of the national environment without what was asked for: its errors, or why there are none.

Only an error with a code judges a document. What is wrong with a question, a certificate or the service says
nothing about it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from carimbo.fiscal.layouts.dps_v1.json_answers import JsonPart, find_part, words
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.outcome import (
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
    one_line,
    unexpected,
)
from carimbo.fiscal.tables.statuses import NFSE_STATUSES, Action

_NOT_FOUND, _TOO_MANY = 404, 429
_REFUSALS = range(400, 500)
# 401 and 403 are the service's own words for a client certificate, 495 and 496 those of the server before it.
_CERTIFICATE_REFUSED = frozenset({401, 403, 495, 496})
# Every answer of the services has one of them.
_SIGNS_OF_SERVICE = ("dataHoraProcessamento", "mensagem")
_CODE = re.compile(r"[A-Z]{1,4}[0-9]{3,5}")
_UNCATALOGUED = "9999"
_DUPLICATES = frozenset({Action.DUPLICATE, Action.EVENT_DUPLICATE})
# Refusals for what is not in the document: the same one passes once that is put right.
_OUTSIDE = frozenset({Action.REJECTION_OF_CERTIFICATE, Action.REJECTION_BY_REGISTER})
# Our clock is ahead of theirs: the same passes a moment later.
_TOO_EARLY = "E0008"


class Error(NamedTuple):
    """One of the reasons of a refusal."""

    code: str
    message: str

    @property
    def action(self) -> Action | None:
        """What the code means, by the table in force; None if the table lacks it."""
        status = NFSE_STATUSES.rows.get(self.code)
        return status.action if status else None


def read_refusal(status: int, body: bytes) -> Outcome:
    """Judge a document or event by the errors of an answer, of which there may be several."""
    answer = find_part(body)
    errors = _errors(answer)
    if status not in _REFUSALS or status in _CERTIFICATE_REFUSED or not errors:
        return _refused(status, body, answer, errors)
    if undecided := [one for one in errors if one.code.endswith(_UNCATALOGUED)]:
        return _not_judged(Cause.UNDECIDED, "", undecided)
    if taken := [one for one in errors if one.action in _DUPLICATES]:
        return Duplicate(code=taken[0].code, message=_told(taken))
    if lasting := [one for one in errors if one.action is not Action.OUTAGE_SHORT]:
        return Rejected(
            code=lasting[0].code,
            message=_told(lasting),
            answer_xml=_rendered(lasting),
            retryable=all(one.action in _OUTSIDE or one.code == _TOO_EARLY for one in lasting),
        )
    return _refused(status, body, answer, errors)


def read_refused_question(status: int, body: bytes) -> Unknown | Unavailable | Throttled | NotJudged:
    """Tell why a question has no answer; `Unknown` only if the service itself says that there is nothing.

    Servers between us also answer 404, with a page or JSON of their own.
    """
    answer = find_part(body)
    errors = _errors(answer)
    if status == _NOT_FOUND and isinstance(answer, JsonPart) and any(map(answer.text, _SIGNS_OF_SERVICE)):
        code, message = errors[0] if errors else (str(status), answer.text("mensagem"))
        return Unknown(code=code, message=message or "Não encontrado.")
    return _refused(status, body, answer, errors)


def read_failure(status: int, body: bytes) -> Unavailable | Throttled | NotJudged:
    """Tell what an answer means that can't be one to what was asked."""
    answer = find_part(body)
    return _refused(status, body, answer, _errors(answer))


def _refused(
    status: int, body: bytes, answer: JsonPart | NotJudged, errors: Sequence[Error]
) -> Unavailable | Throttled | NotJudged:
    """Tell what an answer means that judges nothing."""
    if errors and all(one.action is Action.OUTAGE_SHORT for one in errors):
        return Unavailable(code=errors[0].code, message=_told(errors), outage=Outage.SHORT)
    seen = f"HTTP {status}: {_told(errors) or words(body)}"
    if status == _TOO_MANY:
        return Throttled(code=str(status), message=one_line(seen))
    if status in _CERTIFICATE_REFUSED:
        refused = f"HTTP {status}: o servidor recusou o certificado da empresa: {words(body)}"
        return _not_judged(Cause.CERTIFICATE_NOT_ACCEPTED, refused, errors)
    if status not in _REFUSALS:
        return _not_judged(Cause.HTTP_STATUS, seen, errors)
    if isinstance(answer, NotJudged):
        return NotJudged(cause=answer.cause, detail=one_line(seen))
    return _not_judged(Cause.UNDECIDED, seen, errors) if errors else unexpected(seen)


def _errors(answer: JsonPart | NotJudged) -> list[Error]:
    """What is told under `erros` or `erro`, by one object or several; what has no code is no error."""
    if isinstance(answer, NotJudged):
        return []
    found = [*answer.parts("erros"), *answer.parts("erro")]
    return [Error(code, _words_of(one)) for one in found if (code := one.matching("codigo", _CODE))]


def _words_of(error: JsonPart) -> str:
    told = (error.text(name) for name in ("descricao", "mensagem", "complemento"))
    return " ".join(text for text in told if text)


def _told(errors: Sequence[Error]) -> str:
    """The words of one error; of several, each with its code."""
    if len(errors) == 1:
        return errors[0].message
    return "; ".join(f"{one.code}: {one.message}" for one in errors)


def _rendered(errors: Sequence[Error]) -> bytes:
    inside = "".join(
        f"<erro><codigo>{one.code}</codigo><descricao>{escape(one.message)}</descricao></erro>"
        for one in errors
    )
    return f'<erros xmlns="{NAMESPACE}">{inside}</erros>'.encode()


def _not_judged(cause: Cause, seen: str, errors: Sequence[Error]) -> NotJudged:
    if not errors:
        return NotJudged(cause=cause, detail=one_line(seen))
    code, message = errors[0].code, _told(errors)
    return NotJudged(cause=cause, detail=one_line(seen or f"{code} {message}"), code=code, message=message)
