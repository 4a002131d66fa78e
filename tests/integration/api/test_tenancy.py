"""Nobody reaches another subscription's things: a walk over every route of the published contract."""

import re
from dataclasses import dataclass
from typing import Any

import pytest

from carimbo.api.openapi import contract
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.main import api_of
from carimbo.settings import Settings
from support import Caller, NewCaller, code_of, data_of, fields_of

CONTRACT = contract(api_of(Settings()))
OPERATIONS = [
    (method.upper(), path)
    for path, operations in CONTRACT["paths"].items()
    for method in operations
    if "{" in path
]
# A body that is right for each operation, so that only the foreign id can be what is wrong.
BODIES: dict[str, dict[str, Any]] = {
    "updateCompany": {"json": {"tradeName": "Invasor"}},
    "switchEnvironment": {"json": {"environment": "homologation"}},
    "addStateRegistration": {"json": {"state": "RJ", "number": "12345678"}},
    "changeSettings": {"json": {"nfe": {"number": 999}}},
    "uploadCertificate": {"files": {"file": ("a.pfx", b"x")}, "data": {"password": "x"}},
}


@dataclass(frozen=True)
class Owned:
    """What the first subscription has, by the name of the path's parameter."""

    owner: Caller
    ids: dict[str, str]

    def fill(self, path: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: self.ids[match[1]], path)


@pytest.fixture
async def owned(new_caller: NewCaller, company_certificate: SampleCertificate) -> Owned:
    owner = await new_caller()
    company_id = await owner.create_company()
    await owner.http.post(
        f"/v1/companies/{company_id}/certificate",
        files={"file": ("a.pfx", company_certificate.to_pfx("x"))},
        data={"password": "x"},
    )
    registration = await owner.http.post(
        f"/v1/companies/{company_id}/state-registrations", json={"state": "SP", "number": "110042490114"}
    )
    return Owned(owner, {"companyId": company_id, "id": data_of(registration)["id"]})


async def everything_of(owned: Owned) -> list[Any]:
    paths = [path for method, path in OPERATIONS if method == "GET"]
    return [data_of(await owned.owner.http.get(owned.fill(path))) for path in paths]


class TestAnotherSubscription:
    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    async def test_gets_404_and_changes_nothing(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        before = await everything_of(owned)
        operation = CONTRACT["paths"][path][method.lower()]
        if "requestBody" in operation:
            assert operation["operationId"] in BODIES, "give this operation a good body above"
        request = BODIES.get(operation["operationId"], {})
        answer = await caller.http.request(method, owned.fill(path), **request)
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
        assert await everything_of(owned) == before

    @pytest.mark.parametrize(("method", "path"), [pair for pair in OPERATIONS if "{id}" in pair[1]])
    async def test_gets_404_for_a_foreign_id_under_its_own_company(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        own = await caller.create_company()
        target = Owned(caller, {**owned.ids, "companyId": own}).fill(path)
        assert (await caller.http.request(method, target)).status_code == 404

    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    async def test_learns_nothing_from_the_answer(
        self, owned: Owned, caller: Caller, method: str, path: str
    ) -> None:
        request = BODIES.get(CONTRACT["paths"][path][method.lower()]["operationId"], {})
        absent = dict.fromkeys(owned.ids, "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b")
        foreign = await caller.http.request(method, owned.fill(path), **request)
        nothing = await caller.http.request(method, Owned(caller, absent).fill(path), **request)
        assert foreign.json() == nothing.json()

    @pytest.mark.parametrize(("method", "path"), OPERATIONS)
    @pytest.mark.parametrize("bad", ["x", "1", "%00", "00000000-0000-0000-0000-00000000000g"])
    async def test_a_malformed_id_is_invalid(self, caller: Caller, method: str, path: str, bad: str) -> None:
        target = re.sub(r"\{\w+\}", bad, path)
        assert fields_of(await caller.http.request(method, target)) == {"companyId": "Deve ser um UUID."}
