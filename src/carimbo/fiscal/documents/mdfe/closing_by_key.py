"""Closes a manifest that another program issued, by its access key and protocol."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import TAKES_NUMBERS, Flag
from carimbo.fiscal.documents.mdfe.document import MODEL
from carimbo.fiscal.documents.mdfe.event_signing import broken, signed_manifest_event
from carimbo.fiscal.documents.mdfe.events import CLOSED_TOO_EARLY, ClosingRequest, closing_detail
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.access_key import InvalidAccessKey
from carimbo.fiscal.open_documents import ClosingByKey
from carimbo.fiscal.transport.keys import owner_of, parse_key
from carimbo.fiscal.transport.request import DocumentKey

FIRST_SEQUENCE = 1
_THIRD_PARTY = "Se o veículo é da empresa, envie asThirdParty true."
_FIELDS_OF_CLOSING = set(ClosingRequest.model_fields)


class ClosingByKeyRequest(ClosingRequest):
    """Which manifest to close, and where and when its transport ended."""

    access_key: DocumentKey = Field(description="Chave do MDF-e aberto (chMDFe).")
    protocol: Annotated[str, StringConstraints(pattern="^[0-9]{15}$"), TAKES_NUMBERS] = Field(
        description="Protocolo da autorização dele, 15 dígitos (nProt).", examples=["935260000000123"]
    )
    as_third_party: Flag = Field(
        default=False,
        description=(
            "Se quem encerra não é o emitente, mas o dono ou possuidor do veículo de tração"
            " (indEncPorTerceiro)."
        ),
    )


def _issue(request: ClosingByKeyRequest, occurred_at: datetime, issuer: FilingIssuer) -> FilingResult:
    """Signs the closing of a manifest (110112)."""
    try:
        key = parse_key(request.access_key, MODEL, occurred_at.date())
    except InvalidAccessKey as reason:
        return (broken("236", "accessKey", f"A chave do MDF-e é inválida. {reason}"),)
    is_own = owner_of(key) == issuer.company.tax_id
    if not is_own and not request.as_third_party:
        message = "O MDF-e é de outro emitente: só o dono ou possuidor do veículo o encerra por ele."
        return (broken("632", "accessKey", message, _THIRD_PARTY),)
    detail = closing_detail(request, request.protocol, occurred_at, by_third_party=not is_own)
    if isinstance(detail, tuple):
        return detail
    if f"{detail.closed_on:%y%m}" < key.year_month:
        return (broken("615", "closedAt", CLOSED_TOO_EARLY),)
    subject = EventSubject(
        access_key=str(key), protocol=request.protocol, occurred_at=occurred_at, sequence=FIRST_SEQUENCE
    )
    return signed_manifest_event(detail, subject, issuer)


def _own_closing(request: ClosingByKeyRequest) -> ClosingRequest:
    fields = request.model_dump(mode="json", by_alias=True, exclude_none=True, include=_FIELDS_OF_CLOSING)
    return ClosingRequest.model_validate(fields)


CLOSING_BY_KEY = ClosingByKey(
    request=ClosingByKeyRequest,
    access_key=lambda request: request.access_key,
    own_closing=_own_closing,
    issue=_issue,
)
