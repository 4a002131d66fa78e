"""The public facts of each company's certificate; the certificate itself is a secret."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, only


@dataclass(frozen=True)
class CertificateSummary:
    """The public facts of an A1 certificate."""

    tax_id: str
    subject_name: str
    serial_number: str
    fingerprint: str
    valid_from: datetime
    expires_at: datetime


@dataclass(frozen=True)
class StoredCertificate(CertificateSummary):
    """A summary with the time of the upload."""

    uploaded_at: datetime


@dataclass(frozen=True)
class ExpiringCertificate:
    """A certificate that expires soon, and the last warning about it."""

    subscription_id: UUID
    company_id: UUID
    fingerprint: str
    expires_at: datetime
    warned_days: int | None
    """How many days before its end the last warning was given."""


class Certificates:
    """The current certificates of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def put(self, company_id: UUID, summary: CertificateSummary) -> StoredCertificate:
        """Stores the summary of a company's certificate instead of the previous one."""
        row = await self._connection.fetchrow(
            """
            insert into certificates (subscription_id, company_id, tax_id, subject_name, serial_number,
                fingerprint, valid_from, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (subscription_id, company_id) do update set
                tax_id = excluded.tax_id, subject_name = excluded.subject_name,
                serial_number = excluded.serial_number, fingerprint = excluded.fingerprint,
                valid_from = excluded.valid_from, expires_at = excluded.expires_at, uploaded_at = now(),
                -- The same certificate keeps its warnings.
                warned_days = case when certificates.fingerprint = excluded.fingerprint
                    then certificates.warned_days end
            returning tax_id, subject_name, serial_number, fingerprint, valid_from, expires_at, uploaded_at
            """,
            self._subscription_id, company_id, summary.tax_id, summary.subject_name, summary.serial_number,
            summary.fingerprint, summary.valid_from, summary.expires_at,
        )  # fmt: skip
        return StoredCertificate(**only(row))

    async def get(self, company_id: UUID) -> StoredCertificate | None:
        """Returns the summary of a company's certificate, or None."""
        row = await self._connection.fetchrow(
            "select tax_id, subject_name, serial_number, fingerprint, valid_from, expires_at, uploaded_at"
            " from certificates where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip
        return row and StoredCertificate(**row)

    async def of_companies(self, company_ids: Sequence[UUID]) -> dict[UUID, StoredCertificate]:
        """Returns the summaries of several companies' certificates by company."""
        rows = await self._connection.fetch(
            "select company_id, tax_id, subject_name, serial_number, fingerprint, valid_from, expires_at,"
            " uploaded_at from certificates where subscription_id = $1 and company_id = any($2)",
            self._subscription_id, company_ids,
        )  # fmt: skip
        certificates = {}
        for row in rows:
            company_id, *columns = row.values()
            certificates[company_id] = StoredCertificate(*columns)
        return certificates

    async def warn(self, company_id: UUID, fingerprint: str, days: int) -> bool:
        """Stores a warning; returns False if it was given already or the certificate was replaced."""
        result = await self._connection.execute(
            "update certificates set warned_days = $4 where subscription_id = $1 and company_id = $2"
            " and fingerprint = $3 and (warned_days is null or warned_days > $4)",
            self._subscription_id, company_id, fingerprint, days,
        )  # fmt: skip
        return bool(result == "UPDATE 1")

    async def delete(self, company_id: UUID) -> bool:
        """Deletes the summary of a company's certificate; returns False if there is none."""
        result = await self._connection.execute(
            "delete from certificates where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip
        return bool(result == "DELETE 1")


async def expiring_certificates(
    connection: Connection, after: datetime, until: datetime
) -> list[ExpiringCertificate]:
    """Returns the certificates of all companies that expire in a period, the first to expire first."""
    rows = await connection.fetch(
        "select e.subscription_id, e.company_id, e.fingerprint, e.expires_at, e.warned_days"
        " from certificates e"
        " join companies c on c.subscription_id = e.subscription_id and c.id = e.company_id"
        " where c.deleted_at is null and e.expires_at > $1 and e.expires_at <= $2 order by e.expires_at",
        after, until,
    )  # fmt: skip
    return [ExpiringCertificate(**row) for row in rows]
