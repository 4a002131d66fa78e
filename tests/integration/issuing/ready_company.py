"""Companies that are ready to issue: one is made through the API, all others are copies of its rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id


def _rows_copied(table: str, company: str, **changes: str) -> str:
    """Returns SQL that copies the rows of a company; columns without a change keep their values."""
    changed = ", ".join(f"'{column}', {value}" for column, value in changes.items())
    return f"""
        insert into {table} select copy.* from {table} as original,
            jsonb_populate_record(original, jsonb_build_object({changed})) as copy
        where original.{company} = $1
    """


_OWNER, _COMPANY, _TAX_ID = "$2::uuid", "$3::uuid", "$4::text"
_COMPANIES = _rows_copied(
    "companies", "id",
    subscription_id=_OWNER, id=_COMPANY, tax_id=_TAX_ID, created_at="now()", updated_at="now()",
)  # fmt: skip
_REGISTRATIONS = _rows_copied(
    "state_registrations", "company_id",
    subscription_id=_OWNER, company_id=_COMPANY, id="gen_random_uuid()", created_at="now()",
)  # fmt: skip
_CERTIFICATES = _rows_copied(
    "certificates", "company_id", subscription_id=_OWNER, company_id=_COMPANY, uploaded_at="now()"
)
_COPY = f"with company as ({_COMPANIES}), registrations as ({_REGISTRATIONS}) {_CERTIFICATES}"


@dataclass(frozen=True)
class Template:
    """A company that copies are made of."""

    company_id: UUID
    secrets: Mapping[str, bytes] = field(repr=False)
    """By name. They are sealed anew for every copy: a sealed secret opens only for its own company."""

    @classmethod
    async def of(cls, database: Database, subscription_id: UUID, company_id: UUID) -> "Template":
        """Reads a company that is ready and has no documents."""
        async with database.tenant(subscription_id) as tenant:
            return cls(company_id, await tenant.secrets.all(company_id))

    async def copy(self, database: Database, subscription_id: UUID, tax_id: str) -> UUID:
        """Gives a subscription a company like this one, and returns its id."""
        company_id = new_id()
        async with database.tenant(subscription_id) as tenant:
            await tenant.connection.execute(_COPY, self.company_id, subscription_id, company_id, tax_id)
            for name, secret in self.secrets.items():
                await tenant.secrets.put(company_id, name, secret)
        return company_id
