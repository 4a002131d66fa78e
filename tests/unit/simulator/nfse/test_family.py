"""Everything around the Sefin: addresses, triggers, switches, and the journal."""

import hashlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.http import HTML, ConnectionClosed, Reply, Request
from carimbo.simulator.nfse.family import NFSE
from carimbo.simulator.program.control_api import ControlApi
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.simulator.mutating import Edit, says
from unit.simulator.nfe.sefaz_client import der
from unit.simulator.nfse.declaring import CAMPINAS, NAMESPACE
from unit.simulator.nfse.sefin import ADN, SEFIN, Sefin, body_of, id_in
from unit.simulator.rules.edits import grown

SERVICE = "infDPS/serv/cServ"


def switch(sefin: Sefin, **changes: Any) -> None:
    sefin.site.switches.change(changes, sefin.now)


def with_notes(text: str) -> Edit:
    """Adds free text (`xInfComp`) to a declaration."""
    return grown(SERVICE, f"<infoCompl><xInfComp>{text}</xInfComp></infoCompl>")


class TestAddresses:
    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", f"{SEFIN}/nfse", 405),
            ("HEAD", f"{SEFIN}/nfse", 405),
            ("POST", f"{SEFIN}/dps/x", 405),
            ("HEAD", f"{SEFIN}/nfse/x", 405),
            ("GET", f"{SEFIN}/nada", 404),
            ("GET", f"{SEFIN}/nfse/x/y", 404),
            ("GET", "/sefin/nfse/parametrizacao/3509502/convenio", 404),
            ("GET", "/adn/nfse/SefinNacional/dps/x", 404),
            ("GET", "/sp/nfse/SefinNacional/dps/x", 404),
            ("POST", "/sefin/nfe/NFeAutorizacao4", 404),
            ("DELETE", f"{SEFIN}/nfse", 405),
        ],
    )
    async def test_unknown_address_or_method_is_refused(
        self, method: str, path: str, status: int, sefin: Sefin
    ) -> None:
        assert (await sefin.ask(method, path)).status == status

    @pytest.mark.parametrize("path", [SEFIN, "/SEFIN/nfse/sefinnacional", f"{SEFIN}/"])
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    async def test_address_of_a_service_lists_its_resources(
        self, method: str, path: str, sefin: Sefin
    ) -> None:
        answer = await sefin.ask(method, path)
        lines = answer.reply.body.decode().splitlines()
        assert answer.status == 200
        assert "POST /nfse" in lines
        assert "GET /{municipio}/convenio" not in lines
        assert sefin.entries() == []

    async def test_address_of_a_service_accepts_no_requests(self, sefin: Sefin) -> None:
        assert (await sefin.ask("POST", SEFIN)).status == 404
        assert [entry.status for entry in sefin.entries()] == [404]

    async def test_services_are_listed_for_people(self, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", "/")
        lines = answer.reply.body.decode().splitlines()
        assert "/sefin/nfse: SefinNacional" in lines
        assert "/adn/nfse: contribuintes, parametrizacao" in lines

    async def test_soap_services_have_no_resources(self, sefin: Sefin) -> None:
        assert (await sefin.ask("GET", "/sp/nfe/NFeAutorizacao4")).status == 200
        assert (await sefin.ask("GET", "/sp/nfe/NFeAutorizacao4/nfse")).status == 404


class TestTriggers:
    @pytest.mark.parametrize(
        "edit",
        [
            says(f"{SERVICE}/xDescServ", "AULA SIMULA:REJEICAO:E0617"),
            says("infDPS/toma/xNome", "SIMULA:REJEICAO:E0617"),
            with_notes("SIMULA:REJEICAO:E0617"),
        ],
    )
    async def test_rejection_trigger_refuses_with_any_code_of_the_table(
        self, edit: Edit, sefin: Sefin
    ) -> None:
        xml = sefin.declaration("simples", edit)
        for _ in range(2):
            answer = await sefin.post(xml)
            assert (answer.status, answer.codes) == (400, ["E0617"])
            assert answer.body["idDPS"] == id_in(xml)
            assert answer.body["erros"][0]["Descricao"].startswith("Não é permitido informar alíquota")
        entry = sefin.entries()[-1]
        assert (entry.code, entry.fault) == ("E0617", "SIMULA:REJEICAO:E0617")
        assert not sefin.knows(id_in(xml))

    @pytest.mark.parametrize("code", ["E9999", "E0000", "539", "100", "107"])
    async def test_rejection_trigger_with_a_code_of_no_refusal_is_ignored(
        self, code: str, sefin: Sefin
    ) -> None:
        assert (await sefin.issue("simples", with_notes(f"SIMULA:REJEICAO:{code}"))).status == 201
        assert not NFSE.can_refuse_with(code)

    @pytest.mark.parametrize("code", ["E0014", "E0617", "E1206", "108", "109"])
    def test_every_error_can_be_triggered(self, code: str) -> None:
        assert NFSE.can_refuse_with(code)

    async def test_rejection_trigger_in_a_reason_refuses_the_event(self, sefin: Sefin) -> None:
        key = (await sefin.issue()).access_key
        answer = await sefin.cancel(key, reason="Engano SIMULA:REJEICAO:E0822")
        assert (answer.status, answer.body["erro"][0]["codigo"]) == (400, "E0822")
        assert sefin.ledger.events(HOMOLOGATION, key) == []

    @pytest.mark.parametrize("code", ["108", "109"])
    async def test_outage_trigger_acts_once(self, code: str, sefin: Sefin) -> None:
        xml = sefin.declaration("simples", with_notes(f"SIMULA:FORA_DO_AR:{code}"))
        first, second = await sefin.post(xml), await sefin.post(xml)
        assert (first.status, first.reply.media_type, second.status) == (503, HTML, 201)
        assert [entry.code for entry in sefin.entries()] == [code, "100"]

    async def test_server_failure_trigger_answers_in_the_form_of_the_sefin(self, sefin: Sefin) -> None:
        xml = sefin.declaration("simples", with_notes("SIMULA:FALHA_SOAP"))
        first, second = await sefin.post(xml), await sefin.post(xml)
        assert first.status == 500
        assert first.body["erros"][0]["Codigo"] == "RNG9999"
        assert second.status == 201

    async def test_lost_answer_trigger_stores_the_note(self, sefin: Sefin) -> None:
        xml = sefin.declaration("simples", with_notes("SIMULA:RESPOSTA_PERDIDA"))
        body = body_of(xml)
        assert await sefin.call("POST", f"{SEFIN}/nfse", body) == ConnectionClosed()
        assert sefin.knows(id_in(xml))
        assert (await sefin.post(xml)).codes == ["E0014"]
        answer = await sefin.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert answer.access_key == sefin.ledger.documents()[0].access_key
        first, *_ = sefin.entries()
        assert (first.status, first.code, first.fault) == (0, "100", "SIMULA:RESPOSTA_PERDIDA")
        assert first.keys == (answer.access_key,)

    async def test_answers_can_be_cut_or_empty(self, sefin: Sefin) -> None:
        cut = await sefin.post(sefin.declaration("simples", with_notes("SIMULA:CORTADA")))
        empty = await sefin.post(sefin.declaration("simples", with_notes("SIMULA:RESPOSTA_VAZIA")))
        assert (cut.status, cut.reply.cut) == (201, True)
        assert (empty.status, empty.reply.body) == (200, b"")
        assert len(sefin.ledger.documents()) == 2

    async def test_answers_can_be_web_pages(self, sefin: Sefin) -> None:
        page = await sefin.post(sefin.declaration("simples", with_notes("SIMULA:HTML")))
        failure = await sefin.post(sefin.declaration("simples", with_notes("SIMULA:HTTP:429")))
        assert (page.status, failure.status) == (200, 429)
        assert page.reply.media_type == failure.reply.media_type == HTML

    async def test_delay_trigger_delays_the_answer(self, sefin: Sefin, slept: list[float]) -> None:
        await sefin.issue("simples", with_notes("SIMULA:DEMORA:5s"))
        assert slept == [5]


class TestSwitches:
    @pytest.mark.parametrize("authorizer", ["SEFIN", "ADN"])
    async def test_outage_switch_affects_all_services_of_an_authority(
        self, authorizer: str, sefin: Sefin
    ) -> None:
        switch(sefin, outages={authorizer: "109"})
        xml = sefin.declaration()
        issued = await sefin.post(xml)
        head = await sefin.ask("HEAD", f"{SEFIN}/dps/{id_in(xml)}")
        city = await sefin.ask("GET", f"{ADN}/{CAMPINAS}/convenio")
        gone = authorizer == "SEFIN"
        assert (issued.status, head.status, city.status) == ((503, 503, 200) if gone else (201, 200, 503))

    async def test_rules_can_be_switched_off(self, sefin: Sefin) -> None:
        xml = sefin.declaration("simples", says("infDPS/toma/email", "nenhum"))
        assert (await sefin.post(xml)).codes == ["E0247"]
        switch(sefin, rulesOff=["E0247", "610"])
        assert (await sefin.post(xml)).status == 201

    async def test_duplicate_rule_of_declarations_can_be_switched_off(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        first = await sefin.post(xml)
        switch(sefin, rulesOff=["E0014"])
        assert (await sefin.post(xml)).status == 201
        answer = await sefin.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert answer.access_key == first.access_key

    async def test_duplicate_rule_of_events_can_be_switched_off(self, sefin: Sefin) -> None:
        key = (await sefin.issue()).access_key
        await sefin.cancel(key)
        switch(sefin, rulesOff=["E0840"])
        assert (await sefin.cancel(key)).status == 201
        assert len(sefin.ledger.events(HOMOLOGATION, key)) == 1

    async def test_clock_can_be_changed(self, sefin: Sefin) -> None:
        key = (await sefin.issue("simples", says("infDPS/cLocEmi", CAMPINAS))).access_key
        switch(sefin, clockOffsetSeconds=31 * 86_400)
        assert (await sefin.cancel(key)).codes == ["E0822"]

    async def test_answers_to_queries_can_be_lost(self, sefin: Sefin) -> None:
        switch(sefin, lostAnswers=1)
        assert await sefin.call("HEAD", f"{SEFIN}/dps/x") == ConnectionClosed()

    async def test_every_answer_can_be_delayed(self, sefin: Sefin, slept: list[float]) -> None:
        switch(sefin, latencySeconds=2)
        await sefin.ask("GET", f"{ADN}/{CAMPINAS}/convenio")
        assert slept == [2]


class TestJournal:
    async def test_journal_entry_has_bytes_owner_and_key(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        body = body_of(xml)
        answer = await sefin.ask("POST", f"{SEFIN}/nfse", body)
        [entry] = sefin.entries()
        assert (entry.authorizer, entry.environment, entry.service) == ("SEFIN", HOMOLOGATION, "POST /nfse")
        assert (entry.subject, entry.keys, entry.taxpayer) == (id_in(xml), (answer.access_key,), CNPJ)
        assert (entry.digest, entry.bytes) == (hashlib.sha256(body).hexdigest(), len(body))
        assert (entry.status, entry.code, entry.message) == (201, "100", "NFS-e Gerada")

    async def test_journal_entry_has_every_error(self, sefin: Sefin) -> None:
        wrong = [says("infDPS/serie", "50000"), says("infDPS/toma/email", "nenhum")]
        await sefin.post(sefin.declaration("simples", *wrong))
        [entry] = sefin.entries()
        assert entry.code == "E0010"
        assert "A série informada" in entry.message
        assert "Email inválido." in entry.message

    async def test_journal_entry_of_an_unreadable_request_has_no_subject(self, sefin: Sefin) -> None:
        await sefin.post_packed("x")
        [entry] = sefin.entries()
        assert (entry.subject, entry.code) == ("", "E1225")


class TestControl:
    async def test_control_api_returns_and_lists_the_note(self, sefin: Sefin) -> None:
        answer = await sefin.issue()
        request = Request("GET", f"/documents/{answer.access_key}.xml", "", {"host": "localhost"}, b"", None)
        reply = await ControlApi(sefin.site).answer(request)
        assert isinstance(reply, Reply)
        assert reply.status == 200
        assert reply.body.startswith(f'<NFSe xmlns="{NAMESPACE}"'.encode())
        assert answer.access_key.encode() in reply.body


class TestRestart:
    async def test_restart_keeps_notes_numbers_and_events(
        self,
        tmp_path: Path,
        trust: TrustedAuthorities,
        signer: Signer,
        lasting_certificate: SampleCertificate,
    ) -> None:
        file, certificate = tmp_path / "simulator.sqlite", der(lasting_certificate)
        with closing(Store.open(file)) as store:
            before = Sefin(store, trust, signer, certificate)
            xml = before.declaration()
            key = (await before.post(xml)).access_key
            await before.cancel(key)
        with closing(Store.open(file)) as store:
            after = Sefin(store, trust, signer, certificate, numbers=[200])
            assert (await after.post(xml)).codes == ["E0014"]
            assert (await after.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")).access_key == key
            assert (await after.cancel(key)).codes == ["E0840"]
            assert (await after.issue()).text("infNFSe/nNFSe") == "2"
