"""Superseded attempts as people see them: numbers that may have two documents until the authority answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from carimbo.storage.database import Database
from carimbo.storage.superseded_attempts import UnsettledAttempt

MAX_LISTED = 50
"""How many attempts are listed; there are more only after a long outage."""


@dataclass(frozen=True)
class UnsettledAttempts:
    """The newest attempts of a company whose outcome is unknown."""

    newest: Sequence[UnsettledAttempt]
    total: int


async def list_unsettled_attempts(
    database: Database, subscription_id: UUID, company_id: UUID
) -> UnsettledAttempts:
    """Returns the attempts that another attempt replaced before their outcome was known."""
    async with database.autocommit(subscription_id) as tenant:
        return UnsettledAttempts(*await tenant.superseded_attempts.unsettled(company_id, MAX_LISTED))
