"""The parts of the overview: what each item says. Every item names its company."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, TypeVar
from uuid import UUID

from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.receiving.stream_warnings import StreamWarning
from carimbo.storage.companies import CompanyRow

Item = TypeVar("Item")


@dataclass(frozen=True)
class Part(Generic[Item]):
    """How many items there are, and the first of them: the newest or the most urgent."""

    total: int = 0
    items: tuple[Item, ...] = ()

    def __bool__(self) -> bool:
        return self.total > 0


@dataclass(frozen=True)
class NamedCompany:
    """The company of an item."""

    id: UUID
    tax_id: str
    name: str

    @classmethod
    def of(cls, row: CompanyRow) -> "NamedCompany":
        """Returns the company of a row."""
        return cls(row.id, row.tax_id, row.shown_name)


@dataclass(frozen=True)
class RejectedDocument:
    """A rejected document of a group."""

    company: NamedCompany
    id: UUID
    type: str
    number: int | None


@dataclass(frozen=True, kw_only=True)
class RejectionGroup:
    """Documents that are rejected now with the same code.

    `types` and `companies` are, with the status `rejected`, the filter of a list of these documents.
    """

    environment: str
    code: str
    message: str
    """The message of the authority about the newest one; the others may name another item or field."""
    hint: str | None
    documents: int
    last_at: datetime
    types: tuple[str, ...]
    companies: tuple[NamedCompany, ...]
    newest: tuple[RejectedDocument, ...]


@dataclass(frozen=True, kw_only=True)
class Rejections:
    """Rejected documents of the last days, by code, the largest group first."""

    groups: Part[RejectionGroup]
    documents: int
    """How many documents the groups have, also those that are not shown."""
    others: int
    """How many other documents are rejected: long ago, or before those of the groups."""
    is_cut: bool
    """Whether there are so many that only the newest of the last days are in the groups."""

    def __bool__(self) -> bool:
        return bool(self.groups) or self.others > 0


@dataclass(frozen=True, kw_only=True)
class ParkedItem:
    """Work that waits until a person resumes or dismisses it."""

    company: NamedCompany
    kind: str
    id: UUID
    queued_at: datetime
    reason: str


@dataclass(frozen=True, kw_only=True)
class CertificateItem:
    """A certificate that is missing, expired, or expires soon."""

    company: NamedCompany
    expires_at: datetime | None
    days_left: int | None
    state: CertificateState | None
    """None if there is no certificate."""


@dataclass(frozen=True, kw_only=True)
class GapItem:
    """Unused numbers of a series that should be inutilized until a deadline."""

    company: NamedCompany
    type: str
    series: int
    numbers: int
    deadline: datetime
    state: str
    """The state of the company, in whose time zone the deadline is the end of a day."""
    is_overdue: bool
    was_refused: bool
    """Whether the authority refused to inutilize some of them."""


@dataclass(frozen=True, kw_only=True)
class OpenManifestItem:
    """An authorized manifest that was not closed."""

    company: NamedCompany
    id: UUID
    type: str
    number: int
    days_open: int
    closes_by: datetime
    """When the authority begins to refuse new ones, if this one is still open."""
    is_late: bool


@dataclass(frozen=True, kw_only=True)
class WebhookItem:
    """A webhook of the subscription that fails, or that was disabled because it failed."""

    id: UUID
    name: str | None
    url: str
    is_disabled: bool
    disabled_reason: str | None
    failing_since: datetime | None


@dataclass(frozen=True, kw_only=True)
class DueReceived:
    """A received document about which its company must conclude soon."""

    company: NamedCompany
    id: UUID
    type: str
    issuer_name: str
    number: int | None
    amount: Decimal | None
    respond_by: datetime
    days_left: int


@dataclass(frozen=True, kw_only=True)
class OverdueDocument:
    """A document that has been processing for longer than usual, and the last answer about it."""

    company: NamedCompany
    id: UUID
    type: str
    number: int | None
    since: datetime
    answer_code: str | None
    answer_message: str | None


@dataclass(frozen=True, kw_only=True)
class AuthorityOutage:
    """An authority that is out of service, with the companies and types that send documents to it."""

    authorizer: str
    model: str
    environment: str
    since: datetime
    code: str | None
    message: str
    types: tuple[str, ...]
    companies: tuple[NamedCompany, ...]
    is_contingency: bool
    """Whether it is the contingency authority, and the normal one may work."""


@dataclass(frozen=True, kw_only=True)
class ContingencyItem:
    """A document type that a company issues in contingency now."""

    company: NamedCompany
    type: str
    is_forced: bool
    authorizer: str
    stand_in: str | None
    """The contingency authority; None if documents are issued offline and sent later."""
    since: datetime | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class StreamItem:
    """A distribution of received documents that is stopped, or that another program reads too."""

    company: NamedCompany
    service: str
    environment: str
    warnings: tuple[StreamWarning, ...]


@dataclass(frozen=True, kw_only=True)
class UnreadyCompany:
    """A company that can't issue a type that it uses, and what it lacks."""

    company: NamedCompany
    missing: tuple[str, ...]
    types: tuple[str, ...]
    """The types that it can't issue."""


@dataclass(frozen=True, kw_only=True)
class Attention:
    """Everything that needs a person now."""

    rejections: Rejections
    parked: Part[ParkedItem]
    certificates: Part[CertificateItem]
    gaps: Part[GapItem]
    open_manifests: Part[OpenManifestItem]
    webhooks: Part[WebhookItem]
    received_due: Part[DueReceived]
    overdue: Part[OverdueDocument]
    outages: Part[AuthorityOutage]
    contingencies: Part[ContingencyItem]
    streams: Part[StreamItem]
    unready: Part[UnreadyCompany]
    unreadable: Part[NamedCompany]
    """Companies whose stored data can't be read, so that nothing is known about them here."""
    unchecked_companies: int
    """Companies for which outages, contingency, streams and readiness were not looked up: there are many."""

    def needs_somebody(self, *, of_webhooks: bool) -> bool:
        """Whether something needs a person, who may or may not see webhooks.

        Outages and contingency need nobody: they end by themselves, or somebody forced the contingency.
        """
        return bool(self.webhooks and of_webhooks) or any(
            (
                self.rejections,
                self.parked,
                self.certificates,
                self.gaps,
                self.open_manifests,
                self.received_due,
                self.overdue,
                self.streams,
                self.unready,
                self.unreadable,
            )
        )


def cut(items: Sequence[Item], limit: int) -> Part[Item]:
    """Returns a part of the first items of a whole list."""
    return Part(len(items), tuple(items[:limit]))
