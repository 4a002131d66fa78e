"""Rules that only documents made elsewhere can break: a signed receipt is warned of them.

That our own documents break none of them is a question of `test_golden.py`.
"""

from datetime import timedelta

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Contingency, EmissionType
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal.goods.support import CSC, ISSUED_AT, NFCE_BODY, emission, issuance
from unit.fiscal.point_of_sale import KEY, SIGNED_PART, PointOfSale

CONTINGENCY = Contingency(ISSUED_AT - timedelta(hours=1), "SEM CONEXAO COM A SEFAZ NO MOMENTO")


def handed_over(signer: Signer, signed_part: str) -> SignedDocument:
    """A receipt of a point of sale, taken as it is."""
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
    made = NFCE.issuing.issue(request, issuance(signer, settings, under=under))
    assert isinstance(made, SignedDocument), made
    return made


class TestSignedReceipt:
    def test_is_warned_of_what_the_authority_may_refuse(self, signer: Signer) -> None:
        wrong = SIGNED_PART.replace("<vOutro>0.00</vOutro>", "<vOutro>7.00</vOutro>")
        warnings = handed_over(signer, wrong).warnings
        assert any("totals.other: O total das outras despesas não é a soma" in one for one in warnings)

    def test_is_handed_on_all_the_same(self, signer: Signer) -> None:
        wrong = SIGNED_PART.replace("<CFOP>5102</CFOP>", "<CFOP>6102</CFOP>")
        made = handed_over(signer, wrong)
        assert b"<CFOP>6102</CFOP>" in made.xml
        assert any("items[0].cfop" in one for one in made.warnings)

    def test_reads_its_warnings_from_the_xml_and_not_from_the_body(self, signer: Signer) -> None:
        warnings = handed_over(signer, SIGNED_PART).warnings
        # The sample says CANETA in homologation, where a fixed text has to stand.
        assert any(one.startswith("signedXml: items[0].description:") for one in warnings)
