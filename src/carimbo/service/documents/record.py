"""A document as callers see it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field, create_model

from carimbo.fiscal.body.fields import AS_STORED, Number, Record
from carimbo.fiscal.document_type import StoredFacts
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import CancellationDeadline
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.actors import CREATED_BY, ActorRecord, actor_record
from carimbo.service.authority_answers import INTERNAL_FAILURE_ANSWER, PARKED_ANSWER
from carimbo.service.document_types import document_type_named, find_document_type, is_numbered_by_authority
from carimbo.service.stored_records import UNREADABLE, partial_record, record_or_partial
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow


class Rejection(Record):
    """Why a document was rejected, and what to do about it."""

    code: str = Field(description="Código da autoridade (cStat), ou um nosso.", examples=["778"])
    message: str = Field(examples=["Rejeição: Informado NCM inexistente"])
    field: str | None = Field(
        description="Caminho do campo no corpo enviado, se conhecido.", examples=["items[0].ncm"]
    )
    hint: str | None = Field(description="O que mudar.", examples=["Confira o NCM na tabela vigente."])
    retryable: bool = Field(
        description="Se o mesmo corpo pode ser emitido de novo sem mudança, resolvido o que está fora dele."
    )


class ContingencyRecord(Record):
    """Why a document was issued in contingency."""

    type: str = Field(description="Tipo de emissão (tpEmis).", examples=["6"])
    started_at: datetime | None
    reason: str | None


class LastAnswerRecord(Record):
    """The last answer of the authority about a document in processing, or why there is none."""

    code: str = Field(
        description=(
            "Código da autoridade (cStat) ou, quando ela não respondeu, um nosso, como"
            " CERTIFICATE_NOT_ACCEPTED."
        ),
        examples=["108", "CERTIFICATE_NOT_ACCEPTED"],
    )
    message: str = Field(examples=["Serviço paralisado momentaneamente"])
    at: datetime | None


class ProgressRecord(Record):
    """The progress of a document in processing."""

    since: datetime | None = Field(description="Desde quando está em processamento.")
    attempts: int = Field(description="Tentativas desde então, de transmitir ou de consultar.")
    last_answer: LastAnswerRecord | None = Field(description="Nulo enquanto nada foi tentado.")
    next_attempt_at: datetime | None = Field(description="Nulo quando nada mais será tentado por si.")


class RecipientRecord(Record):
    """The recipient of a document, as far as its request names them."""

    tax_id: str | None = Field(description="CPF ou CNPJ, sem pontuação.", examples=["52998224725"])
    name: str | None = Field(examples=["Maria da Silva"])


EXAMPLE: Mapping[str, Any] = {
    "id": "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    "saleId": None,
    "status": "processing",
    "type": "nfe",
    "externalId": "pedido-1001",
    "amount": 199.9,
    "totalDue": None,
    "number": None,
    "series": None,
    "dps": None,
    "deliveredAt": None,
    "closedAt": None,
    "accessKey": None,
    "protocol": None,
    "environment": "homologation",
    "version": 1,
    "issuedAt": None,
    "authorizedAt": None,
    "cancelableUntil": None,
    "contingency": None,
    "progress": {
        "since": "2026-11-14T13:00:00.125000Z",
        "attempts": 0,
        "lastAnswer": None,
        "nextAttemptAt": "2026-11-14T13:00:00.125000Z",
    },
    "rejection": None,
    "warnings": [],
    "replacedById": None,
    "createdAt": "2026-11-14T13:00:00.125000Z",
    "createdBy": {"kind": "credential", "name": None},
    "recipient": {"taxId": "52998224725", "name": "Maria da Silva"},
}
"""A newly accepted document, for the published contract."""


class _Order(Record):
    """The fields that come before those of a single type: the order and its number."""

    id: UUID
    sale_id: UUID | None
    status: Status
    type: str = Field(examples=["nfe"])
    external_id: str | None = Field(examples=["pedido-1001"])
    amount: Number = Field(examples=[199.9])
    total_due: Number | None = Field(
        description=(
            "NFS-e de competência 2027 em diante: o que o tomador paga, que é o valor líquido mais IBS e CBS"
            " (vTotNF da NFS-e autorizada). Nulo antes da autorização, nas notas sem IBS e CBS e nos outros"
            " documentos."
        )
    )
    number: int | None
    series: int | None


class _Progress(Record):
    """The fields that come after those of a single type: how the document was issued."""

    access_key: str | None
    protocol: str | None
    environment: Annotated[Environment, AS_STORED]
    version: int
    issued_at: datetime | None
    authorized_at: datetime | None
    cancelable_until: datetime | None
    contingency: ContingencyRecord | None
    progress: ProgressRecord | None = Field(description="Nulo quando não está em processamento.")
    rejection: Rejection | None
    warnings: list[str]
    replaced_by_id: UUID | None = Field(description="O documento que substituiu este.")
    created_at: datetime
    created_by: ActorRecord | None = CREATED_BY
    recipient: RecipientRecord | None = Field(
        description="Destinatário ou tomador; nulo quando o pedido não o identifica."
    )


_OwnFieldsOfTypes: Any = create_model(
    "_OwnFieldsOfTypes",
    __base__=(
        # Fields of the first base come last.
        *dict.fromkeys(
            document_type.own_fields.record
            for document_type in reversed(DOCUMENT_TYPES)
            if document_type.own_fields
        ),
        Record,
    ),
)
_EMPTY_OWN_FIELDS: Mapping[str, Any] = dict.fromkeys(_OwnFieldsOfTypes.model_fields)


class DocumentRecord(_Progress, _OwnFieldsOfTypes, _Order):
    """A document as callers see it."""


class DetailedDocumentRecord(DocumentRecord):
    """A document with its request body, for callers who ask for it."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    request: dict[str, Any] | None = Field(
        default=None, description="O corpo como foi enviado, com as correções; só com `include=request`."
    )


def number_of(type_name: str, own: int | None, assigned: int | None) -> int | None:
    """Returns the number of a document: our own, or the one that the authority assigned."""
    return assigned if is_numbered_by_authority(type_name) else own


def record_of(document: Document) -> DocumentRecord:
    """Returns a document as callers see it; parts that can't be read are left out."""
    return record_or_partial(
        "documents",
        document.id,
        lambda: DocumentRecord.model_validate(_columns(document) | _computed(document)),
        lambda: partial_record(
            DocumentRecord, _columns(document) | {"warnings": [*document.warnings, UNREADABLE]}
        ),
    )


def _computed(document: Document) -> dict[str, Any]:
    """Returns the fields that are computed from the row."""
    return {
        "cancelable_until": _cancelable_until(document),
        "contingency": _contingency(document.emission),
        "progress": _progress(document),
        "rejection": document.rejection and Rejection.model_validate(document.rejection),
    }


def _columns(document: Document) -> dict[str, Any]:
    """Returns the fields that are columns of the row, and those that only its type has."""
    emission, is_numbered_elsewhere = document.emission, is_numbered_by_authority(document.type)
    document_type = find_document_type(document.type)
    own_fields: Mapping[str, Any] = {}
    if emission and document_type and document_type.own_fields:
        stored = StoredFacts(emission.series, emission.number, document.facts)
        own_fields = document_type.own_fields.read(stored)
    return {
        "id": document.id,
        "sale_id": document.sale_id,
        "status": document.status,
        "type": document.type,
        "external_id": document.external_id,
        "recipient": _recipient(document),
        "amount": document.amount,
        "total_due": emission and emission.total_due,
        "number": emission and number_of(document.type, emission.number, emission.assigned_number),
        "series": None if is_numbered_elsewhere else emission and emission.series,
        "access_key": emission and (emission.assigned_key if is_numbered_elsewhere else emission.access_key),
        "protocol": emission and emission.protocol,
        "environment": document.environment,
        "version": document.version,
        "issued_at": emission and emission.issued_at,
        "authorized_at": emission and emission.authorized_at,
        "warnings": document.warnings,
        "replaced_by_id": document.replaced_by,
        "created_at": document.created_at,
        "created_by": actor_record(document.created_by),
        **_EMPTY_OWN_FIELDS,
        **own_fields,
    }


def _cancelable_until(document: Document) -> datetime | None:
    """Returns the cancellation deadline; None if the document can't be canceled."""
    emission = document.emission
    if document.status != Status.AUTHORIZED or emission is None or emission.authorized_at is None:
        return None
    cancellation = document_type_named(document.type).cancellation
    deadline = cancellation and cancellation.deadline
    if not isinstance(deadline, CancellationDeadline) or emission.access_key is None:
        return None
    if cancellation and document.facts.keys() & cancellation.forbidden_after.keys():
        return None
    return deadline.in_time_until(emission.access_key, emission.authorized_at)


def _progress(document: Document) -> ProgressRecord | None:
    if document.status != Status.PROCESSING:
        return None
    emission = document.emission
    return ProgressRecord(
        since=document.queued_at,
        attempts=emission.attempts if emission else 0,
        last_answer=_last_answer(document),
        next_attempt_at=document.next_action_at,
    )


def _recipient(document: Document) -> RecipientRecord | None:
    if document.recipient_tax_id is None and document.recipient_name is None:
        return None
    return RecipientRecord(tax_id=document.recipient_tax_id, name=document.recipient_name)


def _last_answer(document: Document) -> LastAnswerRecord | None:
    emission = document.emission
    answered_at = emission.answered_at if emission else None
    if document.parked_reason is not None:
        return LastAnswerRecord(code=PARKED_ANSWER.code, message=PARKED_ANSWER.message, at=answered_at)
    if emission is None or emission.answer_code is None:
        # Attempts are counted from 0 again after every step, so a second attempt means an internal failure.
        failed = LastAnswerRecord(
            code=INTERNAL_FAILURE_ANSWER.code, message=INTERNAL_FAILURE_ANSWER.message, at=None
        )
        return failed if document.attempts > 1 else None
    return LastAnswerRecord(code=emission.answer_code, message=emission.answer_message or "", at=answered_at)


def _contingency(emission: EmissionRow | None) -> ContingencyRecord | None:
    if emission is None or emission.emission_type == EmissionType.NORMAL:
        return None
    return ContingencyRecord(
        type=emission.emission_type,
        started_at=emission.contingency_started_at,
        reason=emission.contingency_reason,
    )
