"""The official tables of a process: put in force at its start, read again at SIGHUP without a restart."""

import asyncio
import signal

import structlog

from carimbo.fiscal.tables.catalog import ALL_TABLES
from carimbo.fiscal.tables.table import put_in_force, read_again, use_tables_of
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.settings import Settings

_log = structlog.get_logger("carimbo.main")


def use_tables(settings: Settings) -> None:
    """Puts the operator's tables in force, and reads them now. Raises TableUnusable before work begins."""
    use_tables_of(settings.tables_folder)
    if settings.tables_folder:
        for table in ALL_TABLES:
            table.load()


class TableReloader:
    """Reads all tables again each time that it is asked to, one reading after the other."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def ask(self, *_: object) -> None:
        """Asks for another reading; may be called as a signal handler before the reloader starts."""
        self._asked.set()

    def start(self) -> None:
        """Listens to SIGHUP in the running loop until the loop ends."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self.ask)
        self._task = asyncio.create_task(self._reload_when_asked())

    async def _reload_when_asked(self) -> None:
        while True:
            await self._asked.wait()
            self._asked.clear()
            await reload_tables()


async def reload_tables() -> None:
    """Puts the files as they are now in force; if any table can't be used, all stay as they were."""
    try:
        # In a thread: it takes a second or so, and requests come in.
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
