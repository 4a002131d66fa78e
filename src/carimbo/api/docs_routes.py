"""The routes of the published contract and its pages, which are built for their first reader."""

import asyncio
import json
import os
import subprocess
import sys
import zlib
from base64 import b64decode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from carimbo.api.route import JSON, OpenEndpoint
from carimbo.service.errors import not_found

router = APIRouter(include_in_schema=False, route_class=OpenEndpoint)

_BUILDER = "carimbo.api.openapi"
_NOTHING_FROM_OUTSIDE = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
_STATIC = {"docs.css": "text/css", "docs.js": "text/javascript", "search.js": "text/javascript"}


class PublishedFiles:
    """The contract and its pages, built once by a program that then ends.

    In this process, building would delay every request for seconds, and its memory would stay. The files are
    kept compressed: they have few readers, and take a twentieth of the memory.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._files: Mapping[str, bytes] | None = None

    async def read(self, path: str) -> bytes | None:
        """Returns a file, or None; concurrent first readers wait for the same build."""
        async with self._lock:
            if self._files is None:
                self._files = await build_files()
        compressed = self._files.get(path)
        return compressed and zlib.decompress(compressed)


async def build_files() -> dict[str, bytes]:
    """Builds the files, compressed, in a process of its own. Raises CalledProcessError."""
    process = await asyncio.create_subprocess_exec(
        # It imports what this process would. No other environment: it has the master keys.
        sys.executable, "-P", "-m", _BUILDER,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )  # fmt: skip
    try:
        answer, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode or 0, _BUILDER)
    return {path: b64decode(file) for path, file in json.loads(answer).items()}


async def _published(request: Request, path: str) -> bytes | None:
    published: PublishedFiles = request.app.state.published
    return await published.read(path)


@router.get("/openapi.yaml")
async def openapi_yaml(request: Request) -> Response:
    """Returns the contract as YAML."""
    return Response(await _published(request, "openapi.yaml"), media_type="application/yaml")


@router.get("/openapi.json")
async def openapi_json(request: Request) -> Response:
    """Returns the contract as JSON."""
    return Response(await _published(request, "openapi.json"), media_type=JSON)


@router.get("/")
async def front_door() -> Response:
    """Redirects the bare address to the documentation."""
    return RedirectResponse("docs")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Returns the overview of the documentation."""
    return await docs_page(request, "")


@router.get("/docs/{page}")
async def docs_page(request: Request, page: str) -> Response:
    """Returns a page of the documentation, or a file that the pages load."""
    if page in _STATIC:
        return Response(_static(page), media_type=_STATIC[page])
    content = await _published(request, f"docs/{page}")
    if content is None:
        raise not_found("Página não encontrada: veja todas em /docs.")
    if page.endswith(".json"):
        return Response(content, media_type=JSON)
    return HTMLResponse(content, headers={"Content-Security-Policy": _NOTHING_FROM_OUTSIDE})


@cache
def _static(name: str) -> bytes:
    return files("carimbo.api").joinpath("static", name).read_bytes()
