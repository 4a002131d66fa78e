"""Files that the national environment distributes to the parties of an NF-e."""

from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.documents.nfe.received import RECEIVING
from carimbo.fiscal.receiving import ReceivedDocument, Role, Situation, UnreadFile
from carimbo.fiscal.schemas import Schema
from carimbo.simulator.group import group_of
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.distribution_sequence import invoice_summary
from nfe_answers import PROTOCOL, RECEIVED
from unit.fiscal.documents.received_nfe import (
    EVENT,
    EVENT_SUMMARY,
    INVOICE,
    KEY,
    NFE_EXAMPLES,
    RECIPIENT,
    SUMMARY,
    example,
    proc_event,
    proc_nfe,
    res_nfe,
    with_party,
    with_text,
)
from unit.fiscal.documents.received_support import reason_unread, received_document
from unit.fiscal.goods.support import SCHEMAS
from unit.golden_documents import golden_document

CARRIER, BRANCH, HEAD_OFFICE = "99888777000100", "44455566000264", "44455566000183"


def sale() -> bytes:
    """Returns an authorized NF-e to a person."""
    return example("minimal")


def document(file: bytes, tax_id: str = RECIPIENT, schema: str = INVOICE) -> ReceivedDocument:
    """Returns the document that a file is about."""
    return received_document(RECEIVING, schema, file, tax_id)


def refusal(schema: str, file: bytes) -> str:
    """Returns why a file is not read."""
    return reason_unread(RECEIVING, schema, file, RECIPIENT)


class TestSummary:
    def test_sample_follows_the_official_schema(self) -> None:
        assert SCHEMAS.problems(Schema.NFE_SUMMARY, etree.fromstring(res_nfe()), StoredDocument) == ()

    def test_summary_has_what_lists_show(self) -> None:
        assert document(res_nfe(), schema=SUMMARY) == ReceivedDocument(
            type="nfe",
            access_key=KEY,
            number=1,
            series=1,
            issuer_tax_id="11222333000181",
            issuer_name="Loja Modelo Ltda",
            role=Role.RECIPIENT,
            amount=Decimal("71.80"),
            issued_at=datetime.fromisoformat("2026-11-14T10:00:00-03:00"),
            authorized_at=datetime.fromisoformat("2026-11-14T10:00:02-03:00"),
            protocol="135260000000001",
            situation=Situation.AUTHORIZED,
            is_full=False,
        )

    @pytest.mark.parametrize(
        ("code", "situation"),
        [("1", Situation.AUTHORIZED), ("2", Situation.DENIED), ("3", Situation.CANCELED)],
    )
    def test_situation_follows_from_the_code(self, code: str, situation: Situation) -> None:
        assert document(res_nfe(cSitNFe=code), schema=SUMMARY).situation is situation

    def test_issuer_may_be_a_person(self) -> None:
        file = res_nfe(CNPJ=None, CPF="52998224725")
        assert document(file, schema=SUMMARY).issuer_tax_id == "52998224725"

    def test_summary_of_the_simulator_says_the_same_as_the_document(self) -> None:
        golden = golden_document("nfe/normal-sale.json")
        whole = document(proc_nfe(golden.xml))
        stored = StoredDocument(
            environment="2",
            access_key=whole.access_key,
            authorizer="SP",
            issuer=whole.issuer_tax_id,
            recipient=RECIPIENT,
            series=1,
            number=1,
            issued_at=datetime.fromisoformat("2026-11-14T10:00:00-03:00"),
            received_at=datetime.fromisoformat("2026-11-14T10:00:02-03:00"),
            code="100",
            protocol=PROTOCOL,
            digest="pxUDgxIKVPey9vKs8XDFKVayuKA=",
            xml=golden.xml,
            protocol_xml=b"",
        )
        summary = document(invoice_summary(stored, group_of(golden.root[0])).encode(), schema=SUMMARY)
        same = ("access_key", "number", "series", "issuer_tax_id", "issuer_name", "amount", "issued_at")
        assert [getattr(summary, name) for name in same] == [getattr(whole, name) for name in same]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"chNFe": None}, "O XML não tem o campo chNFe."),
            ({"chNFe": "9" * 44}, "A chave de acesso não começa com código de estado"),
            ({"chNFe": KEY[:-1] + "0"}, "O dígito verificador da chave de acesso não confere."),
            ({"vNF": "NaN"}, "O campo vNF não é um número: “NaN”."),
            ({"vNF": "1_000.00"}, "não é um número"),
            ({"vNF": "9" * 30}, "não é um número"),
            ({"vNF": "١٢"}, "não é um número"),
            ({"vNF": None}, "O XML não tem o campo vNF."),
            ({"CNPJ": "11222333000182"}, "não tem um CNPJ ou CPF válido"),
            ({"dhEmi": "ontem"}, "O campo dhEmi não é uma data e hora: “ontem”."),
            ({"dhEmi": None}, "O XML não tem o campo dhEmi."),
            ({"nProt": "1" * 5000}, "O campo nProt não tem o formato do leiaute"),
            ({"dhEmi": "2026-13-01T00:00:00-03:00"}, "não é uma data e hora"),
            ({"cSitNFe": "9"}, "A situação da NF-e não é conhecida: “9”."),
        ],
    )
    def test_missing_or_wrong_facts_are_refused(self, changes: dict[str, str | None], message: str) -> None:
        assert message in refusal(SUMMARY, res_nfe(**changes))


class TestDocument:
    @pytest.mark.parametrize("file", NFE_EXAMPLES)
    def test_every_example_is_read(self, file: str) -> None:
        golden = golden_document(file)
        received = document(proc_nfe(golden.xml))
        invoice = golden.invoice
        assert (received.number, received.series) == (
            invoice.identification.number,
            invoice.identification.series,
        )
        assert received.amount == invoice.totals.invoice.amount
        assert (received.issuer_tax_id, received.is_full) == (invoice.issuer.cnpj, True)
        assert received.authorized_at == datetime.fromisoformat(RECEIVED)

    def test_cnpj_with_letters_is_in_key_and_issuer(self) -> None:
        received = document(example("letters"))
        assert received.issuer_tax_id in received.access_key
        assert not received.issuer_tax_id.isdecimal()

    @pytest.mark.parametrize("code", ["100", "150"])
    def test_authorized_late_is_authorized(self, code: str) -> None:
        file = proc_nfe(golden_document("nfe/minimal.json").xml, code)
        assert document(file).situation is Situation.AUTHORIZED

    def test_denied_document_is_known_by_its_protocol(self) -> None:
        file = proc_nfe(golden_document("nfe/minimal.json").xml, "110")
        assert document(file).situation is Situation.DENIED

    def test_unknown_elements_do_not_prevent_reading(self) -> None:
        file = with_party(sale(), "dest", "<novo><vNF>x</vNF></novo>")
        assert document(file) == document(sale())

    def test_byte_order_mark_and_declaration_are_accepted(self) -> None:
        declared = b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>\n' + sale()
        assert document(declared) == document(sale())

    @pytest.mark.parametrize("inside", [b"<NFe", b"<nfeProc"])
    def test_document_without_protocol_is_refused(self, inside: bytes) -> None:
        file = golden_document("nfe/minimal.json").xml
        if inside == b"<nfeProc":
            file = sale()[: sale().index(b"<protNFe")] + b"</nfeProc>"
        assert "Falta ao XML o protocolo de autorização (protNFe)" in refusal(INVOICE, file)

    @pytest.mark.parametrize(
        ("code", "key", "message"),
        [
            ("100", KEY, "O protocolo do XML é de outro documento."),
            ("204", None, "O protocolo do XML não é de uma autorização."),
            ("0", None, "O protocolo do XML não é de uma autorização."),
        ],
    )
    def test_protocol_must_authorize_the_document(self, code: str, key: str | None, message: str) -> None:
        assert refusal(INVOICE, proc_nfe(golden_document("nfe/minimal.json").xml, code, key)) == message

    def test_receipt_is_refused(self) -> None:
        file = proc_nfe(golden_document("nfce/cash.json").xml)
        assert refusal(INVOICE, file) == "O documento é do modelo 65, e não do modelo 55."

    @pytest.mark.parametrize(
        ("path", "text", "message"),
        [
            ("emit/CNPJ", "1", "O grupo emit não tem um CNPJ ou CPF válido."),
            ("emit/xNome", None, "O XML não tem o campo xNome."),
            ("total/ICMSTot/vNF", None, "O XML não tem o campo total/ICMSTot/vNF."),
            ("infProt/chNFe", None, "O XML não tem o campo chNFe."),
        ],
    )
    def test_missing_or_wrong_facts_are_refused(self, path: str, text: str | None, message: str) -> None:
        assert refusal(INVOICE, with_text(sale(), path, text)) == message

    def test_comment_inside_an_amount_is_refused(self) -> None:
        file = sale().replace(b"<vNF>", b"<vNF>1<!-- -->")
        assert "tem elementos ou comentários no lugar do valor" in refusal(INVOICE, file)

    def test_long_name_is_cut(self) -> None:
        assert len(document(with_text(sale(), "emit/xNome", "A" * 100_000)).issuer_name) == 300


class TestRole:
    @pytest.mark.parametrize(
        ("before", "party", "role"),
        [
            ("det", f"<autXML><CNPJ>{CARRIER}</CNPJ></autXML>", Role.AUTHORIZED),
            ("det", f"<entrega><CNPJ>{CARRIER}</CNPJ></entrega>", Role.OTHER),
            ("modFrete", f"<transporta><CNPJ>{CARRIER}</CNPJ></transporta>", Role.CARRIER),
        ],
    )
    def test_role_follows_from_the_group(self, before: str, party: str, role: Role) -> None:
        file = sale().replace(b'<det nItem="1">', b'<det><x/></det><det nItem="1">')
        assert document(with_party(file, before, party), CARRIER).role is role

    def test_recipient_that_may_also_read_is_the_recipient(self) -> None:
        recipient = example("normal-sale")
        tax_id = golden_document("nfe/normal-sale.json").invoice.recipient
        assert tax_id is not None
        own = tax_id.cnpj or tax_id.cpf or ""
        file = with_party(recipient, "transp", f"<autXML><CNPJ>{own}</CNPJ></autXML>")
        assert document(file, own).role is Role.RECIPIENT

    def test_issuer_is_the_company_itself(self) -> None:
        assert document(sale(), "11222333000181").role is Role.ISSUER

    def test_place_of_delivery_of_another_establishment_makes_nobody_the_recipient(self) -> None:
        file = with_text(example("normal-sale"), "dest/CNPJ", HEAD_OFFICE)
        at_branch = with_party(file, "transp", f"<entrega><CNPJ>{BRANCH}</CNPJ></entrega>")
        assert document(at_branch, BRANCH).role is Role.OTHER

    def test_stranger_has_another_role(self) -> None:
        assert document(sale(), CARRIER).role is Role.OTHER


class TestHostileFile:
    @pytest.mark.parametrize("schema", ["", "procCTe_v4.00.xsd", "resnfe_v1.01.xsd", "x" * 10_000])
    def test_unknown_schema_is_refused(self, schema: str) -> None:
        message = refusal(schema, sale())
        assert message.startswith("O esquema do arquivo não é conhecido")
        assert len(message) < 200

    @pytest.mark.parametrize(
        "file",
        [
            b"",
            b"\0",
            b"<nfeProc",
            b"<nfeProc/>",
            b'<nfeProc xmlns="http://www.portalfiscal.inf.br/cte"/>',
            b'<!DOCTYPE a [<!ENTITY b "c">]><nfeProc/>',
            b"<a>" * 100 + b"</a>" * 100,
            res_nfe()[:-30],
            res_nfe().decode().encode("utf-16"),
        ],
    )
    @pytest.mark.parametrize("schema", [SUMMARY, INVOICE, EVENT_SUMMARY, EVENT])
    def test_unreadable_file_is_refused_in_portuguese(self, schema: str, file: bytes) -> None:
        assert refusal(schema, file).startswith("O XML")

    @given(st.binary(max_size=60), st.integers(0, 10_000), st.sampled_from([SUMMARY, INVOICE, EVENT]))
    def test_damaged_file_is_read_or_refused(self, noise: bytes, at: int, schema: str) -> None:
        whole = {SUMMARY: res_nfe(), INVOICE: sale(), EVENT: proc_event("110111")}[schema]
        cut = at % len(whole)
        try:
            RECEIVING.read(schema, whole[:cut] + noise + whole[cut + len(noise) :], RECIPIENT)
        except UnreadFile as error:
            assert str(error)
