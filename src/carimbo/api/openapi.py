"""The published contract: OpenAPI 3.1 as YAML and JSON, and documentation pages rendered from it.

Run as a program, this module writes all these files to stdout. Building them takes seconds of CPU and tens of
megabytes, so the API runs this program instead of building them itself (api/docs_routes.py).
"""

import gc
import json
import os
import re
import sys
import zlib
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import yaml
from fastapi import FastAPI
from fastapi.openapi.constants import REF_PREFIX
from fastapi.openapi.models import Schema
from fastapi.openapi.utils import get_openapi

from carimbo import __version__
from carimbo.api.app import create_app
from carimbo.api.docs_page import render_docs
from carimbo.api.envelope import Failure
from carimbo.api.published_events import published_events
from carimbo.api.response_docs import body_refusals
from carimbo.api.route import JSON, MERGE_PATCH, MUST_BE_SENT
from carimbo.service.documents.record import EXAMPLE
from carimbo.web.body_examples import body_examples

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
_SUCCESS, _SUCCESSES = "Sucesso", {"200", "202", "304"}
_FAILURE = "Failure"
_SCHEMES = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    "apiSecret": {"type": "apiKey", "in": "header", "name": "X-Api-Secret"},
}


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
    _add_failure(schema["components"])
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


def _add_failure(components: dict[str, Any]) -> None:
    """Adds the schema of refusals; as a model of each response, it would be compiled a thousand times."""
    failure = Failure.model_json_schema(mode="serialization", ref_template=REF_PREFIX + "{model}")
    schemas = {_FAILURE: failure, **failure.pop("$defs")}
    # In the framework's order of keys.
    ordered = {
        name: Schema.model_validate(schema).model_dump(mode="json", by_alias=True, exclude_none=True)
        for name, schema in schemas.items()
    }
    components["schemas"] = dict(sorted((components["schemas"] | ordered).items()))


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
            operation["responses"].setdefault(str(status), response)
    for status in operation["responses"].keys() - _SUCCESSES:
        # The framework puts an error's schema under the media type of the route's successes.
        examples = operation["responses"][status]["content"][JSON]["examples"]
        operation["responses"][status]["content"] = {
            JSON: {"schema": {"$ref": REF_PREFIX + _FAILURE}, "examples": examples}
        }
    for status in _SUCCESSES & operation["responses"].keys():
        # Replaces the framework's English default; routes with a description of their own keep it.
        if operation["responses"][status]["description"] == "Successful Response":
            operation["responses"][status]["description"] = _SUCCESS
    for response in operation["responses"].values():
        response.setdefault("headers", {})["X-Request-Id"] = {
            "description": "Identificador da requisição.",
            "schema": {"type": "string"},
        }


def published_files(app: FastAPI) -> dict[str, str]:
    """Builds the contract and its pages, by their paths."""
    # libyaml's writer is three times as fast as Python's.
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    published = contract(app)
    return {
        "openapi.json": json.dumps(published, ensure_ascii=False, separators=(",", ":")),
        "openapi.yaml": yaml.dump(published, Dumper=dumper, allow_unicode=True, sort_keys=False),
        **{f"docs/{page}": text for page, text in render_docs(published).items()},
    }


@asynccontextmanager
async def _no_lifespan(_: FastAPI) -> AsyncIterator[None]:
    yield


def main() -> None:
    """Writes all files as one JSON object, compressed and in Base64."""
    # The requests that the API answers in the meantime come first.
    os.nice(10)
    # Modules and models stay until the end: collecting garbage among them takes a seventh of the CPU time.
    gc.freeze()
    # The limits of bodies are not part of the contract.
    built = published_files(create_app(_no_lifespan, body_limit=0, body_seconds=0))
    compressed = {path: b64encode(zlib.compress(text.encode())).decode() for path, text in built.items()}
    json.dump(compressed, sys.stdout)


if __name__ == "__main__":
    main()
