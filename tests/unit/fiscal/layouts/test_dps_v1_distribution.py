"""Pages of NFS-e and events that the ADN distributes, also damaged and hostile ones."""

import base64
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nfse_answers
from carimbo.fiscal.distribution import DistributionPage, UnreadablePage
from carimbo.fiscal.layouts.dps_v1.distribution import read_distribution, read_page
from carimbo.fiscal.outcome import (
    AuthorityAnswer,
    Cause,
    NotJudged,
    Outage,
    Rejected,
    Throttled,
    Unavailable,
)
from nfse_answers import distributed, distribution, nothing_new, refused_distribution

MEGABYTE = 1024 * 1024
NOTE = b"<NFSe/>"


def page_of(body: bytes, status: int = 200) -> DistributionPage:
    page = read_distribution(status, body)
    assert isinstance(page, DistributionPage), page
    return page


def unpacked(page: DistributionPage) -> list[tuple[int | None, str, bytes | None]]:
    """Returns number, kind and content of each document."""
    numbered = zip(page.documents, page.contents(), strict=True)
    return [(document.nsu, document.schema, xml) for document, xml in numbered]


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


class TestPage:
    def test_every_document_of_a_page_is_unpacked(self) -> None:
        body = distribution(distributed(131, NOTE), distributed(133, b"<evento/>", "EVENTO"))
        page = page_of(body)
        assert (page.code, page.last_nsu, page.max_nsu, page.is_last) == (
            "DOCUMENTOS_LOCALIZADOS",
            133,
            133,
            False,
        )
        assert unpacked(page) == [(131, "NFSE", NOTE), (133, "EVENTO", b"<evento/>")]
        assert (page.documents[0].packed, page.body) == (packed(NOTE), body)

    def test_numbers_need_not_be_in_order(self) -> None:
        page = page_of(distribution(*(distributed(nsu, NOTE) for nsu in (9, 11, 10))))
        assert (page.last_nsu, len(page.documents)) == (11, 3)

    def test_small_page_is_not_the_last(self) -> None:
        """The number of documents in a page is not published."""
        assert not page_of(distribution(distributed(1, NOTE))).is_last

    @pytest.mark.parametrize("status", [200, 400, 404])
    def test_there_may_be_no_more_documents(self, status: int) -> None:
        page = page_of(nothing_new(), status)
        assert (page.code, page.last_nsu, page.max_nsu, page.documents, page.is_last) == (
            "NENHUM_DOCUMENTO_LOCALIZADO",
            0,
            0,
            (),
            True,
        )

    def test_lot_may_be_null_if_there_are_no_documents(self) -> None:
        assert page_of(nothing_new(LoteDFe=None), 404).is_last

    @pytest.mark.parametrize("body", [distribution(distributed(7, NOTE)), nothing_new()])
    def test_stored_page_is_read_again(self, body: bytes) -> None:
        assert read_page(body) == page_of(body)

    def test_names_are_read_without_regard_to_case(self) -> None:
        item = {"nsu": "7", "tipoDocumento": "NFSE", "arquivoXml": packed(NOTE)}
        body = json.dumps({"statusProcessamento": "DOCUMENTOS_LOCALIZADOS", "loteDFe": [item]}).encode()
        assert unpacked(page_of(body)) == [(7, "NFSE", NOTE)]


class TestDamagedDocuments:
    def test_document_that_cannot_be_unpacked_keeps_its_place(self) -> None:
        damaged = [
            None,
            "",
            7,
            "não é base64",
            packed(NOTE)[:-12],
            base64.b64encode(NOTE).decode(),
            packed(b"\0" * (4 * MEGABYTE + 1)),
        ]
        for content in damaged:
            body = distribution(distributed(5, NOTE) | {"ArquivoXml": content}, distributed(6, NOTE))
            assert unpacked(page_of(body)) == [(5, "NFSE", None), (6, "NFSE", NOTE)]

    def test_page_is_not_unpacked_beyond_its_largest_size(self) -> None:
        bomb = distributed(1, b"a" * 4 * MEGABYTE)
        page = page_of(distribution(*[bomb] * 40))
        assert len(page.documents) == 40
        assert sum(len(xml or b"") for xml in page.contents()) == 64 * MEGABYTE

    @pytest.mark.parametrize("nsu", [None, "", "-1", True, "1" * 19, 1.5, []])
    def test_document_may_have_no_readable_number(self, nsu: Any) -> None:
        item = distributed(1, NOTE) | {"NSU": nsu}
        page = page_of(distribution(item, distributed(2, NOTE)))
        assert [document.nsu for document in page.documents] == [None, 2]
        alone = read_distribution(200, distribution(item))
        assert isinstance(alone, UnreadablePage)
        assert alone.failure.cause is Cause.UNEXPECTED_ANSWER

    @pytest.mark.parametrize("lot", [None, [], "x", 7])
    def test_page_without_the_documents_it_promises_is_kept_as_it_came(self, lot: Any) -> None:
        body = json.dumps({"StatusProcessamento": "DOCUMENTOS_LOCALIZADOS", "LoteDFe": lot}).encode()
        answer = read_distribution(200, body)
        assert isinstance(answer, UnreadablePage)
        assert answer.body == body


class TestRefusals:
    @pytest.mark.parametrize("status", [200, 400, 404, 422])
    def test_refused_query_is_a_rejection(self, status: int) -> None:
        answer = read_distribution(status, refused_distribution("E2241", "Não é parte da nota."))
        assert isinstance(answer, Rejected)
        assert (answer.code, answer.message) == ("E2241", "Não é parte da nota.")

    def test_too_many_queries_are_throttled(self) -> None:
        for body in (b"", nfse_answers.PAGE, refused_distribution("E9001", "Limite excedido.")):
            answer = read_distribution(429, body)
            assert isinstance(answer, Throttled)
            assert answer.code == "429"

    @pytest.mark.parametrize("status", [401, 403, 495, 496])
    def test_refused_certificate_decides_nothing(self, status: int) -> None:
        answer = read_distribution(status, refused_distribution("E4001", "Certificado não autorizado."))
        assert isinstance(answer, NotJudged)
        assert answer.cause is Cause.CERTIFICATE_NOT_ACCEPTED

    def test_error_that_nobody_knows_decides_nothing(self) -> None:
        answer = read_distribution(400, refused_distribution("E9999", "Erro não catalogado."))
        assert isinstance(answer, NotJudged)

    def test_service_that_says_it_is_down_is_unavailable(self) -> None:
        code = "E1217"
        answer = read_distribution(400, refused_distribution(code, "Indisponível."))
        assert answer == Unavailable(code=code, message="Indisponível.", outage=Outage.SHORT)

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (404, nfse_answers.PAGE),
            (404, b""),
            (404, b"{}"),
            (404, distribution(distributed(1, NOTE))),
            (500, nothing_new()),
            (503, nfse_answers.PAGE),
            (200, b""),
            (200, nfse_answers.PAGE),
        ],
    )
    def test_anything_else_judges_nothing(self, status: int, body: bytes) -> None:
        assert isinstance(read_distribution(status, body), NotJudged)

    @pytest.mark.parametrize(
        "body",
        [
            b"[]",
            b"{",
            b'{"StatusProcessamento":"OUTRO"}',
            b'{"StatusProcessamento":"REJEICAO","Erros":[]}',
            b" " * (10 * MEGABYTE + 1) + b"{}",
        ],
    )
    def test_answer_that_may_be_a_page_is_kept_as_it_came(self, body: bytes) -> None:
        answer = read_distribution(200, body)
        assert isinstance(answer, UnreadablePage)
        assert answer.body == body

    @given(st.sampled_from([200, 400, 404, 429, 500]), st.binary(max_size=200))
    def test_reading_never_raises(self, status: int, body: bytes) -> None:
        answer = read_distribution(status, body)
        assert isinstance(answer, UnreadablePage | NotJudged | Throttled | AuthorityAnswer)
