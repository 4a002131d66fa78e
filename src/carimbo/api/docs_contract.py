"""The OpenAPI document read for the pages of the documentation: operations, events and errors."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from carimbo.api.docs_model import (
    Field,
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
# Lists have a `search` too, but there it is a filter, and would hide what a reader has.
_SEARCH_OPERATION, _SEARCH_WORDS = "search", "search"


@dataclass(frozen=True)
class Parameter:
    """A value outside the body: where it goes, what it is and how it may look."""

    place: str
    field: Field
    example: str
    is_in_call: bool
    """Whether the example of a call has it: required ones, and the words of an operation that searches."""


@dataclass(frozen=True)
class Sample:
    """An example as the page shows it."""

    title: str
    text: str


@dataclass(frozen=True)
class Content:
    """A request's body or an answer's; it has no samples when it isn't JSON."""

    media_type: str
    fields: tuple[Field, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Answer:
    """What a successful call returns; no contents mean an empty body."""

    status: str
    contents: tuple[Content, ...]


@dataclass(frozen=True)
class ErrorLine:
    """An error that an operation may answer."""

    status: str
    code: str
    message: str
    details: str


@dataclass(frozen=True)
class Operation:
    """An operation as the page shows it."""

    id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    deprecated: bool
    parameters: tuple[Parameter, ...]
    bodies: tuple[Content, ...]
    curl: str
    answers: tuple[Answer, ...]
    errors: tuple[ErrorLine, ...]


def operations_of(contract: Json) -> Iterator[Operation]:
    """Read every operation, in the order of the document."""
    for path, item in contract.get("paths", {}).items():
        for method in item:
            if method in _METHODS:
                shared = item.get("parameters", [])
                yield _operation(method.upper(), path, {"parameters": shared, **item[method]}, contract)


def events_of(contract: Json) -> Iterator[Operation]:
    """Yields the webhook events."""
    for name, item in contract.get("webhooks", {}).items():
        yield _operation("POST", name, item["post"], contract)


def all_errors(operations: list[Operation]) -> list[ErrorLine]:
    """List each error code once, by status and name."""
    by_code = {error.code: error for operation in operations for error in operation.errors}
    return sorted(by_code.values(), key=lambda error: (error.status, error.code))


def variable(header: str) -> str:
    """Name the shell variable that holds a credential: `API_KEY` for `X-Api-Key`."""
    return header.removeprefix("X-").replace("-", "_").upper()


def _operation(method: str, path: str, source: Json, contract: Json) -> Operation:
    name = source.get("operationId", f"{method.lower()}{path.replace('/', '-')}")
    searches = name.startswith(_SEARCH_OPERATION)
    parameters = tuple(_parameter(parameter, searches, contract) for parameter in source["parameters"])
    bodies = tuple(_contents(source.get("requestBody", {}), contract))
    security: list[Json] = {**contract, **source}.get("security", [])
    return Operation(
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


def _contents(source: Json, contract: Json) -> Iterator[Content]:
    for media_type, media in _resolved(source, contract).get("content", {}).items():
        if media_type == MERGE_PATCH:
            # The same body by another name.
            continue
        node = read_schema(media.get("schema", {}), contract)
        given = media.get("examples", {}).values() or [{"value": answer_example(node)}]
        samples = tuple(
            Sample(example.get("summary", ""), json.dumps(example["value"], ensure_ascii=False, indent=2))
            for example in given
            if media_type == _JSON
        )
        yield Content(media_type, tuple(fields_of(node)), samples)


def _answers(responses: Json, contract: Json) -> Iterator[Answer]:
    for status in sorted(status for status in responses if status < _FIRST_ERROR_STATUS):
        yield Answer(status, tuple(_contents(responses[status], contract)))


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
    """Name the headers that a call must carry together; none for a public one."""
    schemes = contract.get("components", {}).get("securitySchemes", {})
    return [schemes[name]["name"] for name in (security[0] if security else {})]


def _curl(
    method: str,
    path: str,
    parameters: tuple[Parameter, ...],
    bodies: tuple[Content, ...],
    credentials: list[str],
) -> str:
    """Write the call for a shell where the address and the credentials are variables."""
    # curl puts either the values of the query or a body where -d says, not both.
    query = [] if bodies else _query_options(parameters)
    start = "curl" if method == "GET" else f"curl -X {method}"
    start = f"{start} -G" if query else start
    headers = [f'-H "{header}: ${variable(header)}"' for header in credentials]
    body = _curl_body(bodies[0]) if bodies else []
    return " \\\n  ".join([f'{start} "$URL{_example_path(path, parameters)}"', *headers, *query, *body])


def _example_path(path: str, parameters: tuple[Parameter, ...]) -> str:
    for parameter in parameters:
        path = path.replace(f"{{{parameter.field.path}}}", parameter.example)
    return path


def _query_options(parameters: tuple[Parameter, ...]) -> list[str]:
    """Writes query parameters so that curl encodes letters such as `ç`."""
    shown = (found for found in parameters if found.is_in_call and found.place == _PLACES["query"])
    return [f'--data-urlencode "{parameter.field.path}={parameter.example}"' for parameter in shown]


def _curl_body(body: Content) -> list[str]:
    if body.media_type == _FORM:
        return [f'-F "{field.path}={_form_value(field)}"' for field in body.fields]
    return [f'-H "Content-Type: {body.media_type}"', f"-d @{_REQUEST_FILE}"]


def _form_value(field: Field) -> str:
    return "@arquivo" if "arquivo" in field.type else field.example or "texto"
