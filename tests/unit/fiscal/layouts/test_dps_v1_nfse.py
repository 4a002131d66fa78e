"""Archived files, read back: an NFS-e as the authority issued it, events as they were registered."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.layouts.dps_v1.archived import read_archived_event, read_archived_note
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import UnreadableXml
from unit.fiscal.layouts.service_notes import KEY, KEY_WITH_LETTERS

EXAMPLES = Path(__file__).parents[4] / "examples/nfse"
DECLARATION = (EXAMPLES / "normal.xml").read_text()
REQUEST = (EXAMPLES / "events/cancellation-mistake.xml").read_text()
CANCELED_KEY = "35503082211222333000181000000000004126111234567891"
SIGNATURE = DECLARATION[DECLARATION.index("<Signature") : DECLARATION.index("</DPS>")]

NOTE = f"""<NFSe xmlns="{NAMESPACE}" versao="1.01"><infNFSe Id="NFS{KEY}"><xLocEmi>São Paulo</xLocEmi>\
<xLocPrestacao>São Paulo</xLocPrestacao><nNFSe>123</nNFSe><cLocIncid>3550308</cLocIncid>\
<xLocIncid>São Paulo</xLocIncid><xTribNac>Análise e desenvolvimento de sistemas.</xTribNac>\
<xTribMun>Desenvolvimento</xTribMun><xNBS>Serviços de projeto de programas</xNBS>\
<verAplic>SefinNacional_1.6.0</verAplic><ambGer>2</ambGer><tpEmis>1</tpEmis><procEmi>1</procEmi>\
<cStat>100</cStat><dhProc>2026-11-14T10:00:03-03:00</dhProc><nDFSe>4567</nDFSe><emit>\
<CNPJ>11222333000181</CNPJ><IM>12345</IM><xNome>EMPRESA TESTE LTDA</xNome><enderNac><xLgr>RUA A</xLgr>\
<nro>1</nro><xBairro>CENTRO</xBairro><cMun>3550308</cMun><UF>SP</UF><CEP>01001000</CEP></enderNac></emit>\
<valores><vCalcDR>10.00</vCalcDR><tpBM>2</tpBM><vCalcBM>90.00</vCalcBM><vBC>900.00</vBC>\
<pAliqAplic>2.00</pAliqAplic><vISSQN>18.00</vISSQN><vTotalRet>36.50</vTotalRet><vLiq>963.50</vLiq></valores>\
<xOutInf>Uso do município</xOutInf><IBSCBS><cLocalidadeIncid>3550308</cLocalidadeIncid>\
<xLocalidadeIncid>São Paulo</xLocalidadeIncid><valores><vBC>945.50</vBC><uf><pIBSUF>0.10</pIBSUF>\
<pAliqEfetUF>0.10</pAliqEfetUF></uf><mun><pIBSMun>0.00</pIBSMun><pAliqEfetMun>0.00</pAliqEfetMun></mun>\
<fed><pCBS>0.90</pCBS><pAliqEfetCBS>0.90</pAliqEfetCBS></fed></valores><totCIBS><vTotNF>1000.00</vTotNF>\
<gIBS><vIBSTot>0.95</vIBSTot><gIBSUFTot><vIBSUF>0.95</vIBSUF></gIBSUFTot><gIBSMunTot><vIBSMun>0.00</vIBSMun>\
</gIBSMunTot></gIBS><gCBS><vCBS>8.51</vCBS></gCBS></totCIBS></IBSCBS>{DECLARATION}</infNFSe>{SIGNATURE}</NFSe>"""

EVENT = f"""<evento xmlns="{NAMESPACE}" versao="1.01"><infEvento Id="EVT{CANCELED_KEY}101101001">\
<verAplic>SefinNacional_1.6.0</verAplic><ambGer>2</ambGer><nSeqEvento>1</nSeqEvento>\
<dhProc>2026-11-14T12:00:03-03:00</dhProc><nDFSe>4568</nDFSe>{REQUEST}</infEvento>{SIGNATURE}</evento>"""
CANCELED = REQUEST[REQUEST.index("<e101101>") : REQUEST.index("</infPedReg>")]
REPLACED = (
    "<e105102><xDesc>Cancelamento de NFS-e por Substituição</xDesc><cMotivo>99</cMotivo>"
    f"<xMotivo>Valor informado a menor</xMotivo><chSubstituta>{KEY_WITH_LETTERS}</chSubstituta></e105102>"
)
BLOCKED = (
    "<e305102><xDesc>Bloqueio de NFS-e por Ofício</xDesc><CPFAgTrib>52998224725</CPFAgTrib>"
    "<xMotivo>Investigação em andamento</xMotivo><codEvento>101101</codEvento></e305102>"
)


class TestSamples:
    """The samples are answers that the authority may send."""

    @pytest.mark.parametrize(
        ("schema", "file"), [(Schema.NFSE_AUTHORIZED, NOTE), (Schema.NFSE_EVENT_REGISTERED, EVENT)]
    )
    def test_samples_are_accepted_by_the_xsd(self, schema: Schema, file: str, schemas: Schemas) -> None:
        assert schemas.problems(schema, etree.fromstring(file.encode())) == ()


class TestReadArchivedNote:
    archived = read_archived_note(NOTE.encode())

    def test_archived_note_has_the_data_of_the_authority(self) -> None:
        issued = self.archived.issued
        assert self.archived.access_key == KEY
        assert (issued.number, issued.status, issued.document_number) == (123, "100", 4567)
        assert issued.processed_at == datetime.fromisoformat("2026-11-14T10:00:03-03:00")
        assert (issued.generator, issued.incidence_city_code, issued.incidence_city) == (
            "2",
            "3550308",
            "São Paulo",
        )
        assert (issued.national_service, issued.city_service) == (
            "Análise e desenvolvimento de sistemas.",
            "Desenvolvimento",
        )
        assert (issued.issuer.name, issued.issuer.address.state) == ("EMPRESA TESTE LTDA", "SP")

    def test_archived_note_has_the_amounts_of_the_authority(self) -> None:
        amounts, reform = self.archived.issued.amounts, self.archived.issued.ibs_cbs
        assert (amounts.base, amounts.rate, amounts.iss) == (Decimal(900), Decimal(2), Decimal(18))
        assert (amounts.withheld, amounts.net) == (Decimal("36.50"), Decimal("963.50"))
        assert reform is not None
        assert (reform.base.base, reform.base.cbs.rate) == (Decimal("945.50"), Decimal("0.90"))
        assert (reform.totals.ibs.amount, reform.totals.cbs.amount) == (Decimal("0.95"), Decimal("8.51"))
        assert reform.totals.total == Decimal(1000)

    def test_archived_note_has_the_declaration(self) -> None:
        assert self.archived.note.id == "DPS355030821122233300026200001000000000000001"
        assert self.archived.note.amounts.service.amount == Decimal("1234.50")

    def test_archived_note_may_have_elements_of_a_later_layout(self) -> None:
        later = NOTE.replace("<cStat>", "<verCalcIBSCBS>1</verCalcIBSCBS><cStat>")
        assert read_archived_note(later.encode()) == self.archived

    @pytest.mark.parametrize(
        ("changed", "into", "message"),
        [
            ("<vLiq>963.50</vLiq>", "", "vLiq"),
            ("<nNFSe>123</nNFSe>", "<nNFSe>cem</nNFSe>", "nNFSe"),
            ("2026-11-14T10:00:03-03:00</dhProc>", "ontem</dhProc>", "dhProc"),
            ("infNFSe", "infNada", "NFS-e"),
        ],
    )
    def test_unreadable_field_of_a_note_is_named(self, changed: str, into: str, message: str) -> None:
        with pytest.raises(UnreadableDocument, match=message):
            read_archived_note(NOTE.replace(changed, into).encode())

    def test_two_notes_in_one_file_are_refused(self) -> None:
        with pytest.raises(UnreadableDocument, match="não tem uma NFS-e"):
            read_archived_note(f"<lote>{NOTE}{NOTE}</lote>".encode())

    def test_note_that_is_not_xml_is_refused(self) -> None:
        with pytest.raises(UnreadableXml):
            read_archived_note(b"%PDF-1.7")


class TestReadArchivedEvent:
    def test_archived_cancellation_is_read_with_its_registration(self) -> None:
        event = read_archived_event(EVENT.encode())
        assert (event.access_key, event.event_type) == (CANCELED_KEY, "101101")
        assert (event.detail.reason_code, event.detail.reason) == ("1", "Nota emitida em duplicidade")
        assert event.heading.occurred_at == datetime.fromisoformat("2026-11-14T15:00:00-03:00")
        assert (event.heading.cnpj, event.heading.environment) == ("11222333000181", "2")
        assert event.registration.processed_at == datetime.fromisoformat("2026-11-14T12:00:03-03:00")
        assert (event.registration.sequence, event.registration.document_number) == (1, 4568)

    def test_archived_replacement_names_the_new_note(self) -> None:
        event = read_archived_event(EVENT.replace(CANCELED, REPLACED).encode())
        assert event.event_type == "105102"
        assert event.detail.replaced_by == KEY_WITH_LETTERS

    def test_archived_events_that_carimbo_never_sends_are_read(self) -> None:
        event = read_archived_event(EVENT.replace(CANCELED, BLOCKED).encode())
        assert event.event_type == "305102"
        assert event.detail.description == "Bloqueio de NFS-e por Ofício"

    @pytest.mark.parametrize(
        ("changed", "into", "message"),
        [
            (CANCELED, "", "não diz o que aconteceu"),
            ("infEvento", "infNada", "não tem um evento"),
            ("infPedReg", "infNada", "não tem um evento"),
            ("<nSeqEvento>1</nSeqEvento>", "", "nSeqEvento"),
        ],
    )
    def test_unreadable_field_of_an_event_is_named(self, changed: str, into: str, message: str) -> None:
        with pytest.raises(UnreadableDocument, match=message):
            read_archived_event(EVENT.replace(changed, into).encode())
