"""The monthly e-mail with a link for the accountant."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from carimbo.main.mailer import mailer_of
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.authors import end_exports_of
from carimbo.service.exports.links import open_export
from carimbo.service.exports.monthly_mail import MonthlyMailing, send_monthly_exports
from carimbo.service.exports.schedules import (
    ScheduleBody,
    delete_schedule,
    read_schedule,
    save_schedule,
)
from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.export_schedules import ExportSchedule
from integration.exports.exporting import this_month, unzipped
from integration.issuing.shop import Shop, sister_of
from smtp_server import Mail, SmtpServer
from support import data_of

BASE = "https://nota.example.com"
_ADDRESSES = count(1)


def new_address() -> str:
    return f"contador.{next(_ADDRESSES)}@example.com"


def due_day() -> datetime:
    """Returns the moment at which the documents of this month are due: noon of day 5 of the next month."""
    after = this_month() + timedelta(days=32)
    return datetime(after.year, after.month, 5, 15, tzinfo=UTC)


async def save(shop: Shop, recipients: Sequence[str], **changes: Any) -> ExportSchedule:
    body = ScheduleBody.model_validate({"day": 5, "recipients": list(recipients), **changes})
    return await save_schedule(
        shop.system.database,
        shop.caller.subscription_id,
        UUID(shop.id),
        body,
        due_day() - timedelta(days=20),
        sends_email=True,
    )


async def run(shop: Shop, now: datetime | None = None) -> None:
    """Runs the chore of a worker."""
    await send_monthly_exports(mailing_at(shop, now))


def mailing_at(shop: Shop, now: datetime | None = None) -> MonthlyMailing:
    mailer = mailer_of(shop.system.settings)
    return MonthlyMailing(shop.system.database, mailer, BASE, lambda: now or due_day())


async def stored(shop: Shop) -> ExportSchedule:
    schedule = await read_schedule(shop.system.database, shop.caller.subscription_id, UUID(shop.id))
    assert schedule is not None
    return schedule


def token_in(mail: Mail) -> str:
    match = re.search(rf"{BASE}\S*chave=(\S+)", mail.text)
    assert match is not None, mail.text
    return match[1]


@pytest.fixture(autouse=True)
async def no_other_schedules(shop: Shop) -> AsyncIterator[None]:
    """A run sends the e-mails of all companies; each test has its own."""
    yield
    await shop.system.fetch("delete from export_schedules")


async def test_accountant_gets_one_e_mail_with_a_link_and_the_totals(
    shop: Shop, mail_server: SmtpServer
) -> None:
    document, canceled = await shop.issue("nfe"), await shop.issue("nfe")
    data_of(await shop.caller.http.delete(shop.path(f"/nfe/{canceled['id']}")))
    address, other = new_address(), new_address()
    await save(shop, [address, other])
    await run(shop)
    await run(shop)

    [mail] = mail_server.sent_to(address)
    assert mail.recipients == [address, other]
    assert "- NF-e: 1 documento, R$ 59,80, e 1 cancelado" in mail.text
    opened = await open_export(shop.system.database, token_in(mail))
    assert opened is not None
    assert opened.export.month == this_month()
    assert any(document["accessKey"] in name for name in await unzipped(shop, opened))
    lifetime = opened.export.expires_at - opened.export.created_at
    assert lifetime == timedelta(days=30)
    assert (await stored(shop)).last_sent_month == this_month()


async def test_e_mail_waits_for_its_day_in_the_time_zone_of_the_company(
    shop: Shop, mail_server: SmtpServer
) -> None:
    address = new_address()
    await save(shop, [address])
    midnight = due_day().replace(hour=3)
    await run(shop, midnight - timedelta(seconds=1))
    assert mail_server.sent_to(address) == []
    await run(shop, midnight)
    assert len(mail_server.sent_to(address)) == 1


async def test_first_run_after_the_day_sends_it(shop: Shop, mail_server: SmtpServer) -> None:
    address = new_address()
    await save(shop, [address])
    await run(shop, due_day() + timedelta(days=25))
    assert len(mail_server.sent_to(address)) == 1
    assert (await stored(shop)).last_sent_month == this_month()


async def test_new_schedule_sends_nothing_for_days_before_it(shop: Shop, mail_server: SmtpServer) -> None:
    address = new_address()
    body = ScheduleBody(day=5, recipients=[address])
    await save_schedule(
        shop.system.database,
        shop.caller.subscription_id,
        UUID(shop.id),
        body,
        due_day() + timedelta(days=1),
        sends_email=True,
    )
    await run(shop, due_day() + timedelta(days=2))
    assert mail_server.sent_to(address) == []


async def test_two_workers_at_once_send_one_e_mail(shop: Shop, mail_server: SmtpServer) -> None:
    address = new_address()
    await save(shop, [address])
    mail_server.is_awake.clear()
    runs = [asyncio.create_task(run(shop)) for _ in range(4)]
    # Three of them end while the mail server still has the e-mail of the fourth.
    under_way = set(runs)
    while len(under_way) > 1:
        _, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
    mail_server.is_awake.set()
    await asyncio.gather(*runs)
    assert len(mail_server.sent_to(address)) == 1


async def test_e_mail_of_a_worker_that_died_is_sent_again_with_the_same_link(
    shop: Shop, mail_server: SmtpServer
) -> None:
    address = new_address()
    await save(shop, [address])
    await run(shop)
    # As if the worker had died before it stored the outcome.
    await shop.system.fetch(
        "update export_schedules set last_sent_month = null, pending_month = $2, waiting = recipients,"
        " attempts = 1, claimed_until = now(), export_id = (select id from exports where company_id = $1)"
        " where company_id = $1",
        UUID(shop.id), this_month(),
    )  # fmt: skip
    await run(shop)

    first, second = mail_server.sent_to(address)
    assert token_in(first) == token_in(second)
    assert first.message["Message-ID"] == second.message["Message-ID"]
    for rows in (
        "exports where company_id = $1",
        "audit_entries where company_id = $1 and action = 'link.created'",
    ):
        (row,) = await shop.system.fetch(f"select count(*) from {rows}", UUID(shop.id))
        assert row["count"] == 1


async def test_recipient_that_was_not_reached_is_tried_again_alone(
    shop: Shop, mail_server: SmtpServer
) -> None:
    served, busy, unknown = new_address(), new_address(), new_address()
    await save(shop, [served, busy, unknown])
    mail_server.answer(busy, "451 4.3.0 Try again later")
    mail_server.answer(unknown, "550 5.1.1 No such user", "550 5.1.1 No such user")
    await run(shop)
    schedule = await stored(shop)
    assert schedule.last_sent_month is None
    assert schedule.last_error is not None
    assert unknown in schedule.last_error
    await run(shop)

    assert [mail.recipients for mail in mail_server.sent_to(served)] == [[served]]
    assert [mail.recipients for mail in mail_server.sent_to(busy)] == [[busy]]
    assert mail_server.sent_to(unknown) == []
    assert (await stored(shop)).last_sent_month == this_month()


async def test_mail_server_that_is_away_delays_the_e_mail(shop: Shop, mail_server: SmtpServer) -> None:
    address = new_address()
    await save(shop, [address])
    await mail_server.close()
    await run(shop)
    assert (await stored(shop)).last_sent_month is None
    await mail_server.open()
    await run(shop)
    assert len(mail_server.sent_to(address)) == 1


async def test_corrected_address_gets_the_e_mail_that_is_under_way(
    shop: Shop, mail_server: SmtpServer
) -> None:
    served, wrong, right = new_address(), new_address(), new_address()
    await save(shop, [served, wrong])
    mail_server.answer(wrong, "451 4.3.0 Try again later")
    await run(shop)
    await save(shop, [served, right])
    await run(shop)
    assert len(mail_server.sent_to(served)) == 1
    assert len(mail_server.sent_to(right)) == 1
    assert mail_server.sent_to(wrong) == []


async def test_inactive_or_deleted_schedule_sends_nothing(shop: Shop, mail_server: SmtpServer) -> None:
    sister = await sister_of(shop)
    paused, deleted = new_address(), new_address()
    await save(shop, [paused], active=False)
    await save(sister, [deleted])
    await delete_schedule(shop.system.database, shop.caller.subscription_id, UUID(sister.id))
    await run(shop)
    assert mail_server.sent_to(paused) == mail_server.sent_to(deleted) == []
    assert await read_schedule(shop.system.database, shop.caller.subscription_id, UUID(sister.id)) is None
    with pytest.raises(Refusal) as refused:
        await delete_schedule(shop.system.database, shop.caller.subscription_id, UUID(sister.id))
    assert refused.value.code is ErrorCode.NOT_FOUND


async def test_month_without_documents_is_said_in_the_e_mail(shop: Shop, mail_server: SmtpServer) -> None:
    address = new_address()
    await save(shop, [address])
    await run(shop)
    [mail] = mail_server.sent_to(address)
    assert "Não houve documentos nesse mês." in mail.text


async def test_schedule_is_refused_without_a_mail_server(shop: Shop) -> None:
    with pytest.raises(Refusal) as refused:
        await save_schedule(
            shop.system.database,
            shop.caller.subscription_id,
            UUID(shop.id),
            ScheduleBody(day=5, recipients=[new_address()]),
            due_day(),
            sends_email=False,
        )
    assert refused.value.code is ErrorCode.EMAIL_NOT_CONFIGURED


@pytest.mark.parametrize(
    "changes",
    [{"day": 0}, {"day": 29}, {"recipients": []}, {"recipients": ["maria"]}, {"content": "pdf"}],
    ids=["day-0", "day-29", "nobody", "no-address", "content"],
)
def test_schedule_with_invalid_fields_is_refused(changes: dict[str, Any]) -> None:
    valid = {"day": 28, "recipients": ["maria@example.com"], "content": "xmlAndPdf"}
    assert ScheduleBody.model_validate(valid).day == date(2026, 2, 28).day
    with pytest.raises(ValidationError):
        ScheduleBody.model_validate(valid | changes)


async def test_sent_link_ends_with_the_permission_of_who_set_the_e_mail_up(
    shop: Shop, mail_server: SmtpServer
) -> None:
    author, address = Actor(ActorKind.PERSON, uuid4(), "Ana"), new_address()
    acting = shop.system.database.acting_as(author)
    body = ScheduleBody.model_validate({"day": 5, "recipients": [address]})
    earlier = due_day() - timedelta(days=20)
    await save_schedule(acting, shop.caller.subscription_id, UUID(shop.id), body, earlier, sends_email=True)
    await run(shop)
    [mail] = mail_server.sent_to(address)
    opened = await open_export(shop.system.database, token_in(mail))
    assert opened is not None
    assert opened.export.created_by is None
    async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
        assert author.id is not None
        await end_exports_of(tenant, author.id, ())
    assert await open_export(shop.system.database, token_in(mail)) is None
