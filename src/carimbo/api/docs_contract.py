"""The documentation page for people, rendered from the OpenAPI document and from nothing else."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from carimbo.api.docs_model import (
    Field,
    Json,
    Node,
    answer_example,
    as_text,
    field_of,
    fields_of,
    follow,
    read_schema,
    request_example,
)
from carimbo.api.route import MERGE_PATCH

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
_JSON = "application/json"
_FORM = "multipart/form-data"
_REQUEST_FILE = "requisicao.json"
_PLACES = {"path": "no caminho", "query": "na consulta", "header": "no cabeçalho", "cookie": "no cookie"}
_FIRST_ERROR_STATUS = "400"
_UNTAGGED = "Geral"


@dataclass(frozen=True)
class Parameter:
    """A value outside the body: where it goes, what it is and how it may look."""

    place: str
    field: Field
    example: str


@dataclass(frozen=True)
class Content:
    """A request's body or an answer's; `example` is empty when it isn't JSON."""

    media_type: str
    fields: tuple[Field, ...]
    example: str


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


def render_docs(contract: dict[str, Any]) -> str:
    """Render the page; it loads nothing, so it also works without a way out to the internet."""
    operations, events = list(operations_of(contract)), list(events_of(contract))
    groups: dict[str, list[Operation]] = {}
    for operation in operations:
        groups.setdefault(operation.tag, []).append(operation)
    return _TEMPLATES.get_template("docs.html").render(
        info=contract["info"],
        credentials=_credentials(contract.get("security", []), contract),
        groups=groups,
        first=next((found for found in operations if found.method == "GET" and "{" not in found.path), None),
        events=events,
        samples=_one_of_each_form(events),
        errors=all_errors(operations),
    )


def operations_of(contract: Json) -> Iterator[Operation]:
    """Read every operation, in the order of the document."""
    for path, item in contract.get("paths", {}).items():
        for method in item:
            if method in _METHODS:
                shared = item.get("parameters", [])
                yield _operation(method.upper(), path, {"parameters": shared, **item[method]}, contract)


def events_of(contract: Json) -> Iterator[Operation]:
    """Read every call that goes the other way, to whoever listens; its path is the event's name."""
    for name, item in contract.get("webhooks", {}).items():
        bodies = tuple(_contents(item["post"]["requestBody"], contract, answer_example))
        yield replace(_operation("POST", name, item["post"], contract), bodies=bodies)


def all_errors(operations: list[Operation]) -> list[ErrorLine]:
    """List each error code once, by status and name."""
    found = {error.code: error for operation in operations for error in operation.errors}
    return sorted(found.values(), key=lambda error: (error.status, error.code))


def prose(text: str) -> Markup:
    """Turn plain text into paragraphs with code in them; anything else stays text."""
    paragraphs = filter(None, re.split(r"\n\s*\n", text.strip()))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(paragraph)) for paragraph in paragraphs)


def inline(text: str) -> Markup:
    """Turn what stands between backticks into code."""
    pieces = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if position % 2 else piece
        for position, piece in enumerate(pieces)
    )


def breakable(text: str) -> Markup:
    """Let a long name break where a reader would pause, not in the middle of a word."""
    return Markup("<wbr>").join(re.split(r"(?<=[./_])", text))


def variable(header: str) -> str:
    """Name the shell variable that holds a credential: `API_KEY` for `X-Api-Key`."""
    return header.removeprefix("X-").replace("-", "_").upper()


_TEMPLATES = Environment(
    loader=PackageLoader("carimbo.api", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(prose=prose, inline=inline, breakable=breakable, variable=variable)


def _operation(method: str, path: str, source: Json, contract: Json) -> Operation:
    parameters = tuple(_parameter(found, contract) for found in source["parameters"])
    bodies = tuple(_contents(source.get("requestBody", {}), contract, request_example))
    security: list[Json] = {**contract, **source}.get("security", [])
    return Operation(
        id=source.get("operationId", f"{method.lower()}{path.replace('/', '-')}"),
        method=method,
        path=path,
        tag=next(iter(source.get("tags", ())), _UNTAGGED),
        summary=source.get("summary", ""),
        description=source.get("description", ""),
        deprecated=source.get("deprecated", False),
        parameters=parameters,
        bodies=bodies,
        curl=_curl(method, path, parameters, bodies, _credentials(security, contract)),
        answers=tuple(_answers(source["responses"], contract)),
        errors=tuple(_errors(source["responses"], contract)),
    )


def _parameter(source: Json, contract: Json) -> Parameter:
    source = _resolved(source, contract)
    node = read_schema(source.get("schema", {}), contract)
    field = field_of(node, source["name"], source.get("required", False))
    return Parameter(
        place=_PLACES[source["in"]],
        field=replace(field, description=source.get("description", field.description)),
        example=as_text(answer_example(node)),
    )


def _contents(source: Json, contract: Json, make_example: Callable[[Node], Any]) -> Iterator[Content]:
    for media_type, media in _resolved(source, contract).get("content", {}).items():
        if media_type == MERGE_PATCH:
            # The same body by another name.
            continue
        node = read_schema(media.get("schema", {}), contract)
        given = [example["value"] for example in media.get("examples", {}).values()]
        example = given[0] if given else make_example(node)
        shown = json.dumps(example, ensure_ascii=False, indent=2) if media_type == _JSON else ""
        yield Content(media_type, tuple(fields_of(node)), shown)


def _answers(responses: Json, contract: Json) -> Iterator[Answer]:
    for status in sorted(status for status in responses if status < _FIRST_ERROR_STATUS):
        yield Answer(status, tuple(_contents(responses[status], contract, answer_example)))


def _errors(responses: Json, contract: Json) -> Iterator[ErrorLine]:
    for status in sorted(status for status in responses if status >= _FIRST_ERROR_STATUS):
        media = _resolved(responses[status], contract).get("content", {}).get(_JSON, {})
        for example in media.get("examples", {}).values():
            error = example["value"]["error"]
            details = as_text(error["details"]) if error.get("details") else ""
            yield ErrorLine(status, error["code"], error["message"], details)


def _one_of_each_form(events: list[Operation]) -> list[Operation]:
    """The first of those events whose fields are the same."""
    forms: dict[tuple[str, ...], Operation] = {}
    for event in events:
        forms.setdefault(tuple(field.path for body in event.bodies for field in body.fields), event)
    return list(forms.values())


def _resolved(source: Json, contract: Json) -> Json:
    return follow(source["$ref"], contract) if "$ref" in source else source


def _credentials(security: list[Json], contract: Json) -> list[str]:
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
    start = "curl" if method == "GET" else f"curl -X {method}"
    headers = [f'-H "{header}: ${variable(header)}"' for header in credentials]
    body = _curl_body(bodies[0]) if bodies else []
    return " \\\n  ".join([f'{start} "$URL{_example_path(path, parameters)}"', *headers, *body])


def _example_path(path: str, parameters: tuple[Parameter, ...]) -> str:
    for parameter in parameters:
        path = path.replace(f"{{{parameter.field.path}}}", parameter.example)
    needed = (found for found in parameters if found.field.required and found.place == _PLACES["query"])
    query = "&".join(f"{parameter.field.path}={parameter.example}" for parameter in needed)
    return f"{path}?{query}" if query else path


def _curl_body(body: Content) -> list[str]:
    if body.media_type == _FORM:
        return [f'-F "{field.path}={_form_value(field)}"' for field in body.fields]
    return [f'-H "Content-Type: {body.media_type}"', f"-d @{_REQUEST_FILE}"]


def _form_value(field: Field) -> str:
    return "@arquivo" if "arquivo" in field.type else field.example or "texto"
