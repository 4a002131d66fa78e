"""The lists of the control API: requests, documents, events, registers."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from cryptography import x509
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.ledger import DocumentStatus, Ledger
from carimbo.simulator.program.site import Site
from carimbo.simulator.program.triggers import TRIGGERS
from carimbo.simulator.registers import Contributors, SecurityCodes
from support import CNPJ
from unit.simulator.sample_family import (
    CONTRIBUTOR,
    KEY,
    NOW,
    OTHER_KEY,
    control,
    keep_event,
    keep_range,
    read_json,
    refusal,
    send,
    switch,
    write_json,
)

NAMESPACE = "{http://www.portalfiscal.inf.br/nfe}"


class TestCalendar:
    async def test_calendar_shows_each_date_beside_the_built_in_one(self, site: Site) -> None:
        switch(site, calendar={"groupRequiredInProduction": "2027-01-04"})
        rows = {row["name"]: (row["since"], row["builtIn"]) for row in await read_json(site, "/calendar")}
        assert rows["groupRequiredInProduction"] == ("2027-01-04", None)
        assert rows["returnedItemReferences"] == ("2026-11-16", "2026-11-16")


class TestJournal:
    async def test_journal_shows_a_request(self, site: Site) -> None:
        await send(site, "SIMULA:RESPOSTA_PERDIDA")
        [row] = await read_json(site, "/journal")
        assert row == {
            "id": 1,
            "at": NOW.isoformat(),
            "authorizer": "SP",
            "environment": "homologation",
            "service": "NFeAutorizacao4",
            "subject": KEY,
            "keys": [KEY],
            "taxpayer": "",
            "bytes": 68,
            "digest": sha256(f"{KEY} SIMULA:RESPOSTA_PERDIDA".encode()).hexdigest(),
            "status": 0,
            "code": "100",
            "message": "text of 100",
            "fault": "SIMULA:RESPOSTA_PERDIDA",
        }

    async def test_journal_can_be_filtered_and_paged(self, site: Site) -> None:
        for key in (KEY, OTHER_KEY, KEY, f"{OTHER_KEY},{KEY}"):
            await send(site, key=key)

        async def ids(query: str) -> list[int]:
            return [row["id"] for row in await read_json(site, "/journal", query)]

        assert await ids(f"subject={KEY}") == [1, 3]
        assert await ids(f"key={KEY}") == [1, 3, 4]
        assert await ids(f"key={OTHER_KEY}&subject=lote+77") == [4]
        assert await ids("after=1&limit=1") == [2]
        assert await ids("limit=1") == [4]
        assert await ids("service=NFeStatusServico4") == []

    async def test_journal_shows_requests_to_unknown_services(self, site: Site) -> None:
        await send(site, path="/xx/nfe/Nada")
        [row] = await read_json(site, "/journal")
        assert (row["status"], row["authorizer"], row["environment"]) == (404, "", "")

    @pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after=-1", "after=" + "9" * 30])
    async def test_journal_refuses_invalid_numbers(self, site: Site, query: str) -> None:
        assert (await refusal(site, "GET", "/journal", query=query))[0] == 400


class TestDocuments:
    async def test_documents_are_listed_newest_first(self, site: Site) -> None:
        await send(site)
        await send(site, key=OTHER_KEY)
        Ledger(site.store).change_status(HOMOLOGATION, KEY, DocumentStatus.CANCELED)
        newest, oldest = await read_json(site, "/documents")
        assert (newest["accessKey"], newest["status"]) == (OTHER_KEY, "authorized")
        assert (oldest["accessKey"], oldest["status"]) == (KEY, "canceled")
        assert (oldest["number"], oldest["series"], oldest["authorizer"]) == (1, 1, "SP")
        assert (oldest["protocol"], oldest["receivedAt"]) == ("135260000000001", NOW.isoformat())
        assert (oldest["environment"], "xml" in oldest) == ("homologation", False)

    async def test_document_is_returned_with_its_protocol(self, site: Site) -> None:
        await send(site)
        reply = await control(site, "GET", f"/documents/{KEY}.xml")
        root = etree.fromstring(reply.body)
        assert (root.tag, root.get("versao")) == (f"{NAMESPACE}nfeProc", "4.00")
        assert [child.tag for child in root] == [f"{NAMESPACE}NFe", f"{NAMESPACE}protNFe"]
        assert reply.media_type == "application/xml; charset=utf-8"

    async def test_unknown_document_is_not_found(self, site: Site) -> None:
        assert (await refusal(site, "GET", f"/documents/{KEY}.xml"))[0] == 404


class TestEvents:
    async def test_events_are_listed_by_document(self, site: Site) -> None:
        keep_event(site, KEY, NOW)
        [shown] = await read_json(site, "/events", f"key={KEY}")
        assert (shown["type"], shown["code"], shown["registeredAt"]) == ("110111", "135", NOW.isoformat())
        assert await read_json(site, "/events", f"key={OTHER_KEY}") == []

    async def test_events_of_all_documents_are_listed_newest_first(self, site: Site) -> None:
        keep_event(site, KEY, NOW + timedelta(seconds=1))
        keep_event(site, OTHER_KEY, NOW)
        assert [event["accessKey"] for event in await read_json(site, "/events")] == [KEY, OTHER_KEY]
        assert [event["accessKey"] for event in await read_json(site, "/events", "limit=1")] == [KEY]


class TestInutilizations:
    async def test_voided_ranges_are_listed_newest_first(self, site: Site) -> None:
        keep_range(site, 5, NOW + timedelta(seconds=1))
        keep_range(site, 9, NOW)
        newest, oldest = await read_json(site, "/voided-ranges")
        assert (newest["firstNumber"], newest["lastNumber"], oldest["firstNumber"]) == (5, 6, 9)
        assert [voided["firstNumber"] for voided in await read_json(site, "/voided-ranges", "limit=1")] == [5]


class TestLists:
    async def test_triggers_are_listed(self, site: Site) -> None:
        shown = await read_json(site, "/triggers")
        assert [trigger["name"] for trigger in shown] == [trigger.name for trigger in TRIGGERS]
        assert shown[0] == {
            "name": "REJEICAO",
            "argument": "código de uma rejeição",
            "example": "SIMULA:REJEICAO:539",
            "effect": "Recusa com esse código e o texto oficial dele; nada fica guardado.",
            "judged": False,
            "everyTime": True,
        }

    async def test_authorizers_have_their_state_and_services(self, site: Site) -> None:
        switch(site, outages={"SP": "108"}, contingency={"SVCRS": "off"})
        shown = {authorizer.pop("name"): authorizer for authorizer in await read_json(site, "/authorizers")}
        services = {"nfe": ["NFeAutorizacao4"]}
        assert shown["SP"] == {"state": "108", "contingency": None, "services": services}
        assert shown["SVCAN"] == {"state": "up", "contingency": "auto", "services": services}
        assert shown["SVCRS"]["contingency"] == "off"
        assert shown["SVRS"]["contingency"] == "auto"

    async def test_trusted_authorities_are_downloadable(self, site: Site, authority: SampleAuthority) -> None:
        reply = await control(site, "GET", "/ca.pem")
        assert x509.load_pem_x509_certificates(reply.body) == [authority.certificate]


class TestContributors:
    async def test_contributors_are_stored_and_listed(self, site: Site) -> None:
        [shown] = await write_json(site, "PUT", "/contributors", [CONTRIBUTOR | {"isActive": False}])
        assert shown == shown | CONTRIBUTOR | {"isActive": False, "tradeName": ""}
        assert await read_json(site, "/contributors") == [shown]
        [kept] = Contributors(site.store).of_tax_id("SP", CNPJ)
        assert (kept.name, kept.is_active) == ("LOJA MODELO LTDA", False)

    async def test_contributor_replaces_an_existing_one(self, site: Site) -> None:
        await write_json(site, "PUT", "/contributors", [CONTRIBUTOR])
        [shown] = await write_json(site, "PUT", "/contributors", [CONTRIBUTOR | {"name": "OUTRO NOME"}])
        assert shown["name"] == "OUTRO NOME"

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ({}, "O corpo deve ser uma lista JSON."),
            (["x"], "Cada registro deve ser um objeto."),
            ([CONTRIBUTOR | {"name": "x\u0001y"}], "name: deve ser um texto sem caracteres de controle."),
            ([CONTRIBUTOR, CONTRIBUTOR | {"name": 5}], "name: deve ser um texto sem caracteres de controle."),
            (
                [CONTRIBUTOR | {"isActive": 1, "nada": 1}],
                "nada: este campo não existe. isActive: deve ser true ou false.",
            ),
            (
                [{"state": "SP", "taxId": CNPJ, "name": "X"}],
                "registration: deve ser um texto sem caracteres de controle.",
            ),
        ],
    )
    async def test_contributors_are_refused_all_together(
        self, site: Site, body: object, message: str
    ) -> None:
        sent = json.dumps(body).encode()
        assert await refusal(site, "PUT", "/contributors", body=sent) == (400, message)
        assert await read_json(site, "/contributors") == []


class TestSecurityCodes:
    async def test_security_codes_are_stored_and_listed(self, site: Site) -> None:
        code = {"issuer": CNPJ, "id": 2, "token": "ABC"}
        assert await write_json(site, "PUT", "/security-codes", [code]) == [code]
        assert await read_json(site, "/security-codes") == [code]
        assert SecurityCodes(site.store).token(CNPJ, 2) == "ABC"

    @pytest.mark.parametrize("id_", [True, "2", 1.5, 2**63, None])
    async def test_security_code_needs_an_integer_id(self, site: Site, id_: object) -> None:
        body = json.dumps([{"issuer": CNPJ, "id": id_, "token": "ABC"}]).encode()
        assert await refusal(site, "PUT", "/security-codes", body=body) == (
            400,
            "id: deve ser um número inteiro.",
        )


class TestCities:
    async def test_cities_are_listed_with_the_default_for_all_others(self, site: Site) -> None:
        others, *named = await read_json(site, "/cities")
        assert (others["code"], others["hasAgreement"], others["hasNationalEmitter"]) == ("", True, True)
        shown = {city["name"]: (city["hasAgreement"], city["hasNationalEmitter"]) for city in named}
        assert shown["Campinas/SP"] == (True, True)
        assert shown["Porto Alegre/RS"] == (True, False)
        assert shown["Brasília/DF"] == (False, False)

    async def test_iss_rates_of_cities_are_listed(self, site: Site) -> None:
        rates = await read_json(site, "/iss-rates")
        assert {"cityCode": "", "services": "01", "rate": "2.00"} in rates
