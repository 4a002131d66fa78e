"""The keys of tables: rows of a subscription are found by it, so that tables can be split by subscription."""

from carimbo.storage.database import Database

# Who signs in, what authorities distribute to a tax id, and what the installation itself keeps.
OF_THE_INSTALLATION = {
    "form_submissions",
    "outages",
    "passkey_challenges",
    "passkeys",
    "people",
    "person_links",
    "plans",
    "recipient_filling",
    "schema_migrations",
    "sessions",
    "stream_calls",
    "stream_gaps",
    "stream_pages",
    "stream_requests",
    "stream_unread_files",
    "subscriptions",
}
_FIRST_COLUMNS = """
    select c.relname, a.attname from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
"""


async def test_primary_key_begins_with_the_subscription_in_all_tables_but_those_of_the_installation(
    database: Database,
) -> None:
    async with database.connection() as connection:
        first_columns = dict(await connection.fetch(_FIRST_COLUMNS))
    others = {table for table, column in first_columns.items() if column != "subscription_id"}
    assert others == OF_THE_INSTALLATION
