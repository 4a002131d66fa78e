"""Events of the NFS-e: what happens to a note after it was issued."""

import re
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from carimbo.fiscal.ids import nfse_event_id
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, VERSION
from carimbo.fiscal.layouts.group import INLINE, attribute, group, moment, text, variant
from carimbo.fiscal.layouts.paths import problems
from carimbo.fiscal.layouts.signed_part import part_of, signed_message
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.taxpayer import is_cpf

_IDENTIFIER = re.compile(rb'<infPedReg Id="PRE([0-9A-Z]{50})([0-9]{6})"')


@group("e101101")
class Cancellation:
    """`e101101`: the issuer takes a note back."""

    event_type = "101101"
    description: str = text("xDesc", 21, default="Cancelamento de NFS-e")
    reason_code: str = text("cMotivo", 1)
    """1 issued by mistake, 2 service not given, 9 other."""
    reason: str = text("xMotivo", 255, path="justification")


@group("infPedReg")
class EventRequest:
    """`infPedReg`: the part of an event that is signed."""

    id: str = attribute("Id", 59)
    environment: str = text("tpAmb", 1)
    application_version: str = text("verAplic", 20)
    occurred_at: datetime = moment("dhEvento")
    cnpj: str | None = text("CNPJAutor", 14, path="taxId", default=None)
    cpf: str | None = text("CPFAutor", 11, path="taxId", default=None)
    access_key: str = text("chNFSe", 50)
    detail: Cancellation = variant(path=INLINE)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to a note, told by who issued it."""

    environment: str
    application_version: str
    tax_id: str
    """CNPJ or CPF of who tells it."""
    access_key: str
    """As the authority gave it."""
    occurred_at: datetime
    detail: Cancellation

    @property
    def id(self) -> str:
        """The identifier, which no other event has."""
        return nfse_event_id(self.detail.event_type, self.access_key)

    def information(self) -> EventRequest:
        """What is signed of the event."""
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
class EventIdentity:
    """Which event a signed one is; a note has one of each type."""

    type: str
    access_key: str


def event_identity(signed: bytes) -> EventIdentity:
    """Read what a signed event of ours says of itself."""
    identifier = _IDENTIFIER.search(signed)
    if identifier is None:
        raise LookupError("a signed event has no Id")
    key, event_type = (part.decode() for part in identifier.groups())
    return EventIdentity(event_type, key)


def signed_event(event: Event, signer: Signer) -> bytes:
    """The request to register an event, with its signature (pedRegEvento)."""
    return signed_message("pedRegEvento", VERSION, part_of(event.information(), NAMESPACE), signer)


def issue_event(event: Event, signer: Signer, schemas: Schemas) -> bytes | tuple[Problem, ...]:
    """Sign an event and hold it against its XSD, or tell everything that is wrong with it."""
    if unwritable := tuple(problems(event.information())):
        return unwritable
    signed = signed_event(event, signer)
    return schemas.problems(Schema.NFSE_EVENT, etree.fromstring(signed), EventRequest) or signed
