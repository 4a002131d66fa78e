"""CT-e and events of other issuers, as the distribution service has them."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cte.received import RECEIVING
from carimbo.fiscal.receiving import (
    ReceivedDocument,
    ReceivedEvent,
    Role,
    Situation,
    UnreadFile,
)
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.documents.cte.received_files import (
    AUTHORIZED_AT,
    EXAMPLES,
    NAMESPACE,
    PROTOCOL,
    REGISTERED_AT,
    SIMPLIFIED,
    SIMPLIFIED_KEY,
    authorized,
    example,
    key_of,
    protocol,
    registered,
)
from unit.fiscal.documents.received_support import reason_unread, received_document, received_event

SCHEMA, OS_SCHEMA, SIMPLIFIED_SCHEMA = "procCTe_v4.00.xsd", "procCTeOS_v4.00.xsd", "procCTeSimp_v4.00.xsd"
EVENT_SCHEMA = "procEventoCTe_v4.00.xsd"
REASON = "Valor do frete diferente do combinado"
STRANGER = "00000000000191"
CTES = sorted((EXAMPLES / "cte").glob("*.xml"))
OS_CTES = sorted((EXAMPLES / "cteOs").glob("*.xml"))
EVENTS = sorted((EXAMPLES / "cte/events").glob("*.xml"))
ROAD = example("cte/road-freight")
ISSUER, SHIPPER, RECIPIENT = "11222333000181", "44555666000181", "11444777000161"


def document(xml: bytes, tax_id: str = STRANGER, schema: str = SCHEMA) -> ReceivedDocument:
    return received_document(RECEIVING, schema, xml, tax_id)


def event(xml: bytes) -> ReceivedEvent:
    return received_event(RECEIVING, EVENT_SCHEMA, xml, STRANGER)


def unread(schema: str, xml: bytes) -> str:
    """Returns why a file is not read."""
    return reason_unread(RECEIVING, schema, xml, STRANGER)


class TestReceiving:
    def test_only_cte_receives_the_sequence_of_both_models(self) -> None:
        assert CTE.receiving is RECEIVING
        types = {document_type.name for document_type in DOCUMENT_TYPES if document_type.receiving}
        assert "cteOs" not in types
        assert (RECEIVING.service, RECEIVING.collection, RECEIVING.event_prefix) == (
            "cte",
            "received-ctes",
            "receivedCte",
        )

    def test_cte_has_neither_summaries_nor_queries_by_key(self) -> None:
        assert not RECEIVING.summarizes
        assert not RECEIVING.finds_by_key
        assert RECEIVING.return_draft is None


class TestDocument:
    def test_cte_is_read_with_its_protocol(self) -> None:
        assert document(authorized(ROAD), RECIPIENT) == ReceivedDocument(
            type="cte",
            access_key=key_of(ROAD),
            number=int(key_of(ROAD)[25:34]),
            series=int(key_of(ROAD)[22:25]),
            issuer_tax_id=ISSUER,
            issuer_name=ROAD.partition("<emit>")[2].partition("<xNome>")[2].partition("<")[0],
            role=Role.RECIPIENT,
            amount=Decimal(ROAD.partition("<vTPrest>")[2].partition("<")[0]),
            issued_at=datetime.fromisoformat(ROAD.partition("<dhEmi>")[2].partition("<")[0]),
            authorized_at=datetime.fromisoformat(AUTHORIZED_AT),
            protocol=PROTOCOL,
            situation=Situation.AUTHORIZED,
            is_full=True,
        )

    @pytest.mark.parametrize("file", CTES, ids=[file.stem for file in CTES])
    def test_every_example_is_read(self, file: Path) -> None:
        xml = authorized(file.read_text("utf-8"))
        assert document(xml).role is Role.OTHER
        assert document(xml, document(xml).issuer_tax_id).role is not Role.OTHER
        assert RECEIVING.details(xml).parties
        assert {line.tax for line in RECEIVING.amounts(xml)} >= {"icms"}

    @pytest.mark.parametrize("file", OS_CTES, ids=[file.stem for file in OS_CTES])
    def test_every_example_of_cte_os_is_read(self, file: Path) -> None:
        xml = authorized(file.read_text("utf-8"), "cteOSProc")
        assert document(xml, schema=OS_SCHEMA).type == "cteOs"
        assert RECEIVING.details(xml).items
        assert RECEIVING.amounts(xml)

    def test_simplified_cte_is_read(self) -> None:
        xml = authorized(SIMPLIFIED, "cteSimpProc")
        read = document(xml, SHIPPER, SIMPLIFIED_SCHEMA)
        assert (read.type, read.role, read.amount, read.access_key) == (
            "cte",
            Role.TAKER,
            Decimal("150.00"),
            SIMPLIFIED_KEY,
        )

    def test_key_may_have_letters(self) -> None:
        letters = example("cte/letters")
        assert document(authorized(letters)).access_key == key_of(letters)
        assert not key_of(letters).isdigit()

    def test_imported_file_is_known_by_its_root(self) -> None:
        assert RECEIVING.imported_schemas == {
            "cteProc": SCHEMA,
            "cteSimpProc": SIMPLIFIED_SCHEMA,
            "cteOSProc": OS_SCHEMA,
        }

    def test_protocol_may_be_wrapped_twice(self) -> None:
        inner = protocol(key_of(ROAD))
        xml = authorized(ROAD).decode().replace(inner, f"<protCTe>{inner}</protCTe>")
        assert document(xml.encode()) == document(authorized(ROAD))

    def test_denied_cte_is_no_authorized_one(self) -> None:
        assert document(authorized(ROAD, code="301")).situation is Situation.DENIED


def with_taker(taker: str) -> bytes:
    """Returns a CT-e whose party with this code takes the service."""
    before, _, rest = ROAD.partition("<toma3>")
    return authorized(f"{before}<toma3><toma>{taker}</toma></toma3>{rest.partition('</toma3>')[2]}")


class TestRole:
    @pytest.mark.parametrize(
        ("taker", "shipper", "recipient"),
        [
            ("0", Role.TAKER, Role.RECIPIENT),
            ("3", Role.SHIPPER, Role.TAKER),
            ("1", Role.SHIPPER, Role.RECIPIENT),
        ],
    )
    def test_taker_is_the_most_important_role(self, taker: str, shipper: Role, recipient: Role) -> None:
        xml = with_taker(taker)
        parties = {party.role: party.tax_id for party in RECEIVING.details(xml).parties}
        assert document(xml, str(parties["shipper"])).role is shipper
        assert document(xml, str(parties["recipient"])).role is recipient

    def test_further_party_may_take_the_service(self) -> None:
        xml = authorized(example("cte/other-pays"))
        taker = next(party for party in RECEIVING.details(xml).parties if party.role == "taker")
        assert document(xml, str(taker.tax_id)).role is Role.TAKER

    def test_reader_that_is_no_party_is_authorized(self) -> None:
        xml = authorized(example("cte/readers"))
        reader = xml.decode().partition("<autXML><CNPJ>")[2].partition("<")[0]
        assert document(xml, reader).role is Role.AUTHORIZED

    def test_issuer_is_known_as_such(self) -> None:
        assert document(authorized(ROAD), ISSUER).role is Role.ISSUER


class TestEvent:
    @pytest.mark.parametrize("file", EVENTS, ids=[file.stem for file in EVENTS])
    def test_every_example_of_an_event_is_read(self, file: Path) -> None:
        read = event(registered(file.read_text("utf-8")))
        assert (read.protocol, read.registered_at) == (PROTOCOL, datetime.fromisoformat(REGISTERED_AT))
        assert read.description
        assert read.is_full

    def test_cancellation_cancels_the_cte(self) -> None:
        read = event(registered(example("cte/events/cancellation")))
        assert (read.code, read.situation, read.sequence) == ("110111", Situation.CANCELED, 1)
        assert read.description == "Cancelamento"
        assert read.author_tax_id == ISSUER
        assert read.text

    def test_letter_corrects_the_cte(self) -> None:
        xml = example("cte/events/correction")
        read = event(registered(xml))
        assert xml.count("<infCorrecao>") == 2
        assert (read.code, read.situation) == ("110110", Situation.CORRECTED)
        assert read.text == 'compl/xObs: Entrega na doca 4 - "fundos" & lateral; infQ/tpMed: PESO LIQUIDO'

    def test_disagreement_changes_nothing(self) -> None:
        read = event(registered(example("cte/events/disagreement")))
        assert (read.code, read.situation) == ("610110", None)
        assert read.text

    def test_event_of_an_authority_may_have_an_unknown_detail(self) -> None:
        key = key_of(ROAD)
        xml = (
            f'<eventoCTe versao="4.00"><infEvento Id="ID310610{key}001"><cOrgao>35</cOrgao><tpAmb>1</tpAmb>'
            f"<CNPJ>00000000000191</CNPJ><chCTe>{key}</chCTe><dhEvento>2026-11-25T08:00:00-03:00</dhEvento>"
            "<tpEvento>310610</tpEvento><nSeqEvento>1</nSeqEvento><detEvento><evNovo><xCampo>1</xCampo></evNovo>"
            "</detEvento></infEvento></eventoCTe>"
        )
        read = event(registered(xml))
        assert (read.code, read.description, read.situation, read.text) == (
            "310610",
            "Nome do evento",
            None,
            None,
        )

    def test_refused_event_is_not_read(self) -> None:
        assert "Falta ao XML o registro do evento (retEventoCTe)" in unread(
            EVENT_SCHEMA, registered(example("cte/events/cancellation"), code="218")
        )


class TestUnread:
    @pytest.mark.parametrize("schema", ["procGTVe_v4.00.xsd", "resCTe_v1.00.xsd", "", "procNFe_v4.00.xsd"])
    def test_other_schemas_are_not_read(self, schema: str) -> None:
        assert "não é conhecido" in unread(schema, authorized(ROAD))

    def test_cte_without_protocol_is_not_read(self) -> None:
        bare = ROAD.encode()
        assert "protocolo" in unread(SCHEMA, bare)
        wrapped = f'<cteProc xmlns="{NAMESPACE}">{ROAD}</cteProc>'.encode()
        assert "protocolo" in unread(SCHEMA, wrapped)

    def test_protocol_of_another_cte_is_noticed(self) -> None:
        inner = protocol(key_of(ROAD))
        xml = authorized(ROAD).decode().replace(inner, protocol(SIMPLIFIED_KEY))
        assert "outro documento" in unread(SCHEMA, xml.encode())

    def test_document_of_another_model_is_not_read(self) -> None:
        os = OS_CTES[0].read_text("utf-8")
        xml = authorized(os.replace("<CTeOS ", "<CTe ").replace("</CTeOS>", "</CTe>"))
        assert "modelo 67" in unread(SCHEMA, xml)

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("<vTPrest>", "<vTPrest>R$ "),
            ("<dhEmi>2026", "<dhEmi>ontem 2026"),
            ("<emit>", "<emit2>"),
            ("<nProt>", "<nProt>x"),
            ("<cStat>100", "<cStat>999"),
            ("<emit><CNPJ>11222333000181", "<emit><CNPJ>11222333000182"),
            ("<vTPrest>", "<vTPrest><!-- -->"),
            ('Id="CTe', 'Id="CTe9'),
        ],
    )
    def test_ill_formed_facts_are_not_guessed(self, before: str, after: str) -> None:
        xml = authorized(ROAD).decode().replace(before, after)
        if before == "<emit>":
            xml = xml.replace("</emit>", "</emit2>")
        assert unread(SCHEMA, xml.encode())

    @pytest.mark.parametrize(
        "xml",
        [
            b"",
            b"%PDF-1.7",
            b"<cteProc/>",
            b'<!DOCTYPE a [<!ENTITY b "c">]><cteProc>&b;</cteProc>',
            authorized(ROAD)[:-100],
            authorized(ROAD).decode().encode("utf-16"),
            b"<a>" * 100 + b"</a>" * 100,
        ],
        ids=["empty", "pdf", "no namespace", "entity", "cut", "utf-16", "deep"],
    )
    def test_hostile_files_are_not_read(self, xml: bytes) -> None:
        for schema in (SCHEMA, OS_SCHEMA, EVENT_SCHEMA):
            assert unread(schema, xml)
        with pytest.raises(UnreadFile):
            RECEIVING.details(xml)
        with pytest.raises(UnreadFile):
            RECEIVING.amounts(xml)
