"""Events, which change or complete a document after its authorization: written, signed, checked, named.

A family adds the details of its events and the group of the part that is signed.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey, event_id
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.json_form import unwritable_values
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.signed_part import signed_message, write_part
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schema, Schemas

NATIONAL_ORGAN = "91"
"""The national environment, which registers the recipients' manifestations."""

_ORGAN = re.compile(rb"<cOrgao>([0-9]{2})</cOrgao>")
# NF-e writes the sequence with two digits, CT-e and MDF-e with three.
_ID = re.compile(rb'<infEvento [^>]*?Id="(ID([0-9]{6})([0-9A-Z]{44})([0-9]{2,3}))"')


class Detail(Protocol):
    """The group `detEvento` of one type of event."""

    @property
    def event_type(self) -> str:
        """Its official number."""


D = TypeVar("D", bound=Detail)


@dataclass(frozen=True, slots=True)
class SefazEvent(ABC, Generic[D]):
    """An event of a document, declared by its issuer or its recipient."""

    dialect: ClassVar[Dialect]
    organ: str
    """IBGE code of the issuer's state, or `NATIONAL_ORGAN`."""
    environment: str
    tax_id: str
    """CNPJ or CPF of its author."""
    access_key: AccessKey
    occurred_at: datetime
    sequence: int
    """Counts the events of one type on one document, from 1."""
    detail: D

    @property
    def id(self) -> str:
        """The unique identifier of the event."""
        digits = self.dialect.sequence_digits
        return event_id(self.detail.event_type, self.access_key, self.sequence, digits)

    @property
    def cnpj(self) -> str | None:
        """The author's CNPJ; None if it is a person."""
        return None if is_cpf(self.tax_id) else self.tax_id

    @property
    def cpf(self) -> str | None:
        """The author's CPF; None if it is a company."""
        return self.tax_id if is_cpf(self.tax_id) else None

    @property
    def heading(self) -> dict[str, Any]:
        """The fields before the detail, by the names that the groups of all families have."""
        return {
            "id": self.id,
            "organ": self.organ,
            "environment": self.environment,
            "cnpj": self.cnpj,
            "cpf": self.cpf,
            "access_key": self.access_key,
            "occurred_at": self.occurred_at,
            "event_type": self.detail.event_type,
            "sequence": self.sequence,
        }

    @abstractmethod
    def information(self) -> Any:
        """Returns the part that is signed, as a group of the family's layout (`infEvento`)."""


def signed_event(event: SefazEvent[Any], signer: Signer) -> bytes:
    """Returns the event with its signature, as authorities accept it."""
    dialect = event.dialect
    part = write_part(event.information(), dialect.namespace)
    return signed_message(dialect.event_tag, dialect.event_version, part, signer)


Check = Callable[[etree._Element], tuple[Problem, ...]]
"""Returns the problems of a signed event by its XSD, or by checks of our own if it has none."""


def issue(event: SefazEvent[Any], signer: Signer, check: Check) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it, or returns everything that is wrong with it."""
    highest = 10**event.dialect.sequence_digits - 1
    # The XSD of manifestations accepts any two digits.
    wrong_sequence = (
        ()
        if 1 <= event.sequence <= highest
        else (Problem(SCHEMA_PROBLEM, "sequence", f"A sequência vai de 1 a {highest}."),)
    )
    if not 0 <= event.sequence <= highest:
        return wrong_sequence
    if unwritable := tuple(unwritable_values(event.information())):
        return (*wrong_sequence, *unwritable)
    signed = signed_event(event, signer)
    refused = check(etree.fromstring(signed))
    paths = {problem.path for problem in refused}
    return (*(problem for problem in wrong_sequence if problem.path not in paths), *refused) or signed


def issue_with_detail(
    event: SefazEvent[Any], of_all: Schema, signer: Signer, schemas: Schemas
) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it by the XSD of all events, which skips the detail, and by that of its type.

    The detail names the XSD of its type (`schema`).
    """
    information = type(event.information())
    content_path = f".//{{{event.dialect.namespace}}}detEvento/*"

    def check(root: etree._Element) -> tuple[Problem, ...]:
        content = root.find(content_path)
        of_type = () if content is None else schemas.problems(event.detail.schema, content, information)
        return schemas.problems(of_all, root, information) + of_type

    return issue(event, signer, check)


@dataclass(frozen=True, slots=True)
class EventIdentity:
    """Identifier of a signed event, and the organ that registers it."""

    organ: str
    id: str
    type: str
    access_key: AccessKey
    sequence: int


def event_identity(signed: bytes) -> EventIdentity:
    """Reads the identity of an event that we signed."""
    organ, identifier = _ORGAN.search(signed), _ID.search(signed)
    if organ is None or identifier is None:
        raise LookupError("a signed event has no Id or no organ")
    whole, event_type, key, sequence = (part.decode() for part in identifier.groups())
    return EventIdentity(organ[1].decode(), whole, event_type, AccessKey.parse(key), int(sequence))
