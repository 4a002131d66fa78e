"""What a subscription and a company must have before they issue, listed all at once."""

from datetime import UTC, datetime, timedelta

import pytest
import structlog
from structlog.testing import LogCapture

from carimbo.fiscal.certificate import A1Certificate
from carimbo.service.issuing import advance
from carimbo.service.subscriptions import set_features
from integration.issuing.actions import missing
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, bare_shop, error_of, own_number
from support import data_of, fields_of
from toy.shop import BODY, KINDS, body_of
from toy.xml import MOST


async def remove_certificate(shop: Shop) -> None:
    data_of(await shop.caller.http.delete(shop.path("/certificate")))


class TestBareCompany:
    async def test_lacks_everything_at_once(self, bare: Shop) -> None:
        common = ["address", "taxRegime"]
        assert await missing(bare, "toy") == [*common, "stateRegistration", "certificate"]
        assert await missing(bare, "toynote") == [*common, "certificate"]

    async def test_learns_first_what_is_wrong_with_the_body(self, bare: Shop) -> None:
        assert set(fields_of(await bare.post("/toy", {}))) == {"amount", "recipient"}

    async def test_learns_what_it_lacks_before_broken_rules(self, bare: Shop) -> None:
        error_of(await bare.post("/toy", body_of(amount=MOST + 1)), 422, "COMPANY_NOT_READY")

    async def test_learns_what_it_lacks_before_its_plan_is_checked(self, floor: Floor) -> None:
        caller = await floor.new_caller("trial")
        shop = await bare_shop(floor, caller)
        await floor.fetch(
            "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
            caller.subscription_id,
        )
        error_of(await shop.post("/toy", BODY), 422, "COMPANY_NOT_READY")


class TestCertificate:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_missing_alone_has_a_code_of_its_own(self, shop: Shop, kind: str) -> None:
        await remove_certificate(shop)
        error_of(await shop.post(f"/{kind}", BODY), 422, "CERTIFICATE_MISSING")
        assert await shop.count() == 0

    async def test_expired_alone_has_a_code_of_its_own(self, shop: Shop, expired: A1Certificate) -> None:
        await shop.certify(expired, datetime.now(UTC) - timedelta(days=30))
        details = error_of(await shop.post("/toy", BODY), 422, "CERTIFICATE_EXPIRED")
        assert datetime.fromisoformat(details["expiresAt"]) == expired.not_after
        assert details["expiresAt"].endswith("Z")
        assert await shop.count() == 0

    async def test_expired_with_something_else_is_listed(self, shop: Shop, expired: A1Certificate) -> None:
        await shop.certify(expired, datetime.now(UTC) - timedelta(days=30))
        await shop.put_settings(toy={"active": False})
        assert await missing(shop, "toy") == ["toy.active", "certificate"]

    async def test_in_force_again_makes_the_company_ready(
        self, shop: Shop, certificate: A1Certificate
    ) -> None:
        await remove_certificate(shop)
        await shop.certify(certificate)
        assert (await shop.issue())["status"] == "authorized"


class TestModule:
    async def test_switched_off_refuses_its_type_alone(self, shop: Shop) -> None:
        await shop.put_settings(toy={"active": False})
        assert await missing(shop, "toy") == ["toy.active"]
        assert (await shop.issue("toynote"))["status"] == "authorized"


class TestFeature:
    async def test_that_is_off_refuses_its_type_alone(self, floor: Floor, new_shop: NewShop) -> None:
        shop = await new_shop(await floor.new_caller(features=[]))
        details = error_of(await shop.post("/toy", BODY), 403, "FEATURE_NOT_ENABLED")
        assert details == {"feature": "toyEmission"}
        assert await shop.count() == 0
        assert (await shop.issue("toynote"))["status"] == "authorized"

    async def test_that_was_switched_off_later_keeps_stored_documents(self, floor: Floor, shop: Shop) -> None:
        stored = await shop.create(transmit="later")
        await set_features(floor.database, shop.caller.subscription_id, [])
        error_of(await shop.post(f"/toy/{stored['id']}/transmit"), 403, "FEATURE_NOT_ENABLED")
        error_of(await shop.emit(stored), 403, "FEATURE_NOT_ENABLED")
        assert await shop.read(stored) == stored

    async def test_is_needed_for_a_trial_run_too(self, floor: Floor, new_shop: NewShop) -> None:
        shop = await new_shop(await floor.new_caller(features=[]))
        error_of(await shop.post("/toy", BODY, dryRun="true"), 403, "FEATURE_NOT_ENABLED")


class TestCompanyThatChangedSince:
    """A document is accepted of a company that can't issue any more when its turn comes."""

    async def test_is_rejected_with_our_own_code_and_without_a_number(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            made = await shop.create()
            await shop.put_settings(toy={"active": False})
        record = await shop.settled(made)
        rejection = record["rejection"]
        assert (record["status"], record["number"], record["series"]) == ("rejected", None, None)
        assert set(rejection) == {"code", "message", "field", "hint", "retryable"}
        assert (rejection["code"], rejection["retryable"]) == ("COMPANY_NOT_READY", True)
        assert "toy.active" in rejection["message"]
        assert [event["type"] for event in await shop.events(record)] == ["created", "queued", "rejected"]

    async def test_is_logged_and_says_what_to_do(
        self, floor: Floor, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = LogCapture()
        monkeypatch.setattr(advance, "_log", structlog.wrap_logger(None, [log], structlog.BoundLogger))
        async with floor.standstill():
            made = await shop.create()
            await remove_certificate(shop)
        rejection = (await shop.settled(made))["rejection"]
        assert rejection["message"].startswith("A empresa não tem certificado digital: envie-o")
        assert rejection["hint"] == "Envie o certificado A1 da empresa e emita de novo."
        async with floor.standstill():
            # The line follows the statement that settles the document.
            (line,) = (entry for entry in log.entries if entry["document_id"] == made["id"])
        assert line["event"] == "document_concluded"
        assert (line["outcome"], line["code"]) == ("rejected", "CERTIFICATE_MISSING")

    @pytest.mark.parametrize("kind", KINDS)
    async def test_is_emitted_unchanged_once_the_company_is_ready_again(
        self, floor: Floor, shop: Shop, certificate: A1Certificate, kind: str
    ) -> None:
        async with floor.standstill():
            made = await shop.create(kind)
            await remove_certificate(shop)
        record = await shop.settled(made)
        assert (record["status"], record["rejection"]["code"]) == ("rejected", "CERTIFICATE_MISSING")
        error_of(await shop.emit(record), 422, "CERTIFICATE_MISSING")
        await shop.certify(certificate)
        assert (await shop.emit(record)).status_code == 202
        record = await shop.settled(record)
        assert (record["status"], own_number(record), record["rejection"]) == ("authorized", 1, None)

    async def test_has_no_file_of_a_rejection(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            made = await shop.create()
            await shop.put_settings(toy={"active": False})
        record = await shop.settled(made)
        answer = await shop.get(f"/toy/{record['id']}/rejection-xml")
        assert error_of(answer, 404, "NOT_FOUND") is None
        assert "antes de ser enviado" in answer.json()["error"]["message"]
