"""Municipalities and NFS-e: those that take part, those that do not, and those of which nothing is known."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
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
from support import data_of, fields_of

# Each of a test of its own: what a municipality told is remembered for hours.
CURITIBA = ADDRESS | {"zipcode": "80020-000", "city": "Curitiba", "state": "PR"}
RECIFE = ADDRESS | {"zipcode": "50030-000", "city": "Recife", "state": "PE"}
MANAUS = ADDRESS | {"zipcode": "69005-000", "city": "Manaus", "state": "AM"}
AGREEMENT = "GET /{municipio}/convenio"
NORMAL = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
# With all that IBS and CBS need, whose lack is only warned of before 2027.
COMPLETE = body_of("nfse", nbs="115021000", borrower=BORROWER | {"address": ADDRESS})
STRANGERS = [
    pytest.param(BRASILIA, "5300108", "não tem convênio", id="without-an-agreement"),
    pytest.param(PORTO_ALEGRE, "4314902", "emissor próprio", id="with-an-emitter-of-its-own"),
]


async def everything_of(shop: Shop) -> list[int]:
    tables = ("documents", "sales", "customers", "products")
    counted = [
        await shop.floor.fetch(
            f"select count(*) from {table} where subscription_id = $1", shop.caller.subscription_id
        )
        for table in tables
    ]
    return [rows[0]["count"] for rows in counted]


async def asked_of(floor: Floor, city_code: str) -> list[str]:
    """What the authority was asked about a municipality."""
    return [one["service"] for one in await floor.journal(city_code)]


@pytest.mark.parametrize(("address", "city_code", "told"), STRANGERS)
class TestMunicipalityThatDoesNotTakePart:
    async def test_is_told_before_anything_is_stored(
        self, floor: Floor, certificate: A1Certificate, address: dict[str, str], city_code: str, told: str
    ) -> None:
        provider = await provider_in(floor, certificate, address, **NORMAL)
        answer = await provider.post("/nfse", COMPLETE, key="k")
        assert error_of(answer, 422, "MUNICIPALITY_NOT_SUPPORTED") == {"cityCode": city_code}
        assert told in answer.json()["error"]["message"]
        assert await everything_of(provider) == [0, 0, 0, 0]

    async def test_is_a_problem_of_a_trial(
        self, floor: Floor, certificate: A1Certificate, address: dict[str, str], city_code: str, told: str
    ) -> None:
        provider = await provider_in(floor, certificate, address, **NORMAL)
        (problem,) = data_of(await provider.post("/nfse", COMPLETE, dryRun="true"))["problems"]
        assert problem["code"] == "MUNICIPALITY_NOT_SUPPORTED"
        assert told in problem["message"]
        assert city_code in problem["message"]

    async def test_lets_a_mei_issue_all_the_same(
        self, floor: Floor, certificate: A1Certificate, address: dict[str, str], city_code: str, told: str
    ) -> None:
        provider = await provider_in(floor, certificate, address, taxRegime="mei")
        record = await provider.issue("nfse")
        assert record["status"] == "authorized"
        note = await note_of(provider, record)
        assert (note.text("cLocEmi"), note.text("cStat")) == (city_code, "107")


class TestMunicipalityWithAnEmitterOfItsOwn:
    async def test_lets_a_company_of_simples_issue_here(
        self, floor: Floor, certificate: A1Certificate
    ) -> None:
        provider = await provider_in(floor, certificate, PORTO_ALEGRE)
        assert (await provider.issue("nfse"))["status"] == "authorized"


class TestAgreement:
    async def test_is_asked_for_once(self, floor: Floor, certificate: A1Certificate) -> None:
        provider = await provider_in(floor, certificate, CURITIBA)
        async with floor.standstill():
            made = await asyncio.gather(*(provider.create("nfse") for _ in range(10)))
            await provider.create("nfse")
            assert await asked_of(floor, "4106902") == [AGREEMENT]
        assert {(await provider.settled(one))["status"] for one in made} == {"authorized"}
        # The worker remembers by itself.
        assert await asked_of(floor, "4106902") == [AGREEMENT] * 2

    async def test_is_the_same_for_every_company(self, floor: Floor, certificate: A1Certificate) -> None:
        async with floor.standstill():
            for _ in range(2):
                await (await provider_in(floor, certificate, MANAUS)).create("nfse")
            assert await asked_of(floor, "1302603") == [AGREEMENT]


class TestParametersThatCannotBeReached:
    @pytest.fixture
    async def out(self, floor: Floor) -> AsyncIterator[None]:
        await floor.switch(outages={"ADN": "109"})
        yield
        await floor.switch(outages={"ADN": None})

    @pytest.mark.usefixtures("out")
    async def test_keep_no_document_from_being_issued(self, floor: Floor, certificate: A1Certificate) -> None:
        provider = await provider_in(floor, certificate, RECIFE)
        assert (await provider.issue("nfse"))["status"] == "authorized"

    async def test_are_not_asked_for_without_a_certificate(self, shop: Shop) -> None:
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
        changes: dict[str, Any] = {"address": ADDRESS | {"city": "Natal", "state": "RN"}}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        trial = data_of(await shop.post("/nfse", body_of("nfse"), dryRun="true"))
        assert trial["problems"] == []
        assert await asked_of(shop.floor, "2408102") == []


class TestRate:
    async def test_of_the_municipality_is_told_where_it_is_another(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path(), json=NORMAL))
        body = body_of("nfse", cityServiceCode="1234", federalServiceCode="01.07", iss={"rate": 5})
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert any("2,9%" in warning for warning in trial["warnings"])
        body |= {"iss": {"rate": 2.9}}
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))
        assert not any("2,9%" in warning for warning in trial["warnings"])


class TestMunicipalityRoute:
    @pytest.mark.parametrize("code", ["01.05.01", "01.05.01.000", "010501", "010501000"])
    async def test_takes_a_service_with_and_without_dots(self, shop: Shop, code: str) -> None:
        answer = await shop.get("/nfse/municipality", cityCode="3509502", serviceCode=code)
        assert data_of(answer)["issRate"] == 2.0

    async def test_says_what_a_service_code_looks_like(self, shop: Shop) -> None:
        error = fields_of(await shop.get("/nfse/municipality", serviceCode="1"))["serviceCode"]
        assert "como 01.05.01 ou 010501" in error
