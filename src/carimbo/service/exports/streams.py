"""Limits the archives that this process sends at once: making one reads and compresses for a long time."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from uuid import UUID
from weakref import WeakValueDictionary

from carimbo.service.errors import ErrorCode, Refusal

MAX_STREAMS = 4
MAX_OF_SUBSCRIPTION = 2
"""How many of them one subscription may have, so that its slow readers leave places for the others."""
_RETRY_SECONDS = 60
_RUNNING = "Esta exportação já está sendo baixada: aguarde o fim do download antes de começar outro."
_FULL = "Há muitos downloads ao mesmo tempo: aguarde um minuto e tente de novo."


class ArchiveStream(AsyncIterator[bytes]):
    """The pieces of an archive, which hold a place until they end or are closed."""

    def __init__(
        self,
        subscription_id: UUID,
        pieces: AsyncGenerator[bytes, None],
        release: "Callable[[ArchiveStream], None]",
    ) -> None:
        self.subscription_id = subscription_id
        self._pieces = pieces
        self._release = release

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._pieces)
        except BaseException:
            self._release(self)
            raise

    async def aclose(self) -> None:
        """Ends the stream, also one that never started."""
        try:
            await self._pieces.aclose()
        finally:
            self._release(self)


class ArchiveStreams:
    """The archives that are sent now.

    The references are weak, so that a stream which nobody reads or closes does not keep its place.
    """

    def __init__(self, limit: int = MAX_STREAMS) -> None:
        self._limit = limit
        self._running: WeakValueDictionary[UUID, ArchiveStream] = WeakValueDictionary()

    def open(
        self, subscription_id: UUID, export_id: UUID, pieces: AsyncGenerator[bytes, None]
    ) -> ArchiveStream:
        """Returns the pieces with a place. Raises Refusal if the export is being sent, or too many are."""
        if export_id in self._running:
            raise Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, _RUNNING, retryAfter=_RETRY_SECONDS)
        running = [stream.subscription_id for stream in self._running.values()]
        if len(running) >= self._limit or running.count(subscription_id) >= MAX_OF_SUBSCRIPTION:
            raise Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, _FULL, retryAfter=_RETRY_SECONDS)

        def release(ended: ArchiveStream) -> None:
            # A stream may end and then be closed, after another one took its place.
            if self._running.get(export_id) is ended:
                del self._running[export_id]

        stream = ArchiveStream(subscription_id, pieces, release)
        self._running[export_id] = stream
        return stream
