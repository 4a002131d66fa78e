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
"""State registrations, by state."""


class TestCreate:
    async def test_company_is_created_with_required_fields_alone(self, caller: Caller) -> None:
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
    async def test_company_with_a_sent_environment_has_no_warning(
        self, caller: Caller, environment: str
    ) -> None:
        body = {"taxId": CNPJ, "legalName": "Loja Modelo Ltda", "environment": environment}
        record = data_of(await caller.http.post("/v1/companies", json=body))
        assert (record["environment"], record["warnings"]) == (environment, [])
        record = data_of(await caller.http.get(f"/v1/companies/{record['id']}"))
        assert record["environment"] == environment

    async def test_every_field_is_normalised(self, caller: Caller) -> None:
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

    async def test_cnpj_with_letters_is_accepted(self, caller: Caller) -> None:
        body = {"taxId": "12.abc.345/01de-35", "legalName": "Alfanumérica Ltda"}
        assert data_of(await caller.http.post("/v1/companies", json=body))["taxId"] == OTHER_CNPJ

    @pytest.mark.parametrize(
        "tax_id", ["", "52998224725", "11111111111111", "1122233300018", "12ABC34501DE3X", 7]
    )
    async def test_invalid_cnpj_is_refused(self, caller: Caller, tax_id: object) -> None:
        answer = await caller.http.post("/v1/companies", json={"taxId": tax_id, "legalName": "Loja"})
        assert list(fields_of(answer)) == ["taxId"]

    async def test_city_of_another_state_is_refused(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Curitiba"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.city"]

    async def test_unknown_city_is_reported_with_other_wrong_fields(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Curitiba", "zipcode": "1"}}
        answer = await caller.http.post("/v1/companies", json=body)
        assert set(fields_of(answer)) == {"address.city", "address.zipcode"}

    async def test_city_that_contradicts_its_code_is_refused(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Santos", "cityCode": "3550308"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.city"]

    async def test_city_code_is_accepted_with_an_unknown_name(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "city": "Sampa", "cityCode": "3550308"}}
        assert data_of(await caller.http.post("/v1/companies", json=body))["address"]["cityCode"] == "3550308"

    @pytest.mark.parametrize("email", ["a\u0001b@x.com", "a b@x.com", "a@b", "@x.com", "a@x.com\n"])
    async def test_invalid_email_is_refused(self, caller: Caller, email: str) -> None:
        body = {**COMPLETE, "email": email}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["email"]

    async def test_city_code_of_another_state_is_refused(self, caller: Caller) -> None:
        body = {**COMPLETE, "address": {**ADDRESS, "cityCode": "4106902"}}
        assert list(fields_of(await caller.http.post("/v1/companies", json=body))) == ["address.cityCode"]

    async def test_duplicate_company_is_refused_with_the_first_id(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.post("/v1/companies", json=COMPLETE)
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "taxId", "existingId": company_id}

    async def test_simultaneous_requests_create_one_company(self, caller: Caller) -> None:
        answers = await asyncio.gather(*(caller.http.post("/v1/companies", json=COMPLETE) for _ in range(20)))
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 19

    async def test_two_subscriptions_may_have_the_same_cnpj(self, new_caller: NewCaller) -> None:
        first, second = await new_caller(), await new_caller()
        assert await first.create_company() != await second.create_company()


class TestList:
    async def test_list_is_newest_first_and_in_pages(self, caller: Caller) -> None:
        older = await caller.create_company(CNPJ)
        newer = await caller.create_company(OTHER_CNPJ)
        answer = await caller.http.get("/v1/companies")
        assert [company["id"] for company in data_of(answer)] == [newer, older]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 2}
        second = await caller.http.get("/v1/companies?page=2&pageSize=1")
        assert [company["id"] for company in data_of(second)] == [older]

    @pytest.mark.parametrize("tax_id", [CNPJ, "11.222.333/0001-81"])
    async def test_list_is_filtered_by_the_tax_id(self, caller: Caller, tax_id: str) -> None:
        wanted, _ = await caller.create_company(CNPJ), await caller.create_company(OTHER_CNPJ)
        answer = await caller.http.get("/v1/companies", params={"taxId": tax_id})
        assert [company["id"] for company in data_of(answer)] == [wanted]
        assert answer.json()["pageInfo"]["total"] == 1
        unknown = await caller.http.get("/v1/companies", params={"taxId": "1"})
        assert (data_of(unknown), unknown.json()["pageInfo"]["total"]) == ([], 0)


class TestUpdate:
    async def test_update_changes_sent_fields_and_nothing_else(self, caller: Caller) -> None:
        before = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        del before["warnings"]
        changes = {"tradeName": "Outro nome", "email": None}
        after = data_of(await caller.http.put(f"/v1/companies/{before['id']}", json=changes))
        assert after == {**before, **changes, "updatedAt": after["updatedAt"]}

    async def test_empty_update_changes_nothing(self, caller: Caller) -> None:
        before = data_of(await caller.http.post("/v1/companies", json=COMPLETE))
        del before["warnings"]
        after = data_of(await caller.http.put(f"/v1/companies/{before['id']}", json={}))
        assert after == {**before, "updatedAt": after["updatedAt"]}

    async def test_update_refuses_settings(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.put(f"/v1/companies/{company_id}", json={"settings": {}})
        assert fields_of(answer) == {"settings": "Campo desconhecido."}

    async def test_null_does_not_clear_the_legal_name(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        changed = data_of(await caller.http.put(f"/v1/companies/{company_id}", json={"legalName": None}))
        assert changed["legalName"] == "Loja Modelo Ltda"


class TestDelete:
    async def test_deleted_company_is_not_found(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        path = f"/v1/companies/{company_id}"
        assert data_of(await caller.http.delete(path)) == {"id": company_id, "deleted": True}
        assert (await caller.http.get(path)).status_code == 404
        assert (await caller.http.delete(path)).status_code == 404
        assert data_of(await caller.http.get("/v1/companies")) == []

    async def test_recreated_company_keeps_only_its_id_and_numbers(self, caller: Caller) -> None:
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
    async def test_environment_switch_shows_the_previous_environment(self, caller: Caller) -> None:
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
    async def test_unknown_environment_is_refused(self, caller: Caller, body: dict[str, object]) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.patch(f"/v1/companies/{company_id}/environment", json=body)
        assert list(fields_of(answer)) == ["environment"]


class TestStateRegistrations:
    async def test_first_registration_is_the_default_until_another_is_chosen(self, caller: Caller) -> None:
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

    async def test_second_registration_of_a_state_is_refused(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        first = data_of(await caller.http.post(path, json={"state": "SP", "number": "110042490114"}))
        answer = await caller.http.post(path, json={"state": "SP", "number": "692015742119"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "state", "existingId": first["id"]}

    async def test_simultaneous_registrations_leave_one_default(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        bodies = [{"state": state, "number": number, "isDefault": True} for state, number in NUMBERS.items()]
        answers = await asyncio.gather(*(caller.http.post(path, json=body) for body in bodies))
        assert {answer.status_code for answer in answers} == {200}
        assert sum(line["isDefault"] for line in data_of(await caller.http.get(path))) == 1

    async def test_deletion_of_the_default_makes_the_oldest_the_default(self, caller: Caller) -> None:
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
    async def test_number_that_the_state_does_not_issue_is_refused(
        self, caller: Caller, state: str, problem: str
    ) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        answer = await caller.http.post(path, json={"state": state, "number": "12345678"})
        assert fields_of(answer) == {"number": f"Inscrição estadual inválida: {problem}."}

    @pytest.mark.parametrize("number", ["ISENTO", "abc", "1", "123456789012345", "1" * 25])
    async def test_malformed_number_is_refused_with_the_length_of_the_state(
        self, caller: Caller, number: str
    ) -> None:
        path = f"/v1/companies/{await caller.create_company()}/state-registrations"
        for state, length in (("MG", "13"), ("BA", "8 ou 9")):
            answer = await caller.http.post(path, json={"state": state, "number": number})
            message = f"Inscrição estadual inválida: a de {state} tem {length} dígitos."
            assert fields_of(answer) == {"number": message}


class TestTheOnlyCompany:
    async def test_only_company_is_read_and_changed_without_its_id(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        body = {"tradeName": "Nova", "settings": {"nfce": {"active": True}}}
        changed = data_of(await caller.http.put("/v1/company", json=body))
        assert (changed["id"], changed["tradeName"]) == (company_id, "Nova")
        assert changed["settings"]["nfce"]["active"] is True
        assert data_of(await caller.http.get("/v1/company")) == changed

    async def test_only_company_is_404_without_companies(self, caller: Caller) -> None:
        assert (await caller.http.get("/v1/company")).status_code == 404

    async def test_only_company_is_ambiguous_with_several_companies(self, caller: Caller) -> None:
        await caller.create_company(CNPJ)
        await caller.create_company(OTHER_CNPJ)
        for method, path in [("GET", ""), ("PUT", ""), ("GET", "/certificate"), ("DELETE", "/certificate")]:
            answer = await caller.http.request(method, f"/v1/company{path}")
            assert (answer.status_code, code_of(answer)) == (409, "COMPANY_AMBIGUOUS")

    async def test_only_company_writes_settings_and_fields_together_or_not_at_all(
        self, caller: Caller
    ) -> None:
        await caller.create_company()
        body = {"tradeName": "Nova", "settings": {"nfe": {"series": 890}}}
        answer = await caller.http.put("/v1/company", json=body)
        assert list(fields_of(answer)) == ["settings.nfe.series"]
        assert data_of(await caller.http.get("/v1/company"))["tradeName"] is None
