"""Municipalities and NFS-e: with an agreement, without one, and with unknown parameters."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.shop import (
    ADDRESS,
    BORROWER,
    BRASILIA,
    PORTO_ALEGRE,
    Shop,
    body_of,
    error_of,
    note_of,
    provider_in,
)
from integration.issuing.system import System
from support import data_of, fields_of

# Each is used by one test only: the parameters of a municipality are cached for hours.
CURITIBA = ADDRESS | {"zipcode": "80020-000", "city": "Curitiba", "state": "PR"}
RECIFE = ADDRESS | {"zipcode": "50030-000", "city": "Recife", "state": "PE"}
MANAUS = ADDRESS | {"zipcode": "69005-000", "city": "Manaus", "state": "AM"}
FORTALEZA = ADDRESS | {"zipcode": "60025-001", "city": "Fortaleza", "state": "CE"}
AGREEMENT = "GET /{municipio}/convenio"
NORMAL = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
# With all fields of IBS and CBS; before 2027 a missing one is only a warning.
COMPLETE = body_of("nfse", nbs="115021000", borrower=BORROWER | {"address": ADDRESS})
UNSUPPORTED = [
    pytest.param(BRASILIA, "5300108", "não tem convênio", id="without-an-agreement"),
    pytest.param(PORTO_ALEGRE, "4314902", "emissor próprio", id="with-an-emitter-of-its-own"),
]


async def counts_of(shop: Shop) -> list[int]:
    tables = ("documents", "sales", "customers", "products")
    counted = [
        await shop.system.fetch(
            f"select count(*) from {table} where subscription_id = $1", shop.caller.subscription_id
        )
        for table in tables
    ]
    return [rows[0]["count"] for rows in counted]


async def requests_about(system: System, city_code: str) -> list[str]:
    """Returns the requests that the authority received about a municipality."""
    return [entry["service"] for entry in await system.journal(city_code)]


@pytest.mark.parametrize(("address", "city_code", "message"), UNSUPPORTED)
class TestUnsupportedMunicipality:
    async def test_unsupported_municipality_is_an_error_and_nothing_is_stored(
        self,
        system: System,
        certificate: A1Certificate,
        address: dict[str, str],
        city_code: str,
        message: str,
    ) -> None:
        provider = await provider_in(system, certificate, address, **NORMAL)
        answer = await provider.post("/nfse", COMPLETE, key="k")
        assert error_of(answer, 422, "MUNICIPALITY_NOT_SUPPORTED") == {"cityCode": city_code}
        assert message in answer.json()["error"]["message"]
        assert await counts_of(provider) == [0, 0, 0, 0]

    async def test_unsupported_municipality_is_a_problem_of_a_dry_run(
        self,
        system: System,
        certificate: A1Certificate,
        address: dict[str, str],
        city_code: str,
        message: str,
    ) -> None:
        provider = await provider_in(system, certificate, address, **NORMAL)
        (problem,) = data_of(await provider.post("/nfse", COMPLETE, dryRun="true"))["problems"]
        assert problem["code"] == "MUNICIPALITY_NOT_SUPPORTED"
        assert message in problem["message"]
        assert city_code in problem["message"]

    async def test_mei_can_issue_in_an_unsupported_municipality(
        self,
        system: System,
        certificate: A1Certificate,
        address: dict[str, str],
        city_code: str,
        message: str,
    ) -> None:
        provider = await provider_in(system, certificate, address, taxRegime="mei")
        record = await provider.issue("nfse")
        assert record["status"] == "authorized"
        note = await note_of(provider, record)
        assert (note.text("cLocEmi"), note.text("cStat")) == (city_code, "107")


class TestMunicipalityWithItsOwnSystem:
    async def test_simples_company_can_issue_where_the_municipality_has_its_own_system(
        self, system: System, certificate: A1Certificate
    ) -> None:
        provider = await provider_in(system, certificate, PORTO_ALEGRE)
        assert (await provider.issue("nfse"))["status"] == "authorized"


class TestAgreement:
    async def test_agreement_is_requested_once(self, system: System, certificate: A1Certificate) -> None:
        provider = await provider_in(system, certificate, CURITIBA)
        async with system.worker_stopped():
            documents = await asyncio.gather(*(provider.create("nfse") for _ in range(10)))
            await provider.create("nfse")
            assert await requests_about(system, "4106902") == [AGREEMENT]
        assert {(await provider.settled(document))["status"] for document in documents} == {"authorized"}
        # The worker has a cache of its own.
        assert await requests_about(system, "4106902") == [AGREEMENT] * 2

    async def test_agreement_is_cached_for_all_companies(
        self, system: System, certificate: A1Certificate
    ) -> None:
        async with system.worker_stopped():
            for _ in range(2):
                await (await provider_in(system, certificate, MANAUS)).create("nfse")
            assert await requests_about(system, "1302603") == [AGREEMENT]

    async def test_repeated_order_does_not_wait_for_the_authority(self, shop: Shop) -> None:
        # The worker asks too, before it issues the document.
        async with shop.system.worker_stopped():
            created = (await shop.post("/nfse", body_of("nfse"), key="k")).json()["data"]
            data_of(await shop.caller.http.put(shop.path(), json={"address": FORTALEZA}))
            repeated = await shop.post("/nfse", body_of("nfse"), key="k")
            assert data_of(repeated)["id"] == created["id"]
            assert await requests_about(shop.system, "2304400") == []


class TestUnavailableParameters:
    @pytest.fixture
    async def out(self, system: System) -> AsyncIterator[None]:
        await system.switch(outages={"ADN": "109"})
        yield
        await system.switch(outages={"ADN": None})

    @pytest.mark.usefixtures("out")
    async def test_document_is_issued_while_the_parameters_can_not_be_read(
        self, system: System, certificate: A1Certificate
    ) -> None:
        provider = await provider_in(system, certificate, RECIFE)
        assert (await provider.issue("nfse"))["status"] == "authorized"

    async def test_parameters_are_not_requested_without_a_certificate(self, shop: Shop) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        changes: dict[str, Any] = {"address": ADDRESS | {"city": "Natal", "state": "RN"}}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        trial = data_of(await shop.post("/nfse", body_of("nfse"), dryRun="true"))
        assert trial["problems"] == []
        assert await requests_about(shop.system, "2408102") == []


class TestRate:
    async def test_rate_that_differs_from_the_municipalitys_is_a_warning(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json=NORMAL))
        body = body_of("nfse", cityServiceCode="1234", federalServiceCode="01.07", iss={"rate": 5})
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert any("2,9%" in warning for warning in trial["warnings"])
        body |= {"iss": {"rate": 2.9}}
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert not any("2,9%" in warning for warning in trial["warnings"])


class TestMunicipalityRoute:
    @pytest.mark.parametrize("code", ["01.05.01", "01.05.01.000", "010501", "010501000"])
    async def test_service_code_is_accepted_with_and_without_dots(self, shop: Shop, code: str) -> None:
        answer = await shop.get("/nfse/municipality", cityCode="3509502", serviceCode=code)
        assert data_of(answer)["issRate"] == 2.0

    async def test_error_of_an_invalid_service_code_shows_an_example(self, shop: Shop) -> None:
        error = fields_of(await shop.get("/nfse/municipality", serviceCode="1"))["serviceCode"]
        assert "como 01.05.01 ou 010501" in error
