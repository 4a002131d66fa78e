"""Which of a company's documents are asked for, and the SQL that finds no others."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.taxpayer import normalize

# Conditions on the document (d) and on its attempt in force (e). A document is known by the number and key
# that the authority gave it, where that is its affair, and by ours until then.
_CONDITIONS = {
    "type": "d.type = {0}",
    "status": "d.status = {0}",
    "external_id": "d.external_id = {0}",
    "created_from": "d.created_at >= {0}",
    "created_before": "d.created_at < {0}",
    "sale_id": "d.sale_id = {0}",
    "recipient_tax_id": "d.recipient_tax_id = {0}",
}
_OF_COMPANY = "subscription_id = $1 and company_id = $2"
_NUMBER = "coalesce({0}assigned_number, {0}number)"
_CONDITIONS_ON_ATTEMPT = {
    "access_key": "(e.access_key = {0} or e.assigned_key = {0})",
    # The array is looked up first: else the planner may read the whole list by age.
    "number": f"{_NUMBER.format('e.')} = {{0}} and d.id = any(array("
    f"select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format('')} = {{0}}))",
    "series": "e.series = {0}",
}
# A query for each way to be found, as no index serves all of them: by the beginning of words of the
# recipient's name, by the caller's own identifier, and by tax id, key and number with or without punctuation.
# Words are cut as recipient_words() cuts them (migration 0020).
_SEARCH = f"""d.id in (
    select id from documents where {_OF_COMPANY} and recipient_name is not null
        and recipient_words(company_id, recipient_name) @@ (
            select string_agg('''' || $2::uuid || ':' || left(searchable(word), 200) || ''':*', ' & ')
            from regexp_split_to_table({{0}}::text, '\\s+') as word where searchable(word) <> ''
        )::tsquery
    union all
    select id from documents where {_OF_COMPANY} and external_id = {{0}}
    union all
    select id from documents where {_OF_COMPANY} and recipient_tax_id = {{1}}
    union all
    select document_id from emissions where {_OF_COMPANY} and (access_key = {{1}} or assigned_key = {{1}})
    union all
    select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format("")} = {{2}}
)"""
_MOST_DIGITS = 18
"""Digits of the largest number that the database's integers hold for certain."""


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """Which documents of a company are meant; None is all."""

    type: str | None = None
    status: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None
    external_id: str | None = None
    sale_id: UUID | None = None
    recipient_tax_id: str | None = None
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    search: str | None = None
    """The beginning of words of the recipient's name, or a whole number, key, tax id or external id."""

    @property
    def is_counted(self) -> bool:
        """Tell whether the counters know how many there are."""
        return self == DocumentFilter(type=self.type, status=self.status)

    @property
    def has_attempt(self) -> bool:
        """Returns whether a condition is on the attempt in force, and not on the document itself."""
        return (self.access_key, self.number, self.series) != (None, None, None)

    def matching(self, subscription_id: UUID, company_id: UUID) -> tuple[str, list[Any]]:
        """The condition of what is asked, and no more: a plan for all that might be asked is a slow one."""
        conditions = ["d.subscription_id = $1", "d.company_id = $2"]
        values: list[Any] = [subscription_id, company_id]
        asked = vars(self)
        for name, condition in (_CONDITIONS | _CONDITIONS_ON_ATTEMPT).items():
            value = asked[name]
            if value is not None:
                values.append(value)
                conditions.append(condition.format(f"${len(values)}"))
        if self.search is not None:
            plain = normalize(self.search)
            is_number = plain.isascii() and plain.isdigit() and len(plain) <= _MOST_DIGITS
            first = len(values) + 1
            conditions.append(_SEARCH.format(f"${first}", f"${first + 1}", f"${first + 2}"))
            values += [self.search, plain, int(plain) if is_number else None]
        return " and ".join(conditions), values
