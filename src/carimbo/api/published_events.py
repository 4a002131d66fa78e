"""The webhook events in the published contract."""

from collections.abc import Iterator, Mapping
from typing import Any

from carimbo.api.route import JSON
from carimbo.service.company_status.certificate_expiry import WARNED_DAYS
from carimbo.service.delivery.event_names import (
    CERTIFICATE_EXPIRING,
    EVENT_GROUPS,
    RECEIVED_GROUP,
    SYSTEM_GROUP,
    TEST,
    status_in_event,
    topics_of,
)

_WHEN: Mapping[str, str] = {
    "authorized": "A autoridade autorizou o documento.",
    "rejected": "A autoridade recusou o documento, ou o próprio serviço; ou o operador o encerrou.",
    "cancelled": "O documento foi cancelado, ou outro tomou o lugar dele.",
    "expiring": "O documento está aberto há semanas: encerre-o, ou a autoridade recusará os próximos.",
    "closed": "O documento foi encerrado, aqui ou por outro programa; o status continua authorized.",
    "created": "Um documento que outro emitiu chegou à empresa: inteiro, ou só o resumo (`hasFullXml`).",
    "completed": "O XML inteiro de um documento recebido chegou; antes só havia o resumo.",
    "corrected": "O emitente de um documento recebido registrou uma carta de correção.",
    "canceled": "O emitente de um documento recebido o cancelou.",
    "manifestDue": "O prazo da manifestação de um documento recebido termina em 10 dias ou menos.",
    CERTIFICATE_EXPIRING: f"O certificado de uma empresa vence em {', '.join(map(str, WARNED_DAYS[:-1]))} ou"
    f" {WARNED_DAYS[-1]} dias; um aviso de cada.",
    "test": "Pedido por `POST /v1/webhooks/{webhookId}/test`, e enviado só a esse webhook.",
}
_HEADERS = {
    "webhook-id": "Id do evento, o mesmo em toda tentativa: serve para não tratar duas vezes o mesmo.",
    "webhook-timestamp": "Momento da tentativa, em segundos desde 1970: recuse o que for antigo.",
    "webhook-signature": "Assinaturas de `id.timestamp.corpo` (HMAC-SHA256), cada uma com o prefixo `v1,`,"
    " separadas por espaço: basta que uma confira.",
}
_ANSWER = (
    "Recebido. Qualquer outro status, ou nenhuma resposta a tempo, leva a algumas novas tentativas, em"
    " intervalos crescentes; `webhook.test` não se repete."
)
_PAYLOAD, _DOCUMENT, _RECEIVED, _CERTIFICATE = (
    {"$ref": f"#/components/schemas/{name}"}
    for name in ("EventPayload", "DocumentData", "ReceivedData", "CertificateData")
)
_TRIAL = {
    "type": "object",
    "properties": {"webhookId": {"type": "string", "format": "uuid"}, "message": {"type": "string"}},
    "required": ["webhookId", "message"],
}


def published_events() -> dict[str, Any]:
    """Returns every webhook event by name, as the `webhooks` of OpenAPI."""
    return {name: {"post": _call(name, data)} for name, data in _events()}


def _events() -> Iterator[tuple[str, dict[str, Any]]]:
    others = {SYSTEM_GROUP: _CERTIFICATE, RECEIVED_GROUP: _RECEIVED}
    for group, names in EVENT_GROUPS.items():
        yield from ((name, others.get(group) or _document(name)) for name in names)
    yield TEST, _TRIAL


def _document(name: str) -> dict[str, Any]:
    types, event_verbs = zip(*(topic.split(".") for topic in topics_of([name])), strict=True)
    status = status_in_event(event_verbs[0])
    return _narrowed(_DOCUMENT, type={"enum": types, "examples": types}, status={"const": status})


def _narrowed(schema: dict[str, Any], **fields: dict[str, Any]) -> dict[str, Any]:
    """Narrows fields of a schema; the narrow ones come first because our pages show the first of a name."""
    return {"allOf": [{"type": "object", "properties": fields}, schema]}


def _call(name: str, data: dict[str, Any]) -> dict[str, Any]:
    subject, _, verb = name.partition(".")
    schema = _narrowed(_PAYLOAD, event={"const": name}, data=data)
    return {
        "tags": ["Webhooks"],
        "summary": name,
        "description": _WHEN.get(name) or _WHEN[verb],
        "operationId": f"on{subject.capitalize()}{verb.capitalize()}",
        "parameters": [_header(header, meaning) for header, meaning in _HEADERS.items()],
        "requestBody": {"required": True, "content": {JSON: {"schema": schema}}},
        "responses": {"2XX": {"description": _ANSWER}},
        "security": [],
    }


def _header(name: str, meaning: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": True,
        "description": meaning,
        "schema": {"type": "string"},
    }
