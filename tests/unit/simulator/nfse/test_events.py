"""Events of notes: registered by POST, read by GET."""

import json
from base64 import b64decode

import pytest
from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION
from unit.simulator.mutating import DS
from unit.simulator.nfse.declaring import NAMESPACE
from unit.simulator.nfse.sefin import REASON, SEFIN, Sefin, packed, unpacked, xsd_errors


@pytest.fixture
async def key(sefin: Sefin) -> str:
    return (await sefin.issue()).access_key


class TestCancellation:
    async def test_cancellation_is_registered_with_the_request_inside(self, sefin: Sefin, key: str) -> None:
        answer = await sefin.cancel(key)
        assert answer.status == 201
        assert list(answer.body)[3:] == ["eventoXmlGZipB64"]
        event = answer.event
        assert xsd_errors(etree.tostring(event), Schema.NFSE_EVENT_REGISTERED) == []
        assert event[0].get("Id") == f"EVT{key}101101001"
        assert event.findtext(f".//{{{NAMESPACE}}}xMotivo") == REASON
        assert len(event.findall(f".//{DS}Signature")) == 2

    async def test_cancellation_cancels_the_note_without_changing_its_file(
        self, sefin: Sefin, key: str
    ) -> None:
        before = await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        await sefin.cancel(key)
        after = await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        assert before.body["nfseXmlGZipB64"] == after.body["nfseXmlGZipB64"]
        kept = sefin.ledger.document(HOMOLOGATION, key)
        assert kept
        assert kept.is_canceled

    async def test_second_cancellation_is_refused_with_a_reason(self, sefin: Sefin, key: str) -> None:
        await sefin.cancel(key)
        again = await sefin.cancel(key)
        assert again.status == 400
        [error] = again.body["erro"]
        assert error["codigo"] == "E0840"
        assert "o evento de Cancelamento de NFS-e já está vinculado à NFS-e" in error["descricao"]
        assert len(sefin.ledger.events(HOMOLOGATION, key)) == 1

    async def test_cancellation_is_in_the_journal_under_the_key_and_its_id(
        self, sefin: Sefin, key: str
    ) -> None:
        await sefin.cancel(key)
        entry = sefin.entries(key=key)[-1]
        assert entry.service == "POST /nfse/{chave}/eventos"
        assert (entry.subject, entry.code, entry.status) == (f"PRE{key}101101", "201", 201)
        assert entry.message == "Cancelamento de NFS-e"

    async def test_event_for_another_note_than_in_the_path_is_refused(self, sefin: Sefin, key: str) -> None:
        other = (await sefin.issue()).access_key
        answer = await sefin.send_event(sefin.event(key), other)
        assert answer.codes == ["E1827"]
        assert sefin.ledger.events(HOMOLOGATION, key) == []

    async def test_event_for_another_note_is_reported_with_all_other_errors(
        self, sefin: Sefin, key: str
    ) -> None:
        await sefin.cancel(key)
        other = (await sefin.issue()).access_key
        assert (await sefin.send_event(sefin.event(key), other)).codes == ["E1827", "E0840"]


class TestQuestion:
    async def test_event_is_returned_packed_twice(self, sefin: Sefin, key: str) -> None:
        registered = await sefin.cancel(key)
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/101101/1")
        assert answer.status == 200
        [event] = answer.body["eventos"]
        assert (event["chaveAcesso"], event["tipoEvento"]) == (key, 101101)
        assert (event["numeroPedidoRegistroEvento"], event["dataHoraRecebimento"]) == (
            1,
            "2026-11-14T10:00:00.000",
        )
        once = b64decode(event["arquivoXml"], validate=True).decode()
        assert unpacked(once) == unpacked(registered.body["eventoXmlGZipB64"])

    @pytest.mark.parametrize("path", ["105102/1", "101101/2", "x/1"])
    async def test_missing_event_is_not_found(self, path: str, sefin: Sefin, key: str) -> None:
        await sefin.cancel(key)
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/{path}")
        assert answer.status == 404
        assert list(answer.body) == ["tipoAmbiente", "versaoAplicativo", "dataHoraProcessamento"]

    async def test_event_is_returned_to_the_parties_of_the_note(
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

    async def test_list_of_events_is_not_available(self, sefin: Sefin, key: str) -> None:
        every = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos")
        of_a_type = await sefin.ask("GET", f"{SEFIN}/nfse/{key}/eventos/101101")
        assert (every.status, of_a_type.status) == (405, 404)


class TestManifestation:
    async def test_manifestation_of_the_taker_is_registered_once(
        self, sefin: Sefin, taker: Sefin, key: str
    ) -> None:
        confirmed = taker.event(
            key,
            "203202",
            "<xDesc>Manifestação de NFS-e - Confirmação do Tomador</xDesc>",
            "<CNPJAutor>44455566000183</CNPJAutor>",
        )
        first, again = await taker.send_event(confirmed, key), await taker.send_event(confirmed, key)
        assert (first.status, again.codes) == (201, ["E1833"])

    async def test_manifestation_of_the_taker_prevents_a_cancellation(
        self, sefin: Sefin, taker: Sefin, key: str
    ) -> None:
        confirmed = taker.event(
            key,
            "203202",
            "<xDesc>Manifestação de NFS-e - Confirmação do Tomador</xDesc>",
            "<CNPJAutor>44455566000183</CNPJAutor>",
        )
        await taker.send_event(confirmed, key)
        answer = await sefin.cancel(key)
        assert answer.codes == ["E0840"]
        assert "Confirmação do Tomador" in answer.body["erro"][0]["descricao"]


class TestMessage:
    async def test_unreadable_event_is_refused_in_the_form_of_events(self, sefin: Sefin, key: str) -> None:
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": "x"}).encode()
        answer = await sefin.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)
        assert (answer.status, answer.codes) == (400, ["E1225"])
        assert isinstance(answer.body["erro"], list)

    async def test_declaration_sent_as_an_event_is_refused(self, sefin: Sefin, key: str) -> None:
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": packed(sefin.declaration())}).encode()
        answer = await sefin.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)
        assert answer.codes == ["E1242"]
