"""The contract that each document type's folder fills.

What the rest of carimbo knows of a type is what stands here; nothing outside a type's folder asks for a
type by its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.catalog_filling import CatalogFilling
from carimbo.fiscal.catalog_sale import CatalogSale
from carimbo.fiscal.company import Company
from carimbo.fiscal.direct_sale import DirectSale
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Record
from carimbo.fiscal.filing import EventKind, Voiding
from carimbo.fiscal.hint import Hint
from carimbo.fiscal.issuance import AuthorizedAmounts, Issuance, Lines, Review, SignedIdentity
from carimbo.fiscal.lifecycle import CLOSED_AT, Status
from carimbo.fiscal.module_settings import LAST_NUMBER, ModuleSettings
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.printout import Paper
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software

ReviewRequest = Callable[[Any, Issuance], Review]
"""Tells what would keep a validated request from being issued; what is signed for it is thrown away."""

Issue = Callable[[Any, Issuance], SignedDocument | tuple[Problem, ...]]
"""Makes the signed document of a validated request, or tells every problem that keeps it from being made."""

JurisdictionOf = Callable[[Any, Company, Any], Jurisdiction]
"""Returns the municipalities whose rules apply to a request."""

ReplacedBy = Callable[[Any], UUID | None]
"""Tells which document of ours a validated request takes the place of."""

AddresseeOf = Callable[[Any], Addressee | None]
"""Tells whom the document of a validated request is for."""

SaleOf = Callable[[Any, Company], DirectSale]
"""Tells what a validated request of an issuer sells, and to whom."""

HintForRejection = Callable[[str, str], Hint | None]
"""Tells, of an authority's code and words, where to look in the request and what to change."""

ReadIdentity = Callable[[bytes], SignedIdentity]
"""Reads what a signed document of ours says of itself."""

Archived = Callable[[bytes, bytes], bytes]
"""Joins signed document and authorization to the file that has legal force."""

Refused = Callable[[bytes, bytes | None], bytes]
"""Joins what was sent with what came back, which may be nothing, for people to look into."""


ReadAuthorizedAmounts = Callable[[bytes], AuthorizedAmounts]
"""Reads what the authority computed from its authorization."""

LinesOfXml = Callable[[bytes], Lines]
"""Reads the lines of a signed document of ours."""

Waits = Callable[[Any], bool]
"""Tells whether a validated request asks to be stored only."""

MissingSettings = Callable[[Any, Environment], tuple[str, ...]]
"""Tells what a module's settings lack for issuing in an environment, by the names of our JSON: `nfce.csc`."""

MissingForShortcut = Callable[[Any], tuple[str, ...]]
"""Returns the settings that a shortcut request relies on and a company lacks, by the names of our JSON."""

MissingForRules = Callable[[Company, Software, date], tuple[str, ...]]
"""Returns what company and installation lack for the rules of a day, by the names of our JSON."""

PrintedEmission = Callable[[Any, Company, Environment], Emission | tuple[Problem, ...] | None]
"""Reads the emission of a document that was issued elsewhere already; None when it was not."""

TransmissionDeadline = Callable[[datetime, str], datetime]
"""Tells until when what was issued at a moment, offline in a state, has to reach the authority."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the documents of a type are numbered."""

    last_number: int = LAST_NUMBER
    """The last number of a series."""
    is_by_authority: bool = False
    """Whether number and key come with the authorization, and ours are those of the request for it."""
    taken_code: str = "204"
    """The authority's code for a number that another document has."""
    voiding: Voiding | None = None
    """For a type whose unused numbers are given up at the authority."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a company needs before it can issue a type."""

    state_registration: bool = True
    """Whether only a company that its state's tax office knows issues it."""
    settings: MissingSettings | None = None
    """For a type that needs more of its settings than their defaults."""
    rules: MissingForRules | None = None
    """For a type whose rules ask for more of a company than every document has."""
    shortcut: MissingForShortcut | None = None
    """For a type with a shortcut form, which takes what it leaves out from the settings."""


@dataclass(frozen=True, slots=True)
class PointOfSale:
    """For a type whose documents may be on paper before the service hears of them."""

    printed_emission: PrintedEmission
    printed_key: Callable[[Any], str | None]
    """Returns the access key on the paper of a validated request; None if it is to be issued now."""
    printed_fields: Callable[[Any], Mapping[str, Any]]
    """Returns what a correction of a validated request can't change, by the names of our JSON."""
    transmission_deadline: TransmissionDeadline
    """Until when the service has to hear of them."""


@dataclass(frozen=True, slots=True)
class Municipal:
    """For a type that depends on what municipalities have agreed with the authority."""

    jurisdiction: JurisdictionOf


@dataclass(frozen=True, slots=True)
class Replacement:
    """For a type whose documents may take the place of others, which are canceled by that."""

    replaced_id: ReplacedBy


def _no_date(_request: Any) -> date | None:
    """Returns None, for requests that ask for no date."""


@dataclass(frozen=True, slots=True)
class Issuing:
    """How a type's requests become signed documents."""

    request: type[Body]
    review: ReviewRequest
    issue: Issue
    external_id: Callable[[Any], str | None]
    """Returns the identifier of the order in the caller's own system."""
    hint: HintForRejection
    identity: ReadIdentity
    addressee: AddresseeOf
    archived: Archived
    refused: Refused
    schema: Schema
    """What the authority holds its documents against, as we do before they leave; read when work begins."""
    papers: tuple[Paper, ...]
    """What its documents may be printed on, the usual first."""
    print_name: str
    """What the names of its printed files begin with."""
    issue_date: Callable[[Any], date | None] = _no_date
    """Returns the date that a request asks for."""
    authorized_amounts: ReadAuthorizedAmounts | None = None
    """For a type whose taxes are computed by the authority."""
    lines: LinesOfXml | None = None
    """For a type whose documents have lines that callers may read."""
    waits: Waits | None = None
    """For a type whose requests may ask to be stored only, and be sent when told to."""
    stale_after: timedelta | None = None
    """How old a signed document may be when it is first sent; None where its age is no reason to refuse."""


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """What is stored of a document that the fields of a single type are made of."""

    series: int
    number: int
    """Our own number, of the attempt in force."""
    events: Mapping[str, Any]
    """Facts from the events of the document, by the names of our JSON."""


@dataclass(frozen=True, slots=True)
class OwnFields:
    """Fields in the records of documents that a single type fills; they are None for all others."""

    record: type[Record]
    """The fields with their descriptions."""
    read: Callable[[StoredFacts], Mapping[str, Any]]
    """Returns the values of a document that has a number, by the names of the fields."""


@dataclass(frozen=True, kw_only=True)
class SettingsModule:
    """What companies set for a kind of document, and webhooks name, before it can be issued."""

    name: str
    """`type` in records, and the module's name in a company's settings."""
    title: str
    """What people call it."""
    model: str
    """The two digits that tell it from others in keys and at the authorities; empty for one that has none."""
    settings: type[ModuleSettings]
    event_prefix: str
    """What the names of its events begin with, as in `nfe.authorized`."""
    event_group: str
    """The list of a webhook's `events` that holds these names."""
    feature: str | None = None
    """The feature that a subscription needs in order to issue it."""
    numbering: Numbering = Numbering()
    secret_settings: tuple[str, ...] = ()
    """Dotted paths of settings that are sealed at rest and masked on read."""


@dataclass(frozen=True, kw_only=True)
class DocumentType(SettingsModule):
    """One kind of fiscal document that is issued. What only some types have is None for the others."""

    is_masculine: bool = False
    """Whether people say "um" before its title, as of the CT-e, and not "uma"."""
    collection: str
    """Where it is created: `/v1/companies/{companyId}/{collection}`."""
    shared_collection: str | None = None
    """The collection of another type, if its documents are read and changed there."""
    namespace: str
    """Types of one namespace share their idempotency keys."""
    issuing: Issuing
    is_urgent: bool = False
    """Whether somebody stands and waits for it: it goes before the rest."""
    requirements: Requirements = Requirements()
    contingencies: Mapping[str, EmissionType] = field(default_factory=dict)
    """How it is issued at each authority that stands in for a state's own (tpEmis)."""
    events: tuple[EventKind, ...] = ()
    """What may happen to its documents after their authorization."""
    own_fields: OwnFields | None = None
    """For a type whose records have fields of their own."""
    point_of_sale: PointOfSale | None = None
    municipal: Municipal | None = None
    replacement: Replacement | None = None
    direct_sale: SaleOf | None = None
    """For a type whose documents, created directly, make a sale: what was sold, and to whom."""
    catalog_sale: CatalogSale | None = None
    """For a type that sales of the catalog may ask for."""
    catalog_filling: CatalogFilling | None = None
    """For a type whose requests, created directly, take from the catalog what they lack."""

    @property
    def one_of_them(self) -> str:
        """One document in a Portuguese sentence, as `uma NF-e`."""
        return f"{'um' if self.is_masculine else 'uma'} {self.title}"

    @property
    def all_of_them(self) -> str:
        """All documents in a Portuguese sentence, as `as NF-e`."""
        return f"{'os' if self.is_masculine else 'as'} {self.title}"

    @property
    def read_collection(self) -> str:
        """Where its documents are read, changed and canceled."""
        return self.shared_collection or self.collection

    def event_named(self, name: str) -> EventKind:
        """Returns the kind of event with a name; raises LookupError if the type has none."""
        for event in self.events:
            if event.name == name:
                return event
        raise LookupError(f"{self.name} has no {name}")

    @property
    def cancellation(self) -> EventKind | None:
        """The event that cancels its documents, if there is one."""
        return next((event for event in self.events if event.effect.status is Status.CANCELED), None)

    @property
    def closing(self) -> EventKind | None:
        """The event that closes its documents, which stay authorized, if there is one."""
        return next((event for event in self.events if event.effect.fact == CLOSED_AT), None)
