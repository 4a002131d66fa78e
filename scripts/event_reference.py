"""What docs/reference says of events: their names, when they are sent, and what is told."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.registry import DOCUMENT_TYPES, MODULES
from carimbo.service.certificate_expiry import WARNED_DAYS
from carimbo.service.delivery.event_names import EVENT_GROUPS, SYSTEM_GROUP, TEST
from carimbo.service.delivery.payload import CertificateData, DocumentData, EventPayload

_WHEN: Mapping[str, str] = {
    "authorized": "the authority authorised it",
    "rejected": "the authority refused it, or we did when its turn came",
    "cancelled": "it was canceled, or another took its place",
    "expiring": f"a company's certificate ends in {', '.join(map(str, WARNED_DAYS))} days, once each",
}
FIELDS: Mapping[type[BaseModel], Mapping[str, str]] = {
    EventPayload: {
        "id": "the event's own, the same at every attempt, and `webhook-id`",
        "event": "its name",
        "createdAt": "when it happened",
        "data": "what happened: one of the tables below",
    },
    DocumentData: {
        "id": "the document's",
        "saleId": "the sale that it is of",
        "externalId": "what the caller knows it by",
        "companyId": "the company that issues it",
        "taxId": "the CNPJ of the company, without punctuation",
        "status": "what became of it: `authorized`, `rejected` or `canceled`",
        "type": f"which document it is: {', '.join(f'`{kind.name}`' for kind in MODULES)}",
        "amount": "its total, in reais",
        "invoiceNumber": "its number; that of an NFS-e is the authority's",
        "issuedAt": "when it was issued, as the document says",
        "rejection": "why it was rejected: `code`, `message`, `field`, `hint`, `retryable`, as in the record",
        "pdfUrl": "a link that opens the PDF without credentials, for a while",
        "xmlUrl": "the same for the XML",
    },
    CertificateData: {
        "companyId": "the company whose certificate it is",
        "taxId": "its CNPJ, without punctuation",
        "expiresAt": "when the certificate ends",
        "daysLeft": "days until then, one that has begun counted as a whole",
    },
}
"""What each field of an event means."""


def event_tables() -> list[str]:
    """Every event with its group, and every field that is told."""
    names = [_event(name, group) for group, names in EVENT_GROUPS.items() for name in names]
    return [
        "| event | group | of | when |",
        "|---|---|---|---|",
        *names,
        "",
        f"`{TEST}` is in no group and in no list: it is sent to one webhook that is tried, with `webhookId`",
        "and `message` in its `data`.",
        "",
        *_payload("Every event", EventPayload),
        *_payload("`data` of a document", DocumentData),
        *_payload(f"`data` of the group `{SYSTEM_GROUP}`", CertificateData),
    ]


def _event(name: str, group: str) -> str:
    prefix, _, verb = name.partition(".")
    kinds = [kind for kind in MODULES if kind.event_prefix == prefix]
    of = ", ".join(kind.title + ("" if kind in DOCUMENT_TYPES else " (not issued yet)") for kind in kinds)
    return f"| `{name}` | `{group}` | {of} | {_WHEN[verb]} |"


def _payload(title: str, model: type[BaseModel]) -> list[str]:
    """A table of what a model tells, which can't be made for a field that nobody has described."""
    schema = model.model_json_schema(mode="serialization")
    rows = [f"| `{name}` | {_form(schema, name)} | {FIELDS[model][name]} |" for name in schema["properties"]]
    return [f"## {title}", "", "| field | form | meaning |", "|---|---|---|", *rows, ""]


def _form(schema: dict[str, Any], name: str) -> str:
    field = schema["properties"][name]
    choices = field.get("anyOf", [field])
    first = schema["$defs"][choices[0]["$ref"].rpartition("/")[2]] if "$ref" in choices[0] else choices[0]
    form: str = first.get("format") or first["type"]
    if name not in schema["required"]:
        return f"{form}, or left out"
    return f"{form} or null" if {"type": "null"} in choices else form
