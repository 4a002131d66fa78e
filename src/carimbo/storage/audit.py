"""The audit: what people and programs changed, besides the histories of documents.

Documents have their own histories (`document_events.py`). An entry is added in the transaction of its change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from carimbo.storage.actors import SCHEDULE, Actor, ActorKind, actor_of
from carimbo.storage.connection import Connection, Row
from carimbo.storage.identifiers import new_id
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than


class AuditAction(StrEnum):
    """The actions in the audit. Their names are stored: never rename one."""

    COMPANY_CREATED = "company.created"
    COMPANY_CHANGED = "company.changed"
    COMPANY_DELETED = "company.deleted"
    CERTIFICATE_STORED = "certificate.stored"
    CERTIFICATE_DELETED = "certificate.deleted"
    ENVIRONMENT_SWITCHED = "environment.switched"
    SETTINGS_CHANGED = "settings.changed"
    LOGO_STORED = "logo.stored"
    LOGO_DELETED = "logo.deleted"
    STATE_REGISTRATION_ADDED = "stateRegistration.added"
    STATE_REGISTRATION_DELETED = "stateRegistration.deleted"
    DEFAULT_REGISTRATION_CHOSEN = "stateRegistration.defaultChosen"
    CONTINGENCY_CHANGED = "contingency.changed"
    NUMBERING_CHANGED = "numbering.changed"
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_CHANGED = "webhook.changed"
    WEBHOOK_ACTIVATED = "webhook.activated"
    WEBHOOK_DEACTIVATED = "webhook.deactivated"
    WEBHOOK_DELETED = "webhook.deleted"
    WEBHOOK_SECRET_ROTATED = "webhook.secretRotated"  # noqa: S105
    WEBHOOK_TESTED = "webhook.tested"
    WEBHOOK_RESENT = "webhook.resent"
    CREDENTIAL_ROTATED = "credential.rotated"
    CUSTOMER_CREATED = "customer.created"
    CUSTOMER_CHANGED = "customer.changed"
    CUSTOMER_DELETED = "customer.deleted"
    PRODUCT_CREATED = "product.created"
    PRODUCT_CHANGED = "product.changed"
    PRODUCT_DELETED = "product.deleted"
    SALE_CREATED = "sale.created"
    SALE_CHANGED = "sale.changed"
    SALE_DELETED = "sale.deleted"
    SALE_EMITTED = "sale.emitted"
    SALE_CANCELED = "sale.canceled"
    DOCUMENT_DISCARDED = "document.discarded"
    DOCUMENT_EMAILED = "document.emailed"
    DOCUMENT_CLOSED_BY_KEY = "document.closedByKey"
    DOCUMENT_DISMISSED = "document.dismissed"
    WORK_RESUMED = "work.resumed"
    WORK_HELD = "work.held"
    SECRETS_REKEYED = "secrets.rekeyed"
    INUTILIZATION_FILED = "inutilization.filed"
    IMPORT_STARTED = "import.started"
    IMPORT_CANCELED = "import.canceled"
    RECEPTION_STARTED = "received.followingStarted"
    RECEPTION_STOPPED = "received.followingStopped"
    RECEIVED_IMPORTED = "received.imported"
    MANIFESTATION_FILED = "manifestation.filed"
    SUBSCRIPTION_CREATED = "subscription.created"
    SUBSCRIPTION_PLAN_CHANGED = "subscription.planChanged"
    SUBSCRIPTION_FEATURES_CHANGED = "subscription.featuresChanged"
    PLAN_DEFINED = "plan.defined"
    PERSON_INVITED = "person.invited"
    PERSON_JOINED = "person.joined"
    PERSON_CHANGED = "person.changed"
    MEMBERSHIP_CHANGED = "membership.changed"
    MEMBERSHIP_REMOVED = "membership.removed"
    INVITATION_WITHDRAWN = "invitation.withdrawn"
    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105
    PASSWORD_RESET_REQUESTED = "password.resetRequested"  # noqa: S105
    PUBLIC_RESET_REQUESTED = "password.publicResetRequested"
    """Requested on a page that everybody can open; nobody signed in, so the actor is this installation."""
    PASSKEY_ADDED = "passkey.added"
    PASSKEY_REMOVED = "passkey.removed"
    SECOND_FACTOR_ENABLED = "secondFactor.enabled"
    SECOND_FACTOR_DISABLED = "secondFactor.disabled"
    EXPORT_CREATED = "export.created"
    LINK_CREATED = "link.created"
    LINK_REVOKED = "link.revoked"
    LINK_DOWNLOADED = "link.downloaded"
    """Done by a person with the link; nobody signed in, so the actor is this installation."""
    EXPORT_SCHEDULE_SAVED = "exportSchedule.saved"
    EXPORT_SCHEDULE_DELETED = "exportSchedule.deleted"
    EXPORT_SCHEDULE_STOPPED = "exportSchedule.stopped"
    """The person who saved it may not export any more."""


@dataclass(frozen=True, kw_only=True)
class AuditEntry:
    """A stored entry."""

    id: UUID
    company_id: UUID | None
    actor: Actor
    action: str
    subject_id: str | None
    subject_name: str | None
    details: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class AuditFilter:
    """A filter of the entries of a subscription; None matches all."""

    actor_kind: ActorKind | None = None
    actor_name: str | None = None
    """A part of the name, in any letter case."""
    actions: frozenset[str] | None = None
    company_id: UUID | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None


_COLUMNS = "id, company_id, actor, action, subject_id, subject_name, details, created_at"
_MATCHES = """
    from audit_entries where subscription_id = $1
        and ($2::uuid is null or company_id = $2)
        and ($3::text is null or actor ->> 'kind' = $3)
        and ($4::text is null or strpos(lower(actor ->> 'name'), lower($4)) > 0)
        and ($5::text[] is null or action = any($5))
        and created_at >= coalesce($6::timestamptz, '-infinity')
        and created_at < coalesce($7::timestamptz, 'infinity')
"""


class Audit:
    """The entries of one subscription, or of the installation."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(
        self,
        action: AuditAction,
        *,
        company_id: UUID | None = None,
        subject_id: UUID | str | None = None,
        subject_name: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Stores what the actor of the tenant did; without an actor, this installation did it itself.

        Details are names of changed fields and harmless values, never secrets, and never files.
        """
        await self._connection.execute(
            "insert into audit_entries"
            " (subscription_id, id, company_id, actor, action, subject_id, subject_name, details)"
            " values ($1, $2, $3, $4, $5, $6, $7, $8)",
            self._subscription_id, new_id(), company_id, (self._actor or SCHEDULE).as_json(), action.value,
            None if subject_id is None else str(subject_id), subject_name, dict(details or {}),
        )  # fmt: skip

    async def page(self, wanted: AuditFilter, offset: int, size: int) -> list[AuditEntry]:
        """Returns a page of entries, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} {_MATCHES} order by created_at desc, id desc offset $8 limit $9",
            *self._values(wanted), offset, size,
        )  # fmt: skip
        return [_entry(row) for row in rows]

    async def older(self, wanted: AuditFilter, after: Position | None, size: int) -> KeysetPage[AuditEntry]:
        """Returns the entries after a place in the list, newest first."""
        values = self._values(wanted)
        beyond = older_than(after, "created_at, id", values)
        rows = await self._connection.fetch(
            f"select {_COLUMNS} {_MATCHES}{beyond} order by created_at desc, id desc limit {size}", *values
        )
        return keyset_page(list(map(_entry, rows)), size, lambda row: (row.created_at, row.id))

    async def count(self, wanted: AuditFilter) -> int:
        """Returns how many entries a filter matches."""
        total: int = await self._connection.fetchval(f"select count(*) {_MATCHES}", *self._values(wanted))
        return total

    def _values(self, wanted: AuditFilter) -> list[Any]:
        return [
            self._subscription_id,
            wanted.company_id,
            wanted.actor_kind,
            wanted.actor_name,
            None if wanted.actions is None else sorted(wanted.actions),
            wanted.created_from,
            wanted.created_before,
        ]


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(**dict(row) | {"actor": actor_of(row["actor"])})
