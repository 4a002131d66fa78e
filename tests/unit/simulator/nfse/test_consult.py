"""GET of notes, and GET and HEAD of declarations."""

import pytest

from unit.simulator.nfse.sefin import SEFIN, Sefin, id_in, unpacked

UNKNOWN_KEY = "35503082211222333000181000000000000126111234567890"
UNKNOWN_ID = "DPS355030821122233300018100001000000000000999"


class TestNote:
    async def test_note_is_returned_to_its_issuer(self, sefin: Sefin) -> None:
        issued = await sefin.issue()
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{issued.access_key}")
        assert answer.status == 200
        assert list(answer.body)[3:] == ["chaveAcesso", "nfseXmlGZipB64"]
        assert unpacked(answer.body["nfseXmlGZipB64"]) == unpacked(issued.body["nfseXmlGZipB64"])
        assert unpacked(answer.body["nfseXmlGZipB64"]).startswith(b'<?xml version="1.0" encoding="utf-8"?>')

    async def test_note_is_returned_to_its_taker(self, sefin: Sefin, taker: Sefin) -> None:
        key = (await sefin.issue()).access_key
        assert (await taker.ask("GET", f"{SEFIN}/nfse/{key}")).status == 200

    async def test_note_is_not_returned_to_a_stranger(self, sefin: Sefin, stranger: Sefin) -> None:
        key = (await sefin.issue()).access_key
        answer = await stranger.ask("GET", f"{SEFIN}/nfse/{key}")
        assert answer.status == 403
        assert answer.body["erro"] == {"descricao": "Consulta desta NFS-e não é permitida para este usuário."}

    async def test_note_is_returned_to_its_intermediary(self, sefin: Sefin, stranger: Sefin) -> None:
        key = (await sefin.issue("between")).access_key
        assert (await stranger.ask("GET", f"{SEFIN}/nfse/{key}")).status == 200

    async def test_unknown_note_is_not_found(self, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{UNKNOWN_KEY}")
        assert answer.status == 404
        assert answer.body["erro"] == {"codigo": "E2401", "descricao": "Chave de acesso não encontrada."}

    @pytest.mark.parametrize("key", ["1", UNKNOWN_KEY[:-1], f"{UNKNOWN_KEY}0", "ã" * 50])
    async def test_invalid_key_is_a_bad_request(self, key: str, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        assert (answer.status, list(answer.body["erro"])) == (400, ["descricao"])

    async def test_note_of_homologation_is_not_found_in_production(self, sefin: Sefin) -> None:
        key = (await sefin.issue()).access_key
        assert (await sefin.ask("GET", f"/producao{SEFIN}/nfse/{key}")).status == 404


class TestDeclaration:
    async def test_key_of_a_declaration_is_returned_to_its_parties(self, sefin: Sefin, taker: Sefin) -> None:
        xml = sefin.declaration()
        key = (await sefin.post(xml)).access_key
        for client in (sefin, taker):
            answer = await client.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
            assert (answer.status, answer.access_key) == (200, key)
            assert answer.body["idDps"] == id_in(xml)

    async def test_key_of_a_declaration_is_not_returned_to_a_stranger(
        self, sefin: Sefin, stranger: Sefin
    ) -> None:
        xml = sefin.declaration()
        key = (await sefin.post(xml)).access_key
        answer = await stranger.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert answer.status == 403
        assert key.encode() not in answer.reply.body

    async def test_unknown_declaration_is_not_found(self, sefin: Sefin) -> None:
        answer = await sefin.ask("GET", f"{SEFIN}/dps/{UNKNOWN_ID}")
        assert answer.status == 404
        assert list(answer.body) == ["tipoAmbiente", "dataHoraProcessamento", "erro"]
        assert answer.body["erro"] == {
            "codigo": "E2404",
            "descricao": "Não foi gerada uma NFS-e com o identificador de DPS informado",
        }

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    @pytest.mark.parametrize("id_", ["1", UNKNOWN_ID[:-1], UNKNOWN_ID.replace("DPS", "NFS")])
    async def test_invalid_declaration_id_is_a_bad_request(self, method: str, id_: str, sefin: Sefin) -> None:
        assert (await sefin.ask(method, f"{SEFIN}/dps/{id_}")).status == 400

    async def test_existence_of_a_note_is_shown_to_anybody(self, sefin: Sefin, stranger: Sefin) -> None:
        xml = sefin.declaration()
        before = await stranger.ask("HEAD", f"{SEFIN}/dps/{id_in(xml)}")
        await sefin.post(xml)
        after = await stranger.ask("HEAD", f"{SEFIN}/dps/{id_in(xml)}")
        assert (before.status, after.status) == (404, 200)
        assert before.reply.body == after.reply.body == b""
        entry = sefin.entries()[-1]
        assert (entry.service, entry.subject, entry.code) == ("HEAD /dps/{id}", id_in(xml), "200")

    async def test_declaration_is_in_the_journal_under_its_key(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        key = (await sefin.post(xml)).access_key
        await sefin.ask("GET", f"{SEFIN}/dps/{id_in(xml)}")
        await sefin.ask("GET", f"{SEFIN}/nfse/{key}")
        entries = [(entry.service, entry.code) for entry in sefin.entries(key=key)]
        assert entries == [("POST /nfse", "100"), ("GET /dps/{id}", "200"), ("GET /nfse/{chave}", "200")]
