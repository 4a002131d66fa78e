"""`GET C/status`: whether a company can issue now, and its documents in process."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.authorities import national_nfse, pacing
from carimbo.authorities.nfe import NFE_FAMILY, NfeSefaz
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.service.companies.registration import find_company
from carimbo.service.company_status.status import read_status
from carimbo.service.maintenance import resume_parked
from carimbo.service.services import Services
from carimbo.simulator.program.run import Simulator
from integration.issuing.conftest import SetClock
from integration.issuing.shop import (
    ADDRESS,
    BY_NUMBERING,
    GOODS,
    KINDS,
    NFE,
    NFSE,
    NFSE_SETTINGS,
    REGISTRATION,
    UNANSWERED,
    Shop,
    bare_shop,
    error_of,
)
from integration.issuing.system import System, gate_before
from support import CNPJ, data_of

STATUS = {
    "companyId", "ready", "certificateExpiresAt", "certificate", "types", "warnings", "documents",
    "checkedAt", "streams",
}  # fmt: skip
IN_2026 = datetime(2026, 11, 16, 12, tzinfo=UTC)
"""PIS and COFINS end with the year."""
IDLE = {"processing": 0, "overdue": 0, "parked": 0, "oldestQueuedAt": None}
# These states are used by no other test: the status of an authority is cached for some seconds.
BELO_HORIZONTE = ADDRESS | {"zipcode": "30112-000", "city": "Belo Horizonte", "state": "MG"}
SALVADOR = ADDRESS | {"zipcode": "40020-000", "city": "Salvador", "state": "BA"}
STATUS_OF_SALVADOR = ("/producao/ba/nfe/NFeStatusServico4", "/producao/svrs/nfce/NFeStatusServico4")
STATUS_OF_THE_NATION = f"/sefin/nfse/SefinNacional/dps/DPS{'0' * 42}"
"""The request by which the NFS-e authority is checked; it has no status service."""
CAMPO_GRANDE = ADDRESS | {"zipcode": "79002-000", "city": "Campo Grande", "state": "MS"}
CURITIBA = ADDRESS | {"zipcode": "80020-000", "city": "Curitiba", "state": "PR"}

RESPONSIBLE = [f"CARIMBO_RESPONSIBLE_{part}" for part in ("TAX_ID", "CONTACT", "EMAIL", "PHONE")]


async def status_of(shop: Shop) -> dict[str, Any]:
    return dict(data_of(await shop.get("/status")))


async def missing_of(shop: Shop) -> list[list[str]]:
    """Returns the missing fields of the company for each type."""
    return [entry["missing"] for entry in (await status_of(shop))["types"]]


async def authorities_of(shop: Shop, *document_types: str) -> list[tuple[str, str | None]]:
    """Returns status and code of the authorities of some types; of goods by default."""
    types = [
        entry for entry in (await status_of(shop))["types"] if entry["type"] in (document_types or GOODS)
    ]
    return [(entry["authority"]["status"], entry["authority"]["code"]) for entry in types]


@pytest.fixture
async def switchable(system: System) -> AsyncIterator[System]:
    """A system whose simulator switches are restored after the test."""
    yield system
    await system.switch(outages=None, failures=None)


async def shop_in(system: System, address: dict[str, str], certificate: A1Certificate) -> Shop:
    shop = await bare_shop(system, await system.new_caller(), address=address)
    await shop.set_certificate(certificate)
    return shop


class TestReadiness:
    async def test_complete_company_is_ready_for_all_types(
        self, shop: Shop, certificate: A1Certificate
    ) -> None:
        before, status = datetime.now(UTC), await status_of(shop)
        assert set(status) == STATUS
        assert (status["companyId"], status["ready"], status["documents"]) == (shop.id, True, IDLE)
        assert datetime.fromisoformat(status["certificateExpiresAt"]) == certificate.not_after
        days = -((before - certificate.not_after) // timedelta(days=1))
        assert status["certificate"] == {
            "expiresAt": status["certificateExpiresAt"], "daysLeft": days, "status": "valid",
        }  # fmt: skip
        assert before <= datetime.fromisoformat(status["checkedAt"]) <= datetime.now(UTC)
        shown = [
            (entry["type"], entry["environment"], entry["ready"], entry["missing"])
            for entry in status["types"]
        ]
        assert shown == [
            (document_type, "production", True, []) for document_type in (*KINDS, "cteOs", "mdfe")
        ]
        assert await authorities_of(shop) == [("available", "107")] * 2
        # The national environment of NFS-e has no code for being available.
        assert await authorities_of(shop, "nfse") == [("available", None)]

    @pytest.mark.parametrize(("days", "left", "state"), [(-1, 0, "expired"), (5, 5, "expiring")])
    async def test_certificate_about_to_expire_or_expired_is_shown_with_the_days_left(
        self, simulator: Simulator, shop: Shop, days: int, left: int, state: str
    ) -> None:
        a_year_ago = datetime.now(UTC) - timedelta(days=365 - days)
        issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", a_year_ago)
        await shop.set_certificate(A1Certificate.from_bundle(issued.to_pem()), a_year_ago)
        certificate = (await status_of(shop))["certificate"]
        assert (certificate["daysLeft"], certificate["status"]) == (left, state)

    async def test_status_for_a_page_asks_no_authority(self, shop: Shop) -> None:
        services: Services = shop.system.app.state.services
        owner = shop.caller.subscription_id
        company = await find_company(services.database, owner, UUID(shop.id))
        status = await read_status(services.status_reader, owner, company, asks_authorities=False)
        assert status.ready
        assert [each.authority for each in status.types] == [None] * len(status.types)

    async def test_company_without_data_lists_everything_it_lacks(self, system: System) -> None:
        status = await status_of(await bare_shop(system, await system.new_caller()))
        nfe, nfce, nfse, cte, cte_os, mdfe = status["types"]
        lacking = ["address", "taxRegime", "stateRegistration"]
        assert (status["ready"], status["certificateExpiresAt"]) == (False, None)
        assert status["certificate"] is None
        assert nfe["missing"] == [*lacking, "certificate"]
        assert nfce["missing"] == [*lacking, "nfce.active", "nfce.cscId", "nfce.csc", "certificate"]
        assert nfse["missing"] == ["address", "taxRegime", "certificate"]
        assert cte["missing"] == [*lacking, "certificate", "cte.active"]
        assert cte_os["missing"] == [*lacking, "certificate", "cte.active"]
        assert mdfe["missing"] == [*lacking, "certificate"]
        assert [entry["ready"] for entry in status["types"]] == [False] * 6
        assert [entry["authority"] for entry in status["types"]] == [None] * 6

    async def test_nfse_shortcut_is_ready_only_with_the_settings_it_needs(self, shop: Shop) -> None:
        nfe, _, nfse, *_ = (await status_of(shop))["types"]
        assert (nfse["shortcutReady"], nfse["shortcutMissing"]) == (True, [])
        assert (nfe["shortcutReady"], nfe["shortcutMissing"]) == (None, None)
        await shop.put_settings(nfse={"issRate": None})
        nfse = (await status_of(shop))["types"][2]
        assert (nfse["ready"], nfse["shortcutReady"]) == (True, False)
        assert nfse["shortcutMissing"] == ["nfse.issRate"]

    async def test_nfse_shortcut_is_not_ready_where_nfse_is_not(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json={"simplesRate": None}))
        nfse = (await status_of(shop))["types"][2]
        assert (nfse["missing"], nfse["shortcutReady"], nfse["shortcutMissing"]) == (
            ["simplesRate"],
            False,
            [],
        )

    async def test_company_that_lacks_one_type_is_ready_for_the_others(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"active": False})
        status = await status_of(shop)
        assert status["ready"] is True
        assert [entry["ready"] for entry in status["types"]] == [True, False, True, True, True, True]
        assert status["types"][1]["missing"] == ["nfce.active"]

    async def test_company_in_the_normal_regime_lacks_the_pis_cofins_regime_in_2026(
        self, shop: Shop, certificate_of_2026: A1Certificate, set_clock: SetClock
    ) -> None:
        await shop.set_certificate(certificate_of_2026, IN_2026)
        set_clock(IN_2026)
        data_of(await shop.caller.http.put(shop.path(), json={"taxRegime": "normal", "simplesRate": None}))
        assert await missing_of(shop) == [*[["pisCofinsRegime"]] * 3, [], [], []]
        for document_type, body in (("nfe", NFE), ("nfse", NFSE)):
            details = error_of(await shop.post(f"/{document_type}", body), 422, "COMPANY_NOT_READY")
            assert details == {"missing": ["pisCofinsRegime"]}
        assert await shop.count() == 0

    async def test_nfse_with_its_own_rates_needs_no_pis_cofins_regime(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json={"taxRegime": "normal", "simplesRate": None}))
        rates = {"ownDebit": {"pisRate": 1.65, "cofinsRate": 7.6}}
        assert (await shop.issue("nfse", taxes=rates, issueDate=f"{IN_2026:%F}"))["status"] == "authorized"

    async def test_nfse_of_a_simples_company_lacks_the_simples_rate(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json={"simplesRate": None}))
        assert await missing_of(shop) == [[], [], ["simplesRate"], [], [], []]
        (rule,) = error_of(await shop.post("/nfse", NFSE), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert (rule["code"], rule["field"]) == ("E0712", "company.simplesRate")

    async def test_settings_of_the_responsible_that_the_state_requires_are_missing(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json={"address": CAMPO_GRANDE}))
        data_of(await shop.post("/state-registrations", {"state": "MS", "number": "280405383"}))
        assert await missing_of(shop) == [RESPONSIBLE, RESPONSIBLE, [], [], [], []]
        (rule,) = error_of(await shop.post("/nfe", NFE), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["code"] == "972"
        assert all(name in rule["hint"] for name in RESPONSIBLE)

    async def test_missing_fields_are_those_of_each_modules_environment(self, shop: Shop) -> None:
        await shop.put_settings(nfce={"environment": "test", "homologation": None})
        nfe, nfce, *_ = (await status_of(shop))["types"]
        assert (nfe["environment"], nfce["environment"]) == ("production", "homologation")
        assert nfce["missing"] == ["nfce.homologation.cscId", "nfce.homologation.csc"]


class TestTypesInUse:
    """`ready` of the company: all types that it uses must be ready."""

    @pytest.fixture
    async def seller(self, system: System, certificate: A1Certificate) -> Shop:
        """A shop that can issue NF-e and has neither used nor configured any type."""
        caller = await system.new_caller()
        shop = await bare_shop(system, caller, address=ADDRESS, taxRegime="simples")
        data_of(await shop.post("/state-registrations", REGISTRATION))
        await shop.set_certificate(certificate)
        return shop

    async def test_new_company_is_ready_if_it_can_issue_any_type(self, seller: Shop) -> None:
        status = await status_of(seller)
        assert [entry["ready"] for entry in status["types"]] == [True, False, False, False, False, True]
        assert status["ready"] is True

    async def test_type_that_was_never_used_or_configured_does_not_count(self, seller: Shop) -> None:
        await seller.create("nfe")
        assert (await status_of(seller))["ready"] is True

    async def test_settings_written_back_unchanged_do_not_count_as_configuration(self, seller: Shop) -> None:
        await seller.put_settings(**data_of(await seller.get("/settings")))
        assert (await status_of(seller))["ready"] is True

    @pytest.mark.parametrize(
        "settings",
        [{"nfse": NFSE_SETTINGS}, {"nfse": {"number": 100}}, {"nfce": {"active": True}}],
        ids=["configured", "number", "switched on"],
    )
    async def test_type_that_is_configured_counts(self, seller: Shop, settings: dict[str, Any]) -> None:
        await seller.put_settings(**settings)
        status = await status_of(seller)
        assert (status["types"][0]["ready"], status["ready"]) == (True, False)

    async def test_type_that_was_used_counts(self, seller: Shop) -> None:
        await seller.create("nfe")
        (registration,) = data_of(await seller.get("/state-registrations"))
        path = seller.path(f"/state-registrations/{registration['id']}")
        data_of(await seller.caller.http.delete(path))
        data_of(await seller.caller.http.put(seller.path(), json={"simplesRate": 6}))
        status = await status_of(seller)
        assert [entry["ready"] for entry in status["types"]] == [False, False, True, False, False, False]
        assert status["ready"] is False

    async def test_module_that_is_switched_off_does_not_count(self, shop: Shop) -> None:
        await shop.create("nfce")
        await shop.put_settings(nfce={"active": False})
        assert (await status_of(shop))["ready"] is True


class TestAuthority:
    async def test_authority_that_reports_an_outage_is_unavailable(
        self, switchable: System, certificate: A1Certificate
    ) -> None:
        shop = await shop_in(switchable, BELO_HORIZONTE, certificate)
        await switchable.switch(outages={"MG": "109"})
        assert await authorities_of(shop) == [("unavailable", "109")] * 2
        assert await authorities_of(shop, "nfse") == [("available", None)]

    async def test_authority_that_does_not_answer_is_unknown_for_some_seconds(
        self, switchable: System, certificate: A1Certificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shop = await shop_in(switchable, CURITIBA, certificate)
        await switchable.switch(failures=1)
        assert await authorities_of(shop) == [("unknown", None)] * 2
        await switchable.switch(failures=0)
        assert await authorities_of(shop) == [("unknown", None)] * 2
        monkeypatch.setattr(pacing, "_FRESH_SECONDS", 0)
        assert await authorities_of(shop) == [("available", "107")] * 2

    async def test_hanging_authority_is_unknown_soon_and_not_asked_again_for_some_seconds(
        self, system: System, certificate: A1Certificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        impatient = replace(NFE_FAMILY, status=replace(NFE_FAMILY.status, max_seconds=2))
        for authority in system.app.state.services.status_reader.authorities.values():
            if isinstance(authority, NfeSefaz):
                monkeypatch.setattr(authority, "_family", impatient)
        shop = await shop_in(system, SALVADOR, certificate)
        async with gate_before(*STATUS_OF_SALVADOR) as gate:
            async with asyncio.timeout(system.settings.authority_read_seconds):
                answers = [await authorities_of(shop) for _ in range(3)]
            assert answers == [[("unknown", None)] * 2] * 3
            assert gate.arrived.qsize() == len(STATUS_OF_SALVADOR)


class TestNationalAuthority:
    @pytest.fixture
    async def isolated_shop(self, switchable: System, simulator: Simulator) -> Shop:
        """A company in homologation with an unused certificate: all companies share one NFS-e authority."""
        issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
        shop = await shop_in(switchable, ADDRESS, A1Certificate.from_bundle(issued.to_pem()))
        path = shop.path("/environment")
        data_of(await shop.caller.http.patch(path, json={"environment": "homologation"}))
        return shop

    async def test_national_authority_that_is_out_is_unknown(
        self, switchable: System, isolated_shop: Shop
    ) -> None:
        await switchable.switch(outages={"SEFIN": "109"})
        assert await authorities_of(isolated_shop, "nfse") == [("unknown", None)]
        assert await authorities_of(isolated_shop) == [("available", "107")] * 2

    async def test_hanging_national_authority_is_unknown_soon_and_not_asked_again(
        self, system: System, isolated_shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(national_nfse, "_STATUS", replace(national_nfse._STATUS, max_seconds=2))
        async with gate_before(STATUS_OF_THE_NATION) as gate:
            async with asyncio.timeout(system.settings.authority_read_seconds):
                answers = [await authorities_of(isolated_shop, "nfse") for _ in range(3)]
            assert answers == [[("unknown", None)]] * 3
            assert gate.arrived.qsize() == 1


class TestDocumentsInProcess:
    async def test_documents_in_process_are_counted(self, shop: Shop) -> None:
        created = [await shop.create(document_type, notes=UNANSWERED) for document_type in BY_NUMBERING]
        await shop.issue()
        documents = (await status_of(shop))["documents"]
        assert (documents["processing"], documents["overdue"], documents["parked"]) == (2, 0, 0)
        assert documents["oldestQueuedAt"] == created[0]["createdAt"]

    async def test_documents_in_process_for_too_long_are_overdue_and_still_tried(
        self, system: System, shop: Shop
    ) -> None:
        document = await shop.create(notes=UNANSWERED)
        await system.fetch(
            "update documents set queued_at = now() - interval '1 hour' where id = $1", UUID(document["id"])
        )
        documents = (await status_of(shop))["documents"]
        assert (documents["processing"], documents["overdue"], documents["parked"]) == (1, 1, 0)
        assert (await shop.read(document))["status"] == "processing"
        tried = len(await shop.events(document))
        await system.until(
            f"{tried} < (select count(*) from document_events where document_id = '{document['id']}')"
        )

    async def test_document_that_fails_every_time_is_parked_and_delays_no_other(
        self, system: System, shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create()
            (row,) = await system.fetch("select request from documents where id = $1", UUID(document["id"]))
            await system.fetch("update documents set request = '{' where id = $1", UUID(document["id"]))
        await system.until(f"(select parked_reason is not null from documents where id = '{document['id']}')")
        documents = (await status_of(shop))["documents"]
        assert (documents["processing"], documents["parked"]) == (1, 1)
        assert (await shop.read(document))["status"] == "processing"
        assert (await shop.issue())["status"] == "authorized"
        await system.fetch(
            "update documents set request = $2 where id = $1", UUID(document["id"]), row["request"]
        )
        assert await resume_parked(system.database, UUID(document["id"]))
        assert (await shop.settled(document))["status"] == "authorized"
        assert (await status_of(shop))["documents"] == IDLE
