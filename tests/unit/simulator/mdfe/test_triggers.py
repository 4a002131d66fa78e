"""Triggers, switches and the journal with real MDF-e."""

import pytest

from carimbo.simulator.http import ConnectionClosed, Reply
from carimbo.simulator.mdfe.family import MDFE_FAMILY
from carimbo.simulator.program.site import Site
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mdfe.mdfe_client import RECEPTION, STATUS, MdfeClient, enclosed, status_query
from unit.simulator.mdfe.sample_mdfe import key_of, mdfe
from unit.simulator.sample_family import request


@pytest.fixture
def site(client: MdfeClient) -> Site:
    return Site(client.store, lambda: client.trust, lambda: ISSUED_AT, (MDFE_FAMILY,))


async def send(site: Site, client: MdfeClient, notes: str) -> Reply | ConnectionClosed:
    body = enclosed(RECEPTION, mdfe(client.signer, notes=notes))
    sent = request(path=f"/svrs/mdfe/{RECEPTION}", body=body, certificate=client.certificate)
    return await site.answer(sent)


class TestTriggers:
    @pytest.mark.parametrize("code", ["462", "611", "662", "686"])
    async def test_trigger_refuses_because_of_an_open_manifest(
        self, code: str, site: Site, client: MdfeClient
    ) -> None:
        reply = await send(site, client, f"SIMULA:REJEICAO:{code}")
        assert isinstance(reply, Reply)
        assert f"<cStat>{code}</cStat>".encode() in reply.body
        assert b"[chMDFe:3526" in reply.body
        assert b"[nProt:935260000000000]" in reply.body
        assert b"dhAut" not in reply.body
        assert client.ledger.documents() == []

    async def test_lost_answer_is_found_by_a_consult(self, site: Site, client: MdfeClient) -> None:
        await send(site, client, "SIMULA:RESPOSTA_PERDIDA")
        assert client.consult(key_of()).code == "100"

    async def test_journal_has_the_key_and_the_code(self, site: Site, client: MdfeClient) -> None:
        await send(site, client, "SEM NOTAS")
        [entry] = site.journal.entries()
        assert (entry.service, entry.subject, entry.code) == (RECEPTION, key_of(), "100")
        assert entry.keys == (key_of(),)

    async def test_outage_is_answered_by_every_service(self, site: Site, client: MdfeClient) -> None:
        site.switches.change({"outages": {"SVRS": "108"}}, ISSUED_AT)
        body = enclosed(STATUS, status_query())
        reply = await site.answer(
            request(path=f"/svrs/mdfe/{STATUS}", body=body, certificate=client.certificate)
        )
        assert isinstance(reply, Reply)
        assert b"<cStat>108</cStat>" in reply.body
