"""The checks of a statement about a received document that need no request of it."""

from collections.abc import Sequence
from datetime import datetime

from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.receiving import PENDING, Receiving, ResponseKind, Role, Situation
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.json_values import utc_text
from carimbo.service.receiving.in_progress import statements_in_force
from carimbo.service.receiving.queries import ReceivedReference
from carimbo.storage.manifestations import Manifestation
from carimbo.storage.received import ReceivedRow

_NOT_YOURS = "Só quem está no documento como {role} pode se manifestar sobre ele."
_ROLES = {Role.RECIPIENT: "destinatário", Role.TAKER: "tomador"}
_OTHER_ENVIRONMENT = "O documento é do outro ambiente: a empresa não se manifesta nele agora."
_ENDED = {
    Situation.CANCELED: "O emitente cancelou o documento: não há operação sobre a qual se manifestar.",
    Situation.DENIED: "O documento foi denegado: não há operação sobre a qual se manifestar.",
}


def require_possible(
    document: ReceivedRow,
    kind: ResponseKind,
    which: ReceivedReference,
    snapshot: CompanySnapshot,
    now: datetime,
) -> None:
    """Refuses a statement of another party, about an ended document, or after its term."""
    role, sentence = which.receiving.responds_as, None
    if document.role != role:
        sentence = _NOT_YOURS.format(role=_ROLES.get(role, role))
    elif document.environment != snapshot.environment_of(which.document_type):
        sentence = _OTHER_ENVIRONMENT
    else:
        sentence = _ENDED.get(Situation(document.situation))
    if sentence:
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    deadline = deadline_of_statement(document, kind)
    if deadline and now > deadline:
        raise late_refusal(document, kind, snapshot, now)


def deadline_of_statement(document: ReceivedRow, kind: ResponseKind) -> datetime | None:
    """Returns until when the authority accepts a statement; None if it has no term."""
    return document.authorized_at + kind.within if document.authorized_at and kind.within else None


def late_refusal(
    document: ReceivedRow, kind: ResponseKind, snapshot: CompanySnapshot, now: datetime
) -> Refusal:
    """Returns the refusal of a late statement; that of a late acknowledgement says what is still possible."""
    deadline = deadline_of_statement(document, kind)
    if deadline is None:
        return Refusal(ErrorCode.MANIFEST_DEADLINE_EXCEEDED, deadline=None)
    state = snapshot.company.address.state
    sentence = f"O prazo desta manifestação ({kind.description}) terminou em {_day(deadline, state)}."
    if not kind.is_conclusive and document.respond_by and now <= document.respond_by:
        sentence += f" Até {_day(document.respond_by, state)} ainda cabe confirmar ou recusar a operação."
    else:
        sentence += " A autoridade não aceita mais nenhuma: o que faltar, trate com o emitente."
    return Refusal(ErrorCode.MANIFEST_DEADLINE_EXCEEDED, sentence, deadline=utc_text(deadline))


def _day(moment: datetime, state: str) -> str:
    return f"{local_day(moment, state):%d/%m/%Y}"


def require_turn(
    document: ReceivedRow, kind: ResponseKind, receiving: Receiving, earlier: Sequence[Manifestation]
) -> None:
    """Refuses a statement that another one excludes, or that has to wait for it."""
    sentence = None
    if any(_matters(kind, row) for row in earlier):
        sentence = "Outra manifestação deste documento está em processamento: aguarde o resultado."
    elif receiving.is_stated_once and earlier:
        previous = receiving.response_named(earlier[-1].type).description
        sentence = f"A autoridade aceita uma só manifestação da empresa, e já há uma: {previous}."
    elif sum(row.type == kind.name for row in earlier) >= kind.max_events:
        times = "uma vez" if kind.max_events == 1 else f"{kind.max_events} vezes"
        sentence = f"A autoridade aceita esta manifestação {times} por documento."
    elif kind.undoes and not statements_in_force(earlier, kind.undoes, kind.name):
        sentence = f"Não há manifestação a desfazer ({receiving.response_named(kind.undoes).description})."
    elif not kind.is_conclusive and document.status != PENDING:
        sentence = "O documento já tem manifestação: a ciência só cabe antes dela."
    if sentence:
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])


def _matters(kind: ResponseKind, row: Manifestation) -> bool:
    """Returns whether an earlier statement is open, and its result matters for one of a kind.

    The result of an automatic acknowledgement changes nothing after a conclusive statement.
    """
    is_outdated = kind.is_conclusive and row.is_automatic and not row.is_conclusive
    return not FilingState(row.state).is_settled and not is_outdated
