"""Builds the senders of webhooks and e-mail."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from carimbo.main.database import database_of
from carimbo.main.links import guard_of, links_of
from carimbo.main.mailer import mailer_of
from carimbo.main.process import now
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.printing.registry import PdfRenderer
from carimbo.service.delivery.attempt import DeliverySender
from carimbo.service.delivery.mailing import MailingContext
from carimbo.service.printouts import Printouts
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.storage.delivery_queue import ClaimedDelivery
from carimbo.worker.chores import repeat
from carimbo.worker.claim_loop import ClaimLoop, LoopOptions
from carimbo.worker.delivery import DeliveryOptions, DeliverySource, in_own_loop
from carimbo.worker.metrics import count_email

# Deliveries wait for their receivers most of the time, and seldom for the database.
_CONNECTIONS = 4


@asynccontextmanager
async def delivery_sender_of(settings: Settings, database: Database) -> AsyncIterator[DeliverySender]:
    """Builds the sender of webhook deliveries."""
    guard, ca_file = guard_of(settings), settings.webhook_ca_file
    async with HttpWebhookClient(guard, settings.webhook_seconds, now, ca_file) as client:
        links = await links_of(settings, database)
        disable_after = timedelta(days=settings.webhook_disable_days)
        yield DeliverySender(database, client, links, settings.webhook_retries, disable_after, now)


def delivery_loop_of(settings: Settings, delivery_sender: DeliverySender) -> ClaimLoop[ClaimedDelivery]:
    """Returns the loop that sends webhook deliveries."""
    limits = DeliveryOptions(
        max_deliveries=settings.webhook_concurrency,
        max_per_webhook=settings.webhook_concurrency_each,
        # Longer than an attempt can take.
        lease=timedelta(seconds=2 * settings.webhook_seconds),
    )
    waits = LoopOptions(
        poll=timedelta(seconds=settings.worker_poll_seconds),
        reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
        # Shorter than the shutdown, so that unfinished deliveries are released before the process ends.
        grace=timedelta(seconds=0.8 * settings.shutdown_seconds),
    )
    url = settings.database_url.get_secret_value()
    return ClaimLoop(url, DeliverySource(delivery_sender, limits), waits)


async def deliver_forever(settings: Settings) -> None:
    """Sends deliveries until cancelled, in a thread with its own event loop."""

    async def deliver() -> None:
        async with (
            database_of(settings, "carimbo_worker", _CONNECTIONS) as database,
            delivery_sender_of(settings, database) as delivery_sender,
        ):
            await delivery_loop_of(settings, delivery_sender).run()

    async def run() -> None:
        await in_own_loop("deliveries", deliver)

    await repeat(run, "deliveries", timedelta(seconds=settings.worker_reconnect_seconds))


def mailing_context_of(settings: Settings, database: Database) -> MailingContext:
    """Builds the context for sending e-mails."""
    printouts = Printouts(database, PdfRenderer(settings.fonts_folder), settings.printouts_cache_bytes)
    return MailingContext(database, printouts, mailer_of(settings), settings.email_retries, now, count_email)
