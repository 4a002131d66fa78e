"""The tables of docs/reference about events: names, when they are sent, and payloads."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.company_status.certificate_expiry import WARNED_DAYS
from carimbo.service.delivery.event_names import (
    CERTIFICATE_EXPIRING,
    EVENT_GROUPS,
    RECEIVED_GROUP,
    SYSTEM_GROUP,
    TEST,
)
from carimbo.service.delivery.payload import CertificateData, DocumentData, EventPayload, ReceivedData

_WHEN: Mapping[str, str] = {
    "authorized": "the authority authorized the document",
    "rejected": "the authority rejected the document, or carimbo did while processing it",
    "cancelled": "the document was canceled, or another one replaced and canceled it",
    "expiring": "10, 5 and 1 days before the authority refuses new ones, if the document is still open",
    "closed": "the document was closed, here or by other software; its status stays `authorized`",
    "created": "a document reached the company; an NF-e often as a summary first",
    "completed": "the whole XML of a received document arrived; before there was only its summary",
    "corrected": "the issuer of a received document registered a correction letter",
    "canceled": "the issuer of a received document canceled it",
    "manifestDue": "10 days before the term for a manifestation about a received document ends, once",
    CERTIFICATE_EXPIRING: (
        f"{', '.join(map(str, WARNED_DAYS))} days before a company's certificate expires, once each"
    ),
}
FIELDS: Mapping[type[BaseModel], Mapping[str, str]] = {
    EventPayload: {
        "id": "id of the event: the same at every attempt, and in the header `webhook-id`",
        "event": "name of the event",
        "createdAt": "when the event happened",
        "data": "details of the event, in one of the forms below",
    },
    DocumentData: {
        "id": "id of the document",
        "saleId": "id of the sale, if the document belongs to one",
        "externalId": "your own id of the document, if you sent one",
        "companyId": "id of the company that issues the document",
        "taxId": "CNPJ of the company, without punctuation",
        "status": "`authorized`, `rejected` or `canceled`",
        "type": f"type of the document: {', '.join(f'`{module.name}`' for module in DOCUMENT_TYPES)}",
        "amount": "total of the document, in reais",
        "invoiceNumber": "number of the document; for an NFS-e, the number from the authority",
        "issuedAt": "time of issue in the document",
        "closedAt": "when the document was closed",
        "closeBy": "in `mdfe.expiring`: when the authority begins to refuse new ones",
        "daysLeft": "in `mdfe.expiring`: days until then, rounded up",
        "rejection": "reason of the rejection: `code`, `message`, `field`, `hint`, `retryable`",
        "pdfUrl": "link to the PDF, valid without credentials for `CARIMBO_LINK_DAYS`",
        "xmlUrl": "link to the XML, likewise",
    },
    ReceivedData: {
        "id": "id of the received document",
        "type": "type of the document, as `nfe`",
        "accessKey": "its access key",
        "series": "its series, if it has one",
        "number": "its number",
        "environment": "`production` or `homologation`",
        "role": "the part of the company in the document, as `recipient`, `taker` or `carrier`",
        "issuer": "`taxId` and `name` of the issuer",
        "amount": "total of the document, in reais",
        "issuedAt": "time of issue in the document",
        "authorizedAt": "when the authority authorized it",
        "protocol": "protocol of the authorization",
        "status": "the last statement of the company: `pending`, or the name of a manifestation",
        "situation": "`authorized`, `corrected`, `canceled` or `denied`",
        "hasFullXml": "whether the whole XML is here, and not only the summary",
        "nsu": "number in the sequence of the distribution",
        "manifestDeadline": "until when the company can make a statement about it",
        "version": "grows with every change of the document; for the cursor `after` of the list",
        "createdAt": "when the document arrived",
        "updatedAt": "when it last changed",
        "companyId": "id of the company that received it",
        "taxId": "CNPJ of the company, without punctuation",
    },
    CertificateData: {
        "companyId": "id of the company that owns the certificate",
        "taxId": "CNPJ of the company, without punctuation",
        "expiresAt": "when the certificate expires",
        "daysLeft": "days until the certificate expires, rounded up",
    },
}
"""What each field of an event means."""


def event_tables() -> list[str]:
    """Returns every event with its group, and every field of the payloads."""
    names = [_event(name, group) for group, names in EVENT_GROUPS.items() for name in names]
    return [
        "| event | group | document type | when it is sent |",
        "|---|---|---|---|",
        *names,
        "",
        f"`{TEST}` belongs to no group, and `GET /v1/events` does not list it. carimbo sends it only to a",
        "webhook that you test. Its `data` has `webhookId` and `message`.",
        "",
        *_payload("Every event", EventPayload),
        *_payload("`data` of a document", DocumentData),
        *_payload(f"`data` of the group `{RECEIVED_GROUP}`", ReceivedData),
        *_payload(f"`data` of the group `{SYSTEM_GROUP}`", CertificateData),
    ]


def _event(name: str, group: str) -> str:
    prefix, _, verb = name.partition(".")
    types = [
        module.title
        for module in DOCUMENT_TYPES
        if prefix in (module.event_prefix, module.receiving and module.receiving.event_prefix)
    ]
    of = ", ".join(types)
    return f"| `{name}` | `{group}` | {of} | {_WHEN.get(name) or _WHEN[verb]} |"


def _payload(title: str, model: type[BaseModel]) -> list[str]:
    """Returns a table of the fields of a model; fails for a field without a description."""
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
