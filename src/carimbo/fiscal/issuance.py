"""The inputs of a document besides its request, and the results of reviewing and reading one."""

import base64
import hashlib
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas

STATES_DEMANDING_RESPONSIBLE = frozenset({"AM", "MS", "PE", "PR", "SC", "TO"})
"""States that require infRespTec in NF-e (NT 2018.005 v1.30); in the others it is optional."""
RESPONSIBLE_SETTINGS = (
    "CARIMBO_RESPONSIBLE_TAX_ID",
    "CARIMBO_RESPONSIBLE_CONTACT",
    "CARIMBO_RESPONSIBLE_EMAIL",
    "CARIMBO_RESPONSIBLE_PHONE",
)
"""The settings of the installation with the technical responsible."""

_ISSUED_AT = re.compile(rb"<dhEmi>([^<]+)</dhEmi>")


@dataclass(frozen=True, slots=True)
class Csrt:
    """The security code that a state gives to the technical responsible of a program (NT 2018.005)."""

    id: str
    token: str = field(repr=False)


def csrt_proof(token: str, key: AccessKey) -> str:
    """Returns the proof of a security code in a document: SHA-1 of code and key, as NT 2018.005 requires."""
    digest = hashlib.sha1(f"{token}{key}".encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


@dataclass(frozen=True, slots=True)
class Software:
    """The issuing program: name and version (`verProc`) and technical responsible (`infRespTec`)."""

    name: str
    responsible: TechnicalResponsible | None = None
    csrt: Csrt | None = None

    def responsible_for(self, key: AccessKey) -> TechnicalResponsible | None:
        """Returns the technical responsible, with the proof for a document if the state has given a code."""
        if self.responsible is None or self.csrt is None:
            return self.responsible
        return replace(self.responsible, csrt_id=self.csrt.id, csrt_hash=csrt_proof(self.csrt.token, key))

    def missing_settings(self, state: str, demanding: Container[str]) -> tuple[str, ...]:
        """Returns the settings of the responsible, if they are missing in a state that requires one."""
        return RESPONSIBLE_SETTINGS if state in demanding and self.responsible is None else ()


@dataclass(frozen=True, slots=True)
class ReplacedDocument:
    """A document of ours that a new one replaces."""

    access_key: str
    signed: bytes = field(repr=False)
    """The signed XML."""


@dataclass(frozen=True, slots=True)
class ExternalFacts:
    """Facts from outside that a document depends on."""

    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    """The agreements of municipalities with the authority, by IBGE code, as far as they are known."""
    iss_rate: Decimal | None = None
    """The ISS rate of the taxing municipality at the authority, in percent, if it was asked for and known."""
    replaced: ReplacedDocument | None = None
    """The document that this one replaces, if it may be replaced."""


@dataclass(frozen=True, slots=True)
class Issuance:
    """All inputs of a signed document except its request."""

    company: Company
    emission: Emission
    software: Software
    settings: ModuleSettings
    signer: Signer
    schemas: Schemas
    now: datetime
    """The current moment; the authorities compare the document's date with theirs."""
    asked_at: datetime | None = None
    """When the document was requested, if that was earlier: it may wait for its authority for days."""
    external_facts: ExternalFacts = ExternalFacts()
    other_settings: tuple[ModuleSettings, ...] = ()
    """The settings of the company's other modules."""
    unfilled: tuple[Problem, ...] = ()
    """Problems of filling the request from the catalog, if it is only reviewed."""


Lines = tuple[Mapping[str, Any], ...]
"""The lines of a document for callers: exact values by the names of our JSON."""


class Preview(Protocol):
    """The document that a request would become."""

    @property
    def amount(self) -> Decimal:
        """The total amount."""

    @property
    def totals(self) -> Mapping[str, Any]:
        """All totals, exact values by the names of our JSON."""

    @property
    def lines(self) -> Lines:
        """The lines."""

    @property
    def xml(self) -> bytes:
        """The unsigned XML."""


@dataclass(frozen=True, slots=True)
class Review:
    """The result of checking a request before it gets a number."""

    problems: tuple[Problem, ...] = ()
    """All reasons why it can't be issued."""
    warnings: tuple[str, ...] = ()
    """Assumptions and possible refusals, as sentences in Portuguese."""
    preview: Preview | None = None
    """None if the document can't be composed or written."""

    @property
    def amount(self) -> Decimal:
        """The total amount of the document; zero without a preview."""
        return self.preview.amount if self.preview else Decimal(0)


@dataclass(frozen=True, slots=True)
class SignedIdentity:
    """The access key and the issue date of a signed document."""

    access_key: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class AuthorizedAmounts:
    """Amounts that an authority computed for a document; None for those that it did not."""

    total_due: Decimal | None = None
    """The amount that the customer pays, if taxes are added to it."""
    cbs_rate: Decimal | None = None
    """The CBS rate that it applied, in percent."""
    expected_cbs_rate: Decimal | None = None
    """The CBS rate in our table, in percent; None while it is unknown."""


def signed_identity(key: re.Pattern[bytes], xml: bytes) -> SignedIdentity:
    """Reads key and issue date from a document of ours; the pattern of the key depends on the type."""
    access_key, moment = key.search(xml), _ISSUED_AT.search(xml)
    if access_key is None or moment is None:
        raise LookupError("a signed document has no key or no moment of issue")
    return SignedIdentity(access_key[1].decode(), datetime.fromisoformat(moment[1].decode()))
