"""Companies, their environment and their state registrations."""

import asyncio
from typing import Any

import pytest

from support import CNPJ, OTHER_CNPJ, Caller, NewCaller, code_of, data_of, fields_of

ADDRESS = {
    "zipcode": "01310-100",
    "street": "Avenida Paulista",
    "number": "1000",
    "district": "Bela Vista",
    "city": "sao paulo",
    "state": "sp",
}
COMPLETE: dict[str, Any] = {
    "taxId": "11.222.333/0001-81",
    "legalName": "Loja Modelo Ltda",
    "tradeName": "Loja Modelo",
    "email": "fiscal@example.com",
    "phone": "(11) 3333-4444",
    "address": ADDRESS,
    "taxRegime": "simples",
    "municipalRegistration": "12345678",
    "cnaeCode": "4751201",
    "pisCofinsRegime": "cumulative",
    "simplesRate": 6.54,
    "simplesIssRegime": 1,
}
NUMBERS = {
    "SP": "110042490114",
    "RJ": "78890169",
    "MG": "0623079040081",
    "PR": "1234567850",
    "SC": "251040852",
    "RS": "2243658792",
    "BA": "077028884",
    "PE": "032141840",
}
"""State registrations, one a state."""


class TestCreate:
    async def test_with_only_the_specifications_fields(self, caller: Caller) -> None:
        body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda"}
        record = data_of(await caller.http.post("/v1/companies", json=body))
        assert record["taxId"] == CNPJ
        assert record["environment"] == "production"
        assert record["tradeName"] is None
        assert record["createdAt"].endswith("Z")
        (warning,) = record["warnings"]
        assert warning.startswith("A empresa emite em produção, com valor fiscal,")
        switch = f"/v1/companies/{record['id']}/environment"
        assert f'PATCH {switch} com {{"environment": "homologation"}}' in warning

    @pytest.mark.parametrize("environment", ["homologation", "production"])
    async def test_in_the_environment_that_was_sent_without_a_warning(
        self, caller: Caller, environment: str
    ) -> None:
        body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda", "environment": environment}
        record = data_of(await caller.http.post("/v1/companies", json=body))
        assert (record["environment"], record["warnings"]) == (environment, [])
        found = data_of(await caller.http.get(f"/v1/companies/{record['id']}"))
        assert found["environment"] == environment

    async def test_with_every_field_normalised(self, caller: Caller) -> None:
        record = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        assert record["taxId"] == CNPJ
        assert record["phone"] == "1133334444"
        assert record["simplesRate"] == 6.54
        assert record["address"] == {
            **ADDRESS,
            "zipcode": "01310100",
            "state": "SP",
            "complement": None,
            "cityCode": "3550308",
            "countryCode": None,
        }
        del record["warnings"]
        assert data_of(await caller.http.get(f"/v1/companies/{record['id']}")) == record

    async def test_with_letters_in_the_cnpj(self, caller: Caller) -> None:
        body = {"taxId": "12.abc.345/01de-35", "legalName": "Alfanumérica Ltda"}
        assert data_of(await caller.http.post("/v1/companies", json=body))["taxId"] == OTHER_CNPJ

    @pytest.mark.parametrize(
        "tax_id", ["", "52998224725", "11111111111111", "1122233300018", "12ABC34501DE3X", 7]
    )
    async def test_refuses_what_is_no_cnpj(self, caller: Caller, tax_id: object) -> None:
        answer = await caller.http.post("/v1/companies", json={"taxId": tax_id, "legalName": "Loja"})
        assert list(fields_of(answer)) == ["taxId"]

    async def test_refuses_a_city_that_its_state_does_not_have(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Curitiba"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.city"]

    async def test_tells_an_unknown_city_beside_other_wrong_fields(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Curitiba", "zipcode": "1"}}
        answer = await caller.http.post("/v1/companies", json=body)
        assert set(fields_of(answer)) == {"address.city", "address.zipcode"}

    async def test_refuses_a_city_that_contradicts_its_code(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Santos", "cityCode": "3550308"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.city"]

    async def test_takes_the_code_where_the_name_is_unknown(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Sampa", "cityCode": "3550308"}}
        assert data_of(await caller.http.post("/v1/companies", json=body))["address"]["cityCode"] == "3550308"

    @pytest.mark.parametrize("email", ["a\u0001b@x.com", "a b@x.com", "a@b", "@x.com", "a@x.com\n"])
    async def test_refuses_what_is_no_email(self, caller: Caller, email: str) -> None:
        body = {**COMPLETE, "email": email}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["email"]

    async def test_refuses_a_city_code_of_another_state(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "cityCode": "4106902"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.cityCode"]

    async def test_a_second_time_names_the_first(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.post("/v1/companies", json=COMPLETE)
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "taxId", "existingId": company_id}

    async def test_twenty_at_once_make_one(self, caller: Caller) -> None:
        answers = await asyncio.gather(*(caller.http.post("/v1/companies", json=COMPLETE) for _ in range(20)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 19

    async def test_of_one_cnpj_in_two_subscriptions_is_allowed(self, new_caller: NewCaller) -> None:
        first, second = await new_caller(), await new_caller()
        assert await first.create_company() != await second.create_company()


class TestList:
    async def test_is_newest_first_and_in_pages(self, caller: Caller) -> None:
        older = await caller.create_company(CNPJ)
        newer = await caller.create_company(OTHER_CNPJ)
        answer = await caller.http.get("/v1/companies")
        assert [company["id"] for company in data_of(answer)] == [newer, older]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 2}
        second = await caller.http.get("/v1/companies?page=2&pageSize=1")
        assert [company["id"] for company in data_of(second)] == [older]

    @pytest.mark.parametrize("tax_id", [CNPJ, "11.222.333/0001-81"])
    async def test_is_filtered_by_the_tax_id(self, caller: Caller, tax_id: str) -> None:
        wanted, _ = await caller.create_company(CNPJ), await caller.create_company(OTHER_CNPJ)
        answer = await caller.http.get("/v1/companies", params={"taxId": tax_id})
        assert [company["id"] for company in data_of(answer)] == [wanted]
        assert answer.json()["pageInfo"]["total"] == 1
        unknown = await caller.http.get("/v1/companies", params={"taxId": "1"})
        assert (data_of(unknown), unknown.json()["pageInfo"]["total"]) == ([], 0)


class TestUpdate:
    async def test_changes_what_is_sent_and_nothing_else(self, caller: Caller) -> None:
        before = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        del before["warnings"]
        changes = {"tradeName": "Outro nome", "email": None}
        after = data_of(await caller.http.put(f"/v1/companies/{before['id']}", json=changes))
        assert after == {**before, **changes, "updatedAt": after["updatedAt"]}

    async def test_with_nothing_changes_nothing(self, caller: Caller) -> None:
        before = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        del before["warnings"]
        after = data_of(await caller.http.put(f"/v1/companies/{before['id']}", json={}))
        assert after == {**before, "updatedAt": after["updatedAt"]}

    async def test_refuses_settings(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.put(f"/v1/companies/{company_id}", json={"settings": {}})
        assert fields_of(answer) == {"settings": "Campo desconhecido."}

    async def test_keeps_the_legal_name_that_null_can_not_clear(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        changed = data_of(await caller.http.put(f"/v1/companies/{company_id}", json={"legalName": None}))
        assert changed["legalName"] == "Loja Modelo Ltda"


class TestDelete:
    async def test_answers_with_the_id_and_makes_it_absent(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        path = f"/v1/companies/{company_id}"
        assert data_of(await caller.http.delete(path)) == {"id": company_id, "deleted": True}
        assert (await caller.http.get(path)).status_code == 404
        assert (await caller.http.delete(path)).status_code == 404
        assert data_of(await caller.http.get("/v1/companies")) == []

    async def test_then_create_revives_the_same_company_as_new_but_for_its_numbers(
        self, caller: Caller
    ) -> None:
        before = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        path = f"/v1/companies/{before['id']}"
        await caller.http.put(f"{path}/settings", json={"nfe": {"number": 77}, "nfce": {"active": True}})
        await caller.http.post(f"{path}/state-registrations", json={"state": "SP", "number": "110042490114"})
        await caller.http.patch(f"{path}/environment", json={"environment": "homologation"})
        await caller.http.delete(path)
        assert await caller.create_company() == before["id"]
        revived = data_of(await caller.http.get(path))
        assert (revived["tradeName"], revived["environment"]) == (None, "production")
        settings = data_of(await caller.http.get(f"{path}/settings"))
        assert (settings["nfe"]["number"], settings["nfce"]["active"]) == (77, False)
        assert data_of(await caller.http.get(f"{path}/state-registrations")) == []


class TestEnvironment:
    async def test_switches_and_tells_what_it_was(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        path = f"/v1/companies/{company_id}/environment"
        switched = data_of(await caller.http.patch(path, json={"environment": "homologation"}))
        assert switched == {
            "companyId": company_id,
            "environment": "homologation",
            "previousEnvironment": "production",
            "updatedAt": switched["updatedAt"],
        }
        assert data_of(await caller.http.get(f"/v1/companies/{company_id}"))["environment"] == "homologation"

    @pytest.mark.parametrize("body", [{}, {"environment": "test"}, {"environment": 1}, {"environment": None}])
    async def test_refuses_any_other(self, caller: Caller, body: dict[str, object]) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.patch(f"/v1/companies/{company_id}/environment", json=body)
        assert list(fields_of(answer)) == ["environment"]


class TestStateRegistrations:
    async def test_the_first_is_the_default_and_the_default_can_move(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        first = data_of(await caller.http.post(path, json={"state": "SP", "number": "110.042.490.114"}))
        assert (first["number"], first["isDefault"]) == ("110042490114", True)
        second = data_of(await caller.http.post(path, json={"state": "RJ", "number": "78890169"}))
        assert second["isDefault"] is False
        body = {"state": "MG", "number": "0623079040081", "isDefault": True}
        third = data_of(await caller.http.post(path, json=body))
        listed = data_of(await caller.http.get(path))
        assert [(line["id"], line["isDefault"]) for line in listed] == [
            (third["id"], True),
            (second["id"], False),
            (first["id"], False),
        ]

    async def test_one_per_state(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        first = data_of(await caller.http.post(path, json={"state": "SP", "number": "110042490114"}))
        answer = await caller.http.post(path, json={"state": "SP", "number": "692015742119"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "state", "existingId": first["id"]}

    async def test_many_at_once_leave_one_default(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        bodies = [{"state": state, "number": number, "isDefault": True} for state, number in NUMBERS.items()]
        answers = await asyncio.gather(*(caller.http.post(path, json=body) for body in bodies))
        assert {answer.status_code for answer in answers} == {200}
        assert sum(line["isDefault"] for line in data_of(await caller.http.get(path))) == 1

    async def test_deleting_the_default_passes_it_to_the_oldest(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        first = data_of(await caller.http.post(path, json={"state": "SP", "number": "110042490114"}))
        second = data_of(await caller.http.post(path, json={"state": "RJ", "number": "78890169"}))
        deleted = data_of(await caller.http.delete(f"{path}/{first['id']}"))
        assert deleted == {"id": first["id"], "deleted": True}
        assert data_of(await caller.http.get(path)) == [{**second, "isDefault": True}]
        assert (await caller.http.delete(f"{path}/{first['id']}")).status_code == 404

    @pytest.mark.parametrize(
        ("state", "problem"),
        [("SP", "tem 8 dígitos; a de SP tem 12"), ("RJ", "os dígitos verificadores não são os de RJ")],
    )
    async def test_refuses_a_number_that_the_state_does_not_issue(
        self, caller: Caller, state: str, problem: str
    ) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        answer = await caller.http.post(path, json={"state": state, "number": "12345678"})
        assert fields_of(answer) == {"number": f"Inscrição estadual inválida: {problem}."}

    @pytest.mark.parametrize("number", ["ISENTO", "abc", "1", "123456789012345", "1" * 25])
    async def test_says_the_length_of_the_state_to_what_is_no_number(
        self, caller: Caller, number: str
    ) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        for state, length in (("MG", "13"), ("BA", "8 ou 9")):
            answer = await caller.http.post(path, json={"state": state, "number": number})
            message = f"Inscrição estadual inválida: a de {state} tem {length} dígitos."
            assert fields_of(answer) == {"number": message}


class TestTheOnlyCompany:
    async def test_is_read_and_changed_without_its_id(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        body = {"tradeName": "Nova", "settings": {"nfce": {"active": True}}}
        changed = data_of(await caller.http.put("/v1/company", json=body))
        assert (changed["id"], changed["tradeName"]) == (company_id, "Nova")
        assert changed["settings"]["nfce"]["active"] is True
        assert data_of(await caller.http.get("/v1/company")) == changed

    async def test_with_none_is_404(self, caller: Caller) -> None:
        assert (await caller.http.get("/v1/company")).status_code == 404

    async def test_with_several_is_ambiguous(self, caller: Caller) -> None:
        await caller.create_company(CNPJ)
        await caller.create_company(OTHER_CNPJ)
        for method, path in [("GET", ""), ("PUT", ""), ("GET", "/certificate"), ("DELETE", "/certificate")]:
            answer = await caller.http.request(method, f"/v1/company{path}")
            assert (answer.status_code, code_of(answer)) == (409, "COMPANY_AMBIGUOUS")

    async def test_writes_settings_and_registration_together_or_not_at_all(self, caller: Caller) -> None:
        await caller.create_company()
        body = {"tradeName": "Nova", "settings": {"nfe": {"series": 890}}}
        answer = await caller.http.put("/v1/company", json=body)
        assert list(fields_of(answer)) == ["settings.nfe.series"]
        assert data_of(await caller.http.get("/v1/company"))["tradeName"] is None
