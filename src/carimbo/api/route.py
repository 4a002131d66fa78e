"""The route class of every resource: checks before the body is validated, in a fixed order.

Credentials and rate are already checked (api/middleware.py). Here follow the company of the path, the names
in the query, the media type and the JSON itself. Then pydantic validates.
"""

from collections.abc import Callable, Coroutine, Set
from decimal import Decimal
from typing import Any
from urllib.parse import unquote_plus
from uuid import UUID

from fastapi import Request, Response
from fastapi._compat import Undefined
from fastapi.dependencies.utils import get_flat_params, request_body_to_args
from fastapi.exceptions import ResponseValidationError
from fastapi.params import Form, Header, Path
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from carimbo.api.arguments import Arguments, Errors
from carimbo.api.context import services_of, subscription_of
from carimbo.api.errors import validation_refusal
from carimbo.api.json_body import read_json_body
from carimbo.fiscal.document_type import DocumentType
from carimbo.service.companies.registration import find_only_company, unknown_company
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.storage.companies import CompanyRow
from carimbo.web.forms import is_utf8_form

JSON = "application/json"
# RFC 7396; a PATCH means the same with either media type.
MERGE_PATCH = "application/merge-patch+json"
FORM = "multipart/form-data"
MUST_BE_SENT = {"x-must-be-sent": True}
"""Marks a form field that is required but may be empty: the framework treats empty as absent."""
COMPANIES_PREFIX = "/v1/companies/"
ONLY_COMPANY_PREFIX = "/v1/company/"
COMPANY_PARAMETER = "companyId"


def company_id_in(path: str) -> UUID | None:
    """Returns the id of the company that a path names; None if there is none, or it is malformed."""
    if not path.startswith(COMPANIES_PREFIX):
        return None
    try:
        return UUID(path.removeprefix(COMPANIES_PREFIX).partition("/")[0])
    except ValueError:
        return None


class ApiRequest(Request):
    """A request, and its body once it is parsed."""

    parsed: Any = Undefined


class OpenEndpoint(APIRoute):
    """A route without credentials: it only reads its arguments and calls its handler."""

    def get_route_handler(self) -> Callable[[Any], Coroutine[Any, Any, Response]]:
        """Replaces the framework's handler; the framework calls this when the route is created."""
        self._arguments = Arguments(self.dependant)
        return self.respond

    async def respond(self, request: ApiRequest) -> Response:
        """Answers a request of this route."""
        errors: Errors = []
        arguments = await self._arguments.read(request, errors)
        if self.body_field is not None:
            arguments |= await self._validated_body(request, errors)
        if errors:
            raise validation_refusal(errors, self.body_field and self.body_field.field_info.annotation)
        answer = await self.endpoint(**arguments)
        return answer if isinstance(answer, Response) else self._json_response(answer)

    async def _validated_body(self, request: ApiRequest, errors: Errors) -> dict[str, Any]:
        body, fields = request.parsed, self.dependant.body_params
        if isinstance(body, FormData):
            arguments, invalid = await request_body_to_args(fields, body, self._embed_body_fields)
            errors += invalid
            return arguments
        (field,) = fields
        if body is Undefined:
            return {field.name: field.get_default()}
        value, invalid = field.validate(body, loc=("body",))
        errors += invalid
        return {field.name: value}

    def _json_response(self, answer: Any) -> Response:
        if self.response_field is None:
            raise TypeError(f"{self.path} has no model for its answer")
        value, errors = self.response_field.validate(answer, loc=("response",))
        if errors:
            raise ResponseValidationError(errors)
        content = self.response_field.serialize_json(value)
        return Response(content, self.status_code or 200, media_type=JSON)


class Endpoint(OpenEndpoint):
    """A route that finds its company and parses its body before it reads its arguments."""

    sees_deleted_companies = False
    document_type: DocumentType | None = None
    """The document type of the route; None if it serves all types, or no documents."""

    @classmethod
    def of_type(cls, document_type: DocumentType) -> "type[Endpoint]":
        """Returns the class for routes of a document type."""
        return type(cls.__name__, (cls,), {"document_type": document_type})

    def get_route_handler(self) -> Callable[[Any], Coroutine[Any, Any, Response]]:
        """Also collects the names that a query may have."""
        # Fields of a query parameter model do not say where they are sent; so path and header are excluded.
        self._query_names = {
            item.alias
            for item in get_flat_params(self.dependant)
            if not isinstance(item.field_info, Path | Header)
        }
        return super().get_route_handler()

    async def respond(self, request: ApiRequest) -> Response:
        """Answers a request of this route, after the checks of every route."""
        await self._resolve_company(request)
        request.state.document_type = self.document_type
        if request.scope["query_string"]:
            request = self._checked_query(request)
        try:
            await self._read_body(request)
            return await self._answer(request)
        finally:
            if isinstance(request.parsed, FormData):
                await request.parsed.close()

    async def _resolve_company(self, request: ApiRequest) -> None:
        """Puts the company of the path into the request; a company of another subscription is not found."""
        path = request.scope["path"]
        if COMPANY_PARAMETER in request.path_params:
            request.state.company = self._company_of_caller(request)
        elif f"{path}/".startswith(ONLY_COMPANY_PREFIX):
            request.state.company = await find_only_company(
                services_of(request).database, subscription_of(request).id
            )

    def _company_of_caller(self, request: ApiRequest) -> CompanyRow:
        """Returns the company of the path, which was read together with the credentials."""
        if company_id_in(request.scope["path"]) is None:
            raise validation_refusal(
                [{"type": "uuid_parsing", "loc": ("path", COMPANY_PARAMETER), "msg": ""}]
            )
        company: CompanyRow | None = request.state.caller.company
        if company is None or (company.deleted_at is not None and not self.sees_deleted_companies):
            raise unknown_company()
        return company

    def _checked_query(self, request: ApiRequest) -> ApiRequest:
        """Returns the request without the empty values of its query, or refuses its names."""
        items = request.query_params.multi_items()
        # Ignoring a misspelt `pagesize` silently would answer another question than was asked.
        _refuse_names([name for name, _ in items], self._query_names)
        if all(value.strip() for _, value in items):
            return request
        request.scope["query_string"] = _without_empty_values(request.scope["query_string"])
        return ApiRequest(request.scope, request.receive)

    async def _answer(self, request: ApiRequest) -> Response:
        """Answers a request whose body is parsed, but not validated."""
        return await super().respond(request)

    async def _read_body(self, request: ApiRequest) -> None:
        if self.body_field is None:
            return
        expected = FORM if isinstance(self.body_field.field_info, Form) else JSON
        body = await request.body()
        if not body and not self.body_field.field_info.is_required():
            return
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_merge_patch = media_type == MERGE_PATCH and request.method == "PATCH"
        if media_type != expected and not is_merge_patch:
            raise Refusal(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE, f"Envie o corpo como {expected}.", expected=expected
            )
        if expected == JSON:
            parsed = await read_json_body(body)
            # Models are also read from attributes, so a Decimal would pass for an empty object.
            request.parsed = float(parsed) if isinstance(parsed, Decimal) else parsed
        else:
            await self._read_form(request)

    async def _read_form(self, request: ApiRequest) -> None:
        if not is_utf8_form(request.headers["content-type"]):
            raise Refusal(ErrorCode.MALFORMED_FORM)
        try:
            request.parsed = form = await request.form()
        except HTTPException:
            raise Refusal(ErrorCode.MALFORMED_FORM) from None
        fields = self.dependant.body_params
        required = {
            field.alias
            for field in fields
            if field.field_info.is_required() or field.field_info.json_schema_extra == MUST_BE_SENT
        }
        _refuse_names([name for name, _ in form.multi_items()], {field.alias for field in fields}, required)


class ReadingEndpoint(Endpoint):
    """A route that reads documents, also those of deleted companies."""

    sees_deleted_companies = True


def _without_empty_values(query: bytes) -> bytes:
    """Returns a query string without its empty values: forms send their empty fields, as in `?status=`."""
    items = query.decode("latin-1").split("&")
    kept = [item for item in items if unquote_plus(item.partition("=")[2]).strip()]
    return "&".join(kept).encode("latin-1")


def _refuse_names(given: list[str], allowed: set[str], required: Set[str] = frozenset()) -> None:
    """Refuses unknown, repeated and missing names, all at once."""
    wrong = {
        "extra_forbidden": set(given) - allowed,
        "repeated": {name for name in allowed if given.count(name) > 1},
        "missing": required - set(given),
    }
    errors = [
        {"type": kind, "loc": (name,), "msg": "", "known_names": allowed}
        for kind, names in wrong.items()
        for name in names
    ]
    if errors:
        raise validation_refusal(sorted(errors, key=lambda error: error["loc"]))
