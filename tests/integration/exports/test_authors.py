"""Exports of a person who may not export any more."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from carimbo.service.exports.links import create_export_link, open_export
from carimbo.service.exports.schedules import ScheduleBody, read_schedule, save_schedule
from carimbo.service.people.people import change_membership, remove_membership, set_disabled
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.people import People, PersonRow
from integration.exports.exporting import XML, this_month
from integration.issuing.shop import Shop, sister_of

Ending = Callable[[Database, UUID, UUID], Awaitable[object]]


async def member(shop: Shop) -> PersonRow:
    async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
        person = await People(tenant.connection).get_or_add(new_id(), f"{uuid4().hex}@example.com", "Bia")
        await tenant.memberships.put_invited(person.id, MemberRole.ACCOUNTANT, None)
        await tenant.memberships.accept(person.id)
    return person


async def link_of(shop: Shop, person: PersonRow) -> str:
    """Creates a link and a monthly e-mail; returns the token of the link."""
    database, owner = shop.system.database.acting_as(person.actor), shop.caller.subscription_id
    now = datetime.now(UTC)
    body = ScheduleBody.model_validate({"day": 5, "recipients": ["contador@example.com"]})
    await save_schedule(database, owner, UUID(shop.id), body, now, sends_email=True)
    return (await create_export_link(database, owner, UUID(shop.id), this_month(), XML, 30, now)).token


async def works(shop: Shop, token: str) -> tuple[bool, bool]:
    """Returns whether a link opens something, and whether the monthly e-mail is active."""
    schedule = await read_schedule(shop.system.database, shop.caller.subscription_id, UUID(shop.id))
    assert schedule is not None
    return await open_export(shop.system.database, token) is not None, schedule.is_active


async def become_viewer(database: Database, subscription_id: UUID, person_id: UUID) -> None:
    await change_membership(database, subscription_id, person_id, role=MemberRole.VIEWER)


async def become_disabled(database: Database, subscription_id: UUID, person_id: UUID) -> None:
    await set_disabled(database, person_id, is_disabled=True)


@pytest.mark.parametrize("end", [remove_membership, become_viewer, become_disabled])
async def test_links_and_monthly_e_mails_end_with_the_permission_of_their_author(
    shop: Shop, end: Ending
) -> None:
    sister = await sister_of(shop)
    bia, other = await member(shop), await member(shop)
    token, others = await link_of(shop, bia), await link_of(sister, other)
    await end(shop.system.database, shop.caller.subscription_id, bia.id)

    assert await works(shop, token) == (False, False)
    assert await works(sister, others) == (True, True)
    rows = await shop.system.fetch(
        "select action from audit_entries where company_id = $1 and details ->> 'author' = $2"
        " order by action",
        UUID(shop.id), str(bia.id),
    )  # fmt: skip
    assert [row["action"] for row in rows] == ["exportSchedule.stopped", "link.revoked"]


async def test_person_who_loses_one_company_keeps_the_exports_of_the_other(shop: Shop) -> None:
    sister, bia = await sister_of(shop), await member(shop)
    token, kept = await link_of(shop, bia), await link_of(sister, bia)
    database, owner = shop.system.database, shop.caller.subscription_id
    await change_membership(database, owner, bia.id, role=MemberRole.ISSUER)
    assert await works(shop, token) == (True, True)
    await change_membership(database, owner, bia.id, role=MemberRole.ISSUER, company_ids=[UUID(sister.id)])
    assert await works(shop, token) == (False, False)
    assert await works(sister, kept) == (True, True)


async def test_monthly_e_mail_belongs_to_who_saved_it_last(shop: Shop) -> None:
    bia, other = await member(shop), await member(shop)
    await link_of(shop, bia)
    token = await link_of(shop, other)
    await remove_membership(shop.system.database, shop.caller.subscription_id, bia.id)
    assert await works(shop, token) == (True, True)


async def test_e_mail_under_way_is_given_up_and_its_link_is_revoked(shop: Shop) -> None:
    bia = await member(shop)
    await link_of(shop, bia)
    async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
        claim = await tenant.export_schedules.claim(
            UUID(shop.id), this_month(), new_id(), timedelta(minutes=15)
        )
    assert claim is not None
    await remove_membership(shop.system.database, shop.caller.subscription_id, bia.id)
    await link_of(shop, await member(shop))
    async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
        again = await tenant.export_schedules.claim(
            UUID(shop.id), this_month(), new_id(), timedelta(minutes=15)
        )
    assert again is not None
    assert again.export_id != claim.export_id
