"""Which of a company's documents are asked for, and the SQL that finds no others."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.taxpayer import normalize

# The subscription is compared once, with that of the company, and again only where an index begins with it:
# a condition on the company alone can be read from an index by age without the rows.
_OF_SUBSCRIPTION = "exists (select from companies where subscription_id = $1 and id = $2)"
_OF_COMPANY = "subscription_id = $1 and company_id = $2"
_NUMBER = "coalesce({alias}assigned_number, {alias}number)"
# Conditions on the document (d) and on its attempt in force (e). A document is known by the number and key
# that the authority gave it, where that is its affair, and by ours until then.
_CONDITIONS = {
    "status": "d.status = {value}",
    "external_id": "d.external_id = {value}",
    "created_from": "d.created_at >= {value}",
    "created_before": "d.created_at < {value}",
    "sale_id": "d.sale_id = {value}",
    "recipient_tax_id": "d.subscription_id = $1 and d.recipient_tax_id = {value}",
}
_CONDITIONS_ON_ATTEMPT = {
    "access_key": "e.subscription_id = $1 and (e.access_key = {value} or e.assigned_key = {value})",
    # The array is looked up first: else the planner may read the whole list by age.
    "number": f"{_NUMBER.format(alias='e.')} = {{value}} and d.subscription_id = $1 and d.id = any(array("
    f"select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format(alias='')} = {{value}}))",
    "series": "e.subscription_id = $1 and e.company_id = $2 and e.series = {value}",
}
# A condition for each way to be found, as no index serves all of them: by the beginning of words of the
# recipient's name, by the caller's own identifier, and by tax id, key and number with or without punctuation.
# Words are cut as recipient_words() cuts them (migration 0020), and each begins with its company. There is no
# condition on the company around them: it would let the planner cut the names of a whole company into words.
_SEARCH = f"""(
    d.recipient_name is not null and recipient_words(d.company_id, d.recipient_name) @@ (
        select string_agg('''' || $2::uuid || ':' || left(searchable(word), 200) || ''':*', ' & ')
        from regexp_split_to_table({{text}}::text, '\\s+') as word where searchable(word) <> ''
    )::tsquery
    or d.company_id = $2 and d.external_id = {{text}}
    or d.subscription_id = $1 and d.company_id = $2 and d.recipient_tax_id = {{code}}
    or d.subscription_id = $1 and d.id = any(array(
        select document_id from emissions
        where {_OF_COMPANY} and (access_key = {{code}} or assigned_key = {{code}})
        union all
        select document_id from emissions where {_OF_COMPANY} and {_NUMBER.format(alias="")} = {{number}}
    ))
)"""
_MOST_DIGITS = 18
"""Digits of the largest number that the database's integers hold for certain."""


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """Which documents of a company are meant; None is all."""

    types: Sequence[str] | None = None
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
        return self == DocumentFilter(types=self.types, status=self.status)

    @property
    def has_attempt(self) -> bool:
        """Returns whether a condition is on the attempt in force, and not on the document itself."""
        return (self.access_key, self.number, self.series) != (None, None, None)

    def matching(self, subscription_id: UUID, company_id: UUID) -> tuple[str, list[Any]]:
        """Returns the SQL condition of what is asked, and its values.

        It has no part for what is not asked: a plan for all that might be asked is a slow one.
        """
        conditions = [_OF_SUBSCRIPTION]
        values: list[Any] = [subscription_id, company_id]
        asked = vars(self)
        for name, condition in (_CONDITIONS | _CONDITIONS_ON_ATTEMPT).items():
            value = asked[name]
            if value is not None:
                values.append(value)
                conditions.append(condition.format(value=f"${len(values)}"))
        if self.types is not None:
            # One type by itself: its documents are read from an index by age.
            values.append(self.types[0] if len(self.types) == 1 else self.types)
            match = "= ${}" if len(self.types) == 1 else "= any(${})"
            conditions.append(f"d.type {match.format(len(values))}")
        if self.search is None:
            conditions.append("d.company_id = $2")
        else:
            plain = normalize(self.search)
            is_number = plain.isascii() and plain.isdigit() and len(plain) <= _MOST_DIGITS
            first = len(values) + 1
            conditions.append(_SEARCH.format(text=f"${first}", code=f"${first + 1}", number=f"${first + 2}"))
            values += [self.search, plain, int(plain) if is_number else None]
        return " and ".join(conditions), values
