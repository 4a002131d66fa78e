"""Imports of people who may not import any more end at once."""

from uuid import UUID

import pytest

from carimbo.service.imports.run import read_import, start_import
from carimbo.service.people.people import change_membership, remove_membership, set_disabled
from carimbo.service.people.roles import MemberRole
from carimbo.storage.imports import ImportKind, ImportState
from integration.dashboard.panel import new_panel
from integration.issuing.shop import Shop

_FILE = b"Nome;E-mail\nAna Souza;ana@example.com"


@pytest.mark.parametrize("ended_by", ["removal", "lower role", "other companies", "disabling"])
async def test_import_of_a_person_who_lost_access_is_canceled(shop: Shop, ended_by: str) -> None:
    database, owner, company_id = shop.system.database, shop.caller.subscription_id, UUID(shop.id)
    panel = await new_panel(shop.system.app, database, owner, MemberRole.ISSUER)
    async with panel.http, shop.system.worker_stopped():
        acting = database.acting_as(panel.person.actor)
        record = await start_import(acting, owner, company_id, ImportKind.CUSTOMERS, "clientes.csv", _FILE)
        if ended_by == "removal":
            await remove_membership(database, owner, panel.person.id)
        elif ended_by == "lower role":
            await change_membership(
                database, owner, panel.person.id, role=MemberRole.VIEWER, company_ids=None
            )
        elif ended_by == "other companies":
            sister = UUID(await shop.caller.create_company("11222333000262"))
            await change_membership(
                database, owner, panel.person.id, role=MemberRole.ISSUER, company_ids=[sister]
            )
        else:
            await set_disabled(database, panel.person.id, is_disabled=True)
        ended = await read_import(database, owner, company_id, record.id)
    assert ended.state is ImportState.CANCELED


async def test_import_goes_on_while_its_person_may_import(shop: Shop) -> None:
    database, owner, company_id = shop.system.database, shop.caller.subscription_id, UUID(shop.id)
    panel = await new_panel(shop.system.app, database, owner, MemberRole.ISSUER)
    async with panel.http, shop.system.worker_stopped():
        acting = database.acting_as(panel.person.actor)
        record = await start_import(acting, owner, company_id, ImportKind.CUSTOMERS, "clientes.csv", _FILE)
        await change_membership(
            database, owner, panel.person.id, role=MemberRole.ADMIN, company_ids=[company_id]
        )
        assert (await read_import(database, owner, company_id, record.id)).state is ImportState.PROCESSING
