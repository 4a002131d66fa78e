"""The review of a document before it is issued."""

import re
from decimal import Decimal
from typing import Any

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Preview, Review
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    CSC,
    ISSUED_AT,
    NFCE_BODY,
    NFE_BODY,
    buyer,
    company,
    emission,
    issuance,
    issued_nfce,
    issued_nfe,
    item,
)
from unit.fiscal.point_of_sale import KEY, SIGNED_PART, PointOfSale

# An offline QR code of version 3 has a signature of its own.
SIGNATURE = re.compile(rb"<Signature .*</Signature>|[A-Za-z0-9+/]{342}==")


def preview_of(review: Review) -> Preview:
    assert review.preview
    return review.preview


def review_of(document_type: DocumentType, body: dict[str, Any], trial: Issuance) -> Review:
    issuing = document_type.issuing
    return issuing.review(issuing.request.model_validate(body), trial)


def nfe_review(by: Company | None = None, **changes: Any) -> Review:
    return review_of(NFE, NFE_BODY | changes, issuance(Signer.throwaway(), NFE.settings(), by=by))


def nfce_review(settings: dict[str, Any], under: Emission | None = None, **changes: Any) -> Review:
    chosen = NFCE.settings.model_validate(settings)
    return review_of(NFCE, NFCE_BODY | changes, issuance(Signer.throwaway(), chosen, under=under))


class TestReviewOfAnNfe:
    def test_totals_have_english_names(self) -> None:
        totals = preview_of(nfe_review()).totals
        assert (totals["goodsAmount"], totals["icmsAmount"]) == (Decimal("71.8"), 0)
        assert "approximateTaxes" not in totals

    def test_totals_are_nested_like_the_layout(self) -> None:
        totals = preview_of(nfe_review(withheldTaxes={"pisAmount": 1})).totals
        assert totals["withheldTaxes"] == {"pisAmount": 1}

    def test_preview_shows_a_document_that_the_rules_refuse(self) -> None:
        review = nfe_review(items=[item(cfop="6102")])
        assert [problem.path for problem in review.problems] == ["items[0].cfop"]
        assert preview_of(review).amount == Decimal("71.8")
        assert b"<CFOP>6102</CFOP>" in preview_of(review).xml

    def test_review_has_the_warnings_about_assumptions(self, signer: Signer) -> None:
        seller = company(taxRegime="normal", pisCofinsRegime="nonCumulative")
        document = issued_nfe(signer, by=seller)
        assert isinstance(document, SignedDocument)
        assert nfe_review(by=seller).warnings == document.warnings != ()

    def test_document_that_cannot_be_composed_has_no_preview(self) -> None:
        review = nfe_review(items=[item(quantity=0)])
        assert [problem.path for problem in review.problems] == ["items[0].quantity"]
        assert review.preview is None

    def test_document_that_cannot_be_written_has_no_preview(self) -> None:
        review = nfe_review(items=[item(description="Caneca \u2603")])
        assert [problem.path for problem in review.problems] == ["items[0].description"]
        assert review.preview is None

    def test_review_has_the_same_problems_as_issuing(self, signer: Signer) -> None:
        for changes in ({"items": [item(cfop="6102")]}, {"recipient": buyer(address=None)}):
            assert nfe_review(**changes).problems == issued_nfe(signer, **changes)


class TestReviewOfAnNfce:
    def test_preview_has_the_qr_code(self) -> None:
        assert b"</infNFe><infNFeSupl><qrCode>" in preview_of(nfce_review(CSC)).xml

    def test_preview_has_no_qr_code_where_it_cannot_be_made(self, signer: Signer) -> None:
        review = nfce_review({})
        assert review.problems == issued_nfce(signer, settings={})
        assert [problem.path for problem in review.problems] == ["company.settings.nfce.csc"]
        assert preview_of(review).xml.endswith(b"</infNFe></NFe>")

    def test_preview_of_an_offline_receipt_has_a_throwaway_signature_in_its_qr_code(self) -> None:
        contingency = Contingency(ISSUED_AT, "Sem conexão com a rede")
        offline = emission(type=EmissionType.OFFLINE, contingency=contingency)
        review = nfce_review({"qrVersion": 3}, offline)
        assert review.problems == ()
        assert b"SEMVALOR" in preview_of(review).xml


class TestReviewOfASignedXml:
    def test_preview_of_a_signed_xml_shows_the_xml_and_not_the_body(self, signer: Signer) -> None:
        xml = PointOfSale(signer).v2(SIGNED_PART)
        preview = preview_of(review_of_signed_xml(xml))
        assert preview.amount == preview.totals["amount"] == 100
        assert [line["description"] for line in preview.lines] == ["CANETA"]
        assert preview.xml == SIGNATURE.sub(b"", xml)

    def test_refused_signed_xml_has_no_preview(self, signer: Signer) -> None:
        tampered = PointOfSale(signer).v2(SIGNED_PART).replace(b"CANETA", b"CANETO")
        review = review_of_signed_xml(tampered)
        assert review.problems
        assert review.preview is None


def review_of_signed_xml(xml: bytes) -> Review:
    return nfce_review(
        CSC,
        issueMode="offlineContingency",
        signedXml=xml.decode(),
        accessKey=str(KEY),
        number=10,
        series=1,
        issuedAt=ISSUED_AT.isoformat(),
        contingency={"startedAt": ISSUED_AT.isoformat(), "reason": "Sem conexão com a rede"},
    )
