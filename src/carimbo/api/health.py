"""Whether this process lives, and whether it can work."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from carimbo.api.context import services_of
from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.migrate import is_current

router = APIRouter(include_in_schema=False)
_NOT_READY = 503
# A monitor asks every few seconds; a later answer than this is no answer to it.
_PATIENCE_SECONDS = 2


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> dict[str, str]:
    return {"status": "ok"}


@router.api_route("/readyz", methods=["GET", "HEAD"])
async def readyz(request: Request) -> Response:
    """Ready means: the database answers and has this version's schema."""
    try:
        async with (
            asyncio.timeout(_PATIENCE_SECONDS),
            services_of(request).database.connection() as connection,
        ):
            state = "ok" if await is_current(connection) else "migrations pending"
    except (DatabaseUnavailable, TimeoutError):
        state = "database unavailable"
    return JSONResponse({"status": state}, 200 if state == "ok" else _NOT_READY)
