"""What a document would be, shown before it is issued."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from golden import FOLDER, Example, example_rates, examples
from lxml import etree

from carimbo.fiscal.company import Company
from carimbo.fiscal.company_file import CompanyFile, read_json
from carimbo.fiscal.document_type import DocumentType, Issuance, Issuing, Preview, Review
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.layouts.nfe_v4.document import read_invoice
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software
from unit.fiscal.goods.support import (
    CSC,
    ISSUED_AT,
    NFCE_BODY,
    NFE_BODY,
    SCHEMAS,
    buyer,
    company,
    emission,
    issuance,
    issued_nfce,
    issued_nfe,
    item,
)
from unit.fiscal.point_of_sale import KEY, SIGNED_PART, PointOfSale

TYPES = {one.name: one for one in DOCUMENT_TYPES if one.issuing and one.issuing.lines}
DOCUMENTS = [one for one in examples() if one.request.parent.name in TYPES]
# An offline QR code of version 3 has a signature of its own.
SIGNATURE = re.compile(rb"<Signature .*</Signature>|[A-Za-z0-9+/]{342}==")
of_every_document = pytest.mark.parametrize("example", DOCUMENTS, ids=lambda example: example.file)


def issuing_of(document_type: DocumentType) -> Issuing:
    assert document_type.issuing
    return document_type.issuing


def emission_of(xml: bytes) -> Emission:
    """The place in the numbering that a document says it has."""
    told = read_invoice(xml).identification
    since, reason = told.contingency_started_at, told.contingency_reason
    return replace(
        emission(),
        series=told.series,
        number=told.number,
        numeric_code=told.numeric_code,
        issued_at=told.issued_at,
        type=EmissionType(told.emission_type),
        contingency=Contingency(since, reason) if since and reason else None,
    )


@cache
def shown(file: str) -> tuple[Review, bytes]:
    """The review of an example on trial, and its XML in the repository."""
    example = next(one for one in DOCUMENTS if one.file == file)
    document_type, xml = TYPES[example.request.parent.name], example.xml.read_bytes()
    company = CompanyFile.model_validate(read_json(FOLDER / example.company))
    issuing, under = issuing_of(document_type), emission_of(xml)
    trial = Issuance(
        company=company,
        emission=under,
        software=Software("carimbo", example.responsible),
        settings=document_type.settings.model_validate(company.settings[document_type.name]),
        signer=Signer.throwaway(),
        schemas=SCHEMAS,
        now=under.issued_at,
    )
    request = issuing.request.model_validate(read_json(example.request))
    with example_rates():
        return issuing.review(request, trial), xml


def preview_of(review: Review) -> Preview:
    assert review.preview
    return review.preview


def numbers_in(told: Mapping[str, Any]) -> Iterator[Decimal]:
    """Every number of a mapping, however deep."""
    for value in told.values():
        if isinstance(value, Mapping):
            yield from numbers_in(value)
        else:
            yield value


def numbers_of_totals(xml: bytes) -> Iterator[Decimal]:
    for leaf in etree.fromstring(xml).iterfind(f".//{{{NAMESPACE}}}total//*"):
        if not len(leaf):
            yield Decimal(leaf.text or "")


class TestPreviewOfAnExample:
    @of_every_document
    def test_finds_nothing_wrong_with_it(self, example: Example) -> None:
        review, _ = shown(example.file)
        # 990 items take more than the 500 kB that the authorities do.
        expected = ["214"] if example.file == "nfe/most-items.json" else []
        assert [problem.code for problem in review.problems] == expected

    @of_every_document
    def test_has_its_text_without_the_signature(self, example: Example) -> None:
        review, xml = shown(example.file)
        assert SIGNATURE.sub(b"", preview_of(review).xml) == SIGNATURE.sub(b"", xml)
        assert b"<Signature" not in preview_of(review).xml

    @of_every_document
    def test_has_its_lines(self, example: Example) -> None:
        review, xml = shown(example.file)
        lines = issuing_of(TYPES[example.request.parent.name]).lines
        assert lines
        assert preview_of(review).lines == lines(xml)

    @of_every_document
    def test_has_its_totals(self, example: Example) -> None:
        review, xml = shown(example.file)
        preview = preview_of(review)
        assert list(numbers_in(preview.totals)) == list(numbers_of_totals(xml))
        assert preview.amount == preview.totals["amount"] == read_invoice(xml).totals.invoice.amount


def review_of(document_type: DocumentType, body: dict[str, Any], trial: Issuance) -> Review:
    issuing = issuing_of(document_type)
    return issuing.review(issuing.request.model_validate(body), trial)


def nfe_review(by: Company | None = None, **changes: Any) -> Review:
    return review_of(NFE, NFE_BODY | changes, issuance(Signer.throwaway(), NFE.settings(), by=by))


def nfce_review(settings: dict[str, Any], under: Emission | None = None, **changes: Any) -> Review:
    chosen = NFCE.settings.model_validate(settings)
    return review_of(NFCE, NFCE_BODY | changes, issuance(Signer.throwaway(), chosen, under=under))


class TestReviewOfAnNfe:
    def test_names_totals_in_english(self) -> None:
        totals = preview_of(nfe_review()).totals
        assert (totals["goodsAmount"], totals["icmsAmount"]) == (Decimal("71.8"), 0)
        assert "approximateTaxes" not in totals

    def test_nests_what_the_layout_nests(self) -> None:
        totals = preview_of(nfe_review(withheldTaxes={"pisAmount": 1})).totals
        assert totals["withheldTaxes"] == {"pisAmount": 1}

    def test_shows_what_the_rules_refuse(self) -> None:
        review = nfe_review(items=[item(cfop="6102")])
        assert [problem.path for problem in review.problems] == ["items[0].cfop"]
        assert preview_of(review).amount == Decimal("71.8")
        assert b"<CFOP>6102</CFOP>" in preview_of(review).xml

    def test_says_what_was_assumed(self, signer: Signer) -> None:
        seller = company(taxRegime="normal", pisCofinsRegime="nonCumulative")
        made = issued_nfe(signer, by=seller)
        assert isinstance(made, SignedDocument)
        assert nfe_review(by=seller).warnings == made.warnings != ()

    def test_shows_nothing_that_cannot_be_composed(self) -> None:
        review = nfe_review(items=[item(quantity=0)])
        assert [problem.path for problem in review.problems] == ["items[0].quantity"]
        assert review.preview is None

    def test_shows_nothing_that_cannot_be_written(self) -> None:
        review = nfe_review(items=[item(description="Caneca \u2603")])
        assert [problem.path for problem in review.problems] == ["items[0].description"]
        assert review.preview is None

    def test_tells_the_problems_that_keep_it_from_being_issued(self, signer: Signer) -> None:
        for changes in ({"items": [item(cfop="6102")]}, {"recipient": buyer(address=None)}):
            assert nfe_review(**changes).problems == issued_nfe(signer, **changes)


class TestReviewOfAnNfce:
    def test_shows_the_qr_code(self) -> None:
        assert b"</infNFe><infNFeSupl><qrCode>" in preview_of(nfce_review(CSC)).xml

    def test_shows_the_receipt_without_one_where_it_cannot_be_made(self, signer: Signer) -> None:
        review = nfce_review({})
        assert review.problems == issued_nfce(signer, settings={})
        assert [problem.path for problem in review.problems] == ["company.settings.nfce.csc"]
        assert preview_of(review).xml.endswith(b"</infNFe></NFe>")

    def test_shows_a_worthless_signature_in_the_qr_code_of_an_offline_one(self) -> None:
        contingency = Contingency(ISSUED_AT, "Sem conexão com a rede")
        offline = emission(type=EmissionType.OFFLINE, contingency=contingency)
        review = nfce_review({"qrVersion": 3}, offline)
        assert review.problems == ()
        assert b"SEMVALOR" in preview_of(review).xml


class TestReviewOfASignedXml:
    def test_shows_what_the_xml_says_and_not_what_the_body_says(self, signer: Signer) -> None:
        xml = PointOfSale(signer).v2(SIGNED_PART)
        preview = preview_of(handed_over(xml))
        assert preview.amount == preview.totals["amount"] == 100
        assert [line["description"] for line in preview.lines] == ["CANETA"]
        assert preview.xml == SIGNATURE.sub(b"", xml)

    def test_shows_nothing_of_what_is_refused(self, signer: Signer) -> None:
        tampered = PointOfSale(signer).v2(SIGNED_PART).replace(b"CANETA", b"CANETO")
        review = handed_over(tampered)
        assert review.problems
        assert review.preview is None


def handed_over(xml: bytes) -> Review:
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
