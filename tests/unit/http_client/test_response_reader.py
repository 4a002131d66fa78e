"""An HTTP answer is read from bytes, however they are split."""

import pytest

from carimbo.http_client.progress import RequestProgress, RequestStage
from carimbo.http_client.response_reader import (
    HttpResponse,
    ResponseLimits,
    ResponseReader,
    ResponseTooLong,
    UnreadableResponse,
)

LIMITS = ResponseLimits(body_bytes=50_000, framing_bytes=10_000)
HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nhe\r\n3;name=value\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
)
UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\n\r\nhello"
WHOLE = [
    pytest.param(HELLO, id="length"),
    pytest.param(CHUNKED, id="chunks"),
    pytest.param(b"HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n" + HELLO, id="announced"),
    pytest.param(b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + HELLO, id="twice"),
    pytest.param(HELLO.replace(b" OK", b""), id="no reason"),
    pytest.param(HELLO.replace(b"OK", "Operação".encode("latin-1")), id="latin reason"),
    pytest.param(HELLO.replace(b"\r\n", b"\n"), id="line feeds"),
    pytest.param(HELLO.replace(b"\r\nC", b"\r\nX-Long: a\r\n b\r\nC"), id="folded header"),
    pytest.param(
        HELLO.replace(b"\r\nC", b"\r\nUpgrade: h2\r\nConnection: Upgrade\r\nC"), id="upgrade offered"
    ),
    pytest.param(CHUNKED.replace(b"2\r\n", b"2  \r\n"), id="padded size"),
    pytest.param(CHUNKED.replace(b"\r\nT", b"\r\nContent-Length: 9\r\nT", 1), id="length and chunks"),
]


def read(*parts: bytes) -> ResponseReader:
    reader = ResponseReader(RequestProgress(), LIMITS)
    for part in parts:
        reader.feed(part)
    return reader


def byte_by_byte(text: bytes) -> ResponseReader:
    return read(*(bytes([byte]) for byte in text))


class TestAnswer:
    @pytest.mark.parametrize("text", WHOLE)
    def test_answer_is_complete_by_its_own_length(self, text: bytes) -> None:
        for reader in (read(text), byte_by_byte(text)):
            assert (reader.answer, reader.is_last) == (HttpResponse(200, b"hello"), False)

    @pytest.mark.parametrize("text", WHOLE)
    def test_answer_is_incomplete_before_its_last_byte(self, text: bytes) -> None:
        for length in range(len(text)):
            reader = read(text[:length])
            assert (reader.answer, reader.end()) == (None, None)

    def test_answer_without_a_length_ends_with_the_connection(self) -> None:
        reader = byte_by_byte(UNTIL_CLOSE)
        assert (reader.answer, reader.end()) == (None, HttpResponse(200, b"hello"))

    def test_answer_after_an_interim_response_with_a_length_may_have_none(self) -> None:
        reader = read(b"HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n", UNTIL_CLOSE)
        assert reader.end() == HttpResponse(200, b"hello")

    def test_answer_in_another_coding_ends_with_the_connection(self) -> None:
        reader = read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n\x1f\x8b")
        assert (reader.answer, reader.end()) == (None, HttpResponse(200, b"\x1f\x8b"))

    def test_answer_may_have_no_body(self) -> None:
        assert read(b"HTTP/1.1 204 No Content\r\n\r\n").answer == HttpResponse(204, b"")

    def test_answer_reports_when_its_head_is_complete(self) -> None:
        reader = read(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 1\r\n")
        before = reader.progress.stage
        reader.feed(b"\r\n")
        assert (before, reader.progress.stage) == (RequestStage.WAITING, RequestStage.ANSWERING)

    @pytest.mark.parametrize(
        "text",
        [
            HELLO.replace(b"\r\nC", b"\r\nConnection: close\r\nC"),
            HELLO.replace(b"1.1", b"1.0"),
            HELLO + b"HTTP/1.1 200 OK\r\n",
            HELLO + HELLO.replace(b"hello", b"other"),
            HELLO + b"stray",
            HELLO.replace(b"\r\nC", b"\r\nConnection: close\r\nC") + b"stray",
            HELLO + bytes(2_000_000),
        ],
        ids=["says so", "1.0", "another head", "another", "stray", "stray after the last", "much"],
    )
    def test_connection_is_not_reused_after_extra_bytes_or_an_end(self, text: bytes) -> None:
        reader = read(text)
        assert (reader.answer, reader.is_last) == (HttpResponse(200, b"hello"), True)


class TestAnswerToHead:
    HEAD = HELLO.removesuffix(b"hello")

    def read(self, *parts: bytes) -> ResponseReader:
        reader = ResponseReader(RequestProgress(), LIMITS, has_body=False)
        for part in parts:
            reader.feed(part)
        return reader

    @pytest.mark.parametrize(
        "text",
        [
            HEAD,
            HEAD.replace(b"200", b"404"),
            CHUNKED[: CHUNKED.index(b"2\r\nhe")],
            b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD,
        ],
        ids=["length", "not found", "chunks", "announced"],
    )
    def test_answer_to_head_is_complete_with_its_head(self, text: bytes) -> None:
        for reader in (self.read(text), self.read(*(bytes([byte]) for byte in text))):
            assert reader.answer
            assert (reader.answer.body, reader.is_last) == (b"", False)

    def test_answer_to_head_is_incomplete_before(self) -> None:
        for length in range(len(self.HEAD)):
            assert self.read(self.HEAD[:length]).answer is None

    @pytest.mark.parametrize("text", [HELLO, CHUNKED], ids=["length", "chunks"])
    def test_connection_is_not_reused_after_an_answer_to_head_with_a_body(self, text: bytes) -> None:
        reader = self.read(text)
        assert (reader.answer, reader.is_last) == (HttpResponse(200, b""), True)


class TestRetryAfter:
    LATER = HELLO.replace(b"\r\nC", b"\r\nretry-AFTER: 9\r\nC")

    @pytest.mark.parametrize("text", [LATER, LATER + HELLO], ids=["alone", "with another"])
    def test_header_of_the_answer_is_read(self, text: bytes) -> None:
        assert read(text).answer == HttpResponse(200, b"hello", b"9")

    def test_header_of_an_interim_response_is_not_read(self) -> None:
        interim = b"HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
        assert read(interim + HELLO).answer == HttpResponse(200, b"hello")


class TestLimits:
    def test_largest_allowed_answer_is_accepted(self) -> None:
        reader = read(f"HTTP/1.1 200 OK\r\nContent-Length: {LIMITS.body_bytes}\r\n\r\n".encode())
        reader.feed(bytes(LIMITS.body_bytes))
        assert (reader.answer, reader.is_last) == (HttpResponse(200, bytes(LIMITS.body_bytes)), False)

    @pytest.mark.parametrize(
        "head",
        [
            f"HTTP/1.1 200 OK\r\nContent-Length: {LIMITS.body_bytes + 1}\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{LIMITS.body_bytes + 1:x}\r\n",
        ],
        ids=["length", "until the end", "chunk"],
    )
    @pytest.mark.parametrize("part", [1, 7_000, LIMITS.body_bytes + 1])
    def test_body_is_cut_at_its_limit(self, head: str, part: int) -> None:
        reader = read(head.encode())
        while not reader.answer:
            reader.feed(bytes(part))
        cut = HttpResponse(200, bytes(LIMITS.body_bytes), is_cut=True)
        assert (reader.answer, reader.is_last) == (cut, True)

    def test_body_is_cut_though_garbage_follows(self) -> None:
        head = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{LIMITS.body_bytes + 1:x}\r\n"
        reader = read(head.encode() + bytes(LIMITS.body_bytes + 1) + b"\r\nno size\r\n")
        assert reader.answer == HttpResponse(200, bytes(LIMITS.body_bytes), is_cut=True)

    @pytest.mark.parametrize(
        ("head", "part"),
        [
            ("HTTP/1.1 200 OK\r\n", b"Header: value\r\n" * 100),
            ("HTTP/1.1 200 OK\r\nHeader: ", b"endless" * 100),
            ("", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 100),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"Trailer: x\r\n" * 100),
        ],
        ids=["headers", "header", "announcements", "chunks", "trailers"],
    )
    def test_endless_framing_is_refused(self, head: str, part: bytes) -> None:
        reader = read(head.encode())
        with pytest.raises(ResponseTooLong):
            for _ in range(LIMITS.framing_bytes // 100):
                reader.feed(part)
        assert reader.answer is None


class TestGarbage:
    @pytest.mark.parametrize(
        "text",
        [
            b"\0\1nonsense\r\n\r\n",
            b"<html>",
            b"SSH-2.0-OpenSSH\r\n",
            b"HTTP/1.1 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello",
            b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        ],
    )
    def test_garbage_is_not_an_answer(self, text: bytes) -> None:
        with pytest.raises(UnreadableResponse) as caught:
            read(text)
        assert not isinstance(caught.value, ResponseTooLong)
