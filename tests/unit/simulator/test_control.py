"""The control API, as the operator and the page call it."""

import json
import re
from base64 import b64encode
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from cryptography import x509
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.control import ROUTES
from carimbo.simulator.controls import Controls
from carimbo.simulator.http import Reply
from carimbo.simulator.ledger import Ledger, StoredEvent, VoidedRange
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.records import names_of
from carimbo.simulator.security_codes import SecurityCode, SecurityCodes
from carimbo.simulator.site import Site
from carimbo.simulator.triggers import TRIGGERS
from support import CNPJ
from unit.simulator.front_desk import KEY, NOW, OTHER_KEY, code_sent, control, holds, send, switch

JSON_HERE = {"host": "127.0.0.1:8444", "content-type": "application/json; charset=utf-8"}
CONTRIBUTOR = {"state": "SP", "taxId": CNPJ, "registration": "110042490114", "name": "LOJA MODELO LTDA"}
NAMESPACE = "{http://www.portalfiscal.inf.br/nfe}"


async def seen(site: Site, path: str, query: str = "") -> Any:
    return _data(await control(site, "GET", path, query=query))


async def written(site: Site, method: str, path: str, body: object) -> Any:
    return _data(await control(site, method, path, body=json.dumps(body).encode(), headers=JSON_HERE))


async def refusal(site: Site, method: str, path: str, **changes: Any) -> tuple[int, str]:
    reply = await control(site, method, path, **changes)
    assert reply.media_type == "application/json"
    problem = json.loads(reply.body)
    assert set(problem) == {"error"}
    return reply.status, problem["error"]


def _data(reply: Reply) -> Any:
    assert (reply.status, reply.media_type) == (200, "application/json"), reply.body
    return json.loads(reply.body)


def keep_event(site: Site, key: str, at: datetime) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=key,
        type="110111",
        sequence=1,
        author=CNPJ,
        authorizer="SP",
        registered_at=at,
        code="135",
        protocol="135260000000002",
        xml=b"<evento/>",
        answer_xml=b"<retEvento/>",
    )
    Ledger(site.store).keep_event(event)


def keep_range(site: Site, first: int, at: datetime) -> None:
    voided = VoidedRange(
        environment=HOMOLOGATION,
        state_code="35",
        issuer=CNPJ,
        model="55",
        series=1,
        year="26",
        first_number=first,
        last_number=first + 1,
        authorizer="SP",
        received_at=at,
        protocol="135260000000003",
    )
    Ledger(site.store).keep_range(voided)


class TestGuard:
    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8444", "127.0.0.1:8444", "[::1]:8444"])
    async def test_lets_this_machine_in(self, site: Site, host: str) -> None:
        assert (await control(site, "GET", "/controls", headers={"host": host})).status == 200

    @pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil:8444"])
    async def test_keeps_out_whoever_calls_it_by_another_name(self, site: Site, host: str) -> None:
        status, message = await refusal(site, "GET", "/controls", headers={"host": host})
        assert (status, "localhost" in message) == (403, True)

    @pytest.mark.parametrize("media_type", ["", "text/plain", "application/x-www-form-urlencoded"])
    @pytest.mark.parametrize(
        ("method", "path"),
        [("PATCH", "/controls"), ("POST", "/reset"), ("PUT", "/contributors"), ("PUT", "/security-codes")],
    )
    async def test_writes_only_what_no_other_site_can_send(
        self, site: Site, method: str, path: str, media_type: str
    ) -> None:
        headers = {"host": "localhost", "content-type": media_type}
        status, _ = await refusal(site, method, path, headers=headers, body=b'{"what": "everything"}')
        assert status == 415

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"\\ud800": 1}', b'{"seed": "\xed\xa0\x80"}']
    )
    async def test_refuses_what_is_no_json(self, site: Site, body: bytes) -> None:
        assert await refusal(site, "PATCH", "/controls", body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(
        ("path", "record"),
        [
            ("/contributors", CONTRIBUTOR | {"name": "\ud83d"}),
            ("/security-codes", {"issuer": CNPJ, "id": 2, "token": "\udc00"}),
        ],
    )
    async def test_refuses_halves_of_characters(
        self, site: Site, path: str, record: dict[str, object]
    ) -> None:
        body = json.dumps([record]).encode()
        assert await refusal(site, "PUT", path, body=body) == (400, "O corpo não é um JSON.")

    @pytest.mark.parametrize(("method", "path"), [("PATCH", "/controls"), ("POST", "/reset")])
    async def test_refuses_json_of_another_form(self, site: Site, method: str, path: str) -> None:
        assert (await refusal(site, method, path, body=b"[]"))[0] == 400

    async def test_unknown_addresses_tell_which_there_are(self, site: Site) -> None:
        status, message = await refusal(site, "GET", "/nada")
        assert (status, "/controls, /journal" in message) == (404, True)

    async def test_unknown_parameters_are_refused(self, site: Site) -> None:
        told = await refusal(site, "GET", "/journal", query="keys=1&limit=5")
        assert told == (400, "Este endereço não tem o parâmetro keys.")

    @pytest.mark.parametrize("path", ["/", "/controls", "/reset", f"/documents/{KEY}.xml"])
    async def test_other_methods_tell_which_there_are(self, site: Site, path: str) -> None:
        assert (await refusal(site, "DELETE", path))[0] == 405


class TestControls:
    async def test_are_shown_with_the_clock(self, site: Site) -> None:
        shown = await seen(site, "/controls")
        assert shown["now"] == NOW.isoformat()
        assert (shown["outages"], shown["limits"], shown["seed"]) == ({}, True, 0)

    async def test_are_changed_for_the_next_request(self, site: Site) -> None:
        shown = await written(site, "PATCH", "/controls", {"outages": {"SP": "109"}})
        assert shown["outages"] == {"SP": "109"}
        assert await code_sent(site) == "109"

    async def test_tell_all_that_is_wrong(self, site: Site) -> None:
        body = json.dumps({"failures": 2, "nada": 1}).encode()
        status, message = await refusal(site, "PATCH", "/controls", body=body)
        assert status == 400
        assert message == "failures: deve ser um número de 0 a 1. nada: este controle não existe."

    async def test_switch_off_only_rules_that_some_family_has(self, site: Site) -> None:
        assert (await written(site, "PATCH", "/controls", {"rulesOff": ["610"]}))["rulesOff"] == ["610"]
        body = b'{"rulesOff": ["610", "9999"]}'
        told = await refusal(site, "PATCH", "/controls", body=body)
        assert told == (400, "rulesOff: nenhuma regra tem o código 9999.")


class TestReset:
    async def test_of_the_controls_keeps_the_documents(self, site: Site) -> None:
        await send(site)
        switch(site, failures=1)
        shown = await written(site, "POST", "/reset", {"what": "controls"})
        assert shown["failures"] == 0
        assert holds(site)

    async def test_of_everything_forgets_everything(self, site: Site) -> None:
        await send(site)
        switch(site, outages={"RS": "108"})
        await written(site, "POST", "/reset", {"what": "everything"})
        assert (site.switches.read(), site.journal.entries(), holds(site)) == (Controls(), [], False)
        assert await code_sent(site) == "100"

    async def test_of_anything_else_is_refused(self, site: Site) -> None:
        status, _ = await refusal(site, "POST", "/reset", body=b'{"what": "all"}')
        assert status == 400


class TestJournal:
    async def test_shows_what_was_sent(self, site: Site) -> None:
        await send(site, "SIMULA:RESPOSTA_PERDIDA")
        [row] = await seen(site, "/journal")
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

    async def test_can_be_asked_for_a_part(self, site: Site) -> None:
        for key in (KEY, OTHER_KEY, KEY, f"{OTHER_KEY},{KEY}"):
            await send(site, key=key)

        async def ids(query: str) -> list[int]:
            return [row["id"] for row in await seen(site, "/journal", query)]

        assert await ids(f"subject={KEY}") == [1, 3]
        assert await ids(f"key={KEY}") == [1, 3, 4]
        assert await ids(f"key={OTHER_KEY}&subject=lote+77") == [4]
        assert await ids("after=1&limit=1") == [2]
        assert await ids("limit=1") == [4]
        assert await ids("service=NFeStatusServico4") == []

    async def test_shows_requests_that_found_no_service(self, site: Site) -> None:
        await send(site, path="/xx/nfe/Nada")
        [row] = await seen(site, "/journal")
        assert (row["status"], row["authorizer"], row["environment"]) == (404, "", "")

    @pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "after=-1", "after=" + "9" * 30])
    async def test_refuses_numbers_that_are_none(self, site: Site, query: str) -> None:
        assert (await refusal(site, "GET", "/journal", query=query))[0] == 400


class TestDocuments:
    async def test_are_listed_newest_first(self, site: Site) -> None:
        await send(site)
        await send(site, key=OTHER_KEY)
        Ledger(site.store).cancel_document(HOMOLOGATION, KEY)
        newest, oldest = await seen(site, "/documents")
        assert (newest["accessKey"], newest["status"]) == (OTHER_KEY, "authorized")
        assert (oldest["accessKey"], oldest["status"]) == (KEY, "canceled")
        assert (oldest["number"], oldest["series"], oldest["authorizer"]) == (1, 1, "SP")
        assert (oldest["protocol"], oldest["receivedAt"]) == ("135260000000001", NOW.isoformat())
        assert (oldest["environment"], "xml" in oldest) == ("homologation", False)

    async def test_are_given_with_their_protocol(self, site: Site) -> None:
        await send(site)
        reply = await control(site, "GET", f"/documents/{KEY}.xml")
        root = etree.fromstring(reply.body)
        assert (root.tag, root.get("versao")) == (f"{NAMESPACE}nfeProc", "4.00")
        assert [child.tag for child in root] == [f"{NAMESPACE}NFe", f"{NAMESPACE}protNFe"]
        assert reply.media_type == "application/xml; charset=utf-8"

    async def test_that_are_unknown_are_told_so(self, site: Site) -> None:
        assert (await refusal(site, "GET", f"/documents/{KEY}.xml"))[0] == 404


class TestEvents:
    async def test_are_listed_by_document(self, site: Site) -> None:
        keep_event(site, KEY, NOW)
        [shown] = await seen(site, "/events", f"key={KEY}")
        assert (shown["type"], shown["code"], shown["registeredAt"]) == ("110111", "135", NOW.isoformat())
        assert await seen(site, "/events", f"key={OTHER_KEY}") == []

    async def test_of_all_documents_are_listed_newest_first(self, site: Site) -> None:
        keep_event(site, KEY, NOW + timedelta(seconds=1))
        keep_event(site, OTHER_KEY, NOW)
        assert [one["accessKey"] for one in await seen(site, "/events")] == [KEY, OTHER_KEY]
        assert [one["accessKey"] for one in await seen(site, "/events", "limit=1")] == [KEY]


class TestVoidedRanges:
    async def test_are_listed_newest_first(self, site: Site) -> None:
        keep_range(site, 5, NOW + timedelta(seconds=1))
        keep_range(site, 9, NOW)
        newest, oldest = await seen(site, "/voided-ranges")
        assert (newest["firstNumber"], newest["lastNumber"], oldest["firstNumber"]) == (5, 6, 9)
        assert [one["firstNumber"] for one in await seen(site, "/voided-ranges", "limit=1")] == [5]


class TestLists:
    async def test_of_triggers_is_the_table(self, site: Site) -> None:
        shown = await seen(site, "/triggers")
        assert [one["name"] for one in shown] == [one.name for one in TRIGGERS]
        assert shown[0] == {
            "name": "REJEICAO",
            "argument": "código de uma rejeição",
            "example": "SIMULA:REJEICAO:539",
            "effect": "Recusa com esse código e o texto oficial dele; nada fica guardado.",
            "judged": False,
            "everyTime": True,
        }

    async def test_of_authorizers_has_their_state_and_services(self, site: Site) -> None:
        switch(site, outages={"SP": "108"}, contingency={"SVCRS": "off"})
        shown = {one.pop("name"): one for one in await seen(site, "/authorizers")}
        services = {"nfe": ["NFeAutorizacao4"]}
        assert shown["SP"] == {"state": "108", "contingency": None, "services": services}
        assert shown["SVCAN"] == {"state": "up", "contingency": "auto", "services": services}
        assert shown["SVCRS"]["contingency"] == "off"

    async def test_of_authorities_is_what_the_simulator_believes(
        self, site: Site, authority: SampleAuthority
    ) -> None:
        reply = await control(site, "GET", "/ca.pem")
        assert x509.load_pem_x509_certificates(reply.body) == [authority.certificate]


class TestContributors:
    async def test_are_entered_and_listed(self, site: Site) -> None:
        [shown] = await written(site, "PUT", "/contributors", [CONTRIBUTOR | {"isActive": False}])
        assert shown == shown | CONTRIBUTOR | {"isActive": False, "tradeName": ""}
        assert await seen(site, "/contributors") == [shown]
        [kept] = Contributors(site.store).of_tax_id("SP", CNPJ)
        assert (kept.name, kept.is_active) == ("LOJA MODELO LTDA", False)

    async def test_replace_what_was_known(self, site: Site) -> None:
        await written(site, "PUT", "/contributors", [CONTRIBUTOR])
        [shown] = await written(site, "PUT", "/contributors", [CONTRIBUTOR | {"name": "OUTRO NOME"}])
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
    async def test_are_refused_all_together(self, site: Site, body: object, message: str) -> None:
        sent = json.dumps(body).encode()
        assert await refusal(site, "PUT", "/contributors", body=sent) == (400, message)
        assert await seen(site, "/contributors") == []


class TestSecurityCodes:
    async def test_are_registered_and_listed(self, site: Site) -> None:
        code = {"issuer": CNPJ, "id": 2, "token": "ABC"}
        assert await written(site, "PUT", "/security-codes", [code]) == [code]
        assert await seen(site, "/security-codes") == [code]
        assert SecurityCodes(site.store).token(CNPJ, 2) == "ABC"

    @pytest.mark.parametrize("id_", [True, "2", 1.5, 2**63, None])
    async def test_need_a_number(self, site: Site, id_: object) -> None:
        body = json.dumps([{"issuer": CNPJ, "id": id_, "token": "ABC"}]).encode()
        assert await refusal(site, "PUT", "/security-codes", body=body) == (
            400,
            "id: deve ser um número inteiro.",
        )


class TestCities:
    async def test_are_told_with_the_one_that_stands_for_all_others(self, site: Site) -> None:
        others, *named = await seen(site, "/cities")
        assert (others["code"], others["hasAgreement"], others["hasNationalEmitter"]) == ("", True, True)
        shown = {one["name"]: (one["hasAgreement"], one["hasNationalEmitter"]) for one in named}
        assert shown["Campinas/SP"] == (True, True)
        assert shown["Porto Alegre/RS"] == (True, False)
        assert shown["Brasília/DF"] == (False, False)

    async def test_have_rates_that_are_told(self, site: Site) -> None:
        rates = await seen(site, "/iss-rates")
        assert {"cityCode": "", "services": "01", "rate": "2.00"} in rates


def fields_of(page: str, form: str) -> set[str]:
    """The names of the fields of a form."""
    [inside] = re.findall(rf"<form {form}.*?</form>", page, re.DOTALL)
    return set(re.findall(r'<input name="(\w+)"', inside))


class TestPage:
    async def test_is_a_page_in_portuguese(self, site: Site) -> None:
        reply = await control(site, "GET", "/")
        assert (reply.status, reply.media_type) == (200, "text/html; charset=utf-8")
        assert '<html lang="pt-BR">' in reply.body.decode()

    async def test_runs_only_its_own_script_and_style(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
        for tag in ("style", "script"):
            [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
            digest = b64encode(sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "default-src 'none'" in policy

    async def test_asks_for_nothing_from_elsewhere(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        assert re.findall(r"(?:https?:)?//[\w.]+\.\w+", page) == []

    async def test_asks_only_for_what_there_is(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        paths = set(re.findall(r'"(/[a-z.-]+)[?"]', page))
        assert paths >= {"/controls", "/journal", "/documents", "/authorizers", "/triggers", "/reset"}
        for path in paths:
            assert (await control(site, "GET", path)).status in {200, 405}, path

    async def test_has_a_field_for_every_control(self, site: Site) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        fields = fields_of(page, 'id="controls"')
        chosen_by_authorizer = {"outages", "contingency"}
        assert fields | chosen_by_authorizer == set(await seen(site, "/controls"))

    @pytest.mark.parametrize("kind", [Contributor, SecurityCode])
    async def test_has_a_form_with_all_that_an_entry_needs(self, site: Site, kind: type) -> None:
        page = (await control(site, "GET", "/")).body.decode()
        path = {Contributor: "/contributors", SecurityCode: "/security-codes"}[kind]
        names, fields = names_of(kind), fields_of(page, f'data-path="{path}"')
        assert {name for name, is_needed in names.items() if is_needed} <= fields <= set(names)


class TestRoutes:
    async def test_answer_with_the_names_that_they_tell(self, site: Site) -> None:
        await send(site)
        await written(site, "PUT", "/contributors", [CONTRIBUTOR])
        await written(site, "PUT", "/security-codes", [{"issuer": CNPJ, "id": 2, "token": "ABC"}])
        keep_event(site, KEY, NOW)
        keep_range(site, 5, NOW)
        told = {route.path: list(route.answers) for route in ROUTES if route.answers}
        assert told == {path: list((await seen(site, path))[0]) for path in told}
        assert set(told) >= {"/journal", "/documents", "/events", "/voided-ranges"}

    def test_say_what_they_do(self) -> None:
        assert [route.path for route in ROUTES if not route.about.endswith(".")] == []
        assert [route.path for route in ROUTES if (route.method == "GET") == bool(route.body)] == []
