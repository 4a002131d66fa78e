"""Answers of the national environment that refuse a request or fail: its errors, or why there are none.

Only an error with a code decides about a document. Errors of a query, of the certificate or of the service
decide nothing about it."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from carimbo.fiscal.layouts.dps_v1.answer_part import JsonPart, excerpt, read_object
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

_OK, _NOT_FOUND, _TOO_MANY = 200, 404, 429
_REFUSALS = range(400, 500)
# The service itself answers 401 and 403 for a client certificate, the server in front of it 495 and 496.
_CERTIFICATE_REFUSED = frozenset({401, 403, 495, 496})
# Every answer of the services has at least one of these members.
_SERVICE_MEMBERS = ("dataHoraProcessamento", "mensagem")
_CODE = re.compile(r"[A-Z]{1,4}[0-9]{3,5}")
_UNCATALOGUED = "9999"
_DUPLICATES = frozenset({Action.DUPLICATE, Action.EVENT_DUPLICATE})
# The cause is outside of the document: the same document is accepted once the cause is corrected.
_OUTSIDE = frozenset({Action.REJECTION_OF_CERTIFICATE, Action.REJECTION_BY_REGISTER})
# Our clock is ahead of theirs: the same document is accepted a moment later.
_TOO_EARLY = "E0008"


class RefusalReason(NamedTuple):
    """One error of a refusal."""

    code: str
    message: str

    @property
    def action(self) -> Action | None:
        """The meaning of the code in the current table; None if the table lacks it."""
        status = NFSE_STATUSES.rows.get(self.code)
        return status.action if status else None


def read_refusal(status: int, body: bytes) -> Outcome:
    """Returns the outcome of a refused document or event; an answer may have several errors."""
    answer = read_object(body)
    errors = _errors(answer)
    if status not in _REFUSALS or status in _CERTIFICATE_REFUSED or not errors:
        return _failure(status, body, answer, errors)
    if undecided := [error for error in errors if error.code.endswith(_UNCATALOGUED)]:
        return _not_judged(Cause.UNDECIDED, "", undecided)
    if duplicates := [error for error in errors if error.action in _DUPLICATES]:
        return Duplicate(code=duplicates[0].code, message=_message(duplicates))
    if lasting := [error for error in errors if error.action is not Action.OUTAGE_SHORT]:
        return Rejected(
            code=lasting[0].code,
            message=_message(lasting),
            answer_xml=_as_xml(lasting),
            retryable=all(error.action in _OUTSIDE or error.code == _TOO_EARLY for error in lasting),
        )
    return _failure(status, body, answer, errors)


def read_refused_question(status: int, body: bytes) -> Unknown | Unavailable | Throttled | NotJudged:
    """Returns why a query has no result; `Unknown` only if the service itself says that there is none.

    Servers between us and the service also answer 404, with a page or JSON of their own.
    """
    answer = read_object(body)
    errors = _errors(answer)
    if status == _NOT_FOUND and isinstance(answer, JsonPart) and any(map(answer.text, _SERVICE_MEMBERS)):
        code, message = errors[0] if errors else (str(status), answer.text("mensagem"))
        return Unknown(code=code, message=message or "Não encontrado.")
    return _failure(status, body, answer, errors)


def read_refused_page(status: int, body: bytes) -> Rejected | Unavailable | Throttled | NotJudged:
    """Returns why the distribution has no page; `Rejected` is about the query itself."""
    answer = read_object(body)
    errors = _errors(answer)
    is_answered = status == _OK or (status in _REFUSALS and status not in _CERTIFICATE_REFUSED)
    if not errors or not is_answered or status == _TOO_MANY:
        return _failure(status, body, answer, errors)
    if all(error.action is Action.OUTAGE_SHORT for error in errors):
        return _failure(status, body, answer, errors)
    if undecided := [error for error in errors if error.code.endswith(_UNCATALOGUED)]:
        return _not_judged(Cause.UNDECIDED, "", undecided)
    return Rejected(
        code=errors[0].code,
        message=_message(errors),
        answer_xml=_as_xml(errors),
        retryable=all(error.action in _OUTSIDE for error in errors),
    )


def read_failure(status: int, body: bytes) -> Unavailable | Throttled | NotJudged:
    """Returns the meaning of an answer that decides nothing about the request."""
    answer = read_object(body)
    return _failure(status, body, answer, _errors(answer))


def _failure(
    status: int, body: bytes, answer: JsonPart | NotJudged, errors: Sequence[RefusalReason]
) -> Unavailable | Throttled | NotJudged:
    if errors and all(error.action is Action.OUTAGE_SHORT for error in errors):
        return Unavailable(code=errors[0].code, message=_message(errors), outage=Outage.SHORT)
    detail = f"HTTP {status}: {_message(errors) or excerpt(body)}"
    if status == _TOO_MANY:
        return Throttled(code=str(status), message=one_line(detail))
    if status in _CERTIFICATE_REFUSED:
        reason = _listed(errors) or excerpt(body)
        refused = f"HTTP {status}: o servidor recusou o certificado da empresa: {reason}"
        return _not_judged(Cause.CERTIFICATE_NOT_ACCEPTED, refused, errors)
    if status not in _REFUSALS:
        return _not_judged(Cause.HTTP_STATUS, detail, errors)
    if isinstance(answer, NotJudged):
        return NotJudged(cause=answer.cause, detail=one_line(detail))
    return _not_judged(Cause.UNDECIDED, detail, errors) if errors else unexpected(detail)


def _errors(answer: JsonPart | NotJudged) -> list[RefusalReason]:
    """Returns the errors under `erros` or `erro`, which hold one object or several; all have a code."""
    if isinstance(answer, NotJudged):
        return []
    errors = []
    for part in (*answer.parts("erros"), *answer.parts("erro")):
        if code := part.matching("codigo", _CODE):
            texts = (part.text(name) for name in ("descricao", "mensagem", "complemento"))
            errors.append(RefusalReason(code, " ".join(text for text in texts if text)))
    return errors


def _message(errors: Sequence[RefusalReason]) -> str:
    """Returns the text of a single error; of several errors each text with its code."""
    return errors[0].message if len(errors) == 1 else _listed(errors)


def _listed(errors: Sequence[RefusalReason]) -> str:
    """Returns each error with its code; empty without errors."""
    return "; ".join(f"{error.code}: {error.message}" for error in errors)


def _as_xml(errors: Sequence[RefusalReason]) -> bytes:
    elements = "".join(
        f"<erro><codigo>{error.code}</codigo><descricao>{escape(error.message)}</descricao></erro>"
        for error in errors
    )
    return f'<erros xmlns="{NAMESPACE}">{elements}</erros>'.encode()


def _not_judged(cause: Cause, detail: str, errors: Sequence[RefusalReason]) -> NotJudged:
    if not errors:
        return NotJudged(cause=cause, detail=one_line(detail))
    code, message = errors[0].code, _message(errors)
    return NotJudged(cause=cause, detail=one_line(detail or f"{code} {message}"), code=code, message=message)
