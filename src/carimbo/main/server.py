"""The HTTP server: it says that it stops before it does."""

import asyncio
import socket
import threading

import uvicorn
from fastapi import FastAPI

from carimbo.api.openapi import publish
from carimbo.main.tables import TableReloader

# Building the contract takes seconds of CPU, which a new process first needs for requests. A request for the
# contract before that waits until it is built.
_PUBLISH_AFTER_SECONDS = 30.0
_TICK_SECONDS = 0.1


class Server(uvicorn.Server):
    """Goes on answering for a while after a stop signal, and says meanwhile that it is not ready.

    Whoever shares requests out to several servers hears of it before the first connection is refused.
    """

    def __init__(
        self,
        app: FastAPI,
        config: uvicorn.Config,
        drain_seconds: float,
        reloader: TableReloader | None = None,
    ) -> None:
        super().__init__(config)
        self._reloader = reloader
        self._app = app
        self._drain_seconds = drain_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and builds the published contract a little later: it takes seconds, and readers come."""
        if self._reloader:
            self._reloader.start()
        await super().startup(sockets)
        # A daemon: a stop does not wait for it.
        building = threading.Thread(target=publish, args=(self._app,), name="contract", daemon=True)
        asyncio.get_running_loop().call_later(_PUBLISH_AFTER_SECONDS, building.start)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, but not before others have had the time to notice; a second Ctrl-C spares the wait."""
        self._app.state.is_stopping = True
        now = asyncio.get_running_loop().time
        over = now() + self._drain_seconds
        while now() < over and not self.force_exit:  # noqa: ASYNC110 - uvicorn tells of it by a flag
            await asyncio.sleep(_TICK_SECONDS)
        await super().shutdown(sockets)
        if self.force_exit:
            await self._give_up()

    async def _give_up(self) -> None:
        """Have those who still wait ask again, and close what is open: uvicorn leaves both to the loop's end.

        That would cancel the lifespan too, which is then told as a failure, with its traceback.
        """
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()
