"""Requests and archived files, validated with the official XSDs."""

import pytest
from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.nfe_v4.inutilization import registered_inutilization, signed_inutilization
from carimbo.fiscal.schemas import Schema, Schemas
from nfe_dialect import (
    authorization_lot,
    authorized_invoice,
    distribution_after,
    distribution_at,
    distribution_of_key,
    key_query,
    receipt_query,
    registered_event,
    status_query,
)
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.nfe_messages import KEY, NAMESPACE, range_of, signed_invoice_of
from xmlsec1 import xmlsec1_accepts

KEY_WITH_LETTERS = AccessKey.parse("35261112ABC34501DE35550010000000071123456860")
CPF = "52998224725"
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
PROTOCOL = (
    f'<protNFe xmlns="{NAMESPACE}" versao="4.00"><infProt><tpAmb>2</tpAmb><verAplic>SP_NFE_PL_010</verAplic>'
    f"<chNFe>{KEY}</chNFe><dhRecbto>2026-11-14T10:00:05-03:00</dhRecbto><nProt>135260000000001</nProt>"
    "<digVal>IJKcPCllY/ZW9aIZ8cyA9NMcuJg=</digVal><cStat>100</cStat>"
    "<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"
).encode()
INUTILIZATION_ANSWER = (
    f'<retInutNFe xmlns="{NAMESPACE}" versao="4.00"><infInut><tpAmb>2</tpAmb>'
    "<verAplic>SP_NFE_PL_010</verAplic><cStat>102</cStat>"
    "<xMotivo>Inutilizacao de numero homologado</xMotivo><cUF>35</cUF>"
    "<dhRecbto>2026-11-14T12:00:00-03:00</dhRecbto><nProt>135260000000003</nProt></infInut></retInutNFe>"
).encode()


@pytest.fixture(scope="module")
def signed_invoice(signer: Signer) -> bytes:
    return signed_invoice_of(signer)


def message(root: str, content: bytes, version: str = "4.00") -> bytes:
    return f'<{root} xmlns="{NAMESPACE}" versao="{version}">'.encode() + content + f"</{root}>".encode()


class TestQueries:
    @pytest.mark.parametrize(
        ("text", "schema"),
        [
            (receipt_query("2", "351000000000001"), Schema.NFE_RECEIPT_QUERY),
            (key_query("2", KEY), Schema.NFE_DOCUMENT_QUERY),
            (key_query("2", KEY_WITH_LETTERS), Schema.NFE_DOCUMENT_QUERY),
            (status_query("1", "35"), Schema.NFE_SERVICE_QUERY),
            (distribution_after("1", "35", CNPJ, 0), Schema.NFE_DISTRIBUTION),
            (distribution_after("1", "35", OTHER_CNPJ, 999_999_999_999_999), Schema.NFE_DISTRIBUTION),
            (distribution_after("1", "35", CPF, 123), Schema.NFE_DISTRIBUTION),
            (distribution_at("1", "35", CNPJ, 123), Schema.NFE_DISTRIBUTION),
            (distribution_of_key("1", "35", CNPJ, KEY_WITH_LETTERS), Schema.NFE_DISTRIBUTION),
        ],
    )
    def test_query_is_canonical_and_accepted_by_the_xsd(
        self, text: bytes, schema: Schema, schemas: Schemas
    ) -> None:
        assert schemas.problems(schema, etree.fromstring(text)) == ()
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_distribution_query_has_a_number_of_fifteen_digits(self) -> None:
        assert distribution_after("1", "35", CNPJ, 123).decode() == (
            f'<distDFeInt xmlns="{NAMESPACE}" versao="1.01"><tpAmb>1</tpAmb><cUFAutor>35</cUFAutor>'
            f"<CNPJ>{CNPJ}</CNPJ><distNSU><ultNSU>000000000000123</ultNSU></distNSU></distDFeInt>"
        )

    def test_query_of_a_person_has_the_cpf(self) -> None:
        assert f"<CPF>{CPF}</CPF><consChNFe>".encode() in distribution_of_key("1", "35", CPF, KEY)

    def test_markup_in_a_query_stays_text(self) -> None:
        assert b"<nRec>1&lt;/nRec&gt;&amp;</nRec>" in receipt_query("2", "1</nRec>&")

    @pytest.mark.parametrize("receipt", ["351\x00", "351\x1b", "351🙈", "\ud800", ""])
    def test_text_that_no_message_can_have_is_refused(self, receipt: str) -> None:
        with pytest.raises(Unwritable):
            receipt_query("2", receipt)


class TestAuthorizationLot:
    def test_lot_of_one_document_is_processed_at_once(self, signed_invoice: bytes, schemas: Schemas) -> None:
        text = authorization_lot(1, [signed_invoice])
        assert schemas.problems(Schema.NFE_BATCH, etree.fromstring(text)) == ()
        assert text == message("enviNFe", b"<idLote>1</idLote><indSinc>1</indSinc>" + signed_invoice)

    def test_lot_of_several_documents_is_processed_later(self, signed_invoice: bytes) -> None:
        assert b"<indSinc>0</indSinc>" in authorization_lot(1, [signed_invoice] * 2)

    def test_signature_verifies_inside_a_lot(self, signed_invoice: bytes) -> None:
        text = authorization_lot(1, [signed_invoice])
        document = etree.fromstring(text).find("{*}NFe")
        assert document is not None
        assert verify(document).reference_id == f"NFe{KEY}"
        assert xmlsec1_accepts(text, "infNFe")

    @pytest.mark.parametrize("count", [0, 51])
    def test_lot_of_no_documents_or_too_many_is_refused(self, count: int, signed_invoice: bytes) -> None:
        with pytest.raises(ValueError, match="1 to 50"):
            authorization_lot(1, [signed_invoice] * count)

    @pytest.mark.parametrize(
        "before", [DECLARATION, f"\ufeff{DECLARATION}\n", "\ufeff", " \n", "<?xml version='1.0'?>"]
    )
    def test_declaration_and_white_space_around_a_document_are_left_out(
        self, before: str, signed_invoice: bytes
    ) -> None:
        wrapped = before.encode() + signed_invoice + b"\n"
        assert authorization_lot(1, [wrapped]) == authorization_lot(1, [signed_invoice])


class TestKeptFiles:
    def test_invoice_is_archived_with_its_authorization(
        self, signed_invoice: bytes, schemas: Schemas
    ) -> None:
        text = authorized_invoice(signed_invoice, PROTOCOL)
        assert text == message("nfeProc", signed_invoice + PROTOCOL)
        assert schemas.problems(Schema.NFE_AUTHORIZED, etree.fromstring(text)) == ()
        assert xmlsec1_accepts(text, "infNFe")

    def test_inutilization_is_archived_with_its_registration(self, signer: Signer, schemas: Schemas) -> None:
        text = registered_inutilization(signed_inutilization(range_of(), signer), INUTILIZATION_ANSWER)
        root = etree.fromstring(text)
        assert schemas.problems(Schema.NFE_INUTILIZATION_REGISTERED, root) == ()
        assert verify(root[0]).reference_id == range_of().id

    def test_archived_answer_has_no_declaration(self) -> None:
        event, answer = b"<evento></evento>", b"<retEvento></retEvento>"
        text = registered_event(event, DECLARATION.encode() + answer)
        assert text == message("procEventoNFe", event + answer, "1.00")
