"""POST /nfse: the notes of declarations."""

import pytest
import xmlsec
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.identifiers import has_valid_check_digit
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.signatures import signature_of
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import signer_of
from unit.simulator.mutating import DS, says, without
from unit.simulator.nfse.declaring import (
    BASES,
    NAMESPACE,
    PERSON,
    SAO_PAULO,
    TAKER_CNPJ,
    base,
    declaration,
    signed,
)
from unit.simulator.nfse.sefin import SEFIN, Sefin, id_in, texts_of, xsd_errors
from unit.simulator.rules.certificates import of_company, of_person
from unit.simulator.rules.edits import becomes, grown

OWN = [name for name in BASES if name != "by_person"]
"""Bases that the company itself may sign."""


class TestNote:
    @pytest.mark.parametrize("name", OWN)
    async def test_note_follows_the_official_xsd(self, name: str, sefin: Sefin) -> None:
        answer = await sefin.issue(name)
        assert xsd_errors(etree.tostring(answer.note), Schema.NFSE_AUTHORIZED) == []

    async def test_note_has_issuer_service_and_places(self, sefin: Sefin) -> None:
        answer = await sefin.issue("normal")
        head = texts_of(answer.note, "infNFSe")
        assert head == {
            "xLocEmi": "São Paulo",
            "xLocPrestacao": "São Paulo",
            "nNFSe": "1",
            "cLocIncid": "3550308",
            "xLocIncid": "São Paulo",
            "xTribNac": "Análise e desenvolvimento de sistemas.",
            "xNBS": head["xNBS"],
            "verAplic": "CARIMBO_SIM_1.0",
            "ambGer": "2",
            "tpEmis": "1",
            "procEmi": "1",
            "cStat": "100",
            "dhProc": "2026-11-14T10:00:00-03:00",
            "nDFSe": "1",
        }
        assert texts_of(answer.note, "infNFSe/emit") == {"CNPJ": CNPJ, "xNome": "LOJA MODELO LTDA"}
        assert texts_of(answer.note, "infNFSe/emit/enderNac")["UF"] == "SP"

    async def test_issuer_in_the_register_gets_its_address(self, sefin: Sefin) -> None:
        contributor = Contributor(
            state="SP",
            tax_id=CNPJ,
            registration="111111110110",
            name="LOJA MODELO DE SAO PAULO LTDA",
            street="RUA DAS FLORES",
            number="10",
            district="JARDIM",
            zipcode="01310100",
        )
        Contributors(sefin.store).put(contributor)
        answer = await sefin.issue()
        assert answer.text("infNFSe/emit/xNome") == contributor.name
        address = texts_of(answer.note, "infNFSe/emit/enderNac")
        assert (address["xLgr"], address["nro"], address["CEP"]) == ("RUA DAS FLORES", "10", "01310100")

    async def test_note_contains_the_declaration_with_a_valid_signature(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        answer = await sefin.post(xml)
        inside = answer.note.find(f"{{{NAMESPACE}}}infNFSe/{{{NAMESPACE}}}DPS")
        assert inside is not None
        alone = etree.fromstring(etree.tostring(inside, with_tail=False))
        assert etree.tostring(alone, method="c14n") == etree.tostring(etree.fromstring(xml), method="c14n")
        signature = signature_of(alone)
        assert signature
        assert signature.verifies

    async def test_note_is_signed_by_the_authority(self, sefin: Sefin) -> None:
        note = (await sefin.issue()).note
        signature = note.find(f"{DS}Signature")
        assert signature is not None
        context = xmlsec.SignatureContext()
        context.register_id(note[0], "Id")
        certificate = "".join((signature.findtext(f".//{DS}X509Certificate") or "").split())
        pem = f"-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n"
        context.key = xmlsec.Key.from_memory(pem.encode(), xmlsec.constants.KeyDataFormatCertPem)
        context.verify(signature)
        reference = signature.find(f"{DS}SignedInfo/{DS}Reference")
        assert reference is not None
        assert reference.get("URI") == f"#{note[0].get('Id')}"

    async def test_note_of_a_mei_has_another_code(self, sefin: Sefin) -> None:
        assert (await sefin.issue("mei")).text("infNFSe/cStat") == "107"
        assert sefin.entries()[-1].code == "107"

    async def test_untaxed_note_has_no_city_of_incidence(self, sefin: Sefin) -> None:
        assert "cLocIncid" not in texts_of((await sefin.issue("export")).note, "infNFSe")

    async def test_service_taxed_where_performed_names_that_city(self, sefin: Sefin) -> None:
        answer = await sefin.issue("normal_in_brasilia")
        assert answer.text("infNFSe/cLocIncid") == "5300108"
        assert answer.text("infNFSe/xLocIncid") == "Brasília"

    async def test_service_at_sea_is_taxed_in_the_city_of_the_provider(self, sefin: Sefin) -> None:
        at_sea = says("infDPS/serv/locPrest/cLocPrestacao", "0000000")
        answer = await sefin.issue("construction", at_sea)
        assert answer.text("infNFSe/xLocPrestacao") == "Águas marítimas"
        assert answer.text("infNFSe/cLocIncid") == SAO_PAULO
        assert answer.text("infNFSe/xLocIncid") == "São Paulo"
        assert xsd_errors(etree.tostring(answer.note), Schema.NFSE_AUTHORIZED) == []

    async def test_service_abroad_names_the_country(self, sefin: Sefin) -> None:
        country = becomes("infDPS/serv/locPrest/cLocPrestacao", "<cPaisPrestacao>US</cPaisPrestacao>")
        no_result = without("infDPS/valores/trib/tribMun/cPaisResult")
        answer = await sefin.issue("export", country, no_result)
        assert answer.text("infNFSe/xLocPrestacao") == "Estados Unidos"


class TestKey:
    async def test_key_has_city_issuer_number_month_and_check_digit(self, sefin: Sefin) -> None:
        key = (await sefin.issue()).access_key
        assert len(key) == 50
        assert key.startswith(f"355030822{CNPJ}00000000000012611")
        assert has_valid_check_digit(key)

    async def test_key_has_a_random_part(self, sefin: Sefin) -> None:
        random_parts = {(await sefin.issue()).access_key[40:49] for _ in range(4)}
        assert len(random_parts) == 4

    async def test_numbers_are_counted_by_issuer_and_environment(self, sefin: Sefin) -> None:
        first, second = await sefin.issue(), await sefin.issue()
        production = Sefin(
            sefin.store, sefin.trust, sefin.signer, sefin.certificate, prefix="/producao", numbers=[500]
        )
        third = await production.issue("simples", says("infDPS/tpAmb", "1"))
        numbers = [answer.text("infNFSe/nNFSe") for answer in (first, second, third)]
        assert numbers == ["1", "2", "1"]
        assert [answer.text("infNFSe/nDFSe") for answer in (first, second, third)] == ["1", "2", "1"]


class TestAnswer:
    async def test_answer_has_the_fields_of_the_contract(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        answer = await sefin.post(xml)
        assert answer.status == 201
        assert list(answer.body) == [
            "tipoAmbiente",
            "versaoAplicativo",
            "dataHoraProcessamento",
            "idDps",
            "chaveAcesso",
            "nfseXmlGZipB64",
            "alertas",
        ]
        assert answer.body["tipoAmbiente"] == 2
        assert answer.body["dataHoraProcessamento"] == "2026-11-14T10:00:00.0000000-03:00"
        assert answer.body["idDps"] == id_in(xml)
        assert answer.note[0].get("Id") == f"NFS{answer.access_key}"

    async def test_note_is_stored_with_its_declaration(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        answer = await sefin.post(xml)
        kept = sefin.ledger.document(HOMOLOGATION, answer.access_key)
        assert kept
        assert (kept.issuer, kept.recipient, kept.authorizer) == (CNPJ, TAKER_CNPJ, "SEFIN")
        assert (kept.series, kept.number, kept.code, kept.protocol) == (1, 1, "100", "1")
        assert kept.digest.encode() in xml

    async def test_same_declaration_again_is_refused_with_the_key_of_its_note(self, sefin: Sefin) -> None:
        xml = sefin.declaration()
        first = await sefin.post(xml)
        again = await sefin.post(xml)
        assert (again.status, again.codes) == (400, ["E0014"])
        assert again.body["erros"][0]["Complemento"] == first.access_key
        assert len(sefin.ledger.documents()) == 1

    async def test_refusal_has_the_official_text_and_stores_nothing(self, sefin: Sefin) -> None:
        xml = sefin.declaration("normal", says("infDPS/serie", "50000"))
        answer = await sefin.post(xml)
        assert (answer.status, answer.codes) == (400, ["E0010"])
        assert answer.body["idDPS"] == id_in(xml)
        assert answer.body["erros"][0]["Descricao"].startswith("A série informada na DPS não pertence")
        assert sefin.ledger.documents() == []
        assert not sefin.knows(id_in(xml))
        assert (sefin.entries()[-1].code, sefin.entries()[-1].subject) == ("E0010", id_in(xml))

    async def test_number_of_a_refused_declaration_can_be_used_again(self, sefin: Sefin) -> None:
        wrong = sefin.declaration("simples", says("infDPS/toma/email", "nenhum"))
        assert (await sefin.post(wrong)).codes == ["E0247"]
        sefin.numbers[0] -= 1
        assert (await sefin.post(sefin.declaration())).status == 201

    async def test_company_with_letters_in_its_cnpj_is_served(
        self, sefin: Sefin, authority: SampleAuthority
    ) -> None:
        own = signer_of(of_company(authority, OTHER_CNPJ))
        xml = signed(declaration(issuer=f"<CNPJ>{OTHER_CNPJ}</CNPJ>"), own)
        answer = await sefin.post(xml)
        assert answer.access_key[9:23] == OTHER_CNPJ
        assert xsd_errors(etree.tostring(answer.note), Schema.NFSE_AUTHORIZED) == []

    async def test_person_is_served(self, sefin: Sefin, authority: SampleAuthority) -> None:
        own = signer_of(of_person(authority, PERSON))
        answer = await sefin.post(base("by_person", own))
        assert answer.access_key[8:23] == f"1000{PERSON}"
        assert answer.text("infNFSe/emit/CPF") == PERSON
        assert xsd_errors(etree.tostring(answer.note), Schema.NFSE_AUTHORIZED) == []

    async def test_declaration_may_be_sent_by_another_company(self, taker: Sefin, sefin: Sefin) -> None:
        assert (await taker.post(sefin.declaration())).status == 201


class TestSubstitution:
    async def replace_note(self, sefin: Sefin, old: str) -> str:
        inside = (
            f"<subst><chSubstda>{old}</chSubstda><cMotivo>99</cMotivo>"
            "<xMotivo>Descrição do serviço incompleta</xMotivo></subst>"
        )
        return (await sefin.issue("simples", grown("infDPS/cLocEmi", inside))).access_key

    async def test_substitution_cancels_the_older_note_by_an_event(self, sefin: Sefin) -> None:
        old = (await sefin.issue()).access_key
        new = await self.replace_note(sefin, old)
        kept = sefin.ledger.document(HOMOLOGATION, old)
        assert kept
        assert kept.is_canceled
        answer = await sefin.ask("GET", f"{SEFIN}/nfse/{old}/eventos/105102/1")
        assert answer.status == 200
        [event] = sefin.ledger.events(HOMOLOGATION, old)
        assert xsd_errors(event.answer_xml, Schema.NFSE_EVENT_REGISTERED) == []
        assert f"<chSubstituta>{new}</chSubstituta>".encode() in event.answer_xml

    async def test_substitution_of_a_replaced_note_is_refused(self, sefin: Sefin) -> None:
        old = (await sefin.issue()).access_key
        await self.replace_note(sefin, old)
        inside = f"<subst><chSubstda>{old}</chSubstda><cMotivo>01</cMotivo></subst>"
        again = await sefin.post(sefin.declaration("simples", grown("infDPS/cLocEmi", inside)))
        assert again.codes == ["E0046"]
