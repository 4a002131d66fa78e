"""Whether this process lives, and whether it can work."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from carimbo.api.context import services_of
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.migrate import is_current

router = APIRouter(include_in_schema=False)
_NOT_READY = 503
_OK, _UNAVAILABLE, _STOPPING = "ok", "database unavailable", "stopping"
# A monitor asks every few seconds; a later answer than this is no answer to it.
_PATIENCE_SECONDS = 2


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Alive means: the process answers."""
    return {"status": _OK}


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Ready means: we go on, and the database answers, soon, and has this version's schema."""
    if request.app.state.is_stopping:
        return JSONResponse({"status": _STOPPING}, _NOT_READY)
    check = asyncio.create_task(_state_of(services_of(request).database))
    # Not asyncio.timeout: a connection to a database that hangs takes its own time to be given up.
    done, _ = await asyncio.wait({check}, timeout=_PATIENCE_SECONDS)
    if not done:
        check.cancel()
    state = check.result() if done else _UNAVAILABLE
    return JSONResponse({"status": state}, 200 if state == _OK else _NOT_READY)


async def _state_of(database: Database) -> str:
    try:
        async with database.connection() as connection:
            return _OK if await is_current(connection) else "migrations pending"
    except DatabaseUnavailable:
        return _UNAVAILABLE
