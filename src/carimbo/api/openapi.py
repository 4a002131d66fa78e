"""The published contract: OpenAPI 3.1 as YAML and JSON, and documentation pages rendered from it."""

import asyncio
import json
import re
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, TypeVar

import yaml
from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import HTMLResponse, RedirectResponse, Response

from carimbo import __version__
from carimbo.api.body_examples import body_examples
from carimbo.api.docs_page import OVERVIEW, render_docs
from carimbo.api.published_events import published_events
from carimbo.api.response_docs import body_refusals
from carimbo.api.route import JSON, MERGE_PATCH, MUST_BE_SENT
from carimbo.service.documents.record import EXAMPLE
from carimbo.service.errors import not_found

router = APIRouter(include_in_schema=False)
T = TypeVar("T")

_DESCRIPTION = """\
API única para emitir documentos fiscais brasileiros.

Toda requisição privada leva os dois cabeçalhos de credencial. Na demonstração eles estão no arquivo
`.carimbo/headers` (`curl -H @.carimbo/headers`); em outra instalação, `carimbo admin create-subscription`
mostra a chave e o segredo, uma única vez.

Primeiros passos: cinco chamadas antes do primeiro documento.

1. `POST /v1/companies` cadastra a empresa. Para testar, envie `"environment": "homologation"`; sem
`environment` ela começa em produção, e `warnings` avisa.

2. `POST /v1/companies/{companyId}/state-registrations` informa a inscrição estadual, que NF-e e
NFC-e pedem.

3. `POST /v1/companies/{companyId}/certificate` envia o certificado A1 e sua senha.

4. `PUT /v1/companies/{companyId}/settings` configura o que cada tipo pede: da NFC-e, `nfce.active`,
`nfce.cscId` e `nfce.csc` (em homologação, `nfce.homologation.cscId` e `nfce.homologation.csc`); da NFS-e, os
padrões do serviço em `nfse`.

5. `GET /v1/companies/{companyId}/status` diz se a empresa pode emitir e o que falta.

Ao criar, `null` e texto vazio valem como campo ausente. Todo PUT altera só os campos enviados: o que falta
fica como está, `null` ou texto vazio limpa o que pode ficar vazio, e o registro lido pode ser reenviado.

O prefixo `/api/v1` equivale a `/v1`. As respostas trazem `success` e `data` ou, em caso de erro, `error`;
com o cabeçalho `X-Envelope: ok`, `ok` toma o lugar de `success`, e os campos do erro vêm ao lado dele, com
`statusCode`. Toda resposta traz `X-Request-Id`.
"""
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
_NAMES = (
    (r"^Success_list_dict_str__Any___$", "LinesResponse"),
    (r"^Success_list_(\w+)__$", r"\1sResponse"),
    (r"^Success_(.+)_$", r"\1Response"),
    (r"^Listing_(.+)_$", r"\1ListResponse"),
    (r"^Body_upload(\w+)$", r"\1Upload"),
    (r"-Output$", ""),
    (r"-Input$", "Input"),
    # Names that the contract had before the classes were renamed.
    (r"^IbsCbsBody$", "IbsCbsBodyInput"),
    (r"^MunicipalBenefit$", "Benefit"),
    (r"^OperationDirection$", "Operation"),
    (r"^PaperSize$", "Paper"),
    (r"^ReferencedDocument$", "Reference"),
    (r"^VolumeSeal$", "Seal"),
)
(_MUST_BE_SENT,) = MUST_BE_SENT
# Held by the thread that builds at startup and by one that builds for a request.
_BUILDING = threading.Lock()
_SUCCESS, _SUCCESSES = "Sucesso", {"200", "202", "304"}
_FAILURE = {"$ref": "#/components/schemas/Failure"}
_SCHEMES = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "apiSecret": {"type": "apiKey", "in": "header", "name": "X-Api-Secret"},
}


@router.get("/openapi.yaml")
async def openapi_yaml(request: Request) -> Response:
    """Returns the contract as YAML."""
    return Response(await _build_in_thread(_yaml, request.app), media_type="application/yaml")


@router.get("/openapi.json")
async def openapi_json(request: Request) -> Response:
    """Returns the contract as JSON."""
    return Response(await _build_in_thread(_json, request.app), media_type=JSON)


@router.get("/")
async def front_door() -> Response:
    """Redirects the bare address to the documentation."""
    return RedirectResponse("docs")


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Returns the overview of the documentation."""
    return await docs_page(request, OVERVIEW)


@router.get("/docs/{page}")
async def docs_page(request: Request, page: str) -> Response:
    """Returns a page of the documentation, or a file that the pages load."""
    if page in _STATIC:
        return Response(_static(page), media_type=_STATIC[page])
    pages = await _build_in_thread(_pages, request.app)
    if page not in pages:
        raise not_found("Página não encontrada: veja todas em /docs.")
    if page.endswith(".json"):
        return Response(pages[page], media_type=JSON)
    return HTMLResponse(pages[page], headers={"Content-Security-Policy": _NOTHING_FROM_OUTSIDE})


def contract(app: FastAPI) -> dict[str, Any]:
    """Builds the OpenAPI document once; FastAPI's own is not exact enough."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title="carimbo",
            version=__version__,
            openapi_version="3.1.0",
            description=_DESCRIPTION,
            license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
            servers=[{"url": "/", "description": "Esta instalação"}],
            routes=app.routes,
        )
        _make_exact(schema)
        schema["webhooks"] = published_events()
        app.openapi_schema = _with_client_names(schema)
    return app.openapi_schema


def _make_exact(schema: dict[str, Any]) -> None:
    schema["components"]["securitySchemes"] = _SCHEMES
    # Both headers together: two entries in one object mean AND, two objects would mean OR.
    schema["security"] = [{name: [] for name in _SCHEMES}]
    for name in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(name, None)
    for name, component in schema["components"]["schemas"].items():
        _make_component_exact(component)
        if name.endswith("DocumentRecord"):
            # Set here because FastAPI removes nulls from the example of a model.
            component["examples"] = [EXAMPLE]
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            if examples := body_examples().get(operation["operationId"]):
                operation["requestBody"]["content"][JSON]["examples"] = examples
            if method == "patch":
                content = operation["requestBody"]["content"]
                content[MERGE_PATCH] = content[JSON]
            _document_operation(operation)


def _make_component_exact(component: dict[str, Any]) -> None:
    # Model docstrings are English, for developers; descriptions of fields are for callers.
    component.pop("description", None)
    for name, field in component.get("properties", {}).items():
        if field.pop(_MUST_BE_SENT, False):
            component.setdefault("required", []).append(name)
        if field.get("type") == "number" and isinstance(field.get("default"), str):
            # pydantic writes the default of a Decimal as text.
            field["default"] = json.loads(field["default"])


def _with_client_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Gives components the names that client generators should use."""
    text = json.dumps(schema)
    names = {name: _client_name(name) for name in schema["components"]["schemas"]}
    if len(set(names.values())) < len(names):
        raise ValueError("two components of the contract have one name")
    for name, new_name in names.items():
        if new_name != name:
            text = text.replace(f'"{name}"', f'"{new_name}"')
            text = text.replace(f'schemas/{name}"', f'schemas/{new_name}"')
    return dict(json.loads(text))


def _client_name(name: str) -> str:
    for pattern, replacement in _NAMES:
        name = re.sub(pattern, replacement, name)
    return name


def _document_operation(operation: dict[str, Any]) -> None:
    for media_type in operation.get("requestBody", {}).get("content", {}):
        for status, response in body_refusals(media_type).items():
            response.pop("model")
            operation["responses"].setdefault(str(status), response)
    for status in operation["responses"].keys() - _SUCCESSES:
        # The framework puts an error's schema under the media type of the route's successes.
        examples = operation["responses"][status]["content"][JSON]["examples"]
        operation["responses"][status]["content"] = {JSON: {"schema": _FAILURE, "examples": examples}}
    for status in _SUCCESSES & operation["responses"].keys():
        # Replaces the framework's English default; routes with a description of their own keep it.
        if operation["responses"][status]["description"] == "Successful Response":
            operation["responses"][status]["description"] = _SUCCESS
    for response in operation["responses"].values():
        response.setdefault("headers", {})["X-Request-Id"] = {
            "description": "Identificador da requisição.",
            "schema": {"type": "string"},
        }


async def _build_in_thread(make: Callable[[FastAPI], T], app: FastAPI) -> T:
    """Builds in a thread, because the first build takes seconds; concurrent requests share it."""
    async with app.state.publishing:
        return await asyncio.to_thread(_built, make, app)


def publish(app: FastAPI) -> None:
    """Builds contract and pages in advance, so that the first reader does not wait."""
    _built(_json, app)
    _built(_yaml, app)
    _built(_pages, app)


def _built(make: Callable[[FastAPI], T], app: FastAPI) -> T:
    with _BUILDING:
        return make(app)


@lru_cache(maxsize=1)
def _json(app: FastAPI) -> str:
    return json.dumps(contract(app), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1)
def _yaml(app: FastAPI) -> str:
    # libyaml's writer is three times as fast as Python's.
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(contract(app), Dumper=dumper, allow_unicode=True, sort_keys=False))


@lru_cache(maxsize=1)
def _pages(app: FastAPI) -> dict[str, str]:
    return render_docs(contract(app))


@cache
def _static(name: str) -> bytes:
    return files("carimbo.api").joinpath("static", name).read_bytes()
