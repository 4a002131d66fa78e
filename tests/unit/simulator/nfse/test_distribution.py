"""Distribution of notes and events by the national data environment, by NSU."""

import re
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.fiscal.goods.support import signer_of
from unit.simulator.nfe.sefaz_client import der
from unit.simulator.nfse.declaring import OTHER_CNPJ, TAKER_CNPJ
from unit.simulator.nfse.sefin import Answer, Sefin, unpacked, xsd_errors
from unit.simulator.nfse.test_event_rules import SAMPLE_EVENTS
from unit.simulator.rules.certificates import of_company
from unit.simulator.rules.edits import grown

CONTRIBUTORS = "/adn/nfse/contribuintes"
BRANCH = "11222333000262"


async def read(sefin: Sefin, nsu: int = 0, query: str = "lote=true") -> Answer:
    return await sefin.ask("GET", f"{CONTRIBUTORS}/DFe/{nsu}", query=query)


async def documents(sefin: Sefin, nsu: int = 0) -> list[dict[str, Any]]:
    """Returns the documents after an NSU; there is at least one."""
    answer = await read(sefin, nsu)
    assert (answer.status, answer.body["StatusProcessamento"]) == (200, "DOCUMENTOS_LOCALIZADOS")
    assert isinstance(answer.body["LoteDFe"], list)
    return list(answer.body["LoteDFe"])


async def kinds(sefin: Sefin) -> list[tuple[int, str, str | None]]:
    return [(item["NSU"], item["TipoDocumento"], item.get("TipoEvento")) for item in await documents(sefin)]


async def manifest(sefin: Sefin, name: str, key: str) -> Answer:
    sample = SAMPLE_EVENTS[name]
    author = f"<CNPJAutor>{sample.author}</CNPJAutor>"
    return await sefin.send_event(sefin.event(key, sample.type, sample.detail, author), key)


class TestDocuments:
    async def test_note_is_distributed_to_all_its_parties_in_full(
        self, sefin: Sefin, taker: Sefin, stranger: Sefin
    ) -> None:
        issued = await sefin.issue("between")
        for party in (sefin, taker, stranger):
            [document] = await documents(party)
            assert list(document) == ["NSU", "ChaveAcesso", "TipoDocumento", "ArquivoXml", "DataHoraGeracao"]
            assert (document["NSU"], document["TipoDocumento"]) == (1, "NFSE")
            assert document["ChaveAcesso"] == issued.access_key
            assert unpacked(document["ArquivoXml"]) == unpacked(issued.body["nfseXmlGZipB64"])

    async def test_note_is_distributed_to_nobody_else(self, sefin: Sefin, stranger: Sefin) -> None:
        await sefin.issue()
        assert (await read(stranger)).status == 404

    async def test_answer_has_the_names_of_the_contract(self, sefin: Sefin) -> None:
        await sefin.issue()
        body = (await read(sefin)).body
        assert list(body) == [
            "StatusProcessamento",
            "LoteDFe",
            "Alertas",
            "Erros",
            "TipoAmbiente",
            "VersaoAplicativo",
            "DataHoraProcessamento",
        ]
        assert (body["Alertas"], body["Erros"], body["TipoAmbiente"]) == ([], [], "HOMOLOGACAO")
        assert re.fullmatch(r"2026-11-14T10:00:00\.\d{7}-03:00", body["DataHoraProcessamento"])
        assert body["LoteDFe"][0]["DataHoraGeracao"] == "2026-11-14T10:00:00"

    async def test_times_are_written_without_trailing_zeros(self, sefin: Sefin) -> None:
        sefin.now += timedelta(milliseconds=280)
        await sefin.issue()
        assert (await documents(sefin))[0]["DataHoraGeracao"] == "2026-11-14T10:00:00.28"

    async def test_cancellation_is_distributed_to_all_parties(self, sefin: Sefin, taker: Sefin) -> None:
        key = (await sefin.issue()).access_key
        await sefin.cancel(key)
        for party in (sefin, taker):
            assert await kinds(party) == [(1, "NFSE", None), (2, "EVENTO", "CANCELAMENTO")]
        event = (await documents(taker, 1))[0]
        xml = etree.fromstring(unpacked(event["ArquivoXml"]))
        assert event["ChaveAcesso"] == key
        assert xsd_errors(etree.tostring(xml), Schema.NFSE_EVENT_REGISTERED) == []

    async def test_replaced_note_is_distributed_with_its_substitution(
        self, sefin: Sefin, taker: Sefin
    ) -> None:
        old = (await sefin.issue()).access_key
        inside = f"<subst><chSubstda>{old}</chSubstda><cMotivo>01</cMotivo></subst>"
        new = (await sefin.issue("simples", grown("infDPS/cLocEmi", inside))).access_key
        listed = await documents(taker)
        assert [item["ChaveAcesso"] for item in listed] == [old, new, old]
        assert listed[-1]["TipoEvento"] == "CANCELAMENTO_POR_SUBSTITUICAO"

    @pytest.mark.parametrize(
        ("name", "type_"), [("confirm_taker", "CONFIRMACAO_TOMADOR"), ("refuse_taker", "REJEICAO_TOMADOR")]
    )
    async def test_answer_of_the_taker_is_distributed_to_the_issuer(
        self, name: str, type_: str, sefin: Sefin, taker: Sefin
    ) -> None:
        key = (await sefin.issue()).access_key
        assert (await manifest(taker, name, key)).status == 201
        assert await kinds(sefin) == [(1, "NFSE", None), (2, "EVENTO", type_)]

    @pytest.mark.parametrize(("name", "code"), [("confirm_taker", "E0861"), ("refuse_taker", "E0866")])
    async def test_refused_answer_of_the_taker_is_not_distributed(
        self, name: str, code: str, sefin: Sefin, taker: Sefin
    ) -> None:
        key = (await sefin.issue()).access_key
        await sefin.cancel(key)
        assert (await manifest(taker, name, key)).codes == [code]
        assert len(await documents(sefin)) == 2

    async def test_production_has_its_own_sequence(self, sefin: Sefin) -> None:
        await sefin.issue()
        sefin.prefix = "/producao"
        answer = await read(sefin)
        assert (answer.status, answer.body["TipoAmbiente"]) == (404, "PRODUCAO")


class TestPages:
    async def test_pages_follow_each_other_by_nsu(self, sefin: Sefin) -> None:
        sefin.site.switches.change({"distributionPage": 2}, sefin.now)
        for _ in range(3):
            await sefin.issue()
        assert [item["NSU"] for item in await documents(sefin)] == [1, 2]
        assert [item["NSU"] for item in await documents(sefin, 2)] == [3]

    async def test_same_page_can_be_read_again(self, sefin: Sefin) -> None:
        await sefin.issue()
        assert await documents(sefin) == await documents(sefin)

    async def test_nothing_new_is_not_found(self, sefin: Sefin) -> None:
        answer = await read(sefin, 7)
        assert (answer.status, answer.body["StatusProcessamento"]) == (404, "NENHUM_DOCUMENTO_LOCALIZADO")
        assert (answer.body["LoteDFe"], answer.codes) == ([], ["E2220"])
        [error] = answer.body["Erros"]
        assert list(error) == ["Mensagem", "Codigo", "Descricao"]
        entry = sefin.entries()[-1]
        assert (entry.authorizer, entry.service, entry.subject) == ("ADN", "GET /DFe/{nsu}", "7")
        assert (entry.code, entry.status) == ("E2220", 404)

    async def test_single_document_is_that_with_the_nsu(self, sefin: Sefin) -> None:
        for _ in range(2):
            await sefin.issue()
        [document] = (await read(sefin, 2, "lote=false")).body["LoteDFe"]
        missing = await read(sefin, 3, "lote=false")
        assert document["NSU"] == 2
        assert (missing.status, missing.codes) == (404, ["E2230"])

    async def test_batch_is_the_default(self, sefin: Sefin) -> None:
        await sefin.issue()
        assert (await read(sefin, 0, "")).status == 200

    @pytest.mark.parametrize(
        ("nsu", "query", "name"), [("um", "", "NSU"), ("-1", "", "NSU"), ("0", "lote=talvez", "lote")]
    )
    async def test_unreadable_query_is_a_bad_request(
        self, nsu: str, query: str, name: str, sefin: Sefin
    ) -> None:
        answer = await sefin.ask("GET", f"{CONTRIBUTORS}/DFe/{nsu}", query=query)
        assert (answer.status, list(answer.body["errors"])) == (400, [name])


class TestCallers:
    async def test_company_may_query_for_its_branch(
        self, sefin: Sefin, trust: TrustedAuthorities, signer: Signer, authority: SampleAuthority
    ) -> None:
        certificate = of_company(authority, BRANCH)
        branch = Sefin(sefin.store, trust, signer_of(certificate), der(certificate))
        await sefin.issue()
        assert (await read(branch)).status == 404
        answer = await read(branch, 0, f"lote=true&cnpjConsulta={CNPJ}")
        assert [item["NSU"] for item in answer.body["LoteDFe"]] == [1]

    @pytest.mark.parametrize("tax_id", [TAKER_CNPJ, OTHER_CNPJ, "52998224725"])
    async def test_company_may_not_query_for_another(self, tax_id: str, sefin: Sefin) -> None:
        answer = await read(sefin, 0, f"cnpjConsulta={tax_id}")
        assert (answer.status, answer.body["StatusProcessamento"]) == (400, "REJEICAO")
        assert answer.codes == ["E2243"]

    async def test_caller_without_a_certificate_is_refused(self, sefin: Sefin) -> None:
        sefin.certificate = None
        answer = await read(sefin)
        assert (answer.status, answer.body["StatusProcessamento"]) == (403, "REJEICAO")
        assert answer.codes == ["E1200"]


class TestLimit:
    async def test_queries_beyond_the_limit_are_refused_for_an_hour(self, sefin: Sefin, taker: Sefin) -> None:
        sefin.site.switches.change({"nfseQueriesPerHour": 2}, sefin.now)
        await sefin.issue()
        assert [(await read(sefin, nsu)).status for nsu in (0, 1, 0)] == [200, 404, 429]
        assert (await read(taker)).status == 200
        sefin.now += timedelta(hours=1, seconds=1)
        assert (await read(sefin)).status == 200

    async def test_sixty_queries_are_answered_in_an_hour(self, sefin: Sefin) -> None:
        assert {(await read(sefin)).status for _ in range(60)} == {404}
        assert (await read(sefin)).status == 429

    async def test_queries_of_another_company_do_not_count(self, sefin: Sefin, stranger: Sefin) -> None:
        sefin.site.switches.change({"nfseQueriesPerHour": 1}, sefin.now)
        for _ in range(2):
            await read(stranger, 0, f"cnpjConsulta={CNPJ}")
        assert (await read(sefin)).status == 404

    async def test_queries_are_not_limited_without_limits(self, sefin: Sefin) -> None:
        sefin.site.switches.change({"nfseQueriesPerHour": 0, "limits": False}, sefin.now)
        assert (await read(sefin)).status == 404


class TestEvents:
    async def test_every_event_is_distributed_under_its_official_name(
        self, sefin: Sefin, taker: Sefin, stranger: Sefin
    ) -> None:
        clients = {CNPJ: sefin, TAKER_CNPJ: taker, OTHER_CNPJ: stranger}
        for name, sample in SAMPLE_EVENTS.items():
            key = (await sefin.issue("between")).access_key
            assert (await manifest(clients[sample.author], name, key)).status == 201, name
        assert [type_ for _, kind, type_ in await kinds(sefin) if kind == "EVENTO"] == [
            "CANCELAMENTO",
            "SOLICITACAO_CANCELAMENTO_ANALISE_FISCAL",
            "CONFIRMACAO_PRESTADOR",
            "CONFIRMACAO_TOMADOR",
            "CONFIRMACAO_INTERMEDIARIO",
            "REJEICAO_PRESTADOR",
            "REJEICAO_TOMADOR",
            "REJEICAO_INTERMEDIARIO",
        ]
