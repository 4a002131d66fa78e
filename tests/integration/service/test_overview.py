"""The overview: which rows are in each part, and which are not."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI

from carimbo.service.access import Authenticator
from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.outage_board import OutageBoard
from carimbo.service.overview import companies as overview_companies
from carimbo.service.overview.attention import read_attention
from carimbo.service.overview.items import Attention
from carimbo.service.receiving.decision import REST
from carimbo.service.receiving.stream_warnings import StreamWarningCode
from carimbo.service.services import Services
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.companies import CompanyRow
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.outages import AuthorityService, end_outage, record_outage
from carimbo.storage.streams import open_stream
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import SUMMARY
from integration.storage.problem_rows import ProblemRows
from integration.storage.received_rows import new_received
from support import OTHER_CNPJ

DAY = timedelta(days=1)
ADDRESS = {
    "zipcode": "78005000", "street": "Rua Barão de Melgaço", "number": "10", "district": "Centro",
    "city": "Cuiabá", "state": "MT",
}  # fmt: skip
OUTAGE = AuthorityService("55", "MT", "production")


@dataclass(frozen=True)
class Panel(ProblemRows):
    """A subscription with two companies, of which a person sees the first one alone or both."""

    services: Services

    async def attention(self, *shops: Shop, now: datetime | None = None) -> Attention:
        """Returns what needs attention in some shops; without any, in the first one."""
        companies = [await self.company(shop) for shop in shops or (self.shop,)]
        moment = now or datetime.now(UTC)
        return await read_attention(self.services, self.shop.subscription_id, companies, moment)

    async def company(self, shop: Shop) -> CompanyRow:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            company = await tenant.companies.get(shop.company_id)
        assert company is not None
        return company

    async def certify(self, shop: Shop, expires_at: datetime) -> None:
        summary = replace(SUMMARY, valid_from=expires_at - 365 * DAY, expires_at=expires_at)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.certificates.put(shop.company_id, summary)
            await tenant.companies.lock(shop.company_id)

    async def complete(self, shop: Shop) -> None:
        """Gives a company all that it needs to issue NF-e."""
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.companies.update(shop.company_id, {"address": ADDRESS, "tax_regime": "simples"})
            await tenant.companies.set_environment(shop.company_id, "production")
            await tenant.state_registrations.add(shop.company_id, new_id(), "MT", "130000019", True)
        await self.certify(shop, datetime.now(UTC) + 300 * DAY)


@pytest.fixture
async def panel(app: FastAPI, authenticator: Authenticator) -> Panel:
    services: Services = app.state.services
    # Its own board: that of the API may have read the outages a moment ago.
    board = OutageBoard(services.database, timedelta(0), services.clock)
    services = replace(services, status_reader=replace(services.status_reader, outages=board))
    subscription_id = (await create_subscription(authenticator, "Teste")).subscription_id
    shop = await open_shop(services.database, subscription_id)
    return Panel(shop, await open_shop(services.database, subscription_id, OTHER_CNPJ), services)


@pytest.fixture
async def outage(panel: Panel) -> AsyncIterator[AuthorityService]:
    """SEFAZ of Mato Grosso does not answer."""
    async with panel.shop.database.connection() as connection:
        await record_outage(connection, OUTAGE, "109", "Serviço paralisado", timedelta(minutes=10))
    yield OUTAGE
    async with panel.shop.database.connection() as connection:
        await end_outage(connection, OUTAGE)


class TestRejections:
    async def test_rejected_documents_are_grouped_by_code_with_the_text_of_the_newest(
        self, panel: Panel
    ) -> None:
        first = await panel.rejected(message="Rejeição: NCM inexistente [nItem: 1]")
        second = await panel.rejected(panel.other, message="Rejeição: NCM inexistente [nItem: 7]")
        await panel.rejected(code="539", message="Rejeição: Duplicidade")
        rejections = (await panel.attention(panel.shop, panel.other)).rejections
        group, single = rejections.groups.items
        assert (group.code, group.message, group.hint) == (
            "778", "Rejeição: NCM inexistente [nItem: 7]", "Confira o NCM."
        )  # fmt: skip
        assert (group.documents, group.types) == (2, ("nfe",))
        assert [document.id for document in group.newest] == [second.id, first.id]
        assert {company.id for company in group.companies} == {panel.shop.company_id, panel.other.company_id}
        assert (single.code, rejections.documents, rejections.others) == ("539", 3, 0)

    async def test_documents_of_companies_that_the_person_does_not_see_are_absent(self, panel: Panel) -> None:
        await panel.rejected(panel.other)
        rejections = (await panel.attention(panel.shop)).rejections
        assert not rejections
        assert rejections.others == 0

    async def test_corrected_document_is_absent_once_it_is_processing(self, panel: Panel) -> None:
        document = await panel.rejected()
        await panel.execute("update documents set status = 'processing' where id = $1", document.id)
        assert not (await panel.attention()).rejections

    async def test_document_of_an_old_order_is_in_the_groups_if_it_was_rejected_lately(
        self, panel: Panel
    ) -> None:
        old_order, old_rejection = await panel.rejected(), await panel.rejected()
        await panel.execute(
            "update documents set created_at = now() - interval '60 days' where id = $1", old_order.id
        )
        await panel.execute(
            "update documents set updated_at = now() - interval '31 days' where id = $1", old_rejection.id
        )
        rejections = (await panel.attention()).rejections
        [group] = rejections.groups.items
        assert [document.id for document in group.newest] == [old_order.id]
        assert (rejections.documents, rejections.others) == (1, 1)

    async def test_rejections_of_a_test_are_not_mixed_with_those_of_production(self, panel: Panel) -> None:
        await panel.rejected()
        trial = await panel.rejected()
        await panel.execute("update documents set environment = 'homologation' where id = $1", trial.id)
        groups = (await panel.attention()).rejections.groups
        assert {(group.environment, group.documents) for group in groups.items} == {
            ("production", 1),
            ("homologation", 1),
        }

    async def test_group_has_all_its_documents_but_names_the_newest_five(self, panel: Panel) -> None:
        documents = [await panel.rejected() for _ in range(7)]
        [group] = (await panel.attention()).rejections.groups.items
        assert group.documents == 7
        assert [document.id for document in group.newest] == [
            document.id for document in reversed(documents[2:])
        ]


class TestDocuments:
    async def test_overdue_document_is_listed_with_the_last_answer(self, panel: Panel) -> None:
        document, _ = await panel.shop.added(), await panel.shop.added()
        await panel.attempt(document, 12, state="sent")
        await panel.execute(
            "update documents set queued_at = now() - interval '3 days' where id = $1", document.id
        )
        await panel.execute(
            "update emissions set answer_code = '108', answer_message = 'Paralisado', answered_at = now()"
            " where document_id = $1",
            document.id,
        )
        overdue = (await panel.attention()).overdue
        [item] = overdue.items
        assert (overdue.total, item.id, item.number) == (1, document.id, 12)
        assert (item.answer_code, item.answer_message) == ("108", "Paralisado")

    async def test_parked_document_is_set_aside_and_not_overdue(self, panel: Panel) -> None:
        parked, hidden = await panel.shop.added(), await panel.other.added()
        await panel.execute(
            "update documents set queued_at = now() - interval '3 days', parked_reason = 'falhou'"
            " where id = any($1)",
            [parked.id, hidden.id],
        )
        attention = await panel.attention()
        [item] = attention.parked.items
        assert (attention.parked.total, attention.overdue.total) == (1, 0)
        assert (item.kind, item.id, item.reason) == ("document", parked.id, "falhou")

    async def test_open_manifests_are_listed_from_the_oldest_with_their_days(self, panel: Panel) -> None:
        now = datetime.now(UTC)
        ids = []
        for number, days in enumerate((3, 31, 5), 1):
            document = await panel.shop.added(type="mdfe")
            await panel.attempt(document, number, state="authorized", access_key=f"{document.id}")
            await panel.shop.settle(document)
            await panel.execute(
                "update documents set facts = jsonb_build_object('openSince', $2::timestamptz),"
                " created_at = $2 where id = $1",
                document.id, now - days * DAY,
            )  # fmt: skip
            ids.append(document.id)
        await panel.execute(
            """update documents set facts = facts || '{"closedAt": "2026-11-01T00:00:00Z"}' where id = $1""",
            ids[2],
        )
        manifests = (await panel.attention(now=now)).open_manifests
        assert [(item.id, item.days_open, item.is_late) for item in manifests.items] == [
            (ids[1], 31, True),
            (ids[0], 3, False),
        ]


class TestGaps:
    NOW = datetime(2027, 3, 8, 12, tzinfo=UTC)
    LAST_MONTH, THIS_MONTH = datetime(2027, 2, 20, 12, tzinfo=UTC), datetime(2027, 3, 2, 12, tzinfo=UTC)

    async def _store(self, panel: Panel, number: int, issued_at: datetime, **columns: Any) -> Document:
        document = await panel.rejected()
        await panel.attempt(document, number, issued_at=issued_at, **columns)
        await panel.execute(
            "update documents set created_at = $2, updated_at = $2 where id = $1", document.id, issued_at
        )
        return document

    async def test_rejected_numbers_of_last_month_are_due_on_the_tenth(self, panel: Panel) -> None:
        for number, issued_at in ((7, self.LAST_MONTH), (9, self.LAST_MONTH), (11, self.THIS_MONTH)):
            await self._store(panel, number, issued_at)
        gaps = (await panel.attention(now=self.NOW)).gaps
        [item] = gaps.items
        assert (item.type, item.series, item.numbers) == ("nfe", 1, 2)
        assert not item.is_overdue
        assert item.deadline.date() == datetime(2027, 3, 10).date()  # noqa: DTZ001

    async def test_gap_stays_after_its_deadline_until_the_month_ends(self, panel: Panel) -> None:
        await self._store(panel, 7, self.LAST_MONTH)
        later = (await panel.attention(now=self.NOW + 10 * DAY)).gaps
        assert [item.is_overdue for item in later.items] == [True]
        assert not (await panel.attention(now=self.NOW + 31 * DAY)).gaps

    async def test_numbers_that_need_no_inutilization_are_no_gaps(self, panel: Panel) -> None:
        await self._store(panel, 1, self.LAST_MONTH, emission_type="9")
        await self._store(panel, 2, self.LAST_MONTH, state="sent")
        trial = await self._store(panel, 3, self.LAST_MONTH)
        await panel.execute(
            "update emissions set environment = 'homologation' where document_id = $1", trial.id
        )
        await self._store(panel, 4, self.LAST_MONTH)
        await panel.execute(
            "insert into inutilizations (subscription_id, id, company_id, document_type, environment, series,"
            " first_number, last_number, year, justification)"
            " values ($1, $2, $3, 'nfe', 'production', 1, 4, 6, 2027, 'Quebra na sequência')",
            panel.shop.subscription_id, new_id(), panel.shop.company_id,
        )  # fmt: skip
        assert not (await panel.attention(now=self.NOW)).gaps

    async def test_number_of_an_attempt_that_another_one_replaced_is_a_gap(self, panel: Panel) -> None:
        document = await panel.shop.added()
        await panel.attempt(document, 5, state="signed", issued_at=self.LAST_MONTH)
        await panel.execute(
            "insert into strays (subscription_id, id, company_id, document_id, emission, created_at)"
            " values ($1, $2, $3, $4, 1, $5)",
            panel.shop.subscription_id, new_id(), panel.shop.company_id, document.id, self.LAST_MONTH,
        )  # fmt: skip
        await panel.execute(
            "update documents set emission = 2, status = 'authorized' where id = $1", document.id
        )
        [item] = (await panel.attention(now=self.NOW)).gaps.items
        assert item.numbers == 1


class TestCertificates:
    async def test_missing_expired_and_expiring_certificates_are_listed(self, panel: Panel) -> None:
        now = datetime.now(UTC)
        await panel.certify(panel.shop, now - DAY)
        both = (await panel.attention(panel.shop, panel.other, now=now)).certificates
        assert [(item.company.id, item.state, item.days_left) for item in both.items] == [
            (panel.shop.company_id, CertificateState.EXPIRED, 0),
            (panel.other.company_id, None, None),
        ]
        await panel.certify(panel.shop, now + 29 * DAY)
        [expiring] = (await panel.attention(now=now)).certificates.items
        assert (expiring.state, expiring.days_left) == (CertificateState.EXPIRING, 29)

    async def test_certificate_that_lasts_longer_is_not_listed(self, panel: Panel) -> None:
        now = datetime.now(UTC)
        await panel.certify(panel.shop, now + 31 * DAY)
        assert not (await panel.attention(now=now)).certificates


class TestWebhooks:
    async def test_failing_and_disabled_webhooks_are_listed_but_not_those_that_their_owner_disabled(
        self, panel: Panel
    ) -> None:
        for name, is_active, reason, failing in (
            ("ok", True, None, False),
            ("off", False, None, True),
            ("failing", True, None, True),
            ("disabled", False, "5 dias sem sucesso", True),
        ):
            await panel.execute(
                "insert into webhooks (subscription_id, id, name, url, events, topics, is_active,"
                " disabled_reason, failing_since)"
                " values ($1, $2, $3, 'https://example.com', '{}', '{}', $4, $5,"
                " case when $6 then now() end)",
                panel.shop.subscription_id, new_id(), name, is_active, reason, failing,
            )  # fmt: skip
        webhooks = (await panel.attention()).webhooks
        assert [(item.name, item.is_disabled) for item in webhooks.items] == [
            ("disabled", True),
            ("failing", False),
        ]


class TestReceived:
    async def test_documents_whose_term_ends_within_ten_days_are_listed_from_the_first(
        self, panel: Panel
    ) -> None:
        now = datetime.now(UTC)
        rows: dict[str, dict[str, Any]] = {
            "second": {"respond_by": now + 9 * DAY, "status": "pending"},
            "first": {"respond_by": now + 2 * DAY, "status": "science"},
            "later": {"respond_by": now + 11 * DAY},
            "over": {"respond_by": now - DAY},
            "confirmed": {"respond_by": now + 2 * DAY, "status": "confirmed"},
            "canceled": {"respond_by": now + 2 * DAY, "situation": "canceled"},
        }
        async with panel.shop.database.tenant(panel.shop.subscription_id) as tenant:
            for position, (name, columns) in enumerate(rows.items()):
                key = f"35{position:042}"
                await tenant.received.add(
                    new_received(panel.shop.company_id, access_key=key, issuer_name=name, **columns)
                )
        due = (await panel.attention(now=now)).received_due
        assert [(item.issuer_name, item.days_left) for item in due.items] == [("first", 2), ("second", 9)]

    async def test_documents_that_need_no_answer_are_not_listed(self, panel: Panel) -> None:
        now = datetime.now(UTC)
        columns: dict[str, Any] = {"service": "cte", "type": "cte", "role": "taker", "access_key": "5" * 44}
        async with panel.shop.database.tenant(panel.shop.subscription_id) as tenant:
            await tenant.received.add(
                new_received(panel.shop.company_id, **columns, respond_by=now + 2 * DAY)
            )
        assert not (await panel.attention(now=now)).received_due

    async def test_stream_with_another_reader_is_listed_and_an_undisturbed_one_is_not(
        self, panel: Panel
    ) -> None:
        await panel.complete(panel.shop)
        async with panel.shop.database.tenant(panel.shop.subscription_id) as tenant:
            stream_id = await open_stream(tenant.connection, "nfe", "production", "11222333000181", REST)
            reception = await tenant.receptions.start(panel.shop.company_id, "nfe", "production", stream_id)
        proof = "update receptions set proved_fingerprint = 'a1' where id = $1"
        await panel.execute(proof, reception.id)
        reader = "update streams set other_reader_at = $2 where id = $1"
        await panel.execute(reader, stream_id, None)
        assert not (await panel.attention()).streams
        await panel.execute(reader, stream_id, datetime.now(UTC))
        [item] = (await panel.attention()).streams.items
        await panel.execute(reader, stream_id, None)
        assert [warning.code for warning in item.warnings] == [StreamWarningCode.OTHER_READER]


class TestCompanies:
    async def test_company_that_lacks_data_for_a_type_it_uses_is_not_ready(self, panel: Panel) -> None:
        await panel.shop.added()
        [item] = (await panel.attention()).unready.items
        assert (item.company.id, item.types) == (panel.shop.company_id, ("nfe",))
        assert {"address", "taxRegime"} <= set(item.missing)

    async def test_company_that_only_lacks_its_certificate_is_among_the_certificates_alone(
        self, panel: Panel
    ) -> None:
        await panel.complete(panel.shop)
        await panel.shop.added()
        assert not (await panel.attention()).unready
        await panel.certify(panel.shop, datetime.now(UTC) - DAY)
        attention = await panel.attention()
        assert (attention.unready.total, attention.certificates.total) == (0, 1)

    async def test_authority_out_of_service_is_listed_with_the_companies_that_send_to_it(
        self, panel: Panel, outage: AuthorityService
    ) -> None:
        await panel.complete(panel.shop)
        await panel.shop.added()
        await panel.other.added()
        [item] = (await panel.attention(panel.shop, panel.other)).outages.items
        assert (item.authorizer, item.types, item.code) == ("MT", ("nfe",), "109")
        assert [company.id for company in item.companies] == [panel.shop.company_id]
        assert not (await panel.attention(panel.other)).outages

    async def test_contingency_in_force_is_listed(self, panel: Panel) -> None:
        await panel.complete(panel.shop)
        await panel.shop.added()
        assert not (await panel.attention()).contingencies
        async with panel.shop.database.tenant(panel.shop.subscription_id) as tenant:
            await tenant.companies.set_contingency(panel.shop.company_id, "forced", "Lentidão extrema")
        [item] = (await panel.attention()).contingencies.items
        assert (item.type, item.is_forced, item.reason) == ("nfe", True, "Lentidão extrema")

    async def test_of_very_many_companies_those_that_changed_last_are_checked(
        self, panel: Panel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(overview_companies, "MAX_CHECKED", 1)
        async with panel.shop.database.tenant(panel.shop.subscription_id) as tenant:
            await tenant.companies.update(panel.shop.company_id, {"trade_name": "Nova"})
        attention = await panel.attention(panel.shop, panel.other)
        assert [item.company.id for item in attention.unready.items] == [panel.shop.company_id]
        assert attention.unchecked_companies == 1

    async def test_nothing_needs_attention_in_a_new_complete_company(self, panel: Panel) -> None:
        await panel.complete(panel.shop)
        assert not (await panel.attention()).needs_somebody(of_webhooks=True)


class TestCompanySets:
    async def test_no_companies_give_an_empty_overview(self, panel: Panel) -> None:
        await panel.rejected()
        attention = await read_attention(panel.services, panel.shop.subscription_id, [], datetime.now(UTC))
        assert not attention.needs_somebody(of_webhooks=True)

    async def test_companies_of_another_subscription_give_nothing(self, panel: Panel) -> None:
        await panel.rejected()
        await panel.attention()
        company = await panel.company(panel.shop)
        foreign: UUID = new_id()
        attention = await read_attention(panel.services, foreign, [company], datetime.now(UTC))
        assert not attention.rejections
        assert not attention.parked
