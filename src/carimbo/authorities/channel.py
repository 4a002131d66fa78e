"""One TLS connection to a server, over which one request goes after the other."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, cast

from carimbo.authorities.address import Server
from carimbo.authorities.dialing import dial
from carimbo.authorities.http_answer import Answer, AnswerReader, Unreadable
from carimbo.authorities.journey import Journey, Stage
from carimbo.authorities.patience import Patience

# For the other side to say goodbye, too.
_FAREWELL_SECONDS = 1


@dataclass(frozen=True, slots=True)
class _Question:
    """A request that waits for its answer, and how long for each part of it."""

    journey: Journey
    read_seconds: float
    answer: asyncio.Future[Answer]
    reader: AnswerReader


class Channel(asyncio.Protocol):
    """Sends requests and reads answers; sends nothing twice, and hears at once when the other side ends."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        """Done when nothing is left of the connection."""
        self._is_ending = False
        self._error: Exception | None = None
        self._question: _Question | None = None
        self._alarm: asyncio.TimerHandle | None = None

    @classmethod
    async def open(
        cls, server: Server, context: ssl.SSLContext, patience: Patience, journey: Journey
    ) -> Self:
        """Connect and shake hands, each in its time."""
        journey.stage = Stage.CONNECTING
        async with asyncio.timeout(patience.connect_seconds):
            line = await dial(server)
        journey.stage = Stage.HANDSHAKE
        async with asyncio.timeout(patience.connect_seconds):
            _, channel = await asyncio.get_running_loop().create_connection(
                cls,
                sock=line,
                ssl=context,
                server_hostname=server.host,
                ssl_handshake_timeout=patience.whole_seconds,
                ssl_shutdown_timeout=_FAREWELL_SECONDS,
            )
        return channel

    @property
    def is_open(self) -> bool:
        """Whether a request can still be sent."""
        return not self._is_ending and not self._transport.is_closing()

    async def ask(
        self, request: bytes, journey: Journey, read_seconds: float, *, has_body: bool = True
    ) -> Answer:
        """Send a request and wait for its answer, no longer than so many seconds for the next bytes of it."""
        if not self.is_open:
            await asyncio.wait([self.ended])
            raise self._error or ConnectionResetError
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._question = _Question(journey, read_seconds, answer, AnswerReader(has_body=has_body))
        journey.stage = Stage.SENDING
        self._transport.write(request)
        self._set_alarm(read_seconds, self._give_up)
        try:
            return await answer
        except BaseException:
            self.abort()
            raise
        finally:
            self._question = None

    def rest(self, seconds: float) -> None:
        """Wait for the next request, but not for ever."""
        self._set_alarm(seconds, self.close)

    def close(self) -> None:
        """End it politely."""
        self._is_ending = True
        self._stop_alarm()
        self._transport.close()

    def abort(self) -> None:
        """End it at once, whatever is under way."""
        self._is_ending = True
        self._stop_alarm()
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin: hands are shaken."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Read on; bytes that nobody asked for would be taken for the next answer, and end the connection."""
        question = self._question
        if question is None or question.answer.done():
            self.abort()
            return
        try:
            question.reader.feed(data)
        except Unreadable as error:
            question.answer.set_exception(error)
            return
        self._follow(question)

    def eof_received(self) -> None:
        """Take no other request."""
        self._is_ending = True

    def connection_lost(self, error: Exception | None) -> None:
        """Tell who waits."""
        self._is_ending = True
        self._error = error
        self._stop_alarm()
        if self._question and not self._question.answer.done():
            self._lose(self._question, error)
        self.ended.set_result(None)

    def _follow(self, question: _Question) -> None:
        if question.reader.has_head:
            question.journey.stage = Stage.ANSWERING
        if question.reader.answer is None:
            self._set_alarm(question.read_seconds, self._give_up)
            return
        self._stop_alarm()
        question.answer.set_result(question.reader.answer)
        if question.reader.is_last:
            self.close()

    def _lose(self, question: _Question, error: Exception | None) -> None:
        answer = None if error else question.reader.end()
        if answer:
            question.answer.set_result(answer)
        else:
            question.answer.set_exception(error or ConnectionResetError())

    def _give_up(self) -> None:
        if self._question and not self._question.answer.done():
            self._question.answer.set_exception(TimeoutError())

    def _set_alarm(self, seconds: float, action: Callable[[], None]) -> None:
        self._stop_alarm()
        self._alarm = self._loop.call_later(seconds, action)

    def _stop_alarm(self) -> None:
        if self._alarm:
            self._alarm.cancel()
