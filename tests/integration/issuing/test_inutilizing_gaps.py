"""Giving up numbers that did not become documents: when somebody asks for it, and by itself."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service import numbering
from carimbo.service.filing.desk import Desk
from carimbo.storage.database import DatabaseUnavailable
from carimbo.worker import numbering as chore
from carimbo.worker.numbering import inutilize_everywhere, inutilize_forever
from integration.issuing.floor import Floor
from integration.issuing.number_ledger import (
    JUSTIFICATION,
    gaps,
    inutilize,
    rewrite,
    shown,
    skip_to,
    supersede,
    void,
)
from integration.issuing.shop import REFUSED, NewShop, Shop, bare_shop, error_of
from support import PATIENCE, data_of, fields_of

DAY = timedelta(days=1)


class TestInutilizeGaps:
    async def test_gives_up_everything_that_may_be(self, shop: Shop) -> None:
        for kind in ("nfe", "nfce"):
            await shop.issue(kind)
            await skip_to(shop, 4, kind)
        filed = await inutilize(shop, justification=JUSTIFICATION)
        told = [(one["type"], one["numberStart"], one["numberEnd"], one["status"]) for one in filed]
        assert told == [("nfce", 2, 3, "processing"), ("nfe", 2, 3, "processing")]
        assert {one["justification"] for one in filed} == {JUSTIFICATION}
        await all_registered(shop)
        assert await shown(shop) == await shown(shop, "nfce") == []
        again = await shop.post("/numbering/inutilize-gaps")
        assert (again.status_code, again.json()["data"]) == (200, [])

    async def test_joins_neighbours_whatever_their_reasons(self, shop: Shop) -> None:
        await shop.issue()
        await shop.issue(notes=REFUSED)
        document = await skip_to(shop, 6)
        await supersede(shop, document, 4, "signed")
        assert [gap[:3] for gap in await shown(shop)] == [
            (2, 2, "abandonedRejection"), (3, 3, "neverSent"), (4, 4, "unknownToAuthority"),
            (5, 5, "neverSent"),
        ]  # fmt: skip
        await inutilize(shop)
        assert await ranges_of(shop) == [("nfe", 1, 2, 5)]
        await all_registered(shop)

    async def test_asks_the_authority_for_no_more_than_it_takes(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 1500)
        await inutilize(shop)
        assert await ranges_of(shop) == [("nfe", 1, 2, 1001), ("nfe", 1, 1002, 1499)]
        await all_registered(shop)

    async def test_keeps_years_apart(self, shop: Shop) -> None:
        for _ in range(2):
            await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "issued_at = issued_at - interval '1 year'")
        filed = await inutilize(shop)
        assert [(one["numberStart"], one["numberEnd"]) for one in filed] == [(1, 1), (2, 2)]
        assert filed[1]["year"] - filed[0]["year"] == 1

    async def test_gives_up_what_is_meant_only(self, shop: Shop) -> None:
        for series in (1, 2):
            await shop.put_settings(nfe={"series": series})
            await shop.issue()
            await skip_to(shop, 3)
        await shop.issue("nfce")
        await skip_to(shop, 3, "nfce")
        await inutilize(shop, type="nfe", series=2)
        assert await ranges_of(shop) == [("nfe", 2, 2, 2)]
        await inutilize(shop, type="nfce")
        assert await ranges_of(shop) == [("nfce", 1, 2, 2), ("nfe", 2, 2, 2)]

    async def test_leaves_the_other_environment_alone(self, shop: Shop) -> None:
        await shop.issue("nfce", notes=REFUSED)
        await shop.put_settings(nfce={"environment": "homologation"})
        answer = await shop.post("/numbering/inutilize-gaps")
        assert (answer.status_code, answer.json()["data"]) == (200, [])

    async def test_at_once_files_nothing_twice(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 9)
        answers = await asyncio.gather(*(shop.post("/numbering/inutilize-gaps") for _ in range(6)))
        assert {answer.status_code for answer in answers} <= {200, 202}
        assert await ranges_of(shop) == [("nfe", 1, 2, 8)]

    async def test_leaves_out_what_has_come_into_use_since(
        self, floor: Floor, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refused = await shop.issue(notes=REFUSED)
        await shop.issue()
        await skip_to(shop, 4)
        look = numbering._ranges

        async def look_and_be_late(*arguments: Any) -> Any:
            found = await look(*arguments)
            await floor.fetch("update documents set status = 'pending' where id = $1", UUID(refused["id"]))
            return found

        monkeypatch.setattr(numbering, "_ranges", look_and_be_late)
        (filed,) = await inutilize(shop)
        assert (filed["numberStart"], filed["numberEnd"]) == (3, 3)

    async def test_is_refused_without_a_certificate(self, shop: Shop) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        error_of(await shop.post("/numbering/inutilize-gaps"), 422, "CERTIFICATE_MISSING")

    async def test_is_refused_of_a_company_that_is_not_known_whole(self, floor: Floor) -> None:
        shop = await bare_shop(floor, await floor.new_caller())
        error_of(await shop.post("/numbering/inutilize-gaps"), 422, "COMPANY_NOT_READY")

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"type": "mdfe"}, "type"),
            ({"series": 890}, "series"),
            ({"justification": "curta"}, "justification"),
            ({"number": 1}, "number"),
        ],
    )
    async def test_refuses_what_it_does_not_know(
        self, idle_shop: Shop, body: dict[str, Any], field: str
    ) -> None:
        assert set(fields_of(await idle_shop.post("/numbering/inutilize-gaps", body))) == {field}


def desk_at(floor: Floor, *moments: datetime) -> Desk:
    """A desk whose clock shows one moment after the other, and stays at the last one."""
    left = list(moments)
    desk: Desk = floor.app.state.services.desk
    workshop = replace(desk.counter.workshop, clock=lambda: left.pop(0) if len(left) > 1 else left[0])
    return replace(desk, counter=replace(desk.counter, workshop=workshop))


async def automatic_shop(new_shop: NewShop) -> Shop:
    """A shop that wants its gaps voided, and has one: number 2."""
    shop = await new_shop()
    await shop.put_settings(numbering={"inutilizeGaps": "automatic"})
    await shop.issue()
    await skip_to(shop, 3)
    return shop


async def deadline_of(shop: Shop) -> datetime:
    return datetime.fromisoformat((await gaps(shop))[0]["deadline"])


class TestAutomatically:
    async def test_gaps_are_given_up_before_their_term_ends(self, floor: Floor, new_shop: NewShop) -> None:
        shops = [await automatic_shop(new_shop) for _ in range(2)]
        other = await new_shop()
        await other.issue(notes=REFUSED)
        await inutilize_everywhere(desk_at(floor, await deadline_of(shops[0]) - DAY))
        for shop in shops:
            assert await ranges_of(shop) == [("nfe", 1, 2, 2)]
            await all_registered(shop)
        assert await ranges_of(other) == []

    @pytest.mark.parametrize("months_away", [-1, 1])
    async def test_gaps_of_other_months_are_left_alone(
        self, floor: Floor, new_shop: NewShop, months_away: int
    ) -> None:
        shop = await automatic_shop(new_shop)
        now = await deadline_of(shop) - DAY
        await rewrite(shop, 3, f"issued_at = issued_at + interval '{months_away} month'")
        await inutilize_everywhere(desk_at(floor, now))
        assert await ranges_of(shop) == []

    async def test_numbers_that_the_authority_refused_are_left_to_a_person(
        self, floor: Floor, new_shop: NewShop
    ) -> None:
        shop = await automatic_shop(new_shop)
        error_of(await void(shop, 2, 2, justification=REFUSED), 422, "AUTHORITY_REJECTED")
        await inutilize_everywhere(desk_at(floor, await deadline_of(shop) - DAY))
        assert await ranges_of(shop) == [("nfe", 1, 2, 2)]

    async def test_workers_at_once_file_nothing_twice(self, floor: Floor, new_shop: NewShop) -> None:
        shop = await automatic_shop(new_shop)
        desk = desk_at(floor, await deadline_of(shop) - DAY)
        await asyncio.gather(*(inutilize_everywhere(desk) for _ in range(4)))
        assert await ranges_of(shop) == [("nfe", 1, 2, 2)]

    @pytest.mark.parametrize("trouble", ["delete from certificates", "update companies set address = null"])
    async def test_a_company_that_can_not_does_not_keep_others_from_it(
        self, floor: Floor, new_shop: NewShop, trouble: str
    ) -> None:
        shops = [await automatic_shop(new_shop) for _ in range(2)]
        first, second = sorted(shops, key=lambda shop: str(shop.caller.subscription_id))
        column = "id" if trouble.startswith("update") else "company_id"
        await floor.fetch(f"{trouble} where {column} = $1", UUID(first.id))
        await floor.fetch("update companies set revision = revision + 1 where id = $1", UUID(first.id))
        await inutilize_everywhere(desk_at(floor, await deadline_of(second) - DAY))
        assert await ranges_of(first) == []
        assert await ranges_of(second) == [("nfe", 1, 2, 2)]


class TestForever:
    """When the worker looks."""

    SEVENTH, EIGHTH = (datetime.fromisoformat(f"2026-12-0{day}T12:00:00-03:00") for day in (7, 8))

    async def test_it_looks_on_the_last_days_of_the_term_only(
        self, floor: Floor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked = asyncio.Queue[datetime]()

        async def look(desk: Desk) -> None:
            looked.put_nowait(desk.counter.workshop.clock())

        monkeypatch.setattr(chore, "inutilize_everywhere", look)
        looking = inutilize_forever(desk_at(floor, self.SEVENTH, self.SEVENTH, self.EIGHTH), timedelta(0))
        await self._until(looking, looked)
        assert looked.get_nowait() == self.EIGHTH

    @pytest.mark.parametrize("error", [DatabaseUnavailable("gone"), KeyError("a bug")])
    async def test_a_look_that_fails_is_not_the_last(
        self, floor: Floor, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        looked = asyncio.Queue[int]()
        left = [error]

        async def look(_: Desk) -> None:
            if left:
                raise left.pop()
            looked.put_nowait(1)

        monkeypatch.setattr(chore, "inutilize_everywhere", look)
        await self._until(inutilize_forever(desk_at(floor, self.EIGHTH), timedelta(0)), looked)
        assert left == []

    async def _until(self, looking: Any, looked: "asyncio.Queue[Any]") -> None:
        """Let it go on until it has looked."""
        task = asyncio.create_task(looking)
        async with asyncio.timeout(PATIENCE):
            looked.put_nowait(await looked.get())
        task.cancel()
        await asyncio.wait({task})


async def ranges_of(shop: Shop) -> list[tuple[str, int, int, int]]:
    """What was filed of a company, by the rows themselves."""
    rows = await shop.floor.fetch(
        "select document_type, series, first_number, last_number from inutilizations where company_id = $1"
        " order by document_type, series, first_number",
        UUID(shop.id),
    )
    return [tuple(row.values()) for row in rows]


async def all_registered(shop: Shop) -> None:
    await shop.floor.until(
        "not exists (select from inutilizations"
        f" where company_id = '{UUID(shop.id)}' and state <> 'registered')"
    )
