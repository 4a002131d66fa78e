"""Events of notes: told by POST, asked for by GET."""

import json
from base64 import b64decode

import pytest
from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.place import HOMOLOGATION
from unit.simulator.mutating import DS
from unit.simulator.nfse.declaring import NAMESPACE
from unit.simulator.nfse.sefin import REASON, SEFIN, Sefin, faults, packed, unpacked


@pytest.fixture
async def key(sefin: Sefin) -> str:
    return (await sefin.issue()).access_key


class TestCancellation:
    async def test_is_registered_with_the_request_inside(self, sefin: Sefin, key: str) -> None:
        answer = await sefin.cancel(key)
        assert answer.status == 201
        assert list(answer.body)[3:] == ["eventoXmlGZipB64"]
        event = answer.event
        assert faults(etree.tostring(event), Schema.NFSE_EVENT_REGISTERED) == []
        assert event[0].get("Id") == f"EVT{key}101101001"
        assert event.findtext(f".//{{{NAMESPACE}}}xMotivo") == REASON
        assert len(event.findall(f".//{DS}Signature")) == 2

    async def test_cancels_the_note_and_leaves_it_as_it_was_written(self, sefin: Sefin, key: str) -> None:
        before = await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        await sefin.cancel(key)
        after = await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        assert before.body["nfseXmlGZipB64"] == after.body["nfseXmlGZipB64"]
        kept = sefin.ledger.document(HOMOLOGATION, key)
        assert kept
        assert kept.is_canceled

    async def test_a_second_time_is_refused_and_says_why(self, sefin: Sefin, key: str) -> None:
        await sefin.cancel(key)
        again = await sefin.cancel(key)
        assert again.status == 400
        [error] = again.body["erro"]
        assert error["codigo"] == "E0840"
        assert "o evento de Cancelamento de NFS-e já está vinculado à NFS-e" in error["descricao"]
        assert len(sefin.ledger.events(HOMOLOGATION, key)) == 1

    async def test_is_in_the_journal_under_the_key_and_its_own_id(self, sefin: Sefin, key: str) -> None:
        await sefin.cancel(key)
        entry = sefin.entries(key=key)[-1]
        assert entry.service == "POST /nfse/{chave}/eventos"
        assert (entry.subject, entry.code, entry.status) == (f"PRE{key}101101", "201", 201)
        assert entry.message == "Cancelamento de NFS-e"

    async def test_of_another_note_than_the_address_says_is_refused(self, sefin: Sefin, key: str) -> None:
        other = (await sefin.issue()).access_key
        answer = await sefin.tell(sefin.event(key), other)
        assert answer.codes == ["E1827"]
        assert sefin.ledger.events(HOMOLOGATION, key) == []

    async def test_of_another_note_than_the_address_says_is_told_with_all_else(
        self, sefin: Sefin, key: str
    ) -> None:
        await sefin.cancel(key)
        other = (await sefin.issue()).access_key
        assert (await sefin.tell(sefin.event(key), other)).codes == ["E1827", "E0840"]


class TestQuestion:
    async def test_tells_an_event_packed_twice(self, sefin: Sefin, key: str) -> None:
        registered = await sefin.cancel(key)
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/101101/1")
        assert answer.status == 200
        [told] = answer.body["eventos"]
        assert (told["chaveAcesso"], told["tipoEvento"]) == (key, 101101)
        assert (told["numeroPedidoRegistroEvento"], told["dataHoraRecebimento"]) == (
            1,
            "2026-11-14T10:00:00.000",
        )
        once = b64decode(told["arquivoXml"], validate=True).decode()
        assert unpacked(once) == unpacked(registered.body["eventoXmlGZipB64"])

    @pytest.mark.parametrize("asked", ["105102/1", "101101/2", "x/1"])
    async def test_of_what_did_not_happen_is_not_found(self, asked: str, sefin: Sefin, key: str) -> None:
        await sefin.cancel(key)
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/{asked}")
        assert answer.status == 404
        assert list(answer.body) == ["tipoAmbiente", "versaoAplicativo", "dataHoraProcessamento"]

    async def test_is_answered_to_whom_the_note_is_told(
        self, sefin: Sefin, taker: Sefin, stranger: Sefin, key: str
    ) -> None:
        await sefin.cancel(key)
        path = f"{SEFIN}/nfse/{key}/eventos/101101/1"
        assert (await taker.ask("GET", path)).status == 200
        refused = await stranger.ask("GET", path)
        assert refused.status == 403
        assert refused.body["erro"] == {
            "descricao": "Consulta desta NFS-e não é permitida para este usuário."
        }

    async def test_of_all_events_is_not_taken(self, sefin: Sefin, key: str) -> None:
        every = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos")
        of_a_type = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/101101")
        assert (every.status, of_a_type.status) == (405, 404)


class TestManifestation:
    async def test_of_the_taker_is_registered_once(self, sefin: Sefin, taker: Sefin, key: str) -> None:
        confirmed = taker.event(
            key,
            "203202",
            "<xDesc>Manifestação de NFS-e - Confirmação do Tomador</xDesc>",
            "<CNPJAutor>44455566000183</CNPJAutor>",
        )
        first, again = await taker.tell(confirmed, key), await taker.tell(confirmed, key)
        assert (first.status, again.codes) == (201, ["E1833"])

    async def test_keeps_the_issuer_from_canceling(self, sefin: Sefin, taker: Sefin, key: str) -> None:
        confirmed = taker.event(
            key,
            "203202",
            "<xDesc>Manifestação de NFS-e - Confirmação do Tomador</xDesc>",
            "<CNPJAutor>44455566000183</CNPJAutor>",
        )
        await taker.tell(confirmed, key)
        answer = await sefin.cancel(key)
        assert answer.codes == ["E0840"]
        assert "Confirmação do Tomador" in answer.body["erro"][0]["descricao"]


class TestMessage:
    async def test_that_can_not_be_opened_is_refused_in_the_shape_of_events(
        self, sefin: Sefin, key: str
    ) -> None:
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": "x"}).encode()
        answer = await sefin.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)
        assert (answer.status, answer.codes) == (400, ["E1225"])
        assert isinstance(answer.body["erro"], list)

    async def test_of_a_declaration_is_not_handled_here(self, sefin: Sefin, key: str) -> None:
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": packed(sefin.declaration())}).encode()
        answer = await sefin.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)
        assert answer.codes == ["E1242"]
