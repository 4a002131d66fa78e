"""The whole NF-e: what stands in it when the caller says little, and what is signed in the end."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.signature import Signer, verify
from carimbo.fiscal.signed_document import SignedDocument
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
    said,
)
from xmlsec1 import xmlsec1_accepts

KEY = "35261111222333000181550010000000031123456827"
CONTRIBUTOR = {"taxId": BUYER_CNPJ, "stateRegistration": "110042490114"}
FOREIGNER = buyer(taxId=None, foreignId="AB-12345", address=LISBON)
MARKETPLACE = {"taxId": CNPJ, "sellerId": "loja-1"}


@pytest.fixture(scope="module")
def document(signer: Signer) -> SignedDocument:
    made = issued_nfe(signer)
    assert isinstance(made, SignedDocument), made
    return made


class TestSignedDocument:
    def test_is_canonical_as_it_stands(self, document: SignedDocument) -> None:
        root = etree.fromstring(document.xml)
        assert etree.tostring(root, method="c14n") == document.xml

    def test_has_a_signature_that_verifies(self, document: SignedDocument, signer: Signer) -> None:
        verified = verify(etree.fromstring(document.xml))
        assert verified.digest_value == document.digest_value

    def test_has_a_signature_that_another_implementation_accepts(self, document: SignedDocument) -> None:
        assert xmlsec1_accepts(document.xml, "infNFe")

    def test_has_the_key_of_its_numbers(self, document: SignedDocument) -> None:
        assert document.access_key == KEY
        assert f'<infNFe Id="NFe{KEY}" versao="4.00">' in document.xml.decode()

    def test_has_no_white_space_between_elements_and_no_empty_element(self, document: SignedDocument) -> None:
        root = etree.fromstring(document.xml)
        signed = root[0]
        assert all(len(one) or one.text for one in signed.iter())
        assert all(one.tail is None for one in root.iter())

    def test_is_the_same_text_for_the_same_arguments(self, document: SignedDocument, signer: Signer) -> None:
        assert issued_nfe(signer) == document

    def test_shows_nothing_of_its_text_in_a_log(self, document: SignedDocument) -> None:
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
    def test_are_those_of_a_sale_over_the_counter(self, path: str, value: str | None) -> None:
        assert said(nfe(), path) == value

    def test_tell_production_by_its_code(self) -> None:
        assert said(nfe(under=PRODUCTION), "ide/tpAmb") == "1"


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
    def test_settles_its_code_and_the_usual_cfop(
        self, recipient: dict[str, Any], operation: str, destination: str, cfop: str
    ) -> None:
        made = nfe(recipient=recipient, operation=operation, presence="other")
        assert (said(made, "ide/idDest"), said(made, "det/prod/CFOP")) == (destination, cfop)

    def test_does_not_change_the_cfop_that_is_given(self) -> None:
        made = nfe(recipient=buyer(address=RIO_DE_JANEIRO), cfop="6101")
        assert said(made, "det/prod/CFOP") == "6101"


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
    def test_is_who_pays_no_icms(self, recipient: dict[str, Any], code: str) -> None:
        assert said(nfe(recipient=recipient, presence="other"), "ide/indFinal") == code

    @pytest.mark.parametrize(("said_so", "code"), [(True, "1"), (False, "0")])
    def test_is_whom_the_caller_calls_so(self, said_so: bool, code: str) -> None:
        assert said(nfe(recipient=buyer(**CONTRIBUTOR), finalConsumer=said_so), "ide/indFinal") == code


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
    def test_at_a_distance_tells_that_nobody_stands_between(
        self, presence: str, code: str, intermediation: str | None
    ) -> None:
        made = nfe(presence=presence)
        assert (said(made, "ide/indPres"), said(made, "ide/indIntermed")) == (code, intermediation)

    def test_through_a_marketplace_tells_which(self, signer: Signer) -> None:
        made = nfe(presence="internet", intermediary=MARKETPLACE)
        assert said(made, "ide/indIntermed") == "1"
        assert said(made, "infIntermed/idCadIntTran") == "loja-1"
        assert isinstance(issued_nfe(signer, presence="internet", intermediary=MARKETPLACE), SignedDocument)


class TestPlaceOfSupply:
    @pytest.mark.parametrize(
        ("field", "tag", "value"),
        [("supplyPlaceCode", "cIndOp", "030101"), ("ibsTaxableCityCode", "cMunFGIBS", "3304557")],
    )
    def test_is_told_only_when_it_is_given(self, signer: Signer, field: str, tag: str, value: str) -> None:
        given: dict[str, Any] = {field: value}
        assert (said(nfe(), f"ide/{tag}"), said(nfe(**given), f"ide/{tag}")) == (None, value)
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
    def test_has_a_word_for_every_purpose(self, purpose: str, code: str) -> None:
        assert said(nfe(purpose=purpose), "ide/finNFe") == code

    def test_of_a_return_refers_to_what_returns(self, signer: Signer) -> None:
        returned = ITEM | {"cfop": "1202", "referencedItem": {"accessKey": KEY, "position": 2}}
        document = issued_nfe(signer, purpose="return", operation="inbound", items=[returned])
        assert isinstance(document, SignedDocument), document
        referenced = f"<DFeReferenciado><chaveAcesso>{KEY}</chaveAcesso><nItem>2</nItem></DFeReferenciado>"
        assert referenced in document.xml.decode()

    def test_of_a_complement_refers_to_what_it_complements(self, signer: Signer) -> None:
        document = issued_nfe(signer, purpose="complement", references=[{"accessKey": KEY}])
        assert isinstance(document, SignedDocument), document
        assert f"<NFref><refNFe>{KEY}</refNFe></NFref>" in document.xml.decode()

    def test_with_an_empty_reference_is_refused_at_its_place(self, signer: Signer) -> None:
        assert refused(issued_nfe(signer, references=[{"accessKey": KEY}, {}])) == {
            "references[1]": "O campo está vazio."
        }

    def test_with_a_wrong_key_among_others_is_refused_at_its_place(self, signer: Signer) -> None:
        problems = issued_nfe(signer, advancePayment={"accessKeys": [KEY, f"{KEY}0"]})
        assert refused(problems) == {"advancePayment.accessKeys[1]": "O campo tem mais de 44 caracteres."}


class TestContingency:
    @pytest.mark.parametrize(("way", "code"), [(EmissionType.SVC_AN, "6"), (EmissionType.SVC_RS, "7")])
    def test_tells_since_when_and_why(self, signer: Signer, way: EmissionType, code: str) -> None:
        since = datetime.fromisoformat("2026-11-14T09:00:00-03:00")
        under = emission(type=way, contingency=Contingency(since, "Sem resposta da SEFAZ"))
        document = issued_nfe(signer, under=under)
        assert isinstance(document, SignedDocument), document
        assert document.access_key[34] == code
        assert f"<tpEmis>{code}</tpEmis>" in document.xml.decode()
        told = b"<dhCont>2026-11-14T09:00:00-03:00</dhCont><xJust>Sem resposta da SEFAZ</xJust>"
        assert told in document.xml
