"""The whole NFC-e: its content and its QR code."""

import hashlib
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.filling import HOMOLOGATION_ITEM
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    CPF,
    CSC,
    NFCE_BODY,
    PRODUCTION,
    RIO_DE_JANEIRO,
    buyer,
    company,
    emission,
    issued_nfce,
    item,
    misformed,
    nfce,
    refused,
    text_at,
)
from xmlsec1 import xmlsec1_accepts

UNPAID = "Campo obrigatório: informe paymentMethod ou payments."
KEY_FORM = "Formato inválido: informe os 44 caracteres da chave de acesso, e não “123”."
MOMENT_FORM = "Deve ter data e hora no formato ISO 8601, por exemplo 2026-11-14T10:00:00-03:00."
KEY = "35261111222333000181650010000000031123456820"
TOKEN = CSC["homologation"]["csc"]


@pytest.fixture(scope="module")
def document(signer: Signer) -> SignedDocument:
    document = issued_nfce(signer)
    assert isinstance(document, SignedDocument), document
    return document


def qr_code(document: object) -> list[str]:
    """Returns the parameters of the QR code."""
    assert isinstance(document, SignedDocument), document
    text = etree.fromstring(document.xml).findtext(f".//{{{NAMESPACE}}}qrCode")
    assert text
    return text.partition("?p=")[2].split("|")


class TestSignedReceipt:
    def test_signed_receipt_is_in_canonical_form(self, document: SignedDocument) -> None:
        root = etree.fromstring(document.xml)
        assert etree.tostring(root, method="c14n") == document.xml

    def test_signature_is_accepted_by_us_and_by_another_implementation(
        self, document: SignedDocument
    ) -> None:
        verified = verify(etree.fromstring(document.xml))
        assert verified.digest_value == document.digest_value
        assert xmlsec1_accepts(document.xml, "infNFe")

    def test_supplement_is_between_the_signed_part_and_the_signature(self, document: SignedDocument) -> None:
        tags = [etree.QName(element).localname for element in etree.fromstring(document.xml)]
        assert tags == ["infNFe", "infNFeSupl", "Signature"]

    def test_access_key_consists_of_the_receipts_numbers(self, document: SignedDocument) -> None:
        assert document.access_key == KEY


class TestDefaults:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("ide/mod", "65"),
            ("ide/natOp", "VENDA DE MERCADORIA"),
            ("ide/tpNF", "1"),
            ("ide/idDest", "1"),
            ("ide/tpImp", "4"),
            ("ide/tpEmis", "1"),
            ("ide/finNFe", "1"),
            ("ide/indFinal", "1"),
            ("ide/indPres", "1"),
            ("ide/indIntermed", None),
            ("ide/dhCont", None),
            ("dest/indIEDest", None),
            ("det/prod/CFOP", "5102"),
            ("det/prod/cEAN", "SEM GTIN"),
            ("transp/modFrete", "9"),
            ("pag/detPag/tPag", "01"),
            ("pag/detPag/vPag", "71.80"),
        ],
    )
    def test_defaults_are_those_of_a_sale_in_the_shop(self, path: str, value: str | None) -> None:
        assert text_at(nfce(), path) == value

    def test_sale_to_a_buyer_of_another_state_is_internal(self) -> None:
        document = nfce(recipient=buyer(address=RIO_DE_JANEIRO))
        assert (text_at(document, "ide/idDest"), text_at(document, "det/prod/CFOP")) == ("1", "5102")
        assert text_at(document, "emit/IEST") is None

    def test_buyer_needs_no_address(self, signer: Signer) -> None:
        document = issued_nfce(signer, recipient={"taxId": CPF})
        assert isinstance(document, SignedDocument), document
        assert f"<dest><CPF>{CPF}</CPF>" in document.xml.decode()


class TestHomologation:
    def test_first_item_is_marked_in_homologation(self) -> None:
        document = nfce(items=[item(), item()])
        assert text_at(document, "det[1]/prod/xProd") == HOMOLOGATION_ITEM
        assert text_at(document, "det[2]/prod/xProd") == "Caneca"
        assert HOMOLOGATION_ITEM == "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_invalid_text_is_refused_though_homologation_replaces_it(
        self, signer: Signer, under: Emission
    ) -> None:
        goods = [item(description="Caneca 🎉"), item(description="Copo 🎉")]
        hidden = "O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389)."
        assert refused(issued_nfce(signer, under=under, items=goods[:1])) == {"items[0].description": hidden}
        assert refused(issued_nfce(signer, under=under, items=[item(), goods[1]])) == {
            "items[1].description": hidden
        }

    def test_invalid_name_of_the_buyer_is_refused_though_homologation_replaces_it(
        self, signer: Signer
    ) -> None:
        twice = {"csosn": "900", "cst": "00"}
        wrong = [item(description="Caneca 🎉", icms=twice), item(icms=twice)]
        problems = issued_nfce(signer, items=wrong, recipient=buyer(name="Maria 🎉"))
        assert list(refused(problems)) == [
            "items[0].description",
            "items[0].icms",
            "items[1].icms",
            "recipient.name",
        ]

    def test_items_are_not_marked_in_production(self) -> None:
        assert text_at(nfce(under=PRODUCTION), "det/prod/xProd") == "Caneca"

    def test_name_of_the_buyer_is_marked_in_homologation(self) -> None:
        assert text_at(nfce(recipient=buyer()), "dest/xNome") == (
            "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        )


class TestQrCode:
    def test_qr_code_of_version_2_is_sealed_with_the_csc(self, document: SignedDocument) -> None:
        parameters = f"{KEY}|2|2|1"
        seal = hashlib.sha1(f"{parameters}{TOKEN}".encode()).hexdigest().upper()
        assert qr_code(document) == [*parameters.split("|"), seal]

    def test_qr_code_of_version_3_needs_no_csc(self, signer: Signer) -> None:
        assert qr_code(issued_nfce(signer, settings={"qrVersion": 3})) == [KEY, "3", "2"]

    def test_qr_code_of_version_3_ignores_a_csc(self, signer: Signer) -> None:
        assert qr_code(issued_nfce(signer, settings={"qrVersion": 3, **CSC})) == [KEY, "3", "2"]

    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"homologation": {"cscId": "1"}},
            {"homologation": {"csc": TOKEN}},
            {"cscId": "1", "csc": TOKEN},
        ],
    )
    def test_qr_code_of_version_2_needs_the_csc_of_the_environment(
        self, signer: Signer, settings: dict[str, Any]
    ) -> None:
        (problem,) = problems = issued_nfce(signer, settings=settings)  # type: ignore[misc]
        assert refused(problems) == {
            "company.settings.nfce.csc": "O QR Code da versão 2 exige o CSC deste ambiente."
        }
        assert problem.hint == "Informe cscId e csc nas configurações da NFC-e, ou use qrVersion 3."

    def test_qr_code_of_production_uses_the_csc_of_production(self, signer: Signer) -> None:
        document = issued_nfce(signer, under=PRODUCTION, settings={"cscId": "000002", "csc": "OUTRO", **CSC})
        assert qr_code(document)[:4] == [KEY, "2", "1", "2"]
        assert refused(issued_nfce(signer, under=PRODUCTION)).keys() == {"company.settings.nfce.csc"}

    def test_qr_code_has_the_addresses_of_the_state(self, document: SignedDocument, signer: Signer) -> None:
        elsewhere = company(
            address=RIO_DE_JANEIRO, stateRegistrations=[{"state": "RJ", "number": "22222228"}]
        )
        in_rio = issued_nfce(signer, by=elsewhere)
        assert isinstance(in_rio, SignedDocument), in_rio
        assert b"fazenda.sp.gov.br" in document.xml
        assert b"fazenda.rj.gov.br" in in_rio.xml

    def test_missing_csc_is_not_reported_when_the_receipt_cannot_be_written(self, signer: Signer) -> None:
        problems = issued_nfce(signer, settings={}, nature="Venda 🎉")
        assert refused(problems).keys() == {"nature"}


class TestEnvironment:
    @pytest.mark.parametrize("companys", Environment)
    @pytest.mark.parametrize(
        ("own", "environment"),
        [
            ("production", Environment.PRODUCTION),
            ("homologation", Environment.HOMOLOGATION),
            ("test", Environment.HOMOLOGATION),
        ],
    )
    def test_environment_of_the_module_overrides_the_companys(
        self, companys: Environment, own: str, environment: Environment
    ) -> None:
        settings = NfceSettings.model_validate({"environment": own})
        assert settings.effective_environment(companys) is environment

    @pytest.mark.parametrize("companys", Environment)
    def test_environment_is_the_companys_where_the_module_has_none(self, companys: Environment) -> None:
        assert NfceSettings().effective_environment(companys) is companys
        assert NfeSettings().effective_environment(companys) is companys


class TestBody:
    @pytest.mark.parametrize(
        ("changes", "field", "message"),
        [
            ({"paymentMethod": None}, "paymentMethod", UNPAID),
            ({"issueMode": "offline"}, "issueMode", "Valor inválido: use 'normal' ou 'offlineContingency'."),
            ({"transmit": "never"}, "transmit", "Valor inválido: use 'now' ou 'later'."),
            ({"series": 890}, "series", "A série vai de 0 a 889; de 890 em diante é reservada."),
            ({"number": 0}, "number", "Deve ser maior ou igual a 1."),
            ({"number": "1"}, "number", "Deve ser um número inteiro."),
            ({"accessKey": "123"}, "accessKey", KEY_FORM),
            ({"issuedAt": "2026-11-14"}, "issuedAt", MOMENT_FORM),
            (
                {"contingency": {"startedAt": "2026-11-14T09:00:00-03:00", "reason": "curta"}},
                "contingency.reason",
                "Deve ter pelo menos 15 caracteres.",
            ),
            ({"signedXml": "x" * 500_001}, "signedXml", "Deve ter no máximo 500000 caracteres."),
            ({"billing": {}}, "billing", "Campo desconhecido."),
            ({"finalConsumer": True}, "finalConsumer", "Campo desconhecido."),
            (
                {"payments": [{"method": "cash", "amount": 1}] * 101},
                "payments",
                "Deve ter no máximo 100 itens.",
            ),
        ],
    )
    def test_field_of_a_wrong_form_is_refused(
        self, changes: dict[str, Any], field: str, message: str
    ) -> None:
        with pytest.raises(ValidationError) as raised:
            NfceRequest.model_validate(NFCE_BODY | changes)
        assert misformed(raised.value) == {field: message}
