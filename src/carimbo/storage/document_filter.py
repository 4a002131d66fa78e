"""Which of a company's documents are asked for, and the SQL that finds no others."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """Which documents of a company are meant; None is all."""

    type: str | None = None
    status: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None
    external_id: str | None = None

    @property
    def is_counted(self) -> bool:
        """Tell whether the counters know how many there are."""
        return self.created_from is None and self.created_before is None and self.external_id is None

    def matching(self, subscription_id: UUID, company_id: UUID) -> tuple[str, list[Any]]:
        """The condition of what is asked, and no more: a plan for all that might be asked is a slow one."""
        asked = (
            ("type =", self.type),
            ("status =", self.status),
            ("external_id =", self.external_id),
            ("created_at >=", self.created_from),
            ("created_at <", self.created_before),
        )
        given = [(comparison, value) for comparison, value in asked if value is not None]
        conditions = [f"d.{comparison} ${position}" for position, (comparison, _) in enumerate(given, 3)]
        text = " and ".join(["d.subscription_id = $1", "d.company_id = $2", *conditions])
        return text, [subscription_id, company_id, *(value for _, value in given)]
