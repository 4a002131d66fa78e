"""Events of the NFS-e: requests of the issuer or the taker to register them, written and signed."""

import re
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from carimbo.fiscal.identity.access_key import nfse_event_id
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, VERSION
from carimbo.fiscal.layouts.group import INLINE, attribute, group, moment, text, variant
from carimbo.fiscal.layouts.json_form import unwritable_values
from carimbo.fiscal.layouts.signed_part import signed_message, write_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas

_IDENTIFIER = re.compile(rb'<infPedReg Id="PRE([0-9A-Z]{50})([0-9]{6})"')


@group("e101101")
class NoteCancellation:
    """`e101101`: the issuer cancels a note."""

    event_type = "101101"
    description: str = text("xDesc", 21, default="Cancelamento de NFS-e")
    reason_code: str = text("cMotivo", 1)
    """1 issued by mistake, 2 service not provided, 9 other."""
    reason: str = text("xMotivo", 255, path="justification")


@group("e203202")
class TakerConfirmation:
    """`e203202`: the taker confirms the service."""

    event_type = "203202"
    description: str = text("xDesc", 46, default="Manifestação de NFS-e - Confirmação do Tomador")


@group("e203206")
class TakerRefusal:
    """`e203206`: the taker refuses a note."""

    event_type = "203206"
    description: str = text("xDesc", 43, default="Manifestação de NFS-e - Rejeição do Tomador")
    reason_code: str = text("cMotivo", 1)
    """1 duplicate, 2 issued by the taker already, 3 no service, 4 wrong taxpayer, 5 wrong amount, 9 other."""
    reason: str | None = text("xMotivo", 255, path="justification", default=None)


NoteEventDetail = NoteCancellation | TakerConfirmation | TakerRefusal
"""The group of an event's type."""


@group("infPedReg")
class EventRequest:
    """`infPedReg`: the signed part of an event."""

    id: str = attribute("Id", 59)
    environment: str = text("tpAmb", 1)
    application_version: str = text("verAplic", 20)
    occurred_at: datetime = moment("dhEvento")
    cnpj: str | None = text("CNPJAutor", 14, path="taxId", default=None)
    cpf: str | None = text("CPFAutor", 11, path="taxId", default=None)
    access_key: str = text("chNFSe", 50)
    detail: NoteEventDetail = variant(path=INLINE)


@dataclass(frozen=True, slots=True)
class NoteEvent:
    """An event of a note, declared by its issuer or its taker."""

    environment: str
    application_version: str
    tax_id: str
    """CNPJ or CPF of the author."""
    access_key: str
    """As the authority assigned it."""
    occurred_at: datetime
    detail: NoteEventDetail

    @property
    def id(self) -> str:
        """The unique identifier of the event."""
        return nfse_event_id(self.detail.event_type, self.access_key)

    def information(self) -> EventRequest:
        """Returns the part that is signed."""
        is_person = is_cpf(self.tax_id)
        return EventRequest(
            id=self.id,
            environment=self.environment,
            application_version=self.application_version,
            occurred_at=self.occurred_at,
            cnpj=None if is_person else self.tax_id,
            cpf=self.tax_id if is_person else None,
            access_key=self.access_key,
            detail=self.detail,
        )


@dataclass(frozen=True, slots=True)
class NoteEventIdentity:
    """Type and note of a signed event; a note has at most one event of each type."""

    type: str
    access_key: str


def event_identity(signed: bytes) -> NoteEventIdentity:
    """Reads the identity of an event that we signed."""
    identifier = _IDENTIFIER.search(signed)
    if identifier is None:
        raise LookupError("a signed event has no Id")
    key, event_type = (part.decode() for part in identifier.groups())
    return NoteEventIdentity(event_type, key)


def signed_event(event: NoteEvent, signer: Signer) -> bytes:
    """Returns the signed request to register an event (pedRegEvento)."""
    return signed_message("pedRegEvento", VERSION, write_part(event.information(), NAMESPACE), signer)


def issue_event(event: NoteEvent, signer: Signer, schemas: Schemas) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it against its XSD, or returns everything that is wrong with it."""
    if unwritable := tuple(unwritable_values(event.information())):
        return unwritable
    signed = signed_event(event, signer)
    return schemas.problems(Schema.NFSE_EVENT, etree.fromstring(signed), EventRequest) or signed
