"""What real types need of a company before they issue."""

from uuid import UUID

from integration.issuing.actions import missing
from integration.issuing.floor import Floor
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
from support import data_of, fields_of

OF_GOODS = ["address", "taxRegime", "stateRegistration"]
CSC_OF_PRODUCTION = ["nfce.cscId", "nfce.csc"]


class TestBareCompany:
    async def test_lacks_everything_for_an_nfce_at_once(self, bare: Shop) -> None:
        lacking = [*OF_GOODS, "nfce.active", *CSC_OF_PRODUCTION, "certificate"]
        assert await missing(bare, "nfce") == lacking

    async def test_lacks_everything_for_an_nfe_at_once(self, bare: Shop) -> None:
        assert await missing(bare, "nfe") == [*OF_GOODS, "certificate"]

    async def test_lacks_everything_for_an_nfse_at_once(self, bare: Shop) -> None:
        """A company that gives services may be unknown to the tax office of its state."""
        assert await missing(bare, "nfse") == ["address", "taxRegime", "certificate"]

    async def test_is_told_what_is_wrong_with_the_body_first(self, bare: Shop) -> None:
        assert set(fields_of(await bare.post("/nfe", {}))) == {"items", "recipient"}
        assert set(fields_of(await bare.post("/nfse", {}))) == {"serviceDescription", "amount", "borrower"}

    async def test_still_lacks_the_rest_with_a_registration_of_another_state(self, bare: Shop) -> None:
        changes = {"address": ADDRESS, "taxRegime": "simples"}
        data_of(await bare.caller.http.put(bare.path(), json=changes))
        data_of(await bare.post("/state-registrations", {"state": "MG", "number": "0623079040081"}))
        assert await missing(bare, "nfe") == ["stateRegistration", "certificate"]
        data_of(await bare.post("/state-registrations", REGISTRATION))
        error_of(await bare.post("/nfe", NFE), 422, "CERTIFICATE_MISSING")


class TestModule:
    async def test_switched_off_refuses_its_type_alone(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"active": False})
        assert await missing(shop, "nfce") == ["nfce.active"]
        for kind in ("nfe", "nfse"):
            assert (await shop.issue(kind))["status"] == "authorized"

    async def test_needs_its_security_code(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"csc": None})
        assert await missing(shop, "nfce") == ["nfce.csc"]

    async def test_needs_no_security_code_for_a_qr_code_of_version_3(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"cscId": None, "csc": None, "qrVersion": 3})
        assert (await shop.issue("nfce"))["status"] == "authorized"

    async def test_needs_the_security_code_of_its_environment(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"homologation": None, "environment": "homologation"})
        lacking = ["nfce.homologation.cscId", "nfce.homologation.csc"]
        assert await missing(shop, "nfce") == lacking
        await shop.put_settings(nfce={"homologation": CSC})
        assert (await shop.issue("nfce"))["status"] == "authorized"


class TestFeature:
    async def test_that_is_off_refuses_its_type_alone(self, floor: Floor, new_shop: NewShop) -> None:
        shop = await new_shop(await floor.new_caller(features=["cteEmission", "mdfeEmission"]))
        details = error_of(await shop.post("/nfce", NFCE), 403, "FEATURE_NOT_ENABLED")
        assert details == {"feature": "nfceEmission"}
        assert await shop.count() == 0
        for kind in ("nfe", "nfse"):
            assert (await shop.issue(kind))["status"] == "authorized"


class TestCompanyThatChangedSince:
    """A document is accepted of a company that can't issue any more when its turn comes."""

    async def test_is_held_against_the_rules_again(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            made = await shop.create("nfe", items=[MUG | {"icms": {"csosn": "102"}}])
            changes = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
            data_of(await shop.caller.http.put(shop.path(), json=changes))
        record = await shop.settled(made)
        assert (record["status"], record["number"]) == ("rejected", None)
        assert record["rejection"]["field"].startswith("items[0].icms")
        assert await floor.fetch("select from emissions where document_id = $1", UUID(record["id"])) == []

    async def test_is_held_against_the_rules_of_services_again(self, floor: Floor, shop: Shop) -> None:
        async with floor.standstill():
            made = await shop.create("nfse")
            await shop.put_settings(nfse={"issRate": None})
        record = await shop.settled(made)
        assert (record["status"], record["number"], record["dps"]) == ("rejected", None, None)
        assert (record["rejection"]["code"], record["rejection"]["field"]) == ("MISSING", "iss.rate")
        assert await floor.fetch("select from emissions where document_id = $1", UUID(record["id"])) == []
