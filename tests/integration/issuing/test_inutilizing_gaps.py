"""Inutilizing numbers that did not become documents: on request, and automatically."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.filing import numbering
from carimbo.service.filing.context import FilingContext
from carimbo.storage.database import DatabaseUnavailable
from carimbo.worker import chores as chore
from carimbo.worker.chores import inutilize_everywhere, inutilize_forever
from integration.issuing.number_ledger import (
    JUSTIFICATION,
    gaps,
    inutilize_gaps,
    inutilize_numbers,
    rewrite,
    shown,
    skip_to,
    supersede,
)
from integration.issuing.shop import REFUSED, NewShop, Shop, bare_shop, error_of
from integration.issuing.system import System
from support import TIMEOUT_SECONDS, data_of, fields_of

DAY = timedelta(days=1)


class TestInutilizeGaps:
    async def test_all_voidable_gaps_are_voided(self, shop: Shop) -> None:
        for document_type in ("nfe", "nfce"):
            await shop.issue(document_type)
            await skip_to(shop, 4, document_type)
        filed = await inutilize_gaps(shop, justification=JUSTIFICATION)
        ranges = [
            (entry["type"], entry["numberStart"], entry["numberEnd"], entry["status"]) for entry in filed
        ]
        assert ranges == [("nfce", 2, 3, "processing"), ("nfe", 2, 3, "processing")]
        assert {entry["justification"] for entry in filed} == {JUSTIFICATION}
        await all_registered(shop)
        assert await shown(shop) == await shown(shop, "nfce") == []
        again = await shop.post("/numbering/inutilize-gaps")
        assert (again.status_code, again.json()["data"]) == (200, [])

    async def test_adjacent_gaps_with_different_reasons_are_joined(self, shop: Shop) -> None:
        await shop.issue()
        await shop.issue(notes=REFUSED)
        document = await skip_to(shop, 6)
        await supersede(shop, document, 4, "signed")
        assert [gap[:3] for gap in await shown(shop)] == [
            (2, 2, "abandonedRejection"), (3, 3, "neverSent"), (4, 4, "unknownToAuthority"),
            (5, 5, "neverSent"),
        ]  # fmt: skip
        await inutilize_gaps(shop)
        assert await ranges_of(shop) == [("nfe", 1, 2, 5)]
        await all_registered(shop)

    async def test_range_is_split_at_the_limit_of_the_authority(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 1500)
        await inutilize_gaps(shop)
        assert await ranges_of(shop) == [("nfe", 1, 2, 1001), ("nfe", 1, 1002, 1499)]
        await all_registered(shop)

    async def test_gaps_of_different_years_are_voided_separately(self, shop: Shop) -> None:
        for _ in range(2):
            await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "issued_at = issued_at - interval '1 year'")
        filed = await inutilize_gaps(shop)
        assert [(entry["numberStart"], entry["numberEnd"]) for entry in filed] == [(1, 1), (2, 2)]
        assert filed[1]["year"] - filed[0]["year"] == 1

    async def test_only_gaps_of_the_requested_type_and_series_are_voided(self, shop: Shop) -> None:
        for series in (1, 2):
            await shop.put_settings(nfe={"series": series})
            await shop.issue()
            await skip_to(shop, 3)
        await shop.issue("nfce")
        await skip_to(shop, 3, "nfce")
        await inutilize_gaps(shop, type="nfe", series=2)
        assert await ranges_of(shop) == [("nfe", 2, 2, 2)]
        await inutilize_gaps(shop, type="nfce")
        assert await ranges_of(shop) == [("nfce", 1, 2, 2), ("nfe", 2, 2, 2)]

    async def test_gaps_of_the_other_environment_are_left(self, shop: Shop) -> None:
        await shop.issue("nfce", notes=REFUSED)
        await shop.put_settings(nfce={"environment": "homologation"})
        answer = await shop.post("/numbering/inutilize-gaps")
        assert (answer.status_code, answer.json()["data"]) == (200, [])

    async def test_concurrent_requests_file_nothing_twice(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 9)
        answers = await asyncio.gather(*(shop.post("/numbering/inutilize-gaps") for _ in range(6)))
        assert {answer.status_code for answer in answers} <= {200, 202}
        assert await ranges_of(shop) == [("nfe", 1, 2, 8)]

    async def test_number_that_is_used_in_the_meantime_is_left_out(
        self, system: System, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refused = await shop.issue(notes=REFUSED)
        await shop.issue()
        await skip_to(shop, 4)
        look = numbering._ranges

        async def look_and_be_late(*arguments: Any) -> Any:
            ranges = await look(*arguments)
            await system.fetch("update documents set status = 'pending' where id = $1", UUID(refused["id"]))
            return ranges

        monkeypatch.setattr(numbering, "_ranges", look_and_be_late)
        (filed,) = await inutilize_gaps(shop)
        assert (filed["numberStart"], filed["numberEnd"]) == (3, 3)

    async def test_inutilizing_gaps_without_a_certificate_is_refused(self, shop: Shop) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        error_of(await shop.post("/numbering/inutilize-gaps"), 422, "CERTIFICATE_MISSING")

    async def test_inutilizing_gaps_of_an_incomplete_company_is_refused(self, system: System) -> None:
        shop = await bare_shop(system, await system.new_caller())
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
    async def test_invalid_field_of_the_request_is_reported(
        self, idle_shop: Shop, body: dict[str, Any], field: str
    ) -> None:
        assert set(fields_of(await idle_shop.post("/numbering/inutilize-gaps", body))) == {field}


def filing_context_at(system: System, *moments: datetime) -> FilingContext:
    """Returns a filing context whose clock shows these moments in turn, and then stays at the last."""
    left = list(moments)
    context: FilingContext = system.app.state.services.filing
    builder = replace(context.issuing.builder, clock=lambda: left.pop(0) if len(left) > 1 else left[0])
    return replace(context, issuing=replace(context.issuing, builder=builder))


async def automatic_shop(new_shop: NewShop) -> Shop:
    """Returns a shop that voids gaps automatically, with a gap: number 2."""
    shop = await new_shop()
    await shop.put_settings(numbering={"inutilizeGaps": "automatic"})
    await shop.issue()
    await skip_to(shop, 3)
    return shop


async def deadline_of(shop: Shop) -> datetime:
    return datetime.fromisoformat((await gaps(shop))[0]["deadline"])


class TestAutomaticInutilization:
    async def test_gaps_are_voided_automatically_before_the_deadline(
        self, system: System, new_shop: NewShop
    ) -> None:
        shops = [await automatic_shop(new_shop) for _ in range(2)]
        other = await new_shop()
        await other.issue(notes=REFUSED)
        await inutilize_everywhere(filing_context_at(system, await deadline_of(shops[0]) - DAY))
        for shop in shops:
            assert await ranges_of(shop) == [("nfe", 1, 2, 2)]
            await all_registered(shop)
        assert await ranges_of(other) == []

    @pytest.mark.parametrize("months_away", [-1, 1])
    async def test_gaps_of_other_months_are_not_voided_automatically(
        self, system: System, new_shop: NewShop, months_away: int
    ) -> None:
        shop = await automatic_shop(new_shop)
        now = await deadline_of(shop) - DAY
        await rewrite(shop, 3, f"issued_at = issued_at + interval '{months_away} month'")
        await inutilize_everywhere(filing_context_at(system, now))
        assert await ranges_of(shop) == []

    async def test_numbers_that_the_authority_refused_to_void_are_not_tried_again(
        self, system: System, new_shop: NewShop
    ) -> None:
        shop = await automatic_shop(new_shop)
        error_of(await inutilize_numbers(shop, 2, 2, justification=REFUSED), 422, "AUTHORITY_REJECTED")
        await inutilize_everywhere(filing_context_at(system, await deadline_of(shop) - DAY))
        assert await ranges_of(shop) == [("nfe", 1, 2, 2)]

    async def test_concurrent_workers_file_nothing_twice(self, system: System, new_shop: NewShop) -> None:
        shop = await automatic_shop(new_shop)
        context = filing_context_at(system, await deadline_of(shop) - DAY)
        await asyncio.gather(*(inutilize_everywhere(context) for _ in range(4)))
        assert await ranges_of(shop) == [("nfe", 1, 2, 2)]

    @pytest.mark.parametrize("trouble", ["delete from certificates", "update companies set address = null"])
    async def test_company_that_can_not_void_does_not_prevent_others(
        self, system: System, new_shop: NewShop, trouble: str
    ) -> None:
        shops = [await automatic_shop(new_shop) for _ in range(2)]
        first, second = sorted(shops, key=lambda shop: str(shop.caller.subscription_id))
        column = "id" if trouble.startswith("update") else "company_id"
        await system.fetch(f"{trouble} where {column} = $1", UUID(first.id))
        await system.fetch("update companies set revision = revision + 1 where id = $1", UUID(first.id))
        await inutilize_everywhere(filing_context_at(system, await deadline_of(second) - DAY))
        assert await ranges_of(first) == []
        assert await ranges_of(second) == [("nfe", 1, 2, 2)]


class TestSchedule:
    """When the worker checks for gaps."""

    SEVENTH, EIGHTH = (datetime.fromisoformat(f"2026-12-0{day}T12:00:00-03:00") for day in (7, 8))

    async def test_worker_checks_only_on_the_last_days_of_the_term(
        self, system: System, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked = asyncio.Queue[datetime]()

        async def look(context: FilingContext) -> None:
            looked.put_nowait(context.issuing.builder.clock())

        monkeypatch.setattr(chore, "inutilize_everywhere", look)
        looking = inutilize_forever(
            filing_context_at(system, self.SEVENTH, self.SEVENTH, self.EIGHTH), timedelta(0)
        )
        await self._until(looking, looked)
        assert looked.get_nowait() == self.EIGHTH

    @pytest.mark.parametrize("error", [DatabaseUnavailable("gone"), KeyError("a bug")])
    async def test_worker_goes_on_checking_after_an_error(
        self, system: System, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        looked = asyncio.Queue[int]()
        left = [error]

        async def look(_: FilingContext) -> None:
            if left:
                raise left.pop()
            looked.put_nowait(1)

        monkeypatch.setattr(chore, "inutilize_everywhere", look)
        await self._until(inutilize_forever(filing_context_at(system, self.EIGHTH), timedelta(0)), looked)
        assert left == []

    async def _until(self, looking: Any, looked: "asyncio.Queue[Any]") -> None:
        """Runs the task until it has checked once."""
        task = asyncio.create_task(looking)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            looked.put_nowait(await looked.get())
        task.cancel()
        await asyncio.wait({task})


async def ranges_of(shop: Shop) -> list[tuple[str, int, int, int]]:
    """Returns the filed ranges of a company, read from the database."""
    rows = await shop.system.fetch(
        "select document_type, series, first_number, last_number from inutilizations where company_id = $1"
        " order by document_type, series, first_number",
        UUID(shop.id),
    )
    return [tuple(row.values()) for row in rows]


async def all_registered(shop: Shop) -> None:
    await shop.system.until(
        "not exists (select from inutilizations"
        f" where company_id = '{UUID(shop.id)}' and state <> 'registered')"
    )
