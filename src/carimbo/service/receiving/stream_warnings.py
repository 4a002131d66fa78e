"""The states of a distribution for a company, and its warnings: what stops it, and what may be missing."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.environment import Environment
from carimbo.service.document_types import distributed_type
from carimbo.storage.receptions import Reception
from carimbo.storage.streams import StreamGap, StreamRow

ACTIVE, STOPPED, WAITING = "active", "stopped", "waiting"
REFUSED, PARKED, BLOCKED = "refused", "parked", "blocked"
_RESTART = "Peça /sync para tentar de novo; se não bastar, avise quem opera o serviço."


class StreamWarningCode(StrEnum):
    """The code of a warning about a distribution."""

    NOBODY_ASKS = "NOBODY_ASKS"
    QUERY_REFUSED = "QUERY_REFUSED"
    QUERY_UNANSWERED = "QUERY_UNANSWERED"
    QUERIES_BLOCKED = "QUERIES_BLOCKED"
    QUERIES_PARKED = "QUERIES_PARKED"
    READING_PARKED = "READING_PARKED"
    OTHER_READER = "OTHER_READER"
    GAP_OPEN = "GAP_OPEN"
    DOCUMENTS_UNAVAILABLE = "DOCUMENTS_UNAVAILABLE"
    SEQUENCE_LAPSED = "SEQUENCE_LAPSED"


class StreamWarning(Record):
    """What stops the queries of a distribution, or what documents may be missing."""

    code: StreamWarningCode = Field(
        description=(
            "`NOBODY_ASKS`: ninguém consulta por esta empresa; `QUERY_REFUSED`: a autoridade recusou a"
            " consulta em nome dela, quase sempre pelo certificado; `QUERY_UNANSWERED`: a última consulta não"
            " trouxe resposta; `QUERIES_BLOCKED`: a autoridade bloqueou as consultas do CNPJ;"
            " `QUERIES_PARKED`: as consultas pararam, e esperam por uma pessoa; `READING_PARKED`: a leitura"
            " do que já veio parou, e espera por uma pessoa; `OTHER_READER`: outro programa consulta os"
            " documentos do mesmo CNPJ; `GAP_OPEN`: há NSU que ainda não vieram; `DOCUMENTS_UNAVAILABLE`: a"
            " autoridade não tem documento para NSU que faltavam; `SEQUENCE_LAPSED`: houve 60 dias sem"
            " consulta, e a autoridade deixou de numerar documentos."
        )
    )
    message: str = Field(description="O que acontece e o que fazer.")


def stream_warnings(
    stream: StreamRow, reception: Reception, gaps: Sequence[StreamGap], status: str, *, is_current: bool
) -> list[StreamWarning]:
    """Returns the warnings of a distribution; `is_current` is whether the company is in its environment."""
    if not is_current and reception.environment == Environment.HOMOLOGATION:
        # The status says enough about a test that is over.
        return []
    is_asked = status in (ACTIVE, BLOCKED)
    warnings = list(_own_warnings(reception, status, is_current=is_current))
    if status == PARKED and stream.parked_reason:
        warnings.append(_parked(stream, reception))
    if reception.proved_fingerprint is None:
        # What others with the same CNPJ have received is none of its business yet.
        return warnings
    if is_asked:
        warnings += _state_warnings(stream)
    return [*warnings, *_gap_warnings(stream, gaps, is_asked=is_asked)]


def _own_warnings(reception: Reception, status: str, *, is_current: bool) -> Iterator[StreamWarning]:
    """Yields what concerns the company alone, whatever the others with its CNPJ do."""
    if status == REFUSED:
        yield StreamWarning(
            code=StreamWarningCode.QUERY_REFUSED,
            message=f"A autoridade recusou a consulta em nome da empresa: {reception.failure}",
        )
    elif status == WAITING:
        stop = f"DELETE …/{distributed_type(reception.service)[1].collection}/sync"
        if is_current:
            cause = "falta um certificado em vigor"
            remedy = f"Envie um certificado, ou pare com {stop}."
        else:
            cause = "a empresa está no ambiente de homologação"
            remedy = (
                f"Volte ao ambiente de produção. Para não consultar mais, volte e peça {stop}, que só vale"
                " para o ambiente em que a empresa está."
            )
        yield StreamWarning(
            code=StreamWarningCode.NOBODY_ASKS,
            message=(
                f"Ninguém consulta por esta empresa: {cause}. Depois de 60 dias sem consulta a autoridade"
                f" deixa de numerar documentos. {remedy}"
            ),
        )
    elif reception.parked_reason and reception.is_active:
        yield StreamWarning(
            code=StreamWarningCode.READING_PARKED,
            message=f"A leitura do que já veio parou: o serviço falhou repetidas vezes. {_RESTART}",
        )
    elif reception.proved_fingerprint is None and reception.failure and status in (ACTIVE, BLOCKED):
        yield _unanswered(reception.failure)


def _parked(stream: StreamRow, reception: Reception) -> StreamWarning:
    """Returns why a stream is parked. Only what a decision wrote is shown, and to proved companies only."""
    reason = ""
    if stream.failure != stream.parked_reason:
        reason = " O serviço falhou repetidas vezes."
    elif reception.proved_fingerprint is not None:
        reason = f" {stream.parked_reason}"
    return StreamWarning(
        code=StreamWarningCode.QUERIES_PARKED, message=f"As consultas pararam.{reason} {_RESTART}"
    )


def _state_warnings(stream: StreamRow) -> Iterator[StreamWarning]:
    """Yields why a stream is not asked now, or was not answered."""
    if stream.is_blocked:
        yield StreamWarning(
            code=StreamWarningCode.QUERIES_BLOCKED,
            message=(
                "A autoridade bloqueou as consultas deste CNPJ por cerca de uma hora"
                f" ({stream.last_code} {stream.last_message}). Elas seguem sozinhas em scheduledFor."
            ),
        )
    elif stream.failure:
        yield _unanswered(stream.failure)


def _unanswered(failure: str) -> StreamWarning:
    return StreamWarning(
        code=StreamWarningCode.QUERY_UNANSWERED,
        message=(
            f"A última consulta não trouxe resposta da autoridade: {failure}. A próxima será em scheduledFor."
        ),
    )


def _gap_warnings(stream: StreamRow, gaps: Sequence[StreamGap], *, is_asked: bool) -> Iterator[StreamWarning]:
    """Yields what documents may be missing, and why."""
    if stream.has_other_reader and is_asked:
        yield StreamWarning(
            code=StreamWarningCode.OTHER_READER,
            message=(
                "Outro programa consultou os documentos deste CNPJ nos últimos 7 dias, e os dois se"
                " atrapalham: deixe só um. O que ele recebeu é pedido nota por nota, até 18 por hora."
            ),
        )
    if any(gap.filled_at is None for gap in gaps):
        yield StreamWarning(
            code=StreamWarningCode.GAP_OPEN, message="Há NSU que ainda não vieram: veja gaps."
        )
    if missing := sum(gap.missing for gap in gaps):
        yield StreamWarning(
            code=StreamWarningCode.DOCUMENTS_UNAVAILABLE,
            message=(
                f"Para {missing} NSU que faltavam a autoridade não tem documento, ou não o tem mais: importe"
                " os que faltarem."
            ),
        )
    if stream.lapsed_until and stream.lapsed_from:
        yield StreamWarning(
            code=StreamWarningCode.SEQUENCE_LAPSED,
            message=(
                f"De {stream.lapsed_from:%d/%m/%Y} a {stream.lapsed_until:%d/%m/%Y} ninguém consultou por"
                " mais de 60 dias, e a autoridade deixou de numerar documentos: importe os que faltarem."
            ),
        )
