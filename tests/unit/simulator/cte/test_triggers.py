"""Triggers, switches and the journal with real CT-e."""

import pytest

from carimbo.simulator.cte.family import CTE_FAMILY
from carimbo.simulator.http import ConnectionClosed, Reply
from carimbo.simulator.program.site import Site
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.cte_client import RECEPTION, STATUS, CteClient, enclosed, status_query
from unit.simulator.cte.sample_cte import cte, key_of
from unit.simulator.sample_family import request


@pytest.fixture
def site(client: CteClient) -> Site:
    return Site(client.store, lambda: client.trust, lambda: ISSUED_AT, (CTE_FAMILY,))


async def send(site: Site, client: CteClient, notes: str) -> Reply | ConnectionClosed:
    body = enclosed(RECEPTION, cte(client.signer, notes=notes))
    sent = request(path=f"/sp/cte/{RECEPTION}", body=body, certificate=client.certificate)
    return await site.answer(sent)


class TestTriggers:
    async def test_trigger_refuses_with_its_code_and_the_detail_of_a_duplicate(
        self, site: Site, client: CteClient
    ) -> None:
        reply = await send(site, client, "SIMULA:REJEICAO:539")
        assert isinstance(reply, Reply)
        assert b"<cStat>539</cStat>" in reply.body
        assert b"[chCTe:3526" in reply.body
        assert client.ledger.documents() == []

    async def test_lost_answer_is_found_by_a_consult(self, site: Site, client: CteClient) -> None:
        await send(site, client, "SIMULA:RESPOSTA_PERDIDA")
        assert client.consult(key_of()).code == "100"

    async def test_journal_has_the_key_and_the_code(self, site: Site, client: CteClient) -> None:
        await send(site, client, "SEM NOTAS")
        [entry] = site.journal.entries()
        assert (entry.service, entry.subject, entry.code) == (RECEPTION, key_of(), "100")
        assert entry.keys == (key_of(),)

    async def test_outage_is_answered_by_every_service(self, site: Site, client: CteClient) -> None:
        site.switches.change({"outages": {"SP": "109"}}, ISSUED_AT)
        reply = await site.answer(
            request(
                path=f"/sp/cte/{STATUS}",
                body=enclosed(STATUS, status_query()),
                certificate=client.certificate,
            )
        )
        assert isinstance(reply, Reply)
        assert b"<cStat>109</cStat>" in reply.body

    async def test_contingency_of_cte_can_be_switched_on(self, site: Site, client: CteClient) -> None:
        site.switches.change({"contingency": {"SVSP": "on", "SVRS": "off"}}, ISSUED_AT)
        assert site.switches.read().contingency_of("SVSP") == "on"
