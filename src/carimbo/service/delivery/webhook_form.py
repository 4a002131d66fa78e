"""The forms of webhooks: the labels of their fields, and words for the events that they may receive."""

from collections.abc import Mapping

from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormList, FormSection
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.deliveries import FailedSince
from carimbo.service.delivery.event_names import CERTIFICATE_EXPIRING, CLOSED, EXPIRING
from carimbo.service.delivery.webhook_bodies import WebhookBody

HEADER_ROWS = FormList(
    path="headers",
    title="Cabeçalhos",
    singular="cabeçalho",
    fields=(
        FormField(path="key", label="Nome", hint="Por exemplo Authorization."),
        FormField(path="value", label="Valor", kind=FieldKind.TEXT),
    ),
)
WEBHOOK_FORM = FormLayout(
    body=WebhookBody,
    sections=(
        FormSection(
            title="Para onde",
            parts=(
                FormField(
                    path="url",
                    label="Endereço",
                    hint="O endereço do seu sistema que recebe os eventos; começa com https://.",
                    kind=FieldKind.TEXT,
                ),
                FormField(path="name", label="Nome", hint="Para reconhecer o webhook na lista."),
            ),
        ),
        FormSection(
            title="Cabeçalhos de cada entrega",
            note=(
                "Além dos do serviço, por exemplo para o seu sistema saber quem chama. Os valores são"
                " guardados cifrados e depois aparecem mascarados: um valor mascarado que fica como está"
                " mantém o guardado. Para tirar um cabeçalho, apague o nome e o valor."
            ),
            parts=(HEADER_ROWS,),
            is_open=False,
        ),
    ),
)
"""The events are chosen beside it: each of them is a checkbox."""

RESENDING_FORM = FormLayout(
    body=FailedSince,
    sections=(
        FormSection(
            title="Desde quando",
            parts=(
                FormField(
                    path="since",
                    label="Desde",
                    hint="O dia em que o seu sistema parou de responder.",
                    kind=FieldKind.DAY,
                ),
            ),
        ),
    ),
)

_HAPPENINGS: Mapping[str, str] = {
    "authorized": "autorização",
    "rejected": "rejeição",
    "cancelled": "cancelamento",
    CLOSED: "encerramento",
    EXPIRING: "aberto há semanas, falta encerrar",
    "created": "chegada",
    "completed": "chegada do XML inteiro",
    "corrected": "carta de correção do emitente",
    "canceled": "cancelamento pelo emitente",
    "manifestDue": "prazo da manifestação perto do fim",
}
_OTHERS: Mapping[str, str] = {CERTIFICATE_EXPIRING: "Certificado digital perto de vencer"}


def event_title(name: str) -> str:
    """Returns an event in words, as `NF-e: autorização`."""
    if name in _OTHERS:
        return _OTHERS[name]
    subject, _, verb = name.partition(".")
    titles = [
        document_type.title
        for document_type in DOCUMENT_TYPES
        if subject == document_type.event_prefix
        or (document_type.receiving and subject == document_type.receiving.event_prefix)
    ]
    return f"{' e '.join(titles)}: {_HAPPENINGS[verb]}"
