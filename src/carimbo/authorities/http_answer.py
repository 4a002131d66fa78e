"""The bytes of an HTTP answer, read within limits; nothing here touches the network."""

from dataclasses import dataclass

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

LARGEST_ANSWER = 10 * 1024 * 1024

_LARGEST_FRAME = 1024 * 1024
"""Of the head, and of what stands around the parts of a body."""
_FIRST_FINAL_STATUS = 200


class Unreadable(Exception):
    """What came is no answer, or too large for one; the message is Portuguese."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered."""

    status: int
    body: bytes


class AnswerReader:
    """Takes the bytes of one answer as they come, and passes over those that announce it (status 1xx)."""

    def __init__(self, *, has_body: bool = True) -> None:
        self.has_head = False
        self.answer: Answer | None = None
        """The answer, once it is whole."""
        self.is_last = False
        """The connection can serve no other request."""
        self._has_body = has_body
        self._body = bytearray()
        self._size = 0
        self._has_end_of_its_own = False
        self._parser = HttpResponseParser(self)
        # What RFC 9112 lets a reader of answers take, and old servers send.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_chunked_length=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    def feed(self, data: bytes) -> None:
        """Take the next bytes, or raise Unreadable."""
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self.answer:
                raise Unreadable("a resposta não é HTTP") from error
            self.is_last = True
        frame = self._size - len(self._body)
        if len(self._body) > LARGEST_ANSWER or (not self.answer and frame > _LARGEST_FRAME):
            raise Unreadable("a resposta é grande demais")

    def end(self) -> Answer | None:
        """Hear that the server has closed, which ends an answer without an end of its own."""
        if self.has_head and not self._has_end_of_its_own:
            self._finish()
        return self.answer

    def on_message_begin(self) -> None:
        """Begin an answer; one after the answer that was asked for is nobody's."""
        self._has_end_of_its_own = False
        if self.answer:
            self.is_last = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """Learn how the end of the body will be told."""
        match name.lower():
            case b"content-length":
                self._has_end_of_its_own = True
            case b"transfer-encoding":
                self._has_end_of_its_own = value.lower().endswith(b"chunked")

    def on_headers_complete(self) -> None:
        """Tell the answer from those that announce it; one to HEAD tells the length of what it lacks."""
        self.has_head = self._parser.get_status_code() >= _FIRST_FINAL_STATUS
        if not self._has_body:
            self.on_message_complete()

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body; one after the answer is nobody's."""
        if self.answer:
            self.is_last = True
        else:
            self._body += part

    def on_message_complete(self) -> None:
        """Hand the answer over."""
        if self.has_head and not self.answer:
            self.is_last = not self._parser.should_keep_alive()
            self._finish()

    def _finish(self) -> None:
        self.answer = Answer(self._parser.get_status_code(), bytes(self._body))
