"""Rules that only documents made elsewhere can break: a signed receipt gets warnings.

`test_golden.py` checks that our own documents break none of them.
"""

from datetime import timedelta

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import CSC, ISSUED_AT, NFCE_BODY, emission, issuance
from unit.fiscal.point_of_sale import KEY, SIGNED_PART, PointOfSale

CONTINGENCY = Contingency(ISSUED_AT - timedelta(hours=1), "SEM CONEXAO COM A SEFAZ NO MOMENTO")


def document_of_signed_receipt(signer: Signer, signed_part: str) -> SignedDocument:
    """Returns the document of a signed receipt of a point of sale."""
    body = NFCE_BODY | {"signedXml": PointOfSale(signer).v2(signed_part).decode(), "accessKey": str(KEY)}
    printed = {
        "issueMode": "offlineContingency",
        "number": 10,
        "series": 1,
        "issuedAt": ISSUED_AT.isoformat(),
        "contingency": {"startedAt": ISSUED_AT.isoformat(), "reason": CONTINGENCY.reason},
    }
    request = NfceRequest.model_validate(body | printed)
    under = emission(number=10, numeric_code="12345689", type=EmissionType.OFFLINE, contingency=CONTINGENCY)
    settings = NFCE.settings.model_validate(CSC)
    document = NFCE.issuing.issue(request, issuance(signer, settings, under=under))
    assert isinstance(document, SignedDocument), document
    return document


class TestSignedReceipt:
    def test_signed_receipt_gets_warnings_of_likely_rejections(self, signer: Signer) -> None:
        wrong = SIGNED_PART.replace("<vOutro>0.00</vOutro>", "<vOutro>7.00</vOutro>")
        warnings = document_of_signed_receipt(signer, wrong).warnings
        assert any(
            "totals.other: O total das outras despesas não é a soma" in warning for warning in warnings
        )

    def test_signed_receipt_that_breaks_rules_is_sent_unchanged(self, signer: Signer) -> None:
        wrong = SIGNED_PART.replace("<CFOP>5102</CFOP>", "<CFOP>6102</CFOP>")
        document = document_of_signed_receipt(signer, wrong)
        assert b"<CFOP>6102</CFOP>" in document.xml
        assert any("items[0].cfop" in warning for warning in document.warnings)

    def test_warnings_of_a_signed_receipt_come_from_the_xml_and_not_from_the_body(
        self, signer: Signer
    ) -> None:
        warnings = document_of_signed_receipt(signer, SIGNED_PART).warnings
        # The sample says CANETA in homologation, which requires a fixed text.
        assert any(warning.startswith("signedXml: items[0].description:") for warning in warnings)
