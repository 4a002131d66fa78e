"""The numbering ledger: all numbers that did not become documents."""

from datetime import datetime
from uuid import UUID

import pytest

from carimbo.fiscal.emission import local_moment
from carimbo.service.filing import numbering
from carimbo.service.filing.gaps import deadline_of as term_of
from carimbo.storage.numbering import NumberSequence
from integration.issuing.number_ledger import (
    gaps,
    inutilize_numbers,
    ledger,
    rewrite,
    shown,
    skip_to,
    stray,
    supersede,
)
from integration.issuing.shop import Shop, error_of
from integration.issuing.system import System
from support import data_of, fields_of
from toy.codes import REFUSED, UNANSWERED


class TestLedger:
    async def test_ledger_of_a_company_without_documents_is_empty(self, idle_shop: Shop) -> None:
        assert await ledger(idle_shop) == []

    async def test_ledger_shows_each_series_with_its_next_number(self, shop: Shop) -> None:
        for document_type in ("toy", "toy", "toynote"):
            await shop.issue(document_type)
        await shop.put_settings(toy={"series": 2, "number": 50})
        rest = {"environment": "production", "gaps": [], "omitted": 0}
        toys = [{"type": "toy", "series": series, "nextNumber": next_} for series, next_ in ((1, 3), (2, 50))]
        note = {"type": "toynote", "series": 1, "nextNumber": 2}
        assert await ledger(shop) == [series | rest for series in (*toys, note)]
        assert await ledger(shop, type="toy") == [series | rest for series in toys]

    async def test_ledger_shows_skipped_numbers(self, shop: Shop) -> None:
        await shop.issue()
        above = await skip_to(shop, 10)
        assert await shown(shop) == [(2, 9, "neverSent", None, True)]
        (gap,) = await gaps(shop)
        issued_at = local_moment(datetime.fromisoformat(above["issuedAt"]), "SP")
        assert (datetime.fromisoformat(gap["deadline"]), gap["overdue"]) == (term_of(issued_at), False)
        assert gap["deadline"].endswith("Z")

    async def test_ledger_does_not_show_numbers_before_the_first_used_one(self, shop: Shop) -> None:
        await skip_to(shop, 500)
        assert await shown(shop) == []

    async def test_ledger_shows_a_refused_document_until_it_is_corrected(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        assert await shown(shop) == [(1, 1, "abandonedRejection", refused["id"], True)]
        data_of(await shop.patch(refused, notes=None))
        await shop.emit(refused)
        await shop.settled(refused)
        assert await shown(shop) == []

    async def test_ledger_shows_a_number_that_was_never_sent(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "state = 'numbered', issued_at = null")
        assert await shown(shop) == [(1, 1, "neverSent", refused["id"], True)]

    async def test_ledger_does_not_show_documents_in_process(self, system: System, shop: Shop) -> None:
        document = await shop.create(notes=UNANSWERED)
        await system.until(f"exists (select from emissions where document_id = '{UUID(document['id'])}')")
        assert await shown(shop) == []

    @pytest.mark.parametrize(
        ("state", "expected"),
        [
            ("signed", [("unknownToAuthority", True)]),
            ("sent", [("unknownFate", False)]),
            ("canceled", []),
            ("foreign", []),
        ],
    )
    async def test_ledger_shows_a_superseded_attempt(
        self, shop: Shop, state: str, expected: list[tuple[str, bool]]
    ) -> None:
        document = await skip_to(shop, 2)
        await supersede(shop, document, 1, state)
        assert await shown(shop) == [
            (1, 1, reason, document["id"], voidable) for reason, voidable in expected
        ]  # fmt: skip

    async def test_ledger_shows_an_attempt_that_is_authorized_besides_the_document(self, shop: Shop) -> None:
        document = await skip_to(shop, 2)
        await supersede(shop, document, 1, "authorized")
        await stray(shop, document)
        assert await shown(shop) == [(1, 1, "authorizedTwice", document["id"], False)]
        nothing = await shop.post("/numbering/inutilize-gaps", {})
        assert (nothing.status_code, nothing.json()["data"]) == (200, [])
        assert (
            error_of(await inutilize_numbers(shop, 1, 1), 409, "NUMBER_ALREADY_USED")["documentId"]
            == document["id"]
        )
        await rewrite(shop, 1, "state = 'canceled'")
        assert await shown(shop) == []

    async def test_ledger_does_not_show_voided_numbers(self, shop: Shop) -> None:
        await shop.issue()
        refused = await shop.issue(notes=REFUSED)
        await skip_to(shop, 10)
        data_of(await inutilize_numbers(shop, 5, 6))
        assert [gap[:2] for gap in await shown(shop)] == [(2, 2), (3, 4), (7, 9)]
        data_of(await inutilize_numbers(shop, refused["number"], 4))
        assert [gap[:2] for gap in await shown(shop)] == [(7, 9)]

    async def test_ledger_shows_numbers_whose_inutilization_was_refused(self, shop: Shop) -> None:
        await shop.issue()
        await skip_to(shop, 3)
        error_of(await inutilize_numbers(shop, 2, 2, justification=REFUSED), 422, "AUTHORITY_REJECTED")
        assert await shown(shop) == [(2, 2, "neverSent", None, True)]

    async def test_ledger_separates_environments(self, shop: Shop) -> None:
        await shop.issue()
        await shop.put_settings(toynote={"environment": "homologation"})
        await shop.issue("toynote")
        await skip_to(shop, 4, "toynote")
        listed = [(row["type"], row["environment"], len(row["gaps"])) for row in await ledger(shop)]
        assert listed == [("toy", "production", 0), ("toynote", "homologation", 1)]

    async def test_ledger_shows_that_the_deadline_is_over(self, shop: Shop) -> None:
        await shop.issue(notes=REFUSED)
        await rewrite(shop, 1, "issued_at = now() - interval '90 days'")
        (gap,) = await gaps(shop)
        assert (gap["overdue"], gap["voidable"]) == (True, True)

    async def test_ledger_counts_the_gaps_that_it_omits(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(numbering, "MAX_LISTED", 2)
        await shop.issue()
        for number in (3, 5, 7):
            await skip_to(shop, number)
        (series,) = await ledger(shop)
        assert [gap["numberStart"] for gap in series["gaps"]] == [2, 4]
        assert series["omitted"] == 1

    async def test_filter_by_an_unknown_type_is_invalid(self, idle_shop: Shop) -> None:
        assert set(fields_of(await idle_shop.get("/numbering", type="nf3e"))) == {"type"}

    async def test_ledger_of_another_subscriptions_company_is_empty(self, system: System, shop: Shop) -> None:
        await shop.issue(notes=REFUSED)
        company_id, stranger = UUID(shop.id), await system.new_caller()
        async with system.database.autocommit(stranger.subscription_id) as tenant:
            assert await tenant.numberings.all(company_id) == []
            page = await tenant.numberings.unused(NumberSequence(company_id, "toy", "production", 1, 2), 10)
        assert (page.numbers, page.total) == ([], 0)
