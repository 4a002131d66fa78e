"""The metrics of an installation."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from carimbo.service.company_status.certificate_expiry import WARNED_DAYS
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.certificates import CertificateSummary
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import WebhookFacts
from carimbo.storage.work import TABLES, WorkKind, park
from carimbo.worker.measuring import Observer, measure, measure_forever
from carimbo.worker.metrics import REGISTRY
from integration.storage.document_rows import Shop, open_shop
from integration.storage.stream_rows import Stream, only_stream
from integration.worker.worker_site import AT_ONCE, Site, milliseconds
from metric_samples import shown
from monitoring_files import expressions, metrics_in
from support import CNPJ, OTHER_CNPJ, TIMEOUT_SECONDS

OVERDUE = timedelta(minutes=10)
TOLERANCE = 60
"""Seconds that may pass between a row and its measurement."""
CONTINGENCY_AFTER = timedelta(minutes=5)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def now() -> datetime:
    return datetime.now(UTC)


def observer_of(site: Site) -> Observer:
    return Observer(site.database, OutageBoard(site.database, CONTINGENCY_AFTER, now), OVERDUE, now)


@pytest.fixture
def observer(site: Site) -> Observer:
    return observer_of(site)


class TestDocuments:
    async def test_documents_processing_overdue_and_parked_are_counted(
        self, site: Site, shop: Shop, observer: Observer
    ) -> None:
        for _ in range(4):
            await shop.added()
        await shop.settle(await shop.added())
        await site.fetch(
            "update documents set queued_at = now() - interval '11 minutes' where id in"
            " (select id from documents where status = 'processing' order by id limit 2)"
        )
        lease = await shop.claimed(await shop.added())
        async with site.database.transaction() as connection:
            await park(connection, lease, "broken")
        await measure(observer)
        assert (shown("documents_processing"), shown("documents_overdue")) == (5, 2)
        assert shown("work_parked", kind="document") == 1
        assert shown("documents_oldest_seconds") == pytest.approx(11 * 60, abs=TOLERANCE)

    async def test_parked_work_that_operators_cannot_resume_is_not_counted(
        self, site: Site, observer: Observer
    ) -> None:
        await site.add(1)
        await site.fetch("update probes set parked_reason = 'broken', next_action_at = null")
        await measure(observer)
        kinds = [work_kind.value for work_kind in WorkKind if shown("work_parked", kind=work_kind) is None]
        assert kinds == ["probe"]

    async def test_metrics_are_zero_when_everything_is_settled(self, shop: Shop, observer: Observer) -> None:
        document = await shop.added()
        await measure(observer)
        assert shown("documents_processing") == 1
        await shop.settle(document)
        await measure(observer)
        assert [shown(f"documents_{name}") for name in ("processing", "overdue", "oldest_seconds")] == [0] * 3

    async def test_an_index_finds_parked_work_of_every_kind(self, site: Site) -> None:
        plans = {}
        async with site.database.transaction() as connection:
            await connection.execute("set local enable_seqscan = off")
            for work_kind in WorkKind:
                count = f"select count(*) from {TABLES[work_kind]} where parked_reason is not null"
                plans[f"{TABLES[work_kind]}_parked"] = str(await connection.fetch(f"explain {count}"))
        assert [index for index, plan in plans.items() if index not in plan] == []


class TestQueue:
    async def test_waiting_running_and_later_rows_are_counted_separately(
        self, site: Site, observer: Observer
    ) -> None:
        keys = await site.add(6)
        for change, rows in (
            ("lease_until = now() + interval '1 hour'", keys[:1]),
            ("next_action_at = now() + interval '1 hour'", keys[1:3]),
            ("next_action_at = now() - interval '90 seconds'", keys[3:4]),
        ):
            await site.fetch(f"update probes set {change} where id = any($1)", [key.id for key in rows])
        await measure(observer)
        states = {state: shown("queue_jobs", state=state) for state in ("waiting", "running", "later")}
        assert states == {"waiting": 3, "running": 1, "later": 2}
        assert shown("queue_oldest_seconds") == pytest.approx(90, abs=TOLERANCE)

    async def test_without_work_nothing_waits(self, site: Site, observer: Observer) -> None:
        await measure(observer)
        assert shown("queue_jobs", state="waiting") == 0
        assert shown("queue_oldest_seconds") == 0


class TestCertificates:
    SUMMARY: ClassVar = CertificateSummary(
        tax_id=CNPJ,
        subject_name="LOJA MODELO LTDA",
        serial_number="1",
        fingerprint="ab" * 32,
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        expires_at=datetime(2027, 1, 1, tzinfo=UTC),
    )

    async def test_certificates_are_counted_by_time_to_expiration(
        self, shop: Shop, observer: Observer
    ) -> None:
        for left, within, expired in (
            (-DAY, (), 1),
            (DAY / 2, (60, 30, 15, 7, 1), 0),
            (6.5 * DAY, (60, 30, 15, 7), 0),
            (7.5 * DAY, (60, 30, 15), 0),
            (59.5 * DAY, (60,), 0),
            (61 * DAY, (), 0),
        ):
            await self._certify(shop, left)
            await measure(observer)
            assert self._expiring() == {days: float(days in within) for days in WARNED_DAYS}, left
            assert shown("certificates_expired") == expired, left

    async def test_certificates_of_deleted_companies_are_not_counted(
        self, shop: Shop, observer: Observer
    ) -> None:
        await self._certify(shop, DAY / 2)
        other = await open_shop(shop.database, shop.subscription_id, OTHER_CNPJ)
        await self._certify(other, DAY / 2)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.companies.delete(other.company_id)
        await measure(observer)
        assert set(self._expiring().values()) == {1}

    async def _certify(self, shop: Shop, left: timedelta) -> None:
        summary = CertificateSummary(**{**vars(self.SUMMARY), "expires_at": now() + left})
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.certificates.put(shop.company_id, summary)

    def _expiring(self) -> dict[int, float | None]:
        return {days: shown("certificates_expiring", within_days=str(days)) for days in WARNED_DAYS}


class TestStreams:
    STATES: ClassVar = ("followed", "blocked", "behind", "silent")

    @pytest.mark.parametrize(
        ("change", "state"),
        [
            ("blocked_until = now() - interval '1 second'", None),
            ("blocked_until = now() + interval '1 minute'", "blocked"),
            ("last_nsu = 7, max_nsu = 7", None),
            ("last_nsu = 7, max_nsu = 8", "behind"),
            ("answered_at = now() - interval '47 hours', created_at = now() - interval '9 days'", None),
            ("answered_at = now() - interval '49 hours'", "silent"),
            ("created_at = now() - interval '49 hours'", "silent"),
        ],
    )
    async def test_stream_is_counted_in_its_states(
        self, stream: Stream, observer: Observer, change: str, state: str | None
    ) -> None:
        await stream.change(change)
        await measure(observer)
        assert self._states() == {each: float(each in ("followed", state)) for each in self.STATES}

    async def test_stream_is_behind_until_its_gaps_are_filled(
        self, stream: Stream, observer: Observer
    ) -> None:
        await stream.add_gap()
        await measure(observer)
        assert shown("streams", state="behind") == 1
        await stream.run("update stream_gaps set filled_at = now() where stream_id = $1")
        await measure(observer)
        assert shown("streams", state="behind") == 0

    async def test_stream_that_nobody_follows_any_more_is_not_counted(
        self, site: Site, stream: Stream, observer: Observer
    ) -> None:
        await stream.change("blocked_until = now() + interval '1 minute', max_nsu = 8")
        await site.fetch("update receptions set is_active = false")
        await measure(observer)
        assert set(self._states().values()) == {0}

    @pytest.fixture
    async def stream(self, site: Site) -> Stream:
        """The only stream, which a company follows."""
        stream = await only_stream(site.database)
        await stream.follow()
        return stream

    def _states(self) -> dict[str, float | None]:
        return {state: shown("streams", state=state) for state in self.STATES}


class TestWebhooks:
    TOPIC: ClassVar = "thing.happened"
    STATES: ClassVar = ("answering", "failing", "given_up", "disabled")

    async def test_webhooks_are_counted_by_their_state(
        self, site: Site, shop: Shop, observer: Observer
    ) -> None:
        for change, state in (
            ("is_active = true", "answering"),
            ("failing_since = now()", "given_up"),
            ("is_active = false, failing_since = now(), disabled_reason = 'Falhou'", "disabled"),
            ("is_active = false", None),
            ("is_active = false, disabled_reason = 'Falhou', deleted_at = now()", None),
        ):
            await self._listen(site, shop)
            await site.fetch(f"update webhooks set {change}")
            await measure(observer)
            assert self._states() == {each: float(each == state) for each in self.STATES}, change

    async def test_webhooks_are_failing_only_while_deliveries_wait(
        self, site: Site, shop: Shop, observer: Observer
    ) -> None:
        await self._listen(site, shop)
        await site.fetch("update webhooks set failing_since = now()")
        await site.fetch(
            "insert into events (subscription_id, topic) values ($1, $2)", shop.subscription_id, self.TOPIC
        )
        await measure(observer)
        assert self._states() == {state: float(state == "failing") for state in self.STATES}
        await site.fetch("update deliveries set status = 'failed', next_action_at = null")
        await measure(observer)
        assert self._states() == {state: float(state == "given_up") for state in self.STATES}

    async def _listen(self, site: Site, shop: Shop) -> None:
        await site.fetch("truncate webhooks cascade")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            facts = WebhookFacts(name=None, url="https://example.com", events=[], topics=[self.TOPIC])
            await tenant.webhooks.add(new_id(), facts, is_active=True)

    def _states(self) -> dict[str, float | None]:
        return {state: shown("webhooks", state=state) for state in self.STATES}


class TestAuthorities:
    SERVICE_LABELS: ClassVar = {"model": "55", "authorizer": "SP", "environment": "production"}

    @pytest.mark.parametrize(("minutes", "is_open"), [(4, 0), (6, 1)], ids=["closed", "open"])
    async def test_an_outage_and_the_state_of_the_breaker_are_shown(
        self, site: Site, observer: Observer, minutes: int, is_open: float
    ) -> None:
        await self._record_outage(site, "SP", timedelta(minutes=minutes))
        await measure(observer)
        assert shown("authority_breaker_open", **self.SERVICE_LABELS) == is_open
        seconds = shown("authority_outage_seconds", **self.SERVICE_LABELS)
        assert seconds == pytest.approx(60 * minutes, abs=TOLERANCE)

    async def test_an_outage_that_is_over_is_not_shown(self, site: Site, observer: Observer) -> None:
        await self._record_outage(site, "SP", MINUTE)
        await measure(observer)
        assert shown("authority_breaker_open", **self.SERVICE_LABELS) == 0
        await self._record_outage(site, "SP", HOUR, seen=11 * MINUTE)
        # A board reuses a recent reading, so another one measures here.
        await measure(observer_of(site))
        assert shown("authority_breaker_open", **self.SERVICE_LABELS) is None
        assert shown("authority_outage_seconds", **self.SERVICE_LABELS) is None

    async def test_a_contingency_authority_has_no_breaker(self, site: Site, observer: Observer) -> None:
        await self._record_outage(site, "SVCAN/SP", HOUR)
        await measure(observer)
        svc = {**self.SERVICE_LABELS, "authorizer": "SVCAN/SP"}
        assert shown("authority_outage_seconds", **svc) == pytest.approx(3600, abs=TOLERANCE)
        assert shown("authority_breaker_open", **svc) is None

    async def _record_outage(
        self, site: Site, authorizer: str, since: timedelta, seen: timedelta = AT_ONCE
    ) -> None:
        await site.fetch("truncate outages")
        await site.fetch(
            "insert into outages (model, authorizer, environment, since, seen_at, message)"
            " values ('55', $1, 'production', now() - $2::interval, now() - $3::interval, '')",
            authorizer, since, seen,
        )  # fmt: skip


class TestMoments:
    async def test_every_measurement_updates_its_timestamp(
        self, site: Site, shop: Shop, observer: Observer
    ) -> None:
        await measure(observer)
        began = time.time()
        await shop.added()
        chore = measure_forever(observer, milliseconds(20))
        async with site.worker(chores=[chore]), asyncio.timeout(TIMEOUT_SECONDS):
            while shown("documents_processing") != 1:  # noqa: ASYNC110 - a gauge has no event
                await asyncio.sleep(0.02)
            while (shown("measured_timestamp_seconds") or 0) < began:  # noqa: ASYNC110
                await asyncio.sleep(0.02)

    async def test_a_failed_measurement_does_not_update_the_timestamp(
        self, site: Site, observer: Observer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await measure(observer)
        before = shown("measured_timestamp_seconds")

        async def fail() -> None:
            raise OSError

        monkeypatch.setattr(observer.outages, "current_outages", fail)
        with pytest.raises(OSError):
            await measure(observer)
        assert shown("measured_timestamp_seconds") == before


async def test_dashboard_and_alerts_use_existing_label_values(observer: Observer) -> None:
    """An alert for a value that no label has never fires."""
    await measure(observer)
    values = {
        (sample.name, label, value)
        for metric in REGISTRY.collect()
        for sample in metric.samples
        for label, value in sample.labels.items()
    }
    of_worker = {name for name, _, _ in values}
    questions = {
        (source, (question.metric, label, value))
        for source, expression in expressions().items()
        for question in metrics_in(expression)
        for label, value in question.exact
        if question.metric in of_worker
    }
    assert questions
    assert [(source, wanted) for source, wanted in sorted(questions) if wanted not in values] == []
