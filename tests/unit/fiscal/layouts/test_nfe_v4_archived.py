"""Archived files, read back: documents with their authorization, events with their registration."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.layouts.nfe_v4.archived import ServiceTotals, read_archived_invoice
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.xml_reading import UnreadableXml
from nfe_dialect import authorized_invoice, read_archived_event, registered_event

EXAMPLES = Path(__file__).parents[4] / "examples"
NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
PROTOCOL = (
    f'<protNFe xmlns="{NAMESPACE}" versao="4.00"><infProt><tpAmb>2</tpAmb><chNFe>1</chNFe>'
    "<dhRecbto>2026-11-14T12:00:05-03:00</dhRecbto><nProt>135260000000001</nProt><cStat>100</cStat>"
    "<xMotivo>Autorizado o uso</xMotivo><cMsg>200</cMsg><xMsg>Participe do sorteio</xMsg></infProt></protNFe>"
).encode()
REGISTRATION = (
    f'<retEvento xmlns="{NAMESPACE}" versao="1.00"><infEvento><tpAmb>2</tpAmb><verAplic>S</verAplic>'
    "<cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>Evento registrado</xMotivo><nProt>135260000000002</nProt>"
    "<dhRegEvento>2026-11-15T08:00:00-03:00</dhRegEvento></infEvento></retEvento>"
).encode()


def example(name: str) -> bytes:
    return (EXAMPLES / f"{name}.xml").read_bytes()


class TestReadArchivedInvoice:
    def test_archived_invoice_has_document_key_and_protocol(self) -> None:
        archived = read_archived_invoice(authorized_invoice(example("nfe/minimal"), PROTOCOL))
        assert archived.invoice.id == f"NFe{archived.access_key}"
        assert archived.protocol is not None
        assert archived.protocol.number == "135260000000001"
        assert archived.protocol.at == datetime.fromisoformat("2026-11-14T12:00:05-03:00")
        assert archived.protocol.notice == "Participe do sorteio"
        assert archived.qr_code is None

    def test_archived_invoice_may_lack_its_authorization(self) -> None:
        archived = read_archived_invoice(example("nfce/offline-qr2"))
        assert archived.protocol is None
        assert archived.qr_code is not None
        assert archived.qr_code.startswith("https://")
        assert f"p={archived.access_key}|2|2|14|" in archived.qr_code
        assert archived.consult_address == "https://www.homologacao.nfce.fazenda.sp.gov.br/consulta"

    def test_archived_invoice_has_the_totals_of_services(self) -> None:
        services = b"<ISSQNtot><vServ>100.00</vServ><vISS>5.00</vISS><dCompet>2026-11-14</dCompet></ISSQNtot>"
        document = example("nfe/minimal").replace(b"</ICMSTot>", b"</ICMSTot>" + services)
        assert read_archived_invoice(document).services == ServiceTotals(Decimal(100), None, Decimal(5))

    @pytest.mark.parametrize(
        ("changed", "into", "message"),
        [
            (b"2026-11-14T12:00:05-03:00</dhRecbto>", b"ontem</dhRecbto>", "dhRecbto"),
            (b"<cStat>100</cStat>", b"", "cStat"),
            (b"infNFe", b"infNada", "NF-e"),
        ],
    )
    def test_unreadable_field_of_an_invoice_is_named(self, changed: bytes, into: bytes, message: str) -> None:
        file = authorized_invoice(example("nfe/minimal"), PROTOCOL)
        with pytest.raises(UnreadableDocument, match=message):
            read_archived_invoice(file.replace(changed, into))

    def test_invoice_that_is_not_xml_is_refused(self) -> None:
        with pytest.raises(UnreadableXml):
            read_archived_invoice(b"%PDF-1.7")


class TestReadArchivedEvent:
    def test_archived_correction_is_read(self) -> None:
        event = read_archived_event(registered_event(example("nfe/events/correction"), REGISTRATION))
        assert (event.event_type, event.sequence, event.protocol.number) == ("110110", 2, "135260000000002")
        assert event.description == "Carta de Correcao"
        assert event.detail.text("xCorrecao")
        assert event.detail.required("xCondUso").startswith("A Carta de Correcao e disciplinada")
        assert event.detail.text("xJust") is None

    def test_archived_cancellation_by_substitution_is_read(self) -> None:
        file = registered_event(example("nfce/events/cancellation-by-substitution"), REGISTRATION)
        event = read_archived_event(file)
        assert event.event_type == "110112"
        assert event.detail.text("xJust")
        assert event.detail.required("chNFeRef") != event.access_key

    def test_missing_registration_of_an_event_is_reported(self) -> None:
        with pytest.raises(UnreadableDocument, match="registro"):
            read_archived_event(example("nfe/events/correction"))
