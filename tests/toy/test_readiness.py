"""Readiness of a subscription and a company; all missing fields are reported at once."""

from datetime import UTC, datetime, timedelta

import pytest
import structlog
from structlog.testing import LogCapture

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.service.issuing import advance
from carimbo.service.subscriptions import set_features
from integration.issuing.actions import missing
from integration.issuing.shop import NewShop, Shop, bare_shop, error_of, own_number
from integration.issuing.system import System
from support import data_of, fields_of
from toy.shop import BODY, KINDS, body_of
from toy.xml import MAX_AMOUNT


async def remove_certificate(shop: Shop) -> None:
    data_of(await shop.caller.http.delete(shop.path("/certificate")))


class TestCompanyWithoutData:
    async def test_company_without_data_lists_everything_it_lacks(self, bare: Shop) -> None:
        common = ["address", "taxRegime"]
        assert await missing(bare, "toy") == [*common, "stateRegistration", "certificate"]
        assert await missing(bare, "toynote") == [*common, "certificate"]

    async def test_invalid_body_is_reported_before_missing_company_data(self, bare: Shop) -> None:
        assert set(fields_of(await bare.post("/toy", {}))) == {"amount", "recipient"}

    async def test_missing_company_data_is_reported_before_broken_rules(self, bare: Shop) -> None:
        error_of(await bare.post("/toy", body_of(amount=MAX_AMOUNT + 1)), 422, "COMPANY_NOT_READY")

    async def test_missing_company_data_is_reported_before_the_plan_limit(self, system: System) -> None:
        caller = await system.new_caller("trial")
        shop = await bare_shop(system, caller)
        await system.fetch(
            "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
            caller.subscription_id,
        )
        error_of(await shop.post("/toy", BODY), 422, "COMPANY_NOT_READY")


class TestCertificate:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_missing_certificate_alone_has_its_own_code(self, shop: Shop, document_type: str) -> None:
        await remove_certificate(shop)
        error_of(await shop.post(f"/{document_type}", BODY), 422, "CERTIFICATE_MISSING")
        assert await shop.count() == 0

    async def test_expired_certificate_alone_has_its_own_code(
        self, shop: Shop, expired: A1Certificate
    ) -> None:
        await shop.set_certificate(expired, datetime.now(UTC) - timedelta(days=30))
        details = error_of(await shop.post("/toy", BODY), 422, "CERTIFICATE_EXPIRED")
        assert datetime.fromisoformat(details["expiresAt"]) == expired.not_after
        assert details["expiresAt"].endswith("Z")
        assert await shop.count() == 0

    async def test_expired_certificate_is_listed_with_other_missing_data(
        self, shop: Shop, expired: A1Certificate
    ) -> None:
        await shop.set_certificate(expired, datetime.now(UTC) - timedelta(days=30))
        await shop.put_settings(toy={"active": False})
        assert await missing(shop, "toy") == ["toy.active", "certificate"]

    async def test_valid_certificate_makes_the_company_ready_again(
        self, shop: Shop, certificate: A1Certificate
    ) -> None:
        await remove_certificate(shop)
        await shop.set_certificate(certificate)
        assert (await shop.issue())["status"] == "authorized"


class TestModule:
    async def test_inactive_module_refuses_only_its_own_type(self, shop: Shop) -> None:
        await shop.put_settings(toy={"active": False})
        assert await missing(shop, "toy") == ["toy.active"]
        assert (await shop.issue("toynote"))["status"] == "authorized"


class TestFeature:
    async def test_disabled_feature_refuses_only_its_own_type(
        self, system: System, new_shop: NewShop
    ) -> None:
        shop = await new_shop(await system.new_caller(features=[]))
        details = error_of(await shop.post("/toy", BODY), 403, "FEATURE_NOT_ENABLED")
        assert details == {"feature": "toyEmission"}
        assert await shop.count() == 0
        assert (await shop.issue("toynote"))["status"] == "authorized"

    async def test_feature_disabled_later_keeps_stored_documents_unsent(
        self, system: System, shop: Shop
    ) -> None:
        stored = await shop.create(transmit="later")
        await set_features(system.database, shop.caller.subscription_id, [])
        error_of(await shop.post(f"/toy/{stored['id']}/transmit"), 403, "FEATURE_NOT_ENABLED")
        error_of(await shop.emit(stored), 403, "FEATURE_NOT_ENABLED")
        assert await shop.read(stored) == stored

    async def test_dry_run_needs_the_feature(self, system: System, new_shop: NewShop) -> None:
        shop = await new_shop(await system.new_caller(features=[]))
        error_of(await shop.post("/toy", BODY, dryRun="true"), 403, "FEATURE_NOT_ENABLED")


class TestChangedCompany:
    """A company changes after a document was accepted, and can not issue it any more."""

    async def test_document_is_rejected_with_our_own_code_and_without_a_number(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            await shop.put_settings(toy={"active": False})
        record = await shop.settled(document)
        rejection = record["rejection"]
        assert (record["status"], record["number"], record["series"]) == ("rejected", None, None)
        assert set(rejection) == {"code", "message", "field", "hint", "retryable"}
        assert (rejection["code"], rejection["retryable"]) == ("COMPANY_NOT_READY", True)
        assert "toy.active" in rejection["message"]
        assert [event["type"] for event in await shop.events(record)] == ["created", "queued", "rejected"]

    async def test_rejection_is_logged_and_has_a_hint(
        self, system: System, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = LogCapture()
        monkeypatch.setattr(advance, "_log", structlog.wrap_logger(None, [log], structlog.BoundLogger))
        async with system.worker_stopped():
            document = await shop.create()
            await remove_certificate(shop)
        rejection = (await shop.settled(document))["rejection"]
        assert rejection["message"].startswith("A empresa não tem certificado digital: envie-o")
        assert rejection["hint"] == "Envie o certificado A1 da empresa e emita de novo."
        async with system.worker_stopped():
            # The log line follows the statement that settles the document.
            (line,) = (entry for entry in log.entries if entry["document_id"] == document["id"])
        assert line["event"] == "document_concluded"
        assert (line["outcome"], line["code"]) == ("rejected", "CERTIFICATE_MISSING")

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_document_can_be_emitted_once_the_company_is_ready_again(
        self, system: System, shop: Shop, certificate: A1Certificate, document_type: str
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create(document_type)
            await remove_certificate(shop)
        record = await shop.settled(document)
        assert (record["status"], record["rejection"]["code"]) == ("rejected", "CERTIFICATE_MISSING")
        error_of(await shop.emit(record), 422, "CERTIFICATE_MISSING")
        await shop.set_certificate(certificate)
        assert (await shop.emit(record)).status_code == 202
        record = await shop.settled(record)
        assert (record["status"], own_number(record), record["rejection"]) == ("authorized", 1, None)

    async def test_document_that_was_never_sent_has_no_rejection_file(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            await shop.put_settings(toy={"active": False})
        record = await shop.settled(document)
        answer = await shop.get(f"/toy/{record['id']}/rejection-xml")
        assert error_of(answer, 404, "NOT_FOUND") is None
        assert "antes de ser enviado" in answer.json()["error"]["message"]
