"""What leaves the house but for the authorities."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from carimbo.main.clock import now
from carimbo.main.database import database_of
from carimbo.outbound.guard import Guard
from carimbo.outbound.mail_folder import MailFolder
from carimbo.outbound.message import Sender
from carimbo.outbound.smtp import SmtpMailer
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.printing.press import Press
from carimbo.service.delivery.attempt import Postman
from carimbo.service.delivery.mailing import MailRoom
from carimbo.service.links import Links
from carimbo.service.ports import Mailer
from carimbo.service.printouts import Printouts
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.worker.chores import repeat
from carimbo.worker.courier import Courier, CourierOptions
from carimbo.worker.metrics import count_email
from carimbo.worker.own_loop import in_own_loop

_log = structlog.get_logger("carimbo.main")
# Where one listens on all of its addresses, none of which this is.
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - not listened on here
# Deliveries wait for their receivers, and for the database but for moments.
_CONNECTIONS = 4


async def links_of(settings: Settings, database: Database) -> Links:
    """Open what makes and checks links to files."""
    if settings.public_url is None and settings.host in _EVERYWHERE:
        _log.warning("links_lead_nowhere", hint="CARIMBO_PUBLIC_URL", links=settings.link_base)
    return await Links.open(database, settings.link_base, timedelta(days=settings.link_days), now)


def guard_of(settings: Settings) -> Guard:
    """What keeps webhooks out of the operator's own network."""
    return Guard(settings.allowed_hosts)


@asynccontextmanager
async def postman_of(settings: Settings, database: Database) -> AsyncIterator[Postman]:
    """Put together what webhooks are told by."""
    guard, ca_file = guard_of(settings), settings.webhook_ca_file
    async with HttpWebhookClient(guard, settings.webhook_seconds, now, ca_file) as client:
        links = await links_of(settings, database)
        disable_after = timedelta(days=settings.webhook_disable_days)
        yield Postman(database, client, links, settings.webhook_retries, disable_after, now)


def courier_options_of(settings: Settings) -> CourierOptions:
    """Returns how many deliveries are under way at once, and every wait of theirs."""
    return CourierOptions(
        most=settings.webhook_concurrency,
        each=settings.webhook_concurrency_each,
        # An attempt ends by itself before this does.
        lease=timedelta(seconds=2 * settings.webhook_seconds),
        poll=timedelta(seconds=settings.worker_poll_seconds),
        reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
        # What is under way when it is over is let go of before the process ends.
        grace=timedelta(seconds=0.8 * settings.shutdown_seconds),
    )


async def deliver_forever(settings: Settings) -> None:
    """Take deliveries out of the house until cancelled, beside whatever else this process does."""

    async def deliver() -> None:
        async with database_of(settings, _CONNECTIONS) as database, postman_of(settings, database) as postman:
            options = courier_options_of(settings)
            await Courier(settings.database_url.get_secret_value(), postman, options).run()

    async def run() -> None:
        await in_own_loop("courier", deliver)

    await repeat(run, "deliveries", timedelta(seconds=settings.worker_reconnect_seconds))


def mail_room_of(settings: Settings, database: Database) -> MailRoom:
    """Put together what e-mails are sent with."""
    printouts = Printouts(database, Press(settings.fonts_folder), settings.printouts_cache_bytes)
    return MailRoom(database, printouts, mailer_of(settings), settings.email_retries, now, count_email)


def mailer_of(settings: Settings) -> Mailer | None:
    """What takes e-mails, if anything does: a folder or a mail server."""
    if settings.email_from is None:
        return None
    sender = Sender(settings.email_from)
    if settings.email_folder:
        return MailFolder(settings.email_folder, sender, now)
    return SmtpMailer(settings.smtp_options, sender, now) if settings.smtp_host else None
