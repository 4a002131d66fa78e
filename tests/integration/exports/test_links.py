"""Links to archives: whom they let in, and until when."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.exports.archive import PROGRESS_STEP
from carimbo.service.exports.links import (
    NewExportLink,
    create_export_link,
    export_address,
    list_export_links,
    open_export,
    open_limited,
    read_export,
    revoke_export_link,
)
from carimbo.service.listing import PageRequest
from carimbo.storage.actors import Actor, ActorKind
from integration.exports.exporting import (
    XML,
    company_of,
    copy_document,
    pieces_of,
    started,
    this_month,
    unzipped,
)
from integration.issuing.shop import Shop, sister_of
from support import data_of

MARIA = Actor(ActorKind.PERSON, uuid4(), "Maria")


async def new_link(shop: Shop, days: int = 30) -> NewExportLink:
    return await create_export_link(
        shop.system.database.acting_as(MARIA),
        shop.caller.subscription_id,
        UUID(shop.id),
        this_month(),
        XML,
        days,
        datetime.now(UTC),
    )


async def links_of(shop: Shop) -> list[tuple[UUID, int, str | None]]:
    page = await list_export_links(
        shop.system.database, shop.caller.subscription_id, UUID(shop.id), PageRequest(), datetime.now(UTC)
    )
    return [(link.id, link.downloads, link.created_by) for link in page.items]


async def test_link_opens_the_archive_and_counts_each_download(shop: Shop) -> None:
    document = await shop.issue("nfe")
    link = await new_link(shop)
    opened = await open_export(shop.system.database, link.token)

    assert opened is not None
    assert opened.export.documents_total == 1
    assert (opened.company.id, opened.export.month) == (UUID(shop.id), this_month())
    for downloads in (1, 2):
        assert any(document["accessKey"] in name for name in await unzipped(shop, opened))
        assert await links_of(shop) == [(link.export.id, downloads, "Maria")]


async def test_only_the_hash_of_the_token_is_stored(shop: Shop) -> None:
    link = await new_link(shop)
    assert len(link.token) >= 43
    (row,) = await shop.system.fetch("select x::text as text from exports x where id = $1", link.export.id)
    assert link.token not in row["text"]
    assert link.token not in repr(link)
    assert export_address("https://nota.example.com", link.token).endswith(f"?chave={link.token}")


async def test_expired_link_opens_nothing(shop: Shop) -> None:
    link = await new_link(shop)
    await shop.system.fetch(
        "update exports set expires_at = now() - interval '1 second' where id = $1", link.export.id
    )
    assert await open_export(shop.system.database, link.token) is None


async def test_revoked_link_opens_nothing(shop: Shop) -> None:
    link, other = await new_link(shop), await new_link(shop)
    subscription_id, company_id = shop.caller.subscription_id, UUID(shop.id)
    await revoke_export_link(shop.system.database, subscription_id, company_id, link.export.id)

    assert await open_export(shop.system.database, link.token) is None
    assert await open_export(shop.system.database, other.token) is not None
    now = datetime.now(UTC)
    revoked = await read_export(shop.system.database, subscription_id, company_id, link.export.id, now)
    assert not revoked.is_valid(now)


@pytest.mark.parametrize("token", ["", "x", "\udc80", "A" * 43])
async def test_made_up_token_opens_nothing(shop: Shop, token: str) -> None:
    await new_link(shop)
    await started(shop)
    assert await open_export(shop.system.database, token) is None


async def test_link_of_a_deleted_company_opens_nothing(shop: Shop) -> None:
    link = await new_link(shop)
    data_of(await shop.caller.http.delete(shop.path()))
    assert await open_export(shop.system.database, link.token) is None


@pytest.mark.parametrize("days", [6, 91])
async def test_link_is_valid_for_a_week_to_three_months(shop: Shop, days: int) -> None:
    with pytest.raises(Refusal) as refused:
        await new_link(shop, days)
    assert refused.value.code is ErrorCode.VALIDATION_ERROR


async def test_link_of_another_company_can_be_neither_read_nor_revoked(shop: Shop) -> None:
    link, sister = await new_link(shop), await sister_of(shop)
    stranger = await shop.system.new_caller()
    now = datetime.now(UTC)
    for subscription_id, company_id in (
        (shop.caller.subscription_id, UUID(sister.id)),
        (stranger.subscription_id, UUID(shop.id)),
    ):
        with pytest.raises(Refusal) as unread:
            await read_export(shop.system.database, subscription_id, company_id, link.export.id, now)
        with pytest.raises(Refusal) as unrevoked:
            await revoke_export_link(shop.system.database, subscription_id, company_id, link.export.id)
        assert unread.value.code is unrevoked.value.code is ErrorCode.NOT_FOUND
    assert await links_of(sister) == []
    assert await open_export(shop.system.database, link.token) is not None


async def test_link_keeps_the_environment_in_which_it_was_created(shop: Shop) -> None:
    link = await new_link(shop)
    other = {"production": "homologation", "homologation": "production"}[link.export.environment]
    await shop.system.fetch("update companies set environment = $2 where id = $1", UUID(shop.id), other)
    opened = await open_export(shop.system.database, link.token)
    assert opened is not None
    assert (await company_of(shop)).environment == other
    assert opened.order.environment == link.export.environment


async def test_audit_names_who_created_and_revoked_a_link(shop: Shop) -> None:
    link = await new_link(shop)
    await revoke_export_link(
        shop.system.database.acting_as(MARIA), shop.caller.subscription_id, UUID(shop.id), link.export.id
    )
    rows = await shop.system.fetch(
        "select action, actor ->> 'name' as name, details::text as details from audit_entries"
        " where company_id = $1 and subject_id = $2 order by created_at",
        UUID(shop.id), str(link.export.id),
    )  # fmt: skip
    assert [(row["action"], row["name"]) for row in rows] == [
        ("link.created", "Maria"),
        ("link.revoked", "Maria"),
    ]
    assert all(link.token not in row["details"] for row in rows)


async def test_download_by_link_is_in_the_audit_without_a_person(shop: Shop) -> None:
    link = await new_link(shop)
    opened = await open_export(shop.system.database, link.token)
    assert opened is not None
    await unzipped(shop, opened)
    [row] = await shop.system.fetch(
        "select actor ->> 'kind' as kind, actor ->> 'name' as name, details ->> 'link' as link"
        " from audit_entries where subject_id = $1 and action = 'link.downloaded'",
        str(link.export.id),
    )
    assert (row["kind"], row["name"], row["link"]) == ("schedule", None, "true")


async def test_each_download_of_a_person_is_in_the_audit(shop: Shop) -> None:
    opened = await started(shop)
    for _ in range(2):
        await unzipped(shop, opened)
    rows = await shop.system.fetch(
        "select action from audit_entries where subject_id = $1", str(opened.export.id)
    )
    assert [row["action"] for row in rows] == ["export.created"] * 2


@pytest.mark.parametrize(
    "change", ["revoked_at = now()", "expires_at = now() - interval '1 second'"], ids=["revoked", "expired"]
)
async def test_running_download_stops_when_its_link_ends(shop: Shop, change: str) -> None:
    document = await shop.issue("nfe")
    await copy_document(shop, document["id"], 3 * PROGRESS_STEP)
    link = await new_link(shop)
    opened = await open_export(shop.system.database, link.token)
    assert opened is not None
    pieces = pieces_of(shop, opened)
    await anext(pieces)
    await shop.system.fetch(f"update exports set {change} where id = $1", link.export.id)

    rest = 0
    with pytest.raises(Refusal) as stopped:
        async for _ in pieces:
            rest += 1
    assert stopped.value.code is ErrorCode.NOT_FOUND
    assert rest < PROGRESS_STEP
    with pytest.raises(Refusal):
        await anext(pieces_of(shop, opened))


async def test_network_that_opens_a_link_too_often_waits_and_others_do_not(shop: Shop) -> None:
    link, other, network = await new_link(shop), await new_link(shop), uuid4().hex
    database = shop.system.database
    for _ in range(30):
        assert await open_limited(database, link.token, network) is not None
    with pytest.raises(Refusal) as refused:
        await open_limited(database, link.token, network)
    assert refused.value.code is ErrorCode.RATE_LIMIT_EXCEEDED
    assert await open_limited(database, link.token, uuid4().hex) is not None
    assert await open_limited(database, other.token, network) is not None


async def test_network_that_tries_many_tokens_waits(shop: Shop) -> None:
    network = uuid4().hex
    for _ in range(30):
        assert await open_limited(shop.system.database, uuid4().hex, network) is None
    with pytest.raises(Refusal):
        await open_limited(shop.system.database, uuid4().hex, network)
