"""The data that the real document types require from a company."""

from uuid import UUID

from integration.issuing.actions import missing
from integration.issuing.shop import (
    ADDRESS,
    CSC,
    MUG,
    NFCE,
    NFE,
    REGISTRATION,
    NewShop,
    Shop,
    error_of,
)
from integration.issuing.system import System
from support import data_of, fields_of

OF_GOODS = ["address", "taxRegime", "stateRegistration"]
CSC_OF_PRODUCTION = ["nfce.cscId", "nfce.csc"]


class TestCompanyWithoutData:
    async def test_company_without_data_lists_everything_an_nfce_needs(self, bare: Shop) -> None:
        lacking = [*OF_GOODS, "nfce.active", *CSC_OF_PRODUCTION, "certificate"]
        assert await missing(bare, "nfce") == lacking

    async def test_company_without_data_lists_everything_an_nfe_needs(self, bare: Shop) -> None:
        assert await missing(bare, "nfe") == [*OF_GOODS, "certificate"]

    async def test_company_without_data_lists_everything_an_nfse_needs(self, bare: Shop) -> None:
        """A service provider may have no state registration."""
        assert await missing(bare, "nfse") == ["address", "taxRegime", "certificate"]

    async def test_invalid_body_is_reported_before_missing_company_data(self, bare: Shop) -> None:
        assert set(fields_of(await bare.post("/nfe", {}))) == {"items", "recipient"}
        assert set(fields_of(await bare.post("/nfse", {}))) == {"serviceDescription", "amount", "borrower"}

    async def test_state_registration_of_another_state_does_not_count(self, bare: Shop) -> None:
        changes = {"address": ADDRESS, "taxRegime": "simples"}
        data_of(await bare.caller.http.put(bare.path(), json=changes))
        data_of(await bare.post("/state-registrations", {"state": "MG", "number": "0623079040081"}))
        assert await missing(bare, "nfe") == ["stateRegistration", "certificate"]
        data_of(await bare.post("/state-registrations", REGISTRATION))
        error_of(await bare.post("/nfe", NFE), 422, "CERTIFICATE_MISSING")


class TestModule:
    async def test_inactive_module_refuses_only_its_own_type(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"active": False})
        assert await missing(shop, "nfce") == ["nfce.active"]
        for document_type in ("nfe", "nfse"):
            assert (await shop.issue(document_type))["status"] == "authorized"

    async def test_nfce_needs_its_security_code(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"csc": None})
        assert await missing(shop, "nfce") == ["nfce.csc"]

    async def test_nfce_needs_no_security_code_for_a_qr_code_of_version_3(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"cscId": None, "csc": None, "qrVersion": 3})
        assert (await shop.issue("nfce"))["status"] == "authorized"

    async def test_nfce_needs_the_security_code_of_its_environment(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"homologation": None, "environment": "homologation"})
        lacking = ["nfce.homologation.cscId", "nfce.homologation.csc"]
        assert await missing(shop, "nfce") == lacking
        await shop.put_settings(nfce={"homologation": CSC})
        assert (await shop.issue("nfce"))["status"] == "authorized"


class TestFeature:
    async def test_disabled_feature_refuses_only_its_own_type(
        self, system: System, new_shop: NewShop
    ) -> None:
        shop = await new_shop(await system.new_caller(features=["cteEmission", "mdfeEmission"]))
        details = error_of(await shop.post("/nfce", NFCE), 403, "FEATURE_NOT_ENABLED")
        assert details == {"feature": "nfceEmission"}
        assert await shop.count() == 0
        for document_type in ("nfe", "nfse"):
            assert (await shop.issue(document_type))["status"] == "authorized"


class TestChangedCompany:
    """A company changes after a document was accepted, and can not issue it any more."""

    async def test_nfe_is_checked_again_when_it_is_issued(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await shop.create("nfe", items=[MUG | {"icms": {"csosn": "102"}}])
            changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
            data_of(await shop.caller.http.put(shop.path(), json=changes))
        record = await shop.settled(document)
        assert (record["status"], record["number"]) == ("rejected", None)
        assert record["rejection"]["field"].startswith("items[0].icms")
        assert await system.fetch("select from emissions where document_id = $1", UUID(record["id"])) == []

    async def test_nfse_is_checked_again_when_it_is_issued(self, system: System, shop: Shop) -> None:
        async with system.worker_stopped():
            document = await shop.create("nfse")
            await shop.put_settings(nfse={"issRate": None})
        record = await shop.settled(document)
        assert (record["status"], record["number"], record["dps"]) == ("rejected", None, None)
        assert (record["rejection"]["code"], record["rejection"]["field"]) == ("MISSING", "iss.rate")
        assert await system.fetch("select from emissions where document_id = $1", UUID(record["id"])) == []
