"""Parser of HTTP responses with size limits; it does no I/O."""

from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from carimbo.http_client.progress import RequestProgress, RequestStage

_FIRST_FINAL_STATUS = 200


class UnreadableResponse(Exception):
    """The bytes are not an HTTP response."""


class ResponseTooLong(UnreadableResponse):
    """The response has too many bytes."""


class ResponseLimits(NamedTuple):
    """How long a response may be."""

    body_bytes: int
    """The rest of a longer body is not read."""
    framing_bytes: int
    """Limit of everything but the body: head, chunk sizes and trailers."""


class HttpResponse(NamedTuple):
    """A response, with the only header that a caller needs."""

    status: int
    body: bytes
    retry_after: bytes = b""
    is_cut: bool = False
    """Whether the body was too long, and its end is missing."""


class ResponseReader:
    """Collects the bytes of one response as they arrive; skips interim responses (status 1xx)."""

    def __init__(self, progress: RequestProgress, limits: ResponseLimits, *, has_body: bool = True) -> None:
        self.progress = progress
        self.answer: HttpResponse | None = None
        """The response, once it is complete."""
        self.is_last = False
        """Whether the connection must be closed after this response."""
        self._limits = limits
        self._has_body = has_body
        self._size = 0
        self._has_marked_end = False
        self._retry_after = b""
        self._parser = HttpResponseParser(self)
        # Deviations that RFC 9112 lets a recipient accept, and that old servers send.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_chunked_length=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    def feed(self, data: bytes) -> None:
        """Parses the next bytes. Raises UnreadableResponse."""
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self.answer:
                raise UnreadableResponse from error
            self.is_last = True
        if not self.answer and self._size - len(self.progress.body) > self._limits.framing_bytes:
            raise ResponseTooLong

    def end(self) -> HttpResponse | None:
        """Returns the response after the server closed: a close completes a body of unknown length."""
        if self._has_head and not self._has_marked_end:
            self._finish()
        return self.answer

    def on_message_begin(self) -> None:
        """Starts a response; a second one without a request makes the connection unusable."""
        self._has_marked_end = False
        self._retry_after = b""
        if self.answer:
            self.is_last = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Notes how the end of the body is marked, and when to send again."""
        match name.lower():
            case b"content-length":
                self._has_marked_end = True
            case b"transfer-encoding":
                self._has_marked_end = value.lower().endswith(b"chunked")
            case b"retry-after":
                self._retry_after = value

    def on_headers_complete(self) -> None:
        """Recognizes the final response; one to HEAD ends here, though it may have a Content-Length."""
        if self._parser.get_status_code() >= _FIRST_FINAL_STATUS:
            self.progress.stage = RequestStage.ANSWERING
        if not self._has_body:
            self.on_message_complete()

    def on_body(self, part: bytes) -> None:
        """Collects a part of the body; bytes after the response make the connection unusable."""
        if self.answer:
            self.is_last = True
            return
        body = self.progress.body
        body += part
        if len(body) > self._limits.body_bytes:
            del body[self._limits.body_bytes :]
            self.is_last = True
            self._finish(is_cut=True)

    def on_message_complete(self) -> None:
        """Completes the response."""
        if self._has_head and not self.answer:
            self.is_last = not self._parser.should_keep_alive()
            self._finish()

    @property
    def _has_head(self) -> bool:
        return self.progress.stage is RequestStage.ANSWERING

    def _finish(self, *, is_cut: bool = False) -> None:
        status, body = self._parser.get_status_code(), bytes(self.progress.body)
        self.answer = HttpResponse(status, body, self._retry_after, is_cut)
