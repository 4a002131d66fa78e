"""What an authority last said of a document without deciding it, in a code and a sentence for callers."""

from carimbo.fiscal.outcome import Cause, NotJudged, Outcome
from carimbo.storage.emissions import LastAnswer

CERTIFICATE_NOT_ACCEPTED = Cause.CERTIFICATE_NOT_ACCEPTED.value.upper()
"""The code of a connection that the authority refuses because of the company's certificate."""
UNASKED = LastAnswer(
    "NO_CERTIFICATE", "A empresa está sem certificado: sem ele a autoridade não pode ser consultada."
)
"""The reason why an authority that may have a document can't be asked about it."""
CERTIFICATE_CODES = frozenset({CERTIFICATE_NOT_ACCEPTED, UNASKED.code})
"""The codes of work that waits for another certificate."""
SET_ASIDE = LastAnswer(
    "SET_ASIDE",
    "O documento foi posto de lado depois de falhas internas repetidas e espera por quem opera o serviço.",
)
"""The reason why nothing more is tried for a document."""
INTERNAL_FAILURE = LastAnswer(
    "INTERNAL_FAILURE",
    "Uma falha interna impediu a tentativa anterior; o serviço tenta de novo por si.",
)
"""The reason why a document that was tried more than once has no answer."""
_NOT_ACCEPTED = (
    "A autoridade não aceita o certificado da empresa na conexão TLS: envie um certificado A1 válido, não"
    " revogado e emitido por uma autoridade certificadora que ela reconheça"
)


def refused_certificate(outcome: Outcome) -> LastAnswer | None:
    """Returns the code and message of a refused certificate, or None if the outcome is another."""
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
