"""Pages of distributed documents, also with damaged and hostile ones."""

import base64
import gzip
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.distribution import DistributionPage, UnreadablePage
from carimbo.fiscal.outcome import Cause, NotJudged, Outage, Throttled, Unavailable
from nfe_answers import distribution, doc_zip, rejected, zipped
from nfe_dialect import read_distribution

GOOD = (101, "procNFe_v4.00.xsd", "<nfeProc>é</nfeProc>".encode())
GOOD_ZIP = zipped("<nfeProc>é</nfeProc>".encode())
MEGABYTE = 1024 * 1024


def page_of(text: str) -> DistributionPage:
    page = read_distribution(text.encode())
    assert isinstance(page, DistributionPage), page
    return page


def unpacked(page: DistributionPage) -> list[tuple[int | None, str, bytes | None]]:
    """Returns number, schema and content of each document."""
    numbered = zip(page.documents, page.contents(), strict=True)
    return [(document.nsu, document.schema, xml) for document, xml in numbered]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


class TestReadingAPage:
    def test_every_document_of_a_page_is_unpacked(self) -> None:
        page = page_of(
            distribution("138", "Documento localizado", GOOD_ZIP + zipped(b"<resNFe/>", "102", "r"))
        )
        assert (page.code, page.last_nsu, page.max_nsu) == ("138", 150, 200)
        assert unpacked(page) == [GOOD, (102, "r", b"<resNFe/>")]

    def test_page_may_have_no_documents(self) -> None:
        page = page_of(distribution("137", "Nenhum documento localizado", last="000000000000200"))
        assert (page.last_nsu, page.max_nsu, page.documents) == (200, 200, ())

    def test_document_may_have_no_number(self) -> None:
        page = page_of(distribution("138", "Documento localizado", zipped(b"<a/>", None)))
        assert page.documents[0].nsu is None

    def test_document_may_have_line_breaks_in_its_base64(self) -> None:
        lines = base64.encodebytes(gzip.compress(b"<a/>" * 99, mtime=0)).decode()
        assert list(page_of(distribution("138", "Ok", doc_zip(lines))).contents()) == [b"<a/>" * 99]

    def test_document_that_cannot_be_unpacked_keeps_its_place(self) -> None:
        good = gzip.compress(b"<a/>", mtime=0)
        damaged = {
            "empty": "",
            "text": "não é base64",
            "nothing but padding": "====",
            "not compressed": encoded(b"<a/>"),
            "zlib": encoded(zlib.compress(b"<a/>")),
            "cut": encoded(good[:-1]),
            "wrong checksum": encoded(good[:-8] + b"12345678"),
            "far too large": encoded(gzip.compress(b"\0" * 50 * MEGABYTE, compresslevel=1, mtime=0)),
            "too large": encoded(gzip.compress(b"\0" * (4 * MEGABYTE + 1), mtime=0)),
            "comment": "<!-- c -->" + encoded(good),
        }
        pages = {
            name: unpacked(page_of(distribution("138", "Ok", doc_zip(content) + GOOD_ZIP)))
            for name, content in damaged.items()
        }
        expected = [(102, "resNFe_v1.01.xsd", None), GOOD]
        assert [name for name, documents in pages.items() if documents != expected] == []

    def test_document_of_the_largest_size_is_unpacked(self) -> None:
        page = page_of(distribution("138", "Ok", zipped(b"a" * 4 * MEGABYTE)))
        assert list(page.contents()) == [b"a" * 4 * MEGABYTE]

    def test_page_is_not_unpacked_beyond_its_largest_size(self) -> None:
        page = page_of(distribution("138", "Ok", zipped(b"a" * 4 * MEGABYTE) * 40))
        assert len(page.documents) == 40
        assert sum(len(xml or b"") for xml in page.contents()) == 64 * MEGABYTE

    @given(st.binary(max_size=100))
    def test_reading_a_page_never_raises(self, data: bytes) -> None:
        page = page_of(distribution("138", "Ok", doc_zip(encoded(data)) + GOOD_ZIP))
        assert unpacked(page)[1] == GOOD

    @pytest.mark.parametrize("place", ["", "x", "-1", "1" * 16])
    def test_page_without_its_numbers_is_kept_as_it_came(self, place: str) -> None:
        for text in (
            distribution("138", "Ok", GOOD_ZIP, last=place),
            distribution("137", "Ok", highest=place),
        ):
            outcome = read_distribution(text.encode())
            assert isinstance(outcome, UnreadablePage)
            assert (outcome.failure.cause, outcome.body) == (Cause.UNEXPECTED_ANSWER, text.encode())

    def test_answer_that_may_be_a_page_is_kept_and_a_web_page_is_not(self) -> None:
        whole = distribution("138", "Ok", GOOD_ZIP).encode()
        kept = [read_distribution(body) for body in (whole[:-40], b"\x00", b"<retOutra/>")]
        assert [type(outcome) for outcome in kept] == [UnreadablePage] * 3
        for body in (b"", b"<html><body>Manuten\xc3\xa7\xc3\xa3o</body></html>"):
            assert isinstance(read_distribution(body), NotJudged)


class TestReadingARefusal:
    def test_block_says_where_to_continue(self) -> None:
        text = "Rejeicao: Consumo Indevido (Deve ser utilizado o ultNSU nas solicitacoes subsequentes)"
        outcome = read_distribution(distribution("656", text, highest="000000000000000").encode())
        assert outcome == Throttled(code="656", message=text, last_nsu=150)

    def test_block_may_lack_the_number_to_continue_from(self) -> None:
        outcome = read_distribution(distribution("656", "Consumo Indevido", last="").encode())
        assert outcome == Throttled(code="656", message="Consumo Indevido")

    @pytest.mark.parametrize(
        ("code", "is_of_sender"),
        [("215", False), ("589", False), ("593", True), ("632", False), ("640", False)],
    )
    def test_refused_distribution_query_is_a_rejection(self, code: str, is_of_sender: bool) -> None:
        body = distribution(code, "Rejeição: Texto")
        expected = replace(rejected(code, "Rejeição: Texto", body), retryable=is_of_sender)
        assert read_distribution(body.encode()) == expected

    def test_distribution_service_that_is_down_is_unavailable(self) -> None:
        outcome = read_distribution(distribution("109", "Paralisado").encode())
        assert outcome == Unavailable(code="109", message="Paralisado", outage=Outage.WITHOUT_FORECAST)
