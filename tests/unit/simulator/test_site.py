"""The site around the families: addresses, controls, and the journal."""

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.family import HOMOLOGATION, PRODUCTION
from carimbo.simulator.http import ConnectionClosed, Reply
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.program.site import Site
from carimbo.simulator.registry import FAMILIES
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.simulator.sample_family import (
    AT_SP,
    KEY,
    NONSENSE,
    NOW,
    OTHER_KEY,
    SampleFamily,
    code_sent,
    holds,
    last_entry,
    request,
    send,
    site_of,
    switch,
)


async def get(site: Site, path: str, query: str = "", host: str = "localhost:8443") -> Reply:
    reply = await site.answer(request("GET", path, query=query, headers={"host": host}))
    assert isinstance(reply, Reply)
    return reply


class TestAddresses:
    async def test_service_description_has_the_host_name_of_the_request(self, site: Site) -> None:
        shown = await get(site, AT_SP, "wsdl", host="sefaz.test:9443")
        assert (shown.status, shown.body.decode()) == (200, f"wsdl of https://sefaz.test:9443{AT_SP}")

    async def test_call_at_the_address_of_the_description_is_answered(self, site: Site) -> None:
        await site.answer(request(query="wsdl", body=KEY.encode()))
        assert holds(site)

    @pytest.mark.parametrize(
        "path", ["/", "/sp", "/xx/nfe/NFeAutorizacao4", "/sp/cte/NFeAutorizacao4", "/sp/nfe/Nada"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_unknown_address_lists_the_services(self, site: Site, method: str, path: str) -> None:
        reply = await site.answer(request(method, path, KEY.encode()))
        assert isinstance(reply, Reply)
        assert reply.status == 404
        lines = reply.body.decode().splitlines()
        assert lines[0] == "Não há nenhum serviço neste endereço."
        assert "/sp/nfe: NFeAutorizacao4" in lines
        assert "/svcan/nfe: NFeAutorizacao4" in lines

    async def test_authority_without_services_is_not_listed(self, site: Site) -> None:
        assert "/an/" not in (await get(site, "/")).body.decode()

    async def test_production_and_homologation_are_separate(self, site: Site) -> None:
        assert await code_sent(site) == "100"
        assert await code_sent(site, path=f"/producao{AT_SP}") == "100"
        assert [entry.environment for entry in site.journal.entries()] == [HOMOLOGATION, PRODUCTION]

    async def test_each_family_answers_under_its_own_name(
        self, store: Store, trust: TrustedAuthorities
    ) -> None:
        site = site_of(store, trust, (SampleFamily(), SampleFamily("nfce")))
        assert (await get(site, "/sp/nfce/NFeAutorizacao4")).status == 200
        assert site.directory["SP"] == {"nfe": ["NFeAutorizacao4"], "nfce": ["NFeAutorizacao4"]}

    async def test_family_may_allow_other_methods_where_it_has_no_description(
        self, store: Store, trust: TrustedAuthorities
    ) -> None:
        site = site_of(store, trust, (SampleFamily(methods=frozenset({"GET", "POST"})),))
        shown = await site.answer(request("GET", body=KEY.encode()))
        assert isinstance(shown, Reply)
        assert (shown.body[:7], holds(site), site.journal.entries()) == (b"wsdl of", False, [])
        reply = await site.answer(request("GET", f"{AT_SP}/resource", body=KEY.encode()))
        assert isinstance(reply, Reply)
        assert (reply.status, holds(site), last_entry(site).code) == (200, True, "100")

    def test_every_family_is_served_by_default(self, store: Store, trust: TrustedAuthorities) -> None:
        directory = Site(store, lambda: trust, lambda: NOW).directory
        assert directory["SEFIN"] == {"nfse": ["SefinNacional"]}
        assert directory["ADN"] == {"nfse": ["contribuintes", "parametrizacao"]}
        assert set(directory["SVRS"]) == {"nfe", "nfce", "cte", "cteos", "mdfe"}
        assert directory["SVRS"]["mdfe"] == [
            "MDFeConsNaoEnc",
            "MDFeConsulta",
            "MDFeRecepcaoEvento",
            "MDFeRecepcaoSinc",
            "MDFeStatusServico",
        ]
        assert directory["SVSP"] == {
            "cte": ["CTeConsultaV4", "CTeRecepcaoEventoV4", "CTeRecepcaoSincV4", "CTeStatusServicoV4"],
            "cteos": ["CTeConsultaV4", "CTeRecepcaoEventoV4", "CTeRecepcaoOSV4", "CTeStatusServicoV4"],
        }
        assert directory["AN"] == {
            "nfe": ["NFeDistribuicaoDFe", "NFeRecepcaoEvento4"],
            "cte": ["CTeDistribuicaoDFe"],
        }

    def test_every_issued_type_has_a_family(self) -> None:
        """Families have the names that the client uses."""
        families = {family.name for family in FAMILIES}
        assert {document_type.name.lower() for document_type in DOCUMENT_TYPES} == families

    async def test_other_methods_are_refused_with_the_allowed_ones(self, site: Site) -> None:
        reply = await site.answer(request("DELETE", body=KEY.encode()))
        assert isinstance(reply, Reply)
        assert (reply.status, site.journal.entries()) == (405, [])
        assert reply.body.decode() == "Este endereço aceita só GET, HEAD, POST.\n"


class TestJournalRow:
    async def test_journal_entry_has_the_digest_of_the_request_and_the_answer(self, site: Site) -> None:
        body = f"{KEY} Açaí".encode()
        await site.answer(request(body=body))
        entry = last_entry(site)
        assert entry.digest == hashlib.sha256(body).hexdigest()
        assert (entry.bytes, entry.at) == (len(body), NOW)
        assert (entry.authorizer, entry.environment, entry.service) == ("SP", HOMOLOGATION, "NFeAutorizacao4")
        assert (entry.subject, entry.code, entry.fault, entry.taxpayer) == (KEY, "100", "", "")
        assert (entry.keys, entry.status, entry.message) == ((KEY,), 200, "text of 100")

    async def test_journal_entry_of_a_lot_has_the_keys_of_all_its_documents(self, site: Site) -> None:
        await send(site, key=f"{KEY},{OTHER_KEY}")
        await send(site, key=KEY)
        first, second = site.journal.entries(key=KEY)
        assert (first.subject, first.keys) == ("lote 77", (KEY, OTHER_KEY))
        assert (second.subject, second.code, second.message) == (KEY, "204", "text of 204")
        assert site.journal.entries(key=OTHER_KEY) == [first]

    async def test_journal_entry_names_the_owner_of_the_certificate(
        self, site: Site, lasting_certificate: SampleCertificate
    ) -> None:
        der = lasting_certificate.certificate.public_bytes(Encoding.DER)
        await site.answer(request(body=KEY.encode(), certificate=der))
        assert last_entry(site).taxpayer == CNPJ

    async def test_journal_entry_is_written_for_invalid_requests(self, site: Site) -> None:
        reply = await site.answer(request(body=NONSENSE))
        assert reply == Reply(500, b"nonsense")
        entry = last_entry(site)
        assert (entry.service, entry.subject, entry.code) == ("NFeAutorizacao4", "", "")
        assert (entry.status, entry.message) == (500, "it makes no sense")
        assert entry.digest == hashlib.sha256(NONSENSE).hexdigest()

    @pytest.mark.parametrize(
        ("path", "authorizer", "service"),
        [
            ("/", "", ""),
            ("/xx/nfe/NFeAutorizacao4", "", ""),
            ("/sp/cte/CTeRecepcao4", "SP", "CTeRecepcao4"),
            ("/sp/nfe/Nada", "SP", "Nada"),
        ],
    )
    async def test_journal_entry_is_written_for_unknown_services(
        self, site: Site, path: str, authorizer: str, service: str
    ) -> None:
        await site.answer(request(path=path, body=KEY.encode()))
        entry = last_entry(site)
        assert (entry.authorizer, entry.service, entry.status) == (authorizer, service, 404)
        assert entry.message == f"Não há nenhum serviço em {path}"
        assert entry.digest == hashlib.sha256(KEY.encode()).hexdigest()

    async def test_journal_message_has_a_limited_length(self, site: Site) -> None:
        await site.answer(request(path="/" + "x" * 400))
        assert len(last_entry(site).message) == 255

    @pytest.mark.parametrize("path", ["/", AT_SP])
    async def test_journal_entry_is_not_written_for_descriptions(self, site: Site, path: str) -> None:
        await get(site, path)
        assert site.journal.entries() == []

    @pytest.mark.parametrize("step", ["read_call", "answer", "refuse"])
    async def test_journal_entry_is_written_when_the_family_fails(
        self, store: Store, trust: TrustedAuthorities, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(SampleFamily, step, fail)
        site = site_of(store, trust)
        with pytest.raises(ZeroDivisionError):
            await send(site, "SIMULA:REJEICAO:204" if step == "refuse" else "")
        entry = last_entry(site)
        assert (entry.service, entry.status, entry.code) == ("NFeAutorizacao4", 500, "")
        assert entry.message == "O simulador falhou ao responder: veja o registro dele."
        assert entry.keys == (() if step == "read_call" else (KEY,))

    async def test_journal_entry_and_document_are_stored_together_or_not_at_all(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(site.journal, "write", full)
        with pytest.raises(OSError, match="disk full"):
            await send(site)
        assert not holds(site)


class TestControls:
    @pytest.mark.parametrize("code", ["108", "109"])
    async def test_authorizer_out_of_service_says_so_and_judges_nothing(self, site: Site, code: str) -> None:
        switch(site, outages={"SP": code})
        assert await code_sent(site) == code
        assert not holds(site)
        assert (last_entry(site).code, last_entry(site).fault) == (code, "outages")

    async def test_other_authorizers_stay_in_service(self, site: Site) -> None:
        switch(site, outages={"SP": "109"})
        assert await code_sent(site, path="/svcan/nfe/NFeAutorizacao4") == "100"

    async def test_simulated_failure_stores_nothing(self, site: Site) -> None:
        switch(site, failures=1)
        reply = await send(site)
        assert isinstance(reply, Reply)
        assert reply.status == 503
        assert not holds(site)
        entry = last_entry(site)
        assert (entry.code, entry.fault, entry.status) == ("", "failures", 503)
        assert entry.message == "Serviço indisponível: falha sorteada pelo simulador."

    async def test_lost_answer_is_stored(self, site: Site) -> None:
        switch(site, lostAnswers=1)
        assert await send(site) == ConnectionClosed()
        assert holds(site)
        entry = last_entry(site)
        assert (entry.code, entry.fault, entry.status) == ("100", "lostAnswers", 0)
        assert entry.message == "text of 100"

    async def test_latency_delays_every_answer(self, site: Site, slept: list[float]) -> None:
        switch(site, latencySeconds=7.5)
        assert await code_sent(site) == "100"
        assert slept == [7.5]

    async def test_clock_offset_changes_the_clock_of_the_authority(self, site: Site) -> None:
        switch(site, clockOffsetSeconds=-86_400)
        await send(site)
        document = Ledger(site.store).document(HOMOLOGATION, KEY)
        assert document
        assert document.received_at == last_entry(site).at == NOW - timedelta(days=1)


class TestRates:
    async def run(self, site: Site, times: int = 40) -> list[str]:
        for number in range(times):
            await send(site, key=f"{KEY[:25]}{number:09d}{KEY[34:]}")
        return [entry.fault for entry in site.journal.entries()[-times:]]

    async def test_same_seed_gives_the_same_run(self, site: Site) -> None:
        switch(site, failures=0.3, lostAnswers=0.3, seed=7)
        first = await self.run(site)
        switch(site, seed=7)
        assert await self.run(site) == first
        assert {"", "failures", "lostAnswers"} == set(first)

    async def test_different_seeds_give_different_runs(self, site: Site) -> None:
        switch(site, failures=0.5, seed=7)
        first = await self.run(site)
        switch(site, seed=8)
        assert await self.run(site) != first

    async def test_rates_are_independent_of_each_other(self, site: Site) -> None:
        switch(site, failures=0.3, seed=7)
        alone = [fault == "failures" for fault in await self.run(site)]
        switch(site, lostAnswers=0.5)
        assert [fault == "failures" for fault in await self.run(site)] == alone


class TestRestart:
    async def test_restart_keeps_journal_switches_and_documents(
        self, tmp_path: Path, trust: TrustedAuthorities
    ) -> None:
        file = tmp_path / "simulator.sqlite"
        store = Store.open(file)
        site = site_of(store, trust)
        await send(site, "SIMULA:RESPOSTA_PERDIDA")
        switch(site, outages={"RS": "108"}, seed=3)
        before = site.journal.entries()
        store.close()

        store = Store.open(file)
        try:
            site = site_of(store, trust)
            assert site.journal.entries() == before
            assert site.switches.read().outages == {"RS": "108"}
            assert await code_sent(site, "SIMULA:RESPOSTA_PERDIDA") == "204"
            assert await code_sent(site, key=OTHER_KEY) == "100"
        finally:
            store.close()
