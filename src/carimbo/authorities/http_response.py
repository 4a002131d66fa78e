"""Parser of HTTP responses with size limits; it does no I/O."""

from dataclasses import dataclass

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

MAX_RESPONSE_BYTES = 10 * 1024 * 1024

_MAX_FRAMING_BYTES = 1024 * 1024
"""Limit of everything but the body: head, chunk sizes and trailers."""
_FIRST_FINAL_STATUS = 200


class UnreadableResponse(Exception):
    """The bytes are not an HTTP response, or too many; the message is Portuguese."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status and body of a response."""

    status: int
    body: bytes


class ResponseReader:
    """Collects the bytes of one response as they arrive; skips interim responses (status 1xx)."""

    def __init__(self, *, has_body: bool = True) -> None:
        self.has_head = False
        self.answer: HttpResponse | None = None
        """The response, once it is complete."""
        self.is_last = False
        """Whether the connection must be closed after this response."""
        self._has_body = has_body
        self._body = bytearray()
        self._size = 0
        self._has_marked_end = False
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
                raise UnreadableResponse("a resposta não é HTTP") from error
            self.is_last = True
        framing_bytes = self._size - len(self._body)
        if len(self._body) > MAX_RESPONSE_BYTES or (not self.answer and framing_bytes > _MAX_FRAMING_BYTES):
            raise UnreadableResponse("a resposta é grande demais")

    def end(self) -> HttpResponse | None:
        """Returns the response after the server closed: a close completes a body of unknown length."""
        if self.has_head and not self._has_marked_end:
            self._finish()
        return self.answer

    def on_message_begin(self) -> None:
        """Starts a response; a second one without a request makes the connection unusable."""
        self._has_marked_end = False
        if self.answer:
            self.is_last = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Notes how the end of the body is marked."""
        match name.lower():
            case b"content-length":
                self._has_marked_end = True
            case b"transfer-encoding":
                self._has_marked_end = value.lower().endswith(b"chunked")

    def on_headers_complete(self) -> None:
        """Recognizes the final response; one to HEAD ends here, though it may have a Content-Length."""
        self.has_head = self._parser.get_status_code() >= _FIRST_FINAL_STATUS
        if not self._has_body:
            self.on_message_complete()

    def on_body(self, part: bytes) -> None:
        """Collects a part of the body; bytes after the response make the connection unusable."""
        if self.answer:
            self.is_last = True
        else:
            self._body += part

    def on_message_complete(self) -> None:
        """Completes the response."""
        if self.has_head and not self.answer:
            self.is_last = not self._parser.should_keep_alive()
            self._finish()

    def _finish(self) -> None:
        self.answer = HttpResponse(self._parser.get_status_code(), bytes(self._body))
