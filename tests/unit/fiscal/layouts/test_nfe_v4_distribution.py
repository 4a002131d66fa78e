"""Pages of documents of interest, with what is damaged or hostile among them."""

import base64
import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.layouts.sefaz.distribution import DistributedDocument, DistributionPage
from carimbo.fiscal.outcome import Cause, NotJudged, Outage, Throttled, Unavailable
from nfe_answers import distribution, doc_zip, rejected, zipped
from nfe_dialect import read_distribution

GOOD = DistributedDocument(101, "procNFe_v4.00.xsd", "<nfeProc>é</nfeProc>".encode())
GOOD_ZIP = zipped("<nfeProc>é</nfeProc>".encode())
MEGABYTE = 1024 * 1024


def page_of(text: str) -> DistributionPage:
    found = read_distribution(text.encode())
    assert isinstance(found, DistributionPage), found
    return found


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


class TestReadingAPage:
    def test_opens_every_document(self) -> None:
        found = page_of(
            distribution("138", "Documento localizado", GOOD_ZIP + zipped(b"<resNFe/>", "102", "r"))
        )
        assert (found.code, found.last_nsu, found.max_nsu) == ("138", 150, 200)
        assert found.documents == (GOOD, DistributedDocument(102, "r", b"<resNFe/>"))

    def test_takes_a_page_without_documents(self) -> None:
        found = page_of(distribution("137", "Nenhum documento localizado", last="000000000000200"))
        assert (found.last_nsu, found.max_nsu, found.documents) == (200, 200, ())

    def test_takes_a_document_without_a_place(self) -> None:
        found = page_of(distribution("138", "Documento localizado", zipped(b"<a/>", None)))
        assert found.documents[0].nsu is None

    def test_takes_base64_in_lines(self) -> None:
        lines = base64.encodebytes(gzip.compress(b"<a/>" * 99, mtime=0)).decode()
        assert page_of(distribution("138", "Ok", doc_zip(lines))).documents[0].xml == b"<a/>" * 99

    def test_keeps_the_place_of_a_document_that_cannot_be_opened(self) -> None:
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
            name: page_of(distribution("138", "Ok", doc_zip(content) + GOOD_ZIP)).documents
            for name, content in damaged.items()
        }
        expected = (DistributedDocument(102, "resNFe_v1.01.xsd", None), GOOD)
        assert [name for name, documents in pages.items() if documents != expected] == []

    def test_opens_a_document_of_the_largest_size(self) -> None:
        found = page_of(distribution("138", "Ok", zipped(b"a" * 4 * MEGABYTE)))
        assert found.documents[0].xml == b"a" * 4 * MEGABYTE

    def test_opens_no_more_than_a_page_can_hold(self) -> None:
        found = page_of(distribution("138", "Ok", zipped(b"a" * 4 * MEGABYTE) * 40))
        assert len(found.documents) == 40
        assert sum(len(document.xml or b"") for document in found.documents) == 64 * MEGABYTE

    @given(st.binary(max_size=100))
    def test_never_raises_on_any_content(self, data: bytes) -> None:
        documents = page_of(distribution("138", "Ok", doc_zip(encoded(data)) + GOOD_ZIP)).documents
        assert documents[1] == GOOD

    @pytest.mark.parametrize("place", ["", "x", "-1", "1" * 16])
    def test_judges_nothing_by_a_page_without_its_place(self, place: str) -> None:
        for text in (
            distribution("138", "Ok", GOOD_ZIP, last=place),
            distribution("137", "Ok", highest=place),
        ):
            found = read_distribution(text.encode())
            assert isinstance(found, NotJudged)
            assert found.cause is Cause.UNEXPECTED_ANSWER


class TestReadingARefusal:
    def test_tells_where_to_go_on_after_a_block(self) -> None:
        text = "Rejeicao: Consumo Indevido (Deve ser utilizado o ultNSU nas solicitacoes subsequentes)"
        found = read_distribution(distribution("656", text, highest="000000000000000").encode())
        assert found == Throttled(code="656", message=text, last_nsu=150)

    def test_takes_a_block_that_does_not_tell_it(self) -> None:
        found = read_distribution(distribution("656", "Consumo Indevido", last="").encode())
        assert found == Throttled(code="656", message="Consumo Indevido")

    @pytest.mark.parametrize("code", ["215", "589", "593", "632", "640"])
    def test_tells_a_refused_query(self, code: str) -> None:
        body = distribution(code, "Rejeição: Texto")
        assert read_distribution(body.encode()) == rejected(code, "Rejeição: Texto", body)

    def test_tells_a_service_that_is_down(self) -> None:
        found = read_distribution(distribution("109", "Paralisado").encode())
        assert found == Unavailable(code="109", message="Paralisado", outage=Outage.WITHOUT_FORECAST)
