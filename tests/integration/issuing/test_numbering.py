"""The numbering ledger: every number that did not become a document, and giving them up."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.fiscal.emission import local_moment
from carimbo.service import numbering
from carimbo.service.filing.desk import Desk
from carimbo.service.gaps import deadline_of as term_of
from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.numbering import Numbering
from carimbo.worker import numbering as chore
from carimbo.worker.numbering import inutilize_everywhere, inutilize_forever
from integration.issuing.floor import PATIENCE, Floor
from integration.issuing.shop import REFUSED, UNANSWERED, NewShop, Shop, bare_shop, error_of
from integration.issuing.till import till_of
from support import data_of, fields_of

JUSTIFICATION = "Numeração pulada por falha de sistema"
DAY = timedelta(days=1)


async def ledger(shop: Shop, **query: str) -> list[dict[str, Any]]:
    return list(data_of(await shop.get("/numbering", **query)))


async def gaps(shop: Shop, kind: str = "nfe") -> list[dict[str, Any]]:
    """The gaps of the only series of a type."""
    (series,) = await ledger(shop, type=kind)
    return list(series["gaps"])


async def shown(shop: Shop, kind: str = "nfe") -> list[tuple[Any, ...]]:
    names = ("numberStart", "numberEnd", "reason", "documentId", "voidable")
    return [tuple(gap[name] for name in names) for gap in await gaps(shop, kind)]


async def inutilize(shop: Shop, **body: Any) -> list[dict[str, Any]]:
    """Give the gaps up, of which there must be some."""
    answer = await shop.post("/numbering/inutilize-gaps", body)
    assert answer.status_code == 202, answer.text
    return list(answer.json()["data"])


async def void(shop: Shop, first: int, last: int, **changes: Any) -> httpx2.Response:
    body = {"series": 1, "numberStart": first, "numberEnd": last, "justification": JUSTIFICATION, **changes}
    return await shop.post("/nfe/inutilizations", body)


async def skip_to(shop: Shop, number: int, kind: str = "nfe") -> dict[str, Any]:
    """Move the counter and issue from there."""
    await shop.put_settings(**{kind: {"number": number}})
    return await shop.issue(kind)


async def rewrite(shop: Shop, number: int, changes: str) -> None:
    """Let the attempt under a number have become something else."""
    statement = f"update emissions set {changes} where company_id = $1 and number = $2"
    await shop.floor.fetch(statement, UUID(shop.id), number)


async def supersede(shop: Shop, document: dict[str, Any], number: int, state: str) -> None:
    """Let an authorized document be the second attempt, after one under another number."""
    document_id = UUID(document["id"])
    await shop.floor.fetch("update emissions set ordinal = 2 where document_id = $1", document_id)
    await shop.floor.fetch("update documents set emission = 2 where id = $1", document_id)
    await shop.floor.fetch(
        "insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,"
        " environment, series, number, numeric_code, emission_type, state, issued_at)"
        " select subscription_id, document_id, 1, company_id, document_type, environment, series, $2,"
        " numeric_code, '1', $3, issued_at from emissions where document_id = $1",
        document_id, number, state,
    )  # fmt: skip


async def stray(shop: Shop, document: dict[str, Any]) -> None:
    """Let the first attempt have been of unknown fate, and settled since."""
    await shop.floor.fetch(
        "insert into strays (subscription_id, id, company_id, document_id, emission, next_action_at)"
        " select subscription_id, gen_random_uuid(), company_id, id, 1, null from documents where id = $1",
        UUID(document["id"]),
    )


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


class TestLedger:
    async def test_of_a_company_that_took_no_number_is_empty(self, idle_shop: Shop) -> None:
        assert await ledger(idle_shop) == []

    async def test_tells_each_series_with_its_next_number(self, shop: Shop) -> None:
        for kind in ("nfe", "nfe", "nfce"):
            await shop.issue(kind)
        await shop.put_settings(nfe={"series": 2, "number": 50})
        rest = {"environment": "production", "gaps": [], "omitted": 0}
        nfe = [{"type": "nfe", "series": series, "nextNumber": next_} for series, next_ in ((1, 3), (2, 50))]
        nfce = {"type": "nfce", "series": 1, "nextNumber": 2}
        assert await ledger(shop) == [one | rest for one in (nfce, *nfe)]
        assert await ledger(shop, type="nfe") == [one | rest for one in nfe]
        assert await ledger(shop, type="mdfe") == []

    async def test_tells_skipped_numbers(self, shop: Shop) -> None:
        await shop.issue()
        above = await skip_to(shop, 10)
        assert await shown(shop) == [(2, 9, "neverSent", None, True)]
        (gap,) = await gaps(shop)
        issued_at = local_moment(datetime.fromisoformat(above["issuedAt"]), "SP")
        assert (gap["deadline"], gap["overdue"]) == (term_of(issued_at).isoformat(), False)

    async def test_does_not_tell_what_another_system_may_have_used(self, shop: Shop) -> None:
        await skip_to(shop, 500)
        assert await shown(shop) == []

    async def test_tells_a_refused_document_until_it_is_corrected(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        assert await shown(shop) == [(1, 1, "abandonedRejection", refused["id"], True)]
        data_of(await shop.patch(refused, notes=None))
        await shop.emit(refused)
        await shop.settled(refused)
        assert await shown(shop) == []

    async def test_tells_what_was_numbered_and_never_sent(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "state = 'numbered', issued_at = null")
        assert await shown(shop) == [(1, 1, "neverSent", refused["id"], True)]

    async def test_does_not_tell_what_is_on_its_way(self, floor: Floor, shop: Shop) -> None:
        document = await shop.create(notes=UNANSWERED)
        await floor.until(f"exists (select from emissions where document_id = '{UUID(document['id'])}')")
        assert await shown(shop) == []

    @pytest.mark.parametrize(
        ("state", "told"),
        [
            ("signed", [("unknownToAuthority", True)]),
            ("sent", [("unknownFate", False)]),
            ("canceled", []),
            ("foreign", []),
        ],
    )
    async def test_tells_an_attempt_that_another_took_the_place_of(
        self, shop: Shop, state: str, told: list[tuple[str, bool]]
    ) -> None:
        document = await skip_to(shop, 2)
        await supersede(shop, document, 1, state)
        assert await shown(shop) == [
            (1, 1, reason, document["id"], voidable) for reason, voidable in told
        ]  # fmt: skip

    async def test_tells_an_attempt_that_the_authority_has_besides_the_document(self, shop: Shop) -> None:
        document = await skip_to(shop, 2)
        await supersede(shop, document, 1, "authorized")
        await stray(shop, document)
        assert await shown(shop) == [(1, 1, "authorizedTwice", document["id"], False)]
        nothing = await shop.post("/numbering/inutilize-gaps", {})
        assert (nothing.status_code, nothing.json()["data"]) == (200, [])
        assert error_of(await void(shop, 1, 1), 409, "NUMBER_ALREADY_USED")["documentId"] == document["id"]
        await rewrite(shop, 1, "state = 'canceled'")
        assert await shown(shop) == []

    async def test_does_not_tell_numbers_that_are_given_up(self, shop: Shop) -> None:
        await shop.issue()
        refused = await shop.issue(notes=REFUSED)
        await skip_to(shop, 10)
        data_of(await void(shop, 5, 6))
        assert [gap[:2] for gap in await shown(shop)] == [(2, 2), (3, 4), (7, 9)]
        data_of(await void(shop, refused["number"], 4))
        assert [gap[:2] for gap in await shown(shop)] == [(7, 9)]

    async def test_tells_numbers_that_the_authority_would_not_have_given_up(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 3)
        error_of(await void(shop, 2, 2, justification=REFUSED), 422, "AUTHORITY_REJECTED")
        assert await shown(shop) == [(2, 2, "neverSent", None, True)]

    async def test_keeps_environments_apart(self, shop: Shop) -> None:
        await shop.issue()
        await shop.put_settings(nfce={"environment": "homologation"})
        await shop.issue("nfce")
        await skip_to(shop, 4, "nfce")
        found = [(one["type"], one["environment"], len(one["gaps"])) for one in await ledger(shop)]
        assert found == [("nfce", "homologation", 1), ("nfe", "production", 0)]

    async def test_waits_for_what_the_point_of_sale_may_have_printed(self, shop: Shop) -> None:
        till = await till_of(shop)
        await shop.issue("nfce")
        answer = await shop.post("/nfce", till.paper(5))
        await shop.settled(answer.json()["data"])
        assert await shown(shop, "nfce") == [(2, 4, "neverSent", None, False)]
        await rewrite(shop, 5, "issued_at = now() - interval '30 days'")
        assert await shown(shop, "nfce") == [(2, 4, "neverSent", None, True)]

    async def test_never_gives_up_what_is_printed(self, shop: Shop) -> None:
        till = await till_of(shop)
        answer = await shop.post("/nfce", till.paper(1, notes=REFUSED))
        refused = await shop.settled(answer.json()["data"])
        assert await shown(shop, "nfce") == [(1, 1, "abandonedRejection", refused["id"], False)]
        nothing = await shop.post("/numbering/inutilize-gaps", {})
        assert (nothing.status_code, nothing.json()["data"]) == (200, [])

    async def test_tells_that_the_term_is_over(self, shop: Shop) -> None:
        await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "issued_at = now() - interval '90 days'")
        (gap,) = await gaps(shop)
        assert (gap["overdue"], gap["voidable"]) == (True, True)

    async def test_tells_how_many_it_leaves_out(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(numbering, "MOST_TOLD", 2)
        await shop.issue()
        for number in (3, 5, 7):
            await skip_to(shop, number)
        (series,) = await ledger(shop)
        assert [gap["numberStart"] for gap in series["gaps"]] == [2, 4]
        assert series["omitted"] == 1

    async def test_refuses_a_type_that_there_is_not(self, idle_shop: Shop) -> None:
        assert set(fields_of(await idle_shop.get("/numbering", type="nf3e"))) == {"type"}

    async def test_of_another_subscriptions_company_is_empty_to_its_tenant(
        self, floor: Floor, shop: Shop
    ) -> None:
        await shop.issue(notes=REFUSED)
        company_id, stranger = UUID(shop.id), await floor.new_caller()
        async with floor.database.autocommit(stranger.subscription_id) as tenant:
            assert await tenant.numberings.all(company_id) == []
            page = await tenant.numberings.unused(Numbering(company_id, "nfe", "production", 1, 2), 10)
        assert (page.found, page.total) == ([], 0)


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
