"""Forgets what was delivered or sent long ago."""

from datetime import timedelta

from carimbo.storage.database import Database
from carimbo.storage.delivering import forget_deleted_webhooks, forget_deliveries
from carimbo.storage.emails import forget_emails
from carimbo.worker.chores import repeat


async def forget_forever(database: Database, keep: timedelta, keep_emails: timedelta) -> None:
    """Keep the logs of deliveries and of e-mails from growing without end."""

    async def forget() -> None:
        async with database.connection() as connection:
            while await forget_deliveries(connection, keep) or await forget_deleted_webhooks(connection):
                pass
            while await forget_emails(connection, keep_emails):
                pass

    await repeat(forget, "delivery_log")
