"""NFS-e and events of other issuers, as the ADN distributes them."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.documents.nfse.received import RECEIVING
from carimbo.fiscal.receiving import ReceivedDocument, ReceivedEvent, Role, Situation, UnreadFile
from unit.fiscal.documents.received_support import reason_unread, received_document, received_event
from unit.fiscal.layouts.service_notes import KEY, KEY_WITH_LETTERS
from unit.fiscal.layouts.test_dps_v1_nfse import BLOCKED, CANCELED, CANCELED_KEY, EVENT, NOTE, REPLACED
from unit.printing.issued_notes import issued

EXAMPLES = sorted((Path(__file__).parents[4] / "examples/nfse").glob("*.xml"))
ISSUER, STRANGER = "11222333000181", "00000000000191"
TAKER = NOTE.partition("<toma><CNPJ>")[2].partition("<")[0]
INTERMEDIARY = "44555666000181"
WITH_INTERMEDIARY = NOTE.replace(
    "</toma>", f"</toma><interm><CNPJ>{INTERMEDIARY}</CNPJ><xNome>Plataforma Ltda</xNome></interm>"
)
DECLARATION = NOTE[NOTE.index("<DPS") : NOTE.index("</DPS>") + len("</DPS>")]
REFUSED = (
    "<e203206><xDesc>Manifestação de NFS-e - Rejeição do Tomador</xDesc><cMotivo>3</cMotivo>"
    "<xMotivo>O serviço não foi prestado</xMotivo></e203206>"
)
BY_OFFICE = (
    "<e305101><xDesc>Cancelamento de NFS-e por Ofício</xDesc><CPFAgTrib>52998224725</CPFAgTrib>"
    "<nProcAdm>1</nProcAdm><xProcAdm>Processo administrativo</xProcAdm></e305101>"
)
DECLINED = "<e105105><xDesc>Cancelamento Indeferido</xDesc><xMotivo>Fora do prazo</xMotivo></e105105>"


def note(xml: str | bytes = NOTE, tax_id: str = STRANGER) -> ReceivedDocument:
    return received_document(RECEIVING, "NFSE", xml.encode() if isinstance(xml, str) else xml, tax_id)


def event(detail: str = CANCELED) -> ReceivedEvent:
    return received_event(RECEIVING, "EVENTO", EVENT.replace(CANCELED, detail).encode(), STRANGER)


def unread(schema: str, xml: bytes) -> str:
    """Returns why a file is not read."""
    return reason_unread(RECEIVING, schema, xml, STRANGER)


class TestReceiving:
    def test_nfse_are_received_whole(self) -> None:
        assert NFSE.receiving is RECEIVING
        assert (RECEIVING.service, RECEIVING.collection, RECEIVING.event_prefix) == (
            "nfse",
            "received-nfses",
            "receivedNfse",
        )
        assert not RECEIVING.summarizes
        assert not RECEIVING.finds_by_key


class TestNote:
    def test_note_is_read_with_its_declaration(self) -> None:
        assert note() == ReceivedDocument(
            type="nfse",
            access_key=KEY,
            number=123,
            series=None,
            issuer_tax_id=ISSUER,
            issuer_name="EMPRESA TESTE LTDA",
            role=Role.OTHER,
            amount=Decimal("1234.50"),
            issued_at=datetime.fromisoformat(NOTE.partition("<dhEmi>")[2].partition("<")[0]),
            authorized_at=datetime.fromisoformat("2026-11-14T10:00:03-03:00"),
            protocol="4567",
            situation=Situation.AUTHORIZED,
            is_full=True,
        )

    @pytest.mark.parametrize("file", EXAMPLES, ids=[file.stem for file in EXAMPLES])
    def test_every_example_is_read(self, file: Path) -> None:
        xml = issued(file.read_bytes())
        read = note(xml)
        assert note(xml, read.issuer_tax_id).role is Role.ISSUER
        assert read.amount == RECEIVING.amounts(xml)[0].items == RECEIVING.details(xml).totals["amount"]
        lines = RECEIVING.amounts(xml)
        assert len({(line.tax, line.cst) for line in lines}) == len(lines)

    def test_key_may_have_letters(self) -> None:
        assert note(NOTE.replace(f"NFS{KEY}", f"NFS{KEY_WITH_LETTERS}")).access_key == KEY_WITH_LETTERS

    @pytest.mark.parametrize(
        ("tax_id", "role"),
        [
            (TAKER, Role.TAKER),
            (INTERMEDIARY, Role.INTERMEDIARY),
            (ISSUER, Role.ISSUER),
            (INTERMEDIARY[:8] + "000262", Role.OTHER),
            (STRANGER, Role.OTHER),
        ],
    )
    def test_role_is_that_of_the_taxpayer(self, tax_id: str, role: Role) -> None:
        assert note(WITH_INTERMEDIARY, tax_id).role is role

    def test_taker_that_issues_the_note_is_its_taker(self) -> None:
        assert note(NOTE.replace(f"<emit><CNPJ>{ISSUER}", f"<emit><CNPJ>{TAKER}"), TAKER).role is Role.TAKER

    def test_elements_of_a_later_layout_do_not_matter(self) -> None:
        assert note(NOTE.replace("<cStat>", "<verCalcIBSCBS>1</verCalcIBSCBS><cStat>")) == note()


class TestEvent:
    def test_cancellation_cancels_the_note(self) -> None:
        assert event() == ReceivedEvent(
            access_key=CANCELED_KEY,
            code="101101",
            description="Cancelamento de NFS-e",
            sequence=1,
            author_tax_id=ISSUER,
            protocol=f"EVT{CANCELED_KEY}101101001",
            occurred_at=datetime.fromisoformat("2026-11-14T15:00:00-03:00"),
            registered_at=datetime.fromisoformat("2026-11-14T12:00:03-03:00"),
            situation=Situation.CANCELED,
            text="Nota emitida em duplicidade",
        )

    @pytest.mark.parametrize(
        ("detail", "code", "situation", "text"),
        [
            (REPLACED, "105102", Situation.CANCELED, "Valor informado a menor"),
            (BY_OFFICE, "305101", Situation.CANCELED, "Processo administrativo"),
            (BLOCKED, "305102", None, "Investigação em andamento"),
            (REFUSED, "203206", None, "O serviço não foi prestado"),
            (DECLINED, "105105", None, "Fora do prazo"),
            ("<e999999/>", "999999", None, None),
        ],
    )
    def test_event_of_any_type_is_read(
        self, detail: str, code: str, situation: Situation | None, text: str | None
    ) -> None:
        read = event(detail)
        assert (read.code, read.situation, read.text) == (code, situation, text)
        assert read.description


class TestUnread:
    @pytest.mark.parametrize("schema", ["DPS", "PEDIDO_REGISTRO_EVENTO", "CNC", "NENHUM", ""])
    def test_other_types_of_documents_are_not_read(self, schema: str) -> None:
        assert "não é conhecido" in unread(schema, NOTE.encode())

    def test_file_must_be_what_the_schema_says(self) -> None:
        assert "não com evento" in unread("EVENTO", NOTE.encode())
        assert "não com NFSe" in unread("NFSE", EVENT.encode())

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (DECLARATION, ""),
            ("<vServ>", "<vServ>R$ "),
            ("<dhProc>2026", "<dhProc>ontem 2026"),
            ("<nNFSe>123", "<nNFSe>cem"),
            ("<nDFSe>4567</nDFSe>", ""),
            (f"NFS{KEY}", f"NFS{KEY[:-1]}"),
            (f"<emit><CNPJ>{ISSUER}", "<emit><CNPJ>11222333000182"),
            ("<xNome>EMPRESA TESTE LTDA</xNome>", "<xNome/>"),
        ],
    )
    def test_ill_formed_facts_of_a_note_are_not_guessed(self, before: str, after: str) -> None:
        assert before in NOTE
        assert unread("NFSE", NOTE.replace(before, after).encode())

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (CANCELED, ""),
            (f"<chNFSe>{CANCELED_KEY}", "<chNFSe>1"),
            ("<nSeqEvento>1", "<nSeqEvento>um"),
            ("<dhEvento>2026", "<dhEvento>x"),
            ("infPedReg", "outro"),
        ],
    )
    def test_ill_formed_facts_of_an_event_are_not_guessed(self, before: str, after: str) -> None:
        assert before in EVENT
        assert unread("EVENTO", EVENT.replace(before, after).encode())

    @pytest.mark.parametrize(
        "xml",
        [b"", b"%PDF-1.7", b"<NFSe/>", b'<!DOCTYPE a [<!ENTITY b "c">]><NFSe>&b;</NFSe>', NOTE.encode()[:-9]],
        ids=["empty", "pdf", "no namespace", "entity", "cut"],
    )
    def test_hostile_files_are_not_read(self, xml: bytes) -> None:
        assert unread("NFSE", xml)
        assert unread("EVENTO", xml)
        with pytest.raises(UnreadFile):
            RECEIVING.details(xml)
        with pytest.raises(UnreadFile):
            RECEIVING.amounts(xml)
