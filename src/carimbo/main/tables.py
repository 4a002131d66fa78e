"""The official tables of a process: loaded at its start, and loaded again at SIGHUP."""

import asyncio
import signal

import structlog

from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.table import put_in_force, read_again, use_tables_of
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.settings import Settings

_log = structlog.get_logger("carimbo.main")


def use_tables(settings: Settings) -> None:
    """Loads the operator's tables. Raises TableUnusable."""
    use_tables_of(settings.tables_folder)
    if settings.tables_folder:
        for table in ALL_TABLES:
            table.load()


class TableReloader:
    """Loads all tables again on request, one load after another."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def ask(self, *_: object) -> None:
        """Requests another load; usable as a signal handler, even before the reloader starts."""
        self._asked.set()

    def start(self) -> None:
        """Handles SIGHUP in the running loop until the loop ends."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self.ask)
        self._task = asyncio.create_task(self._reload_when_asked())

    async def _reload_when_asked(self) -> None:
        while True:
            await self._asked.wait()
            self._asked.clear()
            await reload_tables()


async def reload_tables() -> None:
    """Loads the current files; if any table is unusable, all tables stay as they were."""
    try:
        # In a thread, because it takes about a second.
        fresh = await asyncio.to_thread(read_again, ALL_TABLES)
    except TableUnusable as error:
        _log.error("tables_not_reloaded", reason=str(error))
    except Exception as error:
        _log.error("tables_not_reloaded", exc_info=error)
    else:
        put_in_force(fresh)
        _log.info("tables_reloaded", changed=[table.table.name for table in fresh if table.is_changed])
        for table in fresh:
            if file := table.content[1].older_file:
                _log.warning("table_ignored", file=str(file), reason="mais antiga que a do carimbo")
