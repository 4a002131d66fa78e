"""The contract that each document type fills.

The rest of carimbo knows a type only by this contract; no code outside of a type's folder asks for a type by
its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.catalog.filling import CatalogFilling
from carimbo.fiscal.catalog.sale import CatalogSale, DirectSale
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventKind, InutilizationRules
from carimbo.fiscal.issuance import AuthorizedAmounts, Issuance, Lines, Review, SignedIdentity, Software
from carimbo.fiscal.issue_form import IssueForm
from carimbo.fiscal.lifecycle import CLOSED_AT, Status
from carimbo.fiscal.module_settings import LAST_NUMBER, ModuleSettings
from carimbo.fiscal.municipal_agreement import Jurisdiction
from carimbo.fiscal.open_documents import ClosingByKey, OpenTerm
from carimbo.fiscal.own_documents import ReferenceFilling
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.receiving import Receiving
from carimbo.fiscal.rules import Hint
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedDocument


@dataclass(frozen=True, slots=True)
class NumberingRules:
    """How documents of a type are numbered."""

    last_number: int = LAST_NUMBER
    """The last number of a series."""
    is_by_authority: bool = False
    """Whether the authority assigns number and key, and ours only identify the request."""
    taken_code: str = "204"
    """The authority's code for a number that is taken."""
    inutilization: InutilizationRules | None = None
    """For a type whose unused numbers are inutilized at the authority."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """The requirements on a company for issuing documents of a type."""

    state_registration: bool = True
    """Whether a state registration is required."""
    settings: Callable[[Any, Environment], tuple[str, ...]] | None = None
    """Returns the settings that are missing in an environment, by names of our JSON: `nfce.csc`."""
    setting_words: Mapping[str, str] = field(default_factory=dict)
    """Portuguese words for these settings, by the same names."""
    rules: Callable[[Company, Software, date], tuple[str, ...]] | None = None
    """Returns what company and installation lack for the rules of a day, by names of our JSON."""
    shortcut: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the settings that are missing for the shortcut form of a request, by names of our JSON."""


@dataclass(frozen=True, slots=True)
class PointOfSale:
    """For a type whose documents a point of sale may print before it sends them to us."""

    printed_emission: Callable[[Any, Company, Environment], Emission | tuple[Problem, ...] | None]
    """Returns the emission of a printed document, or its problems; None if the document is not printed."""
    printed_key: Callable[[Any], str | None]
    """Returns the access key of a printed document; None if the document is not printed."""
    printed_fields: Callable[[Any], Mapping[str, Any]]
    """Returns the fields of a request that a correction can't change, by names of our JSON."""
    transmission_deadline: Callable[[datetime, str], datetime]
    """Returns the deadline for sending a document, by the moment and the state of its offline issue."""


@dataclass(frozen=True, slots=True)
class Municipal:
    """For a type that depends on the agreements of municipalities with the authority."""

    jurisdiction: Callable[[Any, Company, Any], Jurisdiction]
    """Returns the municipalities whose rules apply to a request of a company with its settings."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """For a type whose documents may replace others, which cancels those."""

    replaced_id: Callable[[Any], UUID | None]
    """Returns the id of the document of ours that a request replaces."""
    path: str
    """The field of the body that names it."""


def _no_date(_request: Any) -> date | None:
    """Returns None, for requests without a date."""


@dataclass(frozen=True, slots=True)
class Issuing:
    """How requests of a type become signed documents. Functions take validated requests."""

    request: type[Body]
    review: Callable[[Any, Issuance], Review]
    """Checks a request; the signature that it makes on the way is discarded."""
    issue: Callable[[Any, Issuance], SignedDocument | tuple[Problem, ...]]
    """Returns the signed document, or all problems that prevent it."""
    external_id: Callable[[Any], str | None]
    """Returns the identifier of the order in the caller's own system."""
    hint: Callable[[str, str], Hint | None]
    """Returns where to look in the request and what to change, by the authority's code and message."""
    identity: Callable[[bytes], SignedIdentity]
    """Reads access key and issue date from a signed document of ours."""
    addressee: Callable[[Any], Addressee | None]
    """Returns the recipient of the document."""
    archived: Callable[[bytes, bytes], bytes]
    """Joins signed document and authorization; the result is the file with legal force."""
    refused: Callable[[bytes, bytes | None], bytes]
    """Joins signed document and refusal, if there is one, to a file for people."""
    schema: Schema
    """The XSD of its documents, which the worker compiles when it starts."""
    papers: tuple[PaperSize, ...]
    """The paper sizes of its documents, the default first."""
    print_name: str
    """The beginning of the names of its PDF files."""
    issue_date: Callable[[Any], date | None] = _no_date
    """Returns the issue date that a request has."""
    authorized_amounts: Callable[[bytes], AuthorizedAmounts] | None = None
    """Reads the amounts that the authority computed from its authorization."""
    lines: Callable[[bytes], Lines] | None = None
    """Reads the lines of a signed document, for a type whose lines callers may read."""
    totals: Callable[[bytes], Mapping[str, Any]] | None = None
    """Reads the totals of a signed document, for a type whose lines can be read."""
    waits: Callable[[Any], bool] | None = None
    """Returns whether a request is only to be stored, as a draft that is sent later."""
    fits_contingency: Callable[[Any], bool] = lambda request: True
    """Returns whether contingency authorities accept the document of a request."""
    stale_after: timedelta | None = None
    """The greatest age of a signed document when it is first sent; None if the authority does not care."""


@dataclass(frozen=True, slots=True)
class StoredFacts:
    """The stored facts of a document from which a type reads its own fields."""

    series: int
    number: int
    """Our own number, of the attempt in force."""
    events: Mapping[str, Any]
    """Facts from the events of the document, by the names of our JSON."""


@dataclass(frozen=True, slots=True)
class OwnFields:
    """Fields in the records of documents that only one type fills; they are None for all others."""

    record: type[Record]
    """The fields with their descriptions."""
    read: Callable[[StoredFacts], Mapping[str, Any]]
    """Returns the values for a document with a number, by the names of the fields."""


@dataclass(frozen=True, kw_only=True)
class SettingsModule:
    """A document type as far as settings and webhooks know it."""

    name: str
    """`type` in records, and the name of the module in a company's settings."""
    title: str
    """Its usual name, as `NF-e`."""
    model: str
    """The two digits that identify it in keys and at the authorities; empty if it has none."""
    settings: type[ModuleSettings]
    event_prefix: str
    """The beginning of the names of its events, as in `nfe.authorized`."""
    event_group: str
    """The list in a webhook's `events` that has these names."""
    feature: str | None = None
    """The feature that a subscription needs to issue it."""
    numbering: NumberingRules = NumberingRules()
    switched_by: str | None = None
    """The module whose switch and environment it follows; None if it has its own."""
    secret_settings: tuple[str, ...] = ()
    """Dotted paths of settings that are encrypted in the database and masked in answers."""

    @property
    def switch_module(self) -> str:
        """The module whose settings say whether, and in which environment, its documents are issued."""
        return self.switched_by or self.name


@dataclass(frozen=True, kw_only=True)
class DocumentType(SettingsModule):
    """A type of fiscal document that can be issued. Capabilities that it lacks are None."""

    is_masculine: bool = False
    """Whether its title is masculine in Portuguese: "um CT-e", but "uma NF-e"."""
    collection: str
    """The collection in which it is created: `/v1/companies/{companyId}/{collection}`."""
    shared_collection: str | None = None
    """The collection of another type, if documents are read and changed there."""
    namespace: str
    """Types of one namespace share their idempotency keys."""
    issuing: Issuing
    holds_while_inactive: bool = False
    """Whether documents stay drafts while the company's module with the switch is not active."""
    is_urgent: bool = False
    """Whether a person waits for it, as at a counter: then it has priority."""
    requirements: Requirements = Requirements()
    contingencies: Mapping[str, EmissionType] = field(default_factory=dict)
    """The emission type (tpEmis) for each contingency authority."""
    offline_emission: EmissionType | None = None
    """The emission type of documents that are issued while their authority is out, and sent to it later."""
    events: tuple[EventKind, ...] = ()
    """The events that its documents may have after the authorization."""
    prints_events: bool = False
    """Whether the printed document shows its registered events, as the drivers who were added."""
    closing_by_key: ClosingByKey | None = None
    """For a type whose open documents of other programs can be listed and closed."""
    open_term: OpenTerm | None = None
    """For a type whose documents must be closed."""
    line_kinds: Mapping[str, str] = field(default_factory=dict)
    """Portuguese words for the `type` of lines, for a type whose lines are of several kinds."""
    counts: Mapping[str, str] = field(default_factory=dict)
    """Portuguese labels of its totals that are numbers of things and not amounts, by names of our JSON."""
    own_fields: OwnFields | None = None
    """For a type whose records have additional fields."""
    point_of_sale: PointOfSale | None = None
    municipal: Municipal | None = None
    replacement: Replacement | None = None
    replaced_key: Callable[[Any], str | None] | None = None
    """Returns the key of the document that a request replaces, for a type whose replaced documents stay
    authorized."""
    direct_sale: Callable[[Any, Company], DirectSale] | None = None
    """Returns the sale of a document that is created directly, by request and issuer."""
    catalog_sale: CatalogSale | None = None
    """For a type that sales of the catalog may create."""
    catalog_filling: CatalogFilling | None = None
    """For a type whose requests, created directly, are filled from the catalog."""
    reference_filling: ReferenceFilling | None = None
    """For a type whose requests are filled from other documents of the company."""
    form: IssueForm | None = None
    """For a type whose documents people issue in a form; those of the others are issued by programs only."""
    receiving: Receiving | None = None
    """For a type whose documents of other issuers an authority distributes to the company."""

    @property
    def singular_with_article(self) -> str:
        """A document in a Portuguese sentence, as `uma NF-e`."""
        return f"{'um' if self.is_masculine else 'uma'} {self.title}"

    @property
    def plural_with_article(self) -> str:
        """All documents in a Portuguese sentence, as `as NF-e`."""
        return f"{'os' if self.is_masculine else 'as'} {self.title}"

    @property
    def read_collection(self) -> str:
        """The collection in which documents are read, changed and canceled."""
        return self.shared_collection or self.collection

    def event_named(self, name: str) -> EventKind:
        """Returns the event kind with a name; raises LookupError if the type has none."""
        for event in self.events:
            if event.name == name:
                return event
        raise LookupError(f"{self.name} has no {name}")

    def undoing_of(self, name: str) -> EventKind | None:
        """Returns the event kind that undoes events with a name, if there is one."""
        return next((event for event in self.events if event.undoes and event.undoes.event == name), None)

    @property
    def has_contingency(self) -> bool:
        """Whether its documents are issued while the normal authority is out of service."""
        return bool(self.contingencies) or self.offline_emission is not None

    @property
    def cancellation(self) -> EventKind | None:
        """The event that cancels its documents, if there is one."""
        return next((event for event in self.events if event.effect.status is Status.CANCELED), None)

    @property
    def closing(self) -> EventKind | None:
        """The event that closes its documents, which stay authorized, if there is one."""
        return next((event for event in self.events if event.effect.fact == CLOSED_AT), None)
