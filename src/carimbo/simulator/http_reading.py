"""The bytes of one connection read into requests, within limits; nothing here touches the network."""

from collections import deque
from dataclasses import dataclass
from urllib.parse import unquote

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser, parse_url

from carimbo.simulator.http import Reply, Request

_CONTINUE = "100-continue"
_BAD_REQUEST = Reply(400, "A requisição não segue o HTTP/1.1.".encode())
_TOO_LARGE = Reply(413, "O corpo da requisição é grande demais.".encode())
_HEADERS_TOO_LARGE = Reply(431, "Os cabeçalhos da requisição são grandes demais.".encode())
_NO_UPGRADE = Reply(501, "Aqui não se passa a outro protocolo no meio de uma requisição.".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a client may ask of the server's memory and patience."""

    body_bytes: int = 10_000_000
    header_bytes: int = 64_000
    idle_seconds: float = 60
    """Between two requests."""
    request_seconds: float = 30
    """From the first byte of a request to its last."""
    handshake_seconds: float = 10
    linger_seconds: float = 1
    """How long a connection that is over may take to end by itself."""
    connections: int = 1000


@dataclass(frozen=True, slots=True)
class Arrived:
    """A whole request, and what its sender wants of the connection."""

    request: Request
    keep_alive: bool


class _Refused(Exception):
    """Stops the parser; the reader's `refusal` says why."""


class RequestReader:
    """Takes the bytes of a connection as they come and gives whole requests, in their order."""

    def __init__(self, limits: Limits, certificate: bytes | None = None) -> None:
        self._limits = limits
        self._certificate = certificate
        self._parser = HttpRequestParser(self)
        self.arrived: deque[Arrived] = deque()
        self.refusal: Reply | None = None
        """What to answer after all that arrived; no byte after it is read."""
        self.is_amid = False
        """A request has begun and is not whole."""
        self.must_encourage = False
        """The sender waits for leave to send the body (`Expect: 100-continue`)."""
        self._forget_request()

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        if self.refusal:
            return
        was_in_headers = self._is_in_headers
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            # The connection ends after this request, so that nobody waits for another protocol.
            return
        except HttpParserError:
            self.refusal = self.refusal or _BAD_REQUEST
            return
        if was_in_headers and self._is_in_headers:
            self._count_unfinished(len(data))

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._forget_request()
        self.is_amid = True

    def on_url(self, part: bytes) -> None:
        """Keep a part of the target."""
        self._count_header(len(part))
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those after a chunked body say nothing here."""
        self._count_header(len(name) + len(value))
        if self._has_headers:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """Refuse a body that says that it is too large before it comes."""
        self._has_headers = True
        length = int(self._headers.get("content-length") or 0)
        if length > self._limits.body_bytes:
            self._refuse(_TOO_LARGE)
        if self._parser.should_upgrade() and (length or "transfer-encoding" in self._headers):
            self._refuse(_NO_UPGRADE)
        self.must_encourage = self._headers.get("expect", "").lower() == _CONTINUE

    def on_body(self, part: bytes) -> None:
        """Keep a part of the body."""
        if len(self._body) + len(part) > self._limits.body_bytes:
            self._refuse(_TOO_LARGE)
        self._body += part

    def on_message_complete(self) -> None:
        """Hand the request over."""
        target = parse_url(self._target)
        request = Request(
            method=self._parser.get_method().decode(),
            path=unquote(target.path.decode("latin-1")) if target.path else "/",
            query=target.query.decode("latin-1") if target.query else "",
            headers=self._headers,
            body=bytes(self._body),
            certificate=self._certificate,
        )
        keep_alive = self._parser.should_keep_alive() and not self._parser.should_upgrade()
        self.arrived.append(Arrived(request, keep_alive))
        self.is_amid = self.must_encourage = False

    @property
    def _is_in_headers(self) -> bool:
        return self.is_amid and not self._has_headers

    def _forget_request(self) -> None:
        self._target = b""
        self._headers: dict[str, str] = {}
        self._header_bytes = self._unfinished_bytes = 0
        self._has_headers = False
        self._body = bytearray()

    def _count_unfinished(self, size: int) -> None:
        """A header that never ends is told by no event of the parser."""
        self._unfinished_bytes += size
        if self._unfinished_bytes > self._limits.header_bytes:
            self.refusal = _HEADERS_TOO_LARGE

    def _count_header(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > self._limits.header_bytes:
            self._refuse(_HEADERS_TOO_LARGE)

    def _refuse(self, reply: Reply) -> None:
        self.refusal = reply
        raise _Refused
