"""The types of events of NF-e and NFC-e (MOC 7.0, 5.8 to 5.11; NT 2018.004; NT 2020.001)."""

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.sefaz.event_type import EventType

_BOTH = frozenset({NFE, NFCE})

CANCELLATION = EventType(
    code="110111",
    description="Cancelamento homologado",
    schema=Schema.NFE_CANCELLATION,
    models=_BOTH,
    is_bound=True,
    refused_in={DocumentStatus.CANCELED: "420"},
    leads_to=DocumentStatus.CANCELED,
    names_recipient=True,
)
SUBSTITUTION = EventType(
    code="110112",
    description="Cancelamento homologado",
    models=frozenset({NFCE}),
    is_bound=True,
    refused_in={DocumentStatus.CANCELED: "420"},
    leads_to=DocumentStatus.CANCELED,
    names_recipient=True,
)
"""No package at hand has its XSD: see `event_case`."""
CORRECTION = EventType(
    code="110110",
    description="Carta de Correção registrada",
    schema=Schema.NFE_CORRECTION,
    last_sequence=20,
    models=_BOTH,
    in_contingency=False,
    is_bound=True,
    refused_in={DocumentStatus.CANCELED: "580"},
)
CONFIRMED = EventType(
    code="210200",
    description="Confirmacao de Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    # A recipient may change its mind once (NT 2020.001).
    last_sequence=2,
    is_national=True,
    by_issuer=False,
)
ACKNOWLEDGED = EventType(
    code="210210",
    description="Ciencia da Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    is_national=True,
    by_issuer=False,
    refused_in={DocumentStatus.CANCELED: "650"},
)
UNKNOWN = EventType(
    code="210220",
    description="Desconhecimento da Operacao registrada",
    schema=Schema.NFE_MANIFESTATION,
    last_sequence=2,
    is_national=True,
    by_issuer=False,
    refused_in={DocumentStatus.CANCELED: "651"},
)
NOT_PERFORMED = EventType(
    code="210240",
    description="Operacao nao Realizada registrada",
    schema=Schema.NFE_MANIFESTATION,
    last_sequence=2,
    is_national=True,
    by_issuer=False,
)

CANCELLATIONS = (CANCELLATION, SUBSTITUTION)
ISSUER_EVENTS = (*CANCELLATIONS, CORRECTION)
CONCLUSIVE = (CONFIRMED, UNKNOWN, NOT_PERFORMED)
"""Manifestations that say how the operation ended."""
MANIFESTATIONS = (ACKNOWLEDGED, *CONCLUSIVE)
EVENT_TYPES = {event_type.code: event_type for event_type in (*ISSUER_EVENTS, *MANIFESTATIONS)}
