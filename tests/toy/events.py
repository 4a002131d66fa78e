"""Events of an authorized toy, and the inutilization of numbers."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import StringConstraints

from carimbo.fiscal.body.date_fields import Moment
from carimbo.fiscal.body.fields import Body, Integer
from carimbo.fiscal.cancellation_deadline import in_time_until, last_moment
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    CancellationDeadline,
    Deadline,
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    InutilizationRules,
    InutilizedRange,
    Justification,
    Repetition,
    SingleLineText,
    Undoing,
    UndoRequest,
    cancellation_route,
)
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS, CLOSED_AT, CLOSES, CLOSING, Effect
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signed_documents import SignedFiling
from toy.codes import LATE_CODE, REPEATED_EVENT_CODE
from toy.xml import UnwritableField, element, in_root, joined, signed

ALTERNATIVE = "Emita outro documento que desfaça este."
LATE_CODES = frozenset({LATE_CODE})
MAX_CORRECTIONS = 3
CLOSED_WITHIN = timedelta(days=1)
MAX_LOANS, MAX_LENT_AMOUNT = 5, 1000
LENT_AT = "lentAt"
_MIN_PROTOCOL_LENGTH = 9


class CancellationRequest(Body):
    """Why a document is canceled."""

    justification: Justification = "Cancelamento solicitado pelo emitente"


class CorrectionRequest(Body):
    """The correction of a document."""

    correction: Annotated[SingleLineText, StringConstraints(min_length=15, max_length=1000)]


class ClosingRequest(Body):
    """Why a document is closed."""

    reason: SingleLineText


class LoanRequest(Body):
    """Which seat of a toy is lent to whom, and since when."""

    seat: Integer
    borrower: SingleLineText
    lent_at: Moment | None = None


def _cancel(request: CancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    return _event("justification", request.justification, "cancellation", about, issuer)


def _correct(request: CorrectionRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    return _event("correction", request.correction, "correction", about, issuer)


def _close(request: ClosingRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    return _event("reason", request.reason, "closing", about, issuer)


def _seal(request: ClosingRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    return _event("reason", request.reason, "sealing", about, issuer)


def _lend(request: LoanRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    if about.read_request().amount > MAX_LENT_AMOUNT:
        return (Problem("TOO_PRECIOUS", "seat", "O documento é valioso demais."),)
    if any(earlier.seat == request.seat for earlier in about.read_earlier()):
        return (Problem("LENT_ALREADY", "seat", "O assento já está emprestado."),)
    return _event("borrower", request.borrower, "loan", about, issuer)


def _give_back(_request: UndoRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    return _event("eventId", about.undone_protocol, "loanReturn", about, issuer)


def _lent_at(request: LoanRequest) -> datetime | None:
    return request.lent_at


def _event(field: str, text: str, event_type: str, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    if len(about.protocol) < _MIN_PROTOCOL_LENGTH:
        return (Problem(SCHEMA_PROBLEM, "protocol", "O protocolo é curto demais."),)
    content = (
        f"<key>{about.access_key}</key><protocol>{about.protocol}</protocol>"
        f"<kind>{event_type}</kind><sequence>{about.sequence}</sequence>"
    )
    return _filed("toyEvent", f"Event{about.access_key}{about.sequence}", content, field, text, issuer)


def _inutilize(numbers: InutilizedRange, issuer: FilingIssuer) -> FilingResult:
    content = (
        f"<issuer>{issuer.company.tax_id}</issuer><year>{numbers.year}</year><series>{numbers.series}</series>"
        f"<first>{numbers.first_number}</first><last>{numbers.last_number}</last>"
    )
    identifier = f"Void{numbers.series}n{numbers.first_number}n{numbers.last_number}"
    return _filed("toyVoid", identifier, content, "justification", numbers.justification, issuer)


def _filed(
    tag: str, identifier: str, content: str, field: str, text: str, issuer: FilingIssuer
) -> FilingResult:
    try:
        words = element(field, "words", text)
    except UnwritableField as unwritable:
        return (unwritable.problem,)
    whole = f'<infToy Id="{identifier}">{content}{words}</infToy>'
    signature = signed(whole, identifier, issuer.signer)
    return SignedFiling.of(in_root(tag, whole, signature.text))


TOY_CANCELLATION = EventKind(
    name=CANCELLATION,
    title="Cancelamento",
    action="Cancelar",
    explanation="O documento deixa de valer.",
    route=cancellation_route("um Toy"),
    request=CancellationRequest,
    issue=_cancel,
    registered=joined,
    print_name=CANCELLATION_PRINT,
    forbidden_after={
        CLOSED_AT: "O documento já foi encerrado.",
        LENT_AT: "O documento está emprestado.",
    },
    effect=CANCELS,
    deadline=CancellationDeadline(ALTERNATIVE, LATE_CODES, last_moment, in_time_until),
)
CORRECTION = EventKind(
    name="correction",
    title="Carta de correção",
    action="Corrigir",
    explanation="A autoridade registra a correção.",
    route=EventRoute("POST", "/correction", "correct", "Corrige um Toy", "Até três vezes."),
    request=CorrectionRequest,
    issue=_correct,
    registered=joined,
    print_name="CCe-{key}-{sequence:02}.pdf",
    repetition=Repetition(
        MAX_CORRECTIONS,
        Problem("594", "correction", f"O documento já tem {MAX_CORRECTIONS} correções."),
        taken_code=REPEATED_EVENT_CODE,
        previous_is_open="A correção anterior ainda está em processamento.",
    ),
)
TOY_CLOSING = EventKind(
    name=CLOSING,
    title="Encerramento",
    action="Encerrar",
    explanation="A autoridade registra o encerramento.",
    route=EventRoute("POST", "/close", "close", "Encerra um Toy", "Uma só vez, sem esperar pelo resultado."),
    request=ClosingRequest,
    issue=_close,
    registered=joined,
    print_name="Encerramento-{key}.pdf",
    effect=CLOSES,
    deadline=Deadline(
        lambda _key, authorized_at, _request: authorized_at + CLOSED_WITHIN,
        Problem("CLOSING_TOO_LATE", "reason", "O encerramento só é aceito até um dia após a autorização."),
    ),
    is_awaited=False,
)
SEALING = EventKind(
    name="sealing",
    title="Sealing",
    action="Lacrar",
    explanation="A autoridade registra o lacre.",
    route=EventRoute("POST", "/seal", "seal", "Lacra um Toy", "Uma só vez."),
    request=ClosingRequest,
    issue=_seal,
    registered=joined,
    print_name="Lacre-{key}.pdf",
)
_LOAN_IS_OPEN = "O empréstimo ou a devolução anterior ainda está em processamento."
_TOO_MANY_LOANS = Problem("594", "seat", f"O documento já teve {MAX_LOANS} empréstimos.")
LOAN = EventKind(
    name="loan",
    title="Loan",
    action="Emprestar",
    explanation="A autoridade registra o empréstimo.",
    route=EventRoute("POST", "/loan", "lend", "Empresta um Toy", "Vários assentos."),
    request=LoanRequest,
    issue=_lend,
    registered=joined,
    print_name="Emprestimo-{key}-{sequence:02}.pdf",
    effect=Effect(fact=LENT_AT),
    happened_at=_lent_at,
    repetition=Repetition(MAX_LOANS, _TOO_MANY_LOANS, REPEATED_EVENT_CODE, _LOAN_IS_OPEN),
)
LOAN_RETURN = EventKind(
    name="loanReturn",
    title="Loanreturn",
    action="Devolver",
    explanation="A autoridade registra a devolução.",
    route=EventRoute("DELETE", "/loan", "giveBack", "Devolve um Toy", "O último empréstimo, ou um dado."),
    request=UndoRequest,
    issue=_give_back,
    registered=joined,
    print_name="Devolucao-{key}-{sequence:02}.pdf",
    repetition=Repetition(MAX_LOANS, _TOO_MANY_LOANS, REPEATED_EVENT_CODE, _LOAN_IS_OPEN),
    undoes=Undoing(
        LOAN.name,
        "O documento não está emprestado.",
        Problem("866", "eventId", "O empréstimo não existe ou já foi devolvido."),
    ),
)
INUTILIZATION = InutilizationRules(_inutilize, joined)
