"""Answers that leave a document undecided, as callers and logs show them.

Rejections are stored by `issuing/conclude.py`.
"""

from typing import TypedDict

from carimbo.fiscal.outcome import AuthorityAnswer, Cause, NotJudged, Outcome
from carimbo.storage.emissions import LastAnswer

CERTIFICATE_NOT_ACCEPTED = Cause.CERTIFICATE_NOT_ACCEPTED.value.upper()
"""The code when the authority refuses the TLS connection because of the company's certificate."""
NO_CERTIFICATE_ANSWER = LastAnswer(
    "NO_CERTIFICATE", "A empresa está sem certificado: sem ele a autoridade não pode ser consultada."
)
"""Why the authority can't be asked about a document that it may have."""
CERTIFICATE_CODES = frozenset({CERTIFICATE_NOT_ACCEPTED, NO_CERTIFICATE_ANSWER.code})
"""Codes of answers after which work can continue only with another certificate."""
PARKED_ANSWER = LastAnswer(
    "SET_ASIDE",
    "O documento foi posto de lado depois de falhas internas repetidas e espera que uma pessoa o retome.",
)
"""Why there are no more attempts for a document."""
INTERNAL_FAILURE_ANSWER = LastAnswer(
    "INTERNAL_FAILURE",
    "Uma falha interna impediu a tentativa anterior; o serviço tenta de novo por si.",
)
"""Why a document has no answer after more than one attempt."""
_NOT_ACCEPTED = (
    "A autoridade não aceita o certificado da empresa na conexão TLS: envie um certificado A1 válido, não"
    " revogado e emitido por uma autoridade certificadora que ela reconheça"
)


def refused_certificate(outcome: Outcome) -> LastAnswer | None:
    """Returns the code and message of a refused certificate, or None for any other outcome."""
    if isinstance(outcome, NotJudged) and outcome.cause is Cause.CERTIFICATE_NOT_ACCEPTED:
        return LastAnswer(CERTIFICATE_NOT_ACCEPTED, f"{_NOT_ACCEPTED} ({outcome.detail}).")
    return None


def last_answer_of(outcome: Outcome) -> LastAnswer:
    """Returns the code and message of an answer, or of the reason why there was none."""
    if not isinstance(outcome, NotJudged):
        return LastAnswer(outcome.code, outcome.message)
    if refusal := refused_certificate(outcome):
        return refusal
    if outcome.code and outcome.message:
        return LastAnswer(outcome.code, outcome.message)
    return LastAnswer(outcome.cause.value.upper(), f"Sem resposta que decida o documento: {outcome.detail}")


class LoggedAnswer(TypedDict):
    """The log fields of an answer. It has no XML, which contains personal data."""

    answer: str
    code: str | None
    told: str


def log_fields(outcome: AuthorityAnswer | NotJudged) -> LoggedAnswer:
    """Returns the log fields of an answer, or of the failure to get one."""
    message = outcome.detail if isinstance(outcome, NotJudged) else outcome.message
    return LoggedAnswer(answer=type(outcome).__name__, code=outcome.code, told=message)
