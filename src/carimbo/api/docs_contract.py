"""Reads operations, events and errors from the OpenAPI document, for the documentation pages."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from carimbo.api.docs_model import (
    DocumentedField,
    Json,
    answer_example,
    as_text,
    field_of,
    fields_of,
    follow,
    read_schema,
)
from carimbo.api.route import MERGE_PATCH

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
_JSON = "application/json"
_FORM = "multipart/form-data"
_REQUEST_FILE = "requisicao.json"
_PLACES = {"path": "no caminho", "query": "na consulta", "header": "no cabeçalho", "cookie": "no cookie"}
_FIRST_ERROR_STATUS = "400"
_UNTAGGED = "Geral"
# The `search` of lists is left out of examples: as a filter it would hide the reader's own records.
_SEARCH_OPERATION, _SEARCH_WORDS = "search", "search"


@dataclass(frozen=True)
class Parameter:
    """A parameter outside the body: its place, its description and an example."""

    place: str
    field: DocumentedField
    example: str
    is_in_call: bool
    """Whether the example call has it: required parameters, and the words of a search operation."""


@dataclass(frozen=True)
class DocumentedSample:
    """An example, as the page shows it."""

    title: str
    text: str


@dataclass(frozen=True)
class DocumentedContent:
    """The body of a request or an answer; without samples if it is not JSON."""

    media_type: str
    fields: tuple[DocumentedField, ...]
    samples: tuple[DocumentedSample, ...]


@dataclass(frozen=True)
class DocumentedAnswer:
    """A successful answer; without contents its body is empty."""

    status: str
    contents: tuple[DocumentedContent, ...]


@dataclass(frozen=True)
class ErrorLine:
    """An error that an operation may return."""

    status: str
    code: str
    message: str
    details: str


@dataclass(frozen=True)
class DocumentedOperation:
    """An operation, as the page shows it."""

    id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    deprecated: bool
    parameters: tuple[Parameter, ...]
    bodies: tuple[DocumentedContent, ...]
    curl: str
    answers: tuple[DocumentedAnswer, ...]
    errors: tuple[ErrorLine, ...]


def operations_of(contract: Json) -> Iterator[DocumentedOperation]:
    """Yields every operation, in the order of the document."""
    for path, item in contract.get("paths", {}).items():
        for method in item:
            if method in _METHODS:
                shared = item.get("parameters", [])
                yield _operation(method.upper(), path, {"parameters": shared, **item[method]}, contract)


def events_of(contract: Json) -> Iterator[DocumentedOperation]:
    """Yields the webhook events."""
    for name, item in contract.get("webhooks", {}).items():
        yield _operation("POST", name, item["post"], contract)


def all_errors(operations: list[DocumentedOperation]) -> list[ErrorLine]:
    """Returns each error code once, sorted by status and name."""
    by_code = {error.code: error for operation in operations for error in operation.errors}
    return sorted(by_code.values(), key=lambda error: (error.status, error.code))


def variable(header: str) -> str:
    """Returns the shell variable of a credential header: `API_KEY` for `X-Api-Key`."""
    return header.removeprefix("X-").replace("-", "_").upper()


def _operation(method: str, path: str, source: Json, contract: Json) -> DocumentedOperation:
    name = source.get("operationId", f"{method.lower()}{path.replace('/', '-')}")
    searches = name.startswith(_SEARCH_OPERATION)
    parameters = tuple(_parameter(parameter, searches, contract) for parameter in source["parameters"])
    bodies = tuple(_contents(source.get("requestBody", {}), contract))
    security: list[Json] = {**contract, **source}.get("security", [])
    return DocumentedOperation(
        id=name,
        method=method,
        path=path,
        tag=next(iter(source.get("tags", ())), _UNTAGGED),
        summary=source.get("summary", ""),
        description=source.get("description", ""),
        deprecated=source.get("deprecated", False),
        parameters=parameters,
        bodies=bodies,
        curl=_curl(method, path, parameters, bodies, credentials_of(security, contract)),
        answers=tuple(_answers(source["responses"], contract)),
        errors=tuple(_errors(source["responses"], contract)),
    )


def _parameter(source: Json, searches: bool, contract: Json) -> Parameter:
    source = _resolved(source, contract)
    node = read_schema(source.get("schema", {}), contract)
    field = field_of(node, source["name"], source.get("required", False))
    return Parameter(
        place=_PLACES[source["in"]],
        field=replace(field, description=source.get("description", field.description)),
        example=as_text(answer_example(node)),
        is_in_call=source.get("required", False) or (searches and source["name"] == _SEARCH_WORDS),
    )


def _contents(source: Json, contract: Json) -> Iterator[DocumentedContent]:
    for media_type, media in _resolved(source, contract).get("content", {}).items():
        if media_type == MERGE_PATCH:
            # The same body under another media type.
            continue
        node = read_schema(media.get("schema", {}), contract)
        examples = media.get("examples", {}).values() or [{"value": answer_example(node)}]
        samples = tuple(
            DocumentedSample(
                example.get("summary", ""), json.dumps(example["value"], ensure_ascii=False, indent=2)
            )
            for example in examples
            if media_type == _JSON
        )
        yield DocumentedContent(media_type, tuple(fields_of(node)), samples)


def _answers(responses: Json, contract: Json) -> Iterator[DocumentedAnswer]:
    for status in sorted(status for status in responses if status < _FIRST_ERROR_STATUS):
        yield DocumentedAnswer(status, tuple(_contents(responses[status], contract)))


def _errors(responses: Json, contract: Json) -> Iterator[ErrorLine]:
    for status in sorted(status for status in responses if status >= _FIRST_ERROR_STATUS):
        media = _resolved(responses[status], contract).get("content", {}).get(_JSON, {})
        for example in media.get("examples", {}).values():
            error = example["value"]["error"]
            details = as_text(error["details"]) if error.get("details") else ""
            yield ErrorLine(status, error["code"], error["message"], details)


def _resolved(source: Json, contract: Json) -> Json:
    return follow(source["$ref"], contract) if "$ref" in source else source


def credentials_of(security: list[Json], contract: Json) -> list[str]:
    """Returns the headers that a call needs together; none for a public operation."""
    schemes = contract.get("components", {}).get("securitySchemes", {})
    return [schemes[name]["name"] for name in (security[0] if security else {})]


def _curl(
    method: str,
    path: str,
    parameters: tuple[Parameter, ...],
    bodies: tuple[DocumentedContent, ...],
    credentials: list[str],
) -> str:
    """Returns a curl command that takes address and credentials from shell variables."""
    # curl sends either query values or a body with -d, not both.
    query = [] if bodies else _query_options(parameters)
    start = "curl" if method == "GET" else f"curl -X {method}"
    start = f"{start} -G" if query else start
    headers = [f'-H "{header}: ${variable(header)}"' for header in credentials]
    body = _curl_body(bodies[0]) if bodies else []
    for parameter in parameters:
        path = path.replace(f"{{{parameter.field.path}}}", parameter.example)
    return " \\\n  ".join([f'{start} "$URL{path}"', *headers, *query, *body])


def _query_options(parameters: tuple[Parameter, ...]) -> list[str]:
    """Writes query parameters so that curl encodes letters such as `ç`."""
    return [
        f'--data-urlencode "{parameter.field.path}={parameter.example}"'
        for parameter in parameters
        if parameter.is_in_call and parameter.place == _PLACES["query"]
    ]


def _curl_body(body: DocumentedContent) -> list[str]:
    if body.media_type == _FORM:
        return [f'-F "{field.path}={_form_value(field)}"' for field in body.fields]
    return [f'-H "Content-Type: {body.media_type}"', f"-d @{_REQUEST_FILE}"]


def _form_value(field: DocumentedField) -> str:
    return "@arquivo" if "arquivo" in field.type else field.example or "texto"
