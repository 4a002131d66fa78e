"""The whole NF-e: its defaults for a short body, and the signed XML."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    ITEM,
    LISBON,
    PRODUCTION,
    RIO_DE_JANEIRO,
    buyer,
    emission,
    issued_nfe,
    nfe,
    refused,
    text_at,
)
from xmlsec1 import xmlsec1_accepts

KEY = "35261111222333000181550010000000031123456827"
CONTRIBUTOR = {"taxId": BUYER_CNPJ, "stateRegistration": "110042490114"}
FOREIGNER = buyer(taxId=None, foreignId="AB-12345", address=LISBON)
MARKETPLACE = {"taxId": CNPJ, "sellerId": "loja-1"}


@pytest.fixture(scope="module")
def document(signer: Signer) -> SignedDocument:
    document = issued_nfe(signer)
    assert isinstance(document, SignedDocument), document
    return document


class TestSignedDocument:
    def test_signed_document_is_in_canonical_form(self, document: SignedDocument) -> None:
        root = etree.fromstring(document.xml)
        assert etree.tostring(root, method="c14n") == document.xml

    def test_signature_is_valid(self, document: SignedDocument, signer: Signer) -> None:
        verified = verify(etree.fromstring(document.xml))
        assert verified.digest_value == document.digest_value

    def test_signature_is_accepted_by_another_implementation(self, document: SignedDocument) -> None:
        assert xmlsec1_accepts(document.xml, "infNFe")

    def test_access_key_consists_of_the_documents_numbers(self, document: SignedDocument) -> None:
        assert document.access_key == KEY
        assert f'<infNFe Id="NFe{KEY}" versao="4.00">' in document.xml.decode()

    def test_document_has_no_white_space_between_elements_and_no_empty_element(
        self, document: SignedDocument
    ) -> None:
        root = etree.fromstring(document.xml)
        signed = root[0]
        assert all(len(element) or element.text for element in signed.iter())
        assert all(element.tail is None for element in root.iter())

    def test_same_arguments_give_the_same_text(self, document: SignedDocument, signer: Signer) -> None:
        assert issued_nfe(signer) == document

    def test_repr_of_the_document_has_nothing_of_its_text(self, document: SignedDocument) -> None:
        assert "Caneca" not in repr(document)


class TestDefaults:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("ide/cUF", "35"),
            ("ide/cNF", "12345682"),
            ("ide/natOp", "VENDA DE MERCADORIA"),
            ("ide/mod", "55"),
            ("ide/serie", "1"),
            ("ide/nNF", "3"),
            ("ide/dhEmi", "2026-11-14T10:00:00-03:00"),
            ("ide/dhSaiEnt", None),
            ("ide/tpNF", "1"),
            ("ide/idDest", "1"),
            ("ide/cMunFG", "3550308"),
            ("ide/tpImp", "1"),
            ("ide/tpEmis", "1"),
            ("ide/cDV", "7"),
            ("ide/tpAmb", "2"),
            ("ide/finNFe", "1"),
            ("ide/indFinal", "1"),
            ("ide/indPres", "1"),
            ("ide/indIntermed", None),
            ("ide/procEmi", "0"),
            ("ide/verProc", "carimbo"),
            ("ide/dhCont", None),
            ("dest/indIEDest", "9"),
            ("det/prod/CFOP", "5102"),
            ("transp/modFrete", "9"),
            ("pag/detPag/tPag", "01"),
            ("infAdic/infAdFisco", None),
            ("cobr/fat/nFat", None),
        ],
    )
    def test_defaults_are_those_of_a_sale_in_the_shop(self, path: str, value: str | None) -> None:
        assert text_at(nfe(), path) == value

    def test_production_has_its_code(self) -> None:
        assert text_at(nfe(under=PRODUCTION), "ide/tpAmb") == "1"


class TestDestination:
    @pytest.mark.parametrize(
        ("recipient", "operation", "destination", "cfop"),
        [
            (buyer(), "outbound", "1", "5102"),
            (buyer(**CONTRIBUTOR), "outbound", "1", "5102"),
            (buyer(address=RIO_DE_JANEIRO), "outbound", "2", "6108"),
            (buyer(address=RIO_DE_JANEIRO, **CONTRIBUTOR), "outbound", "2", "6102"),
            (
                buyer(address=RIO_DE_JANEIRO, taxId=BUYER_CNPJ, stateRegistration="ISENTO"),
                "outbound",
                "2",
                "6102",
            ),
            (FOREIGNER, "outbound", "3", "7102"),
            (buyer(), "inbound", "1", "1102"),
            (buyer(address=RIO_DE_JANEIRO), "inbound", "2", "2102"),
            (FOREIGNER, "inbound", "3", "3102"),
            (buyer(address=None), "outbound", "1", "5102"),
        ],
    )
    def test_destination_decides_its_code_and_the_usual_cfop(
        self, recipient: dict[str, Any], operation: str, destination: str, cfop: str
    ) -> None:
        document = nfe(recipient=recipient, operation=operation, presence="other")
        assert (text_at(document, "ide/idDest"), text_at(document, "det/prod/CFOP")) == (destination, cfop)

    def test_given_cfop_is_not_changed(self) -> None:
        document = nfe(recipient=buyer(address=RIO_DE_JANEIRO), cfop="6101")
        assert text_at(document, "det/prod/CFOP") == "6101"


class TestFinalConsumer:
    @pytest.mark.parametrize(
        ("recipient", "code"),
        [
            (buyer(), "1"),
            (buyer(**CONTRIBUTOR), "0"),
            (buyer(stateRegistration="ISENTO"), "0"),
            (FOREIGNER, "0"),
        ],
    )
    def test_final_consumer_is_a_buyer_who_is_no_icms_contributor(
        self, recipient: dict[str, Any], code: str
    ) -> None:
        assert text_at(nfe(recipient=recipient, presence="other"), "ide/indFinal") == code

    @pytest.mark.parametrize(("is_final", "code"), [(True, "1"), (False, "0")])
    def test_final_consumer_of_the_body_overrides_the_default(self, is_final: bool, code: str) -> None:
        assert text_at(nfe(recipient=buyer(**CONTRIBUTOR), finalConsumer=is_final), "ide/indFinal") == code


class TestPresence:
    @pytest.mark.parametrize(
        ("presence", "code", "intermediation"),
        [
            ("none", "0", None),
            ("inPerson", "1", None),
            ("internet", "2", "0"),
            ("phone", "3", "0"),
            ("delivery", "4", "0"),
            ("outside", "5", None),
            ("other", "9", "0"),
        ],
    )
    def test_sale_at_a_distance_has_no_intermediary_by_default(
        self, presence: str, code: str, intermediation: str | None
    ) -> None:
        document = nfe(presence=presence)
        assert (text_at(document, "ide/indPres"), text_at(document, "ide/indIntermed")) == (
            code,
            intermediation,
        )

    def test_sale_through_a_marketplace_names_it(self, signer: Signer) -> None:
        document = nfe(presence="internet", intermediary=MARKETPLACE)
        assert text_at(document, "ide/indIntermed") == "1"
        assert text_at(document, "infIntermed/idCadIntTran") == "loja-1"
        assert isinstance(issued_nfe(signer, presence="internet", intermediary=MARKETPLACE), SignedDocument)


class TestPlaceOfSupply:
    @pytest.mark.parametrize(
        ("field", "tag", "value"),
        [("supplyPlaceCode", "cIndOp", "030101"), ("ibsTaxableCityCode", "cMunFGIBS", "3304557")],
    )
    def test_place_of_supply_is_written_only_when_it_is_given(
        self, signer: Signer, field: str, tag: str, value: str
    ) -> None:
        given: dict[str, Any] = {field: value}
        assert (text_at(nfe(), f"ide/{tag}"), text_at(nfe(**given), f"ide/{tag}")) == (None, value)
        assert isinstance(issued_nfe(signer, **given), SignedDocument)


class TestKind:
    @pytest.mark.parametrize(
        ("purpose", "code"),
        [
            ("normal", "1"),
            ("complement", "2"),
            ("adjustment", "3"),
            ("return", "4"),
            ("credit", "5"),
            ("debit", "6"),
        ],
    )
    def test_every_purpose_has_its_code(self, purpose: str, code: str) -> None:
        assert text_at(nfe(purpose=purpose), "ide/finNFe") == code

    def test_return_refers_to_the_returned_item(self, signer: Signer) -> None:
        returned = ITEM | {"cfop": "1202", "referencedItem": {"accessKey": KEY, "position": 2}}
        document = issued_nfe(signer, purpose="return", operation="inbound", items=[returned])
        assert isinstance(document, SignedDocument), document
        referenced = f"<DFeReferenciado><chaveAcesso>{KEY}</chaveAcesso><nItem>2</nItem></DFeReferenciado>"
        assert referenced in document.xml.decode()

    def test_complement_refers_to_the_complemented_note(self, signer: Signer) -> None:
        document = issued_nfe(signer, purpose="complement", references=[{"accessKey": KEY}])
        assert isinstance(document, SignedDocument), document
        assert f"<NFref><refNFe>{KEY}</refNFe></NFref>" in document.xml.decode()

    def test_empty_reference_is_refused_by_its_position(self, signer: Signer) -> None:
        assert refused(issued_nfe(signer, references=[{"accessKey": KEY}, {}])) == {
            "references[1]": "O campo está vazio."
        }

    def test_wrong_key_among_others_is_refused_by_its_position(self, signer: Signer) -> None:
        problems = issued_nfe(signer, advancePayment={"accessKeys": [KEY, f"{KEY}0"]})
        assert refused(problems) == {"advancePayment.accessKeys[1]": "O campo tem mais de 44 caracteres."}


class TestContingency:
    @pytest.mark.parametrize(
        ("emission_type", "code"), [(EmissionType.SVC_AN, "6"), (EmissionType.SVC_RS, "7")]
    )
    def test_contingency_has_its_start_and_reason(
        self, signer: Signer, emission_type: EmissionType, code: str
    ) -> None:
        since = datetime.fromisoformat("2026-11-14T09:00:00-03:00")
        under = emission(type=emission_type, contingency=Contingency(since, "Sem resposta da SEFAZ"))
        document = issued_nfe(signer, under=under)
        assert isinstance(document, SignedDocument), document
        assert document.access_key[34] == code
        assert f"<tpEmis>{code}</tpEmis>" in document.xml.decode()
        start_and_reason = b"<dhCont>2026-11-14T09:00:00-03:00</dhCont><xJust>Sem resposta da SEFAZ</xJust>"
        assert start_and_reason in document.xml
