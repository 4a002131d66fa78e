"""Events of every kind."""

from datetime import datetime, timedelta, timezone

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    InvoiceEvent,
    OperationAcknowledged,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
)
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN
from carimbo.fiscal.schemas import Schema
from support import CNPJ

KEY = AccessKey.parse("35261111222333000181550010000000011123456806")
KEY_WITH_LETTERS = AccessKey.parse("35261112ABC34501DE35550010000000071123456860")
NFCE_KEY = AccessKey.parse("35261111222333000181650010000000109123456897")
NOON = datetime(2026, 11, 14, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-3)))
REASON = "Cancelamento por erro de digitação"
CANCELLATION = Cancellation(protocol="135260000000001", reason=REASON)

SUBSTITUTION = CancellationBySubstitution(
    author_state_code="35",
    application_version="carimbo 1.0",
    protocol="135260000000001",
    reason=REASON,
    replaced_by=str(NFCE_KEY),
)

CASES: list[tuple[Detail, Schema]] = [
    (CANCELLATION, Schema.NFE_CANCELLATION),
    (Correction(correction="Corrigir o número do pedido para 123"), Schema.NFE_CORRECTION),
    (OperationConfirmed(), Schema.NFE_MANIFESTATION),
    (OperationAcknowledged(), Schema.NFE_MANIFESTATION),
    (OperationUnknown(), Schema.NFE_MANIFESTATION),
    (OperationUnknown(reason="Nunca compramos desta empresa"), Schema.NFE_MANIFESTATION),
    (OperationNotPerformed(reason="Mercadoria recusada no recebimento"), Schema.NFE_MANIFESTATION),
]


def event_of(detail: Detail, key: AccessKey = KEY, tax_id: str = CNPJ, sequence: int = 1) -> InvoiceEvent:
    organ = NATIONAL_ORGAN if detail.event_type.startswith("2") else "35"
    return InvoiceEvent(organ, "2", tax_id, key, NOON, sequence, detail)
